"""What chance alone gives on each document of a corpus or a block."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Bools, Floats
from spanagree.blocks.counted import Counted
from spanagree.blocks.ids import ids_of
from spanagree.blocks.matches import MatchCounting, of_gold
from spanagree.comparisons.annotation_pairs import AnnotationIndex, compare_pairs
from spanagree.comparisons.exact_sums import exact_sums
from spanagree.comparisons.inexact import Inexact
from spanagree.comparisons.place_shares import PlaceShares
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.roles import choose_annotators, times_seen
from spanagree.errors import SettingError, check_known
from spanagree.results.score import UNDEFINED
from spanagree.settings import MatchSettings


@dataclass(frozen=True, kw_only=True, eq=False)
class DifficultySettings(MatchSettings):
    """The settings of a difficulty: ``of`` a gold layer, or of a team of ``annotators``."""

    of_: str
    annotators: int | None = None


class Documents(NamedTuple):
    """The documents of one corpus or block.

    Attributes:
        chance: the agreement that chance alone would give on each; ``nan`` where undefined.
        expected: the expected match, summed over ordered pairs of annotators.
        size: the size of an annotation, summed alike.
        seen: which of them one of the annotators saw.
        ids: their names, if they have any.
    """

    chance: Floats
    expected: Floats
    size: Floats
    seen: Bools
    ids: tuple[str, ...] | None


@dataclass(frozen=True, kw_only=True, eq=False)
class CountedDifficulty(Counted[DifficultySettings]):
    """What is counted for a difficulty: single documents, which blocks keep too.

    Attributes:
        annotators: whose annotations these are, and how many documents each saw.
        parts: the documents of each block, or of a whole corpus.
        places: how segments stand to the rule of places, if chance has one.
        uniform: the documents without that rule.
    """

    annotators: Mapping[str, int]
    parts: tuple[Documents, ...]
    places: PlaceShares | None = None
    uniform: tuple[Documents, ...] | None = None


def count(
    corpus: Corpus,
    counting: MatchCounting,
    gold: str | None = None,
    annotators: Sequence[str] | None = None,
) -> CountedDifficulty:
    """Count what chance alone gives on each document of one corpus or block.

    Args:
        corpus: the annotations as layers; a whole one needs an annotator.
        counting: the measure, the chance model, and what is kept.
        gold: the name of the gold layer, or
        annotators: the names of those of a team; of a block those count who are in it.

    Raises:
        SettingError: for an unknown name, no layer, or a layer that overlaps itself where the
            measure or the chance model does not allow it.
    """
    if counting.keep and not (corpus.layers if annotators is None else annotators):
        raise SettingError("no annotator; difficulty needs one at least")
    team, chosen = choose_annotators(corpus, annotators, in_part=not counting.keep)
    if gold is not None:
        check_known([gold], corpus.annotators, "gold")
        team = corpus.of_annotators([gold])
    counting.check(team)
    documents, inexact = _documents(team, counting)
    described, plain = counting.describe(team, inexact), counting.without_places()
    return CountedDifficulty(
        documents=len(corpus),
        settings=DifficultySettings(
            of_="team" if gold is None else "gold",
            chosen=chosen,
            **of_gold(gold, corpus),
            **described.settings,
        ),
        notes=(*described.notes, *inexact.notes(2 * float(documents.size.sum()))),
        ids=() if counting.keep else ids_of(corpus),
        annotators={name: int(x.annotated.sum()) for name, x in team.layers.items()},
        parts=(documents,),
        places=described.places,
        uniform=None if plain is None else (_documents(team, plain)[0],),
    )


def _documents(team: Corpus, counting: MatchCounting) -> tuple[Documents, Inexact]:
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
        exact_sums(times * value, summed.document, len(team)).value
        for value in (summed.expected / size, np.ones(len(summed)), summed.expected, size)
    )
    documents = Documents(
        np.where(pairs > 0, total / np.maximum(pairs, 1), UNDEFINED),
        all_expected,
        all_size,
        times_seen(team) > 0,
        team.ids,
    )
    return documents, rows.inexact
