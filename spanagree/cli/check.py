"""Say what is in files and what is odd about it, before anything is computed.

The exit code is 1 if something has to be repaired first, else 0.

\b
spanagree check corpus.jsonl
"""

from __future__ import annotations

import click

from spanagree.cli import options
from spanagree.cli.job import FAILED, Job, command
from spanagree.corpus.repairs import repaired
from spanagree.formats.shards import raw_found
from spanagree.rendering.data import to_json


@command(
    options.FILES,
    options.output(("text", "json"), plot=False, explain=False),
    options.reading(),
)
def check(job: Job) -> None:
    from spanagree.corpus.check import check as inspect

    how, form, repair = job.how()
    result = inspect(repaired(raw_found(job.paths, how, form, repeats=True), repair))
    job.put(to_json(result.to_dict()) if job.format == "json" else result.to_text())
    if result.errors:
        click.get_current_context().exit(FAILED)
