"""Types that many rooms share, of arrays and of progress; and ranges and groups in arrays."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Ints: TypeAlias = NDArray[np.int64]
Floats: TypeAlias = NDArray[np.float64]
Complexes: TypeAlias = NDArray[np.complex128]
Bools: TypeAlias = NDArray[np.bool_]
Hashes: TypeAlias = NDArray[np.uint64]

_ROOM = 2**62  # of rows that are packed into one number

Progress: TypeAlias = Callable[[int, int], None] | None
"""Called with the number of steps that are done, and of all; or nothing."""


def as_small(numbers: Any) -> Ints:
    """Return numbers in the smallest type that has them and −1, for arrays as long as a corpus.

    >>> as_small([3, 200]).dtype.itemsize
    2
    """
    array: Any = np.asarray(numbers)
    most = int(array.max(initial=0))
    return array.astype(np.min_scalar_type(-most - 1))


def sub_progress(progress: Progress, name: str) -> Progress:
    """Return the progress of a step by its name, if what is called shows names."""
    return getattr(progress, "step", lambda _: progress)(name)


def unique(numbers: NDArray[Any]) -> NDArray[Any]:
    """Return the distinct numbers of an array, sorted; :func:`numpy.unique` loads ``numpy.ma``.

    >>> unique(np.array([[2, 1], [2, 5]])).tolist()
    [1, 2, 5]
    """
    ordered = np.sort(numbers, axis=None)
    new = np.ones(len(ordered), np.bool_)
    new[1:] = ordered[1:] != ordered[:-1]
    return ordered[new]


def unique_rows(*columns: Ints) -> tuple[tuple[Ints, ...], Ints, Ints]:
    """Return a table's distinct rows, sorted; which of them each row is; how often each occurs.

    >>> rows, which, counts = unique_rows(np.array([2, 1, 2]), np.array([5, 5, 5]))
    >>> [column.tolist() for column in rows], which.tolist(), counts.tolist()
    ([[1, 2], [5, 5]], [1, 0, 1], [1, 2])
    """
    key = packed(*columns)
    if key is not None and key.max() < len(key):  # few numbers are counted, which is faster
        counts = np.bincount(key)
        which = (np.cumsum(counts > 0) - 1)[key]
        counts = counts[counts > 0]
        row = np.empty(len(counts), np.int64)
        row[which] = np.arange(len(key))
        return tuple(column[row] for column in columns), which, counts
    order = np.lexsort(columns[::-1]) if key is None else _order(key)
    ordered = [column[order] for column in (columns if key is None else (key,))]
    new = np.ones(len(order), np.bool_)
    new[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in ordered])
    number = np.cumsum(new) - 1
    which = np.empty(len(order), np.int64)
    which[order] = number
    return tuple(column[order[new]] for column in columns), which, np.bincount(number)


def packed(*columns: Ints) -> Ints | None:
    """Return one number for each row of a table, in the order of rows; none if it has no room.

    >>> packed(np.array([2, 1, 2]), np.array([5, 7, 6]))
    array([3, 2, 4])
    """
    if not len(columns[0]) or any(column.dtype.kind != "i" for column in columns):
        return None
    lows = [int(column.min()) for column in columns]
    spans = [int(column.max()) - low + 1 for column, low in zip(columns, lows, strict=True)]
    if math.prod(spans) > _ROOM:
        return None
    key = np.zeros(len(columns[0]), np.int64)
    for column, low, span in zip(columns, lows, spans, strict=True):
        key *= span
        key += column - low
    return key


def row_order(*columns: Ints) -> Ints:
    """Return the order of a table's rows; equal rows stay in the order they come in.

    >>> row_order(np.array([2, 1, 2]), np.array([6, 7, 5])).tolist()
    [1, 2, 0]
    """
    key = packed(*columns)
    return np.lexsort(columns[::-1]) if key is None else _order(key)


def _order(key: Ints) -> Ints:
    """Return the stable order of numbers from 0 on, fast where they rise for long."""
    if key.max(initial=0) < 1 << 16:
        key = key.astype(np.uint16)  # sorted by digits
    return np.argsort(key, kind="stable")


def unique_matrix_rows(table: NDArray[Any]) -> tuple[NDArray[Any], Ints, Ints]:
    """Return a matrix's distinct rows; which of them each row is; how often each occurs.

    Rows are compared as bytes: their order is one of its own, whatever order they come in.

    >>> rows, which, counts = unique_matrix_rows(np.array([[2, 5], [1, 5], [2, 5]]))
    >>> rows[which].tolist(), sorted(counts.tolist())
    ([[2, 5], [1, 5], [2, 5]], [1, 2])
    """
    if not table.size:
        rows = table[:1]
        return rows, np.zeros(len(table), np.int64), np.full(len(rows), len(table))
    table = np.ascontiguousarray(table + table.dtype.type(0))  # −0.0 becomes 0.0
    as_bytes = table.view(np.dtype((np.void, table.itemsize * table.shape[1]))).ravel()
    _, first, which, counts = np.unique(
        as_bytes, return_index=True, return_inverse=True, return_counts=True
    )
    return table[first], which.reshape(-1), counts


def is_repeated_row(*columns: Ints) -> Bools:
    """Return which rows of a table stand further up already.

    >>> is_repeated_row(np.array([2, 1, 2]), np.array([5, 5, 5])).tolist()
    [False, False, True]
    """
    again = np.zeros(len(columns[0]), np.bool_)
    if in_order(*columns):  # equal rows are neighbours
        again[1:] = np.logical_and.reduce([column[1:] == column[:-1] for column in columns])
        return again
    _, which, _ = unique_rows(*columns)
    again[:] = True
    again[np.unique(which, return_index=True)[1]] = False
    return again


def first_equal_row(*columns: Ints) -> Ints:
    """Return for each row of a table the first row that is the same.

    >>> first_equal_row(np.array([2, 1, 2]), np.array([5, 5, 5])).tolist()
    [0, 1, 0]
    """
    _, which, _ = unique_rows(*(np.asarray(column, np.int64) for column in columns))
    first = np.full(int(which.max(initial=-1)) + 1, len(which))
    np.minimum.at(first, which, np.arange(len(which)))
    return first[which]


def in_order(*columns: Ints) -> bool:
    """Return whether the rows of a table are sorted already.

    >>> in_order(np.array([1, 1, 2]), np.array([3, 4, 0]))
    True
    """
    rising = np.ones(max(len(columns[0]) - 1, 0), np.bool_)
    for column in reversed(columns):
        rising = (column[1:] > column[:-1]) | ((column[1:] == column[:-1]) & rising)
    return bool(rising.all())


def group_indices(which: Ints, count: int) -> list[Ints]:
    """Return for each number below ``count`` the indices at which it stands.

    >>> [g.tolist() for g in group_indices(np.array([1, 0, 1]), 3)]
    [[1], [0, 2], []]
    """
    order = np.argsort(which, kind="stable")
    return np.split(order, np.cumsum(np.bincount(which, minlength=count)))[:count]


def places_in(table: tuple[Ints, Ints], rows: tuple[Ints, Ints]) -> Ints:
    """Return the places of rows in a sorted table of two columns, which has them all.

    >>> table = np.array([0, 0, 2]), np.array([1, 4, 3])
    >>> places_in(table, (np.array([2, 0]), np.array([3, 4]))).tolist()
    [2, 1]
    """
    wide = 1 + int(table[1].max(initial=0))
    (first, second), (of_row, behind) = table, rows
    return np.searchsorted(first * wide + second, of_row * wide + behind)


def dense_ranks(values: Sequence[Any]) -> Ints:
    """Return the place of each value among all, sorted: in a canonical order.

    >>> dense_ranks(["cem", "ann", "bob"]).tolist()
    [2, 0, 1]
    """
    place = np.empty(len(values), np.int64)
    place[sorted(range(len(values)), key=values.__getitem__)] = np.arange(len(values))
    return place


def compact(values: Ints) -> Ints:
    """Return whole numbers in 32 bits where all of them fit, for what is only stored.

    >>> compact(np.array([1, -7])).itemsize, compact(np.array([1, 2**40])).itemsize
    (4, 8)
    """
    fits = values.max(initial=0) < 2**31 and values.min(initial=0) >= -(2**31)
    return values.astype(np.int32, copy=False) if fits else values


def expand_ranges(low: Ints, high: Ints) -> tuple[Ints, Ints]:
    """Return all numbers from each low up to its high, concatenated, and each one's range.

    >>> [x.tolist() for x in expand_ranges(np.array([3, 8]), np.array([5, 9]))]
    [[3, 4, 8], [0, 0, 1]]
    """
    size = high - low
    numbers: Ints = np.repeat(low - np.cumsum(size) + size, size) + np.arange(int(size.sum()))
    return numbers, np.repeat(np.arange(len(low)), size)


def batches_up_to(sizes: Ints, together: int, most: int | None = None) -> Iterator[tuple[int, int]]:
    """Yield from which to which row sizes add up to no more than is asked for, or one row.

    ``most``: how many rows stand together at the most.

    >>> list(batches_up_to(np.array([2, 2, 9, 1]), 4))
    [(0, 2), (2, 3), (3, 4)]
    """
    low, up_to = 0, np.cumsum(sizes)
    while low < len(sizes):
        room = (up_to[low - 1] if low else 0) + together
        high = max(low + 1, int(np.searchsorted(up_to, room, side="right")))
        high = high if most is None else min(high, low + most)
        yield low, high
        low = high


def entries(lengths: Ints, rows: Ints) -> Ints:
    """Return the places of some rows' entries, where the entries of all rows are concatenated.

    >>> entries(np.array([2, 1, 3]), np.array([2, 0])).tolist()
    [3, 4, 5, 0, 1]
    """
    first = (np.cumsum(lengths) - lengths)[rows]
    return expand_ranges(first, first + lengths[rows])[0]


def join(a: Ints, b: Ints) -> tuple[Ints, Ints]:
    """Return the indices of all pairs of equal entries; ``b`` is sorted.

    >>> [x.tolist() for x in join(np.array([7, 4]), np.array([4, 4, 7]))]
    [[0, 1, 1], [2, 0, 1]]
    """
    low = np.searchsorted(b, a, side="left")
    high = low.copy()
    there = np.flatnonzero(low < len(b))
    there = there[b[low[there]] == a[there]]  # few, as a rule
    high[there] = np.searchsorted(b, a[there], side="right")
    j, i = expand_ranges(low, high)
    return i, j


def join_unsorted(a: Ints, b: Ints) -> tuple[Ints, Ints]:
    """Return the indices of all pairs of equal entries, in the order of ``a``.

    >>> [x.tolist() for x in join_unsorted(np.array([7, 4]), np.array([7, 4, 4]))]
    [[0, 1, 1], [0, 1, 2]]
    """
    order = np.argsort(b, kind="stable")
    i, j = join(a, b[order])
    return i, order[j]


def hash_names(names: Iterable[str]) -> Hashes:
    """Return a number for each name, wherever it is made the same; two hardly ever share one.

    >>> a, b, again = hash_names(["a", "b", "a"]).tolist()
    >>> a == again, a == b
    (True, False)
    """
    from hashlib import blake2b  # lazy, as it loads a library of its own

    digests = (
        blake2b(name.encode(errors="surrogatepass"), digest_size=8).digest() for name in names
    )
    return np.frombuffer(b"".join(digests), "<u8").astype(np.uint64)


# splitmix64 (Steele, Lea & Flood 2014)
MIX_STEP, _MIX_1, _MIX_2 = map(
    np.uint64, (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
)


def mixed(numbers: Hashes) -> Hashes:
    """Mix the bits of numbers, so that each bit of the result depends on all of them.

    >>> bool((mixed(np.array([1, 2], np.uint64)) > np.uint64(2**40)).all())
    True
    """
    numbers = (numbers ^ (numbers >> np.uint64(30))) * _MIX_1
    numbers = (numbers ^ (numbers >> np.uint64(27))) * _MIX_2
    return numbers ^ (numbers >> np.uint64(31))
