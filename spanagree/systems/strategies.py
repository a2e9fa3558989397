"""SemEval's four strategies as in nervaluate: counts and scores, with chance if it is exact.

Each strategy pairs segments one to one. In the order of the text, each segment of the system takes
an overlapping segment of gold that is not taken yet. It prefers gold segments that make a right
pair according to the strategy, and of these the one with the nearest borders. Without such a
segment it takes the first that it overlaps; this pair is an error. Pairs therefore depend on
earlier pairs, and differ between strategies.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import ClassVar, NamedTuple

import numpy as np

from spanagree.arrays import Ints
from spanagree.comparisons.counting import MatchCountOptions, collect_gold_settings
from spanagree.comparisons.overlapping_pairs import find_overlapping_pairs
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.discontinuous import check_contiguous
from spanagree.corpus.segments import Layer
from spanagree.errors import SettingError, escape_name
from spanagree.results import verdict
from spanagree.results.cells import Value
from spanagree.results.frame import Column, Frame
from spanagree.results.plots import Plot, plot_heat_map
from spanagree.results.result import Result
from spanagree.results.score import UNDEFINED, Score, build_undefined_score
from spanagree.settings import Settings
from spanagree.systems.compared_systems import ComparedSystems
from spanagree.systems.count import count_compared
from spanagree.systems.lost_quotes import find_lost_quotes, write_lost_quotes_sentence
from spanagree.systems.result import Evaluation, build_evaluation
from spanagree.systems.single_segments import require_corpus, write_caption

LEAST_SHARE = 1.0
"""Smallest share of a gold segment, in per cent, that counts as an overlap, as in nervaluate."""

_NAMED = 2  # systems with scores in the verdict


class Strategy(NamedTuple):
    """A strategy of SemEval.

    Attributes:
        of_label: True if the labels of a right pair have to be equal.
        of_borders: True if the borders of a right pair have to be equal.
        match: name of the equivalent measure in this package.
        error: outcome of a pair that is not right.
    """

    of_label: bool
    of_borders: bool
    match: str
    error: str = "incorrect"


STRATEGIES: Mapping[str, Strategy] = MappingProxyType(
    {
        "strict": Strategy(True, True, "exact"),
        "exact": Strategy(False, True, "boundaries"),
        "partial": Strategy(False, True, "partial", "partial"),
        "type": Strategy(True, False, "overlap"),
    }
)
"""The strategies by name; nervaluate's name of the last one is ent_type."""


class StrategyCounts(NamedTuple):
    """Outcomes of a strategy, with scores by nervaluate's formulas.

    Attributes:
        correct: number of pairs that are right.
        incorrect: number of pairs that are wrong.
        partial: number of pairs with other borders, for the strategy partial.
        missed: number of gold segments without a pair.
        spurious: number of segments of the system without a pair.

    >>> counts = StrategyCounts(1, 0, 2, 1, 0)
    >>> round(counts.precision, 3), counts.recall, round(counts.f1, 3)
    (0.667, 0.5, 0.571)
    """

    correct: int
    incorrect: int
    partial: int
    missed: int
    spurious: int

    @property
    def precision(self) -> float:
        """Share of the system's segments that are right; a partial match counts half."""
        return _compute_share(
            self._right_count, self.correct + self.incorrect + self.partial + self.spurious
        )

    @property
    def recall(self) -> float:
        """Share of gold's segments that were found; a partial match counts half."""
        return _compute_share(
            self._right_count, self.correct + self.incorrect + self.partial + self.missed
        )

    @property
    def f1(self) -> float:
        """Harmonic mean of precision and recall; ``nan`` without any segment."""
        if not any(self):
            return UNDEFINED
        p, r = self.precision, self.recall
        return 2 * (p * r) / (p + r) if self._right_count else 0.0

    @property
    def _right_count(self) -> float:
        """Number of correct segments; partly correct segments count half."""
        return self.correct + 0.5 * self.partial


def _compute_share(right: float, size: int) -> float:
    return right / size if size else UNDEFINED


_OUTCOMES = StrategyCounts._fields


@dataclass(frozen=True, kw_only=True, eq=False)
class StrategySettings(Settings):
    """Settings of SemEval's strategies."""

    gold: str
    gold_first: bool | None = None
    strategies: str = "semeval"
    chance: str
    chance_undefined: str | None = None
    places: str | None = None
    chance_of: str | None = None
    unplaced: str | None = None


