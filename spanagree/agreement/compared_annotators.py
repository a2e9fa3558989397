"""Comparison rows of each pair of annotators in a corpus.

A row has the sums of a pair of annotators in one document and label: match, expected match, and
both sizes. For crowded documents, which have many annotators, only sums of rows are kept: by
document, by pair and by annotation. Parts of a corpus are compared by
:mod:`spanagree.agreement.rows_of_parts`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from spanagree.agreement.coverage import SharedDocumentCounts
from spanagree.arrays import Ints, Progress, unique_rows
from spanagree.comparisons.annotation_pairs import AnnotationIndex, SegmentStarts, compare_pairs
from spanagree.comparisons.counting import MatchCountOptions
from spanagree.comparisons.table import Comparisons
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.roles import choose_annotators
from spanagree.parts.compared_rows import ComparedRows, describe_documents

if TYPE_CHECKING:
    from spanagree.agreement.crowd_sums import PartlySummedComparisons  # most have no crowd
    from spanagree.parts.row_files import RowsFile  # rarely needed


@dataclass(frozen=True, eq=False, kw_only=True)
class ComparedAnnotators(ComparedRows):
    """Rows of annotators in a corpus, or in a part of one.

    Attributes:
        chosen: names of the compared annotators; ``None`` for all.
        sums: rows of pairs, with sums of them for crowded documents.
        sharing: numbers of documents that annotators saw and share.
        most: largest number of segments of an annotator, by document.
        uniform: rows without the rule of places; ``None`` if chance has no such rule.

    >>> import spanagree as sa
    >>> corpus = sa.Corpus.from_segments([5], {"a": [[(0, 2, "X")]], "b": [[(0, 3, "X")]]})
    >>> sa.agree(corpus).rows.sharing.seen
    1
    """

    chosen: Sequence[str] | None
    sums: Comparisons | PartlySummedComparisons
    sharing: SharedDocumentCounts
    most: Ints
    uniform: Comparisons | PartlySummedComparisons | None = None

    OF: ClassVar[str] = "annotators"

    @classmethod
    def of(
        cls, corpus: Corpus, counting: MatchCountOptions, annotators: Sequence[str] | None = None
    ) -> ComparedAnnotators:
        """Compare each pair of annotators of a whole corpus.

        Args:
            corpus: annotators as layers.
            counting: measure and chance model.
            annotators: names of the annotators to compare. Default: all.

        Raises:
            SettingError: if a name is unknown, or a layer overlaps itself where the measure or
                chance model forbids it.
        """
        team, chosen = choose_annotators(corpus, annotators)
        counting.check(team)
        return replace(compare_team(team, counting), chosen=chosen)

    def _collect_contents(
        self,
    ) -> tuple[Corpus, dict[str, Any], dict[str, Comparisons], dict[str, Any]]:
        """Collect the compared annotators, metadata, tables and columns of a file of these rows."""
        from spanagree.agreement.rows_in_files import collect_contents  # few write rows

        team, _ = choose_annotators(self.corpus, self.chosen)
        return team, *collect_contents(
            self.chosen, self.sums, self.uniform, self.sharing, self.most
        )

    @staticmethod
    def _read_contents(file: RowsFile, corpus: Corpus) -> dict[str, Any]:
        """Read rows, sums and numbers of shared documents from a file."""
        from spanagree.agreement.rows_in_files import read_contents  # few read rows

        return read_contents(file, corpus)


def compare_team(team: Corpus, counting: MatchCountOptions) -> ComparedAnnotators:
    """Compare each pair of annotators, with and without the rule of places, and check nothing."""
    index, uniform_counting = AnnotationIndex.from_corpus(team), counting.remove_places()
    sums, sharing = compare_annotators(team, index, counting)
    uniform = (
        None if uniform_counting is None else compare_annotators(team, index, uniform_counting)[0]
    )
    return ComparedAnnotators(
        chosen=None,
        sums=sums,
        sharing=sharing,
        most=count_most_segments(index, len(team)),
        uniform=uniform,
        **describe_documents(team, counting),
    )


def compare_annotators(
    corpus: Corpus, crowd: AnnotationIndex, counting: MatchCountOptions
) -> tuple[Comparisons | PartlySummedComparisons, SharedDocumentCounts]:
    """Compare each pair of annotators of a document, and count shared documents.

    Documents with many annotators are compared as matrices if the measure allows it. Nothing is
    checked.

    Args:
        corpus: annotators as layers.
        crowd: annotations of the corpus.
        counting: measure, chance model, and progress, which counts pairs.
    """
    names, match, chance = corpus.annotators, counting.match, counting.chance
    n_annotators = np.bincount(crowd.document, minlength=len(corpus))
    n_pairs = n_annotators * (n_annotators - 1) // 2
    report = counting.progress or (lambda n_done, total: None)

    def report_after(n_before: int) -> Progress:
        return lambda n_done, _: report(n_before + n_done, int(n_pairs.sum()))

    is_uncrowded, n_done, marks = None, 0, None
    if n_pairs.any():
        marks = SegmentStarts.from_corpus(corpus, crowd, chance, counting.measure)
    crowded_documents = None
    if crowd.is_crowded(len(corpus)).any():
        from spanagree.agreement.crowded import sum_crowded  # rarely needed

        crowded_documents = sum_crowded(
            corpus, crowd, counting.measure, chance, report_after(0), marks=marks
        )
    if crowded_documents is not None:
        is_uncrowded, n_done = (
            ~crowded_documents.documents,
            int(n_pairs @ crowded_documents.documents),
        )
    pairs = crowd.pair_annotations(documents=is_uncrowded)
    rows = compare_pairs(corpus, crowd, pairs, match, chance, report_after(n_done), marks)
    (first, second), _, n_shared = unique_rows(
        *(crowd.annotator[annotation] for annotation in pairs)
    )
    sharing = SharedDocumentCounts(
        names,
        int((n_annotators > 1).sum()),
        np.bincount(crowd.annotator, minlength=len(names)),
        np.bincount(crowd.annotator[n_annotators[crowd.document] == 2], minlength=len(names)),
        first,
        second,
        n_shared,
    )
    if crowded_documents is None:
        return rows, sharing
    if corpus.unplaced:
        from spanagree.comparisons.unplaced_rows import build_rows_of_quotes  # most have offsets

        rows = rows + build_rows_of_quotes(
            corpus, counting.measure, crowd.find_annotators_of_pairs(crowded_documents.documents)
        )
    return crowded_documents.join_with_rows(rows), sharing + crowded_documents.sharing


def count_most_segments(crowd: AnnotationIndex, n_documents: int) -> Ints:
    """Compute the largest number of segments of an annotator, by document."""
    max_segments = np.zeros(n_documents, np.int64)
    np.maximum.at(max_segments, crowd.document, crowd.end - crowd.begin)
    return max_segments
