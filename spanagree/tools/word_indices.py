"""Readers of marks as indices of characters, words or tokens, and of similar forms."""

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
    is_integer,
    parse_whole_number,
    pluralize,
    quote_value,
)
from spanagree.files import PathName, read_text
from spanagree.formats.csv_rows import read_csv_records, read_csv_rows
from spanagree.formats.file_head import read_head
from spanagree.formats.json_records import yield_json_records
from spanagree.formats.paths import find_checked_values
from spanagree.formats.records import ReadLog
from spanagree.limits import check_expansion
from spanagree.tools.beside_texts import find_text_file


def find_runs(indices: Sequence[int]) -> list[list[int]]:
    """Find the start and end of each run of consecutive indices.

    >>> find_runs([0, 1, 5])
    [[0, 2], [5, 6]]
    """
    bounds: list[list[int]] = []
    for index in sorted({*indices}):
        if bounds and bounds[-1][1] == index:
            bounds[-1][1] += 1
        else:
            bounds.append([index, index + 1])
    return bounds


def yield_bigbio_rows(path: PathName, encoding: str, log: ReadLog) -> Iterator[tuple[str, Any]]:
    """Yield BigBIO's documents, each with the text of its passages at their offsets."""
    for location, record in yield_json_records(path, encoding=encoding):
        log.count_unread_marks(record)
        text = ""
        for passage in find_checked_values(record, "passages[*]", location):
            starts = find_checked_values(passage, "offsets[*][0]", location)
            for start, piece in zip(
                starts, find_checked_values(passage, "text[*]", location), strict=True
            ):
                if not is_integer(start) or start < len(text):
                    raise InputError(
                        f"{location}: a passage at {quote_value(start)}, where the one before has"
                        " not ended"
                    )
                check_expansion(location, len(text) + len(piece), start)
                text = text.ljust(start) + piece
        yield location, {**record, "text": text}


def yield_docred_rows(path: PathName, encoding: str, log: ReadLog) -> Iterator[tuple[str, Any]]:
    """Yield DocRED's documents; mentions count the tokens of their sentence.

    A relation between two entities becomes a relation of their first mentions.

    Raises:
        InputError: if a sentence is not a list of tokens.
    """
    for location, record in yield_json_records(path, encoding=encoding):
        log.count_unread_marks(record)
        for sentence in record["sents"]:
            if not isinstance(sentence, list):
                raise invalid_value(f"{location}: sents", sentence, "lists of tokens are needed")
        sizes = [len(sentence) for sentence in record["sents"]]
        mentions = [
            {
                "type": mention["type"],
                "pos": [position + sum(sizes[: mention["sent_id"]]) for position in mention["pos"]],
                "entity": entity_index,
            }
            for entity_index, entity in enumerate(record["vertexSet"])
            for mention in entity
        ]
        tokens = [token for sentence in record["sents"] for token in sentence]
        yield location, {**record, "tokens": tokens, "mentions": mentions}


_HATEXPLAIN = {0: "hatespeech", 1: "normal", 2: "offensive"}  # labels are numbers on the hub


def yield_hatexplain_rows(path: PathName, encoding: str, log: ReadLog) -> Iterator[tuple[str, Any]]:
    """Yield HateXplain's posts: the tokens that each annotator marked as a reason for a label.

    There is a rationale for each annotator, or for each with a label other than normal, in order;
    then annotators with the label normal saw the post and marked nothing. With any other number of
    rationales, their annotators are unknown: annotators with the label normal marked nothing, the
    others are left out.

    Raises:
        InputError: if a post has no tokens, or a rationale does not match them.
    """
    for location, value in yield_json_records(path, encoding=encoding):
        log.count_unread_marks(value)
        for record in [value] if "post_tokens" in value else value.values():
            marks_by_annotator = _collect_rationales(record, location)
            annotators = {f"{person['annotator_id']}" for person in record.get("annotators") or ()}
            seen_unknown = sorted(annotators - marks_by_annotator.keys())
            yield (
                location,
                {
                    **record,
                    "by": marks_by_annotator,
                    "seen_unknown": seen_unknown,
                    "theirs": _collect_unassigned_rationales(record, seen_unknown),
                },
            )


def _collect_unassigned_rationales(record: Any, seen_unknown: Sequence[str]) -> Sequence[Any]:
    """Collect the rationales of unknown annotators."""
    return record.get("rationales") or [] if seen_unknown else []


