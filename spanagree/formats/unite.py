"""Several sources of the same texts as one: documents matched, annotators side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from spanagree.arrays import Ints, ranges
from spanagree.draft import Draft
from spanagree.errors import InputError, printable, show
from spanagree.formats.collect import same_text


def unite(drafts: Mapping[str, Draft]) -> Draft:
    """One draft of several, each under the name of its source.

    Documents are matched by their ids; where one source has none, by their order. An annotator
    whose name occurs in two sources is called ``source:name``.

    Raises:
        InputError: for sources of which offsets, number of documents or texts do not fit.
    """
    (first, whole), *others = drafts.items()
    count: dict[str, int] = {}
    for draft in drafts.values():
        for name in draft.annotators:
            count[name] = count.get(name, 0) + 1
    whole = _named(first, whole, count)
    for source, draft in others:
        whole = _add(whole, _named(source, draft, count), first, source)
    return whole


def _named(source: str, draft: Draft, count: Mapping[str, int]) -> Draft:
    names = tuple(n if count[n] == 1 else f"{source}:{n}" for n in draft.annotators)
    return replace(draft, annotators=names)


def _add(whole: Draft, part: Draft, first: str, source: str) -> Draft:
    where = printable(source)
    if whole.offsets != part.offsets:
        raise InputError(
            f"{where}: offsets in {part.offsets}, those of {printable(first)} are in"
            f" {whole.offsets}; all sources need the same"
        )
    place = _places(whole, part, first, source)
    new = np.flatnonzero(place < 0)
    for d in np.flatnonzero(place >= 0).tolist():
        _same_document(whole, int(place[d]), part, d, where)
    place[new] = len(whole.lengths) + np.arange(len(new))
    labels = tuple(dict.fromkeys((*whole.labels, *part.labels)))
    code = np.array([labels.index(name) for name in part.labels] + [-1], np.int64)
    keep_tokens = whole.tokens is not None and part.tokens is not None
    keep_starts = whole.token_starts is not None and part.token_starts is not None
    of = _token_numbers(part, new)
    return replace(
        whole,
        lengths=np.concatenate((whole.lengths, part.lengths[new])),
        annotators=(*whole.annotators, *part.annotators),
        of_document=np.concatenate((whole.of_document, place[part.of_document])),
        of_annotator=np.concatenate(
            (whole.of_annotator, part.of_annotator + len(whole.annotators))
        ),
        annotation=np.concatenate((whole.annotation, part.annotation + len(whole.of_document))),
        start=np.concatenate((whole.start, part.start)),
        end=np.concatenate((whole.end, part.end)),
        label=np.concatenate((whole.label, code[part.label])),
        labels=labels,
        ids=_ids(whole, part, new),
        tokens=(*(whole.tokens or ()), *(part.tokens[i] for i in of.tolist()))  # type: ignore[index]  # there
        if keep_tokens
        else None,
        token_starts=np.concatenate((whole.token_starts, part.token_starts[of]))  # type: ignore[arg-type, index]  # there
        if keep_starts
        else None,
        texts=(*whole.texts, *(part.texts[d] for d in new.tolist()))
        if whole.texts is not None and part.texts is not None
        else None,
        reading={**part.reading, **whole.reading},
        notes=(*whole.notes, *part.notes),
    )


def _places(whole: Draft, part: Draft, first: str, source: str) -> Ints:
    """For each document of a part its number in the whole, −1 for a new one."""
    if whole.ids is not None and part.ids is not None:
        number = {id_: d for d, id_ in enumerate(whole.ids)}
        return np.array([number.get(id_, -1) for id_ in part.ids], np.int64)
    if len(whole.lengths) != len(part.lengths):
        raise InputError(
            f"{printable(source)}: {len(part.lengths)} documents, {printable(first)} has"
            f" {len(whole.lengths)}; without ids in both, documents are matched by their order, and"
            " their number has to be the same"
        )
    return np.arange(len(part.lengths))


def _ids(whole: Draft, part: Draft, new: Ints) -> tuple[str, ...] | None:
    if whole.ids is None or part.ids is None:
        return whole.ids or part.ids
    return (*whole.ids, *(part.ids[d] for d in new.tolist()))


def _same_document(whole: Draft, d: int, part: Draft, other: int, where: str) -> None:
    name = show(str(d + 1) if whole.ids is None else whole.ids[d])
    if whole.texts is not None and part.texts is not None:
        same_text(part.texts[other], whole.texts[d], f"{where}, document {name}")
    if whole.tokens is not None and part.tokens is not None:
        tokens = [
            [draft.tokens[i] for i in _token_numbers(draft, np.array([n])).tolist()]
            for draft, n in ((part, other), (whole, d))
            if draft.tokens is not None
        ]
        if tokens[0] != tokens[1]:
            same_text(" ".join(tokens[0]), " ".join(tokens[1]), f"{where}, document {name}")
    if whole.lengths[d] != part.lengths[other]:
        raise InputError(
            f"{where}, document {name}: length {part.lengths[other]}, {whole.lengths[d]} before;"
            " all sources need the same text"
        )


def _token_numbers(draft: Draft, documents: Ints) -> Ints:
    first = (np.cumsum(draft.lengths) - draft.lengths)[documents]
    return ranges(first, first + draft.lengths[documents])[0]
