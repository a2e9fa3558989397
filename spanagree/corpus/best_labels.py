"""Labels that are names of somebody's own, as speakers in diarization: matched by overlap."""

from __future__ import annotations

import numpy as np

from spanagree.arrays import Floats, Ints
from spanagree.corpus.raw import RawCorpus
from spanagree.errors import SettingError, escape_name, pluralize

BEST = "best"
"""In place of other names of labels: those of the first annotator that overlap most."""


def with_best_labels(raw: RawCorpus) -> RawCorpus:
    """Return the rows with labels of all but the first annotator renamed to hers, one-to-one.

    In each document apart, labels are paired such that what they share is greatest. A label that
    stays without a pair is called by its annotator too, so that it equals none of the first's.

    Raises:
        SettingError: for fewer than two annotators.
    """
    if len(raw.annotators) < 2:
        raise SettingError("map_labels best needs two annotators; there is no other's label here")
    from scipy.optimize import linear_sum_assignment  # lazy: no one else needs it

    names = dict.fromkeys(raw.labels)
    number = {name: i for i, name in enumerate(raw.labels)}
    label = np.array(raw.label, np.int64)
    owner = raw.annotator_index[raw.annotation]
    for annotation in np.flatnonzero(raw.annotator_index > 0).tolist():
        rows = np.flatnonzero((raw.annotation == annotation) & (raw.label >= 0))
        here = raw.document == raw.document_index[annotation]
        first = np.flatnonzero(here & (owner == 0) & (raw.label >= 0))
        theirs, mine = np.unique(raw.label[first]), np.unique(raw.label[rows])
        shared = _shared(raw, first, rows, theirs, mine)
        rows_taken, columns_taken = linear_sum_assignment(-shared)
        pairs = {
            int(mine[j]): int(theirs[i])
            for i, j in zip(rows_taken, columns_taken, strict=True)
            if shared[i, j]
        }
        annotator = raw.annotators[raw.annotator_index[annotation]]
        for old in mine.tolist():
            new = pairs.get(old)
            if new is None:
                name = f"{raw.labels[old]} ({annotator})"
                new = number.setdefault(name, len(number))
                names[name] = None
            label[rows[raw.label[rows] == old]] = new
    note = (
        f"labels of {pluralize(len(raw.annotators) - 1, 'annotator')} renamed in each document"
        f" to those of {escape_name(raw.annotators[0])} they share most with; chance does not"
        " choose names so, so corrected figures are somewhat too high"
    )
    reading = {**raw.reading, "map_labels": {"*": BEST}}
    return raw.replace(label=label, labels=tuple(names), reading=reading, notes=(*raw.notes, note))


def _shared(raw: RawCorpus, first: Ints, rows: Ints, theirs: Ints, mine: Ints) -> Floats:
    """Return the overlap of the segments of two annotators, by their labels."""
    shared = np.zeros((len(theirs), len(mine)))
    low = np.maximum.outer(raw.start[first], raw.start[rows])
    high = np.minimum.outer(raw.end[first], raw.end[rows])
    i, j = np.nonzero(high > low)
    places = np.searchsorted(theirs, raw.label[first][i]), np.searchsorted(mine, raw.label[rows][j])
    np.add.at(shared, places, (high - low)[i, j])
    return shared
