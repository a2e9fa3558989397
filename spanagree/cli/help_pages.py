"""Lay out the help of commands, options below their headings; what lays it out is loaded for it."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from typing import Any

import click


class Command(click.Command):
    """A command whose options stand below headings, and whose summary is shown whole."""

    def get_help(self, ctx: click.Context) -> str:
        """Return the help."""
        return help_page(ctx)

    def get_short_help_str(self, limit: int = 0) -> str:
        """Return the first paragraph of the help."""
        return " ".join(inspect.cleandoc(self.help or "").partition("\n\n")[0].split())


def help_page(
    ctx: click.Context, sections: Mapping[str, Sequence[click.Command]] | None = None
) -> str:
    """Return the help of a command; that of a group has its commands by heading."""
    import cloup  # takes longer to load than most commands work

    command = ctx.command
    headings: dict[str, cloup.OptionGroup] = {}
    for option in command.params:
        if title := getattr(option, "heading", ""):
            headings.setdefault(title, cloup.OptionGroup(title))
            option.group = headings[title]  # type: ignore[attr-defined]
    about: dict[str, Any] = {"params": command.params, "help": command.help}
    if sections is None:
        page = cloup.Command(command.name, **about)
    else:
        about["invoke_without_command"] = True  # so it need not be named
        named = [cloup.Section(*each) for each in sections.items()]
        page = cloup.Group(command.name, sections=named, **about)
    names = ctx.help_option_names
    own = cloup.Context(page, ctx.parent, info_name=ctx.info_name, help_option_names=names)
    return page.get_help(own)
