"""Edits of texts as spans: M2, and UA-GEC's marks in the text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from spanagree.errors import InputError, quote_value, whole_number
from spanagree.files import PathName, numbered_lines, read_text
from spanagree.formats.inline_tags import MarkupToken, split_markup
from spanagree.tools.beside_texts import files_ending

_EDIT = re.compile(r"A (-?\d+) (-?\d+)\|\|\|([^|]*)\|\|\|.*\|\|\|(\d+)\s*", re.DOTALL)
_MARK = re.compile(r"(\{[^{}]*?=>[^{}]*?:::error_type=[^{}]*\})")


def m2_rows(path: PathName, encoding: str) -> Iterator[tuple[str, Any]]:
    """Yield the sentences of M2 with the edits of each annotator, known by a number.

    ``noop`` says that a sentence was seen and nothing edited; of an annotator without a line it is
    not said.

    Raises:
        InputError: for a line that is neither a sentence nor an edit of one.
    """
    sentences: list[tuple[str, list[str], dict[str, Any]]] = []
    for location, line in numbered_lines(path, encoding):
        edit = _EDIT.fullmatch(line)
        if line.startswith("S ") or line == "S":
            sentences.append((location, line[2:].split(), {}))
        elif edit and sentences:
            start, end, label, annotator = edit.groups()
            edits = sentences[-1][2].setdefault(annotator, [])
            if label.lower() != "noop":
                ends = (whole_number(offset, f"{location}: offset") for offset in (start, end))
                edits.append([*ends, label])
        else:
            raise InputError(
                f"{location}: {quote_value(line)}; M2 has lines S, and lines A below each"
            )
    people = sorted({annotator for *_, by in sentences for annotator in by})
    for location, tokens, by in sentences:
        yield location, {"tokens": tokens, "by": {name: by.get(name) for name in people}}


def marked_rows(path: PathName, encoding: str) -> Iterator[tuple[str, Any]]:
    """Yield the text of a file, or of each in a folder, as before the edits marked in it.

    ``0109.a2.ann`` is document 0109 by annotator a2; other files are of nobody named.

    Raises:
        InputError: for marks inside each other.
    """
    for file, name in files_ending(path, ".ann"):
        marked = read_text(file, encoding)
        text, spans, _ = split_markup(marked, _MARK, _meaning)
        if ":::error_type=" in text:
            raise InputError(f"{name}: marks {{wrong=>right:::error_type=X}} inside each other")
        called = re.fullmatch(r"(.+)\.(a\d+)\.ann", file.name)
        id_, annotator = called.groups() if called else (file.stem, "")
        yield name, {"id": id_, "annotator": annotator, "text": text, "spans": [*map(list, spans)]}


def _meaning(mark: str, _: int) -> MarkupToken:
    wrong, rest = mark[1:-1].split("=>", 1)
    return MarkupToken("span", label=rest.partition(":::error_type=")[2].strip(), text=wrong)
