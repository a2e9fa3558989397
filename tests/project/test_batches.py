"""Batches: figures of each, tests by enumeration and by their level, ways to name them, and errors."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import spanagree as sa

CROWD = Path(__file__).parents[2] / "corpora" / "crowd" / "crowd.jsonl"


def team(right, ids=None):
    """Two annotators with a segment in each document, the same where ``right`` says so."""
    layers = {"a": [[(0, 1, "X")]] * len(right), "b": [[(0 if x else 2, 1 if x else 3, "X")] for x in right]}  # fmt: skip
    return sa.Corpus.from_segments([9] * len(right), layers, ids=ids)


def test_each_is_the_agreement_of_its_documents(crowd):
    """F1 and interval of a batch are those that agree gives for its documents."""
    made = sa.batches(crowd, 3, ci=True, resamples=99)
    for batch, part in zip(made.batches, np.array_split(np.arange(63), 3), strict=True):
        alone = sa.agree(crowd.subset(part), ci=sa.Jackknife())
        assert batch.f1[:3] == alone.team.f1[:3]
        for kind in ("observed", "expected", "corrected"):
            ends = getattr(alone.team.f1.interval, kind)
            assert getattr(batch.f1.interval, kind) == pytest.approx(ends)
        assert batch.documents == alone.team.documents
    assert made.settings.annotators == 5
    assert "|batches:order 3|" in made.signature
    assert made["2"].documents == 21
    with pytest.raises(sa.SettingError, match="unknown batch 4; allowed: 1, 2, 3"):
        made["4"]


def test_a_change_by_leaving_out_documents():
    """Each document is left out of the batch that it is in: the difference, V and t by hand."""
    right = np.arange(30) % 3 > np.repeat([0, 1], 15)
    change = sa.batches(team(right), 2).changes[0].observed
    halves = right[:15].astype(float), right[15:].astype(float)
    value = halves[1].mean() - halves[0].mean()
    changes = [(x.sum() - d) / 14 - x.mean() for x in halves for d in x]
    variance = sum(d**2 for d in changes)
    freedom = 2 * variance**2 / (sum(d**4 for d in changes) - variance**2 / 30)
    t = value / math.sqrt(variance)
    assert change.value == pytest.approx(value)
    assert change.p == pytest.approx(2 * stats.t.sf(abs(t), min(freedom, 29)))


@pytest.mark.long
def test_the_interval_of_a_change():
    """Of shares: the standard error of two binomial shares, or of paired differences; theory."""
    rng = np.random.default_rng(2)
    first, second = rng.random(400) < 0.6, rng.random(400) < 0.7
    apart = sa.batches(team([*first, *second]), 2, resamples=4000).changes[0].observed
    error = math.sqrt(sum(x.mean() * (1 - x.mean()) / 400 for x in (first, second)))
    assert apart.high - apart.low == pytest.approx(2 * 1.96 * error, rel=0.06)
    ids = [str(i) for i in range(400)]
    noisy = first ^ (rng.random(400) < 0.1)
    rounds = {"one": team(first, ids), "two": team(noisy, ids)}
    paired = sa.batches(rounds, resamples=4000).changes[0].observed
    error = (noisy.astype(int) - first).std() / 20
    assert paired.high - paired.low == pytest.approx(2 * 1.96 * error, rel=0.06)
    assert paired.low < paired.value < paired.high


@pytest.mark.slow
def test_level_of_the_trend():
    """Without a trend p is at most .1 in a tenth of samples, within four standard errors."""
    rng = np.random.default_rng(7)
    ps = [sa.batches(team(rng.random(60) < 0.6), 5, resamples=99, seed=i).p for i in range(150)]
    assert abs(np.mean(np.array(ps) <= 0.1) - 0.1) < 4 * math.sqrt(0.09 / 150)


def test_a_trend_is_found():
    """The slope is that of least squares over batches of the same size, and p small."""
    rng = np.random.default_rng(3)
    right = rng.random(500) < np.repeat([0.4, 0.5, 0.6, 0.7, 0.8], 100)
    made = sa.batches(team(right), 5, resamples=999)
    shares = [batch.f1.corrected for batch in made.batches]
    assert made.slope == pytest.approx(np.polyfit(range(5), shares, 1)[0])
    assert made.p == 0.001
    assert "trend: corrected F1 +0." in str(made)


def test_other_texts_are_other_documents():
    """Documents whose ids differ in the batch alone, but that have other texts, are not paired."""
    ids, layers = ["r1/a", "r1/b", "r2/a", "r2/b"], {"x": [[(0, 1, "X")]] * 4}
    layers |= {"y": [[(0, 1, "X")], [], [(0, 1, "X")], [(0, 1, "X")]]}
    for texts, both in ((["one", "two", "one", "two"], 2), (["one", "two", "one", "six"], 1)):
        corpus = sa.Corpus.from_segments(
            [3] * 4, layers, ids=ids, texts=texts, offsets="characters"
        )
        batches = sa.batches(corpus, "r([12])", resamples=9)
        assert batches.changes[0].both == both
        assert sum("another text" in note for note in batches.notes) == (both < 2)
        halves = {"1": corpus.subset([0, 1]), "2": corpus.subset([2, 3])}
        by_name = {name: half.but(ids=("a", "b")) for name, half in halves.items()}
        assert sa.batches(by_name, resamples=9).changes[0].both == both
    lengths = sa.Corpus.from_segments([3, 4, 3, 5], layers, ids=ids)
    assert sa.batches(lengths, "r([12])", resamples=9).changes[0].both == 1


def test_the_verdict_says_what_p_is_of():
    """p is that of the trend over all batches; a step that is significant by itself is named, and
    a last batch that is undefined is not taken for the last that is defined."""
    right = np.arange(120) % 10 < np.repeat([2, 9, 4, 2], 30)
    made = sa.batches(team(right), 4, resamples=999)
    steps = made.changes
    assert [step.corrected.p_adjusted < 0.05 for step in steps] == [True, True, False]
    assert made.verdict.startswith("Corrected F1 goes from .100 (1) to .100 (4). By a")
    assert f"the trend over all batches is not significant (p {made.p:.3f}".replace("0.", ".") in (
        made.verdict
    )
    assert made.verdict.endswith(
        " Significant steps, p times 3 steps: from 1 to 2 (p < .001), from 2 to 3 (p < .001)."
    )
    empty = {"a": [[]] * 9, "b": [[]] * 9}
    rounds = {
        "x": team([1] * 9),
        "y": team([0, 1] * 9),
        "z": sa.Corpus.from_segments([9] * 9, empty),
    }
    made = sa.batches(rounds, resamples=99)
    assert "from 1.000 (x) to .438 (y, the last that is defined)." in made.verdict


def test_ways_to_name_them(tmp_path):
    """By a pattern, a table, names; numbers in names by size; and what is in no batch is said."""
    ids = ["w9/a", "w9/b", "w10/a", "w10/b", "x"]
    corpus = team([1, 0, 1, 1, 1], ids)
    by_pattern = sa.batches(corpus, "w([0-9]+)", resamples=9)
    assert [batch.name for batch in by_pattern.batches] == ["9", "10"]
    assert by_pattern.changes[0].both == 2  # their ids differ in the week alone
    assert "1 document in no batch, left out" in by_pattern.notes
    table = tmp_path / "rounds.csv"
    table.write_text("id,batch,half\nw9/a,r1,B\nw9/b,r1,A\nw10/a,r2,A\nx,r2,\n")
    for by, names, sizes in (
        (str(table), ["r1", "r2"], [2, 2]),
        (f"{table}:half", ["A", "B"], [2, 1]),
        (["late", "late", "early", None, None], ["late", "early"], [2, 1]),
        ("2", ["1", "2"], [3, 2]),
    ):
        made = sa.batches(corpus, by, resamples=9)
        assert [batch.name for batch in made.batches] == names
        assert [batch.documents for batch in made.batches] == sizes
    lines = tmp_path / "rounds.jsonl"
    lines.write_text('{"document": "w9/a", "batch": 2}\n{"document": "x", "batch": 1}\n')
    assert [b.name for b in sa.batches(corpus, str(lines), resamples=9).batches] == ["1", "2"]


def test_order_changes_no_digit(crowd):
    """Documents and annotators in another order give the same figures, where names are the same."""
    turned = crowd.of_annotators(crowd.annotators[::-1]).subset(np.arange(63)[::-1])
    one, other = (sa.batches(c, "note-([0-9])", ci=True, resamples=99) for c in (crowd, turned))
    assert [b.f1 for b in one.batches] == [b.f1 for b in other.batches]
    assert one.changes == other.changes
    assert (one.slope, one.p) == (other.slope, other.p)


def test_gaps_and_nothing(crowd):
    """A batch that one annotator saw has no figure and a reason; the others have theirs."""
    layers = {"a": [[(0, 1, "X")]] * 3, "b": [[(0, 1, "X")], None, [(0, 1, "X")]]}
    made = sa.batches(sa.Corpus.from_segments([9] * 3, layers), 3, ci=True, resamples=9)
    assert math.isnan(made["2"].f1.observed)
    assert math.isnan(made.changes[0].observed.value)
    assert math.isnan(made.changes[0].corrected.p_adjusted)
    assert "2: F1 undefined: no document was seen by two annotators" in str(made)
    assert len(made.caveats) == 3


def test_refused(crowd, tmp_path, run):
    """Each wrong way to name batches is an error that says what is allowed."""
    empty, odd, other = (tmp_path / name for name in ("e.csv", "o.jsonl", "c.csv"))
    empty.write_text("")
    odd.write_text("{")
    other.write_text("name,round\nnote-01,1\n")
    for by, says in (
        (1, "batches 1; a whole number from 2 is needed"),
        (99, "batches 99: there are 63 documents; each batch needs one"),
        ("x(", "neither a file that is there nor a pattern"),
        ("xyz", "no document is in any of them; a number, a pattern"),
        (["a"], "or a name for each document is needed"),
        (None, "or a name for each document is needed"),
        (str(empty), "no rows; a table with the batch of each document is needed"),
        (str(odd), "not valid JSON"),
        (str(other), "no column document or id; there are name, round"),
    ):
        with pytest.raises((sa.SettingError, sa.InputError)) as caught:
            sa.batches(crowd, by, resamples=9)
        assert says in str(caught.value)
    other.write_text("id,round\nnote-01,1\n")
    with pytest.raises(sa.InputError, match="no column half; there are id, round"):
        sa.batches(crowd, f"{other}:half")
    with pytest.raises(sa.SettingError, match="a corpus for each needs two of them by name"):
        sa.batches({"one": crowd})
    for more, says in (
        (("--by", "pair"), "--by does not go with --batches"),
        (("--test", "chance"), "--test does not go with --batches"),
        (("--measure", "gamma"), "--measure gamma does not go with --batches"),
        (("--ci", "--cluster-by", "document"), "--cluster-by does not go with --batches"),
    ):
        code, _, err = run("agree", CROWD, "--batches", "3", *more)
        assert code == 2
        assert says in err
    code, _, err = run("agree", CROWD, "--batches", "files")
    assert code == 2
    assert "--batches files: one FILE; two of them are needed" in err


def test_the_command(crowd, tmp_path, run):
    """Files as rounds, JSON, a picture, explanations and the methods."""
    pytest.importorskip("matplotlib")
    paths = [tmp_path / f"{name}.jsonl" for name in ("one", "two")]
    for path, part in zip(paths, (range(40), range(23, 63)), strict=True):
        sa.write_jsonl(crowd.subset(part), path)
    picture = tmp_path / "b.svg"
    ask = ("agree", *paths, "--batches", "files", "--resamples", "99")
    code, out, _ = run(*ask, "--format", "json", "--plot", picture)
    made = json.loads(out)
    assert code == 0
    assert [batch["batch"] for batch in made["tables"]["batches"]] == ["one.jsonl", "two.jsonl"]
    assert made["tables"]["batches"][1]["both"] == 17
    assert "F1 by batch" in picture.read_text("utf-8")
    assert "changes by the jackknife" in " ".join(sa.cite(made["signature"]).split())
    code, out, _ = run(*ask, "--explain")
    assert code == 0
    assert "those that are in both batches are left out of both" in " ".join(out.split())
