"""Intervals by the jackknife: the prototype's digits, a plain loop, exact ends, other annotators."""

from __future__ import annotations

import importlib.util
import math
import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses
from oracles import jackknifed
from scipy import stats

import spanagree as sa
from spanagree.errors import SettingError
from spanagree.results.score import Interval, compute_all_figures, compute_f1_figures
from spanagree.systems.intervals import compute_system_moments
from spanagree.uncertainty.differences import DocumentInfluence, _clip_ends
from spanagree.uncertainty.jackknife import (
    build_intervals,
    compute_ends,
    compute_moments,
    exceeds_rounding,
    sum_groups,
)
from spanagree.uncertainty.samples import _build_second_interval

ROOT = Path(__file__).parent.parent.parent

DOCUMENTS = np.array(
    [[3, 0.2, 4, 5], [1, 0.1, 3, 1], [0, 0.3, 2, 4], [5, 0.5, 6, 5], [2, 0.1, 2, 3], [4, 0.4, 5, 5]]
)
"""Matched, expected and both sizes of six documents."""

# what the 83 lines of the rule's prototype give for these: observed, expected, corrected
PROTOTYPE = {
    "precision": [(0.206664648187, 0.931013691026), (0.042033898906, 0.113001860376), (0.1523844725, 0.923875795345)],
    "recall": [(0.352700971786, 0.893924278194), (0.0469069687, 0.111103730191), (0.30228020308, 0.885460114953)],
    "f1": [(0.291690080044, 0.906657076332), (0.046742577647, 0.106760994313), (0.239825985642, 0.89854222631)],
}  # fmt: skip

FIRST = np.array([[3, 0.2, 9], [1, 0.1, 4], [0, 0.3, 6], [5, 0.5, 11], [2, 0.1, 5], [4, 0.4, 10]])
SECOND = np.column_stack(([2, 1, 1, 3, 1, 3], FIRST[:, 1:]))


