"""Readers of answers to questions as quotes of a text: SQuAD, UniversalNER, CrowdTruth."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from itertools import pairwise
from typing import Any

from spanagree.errors import InputError, escape_path, join_names, quote_value
from spanagree.files import PathName
from spanagree.formats.csv_rows import read_csv_records
from spanagree.formats.exports import check_objects
from spanagree.formats.json_records import yield_json_records
from spanagree.formats.paths import find_checked_values, find_first_value
from spanagree.formats.records import ReadLog

_NOTHING = ("", "[NONE]", "NONE")  # answers of crowd workers without a mark
_QUESTION = re.compile(r"What describes (.+) in the text\?", re.DOTALL)


def yield_squad_rows(path: PathName, encoding: str, log: ReadLog) -> Iterator[tuple[str, Any]]:
    """Yield each question of SQuAD with its answers, of unnamed annotators in their order.

    A question without an answer has no marks. The last row has the number of texts without a
    question.

    Raises:
        InputError: if a question has no list of answers.
    """
    previous: tuple[str, dict[str, Any]] | None = None
    unasked = []
    for location, value in yield_json_records(path, encoding=encoding):
        log.count_unread_marks(value)
        paragraphs = find_checked_values(value, "data[*].paragraphs[*]", location) or [
            {**value, "qas": [value]}
        ]
        for paragraph in paragraphs:
            if "qas" not in paragraph:
                raise InputError(
                    f"{location}: a paragraph without qas, its questions; it has"
                    f" {join_names(paragraph)}"
                )
            questions = find_checked_values(paragraph, "qas[*]", location)
            unasked += [] if questions else [1]
            for question in questions:
                answers = find_first_value(question, "answers")
                if answers is None:
                    raise InputError(
                        f"{location}: a question without answers, which has {join_names(question)};"
                        " one that no part of the text answers has an empty list of them"
                    )
                if isinstance(answers, dict):  # a list of each of their parts
                    answer_columns = zip(answers["text"], answers["answer_start"], strict=True)
                    answers = [
                        {"text": text, "answer_start": start} for text, start in answer_columns
                    ]
                by = {f"answer {i}": [{**a, "label": "answer"}] for i, a in enumerate(answers, 1)}
                by = by or {"answer 1": []}
                if previous is not None:
                    yield previous
                record = {"id": question.get("id"), "context": paragraph["context"], "by": by}
                previous = location, record
    if previous is not None:
        location, record = previous
        yield location, {**record, "unasked": unasked}


def yield_conversation_rows(
    path: PathName, encoding: str, log: ReadLog
) -> Iterator[tuple[str, Any]]:
    """Yield each text of UniversalNER once, with the answers about all types.

    Raises:
        InputError: if a conversation has no text, or an answer is not a list of strings.
    """
    texts: dict[str, tuple[str, list[dict[str, str]]]] = {}
    for location, record in yield_json_records(path, encoding=encoding):
        log.count_unread_marks(record)
        conversation = check_objects(record.get("conversations"), "conversations", location)
        turns = [str(turn.get("value")) for turn in conversation]
        if not turns or not turns[0].startswith("Text: "):
            raise InputError(f"{location}: no text; the first of a conversation is 'Text: …'")
        _, spans = texts.setdefault(turns[0].removeprefix("Text: "), (location, []))
        for question, answer in pairwise(turns):
            if question_match := _QUESTION.fullmatch(question.strip()):
                strings = _parse_strings(answer, location)
                spans += ({"text": string, "label": question_match[1]} for string in strings)
    for text, (location, spans) in texts.items():
        yield location, {"text": text, "spans": spans}


def yield_crowdtruth_rows(path: PathName, encoding: str, log: ReadLog) -> Iterator[tuple[str, Any]]:
    """Yield each judgment of CrowdTruth: the strings that a worker marked in a sentence.

    If there are several columns of sentences, the column that contains most strings is read.

    Raises:
        InputError: if the table has no column of sentences or of marked strings.
    """
    header, records = read_csv_records(path, encoding)
    rows = list(records)
    texts = [column for column in header if column.endswith(("sentence", "text"))]
    marked_column = next(
        (
            column
            for column in header
            if column.startswith("tagged_") and not column.endswith("_gold")
        ),
        None,
    )
    if not texts or marked_column is None:
        raise InputError(
            f"{escape_path(path)}: the columns {join_names(header)}; CrowdTruth has one of"
            " sentences, and one of strings called tagged_…; --from dataset reads others"
        )
    judged = [(row, _parse_strings(row[marked_column], location)) for location, row in rows]
    n_found = {
        column: sum(string in row[column] for row, strings in judged for string in strings)
        for column in texts
    }
    text = max(texts, key=lambda column: n_found[column])
    for (location, _), (row, strings) in zip(rows, judged, strict=True):
        log.count_unread_cells(row)
        spans = [{"text": string} for string in strings]
        record = {"id": row["_unit_id"], "text": row[text], "worker": row["_worker_id"]}
        yield location, {**record, "spans": spans}


def _parse_strings(cell: str, location: str) -> list[str]:
    """Parse a list of strings, in which quotes may lack the escapes of JSON; empty for NONE."""
    if cell.strip() in _NOTHING:
        return []
    with suppress(ValueError):
        value = json.loads(cell or "[]")
        if isinstance(value, list) and all(isinstance(string, str) for string in value):
            return value
    inner = re.fullmatch(r'\s*\[\s*"(.*)"\s*\]\s*', cell, re.DOTALL)
    if inner is None:
        raise InputError(f"{location}: {quote_value(cell)}; a list of strings in JSON is needed")
    return re.split(r'"\s*,\s*"', inner[1])
