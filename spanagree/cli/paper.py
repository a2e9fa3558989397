"""Commands for those who write: the chance model by itself, and what to cite."""

from __future__ import annotations

import click

import spanagree as sa
from spanagree.cli.group import spanagree
from spanagree.cli.options import (
    chance_option,
    explain_option,
    form_option,
    output_option,
    plot_option,
    table_option,
    whole_number_in,
)
from spanagree.cli.outputs import check_output, check_plot_file, put, write_result
from spanagree.report.citation import CITED, cited, settings_in


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
    from spanagree.report import start_distributions as report

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
        from spanagree.report.plots import write_starts

        write_starts(plot, length, lengths, start, report.signature_of(chance))


@spanagree.command()
@click.argument("result", required=False, metavar="[RESULT]")
@table_option("--format", CITED, "text", "How it is written.")
@output_option
def cite(result: str | None, format: str, output: str | None) -> None:  # noqa: A002 — as the option
    """A methods paragraph with the settings used, and the references that it needs.

    RESULT is the signature that stands below a table, or a file of --format json; `-` is standard
    input. Without it: a general sentence, and all references.

    \b
    spanagree cite 'match:exact|chance:nonoverlapping|average:micro|spanagree:0.1.0'
    spanagree cite report.json
    """
    check_output(output, () if result is None else (result,))
    put(output, cited(None if result is None else settings_in(result), format))
