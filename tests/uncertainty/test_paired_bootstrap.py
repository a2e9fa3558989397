"""The paired bootstrap's p, against all resamples."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from spanagree.uncertainty import paired_bootstrap
from spanagree.uncertainty.paired_bootstrap import compute_bootstrap_p

RESAMPLES = 20_000
DISTINCT = [[3, 1], [1, 2], [4, 4], [2, 0], [0, 1]]
FEW_EQUAL = np.array(DISTINCT, float)
MANY_EQUAL = np.array([[1, 0]] * 13 + [[0, 1]] * 12, float)


def difference(sums):
    return sums[:, :1] - sums[:, 1:]


def enumerate_p(rows):
    """Share of all resamples whose difference is as far from D as D is from 0, in fractions."""
    kinds, numbers = np.unique(rows[:, 0] - rows[:, 1], return_counts=True)
    observed = int(rows[:, 0].sum() - rows[:, 1].sum())
    ways = {0: 1}  # sum of differences: number of draws of so many documents
    for _ in range(len(rows)):
        later = {}
        for (total, count), (kind, number) in itertools.product(
            ways.items(), zip(kinds.astype(int), numbers, strict=True)
        ):
            later[total + kind] = later.get(total + kind, 0) + count * int(number)
        ways = later
    extreme = sum(n for total, n in ways.items() if abs(total - observed) >= abs(observed))
    return Fraction(extreme, len(rows) ** len(rows))


@pytest.mark.parametrize(
    ("rows", "way"),
    [(FEW_EQUAL, "_draw_documents"), (MANY_EQUAL, "_draw_equal_rows")],
    ids=["few equal rows", "many equal rows"],
)
def test_p_is_that_of_all_resamples(rows, way, monkeypatch):
    """Both ways of drawing documents give the p of enumeration, within 4 standard errors."""
    other = {"_draw_documents", "_draw_equal_rows"} - {way}
    monkeypatch.setattr(paired_bootstrap, other.pop(), None)  # it is not called
    p = float(enumerate_p(rows))
    assert 0.05 < p < 0.95
    drawn = compute_bootstrap_p(rows, difference, RESAMPLES, 0)[0]
    assert drawn == pytest.approx(p, abs=4 * np.sqrt(p * (1 - p) / RESAMPLES) + 1 / RESAMPLES)


@pytest.mark.parametrize("rows", [FEW_EQUAL, MANY_EQUAL], ids=["few", "many"])
def test_the_order_of_documents_does_not_matter(rows):
    """p of the same seed is the same, whatever the order of the documents."""
    order = np.random.default_rng(1).permutation(len(rows))
    first = compute_bootstrap_p(rows, difference, 500, 3)
    assert first == compute_bootstrap_p(rows[order], difference, 500, 3)
    assert (
        len({float(compute_bootstrap_p(rows, difference, 500, seed)[0]) for seed in range(9)}) > 1
    )


@pytest.mark.parametrize("near", [1, 12, 1 << 16])
def test_batches_do_not_change_what_is_drawn(near, monkeypatch):
    """A batch of one resample, of two, and of all give the same p."""
    whole = compute_bootstrap_p(FEW_EQUAL, difference, 501, 0)
    monkeypatch.setattr(paired_bootstrap, "_NEAR", near)
    assert compute_bootstrap_p(FEW_EQUAL, difference, 501, 0) == whole
