"""MQM ratings of translations: errors in target or source, raters, and what has no place."""

from __future__ import annotations

import pytest
from messages import refuses

import spanagree as sa
from spanagree.formats.recognise import find_format

HEAD = ["system", "doc", "doc_id", "seg_id", "rater", "source", "target", "category", "severity"]
SOURCE = "Al never ran."


def write(path, *rows, head=HEAD):
    """A file of rows of system, segment, rater, target, category, severity, and maybe source."""
    lines = ["\t".join(head)]
    for system, segment, rater, target, category, severity, *source in rows:
        cells = (
            system,
            "talk",
            segment,
            segment,
            rater,
            *(source or [SOURCE]),
            target,
            category,
            severity,
        )
        lines.append("\t".join(map(str, cells)))
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


ROWS = (
    ("a", 1, "r1", "Al <v>lief</v> nie.", "Accuracy/Mistranslation", "Major"),
    ("a", 1, "r1", "<v>Al lief</v> nie.", "Style/Awkward", "Minor"),
    ("a", 1, "r2", "Al lief nie.", "No-error", "No-error"),
    ("a", 1, "r3", "Al lief <v>nie</v>.", "Fluency/Grammar", "Neutral"),
    ("b", 1, "r1", "Al lief.", "Accuracy/Omission", "Major", "Al <v>never</v> ran."),
    ("b", 1, "r3", "Al lief.", "no-error", ""),
)


def errors(rater, *cells):
    """Rows of errors that a rater found in one segment."""
    return [("a", 1, rater, cell, "X", "Minor") for cell in cells]


def marked(corpus):
    """What stands in each segment, by document and annotator; ``None``: never seen."""
    texts = dict(zip(corpus.ids, corpus.texts, strict=True))
    return {
        document.id: {
            who: spans if spans is None else [(texts[document.id][s.start : s.end], s.label) for s in spans]
            for who, spans in document.segments.items()
        }
        for document in corpus
    }  # fmt: skip


def test_mqm(tmp_path):
    """Raters are annotators, a system's segment is a document, its source one where it is marked."""
    path = write(tmp_path / "ratings.tsv", *ROWS)
    assert find_format(path) == "mqm"
    corpus = sa.read(path)
    assert marked(corpus) == {
        "a/talk/1": {
            "r1": [("Al lief", "Style/Awkward"), ("lief", "Accuracy/Mistranslation")],
            "r2": [],
            "r3": [("nie", "Fluency/Grammar")],
        },
        "b/talk/1": {"r1": [], "r2": None, "r3": []},
        "b/talk/1/source": {"r1": [("never", "Accuracy/Omission")], "r2": None, "r3": []},
    }
    assert corpus.notes == (f"{path}: read as mqm",)
    assert "quotes" not in corpus.reading


def test_sides_and_labels(tmp_path):
    """One side alone, with the errors in the other counted; severity as the label."""
    path = write(tmp_path / "ratings.tsv", *ROWS)
    target = sa.read(path, text="target", feature="severity")
    assert list(marked(target)) == ["a/talk/1", "b/talk/1"]
    assert marked(target)["a/talk/1"]["r3"] == [("nie", "Neutral")]
    assert target.notes == (f"{path}: read as mqm; 1 source error passed over",)
    assert target.reading["read"] == {"text": "target", "feature": "severity"}
    source = sa.read(path, text="source")
    assert marked(source)["b/talk/1/source"]["r1"] == [("never", "Accuracy/Omission")]
    assert marked(source)["a/talk/1/source"] == {"r1": [], "r2": [], "r3": []}
    assert "3 target errors passed over" in source.notes[0]
    for options, message in (
        ({"text": "both"}, "unknown text 'both'; allowed: target, source"),
        ({"feature": "x"}, "unknown feature 'x'; allowed: category, severity"),
    ):
        with pytest.raises(sa.SettingError, match=message):
            sa.read(path, **options)


def test_columns_since_2023(tmp_path):
    """The later names of the columns, among others."""
    head = ["system", "doc", "docSegId", "globalSegId", *HEAD[4:]]
    path = write(tmp_path / "ratings.tsv", *ROWS, head=head)
    assert marked(sa.read(path)) == marked(sa.read(write(tmp_path / "before.tsv", *ROWS)))


