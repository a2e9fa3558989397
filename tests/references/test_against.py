"""Systems against many annotators and the ceiling of these, against enumeration in fractions."""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
import random
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from oracles import configurations, enumerated_expectation, matched
from scipy import stats
from strategies import PAIRS, at_most, crowds, spans

import spanagree as sa
from spanagree.comparisons import annotation_pairs
from spanagree.comparisons.measures import MEASURES

# --- twenty independent lines -------------------------------------------------------------------


def f1_of(sums):
    """Observed, expected and corrected from matched, expected and size; None where undefined."""
    m, e, size = sums
    if not size:
        return None, None, None
    observed, expected = 2 * m / size, 2 * e / size
    return observed, expected, (observed - expected) / (1 - expected) if expected != 1 else None


def added(pairs, weight=1):
    """The sums of matched, expected and size over pairs."""
    return [sum((weight * pair[k] for pair in pairs), Fraction(0)) for k in range(3)]


def by_hand(lengths, layers, people, match, chance):
    """What each system, each reference, the ceiling, and each share come to, in fractions."""

    def pair(d, a, b):
        one, other = spans(layers[a][d]), spans(layers[b][d])
        size = sum(s[1] if match == "token" else 1 for s in one + other)
        shapes = [[s[1:] for s in side] for side in (one, other)]
        of = match
        if match == "boundaries":
            shapes = [[(s[1], s[2]) for s in side] for side in (one, other)]
        by_chance = enumerated_expectation(lengths[d], *shapes, of, chance)
        return matched(one, other, match), by_chance, Fraction(size)

    documents = range(len(lengths))
    saw = {d: [p for p in people if layers[p][d] is not None] for d in documents}
    against = {
        p: added([pair(d, p, q) for d in documents if p in saw[d] for q in saw[d] if q != p])
        for p in people
    }
    result = {"people": {p: f1_of(sums) for p, sums in against.items()}, "systems": {}, "share": {}}
    result["ceiling"] = f1_of(added(against.values()))
    for s in layers.keys() - set(people):
        mine = {d: [pair(d, s, p) for p in saw[d]] for d in documents if layers[s][d] is not None}
        result["systems"][s] = f1_of(added([x for pairs in mine.values() for x in pairs]))
        alike = added([added(pairs, len(pairs) - 1) for pairs in mine.values() if pairs])
        theirs = [pair(d, p, q) for d in mine for p, q in itertools.permutations(saw[d], 2)]
        both = zip(f1_of(alike), f1_of(added(theirs)), strict=True)
        result["share"][s] = [None if None in x or x[1] <= 0 else x[0] / x[1] for x in both]
    return result


def same(score, figures):
    for value, expected in zip(score[:3], figures, strict=True):
        assert (
            math.isnan(value) if expected is None else math.isclose(value, expected, abs_tol=1e-9)
        )


def label_by_hand(lengths, layers, people, match, chance, label):
    """The figures of a system, of the ceiling and of the share on one label, all placed anew."""

    def only(segments):
        return tuple(s for s in segments if s[2] == label)

    def pair(d, a, b):
        sides = [spans(layers[x][d]) for x in (a, b)]
        every = [[*configurations(lengths[d], [s[1:] for s in x], chance)] for x in sides]
        each = [matched(only(x), only(y), match) for x, y in itertools.product(*every)]
        one, other = map(only, sides)
        size = sum(s[1] if match == "token" else 1 for s in one + other)
        return matched(one, other, match), Fraction(sum(each), len(each)), Fraction(size)

    (system,) = layers.keys() - set(people)
    saw = [[p for p in people if layers[p][d] is not None] for d in range(len(lengths))]
    mine = [d for d in range(len(lengths)) if layers[system][d] is not None]
    pairs = {d: [pair(d, system, p) for p in saw[d]] for d in mine}
    theirs = [[pair(d, *x) for x in itertools.permutations(saw[d], 2)] for d in range(len(lengths))]
    ceiling = f1_of(added([x for each in theirs for x in each]))
    alike = f1_of(added([added(pairs[d], len(pairs[d]) - 1) for d in mine]))
    both = zip(alike, f1_of(added([x for d in mine for x in theirs[d]])), strict=True)
    share = [None if None in x or x[1] <= 0 else x[0] / x[1] for x in both]
    return f1_of(added([x for d in mine for x in pairs[d]])), ceiling, share


