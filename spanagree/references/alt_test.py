"""The alternative annotator test: may a candidate, such as a model, replace an annotator?

Calderon, Reichart & Dror (2025). Each annotator is left out in turn and compared with the
candidate: whose score against the other annotators is higher in a document (or on an item)? Ties
count for both. Such a document or item is an instance. Among n instances the candidate has L lone
losses (the annotator alone wins) and W lone wins. The test asks whether the expected difference is
below ε,

    H₀: E[(L − W) / n] ≥ ε.

The winning rate ω is the share of annotators for whom H₀ is rejected. The test is exact; the
published t-test, which is wrong if ties are common, is reported next to it.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from typing import Any, ClassVar, NamedTuple

import numpy as np

from spanagree.arrays import Bools, Floats, Ints
from spanagree.chance.model import AUTO, build_chance_model
from spanagree.choices import ChanceOrAuto, LabelScore, MatchName
from spanagree.comparisons.annotation_pairs import AnnotationIndex, compare_pairs
from spanagree.comparisons.counting import MatchCountOptions
from spanagree.comparisons.measures import find_measure
from spanagree.comparisons.overlaps import choose_chance_of_corpus
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.discontinuous import check_contiguous
from spanagree.corpus.label_table import LabelTable
from spanagree.corpus.roles import count_seen, infer_seen_by_systems
from spanagree.corpus.segments import concatenate_segments
from spanagree.errors import (
    SettingError,
    check_annotator_names,
    check_choice,
    check_known,
    escape_name,
    format_count_of_total,
    format_percent,
    join_names,
    pluralize,
    quote_value,
)
from spanagree.formats.guessed import CorpusLike, as_corpus
from spanagree.labels.category_weights import parse_numbers
from spanagree.references.ceiling import compare_with_references, compute_compared_size
from spanagree.results import verdict
from spanagree.results.cells import Value
from spanagree.results.frame import Column, Frame
from spanagree.results.plots import Plot, plot_dots
from spanagree.results.result import Result
from spanagree.results.score import compute_f1_figures
from spanagree.settings import Settings, document_noun
from spanagree.uncertainty.jackknife import TIE
from spanagree.uncertainty.permutation import benjamini_hochberg

LEAST = 30  # smallest number of instances of a tested annotator
PASSES = 0.5  # smallest winning rate of a candidate that passes
_NEARLY_EMPTY = 10  # documents with any segment, for one with a segment of the candidate
_FDR = 0.05  # false discovery rate for Benjamini & Yekutieli's correction
_BLANK = "empty against empty is no evidence, so nothing is tested"
_NAMES = {"observed": "F1", "corrected": "corrected F1", "neg_rmse": "−RMSE"}
SCORES = {
    "accuracy": "the share of the others who gave the same label",
    "neg-rmse": "the root of the mean squared difference from the others' numbers, negative",
}
"""Descriptions of the scores of an instance of a table of labels, by name."""
_POINTS = 16  # steps of the grid of shares of ties, times n
_SMOOTH = 60  # the same, times √n, for large n
_WIDE = 8.0  # counts of ties farther from the mean, in standard deviations, are dropped
_MORE = 40  # counts of ties that are kept beyond this
_TOGETHER = 1 << 20  # largest number of probabilities in a batch
_SAME = 1e-9  # largest difference of equal scores


@dataclass(frozen=True, kw_only=True, eq=False)
class ReplacementSettings(Settings):
    """Settings of the test; for a label table ``items`` instead of measure and chance.

    Attributes:
        score: score of items, a name in :data:`SCORES`.
    """

    candidate: str
    match: str | None = None
    chance: str | None = None
    epsilon: float
    expected: str | None = None
    chance_undefined: str | None = None
    chance_seed: int | None = None
    annotators: int
    unplaced: str | None = None
    items_: str | None = None
    score: str | None = None


class HeldOutAnnotator(NamedTuple):
    """Test of one annotator, who is left out, against the candidate.

    Attributes:
        name: name of the annotator.
        instances: number of instances that the candidate, the annotator and another one saw, and
            in which an annotator or the candidate marked a segment.
        decided: number of these instances without a tie.
        advantage: share of these instances in which the candidate agrees with the others at least
            as well as the annotator.
        difference: share in which the annotator agrees at least as well, minus ``advantage``.
        p: p-value of the exact test that the difference is below ε.
        p_by: p after Benjamini & Yekutieli's correction.
        p_t: p-value of the t-test.
        p_t_by: p_t after Benjamini & Yekutieli's correction.
    """

    name: str
    instances: int
    decided: int
    advantage: float
    difference: float
    p: float
    p_by: float
    p_t: float
    p_t_by: float


class Verdict(NamedTuple):
    """Outcome of the test by one kind of score, such as corrected F1.

    Attributes:
        winning_rate: ω, share of annotators for whom the test rejects H₀; ``nan`` for a candidate
            without segments.
        passes: True if ω is at least one half.
        advantage: ρ, mean of the advantages over annotators.
        winning_rate_t: ω by the published t-test.
        passes_t: True if this ω is at least one half.
        annotators: test of each annotator.
    """

    winning_rate: float
    passes: bool
    advantage: float
    winning_rate_t: float
    passes_t: bool
    annotators: tuple[HeldOutAnnotator, ...]


@dataclass(frozen=True, eq=False, repr=False)
class AltTest(Result):
    """The result of :func:`spanagree.alt_test`.

    Attributes:
        verdicts: outcomes by kind of score: observed and corrected F1, or the score of labels.
        left_out: numbers of instances of the annotators with too few, by name.
        empty: number of instances without any segment; these are left out.
        compared: number of documents, or items of a table, with an instance of a tested annotator.
        documents: number of documents or items.
        settings: settings of the computation.
        notes: notes on the data and on scores, one sentence each.
        marked: number of segments of the candidate; `None` for a table of labels.
        marked_in: number of documents with a segment of the candidate; `None` for such a table.
        not_in_text: sentence on quotes that are not in the text; empty without any.

    >>> import spanagree as sa
    >>> same = {name: [[(0, 2, "X")]] * 40 for name in ("ann", "bob", "model")}
    >>> found = sa.alt_test(sa.Corpus.from_segments([9] * 40, same), "model", epsilon=0.1)
    >>> found.verdicts["observed"].passes, found.compared
    (True, 40)
    """

    verdicts: Mapping[str, Verdict]
    left_out: Mapping[str, int]
    empty: int
    compared: int
    documents: int
    settings: ReplacementSettings
    notes: tuple[str, ...]
    marked: int | None = None
    marked_in: int | None = None
    not_in_text: str = field(default="", repr=False, compare=False)

    BY: ClassVar[Mapping[str, str]] = {"annotator": "a row for each annotator who is left out"}
    DRAWN: ClassVar[tuple[str, ...]] = ("annotator",)

    @property
    def verdict(self) -> str:
        """Sentence on the outcome of the test by each kind of score."""
        if self.marked == 0:
            return f"{escape_name(self.settings.candidate)} marked nothing: {_BLANK}."
        outcomes: dict[bool, list[str]] = {True: [], False: []}
        for score_name, test in self.verdicts.items():
            rate = verdict.format_short(test.winning_rate)
            outcomes[bool(test.passes)].append(
                f"by {_NAMES.get(score_name, score_name)} (ω {rate})"
            )
        passed_scores, failed_scores = " and ".join(outcomes[True]), " or ".join(outcomes[False])
        candidate, epsilon = escape_name(self.settings.candidate), f"{self.settings.epsilon:g}"
        if not passed_scores:
            outcome = f"does not pass the alternative annotator test {failed_scores}"
        else:
            exception = f", but not {failed_scores}" if failed_scores else ""
            outcome = f"passes the alternative annotator test {passed_scores}{exception}"
        sentence = f"{candidate} {outcome}, with ε {epsilon}."
        return verdict.join_in_two_sentences(
            sentence, self._warn_if_nearly_empty(), self.not_in_text
        )

    def _warn_if_nearly_empty(self) -> str:
        """Write a warning if the candidate marked so few documents that it may pass by ties."""
        if self.marked_in is None or not 0 < self.marked_in * _NEARLY_EMPTY < self.compared:
            return ""
        return (
            f"It marked something in {self.marked_in} of {self.compared} documents in which"
            " somebody did, so this says little of what it marks."
        )

    TABLES: ClassVar[Mapping[str, str | None]] = {"scores": None, "annotators": "annotator"}

    SUMMARY: ClassVar[tuple[str, ...]] = (
        "compared", "documents", "left_out", "empty", "marked?", "marked_in?"
    )  # fmt: skip

    def _build_table(self, by: str | None) -> Frame:
        """Build the table with a row for each kind of score, and with ``by`` for each annotator."""
        rows: list[list[Value]] = []
        titles = {score_name: _NAMES.get(score_name, score_name) for score_name in self.verdicts}
        columns = [Column("score", "score", "name", "score of an instance")]
        if by is None:
            columns += [
                Column("annotators", "annotators", "count", "annotators left out"),
                Column("instances", "instances", "count"),
                Column("decided", "decided", "count"),
                Column("winning_rate", "ω"),
                Column("advantage", "ρ"),
                Column("passes", "", "mark"),
                Column("", "replace?", "name"),
                Column("winning_rate_t", "ω, t-test", spare=True),
                Column("passes_t", "", "mark"),
            ]
            for score_name, test in self.verdicts.items():
                word = "passes" if test.passes else "does not pass"
                word = "" if self.marked == 0 else word
                instances, decided = (
                    sum(column)
                    for column in zip(
                        *(annotator_test[1:3] for annotator_test in test.annotators), strict=True
                    )
                )
                rows.append([
                    titles[score_name], len(test.annotators), instances, decided, test.winning_rate,
                    test.advantage, test.passes, word, test.winning_rate_t, test.passes_t,
                ])  # fmt: skip
        else:
            columns += [
                Column("annotator", "annotator", "name", "annotators left out"),
                Column("instances", "instances", "count"),
                Column("decided", "decided", "count"),
                Column("advantage", "ρ"),
                Column("difference", "difference", meaning="difference of an annotator left out"),
                Column("p", "p", "probability", "p of ε"),
                Column("p_by", "p, BY", "probability", "p of ε"),
                Column("p_t", "t-test", "probability", "p of ε", spare=True),
                Column("p_t_by", "t-test, BY", "probability", "p of ε", spare=True),
            ]
            for score_name, test in self.verdicts.items():
                rows += [
                    [titles[score_name], *annotator_test] for annotator_test in test.annotators
                ]
        (first_test, *_) = self.verdicts.values()
        breaks = range(len(first_test.annotators), len(rows), len(first_test.annotators))
        noun = _look_up_noun(self.settings)
        return Frame(
            columns,
            rows,
            self.settings,
            caption=f"may {escape_name(self.settings.candidate)} replace an annotator?"
            f" ε {self.settings.epsilon:g},"
            f" {format_count_of_total(self.compared, self.documents, noun)}",
            remarks=self._write_remarks(),
            breaks=breaks if by else (),
        )

    def _write_remarks(self) -> list[str]:
        """Write the remarks on ω, on instances without segments, and on annotators with too few."""
        remarks = [
            f"ω: share of annotators that the candidate significantly matches (exact test,"
            f" Benjamini–Yekutieli, {format_percent(_FDR)}); it passes at {PASSES:g} and above"
        ]
        if self.marked == 0:
            candidate = escape_name(self.settings.candidate)
            remarks.append(f"–: undefined: {candidate} marked nothing: {_BLANK}")
        if self.empty:
            empty_instances = f"{pluralize(self.empty, 'instance')} in which nobody marked anything"
            remarks.append(f"{empty_instances}: no evidence, left out")
        if self.left_out:
            names = join_names(
                f"{name} ({n_instances})" for name, n_instances in self.left_out.items()
            )
            remarks.append(f"left out, with fewer than {LEAST} instances: {names}")
        return remarks

    def _build_plot(self, by: str | None) -> Plot:
        """Plot the advantage of the candidate for each annotator, with a dot for each score."""
        of_annotators = zip(*(test.annotators for test in self.verdicts.values()), strict=True)
        rows = [
            (
                by_score[0].name,
                [(annotator_test.advantage, math.nan, math.nan) for annotator_test in by_score],
            )
            for by_score in of_annotators
        ]
        score_titles = [_NAMES.get(score_name, score_name) for score_name in self.verdicts]
        axis_label = "share in which the candidate is as good"
        return plot_dots(rows, score_titles, axis_label)


class _Wins(NamedTuple):
    """Winners of all instances of all annotators; in a tie both win.

    Attributes:
        document: index of the document of each instance.
        annotator: index of the annotator who is left out.
        candidate: mask of instances in which the candidate wins or ties.
        person: mask of instances in which the annotator wins or ties.
    """

    document: Ints
    annotator: Ints
    candidate: Bools
    person: Bools

    @classmethod
    def from_scores(
        cls, document: Ints, annotator: Ints, scores: Sequence[Floats], tie: float = 0
    ) -> _Wins:
        """Find the winners from the scores of the candidate and of the annotator, in this order."""
        candidate, person = scores
        return cls(document, annotator, candidate >= person - tie, person >= candidate - tie)


def alt_test(
    annotations: CorpusLike | LabelTable,
    candidate: str,
    epsilon: float,
    *,
    annotators: Sequence[str] | None = None,
    match: MatchName = "exact",
    chance: ChanceOrAuto = "auto",
    score: LabelScore = "accuracy",
    seed: int = 0,
    progress: Callable[[int, int], None] | None = None,
) -> AltTest:
    """Test whether a candidate may replace an annotator: the alternative annotator test.

    For spans the score of an instance is the raw or corrected F1 of a document, pooled over the
    other annotators. An undefined F1 (no segment of any of them, or 1 by chance alone) counts as
    full agreement. Without a match raw and corrected F1 are 0. Documents without any segment are
    left out. For labels see ``score``.

    Args:
        annotations: corpus with the candidate and all annotators; or a table of labels of items.
        candidate: name of the candidate.
        epsilon: largest tolerated difference in favour of an annotator; the paper has .2 for
            experts, .15 for skilled annotators, .1 for crowds.
        annotators: names of the annotators to replace. Default: all except the candidate.
        match: name of the measure.
        chance: chance model, nonoverlapping, per-label or overlapping; auto takes the first of
            these that the segments of all layers allow.
        score: score of labels: accuracy, the share of the others with the same label; or neg-rmse,
            for numbers, minus the root of the mean squared difference from the others.
        seed: random seed, an integer from 0, for expected scores that have to be drawn.
        progress: callback that receives the number of finished pairs and of all.

    Raises:
        SettingError: if the candidate is unknown, epsilon is out of range, no annotator has 30
            instances, a table has counts only, a measure or a chance model is passed for labels,
            or a score for spans.

    >>> same = {name: [[(0, 2, "X")]] * 40 for name in ("ann", "bob", "model")}
    >>> result = alt_test(Corpus.from_segments([9] * 40, same), "model", epsilon=0.1)
    >>> result.verdicts["corrected"][:3]
    (1.0, True, 1.0)
    """
    if not isinstance(annotations, LabelTable):
        annotations = as_corpus(annotations)
    check_contiguous(annotations, "the test")
    find_measure(match)
    named_model = build_chance_model(chance)
    names, settings = _check_settings(annotations, candidate, epsilon, annotators)
    check_choice(score, SCORES, "score")
    if isinstance(annotations, LabelTable):
        for name, value, default in (("match", match, "exact"), ("chance", chance, AUTO)):
            if value != default:
                raise SettingError(f"{name} {quote_value(value)} is for spans; leave it out")
        wins_by_score = {
            score.replace("-", "_"): _find_label_wins(annotations, names, candidate, score)
        }
        non_default_score = None if score == "accuracy" else score
        settings = replace(settings, items_="labels", score=non_default_score)
        return _test_annotators(
            names, wins_by_score, (0, annotations.size), settings, annotations.notes
        )
    if annotations.of_strings:
        from spanagree.comparisons.strings import convert_to_segments  # most corpora have texts

        annotations = convert_to_segments(annotations, match)
    if score != "accuracy":
        raise SettingError(f"score {quote_value(score)} is for a table of labels; leave it out")
    corpus = infer_seen_by_systems(
        annotations.select_annotators([*names, candidate]), [candidate], names
    )
    model = build_chance_model(choose_chance_of_corpus(annotations, match, named_model), seed=seed)
    counting = MatchCountOptions.from_request(match, model, named_model, progress)
    wins_by_score, n_empty, computed_settings, notes = counting.run(
        functools.partial(_find_span_wins, corpus)
    )
    computed_settings |= {"unplaced": corpus.unplaced_count_as, "offsets": corpus.offsets}
    settings = replace(settings, match=match, **computed_settings)
    result = _test_annotators(names, wins_by_score, (n_empty, len(corpus)), settings, notes)
    marked = len(corpus.layers[candidate])
    if not marked:  # otherwise the candidate could pass by ties at a score of 0
        untested_verdicts = {
            score_name: _remove_p(test) for score_name, test in result.verdicts.items()
        }
        result = replace(result, verdicts=untested_verdicts)
    marked_in = len(np.unique(corpus.layers[candidate].document))
    n_lost = sum(len(quotes.at) for quotes in corpus.unplaced.values())
    quote_sentence = verdict.write_quotes_not_in_text(
        settings, corpus.annotators, n_lost, "match nothing"
    )
    return replace(result, marked=marked, marked_in=marked_in, not_in_text=quote_sentence)


def _check_settings(
    annotations: Corpus | LabelTable,
    candidate: str,
    epsilon: float,
    annotators: Sequence[str] | None,
) -> tuple[list[str], ReplacementSettings]:
    """Check the arguments of :func:`alt_test`.

    Returns:
        Names of the annotators to test, and settings of the result.

    Raises:
        SettingError: if a name is unknown, the candidate is among the annotators, or epsilon is out
            of range.
    """
    is_number = isinstance(epsilon, (Real, np.floating)) and not isinstance(epsilon, bool)
    if not is_number or not 0 <= epsilon < 1:
        raise SettingError(f"epsilon {quote_value(epsilon)}; a number from 0 to below 1 is needed")
    all_annotators = annotations.annotators
    check_known([candidate], all_annotators, "candidate")
    requested = check_annotator_names(annotators or (), all_annotators)
    if candidate in requested:
        raise SettingError(
            f"candidate {quote_value(candidate)} is among the annotators; leave it out there, as"
            " it cannot replace itself"
        )
    names = [
        name
        for name in all_annotators
        if name != candidate and (not requested or name in requested)
    ]
    return names, ReplacementSettings(
        candidate=candidate,
        epsilon=float(epsilon),
        annotators=len(names),
        chosen=None if len(names) + 1 == len(all_annotators) else names,
        reading=annotations.reading,
    )


def _find_span_wins(
    corpus: Corpus, counting: MatchCountOptions
) -> tuple[dict[str, _Wins], int, dict[str, Any], list[str]]:
    """Find the winners of instances by F1 in a corpus with the candidate as last layer.

    Returns:
        The winners by score, the number of instances without any segment, the settings of chance,
        and notes.
    """
    counting.check(corpus)
    match, chance = counting.match, counting.chance
    n_annotators = len(corpus.annotators) - 1
    rows = compare_with_references(corpus, n_annotators, counting)
    annotations = AnnotationIndex.from_corpus(corpus)
    person, candidate = annotations.pair_annotations()
    is_shared = (
        count_seen(corpus, corpus.annotators[:n_annotators])[annotations.document[person]] > 1
    )
    is_candidate_pair = (annotations.annotator[candidate] == n_annotators) & is_shared
    person, candidate = person[is_candidate_pair], candidate[is_candidate_pair]
    document, *_ = concatenate_segments(corpus.layers.values())
    document = np.concatenate([document, *(quotes.at for quotes in corpus.unplaced.values())])
    is_marked = np.bincount(document, minlength=len(corpus))[annotations.document[person]] > 0
    n_empty = int((~is_marked).sum())
    person, candidate = person[is_marked], candidate[is_marked]
    sums_with_others = annotations.sum_by_annotation(rows)
    sums_of_pairs = annotations.sum_by_annotation(
        compare_pairs(corpus, annotations, (person, candidate), match, chance)
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        person_f1 = compute_f1_figures(sums_with_others[person])
        # pooled over the same others, so without the annotator who is left out
        candidate_f1 = compute_f1_figures(sums_with_others[candidate] - sums_of_pairs[person])
    notes = [*corpus.notes, *rows.inexact.notes(compute_compared_size(rows, n_annotators, chance))]
    columns = {"observed": 0} if chance.undefined else {"observed": 0, "corrected": 2}
    last_column = max(columns.values())
    is_undefined = np.isnan(person_f1[:, last_column]) | np.isnan(candidate_f1[:, last_column])
    if n_undefined := int(is_undefined.sum()):
        rule = "counted as full agreement with the others"
        if chance.is_free:  # where chance may be 1 and F1 is not
            rule = "F1 counts there, or 1 if that is undefined"
        notes.append(
            f"{n_undefined} of {pluralize(len(person), 'comparison')} have no score, as candidate"
            " or annotator marked nothing and nor did any of the others, or chance alone gives 1:"
            f" {rule}"
        )
    instances = annotations.document[person], annotations.annotator[person]
    wins = {}
    for score_name, column in columns.items():
        scores = [
            _compute_instance_scores(figures, column) for figures in (candidate_f1, person_f1)
        ]
        wins[score_name] = _Wins.from_scores(*instances, scores, tie=TIE)
    return wins, n_empty, {**chance.settings, **rows.inexact.settings(chance.seed)}, notes


def _compute_instance_scores(figures: Floats, column: int) -> Floats:
    """Compute scores of instances from one column of their F1 figures."""
    observed = figures[:, 0]
    # no segment is no better than segments without a match
    scores = np.where(observed == 0, 0.0, figures[:, column])
    # overlapping chance alone may give 1 although agreement is not full: the observed F1 is used
    score_if_undefined = np.where(np.isnan(observed), 1.0, observed)
    return np.where(np.isnan(scores), score_if_undefined, scores)


def _find_label_wins(table: LabelTable, names: Sequence[str], candidate: str, score: str) -> _Wins:
    """Find whether candidate or annotator wins on each item, by their score against the others.

    Instances are items with labels of the candidate and of two annotators.

    Args:
        table: labels of the candidate and of annotators.
        names: names of the annotators to test.
        candidate: name of the candidate.
        score: name of the score, in :data:`SCORES`.
    """
    if table.annotator is None:
        raise SettingError(
            "a table of counts does not say who gave which label; a row for each label, with its"
            " annotator, is needed"
        )
    position_by_name = {name: i for i, name in enumerate(names)}
    annotator_positions = np.array(
        [position_by_name.get(name, -1) for name in table.annotators], np.int64
    )
    annotator = annotator_positions[table.annotator]
    is_by_candidate = table.annotator == table.annotators.index(candidate)
    candidate_labels = np.full(table.size, -1)
    candidate_labels[table.item[is_by_candidate]] = table.label[is_by_candidate]
    item, label, annotator = (
        column[annotator >= 0] for column in (table.item, table.label, annotator)
    )
    candidate_label = candidate_labels[item]  # for each label of an annotator
    is_instance = (np.bincount(item, minlength=table.size)[item] > 1) & (candidate_label >= 0)
    if score == "neg-rmse":
        values = _convert_to_numbers(table)
        difference = values[label] - values[candidate_label]
        person_squares = _sum_squares(item, values[label], values[label], table.size)
        candidate_squares = (
            _sum_squares(item, values[label], values[candidate_label], table.size) - difference**2
        )
        is_tie = np.abs(candidate_squares - person_squares) <= TIE * (
            candidate_squares + person_squares
        )
        scores = [np.where(is_tie, 0.0, -column) for column in (candidate_squares, person_squares)]
    else:
        votes = np.zeros((table.size, len(table.labels) + 1))
        np.add.at(votes, (item, label), 1)
        # both have the same other annotators, so counts of agreement can be compared
        scores = [votes[item, candidate_label] - (candidate_label == label), votes[item, label] - 1]
    return _Wins.from_scores(
        item[is_instance], annotator[is_instance], [column[is_instance] for column in scores]
    )


def _sum_squares(item: Ints, values: Floats, value: Floats, n_items: int) -> Floats:
    """Sum, for each label, the squared differences of the values of its item from another value.

    Args:
        item: index of the item of each label.
        values: values of labels.
        value: value to compare the values of the item with, for each label.
        n_items: number of items.
    """
    count, total, squares = (
        np.bincount(item, weights, n_items)[item] for weights in (None, values, values**2)
    )
    return np.asarray(squares - 2 * value * total + count * value**2, np.float64)


def _convert_to_numbers(table: LabelTable) -> Floats:
    """Convert labels to numbers, and subtract the midpoint of their range.

    Raises:
        SettingError: if a label is not a number.
    """
    numbers = parse_numbers(table.labels)
    if numbers is None:
        invalid_label = next(label for label in table.labels if parse_numbers([label]) is None)
        raise SettingError(
            f"label {quote_value(invalid_label)} is not a number; score neg-rmse needs numbers"
        )
    midpoint = (min(numbers, default=0) + max(numbers, default=0)) / 2
    return np.array(numbers, np.float64) - midpoint


def _test_annotators(
    names: list[str],
    wins_by_score: Mapping[str, _Wins],
    counts: tuple[int, int],
    settings: ReplacementSettings,
    notes: Sequence[str],
) -> AltTest:
    """Test each annotator with enough instances by each kind of score, and build the result.

    Args:
        names: names of annotators.
        wins_by_score: winners of instances by kind of score.
        counts: number of empty instances, and number of documents.
        settings: settings of the computation.
        notes: notes on the data and on scores.

    Raises:
        SettingError: if no annotator has enough instances.
    """
    (first_wins, *_) = wins_by_score.values()
    n_empty, n_documents = counts
    n_instances = np.bincount(first_wins.annotator, minlength=len(names))
    tested_positions = np.flatnonzero(n_instances >= LEAST)
    noun = _look_up_noun(settings)
    if not len(tested_positions):
        maximum = int(n_instances.max(initial=0))
        empty_phrase = (
            f", and {pluralize(n_empty, 'instance')} in which nobody marked anything"
            if n_empty
            else ""
        )
        raise SettingError(
            f"no annotator has {LEAST} {noun}s that the candidate"
            f" {quote_value(settings.candidate)} and another saw too; the most is"
            f" {maximum}{empty_phrase}:"
            f" the test needs more {noun}s with two annotators and the candidate"
        )
    left_out = {name: int(n) for name, n in zip(names, n_instances, strict=True) if n < LEAST}
    verdicts = {
        score_name: _compute_verdict(
            [names[i] for i in tested_positions], tested_positions, wins, settings
        )
        for score_name, wins in wins_by_score.items()
    }
    compared = len(np.unique(first_wins.document[np.isin(first_wins.annotator, tested_positions)]))
    return AltTest(verdicts, left_out, n_empty, compared, n_documents, settings, tuple(notes))


def _look_up_noun(settings: ReplacementSettings) -> str:
    """Return the noun for an instance."""
    return "item" if settings.items_ else document_noun(settings)


def _compute_verdict(
    names: list[str], tested_positions: Ints, wins: _Wins, settings: ReplacementSettings
) -> Verdict:
    """Test annotators by one kind of score, and compute the winning rate and the mean advantage.

    Args:
        names: names of the tested annotators.
        tested_positions: their indices in ``wins.annotator``.
        wins: winners of instances.
        settings: settings with ε.
    """
    instance_masks = [wins.annotator == position for position in tested_positions]
    differences = [
        wins.person[is_instance].astype(np.int64) - wins.candidate[is_instance]
        for is_instance in instance_masks
    ]
    counts = [
        (int((difference > 0).sum()), int((difference < 0).sum()), len(difference))
        for difference in differences
    ]
    # many annotators have the same counts
    p_by_counts = {result: compute_exact_p(*result, settings.epsilon) for result in {*counts}}
    p = [p_by_counts[result] for result in counts]
    p_t = [_compute_t_test_p(difference, settings.epsilon) for difference in differences]
    p_by, p_t_by = benjamini_yekutieli(p), benjamini_yekutieli(p_t)
    advantage = [float(wins.candidate[is_instance].mean()) for is_instance in instance_masks]
    annotator_tests = tuple(
        HeldOutAnnotator(
            name,
            len(difference),
            int((difference != 0).sum()),
            rho,
            float(difference.mean()),
            *p_values,
        )
        for name, difference, rho, *p_values in zip(
            names, differences, advantage, p, p_by, p_t, p_t_by, strict=True
        )
    )
    winning_rates = [
        sum(p_value <= _FDR for p_value in corrected_p) / len(annotator_tests)
        for corrected_p in (p_by, p_t_by)
    ]
    rho = math.fsum(advantage) / len(annotator_tests)
    return Verdict(
        winning_rates[0],
        winning_rates[0] >= PASSES,
        rho,
        winning_rates[1],
        winning_rates[1] >= PASSES,
        annotator_tests,
    )


def _remove_p(test: Verdict) -> Verdict:
    """Replace the p-values and winning rates by ``nan``, for a candidate without segments."""
    undefined = math.nan
    annotator_tests = tuple(
        annotator_test._replace(p=undefined, p_by=undefined, p_t=undefined, p_t_by=undefined)
        for annotator_test in test.annotators
    )
    return Verdict(undefined, False, test.advantage, undefined, False, annotator_tests)


def compute_exact_p(losses: int, wins: int, instances: int, epsilon: float) -> float:
    """Compute the exact p-value of the null hypothesis E[(L − W) / n] ≥ ε.

    L is the number of lone losses and W of lone wins. A possible result is a pair (L, W). Results
    are ordered by the score statistic of Nam (1997) and Tango (1998), see :func:`compute_score`;
    its normal approximation holds only for large samples, and is not used. Instead, p is the
    probability of all results with a score no higher than the observed score. It depends on the
    unknown share of ties, so p is its maximum over this share (Hsueh, Liu & Chen 2001). The test
    therefore keeps its level for each share of ties.

    Args:
        losses: number L of instances that the candidate lost alone.
        wins: number W of instances that the candidate won alone.
        instances: number n of all instances, including ties.
        epsilon: largest tolerated difference ε, from 0 to below 1.

    >>> round(compute_exact_p(0, 0, 30, 0.1), 4), round(0.9**30, 4)  # thirty ties
    (0.0424, 0.0424)
    """
    n = instances
    observed_score = float(compute_score(np.array(losses), np.array(wins), n, epsilon))
    most_losses = _find_most_losses(n, epsilon, observed_score)
    n_steps = max(2, min(_POINTS * n, int(_SMOOTH * n**0.5)))
    angles = np.linspace(0, np.pi, n_steps + 1)
    probabilities = _compute_probability(
        most_losses, n, epsilon, _build_share_grid(angles, epsilon)
    )
    top_index = int(probabilities.argmax())
    near_angles = np.linspace(
        angles[max(top_index - 1, 0)], angles[min(top_index + 1, n_steps)], 41
    )
    near_probabilities = _compute_probability(
        most_losses, n, epsilon, _build_share_grid(near_angles, epsilon)
    )
    return min(1.0, float(max(probabilities[top_index], near_probabilities.max())))


def compute_score(losses: Ints, wins: Ints, instances: int, epsilon: float) -> Floats:
    """Compute the score statistic ((L − W) / n − ε) / standard error, for L losses and W wins.

    The standard error holds if the expected difference is exactly ε. The arrays ``losses`` and
    ``wins`` have one shape, which the result has too; ``instances`` is n.
    """
    n, ties = instances, instances - losses - wins
    # the likeliest probability x of a lone win solves 2n·x² − slope·x − wins·ε·(1 − ε) = 0
    slope = losses * (1 - epsilon) + wins * (1 - 3 * epsilon) - 2 * ties * epsilon
    x = (slope + np.sqrt(slope**2 + 8 * n * wins * epsilon * (1 - epsilon))) / (4 * n)
    variance = np.maximum(2 * x + epsilon - epsilon**2, 0) / n
    excess = (losses - wins) / n - epsilon
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(variance > 0, excess / np.sqrt(variance), 0.0), np.float64)


def _find_most_losses(n: int, epsilon: float, observed_score: float) -> Ints:
    """Find the largest number of losses with a score no higher than the observed score.

    The score increases with the losses, so the search is binary.

    Args:
        n: number of instances.
        epsilon: largest tolerated difference ε.
        observed_score: score of the observed losses and wins.

    Returns:
        Number of losses for each number of instances without a tie, from 0 to n: (n + 1,). It is
        −1 if the score is higher for any number of losses.
    """
    n_decided = np.arange(n + 1)
    low, high = np.full(n + 1, -1), n_decided.copy()
    while (low < high).any():
        losses = (low + high + 1) // 2
        is_allowed = compute_score(losses, n_decided - losses, n, epsilon) <= observed_score + _SAME
        low, high = np.where(is_allowed, losses, low), np.where(is_allowed, high, losses - 1)
    return low


def _build_share_grid(angles: Floats, epsilon: float) -> Floats:
    """Compute a grid of shares of instances without a tie, from ε to 1 and densest at both ends."""
    return np.asarray(epsilon + (1 - epsilon) * (1 - np.cos(angles)) / 2, np.float64)


def _compute_probability(most_losses: Ints, n: int, epsilon: float, shares: Floats) -> Floats:
    """Compute the probability that a random score is at most as large as the observed score.

    Args:
        most_losses: largest number of losses with such a score, by number of instances without a
            tie, from :func:`_find_most_losses`.
        n: number of instances.
        epsilon: ε, the probability of a loss minus the probability of a win.
        shares: values of the probability that an instance is not a tie.

    Returns:
        Probability of such a score for each value in ``shares``.
    """
    from scipy.special import bdtr, gammaln, xlog1py, xlogy  # take a tenth of a second to import

    half_width = int(_WIDE * (n * 0.25) ** 0.5) + _MORE
    n_counts = min(n + 1, 2 * half_width + 1)
    probabilities = np.empty(len(shares))
    batch_size = max(1, _TOGETHER // n_counts)
    for batch_start in range(0, len(shares), batch_size):
        share = shares[batch_start : batch_start + batch_size, None]
        first_count = np.clip(
            np.round(share * n).astype(np.int64) - half_width, 0, n + 1 - n_counts
        )
        n_decided = first_count + np.arange(n_counts)
        log_combinations = gammaln(n + 1) - gammaln(n_decided + 1) - gammaln(n - n_decided + 1)
        probability_of_count = np.exp(
            log_combinations + xlogy(n_decided, share) + xlog1py(n - n_decided, -share)
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            loss_probability = np.where(share > 0, (share + epsilon) / (2 * share), 0.5).clip(0, 1)
        probability_below = np.where(
            most_losses[n_decided] >= 0,
            bdtr(most_losses[n_decided], n_decided, loss_probability),
            0.0,
        )
        probabilities[batch_start : batch_start + batch_size] = (
            probability_of_count * probability_below
        ).sum(1)
    return probabilities


def _compute_t_test_p(difference: Ints, epsilon: float) -> float:
    """Compute p of a one-sided t-test for a mean difference below ε.

    ``difference`` is 1, 0 or −1 for each instance: lone loss, tie or lone win of the candidate.
    """
    from scipy.special import stdtr  # takes a tenth of a second to import

    n, mean = len(difference), float(difference.mean())
    standard_error = float(difference.std(ddof=1)) / math.sqrt(n)
    if standard_error == 0:
        return 0.0 if mean < epsilon else 1.0
    return float(stdtr(n - 1, (mean - epsilon) / standard_error))


def benjamini_yekutieli(values: list[float]) -> list[float]:
    """Correct p-values by Benjamini and Yekutieli's procedure, valid for any dependence.

    >>> benjamini_yekutieli([0.01, 0.04])
    [0.03, 0.06]
    """
    harmonic_sum = sum(1 / k for k in range(1, len(values) + 1))
    return [min(1.0, p * harmonic_sum) for p in benjamini_hochberg(values)]
