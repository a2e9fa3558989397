"""Random annotations for the expected disorder of γ, and the sums of their best alignments.

Each draw has an index and its own seed, so draws are the same in any order. The *cost* of a draw in
a document is Σ δ over the unitary alignments, divided by the mean number of units of the draw and
multiplied by that of the observed units. γ_cat sums, over aligned pairs in a unitary alignment of m
units (Mathet 2017),

    w · Δ_∅ c,   w = max(0, 1 − α · ((|s₁ − s₂| + |e₁ − e₂|)/(l₁ + l₂))²) / (m − 1).

The symbols are those of :mod:`spanagree.units.alignment` and :mod:`spanagree.units.dissimilarity`.
Sums are shaped (draws, documents).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Real
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Floats, Ints, Progress, unique_rows
from spanagree.chance.model import ChanceModel
from spanagree.chance.random_annotations import draw_random_layer
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.roles import count_seen
from spanagree.corpus.segments import Layer
from spanagree.errors import SettingError, check_choice, check_integer, quote_value
from spanagree.units.alignment import UnitAlignment, align_units, bound_disorder, find_aligned_pairs
from spanagree.units.control import sum_gains
from spanagree.units.dissimilarity import (
    Dissimilarity,
    UnitPairs,
    Units,
    collect_units,
    find_near_pairs,
)
from spanagree.units.time_limit import NO_DEADLINE, Deadline

SAMPLERS = {
    "chance": "every unit placed anew by the chance model: each annotator keeps their units",
    "pygamma": "as pygamma-agreement: numbers, gaps and lengths from normal distributions",
    "shuffle": "as Mathet et al. (2015): an annotator drawn for each, their units shifted around",
}
"""Sources of random annotations, by name."""

_TOGETHER = 1500  # number of units to align in one batch, unless a document has more
_DENSE = 2  # number of near pairs that cost as much as a unit
_SHORTEST = 1e-6  # smallest length of a drawn unit


@dataclass(frozen=True)
class Sampling:
    """Source of random annotations, and the precision at which sampling ends.

    Attributes:
        sampler: name of the source, a key of :data:`SAMPLERS`.
        chance: chance model of the sampler chance.
        precision: standard error of γ at which sampling ends.
        seed: random seed.

    Raises:
        SettingError: if the sampler is unknown, the precision is not positive, or the seed is not
            an integer from 0.
    """

    sampler: str
    chance: ChanceModel
    precision: float
    seed: int

    def __post_init__(self) -> None:
        check_choice(self.sampler, SAMPLERS, "sampler")
        check_integer(self.seed, 0, "seed")
        p = self.precision
        if not isinstance(p, (Real, np.floating)) or isinstance(p, bool) or not p > 0:
            raise SettingError(f"precision {quote_value(p)}; a number above 0 is needed")


class Continuum(NamedTuple):
    """Documents and their units, in canonical order.

    Attributes:
        corpus: annotations.
        units: units of all annotators.
        annotators: number of annotators who saw each document.
        labels: number of labels.
    """

    corpus: Corpus
    units: Units
    annotators: Ints
    labels: int

    @classmethod
    def from_corpus(cls, corpus: Corpus) -> Continuum:
        """Build the continuum of a corpus."""
        n_seen = count_seen(corpus)
        return cls(corpus, collect_units(corpus), n_seen, len(corpus.labels))


class AlignmentSums(NamedTuple):
    """Sums over the alignments of random annotations, or of the observed ones.

    Attributes:
        cost: disorder, weighted by the mean number of units; (draws, documents).
        gain: control variate; (draws, documents).
        categories: weighted dissimilarity of aligned categories, and weight; (draws, documents,
            1 + labels, 2), all labels first.
        gap: largest possible excess of the cost over that of the best alignment; (draws,
            documents).
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
) -> tuple[Ints, AlignmentSums]:
    """Align the units of several annotations of the same documents, and sum the alignments.

    Args:
        annotations: units of each annotation.
        continuum: documents.
        dissimilarity: dissimilarity of two units.
        deadline: end of the time.
        progress: callback that receives the number of finished parts and of all parts.

    Returns:
        Unitary alignment of each unit, annotation after annotation; and the sums.
    """
    n_annotations, n_documents = len(annotations), len(continuum.annotators)
    document_shift = (
        np.repeat(np.arange(n_annotations), [len(units.start) for units in annotations])
        * n_documents
    )
    units_of_all = Units(*(np.concatenate(column) for column in zip(*annotations, strict=True)))
    units = units_of_all._replace(document=units_of_all.document + document_shift)
    annotators = np.tile(continuum.annotators, n_annotations)
    pairs = find_near_pairs(units, bound_disorder(annotators, dissimilarity), dissimilarity)
    alignment = _align_in_parts(units, pairs, annotators, dissimilarity, deadline, progress)
    gain = sum_gains(units, pairs, annotators, dissimilarity)
    # disorder is divided by the number of aligned units, and weighted by that of observed units
    aligned_units = np.bincount(units.document, minlength=len(annotators))
    observed_units = np.tile(
        np.bincount(continuum.units.document, minlength=n_documents), n_annotations
    )
    observed_per_aligned = np.where(
        aligned_units > 0, observed_units / np.maximum(aligned_units, 1), 0.0
    )
    n_categories = 1 + continuum.labels
    categories = sum_categories(
        units, alignment.group, len(annotators), n_categories, dissimilarity
    )
    return alignment.group, AlignmentSums(
        (alignment.cost * observed_per_aligned).reshape(n_annotations, n_documents),
        gain.reshape(n_annotations, n_documents),
        categories.reshape(n_annotations, n_documents, n_categories, 2),
        (alignment.gap * observed_per_aligned).reshape(n_annotations, n_documents),
    )


