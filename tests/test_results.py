"""What all results share: each says how it was made, whichever public function gives it."""

from __future__ import annotations

import inspect
import re
import sys
from dataclasses import FrozenInstanceError

import pytest
from messages import refuses

import spanagree as sa
from spanagree.agreement.result import Agreement
from spanagree.references.against import ReferenceEvaluation
from spanagree.results import text
from spanagree.results.cells import format_figure
from spanagree.results.display import DisplayTable
from spanagree.results.result import MappingResult, ResultBase
from spanagree.settings import Settings
from spanagree.slices.result import Slices
from spanagree.systems.comparison import Comparison
from spanagree.systems.result import Evaluation
from spanagree.version import SPECIFICATION

PLAIN = {
    "Corpus", "LabelTable", "Comparisons", "MatchDistribution", "Floats", "str", "Any",
    "None", "Shares", "list[Any]",
    "FileParts", "tuple[Floats, ...]", "Callable[[Any], dict[str, float]]", "float",
    "dict[str, int]", "tuple[Any, Any, Any, Any]", "str | dict[str, dict[str, float]]",
}  # fmt: skip
"""What public functions return that is not a result, as docs/api/index.md says."""

LAYERS = {
    "gold": [[(0, 2, "X"), (4, 5, "Y")], [(1, 3, "Y")], []],
    "mine": [[(0, 2, "X")], [(1, 2, "Y"), (5, 7, "X")], [(0, 1, "X")]],
    "yours": [[(0, 1, "X")], [(1, 3, "Y")], []],
}


SCORED = {
    "gold": [[(0, 2, "X")], [(3, 4, "X")]],
    "mine": [[(0, 2, "X", {"score": "0.9"})], [(2, 4, "X", {"score": "0.5"})]],
}


def makers():
    """Each public function that gives a result, by name."""
    corpus = sa.Corpus.from_segments([9, 8, 5], LAYERS)
    evaluation, hard = sa.evaluate(corpus), sa.difficulty(corpus)
    labels = sa.LabelTable.from_rows([(1, "a", "x"), (1, "b", "x"), (2, "a", "y"), (2, "b", "x")])
    table = dict.fromkeys(("coefficients", "spa", "pi", "kappa", "alpha", "ac1", "bias", "category_agreement"), (labels,))  # fmt: skip
    pair = dict.fromkeys(("disagreements", "confusion", "partial_credit"), (corpus, "gold", "mine"))
    links = {name: [[(0, 1, "r")], [], []] for name in ("gold", "mine")}
    linked = sa.Corpus.from_segments(
        [9, 8, 5], {"gold": LAYERS["gold"], "mine": LAYERS["gold"]}, relations=links
    )
    whole = dict.fromkeys(
        (
            "evaluate",
            "agree",
            "make_gold",
            "difficulty",
            "alpha_u",
            "compare_measures",
            "disputes",
            "coefficients_by_label",
            "token_coefficients",
            "document_agreement",
            "worklist",
        ),
        (corpus,),
    )
    return {
        **table,
        **pair,
        **whole,
        "relation_disagreements": (linked, "gold", "mine"),
        "plan_sample": (corpus, 0.1),
        "score_slices": (evaluation, ["x", "y", "x"]),
        "coefficients_by_slice": (labels, ["x", "y"]),
        "gamma": (sa.Corpus.from_segments([9], {name: x[:1] for name, x in LAYERS.items()}),),
        "compare_systems": (evaluation,),
        "evaluate_references": (corpus, ["gold", "yours"]),
        "alt_test": (
            sa.LabelTable.from_rows(
                (i, a, "xy"[i % len(a)]) for i in range(40) for a in ("p", "qq", "c")
            ),
            "c",
            0.1,
        ),
        "chance_test": (corpus, evaluation),
        "split": (corpus, hard),
        "error_types": (evaluation,),
        "strategy_scores": (evaluation,),
        "evaluate_levels": (evaluation, hard),
        "score_runs": (evaluation, {"runs": ["mine", "yours"]}),
        "sweep_scores": (sa.evaluate(sa.Corpus.from_segments([9, 8], SCORED)),),
    }


