"""Figures and counts: every entry of their tables is computed, shown, exported and explained."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from messages import refuses

import spanagree as sa
from spanagree.cli.main import main
from spanagree.comparisons.tally_columns import COUNTS, Count
from spanagree.report.explain import explain
from spanagree.results.data import to_csv
from spanagree.results.display import DisplayTable
from spanagree.results.score import FIGURES, HasScores, Ratio, compute_all_figures
from spanagree.slices import score_slices
from spanagree.systems.intervals import compute_system_moments

# by definition, in fractions: of what matches, and of the sizes of gold and of a system
FIGURES_BY_HAND = {
    "precision": lambda m, a, b: Fraction(m, b),
    "recall": lambda m, a, b: Fraction(m, a),
    "f1": lambda m, a, b: 2 / (1 / Fraction(m, a) + 1 / Fraction(m, b)),
}
COUNTS_BY_HAND = {
    "matched": lambda tally: tally.matched,
    "expected": lambda tally: tally.expected,
    "size_gold": lambda tally: tally.size_a,
    "size_system": lambda tally: tally.size_b,
}
GOLD = [[(0, 2, "X"), (4, 5, "Y")], [(1, 2, "X")], [(3, 5, "Y")], [(0, 1, "X"), (6, 8, "Y")]]
MINE = [[(0, 2, "X")], [(1, 2, "X"), (4, 6, "X")], [(3, 6, "Y")], [(0, 1, "X"), (6, 8, "Y")]]


@pytest.fixture(scope="module")
def corpus():
    return sa.Corpus.from_segments([10, 9, 8, 9], {"gold": GOLD, "mine": MINE})


@pytest.fixture(scope="module")
def evaluation(corpus):
    return sa.evaluate(corpus, ci=True)


def test_every_entry_has_its_test():
    """The oracles below are written by hand, one for each entry of the tables."""
    assert list(FIGURES) == list(FIGURES_BY_HAND)
    assert list(COUNTS) == list(COUNTS_BY_HAND)
    assert all(ratio.key == key for key, ratio in FIGURES.items())


@pytest.mark.parametrize("key", FIGURES_BY_HAND)
def test_a_figure_by_hand(key):
    """A tally and rows of sums have the figure that its definition gives, in fractions."""
    by_hand, sums = FIGURES_BY_HAND[key], [(3, 1, 4, 7), (5, 2, 9, 6), (2, 1, 2, 3)]
    rows = compute_all_figures(np.array(sums, np.float64)).reshape(len(sums), len(FIGURES), 3)
    for row, (m, e, a, b) in zip(rows[:, list(FIGURES).index(key)], sums, strict=True):
        observed, expected = by_hand(m, a, b), by_hand(e, a, b)
        want = [float(x) for x in (observed, expected, (observed - expected) / (1 - expected))]
        score = getattr(sa.Tally(m, e, a, b), key)
        assert score[:3] == pytest.approx(want, rel=1e-12)
        assert row.tolist() == pytest.approx(want, rel=1e-12)
    m, e, a, b, random_a, random_b = 3, 1, 4, 7, 5, 3  # random sizes are others
    want = float(by_hand(e, random_a, random_b))
    tally = sa.Tally(m, e, a, b, expected_sizes=(random_a, random_b))
    assert getattr(tally, key).expected == pytest.approx(want)
    place = 3 * list(FIGURES).index(key) + 1
    assert compute_all_figures(np.array([m, e, a, b, random_a, random_b], float))[place] == pytest.approx(want)  # fmt: skip


@pytest.mark.parametrize("key", FIGURES)
def test_a_figure_where_nothing_is_marked(key):
    """Without sizes it is undefined, for its reason."""
    score = getattr(sa.Tally(), key)
    assert math.isnan(score.observed)
    assert score.reason == FIGURES[key].undefined


@pytest.mark.parametrize("key", FIGURES)
def test_a_figure_is_everywhere(key, corpus, evaluation):
    """Whatever is scored has it, with its interval; the mean over labels is that of the labels."""
    ratio, mine = FIGURES[key], evaluation["mine"]
    every = [mine, mine.macro, mine.tally, *mine.labels.values()]
    every.append(score_slices(evaluation, ["a", "a", "b", "b"])["a"].scores["mine"])
    for scored in every:
        assert isinstance(scored, HasScores)
        assert getattr(scored, key) == scored.score_of(ratio)
    assert all(getattr(x, key).interval is not None for x in every[:-1])
    labels = [getattr(tally, key).observed for tally in mine.labels.values()]
    assert getattr(mine.macro, key).observed == pytest.approx(np.nanmean(labels))
    parts = [sa.evaluate(corpus.subset([d]))["mine"].tally for d in range(4)]
    together = getattr(sum(parts, sa.Tally()), key)
    assert together[:3] == pytest.approx(getattr(mine, key)[:3])


@pytest.mark.parametrize("key", FIGURES)
def test_a_figure_is_shown(key, evaluation):
    """Text, CSV and JSON have it, JSON with its interval; and it is explained."""
    ratio, mine = FIGURES[key], evaluation["mine"]
    for by in (None, "label", "document"):
        table = evaluation.table(by)
        assert ratio.title in DisplayTable.from_frame(table).header
        header = to_csv(table).splitlines()[0].split(",")
        assert {f"{key}_{kind}" for kind in ("observed", "expected", "corrected")} <= {*header}
        titles = [name for names, _ in explain([table]) for name in names.split(" / ")]
        assert ratio.title in titles
    assert any(text.startswith(ratio.formula) for _, text in explain([evaluation.table()]))
    [row] = evaluation.to_dict()["tables"]["systems"]
    assert row[key] == getattr(mine, key).to_dict()
    assert row[key]["interval"]["observed"] == list(getattr(mine, key).interval.observed)


def test_figures_in_a_report(tmp_path, corpus):
    """The table of systems in a report has every figure."""
    out = tmp_path / "report.html"
    sa.write_report(corpus, out)
    page = out.read_text("utf-8")
    assert all(f">{ratio.title}<" in page for ratio in FIGURES.values())


@pytest.mark.parametrize("key", COUNTS)
def test_a_count_adds_and_is_shown(key, corpus, evaluation):
    """It is what its definition says, that of parts added up, in CSV and JSON; titles are explained."""
    count, mine = COUNTS[key], evaluation["mine"].tally
    assert isinstance(count, Count)
    assert count.of(mine) == COUNTS_BY_HAND[key](mine)
    parts = [sa.evaluate(corpus.subset([d]))["mine"].tally for d in range(4)]
    assert math.fsum(map(count.of, parts)) == pytest.approx(count.of(mine))
    [row] = evaluation.to_dict()["tables"]["systems"]
    assert row[key] == count.of(mine)
    assert key in to_csv(evaluation.table()).splitlines()[0].split(",")
    by_label = evaluation.table("label")
    names = [name for together, _ in explain([by_label]) for name in together.split(" / ")]
    assert not count.title or (
        count.title in DisplayTable.from_frame(by_label).header and count.title in names
    )


BETAS = (0.5, 2, 3)
"""Precision weighs more, and recall."""


@pytest.mark.parametrize("beta", BETAS)
def test_f_beta_by_hand(beta):
    """By van Rijsbergen's definition in fractions, 1 / (α/P + (1 − α)/R) with α = 1/(1 + β²)."""
    weight = 1 / (1 + Fraction(beta) ** 2)

    def by_hand(m, a, b):
        return 1 / (weight / Fraction(m, b) + (1 - weight) / Fraction(m, a))

    m, e, a, b = 5, 2, 9, 6
    observed, expected = by_hand(m, a, b), by_hand(e, a, b)
    want = [float(x) for x in (observed, expected, (observed - expected) / (1 - expected))]
    assert sa.Tally(m, e, a, b, beta=beta).f_beta[:3] == pytest.approx(want, rel=1e-12)
    rows = compute_all_figures(np.array([m, e, a, b], float), beta)
    assert rows[-3:].tolist() == pytest.approx(want, rel=1e-12)
    assert rows[:-3].tolist() == compute_all_figures(np.array([m, e, a, b], float)).tolist()
    random = sa.Tally(m, e, a, b, expected_sizes=(5, 3), beta=beta)
    assert random.f_beta.expected == pytest.approx(float(by_hand(Fraction(e), 5, 3)))
    assert sa.Tally(m, e, a, b, beta=beta).f_beta != sa.Tally(m, e, b, a, beta=beta).f_beta


