"""The dissimilarity of two units, and the pairs of units near enough to be aligned.

For units from s to e of length l (Mathet, Widlöcher & Métivier 2015),

    d = Δ_∅ · (α · ((|s₁ − s₂| + |e₁ − e₂|) / (l₁ + l₂))² + β · c),

with c = 0 for equal categories; for others c = 1, or their distance on an ordinal scale. Units are
stored as columns, one row for each unit; pairs as two columns of rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spanagree.arrays import MIX_STEP, Floats, Ints, expand_ranges, mix_bits, yield_batches
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.segments import concatenate_segments
from spanagree.errors import SettingError, check_choice, escape_name, quote_value

CATEGORICAL = {
    "nominal": "two categories are the same or not",
    "ordinal": "categories have an order; their distance is that of their places in it",
}
"""Dissimilarities of two categories, by name."""

_PORTION = 1 << 21  # number of pairs in a batch
_MOST = 1e9  # largest factor, so that costs stay precise enough
TIE = 2e-8  # unit of the tie-breaking summand, as a share of Δ_∅; the summand is at most twice this


class Units(NamedTuple):
    """Units of many documents, one row for each unit, sorted by these columns in turn."""

    document: Ints
    annotator: Ints
    start: Floats
    end: Floats
    label: Ints

    def select_rows(self, rows: NDArray[np.generic]) -> Units:
        """Select units by index or mask."""
        return Units(*(column[rows] for column in self))

    def sort(self) -> Units:
        """Sort the units by all columns."""
        return self.select_rows(np.lexsort(self[::-1]))

    def compute_ranks(self) -> Ints:
        """Compute the rank of each unit's annotator among those with a unit in the document.

        >>> Units(*np.array([[0, 0, 0, 1], [3, 3, 5, 5], *[[0] * 4] * 3])).compute_ranks().tolist()
        [0, 0, 1, 0]
        """
        is_new = np.ones(len(self.start), np.bool_)
        is_new[1:] = (np.diff(self.annotator) != 0) | (np.diff(self.document) != 0)
        annotator_index = np.cumsum(is_new) - 1
        first_row = np.searchsorted(self.document, self.document)
        return np.asarray(annotator_index - annotator_index[first_row], np.int64)


def count_pairs(annotators: Ints) -> Ints:
    """Compute the number of pairs of `annotators` annotators."""
    return annotators * (annotators - 1) // 2


def collect_units(corpus: Corpus) -> Units:
    """Collect the units of a corpus, with annotators numbered in its order."""
    document, start, end, label, annotator = concatenate_segments(corpus.layers.values())
    units = Units(document, annotator, start.astype(np.float64), end.astype(np.float64), label)
    return units.sort()


@dataclass(frozen=True)
class Dissimilarity:
    """Dissimilarity d of two units.

    Attributes:
        alpha: weight α of positions.
        beta: weight β of categories.
        delta_empty: cost Δ_∅ of a missing unit.
        categorical: dissimilarity of categories, a key of :data:`CATEGORICAL`.
        places: position of each label on an ordinal scale, from 0 to 1.
        order: labels of the ordinal scale, from the lowest.

    Raises:
        SettingError: if a weight is negative or infinite, or Δ_∅ is not positive.
    """

    alpha: float = 1.0
    beta: float = 1.0
    delta_empty: float = 1.0
    categorical: str = "nominal"
    places: tuple[float, ...] = ()
    order: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_choice(self.categorical, CATEGORICAL, "categorical")
        for name, lowest in (("alpha", "0"), ("beta", "0"), ("delta_empty", "more than 0")):
            value = getattr(self, name)
            is_valid = isinstance(value, Real) and not isinstance(value, bool)
            is_valid = is_valid and 0 <= float(value) <= _MOST
            if not is_valid or (name == "delta_empty" and value == 0):
                raise SettingError(
                    f"{name} {quote_value(value)}; a number from {lowest} to {_MOST:,.0f} is needed"
                )

    def compute_positional(self, units: Units, u: Ints, v: Ints) -> Floats:
        """Compute ((|s₁ − s₂| + |e₁ − e₂|)/(l₁ + l₂))² for the units u and v of each pair."""
        distance = np.abs(units.start[u] - units.start[v]) + np.abs(units.end[u] - units.end[v])
        total_length = (units.end[u] - units.start[u]) + (units.end[v] - units.start[v])
        return np.asarray((distance / total_length) ** 2, np.float64)

    def compute_categorical(self, first: Ints, second: Ints) -> Floats:
        """Compute the dissimilarity c of the two categories of each pair, from 0 to 1."""
        if self.categorical == "nominal":
            return np.asarray(first != second, np.float64)
        positions = np.array([*self.places, 0.0])
        return np.abs(positions[first] - positions[second])

    def compute_for_pairs(self, units: Units, u: Ints, v: Ints) -> Floats:
        """Compute the dissimilarity d of the units u and v of each pair.

        >>> units = Units(*np.array([[0, 0], [0, 1], [1, 2], [5, 6], [0, 1]]))
        >>> Dissimilarity(alpha=3).compute_for_pairs(units, np.array([0]), np.array([1])).tolist()
        [1.1875]
        """
        positional = self.alpha * self.compute_positional(units, u, v)
        return (
            positional + self.beta * self.compute_categorical(units.label[u], units.label[v])
        ) * self.delta_empty

    def compute_reach(self, largest: Floats) -> Floats:
        """Compute the largest distance, in lengths of units, with a dissimilarity of `largest`."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.sqrt(np.asarray(largest / self.delta_empty) / np.float64(self.alpha))


