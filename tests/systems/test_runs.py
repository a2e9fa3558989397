"""Systems with several runs: means, spreads, and differences over documents and runs.

Oracles: means and deviations by the standard library; variances by evaluations without a document
or a run each, added as Satterthwaite's formula says; a simulation whose truth is known.
"""

from __future__ import annotations

import importlib.util
import json
import math
import statistics
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses
from scipy import stats

import spanagree as sa
from spanagree.cli.main import main
from spanagree.report.explain import explain
from spanagree.results.data import to_csv
from spanagree.results.plots import write_plot
from spanagree.systems import score_runs

OURS, THEIRS = ["a1", "a2", "a3"], ["b1", "b2", "b3", "b4"]
RUNS = {"ours": OURS, "theirs": THEIRS}


def corpus_of(names, n=12, seed=0, noise=0.3):
    """Gold with five segments a document, of which each layer has some, and some beside."""
    rng = np.random.default_rng(seed)
    layers = {"gold": [[(3 * i, 3 * i + 2, "X") for i in range(5)] for _ in range(n)]}
    for name in names:
        rate = 0.8 - 0.2 * (name[0] == "b") + rng.normal(0, noise / 3)
        layers[name] = [
            [(3 * i, 3 * i + 2, "X") for i in range(5) if rng.random() < rate]
            + [(20 + 2 * i, 21 + 2 * i, "Y") for i in range(3) if rng.random() < 0.2]
            for _ in range(n)
        ]
    return sa.Corpus.from_segments([30] * n, layers)


@pytest.fixture(scope="module")
def corpus():
    return corpus_of([*OURS, *THEIRS, "one"])


@pytest.fixture(scope="module")
def evaluation(corpus):
    return sa.evaluate(corpus)


def f1(evaluation, run, kind):
    return getattr(evaluation[run].f1, kind)


def without(corpus):
    """Evaluations of a corpus without one document each."""
    documents = range(len(corpus))
    return [sa.evaluate(corpus.subset([i for i in documents if i != d])) for d in documents]


@pytest.mark.parametrize("kind", ["observed", "expected", "corrected"])
def test_means_and_spreads(kind, evaluation):
    """Mean, standard deviation (divisor k − 1) and standard error over the runs."""
    found = score_runs(evaluation, RUNS)
    assert list(found) == ["ours", "theirs", "one"]
    for name, layers in RUNS.items():
        values = [f1(evaluation, run, kind) for run in layers]
        system = found[name]
        assert system.values("f1", kind) == values
        assert getattr(system.f1, kind) == pytest.approx(statistics.mean(values))
        deviation = statistics.stdev(values)
        assert getattr(system.sd["f1"], kind) == pytest.approx(deviation)
        assert getattr(system.se["f1"], kind) == pytest.approx(deviation / math.sqrt(len(values)))
    one = found["one"]
    assert one.f1[:3] == evaluation["one"].f1[:3]
    assert math.isnan(one.sd["f1"].observed)
    recalls = [evaluation[run].recall.observed for run in OURS]
    assert found["ours"].means["recall"].observed == pytest.approx(statistics.mean(recalls))


def by_hand(value, changes, samples, tail=0.025):
    """Standard error and t of a figure, from changes without documents and values of runs."""
    v_documents = sum(d**2 for d in changes)
    fourth = sum(d**4 for d in changes)
    n = len(changes)
    df_documents = min(max(2 * v_documents**2 / (fourth - v_documents**2 / n), 1), n - 1)
    parts, total = v_documents**2 / df_documents, v_documents
    for values in samples:
        v_runs = statistics.variance(values) / len(values)
        total += v_runs
        parts += v_runs**2 / (len(values) - 1)
    return math.sqrt(total), stats.t.isf(tail, total**2 / parts), total**2 / parts


@pytest.mark.parametrize("kind", ["observed", "corrected"])
def test_a_difference_over_documents_and_runs(kind, corpus, evaluation):
    """Both variances of both systems add up; p and interval are of one t."""
    pair = sa.compare_systems(evaluation, runs=RUNS)["ours", "theirs"]
    found = getattr(pair, kind)

    def difference(some):
        means = [statistics.mean(f1(some, run, kind) for run in runs) for runs in (OURS, THEIRS)]
        return means[0] - means[1]

    value = difference(evaluation)
    changes = [difference(some) - value for some in without(corpus)]
    samples = [[f1(evaluation, run, kind) for run in runs] for runs in (OURS, THEIRS)]
    error, _, df = by_hand(value, changes, samples)
    t = stats.t.isf(0.025 / 3, df)  # three pairs, with the system of one run
    assert found.value == pytest.approx(value)
    assert (found.low, found.high) == pytest.approx((value - t * error, value + t * error))
    assert found.p == pytest.approx(2 * stats.t.sf(abs(value) / error, df))
    assert found.p_adjusted == pytest.approx(min(1, 3 * found.p))


