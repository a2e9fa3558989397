"""The interval of a gain: how much higher the team's figures are without an annotator.

Each document is left out once, of the team and of the team without the annotator; the variance of
the gain is the sum of the squared changes of the difference.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from spanagree.agreement.count import Clusters, columns_of
from spanagree.agreement.team import Scored
from spanagree.arrays import Floats, Ints
from spanagree.results.score import Interval, f1_figures
from spanagree.settings import JACKKNIFE
from spanagree.uncertainty.confidence import Jackknife
from spanagree.uncertainty.jackknife import (
    FEW,
    TIE,
    Moments,
    no_interval,
    ordered_sums,
    t_ends,
)

_CELLS = 1 << 17  # of a temporary array


def gain_intervals(
    figures: Scored, clusters: Clusters, jackknife: Jackknife
) -> list[Interval | None]:
    """Build the interval of each annotator's gain: the figure ± t standard errors.

    Args:
        figures: the gains.
        clusters: the documents, or wholes of them.
        jackknife: the request.
    """
    members = list(figures.annotators.values())
    of_team, of_annotator = clusters.by(), clusters.by_annotator
    if len(of_team) < 2:
        return [no_interval(FEW.format(len(of_team))) for _ in members]
    gains = np.array([member.gain for member in members])
    sums = _moments(columns_of(of_team), of_team.document, of_annotator, gains)
    ends = t_ends(gains, sums.variance, sums.freedom, jackknife.tail, False)
    ends[~(np.sqrt(sums.variance) > TIE)] = np.nan
    return [_interval(*three) for three in ends.tolist()]


def _interval(
    observed: Sequence[float], expected: Sequence[float], corrected: Sequence[float]
) -> Interval:
    """Build the interval of a gain from the ends of its three figures."""
    if np.isnan(corrected[0]):
        return no_interval("the team without the annotator is undefined, or documents do not vary")
    three = [(low, high) for low, high in (observed, expected, corrected)]
    return Interval(*three, kind=JACKKNIFE)  # type: ignore[misc]  # three pairs


def _moments(of_team: Floats, document: Ints, of_annotator: Any, gains: Floats) -> Moments:
    """Compute the changes of gains when a document is left out.

    Args:
        of_team: what each document adds to the team's sums; (documents, columns).
        document: number of each of these documents, sorted.
        of_annotator: rows of documents and annotators, the first, with all others.
        gains: (annotators, 3).
    """
    n_documents, columns = of_team.shape
    total = ordered_sums(of_team, None, 1)
    squares, fourths = np.zeros((2, *gains.shape))
    by_annotator = np.argsort(of_annotator.first, kind="stable")
    part = columns_of(of_annotator)[by_annotator]
    first, unit = of_annotator.first[by_annotator], of_annotator.document[by_annotator]
    unit = np.searchsorted(document, unit)
    begin = np.searchsorted(first, np.arange(len(gains) + 1))
    step = max(1, _CELLS // (n_documents * columns))
    with np.errstate(all="ignore"):
        team = f1_figures(total - of_team)
        for low in range(0, len(gains), step):
            high = min(low + step, len(gains))
            here = slice(begin[low], begin[high])
            left = np.repeat(of_team[:, None], high - low, axis=1)
            left[unit[here], first[here] - low] -= part[here]
            without = f1_figures(
                ordered_sums(left.reshape(n_documents, -1), None, 1).reshape(1, high - low, columns)
                - left
            )
            change = (without - team[:, None] - gains[low:high]).reshape(n_documents, -1)
            for sums, power in ((squares, change**2), (fourths, change**4)):
                sums[low:high] = ordered_sums(power, None, 1).reshape(-1, 3)
    n_units = np.full(gains.shape, float((of_team[:, 2] > 0).sum()))
    return Moments(gains, squares, fourths, n_units, n_units, n_units)
