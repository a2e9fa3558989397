"""The parts that CoNLL files are read in: so many sentences or documents each."""

from __future__ import annotations

import codecs
import os
import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from io import StringIO
from itertools import chain, islice
from typing import NamedTuple

import numpy as np

from spanagree.errors import InputError, printable
from spanagree.files import (
    PathName,
    decoded,
    encoding_of,
    lines_of,
    pieces_of,
    read_bytes,
)
from spanagree.formats.conll.head import LINES, Head, up_to_row
from spanagree.formats.conll.lines import LineKind

# encodings in which a byte below 128 is an ASCII character wherever it stands
_LONGEST_LINE = 1 << 16  # bytes; no line of a token is as long
_BY_BYTES = re.compile(r"utf-8|ascii|iso8859-\d+|cp125\d|koi8-\w")


class FilePart(NamedTuple):
    """A part of a file, in bytes, and the number of lines before it; read by whoever needs it."""

    path: PathName
    real: str  # the path as it is for other processes
    encoding: str
    start: int
    size: int
    before: int
    is_whole: bool  # whether there is no other part

    @property
    def text(self) -> str:
        """The text of the part.

        Raises:
            InputError: for a file that cannot be read any more, is binary or in another encoding.
        """
        name = printable(os.fsdecode(self.path))
        raw = read_bytes(name, self.real, self.start, self.size)
        if len(raw) < self.size:
            raise InputError(f"{name}: became shorter while it was read; it has to stay as it is")
        return decoded(name, raw, self.encoding, self.before)


class TextPart(NamedTuple):
    """A part of what can be read only once, or not from the middle; or a whole file."""

    text: str
    before: int = 0
    is_whole: bool = True


class Opened(NamedTuple):
    """A file that is read in parts, of which the first lines are known.

    Attributes:
        path, real: the file, as it is called and as it is for other processes; no real one for
            what can be read only once, or not from the middle.
        encoding: of the file.
        skip: the bytes of a byte order mark.
        first: the first lines.
        portions: of lines, all of what has no real path.
    """

    path: PathName
    real: str
    encoding: str
    skip: int
    first: str
    portions: Iterator[str]


def opened(path: PathName, encoding: str) -> Opened:
    """Return a file with its first lines; what is wrong in those of a real file can wait.

    Raises:
        InputError: for a file that cannot be read.
        SettingError: for an unknown encoding.
    """
    name = os.fsdecode(path)
    real, codec = "", None
    if name != "-" and os.path.isfile(name):
        real = os.path.realpath(name)
        encoding = encoding_of(read_bytes(printable(name), real, size=2), encoding)
        codec = _codec_by_bytes(encoding)
        begin = read_bytes(printable(name), real, size=_LONGEST_LINE)
        if b"\r" in begin and b"\n" not in begin:  # of an old Mac, whose pieces cannot be cut
            codec = None
    if codec is None:
        portions = _in_portions(lines_of(path, encoding))
        first = up_to_row(portions)
        return Opened(path, "", encoding, 0, first, chain([first], portions))
    size = len(BOM_UTF8)
    has_mark = codec == "utf-8" and read_bytes(printable(name), real, 0, size) == BOM_UTF8
    skip = size if has_mark else 0
    pieces = pieces_of(printable(name), real, skip)
    texts = (piece.decode(encoding, "replace") for piece in pieces)
    lines = chain.from_iterable(StringIO(text, newline="\n") for text in texts)
    return Opened(path, real, encoding, skip, up_to_row(_in_portions(lines)), iter(()))


def _in_portions(lines: Iterator[str]) -> Iterator[str]:
    """Yield lines in portions of as many as are looked at."""
    while portion := "".join(islice(lines, LINES)):
        yield portion


