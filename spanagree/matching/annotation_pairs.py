"""Who saw what, and what each two annotators of the same document have in common.

Pairs of annotators who share no document are never visited: the rows here are annotations, one of
each document and annotator who saw it, and pairs of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from spanagree.arrays import Ints, ranges, ranks
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.segments import Layer
from spanagree.matching.expected import Placed, place_layers, tallies
from spanagree.matching.tally import Tallies

_PORTION = 1 << 20  # segments of pairs that are compared at a time


@dataclass(frozen=True)
class Crowd:
    """Annotations: a row for each document and annotator who saw it, in this order.

    Attributes:
        document: of each annotation.
        annotator: of each annotation.
        begin, end: where its segments stand among all, sorted by document and annotator.
        order: the numbers of the segments, layer after layer, in that order.
    """

    document: Ints
    annotator: Ints
    begin: Ints
    end: Ints
    order: Ints

    @classmethod
    def of(cls, corpus: Corpus) -> Crowd:
        """Who saw what in a corpus."""
        seen = [np.flatnonzero(layer.annotated) for layer in corpus.layers.values()]
        document = np.concatenate([*seen, np.zeros(0, np.int64)])
        annotator = np.repeat(np.arange(len(seen)), [len(s) for s in seen])
        by_document = np.argsort(document, kind="stable")  # annotators are in order already
        document, annotator = document[by_document], annotator[by_document]
        layers = corpus.layers.values()
        of = np.concatenate([*(layer.document for layer in layers), np.zeros(0, np.int64)])
        by = np.repeat(np.arange(len(seen)), [len(layer) for layer in layers])
        order = np.argsort(of, kind="stable")
        annotations = document * len(seen) + annotator
        segments = (of * len(seen) + by)[order]
        begin = np.searchsorted(segments, annotations, side="left")
        return cls(
            document, annotator, begin, np.searchsorted(segments, annotations, "right"), order
        )

    def pairs(self, *, with_itself: bool = False) -> tuple[Ints, Ints]:
        """The rows of all pairs of annotations of the same document, the earlier one first."""
        last = np.searchsorted(self.document, self.document, side="right")
        second, first = ranges(np.arange(len(last)) + (not with_itself), last)
        return first, second


def compare(
    corpus: Corpus,
    crowd: Crowd,
    pairs: tuple[Ints, Ints],
    match: str,
    chance: str,
    progress: Callable[[int, int], None] | None = None,
) -> Tallies:
    """The tallies of each pair of annotations, which the column ``document`` numbers.

    ``progress`` is called with the number of pairs done, and of all. The layers must not overlap
    themselves in the measure's sense (:func:`spanagree.similarity.check_layer`).
    """
    first, second = pairs
    told = progress or (lambda done, total: None)
    told(0, len(first))
    if not len(first):
        nothing = np.zeros(0, np.int64)
        return Tallies(nothing, nothing, nothing, np.zeros(0), nothing, nothing)
    profiles, placed = place_layers(corpus, corpus.annotators, chance)
    start, end, label = (
        np.concatenate([getattr(p.layer, name) for p in placed.values()])[crowd.order]
        for name in ("start", "end", "label")
    )
    profile = np.concatenate([p.profile for p in placed.values()])[crowd.order]

    def side(rows: Ints) -> Placed:
        segment, pair = ranges(crowd.begin[rows], crowd.end[rows])
        everyone = np.ones(len(rows), np.bool_)
        return Placed(
            Layer(pair, start[segment], end[segment], label[segment], everyone),
            profile[segment],
            chance,
        )

    # sides by name, so that the order of annotators changes no digit
    rank = ranks(corpus.annotators)
    turned = rank[crowd.annotator[first]] > rank[crowd.annotator[second]]
    first, second = np.where(turned, second, first), np.where(turned, first, second)
    size = crowd.end - crowd.begin
    done = np.cumsum(size[first] + size[second])
    borders = np.searchsorted(done, np.arange(_PORTION, int(done[-1]) + _PORTION, _PORTION)) + 1
    parts, low = [], 0
    for high in np.unique(np.minimum([*borders.tolist(), len(first)], len(first))).tolist():
        rows = slice(low, high)
        part = tallies(
            side(first[rows]), side(second[rows]), profiles, match, max(1, len(corpus.labels))
        )
        parts.append((part.document + low, part))
        told(high, len(first))
        low = high
    document, *columns = (
        np.concatenate(column)
        for column in (
            [number for number, _ in parts],
            *(
                [getattr(part, name) for _, part in parts]
                for name in ("label", "matched", "expected", "size_a", "size_b")
            ),
        )
    )
    label, matched, expected, size_a, size_b = columns
    back = turned[document]
    return Tallies(
        document,
        label,
        matched,
        expected,
        np.where(back, size_b, size_a),
        np.where(back, size_a, size_b),
    )
