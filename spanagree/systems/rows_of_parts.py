"""Comparison of systems with gold in parts of a corpus."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from spanagree.arrays import Progress
from spanagree.comparisons.counting import ComparisonRequest, MatchCountOptions
from spanagree.comparisons.inexact import ApproximationError
from spanagree.corpus.corpus import Corpus
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
from spanagree.systems.compared_systems import (
    ComparedSystems,
    check_segments_of_gold,
    choose_gold,
    compare_layers_with_gold,
    infer_seen,
)
from spanagree.systems.system_rows import ROW_ORDER, SystemRows

if TYPE_CHECKING:
    from concurrent.futures import Executor  # takes a while to load


def compare_systems_in_parts(
    source: Iterable[Part],
    gold: str | None,
    request: ComparisonRequest,
    executor: Executor | None,
    progress: Progress,
) -> ComparedSystems:
    """Compare systems with gold in parts of a corpus, and join their rows.

    Args:
        source: parts of a corpus, or rows of parts.
        gold: name of the gold layer. Default: the first of the whole corpus.
        request: measure, chance model and selection.
        executor: executor with workers that read and compare the parts.
        progress: function called with the number of finished parts.

    Raises:
        SettingError, InputError: if a comparison fails; see :func:`spanagree.evaluate`.
    """
    return compare_parts(source, _compare_part, _join, {"gold": gold}, request, executor, progress)


def _compare_part(
    part: Corpus | ComparedSystems, *, gold: str | None, request: ComparisonRequest
) -> ComparedSystems:
    """Compare systems with gold in one part; rows of a part are only checked."""
    if isinstance(part, ComparedSystems):
        names = [] if gold is None else [("gold", part.gold, gold)]
        check_same_settings(part, request, names)
        return part
    return compare_part_of_corpus(part, request, functools.partial(_compare_layers, gold=gold))


def _compare_layers(
    corpus: Corpus, counting: MatchCountOptions, gold: str | None
) -> ComparedSystems:
    """Compare systems with gold in a part, which may lack gold or systems.

    Args:
        corpus: documents of the part.
        counting: measure and chance model.
        gold: name of the gold layer. Default: the first layer of the part.
    """
    gold = next(iter(corpus.annotators), "") if gold is None else gold
    corpus_with_seen = infer_seen(corpus, gold)
    counting.check(corpus_with_seen)
    check_segments_of_gold(corpus, gold)
    return compare_layers_with_gold(corpus_with_seen, counting, gold)


def _join(
    parts: Mapping[str, ComparedSystems], *, gold: str | None, request: ComparisonRequest
) -> ComparedSystems:
    """Join the rows of parts to the rows of the whole corpus.

    The whole corpus is compared again if rows of parts would be wrong for it, for example because
    gold is the first layer by default, and a part has another first layer.

    Args:
        parts: parts in their order, by name.
        gold: name of the gold layer. Default: the first of the whole corpus.
        request: measure, chance model and selection.

    Raises:
        InputError, SettingError: if parts do not belong together, or no part has a layer.
    """
    corpus, counting, description = join_documents(parts, request)
    gold = choose_gold(corpus, gold)
    if not _are_rows_valid(corpus, gold, [*parts.values()]):
        compare = functools.partial(ComparedSystems.of, gold=gold)
        return compare_joined_documents(corpus, counting, description, compare)
    corpus_with_seen = infer_seen(corpus, gold)
    n_before = count_documents_before(parts.values())
    uniform = [part.uniform for part in parts.values() if part.uniform is not None]
    has_uniform = len(uniform) == len(parts)
    return ComparedSystems(
        corpus=corpus_with_seen,
        counting=counting,
        kind=join_kinds([part.kind for part in parts.values()]),
        gold=gold,
        rows=_join_system_rows([part.rows for part in parts.values()], n_before, corpus_with_seen),
        description=description,
        uniform=_join_system_rows(uniform, n_before, corpus_with_seen) if has_uniform else None,
        notes=tuple(dict.fromkeys(note for part in parts.values() for note in part.notes)),
    ).finished()


def _are_rows_valid(corpus: Corpus, gold: str, parts: Sequence[ComparedSystems]) -> bool:
    """Check whether the rows of parts are equal to the rows of the whole corpus.

    They are not if a part has another gold, or another treatment of chance. Nor are they if a
    system is missing in a part, and the source does not record which documents it saw: in the whole
    corpus it then saw all documents of gold.
    """
    return (
        can_concatenate_rows([part.kind for part in parts])
        and all(part.gold == gold for part in parts)
        and not any(
            gold in part.corpus.layers and name not in part.corpus.layers
            for name in corpus.seen_unknown
            for part in parts
        )
    )


def _join_system_rows(
    rows_of_parts: Sequence[SystemRows], n_before: Sequence[int], corpus: Corpus
) -> SystemRows:
    """Join the rows of parts under one chance model.

    Args:
        rows_of_parts: rows of each part.
        n_before: number of documents before each part.
        corpus: the whole corpus.
    """
    names = dict.fromkeys(name for rows in rows_of_parts for name in rows.inexact)
    return SystemRows(
        join_rows(
            [
                (rows.comparisons, n_documents)
                for rows, n_documents in zip(rows_of_parts, n_before, strict=True)
            ],
            corpus.annotators,
            corpus.labels,
            ROW_ORDER,
            gold_first=True,
        ),
        {
            name: sum(
                (rows.inexact[name] for rows in rows_of_parts if name in rows.inexact),
                ApproximationError(),
            )
            for name in names
        },
    )
