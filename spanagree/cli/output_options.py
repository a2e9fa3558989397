"""Options of the output: its file, its format, the look of tables, and messages."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any

import click

from spanagree import choices
from spanagree.choices import list_names
from spanagree.cli.option_rules import add_rules, exclude_terms, require_terms
from spanagree.cli.options import (
    Formats,
    Group,
    NameChoice,
    build_flag,
    build_integer_option,
    build_list_option,
    build_option,
    group_options,
)
from spanagree.errors import escape_name


def build_corpus_output_options(
    purpose: str,
    format_names: Iterable[str],
    unless: str,
    *,
    name: str = "-o --output",
    **attributes: Any,
) -> Group:
    """Build the options of the file and the format of a written corpus."""
    return [
        build_option(name, purpose, **attributes),
        build_option(
            "--to",
            "Format to write.",
            choices=format_names,
            type=Formats(format_names, is_written=True),
            unless=unless,
        ),
    ]


def build_output_options(
    formats: Iterable[str] | None = None, *, plot: bool = True, explain: bool = True
) -> Group:
    """Build the options of the output.

    Args:
        formats: names of the formats. Default: those of tables.
        plot: True to include the option for a plot.
        explain: True to include the options that explain and round figures.
    """
    formats = tuple(formats or list_names(choices.Shown))
    all_cells = "Show all rows, all columns and complete names, even if the table is large."
    styles = ", ".join(list_names(choices.Style))
    explained = "Explain below the table what each figure means, and when not to trust it."
    safe_cells_purpose = (
        "With csv, put an apostrophe before names that a spreadsheet would read as a formula."
    )
    mark_purpose = "With csv, begin with a byte order mark, so that spreadsheets recognize UTF-8."
    per_cent = "Show figures in per cent; the default for F1 with latex."
    decimals = "Number of decimals of figures."
    by_name = "text, or by extension"
    members = [
        build_option("--format", "Format of the result.", choices=formats, unless=by_name),
        build_option("-o --output", "Write to FILE instead of stdout.", metavar="FILE"),
    ]
    if plot:
        purpose = "Draw a plot too, as .png, .svg or .pdf."
        members.append(build_option("--plot", purpose, metavar="FILE"))
    if explain:
        members += [
            build_flag("--explain", explained),
            build_integer_option("--digits", decimals, unless="3; 2 with markdown and latex"),
            build_flag("--percent/--no-percent", per_cent, default=None),
        ]
    if "csv" in formats:
        members.append(build_flag("--all all_columns", all_cells))
    if explain:
        style_purpose = (
            f"With markdown, highlight the best figures; with latex, style of the table: {styles}."
        )
        members.append(build_list_option("--style", style_purpose, metavar="STYLE,..."))
    if "csv" in formats:
        members += [
            build_flag("--safe-cells", safe_cells_purpose),
            build_flag("--bom", mark_purpose),
        ]
    exact_format_rule = exclude_terms("format=json|jsonl|csv", "it has the exact figures")
    add_rules(members, exact_format_rule, names="digits percent all_columns")
    add_rules(members, exclude_terms("format=json|jsonl|csv|latex"), names="explain")
    add_rules(members, require_terms("format=csv worklist"), names="safe_cells bom")
    return group_options("Output", *members, is_shared=True)


_BY_NAME = {
    ".json": "json",
    ".jsonl": "jsonl",
    ".csv": "csv",
    ".md": "markdown",
    ".tex": "latex",
    ".bib": "bibtex",
}
_OF_OTHERS = frozenset((
    ".pdf", ".png", ".svg", ".jpg", ".jpeg", ".gif", ".html", ".htm", ".xml", ".xlsx", ".xls",
    ".ods", ".docx", ".doc", ".odt", ".rtf", ".pptx", ".tsv", ".parquet", ".arrow", ".feather",
    ".yaml", ".yml", ".ipynb", ".pickle", ".pkl", ".db", ".sqlite", ".zip", ".gz",
))  # fmt: skip
"""Extensions of formats in which no result is written."""


def format_by_extension(option_values: Mapping[str, Any], members: Group) -> dict[str, str]:
    """Infer the format of a result from the extension of its file.

    Returns:
        The setting ``format``; empty if the extension is of no format, such as ``.txt``.

    Raises:
        UsageError: if ``--format`` is another one, or the extension is of a format that the command
            does not write.
    """
    name = option_values.get("output")
    extension = os.path.splitext(name or "")[1].lower()
    format_ = _BY_NAME.get(extension)
    format_type = next((member.type for member in members if member.name == "format"), None)
    if not isinstance(format_type, NameChoice):
        return {}
    if format_ not in format_type.choices:
        writes_corpus = any(member.name == "to" for member in members)
        is_text = format_ in (None, "markdown") and extension not in _OF_OTHERS
        if not (writes_corpus or is_text):
            raise click.UsageError(_describe_endings(str(name), extension, format_type.choices))
        return {}
    requested = option_values.get("format", format_)
    if requested != format_:
        raise click.UsageError(
            f"-o {escape_name(str(name))}: by its name it is {format_}, and --format is"
            f" {requested}; leave one out, or rename the file"
        )
    return {"format": str(format_)}


def _describe_endings(name: str, extension: str, formats: Iterable[str]) -> str:
    """Describe that a file is called as of a format in which no result is written.

    Args:
        name: name of the file.
        extension: its extension.
        formats: names of the formats that the command writes.
    """
    extension_by_format = {format_: extension for extension, format_ in _BY_NAME.items()}
    endings = ", ".join(
        f"{format_} ({extension_by_format.get(format_, '.txt')})" for format_ in formats
    )
    return f"-o {escape_name(name)}: {extension} is no format of this result; it is {endings}"


def build_message_options() -> Group:
    """Build the options of messages."""
    quiet = "Omit the verdict above the table."
    verbose = "Show every note, not one of each kind, and the traceback of an internal error."
    return group_options(
        "Messages", build_flag("--quiet", quiet), build_flag("--verbose", verbose), is_shared=True
    )
