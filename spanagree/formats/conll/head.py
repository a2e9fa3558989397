"""What the beginning of a file settles for all its lines, read as a whole or in blocks.

Whether a line that begins with ``#`` is a token or a comment, how many columns a row has and
whether sentences have ids is seen in the first lines of a file. So it is the same for a line
wherever a block begins.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Bools, Ints
from spanagree.corpus.tags import prefixed
from spanagree.formats.conll.columns import NO_NAMES, Layout, fields_of, layout_of
from spanagree.formats.conll.fields import Lines
from spanagree.formats.conll.lines import LineKind, kinds_of_lines, without_returns

LINES = 50_000  # of a file that are looked at

_FEW = 1000  # of these, among which there mostly is a row

_STEP = 1 << 12  # characters in which ends of lines are counted

SENT_ID = re.compile(r"#\s*sent_id\s*=\s*\S")
"""How the id of a sentence is given, on a line above it."""

MARK = re.compile(r"#\s*begin document\s*\S|#[^=]*=\s*\S")
"""A line that begins a document and has its id."""

_NAMING = {"sentence": (LineKind.COMMENT, SENT_ID), "document": (LineKind.DOCSTART, MARK)}

_BEGIN = re.compile(r"#\s*begin document\s*(?:\((.*)\);\s*part\s*(\d+)|(.*))")

_NO_WORD = re.compile(rb"(?m)^[ \t]*[0-9]+([-.])[0-9]+(?=[ \t\r\n])")  # a row of CoNLL-U
_KIND = {b"-": "multiword range", b".": "empty node"}


class _Rows(NamedTuple):
    """Rows among some lines: those that are tokens for sure."""

    data: bytes
    starts: Ints
    sure: Bools

    @classmethod
    def of(cls, text: str) -> _Rows:
        """Return those of a text."""
        data, starts, kinds = _as_lines(text)
        return cls(data, starts, _are_sure(data, starts, kinds))

    def have_tabs(self) -> bool:
        """Return whether each of them has a tab."""
        tabs = np.flatnonzero(np.frombuffer(self.data, np.uint8) == ord("\t"))
        has_one = np.zeros(len(self.sure), np.bool_)
        has_one[np.searchsorted(self.starts, tabs, side="right") - 1] = True
        return bool(has_one[self.sure].all())

    def values(self, columns: Sequence[int], sign: str) -> Iterator[str]:
        """Yield what stands in columns; -1 is the last field of each row."""
        if sign == "\t":
            rows = Lines(self.data, self.starts).fields(self.sure)
        else:
            texts = map(_text, _lines(self.data, self.starts, np.flatnonzero(self.sure)))
            quoted = Lines.of("\t".join(fields_of(text, sign)) for text in texts)
            rows = quoted.fields(np.ones(len(quoted.starts) - 1, np.bool_))
        for column in columns:
            yield from rows.where_wide(column).numbered[1]


@dataclass(frozen=True)
class Head:
    """What the first lines of a file settle.

    Attributes:
        layout: of the columns.
        scheme, missing: of the tags, by which a token ``#`` is known.
        where: the columns of tags that were named; −1 is the last.
        width: how many columns a row has; 0 where there is none.
        has_ids: whether each sentence of a file in blocks has an id, or document where these are
            the units; a whole file shows it.
        first: these lines, if some begin with ``#``.
    """

    layout: Layout = NO_NAMES
    scheme: str = "auto"
    missing: str | None = None
    where: tuple[int, ...] = (-1,)
    width: int = 0
    has_ids: bool = False
    first: str = ""

    @cached_property
    def tabbed(self) -> bool:
        """Whether each row has a tab, which nobody asks where a token ``#`` has one."""
        return self.layout.sign == "\t" and bool(self.first) and _Rows.of(self.first).have_tabs()

    @cached_property
    def tags(self) -> frozenset[str]:
        """What stands in the columns of tags; nobody asks where tags are known by their form."""
        values = _Rows.of(self.first).values(self.where, self.layout.sign) if self.first else ()
        return frozenset(values) - {""}

    def settled(
        self,
        data: bytes,
        starts: Ints,
        kinds: Ints,
        *,
        header: bool = False,
        encoding: str = "utf-8",
    ) -> tuple[Ints, dict[str, int]]:
        """Return what each line is, and how many rows are not tokens, by kind.

        Args:
            data, starts, kinds: lines, and what they look like, as :func:`kinds_of_lines` has it.
            header: whether the first row of these has the columns' names.
            encoding: of the data.
        """
        doubtful = _doubtful(data, starts, kinds)
        if not header and not len(doubtful) and not self.layout.numbered:
            # a # behind blanks is a token, as blanks separate
            kinds[kinds == LineKind.COMMENT] = LineKind.ROW
            return kinds, {}
        settled = kinds.copy()
        settled[kinds == LineKind.COMMENT] = LineKind.ROW
        settled[doubtful] = LineKind.COMMENT
        rows = settled == LineKind.ROW
        if header and rows.any():
            settled[int(rows.argmax())] = LineKind.OTHER
        tokens = _those(lambda x: self._is_token(_text(x, encoding)), data, starts, doubtful)
        settled[tokens] = LineKind.ROW
        passed: Counter[str] = Counter()
        if self.layout.numbered:
            others = [(match.start(), match[1]) for match in _NO_WORD.finditer(data)]
            at = np.array([start for start, _ in others], starts.dtype)
            at = np.searchsorted(starts, at, side="right") - 1
            for line, (_, sign) in zip(at.tolist(), others, strict=True):
                if settled[line] == LineKind.ROW:
                    settled[line] = LineKind.OTHER
                    passed[_KIND[sign]] += 1
        return settled, dict(passed)

    def _is_token(self, text: str) -> bool:
        """Return whether a line that begins with # has the columns and the tags of a token."""
        row = fields_of(text, self.layout.sign)
        if self.layout.ragged:  # each begins with the document
            return False
        if not 1 < len(row) == self.width > max(self.where) or ("\t" not in text and self.tabbed):
            return False
        return all(self._is_tag(row[column]) for column in self.where)

    def _is_tag(self, value: str) -> bool:
        # a word such as I is not a tag by itself
        by_form = len(value) > 1 and prefixed(value, self.scheme) is not None
        return by_form or value in ("O", self.missing) or value in self.tags


