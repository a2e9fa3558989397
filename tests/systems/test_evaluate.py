"""Evaluation: printed figures, other programs, what must hold on all input, what is undefined."""

from __future__ import annotations

import itertools
import json
import math
import warnings
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses
from strategies import PAIRS

import spanagree as sa
from spanagree import Corpus
from spanagree.comparisons.measures import MEASURES
from spanagree.comparisons.tally_columns import COUNTS
from spanagree.results.score import FIGURES, build_corrected_score

GOLDEN = Path(__file__).parents[1] / "golden"


def io(marks):
    """A row of 0 and 1 as tags; runs of 1 are segments."""
    return [["I-X" if mark == "1" else "O" for mark in marks]]


@pytest.mark.parametrize(
    "case", json.loads((GOLDEN / "simulations.json").read_text()), ids=lambda c: c["name"]
)
def test_simulations(case):
    """Li et al. 2024, Tables 2 to 5, to the four digits printed."""
    corpus = sa.from_tags({"1": io(case["annotator1"]), "2": io(case["annotator2"])})
    f1 = sa.evaluate(corpus, match=case["match"]).systems["2"].f1
    assert round(f1.observed, 4) == case["observed_f1"]
    assert round(f1.expected, 4) == case["chance_f1"]
    assert round(f1.corrected, 4) == case["corrected_f1"]


def test_correction_changes_a_ranking():
    """Li et al. 2024, Tables 6 and 7: raw the long segment wins, corrected the five short ones."""
    short, long = "11100" * 5, "1" * 16
    corpus = sa.from_tags(
        {
            "gold": io(short + long),
            "short": io(short + "0" * 16),
            "long": io("0" * 25 + long),
        }
    )
    systems = sa.evaluate(corpus, match="token").systems
    assert systems["long"].f1.observed > systems["short"].f1.observed
    assert systems["long"].f1.corrected < systems["short"].f1.corrected
    assert systems["long"].rank == (1, 2)
    assert systems["short"].rank == (2, 1)


labels = st.sampled_from(["PER", "LOC", "creative-work"])
tags = st.one_of(st.just("O"), labels.map("B-{}".format), labels.map("I-{}".format))


@st.composite
def parallel(draw, layers=2):
    """Tag lists of the same shape."""
    sizes = draw(st.lists(st.integers(0, 9), min_size=1, max_size=5))
    return [[draw(st.lists(tags, min_size=n, max_size=n)) for n in sizes] for _ in range(layers)]


@given(parallel())
def test_raw_scores_are_seqeval(drawn):
    """Raw exact precision, recall and F1 equal seqeval's default mode, micro and macro."""
    metrics = pytest.importorskip("seqeval.metrics")
    gold, mine = drawn
    system = sa.evaluate(sa.from_tags({"gold": gold, "mine": mine})).systems["mine"]
    if not system.tally.size_a and not system.tally.size_b:
        return  # seqeval fails on all-O input
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        reference = {
            (name, average): score(gold, mine, average=average, zero_division=0)
            for name, score in (
                ("f1", metrics.f1_score),
                ("precision", metrics.precision_score),
                ("recall", metrics.recall_score),
            )
            for average in ("micro", "macro")
        }
    for (name, average), value in reference.items():
        ours = getattr(system if average == "micro" else system.macro, name).observed
        if math.isnan(ours):
            assert value == 0  # what seqeval calls 0, with a warning
        elif average == "micro" or name == "f1":
            assert ours == pytest.approx(value, abs=1e-15)


