"""Systems against shares of many annotators: the scores of the Mu-SHROOM task, and what adds."""

from __future__ import annotations

import functools
import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
from probabilities import SpanProbabilities, probabilities_in
from shares import OfDocuments, Shares, counts_of, iou, scores_of_people, shares, spearman

from spanagree.arrays import Floats, expand_ranges, join_sorted
from spanagree.chance.model import ChanceModel, Given, build_chance_model
from spanagree.choices import HALF, Baseline, Chance, ChanceOf
from spanagree.comparisons.annotation_pairs import AnnotationIndex, compare_pairs
from spanagree.comparisons.inexact import compute_mean
from spanagree.comparisons.measures import find_measure
from spanagree.comparisons.overlaps import check_layers
from spanagree.comparisons.place_shares import (
    PlacementStatistics,
    collect_place_notes,
    compute_place_shares,
)
from spanagree.comparisons.random_layers import NAME as RANDOM
from spanagree.comparisons.random_layers import count_matches, is_drawn, yield_redrawn_layers
from spanagree.comparisons.table import SUMS
from spanagree.comparisons.tally import Tally
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.discontinuous import check_contiguous
from spanagree.corpus.roles import count_seen, infer_seen_by_systems
from spanagree.corpus.segments import Layer
from spanagree.errors import (
    SettingError,
    check_annotator_names,
    escape_name,
    join_names,
    pluralize,
    quote_value,
)
from spanagree.files import PathName
from spanagree.formats.guessed import CorpusLike, as_corpus
from spanagree.references.baselines import BASELINES, with_baselines
from spanagree.results.result import write_coverage_note
from spanagree.results.score import UNDEFINED, Score, build_undefined_score
from spanagree.settings import document_noun

PEOPLE = "people"
Probabilities = Mapping[str, "PathName | Iterable[Mapping[str, Any]]"]

_MATCH = "token"  # the measure that adds over tokens


class SoftSystem(NamedTuple):
    """How one system did against the shares.

    Attributes:
        name: the system.
        documents: how many documents it and a reference saw.
        iou: of what it marks and what more than half marked, the mean over documents.
        rho: Spearman's ρ of its probabilities and the shares, the mean over documents.
        f1: with a reference drawn at random in each document, by shared tokens.
    """

    name: str
    documents: int
    iou: float
    rho: float
    f1: Score

    @classmethod
    def of(cls, name: str, scores: OfDocuments, f1: Score) -> SoftSystem:
        """Return the means of scores of documents, each weighing the same."""
        documents = len(np.unique(scores.document))
        return cls(name, documents, _mean(scores.iou), _mean(scores.rho), f1)


@dataclass(frozen=True, eq=False)
class SoftScores:
    """The result of :func:`soft_scores`.

    Attributes:
        systems: by name: systems, then baselines.
        people: each reference against the shares of the others, the mean over them; no F1.
        by_document: the scores of each system in each document.
        notes: what a reader repaired or passed over.
        places: how segments stand to the rule of places, if chance has one.
        uniform: by name the F1 of systems without that rule, if chance has one.
    """

    systems: Mapping[str, SoftSystem]
    people: SoftSystem
    by_document: Mapping[str, OfDocuments]
    notes: tuple[str, ...]
    places: PlacementStatistics | None = None
    uniform: Mapping[str, Score] | None = None

    def __getitem__(self, system: str) -> SoftSystem:
        """Return a system by its name."""
        return self.systems[system]


