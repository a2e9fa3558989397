"""The version, apart from all else, so that saying it loads nothing."""

__version__ = "0.1.0"
