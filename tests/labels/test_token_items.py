"""Labels of tokens over blocks: the coefficients of the whole, their intervals, and what goes wrong."""

from __future__ import annotations

import dataclasses
import itertools
import math
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses
from oracles import joined_with_error, weight
from scipy import stats
from strategies import crowds

import spanagree as sa
from spanagree.labels.sparse_agreement import WEIGHTS


def alike(one, other):
    """The same digits everywhere, but in the jackknife, which sums over items: 1e-12."""

    def figures(of):
        data = of.to_dict()
        jackknife = [c.pop("jackknife", None) for c in data["tables"]["coefficients"]]
        for name in ("notes", "signature", "settings"):
            data.pop(name)
        return data, [math.nan if j is None else j for j in jackknife]

    (ours, mine), (theirs, others) = figures(one), figures(other)
    assert repr(ours) == repr(theirs)
    assert mine == pytest.approx(others, abs=1e-12, nan_ok=True)
    assert one.units == other.units
    assert one.signature == other.signature


@pytest.mark.long
@given(
    crowds(),
    st.booleans(),
    st.booleans(),
    st.sampled_from(list(WEIGHTS)),
    st.randoms(use_true_random=False),
)
def test_blocks_are_the_whole(crowd, skip, complete, weights, random):
    """Blocks of any size and order have the coefficients of the whole corpus."""
    lengths, layers = crowd
    corpus = sa.Corpus.from_segments(lengths, layers)
    try:
        table = sa.token_labels(corpus, skip_outside=skip)
    except sa.InputError:  # a token with two labels
        return
    documents = list(range(len(corpus)))
    random.shuffle(documents)
    cuts = sorted(random.randint(0, len(documents)) for _ in range(2))
    blocks = [
        corpus.subset(documents[a:b]) for a, b in itertools.pairwise([0, *cuts, len(documents)])
    ]
    tallies = sa.token_labels(blocks, skip_outside=skip)
    ask = {"weights": weights, "complete_only": complete}
    alike(sa.coefficients(table, **ask), sa.coefficients(tallies, **ask))


@pytest.fixture(scope="module")
def crowd(newsroom):
    """The crowd corpus, in tokens, whole and in blocks of nine notes."""
    corpus = sa.read_jsonl(newsroom.parent / "crowd" / "crowd.jsonl")
    return corpus, [corpus.subset(range(low, min(low + 9, 63))) for low in range(0, 63, 9)]


def test_by_processes(crowd):
    """Workers count; the coefficients and by annotator are those of the whole."""
    corpus, blocks = crowd
    with ProcessPoolExecutor(2) as executor:
        tallies = sa.token_labels(blocks, executor=executor)
    alike(sa.coefficients(sa.token_labels(corpus)), sa.coefficients(tallies))


@pytest.mark.long
@pytest.mark.parametrize("complete", [False, True])
def test_intervals_by_the_definition(crowd, complete):
    """Percentiles of the coefficients of corpora in which each note stands as often as its weight."""
    corpus, blocks = crowd
    blocks = blocks[:3]  # 27 notes
    tallies = sa.token_labels(blocks, resamples=40, seed=3)
    found = sa.coefficients(tallies, ci=True, complete_only=complete, weights="edges")
    some = corpus.subset(range(27))
    whole = sa.coefficients(sa.token_labels(some), complete_only=complete, weights="edges")
    names = ("spa", "pi", "kappa", "alpha", "ac1")
    drawn = {name: [] for name in names}
    for r in range(40):
        copies = [(d, k) for d in range(27) for k in range(weight(some.id_of(d), 3, r))]
        lengths = [int(some.lengths[d]) for d, _ in copies]
        layers = {name: [some[d].segments[name] for d, _ in copies] for name in some.annotators}
        again = sa.Corpus.from_segments(lengths, layers)
        of = sa.coefficients(sa.token_labels(again), complete_only=complete, weights="edges")
        for name in names:
            one = getattr(of, name)
            value = one.corrected if name == "spa" else one.value
            drawn[name].append((one.observed, one.expected, value))
    saw = [sum(each is not None for each in some[d].segments.values()) for d in range(27)]
    there = saw.count(len(some.annotators)) if complete else 27  # notes that have any item
    for name in names:
        one, interval = getattr(found, name), getattr(found, name).interval
        assert interval.kind.startswith("poisson")
        for kind, column in zip(
            ("observed", "expected", "corrected"), np.transpose(drawn[name]), strict=True
        ):
            # the categories of a resample that has lost one: AC1 knows of fewer there
            if name == "ac1" and kind != "observed":
                continue
            low, high = np.nanquantile(column, (0.025, 0.975))
            figures = {"observed": one.observed, "expected": one.expected, "corrected": one.value}
            if name == "spa":
                figures["corrected"] = one.corrected
            floor = -one.expected / (1 - one.expected) if kind == "corrected" else 0.0
            error = np.nanstd(column) * math.sqrt(there / (there - 1))
            units = found.evidence[0]
            low, high = joined_with_error((low, high), figures[kind], error, units, floor)
            if interval.kind != "poisson" and kind != "expected":
                # few documents disagree, and agree: Clopper–Pearson's ends (scipy) of their shares
                units, *some = found.evidence
                shares = [stats.binomtest(k, units).proportion_ci(0.95, "exact") for k in some]
                lost, kept = (
                    size * np.array(share) * units / k
                    for share, k, size in zip(
                        shares, some, (1 - one.observed, one.observed), strict=True
                    )
                )
                ends = np.clip([*(1 - lost), *kept], 0, 1)
                if kind == "corrected":
                    ends = np.maximum((ends - one.expected) / (1 - one.expected), -1)
                low, high = min(low, ends.min()), max(high, ends.max())
            assert getattr(interval, kind) == pytest.approx((low, high), abs=1e-12)
        assert getattr(found, name).value == getattr(whole, name).value
    assert "|ci:poisson95|resamples:40|seed:3|" in found.signature


