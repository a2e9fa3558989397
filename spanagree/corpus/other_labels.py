"""Other labels: renamed, or segments of some labels only."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import compress
from typing import Any

import numpy as np

from spanagree.arrays import Bools, Ints, first_equal_row, is_repeated_row
from spanagree.corpus.best_labels import BEST, with_best_labels
from spanagree.corpus.raw import RawCorpus
from spanagree.corpus.segments import codes
from spanagree.errors import (
    InputError,
    SettingError,
    is_iterable,
    join_names,
    pluralize,
    printable_path,
    quote_value,
)
from spanagree.files import PathName, read_lines
from spanagree.tables import cells_of, separator_of

LABELS = ("labels", "map_labels")
"""The options of :func:`with_labels`, which every reader has."""


def with_labels(
    raw: RawCorpus,
    labels: Sequence[str] | None = None,
    map_labels: Mapping[str, str] | PathName | None = None,
) -> RawCorpus:
    """Return the rows with labels renamed, and then those of some labels only.

    Segments of other labels, or without one, are dropped before anything is checked. Segments that
    other names make the same as another of their annotation are dropped too. One note counts both.

    Args:
        raw: what a source says.
        labels: the names of those that stay; all unless given.
        map_labels: old names to new ones: a mapping, ``OLD=NEW,…``, or a file of two columns; or
            ``best``, for names that are each annotator's own
            (:func:`spanagree.corpus.best_labels.with_best_labels`).

    Raises:
        SettingError: for labels that are not a list of names, or what is not such a mapping.
        InputError: for a file that cannot be read, or has other than two columns.
    """
    if labels is None and map_labels is None:
        return raw
    if map_labels == BEST and not os.path.exists(BEST):
        return with_labels(with_best_labels(raw), labels)
    new = {} if map_labels is None else label_map(map_labels)
    wanted = None if labels is None else _names(labels)
    number, names = codes([new.get(name, name) for name in raw.labels])
    label = np.append(number, -1)[raw.label]
    is_taken = np.array([wanted is None or name in wanted for name in names], np.bool_)
    chosen = np.append(is_taken, wanted is None)[label]  # no label is −1, the last
    place: tuple[Ints, ...] = raw.annotation, raw.start, raw.end
    if raw.details is not None:
        place = (*place, raw.details.shape)
    merged = chosen & is_repeated_row(*place, label) & ~is_repeated_row(*place, raw.label)
    notes = _notes_on_labels(raw, new, wanted, chosen, merged)
    kept = chosen & ~merged
    rows = raw.segments_kept(kept)
    rows["label"] = np.append(np.cumsum(is_taken) - 1, -1)[label[kept]]
    if raw.details is not None:
        rows["details"] = raw.details.taken(np.flatnonzero(kept), first_equal_row(*place, label))
        if lost := len(raw.links) - len(raw.replace(details=rows["details"]).links):
            notes.append(f"labels: {pluralize(lost, 'relation')} of segments that were dropped")
    reading = dict(raw.reading)
    if new:
        before = reading.get("map_labels", {})
        reading["map_labels"] = {old: new.get(name, name) for old, name in before.items()} | new
    if wanted is not None:
        reading["labels"] = list(wanted)
    return raw.replace(
        **rows,
        labels=tuple(compress(names, is_taken)),
        unplaced=raw.unplaced and raw.unplaced.renamed(new, wanted),
        reading=reading,
        notes=(*raw.notes, *notes),
    )


def _notes_on_labels(
    raw: RawCorpus,
    new: Mapping[str, str],
    wanted: Sequence[str] | None,
    chosen: Bools,
    merged: Bools,
) -> list[str]:
    """Return one note of what was dropped, renamed and merged, and of names that nothing has.

    Quotes that are not in the text count as segments.

    Args:
        raw: the rows before.
        new: new names by old ones.
        wanted: the labels that stay, ``None`` for all.
        chosen: of each segment, whether it has one of these.
        merged: of each segment, whether a new name makes it the same as another.
    """
    of_quotes = () if raw.unplaced is None else raw.unplaced.label
    labels = [*dict.fromkeys([*raw.labels, *filter(None, of_quotes)])]
    names = [*labels, "no label"]
    code_of = {name: i for i, name in enumerate(labels)}
    label = np.append(raw.label, [code_of.get(name, -1) for name in of_quotes]).astype(np.int64)
    is_wanted = [wanted is None or new.get(name, name) in wanted for name in of_quotes]
    taken = np.append(chosen, is_wanted).astype(np.bool_)
    parts = []
    if not taken.all():
        parts.append(f"{_count_by_label(names, label[~taken])} dropped")
    numbers = [i for i, name in enumerate(labels) if new.get(name, name) != name]
    renamed = taken & np.isin(label, numbers)
    if renamed.any():
        both_names = [f"{name} as {new.get(name)}" for name in names]
        parts.append(f"{_count_by_label(both_names, label[renamed])} read")
    if merged.any():
        parts.append(f"{pluralize(int(merged.sum()), 'segment')} then the same as another, merged")
    there = {new.get(name, name) for name in labels}
    absent = [name for name in wanted or () if name not in there]
    absent += [name for name in new if name not in labels]
    if absent:
        parts.append(
            f"no segment has {join_names(absent)} (there are {join_names(labels) or 'none'})"
        )
    return [f"labels: {'; '.join(parts)}"] if parts else []


def _count_by_label(names: Sequence[str], label: Ints) -> str:
    """Return how many segments there are, and how many of each label."""
    counts = Counter(label.tolist()).most_common()
    return (
        f"{pluralize(len(label), 'segment')} ({join_names(f'{names[i]} {n}' for i, n in counts)})"
    )


def _names(labels: Any) -> list[str]:
    """Return names of labels, each once."""
    names = [] if isinstance(labels, str) or not is_iterable(labels) else list(labels)
    if not names or not all(isinstance(name, str) and name.strip() for name in names):
        raise SettingError(
            f'labels {quote_value(labels)}; a list of names is needed, such as ["PER"]'
        )
    return list(dict.fromkeys(names))


def label_map(given: Mapping[str, str] | PathName) -> dict[str, str]:
    """Return the new name of each label, by its old one.

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
        name = printable_path(given) if isinstance(given, (str, os.PathLike)) else ""
        lines = [line.rstrip("\r") for line in read_lines(given).split("\n")]
        sign = separator_of(lines)
        pairs = [
            (f"{name}:{n}", [line] if "\r" in line else cells_of(line, sign))
            for n, line in enumerate(lines, 1)
            if line.strip()
        ]
    new: dict[str, str] = {}
    for location, pair in pairs:
        names = [name.strip() if isinstance(name, str) else "" for name in pair]
        if len(names) != 2 or not all(names):
            raise InputError(
                f"{location}: {quote_value(list(pair))}; an old and a new label are needed:"
                " OLD=NEW,…, a mapping, or a file with two columns"
            )
        if new.setdefault(names[0], names[1]) != names[1]:
            raise InputError(
                f"{location}: label {quote_value(names[0])} becomes {quote_value(new[names[0]])}"
                f" and {quote_value(names[1])}; each becomes one"
            )
    return new
