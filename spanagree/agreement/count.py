"""Counts of annotators against each other, over all documents and for each, of rows compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

from spanagree.agreement.compared_annotators import ComparedAnnotators, compare_annotators
from spanagree.agreement.crowded import CrowdedDocuments, find_crowded
from spanagree.agreement.weight import DominantDocument, heavy_documents
from spanagree.arrays import Floats, Hashes, Ints, Progress, groups, places_in, unique
from spanagree.comparisons.annotation_pairs import AnnotationIndex, compare_pairs
from spanagree.comparisons.counting import MatchCounting
from spanagree.comparisons.inexact import Inexact
from spanagree.comparisons.joined_texts import by_text
from spanagree.comparisons.measures import find_match
from spanagree.comparisons.place_shares import PlaceShares
from spanagree.comparisons.table import Comparisons, Coverage, Marginals, Sharing
from spanagree.corpus.corpus import Corpus
from spanagree.results.score import f1_figures
from spanagree.settings import MatchSettings
from spanagree.uncertainty.bootstrap import Resampling
from spanagree.uncertainty.evidence import evidence_of
from spanagree.uncertainty.unit_ids import ids_of_texts, ids_of_units


@dataclass(frozen=True, kw_only=True, eq=False)
class AgreementSettings(MatchSettings):
    """The settings of an agreement; the last three are those of a result, not of counts."""

    team: str = "summed"
    annotators: int | None = None
    min_shared: int | None = None
    p_values: bool | None = None


@dataclass(frozen=True, eq=False)
class PerDocument:
    """The documents of a whole corpus, whose pairs are compared one by one where somebody asks.

    Attributes:
        corpus: the annotators that are compared.
        match, chance: how.
        sums: what was compared: single rows, or of crowded documents their sums.
    """

    corpus: Corpus
    match: str
    chance: str
    sums: Comparisons | Marginals

    @classmethod
    def of(cls, corpus: Corpus, match: str, chance: str, progress: Progress = None) -> PerDocument:
        """Compare the annotators of a corpus; nothing is checked."""
        counting = MatchCounting(match=match, chance=chance, progress=progress)
        sums, _ = compare_annotators(corpus, AnnotationIndex.of(corpus), counting)
        return cls(corpus, match, chance, sums)

    @cached_property
    def coverage(self) -> Coverage:
        """Who annotated which documents."""
        layers = self.corpus.layers.values()
        return Coverage(len(self.corpus), [layer.annotated for layer in layers])

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of the corpus, of a measure that regards them."""
        return self.corpus.labels if find_match(self.match).of_label else ()

    @cached_property
    def rows(self) -> Comparisons:
        """Each two annotators of each document."""
        if isinstance(self.sums, Comparisons):
            return self.sums
        self.corpus.check_segments("single pairs of crowded documents")
        crowd = AnnotationIndex.of(self.corpus)
        return compare_pairs(self.corpus, crowd, crowd.pairs(), self.match, self.chance)

    @property
    def as_units(self) -> Drawn:
        """The documents, each a unit by itself; nothing is to be drawn."""
        return Drawn(self, self.sums, self.coverage)

    def drawn(self, resampling: Resampling, settings: AgreementSettings) -> Drawn:
        """Return what is resampled: documents, wholes of them, or texts they were joined of.

        Raises:
            SettingError: if it is not known what sentences belong to, or texts were not joined.
        """
        if not resampling.by_text(settings):
            wholes = resampling.wholes_of(self.corpus.wholes, settings)
            ids = ids_of_units(self.corpus.ids, wholes)
            return replace(self.as_units, ids=ids, wholes=wholes)
        self.corpus.check_segments("resample_by text")

        def compare(texts: Corpus) -> Comparisons:
            crowd = AnnotationIndex.of(texts)
            return compare_pairs(texts, crowd, crowd.pairs(), self.match, self.chance)

        rows, document = by_text(self.rows, self.corpus, compare)
        masks = [mask[document] for mask in self.coverage.annotated]
        ids = ids_of_texts(self.corpus.ids, document)
        return Drawn(self, rows, Coverage(len(document), masks), ids)


