"""Systems against a gold annotation, over one corpus or over blocks of one."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import replace

import numpy as np

from spanagree.blocks.poisson import (
    check_ids,
    percentile_intervals,
    poisson_resampling,
    poisson_settings,
)
from spanagree.blocks.run import Block, each_block, merged, notes_of_blocks
from spanagree.chance.start_distributions import CHANCES
from spanagree.corpus.corpus import Corpus
from spanagree.errors import SettingError, check_choice
from spanagree.evaluation.count import (
    COLUMNS,
    Counted,
    add_counted,
    compare_layers,
    evaluation_settings,
    part_of,
)
from spanagree.evaluation.result import (
    Evaluation,
    Macro,
    System,
    evaluation_of,
    macro_of,
    notes_on,
    ranks_of,
    resampled,
)
from spanagree.matching.measures import find_match
from spanagree.matching.score import all_figures
from spanagree.matching.tally import Tally
from spanagree.settings import __version__, settings_of_blocks
from spanagree.uncertainty.bootstrap import Resampling


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
    if not isinstance(corpus, Corpus):
        find_match(match)
        check_choice(chance, CHANCES, "chance")
        drawing = poisson_resampling(ci, confidence, resamples, seed, interval)
        work = functools.partial(part_of, gold=gold, match=match, chance=chance, resampling=drawing)
        done = each_block(corpus, work, executor=executor, on_error=on_error, progress=progress)
        return _over_blocks(*merged(done, add_counted, "evaluate"), drawing)
    resampling = Resampling(confidence, resamples, seed, interval or "bca") if ci else None
    if executor is not None:
        raise SettingError("executor: for blocks; one corpus is evaluated here")
    gold, columns, shared = compare_layers(corpus, gold, match, chance, progress)
    result = evaluation_of(
        {name: (columns[name], shared[name]) for name in columns},
        corpus.labels,
        len(corpus),
        corpus.ids,
        evaluation_settings(gold, match, chance, corpus.offsets, corpus.reading),
        corpus.notes,
    )
    return result if resampling is None else resampled(result, resampling)


def _over_blocks(
    whole: Counted, skipped: Sequence[str], resampling: Resampling | None
) -> Evaluation:
    """The result of all blocks together."""
    settings = whole.settings
    if resampling is not None and whole.replicates is not None:
        check_ids(whole.ids)
        settings = {**settings, **poisson_settings(resampling), "version": __version__}

    def with_ends(name: str, tally: Tally, labels: Sequence[str]) -> Tally:
        return tally if resampling is None else _with_ends(whole, resampling, name, tally, labels)

    all_labels = whole.label_names or ("",)
    ranks = ranks_of([sums.tally for sums in whole.totals.values()])
    systems = {}
    for (name, sums), rank in zip(whole.totals.items(), ranks, strict=True):
        labels = {label: of.tally for label, of in whole.labels[name].items()}
        systems[name] = System(
            name,
            whole.shared[name],
            with_ends(name, sums.tally, all_labels),
            {label: with_ends(name, tally, [label]) for label, tally in labels.items()},
            macro_of(labels.values(), find_match(settings["match"]).of_label),
            rank,
            None,
            None,
        )
    return Evaluation(
        systems,
        whole.documents,
        None,
        settings_of_blocks(settings, skipped),
        (
            *notes_of_blocks(whole.notes, skipped, whole.ids),
            *notes_on(systems.values(), whole.documents),
        ),
        whole.label_names,
    )


def _with_ends(
    whole: Counted, resampling: Resampling, name: str, tally: Tally, labels: Sequence[str]
) -> Tally:
    """The tally of a system over some labels, with intervals."""
    assert whole.replicates is not None  # as resampling was asked for
    drawn = [whole.replicates.over([(name, of, c) for of in labels]) for c in COLUMNS]
    found = percentile_intervals(
        np.array([getattr(tally, column) for column in COLUMNS], np.float64),
        np.stack(drawn, axis=1),
        all_figures,
        whole.shared[name],
        resampling,
    )
    return replace(tally, intervals=dict(zip(Macro._fields, found, strict=True)))
