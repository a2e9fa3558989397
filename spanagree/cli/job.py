"""Context of a command: its files and shared options, reading, working and output."""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeVar

import click

import spanagree as sa
from spanagree.cli import signals
from spanagree.cli.comparison_options import SELECTION
from spanagree.cli.option_values import format_option_name, parse_layers
from spanagree.cli.outputs import check_outputs, show_notes
from spanagree.cli.progress import hide_progress, start_progress
from spanagree.cli.signatures import read_parameters
from spanagree.errors import (
    SettingError,
    check_choice,
    check_integer,
    escape_name,
    quote_value,
)
from spanagree.files import write_text, yield_pairs_of_same_file

if TYPE_CHECKING:
    from concurrent.futures import Executor  # takes a while to load

    from spanagree.chance.model import ChanceModel  # a help loads no work
    from spanagree.results.frame import Frame

FAILED = 1
"""Exit code for invalid input."""

_DIGITS = 15  # exact decimals of a float
_Result = TypeVar("_Result")


class ReaderGoneError(BrokenPipeError):
    """Error for a pipe that its reader closed.

    It has no errno, as click would exit with 1 for it.
    """


@dataclass(frozen=True, eq=False)
class CommandContext:
    """Files, shared options and output of a command.

    Attributes:
        files: arguments after the options.
        by: view of the result.
        slices: slices of the result: a column, a table, a pattern, or a class of segments.
        seen: training file for the slices of segments that occur in it.
        output, plot: paths of the result and of its plot.
        format, explain, safe_cells, bom: format of the result.
        digits, percent, all_columns, style: look of tables.
        workers: number of processes that read and compare files.
        reading, certainty, levels, labels: given options of these groups, by name.
        written: names of the outputs written so far.
        notes: notes of the files read so far.
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
        """Confidence, clusters and samples of intervals and tests."""
        return sa.Jackknife(**self._select_certainty("confidence", "cluster_by", "over"))

    @property
    def intervals(self) -> dict[str, Any]:
        """Argument ``ci``, if intervals are requested."""
        return {"ci": self.jackknife} if "ci" in self.certainty else {}

    @property
    def drawing(self) -> dict[str, Any]:
        """Number of draws and their seed, if they were given."""
        return self._select_certainty("resamples", "seed")

    @property
    def seed(self) -> dict[str, Any]:
        """Argument ``seed``, if it was given."""
        return self._select_certainty("seed")

    def _select_certainty(self, *names: str) -> dict[str, Any]:
        """Select the given ones of these options of certainty, by name."""
        return {name: self.certainty[name] for name in names if name in self.certainty}

    def check_output_paths(self, **extra_outputs: str | None) -> None:
        """Check, before any work, that the outputs can be written and are not inputs.

        ``extra_outputs`` are paths of further outputs, by the names of their options.
        """
        self._check_table_style()
        if self.plot:
            from spanagree.results.plots import check_plot

            check_plot(self.plot)
        outputs = {"-o": self.output, "--plot": self.plot}
        outputs |= {format_option_name(name): path for name, path in extra_outputs.items()}
        inputs = [path for file in self.files for path in (file, file.partition("=")[2])]
        inputs += [path.rpartition(":")[0] for path in inputs]
        check_outputs(outputs, inputs)

    def _check_table_style(self) -> None:
        """Check the number of digits, and that the format has the requested styles."""
        if self.digits is not None:
            check_integer(self.digits, 0, "--digits")
            if self.digits > _DIGITS:
                raise SettingError(f"--digits {self.digits}; at most {_DIGITS} are exact")
        for style in self.style:
            from spanagree.results.data import STYLES

            if style not in STYLES.get(self.format, ()):
                formats = [format_ for format_, styles in STYLES.items() if style in styles]
                known_styles = dict.fromkeys(name for styles in STYLES.values() for name in styles)
                check_choice(style, known_styles, "style")
                raise click.UsageError(
                    f"--style {style} is for --format {' or '.join(formats)}; not for {self.format}"
                )

    # --- reading --------------------------------------------------------------------------------

    @functools.cached_property
    def paths(self) -> dict[str, str]:
        """Paths by the name of their layer; files that are passed twice cause a note."""
        paths = parse_layers(self.files)
        names = list(paths)
        show_notes(
            f"{names[a]} and {names[b]} are the same file, {paths[names[b]]}"
            for a, b in yield_pairs_of_same_file(list(paths.values()))
        )
        # only for folders, as recognition loads NumPy before signals are handled
        may_be_conll = self.reading.get("from") in (None, "conll")
        if not may_be_conll or not any(map(os.path.isdir, paths.values())):
            return paths
        from spanagree.formats.recognise import convert_to_pattern

        return {name: os.fspath(convert_to_pattern(path)) for name, path in paths.items()}

    def build_chance_model(
        self, name: str, places: str | None = None, chance_of: str = "both"
    ) -> ChanceModel:
        """Build the chance model.

        Args:
            name: name of the model.
            places: rule for the places of random segments, if any.
            chance_of: random annotations: both, or systems.
        """
        from spanagree.chance.model import build_chance_model

        model = build_chance_model(name, places, chance_of)
        if model.places is None or not self.files:
            return model
        unit = self.reading.get("unit", "sentence")
        encoding = self.reading.get("encoding", "utf-8")
        first = next(iter(self.paths.values()))
        return replace(model, places=model.places.set_file(first, unit, encoding))

    def resolve_layer(self, name: str | None, corpus: Any) -> str | None:
        """Find the layer that a user means by a name, a path, or a file name without extension.

        A name that fits no layer is returned unchanged. For a corpus in parts, the layers are the
        files.

        Raises:
            SettingError: if the name is the path of a file that is not read.
        """
        layers = corpus.layers if isinstance(corpus, sa.Corpus) else self.paths
        if name is None or name in layers:
            return name
        layers_of_path = [layer for layer, path in self.paths.items() if path == name]
        layers_of_stem = [layer for layer in self.paths if os.path.splitext(layer)[0] == name]
        if not layers_of_path and not layers_of_stem and os.path.exists(name):
            raise SettingError(
                f"{quote_value(name)} is a file that is not read; name an annotator, or add the"
                " file to the other files"
            )
        if layers_of_path:
            return layers_of_path[0]
        return layers_of_stem[0] if len(layers_of_stem) == 1 else name

    @property
    def has_patterns(self) -> bool:
        """True if a pattern matches some of the files."""
        from spanagree.formats.patterns import has_pattern

        return any(map(has_pattern, self.paths.values()))

    def list_files(self) -> list[str]:
        """List the paths of all files, also of those that patterns match, without standard input.

        Raises:
            InputError: if a pattern matches none.
        """
        from spanagree.formats.patterns import find_matches

        return [file for path in self.paths.values() for file in find_matches(path) if file != "-"]

    def split_reading_arguments(self) -> tuple[dict[str, Any], str | None, list[str]]:
        """Split the options of reading.

        Returns:
            Options of readers by name, name of the format if one was requested, and names of the
            steps that repair the data.
        """
        from spanagree.corpus.flaws import REPAIRS
        from spanagree.corpus.repairs import list_steps

        reading = dict(self.reading)
        format_name = reading.pop("from", None)
        repair = [step for step in reading.pop("repair", ()) if step]
        for step in repair:
            check_choice(step, REPAIRS, "repair")
        unless_repaired = reading.pop("repeats", "once"), reading.pop("unplaced", "wrong")
        return reading, format_name, list_steps(repair, *unless_repaired)

    def read_corpus(self) -> sa.Corpus:
        """Read the corpus in the files."""
        from spanagree.formats.file_parts import read_patterns

        reading, format_name, repair = self.split_reading_arguments()
        corpus = read_patterns(self.paths, reading, format_name, repair, start_progress("reading"))
        self.notes.extend(corpus.notes)
        return corpus

    def read_corpus_or_parts(self) -> sa.Corpus | Sequence[Callable[[], sa.Corpus]]:
        """Read the corpus in the files; with workers, list functions that each read one file."""
        if self.workers is None or "join" in self.reading:  # texts are joined across files
            return self.read_corpus()
        reading, format_name, repair = self.split_reading_arguments()
        return sa.formats.read_parts(self.paths, form=format_name, repair=repair, **reading)

    # --- working --------------------------------------------------------------------------------

    def select_compared(
        self, corpus: Any, settings: Mapping[str, Any]
    ) -> tuple[Any, dict[str, Any]]:
        """Select what is compared, such as relations, and remove the settings that choose it.

        Args:
            corpus: corpus, or its parts, which are returned unchanged with all settings.
            settings: settings of the command.

        Returns:
            The corpus with the selected items as segments, and the remaining settings.
        """
        names = read_parameters(SELECTION)
        target_settings = {name: settings[name] for name in names if name in settings}
        other_settings = {name: value for name, value in settings.items() if name not in names}
        if not target_settings:
            return corpus, other_settings
        if not isinstance(corpus, sa.Corpus):
            return corpus, dict(settings)
        from spanagree.comparisons.counting import ComparisonRequest

        match, chance = other_settings.get("match", "exact"), other_settings.get("chance", "auto")
        selected, counting = ComparisonRequest.from_keywords(
            match, chance, **target_settings
        ).select_items(corpus)
        return selected, other_settings | {"match": counting.match}

    def run_with_workers(
        self, purpose: str, function: Callable[..., _Result], *arguments: Any, **settings: Any
    ) -> _Result:
        """Call a function with the pool of workers, if one was requested, and with progress.

        Args:
            purpose: name of the step for the progress bar.
            function: function with parameters ``executor`` and ``progress``.
            *arguments: positional arguments of the function.
            **settings: keyword arguments of the function.
        """
        pool: Executor | None = None
        if self.workers is not None:
            check_integer(self.workers, 1, "workers")
            from concurrent.futures import ProcessPoolExecutor  # takes a while to load

            pool = ProcessPoolExecutor(self.workers, initializer=signals.ignore_signals)
        with signals.shut_down_pool(pool):
            return function(*arguments, executor=pool, progress=start_progress(purpose), **settings)

    @property
    def file(self) -> str | None:
        """Output of a command that writes a file other than a table, if any.

        Raises:
            UsageError: if it is standard output.
        """
        if self.output == "-":
            name = click.get_current_context().info_name
            raise click.UsageError(f"-o: {name} writes a file, and - is not one")
        return self.output

    def check_picture(self, result_class: type[Any]) -> None:
        """Check, before any work, that results of this class have a plot of the view."""
        if self.plot is not None:
            result_class.check_picture(self.by)

    # --- showing --------------------------------------------------------------------------------

    def show_result(
        self,
        result: Any,
        *,
        test: Any = None,
        additional: Mapping[str, Any] | None = None,
        notes: Sequence[str] = (),
    ) -> None:
        """Write a result to the output, notes to stderr, and the plot to its file.

        Args:
            result: result of the command.
            test: test of the result, which replaces it in CSV and in the plot, and is added to
                other formats.
            additional: further results by name, below the result in tables and in JSON.
            notes: notes on the input.
        """
        from spanagree.results.data import to_csv, to_json, to_jsonl

        start_progress("writing")
        shown = result if test is None else test
        added = {} if test is None else {"test": test}
        added |= additional or {}
        if self.format == "json":
            entries = {name: added_result.to_dict() for name, added_result in added.items()}
            self.write_output(to_json({**result.to_dict(self.by), **entries}))
        elif self.format == "jsonl":
            self.write_output(to_jsonl(shown.to_rows()))
        elif self.format == "csv":
            table = result.table(self.by) if test is None else test.table()
            self.write_output(to_csv(table, safe_cells=self.safe_cells, bom=self.bom))
        else:
            tables = [result.table(self.by), *(each.table() for each in added.values())]
            verdict = tables[0].verdict if test is None else test.verdict or tables[0].verdict
            self.write_output(self._format_tables(tables, verdict))
        show_notes((*notes, *result.notes))
        if self.plot is not None:
            from spanagree.results.plots import write_plot

            view = self.by if test is None else None
            write_plot(self.plot, shown.picture(view), shown.table(view).signature)
            self.record_output(self.plot)

    def _format_tables(self, tables: Sequence[Frame], verdict: str) -> str:
        """Format tables for people, with one verdict above them, and explanations if requested."""
        from spanagree.results.data import render
        from spanagree.results.frame import TableStyle

        if click.get_current_context().params.get("quiet"):
            verdict = ""
        tables = [tables[0].add_verdict(verdict), *(table.add_verdict("") for table in tables[1:])]
        if not self.all_columns:
            from spanagree.results.display import pivot_table  # help shows no table

            tables = [pivot_table(table) for table in tables]
        # explanations depend on the settings of a table, also where its signature is not repeated
        shown_tables = _remove_repeated_signatures(tables) if self.format == "text" else tables
        style = TableStyle(self.digits, self.percent, self.all_columns, self.style)
        texts = [render(table, self.format, style) for table in shown_tables]
        if self.explain:
            from spanagree.report.explain import EXPLAINED, explain

            texts.append(EXPLAINED[self.format](explain(tables)))
        return "\n".join(texts)

    def record_output(self, name: str) -> None:
        """Record an output, to report it if the program is stopped later."""
        self.written.append(escape_name(name))

    def write_output(self, text: str) -> None:
        """Write a text to the output: a file if one was named, else stdout."""
        if self.output is not None and self.output != "-":
            write_text(self.output, text)
            self.record_output(self.output)
            return
        self.record_output("standard output")
        hide_progress()
        if self.format == "csv" and sys.stdout.isatty():  # files contain names unescaped
            text = "\n".join(map(escape_name, text.split("\n")))
        try:
            click.echo(text, nl=False)
        except BrokenPipeError:
            raise ReaderGoneError from None


def _remove_repeated_signatures(tables: Sequence[Frame]) -> list[Frame]:
    """Remove signatures that the signature of a later table contains completely."""
    entries = [set(table.signature.split("|")) for table in tables]
    return [
        replace(table, settings={})
        if any(entries[i] <= later_entries for later_entries in entries[i + 1 :])
        else table
        for i, table in enumerate(tables)
    ]
