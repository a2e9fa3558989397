"""Paths to what is in a record: ``a.b[*].c`` is c of every element of the list b in a.

Where a path goes on inside a text, the text is the JSON that it holds, in a code fence or not.

A value may hold several records, each with its own text: ``docs[*].text`` leads to them. Whatever
else is in a record is under the same elements, or stands beside them in lists of the same length;
:func:`records_at` cuts a value into its records, in which the same paths lead to what is theirs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from spanagree.errors import InputError, SettingError, invalid_value, pluralize, quote_value

SELF = "@"
"""The path to the record itself."""

_OPENS = ("{", "[", "`")  # how a text begins that may hold JSON
_STEP = re.compile(r"\[(\*|1:|-?[0-9]{1,9})\]|\.?([^.\[\]|]+)")
_SEVERAL = {"*": "[*]", "1:": "[1:]"}  # elements: all of them, or all but the first

_Steps = tuple[str | int, ...]
_Place = tuple[str | int, ...]
"""Of a record, the element or key at each step of its path that leads to several."""


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
            f"path {quote_value(path)}; keys with dots between are needed, [*] for every element"
            " of a list, [0] for the first, * for every key, @ for the record itself, such as"
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
        for value in values:
            if value is not None:
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
        if not values:
            break
        if str in map(type, values):
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


# --- several records in a value -------------------------------------------------------------------


def is_several(path: str) -> bool:
    """Return whether a path may lead to several values.

    >>> is_several("docs[*].text"), is_several("docs[0].text")
    (True, False)
    """
    return any(map(_is_several, (step for steps in steps_of(path) for step in steps)))


def _is_several(step: str | int) -> bool:
    return step in ("[*]", "[1:]", "*")


def records_at(
    value: Any,
    content: str,
    of_each: Sequence[str],
    others: Sequence[str],
    location: str,
    *,
    in_lists: bool = False,
    of_lists: Sequence[str] = (),
) -> Iterator[tuple[str, Any]]:
    """Yield the records that a value holds, each with the key of the last ``*``, or an empty one.

    A record is the value with one element in place of those of all records.

    Args:
        value: what a file holds.
        content: the path to what each record has once, as its text.
        of_each: the paths to what each record needs for itself, as its spans.
        others: the paths to what else is in a record, or is one for all records.
        location: begins errors.
        in_lists: whether strings to which the content's path leads are parts of one content, as
            tokens are.
        of_lists: paths whose lists beside the records' have a list for each of these, as of spans.

    Raises:
        InputError: for a path that would join what stands under different records, or lists side
            by side of different lengths.

    >>> two = {"docs": [{"text": "Jo", "by": 1}, {"text": "Al", "by": 2}]}
    >>> [values_at(one, "docs[*].by") for _, one in records_at(two, "docs[*].text", (), (), "x")]
    [[1], [2]]
    """
    steps = _leading(value, content)
    for path in (*of_each, *others):
        for other in steps_of(path):
            _refuse_mixed(value, steps, other, f"{location}: {path} and {content}")
    if (isinstance(value, dict) and content in value) or not any(map(_is_several, steps)):
        yield "", value
        return
    if (odd := misshapen(value, content)) is not None:
        raise invalid_value(f"{location}: {odd[0]}", odd[1], f"{content} needs a list there")
    record_steps = _record_steps(value, steps, in_lists=in_lists)
    places = list(_places(value, record_steps))
    if record_steps == steps and steps[-1:] == ("*",):  # of an object, which may hold other things
        places = [at for at in places if isinstance(_value_at(value, steps, at), (str, list))]
    if len(places) < 2:
        inside = _walk([value], record_steps[:-1]) if record_steps else ()
        if places or not any(x in ([], {}) for x in inside):
            yield "", value
        return
    cut = [record_steps]
    for path in (*of_each, *others):
        beside = [_beside(value, record_steps, other) for other in steps_of(path)]
        if path in of_each and all(
            steps is not None and _number(steps) < _number(record_steps) for steps in beside
        ):
            raise InputError(
                f"{location}: {path} is one for all of the {pluralize(len(places), 'record')} of"
                f" {content}, and each needs its own, under it or in a list of the same length"
            )
        for steps in filter(None, beside):
            mine = dict.fromkeys(_places(value, steps))
            if not mine:
                continue
            if [*mine] != [*dict.fromkeys(at[: _number(steps)] for at in places)]:
                raise InputError(
                    f"{location}: {content} leads to {pluralize(len(places), 'record')} and {path}"
                    " to"
                    f" {len(mine)}; each record needs its own, under it or in a list of the same"
                    " length"
                )
            if path in of_lists and steps in steps_of(path):
                for element in _walk([value], steps):
                    _check_list(element, f"{location}: {path}")
            cut.append(steps)
    for place in places:
        last = place[-1]
        yield last if isinstance(last, str) else "", _cut(value, cut, place)


def _beside(value: Any, record_steps: _Steps, steps: _Steps) -> _Steps | None:
    """Return the steps of a path to its part of each record, beside the records' own path.

    ``None``: it goes through the records themselves.
    """
    first_steps = _up_to(steps, _number(record_steps))
    return None if first_steps == record_steps else first_steps


def _check_list(element: Any, location: str) -> None:
    """Refuse what is not a list of spans, where there is one for each record."""
    element = _held(element)
    if element is None or (
        isinstance(element, list) and all(isinstance(x, (dict, list)) for x in element)
    ):
        return
    raise invalid_value(location, element, "a list of spans is needed for each record")


def _number(steps: _Steps) -> int:
    """Return how many steps lead to several."""
    return sum(map(_is_several, steps))


def _leading(value: Any, path: str) -> _Steps:
    """Return the steps of the alternative that leads to more than null, or of the first."""
    every = steps_of(path)
    leads = (steps for steps in every if any(x is not None for x in _walk([value], steps)))
    return next(leads, every[0])


def _record_steps(value: Any, steps: _Steps, *, in_lists: bool) -> _Steps:
    """Return the first steps of a content's path, which lead to each of the records."""
    several = [i for i, step in enumerate(steps) if _is_several(step)]
    if in_lists and several and not any(isinstance(x, list) for x in _walk([value], steps)):
        last = several.pop()  # which leads to the parts of a content
        while several and several[-1] == last - 1:
            last = several.pop()
    return steps[: several[-1] + 1] if several else ()


