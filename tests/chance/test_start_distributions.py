"""Where random segments start: against enumeration, exact arithmetic and theory."""

from __future__ import annotations

import json
import math
from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from messages import refuses
from oracles import enumerated_starts, two_lengths_start
from scipy.signal import lfilter

import spanagree as sa
from spanagree.chance import edges as plain_edges
from spanagree.chance import hypergeometric as draws
from spanagree.chance import long_edges as edges_of
from spanagree.chance import start_distributions as placement
from spanagree.chance import subset_sums
from spanagree.chance.table import StartDistributions, StartSettings

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "start_distributions.json").read_text())

# n and lengths that fit: free tokens, then the segments
shapes = st.tuples(st.integers(0, 25), st.lists(st.integers(1, 12), min_size=1, max_size=9)).map(
    lambda drawn: (drawn[0] + sum(drawn[1]), drawn[1])
)
small = st.tuples(st.integers(0, 4), st.lists(st.integers(1, 3), min_size=1, max_size=4)).map(
    lambda drawn: (drawn[0] + sum(drawn[1]), drawn[1])
)


@pytest.mark.parametrize("case", GOLDEN, ids=lambda c: f"{c['length']}:{c['segment_lengths']}")
def test_golden(case):
    """Reference cases, by enumeration and by Eq. 1 in exact arithmetic, to 1e-12."""
    got = sa.start_distribution(case["length"], case["segment_lengths"])
    assert len(got) == len(case["start"])
    for ours, reference in zip(got, case["start"], strict=True):
        exact = [float(Fraction(p)) for p in reference]
        np.testing.assert_allclose(ours, exact, rtol=0, atol=1e-12)
        assert abs(ours.sum() - 1) < 1e-12


@given(small)
def test_enumeration(shape):
    """Any small shape equals the count over all configurations."""
    n, lengths = shape
    for ours, exact in zip(
        sa.start_distribution(n, lengths), enumerated_starts(n, lengths), strict=True
    ):
        np.testing.assert_allclose(ours, [float(p) for p in exact], rtol=0, atol=1e-14)


@given(shapes)
@example((100, [1, 5, 10, 15]))
@example((6, [3, 3]))
def test_facts(shape):
    """Sums to 1, is its own mirror image, starts with 1/F, and is flat where Prop. 3 says so."""
    n, lengths = shape
    k, a = len(lengths), sum(lengths)
    slots = n - a + k
    for length, p in zip(lengths, sa.start_distribution(n, lengths), strict=True):
        assert p.shape == (n - length + 1,)
        assert p.min() >= 0
        assert abs(p.sum() - 1) < 1e-12
        assert abs(p[0] - 1 / slots) < 1e-15
        np.testing.assert_array_equal(p, p[::-1])
        flat = p[a - length - (k - 1) : slots]
        if len(flat):
            np.testing.assert_allclose(flat, flat[0], rtol=1e-13)


@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 20))
def test_uniform(n, length, singles):
    """One segment alone, and one among segments of a single token, may start anywhere alike."""
    n = n + length + singles
    for lengths in ([length], [length] + [1] * singles):
        p = sa.start_distribution(n, lengths)[0]
        np.testing.assert_allclose(p, 1 / len(p), rtol=1e-13)


@given(shapes)
def test_order_and_label_do_not_matter(shape):
    """The distribution of a segment depends on its length only; equal lengths share one array."""
    n, lengths = shape
    forwards = sa.start_distribution(n, lengths)
    backwards = sa.start_distribution(n, lengths[::-1])[::-1]
    for p, q in zip(forwards, backwards, strict=True):
        np.testing.assert_array_equal(p, q)
    by_length = {}
    for length, p in zip(lengths, forwards, strict=True):
        assert by_length.setdefault(length, p) is p
        assert not p.flags.writeable


