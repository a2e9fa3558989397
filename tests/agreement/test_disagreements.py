"""Disagreements of two annotators: a worked example, what must hold on all input, what is refused."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses

import spanagree as sa
from spanagree.comparisons.pairing import KINDS, OUTCOMES
from spanagree.results.frame import TableStyle
from spanagree.results.text import render

# twenty sentences of ten tokens: (what A marked, what B marked, the pairs by hand)
EXAMPLE = [
    ([(0, 2, "P")], [(0, 2, "P")], [("match", 0, 0)]),
    ([(0, 2, "P")], [(0, 2, "L")], [("label", 0, 0)]),
    ([(0, 2, "P")], [(0, 3, "P")], [("boundary", 0, 0)]),
    ([(0, 2, "P")], [(1, 3, "L")], [("boundary+label", 0, 0)]),
    ([(0, 2, "P")], [], [("missed", 0, None)]),
    ([], [(0, 2, "P")], [("spurious", None, 0)]),
    ([], [], []),
    ([(0, 2, "P")], [(2, 4, "P")], [("missed", 0, None), ("spurious", None, 0)]),  # they touch
    # the largest overlap wins: 3–8 shares four with 0–7, one with 7–9
    ([(0, 7, "P"), (7, 9, "P")], [(3, 8, "P")], [("boundary", 0, 0), ("missed", 1, None)]),
    # two for one: the second half is spurious
    ([(0, 6, "P")], [(0, 4, "P"), (4, 6, "P")], [("boundary", 0, 0), ("spurious", None, 1)]),
    # of equal overlaps the same label: 2–6 shares two with either
    ([(2, 6, "L")], [(0, 4, "P"), (4, 8, "L")], [("spurious", None, 0), ("boundary", 0, 1)]),
    # of equal overlaps and labels the least that only one covers
    ([(3, 7, "P")], [(0, 5, "P"), (5, 8, "P")], [("spurious", None, 0), ("boundary", 0, 1)]),
    # all equal: the first in the text
    ([(2, 6, "P")], [(0, 4, "P"), (4, 8, "P")], [("boundary", 0, 0), ("spurious", None, 1)]),
    # an exact match takes its partner from a larger one over it
    ([(0, 5, "P"), (1, 3, "P")], [(1, 3, "P")], [("missed", 0, None), ("match", 1, 0)]),
    # the same boundaries before a larger overlap
    ([(0, 3, "P"), (0, 9, "P")], [(0, 3, "L"), (0, 8, "P")], [("label", 0, 0), ("boundary", 1, 1)]),
    # three labels on one span: those of the same label, then in the order of the labels
    ([(0, 2, "L"), (0, 2, "P")], [(0, 2, "O"), (0, 2, "P")], [("label", 0, 0), ("match", 1, 1)]),
    ([(0, 2, "L"), (0, 2, "O")], [(0, 2, "P")], [("label", 0, 0), ("missed", 1, None)]),
    # nested on either side
    ([(0, 9, "P"), (2, 4, "L")], [(1, 9, "P"), (2, 5, "L")], [("boundary", 0, 0), ("boundary", 1, 1)]),
    ([(0, 4, "P"), (5, 9, "L")], [(0, 4, "P"), (5, 9, "L")], [("match", 0, 0), ("match", 1, 1)]),
    # a chain: 1–4 with 2–6 share two as 4–8 with 2–6; the smaller one is nearer
    ([(1, 4, "P"), (4, 8, "P")], [(2, 6, "P")], [("boundary", 0, 0), ("missed", 1, None)]),
]  # fmt: skip
COUNTS = {"match": 5, "missed": 6, "spurious": 6, "boundary": 10, "label": 4, "boundary+label": 1}


def example():
    a, b, _ = zip(*EXAMPLE, strict=True)
    return sa.Corpus.from_segments([10] * len(EXAMPLE), {"ann": a, "bob": b})


def test_twenty_sentences():
    """Every pair, as written down by hand; matches have no row."""
    result = sa.disagreements(example(), "ann", "bob")
    assert result.counts == COUNTS
    found = [(row.document, row.kind, row.a, row.b) for row in result]
    by_hand = [
        (
            str(d + 1),
            kind,
            None if i is None else sa.Segment(*sorted(a)[i]),
            None if j is None else sa.Segment(*sorted(b)[j]),
        )
        for d, (a, b, pairs) in enumerate(EXAMPLE)
        for kind, i, j in pairs
        if kind != "match"
    ]
    assert found == by_hand
    assert len(result) == len(found) == sum(COUNTS.values()) - COUNTS["match"]
    assert result.documents == 20


def test_confusion_of_the_twenty():
    """Cells by hand: the labels of each pair above, nothing in the last row and column."""
    result = sa.confusion(example(), "ann", "bob")
    assert result.labels == ("L", "O", "P")
    assert result.matrix.tolist() == [[3, 1, 1, 0], [0, 0, 0, 1], [3, 0, 12, 5], [0, 0, 6, 0]]
    assert {"a": None, "b": "P", "count": 6, "signature": result.signature} in result.to_rows()
    assert sum(row["count"] for row in result.to_rows()) == sum(COUNTS.values())
    assert result.to_dict()["tables"]["cells"][0] == {"a": "L", "b": "L", "count": 3}
    assert result.signature.startswith("between:ann,bob|offsets:tokens|spec:1.0|spanagree:")


def test_a_label_called_nothing():
    """A user's label of any name is not taken for what was not marked."""
    corpus = sa.Corpus.from_segments([4], {"a": [[(0, 1, "nothing")]], "b": [[(2, 3, "None")]]})
    result = sa.confusion(corpus, "a", "b")
    assert result.labels == ("None", "nothing")
    assert result.matrix.tolist() == [[0, 0, 0], [0, 0, 1], [1, 0, 0]]
    assert [(row["a"], row["b"]) for row in result.to_rows()] == [("nothing", None), (None, "None")]


