"""Chance that knows places, and of systems only, where references, tallies and slices are."""

from __future__ import annotations

import math

import numpy as np
import pytest
from strategies import ADDITIVE

import spanagree as sa
from spanagree.choices import Chance, list_names
from spanagree.cli.main import main

ANSWERS = "corpora/answers/answers.jsonl"
SYSTEMS = ["detector", "eager"]


@pytest.fixture(scope="module")
def answers():
    return sa.read(ANSWERS)


def of_random_systems(corpus, draws, chance_of):
    """Corrected F1 of systems that mark the lengths of people anywhere."""
    people, values = list(corpus.layers), []
    for first in range(0, draws, 100):
        random = {
            f"random {seed}": sa.with_baselines(corpus, ["random"], seed=seed).layers["random"]
            for seed in range(first, min(first + 100, draws))
        }
        whole = corpus.replace(layers={**corpus.layers, **random})
        made = sa.evaluate_references(whole, people, match="token", chance_of=chance_of)
        values += [system.f1.corrected for system in made.systems.values()]
    mean, error = np.mean(values), np.std(values, ddof=1) / math.sqrt(draws)
    return float(mean / error)


@pytest.mark.slow
def test_a_random_system_is_0(answers):
    """1,000 systems that mark people's own lengths at random: 0 within 4 standard errors.

    If people are random too it is far below, as their segments stand in the middle.
    """
    people = answers.select_annotators([name for name in answers.layers if name not in SYSTEMS])
    assert abs(of_random_systems(people, 1000, "systems")) < 4
    assert of_random_systems(people, 100, "both") < -8


@pytest.mark.slow
@pytest.mark.parametrize("language", ["sv", "fa"])
def test_a_random_system_is_0_on_mushroom(real, language):
    """The same of the task's data, whose people mark what stands in the middle too."""
    (file,) = (real / "data" / "tools" / "mushroom").glob(f"mushroom.{language}-*.jsonl")
    corpus = sa.read(file, repair="drop-empty")
    assert abs(of_random_systems(corpus, 1000, "systems")) < 4


@pytest.mark.long
@pytest.mark.parametrize("match", ADDITIVE)
@pytest.mark.parametrize("chance", list_names(Chance))
@pytest.mark.parametrize("chance_of", ["both", "systems"])
def test_references_add(answers, match, chance, chance_of):
    """F1 against references is that of the sums of all evaluations against one of them."""
    people = [name for name in answers.layers if name not in SYSTEMS]
    how = {"match": match, "chance": chance, "places": "words", "chance_of": chance_of}
    made = sa.evaluate_references(answers, people, **how)
    for name in SYSTEMS:
        total = sa.Tally()
        for person in people:
            two = answers.select_annotators([person, name])
            total += sa.evaluate(two, person, **how).systems[name].tally
        assert made[name].f1[:3] == pytest.approx(total.f1[:3], abs=1e-12)
    labels = {name: each.f1[:3] for name, each in made["eager"].labels.items()}
    if labels:
        assert labels == {"untrue": pytest.approx(made["eager"].f1[:3], abs=1e-12)}
    plain = sa.evaluate_references(answers, people, **{**how, "places": None})
    assert made.uniform.ceiling.f1 == plain.ceiling.f1
    assert made.uniform["eager"].f1 == plain["eager"].f1


def test_of_people_one_is_random():
    """Of two people each is random in turn, the other as she is: the mean of both, by hand.

    Of 4 tokens, ann has one and bob two: if ann is random she meets bob's 2 tokens with 2/4, if bob
    is random one of his three places of four, the first or the second, has token 1.
    """
    layers = {"ann": [[(1, 2, "X")]], "bob": [[(2, 4, "X")]], "model": [[(1, 2, "X")]]}
    corpus = sa.Corpus.from_segments([4], layers)
    made = sa.evaluate_references(corpus, ["ann", "bob"], match="token", chance_of="systems")
    assert made.ceiling.f1.expected == pytest.approx((2 / 4 + 2 / 3) / 3)
    against = 2 * (1 / 4 + 2 / 4) / (1 + 1 + 1 + 2)
    assert made["model"].f1.expected == pytest.approx(against)