@given(shapes)
def test_models(shape):
    """Per-label is nonoverlapping for one label; overlapping is uniform for each by itself."""
    n, lengths = shape
    for p, q in zip(
        sa.start_distribution(n, lengths),
        sa.start_distribution(n, lengths, chance="per-label"),
        strict=True,
    ):
        np.testing.assert_array_equal(p, q)
    for length, p in zip(
        lengths, sa.start_distribution(n, lengths, chance="overlapping"), strict=True
    ):
        np.testing.assert_array_equal(p, 1 / (n - length + 1))


LARGE = {
    # name: n, length of the one looked at, others (count, length) twice, places
    "k = 1000, sparse": (20_000, 2, (699, 2), (300, 3), [0, 1, 2, 3, 5, 8, 20, 61, 102]),
    "full tiling": (20 * 7 + 30 * 5, 7, (19, 7), (30, 5), range(0, 140, 3)),
    "tiling but for one token": (60 * 19 + 40 * 20 + 1, 19, (59, 19), (40, 20), range(0, 990, 67)),
    "equal and dense": (4_060, 10, (399, 10), (0, 1), range(0, 2_030, 97)),
    "characters": (8_000, 10, (399, 10), (0, 1), [0, 5, 9, 10, 50, 155, 400, 3_995]),
    "one long among short": (20_000, 2, (499, 2), (1, 3_000), [0, 7, 40, 2_998, 2_999, 3_001]),
    "longer than half": (1_000, 3, (20, 3), (1, 700), [0, 2, 60, 150, 200, 230, 260, 498]),
}


@pytest.mark.long
@pytest.mark.parametrize("name", LARGE)
def test_large_shapes(name):
    """Long, dense and tiled documents, where an edge of a fixed width would be wrong."""
    n, length, u, v, places = LARGE[name]
    lengths = [length] + [u[1]] * u[0] + [v[1]] * v[0]
    p = sa.start_distribution(n, lengths)[0]
    assert abs(p.sum() - 1) < 1e-12
    for x in places:
        exact = float(two_lengths_start(n, length, u, v, x))
        assert p[x] == pytest.approx(exact, rel=1e-11, abs=1e-15), x
        assert p[n - length - x] == p[x]


def test_edges_reach_far():
    """In the dense cases the distribution is still not flat hundreds of tokens from the edge."""
    n, length, u, v, _ = LARGE["equal and dense"]
    p = sa.start_distribution(n, [length] + [u[1]] * u[0])[0]
    middle = p[1_000:1_100]
    assert middle.max() > 1.2 * middle.min()
    n, length, u, v, _ = LARGE["one long among short"]
    p = sa.start_distribution(n, [length] + [u[1]] * u[0] + [v[1]])[0]
    assert abs(p[2_000] / p[4_000] - 1) > 1e-6


@pytest.mark.slow
@example(0, {2: 1, 6: 1})
@given(
    st.integers(0, 300),
    st.dictionaries(st.integers(1, 30), st.integers(1, 12), min_size=1, max_size=4),
)
def test_long_path_equals_short_path(free, counts):
    """Growing an edge and subtracting one segment give the digits of the plain sum."""
    lengths = np.repeat(list(counts), list(counts.values()))
    excess = np.sort(lengths) - 1
    slots = free + len(lengths)
    if not excess.any():
        return
    for e, edge in edges_of.compute_long_edges(excess, slots).items():
        others = np.delete(excess, np.searchsorted(excess, e))
        (plain,) = plain_edges.compute_short_edges(others[others > 0], np.array([slots]))
        reach = len(edge)
        np.testing.assert_allclose(edge, plain[:reach], rtol=1e-11, atol=1e-16)
        np.testing.assert_allclose(plain[reach:], edge[-1], rtol=1e-11, atol=1e-16)


def check_against_fractions(edges, excess, slots):
    """Half of the starts of each length are those of fractions; beyond the edge nothing changes."""
    for e, edge in edges.items():
        others = np.delete(excess, excess.tolist().index(e))
        exact = fractions_of_starts(others[others > 0].tolist(), slots)
        reach = (len(exact) + 1) // 2
        wide = np.append(edge, np.full(max(reach - len(edge), 0), edge[-1]))[:reach]
        np.testing.assert_allclose(wide, exact[:reach], rtol=0, atol=1e-14 * max(exact))


