"""Slices of a corpus: by a column of metadata, by the length of segments, by what was seen."""

from spanagree.public import build_exports

TYPE_CHECKING = False  # typing takes a while to load

if TYPE_CHECKING:
    from spanagree.slices.coefficients import AlphaDifference as AlphaDifference
    from spanagree.slices.coefficients import CoefficientsBySlice as CoefficientsBySlice
    from spanagree.slices.coefficients import coefficients_by_slice as coefficients_by_slice
    from spanagree.slices.differences import SliceDifference as SliceDifference
    from spanagree.slices.differences import Trend as Trend
    from spanagree.slices.result import Slice as Slice
    from spanagree.slices.result import Slices as Slices
    from spanagree.slices.result import SliceScore as SliceScore
    from spanagree.slices.score import score_slices as score_slices

__all__, __getattr__, __dir__ = build_exports(__name__, __file__)
