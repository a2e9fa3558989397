"""The alternative annotator test, against its definitions by hand, and on simulated annotators."""

from __future__ import annotations

import csv
import functools
import itertools
import json
import math
import random
from pathlib import Path

import numpy as np
import pytest
from messages import says
from oracles import enumerated_expectation, matched
from strategies import spans

import spanagree as sa
from spanagree.references.win_tests import benjamini_yekutieli, compute_exact_p

# --- independent lines --------------------------------------------------------------------------


def by_definition(scores, epsilon):
    """ω, ρ and each p from scores[j][i] = (candidate's, hers), as the paper defines them."""
    stats = pytest.importorskip("scipy.stats")
    p, rho = [], []
    for each in scores:
        wins = [(it >= she, she >= it) for it, she in each]
        d = [int(she) - int(it) for it, she in wins]
        p.append(float(stats.ttest_1samp(d, epsilon, alternative="less").pvalue))
        rho.append(sum(it for it, _ in wins) / len(wins))
    m = len(p)
    harmonic = sum(1 / k for k in range(1, m + 1))
    ranked = sorted(p)
    most = max((i for i in range(m) if ranked[i] <= (i + 1) / m * 0.05 / harmonic), default=-1)
    return (most + 1) / m, sum(rho) / m, p


def made_up(seed, annotators=4, documents=45, length=7, alike=0.6):
    """Annotators n0, n1 … and a candidate c over short documents, with gaps."""
    rng = random.Random(seed)
    true = [sorted(rng.sample(range(length + 1), 4)) for _ in range(documents)]

    def layer(d, gaps):
        if rng.random() < gaps:
            return None
        cuts = true[d] if rng.random() < alike else sorted(rng.sample(range(length + 1), 4))
        some = [(a, b, rng.choice("XXXY")) for a, b in zip(cuts[::2], cuts[1::2], strict=True)]
        return [one for one in some if rng.random() < 0.8]

    names = ["c", *(f"n{i}" for i in range(annotators))]
    return {n: [layer(d, 0.1) for d in range(documents)] for n in names}


@pytest.mark.slow
@pytest.mark.parametrize(("match", "chance"), [("token", "nonoverlapping"), ("exact", "per-label"), ("iou", "overlapping")])  # fmt: skip
def test_spans(match, chance):
    """Scores of documents are F1 against the others in fractions; ω, ρ and p follow by definition."""
    layers = made_up(5)
    people, documents = list(layers)[1:], range(45)
    chance_of = functools.cache(enumerated_expectation)

    def pair(d, a, b):
        one, other = spans(layers[a][d]), spans(layers[b][d])
        size = sum(s[1] if match == "token" else 1 for s in one + other)
        shapes = [tuple(sorted(s[1:] for s in side)) for side in (one, other)]
        return matched(one, other, match), chance_of(7, *shapes, match, chance), size

    def score(d, who, others):
        m, e, size = (sum(x) for x in zip(*(pair(d, who, o) for o in others), strict=True))
        if not size:
            return 1, 1
        observed, by_chance = 2 * m / size, 2 * e / size
        if not observed:
            return 0, 0
        return observed, (observed - by_chance) / (1 - by_chance) if by_chance != 1 else 1

    scores = {"observed": [], "corrected": []}
    for j in people:
        each = []
        for d in documents:
            others = [o for o in people if o != j and layers[o][d] is not None]
            some = any(layers[o][d] for o in layers)
            if some and others and layers[j][d] is not None and layers["c"][d] is not None:
                each.append((score(d, "c", others), score(d, j, others)))
        assert len(each) >= 30
        for k, kind in enumerate(scores):
            scores[kind].append([(it[k], she[k]) for it, she in each])
    corpus = sa.Corpus.from_segments([7] * 45, layers)
    result = sa.alt_test(corpus, "c", epsilon=0.2, match=match, chance=chance)
    for kind, each in scores.items():
        rate, rho, p = by_definition(each, 0.2)
        verdict = result.verdicts[kind]
        assert (verdict.winning_rate_t, verdict.passes_t) == (rate, rate >= 0.5)
        assert verdict.advantage == pytest.approx(rho)
        assert [one.p_t for one in verdict.annotators] == pytest.approx(p)
        assert [one.instances for one in verdict.annotators] == [len(x) for x in each]


