"""Write one HTML file: figures, charts, and every document with the segments of any two.

\b
spanagree report gold.conll mine.conll yours.conll -o report.html
spanagree report crowd.jsonl --team -o report.html
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import spanagree as sa
from spanagree.cli import options
from spanagree.cli.job import Job, command, say
from spanagree.cli.progress import progress
from spanagree.errors import printable

_FILE = "Write the report to this file."


@command(
    options.FILES,
    options.group("Output", options.option("-o --output", _FILE, metavar="HTML", required=True)),
    options.comparing(
        options.gold(),
        options.flag("--team", "Compare annotators with each other, without gold."),
        options.flag("--measures", "Put α_U and γ of a team beside F1; γ takes a while."),
    ),
    options.reading(),
)
def report(job: Job, gold: str | None, **settings: Any) -> None:
    path = str(job.output)
    if path == "-":
        raise click.UsageError("-o: report writes a file, and - is not one")
    if (suffix := Path(path).suffix.lower()) not in ("", ".html", ".htm"):
        raise click.UsageError(f"-o: a report is HTML; {printable(suffix)} is not its extension")
    corpus = job.read()
    progress("making the report")
    sa.write_report(corpus, path, gold=job.layer(gold), **settings)
    job.wrote(path)
    say(corpus.notes)
