"""Write a methods paragraph with the settings used, and the references that it needs.

RESULT is the signature that stands below a table, or a file of --format json; `-` is standard
input. Without it, a general sentence and all references are written.

\b
spanagree cite 'match:exact|chance:nonoverlapping|average:micro|spanagree:0.1.0'
spanagree cite report.json
"""

from __future__ import annotations

import click

from spanagree.cli import options
from spanagree.cli.job import Job, check_outputs, command
from spanagree.report.citation import CITED, cited, settings_in


@command(
    click.Argument(["result"], required=False, metavar="[RESULT]"),
    options.output(tuple(CITED), plot=False, explain=False),
)
def cite(job: Job, result: str | None) -> None:
    check_outputs({"-o": job.output}, [] if result is None else [result])
    job.put(cited(None if result is None else settings_in(result), job.format))
