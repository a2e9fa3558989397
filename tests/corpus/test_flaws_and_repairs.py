"""Dirt: what is refused, what each repair does, what a check says."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses

import spanagree as sa
from spanagree.corpus.balance import write_balance_lines
from spanagree.corpus.check import check
from spanagree.corpus.collector import Collector
from spanagree.corpus.edge_spaces import strip_edges
from spanagree.corpus.flaws import FLAWS, REPAIRS
from spanagree.corpus.plain_lists import add_segments
from spanagree.corpus.repairs import apply_repairs, build_valid_corpus, list_steps
from spanagree.corpus.unplaced import UnplacedQuotes
from spanagree.formats.combine import concatenate_parts
from spanagree.formats.hugging_face.read import read_raw_dataset

TEXT = "Jo  is in Rome "  # 15 characters


def draft(*annotations):
    """Annotations (who, id, spans) of one text."""
    rows = [
        {"who": who, "id": id_, "text": TEXT, "spans": [dict(zip(("start", "end", "label"), s, strict=True)) for s in spans]}
        for who, id_, spans in annotations
    ]  # fmt: skip
    return read_raw_dataset(rows, text="text", spans="spans", annotator="who", document="id")


DIRT = {
    # name: the spans of one annotation; the error; for each repair that helps, what is left
    "beyond-text": ([(10, 20, "X"), (16, 18, "X")], "annotator 'a', document '7': segment 10–20 'X' ends beyond … length 15 (and 1 more … --repair clip-beyond-text or --repair drop-beyond-text (repair='clip-beyond-text' or 'drop-beyond-text')", {("drop-beyond-text",): [], ("clip-beyond-text", "drop-beyond-text"): [(10, 15, "X")]}),
    "empty": ([(2, 2, "X")], "annotator 'a', document '7': segment 2–2 'X' is empty … --ends inclusive (ends='inclusive') … --repair drop-empty (repair='drop-empty')", {("drop-empty",): []}),
    "unlabelled": ([(0, 2, ""), (0, 2, None), (4, 6, " ")], "annotator 'a', document '7': segment 0–2 without a label … (and 2 more … --repair drop-unlabelled (repair='drop-unlabelled')", {("drop-unlabelled",): []}),
    "duplicate": ([(0, 2, "X"), (4, 6, "X"), (0, 2, "X"), (0, 2, "Y")], "annotator 'a', document '7': segment 0–2 'X' … twice … --repair drop-duplicates (repair='drop-duplicates')", {("drop-duplicates",): [(0, 2, "X"), (0, 2, "Y"), (4, 6, "X")], ("merge-overlaps",): [(0, 2, "X"), (0, 2, "Y"), (4, 6, "X")]}),
    "reversed": ([(4, 2, "X")], "annotator 'a', document '7': segment 4–2 'X' ends before", {}),
    "negative": ([(-1, 2, "X")], "annotator 'a', document '7': segment -1–2 'X' starts before … from 0", {}),
}  # fmt: skip


@pytest.mark.parametrize("what", DIRT)
def test_dirt(what):
    """Dirt is refused, naming the first case, how many there are, and what would help; it helps."""
    spans, message, repairs = DIRT[what]
    dirty = draft(("a", "7", spans))
    with refuses(sa.InputError, message):
        build_valid_corpus(dirty, list_steps((), "error"))
    for steps, left in repairs.items():
        corpus = build_valid_corpus(dirty, steps)
        assert [tuple(s) for s in corpus[0].segments["a"]] == left
        assert all(any(f"({step})" in note for note in corpus.notes) for step in steps)
        assert corpus.reading["repair"] == [name for name in REPAIRS if name in steps]
        signed = sa.evaluate(
            sa.Corpus(
                corpus.lengths,
                {**corpus.layers, "b": corpus.layers["a"]},
                corpus.labels,
                corpus.offsets,
                reading=corpus.reading,
            ),
            chance="overlapping",
        )
        assert f"|repair:{'+'.join(corpus.reading['repair'])}|" in signed.signature


def test_segments_marked_twice(tmp_path):
    """They are read once, and counted; with other attributes, or on request, they are refused."""
    spans = [(0, 2, "X"), (4, 6, "X"), (0, 2, "X"), (0, 2, "Y"), (0, 2, "X")]
    corpus = build_valid_corpus(draft(("a", "7", spans)))
    assert [tuple(s) for s in corpus[0].segments["a"]] == [(0, 2, "X"), (0, 2, "Y"), (4, 6, "X")]
    note = "2 segments read once: annotator 'a', document '7': segment 0–2 'X' stands twice (and 1 more like it)"
    assert note in corpus.notes
    assert "repair" not in corpus.reading
    (line,) = write_balance_lines(apply_repairs(draft(("a", "7", spans)), ()).balance)
    assert line == "5 segments in the source: 3 read, 2 repeated segments"
    rows = [{"text": TEXT, "a": [{"start": 0, "end": 2, "label": "X"}] * 2, "b": []}]
    assert len(sa.read(rows, text="text", spans={"a": "a", "b": "b"}).layers["a"]) == 1
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    for source in (rows, path):
        with refuses(sa.InputError, "annotator 'a', … segment 0–2 'X' stands twice; …"):
            sa.read(source, text="text", spans={"a": "a", "b": "b"}, repeats="error")
    with refuses(sa.SettingError, "unknown repeats 'twice'; allowed: once, error"):
        sa.read(rows, text="text", spans={"a": "a", "b": "b"}, repeats="twice")
    one, other = ({"spanagree": 1, "id": "1", "offsets": "tokens", "length": 5, "annotators": {"a": [
        {"start": 0, "end": 2, "label": "X", "attributes": {"sure": sure}} for sure in pair]}}
        for pair in (("yes", "yes"), ("yes", "no")))  # fmt: skip
    path.write_text(json.dumps(one), "utf-8")
    assert len(sa.read(path).layers["a"]) == 1
    path.write_text(json.dumps(other), "utf-8")
    with refuses(sa.InputError, "… segment 0–2 'X' stands twice; --repair drop-duplicates …"):
        sa.read(path)


def test_relations_of_segments_marked_twice(tmp_path):
    """A relation to the second one is one to the first."""
    (tmp_path / "a.txt").write_text("Jo met Al", "utf-8")
    (tmp_path / "a.ann").write_text(
        "T1\tP 0 2\tJo\nT2\tP 7 9\tAl\nT3\tP 0 2\tJo\nR1\tmet Arg1:T3 Arg2:T2\n", "utf-8"
    )
    corpus = sa.read(tmp_path)
    (layer,) = corpus.layers.values()
    assert len(layer) == 2
    assert [(first, second) for first, second, *_ in layer.details.yield_relations()] == [(0, 1)]


def test_repeats():
    """A document and annotator met again: refused, or the first stays, with its segments."""
    dirty = draft(("a", "7", [(0, 2, "X")]), ("b", "7", []), ("a", "7", [(4, 6, "X")]))
    with refuses(
        sa.InputError,
        "annotator 'a', document '7' … second time … --repair drop-repeats or --repair latest (repair='drop-repeats' or 'latest') … name the annotators",
    ):
        build_valid_corpus(dirty)
    corpus = build_valid_corpus(dirty, "drop-repeats")
    assert corpus[0].segments == {"a": (sa.Segment(0, 2, "X"),), "b": ()}
    assert corpus.notes == (
        "1 annotation of a document and annotator met before dropped, the first stays"
        " (drop-repeats)",
    )


@pytest.mark.parametrize(
    ("times", "left"),
    [((3.0, 7.5, 5.0), 1), ((None, None, None), 2), ((5.0, None, 5.0), 2), ((None, 0.0, None), 1)],
)
def test_latest(times, left):
    """The latest stays; of equal times the last in the source; one without a time is the oldest."""
    collector = Collector("characters")
    document = collector.add_document("7", "here", text=TEXT)
    for start, when in enumerate(times):
        annotation = collector.add_annotation(document, "a", "here", when)
        collector.add_segment(annotation, start, start + 1, "X", "here")
    add_segments(collector, document, "b", [], "here")
    raw = collector.build_raw_corpus({})
    corpus = build_valid_corpus(raw, "latest")
    assert corpus[0].segments == {"a": (sa.Segment(left, left + 1, "X"),), "b": ()}
    assert corpus.notes == (
        "2 annotations of a document and annotator with a later one dropped (latest)",
    )
    apart = [raw, collector.build_raw_corpus({})]  # in two files: joined with their times
    again = concatenate_parts({"one": apart[0], "two": apart[1]}, repeats=True)
    assert build_valid_corpus(again, "latest")[0].segments == corpus[0].segments


def test_spaces_and_overlaps():
    """What is merely odd is left alone, and mended on request."""
    dirty = draft(("a", "7", [(0, 4, "X"), (3, 6, "X"), (5, 9, "X"), (9, 15, "Y"), (2, 4, "Z")]))
    corpus = build_valid_corpus(dirty, ["strip-space", "drop-empty", "merge-overlaps"])
    assert [tuple(s) for s in corpus[0].segments["a"]] == [(0, 2, "X"), (4, 9, "X"), (10, 14, "Y")]
    assert corpus.notes == (
        "4 segments freed from white space at the edges (strip-space)",
        "1 empty segment dropped (drop-empty)",
        "1 segment merged with one of the same label (merge-overlaps)",
    )
    assert len(build_valid_corpus(dirty).layers["a"]) == 5


def test_spaces_of_tokens():
    """Blank tokens at an edge are white space too."""
    corpus = sa.Corpus.from_segments([3], {"a": [[(0, 3, "X")]]})
    corpus = sa.Corpus(corpus.lengths, corpus.layers, corpus.labels, tokens=(" ", "x", ""))
    mended = build_valid_corpus(corpus.to_raw(), "strip-space")
    assert mended[0].segments["a"] == (sa.Segment(1, 2, "X"),)


@given(st.data())
def test_blank_tokens(data):
    """Segments lose the blank tokens at their edges, and others stay, also those beyond the text.

    Oracle: each token of each segment is looked at.
    """
    sizes = data.draw(st.lists(st.integers(0, 4), min_size=1, max_size=3))
    total = sum(sizes)
    tokens = data.draw(
        st.lists(st.sampled_from(["x", " ", "", "\t"]), min_size=total, max_size=total)
    )
    ends = st.tuples(st.integers(0, len(sizes) - 1), st.integers(-1, 5), st.integers(-1, 6))
    rows = data.draw(st.lists(ends, max_size=6))
    document, start, end = np.array(rows, np.int64).reshape(-1, 3).T
    empty = sa.Corpus.from_segments(sizes, {"a": [[] for _ in sizes]})
    empty = sa.Corpus(empty.lengths, empty.layers, empty.labels, tokens=tuple(tokens)).to_raw()
    zero = np.zeros(len(rows), np.int64)
    raw = replace(empty, annotation=document, start=start, end=end, label=zero, labels=("X",))
    expected = []
    for d, low, high in rows:
        own = tokens[sum(sizes[:d]) :][: sizes[d]]
        inside = own[low:high] if 0 <= low < high else []
        words = [low + k for k, token in enumerate(inside) if token.strip()]
        none = low + len(inside), max(high - len(inside), low + len(inside))
        kept = (words[0], high - (low + len(inside) - 1 - words[-1])) if words else none
        expected.append(kept if inside else (low, high))
    assert list(zip(*(x.tolist() for x in strip_edges(raw)), strict=True)) == expected


def test_unknown_repair():
    """An unknown repair is refused, and the known ones named."""
    with refuses(sa.SettingError, f"unknown repair 'fix'; allowed: {', '.join(REPAIRS)}"):
        build_valid_corpus(draft(("a", "7", [])), "fix")


spans = st.tuples(st.integers(-2, 18), st.integers(-2, 18), st.sampled_from(["X", "Y", "", None]))
dirty_annotations = st.lists(
    st.tuples(st.sampled_from("ab"), st.sampled_from("78"), st.lists(spans, max_size=5)), min_size=1
)


@given(dirty_annotations)
def test_all_repairs_make_a_corpus(annotations):
    """With all repairs, only what has no repair is refused; a corpus is made of the rest."""
    rows = draft(*annotations)
    offsets = [(s, e) for _, _, of in annotations for s, e, _ in of]
    try:
        corpus = build_valid_corpus(rows, list(REPAIRS))
    except sa.InputError:
        assert any(s < 0 or e < s for s, e in offsets)
        return
    assert check(corpus.to_raw()).errors == 0
    # repaired once is repaired: nothing is left to do
    assert build_valid_corpus(corpus.to_raw(), list(REPAIRS)) == corpus


@given(dirty_annotations)
def test_check_and_corpus_agree(annotations):
    """A check finds errors exactly where a corpus cannot be made."""
    rows = draft(*annotations)
    result = check(rows)
    try:
        build_valid_corpus(rows)
    except sa.InputError:
        assert result.errors > 0
    else:
        assert result.errors == 0
    assert [f.error for f in result.findings] == sorted((f.error for f in result.findings), reverse=True)  # fmt: skip
    for finding in result.findings:
        if finding.name in FLAWS:
            assert finding.count == len(finding.places)


def test_findings():
    """Every kind of finding, with annotator, document and offsets."""
    rows = draft(
        ("ann", "7", [(0, 2, "PER"), (0, 2, "PER"), (1, 5, "per"), (10, 14, "LOC"), (11, 13, "LOC")]),
        ("ann", "7", [(3, 20, "")]),
        ("bob", "7", []),
        ("bob", "8", [(4, 4, "PER"), (6, 5, "PER"), (-1, 2, "PER")]),
    )  # fmt: skip
    result = check(rows)
    found = {f.name: (f.error, f.count) for f in result.findings}
    assert found == {
        "repeated": (True, 1),
        "negative": (True, 1),
        "reversed": (True, 1),
        "beyond-text": (True, 1),
        "empty": (True, 1),
        "unlabelled": (True, 1),
        "duplicate": (True, 1),
        "same-label-overlap": (False, 1),
        "nested": (False, 2),
        "crossing": (False, 1),
        "edge-space": (False, 2),
        "cuts-word": (False, 3),
        "marked-nothing": (False, 1),
        "overlap": (False, 3),
        "label-of-one": (False, 1),
        "alike-labels": (False, 1),
    } | {name: found[name] for name in ("nested", "edge-space", "cuts-word", "overlap", "label-of-one")}  # fmt: skip
    duplicate = next(f for f in result.findings if f.name == "duplicate")
    assert duplicate.places == (
        {"annotator": "ann", "document": "7", "start": 0, "end": 2, "label": "PER"},
    )
    assert duplicate.repairs == ("drop-duplicates",)
    assert result.contents["documents"] == 2
    assert result.coverage == {1: 1, 2: 1}  # ann is one annotator, though she saw 7 twice
    assert result.annotators[0]["documents"] == 1
    assert result.annotators[1] == {
        "annotator": "bob",
        "documents": 2,
        "marked_nothing": 1,
        "segments": 3,
        "labels": {"PER": 3},
    }


def test_overlap_is_counted_without_duplicates():
    """A duplicate is a finding of its own, not an overlap."""
    rows = draft(("a", "7", [(0, 2, "X"), (0, 2, "X"), (4, 6, "Y")]))
    assert [f.name for f in check(rows).findings] == ["duplicate"]


def test_names_that_look_the_same():
    """Names that differ in outer space or composed characters alone are found, of all kinds."""
    composed, apart = "Zo\u00eb", "Zoe\u0308"
    rows = draft(
        (composed, "7", [(0, 2, "caf\u00e9"), (3, 4, "a_b")]),
        (apart, "7\u00a0", [(0, 2, "cafe\u0301"), (3, 4, "A b")]),
        ("bob", "8", [(0, 2, "X"), (3, 4, "X ")]),
        ("Bob", "8", []),
    )
    findings = [f for f in check(rows).findings if f.name.startswith("alike")]
    only = "differ in outer space or the form of Unicode only"
    assert [(f.name, f.first) for f in findings] == [
        ("alike-labels", "labels 'A b', 'a_b' differ in case or punctuation only"),
        ("alike-labels", f"labels 'X', 'X ' {only}"),
        ("alike-labels", f"labels 'cafe\u0301', 'caf\u00e9' {only}"),
        ("alike-names", f"annotators '{composed}', '{apart}' {only}"),
        ("alike-names", "annotators 'bob', 'Bob' differ in case only"),
        ("alike-names", f"documents '7', '7\\xa0' {only}"),
    ]
    assert findings[-1].places == ({"document": "7"}, {"document": "7\u00a0"})
    assert not any(finding.error for finding in findings)
    assert "nothing odd found" in check(draft(("a", "7", []))).to_text()  # but a note
    space = check(draft(("a", "7", [(0, 3, "X")]))).to_text()  # at an edge
    assert space.count("0 kinds of error, 1 kind of warning") == 1
    twice = check(draft(("a", "7", [(0, 3, "X")]), ("a", "7", []))).to_text()
    assert "1 kind of error, 1 kind of warning" in twice


def test_kinds_of_findings_are_counted():
    """Findings with one name are of one kind, however many rows they have.

    Oracle: counted by hand. Four labels are used by one annotator each, and two pairs are alike.
    """
    rows = draft(
        ("a", "7", [(0, 2, "PER"), (4, 6, "LOC")]), ("b", "7", [(0, 2, "per"), (4, 6, "loc")])
    )
    found = check(rows)
    names = [finding.name for finding in found.findings if finding.level == "warning"]
    assert sorted(names) == ["alike-labels"] * 2 + ["label-of-one"] * 4
    assert "\n0 kinds of error, 2 kinds of warning\n" in found.to_text()


def test_lengths_of_what_is_not_reversed():
    """A span that ends before it starts is a finding, and not a length below 0."""
    assert check(draft(("a", "7", [(9, 1, "X"), (0, 3, "X")]))).contents["segment_length"] == [
        3,
        3,
        3,
    ]


def test_hint_on_overlaps():
    """The hint names the chance model that is taken, which allows all of the overlaps."""
    for label, chance in (("Y", "per-label"), ("X", "overlapping")):
        result = check(draft(("a", "7", [(0, 2, "X"), (1, 4, label)])))
        (finding,) = (f for f in result.findings if f.name == "overlap")
        assert finding.first == (
            f"1 annotation with segments that overlap: chance is {chance} unless another is named,"
            " and measures that pair or share tokens may not take them"
        )


def test_ill_formed_tags_by_kind():
    """Ill-formed tags are found by layer and by what is wrong with them."""
    corpus = sa.from_tags({"a": [["B-X", "E-X", "I-X", "O", "S-X", "B-X", "O"]]})
    findings = [f for f in check(corpus.to_raw()).findings if f.name == "ill-formed-tag"]
    assert {f.places[0]["kind"]: f.count for f in findings} == {
        "I- continues no segment of its label": 1,
        "I- is not followed by one of its label": 1,
        "B- is not followed by one of its label": 1,
    }


def test_cutting_tokens():
    """A segment that cuts a token is an error, or taken as asked, counted and listed."""
    corpus = sa.Corpus.from_segments(
        [15],
        {"a": [[(0, 3, "X"), (5, 9, "Y"), (4, 9, "Y"), (11, 13, "Z"), (2, 4, "W")]]},
        offsets="characters",
        texts=[TEXT],
    )
    with refuses(
        sa.InputError,
        "annotator 'a', document '1': segment 2–4 'W' cuts a token … (and 2 more … --cut expand or --cut contract or --cut drop (cut='expand' or 'contract' or 'drop')",
    ):
        corpus.to_tokens()
    left = {
        "expand": [(0, 1, "X"), (1, 3, "Y"), (3, 4, "Z")],
        "contract": [(0, 1, "X"), (1, 3, "Y"), (2, 3, "Y")],
        "drop": [(0, 1, "X"), (1, 3, "Y")],
    }
    for cut, segments in left.items():
        tokens = corpus.to_tokens(cut=cut)
        assert [tuple(s) for s in tokens[0].segments["a"]] == segments, cut
        gone = sum(change.after is None for change in tokens.changes)
        assert len(tokens.layers["a"]) == len(corpus.layers["a"]) - gone
        assert any(f"({cut})" in note for note in tokens.notes)
        assert tokens.reading["cut"] == cut
    changes = corpus.to_tokens(cut="expand").changes
    assert ("duplicate", sa.Segment(5, 9, "Y")) in [(c.kind, c.before) for c in changes]
    with pytest.raises(sa.SettingError, match="unknown cut 'x'; allowed: error, expand, contract"):
        corpus.to_tokens(cut="x")
    with refuses(sa.InputError, "document '1': token 'was' … character 2"):
        corpus.to_tokens(lambda text: ["Jo", "was"])
    bare = sa.Corpus.from_segments(
        [6], {"a": [[(0, 6, "X")]]}, offsets="characters", texts=["Rome!,"]
    )
    with pytest.raises(sa.InputError, match="cuts a token, or has none"):
        bare.to_tokens(lambda text: ["Rome"])
    assert bare.to_tokens(lambda text: ["Rome"], cut="expand").changes[0].after == (0, 1, "X")
    for wrong in (None, [3]):
        with pytest.raises(sa.InputError, match="document '1': "):
            corpus.to_tokens(lambda text, wrong=wrong: wrong)
    pairs = corpus.to_tokens(lambda text: [(0, 2), (4, 6)], cut="drop")
    assert pairs.tokens == ("Jo", "is")
    assert pairs.token_starts.tolist() == [0, 4]


def test_texts_are_checked():
    """Texts and token starts have to fit the documents."""
    for make, message in (
        (lambda: sa.Corpus([2], {}, (), texts=("a", "b")), "2 texts … 1 document"),
        (lambda: sa.Corpus([2], {}, (), "characters", texts=("a",)), "document '1': 1 character … 2"),
        (lambda: sa.Corpus([1], {}, (), tokens=("a",), token_starts=np.array([0, 1])), "2 token_starts … 1 token"),
    ):  # fmt: skip
        with refuses(sa.InputError, message):
            make()


def test_repairs_with_commas():
    """Python takes repairs as the command line does, and refuses an unknown one by its name."""
    path = Path(__file__).parents[2] / "corpora" / "crowd" / "crowd.jsonl"
    both = "drop-empty,drop-repeats"
    assert sa.read(path, repair=both) == sa.read(path, repair=both.split(","))
    with pytest.raises(sa.SettingError, match="unknown repair 'x'"):
        sa.read(path, repair="drop-empty,x")


def test_relation_across_documents():
    """No file of ours can say it, but a reader may: the message has the place and the repair."""
    collector = Collector("tokens", ["ann"])
    for d in range(2):
        collector.add_document(d, f"document {d}", length=9)
        add_segments(collector, d, "ann", [(0, 1, "X")], f"file.ann:{d + 1}")
    collector.details.add_relation(0, 1, "causes", "file.ann:3", True)
    raw = collector.build_raw_corpus({}, numbered=True)
    with refuses(
        sa.InputError,
        "file.ann:3: relation 'causes' … two documents or annotators … --repair drop-relations (repair='drop-relations')",
    ):
        build_valid_corpus(raw)
    assert build_valid_corpus(raw, ["drop-relations"]).relations == ()


def rows(*passes, relations=(), **more):
    """The rows of one annotator's passes over a text, and of relations by numbers of segments."""
    collector = Collector(more.pop("offsets", "characters"), ["ann"])
    for number in range(2):
        content = {"length": 15} if collector.offsets != "characters" else {"text": TEXT}
        collector.add_document(number, f"x:{number}", **content)
    for number, spans in enumerate(passes):
        add_segments(collector, 0, "ann", spans, f"x:{number}")
    add_segments(collector, 1, "ann", [(0, 2, "Z")], "x:9")
    for first, second in relations:
        collector.details.add_relation(first, second, "r", "x:8", True)
    return collector.build_raw_corpus({}, numbered=True).replace(**more)


