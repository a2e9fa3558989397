"""The command cite."""

from __future__ import annotations

import click

from spanagree.cli.group import spanagree
from spanagree.cli.job import check_output, put
from spanagree.cli.options import output_option, table_option
from spanagree.report.citation import CITED, cited, settings_in


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
