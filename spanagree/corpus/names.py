"""Names that people take for the same, and programs do not."""

from __future__ import annotations

from collections.abc import Iterable
from unicodedata import normalize


def alike(names: Iterable[str], *, case: bool = True) -> list[list[str]]:
    """Return in groups the names that differ in outer space or in the form of Unicode alone.

    With ``case`` False, small and capital letters are the same too.

    >>> alike(["ann", "bob", " ann", "ann"])
    [['ann', ' ann']]
    """
    different = list(dict.fromkeys(names))
    if case and "".join(different).isascii() and list(map(str.strip, different)) == different:
        return []
    groups: dict[str, list[str]] = {}
    for name in different:
        same = normalize("NFC", name).strip()
        groups.setdefault(same if case else same.casefold(), []).append(name)
    return [group for group in groups.values() if len(group) > 1]
