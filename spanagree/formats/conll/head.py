"""What the first lines of a file settle for all its lines.

Whether a line that begins with ``#`` is a token or a comment, how many columns a row has and
whether sentences have ids is seen in the first lines of a file.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

import numpy as np

from spanagree.arrays import Ints
from spanagree.corpus.tags import prefixed
from spanagree.formats.conll.columns import (
    Column,
    Layout,
    fields_of,
    layout_of,
    line_of_ours,
    number_of,
)
from spanagree.formats.conll.lines import SURE_ROW, LineKind, as_lines, kinds_of_lines

LINES = 50_000  # of a file that are looked at

SENT_ID = re.compile(r"#\s*sent_id\s*=\s*\S")
"""How the id of a sentence is given, on a line above it."""

MARK = re.compile(r"#\s*begin document\s*\S|#[^=]*=\s*\S")
"""A line that begins a document and has its id."""

_BEGIN = re.compile(r"#\s*begin document\s*(?:\((.*)\);\s*part\s*(\d+)|(.*))")

_NO_WORD = re.compile(rb"(?m)^[ \t]*[0-9]+([-.])[0-9]+(?=[ \t\r\n])")  # a row of CoNLL-U
_KIND = {b"-": "multiword range", b".": "empty node"}


@dataclass(frozen=True, eq=False)
class ConllHeader:
    """What the first lines of a file settle.

    Attributes:
        layout: of the columns.
        scheme, missing, outside: of the tags, by which a token ``#`` is known.
        tag_columns: the columns of tags that were named; −1 is the last.
        width: how many columns a row has; 0 where there is none.
        line_of_ours: the first line, if we wrote it.
        first: the first lines, if some begin with ``#``.
    """

    layout: Layout
    scheme: str = "auto"
    missing: str | None = None
    outside: Sequence[str] = ()
    tag_columns: tuple[int, ...] = (-1,)
    width: int = 0
    line_of_ours: str = ""
    first: str = ""

    @cached_property
    def _is_tabbed(self) -> bool:
        """Whether each row has a tab."""
        return self.layout.sign == "\t" and all("\t" in row for row in _sure_rows(self.first))

    @cached_property
    def _known_tags(self) -> frozenset[str]:
        """What stands in the columns of tags."""
        rows = [fields_of(row, self.layout.sign) for row in _sure_rows(self.first)]
        tags = (row[c] for row in rows for c in self.tag_columns if c < len(row))
        return frozenset(tags) - {""}

    def kinds_of(
        self, data: bytes, *, header: bool = False, encoding: str = "utf-8"
    ) -> tuple[Ints, Ints, dict[str, int]]:
        """Return where lines begin, what each is, and how many rows are not tokens, by kind.

        Args:
            data: the lines.
            header: whether the first row of these has the columns' names.
            encoding: of the data.
        """
        starts, kinds = kinds_of_lines(data)
        doubtful = _doubtful(data, starts, kinds)
        kinds[kinds == LineKind.COMMENT] = LineKind.ROW  # behind blanks, # is a token
        kinds[doubtful] = LineKind.COMMENT
        if header:
            kinds[np.flatnonzero(kinds == LineKind.ROW)[:1]] = LineKind.OTHER
        tokens = _lines_that(lambda x: self.is_token(_text(x, encoding)), data, starts, doubtful)
        kinds[tokens] = LineKind.ROW
        no_words = [*_NO_WORD.finditer(data)] if self.layout.numbered else []
        begins = np.array([match.start() for match in no_words], starts.dtype)
        lines = np.searchsorted(starts, begins, side="right") - 1
        passed: Counter[str] = Counter()
        for line, match in zip(lines.tolist(), no_words, strict=True):
            if kinds[line] == LineKind.ROW:
                kinds[line] = LineKind.OTHER
                passed[_KIND[match[1]]] += 1
        return starts, kinds, dict(passed)

    def is_token(self, text: str) -> bool:
        """Return whether a line that begins with # has the columns and the tags of a token."""
        row = fields_of(text, self.layout.sign)
        if self.layout.ragged:  # each begins with the document
            return False
        if not 1 < len(row) == self.width > max(self.tag_columns):
            return False
        if "\t" not in text and self.first and self._is_tabbed:
            return False
        return all(self._is_tag(row[column]) for column in self.tag_columns)

    def _is_tag(self, value: str) -> bool:
        # a word such as I is not a tag by itself
        by_form = len(value) > 1 and prefixed(value, self.scheme) is not None
        return by_form or value in ("O", self.missing, *self.outside) or value in self._known_tags


