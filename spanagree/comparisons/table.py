"""The table that all scores are computed from: matches and sizes of each two annotations.

It has one row for each document, pair of annotators and label. A score is computed in four steps:
filter rows, group them, sum each group, compute the score of the sums. All quantities that add over
documents, pairs of annotators and labels are computed this way. A jackknife interval leaves out the
rows of one document at a time, and the tables of parts of a corpus are concatenated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from spanagree.arrays import Bools, Floats, Ints, unique, unique_rows
from spanagree.comparisons.inexact import ApproximationError
from spanagree.errors import pluralize

if TYPE_CHECKING:
    from spanagree.comparisons.tally import Tally

ALL = -2
"""Value of a key column that the rows are summed over."""

NO_LABEL = -1
"""Label of rows of a measure that disregards labels."""

KEYS = ("document", "first", "second", "label")
SUMS = (
    "matched", "expected",
    "size_first", "size_second", "expected_size_first", "expected_size_second",
)  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class Comparisons:
    """Matches and sizes of each two annotations of a document, with one row for each label.

    There is a row if at least one of the two annotators marked a segment of the label. Who saw a
    document without marking anything is in :class:`~spanagree.agreement.coverage.Coverage`. A row
    may also be the sum of other rows.

    Attributes:
        document: index of the document, or ``ALL``.
        first, second: indices of the two annotators; gold is the first if systems are evaluated.
        label: index of the label, ``NO_LABEL``, or ``ALL``.
        matched: observed similarity, summed over pairs of segments.
        expected: expected value of ``matched`` if the annotations are random.
        size_first, size_second: size of each annotation, in segments or tokens.
        expected_size_first, expected_size_second: expected sizes of the random annotations. They
            differ from the observed sizes only if sizes are random.
        annotators, labels: names that the indices refer to.
        inexact: number and error bounds of approximate entries of ``expected``.

    >>> import numpy as np
    >>> one, none = np.array([1, 1]), np.array([0, 0])
    >>> rows = Comparisons.of(np.array([0, 1]), none, one, np.array([0.2, 0.1]), [one + one, one])
    >>> rows.total().f1.observed, len(rows.by("first", "second"))
    (0.6666666666666666, 1)
    """

    document: Ints
    first: Ints
    second: Ints
    label: Ints
    matched: Ints | Floats
    expected: Floats
    size_first: Ints
    size_second: Ints
    expected_size_first: Ints | Floats
    expected_size_second: Ints | Floats
    annotators: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    inexact: ApproximationError = field(default_factory=ApproximationError)

    @classmethod
    def of(
        cls,
        document: Ints,
        label: Ints,
        matched: Ints | Floats,
        expected: Floats,
        sizes: Sequence[Ints],
        expected_sizes: Sequence[Ints | Floats] | None = None,
        *,
        inexact: ApproximationError | None = None,
    ) -> Comparisons:
        """Build the rows of two annotators, with indices 0 and 1.

        Args:
            document: document of each row.
            label: label of each row.
            matched: observed match of each row.
            expected: expected match of each row.
            sizes: size of each annotation in each row.
            expected_sizes: expected sizes of random annotations. Default: the same sizes.
            inexact: number and error bounds of approximate entries of ``expected``. Default: none.
        """
        n_rows = len(document)
        first, second = (np.broadcast_to(np.int64(index), n_rows) for index in (0, 1))
        expected_sizes = sizes if expected_sizes is None else expected_sizes
        return cls(
            document,
            first,
            second,
            label,
            matched,
            expected,
            size_first=sizes[0],
            size_second=sizes[1],
            expected_size_first=expected_sizes[0],
            expected_size_second=expected_sizes[1],
            inexact=inexact or ApproximationError(),
        )

    @classmethod
    def none(cls, *, is_whole: bool = True) -> Comparisons:
        """Build a table without rows, with integer matches unless ``is_whole`` is false."""
        empty = np.zeros(0, np.int64)
        matched = empty if is_whole else np.zeros(0)
        return cls.of(empty, empty, matched, np.zeros(0), (empty, empty))

    @classmethod
    def joined(cls, tables: Sequence[Comparisons]) -> Comparisons:
        """Concatenate the rows of several tables.

        Indices then refer to the names of annotators and labels of all tables.
        """
        if len(tables) < 2:
            return tables[0] if tables else cls.none()
        annotators = tuple(dict.fromkeys(name for table in tables for name in table.annotators))
        labels = tables[0].labels
        if any(table.labels != labels for table in tables):
            labels = tuple(sorted({label for table in tables for label in table.labels}))
        tables = [table.convert_indices(annotators, labels) for table in tables]
        columns = {
            key: _concatenate_columns([getattr(table, key) for table in tables]) for key in KEYS
        }
        for name, fallback in zip(SUMS, (*SUMS[:4], *SUMS[2:4]), strict=True):
            is_one_array = all(getattr(table, name) is getattr(table, fallback) for table in tables)
            columns[name] = (
                columns[fallback]
                if name != fallback and is_one_array
                else _concatenate_columns([getattr(table, name) for table in tables])
            )
        return cls(
            **columns,
            annotators=annotators,
            labels=labels,
            inexact=sum((table.inexact for table in tables), ApproximationError()),
        )

    def __add__(self, other: Comparisons) -> Comparisons:
        """Concatenate the rows of two tables."""
        return self.joined([self, other])

    def __len__(self) -> int:
        return len(self.document)

    def __repr__(self) -> str:
        return f"<Comparisons: {pluralize(len(self), 'row')}>"

    # --- filter ---------------------------------------------------------------------------------

    def where(self, rows: Bools | Ints | slice) -> Comparisons:
        """Select rows by a mask, by indices or by a slice."""
        return self._map_columns(lambda column: column[rows])

    def _map_columns(self, change: Any) -> Comparisons:
        """Apply a function to each column; columns that share an array share the result."""
        changed_by_id: dict[int, Any] = {}
        columns = {name: getattr(self, name) for name in (*KEYS, *SUMS)}
        for column in columns.values():
            if id(column) not in changed_by_id:
                changed_by_id[id(column)] = change(column)
        return replace(
            self, **{name: changed_by_id[id(column)] for name, column in columns.items()}
        )

    # --- names and order ------------------------------------------------------------------------

    def named(self, annotators: Sequence[str], labels: Sequence[str]) -> Comparisons:
        """Replace the names that the indices refer to."""
        return replace(self, annotators=tuple(annotators), labels=tuple(labels))

    def convert_indices(self, annotators: tuple[str, ...], labels: tuple[str, ...]) -> Comparisons:
        """Convert the indices of annotators and labels to positions in longer lists of names.

        Args:
            annotators: names that the new indices of annotators refer to, including all annotators
                of the table.
            labels: labels that the new indices of labels refer to, including all labels of the
                table.
        """
        changes: dict[str, Any] = {}
        if self.annotators != annotators[: len(self.annotators)]:
            index_by_name = {name: i for i, name in enumerate(annotators)}
            new_index = np.array([index_by_name[name] for name in self.annotators], np.int64)
            changes |= {
                key: _map_indices(getattr(self, key), new_index) for key in ("first", "second")
            }
        if self.labels != labels[: len(self.labels)]:
            index_by_name = {name: i for i, name in enumerate(labels)}
            new_index = np.array([index_by_name[name] for name in self.labels], np.int64)
            changes["label"] = _map_indices(self.label, new_index)
        return replace(self, **changes) if changes else self

    def between(self, first: Ints | int, second: Ints | int) -> Comparisons:
        """Replace the indices of the two annotators, for all rows or for each row."""
        a, b = (np.broadcast_to(np.asarray(indices), len(self)) for indices in (first, second))
        return replace(self, first=a, second=b)

    def turned(self, rows: Bools) -> Comparisons:
        """Exchange the two annotators in the rows of a mask."""
        if not rows.any():
            return self
        columns = {}
        for prefix in ("", "size_", "expected_size_"):
            first, second = (
                getattr(self, f"{prefix}{annotator}") for annotator in ("first", "second")
            )
            columns[f"{prefix}first"] = np.where(rows, second, first)
            columns[f"{prefix}second"] = np.where(rows, first, second)
        if not self.random_sizes:
            columns |= {f"expected_{name}": columns[name] for name in SUMS[2:4]}
        return replace(self, **columns)

    def both_ways(self) -> Comparisons:
        """Add each row once more with the two annotators exchanged."""
        rows = self.joined([self, self.turned(np.ones(len(self), np.bool_))])
        return replace(rows, inexact=self.inexact)  # each match counts once

    # --- group and sum --------------------------------------------------------------------------

    @property
    def random_sizes(self) -> bool:
        """Whether the sizes of random annotations differ from the observed sizes."""
        return self.expected_size_first is not self.size_first

    def by(self, *columns: str) -> Comparisons:
        """Sum the rows of each group, sorted by the columns that define the groups.

        Without columns the result is one row, even if there are no rows. Values are added in the
        order of the rows.
        """
        if columns:
            keys, group, _ = unique_rows(*(np.asarray(getattr(self, name)) for name in columns))
            count = len(keys[0])
        else:
            keys, group, count = (), np.zeros(len(self), np.int64), 1
        all_keys = np.broadcast_to(np.int64(ALL), count)
        sums_and_keys: dict[str, Any] = dict.fromkeys(KEYS, all_keys)
        sums_and_keys |= dict(zip(columns, keys, strict=True))
        for name in SUMS if self.random_sizes else SUMS[:4]:
            column = getattr(self, name)
            is_integer = column.dtype.kind != "f"  # below 2⁵³, so the sums are exact
            sums_and_keys[name] = np.bincount(group, column, count).astype(
                np.int64 if is_integer else float
            )
        if not self.random_sizes:
            sums_and_keys |= {f"expected_{name}": sums_and_keys[name] for name in SUMS[2:4]}
        return replace(self, **sums_and_keys)

    def less(self, subtracted: Comparisons) -> Comparisons:
        """Subtract each of several rows from this single row, with a row for each difference."""
        total = self.where(np.zeros(len(subtracted), np.int64))
        negated = replace(
            subtracted._map_columns(lambda column: -column),
            **{key: getattr(subtracted, key) for key in KEYS},
        )
        position = np.arange(len(subtracted))
        differences = self.joined(
            [replace(rows, document=position, label=position) for rows in (total, negated)]
        ).by("document")
        return replace(differences, **{key: getattr(subtracted, key) for key in KEYS})

    def table(self, units: Ints) -> Floats:
        """Sum matched, expected and both sizes for each document; (units, 4).

        If sizes are random, both expected sizes follow; (units, 6).

        Args:
            units: sorted indices of documents. Rows of other documents are left out; documents
                without rows have sums of 0.
        """
        largest = max(int(indices.max(initial=-1)) for indices in (units, self.document))
        position = np.full(largest + 1, -1)
        position[units] = np.arange(len(units))
        position = position[self.document]
        rows = np.flatnonzero(position >= 0)
        # in the order of the values, so that the order of rows changes no digit
        rows = rows[np.lexsort((self.matched[rows], self.expected[rows], position[rows]))]
        sums = [np.bincount(position[rows], column[rows], len(units)) for column in self.columns]
        return np.stack(sums, axis=1).astype(np.float64)  # sums of no values are integers

    def symmetric_table(self, units: Ints) -> Floats:
        """Sum matched, expected and the total size of both annotations for each document.

        The shape is (units, 3), or (units, 4) with the expected total size if sizes are random.
        """
        table = self.table(units)
        sizes = [table[:, k : k + 2].sum(axis=1) for k in range(2, table.shape[1], 2)]
        return np.column_stack((table[:, :2], *sizes))

    @property
    def symmetric_columns(self) -> list[Ints | Floats]:
        """Matched, expected, total size, and expected total size if sizes are random."""
        matched, expected, *sizes = self.columns
        joint_sizes = [
            size_a + size_b for size_a, size_b in zip(sizes[::2], sizes[1::2], strict=True)
        ]
        return [matched, expected, *joint_sizes]

    def of_wholes(self, parent_ids: Ints | None) -> Comparisons:
        """Replace the index of each document by the index of its parent text, if it has one."""
        return self if parent_ids is None else replace(self, document=parent_ids[self.document])

    def documents(self) -> Ints:
        """Find the sorted indices of the documents with at least one row."""
        return unique(self.document)

    # --- score ----------------------------------------------------------------------------------

    @property
    def columns(self) -> list[Ints | Floats]:
        """Matched, expected and both sizes, and both expected sizes if these are random."""
        return [getattr(self, name) for name in (SUMS if self.random_sizes else SUMS[:4])]

    @property
    def tallies(self) -> list[Tally]:
        """Tallies of the rows, which compute scores."""
        from spanagree.comparisons.tally import Tally  # sums need no scores

        columns = (column.tolist() for column in self.columns)
        return [Tally.of(sums) for sums in zip(*columns, strict=True)]

    @property
    def empty_tally(self) -> Tally:
        """Tally of no row; its match is an integer or a float, as in the rows."""
        from spanagree.comparisons.tally import Tally  # sums need no scores

        return Tally(self.matched.dtype.type(0).item())

    def total(self) -> Tally:
        """Compute the tally of the sum over all rows, whatever their order."""

        return self.by().tallies[0]


def _concatenate_columns(columns: Sequence[Any]) -> Any:
    """Concatenate arrays or lists of rows."""
    return columns[0] if len(columns) == 1 else np.concatenate(columns)


def _map_indices(column: Ints, new_index: Ints) -> Ints:
    """Replace each index by its entry in ``new_index``; ``ALL`` and ``NO_LABEL`` stay."""
    is_index = column >= 0
    return (
        np.where(is_index, new_index[np.where(is_index, column, 0)], column)
        if is_index.any()
        else column
    )
