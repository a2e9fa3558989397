"""Compute the difficulty of each document: 1 − the agreement that chance alone would give on it.

\b
spanagree difficulty gold.conll --gold gold.conll
spanagree difficulty crowd.jsonl
"""

from __future__ import annotations

from typing import Any

import spanagree as sa
from spanagree.cli import options
from spanagree.cli.job import CommandContext, command

_FUNCTION = "spanagree.levels.difficulty.difficulty"


def team() -> options.Group:
    """Build the options of comparisons by gold or by a team."""
    annotators = options.annotators("Annotators who are the team.")
    return options.comparison(options.gold("the team"), annotators, function=_FUNCTION, seed=True)


@command(
    options.FILES,
    team(),
    options.places(),
    options.workers(),
    options.reading(),
    options.output(),
)
def difficulty(job: CommandContext, **settings: Any) -> None:
    job.show(find_difficulty(job, job.corpus_or_parts(), **settings))


def find_difficulty(
    job: CommandContext, corpus: Any, gold: str | None = None, **settings: Any
) -> sa.levels.Difficulty:
    """Compute the difficulty of each document, by gold or by a team."""
    return job.work("comparing", sa.difficulty, corpus, job.resolve_layer(gold, corpus), **settings)
