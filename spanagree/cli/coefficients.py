"""Compute SPA, π, κ, α, AC1, bias, and agreement by category, of items with labels.

FILE is a CSV or TSV table with a row for each label given, unless --wide, --counts or --tokens
says otherwise.

\b
spanagree coefficients labels.csv --item sentence --annotator worker --label answer
spanagree coefficients labels.csv --wide
spanagree coefficients grades.csv --measurement ordinal --ci
spanagree coefficients crowd.jsonl --tokens
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

import spanagree as sa
from spanagree.cli import options
from spanagree.cli.job import Job, command
from spanagree.cli.progress import progress
from spanagree.corpus.label_table import DUPLICATES
from spanagree.corpus.label_text import SIGN
from spanagree.errors import check_whole, counted, printable
from spanagree.formats.registry import FORMATS, format_named
from spanagree.labels.nearness import CATEGORY_WEIGHTS, MEASUREMENTS, SETS, has_order
from spanagree.labels.spa import WEIGHTS
from spanagree.labels.summary import Coefficients
from spanagree.settings import chosen_of

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
_MEASUREMENT = "Choose what labels measure."
_NEAR = "Choose how near two categories are; that of --measurement, unless given."
_TWICE = "Choose what becomes of an item that an annotator labelled twice."
_WEIGHTS = "Choose how much an item counts in SPA."


@command(
    options.FILES,
    options.group(
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
        options.option("--duplicates", _TWICE, choices=DUPLICATES, unless="error"),
        options.option("--separator", _SEPARATOR, metavar="SIGN", unless="| with jaccard and masi"),
        part="labels",
    ),
    options.group(
        "Span corpora",
        options.flag("--tokens", "Read a span corpus, and take its tokens as the items."),
        options.flag("--skip-outside", "With --tokens, leave out tokens that nobody marked."),
        options.annotators("With --tokens, compare only these annotators."),
    ),
    options.group(
        "Computing",
        options.option("--weights", _WEIGHTS, choices=WEIGHTS, default="annotations_m1"),
        options.option("--measurement", _MEASUREMENT, choices=MEASUREMENTS, unless="nominal"),
        options.option("--category-weights", _NEAR, choices=CATEGORY_WEIGHTS),
        options.flag("--complete-only", "Take only items that all annotators labelled."),
        options.by(Coefficients.BY),
    ),
    options.certainty(),
    options.blocks(),
    options.reading(but=("--tokens", "--annotator")),
    options.output(),
    first="--item --annotator --label --wide --counts --tokens --by --ci --format --output --plot",
)
def coefficients(
    job: Job,
    tokens: bool,
    skip_outside: bool,
    annotators: list[str] | None,
    by: str | None,
    measurement: str | None,
    category_weights: str | None,
    **settings: Any,
) -> None:
    drawing = job.drawing(by=by, bare=("category", "annotator"))
    labels = dict(job.labels)
    near = {"measurement": measurement, "category_weights": category_weights}
    categories = labels["categories"]
    ordered = categories is not None and has_order(categories, *near.values())
    settings |= {**near, "order": categories if ordered else None}
    if tokens:
        column = labels.pop("annotator")
        labels.pop("categories") if ordered else None
        if unfit := options.given(labels):
            name = options.written(next(iter(unfit)))
            raise click.UsageError(f"{name} is for a table of labels; leave it out with --tokens")
        corpus = replace(job, reading={**job.reading, "tokens": None, "annotator": column})
        pairs = any(options.given(near))
        table = _token_labels(corpus, annotators, drawing, skip_outside=skip_outside, pairs=pairs)
    else:
        if category_weights in SETS and labels["separator"] is None:
            labels["separator"] = SIGN
        table = _label_file(job, labels, {"skip_outside": skip_outside, "annotators": annotators})
    progress("coefficients")
    job.show(sa.coefficients(table, **settings, **drawing), by)


def _token_labels(
    job: Job,
    annotators: list[str] | None,
    drawing: Mapping[str, Any],
    *,
    skip_outside: bool,
    pairs: bool,
) -> sa.LabelTable | sa.LabelTallies:
    """Return the labels of the tokens of a span corpus, or over blocks their tallies."""
    if not job.in_blocks:
        corpus = job.read()
        if annotators is not None:
            chosen = chosen_of(corpus.annotators, annotators)
            corpus = corpus.of_annotators(annotators)
            corpus = replace(corpus, reading={**corpus.reading, "chosen": chosen})
        return sa.token_labels(corpus, skip_outside=skip_outside)
    if annotators is not None:
        raise click.UsageError(
            "--annotators: over blocks all annotators are compared; leave it out"
        )
    drawn = {"seed": drawing["seed"]} if "seed" in drawing else {}
    drawn |= {"skip_outside": skip_outside, "pairs": pairs}
    if "ci" in drawing:
        drawn["resamples"] = drawing.get("resamples", 10_000)
        check_whole(drawn["resamples"], 1, "resamples")
    return job.work("counting", sa.token_labels, job.source(), **drawn)


def _label_file(job: Job, labels: dict[str, Any], unfit: Mapping[str, Any]) -> sa.LabelTable:
    """Return the table of labels that FILE is; ``unfit`` are options that are not for one."""
    path = job.files[0]
    suffix = Path(path).suffix
    tags = suffix in FORMATS["conll"].extensions
    if suffix not in _TABLES and (tags or format_named(path) != "conll"):
        raise click.UsageError(
            f"{printable(path)}: not a CSV or TSV table of labels; if it holds segments, --tokens"
            " takes their tokens as the items"
        )
    reading = dict(job.reading)
    labels |= {key: reading.pop(key) for key in ("encoding", "missing")}
    blocks = {name: getattr(job, name) for name in ("block", "workers", "on_error")}
    if given := options.given({**reading, **unfit, **blocks}):
        name = options.written(next(iter(given)))
        raise click.UsageError(f"{name} is for span corpora; give --tokens too")
    if len(job.files) > 1:
        raise click.UsageError(
            f"{counted(len(job.files), 'file')}; one table of labels is needed, or --tokens for"
            " span corpora"
        )
    for name, several in {"annotator": "wide", "label": "counts"}.items():
        if labels[several] and labels[name] is not None:
            labels[name] = options.names_in(labels[name])
    return sa.read_labels(path, **{k: v for k, v in labels.items() if v is not None})
