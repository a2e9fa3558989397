"""Make a gold annotation by the votes of many annotators, and list what is left to decide.

\b
spanagree gold crowd.jsonl -o gold.jsonl
spanagree gold crowd.jsonl --share 0.4 --by adjudicate
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

import spanagree as sa
from spanagree.choices import BY, MIN_ANNOTATORS, Vote, Writable, names_of
from spanagree.cli import options
from spanagree.cli.job import Job, command
from spanagree.cli.progress import progress

_VOTE = "Choose what is voted on."
_SHARE = "Take what at least this share of those who saw a document marked."
_LEAST = "Vote on documents that N annotators or more saw."
_WEIGHTED = "Weigh annotators by how far they agree with the others."
_WRITE = "Write the corpus with the new layer to this file."
_ALONE = "Write the new layer alone."


@command(
    options.FILES,
    options.group(
        "Voting",
        options.option("--vote", _VOTE, choices=names_of(Vote), unless="dawid-skene"),
        options.option("--share", _SHARE, type=float, metavar="X", unless="more than half"),
        options.number("--min-annotators", _LEAST, default=MIN_ANNOTATORS),
        options.flag("--weighted", _WEIGHTED),
        options.annotators("Let only these annotators vote."),
        options.option("--name", "Call the new layer so.", metavar="NAME", unless="after the vote"),
        options.by(BY["Gold"]),
    ),
    options.group(
        "Writing",
        options.option("-o --output", _WRITE, metavar="OUT"),
        options.option(
            "--to", "Write OUT in this format.", choices=names_of(Writable), unless="by extension"
        ),
        options.flag("--alone", _ALONE),
    ),
    [option for option in options.output() if option.name != "output"],
    options.reading(),
    first="--vote --share --min-annotators --weighted --annotators --name --by"
    " --output --to --alone --from --format",
)
def gold(job: Job, by: str | None, to: str | None, alone: bool, **settings: Any) -> None:
    from spanagree.formats.registry import form_to_write, write_file

    path = job.output
    if path is None and (to or alone):
        raise click.UsageError(f"{'--to' if to else '--alone'} is for what -o writes; name OUT too")
    if path == "-":
        raise click.UsageError("-o: gold writes a file, and - is not one")
    to = form_to_write(path, to) if path is not None else None
    job.check_picture(sa.Gold, by)
    result = sa.gold(job.read(), **settings)
    if path is not None:
        progress("writing")
        corpus = result.corpus.of_annotators([result.name]) if alone else result.corpus
        more = {"fields": {"support": result.support()}} if to == "jsonl" else {}
        write_file(corpus, path, to, more)
        job.wrote(path)
    replace(job, output=None).show(result, by)
