"""Intervals of scores that are functions of sums over documents: the delete-one jackknife.

F1 and similar scores are ratios of sums over documents, so the documents are a cluster sample. Each
document is left out once. With d = R₍ᵢ₎ − R the change of a score R without document i (MacKinnon,
Nielsen & Webb 2023),

    V = Σ d²,   df = 2 V² / (Σ d⁴ − V²/n),   clipped to 1 … n − 1,

where df = 2 V² / var(V) is Satterthwaite's definition (1946), and var(V) is estimated from the same
summands. Few or unequal documents have few degrees of freedom without further tuning. If R is a
share of agreement with the lowest value f, then p = (R − f) / (1 − f) has the interval

    logit p ± t(df) · √V / ((1 − f) p (1 − p)),

transformed back to the scale of R; other scores have R ± t(df) · √V. The method draws no random
numbers, and the order of the documents changes only the last digits of sums.

If at most one document contains an error, or at most one a match, the jackknife has too little
information. Then the interval is Clopper & Pearson's (1934) for the proportion of such documents,
as if such a document were entirely wrong, or entirely right.

A *unit* is left out as a whole: a document, or a cluster of documents. A *group* contains the units
of one set of figures, such as those of a system. Arrays are shaped (units, columns) for the sums of
each unit, and (groups, figures) for scores; figures come in threes: observed, expected and
corrected.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from spanagree.arrays import Bools, Floats, Ints
from spanagree.results.score import UNDEFINED, Interval, ScoreValues
from spanagree.settings import EXACT, JACKKNIFE
from spanagree.uncertainty.clopper_pearson import compute_greatest_share
from spanagree.uncertainty.confidence import Jackknife

Statistic: TypeAlias = Callable[[Floats], Floats]
"""Function from sums, (rows, columns), to figures, (rows, figures); ``nan`` if undefined."""

TIE = 1e-12
"""Largest difference of two figures that counts as equal.

Rounding leaves an error of about 2⁻⁵² in each change, and √n times as much in the standard error of
n equal documents, which is below this tolerance up to ten million documents.
"""

FEW = "only {} with anything to compare; an interval needs two"
_CELLS = 1 << 17  # of a temporary array, which fits into the processor's cache
_LEAST = 1e-300
_EPSILON = float(np.finfo(np.float64).eps)

_ITSELF = "the figure itself is undefined"
_SAME = "the same whichever is left out, so how it varies is unknown"
_WITHOUT = "undefined without one of those it rests on"


class Moments(NamedTuple):
    """Figures, and sums of their changes when one unit is left out; each (groups, figures).

    Attributes:
        value: figures over all units.
        variance: sum of squared changes.
        fourth: sum of the fourth powers of the changes.
        n_units: number of units with anything to compare.
        n_wrong: number of units with an error or a disagreement.
        n_right: number of units with a match.
    """

    value: Floats
    variance: Floats
    fourth: Floats
    n_units: Floats
    n_wrong: Floats
    n_right: Floats

    @property
    def freedom(self) -> Floats:
        """Satterthwaite's degrees of freedom."""
        return satterthwaite(self.variance, self.fourth, self.n_units)


def satterthwaite(variance: Floats, fourth_powers: Floats, n_units: Any) -> Floats:
    """Compute Satterthwaite's degrees of freedom of a variance that is a sum of squared changes.

    They are clipped to 1 … n − 1, for n units.

    Args:
        variance: sums of squared changes.
        fourth_powers: sums of the fourth powers of these changes.
        n_units: numbers of units.

    >>> satterthwaite(np.array([4.0, 4.0]), np.array([4.0, 16.0]), 4)  # four alike; one alone
    array([3.        , 2.66666667])
    """
    with np.errstate(all="ignore"):
        degrees = 2 * variance**2 / np.maximum(fourth_powers - variance**2 / n_units, _LEAST)
        return np.asarray(np.clip(degrees, 1, np.maximum(n_units - 1, 1)), np.float64)


def sum_groups(values: Any, group: Ints | None, n_groups: int) -> Floats:
    """Compute the sums of rows by group; (groups, columns).

    Args:
        values: rows to add, (rows, columns), best with contiguous columns; for one group also a
            csr_array.
        group: group index of each row; ``None`` for one group.
        n_groups: number of groups.
    """
    if group is None:
        return np.asarray(values.sum(axis=0), np.float64)[None]
    return np.stack([np.bincount(group, column, n_groups) for column in values.T], axis=1)


def look_up_by_group(values: Floats, group: Ints | None) -> Floats:
    """Look up the values of the group of each row; (rows, columns)."""
    return values if group is None else values.T[:, group].T