PRINTED = {
    0.72: "x-xx:17 x-xy:7 x-yx:3 x-yy:12 x-yz:7 xx-x:17 xx-y:3 xxx-:14 xxxy:1 xxy-:1 xxyx:1 xy-x:4"
    " xy-y:11 xy-z:1 xyx-:7 xyxx:1 xyy-:9 xyyy:1 xyz-:1 xyzx:1 xyzy:1",
    0.76: "x-xx:18 x-xy:9 x-yx:3 x-yy:11 x-yz:5 xx-x:19 xx-y:2 xxx-:15 xxxx:1 xxxy:1 xxyx:1 xy-x:2"
    " xy-y:9 xy-z:4 xyx-:8 xyxy:1 xyxz:1 xyy-:8 xyz-:1 xyzz:1",
}
"""By the ρ that the authors' notebook prints (mtbench, gemini_flash and gemini_pro, ε .2; ω is 0 for
both): how often which labels of the candidate and the three annotators were the same, counted of
their data; - is missing."""


@pytest.mark.parametrize("rho", PRINTED)
def test_the_published_example(rho):
    """The figures that the authors' notebook prints for two models: ω .00 and ρ .72, .76."""
    rows, number = [], itertools.count()
    for part in PRINTED[rho].split():
        pattern, _, times = part.partition(":")
        for item in itertools.islice(number, int(times)):
            rows += [(item, who, x) for who, x in zip("cabd", pattern, strict=True) if x != "-"]
    result = sa.alt_test(sa.LabelTable.from_rows(rows), "c", epsilon=0.2)
    verdict = result.verdicts["accuracy"]
    assert (verdict.winning_rate_t, verdict.passes_t) == (0, False)
    assert round(verdict.advantage, 2) == rho
    assert {one.name: one.instances for one in verdict.annotators} == {"a": 74, "b": 84, "d": 88}


def test_nothing_marked_by_anybody_is_no_evidence():
    """Documents in which nobody marked anything are counted apart; in others, nothing may agree."""
    some = [(0, 2, "X")]
    layers = {"a": [[]] * 60, "b": [[]] * 60, "d": [some] * 40 + [[]] * 20, "c": [[]] * 60}
    result = sa.alt_test(sa.Corpus.from_segments([9] * 60, layers), "c", 0.1)
    assert result.empty == 20 * 3
    for verdict in result.verdicts.values():
        rho = {one.name: one[1:5] for one in verdict.annotators}
        # of d left out, the others mark nothing: the candidate wins where she marked something
        assert rho == {"a": (40, 0, 1, 0), "b": (40, 0, 1, 0), "d": (40, 40, 1, -1)}
    assert "60 instances in which nobody marked anything: no evidence, left out" in str(result)
    assert result.notes[-1] == (
        "40 of 120 comparisons have no score, as candidate or annotator marked nothing and nor did"
        " any of the others, or chance alone gives 1: counted as full agreement with the others"
    )


def test_who_marks_nothing_does_not_pass():
    """Five annotators who mark the same eighth of all documents are not matched by an empty layer,
    raw or corrected; where all of them mark a twelfth of 200, too few documents are left."""
    rng = random.Random(4)
    drawn = [
        [(s := rng.randrange(12), s + 3, "X")] if rng.random() < 0.3 else [] for _ in range(200)
    ]
    names = "abdef"
    layers = {n: [x if rng.random() < 0.8 else [] for x in drawn] for n in names}
    corpus = sa.Corpus.from_segments([15] * 200, {**layers, "c": [[]] * 200})
    for match in ("exact", "token"):
        result = sa.alt_test(corpus, "c", 0.1, match=match)
        for each in result.verdicts.values():
            assert not each.passes
            assert math.isnan(each.winning_rate)
            assert sum(one.advantage > 0.9 for one in each.annotators) == 0
    few = {n: [[(0, 2, "X")]] * 16 + [[]] * 184 for n in names}
    corpus = sa.Corpus.from_segments([15] * 200, {**few, "c": [[]] * 200})
    with pytest.raises(sa.SettingError, match="the most is 16, and 920 instances in which nobody"):
        sa.alt_test(corpus, "c", 0.1)


