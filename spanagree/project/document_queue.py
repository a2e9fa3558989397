"""Order of documents with disputed segments, from the one to adjudicate first."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from spanagree.agreement.count import PairsByDocument
from spanagree.agreement.outliers import find_outliers
from spanagree.arrays import Floats, Progress
from spanagree.choices import select_gold_names
from spanagree.errors import join_names
from spanagree.project.disputed_segments import DisputedSegments, find_disputed
from spanagree.results.score import UNDEFINED, compute_f1_figures
from spanagree.settings import Settings, document_noun


class QueuedDocument(NamedTuple):
    """One document of a queue, with its counts and scores.

    Attributes:
        document: name of the document.
        annotators: number of annotators who saw it.
        segments: number of distinct segments that they marked.
        disputed: number of segments that only some of them marked.
        disagreement: 1 − F1 of the document, over all pairs.
        disagreement_expected: 1 − chance F1 of the document, over all pairs.
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
    disagreement_expected: float
    p: float = UNDEFINED
    pair: tuple[str, str] | None = None
    others: float = UNDEFINED


SORTS: Mapping[str, Callable[[QueuedDocument], tuple[float, ...]]] = {
    "disagreement": lambda queued: (-queued.disagreement, -queued.disputed),
    "segments": lambda queued: (-queued.disputed, -queued.disagreement),
    "unexpected": lambda queued: (
        1 if math.isnan(queued.p) else queued.p,
        -queued.disagreement,
        -queued.disputed,
    ),
}
"""Criteria for ranking documents by name: keys that are sorted in ascending order.

First is the document with the highest 1 − F1 over all pairs, and of equal ones the most disputed;
that with the most disputed segments; or that in which chance alone would most seldom agree so
little in a pair.
"""


RANKED_BY: Mapping[str, str] = {
    "disagreement": "the disagreement of all others",
    "segments": "the number of segments in dispute among all others",
    "unexpected": "how unlikely the agreement of all others is by chance",
}
"""What documents are ranked by if outliers are left out, for each criterion of :data:`SORTS`."""


def choose_outliers_to_leave_out(
    per_document: PairsByDocument, settings: Settings, sort: str
) -> tuple[tuple[str, ...], list[str]]:
    """Choose the outliers whose annotations are disregarded in the ranking of documents.

    Gold is never left out, and at least two annotators remain.

    Args:
        per_document: compared annotators.
        settings: settings of the comparison.
        sort: criterion, one of :data:`SORTS`.

    Returns:
        Names of these outliers, and notes.
    """
    names, noun = per_document.corpus.annotators, document_noun(settings)
    outlier_names = find_outliers(per_document, settings)
    if outlier_names is None:
        reason = "outliers are not known, of so many pairs"
        return (), [f"{reason}; {noun}s are ranked by all annotators"]
    left_out = tuple(name for name in outlier_names if name not in select_gold_names(names))
    if not left_out or len(names) - len(left_out) < 2:
        return (), []
    plural_suffix = "s" * (len(left_out) > 1)
    rule = f"{noun}s are ranked by {RANKED_BY[sort]}"
    return left_out, [f"outlier{plural_suffix} {join_names(left_out)}: {rule}"]


def rank_documents(
    per_document: PairsByDocument,
    contested: DisputedSegments,
    left_out: Sequence[str],
    sort: str,
    progress: Progress,
) -> list[tuple[int, QueuedDocument]]:
    """Rank the documents with a disputed segment.

    If outliers are left out, documents that the other annotators dispute come first, and documents
    on which two or more of them agree come last.

    Args:
        per_document: compared annotators.
        contested: disputed segments of all annotators.
        left_out: names of outliers who are left out.
        sort: criterion, one of :data:`SORTS`.
        progress: callback for the probabilities by chance.

    Returns:
        Index and description of each document, by rank.
    """
    corpus = per_document.corpus
    others, contested_by_others = per_document, contested
    if left_out:
        other_names = [name for name in corpus.annotators if name not in left_out]
        others = PairsByDocument.from_corpus(
            corpus.select_annotators(other_names), replace(per_document.counting, progress=None)
        )
        contested_by_others = find_disputed(others.corpus)
    least_likely: Mapping[int, tuple[float, tuple[str, str]]] = {}
    if sort == "unexpected":
        from spanagree.project.unexpected_agreement import compute_least_likely  # on request

        documents = np.unique(contested_by_others.document)
        least_likely = compute_least_likely(others.corpus, others.counting, documents, progress)
    f1, f1_of_others = _compute_f1_by_document(per_document), _compute_f1_by_document(others)
    n_disputed = contested.count_by_document()
    n_disputed_by_others = contested_by_others.count_by_document()
    queue: dict[int, QueuedDocument] = {}
    sort_keys: dict[int, tuple[float | str, ...]] = {}
    for d in np.unique(contested.document).tolist():
        disagreement, disagreement_expected, _ = (1 - f1[d]).tolist()
        disagreement_of_others = float(1 - f1_of_others[d, 0])
        p, pair = least_likely.get(d, (UNDEFINED, None))
        queue[d] = ranked_as = QueuedDocument(
            corpus.id_of(d),
            int(contested.saw[d]),
            int(contested.segments[d]),
            int(n_disputed[d]),
            disagreement,
            disagreement_expected,
            p,
            pair,
            disagreement_of_others if left_out else UNDEFINED,
        )
        group = 0 if n_disputed_by_others[d] else 1 if contested_by_others.saw[d] < 2 else 2
        if not group:
            ranked_as = ranked_as._replace(
                disagreement=disagreement_of_others, disputed=int(n_disputed_by_others[d])
            )
        sort_keys[d] = (group, *SORTS[sort](ranked_as), ranked_as.document)
    return [(d, queue[d]) for d in sorted(queue, key=sort_keys.__getitem__)]


def _compute_f1_by_document(per_document: PairsByDocument) -> Floats:
    """Compute F1 of each document over all pairs: observed, expected and corrected."""
    numbers = np.arange(len(per_document.corpus))
    with np.errstate(divide="ignore", invalid="ignore"):
        return compute_f1_figures(per_document.sums.by("document").symmetric_table(numbers))
