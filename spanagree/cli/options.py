"""Options that several commands share, and what users write in them."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from typing import Any

import click

from spanagree.blocks.run import ON_ERROR
from spanagree.chance.start_distributions import CHANCES
from spanagree.corpus.repairs import REPAIRS
from spanagree.corpus.tag_columns import PARTIAL
from spanagree.corpus.tags import SCHEMES
from spanagree.errors import InputError, check_choice, show
from spanagree.files import file_names
from spanagree.formats.brat import DISCONTINUOUS
from spanagree.formats.conll.read import UNITS
from spanagree.formats.registry import READABLE
from spanagree.rendering.data import FORMATS
from spanagree.report.explain import EXPLAINED
from spanagree.uncertainty.bootstrap import INTERVALS


def table_option(name: str, table: Any, default: str | None, what: str) -> Callable[..., Any]:
    """An option whose choices are the names of a table."""
    return click.option(
        name, type=click.Choice(list(table)), default=default, show_default=True, help=what
    )


def levels_options(command: Callable[..., Any]) -> Callable[..., Any]:
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


def certainty_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of confidence intervals."""
    options = (
        click.option("--ci", is_flag=True, help="Confidence intervals."),
        click.option("--confidence", type=float, metavar="C", help="In per cent.  [default: 95]"),
        click.option(
            "--resamples", type=int, metavar="N", help="How many.  [default: 10000; of luck 1000]"
        ),
        click.option("--seed", type=int, metavar="N", help="Of the resamples.  [default: 0]"),
        table_option("--interval", INTERVALS, None, "How an interval is made.  [default: bca]"),
    )
    for option in reversed(options):
        command = option(command)
    return command


def block_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """The options of corpora in blocks."""
    options = (
        click.option("--block", type=int, metavar="N", help="Read N sentences at a time."),
        click.option("--workers", type=int, metavar="N", help="Processes that work on blocks."),
        table_option("--on-error", ON_ERROR, None, "Of blocks that fail.  [default: raise]"),
    )
    for option in reversed(options):
        command = option(command)
    return command


form_option = click.option(
    "--format", type=click.Choice(FORMATS), default="text", show_default=True, is_eager=True,
    help="How the result is written.",
)  # fmt: skip


EXPLAIN = "spanagree.explain"


def _to_be_explained(context: click.Context, _: click.Parameter, asked: bool) -> None:
    """Notes that the figures are to be explained; refused at once where there is no room."""
    form = context.params.get("format")
    if asked and form not in EXPLAINED:
        raise click.UsageError(f"--explain is for {' and '.join(EXPLAINED)}; not with {form}")
    context.meta[EXPLAIN] = asked


explain_option = click.option(
    "--explain",
    is_flag=True,
    expose_value=False,
    callback=_to_be_explained,
    help="Say below the table what each figure means, and when not to trust it.",
)


output_option = click.option("-o", "--output", metavar="FILE", help="Write to FILE, not to stdout.")


chance_option = table_option(
    "--chance", CHANCES, "nonoverlapping", "What a random annotation respects."
)


plot_option = click.option("--plot", metavar="FILE", help="Draw a picture too: .png, .svg or .pdf.")


annotators_option = click.option("--annotators", metavar="NAME,...", help="These only.")


files_argument = click.argument("files", nargs=-1, required=True, metavar="FILE...")


READING = {
    "--from": table_option(
        "--from", READABLE, None, "Format of the files.  [default: by extension]"
    ),
    "--unit": table_option(
        "--unit", UNITS, None, "What a document is in CoNLL.  [default: sentence]"
    ),
    "--scheme": table_option(
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
    "--partial": table_option(
        "--partial", PARTIAL, None, "Documents covered in part.  [default: error]"
    ),
    "--discontinuous": table_option(
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


def reading_options(command: Callable[..., Any], but: Sequence[str] = ()) -> Callable[..., Any]:
    """The options of reading, but for those that a command has in another sense."""
    for name, option in reversed(READING.items()):
        if name not in but:
            command = option(command)
    return command


def reading_asked(reading: dict[str, Any]) -> tuple[dict[str, Any], str | None, list[str]]:
    """What was asked for of reading: options, format, repairs."""
    form = reading.pop("from")
    repair = [step.strip() for step in (reading.pop("repair") or "").split(",") if step.strip()]
    for name in repair:
        check_choice(name, REPAIRS, "repair")
    reading["columns"] = columns_in(reading["columns"])
    reading["tags"] = named_columns("--tags", reading["tags"])
    if reading["spans"] and "=" in reading["spans"]:
        reading["spans"] = named_columns("--spans", reading["spans"])
    options = {key: value for key, value in reading.items() if is_given(value)}
    return options, form, repair


def named_columns(option: str, text: str | None) -> dict[str, str] | None:
    """``NAME=COLUMN,…`` as a table."""
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


def is_given(value: object) -> bool:
    """Whether an option was given."""
    return value is not None and value is not False


def options_given(options: dict[str, Any], but: Sequence[str] = ()) -> list[str]:
    """The options that were given, as they are written."""
    return [
        f"--{name.replace('_', '-')}"
        for name, value in options.items()
        if is_given(value) and name not in but
    ]


def certainty_asked(options: dict[str, Any], test: str | None = None) -> dict[str, Any]:
    """What was asked for of intervals and tests; taken out of the options."""
    names = ("ci", "confidence", "resamples", "seed", "interval")
    given = {name: options.pop(name) for name in names}
    chosen = {name: value for name, value in given.items() if is_given(value)}
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


def levels_asked(options: dict[str, Any]) -> dict[str, Any]:
    """How levels of difficulty are to be made; taken out of the options."""
    ways: dict[str, Any] = {"levels": options.pop("levels")}
    for name in ("at", "chance_at", "quantiles"):
        text = options.pop(name)
        option = f"--{name.replace('_', '-')}"
        ways[name] = None if text is None else [number_in(x, option) for x in text.split(",")]
    return ways


def number_in(text: str, option: str) -> float:
    """A number that an option holds."""
    try:
        return float(text)
    except ValueError:
        raise click.UsageError(f"{option}: {show(text)} is no number") from None


def names_in(text: str | None) -> list[str] | None:
    """``NAME,…`` as a list."""
    return None if text is None else [name.strip() for name in text.split(",")]


def columns_in(text: str | None) -> dict[str, int] | None:
    """``NAME=N,…`` as a table."""
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
        columns[name] = whole_number_in(number, "--columns")
    return columns


def whole_number_in(text: str, option: str) -> int:
    """A whole number that an option holds."""
    if not re.fullmatch(r"\s*[+-]?[0-9]+\s*", text, re.ASCII):
        raise click.UsageError(f"{option}: {show(text)} is no whole number")
    return int(text)


def layers_in(files: Sequence[str]) -> dict[str, str]:
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


def layer_named(name: str | None, layers: dict[str, str]) -> str | None:
    """The layer that a user means: by its name, as the file was given, or without its extension."""
    if name is None or name in layers:
        return name
    alike = [layer for layer in layers if os.path.splitext(layer)[0] == name]
    given = [layer for layer, path in layers.items() if path == name]
    return given[0] if given else alike[0] if len(alike) == 1 else name
