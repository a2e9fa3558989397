"""Intervals over blocks: the weights, the sums, blocks in any order, and what goes wrong."""

from __future__ import annotations

import functools
import itertools
import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses
from oracles import joined_with_error, weight
from strategies import PAIRS, crowds

import spanagree as sa
from spanagree.arrays import hashed
from spanagree.blocks import poisson
from spanagree.blocks.ids import ids_of, ids_of_units
from spanagree.comparisons.exact_sums import on_grids
from spanagree.uncertainty.bootstrap import Resampling


def test_weights():
    """The weights are those of an independent derivation, whatever part of them is drawn."""
    names = ["a", "ß", "17", "\ud800"[:0], "x" * 300]
    ids = hashed(names)
    for seed in (0, 7, 129, 2**63 + 1):  # 129 is 1 where 64 bits are taken for 128 values
        found = poisson.weights(ids, 0, 101, seed)
        assert found.tolist() == [[weight(name, seed, r) for r in range(101)] for name in names]
        assert np.array_equal(found[:, 40:], poisson.weights(ids, 40, 101, seed))


def test_ids_of_units():
    """A number for each document, the same in whatever order its texts stand; none without ids."""
    texts = hashed(["b", "a1", "a2"])
    by_hand = [int(texts[0]), sum(map(int, texts[1:])) % 2**64]
    for ids, wholes in ((["b", "a1", "a2"], [0, 1, 1]), (["a2", "b", "a1"], [1, 0, 1])):
        assert ids_of_units(ids, np.array(wholes)).tolist() == by_hand
    assert ids_of_units(["a1", "a2"], np.array([0, 0])).tolist() == by_hand[1:]
    assert ids_of_units([], np.array([], np.int64)).tolist() == []
    assert ids_of_units(None) is ids_of_units(None, np.array([0])) is None


@pytest.mark.long
def test_weights_are_poisson():
    """Theory: mean and variance 1, independent over documents and resamples; 4 standard errors."""
    drawn = poisson.weights(hashed([str(i) for i in range(2000)]), 0, 2000, 3)
    n = drawn.size
    assert abs(drawn.mean() - 1) < 4 / math.sqrt(n)
    assert abs(drawn.var() - 1) < 4 * math.sqrt(3 / n)  # Var of (X − 1)² is 3
    for k in range(8):
        p = math.exp(-1) / math.factorial(k)
        assert abs((drawn == k).mean() - p) < 4 * math.sqrt(p * (1 - p) / n)
    for other in (np.roll(drawn, 1, axis=0), np.roll(drawn, 1, axis=1)):
        assert abs(((drawn - 1) * (other - 1)).mean()) < 4 / math.sqrt(n)


def same_intervals(one, other):
    """Two results whose figures and intervals have the same digits."""
    one, other = ({**of.to_dict(), "notes": []} for of in (one, other))  # a note for each block
    assert repr(one) == repr(other)


ASK = {"ci": sa.Bootstrap(resamples=31, seed=5)}


@pytest.mark.slow
@given(crowds(), st.sampled_from(PAIRS), st.randoms(use_true_random=False))
def test_blocks_change_no_digit(crowd, how, random):
    """Blocks of any size and order have the intervals of one block."""
    lengths, layers = crowd
    corpus = sa.Corpus.from_segments(lengths, layers).with_ids()
    documents = list(range(len(corpus)))
    random.shuffle(documents)
    cuts = sorted(random.randint(0, len(documents)) for _ in range(2))
    blocks = [
        corpus.subset(documents[a:b]) for a, b in itertools.pairwise([0, *cuts, len(documents)])
    ]
    ask = {**ASK, "match": how[0], "chance": how[1]}
    same_intervals(sa.evaluate([corpus], "ann", **ask), sa.evaluate(blocks, "ann", **ask))
    same_intervals(sa.agree([corpus], **ask), sa.agree(blocks, **ask))


@pytest.fixture(scope="module")
def parts(newsroom):
    """The newsroom corpus with ids, whole and in blocks of 17 sentences."""
    names = ("gold", "lexicon", "tagger")
    files = {n: newsroom / f"{n}.conll" for n in names}
    corpus = sa.read_conll(files, scheme="IOB2").with_ids()
    return corpus, list(sa.read_conll(files, scheme="IOB2", block=17))


@pytest.mark.long
@pytest.mark.parametrize("match", ["exact", "token", "iou"])
def test_against_the_definition(parts, match):
    """Percentiles of F1 from weights times each document's tally, added up as fractions of floats."""
    corpus, blocks = parts
    ask = {"gold": "gold", "match": match}
    found = sa.evaluate(blocks, ci=sa.Bootstrap(resamples=200, seed=9), **ask).systems["tagger"]
    whole = sa.evaluate(corpus, **ask)
    tallies = dict(whole.by_document("tagger"))
    drawn = []
    for r in range(200):
        matched, expected, size = 0.0, 0.0, 0
        for name, t in tallies.items():
            w = weight(name, 9, r)
            matched, expected = matched + w * t.matched, expected + w * t.expected
            size += w * (t.size_a + t.size_b)
        o, e = 2 * matched / size, 2 * expected / size
        drawn.append((o, e, (o - e) / (1 - e)))
    # sums of 103 floats, in another order: 1e-12
    for kind, column in zip(
        ("observed", "expected", "corrected"), np.transpose(drawn), strict=True
    ):
        value, units = getattr(found.f1, kind), len(corpus)
        informative = sum(t.size_a + t.size_b > 0 for t in tallies.values())
        floor = -found.f1.expected / (1 - found.f1.expected) if kind == "corrected" else 0.0
        error = np.std(column) * math.sqrt(units / (units - 1))
        ends = joined_with_error(np.quantile(column, (0.025, 0.975)), value, error, informative, floor)  # fmt: skip
        assert getattr(found.f1.interval, kind) == pytest.approx(ends, abs=1e-12)
    assert found.f1[:3] == whole.systems["tagger"].f1[:3]


