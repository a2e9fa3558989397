"""Precision, recall and F1 at each score of predictions, and the best score on documents held out.

A threshold keeps the predictions with at least its score. In a document only as many sets of
predictions are kept as it has scores, so each such set is compared once, as a document of its own,
with the chance of its own numbers and lengths. The sums at a threshold are those at the one below,
changed by the documents that lose a prediction between the two: exact at each, in one pass.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from spanagree.arrays import Bools, Floats, Ints, entries, expand_ranges
from spanagree.comparisons.counting import MatchCountOptions
from spanagree.comparisons.prediction_scores import (
    NO_SCORES,
    check_unscored,
    has_scores,
    scores_of,
)
from spanagree.comparisons.tally import Tally
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.details import SegmentDetails
from spanagree.corpus.segments import Layer
from spanagree.corpus.unplaced import UnplacedQuotes
from spanagree.errors import SettingError, check_whole, escape_name, pluralize
from spanagree.limits import check_cost
from spanagree.results.result import MappingResult, NanEqualMixin, Result
from spanagree.results.score import Ratio, all_figures, figures_of
from spanagree.settings import JACKKNIFE
from spanagree.systems.count import EvaluationSettings, columns_of
from spanagree.systems.lost_quotes import not_in_text
from spanagree.systems.result import Evaluation, check_evaluation
from spanagree.systems.system_rows import compare_with_gold
from spanagree.uncertainty.confidence import USUAL, Jackknife
from spanagree.uncertainty.differences import DocumentInfluence
from spanagree.uncertainty.jackknife import group_sums, intervals_of, moments


@dataclass(frozen=True, kw_only=True, eq=False)
class SweepSettings(EvaluationSettings):
    """The settings of a sweep.

    Attributes:
        sweep: what is swept over: the score of predictions.
    """

    sweep: str = "score"


class Gain(NamedTuple):
    """What a threshold gains in corrected F1 on documents held out, beside no threshold.

    Attributes:
        value: difference of the corrected F1.
        low, high: its interval by the jackknife.
        p: two-sided probability.
    """

    value: float
    low: float
    high: float
    p: float


@dataclass(frozen=True, eq=False)
class BestScore(NanEqualMixin):
    """The threshold that is best on one half of the documents, on the other half.

    It is chosen by corrected F1, or F-beta.

    Attributes:
        threshold: the least score that is kept.
        n_chosen: number of documents by which it was chosen.
        n_held_out: number of the other documents.
        chosen: counts on those by which it was chosen, which flatter it.
        held_out: counts on the others, with intervals.
        all_kept: counts on the others if no prediction is left out, with which they are compared;
            the difference is the gain.
        gain: what it gains on the others.
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
    """The counts of one system at each threshold.

    Attributes:
        name: name of the system.
        thresholds: its distinct scores, ascending.
        sums: counts at each, as of :class:`spanagree.results.score.Sums`; (thresholds, 4 or 6).
        best: the best threshold; ``None`` if fewer than two documents can be halved, or corrected
            F1 is undefined at each.
        beta: the β of F-beta, if that was requested.
    """

    name: str
    thresholds: Floats
    sums: Floats
    best: BestScore | None
    beta: float | None = None

    def tally(self, index: int) -> Tally:
        """Return the counts at a threshold, by its position."""
        return _tally(self.sums[index], self.beta)


@dataclass(frozen=True, eq=False, repr=False)
class ScoreSweep(Result, MappingResult):
    """The result of :func:`sweep_scores`.

    Attributes:
        systems: by name, those with scores.
        documents: number of documents.
        settings: what made the numbers.
        notes: notes of the evaluation, and systems without scores.
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
            SettingError: for one without scores, or an unknown one.
        """
        if name not in self.systems:
            known = ", ".join(map(escape_name, self.systems))
            raise SettingError(
                f"unknown system {escape_name(name)}; with scores there are: {known}"
            )
        return self.systems[name]

    @property
    def figures(self) -> Mapping[str, Ratio]:
        """The figures by key, F-beta among them if it was requested."""
        return figures_of(self.settings.f_beta)

    @property
    def _best(self) -> dict[str, Any]:
        """The best threshold of each system, as plain data."""
        best = {name: sweep.best for name, sweep in self.systems.items()}
        return {name: None if x is None else self._plain(x) for name, x in best.items()}

    def _plain(self, best: BestScore) -> dict[str, Any]:
        tallies = {"chosen": best.chosen, "held_out": best.held_out, "all_kept": best.all_kept}
        scores = {
            part: {key: tally.score_of(ratio).to_dict() for key, ratio in self.figures.items()}
            for part, tally in tallies.items()
        }
        counts = {"documents_chosen": best.n_chosen, "documents_held_out": best.n_held_out}
        return {"threshold": best.threshold, **counts, **scores, "gain": best.gain._asdict()}


