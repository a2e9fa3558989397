"""The lines of CoNLL files: what each of them is, and the parts that a file is read in."""

from __future__ import annotations

import codecs
import os
import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from spanagree.arrays import Ints, as_small
from spanagree.errors import InputError, printable
from spanagree.files import PathName, decoded, encoding_of, lines_of, pieces_of, read_bytes
from spanagree.formats.conll.columns import layout_of

ROW, BLANK, COMMENT, DOCSTART = range(4)


_FIRST = as_small(np.full(256, ROW))  # what a line is, by its first byte that is not a blank


_FIRST[[ord("\n"), ord("#")]] = BLANK, COMMENT


_IS_BLANK = np.isin(np.arange(256), list(b" \t\r"))


_DOCSTART = re.compile(rb"-DOCSTART-(?=[ \t]|[ \t\r]*(?:\n|\Z))")


_NEWDOC = re.compile(rb"#[ \t]*(?:newdoc(?:[ \t]+id)?|[\w:]*document_id)[ \t]*(?:=|(?=[\r\n])|\Z)")


_LINES = 20_000  # of a stream that are looked at in one go


_NEWLINE = ord("\n")
_PORTION = 1 << 18  # bytes of which ends of lines are looked for in one go
_BYTES = 100_000  # of a file that are looked at for the names of its columns


# encodings in which a byte below 128 is an ASCII character wherever it stands
_BY_BYTES = re.compile(r"utf-8|ascii|iso8859-\d+|cp125\d|koi8-\w")


def kinds_of_lines(text: bytes) -> tuple[Ints, Ints]:
    r"""Return what each line is: a row, blank, a comment or one that begins a document.

    Blanks at its edges do not count.

    Returns:
        Where each line begins, and behind them where a next one would; the kind of each line.

    >>> starts, kinds = kinds_of_lines(b"a O\n \n# b")
    >>> starts.tolist(), [("row", "blank", "comment")[kind] for kind in kinds]
    ([0, 4, 6, 9], ['row', 'blank', 'comment'])
    """
    ended = text if text.endswith(b"\n") or not text else text + b"\n"
    characters = np.frombuffer(ended, np.uint8)
    starts = starts_of_lines(characters)
    first = starts[:-1]
    initial = characters[first]
    indented = _IS_BLANK[initial]
    if indented.any():
        solid = np.flatnonzero(~_IS_BLANK[characters])
        first = first.copy()
        first[indented] = solid[np.searchsorted(solid, first[indented])]
        initial = characters[first]
    kinds = _FIRST[initial]
    marks: list[int] = []
    if b"-DOCSTART-" in ended:
        marks = [match.start() for match in _DOCSTART.finditer(ended)]
    if (kinds == COMMENT).any() and (b"newdoc" in ended or b"document_id" in ended):
        marks += [match.start() for match in _NEWDOC.finditer(ended)]
    at = np.array(marks, starts.dtype)
    line = np.searchsorted(starts, at, side="right") - 1
    kinds[line[first[line] == at]] = DOCSTART
    starts[-1] = len(text)
    return starts, kinds


def starts_of_lines(characters: Any) -> Ints:
    """Return where each line begins, and where a next one would; all of them end in a newline.

    Large arrays are written once, in small numbers: to get new memory takes longer than that.
    """
    count = len(characters)
    portions = [(at, characters[at : at + _PORTION]) for at in range(0, count, _PORTION)]
    lines = sum(int(np.count_nonzero(portion == _NEWLINE)) for _, portion in portions)
    starts: Ints = np.zeros(lines + 1, np.int32 if count <= np.iinfo(np.int32).max else np.int64)
    done = 1
    for at, portion in portions:
        ends = np.flatnonzero(portion == _NEWLINE)
        starts[done : done + len(ends)] = ends + (at + 1)
        done += len(ends)
    return starts


@dataclass(frozen=True)
class FilePart:
    """A part of a file, in bytes, and the number of lines before it; read by whoever needs it."""

    path: PathName
    real: str  # the path as it is for other processes
    encoding: str
    start: int
    size: int
    before: int

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


@dataclass(frozen=True)
class TextPart:
    """A part of what can be read only once, or not from the middle."""

    text: str
    before: int


