"""Counts of systems against gold, over all documents and for each, of the rows compared."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import Bools, Floats, Hashes, Ints, unique
from spanagree.comparisons.counting import MatchCounting, of_gold
from spanagree.comparisons.inexact import Inexact
from spanagree.comparisons.joined_texts import by_text
from spanagree.comparisons.measures import find_match
from spanagree.comparisons.place_shares import PlaceShares
from spanagree.comparisons.table import Comparisons
from spanagree.corpus.corpus import Corpus
from spanagree.results.score import all_figures
from spanagree.settings import MatchSettings
from spanagree.systems.compared_systems import (
    ComparedSystems,
    SystemRows,
    compare,
    compare_with_gold,
)
from spanagree.uncertainty.bootstrap import Resampling
from spanagree.uncertainty.evidence import evidence_of
from spanagree.uncertainty.unit_ids import ids_of_texts, ids_of_units


@dataclass(frozen=True, kw_only=True, eq=False)
class EvaluationSettings(MatchSettings):
    """The settings of an evaluation."""

    gold: str
    average: str = "micro"


class PerDocument(NamedTuple):
    """Single documents, which a whole corpus keeps.

    Attributes:
        comparisons: of gold, the first, with each system, the second.
        shared: which documents each system and gold both saw, by its number.
        ids: the names of the documents, if they have any.
        wholes: the number of the whole that each document is a sentence of, if it is known; of
            what is resampled, only if wholes are.
        corpus: the annotations that were compared, after all that selects or changes segments;
            ``None`` for counts that were read from files of tallies.
        document: of texts, the number of the document that each is in.
    """

    comparisons: Comparisons
    shared: Mapping[int, Bools]
    ids: tuple[str, ...] | None
    wholes: Ints | None = None
    corpus: Corpus | None = None
    document: Ints | None = None

    @property
    def joined(self) -> Corpus | None:
        """The corpus, if its documents were joined of texts."""
        return None if self.corpus is None or self.corpus.text_ends is None else self.corpus

    @property
    def numbers(self) -> Hashes | None:
        """Of each unit that is resampled, what says how often it is drawn."""
        if self.document is not None:
            return ids_of_texts(self.ids, self.document)
        return ids_of_units(self.ids, self.wholes)

    def of_system(self, name: str) -> Comparisons:
        """Return the comparisons of one system with gold."""
        return self.comparisons.where(self.comparisons.second == self.number(name))

    def shared_by(self, *names: str) -> Bools:
        """Return which documents gold and all of some systems saw."""
        shared: Bools = np.logical_and.reduce([self.shared[self.number(name)] for name in names])
        return shared

    def number(self, name: str) -> int:
        """Return the number of an annotator."""
        return self.comparisons.annotators.index(name)

    def table(self, name: str, documents: Ints) -> Floats:
        """Return what documents add to a system's matched, expected and sizes; (documents, 4)."""
        return self.of_system(name).table(documents)

    def units(self, documents: Bools) -> Ints:
        """Return the units that some documents are, or are parts of."""
        return np.flatnonzero(documents) if self.wholes is None else unique(self.wholes[documents])

    def drawn(self, resampling: Resampling, settings: EvaluationSettings) -> PerDocument:
        """Return what is resampled: documents, wholes of them, or texts they were joined of.

        Raises:
            SettingError: if it is not known what sentences belong to, or texts were not joined.
        """
        if not resampling.by_text(settings):
            return self._replace(wholes=resampling.wholes_of(self.wholes, settings))
        counting = MatchCounting(match=settings.match, chance=settings.chance)

        def compare(texts: Corpus) -> Comparisons:
            counting.check(texts)
            return compare_with_gold(texts, settings.gold, counting).comparisons

        comparisons, document = by_text(self.comparisons, self.joined, compare)
        shared = {number: both[document] for number, both in self.shared.items()}
        return PerDocument(comparisons, shared, self.ids, document=document)