@pytest.mark.long
@example(0, [1, 2, 9])
@example(3, [1, 1, 4])
@example(5, [3] * 18)  # few lengths for so many segments
@given(st.integers(0, 60), st.lists(st.integers(1, 40), min_size=1, max_size=9))
def test_halves_equal_fractions(free, lengths):
    """Sums over a whole document, half of them mirrored, are those of fractions.

    Oracle: the sum of the module's first lines, in fractions.
    """
    excess = np.array(lengths) - 1
    long, slots = excess[excess > 0], free + len(lengths)
    if not len(long):
        return
    distinct = np.unique(excess).tolist()
    edges = edges_of._compute_edges_by_halves(long, slots, distinct)
    assert sorted(edges) == distinct
    check_against_fractions(edges, excess, slots)


@pytest.mark.long
@pytest.mark.parametrize(
    ("segments", "longest", "free"), [(41, 60, 900), (84, 80, 0), (160, 50, 9)]
)
def test_all_lengths_at_once(segments, longest, free, monkeypatch):
    """Terms that all lengths share give what each length by itself gives, also for many segments.

    Oracle: the recurrence for one segment less, which :func:`without` makes for each length.
    """
    lengths = np.random.default_rng(segments).integers(2, longest, segments)
    distinct = np.unique(lengths - 1).tolist()
    monkeypatch.setattr(edges_of, "_MANY", 10**9)
    shared = edges_of._compute_edges_by_halves(lengths - 1, free + segments, distinct)
    monkeypatch.setattr(edges_of, "_MANY", 0)
    for e, plain in edges_of._compute_edges_by_halves(
        lengths - 1, free + segments, distinct
    ).items():
        reach = min(len(plain), len(shared[e]))
        error = np.abs(shared[e][:reach] - plain[:reach]).max()
        assert error <= 1e-14 * plain.max()
        assert abs(shared[e][-1] - plain[-1]) <= 1e-14 * plain.max()


@pytest.mark.parametrize(("segments", "longest", "F"), [(20, 30, 400), (3, 9, 40), (600, 6, 4_000)])
def test_when_a_renewal_process_has_forgotten_its_start(segments, longest, F):
    """Oracle: the density by its recurrence, u(x) = Σ f(length) u(x − length), beside its limit F/n.

    From there on they differ by 1e-13 at the most, and before by more; transforms err by 1e-15.
    """
    long = np.random.default_rng(segments).integers(1, longest, segments)
    f = np.bincount(long + 1, minlength=2) / F
    f[1] = 1 - segments / F
    u = lfilter([1.0], [1.0, *-f[1:]], np.eye(1, 4_000)[0])
    limit = F / (F + long.sum())
    reach = edges_of._compute_renewal_memory(long, F)
    differs = np.abs(u / limit - 1)
    assert differs[reach:].max() < 1.1e-13
    assert differs[reach - 1] > 0.9e-13
    assert (
        edges_of._compute_renewal_memory(long, 10**9) < reach
    )  # of a text without end nothing is laid out
    assert (
        edges_of._compute_renewal_memory(long, segments) == segments + long.sum()
    )  # no free token


@pytest.mark.parametrize(
    ("segments", "mean", "free", "singles"),
    [(84, 12, 2_450, 3), (40, 30, 3_000, 0), (9, 20, 200, 1), (1, 50, 600, 4), (60, 5, 9_000, 0)],
)
def test_many_lengths_share_their_sums(segments, mean, free, singles):
    """By characters all lengths come from the same sums over an edge, as long as is needed.

    Oracle: sums over the whole document, which other tests hold against fractions.
    """
    excess = np.random.default_rng(segments).geometric(1 / mean, segments)
    excess = np.sort(np.append(excess, np.zeros(singles, np.int64)))
    slots = free + len(excess)
    edges = edges_of.compute_long_edges(excess, slots)
    plain = edges_of._compute_edges_by_halves(excess[excess > 0], slots, np.unique(excess).tolist())
    assert edges.keys() == plain.keys()
    for e, edge in edges.items():
        reach = max(len(edge), len(plain[e]))
        ours, theirs = (np.append(p, np.full(reach - len(p), p[-1])) for p in (edge, plain[e]))
        assert np.abs(ours - theirs).max() <= 1e-14 * theirs.max()
        assert len(edge) < 50 * mean


