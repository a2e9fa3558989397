"""Where a random segment starts: the exact distribution, for one shape or for thousands at once.

A document has n tokens, an annotator marked k segments of lengths a₁ … a_k in it, a = Σaᵢ. A random
annotation puts them anywhere, uniformly over all configurations in which no two share a token (Li
et al. 2024, *Chance*). With π(n, r) = n!/(n − r)!, segment i starts at token l, the first being 1,
with the probability (Eq. 1)::

    p(STᵢ = l) = Σ_S π(l − a_S + m − 1, m) · π(n − l − a + a_S + k − m, k − m − 1) / π(n − a + k, k)

over all sets S of other segments, m of them with a_S tokens together: those to the left of segment
i. Derivation: m segments and the l − 1 − a_S free tokens to the left are l − 1 − a_S + m objects in
a row, of which the segments take m in π(l − a_S + m − 1, m) ways; so do the k − m − 1 others among
the objects to the right, and all k segments among the n − a + k of the document. The terms of all S
with equal m and a_S are equal, so :mod:`spanagree.chance.edges` counts these sets together.

The distribution is its own mirror image and constant between two edges (Prop. 3); each distinct
shape is looked up once. Places count from 0 here: x = l − 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from spanagree.arrays import Floats, Ints, distinct, distinct_rows, groups, row_order, unique
from spanagree.chance.edges import FIRST_EDGE, short_edges
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.segments import Layer, columns_of_all, frozen, is_time
from spanagree.errors import InputError, check_choice, counted, invalid_value, is_whole, show
from spanagree.limits import check_cost

if TYPE_CHECKING:
    from spanagree.choices import Chance

CHANCES = {
    "nonoverlapping": "no two segments of one annotator share a token",
    "per-label": "no two segments of the same label share a token; labels are independent",
    "overlapping": "every segment by itself, anywhere",
}
"""The chance models by name: what a random annotation must respect."""

UNITS = 1 << 14
"""Units of a recording up to which chance is exact; of a longer one, this many are looked at."""

_TOGETHER = 2048  # tokens; edges of up to so many are summed for many lengths at once
_LONGEST = 10**9  # tokens of a document whose distributions are written out in full


_Cell: TypeAlias = tuple[Ints, Ints, Ints]
"""F of shapes that differ in n only; these; where they note the profile of one segment length."""


# --- one document -------------------------------------------------------------------------------


def start_distribution(
    length: int, segments: Sequence[int], chance: Chance = "nonoverlapping"
) -> tuple[Floats, ...]:
    """Return where the segments of one random annotation start.

    Args:
        length: number of tokens of the document, n.
        segments: the lengths of the segments in tokens, all of one label.
        chance: the chance model, nonoverlapping, per-label or overlapping.

    Returns:
        For each segment a read-only array of n − a + 1 probabilities, P(start = x) at index x.
        Segments of equal length share one array.

    Raises:
        SettingError: for an unknown chance model.
        InputError: for lengths that are not whole and positive, or do not fit the document.

    Source: Li et al. 2024, Eq. 1.

    >>> [p.tolist() for p in start_distribution(6, [3, 3])]
    [[0.5, 0.0, 0.0, 0.5], [0.5, 0.0, 0.0, 0.5]]
    """
    check_choice(chance, CHANCES, "chance")
    n = _whole(length, "length")
    if isinstance(segments, (str, bytes)) or not isinstance(segments, Iterable):
        raise InputError(f"segments: {show(segments)}; a list of lengths is needed")
    lengths = np.array([_whole(a, "segments") for a in segments], dtype=np.int64)
    needed = int(lengths.max(initial=0) if chance == "overlapping" else lengths.sum())
    if needed > n:
        which = "the longest segment has" if chance == "overlapping" else "the segments have"
        raise InputError(
            f"segments do not fit: {which} {counted(needed, 'token')}, the document {n};"
            f" chance {chance!r} allows at most {n}"
        )
    if not len(lengths):
        return ()
    check_cost(4 * n, f"the start distribution in a document of {n} tokens")
    documents = np.zeros(len(lengths), np.int64)
    profiles, profile = start_profiles(
        documents, np.array([n]), lengths, free=chance == "overlapping"
    )
    arrays = {i: frozen(profiles.expand(i), np.float64) for i in set(profile.tolist())}
    return tuple(arrays[i] for i in profile.tolist())


def _whole(value: object, what: str) -> int:
    if is_whole(value) and 1 <= value <= _LONGEST:
        return int(value)
    raise invalid_value(f"{what}:", value, f"a length is a whole number from 1 to {_LONGEST}")


def is_long(corpus: Corpus) -> bool:
    """Return whether some recording has more units than are all looked at."""
    return is_time(corpus.offsets) and bool((corpus.lengths > UNITS).any())


# --- many documents -----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Profiles:
    """Many functions on 0 … size − 1, each its own mirror image and constant between two edges.

    Profile i has ``width[i]`` values of its own at either end, and one value in between:
    ``values[offset[i] : offset[i] + width[i]]`` is the edge, ``values[offset[i] + width[i]]`` the
    plateau. ``2·width ≤ size``; with ``2·width == size`` the plateau is empty and not used.
    """

    size: Ints
    width: Ints
    offset: Ints
    values: Floats

    @property
    def plateau(self) -> Floats:
        """The value of each profile between its edges."""
        return self.values[self.offset + self.width]

    def at(self, profile: Ints, x: Ints) -> Floats:
        """Return the values at places ``x`` (broadcast against ``profile``), 0 outside of them."""
        inner = np.minimum(x, self.size[profile] - 1 - x)  # the mirror image
        inside = inner >= 0
        return np.where(inside, self.left(profile, np.where(inside, inner, 0)), 0.0)

    def left(self, profile: Ints, x: Ints) -> Floats:
        """Return the values at places ``x`` of the left half (broadcast against ``profile``)."""
        return self.values[self.offset[profile] + np.minimum(x, self.width[profile])]

    def expand(self, profile: int) -> Floats:
        """Return one profile in full, ``size`` values."""
        return self.at(np.array(profile), np.arange(self.size[profile]))

    @classmethod
    def of(cls, size: Ints, edges: Sequence[Floats]) -> Profiles:
        """Return profiles of one array each: its edge, then its plateau."""
        sizes = np.array([len(edge) for edge in edges], dtype=np.int64)
        values = np.concatenate([np.zeros(0), *edges])
        return cls(size, sizes - 1, np.cumsum(sizes) - sizes, values)


def exclusion_groups(layers: Iterable[Layer], chance: str) -> tuple[Ints, Ints]:
    """Return the group of each segment, of which one excludes another, and each group's document.

    Groups are an annotator's documents, under ``per-label`` a document and label. Segments stand
    one layer after the other.
    """
    document, _, _, label, layer = columns_of_all(layers)
    columns = (layer, document, label) if chance == "per-label" else (layer, document)
    (_, documents, *_), group, _ = distinct(*columns)
    return group, documents


def start_profiles(
    group: Ints, tokens: Ints, length: Ints, *, free: bool = False
) -> tuple[Profiles, Ints]:
    """Return start distributions of many random annotations, each distinct shape once.

    Args:
        group: per segment, the annotation it belongs to (segments of one group exclude each other).
        tokens: per group, the number of tokens of its document.
        length: per segment, its length in tokens.
        free: segments do not exclude each other (the overlapping model).

    Returns:
        The distinct start distributions, and for each segment which of them is its own.
    """
    if free:
        size, profile = np.unique(tokens[group] - length + 1, return_inverse=True)
        return Profiles.of(size, [np.array([1 / s]) for s in size]), profile
    order = row_order(group, length)
    profile = np.empty(len(length), np.int64)
    counts = np.bincount(group, minlength=len(tokens))
    first = np.cumsum(counts) - counts
    tables: list[tuple[Ints, Ints, Ints]] = []
    cells: dict[bytes, list[_Cell]] = {}
    edges: list[Floats] = []
    sizes: list[int] = []
    for k in unique(counts[counts > 0]).tolist():  # groups of equally many segments make a table
        here = np.flatnonzero(counts == k)
        rows = order[first[here][:, None] + np.arange(k)]  # segments, by length
        shapes, shape, _ = distinct_rows(np.column_stack((tokens[here], length[rows])))
        slots = shapes[:, 0] - shapes[:, 1:].sum(1) + k
        of_shape = np.empty((len(shapes), k), np.int64)
        tables.append((rows, shape, of_shape))
        alike, which, _ = distinct_rows(shapes[:, 1:] - 1)
        members = groups(which, len(alike))
        for excess, of_these in zip(alike, members, strict=True):
            total = int(excess.sum())
            if total <= FIRST_EDGE:
                steps = np.flatnonzero(excess[1:] > excess[:-1]) + 1  # they are sorted
                for first_e, last_e in pairwise([0, *steps.tolist(), k]):
                    others = np.concatenate((excess[:first_e], excess[first_e + 1 :]))
                    cell = slots[of_these], of_these, of_shape[:, first_e:last_e]
                    cells.setdefault(others[others > 0].tobytes(), []).append(cell)
                continue
            from spanagree.chance.long_edges import long_edges  # few documents need it

            for s in of_these:
                for e, edge in long_edges(excess, int(slots[s])).items():
                    first_e, last_e = np.searchsorted(excess, (e, e + 1)).tolist()
                    of_shape[s, first_e:last_e] = len(edges)
                    edges.append(edge)
                    sizes.append(int(slots[s]) + total - e)
    _fill(cells, edges, sizes)
    for rows, shape, of_shape in tables:
        profile[rows] = of_shape[shape]
    return Profiles.of(np.array(sizes, np.int64), edges), profile


def _fill(cells: dict[bytes, list[_Cell]], edges: list[Floats], sizes: list[int]) -> None:
    """Add the profiles of the short shapes, each once, and tell each shape its own."""
    for key, members in cells.items():
        excess = np.frombuffer(key, dtype=np.int64)
        slots, number = np.unique(
            np.concatenate([cell[0] for cell in members]), return_inverse=True
        )
        profile = number + len(edges)
        edges += short_edges(excess, slots)
        sizes += (slots + excess.sum()).tolist()
        at = 0
        for of_cell, shapes, target in members:
            target[shapes] = profile[at : at + len(of_cell), None]
            at += len(of_cell)