@dataclass(frozen=True, eq=False, repr=False)
class StrategyScores(Result):
    """Result of :func:`strategy_scores`.

    Attributes:
        counts: outcomes by system and strategy.
        labels: outcomes by system, label and strategy, from the segments of one label alone.
        chance: F1 by system and strategy: observed, expected and corrected, with the reason if
            chance is not computed.
        documents: number of documents.
        settings: settings of the evaluation that matter here.
        notes: notes of the evaluation, and reasons why a strategy has no chance.
        not_in_text: sentence on quotes that are not in the text; empty without any.

    >>> import spanagree as sa
    >>> gold, mine = [[(0, 2, "PER"), (4, 5, "LOC")]], [[(0, 3, "PER")]]
    >>> corpus = sa.Corpus.from_segments([9], {"gold": gold, "mine": mine})
    >>> sa.systems.strategy_scores(sa.evaluate(corpus)).verdict
    'F1 of mine: strict .000, exact .000, partial .333, type .667.'
    """

    counts: Mapping[str, Mapping[str, StrategyCounts]]
    labels: Mapping[str, Mapping[str, Mapping[str, StrategyCounts]]]
    chance: Mapping[str, Mapping[str, Score]]
    documents: int
    settings: StrategySettings
    notes: tuple[str, ...]
    not_in_text: str = field(default="", repr=False, compare=False)

    BY: ClassVar[Mapping[str, str]] = {
        "label": "a row for each label and strategy, of the segments of this label alone"
    }

    TABLES: ClassVar[Mapping[str, str | None]] = {"strategies": None, "labels": "label"}

    SUMMARY: ClassVar[tuple[str, ...]] = ("documents",)

    @property
    def verdict(self) -> str:
        """F1 by strategy for the first systems."""
        sentences = []
        for name, counts_by_strategy in list(self.counts.items())[:_NAMED]:
            figures = ", ".join(
                f"{strategy} {verdict.format_short(counts.f1)}"
                for strategy, counts in counts_by_strategy.items()
            )
            sentences.append(f"F1 of {escape_name(name)}: {figures}.")
        return verdict.join_in_two_sentences(*sentences, self.not_in_text)

    def _build_table(self, by: str | None) -> Frame:
        """Build the table with a row for each system and strategy, or for each of its labels."""
        is_overall = by is None
        columns = [
            Column("system", "system", "name"),
            *([] if is_overall else [Column("label", "label", "name", "label of a strategy")]),
            Column("strategy", "strategy", "name"),
            Column("match", "here", "name", "measure of a strategy", spare=True),
            *(Column(key, key, "count", f"{key} of a strategy") for key in StrategyCounts._fields),
            *(
                Column(key, title, "figure", f"{title} of a strategy", spare=key != "f1")
                for key, title in (("precision", "precision"), ("recall", "recall"), ("f1", "F1"))
            ),
        ]
        if is_overall:
            columns += [
                Column("f1_expected", "chance F1", "figure", "chance of a strategy", spare=True),
                Column("f1_corrected", "corrected F1", "figure", "chance of a strategy"),
            ]
        rows, breaks = list[list[Value]](), list[int]()
        for name, counts_by_strategy in self.counts.items():
            labels = {"": counts_by_strategy} if is_overall else self.labels[name]
            for label, strategy_counts in labels.items():
                breaks.append(len(rows))
                for strategy, counts in strategy_counts.items():
                    row_names = [name, *([] if is_overall else [label]), strategy]
                    figures = [counts.precision, counts.recall, counts.f1]
                    chance = list(self.chance[name][strategy][1:3]) if is_overall else []
                    rows.append(
                        [*row_names, STRATEGIES[strategy].match, *counts, *figures, *chance]
                    )
        subject = "SemEval's strategies:"
        caption = write_caption(subject, self.counts, self.documents, self.settings)
        return Frame(columns, rows, self.settings, caption=caption, breaks=breaks[1:])

    def _build_plot(self, by: str | None) -> Plot:
        """Plot F1 of each strategy as a heat map."""
        table = [
            [self.counts[name][strategy].f1 for name in self.counts] for strategy in STRATEGIES
        ]
        return plot_heat_map(list(STRATEGIES), list(self.counts), np.array(table, np.float64), "F1")


