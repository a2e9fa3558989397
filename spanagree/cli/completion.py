"""Print a shell script for completion of commands, options, choices and files by Tab.

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
    completion_class = get_completion_class(shell)
    assert completion_class is not None  # click supports these three
    completer = completion_class(click.Command("spanagree"), {}, "spanagree", "_SPANAGREE_COMPLETE")
    click.echo(completion_class.source_template % completer.source_vars())