def soft_scores(
    corpus: CorpusLike,
    *,
    systems: Sequence[str] | None = None,
    references: Sequence[str] | None = None,
    probabilities: Probabilities | None = None,
    soft_gold: PathName | Iterable[Mapping[str, Any]] | None = None,
    threshold: float = HALF,
    baselines: Sequence[Baseline] = tuple(BASELINES),
    chance: Chance = "nonoverlapping",
    places: Given | None = None,
    chance_of: ChanceOf = "both",
    seed: int = 0,
) -> SoftScores:
    """Return how systems do against the shares of many annotators, beside baselines and people.

    IoU and Spearman's ρ are those of the Mu-SHROOM task, means over documents; labels play no part.
    F1 is the agreement, by shared tokens, with a reference drawn at random in each document; it
    adds, so its chance is exact (Li et al. 2024).

    Args:
        corpus: annotators and systems as layers.
        systems: the names of the systems; all but the references unless given.
        references: the names of the references; all but the systems unless given. Without both, and
            without probabilities, the first layer is the reference; with probabilities, all are
            but those that have some.
        probabilities: by name, what further systems give: a JSON file, or rows, with a document's
            id and spans that have a probability. Of a system that is a layer, they are its
            probabilities, and its segments stay what it marks.
        soft_gold: a JSON file, or rows, whose probabilities are the reference for IoU and ρ, in
            place of the shares of the references.
        threshold: of systems that are not a layer, what has a probability above it is marked.
        baselines: everything, nothing, random and majority, or some of them, as
            :func:`with_baselines` makes them of the references.
        chance: where chance may place segments, nonoverlapping, per-label or overlapping.
        places: where random segments may stand, for the chance of F1; see
            :func:`spanagree.evaluate`.
        chance_of: whose annotations are random, both, or systems with references as they are.
        seed: of random.

    Raises:
        SettingError: for an unknown name, a number out of range, nobody to compare with, or a layer
            that overlaps itself where the chance model does not allow it.
        InputError: for files that cannot be read.

    >>> layers = {"ann": [[(0, 2, "X")]], "bob": [[(0, 3, "X")]], "m": [[(0, 2, "X")]]}
    >>> result = soft_scores(Corpus.from_segments([5], layers), systems=["m"])
    >>> result["m"].iou, round(result["m"].rho, 3), round(result["m"].f1.observed, 3)
    (1.0, 0.913, 0.889)
    """
    corpus = as_corpus(corpus)
    check_contiguous(corpus, "a soft score")
    _check(threshold)
    model, corpus = build_chance_model(chance, places, chance_of).bind_to_ids(corpus)
    given = {name: probabilities_in(rows, corpus) for name, rows in (probabilities or {}).items()}
    names, others = _sides(corpus, systems, references, given)
    _check_layers(corpus, (*names, *others), model)
    corpus = infer_seen_by_systems(corpus, names, others)
    asked = [name for name in baselines if name != "majority" or len(others) > 1]
    if not {*names, *given, *asked}:
        raise SettingError("no system, and no baseline; name systems, probabilities or baselines")
    gold = None if soft_gold is None else probabilities_in(soft_gold, corpus)
    # random stands anywhere
    extended = with_baselines(corpus, asked, references=others, chance=model.name, seed=seed)
    names += dict.fromkeys(asked)
    return _scored(extended, names, others, given, gold, model, threshold)


def _scored(
    corpus: Corpus,
    systems: Sequence[str],
    references: Sequence[str],
    given: Mapping[str, SpanProbabilities],
    gold: SpanProbabilities | None,
    chance: ChanceModel,
    threshold: float,
) -> SoftScores:
    """Return the scores of layers, and of those that have probabilities alone."""
    layers = {name: corpus.layers[name] for name in systems}
    soft = shares(corpus, references) if gold is None else _dense(corpus, gold)
    vectors = {name: _dense(corpus, rows) for name, rows in given.items()}
    alone = {name: vector.hard(threshold) for name, vector in vectors.items() if name not in layers}
    layers = {**alone, **layers}
    by_document = {
        name: _of_documents(corpus, layer, vectors.get(name), soft)
        for name, layer in layers.items()
    }
    labels = corpus.labels or ("span",)
    people_and_systems = {name: corpus.layers[name] for name in references} | layers
    compared = corpus.replace(layers=people_and_systems, labels=labels)
    drawn = None
    if RANDOM in layers and (layers[RANDOM].annotated & soft.seen).any() and is_drawn(compared):
        drawn = _mean_of_random(compared, soft, references)
        by_document[RANDOM] = drawn.scores
    unlabelled = alone if len(corpus.labels) > 1 else ()
    f1_of = functools.partial(_f1_of, compared, [*layers], references, drawn, unlabelled)
    f1, uniform = f1_of(chance), None
    placed = compute_place_shares(compared, compared.annotators, chance)
    if placed is not None and chance.places is not None:
        annotators = {name: x for name, x in placed.annotators.items() if name not in BASELINES}
        placed = replace(placed, annotators=annotators)
        uniform = f1_of(replace(chance, places=None))
    scored = {name: SoftSystem.of(name, x, f1[name]) for name, x in by_document.items()}
    elsewhere = build_undefined_score("spanagree agree has it")
    people = SoftSystem.of(PEOPLE, scores_of_people(corpus, references), elsewhere)
    read = [*given.values(), *([] if gold is None else [gold])]
    whom = "a reference" if gold is None else "soft gold"
    notes = [*corpus.notes, *chain(*(rows.notes for rows in read))]
    for name in systems:
        if name not in BASELINES:
            seen, noun = scored[name].documents, document_noun(corpus.reading)
            notes += write_coverage_note(name, seen, len(corpus), whom, noun)
    notes += [] if drawn is None else [drawn.note]
    notes += collect_place_notes(compared, placed)
    return SoftScores(scored, people, by_document, tuple(notes), placed, uniform)


