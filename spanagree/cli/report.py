"""Write one HTML file: figures, charts, and every document with the segments of any two.

\b
spanagree report gold.conll mine.conll yours.conll -o report.html
spanagree report crowd.jsonl --team -o report.html
spanagree report crowd.jsonl --systems mine,yours --match token -o report.html
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import spanagree as sa
from spanagree.cli import options
from spanagree.cli.baselines import against_gold, against_people, baseline, drawing
from spanagree.cli.first_layer import with_gold_noted
from spanagree.cli.job import CommandContext, command, say
from spanagree.cli.progress import progress
from spanagree.cli.references import chosen_sides, sides
from spanagree.cli.slices import naming_views, sources
from spanagree.cli.together import declared, excludes
from spanagree.errors import escape_name

_BY = (
    "Add the figures of each value of a column of the files, of a table with ids (FILE:COLUMN), of"
    " a pattern's group in ids, or of each length of segments: length."
)
_FILE = "Write the report to this file."
_TEAM = "Compare annotators with each other, without gold."
_ONE_SUBJECT = "a report is on systems against gold, on a team, or on systems against annotators"


@command(
    options.FILES,
    options.group("Output", options.option("-o --output", _FILE, metavar="HTML", required=True)),
    options.comparing(
        *declared([options.gold()], excludes("team references systems", _ONE_SUBJECT)),
        options.flag("--team", _TEAM, together=[excludes("references systems", _ONE_SUBJECT)]),
        *sides(),
        baseline(),
        options.beta(),
        options.option("--by", _BY, metavar="COLUMN"),
        options.flag("--measures", "Put α_U and γ of a team beside F1; γ takes a while."),
    ),
    options.reading(),
)
def report(
    job: CommandContext,
    gold: str | None = None,
    team: bool = False,
    baseline: list[str] | None = None,
    **settings: Any,
) -> None:
    path = str(job.file)
    if (suffix := Path(path).suffix.lower()) not in ("", ".html", ".htm"):
        raise click.UsageError(f"-o: a report is HTML; {escape_name(suffix)} is not its extension")
    corpus = job.read()
    chosen, named = chosen_sides(job, corpus, settings), job.layer(gold, corpus)
    settings = {name: value for name, value in settings.items() if name not in chosen}
    if not (team or chosen):
        corpus = with_gold_noted(job, corpus, named, "--team")
    if baseline and chosen:
        corpus, chosen = against_people(corpus, chosen, baseline, **drawing(job, settings))
    elif baseline:
        corpus = against_gold(corpus, named, baseline, **drawing(job, settings))
    progress("making the report")
    if job.by is not None:
        chosen |= {"group_by": job.by, "source": sources(job)}
    with naming_views():
        sa.write_report(corpus, path, gold=named, team=team, **chosen, **settings)
    job.wrote(path)
    say(corpus.notes)
