"""Difficulty of documents, levels of it, and corpora split by level."""

from spanagree.public import build_exports

TYPE_CHECKING = False  # typing takes a while to load

if TYPE_CHECKING:
    from spanagree.levels.by_level import EvaluationByLevel as EvaluationByLevel
    from spanagree.levels.by_level import evaluate_levels as evaluate_levels
    from spanagree.levels.difficulty import Difficulty as Difficulty
    from spanagree.levels.split import Split as Split
    from spanagree.levels.split_folder import write_split as write_split

__all__, __getattr__, __dir__ = build_exports(__name__, __file__)
