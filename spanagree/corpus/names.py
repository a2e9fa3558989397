"""Names that look equal to people, but differ for programs."""

from __future__ import annotations

from collections.abc import Iterable
from unicodedata import normalize


def group_similar_names(names: Iterable[str], *, case: bool = True) -> list[list[str]]:
    """Group names that differ only in outer space or Unicode normalization.

    With ``case`` False, case is ignored too.

    >>> group_similar_names(["ann", "bob", " ann", "ann"])
    [['ann', ' ann']]
    """
    distinct_names = list(dict.fromkeys(names))
    if (
        case
        and "".join(distinct_names).isascii()
        and list(map(str.strip, distinct_names)) == distinct_names
    ):
        return []
    groups: dict[str, list[str]] = {}
    for name in distinct_names:
        normalized = normalize("NFC", name).strip()
        groups.setdefault(normalized if case else normalized.casefold(), []).append(name)
    return [group for group in groups.values() if len(group) > 1]
