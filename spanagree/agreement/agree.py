"""Annotators against each other, over one corpus or over blocks of one."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from spanagree.agreement.count import count
from spanagree.agreement.result import Agreement, result
from spanagree.arrays import Progress, step_of
from spanagree.blocks.counted import NOT_OVER_BLOCKS, count_all
from spanagree.blocks.matches import MatchCounting
from spanagree.blocks.run import Block
from spanagree.chance.model import Given, whose
from spanagree.choices import MIN_SHARED, Chance, MatchName, OnError
from spanagree.comparisons.compared import Comparing, compared
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.roles import as_list
from spanagree.errors import SettingError, check_known, check_whole, counted
from spanagree.formats.guessed import CorpusLike, source_of
from spanagree.settings import unit
from spanagree.uncertainty.bootstrap import Bootstrap, asked_bootstrap, resampling_of
from spanagree.uncertainty.chance_statistics import cannot_be_told, chance_of_pairs

if TYPE_CHECKING:
    from concurrent.futures import Executor  # takes a while to load

    from typing_extensions import Unpack  # in typing from Python 3.11 on


def agree(
    corpus: CorpusLike | Iterable[Block],
    *,
    match: MatchName = "exact",
    chance: Chance = "nonoverlapping",
    places: Given | None = None,
    annotators: Sequence[str] | None = None,
    min_shared: int = MIN_SHARED,
    ci: bool | Bootstrap = False,
    p_values: bool = False,
    seed: int = 0,
    executor: Executor | None = None,
    on_error: OnError = "raise",
    progress: Callable[[int, int], None] | None = None,
    **comparing: Unpack[Comparing],
) -> Agreement:
    """Return how far annotators agree with each other, raw and corrected for chance.

    Each pair is compared over the documents that both saw; pairs that share none are never visited.
    The expected figures are exact (Li et al. 2024; tallies add over pairs).

    Args:
        corpus: the annotators as layers; or blocks, as for :func:`spanagree.evaluate`, which may
            have different annotators.
        match: the measure, exact, boundaries, token, iou or overlap.
        chance: the chance model, nonoverlapping, per-label or overlapping.
        places: where random segments may stand; see :func:`spanagree.evaluate`.
        annotators: the names of those to compare; all unless given.
        min_shared: pairs that share fewer documents are marked (``few``); they still count.
        ci: confidence intervals for every figure, by resampling documents, for these annotators;
            or a :class:`Bootstrap`, which says how. With resample_by both, the intervals of the
            team, its labels, the mean and each annotator are over other annotators too, which
            needs four of them. The other arguments are as for :func:`spanagree.evaluate`.
        p_values: p, z and standard deviation of each pair too, both random; not over blocks.
        seed: a whole number from 0, of draws where expected scores are too much work to compute,
            and of resamples unless ``ci`` has its own.
        progress: called with the number of documents (pairs, blocks) done, and of all.
        comparing: ``tolerance``, ``attribute``, ``what`` and the others of
            :class:`spanagree.comparisons.Compared`, as for :func:`spanagree.evaluate`.

    Raises:
        SettingError: for an unknown name, a number out of range, or a layer that overlaps itself
            where the measure or the chance model does not allow it.

    >>> ann, bob = [[(0, 2, "PER"), (4, 5, "LOC")], []], [[(0, 2, "PER")], None]
    >>> result = agree(Corpus.from_segments([10, 8], {"ann": ann, "bob": bob}))
    >>> round(result.team.f1.observed, 3), result.pairs["bob", "ann"].documents
    (0.667, 1)
    """
    corpus = source_of(corpus)
    corpus, match, model = compared(corpus, match, chance, places, seed=seed, **comparing)
    if whose(model) != "both":
        raise SettingError("chance_of systems: no side is gold among annotators; leave it out")
    check_whole(min_shared, 0, "min_shared")
    in_blocks = not isinstance(corpus, Corpus)
    if p_values and in_blocks:
        raise SettingError(NOT_OVER_BLOCKS)
    annotators = as_list(annotators)
    bootstrap = asked_bootstrap(ci, seed)
    resampling = None
    if bootstrap is not None:
        resampling = resampling_of(bootstrap, in_blocks=in_blocks, of_team=True)
    counting = MatchCounting(match=match, chance=model, resampling=resampling)
    counts_of_team = functools.partial(count, annotators=annotators)
    counts = count_all(corpus, counts_of_team, counting, "compare", executor, on_error, progress)
    if in_blocks:
        check_known(annotators or (), counts.sharing.annotators)
    drawing = None if in_blocks or resampling is None else step_of(progress, "intervals")
    agreement = result(counts, min_shared, resampling, drawing)
    if p_values and isinstance(corpus, Corpus):
        return with_p_values(agreement, corpus, step_of(progress, "chance"))
    return agreement


def with_p_values(agreement: Agreement, corpus: Corpus, progress: Progress = None) -> Agreement:
    """Return the same agreement with the distribution of chance of each pair, both random."""
    settings, pairs = agreement.settings, list(agreement.pairs)
    chances = chance_of_pairs(corpus, pairs, settings, None, progress)
    by_chance = dict(zip(pairs, chances, strict=True))
    agreement = replace(agreement, by_chance=by_chance, settings=replace(settings, p_values=True))
    figures = [x for pair in agreement.chance_by_document().values() for x in pair.values()]
    noun = unit(settings)
    correction = "Benjamini-Hochberg for each pair"
    notes = [*filter(None, [cannot_be_told(figures, f"{noun} of pairs", correction)])]
    drawn = sum(pair.both.computed.get("drawn", 0) for pair in by_chance.values())
    if drawn:
        notes.append(f"chance was drawn in {counted(drawn, noun)} of pairs, too large to compute")
    return replace(agreement, notes=(*agreement.notes, *notes))