def _align_in_parts(
    units: Units,
    pairs: UnitPairs,
    annotators: Ints,
    dissimilarity: Dissimilarity,
    deadline: Deadline,
    progress: Progress,
) -> UnitAlignment:
    """Align documents in parts with a limited number of units and pairs."""
    units_by_document = np.bincount(units.document, minlength=len(annotators))
    pairs_by_document = np.bincount(units.document[pairs.u], minlength=len(annotators))
    document_size = np.where(annotators > 2, pairs_by_document, 0) // _DENSE + units_by_document
    part_index = (np.cumsum(document_size) - 1).clip(0) // _TOGETHER
    first_document = np.flatnonzero(np.diff(part_index, prepend=-1))
    if not len(first_document):
        return UnitAlignment(np.zeros(0, np.int64), *np.zeros((2, len(annotators))))
    alignments: list[UnitAlignment] = []
    n_groups = 0
    ends = [*first_document[1:], len(annotators)]
    for part_number, (start, stop) in enumerate(zip(first_document, ends, strict=True), 1):
        first_unit, unit_stop = np.searchsorted(units.document, [start, stop])
        part_units = units.select_rows(np.arange(first_unit, unit_stop))
        part_units = part_units._replace(document=part_units.document - start)
        part_pairs = pairs.select_rows(
            np.arange(*np.searchsorted(pairs.u, [first_unit, unit_stop]))
        )
        part_pairs = part_pairs._replace(u=part_pairs.u - first_unit, v=part_pairs.v - first_unit)
        alignment = align_units(
            part_units, part_pairs, annotators[start:stop], dissimilarity, deadline
        )
        alignments.append(alignment._replace(group=alignment.group + n_groups))
        n_groups += int(alignment.group.max(initial=-1)) + 1
        if progress is not None:
            progress(part_number, len(first_document))
    return UnitAlignment(*map(np.concatenate, zip(*alignments, strict=True)))


