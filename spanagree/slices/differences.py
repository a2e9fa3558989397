"""Differences between slices, and a trend over slices that have an order.

Two slices of other documents have a difference whose variance is the sum of theirs; of the same
documents it is that of the differences. Leaving out each document once gives both: a document that
is in one slice alone changes that slice's figure only.

A trend, and the steps from each slice to the next, are tested by permutation. If nothing changed,
any document could as well have been in another slice: so documents are shuffled among slices, and a
document that is in both has its two tallies exchanged or not.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import Floats, Ints
from spanagree.results.score import UNDEFINED, f1_figures
from spanagree.systems.compare_systems import Difference
from spanagree.uncertainty.differences import DocumentInfluence
from spanagree.uncertainty.jackknife import TIE, evidence_of
from spanagree.uncertainty.permutation import holm, portions

ENOUGH = 10  # documents with anything marked, of a slice whose difference from others is tested
_TWO = 2  # documents with an error, and with a match, whose figure varies as others show
_CORRECTED = 2  # position among the three figures

_TOO_ALIKE = "interval: undefined, as at most one {noun} of {name} holds {what}"


@dataclass(frozen=True, eq=False)
class SliceTable:
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

    @cached_property
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

    >>> import spanagree as sa
    >>> layers = {"a": [[(0, 2, "X")]] * 4, "b": [[(1, 3, "X")]] * 2 + [[(0, 2, "X")]] * 2}
    >>> agreement = sa.agree(sa.Corpus.from_segments([9] * 4, layers))
    >>> [step] = sa.slices.score_slices(agreement, ["1", "1", "2", "2"], resamples=99).changes
    >>> step.a, step.b, step.observed.value
    ('1', '2', 1.0)
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
    change = DocumentInfluence.of(rows).difference(1, 0, tail, number)
    columns = change.value.tolist(), change.ends.tolist(), change.p.tolist(), change.reasons
    made = [
        Difference(value, low, high, p, min(1.0, number * p) if p == p else p, reason)
        for value, (low, high), p, reason in zip(*columns, strict=True)
    ]
    alike = [] if both == len(keys) else [why for part in two if (why := part.too_alike(noun))]
    if alike:  # then the documents of one slice say nothing of others like them
        none = UNDEFINED
        made = [Difference(x.value, none, none, none, none, alike[0]) for x in made]
    return SliceDifference(scored, two[0].name, two[1].name, both, made[0], made[1])


def steps(
    scored: str, tables: Sequence[SliceTable], tail: float, resamples: int, seed: int, noun: str
) -> list[SliceDifference]:
    """Compute the difference of each slice and the next, with p by permutation and Holm's p.

    Args:
        scored: name of the system, or team.
        tables: the slices in their order.
        tail: probability beyond each end of all intervals together.
        resamples: number of permutations.
        seed: random seed of these.
        noun: word for a document.
    """
    made = []
    for two in pairwise(tables):
        change = difference(scored, two, tail, len(tables) - 1, noun)
        p = permutation_p(two, resamples, seed)
        kinds = (change.observed, change.corrected)
        observed, corrected = (x._replace(p=y) for x, y in zip(kinds, p, strict=True))
        made.append(change._replace(observed=observed, corrected=corrected))
    of_observed, of_corrected = (
        holm([getattr(step, kind).p for step in made]) for kind in ("observed", "corrected")
    )
    return [
        step._replace(
            observed=step.observed._replace(p_adjusted=p),
            corrected=step.corrected._replace(p_adjusted=p_corrected),
        )
        for step, p, p_corrected in zip(made, of_observed, of_corrected, strict=True)
    ]


def permutation_p(
    two: tuple[SliceTable, SliceTable], resamples: int, seed: int
) -> tuple[float, float]:
    """Compute p of the difference of F1 and of corrected F1 of two slices.

    The tallies of a document that is in both are exchanged or not; others are shuffled between the
    two.

    >>> right, wrong = [1.0, 0.0, 2.0], [0.0, 0.0, 2.0]
    >>> slices = [np.array([right] * n + [wrong] * (4 - n)) for n in (0, 4)]
    >>> two = [SliceTable(name, np.arange(4), x) for name, x in zip("ab", slices)]
    >>> permutation_p(two, 9999, 0)[0] < 0.15  # 2 of 16 ways
    True
    """
    width = max(part.table.shape[1] for part in two)
    first, second = (with_expected_sizes(part.table, width) for part in two)
    _, at_first, at_second = np.intersect1d(two[0].keys, two[1].keys, return_indices=True)
    paired = np.concatenate((first[at_first], second[at_second]), axis=1)
    alone = [np.delete(first, at_first, axis=0), np.delete(second, at_second, axis=0)]
    paired, *alone = (table[np.lexsort(table.T)] for table in (paired, *alone))  # canonical order
    before, after = first.sum(axis=0), second.sum(axis=0)
    a, b = np.split(paired, 2, axis=1)
    others = np.concatenate(alone)
    in_first = np.arange(len(others)) < len(alone[0])
    total = a.sum(axis=0) + b.sum(axis=0) + others.sum(axis=0)
    rng = np.random.default_rng(seed)
    drawn = []
    with np.errstate(divide="ignore", invalid="ignore"):
        value = f1_figures(after) - f1_figures(before)
        for low, high in portions(resamples, len(paired) + len(others)):
            turned = rng.integers(0, 2, (high - low, len(paired))).astype(np.float64)
            chosen = rng.permuted(np.tile(in_first, (high - low, 1)), axis=1).astype(np.float64)
            sums = a.sum(axis=0) + turned @ (b - a) + chosen @ others
            drawn.append(f1_figures(total - sums) - f1_figures(sums))
    shuffled = np.concatenate(drawn)
    observed, corrected = (
        UNDEFINED if math.isnan(value[k]) else _p(shuffled[:, k], float(value[k]))
        for k in (0, _CORRECTED)
    )
    return observed, corrected


def with_expected_sizes(table: Floats, n_columns: int) -> Floats:
    """Return a table with the expected size too, which is the size where that is not random."""
    return table if table.shape[1] == n_columns else np.column_stack((table, table[:, 2]))


class Trend(NamedTuple):
    """The trend of corrected F1 from slice to slice.

    Attributes:
        slope: rise of corrected F1 from slice to slice, by least squares; slices weigh as their
            number of documents.
        p: how often a slope as steep comes about if documents are shuffled among slices.

    >>> import spanagree as sa
    >>> layers = {"a": [[(0, 2, "X")]] * 3, "b": [[(1, 3, "X")]] * 2 + [[(0, 2, "X")]]}
    >>> agreement = sa.agree(sa.Corpus.from_segments([9] * 3, layers))
    >>> made = sa.slices.score_slices(agreement, ["1", "2", "3"], resamples=99)
    >>> round(made.trends["team"].slope, 3)
    0.571
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
        drawn = [
            slopes(rng.permuted(np.tile(which, (high - low, 1)), axis=1))
            for low, high in portions(resamples, len(which))
        ]
    return Trend(slope, _p(np.concatenate(drawn), slope))


def _p(drawn: Floats, value: float) -> float:
    """Return how often a value as far from 0 comes about; two-sided, and never 0."""
    known = drawn[~np.isnan(drawn)]
    return float((1 + (np.abs(known) >= abs(value) - TIE).sum()) / (1 + len(known)))
