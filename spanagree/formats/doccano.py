"""doccano's exports: JSON lines of one annotator or of all, and zips with a file for each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any
from zipfile import is_zipfile

from spanagree.corpus.collector import text_of_whole
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.raw import check_absent
from spanagree.errors import (
    InputError,
    SettingError,
    escape_name,
    invalid_value,
    is_whole,
    join_names,
    pluralize,
    quote_value,
)
from spanagree.files import BOM, PathName, decoded, json_text, open_zip, write_text
from spanagree.formats.exports import OUR_ID, check_named, objects_in
from spanagree.formats.file_head import FileHead, read_head_inside
from spanagree.formats.json_records import json_records, records_in
from spanagree.formats.records import RawAnnotation, RawRelation, RawSpan, ReadLog, Record
from spanagree.formats.spans_beside import annotations_beside

_LISTS = ("entities", "annotations", "labels", "label")
_OTHERS = {"cats": "category", "Comments": "comment"}
_OURS = {"Comments", "annotation_approver", OUR_ID}
_RECORDS = re.compile(r"^(?!.*exportedproject).*\.jsonl?$")
_NEEDED = "doccano writes an object a line"
_ALL = "all"
"""The file of a collaborative project, in which the annotators are not told apart."""
_ALL_IN_ONE = (
    "all.jsonl, as of a collaborative project, does not say who marked what; it is one annotator"
)


def knows_doccano(start: FileHead) -> bool:
    """Return whether a file begins as an export does; a zip is known by what is in it."""
    if start.shape == "zip":  # under another name it may be anybody's, packed by mistake
        named = start.path.lower().endswith(".zip") and bool(start.members)
        if not named or not all(map(_RECORDS.search, start.members)):
            return False
        inside = [read_head_inside(start, name) for name in start.members]
        return all(map(_is_row, (row for head in inside for row in head.objects)))
    return any(map(_is_ours, start.objects))


def _is_row(row: Mapping[str, Any]) -> bool:
    """Return whether a row has a text and spans, and no spans but those that are read."""
    read = {id(row.get(key)) for key in (*_LISTS, *_OTHERS, "relations")}
    return bool(_key(row)) and _text(row) is not None and not any(annotations_beside(row, read))


def _is_ours(row: Mapping[str, Any]) -> bool:
    """Return whether a row is as only doccano writes it."""
    key = _key(row)
    if key is None or "id" not in row or "annotator" in row:
        return False
    items = row[key] if isinstance(row[key], list) else []
    marked = [
        isinstance(item, dict) and "start_offset" in item
        if key in ("entities", "annotations")
        else isinstance(item, list) and len(item) == 3 and isinstance(item[2], str)
        for item in items
    ]
    return all(marked) and (bool(marked) or not _OURS.isdisjoint(row))


def records(
    path: PathName, log: ReadLog, *, annotator_from: str | None = None, absent: str | None = None
) -> Iterator[Record]:
    """Yield the rows of an export of doccano.

    Spans are in ``label`` or ``labels``, as lists; in ``entities``; or, up to version 1.0, in
    ``annotations``, which say whose they are. Else the annotator is the file: in a zip, each of
    the files in it. Labels that are numbers stay so, as their names are not in the export.

    Args:
        path: the file.
        log: is told what is passed over or not clear.
        annotator_from: what names an annotator, ``file`` or, unless given, ``id``.
        absent: whether the annotator of a file never saw a document without a span (``unseen``)
            or saw it and marked nothing; unless given, the latter, with a note. Which documents
            users of a file of several saw is left to the caller.

    Raises:
        InputError: for a file that cannot be read or is not of doccano.
        SettingError: for an unknown choice.
    """
    check_named(annotator_from, "id", "file")
    check_absent(absent)
    silent, row, all_in_one = 0, None, False
    own_stem = PurePosixPath(log.name).stem
    for stem, location, row in _rows(path, log.name):
        if not isinstance(row, dict):
            raise invalid_value(f"{location}:", row, _NEEDED)
        key, text = _key(row), _text(row)
        if key is None or text is None:
            raise InputError(
                f"{location}: a row of doccano has text, and spans in one of {', '.join(_LISTS)};"
                f" the keys are {join_names(row)}"
            )
        log.look_beside(row)
        for other, noun in _OTHERS.items():
            if isinstance(items := row.get(other), list) and items:
                log.passed[noun] += len(items)
        for other in _LISTS:
            if other in row and other != key and isinstance(row[other], list):
                are_spans = sum(isinstance(item, (list, dict)) for item in row[other])
                log.passed["other span"] += are_spans
                log.passed["document label"] += len(row[other]) - are_spans
        items = row[key] if isinstance(row[key], list) else [row[key]]
        if key == "annotations" and annotator_from != "file":
            annotations = _by_user(row, items, stem, location, log)
        else:
            spans = _spans(items, location, log)
            silent += not spans
            all_in_one |= (stem or own_stem) == _ALL
            relations = _relations(row, items, location)
            annotation = RawAnnotation(stem, spans, relations=relations)
            is_unseen = absent == "unseen" and not spans
            annotations = [RawAnnotation(stem, None) if is_unseen else annotation]
        yield Record(location, row.get(OUR_ID, row.get("id")), {"text": text}, annotations)
    if row is None:
        raise InputError(f"{log.name}: no rows; {_NEEDED}")
    if all_in_one:
        log.notes = [f"{log.name}: {_ALL_IN_ONE}"]
    if silent and absent is None:
        log.notes.append(
            f"{log.name}: {pluralize(silent, 'document')} without a span taken as seen,"
            " which is so if only what was confirmed was exported; --absent unseen takes them"
            " as never seen"
        )


def _rows(path: PathName, name: str) -> Iterator[tuple[str, str, Any]]:
    """Yield the annotator of each row, its place, and the row; a file's annotator has no name."""
    if not is_zipfile(path):
        yield from (("", *pair) for pair in json_records(path, _NEEDED))
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
            text = decoded(location, archive.read(member), "utf-8").removeprefix(BOM)
            stem = PurePosixPath(member).stem
            yield from ((stem, *pair) for pair in records_in(location, [text], _NEEDED))


