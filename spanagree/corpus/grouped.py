"""Documents in groups: clusters of them, or texts that become one document."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from spanagree.arrays import Ints, entries, group_indices, unique_rows
from spanagree.corpus.raw import RawCorpus
from spanagree.corpus.segments import codes
from spanagree.corpus.tokens import sizes_of
from spanagree.errors import SettingError, pluralize, quote_value

_NEEDED = "a pattern, or a name for each document, is needed"


def places_found(ids: Sequence[str], pattern: str, what: str) -> list[tuple[int, int] | None]:
    """Return where in each id a pattern is found: its first group, or all of it.

    Raises:
        SettingError: for what is not a pattern; ``what`` is the option that has it.
    """
    try:
        find = re.compile(pattern)
    except re.error as error:
        raise SettingError(
            f"{what} {quote_value(pattern)}: neither a file that is there nor a pattern ({error})"
        ) from None
    hits = [find.search(id_) for id_ in ids]
    spans = [None if hit is None else hit.span(min(hit.re.groups, 1)) for hit in hits]
    return [None if span is None or span[0] < 0 else span for span in spans]


def grouped(
    raw: RawCorpus,
    names: str | Sequence[str | None],
    joined: bool = False,
    says: str = "names",
) -> RawCorpus:
    """Return the rows of a corpus with its documents in groups, which may be clusters, or joined.

    A document in no group is by itself, in the group that its id would name.

    Args:
        raw: what is in a valid corpus.
        names: a pattern that finds the group in a document's id (its first group, or all of it);
            or the group of each document, ``None`` or ``""`` for none.
        joined: make the texts of a group one document, with a line break between texts (nothing
            between tokens), in which chance may put a segment anywhere. Only texts that exactly the
            same annotators saw are joined: of other groups several documents are made.
        says: how the groups were named, for the signature.

    Raises:
        SettingError: for other names, or if no document is in a group.
    """
    ids = [raw.id_of(d) for d in range(len(raw.lengths))]
    if isinstance(names, str):
        places = places_found(ids, names, "group_by")
        says = f"pattern {names}"
        group_names = [at and id_[slice(*at)] for id_, at in zip(ids, places, strict=True)]
    elif isinstance(names, Sequence) and len(names) == len(ids):
        group_names = [None if name is None else str(name) for name in names]
    else:
        raise SettingError(f"group_by {quote_value(names)}; {_NEEDED}")
    alone = sum(not name for name in group_names)
    if ids and alone == len(ids):
        raise SettingError(f"group_by {quote_value(says)}: no document is in a group; {_NEEDED}")
    notes = [f"{pluralize(alone, 'document')} in no group, each by itself"] if alone else []
    numbers, groups_ = codes([name or id_ for name, id_ in zip(group_names, ids, strict=True)])
    if joined:
        return _joined(raw, numbers, groups_, says, notes)
    reading = {**raw.reading, "group_by": says}
    return raw.replace(parent_ids=numbers, reading=reading, notes=(*raw.notes, *notes))


def _joined(
    raw: RawCorpus, numbers: Ints, names: Sequence[str], says: str, notes: Sequence[str]
) -> RawCorpus:
    """Return the rows with the texts of a group as one document; ``numbers`` are their groups."""
    annotations = group_indices(raw.document_index, len(raw.lengths))
    seen, _ = codes(np.sort(raw.annotator_index[rows]).tobytes().hex() for rows in annotations)
    (of_group, _), unit, sizes = unique_rows(numbers, seen)
    order = np.argsort(unit, kind="stable")
    first = np.cumsum(sizes) - sizes
    several = np.bincount(of_group, minlength=len(names)) > 1
    ids = [
        f"{names[g]}:{raw.id_of(d)}" if several[g] else names[g]
        for g, d in zip(of_group.tolist(), order[first].tolist(), strict=True)
    ]
    if split := int(several.sum()):
        notes = [
            *notes,
            f"{pluralize(split, 'group')} in several documents, as not the same annotators saw all"
            " texts: only those that exactly the same saw are joined",
        ]
    gap = int(raw.offsets == "characters")  # a line break
    moved = np.empty(len(order), np.int64)
    moved[order] = _moved(raw.lengths[order], sizes, gap)
    (document_index, annotator_index), annotation, _ = unique_rows(
        unit[raw.document_index], raw.annotator_index
    )
    length = np.zeros(len(sizes), np.int64)
    np.add.at(length, unit, raw.lengths)  # exact, whatever their size
    content = {**raw.content_of(order), **_texts(raw, order, sizes)}
    content |= {"lengths": length + gap * (sizes - 1), "ids": tuple(ids), "parent_ids": of_group}
    ends = moved[order] + raw.lengths[order]
    content["text_ends"] = tuple(np.split(ends, np.cumsum(sizes)[:-1]) if len(sizes) else ())
    of_unit = {"unit": "document"} if "unit" in raw.reading else {}
    return replace(
        raw,
        **content,
        document_index=document_index,
        annotator_index=annotator_index,
        annotation=annotation[raw.annotation],
        unplaced=raw.unplaced and raw.unplaced.moved(annotation),
        start=raw.start + moved[raw.document],
        end=raw.end + moved[raw.document],
        when=None,
        reading={**raw.reading, **of_unit, "joined": says},
        notes=(*raw.notes, *notes),
    )


def _moved(lengths: Ints, sizes: Ints, gap: int) -> Ints:
    """Return where each text begins in its document, of ``sizes`` texts with a gap between."""
    begins = np.cumsum(lengths + gap) - lengths - gap
    moved: Ints = begins - np.repeat(begins[np.cumsum(sizes) - sizes], sizes)
    return moved


def _texts(raw: RawCorpus, order: Ints, sizes: Ints) -> dict[str, Any]:
    """Return the joined texts, where they are known, and where the tokens begin in them."""
    if raw.texts is None:
        return {}
    texts = [raw.texts[d] for d in order.tolist()]
    ends = np.cumsum(sizes).tolist()
    joined = tuple("\n".join(texts[low:high]) for low, high in pairwise([0, *ends]))
    if raw.token_starts is None:
        return {"texts": joined}
    moved = np.repeat(_moved(sizes_of(texts), sizes, 1), raw.lengths[order])
    return {"texts": joined, "token_starts": raw.token_starts[entries(raw.lengths, order)] + moved}