def test_chance_that_is_more_than_all():
    """Where chance alone gives 1 or more, as it may by overlapping, the one who agrees less loses.

    Theory: two segments of one token in two tokens match twice by chance of any two who have both
    (each of four pairs in half of all draws), so F1 by chance is 1; the candidate, who marked one of
    the two, shares it and agrees less, though of nobody there is a figure above chance.
    """
    two, one = [(0, 1, "X"), (1, 2, "X")], [(0, 1, "X")]
    layers = {"a": [two] * 30, "b": [two] * 30, "c": [one] * 30}
    corpus = sa.Corpus.from_segments([2] * 30, layers)
    assert sa.agree(corpus, chance="overlapping")["a", "b"].f1.expected == 1
    test = sa.alt_test(corpus, "c", 0.1, chance="overlapping")
    for kind in ("observed", "corrected"):
        assert test.verdicts[kind].advantage == 0
    assert test.notes[-1].endswith(
        "or chance alone gives 1: F1 counts there, or 1 if that is undefined"
    )


def test_labels():
    """Accuracy of items, with gaps, by the definition; whoever is not asked for does not count."""
    rng = random.Random(2)
    given = {
        who: {i: rng.choice("xxyz") for i in range(80) if rng.random() < 0.8} for who in "abdec"
    }
    people = ["a", "b", "d"]
    scores = []
    for j in people:
        each = []
        for i in given[j].keys() & given["c"].keys():
            rest = [given[o][i] for o in people if o != j and i in given[o]]
            if rest:
                each.append([sum(x == r for r in rest) / len(rest) for x in (given["c"][i], given[j][i])])  # fmt: skip
        scores.append(each)
    rows = [(i, who, x) for who, labels in given.items() for i, x in labels.items()]
    table = sa.LabelTable.from_rows(rows)
    result = sa.alt_test(table, "c", epsilon=0.15, annotators=people)
    rate, rho, p = by_definition(scores, 0.15)
    verdict = result.verdicts["accuracy"]
    assert (verdict.winning_rate_t, verdict.advantage) == pytest.approx((rate, rho))
    assert [one.p_t for one in verdict.annotators] == pytest.approx(p)
    assert "|chosen:a,b,d|" in result.signature
    assert "items:labels" in result.signature


def test_benjamini_yekutieli():
    """The corrected p is at most q where the step-up thresholds reject, by all steps tried."""
    rng = random.Random(3)
    for m in (1, 2, 5, 13):
        p = [rng.random() ** 4 for _ in range(m)]
        harmonic = sum(1 / k for k in range(1, m + 1))
        for q in (0.01, 0.05, 0.5):
            ranked = sorted(p)
            most = max((i for i in range(m) if ranked[i] <= (i + 1) / m * q / harmonic), default=-1)
            rejected = set(ranked[: most + 1])
            assert {a for a, b in zip(p, benjamini_yekutieli(p), strict=True) if b <= q} == rejected


# --- simulated annotators -----------------------------------------------------------------------


def answers(rng, people, items, right, candidate):
    """Labels of people who are right with a probability, and a candidate with its own."""
    shares = {**{f"h{i}": right for i in range(people)}, "c": candidate}
    return sa.LabelTable.from_rows(
        [
            (i, who, "true" if rng.random() < share else f"false{rng.integers(3)}")
            for who, share in shares.items()
            for i in range(items)
        ]
    )


@pytest.mark.long
@pytest.mark.parametrize(("candidate", "passes"), [(1.0, True), (0.8, True), (0.2, False)])
def test_simulated_candidates(candidate, passes):
    """Who knows the truth passes, who is as good as people does with ε, who guesses does not."""
    table = answers(np.random.default_rng(1), 5, 200, 0.8, candidate)
    verdict = sa.alt_test(table, "c", epsilon=0.15).verdicts["accuracy"]
    assert verdict.passes is verdict.passes_t is passes
    assert (verdict.advantage > 0.75) is passes


