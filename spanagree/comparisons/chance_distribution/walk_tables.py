"""What all walks share: tables that hold, for each state, in how many ways each match comes about.

The last axis of a table counts ways by match, 0, 1, …; or where only moments are wanted, or matches
are not whole numbers, it holds (1, Σ, Σ²), or (1, Σ), of the match over all ways.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from spanagree.arrays import Bools, Floats, Ints

_ROUNDED = 1e-14  # a variance below this share of the mean square is 0 but for rounding


def add_shifted(target: Floats, part: Floats, gain: float, moments: bool) -> None:
    """Add to ways those in which all matches rise by ``gain``; or if asked, to their moments."""
    if not gain:
        target += part
    elif moments:
        add_moments(target, part, gain)
    else:
        rise = int(gain)
        target[..., rise:] += part[..., : part.shape[-1] - rise]


def add_moments(target: Floats, part: Floats, gain: float | Ints | Floats) -> None:
    """Add to moments those of ways whose matches rise by ``gain``, one for all or for each."""
    target[..., 0] += part[..., 0]
    target[..., 1] += part[..., 1] + gain * part[..., 0]
    if target.shape[-1] > 2:
        target[..., 2] += part[..., 2] + gain * (2 * part[..., 1] + gain * part[..., 0])


def one_more(used: Iterable[int], axes: int) -> tuple[tuple[slice, ...], tuple[slice, ...]]:
    """Return which states can use one more of some kinds, and the states that they lead to.

    Each of the first axes of a table counts how many segments of a kind are used.
    """
    used = set(used)
    before = tuple(slice(None, -1) if i in used else slice(None) for i in range(axes))
    after = tuple(slice(1, None) if i in used else slice(None) for i in range(axes))
    return before, after


def carry(table: Floats, keep: Bools | None) -> None:
    """Add to every border what came to those before it; (annotations, borders, bits, …).

    Args:
        table: the ways in which a segment ends at each border; afterwards those in which one ended
            there or before.
        keep: whether what is between a border and the one before keeps the bit, if there is one.
    """
    if keep is None:
        np.cumsum(table, axis=1, out=table)
        return
    for p in range(1, table.shape[1]):
        kept = table[:, p - 1, 1] * keep[:, p, None]
        table[:, p, 1] += kept
        table[:, p, 0] += table[:, p - 1, 0]
        table[:, p, 0] += table[:, p - 1, 1] - kept  # either is 0, so no digit is lost


def results_of(ways: Floats, moments: bool) -> list[Floats]:
    """Return the distribution, or mean and variance, of each row of ways."""
    if not moments:
        distributions = ways / ways.sum(axis=1, keepdims=True)
        return [p[: np.flatnonzero(p)[-1] + 1] for p in distributions]
    mean, square = (ways[:, 1:] / ways[:, :1]).T
    variance = square - mean**2
    variance[variance <= _ROUNDED * square] = 0
    return list(np.stack((mean, variance), axis=1))


def add_independent(results: list[Floats | None], place: int, added: Floats, moments: bool) -> None:
    """Add to a result that is known one which is independent of it."""
    before = results[place]
    if before is not None:
        results[place] = before + added if moments else np.convolve(before, added)


def mixture(ways: Sequence[Floats | None], moments: bool) -> Floats | None:
    """Return the distribution over ways that are equally likely, or its mean and variance.

    Args:
        ways: the distribution of each, or its mean and variance; ``None`` if it is not known.
        moments: whether means and variances are given, and returned.
    """
    known = [way for way in ways if way is not None]
    if len(known) < len(ways):
        return None
    if moments:
        mean, spread = np.stack(known).T
        mean_of_all = mean.mean()
        return np.array([mean_of_all, spread.mean() + ((mean - mean_of_all) ** 2).mean()])
    total = np.zeros(max(map(len, known)))
    for way in known:
        total[: len(way)] += way
    return total / len(known)
