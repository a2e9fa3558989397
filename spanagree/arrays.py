"""Types of arrays and of progress functions; operations on rows, ranges, sorted arrays and names.

A *table* is a list of columns, arrays of equal length. Its rows are compared by their first column,
then by the second, and so on.
"""

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

_MAX_PACKED = 2**62  # combinations of values that fit into one integer

Progress: TypeAlias = Callable[[int, int], None] | None
"""Function that is called with the number of completed steps and of all steps, or `None`."""


def to_smallest_integers(numbers: Any) -> Ints:
    """Convert numbers to the smallest signed integer type that holds them and −1.

    >>> to_smallest_integers([3, 200]).dtype.itemsize
    2
    """
    array: Any = np.asarray(numbers)
    maximum = int(array.max(initial=0))
    return array.astype(np.min_scalar_type(-maximum - 1))


def sub_progress(progress: Progress, name: str) -> Progress:
    """Select the progress function of a named step; the same function if it has no steps."""
    return getattr(progress, "step", lambda _: progress)(name)


def unique(numbers: NDArray[Any]) -> NDArray[Any]:
    """Find the distinct numbers of an array, sorted.

    Unlike :func:`numpy.unique`, this does not load ``numpy.ma``.

    >>> unique(np.array([[2, 1], [2, 5]])).tolist()
    [1, 2, 5]
    """
    sorted_numbers = np.sort(numbers, axis=None)
    is_new = np.ones(len(sorted_numbers), np.bool_)
    is_new[1:] = sorted_numbers[1:] != sorted_numbers[:-1]
    return sorted_numbers[is_new]


def unique_rows(*columns: Ints) -> tuple[tuple[Ints, ...], Ints, Ints]:
    """Find the distinct rows of a table, sorted.

    Returns:
        Columns of the distinct rows, the index of the distinct row of each row, and the number of
        rows that equal each distinct row.

    >>> rows, inverse, counts = unique_rows(np.array([2, 1, 2]), np.array([5, 5, 5]))
    >>> [column.tolist() for column in rows], inverse.tolist(), counts.tolist()
    ([[1, 2], [5, 5]], [1, 0, 1], [1, 2])
    """
    key = pack_rows(*columns)
    if key is not None and key.max() < len(key):  # counting is faster than sorting for few numbers
        counts = np.bincount(key)
        inverse = (np.cumsum(counts > 0) - 1)[key]
        counts = counts[counts > 0]
        any_row = np.empty(len(counts), np.int64)
        any_row[inverse] = np.arange(len(key))
        return tuple(column[any_row] for column in columns), inverse, counts
    order = np.lexsort(columns[::-1]) if key is None else _argsort(key)
    sorted_columns = [column[order] for column in (columns if key is None else (key,))]
    is_new = np.ones(len(order), np.bool_)
    is_new[1:] = np.logical_or.reduce([column[1:] != column[:-1] for column in sorted_columns])
    distinct_index = np.cumsum(is_new) - 1
    inverse = np.empty(len(order), np.int64)
    inverse[order] = distinct_index
    return tuple(column[order[is_new]] for column in columns), inverse, np.bincount(distinct_index)


def pack_rows(*columns: Ints) -> Ints | None:
    """Pack each row of a table into one integer, in the order of rows; ``None`` if too large.

    >>> pack_rows(np.array([2, 1, 2]), np.array([5, 7, 6]))
    array([3, 2, 4])
    """
    if not len(columns[0]) or any(column.dtype.kind != "i" for column in columns):
        return None
    lows = [int(column.min()) for column in columns]
    n_values = [int(column.max()) - low + 1 for column, low in zip(columns, lows, strict=True)]
    if math.prod(n_values) > _MAX_PACKED:
        return None
    key = np.zeros(len(columns[0]), np.int64)
    for column, low, n_values_of_column in zip(columns, lows, n_values, strict=True):
        key *= n_values_of_column
        key += column - low
    return key


def argsort_rows(*columns: Ints) -> Ints:
    """Compute the row indices that sort a table; equal rows keep their order.

    >>> argsort_rows(np.array([2, 1, 2]), np.array([6, 7, 5])).tolist()
    [1, 2, 0]
    """
    key = pack_rows(*columns)
    return np.lexsort(columns[::-1]) if key is None else _argsort(key)


def _argsort(key: Ints) -> Ints:
    """Compute the indices that sort non-negative integers; equal numbers keep their order.

    Long ascending runs are fast.
    """
    if key.max(initial=0) < 1 << 16:
        key = key.astype(np.uint16)  # NumPy sorts 16-bit integers by radix
    return np.argsort(key, kind="stable")


