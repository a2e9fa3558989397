"""What each two annotators have in common in a corpus, or in parts of one: the rows of a result."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from spanagree.arrays import Ints, Progress, unique_rows
from spanagree.comparisons.annotation_pairs import (
    AnnotationIndex,
    SegmentStarts,
    compare_pairs,
)
from spanagree.comparisons.corpus_kind import CorpusKind, rows_add
from spanagree.comparisons.counting import ComparisonRequest, MatchCountOptions
from spanagree.comparisons.inexact import ApproximationError
from spanagree.comparisons.table import Comparisons, PartlySummedComparisons, SharedDocumentCounts
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.roles import choose_annotators
from spanagree.errors import InputError
from spanagree.parts.compared_rows import (
    ComparedRows,
    compared_documents,
    whole_of_parts,
)

if TYPE_CHECKING:
    from spanagree.parts.row_files import RowsFile  # needed by few

_SHARED = ("saw", "only", "first", "second", "shared")
_OF_CROWDS = ("documents", "pairs", "annotations")


@dataclass(frozen=True, eq=False, kw_only=True)
class ComparedAnnotators(ComparedRows):
    """Rows of annotators in a corpus, or in a part of one.

    Attributes:
        chosen: names of the annotators that are compared, if not all are.
        sums: rows of pairs, or of crowded documents sums of them.
        sharing: how many documents annotators saw and share.
        most: number of segments of the annotator who marked most, by document.
        uniform: rows without the rule of places, if chance has one.

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
        """Compare each two annotators of a whole corpus.

        Args:
            corpus: annotators as layers.
            counting: measure and chance model.
            annotators: names of those to compare. Default: all.

        Raises:
            SettingError: for an unknown name, or a layer that overlaps itself where the measure or
                the chance model does not allow it.
        """
        team, chosen = choose_annotators(corpus, annotators)
        counting.check(team)
        return replace(_compared(team, counting), chosen=chosen)

    @classmethod
    def _of_part(
        cls, corpus: Corpus, counting: MatchCountOptions, annotators: Sequence[str] | None = None
    ) -> ComparedAnnotators:
        team, _ = choose_annotators(corpus, annotators, in_part=True)
        counting.check(team)
        return _compared(team, counting)

    def _chosen_differently(
        self, annotators: Sequence[str] | None = None
    ) -> list[tuple[str, Any, Any]]:
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
        """Join what was compared in parts, as if they had been one corpus.

        Args:
            parts: parts in their order, by name.
            annotators: names of those who are compared. Default: all.
            request: what is compared.

        Raises:
            InputError, SettingError: for parts that do not belong together; for an annotator, or
                anything else, that no part has.
        """
        corpus, counting, description = whole_of_parts(parts, request)
        team, chosen = choose_annotators(corpus, annotators)
        kinds = [part.kind for part in parts.values()]
        if not rows_add(kinds):
            corpus.check_segments("parts of which chance treats some in another way")
            compared_anew = counting.run(lambda counting: cls.of(corpus, counting, annotators))
            return replace(compared_anew, description=description)
        n_before = [*accumulate((len(part.corpus) for part in parts.values()), initial=0)][:-1]
        names = team.annotators, team.labels
        every_part = [*zip(parts.values(), n_before, strict=True)]
        uniform = [(part.uniform, n) for part, n in every_part if part.uniform is not None]
        return cls(
            corpus=team,
            counting=counting,
            kind=CorpusKind.joined(kinds),
            description=description,
            chosen=next(iter(parts.values())).chosen if chosen is None else chosen,
            sums=PartlySummedComparisons.of_parts(
                [(part.sums, n) for part, n in every_part], *names
            ),
            sharing=sum(
                (part.sharing for part, _ in every_part), SharedDocumentCounts.none(team.annotators)
            ),
            most=np.concatenate([part.most for part, _ in every_part]),
            uniform=PartlySummedComparisons.of_parts(uniform, *names) if uniform else None,
        )

    def _contents(
        self,
    ) -> tuple[Corpus, dict[str, Any], dict[str, Comparisons], dict[str, Any]]:
        from spanagree.parts import row_files  # few write rows

        team, _ = choose_annotators(self.corpus, self.chosen)
        inexact = {"rows": row_files.plain_inexact(self.sums.inexact)}
        tables = _tables("rows", self.sums)
        if self.uniform is not None:
            tables |= _tables("uniform", self.uniform)
            inexact["uniform"] = row_files.plain_inexact(self.uniform.inexact)
        about = {
            "chosen": self.chosen and list(self.chosen),
            "seen": self.sharing.seen,
            "inexact": inexact,
        }
        sharing = {f"sharing.{key}": getattr(self.sharing, key) for key in _SHARED}
        return team, about, tables, {**sharing, "most": self.most}

    @classmethod
    def _of_file(cls, file: RowsFile, documents: Mapping[str, Any]) -> ComparedAnnotators:

        corpus = documents["corpus"]
        names, most = corpus.annotators, file.column("most", "i", len(corpus))
        columns = {
            key: file.column(f"sharing.{key}", "i", len(names) if key in _SHARED[:2] else None)
            for key in _SHARED
        }
        inexact, seen = file.about.get("inexact"), file.about.get("seen")
        if not isinstance(inexact, dict) or "rows" not in inexact or not isinstance(seen, int):
            raise InputError(f"{file.name}: inexact or seen is not as rows are written")
        sharing = SharedDocumentCounts(names, seen, **columns)
        pairs = np.concatenate((sharing.first, sharing.second))
        alike = len({len(columns[key]) for key in _SHARED[2:]}) == 1
        if not alike or ((pairs < 0) | (pairs >= len(names))).any():
            raise InputError(f"{file.name}: sharing is not as rows are written")
        sums = _sums_of_file(file, "rows", corpus, inexact["rows"])
        if isinstance(sums, Comparisons):
            of_rows, of_sharing = (
                table.first * len(names) + table.second for table in (sums, sharing)
            )
            if not np.isin(of_rows, of_sharing).all():
                raise InputError(f"{file.name}: a pair of the rows shares no document")
        uniform = (
            _sums_of_file(file, "uniform", corpus, inexact["uniform"])
            if "uniform" in inexact
            else None
        )
        return cls(
            **documents,
            sums=sums,
            sharing=sharing,
            most=most,
            uniform=uniform,
            chosen=file.about.get("chosen"),
        )


