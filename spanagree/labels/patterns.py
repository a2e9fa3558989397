"""What coefficients need of labels, without the items: counts that add over blocks.

Items with the same labels are one pattern with a multiplicity, so what is kept does not grow with
the number of items. All numbers are whole, so blocks and their order change no digit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np

from spanagree.arrays import Hashes, Ints, distinct
from spanagree.blocks.counted import Counted
from spanagree.blocks.ids import ids_of
from spanagree.blocks.poisson import Entries, Key, Replicates, replicates
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.label_counts import LabelCounts, cells_of, counts_of_cells
from spanagree.corpus.label_table import LabelTable
from spanagree.settings import Settings
from spanagree.uncertainty.bootstrap import Resampling

Pattern: TypeAlias = tuple[tuple[str, int], ...]
"""Labels, and how often each was given to the same item; sorted."""


EVIDENCE = ("compared", "disagreeing", "agreeing")
"""The sums of :class:`LabelTallies` that say how much decides."""


@dataclass(frozen=True, kw_only=True, eq=False)
class LabelTallies(Counted[Settings]):
    """Labels of items over blocks, as counts; :func:`spanagree.coefficients` takes them.

    Attributes:
        labels: the categories, sorted.
        annotators: their names.
        sums: whole numbers, by a name, by how many labels the items have, and by more:
            ``pattern`` (by pattern): how many items have these labels;
            ``own`` (by annotator and label): how many labels were given;
            ``equal`` (by the same): how many labels of others, on the same items, are the same;
            ``near`` (by the same and another label), with ``pairs``: how many are that other one;
            ``document``: how many documents have such an item; at 0, any item;
            ``compared``, ``disagreeing``, ``agreeing``: the same of items with two labels or more,
            any two that disagree, or that agree.
        pairs: whether they hold which labels stand beside which, as weights of categories need it.
        replicates: sums in resamples, if they were asked for: ``items``, ``given`` and ``agreeing``
            (by label), and ``own``; with ``pairs`` also ``pair``, of labels that differ.

    >>> import spanagree as sa
    >>> layers = {"ann": [[(0, 2, "PER"), (4, 5, "LOC")]], "bob": [[(0, 2, "PER"), (4, 6, "LOC")]]}
    >>> corpus = sa.Corpus.from_segments([9], layers)
    >>> tallies = sa.token_labels([corpus, corpus])
    >>> tallies.labels, round(sa.coefficients(tallies).pi.value, 3)
    (('LOC', 'O', 'PER'), 0.798)
    """

    labels: tuple[str, ...]
    annotators: tuple[str, ...]
    sums: Mapping[Key, int]
    pairs: bool = False

    named = True  # it is known who gave which label

    def __add__(self, other: LabelTallies) -> LabelTallies:
        return replace(
            super().__add__(other),
            labels=tuple(sorted({*self.labels, *other.labels})),
            annotators=tuple(dict.fromkeys((*self.annotators, *other.annotators))),
            pairs=self.pairs and other.pairs,
        )

    @property
    def resampling(self) -> Resampling | None:
        """How the replicates were drawn, if they were asked for."""
        return None if self.replicates is None else self.replicates.resampling

    @property
    def reading(self) -> Mapping[str, Any]:
        """The settings that made the labels."""
        return {key: value for key, value in self.final_settings().items() if key != "version"}

    @cached_property
    def _patterns(self) -> list[tuple[Pattern, int]]:
        return sorted((key[2], times) for key, times in self.sums.items() if key[0] == "pattern")

    @cached_property
    def _position(self) -> dict[str, int]:
        return {annotator: i for i, annotator in enumerate(self.annotators)}

    @cached_property
    def _code(self) -> dict[str, int]:
        return {label: i for i, label in enumerate(self.labels)}

    @property
    def size(self) -> int:
        """The number of patterns."""
        return len(self._patterns)

    @cached_property
    def times(self) -> Ints:
        """How many items have each pattern."""
        return np.array([times for _, times in self._patterns], np.int64)

    @cached_property
    def cells(self) -> tuple[Ints, Ints, Ints]:
        """Pattern, category and number of labels wherever that is not 0, sorted."""
        code = self._code
        rows = [
            (i, code[label], number)
            for i, (pattern, _) in enumerate(self._patterns)
            for label, number in pattern
        ]
        item, label, number = np.array(rows, np.int64).reshape(-1, 3).T
        return item, label, number

    @cached_property
    def given(self) -> Ints:
        """How many labels the items of each pattern have."""
        pattern, _, number = self.cells
        return np.bincount(pattern, number, self.size).astype(np.int64)

    @cached_property
    def counts(self) -> LabelCounts:
        """What coefficients need."""
        return counts_of_cells(self.cells, self.given, self.times, len(self.labels))

    def _by_annotator(self, name: str, others: bool = False) -> Ints:
        """Return these sums by annotator and label, each times the other labels if asked for."""
        position, code = self._position, self._code
        sums = np.zeros((len(position), len(code)), np.int64)
        for key, number in self.sums.items():
            if key[0] == name:
                sums[position[key[2]], code[key[3]]] += number * (key[1] - 1 if others else 1)
        return sums

    @cached_property
    def own(self) -> Ints:
        """How often each annotator gave each label."""
        return self._by_annotator("own")

    @cached_property
    def co_labels(self) -> tuple[Ints, Ints, Ints]:
        """Of each annotator: labels, labels of others on the same items, and equal ones."""
        sums = self.own, self._by_annotator("own", others=True), self._by_annotator("equal")
        gave, others, equal = (counts.sum(axis=1) for counts in sums)
        return gave, others, equal

    @property
    def neighbours(self) -> tuple[Ints, ...]:
        """Of labels given: annotator, label, another's on the same item, and how often."""
        position, code = self._position, self._code
        rows = sorted(
            (position[key[2]], code[key[3]], code[key[4]], number)
            for key, number in self.sums.items()
            if key[0] == "near"
        )
        return tuple(np.array(rows, np.int64).reshape(-1, 4).T)

    @property
    def units(self) -> int:
        """How many documents have an item."""
        return self.sums.get(("document", 0), 0)

    @property
    def evidence(self) -> tuple[int, ...]:
        """How many documents have an item of two labels, any that disagree, any that agree."""
        return tuple(self.sums[name, 0] for name in EVIDENCE)

    def complete(self) -> LabelTallies:
        """Return the items that every annotator labelled."""
        everyone = len(self.annotators)
        sums = {key: number for key, number in self.sums.items() if key[1] == everyone}
        for name in ("document", *EVIDENCE):
            sums[name, 0] = sums.get((name, everyone), 0)
        drawn = self.replicates
        if drawn is not None:
            kept = {key: number for key, number in drawn.sums.items() if key[1] == everyone}
            drawn = replace(drawn, sums=kept)
        return replace(self, sums=sums, replicates=drawn)


