"""List where annotators part, segment by segment: two of them, or all, the worst documents first.

\b
spanagree disagreements crowd.jsonl --format csv -o queue.csv --bom --safe-cells
spanagree disagreements gold.conll mine.conll
spanagree disagreements crowd.jsonl --between ann bob --kind boundary,label
"""

from __future__ import annotations

from typing import Any

import click
from click.core import ParameterSource

import spanagree as sa
from spanagree.choices import BY, DisputeSort, Kind, names_of
from spanagree.cli import options
from spanagree.cli.job import Job, command
from spanagree.cli.progress import progress
from spanagree.errors import counted

_BETWEEN = "Compare these two annotators."
_UNLESS = "if there are two, these; else all"
_KINDS = f"List disagreements of two annotators of these kinds: {', '.join(names_of(Kind))}."
_SORT = "Rank documents by this, worst first."


@command(
    options.FILES,
    options.group(
        "Two annotators",
        options.option("--between", _BETWEEN, nargs=2, metavar="A B", unless=_UNLESS),
        options.option("--kind", _KINDS, metavar="KIND,...", unless="all", read=options.names_in),
    ),
    options.comparing(
        options.option("--sort", _SORT, choices=names_of(DisputeSort), default="disagreement"),
        options.by(BY["Disputes"]),
        options.flag("--no-text", "Give offsets and labels, and no word of the texts."),
    ),
    options.output(("text", "csv", "jsonl", "json"), explain=False),
    options.reading(),
    first="--between --kind --by --sort --match --no-text"
    " --from --columns --format --output --plot",
)
def disagreements(
    job: Job,
    between: tuple[str, str] | None,
    kind: list[str] | None,
    no_text: bool,
    by: str | None,
    **settings: Any,
) -> None:
    corpus = job.read()
    if len(corpus.layers) < 2:
        layers = counted(len(corpus.layers), "layer")
        raise click.UsageError(f"{layers}; two annotators are needed; pass a second file")
    if between is None and len(corpus.layers) > 2:
        if kind is not None:
            raise click.UsageError("--kind is for two annotators; give --between A B too")
        job.check_picture(sa.Disputes, by)
        queue = sa.disputes(corpus, text=not no_text, progress=progress("comparing"), **settings)
        job.show(queue, by)
        return
    source = click.get_current_context().get_parameter_source
    for name in (*settings, "by", "overlap_at"):
        if source(name) is not ParameterSource.DEFAULT:
            raise click.UsageError(
                f"{options.written(name)} is for more annotators than two; leave it out"
            )
    a, b = (str(job.layer(name)) for name in between or corpus.annotators)
    job.show(sa.disagreements(corpus, a, b, kinds=kind, text=not no_text))
