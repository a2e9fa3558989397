"""The segments of each two annotators who saw a document, in pairs: all of a crowd at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Ints, batches_up_to
from spanagree.comparisons.annotation_pairs import AnnotationIndex
from spanagree.comparisons.pairing import OUTCOMES, columns_of, pairing
from spanagree.corpus.corpus import Corpus

_PORTION = 1 << 18  # segments that are paired at a time


class SegmentPairs(NamedTuple):
    """Segments in pairs, or alone, as :func:`spanagree.comparisons.pairing.pairing` has them.

    Attributes:
        document: of each.
        a, b: the numbers of the two annotators.
        label_a, label_b: the two labels; −1 where one of them marked nothing.
        kind: indexes :data:`spanagree.comparisons.pairing.OUTCOMES`.
    """

    document: Ints
    a: Ints
    b: Ints
    label_a: Ints
    label_b: Ints
    kind: Ints


def paired(
    corpus: Corpus, crowd: AnnotationIndex, pairs: tuple[Ints, Ints]
) -> Iterator[SegmentPairs]:
    """Yield the segments of pairs of annotations, which are rows of the crowd, in portions."""
    segments, details = crowd.segments(corpus), crowd.details(corpus)
    size = crowd.end - crowd.begin
    for low, high in batches_up_to(size[pairs[0]] + size[pairs[1]], _PORTION):
        a, b = (side[low:high] for side in pairs)
        layer_a, layer_b = (crowd.side(segments, rows, details)[0] for rows in (a, b))
        both = pairing(layer_a, layer_b, labels=max(1, len(corpus.labels)))
        row_a, _, _, label_a = columns_of(layer_a, both.a)
        row_b, _, _, label_b = columns_of(layer_b, both.b)
        row = np.maximum(row_a, row_b)
        yield SegmentPairs(
            crowd.document[a[row]],
            crowd.annotator[a[row]],
            crowd.annotator[b[row]],
            label_a,
            label_b,
            both.kind,
        )


def outcomes(corpus: Corpus, crowd: AnnotationIndex) -> Ints:
    """Return what became of segments between each annotator and all others.

    A segment that one marked and the other did not is ``spurious`` of the one and ``missed`` of the
    other; all else is of both.

    Returns:
        (annotators, outcomes), so that each pair of segments stands in it twice.
    """
    missed, spurious = OUTCOMES.index("missed"), OUTCOMES.index("spurious")
    counts = np.zeros((len(corpus.layers), len(OUTCOMES)), np.int64)
    for part in paired(corpus, crowd, crowd.pairs()):
        turned = np.where(
            part.kind == missed, spurious, np.where(part.kind == spurious, missed, part.kind)
        )  # the first marked what the second missed
        np.add.at(counts, (part.a, turned), 1)
        np.add.at(counts, (part.b, part.kind), 1)
    return counts
