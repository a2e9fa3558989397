"""Grouping of documents into clusters, or of texts into one document."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from spanagree.arrays import Ints, encode_by_first_use, find_entries, group_indices, unique_rows
from spanagree.corpus.raw import RawCorpus
from spanagree.corpus.tokens import count_characters
from spanagree.errors import SettingError, pluralize, quote_value

_NEEDED = "a pattern, or a name for each document, is needed"


def find_pattern_spans(
    ids: Sequence[str], pattern: str, option_name: str
) -> list[tuple[int, int] | None]:
    """Find a pattern in each id: the span of its first group, or of the whole match.

    ``None`` is returned for an id without the pattern.

    Raises:
        SettingError: if the pattern is not valid; the message begins with ``option_name``.
    """
    try:
        compiled = re.compile(pattern)
    except re.error as error:
        raise SettingError(
            f"{option_name} {quote_value(pattern)}: neither a file that is there nor a pattern"
            f" ({error})"
        ) from None
    matches = [compiled.search(id_) for id_ in ids]
    spans = [None if hit is None else hit.span(min(hit.re.groups, 1)) for hit in matches]
    return [None if span is None or span[0] < 0 else span for span in spans]


def group_documents(
    raw: RawCorpus,
    group_by: str | Sequence[str | None],
    joined: bool = False,
    origin: str = "names",
) -> RawCorpus:
    """Assign documents to groups, which are clusters, or join each group into one document.

    A document without a group becomes a group of its own, with the document's id as its name.

    Args:
        raw: rows of a valid corpus.
        group_by: pattern that finds the name of the group in the id of a document (its first
            group, or the whole match); or the name of the group of each document, ``None`` or
            ``""`` for none.
        joined: True to join the texts of a group, with a line break between texts (nothing between
            tokens), so that chance may put a segment anywhere in the joined document. Only texts
            seen by exactly the same annotators are joined: other groups become several documents.
        origin: description of the source of the names, for the signature.

    Raises:
        SettingError: if names are not valid, or no document is in a group.
    """
    ids = [raw.id_of(d) for d in range(len(raw.lengths))]
    if isinstance(group_by, str):
        spans = find_pattern_spans(ids, group_by, "group_by")
        origin = f"pattern {group_by}"
        group_names = [span and id_[slice(*span)] for id_, span in zip(ids, spans, strict=True)]
    elif isinstance(group_by, Sequence) and len(group_by) == len(ids):
        group_names = [None if name is None else str(name) for name in group_by]
    else:
        raise SettingError(f"group_by {quote_value(group_by)}; {_NEEDED}")
    n_alone = sum(not name for name in group_names)
    if ids and n_alone == len(ids):
        raise SettingError(f"group_by {quote_value(origin)}: no document is in a group; {_NEEDED}")
    notes = [f"{pluralize(n_alone, 'document')} in no group, each by itself"] if n_alone else []
    group_index, distinct_names = encode_by_first_use(
        [name or id_ for name, id_ in zip(group_names, ids, strict=True)]
    )
    if joined:
        return _join_groups(raw, group_index, distinct_names, origin, notes)
    reading = {**raw.reading, "group_by": origin}
    return raw.replace(parent_ids=group_index, reading=reading, notes=(*raw.notes, *notes))


def _join_groups(
    raw: RawCorpus, group_index: Ints, names: Sequence[str], origin: str, notes: Sequence[str]
) -> RawCorpus:
    """Join the texts of each group into one document.

    Args:
        raw: rows, with one document for each text.
        group_index: index of the group of each text.
        names: names of the groups.
        origin: description of the source of these names, for the signature.
        notes: notes so far.
    """
    annotations = group_indices(raw.document_index, len(raw.lengths))
    annotators_code, _ = encode_by_first_use(
        np.sort(raw.annotator_index[rows]).tobytes().hex() for rows in annotations
    )
    (group_of_document, _), document_of_text, sizes = unique_rows(group_index, annotators_code)
    order = np.argsort(document_of_text, kind="stable")
    first_text = np.cumsum(sizes) - sizes
    has_several = np.bincount(group_of_document, minlength=len(names)) > 1
    ids = [
        f"{names[g]}:{raw.id_of(d)}" if has_several[g] else names[g]
        for g, d in zip(group_of_document.tolist(), order[first_text].tolist(), strict=True)
    ]
    if n_split := int(has_several.sum()):
        notes = [
            *notes,
            f"{pluralize(n_split, 'group')} in several documents, as not the same annotators saw"
            " all texts: only those that exactly the same saw are joined",
        ]
    gap_length = int(raw.offsets == "characters")  # a line break
    text_start = np.empty(len(order), np.int64)
    text_start[order] = _compute_text_starts(raw.lengths[order], sizes, gap_length)
    (document_index, annotator_index), annotation, _ = unique_rows(
        document_of_text[raw.document_index], raw.annotator_index
    )
    length = np.zeros(len(sizes), np.int64)
    np.add.at(length, document_of_text, raw.lengths)  # exact for large numbers
    content = {**raw.content_of(order), **_join_texts(raw, order, sizes)}
    content |= {
        "lengths": length + gap_length * (sizes - 1),
        "ids": tuple(ids),
        "parent_ids": group_of_document,
    }
    text_end = text_start[order] + raw.lengths[order]
    content["text_ends"] = tuple(np.split(text_end, np.cumsum(sizes)[:-1]) if len(sizes) else ())
    unit_setting = {"unit": "document"} if "unit" in raw.reading else {}
    return replace(
        raw,
        **content,
        document_index=document_index,
        annotator_index=annotator_index,
        annotation=annotation[raw.annotation],
        unplaced=raw.unplaced and raw.unplaced.reindex(annotation),
        start=raw.start + text_start[raw.document],
        end=raw.end + text_start[raw.document],
        when=None,
        reading={**raw.reading, **unit_setting, "joined": origin},
        notes=(*raw.notes, *notes),
    )


def _compute_text_starts(lengths: Ints, sizes: Ints, gap: int) -> Ints:
    """Compute the start of each text in its document of ``sizes`` texts, separated by a gap."""
    line_start = np.cumsum(lengths + gap) - lengths - gap
    text_start: Ints = line_start - np.repeat(line_start[np.cumsum(sizes) - sizes], sizes)
    return text_start


def _join_texts(raw: RawCorpus, order: Ints, sizes: Ints) -> dict[str, Any]:
    """Join the texts of each group into one text, and shift token starts to positions in it.

    Returned are the new columns ``texts`` and ``token_starts``, as far as they are known.

    Args:
        raw: rows of the documents before joining.
        order: indices of these documents, sorted by group.
        sizes: number of documents of each group.
    """
    if raw.texts is None:
        return {}
    texts = [raw.texts[d] for d in order.tolist()]
    ends = np.cumsum(sizes).tolist()
    joined = tuple("\n".join(texts[low:high]) for low, high in pairwise([0, *ends]))
    if raw.token_starts is None:
        return {"texts": joined}
    shift = np.repeat(_compute_text_starts(count_characters(texts), sizes, 1), raw.lengths[order])
    return {
        "texts": joined,
        "token_starts": raw.token_starts[find_entries(raw.lengths, order)] + shift,
    }