def head_of(
    text: str,
    *,
    where: Sequence[int | None] = (None,),
    scheme: str = "auto",
    missing: str | None = None,
    layout: Layout | None = None,
) -> Head:
    """Return what the first lines of a file settle.

    Args:
        text: these lines.
        where: the columns of tags that are named; None is the last.
        scheme, missing: of the tags.
        layout: of the columns, if it is known otherwise.
    """
    layout = layout_of(text) if layout is None else layout
    columns = tuple(-1 if column is None else column for column in where)
    head = Head(layout, scheme, missing, columns)
    data, starts, kinds = _as_lines(up_to_row(_portions_of(text, _FEW)))
    sure = np.flatnonzero(_are_sure(data, starts, kinds))[:2]
    if len(sure):
        first = sure[-1:] if layout.header else sure[:1]  # below the names of the columns
        (line,) = _lines(data, starts, first)
        has_doubtful = text.startswith("#") or "\n#" in text
        return replace(
            head,
            width=len(layout.names if layout.ragged else fields_of(_text(line), layout.sign)),
            first=text if has_doubtful else "",
        )
    # the first that can be a token decides
    texts = map(_text, _lines(data, starts, _doubtful(data, starts, kinds)))
    widths = ((text, len(fields_of(text, layout.sign))) for text in texts)
    tokens = (width for text, width in widths if replace(head, width=width)._is_token(text))
    return replace(head, width=next(tokens, 0))


def _are_sure(data: bytes, starts: Ints, kinds: Ints) -> Bools:
    """Return which lines are tokens for sure: rows that do not begin with #."""
    are_sure: Bools = (kinds == LineKind.ROW) | (kinds == LineKind.COMMENT)
    are_sure[_doubtful(data, starts, kinds)] = False
    return are_sure


def _as_lines(text: str) -> tuple[bytes, Ints, Ints]:
    """Return a text as bytes, where its lines begin, and what they look like."""
    data = (text if text.endswith("\n") else f"{text}\n").encode(errors="surrogatepass")
    data = without_returns(data)
    return data, *kinds_of_lines(data)


