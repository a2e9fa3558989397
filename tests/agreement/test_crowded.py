"""Crowded documents as matrix products: equal to pair by pair, whatever the order, parts and gaps."""

from __future__ import annotations

import functools
import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import crowds

import spanagree as sa
from spanagree.agreement import crowd_matrices, crowded, intervals
from spanagree.chance.start_distributions import CHANCES
from spanagree.comparisons import annotation_pairs

MEASURES = ("exact", "boundaries", "token")
NEVER = 10**9


def agree(corpus, crowd, **how):
    """An agreement in which documents of so many annotators are products."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(annotation_pairs, "CROWD", crowd)
        return sa.agree(corpus, **how)


def many(annotators=14, documents=12, seed=5, gaps=0.2):
    """A made-up crowd: who marks much the same three segments, with other ends, labels, and gaps."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(6, 40, documents).tolist()
    layers = {f"a{i:02}": [] for i in rng.permutation(annotators)}
    for n in lengths:
        cuts = np.sort(rng.choice(n + 1, 6, replace=False)).reshape(3, 2).tolist()
        for marked in layers.values():
            mine = [
                (a, max(a + 1, b - int(rng.integers(2))), "XYZ"[int(rng.integers(3))])
                for a, b in cuts
                if rng.random() < 0.8
            ]
            marked.append(None if rng.random() < gaps else mine)
    return lengths, layers


def check_equal(one, other):
    """Counts are equal; sums of what is expected differ by roundings alone."""
    assert list(one.pairs) == list(other.pairs)
    assert one.evidence == other.evidence
    parts = [
        *zip(one.pairs.values(), other.pairs.values(), strict=True),
        *zip(one.annotators.values(), other.annotators.values(), strict=True),
        (one.team, other.team),
    ]
    for a, b in parts:
        assert a.documents == b.documents
    for a, b in [
        *((a.tally, b.tally) for a, b in parts),
        *zip(one.labels.values(), other.labels.values(), strict=True),
    ]:
        assert (a.matched, a.size_a, a.size_b) == (b.matched, b.size_a, b.size_b)
        assert a.expected == pytest.approx(b.expected, rel=1e-12, abs=1e-15)


@pytest.mark.long
@given(crowds(), st.sampled_from(MEASURES), st.sampled_from([*CHANCES]))
def test_any_crowd_as_products(drawn, match, chance):
    corpus = sa.Corpus.from_segments(*drawn)
    how = {"match": match, "chance": chance}
    check_equal(agree(corpus, 2, **how), agree(corpus, NEVER, **how))


@pytest.mark.long
@pytest.mark.parametrize(("match", "chance"), [*itertools.product(MEASURES, CHANCES)], ids="-".join)
def test_a_crowd_with_gaps(match, chance, monkeypatch):
    """Some documents have ten annotators or more, others fewer; few documents fit together."""
    monkeypatch.setattr(crowded, "_MAX_DOCUMENTS", 3)
    corpus = sa.Corpus.from_segments(*many())
    saw = np.sum([layer.annotated for layer in corpus.layers.values()], axis=0)
    assert (saw >= 10).any()
    assert (saw < 10).any()
    how = {"match": match, "chance": chance}
    check_equal(sa.agree(corpus, **how), agree(corpus, NEVER, **how))


def test_ten_annotators_are_a_crowd(monkeypatch):
    """Pairs of nine are compared one by one; of ten, none is, unless F would take too much room."""
    compared = []
    by_pairs = crowded.AnnotationIndex.pair_annotations
    monkeypatch.setattr(
        crowded.AnnotationIndex,
        "pair_annotations",
        lambda *a, **k: compared.append(len(by_pairs(*a, **k)[0])) or by_pairs(*a, **k),
    )
    for annotators in (9, 10):
        sa.agree(sa.Corpus.from_segments(*many(annotators, documents=1, gaps=0)))
    assert compared == [36, 0]
    monkeypatch.setattr(crowded, "_MAX_CELLS", 10)
    sa.agree(sa.Corpus.from_segments(*many(10, documents=1, gaps=0)))
    assert compared[-1] == 45


about = functools.partial(pytest.approx, rel=1e-12, nan_ok=True)


