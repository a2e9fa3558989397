"""The queue of disputed segments: plain loops on real crowds, chance by enumeration, what is refused."""

from __future__ import annotations

import csv
import io
import itertools
import json
from dataclasses import replace

import numpy as np
import pytest
from rounding import equal_to_rounding
from test_real_data import pico, toxic

import spanagree as sa
from spanagree.choices import DisputeSort, list_names
from spanagree.results.data import to_csv
from spanagree.results.frame import TableStyle
from spanagree.results.text import render


def by_hand(corpus):
    """Queue and disputed segments with their supporters, by loops over pairs of annotators."""
    queue, disputed = {}, {}
    for document in corpus:
        seen = {name: {tuple(s) for s in marked} for name, marked in document.seen.items()}
        if len(seen) < 2:
            continue
        sides = list(itertools.combinations(seen.values(), 2))
        same, size = sum(len(a & b) for a, b in sides), sum(len(a) + len(b) for a, b in sides)
        every = set().union(*seen.values())
        split = [
            s for s in sorted(every) if sum(s in marked for marked in seen.values()) < len(seen)
        ]
        if split:
            queue[document.id] = (len(seen), len(every), len(split), 1 - 2 * same / size)
        for s in split:
            who = tuple(name for name, marked in seen.items() if s in marked)
            disputed[(document.id, *s)] = who
    return queue, disputed


def others_by_hand(corpus, **settings):
    """The corpus of those who are no outliers of :func:`sa.agree`, and what they dispute."""
    standings = sa.agree(corpus, **settings).standings
    apart = [name for name, standing in standings.items() if standing.outlier]
    others = corpus.select_annotators(name for name in corpus.annotators if name not in apart)
    return others, by_hand(others)[0]


def check(corpus, **settings):
    """The queue of a corpus is that of plain loops, and it is in order."""
    result = sa.disputes(corpus, **settings)
    queue, disputed = by_hand(corpus)
    assert {each.document: tuple(each[1:4]) for each in result.documents} == {
        name: row[:3] for name, row in queue.items()
    }
    for each in result.documents:
        assert each.disagreement == pytest.approx(queue[each.document][3], abs=1e-12)
    others, rivals = others_by_hand(corpus, **settings)
    assert set(result.outliers) == set(corpus.annotators) - set(others.annotators)
    saw, order = {document.id: len(document.seen) for document in others}, []
    for each in result.documents:
        place, figures = 0, each
        if result.outliers:
            figure = 1 - rivals[each.document][3] if each.document in rivals else np.nan
            place = 0 if each.document in rivals else 1 if saw[each.document] < 2 else 2
            if not place:
                assert each.others == pytest.approx(1 - figure, abs=1e-12)
                counts = rivals[each.document]
                figures = each._replace(disagreement=each.others, disputed=counts[2])
        else:
            assert np.isnan(each.others)
        order.append((place, -figures.disagreement, -figures.disputed, each.document))
    assert order == sorted(order)
    assert {(r.document, r.start, r.end, r.label): r.marked_by for r in result} == disputed
    places = {each.document: i for i, each in enumerate(result.documents)}
    rows = [(places[r.document], r.start, r.end, r.label) for r in result]
    assert rows == sorted(rows)
    return result


@pytest.fixture
def path(newsroom):
    return newsroom.parent / "crowd" / "crowd.jsonl"


@pytest.fixture
def gardens(path):
    return sa.read_jsonl(path)


def test_crowd(gardens):
    """Gaps, five annotators; by chance it is 1 − the chance F1 that agree gives for the document.

    That is over pairs of two people, and no difficulty, which is over pairs of one with itself too.
    """
    result = check(gardens)
    chance = {name: tally.f1.expected for name, _, tally in sa.agree(gardens).by_document()}
    for each in result.documents:
        assert each.disagreement_expected == pytest.approx(1 - chance[each.document], abs=1e-12)
    assert all("difficulty" not in result.table(by).types for by in (None, "document"))
    assert (len(result), len(result.documents), result.shared) == (202, 52, 62)


def test_pico(real):
    """91 workers who overlap themselves, in characters."""
    check(pico(real, "PICO-annos-crowdsourcing.json"), chance="overlapping")


@pytest.mark.slow
def test_toxic_spans(real):
    """3,579 workers, one of 16,100 comments seen by 356: a column lists who marked a segment."""
    steps = ["drop-repeats", "clip-beyond-text", "drop-beyond-text", "drop-unlabelled"]
    corpus = toxic(real, [*steps, "drop-duplicates"])
    result = check(corpus, chance="overlapping")
    row = next(iter(result.to_rows()))
    assert "by" in row
    assert not any(key.startswith("by_") for key in row)
    assert max(each.annotators for each in result.documents) == 356