def test_an_interval_of_a_mean(corpus, evaluation):
    """Over documents for these runs by the jackknife of the mean, and wider over other runs."""
    result = score_runs(evaluation, RUNS, ci=True)
    value = statistics.mean(f1(evaluation, run, "observed") for run in OURS)
    changes = [
        statistics.mean(f1(some, run, "observed") for run in OURS) - value
        for some in without(corpus)
    ]
    samples = [[f1(evaluation, run, "observed") for run in OURS]]
    for over, interval in (
        ([], result["ours"].f1.interval),
        (samples, result["ours"].over_runs["f1"]),
    ):
        error, t, _ = by_hand(value, changes, over)
        reach = t * error / (value * (1 - value))
        odds = math.log(value / (1 - value))
        want = [1 / (1 + math.exp(-(odds + sign * reach))) for sign in (-1, 1)]
        assert interval.observed == pytest.approx(want, rel=1e-6)
    assert result["one"].over_runs == {}
    assert result["one"].f1.interval == sa.evaluate(corpus, ci=True)["one"].f1.interval
    assert "|over:documents+runs|" in result.signature
    assert "|runs:ours=3,theirs=4|" in result.signature
    assert "a run" in sa.cite(result)


def test_a_single_run_is_a_system(evaluation):
    """Systems of one run have the figures of a comparison without runs, to the last bit."""
    usual = sa.compare_systems(evaluation)
    single = sa.compare_systems(evaluation, runs={"ours": ["a1"], "theirs": ["b1"]})
    there = usual["a1", "b1"]
    found = single["ours", "theirs"]
    for kind in ("observed", "corrected"):
        assert getattr(found, kind).value == getattr(there, kind).value
        assert getattr(found, kind).p == getattr(there, kind).p
    assert found.differing == there.differing


@given(st.integers(1, 4), st.integers(0, 20))
def test_runs_that_are_the_same_add_nothing(n_runs, seed):
    """A run that is repeated is the system itself: the same difference, interval and p."""
    corpus = corpus_of(["a", "b"], n=6, seed=seed)
    copies = {f"a{i}": corpus.layers["a"] for i in range(n_runs)}
    several = corpus.replace(layers={**corpus.layers, **copies})
    usual = sa.compare_systems(sa.evaluate(corpus))["a", "b"]
    runs = {"ours": [*copies], "theirs": ["b"]}
    found = sa.compare_systems(
        sa.evaluate(several.select_annotators(["gold", *copies, "b"])), runs=runs
    )
    pair = found["ours", "theirs"]
    for kind in ("observed", "corrected"):
        assert getattr(pair, kind)[:4] == pytest.approx(getattr(usual, kind)[:4], nan_ok=True)


def test_the_order_of_runs_does_not_matter(evaluation):
    """Nor does that of the systems, but for the sign."""
    usual = sa.compare_systems(evaluation, runs=RUNS)["ours", "theirs"].corrected
    turned = {"theirs": THEIRS[::-1], "ours": OURS[::-1]}
    other = sa.compare_systems(evaluation, runs=turned)[
        "theirs", "ours"
    ].corrected.exchange_systems()
    assert other[:4] == pytest.approx(usual[:4])


def test_two_runs(evaluation):
    """Mean and both values; the interval is over documents alone, and the verdict says so."""
    runs = {"ours": OURS[:2], "theirs": THEIRS[:2]}
    result = score_runs(evaluation, runs, ci=True)
    assert result["ours"].over_runs == {}
    a, b = (f"{f1(evaluation, run, 'corrected'):.3f}"[1:] for run in OURS[:2])
    assert f"ours has {a} and {b} in its 2 runs" in result.verdict
    remarks = result.table().remarks
    assert f"ours: corrected F1 {a} and {b}; an interval over runs needs 3" in remarks
    compared = sa.compare_systems(evaluation, runs=runs)
    assert compared.verdict.endswith(
        "; the test regards other documents, and these runs: for others it needs 3 of a system."
    )
    assert "over" not in compared.settings
    mixed = sa.compare_systems(evaluation, runs={"ours": OURS, "theirs": THEIRS[:2]})
    assert "but not other runs of theirs, b3, b4, 1 more system." in mixed.verdict


