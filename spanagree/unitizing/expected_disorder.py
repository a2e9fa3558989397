"""The expected disorder of γ: random annotations, drawn until the error is small enough."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from spanagree.arrays import Floats
from spanagree.blocks.run import by_workers
from spanagree.uncertainty.bootstrap import Resampling
from spanagree.unitizing.control import expected_gains
from spanagree.unitizing.dissimilarity import Dissimilarity
from spanagree.unitizing.sampling import Continuum, Drawn, Sampling, draw, joined

if TYPE_CHECKING:
    from concurrent.futures import Executor  # takes a while to load

_FIRST = 12  # draws, by which the standard error is first known
_PORTION = 6  # draws that a worker makes at a time
_MOST = 10_000  # draws


class Job(NamedTuple):
    """How γ is to be computed.

    Attributes:
        dissimilarity: of two units.
        sampling: where random annotations come from, and how many.
        resampling: how intervals are made, if they were asked for.
        executor: whose workers draw.
        progress: called with the number of draws made, and of all as far as known.
    """

    dissimilarity: Dissimilarity
    sampling: Sampling
    resampling: Resampling | None
    executor: Executor | None
    progress: Callable[[int, int], None] | None


class Expected(NamedTuple):
    """What was drawn, and what is made of it.

    Attributes:
        drawn: the draws.
        cost: the expected cost of each document.
        total: of all documents.
        error: its standard error.
    """

    drawn: Drawn
    cost: Floats
    total: float
    error: float


def sampled(continuum: Continuum, observed: Drawn, job: Job) -> Expected:
    """Draw until the standard error of γ is below the precision."""
    sampling = job.sampling
    known = None
    if sampling.sampler == "chance":
        known = expected_gains(
            continuum.corpus, sampling.chance, continuum.annotators, job.dissimilarity
        )
    cost = math.fsum(observed.cost[0].tolist())
    parts: list[Drawn] = []
    done, needed = 0, _FIRST
    while True:
        numbers = range(done, needed)
        portions = [numbers[i : i + _PORTION] for i in range(0, len(numbers), _PORTION)]
        for part in _portions(continuum, portions, job):
            parts.append(part)
            done += len(part.cost)
            if job.progress is not None:
                job.progress(done, needed)
        expected = estimate(joined(parts), known)
        error = _relative(cost, expected)
        if not error > sampling.precision or done >= _MOST:
            return expected
        more = math.ceil(done * (error / sampling.precision) ** 2 * 1.05)
        needed = min(max(more, done + _PORTION), 4 * done, _MOST)


def _portions(continuum: Continuum, portions: Sequence[Sequence[int]], job: Job) -> Iterator[Drawn]:
    """Yield what each portion of draws adds up to, in order."""
    sampling = job.sampling
    how = (sampling.sampler, sampling.chance, sampling.seed)
    if job.executor is None:
        for numbers in portions:
            yield draw(continuum, job.dissimilarity, *how, numbers)
        return
    tasks = (((continuum, job.dissimilarity, *how, numbers), "") for numbers in portions)
    for drawn, error, _ in by_workers(tasks, draw, job.executor):
        if error is not None:
            raise error
        yield drawn


def _relative(cost: float, expected: Expected) -> float:
    """Return the standard error of γ, from that of the expected cost."""
    return cost / expected.total**2 * expected.error if expected.total > 0 else 0.0


def estimate(drawn: Drawn, known: Floats | None) -> Expected:
    """Return the mean cost, with the control variate if its mean is known."""
    count = len(drawn.cost)
    costs, cost = drawn.cost.sum(1), drawn.cost.mean(0)
    rest = costs - costs.mean()
    freedom = count - 1
    if known is not None:
        gain = drawn.gain.sum(1) - drawn.gain.sum(1).mean()
        if (spread := float(gain @ gain)) > 0:
            slope = float(gain @ rest) / spread
            cost = cost - slope * (drawn.gain.mean(0) - known)
            rest, freedom = rest - slope * gain, count - 2
    error = math.sqrt(float(rest @ rest) / freedom / count)
    return Expected(drawn, cost, math.fsum(cost.tolist()), error)
