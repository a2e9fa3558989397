"""Each annotator among the others: p of being no worse, the interval of the gain, shares of kinds."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pytest
from hypothesis import given
from strategies import crowds

import spanagree as sa
from spanagree.agreement import by_annotator, outliers
from spanagree.agreement.outliers import AnnotationAgreement, compute_outlier_p
from spanagree.cli.main import main
from spanagree.results.display import DisplayTable


def team(documents, quality, seen, rng):
    """A made-up team: who finds the segments of a document with a share, each seen by some."""
    lengths = rng.integers(15, 60, documents).tolist()
    layers = {f"a{i}": [] for i in range(len(quality))}
    for n in lengths:
        hard, true = rng.beta(4, 2), 4 * np.flatnonzero(rng.random(n // 4) < 0.25)
        who = rng.choice(len(quality), seen, replace=False)
        for i, marked in enumerate(layers.values()):
            if i not in who:
                marked.append(None)
                continue
            hit = rng.random(len(true)) < quality[i] * hard + 0.3 * (1 - hard)
            end = true + 2 + (rng.random(len(true)) < 0.2)
            marked.append([(int(a), int(b), "X") for a, b in zip(true[hit], end[hit], strict=True)])
    return sa.Corpus.from_segments(lengths, layers)


def p_of(corpus):
    kept = sa.agree(corpus).per_document
    return compute_outlier_p(AnnotationAgreement.from_pairs(kept), len(corpus.layers))


def scores_by_hand(corpus, name):
    """The scores of all who saw each document of an annotator, their own first, from single pairs."""
    documents = []
    for d in range(len(corpus)):
        one = corpus.subset([d])
        saw = [other for other, layer in one.layers.items() if layer.annotated[0]]
        if name not in saw or len(saw) < 2:
            continue
        saw.sort(key=lambda other: other != name)
        pairs = sa.agree(one).pairs
        parts = [[pairs[a, b].tally for b in saw if b != a] for a in saw]
        sums = [
            (2 * math.fsum(t.matched - t.expected for t in each) / len(each),
             math.fsum(t.size_a + t.size_b - 2 * t.expected for t in each) / len(each))
            for each in parts
        ]  # fmt: skip
        documents.append(sums)
    means = [np.mean(sums, axis=0) for sums in documents]
    level = sum(u for u, _ in means) / sum(v for _, v in means)
    return [[u - level * v for u, v in sums] for sums in documents]


@pytest.mark.parametrize(("documents", "seen"), [(6, 3), (8, 4)])
def test_p_by_enumeration(documents, seen):
    """Each way of drawing an annotator for each document is gone through, from pairs by hand.

    In halves of the documents too: 4 readers of 8 documents can be drawn in 65,536 ways.
    """
    rng = np.random.default_rng(3)
    corpus = team(documents, [0.9, 0.9, 0.6, 0.9], seen, rng)
    assert (corpus.layers["a1"].annotated.sum(), len(corpus.layers["a1"])) > (2, 2)
    for name, p in zip(corpus.layers, p_of(corpus), strict=True):
        scores = scores_by_hand(corpus, name)
        own = sum(each[0] for each in scores)
        sums = [sum(ways) for ways in itertools.product(*scores)]
        assert p == pytest.approx(np.mean([total <= own + 1e-9 for total in sums]), abs=1e-12)


@pytest.mark.long
def test_p_of_wholes_by_enumeration():
    """By document, one annotator is drawn for all its sentences at once, of those who saw them: each
    way is gone through by hand. Sentences of a document that others saw are drawn by themselves."""
    rng = np.random.default_rng(5)
    corpus = team(7, [0.9, 0.9, 0.6], 3, rng)
    gap = sa.Corpus.from_segments(
        [20], {"a0": [[(0, 2, "X")]], "a1": [[(0, 2, "X")]], "a2": [None]}
    )
    assert gap.layers.keys() == corpus.layers.keys()
    parts = [*corpus, *gap]
    layers = {n: [None if d.segments[n] is None else [*d.segments[n]] for d in parts] for n in corpus.layers}  # fmt: skip
    both = sa.Corpus.from_segments([d.length for d in parts], layers).grouped_by([*"aabbbcca"])
    made = sa.agree(both, ci=sa.Jackknife(cluster_by="document"))
    for name, each in made.standings.items():
        scores = scores_by_hand(both, name)
        assert [len(one) for one in scores[:7]] == [3] * 7
        parent_ids = [np.sum(scores[a:b], axis=0) for a, b in ((0, 2), (2, 5), (5, 7))] + scores[7:]
        sums = [sum(ways) for ways in itertools.product(*parent_ids)]
        own = sum(whole[0] for whole in parent_ids)
        assert each.p == pytest.approx(np.mean([total <= own + 1e-9 for total in sums]), abs=1e-9)
    alone = sa.agree(both, ci=sa.Jackknife())
    assert {n: s.p for n, s in alone.standings.items()} != {n: s.p for n, s in made.standings.items()}  # fmt: skip


def test_no_p_without_segments(crowd, tmp_path):
    """Of rows of a file, and of very many pairs, a remark says that and why p is not there."""
    sa.agree(crowd).rows.write(tmp_path / "rows.npz")
    made = sa.agree([sa.agreement.ComparedAnnotators.read(tmp_path / "rows.npz")])
    assert not made.standings
    says = "outliers are not known: their p needs segments, which files of rows do not hold"
    assert any(says in remark for remark in made.table("annotator").remarks)
    assert not any("outlier" in remark for remark in made.table().remarks)
    table = made.sorted("outlier").table("annotator")
    assert "p" not in DisplayTable.from_frame(table).header
    assert [row["annotator"] for row in table.to_rows()] == ["ann", "cem", "bob", "dia", "eli"]
    assert math.isnan(table.to_rows()[0]["p"])
    assert table.to_rows()[0]["segments"] is None


@pytest.mark.long
@pytest.mark.parametrize("documents", [20, 40])
def test_p_by_simulation(documents):
    """The approximation is near 100,000 seeded draws: the nearer, the lower p is."""
    rng = np.random.default_rng(documents)
    corpus = team(documents, [0.9, 0.9, 0.9, 0.2], 3, rng)
    lowest = 1.0
    for name, p in zip(corpus.layers, p_of(corpus), strict=True):
        scores = scores_by_hand(corpus, name)
        own = sum(each[0] for each in scores)
        sums = sum(np.array(each)[rng.integers(0, len(each), 100_000)] for each in scores)
        share = float((sums <= own + 1e-9).mean())
        error = 4 * math.sqrt(share * (1 - share) / 100_000)
        assert abs(p - share) < error + 0.1 * min(share, 1 - share), name
        lowest = min(lowest, p)
    assert lowest < 0.05


@pytest.mark.slow
def test_p_holds_its_level():
    """Of teams in which nobody is worse, a share of at most α has p ≤ α: 500 of each, seeded."""
    for documents, annotators, seen in ((8, 4, 3), (30, 5, 4), (50, 12, 4)):
        rng = np.random.default_rng(documents)
        p = np.array([p_of(team(documents, [0.85] * annotators, seen, rng))[0] for _ in range(500)])
        for alpha in (0.01, 0.05, 0.2):
            share = np.mean(p[~np.isnan(p)] <= alpha)
            assert share < alpha + 4 * math.sqrt(alpha * (1 - alpha) / 500), (documents, alpha)


def test_one_who_is_worse_is_found():
    """One of six who finds half as much stands apart, and nobody else; over a mixed team nobody does."""
    rng = np.random.default_rng(4)
    result = sa.agree(team(80, [0.9] * 5 + [0.4], 4, rng))
    assert [name for name, each in result.standings.items() if each.outlier] == ["a5"]
    assert result.standings["a5"].p_holm == pytest.approx(6 * result.standings["a5"].p)


def test_documents_of_two_say_nothing():
    """Of two annotators both agree alike: p is undefined, and so it is where all are the same."""
    corpus = sa.Corpus.from_segments([9, 9], {"a": [[(0, 2, "X")], []], "b": [[(1, 2, "X")], []]})
    result = sa.agree(corpus)
    assert all(math.isnan(each.p) and not each.outlier for each in result.standings.values())
    assert "agree less" not in str(result.table("annotator").remarks)
    alike = {name: [[(0, 2, "X")]] for name in "abc"}
    assert np.isnan(p_of(sa.Corpus.from_segments([9], alike))).all()
    assert p_of(sa.Corpus.from_segments([], {})).tolist() == []


@pytest.mark.long
@given(crowds())
def test_the_order_of_documents_changes_nothing(drawn):
    """Nor does that of annotators; p is above 0, and at most 1."""
    corpus = sa.Corpus.from_segments(*drawn)
    order = np.random.default_rng(0).permutation(len(corpus)).tolist()
    other = corpus.subset(order).select_annotators(list(corpus.layers)[::-1])
    one, turned = (sa.agree(each, chance="overlapping").standings for each in (corpus, other))
    assert {name: one[name] for name in turned} == turned
    for each in one.values():
        assert math.isnan(each.p) or 0 < each.p <= each.p_holm <= 1


# --- the gain -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_coverage_of_rises():
    """Of 95 % intervals from 60 documents about 95 % hold the gain over 3,000: 400 draws, seeded."""
    rng = np.random.default_rng(6)
    world = team(3000, [0.9, 0.9, 0.8, 0.5], 3, rng)
    truth = {name: m.gain.corrected for name, m in sa.agree(world).annotators.items()}
    held = []
    for _ in range(400):
        part = world.subset(np.sort(rng.choice(3000, 60, replace=False)).tolist())
        members = sa.agree(part, ci=sa.Jackknife()).annotators
        ends = {name: m.gain_interval.corrected for name, m in members.items()}
        held.append([ends[n][0] <= gain <= ends[n][1] for n, gain in truth.items()])
    assert (np.abs(np.mean(held, axis=0) - 0.95) < 4 * math.sqrt(0.95 * 0.05 / 400)).all()


@pytest.mark.long
@pytest.mark.parametrize("documents", [2, 3, 5])
def test_coverage_of_rises_over_few(documents):
    """Three annotators that err as often gain nothing: 95 % intervals hold 0 in about 95 % of 150."""
    rng = np.random.default_rng(documents)
    held = []
    for _ in range(150):
        marked = rng.random((documents, 1, 6)) < 0.6
        marked = marked ^ (rng.random((documents, 3, 6)) < 0.2)
        layers = {
            name: [[(3 * i, 3 * i + 1, "X") for i in np.flatnonzero(d[k])] for d in marked]
            for k, name in enumerate("abc")
        }
        corpus = sa.Corpus.from_segments([18] * documents, layers)
        made = sa.agree(corpus, ci=sa.Jackknife())
        ends = [member.gain_interval.corrected for member in made.annotators.values()]
        held += [[low <= 0 <= high] for low, high in ends if not math.isnan(low)]
    assert np.mean(held) > 0.95 - 4 * math.sqrt(0.95 * 0.05 / 150)


@pytest.mark.parametrize("documents", [1, 2, 6])
def test_no_gain_of_documents_that_are_alike(documents):
    """What documents do not vary has no interval, of any figure: neither 0 wide nor infinite."""
    layers = {"a": [[(0, 1, "X")]], "b": [[(0, 1, "X")]], "c": [[(4, 6, "X"), (8, 9, "X")]]}
    layers = {name: of_one * documents for name, of_one in layers.items()}
    corpus = sa.Corpus.from_segments([9] * documents, layers)
    for member in sa.agree(corpus, ci=sa.Jackknife()).annotators.values():
        assert np.isnan(member.gain_interval[:3]).all()


def test_no_rise_without_a_team(crowd):
    """Of two annotators there is no team without either; a gain is over documents alone."""
    result = sa.agree(crowd, ci=sa.Jackknife(over="annotators"))
    assert result.annotators["dia"].gain_interval.over_annotators is None
    corpus = sa.Corpus.from_segments([9, 9], {n: [[(0, 2, "X")], [(3, 4, "X")]] for n in "ab"})
    ends = sa.agree(corpus, ci=sa.Jackknife()).annotators["a"].gain_interval
    assert math.isnan(ends.corrected[0])
    assert "the team without the annotator is undefined" in ends.reason


# --- shares, orders and the command line --------------------------------------------------------


def test_shares_are_those_of_all_pairs(crowd):
    """The counts are those of disagreements between them and each other; shares add up to 1."""
    result = sa.agree(crowd).standings
    for name, each in result.items():
        total = dict.fromkeys(each.outcomes, 0)
        for other in crowd.layers:
            if other != name:
                for kind, count in sa.disagreements(crowd, other, name).counts.items():
                    total[kind] += count
        assert each.outcomes == total
        assert each.segments == len(crowd.layers[name])
    for kind in next(iter(result.values())).shares:
        assert sum(each.shares[kind] for each in result.values()) == pytest.approx(1)
    missed = sum(each.outcomes["missed"] for each in result.values())
    assert result["dia"].shares["missed"] == result["dia"].outcomes["missed"] / missed


@pytest.mark.long
def test_portions_change_nothing(crowd, monkeypatch):
    """Annotators and segments are worked on in portions, which nobody can see."""
    from spanagree.agreement import paired

    whole = sa.agree(crowd).standings
    monkeypatch.setattr(paired, "_PORTION", 7)
    monkeypatch.setattr(outliers, "_BATCH", 50)
    assert sa.agree(crowd).standings == whole


ORDERS = {
    "corrected": ["dia", "cem", "eli", "bob", "ann"],
    "observed": ["dia", "cem", "eli", "bob", "ann"],
    "gain": ["dia", "cem", "eli", "bob", "ann"],
    "p": ["dia", "cem", "eli", "bob", "ann"],
    "documents": ["ann", "cem", "bob", "dia", "eli"],
    "segments": ["ann", "cem", "bob", "eli", "dia"],
    "outlier": ["dia", "cem", "ann", "bob", "eli"],
}
"""The annotators by each order, read off the table of the five."""


@pytest.mark.parametrize("sort", by_annotator.SORTS)
def test_orders(crowd, sort):
    """Each order has its oracle; equal ones stay in the order of the corpus."""
    names = ORDERS[sort]
    result = sa.agree(crowd).sorted(sort)
    assert [row["annotator"] for row in result.to_rows("annotator")] == names
    assert [
        each["annotator"] for each in result.to_dict("annotator")["tables"]["annotators"]
    ] == names


def test_undefined_comes_last():
    """Who shares nothing has no F1, and stands last in every order but that of documents."""
    one = [[(0, 2, "X")], None]
    layers = {"alone": [None, [(0, 1, "X")]], "a": one, "b": one, "nothing": [None, None]}
    result = sa.agree(sa.Corpus.from_segments([9, 9], layers))
    assert [m.name for m in result.sorted("corrected").members] == ["a", "b", "alone", "nothing"]
    with pytest.raises(sa.SettingError, match=r"sort.*'size'.*corrected"):
        result.sorted("size")


def test_very_many_pairs(crowd, monkeypatch):
    """Of more pairs of annotations than can be compared one by one, there is none either."""
    monkeypatch.setattr(outliers, "_MAX_PAIRS", 10)
    assert sa.agree(crowd).standings == {}


def test_the_command(capsys):
    """Everyone who stands apart is named, by F1 against the rest; JSON has what the table has."""
    line = ["agree", "corpora/crowd/crowd.jsonl", "--by", "annotator", "--sort", "corrected"]
    assert main(line) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert (
        "outliers (corrected F1; Holm's p below 0.05, 5 annotators tested): dia (0.305), cem"
        in text
    )
    assert main([*line, "--format", "json"]) == 0
    first = json.loads(capsys.readouterr().out)["tables"]["annotators"][0]
    assert (first["annotator"], first["segments"]) == ("dia", 61)
    assert first["p"] < first["p_holm"] < 1e-6


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ([], "--sort needs --by annotator"),
        (["--by", "pair"], "--sort needs --by annotator"),
        (["--measure", "gamma"], "--sort needs --by annotator"),
    ],
)
def test_what_cannot_be_sorted(capsys, more, message):
    """Only annotators have an order to be chosen."""
    assert main(["agree", "corpora/crowd/crowd.jsonl", "--sort", "gain", *more]) != 0
    assert message in capsys.readouterr().err
