"""Confidence intervals of an agreement."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from spanagree.agreement.count import COLUMNS
from spanagree.agreement.result import Agreement, Pairs
from spanagree.arrays import Floats, Ints, groups, ranks
from spanagree.blocks.poisson import Replicates, percentile_intervals
from spanagree.matching.score import Interval, f1_figures
from spanagree.matching.tally import Tally
from spanagree.uncertainty.bootstrap import Resampling, Sample, bootstrap, interval_of, intervals

_DENSE = 1 << 24  # cells of documents and pairs; of more, only those that are filled are kept


def with_poisson_intervals(
    result: Agreement, drawn: Replicates, resampling: Resampling
) -> Agreement:
    """The same result with intervals, all figures on the same resampled documents."""

    def sums(keys: Sequence[tuple[str, ...]]) -> Floats:
        return np.stack([drawn.over([(*key, column) for key in keys]) for column in COLUMNS], 1)

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


def with_intervals(
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
    return interval_of(
        bootstrap(Sample(table.toarray() if small else table), mean, resampling), 0, resampling
    )