def test_every_function_is_known():
    """A public function gives a result, or what is listed as none."""
    packages = [sa, *(getattr(sa, name) for name in sa.PACKAGES)]
    functions = {name: getattr(sa, name) for each in packages for name in each.__all__}
    kinds = {
        name: inspect.signature(function).return_annotation
        for name, function in functions.items()
        if inspect.isfunction(function)
    }
    assert {name for name, kind in kinds.items() if kind not in PLAIN} == makers().keys()


@pytest.mark.long
@pytest.mark.parametrize("name", sorted(makers()))
def test_results_say_how_they_were_made(name):
    """Signature, settings, notes and caveats are there, in plain data too; nothing can be set."""
    result = getattr(sa, name)(*makers()[name])
    assert isinstance(result, ResultBase)
    assert result.signature.endswith(f"|spec:{SPECIFICATION}|spanagree:{sa.__version__}")
    assert isinstance(result.settings, Settings)
    for texts in (result.notes, result.caveats):
        assert isinstance(texts, tuple)
        assert all(isinstance(text, str) for text in texts)
    assert result.to_dict()
    assert isinstance(result.to_rows(), list)
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


@pytest.mark.parametrize("name", sorted(makers().keys() - {"split"}))
def test_results_show_themselves(name):
    """`print` shows the table, `repr` a line with the figures; rows become data frames of both kinds."""
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    result = getattr(sa, name)(*makers()[name])
    line, table, rows = repr(result), result.table(), result.to_rows()
    assert line.startswith(f"<{type(result).__name__}: ")
    assert "\n" not in line
    assert len(line) < 500
    if any(column.title for column in table.columns):
        notes = "".join(f"note: {note}\n" for note in result.notes)  # as the command line shows
        assert f"{result}\n" == text.render(table) + notes
    shown = DisplayTable.from_frame(table.readable_table)
    figures = [i for i, column in enumerate(shown.columns) if column.kind == "figure"]
    assert all(format_figure(shown.rows[0][i]) in line for i in figures)
    there = {column.title for column in (table.in_terminal or table).readable_table.columns}
    figures = [i for i in figures if shown.columns[i].title in there and not shown.columns[i].spare]
    assert all(format_figure(shown.rows[0][i]) in str(result) for i in figures)
    frame, other = result.to_pandas(), result.to_polars()
    assert list(frame.columns) == other.columns == list(table.types)
    assert len(frame) == len(other) == len(rows)
    for key, kind in table.types.items():
        values = [row.get(key) for row in rows]
        values = [None if value != value else value for value in values]
        assert other[key].to_list() == values
        assert [None if pandas.isna(x) else x for x in frame[key]] == values
        if kind == "int64":
            assert (str(frame[key].dtype), other[key].dtype) == ("Int64", polars.Int64)


def test_a_line_of_figures():
    """The line of an evaluation, by hand; of many rows it has some and says how many more."""
    corpus = sa.Corpus.from_segments([9, 8, 5], LAYERS)
    assert repr(sa.evaluate(corpus)) == (
        "<Evaluation: mine: precision 0.250, recall 0.333, F1 0.286, chance F1 0.036, corrected F1"
        " 0.259; yours: precision 0.500, recall 0.333, F1 0.400, chance F1 0.057, corrected F1 0.364>"
    )
    assert repr(sa.disagreements(corpus, "gold", "mine")) == (
        "<Disagreements: gold and mine, 3 documents: 1 the same, 1 missed, 2 spurious, 1 boundary>"
    )
    assert repr(sa.split(corpus, sa.difficulty(corpus))) == "<Split: level-1 1 document, level-2 2 documents>"  # fmt: skip
    many = sa.Corpus.from_segments([9], {f"s{i:02}": [[(0, 2, "X")]] for i in range(12)})
    assert re.search(r"; s0\d: [^;]*; \d more rows>$", repr(sa.evaluate(many)))


def test_parts_by_name():
    """A system, an annotator and a pair by their names; an unknown one is named with those there are."""
    corpus = sa.Corpus.from_segments([9, 8, 5], LAYERS)
    evaluation, agreement = sa.evaluate(corpus), sa.agree(corpus)
    assert evaluation["mine"] is evaluation.systems["mine"]
    assert agreement["mine"] == agreement.annotators["mine"]
    assert agreement["yours", "gold"] == agreement.pairs["gold", "yours"]
    with pytest.raises(sa.SettingError, match="unknown system 'me'; allowed: mine, yours"):
        evaluation["me"]
    with refuses(sa.SettingError, "… unknown annotator 'me'; allowed: gold, mine, yours"):
        agreement["me", "gold"]