@pytest.mark.parametrize(("segments", "free", "halves"), [(84, 2_500, 0), (60, 200, 1), (20, 0, 1)])
def test_where_digits_would_be_lost(segments, free, halves, monkeypatch):
    """Sums are made over halves of the document where most segments may lie left of an edge."""
    asked = []
    by_halves = edges_of._compute_edges_by_halves

    def counting(long, F, excesses):
        asked.append(excesses)
        return by_halves(long, F, excesses)

    monkeypatch.setattr(edges_of, "_compute_edges_by_halves", counting)
    excess = np.sort(np.random.default_rng(0).geometric(1 / 12, segments))
    edges = edges_of.compute_long_edges(excess, free + segments)
    assert asked == [np.unique(excess).tolist()] * halves
    assert sorted(edges) == np.unique(excess).tolist()


def test_few_long_segments_in_a_long_document():
    """Where more than half of the long ones fit near an edge, each is left out by its own length.

    Oracle: the sum of the module's first lines, in fractions.
    """
    excess, slots = np.array([5, 40, 70]), 1_500
    edges = edges_of.compute_long_edges(excess, slots)
    assert sorted(edges) == excess.tolist()
    for e, edge in edges.items():
        exact = fractions_of_starts(excess[excess != e].tolist(), slots)[: len(edge)]
        np.testing.assert_allclose(edge, exact, rtol=0, atol=1e-14 * max(exact))


@given(st.integers(0, 90), st.lists(st.integers(0, 60), min_size=1, max_size=7))
@example(3, [0, 1, 0])
@example(0, [40, 40, 2, 2, 2, 9])
@example(90, [60, 1, 0, 0, 0])
def test_few_segments_equal_fractions(free, excess):
    """Of few segments, whatever their lengths, in a document with or without room.

    Oracle: the sum of the module's first lines, in fractions.
    """
    excess = np.sort(excess)
    if excess.any():
        slots = free + len(excess)
        check_against_fractions(edges_of.compute_long_edges(excess, slots), excess, slots)


def test_sums_without_one_of_few_segments():
    """More than half of the segments are drawn: the sums of the other two, by hand."""
    excess = np.array([1, 2, 4])
    table = subset_sums.subset_sums(excess, 2, 7)
    expected = np.zeros((2, 3, 8))
    expected[:, 0, 0] = 1
    expected[0, 1, [2, 4]] = expected[1, 1, [1, 2]] = 0.5
    expected[0, 2, 6] = expected[1, 2, 3] = 1
    assert (subset_sums.subset_sums_without([1, 4], table, excess) == expected).all()


def test_what_far_segments_cost(monkeypatch):
    """The work checked for two far segments, by hand: 4 excesses, 2 tables for each, 2 more.

    Each has 40 slots, the excesses 1 + 2 of the near segments, and those of the far ones.
    """
    asked = []
    monkeypatch.setattr(edges_of, "check_cost", lambda cost, what: asked.append(cost))
    near, far = np.array([1, 2]), np.array([4000, 5000])
    edges_of._compute_edges_with_outliers(near, far, 40, 20, [1, 2, 4000, 5000])
    assert asked[0] == (4 + 2 * 2 + 2) * (40 + 3 + 9000)


