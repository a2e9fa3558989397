"""The command chance."""

from __future__ import annotations

import click

import spanagree as sa
from spanagree.cli.group import spanagree
from spanagree.cli.job import check_output, check_plot_file, write_result
from spanagree.cli.options import (
    chance_option,
    explain_option,
    form_option,
    output_option,
    plot_option,
    whole_number_in,
)


@spanagree.command()
@click.option("--length", type=int, required=True, metavar="N", help="Tokens of the document.")
@click.option("--segments", required=True, metavar="N,...", help="Lengths of the segments.")
@chance_option
@form_option
@plot_option
@explain_option
@output_option
def chance(
    length: int,
    segments: str,
    chance: str,
    format: str,  # noqa: A002 — named as the option
    plot: str | None,
    output: str | None,
) -> None:
    """Where the segments of a random annotation start: the chance model by itself.

    \b
    spanagree chance --length 100 --segments 1,5,10,15
    """
    from spanagree.chance import table as report

    check_plot_file(plot, output, ())
    check_output(output, ())
    lengths = [whole_number_in(part, "--segments") for part in segments.split(",")]
    start = sa.start_distribution(length, lengths, chance)
    write_result(
        output,
        format,
        as_dict=lambda: report.as_dict(length, lengths, chance, start),
        as_rows=lambda: report.as_rows(lengths, chance, start),
        as_table=lambda: report.as_table(length, lengths, chance, start),
    )
    if plot is not None:
        from spanagree.rendering.plots import write_starts

        write_starts(plot, length, lengths, start, report.signature_of(chance))
