"""Intervals of gains: the increase of the team's figures without an annotator.

A figure is a fraction of sums over documents, N / T for the team and M / W for the team without the
annotator; the gain is M / W − N / T. Each document is left out once from both fractions. The
variance of the gain is the sum of its squared changes. An entry is a document that the annotator
saw, with the summands of the annotator's pairs in it; its change is computed directly. A document
that the annotator did not see has the same summands in both fractions. Its change is a series in
these summands, cut after three terms; sums over all documents of the products of terms are shared
by all annotators, so only their entries are visited.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from spanagree.agreement.clusters import Clusters
from spanagree.agreement.count import stack_columns
from spanagree.agreement.team import AgreementScores
from spanagree.arrays import Floats, Ints
from spanagree.results.score import Interval
from spanagree.settings import JACKKNIFE
from spanagree.uncertainty.confidence import Jackknife
from spanagree.uncertainty.jackknife import (
    FEW,
    build_undefined_interval,
    compute_t_ends,
    exceeds_rounding,
    satterthwaite,
    sum_groups,
)

_FRACTIONS: Sequence[Callable[[Floats, Floats, Floats], tuple[Floats, Floats]]] = (
    lambda m, e, n: (2 * m, n),
    lambda m, e, n: (2 * e, n),
    lambda m, e, n: (2 * (m - e), n - 2 * e),
)
"""Numerator and denominator of each figure of an F1, from matched, expected and size."""

_TERMS = 3  # of the series; the fourth has the cube of an annotator's share times a document's


def build_gain_intervals(
    figures: AgreementScores, clusters: Clusters, jackknife: Jackknife
) -> list[Interval | None]:
    """Build the interval of each annotator's gain: the figure ± t standard errors.

    Args:
        figures: scores with the gains.
        clusters: documents, or parents of them.
        jackknife: settings of the intervals.
    """
    members = list(figures.annotators.values())
    team_rows, annotator_rows = clusters.sum_rows_by(), clusters.rows_by_annotator
    if team_rows.random_sizes:
        return [
            build_undefined_interval("sizes are random under the rule of places") for _ in members
        ]
    if len(team_rows) < 2:
        return [build_undefined_interval(FEW.format(len(team_rows))) for _ in members]
    team, annotator_sums = stack_columns(team_rows), stack_columns(annotator_rows)
    unit = np.searchsorted(team_rows.document, annotator_rows.document)
    gains = np.array([member.gain for member in members])
    annotator, sums = annotator_rows.first, []
    for compute_fraction in _FRACTIONS:
        document_summands, entry_summands = (
            np.stack(compute_fraction(columns[:, 0], columns[:, 1], columns[:, 2]))
            for columns in (team, annotator_sums)
        )
        sums.append(
            _sum_powers_of_changes(document_summands, entry_summands, unit, annotator, len(members))
        )
    variance, fourth = (np.stack(columns, axis=1) for columns in zip(*sums, strict=True))
    n_units = np.count_nonzero(team[:, 2])
    freedom = satterthwaite(variance, fourth, n_units)
    ends = compute_t_ends(gains, variance, freedom, jackknife.tail, False)
    return [_build_interval(*figure_ends) for figure_ends in ends.tolist()]


def _build_interval(
    observed: Sequence[float], expected: Sequence[float], corrected: Sequence[float]
) -> Interval:
    """Build the interval of a gain from the ends of its three figures."""
    if np.isnan(corrected[0]):
        return build_undefined_interval(
            "the team without the annotator is undefined, or documents do not vary"
        )
    observed_ends, expected_ends, corrected_ends = (
        (low, high) for low, high in (observed, expected, corrected)
    )
    return Interval(observed_ends, expected_ends, corrected_ends, kind=JACKKNIFE)


def _sum_powers_of_changes(
    document_summands: Floats,
    entry_summands: Floats,
    unit: Ints,
    annotator: Ints,
    n_annotators: int,
) -> tuple[Floats, Floats]:
    """Compute the sums of squares and of fourth powers of the changes of each gain.

    Args:
        document_summands: summands of each document in N and T; (2, documents).
        entry_summands: summands of the annotator's pairs in each entry; (2, entries).
        unit, annotator: index of the document and of the annotator of each entry.
        n_annotators: number of annotators.

    Returns:
        Both sums, ``nan`` if documents do not vary; (annotators,) each.
    """
    total = document_summands.sum(axis=1)
    remaining = total[:, None] - sum_groups(entry_summands.T, annotator, n_annotators).T
    with np.errstate(all="ignore"):
        ratio, remaining_ratio = total[0] / total[1], remaining[0] / remaining[1]
        whole_document, remaining_team = document_summands[:, unit], remaining[:, annotator]
        other_pairs = [whole_document[k] - entry_summands[k] for k in (0, 1)]
        change = (remaining_team[0] - other_pairs[0]) / (
            remaining_team[1] - other_pairs[1]
        ) - remaining_ratio[annotator]
        change -= (total[0] - whole_document[0]) / (total[1] - whole_document[1]) - ratio
        # an unseen document: 1 / (W − x) as a series in (1/W − 1/T) · x / (1 − x/T)
        scale = 1 / (1 - document_summands[1] / total[1])
        powers = [scale * (scale * document_summands[1]) ** k for k in range(_TERMS)]
        features = np.stack([row * power for power in powers for row in document_summands], axis=1)
        inverse_gap = 1 / remaining[1] - 1 / total[1]
        scales = [inverse_gap**k / remaining[1] for k in range(_TERMS)]
        factors = np.stack(
            [
                value
                for term_scale in scales
                for value in (-term_scale, remaining_ratio * term_scale)
            ],
            axis=1,
        )
        factors[:, :2] += [1 / total[1], -ratio / total[1]]
        unseen_change = np.einsum("ef,ef->e", factors[annotator], features[unit])
        squares = _multiply_pairs(features)
        factor_products = _multiply_pairs(factors)
        terms = factor_products * squares.sum(axis=0)
        variance = _replace_terms(
            terms, change**2, unseen_change**2, annotator, document_summands.shape[1]
        )
        fourth = (factor_products @ (squares.T @ squares) * factor_products).sum(axis=1)
        fourth += sum_groups((change**4 - unseen_change**4)[:, None], annotator, n_annotators)[:, 0]
    # fourth powers lose more by rounding; they are largest if one document decides
    return variance, np.clip(fourth, 0, variance**2)


def _multiply_pairs(columns: Floats) -> Floats:
    """Compute the products of each pair of columns; (rows, columns²)."""
    return np.einsum("ij,ik->ijk", columns, columns).reshape(len(columns), -1)


def _replace_terms(
    terms: Floats, added: Floats, removed: Floats, annotator: Ints, n_documents: int
) -> Floats:
    """Sum the terms of each annotator, and replace the values of their entries.

    The terms include a value for each entry as if the annotator had not seen the document; this
    value is removed, and the right one is added. A sum that is only rounding is ``nan``.

    Args:
        terms: terms of each annotator's sum; (annotators, terms).
        added, removed: right value, and value to remove, of each entry.
        annotator: index of the annotator of each entry.
        n_documents: number of documents, the largest number of entries of an annotator.
    """
    entry_sums = sum_groups(np.stack((added, removed), axis=1), annotator, len(terms))
    sums = terms.sum(axis=1) + entry_sums[:, 0] - entry_sums[:, 1]
    sizes = np.abs(terms).sum(axis=1) + entry_sums.sum(axis=1)
    varies = exceeds_rounding(sums, sizes, terms.shape[1] + n_documents + 8)
    return np.asarray(np.where(varies, sums, np.nan), np.float64)
