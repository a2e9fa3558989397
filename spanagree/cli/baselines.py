"""The option of baselines, and the corpus that has them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import spanagree as sa
from spanagree.choices import Baseline, names_of
from spanagree.cli import options
from spanagree.cli.job import Job
from spanagree.errors import check_choice


def baseline() -> options.Option:
    """Return the option of baselines."""
    purpose = f"Add baselines as systems: {', '.join(names_of(Baseline))}."
    return options.option("--baseline", purpose, metavar="NAME,...", read=options.names_in)


def random_seed(
    job: Job, baselines: Sequence[str] | None, test: str | None = None
) -> tuple[Job, int]:
    """Return the job and the seed of baselines, which --seed is where nothing else draws."""
    for name in baselines or ():
        check_choice(name, names_of(Baseline), "baseline")
    if "random" not in (baselines or ()) or "seed" not in job.certainty:
        return job, 0
    others = {key: value for key, value in job.certainty.items() if key != "seed"}
    seed = job.certainty["seed"]
    return (job, seed) if others or test else (replace(job, certainty=others), seed)


def against_gold(
    corpus: sa.Corpus, gold: str | None, baselines: Sequence[str], **how: Any
) -> sa.Corpus:
    """Return a corpus with baselines of its gold layer; who votes for majority are the others."""
    gold = next(iter(corpus.layers), "") if gold is None else gold
    alone = [name for name in baselines if name != "majority"]
    whole = sa.references.with_baselines(corpus, alone, references=[gold], **how)
    if "majority" not in baselines:
        return whole
    others = [name for name in corpus.layers if name != gold]
    return sa.references.with_baselines(whole, ["majority"], references=others)
