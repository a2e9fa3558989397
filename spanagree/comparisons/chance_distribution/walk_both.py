"""Matches of two annotations whose segments exclude each other, by one walk for each content.

All arrangements are equally likely, so

    P(match = m) = number of pairs of arrangements with match m / number of all pairs,

which a walk counts (:mod:`spanagree.chance.walk`). The *content* of a part is its multiset of
segments, for each annotator; segments with the same label and places are of one *kind*. Parts with
the same content but different numbers of tokens share a walk, because the walk passes all smaller
numbers on its way. Results have one entry for each part: the probabilities of 0, 1, …, or mean and
variance.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Bools, Floats
from spanagree.chance.meeting_rules import (
    CoverRule,
    EqualRule,
    MeetingRule,
    OffsetRule,
    OverlapRule,
)
from spanagree.chance.near_matches import NearRule
from spanagree.chance.place_kinds import PlaceKinds
from spanagree.chance.place_rules import WordRule
from spanagree.chance.walk import (
    OTHER,
    MatchRule,
    SegmentKind,
    SegmentSequence,
    Walk,
    build_uniform_ends,
    compute_distribution_of_ways,
)
from spanagree.comparisons.chance_distribution.pieces import (
    AnnotatorSegments,
    DocumentParts,
    bound_costs,
    remove_gaps_between,
)
from spanagree.comparisons.measures import Measure


class KindCount(NamedTuple):
    """A number of equal segments of one annotator in a part.

    Attributes:
        place: length of the segments; under a rule of places the kind of their places.
        label: index of the label; ``OTHER`` if the segments cannot match.
        n_segments: number of segments.
    """

    place: int
    label: int
    n_segments: int


class PartKinds(NamedTuple):
    """The content of a part: its segments by kind, which determines a walk.

    Attributes:
        first, second: counts of the segments of each annotator.
        fixed: start, end and label of the segments of a fixed first annotator. Default: random.
    """

    first: tuple[KindCount, ...]
    second: tuple[KindCount, ...]
    fixed: tuple[tuple[int, int, int], ...] | None = None

    @property
    def size(self) -> int:
        """Number of states, the combinations of numbers of segments of each random kind."""
        counts = self.second if self.fixed is not None else (*self.first, *self.second)
        return math.prod(count.n_segments + 1 for count in counts)


def compute_both_by_walk(
    document_parts: DocumentParts,
    measure: Measure,
    budget: float,
    moments: bool,
    *,
    steps: float = math.inf,
    place_kinds: PlaceKinds | None = None,
) -> list[Floats | None]:
    """Compute the distribution of the match in each part, with both annotations random.

    Args:
        document_parts: parts of documents; segments of one annotator and part exclude each other.
        measure: measure of the match.
        budget: largest number of values that may be computed for a part.
        moments: True to compute only mean and variance.
        steps: largest number of steps of a walk.
        place_kinds: kinds of the places of segments. Default: segments may start anywhere.

    Returns:
        The probabilities of 0, 1, … for each part, or its mean and variance; ``None`` for a part
        that exceeds the budget.
    """
    least_cost = np.zeros(len(document_parts))
    if place_kinds is None:
        least_cost = bound_costs(document_parts, document_parts.a, document_parts.b)
    elif len(document_parts):
        document_parts, place_kinds = remove_gaps_between(document_parts, place_kinds)
    results: list[Floats | None] = [None] * len(document_parts)
    rows_by_content, unmatched_rows = _group_by_content(
        document_parts,
        np.flatnonzero(least_cost <= budget).tolist(),
        by_length=measure.kernel == "equal",
        place_kinds=place_kinds,
    )
    for row in unmatched_rows:
        results[row] = np.zeros(2) if moments else np.ones(1)
    rule = _find_meeting_rule(measure)
    for content, rows in rows_by_content.items():
        width = 3 if moments else _bound_match(content, measure, place_kinds) + 1
        max_steps = min(budget / (width * content.size), steps)
        lengths = document_parts.tokens[rows].tolist()
        if place_kinds is None:
            lengths = [
                length
                for length in lengths
                if estimate_steps_anywhere(length, content, rule) <= max_steps
            ]
        if not lengths:
            continue
        walk = _build_walk(content, max(lengths), rule, width, moments, place_kinds)
        if place_kinds is None:
            ways_by_length = walk.run(set(lengths))
        elif rule.estimate_steps(walk) <= max_steps:
            (final_ways,) = walk.run(walk.borders[-1:]).values()
            ways_by_length = dict.fromkeys(lengths, final_ways)
        else:
            continue
        _fill_results(results, rows, document_parts, ways_by_length, moments)
    return results


def _fill_results(
    results: list[Floats | None],
    rows: Sequence[int],
    document_parts: DocumentParts,
    ways_by_length: Mapping[int, Floats],
    moments: bool,
) -> None:
    """Fill in the results of the parts with a number of tokens for which ways were counted.

    Args:
        results: result of each part; changed in place.
        rows: parts that share a walk.
        document_parts: all parts.
        ways_by_length: number of ways by match, or moments, for each number of tokens.
        moments: True if ways are moments.
    """
    for row in rows:
        n_ways = ways_by_length.get(int(document_parts.tokens[row]))
        if n_ways is not None:
            results[row] = compute_distribution_of_ways(n_ways, moments)


def estimate_steps_anywhere(n_tokens: int, content: PartKinds, rule: MeetingRule) -> float:
    """Estimate the number of steps of a walk over ``n_tokens`` without a rule of places."""
    # number of tokens that a segment extends beyond its start
    tokens_after_start: dict[tuple[int, Hashable], int] = {}
    annotators = content.first, content.second
    for annotator, counts in enumerate(annotators):
        for count in counts:
            tag = annotator, rule.compute_tag(count.place, count.label, is_level=False)
            tokens_after_start[tag] = max(tokens_after_start.get(tag, 0), count.place - 1)
    n_states = 1 + (1 + rule.takes_both) * sum(tokens_after_start.values())
    return (n_tokens + 1.0) * n_states * sum(map(len, annotators))


def compute_near_by_walk(
    document_parts: DocumentParts,
    within: int,
    budget: float,
    *,
    is_fixed: bool,
    place_kinds: PlaceKinds | None = None,
    words: WordRule | None = None,
    at_words: bool = False,
) -> list[Floats | None]:
    """Compute the mean number of matched pairs within a tolerance in each part.

    Args:
        document_parts: parts of documents; segments of one annotator and part exclude each other.
            Only one label can match.
        within: greatest difference of starts, and of ends.
        budget: largest number of values that may be computed for a part.
        is_fixed: True if A is fixed. Otherwise both annotations are random.
        place_kinds: kinds of the places of segments. Default: segments may start anywhere.
        words: rule of the words that the tolerance counts. Default: it counts tokens.
        at_words: True if segments are at places of these words.

    Returns:
        The mean of each part, as an array of length 1; ``None`` for a part that exceeds the budget.
    """
    results: list[Floats | None] = [None] * len(document_parts)
    if at_words and words is not None and place_kinds is not None:
        in_words, is_exact = _convert_to_words(
            document_parts, place_kinds, words, is_fixed=is_fixed
        )
        exact_rows, other_rows = np.flatnonzero(is_exact), np.flatnonzero(~is_exact)
        means_in_words = compute_near_by_walk(
            in_words.select_parts(exact_rows), within, budget, is_fixed=is_fixed
        )
        other_means = compute_near_by_walk(
            document_parts.select_parts(other_rows),
            within,
            budget,
            is_fixed=is_fixed,
            place_kinds=place_kinds,
            words=words,
        )
        for row, mean in zip(
            (*exact_rows.tolist(), *other_rows.tolist()),
            (*means_in_words, *other_means),
            strict=True,
        ):
            results[row] = mean
        return results
    rows_by_content, unmatched_rows = _group_by_content(
        document_parts, range(len(document_parts)), place_kinds=place_kinds, is_fixed=is_fixed
    )
    for row in unmatched_rows:
        results[row] = np.zeros(1)
    for content, rows in rows_by_content.items():
        all_lengths = sorted(set(document_parts.tokens[rows].tolist()))
        lengths = tuple(length for length in all_lengths if 2.0 * length * content.size <= budget)
        if not lengths:  # one table for each token already exceeds the budget
            continue
        if place_kinds is None:
            ways_by_length = _count_near_anywhere(content, lengths, within, budget)
        else:
            count_borders = None
            if words is not None:
                document = int(place_kinds.document[content.second[0].place])
                count_borders = partial(_find_word_borders, document=document, words=words)
            rule = NearRule(within, count_borders)
            walk = _build_walk(content, 0, rule, 2, True, place_kinds)
            (final_ways,) = walk.run(walk.borders[-1:], budget).values() or (None,)
            ways_by_length = {} if final_ways is None else dict.fromkeys(lengths, final_ways)
        _fill_results(results, rows, document_parts, ways_by_length, True)
    return results


@lru_cache(maxsize=4096)
def _count_near_anywhere(
    content: PartKinds, lengths: tuple[int, ...], within: int, budget: float
) -> dict[int, Floats]:
    """Count the ways to place segments, by the number of pairs within a tolerance; cached.

    Args:
        content: segments of both annotators.
        lengths: numbers of tokens.
        within: tolerance.
        budget: largest number of computed table cells.

    Returns:
        Moments of the number of pairs for each number of tokens within the budget.
    """
    return _build_walk(content, lengths[-1], NearRule(within), 2, True).run(lengths, budget)


def _group_by_content(
    document_parts: DocumentParts,
    rows: Iterable[int],
    *,
    by_length: bool = False,
    place_kinds: PlaceKinds | None = None,
    is_fixed: bool = False,
) -> tuple[dict[PartKinds, list[int]], list[int]]:
    """Group parts by their content.

    Args:
        document_parts: parts of documents.
        rows: rows of the parts to group.
        by_length: True if only segments of the same length can match.
        place_kinds: kinds of places, under a rule of places.
        is_fixed: True if A is fixed.

    Returns:
        Rows of the parts of each content, and rows of parts in which nothing can match.
    """
    rows_by_content: dict[PartKinds, list[int]] = defaultdict(list)
    unmatched_rows = []
    for row in rows:
        annotators = document_parts.a.select_part(row), document_parts.b.select_part(row)
        first, second = _count_segments_by_kind(
            annotators, by_length=by_length, place_kinds=place_kinds
        )
        if all(count.label == OTHER for count in second):
            unmatched_rows.append(row)
        elif is_fixed:
            fixed = _list_matchable_segments(annotators[0], second)
            rows_by_content[PartKinds((), second, fixed)].append(row)
        else:
            rows_by_content[_renumber_labels(first, second)].append(row)
    return rows_by_content, unmatched_rows


def _count_segments_by_kind(
    annotators: tuple[AnnotatorSegments, AnnotatorSegments],
    *,
    by_length: bool = False,
    place_kinds: PlaceKinds | None = None,
) -> tuple[tuple[KindCount, ...], tuple[KindCount, ...]]:
    """Count the segments of both annotators by kind; all that cannot match get ``OTHER``.

    Args:
        annotators: segments of both annotators in a part.
        by_length: True if only segments of the same length can match.
        place_kinds: kinds of places, under a rule of places.
    """
    columns_of_annotators = []
    for segments in annotators:
        length, label = segments.length.tolist(), segments.label.tolist()
        keys = [*zip(length, label, strict=True)] if by_length and place_kinds is None else label
        columns_of_annotators.append(
            (length if place_kinds is None else segments.kind.tolist(), label, keys)
        )
    first_counts, second_counts = (
        Counter(
            (place_kind, label if key in keys_of_other else OTHER)
            for place_kind, label, key in zip(*own_columns, strict=True)
        )
        for own_columns, keys_of_other in zip(
            columns_of_annotators,
            (set(columns_of_annotators[1][2]), set(columns_of_annotators[0][2])),
            strict=True,
        )
    )
    return sort_counts(first_counts), sort_counts(second_counts)


def sort_counts(counts: Counter[tuple[int, int]]) -> tuple[KindCount, ...]:
    """Sort the counts by kind."""
    return tuple(KindCount(*key, count) for key, count in sorted(counts.items()))


def _renumber_labels(a: Sequence[KindCount], b: Sequence[KindCount]) -> PartKinds:
    """Number the labels in order of occurrence, so that equal contents compare as equal.

    Args:
        a, b: counts of the segments of each annotator.
    """
    label_index = {OTHER: OTHER}
    for count in (*a, *b):
        label_index.setdefault(count.label, len(label_index) - 1)
    return PartKinds(
        *(
            tuple(
                sorted(
                    kind_count._replace(label=label_index[kind_count.label])
                    for kind_count in counts
                )
            )
            for counts in (a, b)
        )
    )


def _list_matchable_segments(
    segments: AnnotatorSegments, partner_counts: Sequence[KindCount]
) -> tuple[tuple[int, int, int], ...]:
    """List start, end and label of the segments that can match one of the counts."""
    labels = {count.label for count in partner_counts}
    ends = segments.start + segments.length
    columns = segments.start.tolist(), ends.tolist(), segments.label.tolist()
    return tuple(segment for segment in zip(*columns, strict=True) if segment[2] in labels)


def build_segment_kinds(
    counts: Sequence[KindCount], tokens: int, place_kinds: PlaceKinds | None
) -> list[SegmentKind]:
    """Build the kinds of segments that are counted, with their places.

    Args:
        counts: counts of the segments of an annotator.
        tokens: number of tokens, without a rule of places.
        place_kinds: kinds of places; ``None`` without a rule of places.
    """
    ends = (
        place_kinds.collect_ends if place_kinds is not None else partial(build_uniform_ends, tokens)
    )
    return [SegmentKind(count.label, count.n_segments, ends(count.place)) for count in counts]


def _build_walk(
    content: PartKinds,
    tokens: int,
    rule: MatchRule,
    width: int,
    moments: bool,
    place_kinds: PlaceKinds | None = None,
) -> Walk:
    """Build the walk over the annotations of a content.

    Args:
        content: segments of both annotators by kind.
        tokens: number of tokens, without a rule of places.
        rule: rule of the measure.
        width: length of the last axis of tables.
        moments: True if tables contain moments.
        place_kinds: kinds of places; ``None`` without a rule of places.
    """
    first, second = (
        SegmentSequence(build_segment_kinds(counts, tokens, place_kinds))
        for counts in (content.first, content.second)
    )
    if content.fixed is not None:
        fixed_kinds = [
            SegmentKind(label, 1, {start: (end,)}) for start, end, label in content.fixed
        ]
        first = SegmentSequence(fixed_kinds, is_fixed=True)
    borders = range(tokens + 1) if place_kinds is None else ()
    return Walk(first, second, rule, width, moments=moments, more_borders=borders)


def _find_meeting_rule(measure: Measure) -> MeetingRule:
    """Find the rule by which a walk computes a measure."""
    if measure.kernel == "equal":
        return EqualRule()
    if measure.kernel == "cover":
        return CoverRule()
    if measure.any_overlap:
        return OverlapRule()
    return OffsetRule(measure.phi, takes_both=measure.kernel == "one-to-one")


def _bound_match(content: PartKinds, measure: Measure, place_kinds: PlaceKinds | None) -> int:
    """Compute an upper bound of the match of a content."""
    sizes = []
    for counts in (content.first, content.second):
        size = 0
        for count in counts:
            if count.label != OTHER:
                longest = 1
                if measure.in_tokens:
                    longest = (
                        count.place
                        if place_kinds is None
                        else place_kinds.compute_longest(count.place)
                    )
                size += count.n_segments * longest
        sizes.append(size)
    return min(sizes)


def _convert_to_words(
    document_parts: DocumentParts, place_kinds: PlaceKinds, words: WordRule, *, is_fixed: bool
) -> tuple[DocumentParts, Bools]:
    """Convert the borders of segments from tokens to words.

    Returns:
        Parts in words, and a mask of the parts for which this is exact: all random segments start
            and end at edges of words, and no fixed segments share a word or are between two words.
    """
    is_exact = np.ones(len(document_parts), np.bool_)
    document, tokens = np.zeros((2, len(document_parts)), np.int64)
    document[document_parts.b.part_index] = place_kinds.document[document_parts.b.kind]
    tokens[document_parts.b.part_index] = place_kinds.slots[document_parts.b.kind]
    annotators = []
    for segments, is_random in ((document_parts.a, not is_fixed), (document_parts.b, True)):
        location = document[segments.part_index]
        start, end = words.convert_to_words(
            location, segments.start, segments.start + segments.length
        )
        if is_random:
            is_exact[segments.part_index[place_kinds.taken[segments.kind] == 0]] = False
        else:
            is_touching = (segments.part_index[1:] == segments.part_index[:-1]) & (
                start[1:] < end[:-1]
            )
            is_exact[segments.part_index[1:][is_touching]] = is_exact[
                segments.part_index[start == end]
            ] = False
        annotators.append(
            replace(segments, start=start - words.words[location], length=end - start)
        )
    return DocumentParts(document_parts.document, tokens, *annotators), is_exact


def _find_word_borders(
    borders: Sequence[int], document: int, words: WordRule
) -> tuple[list[int], list[int], list[int]]:
    """Find the borders in words that a walk compares, for each border in tokens.

    Args:
        borders: positions of the borders in the document.
        document: index of the document.
        words: rule of the words that the tolerance counts.

    Returns:
        For each border: the word that a segment would start at, the word after one that ends there,
        and the smallest end in words of a segment from there.
    """
    border_array = np.array(borders)
    document_array = np.full(len(border_array), document)
    start, end = words.convert_to_words(document_array, border_array, border_array)
    return (
        start.tolist(),
        end.tolist(),
        words.convert_to_words(document_array, border_array, border_array + 1)[1].tolist(),
    )
