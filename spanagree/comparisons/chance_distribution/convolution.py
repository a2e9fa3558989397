"""Sums of independent whole numbers: their distribution, and tails below what a float holds."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Sequence

import numpy as np

from spanagree.arrays import Floats

_STEPS = 200  # of a search by halves, which stops when nothing changes any more
_LEAST = 1e-307
_STEEPEST = 700.0  # exp of more is no float


def convolved(distributions: Iterable[Floats]) -> Floats:
    """Return the distribution of the sum of independent whole numbers.

    All are products and sums of positive numbers, the shortest first: small probabilities keep
    their digits, which those from a Fourier transform would not. Ends that are hardly a float any
    more are left out: of very many sums nearly all would be such.

    >>> convolved([np.array([0.5, 0.5]), np.array([0.5, 0.5])]).tolist()
    [0.25, 0.5, 0.25]
    """
    shift, varying = 0, []
    for p in distributions:
        low = int(np.argmax(p > 0))
        shift += low
        if len(p) > low + 1:
            varying.append(p[low:])
    varying.sort(key=lambda p: (len(p), p.tolist()))  # canonical order
    queue = [(len(p), number, p) for number, p in enumerate(varying)]
    number = len(queue)
    while len(queue) > 1:
        first, second = heapq.heappop(queue)[2], heapq.heappop(queue)[2]
        p = np.convolve(first, second)
        there = np.flatnonzero(p > _LEAST)
        shift, p = shift + int(there[0]), p[there[0] : there[-1] + 1]
        heapq.heappush(queue, (len(p), number, p))
        number += 1
    return np.concatenate((np.zeros(shift), queue[0][2] if queue else np.ones(1)))


def log10_tail(distributions: Sequence[Floats], match: int) -> float:
    """Return the decimal logarithm of the probability that the sum is at least so much.

    The distributions are tilted, p(m) to p(m)·exp(θm)/Z, until the sum has the mean ``match``; then
    the probabilities that count are near 1, however small they were, and θ and Z give them back.

    >>> round(log10_tail([np.array([0.9, 0.1])] * 400, 400), 9)
    -400.0
    """
    varying = [p for p in distributions if len(p) > 1]
    if sum(len(p) - 1 for p in varying) < match:
        return -math.inf
    wide = max((len(p) for p in varying), default=1)
    logs = np.full((len(varying), wide), -math.inf)
    with np.errstate(divide="ignore"):
        for row, p in zip(logs, varying, strict=True):
            row[: len(p)] = np.log(p)
    places = np.arange(wide)
    theta = _tilt(logs, match)
    tilted = logs + theta * places
    top = tilted.max(axis=1, keepdims=True)
    weight = np.exp(tilted - top)
    total = weight.sum(axis=1, keepdims=True)
    p = convolved(np.trim_zeros(row, "b") for row in weight / total)
    above = np.exp(-theta * np.arange(len(p) - match)) @ p[match:]
    logarithm = math.fsum((top + np.log(total)).ravel().tolist()) - theta * match
    return (logarithm + math.log(above)) / math.log(10)


def _tilt(logs: Floats, match: int) -> float:
    """Return the θ with which the sum has about the mean ``match``; at least 0."""
    places = np.arange(logs.shape[1])
    low, high = 0.0, _STEEPEST / max(logs.shape[1], 1)
    for _ in range(_STEPS):
        theta = (low + high) / 2
        if theta in (low, high):
            break
        weight = np.exp(logs + theta * places - (logs + theta * places).max(axis=1, keepdims=True))
        mean = float((weight @ places / weight.sum(axis=1)).sum())
        low, high = (theta, high) if mean < match else (low, theta)
    return low
