"""Readers and writers: one module for each outside format; nothing else knows formats."""

from spanagree.public import build_exports

TYPE_CHECKING = False  # typing takes a while to load

if TYPE_CHECKING:
    from spanagree.formats.brat import read_brat as read_brat
    from spanagree.formats.conll.read import read_conll as read_conll
    from spanagree.formats.conll.write import write_conll as write_conll
    from spanagree.formats.file_parts import read_parts as read_parts
    from spanagree.formats.hugging_face.read import from_dataset as from_dataset
    from spanagree.formats.hugging_face.write import to_dataset as to_dataset
    from spanagree.formats.jsonl import read_jsonl as read_jsonl
    from spanagree.formats.jsonl import write_jsonl as write_jsonl
    from spanagree.formats.spacy import read_docbin as read_docbin
    from spanagree.formats.spacy import to_docs as to_docs
    from spanagree.formats.spacy import write_docbin as write_docbin

__all__, __getattr__, __dir__ = build_exports(__name__, __file__)
