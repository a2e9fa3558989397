"""What a command shows: the report on stdout or in a file, all else on stderr."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from spanagree.cli.options import EXPLAIN
from spanagree.errors import InputError, printable
from spanagree.formats.files import check_writable, write_text
from spanagree.report import TABLES, to_csv, to_json
from spanagree.report.explain import EXPLAINED, explain

FAILED = 1
"""The exit code where something was wrong with what was handed in."""


class ReaderGoneError(Exception):
    """The reader of a pipe, such as `head`, has closed it; click would exit with 1."""


def _note(message: str) -> None:
    click.echo(f"spanagree: note: {printable(message)}", err=True)


def say(notes: Sequence[str]) -> None:
    """Notes on stderr, below what stands on stdout."""
    sys.stdout.flush()
    for note in notes:
        _note(note)


def check_output(output: str | None, inputs: Iterable[str], option: str = "-o") -> None:
    """Before any work: the result can be written, and overwrites no input."""
    if output is None or output == "-":
        return
    check_writable(output)
    path = Path(output)
    for other in inputs:
        if path.is_file() and os.path.exists(other) and path.samefile(other):
            raise InputError(f"{printable(output)}: is an input too; {option} would overwrite it")


def write_result(
    output: str | None,
    format: str,  # noqa: A002 — named as the option
    as_dict: Callable[[], dict[str, Any]],
    as_rows: Callable[[], list[dict[str, Any]]],
    as_table: Callable[[], Any],
    before: Callable[[], Any] | None = None,
) -> None:
    """Writes a result in the format asked for."""
    if format == "json":
        text = to_json(as_dict())
    elif format == "csv":
        text = to_csv(as_rows())
    else:
        tables = [make() for make in (before, as_table) if make is not None]
        text = "\n".join(
            [*(TABLES[format](table) for table in tables), *explanation(format, tables)]
        )
    put(output, text)


def put(output: str | None, text: str) -> None:
    """Writes a text to the file, or to stdout."""
    if output is None or output == "-":
        try:
            click.echo(text, nl=False)
        except BrokenPipeError:
            raise ReaderGoneError from None
    else:
        write_text(output, text)


def check_plot_file(plot: str | None, output: str | None, inputs: Iterable[str]) -> None:
    """Before any work: the picture can be drawn and written, and overwrites nothing."""
    if plot is None:
        return
    from spanagree.report.plots import check_plot

    check_plot(plot)
    check_output(plot, inputs, "--plot")
    check_apart({"-o": output, "--plot": plot})


def check_apart(outputs: Mapping[str, str | None]) -> None:
    """Before any work: no two outputs, by their options, are the same file."""
    taken: dict[str, str] = {}
    for option, path in outputs.items():
        if path is None or path == "-":
            continue
        real = os.path.realpath(path)
        if real in taken:
            raise InputError(
                f"{printable(path)}: is given to {taken[real]} and to {option}; each needs a file"
                " of its own"
            )
        taken[real] = option


def draw_plot(plot: str | None, result: Any) -> None:
    """Writes the picture of a result, if one was asked for."""
    if plot is not None:
        from spanagree.report.plots import write_plot

        write_plot(plot, result, result.signature)


def explanation(format: str, tables: Sequence[Any]) -> list[str]:  # noqa: A002 — named as the option
    """What the figures of the tables mean, if that was asked for."""
    asked = click.get_current_context().meta.get(EXPLAIN)
    return [EXPLAINED[format](explain(tables))] if asked else []


def show_report(
    output: str | None,
    format: str,  # noqa: A002 — named as the option
    notes: Sequence[str],
    **ways: Callable[[], Any],
) -> None:
    """Writes a result, and then its notes on stderr."""
    write_result(output, format, **ways)
    say(notes)


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None] | None]:
    """A progress bar on stderr, in a terminal only."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what)
        yield lambda done, total: bar.update(task, completed=done, total=total)
