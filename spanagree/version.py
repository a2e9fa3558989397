"""Versions and the repository's address, apart from all else: saying them loads nothing."""

__version__ = "1.0.0"

SPECIFICATION = "1.0"
"""The version of docs/specification.md that figures follow."""

ADDRESS = ""
"""Where the repository is; builds make the README's links absolute with it."""
