"""Header of a CoNLL file: its layout, and whether lines that begin with ``#`` are tokens.

The first lines decide this for all lines, as well as the number of columns and whether sentences
have ids.
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
from spanagree.corpus.tags import parse_prefixed_tag
from spanagree.formats.conll.columns import (
    Column,
    Layout,
    find_column_number,
    find_spanagree_line,
    infer_layout,
    split_fields,
)
from spanagree.formats.conll.lines import SURE_ROW, LineKind, classify_lines, encode_lines

LINES = 50_000  # first lines that decide

SENT_ID = re.compile(r"#\s*sent_id\s*=\s*\S")
"""Line with the id of the sentence below it."""

MARK = re.compile(r"#\s*begin document\s*\S|#[^=]*=\s*\S")
"""A line that begins a document and has its id."""

_BEGIN = re.compile(r"#\s*begin document\s*(?:\((.*)\);\s*part\s*(\d+)|(.*))")

_NON_WORD_ROW = re.compile(rb"(?m)^[ \t]*[0-9]+([-.])[0-9]+(?=[ \t\r\n])")  # a row of CoNLL-U
_NON_WORD_NAMES = {b"-": "multiword range", b".": "empty node"}


@dataclass(frozen=True, eq=False)
class ConllHeader:
    """Properties of a file that its first lines decide.

    Attributes:
        layout: layout of the columns.
        scheme, missing, outside: properties of tags that tell a token ``#`` from a comment.
        tag_columns: named columns of tags; −1 is the last column.
        width: number of columns of a row; 0 without rows.
        line_of_ours: first line, if this package wrote it.
        first: first lines, if some of them begin with ``#``.
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
        return self.layout.sign == "\t" and all("\t" in row for row in _yield_sure_rows(self.first))

    @cached_property
    def _known_tags(self) -> frozenset[str]:
        """Values in the columns of tags."""
        rows = [split_fields(row, self.layout.sign) for row in _yield_sure_rows(self.first)]
        tags = (row[column] for row in rows for column in self.tag_columns if column < len(row))
        return frozenset(tags) - {""}

    def classify_lines(
        self, data: bytes, *, header: bool = False, encoding: str = "utf-8"
    ) -> tuple[Ints, Ints, dict[str, int]]:
        """Classify lines by kind; lines that begin with ``#`` are rows if they look like tokens.

        Args:
            data: lines as bytes.
            header: True if the first row has the names of the columns.
            encoding: encoding of the data.

        Returns:
            The start of each line, its kind, and the number of rows that are not tokens, by reason.
        """
        starts, line_kinds = classify_lines(data)
        doubtful_lines = _find_doubtful_lines(data, starts, line_kinds)
        line_kinds[line_kinds == LineKind.COMMENT] = LineKind.ROW  # after blanks, # is a token
        line_kinds[doubtful_lines] = LineKind.COMMENT
        if header:
            line_kinds[np.flatnonzero(line_kinds == LineKind.ROW)[:1]] = LineKind.OTHER
        tokens = _select_lines(
            lambda line: self.is_token(_decode_line(line, encoding)), data, starts, doubtful_lines
        )
        line_kinds[tokens] = LineKind.ROW
        unnumbered_rows = [*_NON_WORD_ROW.finditer(data)] if self.layout.numbered else []
        match_starts = np.array([match.start() for match in unnumbered_rows], starts.dtype)
        line_indices = np.searchsorted(starts, match_starts, side="right") - 1
        n_skipped: Counter[str] = Counter()
        for line, match in zip(line_indices.tolist(), unnumbered_rows, strict=True):
            if line_kinds[line] == LineKind.ROW:
                line_kinds[line] = LineKind.OTHER
                n_skipped[_NON_WORD_NAMES[match[1]]] += 1
        return starts, line_kinds, dict(n_skipped)

    def is_token(self, text: str) -> bool:
        """Check whether a line that begins with ``#`` is a token line, and not a comment.

        A token line has all columns, and valid tags in the columns of tags.
        """
        fields = split_fields(text, self.layout.sign)
        if self.layout.ragged:  # each row begins with the document
            return False
        if not 1 < len(fields) == self.width > max(self.tag_columns):
            return False
        if "\t" not in text and self.first and self._is_tabbed:
            return False
        return all(self._is_tag(fields[column]) for column in self.tag_columns)

    def _is_tag(self, value: str) -> bool:
        """Check whether a value is a tag: with a prefix, ``O``, or a tag that other rows have."""
        # a word such as I is not necessarily a tag
        has_prefix = len(value) > 1 and parse_prefixed_tag(value, self.scheme) is not None
        return (
            has_prefix or value in ("O", self.missing, *self.outside) or value in self._known_tags
        )