def head_of(
    text: str,
    *,
    columns: Sequence[Column | None] = (),
    scheme: str = "auto",
    missing: str | None = None,
    outside: Sequence[str] = (),
) -> ConllHeader:
    """Return what the first lines of a file settle.

    Args:
        text: these lines.
        columns: those of tags that are named; None is the last, as is where none is named.
        scheme, missing, outside: of the tags.
    """
    layout = layout_of(text)
    numbers = [None if column is None else number_of(column, layout) for column in columns]
    tag_columns = tuple(-1 if number is None else number for number in numbers) or (-1,)
    head = ConllHeader(
        layout, scheme, missing, outside, tag_columns, line_of_ours=line_of_ours(text)
    )
    sure = [*islice(_sure_rows(text), 2)]
    if sure:
        row = sure[-1] if layout.header else sure[0]  # below the names of the columns
        width = len(layout.names if layout.ragged else fields_of(row, layout.sign))
        has_doubtful = text.startswith("#") or "\n#" in text
        return replace(head, width=width, first=text if has_doubtful else "")
    # the first that can be a token decides
    data = as_lines(text)
    starts, kinds = kinds_of_lines(data)
    for row in map(_text, _lines(data, starts, _doubtful(data, starts, kinds))):
        wide = replace(head, width=len(fields_of(row, layout.sign)))
        if wide.is_token(row):
            return wide
    return head


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
    return up_to_row(_portions_of(text))


def up_to_row(portions: Iterable[str]) -> str:
    """Return the first of some portions of lines, up to one that has a row."""
    kept: list[str] = []
    for portion in portions:
        kept.append(portion)
        if SURE_ROW.search(portion):
            break
    return "".join(kept)


def _portions_of(text: str) -> Iterator[str]:
    """Yield a text in portions of as many lines as are looked at, with their ends."""
    as_many = re.compile(rf"(?:.*\n){{{LINES}}}")
    end = 0
    while text.count("\n", end) >= LINES and (portion := as_many.match(text, end)):
        yield portion[0]
        end = portion.end()
    if end < len(text):
        yield text[end:]


def _doubtful(data: bytes, starts: Ints, kinds: Ints) -> Ints:
    """Return the lines that begin with #, and are tokens or comments."""
    lines = np.flatnonzero(kinds == LineKind.COMMENT)
    first = np.frombuffer(data, np.uint8)[starts[lines]]
    doubtful: Ints = lines[first == ord("#")]
    return doubtful


def _sure_rows(text: str) -> Iterator[str]:
    """Yield the lines that are tokens for sure, without blanks behind them that are no tabs."""
    return (match[0].rstrip(" \r") for match in SURE_ROW.finditer(text))


def _lines(data: bytes, starts: Ints, numbers: Ints) -> Iterator[bytes]:
    """Yield some lines with their ends."""
    bounds = zip(starts[numbers].tolist(), starts[numbers + 1].tolist(), strict=True)
    return (data[start:end] for start, end in bounds)


def _lines_that(
    condition: Callable[[bytes], bool], data: bytes, starts: Ints, numbers: Ints
) -> Ints:
    """Return those of some lines for which a condition holds; of equal lines, one is asked."""
    lines = [*_lines(data, starts, numbers)]
    holds = {line: condition(line) for line in {*lines}}
    return numbers[[holds[line] for line in lines]]


def _text(line: bytes, encoding: str = "utf-8") -> str:
    """Return a line without its end, and without blanks there that are no tabs."""
    try:
        text = line.decode(encoding, "surrogatepass")
    except ValueError:  # that it is no text is said where its part is read
        text = line.decode(encoding, "replace")
    return text.rstrip("\n").rstrip(" \r")
