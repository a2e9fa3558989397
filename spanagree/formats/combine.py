"""Several sources of the same texts as one: documents matched, annotators side by side."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import accumulate, chain
from typing import Any

import numpy as np

from spanagree.arrays import Bools, Ints
from spanagree.corpus.balance import added, moved
from spanagree.corpus.collector import Version, same_document
from spanagree.corpus.details import joined
from spanagree.corpus.flaws import repeats
from spanagree.corpus.joined import merged_notes, merged_settings
from spanagree.corpus.raw import UNKNOWN, RawCorpus
from spanagree.corpus.repairs import keep_annotations
from spanagree.corpus.same_texts import note_of_same_texts, numbers_of_texts, with_line_ends
from spanagree.corpus.segments import Vocabulary
from spanagree.corpus.unplaced import UnplacedQuotes
from spanagree.errors import (
    InputError,
    SettingError,
    escape_name,
    join_names,
    pluralize,
    quote_value,
)
from spanagree.settings import reading_settings

_APART = (
    "the files share no document, and annotators of the same name are kept apart as FILE:NAME; if"
    " the files are parts of one corpus, name them by one pattern in quotes"
)


_ONE_ID = (
    "files found by a pattern are parts of one corpus, in which an id stands for one document; give"
    " each document an id of its own, or leave one of the files out"
)


_BY_LAYER = ("schemes", "ill_formed", "quotes")  # what a reading says of each layer


def merge_sources(sources: Mapping[str, RawCorpus], apart: Collection[str] = ()) -> RawCorpus:
    """Return the rows of several sources as one.

    Documents are matched by their ids; where one source has none, by their order. Annotators of
    the same name are one person, with a note, if their sources share documents and say the same of
    these; else, or in a source to be kept ``apart``, one is called ``source:name``, with a note if
    what they say differs.

    Raises:
        InputError: for sources of which offsets, number of documents or texts do not fit.
    """
    count = Counter(name for raw in sources.values() for name in raw.annotators)
    same, differing = _same_people(sources, count, apart)
    count = Counter({name: 1 if name in same else number for name, number in count.items()})
    (first, united), *others = ((name, _named(name, raw, count)) for name, raw in sources.items())
    for source, part in others:
        _check_offsets(first, united, source, part)
        place = _places(united, part, first, source)
        known = np.flatnonzero(place >= 0).tolist()
        part = _as_in(part, {d: _text(united, int(place[d])) for d in known})
        _check_same(united, part, place, escape_name(source))
        new = place < 0
        place[new] = len(united.lengths) + np.arange(int(new.sum()))
        reading = {**part.reading, **united.reading}
        for key in (*_BY_LAYER, "read"):
            if key in reading:
                reading[key] = {**part.reading.get(key, {}), **united.reading.get(key, {})}
        done = [step for raw in (united, part) for step in raw.reading.get("repair", ())]
        reading |= {"repair": [*dict.fromkeys(done)]} if done else {}
        both = _joined([united, part], [np.arange(len(united.lengths)), place], reading)
        notes = [
            f"{escape_name(source)}: the {what} left out, as not all sources have them"
            for what in ("tokens", "texts")
            if getattr(both, what) is None
            and (getattr(united, what) is None) != (getattr(part, what) is None)
        ]
        united = replace(both, notes=(*united.notes, *part.notes, *notes))
    if same:
        once = ~repeats(united) | ~np.isin(
            united.annotator_index, [united.annotators.index(name) for name in same]
        )
        united, _ = _without(united, once)
        united = replace(united, notes=(*united.notes, _one_person_each(same)))
    if differing:
        note = (
            "annotators of the same name who mark shared documents differently are kept apart, each"
            f" with the name of the file: {join_names(sorted(differing))}"
        )
        united = replace(united, notes=(*united.notes, note))
    if all(raw.ids is not None for raw in sources.values()):
        united = replace(united, notes=(*united.notes, *_same_texts(list(sources.values()))))
    met = sum(len(raw.lengths) for raw in sources.values())
    if len(united.lengths) == met and max(count.values(), default=0) > 1:
        return replace(united, notes=(*united.notes, _APART))
    return united


JOIN = {"text": "documents of different files with the same text are one, whatever their ids are"}
"""How documents of several files are joined, other than by their ids."""


def joined_by_text(parts: Mapping[str, RawCorpus]) -> dict[str, RawCorpus]:
    """Give documents of the same text in different files the same id.

    A text that a file has several times is joined in order. An id that an earlier file has for
    another text gets the name of its file.

    Args:
        parts: the rows of files, by name.

    Raises:
        SettingError: for a file without texts and tokens.
    """
    ids_of: dict[Any, list[str]] = {}
    taken: set[str] = set()
    renamed_parts: dict[str, RawCorpus] = {}
    for name, raw in parts.items():
        if raw.texts is None and raw.tokens is None:
            raise SettingError(
                f"{escape_name(name)}: no texts, by which join text joins documents; leave it out"
            )
        met: Counter[Any] = Counter()
        ids: list[str] = []
        added_ids: list[tuple[Any, str]] = []
        for d in range(len(raw.lengths)):
            text: Any = tuple(raw.tokens_of(d)) if raw.texts is None else raw.texts[d]
            known = ids_of.get(text, [])
            if known[met[text] :] and any(map(str.strip, text)):
                ids.append(known[met[text]])
            else:
                id_ = raw.id_of(d)
                is_free = id_ not in taken and raw.ids is not None
                ids.append(id_ if is_free else f"{name}:{id_}")
                added_ids.append((text, ids[-1]))
            met[text] += 1
        for text, id_ in added_ids:
            ids_of.setdefault(text, []).append(id_)
        taken.update(ids)
        reading = {
            **raw.reading,
            **reading_settings(**{**raw.reading.get("read", {}), "join": "text"}),
        }
        renamed_parts[name] = raw.replace(ids=tuple(ids), reading=reading)
    return renamed_parts


def _one_person_each(names: Iterable[str]) -> str:
    """Compose the note on annotators whose names are in several files."""
    people = join_names(sorted(names))
    return (
        f"annotators of the same name in several files are one person each: {people}; NAME=FILE"
        " keeps those of a file apart"
    )


def one_project(parts: Mapping[str, RawCorpus], *, repeats: bool = False) -> dict[str, RawCorpus]:
    """Join files whose annotators have the same names, as parts of one corpus.

    A shell replaces a pattern without quotes by the names of the files, so these are read like the
    files of a pattern. Files without an annotator of another file are returned unchanged.

    Args:
        parts: rows of files of one format, by name.
        repeats: as in :func:`concatenate`.

    Raises:
        InputError: as in :func:`concatenate`.
    """
    files_of = Counter(name for raw in parts.values() for name in raw.annotators)
    shards = {
        name: raw
        for name, raw in parts.items()
        if any(files_of[annotator] > 1 for annotator in raw.annotators)
    }
    if not shards:
        return dict(parts)
    raw = concatenate(shards, repeats=repeats)
    note = _one_person_each(name for name in raw.annotators if files_of[name] > 1)
    others = {name: part for name, part in parts.items() if name not in shards}
    return {next(iter(shards)): raw.replace(notes=(*raw.notes, note)), **others}


def _same_people(
    sources: Mapping[str, RawCorpus], count: Mapping[str, int], apart: Collection[str]
) -> tuple[set[str], set[str]]:
    """Return which names in several sources are one person, and which mark documents otherwise."""
    same, differing = set(), set()
    for name in (name for name, number in count.items() if number > 1 and name):
        marked_before: dict[str, Any] = {}
        shares = differs = is_apart = False
        for source, raw in sources.items():
            if name not in raw.annotators:
                continue
            if raw.ids is None or source in apart:
                is_apart = True
                continue
            shares |= not marked_before.keys().isdisjoint(raw.ids)
            for id_, marked in _marked_by(raw, name).items():
                before = marked_before.setdefault(id_, marked)
                differs |= None not in (before, marked) and before != marked
                marked_before[id_] = before if marked is None else marked
        if differs:
            differing.add(name)
        elif shares and not is_apart:
            same.add(name)
    return same, differing


def _marked_by(raw: RawCorpus, name: str) -> dict[str, Any]:
    """Return what an annotator marked in each document; ``None`` where she never saw it."""
    marked: dict[str, Any] = dict.fromkeys(raw.ids or ())
    by_name = raw.annotator_index == raw.annotators.index(name)
    marked |= {raw.id_of(d): [] for d in raw.document_index[by_name].tolist()}
    rows = np.flatnonzero(by_name[raw.annotation])
    columns = (column[rows].tolist() for column in (raw.document, raw.start, raw.end, raw.label))
    for d, start, end, label in zip(*columns, strict=True):
        marked[raw.id_of(d)].append((start, end, raw.labels[label] if label >= 0 else ""))
    return {id_: None if spans is None else sorted(spans) for id_, spans in marked.items()}


def concatenate(named_parts: Mapping[str, RawCorpus], *, repeats: bool = False) -> RawCorpus:
    """Return parts of one corpus as one: the same annotators over other documents.

    Documents without ids are called by the part's name and their number in it. Documents of the
    same id are one, with the annotators of all parts. What an annotator marked in a document is
    read once if several parts say the same of it.

    Args:
        named_parts: the parts, by name.
        repeats: let an annotator mark a document differently in several parts, which is a flaw of
            the whole.

    Raises:
        InputError: for parts with other offsets, or read with other settings; for documents of the
            same id whose texts differ, or that an annotator marks differently in two parts.
    """
    (first, raw), *others = named_parts.items()
    reading = dict(raw.reading)
    for name, part in others:
        _check_offsets(first, raw, name, part)
        reading = merged_settings(reading, part.reading, escape_name(name))
    parts = [
        replace(part, ids=part.ids or tuple(f"{name}:{i + 1}" for i in range(len(part.lengths))))
        for name, part in named_parts.items()
    ]
    notes = merged_notes({escape_name(name): part.notes for name, part in named_parts.items()})
    names = [escape_name(name) for name in named_parts]
    places, shared = _united(names, parts)
    joined_parts = _joined(parts, places, reading)
    if len(shared):
        notes.append(f"{pluralize(len(shared), 'document')} in more than one file, united by id")
        n_rows = [len(part.document_index) for part in parts]
        joined_parts, n_copies = _without_copies(joined_parts, names, n_rows, shared, repeats)
        if n_copies:
            notes.append(f"{pluralize(n_copies, 'annotation')} the same in another file, read once")
    notes += _same_texts(parts)
    return replace(joined_parts, notes=tuple(notes))


def _same_texts(parts: Sequence[RawCorpus]) -> tuple[str, ...]:
    """Return a note on documents of different files that have the same text under other ids."""
    files = Counter(id_ for part in parts for id_ in part.ids or ())
    numbers = [numbers_of_texts(part) for part in parts]
    for part, of_texts in zip(parts, numbers, strict=True):
        shared = [files[id_] > 1 for id_ in part.ids or ()][: len(of_texts)]
        of_texts[shared] = 0  # of one document, wherever it stands
    return note_of_same_texts(numbers)


def _united(names: Sequence[str], parts: list[RawCorpus]) -> tuple[list[Ints], Ints]:
    """Return the number in the whole of each part's documents, and the numbers of shared ones.

    Parts take the line ends of those before them.
    """
    home: dict[str, tuple[int, int, int]] = {}  # of each id the number, the first part, its number
    places, shared = [], set()
    size = 0
    for p, (name, part) in enumerate(zip(names, parts, strict=True)):
        ids = part.ids or ()
        place = np.array([home[id_][0] if id_ in home else -1 for id_ in ids], np.int64)
        homes = {d: home[ids[d]][1:] for d in np.flatnonzero(place >= 0).tolist()}
        part = _as_in(part, {d: _text(parts[b], there) for d, (b, there) in homes.items()})
        parts[p] = part
        for d in np.flatnonzero(place >= 0).tolist():
            _, before, there = home[ids[d]]
            location = f"{name}: document {quote_value(ids[d])}, which {names[before]} has too"
            same_document(_version(part, d), _version(parts[before], there), location, _ONE_ID)
            shared.add(int(place[d]))
        new = np.flatnonzero(place < 0)
        place[new] = size + np.arange(len(new))
        size += len(new)
        home |= {ids[d]: (int(place[d]), p, d) for d in new.tolist()}
        places.append(place)
    return places, np.array(sorted(shared), np.int64)


def _without_copies(
    raw: RawCorpus, names: Sequence[str], n_rows: Sequence[int], shared: Ints, repeats: bool
) -> tuple[RawCorpus, int]:
    """Drop annotations that an earlier part has too, if they are the same.

    Files without names of annotators may be of several people who mark the same, so theirs stay.

    Args:
        raw: the rows of all parts.
        names: the parts, for errors.
        n_rows: number of annotations of each part.
        shared: numbers of the documents that are in several parts.
        repeats: if True, annotations that differ stay as they are.

    Returns:
        The rows that are left, and the number of dropped annotations.

    Raises:
        InputError: if an annotator marks a document differently in two parts.
    """
    part_index = np.repeat(np.arange(len(names)), n_rows)
    first_row: dict[tuple[int, int], int] = {}
    kept = np.ones(len(raw.document_index), np.bool_)
    for row in np.flatnonzero(np.isin(raw.document_index, shared)).tolist():
        first = first_row.setdefault(
            (int(raw.document_index[row]), int(raw.annotator_index[row])), row
        )
        if part_index[row] == part_index[first]:
            continue
        name, earlier = names[part_index[row]], names[part_index[first]]
        annotator, document = raw.place_of(row)
        is_named_by_file = annotator in (os.path.basename(name), os.path.basename(earlier))
        if not is_named_by_file and _content_of(raw, row) == _content_of(raw, first):
            kept[row] = False
        elif not repeats:
            differently = "" if is_named_by_file else ", marked differently"
            raise InputError(
                f"{name}: annotator {quote_value(annotator)} has document {quote_value(document)},"
                " and has it in"
                f" {earlier} too{differently}; if they are of several people, name each as"
                " NAME=FILE; if not, leave out one of the files, or keep the first with --repair"
                " drop-repeats, or the latest with --repair latest"
            )
    return _without(raw, kept) if not kept.all() else (raw, 0)


def _without(raw: RawCorpus, kept: Bools) -> tuple[RawCorpus, int]:
    """Return the rows with some of the annotations, and the number of the others, as a balance."""
    fewer, n_dropped = keep_annotations(raw, kept)
    n_segments = len(raw.start) - len(fewer.start)
    balance = moved(raw.balance, "segment", "repeated segment", n_segments)
    return fewer.replace(balance=moved(balance, "answer", "repeated answer", n_dropped)), n_dropped


def _content_of(raw: RawCorpus, annotation: int) -> Any:
    """Return the segments of an annotation with their details, equal for equal annotations."""
    rows = np.flatnonzero(raw.annotation == annotation)
    labels = [raw.labels[code] if code >= 0 else "" for code in raw.label[rows].tolist()]
    segments = list(zip(raw.start[rows].tolist(), raw.end[rows].tolist(), labels, strict=True))
    order = sorted(range(len(rows)), key=segments.__getitem__)
    details = None if raw.details is None else raw.details.taken(rows[order])
    of_quotes = None
    if raw.unplaced is not None:
        quotes = raw.unplaced.taken(raw.unplaced.at == annotation)
        of_quotes = sorted(zip(quotes.label, quotes.quote, strict=True))
    return [segments[i] for i in order], of_quotes, None if details is None else details.content()


def _joined(
    parts: Sequence[RawCorpus], places: Sequence[Ints], reading: Mapping[str, Any]
) -> RawCorpus:
    """Return the rows of parts as one, given the number in the whole of each part's documents.

    A document that two parts have is that of the first; annotators and labels are united by name.
    """
    annotators, labels = Vocabulary(), Vocabulary()
    columns = []
    contents: list[dict[str, Any]] = []
    quoted = any(part.quote is not None for part in parts)
    quotes: list[str] = []
    documents = annotations = 0
    for part, place in zip(parts, places, strict=True):
        new = np.flatnonzero(place >= documents)
        documents += len(new)
        if len(new) or not contents:
            contents.append(part.content_of(new))
        number = np.array([annotators[name] for name in part.annotators], np.int64)
        code = np.array([*(labels[name] for name in part.labels), -1], np.int64)
        annotation = part.annotation + annotations
        segments: tuple[Ints, ...] = annotation, part.start, part.end, code[part.label]
        if quoted:
            quote = np.full(len(part.start), UNKNOWN) if part.quote is None else part.quote
            segments = *segments, np.where(quote < 0, quote, quote + len(quotes))
            quotes += part.quotes
        when = np.full(len(part.document_index), np.nan) if part.when is None else part.when
        columns.append((place[part.document_index], number[part.annotator_index], *segments, when))
        annotations += len(part.document_index)
    content: dict[str, Any] = {}
    for name in contents[0]:
        values = [content_of_part[name] for content_of_part in contents]
        if name == "parent_ids" and all(value is not None for value in values):
            ends = np.cumsum([0, *(value.max(initial=-1) + 1 for value in values)])
            values = [value + end for value, end in zip(values, ends, strict=False)]
        if all(value is not None for value in values):
            is_array = isinstance(values[0], np.ndarray)
            content[name] = np.concatenate(values) if is_array else tuple(chain(*values))
    of_segments = ("annotation", "start", "end", "label", *(["quote"] if quoted else []))
    names = ("document_index", "annotator_index", *of_segments, "when")
    content["details"] = joined([(part.details, len(part.start)) for part in parts])
    n_before = accumulate((len(part.document_index) for part in parts), initial=0)
    content["unplaced"] = UnplacedQuotes.joined(
        (part.unplaced, n) for part, n in zip(parts, n_before, strict=False)
    )
    content |= zip(names, map(np.concatenate, zip(*columns, strict=True)), strict=True)
    return RawCorpus(
        annotators=tuple(annotators),
        labels=tuple(labels),
        offsets=parts[0].offsets,
        reading=reading,
        quotes=tuple(quotes),
        seen_unknown=tuple(dict.fromkeys(name for part in parts for name in part.seen_unknown)),
        ends=None if any(part.ends is None for part in parts) else parts[0].ends,
        balance=added(part.balance for part in parts),
        **content,
    )


def _named(source: str, raw: RawCorpus, count: Mapping[str, int]) -> RawCorpus:
    """Return the rows with names of annotators that no other source has."""
    return renamed(raw, {n: n if count[n] == 1 else f"{source}:{n}" for n in raw.annotators})


def renamed(raw: RawCorpus, new: Mapping[str, str]) -> RawCorpus:
    """Return the rows with other names of all annotators."""
    reading = {
        key: {new.get(name, name): what for name, what in value.items()}
        if key in _BY_LAYER
        else value
        for key, value in raw.reading.items()
    }
    seen_unknown = tuple(new[name] for name in raw.seen_unknown)
    return raw.replace(annotators=tuple(new.values()), reading=reading, seen_unknown=seen_unknown)


def _check_offsets(first: str, united: RawCorpus, source: str, part: RawCorpus) -> None:
    if part.offsets != united.offsets:
        raise InputError(
            f"{escape_name(source)}: offsets in {part.offsets}, those of {escape_name(first)} are"
            " in"
            f" {united.offsets}; all need the same: spanagree convert --tokenizer splits texts, and"
            " quotes without a text beside them are found in another file's text or tokens, by id"
        )


def _places(united: RawCorpus, part: RawCorpus, first: str, source: str) -> Ints:
    """Return for each document of a part its number in the whole, −1 for a new one."""
    if united.ids is not None and part.ids is not None:
        number = {id_: d for d, id_ in enumerate(united.ids)}
        return np.array([number.get(id_, -1) for id_ in part.ids], np.int64)
    if len(united.lengths) != len(part.lengths):
        raise InputError(
            f"{escape_name(source)}: {pluralize(len(part.lengths), 'document')},"
            f" {escape_name(first)} has"
            f" {len(united.lengths)}; without ids in both, documents are matched by their order,"
            " and their number has to be the same"
        )
    return np.arange(len(part.lengths))


def _check_same(united: RawCorpus, part: RawCorpus, place: Ints, location: str) -> None:
    """Refuse two versions of a document that both have."""
    for other in np.flatnonzero(place >= 0).tolist():
        d = int(place[other])
        same_document(
            _version(part, other),
            _version(united, d),
            f"{location}, document {quote_value(united.id_of(d))}",
        )


def _text(raw: RawCorpus, d: int) -> str | None:
    return None if raw.texts is None else raw.texts[d]


def _as_in(part: RawCorpus, texts: Mapping[int, str | None]) -> RawCorpus:
    """Return a part with the texts of other parts from which its own differ in line ends alone."""
    return with_line_ends(part, {d: text for d, text in texts.items() if text is not None})


def _version(raw: RawCorpus, d: int) -> Version:
    return _text(raw, d), None if raw.tokens is None else raw.tokens_of(d), int(raw.lengths[d])