Labels: TypeAlias = LabelTable | LabelTallies
"""What a coefficient can be made of."""


def neighbours(table: LabelTable) -> tuple[Ints, ...]:
    """Return annotator, label, another's on the same item, how often, and the number of labels.

    Sorted by the first columns; of items that differ in their number of labels apart.
    """
    assert table.annotator is not None
    _, label, number = table.cells
    cell, row = cells_of(table.cells, table.item)
    beside = number[cell] - (label[cell] == table.label[row])
    cell, row, beside = cell[beside > 0], row[beside > 0], beside[beside > 0]
    columns = table.annotator[row], table.label[row], label[cell], table.given[table.item[row]]
    (annotator, first, second, n), which, _ = distinct(*columns)
    beside = beside * table.times[table.item[row]]
    number = np.bincount(which, beside, len(annotator)).astype(np.int64)
    return annotator, first, second, number, n


def tally_labels(
    table: LabelTable, corpus: Corpus, resampling: Resampling | None, pairs: bool
) -> LabelTallies:
    """Return the tallies of a table of the tokens of a corpus, with replicates if asked for.

    ``pairs``: they hold which labels stand beside which, as weights of categories need it.
    """
    assert table.annotator is not None  # tokens have annotators
    assert table.documents is not None
    cells, cell, gave = distinct(table.given[table.item], table.annotator, table.label)
    keys = [(n, table.annotators[a], table.labels[c]) for n, a, c in _rows(cells)]
    times = table.times[table.item]
    gave = np.bincount(cell, times, len(gave)).astype(np.int64)
    equal = np.bincount(cell, table.equal_others * times, len(gave)).astype(np.int64)
    labelled = table.given > 0
    (documents, _), _, _ = distinct(table.given[labelled], table.documents[labelled])
    ids = ids_of(corpus)
    drawn = None if resampling is None else _draw(table, ids, keys, cell, resampling, pairs)
    names, annotators = table.labels, table.annotators
    near = neighbours(table) if pairs else ()
    return LabelTallies(
        documents=len(corpus),
        settings=Settings(reading=table.reading),
        notes=table.notes,
        ids=ids,
        replicates=drawn,
        labels=table.labels,
        annotators=table.annotators,
        sums={
            **_count_patterns(table),
            **{("own", *key): number for key, number in zip(keys, gave.tolist(), strict=True)},
            **{("equal", *key): number for key, number in zip(keys, equal.tolist(), strict=True)},
            **Counter(("document", n) for n in documents.tolist()),
            ("document", 0): len(np.unique(table.documents)),
            **_count_informative(table, table.documents),
            **{("near", n, annotators[a], names[x], names[y]): k for a, x, y, k, n in _rows(near)},
        },
        pairs=pairs,
    )


