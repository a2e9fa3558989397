"""Renaming and selection of labels."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import compress
from typing import Any

import numpy as np

from spanagree.arrays import (
    Bools,
    Floats,
    Ints,
    encode_by_first_use,
    first_equal_row,
    is_repeated_row,
)
from spanagree.corpus.raw import RawCorpus
from spanagree.errors import (
    InputError,
    SettingError,
    escape_name,
    escape_path,
    is_iterable,
    join_names,
    pluralize,
    quote_value,
)
from spanagree.files import PathName, read_lines
from spanagree.tables import find_separator, split_cells

LABELS = ("labels", "map_labels")
"""Options of :func:`rename_and_select_labels`, which every reader has."""

BEST = "best"
"""Value of `map_labels` for matching labels with the first annotator's labels by overlap."""


def rename_and_select_labels(
    raw: RawCorpus,
    labels: Sequence[str] | None = None,
    map_labels: Mapping[str, str] | PathName | None = None,
) -> RawCorpus:
    """Rename labels, and then select the segments of some labels.

    Segments of other labels, or without a label, are dropped before any check. Segments that become
    equal to another of their annotation by renaming are dropped too. One note counts both.

    Args:
        raw: rows of a source.
        labels: names of the labels to keep. Default: all.
        map_labels: new names by old ones: a mapping, ``OLD=NEW,…``, or a file with two columns; or
            ``best``, for names that differ by annotator
            (:func:`rename_to_best_labels`).

    Raises:
        SettingError: if `labels` is not a list of names, or `map_labels` not a mapping.
        InputError: if the file cannot be read, or does not have two columns.
    """
    if labels is None and map_labels is None:
        return raw
    if map_labels == BEST and not os.path.exists(BEST):
        return rename_and_select_labels(rename_to_best_labels(raw), labels)
    new_names = {} if map_labels is None else build_label_map(map_labels)
    wanted_labels = None if labels is None else _check_labels(labels)
    code_of_label, names = encode_by_first_use([new_names.get(name, name) for name in raw.labels])
    label = np.append(code_of_label, -1)[raw.label]
    is_taken = np.array(
        [wanted_labels is None or name in wanted_labels for name in names], np.bool_
    )
    is_chosen = np.append(is_taken, wanted_labels is None)[label]  # index −1, the last, is no label
    position: tuple[Ints, ...] = raw.annotation, raw.start, raw.end
    if raw.details is not None:
        position = (*position, raw.details.shape)
    is_merged = (
        is_chosen & is_repeated_row(*position, label) & ~is_repeated_row(*position, raw.label)
    )
    notes = _write_note_on_labels(raw, new_names, wanted_labels, is_chosen, is_merged)
    is_kept = is_chosen & ~is_merged
    rows = raw.select_columns(is_kept)
    rows["label"] = np.append(np.cumsum(is_taken) - 1, -1)[label[is_kept]]
    if raw.details is not None:
        rows["details"] = raw.details.select(
            np.flatnonzero(is_kept), first_equal_row(*position, label)
        )
        if n_lost := len(raw.links) - len(raw.replace(details=rows["details"]).links):
            notes.append(f"labels: {pluralize(n_lost, 'relation')} of segments that were dropped")
    reading = dict(raw.reading)
    if new_names:
        earlier_map = reading.get("map_labels", {})
        reading["map_labels"] = {
            source_label: new_names.get(name, name) for source_label, name in earlier_map.items()
        } | new_names
    if wanted_labels is not None:
        reading["labels"] = list(wanted_labels)
    return raw.replace(
        **rows,
        labels=tuple(compress(names, is_taken)),
        unplaced=raw.unplaced and raw.unplaced.rename_labels(new_names, wanted_labels),
        reading=reading,
        notes=(*raw.notes, *notes),
    )