# --- what must hold on all input ----------------------------------------------------------------

LENGTH = 12
segment = st.tuples(st.integers(0, LENGTH - 1), st.integers(1, 6), st.sampled_from("LOP")).map(
    lambda x: (x[0], min(x[0] + x[1], LENGTH), x[2])
)
layer = st.lists(st.none() | st.lists(segment, max_size=6, unique=True), min_size=3, max_size=3)


def flat(of):
    """Without self-overlap, which the chance model of evaluate does not allow."""
    kept = []
    for s in sorted(of or ()):
        if not kept or kept[-1][1] <= s[0]:
            kept.append(s)
    return None if of is None else kept


def corpus_of(a, b):
    return sa.Corpus.from_segments([LENGTH] * len(a), {"a": a, "b": b})


def share(a, b):
    return any(x is not None and y is not None for x, y in zip(a, b, strict=True))


@pytest.mark.long
@given(layer, layer)
def test_counts_add_up_to_evaluate(a, b):
    """Every segment in a document that both saw stands in one pair; matches are those of exact."""
    if not share(a, b):
        return
    corpus = corpus_of(a, b)
    counts = sa.disagreements(corpus, "a", "b").counts
    tally = sa.evaluate(corpus, "a", chance="overlapping").systems["b"].tally
    pairs = counts["match"] + counts["label"] + counts["boundary"] + counts["boundary+label"]
    assert counts["match"] == tally.matched
    assert pairs + counts["missed"] == tally.size_a
    assert pairs + counts["spurious"] == tally.size_b
    flats = sa.disagreements(corpus_of([*map(flat, a)], [*map(flat, b)]), "a", "b").counts
    tally = sa.evaluate(corpus_of([*map(flat, a)], [*map(flat, b)])).systems["b"].tally
    assert flats["match"] == tally.matched


