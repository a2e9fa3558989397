"""What all counts of matches share: what is asked for, the measure, and the chance model."""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from spanagree.arrays import Hashes, Progress
from spanagree.chance.model import AUTO, ChanceModel, chance_model
from spanagree.comparisons.inexact import ApproximationError
from spanagree.comparisons.measures import Measure, find_measure
from spanagree.comparisons.overlaps import chance_of_corpus, check_layers
from spanagree.corpus.corpus import Corpus
from spanagree.errors import OverlapError, SettingError, quote_value
from spanagree.limits import CostError

if TYPE_CHECKING:
    from spanagree.chance.model import Given
    from spanagree.choices import MatchName
    from spanagree.comparisons.place_shares import PlacementStatistics, WordEdges
    from spanagree.comparisons.selection import Selection


@dataclass(frozen=True, eq=False)
class ComparisonContext:
    """How the segments of a corpus, or of a part of one, stand to their texts; it adds.

    Attributes:
        shares: how they stand to the rule of places, if chance has one.
        word_edges: ends of segments at edges of words, if chance has no rule and texts are known.
        text_numbers: number of each text, of a part.
    """

    shares: PlacementStatistics | None = None
    word_edges: WordEdges | None = None
    text_numbers: Hashes | None = None

    @classmethod
    def joined(cls, parts: Sequence[ComparisonContext]) -> ComparisonContext:
        """Add the descriptions of parts."""
        shares = [part.shares for part in parts if part.shares is not None]
        edges = [part.word_edges for part in parts if part.word_edges is not None]
        return cls(
            functools.reduce(operator.add, shares) if shares else None,
            functools.reduce(lambda total, more: total.plus(more), edges) if edges else None,
        )

    @property
    def settings(self) -> dict[str, int]:
        """The settings of a result that say how its segments stand to the rule."""
        return {} if self.shares is None else {"places_mean": self.shares.mixed}

    def notes(self) -> tuple[str, ...]:
        """Say that a rule of places would fit, if there is none."""
        if self.shares is not None or self.word_edges is None:
            return ()
        return self.word_edges.notes()


