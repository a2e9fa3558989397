"""Test whether a candidate, such as a model, may replace an annotator.

This is the alternative annotator test of Calderon, Reichart and Dror.

FILE contains annotators and the candidate; with --table it is a table of labels.

\b
spanagree alt-test crowd.jsonl --candidate model --epsilon 0.1 --match token
spanagree alt-test labels.csv --table --candidate model --epsilon 0.2 --by annotator
"""

from __future__ import annotations

from typing import Any

import spanagree as sa
from spanagree.choices import BY
from spanagree.cli import options
from spanagree.cli.command import command
from spanagree.cli.comparison_options import build_comparison_options
from spanagree.cli.job import CommandContext
from spanagree.cli.label_tables import build_label_options, move_span_options, read_label_table
from spanagree.cli.option_rules import add_rules, exclude_terms, require_terms
from spanagree.cli.output_options import build_output_options
from spanagree.cli.progress import start_progress
from spanagree.cli.reading_options import build_reading_options

_FUNCTION = "spanagree.references.alt_test.alt_test"
_TABLE = "Read a table of labels, not spans."
_OF_SPANS = exclude_terms("table", "it is for spans")
_OF_LABELS = require_terms("table")


@command(
    options.FILES,
    add_rules(
        build_comparison_options(
            *add_rules(
                options.build_options_from_function(
                    _FUNCTION, skip=("match", "chance"), required=("candidate", "epsilon")
                ),
                _OF_LABELS,
                names="score",
            ),
            rows=BY["AltTest"],
            function=_FUNCTION,
            seed=True,
        ),
        _OF_SPANS,
        names="match chance overlap_at",
    ),
    options.group_options("Tables", options.build_flag("--table", _TABLE)),
    add_rules(
        build_label_options(),
        _OF_LABELS,
        names="item wide counts categories duplicates separator",
    ),
    build_reading_options(skip=("--annotator", "--label"), strings=True, span_rule=_OF_SPANS),
    build_output_options(),
)
def alt_test(job: CommandContext, candidate: str, table: bool = False, **settings: Any) -> None:
    """Test whether a candidate may replace an annotator, and show the result.

    Args:
        job: context of the command.
        candidate: name of the candidate.
        table: True to read a table of labels.
        settings: other arguments of :func:`spanagree.alt_test`.
    """
    job.check_picture(sa.references.AltTest)
    if table:
        annotations: sa.Corpus | sa.labels.LabelTable = read_label_table(job, dict(job.labels))
    else:
        job = move_span_options(job)
        annotations = job.read_corpus()
        candidate = str(job.resolve_layer(candidate, annotations))
    job.show_result(
        sa.alt_test(annotations, candidate, **settings, progress=start_progress("comparing"))
    )
