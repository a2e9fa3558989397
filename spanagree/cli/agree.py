"""Say how far annotators agree with each other, raw and beyond luck.

Every pair is compared over the documents that both saw.

\b
spanagree agree crowd.jsonl --by annotator
spanagree agree ann.conll bob.conll --match token
"""

from __future__ import annotations

from typing import Any

import click

import spanagree as sa
from spanagree.agreement.result import MIN_SHARED, Agreement
from spanagree.cli import options
from spanagree.cli.job import Job, command

_LUCK = "Give p, z and standard deviation of luck for each pair, in JSON for its documents too."
_SHARED = "Mark pairs that share fewer than N documents."


@command(
    options.FILES,
    options.comparing(
        options.by(Agreement.BY),
        options.annotators(),
        options.number("--min-shared", _SHARED, default=MIN_SHARED),
        options.flag("--luck", _LUCK),
    ),
    options.certainty(),
    options.blocks(),
    options.reading(),
    options.output(),
    first="--match --by --annotators --columns --scheme --ci --format --output --plot",
)
def agree(job: Job, by: str | None, **settings: Any) -> None:
    drawing = job.drawing()
    if job.in_blocks and by == "document":
        raise click.UsageError("blocks keep no single documents, which --by document needs")
    if job.in_blocks and settings["luck"]:
        raise click.UsageError("blocks keep no single documents, which --luck needs")
    job.show(job.work("comparing", sa.agree, job.source(), **settings, **drawing), by)
