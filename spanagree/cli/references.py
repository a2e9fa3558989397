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
    drawn = "Draw the chance of the best match N times."
    return options.group(
        "Many annotators as references",
        *sides(),
        best_match(),
        options.number("--draws", drawn, unless=str(DRAWS)),
    )


def best_match() -> options.Option:
    """Return the option that takes the nearest reference."""
    return options.flag("--best-match", "Take the reference that is nearest in each document.")


def sides() -> list[options.Option]:
    """Return the options that say who is compared with whom."""
    purposes = {
        "--references": "Compare each system with each of these annotators, and these with each"
        " other.",
        "--systems": "Take these layers as systems.",
    }
    others = "all others, with --references or --systems"
    return [
        options.option(name, purpose, metavar="NAME,...", read=options.names_in, unless=others)
        for name, purpose in purposes.items()
    ]


def chosen_sides(job: Job, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the layers that a user means by the options of sides, of those that were given."""
    return {
        side: [job.layer(name) for name in given[side]]
        for side in ("references", "systems")
        if given.get(side)
    }


def with_own_baselines(
    corpus: sa.Corpus, chosen: Mapping[str, Any], baselines: Sequence[str], **how: Any
) -> tuple[sa.Corpus, dict[str, Any]]:
    """Return a corpus with baselines of its references, and the sides with these as systems."""
    systems = chosen.get("systems", ())
    people = chosen.get("references") or [x for x in corpus.layers if x not in systems]
    whole = sa.with_baselines(corpus, baselines, references=people, **how)
    more = {"systems": [*systems, *dict.fromkeys(baselines)]} if systems else {}
    return whole, {**chosen, **more}


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
    chosen = options.given(own)
    if by == "label" and "best_match" in chosen:
        raise click.UsageError("--by label is for all references; leave out --best-match")
    if "draws" in chosen and "best_match" not in chosen:
        raise click.UsageError("--draws is for --best-match; give that too, or leave it out")
    chosen |= chosen_sides(job, chosen)
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
        how = {"chance": settings["chance"], "seed": drawn_from}
        corpus, chosen = with_own_baselines(corpus, chosen, baselines, **how)
    result = sa.evaluate_references(
        corpus, **chosen, **settings, **drawing, progress=progress("comparing")
    )
    job.show(result, by)
