"""What all commands share: a job says what to read, how to work on it, and where results go."""

from __future__ import annotations

import functools
import inspect
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

import click
import cloup

import spanagree as sa
from spanagree.cli.options import (
    Group,
    given,
    group,
    layers_in,
    named_in,
    names_in,
    number_in,
    whole_number_in,
    written,
)
from spanagree.errors import InputError, check_choice, check_whole, printable
from spanagree.files import check_writable, write_text

FAILED = 1
"""The exit code where something was wrong with what was handed in."""

_BLOCK = 10_000  # sentences
_FIRST = "Options that most people need"
_Answer = TypeVar("_Answer")


class ReaderGoneError(Exception):
    """The reader of a pipe, such as `head`, has closed it; click would exit with 1."""


class Command(cloup.Command):
    """A command whose summary is shown whole in the list of commands."""

    def get_short_help_str(self, limit: int = 0) -> str:
        """Return the first paragraph of the help."""
        return " ".join(inspect.cleandoc(self.help or "").partition("\n\n")[0].split())


def command(
    argument: click.Argument | None, *groups: Group, first: str = ""
) -> Callable[[Callable[..., None]], Command]:
    """Return what makes a function a command; it is called with a job and its own options.

    The help is the docstring of its module, so that the list of commands need not load it.

    Args:
        argument: what stands behind the options.
        groups: the options, in the order of the help.
        first: the names of options that stand before all groups.
    """
    options = [each for members in groups for each in members]
    if first:
        by_name = {each.opts[-1]: each for each in options}
        top = group(_FIRST, *(by_name[name] for name in first.split()))
        options = [*top, *(each for each in options if each not in top)]

    def decorate(function: Callable[..., None]) -> Command:
        @functools.wraps(function)
        def run(**values: Any) -> None:
            shared: dict[str, Any] = {"reading": {}, "certainty": {}, "levels": {}}
            for each in options:
                if each.part:
                    shared[each.part][each.name] = values.pop(str(each.name))
            shared |= {
                each.name: values.pop(each.name) for each in fields(Job) if each.name in values
            }
            job = Job(**shared)
            job.check()
            function(job, **values)

        params = [*([argument] if argument else []), *options]
        purpose = sys.modules[function.__module__].__doc__
        return Command(function.__name__, params=params, callback=run, help=purpose)

    return decorate