QUOTED = '''
"Er sagte ""<v>nein</v>""."     →  Er sagte "nein".       →  nein
"""<v>""</v>Ja."                →  ""Ja.                  →  "
"<v>""Ja""</v>."                →  "Ja".                  →  "Ja"
"<v>Ja</v>"                     →  Ja                     →  Ja
<v>"Ja."</v>                    →  Ja.                    →  Ja.
"Ja" sagte <v>er</v>, "nein"    →  "Ja" sagte er, "nein"  →  er
<v>"</v>Ja                      →  "Ja                    →  "
<v>"</v>                        →  "                      →  "
'''  # a cell, its text, and what is marked in it


@pytest.mark.parametrize("row", QUOTED.strip().splitlines())
def test_quoted_cells(tmp_path, row):
    """A cell that is quoted as in CSV is unquoted, one with quotation marks of its own is not."""
    cell, text, span = map(str.strip, row.split("→"))
    corpus = sa.read(write(tmp_path / "x.tsv", *errors("r1", cell)))
    assert corpus.texts == (text,)
    assert marked(corpus) == {"a/talk/1": {"r1": [(span, "X")]}}


def test_without_a_place(tmp_path):
    """5 errors of r1: without tags, not closed, opened twice, only closed, and one that has a place."""
    unplaced = ["Al lief.", "Al <v>lief.", "Al</v> lief.", "<v>Al <v>lief</v>."]
    path = write(tmp_path / "x.tsv", *errors("r1", *unplaced), *errors("r2", "<v>Al</v> lief."))
    corpus = sa.read(path)
    assert marked(corpus) == {"a/talk/1": {"r1": [("lief", "X")], "r2": [("Al", "X")]}}
    assert corpus.notes == (
        f"{path}: read as mqm; 4 of 6 errors (66.7 %) not aligned and left out, as nothing of the text"
        " is between <v> and </v>",
    )
    rows = sa.agree(corpus).to_rows("annotator")
    assert {row["annotator"]: row["unaligned"] for row in rows} == {"r1": 0.8, "r2": 0.0}


def test_texts_that_differ(tmp_path):
    """The tagged copy repeats what it tags, as in published files: refused, or aligned."""
    changed = ["Al <v>lief</v>lief nie so weit.", "Al lief nie so <v>weit</v>!"]
    path = write(
        tmp_path / "x.tsv",
        ("a", 1, "r1", "Al lief nie so weit.", "No-error", "No-error"),
        *errors("r2", "Al lief nie <v>so weit</v>."),
        *errors("r3", *changed),
    )
    with refuses(
        sa.InputError,
        f"{path}:4 … differs … character 7: 'Al lieflief nie s', not 'Al lief nie so we' … --align",
    ):
        sa.read(path)
    corpus = sa.read(path, align=True)
    assert marked(corpus)["a/talk/1"]["r3"] == [("lief", "X"), ("weit", "X")]
    assert "2 rows with another text of the segment aligned" in corpus.notes[0]
    counts = {"read": 2, "unaligned": 0, "copies": 2, "changed": 2}
    assert corpus.reading["quotes"]["r3"] == counts


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ("\t".join(HEAD), "x.tsv: no rows … No-error"),
        ("\t".join(HEAD) + "\na\tb", "x.tsv:2: 2 cells … 9 … tabs"),
        ("\t".join(HEAD) + "\n" + "\t".join(["a", "b", "1", "1", "-", "s", "t", "c", "s"]).replace("-", ""), "x.tsv:2: no rater"),
        ("system\tdoc\n", "x.tsv:1: columns system, doc … system, doc, rater, source, target, category, severity … seg_id or globalSegId … tabs"),
    ],
)  # fmt: skip
def test_refused(tmp_path, monkeypatch, lines, message):
    """Rows and headers that do not fit, each with its place."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.tsv").write_text(lines, "utf-8")
    with refuses(sa.InputError, message):
        sa.read("x.tsv", format="mqm")


def test_the_example():
    """The made-up file: 4 segments, 2 systems, 3 raters, 16 errors, 2 in a source, counted by hand."""
    corpus = sa.read("corpora/exports/mqm.tsv")
    assert len(corpus) == 4 * 2 + 1
    assert corpus.annotators == ("rater1", "rater2", "rater3")
    segments = [s for d in corpus for spans in d.segments.values() if spans for s in spans]
    assert len(segments) == 15
    assert corpus.reading["quotes"]["rater2"] == {
        "read": 7, "unaligned": 1, "copies": 8, "changed": 0,
    }  # fmt: skip
