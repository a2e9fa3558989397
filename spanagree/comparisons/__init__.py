"""Comparisons of two layers: observed and expected similarity, tallies and scores."""

from spanagree.public import build_exports

TYPE_CHECKING = False  # typing takes a while to load

# fmt: off
if TYPE_CHECKING:
    from spanagree.comparisons.chance_distribution.distribution import MatchDistribution as MatchDistribution
    from spanagree.comparisons.credit_by_share import PartialCredit as PartialCredit
    from spanagree.comparisons.credit_by_share import partial_credit as partial_credit
    from spanagree.comparisons.selection import Selection as Selection
    from spanagree.comparisons.table import Comparisons as Comparisons
    from spanagree.comparisons.tally import Tally as Tally
# fmt: on

__all__, __getattr__, __dir__ = build_exports(__name__, __file__)
