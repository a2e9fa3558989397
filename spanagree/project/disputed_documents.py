"""Queue of documents to adjudicate, ranked by disagreement, with the disputed segments.

A segment is disputed if some annotators who saw its document marked it, and others did not.
Four classes describe disputes: :class:`DisputedSegments` is a table of segments with indices,
:class:`Dispute` is one of these segments with names and texts, :class:`QueuedDocument` is one
document with its counts and scores, and :class:`Disputes`, the result, has all of them in order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from spanagree.agreement.count import PairsByDocument
from spanagree.agreement.disagreements import (
    LONGEST,
    compute_contexts,
    extract_texts,
    write_note_on_texts,
)
from spanagree.agreement.outliers import find_outliers
from spanagree.arrays import Floats, Ints, Progress, dense_ranks, sub_progress, unique_rows
from spanagree.chance.model import ChanceModel, build_chance_model
from spanagree.choices import ChanceOrAuto, DisputeSort, MatchName, select_gold_names
from spanagree.comparisons.annotation_pairs import AnnotationIndex, compare_pairs
from spanagree.comparisons.chance_distribution.distribution import (
    DistributionOptions,
    compute_distribution,
)
from spanagree.comparisons.counting import MatchCountOptions
from spanagree.comparisons.measures import find_measure, list_measures
from spanagree.comparisons.overlapping_pairs import find_overlapping_pairs
from spanagree.comparisons.overlaps import check_layers, choose_chance_of_corpus
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.discontinuous import encode_shapes
from spanagree.corpus.roles import count_seen
from spanagree.corpus.segments import Layer, concatenate_segments
from spanagree.errors import (
    SettingError,
    check_choice,
    escape_name,
    format_percent,
    format_setting,
    join_names,
    pluralize,
    truncate,
)
from spanagree.formats.guessed import CorpusLike, as_corpus
from spanagree.results import verdict
from spanagree.results.cells import Value
from spanagree.results.frame import Column, Frame, LazyRows, build_shortened_table
from spanagree.results.plots import Plot, plot_counts
from spanagree.results.result import Result
from spanagree.results.score import UNDEFINED, compute_f1_figures
from spanagree.settings import MatchSettings, document_noun

_OFTEN = 0.5  # if chance matches are rarer than this, no match is no surprise


class DisputedSegments(NamedTuple):
    """Columns of all disputed segments of a corpus, as arrays of indices and counts.

    A segment is disputed if some annotators who saw its document marked it, and others did not.
    For a single row with names and texts, see :class:`Dispute`.

    Attributes:
        document, start, end, label: columns of the segments; document and label are indices.
        marked: number of annotators who marked each segment.
        begin: index in ``who`` of the first annotator who marked each segment.
        who: indices of annotators who marked a segment, ordered by segment.
        saw: number of annotators who saw each document of the corpus.
        segments: number of distinct segments of each document of the corpus.
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

    def find_marking_annotators(self, row: int) -> list[int]:
        """Find the indices of the annotators who marked a segment."""
        first = int(self.begin[row])
        return self.who[first : first + int(self.marked[row])].tolist()

    def select(self, rows: Ints) -> DisputedSegments:
        """Select segments by row, in the order of `rows`."""
        columns = {name: getattr(self, name)[rows] for name in self._fields[:6]}
        return self._replace(**columns)

    def select_first(self, count: int) -> DisputedSegments:
        """Select the first segments."""
        return self.select(np.arange(min(count, len(self.document))))

    def sort_by_documents(self, documents: Ints) -> DisputedSegments:
        """Sort segments by the order of `documents`, and within a document by position."""
        rank = np.zeros(len(self.saw), np.int64)
        rank[documents] = np.arange(len(documents))
        return self.select(np.argsort(rank[self.document], kind="stable"))

    def describe_annotations(self, corpus: Corpus) -> list[list[str | None]]:
        """Describe how each annotator annotated the text of each disputed segment.

        Returns:
            For each segment and annotator, ``marked`` for the same segment, ``nothing`` if no
            segment of the annotator overlaps it, `None` if they did not see the document, or else
            the list of overlapping segments.
        """
        order = np.lexsort((self.label, self.end, self.start, self.document))
        document, start, end, label = (column[order] for column in self[:4])
        disputed_layer = Layer(document, start, end, label, np.ones(len(corpus), np.bool_))
        layers = list(corpus.layers.values())
        seen_by_layer = [layer.annotated[self.document].tolist() for layer in layers]
        cells: list[list[str | None]] = [
            ["nothing" if is_seen else None for is_seen in row]
            for row in zip(*seen_by_layer, strict=True)
        ]
        for annotator, layer in enumerate(layers):
            disputed_row, layer_row = find_overlapping_pairs(
                disputed_layer, layer, disputed_layer.document, layer.document
            )
            columns = (
                column[layer_row].tolist() for column in (layer.start, layer.end, layer.label)
            )
            for row, segment_start, segment_end, label_code in zip(
                order[disputed_row].tolist(), *columns, strict=True
            ):
                earlier_text, text = (
                    cells[row][annotator],
                    f"{segment_start}–{segment_end} {corpus.labels[label_code]}",
                )
                cells[row][annotator] = (
                    text if earlier_text == "nothing" else f"{earlier_text}; {text}"
                )
        for row in range(len(cells)):
            for annotator in self.find_marking_annotators(row):
                cells[row][annotator] = "marked"
        return cells


