"""Merge the tallies of parts of a corpus: the report of one run over all of it.

Each PART is a file that evaluate --tallies wrote.

\b
spanagree evaluate gold=gold-1.conll mine=mine-1.conll --tallies part-1.parquet
spanagree evaluate gold=gold-2.conll mine=mine-2.conll --tallies part-2.parquet
spanagree merge part-*.parquet
"""

from __future__ import annotations

import click

import spanagree as sa
from spanagree.choices import BY, Test, names_of
from spanagree.cli import options
from spanagree.cli.job import Job, command, say
from spanagree.cli.progress import progress


@command(
    click.Argument(["files"], nargs=-1, required=True, metavar="PART..."),
    options.group("Comparing", options.by(BY["Evaluation"])),
    options.certainty(
        options.option("--test", "Test all pairs of systems.", choices=names_of(Test)), whole=False
    ),
    options.output(),
    first="--by --ci --test --confidence --resamples --seed"
    " --interval --format --output --plot --explain",
)
def merge(job: Job, by: str | None, test: str | None) -> None:
    if test is None:
        job.check_picture(sa.Evaluation, by)
    drawing = job.drawing(test, by)
    progress("reading")
    result = sa.read_tallies(job.files)
    progress("resampling")
    if drawing.pop("ci", False):
        result = sa.with_intervals(result, **drawing)
    tested = test and sa.compare_systems(result, test=test, **drawing)
    if by == "document":
        say(
            [
                "z and p of documents need their segments, which files of tallies do not hold;"
                " evaluate the corpus itself --by document"
            ]
        )
    job.show(result, by, test=tested)