def beside(monkeypatch, excess, slots):
    """Return the edges of a document, and whether far longer segments were left to the end."""
    found = []
    near = edges_of._compute_edges_with_outliers

    def noting(*document):
        found.append(near(*document))
        return found[-1]

    with monkeypatch.context() as patched:
        patched.setattr(edges_of, "_compute_edges_with_outliers", noting)
        edges = edges_of.compute_long_edges(np.sort(excess), slots)
    return edges, [edges is each for each in found]


def same_edges(ours, theirs, error):
    """Refuse edges that differ by more than so much of the greatest value."""
    assert ours.keys() == theirs.keys()
    for e, edge in ours.items():
        reach = max(len(edge), len(theirs[e]))
        p, q = (np.append(each, np.full(reach - len(each), each[-1])) for each in (edge, theirs[e]))
        assert np.abs(p - q).max() <= error * q.max()
        assert p.min() >= 0


@pytest.mark.parametrize(
    ("short", "far", "free"),
    [
        ([2], [50], 0),
        ([0, 1, 3], [90], 150),  # the edge ends long before the middle
        ([1, 1, 2], [60, 45], 2),
        ([0, 1, 2], [70, 70], 120),
        ([0, 0, 2, 2], [200, 95, 80], 170),
        ([1, 3], [80, 60, 60], 0),  # fewer free tokens than far longer segments
    ],
)
def test_far_longer_segments_equal_fractions(short, far, free, monkeypatch):
    """Beside one to three segments that are far longer, from which of them are to the left.

    Oracle: the sum of the module's first lines, in fractions.
    """
    monkeypatch.setattr(edges_of, "_FAR", 1)
    excess = np.sort([*short, *far])
    slots = free + len(excess)
    edges, used = beside(monkeypatch, excess, slots)
    assert used == [True]
    assert sorted(edges) == sorted({*short, *far})
    check_against_fractions(edges, excess, slots)


@pytest.mark.long
@pytest.mark.parametrize(
    ("segments", "mean", "far", "free"),
    [
        (300, 4, [8_000], 9_000),
        (100, 3, [9_999], 20_000),  # where the plain sums hold more than half of the segments
        (100, 3, [9_999, 9_999], 20_000),
        (60, 20, [3_000], 6_000),  # by characters
        (700, 3, [5_000, 5_000, 9_999], 9_000),  # each length by itself, of so many
        (40, 5, [2_000, 3_500, 9_000], 300),  # the far longer ones reach beyond the middle
    ],
)
def test_far_longer_segments_equal_the_plain_sums(segments, mean, far, free, monkeypatch):
    """Larger documents of this kind have the edges that sums over all segments give.

    Oracle: those sums, which other tests hold against fractions.
    """
    excess = np.append(np.random.default_rng(segments).geometric(1 / mean, segments) - 1, far)
    slots = free + len(excess)
    edges, used = beside(monkeypatch, excess, slots)
    assert used == [True]
    monkeypatch.setattr(edges_of, "_FAR", 10**9)
    same_edges(edges, edges_of.compute_long_edges(np.sort(excess), slots), 2e-14)
    by_halves = edges_of._compute_edges_by_halves(np.sort(excess[excess > 0]), slots, sorted(edges))
    same_edges(edges, by_halves, 2e-14)


def test_where_far_longer_segments_do_not_help(monkeypatch):
    """Dense text beside a far longer segment is summed as before, and so is a row of long ones."""
    dense = np.append(np.random.default_rng(0).geometric(1 / 4, 100), 3_000)
    edges, used = beside(monkeypatch, dense, 201)
    assert used == [False]
    monkeypatch.setattr(edges_of, "_FAR", 10**9)
    same_edges(edges, edges_of.compute_long_edges(np.sort(dense), 201), 0)
    monkeypatch.undo()
    _, used = beside(monkeypatch, [3, 3, 2_000, 3_500, 3_600, 3_700], 400)
    assert used == []


