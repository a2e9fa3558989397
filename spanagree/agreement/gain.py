"""The interval of a gain: how much higher the team's figures are without an annotator.

Each document is left out once, of the team and of the team without the annotator; the variance of
the gain is the sum of the squared changes of the difference. A document that the annotator did not
see adds the same to both, and its change is a series in what it adds, of which three terms are
taken; so only documents are visited that the annotator saw.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from spanagree.agreement.clusters import Clusters
from spanagree.agreement.count import columns_of
from spanagree.agreement.team import AgreementScores
from spanagree.arrays import Floats, Ints
from spanagree.results.score import Interval
from spanagree.settings import JACKKNIFE
from spanagree.uncertainty.confidence import Jackknife
from spanagree.uncertainty.jackknife import (
    FEW,
    beyond_rounding,
    group_sums,
    no_interval,
    satterthwaite,
    t_ends,
)

_SIDES: Sequence[Callable[[Floats, Floats, Floats], tuple[Floats, Floats]]] = (
    lambda m, e, n: (2 * m, n),
    lambda m, e, n: (2 * e, n),
    lambda m, e, n: (2 * (m - e), n - 2 * e),
)
"""The sides of the ratio that each figure of an F1 is, from matched, expected and size."""

_TERMS = 3  # of the series; a fourth would be the cube of an annotator's share times a document's


def gain_intervals(
    figures: AgreementScores, clusters: Clusters, jackknife: Jackknife
) -> list[Interval | None]:
    """Build the interval of each annotator's gain: the figure ± t standard errors.

    Args:
        figures: the gains.
        clusters: the documents, or wholes of them.
        jackknife: the request.
    """
    members = list(figures.annotators.values())
    of_team, annotator_index = clusters.by(), clusters.by_annotator
    if of_team.random_sizes:
        return [no_interval("sizes are random under the rule of places") for _ in members]
    if len(of_team) < 2:
        return [no_interval(FEW.format(len(of_team))) for _ in members]
    team, part = columns_of(of_team), columns_of(annotator_index)
    unit = np.searchsorted(of_team.document, annotator_index.document)
    gains = np.array([member.gain for member in members])
    annotator, sums = annotator_index.first, []
    for sides in _SIDES:
        of_all, of_one = (np.stack(sides(x[:, 0], x[:, 1], x[:, 2])) for x in (team, part))
        sums.append(_variance(of_all, of_one, unit, annotator, len(members)))
    variance, fourth = (np.stack(columns, axis=1) for columns in zip(*sums, strict=True))
    n_units = np.count_nonzero(team[:, 2])
    freedom = satterthwaite(variance, fourth, n_units)
    ends = t_ends(gains, variance, freedom, jackknife.tail, False)
    return [_interval(*three) for three in ends.tolist()]


def _interval(
    observed: Sequence[float], expected: Sequence[float], corrected: Sequence[float]
) -> Interval:
    """Build the interval of a gain from the ends of its three figures."""
    if np.isnan(corrected[0]):
        return no_interval("the team without the annotator is undefined, or documents do not vary")
    first, second, third = ((low, high) for low, high in (observed, expected, corrected))
    return Interval(first, second, third, kind=JACKKNIFE)


def _variance(
    of_team: Floats, part: Floats, unit: Ints, annotator: Ints, n_annotators: int
) -> tuple[Floats, Floats]:
    """Compute the sums of squared changes of each gain, and of their squares.

    Args:
        of_team: what each document adds to both sides of the ratio; (2, documents).
        part: what the pairs of an annotator add in a document; (2, entries).
        unit, annotator: the document and the annotator of each entry.
        n_annotators: number of annotators.

    Returns:
        Both sums, ``nan`` where documents do not vary; (annotators,) each.
    """
    total = of_team.sum(axis=1)
    left = total[:, None] - group_sums(part.T, annotator, n_annotators).T
    with np.errstate(all="ignore"):
        ratio, without = total[0] / total[1], left[0] / left[1]
        seen, rest = of_team[:, unit], left[:, annotator]
        gone = [seen[k] - part[k] for k in (0, 1)]
        change = (rest[0] - gone[0]) / (rest[1] - gone[1]) - without[annotator]
        change -= (total[0] - seen[0]) / (total[1] - seen[1]) - ratio
        # an unseen document: 1 / (W − x) as a series in (1/W − 1/T) · x / (1 − x/T)
        raised = 1 / (1 - of_team[1] / total[1])
        powers = [raised * (raised * of_team[1]) ** k for k in range(_TERMS)]
        features = np.stack([side * power for power in powers for side in of_team], axis=1)
        more = 1 / left[1] - 1 / total[1]
        scales = [more**k / left[1] for k in range(_TERMS)]
        factors = np.stack([x for y in scales for x in (-y, without * y)], axis=1)
        factors[:, :2] += [1 / total[1], -ratio / total[1]]
        as_unseen = np.einsum("ef,ef->e", factors[annotator], features[unit])
        squares = _products(features)
        of_all = _products(factors)
        terms = of_all * squares.sum(axis=0)
        variance = _less(terms, change**2, as_unseen**2, annotator, of_team.shape[1])
        fourth = (of_all @ (squares.T @ squares) * of_all).sum(axis=1)
        fourth += group_sums((change**4 - as_unseen**4)[:, None], annotator, n_annotators)[:, 0]
    # of fourth powers more is lost by rounding; they are most if one document decides
    return variance, np.clip(fourth, 0, variance**2)


def _products(columns: Floats) -> Floats:
    """Return the products of each two columns; (rows, columns²)."""
    return np.einsum("ij,ik->ijk", columns, columns).reshape(len(columns), -1)


def _less(terms: Floats, added: Floats, taken: Floats, annotator: Ints, n_documents: int) -> Floats:
    """Sum terms and what entries add and take off; ``nan`` where that is only rounding.

    Args:
        terms: (annotators, terms).
        added, taken: of each entry.
        annotator: of each entry.
        n_documents: number of documents, which no annotator has more entries than.
    """
    both = group_sums(np.stack((added, taken), axis=1), annotator, len(terms))
    sums = terms.sum(axis=1) + both[:, 0] - both[:, 1]
    sizes = np.abs(terms).sum(axis=1) + both.sum(axis=1)
    varies = beyond_rounding(sums, sizes, terms.shape[1] + n_documents + 8)
    return np.asarray(np.where(varies, sums, np.nan), np.float64)