def find_disputed(corpus: Corpus) -> DisputedSegments:
    """Find the disputed segments of a corpus, sorted by document, start, end and label."""
    *columns, annotator = concatenate_segments(corpus.layers.values())
    n_saw = count_seen(corpus)
    shapes = np.concatenate([columns[0][:0], *encode_shapes(corpus.layers.values(), {})])
    (*segment_columns, _), inverse, n_marked = unique_rows(
        *columns, shapes
    )  # segments with other pieces are distinct
    marker = annotator[np.argsort(inverse, kind="stable")]
    first_marker = np.cumsum(n_marked) - n_marked
    document, start, end, label = segment_columns
    n_segments = np.bincount(document, minlength=len(corpus))
    all_segments = DisputedSegments(
        document, start, end, label, n_marked, first_marker, marker, n_saw, n_segments
    )
    return all_segments.select(np.flatnonzero(n_marked < n_saw[document]))


def compute_least_likely(
    corpus: Corpus, counting: MatchCountOptions, documents: Ints, progress: Progress = None
) -> Mapping[int, tuple[float, tuple[str, str]]]:
    """Find the pair of annotators in each document whose agreement is least likely by chance.

    The probability is that of a match as low as observed or lower, with both annotations random,
    times the number of pairs (Bonferroni). It is exact. If the expected match is m, no match at all
    has a probability of 1 − m or more (Markov), and is no surprise if m is at most a half. Such
    pairs are skipped, and so are documents with no other pairs.

    Args:
        corpus: annotators as layers.
        counting: measure and chance model.
        documents: indices of the documents to regard.
        progress: callback that receives the number of compared pairs and of all.

    Returns:
        Probability and pair of annotators, by index of the document.

    Raises:
        SettingError: if matches of the measure are not integers.
    """
    match, chance, measure = counting.match, counting.chance, counting.measure
    if not measure.is_whole:
        raise SettingError(
            f"sort unexpected: matches under {match} are not whole numbers; use"
            f" {format_setting('match', *list_measures(lambda other: other.is_whole))}"
        )
    index = AnnotationIndex.from_corpus(corpus)
    is_wanted = np.zeros(len(corpus), np.bool_)
    is_wanted[documents] = True
    first_annotation, second_annotation = index.pair_annotations(documents=is_wanted)
    comparisons = compare_pairs(
        corpus, index, (first_annotation, second_annotation), match, chance, progress
    )
    pairs = comparisons.by("document", "first", "second")
    n_pairs = np.bincount(index.document[first_annotation], minlength=len(corpus))
    likely_matches = pairs.where(pairs.expected > _OFTEN)
    rank = dense_ranks(corpus.annotators)  # canonical order: by name
    likely_matches = likely_matches.turned(rank[likely_matches.first] > rank[likely_matches.second])
    first_annotation, second_annotation = (
        index.find_rows(likely_matches.document, annotator)
        for annotator in (likely_matches.first, likely_matches.second)
    )
    segments, details = index.concatenate_segments(corpus), index.concatenate_details(corpus)
    layers_of_pairs = {
        name: index.build_layer(segments, annotator, details)[0]
        for name, annotator in (("a", first_annotation), ("b", second_annotation))
    }
    texts = Corpus(
        corpus.lengths[likely_matches.document], layers_of_pairs, corpus.labels, corpus.offsets
    )
    statistics_by_pair = compute_distribution(
        texts, ("a", "b"), None, DistributionOptions(measure, chance)
    ).documents
    result_by_document: dict[int, tuple[float, tuple[str, str]]] = {}
    names = corpus.annotators
    columns = (
        likely_matches.document,
        likely_matches.first,
        likely_matches.second,
        likely_matches.matched,
    )
    cells = zip(*(column.tolist() for column in columns), strict=True)
    for statistics, (document, a, b, matched) in zip(statistics_by_pair, cells, strict=True):
        p = sum(q for m, q in statistics.pmf.items() if m < matched + 0.5)
        pair_result = min(1.0, p * int(n_pairs[document])), (names[a], names[b])
        result_by_document[document] = min(
            result_by_document.get(document, pair_result), pair_result
        )
    return result_by_document


