"""Main command, with all other commands, each imported when it is needed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MutableMapping
from importlib import import_module
from pathlib import Path
from typing import cast

import click

from spanagree.cli.help_pages import extract_summary, format_page
from spanagree.removed import write_removal_message
from spanagree.version import __version__

SECTIONS: dict[str, tuple[str, ...]] = {
    "Compare": (
        "evaluate",
        "alt-test",
        "agree",
        "coefficients",
        "disagreements",
        "report",
    ),
    "Difficulty and chance": ("difficulty", "split", "chance"),
    "Projects": ("gold", "plan"),
    "Files": ("check", "convert"),
    "Papers": ("cite",),
    "This program": ("completion",),
}
"""Commands by heading of the help; each is the name of a module."""

_START = """\
spanagree scores NER systems and inter-annotator agreement on spans,
and shows how much of it is chance.

Systems against gold: precision, recall and F1, raw and corrected for chance
  spanagree evaluate gold.conll mine.conll

Agreement of annotators: every pair, and the team
  spanagree agree ann.jsonl bob.jsonl

Contents of a file, coverage by annotator, and problems
  spanagree check corpus.jsonl

All commands:            spanagree --help
One command's options:   spanagree evaluate --help
Completion by Tab:       spanagree completion --help"""
"""Text that is shown without a command."""

NAMES: list[str] = [name for names in SECTIONS.values() for name in names]


SYNONYMS = {
    "kappa": "coefficients LABELS (items), or spanagree agree FILE (spans)",
    "alpha": "coefficients LABELS (items), or spanagree agree FILE --measure alpha-u (spans)",
    "gamma": "agree FILE --measure gamma",
    "iaa": "agree FILE",
    "score": "evaluate GOLD SYSTEM",
    "f1": "evaluate GOLD SYSTEM",
    "compare": "evaluate GOLD SYSTEM... --test jackknife",
}
"""Commands by names that users try for them."""


class _Commands(Mapping[str, click.Command]):
    """Commands by name, each imported when it is looked up."""

    def __getitem__(self, name: str) -> click.Command:
        if name not in NAMES:
            raise KeyError(name)
        word = name.replace("-", "_")
        command: click.Command = getattr(import_module(f"{__package__}.{word}"), word)
        return command

    def __iter__(self) -> Iterator[str]:
        return iter(NAMES)

    def __len__(self) -> int:
        return len(NAMES)


class _Group(click.Group):
    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the named command; errors for synonyms and removed names suggest a replacement."""
        if args and (removal := write_removal_message(args[0])):
            ctx.fail(removal)
        if args and args[0].lower() in SYNONYMS:
            ctx.fail(f"{args[0]}: use spanagree {SYNONYMS[args[0].lower()]}")
        return super().resolve_command(ctx, args)

    def get_help(self, ctx: click.Context) -> str:
        """Format the help; its summaries are read without importing the commands."""
        sections = {
            title: [(name, extract_summary(_read_docstring(name))) for name in names]
            for title, names in SECTIONS.items()
        }
        return format_page(self, ctx, sections)


def _read_docstring(name: str) -> str:
    """Read the docstring of a command's module."""
    return (
        Path(__file__).with_name(f"{name.replace('-', '_')}.py").read_text("utf-8").split('"""')[1]
    )


@click.group(
    cls=_Group,
    invoke_without_command=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)
@click.version_option(__version__, prog_name="spanagree", message="%(prog)s %(version)s")
@click.pass_context
def spanagree(context: click.Context) -> None:
    """Score NER systems and inter-annotator agreement on spans, and show how much is chance."""
    if context.invoked_subcommand is None:
        click.echo(_START)


# click needs no more than a lookup
spanagree.commands = cast(MutableMapping[str, click.Command], _Commands())
