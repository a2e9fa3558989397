"""The expected disorder of γ: random annotations, drawn until the error is small enough."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from spanagree.arrays import Floats
from spanagree.parts.workers import by_workers
from spanagree.uncertainty.confidence import Jackknife
from spanagree.units.control import expected_gains, is_cheap
from spanagree.units.dissimilarity import Dissimilarity
from spanagree.units.sampling import Continuum, Drawn, Sampling, draw, joined
from spanagree.units.time_limit import Deadline

if TYPE_CHECKING:
    from concurrent.futures import Executor  # takes a while to load

FIRST_DRAWS = 12
"""Draws by which the standard error is first known."""

_PORTION = 6  # draws that a worker makes at a time, if they are small
_SMALL = 500  # units of one draw
_LEAST = 4  # draws, fewer of which have no standard error
_MOST = 10_000  # draws


class Job(NamedTuple):
    """How γ is to be computed.

    Attributes:
        dissimilarity: of two units.
        sampling: where random annotations come from, and how many.
        jackknife: the request for intervals, if there was one.
        executor: whose workers draw.
        progress: called with the number of draws made, and of all as far as known.
        deadline: end of the time.
    """

    dissimilarity: Dissimilarity
    sampling: Sampling
    jackknife: Jackknife | None
    executor: Executor | None
    progress: Callable[[int, int], None] | None
    deadline: Deadline


class Expected(NamedTuple):
    """What was drawn, and what is made of it.

    Attributes:
        drawn: the draws.
        cost: the expected cost of each document.
        total: of all documents.
        error: its standard error.
        gap: by how much the total may be above that of best alignments, of all documents.
        is_cut: whether the time ended before the error was small enough.
    """

    drawn: Drawn
    cost: Floats
    total: float
    error: float
    gap: float
    is_cut: bool = False


def sampled(
    continuum: Continuum, observed: Drawn, job: Job, report_progress: Callable[[int, int], None]
) -> Expected:
    """Draw until the standard errors of γ and γ_cat are below the precision, or the time is over.

    ``report_progress`` is called with the number of draws made, and of all as far as known.
    """
    sampling, deadline = job.sampling, job.deadline
    known = None
    # when the time is over, the few draws that are left do not repay the work for a known mean
    if sampling.sampler == "chance" and not deadline.is_over and is_cheap(continuum.corpus):
        known = expected_gains(
            continuum.corpus, sampling.chance, continuum.annotators, job.dissimilarity
        )
    parts: list[Drawn] = []
    done, needed = 0, FIRST_DRAWS
    size = _PORTION if len(continuum.units.start) <= _SMALL else 1
    while True:
        numbers = range(done, needed)
        portions = [numbers[i : i + size] for i in range(0, len(numbers), size)]
        for part in _portions(continuum, portions, job):
            parts.append(part)
            done += len(part.cost)
            report_progress(done, needed)
        if done < needed:  # the time is over
            if done < _LEAST:  # without a search for the best alignments
                rest = range(done, _LEAST)
                parts.append(draw(continuum, job.dissimilarity, sampling, rest, deadline))
            return estimate(joined(parts), known)._replace(is_cut=True)
        expected = estimate(joined(parts), known)
        error = _relative(observed, expected)
        if not error > sampling.precision or done >= _MOST:
            return expected
        more = math.ceil(done * (error / sampling.precision) ** 2 * 1.05)
        needed = min(max(more, done + _PORTION), 4 * done, _MOST)


def _portions(continuum: Continuum, portions: Sequence[Sequence[int]], job: Job) -> Iterator[Drawn]:
    """Yield what each portion of draws adds up to, in order, as long as there is time."""
    settings = continuum, job.dissimilarity, job.sampling
    if job.executor is None:
        for numbers in portions:
            if job.deadline.is_over:
                return
            yield draw(*settings, numbers, job.deadline)
        return
    tasks = (((*settings, numbers, job.deadline), "a portion of draws") for numbers in portions)
    for drawn, error in by_workers(tasks, draw, job.executor):
        if error is not None:
            raise error
        if job.deadline.is_over:
            return
        yield drawn


def _relative(observed: Drawn, expected: Expected) -> float:
    """Return the greater of the standard errors of γ and γ_cat, which come from those expected."""
    cost = math.fsum(observed.cost[0].tolist())
    of_gamma = cost / expected.total**2 * expected.error if expected.total > 0 else 0.0
    unlike, weight = observed.categories[0][:, 0].sum(0).tolist()
    ratio, error = ratio_of(expected.drawn.categories.sum(1)[:, 0])
    of_cat = unlike / weight / ratio**2 * error if weight > 0 and ratio > 0 else 0.0
    return max(of_gamma, of_cat)


def ratio_of(sums: Floats) -> tuple[float, float]:
    """Return the ratio of two sums over draws, (draws, 2), and its standard error."""
    over, under = (math.fsum(column) for column in sums.T.tolist())
    if not under > 0:
        return 0.0, 0.0
    residuals = (sums[:, 0] - over / under * sums[:, 1]) / (under / len(sums))
    return over / under, math.sqrt(
        float(residuals @ residuals) / (len(residuals) - 1) / len(residuals)
    )


def estimate(drawn: Drawn, known: Floats | None) -> Expected:
    """Return the mean cost, with the control variate if its mean is known."""
    count = len(drawn.cost)
    costs, cost = drawn.cost.sum(1), drawn.cost.mean(0)
    residuals = costs - costs.mean()
    freedom = count - 1
    if known is not None:
        gain = drawn.gain.sum(1) - drawn.gain.sum(1).mean()
        if (spread := float(gain @ gain)) > 0:
            slope = float(gain @ residuals) / spread
            cost = cost - slope * (drawn.gain.mean(0) - known)
            residuals, freedom = residuals - slope * gain, count - 2
    error = math.sqrt(float(residuals @ residuals) / freedom / count)
    gap = math.fsum(drawn.gap.mean(0).tolist())
    return Expected(drawn, cost, math.fsum(cost.tolist()), error, gap)
