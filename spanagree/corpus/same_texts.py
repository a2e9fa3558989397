"""Equal texts in documents of different files, perhaps by several annotators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from spanagree.arrays import Hashes, hash_names
from spanagree.corpus.details import SegmentDetails
from spanagree.corpus.offset_units import look_up_point, map_between_line_ends
from spanagree.corpus.raw import RawCorpus
from spanagree.corpus.segments import Content
from spanagree.errors import pluralize


def hash_texts(documents: Content) -> Hashes:
    """Hash the text of each document, or its tokens; empty if both are unknown.

    The hash is 0 for a text of only white space.
    """
    texts = documents.join_tokens() if documents.texts is None else documents.texts
    if texts is None:
        return np.zeros(0, np.uint64)
    is_blank = np.array([not text.strip() for text in texts], np.bool_)
    return np.where(is_blank, np.uint64(0), hash_names(texts))


def write_note_on_same_texts(files: Sequence[Hashes]) -> tuple[str, ...]:
    """Write a note if half of the texts of a file are in other files too, under other ids.

    Some short texts and sentences recur in any corpus. ``files`` are hashes of the texts by file.
    """
    hashes = [np.unique(hashes_of_file[hashes_of_file != 0]) for hashes_of_file in files]
    texts, n_files = np.unique(
        np.concatenate([np.zeros(0, np.uint64), *hashes]), return_counts=True
    )
    recurs = [np.isin(hashes_of_file, texts[n_files > 1]) for hashes_of_file in files]
    if not any(
        recurs_in_file.any() and 2 * recurs_in_file.sum() >= len(recurs_in_file)
        for recurs_in_file in recurs
    ):
        return ()
    return (
        f"{pluralize(sum(int(recurs_in_file.sum()) for recurs_in_file in recurs), 'document')} of"
        " different files have"
        " the same text as another, under another id; --join text (join='text') makes them one"
        " document, and if the files are of several annotators, NAME=FILE names each",
    )


def replace_line_ends(raw: RawCorpus, texts: Mapping[int, str]) -> RawCorpus:
    """Replace texts with versions of another source with other line ends, and adapt offsets.

    Args:
        raw: rows of a source, with offsets in characters.
        texts: text in another source, by index of the document; texts that differ in more than line
            ends are ignored here.
    """
    if raw.texts is None or raw.offsets != "characters":
        return raw
    points_by_document = {
        d: map_between_line_ends(raw.texts[d], text)
        for d, text in texts.items()
        if text != raw.texts[d]
    }
    applicable = {d: point_at for d, point_at in points_by_document.items() if point_at is not None}
    if not applicable:
        return raw
    new_texts = [texts[d] if d in applicable else text for d, text in enumerate(raw.texts)]
    lengths, start, end = (column.copy() for column in (raw.lengths, raw.start, raw.end))
    pieces = {} if raw.details is None else raw.details.compute_pieces_by_row(raw.start)
    for d in applicable:
        lengths[d] = len(new_texts[d])
    for row in np.flatnonzero(np.isin(raw.document, [*applicable])).tolist():
        point_at = applicable[int(raw.document[row])]
        start[row], end[row] = (
            look_up_point(point_at, int(start[row])),
            look_up_point(point_at, int(end[row])),
        )
        if row in pieces:
            pieces[row] = tuple(
                (look_up_point(point_at, a), look_up_point(point_at, b)) for a, b in pieces[row]
            )
    details = (raw.details or SegmentDetails.create_empty(len(start))).replace_pieces(pieces)
    return raw.replace(
        lengths=lengths, texts=tuple(new_texts), start=start, end=end, details=details
    )