X, Y = (0, 2, "X"), (4, 6, "X")
QUOTE = UnplacedQuotes.from_texts([0], [""], ["Al"], "characters")
CASES = {
    "repeated": rows([X], [Y]),
    "misplaced": rows([X], quote=np.array([0, -1]), quotes=("Rome",)),
    "negative": rows([(-1, 2, "X")]),
    "reversed": rows([(4, 2, "X")]),
    "beyond-text": rows([X, (10, 20, "X")]),
    "empty": rows([X, (4, 4, "X")]),
    "unlabelled": rows([X, (4, 6, "")]),
    "unlabelled-quote": rows([X], unplaced=QUOTE),
    "pieces": rows([([(0, 3), (2, 5)], "X")]),
    "relation-missing": rows([X, Y], relations=[(0, None)]),
    "relation-across": rows([X, Y], relations=[(0, 2)]),
    "relation-itself": rows([X, Y], relations=[(0, 0)]),
    "relation-twice": rows([X, Y], relations=[(0, 1), (0, 1)]),
    "duplicate": rows([X, X]),
    "same-label-overlap": rows([X, (1, 6, "X")]),
    "nested": rows([(0, 6, "X"), (1, 3, "Y")]),
    "crossing": rows([(0, 3, "X"), (1, 6, "Y")]),
    "edge-space": rows([(0, 3, "X")]),
    "cuts-word": rows([(0, 1, "X")]),
    "marked-nothing": rows([]),
}
"""Rows with each flaw; a segment of a second document has none."""


