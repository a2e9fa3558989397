"""The doors: one module for each outside format; nothing else knows formats."""

from spanagree.formats.brat import read_brat
from spanagree.formats.conll.read import read_conll
from spanagree.formats.conll.write import write_conll
from spanagree.formats.hugging_face.read import from_dataset
from spanagree.formats.hugging_face.write import to_dataset
from spanagree.formats.jsonl import read_jsonl, write_jsonl
from spanagree.formats.label_tables import read_labels
from spanagree.formats.shards import read_shards
from spanagree.formats.spacy import from_docs, read_docbin, to_docs, write_docbin
from spanagree.formats.tag_lists import from_tags

__all__ = [
    "from_dataset",
    "from_docs",
    "from_tags",
    "read_brat",
    "read_conll",
    "read_docbin",
    "read_jsonl",
    "read_labels",
    "read_shards",
    "to_dataset",
    "to_docs",
    "write_conll",
    "write_docbin",
    "write_jsonl",
]
