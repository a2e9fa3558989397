"""How likely each match is by chance: the whole distribution, of a document and of a corpus.

Documents are independent of each other, so the distribution of a corpus is the convolution of
those of its documents: sums of products of positive numbers, in which even a probability of 1e-200
keeps its digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np

from spanagree.arrays import Floats, unique_rows
from spanagree.chance.model import ChanceModel, Given, chance_model
from spanagree.chance.walk import BUDGET
from spanagree.choices import Chance, MatchName
from spanagree.comparisons.at_places import placement_model
from spanagree.comparisons.chance_distribution.both_random import both_random
from spanagree.comparisons.chance_distribution.convolution import convolved, log10_tail
from spanagree.comparisons.chance_distribution.draws import (
    canonical_order,
    draw_matches,
    moves_in_blocks,
    number_of_draws,
)
from spanagree.comparisons.chance_distribution.fixed_walk import fixed_walk
from spanagree.comparisons.chance_distribution.pieces import DocumentParts, pieces_of
from spanagree.comparisons.custom import checked
from spanagree.comparisons.expected import compare_layers, compute_start_distributions
from spanagree.comparisons.measures import OWN, Measure, Phi, find_measure, measures, turned
from spanagree.comparisons.overlaps import check_layer
from spanagree.comparisons.relation_places import (
    RelationCorpus,
    draw_relations,
    relation_distributions,
)
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.segments import Layer
from spanagree.errors import SettingError, check_known, check_whole, chosen, quote_value
from spanagree.formats.guessed import CorpusLike, as_corpus

_OF_MOMENTS = BUDGET  # numbers for mean and variance of a document, however few for all of it
_LEAST = 1e-290  # smaller probabilities have lost digits


@dataclass(frozen=True)
class MatchDistribution:
    """The match of two annotations by chance.

    Attributes:
        mean: of the match; of documents that were drawn too, unless it is too much work.
        variance: of the match; that of the draws in documents that were drawn.
        computed: how many documents were computed how: ``exact`` or ``drawn``; documents in which
            nothing can vary are among the exact ones.
        probabilities: of the matches 0, 1, … over the exact documents; ``None`` for a measure whose
            matches are not whole numbers.
        drawn: the match of the other documents in every draw, if there are any.
        most: an upper bound of it.
        size: how many documents there are.
        parts: of the documents in which both marked something, by number.

    >>> import spanagree as sa
    >>> layers = {"gold": [[(0, 2, "X")]], "mine": [[(0, 2, "X")]]}
    >>> found = sa.match_distribution(sa.Corpus.from_segments([6], layers), "gold", "mine")
    >>> found.mean, found.pmf, round(found.sd, 2)
    (0.2, {0: 0.8, 1: 0.2}, 0.4)
    """

    mean: float
    variance: float
    computed: Mapping[str, int]
    probabilities: Floats | None = field(repr=False, compare=False)
    drawn: Floats = field(default_factory=lambda: np.zeros(0), repr=False, compare=False)
    most: float = 0.0
    size: int = 0
    parts: Mapping[int, MatchDistribution] = field(default_factory=dict, repr=False, compare=False)

    @property
    def sd(self) -> float:
        """The standard deviation of the match."""
        return math.sqrt(self.variance)

    @cached_property
    def documents(self) -> tuple[MatchDistribution, ...]:
        """The distribution of each document."""
        return tuple(self.parts.get(d, _NOTHING) for d in range(self.size))

    @property
    def pmf(self) -> dict[int, float]:
        """The probability of each match that can occur.

        Raises:
            SettingError: for a measure whose matches are not whole numbers.
        """
        return {k: value for k, value in enumerate(self._all().tolist()) if value}

    def _all(self) -> Floats:
        """Return the probabilities of the matches 0, 1, … over all documents."""
        p = self._known()
        if len(self.drawn):
            p = np.convolve(p, np.bincount(self.drawn.astype(np.int64)) / len(self.drawn))
        return p

    @property
    def least_p(self) -> float:
        """The smallest p that draws can give; without them the smallest that is told apart."""
        return 1 / (1 + len(self.drawn)) if len(self.drawn) else _LEAST

    def tail(self, match: float) -> float:
        """Return the probability of at least so much match by chance: a one-sided p.

        It is exact, and 1e-290 where it is smaller. Where documents were drawn, it is the mean over
        the draws and what was asked for, as it is usual for tests by simulation; where draws cannot
        tell, it is an upper bound: the exact tail of the others with the greatest match in these.

        Raises:
            SettingError: for a measure whose matches are not whole numbers.
        """
        p = self._known()
        above = np.append(np.cumsum(p[::-1])[::-1], 0.0)
        needed = np.append(match - self.most, match - self.drawn)
        tails = above[np.clip(np.ceil(needed - 1e-9), 0, len(p)).astype(np.int64)]
        bound = min(max(float(tails[0]), _LEAST), 1.0)
        if not len(self.drawn) or bound < self.least_p:
            return bound
        return min(float((1 + tails[1:].sum()) / (1 + len(self.drawn))), 1.0)

    def log10_tail(self, match: float) -> float:
        """Return the decimal logarithm of :meth:`tail`, also where that is too small for a float.

        Raises:
            SettingError: for a measure whose matches are not whole numbers.
        """
        p = self.tail(match)
        if p > _LEAST:
            return math.log10(p)
        probabilities = [
            part.probabilities for part in self.parts.values() if part.probabilities is not None
        ]
        return log10_tail(probabilities or [self._known()], math.ceil(match - self.most))

    def quantile(self, share: float) -> int:
        """Return the smallest match that chance stays at or below with this probability.

        Raises:
            SettingError: for a measure whose matches are not whole numbers.
        """
        p = self._all()
        place = int(np.searchsorted(np.cumsum(p), share * (1 - 1e-12)))
        return min(place, int(np.flatnonzero(p)[-1]))

    def z(self, match: float) -> float:
        """Return how many standard deviations a match lies above the mean; ``nan`` if it is 0."""
        return (match - self.mean) / self.sd if self.variance else math.nan

    def _known(self) -> Floats:
        if self.probabilities is None:
            works = chosen("match", *measures(lambda measure: measure.is_whole))
            raise SettingError(
                "the matches are not whole numbers, so only their mean and variance are known; use"
                f" {works}, or chance_test(…, simulate=True)"
            )
        return self.probabilities


_NOTHING = MatchDistribution(0.0, 0.0, {"exact": 1}, np.ones(1), size=1)


def match_distribution(
    corpus: CorpusLike,
    a: str,
    b: str,
    *,
    match: MatchName | Phi = "exact",
    chance: Chance = "nonoverlapping",
    places: Given | None = None,
    fixed: str | None = None,
    of_label: bool = True,
    budget: float = BUDGET,
    draws: int = 1000,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> MatchDistribution:
    """Return the exact distribution of how much two annotators match by chance.

    A random annotation keeps the number, lengths and labels of the annotator's segments in every
    document. The distribution is that of the sum over the documents that both saw.

    Args:
        corpus: the annotations.
        a: the name of one annotator.
        b: the name of the other one.
        match: name of the measure; or a measure of your own, as :func:`spanagree.expected` takes
            it. If matches are not whole numbers, only mean and variance are computed.
        chance: the chance model, nonoverlapping, per-label or overlapping.
        places: where segments may stand, as :func:`spanagree.evaluate` takes it.
        fixed: which of the two stays as it is; both are random unless given.
        of_label: whether a measure of your own compares segments of the same label only.
        budget: how many numbers may be computed for one document before it is drawn at random.
        draws: how often these are drawn; fewer if they have very many segments.
        seed: a whole number from 0, for the draws.
        progress: called with the number of steps done, and of all.

    Raises:
        SettingError: for an unknown name, a number out of range, or a layer that overlaps itself
            where the measure or the chance model does not allow it.

    >>> corpus = Corpus.from_segments([6], {"gold": [[(0, 2, "X")]], "mine": [[(0, 2, "X")]]})
    >>> chance = match_distribution(corpus, "gold", "mine", fixed="gold")
    >>> chance.pmf, chance.mean, round(chance.variance, 2), chance.tail(1)
    ({0: 0.8, 1: 0.2}, 0.2, 0.16, 0.2)
    """
    corpus = as_corpus(corpus)
    check_known((a, b), corpus.annotators)
    model, corpus = chance_model(chance, places).with_ids(corpus)
    if a == b or fixed not in (None, a, b):
        raise SettingError(
            f"fixed {quote_value(fixed)}, of {quote_value(a)} and {quote_value(b)}; name two"
            " annotators, and as fixed one of them or None"
        )
    check_whole(draws, 1, "draws")
    check_whole(seed, 0, "seed")
    if isinstance(match, str):
        measure = find_measure(match)
        for name in (a, b):
            check_layer(corpus, name, match, model)
    else:
        measure = Measure(OWN, OWN, checked(match), of_label)
        for name in (a, b):
            check_layer(corpus, name, "exact", model)  # exact allows any overlap
    ask = DistributionOptions(measure, model, budget, draws, seed)
    return distribution(corpus, (a, b), fixed, ask, progress)


@dataclass(frozen=True)
class DistributionOptions:
    """What chance is asked for, and how much work may go into the answer."""

    measure: Measure
    chance: ChanceModel
    budget: float = BUDGET
    draws: int = 1000
    seed: int = 0


def distribution(
    corpus: Corpus,
    names: tuple[str, str],
    fixed: str | None,
    ask: DistributionOptions,
    progress: Callable[[int, int], None] | None = None,
) -> MatchDistribution:
    """Return the distribution of the match of two layers; whether they may overlap is not checked.

    Args:
        corpus: the annotations.
        names: of the two layers.
        fixed: which of them stays as it is, if any.
        ask: the measure, the chance model and the budget.
        progress: called with the number of steps done, and of all.
    """
    report_progress = progress or (lambda done, total: None)
    report_progress(0, 2)
    layers, is_drawn = [corpus.layers[name] for name in names], ask.measure.kernel == "near"
    if isinstance(corpus, RelationCorpus):
        return _of_relations(corpus, names, fixed)
    moments = not ask.measure.is_whole
    if is_drawn or any(moves_in_blocks(layer, ask.chance.name) for layer in layers):
        both = np.intersect1d(layers[0].document, layers[1].document)
        drawn = _drawn(corpus, names, fixed, ask, both.tolist(), moments)
        return over_documents(drawn, len(corpus), moments)
    pieces, walk = _pieces(corpus, names, fixed, ask)
    of_pieces = walk(pieces, ask.budget, moments)
    report_progress(1, 2)
    parts: dict[int, list[int]] = {}
    for piece, document in enumerate(pieces.document.tolist()):
        parts.setdefault(document, []).append(piece)
    known, over = {}, {}
    for document, here in parts.items():
        computed = [p for p in (of_pieces[piece] for piece in here) if p is not None]
        if len(computed) == len(here):
            known[document] = _of_document(computed, moments)
        else:
            over[document] = here
    for document, part in _drawn(corpus, names, fixed, ask, sorted(over), moments).items():
        budget = max(ask.budget, _OF_MOMENTS)  # mean and variance take less than a distribution
        exact = walk(pieces.some(np.array(over[document])), budget, True)
        figures = [values for values in exact if values is not None]
        known[document] = part
        if len(figures) == len(exact):
            mean, variance = np.sum(figures, axis=0).tolist()
            known[document] = replace(part, mean=mean, variance=variance)
    report_progress(2, 2)
    return over_documents(known, len(corpus), moments)


def _expected_match(
    corpus: Corpus, names: tuple[str, str], fixed: str | None, ask: DistributionOptions
) -> Floats:
    """Compute the expected match of each document without draws; ``nan`` if it is too much work.

    Args:
        corpus: documents that both annotators saw.
        names: of the two layers.
        fixed: the layer that is not random, if any.
        ask: the measure and the chance model.
    """
    (a, b), measure = names, ask.measure
    if fixed == b:
        a, b, measure = b, a, turned(measure)
    chance = ask.chance.fixing(fixed, ask.seed)
    coarse = measure.kernel != "offsets"  # a measure of your own may not be extrapolated
    try:
        starts, placed = compute_start_distributions(corpus, (a, b), chance, measure, coarse=coarse)
        n_labels = max(1, len(corpus.labels))
        rows = compare_layers(placed[a], placed[b], starts, measure, n_labels)
    except SettingError:  # as of a recording of very many units, or of pieces with one layer fixed
        return np.full(len(corpus), math.nan)
    if not rows.inexact.drawn:
        return np.bincount(rows.document, rows.expected, len(corpus)).astype(np.float64)
    if len(corpus) == 1:
        return np.full(1, math.nan)
    parts = (corpus.subset([d]) for d in range(len(corpus)))
    return np.concatenate([_expected_match(part, names, fixed, ask) for part in parts])


def _of_relations(
    corpus: RelationCorpus, names: tuple[str, str], fixed: str | None
) -> MatchDistribution:
    """Return the distribution of the relations in common, of each document and of all."""
    known = {}
    for document, parts in relation_distributions(corpus, names, fixed).items():
        known[document] = _of_document(parts, moments=False)
    return over_documents(known, len(corpus), moments=False)


def over_documents(
    parts: Mapping[int, MatchDistribution], size: int, moments: bool
) -> MatchDistribution:
    """Return the distribution of the sum over documents, which are independent."""
    of_documents = parts.values()
    draws = [part.drawn for part in of_documents if len(part.drawn)]
    everything = None
    if not moments:
        everything = convolved(part.probabilities for part in of_documents)  # type: ignore[misc]
    return MatchDistribution(
        math.fsum(part.mean for part in of_documents),
        math.fsum(part.variance for part in of_documents),
        {"exact": size - len(draws), **({"drawn": len(draws)} if draws else {})},
        everything,
        np.sum(draws, axis=0) if draws else np.zeros(0),
        sum(part.most for part in of_documents),
        size,
        parts,
    )


PieceWalk: TypeAlias = "Callable[[DocumentParts, float, bool], list[Floats | None]]"
"""The walk of some pieces: with a budget, and whether mean and variance are enough."""


def _pieces(
    corpus: Corpus, names: tuple[str, str], fixed: str | None, ask: DistributionOptions
) -> tuple[DocumentParts, PieceWalk]:
    """Return the pieces, and the walk that computes the distribution of each."""
    a, b = names
    measure = ask.measure
    if fixed == b:
        a, b, measure = b, a, turned(measure)
    layers = corpus.layers[a], corpus.layers[b]
    at = placement_model(corpus, (a, b), ask.chance)
    kinds = of_segments = None
    if at is not None:
        places, (of_a, of_b) = at
        kinds, of_segments = places.kinds, (places.kinds_of(of_a), places.kinds_of(of_b))
    pieces = pieces_of(*layers, corpus.lengths, measure, ask.chance.name, of_segments)

    def walk(some: DocumentParts, budget: float, moments: bool) -> list[Floats | None]:
        if fixed is None:
            return both_random(some, measure, ask.chance.name, budget, moments, kinds)
        return fixed_walk(some, measure, budget, moments, kinds)

    return pieces, walk


def _of_document(pieces: Sequence[Floats], moments: bool) -> MatchDistribution:
    if moments:
        mean, variance = np.sum(pieces, axis=0).tolist()
        return MatchDistribution(mean, variance, {"exact": 1}, None, size=1)
    p = convolved(pieces)
    k = np.arange(len(p))
    mean = math.fsum((k * p).tolist())
    variance = math.fsum(((k - mean) ** 2 * p).tolist())
    return MatchDistribution(mean, variance, {"exact": 1}, p, size=1)


def _drawn(
    corpus: Corpus,
    names: tuple[str, str],
    fixed: str | None,
    ask: DistributionOptions,
    documents: Sequence[int],
    moments: bool,
) -> dict[int, MatchDistribution]:
    """Return the distributions of documents that are over the budget, from draws.

    Their mean is the expected match, where that is known without draws.
    """
    if not documents:
        return {}
    corpus = corpus.select_annotators(names).subset(documents)
    order = canonical_order(corpus)
    corpus = corpus.subset(order)
    random = [name for name in names if name != fixed]
    draws = number_of_draws(ask.draws, max(len(corpus.layers[name]) for name in random))
    drawn = np.concatenate(list(draws_of(corpus, names, fixed, ask, draws)))
    means = _expected_match(corpus, names, fixed, ask)
    means = np.where(np.isnan(means), drawn.mean(axis=0), means)
    most = np.full(len(corpus), math.inf)
    if not ask.chance.is_free:
        most = np.minimum(*(_sizes(corpus, name, ask) for name in names))
        if ask.chance.name == "per-label" and not ask.measure.of_label:
            most *= max(1, len(corpus.labels))  # one of each label may match the same segment
    return {
        documents[d]: MatchDistribution(
            float(means[place]),
            float(matches.var(ddof=min(1, draws - 1))),
            {"drawn": 1},
            None if moments else np.ones(1),
            matches,
            float(most[place]),
            1,
        )
        for place, (d, matches) in enumerate(zip(order, drawn.T, strict=True))
    }


def _sizes(corpus: Corpus, name: str, ask: DistributionOptions) -> Floats:
    """Return the size of an annotation in each document, which its match cannot exceed."""
    if ask.measure.in_tokens and ask.chance.places is not None:  # its places may be longer
        return corpus.lengths.astype(np.float64) * max(1, len(corpus.labels))
    layer = corpus.layers[name]
    size = layer.end - layer.start if ask.measure.in_tokens else np.ones(len(layer))
    return np.bincount(layer.document, size, len(corpus)).astype(np.float64)


def draws_of(
    corpus: Corpus, names: tuple[str, str], fixed: str | None, ask: DistributionOptions, draws: int
) -> Iterator[Floats]:
    """Yield the match of each document in every draw, some draws at a time; (draws, documents)."""
    if isinstance(corpus, RelationCorpus):
        yield draw_relations(corpus, names, fixed, draws, np.random.default_rng(ask.seed))
        return
    layers, n_labels = _with_labels_of_documents([corpus.layers[name] for name in names])
    cells = np.repeat(np.arange(len(corpus))[:, None], max(1, n_labels), axis=1)
    if ask.measure.of_label:  # a cell of its own for each label
        cells = np.arange(cells.size).reshape(cells.shape)
    rng, random = np.random.default_rng(ask.seed), [name != fixed for name in names]
    for drawn in draw_matches(
        layers, random, corpus.lengths, cells, ask.measure, ask.chance.name, draws, rng,
        placement_model(corpus, names, ask.chance, ask.measure.unit),
        rigid=any(moves_in_blocks(layer, ask.chance.name) for layer in layers),
    ):  # fmt: skip
        yield drawn.reshape(len(drawn), len(corpus), -1).sum(2)


def _with_labels_of_documents(layers: Sequence[Layer]) -> tuple[list[Layer], int]:
    """Number the labels of each document anew, in their order, as a corpus may have thousands.

    Returns:
        The layers, and the greatest number of labels in a document.
    """
    document = np.concatenate([layer.document for layer in layers])
    (document_index, _), which, _ = unique_rows(document, np.concatenate([x.label for x in layers]))
    rank = np.arange(len(document_index)) - np.searchsorted(document_index, document_index)
    parts = np.split(rank[which], np.cumsum([len(layer) for layer in layers])[:-1])
    renumbered = [replace(layer, label=label) for layer, label in zip(layers, parts, strict=True)]
    return renumbered, int(rank.max(initial=-1)) + 1


def likely_matches(by_chance: MatchDistribution) -> tuple[Floats, Floats]:
    """Return each match that is not all too improbable by chance, and its probability."""
    pmf = by_chance.pmf
    seen = {match: p for match, p in pmf.items() if p > max(pmf.values()) / 1000}
    return np.array(list(seen), np.float64), np.array(list(seen.values()))
