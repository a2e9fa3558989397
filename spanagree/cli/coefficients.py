"""Compute coefficients such as SPA, π, κ and α, and agreement by category, of items with labels.

FILE is a CSV or TSV table with a row for each label of an annotator; --wide, --counts and --tokens
read other inputs.

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
from spanagree.cli.command import command
from spanagree.cli.comparison_options import (
    build_annotators_option,
    build_certainty_options,
    build_view_or_slices_option,
    build_workers_option,
)
from spanagree.cli.job import CommandContext
from spanagree.cli.label_tables import build_label_options, move_span_options, read_label_table
from spanagree.cli.option_rules import AlternativeCall, add_rules, exclude_terms, require_terms
from spanagree.cli.output_options import build_output_options
from spanagree.cli.progress import start_progress
from spanagree.cli.reading_options import build_reading_options
from spanagree.cli.slices import score_slices_of_labels

_ATTRIBUTE = (
    "Read a span corpus; segments that several annotators marked are the items, and the values of"
    " this attribute their labels."
)
_FUNCTION = "spanagree.labels.summary.coefficients"
_BY_SLICE = "spanagree.slices.coefficients.coefficients_by_slice"
_BY_LABEL = "spanagree.labels.by_label.coefficients_by_label"
_ALTERNATIVES = [
    AlternativeCall("attribute", _FUNCTION, command_options="annotators by"),
    AlternativeCall(
        "slices",
        f"{_BY_SLICE} {_FUNCTION}",
        command_options="tokens annotators",
    ),
    AlternativeCall(
        "by=label",
        f"{_BY_LABEL} {_FUNCTION}",
        command_options="tokens annotators",
    ),
]


@command(
    options.FILES,
    add_rules(
        build_label_options(),
        exclude_terms("tokens attribute", "it is for a table of labels"),
        names="item wide counts duplicates separator",
    ),
    options.group_options(
        "Span corpora",
        options.build_flag("--tokens", "Read a span corpus; its tokens are the items."),
        *add_rules(
            [
                options.build_flag(
                    "--skip-outside", "With --tokens, leave out tokens that no annotator marked."
                )
            ],
            require_terms("tokens"),
        ),
        options.build_option("--attribute", _ATTRIBUTE, metavar="NAME"),
        *add_rules(
            [build_annotators_option("Compare only these annotators.")],
            exclude_terms("workers", "all annotators are compared"),
        ),
    ),
    options.group_options(
        "Computing",
        *options.build_options_from_function(
            _FUNCTION, "weights", "measurement", "category_weights", "complete_only"
        ),
        build_view_or_slices_option(
            [*BY["Coefficients"], "label"], rules=[require_terms("tokens", term="by=label")]
        ),
    ),
    build_certainty_options(without="annotator|pair|item"),
    add_rules(
        build_workers_option(),
        require_terms("tokens", "a table of labels is read as a whole"),
    ),
    build_reading_options(
        skip=("--tokens", "--annotator", "--label", "--unplaced"),
        span_rule=require_terms("tokens attribute", "it is for span corpora"),
    ),
    build_output_options(),
    alternatives=_ALTERNATIVES,
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
    """Compute coefficients of a table of labels, or of a span corpus, and show them.

    Args:
        job: context of the command.
        tokens: True for tokens of a span corpus as items.
        skip_outside: True to leave out tokens that no annotator marked.
        attribute: attribute of segments with the labels, for segments as items.
        annotators: names of the annotators to compare. Default: all.
        measurement: level of measurement of the labels.
        category_weights: name of the weights of categories.
        settings: other arguments of :func:`spanagree.coefficients`.
    """
    from spanagree.corpus.label_text import SIGN
    from spanagree.labels.category_weights import SETS, has_order

    labels = dict(job.labels)
    category_distances = {"measurement": measurement, "category_weights": category_weights}
    categories = labels.get("categories")
    is_ordered = categories is not None and has_order(categories, *category_distances.values())
    settings |= {**category_distances, "order": categories if is_ordered else None, **job.intervals}
    if tokens and categories is not None and not is_ordered:
        raise click.UsageError(
            "--categories with --tokens is for an order; leave it out, or give --measurement"
        )
    source: Any  # a corpus, its parts, or a table
    if attribute is not None:
        corpus = _select_annotators(move_span_options(job).read_corpus(), annotators)
        source = sa.labels.attribute_labels(corpus, attribute)
    elif tokens and job.workers is not None:
        source = move_span_options(job).read_corpus_or_parts()
    elif tokens:
        source = _select_annotators(move_span_options(job).read_corpus(), annotators)
    else:
        if category_weights in SETS and "separator" not in labels:
            labels["separator"] = SIGN
        source = read_label_table(job, labels)
        source = source if annotators is None else source.select_annotators(annotators)
    result: Any
    if not tokens or job.slices is not None or job.by == "label":
        start_progress("coefficients")
    if job.slices is not None:
        result = score_slices_of_labels(job, source, skip_outside=skip_outside, **settings)
    elif job.by == "label":
        result = sa.labels.coefficients_by_label(source, skip_outside=skip_outside, **settings)
        job = replace(job, by=None)
    elif tokens and not skip_outside:
        result = job.run_with_workers(
            "coefficients", sa.labels.token_coefficients, source, **settings
        )
    else:
        if tokens:
            source = job.run_with_workers(
                "coefficients", sa.token_labels, source, skip_outside=True
            )
        result = sa.coefficients(source, **settings)
    job.show_result(result)


def _select_annotators(corpus: sa.Corpus, annotators: list[str] | None) -> sa.Corpus:
    """Select annotators of a corpus, and record the selection in the settings of reading.

    ``annotators`` are names; `None` selects all annotators.
    """
    from spanagree.corpus.roles import choose_annotators

    corpus, selection = choose_annotators(corpus, annotators)
    return corpus.replace(reading={**corpus.reading, "chosen": selection})