def script(name):
    """The module of a script."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "scripts" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def f1_of(sums):
    """Observed, expected and corrected F1 in fractions; ``None`` where undefined."""
    matched, expected, size = sums
    if not size:
        return (None, None, None)
    observed, by_chance = 2 * matched / size, 2 * expected / size
    beyond = None if by_chance == 1 else (observed - by_chance) / (1 - by_chance)
    return observed, by_chance, beyond


# --- one figure ---------------------------------------------------------------------------------


def test_the_prototype():
    """The digits of the prototype of this rule, which was written apart from this code."""
    (made,) = build_intervals(compute_moments(DOCUMENTS, compute_all_figures), sa.Jackknife())
    for interval, ends in zip(made, PROTOTYPE.values(), strict=True):
        assert np.allclose(interval[:3], ends, rtol=0, atol=1e-11)
        assert (interval.kind, interval.reason) == ("jackknife-t", "")


counts = st.integers(0, 6)
documents = st.lists(st.tuples(counts, counts, counts, counts), min_size=2, max_size=9)


@given(documents)
def test_a_plain_loop(drawn):
    """Each document left out in fractions, and the interval term by term."""
    rows = [
        (Fraction(min(m, a, b)), Fraction(min(e, a, b), 7), Fraction(a + b)) for m, e, a, b in drawn
    ]
    total = [sum(column) for column in zip(*rows, strict=True)]
    value = f1_of(total)
    (interval,), *_ = build_intervals(
        compute_moments(np.array(rows, np.float64), compute_f1_figures), sa.Jackknife()
    )
    alone = [f1_of(row)[0] for row in rows]
    told = [x for x in alone if x is not None]
    wrong, right = sum(x < 1 for x in told), sum(x > 0 for x in told)
    if len(told) < 2 or None in value:
        assert np.isnan(interval[2]).all()
        return
    floor = -value[1] / (1 - value[1])
    if min(wrong, right) <= 1:
        assert interval.kind == "exact"
        few = min(wrong, right)
        most = 1.0 if few == len(told) else stats.beta.ppf(0.975, few + 1, len(told) - few)
        share = (1 - most, 1) if wrong <= right else (0, most)
        ends = [float(floor + (1 - floor) * Fraction(x)) for x in share]
        ends = min(ends[0], float(value[2])), max(ends[1], float(value[2]))
        assert np.allclose(interval.corrected, ends, atol=1e-9)
        return
    left_out = [f1_of([t - x for t, x in zip(total, row, strict=True)]) for row in rows]
    for k, lowest in enumerate((0, 0, floor)):
        figures = [three[k] for three in left_out]
        if None in figures or all(x == value[k] for x in figures) or not 0 < value[0] < 1:
            continue
        if k == 1 and not 0 < value[1] < 1:
            continue
        ends = jackknifed([float(x) for x in figures], float(value[k]), len(told), float(lowest))
        assert np.allclose(interval[k], ends, atol=1e-9)


@given(documents, st.randoms(use_true_random=False))
def test_order_changes_only_the_last_digits(drawn, random):
    """Documents in another order, or with others that add nothing, have the same interval.

    A sum of nine numbers is off by at most four units of its last place. Leaving out a document
    cancels all but about 1e-16 of a figure, and t of one degree of freedom is below 13.
    """
    rows = np.array([(min(m, a, b), min(e, a, b) / 7, a + b) for m, e, a, b in drawn], float)
    other = [*rows.tolist(), [0, 0, 0]]
    random.shuffle(other)
    one, two = (
        compute_ends(compute_moments(np.array(x), compute_f1_figures), 0.025)
        for x in (rows, np.array(other))
    )
    assert np.allclose(one.ends, two.ends, rtol=0, atol=1e-12, equal_nan=True)
    assert np.array_equal(one.exact, two.exact)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30), st.randoms(use_true_random=False))
def test_sums_by_group(values, random):
    """Sums by group are those of math.fsum, up to rounding; a group without rows has 0."""
    group = np.array([random.randrange(4) for _ in values])
    sums = sum_groups(np.array(values)[:, None], group, 5)[:, 0]
    assert sums[4] == 0
    for g in range(5):
        here = [x for x, of in zip(values, group.tolist(), strict=True) if of == g]
        assert math.isclose(sums[g], math.fsum(here), rel_tol=1e-12, abs_tol=1e-9)


@pytest.mark.parametrize(("wrong", "low"), [(0, 0.9404), (1, 0.9106)])
def test_sixty_documents_of_four(wrong, low):
    """Of sixty documents none or one holds an error: Clopper & Pearson's, as SciPy has it."""
    rows = np.array([[4, 0.0, 8]] * (60 - wrong) + [[3, 0.0, 8]] * wrong)
    ((interval,),) = build_intervals(compute_moments(rows, compute_f1_figures), sa.Jackknife())
    exact = stats.binomtest(wrong, 60).proportion_ci(0.95, "exact").high
    assert interval.kind == "exact"
    assert interval.observed == pytest.approx((1 - exact, 1))
    assert round(interval.observed[0], 4) == low
    assert interval.reason.endswith(f"exact, as {wrong} of 60 hold any error")


def test_few_matches():
    """Where at most one document holds a match, it is the share of those that do."""
    rows = np.array([[0, 0.1, 4]] * 19 + [[1, 0.1, 4]])
    ((interval,),) = build_intervals(compute_moments(rows, compute_f1_figures), sa.Jackknife())
    exact = stats.binomtest(1, 20).proportion_ci(0.95, "exact").high
    assert interval.observed == pytest.approx((0, exact))


def test_one_large_document_of_errors():
    """An exact interval holds its figure, whatever share of the segments one document has."""
    rows = np.array([[2, 0.0, 4]] * 40 + [[0, 0.0, 900]])
    ((interval,),) = build_intervals(compute_moments(rows, compute_f1_figures), sa.Jackknife())
    assert interval.observed == pytest.approx((160 / 1060, 1))