def test_what_is_no_polynomial(monkeypatch):
    """Values that do not end as a polynomial of their degree are refused; those that do go on.

    Oracle: x and 1 at whole numbers, x² of which the mirror image would be another.
    """
    x = np.arange(41.0)
    W = np.stack((np.full(41, 200.0), x))  # of the latter the last place is 200
    np.testing.assert_allclose(edges_of._extend_to_middle(W, 200)[1], np.arange(101), rtol=1e-14)
    assert len(edges_of._extend_to_middle(W, 60)[0]) == 31
    assert edges_of._extend_to_middle(np.stack((W[0], x + (x == 35) * 1e-9)), 200) is None
    with monkeypatch.context() as patched:
        patched.setattr(edges_of, "_extend_to_middle", lambda *_: None)
        excess = np.array([1, 1, 2, 5_000])
        edges, used = beside(monkeypatch, excess, 4_000)
    assert used == [False]
    same_edges(edges, edges_of.compute_long_edges(excess, 4_000), 1e-14)


def test_what_far_longer_segments_cost(monkeypatch):
    """The numbers that are checked before they are made: two rows for each length and four more."""
    asked = []
    monkeypatch.setattr(edges_of, "check_cost", lambda cost, what: asked.append((cost, what)))
    edges_of.compute_long_edges(np.array([1, 1, 2, 5_000]), 4_000)
    what = "the chance of segments of up to 5001 tokens in a document of 9000"
    assert asked[0] == ((3 + 2 * 1 + 2) * 9_004, what)


def fractions_of_starts(excess, slots):
    """Return P(x) of a segment beside others of these excesses, all longer than one token."""
    subsets = Counter({(0, 0): 1})
    for e in excess:
        subsets += Counter({(m + 1, d + e): n for (m, d), n in subsets.items()})
    P = [Fraction(0)] * (slots + sum(excess))
    for (m, d), n in subsets.items():
        for y in range(slots):
            ways = math.comb(y, m) * math.comb(slots - 1 - y, len(excess) - m)
            P[y + d] += Fraction(
                n * ways, math.comb(slots - 1, len(excess)) * math.comb(len(excess), m)
            )
    return [float(p / slots) for p in P]


@pytest.mark.long
@pytest.mark.parametrize("name", LARGE)
def test_fourier_equals_the_plain_sum(name, monkeypatch):
    """Sums by Fourier transforms err by no more than they promise."""
    n, length, u, v, _ = LARGE[name]
    lengths = [length] + [u[1]] * u[0] + [v[1]] * v[0]
    monkeypatch.setattr(plain_edges, "_FOURIER", 1)
    fourier = sa.start_distribution(n, lengths)
    monkeypatch.setattr(plain_edges, "_FOURIER", 10**9)
    for p, q in zip(fourier, sa.start_distribution(n, lengths), strict=True):
        np.testing.assert_allclose(p, q, rtol=0, atol=1e-14 * q.max())


@pytest.mark.long
@pytest.mark.parametrize("name", ["k = 1000, sparse", "longer than half", "equal and dense"])
def test_portions_change_nothing(name, monkeypatch):
    """Temporary arrays of few elements give the same digits but for rounding: the same sums in parts."""
    n, length, u, v, _ = LARGE[name]
    lengths = [length] + [u[1]] * u[0] + [v[1]] * v[0]
    whole = sa.start_distribution(n, lengths)
    for module in (plain_edges, edges_of):
        monkeypatch.setattr(module, "CHUNK", 1 << 12)
    monkeypatch.setattr(edges_of, "_CACHED", 1 << 8)
    for p, q in zip(whole, sa.start_distribution(n, lengths), strict=True):
        np.testing.assert_allclose(p, q, rtol=0, atol=1e-14 * q.max())


def test_edges_end_where_they_are_flat():
    """In a sparse document an edge is some of its longest segments wide (a renewal process), not all.

    Oracle: all together have an excess of 1300 tokens, and Prop. 3 alone would take as many. The
    process has forgotten its start after 14 tokens but for 1e-13, after 15 but for 4e-15, less than
    which the transforms and sums may err; and one value is the plateau.
    """
    excess = np.array([1] * 700 + [2] * 300)
    for edge in edges_of.compute_long_edges(excess, 18_700).values():
        assert len(edge) == 16


