"""Test of systems against chance: gold is fixed, the system's segments are placed at random.

"A random annotation scores 0 after correction" is true on average if both layers are random. The
mean of random systems against one fixed gold annotation may differ from 0, because gold segments
may be near the beginning or end of their documents, where random segments are rarer. The test
therefore needs a null distribution of its own.
It is computed exactly (:mod:`spanagree.comparisons.chance_distribution.distribution`), or drawn
on request.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from spanagree.arrays import Floats
from spanagree.chance.walk import BUDGET
from spanagree.comparisons.chance_distribution.distribution import (
    DistributionOptions,
    MatchDistribution,
    compute_distribution,
    yield_match_draws,
)
from spanagree.comparisons.chance_distribution.draws import sort_canonically
from spanagree.comparisons.inexact import write_drawn_sentence
from spanagree.corpus.corpus import Corpus
from spanagree.errors import SettingError, check_integer, escape_name, pluralize
from spanagree.formats.guessed import CorpusLike, as_corpus
from spanagree.results.result import NanEqualMixin, Result
from spanagree.results.score import UNDEFINED
from spanagree.systems.count import EvaluationSettings
from spanagree.systems.lost_quotes import write_lost_quotes_sentence
from spanagree.systems.result import Evaluation, System, check_evaluation
from spanagree.uncertainty.chance_statistics import HIGH
from spanagree.uncertainty.permutation import holm, holm_log10

_TIE = 1e-12  # relative; matches closer than this are equal


@dataclass(frozen=True, eq=False)
class TestedSystem(NanEqualMixin):
    """One system against chance: gold is fixed, the system's segments are random.

    Attributes:
        name: name of the system.
        f1: observed F1.
        p: probability that chance reaches the observed F1, one-sided; never 0. If it was drawn, it
            is (1 + draws that reach it) / (1 + draws).
        mean: mean F1 by chance.
        null: F1 of each draw; empty if nothing was drawn.
        reason: reason for an undefined p; empty if p is defined.
        sd: standard deviation of F1 by chance.
        z: distance of the observed F1 from the mean by chance, in standard deviations; undefined
            if the standard deviation is 0.
        high: F1 that chance does not exceed in 95 of 100 cases.
        p_holm: p after Holm's correction for all systems.
        log10_p_holm: decimal logarithm of `p_holm`, defined if `p_holm` is too small for a float.
        scale: F1 of one match.
        log10_p: decimal logarithm of p, defined if p is too small for a float.
        distribution: distribution of the match by chance; ``None`` if all documents were drawn.
    """

    name: str
    f1: float
    p: float
    mean: float
    null: Floats = field(repr=False, compare=False)
    reason: str = ""
    sd: float = UNDEFINED
    z: float = UNDEFINED
    high: float = UNDEFINED
    p_holm: float = UNDEFINED
    log10_p_holm: float = UNDEFINED
    log10_p: float = UNDEFINED
    scale: float = UNDEFINED
    distribution: MatchDistribution | None = field(default=None, repr=False)


@dataclass(frozen=True, kw_only=True, eq=False)
class ChanceTestSettings(EvaluationSettings):
    """Settings of a test against chance.

    Attributes:
        fixed: name of the layer that is fixed.
        null: null distribution: computed (exact), drawn, or drawn for some documents
            (partly-drawn).
        draws: number of draws; ``None`` without any.
    """

    test: str = "chance"
    fixed: str
    null: str
    draws: int | None = None


@dataclass(frozen=True, eq=False, repr=False)
class ChanceTest(Result):
    """Result of :func:`chance_test`.

    >>> import spanagree as sa
    >>> layers = {"gold": [[(0, 1, "X")]] * 9, "mine": [[(0, 1, "X")]] * 8 + [[]]}
    >>> corpus = sa.Corpus.from_segments([9] * 9, layers)
    >>> found = sa.systems.chance_test(corpus, sa.evaluate(corpus))
    >>> found.systems["mine"].p < 0.001
    True
    """

    TABLES: ClassVar[Mapping[str, str | None]] = {"systems": None}
    SHOWN_BY: ClassVar[str] = f"{__package__}.above_chance_table"
    systems: Mapping[str, TestedSystem]
    settings: ChanceTestSettings
    notes: tuple[str, ...] = ()
    unmarked: tuple[str, ...] = field(default=(), repr=False, compare=False)
    not_in_text: str = field(default="", repr=False, compare=False)


def chance_test(
    corpus: CorpusLike,
    evaluation: Evaluation,
    *,
    simulate: bool = False,
    draws: int = 1000,
    seed: int = 0,
    budget: float = BUDGET,
    progress: Callable[[int, int], None] | None = None,
) -> ChanceTest:
    """Test each system against random annotations of the same documents.

    A random annotation keeps the number, lengths and labels of the system's segments in every
    document; gold is fixed. p is the probability that a random annotation matches gold as well as
    the system does. It is exact, unless it is drawn: on request, for a measure with fractional
    matches, and in documents that take too much work. Matches are integers, so p is below .05 in
    fewer than 5 % of random annotations: in 3.0 % if they are like the system lexicon of newsroom.

    Args:
        corpus: corpus that was evaluated.
        evaluation: evaluation of that corpus.
        simulate: True to draw random annotations for all documents.
        draws: number of random annotations of each system, if any are drawn.
        seed: random seed of the draws, an integer from 0.
        budget: largest number of values computed for one document; a document that needs more is
            drawn.
        progress: function called with the number of systems done and the number of all systems.

    Raises:
        SettingError: if a number is out of range, or the evaluation has another corpus.

    >>> from spanagree.systems.evaluate import evaluate
    >>> one = [(0, 2, "X")]
    >>> corpus = Corpus.from_segments([6, 6], {"gold": [one, one], "mine": [one, one]})
    >>> mine = chance_test(corpus, evaluate(corpus)).systems["mine"]
    >>> round(mine.p, 10), round(mine.mean, 10), round(mine.high, 10)
    (0.04, 0.2, 0.5)
    """
    corpus = as_corpus(corpus)
    check_evaluation(evaluation, "chance_test")
    check_integer(draws, 1, "draws")
    check_integer(seed, 0, "seed")
    _check_same_corpus(corpus, evaluation)
    counting = evaluation.counting
    counting.chance.check_defined("p against chance")
    settings, per_document = evaluation.settings, evaluation.counted.per_document
    corpus = evaluation.rows.corpus  # as compared: relations, an attribute, some labels
    corpus.check_segments("p against chance")
    options = DistributionOptions(counting.measure, counting.chance, budget, draws, seed)
    run_test = _test_by_simulation if simulate or not options.measure.is_whole else _test_exactly
    report_progress = progress or (lambda n_done, total: None)
    tests = []
    for n_done, (name, system) in enumerate(evaluation.systems.items()):
        report_progress(n_done, len(evaluation.systems))
        if system.tally.size:
            gold_and_system = corpus.select_annotators([settings.gold, name]).subset(
                per_document.find_shared_documents(name)
            )
            tests.append(run_test(gold_and_system, settings.gold, system, options))
        else:
            no_draws = np.zeros(0)
            tests.append(
                TestedSystem(name, UNDEFINED, UNDEFINED, UNDEFINED, no_draws, system.f1.reason)
            )
    report_progress(len(tests), len(tests))
    adjusted_p = holm([system_test.p for system_test in tests])
    adjusted_log10_p = holm_log10([system_test.log10_p for system_test in tests])
    systems = {
        system_test.name: replace(system_test, p_holm=p, log10_p_holm=log10_p)
        for system_test, p, log10_p in zip(tests, adjusted_p, adjusted_log10_p, strict=True)
    }
    null, notes = _build_null_settings(tests, draws, seed)
    no_intervals = {"ci": None, "resamples": None, "seed": None}
    extended = settings.extend_to(
        ChanceTestSettings, **{**no_intervals, "fixed": settings.gold, **null}
    )
    return ChanceTest(
        systems, extended, notes, evaluation.unmarked, write_lost_quotes_sentence(evaluation)
    )


def _check_same_corpus(corpus: Corpus, evaluation: Evaluation) -> None:
    """Check that a corpus is the one that was evaluated.

    Raises:
        SettingError: if it is not.
    """
    names = {evaluation.settings.gold, *evaluation.systems}
    if (
        not names <= set(corpus.annotators)
        or evaluation.documents != len(corpus)
        or evaluation.document_ids != corpus.ids
    ):
        raise SettingError(
            "the evaluation is that of another corpus; pass the corpus that was evaluated"
        )


def _build_null_settings(
    systems: list[TestedSystem], draws: int, seed: int
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Build the settings of the null distribution, and notes on systems with drawn documents.

    Args:
        systems: tests of all systems.
        draws: number of draws, if all documents were drawn.
        seed: random seed of the draws.

    Returns:
        Settings by name, and the notes.
    """
    if any(len(system.null) for system in systems):
        return {"null": "drawn", "draws": int(draws), "seed": int(seed)}, ()
    partly_drawn = {
        system.name: system.distribution
        for system in systems
        if system.distribution is not None and len(system.distribution.drawn)
    }
    if not partly_drawn:
        return {"null": "exact"}, ()
    min_draws = min(len(null_distribution.drawn) for null_distribution in partly_drawn.values())
    notes = []
    for name, null_distribution in partly_drawn.items():
        n_documents = pluralize(null_distribution.computed["drawn"], "document")
        notes.append(
            f"{escape_name(name)}: {write_drawn_sentence(n_documents)}; p is not below"
            f" {null_distribution.least_p:.1g} unless the other documents alone make it so"
        )
    return {"null": "partly-drawn", "draws": min_draws, "seed": int(seed)}, tuple(notes)


