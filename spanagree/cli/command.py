"""Commands: options that become arguments of a function, checked before it runs.

Options that many commands share, such as those of reading, are fields of the context. All other
options are arguments of the command's function.
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields
from typing import Any

import click

from spanagree.cli import option_rules, options, signals
from spanagree.cli.comparison_options import find_slices
from spanagree.cli.help_pages import Command, sort_options
from spanagree.cli.job import CommandContext
from spanagree.cli.option_values import is_given, parse_run_files
from spanagree.cli.output_options import build_message_options, format_by_extension
from spanagree.cli.outputs import show_notes
from spanagree.cli.progress import hide_progress
from spanagree.errors import MissingLayerError

_CHANCE_OPTIONS = ("places", "chance_of")  # options that become part of the chance model


def command(
    argument: click.Argument | None,
    *groups: options.Group,
    alternatives: Sequence[option_rules.AlternativeCall] = (),
) -> Callable[[Callable[..., None]], Command]:
    """Build a decorator that turns a function into a command.

    The function receives a context, and those of its own options that a user gave. The help of the
    command is the docstring of the module.

    Args:
        argument: argument after the options, if any.
        groups: groups of options, in the order of the help.
        alternatives: functions that are called instead of the usual one, if some options are given.
    """
    members = [member for group in (*groups, build_message_options()) for member in group]

    def build_command(function: Callable[..., None]) -> Command:
        """Build the command of a function."""
        name = function.__name__.replace("_", "-")

        @functools.wraps(function)
        def run_command(**values: Any) -> None:
            """Check the given options, split them, and call the function of the command.

            ``values`` has the values of all options from click, by name.
            """
            option_values = {key: value for key, value in values.items() if is_given(value)}
            option_values |= format_by_extension(option_values, members)
            if any(member.name == "runs" for member in members):
                option_values |= parse_run_files(option_values)
            if slices := find_slices(option_values, members):
                option_values.pop("by", None)
                option_values |= slices
            job, arguments = _make_context(option_values, members)
            job.list_files()  # a pattern that matches none is an error before all others
            patterns = {option_rules.PATTERNS: True} if job.has_patterns else {}
            option_rules.check_options({**option_values, **patterns}, members, alternatives)
            if "overlap_at" in arguments:
                arguments["match"] = f"overlap-at-{arguments.pop('overlap_at'):g}"
            signals.raise_on_signals()
            job.check_output_paths()
            chance_options = {
                key: arguments.pop(key) for key in _CHANCE_OPTIONS if key in arguments
            }
            if chance_options:
                chance = arguments.get("chance", "auto")
                arguments["chance"] = job.build_chance_model(chance, **chance_options)
            try:
                function(job, **arguments)
            except MissingLayerError:
                # notes on skipped files may explain why a layer is missing
                show_notes(note for note in job.notes if "passed over" in note)
                raise
            finally:
                hide_progress()

        params = [*([argument] if argument else []), *sort_options(name, members)]
        purpose = sys.modules[function.__module__].__doc__
        result = Command(name, params=params, callback=run_command, help=purpose)
        result.alternatives = alternatives
        return result

    return build_command


def _make_context(
    option_values: Mapping[str, Any], members: options.Group
) -> tuple[CommandContext, dict[str, Any]]:
    """Split the given options into the context and the arguments of the command's function.

    Args:
        option_values: value of each option that a user gave, by name.
        members: options of the command.
    """
    arguments = {
        key: value for key, value in option_values.items() if key not in ("verbose", "quiet")
    }
    context_fields: dict[str, Any] = {"reading": {}, "certainty": {}, "levels": {}, "labels": {}}
    for member in members:
        if member.context_field and member.name in arguments:
            context_fields[member.context_field][member.name] = arguments.pop(str(member.name))
    if "attribute" in arguments:  # attributes are read only on request
        context_fields["reading"]["attributes"] = [arguments["attribute"]]
    if arguments.keys() & {"min_score", "sweep"}:
        context_fields["reading"]["scores"] = True
    for context_field in fields(CommandContext):
        if context_field.name in arguments:
            context_fields[context_field.name] = arguments.pop(context_field.name)
    outputs = click.get_current_context().find_object(list)
    return CommandContext(**context_fields, written=[] if outputs is None else outputs), arguments
