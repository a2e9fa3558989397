"""Compute coefficients such as SPA, π, κ and α, and agreement by category, of items with labels.

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
from spanagree.cli.job import CommandContext, command
from spanagree.cli.label_tables import label_file, label_options, of_spans
from spanagree.cli.progress import progress
from spanagree.cli.slices import by_slices
from spanagree.cli.together import Form, declared, excludes, needs

_ATTRIBUTE = "Read a span corpus, and take this attribute of the segments that several marked."
_FUNCTION = "spanagree.labels.summary.coefficients"
_BY_SLICE = "spanagree.slices.coefficients.coefficients_by_slice"
_BY_LABEL = "spanagree.labels.by_label.coefficients_by_label"
_FORMS = [
    Form("attribute", _FUNCTION, also="annotators by"),
    Form(
        "slices",
        f"{_BY_SLICE} {_FUNCTION}",
        also="tokens annotators",
    ),
    Form(
        "by=label",
        f"{_BY_LABEL} {_FUNCTION}",
        also="tokens annotators",
    ),
]


@command(
    options.FILES,
    declared(
        label_options(),
        excludes("tokens attribute", "it is for a table of labels"),
        names="item wide counts duplicates separator",
    ),
    options.group(
        "Span corpora",
        options.flag("--tokens", "Read a span corpus, and take its tokens as the items."),
        *declared(
            [options.flag("--skip-outside", "With --tokens, leave out tokens that nobody marked.")],
            needs("tokens"),
        ),
        options.option("--attribute", _ATTRIBUTE, metavar="NAME"),
        *declared(
            [options.annotators("Compare only these annotators.")],
            excludes("workers", "all annotators are compared"),
        ),
    ),
    options.group(
        "Computing",
        *options.of(_FUNCTION, "weights", "measurement", "category_weights", "complete_only"),
        options.by_slices(
            [*BY["Coefficients"], "label"], together=[needs("tokens", term="by=label")]
        ),
    ),
    options.certainty(without="annotator|pair|item"),
    declared(options.workers(), needs("tokens", "a table of labels is read at once")),
    options.reading(
        but=("--tokens", "--annotator", "--label", "--unplaced"),
        of_spans=needs("tokens attribute", "it is for span corpora"),
    ),
    options.output(),
    forms=_FORMS,
)
def coefficients(
    job: CommandContext,
    tokens: bool = False,
    skip_outside: bool = False,
    attribute: str | None = None,
    annotators: list[str] | None = None,
    measurement: str | None = None,
    category_weights: str | None = None,
    **settings: Any,
) -> None:
    from spanagree.corpus.label_text import SIGN
    from spanagree.labels.category_weights import SETS, has_order

    labels = dict(job.labels)
    near = {"measurement": measurement, "category_weights": category_weights}
    categories = labels.get("categories")
    ordered = categories is not None and has_order(categories, *near.values())
    settings |= {**near, "order": categories if ordered else None, **job.intervals}
    if tokens and categories is not None and not ordered:
        raise click.UsageError(
            "--categories with --tokens is for an order; leave it out, or give --measurement"
        )
    source: Any  # a corpus, its parts, or a table
    if attribute is not None:
        corpus = _chosen(of_spans(job).read(), annotators)
        source = sa.labels.attribute_labels(corpus, attribute)
    elif tokens and job.workers is not None:
        source = of_spans(job).parts()
    elif tokens:
        source = _chosen(of_spans(job).read(), annotators)
    else:
        if category_weights in SETS and "separator" not in labels:
            labels["separator"] = SIGN
        source = label_file(job, labels)
        source = source if annotators is None else source.select_annotators(annotators)
    result: Any
    if not tokens or job.slices is not None or job.by == "label":
        progress("coefficients")
    if job.slices is not None:
        result = by_slices(job, source, skip_outside=skip_outside, **settings)
    elif job.by == "label":
        result = sa.labels.coefficients_by_label(source, skip_outside=skip_outside, **settings)
        job = replace(job, by=None)
    elif tokens and not skip_outside:
        result = job.work("coefficients", sa.labels.token_coefficients, source, **settings)
    else:
        if tokens:
            source = job.work("coefficients", sa.token_labels, source, skip_outside=True)
        result = sa.coefficients(source, **settings)
    job.show(result)


def _chosen(corpus: sa.Corpus, annotators: list[str] | None) -> sa.Corpus:
    """Return the corpus of these annotators, which it says; of all if none are named."""
    from spanagree.corpus.roles import choose_annotators

    corpus, chosen = choose_annotators(corpus, annotators)
    return corpus.replace(reading={**corpus.reading, "chosen": chosen})
