"""What all counts of matches share: the measure, the chance model, and its rule of places."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from spanagree.arrays import Hashes, Progress
from spanagree.chance.model import ChanceModel
from spanagree.comparisons.inexact import Inexact
from spanagree.comparisons.measures import Match, find_match
from spanagree.comparisons.overlaps import check_layers
from spanagree.corpus.corpus import Corpus
from spanagree.errors import OverlapError
from spanagree.limits import CostError

if TYPE_CHECKING:
    from spanagree.comparisons.place_shares import PlaceShares, WordEdges


@dataclass(frozen=True, eq=False)
class Description:
    """How the segments of a corpus, or of a part of one, stand to their texts; it adds.

    Attributes:
        shares: how they stand to the rule of places, if chance has one.
        word_edges: ends of segments at edges of words, if chance has no rule and texts are known.
        text_numbers: number of each text, of a part.
    """

    shares: PlaceShares | None = None
    word_edges: WordEdges | None = None
    text_numbers: Hashes | None = None

    @classmethod
    def joined(cls, parts: Sequence[Description]) -> Description:
        """Add the descriptions of parts."""
        shares = [part.shares for part in parts if part.shares is not None]
        edges = [part.word_edges for part in parts if part.word_edges is not None]
        return cls(
            functools.reduce(operator.add, shares) if shares else None,
            functools.reduce(lambda total, more: total.plus(more), edges) if edges else None,
        )

    def notes(self) -> tuple[str, ...]:
        """Say that a rule of places would fit, if there is none."""
        if self.shares is not None or self.word_edges is None:
            return ()
        return self.word_edges.notes()


def notes_on_texts(parts: Mapping[str, Description]) -> tuple[str, ...]:
    """Note that files have the same texts under different ids, if they are parts of a corpus."""
    numbers = [
        part.text_numbers
        for i, (name, part) in enumerate(parts.items(), 1)
        if part.text_numbers is not None and name != f"part {i}"
    ]
    from spanagree.corpus.same_texts import note_of_same_texts  # few corpora come in parts

    return note_of_same_texts(numbers)


_Compared = TypeVar("_Compared")


@dataclass(frozen=True, kw_only=True, eq=False)
class MatchCounting:
    """How the matches of a corpus, or of a part of one, are counted.

    Attributes:
        match: name of the measure.
        chance: chance model.
        progress: function called with the number of steps done, and of all.
        is_open: whether no chance model was named, so that figures may stand without chance.
    """

    match: str
    chance: ChanceModel
    progress: Progress = None
    is_open: bool = False

    @classmethod
    def asked(
        cls, match: str, chance: ChanceModel, named: ChanceModel, progress: Progress = None
    ) -> MatchCounting:
        """Return how matches are counted under the model of a corpus, where another was named.

        Args:
            match: name of the measure.
            chance: chance model of the corpus.
            named: model as it was named, which may leave it open.
            progress: as above.
        """
        return cls(match=match, chance=chance, progress=progress, is_open=named.is_open)

    def run(self, compare: Callable[[MatchCounting], _Compared]) -> _Compared:
        """Compare under this chance model; where none was named and it fails, without chance.

        Raises:
            SettingError: if the measure does not take the segments, or if the model was named and
                does not.
        """
        try:
            return compare(self)
        except (OverlapError, CostError) as error:
            if not self.is_open:
                raise
            reason = error.reason if isinstance(error, OverlapError) else str(error)
            try:
                return compare(replace(self, chance=self.chance.without_chance(reason)))
            except OverlapError:  # the measure itself does not take the segments
                raise error from None

    @property
    def measure(self) -> Match:
        """What two segments count."""
        return find_match(self.match)

    def check(self, corpus: Corpus) -> None:
        """Refuse a layer that overlaps itself where the measure or chance does not allow it.

        Raises:
            SettingError: naming the first one.
        """
        check_layers(corpus, self.match, self.chance)

    def without_places(self) -> MatchCounting | None:
        """Return the same without a rule of places, if chance has one; nothing is drawn."""
        chance = self.chance.without_places
        if chance is None:
            return None
        return MatchCounting(match=self.match, chance=chance)

    def describe(self, corpus: Corpus) -> Description:
        """Describe how the segments of a corpus stand to their texts."""
        if self.chance.undefined:
            return Description()
        if self.chance.places is None and corpus.texts is None:
            return Description()
        from spanagree.comparisons.place_shares import WordEdges, place_shares

        shares = place_shares(corpus, corpus.annotators, self.chance)
        return Description(shares) if shares else Description(None, WordEdges.of(corpus))

    def settings_of(
        self, corpus: Corpus, inexact: Inexact, shares: PlaceShares | None
    ) -> dict[str, Any]:
        """Collect the settings that all results of matches have, by name."""
        return {
            "match": self.match,
            **self.chance.settings,
            **inexact.settings(self.chance.seed),
            "places_mean": None if shares is None else shares.mixed,
            "unplaced": corpus.unplaced_count_as,
            "offsets": corpus.offsets,
            "reading": corpus.reading,
        }


def of_gold(gold: str | None, corpus: Corpus) -> dict[str, Any]:
    """Return the settings of a gold layer, if there is one."""
    return {"gold": gold, "gold_first": None if gold in (None, corpus.annotators[0]) else False}