@dataclass(frozen=True)
class Job:
    """What a command is asked to do, apart from its own options.

    Attributes:
        files: what stands behind the options.
        output, plot: where the result and its picture go.
        format, explain: how the result is written.
        block, workers, on_error: how blocks are worked on.
        reading, certainty, levels: the options of these groups, by name.
    """

    files: tuple[str, ...] = ()
    output: str | None = None
    plot: str | None = None
    format: str = "text"
    explain: bool = False
    block: int | None = None
    workers: int | None = None
    on_error: str | None = None
    reading: Mapping[str, Any] = field(default_factory=dict)
    certainty: Mapping[str, Any] = field(default_factory=dict)
    levels: Mapping[str, Any] = field(default_factory=dict)

    def check(self, **more: str | None) -> None:
        """Refuse, before any work, what cannot be written; ``more`` are outputs by their option."""
        if self.explain:
            from spanagree.report.explain import EXPLAINED

            if self.format not in EXPLAINED:
                raise click.UsageError(
                    f"--explain is for {' and '.join(EXPLAINED)}; not with {self.format}"
                )
        if self.plot is not None:
            from spanagree.rendering.plots import check_plot

            check_plot(self.plot)
        outputs = {"-o": self.output, "--plot": self.plot}
        outputs |= {written(name): path for name, path in more.items()}
        inputs = [path for each in self.files for path in (each, each.partition("=")[2])]
        check_outputs(outputs, inputs)

    # --- reading --------------------------------------------------------------------------------

    @functools.cached_property
    def paths(self) -> dict[str, str]:
        """The path of each layer."""
        return layers_in(self.files)

    def layer(self, name: str | None) -> str | None:
        """Return the layer that a user means, also by its file, with its extension or without."""
        if name is None or name in self.paths:
            return name
        as_given = [layer for layer, path in self.paths.items() if path == name]
        stems = [layer for layer in self.paths if os.path.splitext(layer)[0] == name]
        return as_given[0] if as_given else stems[0] if len(stems) == 1 else name

    @functools.cached_property
    def in_blocks(self) -> bool:
        """Whether the files are to be worked on in blocks."""
        asked = self._patterns or self.block is not None or self.workers is not None
        if self.on_error is not None and not asked:
            raise click.UsageError(
                "--on-error is for blocks; make them with --block, --workers or a pattern"
            )
        return asked

    @property
    def _patterns(self) -> bool:
        from spanagree.formats.shards import has_pattern

        return any(map(has_pattern, self.paths.values()))

    def how(self) -> tuple[dict[str, Any], str | None, list[str]]:
        """Return how to read: the options of readers, the format, and repairs."""
        from spanagree.corpus.repairs import REPAIRS

        options = dict(self.reading)
        form = options.pop("from")
        repair = [step for step in names_in(options.pop("repair") or "") or () if step]
        for step in repair:
            check_choice(step, REPAIRS, "repair")
        columns = named_in("--columns", options["columns"], "NAME=N, with N from 1,")
        options["columns"] = columns and {
            name: whole_number_in(number, "--columns") for name, number in columns.items()
        }
        options["tags"] = named_in("--tags", options["tags"])
        if options["spans"] and "=" in options["spans"]:
            options["spans"] = named_in("--spans", options["spans"])
        return given(options), form, repair

    def read(self) -> sa.Corpus:
        """Return the corpus in the files."""
        from spanagree.formats.shards import read_found

        options, form, repair = self.how()
        with progress("reading") as advance:
            return read_found(self.paths, options, form, repair, advance)

    def source(self) -> sa.Corpus | Iterable[Callable[[], sa.Corpus]]:
        """Return the corpus in the files, or its blocks for workers: parts or shards."""
        if not self.in_blocks:
            return self.read()
        from spanagree.formats.conll.read import conll_blocks
        from spanagree.formats.registry import FORMATS, format_of

        options, form, repair = self.how()
        if self._patterns:
            if self.block is not None:
                raise click.UsageError("--block: files found by a pattern are a block each")
            return sa.read_shards(self.paths, form=form, repair=repair, **options)
        others = {form or format_of(path) for path in self.paths.values()} - {"conll"}
        if others or options.keys() - set(FORMATS["conll"].takes):
            raise click.UsageError(
                "--block and --workers are for CoNLL files with their options;"
                f" these are {', '.join(sorted(others)) or 'given others'}"
            )
        size = _BLOCK if self.block is None else self.block
        return conll_blocks(self.paths, size, repair=repair, **options)

    # --- working --------------------------------------------------------------------------------

    def work(
        self, purpose: str, function: Callable[..., _Answer], *arguments: Any, **settings: Any
    ) -> _Answer:
        """Return what a function makes of a corpus or blocks, with the workers asked for."""
        with _worker_processes(self.workers) as executor, progress(purpose) as advance:
            return function(
                *arguments,
                executor=executor,
                on_error=self.on_error or "raise",
                progress=advance,
                **settings,
            )

    def drawing(self, test: str | None = None) -> dict[str, Any]:
        """Return what was asked for of intervals and of a test."""
        chosen = given(self.certainty)
        if "ci" in chosen:
            return chosen
        if test == "luck" and (unused := chosen.keys() & {"confidence", "interval"}):
            raise click.UsageError(
                f"{written(min(unused))} needs --ci; the test against luck has no intervals"
            )
        if chosen and test is None:
            more = " or --test" if "test" in click.get_current_context().params else ""
            raise click.UsageError(f"{written(next(iter(chosen)))} needs --ci{more}")
        return chosen

    def ways(self) -> dict[str, Any]:
        """Return how levels of difficulty are to be made."""
        ways: dict[str, Any] = dict(self.levels)
        for name in ("at", "chance_at", "quantiles"):
            if ways[name] is not None:
                ways[name] = [number_in(x, written(name)) for x in ways[name].split(",")]
        return ways

    # --- showing --------------------------------------------------------------------------------

    def show(
        self,
        result: Any,
        by: str | None = None,
        *,
        data: Callable[[], dict[str, Any]] | None = None,
        test: Any = None,
        notes: Sequence[str] = (),
    ) -> None:
        """Write a result, or a test with the result before it; then notes, and the picture.

        Args:
            result: what was computed.
            by: what has a row.
            data: what gives the plain data for JSON; ``to_dict`` of the result unless given.
            test: a test of the result.
            notes: of what it was made from.
        """
        from spanagree.rendering.data import TABLES, to_csv, to_json, to_jsonl

        last = result if test is None else test
        if self.format == "json":
            plain = (data or result.to_dict)()
            self.put(to_json(plain if test is None else {**plain, "test": test.to_dict()}))
        elif self.format == "jsonl":
            self.put(to_jsonl(last.to_rows()))
        elif self.format == "csv":
            self.put(to_csv(result.table(by) if test is None else test.table()))
        else:
            tables = [result.table(by), *([] if test is None else [test.table()])]
            texts = [TABLES[self.format](table) for table in tables]
            if self.explain:
                from spanagree.report.explain import EXPLAINED, explain

                texts.append(EXPLAINED[self.format](explain(tables)))
            self.put("\n".join(texts))
        say((*notes, *result.notes))
        if self.plot is not None:
            from spanagree.rendering.plots import write_plot

            write_plot(self.plot, last.picture(), last.signature)

    def put(self, text: str) -> None:
        """Write a text to the output, which is stdout unless a file was named."""
        if self.output is not None and self.output != "-":
            write_text(self.output, text)
            return
        try:
            click.echo(text, nl=False)
        except BrokenPipeError:
            raise ReaderGoneError from None


def say(notes: Iterable[str]) -> None:
    """Write notes on stderr, below what stands on stdout."""
    sys.stdout.flush()
    for note in notes:
        click.echo(f"spanagree: note: {printable(note)}", err=True)


def check_outputs(outputs: Mapping[str, str | None], inputs: Iterable[str]) -> None:
    """Refuse outputs, by their options, that cannot be written, are inputs, or are the same."""
    taken: dict[str, str] = {}
    for option, output in outputs.items():
        if output is None or output == "-":
            continue
        check_writable(output)
        path = Path(output)
        for other in inputs:
            if path.is_file() and os.path.exists(other) and path.samefile(other):
                raise InputError(
                    f"{printable(output)}: is an input too, which {option} would overwrite; name"
                    " another file"
                )
        real = os.path.realpath(path)
        if real in taken:
            raise InputError(
                f"{printable(output)}: is given to {taken[real]} and to {option}; each needs a file"
                " of its own"
            )
        taken[real] = option


@contextmanager
def _worker_processes(number: int | None) -> Iterator[Executor | None]:
    """Yield processes that work on blocks, if a number of them was asked for."""
    if number is None:
        yield None
        return
    check_whole(number, 1, "workers")
    from concurrent.futures import ProcessPoolExecutor  # takes a while to load

    with ProcessPoolExecutor(number) as executor:
        yield executor


@contextmanager
def progress(purpose: str) -> Iterator[Callable[[int, int], None] | None]:
    """Yield what moves a progress bar on stderr, in a terminal only."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(purpose)
        yield lambda done, total: bar.update(task, completed=done, total=total)
