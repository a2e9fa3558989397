"""Test whether a candidate, such as a model, may replace an annotator.

This is the alternative annotator test of Calderon, Reichart and Dror.

FILE holds annotators and the candidate as layers; with --table it is a table of labels.

\b
spanagree replace crowd.jsonl --candidate model --epsilon 0.1 --match token
spanagree replace labels.csv --table --candidate model --epsilon 0.2 --by annotator
"""

from __future__ import annotations

from dataclasses import replace as with_other
from typing import Any

import click

import spanagree as sa
from spanagree.choices import BY, LabelScore, names_of
from spanagree.cli import options
from spanagree.cli.job import Job, command
from spanagree.cli.label_tables import label_file, label_options
from spanagree.cli.progress import progress

_CANDIDATE = "Ask whether this layer may replace an annotator."
_EPSILON = "Let an annotator be better by X before the candidate loses."
_TABLE = "Read a table of labels, not spans."
_SCORE = "Choose how items are scored."
_OF_SPANS = ("match", "chance")


@command(
    options.FILES,
    options.comparing(
        options.option("--candidate", _CANDIDATE, metavar="NAME", required=True),
        options.option("--epsilon", _EPSILON, type=float, metavar="X", required=True),
        options.annotators("Ask whether it may replace one of these annotators."),
        options.by(BY["ReplacementTest"]),
    ),
    options.group(
        "Tables",
        options.flag("--table", _TABLE),
        options.option("--score", _SCORE, choices=names_of(LabelScore), default="accuracy"),
    ),
    label_options(),
    options.reading(but=("--annotator",)),
    options.output(),
    first="--candidate --epsilon --annotators --match --chance --by"
    " --table --from --format --output --plot",
)
def replace(job: Job, candidate: str, by: str | None, table: bool, **settings: Any) -> None:
    job.check_picture(sa.ReplacementTest, by)
    labels = dict(job.labels)
    if table:
        source = click.get_current_context().get_parameter_source
        for name in _OF_SPANS:
            if source(name) is not click.core.ParameterSource.DEFAULT:
                raise click.UsageError(f"{options.written(name)} is for spans; not with --table")
        annotations: sa.Corpus | sa.LabelTable = label_file(job, labels, {})
    else:
        column = labels.pop("annotator")
        if unfit := options.given(labels):
            name = options.written(next(iter(unfit)))
            raise click.UsageError(f"{name} is for a table of labels; give --table too")
        job = with_other(job, reading={**job.reading, "annotator": column})
        annotations, candidate = job.read(), str(job.layer(candidate))
    how = {**settings, "progress": progress("comparing")}
    job.show(sa.replacement_test(annotations, candidate, **how), by)
