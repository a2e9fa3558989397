"""Texts that stand in another file of the same command, joined by the documents' ids."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from spanagree.corpus.collector import text_of_whole
from spanagree.corpus.offsets import Place
from spanagree.errors import (
    InputError,
    SpanAgreeError,
    join_names,
    pluralize,
    printable_path,
    quote_value,
)
from spanagree.files import PathName, read_text
from spanagree.formats.csv_rows import csv_rows
from spanagree.formats.file_head import read_head
from spanagree.formats.json_records import json_records
from spanagree.formats.usual_names import COLUMNS, ID_NAMES, plain

OF_STRINGS = "evaluate and agree compare strings that are in no text, by --strings (strings=True)"
"""The advice where rows have no text; not every command takes such strings."""


class TextLookup:
    """The texts of other files by id, which are read when the first one is asked for."""

    def __init__(self, read: Callable[[], Mapping[str, Place]]) -> None:
        self._read = read
        self._texts: Mapping[str, Place] | None = None
        self.joined: set[str] = set()
        self.left: set[str] = set()

    def _all(self) -> Mapping[str, Place]:
        """Return the texts, which are read if nobody asked for them before."""
        if self._texts is None:
            self._texts = self._read()
        return self._texts

    @property
    def are_tokens(self) -> bool:
        """Whether the other files have tokens, and no texts."""
        texts = self._all()
        return bool(texts) and not any(isinstance(text, str) for text in texts.values())

    def of(self, id_: object, location: str) -> Place | None:
        """Return the text of a document or its tokens, ``None`` if no other file has the document.

        Raises:
            InputError: if no other file has a text by id.
        """
        texts = self._all()
        if not texts:
            raise InputError(
                f"{location}: no text, and no other file has texts by id; name the file that has"
                " them beside this one, or a folder of texts such as"
                f" {quote_value(f'{text_of_whole(id_)}.txt')}, or the column of the text with"
                f" --text; {OF_STRINGS}"
            )
        key = str(text_of_whole(id_))
        (self.joined if key in texts else self.left).add(key)
        return texts.get(key)

    def notes(self, before: str) -> Iterator[str]:
        """Yield how many texts were joined.

        Raises:
            InputError: if there are some, and none was.
        """
        if self.joined:
            yield f"{before}{pluralize(len(self.joined), 'document')} with the text of another file"
            if self.left:
                left = f"{pluralize(len(self.left), 'document')} left out, which no other file has"
                yield f"{before}{left}: {join_names(sorted(self.left))}"
        elif self._texts:
            raise InputError(
                f"{before}no document has an id that another file has; theirs are"
                f" {join_names(list(self._texts)[:3])}, …; --document names the column of the ids,"
                " for one file as in --document FILE:COLUMN"
            )

    def rows(self, placed: Iterator[tuple[str, Any]], document: str | None) -> Iterator[Any]:
        """Yield rows with the text of another file; those that no other file has are left out.

        Raises:
            InputError: for rows without ids, or if no other file has any of the documents.
        """
        location = ""
        for location, row in placed:
            id_ = row.get(document or column_of(row, ID_NAMES) or "")
            if id_ is None:
                raise InputError(
                    f"{location}: neither text nor tokens, and no id by which another file has a"
                    f" text; there are {join_names(row)}: --document names the column of the ids"
                )
            text = self.of(id_, location)
            if isinstance(text, str):
                yield location, {**row, "text": text}
            elif text is not None:
                yield location, {**row, "tokens": list(text)}
        if location and not self.joined:
            next(self.notes(f"{location.rpartition(':')[0]}: "), None)


def column_of(row: Mapping[str, Any], names: Sequence[str]) -> str | None:
    """Return the first column of a row that has one of some names."""
    plainly = {plain(name): name for name in reversed(list(row))}
    return next((plainly[name] for name in names if name in plainly), None)


def has_texts(path: PathName) -> bool:
    """Return whether a file or folder has texts by id, and nothing that is marked in them."""
    with suppress(SpanAgreeError):
        return bool(texts_in(path))
    return False


def texts_in(
    path: PathName, document: str | None = None, text: str | None = None
) -> dict[str, str]:
    """Return the texts by id that a table or JSON has, or a folder of texts by the files' names.

    Raises:
        InputError: for what cannot be read; for two texts of one id.
    """
    start = read_head(path)
    texts: dict[str, str] = {}
    if start.shape == "folder":
        for name in (name for name in start.members if name.endswith(".txt")):
            location = os.path.join(os.fspath(path), name)
            texts[Path(name).stem] = read_text(location)
        return texts
    for location, row in _rows(path, start.shape):
        if isinstance(row, dict):
            key = document or column_of(row, ID_NAMES)
            column = text or column_of(row, [n for n in COLUMNS["text"] if n not in ID_NAMES])
            if key in row and isinstance(row.get(column), str) and column != key:
                id_ = str(text_of_whole(row[key]))
                if texts.setdefault(id_, row[column]) != row[column]:
                    raise InputError(
                        f"{location}: a second text of {quote_value(id_)}, which differs; ids are"
                        " used once"
                    )
    return texts


def _rows(path: PathName, shape: str) -> Iterator[tuple[str, Any]]:
    if shape in ("json", "jsonl"):
        yield from json_records(path)
    elif shape in ("csv", "tsv") or os.fspath(path).endswith((".csv", ".tsv")):
        rows = csv_rows(path)
        _, header = next(rows, (0, []))
        for line, row in rows:
            yield f"{printable_path(path)}:{line}", dict(zip(header, row, strict=True))
