"""Commands on the documents and files of a corpus: difficulty, split, convert, check."""

from __future__ import annotations

import os
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import click

import spanagree as sa
from spanagree.cli.group import spanagree
from spanagree.cli.inputs import corpus_or_blocks, in_blocks_asked, read_corpus, worker_processes
from spanagree.cli.options import (
    annotators_option,
    block_options,
    chance_option,
    explain_option,
    files_argument,
    form_option,
    layer_named,
    layers_in,
    levels_asked,
    levels_options,
    names_in,
    output_option,
    plot_option,
    reading_asked,
    reading_options,
    table_option,
)
from spanagree.cli.outputs import (
    FAILED,
    check_output,
    check_plot_file,
    draw_plot,
    explanation,
    progress,
    put,
    say,
    show_report,
)
from spanagree.errors import (
    InputError,
    counted,
    printable,
)
from spanagree.formats import table
from spanagree.formats.shards import draft_found, read_found
from spanagree.formats.table import (
    WRITABLE,
    format_of,
    tokenizer_named,
    write_file,
)
from spanagree.offsets import CUTS
from spanagree.report import to_json
from spanagree.similarity import MATCHES
from spanagree.split_files import WRITERS, check_folder, write_split


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
    from spanagree.report.difficulty import as_table, as_text

    check_plot_file(plot, output, layers_in(files).values())
    in_blocks = in_blocks_asked(files, block, workers, on_error)
    corpus, layers = corpus_or_blocks(files, reading, output, in_blocks, block)
    with worker_processes(workers) as executor:
        result = _difficulty(corpus, layers, gold, annotators, match, chance, executor, on_error)
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


def _difficulty(
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


@spanagree.command()
@files_argument
@click.option("-o", "--output", metavar="DIR", required=True, help="The folder to write into.")
@table_option("--to", WRITERS, "jsonl", "The format of the parts.")
@click.option("--force", is_flag=True, help="Write into a folder that is not empty.")
@click.option("--gold", metavar="NAME", help="By this gold layer.")
@click.option("--annotators", metavar="NAME,...", help="By this team.  [default: all]")
@table_option("--match", MATCHES, "exact", "What counts as agreement.")
@chance_option
@levels_options
@reading_options
def split(
    files: tuple[str, ...],
    output: str,
    to: str,
    force: bool,
    gold: str | None,
    annotators: str | None,
    match: str,
    chance: str,
    **reading: Any,
) -> None:
    """Split a corpus into levels of difficulty, the easiest first; every annotator stays.

    \b
    spanagree split gold.conll mine.conll --gold gold.conll --at 0.825 -o parts
    """
    folder = check_folder(output, force=force)
    for path in layers_in(files).values():
        if folder in Path(os.path.realpath(path)).parents:
            raise InputError(
                f"{printable(path)}: is an input in the folder {printable(output)}; write the parts"
                " into another"
            )
    ways = levels_asked(reading)
    corpus, layers = read_corpus(files, reading, None)
    hard = _difficulty(corpus, layers, gold, annotators, match, chance)
    parts = sa.split(corpus, hard, **ways)
    write_split(parts, output, to, force=force)
    for part in parts.to_dict()["parts"]:
        span = "" if part["from"] is None else f", {part['from']:.4f}–{part['to']:.4f}"
        say([f"{part['name']}: {counted(part['documents'], 'document')}{span}"])
    say(parts.notes)


@spanagree.command()
@files_argument
@click.option("-o", "--output", metavar="OUT", required=True, help="The file to write.")
@table_option("--to", WRITABLE, None, "The format of OUT.  [default: by extension]")
@annotators_option
@click.option("--to-scheme", metavar="SCHEME", help="The tag scheme of OUT.  [default: IOB2]")
@click.option(
    "--tokenizer",
    metavar="space|LANG",
    help="Cut texts into tokens: at spaces, or as spaCy does for a language.",
)
@table_option("--cut", CUTS, None, "Segments that cut a token.  [default: error]")
@reading_options
def convert(
    files: tuple[str, ...],
    output: str,
    to: str | None,
    annotators: str | None,
    to_scheme: str | None,
    tokenizer: str | None,
    cut: str | None,
    **reading: Any,
) -> None:
    """Convert annotations from one format to another.

    \b
    spanagree convert project/ -o corpus.jsonl
    spanagree convert corpus.jsonl -o corpus.conll --tokenizer space --cut expand
    """
    options, form, repair = reading_asked(reading)
    layers = layers_in(files)
    if output == "-":
        raise click.UsageError("-o: convert writes a file; - is none")
    check_output(output, layers.values())
    to = to or format_of(output)
    if to_scheme is not None and to != "conll":
        raise click.UsageError(f"--to-scheme: {to} files have no tags")
    inputs = {form or format_of(path) for path in layers.values()}
    wanted: dict[str, Any] = {"scheme": to_scheme} if to == "conll" else {}
    for key, of in (("missing", "conll"), ("spans", "spacy")):
        if to == of:
            wanted[key] = options.get(key)
            if not any(key in table.FORMATS[name].takes for name in inputs):
                options.pop(key, None)  # for the output alone
    with progress("reading") as advance:
        corpus = read_found(layers, options, form, repair, advance)
    if (names := names_in(annotators)) is not None:
        corpus = corpus.of_annotators(names)
    if tokenizer is not None or cut is not None:
        corpus = corpus.to_tokens(tokenizer_named(tokenizer or "space"), cut or "error")
    write_file(corpus, output, to, wanted)
    say(corpus.notes)


@spanagree.command()
@files_argument
@reading_options
@table_option("--format", ("text", "json"), "text", "How the result is written.")
@output_option
@click.pass_context
def check(
    context: click.Context,
    /,
    files: tuple[str, ...],
    format: str,  # noqa: A002 — named as the option
    output: str | None,
    **reading: Any,
) -> None:
    """Say what is in files and what is odd about it, before anything is computed.

    Exits with 1 if something has to be repaired first, else with 0.

    \b
    spanagree check corpus.jsonl
    """
    from spanagree.check import check as inspect
    from spanagree.report.check import as_text

    options, form, repair = reading_asked(reading)
    layers = layers_in(files)
    check_output(output, layers.values())
    draft = draft_found(layers, options, form)
    result = inspect(draft.repaired(repair))
    text = to_json(result.to_dict()) if format == "json" else as_text(result)
    put(output, text)
    if result.errors:
        context.exit(FAILED)
