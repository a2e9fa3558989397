"""Options of worklists, and the files with the next reader of each document."""

from __future__ import annotations

from typing import Any

import click

import spanagree as sa
from spanagree.cli import options
from spanagree.cli.job import CommandContext
from spanagree.cli.option_rules import add_rules, require_terms
from spanagree.cli.progress import start_progress
from spanagree.errors import escape_path

_WORKLIST = "spanagree.project.next_readers.worklist"
_FILE = "File for the worklist: .csv, or tasks for Label Studio (.json) or Prodigy (.jsonl)."
_OPTION_NAMES = ("readers", "limit", "assignees")


def build_worklist_options() -> options.Group:
    """Build the options of a worklist."""
    file = options.build_option("--worklist", _FILE, metavar="FILE")
    details = add_rules(
        options.build_options_from_function(_WORKLIST, *_OPTION_NAMES), require_terms("worklist")
    )
    return options.group_options("Worklist", file, *details)


def check_worklist(job: CommandContext, path: str) -> None:
    """Check, before any work, that a worklist can be written to a file.

    Raises:
        SettingError: if its extension is not allowed.
        InputError: if it cannot be written, or is another file of the command.
        UsageError: if an option of tables is given, but no table is written.
    """
    from spanagree.formats.write import find_task_format

    tool_format = find_task_format(path)
    job.check_output_paths(worklist=path)
    if tool_format is not None and job.format != "csv" and (job.safe_cells or job.bom):
        option = "--safe-cells" if job.safe_cells else "--bom"
        raise click.UsageError(
            f"{option} is for tables, and {escape_path(path)} is for {tool_format}; leave it"
            " out, or name a file that ends in .csv"
        )


def write_worklist(job: CommandContext, source: Any, path: str, settings: dict[str, Any]) -> Any:
    """Build the worklist of a corpus or a gold, write it to a file, and return it.

    Args:
        job: context of the command.
        source: corpus or gold.
        path: path of the new file.
        settings: arguments of :func:`spanagree.project.next_readers.worklist`.
    """
    from spanagree.formats.write import find_task_format

    result = sa.project.worklist(source, progress=start_progress("comparing"), **settings)
    start_progress("writing")
    is_table = find_task_format(path) is None
    result.write(path, safe_cells=is_table and job.safe_cells, bom=is_table and job.bom)
    job.record_output(path)
    return result


def pop_worklist_settings(settings: dict[str, Any]) -> dict[str, Any]:
    """Remove the settings of a worklist from the settings of a command, and return them."""
    return {name: settings.pop(name) for name in _OPTION_NAMES if name in settings}
