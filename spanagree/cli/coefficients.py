"""Compute SPA, π, κ, α, AC1, bias, and agreement by category, of items with labels.

FILE is a CSV or TSV table with a row for each label given, unless --wide, --counts or --tokens
says otherwise.

\b
spanagree coefficients labels.csv --item sentence --annotator worker --label answer
spanagree coefficients labels.csv --wide
spanagree coefficients grades.csv --measurement ordinal --ci
spanagree coefficients crowd.jsonl --tokens
spanagree coefficients labels.csv --by item --format csv -o queue.csv
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

import spanagree as sa
from spanagree.choices import BY
from spanagree.cli import options
from spanagree.cli.batches import batches_option
from spanagree.cli.job import Job, command
from spanagree.cli.label_tables import label_file, label_options
from spanagree.cli.progress import progress
from spanagree.settings import chosen_of

_ATTRIBUTE = "Read a span corpus, and take this attribute of the segments that several marked."
_FUNCTION = "spanagree.labels.summary.coefficients"


@command(
    options.FILES,
    label_options(),
    options.group(
        "Span corpora",
        options.flag("--tokens", "Read a span corpus, and take its tokens as the items."),
        options.flag("--skip-outside", "With --tokens, leave out tokens that nobody marked."),
        options.option("--attribute", _ATTRIBUTE, metavar="NAME"),
        options.annotators("Compare only these annotators."),
    ),
    options.group(
        "Computing",
        *options.of(_FUNCTION, "weights", "measurement", "category_weights", "complete_only"),
        options.by([*BY["Coefficients"], "label"]),
    ),
    options.group("Batches", batches_option(files=False)),
    options.certainty(),
    options.blocks(),
    options.reading(but=("--tokens", "--annotator", "--label")),
    options.output(),
)
def coefficients(
    job: Job,
    tokens: bool = False,
    skip_outside: bool = False,
    attribute: str | None = None,
    annotators: list[str] | None = None,
    measurement: str | None = None,
    category_weights: str | None = None,
    batches: str | None = None,
    **settings: Any,
) -> None:
    from spanagree.corpus.label_text import SIGN
    from spanagree.labels.category_weights import SETS, has_order

    labels = dict(job.labels)
    near = {"measurement": measurement, "category_weights": category_weights}
    categories = labels.get("categories")
    ordered = categories is not None and has_order(categories, *near.values())
    settings |= {**near, "order": categories if ordered else None}
    if attribute is not None:
        values = sa.labels.attribute_labels(_chosen(job.read(), annotators), attribute)
        progress("coefficients")
        job.show(sa.coefficients(values, **settings, **job.intervals))
        return
    if tokens:
        if categories is not None and not ordered:
            raise click.UsageError(
                "--categories with --tokens is for an order; leave it out, or give --measurement"
            )
        column = {"annotator": labels["annotator"]} if "annotator" in labels else {}
        corpus = replace(job, reading={**job.reading, **column})
        pairs = any(weight is not None for weight in near.values())
        if batches is not None or job.by == "label":
            chosen = _chosen(corpus.read(), annotators)
            progress("coefficients")
            settings |= {**job.intervals, "skip_outside": skip_outside}
            if batches is not None:
                job.show(sa.project.coefficients_by_batch(chosen, batches, **settings))
            else:
                made = sa.labels.coefficients_by_label(chosen, **settings)
                replace(job, by=None).show(made)
            return
        table = _token_labels(corpus, annotators, skip_outside=skip_outside, pairs=pairs)
    else:
        if category_weights in SETS and "separator" not in labels:
            labels["separator"] = SIGN
        table = label_file(job, labels)
        table = table if annotators is None else table.of_annotators(annotators)
    progress("coefficients")
    if batches is not None and not isinstance(table, sa.labels.LabelTallies):
        job.show(sa.project.coefficients_by_batch(table, batches, **settings, **job.intervals))
        return
    job.show(sa.coefficients(table, **settings, **job.intervals))


def _token_labels(
    job: Job,
    annotators: list[str] | None,
    *,
    skip_outside: bool,
    pairs: bool,
) -> sa.labels.LabelTable | sa.labels.LabelTallies:
    """Return the labels of the tokens of a span corpus, or over blocks their tallies."""
    if not job.in_blocks:
        return sa.token_labels(_chosen(job.read(), annotators), skip_outside=skip_outside)
    drawn = {**job.seed, "skip_outside": skip_outside, "pairs": pairs}
    if job.intervals:
        drawn["resamples"] = job.bootstrap.resamples
    return job.work("counting", sa.token_labels, job.source(), **drawn)


def _chosen(corpus: sa.Corpus, annotators: list[str] | None) -> sa.Corpus:
    """Return the corpus of these annotators, which it says; of all if none are named."""
    if annotators is None:
        return corpus
    chosen = chosen_of(corpus.annotators, annotators)
    corpus = corpus.of_annotators(annotators)
    return corpus.but(reading={**corpus.reading, "chosen": chosen})