def test_graded_labels():
    """−RMSE of numbers, with gaps, by the definition; the wins and losses, and the exact p."""
    rng = random.Random(5)
    given = {
        who: {i: rng.choice([1, 1.5, 2, 4]) for i in range(80) if rng.random() < 0.8}
        for who in "abdc"
    }
    rows = [(i, who, str(x)) for who, labels in given.items() for i, x in labels.items()]
    result = sa.alt_test(sa.LabelTable.from_rows(rows), "c", 0.2, score="neg-rmse")
    (kind,) = result.verdicts
    assert kind == "neg_rmse"
    assert "|score:neg-rmse|" in result.signature
    scores = []
    for left in result.verdicts[kind].annotators:
        each = []
        for i in given[left.name].keys() & given["c"].keys():
            rest = [given[o][i] for o in "abd" if o != left.name and i in given[o]]
            if rest:
                of = [sum((x[i] - r) ** 2 for r in rest) for x in (given["c"], given[left.name])]
                each.append([-math.sqrt(x / len(rest)) for x in of])
        scores.append(each)
        wins, losses = (sum(a > b for a, b in each), sum(a < b for a, b in each))
        assert (left.instances, left.decided) == (len(each), wins + losses)
        assert left.p == pytest.approx(compute_exact_p(losses, wins, len(each), 0.2))
    rate, rho, p = by_definition(scores, 0.2)
    verdict = result.verdicts[kind]
    assert (verdict.winning_rate_t, verdict.advantage) == pytest.approx((rate, rho))
    assert [one.p_t for one in verdict.annotators] == pytest.approx(p)
    odd = sa.LabelTable.from_rows([*rows, (0, "e", "high")])
    with pytest.raises(sa.SettingError, match="label 'high' is not a number"):
        sa.alt_test(odd, "c", 0.2, score="neg-rmse")


# --- order, gaps, and what is refused -----------------------------------------------------------


@pytest.mark.parametrize("who", ["n1", "c"])
def test_annotations_that_overlap_themselves(who):
    """Chance that is to keep them apart cannot place them: whoever has them is named."""
    layers = made_up(4, documents=40)
    layers[who][7] = [(0, 3, "X"), (2, 4, "Y")]
    with pytest.raises(sa.SettingError, match=f"^annotator '{who}', document '8': segments 0–3"):
        sa.alt_test(
            sa.Corpus.from_segments([7] * 40, layers), "c", epsilon=0.1, chance="nonoverlapping"
        )


def test_order_changes_no_digit():
    """Documents and annotators in another order give the same test."""
    layers = made_up(9, alike=0.8)
    turned = {n: layers[n][::-1] for n in reversed(layers)}
    one, other = (
        sa.alt_test(sa.Corpus.from_segments([7] * 45, x), "c", epsilon=0.1, match="token")
        for x in (layers, turned)
    )
    for kind, verdict in one.verdicts.items():
        again = other.verdicts[kind]
        assert verdict[:5] == again[:5]
        assert sorted(verdict.annotators) == sorted(again.annotators)
    assert one.signature == other.signature


def test_who_saw_little_is_left_out():
    """Of fewer than 30 instances an annotator is left out and named; of 30 she is not."""
    layers = made_up(4, documents=40)
    seen = [layers["n0"][d] is not None and layers["c"][d] is not None for d in range(40)]
    others = [any(layers[f"n{i}"][d] is not None for i in (1, 2, 3)) for d in range(40)]
    shared = np.flatnonzero(np.array(seen) & others)
    for few, out in ((shared[29:], {"n0": 29}), (shared[30:], {})):
        layers["n0"] = [None if d in few else x for d, x in enumerate(layers["n0"])]
        corpus = sa.Corpus.from_segments([7] * 40, layers)
        result = sa.alt_test(corpus, "c", epsilon=0.1)
        if out:
            assert result.left_out == out
            assert "left out, with fewer than 30 instances: n0 (29)" in str(result)
        layers = made_up(4, documents=40)
    assert result.left_out == {}


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({"epsilon": 1}, "epsilon 1; a number from 0 to below 1 is needed"),
        ({"epsilon": True}, "epsilon True; a number from 0 to below 1 is needed"),
        ({"candidate": "x"}, "unknown candidate 'x'; allowed: a, b, c"),
        ({"annotators": ["a", "x"]}, "unknown annotator 'x'; allowed: a, b, c"),
        ({"annotators": "a"}, "annotators 'a'; a list of names is needed"),
        ({"annotators": ["a", "c"]}, "candidate 'c' is among the annotators; leave it out there"),
        ({"score": "r"}, "unknown score 'r'; allowed: accuracy, neg-rmse"),
        ({"score": "neg-rmse"}, "score 'neg-rmse' is for a table of labels; leave it out"),
        ({}, "no annotator has 30 documents that the candidate 'c' and another saw too; the most is 29"),
    ],
)  # fmt: skip
def test_refused(how, message):
    """What cannot be tested is refused, and what to do is said."""
    corpus = sa.Corpus.from_segments([6] * 29, {n: [[(0, 2, "X")]] * 29 for n in "abc"})
    with pytest.raises(sa.SettingError) as error:
        sa.alt_test(corpus, **{"candidate": "c", "epsilon": 0.1, **how})
    assert str(error.value).startswith(message)


