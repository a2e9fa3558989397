"""Variance of one document in the score of a team, for any number of annotators of the document.

With fixed annotators, a score of the team is a mean over documents of contributions of their pairs
of annotators: the changes of the score by the sums of the pair, to first order. In the square of a
document's contribution, a product of the contributions of two pairs is of one of three kinds: the
pairs are the same (mean c2), they share an annotator (c1), or they do not (c0). The variance of a
document seen by k annotators follows from these means over the observed documents:

    2 / (k(k − 1)) · (c2 + 2(k − 2) c1 + (k − 2)(k − 3)/2 · c0)

It is divided by the number of documents, and more annotators reduce it to c0, the variance between
documents.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spanagree.agreement.count import stack_columns
from spanagree.arrays import Floats, Ints, unique_rows
from spanagree.comparisons.table import Comparisons
from spanagree.results.score import ScoreValues

_MOST_ANNOTATORS = 10  # largest number of annotators of a document in a plan
_ENOUGH = 10  # smallest number of documents with as many annotators


class PairEffects(NamedTuple):
    """Mean products of the contributions of two pairs of annotators of a document.

    Attributes:
        same_pair: mean over equal pairs, c2.
        shared_annotator: mean over pairs that share an annotator, c1; 0 without such pairs.
        other: mean over other pairs, c0; 0 without such pairs.
        denominator: mean denominator of the contributions.
    """

    same_pair: float
    shared_annotator: float
    other: float
    denominator: float

    @classmethod
    def from_pairs(cls, rows: Comparisons, n_annotators: Ints, figure: str) -> PairEffects:
        """Estimate the effects from pairs of annotators.

        Args:
            rows: rows of pairs and documents.
            n_annotators: number of annotators who saw each document of the corpus.
            figure: score, observed, expected or corrected.
        """
        documents = np.flatnonzero(n_annotators > 1)
        k = n_annotators[documents].astype(np.float64)
        n_pairs = k * (k - 1) / 2
        document = np.searchsorted(documents, rows.document)
        sums = stack_columns(rows)
        _, expected, size = sums.T
        denominator = size - 2 * expected if figure == "corrected" else size
        slopes = compute_slopes(sums.sum(axis=0))
        change = (sums @ slopes.T)[:, ScoreValues._fields.index(figure)] * denominator.sum()
        annotator = np.concatenate((rows.first, rows.second))
        (document_of_annotator, _), inverse, _ = unique_rows(np.tile(document, 2), annotator)
        change_by_annotator = np.bincount(inverse, np.tile(change, 2))

        def sum_by(index: Ints, values: Any) -> Floats:
            return np.bincount(index, values, len(documents)).astype(np.float64)

        same_pair = sum_by(document, change * change)
        shared_annotator = sum_by(document_of_annotator, change_by_annotator * change_by_annotator)
        total = sum_by(document, change) ** 2
        products = [same_pair, shared_annotator - 2 * same_pair]
        products += [total - shared_annotator + same_pair, sum_by(document, denominator)]
        numbers = [n_pairs, k * (k - 1) * (k - 2), n_pairs * (k - 2) * (k - 3) / 2, n_pairs]
        sums_of_products, n_products = (
            np.stack(columns, axis=1).sum(axis=0) for columns in (products, numbers)
        )
        return cls(*np.nan_to_num(sums_of_products / n_products))

    def compute_variance(self, k: int) -> float:
        """Compute the variance of a document seen by ``k`` annotators, that of a U-statistic."""
        weighted_sum = (
            self.same_pair
            + 2 * (k - 2) * self.shared_annotator
            + (k - 2) * (k - 3) / 2 * self.other
        )
        return 2 / (k * (k - 1)) * weighted_sum / self.denominator**2

    def limit(self) -> PairEffects:
        """Limit the effects to those of a model of document, annotator and pair (Hoeffding 1948).

        There, 0 ≤ c1 ≤ c2 and max(2·c1 − c2, 0) ≤ c0 ≤ c1, so the variance decreases with the
        number of annotators.
        """
        annotator_effect = min(max(self.shared_annotator, 0), self.same_pair)
        lowest = max(2 * annotator_effect - self.same_pair, 0)
        document_effect = min(max(self.other, lowest), annotator_effect)
        return self._replace(shared_annotator=annotator_effect, other=document_effect)


def compute_slopes(totals: Floats) -> Floats:
    """Compute the derivatives of the three scores by the three sums that they depend on.

    The sums are m (matched), e (expected) and s (size). The scores are 2m/s, 2e/s and
    2(m − e)/(s − 2e).

    Args:
        totals: m, e and s.

    Returns:
        Array (scores, sums).
    """
    matched, expected, size = totals
    n_not_expected = size - 2 * expected
    observed, by_chance = 2 * matched / size, 2 * expected / size
    corrected = 2 * (matched - expected) / n_not_expected
    return np.array(
        (
            (2 / size, 0, -observed / size),
            (0, 2 / size, -by_chance / size),
            (2 / n_not_expected, 2 * (corrected - 1) / n_not_expected, -corrected / n_not_expected),
        )
    )


def estimate_variances(
    rows: Comparisons, n_annotators: Ints, team_size: int, figure: str
) -> dict[int, float]:
    """Estimate the variance of one document for each number of annotators that a plan can have.

    For numbers of annotators that few documents have, and if the estimate is not above 0, the
    variance at the largest number that enough documents have is extrapolated: it decreases as in
    :meth:`PairEffects.limit`.

    Args:
        rows: rows of pairs and documents.
        n_annotators: number of annotators who saw each document of the corpus.
        team_size: number of annotators of the corpus.
        figure: score, observed, expected or corrected.

    Returns:
        Variances by number of annotators.
    """
    n_seen = n_annotators[n_annotators > 1]
    n_estimable = int(np.sort(n_seen)[-_ENOUGH:][0])
    variances = {}
    # kinds of pairs may be missing, and a score other than that of the plan be undefined
    with np.errstate(divide="ignore", invalid="ignore"):
        effects = PairEffects.from_pairs(rows, n_annotators, figure)
        limited = effects.limit()
        estimate = effects.compute_variance(n_estimable)
        scale = estimate / limited.compute_variance(n_estimable) if estimate > 0 else 1
        for k in _list_plannable_numbers(n_seen, team_size):
            estimate = effects.compute_variance(k)
            if k > n_estimable or not estimate > 0:
                estimate = scale * limited.compute_variance(k)
            variances[k] = float(estimate)
    return variances


def _list_plannable_numbers(n_seen: Ints, team_size: int) -> list[int]:
    """List the numbers of annotators of a document that a plan can have.

    Numbers from 4 need documents with four annotators, from which c0 is estimated, and 3 needs
    documents with three, from which c1 is estimated.

    Args:
        n_seen: number of annotators of each document that two annotators saw.
        team_size: number of annotators of the corpus.
    """
    if (n_seen > 3).sum() >= _ENOUGH:
        return list(range(2, min(_MOST_ANNOTATORS, team_size) + 1))
    return [2, 3] if (n_seen > 2).sum() >= _ENOUGH else [2]
