"""Columns of tables of labels, collected from rows, arrays, lists or counts.

Each function returns the attributes of a :class:`spanagree.labels.LabelTable`, by name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from spanagree.arrays import dense_ranks, first_equal_row
from spanagree.corpus.label_text import (
    convert_name,
    encode_labels,
    encode_names,
    write_notes_on_names,
)
from spanagree.errors import (
    InputError,
    check_choice,
    count_entries,
    find_reason,
    invalid_value,
    is_integer,
    is_iterable,
    pluralize,
    quote_value,
)

if TYPE_CHECKING:
    from spanagree.choices import Duplicates


MOST = 2**31 - 1
"""Largest number of labels in a table, up to which numbers of pairs stay integers."""

DUPLICATES = {
    "error": "two labels of one item by one annotator are an error unless they are the same",
    "first": "the first one counts",
}
"""Treatments of an item that an annotator labelled twice, by name."""


def _iterate_checked(values: object) -> Iterator[Any]:
    """Iterate over values, which have to be a list or similar."""
    if isinstance(values, (str, bytes, Mapping)) or not is_iterable(values):
        raise InputError(f"{quote_value(values)}; a list is needed")
    return iter(values)


def collect_columns(
    items: Sequence[object],
    annotators: Sequence[object],
    labels: Sequence[object],
    *,
    categories: Sequence[object] | None = None,
    duplicates: Duplicates = "error",
    missing: str | None = None,
    separator: str | None = None,
    chosen: Mapping[str, Any] | None = None,
    location: Callable[[int], str] = lambda row: "",
) -> dict[str, Any]:
    """Collect three columns: the item, annotator and label of each row.

    Args:
        items, annotators, labels: columns of the rows.
        categories: names of all possible labels. Default: the labels that occur.
        duplicates: treatment of an item labelled twice by one annotator, error or first.
        missing: label that represents a missing one.
        separator: character between the members of labels that are sets.
        chosen: settings of the reader, for the signature.
        location: function that describes the location of a row, for error messages.
    """
    check_choice(duplicates, DUPLICATES, "duplicates")
    item, item_names = encode_names(items, "item", location)
    annotator, annotator_names = encode_names(annotators, "annotator", location)
    label, label_names, notes, effective_settings = encode_labels(
        labels, categories, missing, separator, location
    )
    notes += write_notes_on_names(item_names, annotator_names, label_names)
    labelled_rows = np.flatnonzero(label >= 0)
    first_row = labelled_rows[first_equal_row(item[labelled_rows], annotator[labelled_rows])]
    is_repeated = first_row != labelled_rows
    is_contradiction = is_repeated & (label[first_row] != label[labelled_rows])
    if is_contradiction.any() and duplicates == "error":
        earlier, later = (
            int(first_row[is_contradiction][0]),
            int(labelled_rows[is_contradiction][0]),
        )
        raise InputError(
            f"{location(later)}item {quote_value(item_names[item[later]])}, annotator"
            f" {quote_value(annotator_names[annotator[later]])}: labelled twice,"
            f" {quote_value(label_names[label[earlier]])} and"
            f" {quote_value(label_names[label[later]])}; --duplicates first (duplicates='first')"
            " keeps the first"
        )
    n_later = int(is_contradiction.sum())
    if n_equal := int(is_repeated.sum()) - n_later:
        notes.append(f"{pluralize(n_equal, 'repeated label')} by the same annotator counted once")
    if n_later:
        rule = "of the same item and annotator left out (duplicates first)"
        notes.append(f"{pluralize(n_later, 'later label')} {rule}")
    kept_rows = labelled_rows[~is_repeated]
    reading = {"items": "labels", **(chosen or {})}
    if is_contradiction.any():  # only settings that had an effect
        reading["duplicates"] = duplicates
    reading |= effective_settings
    return {
        "item": item[kept_rows],
        "label": label[kept_rows],
        "annotator": annotator[kept_rows],
        "number": np.ones(len(kept_rows), np.int64),
        "size": len(item_names),
        "annotators": annotator_names,
        "labels": label_names,
        "items": item_names,
        "reading": reading,
        "notes": tuple(notes),
    }


def collect_rows(
    rows: Iterable[tuple[object, object, object]],
    categories: Sequence[object] | None = None,
    duplicates: Duplicates = "error",
) -> dict[str, Any]:
    """Collect rows; see :meth:`spanagree.labels.LabelTable.from_rows`."""
    if hasattr(rows, "itertuples"):  # a data frame
        rows = rows.itertuples(index=False, name=None)
    rows = list(_iterate_checked(rows))
    for row_number, row in enumerate(rows, 1):
        if not isinstance(row, (tuple, list, np.ndarray)) or count_entries(row) != 3:
            raise invalid_value(
                f"row {row_number}:", row, "item, annotator and label of each are needed"
            )
    columns = zip(*rows, strict=True) if rows else ((), (), ())
    return collect_columns(*columns, categories=categories, duplicates=duplicates)


def collect_array(labels: ArrayLike, annotators: Sequence[object]) -> dict[str, Any]:
    """Collect an array of numbers; see :meth:`spanagree.labels.LabelTable.from_array`."""
    try:
        values = np.asarray(labels)
        if values.dtype.kind == "O" and hasattr(labels, "to_numpy"):  # pandas' gaps
            values = labels.to_numpy(dtype=np.float64, na_value=np.nan)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"{quote_value(labels)}: {find_reason(error)}; a matrix of numbers, items ×"
            " annotators, is needed, with nan where a label is missing"
        ) from None
    if values.ndim != 2 or values.dtype.kind not in "biuf":
        raise InputError(
            f"an array of shape {values.shape}, {values.dtype}; a matrix of numbers, items ×"
            " annotators, is needed"
        )
    n_items, n_annotators = values.shape
    annotator_names = [
        convert_name(name, "annotator") for name in annotators or range(1, n_annotators + 1)
    ]
    if len(annotator_names) != n_annotators or len(set(annotator_names)) != n_annotators:
        n_names = pluralize(len(annotator_names), "name")
        raise InputError(f"{n_names} of annotators; each of {n_annotators} needs one of its own")
    item, annotator = np.nonzero(values == values)  # nan is not equal to itself
    distinct_values, inverse = np.unique(values[item, annotator], return_inverse=True)
    label_names = [convert_name(value, "label") for value in distinct_values]
    n_missing = values.size - len(item)
    return {
        "item": item,
        "label": dense_ranks(label_names)[inverse.reshape(-1)],
        "annotator": annotator,
        "number": np.ones(len(item), np.int64),
        "size": n_items,
        "annotators": tuple(annotator_names),
        "labels": tuple(sorted(label_names)),
        "reading": {"items": "labels"},
        "notes": (f"{pluralize(n_missing, 'blank label')} counted as missing",) * bool(n_missing),
    }


def collect_annotators(
    labels: Mapping[object, Sequence[object]] | Sequence[Sequence[object]] | ArrayLike,
) -> dict[str, Any]:
    """Collect lists by annotator; see :meth:`spanagree.labels.LabelTable.from_annotators`."""
    lists = labels.tolist() if isinstance(labels, np.ndarray) else labels
    if isinstance(lists, Mapping):
        names, columns = [*lists], [*lists.values()]
    else:
        columns = [] if isinstance(lists, (str, bytes)) or not is_iterable(lists) else [*lists]
        names = [*range(1, len(columns) + 1)]
    columns = [
        column.tolist() if hasattr(column, "tolist") else column for column in columns
    ]  # arrays, series
    if columns and all(isinstance(column, tuple) for column in columns):
        raise InputError("tuples; LabelTable.from_rows takes rows of item, annotator and label")
    if not columns or not all(isinstance(column, list) for column in columns):
        raise invalid_value("labels", labels, "a list of labels for each annotator is needed")
    if len({*map(len, columns)}) > 1:
        sizes = ", ".join(str(len(column)) for column in columns)
        raise InputError(f"annotators with {sizes} labels; each needs one for every item, or None")
    rows = [
        (item, name, None if label != label else label)
        for name, column in zip(names, columns, strict=True)
        for item, label in enumerate(column, 1)
    ]
    return collect_rows(rows)


def collect_counts(
    counts: Iterable[Sequence[int]],
    categories: Sequence[object],
    items: Sequence[object] | None,
) -> dict[str, Any]:
    """Collect counts; see :meth:`spanagree.labels.LabelTable.from_counts`."""
    rows = [tuple(_iterate_checked(row)) for row in _iterate_checked(counts)]
    category_names = [convert_name(name, "category") for name in _iterate_checked(categories)]
    item_names = None if items is None else [str(name) for name in _iterate_checked(items)]
    for noun, names_of_kind in (("category", category_names), ("item", item_names or [])):
        for name in (name for name, n_times in Counter(names_of_kind).items() if n_times > 1):
            raise InputError(f"{noun} {quote_value(name)} stands twice; each needs a name")
    for i, row in enumerate(rows):
        invalid_counts = [count for count in row if not is_integer(count) or count < 0]
        if len(row) != len(category_names) or invalid_counts:
            item_name = item_names[i] if item_names and i < len(item_names) else str(i + 1)
            problem = (
                f"count {quote_value(invalid_counts[0])}"
                if invalid_counts
                else pluralize(len(row), "count")
            )
            requirement = pluralize(len(category_names), "category")
            raise InputError(
                f"item {quote_value(item_name)}: {problem}; a whole number from 0 is needed"
                f" for each of {requirement}"
            )
    if item_names is not None and len(item_names) != len(rows):
        n_names = pluralize(len(item_names), "name")
        raise InputError(f"{n_names} of items for {pluralize(len(rows), 'row')}; each needs one")
    if (n_labels := sum(int(count) for row in rows for count in row)) > MOST:
        raise InputError(f"{quote_value(n_labels)} labels; a table holds at most {MOST}")
    matrix = np.array(rows, np.int64).reshape(len(rows), len(category_names))
    item_index, category_index = np.nonzero(matrix)
    return {
        "item": item_index,
        "label": dense_ranks(category_names)[category_index],
        "annotator": None,
        "number": matrix[item_index, category_index],
        "size": len(rows),
        "annotators": (),
        "labels": tuple(sorted(category_names)),
        "items": None if item_names is None else tuple(item_names),
        "reading": {"items": "labels"},
    }
