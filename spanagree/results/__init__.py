"""Scores, tables, and the parts and renderings that all results share."""

from spanagree.public import build_exports

TYPE_CHECKING = False  # typing takes a while to load

if TYPE_CHECKING:
    from spanagree.results.score import Interval as Interval
    from spanagree.results.score import Score as Score

__all__, __getattr__, __dir__ = build_exports(__name__, __file__)
