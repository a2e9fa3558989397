"""Numbers for what is resampled, which say how often it is drawn: hashes of ids."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from spanagree.arrays import Hashes, Ints, hashed


def ids_of_units(ids: Sequence[str] | None, wholes: Ints | None = None) -> Hashes | None:
    """Return a number for each unit that is resampled, which says how often it is drawn.

    Units are documents, or with ``wholes`` those of which documents have the numbers; without ids
    there are no numbers.
    """
    if ids is None or wholes is None:
        return None if ids is None else hashed(ids)
    numbers = np.zeros(int(wholes.max(initial=-1)) + 1, np.uint64)
    np.add.at(numbers, wholes, hashed(ids))  # in whatever order the parts stand
    return numbers


def ids_of_texts(ids: Sequence[str] | None, document: Ints) -> Hashes | None:
    """Return the same for the texts of documents, each of which has the number of its document."""
    if ids is None:
        return None
    place = np.arange(len(document)) - np.searchsorted(document, document)
    return hashed(ids)[document] + place.astype(np.uint64)
