"""Texts in the normal form NFC, and the offsets of their characters in the text as it is."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple
from unicodedata import combining, is_normalized, normalize

_FIRST_MARK = chr(0x300)  # no sign before it changes with the sign that it follows


class ComposedText(NamedTuple):
    """A text in NFC, with the offsets in the text that it was composed of.

    Attributes:
        text: text in NFC.
        starts: offset at which each of its characters starts.
        ends: offset at which each of its characters ends.
        inside: offsets inside a character that NFC changes.
    """

    text: str
    starts: list[int]
    ends: list[int]
    inside: frozenset[int]


def character_starts(text: str) -> list[int]:
    r"""Find the offsets at which characters start: a base with its marks, a syllable of letters.

    Normal forms change each character by itself.

    >>> character_starts("e\u0301a"), character_starts("\u1100\u1161\u11a8.")
    ([0, 2], [0, 3])
    """
    starts: list[int] = []
    for at, sign in enumerate(text):
        if at and sign >= _FIRST_MARK and (combining(sign) or _joins(text[starts[-1] : at], sign)):
            continue
        starts.append(at)
    return starts


def _joins(before: str, sign: str) -> bool:
    """Return whether a sign that is no mark composes with the character before it."""
    return normalize("NFC", before + sign) != normalize("NFC", before) + normalize("NFC", sign)


@lru_cache(maxsize=4)
def composed(text: str) -> ComposedText | None:
    r"""Compose a text; ``None`` if it is in NFC.

    >>> composed("Cafe\u0301s")
    ComposedText(text='Cafés', starts=[0, 1, 2, 3, 5], ends=[1, 2, 3, 5, 6], inside=frozenset({4}))
    """
    if is_normalized("NFC", text):
        return None
    parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    inside: set[int] = set()
    begins = character_starts(text)
    for start, end in zip(begins, [*begins[1:], len(text)], strict=True):
        part = text[start:end]
        parts.append(normalize("NFC", part))
        if parts[-1] == part:
            starts += range(start, end)
            ends += range(start + 1, end + 1)
        else:  # its pieces are no characters of the text, so each stands for the whole
            starts += [start] * len(parts[-1])
            ends += [end] * len(parts[-1])
            inside.update(range(start + 1, end))
    return ComposedText("".join(parts), starts, ends, frozenset(inside))
