"""Readers of edits of texts as spans: M2, and UA-GEC's marks in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from spanagree.errors import InputError, parse_whole_number, quote_value
from spanagree.files import PathName, read_text, yield_numbered_lines
from spanagree.formats.inline_tags import MarkupToken, split_markup
from spanagree.tools.beside_texts import list_files_by_ending

_EDIT = re.compile(r"A (-?\d+) (-?\d+)\|\|\|([^|]*)\|\|\|.*\|\|\|(\d+)\s*", re.DOTALL)
_MARK = re.compile(r"(\{[^{}]*?=>[^{}]*?:::error_type=[^{}]*\})")


def yield_m2_rows(path: PathName, encoding: str) -> Iterator[tuple[str, Any]]:
    """Yield the sentences of M2 with the edits of each annotator, who is a number.

    ``noop`` means that a sentence was seen and nothing edited; it is unknown whether annotators
    without a line saw it.

    Raises:
        InputError: if a line is neither a sentence nor an edit of a sentence.
    """
    sentences: list[tuple[str, list[str], dict[str, Any]]] = []
    for location, line in yield_numbered_lines(path, encoding):
        edit = _EDIT.fullmatch(line)
        if line.startswith("S ") or line == "S":
            sentences.append((location, line[2:].split(), {}))
        elif edit and sentences:
            start, end, label, annotator = edit.groups()
            edits = sentences[-1][2].setdefault(annotator, [])
            if label.lower() != "noop":
                ends = (
                    parse_whole_number(offset, f"{location}: offset") for offset in (start, end)
                )
                edits.append([*ends, label])
        else:
            raise InputError(
                f"{location}: {quote_value(line)}; M2 has lines S, and lines A below each"
            )
    annotators = sorted(
        {annotator for *_, edits_by_annotator in sentences for annotator in edits_by_annotator}
    )
    for location, tokens, edits_by_annotator in sentences:
        yield (
            location,
            {"tokens": tokens, "by": {name: edits_by_annotator.get(name) for name in annotators}},
        )


def yield_marked_rows(path: PathName, encoding: str) -> Iterator[tuple[str, Any]]:
    """Yield the text of a file, or of each file in a folder, before the edits marked in it.

    ``0109.a2.ann`` is document 0109 by annotator a2; other files have unnamed annotators.

    Raises:
        InputError: if marks are nested.
    """
    for file, name in list_files_by_ending(path, ".ann"):
        markup = read_text(file, encoding)
        text, spans, _ = split_markup(markup, _MARK, _convert_mark_to_token)
        if ":::error_type=" in text:
            raise InputError(f"{name}: marks {{wrong=>right:::error_type=X}} inside each other")
        name_match = re.fullmatch(r"(.+)\.(a\d+)\.ann", file.name)
        id_, annotator = name_match.groups() if name_match else (file.stem, "")
        yield name, {"id": id_, "annotator": annotator, "text": text, "spans": [*map(list, spans)]}


def _convert_mark_to_token(mark: str, _: int) -> MarkupToken:
    """Convert the mark of an edit to a span with the original text and its error type."""
    original, remainder = mark[1:-1].split("=>", 1)
    return MarkupToken(
        "span", label=remainder.partition(":::error_type=")[2].strip(), text=original
    )
