"""Options of all counts of matches: the measure, the chance model and the selection."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, TypeVar

from spanagree.arrays import Hashes, Progress
from spanagree.chance.model import ChanceModel, build_chance_model
from spanagree.comparisons.inexact import ApproximationError
from spanagree.comparisons.measures import Measure, find_measure
from spanagree.comparisons.overlaps import check_layers, choose_chance_of_corpus
from spanagree.corpus.corpus import Corpus
from spanagree.errors import OverlapError
from spanagree.limits import CostError

if TYPE_CHECKING:
    from spanagree.chance.model import Given
    from spanagree.choices import MatchName
    from spanagree.comparisons.place_shares import PlacementStatistics, WordEdges
    from spanagree.comparisons.selection import Selection


@dataclass(frozen=True, eq=False)
class ComparisonContext:
    """Statistics that relate the segments of a corpus to its texts.

    Attributes:
        shares: statistics of the places of segments, if chance has a rule of places.
        word_edges: number of ends of segments at the first or last character of a word, if chance
            has no rule and texts are known.
        text_numbers: hash of each text of a part.
    """

    shares: PlacementStatistics | None = None
    word_edges: WordEdges | None = None
    text_numbers: Hashes | None = None

    @property
    def settings(self) -> dict[str, int]:
        """Settings of a result that record how kinds of places are kept."""
        return {} if self.shares is None else {"places_mean": self.shares.mixed}

    def notes(self) -> tuple[str, ...]:
        """Return a note that a rule of places would fit, if there is no rule."""
        if self.shares is not None or self.word_edges is None:
            return ()
        return self.word_edges.notes()


_Comparison = TypeVar("_Comparison")


@dataclass(frozen=True, kw_only=True, eq=False)
class MatchCountOptions:
    """Options for counting the matches of a corpus, or of a part of one.

    Attributes:
        match: name of the measure.
        chance: chance model.
        progress: function called with the number of finished steps and of all steps.
        is_open: True if no chance model was requested, so that scores without chance are allowed.
    """

    match: str
    chance: ChanceModel
    progress: Progress = None
    is_open: bool = False

    @classmethod
    def from_request(
        cls, match: str, chance: ChanceModel, requested: ChanceModel, progress: Progress = None
    ) -> MatchCountOptions:
        """Build the options from the chance model of a corpus and the requested model.

        Args:
            match: name of the measure.
            chance: chance model of the corpus.
            requested: model as it was requested, which may leave the choice open.
            progress: function called with the number of finished steps and of all steps.
        """
        return cls(match=match, chance=chance, progress=progress, is_open=requested.is_open)

    def run(self, compare: Callable[[MatchCountOptions], _Comparison]) -> _Comparison:
        """Compare with these options; without chance if it fails and no model was requested.

        Raises:
            SettingError: if the measure does not allow the segments, or if the requested model does
                not.
        """
        try:
            return compare(self)
        except (OverlapError, CostError) as error:
            if not self.is_open:
                raise
            reason = error.reason if isinstance(error, OverlapError) else str(error)
            try:
                return compare(replace(self, chance=self.chance.remove_chance(reason)))
            except OverlapError:  # the measure forbids the segments, whatever chance is
                raise error from None

    @property
    def measure(self) -> Measure:
        """Measure of two segments."""
        return find_measure(self.match)

    def check(self, corpus: Corpus) -> None:
        """Raise an error if a layer has overlaps that the measure or the chance model forbids.

        Raises:
            SettingError: naming the first such layer.
        """
        check_layers(corpus, self.match, self.chance)

    def remove_places(self) -> MatchCountOptions | None:
        """Build the options without the rule of places; ``None`` if there is no rule."""
        if self.chance.places is None:
            return None
        return MatchCountOptions(match=self.match, chance=replace(self.chance, places=None))

    def describe(self, corpus: Corpus) -> ComparisonContext:
        """Compute the statistics that relate the segments of a corpus to its texts."""
        if self.chance.undefined:
            return ComparisonContext()
        if self.chance.places is None and corpus.texts is None:
            return ComparisonContext()
        from spanagree.comparisons.place_shares import WordEdges, compute_place_shares

        shares = compute_place_shares(corpus, corpus.annotators, self.chance)
        return (
            ComparisonContext(shares)
            if shares
            else ComparisonContext(None, WordEdges.from_corpus(corpus))
        )

    def collect_settings(
        self, corpus: Corpus, inexact: ApproximationError, description: ComparisonContext
    ) -> dict[str, Any]:
        """Collect the settings that all results of matches record, by name.

        Args:
            corpus: annotations.
            inexact: approximations of the expected matches.
            description: statistics of the places of segments.
        """
        return {
            "match": self.match,
            **self.chance.settings,
            **inexact.settings(self.chance.seed),
            **description.settings,
            "unplaced": corpus.unplaced_count_as,
            "offsets": corpus.offsets,
            "reading": corpus.reading,
        }


@dataclass(frozen=True, eq=False)
class ComparisonRequest:
    """Request of a user, parsed: measure, chance model and selection.

    Attributes:
        match: measure of segments; for relations, of the segments that they link.
        chance: chance model, which may be open.
        selection: selection of the compared items; ``None`` for all segments.
    """

    match: MatchName
    chance: ChanceModel
    selection: Selection | None = None

    @classmethod
    def from_keywords(
        cls,
        match: MatchName,
        chance: str | ChanceModel,
        places: Given | None = None,
        chance_of: str = "both",
        seed: int = 0,
        **comparing: Any,
    ) -> ComparisonRequest:
        """Parse the keywords of :func:`spanagree.evaluate`.

        Args:
            match: name of the measure.
            chance, places, chance_of, seed: chance model.
            comparing: selection; see :class:`spanagree.comparisons.Selection`.

        Raises:
            SettingError: for an unknown choice or rule, or a bad seed; for settings of relations if
                segments are compared.
        """
        model = build_chance_model(chance, places, chance_of, seed)
        if not comparing:
            return cls(match, model)
        from spanagree.comparisons.selection import Selection  # most compare all segments

        return cls(match, model, Selection.asked(comparing))

    def name_measure(self, offsets: str) -> MatchName:
        """Build the name of the measure, with the tolerance in the unit of offsets."""
        if self.selection is None and self.chance.places is None:
            return self.match
        from spanagree.comparisons.tolerance import name_with_tolerance  # few have a tolerance

        tolerance = 0 if self.selection is None else self.selection.tolerance
        return name_with_tolerance(self.match, tolerance, offsets, self.chance.places)

    def find_measure_name(self, offsets: str) -> MatchName:
        """Find the name of the measure for a corpus with these offsets."""
        of_selection = None if self.selection is None else self.selection.measure
        return of_selection or self.name_measure(offsets)

    def select_items(
        self, corpus: Corpus, progress: Progress = None, *, in_part: bool = False
    ) -> tuple[Corpus, MatchCountOptions]:
        """Select the segments or relations that are compared, and build the options for counting.

        Args:
            corpus: annotations.
            progress: function called with the number of finished steps and of all steps.
            in_part: True for a part of a corpus. It may lack items that the whole corpus needs,
                such as an attribute; the whole corpus is checked when its parts are joined.

        Raises:
            SettingError: if the measure is unknown, or the corpus lacks relations or the attribute.
        """
        match = self.name_measure(corpus.offsets)
        find_measure(match)
        if self.selection is not None:
            corpus = self.selection.of(corpus, match, in_part=in_part)
        chance = self.chance
        if corpus.kind in CONVERSIONS:
            corpus, chance = convert_to_segments(corpus, match, chance)
        if self.selection is not None and self.selection.measure is not None:
            match = self.selection.measure
        chance = choose_chance_of_corpus(corpus, match, chance)
        chance, corpus = chance.bind_to_ids(corpus, in_part=in_part)
        return corpus, MatchCountOptions.from_request(match, chance, self.chance, progress)


CONVERSIONS = {"strings": "spanagree.comparisons.strings"}
"""Module with a ``convert_to_segments`` for kinds of corpora whose items are no segments."""


def convert_to_segments(
    corpus: Corpus, match: str, chance: ChanceModel
) -> tuple[Corpus, ChanceModel]:
    """Convert the items of a corpus to segments that can be compared.

    Args:
        corpus: annotations of a kind in :data:`CONVERSIONS`.
        match: name of the measure.
        chance: requested chance model.

    Returns:
        Corpus of segments, and their chance model.
    """
    module = import_module(CONVERSIONS[corpus.kind])
    converted: tuple[Corpus, ChanceModel] = module.convert_to_segments(corpus, match, chance)
    return converted


def collect_gold_settings(gold: str | None, corpus: Corpus) -> dict[str, Any]:
    """Collect the settings that record the gold layer, ``None`` if there is none."""
    return {"gold": gold, "gold_first": None if gold in (None, corpus.annotators[0]) else False}
