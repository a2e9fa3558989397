"""Marks as indices of characters, words or tokens, and other forms that count along a text."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any

from spanagree.errors import (
    InputError,
    invalid_value,
    is_whole,
    pluralize,
    quote_value,
    whole_number,
)
from spanagree.files import PathName, read_text
from spanagree.formats.csv_rows import csv_records, csv_rows
from spanagree.formats.file_head import read_head
from spanagree.formats.json_records import json_records
from spanagree.formats.paths import found_at
from spanagree.formats.records import ReadLog
from spanagree.limits import check_expansion
from spanagree.tools.beside_texts import beside


def runs(indices: Sequence[int]) -> list[list[int]]:
    """Return the start and end of each run of indices that follow each other.

    >>> runs([0, 1, 5])
    [[0, 2], [5, 6]]
    """
    bounds: list[list[int]] = []
    for index in sorted({*indices}):
        if bounds and bounds[-1][1] == index:
            bounds[-1][1] += 1
        else:
            bounds.append([index, index + 1])
    return bounds


def bigbio_rows(path: PathName, encoding: str, log: ReadLog) -> Iterator[tuple[str, Any]]:
    """Yield BigBIO's documents, each with the text of its passages at their offsets."""
    for location, record in json_records(path, encoding=encoding):
        log.count_unread_marks(record)
        text = ""
        for passage in found_at(record, "passages[*]", location):
            starts = found_at(passage, "offsets[*][0]", location)
            for start, piece in zip(starts, found_at(passage, "text[*]", location), strict=True):
                if not is_whole(start) or start < len(text):
                    raise InputError(
                        f"{location}: a passage at {quote_value(start)}, where the one before has"
                        " not ended"
                    )
                check_expansion(location, len(text) + len(piece), start)
                text = text.ljust(start) + piece
        yield location, {**record, "text": text}


def docred_rows(path: PathName, encoding: str, log: ReadLog) -> Iterator[tuple[str, Any]]:
    """Yield DocRED's documents, whose mentions count the tokens of their sentence.

    A relation between two entities becomes one of their first mentions.

    Raises:
        InputError: for a sentence that is not a list of tokens.
    """
    for location, record in json_records(path, encoding=encoding):
        log.count_unread_marks(record)
        for sentence in record["sents"]:
            if not isinstance(sentence, list):
                raise invalid_value(f"{location}: sents", sentence, "lists of tokens are needed")
        sizes = [len(sentence) for sentence in record["sents"]]
        mentions = [
            {
                "type": mention["type"],
                "pos": [at + sum(sizes[: mention["sent_id"]]) for at in mention["pos"]],
                "entity": number,
            }
            for number, entity in enumerate(record["vertexSet"])
            for mention in entity
        ]
        tokens = [token for sentence in record["sents"] for token in sentence]
        yield location, {**record, "tokens": tokens, "mentions": mentions}


_HATEXPLAIN = {0: "hatespeech", 1: "normal", 2: "offensive"}  # on the hub labels are numbers


def hatexplain_rows(path: PathName, encoding: str, log: ReadLog) -> Iterator[tuple[str, Any]]:
    """Yield HateXplain's posts: which tokens each annotator marked as a reason for a label.

    There is a rationale for each annotator, or for each whose label is not normal, in order; then
    the others saw the post and marked nothing. Where there are others, it is not said whose they
    are: those whose label is normal marked nothing, the others are left out.

    Raises:
        InputError: for a post without tokens, or a rationale that does not fit them.
    """
    for location, value in json_records(path, encoding=encoding):
        log.count_unread_marks(value)
        for record in [value] if "post_tokens" in value else value.values():
            by = _rationales(record, location)
            people = {f"{person['annotator_id']}" for person in record.get("annotators") or ()}
            seen_unknown = sorted(people - by.keys())
            yield (
                location,
                {
                    **record,
                    "by": by,
                    "seen_unknown": seen_unknown,
                    "theirs": _theirs(record, seen_unknown),
                },
            )


def _theirs(record: Any, seen_unknown: Sequence[str]) -> Sequence[Any]:
    """Return the rationales of which it is not said whose they are."""
    return record.get("rationales") or [] if seen_unknown else []


