"""The fields of rows, found by bytes: nothing is a string before somebody looks at it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from spanagree.arrays import Bools, Ints, as_small, unique
from spanagree.corpus.segments import Vocabulary, codes
from spanagree.corpus.words import TokenBytes
from spanagree.formats.conll.columns import fields_of
from spanagree.formats.conll.lines import starts_of_lines

_TAB, _NEWLINE, _SPACE = b"\t\n "
_WORD = 8  # bytes that are compared as one number
_LONG = 4 * _WORD  # of fields that are longer, strings are compared
_ENDS = np.array([256**i - 1 for i in range(_WORD + 1)], "<u8")  # what counts of a number's bytes
_SAMPLE = 1 << 10  # values among which most distinct ones are
_PORTION = 1 << 16  # lines or fields that are looked at in one go


@dataclass(frozen=True, eq=False)
class Lines:
    """Lines as bytes, each with a newline behind it, and where each begins and the last ends."""

    data: bytes
    starts: Ints

    @classmethod
    def of(cls, rows: Iterable[str]) -> Lines:
        """Return rows as lines."""
        data = "".join([f"{row}\n" for row in rows]).encode(errors="surrogatepass")
        return cls(data, starts_of_lines(np.frombuffer(data, np.uint8)))

    def __getitem__(self, line: int) -> str:
        return _text(self.data[self.starts[line] : self.starts[line + 1] - 1])

    def texts(self, which: Ints) -> list[str]:
        """Return some lines, without their ends."""
        bounds = zip(self.starts[which].tolist(), self.starts[which + 1].tolist(), strict=True)
        return [_text(self.data[start : end - 1]) for start, end in bounds]

    def fields(self, which: Bools) -> FieldRows:
        """Return the fields of some lines, as :func:`fields_of` parts them."""
        parts = self._parted(_TAB, which) if b"\t" in self.data else None
        if parts is None or parts.widths.max(initial=1) == 1:  # tabs stand in other lines only
            parts = self._parted(_SPACE, which)
        if not parts.plain:
            rows = Lines.of("\t".join(fields_of(self[i])) for i in np.flatnonzero(which).tolist())
            parts = rows._parted(_TAB, np.ones(len(rows.starts) - 1, np.bool_))
        return parts

    def _parted(self, sign: int, which: Bools) -> FieldRows:
        """Return what stands between signs in some lines; spaces at its edges are not plain."""
        most = self.data.count(sign) + len(self.starts) - 1  # and newlines
        # written in place: the memory of portions would not be given back
        begins, ends = np.empty((2, most), self.starts.dtype)
        widths = np.empty(np.count_nonzero(which), self.starts.dtype)
        fields = rows = 0
        plain = True
        for first in range(0, len(which), _PORTION):
            kept = which[first : first + _PORTION]
            low, high = self.starts[[first, first + len(kept)]].tolist()
            data = np.frombuffer(self.data, np.uint8, high - low, low)
            end = np.flatnonzero((data == sign) | (data == _NEWLINE))
            begin = np.concatenate(([0], end[:-1] + 1))
            width = np.diff(np.flatnonzero(data[end] == _NEWLINE), prepend=-1)  # of each line
            in_kept = np.repeat(kept, width)
            begin, end, width = begin[in_kept], end[in_kept], width[kept]
            if sign == _SPACE:
                plain = plain and bool((begin < end).all())
            else:
                spaces = (data[begin] == _SPACE) | (data[end - 1] == _SPACE)
                plain = plain and not spaces.any() and not (width == 1).any()  # without a tab
            begins[fields : fields + len(begin)] = begin + low
            ends[fields : fields + len(end)] = end + low
            widths[rows : rows + len(width)] = width
            fields, rows = fields + len(begin), rows + len(width)
        return FieldRows(self.data, begins[:fields], ends[:fields], widths, plain)


class FieldRows(NamedTuple):
    """The fields of some rows.

    Attributes:
        data: the bytes that they are in.
        begin, end: of each field of all rows, one after the other.
        widths: how many fields each row has.
        plain: whether they are free of spaces that do not belong to them.
    """

    data: bytes
    begin: Ints
    end: Ints
    widths: Ints
    plain: bool

    def cut_to(self, width: int) -> tuple[FieldRows, int]:
        """Return the rows without a field more that is empty, as a tab leaves it, and its count."""
        more = self.widths == width + 1
        if not more.any():
            return self, 0
        last = np.cumsum(self.widths) - 1
        more &= self.begin[last] == self.end[last]
        count = int(np.count_nonzero(more))
        kept = np.ones(len(self.begin), np.bool_)
        kept[last[more]] = False
        bounds = self.begin[kept], self.end[kept]
        return FieldRows(self.data, *bounds, self.widths - more, self.plain), count

    def column(self, number: int) -> Fields:
        """Return a column of rows that are all as wide as the first."""
        width = int(self.widths[0])
        return Fields(self.data, self.begin[number::width], self.end[number::width])

    def where_wide(self, number: int) -> Fields:
        """Return the fields of a column, or of the last for −1, in the rows that have it."""
        last = np.cumsum(self.widths)
        there = (last - self.widths + number)[self.widths > number] if number >= 0 else last - 1
        return Fields(self.data, self.begin[there], self.end[there])


class Fields(Sequence[str]):
    """A column of fields; equal to any other sequence of the same strings."""

    def __init__(self, data: bytes, begin: Ints, end: Ints) -> None:
        """Make it of where each field begins and ends in some bytes."""
        self._count = len(begin)
        self._data, self._begin, self._end = data, begin, end  # until it is numbered

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: Any) -> Any:
        if isinstance(index, slice) or "numbered" in vars(self):
            return self.words[index]
        return _text(self._data[self._begin[index] : self._end[index]])

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __eq__(self, other: object) -> bool:
        return self.words == (other.words if isinstance(other, Fields) else other)

    __hash__: ClassVar[None] = None  # type: ignore[assignment]  # compared by content

    @cached_property
    def words(self) -> tuple[str, ...]:
        """The fields as strings; equal ones are one."""
        if "numbered" not in vars(self):
            return tuple(self.joined())
        code, names = self.numbered
        return tuple(map(names.__getitem__, code.tolist()))

    def joined(self) -> TokenBytes:
        """Return the fields, which are not numbered yet, without what else is in their rows."""
        return TokenBytes(b"".join([portion.joined() for portion in self._portions()]), len(self))

    @cached_property
    def numbered(self) -> tuple[Ints, tuple[str, ...]]:
        """The fields as numbers, and the distinct ones, in the order in which they first occur."""
        known = Vocabulary()
        parts: list[Any] = [np.zeros(0, np.int8)]
        for portion in self._portions():
            code, names = portion.numbered()
            parts.append(as_small([known[name] for name in names])[code])
        del self._data, self._begin, self._end  # numbers take less
        return np.concatenate(parts), tuple(known)

    def _portions(self) -> Iterator[_Portion]:
        for at in range(0, len(self), _PORTION):
            begin, end = (x[at : at + _PORTION] for x in (self._begin, self._end))
            low = int(begin[0])
            text = self._data[low : int(end[-1]) + 1]
            yield _Portion(text + bytes(_WORD), begin - low, end - low)


class _Portion(NamedTuple):
    """Some fields, so few that all that is made of them stays near the processor."""

    data: bytes  # with eight more behind them
    begin: Ints
    end: Ints

    def joined(self) -> bytes:
        """Return the fields with a newline behind each."""
        size = self.end - self.begin + 1
        ends = np.cumsum(size, dtype=self.end.dtype)  # of what is joined
        place = np.repeat(self.begin - (ends - size), size)
        place += np.arange(len(place), dtype=place.dtype)
        text = np.frombuffer(self.data, np.uint8)[place]
        text[ends - 1] = _NEWLINE
        return text.tobytes()

    def numbered(self) -> tuple[Ints, Sequence[str]]:
        """Return the fields as numbers, and the distinct ones, in the order of their occurrence."""
        size = self.end - self.begin
        longest = int(size.max())
        if longest > _LONG:
            return codes(_text(self.joined()).split("\n")[:-1])
        count, code = _ranked(self._numbers(slice(None), 0))
        for done in range(_WORD, longest, _WORD):
            rows = np.flatnonzero(size > done)
            more, which = _ranked(self._numbers(rows, done))
            code *= more + 1
            code[rows] += which + 1
            count, code = _ranked(code)
        first = np.empty(count, np.int64)
        first[code[::-1]] = np.arange(len(code) - 1, -1, -1)  # the last that is assigned stays
        order = np.argsort(first)
        bounds = (x[first[order]].tolist() for x in (self.begin, self.end))
        names = [_text(self.data[begin:end]) for begin, end in zip(*bounds, strict=True)]
        rank: Ints = np.argsort(order)
        return rank[code], names

    def _numbers(self, which: Any, done: int) -> Any:
        """Return the next eight bytes of some fields, of which so many are done, as numbers."""
        numbers: Any = np.ndarray(len(self.data) - _WORD, "<u8", self.data, strides=(1,))
        begin = self.begin[which] + done
        return numbers[begin] & _ENDS[np.minimum(self.end[which] - begin, _WORD)]


def numbered(column: Sequence[str]) -> tuple[Ints, tuple[str, ...]]:
    """Return a column as numbers, and the distinct values, in the order in which they first occur.

    The smallest type that holds −1 too is that of the numbers.
    """
    return column.numbered if isinstance(column, Fields) else codes(column)


def _text(data: bytes) -> str:
    return data.decode(errors="surrogatepass")


def _ranked(values: Any) -> tuple[int, Ints]:
    """Return how many distinct values there are, and the rank of each among them."""
    distinct = unique(values[:_SAMPLE])
    while True:  # at most twice
        rank = np.searchsorted(distinct, values).clip(max=len(distinct) - 1)
        others = values[distinct[rank] != values]
        if not len(others):
            return len(distinct), rank
        distinct = unique(np.concatenate((distinct, others)))
