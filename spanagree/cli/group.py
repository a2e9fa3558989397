"""The command to which all others belong."""

from __future__ import annotations

import click

import spanagree as sa


@click.group(invoke_without_command=True, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(sa.__version__, prog_name="spanagree", message="%(prog)s %(version)s")
@click.pass_context
def spanagree(context: click.Context) -> None:
    """How far sets of marked spans agree beyond luck."""
    if context.invoked_subcommand is None:
        click.echo(context.get_help())
