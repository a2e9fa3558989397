"""What the command evaluate does with many annotators as references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import spanagree as sa
from spanagree.cli import options
from spanagree.cli.baselines import against_people, check_baselines, drawing
from spanagree.cli.job import CommandContext
from spanagree.cli.progress import progress
from spanagree.cli.together import Form

_ALL = "all others, if the other side is given"
_OTHERS = ("systems", "references")

FORM = Form(
    "references systems",
    "spanagree.references.against.evaluate_references",
    also="baseline by",
    why="it is for one gold annotator",
)
"""What evaluate calls with many annotators as references."""


def references() -> options.Group:
    """Return the options of systems against many annotators."""
    return options.group("Many annotators as references", *sides())


def sides() -> list[options.Option]:
    """Return the options that say who is compared with whom."""
    people = "Compare systems with each of these annotators, and these with each other."
    purposes = {"--references": people, "--systems": "Take these annotators as systems."}
    return [
        options.option(name, purpose, metavar="NAME,...", read=options.names_in, unless=_ALL)
        for name, purpose in purposes.items()
    ]


def chosen_sides(
    job: CommandContext, corpus: sa.Corpus, given: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the layers that a user means by the options of sides, of those that were given."""
    asked = {side: given[side] for side in _OTHERS if given.get(side)}
    return {side: [job.layer(name, corpus) for name in asked[side]] for side in asked}


def against_references(
    job: CommandContext, baselines: Sequence[str] | None, settings: Mapping[str, Any]
) -> None:
    """Compare systems with references and show it."""
    job.check_picture(sa.references.ReferenceEvaluation)
    check_baselines(baselines)
    corpus = job.read()
    chosen = {**settings, **chosen_sides(job, corpus, settings)}
    if baselines:
        drawn = drawing(job, settings)
        corpus, chosen = against_people(corpus, chosen, baselines, **drawn)
    result = sa.evaluate_references(
        corpus, **chosen, **job.intervals, **job.seed, progress=progress("comparing")
    )
    job.show(result)