def two_documents(lengths, layers):
    """The first two documents of a crowd, with two segments at most of each annotator."""
    return lengths[:2], {n: [x and x[:2] for x in each[:2]] for n, each in layers.items()}


@pytest.mark.long
@pytest.mark.parametrize(("match", "chance"), [p for p in PAIRS if MEASURES[p[0]].of_label])
@at_most(12)
@given(crowd=crowds(most=4))
def test_figures_of_a_label(match, chance, crowd):
    """Of each label F1, ceiling and share are those of enumeration, other labels in the way."""
    lengths, layers = two_documents(*crowd)
    people = list(layers)[1:]
    corpus = sa.Corpus.from_segments(lengths, layers)
    result = sa.evaluate_references(corpus, people, match=match, chance=chance)
    (system,) = result.systems.values()
    assert [*system.labels] == [*corpus.labels]
    for label, own in system.labels.items():
        f1, ceiling, share = label_by_hand(lengths, layers, people, match, chance, label)
        same(own.f1, f1)
        same(own.share, share)
        same(result.ceiling.labels[label], ceiling)


@pytest.mark.long
@pytest.mark.parametrize(("match", "chance"), PAIRS)
@at_most(30)
@given(crowd=crowds(most=5))
def test_pooled_figures(match, chance, crowd):
    """Systems, references, ceiling and shares are those of enumeration, with gaps."""
    lengths, layers = two_documents(*crowd)
    people = list(layers)[1:]  # the system is the first layer
    corpus = sa.Corpus.from_segments(lengths, layers)
    result = sa.evaluate_references(corpus, people, match=match, chance=chance)
    true = by_hand(lengths, layers, people, match, chance)
    same(result.ceiling.f1, true["ceiling"])
    for name, figures in true["systems"].items():
        same(result[name].f1, figures)
        same(result[name].share, true["share"][name])
    for name, figures in true["people"].items():
        same(result.people[name].f1, figures)


# --- crowds -------------------------------------------------------------------------------------


def many(annotators, documents, seed=1, gaps=0.2, length=30):
    """A corpus of so many annotators a0, a1 … with gaps, and a system m that saw most."""
    rng = random.Random(seed)
    true = [sorted(rng.sample(range(2, length - 2), 6)) for _ in range(documents)]

    def layer(d, share):
        if rng.random() < share:
            return None
        cuts = [cut + rng.choice((0, 0, 0, 1)) for cut in true[d]]
        ends = zip(cuts[::2], cuts[1::2], strict=True)
        kept = [(a, b) for a, b in ends if a < b and rng.random() < 0.8]
        return [(a, b, rng.choice("XXY")) for a, b in kept]

    names = ["m", *(f"a{i}" for i in range(annotators))]
    layers = {n: [layer(d, gaps) for d in range(documents)] for n in names}
    return [length] * documents, layers


@pytest.mark.parametrize("match", ["exact", "token"])
def test_a_crowd_at_once_is_the_same_as_its_pairs(match, monkeypatch):
    """Products of a crowd and its pairs one by one give the same figures, to 1e-12."""
    corpus = sa.Corpus.from_segments(*many(14, 9))
    one = sa.evaluate_references(corpus, systems=["m"], match=match)
    monkeypatch.setattr(annotation_pairs, "CROWD", 99)
    other = sa.evaluate_references(corpus, systems=["m"], match=match)
    for a, b in [
        (one["m"].f1, other["m"].f1),
        (one["m"].share, other["m"].share),
        (one.ceiling.f1, other.ceiling.f1),
        *((one["m"].labels[x].f1, other["m"].labels[x].f1) for x in "XY"),
        *((one["m"].labels[x].share, other["m"].labels[x].share) for x in "XY"),
        *((one.ceiling.labels[x], other.ceiling.labels[x]) for x in "XY"),
        *((one.people[n].f1, other.people[n].f1) for n in one.people),
    ]:
        assert a[:3] == pytest.approx(b[:3], abs=1e-12)


