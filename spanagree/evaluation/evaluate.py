"""Evaluate systems against a gold annotation, over one corpus or over blocks of one."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from concurrent.futures import Executor

from spanagree.blocks.counted import count_all
from spanagree.blocks.poisson import asked_resampling
from spanagree.blocks.run import Block
from spanagree.chance.start_distributions import CHANCES
from spanagree.corpus.corpus import Corpus
from spanagree.errors import check_choice
from spanagree.evaluation.count import count
from spanagree.evaluation.result import Evaluation, result
from spanagree.matching.measures import find_match


def evaluate(
    corpus: Corpus | Iterable[Block],
    gold: str | None = None,
    *,
    match: str = "exact",
    chance: str = "nonoverlapping",
    ci: bool = False,
    confidence: float = 95,
    resamples: int = 10_000,
    seed: int = 0,
    interval: str | None = None,
    executor: Executor | None = None,
    on_error: str = "raise",
    progress: Callable[[int, int], None] | None = None,
) -> Evaluation:
    """Precision, recall and F1 of systems against a gold annotation, raw and beyond luck.

    The expected scores are those of two independent random annotations that keep the number,
    lengths and labels of the segments of either side in every document (Li et al. 2024). They
    are exact: nothing is simulated.

    Args:
        corpus: gold and systems as layers; or blocks of a corpus that is too large for memory: an
            iterable of corpora, or of functions without arguments that give them. Over blocks the
            figures are the same to the last digit, but single documents are not kept.
        gold: the name of the gold layer; the first unless named. All others are systems.
        match: the measure, one of :data:`spanagree.similarity.MATCHES`.
        chance: the chance model, one of :data:`spanagree.chance.CHANCES`.
        ci: confidence intervals for every figure, by resampling documents: a score's ``interval``.
        confidence: of the intervals, in per cent.
        resamples: how many; with the same ``seed`` the digits are the same, in whatever order the
            documents come.
        seed: a whole number from 0.
        interval: how intervals are made, one of :data:`spanagree.resample.INTERVALS`; ``bca``
            unless given. Over blocks percentile, of a Poisson bootstrap that draws by the
            documents' ids.
        executor: of blocks: any ``concurrent.futures.Executor``, whose workers do the work.
        on_error: of blocks that fail, one of :data:`spanagree.blocks.ON_ERROR`.
        progress: called with the number of steps done and of all: the chance model, and a step
            for each system; or with the number of blocks done.

    Raises:
        SettingError: for an unknown name, a number out of range, fewer than two layers, or a layer
            that overlaps itself where the measure or the chance model does not allow it.
        InputError: for blocks that fail, or do not go together.

    >>> corpus = Corpus.from_segments(
    ...     [10], {"gold": [[(0, 2, "PER"), (4, 5, "LOC")]], "mine": [[(0, 2, "PER")]]}
    ... )
    >>> f1 = evaluate(corpus, gold="gold").systems["mine"].f1
    >>> round(f1.observed, 3), round(f1.expected, 3), round(f1.corrected, 3)
    (0.667, 0.074, 0.64)
    """
    find_match(match)
    check_choice(chance, CHANCES, "chance")
    in_blocks = not isinstance(corpus, Corpus)
    resampling = asked_resampling(in_blocks, ci, confidence, resamples, seed, interval)
    counts = count_all(
        corpus,
        functools.partial(count, gold=gold, match=match, chance=chance, resampling=resampling),
        purpose="evaluate",
        executor=executor,
        on_error=on_error,
        progress=progress,
    )
    return result(counts, resampling)
