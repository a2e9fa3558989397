"""Which documents are the same: ids as numbers, which are small and add over blocks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from spanagree.arrays import Hashes, Ints, hashed
from spanagree.corpus.corpus import Corpus
from spanagree.errors import InputError, counted


def ids_of(corpus: Corpus) -> tuple[Hashes, ...]:
    """Return the ids of one block as numbers; none if its documents have none."""
    return () if corpus.ids is None else (hashed(corpus.ids),)


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


class SharedDocumentsError(InputError):
    """Documents of the same id in several blocks."""


def check_unique(ids: Sequence[Hashes], names: Sequence[str] = ()) -> None:
    """Refuse documents with the same id; ``names`` are those of the blocks, numbers unless given.

    Raises:
        SharedDocumentsError: naming the first two such documents.
    """
    everything = np.concatenate([*ids, np.zeros(0, np.uint64)])
    everything.sort()  # in place: they may be many, and most often there is nothing to say
    if not (everything[1:] == everything[:-1]).any():
        return
    everything = np.concatenate(ids)
    order = np.argsort(everything, kind="stable")
    again = np.flatnonzero(np.diff(everything[order]) == 0)
    ends = np.cumsum([len(block) for block in ids])
    where = []
    for place in order[again[0] : again[0] + 2].tolist():
        block = int(np.searchsorted(ends, place, side="right"))
        number = place - int(ends[block]) + len(ids[block])
        name = names[block] if names else f"block {block + 1}"
        where.append(f"document {number + 1} of {name}")
    more = f", and {counted(len(again) - 1, 'more document')} too" if len(again) > 1 else ""
    raise SharedDocumentsError(
        f"{' and '.join(where)} have the same id{more}; a document is counted once, in one block:"
        " give each an id of its own, or put together what belongs to one"
    )
