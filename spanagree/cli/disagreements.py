"""The command disagreements."""

from __future__ import annotations

import click

import spanagree as sa
from spanagree.cli import options
from spanagree.cli.job import Job, command
from spanagree.errors import counted, printable
from spanagree.matching.pairing import KINDS
from spanagree.rendering.data import to_jsonl


@command(
    options.FILES,
    options.group(
        "Comparing",
        options.option(
            "--between",
            nargs=2,
            metavar="A B",
            unless="if there are two, these",
            help="Compare these two annotators.",
        ),
        options.option(
            "--kind",
            metavar="KIND,...",
            unless="all",
            help=f"List disagreements of these kinds: {', '.join(KINDS)}.",
        ),
        options.option(
            "--no-text", is_flag=True, help="Give offsets and labels, and no word of the texts."
        ),
    ),
    options.output(("text", "csv", "jsonl", "json"), explain=False),
    options.reading(),
)
def disagreements(
    job: Job, between: tuple[str, str] | None, kind: str | None, no_text: bool
) -> None:
    """List where two annotators part, segment by segment.

    \b
    spanagree disagreements gold.conll mine.conll --between gold.conll mine.conll
    spanagree disagreements crowd.jsonl --between ann bob --kind boundary,label
    """
    corpus = job.read()
    if between is None and len(corpus.layers) != 2:
        raise click.UsageError(
            f"--between: {counted(len(corpus.layers), 'layer')}; two of them are needed:"
            f" {', '.join(map(printable, corpus.annotators))}"
        )
    a, b = (str(job.layer(name)) for name in between or corpus.annotators)
    result = sa.disagreements(corpus, a, b, kinds=options.names_in(kind), text=not no_text)
    if job.format == "jsonl":
        job.put(to_jsonl(result.to_rows()))
        job.finish(result, result.notes)
    else:
        job.show(result)
