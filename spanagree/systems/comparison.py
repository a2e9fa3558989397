"""Pairs of systems with their differences, by raw and by corrected F1."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

from spanagree.results.numbers import RANK_DIGITS, format_decimal
from spanagree.results.result import MappingResult, NanEqualMixin, Result
from spanagree.results.score import Score
from spanagree.results.verdict import LEVEL
from spanagree.settings import parse_confidence
from spanagree.systems.count import EvaluationSettings
from spanagree.systems.runs import RunsSettings


class Difference(NamedTuple):
    """The difference of two systems in one figure, the first minus the second.

    ``low`` and ``high`` are its interval, from the jackknife only; intervals of several pairs are
    simultaneous. ``p`` is two-sided; ``p_adjusted`` is corrected for all pairs of systems: p ×
    pairs for the jackknife, Holm's p for the other tests. ``reason`` explains an undefined value.
    """

    value: float
    low: float
    high: float
    p: float
    p_adjusted: float
    reason: str = ""

    def exchange_systems(self) -> Difference:
        """Compute the difference with the two systems exchanged."""
        return self._replace(value=-self.value, low=-self.high, high=-self.low)


@dataclass(frozen=True, eq=False)
class SystemPair(NanEqualMixin):
    """Two systems on the documents that both and gold saw.

    ``differing`` is the number of documents in which their tallies differ. ``exact`` is true if all
    exchanges were counted rather than drawn or, for the jackknife, if the interval is exact because
    at most one document differs. ``left_out`` is the number of documents that gold and only one of
    the two systems saw.
    """

    a: str
    b: str
    documents: int
    differing: int
    observed: Difference
    corrected: Difference
    exact: bool = False
    left_out: int = 0


@dataclass(frozen=True, kw_only=True, eq=False)
class ComparisonSettings(EvaluationSettings):
    """Settings of a test of systems against each other."""

    test: str

    @property
    def is_drawn(self) -> bool:
        """Whether p is computed from draws, without intervals."""
        return self.test != "jackknife"


@dataclass(frozen=True, kw_only=True, eq=False)
class RunsComparisonSettings(ComparisonSettings, RunsSettings):
    """Settings of a test of systems with runs."""


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Result, MappingResult):
    """Result of :func:`spanagree.compare_systems`: all pairs, in the order of the evaluation.

    >>> import spanagree as sa
    >>> layers = {"gold": [[(0, 1, "X")]] * 9, "a": [[(0, 1, "X")]] * 9, "b": [[(2, 3, "X")]] * 9}
    >>> evaluation = sa.evaluate(sa.Corpus.from_segments([9] * 9, layers))
    >>> [pair] = sa.compare_systems(evaluation, test="permutation").pairs
    >>> pair.a, pair.b, pair.observed.value, pair.observed.p < 0.05
    ('a', 'b', 1.0, True)
    """

    OF_LAYERS: ClassVar[bool] = True
    TABLES: ClassVar[Mapping[str, str | None]] = {"pairs": None}
    SHOWN_BY: ClassVar[str] = f"{__package__}.comparison_table"
    pairs: tuple[SystemPair, ...]
    settings: ComparisonSettings
    notes: tuple[str, ...] = ()
    scores: Mapping[str, Score] = field(default_factory=dict, repr=False, compare=False)
    unmarked: tuple[str, ...] = field(default=(), repr=False, compare=False)
    not_in_text: str = field(default="", repr=False, compare=False)

    @property
    def level(self) -> float:
        """Adjusted p below which a difference is significant: 1 − confidence of the intervals.

        An interval excludes 0 if and only if p is below this level.
        """
        confidence = parse_confidence(self.settings)
        return LEVEL if confidence is None else round(1 - confidence / 100, 12)

    @property
    def _keys(self) -> Sequence[Any]:
        return [(pair.a, pair.b) for pair in self.pairs]

    def __getitem__(self, names: tuple[str, str]) -> SystemPair:
        """Return the pair of two systems in the requested order, which decides the signs.

        Raises:
            KeyError: if there is no such pair.
        """
        for pair in self.pairs:
            if (pair.a, pair.b) == names:
                return pair
            if (pair.b, pair.a) == names:
                observed, corrected = (
                    difference.exchange_systems() for difference in (pair.observed, pair.corrected)
                )
                return replace(pair, a=pair.b, b=pair.a, observed=observed, corrected=corrected)
        raise KeyError(names)

    @property
    def reordered(self) -> list[tuple[SystemPair, bool]]:
        """Pairs in which another system leads by corrected F1 than by raw F1.

        The second item of an entry is True if the change is significant: both differences are.
        """
        reordered = []
        for pair in self.pairs:
            differences = pair.observed, pair.corrected
            raw_sign, corrected_sign = (_find_sign(difference.value) for difference in differences)
            if raw_sign * corrected_sign < 0:
                is_certain = all(difference.p_adjusted < self.level for difference in differences)
                reordered.append((pair, is_certain))
        return reordered


def _find_sign(difference: float) -> int:
    """Return the sign of a difference; 0 if it is undefined or 0 to four decimals."""
    rounded = 0.0 if math.isnan(difference) else float(format_decimal(difference, RANK_DIGITS))
    return (rounded > 0) - (rounded < 0)
