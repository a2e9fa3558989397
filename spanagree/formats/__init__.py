"""The doors: one module for each outside format; nothing else knows formats."""

from spanagree.formats.brat import read_brat
from spanagree.formats.conll import read_conll, write_conll
from spanagree.formats.hf_datasets import from_dataset, to_dataset
from spanagree.formats.jsonl import read_jsonl, write_jsonl
from spanagree.formats.label_files import read_labels
from spanagree.formats.shards import read_shards
from spanagree.formats.spacy_docs import from_docs, read_docbin, to_docs, write_docbin
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
