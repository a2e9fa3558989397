"""Docstrings as Markdown, for the documentation site: an extension of Griffe (mkdocs.yml).

The code's docstrings show examples as doctests, literal blocks after ``::``, and names as ``:func:`evaluate```.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

import spanagree

_BLOCK = re.compile(r"(^ *>>> .*(?:\n *\S.*)*)", re.M)
_ROLE = re.compile(r":(?:func|class|data|meth|mod|attr):`~?([^`]*)`")


class Docstrings(griffe.Extension):
    """Rewrites each docstring before it is parsed."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Of a function, a class, an attribute or a module."""
        if obj.docstring is not None:
            obj.docstring.value = markdown(obj.docstring.value)


def markdown(said: str) -> str:
    """A docstring as Markdown.

    >>> print(markdown("See :func:`evaluate`.\\n\\n>>> 1 + 1\\n2"))
    See [`evaluate`][spanagree.evaluate].
    <BLANKLINE>
    ```pycon
    >>> 1 + 1
    2
    ```
    """
    said = _ROLE.sub(lambda role: _name(role[1]), said).replace("``", "`")
    said = re.sub(r"::\n\n((?: +.*\n?|\n(?= ))+)", r":\n\n```python\n\1\n```\n", said)
    return _BLOCK.sub(r"```pycon\n\1\n```", said)


def _name(name: str) -> str:
    """A link, where the name is public."""
    last = name.rpartition(".")[2]
    home = next((n for n in name.split(".") if n in spanagree.__all__), None)
    return f"[`{last}`][spanagree.{home}]" if home == last else f"`{last}`"
