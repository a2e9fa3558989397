"""Intervals of figures that are functions of sums over documents: the delete-one jackknife.

F1 and its kin are ratios of sums over documents, so the documents are a cluster sample. Each is
left out once; with d the change of a figure R, about R itself (MacKinnon, Nielsen & Webb 2023),

    V = Σ d²,   df = 2 V² / (Σ d⁴ − V²/n),   from 1 to n − 1,

where df = 2 V² / var(V) is Satterthwaite's definition (1946), and var(V) is estimated from the same
summands. Few or unequal documents have few degrees of freedom by that alone; nothing is tuned. A
share of agreement p, between the lowest value of its figure and 1, has the interval

    logit p ± t(df) · √V / (p (1 − p)),

turned back; other figures have R ± t(df) · √V. Nothing is drawn: the same documents in any order
have the same interval, but for the last digits of sums.

Where at most one document holds an error, or at most one a match, leaving out documents tells too
little. There the interval is Clopper & Pearson's (1934) for the share of such documents, as if
such a document were all wrong, or all right.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from spanagree.arrays import Bools, Floats, Ints
from spanagree.results.score import UNDEFINED, Figures, Interval
from spanagree.settings import EXACT, JACKKNIFE
from spanagree.uncertainty.clopper_pearson import greatest_share
from spanagree.uncertainty.confidence import Jackknife

Statistic: TypeAlias = Callable[[Floats], Floats]
"""From sums, (rows, columns), to figures, (rows, figures); ``nan`` where undefined."""

TIE = 1e-12
"""Figures that are no further apart are the same.

Rounding leaves about 2⁻⁵² of each change, and √n times as much of the standard error of n documents
that are all alike, which is less than this up to ten million.
"""

FEW = "only {} with anything to compare; an interval needs two"
_CELLS = 1 << 17  # of a temporary array, which fits into the processor's cache
_LEAST = 1e-300
_EPSILON = float(np.finfo(np.float64).eps)

_ITSELF = "the figure itself is undefined"
_SAME = "the same whichever is left out, which tells nothing of others"
_WITHOUT = "undefined without one of those it rests on"


class Moments(NamedTuple):
    """Figures and the sums of their changes when one unit is left out; each (groups, figures).

    Attributes:
        value: figures over all units.
        variance: sum of squared changes.
        fourth: sum of their fourth powers.
        n_units: number of units with anything to compare.
        n_wrong: number of these that hold an error or a disagreement.
        n_right: number of these that hold a match.
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


def satterthwaite(variance: Floats, fourth: Floats, n_units: Any) -> Floats:
    """Compute degrees of freedom of a variance that is a sum of squares.

    >>> satterthwaite(np.array([4.0, 4.0]), np.array([4.0, 16.0]), 4)  # four alike; one alone
    array([3.        , 2.66666667])
    """
    with np.errstate(all="ignore"):
        freedom = 2 * variance**2 / np.maximum(fourth - variance**2 / n_units, _LEAST)
        return np.asarray(np.clip(freedom, 1, np.maximum(n_units - 1, 1)), np.float64)


def group_sums(values: Any, group: Ints | None, n_groups: int) -> Floats:
    """Compute the sums of rows by group; (groups, columns).

    Args:
        values: (rows, columns), best with contiguous columns; of one group also a csr_array.
        group: number of the group of each row; ``None`` of one group.
        n_groups: number of groups.
    """
    if group is None:
        return np.asarray(values.sum(axis=0), np.float64)[None]
    return np.stack([np.bincount(group, column, n_groups) for column in values.T], axis=1)


def of_groups(values: Floats, group: Ints | None) -> Floats:
    """Return the values of the group of each row, each column contiguous; (rows, columns)."""
    return values if group is None else values.T[:, group].T


def beyond_rounding(sums: Floats, sizes: Floats, operations: int) -> Bools:
    """Mark sums of squares that are more than what rounding leaves of terms that cancel.

    Args:
        sums: of terms with a sign.
        sizes: the same sums without signs.
        operations: number of additions for each, with half an epsilon of error, and as much in
            terms.
    """
    beyond: Bools = sums > operations * _EPSILON * sizes
    return beyond


