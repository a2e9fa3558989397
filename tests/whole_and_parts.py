"""Corpora cut into parts, and results compared with those of the whole, bit by bit or nearly so."""

from __future__ import annotations

import itertools
import json

import numpy as np
import pytest

import spanagree as sa


def everything(result):
    """All that a result says, by all its parts; undefined figures are equal."""
    return {by: json.dumps(result.to_dict(by), sort_keys=True) for by in (None, *result.BY)}


def near(one, other):
    """Two results that differ in the last bits of floats at most."""
    for by in (None, *one.BY):
        close(one.to_dict(by), other.to_dict(by))


def close(one, other):
    assert type(one) is type(other)
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for key in one:
            close(one[key], other[key])
    elif isinstance(one, list):
        assert len(one) == len(other)
        for pair in zip(one, other, strict=True):
            close(*pair)
    elif isinstance(one, float):
        assert other == pytest.approx(one, rel=1e-12, abs=1e-14)
    else:
        assert one == other


def cut(corpus, random, most=4):
    """The corpus in parts, cut anywhere; some may be empty."""
    cuts = sorted(random.randint(0, len(corpus)) for _ in range(random.randint(0, most)))
    ends = itertools.pairwise([0, *cuts, len(corpus)])
    return [corpus.subset(range(low, high)) for low, high in ends]


def texts(strings, layers, **more):
    lengths = [len(text) for text in strings]
    return sa.Corpus.from_segments(lengths, layers, offsets="characters", texts=strings, **more)


def random_team(seed, documents, annotators):
    rng = np.random.default_rng(seed)
    layers = {f"a{a}": [] for a in range(annotators)}
    for _, marked in itertools.product(range(documents), layers.values()):
        cuts = sorted(rng.choice(31, 6, replace=False).tolist())
        some = [(a, b, "XYZ"[rng.integers(3)]) for a, b in itertools.pairwise(cuts)]
        marked.append(None if rng.random() < 0.2 else [x for x in some if rng.random() < 0.6])
    return sa.Corpus.from_segments(
        [30] * documents, layers, ids=[f"d{d}" for d in range(documents)]
    )
