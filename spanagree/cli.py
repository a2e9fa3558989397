"""The command line: arguments in, report out. It computes nothing and knows no formats."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

import spanagree as sa
from spanagree.chance import CHANCES
from spanagree.errors import InputError, SpanAgreeError, printable, show
from spanagree.evaluation import BY
from spanagree.formats.conll import UNITS
from spanagree.formats.files import check_writable, file_names, write_text
from spanagree.report import FORMATS, TABLES, to_csv, to_json
from spanagree.similarity import MATCHES
from spanagree.tags import SCHEMES

_FAILED, _MISUSED, _INTERRUPTED = 1, 2, 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit code; errors are one line on stderr."""
    if sys.stderr is None:  # closed by the shell
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115 — stays open
    if sys.stdout is None:
        return _complain("standard output is closed, so there is nowhere to write to", _FAILED)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a terminal that lacks a character gets its escape
            stream.reconfigure(errors="backslashreplace")
    try:
        code = spanagree.main(
            None if arguments is None else list(arguments),
            prog_name="spanagree",
            standalone_mode=False,
        )
        sys.stdout.flush()
    except click.UsageError as error:
        command = error.ctx.command_path if error.ctx else "spanagree"
        said = error.format_message().rstrip(".")
        return _complain(f"{said}; see '{command} --help'", _MISUSED)
    except click.ClickException as error:
        return _complain(error.format_message(), _FAILED)
    except SpanAgreeError as error:
        return _complain(str(error), _FAILED)
    except (click.Abort, KeyboardInterrupt):
        return _complain("interrupted; nothing was written", _INTERRUPTED)
    except MemoryError:
        return _complain("there is not enough memory for this", _FAILED)
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if isinstance(error, BrokenPipeError):  # the reader, such as `head`, has seen enough
            return 0
        return _complain(f"standard output: cannot be written: {error.strerror}", _FAILED)
    return int(code or 0)


def _complain(message: str, code: int) -> int:
    print(f"spanagree: error: {printable(message)}", file=sys.stderr)  # noqa: T201
    return code


def _note(message: str) -> None:
    click.echo(f"spanagree: note: {printable(message)}", err=True)


def _table_option(name: str, table: Any, default: str | None, what: str) -> Callable[..., Any]:
    """An option whose choices are the names of a table."""
    return click.option(
        name, type=click.Choice(list(table)), default=default, show_default=True, help=what
    )


_format = _table_option("--format", FORMATS, "text", "How the result is written.")
_output = click.option("-o", "--output", metavar="FILE", help="Write to FILE, not to stdout.")
_chance = _table_option("--chance", CHANCES, "nonoverlapping", "What a random annotation respects.")