@given(layer, layer)
def test_no_pair_is_left(a, b):
    """What is missed and what is spurious in one document overlaps nowhere; kinds say what they mean."""
    if not share(a, b):
        return
    rows = list(sa.disagreements(corpus_of(a, b), "a", "b"))
    alone = {kind: [r for r in rows if r.kind == kind] for kind in ("missed", "spurious")}
    for one in alone["missed"]:
        for other in alone["spurious"]:
            if one.document == other.document:
                assert one.a.end <= other.b.start or other.b.end <= one.a.start
    for row in rows:
        if row.a and row.b:
            assert min(row.a.end, row.b.end) > max(row.a.start, row.b.start)
            assert row.kind == "+".join(
                ["boundary"] * (row.a[:2] != row.b[:2]) + ["label"] * (row.a.label != row.b.label)
            )


@given(layer, layer)
def test_mirror(a, b):
    """Swapping the two swaps missed and spurious, and keeps all else, the order of rows too."""
    if not share(a, b):
        return
    corpus = corpus_of(a, b)
    one, other = sa.disagreements(corpus, "a", "b"), sa.disagreements(corpus, "b", "a")
    swap = {"missed": "spurious", "spurious": "missed"}
    mirrored = [r._replace(kind=swap.get(r.kind, r.kind), a=r.b, b=r.a) for r in other]
    assert list(one) == mirrored
    there, back = sa.confusion(corpus, "a", "b"), sa.confusion(corpus, "b", "a")
    assert there.labels == back.labels
    assert np.array_equal(there.matrix, back.matrix.T)


@given(layer, layer, st.randoms())
def test_order_of_input(a, b, random):
    """Neither the order of segments, nor of documents, nor of layers matters."""
    if not share(a, b):
        return
    expected = sorted(sa.disagreements(corpus_of(a, b), "a", "b"), key=repr)
    order = list(range(len(a)))
    random.shuffle(order)
    shuffled = [
        [None if of[d] is None else random.sample(of[d], len(of[d])) for d in order]
        for of in (b, a)
    ]
    corpus = sa.Corpus.from_segments(
        [LENGTH] * len(a),
        dict(zip("ba", shuffled, strict=True)),
        ids=[str(d + 1) for d in order],
    )
    assert sorted(sa.disagreements(corpus, "a", "b"), key=repr) == expected


@given(layer, layer)
def test_kinds_filter(a, b):
    """The rows of each kind, one kind after the other, are all rows; the counts stay."""
    if not share(a, b):
        return
    corpus = corpus_of(a, b)
    whole = sa.disagreements(corpus, "a", "b")
    parts = [sa.disagreements(corpus, "a", "b", kinds=[kind]) for kind in KINDS]
    assert all(part.counts == whole.counts for part in parts)
    assert [len(part) for part in parts] == [whole.counts[kind] for kind in KINDS]
    assert sorted((r for part in parts for r in part), key=repr) == sorted(whole, key=repr)


# --- texts --------------------------------------------------------------------------------------


def tokens():
    words = [
        "In",
        "March",
        "the",
        "Ministry",
        "of",
        "Inland",
        "Waters",
        "moved",
        "to",
        "Dunlow",
        "near",
        "the",
        "coast",
        ".",
    ]
    corpus = sa.Corpus.from_segments(
        [len(words)], {"a": [[(3, 7, "ORG")]], "b": [[(3, 4, "ORG"), (9, 10, "LOC")]]}
    )
    return replace(corpus, tokens=tuple(words))


def test_texts_of_tokens():
    """Both segments, and five tokens on either side of the two."""
    row, spurious = sa.disagreements(tokens(), "a", "b")
    assert (row.a_text, row.b_text) == ("Ministry of Inland Waters", "Ministry")
    assert (row.before, row.after) == ("In March the", "moved to Dunlow near the")
    assert (spurious.a_text, spurious.b_text) == ("", "Dunlow")
    assert spurious.before == "of Inland Waters moved to"
    rows = sa.disagreements(tokens(), "a", "b").to_rows()
    assert [row["a_text"] for row in rows] == ["Ministry of Inland Waters", None]  # as a_start is


