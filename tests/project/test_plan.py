"""Plans: plain loops over triples of annotators, theory, what is there, and what is refused."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy.stats import norm

import spanagree as sa
from spanagree.project.plan import plan_narrower

CROWD = Path(__file__).parents[2] / "corpora" / "crowd" / "crowd.jsonl"


def test_the_docstring_by_theory():
    """Two annotators who agree in half of 40 documents: 0.25 (2·1.96/0.1)² documents."""
    layers = {"a": [[(0, 2, "X")]] * 40, "b": [[(0, 2, "X")], [(1, 3, "X")]] * 20}
    made = sa.plan_sample(sa.Corpus.from_segments([9] * 40, layers), 0.1, figure="observed")
    assert made.value == 0.5
    assert made.variance == {2: pytest.approx(0.25)}
    assert made.needed(2)[0] == math.ceil(0.25 * (2 * norm.ppf(0.975) / 0.1) ** 2) == 385


def by_hand(crowd, value, k, *, kept=False):
    """The variance of a document that k see, of observed F1, with loops over pairs of pairs.

    If it is to be kept within what effects of documents, annotators and pairs can make, shared and
    apart are put where all three effects are 0 or more.
    """
    total = {"same": [0.0, 0], "shared": [0.0, 0], "apart": [0.0, 0]}
    size = pairs = 0
    for document in crowd:
        seen = {name: set(each) for name, each in document.segments.items() if each is not None}
        change = {}
        for a, b in itertools.combinations(seen, 2):
            both = len(seen[a]) + len(seen[b])
            change[a, b] = 2 * len(seen[a] & seen[b]) - value * both
            size, pairs = size + both, pairs + 1
        for (p, x), (q, y) in itertools.product(change.items(), repeat=2):
            kind = ("apart", "shared", "same")[len({*p} & {*q})]
            total[kind][0] += x * y
            total[kind][1] += 1
    same, shared, apart = (sums / number for sums, number in total.values())
    if kept:
        shared = min(max(shared, 0), same)
        apart = min(max(apart, 0, 2 * shared - same), shared)
    variance = 2 / (k * (k - 1)) * (same + 2 * (k - 2) * shared + (k - 2) * (k - 3) / 2 * apart)
    return variance / (size / pairs) ** 2


@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_by_twenty_lines(crowd, k):
    """With gaps, on the corpus of our own: the variance of loops over all pairs of pairs.

    Five saw fewer than ten of its documents: from four on, it falls as with effects of that kind.
    """
    made = sa.plan_sample(crowd, 0.1, figure="observed")
    variance = by_hand(crowd, made.value, min(k, 4))
    if k == 5:
        variance *= by_hand(crowd, made.value, 5, kept=True) / by_hand(
            crowd, made.value, 4, kept=True
        )
    assert made.variance[k] == pytest.approx(variance, rel=1e-9)


@pytest.mark.parametrize("seed", range(12))
def test_no_width_is_none(seed):
    """Few documents of many annotators, half finished: more annotators are better, never perfect.

    A sum of squares of effects falls with each annotator, by no more than 2/(k (k − 1)) does.
    """
    rng = np.random.default_rng(seed)
    layers = {f"a{i}": [] for i in range(12)}
    for _ in range(40):
        saw = rng.choice(12, rng.integers(2, 6), replace=False)
        for i, layer in enumerate(layers.values()):
            marked = [(j, j + 1, "X") for j in range(4) if rng.random() < 0.8]
            layer.append(marked if i in saw else None)
    made = sa.plan_sample(sa.Corpus.from_segments([9] * 40, layers), 0.05)
    variance = [made.variance[k] for k in range(5, 11)]
    assert list(made.variance) == list(range(2, 11))
    for before, after, k in zip(variance, variance[1:], range(5, 10), strict=False):
        assert before >= after >= before * k * (k - 1) / ((k + 1) * k) * (1 - 1e-12) > 0


def test_what_is_there_has_its_width(crowd):
    """The width over the documents that are there is that of agree."""
    for figure in ("observed", "expected", "corrected"):
        made = sa.plan_sample(crowd, 0.1, figure=figure)
        team = sa.agree(crowd, ci=sa.Jackknife()).team.f1
        low, high = getattr(team.interval, figure)
        assert made.width == pytest.approx(high - low)
        assert made.value == pytest.approx(getattr(team, figure), rel=1e-12)
    assert (made.documents, round(made.each, 1)) == (62, 3.6)


def test_more_of_the_same(crowd):
    """Four times the documents are half the width, nearly, as t has more degrees of freedom."""
    made = sa.plan_sample(crowd, 0.1)
    assert made.width_of(400, 3)[0] == pytest.approx(made.width_of(100, 3)[0] / 2, rel=0.03)
    needed, low, high = made.needed(3)
    assert made.width_of(needed, 3)[0] <= 0.1 < made.width_of(needed - 1, 3)[0]
    assert low < needed < high
    with pytest.raises(sa.SettingError, match="documents 0; a whole number from 1 is needed"):
        made.width_of(0, 3)


@pytest.mark.long
@pytest.mark.parametrize("differing", [0, 1, 3, 40])
def test_the_width_is_that_of_the_interval(differing):
    """Over the documents that are there the width is that which agree gives, also where few differ.

    Forty documents without a difference are not enough for a tenth: its interval is wider.
    """
    rng = np.random.default_rng(differing)
    mine = [[(2 * i, 2 * i + 1, "X") for i in range(5)] for _ in range(40)]
    hers = [x[1 + int(rng.integers(3)) :] if d < differing else x for d, x in enumerate(mine)]
    corpus = sa.Corpus.from_segments([40] * 40, {"a": mine, "b": hers})
    made = sa.plan_sample(corpus, 0.02, figure="observed")
    low, high = sa.agree(corpus, ci=True).team.f1.interval.observed
    assert made.width == pytest.approx(high - low)
    if not differing:
        needed = made.needed(2)[0]
        same = sa.Corpus.from_segments([40] * needed, dict.fromkeys("ab", mine[:1] * needed))
        low, high = sa.agree(same, ci=True).team.f1.interval.observed
        assert high - low <= 0.02 < made.width_of(needed - 1, 2)[0]


@pytest.mark.long
def test_how_often_it_is_right():
    """From 60 documents of a known kind, its from–to holds the true number in 95 % of samples.

    The oracle is theory: pairs match with probability .7, by document, so a document's variance is
    .21 whatever the pairs; seeded, within four standard errors, less 5 % as 60 are few.
    """
    rng = np.random.default_rng(4)
    truth = 0.21 * (2 * norm.ppf(0.975) / 0.1) ** 2
    held = 0
    for _ in range(150):
        moved = rng.random(60) >= 0.7
        layers = {"a": [[(0, 1, "X")]] * 60, "b": [[(int(x), 1 + int(x), "X")] for x in moved]}
        corpus = sa.Corpus.from_segments([9] * 60, layers)
        made = sa.plan_sample(corpus, 0.1, figure="observed")
        _, low, high = made.needed(2)
        held += low <= truth <= high
    assert held / 150 > 0.9 - 4 * math.sqrt(0.95 * 0.05 / 150)


def test_how_many_annotators_it_goes_up_to(crowd):
    """No more than there are, ten at most, and only as far as documents tell."""
    assert list(sa.plan_sample(crowd, 0.1).variance) == [2, 3, 4, 5]
    many = {f"a{i}": [[(0, 2, "X")], [(1 + i % 2, 3, "X")]] * 5 for i in range(12)}
    many = sa.Corpus.from_segments([9] * 10, many)
    assert list(sa.plan_sample(many, 0.1).variance) == list(range(2, 11))
    two = crowd.select_annotators(["ann", "cem"])
    assert list(sa.plan_sample(two, 0.1).variance) == [2]
    three = crowd.select_annotators(["ann", "cem", "dia"])
    made = sa.plan_sample(three, 0.1)
    assert list(made.variance) == [2, 3]
    with pytest.raises(sa.SettingError, match="annotators 4; this plan has 2, 3"):
        made.needed(4)


def test_order_changes_no_digit(crowd):
    """Annotators and documents in another order give the same plan."""
    turned = crowd.select_annotators(crowd.annotators[::-1]).subset(np.arange(len(crowd))[::-1])
    one, other = (sa.plan_sample(c, 0.1) for c in (crowd, turned))
    assert [one.needed(k) for k in one.variance] == [other.needed(k) for k in other.variance]


def test_refused(crowd, run):
    """Widths that are none, unknown figures, and corpora with nothing to plan from."""
    for width in (0, 2, -1, "x", True, math.nan):
        with pytest.raises(sa.SettingError, match="a number above 0 and below 2 is needed"):
            sa.plan_sample(crowd, width)
    with pytest.raises(sa.SettingError, match="figure 'f1'; allowed: observed, expected"):
        sa.plan_sample(crowd, 0.1, figure="f1")
    for none in (crowd.select_annotators(["ann"]), crowd.subset([])):
        with pytest.raises(sa.SettingError, match="a plan needs a part of the work done by two"):
            sa.plan_sample(none, 0.1)
    layers = {"a": [[(0, 1, "X"), (3, 4, "X")]], "b": [[(0, 1, "X"), (5, 6, "X")]]}
    for number, alike in ((1, "1 document seen by two annotators or more"), (9, "same figures")):
        layers_of = {name: of_one * number for name, of_one in layers.items()}
        with pytest.raises(sa.SettingError, match=f"{alike}; a plan needs two that differ"):
            sa.plan_sample(sa.Corpus.from_segments([9] * number, layers_of), 0.1)
    code, _, err = run("plan", CROWD, "--width", "3")
    assert code == 1
    assert "width 3.0; a number above 0 and below 2 is needed" in err


def test_the_verdict_has_what_there_is_and_the_range(crowd):
    """First the width that there is, then how many documents are needed, from and to."""
    made = sa.plan_sample(crowd, 0.05)
    (two, low, high), (five, least, most) = made.needed(2), made.needed(5)
    assert made.verdict == (
        f"For these annotators, the 62 documents so far give a 95 % interval .{1000 * made.width:.0f}"
        f" wide; one of .050 needs {two} documents ({low} to {high}) with 2 annotators each, or {five}"
        f" documents ({least} to {most}) with 5."
    )


def test_the_command(run):
    """It asks for the width; text, JSON and a methods paragraph have it."""
    code, _, err = run("plan", CROWD)
    assert code == 2
    assert "Missing option '--width'" in err
    code, out, _ = run("plan", CROWD, "--width", "0.05")
    assert code == 0
    assert "For these annotators, the 62 documents" in out
    assert "other annotators" not in out  # only on request, as in agree
    code, out, _ = run("plan", CROWD, "--width", "0.05", "--format", "json")
    made = json.loads(out)
    assert code == 0
    assert [row["annotators"] for row in made["tables"]["plan"]] == [2, 3, 4, 5]
    assert "|width:0.05|figure:corrected|confidence:95" in "|" + made["signature"]
    assert "planned for an interval 0.05 wide" in " ".join(sa.cite(made["signature"]).split())
    few = sa.plan_sample(sa.read_jsonl(CROWD).subset(range(20)), 0.1)
    assert few.caveats == ("only 20 documents to plan from; the variance is shaky",)


def test_a_report_plans_for_a_narrower_interval(crowd):
    """The widest of some widths that is clearly below what is there, as the command plans it."""
    shown = plan_narrower(sa.agree(crowd))
    again = sa.plan_sample(crowd, shown.settings.width)
    assert shown.settings.width == 0.05  # .106 so far
    assert shown.table().to_rows() == again.table().to_rows()


def test_more_is_what_lacks(crowd):
    """What is asked for beyond the documents that there are, and never less than none."""
    for width in (0.05, 0.9):
        plan = sa.plan_sample(crowd, width)
        for row in plan.to_dict()["tables"]["plan"]:
            needed = plan.needed(row["annotators"])[0]
            assert row["more"] == max(0, needed - plan.documents)


def test_the_least_number_for_a_wide_interval(crowd):
    """The number needed is the least whose interval is that narrow, also of a width above 1."""
    for width in (0.05, 0.3, 1.5):
        plan = sa.plan_sample(crowd, width, figure="observed")
        variance = plan.variance[2]
        needed = plan._find_smallest_number(variance)
        assert plan._compute_width(needed, variance) <= width
        assert needed == 2 or plan._compute_width(needed - 1, variance) > width
