"""Systems against many annotators: baselines, the ceiling of people, soft references."""

from spanagree.public import names_of

TYPE_CHECKING = False  # typing takes a while to load

if TYPE_CHECKING:
    from spanagree.references.against import AgainstReferences as AgainstReferences
    from spanagree.references.alt_test import AltTest as AltTest
    from spanagree.references.baselines import with_baselines as with_baselines
    from spanagree.references.soft import Shares as Shares
    from spanagree.references.soft import shares as shares
    from spanagree.references.soft_result import SoftScores as SoftScores
    from spanagree.references.soft_result import soft_scores as soft_scores

__all__, __getattr__, __dir__ = names_of(__name__, __file__)
