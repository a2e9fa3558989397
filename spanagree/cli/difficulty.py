"""The command difficulty."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from typing import Any

import click

import spanagree as sa
from spanagree.cli.group import spanagree
from spanagree.cli.job import (
    check_plot_file,
    corpus_or_blocks,
    draw_plot,
    explanation,
    in_blocks_asked,
    progress,
    put,
    say,
    show_report,
    worker_processes,
)
from spanagree.cli.options import (
    block_options,
    chance_option,
    explain_option,
    files_argument,
    form_option,
    layer_named,
    layers_in,
    names_in,
    output_option,
    plot_option,
    reading_options,
    table_option,
)
from spanagree.matching.measures import MATCHES


@spanagree.command()
@files_argument
@click.option("--gold", metavar="NAME", help="By this gold layer.")
@click.option("--annotators", metavar="NAME,...", help="By this team.  [default: all]")
@table_option("--match", MATCHES, "exact", "What counts as agreement.")
@chance_option
@block_options
@reading_options
@form_option
@plot_option
@explain_option
@output_option
def difficulty(
    files: tuple[str, ...],
    gold: str | None,
    annotators: str | None,
    match: str,
    chance: str,
    block: int | None,
    workers: int | None,
    on_error: str | None,
    format: str,  # noqa: A002 — named as the option
    plot: str | None,
    output: str | None,
    **reading: Any,
) -> None:
    """Say how hard each document is: 1 − the agreement that luck alone would give on it.

    \b
    spanagree difficulty gold.conll --gold gold.conll
    spanagree difficulty crowd.jsonl
    """
    from spanagree.levels.difficulty_table import as_table, as_text

    check_plot_file(plot, output, layers_in(files).values())
    in_blocks = in_blocks_asked(files, block, workers, on_error)
    corpus, layers = corpus_or_blocks(files, reading, output, in_blocks, block)
    with worker_processes(workers) as executor:
        result = find_difficulty(
            corpus, layers, gold, annotators, match, chance, executor, on_error
        )
    if format == "text":
        explained = explanation(format, [as_table(result)])
        put(output, "\n".join([as_text(result), *explained]))
        say(result.notes)
    else:
        show_report(
            output,
            format,
            result.notes,
            as_dict=result.to_dict,
            as_rows=result.to_rows,
            as_table=lambda: as_table(result),
        )
    draw_plot(plot, result)


def find_difficulty(
    corpus: Any,
    layers: dict[str, str],
    gold: str | None,
    annotators: str | None,
    match: str,
    chance: str,
    executor: ProcessPoolExecutor | None = None,
    on_error: str | None = None,
) -> sa.Difficulty:
    with progress("comparing") as advance:
        return sa.difficulty(
            corpus,
            layer_named(gold, layers),
            annotators=names_in(annotators),
            match=match,
            chance=chance,
            executor=executor,
            on_error=on_error or "raise",
            progress=advance,
        )
