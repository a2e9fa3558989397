"""The command check."""

from __future__ import annotations

from typing import Any

import click

from spanagree.cli.group import spanagree
from spanagree.cli.job import FAILED, check_output, put
from spanagree.cli.options import (
    files_argument,
    layers_in,
    output_option,
    reading_asked,
    reading_options,
    table_option,
)
from spanagree.corpus.repairs import repaired
from spanagree.formats.shards import raw_found
from spanagree.rendering.data import to_json


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
    from spanagree.corpus.check import check as inspect

    options, form, repair = reading_asked(reading)
    layers = layers_in(files)
    check_output(output, layers.values())
    draft = raw_found(layers, options, form)
    result = inspect(repaired(draft, repair))
    text = to_json(result.to_dict()) if format == "json" else result.to_text()
    put(output, text)
    if result.errors:
        context.exit(FAILED)
