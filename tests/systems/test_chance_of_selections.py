"""The test against chance of an evaluation: of the segments that it compared, whatever selected them.

Oracle: the corpus made by hand of what is selected, tested without the option.
"""

from __future__ import annotations

import dataclasses
import inspect

import pytest
from messages import refuses

import spanagree as sa
from spanagree.comparisons.selection import Selection, SelectionArguments
from spanagree.corpus.unplaced import UnplacedQuotes

SURE, NOT = {"sure": "yes"}, {"sure": "no"}
LOW = {"sure": "no", "score": "0.25"}
LAYERS = {
    "gold": [
        [(0, 1, "Drug", SURE), (2, 3, "Effect", NOT), (4, 6, "Drug", NOT), (8, 9, "Drug")],
        [(0, 1, "Drug"), (2, 3, "Effect", SURE), (6, 7, "Effect")],
    ],
    "mine": [
        [(0, 1, "Drug", NOT), (2, 3, "Effect", NOT), (4, 5, "Drug", LOW), (8, 9, "Effect")],
        [(0, 1, "Drug"), (3, 4, "Effect", SURE), (6, 7, "Effect")],
    ],
}
RELATIONS = {
    "gold": [[(0, 1, "causes"), (2, 1, "with")], [(0, 1, "causes"), (0, 2, "causes")]],
    "mine": [[(0, 1, "causes"), (1, 2, "with")], [(0, 1, "with"), (0, 2, "causes")]],
}
OPTIONS = {
    "tolerance": [{"tolerance": 1}, {"tolerance": 1, "match": "boundaries"}],
    "min_score": [{"min_score": 0.5}],
    "attribute": [{"attribute": "sure"}],
    "what": [{"what": "relations"}, {"what": "attributes"}],
    "pairs": [{"what": "relations", "pairs": "all"}],
    "undirected": [{"what": "relations", "undirected": ["with"]}],
    "untyped": [{"what": "relations", "untyped": True}, {"what": "attributes", "untyped": True}],
    "arguments": [{"what": "relations", "arguments": "common"}],
    "match": [{"match": name} for name in ("boundaries", "token", "overlap", "overlap-at-0.5")],
    "places": [{"places": "capitals"}],
    "chance": [{"chance": "per-label"}],
    "chance_of": [{"chance_of": "systems"}],
    "unplaced": [{"unplaced": "ignore"}, {"unplaced": "wrong", "match": "token"}],
}
"""Each option of evaluate that selects or changes what is compared."""
OTHERS = {
    "ci",
    "p_values",
    "seed",
    "beta",
    "executor",
    "on_error",
    "progress",
    "corpus",
    "gold",
    "comparing",
}


def corpus():
    made = sa.Corpus.from_segments([10, 8], LAYERS, relations=RELATIONS)
    quotes = UnplacedQuotes.from_texts([0, 1], ["Drug", "Effect"], ["no such", "thing"], "tokens")
    return made.replace(tokens=tuple("AbCdEfGhIjAbCDefGh"), unplaced={"mine": quotes})


def test_every_option_is_tried():
    of_evaluate = set(inspect.signature(sa.evaluate).parameters)
    of_evaluate |= set(Selection.__dataclass_fields__)
    assert of_evaluate - OTHERS == set(OPTIONS)


def figures(tested):
    (system,) = tested.systems.values()
    return system.f1, system.mean, system.p, system.sd


CASES = [
    pytest.param(ask, id=f"{name}-{i}")
    for name, asks in OPTIONS.items()
    for i, ask in enumerate(asks)
]


