"""Paths to values in a record: ``a.b[*].c`` is c of every element of the list b in a.

If a path continues inside a text, the text is parsed as JSON, in a code fence or not.

A value may contain several records, each with its own text: ``docs[*].text`` leads to them. All
other parts of a record are under the same elements, or in parallel lists of the same length;
:func:`yield_inner_records` splits a value into its records, in which the same paths lead to the
parts of that record.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from spanagree.errors import InputError, SettingError, invalid_value, pluralize, quote_value

SELF = "@"
"""Path to the record itself."""

_JSON_STARTS = ("{", "[", "`")  # first characters of a text that may contain JSON
_STEP = re.compile(r"\[(\*|1:|-?[0-9]{1,9})\]|\.?([^.\[\]|]+)")
_ELEMENT_STEPS = {"*": "[*]", "1:": "[1:]"}  # elements: all of them, or all but the first

_Steps = tuple[str | int, ...]
_RecordKeys = tuple[str | int, ...]
"""Element or key of a record at each wildcard of its path."""


@lru_cache(maxsize=1000)
def parse_steps(path: str) -> tuple[tuple[str | int, ...], ...]:
    """Parse the steps of each alternative of a path; alternatives are separated by ``|``.

    Raises:
        SettingError: if the text is no path.

    >>> parse_steps("points[*].start|begin")
    (('points', '[*]', 'start'), ('begin',))
    """
    return tuple(
        () if alternative == SELF else _parse_alternative(alternative)
        for alternative in path.split("|")
    )


def _parse_alternative(path: str) -> tuple[str | int, ...]:
    """Parse a path without alternatives into keys, indices and wildcards."""
    steps: list[str | int] = []
    position = 0
    while position < len(path):
        match = _STEP.match(path, position)
        if match is None:
            break
        index, key = match.groups()
        steps.append(key or _ELEMENT_STEPS.get(index) or int(index))
        position = match.end()
    if position < len(path) or not steps:
        raise SettingError(
            f"path {quote_value(path)}; keys with dots between are needed, [*] for every element"
            " of a list, [0] for the first, * for every key, @ for the record itself, such as"
            " annotation[*] or meta.id"
        )
    return tuple(steps)


def find_values(record: Any, path: str) -> list[Any]:
    """Find the values at a path, using the first alternative with a value that is not null.

    >>> find_values({"a": [{"b": 1}, {"b": 2}]}, "a[*].b"), find_values({"a": None, "b": 3}, "a|b")
    ([1, 2], [3])
    """
    if isinstance(record, dict) and path in record:  # most paths are one key
        return [record[path]]
    empty_values: list[Any] = []
    for steps in parse_steps(path) if path else ():
        values = _follow_steps([record], steps)
        for value in values:
            if value is not None:
                return values
        empty_values = empty_values or values
    return empty_values


def find_first_value(record: Any, path: str) -> Any:
    """Find the first value at a path; ``None`` if there is no value."""
    values = find_values(record, path)
    return values[0] if values else None


def find_keyed_values(record: Any, path: str) -> list[tuple[str, Any]]:
    """Return pairs (key, value) for all values at a path.

    The key is the key that the last ``*`` of the path matches; it is empty if there is no ``*``.

    >>> find_keyed_values({"by": {"ann": [1], "bob": []}}, "by.*")
    [('ann', [1]), ('bob', [])]
    """
    for steps in parse_steps(path):
        if "*" not in steps:
            values = [("", value) for value in _follow_steps([record], steps)]
        else:
            last_wildcard = len(steps) - 1 - steps[::-1].index("*")
            objects = [
                item
                for item in _follow_steps([record], steps[:last_wildcard])
                if isinstance(item, dict)
            ]
            pairs = [(str(key), value) for item in objects for key, value in item.items()]
            values = [
                (key, inner_value)
                for key, value in pairs
                for inner_value in _follow_steps([value], steps[last_wildcard + 1 :])
            ]
        if values:
            return values
    return []


def _follow_steps(values: list[Any], steps: tuple[str | int, ...]) -> list[Any]:
    """Follow the steps of a path from each value, and list the values at its end."""
    for step in steps:
        if not values:
            break
        if str in map(type, values):
            values = [_parse_json_text(value) for value in values]
        if step in ("[*]", "[1:]"):
            first_index = int(step == "[1:]")
            values = [
                item for value in values if isinstance(value, list) for item in value[first_index:]
            ]
        elif step == "*":
            inner_values = (value.values() for value in values if isinstance(value, dict))
            values = [item for values_of_object in inner_values for item in values_of_object]
        elif isinstance(step, int):
            values = [
                value[step]
                for value in values
                if isinstance(value, list) and -len(value) <= step < len(value)
            ]
        else:
            values = [value[step] for value in values if isinstance(value, dict) and step in value]
    return values


# --- several records in a value -------------------------------------------------------------------


def leads_to_several(path: str) -> bool:
    """Check whether a path may lead to several values.

    >>> leads_to_several("docs[*].text"), leads_to_several("docs[0].text")
    (True, False)
    """
    return any(map(_is_wildcard, (step for steps in parse_steps(path) for step in steps)))


def _is_wildcard(step: str | int) -> bool:
    """Check whether a step leads to all elements of a list, or to all keys."""
    return step in ("[*]", "[1:]", "*")


def yield_inner_records(
    value: Any,
    content: str,
    required_paths: Sequence[str],
    shared_paths: Sequence[str],
    location: str,
    *,
    in_lists: bool = False,
    list_paths: Sequence[str] = (),
) -> Iterator[tuple[str, Any]]:
    """Yield the records in a value, each with the key of the last ``*``, or with an empty key.

    A record is the value with only one element of each list of records.

    Args:
        value: value that may contain several records.
        content: path to the content that each record has once, such as its text.
        required_paths: paths to the parts that each record needs, such as its spans.
        shared_paths: paths to other parts, of one record or of all records.
        location: prefix of errors.
        in_lists: True if strings at the content's path are parts of one content, such as tokens.
        list_paths: paths to lists that are parallel to the records and contain a list for each
            record, such as spans.

    Raises:
        InputError: if a path would join values of different records, or parallel lists differ in
            length.

    >>> two = {"docs": [{"text": "Jo", "by": 1}, {"text": "Al", "by": 2}]}
    >>> records = yield_inner_records(two, "docs[*].text", (), (), "x")
    >>> [find_values(record, "docs[*].by") for _, record in records]
    [[1], [2]]
    """
    steps = _choose_alternative(value, content)
    for path in (*required_paths, *shared_paths):
        for path_steps in parse_steps(path):
            _check_not_mixed(value, steps, path_steps, f"{location}: {path} and {content}")
    if (isinstance(value, dict) and content in value) or not any(map(_is_wildcard, steps)):
        yield "", value
        return
    if (misshapen_value := find_misshapen(value, content)) is not None:
        raise invalid_value(
            f"{location}: {misshapen_value[0]}", misshapen_value[1], f"{content} needs a list there"
        )
    record_steps = _find_record_steps(value, steps, in_lists=in_lists)
    record_keys = list(_yield_record_keys(value, record_steps))
    if record_steps == steps and steps[-1:] == ("*",):  # an object may contain other values
        record_keys = [
            keys
            for keys in record_keys
            if isinstance(_follow_keys(value, steps, keys), (str, list))
        ]
    if len(record_keys) < 2:
        containers = _follow_steps([value], record_steps[:-1]) if record_steps else ()
        if record_keys or not any(container in ([], {}) for container in containers):
            yield "", value
        return
    split_steps = [record_steps]
    for path in (*required_paths, *shared_paths):
        parallel = [
            _find_parallel_steps(value, record_steps, path_steps)
            for path_steps in parse_steps(path)
        ]
        if path in required_paths and all(
            steps is not None and _count_wildcards(steps) < _count_wildcards(record_steps)
            for steps in parallel
        ):
            raise InputError(
                f"{location}: {path} is one for all of the {pluralize(len(record_keys), 'record')}"
                f" of {content}, and each needs its own, under it or in a list of the same length"
            )
        for steps in filter(None, parallel):
            own_keys = dict.fromkeys(_yield_record_keys(value, steps))
            if not own_keys:
                continue
            if [*own_keys] != [
                *dict.fromkeys(keys[: _count_wildcards(steps)] for keys in record_keys)
            ]:
                raise InputError(
                    f"{location}: {content} leads to {pluralize(len(record_keys), 'record')} and"
                    f" {path} to {len(own_keys)}; each record needs its own, under it or in a list"
                    " of the same length"
                )
            if path in list_paths and steps in parse_steps(path):
                for element in _follow_steps([value], steps):
                    _check_list(element, f"{location}: {path}")
            split_steps.append(steps)
    for keys in record_keys:
        last_key = keys[-1]
        yield (
            last_key if isinstance(last_key, str) else "",
            _extract_record(value, split_steps, keys),
        )


def _find_parallel_steps(value: Any, record_steps: _Steps, steps: _Steps) -> _Steps | None:
    """Find the steps of a path to the list that is parallel to the records.

    Return ``None`` if the path leads through the records themselves.
    """
    truncated = _truncate_steps(steps, _count_wildcards(record_steps))
    return None if truncated == record_steps else truncated


def _check_list(element: Any, location: str) -> None:
    """Check that a value is a list of spans, if there is one for each record."""
    element = _parse_json_text(element)
    if element is None or (
        isinstance(element, list) and all(isinstance(item, (dict, list)) for item in element)
    ):
        return
    raise invalid_value(location, element, "a list of spans is needed for each record")


def _count_wildcards(steps: _Steps) -> int:
    """Count the steps that lead to several values."""
    return sum(map(_is_wildcard, steps))


def _choose_alternative(value: Any, path: str) -> _Steps:
    """Return the steps of the first alternative with a value that is not null, or of the first."""
    alternatives = parse_steps(path)
    leading = (
        steps
        for steps in alternatives
        if any(leaf is not None for leaf in _follow_steps([value], steps))
    )
    return next(leading, alternatives[0])


def _find_record_steps(value: Any, steps: _Steps, *, in_lists: bool) -> _Steps:
    """Find the steps at the start of a content's path that lead to each of the records."""
    wildcards = [i for i, step in enumerate(steps) if _is_wildcard(step)]
    if (
        in_lists
        and wildcards
        and not any(isinstance(leaf, list) for leaf in _follow_steps([value], steps))
    ):
        last_wildcard = wildcards.pop()  # this one leads to the parts of a content
        while wildcards and wildcards[-1] == last_wildcard - 1:
            last_wildcard = wildcards.pop()
    return steps[: wildcards[-1] + 1] if wildcards else ()


