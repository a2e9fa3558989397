"""Distributions of the match by chance, of single documents and of a corpus.

Documents are independent, so the distribution of a corpus is the convolution of the distributions
of its documents:

    P(m) = Σ over m₁ + … + m_D = m: P₁(m₁) · … · P_D(m_D).

All terms are positive, so even a probability of 1e-200 keeps its digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TypeAlias

import numpy as np

from spanagree.arrays import Floats, unique_rows
from spanagree.chance.model import ChanceModel, Given, build_chance_model
from spanagree.chance.walk import BUDGET
from spanagree.choices import Chance, MatchName
from spanagree.comparisons.at_places import build_placement_model
from spanagree.comparisons.chance_distribution.both_random import compute_both_random
from spanagree.comparisons.chance_distribution.convolution import (
    compute_log10_tail,
    convolve_distributions,
)
from spanagree.comparisons.chance_distribution.draws import (
    draw_matches,
    limit_draws,
    moves_in_blocks,
    sort_canonically,
)
from spanagree.comparisons.chance_distribution.fixed_walk import compute_fixed_by_walk
from spanagree.comparisons.chance_distribution.pieces import DocumentParts, find_parts
from spanagree.comparisons.custom import wrap_with_checks
from spanagree.comparisons.expected import compare_layers, compute_start_distributions
from spanagree.comparisons.measures import (
    OWN,
    Measure,
    Phi,
    find_measure,
    list_measures,
    swap_annotators,
)
from spanagree.comparisons.overlaps import check_layers
from spanagree.comparisons.relation_places import (
    RelationCorpus,
    compute_relation_distributions,
    draw_relations,
)
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.segments import Layer
from spanagree.errors import SettingError, check_integer, check_known, format_setting, quote_value
from spanagree.formats.guessed import CorpusLike, as_corpus

_MOMENTS_BUDGET = BUDGET  # least budget for the mean and the variance of a document
_SMALLEST = 1e-290  # smaller probabilities lose digits


@dataclass(frozen=True)
class MatchDistribution:
    """The distribution of the match of two annotations by chance.

    Attributes:
        mean: mean of the match. For drawn documents it is exact too, unless that takes too long.
        variance: variance of the match; of the draws for drawn documents.
        computed: number of documents by method, ``exact`` or ``drawn``; documents with a constant
            match count as exact.
        probabilities: probabilities of the matches 0, 1, … over the exact documents; ``None`` for a
            measure with matches that are not integers.
        drawn: match of the drawn documents in each draw; empty if there are none.
        most: upper bound of the match of the drawn documents.
        size: number of documents.
        parts: distribution of each document in which both annotators marked segments, by index.

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
        """Standard deviation of the match."""
        return math.sqrt(self.variance)

    @cached_property
    def documents(self) -> tuple[MatchDistribution, ...]:
        """Distribution of each document."""
        return tuple(self.parts.get(d, _NO_MATCH) for d in range(self.size))

    @property
    def pmf(self) -> dict[int, float]:
        """Probability of each possible match.

        Raises:
            SettingError: if matches are not integers.
        """
        return {
            k: value for k, value in enumerate(self._compute_all_probabilities().tolist()) if value
        }

    def _compute_all_probabilities(self) -> Floats:
        """Compute the probabilities of the matches 0, 1, … over all documents."""
        p = self._require_probabilities()
        if len(self.drawn):
            p = np.convolve(p, np.bincount(self.drawn.astype(np.int64)) / len(self.drawn))
        return p

    @property
    def least_p(self) -> float:
        """Smallest p that draws allow; without draws, the smallest accurate p."""
        return 1 / (1 + len(self.drawn)) if len(self.drawn) else _SMALLEST

    def tail(self, match: float) -> float:
        """Compute the probability of a match of at least ``match`` by chance: a one-sided p.

        The result is exact, or 1e-290 if it is smaller. If documents were drawn, the result is the
        mean over the draws and the requested match, as usual for tests by simulation. If that is
        below the resolution of the draws, it is an upper bound: the exact tail of the other
        documents, with the greatest possible match in the drawn documents.

        Raises:
            SettingError: if matches are not integers.
        """
        p = self._require_probabilities()
        tail_probability = np.append(np.cumsum(p[::-1])[::-1], 0.0)
        needed_match = np.append(match - self.most, match - self.drawn)
        tails = tail_probability[np.clip(np.ceil(needed_match - 1e-9), 0, len(p)).astype(np.int64)]
        bound = min(max(float(tails[0]), _SMALLEST), 1.0)
        if not len(self.drawn) or bound < self.least_p:
            return bound
        return min(float((1 + tails[1:].sum()) / (1 + len(self.drawn))), 1.0)

    def log10_tail(self, match: float) -> float:
        """Compute the decimal logarithm of :meth:`tail`, even if that is too small for a float.

        Raises:
            SettingError: if matches are not integers.
        """
        p = self.tail(match)
        if p > _SMALLEST:
            return math.log10(p)
        probabilities = [
            document.probabilities
            for document in self.parts.values()
            if document.probabilities is not None
        ]
        return compute_log10_tail(
            probabilities or [self._require_probabilities()], math.ceil(match - self.most)
        )

    def quantile(self, share: float) -> int:
        """Find the smallest match that chance does not exceed with the probability ``share``.

        Raises:
            SettingError: if matches are not integers.
        """
        p = self._compute_all_probabilities()
        match = int(np.searchsorted(np.cumsum(p), share * (1 - 1e-12)))
        return min(match, int(np.flatnonzero(p)[-1]))

    def z(self, match: float) -> float:
        """Compute the distance of a match from the mean, in standard deviations.

        It is ``nan`` if the match by chance does not vary.
        """
        return (match - self.mean) / self.sd if self.variance else math.nan

    def _require_probabilities(self) -> Floats:
        """Return the probabilities over the exact documents; raise an error if they are unknown."""
        if self.probabilities is None:
            alternatives = format_setting("match", *list_measures(lambda measure: measure.is_whole))
            raise SettingError(
                "the matches are not whole numbers, so only their mean and variance are known; use"
                f" {alternatives}, or chance_test(…, simulate=True)"
            )
        return self.probabilities


