"""Is a system better than luck? The gold annotation stays, the system's is placed anew.

"A random annotation scores 0 after correction" is true on average when both sides are random.
Against one fixed gold annotation a random system may average off 0, as the gold segments sit at
the edges of their documents or not. So the question needs a null distribution of its own. It
is computed exactly (:mod:`spanagree.matching.luck_distribution`), or drawn if that is asked for.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from spanagree.arrays import Floats
from spanagree.corpus.corpus import Corpus
from spanagree.errors import SettingError, check_whole, counted, printable
from spanagree.evaluation.arguments import check_evaluation
from spanagree.evaluation.count import EvaluationSettings
from spanagree.evaluation.result import Evaluation, System
from spanagree.matching.luck_distribution import (
    BUDGET,
    MatchDistribution,
    Question,
    distribution,
    draws_of,
    has_whole_matches,
    likely_matches,
)
from spanagree.matching.luck_draws import canonical_order
from spanagree.matching.measures import find_match
from spanagree.matching.score import UNDEFINED
from spanagree.rendering.data import plain
from spanagree.rendering.plots import Picture, clouds, heights, rows_size, sentence
from spanagree.rendering.table import Column, Table, probability
from spanagree.results import Comparable, Result
from spanagree.uncertainty.luck_figures import HIGH
from spanagree.uncertainty.permutation import holm, powerless

_TIE = 1e-12  # relative; matches closer than this are the same


@dataclass(frozen=True, eq=False)
class Luck(Comparable):
    """One system against luck: gold as it is, the system's segments anywhere.

    Attributes:
        name: the system.
        f1: its observed F1.
        p: the probability that luck reaches it, one-sided; never 0. Where it was drawn,
            (1 + draws that reach it) / (1 + draws).
        mean: the mean F1 by luck.
        null: the F1 of each draw; empty where nothing was drawn.
        reason: why p is undefined, if it is.
        sd: the standard deviation of F1 by luck.
        z: how many of these lie between the mean and the system; undefined where there is none.
        high: the F1 that luck stays at or below in 95 of 100 cases.
        p_holm: p after Holm's correction for all systems.
        scale: the F1 of one match.
        log10_p: the decimal logarithm of p, also where p is too small for a float.
        distribution: of the match by luck; ``None`` where all was drawn.
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
    log10_p: float = UNDEFINED
    scale: float = UNDEFINED
    distribution: MatchDistribution | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, kw_only=True, eq=False)
class LuckSettings(EvaluationSettings):
    """The settings of a test against luck.

    Attributes:
        fixed: the layer that stays as it is.
        null: whether luck was computed (exact), drawn, or drawn for some documents (partly-drawn).
        draws: how many, if any.
    """

    test: str = "luck"
    fixed: str
    null: str
    draws: int | None = None


