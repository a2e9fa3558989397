"""Options of the command line, each built from the signature of a function or by hand.

Their choices are in spanagree.choices, so that help does not load the tables that explain them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any

import click
from click.shell_completion import CompletionItem

from spanagree.cli.help_pages import add_choices, convert_to_sentence
from spanagree.cli.option_rules import Option, OptionRule
from spanagree.cli.option_values import format_option_name, parse_names
from spanagree.cli.signatures import OF_INTERVALS, OF_WORK, Parameter, read_parameters
from spanagree.removed import write_removal_message


class _Path(click.types.StringParamType):
    """Path that shells complete; readers check it."""

    name = "path"

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Ask the shell to complete names of files."""
        return [CompletionItem(incomplete, type="file")]


PATH = _Path()
FILES = click.Argument(["files"], nargs=-1, required=True, metavar="FILE...", type=PATH)


Group = list[Option]


MISSING_OPTIONS = {
    ("agree", "--chance-of"): (
        "agree has no gold, so the annotations of all annotators are random; leave it out, or use"
        " 'spanagree evaluate --gold NAME --chance-of systems' with one of them as gold"
    ),
}
"""Reasons why a command lacks an option of other commands, with a remedy."""


SYNONYMS = {
    "strict": "exact",
    "lenient": "overlap",
    "relaxed": "overlap",
    "jaccard": "iou",
}
"""Nearest measure for names that other tools use."""


class NameChoice(click.Choice):  # type: ignore[type-arg]  # generic in new releases of click only
    """Choice that recognizes names of other tools and removed names."""

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Check the choice; the error for a removed name or another tool's name has the new one."""
        equivalent = SYNONYMS.get(str(value).lower())
        if value not in self.choices and param is not None:
            command = "" if ctx is None else str(ctx.info_name)
            for name in param.opts:
                if removal := write_removal_message(f"{name} {value}", command):
                    self.fail(removal)
        if value not in self.choices and equivalent in self.choices:
            self.fail(f"{value!r} is called {equivalent!r} here; docs/glossary.md lists the terms")
        return super().convert(value, param, ctx)


