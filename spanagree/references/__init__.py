"""Systems against many annotators: baselines and the ceiling of people."""

from spanagree.public import build_exports

TYPE_CHECKING = False  # typing takes a while to load

if TYPE_CHECKING:
    from spanagree.references.against import ReferenceEvaluation as ReferenceEvaluation
    from spanagree.references.alt_test import AltTest as AltTest
    from spanagree.references.baselines import with_baselines as with_baselines

__all__, __getattr__, __dir__ = build_exports(__name__, __file__)
