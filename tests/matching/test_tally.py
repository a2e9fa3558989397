"""Tallies and scores as sums and as data: by hand."""

from __future__ import annotations

import numpy as np

import spanagree as sa
from spanagree.matching.score import Interval


def tallies(matched, documents, expected=None):
    """One entry for each document, of sizes 1 and 2."""
    many = len(documents)
    return sa.Tallies(
        np.array(documents), np.zeros(many, np.int64), np.array(matched),
        np.zeros(many) if expected is None else np.array(expected),
        np.full(many, 1), np.full(many, 2),
    )  # fmt: skip


def test_table_leaves_other_documents_out():
    """Each document asked for has what its own entries add; those of others count nowhere."""
    table = tallies([1, 2, 4, 8, 16], [0, 1, 1, 2, 5]).table(np.array([1, 3, 5]))
    assert table.tolist() == [[6, 0, 2, 4], [0, 0, 0, 0], [16, 0, 1, 2]]


def test_totals_are_exact():
    """Sums of floats are rounded once, as fractions would be; sums of whole numbers stay whole."""
    tenths = [0.1] * 10
    total = tallies(tenths, range(10), tenths).total()
    assert (total.matched, total.expected, total.size_a, total.size_b) == (1.0, 1.0, 10, 20)
    whole = tallies([1, 2**53, 1], [0, 1, 2]).total()  # as a float, 2⁵³ + 1 is 2⁵³
    assert whole.matched == 2**53 + 2
    assert isinstance(whole.matched, int)


def test_intervals_are_not_compared():
    """Two tallies of the same counts are equal, with intervals or without; they do not show them."""
    some = sa.Tally(1, 0.5, 2, 3, {"f1": Interval((0, 1), (0, 1), (0, 1))})
    assert some == sa.Tally(1, 0.5, 2, 3)
    assert "intervals" not in repr(some)


def test_reasons_in_data():
    """JSON has a reason where there is one, and else no key for it."""
    ends = {"observed": (0, 1), "expected": (0, 0.5), "corrected": (0.25, 0.75)}
    as_lists = {name: list(pair) for name, pair in ends.items()}
    assert Interval(**ends).to_dict() == as_lists
    assert Interval(**ends, reason="few").to_dict() == {**as_lists, "reason": "few"}
    assert sa.Score(0.5, 0.25, 1 / 3).to_dict() == {"observed": 0.5, "expected": 0.25, "corrected": 1 / 3}  # fmt: skip
    nothing = sa.Tally().f1.to_dict()
    assert nothing == {"observed": None, "expected": None, "corrected": None, "undefined": "neither marked anything"}  # fmt: skip
