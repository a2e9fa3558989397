"""Scores, tables, what every result shares, and how it is shown."""
