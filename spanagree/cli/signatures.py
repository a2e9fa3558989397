"""The parameters of functions: name, type, default and description, read from the source.

Nothing is imported, so that no help loads what it describes.
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
"""Parameters that many functions have; their options stand below headings of their own."""

JACKKNIFE = "spanagree.uncertainty.confidence.Jackknife"
"""What ``ci`` may be; its attributes are options."""

_ROOT = Path(__file__).parent.parent
_NEXT = re.compile(r"^[^\s)]", re.MULTILINE)  # behind a definition, whose lines are indented
_MANY = re.compile(r"(?:Sequence|Collection|Iterable|list)\[(.*)\]")


class Parameter(NamedTuple):
    """A parameter of a function.

    Attributes:
        name: as it is in Python.
        kind: its type as it is written, without ``None``; of several values, that of one.
        default: its value; ``None`` if there is none, or if it is not written out.
        text: what the docstring says of it.
        several: whether it takes several values.
    """

    name: str
    kind: str
    default: Any
    text: str
    several: bool

    @property
    def choices(self) -> tuple[str, ...]:
        """What it may be, if its type is one of :mod:`spanagree.choices`."""
        known = [getattr(choices, name, None) for name in self.kind.split(" | ")]
        return tuple(name for allowed in known if allowed for name in choices.names_of(allowed))


@cache
def parameters(function: str) -> dict[str, Parameter]:
    """Return the parameters of a function by name, in their order.

    Args:
        function: its full name, ``spanagree.room.module.function``; or that of a data class.

    >>> parameters("spanagree.levels.difficulty.difficulty")["chance"].choices
    ('auto', 'nonoverlapping', 'per-label', 'overlapping')
    """
    module, _, name = function.rpartition(".")
    source = _ROOT.joinpath(*module.split(".")[1:]).with_suffix(".py").read_text("utf-8")
    definition = _definition(source, name)
    (node,) = ast.parse(definition).body
    assert isinstance(node, (ast.FunctionDef, ast.ClassDef))  # as it begins so
    arguments = _attributes(node) if isinstance(node, ast.ClassDef) else _arguments(node.args)
    texts = _texts(ast.get_docstring(node) or "")
    lines = definition.encode().splitlines()
    return {
        argument.arg: _parameter(
            argument.arg, _written(argument.annotation, lines), default, texts.get(argument.arg, "")
        )
        for argument, default in arguments
    }


def takes(functions: str) -> set[str]:
    """Return the names of what functions take.

    Args:
        functions: full names, with spaces between.

    >>> sorted(takes("spanagree.agreement.label_confusion.confusion"))
    ['a', 'b', 'corpus']
    """
    return {name for function in functions.split() for name in parameters(function)}


def _definition(source: str, name: str) -> str:
    """Return the source of a function or class, the last of its name."""
    begins = (f"\ndef {name}(", f"\nclass {name}(", f"\nclass {name}:")
    begin = 1 + max(source.rfind(words) for words in begins)
    end = _NEXT.search(source, source.index("\n", begin))
    return source[begin : end.start() if end else None]


def _arguments(arguments: ast.arguments) -> Iterator[tuple[ast.arg, ast.expr | None]]:
    """Yield the arguments of a function with their defaults."""
    without: list[ast.expr | None] = [None] * (len(arguments.args) - len(arguments.defaults))
    yield from zip(arguments.args, [*without, *arguments.defaults], strict=True)
    yield from zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)


def _attributes(kind: ast.ClassDef) -> Iterator[tuple[ast.arg, ast.expr | None]]:
    """Yield the attributes of a data class, which are its arguments, with their defaults."""
    for node in kind.body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            yield ast.arg(node.target.id, node.annotation), node.value


def _written(annotation: ast.expr | None, lines: list[bytes]) -> str:
    """Return a type as it is written on one of the lines; no type is empty."""
    if annotation is None:
        return ""
    assert annotation.lineno == annotation.end_lineno  # the types of options are short
    return lines[annotation.lineno - 1][annotation.col_offset : annotation.end_col_offset].decode()


def _parameter(name: str, kind: str, default: ast.expr | None, text: str) -> Parameter:
    kind = kind.removesuffix(" | None")
    many = _MANY.fullmatch(kind)
    return Parameter(name, many[1] if many else kind, _value(default), text, bool(many))


def _value(default: ast.expr | None) -> Any:
    """Return the value of a default: a literal, or a name of :mod:`spanagree.choices`."""
    if default is None:
        return None
    if isinstance(default, ast.Name):
        return getattr(choices, default.id, None)
    try:
        return ast.literal_eval(default)
    except ValueError:
        return None


def _texts(docstring: str) -> dict[str, str]:
    """Return the description of each argument in a docstring, by name.

    >>> _texts("Do.\\n\\nArgs:\\n    a, b: two\\n        numbers.\\n    c: one.")
    {'a': 'two numbers.', 'b': 'two numbers.', 'c': 'one.'}
    """
    section = re.search(r"^(?:Args|Attributes):\n((?: .*\n|\n)+)", f"{docstring}\n", re.MULTILINE)
    texts: dict[str, str] = {}
    names: list[str] = []
    for line in section[1].splitlines() if section else ():
        if begun := re.match(r"    (\w+(?:, \w+)*): (.*)", line):
            names = begun[1].split(", ")
            texts |= dict.fromkeys(names, begun[2])
        elif text := line.strip():
            texts |= {name: f"{texts[name]} {text}" for name in names}
    return texts
