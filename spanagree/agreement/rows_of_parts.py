"""Comparison of annotators in parts of a corpus."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from spanagree.agreement.compared_annotators import ComparedAnnotators, compare_team
from spanagree.agreement.coverage import SharedDocumentCounts
from spanagree.agreement.crowd_sums import PartlySummedComparisons
from spanagree.arrays import Progress
from spanagree.comparisons.counting import ComparisonRequest, MatchCountOptions
from spanagree.comparisons.table import Comparisons
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.roles import choose_annotators
from spanagree.parts.compared_parts import (
    can_concatenate_rows,
    check_same_settings,
    compare_joined_documents,
    compare_part_of_corpus,
    compare_parts,
    count_documents_before,
    join_documents,
    join_kinds,
)
from spanagree.parts.each import Part
from spanagree.parts.joined_rows import join_rows

if TYPE_CHECKING:
    from concurrent.futures import Executor  # takes a while to load


def compare_annotators_in_parts(
    source: Iterable[Part],
    annotators: Sequence[str] | None,
    request: ComparisonRequest,
    executor: Executor | None,
    progress: Progress,
) -> ComparedAnnotators:
    """Compare each pair of annotators in parts of a corpus, and join their rows.

    Args:
        source: parts of a corpus, or rows of parts.
        annotators: names of the annotators to compare. Default: all.
        request: measure, chance model and selection.
        executor: executor with workers that read and compare the parts.
        progress: function called with the number of finished parts.

    Raises:
        SettingError, InputError: if a comparison fails; see :func:`spanagree.agree`.
    """
    role_names = {"annotators": annotators}
    return compare_parts(source, _compare_part, _join, role_names, request, executor, progress)


def _compare_part(
    part: Corpus | ComparedAnnotators,
    *,
    annotators: Sequence[str] | None,
    request: ComparisonRequest,
) -> ComparedAnnotators:
    """Compare each pair of annotators in one part; rows of a part are only checked."""
    if isinstance(part, ComparedAnnotators):
        names = sorted(part.corpus.annotators)
        requested = [] if annotators is None else [("annotators", names, sorted(annotators))]
        check_same_settings(part, request, requested)
        return part
    compare = functools.partial(_compare_chosen, annotators=annotators)
    return compare_part_of_corpus(part, request, compare)


def _compare_chosen(
    corpus: Corpus, counting: MatchCountOptions, annotators: Sequence[str] | None
) -> ComparedAnnotators:
    """Compare each pair of the requested annotators who occur in a part of a corpus."""
    team, _ = choose_annotators(corpus, annotators, in_part=True)
    counting.check(team)
    return compare_team(team, counting)


def _join(
    parts: Mapping[str, ComparedAnnotators],
    *,
    annotators: Sequence[str] | None,
    request: ComparisonRequest,
) -> ComparedAnnotators:
    """Join the rows of parts to the rows of the whole corpus.

    The whole corpus is compared again if chance would treat it differently from its parts.

    Args:
        parts: parts in their order, by name.
        annotators: names of the compared annotators. Default: all.
        request: measure, chance model and selection.

    Raises:
        InputError, SettingError: if parts do not belong together, or an annotator or another name
            is in no part.
    """
    corpus, counting, description = join_documents(parts, request)
    team, chosen = choose_annotators(corpus, annotators)
    kinds = [part.kind for part in parts.values()]
    if not can_concatenate_rows(kinds):
        compare = functools.partial(ComparedAnnotators.of, annotators=annotators)
        return compare_joined_documents(corpus, counting, description, compare)
    n_before = count_documents_before(parts.values())
    parts_with_offset = [*zip(parts.values(), n_before, strict=True)]
    uniform = [
        (part.uniform, n_documents)
        for part, n_documents in parts_with_offset
        if part.uniform is not None
    ]
    return ComparedAnnotators(
        corpus=team,
        counting=counting,
        kind=join_kinds(kinds),
        description=description,
        chosen=next(iter(parts.values())).chosen if chosen is None else chosen,
        sums=_join_sums(
            [(part.sums, n_documents) for part, n_documents in parts_with_offset], team
        ),
        sharing=sum(
            (part.sharing for part in parts.values()),
            SharedDocumentCounts.build_empty(team.annotators),
        ),
        most=np.concatenate([part.most for part in parts.values()]),
        uniform=_join_sums(uniform, team) if len(uniform) == len(parts) else None,
    )


def _join_sums(
    parts: Sequence[tuple[Comparisons | PartlySummedComparisons, int]], team: Corpus
) -> Comparisons | PartlySummedComparisons:
    """Join the comparisons of parts; a table of rows if no part has crowded documents.

    Args:
        parts: comparisons of each part, and the number of documents before it.
        team: the compared annotators of the whole corpus.
    """
    crowds = [
        (sums, n_before) for sums, n_before in parts if isinstance(sums, PartlySummedComparisons)
    ]
    rows, documents, pairs, annotations = (
        join_rows(tables, team.annotators, team.labels)
        for tables in (
            [
                (sums if isinstance(sums, Comparisons) else sums.rows, n_before)
                for sums, n_before in parts
            ],
            [(sums.documents, n_before) for sums, n_before in crowds],
            [(sums.pairs, n_before) for sums, n_before in crowds],
            [(sums.annotations, n_before) for sums, n_before in crowds],
        )
    )
    if not crowds:
        return rows
    return PartlySummedComparisons(rows, documents, pairs.by("first", "second"), annotations)