@pytest.mark.long
@pytest.mark.parametrize("annotators", [3, 12])
def test_the_ceiling_is_what_agree_says(annotators):
    """The ceiling is the team's F1 of the references, and each of them is as `agree` has her."""
    corpus = sa.Corpus.from_segments(*many(annotators, 8))
    people = list(corpus.annotators[1:])
    for match in ("exact", "token", "iou", "overlap")[: 4 if annotators == 3 else 2]:
        team = sa.agree(corpus, annotators=people, match=match, ci=sa.Jackknife())  # fmt: skip
        how = {"match": match, "ci": sa.Jackknife()}  # which draws nothing
        result = sa.evaluate_references(corpus, people, **how)
        assert result.ceiling.f1[:3] == pytest.approx(team.team.f1[:3], abs=1e-12)
        assert result.ceiling.documents == team.team.documents
        for name in people:
            member, person = team.annotators[name].f1, result.people[name].f1
            assert person[:3] == pytest.approx(member[:3], abs=1e-12)
            ends = zip(person.interval[:3], member.interval[:3], strict=True)
            assert all(own == pytest.approx(hers, abs=1e-9) for own, hers in ends)


def test_one_reference_is_gold():
    """Against one reference F1 is that of `evaluate`, and there is no ceiling."""
    corpus = sa.Corpus.from_segments(*many(1, 12))
    result = sa.evaluate_references(corpus, ["a0"], match="token")
    gold = sa.evaluate(corpus, "a0", match="token")["m"].f1
    assert result["m"].f1[:3] == pytest.approx(gold[:3], abs=1e-12)
    assert result.ceiling.f1.reason == "no document that two references saw"
    assert result["m"].share.reason == "no document that two references saw"
    assert "human agreement is undefined" in str(result)


def without_intervals(scored):
    """A system, or people, and their labels, without the intervals of scores; all scores beside."""
    scores = []

    def plain(value):
        if isinstance(value, sa.Score):
            scores.append(value)
            return value._replace(interval=None)
        if isinstance(value, Mapping):
            return {key: plain(value[key]) for key in sorted(value)}
        if dataclasses.is_dataclass(value):
            return {key: plain(each) for key, each in vars(value).items()}
        if isinstance(value, tuple) and hasattr(value, "_fields"):
            return {key: plain(each) for key, each in value._asdict().items()}
        return value

    return plain(scored), scores


def test_order_changes_figures_not_at_all():
    """Documents and annotators in another order give the same figures, to the last digit.

    Ends of intervals are of plain sums over documents, which another order rounds otherwise: of 7
    documents by fewer than 7 · 2⁻⁵², relative to sums of squares; 1e-12 is a thousand times that.
    """
    lengths, layers = many(11, 7)
    lengths = [30, 31, 32, 30, 31, 33, 30]
    how = {"systems": ["m"], "match": "token"}
    whole = sa.Corpus.from_segments(lengths, layers)
    turned = {n: layers[n][::-1] for n in reversed(layers)}
    other = sa.Corpus.from_segments(lengths[::-1], turned)
    a, b = (sa.evaluate_references(c, ci=sa.Jackknife(), **how) for c in (whole, other))
    people = [{name: each.people[name] for name in a.people} for each in (a, b)]
    n_scores = 0
    for one, two in ((a["m"], b["m"]), (a.ceiling, b.ceiling), people):
        (figures, scores), (others, other_scores) = map(without_intervals, (one, two))
        assert figures == others
        for score, other_score in zip(scores, other_scores, strict=True):
            n_scores += 1
            ends = np.array([score.interval[:3], other_score.interval[:3]])
            assert ends[0] == pytest.approx(ends[1], abs=1e-12, nan_ok=True)
            assert score.interval[3:5] == other_score.interval[3:5]
    assert n_scores > 10
    assert a.signature == b.signature