def notes_on_texts(parts: Mapping[str, ComparisonContext]) -> tuple[str, ...]:
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
class MatchCountOptions:
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
    ) -> MatchCountOptions:
        """Return how matches are counted under the model of a corpus, where another was named.

        Args:
            match: name of the measure.
            chance: chance model of the corpus.
            named: model as it was named, which may leave it open.
            progress: as above.
        """
        return cls(match=match, chance=chance, progress=progress, is_open=named.is_open)

    def run(self, compare: Callable[[MatchCountOptions], _Compared]) -> _Compared:
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
    def measure(self) -> Measure:
        """What two segments count."""
        return find_measure(self.match)

    def check(self, corpus: Corpus) -> None:
        """Refuse a layer that overlaps itself where the measure or chance does not allow it.

        Raises:
            SettingError: naming the first one.
        """
        check_layers(corpus, self.match, self.chance)

    def without_places(self) -> MatchCountOptions | None:
        """Return the same without a rule of places, if chance has one; nothing is drawn."""
        chance = self.chance.without_places
        if chance is None:
            return None
        return MatchCountOptions(match=self.match, chance=chance)

    def describe(self, corpus: Corpus) -> ComparisonContext:
        """Describe how the segments of a corpus stand to their texts."""
        if self.chance.undefined:
            return ComparisonContext()
        if self.chance.places is None and corpus.texts is None:
            return ComparisonContext()
        from spanagree.comparisons.place_shares import WordEdges, place_shares

        shares = place_shares(corpus, corpus.annotators, self.chance)
        return (
            ComparisonContext(shares) if shares else ComparisonContext(None, WordEdges.of(corpus))
        )

    def settings_of(
        self, corpus: Corpus, inexact: ApproximationError, description: ComparisonContext
    ) -> dict[str, Any]:
        """Collect the settings that all results of matches have, by name."""
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
    """What a user asks to compare, parsed: measure, chance model and selection.

    Attributes:
        match: measure of segments; of relations, that of the segments that they link.
        chance: chance model, which may be open.
        selection: selection of what is compared; ``None`` for all segments.
    """

    match: MatchName
    chance: ChanceModel
    selection: Selection | None = None

    @classmethod
    def asked(
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
            match: measure.
            chance, places, chance_of, seed: chance model.
            comparing: selection; see :class:`spanagree.comparisons.Selection`.

        Raises:
            SettingError: for an unknown choice or rule, or a bad seed; for settings of relations
                where segments are compared.
        """
        model = chance_model(chance, places, chance_of, seed)
        if not comparing:
            return cls(match, model)
        from spanagree.comparisons.selection import Selection  # most compare all segments

        return cls(match, model, Selection.asked(comparing))

    def _match_in(self, offsets: str) -> MatchName:
        """Return the measure with its tolerance, in units of a corpus."""
        if self.selection is None and self.chance.places is None:
            return self.match
        from spanagree.comparisons.tolerance import within  # few have a tolerance

        tolerance = 0 if self.selection is None else self.selection.tolerance
        return within(self.match, tolerance, offsets, self.chance.places)

    def measure_of(self, offsets: str) -> MatchName:
        """Return the name of the measure by which a corpus with these offsets is compared."""
        of_selection = None if self.selection is None else self.selection.measure
        return of_selection or self._match_in(offsets)

    def compared(
        self, corpus: Corpus, progress: Progress = None, *, in_part: bool = False
    ) -> tuple[Corpus, MatchCountOptions]:
        """Return what of a corpus is compared, and how its matches are counted.

        Args:
            corpus: annotations.
            progress: function called with the number of steps done, and of all.
            in_part: whether this is a part of a corpus: what the whole needs in one place, such as
                an attribute, it need not have. :meth:`measure_of_whole` looks at the whole.

        Raises:
            SettingError: for an unknown measure; for a corpus without relations, or without this
                attribute.
        """
        match = self._match_in(corpus.offsets)
        find_measure(match)
        if self.selection is not None:
            corpus = self.selection.of(corpus, match, in_part=in_part)
        if corpus.of_strings:
            from spanagree.comparisons.strings import as_segments  # most corpora have texts

            corpus = as_segments(corpus, match)
        if self.selection is not None and self.selection.measure is not None:
            match = self.selection.measure
        chance = chance_of_corpus(corpus, match, self.chance)
        chance, corpus = chance.with_ids(corpus, in_part=in_part)
        return corpus, MatchCountOptions.asked(match, chance, self.chance, progress)

    def check(self) -> None:
        """Check what is asked for before any part of a corpus is read.

        Raises:
            SettingError: as :meth:`compared`; for rules of documents, as those of a part are not
                known.
        """
        places = self.chance.places
        if places is not None and places.documents is not None:
            raise SettingError(
                "places: a list with a rule for each document needs one corpus, not parts; a name"
                " or a predicate would work"
            )
        if self.selection is None or not self.selection.tolerance:
            find_measure(self._match_in(""))  # a tolerance is in units of the corpus, not known yet

    def measure_of_whole(self, corpus: Corpus) -> MatchName:
        """Return the measure by which a whole corpus is compared, and check what it needs.

        Args:
            corpus: parts joined, what is compared of each.

        Raises:
            SettingError: if no segment has the attribute, or the label of a rule of places; for a
                rule of places where segments have several pieces.
            InputError: if no token is at a place.
        """
        if not corpus.of_rows:
            if self.selection is not None:
                self.selection.refuse(corpus)
            self.chance.with_ids(corpus)
        return self.measure_of(corpus.offsets)

    def check_same(
        self,
        corpus: Corpus,
        counting: MatchCountOptions,
        recorded: Selection,
        names: Sequence[tuple[str, Any, Any]],
    ) -> None:
        """Raise if rows were compared by another measure, chance model or setting.

        Args:
            corpus: documents of the rows.
            counting: measure and chance model of the rows.
            recorded: selection of the rows.
            names: name of each other setting, its value of the rows and the one asked for.

        Raises:
            SettingError: naming the first.
        """
        from spanagree.comparisons.selection import Selection  # few compare rows

        selection = Selection() if self.selection is None else self.selection
        of_rows, model = counting.chance, self.chance
        if model.is_open and of_rows.undefined:
            model = of_rows
        elif model.name == AUTO:
            model = model.named(of_rows.name)
        settings = [
            ("match", counting.match, self.measure_of(corpus.offsets)),
            ("chance", _described(of_rows), _described(model)),
            *names,
            *selection.differences(recorded, corpus, self.match),
        ]
        for name, there, wanted in settings:
            if there != wanted:
                raise SettingError(
                    f"{name} {quote_value(wanted)}; the rows are of {name} {quote_value(there)}:"
                    " ask for that, or compare the corpus anew"
                )


def _described(chance: ChanceModel) -> str:
    """Return the name of a chance model, and what more it has."""
    (_, name), *more = chance.settings.items()
    return ", ".join((name, *(f"{key} {value}" for key, value in more)))


def of_gold(gold: str | None, corpus: Corpus) -> dict[str, Any]:
    """Return the settings of a gold layer, if there is one."""
    return {"gold": gold, "gold_first": None if gold in (None, corpus.annotators[0]) else False}
