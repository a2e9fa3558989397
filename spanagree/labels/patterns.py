"""What coefficients need of labels, without the items: counts that add over blocks.

Items with the same labels are one pattern with a multiplicity, so what is kept does not grow with
the number of items. All numbers are whole, so blocks and their order change no digit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, TypeAlias, TypeVar

import numpy as np

from spanagree.arrays import Ints, distinct
from spanagree.blocks.counted import Counted
from spanagree.blocks.ids import Hashes, ids_of
from spanagree.blocks.poisson import Entries, Replicates, replicates
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.label_counts import LabelCounts, counts_of_cells
from spanagree.corpus.label_table import LabelTable
from spanagree.settings import Settings
from spanagree.uncertainty.bootstrap import Resampling

Pattern: TypeAlias = tuple[tuple[str, int], ...]
"""Labels, and how often each was given to the same item; sorted."""

_Key = TypeVar("_Key", bound=Hashable)


@dataclass(frozen=True, kw_only=True, eq=False)
class LabelTallies(Counted[Settings]):
    """Labels of items over blocks, as counts; :func:`spanagree.coefficients` takes them.

    Attributes:
        labels: the categories, sorted.
        annotators: their names.
        patterns: how many items have these labels.
        own: how many labels of items with n labels an annotator gave; by n, annotator, label.
        equal: how many labels of others, on the same items, are the same; by n, annotator.
        documents_with: how many documents have an item with n labels; by n, and by 0 those that
            have any item.
        resampling: how the replicates were drawn, if they were asked for; these are the sums
            ``items`` by n, ``given`` and ``agreeing`` by n and label, ``own`` by n, annotator and
            label.
    """

    labels: tuple[str, ...]
    annotators: tuple[str, ...]
    patterns: Mapping[Pattern, int]
    own: Mapping[tuple[int, str, str], int]
    equal: Mapping[tuple[int, str], int]
    documents_with: Mapping[int, int]
    resampling: Resampling | None = None

    named = True  # it is known who gave which label

    def _add(self, other: LabelTallies) -> dict[str, Any]:
        sums = ("patterns", "own", "equal", "documents_with")
        return {
            "labels": tuple(sorted({*self.labels, *other.labels})),
            "annotators": tuple(dict.fromkeys((*self.annotators, *other.annotators))),
            **{name: _added(getattr(self, name), getattr(other, name)) for name in sums},
        }

    @property
    def reading(self) -> Mapping[str, Any]:
        """The settings that made the labels."""
        return {key: value for key, value in self.final_settings().items() if key != "version"}

    @cached_property
    def _ordered(self) -> list[Pattern]:
        return sorted(self.patterns)

    @cached_property
    def _codes(self) -> tuple[dict[str, int], dict[str, int]]:
        """The number of each annotator and of each label."""
        return tuple({x: i for i, x in enumerate(xs)} for xs in (self.annotators, self.labels))  # type: ignore[return-value]

    @property
    def size(self) -> int:
        """The number of patterns."""
        return len(self.patterns)

    @cached_property
    def times(self) -> Ints:
        """How many items have each pattern."""
        return np.array([self.patterns[pattern] for pattern in self._ordered], np.int64)

    @cached_property
    def cells(self) -> tuple[Ints, Ints, Ints]:
        """Pattern, category and number of labels wherever that is not 0, sorted."""
        _, code = self._codes
        return _columns(
            (i, code[label], number)
            for i, pattern in enumerate(self._ordered)
            for label, number in pattern
        )

    @cached_property
    def given(self) -> Ints:
        """How many labels the items of each pattern have."""
        pattern, _, number = self.cells
        return np.bincount(pattern, number, self.size).astype(np.int64)

    @cached_property
    def counts(self) -> LabelCounts:
        """What coefficients need."""
        return counts_of_cells(self.cells, self.given, self.times, len(self.labels))

    @cached_property
    def by_annotator(self) -> tuple[Ints, Ints, Ints]:
        """Annotator, category and number of labels wherever that is not 0, sorted."""
        who, code = self._codes
        sums: Counter[tuple[int, int]] = Counter()
        for (_, name, label), number in self.own.items():
            sums[who[name], code[label]] += number
        return _columns((*key, sums[key]) for key in sorted(sums))

    @cached_property
    def beside(self) -> tuple[Ints, Ints, Ints]:
        """Of each annotator: labels, labels of others on the same items, and equal ones."""
        who, _ = self._codes
        gave, others, equal = np.zeros((3, len(who)), np.int64)
        for (n, name, _), number in self.own.items():
            gave[who[name]] += number
            others[who[name]] += number * (n - 1)
        for (_, name), number in self.equal.items():
            equal[who[name]] += number
        return gave, others, equal

    @property
    def units(self) -> int:
        """How many documents have an item."""
        return self.documents_with.get(0, 0)

    def complete(self) -> LabelTallies:
        """Return the items that every annotator labelled."""
        everyone = len(self.annotators)
        drawn = self.replicates
        if drawn is not None:
            drawn = Replicates({k: sums for k, sums in drawn.sums.items() if k[1] == everyone})
        return replace(
            self,
            patterns={p: k for p, k in self.patterns.items() if sum(n for _, n in p) == everyone},
            own={key: k for key, k in self.own.items() if key[0] == everyone},
            equal={key: k for key, k in self.equal.items() if key[0] == everyone},
            documents_with={0: self.documents_with.get(everyone, 0)},
            replicates=drawn,
        )


Labels: TypeAlias = LabelTable | LabelTallies
"""What a coefficient can be made of."""


def _added(one: Mapping[_Key, int], other: Mapping[_Key, int]) -> dict[_Key, int]:
    total = Counter(one)
    total.update(other)
    return dict(total)


def _columns(rows: Iterable[Sequence[int]]) -> tuple[Ints, Ints, Ints]:
    first, second, third = np.array(list(rows), np.int64).reshape(-1, 3).T
    return first, second, third


def _rows(columns: Iterable[Ints]) -> Iterable[tuple[Any, ...]]:
    return zip(*(column.tolist() for column in columns), strict=True)


def tally_labels(
    table: LabelTable, corpus: Corpus, resampling: Resampling | None = None
) -> LabelTallies:
    """Return the tallies of a table of the tokens of a corpus, with replicates if asked for."""
    assert table.annotator is not None  # tokens have annotators
    assert table.documents is not None
    names, labels = table.annotators, table.labels
    n = table.given[table.item]
    cells, own_of, own = distinct(n, table.annotator, table.label)
    own_keys = [(k, names[a], labels[c]) for k, a, c in _rows(cells)]
    equal: Counter[tuple[int, str]] = Counter()
    by_cell = np.bincount(own_of, table.equal_others, len(own)).astype(np.int64).tolist()
    for (k, name, _), number in zip(own_keys, by_cell, strict=True):
        equal[k, name] += number
    some = table.given > 0
    (of_n, _), _, _ = distinct(table.given[some], table.documents[some])
    ids = ids_of(corpus)
    drawn = None if resampling is None else _draw(table, ids, own_keys, own_of, resampling)
    return LabelTallies(
        documents=len(corpus),
        settings=Settings(reading=table.reading),
        notes=table.notes,
        ids=ids,
        replicates=drawn,
        labels=labels,
        annotators=names,
        patterns=_patterns(table),
        own=dict(zip(own_keys, own.tolist(), strict=True)),
        equal=dict(equal),
        documents_with={**Counter(of_n.tolist()), 0: len(np.unique(table.documents))},
        resampling=resampling,
    )


def _patterns(table: LabelTable) -> dict[Pattern, int]:
    """Count items with the same labels, by the number of different ones among them."""
    item, label, number = table.cells
    cells = np.bincount(item, minlength=table.size)
    first = np.cumsum(cells) - cells
    patterns: dict[Pattern, int] = {}
    for many in np.unique(cells[cells > 0]).tolist():
        begin = first[cells == many]
        columns = [c[begin + k] for k in range(many) for c in (label, number)]
        rows, _, times = distinct(*columns)
        for row, count in zip(_rows(rows), times.tolist(), strict=True):
            pairs = zip(row[::2], row[1::2], strict=True)
            patterns[tuple((table.labels[c], k) for c, k in pairs)] = count
    return patterns


def _draw(
    table: LabelTable,
    ids: Sequence[Hashes],
    own_keys: Iterable[tuple[int, str, str]],
    own_of: Ints,
    resampling: Resampling,
) -> Replicates:
    """Return what a block adds in every resample to its counts."""
    assert table.documents is not None  # of tokens
    item, label, number = table.cells
    n, document = table.given, table.documents
    some = n > 0
    (ns,), of_n, _ = distinct(n[some])
    cells, of_cell, _ = distinct(n[item], label)
    keys = [(k, table.labels[c]) for k, c in _rows(cells)]

    def entries(name: str, keys: Iterable[tuple[Any, ...]], *columns: Ints) -> Entries:
        return Entries([(name, *key) for key in keys], *columns)

    return replicates(
        ids,
        [
            entries("items", _rows([ns]), of_n, document[some], np.ones_like(of_n)),
            entries("given", keys, of_cell, document[item], number),
            entries("agreeing", keys, of_cell, document[item], number * (number - 1)),
            entries("own", own_keys, own_of, document[table.item], np.ones_like(own_of)),
        ],
        resampling,
    )