def sweep_scores(evaluation: Evaluation, *, ci: Jackknife = USUAL, seed: int = 0) -> ScoreSweep:
    """Compute the figures of each system at each of its scores, and choose the best score.

    Each threshold has the figures that ``evaluate(corpus, min_score=threshold)`` gives. The best by
    corrected F1 (or F-beta, if that was requested) is chosen on one half of the documents, drawn at
    random, and reported on the other half, as it flatters the half that it was chosen on.

    Args:
        evaluation: systems against gold, of a corpus whose predictions have scores.
        ci: confidence of the intervals on the documents held out, and clusters.
        seed: a whole number from 0, by which documents are drawn into halves.

    Raises:
        SettingError: if no prediction has a score, or gold has some; for an evaluation of relations
            or of rows, which have no segments, or with a rule of places for each document.
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
    check_whole(seed, 0, "seed")
    if not isinstance(ci, Jackknife) or ci.over_annotators:
        raise SettingError("ci: a Jackknife over documents is needed")
    corpus, settings = evaluation.rows.corpus, evaluation.settings
    corpus.check_segments("sweep")
    if corpus.of_relations:
        raise SettingError("sweep: relations and attributes have no scores; compare segments")
    places = evaluation.counting.chance.places
    if places is not None and (places.documents is not None or places.of_columns):
        raise SettingError(
            "sweep: a rule of places for each document, or of a column, is not kept here; choose"
            " another rule, or leave it out"
        )
    check_unscored(corpus, [settings.gold])
    scored = [name for name in evaluation.systems if has_scores(corpus, name)]
    if not scored:
        raise SettingError(f"sweep: {NO_SCORES}")
    without = [escape_name(name) for name in evaluation.systems if name not in scored]
    notes = [f"{name}: no prediction has a score, left out of the sweep" for name in without]
    systems, kinds = {}, set[str]()
    for name in scored:
        copies = _Copies.of(corpus, settings.gold, name)
        table = _table(copies.corpus, name, evaluation.counting)
        best = _best_of(copies, table, corpus, settings, ci, seed)
        sums = copies.curve(table)
        systems[name] = SystemSweep(name, copies.thresholds, sums, best, settings.f_beta)
        intervals = best.held_out.intervals.values() if best else ()
        kinds |= {interval.kind for interval in intervals}
    signed = {**ci.settings(kinds or {JACKKNIFE}), "seed": int(seed)}
    return ScoreSweep(
        systems,
        evaluation.documents,
        settings.extended(SweepSettings, **signed),
        (*evaluation.notes, *notes),
        not_in_text(evaluation, scored),
    )


class _Copies(NamedTuple):
    """Copies of documents, one for each set of predictions that a threshold keeps.

    Attributes:
        corpus: gold and the system, a document for each copy.
        document: number of the document of each copy, ascending.
        first: position of the first copy of each document that both saw, with all predictions.
        documents: numbers of these documents.
        thresholds: distinct scores, ascending.
        from_index: position of the threshold from which on each copy stands for its document.
    """

    corpus: Corpus
    document: Ints
    first: Ints
    documents: Ints
    thresholds: Floats
    from_index: Ints

    @classmethod
    def of(cls, corpus: Corpus, gold: str, name: str) -> _Copies:
        """Copy each document that gold and a system saw."""
        layers, scores = corpus.layers, scores_of(corpus, name)
        system, seen = layers[name], layers[gold].annotated & layers[name].annotated
        quotes = corpus.unplaced.get(name)
        of_quotes = (
            (system.document[:0], scores[:0]) if quotes is None else (quotes.at, quotes.scores)
        )
        in_document = np.concatenate((system.document, of_quotes[0]))
        all_scores = np.concatenate((scores, of_quotes[1]))
        is_scored = ~np.isnan(all_scores) & seen[in_document]
        thresholds, rank = np.unique(all_scores[is_scored], return_inverse=True)
        # of each document its distinct scores: behind each, another set is kept
        steps = np.unique(np.stack((in_document[is_scored], rank), axis=1), axis=0)
        documents = np.flatnonzero(seen)
        n_steps = np.bincount(steps[:, 0], minlength=len(corpus))[documents]
        first = np.cumsum(n_steps + 1) - n_steps - 1
        document = np.repeat(documents, n_steps + 1)
        from_index = np.zeros(len(document), np.int64)
        is_later = np.ones(len(document), np.bool_)
        is_later[first] = False
        from_index[is_later] = steps[:, 1] + 1
        in_documents = np.concatenate((layers[gold].document, system.document))
        n_segments = np.bincount(in_documents, minlength=len(corpus))
        purpose = f"a sweep over {pluralize(len(thresholds), 'score')} of {escape_name(name)}"
        check_cost(6 * int(n_segments[document].sum()), purpose)
        least = np.append(thresholds, np.inf)[from_index]  # of the first copy, the lowest of all
        keeps_all = np.full(len(corpus.layers[name]), np.inf)
        keeps_all[~np.isnan(scores)] = scores[~np.isnan(scores)]
        copied = {
            gold: _copied(layers[gold], document, None, None),
            name: _copied(system, document, keeps_all, least),
        }
        unplaced = {} if quotes is None else {name: _quotes_copied(quotes, document, least)}
        content = {**corpus.content_of(document), "ids": None, "notes": (), "seen_unknown": ()}
        content |= {"unplaced": unplaced}
        copies = replace(corpus, layers=copied, **content)
        return cls(copies, document, first, documents, thresholds, from_index)

    def curve(self, table: Floats, document_index: Bools | None = None) -> Floats:
        """Sum the rows of the copies that stand at each threshold; (thresholds, columns).

        Args:
            table: what each copy adds to the sums.
            document_index: mask of the documents that count, by number. Default: all.
        """
        rows = table if document_index is None else table * document_index[self.document][:, None]
        change = rows.copy()
        change[1:] -= rows[:-1]
        change[self.first] = rows[self.first]
        n_thresholds = len(self.thresholds)
        by_index = group_sums(change, self.from_index, n_thresholds + 1)
        sums: Floats = np.cumsum(by_index, axis=0)[:n_thresholds]
        return sums

    def at(self, table: Floats, index: int) -> Floats:
        """Return what each document adds at a threshold, by its position; (documents, columns)."""
        n_begun = np.add.reduceat((self.from_index <= index).astype(np.int64), self.first)
        return table[self.first + n_begun - 1]


def _copied(layer: Layer, document: Ints, scores: Floats | None, least: Floats | None) -> Layer:
    """Copy the segments of each document, with scores those that are high enough."""
    counts = np.bincount(layer.document, minlength=len(layer.annotated))
    rows = entries(counts, document)
    _, copy = expand_ranges(np.zeros(len(document), np.int64), counts[document])
    if scores is not None and least is not None:
        is_kept = scores[rows] >= least[copy]
        rows, copy = rows[is_kept], copy[is_kept]
    details = None
    if layer.details is not None:
        details = SegmentDetails(layer.details.shape[rows], layer.details.shapes)
        details = None if details.is_empty else details
    columns = layer.start[rows], layer.end[rows], layer.label[rows]
    return Layer(copy, *columns, layer.annotated[document], details)


def _quotes_copied(quotes: UnplacedQuotes, document: Ints, least: Floats) -> UnplacedQuotes:
    """Copy the quotes of each document that are not in the text, with scores high enough."""
    in_order = quotes.of_rows(np.argsort(quotes.at, kind="stable"))
    low, high = (np.searchsorted(in_order.at, document, end) for end in ("left", "right"))
    rows, copy = expand_ranges(low, high)
    is_kept = ~(in_order.scores[rows] < least[copy])  # one without a score is kept
    return replace(in_order.of_rows(rows[is_kept]), at=copy[is_kept])


def _table(copies: Corpus, name: str, counting: MatchCountOptions) -> Floats:
    """Compare each copy with gold; (copies, 4 or 6)."""
    gold = next(other for other in copies.annotators if other != name)
    rows = compare_with_gold(copies, gold, counting).comparisons.by("document")
    columns = columns_of(rows)
    table = np.zeros((len(copies), columns.shape[1]))
    table[rows.document] = columns
    return table


def _best_of(
    copies: _Copies,
    table: Floats,
    corpus: Corpus,
    settings: EvaluationSettings,
    ci: Jackknife,
    seed: int,
) -> BestScore | None:
    """Choose a threshold on one half of the documents, and count on the other half."""
    clusters = ci.wholes_of(corpus.parent_ids, settings)
    together = np.arange(len(corpus)) if corpus.parent_ids is None else corpus.parent_ids
    units = np.unique(together[copies.documents])
    drawn = np.random.default_rng(seed).permutation(units)
    is_chosen = np.isin(together, drawn[: len(units) // 2])
    is_held_out = np.isin(together, drawn[len(units) // 2 :])
    at = 3 * [*figures_of(settings.f_beta)].index("f1" if settings.f_beta is None else "f_beta")
    kind = 0 if settings.chance_undefined else 2  # observed, or corrected
    curve = copies.curve(table, is_chosen)
    with np.errstate(all="ignore"):
        values = all_figures(curve, settings.f_beta)[:, at + kind]
    if len(units) < 2 or np.isnan(values).all():
        return None
    index = int(np.nanargmax(values))
    held_out = is_held_out[copies.documents]
    rows, kept = (copies.at(table, i)[held_out] for i in (index, 0))
    number = copies.documents[held_out]
    _, unit = np.unique(number if clusters is None else clusters[number], return_inverse=True)
    n_units = int(unit.max()) + 1
    by_unit = [group_sums(rows, unit, n_units), group_sums(kept, unit, n_units)]
    beta = settings.f_beta
    sums = moments(by_unit[0], lambda columns: all_figures(columns, beta))
    (ends,) = intervals_of(sums, ci)
    tally = _tally(rows.sum(axis=0), beta)
    tally = replace(tally, intervals=dict(zip(figures_of(beta), ends, strict=True)))
    n_chosen = int(is_chosen[copies.documents].sum())
    return BestScore(
        float(copies.thresholds[index]),
        n_chosen,
        len(copies.documents) - n_chosen,
        _tally(curve[index], beta),
        tally,
        _tally(kept.sum(axis=0), beta),
        _gain(by_unit, ci, is_raw=not kind),
    )


def _gain(by_unit: Sequence[Floats], ci: Jackknife, *, is_raw: bool) -> Gain:
    """Compare a threshold with none in corrected F1 (or F1), over the same documents."""
    tables = []
    for rows in by_unit:
        matched, expected, *sizes = rows.T
        columns = [matched, expected, sizes[0] + sizes[1]]
        columns += [sizes[2] + sizes[3]] if len(sizes) > 2 else []
        tables.append(np.stack(columns, axis=1))
    difference = DocumentInfluence.of(np.stack(tables, axis=1)).difference(0, 1, ci.tail, 1)
    at = 0 if is_raw else 1
    low, high = difference.ends[at].tolist()
    return Gain(float(difference.value[at]), low, high, float(difference.p[at]))


def _tally(sums: Floats, beta: float | None) -> Tally:
    """Build the tally of sums of documents."""
    row = sums.tolist()
    matched = int(row[0]) if row[0] == int(row[0]) else row[0]
    sizes = [round(x) for x in row[2:4]]
    return replace(Tally.of([matched, row[1], *sizes, *row[4:]]), beta=beta)
