"""Credit by share: precision and recall of matched spans, as error spans in translations need it.

Each segment is in one pair at most. A pair gives precision the share of the second's segment that
both cover, and recall that of the first's (MPP, "match with partial overlap and partial credit",
Perrella, Morales Agostinho and Zaragoza 2026, arXiv 2603.19921). Of all matchings of a document the
one with the greatest F1 counts. Precision and recall have numerators of their own, so chance is not
linear in one sum as for other measures, and is drawn.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from spanagree.arrays import Floats
from spanagree.chance.random_annotations import redraw
from spanagree.choices import Chance
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.discontinuous import check_in_one_piece
from spanagree.corpus.segments import Layer
from spanagree.errors import SettingError, check_known, check_whole, show
from spanagree.results.frame import Column, Frame
from spanagree.results.plots import Picture, dot_of, dots, rows_size
from spanagree.results.result import Result
from spanagree.results.score import Score, corrected, undefined
from spanagree.settings import Settings

_REASONS = ("the second marked nothing", "the first marked nothing", "nobody marked anything")
_MOST = 1 << 16  # sets of taken segments in one document

Span = tuple[int, int, float]
"""Start, end and weight of a segment."""
Credit = tuple[float, float]
"""What a matching adds to precision and to recall."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PartialCreditSettings(Settings):
    """The settings of credit by share: between whom, average, weights, and how chance is drawn."""

    credit: str = "by-share"
    between: Sequence[str]
    average: str
    chance: str
    label_weights: Mapping[str, float] | None = None
    draws: int


@dataclass(frozen=True, eq=False, repr=False)
class PartialCredit(Result):
    """The result of :func:`partial_credit`.

    Attributes:
        precision: of the second annotator; observed, expected by chance, and corrected.
        recall: of the first annotator's segments.
        f1: the harmonic mean of the two.
        documents: how many both saw.
        error: the standard error of the expected F1, as it is the mean of draws.
        settings: what made the figures.
        notes: what a reader repaired or passed over.
    """

    precision: Score
    recall: Score
    f1: Score
    documents: int
    error: float
    settings: PartialCreditSettings
    notes: tuple[str, ...]

    TABLES: ClassVar[Mapping[str, str | None]] = {"figures": None}

    @property
    def _scores(self) -> Mapping[str, Score]:
        return {"precision": self.precision, "recall": self.recall, "F1": self.f1}

    def _summary(self) -> dict[str, Any]:
        return {"documents": self.documents, "error": self.error}

    def _table(self, by: str | None) -> Frame:
        columns = [
            Column("figure", "figure", "name"),
            Column("observed", "observed"),
            Column("expected", "by chance"),
            Column("corrected", "corrected"),
        ]
        rows = [[name, x.observed, x.expected, x.corrected] for name, x in self._scores.items()]
        remarks = [f"{name}: {x.reason}" for name, x in self._scores.items() if x.reason]
        return Frame(columns, rows, self.settings, remarks=remarks)

    def _picture(self, by: str | None) -> Picture:
        """Return precision, recall and F1, observed and by chance."""
        kinds = ("expected", "observed")
        rows = [(name, [dot_of(x, kind) for kind in kinds]) for name, x in self._scores.items()]
        return Picture(lambda ax: dots(ax, rows, kinds, "credit by share"), rows_size(self._scores))


def partial_credit(
    corpus: Corpus,
    a: str,
    b: str,
    *,
    label_weights: Mapping[str, float] | None = None,
    macro: bool = False,
    chance: Chance = "overlapping",
    draws: int = 100,
    seed: int = 0,
) -> PartialCredit:
    """Return character precision, recall and F1 of one-to-one matched segments, and their chance.

    Labels play no part, but by their weights: a pair weighs as its lighter segment. Segments of
    an annotator may overlap. Credits and weights are added up over documents.

    Args:
        corpus: the annotations.
        a: the first annotator, or gold.
        b: the second one, or a system.
        label_weights: of labels, such as ``{"major": 1, "minor": 0.2}``; 1 unless given.
        macro: take means over documents instead, where precision (recall) is 1 if the second
            (first) marked nothing.
        chance: where random segments may stand; nonoverlapping, per-label or overlapping.
        draws: how many random annotations of both make the expected figures; 0 for none.
        seed: a whole number from 0, for the draws.

    Raises:
        SettingError: for an unknown name, a label without a weight, a weight that is not finite or
            below 0, segments of several pieces, or far too many segments that overlap each other.

    >>> layers = {"gold": [[(0, 5, "minor"), (6, 9, "major")]], "mt": [[(0, 4, "minor")]]}
    >>> made = partial_credit(Corpus.from_segments([20], layers), "gold", "mt", draws=0)
    >>> made.precision.observed, made.recall.observed, round(made.f1.observed, 4)
    (1.0, 0.4, 0.5714)
    """
    check_known([a, b], corpus.layers)
    check_in_one_piece(corpus, "credit by share")
    check_whole(draws, 0, "draws")
    check_whole(seed, 0, "seed")
    of_label = _weights(corpus, (a, b), label_weights)
    pair = corpus.layers[a], corpus.layers[b]
    both = np.flatnonzero(pair[0].annotated & pair[1].annotated)
    settings = PartialCreditSettings(
        between=[a, b],
        average="macro" if macro else "micro",
        chance=str(chance),
        label_weights=None if label_weights is None else dict(label_weights),
        draws=draws,
        seed=seed,
        offsets=corpus.offsets,
        reading=corpus.reading,
    )
    if not len(both):
        no = undefined("no document that both saw")
        return PartialCredit(no, no, no, 0, math.nan, settings, corpus.notes)
    observed = _figures(pair, both, of_label, macro)
    rng = np.random.default_rng(seed)
    labels = max(1, len(corpus.labels))
    drawn = [
        _figures(
            [redraw(layer, corpus.lengths, labels, rng, chance) for layer in pair],
            both,
            of_label,
            macro,
        )
        for _ in range(draws)
    ]
    scores = []
    for i, reason in enumerate(_REASONS):
        expected = statistics.fmean(each[i] for each in drawn) if drawn else math.nan
        missing = math.isnan(observed[i])
        scores.append(undefined(reason) if missing else corrected(observed[i], expected))
    f1 = [each[2] for each in drawn]
    error = statistics.stdev(f1) / math.sqrt(draws) if draws > 1 else math.nan
    precision, recall, whole = scores
    return PartialCredit(precision, recall, whole, len(both), error, settings, corpus.notes)


