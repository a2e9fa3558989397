"""The command agree."""

from __future__ import annotations

from typing import Any

import click

import spanagree as sa
from spanagree.agreement.result import BY, MIN_SHARED
from spanagree.cli.group import spanagree
from spanagree.cli.job import (
    check_plot_file,
    corpus_or_blocks,
    draw_plot,
    in_blocks_asked,
    progress,
    show_report,
    worker_processes,
)
from spanagree.cli.options import (
    annotators_option,
    block_options,
    certainty_asked,
    certainty_options,
    chance_option,
    explain_option,
    files_argument,
    form_option,
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
@table_option("--match", MATCHES, "exact", "What counts as agreement.")
@chance_option
@table_option("--by", BY, None, "A row for each of these.")
@annotators_option
@click.option(
    "--min-shared",
    type=int,
    metavar="N",
    default=MIN_SHARED,
    show_default=True,
    help="Mark pairs that share fewer documents.",
)
@block_options
@certainty_options
@reading_options
@form_option
@plot_option
@explain_option
@output_option
def agree(
    files: tuple[str, ...],
    match: str,
    chance: str,
    by: str | None,
    annotators: str | None,
    min_shared: int,
    block: int | None,
    workers: int | None,
    on_error: str | None,
    format: str,  # noqa: A002 — named as the option
    plot: str | None,
    output: str | None,
    **reading: Any,
) -> None:
    """Say how far annotators agree with each other, raw and beyond luck.

    Every pair is compared over the documents that both saw.

    \b
    spanagree agree crowd.jsonl --by annotator
    spanagree agree ann.conll bob.conll --match token
    """
    from spanagree.agreement.table import as_table

    check_plot_file(plot, output, layers_in(files).values())
    certainty = certainty_asked(reading)
    in_blocks = in_blocks_asked(files, block, workers, on_error)
    if in_blocks and by == "document":
        raise click.UsageError("blocks keep no single documents, which --by document needs")
    corpus, _ = corpus_or_blocks(files, reading, output, in_blocks, block)
    with worker_processes(workers) as executor, progress("comparing") as advance:
        result = sa.agree(
            corpus,
            match=match,
            chance=chance,
            annotators=names_in(annotators),
            min_shared=min_shared,
            executor=executor,
            on_error=on_error or "raise",
            progress=advance,
            **certainty,
        )
    show_report(
        output,
        format,
        result.notes,
        as_dict=lambda: result.to_dict(by),
        as_rows=lambda: result.to_rows(by),
        as_table=lambda: as_table(result, by),
    )
    draw_plot(plot, result)
