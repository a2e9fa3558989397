"""Notes for a terminal, grouped by their kind: notes that differ only in names and numbers."""

from __future__ import annotations

import re
from collections.abc import Iterable

_NOTE = re.compile(r"(.+?): (\d+) (.+)", re.DOTALL)  # name, number, and the rest


def select_note_of_each_kind(notes: Iterable[str], where_all: str = "") -> list[str]:
    """Select the note of each kind with the highest number, and add two more names to it.

    Notes of one kind differ only in their numbers and in the name that they begin with.
    ``where_all`` is a clause on where all notes are listed.

    >>> notes = ["a: 2 odd tags", "b: 9 odd tags", "c: 1 odd tag", "no text", "d: 1 odd tag"]
    >>> select_note_of_each_kind(notes, "!")
    ['b: 9 odd tags; also a (2), c (1) and 1 more; !', 'no text']
    """
    notes_by_kind: dict[str, list[tuple[int, str, str]]] = {}
    for note in dict.fromkeys(notes):
        match = _NOTE.fullmatch(note)
        name, count, pattern = match.groups() if match else ("", "0", note)
        if match:  # one of the first two words may be a noun in the plural
            pattern = re.sub(r"\d+", "#", pattern)
            pattern = re.sub(r"^(\S+?)s?( \S+?)s?(?= |$)", r"\1\2", pattern)
        notes_by_kind.setdefault(pattern, []).append((int(count), name, note))
    lines = []
    for group in notes_by_kind.values():
        (_, _, first_note), *rest_of_group = sorted(group, key=lambda entry: -entry[0])
        names = ", ".join(f"{name} ({count})" for count, name, _ in rest_of_group[:2])
        suffix = (
            f" and {len(rest_of_group) - 2} more; {where_all}" if len(rest_of_group) > 2 else ""
        )
        lines.append(f"{first_note}; also {names}{suffix}" if rest_of_group else first_note)
    return lines
