"""Agreement that chance alone gives on each document of a corpus.

For a document seen by n annotators it is the mean over all ordered pairs, i = j included,

    1/n² Σ_i Σ_j E[Sim(Ψ_i, Ψ_j)],

with Sim the expected match divided by the mean size of the two annotations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Floats
from spanagree.comparisons.annotation_pairs import AnnotationIndex, compare_pairs
from spanagree.comparisons.counting import MatchCountOptions
from spanagree.comparisons.inexact import ApproximationError
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.roles import count_seen
from spanagree.results.score import UNDEFINED
from spanagree.settings import MatchSettings


@dataclass(frozen=True, kw_only=True, eq=False)
class DifficultySettings(MatchSettings):
    """Settings of a difficulty: ``of`` a gold layer, or of a team of ``annotators``."""

    of_: str
    annotators: int | None = None


class ChanceAgreement(NamedTuple):
    """Agreement by chance alone in the documents of a corpus.

    Attributes:
        chance: agreement by chance alone in each document; ``nan`` where undefined.
        expected: expected match, summed over ordered pairs of annotators.
        size: mean size of the two annotations of a pair, summed over ordered pairs.
        inexact: error bounds of approximate matches.
    """

    chance: Floats
    expected: Floats
    size: Floats
    inexact: ApproximationError


def compute_chance_agreement(team: Corpus, counting: MatchCountOptions) -> ChanceAgreement:
    """Compute the agreement by chance alone in each document.

    Args:
        team: annotators as layers; one layer for a gold annotation.
        counting: measure and chance model.
    """
    annotations = AnnotationIndex.from_corpus(team)
    first, second = annotations.pair_annotations(with_itself=True)
    compared = compare_pairs(
        team, annotations, (first, second), counting.match, counting.chance, counting.progress
    )
    summed = compared.by("document", "first", "second")
    size = (summed.expected_size_first + summed.expected_size_second) / 2
    n_orders = np.where(summed.first == summed.second, 1.0, 2.0)  # i, j and j, i
    similarity_sums, n_pairs, expected_sums, size_sums = (
        np.bincount(summed.document, n_orders * value, len(team)).astype(np.float64)
        for value in (summed.expected / size, np.ones(len(summed)), summed.expected, size)
    )
    return ChanceAgreement(
        np.where(n_pairs > 0, similarity_sums / np.maximum(n_pairs, 1), UNDEFINED),
        expected_sums,
        size_sums,
        compared.inexact,
    )


def compute_marked_shares(team: Corpus) -> Floats:
    """Compute the share of the units of each document that an annotator marks.

    Units that several segments share count once. The share is the mean over the annotators who saw
    the document; ``nan`` if no annotator saw it.
    """
    n_marked = np.zeros(len(team))
    for layer in team.layers.values():
        starts = team.starts[layer.document]
        order = np.argsort(starts + layer.start, kind="stable")
        document, start, end = (
            column[order] for column in (layer.document, starts + layer.start, starts + layer.end)
        )
        previous_end = np.append(0, np.maximum.accumulate(end)[:-1]) if len(end) else end
        n_marked += np.bincount(
            document, np.maximum(end - np.maximum(start, previous_end), 0), len(team)
        )
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(n_marked / (count_seen(team) * team.lengths))
