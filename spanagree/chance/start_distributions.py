"""The exact distribution of the start of a random segment, for one or for thousands of documents.

In a document of n tokens, an annotator marked k segments of lengths a₁ … a_k, with a = Σ aᵢ. A
random annotation is drawn uniformly from all configurations in which no two segments share a token
(Li et al. 2024, *Chance*). With π(n, r) = n!/(n − r)!, segment i starts at token l, counted from 1,
with the probability (Eq. 1)::

    p(STᵢ = l) = Σ_S π(l − a_S + m − 1, m) · π(n − l − a + a_S + k − m, k − m − 1) / π(n − a + k, k)

over all sets S of m other segments with a_S tokens, the segments to the left of segment i.
Derivation: the m segments and the l − 1 − a_S free tokens to the left are l − 1 − a_S + m objects
in a row, among which the segments can be placed in π(l − a_S + m − 1, m) ways. The same holds for
the k − m − 1 others among the objects to the right, and for all k segments among the n − a + k
objects of the document. The terms of all S with equal m and a_S are equal, so
:mod:`spanagree.chance.edges` counts these sets together.

The distribution is symmetric, and constant between two edges (Prop. 3). A *shape*, the length of a
document and the sorted lengths of its segments, is computed once. Positions count from 0 here:
x = l − 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from spanagree.arrays import (
    Floats,
    Ints,
    argsort_rows,
    freeze_array,
    group_indices,
    unique,
    unique_matrix_rows,
    unique_rows,
)
from spanagree.chance.edges import FIRST_EDGE, compute_short_edges
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.segments import Layer, concatenate_segments, is_time
from spanagree.errors import (
    InputError,
    check_choice,
    invalid_value,
    is_integer,
    pluralize,
    quote_value,
)
from spanagree.limits import check_cost

if TYPE_CHECKING:
    from spanagree.choices import Chance

CHANCES = {
    "nonoverlapping": "no two segments of one annotator share a token",
    "per-label": "no two segments of the same label share a token; labels are independent",
    "overlapping": "every segment by itself, anywhere",
}
"""Chance models by name, with the constraint on random annotations."""

UNITS = 1 << 14
"""Largest number of time units of a recording with exact chance; longer ones are coarsened."""

_TOGETHER = 2048  # largest number of tokens of an edge that is summed for many lengths together
_LONGEST = 10**9  # largest number of tokens of a document


_Cell: TypeAlias = tuple[Ints, Ints, Ints]
"""Shapes that differ only in n, and one segment length.

