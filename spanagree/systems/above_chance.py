"""Is a system better than chance? The gold annotation stays, the system's is placed anew.

"A random annotation scores 0 after correction" is true on average when both sides are random.
Against one fixed gold annotation a random system may average off 0, as the gold segments sit at
the edges of their documents or not. So the question needs a null distribution of its own. It
is computed exactly (:mod:`spanagree.comparisons.chance_distribution.distribution`), or drawn if
that is asked for.
"""

from __future__ import annotations

import functools
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
    distribution,
    draws_of,
    likely_matches,
)
from spanagree.comparisons.chance_distribution.draws import canonical_order
from spanagree.corpus.corpus import Corpus
from spanagree.errors import SettingError, check_whole, escape_name, pluralize
from spanagree.formats.guessed import CorpusLike, as_corpus
from spanagree.results import verdict
from spanagree.results.frame import Column, Frame, Value
from spanagree.results.plots import Plot, clouds, heights, rows_size, sentence
from spanagree.results.result import NanEqualMixin, Result
from spanagree.results.score import UNDEFINED
from spanagree.results.verdict import LEVEL
from spanagree.systems.count import EvaluationSettings
from spanagree.systems.lost_quotes import not_in_text
from spanagree.systems.result import Evaluation, System, check_evaluation
from spanagree.uncertainty.chance_statistics import HIGH
from spanagree.uncertainty.permutation import holm, holm_log10, powerless

_NAMED = 5  # systems in a sentence
_TIE = 1e-12  # relative; matches closer than this are the same