@pytest.mark.parametrize("n", [0, 1])
def test_fewer_than_two_documents(n):
    """One document tells nothing of others, nor does none."""
    rows = np.array([[1, 0.1, 4]] * n + [[0, 0, 0]] * 3, float)
    ((interval,),) = build_intervals(compute_moments(rows, compute_f1_figures), sa.Jackknife())
    assert np.isnan(interval[:3]).all()
    assert interval.reason == (
        f"observed, expected, corrected: only {n} with anything to compare; an interval needs two"
    )


@pytest.mark.parametrize("number", [2, 9, 1000, 300_000])
@pytest.mark.parametrize("group", [None, 0])
def test_documents_that_are_alike(number, group):
    """Documents that all add the same tell nothing of others; only rounding is left of changes."""
    rows = np.full((number, 3), (1, 0.1, 4.0))
    of_row = None if group is None else np.zeros(number, np.int64)
    sums = compute_moments(rows, compute_f1_figures, of_row)
    assert (np.sqrt(sums.variance) < np.sqrt(number) * 2**-51).all()
    ((interval,),) = build_intervals(sums, sa.Jackknife())
    assert np.isnan(interval[:3]).all()
    assert "the same whichever is left out" in interval.reason


def test_exact_intervals_of_several_figures():
    """Of each figure in threes, chance never has an exact interval: no document is right by chance."""
    rows = np.array(
        [(2, 0.5, 2, 2), (1, 0.25, 1, 1), (3, 0.75, 4, 3)]
    )  # one document with an error
    ends = compute_ends(compute_moments(rows, compute_all_figures), 0.025)
    n_figures = ends.exact.shape[1] // 3
    assert ends.exact.tolist() == [[True, False, True] * n_figures]


def test_nothing_is_not_beyond_rounding():
    """A sum of no terms, or of terms that are all 0, varies no more than rounding does."""
    nothing, one = np.zeros(2), np.array([1.0, 1.0])
    assert exceeds_rounding(nothing, nothing, 9).tolist() == [False, False]
    assert exceeds_rounding(one * [1, 1e-17], one, 9).tolist() == [True, False]


# --- results ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def news(newsroom):
    names = ("gold", "lexicon", "tagger", "chunker")
    return sa.read_conll({n: newsroom / f"{n}.conll" for n in names})


def test_newsroom(news):
    """The digits that the rule was published with in its notes: four of them."""
    result = sa.evaluate(news, ci=True)
    ends = {
        name: [round(end, 4) for end in result[name].f1.interval.corrected]
        for name in ("lexicon", "tagger")
    }
    assert ends == {"lexicon": [0.5214, 0.6593], "tagger": [0.5322, 0.6886]}
    assert result.settings.ci == "jackknife-t95"
    assert "ci:jackknife-t95|" in result.signature


def test_crowd(crowd):
    """The same of five annotators, over documents and over annotators too."""
    f1 = sa.agree(crowd, ci=sa.Jackknife(over="annotators")).team.f1
    assert [round(end, 3) for end in f1.interval.corrected] == [0.457, 0.565]
    assert [round(end, 3) for end in f1.interval.over_annotators.corrected] == [0.094, 0.884]


def test_every_figure_by_leaving_out_documents(news):
    """Of a system, each label and the macro-average: evaluate without each document in turn."""
    few = news.subset(range(30))
    whole = sa.evaluate(few, ci=True)
    every = [
        sa.evaluate(few.subset([d for d in range(30) if d != left]))["tagger"] for left in range(30)
    ]
    of_all = {
        "all": (whole["tagger"].f1, [x.f1 for x in every]),
        "macro": (whole["tagger"].macro.f1, [x.macro.f1 for x in every]),
        **{
            label: (tally.f1, [x.labels[label].f1 for x in every if label in x.labels])
            for label, tally in whole["tagger"].labels.items()
        },
    }
    documents = [t.f1 for _, t in whole.by_document("tagger")]
    compared = 0
    for name, (score, others) in of_all.items():
        corrected = [x.corrected for x in others]
        if score.interval.kind == "exact" or len(corrected) < 30 or math.isnan(sum(corrected)):
            continue
        n = len(documents) if name in ("all", "macro") else informative(few, name)
        ends = jackknifed(corrected, score.corrected, n, -score.expected / (1 - score.expected))
        assert score.interval.corrected == pytest.approx(ends, abs=1e-9), name
        compared += 1
    assert compared > 2


