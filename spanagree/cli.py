"""The command line: arguments in, report out. It computes nothing and knows no formats."""

from __future__ import annotations

import functools
import os
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

import spanagree as sa
from spanagree import agreement, evaluation, reliability
from spanagree.chance import CHANCES
from spanagree.comparison import TESTS
from spanagree.disagreement import KINDS
from spanagree.draft import REPAIRS
from spanagree.errors import (
    InputError,
    SpanAgreeError,
    check_choice,
    check_whole,
    counted,
    printable,
    show,
)
from spanagree.formats import table
from spanagree.formats.brat import DISCONTINUOUS
from spanagree.formats.conll import UNITS, conll_blocks
from spanagree.formats.files import check_writable, file_names, write_text
from spanagree.formats.shards import has_pattern
from spanagree.formats.table import (
    READABLE,
    WRITABLE,
    draft_files,
    format_of,
    read_files,
    tokenizer_named,
    write_file,
)
from spanagree.formats.tag_columns import PARTIAL
from spanagree.label_table import DUPLICATES
from spanagree.offsets import CUTS
from spanagree.report import FORMATS, TABLES, to_csv, to_json, to_jsonl
from spanagree.report.citation import CITED, cited, settings_in
from spanagree.report.explain import EXPLAINED, explain
from spanagree.resample import INTERVALS
from spanagree.similarity import MATCHES
from spanagree.sparse_agreement import WEIGHTS
from spanagree.split_files import WRITERS, check_folder, write_split
from spanagree.tags import SCHEMES
from spanagree.tally_files import check_tallies_can_be_written

_FAILED, _MISUSED, _INTERRUPTED = 1, 2, 130
_BLOCK = 10_000  # sentences


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
    except _ReaderGoneError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
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


class _ReaderGoneError(Exception):
    """The reader of a pipe, such as `head`, has closed it; click would exit with 1."""


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


