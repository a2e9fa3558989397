"""What one corpus or block adds to an agreement, and how two such counts add."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain

import numpy as np

from spanagree.agreement.crowded import CrowdedDocuments, crowd_sums, find_crowded
from spanagree.agreement.weight import DominantDocument, count_single, heavy_documents
from spanagree.arrays import Floats, Hashes, Ints, Progress, distinct, groups, places_in, unique
from spanagree.blocks.counted import Counted
from spanagree.blocks.ids import ids_of, ids_of_texts, ids_of_units
from spanagree.blocks.matches import MatchCounting
from spanagree.blocks.poisson import Entries, Replicates, replicates
from spanagree.comparisons.annotation_pairs import AnnotationIndex, compare_pairs
from spanagree.comparisons.inexact import Inexact
from spanagree.comparisons.joined_texts import by_text
from spanagree.comparisons.measures import find_match
from spanagree.comparisons.place_shares import PlaceShares
from spanagree.comparisons.table import NO_LABEL, Comparisons, Coverage, Marginals, Sharing
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.roles import choose_annotators
from spanagree.results.score import f1_figures
from spanagree.settings import MatchSettings
from spanagree.uncertainty.bootstrap import Resampling
from spanagree.uncertainty.evidence import evidence_of


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
        counting = MatchCounting(match=match, chance=chance, keep=True, progress=progress)
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
class CountedPairs(Counted[AgreementSettings]):
    """What is counted of annotators against each other.

    Attributes:
        sharing: how many documents annotators saw and share.
        pairs: comparisons of each two, over the documents they share.
        by_label: comparisons of each label, over pairs; of none that disregards labels.
        single: in how many documents that two saw nobody marked more than one segment.
        heavy: the documents that carry much of the weight; of a block without ids none.
        evidence: what the F1 of a part rests on, (1, 3): of the team, whose key is (); of a block
            of which intervals are asked, also of each (label,), (annotator, annotator), and pair
            of annotators, sorted.
        inexact: where the expected match is not exact.
        places: how segments stand to the rule of places, if chance has one.
        uniform: the same counts without that rule.
    """

    sharing: Sharing
    pairs: Comparisons
    by_label: Comparisons
    single: int
    heavy: tuple[DominantDocument, ...]
    evidence: Mapping[tuple[str, ...], Ints]
    inexact: Inexact = field(default_factory=Inexact)
    places: PlaceShares | None = None
    uniform: CountedPairs | None = None
    per_document: PerDocument | None = None

    def __add__(self, other: CountedPairs) -> CountedPairs:
        """As of any counts; a pair is one pair in whatever order blocks name the two."""
        both = super().__add__(other)
        turned = both.pairs.first > both.pairs.second
        if not turned.any():
            return both
        return replace(both, pairs=both.pairs.turned(turned).by("first", "second"))


def count(
    corpus: Corpus, counting: MatchCounting, annotators: Sequence[str] | None = None
) -> CountedPairs:
    """Count what each two annotators of one corpus or block have in common.

    Args:
        corpus: the annotators as layers.
        counting: the measure, the chance model, and what is kept.
        annotators: the names of those to compare; all unless given. A block need not have all.

    Raises:
        SettingError: for an unknown name, or a layer that overlaps itself where the measure or the
            chance model does not allow it.
    """
    corpus, chosen = choose_annotators(corpus, annotators, in_part=not counting.keep)
    counting.check(corpus)
    crowd = AnnotationIndex.of(corpus)
    comparisons, sharing = compare_annotators(corpus, crowd, counting)
    per_document = PerDocument(corpus, counting.match, counting.chance, comparisons)
    by_document, number = comparisons.by("document"), per_document.coverage.number()
    ids, replicated = () if counting.keep else ids_of(corpus), None
    if counting.drawing is not None:
        assert isinstance(comparisons, Comparisons)
        replicated = _draw(ids, comparisons, counting.drawing)
    described = counting.describe(corpus, comparisons.inexact)
    plain = counting.without_places()
    uniform = None if plain is None else replace(count(corpus, plain), ids=(), notes=())
    return CountedPairs(
        documents=len(corpus),
        settings=AgreementSettings(chosen=chosen, **described.settings),
        notes=described.notes,
        inexact=comparisons.inexact,
        places=described.places,
        uniform=uniform,
        ids=ids,
        replicates=replicated,
        sharing=sharing,
        pairs=comparisons.by("first", "second"),
        by_label=comparisons.by("label") if per_document.labels else Comparisons.none(),
        single=count_single(crowd, number),
        heavy=heavy_documents(corpus, by_document, number) if counting.keep or ids else (),
        evidence=_evidence(
            per_document, by_document, sharing, in_parts=counting.drawing is not None
        ),
        per_document=per_document if counting.keep else None,
    )


def compare_annotators(
    corpus: Corpus, crowd: AnnotationIndex, counting: MatchCounting
) -> tuple[Comparisons | Marginals, Sharing]:
    """Compare each two annotators who saw a document, and count what they share.

    Documents that many saw are compared at once where the measure allows it, unless resamples are
    drawn, which need the rows of single pairs. Progress is that of pairs. Nothing is checked.
    """
    names, match, chance = corpus.annotators, counting.match, counting.chance
    number = np.bincount(crowd.document, minlength=len(corpus))
    pairs = number * (number - 1) // 2
    report = counting.progress or (lambda done, total: None)

    def report_after(before: int) -> Progress:
        return lambda done, _: report(before + done, int(pairs.sum()))

    at_once, few, done = None, None, 0
    if counting.drawing is None:
        at_once = crowd_sums(corpus, crowd, counting.measure, chance, report_after(0))
    if at_once is not None:
        few, done = ~at_once.documents, int(pairs @ at_once.documents)
    both = crowd.pairs(documents=few)
    rows = compare_pairs(corpus, crowd, both, match, chance, report_after(done))
    (first, second), _, times = distinct(*(crowd.annotator[side] for side in both))
    sharing = Sharing(
        names,
        int((number > 1).sum()),
        np.bincount(crowd.annotator, minlength=len(names)),
        np.bincount(crowd.annotator[number[crowd.document] == 2], minlength=len(names)),
        first,
        second,
        times,
    )
    if at_once is None:
        return rows, sharing
    return at_once.marginals(rows), sharing + at_once.sharing


def _evidence(
    per_document: PerDocument, by_document: Comparisons, sharing: Sharing, *, in_parts: bool
) -> dict[tuple[str, ...], Ints]:
    """Return what the F1 of the team rests on, and of each part if that is asked for."""
    if not in_parts:
        table = by_document.symmetric_table(per_document.coverage.by_two())
        return {(): evidence_of(table, f1_figures)}
    names = per_document.corpus.annotators
    labels = per_document.labels
    first, second = sharing.first, sharing.second
    drawn = per_document.as_units
    parts: list[tuple[str, ...]] = [(), *((label,) for label in labels)]
    parts += [(name, name) for name in names]
    parts += pair_keys(names, first, second)
    tables = chain(drawn.tables(len(labels)), drawn.pair_tables(first, second))
    return {
        part: evidence_of(table, f1_figures) for part, (_, table) in zip(parts, tables, strict=True)
    }


def pair_keys(names: Sequence[str], first: Ints, second: Ints) -> list[tuple[str, ...]]:
    """Return the names of the two annotators of each pair, sorted, by which blocks add."""
    pairs = zip(first.tolist(), second.tolist(), strict=True)
    return [tuple(sorted((names[i], names[j]))) for i, j in pairs]


def _draw(ids: Sequence[Hashes], rows: Comparisons, resampling: Resampling) -> Replicates:
    """Return what a block adds in every resample to the columns of each pair and label."""
    (first, second), pair, _ = distinct(rows.first, rows.second)
    keys = pair_keys(rows.annotators, first, second)
    values = np.stack(rows.symmetric_columns, axis=1).astype(np.float64)
    entries = [Entries(keys, pair, rows.document, values)]
    if (rows.label != NO_LABEL).any():
        entries.append(
            Entries([(label,) for label in rows.labels], rows.label, rows.document, values)
        )
    return replicates(ids, entries, resampling)
