"""Matching of labels that differ by annotator, such as speakers in diarization, by overlap."""

from __future__ import annotations

import numpy as np

from spanagree.arrays import Floats, Ints
from spanagree.corpus.raw import RawCorpus
from spanagree.errors import SettingError, escape_name, pluralize

BEST = "best"
"""Value of `map_labels` for matching labels with the first annotator's labels by overlap."""


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
