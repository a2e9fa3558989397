"""What coefficients need of labels, without the items: counts that add over blocks.

Items with the same labels are one pattern with a multiplicity, so what is kept does not grow with
the number of items. All numbers are whole, so blocks and their order change no digit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeAlias, TypeVar

import numpy as np

from spanagree.arrays import Ints, distinct
from spanagree.blocks.ids import Hashes, ids_of
from spanagree.blocks.poisson import Entries, Key, Replicates, replicates
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.label_counts import LabelCounts, counts_of_cells
from spanagree.corpus.label_table import LabelTable
from spanagree.settings import merged_settings
from spanagree.uncertainty.bootstrap import Resampling

Pattern: TypeAlias = tuple[tuple[str, int], ...]
"""Labels, and how often each was given to the same item; sorted."""


Of = TypeVar("Of", bound=Hashable)


@dataclass(frozen=True, eq=False)
class LabelTallies:
    """Labels of items over blocks, as counts; :func:`spanagree.coefficients` takes them.

    Attributes:
        labels: the categories, sorted.
        annotators: their names.
        patterns: how many items have these labels.
        own: how many labels of items with n labels an annotator gave; by n, annotator, label.
        equal: how many labels of others, on the same items, are the same; by n, annotator.
        documents: how many documents have such an item; by n, and by 0 those that have any.
        reading: the settings that made the labels.
        notes: what was read in another way than it stands.
        ids: the documents' ids as numbers, of each block.
        replicates: sums in resamples, if they were asked for: ``items`` and ``given`` and
            ``agreeing`` by n (and label), ``own`` by n, annotator and label.
        resampling: how they were drawn.
    """

    labels: tuple[str, ...]
    annotators: tuple[str, ...]
    patterns: Mapping[Pattern, int]
    own: Mapping[tuple[int, str, str], int]
    equal: Mapping[tuple[int, str], int]
    documents: Mapping[int, int]
    reading: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    ids: tuple[Hashes, ...] = field(default=(), repr=False)
    replicates: Replicates | None = field(default=None, repr=False)
    resampling: Resampling | None = None

    named = True  # it is known who gave which label

    def plus(self, other: LabelTallies, number: int) -> LabelTallies:
        """Both together; ``number`` is that of the later block.

        Raises:
            InputError: for labels that were read with other settings.
        """
        drawn = (self.replicates, other.replicates)
        return LabelTallies(
            tuple(sorted({*self.labels, *other.labels})),
            tuple(dict.fromkeys((*self.annotators, *other.annotators))),
            _added(self.patterns, other.patterns),
            _added(self.own, other.own),
            _added(self.equal, other.equal),
            _added(self.documents, other.documents),
            merged_settings(self.reading, other.reading, f"block {number}"),
            (*self.notes, *other.notes),
            (*self.ids, *other.ids),
            drawn[0].plus(drawn[1]) if drawn[0] and drawn[1] else None,
            self.resampling,
        )

    @cached_property
    def _ordered(self) -> list[Pattern]:
        return sorted(self.patterns)

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
        code = {label: i for i, label in enumerate(self.labels)}
        rows = [
            (i, code[label], number)
            for i, pattern in enumerate(self._ordered)
            for label, number in pattern
        ]
        pattern, label, number = np.array(rows, np.int64).reshape(-1, 3).T
        return pattern, label, number

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
        who = {name: i for i, name in enumerate(self.annotators)}
        code = {label: i for i, label in enumerate(self.labels)}
        sums: Counter[tuple[int, int]] = Counter()
        for (_, name, label), number in self.own.items():
            sums[who[name], code[label]] += number
        rows = [(*key, sums[key]) for key in sorted(sums)]
        annotator, label_code, number_of = np.array(rows, np.int64).reshape(-1, 3).T
        return annotator, label_code, number_of

    @cached_property
    def beside(self) -> tuple[Ints, Ints, Ints]:
        """Of each annotator: labels, labels of others on the same items, and equal ones."""
        who = {name: i for i, name in enumerate(self.annotators)}
        gave, others, equal = np.zeros((3, len(who)), np.int64)
        for (n, name, _), number in self.own.items():
            gave[who[name]] += number
            others[who[name]] += number * (n - 1)
        for (_, name), number in self.equal.items():
            equal[who[name]] += number
        return gave, others, equal

    @property
    def units(self) -> int:
        """How many documents there are."""
        return self.documents.get(0, 0)

    def complete(self) -> LabelTallies:
        """The items that every annotator labelled."""
        everyone = len(self.annotators)
        drawn = self.replicates
        if drawn is not None:
            kept = {key: of for key, of in drawn.sums.items() if key[1] == everyone}
            drawn = drawn._replace(sums=kept)
        return replace(
            self,
            patterns={p: k for p, k in self.patterns.items() if sum(n for _, n in p) == everyone},
            own={key: k for key, k in self.own.items() if key[0] == everyone},
            equal={key: k for key, k in self.equal.items() if key[0] == everyone},
            documents={0: self.documents.get(everyone, 0)},
            replicates=drawn,
        )


Labels: TypeAlias = LabelTable | LabelTallies
"""What a coefficient can be made of."""


def _added(one: Mapping[Of, int], other: Mapping[Of, int]) -> dict[Of, int]:
    total = Counter(one)
    total.update(other)
    return dict(total)


def tallied(table: LabelTable, corpus: Corpus, resampling: Resampling | None) -> LabelTallies:
    """The tallies of a table of the tokens of a corpus; with ``resampling`` its replicates too."""
    assert table.annotator is not None  # tokens have annotators
    assert table.documents is not None
    n = table.given[table.item]
    beside = table.equal_others
    whose, own_of, own = distinct(n, table.annotator, table.label)
    names, labels = table.annotators, table.labels
    own_keys = [(k, names[a], labels[c]) for k, a, c in _rows(whose)]
    (equal_n, equal_who), at, _ = distinct(n, table.annotator)
    equal = np.bincount(at, beside, len(equal_n)).astype(np.int64)
    some = table.given > 0
    (of_n, _), _, _ = distinct(table.given[some], table.documents[some])
    documents = dict(Counter(of_n.tolist()))
    documents[0] = len(np.unique(table.documents))
    ids = ids_of(corpus)
    return LabelTallies(
        labels,
        names,
        _patterns(table),
        dict(zip(own_keys, own.tolist(), strict=True)),
        {
            (k, names[a]): number
            for (k, a), number in zip(_rows((equal_n, equal_who)), equal.tolist(), strict=True)
        },
        documents,
        table.reading,
        table.notes,
        ids,
        None if resampling is None else _drawn(table, ids, own_keys, own_of, resampling),
        resampling,
    )


def _rows(columns: Iterable[Ints]) -> Iterable[tuple[Any, ...]]:
    return zip(*(column.tolist() for column in columns), strict=True)


def _patterns(table: LabelTable) -> dict[Pattern, int]:
    """Items with the same labels, by the number of different ones among them."""
    item, label, number = table.cells
    cells = np.bincount(item, minlength=table.size)
    first = np.cumsum(cells) - cells
    found: dict[Pattern, int] = {}
    for many in np.unique(cells[cells > 0]).tolist():
        begin = first[cells == many]
        columns = [c[begin + k] for k in range(many) for c in (label, number)]
        rows, _, times = distinct(*columns)
        for row, count in zip(_rows(rows), times.tolist(), strict=True):
            pairs = zip(row[::2], row[1::2], strict=True)
            found[tuple((table.labels[c], k) for c, k in pairs)] = count
    return found


def _drawn(
    table: LabelTable,
    ids: Sequence[Hashes],
    own_keys: list[tuple[int, str, str]],
    own_of: Ints,
    resampling: Resampling,
) -> Replicates:
    """What a block adds in every resample to its counts."""
    assert table.documents is not None  # of tokens
    item, label, number = table.cells
    n = table.given
    (ns,), of_n, _ = distinct(n[n > 0])
    (cell_n, cell_label), of_cell, _ = distinct(n[item], label)
    cells = [(k, table.labels[c]) for k, c in _rows((cell_n, cell_label))]
    one = np.ones(len(of_n), np.int64)

    def keyed(name: str, keys: Iterable[tuple[Any, ...]]) -> list[Key]:
        return [(name, *key) for key in keys]

    document = table.documents
    entries = [
        Entries(keyed("items", ((k,) for k in ns.tolist())), of_n, document[n > 0], one),
        Entries(keyed("given", cells), of_cell, document[item], number),
        Entries(keyed("agreeing", cells), of_cell, document[item], number * (number - 1)),
        Entries(keyed("own", own_keys), own_of, document[table.item], np.ones_like(own_of)),
    ]
    return replicates(ids, entries, resampling)
