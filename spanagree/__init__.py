"""How far sets of marked spans agree beyond luck.

A tour::

    import spanagree as sa
    corpus = sa.read_conll({"gold": "gold.conll", "mine": "mine.conll"})   # or any other door
    result = sa.evaluate(corpus, gold="gold", match="exact", chance="nonoverlapping")
    f1 = result.systems["mine"].f1
    f1.observed, f1.expected, f1.corrected      # raw, by luck alone, beyond luck
    result.systems["mine"].labels["PER"].f1     # by label
    result.signature                            # the settings that made the numbers
    sa.disagreements(corpus, "gold", "mine")    # where they part, segment by segment
    sa.agree(corpus).team.f1                    # annotators against each other, two or thousands
    sa.coefficients(sa.token_labels(corpus))    # SPA, π, κ, α, AC1; or of sa.read_labels(…)
    sa.start_distribution(length=100, segments=[1, 5, 10, 15])             # the model by itself
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from spanagree.version import __version__

if TYPE_CHECKING:  # names are looked up when they are first used, so that starting up is quick
    from spanagree.agreeing import agree
    from spanagree.agreement import Agreement
    from spanagree.chance import start_distribution
    from spanagree.chance.simulate import simulate
    from spanagree.coefficient import (
        Coefficient,
        ac1,
        alpha,
        bias,
        category_agreement,
        kappa,
        pi,
    )
    from spanagree.comparison import Comparison, compare_systems
    from spanagree.corpus import Change, Corpus, Document, Layer, Segment
    from spanagree.disagreement import Confusion, Disagreements, confusion, disagreements
    from spanagree.errors import InputError, SettingError, SpanAgreeError
    from spanagree.evaluating import evaluate
    from spanagree.evaluation import (
        Evaluation,
        Macro,
        Rank,
        System,
        with_intervals,
    )
    from spanagree.formats import (
        from_dataset,
        from_docs,
        from_tags,
        read_brat,
        read_conll,
        read_docbin,
        read_jsonl,
        read_labels,
        read_shards,
        to_dataset,
        to_docs,
        write_conll,
        write_docbin,
        write_jsonl,
    )
    from spanagree.label_table import LabelTable
    from spanagree.label_tallies import LabelTallies
    from spanagree.levels import (
        Difficulty,
        EvaluationByLevel,
        Split,
        difficulty,
        evaluate_levels,
        split,
    )
    from spanagree.luck import LuckTest, luck_test
    from spanagree.own_measure import expected
    from spanagree.reliability import Coefficients, coefficients
    from spanagree.report.citation import cite
    from spanagree.report.page import write_report
    from spanagree.sparse_agreement import agreement_variance, spa
    from spanagree.split_files import write_split
    from spanagree.tally import Interval, Score, Tallies, Tally
    from spanagree.tally_files import read_tallies, write_tallies
    from spanagree.token_items import token_labels
    from spanagree.training.trainer_metrics import trainer_metrics

__all__ = [
    "Agreement",
    "Change",
    "Coefficient",
    "Coefficients",
    "Comparison",
    "Confusion",
    "Corpus",
    "Difficulty",
    "Disagreements",
    "Document",
    "Evaluation",
    "EvaluationByLevel",
    "InputError",
    "Interval",
    "LabelTable",
    "LabelTallies",
    "Layer",
    "LuckTest",
    "Macro",
    "Rank",
    "Score",
    "Segment",
    "SettingError",
    "SpanAgreeError",
    "Split",
    "System",
    "Tallies",
    "Tally",
    "__version__",
    "ac1",
    "agree",
    "agreement_variance",
    "alpha",
    "bias",
    "category_agreement",
    "cite",
    "coefficients",
    "compare_systems",
    "confusion",
    "difficulty",
    "disagreements",
    "evaluate",
    "evaluate_levels",
    "expected",
    "from_dataset",
    "from_docs",
    "from_tags",
    "kappa",
    "luck_test",
    "pi",
    "read_brat",
    "read_conll",
    "read_docbin",
    "read_jsonl",
    "read_labels",
    "read_shards",
    "read_tallies",
    "simulate",
    "spa",
    "split",
    "start_distribution",
    "to_dataset",
    "to_docs",
    "token_labels",
    "trainer_metrics",
    "with_intervals",
    "write_conll",
    "write_docbin",
    "write_jsonl",
    "write_report",
    "write_split",
    "write_tallies",
]

_HOMES = {
    "spanagree.agreeing": "agree",
    "spanagree.agreement": "Agreement",
    "spanagree.chance": "start_distribution",
    "spanagree.chance.simulate": "simulate",
    "spanagree.coefficient": "Coefficient ac1 alpha bias category_agreement kappa pi",
    "spanagree.comparison": "Comparison compare_systems",
    "spanagree.corpus": "Change Corpus Document Layer Segment",
    "spanagree.disagreement": "Confusion Disagreements confusion disagreements",
    "spanagree.errors": "InputError SettingError SpanAgreeError",
    "spanagree.evaluating": "evaluate",
    "spanagree.evaluation": "Evaluation Macro Rank System with_intervals",
    "spanagree.formats": (
        "from_dataset from_docs from_tags read_brat read_conll read_docbin read_jsonl "
        "read_labels read_shards to_dataset to_docs write_conll write_docbin write_jsonl"
    ),
    "spanagree.label_table": "LabelTable",
    "spanagree.label_tallies": "LabelTallies",
    "spanagree.levels": "Difficulty EvaluationByLevel Split difficulty evaluate_levels split",
    "spanagree.luck": "LuckTest luck_test",
    "spanagree.own_measure": "expected",
    "spanagree.reliability": "Coefficients coefficients",
    "spanagree.report.citation": "cite",
    "spanagree.report.page": "write_report",
    "spanagree.sparse_agreement": "agreement_variance spa",
    "spanagree.split_files": "write_split",
    "spanagree.tally": "Interval Score Tallies Tally",
    "spanagree.tally_files": "read_tallies write_tallies",
    "spanagree.token_items": "token_labels",
    "spanagree.training.trainer_metrics": "trainer_metrics",
}
_HOME = {name: module for module, names in _HOMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'spanagree' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
