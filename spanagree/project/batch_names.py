"""Which batch each document is in: by order, by a pattern in its id, by a table, or as given."""

from __future__ import annotations

import csv
import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from spanagree.corpus.corpus import Corpus
from spanagree.errors import InputError, SettingError, check_whole, counted, printable, show
from spanagree.files import read_text

Parts = dict[str, tuple[Corpus, list[str]]]
"""The corpus of each batch by its name, and what tells its documents from others."""

_DOCUMENT, _BATCH = ("document", "id"), "batch"
_NEEDED = "a number, a pattern, FILE or FILE:COLUMN, or a name for each document is needed"


def parts_of(
    corpus: Corpus | Mapping[str, Corpus], by: int | str | Sequence[str | None] | None
) -> tuple[Parts, str, list[str]]:
    """Return the batches in their order, how they were made in a word, and notes.

    Raises:
        SettingError, InputError: as for :func:`spanagree.batches`.
    """
    if not isinstance(corpus, Corpus):
        if by is not None or not isinstance(corpus, Mapping) or len(corpus) < 2:
            raise SettingError("batches: a corpus for each needs two of them by name, and no spec")
        return {str(name): (one, _ids(one)) for name, one in corpus.items()}, "files", []
    ids = _ids(corpus)
    names, keys, says = _named(ids, by)
    order = _in_order(names, by)
    if not order:
        raise SettingError(f"batches {show(by)}: no document is in any of them; {_NEEDED}")
    parts: Parts = {}
    for name in order:
        here = [d for d, own in enumerate(names) if own == name]
        parts[name] = corpus.subset(np.array(here)), [keys[d] for d in here]
    left = names.count(None)
    notes = [f"{counted(left, 'document')} in no batch, left out"] if left else []
    return parts, says, notes


def _ids(corpus: Corpus) -> list[str]:
    return [corpus.id_of(d) for d in range(len(corpus))]


def _named(
    ids: list[str], by: int | str | Sequence[str | None] | None
) -> tuple[list[str | None], list[str], str]:
    """Return the batch of each document, what tells documents apart, and how in a word."""
    if isinstance(by, str) and not by.isdecimal():
        path, _, column = by.rpartition(":")
        if os.path.exists(by):
            return _by_table(ids, by, None), ids, f"table {Path(by).name}"
        if path and os.path.exists(path):
            return _by_table(ids, path, column), ids, f"table {Path(path).name}:{column}"
        return *_by_pattern(ids, by), f"pattern {by}"
    if isinstance(by, (int, np.integer, str)) and not isinstance(by, bool):
        number = int(by)
        check_whole(number, 2, "batches")
        if number > len(ids):
            raise SettingError(
                f"batches {number}: there are {counted(len(ids), 'document')}; each batch needs one"
            )
        split = np.array_split(np.arange(len(ids)), number)
        return [str(b) for b, part in enumerate(split, 1) for _ in part], ids, f"order {number}"
    if not isinstance(by, Sequence) or len(by) != len(ids):
        raise SettingError(f"batches {show(by)}; {_NEEDED}")
    return [None if name is None else str(name) for name in by], ids, "names"


def _by_pattern(ids: list[str], pattern: str) -> tuple[list[str | None], list[str]]:
    """Return what a pattern finds in each id, and the ids without that."""
    try:
        find = re.compile(pattern)
    except re.error as error:
        raise SettingError(
            f"batches {show(pattern)}: neither a file that is there nor a pattern ({error})"
        ) from None
    names: list[str | None] = []
    keys = []
    for own in ids:
        hit = find.search(own)
        group = 1 if find.groups else 0
        if hit is None or hit[group] is None:
            names.append(None)
            keys.append(own)
            continue
        low, high = hit.span(group)
        names.append(hit[group])
        keys.append(f"{own[:low]}\0{own[high:]}")
    return names, keys


def _by_table(ids: list[str], path: str, column: str | None) -> list[str | None]:
    """Return the batch of each document that a table names: CSV, TSV or JSON lines."""
    name, text = printable(path), read_text(path)
    if path.endswith((".jsonl", ".ndjson")):
        try:
            rows = [json.loads(line) for line in text.splitlines() if line.strip()]
        except ValueError:
            raise InputError(f"{name}: not valid JSON lines; a table is needed") from None
    else:
        rows = list(csv.DictReader(text.splitlines(), delimiter="\t" if "\t" in text else ","))
    if not rows or not all(isinstance(row, dict) for row in rows):
        raise InputError(f"{name}: no rows; a table of documents and batches is needed")
    here = next((key for key in _DOCUMENT if key in rows[0]), None)
    wanted = column or _BATCH
    missing = " or ".join(_DOCUMENT) if here is None else "" if wanted in rows[0] else wanted
    if missing:
        known = ", ".join(map(printable, map(str, rows[0])))
        raise InputError(f"{name}: no column {printable(missing)}; there are {known}")
    batch_of: dict[str, str | None] = {}
    for row in rows:
        value = row.get(wanted)
        batch_of[str(row.get(here))] = None if value in (None, "") else str(value)
    return [batch_of.get(own) for own in ids]


def _in_order(names: Sequence[str | None], by: object) -> list[str]:
    """Return the names of batches, numbers in them by size; those that were given as they come."""
    known = list(dict.fromkeys(name for name in names if name is not None))
    if isinstance(by, (int, np.integer, str)):
        return sorted(known, key=_natural)
    return known


def _natural(name: str) -> list[tuple[int, int, str]]:
    """Return what sorts "week 9" before "week 10"."""
    parts = re.split(r"([0-9]+)", name)
    is_number = [part.isascii() and part.isdigit() for part in parts]
    return [
        (0, int(part[:99]), "") if number else (1, 0, part)
        for part, number in zip(parts, is_number, strict=True)
    ]