def informative(corpus, label):
    """In how many documents gold or the tagger have the label."""
    has = set()
    for name in ("gold", "tagger"):
        layer = corpus.layers[name]
        number = corpus.labels.index(label)
        has |= set(layer.document[layer.label == number].tolist())
    return len(has)


def test_the_mean_over_pairs_and_annotators(crowd):
    """Agree without each document, and without each annotator, in turn."""
    few = crowd.subset(range(25))
    whole = sa.agree(few, ci=sa.Jackknife(over="annotators"))
    names = list(few.layers)

    def of(result):
        return [result.team.f1, result.mean]

    documents = [
        of(sa.agree(few.subset([d for d in range(25) if d != left]))) for left in range(25)
    ]
    n = whole.evidence[0]
    for k, score in enumerate(of(whole)):
        left_out = [x[k].corrected for x in documents]
        floor = -score.expected / (1 - score.expected)
        ends = jackknifed(left_out, score.corrected, n, floor)
        assert score.interval.corrected == pytest.approx(ends, abs=1e-9)
        without = [
            of(sa.agree(few, annotators=[x for x in names if x != left]))[k].corrected
            for left in names
        ]
        k_annotators = len(names)
        over = (k_annotators - 1) / k_annotators * sum((x - score.corrected) ** 2 for x in without)
        changes = [x - score.corrected for x in left_out]
        v = math.fsum(d**2 for d in changes)
        freedom = 2 * v**2 / (math.fsum(d**4 for d in changes) - v**2 / n)
        freedom = min(max(freedom, 1), n - 1)
        both = v + over
        of_both = both**2 / (v**2 / freedom + over**2 / (k_annotators - 1))
        share = (score.corrected - floor) / (1 - floor)
        reach = stats.t.ppf(0.975, of_both) * math.sqrt(both)
        reach /= (1 - floor) * share * (1 - share)
        center = math.log(share / (1 - share))
        ends = [floor + (1 - floor) / (1 + math.exp(-x)) for x in (center - reach, center + reach)]
        assert score.interval.over_annotators.corrected == pytest.approx(ends, abs=1e-9)


def test_gains(crowd):
    """The gain without each document in turn; all annotators saw nearly all documents."""
    few = crowd.subset(range(25))
    whole = sa.agree(few, ci=True)
    every = [
        sa.agree(few.subset([d for d in range(25) if d != left])).annotators for left in range(25)
    ]
    for name, member in whole.annotators.items():
        left_out = [x[name].gain.corrected for x in every]
        ends = jackknifed(left_out, member.gain.corrected, whole.evidence[0])
        assert member.gain_interval.corrected == pytest.approx(ends, abs=2e-5)


def test_two_annotators_have_no_second_interval(crowd):
    """One who is left agrees with nobody."""
    names = list(crowd.layers)[:2]
    result = sa.agree(crowd, annotators=names, ci=sa.Jackknife(over="annotators"))
    second = result.team.f1.interval.over_annotators
    assert np.isnan(second[:3]).all()
    assert "2 annotators; an interval over annotators needs 3" in second.reason
    assert "2 annotators: an interval over annotators needs 3, so there is none" in result.caveats
    assert not any("unreliable" in caveat for caveat in result.caveats)


def test_over_annotators_in_words(crowd):
    """The verdict, the signature, and a remark below ten annotators."""
    result = sa.agree(crowd, ci=sa.Jackknife(over="annotators"))
    assert (
        "; over other annotators too: .094 to .884 (unreliable with 5 annotators)."
        in result.verdict
    )
    assert "(95 % CI .457 to .565 over documents, for these 5 annotators)" in result.verdict
    assert "|ci:jackknife-t95|over:documents+annotators|" in result.signature
    assert any("unreliable with fewer than 10" in caveat for caveat in result.caveats)


