"""agree --measure: what it shows, what it refuses, and what can be done with its signature."""

from __future__ import annotations

import itertools
import json
import math
import re
from pathlib import Path

import pytest
from messages import refuses, says

import spanagree as sa
from spanagree.choices import Shown, list_names
from spanagree.cli.main import main
from spanagree.comparisons.measures import list_measures

CROWD = Path(__file__).parent.parent.parent / "corpora" / "crowd" / "crowd.jsonl"


@pytest.fixture(scope="module")
def few(tmp_path_factory):
    """The first documents of the crowd's corpus."""
    path = tmp_path_factory.mktemp("few") / "crowd.jsonl"
    sa.write_jsonl(sa.read_jsonl(CROWD).subset(range(12)), path)
    return path


@pytest.fixture
def run(capsys):
    """Runs agree on the crowd's corpus; returns its exit code, stdout and stderr."""

    def run(*arguments, path=CROWD):
        code = main(["agree", str(path), *arguments])
        out, err = capsys.readouterr()
        return code, out, err

    return run


@pytest.mark.long
@pytest.mark.parametrize("measure", ["alpha-u", "gamma", "all"])
@pytest.mark.parametrize("form", list_names(Shown))
def test_formats(run, few, measure, form):
    """Every measure in every format, with its signature."""
    code, out, _ = run("--measure", measure, "--format", form, path=few)
    assert code == 0
    assert f"measure:{measure}|" in out.replace("\\_", "_")


@pytest.mark.long
def test_json_is_the_python_result(run):
    """The command line adds nothing to what Python gives."""
    corpus = sa.read_jsonl(CROWD)
    _, out, _ = run("--measure", "gamma", "--seed", "5", "--format", "json")
    assert json.loads(out) == sa.gamma(corpus, seed=5).to_dict()
    _, out, _ = run("--measure", "alpha-u", "--ci", "--format", "json")
    assert json.loads(out) == sa.alpha_u(corpus, ci=sa.Jackknife()).to_dict()
    _, out, _ = run(
        "--measure", "alpha-u", "--by", "pair", "--annotators", "ann,bob", "--format", "json"
    )
    assert (
        json.loads(out)["tables"]["pairs"][0]["alpha_u"]
        == json.loads(out)["tables"]["figures"][-1]["alpha_u"]
    )


@pytest.mark.long
def test_workers_change_no_digit(run, few):
    """Processes make the same draws."""
    alone, several = (run("--measure", "gamma", *x, path=few) for x in ((), ("--workers", "2")))
    assert alone[1] == several[1]


def test_workers(tmp_path, capsys):
    """α_U of files that two workers read is that of the files."""
    corpus = sa.read_jsonl(CROWD)
    for name, some in (("a", range(30)), ("b", range(30, len(corpus)))):
        sa.write_jsonl(corpus.subset(some), tmp_path / f"{name}.jsonl")
    command = ["agree", str(tmp_path / "*.jsonl"), "--measure", "alpha-u"]
    outputs = []
    for more in ([], ["--workers", "2"]):
        assert main([*command, *more]) == 0
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]


@pytest.mark.slow
def test_all_is_what_each_says(run):
    """Side by side stand the figures that each measure gives by itself."""
    corpus = sa.read_jsonl(CROWD)
    both = corpus.subset([d for d in range(len(corpus))
                          if sum(x.annotated[d] for x in corpus.layers.values()) > 1])  # fmt: skip
    result = sa.compare_measures(corpus)
    assert result.measures["corrected F1, exact"].value == sa.agree(both).team.f1.corrected
    assert result.measures["α_U"].value == sa.alpha_u(corpus).all.value
    assert result.measures["γ"].value == sa.gamma(corpus).gamma.value
    assert result.documents == 62
    assert run("--measure", "all", "--explain")[1].count("γ_cat") >= 2


