"""What chance alone gives on each document of a corpus or a block."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Bools, Floats, Progress
from spanagree.blocks.counted import Counted
from spanagree.blocks.ids import ids_of
from spanagree.chance.model import ChanceModel
from spanagree.comparisons.annotation_pairs import AnnotationIndex, compare_pairs
from spanagree.comparisons.exact_sums import exact_sums
from spanagree.comparisons.inexact import Inexact
from spanagree.comparisons.overlaps import check_layer
from spanagree.comparisons.place_shares import PlaceShares, notes_on_places, place_shares
from spanagree.corpus.corpus import Corpus
from spanagree.errors import SettingError, check_known
from spanagree.results.score import UNDEFINED
from spanagree.settings import MatchSettings, chosen_of


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


@dataclass(frozen=True, kw_only=True)
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
    *,
    gold: str | None,
    annotators: Sequence[str] | None,
    match: str,
    chance: str,
    keep: bool = False,
    progress: Progress = None,
) -> CountedDifficulty:
    """Count what chance alone gives on each document of one corpus or block.

    Args:
        corpus: the annotations as layers.
        gold: the name of the gold layer, or
        annotators: the names of those of a team; of a block those count who are in it.
        match: the measure.
        chance: the chance model.
        keep: whether this is a whole corpus, which needs an annotator.
        progress: called with the number of pairs of annotations done, and of all.

    Raises:
        SettingError: for an unknown name, no layer, or a layer that overlaps itself where the
            measure or the chance model does not allow it.
    """
    if keep and not (corpus.layers if annotators is None else annotators):
        raise SettingError("no annotator; difficulty needs one at least")
    chosen = chosen_of(corpus.annotators, annotators)
    if gold is not None:
        check_known([gold], corpus.annotators, "gold")
        annotators = [gold]
    team = corpus
    if annotators is not None:
        team = corpus.of_annotators(annotators, in_part=not keep)
    for name in team.annotators:
        check_layer(team, name, match, chance)
    documents, how = _documents(team, match, chance, progress)
    shares, uniform = place_shares(team, team.annotators, chance), None
    if shares is not None and isinstance(chance, ChanceModel):
        uniform = (_documents(team, match, chance.uniform(), None)[0],)
    return CountedDifficulty(
        documents=len(corpus),
        settings=DifficultySettings(
            gold=gold,
            gold_first=None if gold in (None, corpus.annotators[0]) else False,
            match=match,
            chance=chance,
            **how.settings(chance),
            places_mean=None if shares is None else shares.mixed,
            of_="team" if gold is None else "gold",
            offsets=corpus.offsets,
            reading=corpus.reading,
            chosen=chosen,
        ),
        notes=(
            *team.notes,
            *how.notes(2 * float(documents.size.sum())),
            *(notes_on_places(team, None) if keep and shares is None else ()),
        ),
        ids=() if keep else ids_of(corpus),
        annotators={name: int(x.annotated.sum()) for name, x in team.layers.items()},
        parts=(documents,),
        places=shares,
        uniform=uniform,
    )


def _documents(
    team: Corpus, match: str, chance: str, progress: Progress
) -> tuple[Documents, Inexact]:
    """Return the mean over all ordered pairs of those who saw each document, i = j included.

    Beside it stands where the expected match is not exact.
    """
    crowd = AnnotationIndex.of(team)
    first, second = crowd.pairs(with_itself=True)
    rows = compare_pairs(team, crowd, (first, second), match, chance, progress)
    each = rows.by("document", "first", "second")
    size = (each.expected_size_first + each.expected_size_second) / 2
    times = np.where(each.first == each.second, 1.0, 2.0)  # i, j and j, i
    total, pairs, all_expected, all_size = (
        exact_sums(times * value, each.document, len(team)).value
        for value in (each.expected / size, np.ones(len(each)), each.expected, size)
    )
    documents = Documents(
        np.where(pairs > 0, total / np.maximum(pairs, 1), UNDEFINED),
        all_expected,
        all_size,
        np.bincount(crowd.document, minlength=len(team)) > 0,
        team.ids,
    )
    return documents, rows.how
