"""The options of the command line, grouped by subject, and what users write in them.

What can be chosen is in spanagree.choices, so that no help loads the tables that explain it.
"""

from __future__ import annotations

import csv
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from spanagree import choices
from spanagree.choices import names_of
from spanagree.cli.help_pages import with_choices
from spanagree.errors import InputError, show, whole_number
from spanagree.files import file_names


class _Path(click.types.StringParamType):
    """A path as it is written, which shells complete; what is wrong with one, readers say."""

    name = "path"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Let the shell complete names of files."""
        return [CompletionItem(incomplete, type="file")]


PATH = _Path()
FILES = click.Argument(["files"], nargs=-1, required=True, metavar="FILE...", type=PATH)


class Option(click.Option):
    """An option, its heading in the help, and the part of a job that takes its value, if any."""

    heading = part = ""
    first = False  # whether it is among those that most people need


Group = list[Option]


def option(
    names: str,
    purpose: str,
    *,
    unless: str = "",
    choices: Iterable[str] = (),
    read: Callable[[str, str], Any] | None = None,
    **attributes: Any,
) -> Option:
    """Return an option.

    Args:
        names: with spaces between.
        purpose: what it is for.
        unless: what holds if it is not given.
        choices: what it may be.
        read: takes what a user writes, and the option's name, apart.
    """
    if read is not None:
        attributes["callback"] = lambda _, own, text: (
            None if text is None else read(text, own.opts[0])
        )
    if attributes.get("metavar") == "FILE":
        attributes["type"] = PATH
    if choices := list(choices):
        attributes["type"] = click.Choice(choices)
        attributes.setdefault("metavar", "NAME")
        purpose = with_choices(purpose, choices)
    if unless:
        purpose = f"{purpose}  [default: {unless}]"
    shown = "default" in attributes
    return Option(names.split(), help=purpose, show_default=shown, **attributes)


def number(name: str, purpose: str, **attributes: Any) -> Option:
    """Return an option that takes a whole number."""
    return option(name, purpose, type=int, metavar="N", **attributes)


def flag(name: str, purpose: str) -> Option:
    """Return an option that is there or is not."""
    return option(name, purpose, is_flag=True)


def group(title: str, *options: Option, part: str = "") -> Group:
    """Return options that stand below a heading of their own in the help."""
    for each in options:
        each.heading = title
        each.part = part or each.part
    return list(options)


# --- the groups ---------------------------------------------------------------------------------


def comparing(*own: Option) -> Group:
    """Return the options of comparisons, after those that only one command has."""
    purpose = "Choose what counts as agreement."
    match = option("--match", purpose, choices=names_of(choices.MatchName), default="exact")
    at = "Pair overlapping segments one-to-one, of an iou of at least X: --match overlap-at-X."
    share = option("--overlap-at", at, type=float, metavar="X")
    return group("Comparing", *own, match, share, chance())


def chosen_match(match: str, share: float | None) -> str:
    """Return the measure that --match and --overlap-at ask for.

    Raises:
        UsageError: for another measure than overlap with a share.
    """
    if share is None:
        return match
    given = click.get_current_context().get_parameter_source("match")
    if match != "overlap" and given is not ParameterSource.DEFAULT:
        raise click.UsageError(f"--overlap-at is not for --match {match}; leave one of them out")
    return f"overlap-at-{share:g}"


def chance() -> Option:
    """Return the option of the chance model."""
    purpose = "Choose what a random annotation respects."
    return option("--chance", purpose, choices=names_of(choices.Chance), default="nonoverlapping")


def by(table: Iterable[str]) -> Option:
    """Return the option of what has a row."""
    return option("--by", "Give each of these a row of its own.", choices=table)


def gold(unless: str = "the first") -> Option:
    """Return the option of the gold layer."""
    return option("--gold", "Take this layer as gold.", metavar="NAME", unless=unless)


def annotators(purpose: str = "Compare only these annotators.") -> Option:
    """Return the option of some annotators."""
    return option("--annotators", purpose, metavar="NAME,...", unless="all", read=names_in)


def levels() -> Group:
    """Return the options of levels of difficulty."""
    difficulties = "Put the borders at these difficulties."
    scores = "Put the borders at these scores of chance alone."
    shares = "Put these shares of the documents below the borders."
    return group(
        "Levels of difficulty",
        number("--levels", "Make N levels of nearly equal size.", unless="2"),
        option("--at", difficulties, metavar="X,...", read=numbers_in),
        option("--chance-at", scores, metavar="X,...", read=numbers_in),
        option("--quantiles", shares, metavar="Q,...", read=numbers_in),
        part="levels",
    )


def certainty(
    *own: Option, resamples: str = "10000", whole: bool = True, team: bool = False
) -> Group:
    """Return the options of confidence intervals, before those that only one command has.

    ``whole``: whether it may be known which sentences are one document; ``team``: whether
    annotators may be a sample too.
    """
    percent = "Set the confidence of the intervals to C per cent."
    kinds = "bca; percentile over blocks"
    drawn = (
        "Draw each unit, or whole documents with all their sentences (groups, with --group-by), or"
        " each text (sentence) that --unit document joined."
    )
    if team:
        drawn += " Annotators are fixed, unless you say annotators, or both for units and these."
    allowed = names_of(choices.ResampleBy) + (names_of(choices.SampledBy) if team else ())
    by = option("--resample-by", drawn, choices=allowed, unless="unit")
    shared = group(
        "Certainty",
        flag("--ci", "Give a confidence interval for each figure."),
        option("--confidence", percent, type=float, metavar="C", unless="95"),
        number("--resamples", "Draw N resamples.", unless=resamples),
        number("--seed", "Draw the resamples with this seed.", unless="0"),
        option(
            "--interval",
            "Choose how intervals are made.",
            choices=names_of(choices.Interval),
            unless=kinds,
        ),
        *([by] if whole else []),
        part="certainty",
    )
    return group("Certainty", *shared, *own)


def blocks(*own: Option) -> Group:
    """Return the options of corpora that are worked on in blocks."""
    failing = "Choose what becomes of a block that fails."
    return group(
        "Large corpora",
        number("--block", "Read N sentences at a time."),
        number("--workers", "Let N processes work on blocks at the same time."),
        option("--on-error", failing, choices=names_of(choices.OnError), unless="raise"),
        *own,
    )


def reading(but: Sequence[str] = ()) -> Group:
    """Return the options of reading, except those that a command has in another sense."""
    titled = {
        "Reading files": _files(),
        "Reading spaCy files and datasets": _datasets(),
        "Reading what annotation tools export": _exports(),
    }
    return [
        each
        for title, options in titled.items()
        for each in group(title, *(o for o in options if o.opts[0] not in but), part="reading")
    ]


def _files() -> Group:
    document = "Choose what a document is in CoNLL; with --group-by, a group if document."
    grouped = "Group documents by what a pattern finds in their ids, or by a table."
    forms, schemes = names_of(choices.FormatName), names_of(choices.Scheme)
    columns = "Read these columns of tags, by number (the token is 0) or name; 1-9, or all."
    breaks = "With --unit document, take the sentences of this layer for all."
    only = "Take segments of these labels only; others are dropped before anything is checked."
    renamed = "Give labels other names, before --labels; FILE has two columns, old and new."
    partial = "Choose what becomes of documents that an annotator covered in part."
    nothing = "Take who marked nothing to have seen the document or not, where a file does not say."
    pieces = "Choose what becomes of segments of several pieces."
    ends = "Say whether the end of a span is that of its last token or character (inclusive)."
    repair = f"Take these steps to repair what is read: {', '.join(names_of(choices.Repair))}."
    return [
        option("--from", "Read the files in this format.", choices=forms, unless="by extension"),
        option("--unit", document, choices=names_of(choices.Unit), unless="sentence"),
        option("--group-by", grouped, metavar="PATTERN|FILE[:COLUMN]"),
        option("--breaks", breaks, metavar="NAME", unless="each file's own"),
        option("--scheme", "Read the tags in this scheme.", choices=schemes, unless="auto"),
        flag("--strict", "Take only segments that are well-formed in the scheme."),
        option("--columns", columns, metavar="NAME=COLUMN,...", unless="the last", read=columns_in),
        option("--labels", only, metavar="NAME,...", unless="all", read=names_in),
        option("--map-labels", renamed, metavar="OLD=NEW,...|FILE"),
        option("--encoding", "Read CoNLL, CSV and rows in JSON in this encoding.", unless="utf-8"),
        flag("--ignore-tokens", "Align files by position where their tokens differ."),
        option("--missing", "Take this tag or label to mean that none was given.", metavar="TAG"),
        option("--partial", partial, choices=names_of(choices.Partial), unless="error"),
        option("--discontinuous", pieces, choices=names_of(choices.Discontinuous), unless="keep"),
        option(
            "--empty", nothing, choices=names_of(choices.Empty), unless="as the format's page says"
        ),
        option("--ends", ends, choices=names_of(choices.Ends), unless="as the spans' text shows"),
        option("--repair", repair, metavar="STEP,...", read=names_in),
    ]


def _datasets() -> Group:
    spans = "Read spans from this key of doc.spans, or from these columns of a dataset."
    tags = "Read a dataset's tags from these columns."
    text = "Read texts from this column of a dataset, or this key of Label Studio's data."
    quote = "Read the text that a span covers from this column, in a table with a row for each."
    annotator = "Read annotators from this column, where a dataset has a row for each."
    align = "Align quotes, and copies of the text with tags in them, that a language model changed."
    return [
        option("--spans", spans, metavar="KEY|COLUMN|NAME=COLUMN,...", read=spans_in),
        option("--quote", quote, metavar="COLUMN"),
        option("--tokens", "Read a dataset's tokens from this column.", metavar="COLUMN"),
        option("--text", text, metavar="COLUMN|KEY"),
        option("--tags", tags, metavar="NAME=COLUMN,...", read=named_in),
        option("--annotator", annotator, metavar="COLUMN"),
        option("--document", "Read a dataset's document ids from this column.", metavar="COLUMN"),
        option("--split", "Read this part of a dataset.", metavar="NAME"),
        flag("--align", align),
    ]


def _exports() -> Group:
    who = "Name the annotators by a number, by the part of an e-mail before @, by the session, or"
    who += " by the file."
    models = "Read Label Studio's predictions too, as layers named by their model's version."
    truth = "Make a layer ground_truth of what Label Studio marks so, or INCEpTION's curators made."
    begun = "Take what INCEpTION's annotators began and did not finish as seen, or not."
    return [
        option(
            "--annotator-from",
            who,
            choices=names_of(choices.AnnotatorFrom),
            unless="id, or the file",
        ),
        flag("--predictions", models),
        flag("--ground-truth", truth),
        option("--layer", "Read this layer of an INCEpTION project.", metavar="NAME"),
        option("--feature", "Read labels from this feature of the layer.", metavar="NAME"),
        option("--in-progress", begun, choices=names_of(choices.InProgress), unless="auto"),
    ]


def output(forms: Iterable[str] | None = None, *, plot: bool = True, explain: bool = True) -> Group:
    """Return the options of what is written, and where."""
    forms = tuple(forms or names_of(choices.Shown))
    purpose = "Write the result in this format."
    decimals = "Give figures with N decimals."
    usual = "4; 2 with markdown and latex"
    wide = "Show all columns and whole names, however wide the table becomes."
    look = (
        f"Set off the best figures, or use packages of LaTeX: {', '.join(names_of(choices.Style))}."
    )
    explained = "Say below the table what each figure means, and when not to trust it."
    safe = "With csv, put an apostrophe before names that a spreadsheet would take for a formula."
    mark = "With csv, begin with a byte order mark, by which spreadsheets know UTF-8."
    picture = option("--plot", "Draw a picture too, as .png, .svg or .pdf.", metavar="FILE")
    return group(
        "Output",
        option("--format", purpose, choices=forms, default="text"),
        option("-o --output", "Write to FILE instead of stdout.", metavar="FILE"),
        *([picture] if plot else []),
        *([flag("--explain", explained)] if explain else []),
        *([number("--digits", decimals, unless=usual)] if explain else []),
        *([flag("--percent", "Give figures in per cent.")] if explain else []),
        *([flag("--all-columns", wide)] if "csv" in forms else []),
        *([option("--style", look, metavar="STYLE,...", read=names_in)] if explain else []),
        *([flag("--safe-cells", safe)] if "csv" in forms else []),
        *([flag("--bom", mark)] if "csv" in forms else []),
    )


def messages() -> Group:
    """Return the options of what is said beside the result."""
    return group("Messages", flag("--verbose", "Give every note, not one for each kind."))


# --- what users write ---------------------------------------------------------------------------


def given(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options that were given, by name."""
    return {k: v for k, v in options.items() if v is not None and v is not False}


