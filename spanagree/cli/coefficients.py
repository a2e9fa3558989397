"""The command coefficients."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

import spanagree as sa
from spanagree.cli.group import spanagree
from spanagree.cli.job import (
    blocks_of,
    check_output,
    check_plot_file,
    draw_plot,
    in_blocks_asked,
    progress,
    read_corpus,
    show_report,
    worker_processes,
)
from spanagree.cli.options import (
    block_options,
    certainty_asked,
    certainty_options,
    explain_option,
    files_argument,
    form_option,
    names_in,
    options_given,
    output_option,
    plot_option,
    reading_options,
    table_option,
)
from spanagree.corpus.label_table import DUPLICATES
from spanagree.errors import check_whole, printable
from spanagree.formats.registry import format_of
from spanagree.labels.spa import WEIGHTS
from spanagree.labels.summary import BY

_OF_TABLES = ("item", "annotator", "label", "wide", "counts", "categories", "duplicates")


_TABLES = (".csv", ".tsv", ".tab", ".txt", "")  # what a table of labels may be called


@spanagree.command()
@files_argument
@click.option("--tokens", is_flag=True, help="FILEs are a span corpus; its tokens are the items.")
@click.option("--skip-outside", is_flag=True, help="Of --tokens: leave out those all call O.")
@click.option("--item", metavar="COLUMN", help="The items.  [default: item, or the first]")
@click.option("--annotator", metavar="COLUMN,...", help="Its annotators.  [default: annotator]")
@click.option("--annotators", metavar="NAME,...", help="Of --tokens: these only.")
@click.option("--label", metavar="COLUMN,...", help="The labels.  [default: label]")
@click.option("--wide", is_flag=True, help="A column for each annotator.")
@click.option("--counts", is_flag=True, help="A column for each category: how many chose it.")
@click.option("--categories", metavar="NAME,...", help="All there could be.  [default: all used]")
@table_option("--duplicates", DUPLICATES, None, "Of an item labelled twice.  [default: error]")
@table_option("--weights", WEIGHTS, "annotations_m1", "How much an item counts in SPA.")
@click.option("--complete-only", is_flag=True, help="Only items that all annotators labelled.")
@table_option("--by", BY, None, "A row for each of these.")
@block_options
@certainty_options
@functools.partial(reading_options, but=("--tokens", "--annotator"))
@form_option
@plot_option
@explain_option
@output_option
def coefficients(
    files: tuple[str, ...],
    tokens: bool,
    skip_outside: bool,
    annotators: str | None,
    weights: str,
    complete_only: bool,
    by: str | None,
    block: int | None,
    workers: int | None,
    on_error: str | None,
    format: str,  # noqa: A002 — named as the option
    plot: str | None,
    output: str | None,
    **reading: Any,
) -> None:
    """SPA, π, κ, α, AC1, bias, and agreement by category, of items with labels.

    FILE is a CSV or TSV table with a row for each label given, unless --wide, --counts or --tokens
    says otherwise.

    \b
    spanagree coefficients labels.csv --item sentence --annotator worker --label answer
    spanagree coefficients labels.csv --wide
    spanagree coefficients crowd.jsonl --tokens
    """
    from spanagree.labels.table import as_table

    check_plot_file(plot, output, files)
    certainty = certainty_asked(reading)
    table: Any
    of_table = {name: reading.pop(name) for name in _OF_TABLES}
    if tokens:
        if given := options_given(of_table, but=("annotator",)):
            raise click.UsageError(f"{given[0]} is of a table of labels; not with --tokens")
        of_corpus = {**reading, "tokens": None, "annotator": of_table["annotator"]}
        if in_blocks_asked(files, block, workers, on_error):
            if annotators is not None:
                raise click.UsageError("--annotators: not of blocks; all annotators are compared")
            corpora, _ = blocks_of(files, of_corpus, output, block)
            drawn = {name: certainty[name] for name in ("seed",) if name in certainty}
            if certainty.get("ci"):
                drawn["resamples"] = certainty.get("resamples", 10_000)
                check_whole(drawn["resamples"], 1, "resamples")
            with worker_processes(workers) as executor, progress("counting") as advance:
                table = sa.token_labels(
                    corpora,
                    skip_outside=skip_outside,
                    executor=executor,
                    on_error=on_error or "raise",
                    progress=advance,
                    **drawn,
                )
        else:
            corpus, _ = read_corpus(files, of_corpus, output)
            if (names := names_in(annotators)) is not None:
                corpus = corpus.of_annotators(names)
            table = sa.token_labels(corpus, skip_outside=skip_outside)
    else:
        check_output(output, files)
        of_tokens: dict[str, Any] = {"skip_outside": skip_outside, "annotators": annotators}
        of_tokens |= {"block": block, "workers": workers, "on_error": on_error}
        table = _label_file(files, of_table, {**reading, **of_tokens})
    result = sa.coefficients(table, weights=weights, complete_only=complete_only, **certainty)
    show_report(
        output,
        format,
        result.notes,
        as_dict=result.to_dict,
        as_rows=lambda: result.to_rows(by),
        as_table=lambda: as_table(result, by),
    )
    draw_plot(plot, result)


def _label_file(
    files: Sequence[str], of_table: dict[str, Any], reading: dict[str, Any]
) -> sa.LabelTable:
    """The table of labels that FILE is, with what was asked for."""
    if files and format_of(files[0]) != "conll" and Path(files[0]).suffix not in _TABLES:
        raise click.UsageError(
            f"{printable(files[0])}: is a span corpus; with --tokens its tokens are the items"
        )
    options = {key: reading.pop(key) for key in ("encoding", "missing")}
    if given := options_given(reading):
        raise click.UsageError(f"{given[0]} is of span corpora; only with --tokens")
    if len(files) > 1:
        raise click.UsageError(
            f"{len(files)} files; one table of labels is needed, or --tokens for span corpora"
        )
    several = {"annotator": of_table["wide"], "label": of_table["counts"], "categories": True}
    for name, is_list in several.items():
        if is_list and of_table[name] is not None:
            of_table[name] = names_in(of_table[name])
    chosen = {**of_table, **options}
    return sa.read_labels(files[0], **{k: v for k, v in chosen.items() if v is not None})
