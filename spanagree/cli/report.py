"""Write an HTML report: figures, charts, and all documents with segments of any two annotators.

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
from spanagree.cli.baselines import (
    add_gold_baselines,
    add_reference_baselines,
    build_baseline_option,
    select_draw_settings,
)
from spanagree.cli.command import command
from spanagree.cli.comparison_options import (
    build_beta_option,
    build_comparison_options,
    build_gold_option,
)
from spanagree.cli.first_layer import add_first_layer_note
from spanagree.cli.job import CommandContext
from spanagree.cli.option_rules import add_rules, exclude_terms
from spanagree.cli.outputs import show_notes
from spanagree.cli.progress import start_progress
from spanagree.cli.reading_options import build_reading_options
from spanagree.cli.references import build_side_options, resolve_sides
from spanagree.cli.slices import list_views_in_errors
from spanagree.errors import escape_name

_BY = (
    "Add figures for each value of a column of the files, of a table with ids (FILE:COLUMN), of a"
    " pattern's group in ids, or for each length of segments: length."
)
_FILE = "File of the report."
_TEAM = "Compare annotators with each other, without gold."
_SIDES = "references systems"
_SLICED = "slices are of systems against one gold, or of a team"
_ONE_SUBJECT = "a report shows systems against gold, a team, or systems against annotators"


@command(
    options.FILES,
    options.group_options(
        "Output", options.build_option("-o --output", _FILE, metavar="HTML", required=True)
    ),
    build_comparison_options(
        *add_rules([build_gold_option()], exclude_terms("team references systems", _ONE_SUBJECT)),
        options.build_flag("--team", _TEAM, rules=[exclude_terms(_SIDES, _ONE_SUBJECT)]),
        *build_side_options(),
        build_baseline_option(),
        build_beta_option(),
        options.build_option("--by", _BY, metavar="COLUMN", rules=[exclude_terms(_SIDES, _SLICED)]),
        options.build_flag("--measures", "Show α_U and γ of a team next to F1; γ takes a while."),
    ),
    build_reading_options(),
)
def report(
    job: CommandContext,
    gold: str | None = None,
    team: bool = False,
    baseline: list[str] | None = None,
    **settings: Any,
) -> None:
    """Write an HTML report.

    Args:
        job: context of the command.
        gold: name of the gold layer. Default: the first.
        team: True to compare annotators with each other.
        baseline: names of baselines to add as systems.
        settings: other arguments of :func:`spanagree.write_report`.
    """
    path = str(job.file)
    if (suffix := Path(path).suffix.lower()) not in ("", ".html", ".htm"):
        raise click.UsageError(f"-o: a report is HTML; {escape_name(suffix)} is not its extension")
    corpus = job.read_corpus()
    report_settings, gold_name = (
        resolve_sides(job, corpus, settings),
        job.resolve_layer(gold, corpus),
    )
    settings = {name: value for name, value in settings.items() if name not in report_settings}
    if not (team or report_settings):
        corpus = add_first_layer_note(job, corpus, gold_name, "--team")
    if baseline and report_settings:
        corpus, report_settings = add_reference_baselines(
            corpus, report_settings, baseline, **select_draw_settings(job, settings)
        )
    elif baseline:
        corpus = add_gold_baselines(
            corpus, gold_name, baseline, **select_draw_settings(job, settings)
        )
    start_progress("making the report")
    if job.by is not None:
        report_settings |= {"group_by": job.by, "source": job.list_files()}
    with list_views_in_errors():
        sa.write_report(corpus, path, gold=gold_name, team=team, **report_settings, **settings)
    job.record_output(path)
    show_notes(corpus.notes)
