"""No step of reading takes more than in proportion to a file, whatever is in it."""

from __future__ import annotations

import gc
import tracemalloc
import zipfile
from contextlib import suppress
from time import process_time

import pytest
from messages import refuses

import spanagree as sa
from spanagree.files import open_zip
from spanagree.formats.registry import FORMATS

DEEP = {
    "lists": "[",
    "objects": '{"a":',
    "both": '[{"data": ',
    "quotes": '["',
    "escapes": '"\\',
    "elements": "<a>",
    "comments": "<!--",
    "braces": "}",
    "tabs": "\t",
    "commas": "a,",
    "brackets of tags": "(a",
    "fences": "```json\n[",
}


def seconds(path, form):
    """Return the processor time until a file is read, or refused.

    What other tests left in memory is not searched meanwhile.
    """
    gc.freeze()
    begin = process_time()
    with suppress(sa.SpanAgreeError):
        sa.read(path, form)
    spent = process_time() - begin
    gc.unfreeze()
    return spent


@pytest.mark.long
@pytest.mark.parametrize("case", DEEP)
@pytest.mark.parametrize("form", [None, *(name for name in FORMATS if name not in ("brat", "hub"))])
def test_no_step_is_quadratic(tmp_path, form, case):
    """Four times as much nesting takes less than eight times as long, or next to nothing.

    Oracle: the definition. The step that looked at the beginning of a file joined its stack at
    every bracket: 60 kB took 23 seconds.
    """
    small, large = (tmp_path / f"{n}.json" for n in (1, 4))
    for path, times in ((small, 15_000), (large, 60_000)):
        path.write_text(DEEP[case] * times, encoding="utf-8")
    took = seconds(small, form), seconds(large, form)
    assert took[1] < max(8 * took[0], 1), took


@pytest.mark.long
def test_a_zip_that_states_false_sizes(tmp_path, monkeypatch):
    """What an archive says of its sizes is not believed. Oracle: the memory that is taken."""
    path = tmp_path / "a.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.jsonl", bytes(200 << 20))
    data = path.read_bytes()
    stated = (200 << 20).to_bytes(4, "little")
    assert data.count(stated) == 2
    path.write_bytes(data.replace(stated, (1000).to_bytes(4, "little")))
    tracemalloc.start()
    with open_zip(path) as files, pytest.raises(sa.InputError, match="cannot be unpacked"):
        files.read("a.jsonl")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 16 << 20
    with zipfile.ZipFile(path, "w", zipfile.ZIP_BZIP2) as archive:
        archive.writestr("a.jsonl", "{}")
    with refuses(sa.InputError, "… 'a.jsonl' … packed … plain zips"):
        open_zip(path).__enter__()


def test_one_long_line(tmp_path):
    """A text in one line is refused before any of its columns is looked at."""
    (tmp_path / "a.txt").write_text("a " * 500_000, encoding="utf-8")
    begin = process_time()
    with refuses(sa.InputError, "… a.txt:1: 500000 columns"):
        sa.read(tmp_path / "a.txt")
    assert process_time() - begin < 2


@pytest.mark.parametrize("blank", ["", " ", "\u00a0"])
@pytest.mark.parametrize("form", [None, "conll", "dataset"])
def test_a_blank_token_among_the_first_rows(tmp_path, blank, form):
    """A table of tokens in which one is blank is refused, or read; never a traceback."""
    (tmp_path / "k.csv").write_text(f"token,ner\nRome,B-LOC\n{blank},O\n", encoding="utf-8")
    with suppress(sa.SpanAgreeError):
        sa.read(tmp_path / "k.csv", form)