def test_order_of_documents_that_differ_in_who_saw_them():
    """The same was marked in both, by others: the order changes nothing."""
    one, two, its = [(0, 3, "X")], [(2, 6, "X")], [(1, 4, "X")]
    layers = {"a": [one, None], "b": [two, one], "c": [None, two], "m": [its, its]}
    how = {"systems": ["m"], "match": "token"}
    people = [
        sa.evaluate_references(sa.Corpus.from_segments([9, 9], each), **how).people
        for each in (layers, {name: rows[::-1] for name, rows in layers.items()})
    ]
    assert dict(people[0]) == dict(people[1])


def test_what_stands_out_and_who_is_drawn():
    """The best observed and corrected figures stand out; by annotator, each has a row in a picture."""
    result = sa.evaluate_references(sa.Corpus.from_segments(*many(11, 7)), systems=["m"])
    assert result.table().best == (
        "F1",
        "corrected F1",
        "system/human F1",
        "system/human corrected",
    )
    wide, tall = result._build_plot("annotator").size
    assert wide >= result._build_plot(None).size[0]
    assert tall > result._build_plot(None).size[1]


def test_marking_everything_is_chance():
    """By tokens of one label, who marks everything is at chance exactly, against any references."""
    lengths, layers = many(12, 9)
    only = {n: [x and [(a, b, "X") for a, b, _ in x] for x in each] for n, each in layers.items()}
    only["all"] = [[(0, n, "X")] for n in lengths]
    corpus = sa.Corpus.from_segments(lengths, only)
    f1 = sa.evaluate_references(corpus, systems=["all", "m"], match="token")["all"].f1
    assert f1.observed > 0.3
    assert abs(f1.corrected) < 1e-12


def test_a_share_weighs_documents_as_the_ceiling_does():
    """A system that does as people do has a share of 1, whoever saw which documents.

    Theory: in the first document, which six saw, all agree; in the second, which two saw, F1 of
    any two is 1/2, that of the system too. Pooled as it is, it would be below or above.
    """
    four, two, one = [(0, 1, "X"), (3, 4, "X")], [(0, 1, "X"), (6, 7, "X")], [(0, 1, "X")]
    layers = {f"a{i}": [four, None] for i in range(4)}
    layers |= {"a4": [four, four], "a5": [four, two], "m": [four, [(0, 1, "X"), (8, 9, "X")]]}
    result = sa.evaluate_references(sa.Corpus.from_segments([10, 10], layers), systems=["m"])
    assert result["m"].share.observed == pytest.approx(1, abs=1e-12)
    assert result["m"].f1.observed != result["m"].ceiling.observed
    # a system that saw one document is held against people on that one
    layers["m"][0] = None
    result = sa.evaluate_references(sa.Corpus.from_segments([10, 10], layers), systems=["m"])
    assert result["m"].ceiling.observed == 0.5
    assert (result["m"].documents, result.ceiling.documents) == (1, 2)
    # with no ceiling above 0 there is no share
    layers = {"a": [one], "b": [[(8, 9, "X")]], "m": [one]}
    share = sa.evaluate_references(sa.Corpus.from_segments([10], layers), ["a", "b"])["m"].share
    assert math.isnan(share.corrected)
    assert share.reason == "the corrected F1 of the references is not above 0"


