"""Split a corpus into levels of difficulty, the easiest first, with all annotators.

\b
spanagree split gold.conll mine.conll --gold gold.conll --at 0.825 -o parts
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import spanagree as sa
from spanagree.choices import SplitForm, list_names
from spanagree.cli import options
from spanagree.cli.command import command
from spanagree.cli.comparison_options import build_level_options
from spanagree.cli.difficulty import build_team_options, find_difficulty
from spanagree.cli.job import CommandContext
from spanagree.cli.output_options import build_corpus_output_options
from spanagree.cli.outputs import show_notes
from spanagree.cli.progress import start_progress
from spanagree.cli.reading_options import build_reading_options
from spanagree.errors import InputError, escape_name, pluralize
from spanagree.files import name_output_in_errors


@command(
    options.FILES,
    options.group_options(
        "Output",
        *build_corpus_output_options(
            "Folder of the new files.",
            list_names(SplitForm),
            "jsonl",
            name="-o --output folder",
            metavar="DIR",
            required=True,
        ),
        options.build_flag(
            "--force", "Write into a folder that is not empty; existing files are never replaced."
        ),
    ),
    build_level_options(),
    build_team_options(),
    build_reading_options(),
)
def split(
    job: CommandContext, folder: str, to: str = "jsonl", force: bool = False, **settings: Any
) -> None:
    """Split a corpus into levels of difficulty, and write a file for each level.

    Args:
        job: context of the command.
        folder: path of the folder of the new files.
        to: name of the format.
        force: True to write into a folder that is not empty.
        settings: arguments of :func:`spanagree.difficulty`.
    """
    from spanagree.levels.split_folder import check_folder

    real_folder = check_folder(folder, force=force)
    for path in job.paths.values():
        with name_output_in_errors(escape_name(path), action="read"):
            parents = Path(os.path.realpath(path)).parents
        if real_folder in parents:
            raise InputError(
                f"{escape_name(path)}: is an input in the folder {escape_name(folder)}; write the"
                " parts into another"
            )
    corpus = job.read_corpus()
    subcorpora = sa.split(corpus, find_difficulty(job, corpus, **settings), **job.levels)
    start_progress("writing")
    sa.levels.write_split(subcorpora, folder, to, force=force)
    job.record_output(folder)
    for row in subcorpora.to_dict()["tables"]["parts"]:
        span = "" if row["from"] is None else f", {row['from']:.3f}–{row['to']:.3f}"
        show_notes([f"{row['name']}: {pluralize(row['documents'], 'document')}{span}"])
    show_notes(subcorpora.notes)
