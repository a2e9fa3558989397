"""Commands on annotators and their segments: agree, disagreements, report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

import spanagree as sa
from spanagree import agreement
from spanagree.cli.group import spanagree
from spanagree.cli.inputs import corpus_or_blocks, in_blocks_asked, read_corpus, worker_processes
from spanagree.cli.options import (
    annotators_option,
    block_options,
    certainty_asked,
    certainty_options,
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
from spanagree.cli.outputs import check_plot_file, draw_plot, progress, put, say, show_report
from spanagree.errors import counted, printable
from spanagree.pairing import KINDS
from spanagree.report import to_csv, to_json, to_jsonl
from spanagree.similarity import MATCHES


@spanagree.command()
@files_argument
@table_option("--match", MATCHES, "exact", "What counts as agreement.")
@chance_option
@table_option("--by", agreement.BY, None, "A row for each of these.")
@annotators_option
@click.option(
    "--min-shared",
    type=int,
    metavar="N",
    default=agreement.MIN_SHARED,
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
    from spanagree.report.agreement import as_table

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
    from spanagree.report.disagreements import as_text

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