@pytest.mark.long
def test_the_interval_of_a_share():
    """A share's interval by the jackknife is that of leaving out one document at a time, by hand."""
    lengths, layers = many(4, 12, gaps=0.1)
    corpus = sa.Corpus.from_segments(lengths, layers)
    how = {"systems": ["m"], "match": "token"}
    result = sa.evaluate_references(corpus, ci=sa.Jackknife(), **how)
    shares = []
    used = [
        d for d in range(12)
        if layers["m"][d] is not None and sum(layers[f"a{i}"][d] is not None for i in range(4)) > 1
    ]  # fmt: skip
    for d in used:
        rest = corpus.subset([x for x in range(12) if x != d])
        shares.append(sa.evaluate_references(rest, **how)["m"].share.corrected)
    middle = result["m"].share.corrected
    low, high = result["m"].share.interval.corrected
    alone = [sa.evaluate_references(corpus.subset([d]), **how)["m"].share for d in used]
    n = sum(not np.isnan(share.observed) for share in alone)  # with a share of their own
    assert 1 < n < len(used)
    squares = (np.array(shares) - middle) ** 2
    variance = squares.sum()
    df = 2 * variance**2 / ((squares**2).sum() - variance**2 / n)  # Satterthwaite's
    spread = np.sqrt(variance)
    t = stats.t.ppf(0.975, np.clip(df, 1, n - 1))
    assert (low, high) == pytest.approx((middle - t * spread, middle + t * spread), abs=1e-6)


def test_whole_documents_are_clusters():
    """Left out by document, sentences of a document go together: two documents, two units."""
    corpus = sa.Corpus.from_segments(*many(3, 6))
    corpus = replace(corpus, parent_ids=np.array([0, 0, 0, 1, 1, 1]))
    how = {"systems": ["m"], "match": "token", "ci": sa.Jackknife()}
    by_unit = sa.evaluate_references(corpus, **how)
    by_document = sa.evaluate_references(
        corpus, **{**how, "ci": replace(how["ci"], cluster_by="document")}
    )
    assert by_unit["m"].f1[:3] == by_document["m"].f1[:3]
    halves = [
        sa.evaluate_references(corpus.subset(part), **how)["m"].share.observed
        for part in ([0, 1, 2], [3, 4, 5])
    ]
    low, high = by_document["m"].share.interval.observed
    middle = by_document["m"].share.observed
    spread = np.hypot(halves[0] - middle, halves[1] - middle)  # each lacks the other document
    reach = stats.t.ppf(0.975, 1) * spread
    assert (low, high) == pytest.approx((middle - reach, middle + reach), abs=1e-6)


def test_what_is_undefined_is_said():
    """A system's own figure, or its share alone; what is so of all labels is said once."""
    one = [(0, 1, "X")]
    layers = {"a": [one, None], "b": [None, one], "m": [one, one], "z": [None, None]}
    result = sa.evaluate_references(sa.Corpus.from_segments([4, 4], layers), ["a", "b"])
    apart = "no document that two references saw"
    expected = [
        f"–: m: share undefined: {apart}",
        "–: z: undefined: no document with a reference",
        f"–: human agreement is undefined: {apart}",
    ]
    for by in (None, "label"):
        assert [x for x in result.table(by).remarks if x.startswith("–")] == expected
    layers = {"a": [one], "b": [one], "m": [[(2, 3, "Y")]]}
    result = sa.evaluate_references(sa.Corpus.from_segments([4], layers), ["a", "b"])
    remarks = [x for x in result.table("label").remarks if x.startswith("–")]
    assert remarks == ["–: m, Y: share undefined: neither marked anything"]


def test_documents_not_shared():
    """Which systems lack documents, have others or share none is noted, and is in JSON."""
    one, two = [[(0, 2, "X")]] * 2, [None] * 2
    layers = {"a": [*one, None], "b": [*one, None], "full": [*one, None], "half": [*one[:1], *two],
              "more": [*one, []], "other": [*two, []]}  # fmt: skip
    corpus = sa.Corpus.from_segments([6, 6, 6], layers)
    result = sa.evaluate_references(corpus, ["a", "b"])
    notes = [
        f"{name}: {n} of 3 documents not shared with a reference, left out"
        for name, n in {"full": 1, "half": 2, "more": 1, "other": 3}.items()
    ]
    assert result.to_dict()["notes"] == notes
    assert [s.documents for s in result.systems.values()] == [2, 1, 2, 0]
    assert not sa.evaluate_references(corpus.subset([0]), ["a", "b"], systems=["half"]).notes


