"""Parameters of functions: name, type, default and description, read from the source.

Nothing is imported, so that the help loads quickly.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from spanagree import choices

OF_WORK = ("executor", "progress")
OF_INTERVALS = ("ci", "seed", "resamples")
"""Parameters of many functions; their options have their own headings in the help."""

JACKKNIFE = "spanagree.uncertainty.confidence.Jackknife"
"""Class of the argument ``ci``; its attributes are options."""

_ROOT = Path(__file__).parent.parent
_NEXT_DEFINITION = re.compile(r"^[^\s)]", re.MULTILINE)  # after a definition with indented lines
_COLLECTION = re.compile(r"(?:Sequence|Collection|Iterable|list)\[(.*)\]")


class Parameter(NamedTuple):
    """Parameter of a function.

    Attributes:
        name: name in Python.
        type_name: annotation without ``None``; for a collection, the type of its items.
        default: default value; ``None`` if it has none, or no literal one.
        text: description in the docstring.
        is_collection: True if it takes several values.
    """

    name: str
    type_name: str
    default: Any
    text: str
    is_collection: bool

    @property
    def choices(self) -> tuple[str, ...]:
        """Allowed values, if its type is one of :mod:`spanagree.choices`."""
        choice_types = [getattr(choices, name, None) for name in self.type_name.split(" | ")]
        return tuple(
            name
            for choice_type in choice_types
            if choice_type
            for name in choices.list_names(choice_type)
        )


@cache
def read_parameters(function: str) -> dict[str, Parameter]:
    """Read the parameters of a function from its source code, without importing its module.

    Args:
        function: full name of the function or data class, as ``spanagree.room.module.function``.

    Returns:
        Parameters by name, in the order of the signature.

    >>> read_parameters("spanagree.levels.difficulty.difficulty")["chance"].choices
    ('auto', 'nonoverlapping', 'per-label', 'overlapping')
    """
    module, _, name = function.rpartition(".")
    source = _ROOT.joinpath(*module.split(".")[1:]).with_suffix(".py").read_text("utf-8")
    definition = _extract_definition(source, name)
    (node,) = ast.parse(definition).body
    assert isinstance(node, (ast.FunctionDef, ast.ClassDef))  # ensured by _extract_definition
    arguments = (
        _yield_attributes(node) if isinstance(node, ast.ClassDef) else _yield_arguments(node.args)
    )
    texts = _extract_descriptions(ast.get_docstring(node) or "")
    lines = definition.encode().splitlines()
    return {
        argument.arg: _build_parameter(
            argument.arg,
            _extract_annotation(argument.annotation, lines),
            default,
            texts.get(argument.arg, ""),
        )
        for argument, default in arguments
    }


def collect_parameter_names(functions: str) -> set[str]:
    """Collect the names of the parameters of functions.

    Args:
        functions: full names, separated by spaces.

    >>> sorted(collect_parameter_names("spanagree.agreement.label_confusion.confusion"))
    ['a', 'b', 'corpus']
    """
    return {name for function in functions.split() for name in read_parameters(function)}


def _extract_definition(source: str, name: str) -> str:
    """Extract the source of a module-level function or class; of several, the last definition."""
    first_lines = (f"\ndef {name}(", f"\nclass {name}(", f"\nclass {name}:")
    begin = 1 + max(source.rfind(text) for text in first_lines)
    end = _NEXT_DEFINITION.search(source, source.index("\n", begin))
    return source[begin : end.start() if end else None]


def _yield_arguments(arguments: ast.arguments) -> Iterator[tuple[ast.arg, ast.expr | None]]:
    """Yield the arguments of a function with their defaults."""
    no_defaults: list[ast.expr | None] = [None] * (len(arguments.args) - len(arguments.defaults))
    yield from zip(arguments.args, [*no_defaults, *arguments.defaults], strict=True)
    yield from zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)


def _yield_attributes(definition: ast.ClassDef) -> Iterator[tuple[ast.arg, ast.expr | None]]:
    """Yield the attributes of a data class as arguments, with their defaults."""
    for node in definition.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield ast.arg(node.target.id, node.annotation), node.value


def _extract_annotation(annotation: ast.expr | None, lines: list[bytes]) -> str:
    """Extract the text of a type annotation from the lines of source; empty if it is missing."""
    if annotation is None:
        return ""
    assert annotation.lineno == annotation.end_lineno  # the types of options are short
    return lines[annotation.lineno - 1][annotation.col_offset : annotation.end_col_offset].decode()


def _build_parameter(name: str, annotation: str, default: ast.expr | None, text: str) -> Parameter:
    """Build a parameter; the type name of a collection is that of its items.

    Args:
        name: name of the parameter.
        annotation: text of its type annotation.
        default: syntax tree of its default, if it has one.
        text: description in the docstring.
    """
    annotation = annotation.removesuffix(" | None")
    collection = _COLLECTION.fullmatch(annotation)
    return Parameter(
        name,
        collection[1] if collection else annotation,
        _evaluate_default(default),
        text,
        bool(collection),
    )


def _evaluate_default(default: ast.expr | None) -> Any:
    """Evaluate the syntax tree of a default; `None` if it is no literal or name in the choices.

    The choices are the constants of :mod:`spanagree.choices`.
    """
    if default is None:
        return None
    if isinstance(default, ast.Name):
        return getattr(choices, default.id, None)
    try:
        return ast.literal_eval(default)
    except ValueError:
        return None


def _extract_descriptions(docstring: str) -> dict[str, str]:
    """Extract the description of each argument in a docstring, by name.

    >>> _extract_descriptions("Do.\\n\\nArgs:\\n    a, b: two\\n        numbers.\\n    c: one.")
    {'a': 'two numbers.', 'b': 'two numbers.', 'c': 'one.'}
    """
    section = re.search(r"^(?:Args|Attributes):\n((?: .*\n|\n)+)", f"{docstring}\n", re.MULTILINE)
    texts: dict[str, str] = {}
    names: list[str] = []
    for line in section[1].splitlines() if section else ():
        if entry := re.match(r"    (\w+(?:, \w+)*): (.*)", line):
            names = entry[1].split(", ")
            texts |= dict.fromkeys(names, entry[2])
        elif text := line.strip():
            texts |= {name: f"{texts[name]} {text}" for name in names}
    return texts
