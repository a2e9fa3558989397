"""The command merge."""

from __future__ import annotations

from typing import Any

import click

import spanagree as sa
from spanagree.cli.group import spanagree
from spanagree.cli.job import check_output, check_plot_file, draw_plot, show_evaluation
from spanagree.cli.options import (
    certainty_asked,
    certainty_options,
    explain_option,
    form_option,
    output_option,
    plot_option,
    table_option,
)
from spanagree.evaluation.compare_systems import TESTS
from spanagree.evaluation.result import BY


@spanagree.command()
@click.argument("files", nargs=-1, required=True, metavar="PART...")
@table_option("--by", BY, None, "A row for each of these.")
@certainty_options
@table_option("--test", TESTS, None, "Pairs of systems.")
@form_option
@plot_option
@explain_option
@output_option
def merge(
    files: tuple[str, ...],
    by: str | None,
    test: str | None,
    format: str,  # noqa: A002 — named as the option
    plot: str | None,
    output: str | None,
    **options: Any,
) -> None:
    """Merge the tallies of parts of a corpus: the report of one run over all of it.

    Each PART is a file that evaluate --tallies wrote.

    \b
    spanagree evaluate gold=gold-1.conll mine=mine-1.conll --tallies part-1.parquet
    spanagree evaluate gold=gold-2.conll mine=mine-2.conll --tallies part-2.parquet
    spanagree merge part-*.parquet
    """
    certainty = certainty_asked(options, test)
    check_output(output, files)
    check_plot_file(plot, output, files)
    result = sa.read_tallies(files)
    if certainty.pop("ci", False):
        result = sa.with_intervals(result, **certainty)
    tested = None if test is None else sa.compare_systems(result, test=test, **certainty)
    show_evaluation(output, format, result, by, tested)
    draw_plot(plot, tested or result)
