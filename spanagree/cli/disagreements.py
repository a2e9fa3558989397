"""The command disagreements."""

from __future__ import annotations

from typing import Any

import click

import spanagree as sa
from spanagree.cli.group import spanagree
from spanagree.cli.job import check_plot_file, draw_plot, put, read_corpus, say
from spanagree.cli.options import (
    files_argument,
    layer_named,
    layers_in,
    names_in,
    output_option,
    plot_option,
    reading_options,
    table_option,
)
from spanagree.errors import counted, printable
from spanagree.matching.pairing import KINDS
from spanagree.rendering.data import to_csv, to_json, to_jsonl


@spanagree.command()
@files_argument
@click.option(
    "--between", nargs=2, metavar="A B", help="Two annotators.  [default: if there are two, these]"
)
@click.option("--kind", metavar="KIND,...", help=f"Of: {', '.join(KINDS)}.  [default: all]")
@click.option("--no-text", is_flag=True, help="Offsets and labels only, no word of the texts.")
@reading_options
@table_option("--format", ("text", "csv", "jsonl", "json"), "text", "How the result is written.")
@plot_option
@output_option
def disagreements(
    files: tuple[str, ...],
    between: tuple[str, str] | None,
    kind: str | None,
    no_text: bool,
    format: str,  # noqa: A002 — named as the option
    plot: str | None,
    output: str | None,
    **reading: Any,
) -> None:
    """List where two annotators part, segment by segment.

    \b
    spanagree disagreements gold.conll mine.conll --between gold.conll mine.conll
    spanagree disagreements crowd.jsonl --between ann bob --kind boundary,label
    """
    from spanagree.agreement.disagreements_table import as_text

    check_plot_file(plot, output, layers_in(files).values())
    corpus, layers = read_corpus(files, reading, output)
    if between is None and len(corpus.layers) != 2:
        raise click.UsageError(
            f"--between: {counted(len(corpus.layers), 'layer')}; two of them are needed:"
            f" {', '.join(map(printable, corpus.annotators))}"
        )
    a, b = (str(layer_named(name, layers)) for name in between or corpus.annotators)
    result = sa.disagreements(corpus, a, b, kinds=names_in(kind), text=not no_text)
    forms = {
        "text": lambda: as_text(result),
        "csv": lambda: to_csv(result.to_rows(), result.columns),
        "jsonl": lambda: to_jsonl(result.to_rows()),
        "json": lambda: to_json(result.to_dict()),
    }
    put(output, forms[format]())
    say(result.notes)
    draw_plot(plot, result)
