"""Options of who reads which document next, and the file that says so."""

from __future__ import annotations

from typing import Any

import click

import spanagree as sa
from spanagree.cli import options
from spanagree.cli.job import CommandContext
from spanagree.cli.progress import progress
from spanagree.cli.together import declared, needs
from spanagree.errors import printable_path

_WORKLIST = "spanagree.project.next_readers.worklist"
_FILE = "Write who reads what next: .csv, or tasks for Label Studio (.json) or Prodigy (.jsonl)."
_OWN = ("readers", "limit", "assignees")


def worklist_options() -> options.Group:
    """Return the options of a worklist."""
    file = options.option("--worklist", _FILE, metavar="FILE")
    whose = declared(options.of(_WORKLIST, *_OWN), needs("worklist"))
    return options.group("Who reads next", file, *whose)


def check_worklist(job: CommandContext, path: str) -> None:
    """Refuse, before any work, a file that cannot be written.

    Raises:
        SettingError: if no worklist is written to such a file.
        InputError: if the file cannot be written, or is another of the command.
        UsageError: if an option of tables is given, and there is none.
    """
    from spanagree.formats.write import task_format

    form = task_format(path)
    job.check(worklist=path)
    if form is not None and job.format != "csv" and (job.safe_cells or job.bom):
        option = "--safe-cells" if job.safe_cells else "--bom"
        raise click.UsageError(
            f"{option} is for tables, and {printable_path(path)} is for {form}; leave it out, or"
            " name a file that ends in .csv"
        )


def write_worklist(job: CommandContext, source: Any, path: str, settings: dict[str, Any]) -> Any:
    """Make a worklist of a corpus or a gold, write it, and return it."""
    from spanagree.formats.write import task_format

    made = sa.project.worklist(source, progress=progress("comparing"), **settings)
    progress("writing")
    is_table = task_format(path) is None
    made.write(path, safe_cells=is_table and job.safe_cells, bom=is_table and job.bom)
    job.wrote(path)
    return made


def taken(settings: dict[str, Any]) -> dict[str, Any]:
    """Take the settings of a worklist out of those of a command."""
    return {name: settings.pop(name) for name in _OWN if name in settings}