def parts_of(
    file: Opened, head: Head, block: int, unit: str
) -> Iterator[tuple[FilePart | TextPart, int]]:
    """Yield a file in parts of so many sentences or documents each, and how many these are.

    Of a real file only the borders are looked for; anything else is read here.

    Raises:
        InputError: for a file that cannot be read, or has no token rows.
    """
    parts: Iterator[tuple[FilePart | TextPart, int]]
    parts = (_of_file if file.real else _of_stream)(file, head, block, unit)
    has_rows = False
    for part, units in parts:
        if units:
            has_rows = True
            yield part, units
        else:
            _ = part.text  # what follows the last sentence has to be text too
    if not has_rows:
        raise no_rows(file.path)


def no_rows(path: PathName) -> InputError:
    """Return the error for a file without a row of a token."""
    return InputError(
        f"{printable(os.fsdecode(path))}: no token rows; a file has lines of a token and its tags"
    )


def _codec_by_bytes(encoding: str) -> str | None:
    """Return the codec's name, if in it bytes below 128 are these characters everywhere."""
    try:
        name = codecs.lookup(encoding).name
    except (LookupError, TypeError):
        return None
    return name if _BY_BYTES.fullmatch(name) else None


def _of_file(file: Opened, head: Head, block: int, unit: str) -> Iterator[tuple[FilePart, int]]:
    pieces = pieces_of(printable(os.fsdecode(file.path)), file.real, file.skip)
    for part in _borders(pieces, head, file.encoding, block, unit):
        at = file.skip + part.start, part.end - part.start, part.before, part.is_whole
        yield FilePart(file.path, file.real, file.encoding, *at), part.units


def _of_stream(file: Opened, head: Head, block: int, unit: str) -> Iterator[tuple[TextPart, int]]:
    held = bytearray()  # what is read and not yet given

    def pieces() -> Iterator[bytes]:
        for portion in file.portions:
            piece = portion.encode(errors="surrogatepass")
            held.extend(piece)
            yield piece

    for part in _borders(pieces(), head, "utf-8", block, unit):
        size = part.end - part.start
        text = held[:size].decode(errors="surrogatepass")
        yield TextPart(text, part.before, part.is_whole), part.units
        del held[:size]


class _Borders(NamedTuple):
    """Where a part begins and ends, in bytes; the lines before it; its sentences or documents."""

    start: int
    end: int
    before: int
    units: int
    is_whole: bool = False  # whether there is no other part


def _borders(
    pieces: Iterable[bytes], head: Head, encoding: str, block: int, unit: str
) -> Iterator[_Borders]:
    """Yield the parts of a file, at last what follows the last whole one.

    A part ends behind the last row of a sentence, so what stands between two rows stays together;
    a sentence ends with a blank line or where a document begins. The pieces end where lines end.
    """
    start = before = done = 0  # of the part: where it begins, the lines before it, whole units
    offset = lines = 0  # of the piece
    last = (-1, 0)  # where the last row of a sentence or document that goes on ends, and its line
    header = head.layout.header
    for piece in pieces:
        starts, kinds, _ = head.kinds_of(piece, header=header, encoding=encoding)
        header = header and not (kinds == LineKind.OTHER).any()
        ends = kinds == LineKind.DOCSTART
        if unit == "sentence":
            ends |= kinds == LineKind.BLANK
        # rows and ends of sentences, behind what was the last of them in the piece before
        informative = np.concatenate(([-1], np.flatnonzero(ends | (kinds == LineKind.ROW))))
        is_row = np.concatenate(([last[0] >= 0], kinds[informative[1:]] == LineKind.ROW))
        behind_last_rows = informative[:-1][is_row[:-1] & ~is_row[1:]] + 1
        for line in behind_last_rows[block - 1 - done :: block].tolist():
            end, count = (offset + int(starts[line]), lines + line) if line else last
            yield _Borders(start, end, before, block)
            start, before = end, count
        done = (done + len(behind_last_rows)) % block
        if len(informative) > 1:
            line = int(informative[-1]) + 1
            last = (offset + int(starts[line]), lines + line) if is_row[-1] else (-1, 0)
        offset, lines = offset + len(piece), lines + len(kinds)
    yield _Borders(start, offset, before, done + (last[0] >= 0), start == 0)