def _compared(team: Corpus, counting: MatchCountOptions) -> ComparedAnnotators:
    """Compare all annotators of a corpus; nothing is checked."""
    index, plain = AnnotationIndex.of(team), counting.without_places()
    sums, sharing = compare_annotators(team, index, counting)
    uniform = None if plain is None else compare_annotators(team, index, plain)[0]
    return ComparedAnnotators(
        chosen=None,
        sums=sums,
        sharing=sharing,
        most=most_segments(index, len(team)),
        uniform=uniform,
        **compared_documents(team, counting),
    )


def compare_annotators(
    corpus: Corpus, crowd: AnnotationIndex, counting: MatchCountOptions
) -> tuple[Comparisons | PartlySummedComparisons, SharedDocumentCounts]:
    """Compare each two annotators who saw a document, and count what they share.

    Documents that many saw are compared at once where the measure allows it. Progress is that of
    pairs. Nothing is checked.
    """
    names, match, chance = corpus.annotators, counting.match, counting.chance
    number = np.bincount(crowd.document, minlength=len(corpus))
    pairs = number * (number - 1) // 2
    report = counting.progress or (lambda done, total: None)

    def report_after(before: int) -> Progress:
        return lambda done, _: report(before + done, int(pairs.sum()))

    few, done, marks = None, 0, None
    if pairs.any():
        marks = SegmentStarts.of(corpus, crowd, chance, counting.measure)
    at_once = None
    if crowd.is_crowded(len(corpus)).any():
        from spanagree.agreement.crowded import crowd_sums  # few documents are

        at_once = crowd_sums(corpus, crowd, counting.measure, chance, report_after(0), marks=marks)
    if at_once is not None:
        few, done = ~at_once.documents, int(pairs @ at_once.documents)
    both = crowd.pairs(documents=few)
    rows = compare_pairs(corpus, crowd, both, match, chance, report_after(done), marks)
    (first, second), _, times = unique_rows(*(crowd.annotator[side] for side in both))
    sharing = SharedDocumentCounts(
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
    if corpus.unplaced:
        from spanagree.comparisons.unplaced_rows import rows_of_quotes  # most give offsets

        rows = rows + rows_of_quotes(
            corpus, counting.measure, crowd.annotators_of_pairs(at_once.documents)
        )
    return at_once.marginals(rows), sharing + at_once.sharing


# --- rows in files ---


def _tables(name: str, sums: Comparisons | PartlySummedComparisons) -> dict[str, Comparisons]:
    """Collect the tables of rows, or of sums of crowded documents, by name."""
    if isinstance(sums, Comparisons):
        return {name: sums}
    return {name: sums.rows, **{f"{name}.{part}": getattr(sums, part) for part in _OF_CROWDS}}


def _sums_of_file(
    file: RowsFile, name: str, corpus: Corpus, plain: Any
) -> Comparisons | PartlySummedComparisons:
    """Read the rows under one chance model from a file."""
    from spanagree.parts import row_files  # few read or write rows

    inexact = row_files.inexact_of(file, plain)
    rows = row_files.table_of_file(file, name, corpus, inexact)
    if f"{name}.{_OF_CROWDS[0]}.document" not in file.arrays:
        return rows
    parts = [
        row_files.table_of_file(file, f"{name}.{part}", corpus, ApproximationError(), of_sums=True)
        for part in _OF_CROWDS
    ]
    documents, pairs, annotations = parts
    return PartlySummedComparisons(rows, documents, pairs, annotations)


def most_segments(crowd: AnnotationIndex, documents: int) -> Ints:
    """Count the segments of the annotator who marked most, by document."""
    most = np.zeros(documents, np.int64)
    np.maximum.at(most, crowd.document, crowd.end - crowd.begin)
    return most
