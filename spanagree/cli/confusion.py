"""Show which labels are confused, with nothing as a label of its own.

\b
spanagree confusion crowd.jsonl --between ann bob
spanagree confusion crowd.jsonl --rest dia --shares
spanagree confusion crowd.jsonl --expected
"""

from __future__ import annotations

import click

import spanagree as sa
from spanagree.cli import options
from spanagree.cli.job import Job, command

_BETWEEN = "Compare the labels of these two annotators."
_REST = "Compare the labels of this annotator with those of all others."
_UNLESS = "if there are two, these; else the team"


@command(
    options.FILES,
    options.group(
        "Comparing",
        options.option("--between", _BETWEEN, nargs=2, metavar="A B", unless=_UNLESS),
        options.option("--rest", _REST, metavar="A"),
        options.flag("--shares", "Show shares of each row instead of numbers."),
        options.flag(
            "--expected", "List the labels that are confused, and how often chance would."
        ),
    ),
    options.output(explain=False),
    options.reading(),
    first="--between --rest --shares --chance --from --columns --format --output --plot",
)
def confusion(
    job: Job, between: tuple[str, str] | None, rest: str | None, shares: bool, expected: bool
) -> None:
    if shares and expected:
        raise click.UsageError("--shares and --expected; choose one of them")
    by = "share" if shares else "pair" if expected else None
    job.check_picture(sa.Confusion, by)
    if between and rest:
        raise click.UsageError("--between and --rest; choose one of them")
    corpus = job.read()
    asked = between or ([rest] if rest else corpus.annotators if len(corpus.layers) == 2 else ())
    names = (str(job.layer(name)) for name in asked)
    job.show(sa.confusion(corpus, *names), by)