@dataclass(frozen=True, eq=False)
class TestedSystem(NanEqualMixin):
    """One system against chance: gold as it is, the system's segments at random.

    Attributes:
        name: the system.
        f1: its observed F1.
        p: the probability that chance reaches it, one-sided; never 0. Where it was drawn,
            (1 + draws that reach it) / (1 + draws).
        mean: the mean F1 by chance.
        null: the F1 of each draw; empty where nothing was drawn.
        reason: why p is undefined, if it is.
        sd: the standard deviation of F1 by chance.
        z: how many of these lie between the mean and the system; undefined where there is none.
        high: the F1 that chance stays at or below in 95 of 100 cases.
        p_holm: p after Holm's correction for all systems.
        log10_p_holm: its decimal logarithm, also where it is too small for a float.
        scale: the F1 of one match.
        log10_p: the decimal logarithm of p, also where p is too small for a float.
        distribution: of the match by chance; ``None`` where all was drawn.
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
    """The settings of a test against chance.

    Attributes:
        fixed: the layer that stays as it is.
        null: whether chance was computed (exact), drawn, or drawn for some documents
            (partly-drawn).
        draws: how many, if any.
    """

    test: str = "chance"
    fixed: str
    null: str
    draws: int | None = None


@dataclass(frozen=True, eq=False, repr=False)
class ChanceTest(Result):
    """The result of :func:`chance_test`.

    >>> import spanagree as sa
    >>> layers = {"gold": [[(0, 1, "X")]] * 9, "mine": [[(0, 1, "X")]] * 8 + [[]]}
    >>> corpus = sa.Corpus.from_segments([9] * 9, layers)
    >>> found = sa.systems.chance_test(corpus, sa.evaluate(corpus))
    >>> found.systems["mine"].p < 0.001
    True
    """

    systems: Mapping[str, TestedSystem]
    settings: ChanceTestSettings
    notes: tuple[str, ...] = ()
    unmarked: tuple[str, ...] = field(default=(), repr=False, compare=False)
    not_in_text: str = field(default="", repr=False, compare=False)

    @property
    def caveats(self) -> tuple[str, ...]:
        """Where an answer is shaky, a sentence each."""
        if self.settings.null != "drawn":
            return ()
        return powerless([x.p for x in self.systems.values()], self.settings.draws or 0, "system")

    @property
    def verdict(self) -> str:
        """The systems that the test finds to be above chance, and the others, each with its p."""
        tested = {name: x for name, x in self.systems.items() if name not in self.unmarked}
        parts = {
            "above chance": [name for name, x in tested.items() if x.p_holm < LEVEL],
            "not shown to be above chance": [
                name for name, x in tested.items() if not x.p_holm < LEVEL
            ],
        }
        sentences = []
        for outcome, names in parts.items():
            if len(tested) == 1 and names:
                sentences.append(f"{escape_name(names[0])} is {outcome}, {self._p_of(names[0])}.")
            elif names:
                shown = [f"{escape_name(name)} ({self._p_of(name)})" for name in names]
                some = ", ".join(verdict.first_of(shown, _NAMED, "other"))
                sentences.append(f"{outcome[0].upper()}{outcome[1:]}: {some}.")
        n_tests = sum(not math.isnan(x.p) for x in self.systems.values())
        if n_tests > 1 and sentences:
            sentences.append(f"Each p is adjusted for {n_tests} systems (Holm).")
        sentences += [verdict.marked_nothing(self.unmarked), self.not_in_text]
        return " ".join(filter(None, sentences))

    def _p_of(self, name: str) -> str:
        """Return the adjusted p of a system in words, or why it is undefined."""
        system = self.systems[name]
        return f"p {verdict.p_of(system.p_holm)}" if system.p == system.p else system.reason

    TABLES: ClassVar[Mapping[str, str | None]] = {"systems": None}

    def _table(self, by: str | None) -> Frame:
        """A row for each system."""
        columns = [
            Column("system", "system", "name", "system against chance"),
            Column("f1", "F1", meaning="F1 of a system"),
            Column("p"),
            Column("null_mean", "F1 by chance"),
            Column("null_sd", "sd", meaning="sd of chance"),
            Column("null_95", "95 %", meaning="95 % point of chance"),
            Column("z", "z", "z", "z against chance"),
            Column("", "p", "probability", "p against chance"),
            Column("p_holm", "Holm", "probability", "Holm against chance"),
            Column("log10_p"),
            Column("log10_p_holm"),
            Column("reason", "", "name"),
        ]
        systems = self.systems.values()
        computed = (
            "exactly"
            if self.settings.null == "exact"
            else pluralize(self.settings.draws or 0, "draw")
        )
        rule = self.settings.places
        location = "anywhere" if rule is None else f"by places {escape_name(rule)}"
        rows: list[list[Value]] = []
        for x in systems:
            row: list[Value] = [x.name, x.f1, x.p, x.mean, x.sd, x.high, x.z, x.p, x.p_holm]
            rows.append([*row, x.log10_p, x.log10_p_holm, x.reason])
        reasons = dict.fromkeys(f"–: undefined: {x.reason}" for x in systems if x.reason)
        return Frame(
            columns,
            rows,
            self.settings,
            caption="systems against chance: gold as it is, each system's segments"
            f" {location} ({computed})",
            remarks=[*reasons, *self.caveats],
        )

    def _picture(self, by: str | None) -> Plot:
        """Return how probable each F1 is by chance, and that of the system."""
        systems = [tested for tested in self.systems.values() if not math.isnan(tested.p)]
        if not systems:
            return Plot(functools.partial(sentence, text="no system that marked anything"))
        titles = ("by chance", "the system")
        if any(len(tested.null) for tested in systems):
            rows = {tested.name: (tested.null, tested.f1) for tested in systems}
            draw = functools.partial(clouds, rows=rows, titles=titles, what="F1")
        else:
            curves = {tested.name: (*_curve(tested), tested.f1) for tested in systems}
            draw = functools.partial(heights, rows=curves, titles=titles, what="F1")
        return Plot(draw, rows_size(self.systems))


def _curve(tested: TestedSystem) -> tuple[Floats, Floats]:
    """Return each F1 that is not all too improbable by chance, and its probability."""
    assert tested.distribution is not None  # as not all was drawn
    matches, probabilities = likely_matches(tested.distribution)
    return matches * tested.scale, probabilities


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
    """Return how likely a random annotation matches the gold one as well as each system does.

    The random annotation keeps the number, lengths and labels of the system's segments in every
    document; the gold annotation stays as it is. The probability is exact, but drawn if asked for,
    for a measure whose matches are not whole numbers, and in documents that are too much work.

    Args:
        corpus: the corpus that was evaluated.
        evaluation: its evaluation.
        simulate: whether to draw random annotations rather than to compute.
        draws: how many random annotations of each system, where they are drawn.
        seed: a whole number from 0, for the draws.
        budget: how many numbers may be computed for one document before it is drawn.
        progress: called with the number of systems done, and of all.

    Raises:
        SettingError: for a number out of range, or the evaluation of another corpus.

    >>> from spanagree.systems.evaluate import evaluate
    >>> one = [(0, 2, "X")]
    >>> corpus = Corpus.from_segments([6, 6], {"gold": [one, one], "mine": [one, one]})
    >>> mine = chance_test(corpus, evaluate(corpus)).systems["mine"]
    >>> round(mine.p, 10), round(mine.mean, 10), round(mine.high, 10)
    (0.04, 0.2, 0.5)
    """
    corpus = as_corpus(corpus)
    check_evaluation(evaluation, "chance_test")
    check_whole(draws, 1, "draws")
    check_whole(seed, 0, "seed")
    check_same_corpus(corpus, evaluation)
    counting = evaluation.counting
    counting.chance.check_defined("p against chance")
    settings, per_document = evaluation.settings, evaluation.counted.per_document
    corpus = evaluation.rows.corpus  # as it was compared: relations, an attribute, some labels
    corpus.check_segments("p against chance")
    ask = DistributionOptions(counting.measure, counting.chance, budget, draws, seed)
    report_progress = progress or (lambda done, total: None)
    systems = {}
    for done, (name, system) in enumerate(evaluation.systems.items()):
        report_progress(done, len(evaluation.systems))
        if system.tally.size:
            two = corpus.select_annotators([settings.gold, name]).subset(
                per_document.shared_by(name)
            )
            test = _simulated if simulate or not ask.measure.is_whole else _computed
            systems[name] = test(two, settings.gold, system, ask)
        else:
            nothing = np.full(0, UNDEFINED)
            systems[name] = TestedSystem(
                name, UNDEFINED, UNDEFINED, UNDEFINED, nothing, system.f1.reason
            )
    report_progress(len(systems), len(systems))
    tested = list(systems.values())
    adjusted = holm([by_chance.p for by_chance in tested])
    logs = holm_log10([by_chance.log10_p for by_chance in tested])
    for by_chance, p, log10_p in zip(tested, adjusted, logs, strict=True):
        systems[by_chance.name] = replace(by_chance, p_holm=p, log10_p_holm=log10_p)
    null, notes = _null_settings(list(systems.values()), draws, seed)
    none = {"ci": None, "resamples": None, "seed": None}
    extended = settings.extended(ChanceTestSettings, **{**none, "fixed": settings.gold, **null})
    return ChanceTest(systems, extended, notes, evaluation.unmarked, not_in_text(evaluation))


def check_same_corpus(corpus: Corpus, evaluation: Evaluation) -> None:
    """Refuse a corpus that is not the one which was evaluated.

    Raises:
        SettingError: always then.
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