@pytest.mark.long
@given(parallel(3), st.randoms(use_true_random=False), st.sampled_from(PAIRS))
def test_order_changes_nothing(drawn, random, pair):
    """Documents and systems in another order change rounding alone; parts of a corpus add up to it."""
    names = ["gold", "a", "b"]
    corpus = sa.from_tags(dict(zip(names, drawn, strict=True)))
    settings = {"gold": "gold", "match": pair[0], "chance": pair[1]}
    before = sa.evaluate(corpus, **settings)
    order = list(range(len(corpus)))
    random.shuffle(order)
    random.shuffle(names)
    moved = Corpus(
        corpus.lengths,
        {name: corpus.layers[name] for name in names},
        corpus.labels,
        reading=corpus.reading,
        notes=corpus.notes,
    ).subset(order)
    after = sa.evaluate(moved, **settings)
    for name in ("a", "b"):
        tally, other = before.systems[name].tally, after.systems[name].tally
        assert (tally.size_a, tally.size_b) == (other.size_a, other.size_b)
        assert tally.matched == pytest.approx(other.matched, rel=1e-12)
        assert tally.expected == pytest.approx(other.expected, rel=1e-12, abs=1e-12)
        assert before.systems[name].rank == after.systems[name].rank
        macro, other_macro = (x.systems[name].macro.f1[:3] for x in (before, after))
        assert macro == pytest.approx(other_macro, rel=1e-12, abs=1e-12, nan_ok=True)
    middle = len(corpus) // 2
    parts = [corpus.subset(range(middle)), corpus.subset(range(middle, len(corpus)))]
    for name in ("a", "b"):
        added = sum((sa.evaluate(p, **settings).systems[name].tally for p in parts), sa.Tally())
        whole = before.systems[name].tally
        assert (added.size_a, added.size_b) == (whole.size_a, whole.size_b)
        assert added.matched == pytest.approx(whole.matched, rel=1e-12)
        assert added.expected == pytest.approx(whole.expected, rel=1e-12, abs=1e-12)


@pytest.mark.long
@given(parallel(1), st.sampled_from(PAIRS))
def test_identical_layers_agree_fully(drawn, pair):
    """A layer against itself scores 1, raw and, unless chance gives 1 too, corrected."""
    (gold,) = drawn
    match, chance = pair
    corpus = sa.from_tags({"gold": gold, "same": gold})
    system = sa.evaluate(corpus, match=match, chance=chance).systems["same"]
    if not system.tally.size_a:
        assert math.isnan(system.f1.observed)
        return
    for score in (system.precision, system.recall, system.f1):
        assert score.observed == pytest.approx(1, abs=1e-12)
        if chance == "nonoverlapping":
            assert 0 < score.expected <= 1 + 1e-12
        if score.expected < 1 - 1e-10:
            assert score.corrected == pytest.approx(1, abs=1e-9)
        else:
            assert math.isnan(score.corrected)
            assert score.reason == "chance alone gives 1"


@pytest.mark.long
@given(parallel(), st.sampled_from(PAIRS))
def test_bounds_and_derivation(drawn, pair):
    """Scores stay within [0, 1], corrected below 1, and all derive from the tally."""
    gold, mine = drawn
    system = sa.evaluate(
        sa.from_tags({"gold": gold, "mine": mine}), match=pair[0], chance=pair[1]
    ).systems["mine"]
    tally = system.tally
    for name, size in (("precision", tally.size_b), ("recall", tally.size_a)):
        score = getattr(system, name)
        if not size:
            assert math.isnan(score.observed)
            assert math.isnan(score.corrected)
            assert score.reason
            continue
        assert -1e-12 <= score.observed <= 1 + 1e-12
        assert score.observed == tally.matched / size
        assert score.expected == tally.expected / size
        if not math.isnan(score.corrected):
            assert score.corrected <= 1 + 1e-9
    if MEASURES[pair[0]].of_label:
        total = sum(system.labels.values(), sa.Tally())
        assert (total.matched, total.size_a) == (pytest.approx(tally.matched), tally.size_a)
        assert total.expected == pytest.approx(tally.expected, rel=1e-12, abs=1e-12)
    else:
        assert system.labels == {}
        assert system.macro.f1.reason == "labels are disregarded"


