"""List where two annotators part, segment by segment.

\b
spanagree disagreements gold.conll mine.conll --between gold.conll mine.conll
spanagree disagreements crowd.jsonl --between ann bob --kind boundary,label
"""

from __future__ import annotations

import click

import spanagree as sa
from spanagree.cli import options
from spanagree.cli.job import Job, command
from spanagree.errors import counted, listed
from spanagree.matching.pairing import KINDS

_BETWEEN = "Compare these two annotators."
_IF_TWO = "if there are two, these"
_KINDS = f"List disagreements of these kinds: {', '.join(KINDS)}."


@command(
    options.FILES,
    options.group(
        "Comparing",
        options.option("--between", _BETWEEN, nargs=2, metavar="A B", unless=_IF_TWO),
        options.option("--kind", _KINDS, metavar="KIND,...", unless="all", read=options.names_in),
        options.flag("--no-text", "Give offsets and labels, and no word of the texts."),
    ),
    options.output(("text", "csv", "jsonl", "json"), explain=False),
    options.reading(),
)
def disagreements(
    job: Job, between: tuple[str, str] | None, kind: list[str] | None, no_text: bool
) -> None:
    corpus = job.read()
    if between is None and len(corpus.layers) != 2:
        several = f"give --between A B, of {listed(corpus.annotators)}"
        raise click.UsageError(
            f"--between: {counted(len(corpus.layers), 'layer')}; two of them are needed;"
            f" {several if len(corpus.layers) > 1 else 'pass a second file'}"
        )
    a, b = (str(job.layer(name)) for name in between or corpus.annotators)
    job.show(sa.disagreements(corpus, a, b, kinds=kind, text=not no_text))
