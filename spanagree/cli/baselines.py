"""The option of baselines, and the corpus that has them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import click

import spanagree as sa
from spanagree.choices import Baseline, names_of
from spanagree.cli import options
from spanagree.cli.job import Job
from spanagree.errors import check_choice

_BASELINE = f"Add baselines as systems: {', '.join(names_of(Baseline))}."


def baseline() -> options.Option:
    """Return the option of baselines."""
    return options.option("--baseline", _BASELINE, metavar="NAME,...", read=options.names_in)


def seeded(job: Job, baselines: Sequence[str] | None) -> tuple[Job, int]:
    """Return the job and the seed of baselines, which --seed is where nothing else draws.

    Raises:
        UsageError: for blocks.
    """
    for name in baselines or ():
        check_choice(name, names_of(Baseline), "baseline")
    if baselines and job.in_blocks:
        raise click.UsageError(
            "--baseline is for a whole corpus; leave out --block, --workers and patterns"
        )
    seed = job.certainty.get("seed")
    if "random" not in (baselines or ()) or seed is None:
        return job, 0
    others = options.given({**job.certainty, "seed": None})
    if others or click.get_current_context().params.get("test"):
        return job, seed
    return replace(job, certainty={**job.certainty, "seed": None}), seed


def against_gold(
    corpus: sa.Corpus, gold: str | None, baselines: Sequence[str], **how: Any
) -> sa.Corpus:
    """Return a corpus with baselines of its gold layer; who votes for majority are the others."""
    gold = next(iter(corpus.layers), "") if gold is None else gold
    alone = [name for name in baselines if name != "majority"]
    whole = sa.with_baselines(corpus, alone, references=[gold], **how)
    if "majority" not in baselines:
        return whole
    others = [name for name in corpus.layers if name != gold]
    return sa.with_baselines(whole, ["majority"], references=others)