def test_refused_labels():
    """A table without annotators is refused; so is one with too few items."""
    table = sa.LabelTable.from_rows([(i, a, "x") for i in range(9) for a in "abc"])
    with pytest.raises(sa.SettingError, match="no annotator has 30 items that the candidate"):
        sa.alt_test(table, "c", epsilon=0.1)
    with pytest.raises(sa.SettingError, match="unknown candidate 'c'"):
        sa.alt_test(sa.LabelTable.from_counts([[2, 1]], ["x", "y"]), "c", epsilon=0.1)


# --- the command --------------------------------------------------------------------------------


@pytest.mark.long
def test_the_command(run, tmp_path):
    """The command gives the figures of Python, of spans and of a table of labels."""
    pytest.importorskip("matplotlib")
    path, plot = tmp_path / "crowd.jsonl", tmp_path / "plot.svg"
    corpus = sa.Corpus.from_segments([7] * 45, made_up(6))
    sa.write_jsonl(corpus, path)
    options = ("--candidate", "c", "--epsilon", "0.1", "--format", "json")
    code, out, _ = run("alt-test", path, *options, "--match", "token", "--plot", plot)
    result = sa.alt_test(corpus, "c", epsilon=0.1, match="token")
    data = json.loads(out)
    assert code == 0
    assert data["tables"] == json.loads(json.dumps(result.to_dict()["tables"]))
    assert "n0" in plot.read_text("utf-8")
    for by in ([], ["--by", "annotator"]):
        code, out, _ = run("alt-test", path, *options[:4], "--explain", *by)
        assert (code, "replace an annotator? ε 0.1" in out) == (0, True)
    rows = [(i, a, "xy"[(i * len(a)) % 2]) for i in range(40) for a in ("p", "qq", "c")]
    table = tmp_path / "labels.csv"
    table.write_text("item,annotator,label\n" + "\n".join(",".join(map(str, x)) for x in rows), "utf-8")  # fmt: skip
    code, out, _ = run("alt-test", table, "--table", *options)
    expected = sa.alt_test(sa.LabelTable.from_rows(rows), "c", epsilon=0.1).to_dict()
    assert json.loads(out)["tables"] == json.loads(json.dumps(expected["tables"]))
    for line, message in (
        ([path, "--candidate", "c"], "Missing option '--epsilon'"),
        (
            [table, "--table", *options, "--match", "token"],
            "--match does not go with --table: it is for spans",
        ),
        ([path, *options, "--wide"], "--wide needs --table"),
    ):
        code, _, err = run("alt-test", *line)
        assert code != 0
        assert message in err


@pytest.mark.parametrize(("name", "documents"), [("fa-tst", 100), ("sv-tst_first80", 80)])
def test_the_majority_of_mushroom_passes(real, name, documents):
    """The page's sentences: ω is 1 and ρ above .97, raw and corrected, of three people, with ε 0."""
    path = real / "data" / "tools" / "mushroom" / f"mushroom.{name}.jsonl"
    corpus = sa.with_baselines(sa.read(path, repair=["drop-empty"]), ["majority"])
    test = sa.alt_test(corpus, "majority", epsilon=0, match="token")
    assert len(corpus) == documents
    for verdict in test.verdicts.values():
        assert (verdict.passes, verdict.winning_rate) == (True, 1)
        assert 0.97 < verdict.advantage <= 1


@pytest.mark.parametrize(("candidate", "passes"), [("median", True), ("random", False)])
def test_grades_of_mbic(real, tmp_path, candidate, passes):
    """The page's sentence on three grades of opinion, as numbers, of the 59 who gave 30 and more.

    Oracle: ρ by its definition, in how many sentences the candidate is as near to the others.
    """
    grades = {"Entirely factual": 1, "Somewhat factual but also opinionated": 2}
    grades["Expresses writer’s opinion"] = 3
    given = {}
    with (real / "data" / "mbic" / "mbic_slim.csv").open(encoding="utf-8") as file:
        for row in csv.DictReader(file):
            if row["label_opinion"] in grades:
                of_item = given.setdefault(row["sentence_id"], {})
                of_item.setdefault(row["mturk_id"], grades[row["label_opinion"]])
    rng, table, near = random.Random(0), [], {}
    for item, people in given.items():
        median = sorted(people.values())[len(people) // 2]
        mine = median if candidate == "median" else rng.randint(1, 3)
        table += [(item, name, grade) for name, grade in {**people, candidate: mine}.items()]
        for name, grade in people.items():
            others = [x for other, x in people.items() if other != name]
            far = [sum((x - y) ** 2 for y in others) for x in (mine, grade)]
            near.setdefault(name, []).extend([far[0] <= far[1]] if others else [])
    path = tmp_path / "grades.csv"
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("item", "annotator", "label"), *table])
    test = sa.alt_test(sa.read_labels(path), candidate, epsilon=0.1, score="neg-rmse")
    (verdict,) = test.verdicts.values()
    rates = [sum(each) / len(each) for each in near.values() if len(each) >= 30]
    assert len(rates) == 59
    assert verdict.passes is passes
    assert verdict.advantage == pytest.approx(sum(rates) / 59)
    assert round(verdict.winning_rate, 3) == {"median": 0.966, "random": 0}[candidate]
    assert round(verdict.advantage, 3) == {"median": 0.976, "random": 0.568}[candidate]


