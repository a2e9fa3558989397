"""Items with labels, some missing: one label by each annotator who saw the item.

A :class:`LabelTable` has a row for each label given. Coefficients need only its
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

from spanagree.arrays import Bools, Ints, dense_ranks
from spanagree.corpus.label_counts import LabelCounts, counts_of_cells
from spanagree.corpus.label_text import (
    number_labels,
    number_texts,
    odd_names,
    printable_name,
)
from spanagree.corpus.segments import frozen
from spanagree.errors import (
    InputError,
    check_annotator_names,
    check_choice,
    invalid_value,
    is_iterable,
    is_whole,
    length_of,
    pluralize,
    quote_value,
    reason,
)

if TYPE_CHECKING:
    from spanagree.choices import Duplicates

MOST = 2**31 - 1
"""The most labels that a table holds: numbers of pairs of them stay whole numbers."""


DUPLICATES = {
    "error": "two labels of one item by one annotator are an error unless they are the same",
    "first": "the first one counts",
}
"""What becomes of an item that an annotator labelled twice, by name."""


@dataclass(frozen=True, eq=False)
class LabelTable:
    """Labels of items, by annotators or as mere counts.

    Attributes:
        item: of each row, the number of its item.
        label: the number of its label.
        annotator: the number of its annotator; ``None`` in a table of counts.
        number: how many such labels the row stands for; 1 unless it is a table of counts.
        size: the number of items, with or without labels.
        annotators: their names.
        labels: the categories, sorted: those declared, or else those that occur.
        items: the names of the items; without them they are numbered from 1.
        documents: of tokens, the number of the document of each item.
        parent_ids: of tokens, the number of what that document is a sentence of, if it is known.
        lengths: of runs of tokens, number of tokens of each item.
        reading: the settings that made the table; they are part of every signature.
        notes: what was read in another way than it stands, a sentence each.

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
                object.__setattr__(self, name, frozen(column, np.int64))

    @classmethod
    def of_single(
        cls,
        order: Ints,
        columns: tuple[Ints, Ints, Ints],
        size: int,
        annotators: tuple[str, ...],
        labels: tuple[str, ...],
        **about: Any,
    ) -> LabelTable:
        """Return a table with a row for each label.

        Args:
            order: which rows of the columns there are, and in which order: by item.
            columns: the numbers of items, labels and annotators.
            size: how many items there are.
            annotators: their names.
            labels: as the table has them.
            about: its other attributes, by name.
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
        """Return a table of (item, annotator, label) of each label given.

        Names and labels are text: 1, 1.0 and "1" are the same; "a" and "a " are not, which is
        noted. A label that is ``None``, nan or blank is missing, and counted in the notes.

        Args:
            rows: item, annotator, label; a data frame of three such columns works too.
            categories: all labels there could be; those that occur unless given.
            duplicates: what becomes of an item labelled twice by one annotator, error or first.

        Raises:
            InputError: if an annotator labelled an item twice, differently; for a label that is
                none of the categories; for a missing item or annotator.
            SettingError: for an unknown choice.

        >>> table = LabelTable.from_rows([(1, "ann", "yes"), (1, "bob", "no"), (2, "ann", None)])
        >>> table.size, table.annotators, table.labels, table.notes
        (2, ('ann', 'bob'), ('no', 'yes'), ('1 blank label counted as missing',))
        """
        if hasattr(rows, "itertuples"):  # a data frame
            rows = rows.itertuples(index=False, name=None)
        rows = list(_iterated(rows))
        for number, row in enumerate(rows, 1):
            if not isinstance(row, (tuple, list, np.ndarray)) or length_of(row) != 3:
                raise invalid_value(
                    f"row {number}:", row, "item, annotator and label of each are needed"
                )
        columns = zip(*rows, strict=True) if rows else ((), (), ())
        return label_table(*columns, categories=categories, duplicates=duplicates)

    @classmethod
    def from_array(cls, labels: ArrayLike, *, annotators: Sequence[object] = ()) -> LabelTable:
        """Return a table of numbers in an array of items × annotators; ``nan`` is missing.

        The quickest way in. Whole numbers are named as such, so 1.0 is the label 1.

        Args:
            labels: numbers; (items, annotators).
            annotators: their names; numbers from 1 unless given.

        Raises:
            InputError: for other than a matrix of numbers, or names that do not fit it.

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
                f"{quote_value(labels)}: {reason(error)}; a matrix of numbers, items × annotators,"
                " is needed, with nan where a label is missing"
            ) from None
        if values.ndim != 2 or values.dtype.kind not in "biuf":
            raise InputError(
                f"an array of shape {values.shape}, {values.dtype}; a matrix of numbers, items ×"
                " annotators, is needed"
            )
        size, count = values.shape
        names = [printable_name(name, "annotator") for name in annotators or range(1, count + 1)]
        if len(names) != count or len(set(names)) != count:
            given = pluralize(len(names), "name")
            raise InputError(f"{given} of annotators; each of {count} needs one of its own")
        item, annotator = np.nonzero(values == values)  # nan is not equal to itself
        different, code = np.unique(values[item, annotator], return_inverse=True)
        texts = [printable_name(value, "label") for value in different]
        blank = values.size - len(item)
        return cls(
            item,
            dense_ranks(texts)[code.reshape(-1)],
            annotator,
            np.ones(len(item), np.int64),
            size,
            tuple(names),
            tuple(sorted(texts)),
            reading={"items": "labels"},
            notes=(f"{pluralize(blank, 'blank label')} counted as missing",) if blank else (),
        )

    @classmethod
    def from_annotators(
        cls, labels: Mapping[object, Sequence[object]] | Sequence[Sequence[object]] | ArrayLike
    ) -> LabelTable:
        """Return a table of a list of labels for each annotator, of the same items in all.

        ``None`` and ``nan`` are missing labels. An array has a row for each annotator, as the
        reliability data of other programs have; :meth:`from_array` takes items × annotators.

        Args:
            labels: by the name of each annotator, or a list of lists, whose names are numbers.

        Raises:
            InputError: for other values, and for lists that are not of the same length.

        >>> table = LabelTable.from_annotators({"ann": ["x", "y", None], "bob": ["x", "x", "y"]})
        >>> table.annotators, table.labels, len(table)
        (('ann', 'bob'), ('x', 'y'), 5)
        """
        given = labels.tolist() if isinstance(labels, np.ndarray) else labels
        if isinstance(given, Mapping):
            names, columns = [*given], [*given.values()]
        else:
            columns = [] if isinstance(given, (str, bytes)) or not is_iterable(given) else [*given]
            names = [*range(1, len(columns) + 1)]
        columns = [x.tolist() if hasattr(x, "tolist") else x for x in columns]  # arrays, series
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
        """Return a table of how often each item was given each category; who gave it is not known.

        Args:
            counts: a row for each item, a whole number for each category.
            categories: their names.
            items: the names of the items.

        Raises:
            InputError: for a count that is not a whole number from 0, rows of another length, or
                names that repeat.

        >>> LabelTable.from_counts([[2, 0], [1, 1]], ["no", "yes"]).counts.agreeing.tolist()
        [[2, 0]]
        """
        rows = [tuple(_iterated(row)) for row in _iterated(counts)]
        names = [printable_name(category, "category") for category in _iterated(categories)]
        named = None if items is None else [str(item) for item in _iterated(items)]
        for what, given in (("category", names), ("item", named or [])):
            for name in (name for name, times in Counter(given).items() if times > 1):
                raise InputError(f"{what} {quote_value(name)} stands twice; each needs a name")
        for i, row in enumerate(rows):
            bad = [n for n in row if not is_whole(n) or n < 0]
            if len(row) != len(names) or bad:
                item_name = named[i] if named and i < len(named) else str(i + 1)
                problem = f"count {quote_value(bad[0])}" if bad else pluralize(len(row), "count")
                many = pluralize(len(names), "category")
                raise InputError(
                    f"item {quote_value(item_name)}: {problem}; a whole number from 0 is needed"
                    f" for each of {many}"
                )
        if named is not None and len(named) != len(rows):
            listed = pluralize(len(named), "name")
            raise InputError(f"{listed} of items for {pluralize(len(rows), 'row')}; each needs one")
        if (total := sum(int(n) for row in rows for n in row)) > MOST:
            raise InputError(f"{quote_value(total)} labels; a table holds at most {MOST}")
        table = np.array(rows, np.int64).reshape(len(rows), len(names))
        item, category = np.nonzero(table)
        return cls(
            item,
            dense_ranks(names)[category],
            None,
            table[item, category],
            len(rows),
            (),
            tuple(sorted(names)),
            None if named is None else tuple(named),
            reading={"items": "labels"},
        )

    def __len__(self) -> int:
        """Return the number of labels given."""
        return int(self.number.sum())

    def __repr__(self) -> str:
        annotators = self.annotator is not None and pluralize(len(self.annotators), "annotator")
        return (
            f"<LabelTable of {pluralize(self.size, 'item')}, {pluralize(len(self), 'label')} by"
            f" {annotators or 'unnamed annotators'};"
            f" categories: {', '.join(self.labels) or 'none'}>"
        )

    def name_of(self, item: int) -> str:
        """Return the name of an item, or its number from 1."""
        return str(item + 1) if self.items is None else self.items[item]

    @cached_property
    def given(self) -> Ints:
        """nᵢ, how many labels each item has; (items,)."""
        return self._times(self.item, self.size)

    def _times(self, cell: Ints, size: int) -> Ints:
        """Return how many labels the rows of each cell stand for."""
        weights = None if self.named else self.number  # of annotators, every row is one label
        return np.bincount(cell, weights, size).astype(np.int64, copy=False)  # exact up to MOST

    @cached_property
    def cells(self) -> tuple[Ints, Ints, Ints]:
        """Item, category and nᵢ_c wherever that is not 0, sorted."""
        per = max(len(self.labels), 1)
        if self.annotator is not None:
            cell, number = np.unique(self.item * per + self.label, return_counts=True)
        else:
            cell, which = np.unique(self.item * per + self.label, return_inverse=True)
            number = self._times(which.reshape(-1), len(cell))
        return cell // per, cell % per, number

    @cached_property
    def counts(self) -> LabelCounts:
        """What coefficients need of the table."""
        return counts_of_cells(self.cells, self.given, self.times, len(self.labels))

    @property
    def times(self) -> Ints:
        """How many tokens, or other items, each item stands for: one unless it is a run of them."""
        return np.ones(self.size, np.int64) if self.lengths is None else self.lengths

    @property
    def named(self) -> bool:
        """Whether it is known who gave which label."""
        return self.annotator is not None

    @property
    def units(self) -> int | None:
        """Of tokens, how many documents there are."""
        return None if self.documents is None else len(np.unique(self.documents))

    @cached_property
    def informative(self) -> tuple[Bools, Bools, Bools]:
        """Which items have two labels or more, any that disagree, and any that agree."""
        item, _, number = self.cells
        equal = np.bincount(item, number * (number - 1), self.size)
        pairs = self.given * (self.given - 1)
        return pairs > 0, equal < pairs, equal > 0

    @cached_property
    def evidence(self) -> tuple[int, ...]:
        """How many items (of tokens, documents) have two labels, any that disagree, that agree."""
        return self.evidence_of(self.informative[2])

    def evidence_of(self, agreeing: Bools) -> tuple[int, ...]:
        """Return the evidence where these items have any labels that agree."""
        masks = (*self.informative[:2], agreeing)
        if self.documents is None:
            return tuple(int(mask.sum()) for mask in masks)
        return tuple(int((np.bincount(self.documents[m]) > 0).sum()) for m in masks)

    @cached_property
    def equal_others(self) -> Ints:
        """Of each label given, how many others gave the same one to the same item."""
        item, label, number = self.cells
        per = max(len(self.labels), 1)
        return number[np.searchsorted(item * per + label, self.item * per + self.label)] - 1

    @cached_property
    def co_labels(self) -> tuple[Ints, Ints, Ints]:
        """Of each annotator: labels, labels of others on the same items, and equal ones."""
        gave, others, equal = np.zeros((3, len(self.annotators)), np.int64)
        if self.annotator is not None:
            times = self.times[self.item]
            np.add.at(gave, self.annotator, times)
            np.add.at(others, self.annotator, times * (self.given[self.item] - 1))
            np.add.at(equal, self.annotator, times * self.equal_others)
        return gave, others, equal

    @cached_property
    def own(self) -> Ints:
        """How often each annotator gave each label; without a row if it is not known who did."""
        if self.annotator is None:
            return np.zeros((0, len(self.labels)), np.int64)
        shape = len(self.annotators), len(self.labels)
        cell = self.annotator * shape[1] + self.label
        counts = np.zeros(shape[0] * shape[1], np.int64)
        np.add.at(counts, cell, self.times[self.item])
        return counts.reshape(shape)

    def complete(self) -> LabelTable:
        """Return the items that every annotator labelled, or of counts those with the most.

        >>> table = LabelTable.from_rows([(1, "ann", "x"), (1, "bob", "y"), (2, "ann", "x")])
        >>> table.complete().size
        1
        """
        return self._complete

    @cached_property
    def _complete(self) -> LabelTable:
        everyone = self.given.max(initial=0) if self.annotator is None else len(self.annotators)
        return self.subset(np.flatnonzero(self.given == everyone))

    def of_annotators(self, names: Iterable[str]) -> LabelTable:
        """Select annotators, under the name that :meth:`select_annotators` had before 1.0."""
        return self.select_annotators(names)

    def select_annotators(self, names: Iterable[str]) -> LabelTable:
        """Return the labels that some annotators gave; items and categories stay.

        Raises:
            SettingError: for a name that is not there, or is named twice; for what is no list.
        """
        names = check_annotator_names(names, self.annotators)
        place = np.array([names.index(n) if n in names else -1 for n in self.annotators], np.int64)
        annotator = self.annotator if self.annotator is not None else np.zeros(0, np.int64)
        kept = place[annotator] >= 0
        chosen = names if len(names) < len(self.annotators) else None
        return replace(
            self,
            **{name: getattr(self, name)[kept] for name in ("item", "label", "number")},
            annotator=place[annotator[kept]],
            annotators=tuple(names),
            reading={**self.reading, "chosen": chosen},
        )

    def subset(self, items: Ints) -> LabelTable:
        """Return the table of some of its items, by number from 0; each can be taken once."""
        place = np.full(self.size, -1)
        place[items] = np.arange(len(items))
        kept = place[self.item] >= 0
        return replace(
            self,
            item=place[self.item[kept]],
            label=self.label[kept],
            annotator=None if self.annotator is None else self.annotator[kept],
            number=self.number[kept],
            size=len(items),
            items=tuple(self.name_of(i) for i in items.tolist()),
            documents=None if self.documents is None else self.documents[items],
            parent_ids=None if self.parent_ids is None else self.parent_ids[items],
            lengths=None if self.lengths is None else self.lengths[items],
        )