@dataclass(frozen=True, eq=False)
class Drawn:
    """The units that are resampled for an agreement, and what each adds to its figures.

    Attributes:
        per_document: the documents that are drawn, or parts or wholes of them.
        sums: single rows, or sums of crowded documents.
        coverage: who annotated which of the documents that ``sums`` numbers.
        ids: of each unit what says how often it is drawn; without ids that is what it adds.
        wholes: of each document the number of the whole that is drawn, if wholes are.
    """

    per_document: PerDocument
    sums: Comparisons | Marginals
    coverage: Coverage
    ids: Hashes | None = None
    wholes: Ints | None = None

    @property
    def rows(self) -> Comparisons:
        """Each two annotators of each unit."""
        rows = self.sums if isinstance(self.sums, Comparisons) else self.per_document.rows
        return rows.of_wholes(self.wholes)

    @property
    def pairs(self) -> int:
        """How many pairs of annotations there are."""
        number = self.coverage.number()
        return int((number * (number - 1) // 2).sum())

    @property
    def crowded(self) -> CrowdedDocuments | None:
        """The documents that ``sums`` has sums of only, if there are any."""
        if isinstance(self.sums, Comparisons):
            return None
        self.per_document.corpus.check_segments("intervals over annotators of crowded documents")
        corpus, measure = self.per_document.corpus, find_match(self.per_document.match)
        crowd = AnnotationIndex.of(corpus)
        return find_crowded(corpus, crowd, measure, self.per_document.chance)

    def units(self, documents: Ints) -> Ints:
        """Return the units that some documents are, or are parts of."""
        return documents if self.wholes is None else unique(self.wholes[documents])

    def tables(self, labels: int) -> Iterator[tuple[Ints, Floats]]:
        """Yield the units of the team, of each label and of each annotator, and what each adds.

        That is matched, expected and size, and the expected size where random; (units, 3 or 4).
        """
        seen = self.coverage.by_two()
        units = self.units(seen)
        by_label = self.sums.by("document", "label").of_wholes(self.wholes)
        yield units, by_label.by("document").symmetric_table(units)
        for chosen in groups(by_label.label, labels) if labels else ():
            yield units, by_label.where(chosen).symmetric_table(units)
        annotators = len(self.coverage.annotated)
        by_annotator = self.sums.both_ways().by("document", "first").of_wholes(self.wholes)
        for number, chosen in enumerate(groups(by_annotator.first, annotators)):
            saw = self.units(seen[self.coverage.annotated[number][seen]])
            yield saw, by_annotator.where(chosen).symmetric_table(saw)

    def pair_tables(self, first: Ints, second: Ints) -> Iterator[tuple[Ints, Floats]]:
        """Yield the same of all pairs that share a document, given by two annotators each."""
        rows = self.rows
        of_pairs = groups(places_in((first, second), (rows.first, rows.second)), len(first))
        for i, j, chosen in zip(first.tolist(), second.tolist(), of_pairs, strict=True):
            units = self.units(self.coverage.shared(i, j))
            yield units, rows.where(chosen).symmetric_table(units)


@dataclass(frozen=True, kw_only=True, eq=False)
class CountedPairs:
    """What is counted of annotators against each other.

    Attributes:
        documents: number of documents.
        settings: settings of the result.
        notes: what a reader repaired or passed over, and what is out of the ordinary.
        per_document: single documents.
        sharing: how many documents annotators saw and share.
        pairs: comparisons of each two, over the documents they share.
        by_label: comparisons of each label, over pairs; of none that disregards labels.
        single: in how many documents that two saw nobody marked more than one segment.
        heavy: the documents that carry much of the weight.
        evidence: what the F1 of the team rests on; (1, 3).
        inexact: where the expected match is not exact.
        places: how segments stand to the rule of places, if chance has one.
        uniform: the same counts without that rule.
        rows: the rows of a whole corpus, which were counted.
    """

    documents: int
    settings: AgreementSettings
    notes: tuple[str, ...] = ()
    per_document: PerDocument
    sharing: Sharing
    pairs: Comparisons
    by_label: Comparisons
    single: int
    heavy: tuple[DominantDocument, ...]
    evidence: Ints
    inexact: Inexact = field(default_factory=Inexact)
    places: PlaceShares | None = None
    uniform: CountedPairs | None = None
    rows: ComparedAnnotators | None = None


def counted_of(compared: ComparedAnnotators) -> CountedPairs:
    """Count what was compared in a corpus, or in all its parts."""
    counts = replace(_counted(compared, compared.sums, compared.counting), rows=compared)
    notes = (*compared.corpus.notes, *compared.description.notes())
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
    compared: ComparedAnnotators, sums: Comparisons | Marginals, counting: MatchCounting
) -> CountedPairs:
    """Count the rows under one chance model."""
    corpus = compared.corpus
    per_document = PerDocument(corpus, counting.match, counting.chance, sums)
    by_document, number = sums.by("document"), per_document.coverage.number()
    shares = compared.description.shares if counting is compared.counting else None
    settings = counting.settings_of(corpus, sums.inexact, shares)
    units = per_document.coverage.by_two()
    return CountedPairs(
        documents=len(corpus),
        settings=AgreementSettings(chosen=compared.chosen, **settings),
        per_document=per_document,
        inexact=sums.inexact,
        sharing=compared.sharing,
        pairs=sums.by("first", "second"),
        by_label=sums.by("label") if per_document.labels else Comparisons.none(),
        single=int(((number > 1) & (compared.most < 2)).sum()),
        heavy=heavy_documents(corpus, by_document, number),
        evidence=evidence_of(by_document.symmetric_table(units), f1_figures),
    )