def test_a_measure_that_does_not_fit_says_why():
    """Units that overlap have no α_U; the other measures stay."""
    corpus = sa.Corpus.from_segments(
        [20], {"a": [[(0, 3, "X"), (2, 5, "X")]], "b": [[(0, 3, "X")]]}
    )
    result = sa.compare_measures(corpus, chance="overlapping")
    assert "overlap" in result.measures["α_U"].reason
    assert result.measures["corrected F1, exact"].reason == ""
    assert result.measures["γ"].reason == ""
    assert result.to_dict()["tables"]["measures"][-3]["value"] is None


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--measure", "gamma", "--match", "token"], "--match does not go with --measure gamma"),
        (
            ["--measure", "gamma", "--overlap-at", "1"],
            "--overlap-at does not go with --measure gamma",
        ),
        (
            ["--measure", "gamma", "--test", "chance"],
            "--test does not go with --measure gamma",
        ),
        (["--measure", "gamma", "--continuum", "joined"], "--continuum needs --measure alpha-u"),
        (["--measure", "alpha-u", "--chance", "overlapping"], "--chance does not go with"),
        (
            ["--measure", "gamma", "--by", "annotator"],
            "--by annotator does not go with --measure gamma",
        ),
        (["--measure", "all", "--by", "label"], "--by does not go with --measure all"),
        (["--measure", "all", "--ci"], "--ci does not go with --measure all"),
        (["--measure", "documents", "--workers", "2"], "--workers needs files found by a pattern"),
        (["--measure", "alpha-u", "--seed", "1"], "--seed needs"),
    ],
)
def test_refused(run, arguments, message):
    """What does not fit a measure is a usage error."""
    code, out, err = run(*arguments)
    assert (code, out) == (2, "")
    assert message in err


@pytest.mark.long
def test_cited(run):
    """The methods paragraph names chance, weights and sources, and signatures come back."""
    corpus = sa.read_jsonl(CROWD)
    text = " ".join(sa.cite(sa.gamma(corpus, alpha=3, sampler="shuffle", precision=0.5)).split())
    assert "Mathet et al., 2015" in text
    assert "Positions of units weigh α = 3. Their categories weigh β = 1." in text
    assert "annotators drawn at random and shifted." in text
    text = sa.cite(sa.alpha_u(corpus, ci=sa.Jackknife()))
    assert "Krippendorff, 1995" in " ".join(text.split())


@pytest.mark.long
def test_plots(run, few, tmp_path):
    """Each measure can be drawn."""
    pytest.importorskip("matplotlib")
    for measure in ("alpha-u", "gamma", "all"):
        path = tmp_path / f"{measure}.svg"
        assert run("--measure", measure, "--plot", str(path), path=few)[0] == 0
        assert path.stat().st_size > 1000


def test_all_measures_are_dots_at_their_values():
    """A dot for each measure that is defined, with its name beside it."""
    pytest.importorskip("matplotlib")
    from matplotlib import pyplot

    spans = {"ann": [[(0, 2, "X"), (4, 6, "Y")]], "bob": [[(0, 2, "X"), (5, 6, "Y")]]}
    made = sa.units.compare_measures(sa.Corpus.from_segments([12], spans), precision=0.2)
    known = {name: x.value for name, x in made.measures.items() if not math.isnan(x.value)}
    ax = made.plot()
    written = [label.get_text() for label in ax.get_yticklabels()]
    assert written == [f"{name}  {value:.3f}" for name, value in known.items()]
    assert ax.containers[0][0].get_xdata().tolist() == list(known.values())
    pyplot.close("all")


def test_drawn_chance_has_its_error_beside_other_measures():
    """What errs in chance errs in the value: by the slope of (o − e) / (1 − e), here by differences.

    Ten segments of one to five tokens each are too many to enumerate, so that overlap is drawn;
    exact match never is.
    """
    ends = list(itertools.accumulate(3 + length for length in (1, 2, 3, 4, 5) * 2))
    spans = [(end - 1 - i % 5, end, "X") for i, end in enumerate(ends)]
    moved = [(start + 1, end + 1, label) for start, end, label in spans]
    corpus = sa.Corpus.from_segments([200], {"a": [spans], "b": [moved]})
    drawn = sa.agree(corpus, match="overlap", seed=3)
    found = sa.units.compare_measures(corpus, precision=1, seed=3).measures
    score, error, step = drawn.team.f1, drawn.error_of_chance, 1e-6
    o, e = score.observed, score.expected
    slope = ((o - e) / (1 - e) - (o - e - step) / (1 - e - step)) / step
    overlap = found["corrected F1, overlap"]
    assert overlap.value == score.corrected
    assert overlap.error == pytest.approx(error * abs(slope), rel=1e-4)  # of a step of 1e-6
    assert found["corrected F1, exact"].error == 0