# --- outliers -------------------------------------------------------------------------------------


def with_an_outlier(n_documents=30):
    """Three who agree but in the last documents, and dia, who marks something else everywhere.

    She saw all documents but the last three.
    """
    span = [(0, 2, "X"), (3, 4, "X"), (6, 7, "X")]
    other = [(0, 1, "X"), (4, 6, "X"), (7, 9, "X")]
    layers = {name: [span] * n_documents for name in ("ann", "bob", "cem")}
    layers["cem"] = [*[span] * (n_documents - 2), *[[(0, 3, "X"), *span[1:]]] * 2]
    layers["dia"] = [*[other] * (n_documents - 3), None, None, None]
    return sa.Corpus.from_segments([9] * n_documents, layers)


def test_outliers_do_not_fill_the_queue():
    """What the others dispute comes first, though dia disagrees with everybody. Oracle: by hand.

    In her 27 documents 3 of 6 pairs agree, so 1 − F1 is 1/2; in the last two, which she never saw,
    two pairs agree in 2 of 3 segments, and one in all, so that it is 1 − 7/9.
    """
    corpus = with_an_outlier()
    for sort in list_names(DisputeSort):
        result = sa.disputes(corpus, sort=sort)
        assert result.outliers == ("dia",)
        assert [each.document for each in result.documents[:2]] == ["29", "30"]
    found = [(each.disagreement, each.others) for each in sa.disputes(corpus).documents]
    assert found == [(pytest.approx(2 / 9), pytest.approx(2 / 9))] * 2 + [(0.5, 0.0)] * 27
    note = "outlier dia: documents are ranked by the disagreement of all others"
    assert sa.disputes(corpus).notes[-1] == note
    without = sa.disputes(corpus.select_annotators(["ann", "bob", "cem"]))
    assert [each[:6] for each in without.documents] == [
        each[:6] for each in sa.disputes(corpus).documents[:2]
    ]
    assert "without outliers" in render(sa.disputes(corpus).table("document"), TableStyle(all_columns=True))  # fmt: skip
    assert "others" not in without.table("document").to_rows()[0]


@pytest.mark.parametrize(
    ("sort", "said"),
    [
        ("disagreement", "the disagreement of all others"),
        ("segments", "the number of segments in dispute among all others"),
        ("unexpected", "how unlikely the agreement of all others is by chance"),
    ],
)
def test_no_criterion_counts_outliers(newsroom, sort, said):
    """The first documents are those of the others alone, in their order; a note says by what."""
    corpus = sa.read(newsroom.parent / "crowd" / "crowd.jsonl")
    result = sa.disputes(corpus, sort=sort)
    others = [name for name in corpus.annotators if name not in result.outliers]
    of_others = sa.disputes(corpus.select_annotators(others), sort=sort)
    assert of_others.outliers == ()
    first = [queued.document for queued in result.documents[: len(of_others.documents)]]
    assert first == [queued.document for queued in of_others.documents]
    assert result.notes[-1] == f"outliers cem, dia: documents are ranked by {said}"
    assert "by which documents are ranked" not in str(result.table("document"))


def test_documents_that_too_few_others_saw():
    """They come behind what the others dispute, and before what these agree about."""
    corpus = with_an_outlier()
    seen = corpus.layers["bob"].annotated.copy()
    seen[:2] = False
    layers = dict(corpus.layers)
    for name in ("ann", "bob"):
        layer = layers[name]
        there = layer.document > 1
        columns = (
            column[there] for column in (layer.document, layer.start, layer.end, layer.label)
        )
        layers[name] = type(layer)(*columns, seen)
    result = sa.disputes(corpus.replace(layers=layers))
    assert result.outliers == ("dia",)
    assert [each.document for each in result.documents[:5]] == ["29", "30", "1", "2", "10"]
    assert np.isnan([each.others for each in result.documents[2:4]]).all()


def test_gold_is_no_outlier_and_two_stay():
    """If those who annotate agree with each other alone, that is no reason to leave out gold."""
    corpus = with_an_outlier()
    called = {"ann": "ann", "bob": "bob", "cem": "cem", "dia": "gold"}
    layers = {called[name]: layer for name, layer in corpus.layers.items()}
    assert sa.disputes(corpus.replace(layers=layers)).outliers == ()
    two = corpus.select_annotators(["ann", "dia"])
    assert sa.disputes(two).outliers == ()


