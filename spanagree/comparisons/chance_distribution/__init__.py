"""Exact distributions of the match of two annotations by chance."""