def test_rows_of_files_add(answers, tmp_path):
    """Parts whose rows are in files give what the whole corpus gives, uniform and at sites."""
    how = {"match": "token", "places": "words", "chance_of": "systems"}
    whole = sa.evaluate(answers, "ann", **how)
    files = [tmp_path / f"{part}.npz" for part in "ab"]
    for file, some in zip(files, (range(20), range(20, len(answers))), strict=True):
        sa.evaluate(answers.subset(some), "ann", **how).rows.write(file)
    merged = sa.evaluate([sa.systems.ComparedSystems.read(file) for file in files], "ann", **how)
    assert str(merged) == str(whole)
    assert merged.places == whole.places
    assert merged.notes == whole.notes
    assert any("places words: chance depends on" in note for note in whole.notes)
    parts = [answers.subset(range(20)), answers.subset(range(20, len(answers)))]
    assert whole.notes[-1] in sa.evaluate(parts, "ann", **how).notes  # of all parts, once
    assert sa.agree(parts, places="words").notes == sa.agree(answers, places="words").notes
    for name, system in whole.systems.items():
        assert merged[name].f1 == system.f1
        assert merged.uniform[name].f1 == whole.uniform[name].f1
    how["ci"] = sa.Jackknife()
    rows = [sa.systems.ComparedSystems.read(file) for file in files]
    ends = [sa.evaluate(source, "ann", **how)["eager"].f1.interval for source in (rows, answers)]
    assert ends[0] == ends[1]


@pytest.mark.long
def test_slices(answers):
    """A slice has the chance that its documents have, and the uniform one beside it."""
    result = sa.agree(answers, match="token", places="words")
    made = sa.slices.score_slices(result, [str(d // 12 + 1) for d in range(36)], resamples=200)
    third = sa.agree(answers.subset(range(24, 36)), match="token", places="words")
    ours, plain = (x["3"].scores["team"].f1[:3] for x in (made, made.uniform))
    assert ours == pytest.approx(third.team.f1[:3], abs=1e-12)
    assert plain == pytest.approx(third.uniform.team.f1[:3], abs=1e-12)
    assert made.places == sa.agree(answers, match="token", places="words").places
    assert "f1_expected_uniform" in made.to_rows()[0]


def test_difficulty(answers):
    """Difficulty has the chance at places, and the uniform one beside it, over parts too."""
    ruled, plain = (sa.difficulty(answers, "ann", places=rule) for rule in ("words", None))
    assert ruled.uniform.tolist() == pytest.approx(plain.chance.tolist(), abs=1e-12, nan_ok=True)
    assert ruled.chance[~np.isnan(ruled.chance)].sum() > np.nansum(plain.chance)
    parts = [answers.subset(range(20)), answers.subset(range(20, 36))]
    joined = sa.difficulty(parts, "ann", places="words")
    assert joined.chance.tolist() == pytest.approx(ruled.chance.tolist(), abs=1e-12, nan_ok=True)
    assert joined.places == ruled.places


@pytest.mark.long
@pytest.mark.parametrize(
    "asked",
    [
        ["evaluate", ANSWERS, "--systems", "detector", "--places", "words", "--ci"],
        ["evaluate", ANSWERS, "--gold", "ann", "--places", "words", "--by", "difficulty"],
        ["agree", ANSWERS, "--places", "words", "--by", "([0-9])$"],
        ["agree", ANSWERS, "--places", "words", "--by", "pair", "--test", "chance"],
        ["difficulty", ANSWERS, "--places", "words"],
    ],
)
def test_commands(asked, capsys):
    """Each command has the rule in its signature, and says how segments stand to it."""
    more = ["--resamples", "100"] if "([0-9])$" in asked else []
    assert main([*asked, *more]) == 0
    out = capsys.readouterr().out.replace("\n  ", "")
    assert "|places:words|places-mean:" in out
    assert "chance (words): at sites: " in out
