"""The distribution of the match of two random annotations, computed in the fastest way.

A *part* is a document, or an independent part of one
(:mod:`spanagree.comparisons.chance_distribution.pieces`). If its match is at most 1, the
probability p of a match is the mean, which is known without a walk
(:mod:`spanagree.comparisons.uniform_starts`), and the distribution is (1 − p, p). If the segments
of one annotation exclude each other, both annotations are walked together: a *walk* counts
arrangements from left to right (:mod:`spanagree.chance.walk`). Otherwise two pairs of segments may
share a segment, so pairs are not independent. Then the arrangements x of one annotation are
enumerated, and the other is walked against each fixed x:

    P(m) = (1/X) Σ_x P(m | x),   over X equally likely arrangements x.

Results have one entry for each part: the probabilities of 0, 1, …, or mean and variance if
``moments`` are requested; ``None`` for a part over the budget.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np

from spanagree.arrays import Floats, Ints, unique_rows
from spanagree.chance.enumeration import Enumeration
from spanagree.chance.model import ChanceModel
from spanagree.chance.place_kinds import PlaceKinds
from spanagree.comparisons.chance_distribution.fixed_walk import compute_fixed_by_walk
from spanagree.comparisons.chance_distribution.pieces import (
    AnnotatorSegments,
    DocumentParts,
    bound_costs,
    build_arranged_parts,
    compute_profiles_of_parts,
    remove_gaps_between,
)
from spanagree.comparisons.chance_distribution.single import compute_single_matches
from spanagree.comparisons.chance_distribution.walk_both import (
    build_segment_kinds,
    compute_both_by_walk,
    sort_counts,
)
from spanagree.comparisons.measures import Measure, swap_annotators
from spanagree.comparisons.starts import LayerPair
from spanagree.comparisons.uniform_starts import UniformStarts
from spanagree.corpus.segments import Layer
from spanagree.errors import SettingError

_CERTAIN = 1e-13  # tolerance for sums of floats that should be 0 or 1


def compute_both_random(
    document_parts: DocumentParts,
    measure: Measure,
    chance: str,
    budget: float,
    moments: bool,
    place_kinds: PlaceKinds | None = None,
) -> list[Floats | None]:
    """Compute the distribution of the match in each part, with both annotators random.

    For arguments and result, see :func:`.fixed_walk.compute_fixed_by_walk`; ``chance`` is the name
    of the chance model.
    """
    if chance == "nonoverlapping" or (chance == "per-label" and measure.of_label):
        if place_kinds is not None:
            return compute_both_by_walk(
                document_parts, measure, budget, moments, place_kinds=place_kinds
            )
        return _compute_distributions_by_walk(document_parts, measure, budget, moments)
    if place_kinds is not None and len(document_parts):
        document_parts, place_kinds = remove_gaps_between(document_parts, place_kinds)
    results: list[Floats | None] = []
    result_by_content: dict[tuple[object, ...], Floats | None] = {}
    for part_index in range(len(document_parts)):
        single_part = document_parts.select_parts(np.array([part_index]))
        content = (
            int(single_part.tokens[0]),
            *(_sort_segments(segments) for segments in (single_part.a, single_part.b)),
        )
        if content not in result_by_content:
            result_by_content[content] = _compute_distribution_by_enumeration(
                single_part, measure, budget, moments, place_kinds
            )
        results.append(result_by_content[content])
    return results


def _compute_distributions_by_walk(
    document_parts: DocumentParts, measure: Measure, budget: float, moments: bool
) -> list[Floats | None]:
    """Compute the distribution of each part if the segments of one annotator exclude each other.

    Parts with a match of at most 1 need only its mean; the others are walked.
    """
    results: list[Floats | None] = [None] * len(document_parts)
    is_single = np.zeros(len(document_parts), np.bool_)
    means: list[float] = []
    if measure.kernel in ("equal", "cover"):
        is_single = _bound_match(document_parts, measure) <= 1
        try:
            means = _compute_exact_means(
                document_parts.select_parts(np.flatnonzero(is_single)), measure
            )
        except SettingError:  # too many units, as in recordings; then chance is drawn
            is_single[:] = False
    elif measure.kernel == "one-to-one" and measure.is_whole:
        is_single, single_means = compute_single_matches(document_parts, measure)
        means = single_means[is_single].tolist()
    for part_index, probability in zip(np.flatnonzero(is_single).tolist(), means, strict=True):
        probability = (
            round(probability) if min(probability, 1 - probability) < _CERTAIN else probability
        )
        distribution = np.array([1 - probability, probability]) if probability else np.ones(1)
        results[part_index] = (
            np.array([probability, probability * (1 - probability)]) if moments else distribution
        )
    other_rows = np.flatnonzero(~is_single)
    other_results = compute_both_by_walk(
        document_parts.select_parts(other_rows), measure, budget, moments
    )
    for part_index, result in zip(other_rows.tolist(), other_results, strict=True):
        results[part_index] = result
    return results


def _bound_match(document_parts: DocumentParts, measure: Measure) -> Ints:
    """Compute an upper bound of the match of each part, without a rule of places."""
    annotators = (document_parts.a, document_parts.b)
    columns = (
        np.concatenate([segments.part_index for segments in annotators]),
        np.concatenate([segments.label for segments in annotators]),
        np.concatenate([segments.length * (measure.kernel == "equal") for segments in annotators]),
    )
    _, kind_of_segment, _ = unique_rows(*columns)
    kinds_of_annotators = np.split(kind_of_segment, [len(document_parts.a)])
    n_matchable = []
    for segments, own_kinds, other_kinds in zip(
        annotators, kinds_of_annotators, kinds_of_annotators[::-1], strict=True
    ):
        size = (segments.length if measure.in_tokens else 1) * np.isin(own_kinds, other_kinds)
        n_matchable.append(np.bincount(segments.part_index, size, len(document_parts)))
    return np.minimum(*n_matchable).astype(np.int64)


def _compute_exact_means(document_parts: DocumentParts, measure: Measure) -> list[float]:
    """Compute the exact mean match of each part if segments of one annotator exclude each other."""
    annotators = (document_parts.a, document_parts.b)
    profiles, profile_of_annotators = compute_profiles_of_parts(document_parts)
    n_labels = 1 + int(max(segments.label.max(initial=0) for segments in annotators))
    all_annotated = np.ones(len(document_parts), np.bool_)
    layers = [
        Layer(
            segments.part_index,
            segments.start,
            segments.start + segments.length,
            segments.label,
            all_annotated,
        )
        for segments in annotators
    ]
    cells = [segments.part_index * n_labels + segments.label for segments in annotators]
    layer_pair = LayerPair(
        (layers[0], layers[1]),
        profile_of_annotators,
        (cells[0], cells[1]),
        len(document_parts) * n_labels,
        ChanceModel("nonoverlapping"),
    )
    means, _ = UniformStarts(profiles).compute_expected(layer_pair, measure)
    return means.reshape(len(document_parts), n_labels).sum(1).tolist()


def _compute_distribution_by_enumeration(
    document_part: DocumentParts,
    measure: Measure,
    budget: float,
    moments: bool,
    place_kinds: PlaceKinds | None,
) -> Floats | None:
    """Compute the distribution of one part, with one annotation enumerated, the other walked.

    The annotation with fewer arrangements is enumerated.
    """
    n = int(document_part.tokens[0])
    annotators = [document_part.a, document_part.b]
    max_arrangements = budget / ((n + 1) * (len(document_part.a) + len(document_part.b)))
    groups = [
        _enumerate_groups(segments, n, place_kinds, max_arrangements)
        if bound_costs(document_part, segments)[0] <= budget
        else None
        for segments in annotators
    ]
    n_arrangements = [
        math.inf
        if enumerated is None
        else math.prod(arrangements.count for _, arrangements in enumerated)
        for enumerated in groups
    ]
    is_swapped = n_arrangements[1] < n_arrangements[0]
    chosen_groups = groups[is_swapped]
    if chosen_groups is None:
        return None
    places_of_groups = [arrangements.list_places() for _, arrangements in chosen_groups]
    start_and_end = np.zeros((int(min(n_arrangements)), len(annotators[is_swapped]), 2), np.int64)
    arrangement_indices = np.indices([len(enumerated) for enumerated in places_of_groups]).reshape(
        len(places_of_groups), -1
    )
    for (rows, _), arrangements_of_group, arrangement_index in zip(
        chosen_groups, places_of_groups, arrangement_indices, strict=True
    ):
        start_and_end[:, rows] = arrangements_of_group[arrangement_index]
    if is_swapped:  # φ with exchanged arguments
        measure = swap_annotators(measure)
    arranged_starts, arranged_ends = np.moveaxis(start_and_end, 2, 0)
    arranged = build_arranged_parts(
        document_part,
        swap=is_swapped,
        starts=arranged_starts,
        lengths=arranged_ends - arranged_starts,
    )
    return _mix_distributions(
        compute_fixed_by_walk(arranged, measure, budget, moments, place_kinds), moments
    )


def _sort_segments(segments: AnnotatorSegments) -> tuple[tuple[int, ...], ...]:
    """Sort the segments of an annotator into tuples of group, length, label and kind.

    These determine the distribution, so parts with equal tuples share it.
    """
    columns = (
        segments.group.tolist(),
        segments.length.tolist(),
        segments.label.tolist(),
        segments.kind.tolist(),
    )
    return tuple(sorted(zip(*columns, strict=True)))


def _enumerate_groups(
    segments: AnnotatorSegments, n: int, place_kinds: PlaceKinds | None, max_arrangements: float
) -> list[tuple[Ints, Enumeration]] | None:
    """Enumerate the arrangements of each group of an annotator's segments.

    Args:
        segments: segments of one annotator in one part.
        n: number of tokens.
        place_kinds: kinds of places, under a rule of places.
        max_arrangements: largest number of arrangements of all groups together.

    Returns:
        Rows of the segments of each group, sorted by kind, and its arrangements; ``None`` if there
        are too many.
    """
    groups = []
    for group in np.unique(segments.group):
        rows = np.flatnonzero(segments.group == group)
        kind_index = (segments.length if place_kinds is None else segments.kind)[rows]
        rows = rows[np.lexsort((segments.label[rows], kind_index))]
        keys = zip(sorted(kind_index.tolist()), segments.label[rows].tolist(), strict=True)
        segment_kinds = build_segment_kinds(sort_counts(Counter(keys)), n, place_kinds)
        arrangements = Enumeration(segment_kinds, max_arrangements)
        if arrangements.count > max_arrangements:
            return None
        groups.append((rows, arrangements))
        max_arrangements /= max(arrangements.count, 1)
    return groups


def _mix_distributions(results: Sequence[Floats | None], moments: bool) -> Floats | None:
    """Compute the distribution of a random choice among equally likely cases.

    Distributions are averaged; means and variances are combined.

    Args:
        results: distribution of each case, or its mean and variance; ``None`` if unknown.
        moments: True if the results are means and variances.
    """
    known_results = [distribution for distribution in results if distribution is not None]
    if len(known_results) < len(results):
        return None
    if moments:
        mean, variance = np.stack(known_results).T
        overall_mean = mean.mean()
        return np.array([overall_mean, variance.mean() + ((mean - overall_mean) ** 2).mean()])
    total = np.zeros(max(map(len, known_results)))
    for distribution in known_results:
        total[: len(distribution)] += distribution
    return total / len(known_results)
