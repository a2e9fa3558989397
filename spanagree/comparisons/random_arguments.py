"""Relations by chance where the segments that they link are random too.

Given where segments are, chance of relations is known (:mod:`spanagree.chance.relations`): it only
asks how many pairs of segments both annotators have. The expected number of these is exact where
it is not too much work to know how two segments stand together; else it is a mean over random
annotations. Distributions are drawn: first segments, then relations between them. Where a kind of
pairs goes by sentences, every segment stays in its own: so the pairs of a kind stay as many.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from spanagree.arrays import Bools, Floats, Ints, distinct
from spanagree.chance.random_annotations import redraw
from spanagree.comparisons.chance_distribution.draws import copies_of, moves_in_blocks
from spanagree.comparisons.chance_distribution.variance import Kind, StartsOfTwo, cost_of_two
from spanagree.comparisons.inexact import digest_of, generator_of
from spanagree.comparisons.measures import find_match
from spanagree.comparisons.observed import similar
from spanagree.comparisons.relation_places import (
    PairKind,
    PairPlaces,
    RelationCorpus,
    compare_relations,
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


class RandomPairPlaces(PairPlaces):
    """The pairs at which random relations stand if the segments that they link are random too."""

    def shares(self, i: Ints, j: Ints, seed: int) -> tuple[Floats, Floats]:
        """Return the probability that random relations of two sets of a kind match, and its error.

        The error is the standard error of draws, 0 where the probability is exact.
        """
        share, error = np.zeros(len(i)), np.zeros(len(i))
        owner, document = self.groups.owner, self.groups.document
        a, b = self.head[i], self.head[j]
        two, which, _ = distinct(owner[a], owner[b], document[a])
        for number, (first, second, at) in enumerate(zip(*(x.tolist() for x in two), strict=True)):
            names = self.names[first], self.names[second]
            marked = _MarkedByTwo(self.corpus, names, at, seed)
            for row in np.flatnonzero(which == number).tolist():
                if possible := self.pairs[i[row]] * self.pairs[j[row]]:
                    common, off = marked.expected_pairs(self.kind(int(i[row])))
                    share[row], error[row] = common / possible, off / possible
        return share, error


class _MarkedByTwo:
    """The segments that two annotators marked in one document, where both are random.

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
        self.kinds: list[list[Counter[Kind]]] = [[Counter() for _ in self.lengths] for _ in names]
        for kinds, layer in zip(self.kinds, self.layers, strict=True):
            columns = layer.document, layer.end - layer.start, self._label(layer)
            for sentence, length, label in zip(*(x.tolist() for x in columns), strict=True):
                kinds[sentence][length, label] += 1

    def _label(self, layer: Layer) -> Ints:
        """Return the labels of segments as they are compared."""
        return layer.label * self.of_label

    def expected_pairs(self, kind: PairKind) -> tuple[float, float]:
        """Return how many pairs of a kind both are expected to have, and its standard error."""
        heads, tails = (
            [self._kinds_of_both(s, type_) for s in range(len(self.lengths))]
            for type_ in (kind.head, kind.tail)
        )
        if any(moves_in_blocks(layer, "nonoverlapping") for layer in self.layers) or (
            self._cost(heads, tails, kind) > BUDGET
        ):
            drawn = self.pairs(self._drawn_once, kind)
            # what no draw has is not impossible
            variance = max(float(drawn.var(ddof=1)), 1 / len(drawn))
            return float(drawn.mean()), (variance / len(drawn)) ** 0.5
        if self.rule.attributes:
            pairs = float(self._expected_segments(heads).sum())
        elif kind.near:
            pairs = self._expected_within(heads, tails)
        else:  # sentences are independent of each other
            first, second = self._expected_segments(heads), self._expected_segments(tails)
            pairs = float(first.sum() * second.sum() - first @ second)
        return pairs / (1 + kind.symmetric), 0.0

    def _kinds_of_both(self, sentence: int, type_: int) -> list[Kind]:
        """Return the lengths and labels of a type of segments that both have in a sentence."""
        a, b = (kinds[sentence] for kinds in self.kinds)
        both = sorted(a.keys() & b.keys())
        return [kind for kind in both if self.rule.pairs == "all" or kind[1] == type_]

    def _cost(
        self, heads: Sequence[Sequence[Kind]], tails: Sequence[Sequence[Kind]], kind: PairKind
    ) -> float:
        """Return about how many numbers the expected pairs need."""
        cost = 0.0
        for a, b, n, head, tail in zip(*self.kinds, self.lengths, heads, tails, strict=True):
            pairs = len(head) * len(tail) if kind.near else len(head) + len(tail)
            cost += (cost_of_two(a, int(n)) + cost_of_two(b, int(n))) * pairs
        return cost

    @cached_property
    def _starts(self) -> list[tuple[StartsOfTwo, StartsOfTwo]]:
        """Where one and two segments start, of either annotator, in each sentence."""
        return [
            (StartsOfTwo(a, n), StartsOfTwo(b, n))
            for a, b, n in zip(*self.kinds, self.lengths.tolist(), strict=True)
        ]

    def _expected_segments(self, kinds: Sequence[Sequence[Kind]]) -> Floats:
        """Return how many segments of some kinds both are expected to have, in each sentence."""
        return np.array(
            [
                sum(a.starts_of_one(kind) @ b.starts_of_one(kind) for kind in of_sentence)
                for (a, b), of_sentence in zip(self._starts, kinds, strict=True)
            ],
            np.float64,
        )

    def _expected_within(
        self, heads: Sequence[Sequence[Kind]], tails: Sequence[Sequence[Kind]]
    ) -> float:
        """Return how many pairs of segments in one sentence both are expected to have."""
        pairs = 0.0
        for (a, b), of_head, of_tail in zip(self._starts, heads, tails, strict=True):
            for head, tail in itertools.product(of_head, of_tail):
                together = a.starts(head, tail) * b.starts(head, tail)
                pairs += float(together.sum() - np.trace(together))  # none is linked with itself
        return pairs

    @cached_property
    def _drawn_once(self) -> Ints:
        """What :meth:`shared` draws, from the seed and what the segments are."""
        columns = [x for y in self.layers for x in (y.start, y.end, y.label, y.shape)]
        if len(self.lengths) > 1:
            columns += [x.document for x in self.layers] + [self.lengths]
        what = digest_of((int(self.lengths[0]), [column.tolist() for column in columns]))
        return self.shared(DRAWS, generator_of(what, self.seed))

    def pairs(self, shared: Ints, kind: PairKind) -> Ints:
        """Return the pairs of a kind among segments that both have; a number for each draw."""
        if self.rule.pairs == "all":
            shared = shared.sum(2, keepdims=True)
        of_head, of_tail = shared[:, :, kind.head], shared[:, :, kind.tail]
        heads = of_head.sum(1)
        if self.rule.attributes:
            return heads
        within = (of_head * of_tail).sum(1)
        if kind.near:
            pairs = within - heads * (kind.head == kind.tail)  # none is linked with itself
        else:
            pairs = heads * of_tail.sum(1) - within
        return pairs // (1 + kind.symmetric)

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
    places, rows, document = compare_relations(corpus, a, b)
    pairs_a, pairs_b = (places.pairs[sets].astype(np.int64) for sets in (rows.sets_a, rows.sets_b))
    common = places.common(rows.sets_a, rows.sets_b).astype(np.int64)
    head, tail = places.linked_by(a)
    spans = len(places.spans.document)
    known_to_b = np.isin(np.arange(spans), places.marked_by(b))[None, :]  # in each draw
    matched = np.zeros((draws, len(corpus)))
    for d in np.unique(document).tolist():
        marked, shared = None, None
        if corpus.rule.arguments == "random":
            marked = _MarkedByTwo(corpus, (a, b), d)
            if fixed is None:
                shared = marked.shared(draws, rng)
            else:
                of_a = places.marked_by(a)[corpus.source.layers[a].document == d]
                known_to_b = np.zeros((draws, spans), np.bool_)
                known_to_b[:, of_a] = marked.hit(draws, rng)
        for row in np.flatnonzero(document == d).tolist():
            if fixed is None:
                both = common[row]
                if marked is not None and shared is not None:
                    both = marked.pairs(shared, places.kind(int(rows.sets_a[row])))
                on_common = rng.hypergeometric(both, pairs_a[row] - both, rows.number_a[row], draws)
            else:
                of_row = rows.row_of_a == row
                on_common = (known_to_b[:, head[of_row]] & known_to_b[:, tail[of_row]]).sum(1)
            matched[:, d] += rng.hypergeometric(
                on_common, pairs_b[row] - on_common, rows.number_b[row], draws
            )
    return matched