def test_documents_that_all_runs_saw(corpus):
    """Systems are compared on these, and the others are counted."""
    layer = corpus.layers["a2"]
    seen = layer.annotated & (np.arange(12) < 10)
    keep = seen[layer.document]
    partly = type(layer)(
        layer.document[keep], layer.start[keep], layer.end[keep], layer.label[keep], seen
    )
    gaps = corpus.replace(layers={**corpus.layers, "a2": partly})
    pair = sa.compare_systems(sa.evaluate(gaps), runs=RUNS)["ours", "theirs"]
    assert (pair.documents, pair.left_out) == (10, 2)
    want = sa.compare_systems(sa.evaluate(corpus.subset(range(10))), runs=RUNS)["ours", "theirs"]
    assert pair.corrected[:4] == pytest.approx(want.corrected[:4])


def test_how_it_is_shown(evaluation, tmp_path):
    """Columns are explained; data have each run; F-beta has its means."""
    result = score_runs(sa.evaluate(evaluation.rows.corpus, beta=2), RUNS, ci=True)
    table = result.table()
    names = {name for names, _ in explain([table]) for name in names.split(" / ")}
    assert {"runs", "sd of F1", "se of corrected F1", "other runs too", "F2"} <= names
    header = to_csv(table).splitlines()[0].split(",")
    assert {"f1_corrected_sd", "f1_observed_se", "f1_corrected_runs_low", "f_beta_corrected"} <= {*header}  # fmt: skip
    data = result.to_dict()
    assert [*data["summary"]["runs"]["theirs"]] == THEIRS
    run = data["summary"]["runs"]["ours"]["a1"]["f1"]
    assert run["observed"] == f1(evaluation, "a1", "observed")
    assert data["tables"]["systems"][0]["runs"] == 3
    write_plot(tmp_path / "runs.svg", result.picture(), result.signature)


def test_undefined_in_a_run(corpus):
    """A mean is undefined where a run's figure is, for its reason."""
    empty = sa.Corpus.from_segments([5], {"gold": [[]], "a": [[]], "b": [[]]})
    result = score_runs(sa.evaluate(empty), {"ours": ["a", "b"]})
    assert math.isnan(result["ours"].f1.observed)
    assert result["ours"].f1.reason == "in a run, neither marked anything"


def test_documents_that_were_not_compared():
    """Gold saw the first 6 of 10 documents, a the last 8 and b the last 7: 4 and 3, in 4 of them."""
    marked = [(0, 1, "X")]
    layers = {"gold": [marked] * 6 + [None] * 4}
    layers |= {name: [None] * n + [marked] * (10 - n) for name, n in (("a", 2), ("b", 3))}
    evaluation = sa.evaluate(sa.Corpus.from_segments([9] * 10, layers))
    result = score_runs(evaluation, {"ours": ["a", "b"]})
    assert (result.documents, result["ours"].documents) == (4, {"a": 4, "b": 3})
    assert "It was measured on 3 to 4 documents;" in result.verdict
    assert result.table().caption == "1 system against gold, 3 to 4 documents; means over runs"
    summary = result.to_dict()["summary"]
    assert summary["documents"] == 4
    assert [run["documents"] for run in summary["runs"]["ours"].values()] == [4, 3]
    alone = score_runs(evaluation, {"ours": ["a"], "theirs": ["b"]})
    assert ", on 3 to 4 documents." in alone.verdict


