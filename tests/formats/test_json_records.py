"""JSON a record at a time: the same values as a parser of the whole gives, in little memory."""

from __future__ import annotations

import json
import tracemalloc

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from messages import refuses
from strategies import at_most

import spanagree as sa
from spanagree.formats import json_records as module
from spanagree.formats.json_records import yield_json_records
from spanagree.formats.paths import find_values

quick = at_most(50, suppress_health_check=[HealthCheck.function_scoped_fixture])
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=9,
)


@pytest.mark.long
@given(st.lists(values), st.sampled_from([None, 1]), st.booleans(), st.integers(1, 9))
@quick
def test_lists(tmp_path, monkeypatch, value, indent, ascii_only, piece):
    """The elements of a list, wherever its text is cut; oracle: the parser of the standard library."""
    monkeypatch.setattr(module, "_CHUNK_SIZE", piece)
    path = tmp_path / "a.json"
    path.write_text(json.dumps(value, indent=indent, ensure_ascii=ascii_only), encoding="utf-8")
    records = list(yield_json_records(path))
    assert [record for _, record in records] == value
    assert [location for location, _ in records] == [f"{path}: record {n}" for n in range(1, len(value) + 1)]  # fmt: skip


@pytest.mark.long
@given(st.lists(st.dictionaries(st.text(), values)), st.sampled_from(["\n", "\r\n", "\n\n"]), st.integers(1, 9))  # fmt: skip
@quick
def test_lines(tmp_path, monkeypatch, value, end, piece):
    """The objects in lines, by the numbers of these."""
    monkeypatch.setattr(module, "_CHUNK_SIZE", piece)
    path = tmp_path / "a.jsonl"
    path.write_bytes("".join(json.dumps(each) + end for each in value).encode())
    records = list(yield_json_records(path))
    assert [record for _, record in records] == value
    step = end.count("\n")
    assert [location for location, _ in records] == [
        f"{path}:{1 + step * n}" for n in range(len(value))
    ]


def test_one_object(tmp_path):
    """An object over several lines is one record, and a mark before it is no part of it."""
    path = tmp_path / "a.json"
    path.write_text("\ufeff" + json.dumps({"a": [1, {"b": 2}]}, indent=2))
    assert list(yield_json_records(path)) == [(f"{path}:1", {"a": [1, {"b": 2}]})]
    path.write_text(" ")
    assert list(yield_json_records(path)) == []


GOOD = '{"a": 1}'
ODD = {
    f"[{GOOD}, {GOOD}": "a: record 2: not valid JSON (no ] … cut off)",
    f"[{GOOD}, ": "a: record 2: not valid JSON (… cut off)",
    f'[{GOOD}, {{"a': "a: record 2: not valid JSON (… cut off)",
    f'[{GOOD}, {{"a" 1}}]': "a: record 2: not valid JSON (… ':'",
    f'[{GOOD}, {{"a" 1}}, {GOOD}, {GOOD}]': "a: record 2: not valid JSON (… ':'",
    f"[{GOOD} {GOOD}]": "a: record 1: not valid JSON (no comma",
    f"[{GOOD}] {GOOD}": "a: not valid JSON (more after",
    f'{GOOD}\n{{"a": 1': "a:2: not valid JSON (… cut off)",
    f"{GOOD}\n{{a}}\n" + f"{GOOD}\n" * 9: "a:2: not valid JSON (",
    f"[{'1' * 5000}]": "a: record 1: not valid JSON (a number too long)",
    "[" * 100_000: "a: record 1: not valid JSON (nested too deeply)",
}  # fmt: skip


@pytest.mark.parametrize("text", ODD, ids=range(len(ODD)))
def test_odd(tmp_path, monkeypatch, text):
    """What is not valid, or ends too early, is called by its record or line."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a").write_text(text)
    with refuses(sa.InputError, f"{ODD[text]} … objects are needed"):
        list(yield_json_records("a", "objects are needed"))


def test_early_errors(tmp_path):
    """A fault is said where it is found: the file behind it is not read."""
    path = tmp_path / "a.json"
    path.write_bytes(b"[{]" + b" " * (3 << 20) + b"\xff")
    with pytest.raises(sa.InputError, match="record 1: not valid JSON"):
        list(yield_json_records(path))


@pytest.mark.long
def test_memory(tmp_path):
    """A list of 12 MB takes less than half of that, as its records are let go."""
    path = tmp_path / "a.json"
    path.write_text(json.dumps([{"text": "x" * 1000}] * 12_000))
    tracemalloc.start()
    count = sum(1 for _ in yield_json_records(path))
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert count == 12_000
    assert most < 6 << 20


@pytest.mark.parametrize(
    "text", ['["ann", "bob"]', ' ["ann", "bob"]', '```json\n["ann", "bob"]\n```']
)
def test_a_path_leads_into_a_text(text):
    """A text that holds a list is one, as models write it."""
    assert find_values({"by": text}, "by[*]") == ["ann", "bob"]
