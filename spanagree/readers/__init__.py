"""The doors: one module for each outside format; nothing else knows formats."""

from spanagree.readers.conll import read_conll
from spanagree.readers.tag_lists import from_tags

__all__ = ["from_tags", "read_conll"]
