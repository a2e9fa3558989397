"""Correction of the offsets of collected segments, by quotes and by versions of their documents."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import islice

import numpy as np

from spanagree.arrays import Ints
from spanagree.corpus.collected_quotes import are_words_of_pieces
from spanagree.corpus.details import Pieces, join_adjacent
from spanagree.corpus.offset_units import look_up_point, map_between_line_ends
from spanagree.corpus.offsets import SourceDocument, Spans, relocate_misplaced
from spanagree.corpus.quoted_texts import Place
from spanagree.corpus.raw import STANDS, UNKNOWN


def correct_offsets(
    spans: Spans,
    pieces: Mapping[int, Pieces],
    versions: Mapping[int, tuple[SourceDocument, str | None]],
    look_up_version: Callable[[int], SourceDocument],
    ends: str | None,
    annotators: Sequence[str],
) -> tuple[tuple[Ints, Ints, Ints], dict[int, Pieces], Sequence[str], str | None]:
    """Correct offsets that count another unit, or another version of the text.

    Args:
        spans: all segments; its columns may be changed in place.
        pieces: pieces of the segments with several pieces, by index of the segment.
        versions: version of the document that an annotation counts, and the first text of this
            document, by index of annotations with another version than the first.
        look_up_version: function that returns the version of the document for an annotation.
        ends: meaning of ends; ``None`` to infer it from quotes.
        annotators: names of the annotators.

    Returns:
        Start, end and status of the quote of each segment; the pieces; notes on corrections; and
        the meaning of ends.
    """
    n_segments, quote_before = len(spans.start), spans.quote
    spans = _append_pieces(spans, pieces)
    notes, meaning_of_ends = relocate_misplaced(spans, look_up_version, ends, tuple(annotators))
    _convert_to_first_versions(spans, versions)
    pieces_by_row = _read_back_pieces(spans, pieces)
    for row, joined_pieces in pieces_by_row.items():
        annotation = int(spans.annotation[row])
        _, first_text = versions.get(annotation, (None, None))
        content = look_up_version(annotation).place if first_text is None else first_text
        spans.quote[row] = _compare_again(
            spans, row, joined_pieces, int(quote_before[row]), content
        )
    columns = (spans.start[:n_segments], spans.end[:n_segments], spans.quote[:n_segments])
    several = {row: joined for row, joined in pieces_by_row.items() if len(joined) > 1}
    return columns, several, notes, meaning_of_ends


def _convert_to_first_versions(
    spans: Spans, versions: Mapping[int, tuple[SourceDocument, str | None]]
) -> None:
    """Convert offsets in texts that differ in line ends to offsets in the first version."""
    for annotation, ((text, _), first_text) in versions.items():
        if isinstance(text, str) and first_text is not None and text != first_text:
            points = map_between_line_ends(text, first_text)
            assert points is not None  # only line ends of the texts differ
            for i in np.flatnonzero(spans.annotation == annotation).tolist():
                spans.start[i] = look_up_point(points, int(spans.start[i]))
                spans.end[i] = look_up_point(points, int(spans.end[i]))


def _append_pieces(spans: Spans, pieces: Mapping[int, Pieces]) -> Spans:
    """Append a row to the spans for each piece of the segments with several pieces.

    The quotes of such segments combine several pieces, so they do not show the position of the
    whole span.
    """
    if not pieces:
        return spans
    rows = [row for row, pieces_of_segment in pieces.items() for _ in pieces_of_segment]
    bounds = np.array(
        [piece for pieces_of_segment in pieces.values() for piece in pieces_of_segment]
    )
    quote_status = np.concatenate([spans.quote, np.full(len(rows), UNKNOWN)])
    quote_status[[*pieces]] = UNKNOWN
    return Spans(
        np.concatenate([spans.annotation, spans.annotation[rows]]),
        np.concatenate([spans.annotator, spans.annotator[rows]]),
        np.concatenate([spans.start, bounds[:, 0]]),
        np.concatenate([spans.end, bounds[:, 1]]),
        quote_status,
        spans.quotes,
        len(rows),
    )


def _read_back_pieces(spans: Spans, pieces: Mapping[int, Pieces]) -> dict[int, Pieces]:
    """Read the pieces of segments from the rows after the segments; adjacent pieces are joined."""
    starts, ends = (column[spans.segments :].tolist() for column in (spans.start, spans.end))
    remaining_bounds = zip(starts, ends, strict=True)
    return {
        row: join_adjacent([*islice(remaining_bounds, len(pieces_of_segment))])
        for row, pieces_of_segment in pieces.items()
    }


def _compare_again(
    spans: Spans,
    row: int,
    pieces: Pieces,
    quote_index: int,
    content: Place | None,
) -> int:
    """Compare the quote of a segment with its corrected pieces, and return its status.

    Args:
        spans: segments with corrected offsets.
        row: index of the segment.
        pieces: corrected pieces of the segment.
        quote_index: status of the quote before the correction.
        content: text or tokens that the corrected offsets count.
    """
    if quote_index < 0:
        return quote_index
    hull = [(int(spans.start[row]), int(spans.end[row]))]  # some tools quote the whole range
    is_there = any(
        are_words_of_pieces(content or "", bounds, spans.quotes[quote_index])
        for bounds in (pieces, hull)
    )
    return STANDS if is_there else quote_index
