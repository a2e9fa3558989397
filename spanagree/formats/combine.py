"""Merging of several sources of the same texts: documents matched, annotators combined.

*Sources* are files that may share documents and differ in annotators. *Parts* are files of one
corpus: the same annotators, and usually other documents.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import accumulate, chain
from typing import Any

import numpy as np

from spanagree.arrays import Bools, Ints, Vocabulary
from spanagree.corpus.balance import add_balances, move_count
from spanagree.corpus.details import join_details
from spanagree.corpus.document_versions import Version, check_same_document
from spanagree.corpus.flaws import find_repeats
from spanagree.corpus.joined import merge_notes, merge_settings
from spanagree.corpus.raw import UNKNOWN, RawCorpus
from spanagree.corpus.same_texts import hash_texts, replace_line_ends, write_note_on_same_texts
from spanagree.corpus.segments import TokenBytes
from spanagree.corpus.unplaced import UnplacedQuotes
from spanagree.errors import (
    InputError,
    SettingError,
    escape_name,
    format_setting,
    join_names,
    pluralize,
    quote_value,
)
from spanagree.settings import build_reading_settings

_NO_SHARED_DOCUMENT = (
    "the files share no document, and annotators of the same name are kept apart as FILE:NAME; if"
    " the files are parts of one corpus, name them by one pattern in quotes"
)


_ONE_DOCUMENT_PER_ID = (
    "files found by a pattern are parts of one corpus, in which an id stands for one document; give"
    " each document an id of its own, or leave one of the files out"
)


_KEYS_BY_LAYER = ("schemes", "ill_formed", "quotes")  # settings that hold a value per layer


def merge_sources(
    sources: Mapping[str, RawCorpus], separate_sources: Collection[str] = ()
) -> RawCorpus:
    """Merge the rows of several sources.

    Documents are matched by their ids, or by their order if a source has no ids. Annotators of the
    same name are treated as one annotator, with a note, if their sources share documents and agree
    on them. Otherwise, and in sources named in ``separate_sources``, an annotator is called
    ``source:name``, with a note if the annotations differ.

    Raises:
        InputError: if the offsets, numbers of documents or texts of sources do not match.
    """
    n_sources = Counter(name for raw in sources.values() for name in raw.annotators)
    same_names, differing_names = _match_annotators(sources, n_sources, separate_sources)
    n_sources = Counter(
        {name: 1 if name in same_names else n_of_name for name, n_of_name in n_sources.items()}
    )
    (first_source, merged), *later_sources = (
        (name, _qualify_names(name, raw, n_sources)) for name, raw in sources.items()
    )
    for source, incoming in later_sources:
        _check_offsets(first_source, merged, source, incoming)
        positions = _find_document_positions(merged, incoming, first_source, source)
        shared_indices = np.flatnonzero(positions >= 0).tolist()
        incoming = _adopt_line_ends(
            incoming,
            {
                document_index: _get_text_of_document(merged, int(positions[document_index]))
                for document_index in shared_indices
            },
        )
        _check_document_versions(merged, incoming, positions, escape_name(source))
        is_new = positions < 0
        positions[is_new] = len(merged.lengths) + np.arange(int(is_new.sum()))
        reading = {**incoming.reading, **merged.reading}
        for key in (*_KEYS_BY_LAYER, "read"):
            if key in reading:
                reading[key] = {**incoming.reading.get(key, {}), **merged.reading.get(key, {})}
        repairs = [step for raw in (merged, incoming) for step in raw.reading.get("repair", ())]
        reading |= {"repair": [*dict.fromkeys(repairs)]} if repairs else {}
        joined_corpus = _join_rows(
            [merged, incoming], [np.arange(len(merged.lengths)), positions], reading
        )
        notes = [
            f"{escape_name(source)}: the {noun} left out, as not all sources have them"
            for noun in ("tokens", "texts")
            if getattr(joined_corpus, noun) is None
            and (getattr(merged, noun) is None) != (getattr(incoming, noun) is None)
        ]
        merged = joined_corpus.replace(notes=(*merged.notes, *incoming.notes, *notes))
    if same_names:
        is_kept = ~find_repeats(merged) | ~np.isin(
            merged.annotator_index, [merged.annotators.index(name) for name in same_names]
        )
        merged, _ = _keep_annotations(merged, is_kept)
        merged = merged.replace(notes=(*merged.notes, _compose_shared_names_note(same_names)))
    if differing_names:
        note = (
            "annotators of the same name who mark shared documents differently are kept apart, each"
            f" with the name of the file: {join_names(sorted(differing_names))}"
        )
        merged = merged.replace(notes=(*merged.notes, note))
    if all(raw.ids is not None for raw in sources.values()):
        merged = merged.replace(
            notes=(*merged.notes, *_compose_repeated_texts_note(list(sources.values())))
        )
    n_documents = sum(len(raw.lengths) for raw in sources.values())
    if len(merged.lengths) == n_documents and max(n_sources.values(), default=0) > 1:
        return merged.replace(notes=(*merged.notes, _NO_SHARED_DOCUMENT))
    return merged


JOIN = {"text": "documents of different files with the same text are one, whatever their ids are"}
"""How documents of several files are joined, other than by their ids."""


def join_documents_by_text(parts: Mapping[str, RawCorpus]) -> dict[str, RawCorpus]:
    """Assign the same id to documents of the same text in different files.

    Repeated texts in a file are joined in order. If an earlier file has the id for another text,
    the name of the file is prepended.

    Args:
        parts: rows of the files, by name.

    Raises:
        SettingError: if a file has neither texts nor tokens.
    """
    ids_by_text: dict[Any, list[str]] = {}
    used_ids: set[str] = set()
    renamed_parts: dict[str, RawCorpus] = {}
    for name, raw in parts.items():
        if raw.texts is None and raw.tokens is None:
            raise SettingError(
                f"{escape_name(name)}: no texts, by which join text joins documents; leave it out"
            )
        n_occurrences: Counter[Any] = Counter()
        ids: list[str] = []
        added_ids: list[tuple[Any, str]] = []
        for document_index in range(len(raw.lengths)):
            text: Any = (
                tuple(raw.tokens_of(document_index))
                if raw.texts is None
                else raw.texts[document_index]
            )
            earlier_ids = ids_by_text.get(text, [])
            if earlier_ids[n_occurrences[text] :] and any(map(str.strip, text)):
                ids.append(earlier_ids[n_occurrences[text]])
            else:
                id_ = raw.id_of(document_index)
                is_free = id_ not in used_ids and raw.ids is not None
                ids.append(id_ if is_free else f"{name}:{id_}")
                added_ids.append((text, ids[-1]))
            n_occurrences[text] += 1
        for text, id_ in added_ids:
            ids_by_text.setdefault(text, []).append(id_)
        used_ids.update(ids)
        reading = {
            **raw.reading,
            **build_reading_settings(**{**raw.reading.get("read", {}), "join": "text"}),
        }
        renamed_parts[name] = raw.replace(ids=tuple(ids), reading=reading)
    return renamed_parts


def _compose_shared_names_note(names: Iterable[str]) -> str:
    """Compose the note on annotators with names that occur in several files."""
    joined_names = join_names(sorted(names))
    return (
        f"annotators of the same name in several files are one person each: {joined_names};"
        " NAME=FILE keeps those of a file apart"
    )


def join_project_files(
    parts: Mapping[str, RawCorpus], *, repeats: bool = False
) -> dict[str, RawCorpus]:
    """Join files whose annotators have the same names, as parts of one corpus.

    A shell replaces a pattern without quotes by the names of the files, so these are read like the
    files of a pattern. Files without an annotator of another file are returned unchanged.

    Args:
        parts: rows of files of one format, by name.
        repeats: see :func:`concatenate_parts`.

    Raises:
        InputError: see :func:`concatenate_parts`.
    """
    n_files_by_annotator = Counter(name for raw in parts.values() for name in raw.annotators)
    shards = {
        name: raw
        for name, raw in parts.items()
        if any(n_files_by_annotator[annotator] > 1 for annotator in raw.annotators)
    }
    if not shards:
        return dict(parts)
    raw = concatenate_parts(shards, repeats=repeats)
    note = _compose_shared_names_note(
        name for name in raw.annotators if n_files_by_annotator[name] > 1
    )
    unshared = {name: part for name, part in parts.items() if name not in shards}
    return {next(iter(shards)): raw.replace(notes=(*raw.notes, note)), **unshared}


def _match_annotators(
    sources: Mapping[str, RawCorpus],
    n_sources: Mapping[str, int],
    separate_sources: Collection[str],
) -> tuple[set[str], set[str]]:
    """Find names in several sources that are one annotator, and names with differing annotations.

    ``n_sources`` is the number of sources by name. Annotators of ``separate_sources`` are never
    matched.

    Returns:
        Names of annotators that agree in all sources, and names that mark documents differently.
    """
    same_names, differing_names = set(), set()
    for name in (name for name, n_of_name in n_sources.items() if n_of_name > 1 and name):
        spans_by_id: dict[str, Any] = {}
        has_shared = has_difference = is_separate = False
        for source, raw in sources.items():
            if name not in raw.annotators:
                continue
            if raw.ids is None or source in separate_sources:
                is_separate = True
                continue
            has_shared |= not spans_by_id.keys().isdisjoint(raw.ids)
            for id_, spans in _collect_spans_by_document(raw, name).items():
                earlier = spans_by_id.setdefault(id_, spans)
                has_difference |= None not in (earlier, spans) and earlier != spans
                spans_by_id[id_] = earlier if spans is None else spans
        if has_difference:
            differing_names.add(name)
        elif has_shared and not is_separate:
            same_names.add(name)
    return same_names, differing_names


def _collect_spans_by_document(raw: RawCorpus, name: str) -> dict[str, Any]:
    """Collect the spans of an annotator by document; ``None`` for documents that they never saw."""
    spans_by_id: dict[str, Any] = dict.fromkeys(raw.ids or ())
    by_name = raw.annotator_index == raw.annotators.index(name)
    spans_by_id |= {
        raw.id_of(document_index): [] for document_index in raw.document_index[by_name].tolist()
    }
    rows = np.flatnonzero(by_name[raw.annotation])
    columns = (column[rows].tolist() for column in (raw.document, raw.start, raw.end, raw.label))
    for document_index, start, end, label in zip(*columns, strict=True):
        spans_by_id[raw.id_of(document_index)].append(
            (start, end, raw.labels[label] if label >= 0 else "")
        )
    return {id_: None if spans is None else sorted(spans) for id_, spans in spans_by_id.items()}


def concatenate_parts(named_parts: Mapping[str, RawCorpus], *, repeats: bool = False) -> RawCorpus:
    """Concatenate the parts of one corpus: the same annotators, other documents.

    Ids of documents without an id consist of the name of the part and their number in it. Documents
    of the same id are one document, with the annotators of all parts. If several parts contain the
    same annotation of a document, it is read once.

    Args:
        named_parts: rows of the parts, by name.
        repeats: True to allow an annotator to mark a document differently in several parts, which
            is reported as a flaw later.

    Raises:
        InputError: if parts differ in offsets or settings of reading; if the texts of documents of
            the same id differ, or an annotator marks a document differently in two parts.
    """
    (first_name, raw), *later_parts = named_parts.items()
    reading = dict(raw.reading)
    for name, raw_part in later_parts:
        _check_offsets(first_name, raw, name, raw_part)
        reading = merge_settings(reading, raw_part.reading, escape_name(name))
    parts = [
        raw_part.replace(
            ids=raw_part.ids or tuple(f"{name}:{i + 1}" for i in range(len(raw_part.lengths))),
        )
        for name, raw_part in named_parts.items()
    ]
    notes = merge_notes(
        {escape_name(name): raw_part.notes for name, raw_part in named_parts.items()}
    )
    names = [escape_name(name) for name in named_parts]
    positions, shared_documents = _unite_documents(names, parts)
    joined_parts = _join_rows(parts, positions, reading)
    if len(shared_documents):
        notes.append(
            f"{pluralize(len(shared_documents), 'document')} in more than one file, united by id"
        )
        n_rows = [len(raw_part.document_index) for raw_part in parts]
        joined_parts, n_copies = _drop_copies(
            joined_parts, names, n_rows, shared_documents, repeats
        )
        if n_copies:
            notes.append(f"{pluralize(n_copies, 'annotation')} the same in another file, read once")
    notes += _compose_repeated_texts_note(parts)
    return joined_parts.replace(notes=tuple(notes))


def _compose_repeated_texts_note(raw_parts: Sequence[RawCorpus]) -> tuple[str, ...]:
    """Compose the note on documents of different files with the same text and different ids."""
    n_files = Counter(id_ for raw in raw_parts for id_ in raw.ids or ())
    hashes_by_part = [hash_texts(raw) for raw in raw_parts]
    for raw, hashes in zip(raw_parts, hashes_by_part, strict=True):
        is_shared = [n_files[id_] > 1 for id_ in raw.ids or ()][: len(hashes)]
        hashes[is_shared] = 0  # one document in several files
    return write_note_on_same_texts(hashes_by_part)


def _unite_documents(names: Sequence[str], raw_parts: list[RawCorpus]) -> tuple[list[Ints], Ints]:
    """Match the documents of all parts by id, and number the distinct documents.

    Parts take the line ends of earlier parts: their rows in ``raw_parts`` are replaced.

    Returns:
        The number of each document, for each part; the sorted numbers of documents in several
        parts.
    """
    origins: dict[str, tuple[int, int, int]] = {}  # by id: position, first part, index in it
    positions, shared_documents = [], set()
    n_documents = 0
    for part_index, (name, raw) in enumerate(zip(names, raw_parts, strict=True)):
        ids = raw.ids or ()
        part_positions = np.array(
            [origins[id_][0] if id_ in origins else -1 for id_ in ids], np.int64
        )
        origin_in_part = {
            document_index: origins[ids[document_index]][1:]
            for document_index in np.flatnonzero(part_positions >= 0).tolist()
        }
        raw = _adopt_line_ends(
            raw,
            {
                document_index: _get_text_of_document(raw_parts[origin_part], origin_index)
                for document_index, (origin_part, origin_index) in origin_in_part.items()
            },
        )
        raw_parts[part_index] = raw
        for document_index in np.flatnonzero(part_positions >= 0).tolist():
            _, origin_part_index, origin_index = origins[ids[document_index]]
            location = (
                f"{name}: document {quote_value(ids[document_index])}, which"
                f" {names[origin_part_index]} has too"
            )
            check_same_document(
                _build_version_of_document(raw, document_index),
                _build_version_of_document(raw_parts[origin_part_index], origin_index),
                location,
                _ONE_DOCUMENT_PER_ID,
            )
            shared_documents.add(int(part_positions[document_index]))
        new_documents = np.flatnonzero(part_positions < 0)
        part_positions[new_documents] = n_documents + np.arange(len(new_documents))
        n_documents += len(new_documents)
        origins |= {
            ids[document_index]: (int(part_positions[document_index]), part_index, document_index)
            for document_index in new_documents.tolist()
        }
        positions.append(part_positions)
    return positions, np.array(sorted(shared_documents), np.int64)


def _drop_copies(
    raw: RawCorpus,
    names: Sequence[str],
    n_annotations: Sequence[int],
    shared_documents: Ints,
    repeats: bool,
) -> tuple[RawCorpus, int]:
    """Drop annotations that are equal to one in an earlier part.

    Files that name no annotators may contain different annotators, so their annotations stay.

    Args:
        raw: the rows of all parts.
        names: names of the parts, for errors.
        n_annotations: number of annotations in each part.
        shared_documents: indices of the documents that are in several parts.
        repeats: True to leave annotations that differ unchanged.

    Returns:
        Remaining rows, and the number of dropped annotations.

    Raises:
        InputError: if an annotator marks a document differently in two parts.
    """
    part_index = np.repeat(np.arange(len(names)), n_annotations)
    first_annotations: dict[tuple[int, int], int] = {}
    is_kept = np.ones(len(raw.document_index), np.bool_)
    for annotation in np.flatnonzero(np.isin(raw.document_index, shared_documents)).tolist():
        first_annotation = first_annotations.setdefault(
            (int(raw.document_index[annotation]), int(raw.annotator_index[annotation])), annotation
        )
        if part_index[annotation] == part_index[first_annotation]:
            continue
        name, earlier = names[part_index[annotation]], names[part_index[first_annotation]]
        annotator, document = raw.find_annotator_and_document(annotation)
        is_named_by_file = annotator in (os.path.basename(name), os.path.basename(earlier))
        if not is_named_by_file and _collect_annotation_content(
            raw, annotation
        ) == _collect_annotation_content(raw, first_annotation):
            is_kept[annotation] = False
        elif not repeats:
            differently = "" if is_named_by_file else ", marked differently"
            raise InputError(
                f"{name}: annotator {quote_value(annotator)} has document {quote_value(document)},"
                " and has it in"
                f" {earlier} too{differently}; if they are of several people, name each as"
                " NAME=FILE; if not, leave out one of the files, or keep the first with --repair"
                " drop-repeats, or the latest with --repair latest"
            )
    return _keep_annotations(raw, is_kept) if not is_kept.all() else (raw, 0)


def _keep_annotations(raw: RawCorpus, is_kept: Bools) -> tuple[RawCorpus, int]:
    """Keep annotations by mask; count the other annotations, also in the balance."""
    remaining, n_dropped = raw.select_annotations(is_kept), int((~is_kept).sum())
    n_segments = len(raw.start) - len(remaining.start)
    balance = move_count(raw.balance, "segment", "repeated segment", n_segments)
    return remaining.replace(
        balance=move_count(balance, "answer", "repeated answer", n_dropped)
    ), n_dropped


def _collect_annotation_content(raw: RawCorpus, annotation: int) -> Any:
    """Collect the segments of an annotation with their details, equal for equal annotations."""
    rows = np.flatnonzero(raw.annotation == annotation)
    labels = [raw.labels[code] if code >= 0 else "" for code in raw.label[rows].tolist()]
    segments = list(zip(raw.start[rows].tolist(), raw.end[rows].tolist(), labels, strict=True))
    row_order = sorted(range(len(rows)), key=segments.__getitem__)
    details = None if raw.details is None else raw.details.select(rows[row_order])
    quote_content = None
    if raw.unplaced is not None:
        quotes = raw.unplaced.select(raw.unplaced.at == annotation)
        quote_content = sorted(zip(quotes.label, quotes.quote, strict=True))
    return (
        [segments[segment_index] for segment_index in row_order],
        quote_content,
        None if details is None else details.build_comparable_content(),
    )


def _join_rows(
    raw_parts: Sequence[RawCorpus], positions: Sequence[Ints], reading: Mapping[str, Any]
) -> RawCorpus:
    """Join the rows of parts, with settings ``reading``.

    ``positions`` are the indices of each part's documents in the joined rows. The content of a
    shared document is taken from its first part; annotators and labels are matched by name.
    """
    annotators, labels = Vocabulary(), Vocabulary()
    columns = []
    contents: list[dict[str, Any]] = []
    has_quotes = any(raw.quote is not None for raw in raw_parts)
    quotes: list[str] = []
    n_documents = n_annotations = 0
    for raw, part_positions in zip(raw_parts, positions, strict=True):
        new_documents = np.flatnonzero(part_positions >= n_documents)
        n_documents += len(new_documents)
        if len(new_documents) or not contents:
            contents.append(raw.content_of(new_documents))
        annotator_codes = np.array([annotators[name] for name in raw.annotators], np.int64)
        label_codes = np.array([*(labels[name] for name in raw.labels), -1], np.int64)
        annotation = raw.annotation + n_annotations
        segments: tuple[Ints, ...] = annotation, raw.start, raw.end, label_codes[raw.label]
        if has_quotes:
            quote_codes = np.full(len(raw.start), UNKNOWN) if raw.quote is None else raw.quote
            segments = *segments, np.where(quote_codes < 0, quote_codes, quote_codes + len(quotes))
            quotes += raw.quotes
        times = np.full(len(raw.document_index), np.nan) if raw.when is None else raw.when
        columns.append(
            (
                part_positions[raw.document_index],
                annotator_codes[raw.annotator_index],
                *segments,
                times,
            )
        )
        n_annotations += len(raw.document_index)
    content: dict[str, Any] = {}
    for name in contents[0]:
        values = [content_of_part[name] for content_of_part in contents]
        if name == "parent_ids" and all(value is not None for value in values):
            offsets = np.cumsum([0, *(value.max(initial=-1) + 1 for value in values)])
            values = [value + offset for value, offset in zip(values, offsets, strict=False)]
        if any(value is None for value in values):
            continue
        if all(isinstance(value, TokenBytes) for value in values):
            content[name] = TokenBytes.concatenate(values)
        else:
            is_array = isinstance(values[0], np.ndarray)
            content[name] = np.concatenate(values) if is_array else tuple(chain(*values))
    segment_names = ("annotation", "start", "end", "label", *(["quote"] if has_quotes else []))
    names = ("document_index", "annotator_index", *segment_names, "when")
    content["details"] = join_details([(raw.details, len(raw.start)) for raw in raw_parts])
    first_annotations = accumulate((len(raw.document_index) for raw in raw_parts), initial=0)
    content["unplaced"] = UnplacedQuotes.concatenate(
        (raw.unplaced, first_annotation)
        for raw, first_annotation in zip(raw_parts, first_annotations, strict=False)
    )
    content |= zip(names, map(np.concatenate, zip(*columns, strict=True)), strict=True)
    return RawCorpus(
        annotators=tuple(annotators),
        labels=tuple(labels),
        offsets=raw_parts[0].offsets,
        reading=reading,
        quotes=tuple(quotes),
        seen_unknown=tuple(dict.fromkeys(name for raw in raw_parts for name in raw.seen_unknown)),
        ends=None if any(raw.ends is None for raw in raw_parts) else raw_parts[0].ends,
        balance=add_balances(raw.balance for raw in raw_parts),
        **content,
    )


def _qualify_names(source: str, raw: RawCorpus, n_sources: Mapping[str, int]) -> RawCorpus:
    """Prepend the source to names of annotators that other sources have too."""
    return rename_annotators(
        raw, {name: name if n_sources[name] == 1 else f"{source}:{name}" for name in raw.annotators}
    )


def rename_annotators(raw: RawCorpus, new_names: Mapping[str, str]) -> RawCorpus:
    """Rename all annotators."""
    reading = {
        key: {new_names.get(name, name): setting for name, setting in value.items()}
        if key in _KEYS_BY_LAYER
        else value
        for key, value in raw.reading.items()
    }
    seen_unknown = tuple(new_names[name] for name in raw.seen_unknown)
    return raw.replace(
        annotators=tuple(new_names.values()), reading=reading, seen_unknown=seen_unknown
    )


def _check_offsets(first_source: str, merged: RawCorpus, source: str, incoming: RawCorpus) -> None:
    """Check that the offsets of two sources have the same unit."""
    if incoming.offsets != merged.offsets:
        raise InputError(
            f"{escape_name(source)}: offsets in {incoming.offsets}, those of"
            f" {escape_name(first_source)} are in {merged.offsets}; all need the same: spanagree"
            " convert --tokenizer splits texts, and quotes without a text beside them are found in"
            " another file's text or tokens, by id"
        )


def _find_document_positions(
    merged: RawCorpus, incoming: RawCorpus, first_source: str, source: str
) -> Ints:
    """Find the index in ``merged`` of each incoming document, −1 for a new document.

    Documents are matched by id, or by order if a source has no ids.
    """
    if merged.ids is not None and incoming.ids is not None:
        position_by_id = {id_: document_index for document_index, id_ in enumerate(merged.ids)}
        return np.array([position_by_id.get(id_, -1) for id_ in incoming.ids], np.int64)
    if len(merged.lengths) != len(incoming.lengths):
        have_texts = merged.texts is not None and incoming.texts is not None
        advice = f"; {format_setting('join', 'text')} matches them by their texts"
        raise InputError(
            f"{escape_name(source)}: {pluralize(len(incoming.lengths), 'document')},"
            f" {escape_name(first_source)} has"
            f" {len(merged.lengths)}; without ids in both, documents are matched by their order,"
            f" and their number has to be the same{advice if have_texts else ''}"
        )
    return np.arange(len(incoming.lengths))


def _check_document_versions(
    merged: RawCorpus, incoming: RawCorpus, positions: Ints, location: str
) -> None:
    """Check that two sources contain the same versions of their shared documents."""
    for document in np.flatnonzero(positions >= 0).tolist():
        merged_document = int(positions[document])
        check_same_document(
            _build_version_of_document(incoming, document),
            _build_version_of_document(merged, merged_document),
            f"{location}, document {quote_value(merged.id_of(merged_document))}",
        )


def _get_text_of_document(raw: RawCorpus, document_index: int) -> str | None:
    """Return the text of a document; `None` if the corpus has no texts."""
    return None if raw.texts is None else raw.texts[document_index]


def _adopt_line_ends(raw: RawCorpus, texts: Mapping[int, str | None]) -> RawCorpus:
    """Take over the line ends of other parts for texts that differ only in them."""
    return replace_line_ends(
        raw, {document_index: text for document_index, text in texts.items() if text is not None}
    )


def _build_version_of_document(raw: RawCorpus, document_index: int) -> Version:
    """Build the text, tokens and length of a document, which sources have to agree on."""
    return (
        _get_text_of_document(raw, document_index),
        None if raw.tokens is None else raw.tokens_of(document_index),
        int(raw.lengths[document_index]),
    )
