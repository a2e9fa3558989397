"""Tallies and scores as sums and as data: by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest

import spanagree as sa
from spanagree.comparisons.table import ALL, Comparisons
from spanagree.results import Interval
from spanagree.results.score import (
    CERTAIN,
    build_corrected_score,
    compute_all_figures,
    compute_f1_figures,
    correct_figures,
)
from spanagree.results.score_columns import ScoreColumns


def tallies(matched, documents, expected=None):
    """One entry for each document, of sizes 1 and 2."""
    many = len(documents)
    return sa.Comparisons.of(
        np.array(documents), np.zeros(many, np.int64), np.array(matched),
        np.zeros(many) if expected is None else np.array(expected),
        (np.full(many, 1), np.full(many, 2)),
    )  # fmt: skip


def test_table_leaves_other_documents_out():
    """Each document asked for has what its own entries add; those of others count nowhere."""
    table = tallies([1, 2, 4, 8, 16], [0, 1, 1, 2, 5]).table(np.array([1, 3, 5]))
    assert table.tolist() == [[6, 0, 2, 4], [0, 0, 0, 0], [16, 0, 1, 2]]


def test_totals_of_floats_and_whole_numbers():
    """Sums of floats are rounded at each step by half an epsilon; those of whole numbers are whole."""
    tenths = [0.1] * 10
    total = tallies(tenths, range(10), tenths).total()
    rounded = pytest.approx(1.0, rel=10 * np.finfo(float).eps)
    assert (total.matched, total.expected) == (rounded, rounded)
    assert (total.size_a, total.size_b) == (10, 20)
    whole = tallies([1, 2**52, 1], [0, 1, 2]).total()  # a float holds whole numbers up to 2⁵³
    assert whole.matched == 2**52 + 2
    assert isinstance(whole.matched, int)


def test_intervals_are_not_compared():
    """Two tallies of the same counts are equal, with intervals or without; scores show them."""
    some = sa.Tally(1, 0.5, 2, 3, {"f1": Interval((0, 1), (0, 1), (0, 1))})
    assert some == sa.Tally(1, 0.5, 2, 3)
    assert "intervals" not in repr(some)
    assert some.f1.interval == some.intervals["f1"]
    assert some.precision.interval is sa.Tally(1, 0.5, 2, 3).f1.interval is None


def test_reasons_in_data():
    """JSON has a reason where there is one, and else no key for it."""
    ends = {"observed": (0, 1), "expected": (0, 0.5), "corrected": (0.25, 0.75)}
    as_lists = {name: list(pair) for name, pair in ends.items()}
    assert Interval(**ends).to_dict() == as_lists
    assert Interval(**ends, reason="few").to_dict() == {**as_lists, "reason": "few"}
    assert sa.Score(0.5, 0.25, 1 / 3).to_dict() == {"observed": 0.5, "expected": 0.25, "corrected": 1 / 3}  # fmt: skip
    nothing = sa.Tally().f1.to_dict()
    assert nothing == {"observed": None, "expected": None, "corrected": None, "undefined": "neither marked anything"}  # fmt: skip


def test_intervals_in_data():
    """A score has its interval in JSON if it was asked for, whose undefined ends are null."""
    ends = Interval((0, 1), (math.nan, math.nan), (0.25, 0.75), "few")
    data = sa.Score(0.5, 0.25, 1 / 3, interval=ends).to_dict()
    assert list(data) == ["observed", "expected", "corrected", "interval"]
    assert data["interval"] == ends.to_dict()
    assert data["interval"]["expected"] == [None, None]


def test_figures_of_sums():
    """Rows of sums have the figures of a tally with these counts, whatever axes are before the last."""
    sums = np.array([[[1, 0.5, 2, 4], [0, 0.25, 1, 1], [2, 1, 2, 3]], [[3, 2.5, 4, 4], [0, 0, 0, 1], [1, 0, 1, 0]]])  # fmt: skip
    found = compute_all_figures(sums)
    assert found.shape == (2, 3, 9)
    for place in np.ndindex(2, 3):
        tally = sa.Tally(*sums[place].tolist())
        want = [x for score in (tally.precision, tally.recall, tally.f1) for x in score[:3]]
        np.testing.assert_allclose(found[place], want)
    f1 = compute_f1_figures(
        np.stack((sums[..., 0], sums[..., 1], sums[..., 2] + sums[..., 3]), axis=-1)
    )
    np.testing.assert_array_equal(f1, found[..., 6:])


def test_correction_where_chance_gives_all():
    """Nothing is defined above chance of 1, nor of what rounding leaves below it; by hand below that."""
    by_chance = np.array([1, 1 - CERTAIN / 2, 1 + CERTAIN / 2, 0.5, 1 - 1e-6])
    with np.errstate(divide="ignore"):
        found = correct_figures(np.full(5, 0.75), by_chance)
    assert np.isnan(found).tolist() == [True, True, True, False, False]
    assert found[3] == 0.5
    assert found[4] == pytest.approx((0.75 - 1 + 1e-6) / 1e-6)
    for expected, value in zip(by_chance.tolist(), found.tolist(), strict=True):
        score = build_corrected_score(0.75, expected)
        assert (score.reason == "chance alone gives 1") == math.isnan(value)
        assert score.corrected == pytest.approx(value, nan_ok=True)


def test_columns_of_a_score():
    """People see intervals if asked, behind each figure that has a title; data has both ends."""
    ends = Interval((0, 1), (0.125, 0.25), (0.5, 0.75))
    score = sa.Score(0.5, 0.25, 1 / 3, interval=ends)
    plain, asked = (ScoreColumns("f1", ("F1", "", "corrected"), *x) for x in ((), (True,)))
    assert [(c.key, c.title) for c in plain.columns] == [("f1", ""), ("f1_observed", "F1"), ("f1_expected", ""), ("f1_corrected", "corrected")]  # fmt: skip
    assert [c.in_data for c in plain.columns] == [False, True, True, True]  # JSON has the first
    assert plain.list_values(score) == [score, 0.5, 0.25, 1 / 3]
    assert [c.title for c in asked.columns] == ["", "F1", "interval", "", "corrected", "interval"]
    assert asked.list_values(score) == [score, 0.5, (0, 1), 0.25, 1 / 3, (0.5, 0.75)]
    assert asked.list_values(sa.Score(0.5, 0.25, 1 / 3))[2] is None
    assert [c.key for c in plain.ends] == [f"f1_{k}_{end}" for k in ("observed", "expected", "corrected") for end in ("low", "high")]  # fmt: skip
    assert plain.list_end_values(score) == [0, 1, 0.125, 0.25, 0.5, 0.75]
    assert all(map(math.isnan, plain.list_end_values(sa.Score(0.5, 0.25, 1 / 3))))


def test_rows_without_a_label_keep_none():
    """Indices of labels become positions in longer lists; rows of all labels stay as they are."""
    no_match, ones = np.zeros(2), np.ones(2, np.int64)
    rows = Comparisons.of(np.arange(2), np.array([0, ALL]), no_match, no_match, (ones, ones))
    joined = rows.named(("a", "b"), ("X",)).convert_indices(("a", "b"), ("A", "X"))
    assert joined.label.tolist() == [1, ALL]