def test_results_that_give_parts_by_name_iterate():
    """They iterate over these names, as a mapping does, and have a length."""
    corpus = sa.Corpus.from_segments([9, 8, 5], LAYERS)
    evaluation, agreement = sa.evaluate(corpus), sa.agree(corpus)
    assert (list(evaluation), len(evaluation)) == (["mine", "yours"], 2)
    assert (list(agreement), len(agreement)) == (["gold", "mine", "yours"], 3)
    assert ("mine" in evaluation, "gold" in evaluation) == (True, False)
    compared = sa.compare_systems(evaluation)
    assert list(compared) == [("mine", "yours")]
    for result in (evaluation, agreement, compared):
        assert [result[name] for name in result]
    assert len(sa.split(corpus, sa.difficulty(corpus, "gold"))) == 2  # a sequence of its levels
    named = (Comparison, Evaluation, Agreement, ReferenceEvaluation, Slices)
    assert all(issubclass(each, MappingResult) for each in named)


def test_a_score_as_a_number():
    """float() and format() take the observed figure; print shows all three, – where undefined."""
    f1 = sa.evaluate(sa.Corpus.from_segments([9, 8, 5], LAYERS))["mine"].f1
    assert float(f1) == f1.observed
    assert f"{f1:.3f} {f1:8.1%}|" == "0.286    28.6%|"
    assert f"{f1}" == str(f1) == "0.286 (chance 0.036, corrected 0.259)"
    assert str(sa.Tally(1, 1.0, 1, 1).f1) == "1.000 (chance 1.000, corrected –)"


def test_long_tables_in_notebooks():
    """A notebook shows sixty rows, and how many more there are and what has them."""
    spans = [[(0, 1, "X")]] * 100
    corpus = sa.Corpus.from_segments([3] * 100, {"gold": spans, "mine": [[]] * 100})
    shown = sa.disagreements(corpus, "gold", "mine")._repr_html_()
    assert shown.count("<tr>") == 61
    assert "and 40 more rows; to_rows() has all" in shown


def test_every_result_with_rows_in_notebooks():
    """A coefficient by itself, and agreement by category, are tables in notebooks too."""
    table = sa.token_labels(sa.Corpus.from_segments([9, 8, 5], LAYERS))
    for result in (sa.alpha(table), sa.bias(table), sa.category_agreement(table)):
        shown = result._repr_html_()
        assert shown.count("<tr>") == len(result.to_rows()) + 1
        assert result.signature.replace("|", "") in re.sub(r"<[^>]*>|\|", "", shown)


def test_a_data_frame_of_what_is_not_installed(monkeypatch):
    """A package that is missing is named, with the line that installs it."""
    result = sa.evaluate(sa.Corpus.from_segments([9, 8, 5], LAYERS))
    for name in ("pandas", "polars"):
        monkeypatch.setitem(sys.modules, name, None)
        with refuses(sa.SettingError, f"a data frame needs {name} … pip install {name}"):
            getattr(result, f"to_{name}")()


def test_over_how_many_documents_a_figure_stands():
    """A header or column says how many of how many documents, where not all saw all; counted by hand."""
    one, none = [(0, 1, "X")], None
    # 40 documents of three, then one that the candidate alone saw, then one of a and b
    three = {name: [one] * 40 for name in "abm"}
    layers = {"a": [*three["a"], none, one], "b": [*three["b"], none, one], "m": [*three["m"], one, none]}  # fmt: skip
    corpus = sa.Corpus.from_segments([5] * 42, layers)
    alt = sa.alt_test(corpus, "m", 0.2)
    assert alt.table().caption.endswith("ε 0.2, 40 of 42 documents")
    assert alt.to_dict()["summary"]["documents"] == 42
    halves = sa.slices.score_slices(sa.agree(corpus), ["x"] * 20 + ["y"] * 20 + [None] * 2)
    assert halves.table().caption == "2 slices, 40 of 42 documents"
    rows = [("x", name, "good") for name in "ab"]
    rows += [(i, name, "good") for i in range(30) for name in "abm"]
    labels = sa.alt_test(sa.LabelTable.from_rows(rows), "m", 0.2)
    assert labels.table().caption.endswith("ε 0.2, 30 of 31 items")