_NO_MATCH = MatchDistribution(0.0, 0.0, {"exact": 1}, np.ones(1), size=1)


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
    """Compute the exact distribution of the match of two annotators by chance.

    A random annotation keeps the number, lengths and labels of the annotator's segments in each
    document. The match is summed over the documents that both annotators saw.

    Args:
        corpus: annotations.
        a: name of the first annotator.
        b: name of the second annotator.
        match: name of the measure, or a custom measure as for :func:`spanagree.expected`. If
            matches are not integers, only mean and variance are computed.
        chance: chance model, nonoverlapping, per-label or overlapping.
        places: rule of places, as for :func:`spanagree.evaluate`.
        fixed: name of the annotator who is fixed. Default: both are random.
        of_label: True if a custom measure compares only segments of the same label.
        budget: largest number of values computed for a document; documents that need more are
            drawn.
        draws: number of draws of these documents; fewer if they have very many segments.
        seed: random seed of the draws, an integer from 0.
        progress: function called with the number of finished steps and of all steps.

    Raises:
        SettingError: if a name is unknown, a number is out of range, or a layer has overlaps that
            the measure or the chance model forbids.

    >>> corpus = Corpus.from_segments([6], {"gold": [[(0, 2, "X")]], "mine": [[(0, 2, "X")]]})
    >>> chance = match_distribution(corpus, "gold", "mine", fixed="gold")
    >>> chance.pmf, chance.mean, round(chance.variance, 2), chance.tail(1)
    ({0: 0.8, 1: 0.2}, 0.2, 0.16, 0.2)
    """
    corpus = as_corpus(corpus)
    check_known((a, b), corpus.annotators)
    model, corpus = build_chance_model(chance, places).bind_to_ids(corpus)
    if a == b or fixed not in (None, a, b):
        raise SettingError(
            f"fixed {quote_value(fixed)}, of {quote_value(a)} and {quote_value(b)}; name two"
            " annotators, and as fixed one of them or None"
        )
    check_integer(draws, 1, "draws")
    check_integer(seed, 0, "seed")
    if isinstance(match, str):
        measure = find_measure(match)
        check_layers(corpus, match, model, (a, b))
    else:
        measure = Measure(OWN, OWN, wrap_with_checks(match), of_label)
        check_layers(corpus, "exact", model, (a, b))  # exact allows any overlap
    options = DistributionOptions(measure, model, budget, draws, seed)
    return compute_distribution(corpus, (a, b), fixed, options, progress)