def _up_to(steps: _Steps, number: int) -> _Steps:
    """Return steps up to so many that lead to several."""
    several = [i for i, step in enumerate(steps) if _is_several(step)][:number]
    return steps[: several[-1] + 1] if several else ()


def _places(value: Any, steps: _Steps) -> Iterator[_Place]:
    """Yield the place of each value to which steps lead."""
    if not steps:
        yield ()
        return
    step, rest = steps[0], steps[1:]
    if not _is_several(step):
        for inner in _walk([value], (step,)):
            yield from _places(inner, rest)
        return
    value = _held(value)
    for key in _keys(value, step):
        yield from ((key, *place) for place in _places(value[key], rest))


def _keys(value: Any, step: str | int) -> Sequence[Any]:
    """Return the elements or keys that a step to several leads to."""
    if step == "*":
        return list(value) if isinstance(value, dict) else ()
    return range(int(step == "[1:]"), len(value)) if isinstance(value, list) else ()


def _value_at(value: Any, steps: _Steps, place: _Place) -> Any:
    """Return what stands at a place that is there."""
    chosen = iter(place)
    for step in steps:
        value = _held(value)[next(chosen) if _is_several(step) else step]
    return value


def _cut(value: Any, paths: Sequence[_Steps], place: _Place) -> Any:
    """Return a value with the element of one record in place of those of all, at some paths."""
    inner: dict[str | int, list[_Steps]] = {}
    for steps in filter(None, paths):
        inner.setdefault(steps[0], []).append(steps[1:])
    for step, rest in inner.items():
        value = _held(value)
        if not _is_several(step):
            if (isinstance(value, dict) and step in value) or isinstance(step, int):
                value = {**value} if isinstance(value, dict) else [*value]
                value[step] = _cut(value[step], rest, place)
        else:
            item = _cut(value[place[0]], rest, place[1:])
            value = {place[0]: item} if step == "*" else [*value[: int(step == "[1:]")], item]
    return value


