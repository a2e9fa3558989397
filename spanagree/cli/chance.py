"""Show what chance alone gives: where random segments start, or how much systems would match.

With --length and --segments, where the segments of a random annotation of one document start. With
files, the distribution of each system's F1 against gold by chance.

\b
spanagree chance --length 100 --segments 1,5,10,15
spanagree chance gold.conll mine.conll
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import click

import spanagree as sa
from spanagree.cli import options
from spanagree.cli.job import Job, command

_LENGTHS = "Let the segments have these lengths."


@command(
    click.Argument(["files"], nargs=-1, metavar="[GOLD SYSTEM...]"),
    options.group(
        "A document by itself",
        options.number("--length", "Let the document have N tokens."),
        options.option("--segments", _LENGTHS, metavar="N,...", read=options.whole_numbers_in),
    ),
    options.comparing(options.gold()),
    options.places(),
    options.reading(),
    options.output(),
)
def chance(
    job: Job,
    length: int | None = None,
    segments: list[int] | None = None,
    gold: str | None = None,
    **settings: Any,
) -> None:
    if job.files:
        _of_systems(job, gold, settings)
        return
    if length is None or segments is None:
        raise click.UsageError(
            "what chance gives on what? name --length and --segments, or gold and systems"
        )
    from spanagree.chance.table import StartDistributions, StartSettings

    chance = settings.get("chance", "nonoverlapping")
    start = sa.start_distribution(length, segments, chance)
    document = StartSettings(chance=chance, length=length, segments=segments)
    job.show(StartDistributions(document, start))


def _of_systems(job: Job, gold: str | None, settings: Mapping[str, Any]) -> None:
    """Show the distribution of each system's match by chance."""
    from spanagree.systems.chance_of_match import ChanceOfMatch

    corpus = job.read()
    named = job.layer(gold, corpus)
    result = job.work("computing chance", sa.evaluate, corpus, named, **settings, p_values=True)
    job.show(ChanceOfMatch(result))
