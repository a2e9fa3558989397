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
from spanagree.choices import BY, Writable, names_of
from spanagree.cli import options
from spanagree.cli.job import Job, command
from spanagree.cli.progress import progress

_WRITE = "Write the corpus with the new annotator to this file."
_ALONE = "Write the new annotator alone."


@command(
    options.FILES,
    options.group(
        "Voting", *options.of("spanagree.project.gold.make_gold"), options.by(BY["Gold"])
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
def gold(
    job: Job, by: str | None = None, to: str | None = None, alone: bool = False, **settings: Any
) -> None:
    from spanagree.formats.registry import form_to_write, write_file

    path = job.output
    if path == "-":
        raise click.UsageError("-o: gold writes a file, and - is not one")
    to = form_to_write(path, to) if path is not None else None
    job.check_picture(sa.Gold, by)
    result = sa.make_gold(job.read(), **settings)
    if path is not None:
        progress("writing")
        corpus = result.corpus.of_annotators([result.name]) if alone else result.corpus
        more = {"fields": {"support": result.support()}} if to == "jsonl" else {}
        write_file(corpus, path, to, more)
        job.wrote(path)
    replace(job, output=None).show(result, by)
