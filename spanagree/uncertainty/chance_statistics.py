"""What chance says of two annotations: z, p, and the standard deviation of the expected F1."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from spanagree.arrays import Progress
from spanagree.comparisons.counting import MatchCounting
from spanagree.comparisons.tally import Tally
from spanagree.corpus.corpus import Corpus
from spanagree.errors import counted, percent
from spanagree.results.frame import Column, Value
from spanagree.results.score import UNDEFINED

if TYPE_CHECKING:
    from spanagree.comparisons.chance_distribution.distribution import (
        MatchDistribution,
    )  # few commands need chance

HIGH = 0.95
"""The share of chance's matches that lie at or below the point that is shown."""

LEVEL = 0.05
"""A document whose p after Benjamini and Hochberg's correction is above this is not unexpected."""


class ChanceStatistics(NamedTuple):
    """What chance says of two annotations over some documents.

    Attributes:
        sd: the standard deviation of the expected F1, both annotations random.
        high: the F1 that chance stays at or below in 95 of 100 cases.
        z: how many standard deviations of chance the match lies above its mean.
        p: the probability of at least this match by chance.
        log10_p: its decimal logarithm.
        least_p: the smallest p that any match could have there.
        p_bh: p after Benjamini and Hochberg's correction for all documents; of all
            documents together that is undefined.
    """

    sd: float
    high: float
    z: float
    p: float
    log10_p: float
    least_p: float = UNDEFINED
    p_bh: float = UNDEFINED

    def values(self) -> list[Value]:
        """Return the values in the columns."""
        return [self.sd, self.high, self.z, self.p, self.p_bh]


COLUMNS = (
    Column("f1_expected_sd", "sd", meaning="sd of chance F1", spare=True),
    Column("f1_95", "95 %", meaning="95 % point of chance", spare=True),
    Column("z", "z", "z", "z of a document", spare=True),
    Column("p", "p", "probability", "p of a document"),
    Column("p_bh", "B-H", "probability"),
)
"""The columns of a table that :meth:`ChanceStatistics.values` fills."""

WHOLE = 4
"""How many of them hold for all documents together."""


@dataclass(frozen=True)
class PairChance:
    """The match of two annotations by chance.

    Attributes:
        tested: the chance that z and p ask for: with gold as it is, or both random.
        both: both random, as for the expected F1.
    """

    tested: MatchDistribution
    both: MatchDistribution

    def of_documents(self, tallies: dict[int, Tally]) -> dict[int, ChanceStatistics]:
        """Return the figures of each document, by number."""
        from spanagree.uncertainty.permutation import benjamini_hochberg

        statistics = {
            d: _figures(self.tested.documents[d], self.both.documents[d], tally)
            for d, tally in tallies.items()
        }
        # where chance gives the same match always, nothing is asked
        asked = [d for d in statistics if self.tested.documents[d].variance]
        adjusted = benjamini_hochberg([statistics[d].p for d in asked])
        return statistics | {
            d: statistics[d]._replace(p_bh=p) for d, p in zip(asked, adjusted, strict=True)
        }

    def of_all(self, tally: Tally) -> ChanceStatistics:
        """Return the figures over all documents."""
        return _figures(self.tested, self.both, tally)


def chance_of_pairs(
    corpus: Corpus,
    pairs: Sequence[tuple[str, str]],
    counting: MatchCounting,
    gold: str | None = None,
    progress: Progress = None,
) -> list[PairChance]:
    """Return the chance of pairs of annotators.

    Args:
        corpus: all of them.
        pairs: the names of two each.
        counting: measure and chance model.
        gold: who stays as she is when a pair is tested; else both are random.
        progress: called with the number of pairs done, and of all.
    """
    from spanagree.comparisons.chance_distribution.distribution import Question, distribution

    counting.chance.check_defined("p_values")
    corpus.check_segments("p_values")
    report_progress = progress or (lambda done, total: None)
    ask = Question(counting.measure, counting.chance, seed=counting.chance.seed)
    chances = []
    for done, pair in enumerate(pairs):
        report_progress(done, len(pairs))
        both = distribution(corpus, pair, None, ask)
        tested = both if gold is None else distribution(corpus, pair, gold, ask)
        chances.append(PairChance(tested, both))
    report_progress(len(pairs), len(pairs))
    return chances


def _figures(tested: MatchDistribution, both: MatchDistribution, tally: Tally) -> ChanceStatistics:
    size = tally.size
    sd = 2 * both.sd / size if size else UNDEFINED
    if tested.probabilities is None:
        return ChanceStatistics(sd, UNDEFINED, tested.z(tally.matched), UNDEFINED, UNDEFINED)
    p = tested.tail(tally.matched)
    log10_p = tested.log10_tail(tally.matched) if p < LEVEL else math.log10(p)
    high = 2 * tested.quantile(HIGH) / size if size else UNDEFINED
    least = tested.least_p if len(tested.drawn) else float(tested.probabilities[-1])
    return ChanceStatistics(sd, high, tested.z(tally.matched), p, log10_p, least)


def cannot_be_told(figures: list[ChanceStatistics], documents: str, correction: str) -> str:
    """Return in how many documents a match cannot be told from chance, or nothing without any.

    Where even the greatest match is not improbable enough, that says nothing of those who marked.

    Args:
        figures: of each document.
        documents: what they are called, as one; and of whom, if of several.
        correction: its name.
    """
    asked = [figure for figure in figures if not math.isnan(figure.p_bh)]
    if not asked:
        return ""
    dull = [figure for figure in asked if figure.p_bh > LEVEL]
    unable = sum(figure.least_p > LEVEL for figure in dull)
    noun, _, whose = documents.partition(" ")
    asked_of = f"{counted(len(asked), noun)}{' ' * bool(whose)}{whose} in which chance can vary"
    note = f"{len(dull)} of {asked_of} cannot be told from chance ({correction}, {percent(LEVEL)})"
    return f"{note}; {unable} of these could not with any match" if unable else note