@pytest.mark.parametrize("beta", BETAS)
def test_f_beta_is_everywhere(beta, corpus):
    """Whatever is scored has it with its interval; other figures stay, to the last bit."""
    usual, result = sa.evaluate(corpus, ci=True), sa.evaluate(corpus, ci=True, beta=beta)
    mine, ratio = result["mine"], result.figures["f_beta"]
    for kind in FIGURES:
        assert getattr(mine, kind) == getattr(usual["mine"], kind)
    slices = score_slices(result, ["a", "a", "b", "b"], ci=True)
    of_length = score_slices(result, "length", ci=True)
    scored = [mine, mine.macro, mine.tally, *mine.labels.values(), slices["a"].scores["mine"]]
    for item in scored:
        assert item.f_beta == item.score_of(ratio)
        assert item.f_beta.interval is not None
    assert slices.whole.scores["mine"].f_beta[:3] == pytest.approx(mine.f_beta[:3])
    assert of_length["1"].scores["mine"].f_beta.interval is not None
    title = f"F{beta:g}"
    for table in (*map(result.table, (None, "label", "document")), slices.table()):
        assert {title, f"chance {title}", f"corrected {title}"} <= {
            *DisplayTable.from_frame(table).header
        }
        titles = [name for names, _ in explain([table]) for name in names.split(" / ")]
        assert {title, f"chance {title}", f"corrected {title}"} <= {*titles}
        assert "f_beta_corrected" in to_csv(table).splitlines()[0].split(",")
    [row] = result.to_dict()["tables"]["systems"]
    assert row["f_beta"] == mine.f_beta.to_dict()
    assert f"|f-beta:{beta}|" in result.signature
    assert f"recall weighs β = {beta} times as much" in sa.cite(result).replace("\n", " ")