def unique_matrix_rows(table: NDArray[Any]) -> tuple[NDArray[Any], Ints, Ints]:
    """Find the distinct rows of a matrix.

    Rows are compared as bytes, so their order is fixed, but not that of the numbers.

    Returns:
        Distinct rows, the index of the distinct row of each row, and the number of rows that equal
        each distinct row.

    >>> rows, inverse, counts = unique_matrix_rows(np.array([[2, 5], [1, 5], [2, 5]]))
    >>> rows[inverse].tolist(), sorted(counts.tolist())
    ([[2, 5], [1, 5], [2, 5]], [1, 2])
    """
    if not table.size:
        rows = table[:1]
        return rows, np.zeros(len(table), np.int64), np.full(len(rows), len(table))
    table = np.ascontiguousarray(table + table.dtype.type(0))  # −0.0 becomes 0.0
    as_bytes = table.view(np.dtype((np.void, table.itemsize * table.shape[1]))).ravel()
    _, first, inverse, counts = np.unique(
        as_bytes, return_index=True, return_inverse=True, return_counts=True
    )
    return table[first], inverse.reshape(-1), counts


def is_repeated_row(*columns: Ints) -> Bools:
    """Mask the rows of a table that equal an earlier row.

    >>> is_repeated_row(np.array([2, 1, 2]), np.array([5, 5, 5])).tolist()
    [False, False, True]
    """
    is_repeated = np.zeros(len(columns[0]), np.bool_)
    if is_sorted(*columns):  # equal rows are neighbours
        is_repeated[1:] = np.logical_and.reduce([column[1:] == column[:-1] for column in columns])
        return is_repeated
    _, inverse, _ = unique_rows(*columns)
    is_repeated[:] = True
    is_repeated[np.unique(inverse, return_index=True)[1]] = False
    return is_repeated


def first_equal_row(*columns: Ints) -> Ints:
    """Find the index of the first equal row, for each row of a table.

    >>> first_equal_row(np.array([2, 1, 2]), np.array([5, 5, 5])).tolist()
    [0, 1, 0]
    """
    columns = tuple(np.asarray(column, np.int64) for column in columns)
    key = pack_rows(*columns)
    if key is not None and (key[1:] > key[:-1]).all():  # as in most files
        return np.arange(len(key))
    _, inverse, _ = unique_rows(*columns) if key is None else unique_rows(key)
    first_row = np.full(int(inverse.max(initial=-1)) + 1, len(inverse))
    np.minimum.at(first_row, inverse, np.arange(len(inverse)))
    return first_row[inverse]


def is_sorted(*columns: Ints) -> bool:
    """Check whether the rows of a table are sorted.

    >>> is_sorted(np.array([1, 1, 2]), np.array([3, 4, 0]))
    True
    """
    is_ascending = np.ones(max(len(columns[0]) - 1, 0), np.bool_)
    for column in reversed(columns):
        is_ascending = (column[1:] > column[:-1]) | ((column[1:] == column[:-1]) & is_ascending)
    return bool(is_ascending.all())


def group_indices(group_ids: Ints, count: int) -> list[Ints]:
    """List the indices at which each group id from 0 to ``count`` − 1 occurs.

    >>> [g.tolist() for g in group_indices(np.array([1, 0, 1]), 3)]
    [[1], [0, 2], []]
    """
    order = np.argsort(group_ids, kind="stable")
    return np.split(order, np.cumsum(np.bincount(group_ids, minlength=count)))[:count]


def find_rows(table: tuple[Ints, Ints], rows: tuple[Ints, Ints]) -> Ints:
    """Find the positions of rows in a sorted table of two columns that contains them all.

    >>> table = np.array([0, 0, 2]), np.array([1, 4, 3])
    >>> find_rows(table, (np.array([2, 0]), np.array([3, 4]))).tolist()
    [2, 1]
    """
    n_values = 1 + int(table[1].max(initial=0))
    (first, second), (row_first, row_second) = table, rows
    return np.searchsorted(first * n_values + second, row_first * n_values + row_second)


def dense_ranks(values: Sequence[Any]) -> Ints:
    """Compute the position of each value in sorted order, from 0; equal values keep their order.

    >>> dense_ranks(["cem", "ann", "bob"]).tolist()
    [2, 0, 1]
    """
    rank = np.empty(len(values), np.int64)
    rank[sorted(range(len(values)), key=values.__getitem__)] = np.arange(len(values))
    return rank


def narrow_integers(values: Ints) -> Ints:
    """Convert integers to 32 bits if all of them fit, for columns that are only stored.

    >>> narrow_integers(np.array([1, -7])).itemsize, narrow_integers(np.array([1, 2**40])).itemsize
    (4, 8)
    """
    fits_32_bits = values.max(initial=0) < 2**31 and values.min(initial=0) >= -(2**31)
    return values.astype(np.int32, copy=False) if fits_32_bits else values


def expand_ranges(low: Ints, high: Ints) -> tuple[Ints, Ints]:
    """List the integers of many ranges, each from its ``low`` up to, without, its ``high``.

    Returns:
        Integers of all ranges, one range after the other, and the index of the range of each.

    >>> [x.tolist() for x in expand_ranges(np.array([3, 8]), np.array([5, 9]))]
    [[3, 4, 8], [0, 0, 1]]
    """
    size = high - low
    numbers: Ints = np.repeat(low - np.cumsum(size) + size, size) + np.arange(int(size.sum()))
    return numbers, np.repeat(np.arange(len(low)), size)


