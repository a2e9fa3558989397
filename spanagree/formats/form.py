"""What a format is: how files of it are known, read and written."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

from spanagree.corpus.raw import RawCorpus
from spanagree.formats.peek import Peek, Shape


class Format(NamedTuple):
    """A format: how files of it are known, read and written.

    ``knows`` says whether a file is of the format, by its beginning; without it, the extension
    does. It is asked of files of these ``shapes`` (all unless given), and of texts that ``begin``
    so, as asking loads the reader. ``read`` takes a file, or all files of the format by
    layer name where each is a layer, and those of the options that it ``takes``; what they say is
    not checked.
    """

    means: str
    extensions: tuple[str, ...]
    read: Callable[..., RawCorpus]
    takes: tuple[str, ...] = ()
    write: Callable[..., None] | None = None
    is_layer: bool = False
    knows: Callable[[Peek], bool] | None = None
    shapes: tuple[Shape, ...] = ()
    begin: str = ""

    def is_of(self, start: Peek) -> bool:
        """Return whether a file is of the format, by its beginning."""
        if self.knows is None or (self.shapes and start.shape not in self.shapes):
            return False
        first = next((line for line in start.lines if line.strip()), "")
        is_text = start.shape in ("text", "csv", "tsv")
        return not (is_text and not re.match(self.begin, first)) and self.knows(start)


def late(module: str, name: str) -> Callable[..., Any]:
    """Return a function that is imported when it is called: no command needs all readers."""

    def call(*arguments: Any, **named: Any) -> Any:
        return getattr(import_module(module), name)(*arguments, **named)

    return call
