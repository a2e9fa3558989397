"""What all counts of matches share: the measure, the chance model, and its rule of places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from spanagree.blocks.counted import Counting
from spanagree.chance.model import without_places
from spanagree.comparisons.inexact import Inexact
from spanagree.comparisons.measures import Match, find_match
from spanagree.comparisons.overlaps import check_layer
from spanagree.comparisons.place_shares import PlaceShares, notes_on_places, place_shares
from spanagree.corpus.corpus import Corpus


@dataclass(frozen=True, kw_only=True)
class MatchCounting(Counting):
    """How the matches of one corpus or block are counted.

    Attributes:
        match: the measure.
        chance: the chance model.
    """

    match: str
    chance: str

    @property
    def measure(self) -> Match:
        """What two segments count."""
        return find_match(self.match)

    def check(self, corpus: Corpus) -> None:
        """Refuse a layer that overlaps itself where the measure or chance does not allow it.

        Raises:
            SettingError: naming the first one.
        """
        for name in corpus.annotators:
            check_layer(corpus, name, self.match, self.chance)

    def without_places(self) -> MatchCounting | None:
        """Return the same without a rule of places, if chance has one; nothing is drawn."""
        chance = without_places(self.chance)
        if chance is None:
            return None
        return MatchCounting(match=self.match, chance=chance, keep=self.keep)

    def places(self, corpus: Corpus) -> PlaceShares | None:
        """Return how the segments of a corpus stand to the rule of places, if chance has one."""
        return place_shares(corpus, corpus.annotators, self.chance)

    def notes(self, corpus: Corpus, shares: PlaceShares | None) -> tuple[str, ...]:
        """Return the notes of a corpus; of a whole one also that there is a rule of places."""
        named = self.keep and shares is None
        return (*corpus.notes, *(notes_on_places(corpus, None) if named else ()))

    def settings(self, corpus: Corpus, how: Inexact, shares: PlaceShares | None) -> dict[str, Any]:
        """Return the settings that all results of matches have."""
        return {
            "match": self.match,
            "chance": self.chance,
            **how.settings(self.chance),
            "places_mean": None if shares is None else shares.mixed,
            "offsets": corpus.offsets,
            "reading": corpus.reading,
        }


def of_gold(gold: str | None, corpus: Corpus) -> dict[str, Any]:
    """Return the settings of a gold layer, if there is one."""
    return {"gold": gold, "gold_first": None if gold in (None, corpus.annotators[0]) else False}
