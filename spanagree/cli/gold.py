"""Create a gold annotation by votes of many annotators, and list segments to adjudicate.

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
from spanagree.choices import BY, Writable, list_names
from spanagree.cli import options
from spanagree.cli.command import command
from spanagree.cli.comparison_options import build_view_option
from spanagree.cli.job import CommandContext
from spanagree.cli.option_rules import add_rules, require_terms
from spanagree.cli.output_options import build_corpus_output_options, build_output_options
from spanagree.cli.progress import start_progress
from spanagree.cli.reading_options import build_reading_options
from spanagree.cli.worklists import (
    build_worklist_options,
    check_worklist,
    pop_worklist_settings,
    write_worklist,
)
from spanagree.errors import escape_path, pluralize

_TABLES = (".csv", ".md", ".tex")  # no format of annotations has these endings
_WRITE = "File of the gold annotation; a file in .csv, .md or .tex gets the table instead."
_KEEP = "With --output, write the annotators too."


@command(
    options.FILES,
    options.group_options(
        "Voting",
        *options.build_options_from_function("spanagree.project.gold.make_gold"),
        build_view_option(BY["Gold"]),
    ),
    options.group_options(
        "Writing",
        *add_rules(
            [
                *build_corpus_output_options(
                    _WRITE, list_names(Writable), "by extension", metavar="OUT"
                ),
                options.build_flag("--keep-annotators", _KEEP),
            ],
            require_terms("output"),
            names="to keep_annotators",
        ),
    ),
    build_worklist_options(),
    [option for option in build_output_options() if option.name != "output"],
    build_reading_options(skip=("--unplaced",)),
)
def gold(
    job: CommandContext,
    to: str | None = None,
    keep_annotators: bool = False,
    worklist: str | None = None,
    **settings: Any,
) -> None:
    """Elect a gold annotation by votes, write it, and show the result.

    Args:
        job: context of the command.
        to: format of the file of gold. Default: by extension.
        keep_annotators: True to write the annotators too.
        worklist: path of the worklist to write, if any.
        settings: other arguments of :func:`spanagree.make_gold`.
    """
    from spanagree.formats.write import choose_format, write_file

    path = job.file
    of_table = path is not None and to is None and path.lower().endswith(_TABLES)
    if path is not None and of_table and keep_annotators:
        raise click.UsageError(
            f"-o {escape_path(path)}: the table goes to such a file, and --keep-annotators is"
            " for files of annotations; leave one out"
        )
    if of_table:
        path = None
    to = choose_format(path, to) if path is not None else None
    job.check_picture(sa.project.Gold)
    if worklist is not None:
        check_worklist(job, worklist)
    worklist_settings = pop_worklist_settings(settings)
    source = job.read_corpus()
    result = sa.make_gold(source, **settings)
    if path is not None:
        start_progress("writing")
        corpus = (
            result.corpus if keep_annotators else result.corpus.select_annotators([result.name])
        )
        writer_options = {"fields": {"support": result.support()}} if to == "jsonl" else {}
        write_file(corpus, path, to, writer_options)
        job.record_output(path)
    notes = [] if job.by is not None else _write_weighting_note(source, result, settings)
    additional = {}
    if worklist is not None:
        additional["worklist"] = write_worklist(job, result, worklist, worklist_settings)
        new_notes = (note for note in additional["worklist"].notes if note not in result.notes)
        notes += [additional["worklist"].verdict, *new_notes]
    (job if of_table else replace(job, output=None)).show_result(
        result, additional=additional, notes=notes
    )


def _write_weighting_note(
    corpus: sa.Corpus, result: sa.project.Gold, settings: dict[str, Any]
) -> list[str]:
    """Write a note on the segments that weighted votes would add or remove.

    The list is empty if votes are weighted already, or fewer than three annotators vote.

    Args:
        corpus: annotators as layers.
        result: gold by unweighted votes.
        settings: arguments of :func:`spanagree.make_gold`.
    """
    if result.vote == "dawid-skene" or settings.get("weighted") or len(result.voters) < 3:
        return []
    weighted_result = sa.make_gold(corpus, **{**settings, "vote": result.vote, "weighted": True})
    first, second = (
        {
            (layer.document[i], layer.start[i], layer.end[i], layer.label[i])
            for i in range(len(layer))
        }
        for layer in (result.layer, weighted_result.layer)
    )
    difference = pluralize(len(first ^ second), "segment")
    return [f"--weighted would add or remove {difference}"]
