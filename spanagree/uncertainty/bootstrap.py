"""How sure a figure is: resampling of tallies over documents (or items), never of texts.

A figure here is a function of sums over units, so a resample is a product of drawn weights and the
table of what each unit adds; matched, expected and sizes of a document always move together. Units
that add the same are one row with a multiplicity, in canonical order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar, TypeAlias

import numpy as np

from spanagree.arrays import Floats, Ints, Progress, distinct_rows
from spanagree.errors import SettingError, check_choice, check_whole, counted, show
from spanagree.matching.score import UNDEFINED, Figures, Interval
from spanagree.uncertainty.draws import CELLS, few_ways, portions, weights
from spanagree.uncertainty.evidence import evidence_of, joined

Statistic: TypeAlias = Callable[[Floats], Floats]
"""From sums, (resamples, columns), to figures, (resamples, figures); ``nan`` where undefined."""

INTERVALS = {
    "bca": "bias-corrected and accelerated: regards skewness, but not tails that no resample has",
    "percentile": "the quantiles of the resamples as they are",
    "jackknife": "the figure ± z standard errors, from leaving out one unit at a time; no draws",
}
"""How an interval is made of resamples, by name."""

RESAMPLE_BY = {
    "unit": "each document as it was read: a sentence, or with --unit document a whole one",
    "document": "whole documents with all their sentences, or with --group-by whole groups",
    "text": "each text by itself of documents that were joined of texts, with their luck",
}
"""What is drawn, by name."""

SAMPLED_BY = {
    "annotators": "annotators, by leaving them out; the documents stay as they are",
    "both": "each unit is drawn, and annotators are left out",
}
"""What else may be a sample, of a team, by name."""

_DENSE = 1 << 24  # cells of units and sums; of more, only those that are filled are kept
_FEW = "{} to resample; an interval needs two"
_TOGETHER = 100  # things that are resampled together
_SPARSE = 0.1  # a table with fewer cells filled is kept as a sparse one
_TIE = 1e-12  # figures closer than this are the same


@dataclass(frozen=True)
class Resampling:
    """How often to resample, from which seed, and what becomes of it.

    Raises:
        SettingError: for a confidence outside 0–100, less than one resample, or a bad seed.
    """

    confidence: float = 95
    resamples: int = 10_000
    seed: int = 0
    interval: str = "bca"
    over_blocks: bool = False  # by a Poisson bootstrap
    resample_by: str = "unit"

    ALLOWED: ClassVar[Collection[str]] = tuple(RESAMPLE_BY)

    def __post_init__(self) -> None:
        check_choice(self.resample_by, self.ALLOWED, "resample_by")
        check_choice(self.interval, INTERVALS, "interval")
        c = self.confidence
        if not isinstance(c, (Real, np.floating)) or isinstance(c, bool) or not 0 < c < 100:
            raise SettingError(f"confidence {show(c)}; a number between 0 and 100 is needed")
        check_whole(self.resamples, 1, "resamples")
        check_whole(self.seed, 0, "seed")

    @property
    def tail(self) -> float:
        """The share below the low end of an interval, and above the high one."""
        return (1 - self.confidence / 100) / 2

    @property
    def name(self) -> str:
        """How an interval is made."""
        return "poisson" if self.over_blocks else self.interval

    def settings(self) -> dict[str, Any]:
        """Return the fields of settings that name it."""
        number = float(self.confidence)
        kind = f"{self.name}{int(number) if number.is_integer() else number!r}"
        by = {} if self.resample_by == "unit" else {"resample_by": self.resample_by}
        if self.interval == "jackknife":
            return {"ci": kind, **by}
        return {"ci": kind, **by, "resamples": int(self.resamples), "seed": int(self.seed)}

    def wholes_of(self, wholes: Ints | None, settings: Mapping[str, Any]) -> Ints | None:
        """Return the number of the whole of each document if wholes are drawn; else ``None``.

        Raises:
            SettingError: if it is not known what sentences belong to.
        """
        if self.resample_by == "text":
            raise SettingError(
                "resample_by text: here luck is not that of joined documents, or cannot be shared"
                " out over their texts; choose unit or document"
            )
        if self.resample_by != "document":
            return None
        if wholes is None and settings.get("unit") == "sentence":
            raise SettingError(
                "resample_by document: it is not known which sentences are one document; the files"
                " need -DOCSTART- lines between documents, or resample by unit"
            )
        return wholes


class TeamResampling(Resampling):
    """The same for a team, whose annotators may be a sample too.

    Raises:
        SettingError: as for :class:`Resampling`; for an interval over annotators that is drawn.
    """

    ALLOWED = (*RESAMPLE_BY, *SAMPLED_BY)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.resample_by == "annotators" and self.interval != "jackknife":
            raise SettingError(
                f"interval {self.interval}; over annotators nothing is drawn: choose jackknife, or"
                " leave interval out"
            )


class Sample:
    """Units and what each of them adds to every sum.

    Attributes:
        rows: the distinct rows of the table; (distinct, columns), dense or sparse.
        times: how many units have each row.
        total: the sums over all units.
    """

    def __init__(self, table: Any) -> None:
        """Make a sample from a table, (units, columns), dense or of scipy.sparse."""
        self.rows, self.times = _distinct_rows(table)
        self.units = int(self.times.sum())
        self.total: Floats = np.asarray(self.times @ self.rows, np.float64).reshape(1, -1)

    def resampled(self, resampling: Resampling) -> Iterator[Floats]:
        """Yield the sums over as many units, drawn with replacement; (some, columns) each."""
        wide = max(self.units, self.rows.shape[1], 1)
        for drawn in weights(self.times, resampling.resamples, resampling.seed, wide):
            yield np.asarray(drawn @ self.rows, np.float64)

    def each(self) -> Iterator[tuple[Floats, Ints]]:
        """Yield the distinct rows, (some, columns), and how many units have them, in portions."""
        for low, high in portions(len(self.times), self.rows.shape[1]):
            part = self.rows[low:high]
            dense = part if isinstance(part, np.ndarray) else part.toarray()
            yield dense, self.times[low:high]

    def evidence(self, statistic: Statistic) -> Ints:
        """Return what figures that come in threes rest on; (figures, 3)."""
        parts = [evidence_of(rows, statistic, times) for rows, times in self.each()]
        nothing = evidence_of(self.total, statistic, np.zeros(1, np.int64))
        return np.sum([nothing, *parts], axis=0)

    def each_left_out(self) -> Iterator[Floats]:
        """Yield the sums without one unit of each distinct row; in portions, (some, columns)."""
        for part, _ in self.each():
            yield self.total - part


def table_of(entries: Sequence[tuple[Ints, Ints, Floats | Ints]], shape: tuple[int, int]) -> Any:
    """Return a table, dense or sparse, from its cells: rows, columns, values; equal cells add."""
    from scipy.sparse import coo_array  # takes a tenth of a second to import

    rows, columns, values = (np.concatenate([each[k] for each in entries]) for k in range(3))
    table = coo_array((values.astype(np.float64), (rows, columns)), shape=shape)
    return table.toarray() if shape[0] * shape[1] < _DENSE else table


def _distinct_rows(table: Any) -> tuple[Any, Ints]:
    """Return the distinct rows of a table, dense or sparse, and how often each occurs."""
    if isinstance(table, np.ndarray):
        rows, _, times = distinct_rows(table)
        filled = np.count_nonzero(rows) / max(rows.size, 1)
        if filled < _SPARSE and rows.size > CELLS:
            from scipy.sparse import csr_array  # takes a tenth of a second to import

            return csr_array(rows), times
        return rows, times
    table = table.tocsr()
    keys = [
        (table.indices[a:b].tobytes(), table.data[a:b].tobytes())
        for a, b in zip(table.indptr[:-1].tolist(), table.indptr[1:].tolist(), strict=True)
    ]
    order = np.array(sorted(range(len(keys)), key=keys.__getitem__), np.int64)
    first = [i for i, k in enumerate(order) if not i or keys[k] != keys[order[i - 1]]]
    return table[order[first]], np.diff([*first, len(order)])


_NO_SPREAD = UNDEFINED, UNDEFINED, "the same in every resample, which tells nothing of others"


# --- intervals ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Bootstrap:
    """The figures, and what they are in resamples and with one unit left out.

    Attributes:
        estimate: (figures,).
        replicates: (resamples, figures); or each that occurs once.
        left_out: (distinct rows, figures).
        times: how many units have each row.
        often: how often each replicate occurs; once unless given.
    """

    estimate: Floats
    replicates: Floats
    left_out: Floats
    times: Ints
    often: Ints | None = None

    def interval(self, figure: int, resampling: Resampling) -> tuple[float, float, str]:
        """Return low and high end of one figure, and what is out of the ordinary."""
        units = int(self.times.sum())
        estimate, drawn = float(self.estimate[figure]), self.replicates[:, figure]
        known = ~np.isnan(drawn)
        often = np.ones(len(drawn), np.int64) if self.often is None else self.often
        if units < 2:
            return UNDEFINED, UNDEFINED, _FEW.format(units)
        if math.isnan(estimate):
            return UNDEFINED, UNDEFINED, "the figure itself is undefined"
        if resampling.interval == "jackknife":
            return self._jackknife(figure, resampling)
        notes = []
        if missing := int(often[~known].sum()):
            notes.append(f"undefined in {missing} of {counted(int(often.sum()), 'resample')}")
        if not known.any():
            return UNDEFINED, UNDEFINED, notes[0]
        defined, often = drawn[known], often[known]
        tail = resampling.tail
        ends = (tail, 1 - tail)
        if resampling.interval == "bca":
            below = _share_below(estimate, defined, often)
            adjusted = _bca(below, self.left_out[:, figure], self.times, tail)
            if adjusted is None:
                notes.append("percentile, as its bias or acceleration is undefined")
            else:
                ends = adjusted
        low, high = _quantiles(defined, often, ends)
        return low, high, "; ".join(notes)

    def intervals(self, resampling: Resampling, evidence: Ints) -> list[Interval]:
        """Return the intervals of figures that come in threes: observed, expected, corrected.

        Args:
            resampling: how.
            evidence: what each figure rests on; (figures, 3). Where that is little, the interval
                is joined with one that does not rest on resamples; where it is 0, not.
        """
        made = []
        for first, few in zip(range(0, len(self.estimate), 3), evidence.tolist(), strict=True):
            ends = [self.interval(figure, resampling) for figure in range(first, first + 3)]
            if not any(few):
                ends = [_NO_SPREAD if low == high else (low, high, why) for low, high, why in ends]
            reasons: dict[str, list[str]] = {}
            for name, (_, _, note) in zip(Figures._fields, ends, strict=True):
                if note:
                    reasons.setdefault(note, []).append(name)
            notes = [f"{', '.join(names)}: {note}" for note, names in reasons.items()]
            bare = np.array([end[:2] for end in ends])
            figures = self.estimate[first : first + 3]
            wide, why = joined(bare, figures, few, resampling.tail)
            if np.array_equal(wide, bare, equal_nan=True):
                why = ""
            observed, expected, corrected = map(tuple, wide.tolist())
            kind = f"{resampling.name}+clopper-pearson" if why else resampling.name
            reason = "; ".join([*notes, *filter(None, [why])])
            made.append(Interval(observed, expected, corrected, reason, kind))
        return made

    def _jackknife(self, figure: int, resampling: Resampling) -> tuple[float, float, str]:
        from scipy.special import ndtri  # takes a tenth of a second to import

        units = int(self.times.sum())
        left_out, estimate = self.left_out[:, figure], float(self.estimate[figure])
        if np.isnan(left_out).any():
            return UNDEFINED, UNDEFINED, "undefined without one of those it rests on"
        mean = np.average(left_out, weights=self.times)
        spread = (self.times * (left_out - mean) ** 2).sum() * (units - 1) / units
        error = float(-ndtri(resampling.tail)) * math.sqrt(spread)
        return estimate - error, estimate + error, ""


def _share_below(estimate: float, drawn: Floats, often: Ints) -> float:
    """Return which share of the resamples is below the figure; of those that equal it, half."""
    below = often[drawn < estimate - _TIE].sum() + often[drawn <= estimate + _TIE].sum()
    return float(below / (2 * often.sum()))


def _quantiles(values: Floats, often: Ints, shares: Sequence[float]) -> tuple[float, float]:
    """Return two quantiles of values that occur so often, as ``np.quantile`` interpolates."""
    if len(values) == often.sum():
        low, high = np.quantile(values, shares).tolist()
        return low, high
    order = np.argsort(values)
    up_to = np.cumsum(often[order])
    place = np.asarray(shares) * (up_to[-1] - 1)
    below = np.floor(place)
    ends = (np.minimum(below + more, up_to[-1] - 1) for more in (0, 1))
    a, b = (values[order[np.searchsorted(up_to, end, side="right")]] for end in ends)
    low, high = (a + (b - a) * (place - below)).tolist()
    return low, high


def _bca(below: float, left_out: Floats, times: Ints, tail: float) -> tuple[float, float] | None:
    """Return the ends of a BCa interval as quantiles (Efron 1987); None if they are undefined."""
    from scipy.special import ndtr, ndtri  # takes a tenth of a second to import

    deviation = np.average(left_out, weights=times) - left_out
    spread = (times * deviation**2).sum()
    if not 0 < below < 1 or not spread > _TIE**2:  # nan is not greater either
        return None
    z0 = ndtri(below)
    a = (times * deviation**3).sum() / (6 * spread**1.5)
    z = z0 + np.array([ndtri(tail), -ndtri(tail)])
    if (a * z >= 1).any():
        return None
    low, high = ndtr(z0 + z / (1 - a * z)).tolist()
    return low, high


def bootstrap(
    sample: Sample, statistic: Statistic, resampling: Resampling, *, ways: bool = False
) -> Bootstrap:
    """Return the figures of a sample with their resamples and leave-one-outs.

    ``ways``: resamples that are alike, as many are of few units, may be one replicate.
    """
    how = resampling.resamples, resampling.seed
    often = None
    with np.errstate(divide="ignore", invalid="ignore"):
        estimate = statistic(sample.total)[0]
        drawn: Iterator[Floats] = iter(())
        if resampling.interval == "jackknife" or (ways and np.isnan(estimate).all()):
            pass
        elif ways and (few := few_ways(sample.times, *how)) is not None:
            drawn, often = iter([np.asarray(few[0] @ sample.rows, np.float64)]), few[1]
        else:
            drawn = sample.resampled(resampling)
        return Bootstrap(
            estimate,
            np.concatenate([np.empty((0, len(estimate))), *map(statistic, drawn)]),
            np.concatenate([statistic(sums) for sums in sample.each_left_out()])
            if len(sample.times)
            else np.empty((0, 0)),
            sample.times,
            often,
        )


def _none(units: int, resampling: Resampling) -> Interval:
    """Return the interval of three figures that rest on fewer than two units."""
    ends = (UNDEFINED, UNDEFINED)
    reason = f"{', '.join(Figures._fields)}: {_FEW.format(units)}"
    return Interval(ends, ends, ends, reason, resampling.name)


def intervals_of(
    table: Any, statistic: Statistic, resampling: Resampling, shares: Sequence[bool] | None = None
) -> list[Interval]:
    """Return intervals of figures that come in threes.

    Args:
        table: what each unit adds; (units, columns).
        statistic: from sums to figures.
        resampling: how.
        shares: which of the figures are shares of agreement; all unless given.
    """
    sample = Sample(table)
    drawn = bootstrap(sample, statistic, resampling, ways=True)
    evidence = sample.evidence(statistic)
    if shares is not None:
        evidence[~np.array(shares)] = 0
    return drawn.intervals(resampling, evidence)


def intervals(
    things: Sequence[tuple[Ints, Floats]],
    statistic: Statistic,
    resampling: Resampling,
    progress: Progress = None,
) -> list[list[Interval]]:
    """Return intervals for figures that come in threes: observed, expected, corrected.

    Args:
        things: for each that has figures, its documents and what each adds; (documents,
            columns). Those with the same documents are resampled together.
        statistic: from the sums of one thing to its figures, a multiple of three.
        resampling: how.
        progress: called with the number of things done, and of all.
    """
    groups: dict[bytes, list[int]] = {}
    made: list[list[Interval]] = [[] for _ in things]
    # of as many documents one after the other, as their draws are the same
    for i in sorted(range(len(things)), key=lambda i: len(things[i][0])):
        documents, table = things[i]
        if len(documents) > 1:
            groups.setdefault(documents.tobytes(), []).append(i)
        else:
            with np.errstate(divide="ignore", invalid="ignore"):
                figures = statistic(table.sum(axis=0, keepdims=True)).shape[1]
            made[i] = [_none(len(documents), resampling)] * (figures // 3)
    done = len(things) - sum(map(len, groups.values()))
    for members in groups.values():
        for low in range(0, len(members), _TOGETHER):
            together = members[low : low + _TOGETHER]
            tables = [things[i][1] for i in together]
            columns = tables[0].shape[1]

            def each(sums: Floats, columns: int = columns) -> Floats:
                one = statistic(sums.reshape(-1, columns))
                return one.reshape(len(sums), -1)

            ends = intervals_of(np.concatenate(tables, axis=1), each, resampling)
            per = len(ends) // len(together)
            for place, i in enumerate(together):
                made[i] = ends[place * per : (place + 1) * per]
            done += len(together)
            if progress is not None:
                progress(done, len(things))
    return made