def _count_informative(table: LabelTable, documents: Ints) -> dict[Key, int]:
    """Count documents with an informative item, by how many labels it has."""
    sums: Counter[Key] = Counter()
    for name, mask, number in zip(EVIDENCE, table.informative, table.evidence, strict=True):
        (given, _), _, _ = distinct(table.given[mask], documents[mask])
        sums.update((name, n) for n in given.tolist())
        sums[name, 0] = number
    return sums


def _rows(columns: Iterable[Ints]) -> Iterable[tuple[Any, ...]]:
    return zip(*(column.tolist() for column in columns), strict=True)


def _count_patterns(table: LabelTable) -> dict[Key, int]:
    """Count items with the same labels, by the number of different ones among them."""
    item, label, number = table.cells
    cells = np.bincount(item, minlength=table.size)
    first = np.cumsum(cells) - cells
    patterns: dict[Key, int] = {}
    for many in np.unique(cells[cells > 0]).tolist():
        begin = first[cells == many]
        columns = [c[begin + k] for k in range(many) for c in (label, number)]
        rows, which, _ = distinct(*columns)
        times = np.bincount(which, table.times[cells == many]).astype(np.int64)
        for row, count in zip(_rows(rows), times.tolist(), strict=True):
            names = [table.labels[c] for c in row[::2]]
            pattern = tuple(zip(names, row[1::2], strict=True))
            patterns["pattern", sum(row[1::2]), pattern] = count
    return patterns


def _draw(
    table: LabelTable,
    ids: Sequence[Hashes],
    own_keys: Iterable[tuple[int, str, str]],
    own_of: Ints,
    resampling: Resampling,
    pairs: bool,
) -> Replicates:
    """Return what a block adds in every resample to its counts."""
    assert table.documents is not None  # of tokens
    item, label, number = table.cells
    n, document, times = table.given, table.documents, table.times
    labelled = n > 0
    (ns,), of_n, _ = distinct(n[labelled])
    cells, of_cell, _ = distinct(n[item], label)
    keys = [(k, table.labels[c]) for k, c in _rows(cells)]

    def entries(
        name: str, keys: Iterable[tuple[Any, ...]], which: Ints, documents: Ints, values: Ints
    ) -> Entries:
        return Entries([(name, *key) for key in keys], which, documents, values[:, None])

    parts = [
        entries("items", _rows([ns]), of_n, document[labelled], times[labelled]),
        entries("given", keys, of_cell, document[item], number * times[item]),
        entries("agreeing", keys, of_cell, document[item], number * (number - 1) * times[item]),
        entries("own", own_keys, own_of, document[table.item], times[table.item]),
    ]
    if pairs:
        second, first = cells_of(table.cells, item)
        second, first = second[first != second], first[first != second]
        apart, of_pair, _ = distinct(n[item[first]], label[first], label[second])
        names = ((k, table.labels[a], table.labels[b]) for k, a, b in _rows(apart))
        both = number[first] * number[second] * times[item[first]]
        parts.append(entries("pair", names, of_pair, document[item[first]], both))
    return replicates(ids, parts, resampling)
