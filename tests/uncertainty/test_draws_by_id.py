"""Intervals depend on documents and seed alone: neither on order, nor neighbours, nor the way of adding."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import PAIRS, crowds

import spanagree as sa
from spanagree.agreement import crowded

ASK = {"ci": sa.Bootstrap(resamples=99, seed=5)}


def corpus_of(crowd, documents, ids, names=None):
    """Some documents of a crowd in an order, with ids or without, and some of the annotators."""
    lengths, layers = crowd
    return sa.Corpus.from_segments(
        [lengths[d] for d in documents],
        {name: [layers[name][d] for d in documents] for name in names or layers},
        ids=[f"document {d}" for d in documents] if ids else None,
    )


def same(one, other):
    """Two scores with the same intervals, to twelve digits."""
    assert (one.interval is None) == (other.interval is None)
    for kind in ("observed", "expected", "corrected") if one.interval else ():
        mine, theirs = getattr(one.interval, kind), getattr(other.interval, kind)
        assert mine == pytest.approx(theirs, rel=1e-12, abs=1e-12, nan_ok=True)


@pytest.mark.long
@given(crowds(), st.booleans(), st.sampled_from(PAIRS), st.randoms(use_true_random=False))
def test_order_and_neighbours(crowd, ids, how, random):
    """A system has the same intervals in any order of documents, and whichever others are beside it."""
    documents, names = list(range(len(crowd[0]))), list(crowd[1])
    ask = {**ASK, "match": how[0], "chance": how[1]}
    whole = sa.evaluate(corpus_of(crowd, documents, ids), names[0], **ask)
    random.shuffle(documents)
    mixed = sa.evaluate(
        corpus_of(crowd, documents, ids, [names[0], *names[:0:-1]]), names[0], **ask
    )
    for name in names[1:]:
        alone = sa.evaluate(corpus_of(crowd, documents, ids, [names[0], name]), names[0], **ask)
        for score in ("precision", "recall", "f1"):
            mine = getattr(whole[name], score)
            same(mine, getattr(mixed[name], score))
            same(mine, getattr(alone[name], score))
        for label, tally in alone[name].labels.items():
            same(tally.f1, whole[name].labels[label].f1)


@pytest.mark.long
@given(crowds(), st.booleans(), st.sampled_from(["exact", "token", "boundaries"]))
def test_ways_of_adding(crowd, ids, match):
    """Documents that are compared at once have the intervals of those that are compared by pair."""
    made = []
    for many in (2, 99):
        with patch.object(crowded, "_CROWD", many):
            corpus = corpus_of(crowd, range(len(crowd[0])), ids)
            made.append(sa.agree(corpus, match=match, chance="overlapping", **ASK))
    one, other = made
    same(one.team.f1, other.team.f1)
    for name, member in one.annotators.items():
        same(member.f1, other.annotators[name].f1)
    for label, tally in one.labels.items():
        same(tally.f1, other.labels[label].f1)
    for names, pair in one.pairs.items():
        same(pair.f1, other.pairs[names].f1)


def test_ids_decide():
    """The same id and seed draw a document as often, whatever is marked in it."""
    rng = np.random.default_rng(3)
    marked = [[(int(s), int(s) + 2, "X")] for s in rng.integers(0, 8, 30)]
    layers = {"gold": marked, "mine": [*marked[:15], *([[]] * 15)]}
    order = rng.permutation(30).tolist()
    ends = []
    for ids in ([f"a{d}" for d in range(30)], [f"a{d}" for d in order]):
        corpus = sa.Corpus.from_segments([10] * 30, layers, ids=ids)
        ends.append(sa.evaluate(corpus, "gold", **ASK)["mine"].f1.interval.observed)
    assert ends[0] != ends[1]
