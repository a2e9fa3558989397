"""Annotators against each other, over one corpus or over blocks of one."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from dataclasses import replace

from spanagree.agreement.count import Counted, add_counted, agreement_settings, part_of, tally_pairs
from spanagree.agreement.intervals import with_intervals, with_poisson_intervals
from spanagree.agreement.result import MIN_SHARED, Agreement
from spanagree.agreement.team import agreement_of
from spanagree.blocks.poisson import check_ids, poisson_resampling, poisson_settings
from spanagree.blocks.run import Block, each_block, merged, notes_of_blocks
from spanagree.corpus.corpus import Corpus
from spanagree.errors import SettingError, check_known, check_whole
from spanagree.matching.measures import find_match
from spanagree.settings import __version__, settings_of_blocks
from spanagree.uncertainty.bootstrap import Resampling


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
    """How far annotators agree with each other, raw and beyond luck.

    Every pair is compared over the documents that both saw; pairs that share none are never
    visited, so thousands of annotators who share few documents are no obstacle. The expected
    figures are exact (Li et al. 2024, extended here to teams: tallies add over pairs).

    Args:
        corpus: the annotators as layers; or blocks, as for :func:`spanagree.evaluate`. Blocks may
            have different annotators; those that are not in one have seen nothing there.
        match: the measure, one of :data:`spanagree.similarity.MATCHES`.
        chance: the chance model, one of :data:`spanagree.chance.CHANCES`.
        annotators: the names of those to compare; all unless given.
        min_shared: pairs that share fewer documents are marked (``few``); they still count.
        ci: confidence intervals for the team, the mean, pairs, annotators and labels, by resampling
            documents; see :func:`spanagree.evaluate` for ``confidence``, ``resamples``, ``seed``
            and ``interval``.
        executor: of blocks: any ``concurrent.futures.Executor``.
        on_error: of blocks that fail, one of :data:`spanagree.blocks.ON_ERROR`.
        progress: called with the number of documents of pairs done, and of all; then with the
            number of intervals; or with the number of blocks done.

    Raises:
        SettingError: for an unknown name, a number out of range, or a layer that overlaps itself
            where the measure or the chance model does not allow it.

    >>> corpus = Corpus.from_segments(
    ...     [10, 8],
    ...     {
    ...         "ann": [[(0, 2, "PER"), (4, 5, "LOC")], [(1, 2, "LOC")]],
    ...         "bob": [[(0, 2, "PER")], None],
    ...         "cem": [None, [(1, 2, "LOC")]],
    ...     },
    ... )
    >>> result = agree(corpus)
    >>> {names: round(pair.f1.observed, 3) for names, pair in result.pairs.items()}
    {('ann', 'bob'): 0.667, ('ann', 'cem'): 1.0}
    >>> round(result.team.f1.observed, 3), round(result.mean.observed, 3)
    (0.8, 0.833)
    """
    find_match(match)
    check_whole(min_shared, 0, "min_shared")
    if not isinstance(corpus, Corpus):
        drawing = poisson_resampling(ci, confidence, resamples, seed, interval)
        work = functools.partial(
            part_of, annotators=annotators, match=match, chance=chance, resampling=drawing
        )
        done = each_block(corpus, work, executor=executor, on_error=on_error, progress=progress)
        whole, skipped = merged(done, add_counted, "compare")
        check_known(annotators or (), whole.saw)
        return _over_blocks(whole, skipped, min_shared, drawing)
    resampling = Resampling(confidence, resamples, seed, interval or "bca") if ci else None
    if executor is not None:
        raise SettingError("executor: for blocks; one corpus is compared here")
    if annotators is not None:
        corpus = corpus.of_annotators(annotators)
    found = tally_pairs(corpus, match, chance, progress)
    tallied = found.columns.totals(found.pair[found.columns.document], len(found.shared))
    labels = found.columns.by_label(corpus.labels) if find_match(match).of_label else {}
    settings = agreement_settings(corpus, match, chance)
    if resampling is not None:
        settings = {**settings, **resampling.settings(), "version": __version__}
    result = agreement_of(
        list(corpus.annotators),
        {name: int(layer.annotated.sum()) for name, layer in corpus.layers.items()},
        dict(zip(found.members, zip(found.shared, tallied, strict=True), strict=True)),
        labels,
        len(corpus),
        found.seen,
        found.seen_without,
        {**settings, "annotators": len(corpus.layers), "min_shared": int(min_shared)},
        corpus.notes,
    )
    result = replace(
        result,
        document_ids=corpus.ids,
        tallies=found.columns,
        pair_documents=(found.pair, found.document),
    )
    return result if resampling is None else with_intervals(result, resampling, progress)


def _over_blocks(
    whole: Counted, skipped: Sequence[str], min_shared: int, resampling: Resampling | None
) -> Agreement:
    """The result of all blocks together."""
    names = list(whole.saw)
    place = {name: i for i, name in enumerate(names)}
    found = {}
    for (a, b), (shared, tally) in whole.pairs.items():
        i, j = place[a], place[b]
        found[min(i, j), max(i, j)] = shared, (tally if i < j else tally.turned()).tally
    settings = {**whole.settings, "annotators": len(names), "min_shared": int(min_shared)}
    if resampling is not None:
        settings = {**settings, **poisson_settings(resampling), "version": __version__}
    result = agreement_of(
        names,
        whole.saw,
        dict(sorted(found.items())),
        {label: tally.tally for label, tally in whole.labels.items()},
        whole.documents,
        whole.seen,
        [whole.seen_without[name] for name in names],
        settings_of_blocks(settings, skipped),
        notes_of_blocks(whole.notes, skipped, whole.ids),
    )
    if resampling is None or whole.replicates is None:
        return result
    check_ids(whole.ids)
    return with_poisson_intervals(result, whole.replicates, resampling)