@dataclass(frozen=True, eq=False, repr=False)
class LuckTest(Result):
    """The result of :func:`luck_test`."""

    systems: Mapping[str, Luck]
    settings: LuckSettings
    notes: tuple[str, ...] = ()

    @property
    def caveats(self) -> tuple[str, ...]:
        """Where an answer is shaky, a sentence each."""
        if self.settings.null != "drawn":
            return ()
        return powerless([x.p for x in self.systems.values()], self.settings.draws or 0, "system")

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain data, for JSON, without the draws; undefined is ``None``."""
        systems = []
        for row in self.to_rows():
            left_out = ("signature",) if row["reason"] else ("signature", "reason")
            systems.append({k: v for k, v in row.items() if k not in left_out})
        return {**self.head(), "systems": plain(systems)}

    def _table(self, by: str | None) -> Table:
        """A row for each system."""
        columns = [
            Column("system", "system", "name", "system against luck"),
            Column("f1", "F1", meaning="F1 of a system"),
            Column("p"),
            Column("null_mean", "F1 by luck"),
            Column("null_sd", "sd", meaning="sd of luck"),
            Column("null_95", "95 %", meaning="95 % point of luck"),
            Column("z", "z", "number", "z against luck"),
            Column("", "p", "place", "p against luck"),
            Column("p_holm"),
            Column("", "Holm", "place", "Holm against luck"),
            Column("log10_p"),
            Column("reason", "", "name"),
        ]
        systems = self.systems.values()
        how = (
            "exactly"
            if self.settings.null == "exact"
            else counted(self.settings.draws or 0, "draw")
        )
        return Table(
            columns,
            [
                [
                    *(luck.name, luck.f1, luck.p, luck.mean, luck.sd, luck.high, luck.z),
                    probability(luck.p, luck.log10_p),
                    *(luck.p_holm, probability(luck.p_holm), luck.log10_p, luck.reason),
                ]
                for luck in systems
            ],
            self.settings,
            caption=f"systems against luck: gold as it is, each system's segments anywhere ({how})",
            remarks=[
                *{f"–: undefined: {luck.reason}": None for luck in systems if luck.reason},
                *self.caveats,
            ],
        )

    def _picture(self, by: str | None) -> Picture:
        """Return how probable each F1 is by luck, and that of the system."""
        systems = [luck for luck in self.systems.values() if not math.isnan(luck.p)]
        if not systems:
            return Picture(functools.partial(sentence, text="no system that marked anything"))
        titles = ("by luck", "the system")
        if any(len(luck.null) for luck in systems):
            rows = {luck.name: (luck.null, luck.f1) for luck in systems}
            draw = functools.partial(clouds, rows=rows, titles=titles, what="F1")
        else:
            curves = {luck.name: (*_curve(luck), luck.f1) for luck in systems}
            draw = functools.partial(heights, rows=curves, titles=titles, what="F1")
        return Picture(draw, rows_size(self.systems))


def _curve(luck: Luck) -> tuple[Floats, Floats]:
    """Return each F1 that is not all too improbable by luck, and its probability."""
    assert luck.distribution is not None  # as not all was drawn
    matches, probabilities = likely_matches(luck.distribution)
    return matches * luck.scale, probabilities


def luck_test(
    corpus: Corpus,
    evaluation: Evaluation,
    *,
    simulate: bool = False,
    draws: int = 1000,
    seed: int = 0,
    budget: float = BUDGET,
    progress: Callable[[int, int], None] | None = None,
) -> LuckTest:
    """Return how likely a random annotation matches the gold one as well as each system does.

    The random annotation keeps the number, lengths and labels of the system's segments in every
    document; the gold annotation stays as it is. The probability is exact, but drawn if asked for,
    for ``iou``, whose matches are not whole numbers, and in documents that are too much work.

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

    >>> from spanagree.evaluation.evaluate import evaluate
    >>> one = [(0, 2, "X")]
    >>> corpus = Corpus.from_segments([6, 6], {"gold": [one, one], "mine": [one, one]})
    >>> mine = luck_test(corpus, evaluate(corpus)).systems["mine"]
    >>> round(mine.p, 10), round(mine.mean, 10), round(mine.high, 10)
    (0.04, 0.2, 0.5)
    """
    check_evaluation(evaluation, "luck_test")
    check_whole(draws, 1, "draws")
    check_whole(seed, 0, "seed")
    check_same_corpus(corpus, evaluation)
    settings, kept = evaluation.settings, evaluation.counted.documents_kept()
    ask = Question(find_match(settings.match), settings.chance, budget, draws, seed)
    report_progress = progress or (lambda done, total: None)
    systems = {}
    for done, (name, system) in enumerate(evaluation.systems.items()):
        report_progress(done, len(evaluation.systems))
        if system.tally.size_a + system.tally.size_b:
            two = corpus.of_annotators([settings.gold, name]).subset(kept.shared[name])
            test = _simulated if simulate or not has_whole_matches(ask.measure) else _computed
            systems[name] = test(two, settings.gold, system, ask)
        else:
            nothing = np.full(0, UNDEFINED)
            systems[name] = Luck(name, UNDEFINED, UNDEFINED, UNDEFINED, nothing, system.f1.reason)
    report_progress(len(systems), len(systems))
    adjusted = holm([luck.p for luck in systems.values()])
    for luck, p in zip(list(systems.values()), adjusted, strict=True):
        systems[luck.name] = replace(luck, p_holm=p)
    chosen, notes = _how(list(systems.values()), draws, seed)
    none = {"ci": None, "resamples": None, "seed": None}
    extended = settings.extended(LuckSettings, **{**none, "fixed": settings.gold, **chosen})
    return LuckTest(systems, extended, notes)


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


def _how(systems: list[Luck], draws: int, seed: int) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the settings that say how luck was found, and a note on documents that were drawn."""
    if any(len(luck.null) for luck in systems):
        return {"null": "drawn", "draws": int(draws), "seed": int(seed)}, ()
    partly = {
        luck.name: luck.distribution
        for luck in systems
        if luck.distribution is not None and len(luck.distribution.drawn)
    }
    if not partly:
        return {"null": "exact"}, ()
    made = min(len(luck.drawn) for luck in partly.values())
    notes = (
        f"{printable(name)}: luck was drawn, {counted(len(luck.drawn), 'time')}, in"
        f" {counted(luck.computed['drawn'], 'document')} too large for the exact distribution; p is"
        f" not below {probability(luck.least_p)} unless the other documents alone make it so; a"
        " greater budget of luck_test may compute it"
        for name, luck in partly.items()
    )
    return {"null": "partly-drawn", "draws": made, "seed": int(seed)}, tuple(notes)


def _computed(corpus: Corpus, gold: str, system: System, ask: Question) -> Luck:
    """Return one system against the exact distribution of luck."""
    matched, scale = system.tally.matched, 2 / (system.tally.size_a + system.tally.size_b)
    luck = distribution(corpus, (gold, system.name), gold, ask)
    return Luck(
        system.name,
        system.f1.observed,
        luck.tail(matched),
        luck.mean * scale,
        np.zeros(0),
        sd=luck.sd * scale,
        z=luck.z(matched),
        high=luck.quantile(HIGH) * scale,
        log10_p=luck.log10_tail(matched),
        scale=scale,
        distribution=luck,
    )


def _simulated(corpus: Corpus, gold: str, system: System, ask: Question) -> Luck:
    """Return one system against random annotations."""
    matched, scale = system.tally.matched, 2 / (system.tally.size_a + system.tally.size_b)
    corpus = corpus.subset(canonical_order(corpus))
    drawn = draws_of(corpus, (gold, system.name), gold, ask, ask.draws)
    matches = np.concatenate([part.sum(axis=1) for part in drawn])
    p = (1 + int((matches >= matched * (1 - _TIE)).sum())) / (1 + ask.draws)
    null = matches * scale
    sd = float(null.std(ddof=1)) if ask.draws > 1 else UNDEFINED
    mean = float(null.mean())
    return Luck(
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
