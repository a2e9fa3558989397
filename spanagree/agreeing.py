"""Annotators against each other, over one corpus or over blocks of one."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from spanagree.agreement import MIN_SHARED, Agreement, Pairs, agreement_of
from spanagree.arrays import Floats, Ints, distinct, groups, ranks
from spanagree.blocks import (
    Block,
    each_block,
    merged,
    merged_settings,
    notes_of_blocks,
    settings_of_blocks,
)
from spanagree.corpus import Corpus
from spanagree.crowd import Crowd, compare
from spanagree.document_ids import Hashes, ids_of
from spanagree.errors import SettingError, check_known, check_whole
from spanagree.poisson import (
    Entries,
    Replicates,
    check_ids,
    percentile_intervals,
    poisson_resampling,
    poisson_settings,
    replicates,
)
from spanagree.resample import (
    Resampling,
    Sample,
    bootstrap,
    f1_figures,
    intervals,
    three,
)
from spanagree.similarity import check_layer, find_match
from spanagree.tally import (
    NO_TALLY,
    Interval,
    Tallies,
    Tally,
    TallySum,
)
from spanagree.version import __version__

_DENSE = 1 << 24  # cells of documents and pairs; of more, only those that are filled are kept


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
        whole, skipped = merged(done, _merged, "compare")
        check_known(annotators or (), whole.saw)
        return _over_blocks(whole, skipped, min_shared, drawing)
    resampling = Resampling(confidence, resamples, seed, interval or "bca") if ci else None
    if executor is not None:
        raise SettingError("executor: for blocks; one corpus is compared here")
    if annotators is not None:
        corpus = corpus.of_annotators(annotators)
    found = _found(corpus, match, chance, progress)
    tallied = found.columns.totals(found.pair[found.columns.document], len(found.shared))
    labels = found.columns.by_label(corpus.labels) if find_match(match).of_label else {}
    settings = _settings(corpus, match, chance)
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
    return result if resampling is None else _with_intervals(result, resampling, progress)


class _Found(NamedTuple):
    """What the annotators of a corpus have in common."""

    columns: Tallies  # whose documents are those of pairs
    pair: Ints  # of each document of a pair, the number of the pair
    document: Ints
    members: list[tuple[int, int]]  # of each pair
    shared: list[int]  # documents of each pair
    seen: int  # documents seen by two or more
    seen_without: list[int]  # the same without each annotator


def _found(
    corpus: Corpus, match: str, chance: str, progress: Callable[[int, int], None] | None = None
) -> _Found:
    for name in corpus.annotators:
        check_layer(corpus, name, match, chance)
    crowd = Crowd.of(corpus)
    first, second = crowd.pairs()
    pair_members, pair, shared = distinct(crowd.annotator[first], crowd.annotator[second])
    columns = compare(corpus, crowd, (first, second), match, chance, progress)
    document = crowd.document[first]
    members = list(zip(*(column.tolist() for column in pair_members), strict=True))
    return _Found(
        columns,
        pair,
        document,
        members,
        shared.tolist(),
        len(np.unique(document)),
        _seen_without(len(corpus.layers), members, (pair, document)),
    )


def _settings(corpus: Corpus, match: str, chance: str) -> dict[str, Any]:
    return {
        "match": match,
        "chance": chance,
        "team": "summed",
        "annotators": 0,  # known when all are
        "min_shared": 0,
        "offsets": corpus.offsets,
        **corpus.reading,
        "version": __version__,
    }


def _seen_without(
    annotators: int, members: Sequence[tuple[int, int]], pair_documents: tuple[Ints, Ints]
) -> list[int]:
    """For each annotator, how many documents are seen by two of the others."""
    pair, document = pair_documents
    who = np.array(members, np.int64).reshape(-1, 2)[pair]
    count = np.bincount(document)
    # a document is lost without an annotator who takes part in all of its pairs
    (lost, of), _, mine = distinct(np.tile(document, 2), np.concatenate((who[:, 0], who[:, 1])))
    every = np.bincount(of[mine == count[lost]], minlength=annotators)
    return (np.count_nonzero(count) - every).tolist()


# --- over blocks ---------------------------------------------------------------------------------


class _Part(NamedTuple):
    """What is counted in one block, or in several; annotators by name."""

    documents: int
    seen: int
    saw: Mapping[str, int]  # documents of each annotator
    seen_without: Mapping[str, int]
    pairs: Mapping[tuple[str, str], tuple[int, TallySum]]
    labels: Mapping[str, TallySum]
    settings: Mapping[str, Any]
    notes: tuple[str, ...]
    ids: tuple[Hashes, ...]
    replicates: Replicates | None = None  # by pair or label, and column


_COLUMNS = ("matched", "expected", "size")  # of a figure, in a resample


def part_of(
    corpus: Corpus,
    *,
    annotators: Sequence[str] | None,
    match: str,
    chance: str,
    resampling: Resampling | None,
) -> _Part:
    """What one block adds to an agreement."""
    if annotators is not None:
        corpus = corpus.of_annotators([name for name in annotators if name in corpus.layers])
    found = _found(corpus, match, chance)
    names = corpus.annotators
    sums = TallySum.each(found.columns, found.pair[found.columns.document], len(found.members))
    labels = corpus.labels if find_match(match).of_label else ()
    by_label = TallySum.each(found.columns, found.columns.label, len(labels)) if labels else []
    ids = ids_of(corpus)
    return _Part(
        len(corpus),
        found.seen,
        {name: int(layer.annotated.sum()) for name, layer in corpus.layers.items()},
        dict(zip(names, found.seen_without, strict=True)),
        {
            (names[i], names[j]): (shared, tally)
            for (i, j), shared, tally in zip(found.members, found.shared, sums, strict=True)
        },
        dict(zip(labels, by_label, strict=True)),
        _settings(corpus, match, chance),
        corpus.notes,
        ids,
        None if resampling is None else _drawn(corpus, ids, found, labels, resampling),
    )


def _drawn(
    corpus: Corpus,
    ids: Sequence[Hashes],
    found: _Found,
    labels: Sequence[str],
    resampling: Resampling,
) -> Replicates:
    """What a block adds in every resample to the columns of each pair and label."""
    names, of = corpus.annotators, found.columns
    pairs = [tuple(sorted((names[i], names[j]))) for i, j in found.members]
    values = (of.matched, of.expected, of.size_a + of.size_b)
    document = found.document[of.document]
    entries = [
        Entries([(*key, column) for key in keys], which, document, value)
        for keys, which in ((pairs, found.pair[of.document]), ([(x,) for x in labels], of.label))
        if keys
        for column, value in zip(_COLUMNS, values, strict=True)
    ]
    return replicates(ids, entries, resampling)


def _merged(one: _Part, other: _Part, number: int) -> _Part:
    """Two parts together; ``number`` is that of the later block."""
    names = list(dict.fromkeys([*one.saw, *other.saw]))
    pairs = dict(one.pairs)
    for (a, b), (shared, tally) in other.pairs.items():
        key = (b, a) if (b, a) in pairs else (a, b)
        before, so_far = pairs.get(key, (0, NO_TALLY))
        pairs[key] = before + shared, so_far.plus(tally if key == (a, b) else tally.turned())
    return _Part(
        one.documents + other.documents,
        one.seen + other.seen,
        {name: one.saw.get(name, 0) + other.saw.get(name, 0) for name in names},
        {
            # an annotator who is not in a block takes nothing away there
            name: one.seen_without.get(name, one.seen) + other.seen_without.get(name, other.seen)
            for name in names
        },
        pairs,
        {
            label: one.labels.get(label, NO_TALLY).plus(other.labels.get(label, NO_TALLY))
            for label in sorted({*one.labels, *other.labels})
        },
        merged_settings(one.settings, other.settings, f"block {number}"),
        (*one.notes, *other.notes),
        (*one.ids, *other.ids),
        one.replicates.plus(other.replicates) if one.replicates and other.replicates else None,
    )


def _over_blocks(
    whole: _Part, skipped: Sequence[str], min_shared: int, resampling: Resampling | None
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
    return _with_poisson_intervals(result, whole.replicates, resampling)


def _with_poisson_intervals(
    result: Agreement, drawn: Replicates, resampling: Resampling
) -> Agreement:
    """The same result with intervals, all figures on the same resampled documents."""

    def sums(keys: Sequence[tuple[str, ...]]) -> Floats:
        return np.stack([drawn.over([(*key, column) for key in keys]) for column in _COLUMNS], 1)

    def columns_of(tally: Tally) -> Floats:
        return np.array([tally.matched, tally.expected, tally.size_a + tally.size_b], np.float64)

    def with_ends(tally: Tally, keys: Sequence[tuple[str, ...]], documents: int) -> Tally:
        ends = percentile_intervals(
            columns_of(tally), sums(keys), f1_figures, documents, resampling
        )
        return replace(tally, intervals={"f1": ends[0]})

    keys = [tuple(sorted(names)) for names in result.pairs]
    of = {name: [key for key in keys if name in key] for name in result.annotators}
    pairs = list(result.pairs.values())
    seen = result.team.documents
    made = [
        replace(pair, tally=with_ends(pair.tally, [key], pair.documents))
        for pair, key in zip(pairs, keys, strict=True)
    ]
    mean = result.mean
    if keys:
        # pairs in an order of their own, so that the order of annotators changes no digit
        ordered = sorted(zip(keys, pairs, strict=True), key=lambda of: of[0])
        total = np.concatenate([columns_of(pair.tally) for _, pair in ordered])
        each = np.concatenate([sums([key]) for key, _ in ordered], axis=1)
        ends = percentile_intervals(total, each, _mean_figures, seen, resampling)
        mean = replace(mean, interval=ends[0])
    return replace(
        result,
        team=replace(result.team, tally=with_ends(result.team.tally, keys, seen)),
        mean=mean,
        pairs=Pairs(list(result.annotators), list(result.pairs.members), made),
        annotators={
            name: replace(member, tally=with_ends(member.tally, of[name], member.documents))
            for name, member in result.annotators.items()
        },
        labels={
            label: with_ends(tally, [(label,)], seen) for label, tally in result.labels.items()
        },
    )


# --- intervals -----------------------------------------------------------------------------------


def _mean_figures(sums: Floats) -> Floats:
    """The means over pairs of their figures; (some, 3·pairs) to (some, 3)."""
    f1 = f1_figures(sums.reshape(len(sums), -1, 3))
    defined = ~np.isnan(f1)
    means: Floats = np.where(defined, f1, 0).sum(axis=1) / defined.sum(axis=1)
    return means


def _with_intervals(
    result: Agreement,
    resampling: Resampling,
    progress: Callable[[int, int], None] | None,
) -> Agreement:
    """The same result with intervals: each figure's own documents are resampled."""
    rows, (pair, document) = result.kept()
    of_documents = replace(rows, document=document[rows.document])
    who = np.array(list(result.pairs.members), np.int64).reshape(-1, 2)[pair]
    names = list(result.annotators)

    def own(chosen: Ints | slice, shared: Ints) -> tuple[Ints, Floats]:
        """What each document of some pairs adds to matched, expected, size."""
        table = of_documents.where(chosen).table(shared)
        return shared, np.stack((table[:, 0], table[:, 1], table[:, 2] + table[:, 3]), axis=1)

    seen = np.unique(document)
    of_label = groups(rows.label, len(result.labels)) if result.labels else []
    label_names = sorted(result.labels)
    pairs = list(result.pairs.values())
    of_pair = groups(pair[rows.document], len(pairs))
    documents_of_pair = groups(pair, len(pairs))
    by_member = groups(who.T.ravel(), len(names))
    rows_by_member = groups(who[rows.document].T.ravel(), len(names))
    parts = [
        own(slice(None), seen),
        *(own(of_label[k], seen) for k in range(len(label_names))),
        *(
            own(some % max(len(rows.document), 1), np.unique(document[mine % max(len(pair), 1)]))
            for some, mine in zip(rows_by_member, by_member, strict=True)
        ),
        *(own(of_pair[k], document[documents_of_pair[k]]) for k in range(len(pairs))),
    ]
    found = [{"f1": ends[0]} for ends in intervals(parts, f1_figures, resampling, progress)]
    team, rest = found[0], iter(found[1:])
    labels = {label: replace(result.labels[label], intervals=next(rest)) for label in label_names}
    annotators = {
        name: replace(member, tally=replace(member.tally, intervals=next(rest)))
        for name, member in result.annotators.items()
    }
    made = [replace(p, tally=replace(p.tally, intervals=next(rest))) for p in pairs]
    return replace(
        result,
        team=replace(result.team, tally=replace(result.team.tally, intervals=team)),
        mean=replace(result.mean, interval=_mean_interval(result, seen, resampling)),
        pairs=Pairs(names, list(result.pairs.members), made),
        annotators=annotators,
        labels={label: labels[label] for label in result.labels},
    )


def _mean_interval(result: Agreement, seen: Ints, resampling: Resampling) -> Interval:
    """Of the mean over pairs: all pairs on the same resampled documents."""
    from scipy.sparse import coo_array  # takes a tenth of a second to import

    rows, (pair, document) = result.kept()
    # pairs in an order of their own, so that the order of annotators changes no digit
    names = [sorted(names) for names in result.pairs]
    place = ranks(names)
    unit = np.searchsorted(seen, document[rows.document])
    column = 3 * place[pair[rows.document]]
    values = (rows.matched, rows.expected, rows.size_a + rows.size_b)
    shape = (len(seen), max(3 * len(names), 1))
    table = coo_array(
        (
            np.concatenate(values).astype(np.float64),
            (np.tile(unit, 3), np.concatenate([column + k for k in range(3)])),
        ),
        shape=shape,
    )

    def mean(sums: Floats) -> Floats:
        return _mean_figures(sums[:, : 3 * len(names)])

    small = shape[0] * shape[1] < _DENSE
    return three(
        bootstrap(Sample(table.toarray() if small else table), mean, resampling), 0, resampling
    )
