"""Notes as a terminal shows them: those of one kind together."""

from __future__ import annotations

import re
from collections.abc import Iterable

_NOTE = re.compile(r"(.+?): (\d+) (.+)", re.DOTALL)  # name, number and what there is so often


def gathered(notes: Iterable[str], where_all: str = "") -> list[str]:
    """Return one note for each kind: the worst by its number, and the names of two more.

    Notes of one kind are the same but for the name they begin with and their numbers;
    ``where_all`` says where there are all of them.

    >>> gathered(["a: 2 odd tags", "b: 9 odd tags", "c: 1 odd tag", "no text", "d: 1 odd tag"], "!")
    ['b: 9 odd tags; also a (2), c (1) and 1 more; !', 'no text']
    """
    kinds: dict[str, list[tuple[int, str, str]]] = {}
    for note in dict.fromkeys(notes):
        match = _NOTE.fullmatch(note)
        name, number, kind = match.groups() if match else ("", "0", note)
        if match:  # one noun among the first two words may stand in the plural
            kind = re.sub(r"\d+", "#", kind)
            kind = re.sub(r"^(\S+?)s?( \S+?)s?(?= |$)", r"\1\2", kind)
        kinds.setdefault(kind, []).append((int(number), name, note))
    lines = []
    for alike in kinds.values():
        (_, _, worst), *others = sorted(alike, key=lambda entry: -entry[0])
        named = ", ".join(f"{name} ({number})" for number, name, _ in others[:2])
        more = f" and {len(others) - 2} more; {where_all}" if len(others) > 2 else ""
        lines.append(f"{worst}; also {named}{more}" if others else worst)
    return lines
