"""Layouts of data in memory: tags in lists, Docs, or a table with columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from spanagree.errors import InputError, count_entries, is_iterable, join_names

_ADVICE_BY_ATTRIBUTE = {
    "column_names": (
        "a dataset with the columns {0}; evaluate takes spanagree.formats.from_dataset(dataset,"
        " tokens='tokens', tags={{'gold': 'ner_tags', 'mine': 'predicted'}})"
    ),
    "columns": (
        "a data frame with the columns {0}; of one with a token in each row, evaluate takes"
        " spanagree.read(frame, document='sentence_id'), which names the column of the sentences,"
        " of one with lists of tags frame[{1}], frame[{2}]"
    ),
}
"""Advice on tables, by the attribute that lists their columns."""


def are_tags(layers: Mapping[str, Any]) -> bool:
    """Check whether layers are lists of tag lists.

    >>> are_tags({"ann": [["B-PER", "O"]]}), are_tags({"train": [{"tags": ["B-PER", "O"]}]})
    (True, False)
    """
    return find_table_columns(layers) is None and measure_nesting(layers) == (3, str)


def are_docs(layers: Iterable[Any]) -> bool:
    """Check whether layers are lists of spaCy's Docs."""
    docs = [doc for layer in layers if isinstance(layer, (list, tuple)) for doc in layer]
    return any(hasattr(doc, "ents") and hasattr(doc, "spans") for doc in docs)


def find_table_columns(value: Any) -> tuple[str, list[Any]] | None:
    """Find the attribute that lists a table's columns, and the columns; None for other values."""
    for attribute in _ADVICE_BY_ATTRIBUTE:
        columns = getattr(value, attribute, None)
        if columns is not None and not callable(columns):
            return attribute, list(columns)
    return None


def measure_nesting(value: Any) -> tuple[int, type]:
    """Measure the depth of nested lists, and find the type of the innermost elements.

    Tables with columns raise an error. Iterators are not consumed, so their elements are unknown.
    """
    if (table := find_table_columns(value)) is not None:
        attribute, columns = table
        example_columns = ["gold", "mine", *columns][-2:]
        raise InputError(
            _ADVICE_BY_ATTRIBUTE[attribute].format(join_names(columns), *map(repr, example_columns))
        )
    depth, inner = 0, list(value.values()) if isinstance(value, Mapping) else value
    while not isinstance(inner, (str, Mapping)) and is_iterable(inner) and count_entries(inner):
        depth += 1
        inner = next(
            (element for element in inner if element is not None and count_entries(element) != 0),
            None,
        )
    return depth, str if isinstance(inner, str) or inner is None else type(inner)
