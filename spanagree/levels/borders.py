"""Borders between levels of difficulty.

A level is a range of difficulties, with its documents. A border is the difficulty between two
neighbouring levels. A way is one of the four arguments that define borders, see
:func:`sort_into_levels`. Ties are documents with equal difficulties, which are in one level.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypedDict

import numpy as np

from spanagree.arrays import Floats, Ints
from spanagree.errors import SettingError, check_integer, pluralize, quote_value
from spanagree.levels.difficulty import NOTHING, TIE, Difficulty
from spanagree.results.score import UNDEFINED
from spanagree.settings import Settings


@dataclass(frozen=True, kw_only=True, eq=False)
class LevelSettings(Settings):
    """Settings of levels: one of the four ways to define them, and the resulting borders."""

    levels: int | None = None
    at: Sequence[float] | None = None
    chance_at: Sequence[float] | None = None
    quantiles: Sequence[float] | None = None
    borders: Sequence[float]


class BorderOptions(TypedDict, total=False):
    """One of the four ways to put documents into levels; see :func:`sort_into_levels`."""

    levels: int | None
    at: Sequence[float] | None
    chance_at: Sequence[float] | None
    quantiles: Sequence[float] | None


class Level(NamedTuple):
    """Documents of a difficulty from ``low`` to ``high``.

    A document at a border is in the harder level. If borders are chance levels, it is in the easier
    level. For documents without a difficulty, ``low`` and ``high`` are ``nan``.
    """

    name: str
    low: float
    high: float
    documents: Ints


@dataclass(frozen=True)
class Levels:
    """Documents by level of difficulty, from the easiest level, and documents without difficulty.

    Attributes:
        levels: levels with their borders and the indices of their documents.
        undefined: documents without a difficulty.
        borders: requested way with its value, and the resulting borders.
        notes: deviations from the requested levels.
    """

    levels: tuple[Level, ...]
    undefined: Level
    borders: Mapping[str, Any]
    notes: tuple[str, ...]

    @property
    def all(self) -> tuple[Level, ...]:
        """The levels, and the documents without a difficulty if there are any."""
        return (*self.levels, self.undefined) if len(self.undefined.documents) else self.levels


def sort_into_levels(
    difficulty: Difficulty,
    *,
    levels: int | None = None,
    at: Sequence[float] | None = None,
    chance_at: Sequence[float] | None = None,
    quantiles: Sequence[float] | None = None,
) -> Levels:
    """Sort documents into levels of difficulty, in one of four ways; ties share a level.

    Args:
        difficulty: difficulty of each document.
        levels: number of levels of nearly equal size. Default: 2. Each border is as near to its
            share of the documents as ties and the previous border allow.
        at: thresholds of difficulty. A document at a threshold is in the harder level.
        chance_at: thresholds of the chance level, 1 − difficulty. A document at a threshold is in
            the easier level. Li et al. (2024) use 0.175.
        quantiles: shares of the documents below each border, as near as ties and the previous
            border allow.

    Raises:
        SettingError: if more than one way is passed, or thresholds are outside 0–1, unsorted or
            repeated.
    """
    ways = {"levels": levels, "at": at, "chance_at": chance_at, "quantiles": quantiles}
    given_ways = {way: value for way, value in ways.items() if value is not None} or {"levels": 2}
    if len(given_ways) > 1:
        raise SettingError(
            f"{' and '.join(given_ways)}; documents are split in one way: give one of them"
        )
    ((way, value),) = given_ways.items()
    document_indices = np.flatnonzero(difficulty.defined)
    document_indices = document_indices[
        np.argsort(difficulty.values[document_indices], kind="stable")
    ]
    sorted_values = difficulty.values[document_indices]
    setting, borders, n_below, notes = _compute_borders(sorted_values, way, value)
    # with overlapping segments a difficulty may be below 0
    lowest_border = min([0.0, *sorted_values[:1].tolist()])
    level_ranges = itertools.pairwise([lowest_border, *borders, 1.0])
    documents_by_level = np.split(document_indices, n_below)
    levels_from_easiest = tuple(
        Level(f"level-{i}", low, high, np.sort(level_documents))
        for i, ((low, high), level_documents) in enumerate(
            zip(level_ranges, documents_by_level, strict=True), 1
        )
    )
    notes += [
        f"no document has a difficulty from {level.low:.4g} to {level.high:.4g} ({level.name})"
        for level in levels_from_easiest
        if not len(level.documents) and len(sorted_values)
    ]
    undefined = Level("undefined", UNDEFINED, UNDEFINED, np.flatnonzero(~difficulty.defined))
    return Levels(levels_from_easiest, undefined, {way: setting, "borders": borders}, tuple(notes))


def _compute_borders(
    sorted_values: Floats, way: str, value: Any
) -> tuple[Any, list[float], list[int], list[str]]:
    """Compute the borders between levels.

    Args:
        sorted_values: difficulties in ascending order.
        way: name of the way to define levels.
        value: value of that way.

    Returns:
        The checked value, the borders, the number of documents below each border, and notes.
    """
    if way == "levels":
        check_integer(value, 1, "levels")
        n_levels = min(value, len(sorted_values) + 1)  # no empty level of equal size
        setting, shares = value, [i / n_levels for i in range(1, n_levels)]
    else:
        setting = shares = _check_thresholds(value, way)
    if way == "at":  # a document at the threshold is in the harder level
        n_below = np.searchsorted(sorted_values, np.array(setting) - TIE).tolist()
        return setting, setting, n_below, []
    if way == "chance_at":  # a document at the threshold is in the easier level
        borders = [1 - chance for chance in reversed(setting)]
        n_below = np.searchsorted(sorted_values, np.array(borders) + TIE, side="right").tolist()
        return setting, borders, n_below, []
    n_below, notes = _count_below(sorted_values, shares), []
    if not len(sorted_values):
        notes.append(f"{NOTHING}, so there is one level, without documents")
    elif len(n_below) < len(shares):
        n_distinct = 1 + int((np.diff(sorted_values) > TIE).sum())
        notes.append(
            f"{pluralize(len(n_below) + 1, 'level')}, not"
            f" {setting if way == 'levels' else len(shares) + 1}: there"
            f" {'is' if n_distinct == 1 else 'are'}"
            f" {pluralize(n_distinct, 'different difficulty')}, and equal ones are not parted"
        )
    return setting, sorted_values[n_below].tolist(), n_below, notes


def _check_thresholds(values: Any, name: str) -> list[float]:
    """Convert thresholds to floats.

    Args:
        values: thresholds, such as numbers of NumPy.
        name: name of the argument; quantiles exclude 0 and 1.

    Raises:
        SettingError: if they are not an ascending list of numbers from 0 to 1.
    """
    given, thresholds = values, []
    if isinstance(values, Iterable) and not isinstance(values, (str, bytes)):
        given = thresholds = [
            threshold.item() if isinstance(threshold, np.generic) else threshold
            for threshold in values
        ]
    excludes_ends = name == "quantiles"  # no level is below 0 % of the documents
    are_shares = all(
        isinstance(threshold, (int, float, np.number))
        and (0 < threshold < 1 if excludes_ends else 0 <= threshold <= 1)
        for threshold in thresholds
    )
    are_ascending = are_shares and all(a < b for a, b in itertools.pairwise(thresholds))
    if not thresholds or not are_ascending:
        allowed_range = "above 0 and below 1" if excludes_ends else "from 0 to 1"
        raise SettingError(
            f"{name} {quote_value(given)}; a list of rising numbers {allowed_range} is needed"
        )
    return [float(value) for value in thresholds]


def _count_below(sorted_values: Floats, shares: Sequence[float]) -> list[int]:
    """Choose borders of difficulty, and count the documents below each border.

    Each border is chosen so that the share of documents below it is as close as possible to the
    wanted share. Documents of equal difficulty stay on one side. Borders are chosen one by one,
    from the lowest, so the sum of all deviations is not always the smallest.

    Args:
        sorted_values: difficulties in ascending order.
        shares: wanted share of the documents below each border.

    >>> sizes = [3, 7, 9, 1]  # 3/7/10 would be nearer in total
    >>> _count_below(np.repeat([0.1, 0.2, 0.3, 0.4], sizes), [1 / 3, 2 / 3])
    [10, 19]
    """
    allowed_counts = np.flatnonzero(np.diff(sorted_values) > TIE) + 1  # no border between ties
    n_below: list[int] = []
    first_index = 0
    for i, share in enumerate(shares):
        n_later = len(shares) - 1 - i  # borders that need a count each
        stop_index = max(len(allowed_counts) - n_later, first_index + 1)
        candidates = allowed_counts[first_index:stop_index]
        if not len(candidates):
            break
        # of two that are equally near, the lower
        nearest_index = int(np.abs(candidates - share * len(sorted_values)).argmin())
        n_below.append(int(candidates[nearest_index]))
        first_index += nearest_index + 1
    return n_below
