"""Systems against a gold annotation, over one corpus or over blocks of one."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import Bools
from spanagree.blocks import (
    Block,
    each_block,
    merged,
    merged_settings,
    notes_of_blocks,
    settings_of_blocks,
)
from spanagree.chance.placement import CHANCES
from spanagree.corpus import Corpus
from spanagree.document_ids import Hashes, ids_of
from spanagree.errors import (
    InputError,
    SettingError,
    check_choice,
    counted,
    one_of,
    printable,
)
from spanagree.evaluation import (
    Evaluation,
    Macro,
    System,
    evaluation_of,
    macro_of,
    notes_on,
    ranks_of,
    resampled,
)
from spanagree.poisson import (
    Entries,
    Replicates,
    check_ids,
    percentile_intervals,
    poisson_resampling,
    poisson_settings,
    replicates,
)
from spanagree.resample import Resampling, all_figures
from spanagree.similarity import check_layer, find_match, place_layers, tallies
from spanagree.tally import NO_TALLY, Tallies, Tally, TallySum
from spanagree.version import __version__

_COLUMNS = ("matched", "expected", "size_a", "size_b")  # of a tally


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
        return _over_blocks(*merged(done, _merged, "evaluate"), drawing)
    resampling = Resampling(confidence, resamples, seed, interval or "bca") if ci else None
    if executor is not None:
        raise SettingError("executor: for blocks; one corpus is evaluated here")
    gold, columns, shared = _compared(corpus, gold, match, chance, progress)
    result = evaluation_of(
        {name: (columns[name], shared[name]) for name in columns},
        corpus.labels,
        len(corpus),
        corpus.ids,
        _settings(gold, match, chance, corpus.offsets, corpus.reading),
        corpus.notes,
    )
    return result if resampling is None else resampled(result, resampling)


def _settings(
    gold: str, match: str, chance: str, offsets: str, reading: Mapping[str, Any]
) -> dict[str, Any]:
    return {
        "gold": gold,
        "match": match,
        "chance": chance,
        "average": "micro",
        "offsets": offsets,
        **reading,
        "version": __version__,
    }


def _compared(
    corpus: Corpus,
    gold: str | None,
    match: str,
    chance: str,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[str, dict[str, Tallies], dict[str, Bools]]:
    """Gold's name, the tallies of each system, and the documents it shares with gold."""
    find_match(match)
    names = corpus.annotators
    if len(names) < 2:
        raise SettingError(
            f"{counted(len(names), 'layer')} in the corpus; gold and at least one"
            " system are needed: a second file, or columns for both"
        )
    gold = names[0] if gold is None else gold
    if gold not in names:
        raise one_of(gold, map(printable, names), "gold")
    for name in names:
        check_layer(corpus, name, match, chance)
    others = [name for name in names if name != gold]
    told = progress or (lambda done, total: None)
    told(0, len(names))
    profiles, placed = place_layers(corpus, names, chance)
    columns: dict[str, Tallies] = {}
    for done, name in enumerate(others, 1):
        told(done, len(names))
        columns[name] = tallies(
            placed[gold], placed[name], profiles, match, max(1, len(corpus.labels))
        )
    told(len(names), len(names))
    annotated = {name: corpus.layers[name].annotated for name in names}
    shared = {name: annotated[gold] & annotated[name] for name in others}
    return gold, columns, shared


# --- over blocks --------------------------------------------------------------------------------


class _Part(NamedTuple):
    """What is counted in one block, or in several."""

    documents: int
    annotators: tuple[str, ...]
    settings: Mapping[str, Any]
    shared: Mapping[str, int]
    totals: Mapping[str, TallySum]
    labels: Mapping[str, Mapping[str, TallySum]]  # of each system
    label_names: tuple[str, ...]
    notes: tuple[str, ...]
    ids: tuple[Hashes, ...]
    replicates: Replicates | None = None  # by system, label and column of the tally


def part_of(
    corpus: Corpus, *, gold: str | None, match: str, chance: str, resampling: Resampling | None
) -> _Part:
    """What one block adds to an evaluation."""
    gold, columns, shared = _compared(corpus, gold, match, chance)
    label_names = corpus.labels if find_match(match).of_label else ()
    by_label: dict[str, dict[str, TallySum]] = {}
    for name, of in columns.items():
        sums = TallySum.each(of, of.label, len(label_names)) if label_names else []
        by_label[name] = dict(zip(label_names, sums, strict=True))
    ids = ids_of(corpus)
    return _Part(
        len(corpus),
        corpus.annotators,
        _settings(gold, match, chance, corpus.offsets, corpus.reading),
        {name: int(both.sum()) for name, both in shared.items()},
        {name: TallySum.of(of) for name, of in columns.items()},
        by_label,
        label_names,
        corpus.notes,
        ids,
        None if resampling is None else _drawn(ids, columns, label_names, resampling),
    )


def _drawn(
    ids: Sequence[Hashes],
    columns: Mapping[str, Tallies],
    label_names: Sequence[str],
    resampling: Resampling,
) -> Replicates:
    """What a block adds in every resample to the columns of each system and label."""
    labels = label_names or ("",)
    entries = [
        Entries(
            [(name, label, column) for label in labels],
            of.label.clip(0),
            of.document,
            getattr(of, column),
        )
        for name, of in columns.items()
        for column in _COLUMNS
    ]
    return replicates(ids, entries, resampling)


def _merged(one: _Part, other: _Part, number: int) -> _Part:
    """Two parts together; ``number`` is that of the later block.

    Raises:
        InputError: for other annotators, or other settings, naming both.
    """
    if one.annotators != other.annotators:
        raise InputError(
            f"block {number}: annotators {', '.join(map(printable, other.annotators))}; the blocks"
            f" before have {', '.join(map(printable, one.annotators))}"
        )
    settings = merged_settings(one.settings, other.settings, f"block {number}")
    names = tuple(sorted({*one.label_names, *other.label_names}))
    return _Part(
        one.documents + other.documents,
        one.annotators,
        settings,
        {name: one.shared[name] + other.shared[name] for name in one.shared},
        {name: one.totals[name].plus(other.totals[name]) for name in one.totals},
        {
            name: {
                label: one.labels[name]
                .get(label, NO_TALLY)
                .plus(other.labels[name].get(label, NO_TALLY))
                for label in names
            }
            for name in one.labels
        },
        names,
        (*one.notes, *other.notes),
        (*one.ids, *other.ids),
        one.replicates.plus(other.replicates) if one.replicates and other.replicates else None,
    )


def _over_blocks(whole: _Part, skipped: Sequence[str], resampling: Resampling | None) -> Evaluation:
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
    whole: _Part, resampling: Resampling, name: str, tally: Tally, labels: Sequence[str]
) -> Tally:
    """The tally of a system over some labels, with intervals."""
    assert whole.replicates is not None  # as resampling was asked for
    drawn = [whole.replicates.over([(name, of, c) for of in labels]) for c in _COLUMNS]
    found = percentile_intervals(
        np.array([getattr(tally, column) for column in _COLUMNS], np.float64),
        np.stack(drawn, axis=1),
        all_figures,
        whole.shared[name],
        resampling,
    )
    return replace(tally, intervals=dict(zip(Macro._fields, found, strict=True)))