def strategy_scores(evaluation: Evaluation) -> StrategyScores:
    """Compute SemEval's four strategies for each system, as nervaluate 1.2.1 does.

    Counts and scores equal those of nervaluate if the segments are in the order of the text. A
    score without a divisor is ``nan``; in nervaluate it is 0. Less than 1 % of the gold segment is
    no overlap. F1 by chance is taken from the equivalent measure, if it makes the same pairs: if
    segments of one annotator exclude each other, and chance is computed without draws. Quotes that
    are not in the text are spurious.

    Args:
        evaluation: evaluation of systems against gold, with any measure.

    Raises:
        SettingError: if the evaluation has no segments, being of rows or relations, or a segment is
            discontinuous.

    >>> import spanagree as sa
    >>> layers = {"gold": [[(0, 2, "PER"), (4, 5, "LOC")]], "mine": [[(0, 3, "PER")]]}
    >>> found = strategy_scores(sa.evaluate(sa.Corpus.from_segments([9], layers)))
    >>> found.counts["mine"]["partial"]
    StrategyCounts(correct=0, incorrect=0, partial=1, missed=1, spurious=0)
    """
    corpus = require_corpus(evaluation, "strategies")
    check_contiguous(corpus, "strategies")
    if corpus.of_strings:
        raise SettingError("strategies: not of strings without a text, which share no tokens")
    gold, n_labels = evaluation.settings.gold, len(corpus.labels)
    counts, labels = {}, {}
    for name in evaluation.systems:
        pair = corpus.layers[gold], corpus.layers[name]
        not_found = find_lost_quotes(evaluation.counted.per_document, name)["label"]
        (counts[name],) = _add_spurious(count_outcomes(*pair, 1), [len(not_found)])
        n_lost = np.bincount(not_found, minlength=n_labels).tolist()
        by_label = zip(
            corpus.labels, _add_spurious(count_outcomes(*pair, n_labels), n_lost), strict=True
        )
        labels[name] = {label: rows for label, rows in by_label if any(rows["strict"])}
    chance, reasons = _score_by_chance(corpus, gold, evaluation)
    scores = {
        name: {
            strategy: Score(
                counts[name][strategy].f1, *f1_by_system[name][1:3], f1_by_system[name].reason
            )
            for strategy, f1_by_system in chance.items()
        }
        for name in counts
    }
    settings = StrategySettings(
        **collect_gold_settings(gold, corpus),
        **evaluation.counting.chance.settings,
        unplaced=evaluation.settings.unplaced,
        offsets=corpus.offsets,
        reading=corpus.reading,
    )
    notes = (*evaluation.notes, *reasons)
    lost_sentence = write_lost_quotes_sentence(evaluation)
    return StrategyScores(
        counts, labels, scores, evaluation.documents, settings, notes, lost_sentence
    )


def count_outcomes(gold: Layer, system: Layer, n_labels: int) -> list[dict[str, StrategyCounts]]:
    """Count the outcomes of each strategy, over the documents that gold and system saw.

    Args:
        gold: gold segments.
        system: segments of the system.
        n_labels: number of labels, each of which is compared separately; 1 to compare the segments
            of all labels together.

    Returns:
        Counts by strategy, for each label.
    """
    is_shared = gold.annotated & system.annotated
    gold, system = (layer.only(is_shared[layer.document]) for layer in (gold, system))
    label_gold, label_system = (
        annotator_layer.label if n_labels > 1 else 0 * annotator_layer.label
        for annotator_layer in (gold, system)
    )
    i, j = find_overlapping_pairs(
        gold,
        system,
        gold.document * n_labels + label_gold,
        system.document * n_labels + label_system,
    )
    n_common = np.minimum(gold.end[i], system.end[j]) - np.maximum(gold.start[i], system.start[j])
    can_pair = n_common / (gold.end - gold.start)[i] * 100.0 >= LEAST_SHARE
    i, j = i[can_pair], j[can_pair]
    distance = np.abs(gold.start[i] - system.start[j]) + np.abs(gold.end[i] - system.end[j])
    tables = {}
    for name, strategy in STRATEGIES.items():
        is_right = np.ones(len(i), np.bool_)
        if strategy.of_label:
            is_right &= gold.label[i] == system.label[j]
        if strategy.of_borders:
            is_right &= distance == 0
        order = np.lexsort((i, np.where(is_right, distance, 0), ~is_right, j))
        chosen_pairs = order[_choose_pairs_in_turn(i[order], j[order])]
        right, wrong = chosen_pairs[is_right[chosen_pairs]], chosen_pairs[~is_right[chosen_pairs]]
        table = np.zeros((n_labels, len(_OUTCOMES)), np.int64)
        for outcome, labels_of_outcome in (
            ("correct", label_system[j[right]]),
            (strategy.error, label_system[j[wrong]]),
            ("missed", np.delete(label_gold, i[chosen_pairs])),
            ("spurious", np.delete(label_system, j[chosen_pairs])),
        ):
            table[:, _OUTCOMES.index(outcome)] = np.bincount(labels_of_outcome, minlength=n_labels)
        tables[name] = [StrategyCounts(*row) for row in table.tolist()]
    return [
        {name: rows[label_index] for name, rows in tables.items()}
        for label_index in range(n_labels)
    ]