def _refuse_mixed(value: Any, first: _Steps, second: _Steps, what: str) -> None:
    """Refuse two paths of which one leads to one element and the other to all of the same list.

    Of an object, the same where the first path goes through all its keys; the second alone may,
    as under each annotator's name beside the text.
    """
    at = next((i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), None)
    if at is None or _is_several(first[at]) == _is_several(second[at]) or second[at] == "*":
        return
    every, single = sorted((first[at], second[at]), key=_is_several, reverse=True)
    for inner in map(_held, _walk([value], first[:at])):
        if len(_keys(inner, every)) > 1 and (isinstance(single, int) or single in inner):
            part = "element" if isinstance(inner, list) else "key"
            raise InputError(
                f"{what} join what stands under different records"
                f" ({pluralize(len(inner), part)}); name {every} in both, or one {part}"
            )


# --- what is not where a path leads ---------------------------------------------------------------


def misshapen(value: Any, path: str) -> tuple[str, Any] | None:
    """Return where a path meets a value of another shape than it needs, and that value.

    What is not there, null or empty has no shape, and under any key (``*``) there may be other
    things.

    >>> misshapen({"a": {"x": 1}}, "a[*].b"), misshapen({"a": None}, "a[*].b")
    (('a', {'x': 1}), None)
    """
    if isinstance(value, dict) and path in value:
        return None
    every = steps_of(path)
    if len(every) > 1:
        leads = [s for s in every if any(x is not None for x in _walk([value], s))]
        every = tuple(leads[:1]) or every
    return next(filter(None, (_odd_at(value, steps) for steps in every)), None)


def _odd_at(value: Any, path: _Steps) -> tuple[str, Any] | None:
    values, is_under_any = [value], False
    for at, step in enumerate(path):
        is_list = isinstance(step, int) or step in ("[*]", "[1:]")
        for held in map(_held, values):
            is_blank = held is None or (isinstance(held, (list, dict, str)) and not held)
            fits = is_blank or isinstance(held, list if is_list else dict)
            if not fits and (not is_under_any or (is_list and isinstance(held, dict))):
                return _written(path[:at]), held
        values = _walk(values, (step,))
        if not values:
            break
        is_under_any |= step == "*"
    return None


def found_at(value: Any, path: str, location: str) -> list[Any]:
    """Return what a path leads to.

    Raises:
        InputError: if that is nothing because a value has another shape than the path needs.

    >>> found_at({"a": [1]}, "a[*]", "x"), found_at({}, "a[*]", "x")
    ([1], [])
    """
    values = values_at(value, path)
    odd = None if values else misshapen(value, path)
    if odd is not None:
        raise invalid_value(f"{location}: {odd[0]}", odd[1], f"{path} leads to nothing in it")
    return values


def _written(steps: _Steps) -> str:
    """Return steps as a path is written."""
    parts = (f"[{x}]" if isinstance(x, int) else x if x[:1] == "[" else f".{x}" for x in steps)
    return "".join(parts).removeprefix(".") or SELF


def _held(value: Any) -> Any:
    """Return what a text holds in JSON; any other value as it is."""
    if not isinstance(value, str) or value.lstrip()[:1] not in _OPENS:
        return value
    from spanagree.formats.hugging_face.spans import held

    return held(value)
