"""doccano exports: JSON lines of one or all annotators, and zips with a file per annotator."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any
from zipfile import is_zipfile

from spanagree.corpus.corpus import Corpus
from spanagree.corpus.raw import check_absent, convert_integer_to_text
from spanagree.errors import (
    InputError,
    SettingError,
    escape_name,
    invalid_value,
    is_integer,
    join_names,
    pluralize,
    quote_value,
)
from spanagree.files import BOM, PathName, decode_bytes, format_json, open_zip, write_text
from spanagree.formats.exports import OUR_ID, check_name_source, check_objects
from spanagree.formats.file_head import FileHead, read_head_inside
from spanagree.formats.json_records import parse_records, yield_json_records
from spanagree.formats.records import RawAnnotation, RawRelation, RawSpan, ReadLog, Record
from spanagree.formats.spans_beside import yield_unread_span_keys

_SPAN_KEYS = ("entities", "annotations", "labels", "label")
_IGNORED_NOUNS = {"cats": "category", "Comments": "comment"}
_DOCCANO_KEYS = {"Comments", "annotation_approver", OUR_ID}
_RECORDS = re.compile(r"^(?!.*exportedproject).*\.jsonl?$")
_NEEDED = "doccano writes an object a line"
_ALL = "all"
"""Name of the file of a collaborative project, which does not distinguish annotators."""
_ALL_IN_ONE = (
    "all.jsonl, as of a collaborative project, does not say who marked what; it is one annotator"
)


def looks_like_doccano(start: FileHead) -> bool:
    """Check whether a file begins like an export; a zip is checked by its members."""
    if start.shape == "zip":  # with another extension it may be any packed file
        is_zip = start.path.lower().endswith(".zip") and bool(start.members)
        if not is_zip or not all(map(_RECORDS.search, start.members)):
            return False
        heads = [read_head_inside(start, name) for name in start.members]
        return all(map(_is_row, (row for head in heads for row in head.objects)))
    return any(map(_is_doccano_row, start.objects))


def _is_row(row: Mapping[str, Any]) -> bool:
    """Check whether a row has a text and spans, and no spans under other keys."""
    read_values = {id(row.get(key)) for key in (*_SPAN_KEYS, *_IGNORED_NOUNS, "relations")}
    return (
        bool(_find_span_key(row))
        and _find_text(row) is not None
        and not any(yield_unread_span_keys(row, read_values))
    )


def _is_doccano_row(row: Mapping[str, Any]) -> bool:
    """Check whether a row has a layout that only doccano writes."""
    key = _find_span_key(row)
    if key is None or "id" not in row or "annotator" in row:
        return False
    items = row[key] if isinstance(row[key], list) else []
    are_spans = [
        isinstance(item, dict) and "start_offset" in item
        if key in ("entities", "annotations")
        else isinstance(item, list) and len(item) == 3 and isinstance(item[2], str)
        for item in items
    ]
    return all(are_spans) and (bool(are_spans) or not _DOCCANO_KEYS.isdisjoint(row))


def yield_records(
    path: PathName, log: ReadLog, *, annotator_from: str | None = None, absent: str | None = None
) -> Iterator[Record]:
    """Yield the rows of an export of doccano.

    Spans are in ``label`` or ``labels``, as lists; in ``entities``; or, up to version 1.0, in
    ``annotations``, which name the user. Otherwise the file is the annotator; in a zip, each
    member. Labels that are numbers remain numbers, as the export does not contain their names.

    Args:
        path: path of the file.
        log: log of ignored or unclear content.
        annotator_from: source of the annotators' names, ``file`` or ``id``. Default: ``id``.
        absent: meaning of a document without spans: its annotator never saw it (``unseen``) or saw
            it and marked nothing (``unmarked``). Default: the latter, with a note. If a file
            contains several users, the caller decides which documents each of them saw.

    Raises:
        InputError: if a file cannot be read or is not an export of doccano.
        SettingError: if a choice is unknown.
    """
    check_name_source(annotator_from, "id", "file")
    check_absent(absent)
    n_without_spans, row, is_all_in_one = 0, None, False
    own_stem = PurePosixPath(log.name).stem
    for stem, location, row in _yield_rows(path, log.name):
        if not isinstance(row, dict):
            raise invalid_value(f"{location}:", row, _NEEDED)
        key, text = _find_span_key(row), _find_text(row)
        if key is None or text is None:
            raise InputError(
                f"{location}: a row of doccano has text, and spans in one of"
                f" {', '.join(_SPAN_KEYS)}; the keys are {join_names(row)}"
            )
        log.count_unread_marks(row)
        for other_key, noun in _IGNORED_NOUNS.items():
            if isinstance(items := row.get(other_key), list) and items:
                log.passed[noun] += len(items)
        for other_key in _SPAN_KEYS:
            if other_key in row and other_key != key and isinstance(row[other_key], list):
                n_spans = sum(isinstance(item, (list, dict)) for item in row[other_key])
                log.passed["other span"] += n_spans
                log.passed["document label"] += len(row[other_key]) - n_spans
        items = row[key] if isinstance(row[key], list) else [row[key]]
        if key == "annotations" and annotator_from != "file":
            annotations = _collect_annotations_by_user(row, items, stem, location, log)
        else:
            spans = _parse_spans(items, location, log)
            n_without_spans += not spans
            is_all_in_one |= (stem or own_stem) == _ALL
            relations = _yield_relations(row, items, location)
            annotation = RawAnnotation(stem, spans, relations=relations)
            is_unseen = absent == "unseen" and not spans
            annotations = [RawAnnotation(stem, None) if is_unseen else annotation]
        yield Record(location, row.get(OUR_ID, row.get("id")), {"text": text}, annotations)
    if row is None:
        raise InputError(f"{log.name}: no rows; {_NEEDED}")
    if is_all_in_one:
        log.notes = [f"{log.name}: {_ALL_IN_ONE}"]
    if n_without_spans and absent is None:
        log.notes.append(
            f"{log.name}: {pluralize(n_without_spans, 'document')} without a span taken as seen,"
            " which is so if only what was confirmed was exported; --absent unseen takes them"
            " as never seen"
        )


def _yield_rows(path: PathName, name: str) -> Iterator[tuple[str, str, Any]]:
    """Yield annotator, location and content of each row; the annotator is empty in a plain file."""
    if not is_zipfile(path):
        yield from (("", *pair) for pair in yield_json_records(path, _NEEDED))
        return
    with open_zip(path) as archive:
        members = [member for member in archive.names if _RECORDS.search(member)]
        if not members:
            raise InputError(
                f"{name}: no .jsonl or .json in it, but {join_names(archive.names)}; doccano's zip"
                " has one for each annotator"
            )
        for member in members:
            location = f"{name}, {escape_name(member)}"
            text = decode_bytes(location, archive.read(member), "utf-8").removeprefix(BOM)
            stem = PurePosixPath(member).stem
            yield from ((stem, *pair) for pair in parse_records(location, [text], _NEEDED))


def _collect_annotations_by_user(
    row: Mapping[str, Any], items: list[Any], stem: str, location: str, log: ReadLog
) -> list[RawAnnotation]:
    """Collect the annotations of each user in a row; users without spans do not appear in it.

    ``items`` are the spans and labels of the row. ``stem`` names the annotator of items without a
    user.
    """
    items_by_user: dict[str, list[Any]] = {}
    for item in items:
        user = item.get("user") if isinstance(item, dict) else None
        annotator = stem if user is None else convert_integer_to_text(user)
        if not isinstance(annotator, str):
            raise invalid_value(
                f"{location}: name", annotator, "a string that is not empty is needed"
            )
        items_by_user.setdefault(annotator, []).append(item)
    annotations = [
        RawAnnotation(name, _parse_spans(user_items, location, log))
        for name, user_items in items_by_user.items()
    ]
    log.seen_unknown |= dict.fromkeys(items_by_user)
    if isinstance(row.get("relations"), list):  # the export does not say whose they are
        log.passed["relation"] += len(row["relations"])
    return annotations


def _yield_relations(
    row: Mapping[str, Any], items: list[Any], location: str
) -> Iterator[RawRelation]:
    """Yield the relations of a row between the spans among its items, identified by their ids."""
    if not (relations := check_objects(row.get("relations"), "relations", location)):
        return
    spans = [item for item in items if _parse_span(item, location) is not None]
    span_by_id = {
        str(span.get("id")): span_index
        for span_index, span in enumerate(spans)
        if isinstance(span, dict)
    }
    for relation in relations:
        first, second = (span_by_id.get(str(relation.get(end))) for end in ("from_id", "to_id"))
        relation_location = f"{location}, relation {quote_value(relation.get('id'))}"
        yield RawRelation(first, second, str(relation.get("type")), relation_location)


def _find_span_key(row: Mapping[str, Any]) -> str | None:
    """Find the key of a row's spans."""
    return next((key for key in _SPAN_KEYS if key in row), None)