@dataclass(frozen=True)
class DistributionOptions:
    """Options for computing a distribution: measure, chance model, budget and draws."""

    measure: Measure
    chance: ChanceModel
    budget: float = BUDGET
    draws: int = 1000
    seed: int = 0


def compute_distribution(
    corpus: Corpus,
    names: tuple[str, str],
    fixed: str | None,
    options: DistributionOptions,
    progress: Callable[[int, int], None] | None = None,
) -> MatchDistribution:
    """Compute the distribution of the match of two layers, without checking their overlaps.

    Args:
        corpus: annotations.
        names: names of the two layers.
        fixed: name of the fixed layer, if any.
        options: measure, chance model and budget.
        progress: function called with the number of finished steps and of all steps.
    """
    report_progress = progress or (lambda done, total: None)
    report_progress(0, 2)
    layers, is_drawn = [corpus.layers[name] for name in names], options.measure.kernel == "near"
    if isinstance(corpus, RelationCorpus):
        return _compute_distribution_of_relations(corpus, names, fixed)
    moments = not options.measure.is_whole
    if is_drawn or any(moves_in_blocks(layer, options.chance.name) for layer in layers):
        shared_documents = np.intersect1d(layers[0].document, layers[1].document)
        drawn_distributions = _compute_distributions_by_draws(
            corpus, names, fixed, options, shared_documents.tolist(), moments
        )
        return sum_over_documents(drawn_distributions, len(corpus), moments)
    document_parts, compute_parts = _find_parts_and_walk(corpus, names, fixed, options)
    results = compute_parts(document_parts, options.budget, moments)
    report_progress(1, 2)
    parts_by_document: dict[int, list[int]] = {}
    for part_index, document in enumerate(document_parts.document.tolist()):
        parts_by_document.setdefault(document, []).append(part_index)
    distribution_by_document, over_budget = {}, {}
    for document, rows in parts_by_document.items():
        known_results = [
            result for result in (results[part_index] for part_index in rows) if result is not None
        ]
        if len(known_results) == len(rows):
            distribution_by_document[document] = _compute_distribution_of_document(
                known_results, moments
            )
        else:
            over_budget[document] = rows
    for document, drawn_distribution in _compute_distributions_by_draws(
        corpus, names, fixed, options, sorted(over_budget), moments
    ).items():
        budget = max(options.budget, _MOMENTS_BUDGET)  # moments take less than a distribution
        exact = compute_parts(
            document_parts.select_parts(np.array(over_budget[document])), budget, True
        )
        moments_of_parts = [values for values in exact if values is not None]
        distribution_by_document[document] = drawn_distribution
        if len(moments_of_parts) == len(exact):
            mean, variance = np.sum(moments_of_parts, axis=0).tolist()
            distribution_by_document[document] = replace(
                drawn_distribution, mean=mean, variance=variance
            )
    report_progress(2, 2)
    return sum_over_documents(distribution_by_document, len(corpus), moments)


def _compute_expected_match(
    corpus: Corpus, names: tuple[str, str], fixed: str | None, options: DistributionOptions
) -> Floats:
    """Compute the expected match of each document without draws; ``nan`` if it takes too long.

    Args:
        corpus: documents that both annotators saw.
        names: names of the two layers.
        fixed: name of the fixed layer, if any.
        options: measure and chance model.
    """
    (a, b), measure = names, options.measure
    if fixed == b:
        a, b, measure = b, a, swap_annotators(measure)
    chance = options.chance.set_fixed_annotator(fixed, options.seed)
    coarse = measure.kernel != "offsets"  # values of custom measures cannot be extrapolated
    try:
        starts, layers = compute_start_distributions(corpus, (a, b), chance, measure, coarse=coarse)
        n_labels = max(1, len(corpus.labels))
        rows = compare_layers(layers[a], layers[b], starts, measure, n_labels)
    except SettingError:  # such as recordings with many units, or fragments with one fixed layer
        return np.full(len(corpus), math.nan)
    if not rows.inexact.drawn:
        return np.bincount(rows.document, rows.expected, len(corpus)).astype(np.float64)
    if len(corpus) == 1:
        return np.full(1, math.nan)
    documents = (corpus.subset([d]) for d in range(len(corpus)))
    return np.concatenate(
        [_compute_expected_match(document, names, fixed, options) for document in documents]
    )