def sum_categories(
    units: Units, group: Ints, n_documents: int, n_categories: int, dissimilarity: Dissimilarity
) -> Floats:
    """Sum the categorical dissimilarities of aligned pairs of units, with the weights of γ_cat.

    The weight w of a pair of units decreases with the distance between both units. Each pair is
    added to the sum over all categories, and to the sum of the category of each of its two units.

    Args:
        units: units of all documents.
        group: unitary alignment of each unit.
        n_documents: number of documents.
        n_categories: number of sums of a document: one for all categories, one for each category.
        dissimilarity: dissimilarity of two units.

    Returns:
        Sums of w · Δ_∅ c and of w; (documents, categories, 2).
    """
    u, v = find_aligned_pairs(group)
    weight = np.maximum(1 - dissimilarity.alpha * dissimilarity.compute_positional(units, u, v), 0)
    weight = weight / np.maximum(np.bincount(group)[group[u]] - 1, 1)
    distance = (
        dissimilarity.compute_categorical(units.label[u], units.label[v])
        * dissimilarity.delta_empty
    )
    first_cell = units.document[u] * n_categories
    category_u, category_v = units.label[u] + 1, units.label[v] + 1
    label_weight = np.where(category_u == category_v, 0.0, weight)
    cell = np.concatenate((first_cell, first_cell + category_u, first_cell + category_v))
    sums = [
        np.bincount(
            cell,
            np.concatenate((pair_weight, pair_weight, label_weight * factor)),
            n_documents * n_categories,
        )
        for factor, pair_weight in ((distance, weight * distance), (1.0, weight))
    ]
    table: Floats = np.stack(sums, axis=1).astype(np.float64)
    return table.reshape(n_documents, n_categories, 2)


def sum_draws(
    continuum: Continuum,
    dissimilarity: Dissimilarity,
    sampling: Sampling,
    draw_indices: Sequence[int],
    deadline: Deadline = NO_DEADLINE,
) -> AlignmentSums:
    """Draw random annotations, align their units, and sum the alignments of each draw."""
    batches: list[AlignmentSums] = []
    units_to_align: list[Units] = []
    for draw_index in draw_indices:
        rng = np.random.default_rng([sampling.seed, draw_index])
        units_to_align.append(_RANDOM[sampling.sampler](continuum, sampling.chance.name, rng))
        if (
            sum(len(units.start) for units in units_to_align) >= _TOGETHER
            or draw_index == draw_indices[-1]
        ):
            batches.append(align_annotations(units_to_align, continuum, dissimilarity, deadline)[1])
            units_to_align = []
    return concatenate_draws(batches)


def concatenate_draws(batches: Sequence[AlignmentSums]) -> AlignmentSums:
    """Concatenate batches of draws in their order."""
    return AlignmentSums(*(np.concatenate(column) for column in zip(*batches, strict=True)))


def _draw_by_chance(continuum: Continuum, chance: str, rng: np.random.Generator) -> Units:
    """Draw a position for every unit by the chance model; annotators are independent."""
    units = continuum.units
    (document, annotator), cell_index, _ = unique_rows(units.document, units.annotator)
    start, end = (column.astype(np.int64) for column in (units.start, units.end))
    everyone = np.ones(len(document), np.bool_)
    layer = Layer(cell_index, start, end, units.label, everyone)
    lengths = continuum.corpus.lengths[document]
    random_layer = draw_random_layer(layer, lengths, max(1, continuum.labels), rng, chance)
    document_and_annotator = document[random_layer.document], annotator[random_layer.document]
    return Units(
        *document_and_annotator,
        random_layer.start.astype(np.float64),
        random_layer.end.astype(np.float64),
        random_layer.label,
    ).sort()


def _list_documents(continuum: Continuum) -> list[tuple[int, Ints, Units]]:
    """List each document with a unit: its index, the annotators who saw it, and its units."""
    units, layers = continuum.units, continuum.corpus.layers.values()
    is_seen = np.stack([layer.annotated for layer in layers])
    first_row = np.searchsorted(units.document, np.arange(len(continuum.annotators) + 1))
    return [
        (
            document_index,
            np.flatnonzero(is_seen[:, document_index]),
            units.select_rows(np.arange(first_row[document_index], first_row[document_index + 1])),
        )
        for document_index in np.unique(units.document).tolist()
    ]


