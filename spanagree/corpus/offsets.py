"""Comparison of offsets with the text, by the quotes of spans: their text in the source.

Every reader passes its spans, with their quotes if a source has any, through this module
(:meth:`spanagree.corpus.collector.Collector.add_segment`). Offsets count code points and ends are
exclusive, unless the quotes show that a source counts other units
(:mod:`spanagree.corpus.offset_units`), or that an end names the last token or character. Spans that
still differ from their quotes are *misplaced*. Without quotes, the edges of words show whether a
source counts line ends of two characters as one, as web pages do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Ints, group_indices
from spanagree.corpus.offset_units import ONE_LINE_END, look_up_point, yield_possible_units
from spanagree.corpus.quoted_texts import Place, is_quote_at
from spanagree.corpus.raw import STANDS, UNKNOWN
from spanagree.errors import escape_name, join_names, pluralize

TOLERATED = 10
"""At most one in so many of the spans with quotes may be misplaced; more are an error."""


class Spans(NamedTuple):
    """Segments of a source, in columns that are modified in place, with their quotes.

    ``annotator`` is the index of the annotator of each segment, and ``quote`` is :data:`UNKNOWN`,
    :data:`STANDS`, or an index of ``quotes``. The last ``pieces`` rows are pieces of segments,
    which are moved like segments.
    """

    annotation: Ints
    annotator: Ints
    start: Ints
    end: Ints
    quote: Ints
    quotes: Sequence[str]
    pieces: int = 0

    @property
    def segments(self) -> int:
        """Number of segments, without the rows of pieces."""
        return len(self.start) - self.pieces


class SourceDocument(NamedTuple):
    """Version of a document that the offsets of an annotation count.

    Attributes:
        place: text or tokens.
        has_mark: True if the text follows a byte order mark.
    """

    place: Place
    has_mark: bool = False


def relocate_misplaced(
    spans: Spans,
    look_up_version: Callable[[int], SourceDocument],
    ends: str | None,
    annotators: Sequence[str],
) -> tuple[list[str], str | None]:
    """Move misplaced spans to the offsets of their quotes, in place.

    Args:
        spans: segments of a source.
        look_up_version: function that returns the version of the document of an annotation.
        ends: meaning of ends, if it is defined.
        annotators: names of the annotators.

    Returns:
        Notes on units of offsets and inclusive ends that were found; the meaning of ends, ``None``
        if it is neither defined nor found.
    """

    def find_place(annotation: int) -> Place:
        return look_up_version(annotation).place

    notes = []
    rows_by_annotation = group_indices(spans.annotation, int(spans.annotation.max(initial=-1)) + 1)
    if (spans.quote >= 0).any():
        n_by_unit: Counter[str] = Counter()
        for annotation in np.unique(spans.annotation[spans.quote >= 0]).tolist():
            n_by_unit.update(
                _convert_annotation(
                    spans, rows_by_annotation[annotation].tolist(), look_up_version(annotation)
                )
            )
        notes += [
            _write_note_on_unit(n_moved, unit_text) for unit_text, n_moved in n_by_unit.items()
        ]
        for i in np.flatnonzero(spans.quote >= 0).tolist():
            bounds = int(spans.start[i]), int(spans.end[i])
            if is_quote_at(
                find_place(int(spans.annotation[i])), *bounds, spans.quotes[spans.quote[i]]
            ):
                spans.quote[i] = (
                    STANDS  # equals the text up to the end, beyond which the quote continues
                )
        inclusive, n_moved = _convert_inclusive_ends(spans, find_place) if ends is None else ([], 0)
        if n_moved:
            is_everybody = {*spans.annotator.tolist()} == {*inclusive}
            names = (
                ""
                if is_everybody
                else f" of {join_names(escape_name(annotators[i]) for i in inclusive)}"
            )
            notes.append(
                f"{pluralize(n_moved, 'span')}{names} whose ends name the last character or token,"
                " as the text of the spans shows, and are read as --ends inclusive reads them"
            )
            return notes, "inclusive" if is_everybody else None
    if ends is None and (n_moved := _convert_by_word_edges(spans, rows_by_annotation, find_place)):
        notes.append(f"{_write_note_on_unit(n_moved, ONE_LINE_END)}, as the edges of words show")
    return notes, ends or ("exclusive" if (spans.quote == STANDS).any() else None)


def _write_note_on_unit(count: int, says: str) -> str:
    return f"{pluralize(count, 'span')} with offsets {says}, turned into code points"


def _convert_annotation(
    spans: Spans, rows: Sequence[int], source_document: SourceDocument
) -> Iterator[str]:
    """Convert the spans of an annotation that fit their quotes in another unit, in place.

    ``rows`` are the rows of these spans. The unit in which most spans fit is tried first.

    Yields:
        The description of the unit, for each segment that is moved.
    """
    text = source_document.place
    if not isinstance(text, str):
        return
    candidates, is_first_unit = rows, True
    while misplaced := [i for i in rows if spans.quote[i] >= 0]:
        unit_text, point_at, fitting = _find_best_unit(
            spans, misplaced, text, has_mark=source_document.has_mark
        )
        bounds_by_row = {i: _move_bounds(spans, i, point_at) for i in candidates} if fitting else {}
        # spans that fit only in code points show that the annotation does not count the other unit
        only_in_code_points = [
            i
            for i in bounds_by_row
            if spans.quote[i] == STANDS
            and text[slice(*bounds_by_row[i])] != text[spans.start[i] : spans.end[i]]
        ]
        if not fitting or (unit_text not in _UNITS and len(fitting) <= len(only_in_code_points)):
            return
        for i in candidates:
            if i in fitting or (i not in misplaced and not only_in_code_points and is_first_unit):
                if i < spans.segments and bounds_by_row[i] != (spans.start[i], spans.end[i]):
                    yield unit_text
                spans.start[i], spans.end[i] = bounds_by_row[i]
                spans.quote[i] = STANDS if i in fitting else spans.quote[i]
        candidates, is_first_unit = [i for i in misplaced if i not in fitting], False


_UNITS = ("in UTF-16 units", "in bytes of UTF-8")


def _find_best_unit(
    spans: Spans, misplaced: Sequence[int], text: str, *, has_mark: bool
) -> tuple[str, Ints, set[int]]:
    """Find the unit in which most misplaced spans fit their quotes.

    Returns:
        Description of the unit; code point at each offset; rows of the spans that fit.
    """
    best_unit: tuple[str, Ints, set[int]] = "", np.zeros(1, np.int64), set()
    for unit_text, point_at in yield_possible_units(text, has_mark=has_mark):
        fitting = set()
        for i in misplaced:
            start, end = _move_bounds(spans, i, point_at)
            if end <= len(text) and is_quote_at(text, start, end, spans.quotes[spans.quote[i]]):
                fitting.add(i)
        if len(fitting) > len(best_unit[2]):
            best_unit = unit_text, point_at, fitting
        if len(fitting) == len(misplaced):
            break
    return best_unit


def _convert_by_word_edges(
    spans: Spans, rows_by_annotation: Sequence[Ints], find_place: Callable[[int], Place]
) -> int:
    """Convert spans without quotes that fit the edges of words if line ends count as one character.

    ``rows_by_annotation`` are the rows of spans of each annotation; ``find_place`` returns its text
    or tokens. The spans of an annotator are converted if more than one in ten cut a word or have
    white space at an edge before, and at most one in ten after.

    Returns:
        Number of segments that are moved.
    """
    bounds_by_annotator: dict[int, dict[int, tuple[int, int]]] = {}
    n_odd: Counter[tuple[int, bool]] = Counter()
    for annotation, rows_of_annotation in enumerate(rows_by_annotation):
        text, row_list = find_place(annotation), rows_of_annotation.tolist()
        if not row_list or not isinstance(text, str) or "\r\n" not in text:
            continue
        if any(spans.quote[i] != UNKNOWN for i in row_list):
            continue
        point_at = next(
            table for unit_text, table in yield_possible_units(text) if unit_text == ONE_LINE_END
        )
        for i in row_list:
            new_bounds, old_bounds = (
                _move_bounds(spans, i, point_at),
                (int(spans.start[i]), int(spans.end[i])),
            )
            if new_bounds != old_bounds:
                annotator = int(spans.annotator[i])
                bounds_by_annotator.setdefault(annotator, {})[i] = new_bounds
                n_odd[annotator, False] += _is_unlikely_span(text, *old_bounds)
                n_odd[annotator, True] += _is_unlikely_span(text, *new_bounds)
    count = 0
    for annotator, rows_moved in bounds_by_annotator.items():
        limit = len(rows_moved) / TOLERATED
        if n_odd[annotator, True] <= limit < n_odd[annotator, False]:
            for i, new_bounds in rows_moved.items():
                spans.start[i], spans.end[i] = new_bounds
                count += i < spans.segments
    return count


def _is_unlikely_span(text: str, start: int, end: int) -> bool:
    """Check if a span cuts a word, has white space at an edge, or is outside the text."""
    if not 0 <= start < end <= len(text):
        return True
    return cuts_word(text, start, end) or text[start].isspace() or text[end - 1].isspace()


def cuts_word(text: str, start: int, end: int) -> bool:
    """Check if a span begins or ends inside a word.

    >>> cuts_word("No way", 0, 2), cuts_word("No way", 0, 4)
    (False, True)
    """
    return any(
        0 < offset < len(text) and text[offset - 1 : offset + 1].isalnum()
        for offset in (start, end)
    )


def _move_bounds(spans: Spans, i: int, point_at: Ints) -> tuple[int, int]:
    return look_up_point(point_at, int(spans.start[i])), look_up_point(point_at, int(spans.end[i]))


def _convert_inclusive_ends(
    spans: Spans, find_place: Callable[[int], Place]
) -> tuple[list[int], int]:
    """Add 1 to the ends of annotators whose quotes show that ends are inclusive.

    ``find_place`` returns the text or tokens of an annotation.

    Returns:
        Indices of these annotators; number of segments that are moved.
    """
    is_fitting = np.zeros(len(spans.quote), np.bool_)
    for i in np.flatnonzero(spans.quote >= 0).tolist():
        bounds = int(spans.start[i]), int(spans.end[i]) + 1
        is_fitting[i] = is_quote_at(
            find_place(int(spans.annotation[i])), *bounds, spans.quotes[spans.quote[i]]
        )
    n_checked, n_fitting = (
        np.bincount(spans.annotator, mask) for mask in (spans.quote != UNKNOWN, is_fitting)
    )
    # other quotes fit unchanged, or not at all
    is_inclusive = (n_fitting > 0) & ((n_checked - n_fitting) * TOLERATED <= n_checked)
    is_moved = is_inclusive[spans.annotator] & (spans.quote != STANDS)
    spans.end[is_moved] += 1
    spans.quote[is_fitting & is_moved] = STANDS
    return np.flatnonzero(is_inclusive).tolist(), int(is_moved[: spans.segments].sum())
