"""The options of the command line, grouped by subject, and what users write in them.

Each group is a function, so that a command loads only the tables whose names it offers.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import click
import cloup

from spanagree.errors import InputError, show
from spanagree.files import file_names

FILES = click.Argument(["files"], nargs=-1, required=True, metavar="FILE...")


class Option(cloup.Option):
    """An option, and the part of a job that takes its value, if one does."""

    def __init__(self, names: Sequence[str], *, part: str = "", **attributes: Any) -> None:
        super().__init__(names, **attributes)
        self.part = part


Group = list[Option]


def option(*names: str, unless: str = "", choices: Iterable[str] = (), **attributes: Any) -> Option:
    """Return an option; ``unless`` says what holds where it is not given."""
    if choices:
        attributes["type"] = click.Choice(list(choices))
    if unless:
        attributes["help"] += f"  [default: {unless}]"
    return Option(names, show_default="default" in attributes, **attributes)


def group(title: str, *options: Option) -> Group:
    """Return options that stand below a heading of their own in the help."""
    heading = cloup.OptionGroup(title)
    for each in options:
        each.group = heading
    return list(options)


# --- the groups ---------------------------------------------------------------------------------


def comparing(*own: Option) -> Group:
    """Return the options of comparisons, after those that only one command has."""
    from spanagree.matching.measures import MATCHES

    match = option(
        "--match", choices=MATCHES, default="exact", help="Choose what counts as agreement."
    )
    return group("Comparing", *own, match, chance())


def chance() -> Option:
    """Return the option of the chance model."""
    from spanagree.chance.start_distributions import CHANCES

    return option(
        "--chance", choices=CHANCES, default="nonoverlapping",
        help="Choose what a random annotation respects.",
    )  # fmt: skip


def by(table: Iterable[str]) -> Option:
    """Return the option of what has a row."""
    return option("--by", choices=table, help="Give each of these a row of its own.")


def gold(unless: str = "the first") -> Option:
    """Return the option of the gold layer."""
    return option("--gold", metavar="NAME", unless=unless, help="Take this layer as gold.")


def annotators(purpose: str = "Compare only these annotators.") -> Option:
    """Return the option of some annotators."""
    return option("--annotators", metavar="NAME,...", unless="all", help=purpose)


def levels() -> Group:
    """Return the options of levels of difficulty."""
    return group(
        "Levels of difficulty",
        option("--levels", type=int, metavar="N", part="levels", unless="2",
               help="Make N levels of nearly equal size."),
        option("--at", metavar="X,...", part="levels",
               help="Put the borders at these difficulties."),
        option("--chance-at", metavar="X,...", part="levels",
               help="Put the borders at these scores of luck alone."),
        option("--quantiles", metavar="Q,...", part="levels",
               help="Put these shares of the documents below the borders."),
    )  # fmt: skip


def certainty(*own: Option, resamples: str = "10000") -> Group:
    """Return the options of confidence intervals, and of tests if a command has them."""
    from spanagree.uncertainty.bootstrap import INTERVALS

    return group(
        "Certainty",
        option("--ci", is_flag=True, part="certainty",
               help="Give a confidence interval for each figure."),
        *own,
        option("--confidence", type=float, metavar="C", part="certainty", unless="95",
               help="Set the confidence of the intervals to C per cent."),
        option("--resamples", type=int, metavar="N", part="certainty", unless=resamples,
               help="Draw N resamples."),
        option("--seed", type=int, metavar="N", part="certainty", unless="0",
               help="Draw the resamples with this seed."),
        option("--interval", choices=INTERVALS, part="certainty",
               unless="bca; percentile over blocks", help="Choose how intervals are made."),
    )  # fmt: skip


def testing(table: Iterable[str], purpose: str) -> Option:
    """Return the option of tests."""
    return option("--test", choices=table, help=purpose)


def blocks(*own: Option) -> Group:
    """Return the options of corpora that are worked on in blocks."""
    from spanagree.blocks.run import ON_ERROR

    return group(
        "Large corpora",
        option("--block", type=int, metavar="N", help="Read N sentences at a time."),
        option("--workers", type=int, metavar="N",
               help="Let N processes work on blocks at the same time."),
        option("--on-error", choices=ON_ERROR, unless="raise",
               help="Choose what becomes of a block that fails."),
        *own,
    )  # fmt: skip


def reading(but: Sequence[str] = ()) -> Group:
    """Return the options of reading, except those that a command has in another sense."""
    from spanagree.corpus.repairs import REPAIRS
    from spanagree.corpus.tag_columns import PARTIAL
    from spanagree.corpus.tags import SCHEMES
    from spanagree.formats.brat import DISCONTINUOUS
    from spanagree.formats.conll.read import UNITS
    from spanagree.formats.registry import READABLE

    files = (
        option("--from", choices=READABLE, unless="by extension",
               help="Read the files in this format."),
        option("--unit", choices=UNITS, unless="sentence",
               help="Choose what a document is in a CoNLL file."),
        option("--scheme", choices=["auto", *SCHEMES], unless="auto",
               help="Read the tags in this scheme."),
        option("--strict", is_flag=True,
               help="Take only segments that are well-formed in the scheme."),
        option("--columns", metavar="NAME=N,...", unless="the last",
               help="Read these columns of tags; the token is column 0."),
        option("--encoding", unless="utf-8",
               help="Read CoNLL and CSV files in this encoding."),
        option("--ignore-tokens", is_flag=True,
               help="Align files by position where their tokens differ."),
        option("--missing", metavar="TAG",
               help="Take this tag or label to mean that none was ever given."),
        option("--partial", choices=PARTIAL, unless="error",
               help="Choose what becomes of documents that an annotator covered in part."),
        option("--discontinuous", choices=DISCONTINUOUS, unless="error",
               help="Choose what becomes of brat annotations in several pieces."),
        option("--repair", metavar="STEP,...",
               help=f"Take these steps to repair what is read: {', '.join(REPAIRS)}."),
    )  # fmt: skip
    datasets = (
        option("--spans", metavar="KEY|COLUMN|NAME=COLUMN,...",
               help="Read spans from this key of doc.spans, or from these columns of a dataset."),
        option("--tokens", metavar="COLUMN", help="Read a dataset's tokens from this column."),
        option("--text", metavar="COLUMN", help="Read a dataset's texts from this column."),
        option("--tags", metavar="NAME=COLUMN,...",
               help="Read a dataset's tags from these columns."),
        option("--annotator", metavar="COLUMN",
               help="Read annotators from this column, where a dataset has a row for each."),
        option("--document", metavar="COLUMN",
               help="Read a dataset's document ids from this column."),
        option("--split", help="Read this part of a dataset."),
    )  # fmt: skip
    titled = {"Reading files": files, "Reading spaCy files and datasets": datasets}
    for each in (*files, *datasets):
        each.part = "reading"
    return [
        each
        for title, options in titled.items()
        for each in group(title, *(o for o in options if o.opts[0] not in but))
    ]


def output(forms: Sequence[str] | None = None, *, plot: bool = True, explain: bool = True) -> Group:
    """Return the options of what is written, and where."""
    from spanagree.rendering.data import FORMATS

    options = [
        option("--format", choices=forms or FORMATS, default="text",
               help="Write the result in this format."),
        option("-o", "--output", metavar="FILE", help="Write to FILE instead of stdout."),
    ]  # fmt: skip
    if plot:
        options.append(
            option("--plot", metavar="FILE", help="Draw a picture too, as .png, .svg or .pdf.")
        )
    if explain:
        options.append(
            option("--explain", is_flag=True,
                   help="Say below the table what each figure means, and when not to trust it.")
        )  # fmt: skip
    return group("Output", *options)


# --- what users write ---------------------------------------------------------------------------


def given(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that were given, by name."""
    return {k: v for k, v in options.items() if v is not None and v is not False}


