"""What one corpus or block adds to an evaluation, and how two such counts add."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import Bools, Floats, Hashes, Ints, distinct, unique
from spanagree.blocks.counted import Counted
from spanagree.blocks.ids import ids_of, ids_of_texts, ids_of_units
from spanagree.blocks.matches import MatchCounting, of_gold
from spanagree.blocks.poisson import Entries, Replicates, replicates
from spanagree.comparisons.expected import (
    compare_layers,
    place_layers,
)
from spanagree.comparisons.inexact import Inexact
from spanagree.comparisons.joined_texts import by_text
from spanagree.comparisons.measures import Match, find_match
from spanagree.comparisons.place_shares import PlaceShares
from spanagree.comparisons.random_layers import NAME, is_drawn, mean_of_random
from spanagree.comparisons.table import Comparisons
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.roles import settled
from spanagree.errors import (
    InputError,
    MissingLayerError,
    SettingError,
    check_known,
    counted,
    listed,
    printable,
)
from spanagree.results.score import all_figures
from spanagree.settings import MatchSettings
from spanagree.uncertainty.bootstrap import Resampling
from spanagree.uncertainty.evidence import evidence_of


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
            return compare_with_gold(texts, settings.gold, counting)[0]

        comparisons, document = by_text(self.comparisons, self.joined, compare)
        shared = {number: both[document] for number, both in self.shared.items()}
        return PerDocument(comparisons, shared, self.ids, document=document)


@dataclass(frozen=True, kw_only=True, eq=False)
class CountedSystems(Counted[EvaluationSettings]):
    """What is counted of systems against gold.

    Attributes:
        annotators: the layers, gold among them.
        shared: how many documents each system and gold both saw.
        sums: comparisons of gold, the first, with systems, the second, over all documents, by
            system and label.
        evidence: what precision, recall and F1 of a system and label rest on, (3, 3); over all
            labels, where the label is empty, and for each of a block of which intervals are asked.
        inexact: where the expected match of each system is not exact.
        places: how segments stand to the rule of places, if chance has one.
        uniform: the same counts without that rule.
    """

    annotators: tuple[str, ...]
    shared: Mapping[str, int]
    sums: Comparisons
    evidence: Mapping[tuple[str, str], Ints]
    inexact: Mapping[str, Inexact] = field(default_factory=dict)
    places: PlaceShares | None = None
    uniform: CountedSystems | None = None
    per_document: PerDocument | None = None

    def __add__(self, other: CountedSystems) -> CountedSystems:
        if self.annotators != other.annotators:
            raise InputError(
                f"annotators {listed(other.annotators)}; the blocks before have"
                f" {listed(self.annotators)}"
            )
        return replace(super().__add__(other), annotators=self.annotators)

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the corpus, of a measure that regards them."""
        return self.sums.labels if find_match(self.settings.match).of_label else ()

    def over(self, documents: Ints) -> CountedSystems:
        """Return the counts over some of the documents, by number from 0.

        Raises:
            SettingError: over blocks, which keep sums only.
        """
        per_document = self.documents_kept()
        chosen = np.zeros(len(next(iter(per_document.shared.values()))), np.bool_)
        chosen[documents] = True
        fewer = per_document._replace(
            comparisons=per_document.comparisons.where(chosen[per_document.comparisons.document]),
            shared={number: both & chosen for number, both in per_document.shared.items()},
        )
        uniform = self.uniform and self.uniform.over(documents)
        return replace(
            self, documents=len(documents), inexact={}, uniform=uniform, **sums_of(fewer)
        )

    def documents_kept(self) -> PerDocument:
        """Return the single documents.

        Raises:
            SettingError: over blocks, which keep sums only.
        """
        if self.per_document is None:
            raise SettingError(
                "single documents are not kept over blocks; an evaluation of one corpus keeps them"
            )
        return self.per_document


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
    """Count what systems and gold have in common in one corpus or block.

    Args:
        corpus: gold and systems as layers.
        counting: the measure, the chance model, and what is kept.
        gold: the name of the gold layer; the first unless given.

    Raises:
        SettingError: for an unknown name, fewer than two layers, or a layer that overlaps itself
            where the measure or the chance model does not allow it.
    """
    names = corpus.annotators
    if len(names) < 2:
        raise MissingLayerError(
            f"{counted(len(names), 'annotator')} in the corpus; gold and at least one system are"
            " needed: pass a second file, or --columns gold=1,mine=2"
        )
    gold = names[0] if gold is None else gold
    check_known([gold], names, "gold")
    corpus = settled(corpus, [name for name in names if name != gold], [gold])
    counting.check(corpus)
    comparisons, by_system = compare_with_gold(corpus, gold, counting)
    drawn_notes: tuple[str, ...] = ()
    if counting.keep and gold != NAME and is_drawn(corpus):
        comparisons, drawn_notes = _with_mean_of_random(comparisons, corpus, gold, counting.measure)
    annotated = {name: corpus.layers[name].annotated for name in names}
    shared = {
        number: annotated[gold] & annotated[name]
        for number, name in enumerate(names)
        if name != gold
    }
    per_document = PerDocument(comparisons, shared, corpus.ids, corpus.wholes, corpus)
    described = counting.describe(corpus, comparisons.inexact)
    plain = counting.without_places()
    counts = CountedSystems(
        documents=len(corpus),
        settings=EvaluationSettings(**of_gold(gold, corpus), **described.settings),
        notes=(*described.notes, *drawn_notes),
        ids=() if counting.keep else ids_of(corpus),
        annotators=names,
        inexact=by_system,
        places=described.places,
        uniform=None if plain is None else replace(count(corpus, plain, gold), ids=(), notes=()),
        **sums_of(per_document),
    )
    if counting.keep:
        return counts
    drawn, few = None, counts.evidence
    if counting.drawing is not None:
        drawn = _draw(counts, comparisons, counting.drawing)
        few = _evidence(per_document, counts.labels)
    return replace(counts, per_document=None, replicates=drawn, evidence=few)