def _check(threshold: float) -> None:
    """Refuse a threshold below 0 or from 1."""
    is_number = isinstance(threshold, (int, float)) and not isinstance(threshold, bool)
    if not (is_number and 0 <= threshold < 1):
        raise SettingError(
            f"threshold {quote_value(threshold)}; a number from 0, and below 1, is needed"
        )


def _check_layers(corpus: Corpus, names: Sequence[str], chance: ChanceModel) -> None:
    """Refuse layers that overlap themselves where chance, or shared tokens, do not allow it."""
    for name in names:
        try:
            check_layers(corpus, _MATCH, build_chance_model("overlapping"), [name])
        except SettingError as error:
            what, _, _ = str(error).rpartition(";")
            raise SettingError(f"{what}; repair merge-overlaps makes one segment of them") from None
        check_layers(corpus, _MATCH, chance, [name])


def _sides(
    corpus: Corpus,
    systems: Sequence[str] | None,
    references: Sequence[str] | None,
    given: Iterable[str],
) -> tuple[list[str], list[str]]:
    """Return the names of the systems that are layers, and of the references.

    Raises:
        SettingError: for an unknown name, one on both sides or of a baseline, or no reference.
    """
    names = None if systems is None else check_annotator_names(systems, corpus.layers)
    others = None if references is None else check_annotator_names(references, corpus.layers)
    given = list(given)
    if names is None and others is None and given:
        names = [name for name in given if name in corpus.layers]
    elif names is None and others is None:
        others = list(corpus.layers)[:1]
    if names is None:
        names = [name for name in corpus.layers if name not in (others or ())]
    if others is None:
        others = [name for name in corpus.layers if name not in names]
    if both := [name for name in (*names, *given) if name in others]:
        raise SettingError(f"{join_names(both)}: both system and reference; name each on one side")
    if taken := [name for name in given if name in BASELINES]:
        raise SettingError(
            f"probabilities of {join_names(taken)}: a baseline; name the system otherwise"
        )
    if not others:
        raise SettingError("no reference is left; name fewer systems, or references")
    return names, others


def _dense(corpus: Corpus, rows: SpanProbabilities) -> Shares:
    """Return spans with probabilities as a number for each token."""
    values = np.zeros(int(corpus.lengths.sum()))
    first = corpus.starts[rows.document]
    place, which = expand_ranges(first + rows.start, first + rows.end)
    values[place] = rows.probability[which]
    return Shares(values, corpus.lengths, rows.seen)


def _of_documents(corpus: Corpus, layer: Layer, vector: Shares | None, soft: Shares) -> OfDocuments:
    """Return the scores of a system in each document that it and a reference saw."""
    marked = counts_of(corpus, [layer]) > 0
    values = marked.astype(np.float64) if vector is None else vector.values
    seen = layer.annotated & soft.seen
    seen &= True if vector is None else vector.seen
    document, size = soft.document, len(corpus)
    both = iou(marked, soft.values > HALF, document, size)
    rho = spearman(values, soft.values, document, size)
    return OfDocuments(np.flatnonzero(seen), both[seen], rho[seen])