def _compute_distribution_of_relations(
    corpus: RelationCorpus, names: tuple[str, str], fixed: str | None
) -> MatchDistribution:
    """Compute the distribution of the number of common relations."""
    distribution_by_document = {}
    for document, distributions in compute_relation_distributions(corpus, names, fixed).items():
        distribution_by_document[document] = _compute_distribution_of_document(
            distributions, moments=False
        )
    return sum_over_documents(distribution_by_document, len(corpus), moments=False)


def sum_over_documents(
    by_document: Mapping[int, MatchDistribution], n_documents: int, moments: bool
) -> MatchDistribution:
    """Compute the distribution of the sum over documents, which are independent.

    Args:
        by_document: distribution by the index of the document.
        n_documents: number of documents.
        moments: True if only mean and variance are known.
    """
    distributions = by_document.values()
    drawn_matches = [
        distribution.drawn for distribution in distributions if len(distribution.drawn)
    ]
    probabilities = None
    if not moments:
        probabilities = convolve_distributions(
            distribution.probabilities  # type: ignore[misc]
            for distribution in distributions
        )
    return MatchDistribution(
        math.fsum(distribution.mean for distribution in distributions),
        math.fsum(distribution.variance for distribution in distributions),
        {
            "exact": n_documents - len(drawn_matches),
            **({"drawn": len(drawn_matches)} if drawn_matches else {}),
        },
        probabilities,
        np.sum(drawn_matches, axis=0) if drawn_matches else np.zeros(0),
        sum(distribution.most for distribution in distributions),
        n_documents,
        by_document,
    )


PartWalk: TypeAlias = "Callable[[DocumentParts, float, bool], list[Floats | None]]"
"""Function that walks parts, with a budget, and True for mean and variance only."""


def _find_parts_and_walk(
    corpus: Corpus, names: tuple[str, str], fixed: str | None, options: DistributionOptions
) -> tuple[DocumentParts, PartWalk]:
    """Find the parts of documents, and build the function that computes their distributions."""
    a, b = names
    measure = options.measure
    if fixed == b:
        a, b, measure = b, a, swap_annotators(measure)
    layers = corpus.layers[a], corpus.layers[b]
    model_and_classes = build_placement_model(corpus, (a, b), options.chance)
    place_kinds = kinds_of_segments = None
    if model_and_classes is not None:
        model, (classes_a, classes_b) = model_and_classes
        place_kinds, kinds_of_segments = (
            model.kinds,
            (model.look_up_kinds(classes_a), model.look_up_kinds(classes_b)),
        )
    document_parts = find_parts(
        *layers, corpus.lengths, measure, options.chance.name, kinds_of_segments
    )

    def compute_parts(selected: DocumentParts, budget: float, moments: bool) -> list[Floats | None]:
        """Compute the distributions of selected parts, with the fixed layer or with both random."""
        if fixed is None:
            return compute_both_random(
                selected, measure, options.chance.name, budget, moments, place_kinds
            )
        return compute_fixed_by_walk(selected, measure, budget, moments, place_kinds)

    return document_parts, compute_parts


def _compute_distribution_of_document(
    results: Sequence[Floats], moments: bool
) -> MatchDistribution:
    """Compute the distribution of a document, the sum of its independent parts.

    Args:
        results: distribution of each part, or its mean and variance.
        moments: True if the results are means and variances.
    """
    if moments:
        mean, variance = np.sum(results, axis=0).tolist()
        return MatchDistribution(mean, variance, {"exact": 1}, None, size=1)
    probabilities = convolve_distributions(results)
    matches = np.arange(len(probabilities))
    mean = math.fsum((matches * probabilities).tolist())
    variance = math.fsum(((matches - mean) ** 2 * probabilities).tolist())
    return MatchDistribution(mean, variance, {"exact": 1}, probabilities, size=1)