def _write_note_on_labels(
    raw: RawCorpus,
    new_names: Mapping[str, str],
    wanted_labels: Sequence[str] | None,
    is_chosen: Bools,
    is_merged: Bools,
) -> list[str]:
    """Write one note on dropped, renamed and merged segments, and on unused names.

    Quotes that are not in the text count as segments.

    Args:
        raw: rows before the change.
        new_names: new names by old ones.
        wanted_labels: labels to keep; ``None`` for all.
        is_chosen: mask of the segments with labels to keep.
        is_merged: mask of the segments that renaming makes equal to another.
    """
    quote_labels = () if raw.unplaced is None else raw.unplaced.label
    labels = [*dict.fromkeys([*raw.labels, *filter(None, quote_labels)])]
    names = [*labels, "no label"]
    code_by_label = {name: i for i, name in enumerate(labels)}
    label = np.append(raw.label, [code_by_label.get(name, -1) for name in quote_labels]).astype(
        np.int64
    )
    is_wanted = [
        wanted_labels is None or new_names.get(name, name) in wanted_labels for name in quote_labels
    ]
    is_taken = np.append(is_chosen, is_wanted).astype(np.bool_)
    clauses = []
    if not is_taken.all():
        clauses.append(f"{_count_by_label(names, label[~is_taken])} dropped")
    renamed_codes = [i for i, name in enumerate(labels) if new_names.get(name, name) != name]
    is_renamed = is_taken & np.isin(label, renamed_codes)
    if is_renamed.any():
        descriptions = [f"{name} as {new_names.get(name)}" for name in names]
        clauses.append(f"{_count_by_label(descriptions, label[is_renamed])} read")
    if is_merged.any():
        clauses.append(
            f"{pluralize(int(is_merged.sum()), 'segment')} then the same as another, merged"
        )
    names_after = {new_names.get(name, name) for name in labels}
    unused_names = [name for name in wanted_labels or () if name not in names_after]
    unused_names += [name for name in new_names if name not in labels]
    if unused_names:
        clauses.append(
            f"no segment has {join_names(unused_names)} (there are {join_names(labels) or 'none'})"
        )
    return [f"labels: {'; '.join(clauses)}"] if clauses else []


def _count_by_label(names: Sequence[str], label: Ints) -> str:
    """Write the number of segments, in total and by label."""
    counts = Counter(label.tolist()).most_common()
    return (
        f"{pluralize(len(label), 'segment')} ({join_names(f'{names[i]} {n}' for i, n in counts)})"
    )


def _check_labels(labels: Any) -> list[str]:
    """Check names of labels, and remove repetitions."""
    names = [] if isinstance(labels, str) or not is_iterable(labels) else list(labels)
    if not names or not all(isinstance(name, str) and name.strip() for name in names):
        raise SettingError(
            f'labels {quote_value(labels)}; a list of names is needed, such as ["PER"]'
        )
    return list(dict.fromkeys(names))


def build_label_map(map_labels: Mapping[str, str] | PathName) -> dict[str, str]:
    """Build the mapping from old to new names of labels.

    Raises:
        SettingError, InputError: see :func:`rename_and_select_labels`.

    >>> build_label_map("person=PER,place=LOC")
    {'person': 'PER', 'place': 'LOC'}
    """
    pairs: list[tuple[str, Sequence[Any]]]
    if isinstance(map_labels, Mapping):
        pairs = [("map_labels", pair) for pair in map_labels.items()]
    elif isinstance(map_labels, str) and "=" in map_labels and not os.path.exists(map_labels):
        pairs = [("map_labels", pair.rpartition("=")[::2]) for pair in map_labels.split(",")]
    else:
        name = escape_path(map_labels) if isinstance(map_labels, (str, os.PathLike)) else ""
        lines = [line.rstrip("\r") for line in read_lines(map_labels).split("\n")]
        separator = find_separator(lines)
        pairs = [
            (f"{name}:{n}", [line] if "\r" in line else split_cells(line, separator))
            for n, line in enumerate(lines, 1)
            if line.strip()
        ]
    new_names: dict[str, str] = {}
    for location, pair in pairs:
        names = [name.strip() if isinstance(name, str) else "" for name in pair]
        if len(names) != 2 or not all(names):
            raise InputError(
                f"{location}: {quote_value(list(pair))}; an old and a new label are needed:"
                " OLD=NEW,…, a mapping, or a file with two columns"
            )
        if new_names.setdefault(names[0], names[1]) != names[1]:
            raise InputError(
                f"{location}: label {quote_value(names[0])} becomes"
                f" {quote_value(new_names[names[0]])} and {quote_value(names[1])}; each becomes one"
            )
    return new_names


