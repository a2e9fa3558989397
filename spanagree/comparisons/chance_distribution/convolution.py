"""Distributions of sums of independent integers, with tails below the smallest float.

Distributions are arrays of the probabilities of 0, 1, … No normal or Poisson approximation is used:
ten deviations from the mean, a Poisson tail differs by five orders of magnitude.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Sequence

import numpy as np

from spanagree.arrays import Floats

_MOST_HALVINGS = 200  # halvings in a bisection, which stops earlier if nothing changes
_SMALLEST = 1e-307
_LARGEST_EXPONENT = 700.0  # exp of larger numbers overflows


def convolve_distributions(distributions: Iterable[Floats]) -> Floats:
    """Compute the distribution of the sum of independent integers from 0.

    All operations are products and sums of positive numbers, from the shortest distribution to the
    longest. So small probabilities keep their digits, which they would lose in a Fourier transform.
    Probabilities at the ends that are almost too small for a float are left out, because in sums of
    many terms nearly all would be that small.

    >>> convolve_distributions([np.array([0.5, 0.5]), np.array([0.5, 0.5])]).tolist()
    [0.25, 0.5, 0.25]
    """
    shift, varying = 0, []
    for p in distributions:
        first_match = int(np.argmax(p > 0))
        shift += first_match
        if len(p) > first_match + 1:
            varying.append(p[first_match:])
    varying.sort(key=lambda p: (len(p), p.tolist()))  # canonical order
    queue = [(len(p), index, p) for index, p in enumerate(varying)]
    index = len(queue)
    while len(queue) > 1:
        first, second = heapq.heappop(queue)[2], heapq.heappop(queue)[2]
        p = np.convolve(first, second)
        kept_matches = np.flatnonzero(p > _SMALLEST)
        shift, p = shift + int(kept_matches[0]), p[kept_matches[0] : kept_matches[-1] + 1]
        heapq.heappush(queue, (len(p), index, p))
        index += 1
    return np.concatenate((np.zeros(shift), queue[0][2] if queue else np.ones(1)))


def compute_log10_tail(distributions: Sequence[Floats], match: int) -> float:
    """Compute the decimal logarithm of the probability that the sum is at least ``match``.

    The distributions are tilted, p(m) → p(m) · exp(θm) / Z, such that the sum has the mean
    ``match``. The tail of the tilted sum is not small, however small the original tail is, and θ
    and Z convert it back.

    >>> round(compute_log10_tail([np.array([0.9, 0.1])] * 400, 400), 9)
    -400.0
    """
    varying = [p for p in distributions if len(p) > 1]
    if sum(len(p) - 1 for p in varying) < match:
        return -math.inf
    width = max((len(p) for p in varying), default=1)
    logs = np.full((len(varying), width), -math.inf)
    with np.errstate(divide="ignore"):
        for row, p in zip(logs, varying, strict=True):
            row[: len(p)] = np.log(p)
    matches = np.arange(width)
    theta = _find_tilt(logs, match)
    tilted = logs + theta * matches
    largest = tilted.max(axis=1, keepdims=True)
    weight = np.exp(tilted - largest)
    total = weight.sum(axis=1, keepdims=True)
    p = convolve_distributions(np.trim_zeros(row, "b") for row in weight / total)
    tail = np.exp(-theta * np.arange(len(p) - match)) @ p[match:]
    logarithm = math.fsum((largest + np.log(total)).ravel().tolist()) - theta * match
    return (logarithm + math.log(tail)) / math.log(10)


def _find_tilt(logs: Floats, match: int) -> float:
    """Find the θ ≥ 0 with which the tilted sum has about the mean ``match``, by bisection.

    Args:
        logs: logarithms of the probabilities of 0, 1, … of each summand; (summands, values).
        match: mean that the sum should have.
    """
    matches = np.arange(logs.shape[1])
    low, high = 0.0, _LARGEST_EXPONENT / max(logs.shape[1], 1)
    for _ in range(_MOST_HALVINGS):
        theta = (low + high) / 2
        if theta in (low, high):
            break
        weight = np.exp(
            logs + theta * matches - (logs + theta * matches).max(axis=1, keepdims=True)
        )
        mean = float((weight @ matches / weight.sum(axis=1)).sum())
        low, high = (theta, high) if mean < match else (low, theta)
    return low
