"""The best match: in each document the reference that is nearest, and what chance makes of that.

A maximum does not add, so its chance is drawn: all annotations are placed anew, references too, and
the whole score is taken of them. People choose among the R − 1 other references of a document; so a
system does as well, as a mean over which one of the R is left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

import numpy as np

from spanagree.arrays import Bools, Floats, Ints, Progress, ranges, ranks, step_of
from spanagree.chance.model import whose
from spanagree.chance.random_annotations import redraw
from spanagree.comparisons.annotation_pairs import AnnotationIndex
from spanagree.comparisons.at_places import at_places
from spanagree.comparisons.measures import Match, find_match
from spanagree.comparisons.observed import similar, similar_within
from spanagree.comparisons.table import ALL, Comparisons
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.segments import Layer
from spanagree.errors import check_whole
from spanagree.results.score import UNDEFINED

_DRAWN = 1 << 20  # segments that are drawn at places at a time


def check_draws(draws: int) -> None:
    """Refuse what is not a number of draws.

    Raises:
        SettingError: naming the value.
    """
    check_whole(draws, 2, "draws")


def best_matches(
    corpus: Corpus,
    references: int,
    match: str,
    chance: str,
    draws: int,
    seed: int,
    progress: Progress = None,
) -> tuple[Comparisons, float]:
    """Return the best match of each annotation and its mean in draws, and the mean's error.

    Args:
        corpus: so many references, and then systems, as layers.
        references: how many.
        match: the measure.
        chance: the chance model; of systems only, whoever is compared is random, and those that she
            is compared with are as they are.
        draws: how many random annotations of all.
        seed: of the draws.
        progress: called with the number of draws done, and of all.

    Returns:
        What can be summed as tallies are: of an annotation half its best F1, half the mean by
        chance, and 1; and the greatest standard error of chance of a system or of the ceiling, NaN
        where nobody has a choice, and nothing is drawn.
    """
    corpus, order, places = _in_canonical_order(corpus)
    crowd = AnnotationIndex.of(corpus)
    best = _Best(corpus, crowd, find_match(match), places[crowd.annotator] < references)
    layer = best.layer
    draws = draws if best.chooses.any() else 0
    report_progress = step_of(progress, "drawing the chance of the best match") or (lambda *_: None)
    total = np.zeros(len(crowd.document))
    # the means of systems, and of all references together as that of the number behind
    of_whom = np.where(best.reference, len(places), crowd.annotator)
    weight = np.where(best.reference, 1 / np.maximum(best.among, 1), 1.0) * best.chooses
    count = np.maximum(np.bincount(of_whom, weight, len(places) + 1), 1)
    means = np.zeros((draws, len(places) + 1))
    fixed = layer if whose(chance) == "systems" else None
    for done, random in enumerate(_random(corpus, crowd, layer, chance, draws, seed)):
        report_progress(done, draws)
        drawn = best.scores(random, fixed)
        total += drawn
        means[done] = np.bincount(of_whom, drawn * weight, len(places) + 1) / count
    report_progress(draws, draws)
    error = UNDEFINED
    if draws:
        error = float((means.std(axis=0, ddof=1) / np.sqrt(draws)).max())
    chooses = best.chooses.astype(np.int64)
    rows = Comparisons.of(
        order[crowd.document],
        np.full(len(chooses), ALL),
        best.scores(layer) / 2,
        total / max(draws, 1) / 2,
        (chooses, np.zeros_like(chooses)),
    )
    return rows.between(places[crowd.annotator], ALL), error


def _random(
    corpus: Corpus, crowd: AnnotationIndex, layer: Layer, chance: str, draws: int, seed: int
) -> Iterator[Layer]:
    """Yield random annotations of all, of which ``layer`` has those that were made."""
    rng = np.random.default_rng(seed)
    at = at_places(corpus, corpus.annotators, chance)
    if at is None:
        lengths, labels = corpus.lengths[crowd.document], max(1, len(corpus.labels))
        name = str.__str__(chance)
        for _ in range(draws):
            yield redraw(layer, lengths, labels, rng, name)
        return
    classes, rows = np.concatenate(at[1])[crowd.order], len(layer.annotated)
    step = max(1, _DRAWN // max(1, len(layer)))
    for first in range(0, draws, step):
        copies = min(step, draws - first)
        drawn = at[0].redraw(layer, classes, copies, rng)
        for copy in range(copies):
            here = slice(copy * len(layer), (copy + 1) * len(layer))
            document = drawn.document[here] - copy * rows
            start, end, label = drawn.start[here], drawn.end[here], drawn.label[here]
            yield Layer(document, start, end, label, layer.annotated)


def _in_canonical_order(corpus: Corpus) -> tuple[Corpus, Ints, Ints]:
    """Return the same with documents and layers in an order of their own, and where these stood.

    Documents are sorted by length, then by who saw them and what each marked.
    """
    names = sorted(corpus.annotators)
    numbers = {name: number for number, name in enumerate(corpus.annotators)}
    named = corpus.of_annotators(names)
    crowd = AnnotationIndex.of(named)
    start, end, label = crowd.segments(named)
    segments = np.stack((start + 1, end, ranks(corpus.labels)[label]), axis=1).tolist()
    content = [[length] for length in named.lengths.tolist()]
    annotations = (crowd.document, crowd.annotator, crowd.begin, crowd.end)
    for d, number, begin, last in zip(*(column.tolist() for column in annotations), strict=True):
        content[d] += [number, *chain(*segments[begin:last]), 0]  # 0 is no start
    order = sorted(range(len(named)), key=content.__getitem__)
    places = np.array([numbers[name] for name in names], np.int64)
    return named.subset(order), np.array(order, np.int64), places


class _Best:
    """The best match of each annotation of a crowd, also where its segments stand elsewhere."""

    def __init__(
        self, corpus: Corpus, crowd: AnnotationIndex, measure: Match, reference: Bools
    ) -> None:
        """Number the pairs of annotations of a document, and lay out who chooses among whom."""
        self.measure, self.document = measure, crowd.document
        self.labels = max(1, len(corpus.labels)) if measure.of_label else 1
        start, end, label = crowd.segments(corpus)
        row = np.repeat(np.arange(len(crowd.document)), crowd.end - crowd.begin)
        seen = np.ones(len(crowd.document), np.bool_)
        self.layer = Layer(row, start, end, label, seen)  # every annotation is a document of it
        self.begin, self.end = crowd.begin, crowd.end
        first, second = crowd.pairs()
        self.pairs = len(first)
        last = np.searchsorted(crowd.document, crowd.document, side="right")
        later = last - np.arange(len(last)) - 1
        self.before = np.cumsum(later) - last  # added to the second of a pair: its number
        # an edge from each annotation to each reference of its document
        self.edge = np.concatenate([np.flatnonzero(reference[y]) for y in (second, first)])
        turned = np.arange(len(self.edge)) >= int(reference[second].sum())
        self.whose = np.where(turned, second[self.edge], first[self.edge])
        there = np.bincount(crowd.document, reference, len(corpus))[crowd.document].astype(np.int64)
        self.others, self.among, self.reference = there - 1, there, reference
        self.chooses = self.others > 0
        order = np.argsort(self.whose, kind="stable")  # by annotation, of those who choose
        order = order[self.chooses[self.whose[order]]]
        self.edge, self.whose = self.edge[order], self.whose[order]
        self.chosen = first[self.edge] + second[self.edge] - self.whose
        self.first = np.searchsorted(self.whose, np.flatnonzero(self.chooses))

    def scores(self, layer: Layer, references: Layer | None = None) -> Floats:
        """Return the best F1 of each annotation, 0 where there is none to choose from.

        It is compared with those of ``references``, if they stand elsewhere than in ``layer``.
        """
        best = np.zeros(len(self.among))
        if not len(self.edge):
            return best
        fixed = layer if references is None else references
        size = self._size(layer)[self.whose] + self._size(fixed)[self.chosen]
        matched = (
            self._matched(layer)[self.edge]
            if references is None and self.measure.kernel != "near"  # pairs need not overlap
            else self._matched_with(layer, fixed)
        )
        f1 = np.where(size > 0, 2 * matched / np.maximum(size, 1), 1.0)
        best[self.chooses] = np.maximum.reduceat(f1, self.first)
        # who is none of the R chooses among all but one of them, so the second best counts too
        of_others = ~self.reference[self.whose]
        annotation, f1 = self.whose[of_others], f1[of_others]
        ordered = f1[np.lexsort((f1, annotation))]
        last = np.flatnonzero(np.diff(annotation, append=-1))
        rows = annotation[last]
        best[rows] -= (best[rows] - ordered[last - 1]) / self.among[rows]
        return best

    def _matched(self, layer: Layer) -> Floats:
        """Return what the two of each pair of annotations have in common."""
        cell = self._cells(layer, self.document[layer.document])
        i, j, value = similar_within(layer, cell, self.measure)
        pair = self.before[layer.document[i]] + layer.document[j]
        matched: Floats = np.bincount(pair, value, self.pairs).astype(np.float64)
        return matched

    def _matched_with(self, layer: Layer, references: Layer) -> Floats:
        """Return what each annotation has in common with each that it chooses from."""
        a, b = self._by_edge(layer, self.whose), self._by_edge(references, self.chosen)
        cells = self._cells(a, a.document), self._cells(b, b.document)
        i, _, value = similar(a, b, *cells, self.measure)
        return np.bincount(a.document[i], value, len(self.edge)).astype(np.float64)

    def _by_edge(self, layer: Layer, rows: Ints) -> Layer:
        """Return the segments of some annotations, each of them a document."""
        segment, edge = ranges(self.begin[rows], self.end[rows])
        start, end, label = layer.start[segment], layer.end[segment], layer.label[segment]
        return Layer(edge, start, end, label, np.ones(len(rows), np.bool_))

    def _cells(self, layer: Layer, document: Ints) -> Ints:
        """Return in which documents segments are, and of which labels if these count."""
        cell = document * self.labels
        return cell + layer.label if self.labels > 1 else cell

    def _size(self, layer: Layer) -> Floats:
        """Return the size of each annotation."""
        length = layer.end - layer.start if self.measure.in_tokens else None
        return np.bincount(layer.document, length, len(self.begin)).astype(np.float64)