def _add_spurious(
    rows: Iterable[Mapping[str, StrategyCounts]], lost_counts: Sequence[int]
) -> list[dict[str, StrategyCounts]]:
    """Count quotes that are not in the text as spurious, by label."""
    return [
        {
            name: counts._replace(spurious=counts.spurious + n_lost)
            for name, counts in counts_by_strategy.items()
        }
        for counts_by_strategy, n_lost in zip(rows, lost_counts, strict=True)
    ]


def _choose_pairs_in_turn(gold: Ints, system: Ints) -> Ints:
    """Let each segment of the system in turn take its most preferred gold segment that is free.

    Args:
        gold: index of the gold segment of each possible pair.
        system: index of the system's segment of each possible pair, ascending. The possible pairs
            of one segment are in descending order of preference.

    Returns:
        Indices of the chosen pairs among the possible pairs.
    """
    pairs, taken_gold, last_chooser = list[int](), set[int](), -1
    # each choice depends on earlier ones: chains of overlaps may be as long as a text
    for pair, (candidate, chooser) in enumerate(zip(gold.tolist(), system.tolist(), strict=True)):
        if chooser != last_chooser and candidate not in taken_gold:
            last_chooser = chooser
            taken_gold.add(candidate)
            pairs.append(pair)
    return np.array(pairs, np.int64)


def _score_by_chance(
    corpus: Corpus, gold: str, evaluation: Evaluation
) -> tuple[dict[str, dict[str, Score]], list[str]]:
    """Compute F1 with chance by the measure that is equivalent to each strategy.

    A measure is equivalent if it pairs the same segments in all possible annotations. Otherwise
    the score is undefined.

    Returns:
        F1 by strategy and system, and for each strategy without chance a note with the reason.
    """
    model = evaluation.counting.chance
    layers = corpus.layers.values()
    longest = max(int((layer.end - layer.start).max(initial=0)) for layer in layers)
    scores, reasons = {}, []
    for name, strategy in STRATEGIES.items():
        reason = ""
        if model.name != "nonoverlapping":
            reason = "chance lets segments of one annotator overlap, so pairs depend on their order"
        elif not strategy.of_borders:
            reason = "pairs with another label take segments, so pairs depend on their order"
        elif strategy.error == "partial" and (
            longest * LEAST_SHARE > 100 or model.places is not None
        ):
            reason = f"an overlap of less than {LEAST_SHARE:g} % of a gold segment is none"
        if not reason:
            counting = MatchCountOptions(match=strategy.match, chance=model)
            evaluation_by_measure = build_evaluation(
                count_compared(ComparedSystems.of(corpus, counting, gold))
            )
            scores[name] = {
                system.name: system.f1 for system in evaluation_by_measure.systems.values()
            }
            if evaluation_by_measure.settings.expected is not None:
                reason = "it is too much work without draws"
        if reason:
            scores[name] = dict.fromkeys(evaluation.systems, build_undefined_score(reason))
            reasons.append(f"{name}: chance is not computed, as {reason}")
    return scores, reasons
