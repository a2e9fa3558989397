"""Credit by share: precision and recall of matched spans, as for error spans in translations.

Each segment is in at most one pair. For a pair of segments x of A and y of B,

    precision credit = |x ∩ y| / |y|,   recall credit = |x ∩ y| / |x|

(MPP, "match with partial overlap and partial credit", Perrella, Morales Agostinho and Zaragoza
2026, arXiv 2603.19921). The matching of a document maximizes the sum of the F1s of its pairs, as in
the authors' scorer. Precision and recall have separate numerators, so their expected values are not
linear in one sum as for other measures. They are computed as means over draws.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from spanagree.arrays import Floats
from spanagree.chance.random_annotations import draw_random_layer
from spanagree.choices import Chance
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.discontinuous import check_contiguous
from spanagree.corpus.placed import keep_placed
from spanagree.corpus.segments import Layer
from spanagree.errors import (
    SettingError,
    check_integer,
    check_known,
    escape_name,
    format_count_of_total,
    pluralize,
    quote_value,
)
from spanagree.formats.guessed import CorpusLike, as_corpus
from spanagree.results.frame import Column, Frame
from spanagree.results.plots import Plot, plot_dots
from spanagree.results.result import Result
from spanagree.results.score import Score, build_corrected_score, build_undefined_score, get_dot
from spanagree.settings import Settings, document_noun

_REASONS = ("the second marked nothing", "the first marked nothing", "nobody marked anything")


@dataclass(frozen=True, kw_only=True, eq=False)
class PartialCreditSettings(Settings):
    """Settings of credit by share: annotators, average, weights and draws."""

    credit: str = "by-share"
    between: Sequence[str]
    average: str
    chance: str
    label_weights: Mapping[str, float] | None = None
    severity_penalty: float | None = None
    draws: int


@dataclass(frozen=True, eq=False, repr=False)
class PartialCredit(Result):
    """The result of :func:`partial_credit`.

    Attributes:
        precision: precision of the second annotator; observed, expected by chance, and corrected.
        recall: recall of the first annotator's segments.
        f1: harmonic mean of precision and recall; with ``macro``, mean of the documents' F1s.
        documents: number of documents that both annotators saw.
        of_documents: number of documents of the corpus.
        error: standard error of the expected F1, which is a mean over draws.
        settings: settings that the scores depend on.
        notes: repairs and omissions by the reader.

    >>> import spanagree as sa
    >>> layers = {"ann": [[(0, 2, "PER"), (4, 5, "LOC")]], "bob": [[(0, 2, "PER"), (4, 6, "LOC")]]}
    >>> corpus = sa.Corpus.from_segments([9], layers)
    >>> found = sa.comparisons.partial_credit(corpus, "ann", "bob")
    >>> round(found.f1.observed, 3), round(found.recall.observed, 3)
    (0.857, 1.0)
    """

    precision: Score
    recall: Score
    f1: Score
    documents: int
    of_documents: int
    error: float
    settings: PartialCreditSettings
    notes: tuple[str, ...]

    TABLES: ClassVar[Mapping[str, str | None]] = {"figures": None}

    @property
    def _scores(self) -> Mapping[str, Score]:
        """Precision, recall and F1, by name."""
        return {"precision": self.precision, "recall": self.recall, "F1": self.f1}

    SUMMARY: ClassVar[tuple[str, ...]] = ("documents", "of_documents", "error")

    def _build_table(self, by: str | None) -> Frame:
        columns = [
            Column("figure", "figure", "name", "figure of credit"),
            Column("observed", "observed", meaning="observed credit"),
            Column("expected", "by chance", meaning="credit by chance"),
            Column("corrected", "corrected", meaning="corrected F1"),
        ]
        rows = [
            [name, score.observed, score.expected, score.corrected]
            for name, score in self._scores.items()
        ]
        remarks = [
            f"{name}: {score.reason}" for name, score in self._scores.items() if score.reason
        ]
        if not math.isnan(self.error):
            draws = pluralize(self.settings.draws, "draw")
            remarks.append(f"by chance: mean of {draws}; standard error of F1 {self.error:.4f}")
        first, second = map(escape_name, self.settings.between)
        document_count = format_count_of_total(
            self.documents, self.of_documents, document_noun(self.settings)
        )
        caption = f"credit of {second} against {first}, {document_count}"
        return Frame(columns, rows, self.settings, caption=caption, remarks=remarks)

    def _build_plot(self, by: str | None) -> Plot:
        """Plot precision, recall and F1, observed and by chance."""
        values = ("expected", "observed")
        rows = [
            (name, [get_dot(score, value) for value in values])
            for name, score in self._scores.items()
        ]
        return plot_dots(rows, values, "credit by share")


def partial_credit(
    corpus: CorpusLike,
    a: str,
    b: str,
    *,
    label_weights: Mapping[str, float] | None = None,
    severity_penalty: float = 0.0,
    macro: bool = False,
    chance: Chance = "overlapping",
    draws: int = 100,
    seed: int = 0,
) -> PartialCredit:
    """Compute character precision, recall and F1 of one-to-one matched segments, with chance.

    Labels are compared only for the penalty. With label weights, a pair has the smaller weight of
    its segments. Segments of an annotator may overlap. Credits and weights are summed over
    documents.

    Args:
        corpus: annotations.
        a: name of the first annotator, or gold.
        b: name of the second annotator, or a system.
        label_weights: weights of labels, such as ``{"major": 1, "minor": 0.2}``. Default: 1.
        severity_penalty: share of its credit that a pair of different labels loses, from 0 to 1; .5
            in the tasks of WMT.
        macro: True for means over documents, with a precision (recall) of 1 if the second (first)
            annotator marked nothing.
        chance: chance model; nonoverlapping, per-label or overlapping.
        draws: number of draws of both annotations for the expected scores; 0 for none.
        seed: random seed, an integer from 0.

    Raises:
        SettingError: for an unknown name, a label without a weight, a weight that is not finite or
            below 0, a penalty that is not from 0 to 1, or segments of several fragments.

    >>> layers = {"gold": [[(0, 5, "minor"), (6, 9, "major")]], "mt": [[(0, 4, "minor")]]}
    >>> made = partial_credit(Corpus.from_segments([20], layers), "gold", "mt", draws=0)
    >>> made.precision.observed, made.recall.observed, round(made.f1.observed, 4)
    (1.0, 0.4, 0.5714)
    """
    corpus = keep_placed(as_corpus(corpus), "shares")
    check_known([a, b], corpus.layers)
    check_contiguous(corpus, "credit by share")
    if not (isinstance(severity_penalty, (int, float)) and 0 <= severity_penalty <= 1):
        raise SettingError(
            f"severity_penalty {quote_value(severity_penalty)}; a number from 0 to 1 is needed"
        )
    check_integer(draws, 0, "draws")
    check_integer(seed, 0, "seed")
    label_weight = _find_weights(corpus, (a, b), label_weights)
    pair = corpus.layers[a], corpus.layers[b]
    shared_documents = np.flatnonzero(pair[0].annotated & pair[1].annotated)
    settings = PartialCreditSettings(
        between=[a, b],
        average="macro" if macro else "micro",
        chance=str(chance),
        label_weights=None if label_weights is None else dict(label_weights),
        severity_penalty=severity_penalty or None,
        draws=draws,
        seed=seed,
        offsets=corpus.offsets,
        reading=corpus.reading,
    )
    if not len(shared_documents):
        undefined_score = build_undefined_score("no document that both saw")
        return PartialCredit(
            undefined_score,
            undefined_score,
            undefined_score,
            0,
            len(corpus),
            math.nan,
            settings,
            corpus.notes,
        )
    observed = _compute_scores(pair, shared_documents, label_weight, severity_penalty, macro)
    rng = np.random.default_rng(seed)
    labels = max(1, len(corpus.labels))
    drawn_scores = [
        _compute_scores(
            [draw_random_layer(layer, corpus.lengths, labels, rng, chance) for layer in pair],
            shared_documents,
            label_weight,
            severity_penalty,
            macro,
        )
        for _ in range(draws)
    ]
    scores = []
    for i, reason in enumerate(_REASONS):
        expected = (
            statistics.fmean(drawn_values[i] for drawn_values in drawn_scores)
            if drawn_scores
            else math.nan
        )
        is_undefined = math.isnan(observed[i])
        scores.append(
            build_undefined_score(reason)
            if is_undefined
            else build_corrected_score(observed[i], expected)
        )
    f1 = [drawn_values[2] for drawn_values in drawn_scores]
    has_error = draws > 1 and not math.isnan(observed[2])
    error = statistics.stdev(f1) / math.sqrt(draws) if has_error else math.nan
    precision, recall, f1_score = scores
    return PartialCredit(
        precision,
        recall,
        f1_score,
        len(shared_documents),
        len(corpus),
        error,
        settings,
        corpus.notes,
    )


def _find_weights(
    corpus: Corpus, names: Iterable[str], label_weights: Mapping[str, float] | None
) -> Floats:
    """Find the weight of each label of the corpus; 0 for a label that no layer uses."""
    if label_weights is None:
        return np.ones(max(1, len(corpus.labels)))
    used_codes = {i for name in names for i in np.unique(corpus.layers[name].label).tolist()}
    for i in sorted(used_codes):
        label = corpus.labels[i]
        weight = label_weights.get(label)
        if weight is None:
            raise SettingError(
                f"weights: label {quote_value(label)} has none; each label needs one"
            )
        if not (isinstance(weight, (int, float)) and math.isfinite(weight) and weight >= 0):
            raise SettingError(
                f"weights: {quote_value(weight)} of {quote_value(label)}; a number from 0 is needed"
            )
    return np.array([float(label_weights.get(label, 0)) for label in corpus.labels] or [1.0])


def _compute_scores(
    pair: Iterable[Layer],
    shared_documents: np.ndarray,
    label_weight: Floats,
    penalty: float,
    macro: bool,
) -> tuple[float, float, float]:
    """Compute precision, recall and F1 of the second layer against the first.

    Args:
        pair: both layers.
        shared_documents: documents that both annotators saw.
        label_weight: weight of each label.
        penalty: share of its credit that a pair of different labels loses.
        macro: True for means over documents.
    """
    gold, other = (_collect_by_document(layer, label_weight) for layer in pair)
    no_segments = np.zeros((0, 4))
    credits_and_sizes = []
    for document in shared_documents.tolist():
        first, second = gold.get(document, no_segments), other.get(document, no_segments)
        sizes = float(second[:, 2].sum()), float(first[:, 2].sum())
        credits_and_sizes.append((*compute_best_credit(first, second, penalty), *sizes))
    if macro:
        scores = [
            (
                precision_credit / size_b if size_b else 1.0,
                recall_credit / size_a if size_a else 1.0,
            )
            for precision_credit, recall_credit, size_b, size_a in credits_and_sizes
        ]
        precision, recall = (statistics.fmean(x) for x in zip(*scores, strict=True))
        return precision, recall, statistics.fmean(_compute_harmonic_mean(*x) for x in scores)
    precision_credit, recall_credit, size_b, size_a = (
        math.fsum(column) for column in zip(*credits_and_sizes, strict=True)
    )
    precision, recall = (
        precision_credit / size_b if size_b else math.nan,
        recall_credit / size_a if size_a else math.nan,
    )
    if math.isnan(precision) or math.isnan(recall):
        return precision, recall, 0.0 if size_a or size_b else math.nan
    return precision, recall, _compute_harmonic_mean(precision, recall)


def _collect_by_document(layer: Layer, label_weight: Floats) -> dict[int, Floats]:
    """Collect start, end, weight and label of the segments of each document, sorted.

    There is an array (segments, 4) for each document with segments.

    Args:
        layer: segments of one annotator.
        label_weight: weight of each label.
    """
    order = np.lexsort((layer.label, layer.end, layer.start, layer.document))
    columns = (layer.start, layer.end, label_weight[layer.label], layer.label)
    rows = np.column_stack(columns)[order]
    documents, first = np.unique(layer.document[order], return_index=True)
    return dict(zip(documents.tolist(), np.split(rows, first[1:]), strict=False))


def _compute_harmonic_mean(precision: float, recall: float) -> float:
    """Compute the harmonic mean of precision and recall; 0 if both are 0."""
    total = precision + recall
    return 2 * precision * recall / total if total else 0.0


def compute_best_credit(first: Floats, second: Floats, penalty: float = 0.0) -> tuple[float, float]:
    """Compute the credits that one document adds to precision and to recall.

    The one-to-one matching has the greatest sum of the F1s of its pairs.

    Args:
        first, second: start, end, weight and label of the segments of each annotator, one row each.
        penalty: share of its credit that a pair of different labels loses.

    >>> compute_best_credit(np.array([[0, 4, 1, 0], [4, 8, 1, 0]]), np.array([[2, 6, 1, 0]]))
    (0.5, 0.5)
    """
    if not len(first) or not len(second):
        return 0.0, 0.0
    from scipy.optimize import linear_sum_assignment  # takes a while to load

    (start_a, end_a, weight_a, label_a), (start_b, end_b, weight_b, label_b) = (
        first.T[:, :, None],
        second.T[:, None],
    )
    n_shared = np.maximum(np.minimum(end_a, end_b) - np.maximum(start_a, start_b), 0)
    weighted_shared = (
        n_shared * np.minimum(weight_a, weight_b) * np.where(label_a == label_b, 1.0, 1.0 - penalty)
    )
    pairs = linear_sum_assignment(
        weighted_shared / (end_a - start_a + end_b - start_b), maximize=True
    )
    return float((weighted_shared / (end_b - start_b))[pairs].sum()), float(
        (weighted_shared / (end_a - start_a))[pairs].sum()
    )