@pytest.mark.parametrize("name", FLAWS)
def test_each_flaw(name):
    """It is found where it is, an error is refused, and each repair that it names ends it.

    Oracle: the rows, of which nothing else is wrong. Points are widened in recordings alone.
    """
    flaw, raw = FLAWS[name], CASES[name]
    assert flaw.find_cases(raw).any()
    findings = {finding.name: finding for finding in check(raw).findings}
    assert findings[name].error is flaw.is_error
    assert findings[name].first.startswith(flaw.describe(raw, int(flaw.find_cases(raw).argmax())))
    message = ""
    if flaw.is_error:
        with pytest.raises(sa.InputError) as error:
            build_valid_corpus(raw, list_steps((), "error"))
        message = str(error.value)
    else:
        assert check(raw).errors == 0
        assert findings[name].repairs == ()
    for repair in flaw.repairs:
        is_of_times = repair == "widen-points"
        assert (f"--repair {repair}" in message) is (flaw.is_error and not is_of_times)
        seconds = {"offsets": "1ms", "texts": None} if is_of_times else {}
        fixed = apply_repairs(raw.replace(**seconds), [repair])
        assert not (flaw.find_errors if flaw.is_error else flaw.find_cases)(fixed).any()
        assert f"({repair})" in fixed.notes[-1]


def test_errors_come_first():
    """A check lists what is refused before what is odd; a repair of both flaws is one."""
    names = [finding.name for finding in check(rows([(0, 3, "X"), (-2, 0, "X")])).findings]
    assert names[0] == "negative"
    assert "edge-space" in names
    assert FLAWS["relation-twice"].repairs is FLAWS["relation-itself"].repairs
    assert next(iter(REPAIRS)) == "join-pieces"


def test_remedies_are_options():
    """Messages name a remedy as the command line and Python take it, and say what is needed."""
    layers = {"a": [[([(0, 1), (3, 4)], "X"), ([(0, 1), (5, 6)], "X")]], "b": [[]]}
    corpus = sa.Corpus.from_segments([9], layers)
    kept = "--discontinuous hull … (discontinuous='hull' or 'split' or 'drop')"
    with refuses(sa.SettingError, f"annotator 'a' … needed for labels of tokens: read with {kept}"):
        sa.token_labels(corpus)
    with refuses(sa.SettingError, f"match overlap … or read with {kept}"):
        sa.agree(corpus, match="overlap", chance="nonoverlapping")
    with refuses(
        sa.SettingError, "annotator 'a' … have pieces that overlap … --match exact (match"
    ):
        sa.agree(corpus, match="token")