def exceeds_rounding(sums: Floats, sizes: Floats, operations: int) -> Bools:
    """Mask the sums that are larger than the rounding error of terms that cancel.

    Args:
        sums: sums of signed terms.
        sizes: sums of the absolute terms.
        operations: number of additions for each sum; each addition, and each term, has an error
            of half an epsilon.
    """
    beyond: Bools = sums > operations * _EPSILON * sizes
    return beyond


class Changes:
    """Running sums over the changes of figures when a unit is left out; units come in batches."""

    def __init__(self, value: Floats) -> None:
        """Start all sums at zero.

        Args:
            value: figures over all units; (groups, figures).
        """
        self.value = value
        self.variance, self.fourth, self.counts = np.zeros((3, *value.shape))

    def add(
        self,
        left_out: Floats,
        evidence: Bools,
        group: Ints | None = None,
        times: Ints | None = None,
    ) -> None:
        """Add the changes of a batch of units.

        Args:
            left_out: figures of the group of each unit without the unit; (units, figures).
            evidence: mask of each unit from :func:`_mask_evidence`; (units, figures).
            group: group index of each unit; ``None`` for one group.
            times: number of equal units that each row represents. Default: 1.
        """
        squares = (left_out - look_up_by_group(self.value, group)) ** 2
        sums = (squares, self.variance), (squares * squares, self.fourth), (evidence, self.counts)
        for unit_sums, total_sums in sums:
            total_sums += (
                sum_groups(unit_sums, group, len(self.value))
                if times is None
                else times @ unit_sums
            )

    @property
    def moments(self) -> Moments:
        """Sums so far."""
        counts = (np.repeat(x, 3, axis=1) for x in np.split(self.counts, 3, axis=1))
        return Moments(self.value, self.variance, self.fourth, *counts)