def test_texts_of_characters():
    """Offsets count code points, also beyond the basic plane."""
    text = "😀 Zoë met 北京 friends and many others there, in a café by the river"
    corpus = sa.Corpus.from_segments(
        [len(text)],
        {"a": [[(2, 5, "P")]], "b": [[(10, 12, "L")]]},
        offsets="characters",
        texts=[text],
    )
    one, other = sa.disagreements(corpus, "a", "b")
    assert (one.before, one.a_text, one.after) == ("😀 ", "Zoë", text[5:45])
    assert (other.before, other.b_text) == ("😀 Zoë met ", "北京")
    cut = corpus.to_tokens()
    assert [r.before for r in sa.disagreements(cut, "a", "b")] == ["😀", "😀 Zoë met"]


def test_texts_as_they_stand():
    """Where the places of tokens in the text are known, no spaces are put between them."""
    corpus = sa.Corpus.from_segments(
        [4], {"a": [[(0, 4, "X")]], "b": [[]]}, offsets="characters", texts=["北京大学"]
    ).to_tokens(list)
    (row,) = sa.disagreements(corpus, "a", "b")
    assert row.a_text == "北京大学"


def test_no_text():
    """No word of the text, neither in rows nor in JSON; offsets and labels stay."""
    result = sa.disagreements(tokens(), "a", "b", text=False)
    assert result.notes == ()
    for shown in (json.dumps(result.to_dict()), str(result.to_rows()), str(result)):
        assert "Ministry" not in shown
        assert "ORG" in shown
    assert list(result.to_rows()[0]) == [
        "document", "kind", "a_start", "a_end", "a_label", "b_start", "b_end", "b_label", "signature",
    ]  # fmt: skip


def test_texts_that_are_not_known():
    """Offsets only, and a note."""
    result = sa.disagreements(example(), "ann", "bob")
    assert result.notes == ("the tokens are not known, so rows have offsets only",)
    assert "a_text" not in result.to_rows()[0]
    assert list(result.to_rows()[0]) == list(result.table().types)


def test_documents_not_shared():
    """They are left out, and it is said."""
    corpus = sa.Corpus.from_segments([4, 4], {"a": [[(0, 1, "X")], [(0, 1, "X")]], "b": [[], None]})
    result = sa.disagreements(corpus, "a", "b", text=False)
    assert len(result) == 1
    assert result.notes == ("1 of 2 documents not shared by a and b, left out",)


@pytest.mark.long
def test_many():
    """A hundred thousand segments of each, in one document under a segment as long as it: nothing
    is quadratic."""
    at = np.arange(100_000) * 50
    zero = np.zeros(100_000, np.int64)
    whole = np.array([[0], [0], [5_000_000], [0]])
    seen = np.array([True])
    a = sa.Layer(*np.hstack([np.array([zero, at, at + 6, zero]), whole]), seen)
    b = sa.Layer(*np.array([zero, at + 1, at + 6, zero]), seen)
    corpus = sa.Corpus(np.array([5_000_000]), {"a": a, "b": b}, ("X",))
    counts = sa.disagreements(corpus, "a", "b").counts
    assert counts == {**dict.fromkeys(OUTCOMES, 0), "boundary": 100_000, "missed": 1}


def test_a_terminal_shows_the_first_twenty(monkeypatch):
    """Of 1,001 rows, counted by hand; data and --all have them all."""
    columns = sa.Disagreements._list_column_values
    layers = {"a": [[(2 * i, 2 * i + 1, "X") for i in range(1001)]], "b": [[]]}
    result = sa.disagreements(sa.Corpus.from_segments([2002], layers), "a", "b")
    made = []
    monkeypatch.setattr(
        type(result), "_list_column_values", lambda *at: made.append(at[1]) or columns(*at)
    )
    table = result.table()
    shown = render(table).splitlines()
    assert made == [20]  # no others are made for a terminal
    assert sum("missed" in line for line in shown[4:]) == 20
    assert "981 more: --all" in shown
    assert "2000–2001" not in render(table)
    assert "2000–2001" in render(table, TableStyle(all_columns=True))
    assert len(table.to_rows()) == 1001
    few = sa.Corpus.from_segments([2000], {name: [rows[0][:20]] for name, rows in layers.items()})
    assert sa.disagreements(few, "a", "b").table().in_terminal is None