def test_what_long_documents_cost(monkeypatch):
    """The work that is checked before it is done: rows times columns of the tables, by hand.

    1000 segments in 20000 tokens: of the shortest 15 fit into the first 30. 400 of ten tokens with
    60 free ones forget where the text starts later than it ends: it is less work to sum over all.
    """
    asked = []
    monkeypatch.setattr(edges_of, "check_cost", lambda cost, what: asked.append((cost, what)))
    edges_of.compute_long_edges(np.array([1] * 700 + [2] * 300), 18_700)
    what = "the chance of segments of up to {} tokens in a document of {}"
    assert asked == [(4 * 16 * 30, what.format(3, 20_000))]
    asked.clear()
    edges_of.compute_long_edges(np.array([9] * 400), 460)
    assert asked == [(2 * 201 * 4_060, what.format(10, 4_060))]


def test_binomials_equal_draws(monkeypatch):
    """The table of binomials and the draw-by-draw recurrence agree."""
    totals = np.array([40, 90, 200])
    table = draws.hypergeometric(35, 30, totals, 20)
    monkeypatch.setattr(draws, "PASCAL_ROWS", 1)
    np.testing.assert_allclose(
        table, draws.hypergeometric(35, 30, totals, 20), rtol=1e-12, atol=1e-18
    )
    np.testing.assert_allclose(table.sum(-1)[1:, 20], 1, rtol=1e-13)


@pytest.mark.long
def test_many_groups_at_once():
    """Placing many documents together gives each the distribution it has alone."""
    rng = np.random.default_rng(5)
    group, length, tokens = [], [], []
    for g in range(300):
        mine = rng.geometric(0.4, rng.integers(0, 7)).tolist()
        group += [g] * len(mine)
        length += mine
        tokens.append(sum(mine) + int(rng.integers(0, 15)))
    order = rng.permutation(len(group))
    profiles, profile = placement.compute_start_profiles(
        np.array(group)[order], np.array(tokens), np.array(length)[order]
    )
    assert len(profiles.size) < len(group)  # distinct shapes once
    for position, segment in enumerate(order):
        g = group[segment]
        lengths = [a for h, a in zip(group, length, strict=True) if h == g]
        alone = sa.start_distribution(tokens[g], lengths)[lengths.index(length[segment])]
        np.testing.assert_array_equal(profiles.expand(profile[position]), alone)


def test_short_documents_in_portions(monkeypatch):
    """Short documents of one shape and many lengths, one at a time: the same digits."""
    lengths = [4, 4, 2, 1]
    tokens = np.arange(sum(lengths), 60)
    group = np.repeat(np.arange(len(tokens)), len(lengths))
    ask = (group, tokens, np.tile(lengths, len(tokens)))
    whole, profile = placement.compute_start_profiles(*ask)
    monkeypatch.setattr(plain_edges, "CHUNK", 1)
    parts, same = placement.compute_start_profiles(*ask)
    assert (profile == same).all()
    for i in range(len(whole.size)):
        np.testing.assert_allclose(parts.expand(i), whole.expand(i), rtol=1e-13, atol=0)


def test_what_a_full_distribution_costs(monkeypatch):
    """Four places for each token are asked for, by hand."""
    asked = []
    monkeypatch.setattr(placement, "check_cost", lambda cost, what: asked.append((cost, what)))
    sa.start_distribution(10, [2])
    assert asked == [(40, "the start distribution in a document of 10 tokens")]


def test_lengths_are_numbers_of_any_kind():
    """NumPy's whole numbers are whole numbers; no segments, no distributions."""
    assert sa.start_distribution(np.int64(5), np.array([2]))[0].tolist() == [0.25] * 4
    assert sa.start_distribution(5, []) == ()
    assert sa.start_distribution(5, [4, 4], "overlapping")[1].tolist() == [0.5, 0.5]
    assert Counter(map(len, sa.start_distribution(5, [2, 3]))) == {4: 1, 3: 1}