class Changes:
    """The sums over changes of figures, to which units are added in portions."""

    def __init__(self, value: Floats) -> None:
        """Begin with figures over all units; (groups, figures)."""
        self.value = value
        self.variance, self.fourth, self.counts = np.zeros((3, *value.shape))

    def add(
        self,
        left_out: Floats,
        evidence: Bools,
        group: Ints | None = None,
        times: Ints | None = None,
    ) -> None:
        """Add units.

        Args:
            left_out: figures of the group of each unit without the unit; (units, figures).
            evidence: marks of each unit, as of :func:`_evidence`; (units, figures).
            group: number of the group of each unit; ``None`` of one group.
            times: number of units of one group that each one stands for. Default: one.
        """
        square = (left_out - of_groups(self.value, group)) ** 2
        sums = (square, self.variance), (square * square, self.fourth), (evidence, self.counts)
        for of_units, of_all in sums:
            of_all += (
                group_sums(of_units, group, len(self.value)) if times is None else times @ of_units
            )

    @property
    def moments(self) -> Moments:
        """The sums."""
        counts = (np.repeat(x, 3, axis=1) for x in np.split(self.counts, 3, axis=1))
        return Moments(self.value, self.variance, self.fourth, *counts)


def moments(
    rows: Any,
    statistic: Statistic,
    group: Ints | None = None,
    n_groups: int = 1,
    times: Ints | None = None,
    observed: Statistic | None = None,
) -> Moments:
    """Compute figures of one or more groups of units, and their changes without one unit.

    Args:
        rows: what each unit adds to the sums, (units, columns), dense or a csr_array; a unit that
            adds nothing needs no row.
        statistic: from sums to figures, which come in threes: observed, expected, corrected.
        group: number of the group of each unit; ``None`` of one group.
        n_groups: number of groups.
        times: number of units of one group that each row stands for. Default: one.
        observed: the same as the statistic, of which it returns the observed figures alone, for
            units by themselves. Default: it is taken from the statistic.
    """
    observed = observed or (lambda sums: statistic(sums)[:, ::3])
    with np.errstate(all="ignore"):
        total = group_sums(rows, group, n_groups) if times is None else (times @ rows)[None]
        changes = Changes(statistic(total))
        width = max(rows.shape[1], changes.value.shape[1])
        # each portion adds to all groups
        step = max(1 if group is None else n_groups, _CELLS // width)
        for low in range(0, rows.shape[0], step):
            here = slice(low, low + step)
            part = rows[here] if isinstance(rows, np.ndarray) else rows[here].toarray()
            place = None if group is None else group[here]
            left_out = statistic(of_groups(total, place) - part)
            alike = None if times is None else times[here]
            changes.add(left_out, _evidence(observed(part)), place, alike)
    return changes.moments


# --- intervals ----------------------------------------------------------------------------------


class IntervalEnds(NamedTuple):
    """The ends of intervals, (groups, figures, 2), and a mask of the exact ones."""

    ends: Floats
    exact: Bools


def ends_of(sums: Moments, tail: float, shares: Any = True) -> IntervalEnds:
    """Compute the ends of intervals.

    Args:
        sums: the figures and their changes.
        tail: probability beyond each end.
        shares: whether figures are shares of agreement, with log odds; (figures,) or one for all.
    """
    value = sums.value
    is_share = np.broadcast_to(np.asarray(shares, np.bool_), value.shape[1:])
    with np.errstate(all="ignore"):
        fewest = np.minimum(sums.n_wrong, sums.n_right)
        is_chance = np.arange(value.shape[1]) % 3 == 1
        exact = is_share & ~is_chance & (fewest <= 1)
        ends = t_ends(value, sums.variance, sums.freedom, tail, is_share)
        ends[exact] = _exact_ends(sums, fewest, tail)[exact]
        has_two = np.where(is_share, sums.n_units, np.maximum(sums.n_units, 2)) > 1
        varies = exact | (np.sqrt(sums.variance) > TIE)
        ends[~(has_two & varies & ~np.isnan(value))] = np.nan
    return IntervalEnds(ends, exact)


def _floors(value: Floats) -> Floats:
    """Return the lowest value of figures in threes; the corrected one where nothing matches."""
    expected = value[:, 1::3]
    zero = np.zeros_like(expected)
    return np.stack((zero, zero, -expected / (1 - expected)), axis=2).reshape(value.shape)


def t_ends(value: Floats, variance: Floats, freedom: Floats, tail: float, shares: Any) -> Floats:
    """Compute the ends of Student t intervals, of shares on log odds; (groups, figures, 2).

    Args:
        value: figures in threes; (groups, figures).
        variance: of each.
        freedom: degrees of freedom of the variance.
        tail: probability beyond each end.
        shares: mask of the figures that are shares of agreement.
    """
    from scipy.special import expit, logit, stdtrit  # take a tenth of a second to import

    t, error = -stdtrit(freedom, tail), np.sqrt(variance)
    with np.errstate(all="ignore"):
        floor = np.where(shares, _floors(value), 0.0)
        share = (value - floor) / (1 - floor)
        reach = t * error / ((1 - floor) * share * (1 - share))
        signs = np.array([-1.0, 1.0])
        odds = expit(logit(share)[..., None] + reach[..., None] * signs)
        linear = value[..., None] + (t * error)[..., None] * signs
        low = floor[..., None]
        ends: Floats = np.where(np.asarray(shares)[..., None], odds * (1 - low) + low, linear)
    return ends


def _exact_ends(sums: Moments, fewest: Floats, tail: float) -> Floats:
    """Compute the ends of Clopper & Pearson's intervals, where a document is all or nothing."""
    floor = _floors(sums.value)[..., None]
    most = greatest_share(fewest, np.maximum(sums.n_units, fewest + TIE), tail)
    few_wrong = (sums.n_wrong <= sums.n_right)[..., None]
    high, low = np.stack((1 - most, np.ones_like(most)), -1), np.stack((0 * most, most), -1)
    ends = np.where(few_wrong, high, low) * (1 - floor) + floor
    # a document may hold more of the sums than its share of the documents
    with_figure = (np.fmin(ends[..., 0], sums.value), np.fmax(ends[..., 1], sums.value))
    return np.stack(with_figure, axis=-1)


def intervals_of(sums: Moments, jackknife: Jackknife, shares: Any = True) -> list[list[Interval]]:
    """Build the intervals of each group, one for three figures.

    Args:
        sums: the figures and their changes.
        jackknife: the request.
        shares: whether figures are shares of agreement; (figures,) or one for all.
    """
    ends, is_exact = ends_of(sums, jackknife.tail, shares)
    undefined = np.isnan(ends[..., 0])
    few = np.where(sums.n_units < 1, FEW.format(0), FEW.format(1))
    conditions = [
        ~undefined,
        shares & (sums.n_units < 2),
        np.isnan(sums.value),
        np.sqrt(sums.variance) <= TIE,
    ]
    reason = np.select(conditions, ["", few, _ITSELF, _SAME], _WITHOUT)
    is_exact &= sums.n_units > 1
    columns = (reason, is_exact, sums.n_units, sums.n_wrong, sums.n_right)
    groups = zip(ends.tolist(), *(x.tolist() for x in columns), strict=True)
    return [
        [_interval(*(x[k : k + 3] for x in group)) for k in range(0, len(group[0]), 3)]
        for group in groups
    ]


def _interval(
    ends: Sequence[Sequence[float]],
    reasons: Sequence[str],
    is_exact: Sequence[bool],
    n_units: Sequence[float],
    n_wrong: Sequence[float],
    n_right: Sequence[float],
) -> Interval:
    """Build the interval of three figures; reasons are empty where ends are defined."""
    figures_by_reason: dict[str, list[str]] = {}
    for figure, reason in zip(Figures._fields, reasons, strict=True):
        if reason:
            figures_by_reason.setdefault(reason, []).append(figure)
    remarks = [f"{', '.join(names)}: {reason}" for reason, names in figures_by_reason.items()]
    if is_exact[0] and not reasons[0]:
        noun, few = min(("error", n_wrong[0]), ("match", n_right[0]), key=lambda x: x[1])
        remarks.append(f"exact, as {few:.0f} of {n_units[0]:.0f} hold any {noun}")
    observed, expected, corrected = ((low, high) for low, high in ends)
    kind = EXACT if is_exact[0] else JACKKNIFE
    return Interval(observed, expected, corrected, "; ".join(remarks), kind)


def no_interval(why: str) -> Interval:
    """Build an interval with no end defined, and the reason."""
    ends = (UNDEFINED, UNDEFINED)
    return Interval(ends, ends, ends, f"{', '.join(Figures._fields)}: {why}", JACKKNIFE)


# --- what figures rest on, and means of figures -------------------------------------------------


def evidence_of(
    rows: Floats, statistic: Statistic, group: Ints | None = None, n_groups: int = 1
) -> Ints:
    """Count the units that figures rest on; (groups, figures / 3, 3).

    Args:
        rows: what each unit adds to the sums; (units, columns).
        statistic: from sums to figures, which come in threes: observed, expected, corrected.
        group: number of the group of each unit; ``None`` of one group.
        n_groups: number of groups.

    Returns:
        The number of units with anything to compare, with an error, and with a match.
    """
    with np.errstate(all="ignore"):
        marks = _evidence(statistic(rows)[:, ::3])
    counts = group_sums(marks, group, n_groups).reshape(n_groups, 3, -1)
    return counts.transpose(0, 2, 1).astype(np.int64)


def _evidence(observed: Floats) -> Bools:
    """Mark units with anything to compare, then with an error, and with a match.

    Args:
        observed: observed figures of each unit alone; (units, figures / 3).

    Returns:
        The marks of all figures, one kind after the other; (units, figures).
    """
    marks = (~np.isnan(observed), observed < 1 - TIE, observed > TIE)
    return np.concatenate(marks, axis=1)


def mean_moments(
    rows: Floats,
    statistic: Statistic,
    part: Ints,
    mean_of_part: Ints,
    unit: Ints,
    mean_of_unit: Ints,
    n_means: int,
    combine: Statistic,
) -> Moments:
    """Compute means of figures over parts, such as labels or pairs, and their changes.

    A unit changes only the parts to which it adds something.

    Args:
        rows: what each unit adds to the sums of each part; (entries, columns).
        statistic: from the sums of a part to its figures, in threes.
        part: number of the part of each entry.
        mean_of_part: number of the mean that each part is in; (parts,).
        unit: number of the unit of each entry, ascending.
        mean_of_unit: number of the mean that each unit changes; (units,).
        n_means: number of means.
        combine: from sums of figures, and behind them the numbers of defined ones, to means.
    """
    n_units = len(mean_of_unit)
    first = np.searchsorted(unit, np.arange(n_units + 1))
    with np.errstate(all="ignore"):
        total = group_sums(rows, part, len(mean_of_part))
        defined = with_defined(statistic(total))
        sums = group_sums(defined, mean_of_part, n_means)
        changes = Changes(combine(sums))
        low, step = 0, _CELLS // defined.shape[1]
        while low < n_units:
            high = max(low + 1, int(np.searchsorted(first, first[low] + step, "right")) - 1)
            here = slice(first[low], first[high])
            place, unit_here, mean = part[here], unit[here] - low, mean_of_unit[low:high]
            without = with_defined(statistic(of_groups(total, place) - rows[here]))
            change = group_sums(without - of_groups(defined, place), unit_here, high - low)
            marks = _evidence(statistic(rows[here])[:, ::3])
            evidence = group_sums(marks, unit_here, high - low) > 0
            changes.add(combine(of_groups(sums, mean) + change), evidence, mean)
            low = high
    return changes.moments


def with_defined(figures: Floats) -> Floats:
    """Return figures with 0 for undefined ones, and behind them which are defined."""
    known = ~np.isnan(figures)
    return np.concatenate((np.where(known, figures, 0), known), axis=1)
