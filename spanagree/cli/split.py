"""The command split."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

import spanagree as sa
from spanagree.cli.difficulty import find_difficulty
from spanagree.cli.group import spanagree
from spanagree.cli.job import read_corpus, say
from spanagree.cli.options import (
    chance_option,
    files_argument,
    layers_in,
    levels_asked,
    levels_options,
    reading_options,
    table_option,
)
from spanagree.errors import InputError, counted, printable
from spanagree.levels.split_folder import WRITERS, check_folder, write_split
from spanagree.matching.measures import MATCHES


@spanagree.command()
@files_argument
@click.option("-o", "--output", metavar="DIR", required=True, help="The folder to write into.")
@table_option("--to", WRITERS, "jsonl", "The format of the parts.")
@click.option("--force", is_flag=True, help="Write into a folder that is not empty.")
@click.option("--gold", metavar="NAME", help="By this gold layer.")
@click.option("--annotators", metavar="NAME,...", help="By this team.  [default: all]")
@table_option("--match", MATCHES, "exact", "What counts as agreement.")
@chance_option
@levels_options
@reading_options
def split(
    files: tuple[str, ...],
    output: str,
    to: str,
    force: bool,
    gold: str | None,
    annotators: str | None,
    match: str,
    chance: str,
    **reading: Any,
) -> None:
    """Split a corpus into levels of difficulty, the easiest first; every annotator stays.

    \b
    spanagree split gold.conll mine.conll --gold gold.conll --at 0.825 -o parts
    """
    folder = check_folder(output, force=force)
    for path in layers_in(files).values():
        if folder in Path(os.path.realpath(path)).parents:
            raise InputError(
                f"{printable(path)}: is an input in the folder {printable(output)}; write the parts"
                " into another"
            )
    ways = levels_asked(reading)
    corpus, layers = read_corpus(files, reading, None)
    hard = find_difficulty(corpus, layers, gold, annotators, match, chance)
    parts = sa.split(corpus, hard, **ways)
    write_split(parts, output, to, force=force)
    for part in parts.to_dict()["parts"]:
        span = "" if part["from"] is None else f", {part['from']:.4f}–{part['to']:.4f}"
        say([f"{part['name']}: {counted(part['documents'], 'document')}{span}"])
    say(parts.notes)