def yield_batches(
    sizes: Ints, max_size: int, max_rows: int | None = None
) -> Iterator[tuple[int, int]]:
    """Yield the first row of each batch of consecutive rows, and the row after its last one.

    The sizes of the rows of a batch add up to at most ``max_size``. A larger row is a batch of its
    own.

    Args:
        sizes: size of each row.
        max_size: largest total size of a batch of several rows.
        max_rows: largest number of rows in a batch. Default: any.

    >>> list(yield_batches(np.array([2, 2, 9, 1]), 4))
    [(0, 2), (2, 3), (3, 4)]
    """
    low, cumulative_sizes = 0, np.cumsum(sizes)
    while low < len(sizes):
        limit = (cumulative_sizes[low - 1] if low else 0) + max_size
        high = max(low + 1, int(np.searchsorted(cumulative_sizes, limit, side="right")))
        high = high if max_rows is None else min(high, low + max_rows)
        yield low, high
        low = high


def find_entries(lengths: Ints, rows: Ints) -> Ints:
    """Compute the positions of the entries of some rows in the concatenation of all rows.

    Args:
        lengths: number of entries of each row.
        rows: indices of the rows.

    >>> find_entries(np.array([2, 1, 3]), np.array([2, 0])).tolist()
    [3, 4, 5, 0, 1]
    """
    first = (np.cumsum(lengths) - lengths)[rows]
    return expand_ranges(first, first + lengths[rows])[0]


def join_sorted(a: Ints, b: Ints) -> tuple[Ints, Ints]:
    """Find the pairs of equal entries of ``a`` and of ``b``, which is sorted.

    Returns:
        Index in ``a`` and index in ``b`` of each pair.

    >>> [x.tolist() for x in join_sorted(np.array([7, 4]), np.array([4, 4, 7]))]
    [[0, 1, 1], [2, 0, 1]]
    """
    low = np.searchsorted(b, a, side="left")
    high = low.copy()
    matched = np.flatnonzero(low < len(b))
    matched = matched[b[low[matched]] == a[matched]]  # few, as a rule
    high[matched] = np.searchsorted(b, a[matched], side="right")
    j, i = expand_ranges(low, high)
    return i, j


def join_unsorted(a: Ints, b: Ints) -> tuple[Ints, Ints]:
    """Find the pairs of equal entries of ``a`` and ``b``, in the order of ``a``.

    Returns:
        Index in ``a`` and index in ``b`` of each pair.

    >>> [x.tolist() for x in join_unsorted(np.array([7, 4]), np.array([7, 4, 4]))]
    [[0, 1, 1], [0, 1, 2]]
    """
    order = np.argsort(b, kind="stable")
    i, j = join_sorted(a, b[order])
    return i, order[j]


def hash_names(names: Iterable[str]) -> Hashes:
    """Compute a hash of each name that is equal on every machine; collisions are very rare.

    >>> a, b, again = hash_names(["a", "b", "a"]).tolist()
    >>> a == again, a == b
    (True, False)
    """
    from hashlib import blake2b  # loads another library

    digests = (
        blake2b(name.encode(errors="surrogatepass"), digest_size=8).digest() for name in names
    )
    return np.frombuffer(b"".join(digests), "<u8").astype(np.uint64)


# splitmix64 (Steele, Lea & Flood 2014)
MIX_STEP, _MIX_1, _MIX_2 = map(
    np.uint64, (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)
)


def mix_bits(numbers: Hashes) -> Hashes:
    """Mix the bits of numbers, so that each bit of the result depends on all of them.

    >>> bool((mix_bits(np.array([1, 2], np.uint64)) > np.uint64(2**40)).all())
    True
    """
    numbers = (numbers ^ (numbers >> np.uint64(30))) * _MIX_1
    numbers = (numbers ^ (numbers >> np.uint64(27))) * _MIX_2
    return numbers ^ (numbers >> np.uint64(31))


class Vocabulary(dict[str, int]):
    """Codes of words, by order of first use: ``map(vocabulary.__getitem__, words)`` has no loop."""

    def __missing__(self, word: str) -> int:
        code = self[word] = len(self)
        return code


def encode_by_first_use(names: Iterable[str]) -> tuple[Ints, tuple[str, ...]]:
    """Encode names as integers; also return distinct names, in the order of first use.

    >>> encode_by_first_use(["PER", "LOC", "PER"])
    (array([0, 1, 0]), ('PER', 'LOC'))
    """
    vocabulary = Vocabulary()
    return np.fromiter(map(vocabulary.__getitem__, names), np.int64), tuple(vocabulary)


def freeze_array(values: Any, dtype: type) -> Any:
    """Copy values into a read-only array."""
    array: Any = np.array(values, dtype=dtype)
    array.setflags(write=False)
    return array
