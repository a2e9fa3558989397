"""Corpora in blocks: counted one after the other or by workers, and added."""
