"""Documents of different files that have the same text: perhaps they are of several annotators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from spanagree.arrays import Hashes, hash_names
from spanagree.corpus.details import SegmentDetails
from spanagree.corpus.offsets import point, points_between
from spanagree.corpus.raw import RawCorpus
from spanagree.corpus.segments import Content
from spanagree.errors import pluralize


def numbers_of_texts(documents: Content) -> Hashes:
    """Return a number for the text of each document, or its tokens; none where they are unknown.

    It is 0 for a text of nothing but white space.
    """
    if documents.texts is not None:
        texts: list[str] = list(documents.texts)
    elif documents.tokens:
        texts = ["\n".join(documents.tokens_of(d)) for d in range(len(documents.lengths))]
    else:
        return np.zeros(0, np.uint64)
    blank = np.array([not text.strip() for text in texts], np.bool_)
    return np.where(blank, np.uint64(0), hash_names(texts))


def note_of_same_texts(files: Sequence[Hashes]) -> tuple[str, ...]:
    """Return a remark where half of the texts of a file stand in others too, with other ids.

    Some short texts and sentences recur in any corpus. ``files`` has a number for each text.
    """
    hashes = [np.unique(part[part != 0]) for part in files]
    texts, times = np.unique(np.concatenate([np.zeros(0, np.uint64), *hashes]), return_counts=True)
    again = [np.isin(part, texts[times > 1]) for part in files]
    if not any(some.any() and 2 * some.sum() >= len(some) for some in again):
        return ()
    return (
        f"{pluralize(sum(int(some.sum()) for some in again), 'document')} of different files have"
        " the same text as another, under another id; --join text (join='text') makes them one"
        " document, and if the files are of several annotators, NAME=FILE names each",
    )


def with_line_ends(raw: RawCorpus, texts: Mapping[int, str]) -> RawCorpus:
    """Return the rows with the texts of others that have other line ends, and offsets in these.

    Args:
        raw: what a source says, with offsets in characters.
        texts: by the number of a document its text in another source; one that differs in more
            than line ends is left to who compares them.
    """
    if raw.texts is None or raw.offsets != "characters":
        return raw
    tables = {
        d: points_between(raw.texts[d], text) for d, text in texts.items() if text != raw.texts[d]
    }
    known = {d: points for d, points in tables.items() if points is not None}
    if not known:
        return raw
    content = [texts[d] if d in known else text for d, text in enumerate(raw.texts)]
    lengths, start, end = (x.copy() for x in (raw.lengths, raw.start, raw.end))
    pieces = {} if raw.details is None else raw.details.pieces(raw.start)
    for d in known:
        lengths[d] = len(content[d])
    for row in np.flatnonzero(np.isin(raw.document, [*known])).tolist():
        points = known[int(raw.document[row])]
        start[row], end[row] = point(points, int(start[row])), point(points, int(end[row]))
        if row in pieces:
            pieces[row] = tuple((point(points, a), point(points, b)) for a, b in pieces[row])
    details = (raw.details or SegmentDetails.none(len(start))).with_pieces(pieces)
    return raw.replace(lengths=lengths, texts=tuple(content), start=start, end=end, details=details)
