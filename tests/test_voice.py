"""How each room reads: names that say what they hold, and entries that begin with a noun."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from voice import measure, noun_first

import spanagree

SOURCE = Path(spanagree.__file__).parent
MOST_VAGUE, LEAST_NOUN_FIRST = 8, 95
"""Largest percentage of vague names, and smallest of noun-first entries, in each room.

They only get stricter. The files beside the rooms are a room too, "modules".
"""


def room_of(path: Path) -> str:
    """Name the room of a file of the package."""
    first, *rest = path.relative_to(SOURCE).parts
    return first if rest else "modules"


FILES = {
    room: [path for path in sorted(SOURCE.rglob("*.py")) if room_of(path) == room]
    for room in sorted({room_of(path) for path in SOURCE.rglob("*.py")})
}


@pytest.mark.parametrize("room", FILES)
def test_names_and_entries(room):
    """Few names of a room are vague, and most entries begin with a noun."""
    shares = measure(ast.parse(path.read_text("utf-8")) for path in FILES[room])
    assert shares.vague < MOST_VAGUE / 100
    assert shares.noun_first > LEAST_NOUN_FIRST / 100


def test_measure():
    """Both shares are as counted by hand in a small module."""
    tree = ast.parse('''
"""A module.

Attributes:
    of each: this line is no entry, as its name is followed by no noun
"""

def draw(n_draws, some, *, a, **which):
    """Draw labels.

    Args:
        n_draws: number of draws
            location: a deeper line is no entry
        some, which: how many labels
        *a: labels

    Returns:
        of which: not an entry of arguments
    """
    (labels, given), x = n_draws, 1
    for part in labels:
        labels = [number for number in part]
    return labels
''')
    # n_draws, some, which, labels, given, part, labels, number; five of these eight are vague
    # entries: "this line …", "number …", "how many …", "labels"; two of these four are nouns
    assert measure([tree]) == (5 / 8, 2 / 4)
    assert measure([ast.parse("x = 1")]) == (0, 0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("number of draws", True), ("`None` for all documents", True), ("True if sorted", True),
        ("the segments", True), ("of each draw, its seed", False), ("how many", False),
        ("the same for labels", False), ("the other layer", False), ("those of `a`", False),
        ("if True, sort", False),
    ],
)  # fmt: skip
def test_noun_first(text, expected):
    """Prepositions, question words and pronouns begin no noun phrase."""
    assert noun_first(text) is expected
