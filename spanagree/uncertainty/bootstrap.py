"""How sure a figure is: resampling of tallies over documents (or items), never of texts.

A figure here is a function of sums over units, so a resample is a product of drawn weights and the
table of what each unit adds; matched, expected and sizes of a document always move together. Units
that add the same are one row with a multiplicity.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from numbers import Real
from typing import Any, TypeAlias

import numpy as np

from spanagree.arrays import Floats, Hashes, Ints, Progress, distinct_rows
from spanagree.choices import Interval as IntervalName
from spanagree.choices import ResampleBy, SampledBy
from spanagree.comparisons.exact_sums import on_grids
from spanagree.errors import SettingError, check_choice, check_whole, counted, show
from spanagree.results.score import UNDEFINED, Figures, Interval
from spanagree.uncertainty.draws import CELLS, few_ways, portions, weights
from spanagree.uncertainty.ends import (
    TIE,
    Drawn,
    bca,
    jackknife,
    quantiles,
    share_below,
    student_t,
    with_t,
)
from spanagree.uncertainty.evidence import evidence_of, joined

Statistic: TypeAlias = Callable[[Floats], Floats]
"""From sums, (resamples, columns), to figures, (resamples, figures); ``nan`` where undefined."""

INTERVALS = {
    "bca": "bias-corrected and accelerated: regards skewness, but not tails that no resample has",
    "percentile": "the quantiles of the resamples as they are",
    "jackknife": "the figure ± t standard errors, from leaving out one unit at a time; no draws",
}
"""How an interval is made of resamples, by name."""

RESAMPLE_BY = {
    "unit": "each document as it was read: a sentence, or with --unit document a whole one",
    "document": "whole documents with all their sentences, or with --group-by whole groups",
    "sentence": "each sentence; with --unit document, each by itself of those that were joined",
    "text": "each text by itself of documents that were joined of texts, with their chance",
}
"""What is drawn, by name."""

SAMPLED_BY = {
    "annotators": "annotators, by leaving them out; the documents stay as they are",
    "both": "each unit is drawn, and annotators are left out",
}
"""What else may be a sample, of a team, by name."""

_DENSE = 1 << 24  # cells of units and sums; of more, only those that are filled are kept
FEW = "only {} to resample; an interval needs two"
_TEMPORARY = 8  # arrays of resamples that are there at a time
_SPARSE = 0.1  # a table with fewer cells filled is kept as a sparse one


@dataclass(frozen=True)
class Bootstrap:
    """How confidence intervals are made; ``ci=True`` stands for ``ci=Bootstrap()``.

    Attributes:
        confidence: of the intervals, in per cent.
        resamples: how many.
        seed: a whole number from 0; the same one gives the same digits, in any order of documents.
        interval: how they are made: bca (the default), percentile or jackknife.
        resample_by: what is drawn: unit, the documents as they were read; document, whole ones of
            sentences, whose chance is still theirs; text or sentence, each of joined documents. Of
            a team also annotators, documents being fixed; or both.

    Raises:
        SettingError: for a confidence outside 1–100, as a share in place of a percentage is; less
            than one resample, a bad seed, or an unknown choice.

    >>> Bootstrap(confidence=99, seed=3).resamples
    10000
    """

    confidence: float = 95
    resamples: int = 10_000
    seed: int = 0
    interval: IntervalName | None = None
    resample_by: ResampleBy | SampledBy | None = None

    def __post_init__(self) -> None:
        if self.resample_by is not None:
            check_choice(self.resample_by, (*RESAMPLE_BY, *SAMPLED_BY), "resample_by")
        if self.interval is not None:
            check_choice(self.interval, INTERVALS, "interval")
        c = self.confidence
        if not isinstance(c, (Real, np.floating)) or isinstance(c, bool) or not 1 < c < 100:
            raise SettingError(
                f"confidence {show(c)}; a percentage above 1 and below 100, such as 95, is needed"
            )
        check_whole(self.resamples, 1, "resamples")
        check_whole(self.seed, 0, "seed")


USUAL = Bootstrap()


@dataclass(frozen=True)
class Resampling(Bootstrap):
    """A :class:`Bootstrap` of which all is settled, and what becomes of its resamples."""

    interval: IntervalName = "bca"
    resample_by: ResampleBy | SampledBy = "unit"

    @property
    def tail(self) -> float:
        """The share below the low end of an interval, and above the high one."""
        return (1 - self.confidence / 100) / 2

    def settings(self) -> dict[str, Any]:
        """Return the fields of settings that name it."""
        number = float(self.confidence)
        kind = f"{self.interval}{int(number) if number.is_integer() else number!r}"
        by = {} if self.resample_by == "unit" else {"resample_by": self.resample_by}
        if self.interval == "jackknife":
            return {"ci": kind, **by}
        return {"ci": kind, **by, "resamples": int(self.resamples), "seed": int(self.seed)}

    def by_text(self, settings: Mapping[str, Any]) -> bool:
        """Return whether the texts (or sentences) that documents were joined of are drawn."""
        by_sentence = self.resample_by == "sentence" and settings.get("unit") == "document"
        return by_sentence or self.resample_by == "text"

    def wholes_of(self, wholes: Ints | None, settings: Mapping[str, Any]) -> Ints | None:
        """Return the number of the whole of each document if wholes are drawn; else ``None``.

        Raises:
            SettingError: if it is not known what sentences belong to, or nothing is a sentence.
        """
        if self.by_text(settings):
            raise SettingError(
                f"resample_by {self.resample_by}: here chance is not that of joined documents, or"
                " cannot be shared out over their texts; choose unit or document"
            )
        if self.resample_by == "sentence" and settings.get("unit") != "sentence":
            raise SettingError(
                "resample_by sentence: the documents were not read as sentences; choose unit, or"
                " text if they were joined with group_by"
            )
        if self.resample_by != "document":
            return None
        if wholes is None and settings.get("unit") == "sentence":
            raise SettingError(
                "resample_by document: it is not known which sentences are one document; the files"
                " need -DOCSTART- lines between documents, or resample by unit"
            )
        return wholes


def asked_bootstrap(ci: bool | Bootstrap, seed: int = 0) -> Bootstrap | None:
    """Return how intervals are made, if they are asked for.

    Args:
        ci: whether, or how.
        seed: of ``True``.

    Raises:
        SettingError: for anything else.
    """
    if isinstance(ci, Bootstrap):
        return ci
    if not isinstance(ci, (bool, np.bool_)):
        raise SettingError(f"ci {show(ci)}; True, False or a Bootstrap is needed")
    return Bootstrap(seed=seed) if ci else None


def asked_resampling(ci: bool | Bootstrap, *, seed: int = 0) -> Resampling | None:
    """Return how to resample, all of it settled, if intervals are asked for.

    Args:
        ci: whether, or how.
        seed: of ``True``.

    Raises:
        SettingError: as for :func:`resampling_of`.
    """
    bootstrap_asked = asked_bootstrap(ci, seed)
    return None if bootstrap_asked is None else resampling_of(bootstrap_asked)


def resampling_of(bootstrap: Bootstrap, *, of_team: bool = False) -> Resampling:
    """Return how to resample, all of it settled.

    Args:
        bootstrap: what was asked for.
        of_team: whether annotators may be a sample too.

    Raises:
        SettingError: for what is no Bootstrap; for what is drawn of a team only; for an interval
            over annotators that is drawn.
    """
    if not isinstance(bootstrap, Bootstrap):
        raise SettingError(f"bootstrap {show(bootstrap)}; a Bootstrap is needed")
    interval, resample_by = bootstrap.interval, bootstrap.resample_by or "unit"
    check_choice(resample_by, (*RESAMPLE_BY, *(SAMPLED_BY if of_team else ())), "resample_by")
    over_annotators = resample_by == "annotators"
    if over_annotators and interval not in (None, "jackknife"):
        raise SettingError(
            f"interval {interval}; over annotators nothing is drawn: choose jackknife, or"
            " leave interval out"
        )
    usual: IntervalName = "jackknife" if over_annotators else "bca"
    return Resampling(
        bootstrap.confidence,
        bootstrap.resamples,
        bootstrap.seed,
        interval or usual,
        resample_by,
    )


class Sample:
    """Units and what each of them adds to every sum.

    Attributes:
        rows: the distinct rows of the table; (distinct, columns), dense or sparse.
        times: how many units have each row.
        row: which row each unit has, of the units in their canonical order.
        total: the sums over all units.
    """

    def __init__(self, table: Any, ids: Hashes | None = None, *, ranked: bool = False) -> None:
        """Make a sample from a table, (units, columns), dense or a csr_array of scipy.sparse.

        Args:
            table: what each unit adds.
            ids: a number for each unit, which says how often it is drawn, whatever it adds and
                whichever others stand before it; without them that is said by what it adds.
            ranked: whether the units are in their canonical order already.
        """
        if ids is not None:
            table, ranked = table[np.argsort(ids, kind="stable")], True
        rows, row, times = _distinct_rows(table)
        self.rows: Floats = rows
        self.times: Ints = times
        self.row: Ints = row if ranked else np.sort(row)
        self.units: int = int(times.sum())
        self.total: Floats = np.asarray(self.times @ self.rows, np.float64).reshape(1, -1)

    def weights(self, resampling: Resampling, wide: int) -> Iterator[Floats]:
        """Yield how often each row is drawn, in some resamples; (some, rows) each."""
        settings = len(self.times), resampling.resamples, resampling.seed
        return weights(self.row, *settings, wide)

    def resampled(self, resampling: Resampling) -> Iterator[Floats]:
        """Yield the sums over as many units, drawn with replacement; (some, columns) each."""
        wide = max(self.units, self.rows.shape[1], 1)
        for drawn in self.weights(resampling, wide):
            yield self.sums(drawn)

    def sums(self, drawn: Floats) -> Floats:
        """Return the sums where each row is drawn so often, without rounding; (some, columns)."""
        value, remainder, columns = self._parts
        sums = np.asarray(drawn @ value, np.float64)
        if len(columns):
            sums[:, columns] += drawn @ remainder
        return sums

    @cached_property
    def _parts(self) -> tuple[Any, Any, Ints]:
        """The rows on two grids, so that no order of adding up changes a digit.

        The second has only the columns, whose numbers stand last, in which there is anything.
        """
        if not isinstance(self.rows, np.ndarray):
            return self.rows, None, np.zeros(0, np.int64)
        value, remainder = on_grids(self.rows)
        columns = np.flatnonzero(remainder.any(axis=0))
        return value, remainder[:, columns], columns

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
    """Return a table, dense or csr, from its cells: rows, columns, values; equal cells add."""
    from scipy.sparse import coo_array  # takes a tenth of a second to import

    rows, columns, values = (np.concatenate([entry[k] for entry in entries]) for k in range(3))
    table = coo_array((values.astype(np.float64), (rows, columns)), shape=shape)
    return table.toarray() if shape[0] * shape[1] < _DENSE else table.tocsr()


def _distinct_rows(table: Any) -> tuple[Any, Ints, Ints]:
    """Return a table's distinct rows, dense or csr; which each row is; how often each occurs.

    Numbers of dense tables are compared to 40 bits, so that it does not matter in which order they
    were added up.
    """
    if isinstance(table, np.ndarray):
        rows, which, times = distinct_rows(table)
        if table.dtype.kind == "f" and table.size:
            _, alike, _ = distinct_rows(_to_40_bits(rows))
            first = np.unique(alike, return_index=True)[1]
            rows, which = rows[first], alike[which]
            times = np.bincount(which, minlength=len(first))
        filled = np.count_nonzero(rows) / max(rows.size, 1)
        if filled < _SPARSE and rows.size > CELLS:
            from scipy.sparse import csr_array  # takes a tenth of a second to import

            return csr_array(rows), which, times
        return rows, which, times
    keys = [
        (table.indices[a:b].tobytes(), table.data[a:b].tobytes())
        for a, b in zip(table.indptr[:-1].tolist(), table.indptr[1:].tolist(), strict=True)
    ]
    place = {key: i for i, key in enumerate(sorted({*keys}))}
    which = np.array([place[key] for key in keys], np.int64)
    first = np.unique(which, return_index=True)[1]
    return table[first], which, np.bincount(which)


def _to_40_bits(values: Floats) -> Floats:
    """Return floats rounded to 40 bits of their 53.

    >>> a, b, c = _to_40_bits(np.array([0.1 + 0.2, 0.3, 0.3 + 1e-11])).tolist()
    >>> a == b, b == c
    (True, False)
    """
    bits = np.ascontiguousarray(values, np.float64).view(np.int64)
    half, rest = np.int64(1 << 12), np.int64((1 << 13) - 1)
    return ((bits + half) & ~rest).view(np.float64)


def canonical_order(table: Floats, ids: Hashes | None = None) -> Ints:
    """Return the order of units by their ids, or without them by what they add."""
    if ids is not None:
        return np.argsort(ids, kind="stable")
    return np.argsort(distinct_rows(_to_40_bits(table))[1], kind="stable")


_NO_SPREAD = "the same in every resample, which tells nothing of others"
_ITSELF = "the figure itself is undefined"
_WITHOUT = "undefined without one of those it rests on"
_PLAIN = "percentile, as its bias or acceleration is undefined"


# --- intervals ----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ResampledFigures:
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
        """Return low and high end of one figure, and what is out of the ordinary.

        The interval of its resamples is joined with the figure ± t standard errors, for few units.
        """
        which = slice(figure, figure + 1)
        ends, (note,), errors = self.ends(which, resampling)
        units = np.array([self.times.sum()])
        nothing = np.array([UNDEFINED])
        ends = with_t(ends, self.estimate[which], errors, units, nothing, resampling.tail)
        low, high = ends[0].tolist()
        return low, high, note

    def ends(self, which: slice, resampling: Resampling) -> tuple[Floats, list[str], Floats]:
        """Return ends that rest on resamples alone, what is out of the ordinary, and errors.

        The ends are those of some figures; (figures, 2). What is done with a figure does not depend
        on the others.
        """
        units, estimate = int(self.times.sum()), self.estimate[which]
        nothing = np.isnan(estimate)
        if units < 2 or nothing.all():
            note = FEW.format(units) if units < 2 else _ITSELF
            none = np.full((len(estimate), 2), UNDEFINED)
            return none, [note] * len(estimate), none[:, 0]
        with np.errstate(divide="ignore", invalid="ignore"):
            errors = jackknife(self.left_out[:, which], self.times)
            if resampling.interval == "jackknife":
                t = student_t(units - 1, resampling.tail)
                ends = np.stack((estimate - t * errors, estimate + t * errors), axis=1)
                notes = [_WITHOUT if low != low else "" for low in ends[:, 0].tolist()]
            else:
                ends, notes = self._quantiles(which, resampling)
        ends[nothing] = UNDEFINED
        notes = [_ITSELF if x else y for x, y in zip(nothing.tolist(), notes, strict=True)]
        return ends, notes, errors

    def _quantiles(self, which: slice, resampling: Resampling) -> tuple[Floats, list[str]]:
        """Return the ends of some figures from their resamples, and what is out of the ordinary."""
        drawn = Drawn.of(self.replicates[:, which], self.often)
        tail, estimate = resampling.tail, self.estimate[which]
        shares = np.tile((tail, 1 - tail), (len(estimate), 1))
        plain = np.zeros(len(estimate), np.bool_)
        if resampling.interval == "bca":
            below = share_below(estimate, drawn)
            adjusted, defined = bca(below, self.left_out[:, which], self.times, tail)
            plain = ~defined
            shares = np.where(plain[:, None], shares, adjusted)
        ends = quantiles(drawn, shares)
        ends[drawn.known == 0] = UNDEFINED
        count = int(drawn.often.sum())
        notes = [""] * len(estimate)
        for i in np.flatnonzero(plain | (drawn.known < count)).tolist():
            missing = count - int(drawn.known[i])
            reasons = [f"undefined in {missing} of {counted(count, 'resample')}"] if missing else []
            if plain[i] and missing < count:
                reasons.append(_PLAIN)
            notes[i] = "; ".join(reasons)
        return ends, notes

    def intervals(self, resampling: Resampling, evidence: Ints) -> list[Interval]:
        """Return the intervals of figures that come in threes: observed, expected, corrected.

        Args:
            resampling: how.
            evidence: what each figure rests on; (figures, 3). Where that is little, the interval
                is joined with one that does not rest on resamples; where it is 0, the figure is no
                share of agreement.
        """
        notes: list[str] = []
        ends, errors = np.empty((len(self.estimate), 2)), np.empty(len(self.estimate))
        for low, high in portions(len(ends), _TEMPORARY * max(len(self.replicates), 1)):
            ends[low:high], some, errors[low:high] = self.ends(slice(low, high), resampling)
            notes += some
        units = np.where(evidence.any(axis=1), evidence[:, 0], self.times.sum())
        floors = _floors(self.estimate.reshape(-1, 3), evidence)
        units = np.repeat(units, 3)
        ends = with_t(ends, self.estimate, errors, units, floors, resampling.tail)
        three = ends.reshape(-1, 3, 2).tolist(), self.estimate.reshape(-1, 3).tolist()
        whys = (notes[i : i + 3] for i in range(0, len(notes), 3))
        rows = zip(*three, whys, evidence.tolist(), strict=True)
        return [_interval(*row, resampling) for row in rows]


def _floors(estimates: Floats, evidence: Ints) -> Floats:
    """Return how low the three figures of each share of agreement can be; ``nan`` of others."""
    with np.errstate(divide="ignore", invalid="ignore"):
        lowest = -estimates[:, 1] / (1 - estimates[:, 1])  # what is observed being 0
    nothing = np.zeros(len(lowest))
    floors = np.stack((nothing, nothing, lowest), axis=1)
    floors[~evidence.any(axis=1)] = UNDEFINED
    return floors.ravel()


def _interval(
    ends: Sequence[Sequence[float]],
    figures: Sequence[float],
    notes: Sequence[str],
    evidence: Sequence[int],
    resampling: Resampling,
) -> Interval:
    """Return the interval of three figures, joined with another where they rest on little.

    A figure that no resample changes has none; nor has the corrected one of an observed one that
    none changes: what is left is how chance varies.
    """
    wide, why = joined(ends, figures, evidence, resampling.tail)
    same = [high - low <= TIE for low, high in wide]
    same[2] |= same[0]
    wide = [(UNDEFINED, UNDEFINED) if x else y for x, y in zip(same, wide, strict=True)]
    notes = [_NO_SPREAD if x else note for x, note in zip(same, notes, strict=True)]
    reasons: dict[str, list[str]] = {}
    for name, note in zip(Figures._fields, notes, strict=True):
        if note:
            reasons.setdefault(note, []).append(name)
    whys = [f"{', '.join(names)}: {note}" for note, names in reasons.items()]
    kind = f"{resampling.interval}+clopper-pearson" if why else resampling.interval
    observed, expected, corrected = ((low, high) for low, high in wide)
    return Interval(observed, expected, corrected, "; ".join([*whys, *filter(None, [why])]), kind)


def bootstrap(
    sample: Sample,
    statistic: Statistic,
    resampling: Resampling,
    *,
    ways: bool = False,
    progress: Progress = None,
) -> ResampledFigures:
    """Return the figures of a sample with their resamples and leave-one-outs.

    ``ways``: resamples that are alike, as many are of few units, may be one replicate.
    ``progress`` is called with the number of resamples done, and of all.
    """
    settings = resampling.resamples, resampling.seed
    often = None
    with np.errstate(divide="ignore", invalid="ignore"):
        estimate = statistic(sample.total)[0]
        drawn: Iterator[Floats] = iter(())
        if resampling.interval == "jackknife" or (ways and np.isnan(estimate).all()):
            pass
        elif ways and (few := few_ways(sample.row, len(sample.times), *settings)) is not None:
            drawn, often = iter([sample.sums(few[0])]), few[1]
        else:
            drawn = sample.resampled(resampling)
        replicates, done = [np.empty((0, len(estimate)))], 0
        for sums in drawn:
            replicates.append(statistic(sums))
            done += len(sums)
            if progress is not None:
                progress(done, resampling.resamples)
        return ResampledFigures(
            estimate,
            np.concatenate(replicates),
            np.concatenate([statistic(sums) for sums in sample.each_left_out()])
            if len(sample.times)
            else np.empty((0, 0)),
            sample.times,
            often,
        )


def intervals_of(
    table: Any,
    statistic: Statistic,
    resampling: Resampling,
    shares: Sequence[bool] | None = None,
    ids: Hashes | None = None,
) -> list[Interval]:
    """Return intervals of figures that come in threes.

    Args:
        table: what each unit adds; (units, columns).
        statistic: from sums to figures.
        resampling: how.
        shares: which of the figures are shares of agreement; all unless given.
        ids: a number for each unit, as :class:`Sample` takes them.
    """
    sample = Sample(table, ids)
    drawn = bootstrap(sample, statistic, resampling, ways=True)
    evidence = sample.evidence(statistic)
    if shares is not None:
        evidence[~np.array(shares)] = 0
    return drawn.intervals(resampling, evidence)


def settings_with(settings: Any, resampling: Resampling | None) -> Any:
    """Add to settings how intervals were made, if they were."""
    return settings if resampling is None else replace(settings, **resampling.settings())
