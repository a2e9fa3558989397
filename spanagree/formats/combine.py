"""Several sources of the same texts as one: documents matched, annotators side by side."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from spanagree.arrays import Ints, ranges
from spanagree.corpus.raw import RawCorpus
from spanagree.errors import InputError, printable, show
from spanagree.formats.collector import same_text
from spanagree.settings import merged_settings

_APART = (
    "the files share no document, and annotators of the same name are kept apart as FILE:NAME; if"
    " the files are parts of one corpus, name them by one pattern in quotes"
)


_BY_LAYER = ("schemes", "ill_formed")  # what a reading says of each layer


def unite(drafts: Mapping[str, RawCorpus]) -> RawCorpus:
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
    met = len(whole.lengths)
    for source, draft in others:
        whole = _add(whole, _named(source, draft, count), first, source)
        met += len(draft.lengths)
    if len(whole.lengths) == met and max(count.values(), default=0) > 1:
        return replace(whole, notes=(*whole.notes, _APART))
    return whole


def concatenated(drafts: Mapping[str, RawCorpus]) -> RawCorpus:
    """Parts of one corpus, one after the other: the same annotators over other documents.

    Documents without ids are called by the part's name and their number in it.

    Raises:
        InputError: for parts with other offsets, or read with other settings.
    """
    (first, whole), *others = drafts.items()
    parts = list(drafts.values())
    for name, part in others:
        if part.offsets != whole.offsets:
            raise InputError(
                f"{printable(name)}: offsets in {part.offsets}, those of {printable(first)} are in"
                f" {whole.offsets}; all parts need the same"
            )
    annotators = tuple(dict.fromkeys(name for part in parts for name in part.annotators))
    labels = tuple(dict.fromkeys(name for part in parts for name in part.labels))
    documents = np.cumsum([0, *(len(part.lengths) for part in parts)])
    annotations = np.cumsum([0, *(len(part.of_document) for part in parts)])
    who = {name: i for i, name in enumerate(annotators)}
    code = {name: i for i, name in enumerate(labels)}
    reading = dict(whole.reading)
    for name, part in others:
        reading = merged_settings(reading, part.reading, printable(name))

    def all_of(what: str) -> tuple[str, ...] | None:
        of = [getattr(part, what) for part in parts]
        return None if any(x is None for x in of) else tuple(x for each in of for x in each)

    starts = [part.token_starts for part in parts if part.token_starts is not None]
    return RawCorpus(
        np.concatenate([part.lengths for part in parts]),
        annotators,
        np.concatenate([p.of_document + d for p, d in zip(parts, documents, strict=False)]),
        np.concatenate([_numbers(p.annotators, who)[p.of_annotator] for p in parts]),
        np.concatenate([p.annotation + a for p, a in zip(parts, annotations, strict=False)]),
        np.concatenate([part.start for part in parts]),
        np.concatenate([part.end for part in parts]),
        np.concatenate([np.append(_numbers(p.labels, code), -1)[p.label] for p in parts]),
        labels,
        whole.offsets,
        tuple(
            id_
            for name, part in drafts.items()
            for id_ in part.ids or (f"{name}:{i + 1}" for i in range(len(part.lengths)))
        ),
        all_of("tokens"),
        all_of("texts"),
        np.concatenate(starts) if len(starts) == len(parts) else None,
        reading,
        tuple(f"{printable(name)}: {note}" for name, p in drafts.items() for note in p.notes),
    )


def _numbers(names: tuple[str, ...], number: Mapping[str, int]) -> Ints:
    return np.array([number[name] for name in names], np.int64)


def _named(source: str, draft: RawCorpus, count: Mapping[str, int]) -> RawCorpus:
    new = {n: n if count[n] == 1 else f"{source}:{n}" for n in draft.annotators}
    reading = dict(draft.reading)
    for key in _BY_LAYER:
        if key in reading:
            reading[key] = {new.get(name, name): of for name, of in reading[key].items()}
    return replace(draft, annotators=tuple(new.values()), reading=reading)


def _add(whole: RawCorpus, part: RawCorpus, first: str, source: str) -> RawCorpus:
    where = printable(source)
    if whole.offsets != part.offsets:
        raise InputError(
            f"{where}: offsets in {part.offsets}, those of {printable(first)} are in"
            f" {whole.offsets}; all sources need the same"
        )
    place = _places(whole, part, first, source)
    new = np.flatnonzero(place < 0)
    _check_same(whole, part, place, where)
    place[new] = len(whole.lengths) + np.arange(len(new))
    labels = tuple(dict.fromkeys((*whole.labels, *part.labels)))
    number = {name: i for i, name in enumerate(labels)}
    code = np.append(_numbers(part.labels, number), -1)
    content: dict[str, tuple[str, ...] | None] = {}
    notes = [*whole.notes, *part.notes]
    of = _token_numbers(part, new)
    for what, index in (("tokens", of), ("texts", new)):
        mine, theirs = getattr(whole, what), getattr(part, what)
        if mine is not None and (theirs is not None or not len(new)):
            content[what] = (*mine, *(theirs[i] for i in (index.tolist() if len(new) else ())))
        else:
            content[what] = None
            if (mine is None) != (theirs is None):
                notes.append(f"{where}: the {what} left out, as not all sources have them")
    starts = whole.token_starts
    if content["tokens"] is None or (len(new) and part.token_starts is None):
        starts = None
    elif starts is not None and part.token_starts is not None:
        starts = np.concatenate((starts, part.token_starts[of]))
    reading = {**part.reading, **whole.reading}
    for key in _BY_LAYER:
        if key in reading:
            reading[key] = {**part.reading.get(key, {}), **whole.reading.get(key, {})}
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
        tokens=content["tokens"],
        texts=content["texts"],
        token_starts=starts,
        reading=reading,
        notes=tuple(notes),
    )


def _places(whole: RawCorpus, part: RawCorpus, first: str, source: str) -> Ints:
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


def _ids(whole: RawCorpus, part: RawCorpus, new: Ints) -> tuple[str, ...] | None:
    if whole.ids is None or part.ids is None:
        return whole.ids or part.ids
    return (*whole.ids, *(part.ids[d] for d in new.tolist()))


def _check_same(whole: RawCorpus, part: RawCorpus, place: Ints, where: str) -> None:
    """Refuses two versions of a document that both have."""
    starts = [np.cumsum(x.lengths) - x.lengths for x in (whole, part)]
    for other in np.flatnonzero(place >= 0).tolist():
        d = int(place[other])
        name = f"{where}, document {show(str(d + 1) if whole.ids is None else whole.ids[d])}"
        if whole.texts is not None and part.texts is not None:
            same_text(part.texts[other], whole.texts[d], name)
        if whole.tokens is not None and part.tokens is not None:
            mine, theirs = (
                tokens[first : first + length]
                for tokens, first, length in (
                    (whole.tokens, starts[0][d], whole.lengths[d]),
                    (part.tokens, starts[1][other], part.lengths[other]),
                )
            )
            if mine != theirs:
                same_text(" ".join(theirs), " ".join(mine), name)
        if whole.lengths[d] != part.lengths[other]:
            raise InputError(
                f"{name}: length {part.lengths[other]}, {whole.lengths[d]} before; all sources need"
                " the same text"
            )


def _token_numbers(draft: RawCorpus, documents: Ints) -> Ints:
    first = (np.cumsum(draft.lengths) - draft.lengths)[documents]
    return ranges(first, first + draft.lengths[documents])[0]