def compare_with_gold(
    corpus: Corpus, gold: str, counting: MatchCounting
) -> tuple[Comparisons, dict[str, Inexact]]:
    """Return comparisons of gold, the first, with each system, the second.

    Beside them stands where the expected match of each system is not exact. Nothing is checked.
    """
    names, measure = corpus.annotators, counting.measure
    report_progress = counting.progress or (lambda done, total: None)
    report_progress(0, len(names))
    profiles, placed = place_layers(corpus, names, counting.chance, measure)
    labels = max(1, len(corpus.labels))
    first = names.index(gold)
    parts: dict[str, Comparisons] = {}
    for second, name in enumerate(names):
        if name != gold:
            report_progress(len(parts) + 1, len(names))
            part = compare_layers(placed[gold], placed[name], profiles, measure, labels)
            parts[name] = part.between(first, second)
    report_progress(len(names), len(names))
    comparisons = Comparisons.joined([*parts.values()]).named(names, corpus.labels)
    return comparisons, {name: part.inexact for name, part in parts.items()}


def _with_mean_of_random(
    comparisons: Comparisons, corpus: Corpus, gold: str, measure: Match
) -> tuple[Comparisons, tuple[str, ...]]:
    """Return the comparisons with what the random baseline matches in the mean, and a note."""
    mean = mean_of_random(corpus, [gold], measure)
    rows = comparisons.second == corpus.annotators.index(NAME)
    matched = comparisons.matched.astype(np.float64)
    label = np.maximum(comparisons.label[rows], 0)
    matched[rows] = mean.matched[comparisons.document[rows], label]
    size = float((comparisons.size_first + comparisons.size_second)[rows].sum())
    return replace(comparisons, matched=matched), (
        mean.note(size, f"{printable(gold)} stays as it is"),
    )


def _draw(counts: CountedSystems, comparisons: Comparisons, resampling: Resampling) -> Replicates:
    """Return what a block adds in every resample to the columns of each system and label."""
    (system, label), which, _ = distinct(np.asarray(comparisons.second), comparisons.label)
    names = (*counts.labels, "")  # the last where the measure disregards labels
    keys = [(counts.annotators[i], names[code]) for i, code in zip(system, label, strict=True)]
    values = np.stack(comparisons.columns, axis=1).astype(np.float64)
    entries = Entries(keys, which, comparisons.document, values)
    return replicates(counts.ids, [entries], resampling)
