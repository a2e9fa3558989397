"""The match of annotations whose segments exclude each other: a walk for each question.

Pieces in which the same kinds of segments occur, anywhere, ask the same question of documents of
several lengths: one walk serves them all, as it passes all lengths on its way.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Hashable, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Bools, Floats
from spanagree.chance.near_matches import NearWalk
from spanagree.chance.place_kinds import PlaceKinds
from spanagree.chance.place_rules import WordRule
from spanagree.chance.walk import (
    OTHER,
    CoverRule,
    EqualRule,
    LeadWalk,
    MeetingRule,
    OffsetRule,
    OverlapRule,
    SegmentKind,
    SegmentSequence,
    distribution_of,
    uniform_ends,
)
from spanagree.comparisons.chance_distribution.pieces import (
    AnnotatorSegments,
    DocumentParts,
    least_costs,
    without_gaps_between,
)
from spanagree.comparisons.measures import Measure


class KindCount(NamedTuple):
    """Segments of one side of a piece that are alike.

    Attributes:
        place: their length; under a rule of places the number of their kind.
        label: number of the label; ``OTHER`` if they can match nothing.
        n_segments: number of segments.
    """

    place: int
    label: int
    n_segments: int


class PieceKinds(NamedTuple):
    """The segments of a piece by kind: what is asked of a walk.

    Attributes:
        first, second: the segments of either side.
        fixed: start, end and label of the segments of a fixed first side. Default: it is random.
    """

    first: tuple[KindCount, ...]
    second: tuple[KindCount, ...]
    fixed: tuple[tuple[int, int, int], ...] | None = None

    @property
    def size(self) -> int:
        """Number of states by how many segments of each random kind are placed."""
        kinds = self.second if self.fixed is not None else (*self.first, *self.second)
        return math.prod(kind.n_segments + 1 for kind in kinds)


def both_walk(
    pieces: DocumentParts,
    measure: Measure,
    budget: float,
    moments: bool,
    *,
    steps: float = math.inf,
    kinds: PlaceKinds | None = None,
) -> list[Floats | None]:
    """Compute the distribution of the match in each piece, with both annotations random.

    Args:
        pieces: parts of documents; segments of one side and piece exclude each other.
        measure: the measure.
        budget: number of numbers that may be computed for a piece.
        moments: if True, mean and variance are computed.
        steps: number of steps that a walk may take.
        kinds: kinds of the places of segments. Default: segments may stand anywhere.

    Returns:
        The probabilities of 0, 1, … for each piece, or its mean and variance; ``None`` for a piece
        over the budget.
    """
    least = np.zeros(len(pieces))
    if kinds is None:
        least = least_costs(pieces, pieces.a, pieces.b)
    elif len(pieces):
        pieces, kinds = without_gaps_between(pieces, kinds)
    results: list[Floats | None] = [None] * len(pieces)
    rows_of: dict[PieceKinds, list[int]] = defaultdict(list)
    for row in np.flatnonzero(least <= budget).tolist():
        sides = pieces.a.of_piece(row), pieces.b.of_piece(row)
        question = _renamed(*_counts(sides, by_length=measure.kernel == "equal", kinds=kinds))
        if any(kind.label != OTHER for kind in question.first):
            rows_of[question].append(row)
        else:
            results[row] = np.zeros(2) if moments else np.ones(1)
    rule = _rule(measure)
    for question, rows in rows_of.items():
        width = 3 if moments else _most(question, measure, kinds) + 1
        most = min(budget / (width * question.size), steps)
        lengths = pieces.tokens[rows].tolist()
        if kinds is None:
            lengths = [n for n in lengths if steps_anywhere(n, question, rule) <= most]
        if not lengths:
            continue
        annotations = _annotations(question, max(lengths), kinds)
        borders = range(max(lengths) + 1) if kinds is None else ()
        walk = LeadWalk(*annotations, rule, width, moments=moments, more_borders=borders)
        if kinds is None:
            ends = walk.run(set(lengths))
            for row in rows:
                ways = ends.get(int(pieces.tokens[row]))
                results[row] = None if ways is None else distribution_of(ways, moments)
        elif walk.steps() <= most:
            (ways,) = walk.run(walk.borders[-1:]).values()
            for row in rows:
                results[row] = distribution_of(ways, moments)
    return results


def steps_anywhere(n: int, question: PieceKinds, rule: MeetingRule) -> float:
    """Estimate the number of steps of a walk over ``n`` tokens; segments may stand anywhere."""
    reach: dict[tuple[int, Hashable], int] = {}  # tokens by which a segment is read further
    sides = question.first, question.second
    for side, kinds in enumerate(sides):
        for kind in kinds:
            key = side, rule.tag_of(kind.place, kind.label, is_level=False)
            reach[key] = max(reach.get(key, 0), kind.place - 1)
    ahead = 1 + (1 + rule.takes_both) * sum(reach.values())
    return (n + 1.0) * ahead * sum(map(len, sides))


def near_walk(
    pieces: DocumentParts,
    within: int,
    budget: float,
    *,
    is_fixed: bool,
    kinds: PlaceKinds | None = None,
    words: WordRule | None = None,
    at_words: bool = False,
) -> list[Floats | None]:
    """Compute the mean number of pairs within a tolerance in each piece.

    Args:
        pieces: parts of documents; segments of one side and piece exclude each other. One label can
            match at most.
        within: greatest difference of starts, and of ends.
        budget: number of numbers that may be computed for a piece.
        is_fixed: if True, A is fixed; else both annotations are random.
        kinds: kinds of the places of segments. Default: segments may stand anywhere.
        words: rule of the words that the tolerance counts. Default: it counts tokens.
        at_words: if True, segments stand at these words.

    Returns:
        The mean of each piece, an array of one; ``None`` for a piece over the budget.
    """
    results: list[Floats | None] = [None] * len(pieces)
    others = np.arange(len(pieces))
    if at_words and words is not None and kinds is not None:
        in_words, is_exact = _in_words(pieces, kinds, words, is_fixed=is_fixed)
        rows = np.flatnonzero(is_exact)
        means = near_walk(in_words.some(rows), within, budget, is_fixed=is_fixed)
        for row, mean in zip(rows.tolist(), means, strict=True):
            results[row] = mean
        others = np.flatnonzero(~is_exact)
        pieces = pieces.some(others)
    rows_of: dict[PieceKinds, list[int]] = defaultdict(list)
    for row, other in enumerate(others.tolist()):
        sides = pieces.a.of_piece(row), pieces.b.of_piece(row)
        first, second = _counts(sides, kinds=kinds)
        if all(kind.label == OTHER for kind in second):
            results[other] = np.zeros(1)
        elif is_fixed:
            rows_of[PieceKinds((), second, _fixed(sides[0], second))].append(row)
        else:
            rows_of[_renamed(first, second)].append(row)
    for question, members in rows_of.items():
        tokens = pieces.tokens[members].tolist()
        lengths = tuple(sorted({n for n in tokens if 2.0 * n * question.size <= budget}))
        if not lengths:  # a table for each token alone is too much
            continue
        if kinds is None:
            ends = _near_anywhere(question, lengths, within, budget)
        else:
            walk = NearWalk(*_annotations(question, 0, kinds), within, 2, moments=True)
            if words is not None:
                document = int(kinds.document[question.second[0].place])
                walk.counted = _counted(walk.borders, document, words)
            (ways,) = walk.run(walk.borders[-1:], budget).values() or (None,)
            ends = {} if ways is None else dict.fromkeys(lengths, ways)
        for row, n in zip(members, tokens, strict=True):
            if n in ends:
                results[others[row]] = distribution_of(ends[n], True)
    return results


@lru_cache(maxsize=4096)
def _near_anywhere(
    question: PieceKinds, lengths: tuple[int, ...], within: int, budget: float
) -> dict[int, Floats]:
    """Count the ways within a tolerance in documents of some lengths; the same is asked often."""
    borders = range(lengths[-1] + 1)
    annotations = _annotations(question, lengths[-1], None)
    walk = NearWalk(*annotations, within, 2, moments=True, more_borders=borders)
    return walk.run(lengths, budget)


def _counts(
    sides: tuple[AnnotatorSegments, AnnotatorSegments],
    *,
    by_length: bool = False,
    kinds: PlaceKinds | None = None,
) -> tuple[tuple[KindCount, ...], tuple[KindCount, ...]]:
    """Count the segments of both sides by kind; those without a partner have one label.

    Args:
        sides: the segments of a piece.
        by_length: if True, a partner has the same length.
        kinds: kinds of places, if segments may not stand anywhere.
    """
    columns = []
    for side in sides:
        length, label = side.length.tolist(), side.label.tolist()
        keys = [*zip(length, label, strict=True)] if by_length and kinds is None else label
        columns.append((length if kinds is None else side.kind.tolist(), label, keys))
    first, second = (
        Counter(
            (place, label if key in there else OTHER)
            for place, label, key in zip(*mine, strict=True)
        )
        for mine, there in zip(columns, (set(columns[1][2]), set(columns[0][2])), strict=True)
    )
    return _sorted(first), _sorted(second)


def _sorted(counts: Counter[tuple[int, int]]) -> tuple[KindCount, ...]:
    return tuple(KindCount(*key, count) for key, count in sorted(counts.items()))


def _renamed(a: Sequence[KindCount], b: Sequence[KindCount]) -> PieceKinds:
    """Number the labels as they come, so that equal questions meet."""
    number = {OTHER: OTHER}
    for kind in (*a, *b):
        number.setdefault(kind.label, len(number) - 1)
    return PieceKinds(
        *(tuple(sorted(k._replace(label=number[k.label]) for k in x)) for x in (a, b))
    )


def _fixed(
    side: AnnotatorSegments, partner: Sequence[KindCount]
) -> tuple[tuple[int, int, int], ...]:
    """List start, end and label of the segments that can match one of some kinds."""
    labels = {kind.label for kind in partner}
    ends = side.start + side.length
    columns = side.start.tolist(), ends.tolist(), side.label.tolist()
    return tuple(place for place in zip(*columns, strict=True) if place[2] in labels)


def _annotations(
    question: PieceKinds, tokens: int, kinds: PlaceKinds | None
) -> tuple[SegmentSequence, SegmentSequence]:
    """Build the annotations of a question, with the places of their segments."""
    ends = kinds.ends if kinds is not None else partial(uniform_ends, tokens)
    first, second = (
        SegmentSequence([SegmentKind(x.label, x.n_segments, ends(x.place)) for x in side])
        for side in (question.first, question.second)
    )
    if question.fixed is not None:
        fixed = [SegmentKind(label, 1, {start: (end,)}) for start, end, label in question.fixed]
        first = SegmentSequence(fixed, is_fixed=True)
    return first, second


def _rule(measure: Measure) -> MeetingRule:
    """Return what the walk has to know of a measure."""
    if measure.kernel == "equal":
        return EqualRule()
    if measure.kernel == "cover":
        return CoverRule()
    if measure.any_overlap:
        return OverlapRule()
    return OffsetRule(measure.phi, takes_both=measure.kernel == "one-to-one")


def _most(question: PieceKinds, measure: Measure, places: PlaceKinds | None) -> int:
    """Compute an upper bound of the match."""
    sizes = []
    for counts in (question.first, question.second):
        size = 0
        for kind in counts:
            if kind.label != OTHER:
                longest = 1
                if measure.in_tokens:
                    longest = kind.place if places is None else places.longest(kind.place)
                size += kind.n_segments * longest
        sizes.append(size)
    return min(sizes)


def _in_words(
    pieces: DocumentParts, kinds: PlaceKinds, words: WordRule, *, is_fixed: bool
) -> tuple[DocumentParts, Bools]:
    """Count words in place of tokens.

    Returns:
        The pieces, and for which of them words are tokens: all random segments go from edge to edge
        of words, and no fixed ones share a word or stand between two.
    """
    is_exact = np.ones(len(pieces), np.bool_)
    document, tokens = np.zeros((2, len(pieces)), np.int64)
    document[pieces.b.piece] = kinds.document[pieces.b.kind]
    tokens[pieces.b.piece] = kinds.slots[pieces.b.kind]
    sides = []
    for side, is_random in ((pieces.a, not is_fixed), (pieces.b, True)):
        location = document[side.piece]
        start, end = words.in_words(location, side.start, side.start + side.length)
        if is_random:
            is_exact[side.piece[kinds.taken[side.kind] == 0]] = False
        else:
            meets = (side.piece[1:] == side.piece[:-1]) & (start[1:] < end[:-1])
            is_exact[side.piece[1:][meets]] = is_exact[side.piece[start == end]] = False
        sides.append(replace(side, start=start - words.words[location], length=end - start))
    return DocumentParts(pieces.document, tokens, *sides), is_exact


def _counted(
    borders: Sequence[int], document: int, words: WordRule
) -> tuple[list[int], list[int], list[int]]:
    """Return the words that start and end at borders, and the least end of what begins there."""
    here = np.array(borders)
    location = np.full(len(here), document)
    start, end = words.in_words(location, here, here)
    return start.tolist(), end.tolist(), words.in_words(location, here, here + 1)[1].tolist()