def _weights(
    corpus: Corpus, names: Iterable[str], label_weights: Mapping[str, float] | None
) -> Floats:
    """Return the weight of each label of the corpus."""
    if label_weights is None:
        return np.ones(max(1, len(corpus.labels)))
    used = {i for name in names for i in np.unique(corpus.layers[name].label).tolist()}
    for i in sorted(used):
        label = corpus.labels[i]
        weight = label_weights.get(label)
        if weight is None:
            raise SettingError(f"weights: label {show(label)} has none; each label needs one")
        if not (isinstance(weight, (int, float)) and math.isfinite(weight) and weight >= 0):
            raise SettingError(
                f"weights: {show(weight)} of {show(label)}; a number from 0 is needed"
            )
    return np.array([float(label_weights.get(label, 0)) for label in corpus.labels] or [1.0])


def _figures(
    pair: Iterable[Layer], both: np.ndarray, of_label: Floats, macro: bool
) -> tuple[float, float, float]:
    """Return precision, recall and F1 of the second layer against the first."""
    gold, mine = (_by_document(layer, of_label) for layer in pair)
    rows = []
    for document in both.tolist():
        first, second = gold.get(document, []), mine.get(document, [])
        sizes = sum(x[2] for x in second), sum(x[2] for x in first)
        rows.append((*best_credit(first, second, sizes), *sizes))
    if macro:
        each = [(p / b if b else 1.0, r / a if a else 1.0) for p, r, b, a in rows]
        precision, recall = (statistics.fmean(x) for x in zip(*each, strict=True))
        return precision, recall, statistics.fmean(_harmonic(*x) for x in each)
    p, r, b, a = (math.fsum(column) for column in zip(*rows, strict=True))
    precision, recall = p / b if b else math.nan, r / a if a else math.nan
    if math.isnan(precision) or math.isnan(recall):
        return precision, recall, 0.0 if a or b else math.nan
    return precision, recall, _harmonic(precision, recall)


def _by_document(layer: Layer, of_label: Floats) -> dict[int, list[Span]]:
    """Return the segments of each document, by their starts."""
    spans: dict[int, list[Span]] = {}
    order = np.lexsort((layer.end, layer.start, layer.document))
    columns = (layer.document, layer.start, layer.end, of_label[layer.label])
    for document, *span in zip(*(column[order].tolist() for column in columns), strict=True):
        spans.setdefault(document, []).append((span[0], span[1], span[2]))
    return spans


def _harmonic(precision: float, recall: float) -> float:
    both = precision + recall
    return 2 * precision * recall / both if both else 0.0


def best_credit(first: list[Span], second: list[Span], sizes: Credit) -> Credit:
    """Return the credits of the one-to-one matching with the greatest F1, of one document.

    The second's segments are gone through from the left. What the past leaves behind is which of
    the first's are taken and reach on, at most one if these do not overlap, and the credits so
    far, of which those that another one exceeds in both can be forgotten. So no matching is missed.

    Args:
        first, second: the segments of either, by their starts.
        sizes: the sums of weights of the second and of the first.

    >>> best_credit([(0, 4, 1.0), (4, 8, 1.0)], [(2, 6, 1.0)], (1.0, 2.0))
    (0.5, 0.5)
    """
    states: dict[frozenset[int], list[Credit]] = {frozenset(): [(0.0, 0.0)]}
    begin = 0
    for start, end, weight in second:
        while begin < len(first) and first[begin][1] <= start:
            begin += 1
        near = []
        for i in range(begin, len(first)):
            left, right, other = first[i]
            if left >= end:
                break
            if (shared := min(right, end) - max(left, start)) > 0:
                mass = shared * min(weight, other)
                near.append((i, mass / (end - start), mass / (right - left)))
        if not near:
            continue
        after: dict[frozenset[int], list[Credit]] = {}
        for taken, so_far in states.items():
            still = frozenset(i for i in taken if first[i][1] > start)
            after.setdefault(still, []).extend(so_far)
            for i, p, r in near:
                if i not in taken:
                    more = [(x + p, y + r) for x, y in so_far]
                    after.setdefault(still | {i}, []).extend(more)
        if len(after) > _MOST:
            raise SettingError(
                "credit by share: too many segments of one document overlap each other; with"
                " merge-overlaps fewer do"
            )
        states = {taken: _front(every) for taken, every in after.items()}
    best = [credit for front in states.values() for credit in front]

    def goodness(credit: Credit) -> tuple[float, ...]:
        p, r = (x / size if size else 1.0 for x, size in zip(credit, sizes, strict=True))
        return tuple(round(x, 12) for x in (_harmonic(p, r), p + r, p))

    return max(best, key=goodness)


def _front(every: list[Credit]) -> list[Credit]:
    """Return the credits that no other one reaches in both."""
    kept: list[Credit] = []
    for credit in sorted(every, reverse=True):
        if not kept or credit[1] > kept[-1][1]:
            kept.append(credit)
    return kept
