"""How unlike two units are, and which units are near enough to be aligned.

Mathet, Widlöcher & Métivier (2015): d = Δ_∅ · (α · ((|s₁ − s₂| + |e₁ − e₂|)/(l₁ + l₂))² + β · c),
with c 0 for equal categories; for others 1, or their distance on an ordinal scale.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from spanagree.arrays import MIX_STEP, Floats, Ints, mixed, portions_of, ranges
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.segments import columns_of_all
from spanagree.errors import SettingError, check_choice, printable, show

CATEGORICAL = {
    "nominal": "two categories are the same or not",
    "ordinal": "categories have an order; their distance is that of their places in it",
}
"""How unlike two categories are, by name."""

_PORTION = 1 << 21  # pairs that are looked at together
_MOST = 1e9  # of a factor, so that costs stay exact enough
TIE = 2e-8  # of Δ_∅; what tells alignments apart that are equally good, twice at most


class Units(NamedTuple):
    """Units of many documents, sorted by these columns."""

    document: Ints
    annotator: Ints
    start: Floats
    end: Floats
    label: Ints

    def rows(self, chosen: NDArray[np.generic]) -> Units:
        """Return some of the units, by number or mask."""
        return Units(*(column[chosen] for column in self))

    def sorted(self) -> Units:
        """Return the units in their order."""
        return self.rows(np.lexsort(self[::-1]))

    def ranks(self) -> Ints:
        """Return of each unit its annotator's number among those who have a unit in its document.

        >>> Units(*np.array([[0, 0, 0, 1], [3, 3, 5, 5], *[[0] * 4] * 3])).ranks().tolist()
        [0, 0, 1, 0]
        """
        new = np.ones(len(self.start), np.bool_)
        new[1:] = (np.diff(self.annotator) != 0) | (np.diff(self.document) != 0)
        number = np.cumsum(new) - 1
        first = np.searchsorted(self.document, self.document)
        return np.asarray(number - number[first], np.int64)


def pairs_of_annotators(annotators: Ints) -> Ints:
    """Return how many pairs so many annotators make."""
    return annotators * (annotators - 1) // 2


def units_of(corpus: Corpus) -> Units:
    """Return the units of a corpus; annotators are numbered in its order."""
    document, start, end, label, annotator = columns_of_all(corpus.layers.values())
    units = Units(document, annotator, start.astype(np.float64), end.astype(np.float64), label)
    return units.sorted()


@dataclass(frozen=True)
class Dissimilarity:
    """How unlike two units are.

    Attributes:
        alpha: the weight of positions.
        beta: the weight of categories.
        delta_empty: what a unit costs that is paired with none, Δ_∅.
        categorical: one of :data:`CATEGORICAL`.
        places: of each label its place in the order of an ordinal scale, from 0 to 1.
        order: that order, for the record.

    Raises:
        SettingError: for a weight that is negative or infinite, or Δ_∅ that is not positive.
    """

    alpha: float = 1.0
    beta: float = 1.0
    delta_empty: float = 1.0
    categorical: str = "nominal"
    places: tuple[float, ...] = ()
    order: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        check_choice(self.categorical, CATEGORICAL, "categorical")
        for name, least in (("alpha", "0"), ("beta", "0"), ("delta_empty", "more than 0")):
            value = getattr(self, name)
            fits = isinstance(value, Real) and not isinstance(value, bool)
            fits = fits and 0 <= float(value) <= _MOST
            if not fits or (name == "delta_empty" and value == 0):
                raise SettingError(
                    f"{name} {show(value)}; a number from {least} to {_MOST:,.0f} is needed"
                )

    def positional(self, units: Units, u: Ints, v: Ints) -> Floats:
        """Return ((|s₁ − s₂| + |e₁ − e₂|)/(l₁ + l₂))² of pairs of units."""
        apart = np.abs(units.start[u] - units.start[v]) + np.abs(units.end[u] - units.end[v])
        long = (units.end[u] - units.start[u]) + (units.end[v] - units.start[v])
        return np.asarray((apart / long) ** 2, np.float64)

    def between(self, first: Ints, second: Ints) -> Floats:
        """Return how unlike categories are, from 0 to 1."""
        if self.categorical == "nominal":
            return np.asarray(first != second, np.float64)
        places = np.array([*self.places, 0.0])
        return np.abs(places[first] - places[second])

    def of_pairs(self, units: Units, u: Ints, v: Ints) -> Floats:
        """Return how unlike pairs of units are.

        >>> units = Units(*np.array([[0, 0], [0, 1], [1, 2], [5, 6], [0, 1]]))
        >>> Dissimilarity(alpha=3).of_pairs(units, np.array([0]), np.array([1])).tolist()
        [1.1875]
        """
        place = self.alpha * self.positional(units, u, v)
        return (place + self.beta * self.between(units.label[u], units.label[v])) * self.delta_empty

    def reach(self, most: Floats) -> Floats:
        """Return how far apart units may be, in their lengths, to differ by no more than this."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.sqrt(np.asarray(most / self.delta_empty) / np.float64(self.alpha))


