"""How far sets of marked spans agree above chance.

A tour::

    import spanagree as sa
    corpus = sa.read({"gold": "gold.conll", "mine": "mine.conll"})   # any format
    result = sa.evaluate(corpus, gold="gold", match="exact", chance="nonoverlapping")
    print(result)                               # the table; result.to_pandas() for a data frame
    f1 = result["mine"].f1
    f1.observed, f1.expected, f1.corrected      # raw, by chance alone, above chance
    result["mine"].labels["PER"].f1             # by label
    result.signature                            # the settings that made the numbers
    sa.evaluate(y_true, y_pred)                 # lists of tag lists; sa.classification_report too
    sa.disagreements(corpus, "gold", "mine")    # where they part, segment by segment
    sa.agree(corpus).team.f1                    # annotators against each other, two or thousands
    sa.coefficients(sa.token_labels(corpus))    # SPA, π, κ, α, AC1; or of sa.read_labels(…)
    sa.alpha_u(corpus), sa.gamma(corpus)        # the measures of unitizing, by their names
    sa.start_distribution(length=100, segments=[1, 5, 10, 15])             # the model by itself
"""

from __future__ import annotations

from importlib import import_module

from spanagree.version import __version__ as __version__

TYPE_CHECKING = False  # typing takes a while to load