def test_order_changes_no_digit(crowd):
    """Blocks in another order, and cut otherwise, have the same intervals."""
    corpus, blocks = crowd
    one = sa.coefficients(sa.token_labels(blocks, resamples=50), ci=True)
    other = [corpus.subset(part) for part in (range(40, 63), range(40))]
    two = sa.coefficients(sa.token_labels(other, resamples=50), ci=True)
    for name in ("spa", "pi", "kappa", "alpha", "ac1", "bias"):
        assert repr(getattr(one, name).interval) == repr(getattr(two, name).interval)


def test_refused(crowd):
    """What is for blocks only, numbers out of range, resamples that were not drawn."""
    corpus, blocks = crowd
    tallies, drawn = sa.token_labels(blocks), sa.token_labels(blocks, resamples=5)
    for said, call in (
        ("resamples … blocks", lambda: sa.token_labels(corpus, resamples=3)),
        ("executor … blocks", lambda: sa.token_labels(corpus, executor="x")),
        ("resamples -1 … from 0", lambda: sa.token_labels(blocks, resamples=-1)),
        (
            "ci … blocks … token_labels(blocks, resamples=1000)",
            lambda: sa.coefficients(tallies, ci=True),
        ),
        ("resamples 6 … resamples 5", lambda: sa.coefficients(drawn, ci=sa.Bootstrap(resamples=6))),
        ("seed 1 … seed 0", lambda: sa.coefficients(drawn, ci=sa.Bootstrap(seed=1))),
        ("interval 'bca' … percentile … Poisson", lambda: sa.coefficients(drawn, ci=sa.Bootstrap(interval="bca"))),
    ):  # fmt: skip
        with refuses(sa.SettingError, said):
            call()
    with refuses(sa.InputError, "no block … iterator … once"):
        sa.token_labels([])
    with pytest.raises(sa.InputError, match="a label of the corpus is called 'O'"):
        sa.token_labels([sa.Corpus.from_segments([3], {"a": [[(0, 1, "O")]]})])


def test_no_documents_have_no_units():
    """What intervals over blocks are refused for counts documents, not one where there is none."""
    nothing = sa.Corpus.from_segments([], {"a": [], "b": []})
    assert sa.token_labels([nothing]).units == 0


def test_only_lengths_are_limited(monkeypatch):
    """Lengths alone may be anything, so what they cost is looked at; texts vouch for them."""
    monkeypatch.setenv("SPANAGREE_NUMBERS", "50")
    layers = {"a": [[(0, 2, "X")]], "b": [[(0, 2, "X")]]}
    how = {"offsets": "characters"}
    known = sa.Corpus.from_segments([12], layers, texts=["Jo is there."], **how)
    assert sa.token_labels(known).size == 12
    with refuses(sa.SettingError, "a label for every token … 96 numbers … 50"):
        sa.token_labels(sa.Corpus.from_segments([12], layers, **how))


