"""Options of tables of labels, and their reader, for several commands."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

import spanagree as sa
from spanagree.choices import Duplicates, list_names
from spanagree.cli import options
from spanagree.cli.job import CommandContext
from spanagree.cli.option_values import format_option_name, parse_names
from spanagree.errors import escape_name, pluralize

_TABLES = (".csv", ".tsv", ".tab", ".txt", "")  # extensions of tables of labels


_ITEM = (
    "Column of the items. Default with --wide or --counts: the first column, or row numbers if"
    " --annotator or --label names columns."
)
_ANNOTATOR = (
    "Column of the annotators. With --wide, columns that are annotators; default: all except the"
    " items."
)
_LABEL = (
    "Column of the labels. With --counts, columns that are categories; default: all except the"
    " items."
)
_CATEGORIES = (
    "All possible categories, from low to high if --measurement or --category-weights need an"
    " order and the categories are not numbers."
)
_SEPARATOR = "Separator between the members of labels that are sets."
_DUPLICATES = "Treatment of items that an annotator labelled twice."


def build_label_options() -> options.Group:
    """Build the options of a table of labels."""
    return options.group_options(
        "Tables of labels",
        options.build_option("--item", _ITEM, metavar="COLUMN", unless="item"),
        options.build_option("--annotator", _ANNOTATOR, metavar="COLUMN,...", unless="annotator"),
        options.build_option("--label", _LABEL, metavar="COLUMN,...", unless="label"),
        options.build_flag("--wide", "Read a table with a column for each annotator."),
        options.build_flag(
            "--counts",
            "Read a table with a column for each category: the number of annotators who chose it.",
        ),
        options.build_list_option("--categories", _CATEGORIES, unless="all used"),
        options.build_option(
            "--duplicates", _DUPLICATES, choices=list_names(Duplicates), unless="error"
        ),
        options.build_option(
            "--separator", _SEPARATOR, metavar="SIGN", unless="| with jaccard and masi"
        ),
        context_field="labels",
    )


def move_span_options(job: CommandContext) -> CommandContext:
    """Move --annotator and --label to the options of reading, for a span corpus."""
    column = {key: job.labels[key] for key in ("annotator", "label") if key in job.labels}
    return replace(job, reading={**job.reading, **column})


def read_label_table(job: CommandContext, labels: dict[str, Any]) -> sa.labels.LabelTable:
    """Read the table of labels in the single FILE of a command.

    Args:
        job: context of the command.
        labels: options of tables of labels, by name.

    Raises:
        UsageError: if there are several files, or the file contains segments.
    """
    from spanagree.formats.recognise import find_format_by_name
    from spanagree.formats.registry import FORMATS

    path = job.files[0]
    suffix = Path(path).suffix
    tags = suffix in FORMATS["conll"].extensions
    if suffix not in _TABLES and (tags or find_format_by_name(path) != "conll"):
        raise click.UsageError(
            f"{escape_name(path)}: not a CSV or TSV table of labels; if it holds segments, --tokens"
            " takes their tokens as the items"
        )
    labels |= job.reading
    if len(job.files) > 1:
        raise click.UsageError(
            f"{pluralize(len(job.files), 'file')}; one table of labels is needed, or --tokens for"
            " span corpora"
        )
    for name, flag_name in {"annotator": "wide", "label": "counts"}.items():
        if flag_name in labels and name in labels:
            labels[name] = parse_names(labels[name], format_option_name(name))
    return sa.read_labels(path, **labels)
