"""The expected disorder of γ: random annotations, drawn until the error is small enough.

The *cost* of an alignment is its disorder, weighted as for γ; its *gap* is the largest possible
excess over the cost of the best alignment. With x the cost and G the control variate of a draw (see
:mod:`spanagree.units.control`), the expected cost is estimated by

    mean x − b · (mean G − E G),   b = cov(x, G) / var(G),

and its standard error is that of the residuals of this regression. Sums of draws are shaped
(draws, documents).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from spanagree.arrays import Floats
from spanagree.parts.workers import yield_outcomes
from spanagree.uncertainty.confidence import Jackknife
from spanagree.units.control import compute_expected_gains, is_affordable
from spanagree.units.dissimilarity import Dissimilarity
from spanagree.units.sampling import (
    AlignmentSums,
    Continuum,
    Sampling,
    concatenate_draws,
    sum_draws,
)
from spanagree.units.time_limit import Deadline

if TYPE_CHECKING:
    from concurrent.futures import Executor  # takes a while to load

FIRST_DRAWS = 12
"""Number of draws before the standard error is first estimated."""

_PORTION = 6  # number of draws in a worker's batch, if draws are small
_SMALL = 500  # largest number of units of a small draw
_LEAST = 4  # smallest number of draws with a standard error
_MOST = 10_000  # largest number of draws


class GammaTask(NamedTuple):
    """Options of the computation of γ.

    Attributes:
        dissimilarity: dissimilarity of two units.
        sampling: sampler of random annotations, and precision.
        jackknife: request for intervals; ``None`` without.
        executor: executor of the draws; ``None`` for the current process.
        progress: callback that receives the number of finished draws, and of all if known.
        deadline: end of the time.
    """

    dissimilarity: Dissimilarity
    sampling: Sampling
    jackknife: Jackknife | None
    executor: Executor | None
    progress: Callable[[int, int], None] | None
    deadline: Deadline


class ExpectedDisorder(NamedTuple):
    """Estimate of the expected disorder, with its draws.

    Attributes:
        drawn: sums of each draw.
        cost: expected cost of each document.
        total: expected cost of all documents.
        error: standard error of the total.
        gap: largest possible excess of the total over that of best alignments.
        is_cut: True if the time ended before the error was small enough.
    """

    drawn: AlignmentSums
    cost: Floats
    total: float
    error: float
    gap: float
    is_cut: bool = False


def sample_expected(
    continuum: Continuum,
    observed: AlignmentSums,
    job: GammaTask,
    report_progress: Callable[[int, int], None],
) -> ExpectedDisorder:
    """Estimate the expected disorder from draws, until the error is small or the time is over.

    The standard errors of γ and γ_cat must be at most the precision.

    Args:
        continuum: documents and units.
        observed: sums of the observed alignment.
        job: options of the computation.
        report_progress: callback that receives the number of finished draws, and of all if known.
    """
    sampling, deadline = job.sampling, job.deadline
    known_gain = None
    # after the deadline only a few draws follow, too few to repay the computation of the mean
    if sampling.sampler == "chance" and not deadline.is_over and is_affordable(continuum.corpus):
        known_gain = compute_expected_gains(
            continuum.corpus, sampling.chance, continuum.annotators, job.dissimilarity
        )
    draws: list[AlignmentSums] = []
    n_done, n_needed = 0, FIRST_DRAWS
    batch_size = _PORTION if len(continuum.units.start) <= _SMALL else 1
    while True:
        draw_indices = range(n_done, n_needed)
        batches = [
            draw_indices[i : i + batch_size] for i in range(0, len(draw_indices), batch_size)
        ]
        for batch_sums in _draw_batches(continuum, batches, job):
            draws.append(batch_sums)
            n_done += len(batch_sums.cost)
            report_progress(n_done, n_needed)
        if n_done < n_needed:  # the time is over
            if n_done < _LEAST:  # without a search for the best alignments
                remaining_indices = range(n_done, _LEAST)
                draws.append(
                    sum_draws(continuum, job.dissimilarity, sampling, remaining_indices, deadline)
                )
            return estimate_expected_cost(concatenate_draws(draws), known_gain)._replace(
                is_cut=True
            )
        expected = estimate_expected_cost(concatenate_draws(draws), known_gain)
        error = _compute_largest_error(observed, expected)
        if not error > sampling.precision or n_done >= _MOST:
            return expected
        n_wanted = math.ceil(n_done * (error / sampling.precision) ** 2 * 1.05)
        n_needed = min(max(n_wanted, n_done + _PORTION), 4 * n_done, _MOST)


def _draw_batches(
    continuum: Continuum, batches: Sequence[Sequence[int]], job: GammaTask
) -> Iterator[AlignmentSums]:
    """Yield the sums of each batch of draws, in order, until the deadline.

    Args:
        continuum: documents and units.
        batches: indices of the draws of each batch.
        job: options of the computation.
    """
    settings = continuum, job.dissimilarity, job.sampling
    if job.executor is None:
        for draw_indices in batches:
            if job.deadline.is_over:
                return
            yield sum_draws(*settings, draw_indices, job.deadline)
        return
    tasks = (
        ((*settings, draw_indices, job.deadline), "a portion of draws") for draw_indices in batches
    )
    for batch_sums, error in yield_outcomes(tasks, sum_draws, job.executor):
        if error is not None:
            raise error
        if job.deadline.is_over:
            return
        yield batch_sums


def _compute_largest_error(observed: AlignmentSums, expected: ExpectedDisorder) -> float:
    """Compute the larger of the standard errors of γ and γ_cat from sampling.

    Args:
        observed: sums of the observed alignment.
        expected: estimate of the expected disorder.
    """
    cost = math.fsum(observed.cost[0].tolist())
    error_of_gamma = cost / expected.total**2 * expected.error if expected.total > 0 else 0.0
    category_sum, weight = observed.categories[0][:, 0].sum(0).tolist()
    ratio, error = compute_ratio(expected.drawn.categories.sum(1)[:, 0])
    error_of_cat = category_sum / weight / ratio**2 * error if weight > 0 and ratio > 0 else 0.0
    return max(error_of_gamma, error_of_cat)


def compute_ratio(sums: Floats) -> tuple[float, float]:
    """Compute the ratio of two sums over draws, and its standard error.

    Args:
        sums: numerator and denominator of each draw; (draws, 2).
    """
    numerator, denominator = (math.fsum(column) for column in sums.T.tolist())
    if not denominator > 0:
        return 0.0, 0.0
    residuals = (sums[:, 0] - numerator / denominator * sums[:, 1]) / (denominator / len(sums))
    return numerator / denominator, math.sqrt(
        float(residuals @ residuals) / (len(residuals) - 1) / len(residuals)
    )


def estimate_expected_cost(draws: AlignmentSums, known_gain: Floats | None) -> ExpectedDisorder:
    """Estimate the expected cost, with the control variate if its expectation is known.

    Args:
        draws: sums of each draw.
        known_gain: expectation of the control variate of each document; ``None`` if unknown.
    """
    n_draws = len(draws.cost)
    cost_by_draw, mean_cost = draws.cost.sum(1), draws.cost.mean(0)
    residuals = cost_by_draw - cost_by_draw.mean()
    degrees = n_draws - 1
    if known_gain is not None:
        gain_residuals = draws.gain.sum(1) - draws.gain.sum(1).mean()
        if (gain_squares := float(gain_residuals @ gain_residuals)) > 0:
            slope = float(gain_residuals @ residuals) / gain_squares
            mean_cost = mean_cost - slope * (draws.gain.mean(0) - known_gain)
            residuals, degrees = residuals - slope * gain_residuals, n_draws - 2
    error = math.sqrt(float(residuals @ residuals) / degrees / n_draws)
    gap = math.fsum(draws.gap.mean(0).tolist())
    return ExpectedDisorder(draws, mean_cost, math.fsum(mean_cost.tolist()), error, gap)