The arrays are the number of slots F of each shape, the row of each shape in the table of shapes,
and a view of the profile indices of that table for the segments of this length, to be filled."""


# --- one document -------------------------------------------------------------------------------


def start_distribution(
    length: int, segments: Sequence[int], chance: Chance = "nonoverlapping"
) -> tuple[Floats, ...]:
    """Compute the start distribution of each segment of one random annotation.

    Args:
        length: number n of tokens of the document.
        segments: lengths of the segments in tokens, all of one label.
        chance: chance model: nonoverlapping, per-label or overlapping.

    Returns:
        For each segment a read-only array of n − a + 1 probabilities, P(start = x) at index x.
        Segments of equal length share one array.

    Raises:
        SettingError: if the chance model is unknown.
        InputError: if a length is not a positive integer, or the segments do not fit the document.

    Source: Li et al. 2024, Eq. 1.

    >>> [p.tolist() for p in start_distribution(6, [3, 3])]
    [[0.5, 0.0, 0.0, 0.5], [0.5, 0.0, 0.0, 0.5]]
    """
    check_choice(chance, CHANCES, "chance")
    n = _check_length(length, "length")
    if isinstance(segments, (str, bytes)) or not isinstance(segments, Iterable):
        raise InputError(f"segments: {quote_value(segments)}; a list of lengths is needed")
    lengths = np.array([_check_length(a, "segments") for a in segments], dtype=np.int64)
    n_needed = int(lengths.max(initial=0) if chance == "overlapping" else lengths.sum())
    if n_needed > n:
        subject = "the longest segment has" if chance == "overlapping" else "the segments have"
        raise InputError(
            f"segments do not fit: {subject} {pluralize(n_needed, 'token')}, the document {n};"
            f" chance {chance!r} allows at most {n}"
        )
    if not len(lengths):
        return ()
    check_cost(4 * n, f"the start distribution in a document of {n} tokens")
    documents = np.zeros(len(lengths), np.int64)
    profiles, profile = compute_start_profiles(
        documents, np.array([n]), lengths, free=chance == "overlapping"
    )
    array_by_profile = {
        i: freeze_array(profiles.expand(i), np.float64) for i in set(profile.tolist())
    }
    return tuple(array_by_profile[i] for i in profile.tolist())


def _check_length(value: object, argument_name: str) -> int:
    """Check a length, and convert it to an integer.

    Raises:
        InputError: if it is not an integer in the range of lengths; with the name of the argument.
    """
    if is_integer(value) and 1 <= value <= _LONGEST:
        return int(value)
    raise invalid_value(
        f"{argument_name}:", value, f"a length is a whole number from 1 to {_LONGEST}"
    )


def is_long(corpus: Corpus) -> bool:
    """Decide whether a recording has more than :data:`UNITS` time units."""
    return is_time(corpus.offsets) and bool((corpus.lengths > UNITS).any())


# --- many documents -----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Profiles:
    """Many symmetric functions on 0 … size − 1, each constant between two edges.

    The *edge* contains the first values, and the *plateau* is the constant. ``values[offset[i] :
    offset[i] + width[i]]`` is the edge of profile i, and ``values[offset[i] + width[i]]`` its
    plateau. ``2·width ≤ size``; if ``2·width == size``, the plateau is empty and not used.

    Attributes:
        size: number of positions of each profile; (profiles,).
        width: number of positions of each edge; (profiles,).
        offset: first index of each profile in ``values``; (profiles,).
        values: edge and plateau of each profile, one after the other.
    """

    size: Ints
    width: Ints
    offset: Ints
    values: Floats

    @property
    def plateau(self) -> Floats:
        """Value of each profile between its edges."""
        return self.values[self.offset + self.width]

    def look_up(self, profile: Ints, x: Ints) -> Floats:
        """Look up the values at positions ``x`` (broadcast against ``profile``), 0 outside."""
        mirrored_x = np.minimum(x, self.size[profile] - 1 - x)
        is_inside = mirrored_x >= 0
        return np.where(
            is_inside, self.look_up_left(profile, np.where(is_inside, mirrored_x, 0)), 0.0
        )

    def look_up_left(self, profile: Ints, x: Ints) -> Floats:
        """Look up the values at positions ``x`` in the left half; ``x`` is broadcast."""
        return self.values[self.offset[profile] + np.minimum(x, self.width[profile])]

    def expand(self, profile: int) -> Floats:
        """Expand one profile to its ``size`` values."""
        return self.look_up(np.array(profile), np.arange(self.size[profile]))

    @classmethod
    def from_edges(cls, size: Ints, edges: Sequence[Floats]) -> Profiles:
        """Build profiles from arrays, each with the edge followed by the plateau."""
        sizes = np.array([len(edge) for edge in edges], dtype=np.int64)
        values = np.concatenate([np.zeros(0), *edges])
        return cls(size, sizes - 1, np.cumsum(sizes) - sizes, values)


def find_exclusion_groups(layers: Iterable[Layer], chance: str) -> tuple[Ints, Ints]:
    """Group the segments that exclude each other.

    A group contains the segments of an annotator in a document; under ``per-label``, only those
    with the same label.

    Returns:
        Group of each segment, layer after layer; and document of each group.
    """
    document, _, _, label, layer_index = concatenate_segments(layers)
    columns = (layer_index, document, label) if chance == "per-label" else (layer_index, document)
    (_, document_of_group, *_), group, _ = unique_rows(*columns)
    return group, document_of_group


def compute_start_profiles(
    group: Ints, tokens: Ints, length: Ints, *, free: bool = False
) -> tuple[Profiles, Ints]:
    """Compute the start distributions of many random annotations, each distinct shape once.

    Args:
        group: group of each segment; segments of one group exclude each other.
        tokens: number of tokens of the document of each group.
        length: length of each segment in tokens.
        free: True if segments do not exclude each other (the overlapping model).

    Returns:
        Distinct start distributions, and the index of the distribution of each segment.
    """
    if free:
        size, profile = np.unique(tokens[group] - length + 1, return_inverse=True)
        return Profiles.from_edges(size, [np.array([1 / shape_row]) for shape_row in size]), profile
    order = argsort_rows(group, length)
    profile = np.empty(len(length), np.int64)
    n_segments = np.bincount(group, minlength=len(tokens))
    first_segment = np.cumsum(n_segments) - n_segments
    tables: list[tuple[Ints, Ints, Ints]] = []
    cells_by_excesses: dict[bytes, list[_Cell]] = {}
    edges: list[Floats] = []
    sizes: list[int] = []
    for k in unique(n_segments[n_segments > 0]).tolist():  # one table for all groups of k segments
        groups_of_k = np.flatnonzero(n_segments == k)
        # segments of each group, sorted by length
        rows = order[first_segment[groups_of_k][:, None] + np.arange(k)]
        shapes, shape, _ = unique_matrix_rows(np.column_stack((tokens[groups_of_k], length[rows])))
        slots = shapes[:, 0] - shapes[:, 1:].sum(1) + k
        profile_of_shape = np.empty((len(shapes), k), np.int64)
        tables.append((rows, shape, profile_of_shape))
        distinct_excesses, excess_index, _ = unique_matrix_rows(shapes[:, 1:] - 1)
        members = group_indices(excess_index, len(distinct_excesses))
        for excess, shape_rows in zip(distinct_excesses, members, strict=True):
            if int(excess[1:].sum()) <= FIRST_EDGE:  # of all others, the shortest left out
                excess_changes = np.flatnonzero(excess[1:] > excess[:-1]) + 1  # they are sorted
                for low, high in pairwise([0, *excess_changes.tolist(), k]):
                    other_excess = np.concatenate((excess[:low], excess[low + 1 :]))
                    shape_cell = slots[shape_rows], shape_rows, profile_of_shape[:, low:high]
                    cells_by_excesses.setdefault(
                        other_excess[other_excess > 0].tobytes(), []
                    ).append(shape_cell)
                continue
            from spanagree.chance.long_edges import compute_long_edges  # few documents need it

            for shape_row in shape_rows:
                for e, edge in compute_long_edges(excess, int(slots[shape_row])).items():
                    low, high = np.searchsorted(excess, (e, e + 1)).tolist()
                    profile_of_shape[shape_row, low:high] = len(edges)
                    edges.append(edge)
                    sizes.append(int(slots[shape_row]) + int(excess.sum()) - e)
    _add_short_profiles(cells_by_excesses, edges, sizes)
    for rows, shape, profile_of_shape in tables:
        profile[rows] = profile_of_shape[shape]
    return Profiles.from_edges(np.array(sizes, np.int64), edges), profile


def _add_short_profiles(
    cells_by_excesses: dict[bytes, list[_Cell]], edges: list[Floats], sizes: list[int]
) -> None:
    """Compute the profiles of short shapes, and write their indices to the table of shapes.

    Shapes with the same excesses of other segments and the same number of slots share a profile.

    Args:
        cells_by_excesses: shapes and segment lengths, by the excesses of the others as bytes.
        edges: edges of all profiles, to which new ones are appended.
        sizes: sizes of all profiles, to which new ones are appended.
    """
    for key, shape_cells in cells_by_excesses.items():
        excess = np.frombuffer(key, dtype=np.int64)
        slots, slot_index = np.unique(
            np.concatenate([cell[0] for cell in shape_cells]), return_inverse=True
        )
        profile = slot_index + len(edges)
        edges += compute_short_edges(excess, slots)
        sizes += (slots + excess.sum()).tolist()
        n_filled = 0
        for cell_slots, shapes, profile_of_shape in shape_cells:
            profile_of_shape[shapes] = profile[n_filled : n_filled + len(cell_slots), None]
            n_filled += len(cell_slots)
