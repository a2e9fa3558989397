"""What is in a record of JSON beside what a reader reads: labelled spans, and any other parts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set
from functools import lru_cache
from typing import Any

from spanagree.errors import is_whole
from spanagree.formats.usual_names import COLUMNS, keys_of, plain

_OF_TEXTS = {*COLUMNS["tokens"], "sents", "sentences", "passages"}
Tree = dict[str | int, Any]
"""Steps of paths as a tree; ``None`` below a step at which a path ends."""

_NO_PATH: Tree = {}
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


def tree_of(paths: Iterable[Sequence[str | int]]) -> Tree:
    """Return the tree of the steps of some paths, which read all that they lead to.

    >>> tree_of([("spans", "[*]"), ("meta", "id"), ("meta",)])
    {'spans': {'[*]': None}, 'meta': None}
    """
    tree: Tree = {}
    for *steps, last in filter(None, paths):
        branch = tree
        for step in steps:
            branch = branch if branch is None else branch.setdefault(step, {})
        if branch is not None:
            branch[last] = None
    return tree


@lru_cache(maxsize=1000)
def _is_of_text(key: str) -> bool:
    """Return whether a key is that of tokens or sentences; a file has few, and each very often."""
    return plain(key) in _OF_TEXTS


def _is_of_list(step: str | int) -> bool:
    return isinstance(step, int) or step.startswith("[")


def parts_beside(value: Any, tree: Tree, at: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the objects and lists in a record to which no path of a tree leads, and where they are.

    One under a key is in an object with that key alone. Parts of a text, such as tokens, are none.

    >>> record = {"spans": [{"start": 0}], "by": {"ann": [1]}}
    >>> [*parts_beside(record, tree_of([("spans", "[*]")]))]
    [('', {'by': {'ann': [1]}})]
    """
    if isinstance(value, dict):
        for key, part in value.items():
            if not isinstance(part, (dict, list)) or not part:
                continue
            branch = tree[key] if key in tree else tree.get("*", _NO_PATH)
            if branch is None:
                continue
            if branch and (isinstance(part, dict) or any(map(_is_of_list, branch))):
                yield from parts_beside(part, branch, f"{at}.{key}" if at else key)
            elif not _is_of_text(key):
                yield at, {key: part}
    elif "[*]" in tree:
        for item in value if tree["[*]"] is not None else ():
            yield from parts_beside(item, tree["[*]"], f"{at}[*]")
    elif isinstance(value, list):
        for i, item in enumerate(value):
            branch = tree[i] if i in tree else tree.get("[1:]" if i else "", _NO_PATH)
            if branch:
                yield from parts_beside(item, branch, f"{at}[{i}]")
            elif branch is not None and isinstance(item, (dict, list)):
                yield f"{at}[{i}]", item
