"""Docstrings as Markdown, for the documentation site: an extension of Griffe (mkdocs.yml).

In the code they show examples as doctests, literal blocks after ``::``, names as ``:func:`agree```,
and choices as the table that has them.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from importlib import import_module
from typing import Any

import griffe

import spanagree

_BLOCK = re.compile(r"(^ *>>> .*(?:\n *\S.*)*)", re.M)
_DATA = re.compile(r":data:`([^`]*)`")
_ROLE = re.compile(r":(?:func|class|data|meth|mod|attr):`~?([^`]*)`")


class Docstrings(griffe.Extension):
    """Rewrites each docstring before it is parsed."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Of a function, a class, an attribute or a module."""
        if obj.docstring is not None:
            obj.docstring.value = markdown(obj.docstring.value, obj.module.path)


def markdown(said: str, module: str) -> str:
    """A docstring of a module as Markdown.

    >>> markdown("What :func:`evaluate` gives, or ``nan``.", "spanagree.systems")
    'What [`evaluate`][spanagree.evaluate] gives, or `nan`.'
    """
    said = _DATA.sub(lambda role: _choices(role[1], module), said)
    said = _ROLE.sub(lambda role: _name(role[1]), said).replace("``", "`")
    said = re.sub(r"::\n\n((?: +.*\n?|\n(?= ))+)", r":\n\n```python\n\1\n```\n", said)
    return _BLOCK.sub(r"```pycon\n\1\n```", said)


def _choices(name: str, module: str) -> str:
    """The names in a table of choices, which is not public itself."""
    home, _, own = name.rpartition(".")
    choices = getattr(import_module(home or module), own)
    if not isinstance(choices, Collection):
        return f"`{own}`"
    return ", ".join(f"`{choice}`" for choice in choices)


def _name(name: str) -> str:
    """A link, where the name is public."""
    last = name.rpartition(".")[2]
    if last in spanagree.__all__:
        return f"[`{last}`][spanagree.{last}]"
    homes = (each for each in spanagree.PACKAGES if last in getattr(spanagree, each).__all__)
    home = next(homes, None)
    return f"`{last}`" if home is None else f"[`{last}`][spanagree.{home}.{last}]"