def test_two_random_annotators_average_zero():
    """Both sides random: the mean corrected F1 is 0 (enumeration of 6 tokens, exact fractions)."""
    from oracles import configurations, matched

    a, b = [(2, "X"), (1, "Y")], [(2, "X"), (2, "Y")]
    corpus = Corpus.from_segments(
        [6], {"a": [[(0, 2, "X"), (2, 3, "Y")]], "b": [[(0, 2, "X"), (2, 4, "Y")]]}
    )
    expected = sa.evaluate(corpus).systems["b"].f1.expected
    pairs = list(
        itertools.product(
            configurations(6, a, "nonoverlapping"), configurations(6, b, "nonoverlapping")
        )
    )
    mean = sum(Fraction(2, 4) * matched(x, y, "exact") for x, y in pairs) / len(pairs)
    assert float(mean) == pytest.approx(expected, abs=1e-15)


# --- what is missing, empty or undefined ---------------------------------------------------------


def one(a, b, length=10, **settings):
    corpus = Corpus.from_segments([length], {"gold": [a], "mine": [b]})
    return sa.evaluate(corpus, **settings).systems["mine"]


def test_never_saw_the_document():
    """No tally for a document that one side never saw; counted as not shared, and said."""
    corpus = Corpus.from_segments(
        [10, 10], {"gold": [[(0, 2, "X")], [(0, 2, "X")]], "mine": [[(0, 2, "X")], None]}
    )
    result = sa.evaluate(corpus)
    system = result.systems["mine"]
    assert system.documents == 1
    assert (system.tally.size_a, system.tally.size_b) == (1, 1)
    assert result.notes == ("mine: 1 of 2 documents not shared with gold, left out",)
    numbered = corpus.replace(layers={"gold": corpus.layers["gold"], "3": corpus.layers["mine"]})
    note = "'3': 1 of 2 documents not shared with gold, left out"  # not 3: 1
    assert sa.evaluate(numbered).notes == (note,)
    assert [name for name, _ in result.by_document("mine")] == ["1"]


def test_no_document_shared():
    """Nothing shared: all undefined, with the reason, and no rank."""
    corpus = Corpus.from_segments([10], {"gold": [[(0, 2, "X")]], "mine": [None]})
    system = sa.evaluate(corpus).systems["mine"]
    assert system.documents == 0
    assert math.isnan(system.f1.observed)
    assert system.f1.reason == system.recall.reason == "no document shared with gold"
    assert system.rank == (None, None)
    nothing = sa.evaluate(Corpus.from_segments([3], {"gold": [[]], "mine": [[]]}))
    assert nothing.systems["mine"].macro.f1.reason == "no label of which it is defined"


def test_neither_marked_anything():
    """Both empty: a tally of zeros that adds nothing; its own score is undefined."""
    system = one([], [])
    assert system.tally == sa.Tally(0, 0.0, 0, 0)
    for score in (system.precision, system.recall, system.f1, system.macro.f1):
        assert all(math.isnan(x) for x in score[:3])
    assert system.f1.reason == "neither marked anything"
    corpus = Corpus.from_segments(
        [10, 10], {"gold": [[(0, 2, "X")], []], "mine": [[(0, 2, "X")], []]}
    )
    assert sa.evaluate(corpus).systems["mine"].tally == one([(0, 2, "X")], [(0, 2, "X")]).tally


def test_one_marked_nothing():
    """F1 is 0; precision (recall) is undefined where the system (gold) has nothing."""
    silent = one([(0, 2, "X")], [])
    assert silent.f1[:4] == (0, 0, 0, "")
    assert silent.recall[:4] == (0, 0, 0, "")
    assert math.isnan(silent.precision.observed)
    assert silent.precision.reason == "the system marked nothing"
    spurious = one([], [(0, 2, "X")])
    assert spurious.f1[:4] == (0, 0, 0, "")
    assert spurious.precision[:4] == (0, 0, 0, "")
    assert math.isnan(spurious.recall.observed)
    assert spurious.recall.reason == "the gold annotation has nothing marked"


def test_chance_alone_gives_one():
    """A segment as long as its document: expected 1, corrected undefined, the tally still adds."""
    whole = one([(0, 3, "X")], [(0, 3, "X")], length=3)
    assert whole.f1.observed == whole.f1.expected == 1
    assert math.isnan(whole.f1.corrected)
    assert whole.f1.reason == "chance alone gives 1"
    assert whole.rank == (1, None)
    corpus = Corpus.from_segments(
        [3, 10], {"gold": [[(0, 3, "X")], [(0, 2, "X")]], "mine": [[(0, 3, "X")], [(4, 6, "X")]]}
    )
    f1 = sa.evaluate(corpus).systems["mine"].f1
    assert f1.observed == 0.5
    assert 0.5 < f1.expected < 1
    assert f1.corrected < 0