# --- nobody, nothing, and what is refused -------------------------------------------------------


@pytest.mark.parametrize("lengths", [[], [6]])
def test_no_pairs_reason(lengths):
    """Without documents, or where each saw others, every figure is undefined, with its reason."""
    nobody = [None] * len(lengths)
    layers = {"a": nobody, "b": [[(0, 1, "X")]] * len(lengths), "m": nobody}
    corpus = sa.Corpus.from_segments(lengths, layers)
    result = sa.evaluate_references(corpus, systems=["m"], ci=sa.Jackknife())
    assert result["m"].f1.reason == "no document with a reference"
    assert result.people["a"].f1.reason == "no document with another reference"
    assert result.to_dict()["tables"]["systems"][-1]["f1"]["corrected"] is None
    assert str(result)


@pytest.mark.parametrize(
    ("how", "message"),
    [
        ({}, "neither references nor systems; name the ones or the others"),
        ({"references": ["a", "x"]}, "unknown annotator 'x'; allowed: a, b, m"),
        ({"references": ["a", "m"], "systems": ["m"]}, "'m' is a reference and a system; name it on"),
        ({"references": ["a", "b", "m"]}, "no system is left; there are 3 annotators: a, b, m; name"),
        ({"systems": ["a", "b", "m"]}, "no reference is left; there are 3 annotators: a, b, m; name"),
        ({"systems": "m"}, "annotators 'm'; a list of names is needed"),
        ({"systems": ["m"], "match": "exakt"}, "unknown match 'exakt'"),
    ],
)  # fmt: skip
def test_refused(how, message):
    """What cannot be compared is refused, and what to do is said."""
    corpus = sa.Corpus.from_segments([6], {n: [[(0, 2, "X")]] for n in "abm"})
    with pytest.raises(sa.SettingError) as error:
        sa.evaluate_references(corpus, **how)
    assert str(error.value).startswith(message)


# --- the command --------------------------------------------------------------------------------


@pytest.fixture
def crowd(tmp_path):
    path = tmp_path / "crowd.jsonl"
    sa.write_jsonl(sa.Corpus.from_segments(*many(4, 20)), path)
    return path


def test_the_command(run, crowd, tmp_path):
    """Either side may be named; JSON has the ceiling, rows the references, a plot is drawn."""
    pytest.importorskip("matplotlib")
    plot = tmp_path / "plot.svg"
    code, out, err = run(
        "evaluate", crowd, "--references", "a0,a1,a2,a3", "--ci",
        "--format", "json", "--plot", plot,
    )  # fmt: skip
    assert (code, err) == (
        0, "spanagree: note: m: 4 of 20 documents not shared with a reference, left out\n"
    )  # fmt: skip
    data = json.loads(out)
    result = sa.evaluate_references(sa.read(str(crowd)), systems=["m"], ci=sa.Jackknife())
    assert data == json.loads(json.dumps(result.to_dict()))
    rows = result.to_dict("annotator")["tables"]["annotators"]
    assert [x["system"] for x in rows][-4:] == ["a0", "a1", "a2", "a3"]
    assert data["tables"]["systems"][0]["share"]["interval"]["kind"] == "jackknife-t"
    assert "human agreement" in plot.read_text("utf-8")
    assert data["signature"] == result.signature
    code, out, _ = run(
        "evaluate", crowd, "--systems", "m", "--by", "annotator", "--explain", "--quiet"
    )
    assert code == 0
    rows = [line.split()[0] for line in out.splitlines() if line.strip()]
    first = rows.index("m")
    assert rows[first : first + 6] == ["m", "human", "a0", "a1", "a2", "a3"]
    assert "system/human corrected: " in " ".join(out.split())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--systems", "m", "--gold", "a0"], "--gold does not go with --systems"),
        (["--systems", "m", "--test", "chance"], "--test does not go with --systems"),
        (["--systems", "m", "--levels", "2"], "--levels needs --by difficulty"),
        (["--systems", "m", "--by", "document"], "--by document does not go with --systems: --systems and --references compare with many annotators, not with one gold"),
        (["--systems", "m", "--seed", "9"], "--seed needs"),
        (["--by", "annotator"], "--by annotator needs --references or --systems"),
    ],
)  # fmt: skip
def test_options_that_do_not_go_together(run, crowd, options, message):
    """Options of gold and those of references exclude each other."""
    code, _, err = run("evaluate", crowd, *options)
    assert code != 0
    assert message in err
    assert "Traceback" not in err


