"""Luck in an evaluation: of each system and each of its documents, how far, and how likely.

Two questions, with two kinds of luck. How sure is the expected F1? Its standard deviation is that
of two random annotations, as the expected F1 is. Does the system agree better than luck does? There
the gold annotation stays as it is, and only the system's segments are placed anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from spanagree.corpus.corpus import Corpus
from spanagree.errors import counted
from spanagree.matching.measures import find_match
from spanagree.uncertainty.luck_figures import LEVEL, LuckFigures, PairLuck, dull_documents


def luck_of_systems(
    corpus: Corpus,
    gold: str,
    systems: list[str],
    match: str,
    chance: str,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str, PairLuck]:
    """Return luck of each system, against gold and with it random.

    Args:
        corpus: gold and systems.
        gold: the name of the gold layer.
        systems: the names of the systems.
        match: the measure.
        chance: the chance model.
        progress: called with the number of steps done, and of all.
    """
    from spanagree.matching.luck_distribution import Question, distribution

    report_progress = progress or (lambda done, total: None)
    ask = Question(find_match(match), chance)
    luck = {}
    for done, name in enumerate(systems):
        report_progress(done, len(systems))
        both = (gold, name)
        luck[name] = PairLuck(
            distribution(corpus, both, gold, ask), distribution(corpus, both, None, ask)
        )
    report_progress(len(systems), len(systems))
    return luck


def notes_on_luck(
    name: str, luck: PairLuck, figures: dict[int, LuckFigures], noun: str
) -> Iterator[str]:
    """Yield how many documents agree no better than luck, and how many were drawn."""
    dull, asked = dull_documents(list(figures.values()))
    if asked:
        yield (
            f"{name}: {dull} of {counted(asked, noun)} in which luck can vary agree no better than"
            f" luck (Benjamini-Hochberg, {LEVEL:.0%})"
        )
    for what, one in (("gold fixed", luck.tested), ("both random", luck.both)):
        if len(one.drawn):
            yield (
                f"{name}: luck with {what} was drawn, {counted(len(one.drawn), 'time')}, in"
                f" {counted(one.computed['drawn'], noun)} too large for the exact distribution"
            )
