"""Difficulty of documents, levels of it, and corpora split by level."""
