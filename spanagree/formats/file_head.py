"""A look at the beginning of a file or folder, from which formats are recognised."""

from __future__ import annotations

import codecs
import json
import os
import re
from collections.abc import Mapping
from itertools import islice
from pathlib import Path
from typing import Any, Literal, NamedTuple

from spanagree.errors import InputError, escape_name, pluralize
from spanagree.files import (
    BOM,
    UTF_16,
    UTF_16_MARKS,
    PathName,
    naming_files,
    open_zip,
    pieces_of,
    read_bytes,
    with_newlines,
)
from spanagree.tables import is_even, separator_of

Shape = Literal["json", "jsonl", "csv", "tsv", "xml", "zip", "folder", "text", "binary"]

_HEAD = 1 << 18  # bytes that are looked at
_ROWS = 1 << 14  # of rows, if so few bytes have the lines that are looked at
_LONG_HEAD = 1 << 22  # where the first record is longer
_RECORDS, _LINES, _MEMBERS = 20, 50, 10_000
_JSON = re.compile(r'\s*(\{\s*["}]|\[\s*[\[{"\]\d-])')
_LIKE_JSON = re.compile(r'\s*(\{\s*"|\[\s*[\[{"])')
_XML = re.compile(r"\s*<(\?xml|!DOCTYPE|!--|[A-Za-z_][^<>]*>\s*<)")
_STRUCTURE = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)|[\[\]{},]', re.DOTALL)
_CLOSERS = {"{": "}", "[": "]"}


class FileHead(NamedTuple):
    """What the beginning of a file shows.

    Attributes:
        path: of the file.
        shape: what it is, by its bytes. ``json`` is one value, ``jsonl`` one in each line; an
            object that fills a single line is both, and goes by the extension. ``csv`` and
            ``tsv`` have rows of as many cells, up to the first blank line.
        records: of JSON the first values: elements of a list, or objects in lines, or the one
            object. What goes beyond the beginning is left out of the last.
        lines: of text the first lines, without their ends.
        members: of a zip or folder the names, with ``/``.
    """

    path: str
    shape: Shape
    records: tuple[Any, ...] = ()
    lines: tuple[str, ...] = ()
    members: tuple[str, ...] = ()

    @property
    def objects(self) -> list[dict[str, Any]]:
        """The records, if all of them are objects; else none."""
        objects = [record for record in self.records if isinstance(record, dict)]
        return objects if len(objects) == len(self.records) else []


def read_head(path: PathName) -> FileHead:
    """Return what the beginning of a file or folder shows.

    Raises:
        InputError: for what is not there or cannot be read.
    """
    name = os.fsdecode(path)
    if os.path.isdir(name):
        return FileHead(name, "folder", members=_below(name))
    head = read_bytes(escape_name(name), name, size=_HEAD)
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")) or name.lower().endswith(".zip"):
        return FileHead(name, "zip", members=_in_zip(name))
    if head.startswith(UTF_16_MARKS):
        return head_of_text(name, head, UTF_16)
    if b"\0" in head:
        return FileHead(name, "binary")
    first = head.removeprefix(codecs.BOM_UTF8).lstrip()[:1]
    if first not in (b"{", b"[", b"<") and head.count(b"\n", 0, _ROWS) >= _LINES:
        return head_of_text(name, head[:_ROWS])  # nothing but the first lines is looked at
    seen = head_of_text(name, head)
    if seen.shape == "json" and len(head) == _HEAD and len(seen.records) < 2:
        if name.lower().endswith(".jsonl"):  # whose first record ends with its line
            return head_of_text(name, next(pieces_of(escape_name(name), name, size=_LONG_HEAD)))
        return head_of_text(name, read_bytes(escape_name(name), name, size=_LONG_HEAD))
    return seen


def read_head_inside(start: FileHead, member: str) -> FileHead:
    """Return what the beginning of a text in an archive shows.

    Raises:
        InputError: for an archive that cannot be read.
    """
    with open_zip(start.path) as archive:
        return head_of_text(member, archive.read(member)[:_LONG_HEAD])


