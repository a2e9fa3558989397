"""Layout of the help: --help has the usual options, --help-all every option by heading.

Options of reading are the same for all commands: --help-all of one command describes them. Other
commands list their names, and refer to that command.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import click

from spanagree.cli.option_rules import AlternativeCall

MOST = 15
"""Largest number of options that --help shows."""

FIRST: Mapping[str, str] = {
    "evaluate": (
        "--gold --match --by --ci --test --systems --references --baseline --chance "
        "--from --format --output --plot --explain"
    ),
    "alt-test": (
        "--candidate --epsilon --annotators --match --chance --by --table --from --format "
        "--output --plot"
    ),
    "agree": (
        "--measure --match --by --annotators --without --ci --sort --fail-under --from "
        "--columns --format --output --plot"
    ),
    "coefficients": (
        "--item --annotator --label --wide --counts --tokens --by --ci --format --output --plot"
    ),
    "disagreements": (
        "--between --rest --kind --by --sort --match --no-text --worklist --from --columns "
        "--format --output --plot"
    ),
    "report": (
        "--output --gold --team --systems --references --match --chance --baseline "
        "--by --measures --from --columns"
    ),
    "difficulty": (
        "--gold --annotators --match --chance --from --columns --format --output --plot --explain"
    ),
    "split": (
        "--output --to --force --levels --at --chance-at --quantiles --gold --annotators "
        "--match --chance --from"
    ),
    "gold": (
        "--vote --share --min-annotators --weighted --annotators --name --by --output "
        "--to --keep-annotators --worklist --from --format"
    ),
    "plan": (
        "--width --figure --annotators --match --chance --confidence "
        "--seed --from --format --output"
    ),
    "check": "--fail-on --format --output --from --columns --scheme --unit --repair",
    "convert": (
        "--output --to --annotators --to-scheme --tokenizer --cut --as-predictions --from "
        "--columns --repair --labels --map-labels"
    ),
}
"""Options that --help shows for each command, in this order."""

USUAL = "--match --chance --by --ci --workers --from --columns --format --output --plot --explain"
"""Options that --help shows after the own options of a command that is not in the table."""

_Rows = dict[str, list[tuple[str, str]]]  # rows by heading


class Command(click.Command):
    """Command with options below headings, and an untruncated summary."""

    alternatives: Sequence[AlternativeCall] = ()  # functions that it calls instead of its usual one

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """List the parameters, with the option for the whole help."""
        return [*super().get_params(ctx), _HELP_ALL]

    def get_help(self, ctx: click.Context) -> str:
        """Format the help with the usual options."""
        options = _list_options(self)
        shown_options = [option for option in options if getattr(option, "is_usual", False)]
        if len(options) < MOST:
            shown_options = options
        records = [record for option in shown_options if (record := option.get_help_record(ctx))]
        n_options = len(options)
        if len(shown_options) < n_options:
            records.append(("--help-all", f"Show all {n_options} options, by subject."))
        return format_page(self, ctx, {"Options": records})

    def get_help_all(self, ctx: click.Context) -> str:
        """Format the help with every option by heading.

        Options that the help of another command describes are named without a description.
        """
        rows: _Rows = {}
        for option in _list_options(self):
            if describing_command := find_describing_command(option):
                heading = f"Reading, as 'spanagree {describing_command} --help-all' describes"
                rows.setdefault(heading, []).append((option.opts[-1], ""))
            elif record := option.get_help_record(ctx):
                rows.setdefault(getattr(option, "heading", "") or "Options", []).append(record)
        return format_page(self, ctx, rows)

    def get_short_help_str(self, limit: int = 0) -> str:
        """Extract the first paragraph of the help."""
        return extract_summary(self.help or "")


def find_describing_command(option: click.Option) -> str:
    """Return the command that describes an option in --help-all; empty for its own command."""
    return str(getattr(option, "described_by", ""))


def sort_options(command: str, members: Iterable[Any]) -> list[Any]:
    """Sort the options of a command, the usual options first, and mark the usual options."""
    members = list(members)
    own_options = [member.opts[-1] for member in members if not member.is_shared]
    default_order = list(dict.fromkeys([*own_options, *USUAL.split()]))[:MOST]
    order = FIRST[command].split() if command in FIRST else default_order
    for member in members:
        member.is_usual = member.opts[-1] in order
    return sorted(
        members, key=lambda option: order.index(option.opts[-1]) if option.is_usual else len(order)
    )


def extract_summary(docstring: str) -> str:
    """Extract the first paragraph of a docstring as one line."""
    return " ".join(inspect.cleandoc(docstring).partition("\n\n")[0].split())


def format_page(command: click.Command, ctx: click.Context, sections: _Rows) -> str:
    """Format a page of help: usage, description, and options by heading.

    Args:
        command: command with usage and description.
        ctx: context of click.
        sections: rows of option and description by heading. A section without descriptions is one
            paragraph of option names, which are not broken at hyphens.
    """
    formatter = ctx.make_formatter()
    command.format_usage(ctx, formatter)
    command.format_help_text(ctx, formatter)
    for heading, rows in {title: rows for title, rows in sections.items() if rows}.items():
        with formatter.section(heading):
            if any(description for _, description in rows):
                formatter.write_dl(rows, col_max=26)
            else:
                names = " ".join(name for name, _ in rows)
                indent = " " * formatter.current_indent
                lines = textwrap.wrap(
                    names,
                    formatter.width,
                    initial_indent=indent,
                    subsequent_indent=indent,
                    break_on_hyphens=False,
                )
                formatter.write("\n".join([*lines, ""]))
    return formatter.getvalue().rstrip("\n")


def _list_options(command: click.Command) -> list[click.Option]:
    """List the options of a command."""
    return [parameter for parameter in command.params if isinstance(parameter, click.Option)]


def _show_all(ctx: click.Context, _: click.Parameter, is_requested: bool) -> None:
    """Show every option and exit, if this is requested."""
    if is_requested and isinstance(ctx.command, Command):
        click.echo(ctx.command.get_help_all(ctx), color=ctx.color)
        ctx.exit()


_HELP_ALL = click.Option(
    ["--help-all"],
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_all,
    help="Show every option, by subject.",
)


def add_choices(purpose: str, choices: Iterable[str]) -> str:
    """Add a list of choices to the help of an option, unless the help names them all.

    >>> add_choices("Test all pairs of systems.", ["jackknife", "permutation"])
    'Test all pairs of systems: jackknife, permutation.'
    """
    purpose_words = re.findall(r"[\w+-]+", purpose)
    if all(choice in purpose_words for choice in choices):
        return purpose
    return f"{purpose.rstrip('.')}: {', '.join(choices)}."


def convert_to_sentence(text: str) -> str:
    """Convert an argument's description in a docstring to a sentence of the help.

    >>> text = "the names of :class:`spanagree.Corpus`'s ``layers``; all unless given."
    >>> convert_to_sentence(text)
    "The names of Corpus's layers; all unless given."
    """
    sentence = re.sub(r":\w+:`~?(?:[\w.]+\.)?(\w+)`", r"\1", text).replace("``", "").rstrip(".")
    return f"{sentence[:1].upper()}{sentence[1:]}."