# --- what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("a", "b", "kinds", "said"),
    [
        ("ann", "eve", None, "unknown annotator 'eve'; allowed: ann, bob"),
        ("ann", "ann", None, "between 'ann' and itself … two annotators"),
        (["ann"], "bob", None, "unknown annotator ['ann']; allowed: ann, bob"),
        ("ann", "bob", ["match"], "unknown kind 'match'; allowed: missed"),
        ("ann", "bob", "labels", "unknown kind 'labels'; allowed: missed"),
    ],
)  # fmt: skip
def test_refused(a, b, kinds, said):
    """Names and kinds that are not there."""
    with refuses(sa.SettingError, said):
        sa.disagreements(example(), a, b, kinds=kinds)


def test_no_shared_document():
    """Two who saw nothing in common."""
    corpus = sa.Corpus.from_segments([4, 4], {"a": [[], None], "b": [None, []]})
    said = "between 'a' and 'b': no document that both saw … spanagree check"
    for function in (sa.disagreements, sa.confusion):
        with refuses(sa.SettingError, said):
            function(corpus, "a", "b")


# --- the command --------------------------------------------------------------------------------


def test_command_is_the_python_result(run, newsroom):
    """JSON, JSON lines and CSV say what Python gives, and a layer may be named as its file."""
    files = [newsroom / "gold.conll", newsroom / "tagger.conll"]
    result = sa.disagreements(sa.read_conll(files), "gold.conll", "tagger.conll")
    asked = ("disagreements", *files, "--between", files[0], "tagger.conll", "--format")
    assert json.loads(run(*asked, "json")[1]) == result.to_dict()
    assert [json.loads(line) for line in run(*asked, "jsonl")[1].splitlines()] == result.to_rows()
    rows = list(csv.DictReader(io.StringIO(run(*asked, "csv")[1])))
    said = [{k: "" if v is None else str(v) for k, v in row.items()} for row in result.to_rows()]
    assert rows == said


def test_empty_states(run, newsroom):
    """Nothing to show is said kindly; CSV keeps its header."""
    gold = newsroom / "gold.conll"
    asked = ("disagreements", gold, f"mine={gold}", "--between", "gold.conll", "mine")
    code, out, _ = run(*asked)
    assert code == 0
    assert out.startswith(
        "no disagreement: gold.conll and mine, 103 sentences, all 166 segments the same\n\nsignature: "
    )
    assert run(*asked, "--format", "csv")[1].startswith("document,kind,a_start,")
    assert run(*asked, "--format", "jsonl")[1] == ""
    code, out, _ = run("disagreements", gold, newsroom / "tagger.conll", "--between", "gold.conll", "tagger.conll",
                       "--kind", "spurious,boundary+label")  # fmt: skip
    assert "of these kinds" in out
    assert "there are 35 missed, 14 boundary, 23 label" in out
    empty = sa.Corpus.from_segments([4], {"a": [[]], "b": [[]]})
    assert str(sa.disagreements(empty, "a", "b")).startswith(
        "no disagreement: a and b, 1 document, neither marked anything\n"
    )


def test_two_layers_need_no_names(run, newsroom):
    """If there are two, these are compared, in their order."""
    command = ("disagreements", newsroom / "gold.conll", newsroom / "tagger.conll")
    assert run(*command) == run(*command, "--between", "gold", "tagger")


def test_refused_commands(run, newsroom, tmp_path):
    """One line on stderr, nothing on stdout, nothing written."""
    gold, tagger = newsroom / "gold.conll", newsroom / "tagger.conll"
    for arguments, code, said in (
        ((gold,), 2, "1 annotator; two are needed; pass a second file; see"),
        ((gold, tagger, "--between", "gold.conll", "eve"), 1, "unknown annotator 'eve'; allowed: gold.conll, tagger.conll"),
        ((gold, tagger, "--between", "gold.conll", "tagger.conll", "--kind", "x"), 1, "unknown kind 'x'; allowed: missed,"),
        ((gold, tagger, "--between", "gold.conll", "tagger.conll", "-o", tmp_path), 1, "is a folder; a file is needed"),
    ):  # fmt: skip
        done, out, err = run("disagreements", *arguments)
        assert (done, out) == (code, "")
        assert said in err
        assert err.count("\n") == 1