def head_of_text(name: str, head: bytes, encoding: str = "utf-8") -> FileHead:
    """Return what a text that begins so is."""
    text = codecs.getincrementaldecoder(encoding)("replace").decode(head).removeprefix(BOM)
    text = with_newlines(text)
    lines = [line.rstrip("\r") for line in text.split("\n", _LINES)[:_LINES]]
    if _JSON.match(text):
        by_line = _in_lines(text)
        if len(by_line) > 1 or (by_line and Path(name).suffix.lower() != ".json"):
            return FileHead(name, "jsonl", by_line, tuple(lines))
        values = _values(text)
        if values is not None:
            return FileHead(name, "json", tuple(values[:_RECORDS]), tuple(lines))
        if Path(name).suffix.lower() in (".json", ".jsonl") and _LIKE_JSON.match(text):
            return FileHead(name, "json", lines=tuple(lines))  # not valid, which reading says
    shape: Shape = "xml" if _XML.match(text) else _tabular(lines)
    return FileHead(name, shape, lines=tuple(lines))


def _in_lines(text: str) -> tuple[Any, ...]:
    """Return the objects in the first lines, up to one that is none; or lists of text and more."""
    values: list[Any] = []
    for line in islice((line for line in text.split("\n") if line.strip()), _RECORDS):
        try:
            values.append(json.loads(line))
        except (ValueError, RecursionError):
            break
        if not isinstance(values[-1], (dict, list)):
            return ()
    are_pairs = len(values) > 1 and all(isinstance(x, list) and _is_pair(x) for x in values)
    return tuple(values) if are_pairs or all(isinstance(x, dict) for x in values) else ()


def _is_pair(value: list[Any]) -> bool:
    return len(value) > 1 and isinstance(value[0], str) and isinstance(value[1], (dict, list))


def _values(text: str) -> list[Any] | None:
    """Return the elements of a list, or the one object, as far as they are there."""
    for candidate in (text, closed(text)):
        try:
            value = json.loads(candidate)
        except (ValueError, RecursionError):
            continue
        return value if isinstance(value, list) else [value]
    return None


def closed(text: str) -> str:
    """Return a beginning of JSON without its last, unfinished part, and with what closes it.

    >>> closed('[{"a": [1, 2], "b": "unfin')
    '[{"a": [1, 2]}]'
    """
    open_: list[str] = []
    cut = 0
    for match in _STRUCTURE.finditer(text):
        sign = match[0]
        if sign in _CLOSERS:
            open_.append(_CLOSERS[sign])
        elif sign in "]}":
            if not open_ or open_.pop() != sign:
                return text
        elif sign != ",":
            continue
        cut = match.end() - (sign == ",")
    closers = "".join(reversed(open_))
    more = not closers and text[cut:].strip()  # behind a whole value
    return text if more else text[:cut] + closers


def _tabular(lines: list[str]) -> Shape:
    """Return ``tsv`` or ``csv`` for lines of as many cells, up to the first blank one."""
    block = [*lines, ""][: [*(line.strip() for line in lines), ""].index("")]
    sign = separator_of(block)
    return ("tsv" if sign == "\t" else "csv") if sign and is_even(block, sign) else "text"


@naming_files()
def _below(folder: str) -> tuple[str, ...]:
    """Return the files below a folder."""
    names: list[str] = []
    for location, folders, files in os.walk(folder):
        folders.sort()
        inner = "" if location == folder else os.path.join(os.path.relpath(location, folder), "")
        names += (f"{inner}{name}".replace(os.sep, "/") for name in sorted(files))
        if len(names) > _MEMBERS:
            break
    return tuple(names[:_MEMBERS])


def _in_zip(name: str) -> tuple[str, ...]:
    """Return the files in an archive; of one that cannot be read, none."""
    try:
        with open_zip(name) as archive:
            return archive.names[:_MEMBERS]
    except InputError:
        return ()


def passed_over(name: str, counts: Mapping[str, int]) -> tuple[str, ...]:
    """Return the note of what a reader passed over in a file, by kind; none if there is nothing.

    >>> passed_over("ann.json", {"relation": 3, "choice": 2, "draft": 1})
    ('ann.json: 3 relations, 2 choices and 1 draft passed over',)
    """
    kinds = [pluralize(number, kind) for kind, number in counts.items() if number]
    text = " and ".join([", ".join(kinds[:-1]), kinds[-1]] if len(kinds) > 1 else kinds)
    return (f"{escape_name(name)}: {text} passed over",) if kinds else ()
