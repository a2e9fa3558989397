"""The additive measures: what two layers have in common, observed and expected.

A measure is a function φ of two segments, one of each annotator, that adds up over all pairs
(Li et al. 2024, Prop. 1): so its expected value under two independent random annotations is the
sum over pairs of Σ_x Σ_y P_A(x) P_B(y) φ(y − x, a, b), and needs only start distributions.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TypeAlias

import numpy as np

from spanagree.arrays import Bools, Floats, Ints, distinct, groups, join, ranges, unique
from spanagree.chance.start_distributions import CHANCES, Profiles, exclusion_groups, place
from spanagree.comparisons.drawn_means import DrawnMeans
from spanagree.comparisons.measures import Match, Phi
from spanagree.comparisons.near_pairs import expected_near
from spanagree.comparisons.observed import observed
from spanagree.comparisons.relation_places import PairPlaces, RelationCorpus
from spanagree.comparisons.shaped_starts import ShapedStarts, has_pieces
from spanagree.comparisons.table import NO_LABEL, Comparisons
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.segments import Layer
from spanagree.errors import check_choice, counted
from spanagree.limits import check_cost

Starts: TypeAlias = Profiles | ShapedStarts | PairPlaces
"""Where random segments start: anywhere, in blocks of several pieces, or as relations do."""

_CHUNK = 1 << 20  # elements of one temporary array


_FOURIER = 256  # tokens of a document in which sums may be made by Fourier transforms
_FOURIER_TERMS = 1  # and how many for each of them are more work than that


_KINDS = 32  # pairs of kinds in a cell; of more, what covers a token is added up first


_TOGETHER = 16  # portions of pairs whose transforms are kept together


_PASSING = 64  # numbers that are only added up, for the cost of one that is kept


# --- observed and expected ----------------------------------------------------------------------


@dataclass(frozen=True)
class Placed:
    """A layer with the start distribution of each segment under a chance model."""

    layer: Layer
    profile: Ints  # of each segment, in the Profiles that all layers share
    chance: str


def place_layers(
    corpus: Corpus, names: tuple[str, ...], chance: str
) -> tuple[Starts, dict[str, Placed]]:
    """Return start distributions for the segments of several layers, each distinct shape once.

    Raises:
        SettingError: for an unknown chance model.
    """
    check_choice(chance, CHANCES, "chance")
    if isinstance(corpus, RelationCorpus):
        places, parts = PairPlaces.of(corpus, names)
        return places, {
            name: Placed(corpus.layers[name], part, chance)
            for name, part in zip(names, parts, strict=True)
        }
    if has_pieces(corpus):
        shaped, parts = ShapedStarts.of(corpus, names, chance)
        return shaped, {
            name: Placed(corpus.layers[name], part, chance)
            for name, part in zip(names, parts, strict=True)
        }
    layers = [corpus.layers[name] for name in names]
    grouped = [exclusion_groups(layer, len(corpus.labels), chance) for layer in layers]
    first = np.cumsum([0, *(len(documents) for _, documents in grouped)])  # number of each layer
    profiles, profile = place(
        np.concatenate([group + at for (group, _), at in zip(grouped, first, strict=False)]),
        np.concatenate([corpus.lengths[documents] for _, documents in grouped]),
        np.concatenate([layer.end - layer.start for layer in layers]),
        free=chance == "overlapping",
    )
    parts = np.split(profile, np.cumsum([len(layer) for layer in layers])[:-1])
    placed = (Placed(layer, part, chance) for layer, part in zip(layers, parts, strict=True))
    return profiles, dict(zip(names, placed, strict=True))


def compare_layers(
    a: Placed, b: Placed, profiles: Starts, measure: Match, labels: int
) -> Comparisons:
    """Return what two layers have in common, observed and expected, by document and label.

    Only documents that both annotators saw count. ``labels`` is the number of labels in the
    corpus. The layers must not overlap themselves in the measure's sense
    (:func:`spanagree.comparisons.overlaps.check_layer`).
    """
    both = a.layer.annotated & b.layer.annotated
    a, b = _within(a, both), _within(b, both)
    cells, (cell_a, cell_b) = _cells((a.layer, b.layer), labels if measure.of_label else 1)
    n = len(cells)
    sizes = [
        np.bincount(cell, x.layer.end - x.layer.start if measure.in_tokens else None, n)
        for x, cell in ((a, cell_a), (b, cell_b))
    ]
    if isinstance(profiles, ShapedStarts):
        layers, places, kinds = (a.layer, b.layer), (cell_a, cell_b), (a.profile, b.profile)
        matched = profiles.observed(layers, places, kinds, n, measure)
        values, how = profiles.expected(places, kinds, n, measure), dict[str, float]()
        if measure.in_tokens:
            sizes = [
                np.bincount(cell, profiles.tokens(kind), n)
                for cell, kind in zip(places, kinds, strict=True)
            ]
    else:
        matched = observed(a.layer, b.layer, cell_a, cell_b, n, measure)
        values, of_cells = expected(a, b, cell_a, cell_b, n, profiles, measure)
        how = dict(of_cells)
    return Comparisons.of(
        cells // labels if measure.of_label else cells,
        cells % labels if measure.of_label else np.full(n, NO_LABEL),
        matched,
        values,
        [size.astype(np.int64) for size in sizes],
        how=how,
    )


def _within(x: Placed, documents: Bools) -> Placed:
    keep = documents[x.layer.document]
    return x if keep.all() else Placed(x.layer.only(keep), x.profile[keep], x.chance)


def _cells(layers: tuple[Layer, ...], labels: int) -> tuple[Ints, list[Ints]]:
    """Return a cell for each document and label that occur, and which one each segment is in."""
    keys = [
        layer.document if labels == 1 else layer.document * labels + layer.label for layer in layers
    ]
    (cells,), number, _ = distinct(np.concatenate(keys))
    return cells, np.split(number, np.cumsum([len(k) for k in keys])[:-1])


def expected(
    a: Placed,
    b: Placed,
    cell_a: Ints,
    cell_b: Ints,
    cells: int,
    profiles: Profiles | PairPlaces,
    measure: Match,
) -> tuple[Floats, Mapping[str, float]]:
    """Return E[Σ φ] over all pairs of random segments in the same cell, for each cell.

    Beside it stands in how many cells it is computed otherwise, as :func:`notes_on` takes it.
    """
    if isinstance(profiles, PairPlaces):
        return _expected_of_equal(a, b, cell_a, cell_b, cells, profiles), {}
    if measure.route == "near":
        values, drawn = expected_near(
            (a.layer, b.layer), (cell_a, cell_b), cells, tokens_of(a, b, profiles), measure,
            a.chance,
        )  # fmt: skip
        return values, {"drawn": drawn}
    if measure.route == "one-to-one":
        return overlap_of(a, b, cell_a, cell_b, cells, profiles, measure)
    # segments that chance treats alike: same cell, length and start distribution
    sides = ((a, cell_a), (b, cell_b))
    kinds = []
    for x, cell in sides:
        columns, _, number = distinct(cell, x.layer.end - x.layer.start, x.profile)
        kinds.append((*columns, number))
    summed = np.zeros(cells)
    if measure.route == "cover":
        many = np.prod([np.bincount(kind[0], minlength=cells) for kind in kinds], axis=0) > _KINDS
        if many.any():
            together = [tuple(column[many[kind[0]]] for column in kind) for kind in kinds]
            summed = _covered_together(profiles, together, cells)
            kinds = [tuple(column[~many[kind[0]]] for column in kind) for kind in kinds]
    (kind_a, length_a, profile_a, number_a), (kind_b, length_b, profile_b, number_b) = kinds
    i, j = join(kind_a, kind_b)
    if measure.route == "equal":
        equal = length_a[i] == length_b[j]
        i, j = i[equal], j[equal]
    columns = (profile_a[i], length_a[i], profile_b[j], length_b[j])
    (p, p_length, q, q_length), which, _ = distinct(*columns)
    value = _expected_of_pairs(profiles, p, p_length, q, q_length, measure)[which]
    return summed + np.bincount(kind_a[i], number_a[i] * number_b[j] * value, cells), {}


def _expected_of_equal(
    a: Placed, b: Placed, cell_a: Ints, cell_b: Ints, cells: int, places: PairPlaces
) -> Floats:
    """Return the expected number of relations in common, for each cell."""
    (kind_a, set_a), _, number_a = distinct(cell_a, a.profile)
    (kind_b, set_b), _, number_b = distinct(cell_b, b.profile)
    i, j = join(kind_a, kind_b)
    value = number_a[i] * number_b[j] * places.inner(set_a[i], set_b[j])
    return np.bincount(kind_a[i], value, cells).astype(np.float64)


def _expected_of_pairs(
    profiles: Profiles, profile_a: Ints, a: Ints, profile_b: Ints, b: Ints, measure: Match
) -> Floats:
    """Return E[φ] of a random segment of A and one of B, for each pair of profiles and lengths."""
    if measure.route == "equal":
        return inner(profiles, profile_a, profiles, profile_b)
    if measure.route == "cover":
        cover_a, row_a = cover(profiles, profile_a, a)
        cover_b, row_b = cover(profiles, profile_b, b)
        return inner(cover_a, row_a, cover_b, row_b)
    return correlated(profiles, profile_a, a, profile_b, b, measure.phi)


def overlap_of(
    a: Placed, b: Placed, cell_a: Ints, cell_b: Ints, cells: int, profiles: Profiles, measure: Match
) -> tuple[Floats, Mapping[str, float]]:
    """Return the expected one-to-one overlap of each cell, and how it was computed."""
    from spanagree.comparisons.overlap_expected import expected_overlap

    tokens, drawn = tokens_of(a, b, profiles), DrawnMeans()
    layers, of_cells = (a.layer, b.layer), (cell_a, cell_b)
    values = expected_overlap(layers, of_cells, cells, tokens, measure, a.chance, drawn)
    return values, drawn.how


def tokens_of(a: Placed, b: Placed, profiles: Profiles) -> Ints:
    """Return the number of tokens of each document in which one has segments, by its number."""
    tokens = np.zeros(1 + max(int(x.layer.document.max(initial=0)) for x in (a, b)), np.int64)
    for x in (a, b):
        length = x.layer.end - x.layer.start
        group = profiles.size[x.profile] + length - 1
        tokens[x.layer.document] = np.maximum(tokens[x.layer.document], group)
    return tokens


def notes_on(how: Mapping[str, float], size: float) -> list[str]:
    """Return where the expected match is a mean over draws, and how far off it may be.

    Args:
        how: of how many documents and labels the mean is ``drawn``, and the ``variance`` of what
            these add up to, if it is known.
        size: that of both annotations together, over all that was compared.

    >>> notes_on({"drawn": 2, "variance": 0.25}, 100)[0].partition(";")[2]
    ' standard error of the chance F1: 0.0100'
    """
    if not how.get("drawn"):
        return []
    error = 2 * math.sqrt(how.get("variance", 0.0)) / size
    after = f"; standard error of the chance F1: {error:.4f}" if error else ""
    return [
        f"expected overlap from draws in {counted(int(how['drawn']), 'pair')} of document and"
        f" label, as the exact mean would be too much work{after}"
    ]


def expected_how(how: Mapping[str, float]) -> str | None:
    """Return what the settings say of expected matches that are not all exact.

    >>> expected_how({"drawn": 1}), expected_how({})
    ('partly-drawn', None)
    """
    return "partly-drawn" if how.get("drawn") else None


# --- sums over start distributions --------------------------------------------------------------


def inner(f: Profiles, i: Ints, g: Profiles, j: Ints) -> Floats:
    """Return Σ_x f_i(x) g_j(x) for each pair of profiles of one size: two edges and the middle."""
    width = np.maximum(f.width[i], g.width[j])
    total = np.empty(len(i))
    for rows, x in _by_width(width):
        inside = x < width[rows, None]
        edge = f.at(i[rows, None], x) * g.at(j[rows, None], x) * inside
        total[rows] = 2 * edge.sum(1)
    middle = f.size[i] - 2 * width
    return total + middle * f.plateau[i] * g.plateau[j]


def cover(profiles: Profiles, profile: Ints, a: Ints) -> tuple[Profiles, Ints]:
    """Return the probability that a random segment covers each token, from its start distribution.

    A token t is covered by the starts from t − a + 1 to t. The result has a profile for each
    distinct pair of start distribution and length, and says which one belongs to each.
    """
    (profile, a), which, _ = distinct(profile, a)
    size = profiles.size[profile] + a - 1
    width = np.minimum(profiles.width[profile] + a - 1, size // 2)
    check_cost(
        4 * int(width.max(initial=0)), f"the chance of segments of up to {a.max(initial=0)} tokens"
    )
    edges: list[Floats] = [np.empty(0)] * len(a)
    for rows, x in _by_width(width + 1):
        started = np.cumsum(profiles.at(profile[rows, None], x), axis=1)
        before = x - a[rows, None]
        ended = np.take_along_axis(started, np.maximum(before, 0), axis=1) * (before >= 0)
        for row, cover in zip(rows.tolist(), started - ended, strict=True):
            edges[row] = cover[: width[row] + 1]
    return Profiles.of(size, edges), which


def _covered_together(profiles: Profiles, sides: Sequence[tuple[Ints, ...]], cells: int) -> Floats:
    """Return the expected number of tokens that are covered on both sides, for each cell.

    Each side has the cell, length, profile and number of its segments, sorted by cell.
    """
    total = np.zeros(cells)
    covers = [cover(profiles, profile, length) for _, length, profile, _ in sides]
    width, size, work = (np.zeros(cells, np.int64) for _ in range(3))
    for (each, row), (cell, *_) in zip(covers, sides, strict=True):
        np.maximum.at(width, cell, each.width[row])
        size[cell] = each.size[row]
        work += np.bincount(cell, minlength=cells)
    done = np.cumsum(work * (width + 1))
    borders = np.searchsorted(done, np.arange(0, int(done[-1]) if cells else 0, _CHUNK)) + 1
    for low, high in pairwise(sorted({0, *borders.tolist(), cells})):
        wide = width[low:high]
        first = np.cumsum(wide + 1) - wide - 1
        shared = np.full(int(wide.sum()) + high - low, 2.0)  # an edge stands at both ends
        shared[first + wide] = size[low:high] - 2 * wide
        for (each, row), (cell, _, _, number) in zip(covers, sides, strict=True):
            here = slice(*np.searchsorted(cell, (low, high)).tolist())
            x, kind = ranges(0 * cell[here], wide[cell[here] - low] + 1)
            value = number[here][kind] * each.at(row[here][kind], x)
            shared *= np.bincount(first[cell[here] - low][kind] + x, value, len(shared))
        total[low:high] = np.add.reduceat(shared, first)
    return total


def correlated(
    profiles: Profiles, profile_a: Ints, a: Ints, profile_b: Ints, b: Ints, phi: Phi
) -> Floats:
    """Return Σ_x P_A(x) Σ_δ φ(δ, a, b) P_B(x + δ), for any φ that is 0 without an overlap.

    Where the sums over x are long, they are made for all δ at once, by Fourier transforms.
    """
    total = np.empty(len(a))
    n = profiles.size[profile_a] + a - 1
    edge = np.maximum(profiles.width[profile_a], profiles.width[profile_b] + b - 1)
    terms = (np.minimum(edge, profiles.size[profile_a] // 2) + 1) * (a + b)
    far = (n > _FOURIER) & (terms > _FOURIER_TERMS * n)  # of the pair alone, whatever is beside it
    for rows, sums in ((far, _correlated_by_fourier), (~far, _correlated_near)):
        pairs = profile_a[rows], a[rows], profile_b[rows], b[rows]
        total[rows] = sums(profiles, *pairs, phi)
    return total


def _correlated_by_fourier(
    profiles: Profiles, profile_a: Ints, a: Ints, profile_b: Ints, b: Ints, phi: Phi
) -> Floats:
    """Return the same as an inner product of P_A, P_B and φ in Fourier space.

    Each of them is symmetric about a point of its own: turned about it, its transform is real, and
    the three turns cancel. Tokens between the edges all add the same, so most of them are left out
    of the transforms and added afterwards.
    """
    total = np.empty(len(a))
    if not len(a):
        return total
    n = profiles.size[profile_a] + a - 1
    edge = np.maximum(profiles.width[profile_a], profiles.width[profile_b] + b - 1)
    least = np.minimum(n, 2 * edge + a + 1)
    power = 1 << np.frexp(least - 1)[1].astype(np.int64)
    size = np.where(least <= power // 4 * 3, power // 4 * 3, power)  # few, so that kernels recur
    check_cost(
        4 * int(size.max()), f"the chance of segments of up to {max(a.max(), b.max())} tokens"
    )
    for S in unique(size).tolist():
        rows = np.flatnonzero(size == S)
        step = max(1, _CHUNK // S)
        for some in np.array_split(rows, range(_TOGETHER * step, len(rows), _TOGETHER * step)):
            near = np.minimum(n[some], S)
            sides = np.concatenate((profile_a[some], profile_b[some]))
            (profile, length, tokens), which, _ = distinct(
                sides, np.concatenate((a[some], b[some])), np.concatenate((near, near))
            )
            shorter = replace(
                profiles,
                size=tokens - length + 1,
                width=profiles.width[profile],
                offset=profiles.offset[profile],
            )
            starts = _turned(
                shorter.at(np.arange(len(profile))[:, None], np.arange(S)), tokens - length
            )
            (kind_a, kind_b), kind, _ = distinct(a[some], b[some])
            kernels, mass = _kernels(kind_a, kind_b, S, phi)
            i, j = which.reshape(2, -1)
            between = (n[some] - near) * profiles.plateau[profile_a[some]]
            total[some] = between * profiles.plateau[profile_b[some]] * mass[kind]
            for at in range(0, len(some), step):
                here = slice(at, at + step)
                product = starts[i[here]] * starts[j[here]] * kernels[kind[here]]
                total[some[here]] += np.maximum(product.sum(1), 0)
    return total


def _turned(functions: Floats, twice: Ints) -> Floats:
    """Return the transforms of symmetric functions, each about half of a whole number."""
    from scipy.fft import rfft  # late: only long documents need it

    S = functions.shape[1]
    turns = np.exp(1j * np.pi / S * np.arange(2 * S))
    turned: Floats = (
        rfft(functions) * turns[twice[:, None] * np.arange(S // 2 + 1) % (2 * S)]
    ).real
    return turned


def _kernels(a: Ints, b: Ints, S: int, phi: Phi) -> tuple[Floats, Floats]:
    """Return φ of each pair of lengths in Fourier space, with Parseval's weights, and its sum."""
    offset, pair = ranges(1 - b, a)
    placed = np.zeros((len(a), S))
    placed[pair, offset % S] = phi(offset, a[pair], b[pair])
    weight = np.full(S // 2 + 1, 2 / S)
    weight[0] = 1 / S
    if S % 2 == 0:
        weight[-1] = 1 / S
    kernels: Floats = _turned(placed, a - b) * weight
    return kernels, placed.sum(1)


def _correlated_near(
    profiles: Profiles, profile_a: Ints, a: Ints, profile_b: Ints, b: Ints, phi: Phi
) -> Floats:
    """Return the same, summed as it stands: over the edges, and once for what lies between."""
    total = np.empty(len(a))
    lengths, which, counts = distinct(a, b)
    for length_a, length_b, rows in zip(
        *(x.tolist() for x in lengths), groups(which, len(counts)), strict=True
    ):
        A, B = profile_a[rows], profile_b[rows]
        # further in than this both factors are constant
        width = np.maximum(profiles.width[A], profiles.width[B] + length_b - 1)
        width = np.minimum(width, profiles.size[A] // 2)
        purpose = f"the chance of segments of {length_a} and {length_b} tokens"
        wide, near_by = float(width.max()), length_a + length_b
        check_cost(4 * (wide + near_by) + wide * near_by / _PASSING, purpose)
        offsets = np.arange(1 - length_b, length_a)
        weights = phi(offsets, np.array(length_a), np.array(length_b))
        weights = (weights + weights[::-1]) / 2  # P_A and P_B are their own mirror images
        for chunk, x in _by_width(width + 1, len(offsets)):
            reached = np.arange(1 - length_b, x[-1] + length_a)
            near = profiles.at(B[chunk, None], reached)
            windows = np.lib.stride_tricks.sliding_window_view(near, len(offsets), axis=1)
            value = profiles.at(A[chunk, None], x) * (windows @ weights)
            last = width[chunk]
            edge = np.where(x < last[:, None], value, 0.0).sum(1)
            middle = profiles.size[A[chunk]] - 2 * last
            total[rows[chunk]] = 2 * edge + middle * value[np.arange(len(chunk)), last]
    return total


def _by_width(width: Ints, times: int = 1) -> list[tuple[Ints, Ints]]:
    """Return rows in portions, each with the places from 0 up to a power of two, their width."""
    doubled = np.frexp(np.maximum(width - 1, 0))[1]  # of the row alone, whatever is beside it
    portions: list[tuple[Ints, Ints]] = []
    for power, alike in enumerate(groups(doubled, int(doubled.max(initial=-1)) + 1)):
        step = max(1, _CHUNK // (times << power))
        x = np.arange(1 << power)
        portions += [(alike[at : at + step], x) for at in range(0, len(alike), step)]
    return portions
