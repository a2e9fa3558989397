"""An entry of the table of formats: which files are known, read and written how."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from spanagree.corpus.corpus import Corpus
from spanagree.corpus.raw import RawCorpus
from spanagree.formats.file_head import FileHead, Shape


class Format(NamedTuple):
    """A format: how files of it are known, read and written.

    ``knows`` says whether a file is of the format, by its beginning; without it, the extension
    does. It is asked of files of these ``shapes`` (all unless given), and of texts that ``begin``
    so, as asking loads the reader. ``read`` takes a file, or all files of the format by
    layer name where each is a layer, and those of the options that it ``takes``; what they say is
    not checked. ``changes`` says what of a corpus is written otherwise than it is.
    ``write_tasks`` writes documents as tasks for annotators, to files that end in ``task_ending``.
    """

    means: str
    extensions: tuple[str, ...]
    read: Callable[..., RawCorpus]
    takes: tuple[str, ...] = ()
    write: Callable[..., None] | None = None
    is_layer: bool = False
    knows: Callable[[FileHead], bool] | None = None
    shapes: tuple[Shape, ...] = ()
    begin: str = ""
    changes: Callable[[Corpus], list[str]] | None = None
    task_ending: str = ""
    write_tasks: Callable[..., None] | None = None

    def is_of(self, start: FileHead) -> bool:
        """Return whether a file is of the format, by its beginning."""
        if self.knows is None or (self.shapes and start.shape not in self.shapes):
            return False
        first = next((line for line in start.lines if line.strip()), "")
        is_text = start.shape in ("text", "csv", "tsv")
        return not (is_text and not re.match(self.begin, first)) and self.knows(start)


JSON: tuple[Shape, ...] = ("json", "jsonl")
"""The shapes of records."""

TABLES: tuple[Shape, ...] = ("csv", "tsv")
"""The shapes of tables."""