def test_mushroom_has_too_few_english_answers_for_each(real):
    """Nobody of the first 40 English answers saw more than 11: the test refuses."""
    path = real / "data" / "tools" / "mushroom" / "mushroom.en-tst_first40.jsonl"
    corpus = sa.with_baselines(sa.read(path, repair=["drop-empty"]), ["majority"])
    with pytest.raises(sa.SettingError, match=r"no annotator has 30 documents .*; the most is 11"):
        sa.alt_test(corpus, "majority", epsilon=0.1, match="token")


@pytest.mark.long
def test_chance_may_change_the_verdict():
    """On the made-up answers the one who marks nearly everything passes raw, not above chance."""
    corpus = sa.read(Path(__file__).parents[2] / "corpora/answers/answers.jsonl")
    people = [name for name in corpus.layers if name not in ("detector", "eager")]
    test = sa.alt_test(corpus, "eager", 0.2, annotators=people, match="token")
    assert [test.verdicts[kind].passes for kind in ("observed", "corrected")] == [True, False]


def test_a_measure_that_is_unknown_is_refused_with_labels_too():
    """Of a table of labels a measure has no effect; a name that is none is refused all the same."""
    table = sa.LabelTable.from_rows([(i, who, "x") for i in range(40) for who in "abc"])
    with pytest.raises(sa.SettingError, match="unknown match"):
        sa.alt_test(table, "a", 0.1, match="nonsense")
    assert "items" in str(sa.alt_test(table, "a", 0.1).table().caption)


@pytest.mark.long
def test_a_candidate_that_marks_nothing():
    """Where people agree too little an empty annotation ties with all: it is not tested, nor passes."""
    rng = random.Random(2)
    people = {
        name: [
            [(at, at + 2, "X")] if rng.random() < 0.08 else [] for at in range(8) for _ in range(25)
        ]
        for name in "abcde"
    }
    corpus = sa.Corpus.from_segments([10] * 200, {**people, "m": [[]] * 200})
    made = sa.alt_test(corpus, "m", 0.1)
    says(made.verdict, "m marked nothing … no evidence")
    for each in made.verdicts.values():
        assert (each.passes, each.passes_t) == (False, False)
        assert math.isnan(each.winning_rate)
        assert all(math.isnan(one.p) and math.isnan(one.p_t_by) for one in each.annotators)
    assert "m marked nothing" in made.table().remarks[1]
    (row, _) = made.to_dict()["tables"]["scores"]
    assert row["winning_rate"] is None
    assert made.to_dict()["summary"]["marked"] == 0
    assert "marked nothing" not in sa.alt_test(corpus, "a", 0.1).verdict


@pytest.mark.parametrize(("marked_in", "said"), [(1, True), (5, True), (6, False), (60, False)])
def test_a_candidate_that_marks_hardly_anything(marked_in, said):
    """Beside people who share nothing, ties with nothing let it pass: the verdict says so."""
    spans = [[(4 * i, 4 * i + 3, "X")] for i in range(4)]
    layers = {who: [spans[i]] * 60 for i, who in enumerate("abc")}
    layers["m"] = [spans[3] if d < marked_in else [] for d in range(60)]
    made = sa.alt_test(sa.Corpus.from_segments([16] * 60, layers), "m", 0.1)
    assert made.verdicts["observed"].passes
    about = f"It marked something in {marked_in} of 60 documents in which somebody did"
    assert (about in made.verdict) is said
    assert made.to_dict()["summary"]["marked_in"] == marked_in
