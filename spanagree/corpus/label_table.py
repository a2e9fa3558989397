"""Tables of items with labels, some missing: one label by each annotator who saw the item.

A :class:`LabelTable` has one row for each label. Coefficients need only its
:class:`~spanagree.corpus.label_counts.LabelCounts`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from spanagree.arrays import Bools, Ints, dense_ranks, freeze_array
from spanagree.corpus.label_counts import LabelCounts, count_labels_of_items
from spanagree.corpus.label_text import (
    convert_name,
    encode_labels,
    encode_names,
    write_notes_on_names,
)
from spanagree.errors import (
    InputError,
    check_annotator_names,
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


@dataclass(frozen=True, eq=False)
class LabelTable:
    """Labels of items, by annotator or as counts.

    Attributes:
        item: index of the item of each row.
        label: index of the label of each row.
        annotator: index of the annotator of each row; ``None`` in a table of counts.
        number: number of equal labels that each row represents; 1 except in a table of counts.
        size: number of items, with or without labels.
        annotators: names of the annotators.
        labels: names of the categories, sorted: declared categories, or else labels that occur.
        items: names of the items; without them, items are numbered from 1.
        documents: index of the document of each item, for tokens.
        parent_ids: index of the source document of each sentence, for tokens, if it is known.
        lengths: number of tokens of each item, for runs of tokens.
        reading: settings that determined the table; they are part of every signature.
        notes: changes to labels while reading, one sentence each.

    >>> import spanagree as sa
    >>> rows = [("1", "ann", "x"), ("1", "bob", "x"), ("2", "ann", "y"), ("2", "bob", "x")]
    >>> table = sa.labels.LabelTable.from_rows(rows)
    >>> table.size, table.annotators, table.labels, table.label.tolist()
    (2, ('ann', 'bob'), ('x', 'y'), [0, 0, 1, 0])
    """

    item: Ints
    label: Ints
    annotator: Ints | None
    number: Ints
    size: int
    annotators: tuple[str, ...]
    labels: tuple[str, ...]
    items: tuple[str, ...] | None = None
    documents: Ints | None = None
    parent_ids: Ints | None = field(default=None, kw_only=True)
    lengths: Ints | None = field(default=None, kw_only=True)
    reading: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in ("item", "label", "annotator", "number", "documents", "parent_ids", "lengths"):
            column = getattr(self, name)
            if column is not None:
                object.__setattr__(self, name, freeze_array(column, np.int64))

    @classmethod
    def from_single_labels(
        cls,
        order: Ints,
        columns: tuple[Ints, Ints, Ints],
        size: int,
        annotators: tuple[str, ...],
        labels: tuple[str, ...],
        **about: Any,
    ) -> LabelTable:
        """Build a table with one row for each label.

        Args:
            order: rows of the columns to take, sorted by item.
            columns: indices of items, labels and annotators.
            size: number of items.
            annotators: names of the annotators.
            labels: names of the categories.
            about: other attributes of the table, by name.
        """
        item, label, annotator = (column[order] for column in columns)
        ones = np.ones(len(order), np.int64)
        return cls(item, label, annotator, ones, size, annotators, labels, **about)

    @classmethod
    def from_rows(
        cls,
        rows: Iterable[tuple[object, object, object]],
        *,
        categories: Sequence[object] | None = None,
        duplicates: Duplicates = "error",
    ) -> LabelTable:
        """Build a table from rows (item, annotator, label).

        Names and labels are text: 1, 1.0 and "1" are equal; "a" and "a " differ, which is noted. A
        label that is ``None``, nan or blank is missing, and counted in the notes.

        Args:
            rows: rows of item, annotator and label; or a data frame with three such columns.
            categories: names of all possible labels. Default: the labels that occur.
            duplicates: treatment of an item labelled twice by one annotator, error or first.

        Raises:
            InputError: if an annotator labelled an item twice, differently; if a label is not a
                category; if an item or annotator is missing.
            SettingError: if a choice is unknown.

        >>> table = LabelTable.from_rows([(1, "ann", "yes"), (1, "bob", "no"), (2, "ann", None)])
        >>> table.size, table.annotators, table.labels, table.notes
        (2, ('ann', 'bob'), ('no', 'yes'), ('1 blank label counted as missing',))
        """
        if hasattr(rows, "itertuples"):  # a data frame
            rows = rows.itertuples(index=False, name=None)
        rows = list(_iterate_checked(rows))
        for row_number, row in enumerate(rows, 1):
            if not isinstance(row, (tuple, list, np.ndarray)) or count_entries(row) != 3:
                raise invalid_value(
                    f"row {row_number}:", row, "item, annotator and label of each are needed"
                )
        columns = zip(*rows, strict=True) if rows else ((), (), ())
        return build_label_table(*columns, categories=categories, duplicates=duplicates)

    @classmethod
    def from_array(cls, labels: ArrayLike, *, annotators: Sequence[object] = ()) -> LabelTable:
        """Build a table from an array of numbers, items × annotators; ``nan`` is missing.

        This is the fastest constructor. Integers are named as such, so 1.0 is the label 1.

        Args:
            labels: numbers; (items, annotators).
            annotators: names of the annotators. Default: numbers from 1.

        Raises:
            InputError: if the array is not a matrix of numbers, or names do not fit it.

        >>> table = LabelTable.from_array([[1, 1], [2, float("nan")]])
        >>> table.labels, table.annotators, len(table)
        (('1', '2'), ('1', '2'), 3)
        """
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
            raise InputError(
                f"{n_names} of annotators; each of {n_annotators} needs one of its own"
            )
        item, annotator = np.nonzero(values == values)  # nan is not equal to itself
        distinct_values, inverse = np.unique(values[item, annotator], return_inverse=True)
        label_names = [convert_name(value, "label") for value in distinct_values]
        n_missing = values.size - len(item)
        return cls(
            item,
            dense_ranks(label_names)[inverse.reshape(-1)],
            annotator,
            np.ones(len(item), np.int64),
            n_items,
            tuple(annotator_names),
            tuple(sorted(label_names)),
            reading={"items": "labels"},
            notes=(f"{pluralize(n_missing, 'blank label')} counted as missing",)
            if n_missing
            else (),
        )

    @classmethod
    def from_annotators(
        cls, labels: Mapping[object, Sequence[object]] | Sequence[Sequence[object]] | ArrayLike
    ) -> LabelTable:
        """Build a table from a list of labels for each annotator, with the same items in all.

        ``None`` and ``nan`` are missing labels. An array has one row for each annotator, like the
        reliability data of other programs; :meth:`from_array` takes items × annotators.

        Args:
            labels: lists by the name of each annotator, or a list of lists, named by numbers.

        Raises:
            InputError: if values have another form, or lists differ in length.

        >>> table = LabelTable.from_annotators({"ann": ["x", "y", None], "bob": ["x", "x", "y"]})
        >>> table.annotators, table.labels, len(table)
        (('ann', 'bob'), ('x', 'y'), 5)
        """
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
            raise InputError(
                f"annotators with {sizes} labels; each needs one for every item, or None"
            )
        rows = [
            (item, name, None if label != label else label)
            for name, column in zip(names, columns, strict=True)
            for item, label in enumerate(column, 1)
        ]
        return cls.from_rows(rows)

    @classmethod
    def from_counts(
        cls,
        counts: Iterable[Sequence[int]],
        categories: Sequence[object],
        *,
        items: Sequence[object] | None = None,
    ) -> LabelTable:
        """Build a table from the number of times that each item got each category.

        It is unknown which annotator gave a label.

        Args:
            counts: integers for each category, one row for each item.
            categories: names of the categories.
            items: names of the items.

        Raises:
            InputError: if a count is not an integer from 0, rows differ in length, or names repeat.

        >>> LabelTable.from_counts([[2, 0], [1, 1]], ["no", "yes"]).counts.agreeing.tolist()
        [[2, 0]]
        """
        rows = [tuple(_iterate_checked(row)) for row in _iterate_checked(counts)]
        category_names = [
            convert_name(category_index, "category")
            for category_index in _iterate_checked(categories)
        ]
        item_names = (
            None if items is None else [str(item_index) for item_index in _iterate_checked(items)]
        )
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
            raise InputError(
                f"{n_names} of items for {pluralize(len(rows), 'row')}; each needs one"
            )
        if (n_labels := sum(int(count) for row in rows for count in row)) > MOST:
            raise InputError(f"{quote_value(n_labels)} labels; a table holds at most {MOST}")
        matrix = np.array(rows, np.int64).reshape(len(rows), len(category_names))
        item_index, category_index = np.nonzero(matrix)
        return cls(
            item_index,
            dense_ranks(category_names)[category_index],
            None,
            matrix[item_index, category_index],
            len(rows),
            (),
            tuple(sorted(category_names)),
            None if item_names is None else tuple(item_names),
            reading={"items": "labels"},
        )

    def __len__(self) -> int:
        """Return the number of labels."""
        return int(self.number.sum())

    def __repr__(self) -> str:
        annotators = self.annotator is not None and pluralize(len(self.annotators), "annotator")
        return (
            f"<LabelTable of {pluralize(self.size, 'item')}, {pluralize(len(self), 'label')} by"
            f" {annotators or 'unnamed annotators'};"
            f" categories: {', '.join(self.labels) or 'none'}>"
        )

    def name_of(self, item: int) -> str:
        """Return the name of an item, or its position from 1."""
        return str(item + 1) if self.items is None else self.items[item]

    @cached_property
    def given(self) -> Ints:
        """Number of labels nᵢ of each item; (items,)."""
        return self._count_labels(self.item, self.size)

    def _count_labels(self, cell: Ints, size: int) -> Ints:
        """Count the labels that the rows of each cell represent."""
        weights = None if self.named else self.number  # with annotators, each row is one label
        return np.bincount(cell, weights, size).astype(np.int64, copy=False)  # exact up to MOST

    @cached_property
    def cells(self) -> tuple[Ints, Ints, Ints]:
        """Item, category and number of labels nᵢ_c of each nonzero cell, sorted."""
        n_categories = max(len(self.labels), 1)
        if self.annotator is not None:
            cell, n_in_cell = np.unique(self.item * n_categories + self.label, return_counts=True)
        else:
            cell, inverse = np.unique(self.item * n_categories + self.label, return_inverse=True)
            n_in_cell = self._count_labels(inverse.reshape(-1), len(cell))
        return cell // n_categories, cell % n_categories, n_in_cell

    @cached_property
    def counts(self) -> LabelCounts:
        """Counts of labels, all that coefficients need of the table."""
        return count_labels_of_items(self.cells, self.given, self.times, len(self.labels))

    @property
    def times(self) -> Ints:
        """Number of tokens, or other units, of each item: 1 except for runs of tokens."""
        return np.ones(self.size, np.int64) if self.lengths is None else self.lengths

    @property
    def named(self) -> bool:
        """True if the annotator of each label is known."""
        return self.annotator is not None

    @property
    def units(self) -> int | None:
        """Number of documents, for tokens."""
        return None if self.documents is None else len(np.unique(self.documents))

    @cached_property
    def informative(self) -> tuple[Bools, Bools, Bools]:
        """Masks of items with two labels or more, with disagreeing and with agreeing labels."""
        item, _, n_in_cell = self.cells
        n_equal_pairs = np.bincount(item, n_in_cell * (n_in_cell - 1), self.size)
        n_pairs = self.given * (self.given - 1)
        return n_pairs > 0, n_equal_pairs < n_pairs, n_equal_pairs > 0

    @cached_property
    def evidence(self) -> tuple[int, ...]:
        """Numbers of items with two labels, with disagreeing labels, and with agreeing labels.

        For tokens, they are numbers of documents.
        """
        return self.evidence_of(self.informative[2])

    def evidence_of(self, agreeing: Bools) -> tuple[int, ...]:
        """Count the evidence, with a mask of items with agreeing labels."""
        masks = (*self.informative[:2], agreeing)
        if self.documents is None:
            return tuple(int(mask.sum()) for mask in masks)
        return tuple(int((np.bincount(self.documents[m]) > 0).sum()) for m in masks)

    @cached_property
    def equal_others(self) -> Ints:
        """Number of other equal labels of the same item, for each label."""
        item, label, n_in_cell = self.cells
        n_categories = max(len(self.labels), 1)
        return (
            n_in_cell[
                np.searchsorted(item * n_categories + label, self.item * n_categories + self.label)
            ]
            - 1
        )

    @cached_property
    def co_labels(self) -> tuple[Ints, Ints, Ints]:
        """Numbers of own labels, of other labels of these items, and of equal labels among them.

        Each is an array with one entry per annotator.
        """
        n_own, n_other, n_equal = np.zeros((3, len(self.annotators)), np.int64)
        if self.annotator is not None:
            weight = self.times[self.item]
            np.add.at(n_own, self.annotator, weight)
            np.add.at(n_other, self.annotator, weight * (self.given[self.item] - 1))
            np.add.at(n_equal, self.annotator, weight * self.equal_others)
        return n_own, n_other, n_equal

    @cached_property
    def own(self) -> Ints:
        """Count of each label by annotator; without rows if annotators are unknown."""
        if self.annotator is None:
            return np.zeros((0, len(self.labels)), np.int64)
        shape = len(self.annotators), len(self.labels)
        cell = self.annotator * shape[1] + self.label
        counts = np.zeros(shape[0] * shape[1], np.int64)
        np.add.at(counts, cell, self.times[self.item])
        return counts.reshape(shape)

    def complete(self) -> LabelTable:
        """Select the items that every annotator labelled; with counts, those with the most labels.

        >>> table = LabelTable.from_rows([(1, "ann", "x"), (1, "bob", "y"), (2, "ann", "x")])
        >>> table.complete().size
        1
        """
        return self._complete

    @cached_property
    def _complete(self) -> LabelTable:
        n_complete = self.given.max(initial=0) if self.annotator is None else len(self.annotators)
        return self.subset(np.flatnonzero(self.given == n_complete))

    def of_annotators(self, names: Iterable[str]) -> LabelTable:
        """Select annotators, under the name that :meth:`select_annotators` had before 1.0."""
        return self.select_annotators(names)

    def select_annotators(self, names: Iterable[str]) -> LabelTable:
        """Select the labels of some annotators; items and categories stay.

        Raises:
            SettingError: if a name is unknown or repeated, or `names` is not a list.
        """
        names = check_annotator_names(names, self.annotators)
        new_index = np.array(
            [names.index(n) if n in names else -1 for n in self.annotators], np.int64
        )
        annotator = self.annotator if self.annotator is not None else np.zeros(0, np.int64)
        is_selected = new_index[annotator] >= 0
        chosen_names = names if len(names) < len(self.annotators) else None
        return replace(
            self,
            **{name: getattr(self, name)[is_selected] for name in ("item", "label", "number")},
            annotator=new_index[annotator[is_selected]],
            annotators=tuple(names),
            reading={**self.reading, "chosen": chosen_names},
        )

    def subset(self, items: Ints) -> LabelTable:
        """Select items by index, each at most once."""
        new_index = np.full(self.size, -1)
        new_index[items] = np.arange(len(items))
        is_selected = new_index[self.item] >= 0
        return replace(
            self,
            item=new_index[self.item[is_selected]],
            label=self.label[is_selected],
            annotator=None if self.annotator is None else self.annotator[is_selected],
            number=self.number[is_selected],
            size=len(items),
            items=tuple(self.name_of(i) for i in items.tolist()),
            documents=None if self.documents is None else self.documents[items],
            parent_ids=None if self.parent_ids is None else self.parent_ids[items],
            lengths=None if self.lengths is None else self.lengths[items],
        )


def _iterate_checked(values: object) -> Iterator[Any]:
    """Iterate over values, which have to be a list or similar."""
    if isinstance(values, (str, bytes, Mapping)) or not is_iterable(values):
        raise InputError(f"{quote_value(values)}; a list is needed")
    return iter(values)


# --- from rows ----------------------------------------------------------------------------------


def build_label_table(
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
) -> LabelTable:
    """Build a table from three columns: the item, annotator and label of each row.

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
    first_row = labelled_rows[
        _find_first_indices(item[labelled_rows] * len(annotator_names) + annotator[labelled_rows])
    ]
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
    for is_case, noun, rule in (
        (is_repeated & ~is_contradiction, "repeated label", "by the same annotator counted once"),
        (
            is_contradiction,
            "later label",
            "of the same item and annotator left out (duplicates first)",
        ),
    ):
        if n_cases := int(is_case.sum()):
            notes.append(f"{pluralize(n_cases, noun)} {rule}")
    kept_rows = labelled_rows[~is_repeated]
    reading = {"items": "labels", **(chosen or {})}
    reading |= (
        {"duplicates": duplicates} if is_contradiction.any() else {}
    )  # only settings that had an effect
    reading |= effective_settings
    return LabelTable.from_single_labels(
        kept_rows, (item, label, annotator), len(item_names), annotator_names, label_names,
        items=item_names, reading=reading, notes=tuple(notes),
    )  # fmt: skip


def _find_first_indices(keys: Ints) -> Ints:
    """Find the first index at which each key occurs."""
    if (keys[1:] > keys[:-1]).all():
        return np.arange(len(keys))
    _, first_index, inverse = np.unique(keys, return_index=True, return_inverse=True)
    return first_index[inverse.reshape(-1)]
