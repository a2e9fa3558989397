"""The mean gain of random pairs of units, exact: what steadies the expected disorder of γ.

How much two units would save if they were aligned with each other alone, (C + 1)·Δ_∅ − d over C
where that is positive, adds up over pairs of units. So its mean over random annotations follows
from start distributions, and its known error in a sample of them says much about that of the
disorder (a control variate).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from spanagree.arrays import Floats, Ints, distinct, groups, join
from spanagree.chance.model import ChanceModel
from spanagree.chance.start_distributions import UNITS, Profiles, is_long
from spanagree.comparisons.coarse_starts import CoarseStarts, extrapolated
from spanagree.comparisons.expected import place_layers
from spanagree.comparisons.uniform_starts import UniformStarts
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.segments import columns_of_all
from spanagree.units.dissimilarity import Dissimilarity, Pairs, Units, pairs_of_annotators

_PLACES = 5_000_000  # of the lengths of a document's units, each at every position
_CHUNK = 1 << 20  # elements of one temporary array


def gains(units: Units, pairs: Pairs, annotators: Ints, dissimilarity: Dissimilarity) -> Floats:
    """Return the sum of the gains of all pairs in each document."""
    count = np.maximum(pairs_of_annotators(annotators), 1)
    document = units.document[pairs.u]
    gain = (count[document] + 1) * dissimilarity.delta_empty - pairs.value
    sums = np.bincount(document, np.maximum(gain, 0), len(annotators))
    return np.asarray(sums / count, np.float64)


def is_cheap(corpus: Corpus) -> bool:
    """Return whether the mean gains are worth their cost, which grows with the unit of offsets.

    Where it is too much, more draws are cheaper, whose cost follows the units of the annotation.
    """
    document, start, end, _, number = columns_of_all(corpus.layers.values())
    (document, *_), _, _ = distinct(document, number, end - start)
    kinds = np.bincount(document, minlength=len(corpus))
    units = np.minimum(corpus.lengths, UNITS) if is_long(corpus) else corpus.lengths
    return bool((kinds * units <= _PLACES).all())


def expected_gains(
    corpus: Corpus, chance: ChanceModel, annotators: Ints, dissimilarity: Dissimilarity
) -> Floats:
    """Return the mean of :func:`gains` over random annotations, for each document."""
    starts, placed = place_layers(corpus, corpus.annotators, chance)
    columns = [
        (
            annotator_starts.layer.document,
            np.full(len(annotator_starts.layer), number),
            annotator_starts.layer.label,
            annotator_starts.layer.end - annotator_starts.layer.start,
            annotator_starts.profile,
        )
        for number, annotator_starts in enumerate(placed.values())
    ]
    nothing = np.zeros(0, np.int64)
    columns_joined = [np.concatenate([nothing, *column]) for column in zip(*columns, strict=True)]
    if isinstance(starts, UniformStarts):
        return _summed(starts.profiles, columns_joined, annotators, dissimilarity)
    assert isinstance(starts, CoarseStarts)  # as segments are one piece
    document, _, _, length, kind = columns_joined
    values = []
    for level in starts.levels:
        units = level.length[kind]
        columns_at_level = [*columns_joined[:3], units, level.profile[kind]]
        # what two gain, over all offsets, grows with the length of both
        scale = length / (units * level.factor[kind])
        values.append(_summed(level.profiles, columns_at_level, annotators, dissimilarity, scale))
    unit = np.ones(len(annotators))
    unit[document] = 1 / starts.levels[0].factor[kind]
    return extrapolated(values, unit)[0]


def _summed(
    profiles: Profiles,
    columns: Sequence[Ints],
    annotators: Ints,
    dissimilarity: Dissimilarity,
    scale: Floats | None = None,
) -> Floats:
    """Return the same of units in columns: document, annotator, label, length and profile.

    ``scale`` says of each how much longer it is than its length here.
    """
    (document, annotator, label, length, profile), which, number = distinct(*columns)
    longer = np.ones(len(document))
    if scale is not None:
        longer = np.bincount(which, scale, len(document)) / number
    i, j = join(document, document)
    later = annotator[j] > annotator[i]
    i, j = i[later], j[later]
    count = np.maximum(pairs_of_annotators(annotators), 1)[document[i]]
    apart, apart_values = _coded(dissimilarity.between(label[i], label[j]))
    rows, which, _ = distinct(length[i], length[j], apart, count, profile[i], profile[j])
    value = _mean_gains(profiles, rows, apart_values, dissimilarity)[which]
    size = length[i] + length[j]
    both = (longer[i] * length[i] + longer[j] * length[j]) / size
    weights = number[i] * number[j] * value * both
    return np.bincount(document[i], weights, len(annotators)).astype(np.float64)


def _coded(values: Floats) -> tuple[Ints, Floats]:
    """Return values as numbers, and the distinct values."""
    distinct_values, which = np.unique(values, return_inverse=True)
    return which.astype(np.int64), distinct_values


def _mean_gains(
    profiles: Profiles, rows: tuple[Ints, ...], apart: Floats, dissimilarity: Dissimilarity
) -> Floats:
    """Return the mean gain of one random unit of A and one of B, for each row."""
    a, b, category, count, profile_a, profile_b = rows
    total = np.zeros(len(a))
    kinds, which, counts = distinct(a, b, category, count)
    columns = (x.tolist() for x in kinds)
    for of_a, of_b, code, pairs, here in zip(*columns, groups(which, len(counts)), strict=True):
        A, B = profile_a[here], profile_b[here]
        beta = dissimilarity.beta * float(apart[code])
        room = pairs + 1 - beta
        if room <= 0:
            continue
        longest = int(max(profiles.size[A].max(), profiles.size[B].max()))
        reach = min(float(dissimilarity.reach(np.array(room * dissimilarity.delta_empty))), 1e9)
        low = max(int(np.ceil((of_a - of_b - reach * (of_a + of_b)) / 2)), -longest)
        offset = np.arange(low, of_a - of_b - low + 1)
        shift = (np.abs(offset) + np.abs(offset + of_b - of_a)) / (of_a + of_b)
        gain = np.maximum(room - dissimilarity.alpha * shift**2, 0)
        total[here] = correlated(profiles, A, B, offset, gain) / pairs
    return total * dissimilarity.delta_empty


def correlated(profiles: Profiles, A: Ints, B: Ints, offset: Ints, gain: Floats) -> Floats:
    """Return Σ_x P_A(x) Σ_δ gain(δ) P_B(x + δ) for each pair of profiles."""
    width = np.maximum(profiles.width[A], profiles.width[B] - offset[0])
    width = np.minimum(width, profiles.size[A] // 2)
    total = np.empty(len(A))
    order = np.argsort(width, kind="stable")
    at = 0
    while at < len(order):
        least = max(int(width[order[at]]) + 1, 1)
        alike = int(np.searchsorted(width[order], 2 * least, side="right"))
        rows = order[at : min(alike, at + max(1, _CHUNK // (2 * least * len(offset))))]
        x = np.arange(int(width[rows].max()) + 1)
        reached = np.arange(offset[0], x[-1] + offset[-1] + 1)
        near = profiles.at(B[rows, None], reached)
        met = np.stack([np.correlate(row, gain, "valid") for row in near])
        value = profiles.at(A[rows, None], x) * met
        last = width[rows]
        # one by one, so that no other row changes a digit
        edge = np.where(x < last[:, None], value, 0.0).cumsum(1)[:, -1]
        middle = profiles.size[A[rows]] - 2 * last
        total[rows] = 2 * edge + middle * value[np.arange(len(rows)), last]
        at += len(rows)
    return total
