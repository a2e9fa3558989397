"""Texts from another file of the command, joined by the ids of documents."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from spanagree.corpus.quoted_texts import Place
from spanagree.corpus.raw import convert_integer_to_text
from spanagree.errors import (
    InputError,
    SpanAgreeError,
    escape_path,
    join_names,
    pluralize,
    quote_value,
)
from spanagree.files import PathName, read_text
from spanagree.formats.csv_rows import read_csv_rows
from spanagree.formats.file_head import read_head
from spanagree.formats.json_records import yield_json_records
from spanagree.formats.usual_names import COLUMNS, ID_NAMES, simplify_name

OF_STRINGS = "evaluate and agree compare strings that are in no text, by --strings (strings=True)"
"""Advice for rows without a text; some commands do not allow such strings."""


class TextLookup:
    """Texts of other files by id, read at the first look-up."""

    def __init__(self, read: Callable[[], Mapping[str, Place]]) -> None:
        self._read = read
        self._texts: Mapping[str, Place] | None = None
        self.joined: set[str] = set()
        self.unmatched: set[str] = set()

    def _read_all(self) -> Mapping[str, Place]:
        """Read the texts at the first call, and return them."""
        if self._texts is None:
            self._texts = self._read()
        return self._texts

    @property
    def are_tokens(self) -> bool:
        """True if the other files contain tokens instead of texts."""
        texts = self._read_all()
        return bool(texts) and not any(isinstance(text, str) for text in texts.values())

    def find_text(self, id_: object, location: str) -> Place | None:
        """Find the text of a document or its tokens; ``None`` if it is in no other file.

        Raises:
            InputError: if no other file has a text by id.
        """
        texts = self._read_all()
        if not texts:
            raise InputError(
                f"{location}: no text, and no other file has texts by id; name the file that has"
                " them beside this one, or a folder of texts such as"
                f" {quote_value(f'{convert_integer_to_text(id_)}.txt')}, or the column of the text"
                f" with --text; {OF_STRINGS}"
            )
        key = str(convert_integer_to_text(id_))
        (self.joined if key in texts else self.unmatched).add(key)
        return texts.get(key)

    def yield_notes(self, prefix: str) -> Iterator[str]:
        """Yield the numbers of joined and unmatched documents.

        Raises:
            InputError: if other files have texts, but no document was joined.
        """
        if self.joined:
            yield f"{prefix}{pluralize(len(self.joined), 'document')} with the text of another file"
            if self.unmatched:
                unmatched_note = (
                    f"{pluralize(len(self.unmatched), 'document')} left out, which no other file"
                    " has"
                )
                yield f"{prefix}{unmatched_note}: {join_names(sorted(self.unmatched))}"
        elif self._texts:
            raise InputError(
                f"{prefix}no document has an id that another file has; theirs are"
                f" {join_names(list(self._texts)[:3])}, …; --document names the column of the ids,"
                " for one file as in --document FILE:COLUMN"
            )

    def yield_rows(
        self, located_rows: Iterator[tuple[str, Any]], document: str | None
    ) -> Iterator[Any]:
        """Yield rows with the text of another file; skip rows without a text in other files.

        Raises:
            InputError: if a row has no id, or no other file has any of the documents.
        """
        location = ""
        for location, row in located_rows:
            id_ = row.get(document or find_first_column(row, ID_NAMES) or "")
            if id_ is None:
                raise InputError(
                    f"{location}: neither text nor tokens, and no id by which another file has a"
                    f" text; there are {join_names(row)}: --document names the column of the ids"
                )
            text = self.find_text(id_, location)
            if isinstance(text, str):
                yield location, {**row, "text": text}
            elif text is not None:
                yield location, {**row, "tokens": list(text)}
        if location and not self.joined:
            next(self.yield_notes(f"{location.rpartition(':')[0]}: "), None)


def find_first_column(row: Mapping[str, Any], names: Sequence[str]) -> str | None:
    """Find the first column of a row with one of several names."""
    column_by_plain_name = {simplify_name(name): name for name in reversed(list(row))}
    return next(
        (column_by_plain_name[name] for name in names if name in column_by_plain_name), None
    )


def has_texts(path: PathName) -> bool:
    """Check whether a file or folder has texts by id, without annotations."""
    with suppress(SpanAgreeError):
        return bool(read_texts(path))
    return False


def read_texts(
    path: PathName, document: str | None = None, text: str | None = None
) -> dict[str, str]:
    """Read texts by id from a table or JSON, or from a folder with file names as ids.

    ``document`` and ``text`` are the columns of ids and texts. Default: columns with usual names.

    Raises:
        InputError: if the file cannot be read, or has two texts of the same id.
    """
    head = read_head(path)
    texts: dict[str, str] = {}
    if head.shape == "folder":
        for name in (name for name in head.members if name.endswith(".txt")):
            location = os.path.join(os.fspath(path), name)
            texts[Path(name).stem] = read_text(location)
        return texts
    for location, row in _yield_rows(path, head.shape):
        if isinstance(row, dict):
            key = document or find_first_column(row, ID_NAMES)
            column = text or find_first_column(
                row, [column_name for column_name in COLUMNS["text"] if column_name not in ID_NAMES]
            )
            if key in row and isinstance(row.get(column), str) and column != key:
                id_ = str(convert_integer_to_text(row[key]))
                if texts.setdefault(id_, row[column]) != row[column]:
                    raise InputError(
                        f"{location}: a second text of {quote_value(id_)}, which differs; ids are"
                        " used once"
                    )
    return texts


def _yield_rows(path: PathName, shape: str) -> Iterator[tuple[str, Any]]:
    """Yield the rows of a JSON file or a table, each with its location."""
    if shape in ("json", "jsonl"):
        yield from yield_json_records(path)
    elif shape in ("csv", "tsv") or os.fspath(path).endswith((".csv", ".tsv")):
        rows = read_csv_rows(path)
        _, header = next(rows, (0, []))
        for line, row in rows:
            yield f"{escape_path(path)}:{line}", dict(zip(header, row, strict=True))