def have_ids(head: Head, text: str, unit: str) -> bool:
    """Return whether each sentence, or document, of the first lines of a file has an id."""
    data, starts, kinds = _as_lines(text)
    kind, names_one = _NAMING[unit]
    naming = np.flatnonzero(kinds == kind)
    naming = _those(lambda line: bool(names_one.match(_text(line))), data, starts, naming)
    if not len(naming):
        return False
    settled, _ = head.settled(data, starts, kinds, header=head.layout.header)
    naming = naming[settled[naming] == kind]  # one that is a token names nothing
    others = np.flatnonzero(settled != LineKind.ROW)
    end = len(settled) - len(others)
    is_end = settled == LineKind.DOCSTART
    if unit == "sentence":
        is_end |= settled == LineKind.BLANK
    ends = np.flatnonzero(is_end)
    begins = {0, *rows_above(ends, others).tolist()} - {end}
    return end > 0 and begins <= {*rows_above(naming, others).tolist()}


def rows_above(lines: Ints, others: Ints) -> Ints:
    """Return how many rows are above each of some lines; ``others`` are all that are not rows."""
    above: Ints = lines - np.searchsorted(others, lines)
    return above


def id_in(line: str) -> str:
    """Return the id that a line gives a sentence or document.

    >>> id_in("# sent_id = 3"), id_in("#begin document (bn/cnn_0115); part 000")
    ('3', 'bn/cnn_0115; part 000')
    """
    if match := _BEGIN.match(line):
        return f"{match[1]}; part {match[2]}" if match[2] else match[3].strip()
    return line.partition("=")[2].strip()


def first_lines(text: str) -> str:
    """Return the first lines of a text, as many as are looked at, and more if these have no row."""
    return up_to_row(_portions_of(text, LINES))


def up_to_row(portions: Iterable[str]) -> str:
    """Return the first of some portions of lines, up to one that has a row."""
    kept: list[str] = []
    for portion in portions:
        kept.append(portion)
        if any(map(_has_row, _portions_of(portion, _FEW))):
            break
    return "".join(kept)


def _has_row(text: str) -> bool:
    """Return whether some line of a text is a row."""
    _, kinds = kinds_of_lines(text.encode(errors="surrogatepass"))
    return bool((kinds == LineKind.ROW).any())


def _portions_of(text: str, lines: int) -> Iterator[str]:
    """Yield a text in portions of so many lines, with their ends.

    >>> [*_portions_of("a O\\nb O\\n\\nc O", 2)]
    ['a O\\nb O\\n', '\\nc O']
    """
    begin = 0
    while begin < len(text):
        end = _end_of_lines(text, begin, lines)
        yield text[begin:end]
        begin = end


def _end_of_lines(text: str, at: int, lines: int) -> int:
    """Return where so many lines of a text end from some place on, or the text does."""
    while at < len(text):
        there = text.count("\n", at, at + _STEP)
        if there >= lines:
            for _ in range(lines):
                at = text.index("\n", at) + 1
            return at
        at, lines = at + _STEP, lines - there
    return len(text)


def _doubtful(data: bytes, starts: Ints, kinds: Ints) -> Ints:
    """Return the lines that begin with #, and are tokens or comments."""
    lines = np.flatnonzero(kinds == LineKind.COMMENT)
    first = np.frombuffer(data, np.uint8)[starts[lines]]
    doubtful: Ints = lines[first == ord("#")]
    return doubtful


def _lines(data: bytes, starts: Ints, which: Ints) -> Iterator[bytes]:
    """Yield some lines with their ends."""
    bounds = zip(starts[which].tolist(), starts[which + 1].tolist(), strict=True)
    return (data[start:end] for start, end in bounds)


def _those(asked: Callable[[bytes], bool], data: bytes, starts: Ints, which: Ints) -> Ints:
    """Return those of some lines of which something is so; of equal ones, one is asked."""
    lines = [*_lines(data, starts, which)]
    known = {line: asked(line) for line in {*lines}}
    return which[[known[line] for line in lines]]


def _text(line: bytes, encoding: str = "utf-8") -> str:
    """Return a line without its end, and without blanks there that are no tabs."""
    try:
        text = line.decode(encoding, "surrogatepass")
    except ValueError:  # that it is no text is said where its part is read
        text = line.decode(encoding, "replace")
    return text.rstrip("\n").rstrip(" \r")
