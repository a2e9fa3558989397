"""Texts in the normal form NFC, with offsets in the original text."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple
from unicodedata import combining, is_normalized, normalize

_FIRST_MARK = chr(0x300)  # earlier characters never compose with the one before


class ComposedText(NamedTuple):
    """A text in NFC, with offsets in the original text.

    Attributes:
        text: text in NFC.
        starts: offset of the start of each character in the original text.
        ends: offset of the end of each character in the original text.
        inside: offsets inside a character that NFC changes.
    """

    text: str
    starts: list[int]
    ends: list[int]
    inside: frozenset[int]


def find_character_starts(text: str) -> list[int]:
    r"""Find the starts of characters: a base with its marks, or a syllable of letters.

    Normal forms change each character separately.

    >>> find_character_starts("e\u0301a"), find_character_starts("\u1100\u1161\u11a8.")
    ([0, 2], [0, 3])
    """
    starts: list[int] = []
    for offset, character in enumerate(text):
        if (
            offset
            and character >= _FIRST_MARK
            and (combining(character) or _composes_with(text[starts[-1] : offset], character))
        ):
            continue
        starts.append(offset)
    return starts


def _composes_with(previous: str, character: str) -> bool:
    """Check if a character that is not a mark composes with the character before it."""
    return normalize("NFC", previous + character) != normalize("NFC", previous) + normalize(
        "NFC", character
    )


@lru_cache(maxsize=4)
def compose_text(text: str) -> ComposedText | None:
    r"""Compose a text in NFC; ``None`` if it is in NFC already.

    >>> compose_text("Cafe\u0301s")
    ComposedText(text='Cafés', starts=[0, 1, 2, 3, 5], ends=[1, 2, 3, 5, 6], inside=frozenset({4}))
    """
    if is_normalized("NFC", text):
        return None
    composed_parts: list[str] = []
    starts: list[int] = []
    ends: list[int] = []
    inside: set[int] = set()
    character_offsets = find_character_starts(text)
    for start, end in zip(character_offsets, [*character_offsets[1:], len(text)], strict=True):
        original = text[start:end]
        composed_parts.append(normalize("NFC", original))
        if composed_parts[-1] == original:
            starts += range(start, end)
            ends += range(start + 1, end + 1)
        else:  # composed characters correspond to the original one as a whole
            starts += [start] * len(composed_parts[-1])
            ends += [end] * len(composed_parts[-1])
            inside.update(range(start + 1, end))
    return ComposedText("".join(composed_parts), starts, ends, frozenset(inside))
