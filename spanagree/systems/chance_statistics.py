"""Chance in an evaluation: of each system and each of its documents, how far, and how likely.

Two questions, with two kinds of chance. How sure is the expected F1? Its standard deviation is that
of two random annotations, as the expected F1 is. Does the system agree better than chance does?
There the gold annotation stays as it is, and only the system's segments are placed anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from spanagree.comparisons.measures import find_match
from spanagree.corpus.corpus import Corpus
from spanagree.errors import counted
from spanagree.uncertainty.chance_statistics import (
    LEVEL,
    ChanceStatistics,
    PairChance,
    dull_documents,
)


def chance_of_systems(
    corpus: Corpus,
    gold: str,
    systems: list[str],
    match: str,
    chance: str,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, PairChance]:
    """Return chance of each system, against gold and with it random.

    Args:
        corpus: gold and systems.
        gold: the name of the gold layer.
        systems: the names of the systems.
        match: the measure.
        chance: the chance model.
        progress: called with the number of steps done, and of all.
    """
    from spanagree.comparisons.chance_distribution.distribution import Question, distribution

    report_progress = progress or (lambda done, total: None)
    ask = Question(find_match(match), chance)
    by_chance = {}
    for done, name in enumerate(systems):
        report_progress(done, len(systems))
        both = (gold, name)
        by_chance[name] = PairChance(
            distribution(corpus, both, gold, ask), distribution(corpus, both, None, ask)
        )
    report_progress(len(systems), len(systems))
    return by_chance


def notes_on_chance(
    name: str, by_chance: PairChance, figures: dict[int, ChanceStatistics], noun: str
) -> Iterator[str]:
    """Yield how many documents agree no better than chance, and how many were drawn."""
    dull, asked = dull_documents(list(figures.values()))
    if asked:
        yield (
            f"{name}: {dull} of {counted(asked, noun)} in which chance can vary agree no better"
            f" than"
            f" chance (Benjamini-Hochberg, {LEVEL:.0%})"
        )
    for what, one in (("gold fixed", by_chance.tested), ("both random", by_chance.both)):
        if len(one.drawn):
            yield (
                f"{name}: chance with {what} was drawn, {counted(len(one.drawn), 'time')}, in"
                f" {counted(one.computed['drawn'], noun)} too large for the exact distribution"
            )