def test_notes_of_many_blocks_are_cut():
    """What was read otherwise than it stands is said of the first blocks, and of the others how often."""
    lines = [["B-X"], ["B-X"]]
    noted = [
        dataclasses.replace(
            sa.from_tags({"a": lines, "b": lines}), notes=(f"odd {i}",), ids=(f"{i}a", f"{i}b")
        )
        for i in range(25)
    ]
    notes = sa.pi(sa.token_labels(noted)).notes
    assert notes[:2] == ("block 1: odd 0", "block 2: odd 1")
    assert notes[20:] == ("5 more notes on blocks",)


@pytest.mark.long
@pytest.mark.parametrize("how", ["items", "tokens"])
def test_intervals_by_category_are_those_of_a_plain_bootstrap(how):
    """Oracle: R of each category, their mean and median, of items drawn by numpy.

    A quantile of 4,000 draws has a standard error of √(.025 · .975 / 4000) / φ(1.96) = .042 standard
    deviations; ends of two bootstraps differ by less than four times √2 of it.
    """
    generator, n, draws = np.random.default_rng(3), 2000, 4000
    truth = generator.choice(3, n, p=[0.5, 0.3, 0.2])
    one, two = (np.where(generator.random(n) < 0.3, generator.choice(3, n), truth) for _ in "ab")
    ask = sa.Bootstrap(resamples=draws, interval="percentile")
    if how == "items":
        table = sa.LabelTable.from_array(np.stack([one, two], axis=1))
    else:  # documents of one token; O is the last category
        layers = [
            [[(0, 1, "01"[c])] if c < 2 else [] for c in each.tolist()] for each in (one, two)
        ]
        table = sa.token_labels(
            sa.Corpus.from_segments([1] * n, dict(zip("ab", layers, strict=True)))
        )
    found = sa.coefficients(table, ci=ask).categories
    drawn = generator.integers(0, n, (draws, n))
    a, b = one[drawn], two[drawn]
    shares = np.stack(
        [((a == c) & (b == c)).sum(1) / ((a == c) | (b == c)).sum(1) for c in range(3)]
    )
    columns = {**dict(zip("01O" if how == "tokens" else "012", shares, strict=True))}
    ends = {name: found[name].interval.observed for name in columns}
    ends |= {"mean": found.mean.interval.observed, "median": found.median.interval.observed}
    columns |= {"mean": shares.mean(axis=0), "median": np.median(shares, axis=0)}
    for name, found_ends in ends.items():
        near = 4 * math.sqrt(2) * 0.042 * columns[name].std()
        assert found_ends == pytest.approx(np.quantile(columns[name], [0.025, 0.975]), abs=near)


def test_intervals_by_category_over_blocks(crowd):
    """Poisson draws by document: near those of the whole, and the figures are the same."""
    whole, blocks = crowd
    ask = sa.Bootstrap(resamples=2000, interval="percentile")
    one = sa.coefficients(sa.token_labels(whole), ci=ask).categories
    other = sa.coefficients(sa.token_labels(blocks, resamples=2000), ci=True).categories
    for name, part in one.items():
        assert other[name].value == part.value
        # an end of 2000 draws of 63 documents has an error of some hundredths of the width
        width = part.interval.observed[1] - part.interval.observed[0]
        assert other[name].interval.observed == pytest.approx(
            part.interval.observed, abs=0.2 * width
        )
    assert other.mean.observed == one.mean.observed
    values = [part.value for part in one.values()]
    assert one.mean.observed == pytest.approx(np.mean(values), abs=1e-15)
    assert one.median.observed == pytest.approx(np.median(values), abs=1e-15)


def test_mean_and_median_leave_out_categories_without_a_pair():
    """By hand: R of x is 1/2, of y 0, of z nothing; and without a pair nothing is defined."""
    rows = [(1, "a", "x"), (1, "b", "x"), (2, "a", "x"), (2, "b", "y"), (3, "a", "z")]
    found = sa.category_agreement(sa.LabelTable.from_rows(rows))
    assert (found["z"].reason, found.mean.observed, found.median.observed) == (
        "in no pair of labels",
        0.25,
        0.25,
    )
    rows = sa.coefficients(sa.LabelTable.from_rows(rows)).to_rows("category")
    assert [(row["category"], row["average"], row["agreement"]) for row in rows[-2:]] == [
        ("", "mean", 0.25),
        ("", "median", 0.25),
    ]
    alone = sa.category_agreement(sa.LabelTable.from_rows([(1, "a", "x")]))
    assert np.isnan([alone.mean.observed, alone.median.observed]).all()
    assert sa.coefficients(sa.LabelTable.from_rows([]), ci=True).to_rows("category")
