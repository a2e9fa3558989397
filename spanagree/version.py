"""The version, in one place; every result carries it in its signature."""

__version__ = "0.1.0"
