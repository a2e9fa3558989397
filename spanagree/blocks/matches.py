"""What all counts of matches share: the measure, the chance model, and its rule of places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from spanagree.blocks.counted import Counting
from spanagree.chance.model import without_places
from spanagree.comparisons.inexact import Inexact
from spanagree.comparisons.measures import Match, find_match
from spanagree.comparisons.overlaps import check_layer
from spanagree.comparisons.place_shares import PlaceShares, notes_on_places, place_shares
from spanagree.corpus.corpus import Corpus


class Description(NamedTuple):
    """What is said of one corpus or block, beside what is counted.

    Attributes:
        settings: those that all results of matches have, by name.
        notes: what a reader repaired or passed over; of a whole corpus also that a rule of places
            would fit.
        places: how the segments stand to the rule of places, if chance has one.
    """

    settings: dict[str, Any]
    notes: tuple[str, ...]
    places: PlaceShares | None


@dataclass(frozen=True, kw_only=True, eq=False)
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

    def describe(self, corpus: Corpus, inexact: Inexact) -> Description:
        """Return what is said of a corpus; ``inexact``: where its expected match is not exact."""
        shares = place_shares(corpus, corpus.annotators, self.chance)
        named = self.keep and shares is None
        settings = {
            "match": self.match,
            "chance": self.chance,
            **inexact.settings(self.chance),
            "places_mean": None if shares is None else shares.mixed,
            "offsets": corpus.offsets,
            "reading": corpus.reading,
        }
        notes = (*corpus.notes, *(notes_on_places(corpus, None) if named else ()))
        return Description(settings, notes, shares)


def of_gold(gold: str | None, corpus: Corpus) -> dict[str, Any]:
    """Return the settings of a gold layer, if there is one."""
    return {"gold": gold, "gold_first": None if gold in (None, corpus.annotators[0]) else False}
