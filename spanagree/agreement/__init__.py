"""Annotators against each other."""

from spanagree.public import build_exports

TYPE_CHECKING = False  # typing takes a while to load

if TYPE_CHECKING:
    from spanagree.agreement.compared_annotators import ComparedAnnotators as ComparedAnnotators
    from spanagree.agreement.disagreements import Disagreements as Disagreements
    from spanagree.agreement.label_confusion import Confusion as Confusion
    from spanagree.agreement.label_confusion import confusion as confusion
    from spanagree.agreement.relations import relation_disagreements as relation_disagreements
    from spanagree.agreement.result import Agreement as Agreement

__all__, __getattr__, __dir__ = build_exports(__name__, __file__)
