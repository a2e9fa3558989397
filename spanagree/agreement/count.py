"""What one corpus or block adds to an agreement, and how two such counts add."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from spanagree.agreement.crowded import CrowdSums, crowd_sums
from spanagree.agreement.pair_sums import PairSums
from spanagree.agreement.weight import Heavy, count_single, heavy_documents
from spanagree.arrays import Bools, Floats, Ints, Progress, distinct, groups, unique
from spanagree.blocks.counted import Counted
from spanagree.blocks.exact_sums import TallySum, TallySums, added
from spanagree.blocks.ids import Hashes, ids_of
from spanagree.blocks.poisson import Entries, Replicates, replicates
from spanagree.comparisons.annotation_pairs import Crowd, compare
from spanagree.comparisons.expected import expected_how, notes_on
from spanagree.comparisons.joined_texts import shared_out
from spanagree.comparisons.measures import find_match
from spanagree.comparisons.overlaps import check_layer
from spanagree.comparisons.tally import Tallies
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.joined_texts import JoinedTexts
from spanagree.results.score import f1_figures
from spanagree.settings import Settings, chosen_of
from spanagree.uncertainty.bootstrap import Resampling
from spanagree.uncertainty.evidence import both, evidence_of

COLUMNS = ("matched", "expected", "size")  # of a figure, in a resample


@dataclass(frozen=True, kw_only=True, eq=False)
class AgreementSettings(Settings):
    """The settings of an agreement; the last three are those of a result, not of counts."""

    match: str
    chance: str
    expected: str | None = None
    team: str = "summed"
    annotators: int | None = None
    min_shared: int | None = None
    p_values: bool | None = None


class PairRows(NamedTuple):
    """A row for each document that two annotators share.

    Attributes:
        tallies: of rows and labels; ``document`` numbers the rows.
        members: the numbers of the two annotators of each pair; (2, pairs).
        pair: the number of the pair, of each row.
        document: the number of the document, of each row.
    """

    tallies: Tallies
    members: tuple[Ints, ...]
    pair: Ints
    document: Ints

    @classmethod
    def of(
        cls,
        corpus: Corpus,
        crowd: Crowd,
        match: str,
        chance: str,
        documents: Bools | None = None,
        progress: Progress = None,
        over: Counter[str] | None = None,
    ) -> PairRows:
        """Compare each two annotators who saw a document; ``documents`` says which ones."""
        first, second = crowd.pairs(documents=documents)
        members, pair, _ = distinct(crowd.annotator[first], crowd.annotator[second])
        tallies = compare(corpus, crowd, (first, second), match, chance, progress, over)
        return cls(tallies, members, pair, crowd.document[first])

    def without(self, document: int) -> PairRows:
        """Return the rows of all other documents."""
        kept = self.document != document
        tallies = self.tallies.where(kept[self.tallies.document])
        tallies = replace(tallies, document=(np.cumsum(kept) - 1)[tallies.document])
        return PairRows(tallies, self.members, self.pair[kept], self.document[kept])

    def by_text(self, joined: Corpus, match: str, chance: str) -> PairRows:
        """Return a row for each text that two annotators share, of a corpus joined of texts.

        Raises:
            SettingError: if its documents were not.
        """
        corpus, document = JoinedTexts.of(joined)
        texts = PairRows.of(corpus, Crowd.of(corpus), match, chance)
        # the row of the document in which the same two share a text
        pairs = len(self.members[0])
        own = self.document * pairs + self.pair
        order = np.argsort(own)
        of_text = document[texts.document] * pairs + texts.pair
        row = order[np.searchsorted(own, of_text, sorter=order)]
        lengths = corpus.lengths[texts.document]
        return texts._replace(tallies=shared_out(self.tallies, texts.tallies, row, lengths))


@dataclass(frozen=True, eq=False)
class Kept:
    """The documents of a whole corpus, which are compared one by one where somebody asks.

    Attributes:
        corpus: the annotators that are compared.
        match, chance: how.
        known: the rows, if they are there already.
    """

    corpus: Corpus
    match: str
    chance: str
    known: PairRows | None = None

    @cached_property
    def rows(self) -> PairRows:
        """A row for each document that two annotators share."""
        return self.known or PairRows.of(
            self.corpus, Crowd.of(self.corpus), self.match, self.chance
        )

    def drawn(self, resampling: Resampling, settings: Settings) -> PairRows:
        """Return the rows with the number of what is resampled: documents, wholes, or texts.

        Raises:
            SettingError: if it is not known what sentences belong to, or texts were not joined.
        """
        if resampling.by_text(settings):
            return self.rows.by_text(self.corpus, self.match, self.chance)
        wholes = resampling.wholes_of(self.corpus.wholes, settings)
        rows = self.rows
        return rows if wholes is None else rows._replace(document=wholes[rows.document])


@dataclass(frozen=True, kw_only=True)
class CountedPairs(Counted[AgreementSettings]):
    """What is counted of annotators against each other; annotators by name.

    Attributes:
        seen: how many documents two or more annotators saw.
        saw: how many documents each annotator saw.
        seen_without: how many documents two of the others saw, for each annotator.
        pairs: of annotators, numbered as they stand in ``saw``, and their sums.
        labels: the sums of each label; empty for a measure that disregards labels.
        single: in how many documents that two saw nobody marked more than one segment.
        heavy: the documents that carry much of the weight; of a block without ids none.
        evidence: what the F1 of a part rests on, (1, 3): of the team, whose key is (); of a block
            of which intervals are asked, also of each (label,), (annotator, annotator), and pair
            of annotators, sorted.
        kept: single documents; ``None`` over blocks.
    """

    seen: int
    saw: Mapping[str, int]
    seen_without: Mapping[str, int]
    pairs: PairSums
    labels: Mapping[str, TallySum]
    single: int
    heavy: tuple[Heavy, ...]
    evidence: Mapping[tuple[str, ...], Ints]
    kept: Kept | None = None

    def _add(self, other: CountedPairs) -> dict[str, Any]:
        names = list(dict.fromkeys([*self.saw, *other.saw]))
        number = {name: i for i, name in enumerate(names)}
        return {
            "seen": self.seen + other.seen,
            "saw": {name: self.saw.get(name, 0) + other.saw.get(name, 0) for name in names},
            "seen_without": {
                # an annotator who is not in a block takes nothing away there
                name: sum(part.seen_without.get(name, part.seen) for part in (self, other))
                for name in names
            },
            "pairs": self.pairs.plus(
                other.pairs, np.array([*map(number.get, other.saw)], np.int64)
            ),
            "labels": added(self.labels, other.labels),
            "single": self.single + other.single,
            "heavy": self.heavy + other.heavy,
            "evidence": both(self.evidence, other.evidence),
            "kept": None,
        }


def count(
    corpus: Corpus,
    *,
    annotators: Sequence[str] | None,
    match: str,
    chance: str,
    resampling: Resampling | None = None,
    keep: bool = False,
    progress: Progress = None,
) -> CountedPairs:
    """Count what each two annotators of one corpus or block have in common.

    Args:
        corpus: the annotators as layers.
        annotators: the names of those to compare; all unless given. A block need not have all.
        match: the measure.
        chance: the chance model.
        resampling: how to draw resamples over blocks, if intervals are asked for.
        keep: whether single documents are kept, as of a whole corpus.
        progress: called with the number of documents of pairs done, and of all.

    Raises:
        SettingError: for an unknown name, or a layer that overlaps itself where the measure or the
            chance model does not allow it.
    """
    read: dict[str, Any] = {"reading": corpus.reading, "offsets": corpus.offsets}
    read["chosen"] = chosen_of(corpus.annotators, annotators)
    if annotators is not None:
        corpus = corpus.of_annotators(annotators, in_part=not keep)
    names = corpus.annotators
    for name in names:
        check_layer(corpus, name, match, chance)
    labels = corpus.labels if find_match(match).of_label else ()
    drawing = None if keep else resampling
    crowd, over = Crowd.of(corpus), Counter[str]()
    # resamples need rows of single documents; a whole corpus makes them when it is asked for them
    rows, at_once = _compared(corpus, crowd, match, chance, drawing is None, progress, over)
    tallies = _by_document(rows, at_once)
    by_label = TallySum.each(tallies, tallies.label, len(labels)) if labels else []
    saw = np.bincount(crowd.document, minlength=len(corpus))
    only = np.bincount(crowd.annotator[saw[crowd.document] == 2], minlength=len(names))
    ids, how = () if keep else ids_of(corpus), expected_how(over)
    return CountedPairs(
        documents=len(corpus),
        settings=AgreementSettings(match=match, chance=chance, expected=how, **read),
        notes=(*corpus.notes, *notes_on(over)),
        ids=ids,
        replicates=None if drawing is None else _draw(ids, names, labels, rows, drawing),
        seen=int((saw > 1).sum()),
        saw={name: int(layer.annotated.sum()) for name, layer in corpus.layers.items()},
        seen_without=dict(zip(names, ((saw > 1).sum() - only).tolist(), strict=True)),
        pairs=_pairs(rows, at_once),
        labels=dict(zip(labels, by_label, strict=True)),
        single=count_single(crowd, saw),
        heavy=heavy_documents(corpus, tallies, saw) if keep or ids else (),
        evidence=_evidence(rows, at_once, names, labels, each=drawing is not None),
        kept=Kept(corpus, match, chance, rows if at_once is None else None) if keep else None,
    )


def _compared(
    corpus: Corpus,
    crowd: Crowd,
    match: str,
    chance: str,
    sums: bool,
    progress: Progress,
    over: Counter[str],
) -> tuple[PairRows, CrowdSums | None]:
    """Return rows of single documents, and where ``sums`` do, those of crowded ones at once."""
    saw = np.bincount(crowd.document)
    work = int((saw * (saw - 1) // 2).sum())
    done = 0

    def report(pairs: int, _: int) -> None:
        if progress is not None:
            progress(done + pairs, work)

    at_once = crowd_sums(corpus, crowd, find_match(match), chance, report) if sums else None
    others = None if at_once is None else ~at_once.documents
    done = 0 if at_once is None else int((saw * (saw - 1) // 2) @ at_once.documents[: len(saw)])
    return PairRows.of(corpus, crowd, match, chance, others, report, over), at_once


def _by_document(rows: PairRows, at_once: CrowdSums | None) -> Tallies:
    """Return the tallies of documents and labels, over all pairs."""
    tallies = replace(rows.tallies, document=rows.document[rows.tallies.document])
    return tallies if at_once is None else Tallies.joined([tallies, at_once.tallies])


def team_by_document(
    corpus: Corpus, match: str, chance: str, progress: Progress = None
) -> tuple[Floats, str | None]:
    """Return what each document adds to matched, expected and size of the team; (documents, 3).

    Behind it stands how the expected figures were made, if not all are exact. Nothing is checked.
    """
    over = Counter[str]()
    compared = _compared(corpus, Crowd.of(corpus), match, chance, True, progress, over)
    return _of_documents(_by_document(*compared), np.arange(len(corpus))), expected_how(over)


def _pairs(rows: PairRows, at_once: CrowdSums | None) -> PairSums:
    """Return the sums of all pairs."""
    first, second = rows.members
    sums = TallySums.each(rows.tallies, rows.pair[rows.tallies.document], len(first))
    shared = np.bincount(rows.pair, minlength=len(first))
    pairs = PairSums.of(first, second, shared, sums)
    return pairs if at_once is None else at_once.pairs.plus(pairs)


def _evidence(
    rows: PairRows,
    at_once: CrowdSums | None,
    names: Sequence[str],
    labels: Sequence[str],
    each: bool,
) -> dict[tuple[str, ...], Ints]:
    """Return what the F1 of the team rests on, and of each part if that is asked for."""
    parts: list[tuple[str, ...]] = [()]
    if each:  # in the order of tables_of
        parts += [(label,) for label in labels] + [(name, name) for name in names]
        parts += [tuple(sorted((names[i], names[j]))) for i, j in zip(*rows.members, strict=True)]
    tables = tables_of(rows, len(names), len(labels))
    # only the tables of these parts are made
    known = {p: evidence_of(t, f1_figures) for p, (_, t) in zip(parts, tables, strict=False)}
    if at_once is not None:
        table = _of_documents(at_once.tallies, np.flatnonzero(at_once.documents))
        known[()] = known[()] + evidence_of(table, f1_figures)
    return known


def _of_documents(tallies: Tallies, documents: Ints) -> Floats:
    """Return what documents add to matched, expected and size; (documents, 3)."""
    sums = tallies.table(documents)
    return np.stack((sums[:, 0], sums[:, 1], sums[:, 2] + sums[:, 3]), axis=1)


def tables_of(rows: PairRows, annotators: int, labels: int) -> Iterator[tuple[Ints, Floats]]:
    """Yield the documents of the team, and of each label, annotator and pair, and what each adds.

    Args:
        rows: single documents.
        annotators: how many there are.
        labels: how many there are, of a measure that regards them.

    Yields:
        The numbers of documents, and what they add to matched, expected and size; (documents, 3).
    """
    seen = unique(rows.document)
    tallies = rows.tallies
    by_document = replace(tallies, document=rows.document[tallies.document])
    yield seen, _of_documents(by_document, seen)
    for chosen in groups(by_document.label, labels) if labels else ():
        yield seen, _of_documents(by_document.where(chosen), seen)
    first, second = rows.members
    yield from _tables_by(rows, np.stack((first[rows.pair], second[rows.pair])), annotators)
    yield from _tables_by(rows, rows.pair[None], len(first))


def _tables_by(rows: PairRows, parts: Ints, count: int) -> Iterator[tuple[Ints, Floats]]:
    """Yield the same of each part below ``count``; ``parts`` are those of the rows, (…, rows)."""
    times, tallies = len(parts), rows.tallies
    (part, document), which, _ = distinct(parts.ravel(), np.tile(rows.document, times))
    place = which.reshape(times, -1)[:, tallies.document].ravel()
    units = replace(tallies.where(np.tile(np.arange(len(tallies.document)), times)), document=place)
    table = _of_documents(units, np.arange(len(document)))
    borders = np.searchsorted(part, np.arange(count + 1)).tolist()
    for low, high in itertools.pairwise(borders):
        yield document[low:high], table[low:high]


def _draw(
    ids: Sequence[Hashes],
    names: Sequence[str],
    labels: Sequence[str],
    rows: PairRows,
    resampling: Resampling,
) -> Replicates:
    """Return what a block adds in every resample to the columns of each pair and label."""
    tallies, document = rows.tallies, rows.document[rows.tallies.document]
    values = (tallies.matched, tallies.expected, tallies.size_a + tallies.size_b)
    keys = [tuple(sorted((names[i], names[j]))) for i, j in zip(*rows.members, strict=True)]
    entries = [
        Entries([(*key, column) for key in whose], which, document, value)
        for whose, which in (
            (keys, rows.pair[tallies.document]),
            ([(label,) for label in labels], tallies.label),
        )
        if whose
        for column, value in zip(COLUMNS, values, strict=True)
    ]
    return replicates(ids, entries, resampling)