def test_kinds_in_the_signature(news):
    """A table names the kinds of interval that are in it."""
    result = sa.evaluate(news, ci=True)
    assert "|ci:jackknife-t95|" in result.table().signature
    scored = [
        x
        for system in result.systems.values()
        for x in (system, system.macro, *system.labels.values())
    ]
    kinds = {
        getattr(x, name).interval.kind for x in scored for name in ("precision", "recall", "f1")
    }
    named = re.search(r"\|ci:([^|]*)\|", result.table("label").signature)[1]
    assert named == "+".join(f"{kind}95" for kind in sorted(kinds, reverse=True))


def test_clusters_are_summed_first(news):
    """Sentences of one whole are one row: the interval is that of the sums of the wholes."""
    three = np.arange(len(news)) // 35
    clusters = sa.evaluate(news).counted.per_document._replace(parent_ids=three)
    rows = np.zeros((3, 4))
    per_document = sa.evaluate(news).counted.per_document
    of_tagger = per_document.select_system("tagger")
    np.add.at(rows, three[of_tagger.document], np.stack(of_tagger.columns, axis=1))
    sums = compute_system_moments(clusters)
    at = clusters.find_annotator_index("tagger")
    assert np.allclose(
        sums.variance[at], compute_moments(rows, compute_all_figures).variance[0], rtol=1e-12
    )


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        ({"confidence": 0.95}, "confidence 0.95; a percentage above 1 and below 100"),
        ({"confidence": 100}, "confidence 100"),
        ({"confidence": "95"}, "confidence '95'"),
        ({"cluster_by": "unit"}, "… cluster_by"),
        ({"over": "both"}, "… over"),
    ],
)
def test_bad_requests(ask, said):
    with refuses(SettingError, said):
        sa.Jackknife(**ask)


@pytest.mark.parametrize("ci", [1, "yes", 95, None])
def test_ci_is_a_jackknife_or_none(news, ci):
    with refuses(SettingError, "ci … sa.Jackknife(confidence="):
        sa.evaluate(news, ci=ci)


def test_the_bootstrap_answers():
    """Whoever asks for a Bootstrap hears what is there instead, in one line."""
    with pytest.raises(
        AttributeError, match=re.escape("use ci=sa.Jackknife(confidence=…")
    ) as error:
        sa.Bootstrap  # noqa: B018 — the name itself is asked for
    assert "\n" not in str(error.value)


def test_annotators_only_of_a_team(news):
    with refuses(SettingError, "over annotators … leave it out"):
        sa.evaluate(news, ci=sa.Jackknife(over="annotators"))


# --- differences --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pairs", "ends", "p"),
    [
        (
            1,
            [(-0.092255262257, 0.447810817812), (-0.097579709306, 0.480354828923)],
            [0.151360837695, 0.149387456278],
        ),
        (
            3,
            [(-0.193471502835, 0.54902705839), (-0.205893049873, 0.588668169491)],
            [0.454082513085, 0.448162368833],
        ),
    ],
)
def test_differences_of_the_prototype(pairs, ends, p):
    """The digits of the prototype, which multiplies p."""
    made = DocumentInfluence.from_rows(np.stack((FIRST, SECOND), axis=1)).compare(
        0, 1, 0.025, pairs
    )
    assert np.allclose(made.value, (0.177777777778, 0.191387559809), rtol=0, atol=1e-11)
    assert np.allclose(made.ends, ends, rtol=0, atol=1e-11)
    assert np.allclose(pairs * made.p, p, rtol=0, atol=1e-11)


systems = st.lists(st.tuples(counts, counts, counts, counts), min_size=2, max_size=9)