def test_outliers_of_too_many_pairs(monkeypatch, gardens):
    """Where they are not known, a note says so, and all annotators count."""
    monkeypatch.setattr("spanagree.agreement.outliers._MAX_PAIRS", 5)
    result = sa.disputes(gardens)
    assert result.outliers == ()
    assert any(note.startswith("outliers are not known") for note in result.notes)


# --- chance ---------------------------------------------------------------------------------------


def test_unexpected_by_enumeration():
    """P(at most the match seen) of each pair, over all placements, times the number of pairs."""
    layers = {
        "a": [[(0, 1, "X")], [(0, 4, "X")]],
        "b": [[(3, 4, "X")], [(2, 6, "X")]],
        "c": [[], [(0, 3, "X")]],
    }
    corpus = sa.Corpus.from_segments([9, 6], layers)
    first, second = sa.disputes(corpus, sort="unexpected", match="token").documents

    def p(one, other, most):
        shared = [
            max(0, min(i + one, j + other) - max(i, j))
            for i in range(7 - one)
            for j in range(7 - other)
        ]
        return sum(x <= most for x in shared) / len(shared)

    by_pair = {("a", "b"): p(4, 4, 2), ("a", "c"): p(4, 3, 3), ("b", "c"): p(4, 3, 1)}
    best = min(by_pair, key=by_pair.get)
    assert (first.document, first.pair) == ("2", best) == ("2", ("b", "c"))
    assert first.p == pytest.approx(min(1, 3 * by_pair[best]), abs=1e-12)
    assert np.isnan(second.p)  # chance's mean is 1/9 at most
    assert second.pair is None
    assert sa.disputes(corpus, match="token").documents[0].p != first.p  # not asked for


def test_sorts(gardens):
    """Each of them puts its own figure first, and all have the same documents."""
    by = {name: sa.disputes(gardens, sort=name).documents for name in ("segments", "unexpected")}
    _, rivals = others_by_hand(gardens)
    disputed = [rivals[each.document][2] for each in by["segments"] if each.document in rivals]
    assert disputed == sorted(disputed, reverse=True)
    p = [each.p if each.p == each.p else 1 for each in by["unexpected"] if each.document in rivals]
    assert p == sorted(p)
    assert {each.document for each in by["segments"]} == {
        each.document for each in by["unexpected"]
    }


@pytest.mark.long
def test_order_of_input(gardens):
    """Documents and annotators in another order change rounding alone."""
    order = np.random.default_rng(3).permutation(len(gardens))
    turned = gardens.subset(order).select_annotators(gardens.annotators[::-1])
    for sort in ("disagreement", "unexpected"):
        one, other = (sa.disputes(c, sort=sort, match="token") for c in (gardens, turned))
        assert equal_to_rounding(one.documents, other.documents)
        assert [r[:4] for r in one] == [r[:4] for r in other]


# --- rows ---------------------------------------------------------------------------------------


def example():
    """Three who saw it and one who did not."""
    words = ("In", "March", "the", "Ministry", "of", "Inland", "Waters", "moved")
    layers = {
        "ann": [[(3, 7, "ORG")]],
        "bob": [[(3, 4, "ORG"), (6, 7, "LOC")]],
        "=cy": [[]],
        "dan": [None],
    }
    return replace(sa.Corpus.from_segments([8], layers), tokens=words)


def test_cells():
    """The same segment, what shares a token with it, nothing, and not seen are told apart."""
    rows = sa.disputes(example()).to_rows()
    cells = [[row[f"by_{name}"] for name in ("ann", "bob", "=cy", "dan")] for row in rows]
    assert cells == [
        ["3–7 ORG", "marked", "nothing", None],
        ["marked", "3–4 ORG; 6–7 LOC", "nothing", None],
        ["3–7 ORG", "marked", "nothing", None],
    ]
    first = rows[0]
    assert (first["text"], first["before"]) == ("Ministry", "In March the")
    assert first["after"] == "of Inland Waters moved"
    assert (first["rank"], first["marked"], first["saw"]) == (1, 1, 3)
    assert "ann: 3–7 ORG; =cy: nothing" in render(sa.disputes(example()).table(), TableStyle(all_columns=True))  # fmt: skip


def test_more_than_thirty():
    """Up to thirty annotators have a column each; of one more, a column lists who marked it."""
    for count in (30, 31):
        layers = {f"w{i:02}": [[(0, 1, "X")] if i % 2 else []] for i in range(count)}
        corpus = sa.Corpus.from_segments([3], layers)
        result = sa.disputes(corpus)
        (row,) = result.to_rows()
        odd = [f"w{i:02}" for i in range(1, count, 2)]
        assert [k.removeprefix("by_") for k in row if row[k] == "marked"] == odd * (count == 30)
        assert row.get("by") == (None if count == 30 else ", ".join(odd))
        assert next(iter(result)).marked_by == tuple(odd)
    assert f"15 of {count}" in render(result.table(), TableStyle(all_columns=True))


