"""Options with rules on their combinations: the options that each needs or excludes.

Rules and calls consist of terms. A term is the name of an option, with underscores, and holds if a
user gives this option. ``by=label|document`` holds only for these values, and ``measure!=f1`` for
all others. A command that calls another function if some term holds declares an `AlternativeCall`;
the parameters of that function are the options that are then allowed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import click

from spanagree.cli.signatures import collect_parameter_names
from spanagree.errors import escape_name

PATTERNS = "patterns"
"""Term that holds if a pattern finds files."""

TERM_TEXTS = {
    PATTERNS: "files found by a pattern",
    "files": "FILE",
    "result": "RESULT",
    "all_columns": "--all",
    "slices": "--by COLUMN",
}
"""Terms with another text in messages than their name with dashes."""

_OF_FILES = ("reading", "labels")  # fields of the context that any function needs


class OptionRule(NamedTuple):
    """Rule for an option that a user gives.

    Several terms are separated by spaces. Terms of options that a command lacks are ignored.

    Attributes:
        needs: terms; at least one of them has to hold too.
        excludes: terms that may not hold.
        term: term for the values of the option to which the rule applies. Default: all values.
        unless: terms that switch the rule off.
        reason: end of the message.
    """

    needs: str = ""
    excludes: str = ""
    term: str = ""
    unless: str = ""
    reason: str = ""


class Option(click.Option):
    """Option of a command, with its place in the help and its rules."""

    heading = ""  # of its group in the help
    context_field = ""  # field of CommandContext that takes its value
    argument = ""  # parameter of functions that takes it, if its name differs
    is_usual = False  # if --help shows it
    is_shared = False  # if its group belongs to many commands
    described_by = ""  # command with --help-all that describes it; empty for its own
    rules: tuple[OptionRule, ...] = ()  # on other options that it needs or excludes


class AlternativeCall(NamedTuple):
    """Function that a command calls instead of its usual one, if some options are given.

    Attributes:
        terms: terms; at least one of them has to hold.
        function: full name; options that are not its parameters are errors.
        command_options: names of options that the command itself handles then.
        reason: end of the message.
    """

    terms: str
    function: str
    command_options: str = ""
    reason: str = ""

    def yield_unused_options(
        self, option_values: Mapping[str, Any], members: Sequence[Option]
    ) -> Iterator[str]:
        """Yield the names of given options that neither the function nor the command uses.

        Args:
            option_values: value of each option that a user gave, by name.
            members: options of the command.
        """
        parameter_names = collect_parameter_names(self.function)
        ignored = {
            *self.command_options.split(),
            *(_split_term(term)[0] for term in self.terms.split()),
        }
        for member in members:
            name = (
                "slices" if member.name == "by" and "by" not in option_values else str(member.name)
            )
            is_output = member.is_shared and not member.context_field and not member.argument
            if (
                name not in option_values
                or is_output
                or member.context_field in _OF_FILES
                or name in ignored
            ):
                continue
            if (member.argument or name) not in parameter_names:
                yield name


def require_terms(terms: str, reason: str = "", *, term: str = "", unless: str = "") -> OptionRule:
    """Build the rule that one of these terms has to hold too."""
    return OptionRule(needs=terms, reason=reason, term=term, unless=unless)


def exclude_terms(terms: str, reason: str = "", *, term: str = "", unless: str = "") -> OptionRule:
    """Build the rule that none of these terms may hold."""
    return OptionRule(excludes=terms, reason=reason, term=term, unless=unless)


def add_rules(members: list[Option], *rules: OptionRule, names: str = "") -> list[Option]:
    """Add rules to options, or only to the options with these names; return all options."""
    for member in members:
        if not names or member.name in names.split():
            member.rules = (*member.rules, *rules)
    return members


def check_options(
    option_values: Mapping[str, Any],
    members: Sequence[Option],
    alternatives: Sequence[AlternativeCall] = (),
) -> None:
    """Check that the given options go together.

    Args:
        option_values: value of each option that a user gave, by name, and of PATTERNS.
        members: options of the command.
        alternatives: functions that the command calls instead of its usual one.

    Raises:
        UsageError: for the first broken rule, in one line.
    """
    for member in members:
        for rule in member.rules:
            _check_rule(rule, rule.term or str(member.name), option_values, members)
    for alternative in alternatives:
        term = next(
            (term for term in alternative.terms.split() if is_term_met(term, option_values)), None
        )
        if term is not None:
            for name in alternative.yield_unused_options(option_values, members):
                _raise_exclusion(name, term, option_values, alternative.reason)


def _check_rule(
    rule: OptionRule, option: str, option_values: Mapping[str, Any], members: Sequence[Option]
) -> None:
    """Check one rule of an option; raise a `UsageError` if it is broken.

    Args:
        rule: rule to check.
        option: term of the option with this rule.
        option_values: value of each option that a user gave, by name.
        members: options of the command.
    """
    if not is_term_met(option, option_values) or any(
        is_term_met(term, option_values) for term in rule.unless.split()
    ):
        return
    needed_terms = [term for term in rule.needs.split() if accepts_term(term, members)]
    if needed_terms and not any(is_term_met(term, option_values) for term in needed_terms):
        needed_texts = " or ".join(_format_term(term, {}) for term in needed_terms)
        raise click.UsageError(
            f"{_format_term(option, option_values)} needs {needed_texts}"
            f"{_format_reason(rule.reason)}"
        )
    for term in rule.excludes.split():
        if is_term_met(term, option_values):
            _raise_exclusion(option, term, option_values, rule.reason)


def _raise_exclusion(option: str, term: str, option_values: Mapping[str, Any], reason: str) -> None:
    """Raise the error for an option that another one excludes."""
    name, excluded = _format_term(option, option_values), _format_term(term, option_values)
    raise click.UsageError(f"{name} does not go with {excluded}{_format_reason(reason)}")


def _format_reason(reason: str) -> str:
    """Format a reason after a colon; empty without a reason."""
    return f": {reason}" if reason else ""


def accepts_term(term: str, members: Sequence[Option]) -> bool:
    """Check whether a command has the option of a term, and accepts one of its values."""
    name, is_among, values = _split_term(term)
    for member in members:
        if member.name == name:
            allowed_values = getattr(member.type, "choices", values) if is_among else values
            return not values or bool({*values} & {*allowed_values})
    return name in TERM_TEXTS


def _split_term(term: str) -> tuple[str, bool, list[str]]:
    """Split a term into its option, whether it means its values or all others, and the values."""
    name, _, values = term.partition("=")
    return name.removesuffix("!"), not name.endswith("!"), values.split("|") if values else []


def is_term_met(term: str, option_values: Mapping[str, Any]) -> bool:
    """Check whether a term holds for the options that a user gave."""
    name, is_among, values = _split_term(term)
    if name not in option_values or not values:
        return name in option_values
    given_values = (
        option_values[name] if isinstance(option_values[name], list) else [option_values[name]]
    )
    return any(value in values for value in given_values) is is_among


def _format_term(term: str, option_values: Mapping[str, Any]) -> str:
    """Format a term as a user writes the option, with its given or its possible values."""
    name, is_among, values = _split_term(term)
    if name == "slices" and name in option_values:
        return f"--by {escape_name(str(option_values[name]))}"
    if name in TERM_TEXTS:
        return TERM_TEXTS[name]
    value = option_values.get(name) if values else None
    if value is None and values and is_among:
        value = "|".join(values)
    if value is None and values:
        value = f"other than {values[0]}"
    return f"--{name.replace('_', '-')}" + ("" if value is None else f" {value}")
