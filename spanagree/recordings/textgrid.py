"""Reader of Praat's TextGrid: interval tiers and point tiers, in the long form and the short."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, NamedTuple

from spanagree.corpus.raw import RawCorpus
from spanagree.errors import (
    InputError,
    SettingError,
    join_names,
    parse_whole_number,
    pluralize,
    quote_value,
)
from spanagree.files import PathName, read_bytes, read_text
from spanagree.formats.exports import check_name_source
from spanagree.formats.file_head import FileHead
from spanagree.recordings.timelines import Marks, Tiers

if TYPE_CHECKING:
    from typing_extensions import Unpack  # in typing from Python 3.11 on

_TOKEN = re.compile(
    r"""\[\d*\]|![^\n]*|"((?:[^"]|"")*)"|<(exists|absent)>"""
    r"""|(?<![^\s=:])([+-]?\d[\d.]*(?:[eE][+-]?\d+)?)(?=\s|$)"""
)
_BINARY = b"ooBinaryFile"

_Value = tuple[str | None, str | None, str | None]  # a text, a flag or a number


class _Tier(NamedTuple):
    """A tier.

    Attributes:
        name: unique name.
        is_of_points: True for a point tier.
        segments: start, end and text of each interval or point.
    """

    name: str
    is_of_points: bool
    segments: list[tuple[Fraction, Fraction, str]]


def looks_like_textgrid(start: FileHead) -> bool:
    """Check whether a file is Praat's, by its first line."""
    if start.shape == "binary":
        return start.path.lower().endswith(".textgrid")
    return any('"ooTextFile' in line for line in start.lines[:3])


def read_raw_textgrid(
    path: PathName, *, encoding: str = "utf-8", **tiers: Unpack[Tiers]
) -> RawCorpus:
    """Read the intervals of a TextGrid that have a text.

    Args:
        path: path of the file.
        encoding: encoding of a file without a byte order mark.
        tiers: options of :class:`Tiers`. Default: all interval tiers. A point tier is read if it is
            named; its points are empty segments, which a repair can widen.

    Raises:
        InputError: if the file is a binary TextGrid, or none.
        SettingError: if a tier is missing, or the file has point tiers only.
    """
    check_name_source(tiers.get("annotator_from"), "tier", "file")
    marks = Marks(path)
    if read_bytes(marks.name, os.fspath(path), size=len(_BINARY)) == _BINARY:
        raise InputError(
            f"{marks.name}: a binary TextGrid; in Praat, Save as text file writes one that is read"
        )
    values = _yield_values(read_text(path, encoding), marks.name)
    checked_values = _yield_checked_values(
        values, marks.name
    )  # kept: deleting the generator would close the values
    grid = list(_yield_tiers(checked_values, marks))
    if next(values, None) is not None:
        raise InputError(
            f"{marks.name}: more is in it than its {pluralize(len(grid), 'tier')} and the segments"
            " that they count; save it again"
        )
    tier_names = [tier.name for tier in grid]
    names = marks.check_named_tiers(tiers.get("tier"), tier_names)
    point_tiers = [tier for tier in grid if tier.is_of_points]
    if not names and len(point_tiers) == len(grid) > 0:
        raise SettingError(
            f"{marks.name}: {pluralize(len(grid), 'tier')} of points only, which have no length;"
            f" name them with tier ({join_names(tier_names)}) and widen them to one unit with"
            " repair"
            " widen-points"
        )
    for tier in grid:
        if tier.name in names or not (names or tier.is_of_points):
            marks.tiers[tier.name] = None
            for start, end, text in tier.segments:
                if text.strip():
                    location = f"{marks.name}, tier {quote_value(tier.name)}"
                    marks.add_mark(start, end, text, location, tier=tier.name)
    n_points = 0 if names else sum(len(tier.segments) for tier in point_tiers)
    if n_points:
        point_tier_names = join_names(tier.name for tier in point_tiers)
        marks.notes.append(
            f"{marks.name}: {pluralize(n_points, 'point')} passed over, which tier"
            f" {point_tier_names} would read"
        )
    return marks.build_rows("textgrid", **tiers)


def _yield_tiers(values: Iterator[_Value], marks: Marks) -> Iterator[_Tier]:
    """Yield the tiers of a TextGrid; the recording ends with it, or with a longer tier."""
    _, end = _parse_time(next(values), marks), _parse_time(next(values), marks)
    marks.record_seen(length=end)
    if next(values)[1] != "exists":
        raise InputError(f"{marks.name}: a TextGrid without tiers; one with segments is needed")
    names: dict[str, int] = {}
    for _ in range(_parse_count(next(values), marks)):
        tier_class, name = _parse_text(next(values), marks), _parse_text(next(values), marks)
        name = _build_unique_name(name.strip(), names)
        _, end = _parse_time(next(values), marks), _parse_time(next(values), marks)
        marks.record_seen(length=end)
        is_of_points = tier_class == "TextTier"
        segments = []
        for _ in range(_parse_count(next(values), marks)):
            start = _parse_time(next(values), marks)
            stop = start if is_of_points else _parse_time(next(values), marks)
            segments.append((start, stop, _parse_text(next(values), marks)))
        yield _Tier(name, is_of_points, segments)


def _build_unique_name(name: str, counts: dict[str, int]) -> str:
    """Build a unique name of a tier; repeated names get a number.

    Args:
        name: name of the tier in the file.
        counts: count of each name so far, to which the name is added.
    """
    unused = name
    while unused in counts:
        counts[name] += 1
        unused = f"{name} ({counts[name]})"
    counts[unused] = 1
    return unused


def _yield_values(text: str, location: str) -> Iterator[_Value]:
    """Yield the values after the header: texts, flags or numbers, without their keys."""
    head, _, body = text.partition("\n")
    if "ooTextFile" not in head:
        raise InputError(
            f'{location}: {quote_value(head)}; a TextGrid begins with File type = "ooTextFile"'
        )
    object_class, _, body = body.partition("\n")
    if "TextGrid" not in object_class:
        raise InputError(
            f"{location}: {quote_value(object_class.strip())}; of Praat's files, TextGrids are read"
        )
    for match in _TOKEN.finditer(body):
        if any(group is not None for group in match.groups()):
            yield match[1], match[2], match[3]


def _yield_checked_values(values: Iterator[_Value], location: str) -> Iterator[_Value]:
    """Yield values, and raise an error if the caller needs more."""
    yield from values
    raise InputError(f"{location}: the file ends too early; save it again")


def _parse_text(value: _Value, marks: Marks) -> str:
    """Parse a text in quotation marks; doubled quotation marks inside become single."""
    if value[0] is None:
        raise InputError(f"{marks.name}: {value[1] or value[2]}; a text in quotation marks is due")
    return value[0].replace('""', '"')


def _parse_time(value: _Value, marks: Marks) -> Fraction:
    """Parse a time, exactly, in seconds."""
    return marks.parse_time(value[2] if value[2] is not None else value[0], marks.name)


def _parse_count(value: _Value, marks: Marks) -> int:
    """Parse the number of tiers or segments."""
    digits = value[2] or ""
    if not digits.isdecimal():
        raise InputError(
            f"{marks.name}: {quote_value(value[0])}; the number of tiers or segments is due"
        )
    return parse_whole_number(digits, f"{marks.name}: number of tiers or segments")