@pytest.mark.long
def test_like_the_bootstrap(parts):
    """The Poisson bootstrap has the spread of the bootstrap: standard errors within 4 of theirs."""
    corpus, blocks = parts
    one = sa.evaluate(corpus, "gold", ci=sa.Bootstrap(interval="percentile")).systems["tagger"].f1
    other = sa.evaluate(blocks, "gold", ci=sa.Bootstrap(resamples=10_000)).systems["tagger"].f1
    for kind in ("observed", "expected", "corrected"):
        (a, b), (c, d) = getattr(one.interval, kind), getattr(other.interval, kind)
        # an end has a standard error of about 2.7·σ/√10,000 (theory, normal), σ = width/3.92
        error = 2.7 * (b - a) / 3.92 / 100
        # and the number of documents varies too, which widens the interval of a mean by O(1/n)
        slack = 4 * math.sqrt(2) * error + (b - a) / len(corpus)
        assert abs(a - c) < slack
        assert abs(b - d) < slack


@pytest.mark.long
def test_signature_and_settings(parts):
    """The signature says that the intervals are of a Poisson bootstrap."""
    result = sa.evaluate(parts[1], "gold", ci=sa.Bootstrap(resamples=20, seed=3, confidence=90))
    assert "|ci:poisson90|resamples:20|seed:3|" in result.signature
    team = sa.agree(parts[1], ci=sa.Bootstrap(resamples=20))
    assert "|ci:poisson95|resamples:20|seed:0|" in team.signature
    assert team.mean.interval is not None
    assert team.pairs["gold", "tagger"].f1.interval == team.pairs["tagger", "gold"].f1.interval


def test_agreement_of_two_is_its_pair(parts):
    """Of two annotators, team, mean, pair and either of them have the same interval."""
    blocks = [block.of_annotators(["gold", "tagger"]) for block in parts[1]]
    found = sa.agree(blocks, ci=sa.Bootstrap(resamples=99))
    (pair,) = found.pairs.values()
    assert pair.f1.interval == found.team.f1.interval
    assert {m.f1.interval for m in found.annotators.values()} == {found.team.f1.interval}
    for kind in ("observed", "expected", "corrected"):
        assert getattr(found.mean.interval, kind) == getattr(found.team.f1.interval, kind)


def test_large_numbers_and_fractions():
    """Both parts together are the number to 2**-55; the first is a multiple of 2**-20."""
    values = np.array([2.0**32 + 0.5 + 2.0**-12, 2.0**-52, 1 - 2.0**-52, 0.1])
    coarse, fine = on_grids(values)
    assert (coarse * 2**20 == np.floor(coarse * 2**20)).all()
    assert (fine * 2.0**54 == np.floor(fine * 2.0**54)).all()
    for v, c, f in zip(values.tolist(), coarse.tolist(), fine.tolist(), strict=True):
        assert abs(Fraction(c) + Fraction(f) - Fraction(v)) <= Fraction(1, 2**55)


def test_whole_and_fraction_add():
    """A block whose sums are whole adds to one whose are not."""
    corpus = sa.Corpus.from_segments([5], {"a": [[]]}, ids=["x"])
    how = Resampling(resamples=4, interval="percentile")
    nil = np.zeros(1, np.int64)
    one, other = (
        poisson.replicates(ids_of(corpus), [poisson.Entries([("k",)], nil, nil, value)], how)
        for value in (np.array([[2]]), np.array([[0.5]]))
    )
    w = poisson.weights(hashed(["x"]), 0, 4, 0)[0]
    assert (one + other).over([("k",)]).tolist() == (2.5 * w)[:, None].tolist()
    assert (other + one).over([("k",)]).tolist() == (2.5 * w)[:, None].tolist()


def test_nothing_marked():
    """Without a segment anywhere no interval is defined, and it says so."""
    corpus = sa.Corpus.from_segments([5, 5], {"a": [[], []], "b": [[], []]}, ids=["x", "y"])
    f1 = sa.evaluate([corpus], **ASK).systems["b"].f1
    assert math.isnan(f1.interval.observed[0])
    assert f1.interval.reason == "observed, expected, corrected: the figure itself is undefined"


@pytest.mark.parametrize("call", [functools.partial(sa.evaluate, gold="gold"), sa.agree])
def test_refused(parts, call):
    """No ids, ids twice, another interval, more sums than can be kept."""
    _, blocks = parts
    with refuses(sa.InputError, "block 2: the documents have no ids"):
        call([blocks[0], replace(blocks[1], ids=None)], **ASK)
    with refuses(sa.InputError, "document 3 of block 1 and document 1 of block 2 … same id"):
        call([blocks[0], blocks[0].subset([2])], **ASK)
    with refuses(sa.SettingError, "interval 'bca' … percentile … Poisson"):
        call(blocks, ci=sa.Bootstrap(interval="bca"))
    with refuses(sa.SettingError, "block 1: ci: … 9000000 resamples … resamples or fewer"):
        call(blocks, ci=sa.Bootstrap(resamples=9_000_000))
