"""What goes together: an option declares what it needs and what it does not go with.

A command that calls another function where some option is given declares a `Form`: which options
that function takes, its signature says.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeVar

import click

from spanagree.cli.signatures import takes
from spanagree.errors import escape_name

PATTERNS = "patterns"
"""What is given where a pattern finds files."""

WRITTEN = {
    PATTERNS: "files found by a pattern",
    "files": "FILE",
    "result": "RESULT",
    "all_columns": "--all",
    "slices": "--by COLUMN",
}
"""Terms that are not written as their name with dashes."""

_OF_FILES = ("reading", "labels")  # parts of a job that are of what is read, whatever is called


class Clause(NamedTuple):
    """What holds for an option that is given.

    A term is the name of an option, with underscores; ``by=label|document`` regards only these
    values, and ``measure!=f1`` all others. Several stand apart by spaces. Terms of options that a
    command lacks are passed over.

    Attributes:
        needs: one of these has to be given too.
        excludes: none of these may be.
        term: of the option itself, if only some of its values are regarded.
        unless: where one of these is given, nothing holds.
        why: said behind it.
    """

    needs: str = ""
    excludes: str = ""
    term: str = ""
    unless: str = ""
    why: str = ""


class OptionLike(Protocol):
    """An option; see :class:`spanagree.cli.options.Option`."""

    part: str
    shared: bool
    argument: str
    together: tuple[Clause, ...]
    type: Any

    @property
    def name(self) -> str | None:
        """The name by which its value is handed on."""


_Option = TypeVar("_Option", bound=OptionLike)


class Form(NamedTuple):
    """What a command calls where something is given, in place of its usual function.

    Attributes:
        when: one of these terms is given.
        function: full name; options that are none of its parameters are refused.
        also: names of options that the command itself regards then.
        why: said behind that.
    """

    when: str
    function: str
    also: str = ""
    why: str = ""

    def refused(self, given: Mapping[str, Any], members: Sequence[OptionLike]) -> Iterator[str]:
        """Yield the options that are given for nothing, by name."""
        taken = takes(self.function)
        kept = {*self.also.split(), *(_parts(term)[0] for term in self.when.split())}
        for member in members:
            name = "slices" if member.name == "by" and "by" not in given else str(member.name)
            is_output = member.shared and not member.part and not member.argument
            if name not in given or is_output or member.part in _OF_FILES or name in kept:
                continue
            if (member.argument or name) not in taken:
                yield name


def needs(terms: str, why: str = "", *, term: str = "", unless: str = "") -> Clause:
    """Return that one of the options of these terms has to be given too."""
    return Clause(needs=terms, why=why, term=term, unless=unless)


def excludes(terms: str, why: str = "", *, term: str = "", unless: str = "") -> Clause:
    """Return that none of the options of these terms may be given too."""
    return Clause(excludes=terms, why=why, term=term, unless=unless)


def declared(members: list[_Option], *clauses: Clause, names: str = "") -> list[_Option]:
    """Return options that declare these clauses too: all, or those of these names."""
    for member in members:
        if not names or member.name in names.split():
            member.together = (*member.together, *clauses)
    return members


def check(
    given: Mapping[str, Any], members: Sequence[OptionLike], forms: Sequence[Form] = ()
) -> None:
    """Refuse options that do not go together.

    Args:
        given: the value of each option that a user gave, by name; also that a pattern finds files.
        members: the options that a command has.
        forms: what it calls in place of its usual function.

    Raises:
        UsageError: in one line, for what is declared first.
    """
    for member in members:
        for clause in member.together:
            _check_clause(clause, clause.term or str(member.name), given, members)
    for form in forms:
        term = next((term for term in form.when.split() if holds(term, given)), None)
        if term is not None:
            for name in form.refused(given, members):
                _refuse(name, term, given, form.why)


def _check_clause(
    clause: Clause, option: str, given: Mapping[str, Any], members: Sequence[OptionLike]
) -> None:
    """Refuse an option whose clause is broken."""
    if not holds(option, given) or any(holds(term, given) for term in clause.unless.split()):
        return
    needed = [term for term in clause.needs.split() if is_there(term, members)]
    if needed and not any(holds(term, given) for term in needed):
        every = " or ".join(_written(term, {}) for term in needed)
        raise click.UsageError(f"{_written(option, given)} needs {every}{_because(clause.why)}")
    for term in clause.excludes.split():
        if holds(term, given):
            _refuse(option, term, given, clause.why)


def _refuse(option: str, term: str, given: Mapping[str, Any], why: str) -> None:
    name, excluded = _written(option, given), _written(term, given)
    raise click.UsageError(f"{name} does not go with {excluded}{_because(why)}")


def _because(why: str) -> str:
    return f": {why}" if why else ""


def is_there(term: str, members: Sequence[OptionLike]) -> bool:
    """Return whether a command has the option and a value of a term, or what stands for one."""
    name, among, values = _parts(term)
    for member in members:
        if member.name == name:
            allowed = getattr(member.type, "choices", values) if among else values
            return not values or bool({*values} & {*allowed})
    return name in WRITTEN


def _parts(term: str) -> tuple[str, bool, list[str]]:
    """Return the option of a term, whether one of its values is meant or another, and these."""
    name, _, values = term.partition("=")
    return name.removesuffix("!"), not name.endswith("!"), values.split("|") if values else []


def holds(term: str, given: Mapping[str, Any]) -> bool:
    """Return whether a user gave an option, with a value that the term regards."""
    name, among, values = _parts(term)
    if name not in given or not values:
        return name in given
    several = given[name] if isinstance(given[name], list) else [given[name]]
    return any(value in values for value in several) is among


def _written(term: str, given: Mapping[str, Any]) -> str:
    """Return a term as a user writes it, with the value that was given."""
    name, among, values = _parts(term)
    if name == "slices" and name in given:
        return f"--by {escape_name(str(given[name]))}"
    if name in WRITTEN:
        return WRITTEN[name]
    value = given.get(name) if values else None
    if value is None and values and among:
        value = "|".join(values)
    if value is None and values:
        value = f"other than {values[0]}"
    return f"--{name.replace('_', '-')}" + ("" if value is None else f" {value}")