@pytest.mark.parametrize("ask", CASES)
def test_of_what_was_compared(ask):
    """F1 is that of the evaluation, and the mean what chance gives with gold as it is."""
    whole = corpus()
    evaluation = sa.evaluate(whole, "gold", **ask)
    tested = sa.chance_test(whole, evaluation)
    f1, mean, p, _ = figures(tested)
    assert f1 == evaluation["mine"].f1.observed
    assert 0 < p <= 1
    if ask.get("what") is None:
        systems = sa.evaluate(whole, "gold", **{**ask, "chance_of": "systems"})["mine"].f1
        assert mean == pytest.approx(systems.expected, rel=1e-9)
    # again, of the same evaluation
    assert figures(sa.chance_test(whole, evaluation)) == figures(tested)


@pytest.mark.parametrize(
    "ask", [{}, {"what": "relations"}, {"attribute": "sure"}, {"match": "token"}]
)
@pytest.mark.parametrize(
    "changed",
    [{"labels": ["Drug"]}, {"map_labels": {"Effect": "Drug"}}, {"labels": ["Drug", "Effect"]}],
)
def test_of_a_corpus_that_was_filtered(ask, changed):
    """The labels that were evaluated count, whether the corpus passed has them all or no more."""
    whole = corpus()
    filtered = whole.with_labels(**changed)
    evaluation = sa.evaluate(filtered, "gold", **ask)
    assert figures(sa.chance_test(whole, evaluation)) == figures(
        sa.chance_test(filtered, evaluation)
    )


def test_by_hand():
    """Two of gold's four segments are evaluated: one of five places of the system's matches, p .2."""
    layers = {"gold": [[(0, 1, "X"), (3, 4, "Y")]], "mine": [[(0, 1, "X"), (2, 3, "Y")]]}
    whole = sa.Corpus.from_segments([5], layers)
    evaluation = sa.evaluate(whole.with_labels(labels=["X"]), "gold")
    assert figures(sa.chance_test(whole, evaluation))[:3] == pytest.approx((1, 0.2, 0.2))


def test_rows_hold_no_segments(tmp_path):
    """An evaluation of rows alone cannot be tested against chance, which places segments anew."""
    sa.evaluate(corpus(), "gold").rows.write(tmp_path / "one.npz")
    rows = sa.systems.ComparedSystems.read(tmp_path / "one.npz")
    with refuses(sa.SettingError, "p against chance … segments"):
        sa.chance_test(corpus(), sa.evaluate([rows], "gold"))


SELECTING = [
    pytest.param(ask, id=f"{name}-{i}")
    for name in Selection.__dataclass_fields__
    for i, ask in enumerate(OPTIONS.get(name, ()))
]


@pytest.mark.parametrize("ask", SELECTING)
@pytest.mark.parametrize("call", [sa.evaluate, sa.agree])
def test_a_selection_is_signed_and_recorded(ask, call):
    """Each field of what is compared is in the signature, and in a sentence of the citation.

    Rows of it are taken for the same question, and refused for any other.
    """
    whole = corpus()
    result, usual = call(whole, **ask), call(whole)
    assert result.signature != usual.signature
    assert sa.cite(result) != sa.cite(usual)
    assert call([result.rows], **ask) == result
    name = next(reversed(ask))  # the last is the field itself, or the measure that goes with it
    without = {key: value for key, value in ask.items() if key != name}
    with refuses(sa.SettingError, "part 1: … the rows are of … ask for that"):
        call([result.rows], **without)
    with refuses(sa.SettingError, "part 1: … the rows are of … ask for that"):
        call([call(whole, **without).rows], **ask)


def test_rows_of_other_segments_of_relations():
    """Rows of relations whose segments match by boundaries are not those of exact ones."""
    rows = sa.evaluate(corpus(), what="relations", pairs="all", match="boundaries").rows
    with refuses(sa.SettingError, "part 1: match 'exact'; the rows are of match 'boundaries'"):
        sa.evaluate([rows], what="relations", pairs="all")


def test_keywords_for_types():
    """What type checkers know of the keywords is what is compared: names and types."""
    of_fields = {field.name: field.type for field in dataclasses.fields(Selection)}
    assert {
        name: kind.__forward_arg__ for name, kind in SelectionArguments.__annotations__.items()
    } == of_fields
