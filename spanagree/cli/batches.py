"""The agreement of batches: what ``agree --batches`` computes and shows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import click

import spanagree as sa
from spanagree.cli import options
from spanagree.cli.job import Job

FILES = "files"
"""The value of ``--batches`` by which each FILE is a batch."""

_PURPOSE = (
    "Compare batches: N in the order of the documents, a pattern in their ids, a table (FILE or"
    " FILE:COLUMN)"
)


def batches_option(files: bool = True) -> options.Option:
    """Return the option of batches; ``files`` says whether each FILE may be one."""
    purpose = _PURPOSE + (f", or {FILES}: each FILE is one." if files else ".")
    return options.option("--batches", purpose, metavar="N|PATTERN|FILE")


def show_batches(job: Job, by: str, settings: Mapping[str, Any]) -> None:
    """Compare batches, and show what changed."""
    ask = {**settings, **job.intervals, **job.drawing}
    if by != FILES:
        result = sa.project.batches(job.read(), by, **ask)
    else:
        if len(job.paths) < 2:
            raise click.UsageError(f"--batches {FILES}: one FILE; two of them are needed")
        alone = {name: replace(job, files=(path,)) for name, path in job.paths.items()}
        result = sa.project.batches({name: single.read() for name, single in alone.items()}, **ask)
    job.show(result)
