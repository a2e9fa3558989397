"""Compute the difficulty of each document: 1 − the agreement that chance alone would give on it.

\b
spanagree difficulty gold.conll --gold gold.conll
spanagree difficulty crowd.jsonl
"""

from __future__ import annotations

from typing import Any

import spanagree as sa
from spanagree.cli import options
from spanagree.cli.command import command
from spanagree.cli.comparison_options import (
    build_annotators_option,
    build_comparison_options,
    build_gold_option,
    build_place_options,
    build_workers_option,
)
from spanagree.cli.job import CommandContext
from spanagree.cli.output_options import build_output_options
from spanagree.cli.reading_options import build_reading_options

_FUNCTION = "spanagree.levels.difficulty.difficulty"


def build_team_options() -> options.Group:
    """Build the options of comparisons by gold or by a team."""
    annotators = build_annotators_option("Annotators who are the team.")
    return build_comparison_options(
        build_gold_option("the team"), annotators, function=_FUNCTION, seed=True
    )


@command(
    options.FILES,
    build_team_options(),
    build_place_options(),
    build_workers_option(),
    build_reading_options(),
    build_output_options(),
)
def difficulty(job: CommandContext, **settings: Any) -> None:
    job.show_result(find_difficulty(job, job.read_corpus_or_parts(), **settings))


def find_difficulty(
    job: CommandContext, corpus: Any, gold: str | None = None, **settings: Any
) -> sa.levels.Difficulty:
    """Compute the difficulty of each document, by gold or by a team."""
    return job.run_with_workers(
        "comparing", sa.difficulty, corpus, job.resolve_layer(gold, corpus), **settings
    )
