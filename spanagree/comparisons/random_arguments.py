"""Relations by chance where the segments that they link are random too.

Given where segments are, chance of relations is known (:mod:`spanagree.chance.relations`): it only
asks how many pairs of segments both annotators have. The expected number of these is exact where
it is not too much work to know how two segments stand together; else it is a mean over random
annotations. Distributions are drawn: first segments, then relations between them. Where a kind of
pairs goes by sentences, every segment stays in its own: so the pairs of a kind stay as many.
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
from spanagree.comparisons.relation_places import (
    PairPlaces,
    RelationCells,
    RelationCorpus,
    sentence_ends,
)
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.segments import Layer
from spanagree.errors import SettingError, show

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
    for number, (first, second, at) in enumerate(zip(*(x.tolist() for x in two), strict=True)):
        here = _Document(places.corpus, (places.names[first], places.names[second]), at, seed)
        for row in np.flatnonzero(which == number).tolist():
            if possible := places.number[i[row]] * places.number[j[row]]:
                common, off = here.common(*places.kind(int(i[row])))
                value[row], error[row] = common / possible, off / possible
    return value, error


class _Document:
    """What two annotators marked in one document, where both are random.

    Attributes:
        layers: of the two, in which each sentence is a document if pairs go by sentences.
        lengths: the tokens of the document, or of each of its sentences.
        labels: how many there are in the corpus.
        kinds: how many segments of each length and label either has, in each sentence; of label 0
            if none counts.
    """

    def __init__(
        self, corpus: RelationCorpus, names: Sequence[str], document: int, seed: int = 0
    ) -> None:
        self.rule, self.seed = corpus.rule, seed
        source = corpus.source.subset([document])
        self.layers, self.lengths = [source.layers[name] for name in names], source.lengths
        if self.rule.pairs == "sentence":
            self.layers, self.lengths = _by_sentence(source, names)
        self.labels = max(1, len(source.labels))
        self.of_label = find_match(self.rule.match).of_label
        self.kinds: list[list[Counter[tuple[int, int]]]] = [
            [Counter() for _ in self.lengths] for _ in names
        ]
        for kinds, x in zip(self.kinds, self.layers, strict=True):
            columns = x.document, x.end - x.start, self._label(x)
            for sentence, *kind in zip(*(column.tolist() for column in columns), strict=True):
                kinds[sentence][kind[0], kind[1]] += 1
        self._shared: Ints | None = None

    def _label(self, layer: Layer) -> Ints:
        """Return the labels of segments as they are compared."""
        return layer.label * self.of_label

    def common(self, head: int, tail: int, near: int, halved: bool) -> tuple[float, float]:
        """Return how many pairs of a kind both are expected to have, and its standard error."""
        work: list[tuple[int, tuple[list[tuple[int, int]], ...]]] = []
        cost = 0.0
        for s, (a, b) in enumerate(zip(*self.kinds, strict=True)):
            both = sorted(a.keys() & b.keys())
            ends = tuple(
                [kind for kind in both if self.rule.pairs == "all" or kind[1] == type_]
                for type_ in (head, tail)
            )
            n = int(self.lengths[s])
            heads, tails = ends
            pairs = len(heads) * len(tails) if near else len(heads) + len(tails)
            cost += (cost_of_two(a, n) + cost_of_two(b, n)) * pairs
            work.append((n, ends))
        if cost > BUDGET or any(moves_in_blocks(x, "nonoverlapping") for x in self.layers):
            drawn = self.pairs(self._drawn_once(), head, tail, near, halved)
            # what no draw has is not impossible
            variance = max(float(drawn.var(ddof=1)), 1 / len(drawn))
            return float(drawn.mean()), (variance / len(drawn)) ** 0.5
        common, alone = 0.0, np.zeros((2, len(work)))
        for s, (n, ends) in enumerate(work):
            a_starts, b_starts = (StartsOfTwo(kinds[s], n) for kinds in self.kinds)
            if self.rule.attributes or not near:  # sentences are independent of each other
                for side, some in enumerate(ends):
                    alone[side, s] = sum(
                        np.diag(a_starts.starts(k, k)) @ np.diag(b_starts.starts(k, k))
                        for k in some
                    )
                continue
            for k in ends[0]:
                for h in ends[1]:  # no segment is linked with itself
                    together = a_starts.starts(k, h) * b_starts.starts(k, h)
                    common += float(together.sum() - np.trace(together))
        if self.rule.attributes:
            common = float(alone[0].sum())
        elif not near:
            common = float(alone[0].sum() * alone[1].sum() - alone[0] @ alone[1])
        return common / (1 + halved), 0.0

    def _drawn_once(self) -> Ints:
        """Return what :meth:`shared` draws, from the seed and what the segments are."""
        if self._shared is None:
            columns = [x for y in self.layers for x in (y.start, y.end, y.label, y.shape)]
            if len(self.lengths) > 1:
                columns += [x.document for x in self.layers] + [self.lengths]
            what = digest_of((int(self.lengths[0]), [column.tolist() for column in columns]))
            self._shared = self.shared(DRAWS, generator_of(what, self.seed))
        return self._shared

    def pairs(self, shared: Ints, head: int, tail: int, near: int, halved: bool) -> Ints:
        """Return the pairs of a kind among segments that both have; a number for each draw."""
        if self.rule.pairs == "all":
            shared = shared.sum(2, keepdims=True)
        of_head, of_tail = shared[:, :, head], shared[:, :, tail]
        itself = of_head.sum(1)
        if self.rule.attributes:
            return itself
        within = (of_head * of_tail).sum(1)
        if not near:
            return (itself * of_tail.sum(1) - within) // (1 + halved)
        return (within - itself * (head == tail)) // (1 + halved)

    def shared(self, draws: int, rng: np.random.Generator) -> Ints:
        """Return how many segments both have in draws of both; (draws, sentences, labels)."""
        shared = np.zeros((draws, len(self.lengths), self.labels), np.int64)
        for draw, sentence, label, _ in self._drawn((True, True), draws, rng):
            np.add.at(shared, (draw, sentence, label), 1)
        return shared

    def hit(self, draws: int, rng: np.random.Generator) -> Bools:
        """Return which segments of the first the other has too, in draws of the other."""
        hit = np.zeros((draws, len(self.layers[0])), np.bool_)
        for draw, _, _, row in self._drawn((False, True), draws, rng):
            hit[draw, row] = True
        return hit

    def _drawn(
        self, random: tuple[bool, bool], draws: int, rng: np.random.Generator
    ) -> Iterator[tuple[Ints, Ints, Ints, Ints]]:
        """Yield draw, sentence, label and row of each segment of the first that both have.

        The row is that of the layer where the first is not random.
        """
        measure = find_match("exact" if self.of_label else "boundaries")
        sentences = len(self.lengths)
        most = max(1, _PORTION // max(sentences, *map(len, self.layers)))
        for low in range(0, draws, most):
            count = min(most, draws - low)
            lengths = np.tile(self.lengths, count)
            a, b = (
                redraw(copies_of(layer, count, sentences), lengths, self.labels, rng, rigid=True)
                if is_random
                else copies_of(layer, count, sentences)
                for layer, is_random in zip(self.layers, random, strict=True)
            )
            cell_a, cell_b = (x.document * self.labels + self._label(x) for x in (a, b))
            i, _, _ = similar(a, b, cell_a, cell_b, measure)
            draw, sentence = np.divmod(a.document[i], sentences)
            yield low + draw, sentence, a.label[i], i - draw * len(self.layers[0])


def _by_sentence(source: Corpus, names: Sequence[str]) -> tuple[list[Layer], Ints]:
    """Return the layers of a document with each sentence as a document, and their lengths.

    Raises:
        SettingError: for a segment in two sentences.
    """
    (ends,), size = sentence_ends(source), int(source.lengths[0])
    borders = np.unique(np.concatenate(([0], ends[ends < size], [size])))
    layers = []
    for name in names:
        layer = source.layers[name]
        sentence = np.searchsorted(borders, layer.start, "right") - 1
        over = np.flatnonzero(layer.end > borders[sentence + 1])[:1]
        if len(over):
            raise SettingError(
                f"annotator {show(name)}, document {show(source.id_of(0))}: segment"
                f" {layer.describe(over, source.labels)} is in two sentences; with pairs sentence"
                " and arguments random a segment stays in its own; arguments fixed goes with it"
            )
        start, end = (x - borders[sentence] for x in (layer.start, layer.end))
        seen = np.ones(len(borders) - 1, np.bool_)
        layers.append(Layer(sentence, start, end, layer.label, seen, layer.details))
    return layers, np.diff(borders)


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
