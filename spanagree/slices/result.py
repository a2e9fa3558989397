"""The scores of each slice of a corpus, and the differences between slices."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from spanagree.comparisons.place_shares import PlacementStatistics, insert_uniform_chance
from spanagree.comparisons.tally import ScoredTally, Tally
from spanagree.comparisons.tally_columns import build_count_columns, list_count_values
from spanagree.errors import SettingError, escape_name, format_count_of_total, pluralize
from spanagree.results import verdict
from spanagree.results.cells import Value, format_p
from spanagree.results.frame import Column, Frame
from spanagree.results.plots import LINES, Plot, plot_f1_dots, plot_lines
from spanagree.results.result import MappingResult, NanEqualMixin, Result
from spanagree.results.score import (
    NO_CHANCE,
    UNDEFINED,
    Ratio,
    Score,
    build_undefined_score,
    list_figures,
)
from spanagree.results.score_columns import F1, ScoreColumns, build_figure_columns
from spanagree.results.verdict import LEVEL
from spanagree.settings import document_noun, parse_confidence
from spanagree.slices.differences import ENOUGH, SliceDifference, Trend

_MOST_NAMED = 5  # largest number of steps, or systems, in a sentence
_MOST_PLOTTED = 12  # largest number of slices in a plot of several systems


@dataclass(frozen=True, eq=False)
class SliceScore(NanEqualMixin, ScoredTally):
    """The scores of a system, ``precision``, ``recall`` and ``f1``, or of a team, in one slice.

    Attributes:
        documents: number of documents of the slice that gold and the system saw, or two annotators.
        tally: counts over these documents, or over their segments of a class.
        no_chance: reason why chance is undefined; empty if it is exact.

    >>> import spanagree as sa
    >>> layers = {"gold": [[(0, 2, "X")]] * 2, "mine": [[(0, 2, "X")], []]}
    >>> evaluation = sa.evaluate(sa.Corpus.from_segments([9, 9], layers))
    >>> slices = sa.slices.score_slices(evaluation, ["news", "blog"])
    >>> slices["news"].scores["mine"].f1.observed
    1.0
    """

    documents: int
    tally: Tally
    no_chance: str = ""

    def score_of(self, ratio: Ratio) -> Score:
        """Compute the score of a figure in this slice, with the reason if it is undefined."""
        if not self.documents:
            return build_undefined_score("no document was seen by both, or by two annotators")
        score = self.tally.score_of(ratio)
        if not self.no_chance or math.isnan(score.observed):
            return score
        return score._replace(reason=self.no_chance)


@dataclass(frozen=True, eq=False)
class Slice(NanEqualMixin):
    """One slice of the documents, or of their segments.

    Attributes:
        name: value that all of them share.
        documents: number of documents in the slice.
        annotators: names of the annotators who share one of these documents with another.
        scores: scores of each system, or of the team.

    >>> import spanagree as sa
    >>> layers = {"a": [[(0, 2, "X")]] * 2, "b": [[(0, 2, "X")], []]}
    >>> agreement = sa.agree(sa.Corpus.from_segments([9, 9], layers))
    >>> slices = sa.slices.score_slices(agreement, ["news", "blog"])
    >>> slices["blog"].documents, slices["blog"].scores["team"].f1.observed
    (1, 0.0)
    """

    name: str
    documents: int
    annotators: tuple[str, ...]
    scores: Mapping[str, SliceScore]


@dataclass(frozen=True, eq=False, repr=False)
class Slices(Result, MappingResult):
    """The result of :func:`score_slices`.

    Attributes:
        title: name of the property that the slices are values of.
        slices: slices in order.
        whole: scores of all documents, if the slices belong to one corpus.
        changes: differences of each slice to the next, for each system, if slices have an order.
        trends: trend of each system, or of the team, if more than two slices have an order.
        largest: largest significant difference, or else the largest tested difference, if slices
            have no order.
        n_tested: number of differences that p and intervals are adjusted for.
        untested: slices of each system that are too small for a test, if slices have no order.
        documents: number of documents of the corpus, including those in no slice.
        settings: settings that the scores depend on.
        notes: repairs and omissions by the reader, and remarkable properties of the data.
        no_chance: reason why chance is undefined; empty if it is exact.
        places: statistics of the places of segments, if chance has a rule of places.
        uniform: slices scored without the rule of places.
        not_in_text: sentence about quotes that are missing from the text; empty if there are none.

    >>> import spanagree as sa
    >>> layers = {"a": [[(0, 2, "X")]] * 4, "b": [[(1, 3, "X")]] * 2 + [[(0, 2, "X")]] * 2}
    >>> agreement = sa.agree(sa.Corpus.from_segments([9] * 4, layers))
    >>> slices = sa.slices.score_slices(agreement, ["round 1"] * 2 + ["round 2"] * 2)
    >>> [(part.name, part.scores["team"].f1.observed) for part in slices.slices]
    [('round 1', 0.0), ('round 2', 1.0)]
    """

    title: str
    slices: tuple[Slice, ...]
    whole: Slice | None
    changes: tuple[SliceDifference, ...]
    trends: Mapping[str, Trend]
    largest: SliceDifference | None
    n_tested: int
    untested: Mapping[str, Sequence[str]]
    documents: int
    settings: Any
    notes: tuple[str, ...]
    no_chance: str = ""
    is_ordered: bool = False
    places: PlacementStatistics | None = field(default=None, repr=False, compare=False)
    uniform: Slices | None = field(default=None, repr=False, compare=False)
    not_in_text: str = field(default="", repr=False, compare=False)

    @property
    def _keys(self) -> Sequence[Any]:
        return [slice_.name for slice_ in self.slices]

    def __getitem__(self, name: str) -> Slice:
        """Return a slice by name.

        Raises:
            SettingError: if the name is unknown.
        """
        for slice_ in self.slices:
            if slice_.name == name:
                return slice_
        allowed = ", ".join(escape_name(slice_.name) for slice_ in self.slices)
        raise SettingError(f"unknown slice {escape_name(name)}; allowed: {allowed}")

    @property
    def scored(self) -> list[str]:
        """Names of the systems; team in an agreement."""
        return list(dict.fromkeys(name for slice_ in self.slices for name in slice_.scores))

    @property
    def _is_of_team(self) -> bool:
        return "team" in self.settings

    @property
    def _figure_key(self) -> str:
        """Name of the value that is compared."""
        return "observed" if self.no_chance else "corrected"

    def _describe_figure(self, name: str) -> str:
        """Describe the compared value of a system, or of the team, in words."""
        figure = "F1" if self.no_chance else "corrected F1"
        return figure if self._is_of_team else f"{figure} of {escape_name(name)}"

    def _list_values(self, name: str) -> dict[str, float]:
        """List the compared value of each slice."""
        return {
            slice_.name: getattr(slice_.scores[name].f1, self._figure_key)
            for slice_ in self.slices
            if name in slice_.scores
        }

    # --- the verdict ----------------------------------------------------------------------------

    @property
    def verdict(self) -> str:
        """Trend and significant steps of slices in order, or the largest difference."""
        if self.is_ordered:
            sentences = [
                sentence
                for name in self.scored[:_MOST_NAMED]
                for sentence in self._write_order(name)
            ]
        elif self.largest is None:
            sentences = [self._write_untested_extremes()]
        else:
            sentences = [self._write_largest_difference(self.largest)]
        return verdict.join_in_two_sentences(*sentences, self.not_in_text)

    def _write_untested_extremes(self) -> str:
        """Write the highest and the lowest slice of the first system, and why no test was made."""
        values = self._list_values(self.scored[0]) if self.scored else {}
        if sum(not math.isnan(value) for value in values.values()) < 2:
            return f"Fewer than two slices have a defined {self._figure_title}."
        subject = self._describe_figure(self.scored[0])
        extremes = verdict.write_extremes(values, "slice", subject, None, 95)
        return f"{extremes[0].upper()}{extremes[1:]}".replace(
            "no test was made.",
            f"no test was made: fewer than two slices have {ENOUGH}"
            f" {document_noun(self.settings)}s with"
            " anything marked, and two with an error and a match.",
        )

    @property
    def _figure_title(self) -> str:
        return "F1" if self.no_chance else "corrected F1"

    def _write_largest_difference(self, largest: SliceDifference) -> str:
        """Write the sentence on the largest difference between two slices, and its test."""
        change = getattr(largest, self._figure_key)
        values = self._list_values(largest.scored)
        high, low = (
            f"{verdict.format_short(values[slice_name])} in {escape_name(slice_name)}"
            for slice_name in (largest.b, largest.a)
        )
        pairs = f", {pluralize(self.n_tested, 'pair')}" if self.n_tested > 1 else ""
        confidence = parse_confidence(self.settings) or 95
        interval = verdict.write_interval(change.low, change.high, confidence)
        if self.n_tested > 1:
            interval = f"simultaneous {interval}"
        figures = (
            f"{self._describe_figure(largest.scored)} is {high} and {low} (difference"
            f" {verdict.format_short(change.value)}, {interval}, p"
            f" {verdict.write_p(change.p_adjusted)}{pairs})"
        )
        if change.p_adjusted < LEVEL:
            return f"The largest difference that a test supports: {figures}."
        return f"No two slices can be told apart; the largest difference: {figures}."

    def _write_order(self, name: str) -> list[str]:
        """Write sentences on the first and last value of slices in order, trend and steps.

        ``name`` is the name of the system, or team. Only significant steps are named.
        """
        ends = verdict.write_first_and_last(self._list_values(name))
        subject = self._describe_figure(name)
        subject = f"{subject[0].upper()}{subject[1:]}"
        if not ends:
            return [f"Fewer than two slices have a defined {subject}."]
        sentence = f"{subject} goes {ends}."
        changes = [change for change in self.changes if change.scored == name]
        has_several_steps = len(changes) > 1
        first_change = getattr(changes[0], self._figure_key)
        p = self.trends[name].p if has_several_steps else first_change.p
        if math.isnan(p):
            return [sentence, f"There are too few {document_noun(self.settings)}s for a test."]
        rises = (self.trends[name].slope if has_several_steps else first_change.value) > 0
        change_noun, location = (
            ("trend", " over all slices") if has_several_steps else ("change", "")
        )
        outcome = (
            f"it {'rises' if rises else 'falls'} significantly{location}"
            if p < LEVEL
            else f"the {change_noun}{location} is not significant"
        )
        sentences = [sentence, f"By a permutation test {outcome} (p {verdict.write_p(p)})."]
        steps = [
            f"from {escape_name(step.a)} to {escape_name(step.b)}"
            f" (p {verdict.write_p(getattr(step, self._figure_key).p_adjusted)})"
            for step in changes
            if has_several_steps and getattr(step, self._figure_key).p_adjusted < LEVEL
        ]
        if not steps:
            return sentences
        step_names = ", ".join(verdict.abbreviate_names(steps, _MOST_NAMED, "more step"))
        return [*sentences, f"Significant steps, after Holm's correction: {step_names}."]

    # --- tables ---------------------------------------------------------------------------------

    SUMMARY: ClassVar[tuple[str, ...]] = (
        "by=title",
        "documents",
        "trends=_trends?",
        "largest_difference=_largest?",
        "places?",
    )

    TABLES: ClassVar[Mapping[str, str | None]] = {"slices": None}

    @property
    def _trends(self) -> dict[str, dict[str, float]] | None:
        """Trend of each system as plain data."""
        return {name: trend._asdict() for name, trend in self.trends.items()} or None

    @property
    def _largest(self) -> dict[str, Any] | None:
        """Largest difference between slices as data for JSON; ``None`` if there is none."""
        if self.largest is None:
            return None
        observed, corrected = (
            difference._asdict() for difference in (self.largest.observed, self.largest.corrected)
        )
        of_corrected = {} if self.no_chance else {"corrected": corrected}
        names = {"system": self.largest.scored, "a": self.largest.a, "b": self.largest.b}
        return {**names, "observed": observed, **of_corrected, "tested": self.n_tested}

    def _build_table(self, by: str | None) -> Frame:
        """Build a table with a row for each slice and system, and for all documents."""
        has_intervals, of_team = self.settings.ci is not None, self._is_of_team
        ratios = list_figures(self.settings.get("f_beta"))
        columns_by_score = {
            name: build_figure_columns(ratio, intervals=has_intervals)
            for name, ratio in ratios.items()
        }
        columns_by_score = {
            name: score._replace(spare=(ratios[name].title,) * (not ratios[name].has_chance))
            for name, score in columns_by_score.items()
        }
        if of_team:  # precision and recall depend on the order of annotators
            columns_by_score = {
                "f1": ScoreColumns("f1", F1, has_intervals, ("F1 of a pair", "", ""))
            }
        noun = document_noun(self.settings)
        columns = [
            Column("slice", escape_name(self.title), "name", "slice"),
            *([] if of_team else [Column("system", "system", "name")]),
            Column("documents", f"{noun}s", "count", "documents of a slice"),
            *(
                [Column("annotators", "annotators", "count", "annotators of a slice", spare=True)]
                * of_team
            ),
            *(column for score in columns_by_score.values() for column in score.columns),
            *(
                column
                for score in columns_by_score.values()
                if has_intervals
                for column in score.ends
            ),
            *build_count_columns(is_titled=not (of_team or self.is_ordered), of_pairs=of_team),
            *(self._build_change_columns() if self.is_ordered else ()),
        ]
        rows: list[list[Value]] = []
        breaks: list[int] = []
        slices = [*self.slices, *([] if self.whole is None else [self.whole])]
        for slice_ in slices:
            if (not of_team and len(self.scored) > 1) or slice_ is self.whole:
                breaks.append(len(rows))
            for name, score in slice_.scores.items():
                figures = [
                    (score_columns, score.score_of(ratios[name]))
                    for name, score_columns in columns_by_score.items()
                ]
                row: list[Value] = [slice_.name, *([] if of_team else [name]), score.documents]
                row += [len(slice_.annotators)] * of_team
                row += [
                    value
                    for score_columns, figure in figures
                    for value in score_columns.list_values(figure)
                ]
                if has_intervals:
                    row += [
                        end
                        for score_columns, figure in figures
                        for end in score_columns.list_end_values(figure)
                    ]
                row += list_count_values(score.tally, of_pairs=of_team)
                if self.is_ordered:
                    row += self._list_change_values(slice_.name, name)
                rows.append(row)
        n_whole_rows = 0 if self.whole is None else len(self.whole.scores)
        n_sliced = sum(slice_.documents for slice_ in self.slices)
        of_documents = format_count_of_total(min(n_sliced, self.documents), self.documents, noun)
        caption = f"{pluralize(len(self.slices), 'slice')}, {of_documents}"
        table = Frame(
            columns,
            rows,
            self.settings,
            caption=caption,
            remarks=self._write_remarks(),
            breaks=breaks[1:],
            for_people=range(len(rows) - n_whole_rows, len(rows)),
        )
        uniform = None if self.uniform is None else self.uniform._build_table(by)
        return insert_uniform_chance(table, uniform, self.places)

    def _build_change_columns(self) -> list[Column]:
        """Build the columns of the change since the previous slice."""
        holm = "Holm" if self.n_tested > 1 else ""
        return [
            Column("both", "", "count"),
            Column("change_observed"),
            Column("change", "change", "figure", "change of a slice"),
            *(Column(f"change_{end}") for end in ("low", "high")),
            Column("", "interval", "interval", "interval of a change"),
            Column("p", "p", "probability", "p of a change", spare=True),
            Column("p_holm", holm, "probability", "Holm of changes"),
        ]

    def _list_change_values(self, slice_name: str, name: str) -> list[Value]:
        """List the cells of the change from the previous slice to this slice.

        Args:
            slice_name: name of this slice.
            name: name of the system, or team.
        """
        undefined = UNDEFINED
        for change in self.changes:
            if (change.b, change.scored) == (slice_name, name):
                difference = getattr(change, self._figure_key)
                ends: list[Value] = [
                    difference.low,
                    difference.high,
                    (difference.low, difference.high),
                ]
                return [
                    change.both,
                    change.observed.value,
                    difference.value,
                    *ends,
                    difference.p,
                    difference.p_adjusted,
                ]
        return [
            None,
            undefined,
            undefined,
            undefined,
            undefined,
            (undefined, undefined),
            undefined,
            undefined,
        ]

    def _write_remarks(self) -> list[str]:
        """Write remarks on trends, comparisons, and causes of differences."""
        noun, remarks = document_noun(self.settings), list[str]()
        for name, trend in self.trends.items():
            if not math.isnan(trend.p):
                suffix = "" if self._is_of_team else f" of {escape_name(name)}"
                remarks.append(
                    f"trend{suffix}: {self._figure_title} {trend.slope:+.4f} from slice to slice,"
                    f" p {format_p(trend.p)}"
                )
        if self.changes:
            first_changes = [change for change in self.changes if change.scored == self.scored[0]]
            n_shared = sum(change.both for change in first_changes)
            location = f"no {noun} is in two of them"
            if n_shared:
                location = (
                    f"{pluralize(n_shared, noun)} {'is' if n_shared == 1 else 'are'} in two slices"
                )
            remarks.append(f"change: {self._figure_title}, from the slice above; {location}")
            remarks += [
                f"–: change from {escape_name(change.a)} to {escape_name(change.b)}: {reason}"
                for change in self.changes
                if (reason := getattr(change, self._figure_key).reason)
            ]
        for name, slices in self.untested.items():
            suffix = "" if self._is_of_team else f" for {escape_name(name)}"
            remarks.append(
                f"not tested{suffix}: {verdict.join_in_words(slices)}, with fewer than {ENOUGH}"
                f" {noun}s with anything marked, or two with an error and two with a match"
            )
        if self.no_chance:
            remarks.append(f"–: chance undefined: {self.no_chance}")
        if self._is_of_team and len({frozenset(slice_.annotators) for slice_ in self.slices}) > 1:
            remarks.append("the slices were done by other annotators: a difference may be theirs")
        for slice_ in self.slices:
            for name, score in slice_.scores.items():
                if score.f1.reason and score.f1.reason not in (self.no_chance, NO_CHANCE):
                    suffix = "" if self._is_of_team else f", {escape_name(name)}"
                    prefix = "" if math.isnan(score.f1.observed) else "corrected "
                    remarks.append(
                        f"{escape_name(slice_.name)}{suffix}: {prefix}F1 undefined:"
                        f" {score.f1.reason}"
                    )
        if self.places is not None:
            remarks += self.places.write_remarks(
                {"annotators": list(self.places.annotators)}
                if self._is_of_team
                else {
                    escape_name(self.settings.gold): [self.settings.gold],
                    "systems": self.scored,
                }
            )
        return [*remarks, *self.caveats]

    @property
    def caveats(self) -> tuple[str, ...]:
        """Warnings about unreliable results, one sentence each."""
        names_by_count: dict[int, list[str]] = {}
        for slice_ in self.slices:
            n_least = min((score.documents for score in slice_.scores.values()), default=0)
            if n_least < ENOUGH:
                names_by_count.setdefault(n_least, []).append(slice_.name)
        noun = document_noun(self.settings)
        return tuple(
            f"{verdict.join_in_words(names)}: only {pluralize(n_least, noun)} compared; figures may"
            " differ a lot on others, and tests find hardly anything there"
            for n_least, names in sorted(names_by_count.items())
        )

    def _build_plot(self, by: str | None) -> Plot:
        """Plot F1 and corrected F1 of each slice as dots, or a line for each of several systems.

        With several systems, only the first slices are plotted.
        """
        scored = self.scored
        if len(scored) == 1:
            dots = ((slice_.name, slice_.scores[scored[0]].f1) for slice_ in self.slices)
            return plot_f1_dots(dots, f"F1 by {self.title}")
        slice_names = [slice_.name for slice_ in self.slices[:_MOST_PLOTTED]]
        rows = {}
        for name in scored:
            values = [self._list_values(name).get(value, math.nan) for value in slice_names]
            rows[name] = range(len(values)), values
        return plot_lines(rows, ("", self._figure_title), LINES, slice_names)