@given(systems, st.integers(1, 10), st.sampled_from([80, 95, 99]))
def test_interval_and_p_never_contradict(drawn, pairs, confidence):
    """An interval leaves out 0 just where p × pairs is below 1 less the confidence."""
    tail = (1 - confidence / 100) / 2
    first = np.array([(min(m, g), min(g, 1) / 9, g + s) for m, _, g, s in drawn], float)
    second = np.array([(min(m, g), min(g, 1) / 9, g + s) for _, m, g, s in drawn], float)
    made = DocumentInfluence.from_rows(np.stack((first, second), axis=1)).compare(0, 1, tail, pairs)
    for (low, high), p in zip(made.ends.tolist(), made.p.tolist(), strict=True):
        if not math.isnan(low):
            assert (low > 1e-9 or high < -1e-9) <= (pairs * p < 2 * tail + 1e-9)
            assert (pairs * p < 2 * tail - 1e-9) <= (low > -1e-9 or high < 1e-9)


def test_at_most_one_document_differs():
    """p is 1, and the interval, Clopper–Pearson's, holds 0 whatever the document weighs."""
    first = np.array([[2, 0.1, 4.0]] * 30)
    second = first.copy()
    exact = stats.binomtest(0, 30).proportion_ci(0.95, "exact").high
    made = DocumentInfluence.from_rows(np.stack((first, second), axis=1)).compare(0, 1, 0.025, 1)
    assert made.exact
    assert made.ends[0] == pytest.approx((-exact, exact))
    corrected = exact / (1 - 2 * 0.1 / 4)  # chance F1 is twice the expected match by the size
    assert made.ends[1] == pytest.approx((-corrected, corrected))
    assert made.p.tolist() == [1, 1]
    first[0] = [300, 1, 600]
    second[0] = [0, 1, 600]
    made = DocumentInfluence.from_rows(np.stack((first, second), axis=1)).compare(0, 1, 0.025, 1)
    assert made.value[0] > 0.5
    assert (made.ends[:, 0] <= 0).all()
    assert made.p.tolist() == [1, 1]


def test_one_document_has_no_interval():
    """Nothing is left without the only document: p and ends are undefined, and not exact."""
    rows = np.array([[[2, 0.1, 4.0], [1, 0.1, 4.0]]])
    made = DocumentInfluence.from_rows(rows).compare(0, 1, 0.025, 1)
    assert not made.exact
    assert np.isnan(made.ends).all()
    assert all("only one document" in reason for reason in made.reasons)


def test_second_interval_contains_the_first():
    """An interval over documents and annotators is nowhere narrower than that over documents."""
    first = Interval((0.1, 0.9), (0.2, 0.3), (0.4, 0.5))
    ends = np.array([[0.2, 0.8], [0.1, 0.4], [0.3, 0.45]])
    second = _build_second_interval(first, 0.5, ends, 5, "annotator")
    assert second[:3] == ((0.1, 0.9), (0.1, 0.4), (0.3, 0.5))


@pytest.mark.parametrize("starts", [(0, 0, 0), (0, 2, 4)])
def test_no_second_interval_at_the_ends(starts):
    """At F1 of 0 or 1 log odds are infinite: undefined with a reason, never half an interval."""
    layers = {
        name: [[(start, start + 1, "X")]] * 40 for name, start in zip("abc", starts, strict=True)
    }
    result = sa.agree(sa.Corpus.from_segments([9] * 40, layers), ci=sa.Jackknife(over="annotators"))
    f1 = 0 if any(starts) else 1
    reason = f"undefined for F1 {f1}, which no annotator left out changes"
    for score in (result.team, result.mean, result.labels["X"]):
        interval = score.f1.interval if hasattr(score, "f1") else score.interval
        assert not math.isnan(interval.corrected[0])
        assert np.isnan(np.array(interval.over_annotators[:3])).all()
        assert reason in interval.over_annotators.reason
    assert any(reason in remark for remark in result.table().remarks)
    assert "Over other annotators" not in result.verdict