def _find_text(row: Mapping[str, Any]) -> str | None:
    """Find the text of a row; `None` if it has none."""
    text = row.get("text", row.get("data"))
    return text if isinstance(text, str) else None


def _parse_spans(items: list[Any], location: str, log: ReadLog) -> list[RawSpan]:
    """Parse the spans among the items of a row; count labels of whole texts."""
    spans = []
    for item in items:
        if (span := _parse_span(item, location)) is None:
            log.passed["document label"] += 1
        else:
            spans.append(span)
    return spans


def _parse_span(item: object, location: str) -> RawSpan | None:
    """Parse a span; return ``None`` for the label of a whole text."""
    if isinstance(item, list) and len(item) == 3:
        return RawSpan(item[0], item[1], convert_integer_to_text(item[2]))
    if isinstance(item, dict) and "start_offset" in item:
        label = convert_integer_to_text(item.get("label"))
        return RawSpan(item["start_offset"], item.get("end_offset"), label)
    is_label = isinstance(item, dict) and "label" in item and "end_offset" not in item
    if is_integer(item) or isinstance(item, str) or is_label:
        return None
    requirement = "[start, end, label], or start_offset, end_offset and label, is needed"
    raise invalid_value(f"{location}: span", item, requirement)


def write_doccano(corpus: Corpus, path: PathName) -> None:
    """Write the documents that the only annotator saw, one line each.

    Ids are kept under a key of spanagree, as doccano assigns new numbers to documents on import.

    Args:
        corpus: corpus with texts or tokens.
        path: path of the file.

    Raises:
        InputError: if the path cannot be written.
        SettingError: if the corpus has neither texts nor tokens, or several annotators.
    """
    if len(corpus.layers) != 1:
        raise SettingError(
            f"a file of doccano holds one annotator; there are {len(corpus.layers)}"
            f" ({join_names(corpus.annotators)}): choose one with --annotators"
        )
    rows = []
    in_characters = corpus.to_characters()
    for document_index, text in enumerate(in_characters.known("texts", "doccano")):
        segments = in_characters[document_index].segments[corpus.annotators[0]]
        if segments is not None:
            id_ = corpus.id_of(document_index)
            rows.append({"id": id_, "text": text, "label": segments, OUR_ID: id_})
    write_text(path, "".join(f"{format_json(row)}\n" for row in rows))