def _truncate_steps(steps: _Steps, n_wildcards: int) -> _Steps:
    """Truncate steps after some number of wildcards."""
    wildcards = [i for i, step in enumerate(steps) if _is_wildcard(step)][:n_wildcards]
    return steps[: wildcards[-1] + 1] if wildcards else ()


def _yield_record_keys(value: Any, steps: _Steps) -> Iterator[_RecordKeys]:
    """Yield the keys and indices in place of the wildcards, for each value at the end of steps."""
    if not steps:
        yield ()
        return
    step, later_steps = steps[0], steps[1:]
    if not _is_wildcard(step):
        for inner in _follow_steps([value], (step,)):
            yield from _yield_record_keys(inner, later_steps)
        return
    value = _parse_json_text(value)
    for key in _list_keys(value, step):
        yield from ((key, *keys) for keys in _yield_record_keys(value[key], later_steps))


def _list_keys(value: Any, step: str | int) -> Sequence[Any]:
    """List the elements or keys to which a wildcard leads."""
    if step == "*":
        return list(value) if isinstance(value, dict) else ()
    return range(int(step == "[1:]"), len(value)) if isinstance(value, list) else ()


def _follow_keys(value: Any, steps: _Steps, keys: _RecordKeys) -> Any:
    """Return the value at existing keys."""
    remaining_keys = iter(keys)
    for step in steps:
        value = _parse_json_text(value)[next(remaining_keys) if _is_wildcard(step) else step]
    return value


