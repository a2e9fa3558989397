"""Intervals of many things at once are those of each by itself, and do not depend on the order."""

from __future__ import annotations

import random

import numpy as np
import pytest
from spanagree.uncertainty.bootstrap import INTERVALS, Resampling, intervals_of
from spanagree.uncertainty.together import intervals

import spanagree as sa
from spanagree.agreement import mean_over_pairs
from spanagree.results.score import f1_figures
from spanagree.uncertainty import draws


def things(rng, count):
    """Documents of things and what each adds: few or many, some alike, some without anything."""
    for _ in range(count):
        units = int(rng.choice([0, 1, 2, 2, 3, 4, 5, 8, 12]))
        size = rng.integers(0, 3, units) * 2.0
        matched = np.minimum(rng.integers(0, 2, units), size / 2)
        by_chance = rng.choice([0.1, 0.25, 0.3], units) * size / 2
        documents = np.sort(rng.choice(1000, units, replace=False))
        yield documents, np.stack((matched, by_chance, size), axis=1)


def ends(interval):
    return np.array(interval[:3])


@pytest.mark.long
@pytest.mark.parametrize("cells", [draws.CELLS, 200])
@pytest.mark.parametrize("kind", INTERVALS)
def test_one_by_one(kind, cells, monkeypatch):
    """In one product or in portions, each has the figures, reasons and kind of a sample of its own.

    Oracle: ``intervals_of`` of one thing after the other, whose ends are NumPy's and scipy's.
    """
    rng = np.random.default_rng(3)
    some = [*things(rng, 300)]
    how = Resampling(interval=kind, resamples=600, seed=5)
    alone = [intervals_of(table, f1_figures, how) for _, table in some]
    monkeypatch.setattr(draws, "CELLS", cells)
    done = []
    at_once = intervals(some, f1_figures, how, lambda now, total: done.append((now, total)))
    assert done == sorted(done)
    assert done[-1] == (300 * 600, 300 * 600)
    for (one,), (other,), (documents, _) in zip(at_once, alone, some, strict=True):
        np.testing.assert_allclose(ends(one), ends(other), rtol=0, atol=1e-12)
        if len(documents) > 1:
            assert one[3:] == other[3:]


def crowd(annotators, documents, order):
    """A corpus of annotators who saw everything, in some order."""
    rng = np.random.default_rng(2)
    layers = {}
    for name in range(annotators):
        start = rng.integers(0, 3, documents).tolist()
        layers[f"a{name:02}"] = [[(s, s + 2, "X")] if s else [] for s in start]
    return sa.Corpus.from_segments([9] * documents, {name: layers[name] for name in order(layers)})


@pytest.mark.long
def test_order_of_annotators():
    """More than a hundred pairs of the same documents have the same ends in any order of annotators."""

    def turned(names):
        names = [*names]
        random.Random(1).shuffle(names)
        return names

    one, other = (
        sa.agree(crowd(16, 12, order), ci=sa.Bootstrap(resamples=200)) for order in (list, turned)
    )
    assert len(one.pairs) == 120
    for names, pair in one.pairs.items():
        assert repr(other.pairs[names].f1.interval) == repr(pair.f1.interval)
    assert repr(other.mean.interval) == repr(one.mean.interval)


@pytest.mark.long
@pytest.mark.parametrize("times", [1, 200, 1 << 22])
@pytest.mark.parametrize("dense", [0, 1 << 22])
def test_portions_of_pairs(times, dense, monkeypatch):
    """However many resamples are worked on at a time, sparse or not, the interval is the same."""
    monkeypatch.setattr("spanagree.uncertainty.bootstrap._DENSE", dense)  # 0: as of a large crowd
    corpus = crowd(7, 30, list)
    whole = sa.agree(corpus, ci=sa.Bootstrap(resamples=90)).mean.interval
    monkeypatch.setattr(mean_over_pairs, "_TIMES", times)
    part = sa.agree(corpus, ci=sa.Bootstrap(resamples=90)).mean.interval
    np.testing.assert_allclose(ends(part), ends(whole), rtol=0, atol=1e-12)
