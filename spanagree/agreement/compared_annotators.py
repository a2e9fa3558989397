"""Comparison rows of each pair of annotators in a corpus, or in parts of one.

A row has the sums of a pair of annotators in one document and label: match, expected match, and
both sizes. For crowded documents, which have many annotators, only sums of rows are kept: by
document, by pair and by annotation. A corpus may be read in parts, such as files, and the rows of
parts are joined.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from spanagree.arrays import Ints, Progress, unique_rows
from spanagree.comparisons.annotation_pairs import AnnotationIndex, SegmentStarts, compare_pairs
from spanagree.comparisons.corpus_kind import CorpusKind, can_concatenate_rows
from spanagree.comparisons.counting import ComparisonRequest, MatchCountOptions
from spanagree.comparisons.inexact import ApproximationError
from spanagree.comparisons.table import Comparisons, PartlySummedComparisons, SharedDocumentCounts
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.roles import choose_annotators
from spanagree.errors import InputError
from spanagree.parts.compared_rows import ComparedRows, describe_documents, join_documents_of_parts

if TYPE_CHECKING:
    from spanagree.parts.row_files import RowsFile  # rarely needed

_SHARED = ("saw", "only", "first", "second", "shared")
_OF_CROWDS = ("documents", "pairs", "annotations")


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
        return replace(_compare_team(team, counting), chosen=chosen)

    @classmethod
    def _compare_part(
        cls, corpus: Corpus, counting: MatchCountOptions, annotators: Sequence[str] | None = None
    ) -> ComparedAnnotators:
        """Compare each pair of the requested annotators who occur in a part of a corpus."""
        team, _ = choose_annotators(corpus, annotators, in_part=True)
        counting.check(team)
        return _compare_team(team, counting)

    def _list_names_to_check(
        self, annotators: Sequence[str] | None = None
    ) -> list[tuple[str, Any, Any]]:
        """List the compared and the requested annotators for a check; empty without a request.

        An entry has the name of the setting, its value in these rows, and the requested value.
        """
        if annotators is None:
            return []
        return [("annotators", sorted(self.corpus.annotators), sorted(annotators))]

    @classmethod
    def joined(
        cls,
        parts: Mapping[str, ComparedAnnotators],
        annotators: Sequence[str] | None = None,
        *,
        request: ComparisonRequest,
    ) -> ComparedAnnotators:
        """Join the rows of parts to the rows of the whole corpus.

        The whole corpus is compared again if chance would treat it differently from its parts.

        Args:
            parts: parts in their order, by name.
            annotators: names of the compared annotators. Default: all.
            request: measure, chance model and selection.

        Raises:
            InputError, SettingError: if parts do not belong together, or an annotator or another
                name is in no part.
        """
        corpus, counting, description = join_documents_of_parts(parts, request)
        team, chosen = choose_annotators(corpus, annotators)
        corpus_kinds = [part.kind for part in parts.values()]
        if not can_concatenate_rows(corpus_kinds):
            corpus.check_segments("parts of which chance treats some in another way")
            whole_result = counting.run(lambda counting: cls.of(corpus, counting, annotators))
            return replace(whole_result, description=description)
        n_before = [*accumulate((len(part.corpus) for part in parts.values()), initial=0)][:-1]
        names = team.annotators, team.labels
        parts_with_offset = [*zip(parts.values(), n_before, strict=True)]
        uniform = [
            (part.uniform, n_documents)
            for part, n_documents in parts_with_offset
            if part.uniform is not None
        ]
        return cls(
            corpus=team,
            counting=counting,
            kind=CorpusKind.join(corpus_kinds),
            description=description,
            chosen=next(iter(parts.values())).chosen if chosen is None else chosen,
            sums=PartlySummedComparisons.of_parts(
                [(part.sums, n_documents) for part, n_documents in parts_with_offset], *names
            ),
            sharing=sum(
                (part.sharing for part, _ in parts_with_offset),
                SharedDocumentCounts.build_empty(team.annotators),
            ),
            most=np.concatenate([part.most for part, _ in parts_with_offset]),
            uniform=PartlySummedComparisons.of_parts(uniform, *names) if uniform else None,
        )

    def _list_contents(
        self,
    ) -> tuple[Corpus, dict[str, Any], dict[str, Comparisons], dict[str, Any]]:
        """List the contents of a file of these rows.

        Returns:
            The corpus, metadata for JSON, tables of rows by name, and further columns by name.
        """
        from spanagree.parts import row_files  # rarely needed

        team, _ = choose_annotators(self.corpus, self.chosen)
        inexact = {"rows": row_files.serialize_inexact(self.sums.inexact)}
        tables = _collect_tables("rows", self.sums)
        if self.uniform is not None:
            tables |= _collect_tables("uniform", self.uniform)
            inexact["uniform"] = row_files.serialize_inexact(self.uniform.inexact)
        metadata = {
            "chosen": self.chosen and list(self.chosen),
            "seen": self.sharing.seen,
            "inexact": inexact,
        }
        sharing = {f"sharing.{key}": getattr(self.sharing, key) for key in _SHARED}
        return team, metadata, tables, {**sharing, "most": self.most}

    @classmethod
    def _read_file(cls, file: RowsFile, documents: Mapping[str, Any]) -> ComparedAnnotators:
        """Build the rows of annotators from a file; see :meth:`ComparedRows._read_file`."""
        corpus = documents["corpus"]
        names, max_segments = corpus.annotators, file.read_column("most", "i", len(corpus))
        columns = {
            key: file.read_column(f"sharing.{key}", "i", len(names) if key in _SHARED[:2] else None)
            for key in _SHARED
        }
        inexact, n_seen = file.about.get("inexact"), file.about.get("seen")
        if not isinstance(inexact, dict) or "rows" not in inexact or not isinstance(n_seen, int):
            raise InputError(f"{file.name}: inexact or seen is not as rows are written")
        sharing = SharedDocumentCounts(names, n_seen, **columns)
        pairs = np.concatenate((sharing.first, sharing.second))
        have_same_length = len({len(columns[key]) for key in _SHARED[2:]}) == 1
        if not have_same_length or ((pairs < 0) | (pairs >= len(names))).any():
            raise InputError(f"{file.name}: sharing is not as rows are written")
        sums = _read_sums(file, "rows", corpus, inexact["rows"])
        if isinstance(sums, Comparisons):
            pairs_of_rows, shared_pairs = (
                table.first * len(names) + table.second for table in (sums, sharing)
            )
            if not np.isin(pairs_of_rows, shared_pairs).all():
                raise InputError(f"{file.name}: a pair of the rows shares no document")
        uniform = (
            _read_sums(file, "uniform", corpus, inexact["uniform"])
            if "uniform" in inexact
            else None
        )
        return cls(
            **documents,
            sums=sums,
            sharing=sharing,
            most=max_segments,
            uniform=uniform,
            chosen=file.about.get("chosen"),
        )


def _compare_team(team: Corpus, counting: MatchCountOptions) -> ComparedAnnotators:
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


# --- rows in files ---


def _collect_tables(
    name: str, sums: Comparisons | PartlySummedComparisons
) -> dict[str, Comparisons]:
    """Collect the tables of a file: the rows, and the sums of crowded documents if there are any.

    ``name`` is the name of the table of rows, and the prefix of the others.
    """
    if isinstance(sums, Comparisons):
        return {name: sums}
    return {name: sums.rows, **{f"{name}.{key}": getattr(sums, key) for key in _OF_CROWDS}}


def _read_sums(
    file: RowsFile, name: str, corpus: Corpus, stored_bounds: Any
) -> Comparisons | PartlySummedComparisons:
    """Read the rows under one chance model, and the sums of crowded documents, from a file.

    Args:
        file: contents of the file.
        name: name of the table of rows.
        corpus: corpus of the file.
        stored_bounds: error bounds of expected matches, as stored.
    """
    from spanagree.parts import row_files  # rarely needed

    inexact = row_files.parse_inexact(file, stored_bounds)
    rows = row_files.read_table(file, name, corpus, inexact)
    if f"{name}.{_OF_CROWDS[0]}.document" not in file.arrays:
        return rows
    tables = [
        row_files.read_table(file, f"{name}.{key}", corpus, ApproximationError(), of_sums=True)
        for key in _OF_CROWDS
    ]
    documents, pairs, annotations = tables
    return PartlySummedComparisons(rows, documents, pairs, annotations)


def count_most_segments(crowd: AnnotationIndex, n_documents: int) -> Ints:
    """Compute the largest number of segments of an annotator, by document."""
    max_segments = np.zeros(n_documents, np.int64)
    np.maximum.at(max_segments, crowd.document, crowd.end - crowd.begin)
    return max_segments
