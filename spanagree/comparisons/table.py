"""The one table behind every figure: what each two annotations of a document have in common.

A figure is made in four steps: filter rows, group them, sum each group, score the sums. Whatever
adds over documents, pairs of annotators and labels goes this way; an interval leaves out the rows
of one document at a time, and parts of a corpus add, as their rows do.
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
"""In a column over which rows are summed."""

NO_LABEL = -1
"""The label where a measure disregards labels."""

KEYS = ("document", "first", "second", "label")
SUMS = (
    "matched", "expected",
    "size_first", "size_second", "expected_size_first", "expected_size_second",
)  # fmt: skip


@dataclass(frozen=True, eq=False, repr=False)
class Comparisons:
    """What each two annotations of a document have in common, a row for each label.

    There is a row where at least one of the two marked a segment of the label; who saw a document
    and marked nothing is in :class:`Coverage`. A row may also be a sum over others.

    Attributes:
        document: its number, or ``ALL``.
        first, second: the numbers of the two annotators; of systems gold is the first.
        label: its number, ``NO_LABEL``, or ``ALL``.
        matched: the similarity observed, added up over pairs of segments.
        expected: its expected value if both annotations were random.
        size_first, size_second: what each marked, in segments or tokens.
        expected_size_first, expected_size_second: the same of the random annotations: other than
            the sizes only where these are random.
        annotators, labels: the names that the numbers stand for.
        inexact: in how many documents and labels ``expected`` is not exact, and how far off.

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
        """Return the rows of two annotators, whose numbers are 0 and 1."""
        rows = len(document)
        first, second = (np.broadcast_to(np.int64(number), rows) for number in (0, 1))
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
        """Return no rows, of a measure whose matches are whole numbers or not."""
        nothing = np.zeros(0, np.int64)
        matched = nothing if is_whole else np.zeros(0)
        return cls.of(nothing, nothing, matched, np.zeros(0), (nothing, nothing))

    @classmethod
    def joined(cls, parts: Sequence[Comparisons]) -> Comparisons:
        """Return the rows of all parts, one after the other; names are united."""
        if not parts:
            return cls.none()
        annotators = tuple(dict.fromkeys(name for part in parts for name in part.annotators))
        labels = parts[0].labels
        if any(part.labels != labels for part in parts):
            labels = tuple(sorted({label for part in parts for label in part.labels}))
        parts = [part._numbered(annotators, labels) for part in parts]
        columns = {key: _concatenated([getattr(part, key) for part in parts]) for key in KEYS}
        for name, other in zip(SUMS, (*SUMS[:4], *SUMS[2:4]), strict=True):
            alike = all(getattr(part, name) is getattr(part, other) for part in parts)
            columns[name] = (
                columns[other]
                if name != other and alike
                else _concatenated([getattr(part, name) for part in parts])
            )
        return cls(
            **columns,
            annotators=annotators,
            labels=labels,
            inexact=sum((part.inexact for part in parts), ApproximationError()),
        )

    @classmethod
    def of_parts(
        cls,
        parts: Sequence[tuple[Comparisons, int]],
        annotators: Sequence[str],
        labels: Sequence[str],
        order: Sequence[str] = KEYS,
        *,
        gold_first: bool = False,
    ) -> Comparisons:
        """Join the rows of parts of a corpus, in the order that the whole corpus gives them.

        So sums over them have the digits of the whole.

        Args:
            parts: rows of each part, and the number of documents before it.
            annotators: names of the whole corpus, which numbers refer to.
            labels: labels of the whole corpus.
            order: columns that rows are sorted by.
            gold_first: keep the first annotator of each row first; else that is the one who comes
                first in the whole corpus.
        """
        names = tuple(annotators), tuple(labels)
        rows = cls.joined([part._numbered(*names).named(*names).after(n) for part, n in parts])
        if not gold_first:
            rows = rows.turned((rows.first > rows.second) & (rows.second >= 0))
        return rows.where(np.lexsort([np.asarray(getattr(rows, key)) for key in reversed(order)]))

    def after(self, documents: int) -> Comparisons:
        """Number the documents on after others; rows that sum over documents stay."""
        document = np.where(self.document >= 0, self.document + documents, self.document)
        return replace(self, document=document)

    def __add__(self, other: Comparisons) -> Comparisons:
        """Return the rows of both."""
        return self.joined([self, other])

    def __len__(self) -> int:
        return len(self.document)

    def __repr__(self) -> str:
        return f"<Comparisons: {pluralize(len(self), 'row')}>"

    # --- filter ---------------------------------------------------------------------------------

    def where(self, rows: Bools | Ints | slice) -> Comparisons:
        """Return some of the rows, by a mask or by number."""
        return self._each(lambda column: column[rows])

    def _each(self, change: Any) -> Comparisons:
        """Return the same with each column changed; those that are one array stay one."""
        changed: dict[int, Any] = {}
        columns = {name: getattr(self, name) for name in (*KEYS, *SUMS)}
        for column in columns.values():
            if id(column) not in changed:
                changed[id(column)] = change(column)
        return replace(self, **{name: changed[id(column)] for name, column in columns.items()})

    # --- names and sides ------------------------------------------------------------------------

    def named(self, annotators: Sequence[str], labels: Sequence[str]) -> Comparisons:
        """Return the same with names for its numbers."""
        return replace(self, annotators=tuple(annotators), labels=tuple(labels))

    def _numbered(self, annotators: tuple[str, ...], labels: tuple[str, ...]) -> Comparisons:
        """Return the same with the numbers that names have among others."""
        changed: dict[str, Any] = {}
        if self.annotators != annotators[: len(self.annotators)]:
            number = {name: i for i, name in enumerate(annotators)}
            numbers = np.array([number[name] for name in self.annotators], np.int64)
            changed |= {
                key: _renumbered(getattr(self, key), numbers) for key in ("first", "second")
            }
        if self.labels != labels[: len(self.labels)]:
            number = {name: i for i, name in enumerate(labels)}
            numbers = np.array([number[name] for name in self.labels], np.int64)
            changed["label"] = _renumbered(self.label, numbers)
        return replace(self, **changed) if changed else self

    def between(self, first: Ints | int, second: Ints | int) -> Comparisons:
        """Return the same with other numbers for the two annotators, one for all rows or each."""
        a, b = (np.broadcast_to(np.asarray(side), len(self)) for side in (first, second))
        return replace(self, first=a, second=b)

    def turned(self, rows: Bools) -> Comparisons:
        """Return the same with the two sides exchanged in some rows."""
        if not rows.any():
            return self
        changed = {}
        for kind in ("", "size_", "expected_size_"):
            first, second = (getattr(self, f"{kind}{side}") for side in ("first", "second"))
            changed[f"{kind}first"] = np.where(rows, second, first)
            changed[f"{kind}second"] = np.where(rows, first, second)
        if not self.random_sizes:
            changed |= {f"expected_{name}": changed[name] for name in SUMS[2:4]}
        return replace(self, **changed)

    def both_ways(self) -> Comparisons:
        """Return each row from both its sides; ``first`` is whose it is."""
        both = self.joined([self, self.turned(np.ones(len(self), np.bool_))])
        return replace(both, inexact=self.inexact)  # of the same expected matches

    # --- group and sum --------------------------------------------------------------------------

    @property
    def random_sizes(self) -> bool:
        """Whether the sizes of random annotations are other than those observed."""
        return self.expected_size_first is not self.size_first

    def by(self, *columns: str) -> Comparisons:
        """Return a row for each that columns tell apart, summed over the others, sorted.

        Without columns it is one row, also of nothing. Values are added in the order of the rows.
        """
        if columns:
            keys, which, _ = unique_rows(*(np.asarray(getattr(self, name)) for name in columns))
            count = len(keys[0])
        else:
            keys, which, count = (), np.zeros(len(self), np.int64), 1
        everything = np.broadcast_to(np.int64(ALL), count)
        made: dict[str, Any] = dict.fromkeys(KEYS, everything)
        made |= dict(zip(columns, keys, strict=True))
        for name in SUMS if self.random_sizes else SUMS[:4]:
            column = getattr(self, name)
            is_whole = column.dtype.kind != "f"  # whole below 2⁵³, so that their sums are exact
            made[name] = np.bincount(which, column, count).astype(np.int64 if is_whole else float)
        if not self.random_sizes:
            made |= {f"expected_{name}": made[name] for name in SUMS[2:4]}
        return replace(self, **made)

    def less(self, parts: Comparisons) -> Comparisons:
        """Return what is left of this one row without each of the parts, a row for each."""
        total = self.where(np.zeros(len(parts), np.int64))
        taken = replace(
            parts._each(lambda column: -column), **{key: getattr(parts, key) for key in KEYS}
        )
        place = np.arange(len(parts))
        both = self.joined(
            [replace(rows, document=place, label=place) for rows in (total, taken)]
        ).by("document")
        return replace(both, **{key: getattr(parts, key) for key in KEYS})

    def table(self, units: Ints) -> Floats:
        """Return what each unit adds to matched, expected and both sizes; (units, 4).

        Where sizes are random, the two expected ones stand behind them; (units, 6).

        Args:
            units: numbers of documents, rising; rows of other documents are left out, and those of
                which there is no row add nothing.
        """
        most = max(int(numbers.max(initial=-1)) for numbers in (units, self.document))
        place = np.full(most + 1, -1)
        place[units] = np.arange(len(units))
        place = place[self.document]
        rows = np.flatnonzero(place >= 0)
        # added up in the order of their values, so that the order of rows changes no digit
        rows = rows[np.lexsort((self.matched[rows], self.expected[rows], place[rows]))]
        sums = [np.bincount(place[rows], column[rows], len(units)) for column in self.columns]
        return np.stack(sums, axis=1).astype(np.float64)  # of nothing, sums are whole

    def symmetric_table(self, units: Ints) -> Floats:
        """Return the same with the sizes of both sides together, whoever is first.

        That is (units, 3), and where sizes are random (units, 4).
        """
        table = self.table(units)
        sizes = [table[:, k : k + 2].sum(axis=1) for k in range(2, table.shape[1], 2)]
        return np.column_stack((table[:, :2], *sizes))

    @property
    def symmetric_columns(self) -> list[Ints | Floats]:
        """Matched, expected and the size of both sides, and the expected one where random."""
        matched, expected, *sizes = self.columns
        both = [
            of_first + of_second
            for of_first, of_second in zip(sizes[::2], sizes[1::2], strict=True)
        ]
        return [matched, expected, *both]

    def of_wholes(self, parent_ids: Ints | None) -> Comparisons:
        """Return the same with the number of the whole that each document is a part of."""
        return self if parent_ids is None else replace(self, document=parent_ids[self.document])

    def documents(self) -> Ints:
        """Return the numbers of the documents that have a row, rising."""
        return unique(self.document)

    # --- score ----------------------------------------------------------------------------------

    @property
    def columns(self) -> list[Ints | Floats]:
        """Matched, expected and both sizes, and behind them the expected ones where random."""
        return [getattr(self, name) for name in (SUMS if self.random_sizes else SUMS[:4])]

    @property
    def tallies(self) -> list[Tally]:
        """A tally for each row, which has the scores."""
        from spanagree.comparisons.tally import Tally  # sums need no scores

        columns = (column.tolist() for column in self.columns)
        return [Tally.of(sums) for sums in zip(*columns, strict=True)]

    @property
    def empty_tally(self) -> Tally:
        """The tally of no row: its match is a count, or a sum of similarities, as those of rows."""
        from spanagree.comparisons.tally import Tally  # sums need no scores

        return Tally(self.matched.dtype.type(0).item())

    def total(self) -> Tally:
        """Return the tally of the sum over all rows, which does not depend on their order."""

        return self.by().tallies[0]


