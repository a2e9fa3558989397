"""Praat's TextGrid: interval tiers and point tiers, in the long form and the short."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING

from spanagree.corpus.raw import RawCorpus
from spanagree.errors import InputError, SettingError, counted, listed, show
from spanagree.files import PathName, read_bytes, read_text
from spanagree.formats.exports import check_named
from spanagree.formats.file_head import FileHead
from spanagree.formats.timelines import Marks, Tiers

if TYPE_CHECKING:
    from typing_extensions import Unpack  # in typing from Python 3.11 on

_TOKEN = re.compile(
    r"""\[\d*\]|![^\n]*|"((?:[^"]|"")*)"|<(exists|absent)>"""
    r"""|(?<![^\s=:])([+-]?\d[\d.]*(?:[eE][+-]?\d+)?)(?=\s|$)"""
)
_BINARY = b"ooBinaryFile"


def knows_textgrid(start: FileHead) -> bool:
    """Return whether a file is Praat's, by its first line."""
    if start.shape == "binary":
        return start.path.lower().endswith(".textgrid")
    return any('"ooTextFile' in line for line in start.lines[:3])


def raw_textgrid(path: PathName, *, encoding: str = "utf-8", **tiers: Unpack[Tiers]) -> RawCorpus:
    """Return the intervals of a TextGrid that have a text.

    Args:
        path: the file.
        encoding: of a file without a byte order mark.
        tiers: as :class:`Tiers`; all interval tiers unless given. One of points is read if it is
            named, and its points are empty segments, which a repair can widen.

    Raises:
        InputError: for a binary TextGrid, or what is none.
        SettingError: for a tier that is not there; for a file with tiers of points only.
    """
    check_named(tiers.get("annotator_from"), "tier", "file")
    marks = Marks(path)
    if read_bytes(marks.name, os.fspath(path), size=len(_BINARY)) == _BINARY:
        raise InputError(
            f"{marks.name}: a binary TextGrid; in Praat, Save as text file writes one that is read"
        )
    values = _values(read_text(path, encoding), marks.name)
    tier = tiers.get("tier")
    names = [tier] if isinstance(tier, str) else list(tier or ())
    known: dict[str, str] = {}
    _, high = _number(next(values), marks), _number(next(values), marks)
    if next(values)[1] != "exists":
        raise InputError(f"{marks.name}: a TextGrid without tiers; one with segments is needed")
    for _ in range(_count(next(values), marks)):
        kind, name = _text(next(values)), _text(next(values))
        name = _unused(name.strip(), known)
        known[name] = kind
        _, until = _number(next(values), marks), _number(next(values), marks)
        high = max(high, until)
        points = kind == "TextTier"
        taken = name in names if names else not points
        if taken:
            marks.tiers[name] = None
        for _ in range(_count(next(values), marks)):
            begins = _number(next(values), marks)
            ends = begins if points else _number(next(values), marks)
            text = _text(next(values))
            if taken and text.strip():
                where = f"{marks.name}, tier {show(name)}"
                marks.add(begins, ends, text, where, tier=name)
            elif points and not taken and not names:
                marks.passed["point"] += 1
    marks.named(names, known)
    if not names and known and {*known.values()} == {"TextTier"}:
        raise SettingError(
            f"{marks.name}: {counted(len(known), 'tier')} of points only, which have no length;"
            f" name them with tier ({listed(known)}) and widen them to one unit with repair"
            " widen-points"
        )
    marks.saw(length=high)
    if marks.passed["point"]:
        of_points = listed(name for name, kind in known.items() if kind == "TextTier")
        number = counted(marks.passed.pop("point"), "point")
        marks.notes.append(f"{marks.name}: {number} passed over, which tier {of_points} would read")
    return marks.raw("textgrid", **tiers)


def _unused(name: str, known: dict[str, str]) -> str:
    """Return a name that no tier has yet; of equal names the later get a number."""
    number, made = 1, name
    while made in known:
        number += 1
        made = f"{name} ({number})"
    return made


_Value = tuple[str | None, str | None, str | None]


def _values(text: str, where: str) -> Iterator[_Value]:
    """Yield the values of a text after its header: text, flag or number; keys do not matter."""
    head, _, body = text.partition("\n")
    if "ooTextFile" not in head:
        raise InputError(f'{where}: {show(head)}; a TextGrid begins with File type = "ooTextFile"')
    kind, _, body = body.partition("\n")
    if "TextGrid" not in kind:
        raise InputError(f"{where}: {show(kind.strip())}; of Praat's files, TextGrids are read")
    for match in _TOKEN.finditer(body):
        if any(group is not None for group in match.groups()):
            yield match[1], match[2], match[3]
    raise InputError(f"{where}: the file ends too early; save it again")


def _text(value: _Value) -> str:
    return (value[0] or "").replace('""', '"')


def _number(value: _Value, marks: Marks) -> Fraction:
    return marks.time(value[2] if value[2] is not None else value[0], marks.name)


def _count(value: _Value, marks: Marks) -> int:
    number = value[2] or ""
    if not number.isdecimal():
        raise InputError(f"{marks.name}: {show(value[0])}; the number of tiers or segments is due")
    return int(number)
