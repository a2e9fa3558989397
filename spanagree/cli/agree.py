"""Say how far annotators agree with each other, raw and beyond luck.

Every pair is compared over the documents that both saw.

\b
spanagree agree crowd.jsonl --by annotator
spanagree agree ann.conll bob.conll --match token
spanagree agree crowd.jsonl --measure gamma
"""

from __future__ import annotations

from typing import Any

import click

import spanagree as sa
from spanagree.agreement.result import MIN_SHARED, Agreement
from spanagree.cli import options
from spanagree.cli.job import Job, command
from spanagree.cli.unitizing import MEASURES, measure_units, unitizing

_MEASURED = "Choose what agreement is measured by."
_SHARED = "Mark pairs that share fewer than N documents."


@command(
    options.FILES,
    options.comparing(
        options.option("--measure", _MEASURED, choices=MEASURES, default="f1"),
        options.by(Agreement.BY),
        options.annotators(),
        options.number("--min-shared", _SHARED, default=MIN_SHARED),
    ),
    unitizing(),
    options.certainty(),
    options.blocks(),
    options.reading(),
    options.output(),
    first="--measure --match --by --annotators --columns --scheme --ci --format --output --plot",
)
def agree(
    job: Job,
    measure: str,
    match: str,
    chance: str,
    by: str | None,
    annotators: str | None,
    min_shared: int,
    **units: Any,
) -> None:
    given = click.get_current_context().get_parameter_source
    if measure != "f1":
        for name in ("match", "min_shared"):
            if given(name) is not click.core.ParameterSource.DEFAULT:
                raise click.UsageError(f"{options.written(name)} is for --measure f1; leave it out")
        asked = given("chance") is not click.core.ParameterSource.DEFAULT
        measure_units(job, measure, by, annotators, {**units, "chance": chance if asked else None})
        return
    if unfit := options.given(units):
        name = options.written(next(iter(unfit)))
        raise click.UsageError(f"{name} is for other measures than F1; give --measure too")
    drawing = job.drawing()
    if job.in_blocks and by == "document":
        raise click.UsageError("blocks keep no single documents, which --by document needs")
    result = job.work(
        "comparing",
        sa.agree,
        job.source(),
        match=match,
        chance=chance,
        annotators=options.names_in(annotators),
        min_shared=min_shared,
        **drawing,
    )
    job.show(result, by, data=lambda: result.to_dict(by))
