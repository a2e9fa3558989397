"""Units that offsets may count, and the code points at offsets in each.

Offsets of a corpus count code points. A source may count UTF-16 units or bytes, a line end of two
characters as one or one as two, a byte order mark, or the characters of another normal form."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from itertools import accumulate, product
from typing import Literal

import numpy as np

from spanagree.arrays import Bools, Ints
from spanagree.corpus.normal_form import find_character_starts
from spanagree.files import BOM


def shorten_line_ends(text: str) -> str:
    r"""Convert line ends to LF, for sources that count every line end as one character.

    >>> shorten_line_ends("a\r\nb")
    'a\nb'
    """
    return text.replace("\r\n", "\n")


Unit = Literal["code points", "UTF-16 units", "bytes of UTF-8"]

ONE_LINE_END = "that count line ends of two characters as one"
"""Description of a unit."""

_LINES = {
    "": "",
    "one": ONE_LINE_END,
    "two": "that count line ends of one character as two",
}

_MARK = "that count the byte order mark"

_FORMS: tuple[Literal["NFC", "NFD"], ...] = ("NFC", "NFD")


def _list_code_points(text: str) -> Ints:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")


def _compute_unit_sizes(codes: Ints, unit: Unit) -> Ints:
    """Compute the number of units of each code point."""
    if unit == "UTF-16 units":
        return 1 + (codes > 0xFFFF)
    if unit == "bytes of UTF-8":
        return 1 + (codes >= 0x80) + (codes >= 0x800) + (codes > 0xFFFF)
    return np.ones(len(codes), np.int64)


def _build_point_table(sizes: Ints) -> Ints | None:
    """Compute the code point at each offset from sizes; ``None`` if all sizes are 1."""
    if (sizes == 1).all():
        return None
    return np.append(np.repeat(np.arange(len(sizes)), sizes), len(sizes))


def map_offsets_to_points(text: str, unit: Unit = "UTF-16 units") -> Ints | None:
    """Compute the code point at each offset in a unit; ``None`` if both are equal.

    >>> map_offsets_to_points("a😀b").tolist()
    [0, 1, 1, 2, 3]
    >>> map_offsets_to_points("aéb", "bytes of UTF-8").tolist()
    [0, 1, 1, 2, 3]
    """
    return (
        None
        if text.isascii()
        else _build_point_table(_compute_unit_sizes(_list_code_points(text), unit))
    )


def compute_offsets(text: str, unit: Unit) -> Sequence[int]:
    """Compute the offset of each character of a text, and of its end, in a unit.

    >>> list(compute_offsets("a😀b", "UTF-16 units"))
    [0, 1, 3, 4]
    """
    if text.isascii() or unit == "code points":
        return range(len(text) + 1)
    return [*accumulate(_compute_unit_sizes(_list_code_points(text), unit).tolist(), initial=0)]


def look_up_point(point_at: Ints, offset: int) -> int:
    """Find the code point at an offset, which may be outside the text."""
    inner_offset = min(max(offset, 0), len(point_at) - 1)
    return int(point_at[inner_offset]) + offset - inner_offset


def convert_to_code_points(offsets: Ints, text: str, unit: Unit) -> tuple[Ints, int | None]:
    """Convert offsets to code points; offsets outside the text stay outside.

    Returns:
        The offsets; the first offset inside a character of several units, or ``None``.
    """
    point_at = map_offsets_to_points(text, unit)
    if point_at is None:
        return offsets, None
    inner_offsets = np.clip(offsets, 0, len(point_at) - 1)
    points = point_at[inner_offsets]
    is_split = (inner_offsets > 0) & (points == point_at[inner_offsets - 1])
    split_offsets = offsets[is_split]
    return points + offsets - inner_offsets, int(split_offsets[0]) if len(split_offsets) else None


def _find_second_of_pairs(codes: Ints) -> Bools:
    """Find code points that are the second of a line end of two."""
    is_second = codes == ord("\n")
    is_second[1:] &= codes[:-1] == ord("\r")
    is_second[:1] = False
    return is_second


def yield_possible_units(text: str, *, has_mark: bool = False) -> Iterator[tuple[str, Ints]]:
    r"""Yield the units other than code points that offsets may count in a text.

    Each is a description, and the code point at each offset. If the file of the text begins with a
    byte order mark, offsets may count it.

    >>> [(says, table.tolist()) for says, table in yield_possible_units("a\r\nb")]
    [('that count line ends of two characters as one', [0, 1, 3, 4])]
    """
    line_rules = ["", *(["one"] if "\r\n" in text else []), *(["two"] if "\n" in text else [])]
    possible_units: list[Unit] = ["code points"]
    possible_units += [] if text.isascii() else ["UTF-16 units", "bytes of UTF-8"]
    if possible_units[1:] or line_rules[1:] or has_mark:
        codes = _list_code_points(text)
        is_second = _find_second_of_pairs(codes)
        combinations = [
            *product(line_rules, (False, True) if has_mark else (False,), possible_units)
        ]
        for line_rule, with_mark, unit in combinations:
            sizes = _compute_unit_sizes(codes, unit)
            if line_rule == "one":
                sizes = np.where(is_second, 0, sizes)
            elif line_rule == "two":
                sizes = sizes + ((codes == ord("\n")) & ~is_second)
            point_at = _build_point_table(sizes)
            if with_mark:
                mark_points = np.zeros(
                    int(_compute_unit_sizes(_list_code_points(BOM), unit)[0]), np.int64
                )
                point_at = np.append(
                    mark_points, np.arange(len(text) + 1) if point_at is None else point_at
                )
            if point_at is not None:
                phrases = [f"in {unit}"] if unit != "code points" else []
                phrases += [_LINES[line_rule]] if line_rule else []
                phrases += [_MARK] if with_mark else []
                yield (
                    " ".join([*phrases[:1], *(f"and {phrase}" for phrase in phrases[1:])]),
                    point_at,
                )
    for normal_form in _FORMS if not text.isascii() else ():
        if (point_at := _map_form_to_points(text, normal_form)) is not None:
            yield f"that count the characters of {normal_form}", point_at


def _map_form_to_points(text: str, normal_form: Literal["NFC", "NFD"]) -> Ints | None:
    """Compute the code point at each offset in a normal form; ``None`` if both are equal."""
    if unicodedata.is_normalized(normal_form, text):
        return None
    point_at: list[int] = []
    starts = find_character_starts(text)
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        size = len(unicodedata.normalize(normal_form, text[start:end]))
        point_at += (min(start + i, end - 1) for i in range(size))
    return np.array([*point_at, len(text)])


def map_between_line_ends(text: str, other_text: str) -> Ints | None:
    r"""Map each offset of a text to the offset in another version with other line ends.

    ``None`` is returned if the texts differ in more than line ends.

    >>> map_between_line_ends("a\nb", "a\r\nb").tolist(), map_between_line_ends("a", "b")
    ([0, 1, 3, 4], None)
    """
    if shorten_line_ends(text) != shorten_line_ends(other_text):
        return None
    is_kept, is_kept_in_other = (
        ~_find_second_of_pairs(_list_code_points(version)) for version in (text, other_text)
    )
    kept_index = np.cumsum(np.append(0, is_kept))
    return np.append(np.flatnonzero(is_kept_in_other), len(other_text))[kept_index]
