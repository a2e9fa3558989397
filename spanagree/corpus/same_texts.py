"""Documents of different files that have the same text: perhaps they are of several annotators."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from spanagree.arrays import Hashes, hashed
from spanagree.corpus.segments import Content
from spanagree.errors import counted


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
    return np.where(blank, np.uint64(0), hashed(texts))


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
        f"{counted(sum(int(some.sum()) for some in again), 'document')} of different files have"
        " the same text as another, under another id; if the files are of several annotators, name"
        " each as NAME=FILE",
    )
