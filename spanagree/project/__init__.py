"""Annotation projects: agreement by document, disputes, gold, worklists, and plans."""

from spanagree.public import build_exports

TYPE_CHECKING = False  # typing takes a while to load

if TYPE_CHECKING:
    from spanagree.project.disputed_documents import Disputes as Disputes
    from spanagree.project.disputed_documents import disputes as disputes
    from spanagree.project.document_level import DocumentAgreement as DocumentAgreement
    from spanagree.project.document_level import document_agreement as document_agreement
    from spanagree.project.gold import Gold as Gold
    from spanagree.project.next_readers import Worklist as Worklist
    from spanagree.project.next_readers import worklist as worklist
    from spanagree.project.plan import Plan as Plan

__all__, __getattr__, __dir__ = build_exports(__name__, __file__)