def _iterated(values: object) -> Iterator[Any]:
    """Return an iterator over values; refuse what is no list."""
    if isinstance(values, (str, bytes, Mapping)) or not is_iterable(values):
        raise InputError(f"{quote_value(values)}; a list is needed")
    return iter(values)


# --- from rows ----------------------------------------------------------------------------------


def label_table(
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
    """Return a table of columns of rows, read as ``chosen``; ``location`` places a row, for"
    " errors."""
    check_choice(duplicates, DUPLICATES, "duplicates")
    item, item_names = number_texts(items, "item", location)
    annotator, annotator_names = number_texts(annotators, "annotator", location)
    label, names, notes, effect = number_labels(labels, categories, missing, separator, location)
    notes += odd_names(item_names, annotator_names, names)
    rows = np.flatnonzero(label >= 0)
    first = rows[_first_equal(item[rows] * len(annotator_names) + annotator[rows])]
    again = first != rows
    differs = again & (label[first] != label[rows])
    if differs.any() and duplicates == "error":
        i, j = int(first[differs][0]), int(rows[differs][0])
        raise InputError(
            f"{location(j)}item {quote_value(item_names[item[j]])}, annotator"
            f" {quote_value(annotator_names[annotator[j]])}: labelled twice,"
            f" {quote_value(names[label[i]])} and"
            f" {quote_value(names[label[j]])}; --duplicates first (duplicates='first') keeps the"
            " first"
        )
    for cases, noun, rule in (
        (again & ~differs, "repeated label", "by the same annotator counted once"),
        (differs, "later label", "of the same item and annotator left out (duplicates first)"),
    ):
        if number := int(cases.sum()):
            notes.append(f"{pluralize(number, noun)} {rule}")
    kept = rows[~again]
    reading = {"items": "labels", **(chosen or {})}
    reading |= {"duplicates": duplicates} if differs.any() else {}  # only what had an effect
    reading |= effect
    return LabelTable.of_single(
        kept, (item, label, annotator), len(item_names), annotator_names, names,
        items=item_names, reading=reading, notes=tuple(notes),
    )  # fmt: skip


def _first_equal(keys: Ints) -> Ints:
    """Return for each key the first place where it occurs."""
    if (keys[1:] > keys[:-1]).all():
        return np.arange(len(keys))
    _, first, which = np.unique(keys, return_index=True, return_inverse=True)
    return first[which.reshape(-1)]
