"""Chance models as objects: parsed once, kept by a result, and taken again.

Oracle: the result that was asked for by names.
"""

from __future__ import annotations

import importlib
import pickle

import pytest
from messages import refuses

import spanagree as sa
from spanagree.chance.model import ChanceModel, build_chance_model
from spanagree.comparisons.counting import MatchCountOptions
from spanagree.comparisons.expected import STARTS, find_starts_key
from spanagree.comparisons.measures import MEASURES, find_measure
from spanagree.comparisons.starts import Starts

LAYERS = {"gold": [[(0, 2, "X"), (3, 4, "Y")]], "mine": [[(0, 2, "X"), (4, 5, "Y")]]}
NESTED = {"gold": [[(0, 3, "X"), (1, 2, "X")]], "mine": [[(0, 3, "X")]]}
LINKED = {name: [[(0, 1, "r")]] for name in LAYERS}


def corpus(layers=LAYERS):
    return sa.Corpus.from_segments([6], layers).replace(tokens=("Aa", "b", "C", "D", "e", "f"))


@pytest.mark.parametrize(
    "ask",
    [
        {},
        {"chance": "per-label"},
        {"chance_of": "systems"},
        {"places": "capitals"},
        {"seed": 3},
        {"places": "letters", "chance_of": "systems", "seed": 3, "chance": "overlapping"},
    ],
)
def test_the_model_of_a_result_is_taken_again(ask):
    """A result keeps its model, which gives the same result; it survives pickling, as in a pool."""
    result = sa.evaluate(corpus(), **ask)
    model = pickle.loads(pickle.dumps(result.counting.chance))
    assert model == result.counting.chance
    assert hash(model) == hash(result.counting.chance)
    again = sa.evaluate(corpus(), chance=model)
    assert again == result
    assert again.signature == result.signature


def test_no_chance_is_taken_again():
    """Where no model goes with the segments, that and its reason are a model, too."""
    result = sa.evaluate(corpus(NESTED), match="overlap")
    assert result.settings.chance == "none"
    again = sa.evaluate(corpus(NESTED), match="overlap", chance=result.counting.chance)
    assert again.to_json() == result.to_json()
    assert again.settings["chance_undefined"] == result.counting.chance.undefined


def test_settings_have_names():
    """What settings say of a model are plain strings, which JSON holds as they are."""
    settings = sa.evaluate(corpus(), places="capitals", chance_of="systems").settings
    named = {key: settings[key] for key in ("chance", "places", "chance_of")}
    assert named == {"chance": "nonoverlapping", "places": "capitals", "chance_of": "systems"}
    assert {type(value) for value in named.values()} == {str}


@pytest.mark.parametrize("more", [{"places": "letters"}, {"whose": "systems"}])
def test_what_only_chance_has_names_a_model(more):
    """A model is open if nothing of it is named; a seed leaves it open."""
    assert build_chance_model("auto").is_open
    assert build_chance_model("auto", seed=4).is_open
    assert not build_chance_model("per-label").is_open
    assert not build_chance_model("auto", **more).is_open


def test_unknown_models():
    """Names are refused where they come in."""
    with refuses(sa.SettingError, "unknown chance 'x' … overlapping"):
        build_chance_model("x")
    with refuses(sa.SettingError, "unknown chance 'none'"):
        build_chance_model("none")
    with refuses(sa.SettingError, "unknown chance_of 'gold'"):
        build_chance_model("auto", whose="gold")


def test_every_kind_of_starts():
    """The table names classes of starts; a corpus, or its chance, is of one of these kinds."""
    for name in STARTS.values():
        module, _, kind = name.rpartition(".")
        assert issubclass(getattr(importlib.import_module(module), kind), Starts), name
    usual, at_places = build_chance_model("auto"), build_chance_model("auto", "capitals")
    no_chance = usual.remove_chance("there is none")
    links = sa.Corpus.from_segments([6], LAYERS, relations=LINKED)
    relations = sa.evaluate(links, what="relations").rows.corpus
    found = {
        find_starts_key(corpus(), usual),
        find_starts_key(corpus(), usual, find_measure("exact-within-1-words")),
        find_starts_key(corpus(), at_places),
        find_starts_key(relations, at_places),
        find_starts_key(relations, no_chance),
    }
    assert found | {"pieces", "long"} == set(STARTS)


def test_measures_by_their_own_names():
    """The name of each measure is that of its row, and finds it again."""
    for name, measure in MEASURES.items():
        assert measure.name == name
    for name in ("overlap-at-0.5", "exact-within-2", "boundaries-within-1-words"):
        assert find_measure(name).name == name


def test_a_model_is_named_and_loses_its_places():
    """The model beside a rule of places has all else of it."""
    model = ChanceModel("auto", None, "systems", 5)
    ruled = build_chance_model("auto", "capitals", "systems", 5)
    assert MatchCountOptions(match="exact", chance=ruled).remove_places().chance == model
    assert MatchCountOptions(match="exact", chance=model).remove_places() is None
