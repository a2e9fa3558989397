"""Fields of rows, located in the bytes of a file; strings are built on access only."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from spanagree.arrays import (
    Bools,
    Ints,
    Vocabulary,
    encode_by_first_use,
    to_smallest_integers,
    unique,
)
from spanagree.corpus.segments import TokenBytes
from spanagree.formats.conll.columns import split_fields
from spanagree.formats.conll.lines import find_line_starts

_TAB, _NEWLINE, _SPACE = b"\t\n "
_WORD = 8  # bytes that are compared as one integer
_LONG = 4 * _WORD  # if a field has more bytes, strings are compared
_ENDS = np.array(
    [256**i - 1 for i in range(_WORD + 1)], "<u8"
)  # masks of the bytes that belong to a field
_SAMPLE = 1 << 10  # values that contain most of the distinct values
_PORTION = 1 << 16  # lines or fields in one vectorized step


@dataclass(frozen=True, eq=False)
class Lines:
    """Lines as bytes.

    Attributes:
        data: lines, each followed by a newline.
        starts: position of the first byte of each line, and the end of the data.
    """

    data: bytes
    starts: Ints

    @classmethod
    def from_rows(cls, rows: Iterable[str]) -> Lines:
        """Encode rows as lines."""
        data = "".join([f"{row}\n" for row in rows]).encode(errors="surrogatepass")
        return cls(data, find_line_starts(np.frombuffer(data, np.uint8)))

    def __getitem__(self, line: int) -> str:
        return _decode_field(self.data[self.starts[line] : self.starts[line + 1] - 1])

    def decode_lines(self, line_indices: Ints) -> list[str]:
        """Decode the lines with some indices, without their ends."""
        bounds = zip(
            self.starts[line_indices].tolist(), self.starts[line_indices + 1].tolist(), strict=True
        )
        return [_decode_field(self.data[start : end - 1]) for start, end in bounds]

    def split_into_fields(self, is_kept: Bools) -> FieldRows:
        """Split the lines of a mask into fields, in the same way as :func:`split_fields`."""
        field_rows = self._split_at(_TAB, is_kept) if b"\t" in self.data else None
        if (
            field_rows is None or field_rows.widths.max(initial=1) == 1
        ):  # only other lines have tabs
            field_rows = self._split_at(_SPACE, is_kept)
        if not field_rows.is_plain:
            lines = Lines.from_rows(
                "\t".join(split_fields(self[i])) for i in np.flatnonzero(is_kept).tolist()
            )
            field_rows = lines._split_at(_TAB, np.ones(len(lines.starts) - 1, np.bool_))
        return field_rows

    def _split_at(self, separator: int, is_kept: Bools) -> FieldRows:
        """Split the lines of a mask at each separator byte.

        Rows split at spaces are plain if no field is empty. Rows split at tabs are plain if each
        has a tab, and no field has a space at either end.
        """
        max_fields = self.data.count(separator) + len(self.starts) - 1  # separators and newlines
        # filled in place: the memory of concatenated portions would not be freed
        field_starts, field_ends = np.empty((2, max_fields), self.starts.dtype)
        widths = np.empty(np.count_nonzero(is_kept), self.starts.dtype)
        n_fields = n_rows = 0
        is_plain = True
        for first in range(0, len(is_kept), _PORTION):
            is_kept_here = is_kept[first : first + _PORTION]
            start, end_of_portion = self.starts[[first, first + len(is_kept_here)]].tolist()
            data = np.frombuffer(self.data, np.uint8, end_of_portion - start, start)
            end = np.flatnonzero((data == separator) | (data == _NEWLINE))
            begin = np.concatenate(([0], end[:-1] + 1))
            n_fields_of_line = np.diff(
                np.flatnonzero(data[end] == _NEWLINE), prepend=-1
            )  # number of fields of each line
            in_kept = np.repeat(is_kept_here, n_fields_of_line)
            begin, end, n_fields_of_line = (
                begin[in_kept],
                end[in_kept],
                n_fields_of_line[is_kept_here],
            )
            if separator == _SPACE:
                is_plain = is_plain and bool((begin < end).all())
            else:
                spaces = (data[begin] == _SPACE) | (data[end - 1] == _SPACE)
                is_plain = (
                    is_plain and not spaces.any() and not (n_fields_of_line == 1).any()
                )  # without a tab
            field_starts[n_fields : n_fields + len(begin)] = begin + start
            field_ends[n_fields : n_fields + len(end)] = end + start
            widths[n_rows : n_rows + len(n_fields_of_line)] = n_fields_of_line
            n_fields, n_rows = n_fields + len(begin), n_rows + len(n_fields_of_line)
        return FieldRows(
            self.data, field_starts[:n_fields], field_ends[:n_fields], widths, is_plain
        )


class FieldRows(NamedTuple):
    """Fields of some rows.

    Attributes:
        data: bytes that contain the fields.
        begin, end: positions of each field of all rows, one row after the other.
        widths: number of fields of each row.
        is_plain: True if no field has spaces at its edges.
    """

    data: bytes
    begin: Ints
    end: Ints
    widths: Ints
    is_plain: bool

    def drop_empty_last(self, width: int) -> tuple[FieldRows, int]:
        """Remove an empty last field from rows with one field more than `width`, as after a tab.

        Returns:
            The rows, and the number of removed fields.
        """
        has_empty_field = self.widths == width + 1
        if not has_empty_field.any():
            return self, 0
        last_field = np.cumsum(self.widths) - 1
        has_empty_field &= self.begin[last_field] == self.end[last_field]
        count = int(np.count_nonzero(has_empty_field))
        is_kept = np.ones(len(self.begin), np.bool_)
        is_kept[last_field[has_empty_field]] = False
        bounds = self.begin[is_kept], self.end[is_kept]
        return FieldRows(self.data, *bounds, self.widths - has_empty_field, self.is_plain), count

    def select_column(self, column_index: int) -> Fields:
        """Select a column of rows with equal widths."""
        width = int(self.widths[0])
        return Fields(self.data, self.begin[column_index::width], self.end[column_index::width])

    def select_ragged_column(self, column_index: int) -> Fields:
        """Select a column of the rows that have it; for −1, the last field of each row."""
        row_end = np.cumsum(self.widths)
        field_index = (
            (row_end - self.widths + column_index)[self.widths > column_index]
            if column_index >= 0
            else row_end - 1
        )
        return Fields(self.data, self.begin[field_index], self.end[field_index])


class Fields(Sequence[str]):
    """A column of fields; equal to any sequence of the same strings."""

    def __init__(self, data: bytes, begin: Ints, end: Ints) -> None:
        """Initialize the column from the positions of its fields.

        Args:
            data: bytes that contain the fields.
            begin, end: positions of the first byte of each field, and after its last byte.
        """
        self._count = len(begin)
        self._data, self._begin, self._end = (
            data,
            begin,
            end,
        )  # deleted once the fields are numbered

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice) or "codes_and_words" in vars(self):
            return self.words[index]
        return _decode_field(self._data[self._begin[index] : self._end[index]])

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __eq__(self, other: object) -> bool:
        return self.words == (other.words if isinstance(other, Fields) else other)

    __hash__: ClassVar[None] = None  # type: ignore[assignment]  # compared by content

    @cached_property
    def words(self) -> tuple[str, ...]:
        """Fields as strings; equal fields share one string."""
        if "codes_and_words" not in vars(self):
            return tuple(self.copy_fields())
        code, names = self.codes_and_words
        return tuple(map(names.__getitem__, code.tolist()))

    def copy_fields(self) -> TokenBytes:
        """Copy the fields, before they are coded, without the rest of their rows."""
        return TokenBytes(
            b"".join([portion.join_fields() for portion in self._yield_portions()]), len(self)
        )

    @cached_property
    def codes_and_words(self) -> tuple[Ints, tuple[str, ...]]:
        """Code of each field, and the distinct fields in the order of first occurrence."""
        code_by_name = Vocabulary()
        code_portions: list[Any] = [np.zeros(0, np.int8)]
        for portion in self._yield_portions():
            code, names = portion.encode_fields()
            code_portions.append(to_smallest_integers([code_by_name[name] for name in names])[code])
        del self._data, self._begin, self._end  # codes need less memory
        return np.concatenate(code_portions), tuple(code_by_name)

    def _yield_portions(self) -> Iterator[_Portion]:
        """Yield the fields in portions, each with its part of the data, to save memory."""
        for start in range(0, len(self), _PORTION):
            begin, end = (
                positions[start : start + _PORTION] for positions in (self._begin, self._end)
            )
            data_start = int(begin[0])
            text = self._data[data_start : int(end[-1]) + 1]
            yield _Portion(text + bytes(_WORD), begin - data_start, end - data_start)


class _Portion(NamedTuple):
    """A few fields, so that arrays computed from them fit into the processor's cache.

    Attributes:
        data: bytes that contain the fields, followed by eight further bytes.
        begin, end: positions of each field.
    """

    data: bytes
    begin: Ints
    end: Ints

    def join_fields(self) -> bytes:
        """Join the fields, each followed by a newline."""
        size = self.end - self.begin + 1
        end_of_field = np.cumsum(size, dtype=self.end.dtype)  # positions after each newline
        source_index = np.repeat(self.begin - (end_of_field - size), size)
        source_index += np.arange(len(source_index), dtype=source_index.dtype)
        text = np.frombuffer(self.data, np.uint8)[source_index]
        text[end_of_field - 1] = _NEWLINE
        return text.tobytes()

    def encode_fields(self) -> tuple[Ints, Sequence[str]]:
        """Encode the fields as integers; return the codes, and the distinct fields.

        The distinct fields are in the order of first occurrence.
        """
        size = self.end - self.begin
        longest = int(size.max())
        if longest > _LONG:
            return encode_by_first_use(_decode_field(self.join_fields()).split("\n")[:-1])
        n_distinct, code = _rank_values(self._read_integers(slice(None), 0))
        for n_done in range(_WORD, longest, _WORD):
            rows = np.flatnonzero(size > n_done)
            n_values, rank_of_value = _rank_values(self._read_integers(rows, n_done))
            code *= n_values + 1
            code[rows] += rank_of_value + 1
            n_distinct, code = _rank_values(code)
        first_index = np.empty(n_distinct, np.int64)
        first_index[code[::-1]] = np.arange(
            len(code) - 1, -1, -1
        )  # the last assignment is that of the first occurrence
        order = np.argsort(first_index)
        bounds = (positions[first_index[order]].tolist() for positions in (self.begin, self.end))
        names = [_decode_field(self.data[begin:end]) for begin, end in zip(*bounds, strict=True)]
        rank: Ints = np.argsort(order)
        return rank[code], names

    def _read_integers(self, field_index: Any, n_done: int) -> Any:
        """Read the next eight bytes of some fields as integers.

        Args:
            field_index: indices of the fields, or a slice.
            n_done: number of bytes of each field that precede.
        """
        integers: Any = np.ndarray(len(self.data) - _WORD, "<u8", self.data, strides=(1,))
        begin = self.begin[field_index] + n_done
        return integers[begin] & _ENDS[np.minimum(self.end[field_index] - begin, _WORD)]


def encode_column(column: Sequence[str]) -> tuple[Ints, tuple[str, ...]]:
    """Code the values of a column; the distinct values are in the order of first occurrence.

    The codes have the smallest integer type that can also store −1.
    """
    return column.codes_and_words if isinstance(column, Fields) else encode_by_first_use(column)


def _decode_field(data: bytes) -> str:
    """Decode a field from UTF-8; halves of surrogate pairs stay."""
    return data.decode(errors="surrogatepass")


def _rank_values(values: Any) -> tuple[int, Ints]:
    """Count the distinct values, and compute the rank of each value among them."""
    distinct_values = unique(values[:_SAMPLE])
    while True:  # at most two rounds
        rank = np.searchsorted(distinct_values, values).clip(max=len(distinct_values) - 1)
        missing = values[distinct_values[rank] != values]
        if not len(missing):
            return len(distinct_values), rank
        distinct_values = unique(np.concatenate((distinct_values, missing)))