def _mean(values: Floats) -> float:
    """Return the mean, whatever the order of documents."""
    return math.fsum(values.tolist()) / len(values) if len(values) else UNDEFINED


class _Drawn(NamedTuple):
    """The means of a random baseline over its draws.

    Attributes:
        scores: of each document.
        matched: shared tokens with a reference drawn at random, of all documents.
        note: what they are means of, and how certain they are.
    """

    scores: OfDocuments
    matched: float
    note: str


def _mean_of_random(corpus: Corpus, soft: Shares, references: Sequence[str]) -> _Drawn:
    """Return the means of a random baseline, its segments placed anew."""
    people = [corpus.layers[name] for name in references]
    times = count_seen(corpus, references)
    weight = np.divide(1, times, out=np.zeros(len(corpus)), where=times > 0)
    measure, labels = find_measure(_MATCH), max(1, len(corpus.labels))
    scores, matched = [], []
    for layer in yield_redrawn_layers(corpus):
        scores.append(_of_documents(corpus, layer, None, soft))
        here = count_matches(layer, people, measure, len(corpus), labels).sum(axis=1)
        matched.append(math.fsum((here * weight).tolist()))
    ious, rhos = (np.stack([getattr(x, name) for x in scores]) for name in ("iou", "rho"))
    tokens = [np.bincount(x.document, x.end - x.start, len(corpus)) for x in people]
    mine = corpus.layers[RANDOM]
    size = float((np.sum(tokens, axis=0) * weight * mine.annotated).sum())
    size += float((mine.end - mine.start).sum())
    draws = ious.mean(axis=1), rhos.mean(axis=1), 2 * np.array(matched) / (size or 1)
    errors = ", ".join(f"{compute_mean(figures)[1]:.2g}" for figures in draws)
    note = (
        f"{RANDOM}: means of {pluralize(len(scores), 'draw')}, the standard errors of IoU, ρ and F1"
        f" are {errors}; only this side is random, references stay as they are"
    )
    mean = OfDocuments(scores[0].document, ious.mean(axis=0), rhos.mean(axis=0))
    return _Drawn(mean, math.fsum(matched) / len(matched), note)


def _f1_of(
    corpus: Corpus,
    systems: Sequence[str],
    references: Sequence[str],
    drawn: _Drawn | None,
    unlabelled: Collection[str],
    chance: ChanceModel,
) -> dict[str, Score]:
    """Return F1 of each system with a reference drawn at random among those who saw a document.

    Each document stands once for each of its references, and weighs by their number; so what is
    matched, by chance too, is the mean over them, and adds over documents. Of a random baseline it
    is the mean over its draws. Systems without labels have none, where references have several.
    """
    crowd, times = AnnotationIndex.from_corpus(corpus), count_seen(corpus, references)
    number = {name: i for i, name in enumerate(corpus.annotators)}
    of_system = np.isin(crowd.annotator, [number[name] for name in systems])
    of_systems, of_references = np.flatnonzero(of_system), np.flatnonzero(~of_system)
    system, reference = join_sorted(crowd.document[of_systems], crowd.document[of_references])
    pairs = of_references[reference], of_systems[system]
    rows = compare_pairs(corpus, crowd, pairs, _MATCH, chance)
    scores = {}
    for name in systems:
        part = rows.where(rows.second == number[name])
        weight = 1 / times[part.document]
        values = [math.fsum((getattr(part, column) * weight).tolist()) for column in SUMS]
        if drawn is not None and name == RANDOM:
            values[SUMS.index("matched")] = drawn.matched
        shared = (corpus.layers[name].annotated & (times > 0)).any()
        tally = Tally.of(values)  # sizes are means
        scores[name] = (
            tally.f1
            if shared
            else build_undefined_score(f"{escape_name(name)}: no document shared")
        )
        if name in unlabelled:
            scores[name] = build_undefined_score("probabilities have no labels, the references do")
    return scores