def _draw_as_pygamma(continuum: Continuum, _: str, rng: np.random.Generator) -> Units:
    """Draw annotations as pygamma-agreement does.

    Numbers, gaps and lengths of units have normal distributions, and labels their frequencies.
    """
    drawn_units = []
    for document, annotators, units in _list_documents(continuum):
        counts = np.array([(units.annotator == a).sum() for a in annotators])
        is_same_annotator = np.diff(units.annotator) == 0
        is_first = np.concatenate(([True], ~is_same_annotator))
        gaps = np.concatenate(
            (
                [0.0],
                (units.start[1:] - units.end[:-1])[is_same_annotator],
                units.start[is_first][units.start[is_first] > 0],
            )
        )
        length = units.end - units.start
        for annotator in annotators.tolist():
            n_units = abs(int(rng.normal(counts.mean(), counts.std())))
            if annotator == annotators[0]:  # every document gets a unit
                n_units = max(1, n_units)
            sizes = np.abs(rng.normal(length.mean(), length.std(), n_units)).clip(_SHORTEST)
            end = np.cumsum(rng.normal(gaps.mean(), gaps.std(), n_units) + sizes)
            label = units.label[rng.integers(len(length), size=n_units)]
            document_and_annotator = np.full(n_units, document), np.full(n_units, annotator)
            drawn_units.append(Units(*document_and_annotator, end - sizes, end, label))
    return _concatenate_units(drawn_units)


def _draw_shuffled(continuum: Continuum, _: str, rng: np.random.Generator) -> Units:
    """Draw a continuum in which each annotator has shifted units of a random annotator.

    One random shift is added to all units of an annotator. Units that are shifted beyond the end of
    the document continue at its beginning. The shifts of any two annotators differ by at least half
    the mean length of units, if the document is long enough.
    """
    drawn_units = []
    for document, annotators, units in _list_documents(continuum):
        first_position, last_position = min(0.0, float(units.start.min())), float(units.end.max())
        least_distance = float((units.end - units.start).mean()) / 2
        while True:
            free_ranges = [(first_position, last_position)]
            document_units = []
            for annotator in annotators.tolist():
                sizes = np.array([range_end - start for start, range_end in free_ranges])
                range_start, range_end = free_ranges[
                    int(rng.choice(len(free_ranges), p=sizes / sizes.sum()))
                ]
                shift = float(int(rng.uniform(range_start, range_end)))
                remaining_ranges = [
                    candidate
                    for start, stop in free_ranges
                    for candidate in (
                        (start, min(stop, shift - least_distance)),
                        (max(start, shift + least_distance), stop),
                    )
                    if candidate[1] > candidate[0]
                ]
                free_ranges = remaining_ranges or [(first_position, last_position)]
                units_of_source = units.select_rows(units.annotator == rng.choice(annotators))
                start = units_of_source.start + shift
                wrap = np.where(start > last_position, first_position - last_position, 0.0)
                document_and_annotator = (
                    np.full(len(start), document),
                    np.full(len(start), annotator),
                )
                document_units.append(
                    Units(
                        *document_and_annotator,
                        start + wrap,
                        units_of_source.end + shift + wrap,
                        units_of_source.label,
                    )
                )
            if any(len(candidate.start) for candidate in document_units):
                break
        drawn_units += document_units
    return _concatenate_units(drawn_units)


def _concatenate_units(drawn_units: Sequence[Units]) -> Units:
    """Concatenate the units of several draws, and sort them."""
    return Units(*(np.concatenate(column) for column in zip(*drawn_units, strict=True))).sort()


_RANDOM = {"chance": _draw_by_chance, "pygamma": _draw_as_pygamma, "shuffle": _draw_shuffled}
"""Function that draws a random annotation, by the name of the sampler."""
