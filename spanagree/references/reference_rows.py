"""Rows that compare annotations with references, annotators that no system replaces as gold.

An annotation is the work of one annotator on one document. A row of :class:`Comparisons` compares
two annotations of a document; the second annotator of a row is a reference here. Rows with a system
as first annotator compare the system with the references. Rows with a reference as first annotator
compare it with the other references.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from spanagree.agreement.crowded import sum_crowded
from spanagree.arrays import Floats
from spanagree.chance.model import ChanceModel
from spanagree.comparisons.annotation_pairs import AnnotationIndex, compare_pairs
from spanagree.comparisons.counting import MatchCountOptions
from spanagree.comparisons.table import Comparisons
from spanagree.corpus.corpus import Corpus


def compare_with_references(
    corpus: Corpus,
    n_references: int,
    counting: MatchCountOptions,
    *,
    by_label: bool = False,
) -> Comparisons:
    """Compare each annotation with the references of its document.

    The second annotator of each returned row is a reference. If only systems are random, this
    reference is fixed and the first annotator is random.

    Args:
        corpus: layers of the references, followed by layers of the systems.
        n_references: number of references.
        counting: measure and chance model.
        by_label: True for rows of single labels also in documents with many annotators, which
            have sums over references.
    """
    annotations = AnnotationIndex.from_corpus(corpus)
    match, chance, progress = counting.match, counting.chance, counting.progress
    is_reference_layer = np.arange(len(corpus.layers)) < n_references
    measure = counting.measure
    summed = sum_crowded(
        corpus, annotations, measure, chance, progress, is_reference_layer, by_label=by_label
    )
    pairs = np.stack(
        annotations.pair_annotations(documents=None if summed is None else ~summed.documents)
    )
    is_reference = annotations.annotator < n_references
    if chance.first_is_fixed:  # that of each reference in turn
        pairs = np.concatenate((pairs, pairs[::-1]), axis=1)
        first, second = pairs[:, is_reference[pairs[0]]]
    else:
        first, second = pairs[:, is_reference[pairs].any(axis=0)]
    rows = compare_pairs(corpus, annotations, (first, second), match, chance, progress)
    if chance.first_is_fixed:
        rows = rows.turned(np.ones(len(rows), np.bool_))
    else:
        rows = rows.both_ways()
        rows = rows.where(rows.second < n_references)
    if summed is None:
        return rows
    if corpus.unplaced:
        from spanagree.comparisons.unplaced_rows import (
            build_rows_of_quotes,  # most corpora have offsets
        )

        quote_rows = build_rows_of_quotes(
            corpus, measure, annotations.find_annotators_of_pairs(summed.documents)
        ).both_ways()
        rows = rows + quote_rows.where(quote_rows.second < n_references)
    return rows + summed.build_annotation_rows().named(rows.annotators, rows.labels)


def compute_compared_size(rows: Comparisons, n_references: int, chance: ChanceModel) -> float:
    """Compute the total size of both annotations over all compared pairs.

    Args:
        rows: rows of :func:`compare_with_references`.
        n_references: number of references, which are the first annotators.
        chance: chance model; if both annotations are random, a pair of references has two rows,
            and is counted once.
    """
    sizes = rows.size_first + rows.size_second
    size = float(sizes.sum())
    if not chance.first_is_fixed:  # pairs of references have two rows
        size -= sizes[rows.first < n_references].sum() / 2
    return size


def replace_matches(rows: Comparisons, annotator: int, matched: Floats) -> Comparisons:
    """Sum the rows of each document, first annotator and label; replace one annotator's matches.

    Args:
        rows: rows with a reference as second annotator.
        annotator: index of the annotator.
        matched: matches of the annotator, summed over references: (documents, labels).
    """
    rows = rows.by("document", "first", "label")
    matched_of_label = matched[rows.document, np.maximum(rows.label, 0)]
    new_matched = np.where(rows.label < 0, matched.sum(axis=1)[rows.document], matched_of_label)
    replaced = np.where(rows.first == annotator, new_matched, rows.matched)
    return replace(rows, matched=replaced)