def ordinal_places(labels: Sequence[str], order: Sequence[str]) -> tuple[float, ...]:
    """Return the place of each label in an order, from 0 to 1.

    Raises:
        SettingError: for a label that is not in it, or a name that stands there twice.

    >>> ordinal_places(["high", "low"], ["low", "middle", "high"])
    (1.0, 0.0)
    """
    names = list(order)
    if isinstance(order, str) or len(set(names)) < len(names):
        raise SettingError(f"order {show(order)}; a list that names each category once is needed")
    for label in labels:
        if label not in names:
            raise SettingError(f"order: {printable(label)} is not in it; name every category")
    return tuple(names.index(label) / max(len(names) - 1, 1) for label in labels)


class Pairs(NamedTuple):
    """Pairs of units of the same document, the annotator of ``u`` before that of ``v``.

    Attributes:
        u, v: the units; the pairs are sorted by these.
        value: how unlike they are, with what breaks ties.
    """

    u: Ints
    v: Ints
    value: Floats

    def rows(self, chosen: NDArray[np.generic]) -> Pairs:
        """Return some of the pairs, by number or mask."""
        return Pairs(self.u[chosen], self.v[chosen], self.value[chosen])


def near_pairs(units: Units, most: Floats, dissimilarity: Dissimilarity) -> Pairs:
    """Return the pairs of units of two annotators that differ by less than ``most``.

    ``most`` is that of each document.
    """
    parts: list[Pairs] = []
    for u, v in _candidates(units, dissimilarity.reach(most)):
        other = units.annotator[u] != units.annotator[v]
        u, v = u[other], v[other]
        turned = units.annotator[u] > units.annotator[v]
        u, v = np.where(turned, v, u), np.where(turned, u, v)
        value = dissimilarity.of_pairs(units, u, v) + tie_breaks(units, u, v, dissimilarity)
        near = value < most[units.document[u]]
        parts.append(Pairs(u[near], v[near], value[near]))
    nothing = Pairs(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))
    pairs = Pairs(*map(np.concatenate, zip(nothing, *parts, strict=True)))
    return pairs.rows(np.lexsort((pairs.v, pairs.u)))


def _candidates(units: Units, reach: Floats) -> Iterator[tuple[Ints, Ints]]:
    """Yield pairs of units, each once, whose middles lie within reach, in portions."""
    if not len(units.start):
        return
    middle = units.start + units.end
    length = units.end - units.start
    documents = len(reach)
    first, last = np.full(documents, np.inf), np.full(documents, -np.inf)
    longest = np.zeros(documents)
    np.minimum.at(first, units.document, middle)
    np.maximum.at(last, units.document, middle)
    np.maximum.at(longest, units.document, length)
    size = np.where(last >= first, last - first, 0) + 1
    base = np.cumsum(size) - size
    key = base[units.document] + (middle - np.where(np.isfinite(first), first, 0)[units.document])
    order = np.argsort(key, kind="stable")
    d = units.document[order]
    window = reach[d] * (length[order] + longest[d]) * (1 + 1e-9) + 1e-6
    end = np.minimum(key[order] + window, base[d] + size[d] - 0.5)
    low = np.arange(len(order)) + 1
    high = np.maximum(np.searchsorted(key[order], end, side="right"), low)
    for begin, stop in portions_of(high - low, _PORTION):
        second, row = ranges(low[begin:stop], high[begin:stop])
        yield order[begin + row], order[second]


def tie_breaks(units: Units, u: Ints, v: Ints, dissimilarity: Dissimilarity) -> Floats:
    """Return what is added to break ties: tiny, and the same whatever order units come in.

    It is negative, so that of two equally good alignments that with more pairs is taken; then that
    whose pairs differ less in category, weighed as in γ_cat; then that whose pairs lie closer.
    """
    near = np.maximum(1 - dissimilarity.alpha * dissimilarity.positional(units, u, v), 0)
    unlike = near * dissimilarity.between(units.label[u], units.label[v])
    content = np.zeros(len(units.start), np.uint64)
    columns = (units.start, units.end, units.label.astype(np.float64))
    for column in columns:
        content = mixed(content + MIX_STEP + np.ascontiguousarray(column + 0.0).view(np.uint64))
    shares = mixed(content[u] + content[v]) >> np.uint64(11)
    share = shares.astype(np.float64) * 2.0**-53
    share = 0.85 * unlike + 0.1 * (1 - near) + 0.05 * share
    return (share - 2) * (TIE * dissimilarity.delta_empty)