def _concatenated(columns: Sequence[Any]) -> Any:
    return columns[0] if len(columns) == 1 else np.concatenate(columns)


def _renumbered(column: Ints, numbers: Ints) -> Ints:
    """Return numbers as others have them; ``ALL`` and ``NO_LABEL`` stay."""
    known = column >= 0
    return np.where(known, numbers[np.where(known, column, 0)], column) if known.any() else column


@dataclass(frozen=True, eq=False)
class Coverage:
    """Who annotated which documents, marked or not; annotators by number.

    Attributes:
        documents: how many there are.
        annotated: of each annotator, a mask of the documents.
    """

    documents: int
    annotated: Sequence[Bools]

    def number(self) -> Ints:
        """Return how many annotators saw each document."""
        number = np.zeros(self.documents, np.int64)
        for mask in self.annotated:
            number += mask
        return number

    def shared(self, a: int, b: int) -> Ints:
        """Return the documents that both saw."""
        return np.flatnonzero(self.annotated[a] & self.annotated[b])

    def by_two(self) -> Ints:
        """Return the documents that two or more saw."""
        return np.flatnonzero(self.number() > 1)


@dataclass(frozen=True, eq=False)
class SharedDocumentCounts:
    """How many documents annotators saw and share; of parts of a corpus it adds, by their names.

    Attributes:
        annotators: their names.
        seen: how many documents two or more saw.
        saw: how many each saw.
        only: how many each saw with one other, and nobody else.
        first, second: the numbers of two who share a document, the lower first; sorted.
        shared: how many documents these share.
    """

    annotators: tuple[str, ...]
    seen: int
    saw: Ints
    only: Ints
    first: Ints
    second: Ints
    shared: Ints

    @classmethod
    def none(cls, annotators: tuple[str, ...]) -> SharedDocumentCounts:
        """Build the sharing of annotators who saw nothing."""
        empty, zeros = np.zeros(0, np.int64), np.zeros(len(annotators), np.int64)
        return cls(annotators, 0, zeros, zeros, empty, empty, empty)

    def __add__(self, other: SharedDocumentCounts) -> SharedDocumentCounts:
        """Return what both parts have together."""
        names = tuple(dict.fromkeys((*self.annotators, *other.annotators)))
        place = {name: i for i, name in enumerate(names)}
        numbers = [
            np.array([place[name] for name in part.annotators], np.int64) for part in (self, other)
        ]

        def added(name: str) -> Ints:
            total = np.zeros(len(names), np.int64)
            for part, places in zip((self, other), numbers, strict=True):
                total[places] += getattr(part, name)
            return total

        pairs = [
            np.sort((places[part.first], places[part.second]), axis=0)
            for part, places in zip((self, other), numbers, strict=True)
        ]
        (first, second), which, _ = unique_rows(*np.concatenate(pairs, axis=1))
        times = np.concatenate((self.shared, other.shared))
        shared = np.bincount(which, times, len(first)).astype(np.int64)
        seen = self.seen + other.seen
        return SharedDocumentCounts(names, seen, added("saw"), added("only"), first, second, shared)