def _rationales(record: Any, location: str) -> dict[str, list[Any]]:
    """Return what each annotator of HateXplain marked, of whom it is said.

    Raises:
        InputError: for a rationale that does not fit the tokens, or without annotators.
    """
    people = record.get("annotators") or []
    rationales = record.get("rationales") or []
    if rationales and not people:
        raise InputError(
            f"{location}: {pluralize(len(rationales), 'rationale')} and no annotators, whose they"
            " are"
        )
    marking = [person for person in people if person.get("label") not in ("normal", 1)]
    if len(rationales) == len(people):
        marking = people
    by: dict[str, list[Any]] = {f"{person['annotator_id']}": [] for person in people}
    if len(rationales) != len(marking):
        seen_unknown = {f"{person['annotator_id']}" for person in marking}
        return {name: by[name] for name in by if name not in seen_unknown}
    for person, rationale in zip(marking, rationales, strict=True):
        tokens = record["post_tokens"]
        if len(rationale) != len(tokens):
            raise InputError(
                f"{location}: a rationale of {pluralize(len(rationale), 'sign')} for"
                f" {pluralize(len(tokens), 'token')}; each token needs 0 or 1"
            )
        label = _HATEXPLAIN.get(person["label"], str(person["label"]))
        marked = runs([i for i, sign in enumerate(rationale) if sign])
        by[f"{person['annotator_id']}"] = [[*run, label] for run in marked]
    return by


def index_rows(path: PathName, encoding: str, log: ReadLog) -> Iterator[tuple[str, Any]]:
    """Yield texts with the runs of the characters whose indices are listed beside them.

    A file without a header has an id and a list in each line, and the texts stand elsewhere.

    Raises:
        InputError: for what is no list of whole numbers.
    """
    name = log.name
    if read_head(path).shape in ("json", "jsonl"):
        for location, record in json_records(path, encoding=encoding):
            log.count_unread_marks(record)
            yield location, {**record, "spans": runs(_indices(record.get("spans"), location))}
        return
    table = csv_rows(path, encoding)
    first, header = next(table, (0, []))
    columns = [column.strip().lower() for column in header]
    rows: Iterator[tuple[int, list[str]]] = table
    if "spans" not in columns:
        columns, rows = ["id", "spans"], chain([(first, header)], table)
    for line, row in rows:
        location = f"{name}:{line}"
        cells: dict[str, Any] = dict(zip(columns, row, strict=True))
        log.count_unread_cells(cells)
        yield location, {**cells, "spans": runs(_indices(cells["spans"], location))}


def _indices(cell: Any, location: str) -> list[int]:
    with suppress(ValueError):
        value = json.loads(cell) if isinstance(cell, str) else cell
        if isinstance(value, list) and all(map(is_whole, value)):
            return value
    raise InputError(f"{location}: {quote_value(cell)}; a list of whole numbers is needed")


def prediction_rows(path: PathName, encoding: str, log: ReadLog) -> Iterator[tuple[str, Any]]:
    """Yield Kaggle's texts with what is marked in each: runs of words, by their indices.

    The text is split at white space. It stands in a file of the id's name beside the table, or in
    another file of the command.

    Raises:
        InputError: for a table without ids or labels, or what are no indices.
    """
    name = log.name
    header, rows = csv_records(path, encoding)
    label = next((c for c in ("discourse_type", "class", "label") if c in header), None)
    if "id" not in header:
        raise InputError(f"{name}: no column id; Kaggle's predictions name the text of each row")
    texts: dict[str, list[Any]] = {}
    for location, cells in rows:
        log.count_unread_cells(cells)
        words = cells["predictionstring"].split()
        if not all(word.isdecimal() for word in words):
            raise InputError(
                f"{location}: {quote_value(cells['predictionstring'])}; indices of words"
            )
        spans = texts.setdefault(cells["id"], [])
        if words:
            numbers = [whole_number(word, f"{location}: word") for word in words]
            spans.append({"runs": runs(numbers), "label": label and cells[label]})
    known: dict[Path, list[Path]] = {}
    for id_, spans in texts.items():
        record: dict[str, Any] = {"id": id_, "spans": spans}
        with suppress(InputError):
            record["tokens"] = read_text(beside(Path(path), f"{id_}.txt", name, known)).split()
        yield name, record
