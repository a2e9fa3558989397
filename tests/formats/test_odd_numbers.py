"""Odd files end in one line that names the place, whatever is odd in them; none in a traceback."""

from __future__ import annotations

import json

import pytest
from messages import refuses

import spanagree as sa

LONG = "9" * 5000  # more digits than Python reads as a whole number
HEAD = "set,recording_filename,range_onset,range_offset,annotation_filename\n"
PATHS = {"text": "d[*].t", "spans": "d[*].s[*]", "start": "a", "end": "b", "label": "l"}


@pytest.mark.parametrize(
    ("name", "form", "content", "needed"),
    [
        ("x.csv", None, f"onset,offset,label\n{LONG}:00:01,2,x\n", "x.csv:2: time … up to"),
        ("x.csv", None, f"onset,offset,label\n{LONG}.5,2,x\n", "x.csv:2: time … up to"),
        ("x.csv", None, f"{HEAD}ann,a.wav\n", "x.csv:2: 2 cells; the header has 5"),
        ("x.m2", None, f"S Jo met\nA 0 {LONG}|||X|||y|||REQUIRED|||-NONE-|||0\n", "x.m2:2: offset"),
        ("x.labels", "propaganda", f"1\tPER\t0\t{LONG}\n", "x.labels:1: offset"),
        ("x.labels", "propaganda", "1\tPER\t0\t²\n", "x.labels:1: … are needed"),
        ("x.con", None, f'c="jo" 1:0 1:{LONG}||t="X"\n', "x.con:1: place"),
        ("x.csv", None, f"id,class,predictionstring\na,PER,{LONG}\n", "x.csv:2: word"),
        ("x.csv", None, "id,class,predictionstring\na,PER,²\n", "x.csv:2: '²'; indices of words"),
        (
            "x.TextGrid",
            None,
            f'File type = "ooTextFile"\nObject class = "TextGrid"\n\n0\n1\n<exists>\n{LONG}\n',
            "x.TextGrid: number of tiers or segments",
        ),
    ],
)  # fmt: skip
def test_odd_numbers(tmp_path, name, form, content, needed):
    """One line, with the place; ² is no decimal digit."""
    (tmp_path / "x.txt").write_text("Jo met", "utf-8")
    (tmp_path / "article1.txt").write_text("Jo met", "utf-8")
    path = tmp_path / name
    path.write_text(content, "utf-8")
    with refuses(sa.InputError, f"… {needed}"):
        sa.read(path, form)


@pytest.mark.parametrize("annotator", [{"n": "ann"}, ["ann"], [{"n": "ann"}]])
def test_an_annotator_that_is_no_name(tmp_path, annotator):
    """A path to an object or a list is refused where it leads."""
    record = {"t": "Jo met", "who": annotator, "s": [{"a": 0, "b": 2, "l": "X"}]}
    path = tmp_path / "x.json"
    path.write_text(json.dumps({"d": [record]}), "utf-8")
    with refuses(sa.InputError, "… x.json:1: annotator …; a name is needed"):
        sa.read(path, **PATHS, annotator="d[*].who")


def test_many_decimals(tmp_path):
    """A time is exact, however many digits it has. Oracle: 1.9… is rounded to 2 s, half to even."""
    path = tmp_path / "x.csv"
    path.write_text(f"onset,offset,label\n0:01.{LONG},3.0,x\n", "utf-8")
    corpus = sa.read(path, resolution="1s")
    assert corpus[0].segments == {"x.csv": ((2, 3, "x"),)}


def test_nobody_at_places(tmp_path):
    """Without an annotator there is no share at places, and the reason is that of any agreement."""
    path = tmp_path / "x.jsonl"
    path.write_text(
        '{"spanagree":1,"id":"d","offsets":"characters","text":"is the","annotators":{}}\n', "utf-8"
    )
    team = sa.agree(sa.read(path), places="words").team
    assert (team.pairs, team.reason) == (0, "0 annotators; agreement needs two")


@pytest.mark.parametrize(
    "spans", [[{"start": 0, "end": 2, "label": int(LONG[:4000]) ** 2}], {10**5000: ["Jo"]}]
)
def test_a_number_as_a_label(spans):
    """A label that is a number of thousands of digits, as Python has it, is refused in one line."""
    with refuses(sa.InputError, "… row 1…"):
        sa.read([{"x": "Jo met", "s": spans}], text="x", spans="s")
