"""SemEval's strategies: nervaluate's counts and scores, and chance where it is exact."""

from __future__ import annotations

import itertools
import json
import math
import runpy
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from messages import refuses
from oracles import configurations
from strategies import at_most, crowds

import spanagree as sa
from spanagree.cli.main import main
from spanagree.corpus.unplaced import UnplacedQuotes
from spanagree.systems.strategies import STRATEGIES, count_outcomes

ROOT = Path(__file__).parents[2]
FREEZE = runpy.run_path(str(ROOT / "scripts" / "freeze_nervaluate.py"))
GOLDEN = json.loads((ROOT / "tests" / "golden" / "nervaluate.json").read_text("utf-8"))
FILES = [f"corpora/newsroom/{name}.conll" for name in ("gold", "lexicon", "tagger")]


def corpus_of(documents):
    lengths, gold, system = zip(*documents, strict=True)
    return sa.Corpus.from_segments(list(lengths), {"gold": list(gold), "system": list(system)})


def plain(counts):
    """Counts and figures one strategy after the other; undefined is 0, as nervaluate has it."""
    figures = [x for one in counts.values() for x in (one.precision, one.recall, one.f1)]
    return [
        [n for one in counts.values() for n in one],
        [0.0 if math.isnan(x) else float(x) for x in figures],
    ]


def test_as_nervaluate():
    """Counts and scores of 1,000 random corpora, as a whole and by label, to the last bit.

    Oracle: nervaluate 1.2.1, frozen.
    """
    assert GOLDEN["nervaluate"] == "1.2.1"
    names = ["strict", "exact", "partial", "type"]
    assert [*STRATEGIES] == names
    assert GOLDEN["strategies"] == [*names[:3], "ent_type"]
    corpora = list(FREEZE["drawn_corpora"](GOLDEN["seed"]))
    assert len(corpora) == len(GOLDEN["counts"]) == 1000
    for number, documents in enumerate(corpora):
        corpus = corpus_of(documents)
        layers = corpus.layers["gold"], corpus.layers["system"]
        found = {"": plain(count_outcomes(*layers, 1)[0])}
        by_label = count_outcomes(*layers, len(corpus.labels))
        found |= {
            label: plain(counts) for label, counts in zip(corpus.labels, by_label, strict=True)
        }
        assert " ".join(map(str, found[""][0])) == GOLDEN["counts"][number], number
        if number < len(GOLDEN["in_full"]):
            assert found == GOLDEN["in_full"][number], number
        assert FREEZE["digest"](found) == GOLDEN["digests"][number], number


@pytest.mark.parametrize("number", range(30))
def test_the_result(number):
    """The result has the same, and its labels those that either side marked."""
    documents = list(FREEZE["drawn_corpora"](GOLDEN["seed"], number + 1))[number]
    found = sa.systems.strategy_scores(sa.evaluate(corpus_of(documents), "gold"))
    of_labels = {name: plain(counts) for name, counts in found.labels["system"].items()}
    assert {"": plain(found.counts["system"]), **of_labels} == GOLDEN["in_full"][number]


@given(crowds())
@at_most(60)
def test_beside_the_measures(drawn):
    """Where segments of one annotator exclude each other, correct is what our measures match.

    The greatest one-to-one overlap of one label is never less than what is correct by type.
    """
    corpus = sa.Corpus.from_segments(*drawn)
    evaluation = sa.evaluate(corpus)
    found = sa.systems.strategy_scores(evaluation)
    for name, counts in found.counts.items():
        for strategy, one in counts.items():
            tally = sa.evaluate(corpus, match=STRATEGIES[strategy].match).systems[name].tally
            assert one.correct + one.incorrect + one.partial + one.missed == tally.size_a
            assert one.correct + one.incorrect + one.partial + one.spurious == tally.size_b
            if strategy == "type":
                assert one.correct <= tally.matched
            else:
                assert one.correct + one.partial / 2 == tally.matched


def right_in_order(gold, system, strategy):
    """What is right by nervaluate's rule, read from left to right: plain loops over both sides."""
    left, right = sorted(gold), Fraction(0)
    for start, end, label in sorted(system):
        able = [g for g in left if g[0] < end and start < g[1]]
        same = [
            g for g in able if g[:2] == (start, end) and (strategy != "strict" or g[2] == label)
        ]
        partner = (same or able or [None])[0]
        if partner is not None:
            left.remove(partner)
            right += 1 if same else Fraction(strategy == "partial", 2)
    return right


@pytest.mark.parametrize(
    ("n", "gold", "system"),
    [
        (6, [(2, "X"), (1, "Y")], [(2, "X"), (2, "Y")]),
        (7, [(3, "X"), (1, "X")], [(1, "X"), (2, "X"), (1, "Y")]),
        (5, [(1, "X"), (1, "Y"), (1, "X")], [(3, "X")]),
    ],
)
def test_chance(n, gold, system):
    """Expected F1 of strict, exact and partial: the mean over all placements, paired in order."""
    placed = []
    for kinds in (gold, system):
        every = configurations(n, kinds, "nonoverlapping")
        placed.append([[(s, s + length, label) for s, length, label in spans] for spans in every])
    corpus = corpus_of([(n, placed[0][0], placed[1][0])])
    found = sa.systems.strategy_scores(sa.evaluate(corpus, "gold"))
    for strategy in ("strict", "exact", "partial"):
        pairs = list(itertools.product(*placed))
        mean = sum(right_in_order(a, b, strategy) for a, b in pairs) / len(pairs)
        score = found.chance["system"][strategy]
        expected = float(2 * mean / (len(gold) + len(system)))
        assert score.expected == pytest.approx(expected, abs=1e-12)
        assert score.corrected == pytest.approx((score.observed - expected) / (1 - expected))
        assert score.observed == found.counts["system"][strategy].f1
    assert math.isnan(found.chance["system"]["type"].expected)
    assert "depend on their order" in found.chance["system"]["type"].reason