def test_chance_that_is_one_but_for_rounding():
    """An expected score of 1 − 1e-16 is 1."""
    assert math.isnan(build_corrected_score(1.0, 1 - 1e-16).corrected)
    assert math.isnan(build_corrected_score(0.5, 1.25).corrected)
    assert build_corrected_score(1.0, 0.999).corrected == pytest.approx(1)


def test_each_kind_is_decided_by_itself():
    """Precision may be beyond correction where recall and F1 are not."""
    tally = sa.Tally(matched=1, expected=1.0, size_a=4, size_b=1)
    assert math.isnan(tally.precision.corrected)
    assert not math.isnan(tally.recall.corrected)
    assert not math.isnan(tally.f1.corrected)


def test_overlapping_model_may_exceed_one():
    """In a tiny dense text the overlapping model expects 1 and more: corrected is undefined."""
    spans = [(0, 1, "X"), (1, 2, "X")]
    system = one(spans, spans, length=2, chance="overlapping")
    assert system.f1.expected == pytest.approx(1)
    assert math.isnan(system.f1.corrected)


def test_one_label_throughout_and_labels_of_others():
    """A label that neither side has is undefined and is left out of the macro average."""
    corpus = Corpus.from_segments(
        [10], {"gold": [[(0, 2, "X")]], "a": [[(0, 2, "X")]], "b": [[(4, 5, "Y")]]}
    )
    a, b = sa.evaluate(corpus).systems.values()
    assert list(a.labels) == list(b.labels) == ["X", "Y"]
    assert math.isnan(a.labels["Y"].f1.observed)
    assert a.macro.f1.observed == 1
    assert b.macro.f1.observed == 0
    assert a.macro.f1.expected == a.labels["X"].f1.expected


def test_macro_is_corrected_after_the_mean():
    """Observed and expected are means over labels, corrected derives from these two means."""
    system = one([(0, 2, "X"), (5, 6, "Y")], [(0, 2, "X"), (7, 8, "Y")], match="token")
    x, y = system.labels["X"].f1, system.labels["Y"].f1
    observed, expected = (x.observed + y.observed) / 2, (x.expected + y.expected) / 2
    assert system.macro.f1.observed == pytest.approx(observed)
    assert system.macro.f1.corrected == pytest.approx((observed - expected) / (1 - expected))


def test_ranks():
    """Ties share the better rank."""
    hit, miss = [(0, 2, "X")], [(4, 6, "X")]
    corpus = Corpus.from_segments(
        [10], {"gold": [hit], "a": [miss], "b": [hit], "c": [hit], "d": [[]]}
    )
    ranks = {name: s.rank.observed for name, s in sa.evaluate(corpus).systems.items()}
    assert ranks == {"a": 3, "b": 1, "c": 1, "d": 3}


def test_ranks_tie_where_they_print_alike():
    """Scores that print the same share a rank: rounding, and what four decimals do not show."""
    from spanagree.results.numbers import compute_ranks

    assert compute_ranks([0.1 + 0.2, 0.3, 0.2, math.nan]) == [1, 1, 3, None]
    assert compute_ranks([0.918970, 0.918965, 0.9189]) == [1, 1, 3]
    assert compute_ranks([0.91894, 0.91886]) == [1, 1]  # of four decimals
    assert compute_ranks([0.918970, 0.918965, 0.9189], digits=5) == [1, 1, 3]
    assert compute_ranks([0.918970, 0.918965, 0.9189], digits=6) == [1, 2, 3]
    assert compute_ranks([0.00001, -0.00001]) == [1, 1]


