"""The options of tables of labels, and the table in a file; several commands read one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

import spanagree as sa
from spanagree.choices import Duplicates, names_of
from spanagree.cli import options
from spanagree.cli.job import CommandContext
from spanagree.errors import escape_name, pluralize

_TABLES = (".csv", ".tsv", ".tab", ".txt", "")  # what a table of labels may be called


_ITEM = (
    "Read the items from this column. With --wide or --counts it is the first, unless --annotator"
    " or --label names the others; then rows are numbered."
)
_ANNOTATOR = (
    "Read the annotators from this column. With --wide, these columns are annotators; all but the"
    " items', unless given."
)
_LABEL = (
    "Read the labels from this column. With --counts, these columns are categories; all but the"
    " items', unless given."
)
_CATEGORIES = (
    "Take these as all categories that there could be; from low to high, if --measurement or"
    " --category-weights need an order and they are not numbers."
)
_SEPARATOR = "Read labels as sets, with this sign between their members."
_TWICE = "Choose what becomes of an item that an annotator labelled twice."


def label_options() -> options.Group:
    """Return the options of a table of labels."""
    return options.group(
        "Tables of labels",
        options.option("--item", _ITEM, metavar="COLUMN", unless="item"),
        options.option("--annotator", _ANNOTATOR, metavar="COLUMN,...", unless="annotator"),
        options.option("--label", _LABEL, metavar="COLUMN,...", unless="label"),
        options.flag("--wide", "Read a table with a column for each annotator."),
        options.flag(
            "--counts", "Read a table with a column for each category: how many chose it."
        ),
        options.option(
            "--categories",
            _CATEGORIES,
            metavar="NAME,...",
            unless="all used",
            read=options.names_in,
        ),
        options.option("--duplicates", _TWICE, choices=names_of(Duplicates), unless="error"),
        options.option("--separator", _SEPARATOR, metavar="SIGN", unless="| with jaccard and masi"),
        part="labels",
    )


def of_spans(job: CommandContext) -> CommandContext:
    """Return the job of a span corpus, where --annotator and --label are options of reading."""
    column = {key: job.labels[key] for key in ("annotator", "label") if key in job.labels}
    return replace(job, reading={**job.reading, **column})


def label_file(job: CommandContext, labels: dict[str, Any]) -> sa.labels.LabelTable:
    """Return the table of labels that FILE is."""
    from spanagree.formats.recognise import format_named
    from spanagree.formats.registry import FORMATS

    path = job.files[0]
    suffix = Path(path).suffix
    tags = suffix in FORMATS["conll"].extensions
    if suffix not in _TABLES and (tags or format_named(path) != "conll"):
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
    for name, several in {"annotator": "wide", "label": "counts"}.items():
        if several in labels and name in labels:
            labels[name] = options.names_in(labels[name], options.written(name))
    return sa.read_labels(path, **labels)