@dataclass(frozen=True, eq=False)
class PartlySummedComparisons:
    """Comparisons of which some are known as sums only; views as of :class:`Comparisons`.

    All pairs of a crowded document are compared at once, which gives its sums over pairs, over
    the others of each annotator, and those of each pair over such documents.

    Attributes:
        rows: of the documents that are compared pair by pair.
        documents: of all others, by document and label.
        pairs: of these, by two annotators.
        annotations: of these, by document and annotator, the first, with all the others.
        ways: 2 if each row stands from both its sides.
    """

    rows: Comparisons
    documents: Comparisons
    pairs: Comparisons
    annotations: Comparisons
    ways: int = 1

    @classmethod
    def of_parts(
        cls,
        parts: Sequence[tuple[Comparisons | PartlySummedComparisons, int]],
        annotators: Sequence[str],
        labels: Sequence[str],
    ) -> Comparisons | PartlySummedComparisons:
        """Join what is known of parts of a corpus, as :meth:`Comparisons.of_parts` does.

        If no part has crowded documents, that is rows alone.
        """
        names = annotators, labels
        rows = Comparisons.of_parts(
            [(x.rows if isinstance(x, PartlySummedComparisons) else x, n) for x, n in parts], *names
        )
        crowds = [(x, n) for x, n in parts if isinstance(x, PartlySummedComparisons)]
        if not crowds:
            return rows
        documents = Comparisons.of_parts([(x.documents, n) for x, n in crowds], *names)
        pairs = Comparisons.of_parts([(x.pairs, n) for x, n in crowds], *names)
        annotations = Comparisons.of_parts([(x.annotations, n) for x, n in crowds], *names)
        return cls(rows, documents, pairs.by("first", "second"), annotations)

    @property
    def inexact(self) -> ApproximationError:
        """As :class:`Comparisons` has it."""
        return self.rows.inexact

    def both_ways(self) -> PartlySummedComparisons:
        """Return each row from both its sides; ``first`` is whose it is."""
        return replace(
            self,
            rows=self.rows.both_ways(),
            documents=self.documents.both_ways(),
            pairs=self.pairs.both_ways(),
            ways=2,
        )

    def by(self, *columns: str) -> Comparisons:
        """Return a row for each that columns tell apart, as :meth:`Comparisons.by`.

        Raises:
            ValueError: for columns that are known of single pairs in single documents only.
        """
        known = [({"document", "label"}, self.documents), ({"first", "second"}, self.pairs)]
        if self.ways == 2:
            known.append(({"document", "first"}, self.annotations))
        for keys, part in known:
            if keys >= set(columns):
                return (self.rows + part).by(*columns)
        raise ValueError(f"{columns}: not known of crowds; compare pair by pair")