@pytest.mark.parametrize("match", MEASURES)
def test_order_and_parts_change_rounding_alone(match):
    """Sums of another order, or of parts first, are rounded elsewhere; about 500 terms at most."""
    lengths, layers = many()
    whole = sa.agree(sa.Corpus.from_segments(lengths, layers), match=match)
    turned = {name: marked[::-1] for name, marked in [*layers.items()][::-1]}
    other = sa.agree(sa.Corpus.from_segments(lengths[::-1], turned), match=match)
    parts = [
        sa.Corpus.from_segments(lengths[i : i + 5], {k: v[i : i + 5] for k, v in layers.items()})
        for i in range(0, len(lengths), 5)
    ]
    for result in (other, sa.agree(parts, match=match)):
        assert result.team.f1[:3] == about(whole.team.f1[:3])
        for pair in whole.pairs.values():
            assert result.pairs[pair.a, pair.b].f1[:3] == about(pair.f1[:3])
        for label, team in whole.labels.items():
            assert result.labels[label].f1[:3] == about(team.f1[:3])


@pytest.mark.long
@pytest.mark.parametrize(("match", "chance"), [*itertools.product(MEASURES, CHANCES)], ids="-".join)
def test_what_is_laid_out_together_changes_no_digit(match, chance, monkeypatch):
    """Few values of start distributions at a time; all numbers are double."""
    corpus = sa.Corpus.from_segments(*many())
    whole = sa.agree(corpus, match=match, chance=chance)
    monkeypatch.setattr(crowded, "MAX_VALUES", 7)
    monkeypatch.setattr(crowd_matrices, "MAX_VALUES", 7)
    monkeypatch.setattr(crowd_matrices, "_MAX_SINGLE", 0)
    assert sa.agree(corpus, match=match, chance=chance) == whole


def test_single_documents_are_there_for_who_asks():
    """Documents, intervals and chance rest on rows, which are made when somebody asks."""
    corpus = sa.Corpus.from_segments(*many())
    at_once, one_by_one = (
        agree(corpus, 10, ci=sa.Jackknife()),
        agree(corpus, NEVER, ci=sa.Jackknife()),
    )
    for a, b in zip(at_once.by_document(), one_by_one.by_document(), strict=True):
        assert a[:2] == b[:2]
        assert a[2].counts == pytest.approx(b[2].counts, rel=1e-12)
    low, high = at_once.team.f1.interval.corrected
    assert (low, high) == pytest.approx(one_by_one.team.f1.interval.corrected, abs=1e-12)


def test_progress_counts_all_pairs():
    corpus = sa.Corpus.from_segments(*many())
    seen = []
    sa.agree(corpus, progress=lambda done, total: seen.append((done, total)))
    saw = np.sum([layer.annotated for layer in corpus.layers.values()], axis=0)
    pairs = int((saw * (saw - 1) // 2).sum())
    assert seen[-1] == (pairs, pairs)
    assert {total for _, total in seen} == {pairs}
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)


@pytest.mark.long
@pytest.mark.parametrize("match", MEASURES)
def test_intervals_over_annotators(match):
    """Of team, labels, annotators and the mean: as pair by pair, crowds and small documents mixed."""
    lengths, layers = many(annotators=13, documents=15, gaps=0.25)
    corpus = sa.Corpus.from_segments(lengths, layers)
    seen = sum(layer.annotated.astype(int) for layer in corpus.layers.values())
    assert (seen < 10).any()
    assert (seen >= 10).any()
    how = {"match": match, "ci": sa.Jackknife(over="annotators")}
    one, other = (agree(corpus, crowd, **how) for crowd in (10, NEVER))
    ends = [(one.mean.interval, other.mean.interval)]
    for a, b in [
        (one.team, other.team),
        *zip(one.annotators.values(), other.annotators.values(), strict=True),
        *zip(one.labels.values(), other.labels.values(), strict=True),
    ]:
        ends.append((a.f1.interval, b.f1.interval))
    ends += [(a.over_annotators, b.over_annotators) for a, b in ends]
    for a, b in ends:
        assert np.array(a[:3]) == pytest.approx(np.array(b[:3]), abs=1e-12, nan_ok=True)
        assert a[3:5] == b[3:5]


def test_a_large_crowd_has_no_interval_of_the_mean(monkeypatch):
    """Of very many pairs the mean has none, as without annotators as a sample, and says why."""
    monkeypatch.setattr(intervals, "_MAX_PAIRS", 10)
    corpus = sa.Corpus.from_segments(*many())
    made = [
        sa.agree(corpus, ci=sa.Jackknife(over=over)).mean.interval
        for over in ("documents", "annotators")
    ]
    assert all(np.isnan(each.corrected).all() for each in made)
    assert made[0].reason == made[1].reason
    assert "needs at most 10" in made[0].reason
