"""Systems against a gold annotation."""

from spanagree.public import build_exports

TYPE_CHECKING = False  # typing takes a while to load

# fmt: off
if TYPE_CHECKING:
    from spanagree.systems.above_chance import ChanceTest as ChanceTest
    from spanagree.systems.above_chance import chance_test as chance_test
    from spanagree.systems.as_seqeval import precision_score as precision_score
    from spanagree.systems.as_seqeval import recall_score as recall_score
    from spanagree.systems.comparison import Comparison as Comparison
    from spanagree.systems.compared_systems import ComparedSystems as ComparedSystems
    from spanagree.systems.errors_by_type import ErrorTypes as ErrorTypes
    from spanagree.systems.errors_by_type import error_types as error_types
    from spanagree.systems.result import Evaluation as Evaluation
    from spanagree.systems.result import MacroAverage as MacroAverage
    from spanagree.systems.result import Rank as Rank
    from spanagree.systems.result import System as System
    from spanagree.systems.runs import EvaluationOfRuns as EvaluationOfRuns
    from spanagree.systems.runs import SystemRuns as SystemRuns
    from spanagree.systems.runs import score_runs as score_runs
    from spanagree.systems.score_sweep import ScoreSweep as ScoreSweep
    from spanagree.systems.score_sweep import sweep_scores as sweep_scores
    from spanagree.systems.seqeval_report import accuracy_score as accuracy_score
    from spanagree.systems.seqeval_report import performance_measure as performance_measure
    from spanagree.systems.seqeval_report import precision_recall_fscore_support as precision_recall_fscore_support
    from spanagree.systems.strategies import StrategyScores as StrategyScores
    from spanagree.systems.strategies import strategy_scores as strategy_scores
# fmt: on

__all__, __getattr__, __dir__ = build_exports(__name__, __file__)
