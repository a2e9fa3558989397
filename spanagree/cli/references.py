"""What the command evaluate does with many annotators as references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import click

import spanagree as sa
from spanagree.choices import BY, DRAWS
from spanagree.cli import options
from spanagree.cli.baselines import seeded
from spanagree.cli.job import Job
from spanagree.cli.progress import progress

OWN = ("references", "systems", "best_match", "draws")
"""The options of systems against references."""


def references() -> options.Group:
    """Return the options of systems against many annotators."""
    people = "Compare each system with each of these annotators, and these with each other."
    systems = "Take these layers as systems."
    best = "Take the reference that is nearest in each document."
    drawn = "Draw the luck of the best match N times."
    others = "all others, with --references or --systems"
    return options.group(
        "Many annotators as references",
        options.option(
            "--references", people, metavar="NAME,...", read=options.names_in, unless=others
        ),
        options.option(
            "--systems", systems, metavar="NAME,...", read=options.names_in, unless=others
        ),
        options.flag("--best-match", best),
        options.number("--draws", drawn, unless=str(DRAWS)),
    )


def against_references(
    job: Job,
    by: str | None,
    own: Mapping[str, Any],
    unfit: Mapping[str, Any],
    baselines: Sequence[str],
    **settings: Any,
) -> None:
    """Compare systems with references and show it; ``unfit`` are options that go with gold only."""
    if given := options.given(unfit):
        raise click.UsageError(
            f"{options.written(next(iter(given)))} is for one gold layer; leave it out with"
            " --references or --systems"
        )
    if by not in (None, *BY["AgainstReferences"]):
        raise click.UsageError(
            f"--by {by} is for one gold layer; with --references or --systems there is --by"
            f" {' or '.join(BY['AgainstReferences'])}"
        )
    if job.in_blocks:
        raise click.UsageError(
            "--references and --systems are for one corpus; leave out --block and --workers, and"
            " name single files"
        )
    chosen = {name: value for name, value in own.items() if value not in (None, False)}
    if "draws" in chosen and "best_match" not in chosen:
        raise click.UsageError("--draws is for --best-match; give that too, or leave it out")
    for side in ("references", "systems"):
        if side in chosen:
            chosen[side] = [job.layer(name) for name in chosen[side]]
    seed = job.certainty.get("seed")
    job, drawn_from = seeded(job, baselines)
    if "best_match" in chosen and not job.certainty.get("ci"):
        job = replace(job, certainty={**job.certainty, "seed": None})
    drawing = job.drawing()
    if "best_match" in chosen and seed is not None:
        drawing["seed"] = seed
    job.check_picture(sa.AgainstReferences, by)
    corpus = job.read()
    if baselines:
        systems = chosen.get("systems", ())
        people = chosen.get("references") or [x for x in corpus.layers if x not in systems]
        how = {"chance": settings["chance"], "seed": drawn_from}
        corpus = sa.with_baselines(corpus, baselines, references=people, **how)
        chosen |= {"systems": [*systems, *dict.fromkeys(baselines)]} if systems else {}
    result = sa.evaluate_references(
        corpus, **chosen, **settings, **drawing, progress=progress("comparing")
    )
    job.show(result, by)
