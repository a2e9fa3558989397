"""Say how far annotators agree with each other, raw and beyond luck.

Every pair is compared over the documents that both saw.

\b
spanagree agree crowd.jsonl --by annotator
spanagree agree ann.conll bob.conll --match token
"""

from __future__ import annotations

import click

import spanagree as sa
from spanagree.agreement.result import MIN_SHARED, Agreement
from spanagree.cli import options
from spanagree.cli.job import Job, command

_SHARED = "Mark pairs that share fewer than N documents."


@command(
    options.FILES,
    options.comparing(
        options.by(Agreement.BY),
        options.annotators(),
        options.number("--min-shared", _SHARED, default=MIN_SHARED),
    ),
    options.certainty(),
    options.blocks(),
    options.reading(),
    options.output(),
    first="--match --by --annotators --columns --scheme --ci --format --output --plot",
)
def agree(
    job: Job, match: str, chance: str, by: str | None, annotators: str | None, min_shared: int
) -> None:
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
