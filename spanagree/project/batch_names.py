"""Which batch each document is in: by order, by a pattern in its id, by a table, or as given."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np

from spanagree.corpus.corpus import Corpus, places_found
from spanagree.corpus.same_texts import numbers_of_texts
from spanagree.errors import SettingError, check_whole, counted, show
from spanagree.formats.document_tables import names_in_table, says_table, table_named

BatchesBy: TypeAlias = int | str | Sequence[str | None] | None
"""What says which batch a document is in; see :func:`spanagree.project.batches`."""

Parts = dict[str, tuple[Corpus, list[str]]]
"""The corpus of each batch by its name, and what tells its documents from others."""

_NEEDED = "a number, a pattern, FILE or FILE:COLUMN, or a name for each document is needed"


def parts_of(corpus: Corpus | Mapping[str, Corpus], by: BatchesBy) -> tuple[Parts, str, list[str]]:
    """Return the batches in their order, how they were made in a word, and notes.

    Raises:
        SettingError, InputError: as for :func:`spanagree.project.batches`.
    """
    if not isinstance(corpus, Corpus):
        if by is not None or not isinstance(corpus, Mapping) or len(corpus) < 2:
            raise SettingError("batches: a corpus for each needs two of them by name, and no spec")
        return {str(name): (batch, _ids(batch)) for name, batch in corpus.items()}, "files", []
    numbers, keys, says, notes = parts_of_ids(_ids(corpus), by, "document")
    parts: Parts = {
        name: (corpus.subset(np.array(here)), [keys[d] for d in here])
        for name, here in numbers.items()
    }
    return parts, says, notes


def tell_apart_by_text(parts: Parts) -> tuple[Parts, list[str]]:
    """Return the same with documents told apart by their texts too, and a note if some differ.

    Where texts are unknown, their lengths tell them apart.
    """
    texts = {name: numbers_of_texts(corpus) for name, (corpus, _) in parts.items()}
    if not all(map(len, texts.values())):
        texts = {name: np.array(corpus.lengths) for name, (corpus, _) in parts.items()}
    keys_with_text = {
        name: [f"{key}\0{text}" for key, text in zip(keys, texts[name].tolist(), strict=True)]
        for name, (_, keys) in parts.items()
    }
    batches_of = Counter(key for _, keys in parts.values() for key in {*keys})
    alike = Counter(key for keys in keys_with_text.values() for key in {*keys})
    differ = sum(
        batches_of[key] > 1 and alike[by_text] == 1
        for name, (_, keys) in parts.items()
        for key, by_text in zip(keys, keys_with_text[name], strict=True)
    )
    parts = {name: (corpus, keys_with_text[name]) for name, (corpus, _) in parts.items()}
    if not differ:
        return parts, []
    return parts, [
        f"{counted(differ, 'document')} with the id of a document in another batch, but another"
        " text; they are compared as different documents"
    ]


def parts_of_ids(
    ids: list[str], by: BatchesBy, noun: str
) -> tuple[dict[str, list[int]], list[str], str, list[str]]:
    """Return the numbers of what is in each batch, by their ids.

    Then what tells each from others, how batches were made in a word, and notes.

    Raises:
        SettingError, InputError: as for :func:`spanagree.batches`.
    """
    names, keys, says = _named(ids, by, noun)
    order = _in_order(names, by)
    if not order:
        raise SettingError(f"batches {show(by)}: no {noun} is in any of them; {_NEEDED}")
    numbers = {name: [d for d, batch in enumerate(names) if batch == name] for name in order}
    left = names.count(None)
    notes = [f"{counted(left, noun)} in no batch, left out"] if left else []
    return numbers, keys, says, notes


def _ids(corpus: Corpus) -> list[str]:
    return [corpus.id_of(d) for d in range(len(corpus))]


def _named(ids: list[str], by: BatchesBy, noun: str) -> tuple[list[str | None], list[str], str]:
    """Return the batch of each document, what tells documents apart, and how in a word."""
    if isinstance(by, str) and not by.isdecimal():
        if (table := table_named(by)) is not None:
            return names_in_table(ids, *table, "batch"), ids, says_table(*table)
        return *_by_pattern(ids, by), f"pattern {by}"
    if isinstance(by, (int, np.integer, str)) and not isinstance(by, bool):
        number = int(by)
        check_whole(number, 2, "batches")
        if number > len(ids):
            raise SettingError(
                f"batches {number}: there are {counted(len(ids), noun)}; each batch needs one"
            )
        split = np.array_split(np.arange(len(ids)), number)
        return [str(b) for b, part in enumerate(split, 1) for _ in part], ids, f"order {number}"
    if not isinstance(by, Sequence) or len(by) != len(ids):
        raise SettingError(f"batches {show(by)}; {_NEEDED}")
    return [None if name is None else str(name) for name in by], ids, "names"


def _by_pattern(ids: list[str], pattern: str) -> tuple[list[str | None], list[str]]:
    """Return what a pattern finds in each id, and the ids without that."""
    places = list(zip(ids, places_found(ids, pattern, "batches"), strict=True))
    names = [None if at is None else name[at[0] : at[1]] for name, at in places]
    keys = [name if at is None else f"{name[: at[0]]}\0{name[at[1] :]}" for name, at in places]
    return names, keys


def _in_order(names: Sequence[str | None], by: object) -> list[str]:
    """Return the names of batches, numbers in them by size; those that were given as they come."""
    known = list(dict.fromkeys(name for name in names if name is not None))
    if isinstance(by, (int, np.integer, str)):
        return sorted(known, key=_natural)
    return known


def _natural(name: str) -> list[tuple[int, int, str]]:
    """Return what sorts "week 9" before "week 10"."""
    parts = re.split(r"([0-9]+)", name)
    is_number = [part.isascii() and part.isdigit() for part in parts]
    return [
        (0, int(part[:99]), "") if number else (1, 0, part)
        for part, number in zip(parts, is_number, strict=True)
    ]
