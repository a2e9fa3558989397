"""Readers of errors in translations with texts in other files: Appraise's scores, MQM's ratings."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from spanagree.errors import InputError, escape_path, pluralize, quote_value
from spanagree.files import PathName, find_file, parse_json, read_text, yield_numbered_lines
from spanagree.formats.csv_rows import read_csv_rows

_NO_ITEMS = ("#bad", "#dup", "#incomplete", "tutorial")


def yield_appraise_rows(path: PathName, encoding: str) -> Iterator[tuple[str, Any]]:
    """Yield the spans of each login in a translation: rows of twelve cells without a header.

    The document is ``system/document/line``, with the line in the campaign; its text is in another
    file of the command. Rows that test the annotator, repeat another row or are exercises are
    skipped.

    Raises:
        InputError: if a row has another length, or spans are not JSON.
    """
    name = escape_path(path)
    records: list[tuple[str, dict[str, Any]]] = []
    n_skipped = 0
    for line, row in read_csv_rows(path, encoding):
        location = f"{name}:{line}"
        if len(row) < 12:
            raise InputError(
                f"{location}: {pluralize(len(row), 'cell')}; Appraise's scores have twelve"
            )
        login, system, segment, item_type, *_ = row
        document, *signs = row[7].split("#")
        if item_type != "TGT" or any(sign in row[7].lower() for sign in _NO_ITEMS):
            n_skipped += 1
            continue
        system = signs[0] if signs else system
        spans = parse_json(row[9], f"{location}: spans", "a list in JSON is needed")
        for span in spans:
            error_types = span.get("error_type")
            span["label"] = (
                "/".join(error_types) if isinstance(error_types, list) else span.get("severity")
            )
        record = {"id": f"{system}/{document}/{segment}", "login": login, "spans": spans}
        records.append((location, record))
    if records:  # the first record has the number of skipped rows
        records[0][1]["passed"] = [1] * n_skipped
    yield from records


def _read_output(folder: Path, system: str, pair: str) -> list[str] | None:
    """Read the lines of a system's output, if it is near a folder; else `None`."""
    for parent in (folder, folder.parent):
        if file := find_file(parent / "system-outputs" / pair, f"{system}.txt"):
            return read_text(file).split("\n")
    return None


def yield_rating_rows(path: PathName, encoding: str) -> Iterator[tuple[str, Any]]:
    """Yield the segments of each system with one rater's errors; ``None`` means not rated.

    The document is ``system/line``, from 1. Its text is that line of the system's output in a
    folder ``system-outputs`` near the file, as in mt-metrics-eval.

    Raises:
        InputError: if a line has no system and JSON, or a system has too many lines.
    """
    pair = Path(path).name.partition(".")[0]
    last_segment: dict[str, int] = {}
    outputs: dict[str, list[str] | None] = {}
    for location, line in yield_numbered_lines(path, encoding):
        system, _, answer = line.partition("\t")
        if not answer:
            raise InputError(
                f"{location}: {quote_value(line)}; a system, a tab, and None or JSON are needed"
            )
        segment = last_segment[system] = last_segment.get(system, 0) + 1
        record: dict[str, Any] = {"id": f"{system}/{segment}", "rated": answer != "None"}
        if answer != "None":
            record |= parse_json(answer, location, "errors in JSON, or None")
        if system not in outputs:
            outputs[system] = _read_output(Path(path).resolve().parent, system, pair)
        texts = outputs[system]
        if texts is not None:
            if segment > len(texts):
                raise InputError(f"{location}: segment {segment}, which {system}.txt does not have")
            record["text"] = texts[segment - 1]
        yield location, record