@dataclass(frozen=True, kw_only=True, eq=False)
class CountedSystems:
    """What is counted of systems against gold.

    Attributes:
        documents: number of documents.
        settings: settings of the result.
        notes: what a reader repaired or passed over, and what is out of the ordinary.
        per_document: single documents.
        annotators: the layers, gold among them.
        shared: how many documents each system and gold both saw.
        sums: comparisons of gold, the first, with systems, the second, over all documents, by
            system and label.
        evidence: what precision, recall and F1 of a system and label rest on, (3, 3); over all
            labels, where the label is empty.
        inexact: where the expected match of each system is not exact.
        places: how segments stand to the rule of places, if chance has one.
        uniform: the same counts without that rule.
        rows: the rows of a whole corpus, which were counted.
    """

    documents: int
    settings: EvaluationSettings
    notes: tuple[str, ...] = ()
    per_document: PerDocument
    annotators: tuple[str, ...]
    shared: Mapping[str, int]
    sums: Comparisons
    evidence: Mapping[tuple[str, str], Ints]
    inexact: Mapping[str, Inexact] = field(default_factory=dict)
    places: PlaceShares | None = None
    uniform: CountedSystems | None = None
    rows: ComparedSystems | None = None

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the corpus, of a measure that regards them."""
        return self.sums.labels if find_match(self.settings.match).of_label else ()

    def over(self, documents: Ints) -> CountedSystems:
        """Return the counts over some of the documents, by number from 0."""
        per_document = self.per_document
        chosen = np.zeros(len(next(iter(per_document.shared.values()))), np.bool_)
        chosen[documents] = True
        fewer = per_document._replace(
            comparisons=per_document.comparisons.where(chosen[per_document.comparisons.document]),
            shared={number: both & chosen for number, both in per_document.shared.items()},
        )
        uniform = self.uniform and self.uniform.over(documents)
        return replace(
            self, documents=len(documents), inexact={}, uniform=uniform, rows=None, **sums_of(fewer)
        )


def sums_of(per_document: PerDocument) -> dict[str, Any]:
    """Return the fields of :class:`CountedSystems` that follow from single documents."""
    names = per_document.comparisons.annotators
    return {
        "shared": {names[number]: int(both.sum()) for number, both in per_document.shared.items()},
        "sums": per_document.comparisons.by("second", "label"),
        "evidence": _evidence(per_document, ()),
        "per_document": per_document,
    }


def _evidence(per_document: PerDocument, labels: Sequence[str]) -> dict[tuple[str, str], Ints]:
    """Return what the figures of each system and label rest on."""
    tables = tables_of(per_document._replace(wholes=None), labels)
    return {key: evidence_of(table, all_figures) for key, (_, table) in tables}


def tables_of(
    per_document: PerDocument, labels: Sequence[str]
) -> Iterator[tuple[tuple[str, str], tuple[Ints, Floats]]]:
    """Yield each system and label, and which units add what, as :meth:`Comparisons.table`.

    Over all labels that is empty; those of each one of ``labels`` come after it.
    """
    names = per_document.comparisons.annotators
    rows = per_document.comparisons.of_wholes(per_document.wholes)
    for number in sorted(per_document.shared, key=names.__getitem__):  # canonical order
        units = per_document.units(per_document.shared[number])
        part = rows.where(rows.second == number)
        yield (names[number], ""), (units, part.table(units))
        for code, label in enumerate(labels):
            yield (names[number], label), (units, part.where(part.label == code).table(units))


def count(corpus: Corpus, counting: MatchCounting, gold: str | None = None) -> CountedSystems:
    """Count what systems and gold have in common in one corpus; see :func:`compare`."""
    return counted_of(compare(corpus, counting, gold))


def counted_of(compared: ComparedSystems) -> CountedSystems:
    """Count what was compared in a corpus, or in all its parts."""
    counts = replace(_counted(compared, compared.rows, compared.counting), rows=compared)
    notes = (*compared.corpus.notes, *compared.description.notes(), *compared.notes)
    plain, uniform = compared.counting.without_places(), compared.uniform
    if plain is None or uniform is None:
        return replace(counts, notes=notes)
    return replace(
        counts,
        notes=notes,
        places=compared.description.shares,
        uniform=_counted(compared, uniform, plain),
    )


def _counted(
    compared: ComparedSystems, rows: SystemRows, counting: MatchCounting
) -> CountedSystems:
    """Count the rows under one chance model."""
    corpus, gold = compared.corpus, compared.gold
    names = corpus.annotators
    seen = [layer.annotated for layer in corpus.layers.values()]
    seen_by_gold = seen[names.index(gold)]
    shared = {i: seen_by_gold & mask for i, mask in enumerate(seen) if names[i] != gold}
    joined = None if corpus.text_ends is None else corpus
    shares = compared.description.shares if counting is compared.counting else None
    settings = counting.settings_of(corpus, rows.comparisons.inexact, shares)
    return CountedSystems(
        documents=len(corpus),
        settings=EvaluationSettings(**of_gold(gold, corpus), **settings),
        annotators=names,
        inexact=rows.inexact,
        **sums_of(PerDocument(rows.comparisons, shared, corpus.ids, corpus.wholes, joined)),
    )