def test_empty_documents_and_corpora():
    """Documents without tokens and corpora without documents are no trouble."""
    corpus = Corpus.from_segments([0, 3], {"gold": [[], [(0, 1, "X")]], "mine": [[], []]})
    assert sa.evaluate(corpus).systems["mine"].f1.observed == 0
    nothing = Corpus.from_segments([], {"gold": [], "mine": []})
    assert math.isnan(sa.evaluate(nothing).systems["mine"].f1.observed)


# --- the result as data --------------------------------------------------------------------------


def test_to_dict():
    """The documented keys, in order; undefined is None with its reason; JSON takes it."""
    corpus = Corpus.from_segments(
        [10, 5], {"gold": [[(0, 2, "X")], []], "mine": [[], []]}, ids=["x", "y"]
    )
    result = sa.evaluate(corpus)
    data = result.to_dict()
    assert list(data) == [
        "kind", "signature", "settings", "verdict", "notes", "caveats", "summary", "tables",
    ]  # fmt: skip
    assert (data["kind"], data["summary"]) == ("Evaluation", {"documents": 2})
    (system,) = data["tables"]["systems"]
    ranks = ["rank_observed", "rank_corrected"]
    assert list(system) == ["system", "documents", *FIGURES, *COUNTS, *ranks]
    assert [system[name]["observed"] for name in ("precision", "recall", "f1")] == [None, 0, 0]
    assert system["precision"]["undefined"] == "the system marked nothing"
    assert [system[k] for k in ("matched", "expected", "size_gold", "size_system")] == [0, 0, 1, 0]
    assert (system["rank_observed"], system["rank_corrected"]) == (1, 1)
    assert list(system["f1"])[:3] == ["observed", "expected", "corrected"]
    assert [row["average"] for row in data["tables"]["labels"]] == ["", "micro", "macro"]
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    documents = result.to_dict("document")["tables"]["documents"]
    assert [d["document"] for d in documents] == ["x", ""]
    assert documents[0]["size_gold"] == 1
    with pytest.raises(sa.SettingError, match="unknown by 'token'; allowed: label, document"):
        result.to_dict("token")
    with pytest.raises(sa.SettingError, match="unknown system 'x'; allowed: mine"):
        list(result.by_document("x"))


def test_to_rows():
    """A row for each system, or for each part and the averages; the same keys in all."""
    corpus = Corpus.from_segments(
        [10, 5],
        {"gold": [[(0, 2, "X")], []], "a": [[(0, 2, "X")], []], "b": [[], [(1, 2, "Y")]]},
    )
    result = sa.evaluate(corpus)
    for by in (None, "label", "document"):
        rows = result.to_rows(by)
        assert len({tuple(row) for row in rows}) == 1
    assert [row["system"] for row in result.to_rows()] == ["a", "b"]
    assert result.to_rows()[0]["f1_observed"] == 1
    by_label = [(r["system"], r["label"], r["average"]) for r in result.to_rows("label")]
    assert by_label[:4] == [("a", "X", ""), ("a", "Y", ""), ("a", "", "micro"), ("a", "", "macro")]
    by_document = [(r["system"], r["document"], r["average"]) for r in result.to_rows("document")]
    assert by_document == [
        ("a", "1", ""), ("a", "", "micro"), ("b", "1", ""), ("b", "2", ""), ("b", "", "micro"),
    ]  # fmt: skip


def test_signature():
    """One line with the settings that change numbers, and the version."""
    corpus = sa.from_tags({"gold": [["B-X"]], "mine": [["O"]]}, scheme="IOB2", strict=True)
    result = sa.evaluate(corpus, match="token", chance="per-label")
    assert result.signature == (
        "match:token|chance:per-label|average:micro|offsets:tokens|scheme:IOB2|strict:yes"
        f"|spec:1.0|spanagree:{sa.__version__}"
    )
    assert result.settings["gold"] == "gold"


def test_progress():
    """Progress is told after the chance model, and after each system."""
    corpus = sa.from_tags({"gold": [["O"]], "a": [["O"]], "b": [["O"]]})
    told = []
    sa.evaluate(corpus, progress=lambda done, total: told.append((done, total)))
    assert told == [(0, 3), (1, 3), (2, 3), (3, 3)]


