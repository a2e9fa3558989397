"""Reader of words of translations tagged OK or BAD, a segment a line, as at WMT."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Any

from spanagree.corpus.raw import RawCorpus
from spanagree.errors import InputError, escape_path, quote_value
from spanagree.files import PathName, read_lines
from spanagree.formats.file_head import FileHead
from spanagree.formats.records import (
    RawAnnotation,
    RawSpan,
    ReadLog,
    Record,
    build_raw_from_records,
)
from spanagree.settings import build_reading_settings

_TAGS = frozenset(("OK", "BAD"))
_BAD = "BAD"


def looks_like_quality_tags(head: FileHead) -> bool:
    """Check whether each line has only the words OK and BAD."""
    words = [word for line in head.lines for word in line.split()]
    return bool(words) and _TAGS.issuperset(words)


def read_raw_quality_tags(path: PathName, *, encoding: str = "utf-8") -> RawCorpus:
    """Read a segment from each line without checks; only the tags of its words are known.

    Consecutive words with the tag BAD are one span. A blank line is a segment without words.

    Raises:
        InputError: if a line has another tag.
    """
    log = ReadLog(escape_path(path))
    log.numbered = True
    records = _yield_records(log.name, read_lines(path, encoding))
    reading: dict[str, Any] = {"format": "qe-tags", **build_reading_settings(encoding)}
    return build_raw_from_records(records, log, reading, offsets="tokens", again=False)


def _yield_records(name: str, text: str) -> Iterator[Record]:
    """Yield the segment of each line."""
    for line_number, line in enumerate(text.rstrip("\r\n").split("\n"), 1):
        location, tags = f"{name}:{line_number}", line.split()
        if unknown_tags := [tag for tag in tags if tag not in _TAGS]:
            raise InputError(
                f"{location}: {quote_value(unknown_tags[0])}; the tags of words are OK and BAD"
            )
        spans, end = [], 0
        for tag, run in groupby(tags):
            start, end = end, end + len([*run])
            if tag == _BAD:
                spans.append(RawSpan(start, end, _BAD))
        yield Record(location, str(line_number), {"length": len(tags)}, [RawAnnotation("", spans)])
