"""Versions and the address of the repository, in a module that loads nothing else."""

__version__ = "1.0.0"

YEAR = ""
"""Year in which this version was released; empty before that, as CHANGELOG.md has no date."""

SPECIFICATION = "1.0"
"""Version of docs/specification.md that figures follow."""

ADDRESS = ""
"""Address of the repository; builds make the README's links absolute with it."""
