"""Who reads what: every assignment of small projects by enumeration, and what must hold on all."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import at_most

from spanagree.project.assignment import assign


@st.composite
def projects(draw, annotators=4, documents=5):
    """Who may read what, how many readers documents lack and have, and a limit or none."""
    n, m = draw(st.integers(0, annotators)), draw(st.integers(0, documents))
    allowed = draw(st.lists(st.lists(st.booleans(), min_size=m, max_size=m), min_size=n, max_size=n))  # fmt: skip
    wanted = draw(st.lists(st.integers(0, 3), min_size=m, max_size=m))
    before = draw(st.lists(st.integers(0, 2), min_size=m, max_size=m))
    limit = draw(st.sampled_from([None, 1, 2, 3]))
    is_allowed = np.array(allowed, np.bool_).reshape(n, m)
    return is_allowed, np.array(wanted, np.int64), np.array(before, np.int64), limit


def every_assignment(is_allowed, n_readers):
    """The loads of all assignments in which documents have so many readers."""
    choices = [
        itertools.combinations(np.flatnonzero(column).tolist(), n)
        for column, n in zip(is_allowed.T, n_readers.tolist(), strict=True)
    ]
    for readers in itertools.product(*choices):
        yield np.bincount([a for some in readers for a in some], minlength=len(is_allowed))


def greedy(is_allowed, n_wanted, n_before, limit):
    """The number of readers of each document, one reading after the other in their order.

    A reading is taken if there is any assignment of it together with those before.
    """
    n_readers = np.zeros(len(n_wanted), np.int64)
    for _, d in sorted((n_before[d] + k, d) for d, n in enumerate(n_wanted.tolist()) for k in range(n)):  # fmt: skip
        more = n_readers + (np.arange(len(n_wanted)) == d)
        if any(limit is None or (loads <= limit).all() for loads in every_assignment(is_allowed, more)):  # fmt: skip
            n_readers = more
    return n_readers


@at_most(150)
@given(projects())
def test_by_enumeration(project):
    """The most urgent readings that fit are there, and loads are as even as any assignment has them.

    Oracle: all assignments. Even is the least sum of squares, which is the least of all convex sums.
    """
    is_allowed, n_wanted, n_before, limit = project
    chosen = assign(is_allowed, n_wanted, n_before, limit)
    assert chosen.shape == is_allowed.shape
    assert not (chosen & ~is_allowed).any()
    n_readers = chosen.sum(axis=0)
    assert n_readers.tolist() == greedy(is_allowed, n_wanted, n_before, limit).tolist()
    loads = chosen.sum(axis=1)
    best = min((each**2).sum() for each in every_assignment(is_allowed, n_readers))
    assert (loads**2).sum() == best
    assert limit is None or (loads <= limit).all()


@at_most(60)
@given(projects(annotators=12, documents=40))
def test_loads_differ_by_one_where_all_may_read_all(project):
    """Nobody has seen anything: loads differ by one at most, and only what is too much is left."""
    is_allowed, n_wanted, n_before, limit = project
    everything = np.ones_like(is_allowed)
    chosen = assign(everything, n_wanted, n_before, limit)
    loads = chosen.sum(axis=1)
    possible = int(np.minimum(n_wanted, len(everything)).sum())
    most = possible if limit is None else min(possible, limit * len(everything))
    assert chosen.sum() == most
    assert loads.max(initial=0) - loads.min(initial=loads.max(initial=0)) <= 1


@at_most(60)
@given(projects(annotators=12, documents=40))
def test_whatever_has_been_seen(project):
    """Nobody gets what is not allowed; without a limit every document has all readers there are."""
    is_allowed, n_wanted, n_before, limit = project
    chosen = assign(is_allowed, n_wanted, n_before, limit)
    assert not (chosen & ~is_allowed).any()
    assert (chosen.sum(axis=0) <= n_wanted).all()
    again = assign(is_allowed, n_wanted, n_before, limit)
    assert (again == chosen).all()
    if limit is None:
        assert (chosen.sum(axis=0) == np.minimum(n_wanted, is_allowed.sum(axis=0))).all()


def test_a_chain_of_three():
    """A reading goes on over two others to the only one who is free. Oracle: by hand."""
    is_allowed = np.array([[1, 1, 1, 0], [0, 0, 1, 1], [0, 0, 0, 1]], np.bool_)
    loads = assign(is_allowed, np.ones(4, np.int64), np.zeros(4, np.int64)).sum(axis=1)
    assert loads.tolist() == [2, 1, 1]


@pytest.mark.parametrize("limit", [None, 100])
def test_large_projects(limit):
    """40 annotators and 20,000 documents: loads differ by one, and no reading is left without need."""
    random = np.random.default_rng(5)
    is_seen = random.random((40, 20_000)) < random.random((40, 1)) / 10
    n_before = is_seen.sum(axis=0)
    n_wanted = np.maximum(3 - n_before, 0)
    chosen = assign(~is_seen, n_wanted, n_before, limit)
    loads = chosen.sum(axis=1)
    assert loads.max() - loads.min() <= 1
    assert chosen.sum() == (n_wanted.sum() if limit is None else 4000)
    n_after = n_before + chosen.sum(axis=0)
    fewest_left = n_after[n_after < 3].min(initial=3)
    assert n_after[chosen.any(axis=0)].max() - 1 <= fewest_left  # fewest readers first
