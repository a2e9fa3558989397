"""Annotators against each other."""
