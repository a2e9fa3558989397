"""Luck in an evaluation: of each system and each of its documents, how far, and how likely.

Two questions, with two kinds of luck. How sure is the expected F1? Its standard deviation is that
of two random annotations, as the expected F1 is. Does the system agree better than luck does? There
the gold annotation stays as it is, and only the system's segments are placed anew.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from spanagree.corpus.corpus import Corpus
from spanagree.errors import counted
from spanagree.matching.luck_distribution import MatchDistribution, Question, distribution
from spanagree.matching.measures import find_match
from spanagree.matching.score import UNDEFINED
from spanagree.matching.tally import Tally
from spanagree.rendering.data import plain
from spanagree.rendering.table import Column, Value, probability
from spanagree.uncertainty.permutation import benjamini_hochberg

LEVEL = 0.05
"""A document whose p after Benjamini and Hochberg's correction is above this is no surprise."""


class LuckFigures(NamedTuple):
    """What luck says of one system over some documents.

    Attributes:
        sd: the standard deviation of the expected F1, both annotations random.
        z: how many standard deviations of luck the match lies above its mean, gold as it is.
        p: the probability of at least this match by luck, gold as it is.
        log10_p: its decimal logarithm.
        p_bh: p after Benjamini and Hochberg's correction for all documents of the system; of all
            documents together that is undefined.
    """

    sd: float
    z: float
    p: float
    log10_p: float
    p_bh: float = UNDEFINED

    def values(self) -> list[Value]:
        """Return the values in the columns."""
        shown = probability(self.p, self.log10_p), probability(self.p_bh)
        return [self.sd, self.z, self.p, shown[0], self.p_bh, shown[1]]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, which says what was random."""
        data: dict[str, Any] = plain(
            {
                "both_random": {"f1_sd": self.sd},
                "gold_fixed": {"z": self.z, "p": self.p, "p_bh": self.p_bh},
            }
        )
        return data


COLUMNS = (
    Column("f1_expected_sd", "sd", meaning="sd of chance F1"),
    Column("z", "z", meaning="z of a document"),
    Column("p"),
    Column("", "p", "place", "p of a document"),
    Column("p_bh"),
    Column("", "B-H", "place"),
)
"""The columns of a table that :meth:`LuckFigures.values` fills."""


@dataclass(frozen=True)
class SystemLuck:
    """The match of gold and one system by luck.

    Attributes:
        fixed: gold as it is, the system random.
        both: both random.
    """

    fixed: MatchDistribution
    both: MatchDistribution

    def of_documents(self, tallies: dict[int, Tally]) -> dict[int, LuckFigures]:
        """Return the figures of each document, by number."""
        made = {
            d: _figures(self.fixed.documents[d], self.both.documents[d], tally)
            for d, tally in tallies.items()
        }
        # where luck gives the same match always, nothing is asked
        asked = [d for d in made if self.fixed.documents[d].variance]
        adjusted = benjamini_hochberg([made[d].p for d in asked])
        return made | {d: made[d]._replace(p_bh=p) for d, p in zip(asked, adjusted, strict=True)}

    def of_all(self, tally: Tally) -> LuckFigures:
        """Return the figures over all documents."""
        return _figures(self.fixed, self.both, tally)


def _figures(fixed: MatchDistribution, both: MatchDistribution, tally: Tally) -> LuckFigures:
    size = tally.size_a + tally.size_b
    sd = 2 * both.sd / size if size else UNDEFINED
    if fixed.probabilities is None:
        return LuckFigures(sd, fixed.z(tally.matched), UNDEFINED, UNDEFINED)
    p = fixed.tail(tally.matched)
    log10_p = fixed.log10_tail(tally.matched) if p < LEVEL else math.log10(p)
    return LuckFigures(sd, fixed.z(tally.matched), p, log10_p)


def luck_of_systems(
    corpus: Corpus,
    gold: str,
    systems: list[str],
    match: str,
    chance: str,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, SystemLuck]:
    """Return luck of each system, against gold and with it random.

    Args:
        corpus: gold and systems.
        gold: the name of the gold layer.
        systems: the names of the systems.
        match: the measure.
        chance: the chance model.
        progress: called with the number of steps done, and of all.
    """
    report_progress = progress or (lambda done, total: None)
    ask = Question(find_match(match), chance)
    luck = {}
    for done, name in enumerate(systems):
        report_progress(done, len(systems))
        both = (gold, name)
        luck[name] = SystemLuck(
            distribution(corpus, both, gold, ask), distribution(corpus, both, None, ask)
        )
    report_progress(len(systems), len(systems))
    return luck


def notes_on_luck(
    name: str, luck: SystemLuck, figures: dict[int, LuckFigures], noun: str
) -> Iterator[str]:
    """Yield how many documents agree no better than luck, and how many were drawn."""
    asked = [each for each in figures.values() if not math.isnan(each.p_bh)]
    if asked:
        dull = sum(each.p_bh > LEVEL for each in asked)
        yield (
            f"{name}: {dull} of {counted(len(asked), noun)} in which luck can vary agree no better"
            f" than luck (Benjamini-Hochberg, {LEVEL:.0%})"
        )
    for what, one in (("gold fixed", luck.fixed), ("both random", luck.both)):
        if len(one.drawn):
            yield (
                f"{name}: luck with {what} was drawn, {counted(len(one.drawn), 'time')}, in"
                f" {counted(one.computed['drawn'], noun)} too large for the exact distribution"
            )
