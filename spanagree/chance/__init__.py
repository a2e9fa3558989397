"""The chance model: distributions of the starts of random segments, exact and drawn."""

from spanagree.public import build_exports

TYPE_CHECKING = False  # typing takes a while to load

if TYPE_CHECKING:
    from spanagree.chance.random_annotations import simulate as simulate

__all__, __getattr__, __dir__ = build_exports(__name__, __file__)
