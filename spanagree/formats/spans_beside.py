"""Lists of labelled spans in a record of JSON, beside those that a reader reads."""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import Any

from spanagree.errors import is_whole
from spanagree.formats.usual_names import COLUMNS, keys_of, plain

_OF_TEXTS = {*COLUMNS["tokens"], "sents", "sentences", "passages"}
_DEEPEST = 6  # objects and lists in each other that are looked at


def annotations_beside(
    value: Any, reached: Set[int], key: str = "", depth: int = 0
) -> Iterator[str]:
    """Yield the keys of lists of labelled spans in a value; not of what is ``reached``, by id."""
    if depth > _DEEPEST or id(value) in reached:
        return
    if isinstance(value, dict):
        for name, inner in value.items():
            if plain(name) not in _OF_TEXTS:
                yield from annotations_beside(inner, reached, str(name), depth + 1)
    elif isinstance(value, list):
        if any(is_labelled_span(item) and id(item) not in reached for item in value):
            yield key
            return
        for inner in value:
            yield from annotations_beside(inner, reached, key, depth + 1)


def is_labelled_span(item: Any) -> bool:
    """Return whether something is a span by its offsets, with a label."""
    if isinstance(item, dict):
        keys = keys_of(tuple(item))
        bounds = (item.get(keys.get(name)) for name in ("start", "end"))
        return "label" in keys and all(map(is_whole, bounds))
    is_triple = isinstance(item, list) and len(item) == 3
    return is_triple and is_whole(item[0]) and is_whole(item[1]) and isinstance(item[2], str)
