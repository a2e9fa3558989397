"""Tables of items with labels, some missing: one label by each annotator who saw the item.

A :class:`LabelTable` has one row for each label. Coefficients need only its
:class:`~spanagree.corpus.label_counts.LabelCounts`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from spanagree.arrays import Bools, Ints, freeze_array, unique_rows
from spanagree.corpus.label_counts import LabelCounts, count_labels_of_items
from spanagree.errors import (
    check_annotator_names,
    pluralize,
)

if TYPE_CHECKING:
    from spanagree.choices import Duplicates


_COLUMNS_OF_ITEMS = ("documents", "parent_ids", "lengths")


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
        document_ids: ids of the documents, for tokens; without them, documents are numbered from 1.
        positions: position of each item in its document, from 1, if other items were left out.
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
    document_ids: tuple[str, ...] | None = field(default=None, kw_only=True)
    positions: Ints | None = field(default=None, kw_only=True)
    parent_ids: Ints | None = field(default=None, kw_only=True)
    lengths: Ints | None = field(default=None, kw_only=True)
    reading: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        names = ("item", "label", "annotator", "number", *_COLUMNS_OF_ITEMS)
        for name in names:
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
        from spanagree.corpus.label_columns import collect_rows

        return cls(**collect_rows(rows, categories, duplicates))

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
        from spanagree.corpus.label_columns import collect_array

        return cls(**collect_array(labels, annotators))

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
        from spanagree.corpus.label_columns import collect_annotators

        return cls(**collect_annotators(labels))

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
        from spanagree.corpus.label_columns import collect_counts

        return cls(**collect_counts(counts, categories, items))

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

    def find_positions(self) -> Ints:
        """Find the position of each item in its document, from 1, for tokens."""
        if self.positions is not None:
            return self.positions
        documents = np.zeros(self.size, np.int64) if self.documents is None else self.documents
        return np.arange(1, self.size + 1) - np.searchsorted(documents, documents)

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
        if self.named:  # the index of each row takes as long as all else
            n_categories = max(len(self.labels), 1)
            cell, n_labels = np.unique(self.item * n_categories + self.label, return_counts=True)
            return cell // n_categories, cell % n_categories, n_labels
        (item, category), inverse, _ = unique_rows(self.item, self.label)
        return item, category, self._count_labels(inverse, len(item))

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
        _, cell, _ = unique_rows(self.item, self.label)
        return self.cells[2][cell] - 1

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
            **self._select_columns(("item", "label", "number"), is_selected),
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
            size=len(items),
            items=tuple(self.name_of(i) for i in items.tolist()),
            **self._select_columns(("label", "annotator", "number"), is_selected),
            **self._select_columns(_COLUMNS_OF_ITEMS, items),
            positions=None if self.documents is None else self.find_positions()[items],
        )

    def _select_columns(self, names: Iterable[str], rows: Bools | Ints) -> dict[str, Any]:
        """Select rows of columns, by name; columns that are unknown stay so."""
        columns = ((name, getattr(self, name)) for name in names)
        return {name: None if column is None else column[rows] for name, column in columns}