def compute_ordinal_positions(labels: Sequence[str], order: Sequence[str]) -> tuple[float, ...]:
    """Compute the position of each label on an ordinal scale, from 0 to 1.

    Raises:
        SettingError: if a label is missing from the order, or a name occurs twice in it.

    >>> compute_ordinal_positions(["high", "low"], ["low", "middle", "high"])
    (1.0, 0.0)
    """
    names = list(order)
    if isinstance(order, str) or len(set(names)) < len(names):
        raise SettingError(
            f"order {quote_value(order)}; a list that names each category once is needed"
        )
    for label in labels:
        if label not in names:
            raise SettingError(f"order: {escape_name(label)} is not in it; name every category")
    return tuple(names.index(label) / max(len(names) - 1, 1) for label in labels)


class UnitPairs(NamedTuple):
    """Pairs of units of the same document, the annotator of ``u`` before that of ``v``.

    Attributes:
        u: row of the first unit of each pair; pairs are sorted by `u`, then `v`.
        v: row of the second unit.
        value: dissimilarity, with the tie-breaking summand.
    """

    u: Ints
    v: Ints
    value: Floats

    def select_rows(self, rows: NDArray[np.generic]) -> UnitPairs:
        """Select pairs by index or mask."""
        return UnitPairs(self.u[rows], self.v[rows], self.value[rows])


def find_near_pairs(units: Units, bounds: Floats, dissimilarity: Dissimilarity) -> UnitPairs:
    """Find the pairs of units of two annotators with a dissimilarity below a bound.

    The dissimilarity includes the summand that breaks ties; see :func:`compute_tie_breaks`.

    Args:
        units: units of all documents.
        bounds: upper bound of the dissimilarity in each document.
        dissimilarity: dissimilarity of two units.
    """
    batches: list[UnitPairs] = []
    for u, v in _yield_candidates(units, dissimilarity.compute_reach(bounds)):
        is_of_two = units.annotator[u] != units.annotator[v]
        u, v = u[is_of_two], v[is_of_two]
        is_reversed = units.annotator[u] > units.annotator[v]
        u, v = np.where(is_reversed, v, u), np.where(is_reversed, u, v)
        value = dissimilarity.compute_for_pairs(units, u, v) + compute_tie_breaks(
            units, u, v, dissimilarity
        )
        is_near = value < bounds[units.document[u]]
        batches.append(UnitPairs(u[is_near], v[is_near], value[is_near]))
    no_pairs = UnitPairs(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))
    pairs = UnitPairs(*map(np.concatenate, zip(no_pairs, *batches, strict=True)))
    return pairs.select_rows(np.lexsort((pairs.v, pairs.u)))


def _yield_candidates(units: Units, reach: Floats) -> Iterator[tuple[Ints, Ints]]:
    """Yield batches of pairs of units of a document with midpoints near each other.

    Each pair is yielded once.

    Args:
        units: units of all documents.
        reach: largest distance in each document, in lengths of units.
    """
    if not len(units.start):
        return
    midpoint = units.start + units.end
    length = units.end - units.start
    n_documents = len(reach)
    first_midpoint, last_midpoint = np.full(n_documents, np.inf), np.full(n_documents, -np.inf)
    longest = np.zeros(n_documents)
    np.minimum.at(first_midpoint, units.document, midpoint)
    np.maximum.at(last_midpoint, units.document, midpoint)
    np.maximum.at(longest, units.document, length)
    document_range = (
        np.where(last_midpoint >= first_midpoint, last_midpoint - first_midpoint, 0) + 1
    )
    document_offset = np.cumsum(document_range) - document_range
    key = document_offset[units.document] + (
        midpoint - np.where(np.isfinite(first_midpoint), first_midpoint, 0)[units.document]
    )
    order = np.argsort(key, kind="stable")
    document = units.document[order]
    window = reach[document] * (length[order] + longest[document]) * (1 + 1e-9) + 1e-6
    end = np.minimum(
        key[order] + window, document_offset[document] + document_range[document] - 0.5
    )
    first_candidate = np.arange(len(order)) + 1
    candidate_stop = np.maximum(np.searchsorted(key[order], end, side="right"), first_candidate)
    for batch_start, batch_stop in yield_batches(candidate_stop - first_candidate, _PORTION):
        second, row = expand_ranges(
            first_candidate[batch_start:batch_stop], candidate_stop[batch_start:batch_stop]
        )
        yield order[batch_start + row], order[second]


def compute_tie_breaks(units: Units, u: Ints, v: Ints, dissimilarity: Dissimilarity) -> Floats:
    """Compute the summand of the dissimilarity that breaks ties between equally good alignments.

    The summand is tiny, negative, and independent of the order of the units. It prefers the
    alignment with more pairs, then with smaller differences of categories, weighted by proximity as
    in γ_cat, then with nearer pairs. A hash of the contents decides between the remaining
    alignments.
    """
    proximity = np.maximum(
        1 - dissimilarity.alpha * dissimilarity.compute_positional(units, u, v), 0
    )
    unlike = proximity * dissimilarity.compute_categorical(units.label[u], units.label[v])
    content_hash = np.zeros(len(units.start), np.uint64)
    columns = (units.start, units.end, units.label.astype(np.float64))
    for column in columns:
        content_hash = mix_bits(
            content_hash + MIX_STEP + np.ascontiguousarray(column + 0.0).view(np.uint64)
        )
    pair_hash = mix_bits(content_hash[u] + content_hash[v]) >> np.uint64(11)
    pair_fraction = pair_hash.astype(np.float64) * 2.0**-53
    tie_break = 0.85 * unlike + 0.1 * (1 - proximity) + 0.05 * pair_fraction
    return (tie_break - 2) * (TIE * dissimilarity.delta_empty)