def test_hostile_text_in_a_terminal():
    """Nothing of a user's reaches a terminal as it is: names, labels, ids, texts."""
    evil = "\x1b[31m\u202eevil\n"
    corpus = replace(
        sa.Corpus.from_segments(
            [1], {evil: [[(0, 1, f"L{evil}")]], f"b{evil}": [[]]}, ids=[f"d{evil}"]
        ),
        tokens=(f"t{evil}",),
    )
    results = [
        sa.disagreements(corpus, evil, f"b{evil}", kinds=kinds) for kinds in (None, ["label"])
    ]
    shown = "".join(f"{result}\n" for result in results)
    assert all(c.isprintable() or c == "\n" for c in shown)
    # verdicts, captions, heads, signatures and labels on two lines, and what parts them
    assert shown.count("\n") == 22


def test_pieces():
    """The same hull with other pieces has other boundaries; rows and tables have the pieces."""
    layers = {
        "a": [[([(0, 2), (5, 6)], "X"), ([(7, 8), (9, 10)], "Y")]],
        "b": [[([(0, 2), (4, 6)], "X"), ([(7, 8), (9, 10)], "Y")]],
    }
    found = sa.disagreements(sa.Corpus.from_segments([12], layers), "a", "b")
    (row,) = found
    assert (row.kind, row.a.pieces, row.b.pieces) == (
        "boundary",
        ((0, 2), (5, 6)),
        ((0, 2), (4, 6)),
    )
    assert found.counts["match"] == 1
    assert "0–2; 5–6" in str(found)


SPANS = [(0, 1, "P"), (2, 3, "P"), (4, 5, "L")]


def linked(a, b):
    """Two annotators of the same three segments, and their relations."""
    links = {"a": [a], "b": [b]}
    return sa.Corpus.from_segments([6], {x: [SPANS] for x in links}, relations=links)


@pytest.mark.parametrize(
    ("a", "b", "kinds"),
    [
        ([(0, 1, "r")], [(0, 1, "r")], []),
        ([(0, 1, "r")], [(1, 0, "r")], ["direction"]),
        ([(0, 1, "r")], [(0, 1, "s")], ["label"]),
        ([(0, 1, "r")], [(1, 0, "s")], ["label"]),
        ([(0, 1, "r")], [(0, 2, "r")], ["argument"]),
        ([(0, 1, "r")], [(2, 1, "r")], ["argument"]),
        ([(0, 1, "r")], [(1, 2, "s")], ["missed", "spurious"]),
        ([(0, 1, "r"), (0, 2, "r")], [(0, 1, "r"), (2, 0, "r")], ["direction"]),
    ],
)
def test_kinds_of_relations(a, b, kinds):
    """What differs in each pair: worked out by hand."""
    corpus = linked(a, b)
    found = sa.agreement.relation_disagreements(corpus, "a", "b")
    assert [row.kind for row in found] == kinds
    assert len(found.to_rows()) == len(kinds)
    free = sa.agreement.relation_disagreements(corpus, "a", "b", undirected=["r"])
    assert [row.kind for row in free] == [x for x in kinds if x != "direction"]


some_links = st.lists(
    st.tuples(st.integers(0, 2), st.integers(0, 2), st.sampled_from("rs")).filter(
        lambda x: x[0] != x[1]
    ),
    max_size=5,
    unique=True,
)