@pytest.mark.parametrize(
    ("layers", "settings", "message"),
    [
        (["gold"], {}, "1 annotator … gold and at least one system … --columns gold=1,mine=2"),
        ([], {}, "0 annotators … gold and at least one system … --columns gold=1,mine=2"),
        (["gold", "a"], {"gold": "b"}, "unknown gold 'b'; allowed: gold, a"),
        (["gold", "a"], {"match": "lenient"}, f"unknown match 'lenient'; allowed: {', '.join(MEASURES)}"),
        (["gold", "a"], {"chance": "x"}, "unknown chance 'x'; allowed: auto"),
    ],
)  # fmt: skip
def test_errors(layers, settings, message):
    """Choices that do not exist are refused, and the existing ones named."""
    corpus = Corpus.from_segments([3], {name: [[(0, 1, "X")]] for name in layers})
    with refuses(sa.SettingError, message):
        sa.evaluate(corpus, **settings)


def test_no_numpy_warnings():
    """Undefined figures are no warnings (the suite turns warnings into errors)."""
    with np.errstate(all="raise"):
        one([], [])
        one([(0, 3, "X")], [(0, 3, "X")], length=3)


def test_gold_that_was_made_of_systems():
    """A gold layer that others voted for is noted, as they took part in it; another is not."""
    layers = {"a": [[(0, 2, "X")]], "b": [[(0, 2, "X")]], "m": [[(1, 2, "X")]]}
    corpus = sa.make_gold(Corpus.from_segments([5], layers), annotators=["a", "b"]).corpus
    assert sa.evaluate(corpus, "majority").to_dict()["notes"] == [
        "majority was combined from other annotators (tokens/more-than-half/least-2); a system that is"
        " one of them is partly compared with itself"
    ]
    assert sa.evaluate(corpus, "a").notes == ()


def test_over_how_many_documents_a_figure_stands():
    """Systems that did not see all documents have their number beside them, or below the table."""
    seen, none = [(0, 1, "X")], None
    layers = {"gold": [seen, seen, seen], "one": [seen, none, seen], "all": [seen] * 3}
    result = sa.evaluate(sa.Corpus.from_segments([5, 5, 5], layers), "gold")
    columns = [column.title for column in result.table().columns]
    assert "documents" in columns
    assert [row[columns.index("documents")] for row in result.table().rows] == [2, 3]
    assert "not over all 3 documents: one 2" in result.table("label").remarks
    whole = sa.evaluate(sa.Corpus.from_segments([5], {"gold": [seen], "all": [seen]}), "gold")
    assert "documents" not in [column.title for column in whole.table().columns]


def test_a_system_that_overlaps_itself():
    """Chance that lets no segments overlap has no place for those that do: who, where, what helps."""
    layers = {"gold": [[(0, 2, "X")]], "mine": [[(0, 3, "X"), (2, 4, "Y")]]}
    with refuses(sa.SettingError, "annotator 'mine', document '1' … overlap … chance='per-label'"):
        sa.evaluate(Corpus.from_segments([6], layers), chance="nonoverlapping")


def test_a_system_that_nobody_says_saw_a_document():
    """Where a source has rows of segments alone, a text without any was read: it costs recall."""
    one = [(0, 1, "X")]
    corpus = Corpus.from_segments([5, 4], {"gold": [one, one], "mine": [one, None]})
    mine = sa.evaluate(corpus.replace(seen_unknown=("mine",))).systems["mine"]
    assert (mine.documents, mine.recall.observed) == (2, 0.5)
    mine = sa.evaluate(corpus).systems["mine"]
    assert (mine.documents, mine.recall.observed) == (1, 1)


def test_intervals_of_an_evaluation_with_p_values():
    """Intervals leave p and its notes as they are."""
    layers = {"gold": [[(0, 1, "X")]] * 9, "mine": [[(0, 1, "X")]] * 8 + [[]]}
    corpus = Corpus.from_segments([9] * 9, layers)
    plain, both = (sa.evaluate(corpus, p_values=True, ci=ci) for ci in (False, True))
    assert both.chance_by_document("mine") == plain.chance_by_document("mine")
    assert both.notes == plain.notes != ()
