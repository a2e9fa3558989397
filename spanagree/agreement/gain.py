"""The interval of a gain: how much higher the team's figures are without an annotator.

Team and team without her are ratios of sums over documents, U / V. What a document adds to such a
ratio is (u − U/V·v) / V, and the variance of the gain is the sum of the squares of what documents
add to the difference (the infinitesimal jackknife). A document that she did not see adds the same
multiple of its u and v for each annotator, so that only those are visited which she saw.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isnan
from typing import Any

import numpy as np

from spanagree.agreement.count import Drawn
from spanagree.agreement.team import Scored
from spanagree.arrays import Floats, Ints
from spanagree.results.score import UNDEFINED, Interval
from spanagree.uncertainty.bootstrap import FEW, Resampling
from spanagree.uncertainty.ends import beyond_rounding, student_t

_NOTHING = (UNDEFINED, UNDEFINED)

_SIDES: Sequence[Callable[[Floats, Floats, Floats], tuple[Floats, Floats]]] = (
    lambda m, e, n: (2 * m, n),
    lambda m, e, n: (2 * e, n),
    lambda m, e, n: (2 * (m - e), n - 2 * e),
)
"""The sides of the ratio that each figure of an F1 is, from matched, expected and size."""


def gain_intervals(figures: Scored, drawn: Drawn, resampling: Resampling) -> list[Interval | None]:
    """Return the interval of each annotator's gain: the figure ± t standard errors.

    The degrees of freedom are those of the documents. A gain that documents do not vary has none.

    Args:
        figures: the gains.
        drawn: the documents, or wholes of them.
        resampling: whose confidence it has.
    """
    members = list(figures.annotators.values())
    if drawn.sums.by().random_sizes:
        why = "sizes are random under the rule of places"
        return [Interval(_NOTHING, _NOTHING, _NOTHING, why) for _ in members]
    of_team, of_pairs, unit, annotator = _sums(drawn)
    documents = of_team.shape[1]
    if documents < 2:
        why = FEW.format(documents)
        return [Interval(_NOTHING, _NOTHING, _NOTHING, why, "jackknife") for _ in members]
    t = float(student_t(documents - 1, resampling.tail))
    ends: list[list[tuple[float, float]]] = []
    for kind, sides in enumerate(_SIDES):
        errors = _errors(
            np.array(sides(*of_team)), np.array(sides(*of_pairs)), unit, annotator, len(members)
        )
        gains = np.array([member.gain[kind] for member in members])
        low, high = gains - t * errors, gains + t * errors
        ends.append(list(zip(low.tolist(), high.tolist(), strict=True)))
    why = "the team without the annotator is undefined, or documents do not vary"
    undefined = Interval(_NOTHING, _NOTHING, _NOTHING, why, "jackknife")
    return [
        undefined
        if isnan(corrected[0])
        else Interval(observed, expected, corrected, kind="jackknife")
        for observed, expected, corrected in zip(*ends, strict=True)
    ]


def _sums(drawn: Drawn) -> tuple[Floats, list[Any], Ints, Ints]:
    """Return what each document adds to the team, and what annotators add in each, and where.

    The documents are those that two or more saw, numbered from 0.
    """
    seen = drawn.units(drawn.coverage.by_two())
    team = drawn.sums.by("document").of_wholes(drawn.wholes)
    both = drawn.sums.both_ways().by("document", "first")
    both = both.of_wholes(drawn.wholes).by("document", "first")
    of_team, of_pairs = team.symmetric_table(seen).T, both.symmetric_columns
    place = np.searchsorted(seen, both.document)
    return of_team, of_pairs, place, both.first


def _errors(
    of_team: Floats, of_pairs: Floats, unit: Ints, annotator: Ints, annotators: int
) -> Floats:
    """Return the standard error of each annotator's gain, of one figure; ``nan`` if none varies.

    Args:
        of_team: what each document adds to both sides of the ratio; (2, documents).
        of_pairs: what the pairs of an annotator add in a document; (2, entries).
        unit, annotator: the document and the annotator of each entry.
        annotators: their number.
    """
    documents = of_team.shape[1]
    total = of_team.sum(axis=1)
    left = total[:, None] - [np.bincount(annotator, x, annotators) for x in of_pairs]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio, without = total[0] / total[1], left[0] / left[1]
        # what a document adds that she did not see, as multiples of both sides
        up, down = 1 / left[1] - 1 / total[1], ratio / total[1] - without / left[1]
        squares = of_team @ of_team.T
        terms = [up**2 * squares[0, 0], 2 * up * down * squares[0, 1], down**2 * squares[1, 1]]
        less = (of_pairs[0] - without[annotator] * of_pairs[1]) / left[1][annotator]
        before = up[annotator] * of_team[0, unit] + down[annotator] * of_team[1, unit]
        of_entry = less * (less - 2 * before)
        spread = sum(terms) + np.bincount(annotator, of_entry, annotators)
        size = np.abs(terms).sum(axis=0) + np.bincount(annotator, np.abs(of_entry), annotators)
        varies = beyond_rounding(spread, size, documents + 8)
        errors = np.sqrt(np.where(varies, spread, UNDEFINED) * documents / (documents - 1))
    return np.asarray(errors, np.float64)
