"""Annotators against each other, over one corpus or over blocks of one."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import replace

from spanagree.agreement.count import count
from spanagree.agreement.result import MIN_SHARED, Agreement, result
from spanagree.blocks.counted import count_all
from spanagree.blocks.poisson import asked_resampling
from spanagree.blocks.run import Block
from spanagree.corpus.corpus import Corpus
from spanagree.errors import check_known, check_whole
from spanagree.matching.overlaps import check_names


def agree(
    corpus: Corpus | Iterable[Block],
    *,
    match: str = "exact",
    chance: str = "nonoverlapping",
    annotators: Sequence[str] | None = None,
    min_shared: int = MIN_SHARED,
    ci: bool = False,
    confidence: float = 95,
    resamples: int = 10_000,
    seed: int = 0,
    interval: str | None = None,
    executor: Executor | None = None,
    on_error: str = "raise",
    progress: Callable[[int, int], None] | None = None,
) -> Agreement:
    """Return how far annotators agree with each other, raw and beyond luck.

    Each pair is compared over the documents that both saw; pairs that share none are never visited.
    The expected figures are exact (Li et al. 2024; tallies add over pairs).

    Args:
        corpus: the annotators as layers; or blocks, as for :func:`spanagree.evaluate`, which may
            have different annotators.
        match: the measure, exact, boundaries, token or iou.
        chance: the chance model, nonoverlapping, per-label or overlapping.
        annotators: the names of those to compare; all unless given.
        min_shared: pairs that share fewer documents are marked (``few``); they still count.
        ci: confidence intervals for every figure, by resampling documents; see
            :func:`spanagree.evaluate` for these and for the other arguments.
        progress: called with the number of documents of pairs, of intervals or of blocks done,
            and of all.

    Raises:
        SettingError: for an unknown name, a number out of range, or a layer that overlaps itself
            where the measure or the chance model does not allow it.

    >>> ann, bob = [[(0, 2, "PER"), (4, 5, "LOC")], []], [[(0, 2, "PER")], None]
    >>> result = agree(Corpus.from_segments([10, 8], {"ann": ann, "bob": bob}))
    >>> round(result.team.f1.observed, 3), result.pairs["bob", "ann"].documents
    (0.667, 1)
    """
    check_names(match, chance)
    check_whole(min_shared, 0, "min_shared")
    in_blocks = not isinstance(corpus, Corpus)
    resampling = asked_resampling(in_blocks, ci, confidence, resamples, seed, interval)
    counting = functools.partial(
        count, annotators=annotators, match=match, chance=chance, resampling=resampling
    )
    counts = count_all(corpus, counting, "compare", executor, on_error, progress)
    if in_blocks:
        check_known(annotators or (), counts.saw)
    chosen = None if annotators is None else list(annotators)
    counts = replace(counts, settings=replace(counts.settings, chosen=chosen))
    return result(counts, min_shared, resampling, None if in_blocks else progress)
