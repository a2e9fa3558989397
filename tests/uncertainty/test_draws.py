"""How often each unit is drawn: as often as theory says, and portions change nothing."""

from __future__ import annotations

import numpy as np
import pytest
from spanagree.uncertainty.evidence import joined

from spanagree.uncertainty import draws


@pytest.mark.parametrize(
    ("times", "kept"),
    [([3, 1, 2], 1 << 20), ([3, 1, 2], 0), ([60, 20, 40], 1 << 20), ([7], 0), ([1] * 9, 0)],
)
def test_draws_are_multinomial(times, kept, monkeypatch):
    """Each resample has all units; means and variances are the multinomial's, to 4 standard errors.

    A variance errs by about its √(3/resamples), as the counts are nearly normal or have less tail.
    """
    monkeypatch.setattr(draws, "_KEPT", kept)
    times, count = np.array(times), 40_000
    drawn = np.concatenate(
        [*draws.weights(np.repeat(np.arange(len(times)), times), len(times), count, 7, len(times))]
    )
    assert drawn.shape == (count, len(times))
    assert (drawn.sum(1) == times.sum()).all()
    variance = times * (1 - times / times.sum())
    assert (abs(drawn.mean(0) - times) <= 4 * np.sqrt(variance / count)).all()
    assert (abs(drawn.var(0) - variance) <= 4 * variance * np.sqrt(3 / count)).all()


@pytest.mark.parametrize(("times", "kept"), [([3, 1, 2], 1 << 20), ([3, 1, 2], 0), ([60, 20], 0)])
def test_portions_change_no_draw(times, kept, monkeypatch):
    """In portions of one resample or of many, the same is drawn."""
    monkeypatch.setattr(draws, "_KEPT", kept)
    row = np.repeat(np.arange(len(times)), times)
    whole = np.concatenate([*draws.weights(row, len(times), 50, 3, 6)])
    for cells in (1, 42):
        monkeypatch.setattr(draws, "CELLS", cells)
        monkeypatch.setattr(draws, "_NEAR", cells)
        parts = [*draws.weights(row, len(times), 50, 3, 6)]
        assert max(map(len, parts)) == max(1, cells // 6)
        np.testing.assert_array_equal(np.concatenate(parts), whole)


def test_portions(monkeypatch):
    """By hand: as many rows as eight cells hold, and one at the least."""
    monkeypatch.setattr(draws, "CELLS", 8)
    assert [*draws.portions(5, 3)] == [(0, 2), (2, 4), (4, 5)]
    assert [*draws.portions(2, 9)] == [(0, 1), (1, 2)]
    assert [*draws.portions(9, 0)] == [(0, 8), (8, 9)]
    assert [*draws.portions(0, 1)] == []


def test_few_ways():
    """Two units are drawn in 3 ways, three in 10, also if they are alike: four draws of each at least."""
    for times, ways in (([1, 1], 3), ([2, 1], 10), ([1, 1, 1], 10), ([2], 3)):
        row = np.repeat(np.arange(len(times)), times)
        ask = row, len(times)
        assert draws.few_ways(*ask, 4 * ways - 1, 0) is None
        rows, often = draws.few_ways(*ask, 40 * ways, 0)
        whole = np.concatenate([*draws.weights(*ask, 40 * ways, 0, 1)])
        expected, counts = np.unique(whole, axis=0, return_counts=True)
        summed, which = np.unique(rows, axis=0, return_inverse=True)
        np.testing.assert_array_equal(summed, expected)
        np.testing.assert_array_equal(np.bincount(which.reshape(-1), often), counts)
        assert draws.few_ways(*ask, 4 * ways, 0) is not None
    none = np.array([], np.int64)
    assert draws.few_ways(none, 0, 100, 0) is None
    assert [each.shape for each in draws.weights(none, 0, 100, 0, 0)] == [(100, 0)]


def test_no_bound_below_minus_one():
    """Above chance of .9, nothing at all would be −9: the bound is −1, the least that is shown."""
    wide, _ = joined([(0, 0)] * 3, [0.0, 0.9, -9.0], (10, 10, 0), 0.025)
    assert wide[2][0] == -1
