"""What all results share: each says how it was made, whichever public function gives it."""

from __future__ import annotations

import inspect
from dataclasses import FrozenInstanceError

import pytest

import spanagree as sa
from spanagree.results import Signed
from spanagree.settings import Settings

PLAIN = {
    "Corpus", "LabelTable", "LabelTallies", "Tallies", "MatchDistribution", "Floats", "str", "Any",
    "None", "Corpus | Iterator[Corpus]", "LabelTable | LabelTallies", "list[Any]",
    "list[Callable[[], Corpus]]", "tuple[Floats, ...]", "Callable[[Any], dict[str, float]]",
}  # fmt: skip
"""What public functions return that is not a result, as docs/api/index.md says."""

LAYERS = {
    "gold": [[(0, 2, "X"), (4, 5, "Y")], [(1, 3, "Y")], []],
    "mine": [[(0, 2, "X")], [(1, 2, "Y"), (5, 7, "X")], [(0, 1, "X")]],
    "yours": [[(0, 1, "X")], [(1, 3, "Y")], []],
}


def makers():
    """Each public function that gives a result, by name."""
    corpus = sa.Corpus.from_segments([9, 8, 5], LAYERS)
    evaluation, hard = sa.evaluate(corpus), sa.difficulty(corpus)
    labels = sa.LabelTable.from_rows([(1, "a", "x"), (1, "b", "x"), (2, "a", "y"), (2, "b", "x")])
    table = dict.fromkeys(("coefficients", "spa", "pi", "kappa", "alpha", "ac1", "bias", "category_agreement"), (labels,))  # fmt: skip
    pair = dict.fromkeys(("disagreements", "confusion"), (corpus, "gold", "mine"))
    whole = dict.fromkeys(("evaluate", "agree", "difficulty", "alpha_u", "side_by_side"), (corpus,))
    return {
        **table,
        **pair,
        **whole,
        "gamma": (sa.Corpus.from_segments([9], {name: x[:1] for name, x in LAYERS.items()}),),
        "compare_systems": (evaluation,),
        "with_intervals": (evaluation,),
        "luck_test": (corpus, evaluation),
        "split": (corpus, hard),
        "evaluate_levels": (evaluation, hard),
        "read_tallies": None,
    }


def test_every_function_is_known():
    """A public function gives a result, or what is listed as none."""
    functions = {name: getattr(sa, name) for name in sa.__all__}
    kinds = {
        name: inspect.signature(function).return_annotation
        for name, function in functions.items()
        if inspect.isfunction(function)
    }
    assert {name for name, kind in kinds.items() if kind not in PLAIN} == makers().keys()


@pytest.mark.parametrize("name", sorted(makers()))
def test_results_say_how_they_were_made(name, tmp_path):
    """Signature, settings, notes and caveats are there, in plain data too; nothing can be set."""
    arguments = makers()[name]
    if arguments is None:
        pytest.importorskip("pyarrow")
        sa.write_tallies(sa.evaluate(*makers()["evaluate"]), tmp_path / "part.parquet")
        arguments = (tmp_path / "part.parquet",)
    result = getattr(sa, name)(*arguments)
    assert isinstance(result, Signed)
    assert result.signature.endswith(f"|spanagree:{sa.__version__}")
    assert isinstance(result.settings, Settings)
    for texts in (result.notes, result.caveats):
        assert isinstance(texts, tuple)
        assert all(isinstance(text, str) for text in texts)
    assert result.to_dict()
    assert hasattr(result, "to_rows") is (name != "split")
    with pytest.raises(FrozenInstanceError):
        result.notes = ()


def test_coefficients_have_the_notes_and_caveats_of_all():
    """A coefficient by itself says what the coefficients of the same table say together."""
    rows = [(1, "a", "x"), (1, "b", "x"), (1, "b", "x"), (2, "a", "y"), (2, "b", "x")]
    table = sa.LabelTable.from_rows(rows)
    together = sa.coefficients(table)
    assert together.notes == ("1 repeated label by the same annotator counted once",)
    few = ": only 2 items with anything to compare; on others the figures may differ a lot"
    assert together.caveats[0] == f"π{few}"
    assert sa.pi(table).caveats == together.caveats
    for part in (*map(together.__getattribute__, ("spa", "kappa", "bias")), together.categories):
        assert part.notes == together.notes
        assert part.caveats[0].endswith(few)
    tokens = sa.token_labels(sa.Corpus.from_segments([9, 8, 5], LAYERS))
    assert sa.alpha(tokens).caveats[0].startswith("α: only 3 documents with")
    assert sa.bias(tokens).caveats == (
        "B: only 3 documents with anything to compare; on others the figures may differ a lot",
    )
