"""The command report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import spanagree as sa
from spanagree.cli.group import spanagree
from spanagree.cli.job import read_corpus, say
from spanagree.cli.options import (
    chance_option,
    files_argument,
    layer_named,
    reading_options,
    table_option,
)
from spanagree.errors import printable
from spanagree.matching.measures import MATCHES


@spanagree.command()
@files_argument
@click.option("-o", "--output", metavar="HTML", required=True, help="The file to write.")
@click.option("--gold", metavar="NAME", help="The gold layer.  [default: the first]")
@click.option("--team", is_flag=True, help="Annotators among each other, without gold.")
@table_option("--match", MATCHES, "exact", "What counts as agreement.")
@chance_option
@reading_options
def report(
    files: tuple[str, ...],
    output: str,
    gold: str | None,
    team: bool,
    match: str,
    chance: str,
    **reading: Any,
) -> None:
    """Write one HTML file: figures, charts, and every document with the segments of any two.

    \b
    spanagree report gold.conll mine.conll yours.conll -o report.html
    spanagree report crowd.jsonl --team -o report.html
    """
    if output == "-":
        raise click.UsageError("-o: report writes a file; - is none")
    if (suffix := Path(output).suffix.lower()) not in ("", ".html", ".htm"):
        raise click.UsageError(f"-o: a report is HTML; {printable(suffix)} is not its extension")
    corpus, layers = read_corpus(files, reading, output)
    gold = layer_named(gold, layers)
    sa.write_report(corpus, output, gold=gold, team=team, match=match, chance=chance)
    say(corpus.notes)
