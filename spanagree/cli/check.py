"""Show the contents and problems of files, before anything is computed.

The exit code is 1 if there is an error, or with --fail-on warning if there is any problem, else 0.

\b
spanagree check corpus.jsonl
spanagree check corpus.jsonl --fail-on warning
"""

from __future__ import annotations

import click

from spanagree.cli import options
from spanagree.cli.command import command
from spanagree.cli.job import FAILED, CommandContext
from spanagree.cli.output_options import build_output_options
from spanagree.cli.reading_options import NOT_CHECKED, build_reading_options

_FAIL = "Least severe problem for which the exit code is 1."


@command(
    options.FILES,
    options.group_options(
        "Checking",
        options.build_option("--fail-on", _FAIL, choices=("error", "warning"), unless="error"),
    ),
    build_output_options(("text", "json"), plot=False, explain=False),
    build_reading_options(skip=NOT_CHECKED, strings=True, described_by=""),
)
def check(job: CommandContext, fail_on: str = "error") -> None:
    """Show the contents and problems of files; exit with 1 if a problem is severe.

    Args:
        job: context of the command.
        fail_on: least severe problem for which the exit code is 1.
    """
    from spanagree.corpus.check import check as inspect
    from spanagree.corpus.repairs import apply_repairs
    from spanagree.formats.file_parts import read_raw_patterns
    from spanagree.formats.reading import describe_readers, find_reading_options
    from spanagree.results.data import to_json

    read_as, format_name, repair = job.split_reading_arguments()
    raw = read_raw_patterns(job.paths, read_as, format_name, repeats=True, thorough=True)
    result = inspect(apply_repairs(raw, repair))
    if job.format == "json":
        reading = find_reading_options(job.paths, read_as, format_name)
        job.write_output(to_json({**result.to_dict(), "reading": reading}))
    else:
        job.write_output(f"{describe_readers(job.paths, read_as, format_name)}\n{result.to_text()}")
    if result.is_odd if fail_on == "warning" else result.errors:
        click.get_current_context().exit(FAILED)