def _collect_rationales(record: Any, location: str) -> dict[str, list[Any]]:
    """Collect the marks of the annotators of HateXplain with a known rationale.

    Raises:
        InputError: if a rationale does not match the tokens, or there are no annotators.
    """
    annotators = record.get("annotators") or []
    rationales = record.get("rationales") or []
    if rationales and not annotators:
        raise InputError(
            f"{location}: {pluralize(len(rationales), 'rationale')} and no annotators, whose they"
            " are"
        )
    marking_annotators = [
        person for person in annotators if person.get("label") not in ("normal", 1)
    ]
    if len(rationales) == len(annotators):
        marking_annotators = annotators
    marks_by_annotator: dict[str, list[Any]] = {
        f"{person['annotator_id']}": [] for person in annotators
    }
    if len(rationales) != len(marking_annotators):
        seen_unknown = {f"{person['annotator_id']}" for person in marking_annotators}
        return {
            name: marks_by_annotator[name]
            for name in marks_by_annotator
            if name not in seen_unknown
        }
    for person, rationale in zip(marking_annotators, rationales, strict=True):
        tokens = record["post_tokens"]
        if len(rationale) != len(tokens):
            raise InputError(
                f"{location}: a rationale of {pluralize(len(rationale), 'sign')} for"
                f" {pluralize(len(tokens), 'token')}; each token needs 0 or 1"
            )
        label = _HATEXPLAIN.get(person["label"], str(person["label"]))
        token_runs = find_runs([i for i, sign in enumerate(rationale) if sign])
        marks_by_annotator[f"{person['annotator_id']}"] = [[*run, label] for run in token_runs]
    return marks_by_annotator


def yield_index_rows(path: PathName, encoding: str, log: ReadLog) -> Iterator[tuple[str, Any]]:
    """Yield texts with the runs of the listed indices of characters.

    A file without a header has an id and a list in each line, and the texts are in other files.

    Raises:
        InputError: if a cell is not a list of integers.
    """
    name = log.name
    if read_head(path).shape in ("json", "jsonl"):
        for location, record in yield_json_records(path, encoding=encoding):
            log.count_unread_marks(record)
            yield (
                location,
                {**record, "spans": find_runs(_parse_indices(record.get("spans"), location))},
            )
        return
    table = read_csv_rows(path, encoding)
    first, header = next(table, (0, []))
    columns = [column.strip().lower() for column in header]
    rows: Iterator[tuple[int, list[str]]] = table
    if "spans" not in columns:
        columns, rows = ["id", "spans"], chain([(first, header)], table)
    for line, row in rows:
        location = f"{name}:{line}"
        cells: dict[str, Any] = dict(zip(columns, row, strict=True))
        log.count_unread_cells(cells)
        yield location, {**cells, "spans": find_runs(_parse_indices(cells["spans"], location))}


def _parse_indices(cell: Any, location: str) -> list[int]:
    """Parse a list of integers, which may be JSON in a cell of text."""
    with suppress(ValueError):
        value = json.loads(cell) if isinstance(cell, str) else cell
        if isinstance(value, list) and all(map(is_integer, value)):
            return value
    raise InputError(f"{location}: {quote_value(cell)}; a list of whole numbers is needed")


def yield_prediction_rows(path: PathName, encoding: str, log: ReadLog) -> Iterator[tuple[str, Any]]:
    """Yield Kaggle's texts with their marks: runs of words, by their indices.

    The text is split at white space. It is in a file with the id's name next to the table, or in
    another file of the command.

    Raises:
        InputError: if the table has no ids, or a cell has no indices.
    """
    name = log.name
    header, rows = read_csv_records(path, encoding)
    label = next(
        (column for column in ("discourse_type", "class", "label") if column in header), None
    )
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
            word_indices = [parse_whole_number(word, f"{location}: word") for word in words]
            spans.append({"runs": find_runs(word_indices), "label": label and cells[label]})
    folders_by_parent: dict[Path, list[Path]] = {}
    for id_, spans in texts.items():
        record: dict[str, Any] = {"id": id_, "spans": spans}
        with suppress(InputError):
            record["tokens"] = read_text(
                find_text_file(Path(path), f"{id_}.txt", name, folders_by_parent)
            ).split()
        yield name, record
