"""Make a gold annotation by the votes of many annotators, and list what is left to decide.

\b
spanagree gold crowd.jsonl -o gold.jsonl
spanagree gold crowd.jsonl --share 0.4 --by adjudicate
spanagree gold crowd.jsonl --by adjudicate -o open.csv
spanagree gold crowd.jsonl --worklist work.csv --limit 20
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click

import spanagree as sa
from spanagree.choices import BY, Writable, names_of
from spanagree.cli import options
from spanagree.cli.job import CommandContext, command
from spanagree.cli.progress import progress
from spanagree.cli.together import declared, needs
from spanagree.cli.worklists import check_worklist, taken, worklist_options, write_worklist
from spanagree.errors import pluralize, printable_path

_TABLES = (".csv", ".md", ".tex")  # no format of annotations has these endings
_WRITE = "Write the gold annotation to this file; to one in .csv, .md or .tex the table instead."
_BESIDE = "With --output, write the annotators too."


@command(
    options.FILES,
    options.group(
        "Voting", *options.of("spanagree.project.gold.make_gold"), options.by(BY["Gold"])
    ),
    options.group(
        "Writing",
        *declared(
            [
                *options.into(_WRITE, names_of(Writable), "by extension", metavar="OUT"),
                options.flag("--keep-annotators", _BESIDE),
            ],
            needs("output"),
            names="to keep_annotators",
        ),
    ),
    worklist_options(),
    [option for option in options.output() if option.name != "output"],
    options.reading(but=("--unplaced",)),
)
def gold(
    job: CommandContext,
    to: str | None = None,
    keep_annotators: bool = False,
    worklist: str | None = None,
    **settings: Any,
) -> None:
    from spanagree.formats.write import form_to_write, write_file

    path = job.file
    of_table = path is not None and to is None and path.lower().endswith(_TABLES)
    if path is not None and of_table and keep_annotators:
        raise click.UsageError(
            f"-o {printable_path(path)}: the table goes to such a file, and --keep-annotators is"
            " for files of annotations; leave one out"
        )
    if of_table:
        path = None
    to = form_to_write(path, to) if path is not None else None
    job.check_picture(sa.project.Gold)
    if worklist is not None:
        check_worklist(job, worklist)
    wanted = taken(settings)
    source = job.read()
    result = sa.make_gold(source, **settings)
    if path is not None:
        progress("writing")
        corpus = (
            result.corpus if keep_annotators else result.corpus.select_annotators([result.name])
        )
        more = {"fields": {"support": result.support()}} if to == "jsonl" else {}
        write_file(corpus, path, to, more)
        job.wrote(path)
    notes = [] if job.by is not None else _if_weighted(source, result, settings)
    beside = {}
    if worklist is not None:
        beside["worklist"] = write_worklist(job, result, worklist, wanted)
        new = (note for note in beside["worklist"].notes if note not in result.notes)
        notes += [beside["worklist"].verdict, *new]
    (job if of_table else replace(job, output=None)).show(result, beside=beside, notes=notes)


def _if_weighted(corpus: sa.Corpus, result: sa.project.Gold, settings: dict[str, Any]) -> list[str]:
    """Say what votes that weigh annotators by their agreement would change, if these do not."""
    if result.vote == "dawid-skene" or settings.get("weighted") or len(result.voters) < 3:
        return []
    other = sa.make_gold(corpus, **{**settings, "vote": result.vote, "weighted": True})
    first, second = (
        {(x.document[i], x.start[i], x.end[i], x.label[i]) for i in range(len(x))}
        for x in (result.layer, other.layer)
    )
    changed = pluralize(len(first ^ second), "segment")
    return [f"--weighted would add or remove {changed}"]
