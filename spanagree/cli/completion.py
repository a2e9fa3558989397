"""Print what lets the Tab key complete commands, options, their choices and files.

\b
eval "$(spanagree completion bash)"
spanagree completion fish > ~/.config/fish/completions/spanagree.fish
"""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from spanagree.cli.help_pages import Command

SHELLS = ("bash", "zsh", "fish")


@click.command(
    "completion",
    cls=Command,
    params=[click.Argument(["shell"], type=click.Choice(SHELLS))],
    help=__doc__,
)
def completion(shell: str) -> None:
    kind = get_completion_class(shell)
    assert kind is not None  # click has these three
    completer = kind(click.Command("spanagree"), {}, "spanagree", "_SPANAGREE_COMPLETE")
    click.echo(kind.source_template % completer.source_vars())
