"""What all commands share: a job says what to read, how to work on it, and where results go."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

import spanagree as sa
from spanagree.cli import options, signals, together
from spanagree.cli.help_pages import Command, ordered
from spanagree.cli.notes import gathered
from spanagree.cli.progress import hide_progress, progress
from spanagree.cli.signatures import parameters
from spanagree.errors import (
    InputError,
    MissingLayerError,
    SettingError,
    check_choice,
    check_whole,
    escape_name,
    quote_value,
    shortened,
)
from spanagree.files import check_writable, same_files, write_text

if TYPE_CHECKING:
    from concurrent.futures import Executor  # takes a while to load

    from spanagree.chance.model import ChanceModel  # a help loads no work
    from spanagree.results.frame import Frame

FAILED = 1
"""The exit code where something was wrong with what was handed in."""

_DIGITS = 15  # decimals that a float has
_OF_CHANCE = ("places", "chance_of")  # options that become part of the chance model
_Answer = TypeVar("_Answer")


class ReaderGoneError(BrokenPipeError):
    """The reader of a pipe has closed it; without a number, as click would exit with 1 for it."""


def command(
    argument: click.Argument | None,
    *groups: options.Group,
    forms: Sequence[together.Form] = (),
) -> Callable[[Callable[..., None]], Command]:
    """Return a decorator that makes a function a command.

    The function is called with a job, and with those of its own options that a user gave. The help
    is the docstring of its module, so that the list of commands need not load it.

    Args:
        argument: what stands behind the options.
        groups: the options, in the order of the help.
        forms: what is called in place of the usual function, where some options are given.
    """
    members = [member for group in (*groups, options.messages()) for member in group]

    def decorate(function: Callable[..., None]) -> Command:
        name = function.__name__.replace("_", "-")

        @functools.wraps(function)
        def run(**values: Any) -> None:
            given = {key: value for key, value in values.items() if options.is_given(value)}
            given |= options.form_by_name(given, members)
            if any(member.name == "runs" for member in members):
                given |= options.runs_of_files(given)
            if slices := options.given_slices(given, members):
                given = {key: value for key, value in given.items() if key != "by"} | slices
            job, arguments = _job_of(given, members)
            job.check_patterns()
            patterns = {together.PATTERNS: True} if job.has_patterns else {}
            together.check({**given, **patterns}, members, forms)
            if "overlap_at" in arguments:
                arguments["match"] = f"overlap-at-{arguments.pop('overlap_at'):g}"
            signals.while_working()
            job.check()
            of_chance = {key: arguments.pop(key) for key in _OF_CHANCE if key in arguments}
            if of_chance:
                chance = arguments.get("chance", "auto")
                arguments["chance"] = job.chance_model(chance, **of_chance)
            try:
                function(job, **arguments)
            except MissingLayerError:
                say(note for note in job.notes if "passed over" in note)  # who is missed, too
                raise
            finally:
                hide_progress()

        params = [*([argument] if argument else []), *ordered(name, members)]
        purpose = sys.modules[function.__module__].__doc__
        made = Command(name, params=params, callback=run, help=purpose)
        made.forms = forms
        return made

    return decorate


def _job_of(
    given: Mapping[str, Any], members: options.Group
) -> tuple[CommandContext, dict[str, Any]]:
    """Return the job that given options make, and the options that are arguments of the command."""
    arguments = {key: value for key, value in given.items() if key not in ("verbose", "quiet")}
    parts: dict[str, Any] = {"reading": {}, "certainty": {}, "levels": {}, "labels": {}}
    for member in members:
        if member.part and member.name in arguments:
            parts[member.part][member.name] = arguments.pop(str(member.name))
    if "attribute" in arguments:  # is read only where it is asked for
        parts["reading"]["attributes"] = [arguments["attribute"]]
    if arguments.keys() & {"min_score", "sweep"}:
        parts["reading"]["scores"] = True
    for attribute in fields(CommandContext):
        if attribute.name in arguments:
            parts[attribute.name] = arguments.pop(attribute.name)
    written = click.get_current_context().find_object(list)
    return CommandContext(**parts, written=[] if written is None else written), arguments


@dataclass(frozen=True, eq=False)
class CommandContext:
    """What a command is asked to do, apart from its own options.

    Attributes:
        files: what stands behind the options.
        by: what has a row in the result.
        slices: what else has a row: a column, a table, a pattern, or a class of segments.
        seen: training file of the slices of segments that stand in it.
        output, plot: where the result and its picture go.
        format, explain, safe_cells, bom: how the result is written.
        digits, percent, all_columns, style: how people see tables.
        workers: number of processes that read and compare files.
        reading, certainty, levels, labels: those options of these groups that were given, by name.
        written: what has been written so far, by name.
        notes: those of what has been read so far.
    """

    files: tuple[str, ...] = ()
    by: str | None = None
    slices: str | None = None
    seen: str | None = None
    output: str | None = None
    plot: str | None = None
    format: str = "text"
    explain: bool = False
    safe_cells: bool = False
    bom: bool = False
    digits: int | None = None
    percent: bool | None = None
    all_columns: bool = False
    style: Sequence[str] = ()
    workers: int | None = None
    reading: Mapping[str, Any] = field(default_factory=dict)
    certainty: Mapping[str, Any] = field(default_factory=dict)
    levels: Mapping[str, Any] = field(default_factory=dict)
    labels: Mapping[str, Any] = field(default_factory=dict)
    written: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def jackknife(self) -> sa.Jackknife:
        """The confidence and the clusters of intervals and tests."""
        names = ("confidence", "cluster_by", "over")
        return sa.Jackknife(**{key: x for key, x in self.certainty.items() if key in names})

    @property
    def intervals(self) -> dict[str, Any]:
        """The argument that asks for intervals, if they are asked for."""
        return {"ci": self.jackknife} if "ci" in self.certainty else {}

    @property
    def drawing(self) -> dict[str, Any]:
        """The number of draws and their seed, if they were given."""
        return {key: x for key, x in self.certainty.items() if key in ("resamples", "seed")}

    @property
    def seed(self) -> dict[str, Any]:
        """The argument that says what is drawn, if a seed was given."""
        return {key: x for key, x in self.certainty.items() if key == "seed"}

    def check(self, **more: str | None) -> None:
        """Refuse, before any work, what cannot be written; ``more`` are outputs by their option."""
        self._check_look()
        if self.plot:
            from spanagree.results.plots import check_plot

            check_plot(self.plot)
        outputs = {"-o": self.output, "--plot": self.plot}
        outputs |= {options.written(name): path for name, path in more.items()}
        inputs = [path for file in self.files for path in (file, file.partition("=")[2])]
        inputs += [path.rpartition(":")[0] for path in inputs]
        check_outputs(outputs, inputs)

    def _check_look(self) -> None:
        """Refuse what a format does not show."""
        if self.digits is not None:
            check_whole(self.digits, 0, "--digits")
            if self.digits > _DIGITS:
                raise SettingError(f"--digits {self.digits}; at most {_DIGITS} are exact")
        for style in self.style or ():
            from spanagree.results.data import STYLES

            if style not in STYLES.get(self.format, ()):
                fitting = [form for form, styles in STYLES.items() if style in styles]
                known = dict.fromkeys(name for styles in STYLES.values() for name in styles)
                check_choice(style, known, "style")
                raise click.UsageError(
                    f"--style {style} is for --format {' or '.join(fitting)}; not for {self.format}"
                )

    # --- reading --------------------------------------------------------------------------------

    @functools.cached_property
    def paths(self) -> dict[str, str]:
        """The path of each layer; a file with several names is said to be one."""
        paths = options.layers_in(self.files)
        names = list(paths)
        say(
            f"{names[a]} and {names[b]} are the same file, {paths[names[b]]}"
            for a, b in same_files(list(paths.values()))
        )
        # only folders are looked into, as that loads NumPy before signals are heard
        may_be_conll = self.reading.get("from") in (None, "conll")
        if not may_be_conll or not any(map(os.path.isdir, paths.values())):
            return paths
        from spanagree.formats.recognise import as_pattern

        return {name: os.fspath(as_pattern(path)) for name, path in paths.items()}

    def chance_model(
        self, name: str, places: str | None = None, chance_of: str = "both"
    ) -> ChanceModel:
        """Return the chance model with the rule of places that is asked for, and whose it is."""
        from spanagree.chance.model import chance_model

        model = chance_model(name, places, chance_of)
        if model.places is None or not self.files:
            return model
        unit = self.reading.get("unit", "sentence")
        encoding = self.reading.get("encoding", "utf-8")
        first = next(iter(self.paths.values()))
        return replace(model, places=model.places.in_file(first, unit, encoding))

    def layer(self, name: str | None, corpus: Any) -> str | None:
        """Return the layer that a user means, also by its file, with its extension or without.

        An annotator of the ``corpus`` comes first; parts of one are not looked into.

        Raises:
            SettingError: for a file that is not among those that are read.
        """
        known = corpus.layers if isinstance(corpus, sa.Corpus) else self.paths
        if name is None or name in known:
            return name
        as_given = [layer for layer, path in self.paths.items() if path == name]
        stems = [layer for layer in self.paths if os.path.splitext(layer)[0] == name]
        if not as_given and not stems and os.path.exists(name):
            raise SettingError(
                f"{quote_value(name)} is a file that is not read, and here annotators are named;"
                " name it with the other files too"
            )
        if as_given:
            return as_given[0]
        return stems[0] if len(stems) == 1 else name

    @property
    def has_patterns(self) -> bool:
        """Whether a pattern finds some of the files."""
        from spanagree.formats.patterns import has_pattern

        return any(map(has_pattern, self.paths.values()))

    def check_patterns(self) -> None:
        """Refuse a pattern that no file fits, before what patterns do not go with.

        Raises:
            InputError: then.
        """
        if self.has_patterns:
            from spanagree.formats.patterns import matches

            for path in self.paths.values():
                matches(path)

    def how(self) -> tuple[dict[str, Any], str | None, list[str]]:
        """Return the options of readers, the format, and repairs."""
        from spanagree.corpus.repairs import REPAIRS, steps_of

        reading = dict(self.reading)
        form = reading.pop("from", None)
        repair = [step for step in reading.pop("repair", ()) if step]
        for step in repair:
            check_choice(step, REPAIRS, "repair")
        choices = reading.pop("repeats", "once"), reading.pop("unplaced", "wrong")
        return reading, form, steps_of(repair, *choices)

    def read(self) -> sa.Corpus:
        """Return the corpus in the files."""
        from spanagree.formats.file_parts import read_found

        reading, form, repair = self.how()
        corpus = read_found(self.paths, reading, form, repair, progress("reading"))
        self.notes.extend(corpus.notes)
        return corpus

    def parts(self) -> sa.Corpus | Sequence[Callable[[], sa.Corpus]]:
        """Return the corpus in the files, or with workers its files as parts that these read."""
        if self.workers is None or "join" in self.reading:  # the same text may be in any file
            return self.read()
        reading, form, repair = self.how()
        return sa.formats.read_parts(self.paths, form=form, repair=repair, **reading)

    # --- working --------------------------------------------------------------------------------

    def compared(self, corpus: Any, settings: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
        """Return what of a corpus is compared, and the other settings; of its parts all of both."""
        names = parameters(options.SELECTION)
        given = {name: settings[name] for name in names if name in settings}
        others = {name: value for name, value in settings.items() if name not in names}
        if not given:
            return corpus, others
        if not isinstance(corpus, sa.Corpus):
            return corpus, dict(settings)
        from spanagree.comparisons.counting import ComparisonRequest

        match, chance = others.get("match", "exact"), others.get("chance", "auto")
        selected, counting = ComparisonRequest.asked(match, chance, **given).compared(corpus)
        return selected, others | {"match": counting.match}

    def work(
        self, purpose: str, function: Callable[..., _Answer], *arguments: Any, **settings: Any
    ) -> _Answer:
        """Call a function with the workers asked for, and return its result."""
        pool: Executor | None = None
        if self.workers is not None:
            check_whole(self.workers, 1, "workers")
            from concurrent.futures import ProcessPoolExecutor  # takes a while to load

            pool = ProcessPoolExecutor(self.workers, initializer=signals.in_worker)
        with signals.closing(pool):
            return function(*arguments, executor=pool, progress=progress(purpose), **settings)

    @property
    def file(self) -> str | None:
        """The output of a command that writes more than a table: a file, if any.

        Raises:
            UsageError: if it is standard output.
        """
        if self.output == "-":
            name = click.get_current_context().info_name
            raise click.UsageError(f"-o: {name} writes a file, and - is not one")
        return self.output

    def check_picture(self, kind: type[Any]) -> None:
        """Refuse, before any work, to draw a kind of result by what no picture shows."""
        if self.plot is not None:
            kind.check_picture(self.by)

    # --- showing --------------------------------------------------------------------------------

    def show(
        self,
        result: Any,
        *,
        test: Any = None,
        beside: Mapping[str, Any] | None = None,
        notes: Sequence[str] = (),
    ) -> None:
        """Write a result, or a test with the result before it; then notes, and the picture.

        Args:
            result: what was computed.
            test: a test of the result.
            beside: other results that stand below it in tables and in JSON, there by name.
            notes: of what it was made from.
        """
        from spanagree.results.data import render, to_csv, to_json, to_jsonl
        from spanagree.results.frame import TableStyle

        progress("writing")
        last, others = result if test is None else test, beside or {}
        if self.format == "json":
            more = {} if test is None else {"test": test.to_dict()}
            more |= {name: other.to_dict() for name, other in others.items()}
            self.put(to_json({**result.to_dict(self.by), **more}))
        elif self.format == "jsonl":
            self.put(to_jsonl(last.to_rows()))
        elif self.format == "csv":
            table = result.table(self.by) if test is None else test.table()
            self.put(to_csv(table, safe_cells=self.safe_cells, bom=self.bom))
        else:
            below = [other for other in (test, *others.values()) if other is not None]
            tables = [result.table(self.by), *(other.table() for other in below)]
            verdict = tables[0].verdict
            if test is not None and test.verdict:
                verdict = test.verdict
            if click.get_current_context().params.get("quiet"):
                verdict = ""
            tables = [tables[0].saying(verdict), *(table.saying("") for table in tables[1:])]
            if not self.all_columns:
                tables = [table.turned for table in tables]
            if self.format == "text":
                tables = _signed_once(tables)
            look = TableStyle(self.digits, self.percent, self.all_columns, self.style or ())
            texts = [render(table, self.format, look) for table in tables]
            if self.explain:
                from spanagree.report.explain import EXPLAINED, explain

                texts.append(EXPLAINED[self.format](explain(tables)))
            self.put("\n".join(texts))
        say((*notes, *result.notes))
        if self.plot is not None:
            from spanagree.results.plots import write_plot

            drawn = self.by if test is None else None
            write_plot(self.plot, last.picture(drawn), last.signature)
            self.wrote(self.plot)

    def wrote(self, name: str) -> None:
        """Remember what has been written, to say so if the program is stopped later."""
        self.written.append(escape_name(name))

    def put(self, text: str) -> None:
        """Write a text to the output, which is stdout unless a file was named."""
        if self.output is not None and self.output != "-":
            write_text(self.output, text)
            self.wrote(self.output)
            return
        self.wrote("standard output")
        hide_progress()
        if self.format == "csv" and sys.stdout.isatty():  # data are as they are, but for people
            text = "\n".join(map(escape_name, text.split("\n")))
        try:
            click.echo(text, nl=False)
        except BrokenPipeError:
            raise ReaderGoneError from None


def _signed_once(tables: Sequence[Frame]) -> list[Frame]:
    """Return tables without the signatures that a later table's has whole."""
    entries = [set(table.signature.split("|")) for table in tables]
    return [
        replace(table, settings={})
        if any(entries[i] <= later for later in entries[i + 1 :])
        else table
        for i, table in enumerate(tables)
    ]


def say(notes: Iterable[str]) -> None:
    """Write notes on stderr, below what stands on stdout; one for each kind, or all if asked."""
    hide_progress()
    sys.stdout.flush()
    verbose = click.get_current_context().params.get("verbose")
    for note in notes if verbose else gathered(notes, "--verbose lists all"):
        click.echo(f"spanagree: note: {shortened(escape_name(note))}", err=True)


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
                    f"{escape_name(output)}: is an input too, which {option} would overwrite; name"
                    " another file"
                )
        real = os.path.realpath(path)
        if real in taken:
            raise InputError(
                f"{escape_name(output)}: is given to {taken[real]} and to {option}; each needs a"
                " file of its own"
            )
        taken[real] = option