@pytest.mark.long
@given(some_links, some_links)
def test_each_relation_once(a, b):
    """Every relation is in one pair; the same are those that F1 counts; turned, missed is spurious."""
    if not (a or b):
        return
    corpus = linked(a, b)
    found = sa.agreement.relation_disagreements(corpus, "a", "b")
    turned = sa.agreement.relation_disagreements(corpus, "b", "a")
    counts = dict(found.counts)
    assert counts["match"] == sa.agree(corpus, what="relations").team.tally.matched
    assert sum(counts.values()) - counts["spurious"] == len(a)
    assert sum(counts.values()) - counts["missed"] == len(b)
    counts["missed"], counts["spurious"] = counts["spurious"], counts["missed"]
    assert turned.counts == counts


def test_relations_that_are_refused():
    """None there, and a label that is not."""
    with pytest.raises(sa.SettingError, match="no relations in the corpus"):
        sa.agreement.relation_disagreements(linked([], []), "a", "b")
    with pytest.raises(sa.SettingError, match="undirected 'x'; the relations are called r"):
        sa.agreement.relation_disagreements(linked([(0, 1, "r")], []), "a", "b", undirected=["x"])


def test_relations_in_recordings():
    """Offsets of recordings are in seconds, as words and as data, and each end has its label."""
    spans = [[(0, 50, "A"), (120, 130, "B")]]
    corpus = sa.Corpus.from_segments(
        [200],
        {"a": spans, "b": spans},
        relations={"a": [[(0, 1, "r")]], "b": [[(1, 0, "r")]]},
        offsets="10ms",
    )
    found = sa.agreement.relation_disagreements(corpus, "a", "b")
    (row,) = found.to_rows()
    assert (row["a_first_start"], row["a_first_end"], row["a_first_label"]) == (0.0, 0.5, "A")
    assert (row["a_second_start"], row["a_second_end"], row["a_second_label"]) == (1.2, 1.3, "B")
    assert "0–0.5 → r → 1.2–1.3" in str(found)


def test_over_how_many_documents(newsroom):
    """Where not all saw all, captions say of how many documents those are that were compared."""
    crowd = sa.read_jsonl(newsroom.parent / "crowd" / "crowd.jsonl")
    both = sum(d.segments["ann"] is not None and d.segments["bob"] is not None for d in crowd)
    assert 0 < both < len(crowd)
    for made in (
        sa.disagreements(crowd, "ann", "bob"),
        sa.agreement.confusion(crowd, "ann", "bob"),
    ):
        assert f"{both} of {len(crowd)} documents" in made.table().caption
    few = crowd.select_annotators(["ann", "bob"])
    assert f"{both} of {len(crowd)} documents" in sa.alpha_u(few).table().caption
    assert f"{both} of {len(crowd)} documents" in sa.gamma(few).table().caption
    queue = sa.disputes(few).table().caption
    assert f"of {both} documents that two or more saw, of {len(crowd)}" in queue
    saw = sum(d.segments["dia"] is not None for d in crowd)
    assert (
        f"difficulty of {saw} of {len(crowd)} documents"
        in sa.difficulty(crowd, "dia").table().caption
    )


def test_all_annotators_or_two():
    """Without names: two annotators segment by segment, more as the queue of the command."""
    layers = {"ann": [[(0, 2, "X")]], "bob": [[(0, 3, "X")]]}
    two = sa.Corpus.from_segments([9], layers)
    assert sa.disagreements(two).to_rows() == sa.disagreements(two, "ann", "bob").to_rows()
    three = sa.Corpus.from_segments([9], {**layers, "cy": [[(0, 2, "X")]]})
    queue = sa.disagreements(three, match="token", sort="segments")
    assert queue.to_rows() == sa.project.disputes(three, match="token", sort="segments").to_rows()
    for ask, needed in (
        ({"a": "ann"}, "one annotator is named; name two, or none"),
        ({"kinds": ["missed"]}, "kinds is for two annotators"),
        ({"sort": "x"}, "unknown sort 'x'"),
    ):
        with refuses(sa.SettingError, needed):
            sa.disagreements(three, **ask)
    with refuses(sa.SettingError, "sort is for more annotators than two"):
        sa.disagreements(two, sort="segments")
    with refuses(sa.SettingError, "1 annotator; two are needed"):
        sa.disagreements(two.select_annotators(["ann"]))
