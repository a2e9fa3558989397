"""Places that a file gives: rows of places, or a column of the tokens."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from spanagree.chance.place_rules import PlaceRule, both_ends, ends_at, given_places
from spanagree.corpus.corpus import Corpus
from spanagree.errors import InputError, SettingError, counted, is_whole, listed, printable, show
from spanagree.files import PathName
from spanagree.formats.conll.read import column_values
from spanagree.formats.csv_rows import csv_rows
from spanagree.formats.json_records import json_records

_NEEDED = ("document", "start", "end")


@dataclass(frozen=True)
class FilePlaces:
    """The rule whose sites are rows of a file; ``rows`` are document, start and end."""

    name: str
    rows: Sequence[tuple[str, int, int]]

    def check(self, corpus: Corpus) -> None:
        """Refuse places of which none is in a document of the corpus.

        Raises:
            InputError: then, naming documents of both.
        """
        known = {corpus.id_of(d) for d in range(len(corpus))}
        if not any(document in known for document, _, _ in self.rows):
            here, there = corpus.id_of(0) if len(corpus) else "", self.rows[0][0]
            raise InputError(
                f"{self.name}: no place is in a document of the corpus: it names {show(there)},"
                f" the corpus {show(here)}; name documents by their ids, or by numbers from 1"
            )

    def __call__(self, corpus: Corpus) -> PlaceRule:
        """Return the rule in a corpus; places of other documents are left out."""
        number = {corpus.id_of(d): d for d in range(len(corpus))}
        some = [(number[d], s, e) for d, s, e in self.rows if d in number]
        for d, s, e in some:
            if e > corpus.lengths[d]:
                raise InputError(
                    f"{self.name}: document {show(corpus.id_of(d))}, place {s}–{e}; it has"
                    f" {corpus.lengths[d]} {corpus.offsets}"
                )
        document, start, end = np.array(some, np.int64).reshape(-1, 3).T
        return given_places(corpus.lengths, document, start, end)


def read_places(path: PathName) -> dict[str, FilePlaces]:
    """Return the places in a file, by label; the empty one is for all labels not named.

    The file is CSV (TSV) or JSON lines with document, start, end, and label if wanted.

    Raises:
        InputError: for a file that cannot be read, or a row that is no place.
    """
    name = printable(os.fspath(path))
    rows = json_records(path) if Path(path).suffix.lower() == ".jsonl" else _cells(path)
    places: dict[str, list[tuple[str, int, int]]] = {}
    for where, row in rows:
        for key in _NEEDED:
            if not isinstance(row, Mapping) or key not in row:
                raise InputError(f"{where}: no {key}; document, start and end are needed")
        start, end = (_offset(row[key]) for key in ("start", "end"))
        if start is None or end is None or not start < end:
            raise InputError(
                f"{where}: start {show(row['start'])}, end {show(row['end'])}; whole numbers from"
                " 0, the end behind the start, are needed"
            )
        label = row.get("label")
        places.setdefault("" if label is None else str(label), []).append(
            (str(row["document"]), start, end)
        )
    if not places:
        raise InputError(f"{name}: no place; a rule needs some")
    return {label: FilePlaces(name, tuple(some)) for label, some in places.items()}


def _cells(path: PathName) -> Iterator[tuple[str, Mapping[str, Any]]]:
    rows = csv_rows(path)
    header = next(rows, (1, []))[1]
    name = printable(os.fspath(path))
    for line, cells in rows:
        yield f"{name}:{line}", dict(zip(header, cells, strict=False))


def _offset(value: Any) -> int | None:
    if isinstance(value, str) and value.isascii() and value.isdecimal() and len(value) < 16:
        return int(value)
    return int(value) if is_whole(value) and value >= 0 else None


@dataclass(frozen=True)
class ColumnPlaces:
    """The rule of a column of the tokens: of its values, or whose sites have some of them.

    Attributes:
        column: its name or number.
        values: those that sites have at both end tokens; all are kinds if there are none.
        path: the file that has the column.
        unit, encoding: as it is read.
    """

    column: str
    values: tuple[str, ...]
    path: PathName | None = None
    unit: str = "sentence"
    encoding: str = "utf-8"

    def __call__(self, corpus: Corpus) -> PlaceRule:
        """Return the rule in a corpus, which has to be that of the file.

        Raises:
            SettingError: without a file, or for a column that is not there.
            InputError: for a file with other tokens.
        """
        what = f"places column:{self.column}"
        if self.path is None:
            raise SettingError(
                f"{what}: the file that has the column is not known here; in Python give a list"
                ' with {"name": "ends", "value": […]} for each document'
            )
        if corpus.offsets != "tokens":
            raise SettingError(f"{what}: offsets count characters; a column is one of tokens")
        name = printable(os.fspath(self.path))
        ids, values = column_values(self.path, self.column, self.unit, self.encoding)
        row = [value for some in values for value in some]
        if ids is None:  # as Corpus.with_ids numbers them
            ids = tuple(str(number) for number in range(1, len(values) + 1))
        if corpus.ids is not None and set(corpus.ids) <= set(ids):
            of_id = dict(zip(ids, values, strict=True))
            row = [value for id_ in corpus.ids for value in of_id[id_]]
        if len(row) != int(corpus.lengths.sum()):
            raise InputError(
                f"{what}: {name} has {counted(len(row), 'token')}, the corpus"
                f" {int(corpus.lengths.sum())}; the file that is read first has to have the column"
            )
        if not self.values:
            codes = {value: i for i, value in enumerate(dict.fromkeys(row))}
            return ends_at(corpus.lengths, np.array([codes[value] for value in row], np.int64))
        if unknown := set(self.values) - set(row):
            raise SettingError(
                f"{what}: no token has {listed(sorted(unknown))}; known are"
                f" {listed(sorted(set(row)))}"
            )
        have = np.array([value in self.values for value in row], np.bool_)
        return both_ends(corpus.lengths, have)
