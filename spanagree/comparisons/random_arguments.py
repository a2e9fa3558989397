"""Relations by chance where the segments that they link are random too.

Given where segments are, chance of relations is known (:mod:`spanagree.chance.relations`): it only
asks how many pairs of segments both annotators have. The expected number of these is exact where
it is not too much work to know how two segments stand together; else it is a mean over random
annotations. Distributions are drawn: first segments, then relations between them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from spanagree.arrays import Bools, Floats, Ints, distinct
from spanagree.chance.random_annotations import redraw
from spanagree.comparisons.chance_distribution.draws import copies_of, moves_in_blocks
from spanagree.comparisons.chance_distribution.variance import StartsOfTwo, cost_of_two
from spanagree.comparisons.inexact import digest_of, generator_of
from spanagree.comparisons.measures import find_match
from spanagree.comparisons.observed import similar
from spanagree.comparisons.relation_places import PairPlaces, RelationCells, RelationCorpus
from spanagree.corpus.segments import Layer

BUDGET = 10_000_000
"""How many numbers may be computed for the mean of one document."""

DRAWS = 1000
"""Draws of both annotations, where that is not enough."""

_PORTION = 1 << 18  # segments that are placed at a time


def expected_shares(places: PairPlaces, i: Ints, j: Ints, seed: int) -> tuple[Floats, Floats]:
    """Return the probability that random relations of two sets match, for each two, and its error.

    The error is the standard error of draws, 0 where the probability is exact.

    Args:
        places: the sets of pairs.
        i, j: the numbers of two sets of one document and kind.
        seed: of draws.
    """
    value, error = np.zeros(len(i)), np.zeros(len(i))
    owner, document, _ = places.groups
    heads = [places.sets[0][sets] for sets in (i, j)]
    two, which, _ = distinct(owner[heads[0]], owner[heads[1]], document[heads[0]])
    for number, (one, other, at) in enumerate(zip(*(x.tolist() for x in two), strict=True)):
        here = _Document(places.corpus, (places.names[one], places.names[other]), at, seed)
        for row in np.flatnonzero(which == number).tolist():
            if possible := places.number[i[row]] * places.number[j[row]]:
                common, off = here.common(*places.kind(int(i[row])))
                value[row], error[row] = common / possible, off / possible
    return value, error


class _Document:
    """What two annotators marked in one document, where both are random.

    Attributes:
        layers: of the two.
        n: the tokens of the document.
        labels: how many there are in the corpus.
        kinds: how many segments of each length and label either has; of label 0 if none counts.
    """

    def __init__(
        self, corpus: RelationCorpus, names: Sequence[str], document: int, seed: int = 0
    ) -> None:
        self.rule, self.seed = corpus.rule, seed
        source = corpus.source.subset([document])
        self.layers = [source.layers[name] for name in names]
        self.n, self.labels = int(source.lengths[0]), max(1, len(source.labels))
        self.of_label = find_match(self.rule.match).of_label
        self.kinds = [
            Counter(zip((x.end - x.start).tolist(), self._label(x).tolist(), strict=True))
            for x in self.layers
        ]
        self._shared: Ints | None = None

    def _label(self, layer: Layer) -> Ints:
        """Return the labels of segments as they are compared."""
        return layer.label * self.of_label

    def common(self, head: int, tail: int, halved: bool) -> tuple[float, float]:
        """Return how many pairs of two types both are expected to have, and its standard error."""
        kinds = sorted(self.kinds[0].keys() & self.kinds[1].keys())
        heads, tails = (
            [kind for kind in kinds if self.rule.pairs == "all" or kind[1] == type_]
            for type_ in (head, tail)
        )
        cost = sum(cost_of_two(kinds, self.n) for kinds in self.kinds) * len(heads) * len(tails)
        if cost > BUDGET or any(moves_in_blocks(x, "nonoverlapping") for x in self.layers):
            drawn = self.pairs(self._drawn_once(), head, tail, halved)
            # what no draw has is not impossible
            variance = max(float(drawn.var(ddof=1)), 1 / len(drawn))
            return float(drawn.mean()), (variance / len(drawn)) ** 0.5
        a, b = (StartsOfTwo(kinds, self.n) for kinds in self.kinds)
        if self.rule.attributes:
            both = sum(np.diag(a.starts(k, k)) @ np.diag(b.starts(k, k)) for k in heads)
        else:  # no segment is linked with itself
            starts = [a.starts(k, h) * b.starts(k, h) for k in heads for h in tails]
            both = sum(each.sum() - np.trace(each) for each in starts)
        return float(both) / (1 + halved), 0.0

    def _drawn_once(self) -> Ints:
        """Return what :meth:`shared` draws, from the seed and what the segments are."""
        if self._shared is None:
            columns = [x for y in self.layers for x in (y.start, y.end, y.label, y.shape)]
            what = digest_of((self.n, [column.tolist() for column in columns]))
            self._shared = self.shared(DRAWS, generator_of(what, self.seed))
        return self._shared

    def pairs(self, shared: Ints, head: int, tail: int, halved: bool) -> Ints:
        """Return the pairs of two types among segments that both have; a row for each draw."""
        if self.rule.pairs == "all":
            shared = shared.sum(1, keepdims=True)
        if self.rule.attributes:
            return shared[:, head]
        return shared[:, head] * (shared[:, tail] - (head == tail)) // (1 + halved)

    def shared(self, draws: int, rng: np.random.Generator) -> Ints:
        """Return how many segments of each label both have in draws of both; (draws, labels)."""
        shared = np.zeros((draws, self.labels), np.int64)
        for draw, label, _ in self._drawn((True, True), draws, rng):
            np.add.at(shared, (draw, label), 1)
        return shared

    def hit(self, draws: int, rng: np.random.Generator) -> Bools:
        """Return which segments of the first the other has too, in draws of the other."""
        hit = np.zeros((draws, len(self.layers[0])), np.bool_)
        for draw, _, row in self._drawn((False, True), draws, rng):
            hit[draw, row] = True
        return hit

    def _drawn(
        self, random: tuple[bool, bool], draws: int, rng: np.random.Generator
    ) -> Iterator[tuple[Ints, Ints, Ints]]:
        """Yield draw, label and row of each segment of the first that both have.

        The row is that of the layer where the first is not random.
        """
        measure = find_match("exact" if self.of_label else "boundaries")
        most = max(1, _PORTION // max(map(len, self.layers)))
        for low in range(0, draws, most):
            count = min(most, draws - low)
            lengths = np.full(count, self.n)
            a, b = (
                redraw(copies_of(layer, count, 1), lengths, self.labels, rng, rigid=True)
                if each
                else copies_of(layer, count, 1)
                for layer, each in zip(self.layers, random, strict=True)
            )
            cell_a, cell_b = (x.document * self.labels + self._label(x) for x in (a, b))
            i, _, _ = similar(a, b, cell_a, cell_b, measure)
            yield low + a.document[i], a.label[i], i - a.document[i] * len(self.layers[0])


def draw_relations(
    corpus: RelationCorpus,
    names: tuple[str, str],
    fixed: str | None,
    draws: int,
    rng: np.random.Generator,
) -> Floats:
    """Return the relations in common of random ones; (draws, documents).

    Args:
        corpus: the relations.
        names: of the two annotators.
        fixed: which of them stays as it is, segments and relations, if any.
        draws: how many.
        rng: to draw from.
    """
    a, b = (names[1], names[0]) if fixed == names[1] else names
    cells = RelationCells.of(corpus, a, b)
    places, matched = cells.places, np.zeros((draws, len(corpus)))
    pairs_a, pairs_b = (
        places.number[sets].astype(np.int64) for sets in (cells.sets_a, cells.sets_b)
    )
    common = places.common(cells.sets_a, cells.sets_b).astype(np.int64)
    ends = places.linked_by(a)
    by_both = np.isin(np.arange(len(places.spans.document)), places.marked_by(b))[None, :]
    is_random = corpus.rule.arguments == "random"
    for d in np.unique(cells.document).tolist():
        here = _Document(corpus, (a, b), d) if is_random else None
        shared: Ints | None = None
        if here is not None and fixed is None:
            shared = here.shared(draws, rng)
        elif here is not None:
            of_a = places.marked_by(a)[corpus.source.layers[a].document == d]
            by_both = np.zeros((draws, len(places.spans.document)), np.bool_)
            by_both[:, of_a] = here.hit(draws, rng)
        for row in np.flatnonzero(cells.document == d).tolist():
            if fixed is None:
                both = common[row]
                if here is not None and shared is not None:
                    both = here.pairs(shared, *places.kind(int(cells.sets_a[row])))
                on_common = rng.hypergeometric(
                    both, pairs_a[row] - both, cells.number_a[row], draws
                )
            else:
                mine = cells.row_of_a == row
                on_common = (by_both[:, ends[0][mine]] & by_both[:, ends[1][mine]]).sum(1)
            matched[:, d] += rng.hypergeometric(
                on_common, pairs_b[row] - on_common, cells.number_b[row], draws
            )
    return matched
