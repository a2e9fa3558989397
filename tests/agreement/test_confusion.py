"""Labels of one against another, of one against the rest, and of the team."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses
from scipy.special import stdtr

import spanagree as sa
from spanagree.agreement.confused_labels import _compute_p
from spanagree.cli.main import main
from spanagree.results.data import to_csv

LENGTH = 9
segment = st.tuples(st.integers(0, LENGTH - 1), st.integers(1, 4), st.sampled_from("LOP")).map(
    lambda x: (x[0], min(x[0] + x[1], LENGTH), x[2])
)
layer = st.lists(st.none() | st.lists(segment, max_size=4, unique=True), min_size=2, max_size=2)


def enumerated(corpus, layers, a, b):
    """Cells of a pair, counted over the rows of disagreements and the matches by themselves."""
    cells = Counter()
    both = corpus.layers[a].annotated & corpus.layers[b].annotated
    for row in sa.disagreements(corpus, a, b, text=False):
        cells[row.a and row.a.label, row.b and row.b.label] += 1
    for d in range(len(corpus)):
        if both[d]:
            same = set(layers[a][d]) & set(layers[b][d])
            cells.update((label, label) for _, _, label in same)
    return cells


def cells_of(result):
    names = (*result.labels, None)
    return Counter({(names[i], names[j]): n for (i, j), n in np.ndenumerate(result.matrix) if n})


@given(st.lists(layer, min_size=3, max_size=3))
def test_rest_and_team_are_sums_of_pairs(layers):
    """One against the rest and the team, enumerated pair by pair and segment by segment."""
    layers = dict(zip("abc", layers, strict=True))
    corpus = sa.Corpus.from_segments([LENGTH] * 2, layers)
    seen = {name: layer.annotated for name, layer in corpus.layers.items()}
    pairs = {
        p: enumerated(corpus, layers, *p)
        for p in permutations("abc", 2)
        if (seen[p[0]] & seen[p[1]]).any()
    }
    if not pairs:
        with pytest.raises(sa.SettingError, match=r"^the team: no document that two saw; two who"):
            sa.confusion(corpus)
        return
    team = sa.confusion(corpus)
    assert cells_of(team) == sum(pairs.values(), Counter())
    assert np.array_equal(team.matrix, team.matrix.T)
    assert team.documents == int((sum(x.astype(int) for x in seen.values()) > 1).sum())
    for name in "abc":
        own = [cells for (a, _), cells in pairs.items() if a == name]
        if own:
            rest = sa.confusion(corpus, name)
            assert cells_of(rest) == sum(own, Counter())


def small():
    layers = {
        "ann": [[(0, 2, "PER"), (4, 5, "LOC")], [(0, 1, "PER")]],
        "bob": [[(0, 3, "PER"), (4, 5, "ORG")], None],
        "cem": [[(0, 2, "ORG")], [(0, 1, "PER")]],
    }
    return sa.Corpus.from_segments([6, 3], layers)


def test_shares():
    """Shares of each row, in fractions by hand; a row of zeros has none; rows, table and picture."""
    result = sa.confusion(small(), "ann")
    # ann's LOC: bob's ORG, nothing of cem's; ann's PER: bob's PER, cem's ORG, cem's PER
    assert result.labels == ("LOC", "ORG", "PER")
    assert result.matrix.tolist() == [[0, 1, 0, 1], [0, 0, 0, 0], [0, 1, 2, 0], [0, 0, 0, 0]]
    half, third = Fraction(1, 2), Fraction(1, 3)
    shares = {
        ("LOC", "ORG"): half,
        ("LOC", None): half,
        ("PER", "ORG"): third,
        ("PER", "PER"): 2 * third,
    }
    assert {(r["a"], r["b"]): r["share"] for r in result.to_rows("share")} == {
        cell: float(share) for cell, share in shares.items()
    }
    assert np.isnan(result.shares[[1, 3]]).all()
    assert "as shares of each row" in result.table("share").caption
    assert result.sides == ("ann", "the rest")


def test_settings():
    """The signature says whose labels they are; those of a pair are what they were."""
    corpus = small()
    begin = [sa.confusion(corpus, *names).signature for names in (("ann", "bob"), ("ann",), ())]
    assert [each.partition("|offsets")[0] for each in begin] == ["between:ann,bob", "between:ann|confusion:rest", "confusion:team"]  # fmt: skip
    assert (
        sa.confusion(corpus).table().caption
        == "labels of the team, each with each other, 2 documents"
    )


def test_refused():
    """An annotator that is not there; the second without the first; nobody to compare with."""
    corpus = small()
    with pytest.raises(sa.SettingError, match="unknown annotator 'eve'; allowed: ann, bob, cem"):
        sa.confusion(corpus, "eve")
    with pytest.raises(sa.SettingError, match=r"^b without a; pass a too, or swap them$"):
        sa.confusion(corpus, b="ann")
    alone = sa.Corpus.from_segments([3], {"a": [[]], "b": [None]})
    with refuses(
        sa.SettingError,
        "'a' and the rest: no document … spanagree check",
    ):
        sa.confusion(alone, "a")


# --- the command --------------------------------------------------------------------------------


def test_command(run, newsroom, crowd):
    """The command shows what Python gives: of a pair, of one and the rest, of the team."""
    command = ("disagreements", "--by", "label", newsroom.parent / "crowd" / "crowd.jsonl")
    for arguments, names in (
        (("--between", "ann", "dia"), ("ann", "dia")),
        (("--rest", "dia"), ("dia",)),
        ((), ()),
    ):
        result = sa.confusion(crowd, *names)
        code, out, _ = run(*command, *arguments, "--format", "json")
        assert (code, json.loads(out)) == (0, result.to_dict())
        code, out, _ = run(*command, *arguments, "--by", "share", "--format", "csv")
        assert out == to_csv(result.table("share"))
    code, out, err = run(*command, "--between", "ann", "dia", "--rest", "dia")
    assert (code, out) == (2, "")
    assert "--between does not go with --rest" in err


def test_two_layers_need_no_names(run, newsroom, capsys):
    """If there are two, these are compared, in their order."""
    files = [str(newsroom / f"{n}.conll") for n in ("gold", "tagger")]
    assert main(["disagreements", "--by", "label", *files]) == 0
    alone = capsys.readouterr()
    assert main(["disagreements", "--by", "label", *files, "--between", "gold", "tagger"]) == 0
    assert capsys.readouterr() == alone


# --- more than chance would -----------------------------------------------------------------------


def test_confused_by_hand():
    """Numbers, shares of chance and t in fractions and single documents, of a pair and of a team."""
    rng = np.random.default_rng(2)
    layers = {
        name: [[(2 * k, 2 * k + 1, "LOP"[rng.integers(3)]) for k in range(4)] for _ in range(12)]
        for name in "ab"
    }
    corpus = sa.Corpus.from_segments([9] * 12, layers)
    for result, ways in ((sa.confusion(corpus, "a", "b"), 1), (sa.confusion(corpus), 2)):
        sides = [
            Counter((x[2], y[2]) for x, y in zip(*docs, strict=True))
            for docs in zip(*layers.values(), strict=True)
        ]
        if ways == 2:
            sides = [Counter({k: each[k] + each[k[::-1]] for k in permutations("LOP", 2)} | {(c, c): 2 * each[c, c] for c in "LOP"}) for each in sides]  # fmt: skip
        whole = sum(sides, Counter())
        rows = {c: sum(n for (i, _), n in whole.items() if i == c) for c in "LOP"}
        columns = {c: sum(n for (_, j), n in whole.items() if j == c) for c in "LOP"}
        pairs = [(i, j) for i, j in permutations("LOP", 2) if ways == 1 or i < j]
        by_chance = {(i, j): Fraction(rows[i] * columns[j]) for i, j in pairs}
        differing = sum(whole[pair] for pair in pairs)
        assert len(result.confused) == sum(whole[pair] > 0 for pair in pairs)
        for each in result.confused:
            pair = each.a, each.b
            share = by_chance[pair] / sum(by_chance.values())
            assert (each.times, each.by_chance) == (
                whole[pair],
                pytest.approx(float(share * differing)),
            )
            assert each.ratio == pytest.approx(each.times / each.by_chance)
            some = [side for side in sides if any(side[other] for other in pairs)]
            values = [float(s[pair] - share * sum(s[other] for other in pairs)) for s in some]
            t = np.mean(values) / (np.std(values, ddof=1) / len(values) ** 0.5)
            assert each.p == pytest.approx(float(stdtr(len(values) - 1, -t)))


@pytest.mark.long
def test_chance_is_found_no_more_often_than_it_should():
    """Where labels differ by chance alone a share of at most .05 has p below it: 400 corpora, seeded."""
    rng = np.random.default_rng(5)
    p = []
    for _ in range(400):
        layers = {"a": [], "b": []}
        for _ in range(25):
            by_chance = rng.choice(list("LOPQ"), (2, 3), p=[0.4, 0.3, 0.2, 0.1])
            repeats = 1 + 3 * (rng.random() < 0.2)  # some documents say the same again and again
            for marked, labels in zip(layers.values(), by_chance, strict=True):
                here = np.tile(labels, repeats).tolist()
                marked.append([(k, k + 1, label) for k, label in enumerate(here)])
        result = sa.confusion(sa.Corpus.from_segments([12] * 25, layers), "a", "b")
        p.append({(each.a, each.b): each.p for each in result.confused}.get(("L", "O"), 1.0))
    assert np.mean(np.array(p) <= 0.05) < 0.05 + 4 * (0.05 * 0.95 / 400) ** 0.5
    assert np.mean(np.array(p) <= 0.5) > 0.3  # it is no test that never finds anything


def test_two_labels_tell_nothing():
    """Of two labels that differ chance would confuse the same two, as often; so of one document."""
    layers = {"a": [[(0, 1, "L")], [(0, 1, "O")]], "b": [[(0, 1, "O")], [(0, 1, "O")]]}
    (only,) = sa.confusion(sa.Corpus.from_segments([3, 3], layers)).confused
    assert (only.a, only.b, only.times, only.by_chance, only.ratio) == ("L", "O", 1, 1.0, 1.0)
    assert np.isnan(only.p)
    nothing = sa.confusion(sa.Corpus.from_segments([3], {"a": [[]], "b": [[]]}))
    assert nothing.confused == []
    assert "no two labels were confused" in str(nothing.table("pair").remarks)


def test_the_command_of_chance(capsys):
    """PEST with PLANT, as the crowd was made; JSON always has it; no picture does."""
    pytest.importorskip("matplotlib")
    path = "corpora/crowd/crowd.jsonl"
    assert main(["disagreements", path, "--by", "expected"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "PEST PLANT 34 11.217 3.031 < .001 < .001" in text
    found = "onfused more than chance would (p below 0.05 after Holm's correction): PEST with PLANT"
    assert text.count(found) == 1  # in the verdict only
    assert main(["disagreements", path, "--by", "expected", "--format", "json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["tables"]["confused"]
    assert (row["a"], row["b"], row["times"]) == ("PEST", "PLANT", 34)
    assert main(["disagreements", path, "--by", "expected", "--plot", "x.svg"]) != 0
    assert "--plot does not go with --by expected" in capsys.readouterr().err


def test_p_is_scipys():
    """That of scipy's t-test of one sample, of values much smaller than 1; of one document none."""
    stats = pytest.importorskip("scipy.stats")
    values = np.array([[0.1, 0.3, 0.2, -0.05], [0.01, -0.02, 0.03, 0.01]])
    found = _compute_p(values.sum(axis=1), (values**2).sum(axis=1)[None], 4)
    assert found == pytest.approx(
        stats.ttest_1samp(values, 0, axis=1, alternative="greater").pvalue
    )
    assert np.isnan(_compute_p(values[:, 0], values[None, :, 0] ** 2, 1)).all()


@pytest.mark.parametrize("count", range(1, 12))
def test_documents_that_are_all_alike_have_no_p(count):
    """The variance of equal documents is 0, whatever rounding leaves of it."""
    layers = {
        "a": [[(0, 1, "X"), (2, 3, "X"), (4, 5, "Y"), (6, 7, "Z")]],
        "b": [[(0, 1, "Y"), (2, 3, "Y"), (4, 5, "X"), (6, 7, "Z")]],
    }
    copies = {name: documents * count for name, documents in layers.items()}
    result = sa.confusion(sa.Corpus.from_segments([10] * count, copies))
    assert [(pair.a, pair.b, pair.times) for pair in result.confused] == [("X", "Y", 3 * count)]
    both = sa.confusion(sa.Corpus.from_segments([10] * count, copies), "a", "b")
    assert len(both.confused) == 2
    assert np.isnan([pair.p for pair in both.confused]).all()
    assert "than chance would (p below 0.05 after Holm's correction): none" in both.verdict
    assert "p undefined" in str(both.table("pair").remarks)
