"""Who wins in an instance of the alternative annotator test, the candidate or an annotator.

Both are compared with the other annotators, by F1 in a document or by the labels of an item; the
higher score wins, and in a tie both win.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import Bools, Floats, Ints
from spanagree.chance.model import ChanceModel
from spanagree.comparisons.annotation_pairs import AnnotationIndex, compare_pairs
from spanagree.comparisons.counting import MatchCountOptions
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.label_table import LabelTable
from spanagree.corpus.roles import count_seen
from spanagree.corpus.segments import concatenate_segments
from spanagree.errors import SettingError, pluralize
from spanagree.labels.category_weights import compose_number_error, parse_numbers
from spanagree.references.reference_rows import compare_with_references, compute_compared_size
from spanagree.results.score import compute_f1_figures
from spanagree.uncertainty.jackknife import TIE

SCORES = {
    "accuracy": "the share of the others who gave the same label",
    "neg-rmse": "the root of the mean squared difference from the others' numbers, negative",
}
"""Descriptions of the scores of an instance of a table of labels, by name."""


class Wins(NamedTuple):
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
    ) -> Wins:
        """Find the winners from the scores of the candidate and of the annotator, in this order."""
        candidate, person = scores
        return cls(document, annotator, candidate >= person - tie, person >= candidate - tie)


class Instances(NamedTuple):
    """Instances of all annotators, with their winners.

    Attributes:
        wins: winners by kind of score.
        n_empty: number of instances without any segment, which are left out.
        n_documents: number of documents or items.
        notes: notes on the data and on scores.
        settings: settings of the comparison, by name.
    """

    wins: Mapping[str, Wins]
    n_empty: int
    n_documents: int
    notes: Sequence[str]
    settings: Mapping[str, Any]


def find_span_wins(corpus: Corpus, counting: MatchCountOptions) -> Instances:
    """Find the winners of instances by F1 in a document, pooled over the other annotators.

    Instances are documents that the candidate and two annotators saw.

    Args:
        corpus: layers of the annotators, followed by the layer of the candidate.
        counting: measure, chance model and progress.
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
    if is_undefined.any():
        notes.append(_write_undefined_note(is_undefined, chance))
    instances = annotations.document[person], annotations.annotator[person]
    wins = {}
    for score_name, column in columns.items():
        scores = [
            _compute_instance_scores(figures, column) for figures in (candidate_f1, person_f1)
        ]
        wins[score_name] = Wins.from_scores(*instances, scores, tie=TIE)
    settings = {
        "match": match,
        **chance.settings,
        **rows.inexact.settings(chance.seed),
        "unplaced": corpus.unplaced_count_as,
        "offsets": corpus.offsets,
    }
    return Instances(wins, n_empty, len(corpus), notes, settings)


def _write_undefined_note(is_undefined: Bools, chance: ChanceModel) -> str:
    """Write the note on comparisons without a score; ``is_undefined`` is their mask."""
    rule = "counted as full agreement with the others"
    if chance.is_free:  # where chance may be 1 and F1 is not
        rule = "F1 counts there, or 1 if that is undefined"
    return (
        f"{is_undefined.sum()} of {pluralize(len(is_undefined), 'comparison')} have no score, as"
        " candidate or annotator marked nothing and nor did any of the others, or chance alone"
        f" gives 1: {rule}"
    )


def _compute_instance_scores(figures: Floats, column: int) -> Floats:
    """Compute scores of instances from one column of their F1 figures."""
    observed = figures[:, 0]
    # no segment is no better than segments without a match
    scores = np.where(observed == 0, 0.0, figures[:, column])
    # overlapping chance alone may give 1 although agreement is not full: the observed F1 is used
    score_if_undefined = np.where(np.isnan(observed), 1.0, observed)
    return np.where(np.isnan(scores), score_if_undefined, scores)


def find_label_wins(
    table: LabelTable, names: Sequence[str], candidate: str, score: str
) -> Instances:
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
    wins = Wins.from_scores(
        item[is_instance], annotator[is_instance], [column[is_instance] for column in scores]
    )
    settings = {"items_": "labels", "score": None if score == "accuracy" else score}
    return Instances({score.replace("-", "_"): wins}, 0, table.size, table.notes, settings)


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
        raise SettingError(compose_number_error(table, "choose score accuracy"))
    midpoint = (min(numbers, default=0) + max(numbers, default=0)) / 2
    return np.array(numbers, np.float64) - midpoint
