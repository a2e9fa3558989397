"""Beginnings of files and folders, from which formats are recognised."""

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
    name_files_in_errors,
    open_zip,
    read_bytes,
    replace_carriage_returns,
    yield_pieces,
)
from spanagree.tables import find_separator, is_split_evenly

Shape = Literal["json", "jsonl", "csv", "tsv", "xml", "zip", "folder", "text", "binary"]

_HEAD_SIZE = 1 << 18  # number of bytes to read
_ROWS_SIZE = 1 << 14  # number of bytes of rows, if these contain enough lines
_LONG_HEAD_SIZE = 1 << 22  # number of bytes if the first record is longer
_N_RECORDS, _N_LINES, _N_MEMBERS = 20, 50, 10_000
_JSON = re.compile(r'\s*(\{\s*["}]|\[\s*[\[{"\]\d-])')
_LIKE_JSON = re.compile(r'\s*(\{\s*"|\[\s*[\[{"])')
_XML = re.compile(r"\s*<(\?xml|!DOCTYPE|!--|[A-Za-z_][^<>]*>\s*<)")
_STRUCTURE = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*(?:"|\\?\Z)|[\[\]{},]', re.DOTALL)
_CLOSERS = {"{": "}", "[": "]"}


class FileHead(NamedTuple):
    """Beginning of a file or folder.

    Attributes:
        path: path of the file.
        shape: type of the content, by its bytes. ``json`` is one value, ``jsonl`` one value per
            line; an object in a single line fits both, so the extension decides. ``csv`` and
            ``tsv`` have rows with equal numbers of cells, up to the first blank line.
        records: first values of JSON: elements of a list, objects in lines, or the only object. The
            last record lacks all content beyond the beginning.
        lines: first lines of a text, without line ends.
        members: names of the files in a zip or folder, with ``/``.
    """

    path: str
    shape: Shape
    records: tuple[Any, ...] = ()
    lines: tuple[str, ...] = ()
    members: tuple[str, ...] = ()

    @property
    def objects(self) -> list[dict[str, Any]]:
        """Records, if all of them are objects; otherwise an empty list."""
        objects = [record for record in self.records if isinstance(record, dict)]
        return objects if len(objects) == len(self.records) else []


def read_head(path: PathName) -> FileHead:
    """Read the beginning of a file or folder.

    Raises:
        InputError: if the path does not exist or cannot be read.
    """
    name = os.fsdecode(path)
    if os.path.isdir(name):
        return FileHead(name, "folder", members=_list_files(name))
    head = read_bytes(escape_name(name), name, size=_HEAD_SIZE)
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06")) or name.lower().endswith(".zip"):
        return FileHead(name, "zip", members=_list_members(name))
    if head.startswith(UTF_16_MARKS):
        return recognise_text(name, head, UTF_16)
    if b"\0" in head:
        encoding = _find_unmarked_utf_16(head)
        return recognise_text(name, head, encoding) if encoding else FileHead(name, "binary")
    first_byte = head.removeprefix(codecs.BOM_UTF8).lstrip()[:1]
    if first_byte not in (b"{", b"[", b"<") and head.count(b"\n", 0, _ROWS_SIZE) >= _N_LINES:
        return recognise_text(name, head[:_ROWS_SIZE])  # only the first lines are read
    file_head = recognise_text(name, head)
    if file_head.shape == "json" and len(head) == _HEAD_SIZE and len(file_head.records) < 2:
        if name.lower().endswith(".jsonl"):  # the first record ends with its line
            return recognise_text(
                name, next(yield_pieces(escape_name(name), name, size=_LONG_HEAD_SIZE))
            )
        return recognise_text(name, read_bytes(escape_name(name), name, size=_LONG_HEAD_SIZE))
    return file_head


def _find_unmarked_utf_16(head: bytes) -> str:
    """Find the order of bytes of UTF-16 without a mark; empty for other bytes with zeros.

    Reading asks for the encoding, or has it from the user.

    >>> [_find_unmarked_utf_16(head) for head in (b"J\\0o\\0", b"\\0J\\0o", b"\\0\\0o")]
    ['utf-16-le', 'utf-16-be', '']
    """
    halves = {"utf-16-le": (head[1::2], head[::2]), "utf-16-be": (head[::2], head[1::2])}
    for encoding, (high_bytes, low_bytes) in halves.items():
        if 2 * high_bytes.count(0) > len(high_bytes) and not low_bytes.count(0):
            return encoding
    return ""


def read_head_inside(start: FileHead, member: str) -> FileHead:
    """Read the beginning of a text in an archive.

    Raises:
        InputError: if the archive cannot be read.
    """
    with open_zip(start.path) as archive:
        return recognise_text(member, archive.read(member)[:_LONG_HEAD_SIZE])


def recognise_text(name: str, head: bytes, encoding: str = "utf-8") -> FileHead:
    """Recognise the shape of a text by its beginning, and parse its first records."""
    text = codecs.getincrementaldecoder(encoding)("replace").decode(head).removeprefix(BOM)
    text = replace_carriage_returns(text)
    lines = [line.rstrip("\r") for line in text.split("\n", _N_LINES)[:_N_LINES]]
    if _JSON.match(text):
        line_values = _parse_values_by_line(text)
        if len(line_values) > 1 or (line_values and Path(name).suffix.lower() != ".json"):
            return FileHead(name, "jsonl", line_values, tuple(lines))
        values = _parse_values(text)
        if values is not None:
            return FileHead(name, "json", tuple(values[:_N_RECORDS]), tuple(lines))
        if Path(name).suffix.lower() in (".json", ".jsonl") and _LIKE_JSON.match(text):
            return FileHead(name, "json", lines=tuple(lines))  # invalid JSON, which reading reports
    shape: Shape = "xml" if _XML.match(text) else _recognise_table_shape(lines)
    return FileHead(name, shape, lines=tuple(lines))


def _parse_values_by_line(text: str) -> tuple[Any, ...]:
    """Parse the first lines as JSON values, up to a line that is not JSON.

    The result is empty unless all values are objects, or all of several are lists of a text and
    more.
    """
    values: list[Any] = []
    for line in islice((line for line in text.split("\n") if line.strip()), _N_RECORDS):
        try:
            values.append(json.loads(line))
        except (ValueError, RecursionError):
            break
        if not isinstance(values[-1], (dict, list)):
            return ()
    are_pairs = len(values) > 1 and all(
        isinstance(value, list) and _is_pair(value) for value in values
    )
    return tuple(values) if are_pairs or all(isinstance(value, dict) for value in values) else ()


def _is_pair(value: list[Any]) -> bool:
    """Check whether a list begins with a string and an object or a list, as a pair does."""
    return len(value) > 1 and isinstance(value[0], str) and isinstance(value[1], (dict, list))


def _parse_values(text: str) -> list[Any] | None:
    """Parse the elements of a list, or the only object; ``None`` if the text is not JSON.

    Of truncated JSON, the complete part is parsed.
    """
    for candidate in (text, close_json(text)):
        try:
            value = json.loads(candidate)
        except (ValueError, RecursionError):
            continue
        return value if isinstance(value, list) else [value]
    return None


def close_json(text: str) -> str:
    """Remove the last, unfinished part of truncated JSON, and append the missing brackets.

    >>> close_json('[{"a": [1, 2], "b": "unfin')
    '[{"a": [1, 2]}]'
    """
    open_closers: list[str] = []
    end = 0
    for match in _STRUCTURE.finditer(text):
        token = match[0]
        if token in _CLOSERS:
            open_closers.append(_CLOSERS[token])
        elif token in "]}":
            if not open_closers or open_closers.pop() != token:
                return text
        elif token != ",":
            continue
        end = match.end() - (token == ",")
    closers = "".join(reversed(open_closers))
    trailing = not closers and text[end:].strip()  # after a whole value
    return text if trailing else text[:end] + closers


def _recognise_table_shape(lines: list[str]) -> Shape:
    """Recognise ``tsv`` or ``csv`` by equal numbers of cells, up to the first blank line."""
    block = [*lines, ""][: [*(line.strip() for line in lines), ""].index("")]
    separator = find_separator(block)
    return (
        ("tsv" if separator == "\t" else "csv")
        if separator and is_split_evenly(block, separator)
        else "text"
    )


@name_files_in_errors()
def _list_files(folder: str) -> tuple[str, ...]:
    """List the paths of the first files below a folder, relative to it."""
    names: list[str] = []
    for location, folders, files in os.walk(folder):
        folders.sort()
        prefix = "" if location == folder else os.path.join(os.path.relpath(location, folder), "")
        names += (f"{prefix}{name}".replace(os.sep, "/") for name in sorted(files))
        if len(names) > _N_MEMBERS:
            break
    return tuple(names[:_N_MEMBERS])


def _list_members(name: str) -> tuple[str, ...]:
    """List the files in an archive; an unreadable archive has none."""
    try:
        with open_zip(name) as archive:
            return archive.names[:_N_MEMBERS]
    except InputError:
        return ()


def compose_ignored_note(name: str, counts: Mapping[str, int]) -> tuple[str, ...]:
    """Compose the note on ignored content of a file, by type; return no note if all was read.

    >>> compose_ignored_note("ann.json", {"relation": 3, "choice": 2, "draft": 1})
    ('ann.json: 3 relations, 2 choices and 1 draft passed over',)
    """
    phrases = [pluralize(count, noun) for noun, count in counts.items() if count]
    text = " and ".join([", ".join(phrases[:-1]), phrases[-1]] if len(phrases) > 1 else phrases)
    prefix = f"{escape_name(name)}: " if name else ""
    return (f"{prefix}{text} passed over",) if phrases else ()