@pytest.mark.parametrize("beta", BETAS)
def test_interval_of_f_beta(beta, corpus):
    """Its variance is the sum of squared changes by evaluations without a document each."""
    result = sa.evaluate(corpus, beta=beta)
    without = [
        sa.evaluate(corpus.subset([i for i in range(4) if i != d]), beta=beta)["mine"].f_beta
        for d in range(4)
    ]
    sums = compute_system_moments(result.counted.per_document, result.counted.compute_figures)
    at = 3 * list(result.figures).index("f_beta")
    want = sum((np.array(x[:3]) - result["mine"].f_beta[:3]) ** 2 for x in without)
    assert sums.variance[1, at : at + 3] == pytest.approx(want, rel=1e-9)


def test_f_beta_by_difficulty(newsroom, capsys):
    """Levels have it too, though difficulty is of gold alone."""
    files = [str(newsroom / f"{name}.conll") for name in ("gold", "lexicon")]
    assert main(["evaluate", *files, "--by", "difficulty", "--beta", "2", "--format", "csv"]) == 0
    header = capsys.readouterr().out.splitlines()[0].split(",")
    assert {"f_beta_observed", "f_beta_corrected"} <= {*header}


def test_f_beta_in_a_report(tmp_path, corpus):
    """The table of systems in a report has it if it is requested."""
    out = tmp_path / "report.html"
    sa.write_report(corpus, out, beta=2)
    assert ">corrected F2<" in out.read_text("utf-8")
    with refuses(sa.SettingError, "beta: F-beta is of systems against one gold; leave it out"):
        sa.write_report(corpus, out, team=True, beta=2)


@pytest.mark.parametrize("beta", [1, 0, -2, math.nan, math.inf, True, "2"])
def test_a_beta_that_is_none(beta, corpus):
    """F1 is always there; a weight is above 0."""
    with refuses(sa.SettingError, "beta … a number from 0.001 to 1000 other than 1 is needed"):
        sa.evaluate(corpus, beta=beta)


def test_no_beta(evaluation):
    """Nobody has F-beta who did not ask."""
    with refuses(sa.SettingError, "F-beta was not requested; evaluate with beta=2"):
        evaluation["mine"].f_beta  # noqa: B018  # a property
    assert "f_beta" not in evaluation.to_dict()["tables"]["systems"][0]


def test_f_beta_where_nothing_is_marked():
    """Without sizes it is undefined, for its reason; of a system that marks nothing it is 0."""
    assert math.isnan(sa.Tally(beta=2).f_beta.observed)
    assert sa.Tally(beta=2).f_beta.reason == "neither marked anything"
    assert sa.Tally(0, 0, 4, 0, beta=2).f_beta.observed == 0


def test_another_figure():
    """Five times as much weight on recall as van Rijsbergen's F2 has it: 5·PR / (4·P + R)."""
    f2 = Ratio("F2", 5, 4, 1, "neither marked anything")
    m, a, b = 3, 4, 7
    precision, recall = Fraction(m, b), Fraction(m, a)
    want = 5 * precision * recall / (4 * precision + recall)
    assert sa.Tally(m, 1, a, b).score_of(f2).observed == pytest.approx(float(want))
    assert f2.meaning == "F2 of a system"