SORTS = {
    "disagreement": "1 − F1 of a document, over all pairs; of equal ones, the most disputed first",
    "segments": "how many segments of a document are disputed",
    "unexpected": "how seldom chance alone would agree so little in a pair",
}
"""Criteria for ranking documents, by name."""

ALONE = 30
"""Largest number of annotators with a column each; for more, one column lists who marked."""

_DRAWN = 30  # number of documents in a plot
_WORDS = {
    "disagreement": "disagreement: 1 − F1 over all pairs of those who saw the document",
    "without outliers": "without outliers: the same of all others, by which documents are ranked",
    "difficulty": "difficulty: 1 − the F1 that chance alone would give there",
    "p": "p: how likely chance would agree so little in any pair; –: at least every second time",
}


@dataclass(frozen=True, kw_only=True, eq=False)
class DisputeSettings(MatchSettings):
    """Settings of a queue of disputed documents."""

    sort: str = "disagreement"


class QueuedDocument(NamedTuple):
    """One document of a queue, with its counts and scores.

    Attributes:
        document: name of the document.
        annotators: number of annotators who saw it.
        segments: number of distinct segments that they marked.
        disputed: number of segments that only some of them marked.
        disagreement: 1 − F1 of the document, over all pairs.
        difficulty: 1 − F1 of chance alone in the document.
        p: probability that chance would agree so little in any pair (Bonferroni); ``nan`` if it is
            a half or more, or if it was not requested.
        pair: pair of annotators with the least likely agreement.
        others: disagreement without outliers; ``nan`` if no annotator is an outlier, if fewer than
            two other annotators saw the document, or if they marked nothing.
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
    """One disputed segment, with the names of annotators and labels, and texts.

    A row of :class:`Disputes`. ``marked_by`` are the annotators who marked the segment,
    ``annotators`` is the number who saw the document. Texts are empty if unknown or not requested.
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
"""Sort keys of documents, ascending, by the names of :data:`SORTS`."""