@click.group(invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(sa.__version__, prog_name="spanagree", message="%(prog)s %(version)s")
@click.pass_context
def spanagree(context: click.Context) -> None:
    """How far sets of marked spans agree beyond luck."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@spanagree.command()
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--gold", metavar="NAME", help="The gold layer.  [default: the first]")
@_table_option("--match", MATCHES, "exact", "What counts as agreement.")
@_chance
@_table_option("--unit", UNITS, "sentence", "The text that one random annotation fills.")
@_table_option("--scheme", ["auto", *SCHEMES], "auto", "The tag scheme.")
@click.option("--strict", is_flag=True, help="Count only segments well-formed in the scheme.")
@click.option(
    "--columns",
    metavar="NAME=N,...",
    help="Tag columns; 0 is the token.  [default: the last column of each file]",
)
@click.option("--encoding", default="utf-8", show_default=True, help="Of the files.")
@click.option("--ignore-tokens", is_flag=True, help="Align by position where tokens differ.")
@_table_option("--by", BY, None, "A row for each of these.")
@_format
@_output
def evaluate(
    files: tuple[str, ...],
    gold: str | None,
    match: str,
    chance: str,
    by: str | None,
    format: str,  # noqa: A002 — named as the option
    output: str | None,
    columns: str | None,
    **reading: Any,
) -> None:
    """Evaluate systems against a gold annotation, raw and beyond luck.

    Each FILE is a CoNLL-like file of the same text, `-` is standard input, NAME=FILE names a
    layer. One file with several tag columns works too, with --columns.

    \b
    spanagree evaluate gold.conll mine.conll yours.conll
    spanagree evaluate all.conll --columns gold=1,mine=2 --by label
    """
    from spanagree.report.evaluation import as_table

    layers = _layers(files)
    _check_output(output, layers.values())
    gold = next((name for name, path in layers.items() if path == gold != name), gold)
    with _progress("reading") as advance:
        corpus = sa.read_conll(layers, columns=_columns(columns), progress=advance, **reading)
    with _progress("evaluating") as advance:
        result = sa.evaluate(corpus, gold, match=match, chance=chance, progress=advance)
    for note in result.notes:
        _note(note)
    _write(
        output,
        format,
        as_dict=lambda: result.to_dict(by),
        as_rows=lambda: result.to_rows(by),
        as_table=lambda: as_table(result, by),
    )


@spanagree.command()
@click.option("--length", type=int, required=True, metavar="N", help="Tokens of the document.")
@click.option("--segments", required=True, metavar="N,...", help="Lengths of the segments.")
@_chance
@_format
@_output
def chance(length: int, segments: str, chance: str, format: str, output: str | None) -> None:  # noqa: A002
    """Where the segments of a random annotation start: the chance model by itself.

    \b
    spanagree chance --length 100 --segments 1,5,10,15
    """
    from spanagree.report import start_distributions as report

    _check_output(output, ())
    lengths = [_whole_number(part, "--segments") for part in segments.split(",")]
    start = sa.start_distribution(length, lengths, chance)
    _write(
        output,
        format,
        as_dict=lambda: report.as_dict(length, lengths, chance, start),
        as_rows=lambda: report.as_rows(lengths, chance, start),
        as_table=lambda: report.as_table(length, lengths, chance, start),
    )


# --- arguments ----------------------------------------------------------------------------------


def _layers(files: Sequence[str]) -> dict[str, str]:
    """The name and path of each FILE or NAME=FILE."""
    named: dict[int, tuple[str, str]] = {}
    for i, argument in enumerate(files):
        name, equals, path = argument.partition("=")
        if equals and not os.path.exists(argument):
            if not name or not path:
                raise click.UsageError(f"{show(argument)}: NAME=FILE needs both")
            if name in (taken for taken, _ in named.values()):
                raise InputError(
                    f"the name {show(name)} is given twice; each layer needs a name of its own"
                )
            named[i] = name, path
    paths = [named[i][1] if i in named else argument for i, argument in enumerate(files)]
    if paths.count("-") > 1:
        raise InputError("standard input (-) is given twice; it can be read once")
    rest = [i for i in range(len(files)) if i not in named]
    names = file_names([files[i] for i in rest], [name for name, _ in named.values()])
    named |= {i: (name, files[i]) for i, name in zip(rest, names, strict=True)}
    return dict(named[i] for i in range(len(files)))


def _columns(text: str | None) -> dict[str, int] | None:
    if text is None:
        return None
    columns: dict[str, int] = {}
    for part in text.split(","):
        name, equals, number = part.strip().rpartition("=")
        if not equals or not name:
            raise click.UsageError(f"--columns: {show(part)}; NAME=N is needed, N from 1")
        if name in columns:
            raise InputError(
                f"--columns: the name {show(name)} is given twice; each layer needs its own"
            )
        columns[name] = _whole_number(number, "--columns")
    return columns


def _whole_number(text: str, option: str) -> int:
    if not re.fullmatch(r"\s*[+-]?[0-9]+\s*", text, re.ASCII):
        raise click.UsageError(f"{option}: {show(text)} is no whole number")
    return int(text)


# --- output -------------------------------------------------------------------------------------


def _check_output(output: str | None, inputs: Iterable[str]) -> None:
    """Before any work: the result can be written, and overwrites no input."""
    if output is None or output == "-":
        return
    check_writable(output)
    path = Path(output)
    for other in inputs:
        if path.is_file() and os.path.exists(other) and path.samefile(other):
            raise InputError(f"{printable(output)}: is an input too; -o would overwrite it")


def _write(
    output: str | None,
    format: str,  # noqa: A002 — named as the option
    as_dict: Callable[[], dict[str, Any]],
    as_rows: Callable[[], list[dict[str, Any]]],
    as_table: Callable[[], Any],
) -> None:
    if format == "json":
        text = to_json(as_dict())
    elif format == "csv":
        text = to_csv(as_rows())
    else:
        text = TABLES[format](as_table())
    if output is None or output == "-":
        click.echo(text, nl=False)
        return
    write_text(output, text)


@contextmanager
def _progress(what: str) -> Iterator[Callable[[int, int], None] | None]:
    """A progress bar on stderr, in a terminal only."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what)
        yield lambda done, total: bar.update(task, completed=done, total=total)
