"""Labels that are chosen and renamed, against rows that are filtered by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses

import spanagree as sa
from spanagree.cli.main import main
from spanagree.corpus.other_labels import build_label_map, rename_and_select_labels
from spanagree.corpus.repairs import build_valid_corpus
from spanagree.formats.hugging_face.read import read_raw_dataset

ROWS = st.lists(
    st.lists(st.tuples(st.integers(0, 3), st.integers(4, 6), st.sampled_from("ABCD")), unique=True),
    min_size=2,
    max_size=2,
)


@given(
    ROWS,
    st.none() | st.lists(st.sampled_from("ABCDE"), min_size=1),
    st.dictionaries(st.sampled_from("ABCD"), st.sampled_from("ABCDE")),
)
def test_labels_chosen_and_renamed(rows, labels, new):
    """By hand: rename, keep the labels named, and each segment once."""
    corpus = sa.Corpus.from_segments([6], {"a": [rows[0]], "b": [rows[1]]})
    taken = corpus.with_labels(labels, new or None)
    for name, marked in zip("ab", rows, strict=True):
        renamed = {(s, e, new.get(label, label)) for s, e, label in marked}
        expected = {row for row in renamed if labels is None or row[2] in labels}
        assert {tuple(s) for s in taken[0].segments[name]} == expected
    assert set(taken.labels) <= {new.get(name, name) for name in corpus.labels}
    dropped = sum(len(corpus.layers[name]) - len(taken.layers[name]) for name in "ab")
    assert bool(dropped) <= bool(taken.notes)


def test_note_of_labels():
    """One note: dropped, renamed, merged, and names that nothing has."""
    marked = [(0, 1, "person"), (0, 1, "PER"), (2, 3, "LOC"), (2, 4, "X"), (2, 4, "X2")]
    corpus = sa.Corpus.from_segments([6], {"a": [marked]})
    taken = corpus.with_labels(["PER", "ORG"], {"person": "PER", "place": "LOC"})
    assert taken.notes == (
        "labels: 3 segments (LOC 1, X 1, X2 1) dropped; 1 segment (person as PER 1) read;"
        " 1 segment then the same as another, merged; no segment has ORG, place (there are LOC,"
        " PER, X, X2, person)",
    )
    assert taken.reading == {
        "labels": ["PER", "ORG"],
        "map_labels": {"person": "PER", "place": "LOC"},
    }
    assert "|labels:PER,ORG|map_labels:person=PER,place=LOC|" in sa.agree(taken).signature
    again = taken.with_labels(map_labels={"PER": "P"})
    assert again.reading["map_labels"] == {"person": "P", "place": "LOC", "PER": "P"}
    assert corpus.with_labels().notes == ()


@pytest.mark.parametrize("names", [{"strings": True}, {"text": "text"}])
def test_note_of_labels_of_quotes(names):
    """Strings, and quotes that are not in the text, have labels too."""
    rows = [{"id": "1", "text": "-", "gold": [], "m": [{"text": "Jo", "label": "Q"},
            {"text": "Al", "label": "R"}, {"text": "Bo", "label": ""}]}]  # fmt: skip
    raw = read_raw_dataset(rows, spans={"gold": "gold", "m": "m"}, document="id", **names)
    before = len(raw.notes)
    assert rename_and_select_labels(raw, ["Q"]).notes[before:] == (
        "labels: 2 segments (R 1, no label 1) dropped",
    )
    assert rename_and_select_labels(raw, map_labels={"Q": "S"}).notes[before:] == (
        "labels: 1 segment (Q as S 1) read",
    )
    assert rename_and_select_labels(raw, ["Q", "R", "T"]).notes[before:] == (
        "labels: 1 segment (no label 1) dropped; no segment has T (there are Q, R)",
    )


def test_labels_before_flaws():
    """What is wrong with segments of other labels, or without one, does not matter."""
    corpus = sa.Corpus.from_segments([6], {"a": [[(0, 1, "PER"), (2, 4, "X")]]})
    raw = corpus.to_raw()
    raw.end[1] = 9
    with pytest.raises(sa.InputError, match="ends beyond"):
        build_valid_corpus(raw)
    assert len(build_valid_corpus(rename_and_select_labels(raw, ["PER"])).layers["a"]) == 1
    raw.label[1] = -1
    taken = rename_and_select_labels(raw, ["PER"])
    assert taken.notes == ("labels: 1 segment (no label 1) dropped",)
    assert rename_and_select_labels(raw, map_labels={"X": "Y"}).label.tolist() == [0, -1]


def test_label_map(tmp_path):
    """A mapping, OLD=NEW, or two columns with tabs or commas."""
    expected = {"a,b": "X", "c": "Y"}
    path = tmp_path / "map"
    path.write_text('"a,b",X\n\nc, Y\n')
    assert build_label_map(path) == expected
    path.write_text("a,b\tX\r\nc\tY\n")
    assert build_label_map(str(path)) == build_label_map(expected) == expected
    assert build_label_map("a = X,c=Y") == {"a": "X", "c": "Y"}


NEEDED = "… OLD=NEW"


@pytest.mark.parametrize(
    ("labels", "new", "message"),
    [
        ("PER", None, "labels 'PER' … list … [\"PER\"]"),
        ([], None, 'labels [] … list … ["PER"]'),
        ([3], None, 'labels [3] … list … ["PER"]'),
        (None, {"a": 3}, f"map_labels: ['a', 3] {NEEDED}"),
        (None, "a=", f"map_labels: ['a', ''] {NEEDED}"),
        (None, "a=b,a=c", "map_labels: label 'a' … 'b' and 'c'"),
        (None, "nowhere", "nowhere: no such file"),
        (None, 3, "3 is not a path"),
    ],
)
def test_labels_that_cannot_be(labels, new, message):
    """Errors name the value and what is needed."""
    corpus = sa.Corpus.from_segments([6], {"a": [[]]})
    with refuses(sa.SpanAgreeError, message):
        corpus.with_labels(labels, new)


def test_file_of_three_columns(tmp_path):
    """A line of the file that is not a pair is named."""
    path = tmp_path / "map"
    path.write_text("a,b\nc,d,e\n")
    with refuses(sa.InputError, f"{path}:2: ['c', 'd', 'e'] {NEEDED}"):
        build_label_map(path)
    path.write_text("a,b\nc\rd,e\n", newline="")
    with refuses(sa.InputError, f"{path}:2: ['c\\rd,e'] {NEEDED}"):
        build_label_map(path)


FILES = {
    "a.conll": "Jo B-PER\nran O\nRome B-LOC\n\nAl B-PER\nx B-ORG\n",
    "b.conll": "Jo B-person\nran O\nRome O\n\nAl B-ORG\nx I-ORG\n",
    "t.csv": "item,annotator,label\n1,a,X\n1,b,X\n2,a,X\n2,b,Y\n",
}


@pytest.mark.long
def test_labels_of_commands(tmp_path, monkeypatch, capsys):
    """Every command on spans takes them, also over patterns and workers; tables refuse them."""
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    how = ["--labels", "PER,LOC", "--map-labels", "person=PER", "--scheme", "IOB2"]
    for name, other in (("a", "gold-1"), ("b", "mine-1")):
        (tmp_path / f"{other}.conll").write_text(FILES[f"{name}.conll"])
    lines = set()
    for more in ([], ["--workers", "1"]):
        assert main(["evaluate", "g=gold-*.conll", "m=mine-*.conll", *how, *more]) == 0
        lines.add(capsys.readouterr().out)
    assert len(lines) == 1
    assert "|labels:PER,LOC|map_labels:person=PER|" in lines.pop()
    for command in ("agree", "check", "disagreements", "difficulty", "coefficients --tokens"):
        assert main([*command.split(), "a.conll", "b.conll", *how]) == 0
        assert "ORG" not in capsys.readouterr().out.replace("(ORG 2) dropped", "")
    assert main(["convert", "a.conll", "--labels", "PER", "-o", "o.conll"]) == 0
    assert "ORG" not in (tmp_path / "o.conll").read_text()
    capsys.readouterr()
    assert main(["coefficients", "t.csv", "--labels", "X"]) == 2
    assert (
        "--labels needs --tokens or --attribute: it is for span corpora" in capsys.readouterr().err
    )
