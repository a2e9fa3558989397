"""Precision, recall and F1 at each score of predictions, and the best score on held-out documents.

A threshold keeps the predictions with at least this score. In a document with k distinct scores,
k + 1 different sets of predictions can be kept. Each set is a copy of the document, with these
predictions alone. A copy is compared with gold once, with the chance of its own numbers and lengths
of segments. The sums at a threshold differ from those at the next lower threshold only in
documents that lose a prediction, so they are computed by adding up changes. This is exact.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from spanagree.arrays import Bools, Floats, Ints, expand_ranges, find_entries
from spanagree.comparisons.counting import MatchCountOptions
from spanagree.comparisons.prediction_scores import (
    NO_SCORES,
    check_unscored,
    has_scores,
    look_up_scores,
)
from spanagree.comparisons.tally import Tally
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.details import SegmentDetails
from spanagree.corpus.segments import Layer
from spanagree.corpus.unplaced import UnplacedQuotes
from spanagree.errors import SettingError, check_integer, escape_name, pluralize
from spanagree.limits import check_cost
from spanagree.results.result import MappingResult, NanEqualMixin, Result
from spanagree.results.score import Ratio, compute_all_figures, list_figures
from spanagree.settings import JACKKNIFE
from spanagree.systems.count import EvaluationSettings, stack_columns
from spanagree.systems.lost_quotes import write_lost_quotes_sentence
from spanagree.systems.result import Evaluation, check_evaluation
from spanagree.systems.system_rows import compare_with_gold
from spanagree.uncertainty.confidence import USUAL, Jackknife
from spanagree.uncertainty.differences import DocumentInfluence
from spanagree.uncertainty.jackknife import build_intervals, compute_moments, sum_groups


@dataclass(frozen=True, kw_only=True, eq=False)
class SweepSettings(EvaluationSettings):
    """Settings of a sweep.

    Attributes:
        sweep: name of the quantity that thresholds are of: the score of predictions.
    """

    sweep: str = "score"


class Gain(NamedTuple):
    """Gain in corrected F1 of a threshold over no threshold, on held-out documents.

    Attributes:
        value: difference of the corrected F1.
        low, high: interval of the difference by the jackknife.
        p: two-sided probability.
    """

    value: float
    low: float
    high: float
    p: float


@dataclass(frozen=True, eq=False)
class BestScore(NanEqualMixin):
    """The best threshold on one half of the documents, with its figures on the other half.

    It is chosen by corrected F1, or F-beta.

    Attributes:
        threshold: smallest score that is kept.
        n_chosen: number of documents that it was chosen on.
        n_held_out: number of held-out documents.
        chosen: counts on the documents that it was chosen on, which flatter it.
        held_out: counts on the held-out documents, with intervals.
        all_kept: counts on the held-out documents if all predictions are kept.
        gain: difference between `held_out` and `all_kept`.
    """

    threshold: float
    n_chosen: int
    n_held_out: int
    chosen: Tally
    held_out: Tally
    all_kept: Tally
    gain: Gain


@dataclass(frozen=True, eq=False)
class SystemSweep(NanEqualMixin):
    """Counts of one system at each threshold.

    Attributes:
        name: name of the system.
        thresholds: distinct scores of the system, ascending.
        sums: counts at each threshold, as in :class:`spanagree.results.score.Sums`; (thresholds, 4
            or 6).
        best: best threshold; ``None`` if there are fewer than two documents to halve, or corrected
            F1 is undefined at every threshold.
        beta: β of F-beta; ``None`` if that was not requested.
    """

    name: str
    thresholds: Floats
    sums: Floats
    best: BestScore | None
    beta: float | None = None

    def tally(self, index: int) -> Tally:
        """Return the counts at a threshold, by its index."""
        return _build_tally(self.sums[index], self.beta)


@dataclass(frozen=True, eq=False, repr=False)
class ScoreSweep(Result, MappingResult):
    """Result of :func:`sweep_scores`.

    Attributes:
        systems: systems with scores, by name.
        documents: number of documents.
        settings: settings that determine the figures.
        notes: notes of the evaluation, and on systems without scores.
        not_in_text: sentence on quotes that are not in the text; empty without any.

    >>> import spanagree as sa
    >>> spans = [[(0, 2, "X", {"score": "0.9"}), (3, 4, "X", {"score": "0.4"})]] * 4
    >>> layers = {"gold": [[(0, 2, "X")]] * 4, "mine": spans}
    >>> evaluation = sa.evaluate(sa.Corpus.from_segments([9] * 4, layers))
    >>> mine = sa.systems.sweep_scores(evaluation)["mine"]
    >>> mine.thresholds.tolist(), [mine.tally(i).precision.observed for i in (0, 1)]
    ([0.4, 0.9], [0.5, 1.0])
    """

    systems: Mapping[str, SystemSweep]
    documents: int
    settings: SweepSettings
    notes: tuple[str, ...]
    not_in_text: str = field(default="", repr=False, compare=False)

    TABLES: ClassVar[Mapping[str, str | None]] = {"thresholds": None}
    SUMMARY: ClassVar[tuple[str, ...]] = ("documents", "best=_best")
    SHOWN_BY: ClassVar[str] = f"{__package__}.score_sweep_table"

    @property
    def _keys(self) -> Sequence[Any]:
        return [*self.systems]

    def __getitem__(self, name: str) -> SystemSweep:
        """Return the sweep of a system.

        Raises:
            SettingError: if the system is unknown, or has no scores.
        """
        if name not in self.systems:
            known_names = ", ".join(map(escape_name, self.systems))
            raise SettingError(
                f"unknown system {escape_name(name)}; with scores there are: {known_names}"
            )
        return self.systems[name]

    @property
    def figures(self) -> Mapping[str, Ratio]:
        """The figures by key, including F-beta if it was requested."""
        return list_figures(self.settings.f_beta)

    @property
    def _best(self) -> dict[str, Any]:
        """The best threshold of each system, as plain data."""
        best_by_system = {name: sweep.best for name, sweep in self.systems.items()}
        return {
            name: None if best_score is None else self._convert_best_score(best_score)
            for name, best_score in best_by_system.items()
        }

    def _convert_best_score(self, best: BestScore) -> dict[str, Any]:
        """Convert the best threshold of a system, with its figures, to data for JSON."""
        tallies = {"chosen": best.chosen, "held_out": best.held_out, "all_kept": best.all_kept}
        scores = {
            name: {key: tally.score_of(ratio).to_dict() for key, ratio in self.figures.items()}
            for name, tally in tallies.items()
        }
        counts = {"documents_chosen": best.n_chosen, "documents_held_out": best.n_held_out}
        return {"threshold": best.threshold, **counts, **scores, "gain": best.gain._asdict()}


def sweep_scores(evaluation: Evaluation, *, ci: Jackknife = USUAL, seed: int = 0) -> ScoreSweep:
    """Compute the figures of each system at each of its scores, and choose the best score.

    Each threshold has the figures of ``evaluate(corpus, min_score=threshold)``. The best threshold
    by corrected F1 (or F-beta, if that was requested) is chosen on a random half of the documents,
    and evaluated on the other half, because the first half flatters it.

    Args:
        evaluation: evaluation of a corpus whose predictions have scores.
        ci: confidence of the intervals on the held-out documents, and clusters.
        seed: random seed of the halves, an integer from 0.

    Raises:
        SettingError: if no prediction has a score, or gold has scores; if the evaluation has no
            segments, being of relations or rows, or has a rule of places for each document.
        InputError: if a score is not a number.

    >>> import spanagree as sa
    >>> spans = [[(0, 2, "X", {"score": "0.9"}), (3, 4, "X", {"score": "0.4"})]] * 4
    >>> layers = {"gold": [[(0, 2, "X")]] * 4, "mine": spans}
    >>> sweep = sweep_scores(sa.evaluate(sa.Corpus.from_segments([9] * 4, layers)))
    >>> best = sweep["mine"].best
    >>> best.threshold, best.n_held_out, best.held_out.f1.observed
    (0.9, 2, 1.0)
    """
    check_evaluation(evaluation, "sweep_scores")
    check_integer(seed, 0, "seed")
    if not isinstance(ci, Jackknife) or ci.over_annotators:
        raise SettingError("ci: a Jackknife over documents is needed")
    corpus, settings = evaluation.rows.corpus, evaluation.settings
    corpus.check_segments("sweep")
    if corpus.of_relations:
        raise SettingError("sweep: relations and attributes have no scores; compare segments")
    places = evaluation.counting.chance.places
    if places is not None and (places.documents is not None or places.uses_columns):
        raise SettingError(
            "sweep: a rule of places for each document, or of a column, is not kept here; choose"
            " another rule, or leave it out"
        )
    check_unscored(corpus, [settings.gold])
    scored_names = [name for name in evaluation.systems if has_scores(corpus, name)]
    if not scored_names:
        raise SettingError(f"sweep: {NO_SCORES}")
    unscored_names = [escape_name(name) for name in evaluation.systems if name not in scored_names]
    notes = [f"{name}: no prediction has a score, left out of the sweep" for name in unscored_names]
    systems, methods = {}, set[str]()
    for name in scored_names:
        copies = _Copies.from_corpus(corpus, settings.gold, name)
        table = _compare_copies(copies.corpus, name, evaluation.counting)
        best_score = _choose_best(copies, table, corpus, settings, ci, seed)
        sums = copies.sum_by_threshold(table)
        systems[name] = SystemSweep(name, copies.thresholds, sums, best_score, settings.f_beta)
        intervals = best_score.held_out.intervals.values() if best_score else ()
        methods |= {interval.kind for interval in intervals}
    sweep_settings = {**ci.settings(methods or {JACKKNIFE}), "seed": int(seed)}
    return ScoreSweep(
        systems,
        evaluation.documents,
        settings.extend_to(SweepSettings, **sweep_settings),
        (*evaluation.notes, *notes),
        write_lost_quotes_sentence(evaluation, scored_names),
    )


class _Copies(NamedTuple):
    """Copies of documents, one for each set of predictions that a threshold keeps.

    Attributes:
        corpus: gold and the system, with a document for each copy.
        document: index of the document of each copy, ascending.
        first: index of the first copy of each shared document, with all predictions.
        documents: indices of the shared documents.
        thresholds: distinct scores, ascending.
        from_index: index of the first threshold at which each copy represents its document.
    """

    corpus: Corpus
    document: Ints
    first: Ints
    documents: Ints
    thresholds: Floats
    from_index: Ints

    @classmethod
    def from_corpus(cls, corpus: Corpus, gold: str, name: str) -> _Copies:
        """Copy each document that gold and a system saw, once for each set of kept predictions.

        Args:
            corpus: corpus with gold and the system.
            gold: name of the gold layer.
            name: name of the system.
        """
        layers, scores = corpus.layers, look_up_scores(corpus, name)
        system, is_shared = layers[name], layers[gold].annotated & layers[name].annotated
        quotes = corpus.unplaced.get(name)
        quote_columns = (
            (system.document[:0], scores[:0]) if quotes is None else (quotes.at, quotes.scores)
        )
        all_documents = np.concatenate((system.document, quote_columns[0]))
        all_scores = np.concatenate((scores, quote_columns[1]))
        is_scored = ~np.isnan(all_scores) & is_shared[all_documents]
        thresholds, rank = np.unique(all_scores[is_scored], return_inverse=True)
        # distinct scores of each document; the set of kept predictions changes after each
        steps = np.unique(np.stack((all_documents[is_scored], rank), axis=1), axis=0)
        documents = np.flatnonzero(is_shared)
        n_steps = np.bincount(steps[:, 0], minlength=len(corpus))[documents]
        first_copies = np.cumsum(n_steps + 1) - n_steps - 1
        copy_document = np.repeat(documents, n_steps + 1)
        from_index = np.zeros(len(copy_document), np.int64)
        is_later = np.ones(len(copy_document), np.bool_)
        is_later[first_copies] = False
        from_index[is_later] = steps[:, 1] + 1
        segment_documents = np.concatenate((layers[gold].document, system.document))
        n_segments = np.bincount(segment_documents, minlength=len(corpus))
        purpose = f"a sweep over {pluralize(len(thresholds), 'score')} of {escape_name(name)}"
        check_cost(6 * int(n_segments[copy_document].sum()), purpose)
        min_scores = np.append(thresholds, np.inf)[from_index]  # lowest of all for the first copy
        known_scores = np.full(len(corpus.layers[name]), np.inf)
        known_scores[~np.isnan(scores)] = scores[~np.isnan(scores)]
        copied_layers = {
            gold: _copy_segments(layers[gold], copy_document, None, None),
            name: _copy_segments(system, copy_document, known_scores, min_scores),
        }
        unplaced = {} if quotes is None else {name: _copy_quotes(quotes, copy_document, min_scores)}
        content = {**corpus.content_of(copy_document), "ids": None, "notes": (), "seen_unknown": ()}
        content |= {"unplaced": unplaced}
        copies = replace(corpus, layers=copied_layers, **content)
        return cls(copies, copy_document, first_copies, documents, thresholds, from_index)

    def sum_by_threshold(self, table: Floats, is_counted: Bools | None = None) -> Floats:
        """Sum, at each threshold, the rows of the copies that represent their documents there.

        Args:
            table: row of sums for each copy: (copies, columns).
            is_counted: mask of documents to include, by index. Default: all.

        Returns:
            Sums of shape (thresholds, columns).
        """
        rows = table if is_counted is None else table * is_counted[self.document][:, None]
        change = rows.copy()
        change[1:] -= rows[:-1]
        change[self.first] = rows[self.first]
        n_thresholds = len(self.thresholds)
        change_by_index = sum_groups(change, self.from_index, n_thresholds + 1)
        sums: Floats = np.cumsum(change_by_index, axis=0)[:n_thresholds]
        return sums

    def select_threshold(self, table: Floats, index: int) -> Floats:
        """Select the summands of each document at a threshold, by its index; (documents, …)."""
        n_reached = np.add.reduceat((self.from_index <= index).astype(np.int64), self.first)
        return table[self.first + n_reached - 1]


def _copy_segments(
    layer: Layer, document: Ints, scores: Floats | None, min_scores: Floats | None
) -> Layer:
    """Copy the segments of the document of each copy, without segments below its threshold.

    Args:
        layer: segments of all documents.
        document: index of the document of each copy.
        scores: score of each segment; `None` to keep all.
        min_scores: smallest score that each copy keeps; `None` to keep all.
    """
    counts = np.bincount(layer.document, minlength=len(layer.annotated))
    rows = find_entries(counts, document)
    _, copy_index = expand_ranges(np.zeros(len(document), np.int64), counts[document])
    if scores is not None and min_scores is not None:
        is_kept = scores[rows] >= min_scores[copy_index]
        rows, copy_index = rows[is_kept], copy_index[is_kept]
    details = None
    if layer.details is not None:
        details = SegmentDetails(layer.details.shape[rows], layer.details.shapes)
        details = None if details.is_empty else details
    columns = layer.start[rows], layer.end[rows], layer.label[rows]
    return Layer(copy_index, *columns, layer.annotated[document], details)


def _copy_quotes(quotes: UnplacedQuotes, document: Ints, min_scores: Floats) -> UnplacedQuotes:
    """Copy the quotes that are not in the text, without quotes below a copy's threshold.

    Args:
        quotes: quotes of all documents.
        document: index of the document of each copy.
        min_scores: smallest score that each copy keeps.
    """
    sorted_quotes = quotes.select_rows(np.argsort(quotes.at, kind="stable"))
    low, high = (np.searchsorted(sorted_quotes.at, document, end) for end in ("left", "right"))
    rows, copy_index = expand_ranges(low, high)
    is_kept = ~(sorted_quotes.scores[rows] < min_scores[copy_index])  # or without a score
    return replace(sorted_quotes.select_rows(rows[is_kept]), at=copy_index[is_kept])


def _compare_copies(copies: Corpus, name: str, counting: MatchCountOptions) -> Floats:
    """Compare each copy with gold.

    Args:
        copies: corpus with gold and the system, whose documents are the copies.
        name: name of the system.
        counting: measure and chance model.

    Returns:
        Sums of each copy, (copies, 4 or 6), in the order of :class:`spanagree.results.score.Sums`.
    """
    gold = next(annotator for annotator in copies.annotators if annotator != name)
    rows = compare_with_gold(copies, gold, counting).comparisons.by("document")
    columns = stack_columns(rows)
    table = np.zeros((len(copies), columns.shape[1]))
    table[rows.document] = columns
    return table


def _choose_best(
    copies: _Copies,
    table: Floats,
    corpus: Corpus,
    settings: EvaluationSettings,
    ci: Jackknife,
    seed: int,
) -> BestScore | None:
    """Choose the best threshold on a random half of the documents, and count on the other half.

    Sentences of one parent document are in the same half.

    Args:
        copies: copies of documents for each set of kept predictions.
        table: sums of each copy, from :func:`_compare_copies`.
        corpus: corpus of the evaluation.
        settings: settings of the evaluation.
        ci: confidence of the intervals, and clusters.
        seed: random seed of the halves.

    Returns:
        The best threshold; `None` with fewer than two documents, or if the figure is undefined at
        each threshold.
    """
    clusters = ci.wholes_of(corpus.parent_ids, settings)
    unit_of_document = np.arange(len(corpus)) if corpus.parent_ids is None else corpus.parent_ids
    units = np.unique(unit_of_document[copies.documents])
    shuffled_units = np.random.default_rng(seed).permutation(units)
    is_chosen = np.isin(unit_of_document, shuffled_units[: len(units) // 2])
    is_held_out = np.isin(unit_of_document, shuffled_units[len(units) // 2 :])
    figure_index = 3 * [*list_figures(settings.f_beta)].index(
        "f1" if settings.f_beta is None else "f_beta"
    )
    score_index = 0 if settings.chance_undefined else 2  # observed, or corrected
    curve = copies.sum_by_threshold(table, is_chosen)
    with np.errstate(all="ignore"):
        values = compute_all_figures(curve, settings.f_beta)[:, figure_index + score_index]
    if len(units) < 2 or np.isnan(values).all():
        return None
    index = int(np.nanargmax(values))
    is_row_held_out = is_held_out[copies.documents]
    rows, all_rows = (copies.select_threshold(table, i)[is_row_held_out] for i in (index, 0))
    held_out_documents = copies.documents[is_row_held_out]
    _, unit = np.unique(
        held_out_documents if clusters is None else clusters[held_out_documents],
        return_inverse=True,
    )
    n_units = int(unit.max()) + 1
    by_unit = [sum_groups(rows, unit, n_units), sum_groups(all_rows, unit, n_units)]
    beta = settings.f_beta
    sums = compute_moments(by_unit[0], lambda columns: compute_all_figures(columns, beta))
    (intervals,) = build_intervals(sums, ci)
    tally = _build_tally(rows.sum(axis=0), beta)
    tally = replace(tally, intervals=dict(zip(list_figures(beta), intervals, strict=True)))
    n_chosen = int(is_chosen[copies.documents].sum())
    return BestScore(
        float(copies.thresholds[index]),
        n_chosen,
        len(copies.documents) - n_chosen,
        _build_tally(curve[index], beta),
        tally,
        _build_tally(all_rows.sum(axis=0), beta),
        _compute_gain(by_unit, ci, is_raw=not score_index),
    )


def _compute_gain(by_unit: Sequence[Floats], ci: Jackknife, *, is_raw: bool) -> Gain:
    """Compute the gain in corrected F1 of a threshold over no threshold.

    Args:
        by_unit: sums of each held-out unit with the threshold, and without one; (units, 4 or 6).
        ci: confidence of the interval.
        is_raw: True for the gain in observed F1.
    """
    tables = []
    for rows in by_unit:
        matched, expected, *sizes = rows.T
        columns = [matched, expected, sizes[0] + sizes[1]]
        columns += [sizes[2] + sizes[3]] if len(sizes) > 2 else []
        tables.append(np.stack(columns, axis=1))
    difference = DocumentInfluence.from_rows(np.stack(tables, axis=1)).compare(0, 1, ci.tail, 1)
    score_index = 0 if is_raw else 1
    low, high = difference.ends[score_index].tolist()
    return Gain(float(difference.value[score_index]), low, high, float(difference.p[score_index]))


def _build_tally(sums: Floats, beta: float | None) -> Tally:
    """Build a tally from sums over documents, (4 or 6,), and the β of F-beta."""
    row = sums.tolist()
    matched = int(row[0]) if row[0] == int(row[0]) else row[0]
    sizes = [round(size) for size in row[2:4]]
    return replace(Tally.of([matched, row[1], *sizes, *row[4:]]), beta=beta)
