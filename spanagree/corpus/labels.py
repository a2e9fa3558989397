"""Which labels of a source are taken, and what they are called."""

from __future__ import annotations

import csv
import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from spanagree.arrays import Bools, Ints, first_alike, met_before
from spanagree.corpus.raw import RawCorpus, number_of_relations
from spanagree.corpus.segments import codes
from spanagree.errors import InputError, SettingError, counted, is_iterable, listed, printable, show
from spanagree.files import PathName, read_text

LABELS = ("labels", "map_labels")
"""The options of labels, which every reader has: see :func:`with_labels`."""


def with_labels(
    raw: RawCorpus,
    labels: Sequence[str] | None = None,
    map_labels: Mapping[str, str] | PathName | None = None,
) -> RawCorpus:
    """Return the rows with other names of labels, and then of these labels only.

    Segments of other labels, or without one, are dropped before anything is checked. Segments that
    other names make the same as another of their annotation are dropped too. One note counts both.

    Args:
        raw: what a source says.
        labels: the names of those that stay; all unless given.
        map_labels: old names to new ones: a mapping, ``OLD=NEW,…``, or a file of two columns.

    Raises:
        SettingError: for labels that are not a list of names, or what is not such a mapping.
        InputError: for a file that cannot be read, or has other than two columns.
    """
    if labels is None and map_labels is None:
        return raw
    new = {} if map_labels is None else label_map(map_labels)
    wanted = None if labels is None else _names(labels)
    number, names = codes([new.get(name, name) for name in raw.labels])
    label = np.append(number, -1)[raw.label]
    taken = np.array([wanted is None or name in wanted for name in names], np.bool_)
    keep = np.append(taken, wanted is None)[label]
    at: tuple[Ints, ...] = raw.annotation, raw.start, raw.end
    if raw.details is not None:
        at = (*at, raw.details.shape)
    again = met_before(*at, label) & ~met_before(*at, raw.label) & keep
    notes = _notes(raw, new, wanted, keep, again)
    kept = keep & ~again
    place = np.append(np.cumsum(taken) - 1, -1)
    rows = raw.segments_kept(kept)
    rows["label"] = place[label[kept]]
    if raw.details is not None:
        rows["details"] = raw.details.taken(np.flatnonzero(kept), first_alike(*at, label))
        left = raw.but(details=rows["details"])
        if lost := number_of_relations(raw) - number_of_relations(left):
            notes.append(f"labels: {counted(lost, 'relation')} of segments that were dropped")
    reading = dict(raw.reading)
    if new:
        before = reading.get("map_labels", {})
        reading["map_labels"] = {old: new.get(name, name) for old, name in before.items()} | new
    if wanted is not None:
        reading["labels"] = list(wanted)
    return raw.but(
        **rows,
        labels=tuple(name for name, stays in zip(names, taken, strict=True) if stays),
        reading=reading,
        notes=(*raw.notes, *notes),
    )


def stays(
    labels: Sequence[str] | None = None, map_labels: Mapping[str, str] | PathName | None = None
) -> Callable[[str | None], bool]:
    """Return what says whether segments of a label are taken; as :func:`with_labels`.

    A reader asks it before it refuses an annotation that it cannot take over.

    >>> [stays(["PER"], {"person": "PER"})(label) for label in ("person", "LOC", None)]
    [True, False, False]
    """
    if labels is None:
        return lambda label: True
    wanted, new = _names(labels), {} if map_labels is None else label_map(map_labels)
    return lambda label: label is not None and new.get(label, label) in wanted


def _notes(
    raw: RawCorpus, new: Mapping[str, str], wanted: Sequence[str] | None, keep: Bools, again: Bools
) -> list[str]:
    """Return one note of what was dropped, renamed and merged, and of names that nothing has."""
    names = [*raw.labels, "no label"]
    parts = []
    if not keep.all():
        parts.append(f"{_counts(names, raw.label[~keep])} dropped")
    renamed = {i for i, name in enumerate(raw.labels) if new.get(name, name) != name}
    moved = keep & np.isin(raw.label, list(renamed))
    if moved.any():
        to = [f"{name} as {new.get(name)}" for name in names]
        parts.append(f"{_counts(to, raw.label[moved])} read")
    if again.any():
        parts.append(f"{counted(int(again.sum()), 'segment')} then the same as another, merged")
    there = {new.get(name, name) for name in raw.labels}
    absent = [name for name in (*(wanted or ()),) if name not in there]
    absent += [name for name in new if name not in raw.labels]
    if absent:
        parts.append(f"no segment has {listed(absent)} (there are {listed(raw.labels) or 'none'})")
    return [f"labels: {'; '.join(parts)}"] if parts else []


def _counts(names: Sequence[str], label: Ints) -> str:
    """Return how many segments there are, and how many of each label."""
    each = Counter(label.tolist()).most_common()
    return f"{counted(len(label), 'segment')} ({listed(f'{names[i]} {n}' for i, n in each)})"


def _names(labels: Any) -> list[str]:
    """Return names of labels, each once."""
    names = [] if isinstance(labels, str) or not is_iterable(labels) else list(labels)
    if not names or not all(isinstance(name, str) and name.strip() for name in names):
        raise SettingError(f'labels {show(labels)}; a list of names is needed, such as ["PER"]')
    return list(dict.fromkeys(names))


def _fields(line: str, sign: str) -> list[str]:
    """Return the fields of a line, which is one if it is not valid CSV."""
    try:
        return next(csv.reader([line], delimiter=sign))
    except csv.Error:
        return [line]


def label_map(given: Mapping[str, str] | PathName) -> dict[str, str]:
    """Return new names of labels by their old ones.

    Raises:
        SettingError, InputError: as :func:`with_labels`.

    >>> label_map("person=PER,place=LOC")
    {'person': 'PER', 'place': 'LOC'}
    """
    pairs: list[tuple[str, Sequence[Any]]]
    if isinstance(given, Mapping):
        pairs = [("map_labels", pair) for pair in given.items()]
    elif isinstance(given, str) and "=" in given and not os.path.exists(given):
        pairs = [("map_labels", part.rpartition("=")[::2]) for part in given.split(",")]
    else:
        name = printable(os.fspath(given)) if isinstance(given, (str, os.PathLike)) else ""
        lines = enumerate(read_text(given).split("\n"), 1)
        sign = {True: "\t", False: ","}
        pairs = [
            (f"{name}:{n}", _fields(line.rstrip("\r"), sign["\t" in line]))
            for n, line in lines
            if line.strip()
        ]
    new: dict[str, str] = {}
    for where, pair in pairs:
        names = [name.strip() if isinstance(name, str) else "" for name in pair]
        if len(names) != 2 or not all(names):
            raise InputError(
                f"{where}: {show(list(pair))}; an old and a new label are needed: OLD=NEW,…, a"
                " mapping, or a file with two columns"
            )
        if new.setdefault(names[0], names[1]) != names[1]:
            raise InputError(
                f"{where}: label {show(names[0])} becomes {show(new[names[0]])} and"
                f" {show(names[1])}; each becomes one"
            )
    return new
