"""Scores: observed, expected by chance, and corrected, with the only copy of each formula.

A score such as F1 has three figures: the observed value, the value expected by chance alone, and
the value corrected for chance, (observed − expected) / (1 − expected). Each is a ratio of sums over
documents, see :class:`Ratio`. Its numerator is a multiple of the match, the summed similarity of
two annotations; its denominator weights their sizes, such as their numbers of segments.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any, NamedTuple, TypeAlias, TypeVar, overload

import numpy as np

from spanagree.arrays import Floats
from spanagree.errors import SettingError, quote_value

CERTAIN = 1e-10
"""Tolerance for an expected score of 1: sums of floats may be 1 − 1e-16."""
UNDEFINED = math.nan
RARE = 10
"""Number of disagreeing, or of agreeing, documents below which figures are unreliable."""

Dot: TypeAlias = tuple[float, float, float]
"""A figure with the low and the high end of its interval, ``nan`` without an interval."""

Number = TypeVar("Number", float, Floats)


class ScoreValues(NamedTuple):
    """A number for each of the three figures of a score."""

    observed: float
    expected: float
    corrected: float


# --- the formulas -------------------------------------------------------------------------------


def _correct_for_chance(observed: Number, expected: Number) -> Number:
    """Divide the excess over the expected score by its maximum."""
    return (observed - expected) / (1 - expected)


class Sums(NamedTuple):
    """Sums that figures follow from: scalars, or arrays of one shape.

    Attributes:
        matched: observed similarity.
        expected: expected similarity of two random annotations.
        size_first, size_second: sizes of both annotations.
        expected_size_first, expected_size_second: expected sizes of random annotations. Default:
            the sizes.
    """

    matched: Any
    expected: Any
    size_first: Any
    size_second: Any
    expected_size_first: Any = None
    expected_size_second: Any = None


def compute_score_figures(
    matched: Floats, expected: Floats, size: Floats, expected_size: Floats
) -> Floats:
    """Compute the observed, expected and corrected figures of ratios.

    All arguments have one shape, (…). The result has the shape (…, 3), with ``nan`` for undefined
    figures.

    Args:
        matched, expected: numerators: observed similarity, and similarity expected by chance.
        size, expected_size: denominators of the observed and of the expected figure.
    """
    # sums of floats in another order may differ from 0 or 1 by a few units in the last place
    random_size = np.where(size > 0.5, expected_size, np.nan)
    size = np.where(size > 0.5, size, np.nan)
    figures = np.moveaxis(np.empty((3, *np.shape(size))), 0, -1)  # each contiguous
    observed_figure, expected_figure = figures[..., 0], figures[..., 1]
    np.divide(matched, size, out=observed_figure)
    np.divide(expected, random_size, out=expected_figure)
    figures[..., 2] = correct_figures(observed_figure, expected_figure)
    return figures


def correct_figures(observed: Floats, expected: Floats) -> Floats:
    """Compute (observed − expected) / (1 − expected); ``nan`` if the expected figure is 1."""
    value = np.where(expected < 1 - CERTAIN, _correct_for_chance(observed, expected), np.nan)
    return np.asarray(value, np.float64)


def compute_f1_figures(sums: Floats) -> Floats:
    """Compute observed, expected and corrected F1 from sums; the result has the shape (…, 3).

    Args:
        sums: array (…, 3) with observed similarity, expected similarity, and the size of both
            annotations together. If sizes are random, a fourth column has their expected value.
    """
    matched, expected, size = sums[..., 0], sums[..., 1], sums[..., 2]
    return compute_score_figures(2 * matched, 2 * expected, size, sums[..., -1])


def compute_f1_differences(first: Floats, second: Floats) -> Floats:
    """Compute F1 and corrected F1 of the first sums less those of the second; (…, 2).

    Args:
        first, second: sums of systems, as for :func:`compute_f1_figures`.
    """
    return (compute_f1_figures(first) - compute_f1_figures(second))[..., ::2]


def compute_all_figures(columns: Floats, beta: float | None = None) -> Floats:
    """Compute precision, recall, F1 and perhaps F-beta, each observed, expected and corrected.

    Args:
        columns: fields of :class:`Sums` in the last axis: (…, 4), or (…, 6) with expected sizes.
        beta: β of F-beta. Default: without F-beta.

    Returns:
        The figures, (…, 9) or (…, 12), in the order of :func:`list_figures`.
    """
    sums = Sums(*np.moveaxis(columns, -1, 0))
    figures = [
        compute_score_figures(*ratio.compute_parts(sums)) for ratio in list_figures(beta).values()
    ]
    return np.concatenate(figures, axis=-1)


# --- scores -------------------------------------------------------------------------------------


def convert_figures(figures: Any) -> dict[str, Any]:
    """Convert a named tuple of figures to a mapping for JSON, with ``None`` for ``nan``.

    An empty ``reason`` or ``kind`` is left out.
    """
    from spanagree.results.data import to_plain_data  # rarely needed

    data: dict[str, Any] = to_plain_data(figures._asdict())
    return {key: value for key, value in data.items() if key not in ("reason", "kind") or value}


class Interval(NamedTuple):
    """The low and the high end of the three figures of a score; ``nan`` if undefined.

    ``reason`` explains an undefined or unusual interval; ``kind`` is jackknife-t or exact.
    ``over_annotators`` is a second interval, over other annotators too, if it was requested.

    >>> import spanagree as sa
    >>> layers = {"gold": [[(0, 1, "X")]] * 9, "mine": [[(0, 1, "X")]] * 8 + [[]]}
    >>> result = sa.evaluate(sa.Corpus.from_segments([9] * 9, layers), ci=True)
    >>> low, high = result.systems["mine"].f1.interval.observed
    >>> bool(low < result.systems["mine"].f1.observed < high)
    True
    """

    observed: tuple[float, float]
    expected: tuple[float, float]
    corrected: tuple[float, float]
    reason: str = ""
    kind: str = ""
    over_annotators: Interval | None = None

    def to_dict(self) -> dict[str, Any]:
        """Convert the interval to plain data for JSON: undefined is ``None``, with the reason."""
        data = convert_figures(self)
        second_interval = data.pop("over_annotators", None) and self.over_annotators
        return (
            data
            if second_interval is None
            else {**data, "over_annotators": second_interval.to_dict()}
        )


def get_ends(interval: Any, score_key: str) -> tuple[float, float]:
    """Return both ends of the interval of one figure; ``nan`` without an interval."""
    ends: tuple[float, float] = getattr(interval, score_key, (UNDEFINED, UNDEFINED))
    return ends


def get_dot(score: Any, score_key: str) -> Dot:
    """Return one figure of a score with the ends of its interval."""
    return (getattr(score, score_key), *get_ends(score.interval, score_key))


def get_annotator_interval(interval: Interval | None) -> Interval | None:
    """Return the second interval, over other annotators too, if there is one."""
    return None if interval is None else interval.over_annotators


class ComparedAsFloat(ABC):
    """A result that compares, rounds and formats as the number that ``float`` returns for it."""

    __slots__ = ()

    @abstractmethod
    def __float__(self) -> float: ...

    def __lt__(self, other: Any) -> bool:
        return float(self) < float(other)

    def __le__(self, other: Any) -> bool:
        return float(self) <= float(other)

    def __gt__(self, other: Any) -> bool:
        return float(self) > float(other)

    def __ge__(self, other: Any) -> bool:
        return float(self) >= float(other)

    def __round__(self, digits: int | None = None) -> float:
        return round(float(self), digits)

    def __format__(self, spec: str) -> str:
        return format(float(self), spec) if spec else str(self)


class _ScoreFields(NamedTuple):
    observed: float
    expected: float
    corrected: float
    reason: str = ""
    interval: Interval | None = None


# first, as a tuple would compare the expected figure next, and could not be compared with numbers
class Score(ComparedAsFloat, _ScoreFields):
    """One figure: as observed, as expected by chance alone, and corrected for chance.

    ``corrected = (observed − expected) / (1 − expected)``. Undefined values are ``nan``, and
    ``reason`` explains them; it is empty if all three are defined. ``interval`` is set if intervals
    were requested. ``float(score)`` is the observed figure, ``f"{score:.2f}"`` formats it, and
    ``<``, ``>`` and ``round`` use it, because other programs report this number; ``print`` shows
    all three.

    >>> score = Score(0.75, 0.5, 0.5)
    >>> print(score, f"{score:.2f}", float(score), score > 0.5)
    0.750 (chance 0.500, corrected 0.500) 0.75 0.75 True
    """

    __slots__ = ()

    def __float__(self) -> float:
        return float(self.observed)

    def __str__(self) -> str:
        from spanagree.results.cells import format_figure  # rarely printed

        raw, expected_text, corrected_text = map(format_figure, self[:3])
        return f"{raw} (chance {expected_text}, corrected {corrected_text})"

    def to_dict(self) -> dict[str, Any]:
        """Convert the score to plain data for JSON: undefined is ``None``, with the reason."""
        from spanagree.results.data import to_plain_data  # rarely needed

        figures: dict[str, Any] = dict(zip(self._fields, to_plain_data(self[:3]), strict=False))
        if self.reason:
            figures["undefined"] = self.reason
        interval_entry = {} if self.interval is None else {"interval": self.interval.to_dict()}
        return {**figures, **interval_entry}


NO_CHANCE = "chance is undefined"
"""Reason of a score without chance, which is not corrected; settings of a result explain it."""


def build_corrected_score(observed: float, expected: float) -> Score:
    """Build a score with its chance correction; undefined if chance alone gives 1.

    >>> build_corrected_score(0.75, 0.5).corrected
    0.5
    """
    if math.isnan(expected) and not math.isnan(observed):
        return Score(observed, UNDEFINED, UNDEFINED, NO_CHANCE)
    if expected >= 1 - CERTAIN:
        return Score(observed, expected, UNDEFINED, "chance alone gives 1")
    return Score(observed, expected, _correct_for_chance(observed, expected))


def build_undefined_score(reason: str) -> Score:
    """Build a score without any defined value."""
    return Score(UNDEFINED, UNDEFINED, UNDEFINED, reason)


# --- the figures ----------------------------------------------------------------------------------


@dataclass(eq=False)
class Ratio:
    """A figure on sums: the match divided by the sizes of both annotations, each weighted.

    As an attribute of an object with scores, it is the score of that object.

    Attributes:
        title: title in text output.
        matched, first, second: factors of the match in the numerator, and in the denominator of
            the sizes of the first annotation (gold) and the second (the system).
        undefined: reason for an undefined figure, if the sizes are 0.
        description: rest of its explanation, after the formula.
        has_chance: True if text output has its chance level and its correction too.
        key: key in data, and name of the attribute.
        heading: heading of its explanation, if that covers several figures.

    >>> Ratio("F2", 5, 4, 1, "neither marked anything").formula
    '5·matched / (4·size of gold + size of the system)'
    """

    title: str
    matched: float
    first: float
    second: float
    undefined: str
    description: str = (
        ", in {sizes}, from the sums over all {document}s of the row (micro-average)."
    )
    has_chance: bool = False
    key: str = ""
    heading: str = ""

    def __post_init__(self) -> None:
        self.__doc__ = f"{self.title}: {self.formula}; undefined where {self.undefined}."

    def __set_name__(self, owner: type, name: str) -> None:
        self.key = name

    @overload
    def __get__(self, scored: None, owner: type) -> Ratio: ...
    @overload
    def __get__(self, scored: HasScores, owner: type) -> Score: ...
    def __get__(self, scored: HasScores | None, owner: type) -> Ratio | Score:
        return self if scored is None else scored.score_of(self)

    def compute_parts(self, sums: Sums) -> tuple[Any, Any, Any, Any]:
        """Compute the ratio's numerators and denominators from sums.

        Returns:
            Observed and expected numerator, then observed and expected denominator.
        """
        size = self.first * sums.size_first + self.second * sums.size_second
        random_size = size
        if sums.expected_size_first is not None:
            random_size = (
                self.first * sums.expected_size_first + self.second * sums.expected_size_second
            )
        return self.matched * sums.matched, self.matched * sums.expected, size, random_size

    @property
    def formula(self) -> str:
        """The formula, in words."""

        def format_size(weight: float, noun: str) -> list[str]:
            """Format a weighted size; the list is empty for the weight 0."""
            return [noun if weight == 1 else f"{weight:g}·{noun}"] * bool(weight)

        sizes = [
            *format_size(self.first, "size of gold"),
            *format_size(self.second, "size of the system"),
        ]
        divisor = f"({' + '.join(sizes)})" if len(sizes) > 1 else sizes[0]
        return f"{format_size(self.matched, 'matched')[0]} / {divisor}"

    @property
    def explanation(self) -> str:
        """The paragraph that explains a column of the figure."""
        return f"{self.formula}{self.description}"

    @property
    def meaning(self) -> str:
        """The heading of the explanation."""
        return self.heading or f"{self.title} of a system"


class HasScores(ABC):
    """An object with a score for each figure: the attributes here are all figures.

    F-beta is added if a β is requested.
    """

    beta: float | None = None

    precision = Ratio(
        "precision", 1, 0, 1, "the system marked nothing",
        ": share of what it marked that is right. It ignores what was left out: a system that marks"
        " little may have a high precision. It is undefined if the system marked nothing.",
    )  # fmt: skip
    recall = Ratio(
        "recall", 1, 1, 0, "the gold annotation has nothing marked",
        ": share of gold that was found. It ignores what else was marked. It is undefined if gold"
        " has nothing marked.",
    )  # fmt: skip
    f1 = Ratio(
        "F1", 2, 1, 1, "neither marked anything",
        ", in {sizes}, from the sums over all {document}s of the row (micro-average), so"
        " frequent labels weigh most. Do not compare it with F1 of another match, other texts or"
        " another reading of tags.",
        has_chance=True,
    )  # fmt: skip

    @property
    def f_beta(self) -> Score:
        """F-beta, with the requested β.

        Raises:
            SettingError: if no β was requested.
        """
        if self.beta is None:
            raise SettingError("F-beta was not requested; evaluate with beta=2, or another β")
        return self.score_of(build_f_beta(self.beta))

    @abstractmethod
    def score_of(self, ratio: Ratio) -> Score:
        """Return the score of a figure."""


FIGURES: Mapping[str, Ratio] = {
    name: ratio for name, ratio in vars(HasScores).items() if isinstance(ratio, Ratio)
}
"""The figures on sums, by key, in the order of reports."""

_MOST_BETA = 1000.0


def build_f_beta(beta: float) -> Ratio:
    """Build the figure F-beta, in which recall weighs β times as much as precision.

    (1 + β²)·P·R / (β²·P + R) is a ratio of sums (van Rijsbergen 1979): (1 + β²)·matched divided by
    β²·size of gold + size of the system.

    Raises:
        SettingError: if β is no number above 0, or is 1, because F1 is always included.

    >>> build_f_beta(2).title, build_f_beta(2).formula
    ('F2', '5·matched / (4·size of gold + size of the system)')
    >>> build_f_beta(0.5).formula
    '1.25·matched / (0.25·size of gold + size of the system)'
    """
    is_number = isinstance(beta, (Real, np.floating)) and not isinstance(beta, bool)
    if not is_number or not 1 / _MOST_BETA <= beta <= _MOST_BETA or beta == 1:
        raise SettingError(
            f"beta {quote_value(beta)}; a number from {1 / _MOST_BETA:g} to {_MOST_BETA:g} other"
            " than 1 is needed, such as 2, by which recall weighs twice as much as precision"
        )
    square = float(beta) ** 2
    return Ratio(
        f"F{float(beta):g}", 1 + square, square, 1, "neither marked anything",
        has_chance=True, key="f_beta", heading="F-beta of a system",
    )  # fmt: skip


def list_figures(beta: float | None) -> Mapping[str, Ratio]:
    """Return precision, recall and F1 by key, followed by F-beta if a β is requested.

    >>> list(list_figures(None)), list(list_figures(2))
    (['precision', 'recall', 'f1'], ['precision', 'recall', 'f1', 'f_beta'])
    """
    return FIGURES if beta is None else {**FIGURES, "f_beta": build_f_beta(beta)}


# --- scores in tables ---------------------------------------------------------------------------
