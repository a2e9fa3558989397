"""The command convert."""

from __future__ import annotations

from typing import Any

import click

from spanagree.cli.group import spanagree
from spanagree.cli.job import check_output, progress, say
from spanagree.cli.options import (
    annotators_option,
    files_argument,
    layers_in,
    names_in,
    reading_asked,
    reading_options,
    table_option,
)
from spanagree.corpus.tokens import CUTS
from spanagree.formats.registry import FORMATS, WRITABLE, format_of, tokenizer_named, write_file
from spanagree.formats.shards import read_found


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
            if not any(key in FORMATS[name].takes for name in inputs):
                options.pop(key, None)  # for the output alone
    with progress("reading") as advance:
        corpus = read_found(layers, options, form, repair, advance)
    if (names := names_in(annotators)) is not None:
        corpus = corpus.of_annotators(names)
    if tokenizer is not None or cut is not None:
        corpus = corpus.to_tokens(tokenizer_named(tokenizer or "space"), cut or "error")
    write_file(corpus, output, to, wanted)
    say(corpus.notes)
