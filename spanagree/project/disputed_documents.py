"""A queue for whoever decides: documents by how far annotators disagree in them, and about what."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from spanagree.agreement.by_annotator import outliers
from spanagree.agreement.count import PairsByDocument
from spanagree.agreement.disagreements import LONGEST, around, no_texts, texts_of
from spanagree.arrays import Floats, Ints, Progress, dense_ranks, sub_progress, unique_rows
from spanagree.chance.model import ChanceModel, chance_model
from spanagree.choices import ChanceOrAuto, DisputeSort, MatchName, called_gold
from spanagree.comparisons.annotation_pairs import AnnotationIndex, compare_pairs
from spanagree.comparisons.chance_distribution.distribution import DistributionOptions, distribution
from spanagree.comparisons.counting import MatchCountOptions
from spanagree.comparisons.measures import find_measure, measures
from spanagree.comparisons.observed import overlapping_pairs
from spanagree.comparisons.overlaps import chance_of_corpus, check_layers
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.discontinuous import shape_codes
from spanagree.corpus.roles import count_seen
from spanagree.corpus.segments import Layer, columns_of_all
from spanagree.errors import (
    SettingError,
    check_choice,
    chosen,
    escape_name,
    join_names,
    percent,
    pluralize,
    truncate,
)
from spanagree.formats.guessed import CorpusLike, as_corpus
from spanagree.results import verdict
from spanagree.results.frame import Column, Frame, LazyRows, Value, first_shown
from spanagree.results.plots import Plot, bars, rows_size, shown_text
from spanagree.results.result import Result
from spanagree.results.score import UNDEFINED, f1_figures
from spanagree.settings import MatchSettings, document_noun

_OFTEN = 0.5  # chance that gives a match no more often than this leaves nothing to wonder about


class DisputedSegments(NamedTuple):
    """Segments that some, and not all, of those who saw their document marked.

    Attributes:
        document, start, end, label: of each.
        marked: how many marked it.
        begin: where those who did begin among ``who``.
        who: the numbers of annotators, in the order of the corpus.
        saw: how many saw each document of the corpus.
        segments: how many different segments each document of the corpus has.
    """

    document: Ints
    start: Ints
    end: Ints
    label: Ints
    marked: Ints
    begin: Ints
    who: Ints
    saw: Ints
    segments: Ints

    def marked_by(self, row: int) -> list[int]:
        """Return the numbers of those who marked a segment."""
        first = int(self.begin[row])
        return self.who[first : first + int(self.marked[row])].tolist()

    def taken(self, rows: Ints) -> DisputedSegments:
        """Return some of the segments, in the order given."""
        taken = {name: getattr(self, name)[rows] for name in self._fields[:6]}
        return self._replace(**taken)

    def first(self, count: int) -> DisputedSegments:
        """Return the first segments."""
        return self.taken(np.arange(min(count, len(self.document))))

    def by_documents(self, documents: Ints) -> DisputedSegments:
        """Return the segments of these documents in their order, as they stand in the text."""
        place = np.zeros(len(self.saw), np.int64)
        place[documents] = np.arange(len(documents))
        return self.taken(np.argsort(place[self.document], kind="stable"))

    def cells(self, corpus: Corpus) -> list[list[str | None]]:
        """Return what each annotator did about each segment: ``None`` who never saw the document.

        ``marked`` is the same segment, ``nothing`` none that shares a token with it; else those
        that do stand here.
        """
        order = np.lexsort((self.label, self.end, self.start, self.document))
        document, start, end, label = (column[order] for column in self[:4])
        mine = Layer(document, start, end, label, np.ones(len(corpus), np.bool_))
        layers = list(corpus.layers.values())
        seen = [layer.annotated[self.document].tolist() for layer in layers]
        cells: list[list[str | None]] = [
            ["nothing" if saw else None for saw in row] for row in zip(*seen, strict=True)
        ]
        for k, layer in enumerate(layers):
            i, j = overlapping_pairs(mine, layer, mine.document, layer.document)
            columns = (column[j].tolist() for column in (layer.start, layer.end, layer.label))
            for row, low, high, code in zip(order[i].tolist(), *columns, strict=True):
                before, text = cells[row][k], f"{low}–{high} {corpus.labels[code]}"
                cells[row][k] = text if before == "nothing" else f"{before}; {text}"
        for row in range(len(cells)):
            for k in self.marked_by(row):
                cells[row][k] = "marked"
        return cells


def disputed(corpus: Corpus) -> DisputedSegments:
    """Return the disputed segments of a corpus, by document, start, end and label."""
    *columns, annotator = columns_of_all(corpus.layers.values())
    saw = count_seen(corpus)
    shapes = np.concatenate([columns[0][:0], *shape_codes(corpus.layers.values(), {})])
    (*rows, _), which, marked = unique_rows(*columns, shapes)  # other pieces are another segment
    marker = annotator[np.argsort(which, kind="stable")]
    begin = np.cumsum(marked) - marked
    document, start, end, label = rows
    segments = np.bincount(document, minlength=len(corpus))
    everything = DisputedSegments(document, start, end, label, marked, begin, marker, saw, segments)
    return everything.taken(np.flatnonzero(marked < saw[document]))


def least_likely(
    corpus: Corpus, counting: MatchCountOptions, documents: Ints, progress: Progress = None
) -> Mapping[int, tuple[float, tuple[str, str]]]:
    """Return for some documents how likely chance would agree so little in a pair, and in which.

    The probability is that of at most the match observed, both random and exact, times the number
    of pairs (Bonferroni). Where chance's mean match is m, no match at all has a probability of 1 −
    m or more (Markov): where m is at most a half for all pairs, the document is left out.

    Raises:
        SettingError: for a measure whose matches are not whole numbers.
    """
    match, chance, measure = counting.match, counting.chance, counting.measure
    if not measure.is_whole:
        raise SettingError(
            f"sort unexpected: matches under {match} are not whole numbers; use"
            f" {chosen('match', *measures(lambda other: other.is_whole))}"
        )
    crowd = AnnotationIndex.of(corpus)
    wanted = np.zeros(len(corpus), np.bool_)
    wanted[documents] = True
    first, second = crowd.pairs(documents=wanted)
    rows = compare_pairs(corpus, crowd, (first, second), match, chance, progress)
    pairs = rows.by("document", "first", "second")
    many = np.bincount(crowd.document[first], minlength=len(corpus))
    asked = pairs.where(pairs.expected > _OFTEN)
    rank = dense_ranks(corpus.annotators)  # sides by name: canonical order
    asked = asked.turned(rank[asked.first] > rank[asked.second])
    first, second = (crowd.find(asked.document, side) for side in (asked.first, asked.second))
    segments, details = crowd.segments(corpus), crowd.details(corpus)
    sides = {
        name: crowd.side(segments, side, details)[0] for name, side in (("a", first), ("b", second))
    }
    texts = Corpus(corpus.lengths[asked.document], sides, corpus.labels, corpus.offsets)
    by_chance = distribution(
        texts, ("a", "b"), None, DistributionOptions(measure, chance)
    ).documents
    likely: dict[int, tuple[float, tuple[str, str]]] = {}
    names = corpus.annotators
    columns = asked.document, asked.first, asked.second, asked.matched
    cells = zip(*(column.tolist() for column in columns), strict=True)
    for statistics, (document, a, b, matched) in zip(by_chance, cells, strict=True):
        p = sum(q for m, q in statistics.pmf.items() if m < matched + 0.5)
        here = min(1.0, p * int(many[document])), (names[a], names[b])
        likely[document] = min(likely.get(document, here), here)
    return likely


SORTS = {
    "disagreement": "1 − F1 of a document, over all pairs; of equal ones, the most disputed first",
    "segments": "how many segments of a document are disputed",
    "unexpected": "how seldom chance alone would agree so little in a pair",
}
"""By what documents are ranked, by name."""

ALONE = 30
"""Of so many annotators each has a column; of more, one column lists who marked a segment."""

_DRAWN = 30  # documents in a picture
_WORDS = {
    "disagreement": "disagreement: 1 − F1 over all pairs of those who saw the document",
    "without outliers": "without outliers: the same of all others, by which documents are ranked",
    "difficulty": "difficulty: 1 − the F1 that chance alone would give there",
    "p": "p: how likely chance would agree so little in any pair; –: at least every second time",
}


@dataclass(frozen=True, kw_only=True, eq=False)
class DisputeSettings(MatchSettings):
    """The settings of a queue."""

    sort: str = "disagreement"


class QueuedDocument(NamedTuple):
    """One document of a queue.

    Attributes:
        document: its name.
        annotators: how many saw it.
        segments: how many different segments they marked.
        disputed: how many of these not all of them marked.
        disagreement: 1 − F1 of the document, over all pairs.
        difficulty: 1 − the F1 that chance alone would give there.
        p: how likely chance would agree so little in any one pair (Bonferroni); ``nan`` where
            chance would every second time, or if that was not asked for.
        pair: the two of whom that is least likely.
        others: disagreement of those who are no outliers; ``nan`` if nobody is an outlier, if
            fewer than two others saw the document, or if they marked nothing.
    """

    document: str
    annotators: int
    segments: int
    disputed: int
    disagreement: float
    difficulty: float
    p: float = UNDEFINED
    pair: tuple[str, str] | None = None
    others: float = UNDEFINED


class Dispute(NamedTuple):
    """A segment that some, and not all, of those who saw its document marked.

    ``marked_by`` names them; ``annotators`` is how many saw the document. Texts are empty if not
    known, or not wanted.
    """

    document: str
    start: int
    end: int
    label: str
    marked_by: tuple[str, ...]
    annotators: int
    text: str
    before: str
    after: str


_RANKS: Mapping[str, Callable[[QueuedDocument], tuple[float, ...]]] = {
    "disagreement": lambda queued: (-queued.disagreement, -queued.disputed),
    "segments": lambda queued: (-queued.disputed, -queued.disagreement),
    "unexpected": lambda queued: (
        1 if math.isnan(queued.p) else queued.p,
        -queued.disagreement,
        -queued.disputed,
    ),
}
"""What ranks documents, by the name of :data:`SORTS`: the least comes first."""


@dataclass(frozen=True, eq=False, repr=False)
class Disputes(Result):
    """The result of :func:`disputes`; iterate over it for the disputed segments.

    Attributes:
        documents: those with a disputed segment, by rank.
        shared: how many documents two annotators or more saw.
        number: of each document of the queue, its number in the corpus.
        contested: the disputed segments, in the order of the documents.
        corpus: what they are from.
        with_text: whether rows have texts.
        outliers: names of the annotators without whom documents are ranked.
        settings: what made the queue.
        notes: what a reader repaired or passed over, and what is out of the ordinary here.

    >>> import spanagree as sa
    >>> layers = {"ann": [[(0, 2, "X")]], "bob": [[(0, 2, "X"), (4, 5, "X")]], "cem": [[]]}
    >>> corpus = sa.Corpus.from_segments([9], layers)
    >>> found = sa.project.disputes(corpus)
    >>> found.shared, [(row.start, row.marked_by) for row in found]
    (1, [(0, ('ann', 'bob')), (4, ('bob',))])
    """

    documents: tuple[QueuedDocument, ...]
    shared: int
    number: Ints = field(repr=False)
    contested: DisputedSegments = field(repr=False)
    corpus: Corpus = field(repr=False)
    with_text: bool
    outliers: tuple[str, ...]
    settings: DisputeSettings
    notes: tuple[str, ...]

    BY: ClassVar[Mapping[str, str]] = {
        "document": "a row for each document instead of each disputed segment"
    }

    def __len__(self) -> int:
        """The number of disputed segments."""
        return len(self.contested.document)

    def __iter__(self) -> Iterator[Dispute]:
        return self._first(len(self))

    def _first(self, count: int) -> Iterator[Dispute]:
        """Yield the first disputed segments."""
        contested, names = self.contested.first(count), self.corpus.annotators
        texts = self._texts(contested) if self.with_text else [[""] * count] * 3
        places, ends = self._place.tolist(), (contested.start.tolist(), contested.end.tolist())
        labels = [self.corpus.labels[label] for label in contested.label.tolist()]
        for i, (start, end, label) in enumerate(zip(*ends, labels, strict=True)):
            document = self.documents[places[i]]
            markers = tuple(names[k] for k in contested.marked_by(i))
            more = (text[i] for text in texts)
            yield Dispute(document.document, start, end, label, markers, document.annotators, *more)

    @cached_property
    def _place(self) -> Ints:
        """The place of the document of each disputed segment in the queue."""
        place = np.full(len(self.corpus), -1)
        place[self.number] = np.arange(len(self.number))
        return place[self.contested.document]

    def _texts(self, contested: DisputedSegments) -> list[list[str]]:
        """Return the texts of segments, and what stands before and after them."""
        d, start, end = contested.document, contested.start, contested.end
        ends = (start, end), *around(self.corpus, d, start, end)
        return [texts_of(self.corpus, d, *borders) for borders in ends]

    @property
    def verdict(self) -> str:
        """How much of what is in dispute the first documents hold."""
        noun = document_noun(self.settings)
        if not len(self):
            return ""
        tenth = max(1, len(self.documents) // 10)
        held = sum(document.disputed for document in self.documents[:tenth]) / len(self)
        # where outliers do not decide the order, documents further down may be worse
        singular, plural = (
            ("first", f"first {tenth}") if self.outliers else ("worst", f"{tenth} worst")
        )
        worst = f"The {plural} {noun}s hold" if tenth > 1 else f"The {singular} {noun} holds"
        whom = f"{escape_name(self._gold)} and annotators" if self._gold else "annotators"
        return f"{worst} {percent(held)} of what {whom} disagree about."

    @property
    def _gold(self) -> str:
        """The name of the only layer that is called gold, or an empty name."""
        names = called_gold(self.corpus.annotators)
        return names[0] if len(names) == 1 else ""

    TABLES: ClassVar[Mapping[str, str | None]] = {"segments": None, "documents": "document"}

    SUMMARY: ClassVar[tuple[str, ...]] = ("shared", "outliers")

    def _table(self, by: str | None) -> Frame:
        """A row for each disputed segment, or each document; people see the first ones."""
        documents = first_shown(self._documents_of, len(self.documents))
        if by is not None:
            return documents
        if not len(self):
            return self._rows_of(0)
        hint = "each segment, and who marked it: --all"
        short = documents.in_terminal or documents
        remarks = [remark.replace("--all", "--by document --all") for remark in short.remarks]
        short = replace(short, remarks=[hint, *remarks])
        size = len(self)
        rows = LazyRows(size, lambda: self._rows_of(size).rows)
        return replace(self._rows_of(min(size, 1)), rows=rows, in_terminal=short)

    def _documents_of(self, count: int) -> Frame:
        """Return the table of the first documents."""
        columns = [
            Column("document", document_noun(self.settings), "name"),
            Column("annotators", "seen by" if self._gold else "annotators", "count"),
            Column("segments", "segments", "count"),
            Column("disputed", "disputed", "count"),
            Column("disagreement", "disagreement"),
            *([Column("others", "without outliers")] if self.outliers else []),
            Column("difficulty", "difficulty"),
        ]
        unexpected = self.settings.sort == "unexpected"
        if unexpected:
            columns += [Column("p", "p", "probability"), Column("pair", "between", "name")]
        rows: list[list[Value]] = []
        for queued in self.documents[:count]:
            row: list[Value] = [*queued[:5], *([queued.others] if self.outliers else []), queued[5]]
            pair = None if queued.pair is None else ", ".join(queued.pair)
            rows.append([*row, queued.p, pair] if unexpected else row)
        return self._shown(columns, rows)

    def _rows_of(self, count: int) -> Frame:
        """Return the table of the first disputed segments."""
        names = self.corpus.annotators
        columns = [
            Column("rank", kind="count"),
            Column("document", document_noun(self.settings), "name"),
            Column("disagreement", "disagreement"),
            Column("difficulty"),
            *(Column(end, kind="count") for end in ("start", "end")),
            Column("", "segment", "name"),
            Column("label", "label", "name"),
        ]
        if self.with_text:
            columns += [Column("text", kind="name"), Column("", "text", "name")]
            columns += [Column(key, kind="name") for key in ("before", "after")]
        columns += [Column("marked", kind="count"), Column("saw", kind="count")]
        many = len(names) > ALONE
        if many:
            columns += [Column("", "marked", "place"), Column("by", "by", "name")]
        else:
            columns += [Column("", "marked by", "name"), Column("", "others", "name")]
            columns += [Column(f"by_{name}", kind="name") for name in names]
        cells = [] if many else self.contested.first(count).cells(self.corpus)
        places, rows = self._place.tolist(), list[list[Value]]()
        for i, row in enumerate(self._first(count)):
            marked, by = len(row.marked_by), ", ".join(row.marked_by)
            document, segment = self.documents[places[i]], f"{row.start}–{row.end}"
            values: list[Value] = [places[i] + 1, row.document]
            values += [document.disagreement, document.difficulty]
            values += [row.start, row.end, segment, row.label]
            if self.with_text:
                values += [row.text, truncate(row.text, LONGEST), row.before, row.after]
            values += [marked, row.annotators]
            if many:
                values += [f"{marked} of {row.annotators}", by]
            else:
                values += [by, _others(names, cells[i]), *cells[i]]
            rows.append(values)
        return self._shown(columns, rows)

    def _shown(self, columns: Sequence[Column], rows: Sequence[Sequence[Value]]) -> Frame:
        noun = document_noun(self.settings)
        more = f", of {len(self.corpus)}" * (self.shared < len(self.corpus))
        annotators = pluralize(len(self.corpus.layers) - bool(self._gold), "annotator")
        marked_by = f"{escape_name(self._gold)} and {annotators}" if self._gold else annotators
        caption = (
            f"{marked_by}: {pluralize(len(self), 'segment')} in"
            f" dispute, in {len(self.documents)} of {pluralize(self.shared, noun)} that two or more"
            f" saw{more}"
        )
        if not rows:  # people see no column
            columns = [column._replace(title="") for column in columns]
        titles = {column.title for column in columns}
        remarks = [words for name, words in _WORDS.items() if name in titles]
        remarks += verdict.remarks_without_chance(self.settings)
        return Frame(columns, rows, self.settings, caption=caption, remarks=remarks)

    def _picture(self, by: str | None) -> Plot:
        """Return how many segments are disputed in each of the first documents."""
        first = self.documents[:_DRAWN]
        counts = {shown_text(document.document): document.disputed for document in first}
        what = (
            f"disputed segments of the first {pluralize(len(first), document_noun(self.settings))}"
        )
        return Plot(lambda ax: bars(ax, counts, what), rows_size(counts))


def _others(names: Sequence[str], cells: Sequence[str | None]) -> str:
    """Return what those did who did not mark a segment, those who did the same together."""
    did: dict[str, list[str]] = {}
    for name, cell in zip(names, cells, strict=True):
        if cell is not None and cell != "marked":
            did.setdefault(cell, []).append(name)
    return "; ".join(f"{', '.join(annotators)}: {cell}" for cell, annotators in did.items())


def disputes(
    corpus: CorpusLike,
    *,
    sort: DisputeSort = "disagreement",
    match: MatchName = "exact",
    chance: ChanceOrAuto = "auto",
    text: bool = True,
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> Disputes:
    """Return what annotators disagree about, the documents ranked by how far they disagree.

    A segment is disputed if some, and not all, of those who saw its document marked it: the same
    start, end and label, whatever the measure. If somebody is an outlier, as in
    :func:`spanagree.agree`, documents are ranked by the disagreement of all others, so that the
    documents of an outlier do not fill the queue.

    Args:
        corpus: two annotators or more as layers.
        sort: what ranks documents, disagreement, segments or unexpected.
        match: name of the measure of disagreement.
        chance: the chance model, nonoverlapping, per-label or overlapping; of auto the
            first of these that the segments of all layers allow.
        text: whether rows have the texts.
        seed: a whole number from 0, of draws where expected scores are too much work.
        progress: called with the number of pairs compared, and of all.

    Raises:
        SettingError: for an unknown name; if no two annotators saw the same document; for
            unexpected with a measure whose matches are not whole numbers; for an annotator who
            overlaps herself where the measure or the chance model does not allow it.

    >>> corpus = Corpus.from_segments(
    ...     [9], {"ann": [[(0, 2, "PER")]], "bob": [[(0, 2, "PER"), (4, 5, "LOC")]], "cy": [[]]}
    ... )
    >>> [(row.start, row.label, row.marked_by) for row in disputes(corpus)]
    [(0, 'PER', ('ann', 'bob')), (4, 'LOC', ('bob',))]
    """
    corpus = as_corpus(corpus)
    check_choice(sort, SORTS, "sort")
    find_measure(match)
    named = chance_model(chance, seed=seed)
    model = chance_of_corpus(corpus, match, named)

    def compared(counting: MatchCountOptions) -> tuple[DisputedSegments, PairsByDocument]:
        contested = _contested(corpus, match, counting.chance)
        return contested, PairsByDocument.of(corpus, counting)

    contested, per_document = MatchCountOptions.asked(match, model, named, progress).run(compared)
    model, comparisons = per_document.counting.chance, per_document.sums
    if sort == "unexpected":
        model.check_defined("sort unexpected")
    read: dict[str, Any] = {"offsets": corpus.offsets, "reading": corpus.reading}
    read["unplaced"] = corpus.unplaced_count_as
    computed = {**model.settings, **comparisons.inexact.settings(model.seed)}
    settings = DisputeSettings(match=match, sort=sort, **computed, **read)
    apart, notes = _outliers(per_document, settings)
    ranked = _ranked(per_document, contested, apart, settings, sub_progress(progress, "chance"))
    number = np.array([d for d, _ in ranked], np.int64)
    unknown = no_texts(corpus)
    return Disputes(
        tuple(queued for _, queued in ranked),
        int((contested.saw > 1).sum()),
        number,
        contested.by_documents(number),
        corpus,
        text and not unknown,
        apart,
        settings,
        (*corpus.notes, *(unknown if text else ()), *notes),
    )


def _contested(corpus: Corpus, match: str, chance: ChanceModel) -> DisputedSegments:
    """Return the disputed segments of a corpus that the measure and the chance model allow."""
    check_layers(corpus, match, chance)
    contested = disputed(corpus)
    if not (contested.saw > 1).any():
        raise SettingError(
            "no document that two annotators saw; two who share one are needed; spanagree check"
            " says who saw what"
        )
    return contested


def _outliers(
    per_document: PairsByDocument, settings: DisputeSettings
) -> tuple[tuple[str, ...], list[str]]:
    """Return the annotators without whom documents are ranked, and a note on it.

    Gold is never left out, and at least two annotators stay.
    """
    names = per_document.corpus.annotators
    outlier_names = outliers(per_document, settings)
    if outlier_names is None:
        unknown = "outliers are not known, of so many pairs"
        return (), [f"{unknown}; {document_noun(settings)}s are ranked by all annotators"]
    apart = tuple(name for name in outlier_names if name not in called_gold(names))
    if not apart or len(names) - len(apart) < 2:
        return (), []
    plural, noun = "s" * (len(apart) > 1), document_noun(settings)
    ranked = f"{noun}s are ranked by the disagreement of all others"
    return apart, [f"outlier{plural} {join_names(apart)}: {ranked}"]


class _Ranking(NamedTuple):
    """What some annotators dispute, by which documents are ranked.

    Attributes:
        saw: number of these annotators who saw each document of the corpus.
        disputed: number of disputed segments of each document.
        disagreement: 1 − F1 of each document, over their pairs.
        unlikely: p and the pair of documents, by number.
    """

    saw: Ints
    disputed: Ints
    disagreement: Floats
    unlikely: Mapping[int, tuple[float, tuple[str, str]]]

    @classmethod
    def of(
        cls,
        per_document: PairsByDocument,
        contested: DisputedSegments,
        settings: DisputeSettings,
        progress: Progress,
    ) -> _Ranking:
        """Count and compare what the annotators of a corpus dispute."""
        corpus = per_document.corpus
        unlikely: Mapping[int, tuple[float, tuple[str, str]]] = {}
        if settings.sort == "unexpected":
            there = np.unique(contested.document)
            unlikely = least_likely(corpus, per_document.counting, there, progress)
        disagreement = 1 - _figures(per_document)[:, 0]
        n_disputed = np.bincount(contested.document, minlength=len(corpus))
        return cls(contested.saw, n_disputed, disagreement, unlikely)


def _figures(per_document: PairsByDocument) -> Floats:
    """Compute the figures of F1 of each document, over all pairs."""
    numbers = np.arange(len(per_document.corpus))
    with np.errstate(divide="ignore", invalid="ignore"):
        return f1_figures(per_document.sums.by("document").symmetric_table(numbers))


def _ranked(
    per_document: PairsByDocument,
    contested: DisputedSegments,
    apart: Sequence[str],
    settings: DisputeSettings,
    progress: Progress,
) -> list[tuple[int, QueuedDocument]]:
    """Return the documents with a dispute by rank, each with its number.

    Without the annotators ``apart``, documents that the others dispute come first, and those last
    about which two others or more agree.
    """
    corpus, rival = per_document.corpus, per_document
    if apart:
        others = corpus.select_annotators(name for name in corpus.annotators if name not in apart)
        rival = PairsByDocument.of(others, replace(per_document.counting, progress=None))
    ranking = _Ranking.of(rival, disputed(rival.corpus) if apart else contested, settings, progress)
    figures = _figures(per_document)
    n_disputed = np.bincount(contested.document, minlength=len(corpus))
    queued, rank = {}, {}
    for d in np.unique(contested.document).tolist():
        counts = int(contested.saw[d]), int(contested.segments[d]), int(n_disputed[d])
        observed, expected = figures[d, :2].tolist()
        p, pair = ranking.unlikely.get(d, (UNDEFINED, None))
        disagreement = float(ranking.disagreement[d])
        of_others = disagreement if apart else UNDEFINED
        name, of_all = corpus.id_of(d), (1 - observed, 1 - expected)
        document = QueuedDocument(name, *counts, *of_all, p, pair, of_others)
        queued[d] = document
        place = 0 if ranking.disputed[d] else 1 if ranking.saw[d] < 2 else 2
        if apart and not place:
            document = document._replace(
                disagreement=disagreement, disputed=int(ranking.disputed[d])
            )
        rank[d] = (place, *_RANKS[settings.sort](document), document.document)
    return [(d, queued[d]) for d in sorted(queued, key=rank.__getitem__)]