def test_the_command_by_label(run, crowd, tmp_path):
    """A row for each label and system, then for the ceiling; JSON and a picture have them too."""
    pytest.importorskip("matplotlib")
    plot = tmp_path / "plot.svg"
    many = ["evaluate", crowd, "--systems", "m", "--by", "label"]
    code, out, _ = run(*many, "--ci", "--format", "json", "--plot", plot)
    assert code == 0
    data = json.loads(out)
    assert [row["label"] for row in data["tables"]["labels"]] == ["X", "X", "Y", "Y"]
    assert data["tables"]["labels"][0]["f1"]["interval"]["kind"] == "jackknife-t"
    code, out, _ = run(*many, "--format", "csv")
    rows = [line.split(",")[:3] for line in out.splitlines()[1:]]
    people = "human agreement"
    assert code == 0
    assert [row[:2] for row in rows] == [[x, n] for x in "XY" for n in ("m", people)]
    assert people in plot.read_text("utf-8")
    code, out, _ = run(*many, "--match", "boundaries")
    assert code == 0
    assert "no rows for labels: match boundaries disregards them" in out
    empty = sa.Corpus.from_segments([4], {"a": [[]], "m": [[]]})
    result = sa.evaluate_references(empty, ["a"])
    assert result.table("label").remarks[0] == "no rows for labels: there are no labels"
    assert not result.table("label").rows


def test_baselines_are_systems(run, crowd):
    """Baselines of the references stand among the systems; chance is all that everything has."""
    code, out, _ = run(
        "evaluate", crowd, "--systems", "m", "--baseline", "everything,random", "--seed", 2,
        "--format", "json",
    )  # fmt: skip
    assert code == 0
    data = json.loads(out)
    assert [x["system"] for x in data["tables"]["systems"]][:3] == ["m", "everything", "random"]
    assert data["summary"]["references"] == 4
    corpus, people = sa.read(str(crowd)), ["a0", "a1", "a2", "a3"]
    corpus = sa.with_baselines(corpus, ["everything", "random"], references=people, seed=2)
    how = {"seed": 2}
    assert data == json.loads(json.dumps(sa.evaluate_references(corpus, people, **how).to_dict()))
    code, out, _ = run("evaluate", crowd, "--references", "a0,a1", "--baseline", "nothing", "--format", "json")  # fmt: skip
    names = [x["system"] for x in json.loads(out)["tables"]["systems"] if not x["reference"]]
    assert (code, names) == (0, ["m", "a2", "a3", "nothing"])


def test_drawn_means_count_once(monkeypatch):
    """A pair of references stands from both its sides, and its expected match was drawn once."""
    monkeypatch.setattr("spanagree.comparisons.overlap_expected.NEAR_BUDGET", 1)
    rows = [[[(s, s + 1 + (s + k) % 3, "X") for s in range(4 * k, 200, 20)]] for k in range(4)]
    layers = dict(zip(("ann", "bob", "mine", "other"), rows, strict=True))
    corpus = sa.Corpus.from_segments([250], layers)
    made = sa.evaluate_references(corpus, ["ann", "bob"], match="exact-within-1")
    (note,) = (note for note in made.notes if "chance is drawn in 5 pairs" in note)
    pairs = sa.agree(corpus, match="exact-within-1")
    (of_team,) = (note for note in pairs.notes if "chance is drawn in 6 pairs" in note)
    errors = [float(text.rpartition(": ")[2]) for text in (note, of_team)]
    assert errors[0] == pytest.approx(errors[1], rel=0.25)
