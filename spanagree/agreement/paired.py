"""Paired segments of each pair of annotators of a document, many pairs at a time.

An annotation is the work of one annotator on one document, and a row of :class:`AnnotationIndex`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Ints, yield_batches
from spanagree.comparisons.annotation_pairs import AnnotationIndex
from spanagree.comparisons.pairing import OUTCOMES, look_up_columns, pair_layers
from spanagree.corpus.corpus import Corpus

_PORTION = 1 << 18  # segments that are paired at a time


class SegmentPairs(NamedTuple):
    """Segments of two annotators in pairs; a segment without a partner is an entry of its own.

    Segments are paired by :func:`spanagree.comparisons.pairing.pair_layers`.

    Attributes:
        document: index of the document of each pair.
        a, b: indices of the two annotators.
        label_a, label_b: indices of the two labels; −1 if an annotator marked nothing.
        kind: index in :data:`spanagree.comparisons.pairing.OUTCOMES`.
    """

    document: Ints
    a: Ints
    b: Ints
    label_a: Ints
    label_b: Ints
    kind: Ints


def yield_paired(
    corpus: Corpus, crowd: AnnotationIndex, pairs: tuple[Ints, Ints]
) -> Iterator[SegmentPairs]:
    """Yield the paired segments of pairs of annotations, in portions.

    Args:
        corpus: annotators as layers.
        crowd: annotations of the corpus.
        pairs: row in ``crowd`` of the first and of the second annotation of each pair.
    """
    segments, details = crowd.concatenate_segments(corpus), crowd.concatenate_details(corpus)
    size = crowd.end - crowd.begin
    for low, high in yield_batches(size[pairs[0]] + size[pairs[1]], _PORTION):
        a, b = (annotation[low:high] for annotation in pairs)
        layer_a, layer_b = (crowd.build_layer(segments, rows, details)[0] for rows in (a, b))
        outcomes_of_pairs = pair_layers(layer_a, layer_b, n_labels=max(1, len(corpus.labels)))
        row_a, _, _, label_a = look_up_columns(layer_a, outcomes_of_pairs.a)
        row_b, _, _, label_b = look_up_columns(layer_b, outcomes_of_pairs.b)
        row = np.maximum(row_a, row_b)
        yield SegmentPairs(
            crowd.document[a[row]],
            crowd.annotator[a[row]],
            crowd.annotator[b[row]],
            label_a,
            label_b,
            outcomes_of_pairs.kind,
        )


def count_outcomes(corpus: Corpus, crowd: AnnotationIndex) -> Ints:
    """Count the outcomes of paired segments of each annotator with all others.

    A segment that only one annotator marked is ``spurious`` for this annotator and ``missed`` for
    the other. Every other outcome counts for both annotators.

    Returns:
        Counts of shape (annotators, outcomes).
    """
    missed, spurious = OUTCOMES.index("missed"), OUTCOMES.index("spurious")
    counts = np.zeros((len(corpus.layers), len(OUTCOMES)), np.int64)
    for portion in yield_paired(corpus, crowd, crowd.pair_annotations()):
        kind_of_first = np.where(
            portion.kind == missed,
            spurious,
            np.where(portion.kind == spurious, missed, portion.kind),
        )  # the first marked what the second missed
        np.add.at(counts, (portion.a, kind_of_first), 1)
        np.add.at(counts, (portion.b, portion.kind), 1)
    return counts
