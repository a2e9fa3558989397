"""The corpus that a command works on: whole, in blocks, or in shards."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

import spanagree as sa
from spanagree.cli.options import EXPLAIN, layers_in, reading_asked
from spanagree.errors import InputError, check_whole, printable
from spanagree.files import check_writable, write_text
from spanagree.formats.conll.read import conll_blocks
from spanagree.formats.registry import FORMATS, format_of
from spanagree.formats.shards import has_pattern, read_found
from spanagree.rendering.data import TABLES, to_csv, to_json
from spanagree.report.explain import EXPLAINED, explain

_BLOCK = 10_000  # sentences


def read_corpus(
    files: Sequence[str], reading: dict[str, Any], output: str | None
) -> tuple[sa.Corpus, dict[str, str]]:
    """The corpus in the files, and the path of each layer; the output is checked before."""
    options, form, repair = reading_asked(reading)
    layers = layers_in(files)
    check_output(output, layers.values())
    with progress("reading") as advance:
        return read_found(layers, options, form, repair, advance), layers


def in_blocks_asked(
    files: Sequence[str], block: int | None, workers: int | None, on_error: str | None
) -> bool:
    """Whether the files are to be worked on in blocks."""
    found = any(map(has_pattern, layers_in(files).values()))
    asked = found or block is not None or workers is not None
    if on_error is not None and not asked:
        raise click.UsageError("--on-error is of blocks; --block, --workers or a pattern make them")
    return asked


def corpus_or_blocks(
    files: Sequence[str],
    reading: dict[str, Any],
    output: str | None,
    in_blocks: bool,
    block: int | None,
) -> tuple[Any, dict[str, str]]:
    """The corpus in the files, or its blocks; the path of each layer."""
    if in_blocks:
        return blocks_of(files, reading, output, block)
    return read_corpus(files, reading, output)


def blocks_of(
    files: Sequence[str], reading: dict[str, Any], output: str | None, block: int | None
) -> tuple[Iterable[Callable[[], sa.Corpus]], dict[str, str]]:
    """CoNLL files in blocks, or shards by patterns, for workers; the path of each layer."""
    options, form, repair = reading_asked(reading)
    layers = layers_in(files)
    check_output(output, layers.values())
    if any(map(has_pattern, layers.values())):
        if block is not None:
            raise click.UsageError("--block: files found by a pattern are a block each")
        return sa.read_shards(layers, form=form, repair=repair, **options), layers
    other = {form or format_of(path) for path in layers.values()} - {"conll"}
    if other or options.keys() - set(FORMATS["conll"].takes):
        raise click.UsageError(
            "--block and --workers are for CoNLL files with their options;"
            f" these are {', '.join(sorted(other)) or 'given others'}"
        )
    size = _BLOCK if block is None else block
    return conll_blocks(layers, size, repair=repair, **options), layers


@contextmanager
def worker_processes(number: int | None) -> Iterator[ProcessPoolExecutor | None]:
    """Processes that work on blocks, if a number of them was asked for."""
    if number is None:
        yield None
        return
    check_whole(number, 1, "workers")
    with ProcessPoolExecutor(number) as executor:
        yield executor


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
    from spanagree.rendering.plots import check_plot

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
        from spanagree.rendering.plots import write_plot

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


def show_evaluation(
    output: str | None,
    format: str,  # noqa: A002 — named as the option
    result: sa.Evaluation,
    by: str | None,
    tested: sa.Comparison | sa.LuckTest | None,
) -> None:
    """Writes an evaluation, or the test of it with the evaluation before it."""
    from spanagree.evaluation.table import as_table
    from spanagree.evaluation.tests_table import as_table as tests_as_table

    if tested is None:
        show_report(
            output,
            format,
            result.notes,
            as_dict=lambda: result.to_dict(by),
            as_rows=lambda: result.to_rows(by),
            as_table=lambda: as_table(result, by),
        )
        return
    show_report(
        output,
        format,
        result.notes,
        as_dict=lambda: {**result.to_dict(by), "test": tested.to_dict()},
        as_rows=tested.to_rows,
        as_table=lambda: tests_as_table(tested),
        before=lambda: as_table(result, by),
    )