def written(name: str) -> str:
    """Return the name of an option as it is written."""
    return f"--{name.replace('_', '-')}"


def names_in(text: str, option: str) -> list[str]:
    """Return the parts of ``NAME,…``; one with a comma stands in double quotes."""
    try:
        (names,) = csv.reader([text], skipinitialspace=True, strict=True)
    except csv.Error:
        needed = """a name with a comma stands in double quotes, as in 'ann,"Doe, Jane"'"""
        raise click.UsageError(f"{option}: {show(text)}; {needed}") from None
    return [name.strip() for name in names or [text]]


def named_in(text: str, option: str, form: str = "NAME=COLUMN") -> dict[str, str]:
    """Return ``NAME=VALUE,…`` as a table."""
    named: dict[str, str] = {}
    for part in names_in(text, option):
        name, _, value = part.rpartition("=")
        if not name or not value:
            raise click.UsageError(f"{option}: {show(part)}; {form} is needed")
        if name in named:
            raise InputError(f"{option}: {_twice(name)}")
        named[name] = value
    return named


def _twice(name: str) -> str:
    return f"the name {show(name)} is given twice; give each layer a name of its own"


def columns_in(text: str, option: str) -> str | dict[str, str | int]:
    """Return ``NAME=COLUMN,…`` as a table, with numbers as such, and anything else as it is."""
    if "=" not in text:
        return text
    return {
        name: whole_number(column, f"{option}:") if column.isdecimal() else column
        for name, column in named_in(text, option).items()
    }


def spans_in(text: str, option: str) -> str | dict[str, str]:
    """Return ``NAME=COLUMN,…`` as a table, and anything else as it is."""
    return named_in(text, option) if "=" in text else text


def numbers_in(text: str, option: str) -> list[float]:
    """Return the numbers of ``X,…``."""
    return [_number(part, option) for part in text.split(",")]


def _number(text: str, option: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise click.UsageError(f"{option}: {show(text)} is not a number") from None


def whole_numbers_in(text: str, option: str) -> list[int]:
    """Return the whole numbers of ``N,…``."""
    return [_whole_number(part, option) for part in text.split(",")]


def _whole_number(text: str, option: str) -> int:
    if not re.fullmatch(r"\s*[+-]?[0-9]+\s*", text, re.ASCII):
        raise click.UsageError(f"{option}: {show(text)} is not a whole number")
    return whole_number(text.strip(), f"{option}:")


def layers_in(files: Sequence[str]) -> dict[str, str]:
    """Return the path of each FILE or NAME=FILE by its layer's name."""
    named: dict[int, tuple[str, str]] = {}
    for i, argument in enumerate(files):
        name, equals, path = argument.partition("=")
        if equals and not any(map(os.path.exists, (argument, argument.rpartition(":")[0]))):
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