def test_for_spreadsheets(gardens):
    """A byte order mark on request, and no cell that begins a formula."""
    bare, marked = (to_csv(sa.disputes(gardens).table(), bom=bom) for bom in (False, True))
    assert marked == "\ufeff" + bare
    corpus = replace(example(), tokens=("=1",) * 8)
    rows = list(csv.DictReader(io.StringIO(to_csv(sa.disputes(corpus).table(), safe_cells=True))))
    assert rows[0]["text"] == "'=1"
    assert all(not cell.startswith(("=", "+", "-", "@")) for row in rows for cell in row.values())
    header = next(csv.reader(io.StringIO(to_csv(sa.disputes(corpus).table()))))
    assert not any(name.startswith("=") for name in header)


def test_without_texts(gardens):
    """No word of the texts if they are not wanted; a note where they are not known."""
    result = sa.disputes(gardens, text=False)
    assert "Sowed" not in json.dumps(result.to_dict()) + str(result.to_rows())
    bare = replace(gardens, tokens=None)
    assert "the tokens are not known, so rows have offsets only" in sa.disputes(bare).notes
    assert "text" not in sa.disputes(bare).to_rows()[0]


def test_words(gardens):
    """Where disagreement and that by chance stand side by side, the difference is said."""
    shown = render(sa.disputes(gardens).table("document"))
    assert "disagreement: 1 − F1 over all pairs of those who saw the document" in shown
    assert "by chance: 1 − chance F1 over all pairs of those who saw the document" in shown


def test_nothing_in_dispute():
    """Who agree have an empty queue that says so; a terminal shows documents."""
    agreed = sa.Corpus.from_segments([3], {"a": [[(0, 1, "X")]], "b": [[(0, 1, "X")]]})
    assert str(sa.disputes(agreed)).startswith(
        "2 annotators: 0 segments in dispute, in 0 of 1 document that two or more saw\n\nsignature"
    )
    spans = [(2 * i, 2 * i + 1, "X") for i in range(1001)]
    long = sa.Corpus.from_segments([2002], {"a": [spans], "b": [[]]})
    assert "981 more: --all" in str(sa.disagreements(long, "a", "b"))
    assert "each segment, and who marked it: --all" in str(sa.disputes(long))
    assert len(sa.disputes(long).to_rows()) == 1001


# --- what is refused, and the command -----------------------------------------------------------


def test_refused():
    """Each message says what is allowed, or what to do."""
    apart = sa.Corpus.from_segments([4, 4], {"a": [[], None], "b": [None, []]})
    overlap = sa.Corpus.from_segments([9], {"a": [[(0, 3, "X"), (1, 4, "X")]], "b": [[]]})
    for corpus, settings, said in (
        (example(), {"sort": "chance"}, "unknown sort 'chance'; allowed: disagreement"),
        (example(), {"match": "same"}, "unknown match 'same'"),
        (example(), {"sort": "unexpected", "match": "iou"}, "matches under iou are not whole numbers; use --match exact or"),
        (apart, {}, "no document that two annotators saw; two who share one are needed"),
        (overlap, {"chance": "nonoverlapping"}, "overlap, which chance nonoverlapping does not allow"),
    ):  # fmt: skip
        with pytest.raises(sa.SettingError, match=said):
            sa.disputes(corpus, **settings)


@pytest.mark.long
def test_command(run, path):
    """All annotators unless two are named; what is for two, or for more, is refused elsewhere."""
    result = sa.disputes(sa.read_jsonl(path))
    assert json.loads(run("disagreements", path, "--format", "json")[1]) == result.to_dict()
    out = run("disagreements", path, "--format", "csv", "--bom")[1]
    assert out == to_csv(result.table(), bom=True)
    by = run("disagreements", path, "--by", "document", "--format", "jsonl")[1]
    assert json.loads(by.splitlines()[0])["disagreement"] == result.documents[0].disagreement
    between = ("--between", "ann", "bob")
    for arguments, said in (
        (("--kind", "label"), "--kind is for two annotators; give --between A B too"),
        (
            (*between, "--sort", "unexpected"),
            "--sort is for more annotators than two; leave it out",
        ),
        ((*between, "--by", "document"), "--by is for more annotators than two; leave it out"),
        (("--bom",), "--bom needs --format csv"),
    ):
        code, out, err = run("disagreements", path, *arguments)
        assert (code, out) == (2, "")
        assert said in err
