"""Labels of tokens: over parts the coefficients of the whole, their intervals, and what goes wrong."""

from __future__ import annotations

import itertools
import math
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses
from strategies import crowds

import spanagree as sa
from spanagree.labels.sparse_agreement import WEIGHTS
from spanagree.report.citation import cite


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


def test_what_corpus_papers_print():
    """κ of all tokens, κ of those that somebody marked, and F1; by hand.

    Of 10 tokens ann marks 3 and bob 2, which are among these. All tokens: 9 of 10 agree, by chance
    .3·.2 + .7·.8. The three marked: 2 of 3 agree, by chance 1·2/3, so κ is 0.
    """
    layers = {"ann": [[(0, 2, "X"), (5, 6, "X")]], "bob": [[(0, 2, "X")]]}
    corpus = sa.Corpus.from_segments([10], layers)
    found = sa.labels.token_coefficients(corpus)
    assert found.kappa.value == pytest.approx(
        float((Fraction(9, 10) - Fraction(62, 100)) / (1 - Fraction(62, 100)))
    )
    assert found.marked.kappa.observed == pytest.approx(2 / 3)
    assert found.marked.kappa.value == pytest.approx(0, abs=1e-15)
    assert found.marked.counts.items == 3
    assert found.spans == sa.agree(corpus).team.f1
    assert found.spans.observed == pytest.approx(2 / 3)  # 2·1/(2 + 1)
    rows = {row["coefficient"]: row for row in found.to_rows()}
    assert rows["κ of marked tokens"]["items"] == 3
    assert rows["F1 of segments"]["value"] == rows["F1 of segments"]["observed"]
    assert rows["F1 of segments, corrected"]["value"] == found.spans.corrected
    tags = {
        "ann": [["B-X", "I-X", "O", "O", "O", "B-X", *"OOOO"]],
        "bob": [["B-X", "I-X", *"O" * 8]],
    }
    for same in (iter([corpus]), tags):  # an iterator of parts, and what becomes a corpus
        again = sa.labels.token_coefficients(same)
        assert (again.kappa.value, again.spans[:3]) == (found.kappa.value, found.spans[:3])
    one = sa.labels.token_coefficients(corpus.replace(layers={"ann": corpus.layers["ann"]}))
    assert one.spans is None  # F1 is of two


def test_signature_names_the_chance_of_f1():
    """Chance model and rule for lost quotes of F1 are in the signature, and ``cite`` explains them."""
    nested = sa.Corpus.from_segments([5], {name: [[(0, 3, "X"), (1, 2, "X")]] for name in "ab"})
    found = sa.labels.token_coefficients(nested)
    assert "|f1-chance:overlapping|" in found.signature
    spans = {"ann": [{"text": "Jo", "label": "X"}], "bob": [{"text": "Al", "label": "X"}]}
    lost = sa.read([{"id": "1", "text": "Jo is there.", "annotators": spans}])
    found = sa.labels.token_coefficients([lost])
    assert "|f1-chance:nonoverlapping|f1-unplaced:wrong|" in found.signature
    paragraph = " ".join(cite(found).split())
    assert "(chance model nonoverlapping: no two segments of one annotator share" in paragraph
    assert "In F1 of segments, quotes that are not in the text" in paragraph
    assert "1 of 2 quotes is not in the text and matches nothing" in found.about_spans
    none = cite("items:tokens|categories:2|f1-chance:none|spanagree:1.0.0")
    assert "F1 of segments by exact match is raw, as its chance is undefined." in " ".join(
        none.split()
    )


@given(crowds())
def test_marked_tokens_and_segments(crowd):
    """What stands beside the coefficients is what other functions say, of parts as of the whole."""
    corpus = sa.Corpus.from_segments(*crowd)
    try:
        found = sa.labels.token_coefficients(corpus)
    except sa.InputError:  # a token with two labels
        return
    alike(found.marked, sa.coefficients(sa.token_labels(corpus, skip_outside=True)))
    parts = [corpus.subset([d]) for d in range(len(corpus))]
    alike(found, sa.labels.token_coefficients(parts))


@pytest.mark.long
@given(
    crowds(),
    st.booleans(),
    st.booleans(),
    st.sampled_from(list(WEIGHTS)),
    st.randoms(use_true_random=False),
)
def test_parts_are_the_whole(crowd, skip, complete, weights, random):
    """Parts of any size and order have the coefficients of the whole corpus."""
    lengths, layers = crowd
    corpus = sa.Corpus.from_segments(lengths, layers)
    try:
        table = sa.token_labels(corpus, skip_outside=skip)
    except sa.InputError:  # a token with two labels
        return
    documents = list(range(len(corpus)))
    random.shuffle(documents)
    cuts = sorted(random.randint(0, len(documents)) for _ in range(2))
    parts = [
        corpus.subset(documents[a:b]) for a, b in itertools.pairwise([0, *cuts, len(documents)])
    ]
    ask = {"weights": weights, "complete_only": complete}
    joined = sa.token_labels(parts, skip_outside=skip)
    alike(sa.coefficients(table, **ask), sa.coefficients(joined, **ask))


@pytest.fixture(scope="module")
def crowd(newsroom):
    """The crowd corpus, in tokens, whole and in parts of nine notes."""
    corpus = sa.read_jsonl(newsroom.parent / "crowd" / "crowd.jsonl")
    return corpus, [corpus.subset(range(low, min(low + 9, 63))) for low in range(0, 63, 9)]


def test_by_processes(crowd):
    """Workers label; the coefficients and by annotator are those of the whole."""
    corpus, parts = crowd
    with ProcessPoolExecutor(2) as executor:
        joined = sa.token_labels(parts, executor=executor)
    alike(sa.coefficients(sa.token_labels(corpus)), sa.coefficients(joined))


def test_refused():
    """No part, an executor and one corpus, and a label that is called as tokens outside are."""
    with refuses(sa.InputError, "no part … iterator … once"):
        sa.token_labels([])
    corpus = sa.Corpus.from_segments([3], {"a": [[(0, 1, "O")]]})
    with refuses(sa.SettingError, "executor … parts"):
        sa.token_labels(corpus, executor="x")
    with pytest.raises(sa.InputError, match="part 1: a label of the corpus is called 'O'"):
        sa.token_labels([corpus])


def test_no_documents_have_no_units():
    """What intervals are refused for counts documents, not one where there is none."""
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
    ask = sa.Jackknife()
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