def test_what_is_refused(evaluation):
    """Unknown layers, layers of two systems, systems of none, other tests."""
    with refuses(sa.SettingError, "unknown run 'c'; allowed: a1, a2"):
        score_runs(evaluation, {"ours": ["c"]})
    with refuses(sa.SettingError, "runs of 'theirs': 'a1' is a run of 'ours' already"):
        score_runs(evaluation, {"ours": ["a1"], "theirs": ["a1"]})
    with refuses(sa.SettingError, "runs of 'ours': 'a1'; a list of layers is needed"):
        score_runs(evaluation, {"ours": "a1"})
    with refuses(sa.SettingError, "runs of 'ours': []; a list of layers is needed"):
        score_runs(evaluation, {"ours": []})
    with refuses(sa.SettingError, "runs {}; system to layers is needed"):
        score_runs(evaluation, {})
    with refuses(sa.SettingError, "runs: 'one' is a layer that is none of its runs"):
        score_runs(evaluation, {"one": ["a1"]})
    with refuses(sa.SettingError, "runs and test permutation"):
        sa.compare_systems(evaluation, test="permutation", runs=RUNS)


def written(folder, names):
    """Files of rows with spans, one for each layer, of a corpus of few documents."""
    corpus = corpus_of(names, n=5)
    for name in corpus.annotators:
        rows = [
            {"id": str(d), "text": "x" * 30, "spans": [s[:3] for s in document.segments[name]]}
            for d, document in enumerate(corpus)
        ]
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (folder / f"{name}.jsonl").write_text(text, "utf-8")
    return corpus


def test_the_command(tmp_path, capsys, monkeypatch):
    """Commas name the files of runs, and --runs layers; both are the same, with a test."""
    monkeypatch.chdir(tmp_path)
    names = ["a1", "a2", "a3", "b1", "b2", "b3"]
    written(tmp_path, names)
    files = [f"{name}.jsonl" for name in ["gold", *names]]
    ours, theirs = ",".join(files[1:4]), ",".join(files[4:])
    by_comma = [f"gold={files[0]}", f"ours={ours}", f"theirs={theirs}"]
    by_option = [f"gold={files[0]}", *files[1:], "--runs", f"ours={ours},theirs={theirs}"]
    outputs = []
    for line in (by_comma, by_option):
        assert main(["evaluate", *line, "--test", "jackknife", "--format", "json"]) == 0
        outputs.append(json.loads(capsys.readouterr().out))
    assert outputs[0] == outputs[1]
    assert outputs[0]["kind"] == "EvaluationOfRuns"
    assert [row["runs"] for row in outputs[0]["tables"]["systems"]] == [3, 3]
    (pair,) = outputs[0]["test"]["tables"]["pairs"]
    assert (pair["a"], pair["b"]) == ("ours", "theirs")
    assert main(["evaluate", *by_comma, "--by", "label"]) == 2
    assert "--runs does not go with --by" in capsys.readouterr().err
    assert main(["evaluate", *by_comma, "--test", "bootstrap"]) == 2
    assert main(["evaluate", *files, "--runs", "a1.jsonl"]) == 2
    assert "NAME=RUN,RUN,... is needed" in capsys.readouterr().err


def test_answers_in_columns(tmp_path, capsys):
    """Repeated answers of a model are columns of one file, named as runs."""
    corpus = corpus_of(["a1", "a2", "a3"], n=5)
    rows = [
        {
            "id": str(d),
            "text": "x" * 30,
            **{n: [s[:3] for s in document.segments[n]] for n in corpus.annotators},
        }
        for d, document in enumerate(corpus)
    ]
    path = tmp_path / "answers.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    columns = "gold=gold,a1=a1,a2=a2,a3=a3"
    line = ["evaluate", str(path), "--text", "text", "--spans", columns]
    assert main([*line, "--runs", "model=a1,a2,a3", "--format", "json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["tables"]["systems"]
    want = [f1(sa.evaluate(corpus), name, "corrected") for name in ("a1", "a2", "a3")]
    assert row["f1"]["corrected"] == pytest.approx(statistics.mean(want), rel=1e-9)


@pytest.fixture(scope="module")
def simulation():
    """The script whose table is in docs/certainty.md."""
    path = Path(__file__).parents[2] / "scripts" / "simulate_runs.py"
    spec = importlib.util.spec_from_file_location("simulate_runs", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["simulate_runs"] = module
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_intervals_hold_the_truth(simulation):
    """Of 200 pairs of unlike runs 95 % hold it within four standard errors; over documents few."""
    design = simulation.Design(spread=0.4, n_runs=5, n_documents=30)
    assert design in simulation.DESIGNS
    (over_documents, over_runs), _ = simulation.shares_held(design)
    error = math.sqrt(0.95 * 0.05 / simulation.PAIRS)
    assert over_runs >= 0.95 - 4 * error
    assert over_documents < 0.95 - 4 * error
