"""Compare error spans by the share that matched spans cover (MPP), and say what chance gives.

The first annotator is gold. Labels count only by their weights and by the penalty.

\b
spanagree partial-credit gold.jsonl system.jsonl
spanagree partial-credit raters.jsonl --between rater1 rater2 --severity-penalty 0.5
spanagree partial-credit gold.jsonl system.jsonl --label-weights major=1,minor=0.2
"""

from __future__ import annotations

from typing import Any

import click

import spanagree as sa
from spanagree.cli import options
from spanagree.cli.job import Job, command
from spanagree.cli.progress import progress
from spanagree.errors import counted

_FUNCTION = "spanagree.comparisons.credit_by_share.partial_credit"
_BETWEEN = "Compare B with A, who is gold."
_WEIGHTS = "Let labels weigh so much; a pair weighs as its lighter segment."


@command(
    options.FILES,
    options.group(
        "Comparing",
        options.option("--between", _BETWEEN, nargs=2, metavar="A B", unless="the two there are"),
        options.option(
            "--label-weights", _WEIGHTS, metavar="LABEL=X,...", read=options.weights_in,
            unless="1 each",
        ),
        *options.of(_FUNCTION, "severity_penalty", "macro", "chance", "draws", "seed"),
    ),
    options.reading(),
    options.output(),
)  # fmt: skip
def partial_credit(job: Job, between: tuple[str, str] | None = None, **settings: Any) -> None:
    corpus = job.read()
    if between is None and len(corpus.layers) != 2:
        number = counted(len(corpus.layers), "annotator")
        raise click.UsageError(f"{number}; two are compared; name them: --between A B")
    a, b = (str(job.layer(name, corpus)) for name in between or corpus.annotators)
    progress("comparing")
    job.show(sa.comparisons.partial_credit(corpus, a, b, **settings))
