"""Errors in translations whose texts stand elsewhere: Appraise's scores, and MQM's ratings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from spanagree.errors import InputError, pluralize, printable_path, quote_value
from spanagree.files import PathName, from_json, named_file, numbered_lines, read_text
from spanagree.formats.csv_rows import csv_rows

_NO_ITEMS = ("#bad", "#dup", "#incomplete", "tutorial")


def appraise_rows(path: PathName, encoding: str) -> Iterator[tuple[str, Any]]:
    """Yield what each login marked in a translation: rows of twelve cells without a header.

    The document is ``system/document/line``, where the line counts in the campaign; its text is
    that of another file of the command. Rows that test the annotator, repeat another or are
    exercises are passed over.

    Raises:
        InputError: for rows of another length, or spans that are not JSON.
    """
    name = printable_path(path)
    records: list[tuple[str, dict[str, Any]]] = []
    passed = 0
    for line, row in csv_rows(path, encoding):
        location = f"{name}:{line}"
        if len(row) < 12:
            raise InputError(
                f"{location}: {pluralize(len(row), 'cell')}; Appraise's scores have twelve"
            )
        login, system, number, kind, *_ = row
        document, *signs = row[7].split("#")
        if kind != "TGT" or any(sign in row[7].lower() for sign in _NO_ITEMS):
            passed += 1
            continue
        system = signs[0] if signs else system
        spans = from_json(row[9], f"{location}: spans", "a list in JSON is needed")
        for span in spans:
            kinds = span.get("error_type")
            span["label"] = "/".join(kinds) if isinstance(kinds, list) else span.get("severity")
        record = {"id": f"{system}/{document}/{number}", "login": login, "spans": spans}
        records.append((location, record))
    if records:  # the first of which says how many rows were passed over
        records[0][1]["passed"] = [1] * passed
    yield from records


def _output(folder: Path, system: str, pair: str) -> list[str] | None:
    """Return the lines of a system's output, if it stands near a folder."""
    for near in (folder, folder.parent):
        if file := named_file(near / "system-outputs" / pair, f"{system}.txt"):
            return read_text(file).split("\n")
    return None


def rating_rows(path: PathName, encoding: str) -> Iterator[tuple[str, Any]]:
    """Yield the segments of each system with one rater's errors; ``None`` is not rated.

    The document is ``system/line``, from 1, and its text that line of the system's output in a
    folder ``system-outputs`` near the file, as mt-metrics-eval has it.

    Raises:
        InputError: for lines without a system and JSON, or more of them than a system has.
    """
    pair = Path(path).name.partition(".")[0]
    last: dict[str, int] = {}
    outputs: dict[str, list[str] | None] = {}
    for location, line in numbered_lines(path, encoding):
        system, _, answer = line.partition("\t")
        if not answer:
            raise InputError(
                f"{location}: {quote_value(line)}; a system, a tab, and None or JSON are needed"
            )
        segment = last[system] = last.get(system, 0) + 1
        record: dict[str, Any] = {"id": f"{system}/{segment}", "rated": answer != "None"}
        if answer != "None":
            record |= from_json(answer, location, "errors in JSON, or None")
        if system not in outputs:
            outputs[system] = _output(Path(path).resolve().parent, system, pair)
        texts = outputs[system]
        if texts is not None:
            if segment > len(texts):
                raise InputError(f"{location}: segment {segment}, which {system}.txt does not have")
            record["text"] = texts[segment - 1]
        yield location, record
