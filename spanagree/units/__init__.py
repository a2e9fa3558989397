"""Agreement on the positions and the categories of units: α_U and γ."""

from spanagree.public import build_exports

TYPE_CHECKING = False  # typing takes a while to load

if TYPE_CHECKING:
    from spanagree.units.all_measures import MeasureComparison as MeasureComparison
    from spanagree.units.all_measures import compare_measures as compare_measures
    from spanagree.units.alpha_u_result import AlphaU as AlphaU
    from spanagree.units.gamma_result import Gamma as Gamma
    from spanagree.units.score import CoefficientScore as CoefficientScore

__all__, __getattr__, __dir__ = build_exports(__name__, __file__)