def test_units_that_overlap_have_gamma_without_a_chance_model(tmp_path, capsys):
    layers = {"ann": [[(0, 3, "X"), (1, 4, "X")]], "bob": [[(0, 3, "X")]]}
    sa.write_jsonl(sa.Corpus.from_segments([9], layers), tmp_path / "two.jsonl")
    arguments = ["agree", str(tmp_path / "two.jsonl"), "--measure", "gamma"]
    assert main(arguments) == 0
    assert "|chance:overlapping|" in "".join(capsys.readouterr().out.split())
    assert main([*arguments, "--chance", "nonoverlapping"]) == 1
    assert "which chance nonoverlapping does not allow" in capsys.readouterr().err


def test_each_measure_is_a_step_and_overlap_ends_with_half_of_the_time(monkeypatch):
    """F1 by overlap that is not done by then is undefined, and says so; without a clock it is not."""
    spans = [(10 * i, 10 * i + 4, "X") for i in range(9)]
    corpus = sa.Corpus.from_segments([90] * 12, {name: [spans] * 12 for name in "abc"})
    now, names = [0.0], []

    class Shown:
        def step(self, name):
            names.append(name)
            return self

        def __call__(self, done, total):
            now[0] += 40 * (names[-1] == "F1, overlap" and done > 0)

    monkeypatch.setattr("spanagree.units.all_measures.time.monotonic", lambda: now[0])
    stopped = sa.units.compare_measures(corpus, progress=Shown())
    overlap = stopped.measures["corrected F1, overlap"]
    assert math.isnan(overlap.value)
    assert "half of time_limit 60" in overlap.reason
    assert re.match("[1-9][0-9]* of 36 pairs", overlap.reason)
    assert "|stopped:time|" in stopped.signature
    labelled = [f"F1, {measure}" for measure in list_measures(lambda measure: measure.of_label)]
    assert list(dict.fromkeys(names))[:-1] == [*labelled, "α of tokens", "α_U", "γ"]
    assert stopped.measures["corrected F1, token"].value == 1
    whole = sa.units.compare_measures(corpus, time_limit=None, progress=Shown())
    assert whole.measures["corrected F1, overlap"].value == 1
    assert "stopped" not in whole.signature


CROSSED = [(0, 4, "X"), (2, 6, "Y")]
NESTED = [(0, 4, "X"), (1, 3, "X")]


def test_all_measures_of_overlapping_segments(capsys, tmp_path):
    """Where no measure is defined that is an error; else reasons name no option without effect."""
    corpus = sa.Corpus.from_segments(
        [9, 9], {"ann": [CROSSED, NESTED], "bob": [CROSSED, [(0, 4, "X")]]}
    )
    with refuses(
        sa.SettingError,
        "no measure takes these annotations … 'X' and 2–6 'Y' overlap … --chance overlapping",
    ):
        sa.units.compare_measures(corpus, chance="nonoverlapping")
    path = tmp_path / "o.jsonl"
    sa.write_jsonl(corpus, path)
    ask = ["agree", str(path), "--measure", "all"]
    assert main([*ask, "--chance", "nonoverlapping"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    says(err.splitlines()[-1], "spanagree: error: no measure takes these annotations")
    assert main(ask) == 0
    out, _ = capsys.readouterr()
    assert "would work" not in out
    assert "--match" not in out
    found = sa.units.compare_measures(corpus).measures
    raw, named = (
        found["corrected F1, overlap"],
        sa.units.compare_measures(corpus, chance="overlapping"),
    )
    assert raw.observed == pytest.approx(6 / 7)  # 3 pairs of 4 and 3 segments
    others = {name: figure for name, figure in found.items() if figure != raw}
    assert others == {name: named.measures[name] for name in others}
    assert math.isnan(named.measures["corrected F1, overlap"].observed)
    values = {name for name, figure in found.items() if not math.isnan(figure.value)}
    assert values == {"corrected F1, exact", "γ", "γ_cat"}
    says(
        found["corrected F1, token"].reason,
        "annotator 'ann', document '2': … which match token does not allow",
    )


def test_all_measures_of_which_one_is_defined():
    """Tokens that two segments of one label share have that label once: their α is defined."""
    nested = sa.Corpus.from_segments([9], {"ann": [NESTED], "bob": [[(0, 4, "X")]]})
    found = sa.units.compare_measures(nested, chance="nonoverlapping").measures
    assert found["α of tokens"].value == 1
    assert found["γ"].reason.endswith(
        "which chance nonoverlapping does not allow; chance overlapping does"
    )
    assert all(bool(figure.reason) == math.isnan(figure.value) for figure in found.values())
