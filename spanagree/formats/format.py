"""An entry of the table of formats: which files are known, read and written how."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from spanagree.corpus.corpus import Corpus
from spanagree.corpus.raw import RawCorpus
from spanagree.formats.file_head import FileHead, Shape


class Format(NamedTuple):
    """Format of files: functions that recognise, read and write them.

    Attributes:
        means: description of the format.
        extensions: file extensions.
        read: function that reads a file, or all files of the format by layer name if each is a
            layer, with the options in ``takes``; their values are not checked.
        takes: names of the options.
        write: function that writes a corpus.
        is_layer: True if each file is one layer.
        knows: function that recognises a file by its beginning. Default: the extension decides.
        shapes: shapes of the files that ``knows`` is called for. Default: all.
        begin: pattern of the first line of texts that ``knows`` is called for, as a call loads the
            reader.
        changes: function that lists the differences of a written corpus.
        task_ending: ending of files with tasks for annotators.
        write_tasks: function that writes documents as tasks.
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

    def recognises(self, start: FileHead) -> bool:
        """Check whether a file has the format, by its beginning."""
        if self.knows is None or (self.shapes and start.shape not in self.shapes):
            return False
        first_line = next((line for line in start.lines if line.strip()), "")
        is_text = start.shape in ("text", "csv", "tsv")
        return not (is_text and not re.match(self.begin, first_line)) and self.knows(start)


JSON: tuple[Shape, ...] = ("json", "jsonl")
"""Shapes of files with records."""

TABLES: tuple[Shape, ...] = ("csv", "tsv")
"""Shapes of tables."""
