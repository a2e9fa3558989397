"""Paths to what is in a record: ``a.b[*].c`` is c of every element of the list b in a.

Where a path goes on inside a text, the text is the JSON that it holds, in a code fence or not.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any

from spanagree.errors import SettingError, show

SELF = "@"
"""The path to the record itself."""

_OPENS = ("{", "[", "`")  # how a text begins that may hold JSON
_STEP = re.compile(r"\[(\*|1:|-?[0-9]{1,9})\]|\.?([^.\[\]|]+)")
_SEVERAL = {"*": "[*]", "1:": "[1:]"}  # elements: all of them, or all but the first


@lru_cache(maxsize=1000)
def steps_of(path: str) -> tuple[tuple[str | int, ...], ...]:
    """Return the steps of each alternative of a path, which stand with ``|`` between.

    Raises:
        SettingError: for what is not a path.

    >>> steps_of("points[*].start|begin")
    (('points', '[*]', 'start'), ('begin',))
    """
    return tuple(() if part == SELF else _steps(part) for part in path.split("|"))


def _steps(path: str) -> tuple[str | int, ...]:
    steps: list[str | int] = []
    at = 0
    while at < len(path):
        match = _STEP.match(path, at)
        if match is None:
            break
        inside, key = match.groups()
        steps.append(key or _SEVERAL.get(inside) or int(inside))
        at = match.end()
    if at < len(path) or not steps:
        raise SettingError(
            f"path {show(path)}; keys with dots between are needed, [*] for every element of a"
            " list, [0] for the first, * for every key, @ for the record itself, such as"
            " annotation[*] or meta.id"
        )
    return tuple(steps)


def values_at(record: Any, path: str) -> list[Any]:
    """Return what a path leads to, of alternatives the first that leads to more than null.

    >>> values_at({"a": [{"b": 1}, {"b": 2}]}, "a[*].b"), values_at({"a": None, "b": 3}, "a|b")
    ([1, 2], [3])
    """
    if isinstance(record, dict) and path in record:  # mostly a path is one key
        return [record[path]]
    nothing: list[Any] = []
    for steps in steps_of(path) if path else ():
        values = _walk([record], steps)
        if any(value is not None for value in values):
            return values
        nothing = nothing or values
    return nothing


def first_at(record: Any, path: str) -> Any:
    """Return the first value that a path leads to; ``None`` if it leads nowhere."""
    values = values_at(record, path)
    return values[0] if values else None


def keyed_at(record: Any, path: str) -> list[tuple[str, Any]]:
    """Return what a path leads to, each with the key of its last ``*``, or with an empty one.

    >>> keyed_at({"by": {"ann": [1], "bob": []}}, "by.*")
    [('ann', [1]), ('bob', [])]
    """
    for steps in steps_of(path):
        if "*" not in steps:
            values = [("", value) for value in _walk([record], steps)]
        else:
            last = len(steps) - 1 - steps[::-1].index("*")
            inside = [part for part in _walk([record], steps[:last]) if isinstance(part, dict)]
            pairs = [(str(key), value) for part in inside for key, value in part.items()]
            values = [(key, v) for key, value in pairs for v in _walk([value], steps[last + 1 :])]
        if values:
            return values
    return []


def _walk(values: list[Any], steps: tuple[str | int, ...]) -> list[Any]:
    for step in steps:
        if any(isinstance(value, str) for value in values):
            values = [_held(value) for value in values]
        if step in ("[*]", "[1:]"):
            first = int(step == "[1:]")
            values = [item for value in values if isinstance(value, list) for item in value[first:]]
        elif step == "*":
            inside = (value.values() for value in values if isinstance(value, dict))
            values = [item for items in inside for item in items]
        elif isinstance(step, int):
            values = [v[step] for v in values if isinstance(v, list) and -len(v) <= step < len(v)]
        else:
            values = [v[step] for v in values if isinstance(v, dict) and step in v]
    return values


def _held(value: Any) -> Any:
    """Return what a text holds in JSON; any other value as it is."""
    if not isinstance(value, str) or value.lstrip()[:1] not in _OPENS:
        return value
    from spanagree.formats.hugging_face.spans import held

    return held(value)