@pytest.mark.parametrize(
    ("length", "segments", "chance", "message"),
    [
        (6, [3, 4], "nonoverlapping", "segments … 7 tokens … document 6 … chance 'nonoverlapping' … at most 6"),
        (6, [7], "overlapping", "segments … longest … 7 tokens … document 6 … chance 'overlapping' … at most 6"),
        (0, [1], "nonoverlapping", "length: 0 … from 1 to 1000000000"),
        (6, [0], "nonoverlapping", "segments: 0 … from 1 to 1000000000"),
        (6, [-1], "nonoverlapping", "segments: -1 … from 1 to 1000000000"),
        (6, [1.5], "nonoverlapping", "segments: 1.5 … whole number from 1 to 1000000000"),
        (10**30, [1], "nonoverlapping", "length: 1000000000000000000000000000000 … from 1 to 1000000000"),
        (6, 3, "nonoverlapping", "segments: 3 … list of lengths"),
        (6, "3", "nonoverlapping", "segments: '3' … list of lengths"),
        (6, [True], "nonoverlapping", "segments: True … whole number from 1 to 1000000000"),
        (6, [1], "random", "unknown chance 'random'; allowed: nonoverlapping"),
    ],
)  # fmt: skip
def test_errors(length, segments, chance, message):
    """What cannot be placed is refused with the value and what is allowed."""
    with refuses(sa.SpanAgreeError, message):
        sa.start_distribution(length, segments, chance)


@pytest.mark.parametrize(
    ("drawn", "special", "total", "most"),
    [
        (9, 4, [12, 30], 4),  # binomials from the table
        (40, 300, [900, 2000], 25),  # each m from the one before
        (40, 1000, [1020], 40),  # more drawn than are left: followed one by one
        (620, 3, [500, 510], 3),  # more drawn than there are: none
        (620, 2, [530, 610], 1),
        (700, 0, [512, 600, 700, 900], 2),  # nothing special, and more drawn than there are of some
        (620, 3, [530, 610, 9_000], 3),  # the last rows of some follow draw by draw
        # none of so many is too small for a float: one by one
        pytest.param(700, 990, [2000], 500, marks=pytest.mark.slow),
    ],
)
def test_hypergeometric_tables(drawn, special, total, most):
    """Each route gives the ratio of binomials in whole numbers, to 1e-13 of itself or 1e-300."""
    table = draws.hypergeometric(drawn, special, np.array(total), most)
    for t, size in enumerate(total):
        for y in range(0, drawn + 1, max(1, drawn // 13)):
            for m in range(most + 1):
                able = special >= m and size >= y
                ways = math.comb(y, m) * (math.comb(size - y, special - m) if able else 0)
                exact = Fraction(ways, math.comb(size, special))
                found = Fraction(float(table[t, y, m]))
                assert abs(found - exact) <= max(exact * Fraction(1, 10**13), Fraction(1, 10**300))


def test_hypergeometric_tables_beside_others():
    """What is made of one total is the same to the last digit, whatever others are beside it."""
    totals = np.array([40, 281, 539, 700, 4_000])
    together = draws.hypergeometric(60, 30, totals, 9)
    for table, total in zip(together, totals, strict=True):
        np.testing.assert_array_equal(
            table, draws.hypergeometric(60, 30, totals[totals == total], 9)[0]
        )


@pytest.mark.parametrize(("lengths", "height"), [([2], 3.27), ([2, 3, 3, 4], 3.61)])
def test_size_of_the_picture(lengths, height):
    """As wide as a page's text, and .17 inches higher for each distinct length, as for its name."""
    starts = sa.start_distribution(20, lengths)
    document = StartSettings(chance="nonoverlapping", length=20, segments=lengths)
    picture = StartDistributions(document, tuple(starts)).picture()
    assert picture.size == pytest.approx((5.2, height))