def _test_exactly(
    corpus: Corpus, gold: str, system: System, options: DistributionOptions
) -> TestedSystem:
    """Test one system against the exact distribution of its match by chance.

    Args:
        corpus: documents that gold and the system saw, with these two layers.
        gold: name of the gold layer.
        system: scores of the system.
        options: measure, chance model and budget of the computation.
    """
    matched, scale = system.tally.matched, 2 / system.tally.size
    null_distribution = compute_distribution(corpus, (gold, system.name), gold, options)
    return TestedSystem(
        system.name,
        system.f1.observed,
        null_distribution.tail(matched),
        null_distribution.mean * scale,
        np.zeros(0),
        sd=null_distribution.sd * scale,
        z=null_distribution.z(matched),
        high=null_distribution.quantile(HIGH) * scale,
        log10_p=null_distribution.log10_tail(matched),
        scale=scale,
        distribution=null_distribution,
    )


def _test_by_simulation(
    corpus: Corpus, gold: str, system: System, options: DistributionOptions
) -> TestedSystem:
    """Test the F1 of one system against the F1 of drawn random annotations.

    Args:
        corpus: annotations.
        gold: name of the gold layer.
        system: scores of the system.
        options: measure, chance model, and number and seed of the draws.
    """
    matched, scale = system.tally.matched, 2 / system.tally.size
    corpus = corpus.subset(sort_canonically(corpus))
    match_draws = yield_match_draws(corpus, (gold, system.name), gold, options, options.draws)
    matches = np.concatenate([portion.sum(axis=1) for portion in match_draws])
    p = (1 + int((matches >= matched * (1 - _TIE)).sum())) / (1 + options.draws)
    null = matches * scale
    sd = float(null.std(ddof=1)) if options.draws > 1 else UNDEFINED
    mean = float(null.mean())
    return TestedSystem(
        system.name,
        system.f1.observed,
        p,
        mean,
        null,
        sd=sd,
        z=(matched * scale - mean) / sd if sd > 0 else UNDEFINED,
        high=float(np.quantile(null, HIGH, method="inverted_cdf")),
        log10_p=math.log10(p),
        scale=scale,
    )