class Views(click.types.StringParamType):
    """Name of a view; any other name selects slices by a column, a table or a pattern.

    Args:
        views: names of the views.
    """

    name = "view"

    def __init__(self, views: Iterable[str]) -> None:
        self.views = tuple(views)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Complete the names of views."""
        return [CompletionItem(name) for name in self.views if name.startswith(incomplete)]


class Formats(NameChoice):
    """Name of a format; formats of other packages are searched for an unknown name.

    Args:
        choices: names of the formats of this package.
        is_written: True to allow only formats that can be written.
    """

    def __init__(self, choices: Iterable[str], *, is_written: bool = False) -> None:
        super().__init__([*choices])
        self.is_written = is_written

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        """Check the name of a format, and load the formats of other packages if it is unknown."""
        if value not in self.choices:
            from spanagree.formats.registry import load_registered_formats

            plugin_formats = [
                format_name
                for format_name, format_ in load_registered_formats().items()
                if format_.write or not self.is_written
            ]
            if value in plugin_formats:
                return value
            if plugin_formats:
                return click.Choice([*self.choices, *plugin_formats]).convert(value, param, ctx)
        return super().convert(value, param, ctx)


def build_option(
    names: str,
    purpose: str,
    *,
    unless: str = "",
    choices: Iterable[str] = (),
    parse: Callable[[str, str], Any] | None = None,
    argument: str = "",
    rules: Sequence[OptionRule] = (),
    **attributes: Any,
) -> Option:
    """Build an option with its help, the parser of its value, and its rules.

    Args:
        names: names, separated by spaces.
        purpose: sentence of the help.
        unless: default, in words.
        choices: allowed values.
        parse: parser of the value; it also takes the name of the option.
        argument: parameter of functions that takes the value, if its name differs.
        rules: rules on other options that it needs or excludes.
        attributes: arguments of :class:`click.Option`.
    """
    if parse is not None:
        attributes["callback"] = lambda _, parameter, text: (
            None if text is None else parse(text, parameter.opts[0])
        )
    if attributes.get("metavar") == "FILE":
        attributes["type"] = PATH
    if choices := list(choices):
        attributes.setdefault("type", NameChoice(choices))
        attributes.setdefault("metavar", "NAME")
        purpose = add_choices(purpose, choices)
    if unless:
        purpose = f"{purpose}  [default: {unless}]"
    result = Option(names.split(), help=purpose, **attributes)
    result.argument, result.rules = argument, tuple(rules)
    return result


def build_integer_option(name: str, purpose: str, **attributes: Any) -> Option:
    """Build an option that takes an integer."""
    return build_option(name, purpose, type=int, metavar="N", **attributes)


def build_list_option(
    name: str, purpose: str, metavar: str = "NAME,...", **attributes: Any
) -> Option:
    """Build an option that takes several names."""
    return build_option(name, purpose, metavar=metavar, parse=parse_names, **attributes)


def build_flag(name: str, purpose: str, **attributes: Any) -> Option:
    """Build an option without a value."""
    return build_option(name, purpose, is_flag=True, **attributes)


def group_options(
    title: str, *options: Option, context_field: str = "", is_shared: bool = False
) -> Group:
    """Set the heading of options in the help, and the field of the context that takes their values.

    Args:
        title: heading.
        options: options of the group.
        context_field: field of :class:`CommandContext`; empty for arguments of the command.
        is_shared: True for a group of many commands.
    """
    for member in options:
        member.heading = title
        member.context_field = context_field or member.context_field
        member.is_shared = is_shared or bool(member.context_field)
    return list(options)


def build_options_from_function(
    function: str,
    *names: str,
    skip: Collection[str] = (),
    texts: Mapping[str, str] | None = None,
    required: Collection[str] = (),
) -> Group:
    """Build an option for each parameter of a function from its name, type, default and docstring.

    Options that a user leaves out are not passed on, so that the function's defaults apply.

    Args:
        function: full name of the function, which is not imported.
        names: names of the parameters. Default: all but the first, and those of workers and
            intervals.
        skip: names of parameters without an option.
        texts: sentences of the help that replace the docstring.
        required: names of required parameters.
    """
    function_parameters = read_parameters(function)
    skipped = {next(iter(function_parameters)), *skip, *OF_WORK, *OF_INTERVALS}
    return [
        _build_option_of_parameter(
            function_parameters[name],
            (texts or {}).get(name) or function_parameters[name].text,
            name in required,
        )
        for name in names or [name for name in function_parameters if name not in skipped]
    ]


def _build_option_of_parameter(parameter: Parameter, text: str, required: bool) -> Option:
    """Build the option of one parameter of a function.

    Args:
        parameter: parameter, whose type decides how the value is parsed.
        text: sentence of the help.
        required: True for an option that may not be left out.
    """
    attributes: dict[str, Any] = {"required": True} if required else {}
    name, allowed_values = format_option_name(parameter.name), parameter.choices
    if parameter.type_name.split(" | ")[0] == "bool":
        return build_flag(name, convert_to_sentence(re.sub("^True (to|for) ", "", text)))
    purpose = convert_to_sentence(text)
    if parameter.default not in (None, False, ()):
        attributes["unless"] = (
            f"{parameter.default:g}" if parameter.type_name == "float" else str(parameter.default)
        )
    if parameter.is_collection:
        if not all(choice in purpose for choice in allowed_values):
            purpose = add_choices(purpose, allowed_values)
        return build_list_option(name, purpose, **attributes)
    if allowed_values:
        return build_option(name, purpose, choices=allowed_values, **attributes)
    click_types = {"int": (int, "N"), "float": (float, "X")}
    attributes["type"], attributes["metavar"] = click_types.get(parameter.type_name, (None, "NAME"))
    return build_option(name, purpose, **attributes)