@dataclass(frozen=True, eq=False, repr=False)
class Disputes(Result):
    """Result of :func:`disputes`, a ranked queue; iterate over it for the disputed segments.

    Iteration yields a :class:`Dispute` for each segment.

    Attributes:
        documents: documents with a disputed segment, by rank.
        shared: number of documents that two annotators or more saw.
        number: index in the corpus of each document of the queue.
        contested: disputed segments, in the order of the documents.
        corpus: corpus of the segments.
        with_text: True if rows have texts.
        outliers: names of annotators who are left out for ranking.
        settings: settings of the queue.
        notes: notes of the reader and of this computation, one sentence each.

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
        """Return the number of disputed segments."""
        return len(self.contested.document)

    def __iter__(self) -> Iterator[Dispute]:
        return self._yield_first(len(self))

    def _yield_first(self, count: int) -> Iterator[Dispute]:
        """Yield the first ``count`` disputed segments, with names and texts."""
        contested, names = self.contested.select_first(count), self.corpus.annotators
        texts = self._extract_texts(contested) if self.with_text else [[""] * count] * 3
        ranks, bounds = self._place.tolist(), (contested.start.tolist(), contested.end.tolist())
        labels = [self.corpus.labels[label] for label in contested.label.tolist()]
        for i, (start, end, label) in enumerate(zip(*bounds, labels, strict=True)):
            document = self.documents[ranks[i]]
            markers = tuple(names[k] for k in contested.find_marking_annotators(i))
            texts_of_row = (text[i] for text in texts)
            yield Dispute(
                document.document, start, end, label, markers, document.annotators, *texts_of_row
            )

    @cached_property
    def _place(self) -> Ints:
        """Rank in the queue of the document of each disputed segment."""
        rank = np.full(len(self.corpus), -1)
        rank[self.number] = np.arange(len(self.number))
        return rank[self.contested.document]

    def _extract_texts(self, contested: DisputedSegments) -> list[list[str]]:
        """Extract three lists of texts: of the segments, before the segments, and after them."""
        d, start, end = contested.document, contested.start, contested.end
        bounds_of_texts = (start, end), *compute_contexts(self.corpus, d, start, end)
        return [extract_texts(self.corpus, d, *bounds) for bounds in bounds_of_texts]

    @property
    def verdict(self) -> str:
        """Sentence on the share of the disputed segments in the first documents."""
        noun = document_noun(self.settings)
        if not len(self):
            return ""
        tenth = max(1, len(self.documents) // 10)
        share = sum(document.disputed for document in self.documents[:tenth]) / len(self)
        # without outliers in the ranking, later documents may be worse
        adjective = "first" if self.outliers else "worst"
        of_documents = format_percent(tenth / len(self.documents))
        subject = f"The {adjective} {of_documents} of the disputed {noun}s ({tenth}) account"
        if tenth == 1:
            subject = f"The {adjective} disputed {noun} accounts"
        gold_phrase = f" of annotators with {escape_name(self._gold)}" if self._gold else ""
        return f"{subject} for {format_percent(share)} of all disagreements{gold_phrase}."

    @property
    def _gold(self) -> str:
        """Name of the only layer that is called gold; empty if there is none, or several."""
        names = select_gold_names(self.corpus.annotators)
        return names[0] if len(names) == 1 else ""

    TABLES: ClassVar[Mapping[str, str | None]] = {"segments": None, "documents": "document"}

    SUMMARY: ClassVar[tuple[str, ...]] = ("shared", "outliers")

    def _build_table(self, by: str | None) -> Frame:
        """Build the table of disputed segments or, with ``by``, of documents.

        A terminal shows the first documents in both cases.
        """
        documents = build_shortened_table(self._tabulate_documents, len(self.documents))
        if by is not None:
            return documents
        if not len(self):
            return self._tabulate_segments(0)
        hint = "each segment, and who marked it: --all"
        terminal_table = documents.in_terminal or documents
        remarks = [
            remark.replace("--all", "--by document --all") for remark in terminal_table.remarks
        ]
        terminal_table = replace(terminal_table, remarks=[hint, *remarks])
        size = len(self)
        rows = LazyRows(size, lambda: self._tabulate_segments(size).rows)
        return replace(self._tabulate_segments(min(size, 1)), rows=rows, in_terminal=terminal_table)

    def _tabulate_documents(self, count: int) -> Frame:
        """Build the table of the first ``count`` documents, with their counts and scores."""
        columns = [
            Column("document", document_noun(self.settings), "name"),
            Column("annotators", "seen by" if self._gold else "annotators", "count"),
            Column("segments", "segments", "count"),
            Column("disputed", "disputed", "count"),
            Column("disagreement", "disagreement"),
            *([Column("others", "without outliers")] if self.outliers else []),
            Column("difficulty", "difficulty"),
        ]
        is_by_chance = self.settings.sort == "unexpected"
        if is_by_chance:
            columns += [Column("p", "p", "probability"), Column("pair", "between", "name")]
        rows: list[list[Value]] = []
        for queued in self.documents[:count]:
            row: list[Value] = [*queued[:5], *([queued.others] if self.outliers else []), queued[5]]
            pair = None if queued.pair is None else ", ".join(queued.pair)
            rows.append([*row, queued.p, pair] if is_by_chance else row)
        return self._build_captioned_table(columns, rows)

    def _tabulate_segments(self, count: int) -> Frame:
        """Build the table of the first ``count`` disputed segments, and of who marked them.

        Each annotator has a column, unless there are many.
        """
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
        has_many = len(names) > ALONE
        if has_many:
            columns += [Column("", "marked", "place"), Column("by", "by", "name")]
        else:
            columns += [Column("", "marked by", "name"), Column("", "others", "name")]
            columns += [Column(f"by_{name}", kind="name") for name in names]
        cells = (
            [] if has_many else self.contested.select_first(count).describe_annotations(self.corpus)
        )
        ranks, rows = self._place.tolist(), list[list[Value]]()
        for i, row in enumerate(self._yield_first(count)):
            n_marked, markers = len(row.marked_by), ", ".join(row.marked_by)
            document, segment = self.documents[ranks[i]], f"{row.start}–{row.end}"
            values: list[Value] = [ranks[i] + 1, row.document]
            values += [document.disagreement, document.difficulty]
            values += [row.start, row.end, segment, row.label]
            if self.with_text:
                values += [row.text, truncate(row.text, LONGEST), row.before, row.after]
            values += [n_marked, row.annotators]
            if has_many:
                values += [f"{n_marked} of {row.annotators}", markers]
            else:
                values += [markers, _list_others(names, cells[i]), *cells[i]]
            rows.append(values)
        return self._build_captioned_table(columns, rows)

    def _build_captioned_table(
        self, columns: Sequence[Column], rows: Sequence[Sequence[Value]]
    ) -> Frame:
        """Build a table of the queue with its caption; without rows, text shows no columns."""
        noun = document_noun(self.settings)
        total_note = f", of {len(self.corpus)}" * (self.shared < len(self.corpus))
        annotators = pluralize(len(self.corpus.layers) - bool(self._gold), "annotator")
        marked_by = f"{escape_name(self._gold)} and {annotators}" if self._gold else annotators
        caption = (
            f"{marked_by}: {pluralize(len(self), 'segment')} in"
            f" dispute, in {len(self.documents)} of {pluralize(self.shared, noun)} that two or more"
            f" saw{total_note}"
        )
        if not rows:  # an empty table shows no columns
            columns = [column._replace(title="") for column in columns]
        titles = {column.title for column in columns}
        remarks = [words for name, words in _WORDS.items() if name in titles]
        remarks += verdict.write_chance_remarks(self.settings)
        return Frame(columns, rows, self.settings, caption=caption, remarks=remarks)

    def _build_plot(self, by: str | None) -> Plot:
        """Plot the number of disputed segments in each of the first documents."""
        first_documents = self.documents[:_DRAWN]
        counts = {document.document: document.disputed for document in first_documents}
        n_documents = pluralize(len(first_documents), document_noun(self.settings))
        return plot_counts(counts, f"disputed segments of the first {n_documents}")


def _list_others(names: Sequence[str], cells: Sequence[str | None]) -> str:
    """List the annotators who did not mark a segment, grouped by how they annotated its text.

    Args:
        names: names of the annotators.
        cells: annotation of each annotator from :meth:`DisputedSegments.describe_annotations`.
    """
    names_by_cell: dict[str, list[str]] = {}
    for name, cell in zip(names, cells, strict=True):
        if cell is not None and cell != "marked":
            names_by_cell.setdefault(cell, []).append(name)
    return "; ".join(
        f"{', '.join(annotators)}: {cell}" for cell, annotators in names_by_cell.items()
    )


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
    """Find the disputed segments, and rank documents by disagreement.

    A segment is disputed if some annotators who saw its document marked it, and others did not;
    segments are equal if start, end and label are, regardless of the measure. If an annotator is an
    outlier, as in :func:`spanagree.agree`, documents are ranked by the disagreement of all others,
    so that the documents of an outlier do not fill the queue.

    Args:
        corpus: two annotators or more as layers.
        sort: criterion for ranking documents, disagreement, segments or unexpected.
        match: name of the measure of disagreement.
        chance: chance model, nonoverlapping, per-label or overlapping; with auto, the first of
            these that the segments of all layers allow.
        text: True for rows with the texts.
        seed: random seed, an integer from 0, for draws if expected scores are too expensive.
        progress: function that is called with the number of compared pairs and the total.

    Raises:
        SettingError: if a name is unknown; if no two annotators saw the same document; if sort is
            unexpected and matches of the measure are not integers; if an annotator has overlapping
            segments that the measure or the chance model does not allow.

    >>> corpus = Corpus.from_segments(
    ...     [9], {"ann": [[(0, 2, "PER")]], "bob": [[(0, 2, "PER"), (4, 5, "LOC")]], "cy": [[]]}
    ... )
    >>> [(row.start, row.label, row.marked_by) for row in disputes(corpus)]
    [(0, 'PER', ('ann', 'bob')), (4, 'LOC', ('bob',))]
    """
    corpus = as_corpus(corpus)
    check_choice(sort, SORTS, "sort")
    find_measure(match)
    requested_model = build_chance_model(chance, seed=seed)
    model = choose_chance_of_corpus(corpus, match, requested_model)

    def find_and_compare(counting: MatchCountOptions) -> tuple[DisputedSegments, PairsByDocument]:
        """Find the disputed segments, and compare all pairs under one chance model."""
        contested = _find_contested(corpus, match, counting.chance)
        return contested, PairsByDocument.from_corpus(corpus, counting)

    contested, per_document = MatchCountOptions.from_request(
        match, model, requested_model, progress
    ).run(find_and_compare)
    model, comparisons = per_document.counting.chance, per_document.sums
    if sort == "unexpected":
        model.check_defined("sort unexpected")
    read_settings: dict[str, Any] = {"offsets": corpus.offsets, "reading": corpus.reading}
    read_settings["unplaced"] = corpus.unplaced_count_as
    computed_settings = {**model.settings, **comparisons.inexact.settings(model.seed)}
    settings = DisputeSettings(match=match, sort=sort, **computed_settings, **read_settings)
    left_out, notes = _choose_outliers_to_leave_out(per_document, settings)
    ranked = _rank_documents(
        per_document, contested, left_out, settings, sub_progress(progress, "chance")
    )
    document_indices = np.array([d for d, _ in ranked], np.int64)
    text_notes = write_note_on_texts(corpus)
    return Disputes(
        tuple(queued for _, queued in ranked),
        int((contested.saw > 1).sum()),
        document_indices,
        contested.sort_by_documents(document_indices),
        corpus,
        text and not text_notes,
        left_out,
        settings,
        (*corpus.notes, *(text_notes if text else ()), *notes),
    )


def _find_contested(corpus: Corpus, match: str, chance: ChanceModel) -> DisputedSegments:
    """Find the disputed segments, after a check that measure and chance model allow all layers.

    Raises:
        SettingError: if a layer is not allowed, or no document was seen by two annotators.
    """
    check_layers(corpus, match, chance)
    contested = find_disputed(corpus)
    if not (contested.saw > 1).any():
        raise SettingError(
            "no document that two annotators saw; two who share one are needed; spanagree check"
            " says who saw what"
        )
    return contested


def _choose_outliers_to_leave_out(
    per_document: PairsByDocument, settings: DisputeSettings
) -> tuple[tuple[str, ...], list[str]]:
    """Choose the outliers whose disagreement is disregarded in the ranking of documents.

    Gold is never left out, and at least two annotators remain.

    Returns:
        Names of these outliers, and notes.
    """
    names = per_document.corpus.annotators
    outlier_names = find_outliers(per_document, settings)
    if outlier_names is None:
        reason = "outliers are not known, of so many pairs"
        return (), [f"{reason}; {document_noun(settings)}s are ranked by all annotators"]
    left_out = tuple(name for name in outlier_names if name not in select_gold_names(names))
    if not left_out or len(names) - len(left_out) < 2:
        return (), []
    plural_suffix, noun = "s" * (len(left_out) > 1), document_noun(settings)
    rule = f"{noun}s are ranked by the disagreement of all others"
    return left_out, [f"outlier{plural_suffix} {join_names(left_out)}: {rule}"]


class _Ranking(NamedTuple):
    """Counts and scores by which documents are ranked, of all annotators or without outliers.

    Attributes:
        saw: number of these annotators who saw each document of the corpus.
        disputed: number of disputed segments of each document.
        disagreement: 1 − F1 of each document, over their pairs.
        unlikely: probability and pair, by index of the document; see :func:`compute_least_likely`.
    """

    saw: Ints
    disputed: Ints
    disagreement: Floats
    unlikely: Mapping[int, tuple[float, tuple[str, str]]]

    @classmethod
    def from_disputed_segments(
        cls,
        per_document: PairsByDocument,
        contested: DisputedSegments,
        settings: DisputeSettings,
        progress: Progress,
    ) -> _Ranking:
        """Compute counts and scores of documents for the ranking.

        Args:
            per_document: compared annotators, with or without outliers.
            contested: disputed segments of these annotators.
            settings: settings of the queue.
            progress: callback for the probabilities by chance.
        """
        corpus = per_document.corpus
        unlikely: Mapping[int, tuple[float, tuple[str, str]]] = {}
        if settings.sort == "unexpected":
            disputed_documents = np.unique(contested.document)
            unlikely = compute_least_likely(
                corpus, per_document.counting, disputed_documents, progress
            )
        disagreement = 1 - _compute_f1_by_document(per_document)[:, 0]
        n_disputed = np.bincount(contested.document, minlength=len(corpus))
        return cls(contested.saw, n_disputed, disagreement, unlikely)


def _compute_f1_by_document(per_document: PairsByDocument) -> Floats:
    """Compute F1 of each document over all pairs: observed, expected and corrected."""
    numbers = np.arange(len(per_document.corpus))
    with np.errstate(divide="ignore", invalid="ignore"):
        return compute_f1_figures(per_document.sums.by("document").symmetric_table(numbers))


def _rank_documents(
    per_document: PairsByDocument,
    contested: DisputedSegments,
    left_out: Sequence[str],
    settings: DisputeSettings,
    progress: Progress,
) -> list[tuple[int, QueuedDocument]]:
    """Rank the documents with a disputed segment.

    If outliers are left out, documents that the other annotators dispute come first, and documents
    on which two or more of them agree come last.

    Args:
        per_document: compared annotators.
        contested: disputed segments of all annotators.
        left_out: names of outliers who are left out.
        settings: settings of the queue.
        progress: callback for the probabilities by chance.

    Returns:
        Index and description of each document, by rank.
    """
    corpus, ranked_comparisons = per_document.corpus, per_document
    if left_out:
        without_outliers = corpus.select_annotators(
            name for name in corpus.annotators if name not in left_out
        )
        ranked_comparisons = PairsByDocument.from_corpus(
            without_outliers, replace(per_document.counting, progress=None)
        )
    ranking = _Ranking.from_disputed_segments(
        ranked_comparisons,
        find_disputed(ranked_comparisons.corpus) if left_out else contested,
        settings,
        progress,
    )
    figures = _compute_f1_by_document(per_document)
    n_disputed = np.bincount(contested.document, minlength=len(corpus))
    document_by_index, key_by_document = {}, {}
    for d in np.unique(contested.document).tolist():
        counts = int(contested.saw[d]), int(contested.segments[d]), int(n_disputed[d])
        observed, expected = figures[d, :2].tolist()
        p, pair = ranking.unlikely.get(d, (UNDEFINED, None))
        disagreement = float(ranking.disagreement[d])
        ranked_disagreement = disagreement if left_out else UNDEFINED
        name, scores = corpus.id_of(d), (1 - observed, 1 - expected)
        document = QueuedDocument(name, *counts, *scores, p, pair, ranked_disagreement)
        document_by_index[d] = document
        group = 0 if ranking.disputed[d] else 1 if ranking.saw[d] < 2 else 2
        if left_out and not group:
            document = document._replace(
                disagreement=disagreement, disputed=int(ranking.disputed[d])
            )
        key_by_document[d] = (group, *_RANKS[settings.sort](document), document.document)
    return [
        (d, document_by_index[d])
        for d in sorted(document_by_index, key=key_by_document.__getitem__)
    ]