def written(name: str) -> str:
    """Return the name of an option as it is written."""
    return f"--{name.replace('_', '-')}"


def names_in(text: str | None) -> list[str] | None:
    """Return the parts of ``NAME,…``."""
    return None if text is None else [name.strip() for name in text.split(",")]


def named_in(option: str, text: str | None, form: str = "NAME=COLUMN") -> dict[str, str] | None:
    """Return ``NAME=VALUE,…`` as a table."""
    if text is None:
        return None
    named: dict[str, str] = {}
    for part in text.split(","):
        name, _, value = part.strip().rpartition("=")
        if not name or not value:
            raise click.UsageError(f"{option}: {show(part)}; {form} is needed")
        if name in named:
            raise InputError(f"{option}: {_twice(name)}")
        named[name] = value
    return named


def _twice(name: str) -> str:
    return f"the name {show(name)} is given twice; give each layer a name of its own"


def number_in(text: str, option: str) -> float:
    """Return the number that a text is."""
    try:
        return float(text)
    except ValueError:
        raise click.UsageError(f"{option}: {show(text)} is not a number") from None


def whole_number_in(text: str, option: str) -> int:
    """Return the whole number that a text is."""
    if not re.fullmatch(r"\s*[+-]?[0-9]+\s*", text, re.ASCII):
        raise click.UsageError(f"{option}: {show(text)} is not a whole number")
    return int(text)


def layers_in(files: Sequence[str]) -> dict[str, str]:
    """Return the path of each FILE or NAME=FILE by its layer's name."""
    named: dict[int, tuple[str, str]] = {}
    for i, argument in enumerate(files):
        name, equals, path = argument.partition("=")
        if equals and not os.path.exists(argument):
            if not name or not path:
                raise click.UsageError(f"{show(argument)}: NAME=FILE needs both")
            if name in (taken for taken, _ in named.values()):
                raise InputError(_twice(name))
            named[i] = name, path
    paths = [named[i][1] if i in named else argument for i, argument in enumerate(files)]
    if paths.count("-") > 1:
        raise InputError("standard input (-) is given twice; give it once, as it is read once")
    rest = [i for i in range(len(files)) if i not in named]
    names = file_names([files[i] for i in rest], [name for name, _ in named.values()])
    named |= {i: (name, files[i]) for i, name in zip(rest, names, strict=True)}
    return dict(named[i] for i in range(len(files)))