def _null_settings(
    systems: list[TestedSystem], draws: int, seed: int
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return settings that say how chance was computed, and notes on documents that were drawn."""
    if any(len(tested.null) for tested in systems):
        return {"null": "drawn", "draws": int(draws), "seed": int(seed)}, ()
    partly = {
        tested.name: tested.distribution
        for tested in systems
        if tested.distribution is not None and len(tested.distribution.drawn)
    }
    if not partly:
        return {"null": "exact"}, ()
    least = min(len(by_chance.drawn) for by_chance in partly.values())
    notes = (
        f"{escape_name(name)}: chance was drawn, {pluralize(len(by_chance.drawn), 'time')}, in"
        f" {pluralize(by_chance.computed['drawn'], 'document')} without an exact distribution; p is"
        f" not below {by_chance.least_p:.1g} unless the other documents alone make it so;"
        " chance_test(…, draws=…) draws more"
        for name, by_chance in partly.items()
    )
    return {"null": "partly-drawn", "draws": least, "seed": int(seed)}, tuple(notes)


def _computed(corpus: Corpus, gold: str, system: System, ask: DistributionOptions) -> TestedSystem:
    """Return one system against the exact distribution of chance."""
    matched, scale = system.tally.matched, 2 / system.tally.size
    by_chance = distribution(corpus, (gold, system.name), gold, ask)
    return TestedSystem(
        system.name,
        system.f1.observed,
        by_chance.tail(matched),
        by_chance.mean * scale,
        np.zeros(0),
        sd=by_chance.sd * scale,
        z=by_chance.z(matched),
        high=by_chance.quantile(HIGH) * scale,
        log10_p=by_chance.log10_tail(matched),
        scale=scale,
        distribution=by_chance,
    )


def _simulated(corpus: Corpus, gold: str, system: System, ask: DistributionOptions) -> TestedSystem:
    """Return one system against random annotations."""
    matched, scale = system.tally.matched, 2 / system.tally.size
    corpus = corpus.subset(canonical_order(corpus))
    drawn = draws_of(corpus, (gold, system.name), gold, ask, ask.draws)
    matches = np.concatenate([part.sum(axis=1) for part in drawn])
    p = (1 + int((matches >= matched * (1 - _TIE)).sum())) / (1 + ask.draws)
    null = matches * scale
    sd = float(null.std(ddof=1)) if ask.draws > 1 else UNDEFINED
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
