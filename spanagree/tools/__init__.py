"""Readers of single tools and tasks, which the registry alone asks."""
