"""Borders between levels of difficulty."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypedDict

import numpy as np

from spanagree.arrays import Floats, Ints
from spanagree.errors import SettingError, check_whole, counted, show
from spanagree.levels.difficulty import NOTHING, TIE, Difficulty
from spanagree.results.score import UNDEFINED
from spanagree.settings import Settings


@dataclass(frozen=True, kw_only=True, eq=False)
class LevelSettings(Settings):
    """How documents were put into levels: in one of four ways, and the borders that came of it."""

    levels: int | None = None
    at: Sequence[float] | None = None
    chance_at: Sequence[float] | None = None
    quantiles: Sequence[float] | None = None
    borders: Sequence[float]


class Way(TypedDict, total=False):
    """One of the four ways to put documents into levels; see :func:`levels_of`."""

    levels: int | None
    at: Sequence[float] | None
    chance_at: Sequence[float] | None
    quantiles: Sequence[float] | None


class Level(NamedTuple):
    """Documents of a difficulty from ``low`` to ``high``.

    A document at a border is in the harder level, but in the easier one where borders are of the
    chance level. The documents without a difficulty have ``nan`` for both.
    """

    name: str
    low: float
    high: float
    documents: Ints


@dataclass(frozen=True)
class Levels:
    """Documents in levels of difficulty, the easiest first; and those without one.

    Attributes:
        levels: with their borders and the numbers of their documents.
        undefined: the documents without a difficulty.
        borders: what was asked for, and the borders that came of it.
        notes: where it could not be had as asked.
    """

    levels: tuple[Level, ...]
    undefined: Level
    borders: Mapping[str, Any]
    notes: tuple[str, ...]

    @property
    def all(self) -> tuple[Level, ...]:
        """The levels, and the documents without a difficulty if there are any."""
        return (*self.levels, self.undefined) if len(self.undefined.documents) else self.levels


def levels_of(
    difficulty: Difficulty,
    *,
    levels: int | None = None,
    at: Sequence[float] | None = None,
    chance_at: Sequence[float] | None = None,
    quantiles: Sequence[float] | None = None,
) -> Levels:
    """Return the documents in levels of difficulty, in one of four ways; ties are never parted.

    Args:
        difficulty: of each document.
        levels: this many levels of nearly equal size, 2 unless asked otherwise; each border is as
            near to its share of the documents as ties, and the border before it, allow.
        at: thresholds of difficulty: a document at a threshold is in the harder level.
        chance_at: thresholds of the chance level, 1 − difficulty: one at a threshold is in the
            easier level. (The 0.175 of Li et al. 2024 is such a level.)
        quantiles: shares of the documents below each border, with the same proviso.

    Raises:
        SettingError: for more than one way, or thresholds outside 0–1, unsorted or repeated.
    """
    ways = {"levels": levels, "at": at, "chance_at": chance_at, "quantiles": quantiles}
    given = {way: value for way, value in ways.items() if value is not None} or {"levels": 2}
    if len(given) > 1:
        raise SettingError(
            f"{' and '.join(given)}; documents are split in one way: give one of them"
        )
    ((way, value),) = given.items()
    documents = np.flatnonzero(difficulty.defined)
    documents = documents[np.argsort(difficulty.values[documents], kind="stable")]
    ordered = difficulty.values[documents]
    asked, borders, cuts, notes = _borders(ordered, way, value)
    lowest = min([0.0, *ordered[:1].tolist()])  # overlapping may go below 0
    ends = itertools.pairwise([lowest, *borders, 1.0])
    parts = np.split(documents, cuts)
    made = tuple(
        Level(f"level-{i}", low, high, np.sort(part))
        for i, ((low, high), part) in enumerate(zip(ends, parts, strict=True), 1)
    )
    notes += [
        f"no document has a difficulty from {level.low:.4g} to {level.high:.4g} ({level.name})"
        for level in made
        if not len(level.documents) and len(ordered)
    ]
    undefined = Level("undefined", UNDEFINED, UNDEFINED, np.flatnonzero(~difficulty.defined))
    return Levels(made, undefined, {way: asked, "borders": borders}, tuple(notes))


def _borders(
    ordered: Floats, way: str, value: Any
) -> tuple[Any, list[float], list[int], list[str]]:
    """Return what was asked for, the borders, how many documents lie below each, and notes."""
    if way == "levels":
        check_whole(value, 1, "levels")
        most = min(value, len(ordered) + 1)  # of more than there are documents none is had
        asked, shares = value, [i / most for i in range(1, most)]
    else:
        asked = shares = _thresholds(value, way)
    if way == "at":  # a document at the threshold is hard
        return asked, asked, np.searchsorted(ordered, np.array(asked) - TIE).tolist(), []
    if way == "chance_at":  # one at the chance level is easy
        borders = [1 - chance for chance in reversed(asked)]
        cuts = np.searchsorted(ordered, np.array(borders) + TIE, side="right").tolist()
        return asked, borders, cuts, []
    cuts, notes = _cuts(ordered, shares), []
    if not len(ordered):
        notes.append(f"{NOTHING}, so there is one level, without documents")
    elif len(cuts) < len(shares):
        distinct = 1 + int((np.diff(ordered) > TIE).sum())
        notes.append(
            f"{counted(len(cuts) + 1, 'level')}, not"
            f" {asked if way == 'levels' else len(shares) + 1}: there"
            f" {'is' if distinct == 1 else 'are'} {counted(distinct, 'different difficulty')},"
            " and equal ones are not parted"
        )
    return asked, ordered[cuts].tolist(), cuts, notes


def _thresholds(values: Any, name: str) -> list[float]:
    listed = isinstance(values, Iterable) and not isinstance(values, (str, bytes))
    asked = [v.item() if isinstance(v, np.generic) else v for v in values] if listed else []
    numbers = all(isinstance(v, (int, float, np.number)) and 0 <= v <= 1 for v in asked)
    rising = numbers and all(a < b for a, b in itertools.pairwise(asked))
    between = name == "quantiles"  # below 0 % of the documents lies no level
    if not asked or not rising or (between and (asked[0] == 0 or asked[-1] == 1)):
        shown = show(asked if listed else values)
        ends = "above 0 and below 1" if between else "from 0 to 1"
        raise SettingError(f"{name} {shown}; a list of rising numbers {ends} is needed")
    return [float(value) for value in asked]


def _cuts(ordered: Floats, shares: Sequence[float]) -> list[int]:
    """Return how many documents lie below each border.

    One after the other: each as near to its share as ties and the border before it allow, which
    need not be the best for all together.

    >>> sizes = [3, 7, 9, 1]  # 3/7/10 would be nearer on the whole
    >>> _cuts(np.repeat([0.1, 0.2, 0.3, 0.4], sizes), [1 / 3, 2 / 3])
    [10, 19]
    """
    free = np.flatnonzero(np.diff(ordered) > TIE) + 1  # where a border may be
    cuts: list[int] = []
    first = 0  # among the free places
    for i, share in enumerate(shares):
        last = len(free) - (len(shares) - 1 - i)  # borders still to come need a place each
        allowed = free[first : max(last, first + 1)]
        if not len(allowed):
            break
        at = int(np.searchsorted(allowed, share * len(ordered)))
        near = allowed[max(at - 1, 0) : at + 1]
        cuts.append(int(min(near.tolist(), key=lambda cut: (abs(cut - share * len(ordered)), cut))))
        first = int(np.searchsorted(free, cuts[-1])) + 1
    return cuts