def test_ends_stay_among_possible_differences():
    """By hand: corrected F1 is 1 at most, and −E / (1 − E) where nothing matches, of each system."""
    ends = _clip_ends(np.array([[-9.0, 9.0], [-9.0, 9.0]]), np.array([0.1, 0.2]))
    assert ends[0].tolist() == [-1, 1]
    assert ends[1] == pytest.approx([-0.1 / 0.9 - 1, 1 + 0.2 / 0.8])


def test_several_systems(news):
    """p × pairs, intervals that hold at once, and the sentence on them."""
    made = sa.compare_systems(sa.evaluate(news))
    pair = made["lexicon", "tagger"].corrected
    assert pair.p_adjusted == min(1, 3 * pair.p)
    assert made.settings.get("seed") is None
    assert (
        "cannot be told apart from lexicon (difference .021, simultaneous 95 % jackknife CI"
        in made.verdict
    )
    assert ", 3 pairs)" in made.verdict
    alone = sa.compare_systems(sa.evaluate(news.select_annotators(["gold", "lexicon", "tagger"])))
    assert "simultaneous" not in alone.verdict
    one, several = alone["lexicon", "tagger"].corrected, pair
    assert several.low < one.low < one.high < several.high


@pytest.mark.parametrize("test", ["permutation", "bootstrap"])
def test_tests_with_p_only(news, test):
    """Tests that papers ask for by name have p alone, with Holm's correction."""
    made = sa.compare_systems(sa.evaluate(news), test=test, resamples=999, seed=1)
    assert all(math.isnan(pair.corrected.low) for pair in made.pairs)
    assert f"|test:{test}|resamples:999|seed:1|" in made.signature
    assert "|ci:" not in made.signature
    assert made["lexicon", "chunker"].corrected.p_adjusted < 0.05


# --- simulated coverage -------------------------------------------------------------------------

PAGE = (ROOT / "docs" / "certainty.md").read_text("utf-8")


def shown(heading):
    """The cells of a table of the docs, by the first cell of each row."""
    section = PAGE.partition(heading)[2].partition("\n#")[0]
    rows = re.findall(r"^\| (.*?) \|$", section, re.M)
    return [row.split(" | ") for row in rows]


@pytest.mark.long
def test_the_weakest_cell():
    """The coverage of the weakest population of the table, with another seed, within 4 errors."""
    coverage = script("simulate_coverage")
    (documents, segments, f1, rho, held, _), *_ = shown("### The weakest")[1:]
    cell = coverage.Cell(int(documents), segments, float(f1), float(rho))
    expected, samples = float(held.removesuffix(" %")) / 100, 1000
    error = math.sqrt(expected * (1 - expected) * (1 / samples + 1 / 2000))
    found = coverage.coverage(cell, seed=7, samples=samples).held
    assert abs(found - expected) < 4 * error


@pytest.mark.long
def test_a_usual_cell():
    """Thirty documents at F1 .6: 95 in 100, within 4 standard errors of 1,000 samples."""
    coverage = script("simulate_coverage")
    found = coverage.coverage(coverage.Cell(30, "few", 0.6, 0.0), seed=8, samples=1000).held
    assert abs(found - 0.955) < 4 * math.sqrt(0.955 * 0.045 / 1000)


@pytest.mark.long
def test_a_row_of_pairs():
    """Two equal systems on thirty documents are told apart in at most 5 of 100, and none torn."""
    held, told_apart, torn = script("simulate_coverage").pairs(30, seed=9, samples=300)
    assert torn == 0
    assert held == 1 - told_apart
    assert told_apart < 0.05 + 4 * math.sqrt(0.05 * 0.95 / 300)


@pytest.mark.long
def test_a_row_of_annotators():
    """Five unlike annotators: the second interval holds the figure of all, the first does not."""
    simulation = script("simulate_annotators")
    everybody = simulation.population(0.6, 0.0)
    truth = simulation.true_figure(*everybody[:2])
    team = simulation.Team(5, 5, 60)
    over_documents, too = simulation.shares_held(team, everybody, truth, samples=60)
    assert over_documents < 0.8
    assert too > 0.95 - 4 * math.sqrt(0.95 * 0.05 / 60)
