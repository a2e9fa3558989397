"""What chance says of two annotations: by hand, and below what a float holds."""

from __future__ import annotations

import math

import pytest

import spanagree as sa
from spanagree import match_distribution
from spanagree.chance.model import build_chance_model
from spanagree.comparisons import Tally
from spanagree.comparisons.counting import MatchCountOptions
from spanagree.uncertainty.chance_statistics import (
    COLUMNS,
    LEVEL,
    WHOLE,
    ChanceStatistics,
    PairChance,
    compute_chance_of_pairs,
    write_chance_note,
)


def chance_of(documents, marked=1, tokens=4):
    """Both mark the same single tokens in each document; the one that is tested is fixed."""
    spans = [[(i, i + 1, "X") for i in range(marked)]] * documents
    corpus = sa.Corpus.from_segments([tokens] * documents, {"a": spans, "b": spans})
    by_chance = (match_distribution(corpus, "a", "b", fixed=fixed) for fixed in ("a", None))
    return PairChance(*by_chance)


def test_progress_of_pairs():
    """Progress is told before each pair, and after the last."""
    corpus = sa.Corpus.from_segments([4], {name: [[(0, 1, "X")]] for name in "abc"})
    counting = MatchCountOptions(match="exact", chance=build_chance_model("nonoverlapping"))
    told = []
    compute_chance_of_pairs(
        corpus, [("a", "b"), ("a", "c")], counting, progress=lambda *counts: told.append(counts)
    )
    assert told == [(0, 2), (1, 2), (2, 2)]


def test_by_hand():
    """One of four tokens in each of two documents: each matches with 1/4, both with 1/16.

    The match has the variance 2 · 3/16, F1 is the match divided by 2; of chance 9/16 match nothing,
    15/16 one at most, so 95 of 100 cases are reached at 2, an F1 of 1.
    """
    figures = chance_of(2).compute_for_all(Tally(2, 0.5, 2, 2))
    assert figures.sd == pytest.approx(math.sqrt(6 / 16) / 2)
    assert (figures.high, figures.p) == (1, pytest.approx(1 / 16))
    assert figures.z == pytest.approx(1.5 / math.sqrt(6 / 16))
    assert figures.log10_p == pytest.approx(-math.log10(16))
    assert math.isnan(figures.p_bh)
    each = chance_of(2).compute_for_documents({0: Tally(1, 0.25, 1, 1), 1: Tally(0, 0.25, 1, 1)})
    assert [x.p for x in each.values()] == pytest.approx([1 / 4, 1])
    assert [x.p_bh for x in each.values()] == pytest.approx([1 / 2, 1])


def test_point_below_the_greatest_match():
    """Of four documents chance matches two with .949, three with .996: three are 95 of 100 cases."""
    by_chance = chance_of(4)
    figures = by_chance.compute_for_all(Tally(3, 1, 4, 4))
    assert figures.high == 3 / 4
    assert figures.p == pytest.approx(13 / 256)
    first = by_chance.compute_for_documents({0: Tally(1, 0.25, 1, 1), 1: Tally(0, 0.25, 1, 1)})[0]
    assert first.list_values()[3:] == pytest.approx([1 / 4, 1 / 2])


def test_logarithm_below_floats():
    """40 of 120 tokens in each of 20 documents: all of them by chance has C(120, 40) ** −20."""
    by_chance = chance_of(20, 40, 120)
    figures = by_chance.compute_for_all(Tally(800, 1, 800, 800))
    assert figures.p == 1e-290
    assert figures.log10_p == pytest.approx(-20 * math.log10(math.comb(120, 40)), rel=1e-12)


def test_holm_below_floats():
    """Two perfect systems of 40 of 120 tokens in 20 documents: twice C(120, 40) ** −20.

    People read that it is below .001, programs its logarithm.
    """
    spans = [[(3 * i, 3 * i + 1, "X") for i in range(40)]] * 20
    corpus = sa.Corpus.from_segments([120] * 20, dict.fromkeys(("gold", "one", "two"), spans))
    test = sa.chance_test(corpus, sa.evaluate(corpus))
    log10 = math.log10(2) - 20 * math.log10(math.comb(120, 40))
    assert test.systems["one"].log10_p_holm == pytest.approx(log10, rel=1e-9)
    assert str(test).count("< .001  < .001") == 2
    of_team = sa.agree(corpus, annotators=["one", "two"], p_values=True).table("pair")
    for row in (*test.table().to_rows(), *of_team.to_rows()):  # what a float cannot hold
        holm = log10 if "system" in row else log10 - math.log10(2)
        assert row["log10_p_holm"] == pytest.approx(holm, rel=1e-9)
        assert row["log10_p"] == pytest.approx(log10 - math.log10(2), rel=1e-9)


def test_nothing_marked():
    """Without segments there is no F1, so none by chance."""
    figures = chance_of(1).compute_for_all(Tally(0, 0, 0, 0))
    assert math.isnan(figures.sd)
    assert math.isnan(figures.high)


def test_what_cannot_be_told_from_chance():
    """That is what lies above the level; where chance cannot vary nothing is asked.

    A perfect match in a short document may be as likely by chance: those are counted apart.
    """
    least = iter((0.001, 0.001, 0.001, 0.25, 0.25))
    figures = [
        ChanceStatistics(0, 0, 0, p, 0, next(least), p) for p in (0.01, LEVEL, 0.051, 1, math.nan)
    ]
    assert write_chance_note(figures, "sentence of pairs", "B-H") == (
        "2 of 4 sentences of pairs in which chance can vary cannot be told from chance"
        " (B-H, 5 %); 1 of these could not with any match"
    )
    assert write_chance_note(figures[:3], "document", "B-H").endswith("told from chance (B-H, 5 %)")
    assert write_chance_note(figures[4:], "document", "B-H") == ""
    perfect = chance_of(60)
    each = perfect.compute_for_documents({d: Tally(1, 0.25, 1, 1) for d in range(60)})
    assert {f.least_p for f in each.values()} == {0.25}
    assert "60 of 60" in write_chance_note(list(each.values()), "document", "B-H")


def test_columns_of_all_documents():
    """Over all documents there is no correction for many."""
    assert [column.title or column.key for column in COLUMNS[:WHOLE]] == [
        "sd",
        "95 %",
        "z",
        "p",
    ]