def _by_user(
    row: Mapping[str, Any], items: list[Any], stem: str, location: str, log: ReadLog
) -> list[RawAnnotation]:
    """Return what each user marked in a row; whoever marked nothing in it is not in it."""
    items_of: dict[str, list[Any]] = {}
    for item in items:
        user = item.get("user") if isinstance(item, dict) else None
        annotator = stem if user is None else text_of_whole(user)
        if not isinstance(annotator, str):
            raise invalid_value(
                f"{location}: name", annotator, "a string that is not empty is needed"
            )
        items_of.setdefault(annotator, []).append(item)
    annotations = [
        RawAnnotation(name, _spans(its, location, log)) for name, its in items_of.items()
    ]
    log.seen_unknown |= dict.fromkeys(items_of)
    if isinstance(row.get("relations"), list):  # of whom is not said
        log.passed["relation"] += len(row["relations"])
    return annotations


def _relations(row: Mapping[str, Any], items: list[Any], location: str) -> Iterator[RawRelation]:
    """Yield the relations of a row between the spans among its items, known by their ids."""
    if not (relations := objects_in(row.get("relations"), "relations", location)):
        return
    spans = [item for item in items if _span(item, location) is not None]
    known = {str(s.get("id")): i for i, s in enumerate(spans) if isinstance(s, dict)}
    for relation in relations:
        first, second = (known.get(str(relation.get(end))) for end in ("from_id", "to_id"))
        place = f"{location}, relation {quote_value(relation.get('id'))}"
        yield RawRelation(first, second, str(relation.get("type")), place)


def _key(row: Mapping[str, Any]) -> str | None:
    """Return the key under which a row has its spans."""
    return next((key for key in _LISTS if key in row), None)


def _text(row: Mapping[str, Any]) -> str | None:
    text = row.get("text", row.get("data"))
    return text if isinstance(text, str) else None


def _spans(items: list[Any], location: str, log: ReadLog) -> list[RawSpan]:
    """Return the spans among the items of a row; count the labels of whole texts."""
    spans = []
    for item in items:
        if (span := _span(item, location)) is None:
            log.passed["document label"] += 1
        else:
            spans.append(span)
    return spans


def _span(item: object, location: str) -> RawSpan | None:
    """Return a span; ``None`` for the label of a whole text."""
    if isinstance(item, list) and len(item) == 3:
        return RawSpan(item[0], item[1], text_of_whole(item[2]))
    if isinstance(item, dict) and "start_offset" in item:
        label = text_of_whole(item.get("label"))
        return RawSpan(item["start_offset"], item.get("end_offset"), label)
    is_label = isinstance(item, dict) and "label" in item and "end_offset" not in item
    if is_whole(item) or isinstance(item, str) or is_label:
        return None
    needed = "[start, end, label], or start_offset, end_offset and label, is needed"
    raise invalid_value(f"{location}: span", item, needed)


def write_doccano(corpus: Corpus, path: PathName) -> None:
    """Write the documents that the only annotator saw, a line each.

    Whoever imports the file gets each document with its id, under a key of our own, as doccano
    numbers documents anew.

    Args:
        corpus: the documents, whose texts or tokens are known.
        path: the file.

    Raises:
        InputError: for a path that cannot be written.
        SettingError: for a corpus without texts and tokens, or of several annotators.
    """
    if len(corpus.layers) != 1:
        raise SettingError(
            f"a file of doccano holds one annotator; there are {len(corpus.layers)}"
            f" ({join_names(corpus.annotators)}): choose one with --annotators"
        )
    rows = []
    in_characters = corpus.to_characters()
    for d, text in enumerate(in_characters.known("texts", "doccano")):
        segments = in_characters[d].segments[corpus.annotators[0]]
        if segments is not None:
            id_ = corpus.id_of(d)
            rows.append({"id": id_, "text": text, "label": segments, OUR_ID: id_})
    write_text(path, "".join(f"{json_text(row)}\n" for row in rows))