# --- names that differ by annotator, such as speakers in diarization ------------------------------


def rename_to_best_labels(raw: RawCorpus) -> RawCorpus:
    """Rename labels to the first annotator's labels, one-to-one, in each document separately.

    Labels are paired such that their total overlap is largest. A label without a pair gets the name
    of its annotator added, so that it differs from all labels of the first annotator.

    Raises:
        SettingError: if there are fewer than two annotators.
    """
    if len(raw.annotators) < 2:
        raise SettingError("map_labels best needs two annotators; there is no other's label here")
    from scipy.optimize import linear_sum_assignment  # loaded on demand: rarely used

    names = dict.fromkeys(raw.labels)
    code_by_name = {name: i for i, name in enumerate(raw.labels)}
    label = np.array(raw.label, np.int64)
    annotator_of_segment = raw.annotator_index[raw.annotation]
    for annotation in np.flatnonzero(raw.annotator_index > 0).tolist():
        own_rows = np.flatnonzero((raw.annotation == annotation) & (raw.label >= 0))
        in_document = raw.document == raw.document_index[annotation]
        first_rows = np.flatnonzero(in_document & (annotator_of_segment == 0) & (raw.label >= 0))
        first_labels, own_labels = np.unique(raw.label[first_rows]), np.unique(raw.label[own_rows])
        overlap = _compute_overlap(raw, first_rows, own_rows, first_labels, own_labels)
        matched_first, matched_own = linear_sum_assignment(-overlap)
        first_by_own = {
            int(own_labels[j]): int(first_labels[i])
            for i, j in zip(matched_first, matched_own, strict=True)
            if overlap[i, j]
        }
        annotator = raw.annotators[raw.annotator_index[annotation]]
        for own_label in own_labels.tolist():
            new_label = first_by_own.get(own_label)
            if new_label is None:
                name = f"{raw.labels[own_label]} ({annotator})"
                new_label = code_by_name.setdefault(name, len(code_by_name))
                names[name] = None
            label[own_rows[raw.label[own_rows] == own_label]] = new_label
    note = (
        f"labels of {pluralize(len(raw.annotators) - 1, 'annotator')} renamed in each document"
        f" to those of {escape_name(raw.annotators[0])} they share most with; chance does not"
        " choose names so, so corrected figures are somewhat too high"
    )
    reading = {**raw.reading, "map_labels": {"*": BEST}}
    return raw.replace(label=label, labels=tuple(names), reading=reading, notes=(*raw.notes, note))


def _compute_overlap(
    raw: RawCorpus, first_rows: Ints, own_rows: Ints, first_labels: Ints, own_labels: Ints
) -> Floats:
    """Compute the overlap of each label of the first annotator with each label of another.

    The overlap of two labels is the length that their segments share, in one document.

    Args:
        raw: segments of all annotators.
        first_rows: rows of the first annotator's segments in the document.
        own_rows: rows of the other annotator's segments in the document.
        first_labels: distinct labels of the first annotator, sorted.
        own_labels: distinct labels of the other annotator, sorted.

    Returns:
        Overlap of each two labels; (labels of the first, labels of the other).
    """
    overlap = np.zeros((len(first_labels), len(own_labels)))
    overlap_start = np.maximum.outer(raw.start[first_rows], raw.start[own_rows])
    overlap_end = np.minimum.outer(raw.end[first_rows], raw.end[own_rows])
    i, j = np.nonzero(overlap_end > overlap_start)
    cells = (
        np.searchsorted(first_labels, raw.label[first_rows][i]),
        np.searchsorted(own_labels, raw.label[own_rows][j]),
    )
    np.add.at(overlap, cells, (overlap_end - overlap_start)[i, j])
    return overlap