def _levels(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of levels of difficulty."""
    options = (
        click.option(
            "--levels", type=int, metavar="N", help="Levels of nearly equal size.  [default: 2]"
        ),
        click.option("--at", metavar="X,...", help="Borders of difficulty."),
        click.option("--chance-at", metavar="X,...", help="Borders of the chance level."),
        click.option("--quantiles", metavar="Q,...", help="Shares of the documents below borders."),
    )
    for option in reversed(options):
        command = option(command)
    return command


def _certainty(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of confidence intervals."""
    options = (
        click.option("--ci", is_flag=True, help="Confidence intervals."),
        click.option("--confidence", type=float, metavar="C", help="In per cent.  [default: 95]"),
        click.option(
            "--resamples", type=int, metavar="N", help="How many.  [default: 10000; of luck 1000]"
        ),
        click.option("--seed", type=int, metavar="N", help="Of the resamples.  [default: 0]"),
        _table_option("--interval", INTERVALS, None, "How an interval is made.  [default: bca]"),
    )
    for option in reversed(options):
        command = option(command)
    return command


def _in_parts(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of corpora in blocks."""
    options = (
        click.option("--block", type=int, metavar="N", help="Read N sentences at a time."),
        click.option("--workers", type=int, metavar="N", help="Processes that work on blocks."),
    )
    for option in reversed(options):
        command = option(command)
    return command


_format = click.option(
    "--format", type=click.Choice(FORMATS), default="text", show_default=True, is_eager=True,
    help="How the result is written.",
)  # fmt: skip


def _to_be_explained(context: click.Context, _: click.Parameter, asked: bool) -> None:
    """Notes that the figures are to be explained; refused at once where there is no room."""
    form = context.params.get("format")
    if asked and form not in EXPLAINED:
        raise click.UsageError(f"--explain is for {' and '.join(EXPLAINED)}; not with {form}")
    context.meta[_EXPLAIN] = asked


_EXPLAIN = "spanagree.explain"
_explain = click.option(
    "--explain",
    is_flag=True,
    expose_value=False,
    callback=_to_be_explained,
    help="Say below the table what each figure means, and when not to trust it.",
)
_output = click.option("-o", "--output", metavar="FILE", help="Write to FILE, not to stdout.")
_chance = _table_option("--chance", CHANCES, "nonoverlapping", "What a random annotation respects.")
_plot = click.option("--plot", metavar="FILE", help="Draw a picture too: .png, .svg or .pdf.")
_annotators = click.option("--annotators", metavar="NAME,...", help="These only.")
_files = click.argument("files", nargs=-1, required=True, metavar="FILE...")


_READING = {
    "--from": _table_option(
        "--from", READABLE, None, "Format of the files.  [default: by extension]"
    ),
    "--unit": _table_option(
        "--unit", UNITS, None, "What a document is in CoNLL.  [default: sentence]"
    ),
    "--scheme": _table_option(
        "--scheme", ["auto", *SCHEMES], None, "The tag scheme.  [default: auto]"
    ),
    "--strict": click.option(
        "--strict", is_flag=True, help="Only segments well-formed in the scheme."
    ),
    "--columns": click.option(
        "--columns",
        metavar="NAME=N,...",
        help="Tag columns; 0 is the token.  [default: the last]",
    ),
    "--encoding": click.option("--encoding", help="Of CoNLL and CSV files.  [default: utf-8]"),
    "--ignore-tokens": click.option(
        "--ignore-tokens", is_flag=True, help="Align by position if tokens differ."
    ),
    "--missing": click.option(
        "--missing", metavar="TAG", help="In place of tags or labels never given."
    ),
    "--partial": _table_option(
        "--partial", PARTIAL, None, "Documents covered in part.  [default: error]"
    ),
    "--discontinuous": _table_option(
        "--discontinuous", DISCONTINUOUS, None, "Of several pieces, in brat.  [default: error]"
    ),
    "--spans": click.option(
        "--spans",
        metavar="KEY|COLUMN|NAME=COLUMN,...",
        help="A key of doc.spans, or columns of a dataset.",
    ),
    "--tokens": click.option("--tokens", metavar="COLUMN", help="A dataset's tokens."),
    "--text": click.option("--text", metavar="COLUMN", help="A dataset's texts."),
    "--tags": click.option("--tags", metavar="NAME=COLUMN,...", help="A dataset's tags."),
    "--annotator": click.option(
        "--annotator", metavar="COLUMN", help="A dataset's annotators, one row each."
    ),
    "--document": click.option("--document", metavar="COLUMN", help="A dataset's document ids."),
    "--split": click.option("--split", help="Which part of a dataset."),
    "--repair": click.option("--repair", metavar="STEP,...", help=f"Of: {', '.join(REPAIRS)}."),
}
"""The options of reading, which all commands that take files share."""


def _reading(command: Callable[..., Any], but: Sequence[str] = ()) -> Callable[..., Any]:
    for name, option in reversed(_READING.items()):
        if name not in but:
            command = option(command)
    return command


def _options(reading: dict[str, Any]) -> tuple[dict[str, Any], str | None, list[str]]:
    """What was asked for of reading: options, format, repairs."""
    form = reading.pop("from")
    repair = [step.strip() for step in (reading.pop("repair") or "").split(",") if step.strip()]
    for name in repair:
        check_choice(name, REPAIRS, "repair")
    reading["columns"] = _columns(reading["columns"])
    reading["tags"] = _named_columns("--tags", reading["tags"])
    if reading["spans"] and "=" in reading["spans"]:
        reading["spans"] = _named_columns("--spans", reading["spans"])
    options = {key: value for key, value in reading.items() if _is_given(value)}
    return options, form, repair


def _named_columns(option: str, text: str | None) -> dict[str, str] | None:
    if text is None:
        return None
    named: dict[str, str] = {}
    for part in text.split(","):
        name, equals, column = part.strip().rpartition("=")
        if not equals or not name or not column:
            raise click.UsageError(f"{option}: {show(part)}; NAME=COLUMN is needed")
        if name in named:
            raise InputError(f"{option}: the name {show(name)} is given twice; each needs its own")
        named[name] = column
    return named


@click.group(invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(sa.__version__, prog_name="spanagree", message="%(prog)s %(version)s")
@click.pass_context
def spanagree(context: click.Context) -> None:
    """How far sets of marked spans agree beyond luck."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())


@spanagree.command()
@_files
@click.option("--gold", metavar="NAME", help="The gold layer.  [default: the first]")
@_table_option("--match", MATCHES, "exact", "What counts as agreement.")
@_chance
@_table_option("--by", [*evaluation.BY, "difficulty"], None, "A row for each of these.")
@_levels
@_certainty
@_table_option("--test", [*TESTS, "luck"], None, "Pairs of systems, or each against luck.")
@_in_parts
@click.option("--tallies", metavar="FILE", help="Write tallies to FILE too, to be merged.")
@_reading
@_format
@_plot
@_explain
@_output
def evaluate(
    files: tuple[str, ...],
    gold: str | None,
    match: str,
    chance: str,
    by: str | None,
    test: str | None,
    block: int | None,
    workers: int | None,
    tallies: str | None,
    format: str,  # noqa: A002 — named as the option
    plot: str | None,
    output: str | None,
    **reading: Any,
) -> None:
    """Evaluate systems against a gold annotation, raw and beyond luck.

    Each FILE holds the same text, as CoNLL unless its extension or --from says otherwise; `-` is
    standard input, NAME=FILE names a layer. One file with several layers works too.

    \b
    spanagree evaluate gold.conll mine.conll yours.conll
    spanagree evaluate all.conll --columns gold=1,mine=2 --by label
    """
    from spanagree.report.difficulty import levels_as_table

    _check_plot(plot, output, _layers(files).values())
    ways = _ways(reading)
    if any(value is not None for value in ways.values()) and by != "difficulty":
        raise click.UsageError("--levels, --at, --chance-at and --quantiles need --by difficulty")
    if test is not None and by == "difficulty":
        raise click.UsageError("--test is over all documents; not with --by difficulty")
    certainty = _sure(reading, test)
    in_blocks = _in_blocks(files, block, workers)
    if in_blocks and (test is not None or by in ("document", "difficulty")):
        raise click.UsageError(
            "blocks (--block, --workers, files by a pattern) keep no single documents, which"
            " --test, --by document and --by difficulty need"
        )
    if tallies is not None:
        check_tallies_can_be_written(in_blocks)
        _check_output(tallies, _layers(files).values(), "--tallies")
        if tallies == output:
            raise InputError(
                f"{printable(tallies)}: is to hold the tallies and the report; each needs a file"
            )
    corpus, layers = _corpus(files, reading, output, in_blocks, block)
    gold = _layer_named(gold, layers)
    with _workers(workers) as executor, _progress("evaluating") as advance:
        result = sa.evaluate(
            corpus,
            gold,
            match=match,
            chance=chance,
            executor=executor,
            progress=advance,
            **(certainty if certainty.get("ci") else {}),
        )
    if tallies is not None:
        sa.write_tallies(result, tallies)
    certainty.pop("ci", None)
    if by == "difficulty":
        hard = sa.difficulty(corpus, result.settings["gold"], match=match, chance=chance)
        by_level = sa.evaluate_levels(result, hard, **ways)
        _report(
            output,
            format,
            (*result.notes, *by_level.notes),
            as_dict=by_level.to_dict,
            as_rows=by_level.to_rows,
            as_table=lambda: levels_as_table(by_level),
        )
        _draw(plot, by_level)
        return
    tested = None if test is None else _tested(test, corpus, result, certainty)
    _report_evaluation(output, format, result, by, tested)
    _draw(plot, tested or result)


def _report_evaluation(
    output: str | None,
    format: str,  # noqa: A002 — named as the option
    result: sa.Evaluation,
    by: str | None,
    tested: sa.Comparison | sa.LuckTest | None,
) -> None:
    """Writes an evaluation, or the test of it with the evaluation before it."""
    from spanagree.report.evaluation import as_table
    from spanagree.report.tests import as_table as tests_as_table

    if tested is None:
        _report(
            output,
            format,
            result.notes,
            as_dict=lambda: result.to_dict(by),
            as_rows=lambda: result.to_rows(by),
            as_table=lambda: as_table(result, by),
        )
        return
    _report(
        output,
        format,
        result.notes,
        as_dict=lambda: {**result.to_dict(by), "test": tested.to_dict()},
        as_rows=tested.to_rows,
        as_table=lambda: tests_as_table(tested),
        before=lambda: as_table(result, by),
    )


@spanagree.command()
@click.argument("files", nargs=-1, required=True, metavar="PART...")
@_table_option("--by", evaluation.BY, None, "A row for each of these.")
@_certainty
@_table_option("--test", TESTS, None, "Pairs of systems.")
@_format
@_plot
@_explain
@_output
def merge(
    files: tuple[str, ...],
    by: str | None,
    test: str | None,
    format: str,  # noqa: A002 — named as the option
    plot: str | None,
    output: str | None,
    **options: Any,
) -> None:
    """Merge the tallies of parts of a corpus: the report of one run over all of it.

    Each PART is a file that evaluate --tallies wrote.

    \b
    spanagree evaluate gold=gold-1.conll mine=mine-1.conll --tallies part-1.parquet
    spanagree evaluate gold=gold-2.conll mine=mine-2.conll --tallies part-2.parquet
    spanagree merge part-*.parquet
    """
    certainty = _sure(options, test)
    _check_output(output, files)
    _check_plot(plot, output, files)
    result = sa.read_tallies(files)
    if certainty.pop("ci", False):
        result = sa.with_intervals(result, **certainty)
    tested = None if test is None else sa.compare_systems(result, test=test, **certainty)
    _report_evaluation(output, format, result, by, tested)
    _draw(plot, tested or result)


@spanagree.command()
@_files
@_table_option("--match", MATCHES, "exact", "What counts as agreement.")
@_chance
@_table_option("--by", agreement.BY, None, "A row for each of these.")
@_annotators
@click.option(
    "--min-shared",
    type=int,
    metavar="N",
    default=agreement.MIN_SHARED,
    show_default=True,
    help="Mark pairs that share fewer documents.",
)
@_in_parts
@_certainty
@_reading
@_format
@_plot
@_explain
@_output
def agree(
    files: tuple[str, ...],
    match: str,
    chance: str,
    by: str | None,
    annotators: str | None,
    min_shared: int,
    block: int | None,
    workers: int | None,
    format: str,  # noqa: A002 — named as the option
    plot: str | None,
    output: str | None,
    **reading: Any,
) -> None:
    """Say how far annotators agree with each other, raw and beyond luck.

    Every pair is compared over the documents that both saw.

    \b
    spanagree agree crowd.jsonl --by annotator
    spanagree agree ann.conll bob.conll --match token
    """
    from spanagree.report.agreement import as_table

    _check_plot(plot, output, _layers(files).values())
    certainty = _sure(reading)
    in_blocks = _in_blocks(files, block, workers)
    if in_blocks and by == "document":
        raise click.UsageError("blocks keep no single documents, which --by document needs")
    corpus, _ = _corpus(files, reading, output, in_blocks, block)
    with _workers(workers) as executor, _progress("comparing") as advance:
        result = sa.agree(
            corpus,
            match=match,
            chance=chance,
            annotators=_names(annotators),
            min_shared=min_shared,
            executor=executor,
            progress=advance,
            **certainty,
        )
    _report(
        output,
        format,
        result.notes,
        as_dict=lambda: result.to_dict(by),
        as_rows=lambda: result.to_rows(by),
        as_table=lambda: as_table(result, by),
    )
    _draw(plot, result)


@spanagree.command()
@_files
@click.option(
    "--between", nargs=2, metavar="A B", required=True, help="The names of two annotators."
)
@click.option("--kind", metavar="KIND,...", help=f"Of: {', '.join(KINDS)}.  [default: all]")
@click.option("--no-text", is_flag=True, help="Offsets and labels only, no word of the texts.")
@_reading
@_table_option("--format", ("text", "csv", "jsonl", "json"), "text", "How the result is written.")
@_plot
@_output
def disagreements(
    files: tuple[str, ...],
    between: tuple[str, str],
    kind: str | None,
    no_text: bool,
    format: str,  # noqa: A002 — named as the option
    plot: str | None,
    output: str | None,
    **reading: Any,
) -> None:
    """List where two annotators part, segment by segment.

    \b
    spanagree disagreements gold.conll mine.conll --between gold.conll mine.conll
    spanagree disagreements crowd.jsonl --between ann bob --kind boundary,label
    """
    from spanagree.report.disagreements import as_text

    _check_plot(plot, output, _layers(files).values())
    corpus, layers = _read(files, reading, output)
    a, b = (str(_layer_named(name, layers)) for name in between)
    result = sa.disagreements(corpus, a, b, kinds=_names(kind), text=not no_text)
    forms = {
        "text": lambda: as_text(result),
        "csv": lambda: to_csv(result.to_rows(), result.columns),
        "jsonl": lambda: to_jsonl(result.to_rows()),
        "json": lambda: to_json(result.to_dict()),
    }
    _put(output, forms[format]())
    _say(result.notes)
    _draw(plot, result)


@spanagree.command()
@_files
@click.option("-o", "--output", metavar="HTML", required=True, help="The file to write.")
@click.option("--gold", metavar="NAME", help="The gold layer.  [default: the first]")
@click.option("--team", is_flag=True, help="Annotators among each other, without gold.")
@_table_option("--match", MATCHES, "exact", "What counts as agreement.")
@_chance
@_reading
def report(
    files: tuple[str, ...],
    output: str,
    gold: str | None,
    team: bool,
    match: str,
    chance: str,
    **reading: Any,
) -> None:
    """Write one HTML file: figures, charts, and every document with the segments of any two.

    \b
    spanagree report gold.conll mine.conll yours.conll -o report.html
    spanagree report crowd.jsonl --team -o report.html
    """
    if output == "-":
        raise click.UsageError("-o: report writes a file; - is none")
    corpus, layers = _read(files, reading, output)
    gold = _layer_named(gold, layers)
    sa.write_report(corpus, output, gold=gold, team=team, match=match, chance=chance)
    for note in corpus.notes:
        _note(note)


@spanagree.command()
@_files
@click.option("--tokens", is_flag=True, help="FILEs are a span corpus; its tokens are the items.")
@click.option("--skip-outside", is_flag=True, help="Of --tokens: leave out those all call O.")
@click.option("--item", metavar="COLUMN", help="The items.  [default: item, or the first]")
@click.option("--annotator", metavar="COLUMN,...", help="Its annotators.  [default: annotator]")
@click.option("--annotators", metavar="NAME,...", help="Of --tokens: these only.")
@click.option("--label", metavar="COLUMN,...", help="The labels.  [default: label]")
@click.option("--wide", is_flag=True, help="A column for each annotator.")
@click.option("--counts", is_flag=True, help="A column for each category: how many chose it.")
@click.option("--categories", metavar="NAME,...", help="All there could be.  [default: all used]")
@_table_option("--duplicates", DUPLICATES, None, "Of an item labelled twice.  [default: error]")
@_table_option("--weights", WEIGHTS, "annotations_m1", "How much an item counts in SPA.")
@click.option("--complete-only", is_flag=True, help="Only items that all annotators labelled.")
@_table_option("--by", reliability.BY, None, "A row for each of these.")
@_in_parts
@_certainty
@functools.partial(_reading, but=("--tokens", "--annotator"))
@_format
@_plot
@_explain
@_output
def coefficients(
    files: tuple[str, ...],
    tokens: bool,
    skip_outside: bool,
    annotators: str | None,
    weights: str,
    complete_only: bool,
    by: str | None,
    block: int | None,
    workers: int | None,
    format: str,  # noqa: A002 — named as the option
    plot: str | None,
    output: str | None,
    **reading: Any,
) -> None:
    """SPA, π, κ, α, AC1, bias, and agreement by category, of items with labels.

    FILE is a CSV or TSV table with a row for each label given, unless --wide, --counts or --tokens
    says otherwise.

    \b
    spanagree coefficients labels.csv --item sentence --annotator worker --label answer
    spanagree coefficients labels.csv --wide
    spanagree coefficients crowd.jsonl --tokens
    """
    from spanagree.report.coefficients import as_table

    _check_plot(plot, output, files)
    certainty = _sure(reading)
    table: Any
    of_table = {name: reading.pop(name) for name in _OF_TABLES}
    if tokens:
        if given := _given(of_table, but=("annotator",)):
            raise click.UsageError(f"{given[0]} is of a table of labels; not with --tokens")
        of_corpus = {**reading, "tokens": None, "annotator": of_table["annotator"]}
        if _in_blocks(files, block, workers):
            if annotators is not None:
                raise click.UsageError("--annotators: not of blocks; all annotators are compared")
            corpora, _ = _blocks(files, of_corpus, output, block)
            drawn = {name: certainty[name] for name in ("seed",) if name in certainty}
            if certainty.get("ci"):
                drawn["resamples"] = certainty.get("resamples", 10_000)
            with _workers(workers) as executor, _progress("counting") as advance:
                table = sa.token_labels(
                    corpora,
                    skip_outside=skip_outside,
                    executor=executor,
                    progress=advance,
                    **drawn,
                )
        else:
            corpus, _ = _read(files, of_corpus, output)
            if (names := _names(annotators)) is not None:
                corpus = corpus.of_annotators(names)
            table = sa.token_labels(corpus, skip_outside=skip_outside)
    else:
        _check_output(output, files)
        of_tokens: dict[str, Any] = {"skip_outside": skip_outside, "annotators": annotators}
        of_tokens |= {"block": block, "workers": workers}
        table = _label_file(files, of_table, {**reading, **of_tokens})
    result = sa.coefficients(table, weights=weights, complete_only=complete_only, **certainty)
    _report(
        output,
        format,
        result.notes,
        as_dict=result.to_dict,
        as_rows=lambda: result.to_rows(by),
        as_table=lambda: as_table(result, by),
    )
    _draw(plot, result)


_OF_TABLES = ("item", "annotator", "label", "wide", "counts", "categories", "duplicates")


def _label_file(
    files: Sequence[str], of_table: dict[str, Any], reading: dict[str, Any]
) -> sa.LabelTable:
    """The table of labels that FILE is, with what was asked for."""
    options = {key: reading.pop(key) for key in ("encoding", "missing")}
    if given := _given(reading):
        raise click.UsageError(f"{given[0]} is of span corpora; only with --tokens")
    if len(files) > 1:
        raise click.UsageError(
            f"{len(files)} files; one table of labels is needed, or --tokens for span corpora"
        )
    several = {"annotator": of_table["wide"], "label": of_table["counts"], "categories": True}
    for name, is_list in several.items():
        if is_list and of_table[name] is not None:
            of_table[name] = _names(of_table[name])
    chosen = {**of_table, **options}
    return sa.read_labels(files[0], **{k: v for k, v in chosen.items() if v is not None})


def _is_given(value: object) -> bool:
    return value is not None and value is not False


def _given(options: dict[str, Any], but: Sequence[str] = ()) -> list[str]:
    """The options that were given, as they are written."""
    return [
        f"--{name.replace('_', '-')}"
        for name, value in options.items()
        if _is_given(value) and name not in but
    ]


@spanagree.command()
@_files
@click.option("--gold", metavar="NAME", help="By this gold layer.")
@click.option("--annotators", metavar="NAME,...", help="By this team.  [default: all]")
@_table_option("--match", MATCHES, "exact", "What counts as agreement.")
@_chance
@_in_parts
@_reading
@_format
@_plot
@_explain
@_output
def difficulty(
    files: tuple[str, ...],
    gold: str | None,
    annotators: str | None,
    match: str,
    chance: str,
    block: int | None,
    workers: int | None,
    format: str,  # noqa: A002 — named as the option
    plot: str | None,
    output: str | None,
    **reading: Any,
) -> None:
    """Say how hard each document is: 1 − the agreement that luck alone would give on it.

    \b
    spanagree difficulty gold.conll --gold gold.conll
    spanagree difficulty crowd.jsonl
    """
    from spanagree.report.difficulty import as_table, as_text

    _check_plot(plot, output, _layers(files).values())
    in_blocks = _in_blocks(files, block, workers)
    corpus, layers = _corpus(files, reading, output, in_blocks, block)
    with _workers(workers) as executor:
        result = _difficulty(corpus, layers, gold, annotators, match, chance, executor)
    if format == "text":
        explained = _explained(format, [as_table(result)])
        _put(output, "\n".join([as_text(result), *explained]))
        _say(result.notes)
    else:
        _report(
            output,
            format,
            result.notes,
            as_dict=result.to_dict,
            as_rows=result.to_rows,
            as_table=lambda: as_table(result),
        )
    _draw(plot, result)


@spanagree.command()
@_files
@click.option("-o", "--output", metavar="DIR", required=True, help="The folder to write into.")
@_table_option("--to", WRITERS, "jsonl", "The format of the parts.")
@click.option("--force", is_flag=True, help="Write into a folder that is not empty.")
@click.option("--gold", metavar="NAME", help="By this gold layer.")
@click.option("--annotators", metavar="NAME,...", help="By this team.  [default: all]")
@_table_option("--match", MATCHES, "exact", "What counts as agreement.")
@_chance
@_levels
@_reading
def split(
    files: tuple[str, ...],
    output: str,
    to: str,
    force: bool,
    gold: str | None,
    annotators: str | None,
    match: str,
    chance: str,
    **reading: Any,
) -> None:
    """Split a corpus into levels of difficulty, the easiest first; every annotator stays.

    \b
    spanagree split gold.conll mine.conll --gold gold.conll --at 0.825 -o parts
    """
    folder = check_folder(output, force=force)
    for path in _layers(files).values():
        if folder in Path(os.path.realpath(path)).parents:
            raise InputError(
                f"{printable(path)}: is an input in the folder {printable(output)}; write the parts"
                " into another"
            )
    ways = _ways(reading)
    corpus, layers = _read(files, reading, None)
    hard = _difficulty(corpus, layers, gold, annotators, match, chance)
    parts = sa.split(corpus, hard, **ways)
    write_split(parts, output, to, force=force)
    for part in parts.to_dict()["parts"]:
        span = "" if part["from"] is None else f", {part['from']:.4f}–{part['to']:.4f}"
        _note(f"{part['name']}: {counted(part['documents'], 'document')}{span}")
    for note in parts.notes:
        _note(note)


def _difficulty(
    corpus: Any,
    layers: dict[str, str],
    gold: str | None,
    annotators: str | None,
    match: str,
    chance: str,
    executor: ProcessPoolExecutor | None = None,
) -> sa.Difficulty:
    with _progress("comparing") as advance:
        return sa.difficulty(
            corpus,
            _layer_named(gold, layers),
            annotators=_names(annotators),
            match=match,
            chance=chance,
            executor=executor,
            progress=advance,
        )


@spanagree.command()
@_files
@click.option("-o", "--output", metavar="OUT", required=True, help="The file to write.")
@_table_option("--to", WRITABLE, None, "The format of OUT.  [default: by extension]")
@_annotators
@click.option("--to-scheme", metavar="SCHEME", help="The tag scheme of OUT.  [default: IOB2]")
@click.option(
    "--tokenizer",
    metavar="space|LANG",
    help="Cut texts into tokens: at spaces, or as spaCy does for a language.",
)
@_table_option("--cut", CUTS, None, "Segments that cut a token.  [default: error]")
@_reading
def convert(
    files: tuple[str, ...],
    output: str,
    to: str | None,
    annotators: str | None,
    to_scheme: str | None,
    tokenizer: str | None,
    cut: str | None,
    **reading: Any,
) -> None:
    """Convert annotations from one format to another.

    \b
    spanagree convert project/ -o corpus.jsonl
    spanagree convert corpus.jsonl -o corpus.conll --tokenizer space --cut expand
    """
    options, form, repair = _options(reading)
    layers = _layers(files)
    if output == "-":
        raise click.UsageError("-o: convert writes a file; - is none")
    _check_output(output, layers.values())
    to = to or format_of(output)
    if to_scheme is not None and to != "conll":
        raise click.UsageError(f"--to-scheme: {to} files have no tags")
    inputs = {form or format_of(path) for path in layers.values()}
    wanted: dict[str, Any] = {"scheme": to_scheme} if to == "conll" else {}
    for key, of in (("missing", "conll"), ("spans", "spacy")):
        if to == of:
            wanted[key] = options.get(key)
            if not any(key in table.FORMATS[name].takes for name in inputs):
                options.pop(key, None)  # for the output alone
    with _progress("reading") as advance:
        corpus = read_files(layers, options, form, repair, advance)
    if (names := _names(annotators)) is not None:
        corpus = corpus.of_annotators(names)
    if tokenizer is not None or cut is not None:
        corpus = corpus.to_tokens(tokenizer_named(tokenizer or "space"), cut or "error")
    write_file(corpus, output, to, wanted)
    for note in corpus.notes:
        _note(note)


@spanagree.command()
@_files
@_reading
@_table_option("--format", ("text", "json"), "text", "How the result is written.")
@_output
@click.pass_context
def check(
    context: click.Context,
    /,
    files: tuple[str, ...],
    format: str,  # noqa: A002 — named as the option
    output: str | None,
    **reading: Any,
) -> None:
    """Say what is in files and what is odd about it, before anything is computed.

    Exits with 1 if something has to be repaired first, else with 0.

    \b
    spanagree check corpus.jsonl
    """
    from spanagree.check import check as inspect
    from spanagree.report.check import as_text

    options, form, repair = _options(reading)
    layers = _layers(files)
    _check_output(output, layers.values())
    draft = draft_files(layers, options, form)
    result = inspect(draft.repaired(repair))
    text = to_json(result.to_dict()) if format == "json" else as_text(result)
    _put(output, text)
    if result.errors:
        context.exit(_FAILED)


@spanagree.command()
@click.option("--length", type=int, required=True, metavar="N", help="Tokens of the document.")
@click.option("--segments", required=True, metavar="N,...", help="Lengths of the segments.")
@_chance
@_format
@_plot
@_explain
@_output
def chance(
    length: int,
    segments: str,
    chance: str,
    format: str,  # noqa: A002 — named as the option
    plot: str | None,
    output: str | None,
) -> None:
    """Where the segments of a random annotation start: the chance model by itself.

    \b
    spanagree chance --length 100 --segments 1,5,10,15
    """
    from spanagree.report import start_distributions as report

    _check_plot(plot, output, ())
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
    if plot is not None:
        from spanagree.report.plots import write_starts

        write_starts(plot, length, lengths, start, report.signature_of(chance))


@spanagree.command()
@click.argument("result", required=False, metavar="[RESULT]")
@_table_option("--format", CITED, "text", "How it is written.")
@_output
def cite(result: str | None, format: str, output: str | None) -> None:  # noqa: A002 — as the option
    """A methods paragraph with the settings used, and the references that it needs.

    RESULT is the signature that stands below a table, or a file of --format json; `-` is standard
    input. Without it: a general sentence, and all references.

    \b
    spanagree cite 'match:exact|chance:nonoverlapping|average:micro|spanagree:0.1.0'
    spanagree cite report.json
    """
    _check_output(output, () if result is None else (result,))
    _put(output, cited(None if result is None else settings_in(result), format))


def _read(
    files: Sequence[str], reading: dict[str, Any], output: str | None
) -> tuple[sa.Corpus, dict[str, str]]:
    """The corpus in the files, and the path of each layer; the output is checked before."""
    options, form, repair = _options(reading)
    layers = _layers(files)
    _check_output(output, layers.values())
    with _progress("reading") as advance:
        return read_files(layers, options, form, repair, advance), layers


def _in_blocks(files: Sequence[str], block: int | None, workers: int | None) -> bool:
    return (
        block is not None or workers is not None or any(map(has_pattern, _layers(files).values()))
    )


def _corpus(
    files: Sequence[str],
    reading: dict[str, Any],
    output: str | None,
    in_blocks: bool,
    block: int | None,
) -> tuple[Any, dict[str, str]]:
    """The corpus in the files, or its blocks; the path of each layer."""
    if in_blocks:
        return _blocks(files, reading, output, block)
    return _read(files, reading, output)


def _blocks(
    files: Sequence[str], reading: dict[str, Any], output: str | None, block: int | None
) -> tuple[Iterable[Callable[[], sa.Corpus]], dict[str, str]]:
    """CoNLL files in blocks, or shards by patterns, for workers; the path of each layer."""
    options, form, repair = _options(reading)
    layers = _layers(files)
    _check_output(output, layers.values())
    if any(map(has_pattern, layers.values())):
        if block is not None:
            raise click.UsageError("--block: files found by a pattern are a block each")
        source = layers if len(layers) > 1 else next(iter(layers.values()))
        return sa.read_shards(source, form=form, repair=repair, **options), layers
    other = {form or format_of(path) for path in layers.values()} - {"conll"}
    if other or options.keys() - set(table.FORMATS["conll"].takes):
        raise click.UsageError(
            "--block and --workers are for CoNLL files with their options;"
            f" these are {', '.join(sorted(other)) or 'given others'}"
        )
    size = _BLOCK if block is None else block
    return conll_blocks(layers, size, repair=repair, **options), layers


@contextmanager
def _workers(number: int | None) -> Iterator[ProcessPoolExecutor | None]:
    if number is None:
        yield None
        return
    check_whole(number, 1, "workers")
    with ProcessPoolExecutor(number) as executor:
        yield executor


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


def _sure(options: dict[str, Any], test: str | None = None) -> dict[str, Any]:
    """What was asked for of intervals and tests; taken out of the options."""
    names = ("ci", "confidence", "resamples", "seed", "interval")
    given = {name: options.pop(name) for name in names}
    chosen = {name: value for name, value in given.items() if _is_given(value)}
    if (
        test == "luck"
        and not given["ci"]
        and (unused := chosen.keys() & {"confidence", "interval"})
    ):
        raise click.UsageError(
            f"--{min(unused)} needs --ci; the test against luck has no intervals"
        )
    if chosen and not given["ci"] and test is None:
        more = " or --test" if "test" in click.get_current_context().params else ""
        raise click.UsageError(f"--{next(iter(chosen))} needs --ci{more}")
    return chosen


def _tested(
    test: str, corpus: sa.Corpus, result: sa.Evaluation, certainty: dict[str, Any]
) -> sa.Comparison | sa.LuckTest:
    if test != "luck":
        return sa.compare_systems(result, test=test, **certainty)
    chosen = {"draws": certainty.get("resamples"), "seed": certainty.get("seed")}
    with _progress("drawing") as advance:
        return sa.luck_test(
            corpus,
            result,
            progress=advance,
            **{name: value for name, value in chosen.items() if value is not None},
        )


def _ways(options: dict[str, Any]) -> dict[str, Any]:
    """How levels of difficulty are to be made; taken out of the options."""
    ways: dict[str, Any] = {"levels": options.pop("levels")}
    for name in ("at", "chance_at", "quantiles"):
        text = options.pop(name)
        option = f"--{name.replace('_', '-')}"
        ways[name] = None if text is None else [_number(x, option) for x in text.split(",")]
    return ways


def _number(text: str, option: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise click.UsageError(f"{option}: {show(text)} is no number") from None


def _layer_named(name: str | None, layers: dict[str, str]) -> str | None:
    """The layer that a user means: by its name, or as the file was given."""
    return next((layer for layer, path in layers.items() if path == name != layer), name)


def _names(text: str | None) -> list[str] | None:
    return None if text is None else [name.strip() for name in text.split(",")]


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


def _check_output(output: str | None, inputs: Iterable[str], option: str = "-o") -> None:
    """Before any work: the result can be written, and overwrites no input."""
    if output is None or output == "-":
        return
    check_writable(output)
    path = Path(output)
    for other in inputs:
        if path.is_file() and os.path.exists(other) and path.samefile(other):
            raise InputError(f"{printable(output)}: is an input too; {option} would overwrite it")


def _write(
    output: str | None,
    format: str,  # noqa: A002 — named as the option
    as_dict: Callable[[], dict[str, Any]],
    as_rows: Callable[[], list[dict[str, Any]]],
    as_table: Callable[[], Any],
    before: Callable[[], Any] | None = None,
) -> None:
    if format == "json":
        text = to_json(as_dict())
    elif format == "csv":
        text = to_csv(as_rows())
    else:
        tables = [make() for make in (before, as_table) if make is not None]
        text = "\n".join(
            [*(TABLES[format](table) for table in tables), *_explained(format, tables)]
        )
    _put(output, text)


def _check_plot(plot: str | None, output: str | None, inputs: Iterable[str]) -> None:
    """Before any work: the picture can be drawn and written, and overwrites nothing."""
    if plot is None:
        return
    from spanagree.report.plots import check_plot

    check_plot(plot)
    _check_output(plot, inputs, "--plot")
    if plot == output:
        raise InputError(
            f"{printable(plot)}: is to hold the picture and the report; each needs a file"
        )


def _draw(plot: str | None, result: Any) -> None:
    """Writes the picture of a result, if one was asked for."""
    if plot is not None:
        from spanagree.report.plots import write_plot

        write_plot(plot, result, result.signature)


def _explained(format: str, tables: Sequence[Any]) -> list[str]:  # noqa: A002 — named as the option
    """What the figures of the tables mean, if that was asked for."""
    asked = click.get_current_context().meta.get(_EXPLAIN)
    return [EXPLAINED[format](explain(tables))] if asked else []


def _report(
    output: str | None,
    format: str,  # noqa: A002 — named as the option
    notes: Sequence[str],
    **ways: Callable[[], Any],
) -> None:
    """Writes a result, and then its notes on stderr."""
    _write(output, format, **ways)
    _say(notes)


def _say(notes: Sequence[str]) -> None:
    """Notes on stderr, below what stands on stdout."""
    sys.stdout.flush()
    for note in notes:
        _note(note)


def _put(output: str | None, text: str) -> None:
    if output is None or output == "-":
        try:
            click.echo(text, nl=False)
        except BrokenPipeError:
            raise _ReaderGoneError from None
    else:
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