def parts_of(
    path: PathName, encoding: str, block: int, unit: str
) -> Iterator[tuple[FilePart | TextPart, int]]:
    """Yield a file in parts of so many sentences or documents each, and how many these are.

    Of a file only the borders are looked for; a stream, or an encoding in which a byte says
    nothing by itself, is read here.

    Raises:
        InputError: for a file that cannot be read, or has no token rows.
        SettingError: for an unknown encoding.
    """
    name = os.fsdecode(path)
    real = os.path.realpath(name) if name != "-" and os.path.isfile(name) else ""
    parts: Iterator[tuple[FilePart | TextPart, int]]
    if os.path.isfile(real):
        encoding = encoding_of(read_bytes(printable(name), real, size=2), encoding)
    if os.path.isfile(real) and (codec := _codec_by_bytes(encoding)):
        parts = _of_file(path, real, encoding, block, unit, codec == "utf-8")
    else:
        parts = _of_stream(path, encoding, block, unit)
    some = False
    for part, units in parts:
        if units:
            some = True
            yield part, units
        else:
            _ = part.text  # what follows the last sentence has to be text too
    if not some:
        raise InputError(
            f"{printable(name)}: no token rows; a file has lines of a token and its tags"
        )


def _codec_by_bytes(encoding: str) -> str | None:
    """Return the codec's name, if in it bytes below 128 are these characters everywhere."""
    try:
        name = codecs.lookup(encoding).name
    except (LookupError, TypeError):
        return None
    return name if _BY_BYTES.fullmatch(name) else None


def _of_file(
    path: PathName, real: str, encoding: str, block: int, unit: str, may_have_mark: bool
) -> Iterator[tuple[FilePart, int]]:
    name = printable(os.fsdecode(path))
    mark = len(BOM_UTF8)
    skip = mark if may_have_mark and read_bytes(name, real, 0, mark) == BOM_UTF8 else 0
    for start, end, before, units in _borders(pieces_of(name, real, skip), block, unit):
        yield FilePart(path, real, encoding, skip + start, end - start, before), units


def _of_stream(
    path: PathName, encoding: str, block: int, unit: str
) -> Iterator[tuple[TextPart, int]]:
    held = bytearray()  # what is read and not yet given

    def pieces() -> Iterator[bytes]:
        lines = lines_of(path, encoding)
        while text := "".join(islice(lines, _LINES)):
            piece = text.encode(errors="surrogatepass")
            held.extend(piece)
            yield piece

    for start, end, before, units in _borders(pieces(), block, unit):
        yield TextPart(held[: end - start].decode(errors="surrogatepass"), before), units
        del held[: end - start]


def _borders(pieces: Iterable[bytes], block: int, unit: str) -> Iterator[tuple[int, int, int, int]]:
    """Yield where each part begins and ends, the lines before it, and its units; at last the rest.

    A sentence ends with the first blank line behind a row, or before a -DOCSTART- line; a document
    before a -DOCSTART- line, or one that names a new document. The pieces end where lines end.
    """
    start = before = done = 0  # of the part: where it begins, the lines before it, whole units
    offset = lines = 0  # of the piece
    inside = False  # of a sentence or document
    for piece in pieces:
        starts, kinds = kinds_of_lines(piece)
        if not offset and layout_of(piece[:_BYTES].decode("latin-1")).header:
            kinds[int((kinds == ROW).argmax())] = COMMENT
        ends = kinds == DOCSTART
        if unit == "sentence":
            ends |= kinds == BLANK
        telling = np.flatnonzero(ends | (kinds == ROW))
        row = np.concatenate(([inside], kinds[telling] == ROW))
        border = telling[row[:-1] & ~row[1:]]
        border += kinds[border] == BLANK  # which is the last line of its part, not the next's first
        for line in border[block - 1 - done :: block].tolist():
            yield start, offset + int(starts[line]), before, block
            start, before = offset + int(starts[line]), lines + line
        done = (done + len(border)) % block
        inside = bool(row[-1])
        offset, lines = offset + len(piece), lines + len(kinds)
    yield start, offset, before, done + inside
