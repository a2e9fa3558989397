"""What chance alone gives on each document of a corpus or a block."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Bools, Floats
from spanagree.comparisons.annotation_pairs import AnnotationIndex, compare_pairs
from spanagree.comparisons.counting import MatchCounting
from spanagree.comparisons.inexact import Inexact
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.roles import times_seen
from spanagree.results.score import UNDEFINED
from spanagree.settings import MatchSettings


@dataclass(frozen=True, kw_only=True, eq=False)
class DifficultySettings(MatchSettings):
    """The settings of a difficulty: ``of`` a gold layer, or of a team of ``annotators``."""

    of_: str
    annotators: int | None = None


class Documents(NamedTuple):
    """The documents of a corpus.

    Attributes:
        chance: the agreement that chance alone would give on each; ``nan`` where undefined.
        expected: the expected match, summed over ordered pairs of annotators.
        size: the size of an annotation, summed alike.
        marked: share of the units of each that an annotator marks, mean over those who saw it.
        seen: which of them one of the annotators saw.
        ids: their names, if they have any.
    """

    chance: Floats
    expected: Floats
    size: Floats
    marked: Floats
    seen: Bools
    ids: tuple[str, ...] | None


def documents_of(team: Corpus, counting: MatchCounting) -> tuple[Documents, Inexact]:
    """Return what chance gives on each document, and where the expected match is not exact.

    That is the mean over all ordered pairs of those who saw it, i = j included.
    """
    crowd = AnnotationIndex.of(team)
    first, second = crowd.pairs(with_itself=True)
    rows = compare_pairs(
        team, crowd, (first, second), counting.match, counting.chance, counting.progress
    )
    summed = rows.by("document", "first", "second")
    size = (summed.expected_size_first + summed.expected_size_second) / 2
    times = np.where(summed.first == summed.second, 1.0, 2.0)  # i, j and j, i
    total, pairs, all_expected, all_size = (
        np.bincount(summed.document, times * value, len(team)).astype(np.float64)
        for value in (summed.expected / size, np.ones(len(summed)), summed.expected, size)
    )
    documents = Documents(
        np.where(pairs > 0, total / np.maximum(pairs, 1), UNDEFINED),
        all_expected,
        all_size,
        _marked_shares(team),
        times_seen(team) > 0,
        team.ids,
    )
    return documents, rows.inexact


def _marked_shares(team: Corpus) -> Floats:
    """Compute the mean share of each document that annotators mark; ``nan`` where nobody saw it."""
    marked = np.zeros(len(team))
    for layer in team.layers.values():
        starts = team.starts[layer.document]
        order = np.argsort(starts + layer.start, kind="stable")
        document, start, end = (
            column[order] for column in (layer.document, starts + layer.start, starts + layer.end)
        )
        covered = np.append(0, np.maximum.accumulate(end)[:-1]) if len(end) else end
        marked += np.bincount(document, np.maximum(end - np.maximum(start, covered), 0), len(team))
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(marked / (times_seen(team) * team.lengths))
