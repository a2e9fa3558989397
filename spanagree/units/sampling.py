"""Random annotations for the expected disorder of γ, drawn by number: the same in any order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Floats, Ints, Progress, distinct
from spanagree.chance.model import ChanceModel
from spanagree.chance.random_annotations import redraw
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.roles import times_seen
from spanagree.corpus.segments import Layer
from spanagree.errors import SettingError, check_choice, check_whole, show
from spanagree.units.alignment import Alignment, aligned, aligned_pairs, reachable
from spanagree.units.control import gains
from spanagree.units.dissimilarity import Dissimilarity, Pairs, Units, near_pairs, units_of
from spanagree.units.time_limit import NO_DEADLINE, Deadline

SAMPLERS = {
    "chance": "every unit placed anew by the chance model: each annotator keeps hers",
    "pygamma": "as pygamma-agreement: numbers, gaps and lengths from normal distributions",
    "shuffle": "as Mathet et al. (2015): an annotator drawn for each, her units shifted around",
}
"""Where random annotations come from, by name."""

_TOGETHER = 1500  # units that are aligned together, as far as documents are that small
_DENSE = 2  # pairs that are near, as many as count as another unit where documents are parted
_SHORTEST = 1e-6  # units of length 0 are drawn again


@dataclass(frozen=True)
class Sampling:
    """Where random annotations come from, and when there are enough.

    Attributes:
        sampler: one of :data:`SAMPLERS`.
        chance: the chance model of the sampler chance.
        precision: the standard error of γ at which sampling ends.
        seed: for all that is drawn.

    Raises:
        SettingError: for an unknown sampler, a precision that is not positive, or a bad seed.
    """

    sampler: str
    chance: ChanceModel
    precision: float
    seed: int

    def __post_init__(self) -> None:
        check_choice(self.sampler, SAMPLERS, "sampler")
        check_whole(self.seed, 0, "seed")
        p = self.precision
        if not isinstance(p, (Real, np.floating)) or isinstance(p, bool) or not p > 0:
            raise SettingError(f"precision {show(p)}; a number above 0 is needed")


class Continuum(NamedTuple):
    """What is sampled from: documents, each with annotators who saw it, in canonical order.

    Attributes:
        corpus: the annotations.
        units: the same as units.
        annotators: of each document, how many saw it.
        labels: how many labels there are.
    """

    corpus: Corpus
    units: Units
    annotators: Ints
    labels: int

    @classmethod
    def of(cls, corpus: Corpus) -> Continuum:
        """Return what there is in a corpus."""
        seen = times_seen(corpus)
        return cls(corpus, units_of(corpus), seen, len(corpus.labels))


class Drawn(NamedTuple):
    """What alignments of some random annotations, or of those observed, add up to.

    Attributes:
        cost: the disorder of each, weighted by the mean number of units; (draws, documents).
        gain: the control variate; (draws, documents).
        categories: how unlike aligned categories are, and their weights; (draws, documents,
            all and each label, 2).
        gap: by how much cost may be above the least; (draws, documents).
    """

    cost: Floats
    gain: Floats
    categories: Floats
    gap: Floats


def align_annotations(
    annotations: Sequence[Units],
    continuum: Continuum,
    dissimilarity: Dissimilarity,
    deadline: Deadline = NO_DEADLINE,
    progress: Progress = None,
) -> tuple[Ints, Drawn]:
    """Return the best alignments of annotations of the same documents, and what they add up to.

    The first are the unitary alignments of all units, annotation after annotation. Documents are
    aligned in parts; ``progress`` is called with the number of parts done, and of all.
    """
    count, documents = len(annotations), len(continuum.annotators)
    shift = np.repeat(np.arange(count), [len(units.start) for units in annotations]) * documents
    columns = Units(*(np.concatenate(column) for column in zip(*annotations, strict=True)))
    units = columns._replace(document=columns.document + shift)
    annotators = np.tile(continuum.annotators, count)
    pairs = near_pairs(units, reachable(annotators, dissimilarity), dissimilarity)
    alignment = _in_parts(units, pairs, annotators, dissimilarity, deadline, progress)
    gain = gains(units, pairs, annotators, dissimilarity)
    # an alignment's disorder is divided by the mean number of its own units
    aligned_units = np.bincount(units.document, minlength=len(annotators))
    there = np.tile(np.bincount(continuum.units.document, minlength=documents), count)
    share = np.where(aligned_units > 0, there / np.maximum(aligned_units, 1), 0.0)
    kinds = 1 + continuum.labels
    categories = category_sums(units, alignment.group, len(annotators), kinds, dissimilarity)
    return alignment.group, Drawn(
        (alignment.cost * share).reshape(count, documents),
        gain.reshape(count, documents),
        categories.reshape(count, documents, kinds, 2),
        (alignment.gap * share).reshape(count, documents),
    )


def _in_parts(
    units: Units,
    pairs: Pairs,
    annotators: Ints,
    dissimilarity: Dissimilarity,
    deadline: Deadline,
    progress: Progress,
) -> Alignment:
    """Return the best alignment of documents, some of them at a time."""
    units_here = np.bincount(units.document, minlength=len(annotators))
    pairs_here = np.bincount(units.document[pairs.u], minlength=len(annotators))
    dense = np.where(annotators > 2, pairs_here, 0) // _DENSE + units_here
    part = (np.cumsum(dense) - 1).clip(0) // _TOGETHER
    begin = np.flatnonzero(np.diff(part, prepend=-1))
    if not len(begin):
        return Alignment(np.zeros(0, np.int64), *np.zeros((2, len(annotators))))
    alignments: list[Alignment] = []
    done = 0
    ends = [*begin[1:], len(annotators)]
    for number, (low, high) in enumerate(zip(begin, ends, strict=True), 1):
        first, last = np.searchsorted(units.document, [low, high])
        rows = units.rows(np.arange(first, last))
        rows = rows._replace(document=rows.document - low)
        near = pairs.rows(np.arange(*np.searchsorted(pairs.u, [first, last])))
        near = near._replace(u=near.u - first, v=near.v - first)
        alignment = aligned(rows, near, annotators[low:high], dissimilarity, deadline)
        alignments.append(alignment._replace(group=alignment.group + done))
        done += int(alignment.group.max(initial=-1)) + 1
        if progress is not None:
            progress(number, len(begin))
    return Alignment(*map(np.concatenate, zip(*alignments, strict=True)))


def category_sums(
    units: Units, group: Ints, documents: int, kinds: int, dissimilarity: Dissimilarity
) -> Floats:
    """Return how unlike aligned categories are, and their weights; (documents, kinds, 2).

    A pair of a unitary alignment of m units weighs max(0, 1 − α · how far apart its units are)
    over m − 1 (Mathet 2017). It counts for the first kind, all, and for each label that one of its
    units has.
    """
    u, v = aligned_pairs(group)
    weight = np.maximum(1 - dissimilarity.alpha * dissimilarity.positional(units, u, v), 0)
    weight = weight / np.maximum(np.bincount(group)[group[u]] - 1, 1)
    unlike = dissimilarity.between(units.label[u], units.label[v]) * dissimilarity.delta_empty
    document = units.document[u] * kinds
    first, second = units.label[u] + 1, units.label[v] + 1
    both = np.where(first == second, 0.0, weight)
    cell = np.concatenate((document, document + first, document + second))
    sums = [
        np.bincount(cell, np.concatenate((w, w, both * part)), documents * kinds)
        for part, w in ((unlike, weight * unlike), (1.0, weight))
    ]
    table: Floats = np.stack(sums, axis=1).astype(np.float64)
    return table.reshape(documents, kinds, 2)


def draw(
    continuum: Continuum,
    dissimilarity: Dissimilarity,
    sampling: Sampling,
    numbers: Sequence[int],
    deadline: Deadline = NO_DEADLINE,
) -> Drawn:
    """Return what random annotations add up to; each has its own seed, made of its number."""
    parts: list[Drawn] = []
    waiting: list[Units] = []
    for number in numbers:
        rng = np.random.default_rng([sampling.seed, number])
        waiting.append(_RANDOM[sampling.sampler](continuum, sampling.chance.name, rng))
        if sum(len(units.start) for units in waiting) >= _TOGETHER or number == numbers[-1]:
            parts.append(align_annotations(waiting, continuum, dissimilarity, deadline)[1])
            waiting = []
    return joined(parts)


def joined(parts: Sequence[Drawn]) -> Drawn:
    """Return the draws of all parts, in their order."""
    return Drawn(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _placed(continuum: Continuum, chance: str, rng: np.random.Generator) -> Units:
    """Draw a place for every unit; annotations of a document are documents of their own here."""
    units = continuum.units
    (document, annotator), which, _ = distinct(units.document, units.annotator)
    start, end = (column.astype(np.int64) for column in (units.start, units.end))
    everyone = np.ones(len(document), np.bool_)
    layer = Layer(which, start, end, units.label, everyone)
    lengths = continuum.corpus.lengths[document]
    drawn = redraw(layer, lengths, max(1, continuum.labels), rng, chance)
    place = document[drawn.document], annotator[drawn.document]
    return Units(
        *place, drawn.start.astype(np.float64), drawn.end.astype(np.float64), drawn.label
    ).sorted()


def _documents(continuum: Continuum) -> list[tuple[int, Ints, Units]]:
    """Return each document that has a unit: number, annotators who saw it, units."""
    units, layers = continuum.units, continuum.corpus.layers.values()
    seen = np.stack([layer.annotated for layer in layers])
    bounds = np.searchsorted(units.document, np.arange(len(continuum.annotators) + 1))
    return [
        (d, np.flatnonzero(seen[:, d]), units.rows(np.arange(bounds[d], bounds[d + 1])))
        for d in np.unique(units.document).tolist()
    ]


def _normal(continuum: Continuum, _: str, rng: np.random.Generator) -> Units:
    """Draw numbers of units, gaps and lengths from normal distributions, labels by their shares."""
    parts = []
    for document, annotators, units in _documents(continuum):
        counts = np.array([(units.annotator == a).sum() for a in annotators])
        same = np.diff(units.annotator) == 0
        first = np.concatenate(([True], ~same))
        gaps = np.concatenate(
            (
                [0.0],
                (units.start[1:] - units.end[:-1])[same],
                units.start[first][units.start[first] > 0],
            )
        )
        length = units.end - units.start
        for annotator in annotators.tolist():
            number = abs(int(rng.normal(counts.mean(), counts.std())))
            if annotator == annotators[0]:  # so that no document is without a unit
                number = max(1, number)
            sizes = np.abs(rng.normal(length.mean(), length.std(), number)).clip(_SHORTEST)
            end = np.cumsum(rng.normal(gaps.mean(), gaps.std(), number) + sizes)
            label = units.label[rng.integers(len(length), size=number)]
            place = np.full(number, document), np.full(number, annotator)
            parts.append(Units(*place, end - sizes, end, label))
    return _united(parts)


def _shifted(continuum: Continuum, _: str, rng: np.random.Generator) -> Units:
    """Draw an annotator for each, and shift her units around the document.

    Shifts differ by half the mean length at least, as long as there is room.
    """
    parts = []
    for document, annotators, units in _documents(continuum):
        low, high = min(0.0, float(units.start.min())), float(units.end.max())
        apart = float((units.end - units.start).mean()) / 2
        while True:
            free = [(low, high)]
            drawn = []
            for annotator in annotators.tolist():
                sizes = np.array([end - start for start, end in free])
                begin, end = free[int(rng.choice(len(free), p=sizes / sizes.sum()))]
                shift = float(int(rng.uniform(begin, end)))
                left = [
                    part
                    for start, stop in free
                    for part in (
                        (start, min(stop, shift - apart)),
                        (max(start, shift + apart), stop),
                    )
                    if part[1] > part[0]
                ]
                free = left or [(low, high)]
                copied = units.rows(units.annotator == rng.choice(annotators))
                start = copied.start + shift
                back = np.where(start > high, low - high, 0.0)
                place = np.full(len(start), document), np.full(len(start), annotator)
                drawn.append(Units(*place, start + back, copied.end + shift + back, copied.label))
            if any(len(part.start) for part in drawn):
                break
        parts += drawn
    return _united(parts)


def _united(parts: Sequence[Units]) -> Units:
    return Units(*(np.concatenate(column) for column in zip(*parts, strict=True))).sorted()


_RANDOM = {"chance": _placed, "pygamma": _normal, "shuffle": _shifted}
"""What draws a random annotation, by the name of the sampler."""
