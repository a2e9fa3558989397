"""The doors: one module for each outside format; nothing else knows formats."""

from spanagree.formats.brat import read_brat
from spanagree.formats.conll import read_conll
from spanagree.formats.jsonl import read_jsonl, write_jsonl
from spanagree.formats.tag_lists import from_tags

__all__ = ["from_tags", "read_brat", "read_conll", "read_jsonl", "write_jsonl"]