def _extract_record(value: Any, paths: Sequence[_Steps], keys: _RecordKeys) -> Any:
    """Copy a value with only the element of one record in the lists of records.

    ``paths`` lead to these lists; ``keys`` are the keys or indices of the record, in place of the
    wildcards.
    """
    steps_by_first: dict[str | int, list[_Steps]] = {}
    for steps in filter(None, paths):
        steps_by_first.setdefault(steps[0], []).append(steps[1:])
    for step, later_steps in steps_by_first.items():
        value = _parse_json_text(value)
        if not _is_wildcard(step):
            if (isinstance(value, dict) and step in value) or isinstance(step, int):
                value = {**value} if isinstance(value, dict) else [*value]
                value[step] = _extract_record(value[step], later_steps, keys)
        else:
            item = _extract_record(value[keys[0]], later_steps, keys[1:])
            value = {keys[0]: item} if step == "*" else [*value[: int(step == "[1:]")], item]
    return value


def _check_not_mixed(value: Any, first: _Steps, second: _Steps, location: str) -> None:
    """Check that paths do not lead to one element, and to all elements, of the same list.

    Objects are treated the same if the first path leads through all keys; the second path may do so
    alone, for example to spans under each annotator's name next to the text.

    Raises:
        InputError: if they do.
    """
    position = next(
        (i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b), None
    )
    if (
        position is None
        or _is_wildcard(first[position]) == _is_wildcard(second[position])
        or second[position] == "*"
    ):
        return
    wildcard, single_step = sorted(
        (first[position], second[position]), key=_is_wildcard, reverse=True
    )
    for inner in map(_parse_json_text, _follow_steps([value], first[:position])):
        if len(_list_keys(inner, wildcard)) > 1 and (
            isinstance(single_step, int) or single_step in inner
        ):
            noun = "element" if isinstance(inner, list) else "key"
            raise InputError(
                f"{location} join what stands under different records"
                f" ({pluralize(len(inner), noun)}); name {wildcard} in both, or one {noun}"
            )


