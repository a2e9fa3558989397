"""Write a methods paragraph with the settings of a result, and its references.

RESULT is the signature below a table, or a file of --format json; `-` is standard input. Without
it, a general sentence and all references are written.

\b
spanagree cite 'match:exact|chance:nonoverlapping|average:micro|spanagree:1.0.0'
spanagree cite report.json
spanagree cite report.json --results
"""

from __future__ import annotations

import click

from spanagree.choices import Cited, list_names
from spanagree.cli import options
from spanagree.cli.command import command
from spanagree.cli.job import CommandContext
from spanagree.cli.option_rules import require_terms
from spanagree.cli.output_options import build_output_options
from spanagree.cli.outputs import check_outputs

_RESULTS = "Write a paragraph of results instead: figures, intervals, coverage, and caveats."
_OF_FILE = require_terms("result", "a file that --format json wrote")


@command(
    click.Argument(["result"], required=False, metavar="[RESULT]"),
    options.group_options("Paragraph", options.build_flag("--results", _RESULTS, rules=[_OF_FILE])),
    build_output_options(list_names(Cited), plot=False, explain=False),
)
def cite(job: CommandContext, result: str | None = None, results: bool = False) -> None:
    """Write a methods paragraph, or a paragraph of results, and references.

    Args:
        job: context of the command.
        result: signature, or path of a file of ``--format json``.
        results: True for a paragraph of results.
    """
    from spanagree.report.citation import read_settings, write_citation

    check_outputs({"-o": job.output}, [] if result is None else [result])
    if result is None:
        job.write_output(write_citation(None, job.format))
        return
    settings, figures = read_settings(result, results)
    job.write_output(write_citation(settings, job.format, figures))