def _compute_distributions_by_draws(
    corpus: Corpus,
    names: tuple[str, str],
    fixed: str | None,
    options: DistributionOptions,
    documents: Sequence[int],
    moments: bool,
) -> dict[int, MatchDistribution]:
    """Compute the distributions of documents that exceed the budget, from draws.

    Their means are the expected matches, if these are known without draws.

    Returns:
        Distribution by the index of the document.
    """
    if not documents:
        return {}
    corpus = corpus.select_annotators(names).subset(documents)
    order = sort_canonically(corpus)
    corpus = corpus.subset(order)
    random_names = [name for name in names if name != fixed]
    draws = limit_draws(options.draws, max(len(corpus.layers[name]) for name in random_names))
    drawn_matches = np.concatenate(list(yield_match_draws(corpus, names, fixed, options, draws)))
    means = _compute_expected_match(corpus, names, fixed, options)
    means = np.where(np.isnan(means), drawn_matches.mean(axis=0), means)
    match_bound = np.full(len(corpus), math.inf)
    if not options.chance.is_free:
        match_bound = np.minimum(*(_bound_matches(corpus, name, options) for name in names))
        if options.chance.name == "per-label" and not options.measure.of_label:
            # one segment of each label may match the same segment
            match_bound *= max(1, len(corpus.labels))
    return {
        documents[document_position]: MatchDistribution(
            float(means[row]),
            float(matches.var(ddof=min(1, draws - 1))),
            {"drawn": 1},
            None if moments else np.ones(1),
            matches,
            float(match_bound[row]),
            1,
        )
        for row, (document_position, matches) in enumerate(zip(order, drawn_matches.T, strict=True))
    }


def _bound_matches(corpus: Corpus, name: str, options: DistributionOptions) -> Floats:
    """Compute an upper bound of the match of an annotation in each document: its size."""
    # places may be longer than the segments
    if options.measure.in_tokens and options.chance.places is not None:
        return corpus.lengths.astype(np.float64) * max(1, len(corpus.labels))
    layer = corpus.layers[name]
    size = layer.end - layer.start if options.measure.in_tokens else np.ones(len(layer))
    return np.bincount(layer.document, size, len(corpus)).astype(np.float64)


def yield_match_draws(
    corpus: Corpus,
    names: tuple[str, str],
    fixed: str | None,
    options: DistributionOptions,
    draws: int,
) -> Iterator[Floats]:
    """Yield the match of each document in each draw, in batches of draws; (draws, documents)."""
    if isinstance(corpus, RelationCorpus):
        yield draw_relations(corpus, names, fixed, draws, np.random.default_rng(options.seed))
        return
    layers, n_labels = _renumber_labels([corpus.layers[name] for name in names])
    cells = np.repeat(np.arange(len(corpus))[:, None], max(1, n_labels), axis=1)
    if options.measure.of_label:  # a separate cell for each label
        cells = np.arange(cells.size).reshape(cells.shape)
    rng, is_random = np.random.default_rng(options.seed), [name != fixed for name in names]
    for batch in draw_matches(
        layers, is_random, corpus.lengths, cells, options.measure, options.chance.name, draws, rng,
        build_placement_model(corpus, names, options.chance, options.measure.unit),
        rigid=any(moves_in_blocks(layer, options.chance.name) for layer in layers),
    ):  # fmt: skip
        yield batch.reshape(len(batch), len(corpus), -1).sum(2)


def _renumber_labels(layers: Sequence[Layer]) -> tuple[list[Layer], int]:
    """Number the labels of each document from 0 in their order.

    A corpus may have thousands of labels, a document only a few.

    Returns:
        The layers, and the greatest number of labels in a document.
    """
    document = np.concatenate([layer.document for layer in layers])
    (document_index, _), inverse, _ = unique_rows(
        document, np.concatenate([own_layer.label for own_layer in layers])
    )
    rank = np.arange(len(document_index)) - np.searchsorted(document_index, document_index)
    labels_of_layers = np.split(rank[inverse], np.cumsum([len(layer) for layer in layers])[:-1])
    renumbered = [
        replace(layer, label=label) for layer, label in zip(layers, labels_of_layers, strict=True)
    ]
    return renumbered, int(rank.max(initial=-1)) + 1


def find_likely_matches(by_chance: MatchDistribution) -> tuple[Floats, Floats]:
    """Find the matches with at least a thousandth of the largest probability by chance.

    Returns:
        Matches, and the probability of each.
    """
    pmf = by_chance.pmf
    probability_by_match = {
        match: probability
        for match, probability in pmf.items()
        if probability > max(pmf.values()) / 1000
    }
    return np.array(list(probability_by_match), np.float64), np.array(
        list(probability_by_match.values())
    )
