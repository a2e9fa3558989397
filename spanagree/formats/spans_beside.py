"""Parts of a JSON record that a reader does not read: labelled spans, and any other parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from functools import lru_cache
from typing import Any

from spanagree.errors import is_integer
from spanagree.formats.usual_names import COLUMNS, find_span_keys, simplify_name

_TEXT_PART_NAMES = {*COLUMNS["tokens"], "sents", "sentences", "passages"}
Tree = dict[str | int, Any]
"""Steps of paths as a tree; ``None`` below the last step of a path."""

_NO_PATH: Tree = {}
_MAX_DEPTH = 6  # largest number of nested objects and lists


def yield_unread_span_keys(
    value: Any, reached: Set[int], key: str = "", depth: int = 0
) -> Iterator[str]:
    """Yield the keys of lists of labelled spans in a value that are not read.

    ``reached`` are the identities, by ``id()``, of the values that are read; ``key`` is the key of
    the value.
    """
    if depth > _MAX_DEPTH or id(value) in reached:
        return
    if isinstance(value, dict):
        for name, inner in value.items():
            if simplify_name(name) not in _TEXT_PART_NAMES:
                yield from yield_unread_span_keys(inner, reached, str(name), depth + 1)
    elif isinstance(value, list):
        if any(is_labelled_span(item) and id(item) not in reached for item in value):
            yield key
            return
        for inner in value:
            yield from yield_unread_span_keys(inner, reached, key, depth + 1)


def is_labelled_span(item: Any) -> bool:
    """Check whether a value is a span with offsets and a label."""
    if isinstance(item, dict):
        keys = find_span_keys(tuple(item))
        bounds = (item.get(keys.get(name)) for name in ("start", "end"))
        return "label" in keys and all(map(is_integer, bounds))
    is_triple = isinstance(item, list) and len(item) == 3
    return is_triple and is_integer(item[0]) and is_integer(item[1]) and isinstance(item[2], str)


def build_tree(paths: Iterable[Sequence[str | int]]) -> Tree:
    """Build a tree of the steps of paths; ``None`` is a value that is read as a whole.

    >>> build_tree([("spans", "[*]"), ("meta", "id"), ("meta",)])
    {'spans': {'[*]': None}, 'meta': None}
    """
    tree: Tree = {}
    for *steps, last_step in filter(None, paths):
        branch = tree
        for step in steps:
            branch = branch if branch is None else branch.setdefault(step, {})
        if branch is not None:
            branch[last_step] = None
    return tree


@lru_cache(maxsize=1000)
def _is_text_part(key: str) -> bool:
    """Check whether a key is for tokens or sentences; cached, as a file has few keys."""
    return simplify_name(key) in _TEXT_PART_NAMES


def _is_list_step(step: str | int) -> bool:
    """Check whether a step of a path leads into a list."""
    return isinstance(step, int) or step.startswith("[")


def yield_unread_parts(value: Any, tree: Tree, path: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the objects and lists in a record to which no path of a tree leads, with their paths.

    A value under a key is yielded in an object with that key. Parts of a text, such as tokens, are
    skipped.

    >>> record = {"spans": [{"start": 0}], "by": {"ann": [1]}}
    >>> [*yield_unread_parts(record, build_tree([("spans", "[*]")]))]
    [('', {'by': {'ann': [1]}})]
    """
    if isinstance(value, dict):
        for key, inner in value.items():
            if not isinstance(inner, (dict, list)) or not inner:
                continue
            branch = tree[key] if key in tree else tree.get("*", _NO_PATH)
            if branch is None:
                continue
            if branch and (isinstance(inner, dict) or any(map(_is_list_step, branch))):
                yield from yield_unread_parts(inner, branch, f"{path}.{key}" if path else key)
            elif not _is_text_part(key):
                yield path, {key: inner}
    elif "[*]" in tree:
        for item in value if tree["[*]"] is not None else ():
            yield from yield_unread_parts(item, tree["[*]"], f"{path}[*]")
    elif isinstance(value, list):
        for i, item in enumerate(value):
            branch = tree[i] if i in tree else tree.get("[1:]" if i else "", _NO_PATH)
            if branch:
                yield from yield_unread_parts(item, branch, f"{path}[{i}]")
            elif branch is not None and isinstance(item, (dict, list)):
                yield f"{path}[{i}]", item
