"""Queue of documents to adjudicate, ranked by disagreement, with the disputed segments.

A segment is disputed if some annotators who saw its document marked it, and others did not.
:class:`Dispute` is a disputed segment with names and texts, and :class:`Disputes`, the result, has
the disputes (:mod:`spanagree.project.disputed_segments`) and the queue of documents
(:mod:`spanagree.project.document_queue`) in order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import ClassVar, NamedTuple

import numpy as np

from spanagree.agreement.count import PairsByDocument
from spanagree.agreement.disagreements import (
    compute_contexts,
    extract_texts,
    write_note_on_texts,
)
from spanagree.arrays import Ints, sub_progress
from spanagree.chance.model import build_chance_model
from spanagree.choices import ChanceOrAuto, DisputeSort, MatchName
from spanagree.comparisons.counting import ComparisonContext, MatchCountOptions
from spanagree.comparisons.measures import find_measure
from spanagree.comparisons.overlaps import choose_chance_of_corpus
from spanagree.corpus.corpus import Corpus
from spanagree.errors import SettingError, check_choice
from spanagree.formats.guessed import CorpusLike, as_corpus
from spanagree.project.disputed_segments import DisputedSegments, find_disputed
from spanagree.project.document_queue import (
    SORTS,
    QueuedDocument,
    choose_outliers_to_leave_out,
    rank_documents,
)
from spanagree.results.result import Result
from spanagree.settings import MatchSettings


@dataclass(frozen=True, kw_only=True, eq=False)
class DisputeSettings(MatchSettings):
    """Settings of a queue of disputed documents."""

    sort: str = "disagreement"


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

    TABLES: ClassVar[Mapping[str, str | None]] = {"segments": None, "documents": "document"}

    SUMMARY: ClassVar[tuple[str, ...]] = ("shared", "outliers")

    SHOWN_BY: ClassVar[str] = f"{__package__}.disputes_table"

    def __len__(self) -> int:
        """Return the number of disputed segments."""
        return len(self.contested.document)

    def __iter__(self) -> Iterator[Dispute]:
        contested, names = self.contested, self.corpus.annotators
        texts = self._extract_texts() if self.with_text else [[""] * len(self)] * 3
        bounds = (contested.start.tolist(), contested.end.tolist())
        labels = [self.corpus.labels[label] for label in contested.label.tolist()]
        columns = (contested.find_places(self.number).tolist(), *bounds, labels, *texts)
        for row, (rank, start, end, label, *texts_of_row) in enumerate(zip(*columns, strict=True)):
            document = self.documents[rank]
            markers = tuple(names[k] for k in contested.find_marking_annotators(row))
            yield Dispute(
                document.document, start, end, label, markers, document.annotators, *texts_of_row
            )

    def _extract_texts(self) -> list[list[str]]:
        """Extract three lists of texts: of the segments, before the segments, and after them."""
        d, start, end = self.contested.document, self.contested.start, self.contested.end
        bounds_of_texts = (start, end), *compute_contexts(self.corpus, d, start, end)
        return [extract_texts(self.corpus, d, *bounds) for bounds in bounds_of_texts]


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
    outlier, as in :func:`spanagree.agree`, documents are ranked by the annotations of all others,
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
        contested = _find_contested(corpus, counting)
        return contested, PairsByDocument.from_corpus(corpus, counting)

    contested, per_document = MatchCountOptions.from_request(
        match, model, requested_model, progress
    ).run(find_and_compare)
    counting = per_document.counting
    if sort == "unexpected":
        counting.chance.check_defined("sort unexpected")
    settings = DisputeSettings(
        sort=sort,
        **counting.collect_settings(corpus, per_document.sums.inexact, ComparisonContext()),
    )
    left_out, notes = choose_outliers_to_leave_out(per_document, settings, sort)
    ranked = rank_documents(
        per_document, contested, left_out, sort, sub_progress(progress, "chance")
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


def _find_contested(corpus: Corpus, counting: MatchCountOptions) -> DisputedSegments:
    """Find the disputed segments, after a check that measure and chance model allow all layers.

    Raises:
        SettingError: if a layer is not allowed, or no document was seen by two annotators.
    """
    counting.check(corpus)
    contested = find_disputed(corpus)
    if not (contested.saw > 1).any():
        raise SettingError(
            "no document that two annotators saw; two who share one are needed; spanagree check"
            " says who saw what"
        )
    return contested