# --- values of another shape than a path needs ----------------------------------------------------


def find_misshapen(value: Any, path: str) -> tuple[str, Any] | None:
    """Find a value of another shape than a path needs, and return its path and the value.

    A missing, null or empty value has no shape, and values under any key (``*``) may have other
    shapes.

    >>> find_misshapen({"a": {"x": 1}}, "a[*].b"), find_misshapen({"a": None}, "a[*].b")
    (('a', {'x': 1}), None)
    """
    if isinstance(value, dict) and path in value:
        return None
    alternatives = parse_steps(path)
    if len(alternatives) > 1:
        leading = [
            path_steps
            for path_steps in alternatives
            if any(leaf is not None for leaf in _follow_steps([value], path_steps))
        ]
        alternatives = tuple(leading[:1]) or alternatives
    return next(filter(None, (_find_misshapen_value(value, steps) for steps in alternatives)), None)


def _find_misshapen_value(value: Any, path: _Steps) -> tuple[str, Any] | None:
    """Find the first value along a path that is not the list or object that the next step needs."""
    values, is_under_any = [value], False
    for position, step in enumerate(path):
        is_list = isinstance(step, int) or step in ("[*]", "[1:]")
        for parsed in map(_parse_json_text, values):
            is_blank = parsed is None or (isinstance(parsed, (list, dict, str)) and not parsed)
            is_fitting = is_blank or isinstance(parsed, list if is_list else dict)
            if not is_fitting and (not is_under_any or (is_list and isinstance(parsed, dict))):
                return _format_steps(path[:position]), parsed
        values = _follow_steps(values, (step,))
        if not values:
            break
        is_under_any |= step == "*"
    return None


def find_checked_values(value: Any, path: str, location: str) -> list[Any]:
    """Find the values at a path.

    Raises:
        InputError: if there is no value because a value has another shape than the path needs.

    >>> find_checked_values({"a": [1]}, "a[*]", "x"), find_checked_values({}, "a[*]", "x")
    ([1], [])
    """
    values = find_values(value, path)
    misshapen_value = None if values else find_misshapen(value, path)
    if misshapen_value is not None:
        raise invalid_value(
            f"{location}: {misshapen_value[0]}",
            misshapen_value[1],
            f"{path} leads to nothing in it",
        )
    return values


def _format_steps(steps: _Steps) -> str:
    """Format steps as a path."""
    formatted = (
        f"[{step}]" if isinstance(step, int) else step if step[:1] == "[" else f".{step}"
        for step in steps
    )
    return "".join(formatted).removeprefix(".") or SELF


def _parse_json_text(value: Any) -> Any:
    """Parse the JSON in a text; return any other value unchanged."""
    if not isinstance(value, str) or value.lstrip()[:1] not in _JSON_STARTS:
        return value
    from spanagree.formats.hugging_face.spans import parse_answer

    return parse_answer(value)
