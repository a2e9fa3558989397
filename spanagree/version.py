"""The version and the repository's address, apart from all else: saying them loads nothing."""

__version__ = "1.0.0"

ADDRESS = ""
"""Where the repository is; builds make the README's links absolute with it."""