# fmt: off
if TYPE_CHECKING:  # the public names: looked up when they are first used, so that starting is quick
    from spanagree.agreement.agree import agree as agree
    from spanagree.agreement.confusion import Confusion as Confusion
    from spanagree.agreement.confusion import confusion as confusion
    from spanagree.agreement.disagreements import Disagreements as Disagreements
    from spanagree.agreement.disagreements import disagreements as disagreements
    from spanagree.agreement.result import Agreement as Agreement
    from spanagree.chance.simulate import simulate as simulate
    from spanagree.chance.start_distributions import start_distribution as start_distribution
    from spanagree.comparisons.chance_distribution.distribution import MatchDistribution as MatchDistribution
    from spanagree.comparisons.chance_distribution.distribution import match_distribution as match_distribution
    from spanagree.comparisons.custom import expected as expected
    from spanagree.comparisons.table import Comparisons as Comparisons
    from spanagree.comparisons.tally import Tally as Tally
    from spanagree.corpus.corpus import Corpus as Corpus
    from spanagree.corpus.label_table import LabelTable as LabelTable
    from spanagree.corpus.segments import Change as Change
    from spanagree.corpus.segments import Document as Document
    from spanagree.corpus.segments import Layer as Layer
    from spanagree.corpus.segments import Segment as Segment
    from spanagree.errors import InputError as InputError
    from spanagree.errors import SettingError as SettingError
    from spanagree.errors import SpanAgreeError as SpanAgreeError
    from spanagree.formats.brat import read_brat as read_brat
    from spanagree.formats.conll.read import read_conll as read_conll
    from spanagree.formats.conll.write import write_conll as write_conll
    from spanagree.formats.hugging_face.read import from_dataset as from_dataset
    from spanagree.formats.hugging_face.write import to_dataset as to_dataset
    from spanagree.formats.jsonl import read_jsonl as read_jsonl
    from spanagree.formats.jsonl import write_jsonl as write_jsonl
    from spanagree.formats.label_tables import read_labels as read_labels
    from spanagree.formats.read import read as read
    from spanagree.formats.shards import read_shards as read_shards
    from spanagree.formats.spacy import from_docs as from_docs
    from spanagree.formats.spacy import read_docbin as read_docbin
    from spanagree.formats.spacy import to_docs as to_docs
    from spanagree.formats.spacy import write_docbin as write_docbin
    from spanagree.formats.tag_lists import from_tags as from_tags
    from spanagree.labels.summary import bias as bias
    from spanagree.labels.summary import category_agreement as category_agreement
    from spanagree.labels.summary import CoefficientsByLabel as CoefficientsByLabel
    from spanagree.labels.summary import coefficients_by_label as coefficients_by_label
    from spanagree.labels.chance_corrected import ac1 as ac1
    from spanagree.labels.chance_corrected import alpha as alpha
    from spanagree.labels.chance_corrected import kappa as kappa
    from spanagree.labels.chance_corrected import pi as pi
    from spanagree.labels.coefficient import Coefficient as Coefficient
    from spanagree.labels.patterns import LabelTallies as LabelTallies
    from spanagree.labels.spa import agreement_variance as agreement_variance
    from spanagree.labels.spa import spa as spa
    from spanagree.labels.summary import Coefficients as Coefficients
    from spanagree.labels.summary import coefficients as coefficients
    from spanagree.labels.attributes import attribute_labels as attribute_labels
    from spanagree.labels.tokens import token_labels as token_labels
    from spanagree.levels.by_level import EvaluationByLevel as EvaluationByLevel
    from spanagree.levels.by_level import evaluate_levels as evaluate_levels
    from spanagree.levels.difficulty import Difficulty as Difficulty
    from spanagree.levels.difficulty import difficulty as difficulty
    from spanagree.levels.split import Split as Split
    from spanagree.levels.split import split as split
    from spanagree.levels.split_folder import write_split as write_split
    from spanagree.project.batches import Batch as Batch
    from spanagree.project.batches import BatchChange as BatchChange
    from spanagree.project.batches import Batches as Batches
    from spanagree.project.batches import batches as batches
    from spanagree.project.disputes import Disputes as Disputes
    from spanagree.project.disputes import disputes as disputes
    from spanagree.project.gold import Gold as Gold
    from spanagree.project.gold import make_gold as make_gold
    from spanagree.project.plan import Plan as Plan
    from spanagree.project.plan import plan_sample as plan_sample
    from spanagree.project.presence import Presence as Presence
    from spanagree.project.presence import presence as presence
    from spanagree.references.against import evaluate_references as evaluate_references
    from spanagree.references.against import AgainstReferences as AgainstReferences
    from spanagree.references.baselines import with_baselines as with_baselines
    from spanagree.references.alt_test import AltTest as AltTest
    from spanagree.references.alt_test import alt_test as alt_test
    from spanagree.references.soft import Shares as Shares
    from spanagree.references.soft import shares as shares
    from spanagree.references.soft_scores import SoftScores as SoftScores
    from spanagree.references.soft_scores import soft_scores as soft_scores
    from spanagree.report.citation import cite as cite
    from spanagree.report.page import write_report as write_report
    from spanagree.results.score import Interval as Interval
    from spanagree.results.score import Score as Score
    from spanagree.systems.as_seqeval import accuracy_score as accuracy_score
    from spanagree.systems.as_seqeval import classification_report as classification_report
    from spanagree.systems.as_seqeval import f1_score as f1_score
    from spanagree.systems.as_seqeval import performance_measure as performance_measure
    from spanagree.systems.as_seqeval import precision_recall_fscore_support as precision_recall_fscore_support
    from spanagree.systems.as_seqeval import precision_score as precision_score
    from spanagree.systems.as_seqeval import recall_score as recall_score
    from spanagree.systems.chance_test import ChanceTest as ChanceTest
    from spanagree.systems.chance_test import chance_test as chance_test
    from spanagree.systems.compare_systems import Comparison as Comparison
    from spanagree.systems.compare_systems import compare_systems as compare_systems
    from spanagree.systems.evaluate import evaluate as evaluate
    from spanagree.systems.evaluate import with_intervals as with_intervals
    from spanagree.systems.result import Evaluation as Evaluation
    from spanagree.systems.result import Macro as Macro
    from spanagree.systems.result import Rank as Rank
    from spanagree.systems.result import System as System
    from spanagree.systems.tally_files import read_tallies as read_tallies
    from spanagree.systems.tally_files import write_tallies as write_tallies
    from spanagree.uncertainty.bootstrap import Bootstrap as Bootstrap
    from spanagree.training.trainer_metrics import trainer_metrics as trainer_metrics
    from spanagree.unitizing.alpha_u import alpha_u as alpha_u
    from spanagree.unitizing.alpha_u_result import AlphaU as AlphaU
    from spanagree.unitizing.gamma import gamma as gamma
    from spanagree.unitizing.gamma_result import Gamma as Gamma
    from spanagree.unitizing.score import Disagreement as Disagreement
    from spanagree.unitizing.side_by_side import SideBySide as SideBySide
    from spanagree.unitizing.side_by_side import side_by_side as side_by_side
# fmt: on

with open(__file__, encoding="utf-8") as _source:  # each name is written once, above
    _IMPORTS = [line.split() for line in _source if line.startswith("    from spanagree.")]
_HOMES = {name: module for _, module, _, name, *_ in _IMPORTS}
__all__ = sorted([*_HOMES, "__version__"])  # noqa: PLE0605 — read from the imports above


def __getattr__(name: str) -> object:
    if name not in _HOMES:
        raise AttributeError(f"module 'spanagree' has no attribute {name!r}")
    value = getattr(import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
