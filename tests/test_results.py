"""What all results share: they equal themselves where figures are undefined."""

from __future__ import annotations

import dataclasses
import pickle

import pytest

import spanagree as sa
from spanagree.corpus.corpus import Corpus
from spanagree.results import Comparable, same

EMPTY = Corpus.from_segments([3, 9], {"gold": [[], []], "mine": [[], None], "b": [[], []]})
SOME = Corpus.from_segments([3, 9], {"gold": [[(0, 1, "X")], []], "mine": [[(1, 2, "Y")], []], "b": [None, [(0, 9, "X")]]})  # fmt: skip
LABELS = sa.LabelTable.from_rows([(1, "a", "x"), (1, "b", "x"), (2, "c", "y")])
RESULTS = {
    "evaluate": lambda corpus: sa.evaluate(corpus, ci=True, resamples=20),
    "compare_systems": lambda corpus: sa.compare_systems(sa.evaluate(corpus), resamples=20),
    "luck_test": lambda corpus: sa.luck_test(corpus, sa.evaluate(corpus), draws=20),
    "agree": lambda corpus: sa.agree(corpus, ci=True, resamples=20),
    "disagreements": lambda corpus: sa.disagreements(corpus, a="gold", b="mine"),
    "confusion": lambda corpus: sa.confusion(corpus, a="gold", b="mine"),
    "difficulty": sa.difficulty,
    "split": lambda corpus: sa.split(corpus, sa.difficulty(corpus), levels=2),
    "alpha_u": lambda corpus: sa.alpha_u(corpus, ci=True, resamples=20),
    "gamma": sa.gamma,
    "side_by_side": sa.side_by_side,
    "evaluate_levels": lambda corpus: sa.evaluate_levels(sa.evaluate(corpus), sa.difficulty(corpus), levels=2),
}  # fmt: skip
COEFFICIENTS = ("coefficients", "spa", "pi", "kappa", "alpha", "ac1", "bias", "category_agreement")
RESULTS |= {name: lambda _, name=name: getattr(sa, name)(LABELS) for name in COEFFICIENTS}


@pytest.mark.parametrize("corpus", [EMPTY, SOME], ids=["empty", "some"])
@pytest.mark.parametrize("name", RESULTS)
def test_results_equal_themselves(name, corpus):
    """The same call gives an equal result, also where figures are nan, and so does a pickled copy.

    Each nan of a pickled copy is an object of its own, which no comparison by identity equals.
    """
    if name in ("split", "evaluate_levels") and corpus is EMPTY:
        pytest.skip("no document has a difficulty")
    result = RESULTS[name](corpus)
    assert result == RESULTS[name](corpus)
    assert pickle.loads(pickle.dumps(result)) == result
    assert result != name


def test_results_that_differ():
    """One figure, one note or one document more is another result; nan equals nan only."""
    result = sa.difficulty(SOME)
    for change in (
        {"notes": ("x",)},
        {"chance": result.chance + 1e-9},
        {"document_ids": ("a", "b")},
    ):
        assert dataclasses.replace(result, **change) != result
    whole = sa.coefficients(LABELS)
    assert dataclasses.replace(whole, pi=dataclasses.replace(whole.pi, value=0.5)) != whole
    nan = float("nan")
    assert same({"a": [nan, (1.0, nan)]}, {"a": [float("nan"), (1.0, nan)]})
    for one, other in ((nan, 0.0), ([nan], [nan, nan]), ({"a": nan}, {"b": nan}), ((1,), [1])):
        assert not same(one, other)
        assert not same(other, one)


def test_every_result_compares_so():
    """No dataclass has an equality of its own over that of results, which it would hide."""
    for name in sa.__all__:
        getattr(sa, name)  # loads the modules of results
    kinds = [Comparable]
    for kind in kinds:
        kinds += kind.__subclasses__()
    assert len(kinds) > 15
    advice = "write @dataclass(frozen=True, eq=False) over the class"
    for kind in kinds:
        assert not dataclasses.is_dataclass(kind) or kind.__eq__ is Comparable.__eq__, (
            kind,
            advice,
        )
