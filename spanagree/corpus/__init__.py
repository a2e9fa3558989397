"""Documents, segments, layers and labels: the nouns, how they are checked and repaired."""

from spanagree.public import build_exports

TYPE_CHECKING = False  # typing takes a while to load

if TYPE_CHECKING:
    from spanagree.corpus.documents import Document as Document
    from spanagree.corpus.segments import AlteredSegment as AlteredSegment
    from spanagree.corpus.segments import Layer as Layer
    from spanagree.corpus.segments import Segment as Segment

__all__, __getattr__, __dir__ = build_exports(__name__, __file__)
