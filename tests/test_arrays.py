"""Tables as arrays: rows packed into one number, against Python's own order of tuples."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from spanagree import arrays
from spanagree.arrays import argsort_rows, join_sorted, pack_rows, to_smallest_integers, unique_rows

numbers = st.one_of(st.integers(-3, 3), st.sampled_from([-(2**62), -(2**40), 2**40, 2**62]))
tables = st.integers(1, 4).flatmap(lambda width: st.lists(st.tuples(*[numbers] * width), max_size=9))  # fmt: skip


@given(tables, st.sampled_from([0, 100, 2**62]))
def test_rows_in_order(table, room):
    """Rows are sorted, and the distinct ones numbered, as Python does; packed or not."""
    columns = [np.array(column, np.int64) for column in zip(*table, strict=True)]
    if not table:
        columns = [np.zeros(0, np.int64)] * 2
    with patch.object(arrays, "_MAX_PACKED", room):
        order = argsort_rows(*columns)
        rows, which, counts = unique_rows(*columns)
        key = pack_rows(*columns)
    assert order.tolist() == sorted(range(len(table)), key=table.__getitem__)
    expected = sorted(set(table))
    assert list(zip(*(column.tolist() for column in rows), strict=True)) == expected
    assert which.tolist() == [expected.index(row) for row in table]
    assert counts.tolist() == [table.count(row) for row in expected]
    if key is not None:
        again = sorted(range(len(table)), key=key.tolist().__getitem__)
        assert [table[i] for i in again] == sorted(table)
        assert key.min() >= 0
        assert key.max() < room


@given(*[st.lists(st.integers(-3, 3), max_size=9)] * 2)
def test_equal_entries_are_joined(a, b):
    """All pairs of equal entries, those of one entry together, as two loops find them."""
    b.sort()
    i, j = join_sorted(np.array(a, np.int64), np.array(b, np.int64))
    pairs = [(x, y) for x in range(len(a)) for y in range(len(b)) if a[x] == b[y]]
    assert list(zip(i.tolist(), j.tolist(), strict=True)) == pairs


def test_what_is_not_packed():
    """Floats, numbers without a sign and no rows at all are left as they are."""
    for column in (np.array([0.5]), np.array([1], np.uint64), np.zeros(0, np.int64)):
        assert pack_rows(column) is None


@pytest.mark.parametrize(("most", "size"), [(0, 1), (127, 1), (128, 2), (32767, 2), (32768, 4)])
def test_small_numbers(most, size):
    """The smallest type that has all numbers, and −1."""
    small = to_smallest_integers([most])
    assert (small.tolist(), small.dtype.itemsize, small.dtype.kind) == ([most], size, "i")
