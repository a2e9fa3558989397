"""Differences between slices, and a trend over slices that have an order.

Two slices of other documents have a difference whose variance is the sum of theirs; of the same
documents it is that of the differences. Leaving out each document once gives both: a document that
is in one slice alone changes that slice's figure only.

A trend is tested by permutation. If nothing changed, any document could as well have been in
another slice: so documents are shuffled among slices.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import Floats, Ints
from spanagree.results.score import UNDEFINED, f1_figures
from spanagree.systems.compare_systems import Difference
from spanagree.uncertainty.differences import LeftOut
from spanagree.uncertainty.jackknife import evidence_of
from spanagree.uncertainty.permutation import TIE

ENOUGH = 10  # documents with anything marked, of a slice whose difference from others is tested
_TWO = 2  # documents with an error, and with a match, whose figure varies as others show
_CELLS = 1 << 22  # of one temporary array
_CORRECTED = 2  # position among the three figures

_TOO_ALIKE = "p and interval: undefined, as at most one {noun} of {name} holds {what}"


class SliceTable(NamedTuple):
    """The documents of a slice, and what each adds to the figures of one system or the team.

    Attributes:
        name: name of the slice.
        keys: numbers of the documents, the same in all slices.
        table: matched, expected and size of each, and the expected size where random; (documents,
            3 or 4).
    """

    name: str
    keys: Ints
    table: Floats

    @property
    def evidence(self) -> tuple[int, int, int]:
        """The number of documents with anything marked, with an error, and with a match."""
        n_units, n_wrong, n_right = evidence_of(self.table, f1_figures)[0, 0].tolist()
        return n_units, n_wrong, n_right

    @property
    def is_tested(self) -> bool:
        """Whether there is enough to test its difference from others."""
        n_units, *informative = self.evidence
        return n_units >= ENOUGH and min(informative) >= _TWO

    def too_alike(self, noun: str) -> str:
        """Return why the figure varies more than its documents show; empty if it does not."""
        _, *informative = self.evidence
        for n_informative, what in zip(informative, ("an error", "a match"), strict=True):
            if n_informative < _TWO:
                return _TOO_ALIKE.format(noun=noun, name=self.name, what=what)
        return ""


class SliceDifference(NamedTuple):
    """The difference of two slices, the second less the first.

    Attributes:
        scored: name of the system; team in an agreement.
        a, b: names of the slices.
        both: number of documents that are in both.
        observed: difference of F1.
        corrected: difference of corrected F1.
    """

    scored: str
    a: str
    b: str
    both: int
    observed: Difference
    corrected: Difference

    @property
    def turned(self) -> SliceDifference:
        """The difference of the first slice and the second."""
        observed, corrected = self.observed.turned(), self.corrected.turned()
        return SliceDifference(self.scored, self.b, self.a, self.both, observed, corrected)


def difference(
    scored: str, two: tuple[SliceTable, SliceTable], tail: float, number: int, noun: str
) -> SliceDifference:
    """Compute the difference of two slices, with its interval and p.

    Args:
        scored: name of the system, or team.
        two: tables of the slices.
        tail: probability beyond each end of all intervals together.
        number: number of differences that p and intervals are adjusted for.
        noun: word for a document.
    """
    keys, place = np.unique(np.concatenate([part.keys for part in two]), return_inverse=True)
    rows = np.zeros((len(keys), 2, max(part.table.shape[1] for part in two)))
    for side, (part, at) in enumerate(zip(two, np.split(place, [len(two[0].keys)]), strict=True)):
        rows[at, side] = with_expected_sizes(part.table, rows.shape[2])
    both = len(two[0].keys) + len(two[1].keys) - len(keys)
    found = LeftOut.of(rows).difference(1, 0, tail, number)
    columns = found.value.tolist(), found.ends.tolist(), found.p.tolist(), found.reasons
    made = [
        Difference(value, low, high, p, min(1.0, number * p) if p == p else p, reason)
        for value, (low, high), p, reason in zip(*columns, strict=True)
    ]
    alike = [] if both == len(keys) else [why for part in two if (why := part.too_alike(noun))]
    if alike:  # then the documents of one slice say nothing of others like them
        none = UNDEFINED
        made = [Difference(x.value, none, none, none, none, alike[0]) for x in made]
    return SliceDifference(scored, two[0].name, two[1].name, both, made[0], made[1])


def with_expected_sizes(table: Floats, n_columns: int) -> Floats:
    """Return a table with the expected size too, which is the size where that is not random."""
    return table if table.shape[1] == n_columns else np.column_stack((table, table[:, 2]))


class Trend(NamedTuple):
    """The trend of corrected F1 from slice to slice.

    Attributes:
        slope: rise of corrected F1 from slice to slice, by least squares; slices weigh as their
            number of documents.
        p: how often a slope as steep comes about if documents are shuffled among slices.
    """

    slope: float = UNDEFINED
    p: float = UNDEFINED


def trend(tables: Sequence[SliceTable], resamples: int, seed: int) -> Trend:
    """Compute the slope of corrected F1, and test it by shuffling documents among slices.

    Args:
        tables: the slices in their order.
        resamples: number of permutations.
        seed: random seed of these.

    >>> right, wrong = [1.0, 0.0, 2.0], [0.0, 0.0, 2.0]
    >>> slices = [np.array([right] * n + [wrong] * (4 - n)) for n in (1, 2, 3)]
    >>> tables = [SliceTable(str(i), np.arange(4) + 4 * i, x) for i, x in enumerate(slices)]
    >>> trend(tables, 99, 0).slope
    0.25
    """
    if len(tables) < 2:
        return Trend()
    width = max(part.table.shape[1] for part in tables)
    table = np.concatenate([with_expected_sizes(part.table, width) for part in tables])
    which = np.repeat(np.arange(len(tables)), [len(part.keys) for part in tables])
    order = np.lexsort((which, *table.T))  # canonical, so that the order of documents is no matter
    table, which = table[order], which[order]
    number = np.bincount(which, minlength=len(tables))

    def slopes(drawn: Any) -> Floats:
        """Compute the slopes where documents are in other slices; (draws, documents) to (draws,)"""
        sums = np.stack([(drawn == b).astype(np.float64) @ table for b in range(len(tables))], 1)
        figures = f1_figures(sums)[..., _CORRECTED]
        weight = np.where(np.isnan(figures), 0.0, number)
        centre = (weight @ np.arange(len(tables)) / weight.sum(axis=1))[:, None]
        away = weight * (np.arange(len(tables)) - centre)
        rise: Floats = (away * np.nan_to_num(figures)).sum(axis=1)
        return rise / (away * (np.arange(len(tables)) - centre)).sum(axis=1)

    rng = np.random.default_rng(seed)
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = float(slopes(which[None])[0])
        if math.isnan(slope):
            return Trend()
        step = max(1, _CELLS // max(len(which), 1))
        drawn = [
            slopes(rng.permuted(np.tile(which, (high - low, 1)), axis=1))
            for low, high in pairwise([*range(0, resamples, step), resamples])
        ]
    return Trend(slope, _p(np.concatenate(drawn), slope))


def _p(drawn: Floats, value: float) -> float:
    """Return how often a value as far from 0 comes about; two-sided, and never 0."""
    known = drawn[~np.isnan(drawn)]
    return float((1 + (np.abs(known) >= abs(value) - TIE).sum()) / (1 + len(known)))