def compute_moments(
    rows: Any,
    statistic: Statistic,
    group: Ints | None = None,
    n_groups: int = 1,
    times: Ints | None = None,
    observed: Statistic | None = None,
) -> Moments:
    """Compute figures of one or more groups of units, and sums of their changes without one unit.

    Args:
        rows: summands of each unit, (units, columns), dense or a csr_array; units with only zeros
            may be left out.
        statistic: function from sums to figures in threes: observed, expected, corrected.
        group: group index of each unit; ``None`` for one group.
        n_groups: number of groups.
        times: number of equal units that each row represents. Default: 1.
        observed: faster function from sums to the observed figures alone, applied to single
            units. Default: every third figure of `statistic`.
    """
    observed = observed or (lambda sums: statistic(sums)[:, ::3])
    with np.errstate(all="ignore"):
        total = sum_groups(rows, group, n_groups) if times is None else (times @ rows)[None]
        changes = Changes(statistic(total))
        n_columns = max(rows.shape[1], changes.value.shape[1])
        # each batch costs an addition for every group
        batch_size = max(1 if group is None else n_groups, _CELLS // n_columns)
        for start in range(0, rows.shape[0], batch_size):
            batch = slice(start, start + batch_size)
            batch_rows = rows[batch] if isinstance(rows, np.ndarray) else rows[batch].toarray()
            batch_group = None if group is None else group[batch]
            left_out = statistic(look_up_by_group(total, batch_group) - batch_rows)
            batch_times = None if times is None else times[batch]
            changes.add(left_out, _mask_evidence(observed(batch_rows)), batch_group, batch_times)
    return changes.moments


# --- intervals ----------------------------------------------------------------------------------


class IntervalEnds(NamedTuple):
    """Ends of intervals, (groups, figures, 2), and a mask of exact intervals, (groups, figures)."""

    ends: Floats
    exact: Bools


def compute_ends(sums: Moments, tail: float, shares: Any = True) -> IntervalEnds:
    """Compute the ends of the intervals of figures.

    Ends of shares of agreement are computed on the scale of log odds.

    Args:
        sums: figures and their changes.
        tail: probability beyond each end.
        shares: mask of the figures that are shares of agreement; (figures,) or one for all.
    """
    value = sums.value
    is_share = np.broadcast_to(np.asarray(shares, np.bool_), value.shape[1:])
    with np.errstate(all="ignore"):
        n_fewest = np.minimum(sums.n_wrong, sums.n_right)
        is_chance = np.arange(value.shape[1]) % 3 == 1
        exact = is_share & ~is_chance & (n_fewest <= 1)
        ends = compute_t_ends(value, sums.variance, sums.freedom, tail, is_share)
        ends[exact] = _compute_exact_ends(sums, n_fewest, tail)[exact]
        has_two = np.where(is_share, sums.n_units, np.maximum(sums.n_units, 2)) > 1
        varies = exact | (np.sqrt(sums.variance) > TIE)
        ends[~(has_two & varies & ~np.isnan(value))] = np.nan
    return IntervalEnds(ends, exact)


def _compute_floors(value: Floats) -> Floats:
    """Compute the lowest possible value of each figure; (groups, figures).

    Observed and expected figures have 0. The corrected figure (o − e) / (1 − e) has −e / (1 − e),
    its value without any match.
    """
    expected = value[:, 1::3]
    zero = np.zeros_like(expected)
    return np.stack((zero, zero, -expected / (1 - expected)), axis=2).reshape(value.shape)


def compute_t_ends(
    value: Floats, variance: Floats, degrees: Floats, tail: float, shares: Any
) -> Floats:
    """Compute the ends of Student t intervals, of shares on log odds; (groups, figures, 2).

    Args:
        value: figures in threes; (groups, figures).
        variance: variance of each figure; (groups, figures).
        degrees: degrees of freedom of each variance; (groups, figures).
        tail: probability beyond each end.
        shares: mask of the figures that are shares of agreement.
    """
    from scipy.special import expit, logit, stdtrit  # take a tenth of a second to import

    t, standard_error = -stdtrit(degrees, tail), np.sqrt(variance)
    with np.errstate(all="ignore"):
        floor = np.where(shares, _compute_floors(value), 0.0)
        share = (value - floor) / (1 - floor)
        half_width = t * standard_error / ((1 - floor) * share * (1 - share))
        signs = np.array([-1.0, 1.0])
        on_log_odds = expit(logit(share)[..., None] + half_width[..., None] * signs)
        on_scale = value[..., None] + (t * standard_error)[..., None] * signs
        low = floor[..., None]
        ends: Floats = np.where(
            np.asarray(shares)[..., None], on_log_odds * (1 - low) + low, on_scale
        )
    return ends


def _compute_exact_ends(sums: Moments, n_fewest: Floats, tail: float) -> Floats:
    """Compute Clopper & Pearson's ends, as if each document were entirely right or wrong.

    Args:
        sums: figures, and numbers of units.
        n_fewest: smaller of the numbers of wrong and right units; (groups, figures).
        tail: probability beyond each end.

    Returns:
        Ends; (groups, figures, 2).
    """
    floor = _compute_floors(sums.value)[..., None]
    upper = compute_greatest_share(n_fewest, np.maximum(sums.n_units, n_fewest + TIE), tail)
    wrong_are_fewer = (sums.n_wrong <= sums.n_right)[..., None]
    ends_near_one, ends_near_zero = (
        np.stack((1 - upper, np.ones_like(upper)), -1),
        np.stack((0 * upper, upper), -1),
    )
    ends = np.where(wrong_are_fewer, ends_near_one, ends_near_zero) * (1 - floor) + floor
    # a long document may change a figure by more than one n-th, so widen the interval to contain it
    with_value = (np.fmin(ends[..., 0], sums.value), np.fmax(ends[..., 1], sums.value))
    return np.stack(with_value, axis=-1)


def build_intervals(
    sums: Moments, jackknife: Jackknife, shares: Any = True
) -> list[list[Interval]]:
    """Build the intervals of each group, one :class:`Interval` for each three figures.

    Args:
        sums: figures and their changes.
        jackknife: options of the intervals.
        shares: mask of the figures that are shares of agreement; (figures,) or one for all.
    """
    ends, is_exact = compute_ends(sums, jackknife.tail, shares)
    undefined = np.isnan(ends[..., 0])
    few_units = np.where(sums.n_units < 1, FEW.format(0), FEW.format(1))
    conditions = [
        ~undefined,
        shares & (sums.n_units < 2),
        np.isnan(sums.value),
        np.sqrt(sums.variance) <= TIE,
    ]
    reason = np.select(conditions, ["", few_units, _ITSELF, _SAME], _WITHOUT)
    is_exact &= sums.n_units > 1
    columns = (reason, is_exact, sums.n_units, sums.n_wrong, sums.n_right)
    groups = zip(ends.tolist(), *(column.tolist() for column in columns), strict=True)
    return [
        [
            _build_interval(*(column[k : k + 3] for column in columns_of_group))
            for k in range(0, len(columns_of_group[0]), 3)
        ]
        for columns_of_group in groups
    ]


def _build_interval(
    ends: Sequence[Sequence[float]],
    reasons: Sequence[str],
    is_exact: Sequence[bool],
    n_units: Sequence[float],
    n_wrong: Sequence[float],
    n_right: Sequence[float],
) -> Interval:
    """Build the interval of three figures: observed, expected and corrected.

    The sequences have one entry for each figure; a reason is empty if the ends are defined.
    """
    figures_by_reason: dict[str, list[str]] = {}
    for figure, reason in zip(ScoreValues._fields, reasons, strict=True):
        if reason:
            figures_by_reason.setdefault(reason, []).append(figure)
    remarks = [f"{', '.join(names)}: {reason}" for reason, names in figures_by_reason.items()]
    if is_exact[0] and not reasons[0]:
        noun, n_units_with = min(("error", n_wrong[0]), ("match", n_right[0]), key=lambda x: x[1])
        remarks.append(f"exact, as {n_units_with:.0f} of {n_units[0]:.0f} hold any {noun}")
    observed, expected, corrected = ((low, high) for low, high in ends)
    method = EXACT if is_exact[0] else JACKKNIFE
    return Interval(observed, expected, corrected, "; ".join(remarks), method)


def build_undefined_interval(reason: str) -> Interval:
    """Build an undefined interval with its reason."""
    ends = (UNDEFINED, UNDEFINED)
    return Interval(ends, ends, ends, f"{', '.join(ScoreValues._fields)}: {reason}", JACKKNIFE)


# --- evidence for figures, and means of figures --------------------------------------------------


def count_evidence(
    rows: Floats, statistic: Statistic, group: Ints | None = None, n_groups: int = 1
) -> Ints:
    """Count the units that give evidence for figures; (groups, figures / 3, 3).

    A unit gives evidence if it has anything to compare, an error, or a match.

    Args:
        rows: summands of each unit; (units, columns).
        statistic: function from sums to figures in threes: observed, expected, corrected.
        group: group index of each unit; ``None`` for one group.
        n_groups: number of groups.

    Returns:
        Numbers of units with anything to compare, with an error, and with a match, on the last
        axis.
    """
    with np.errstate(all="ignore"):
        marks = _mask_evidence(statistic(rows)[:, ::3])
    counts = sum_groups(marks, group, n_groups).reshape(n_groups, 3, -1)
    return counts.transpose(0, 2, 1).astype(np.int64)


def _mask_evidence(observed: Floats) -> Bools:
    """Mask units with anything to compare, units with an error, and units with a match.

    Args:
        observed: observed figures of each unit alone; (units, figures / 3).

    Returns:
        Three masks of (units, figures / 3) next to each other; (units, figures).
    """
    marks = (~np.isnan(observed), observed < 1 - TIE, observed > TIE)
    return np.concatenate(marks, axis=1)


def compute_mean_moments(
    rows: Floats,
    statistic: Statistic,
    part_index: Ints,
    mean_of_part: Ints,
    unit_index: Ints,
    mean_of_unit: Ints,
    n_means: int,
    combine: Statistic,
) -> Moments:
    """Compute means of figures over parts, such as labels or pairs, and their changes.

    A unit changes only the parts to which it adds something.

    Args:
        rows: summands of each unit for each part; (entries, columns).
        statistic: function from the sums of a part to its figures, in threes.
        part_index: part of each entry; (entries,).
        mean_of_part: mean that each part belongs to; (parts,).
        unit_index: unit of each entry, ascending; (entries,).
        mean_of_unit: mean that each unit changes; (units,).
        n_means: number of means.
        combine: function from the sums of figures, followed by the numbers of defined figures, to
            means.
    """
    n_units = len(mean_of_unit)
    first_row = np.searchsorted(unit_index, np.arange(n_units + 1))
    with np.errstate(all="ignore"):
        total = sum_groups(rows, part_index, len(mean_of_part))
        defined = append_defined_mask(statistic(total))
        sums = sum_groups(defined, mean_of_part, n_means)
        changes = Changes(combine(sums))
        start, batch_size = 0, _CELLS // defined.shape[1]
        while start < n_units:
            stop = max(
                start + 1,
                int(np.searchsorted(first_row, first_row[start] + batch_size, "right")) - 1,
            )
            batch = slice(first_row[start], first_row[stop])
            batch_part, batch_unit, batch_mean = (
                part_index[batch],
                unit_index[batch] - start,
                mean_of_unit[start:stop],
            )
            left_out = append_defined_mask(
                statistic(look_up_by_group(total, batch_part) - rows[batch])
            )
            mean_change = sum_groups(
                left_out - look_up_by_group(defined, batch_part), batch_unit, stop - start
            )
            marks = _mask_evidence(statistic(rows[batch])[:, ::3])
            evidence = sum_groups(marks, batch_unit, stop - start) > 0
            changes.add(
                combine(look_up_by_group(sums, batch_mean) + mean_change), evidence, batch_mean
            )
            start = stop
    return changes.moments


def append_defined_mask(figures: Floats) -> Floats:
    """Replace undefined figures by 0, and append a mask of the defined figures as columns."""
    is_defined = ~np.isnan(figures)
    return np.concatenate((np.where(is_defined, figures, 0), is_defined), axis=1)