@pytest.mark.parametrize(
    ("spans", "settings", "missing"),
    [
        ([(0, 2, "X")], {}, {"type"}),
        ([(0, 120, "X")], {}, {"partial", "type"}),
        ([(0, 2, "X")], {"chance": "overlapping"}, {*STRATEGIES}),
        ([(0, 4, "X"), (1, 2, "Y")], {}, {*STRATEGIES}),
    ],
)
def test_where_chance_is_not_computed(spans, settings, missing):
    """Chance is undefined with a note where the pairs would not be those of a measure."""
    layers = {"gold": [spans], "mine": [[(0, 2, "X")]]}
    corpus = sa.Corpus.from_segments([300], layers)
    found = sa.systems.strategy_scores(sa.evaluate(corpus, **settings))
    scores = found.chance["mine"]
    assert {name for name in scores if math.isnan(scores[name].corrected)} == missing
    assert {note.partition(":")[0] for note in found.notes if "chance is not" in note} == missing


def test_at_places(sentences):
    """Under a rule of places chance is that of the measures; of partial it is not computed, as
    random segments have other lengths, and an overlap may be less than 1 %.
    """
    settings = {"places": "capitals", "chance_of": "systems"}
    evaluation = sa.evaluate(sentences, **settings)
    found = sa.systems.strategy_scores(evaluation)
    for name, scores in found.chance.items():
        for strategy in ("strict", "exact"):
            match = STRATEGIES[strategy].match
            theirs = sa.evaluate(sentences, match=match, **settings).systems[name].f1
            assert scores[strategy][:3] == pytest.approx(theirs[:3], rel=1e-12)
        assert math.isnan(scores["partial"].expected)
    assert "places:capitals|chance-of:systems" in found.signature


def test_undefined():
    """A side without a segment has no precision or recall; nervaluate prints 0."""
    corpus = sa.Corpus.from_segments([5, 5], {"gold": [[(0, 2, "X")], []], "mine": [[], []]})
    (one,) = {sa.systems.strategy_scores(sa.evaluate(corpus)).counts["mine"]["strict"]}
    assert math.isnan(one.precision)
    assert (one.recall, one.f1) == (0, 0)
    nothing = sa.systems.strategy_scores(sa.evaluate(corpus.subset([1])))
    assert all(math.isnan(x.f1) for x in nothing.counts["mine"].values())
    assert nothing.labels["mine"] == {}
    assert nothing.verdict == "F1 of mine: strict –, exact –, partial –, type –."


def test_quotes_that_are_not_in_the_text():
    """They are spurious, of their label too, and lower F1 and its chance as for any measure."""
    layers = {"gold": [[(0, 2, "X"), (3, 4, "Y")]], "mine": [[(0, 2, "X")]]}
    quotes = UnplacedQuotes.from_texts([0, 0], ["Y", "Y"], ["q", "r"], "tokens")
    corpus = sa.Corpus.from_segments([9], layers)
    corpus = corpus.replace(unplaced={"mine": quotes})
    found = sa.systems.strategy_scores(sa.evaluate(corpus))
    for strategy in ("strict", "exact", "partial"):
        assert found.counts["mine"][strategy] == (1, 0, 0, 1, 2)
        measured = sa.evaluate(corpus, match=STRATEGIES[strategy].match)["mine"].f1
        assert found.chance["mine"][strategy][:3] == pytest.approx(measured[:3])
    spurious = {label: rows["type"].spurious for label, rows in found.labels["mine"].items()}
    assert spurious == {"X": 0, "Y": 2}
    assert "unplaced:wrong" in found.signature
    left_out = sa.systems.strategy_scores(sa.evaluate(corpus, unplaced="ignore"))
    assert left_out.counts["mine"]["strict"] == (1, 0, 0, 1, 0)


def test_refused():
    """Rows and relations have no segments, and pieces no place in an order; nor is it a corpus."""
    corpus = sa.Corpus.from_segments([5], {"gold": [[(0, 2, "X")]], "mine": [[]]})
    with refuses(sa.SettingError, "strategies: Corpus; an evaluation is needed"):
        sa.systems.strategy_scores(corpus)
    pieces = sa.Corpus.from_segments(
        [9], {"gold": [[(((0, 2), (4, 5)), "X")]], "mine": [[(0, 2, "X")]]}
    )
    with refuses(
        sa.SettingError,
        "annotator 'gold', document '1': 'X' has several pieces … needed for strategies",
    ):
        sa.systems.strategy_scores(sa.evaluate(pieces))


def test_the_command(capsys):
    """A row for each system and strategy; labels are in JSON; what it does not regard is refused."""
    assert main(["evaluate", *FILES, "--by", "strategy", "--format", "json"]) == 0
    output = json.loads(capsys.readouterr().out)
    found = sa.systems.strategy_scores(sa.evaluate(sa.read(FILES)))
    rows = output["tables"]["strategies"]
    assert [row["strategy"] for row in rows] == [*STRATEGIES] * 2
    assert [row["correct"] for row in rows[:4]] == [
        one.correct for one in found.counts["lexicon.conll"].values()
    ]
    assert rows[3]["f1_expected"] is None
    assert [row["label"] for row in output["tables"]["labels"]][::4] == [
        label for labels in found.labels.values() for label in labels
    ]
    assert "|match:" not in output["signature"]
    assert "strategies:semeval" in output["signature"]
    assert "(Segura-Bedmar et al., 2013)" in " ".join(sa.cite(output["signature"]).split())
