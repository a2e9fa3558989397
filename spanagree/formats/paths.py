"""Paths to what is in a record: ``a.b[*].c`` is c of every element of the list b in a."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from spanagree.errors import SettingError, show

_STEP = re.compile(r"\[(\*|-?[0-9]{1,9})\]|\.?([^.\[\]|]+)")


class Found(NamedTuple):
    """A value that a path leads to, and the key of the last ``*`` on the way, if there is one."""

    value: Any
    key: str | None = None


@lru_cache(maxsize=1000)
def steps_of(path: str) -> tuple[tuple[str | int, ...], ...]:
    """Return the steps of each alternative of a path, which stand with ``|`` between.

    Raises:
        SettingError: for what is not a path.

    >>> steps_of("points[*].start|begin")
    (('points', '[*]', 'start'), ('begin',))
    """
    return tuple(_steps(part) for part in path.split("|"))


def _steps(path: str) -> tuple[str | int, ...]:
    steps: list[str | int] = []
    at = 0
    while at < len(path):
        match = _STEP.match(path, at)
        if match is None:
            break
        inside, key = match.groups()
        steps.append(key if key else "[*]" if inside == "*" else int(inside))
        at = match.end()
    if at < len(path) or not steps:
        raise SettingError(
            f"path {show(path)}; keys with dots between are needed, [*] for every element of a"
            " list, [0] for the first, * for every key, such as annotation[*] or meta.id"
        )
    return tuple(steps)


def at_path(record: Any, path: str) -> list[Found]:
    """Return what a path leads to, of alternatives the first that leads to anything.

    >>> at_path({"a": [{"b": 1}, {"b": 2}]}, "a[*].b")
    [Found(value=1, key=None), Found(value=2, key=None)]
    >>> at_path({"by": {"ann": [1], "bob": []}}, "by.*")
    [Found(value=[1], key='ann'), Found(value=[], key='bob')]
    """
    for steps in steps_of(path) if path else ():
        if places := list(_walk(record, steps, None)):
            return places
    return []


def first_at(record: Any, path: str) -> Any:
    """Return the first value that a path leads to; ``None`` if it leads nowhere."""
    places = at_path(record, path)
    return places[0].value if places else None


def _walk(value: Any, steps: tuple[str | int, ...], key: str | None) -> Iterator[Found]:
    if not steps:
        yield Found(value, key)
        return
    step, rest = steps[0], steps[1:]
    if step == "[*]":
        for each in value if isinstance(value, list) else ():
            yield from _walk(each, rest, key)
    elif step == "*":
        for name, each in value.items() if isinstance(value, Mapping) else ():
            yield from _walk(each, rest, str(name))
    elif isinstance(step, int):
        if isinstance(value, list) and -len(value) <= step < len(value):
            yield from _walk(value[step], rest, key)
    elif isinstance(value, Mapping) and step in value:
        yield from _walk(value[step], rest, key)