def infer_header(
    text: str,
    *,
    columns: Sequence[Column | None] = (),
    scheme: str = "auto",
    missing: str | None = None,
    outside: Sequence[str] = (),
) -> ConllHeader:
    """Infer the header from the first lines of a file.

    Args:
        text: first lines.
        columns: named columns of tags; `None` is the last column, which is also the default.
        scheme, missing, outside: properties of the tags.
    """
    layout = infer_layout(text)
    indices = [None if column is None else find_column_number(column, layout) for column in columns]
    tag_columns = tuple(-1 if index is None else index for index in indices) or (-1,)
    header = ConllHeader(
        layout, scheme, missing, outside, tag_columns, line_of_ours=find_spanagree_line(text)
    )
    sure_rows = [*islice(_yield_sure_rows(text), 2)]
    if sure_rows:
        row = (
            sure_rows[-1] if layout.header else sure_rows[0]
        )  # the first row below the names of the columns
        width = len(layout.names if layout.ragged else split_fields(row, layout.sign))
        has_comments = text.startswith("#") or "\n#" in text
        return replace(header, width=width, first=text if has_comments else "")
    # the first line that can be a token decides the width
    data = encode_lines(text)
    starts, line_kinds = classify_lines(data)
    for row in map(
        _decode_line, _yield_lines(data, starts, _find_doubtful_lines(data, starts, line_kinds))
    ):
        candidate = replace(header, width=len(split_fields(row, layout.sign)))
        if candidate.is_token(row):
            return candidate
    return header


def count_rows_above(lines: Ints, non_rows: Ints) -> Ints:
    """Count the rows above each of some lines.

    Args:
        lines: indices of lines.
        non_rows: sorted indices of all lines that are not rows.
    """
    n_above: Ints = lines - np.searchsorted(non_rows, lines)
    return n_above


def parse_id(line: str) -> str:
    """Parse the id of a sentence or document from the line above it.

    >>> parse_id("# sent_id = 3"), parse_id("#begin document (bn/cnn_0115); part 000")
    ('3', 'bn/cnn_0115; part 000')
    """
    if match := _BEGIN.match(line):
        return f"{match[1]}; part {match[2]}" if match[2] else match[3].strip()
    return line.partition("=")[2].strip()


def take_first_lines(text: str) -> str:
    """Return the first `LINES` lines of a text, and further lines up to a portion with a row."""
    return join_portions_to_row(_yield_portions(text))


def join_portions_to_row(portions: Iterable[str]) -> str:
    """Join the first portions of lines, up to a portion with a row."""
    kept_portions: list[str] = []
    for portion in portions:
        kept_portions.append(portion)
        if SURE_ROW.search(portion):
            break
    return "".join(kept_portions)


def _yield_portions(text: str) -> Iterator[str]:
    """Yield portions of `LINES` lines with their ends."""
    portion_pattern = re.compile(rf"(?:.*\n){{{LINES}}}")
    end = 0
    while text.count("\n", end) >= LINES and (portion := portion_pattern.match(text, end)):
        yield portion[0]
        end = portion.end()
    if end < len(text):
        yield text[end:]


def _find_doubtful_lines(data: bytes, starts: Ints, line_kinds: Ints) -> Ints:
    """Find the lines that begin with ``#``, which may be tokens or comments."""
    lines = np.flatnonzero(line_kinds == LineKind.COMMENT)
    first_byte = np.frombuffer(data, np.uint8)[starts[lines]]
    doubtful: Ints = lines[first_byte == ord("#")]
    return doubtful


def _yield_sure_rows(text: str) -> Iterator[str]:
    """Yield the lines that are certainly tokens, without trailing spaces."""
    return (match[0].rstrip(" \r") for match in SURE_ROW.finditer(text))


def _yield_lines(data: bytes, starts: Ints, indices: Ints) -> Iterator[bytes]:
    """Yield the lines with some indices, with their ends."""
    bounds = zip(starts[indices].tolist(), starts[indices + 1].tolist(), strict=True)
    return (data[start:end] for start, end in bounds)


def _select_lines(
    condition: Callable[[bytes], bool], data: bytes, starts: Ints, indices: Ints
) -> Ints:
    """Return the indices of lines that meet a condition; equal lines are checked only once."""
    lines = [*_yield_lines(data, starts, indices)]
    is_met = {line: condition(line) for line in {*lines}}
    return indices[[is_met[line] for line in lines]]


def _decode_line(line: bytes, encoding: str = "utf-8") -> str:
    """Decode a line without its end and trailing spaces."""
    try:
        text = line.decode(encoding, "surrogatepass")
    except ValueError:  # the reader of that portion raises the error
        text = line.decode(encoding, "replace")
    return text.rstrip("\n").rstrip(" \r")
