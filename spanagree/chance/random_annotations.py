"""Random annotations, drawn with a seed.

By the definition of the chance model, every allowed configuration is equally likely. The sampler
follows this definition and shares no formula with :mod:`spanagree.chance.start_distributions`, so
it is an independent check of the exact distributions. It also serves tests against chance, and
user-defined measures, and it replaces exact figures that would take too much work: the distribution
of the match in documents over the budget, and expected one-to-one matches, which are reported with
their standard errors.

Segments that exclude each other form a *group*, and the *excess* of a segment is its length less
one token. Let a group have k segments with a tokens, in a document of n tokens. With every segment
shrunk to one token, the segments occupy k of n − a + k *slots*; k distinct slots are drawn in
random order, and the excess of the segments to the left is added back. Arrays have one entry for
each segment.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from spanagree.arrays import Ints, is_repeated_row
from spanagree.chance.rigid_blocks import chain_hulls
from spanagree.chance.start_distributions import CHANCES
from spanagree.choices import Chance
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.segments import Layer
from spanagree.errors import (
    InputError,
    SettingError,
    check_choice,
    check_integer,
    escape_name,
    quote_value,
)
from spanagree.formats.guessed import CorpusLike, as_corpus


def draw_starts(
    length: int,
    segments: Sequence[int],
    draws: int,
    seed: int | np.random.Generator,
    chance: Chance = "nonoverlapping",
) -> Ints:
    """Draw random annotations of one document.

    Args:
        length: number of tokens of the document.
        segments: lengths of the segments in tokens, all of one label.
        draws: number of annotations.
        seed: random seed, or a generator.
        chance: chance model: nonoverlapping, per-label or overlapping.

    Returns:
        Start of each segment; (draws, segments).

    Raises:
        SettingError: if the chance model is unknown.
        InputError: if the segments do not fit the document.

    >>> draw_starts(6, [3, 3], draws=4, seed=1).sum(axis=1).tolist()
    [3, 3, 3, 3]
    """
    check_choice(chance, CHANCES, "chance")
    if min((length, *segments)) < 1:
        raise InputError(f"length {length}, segments {list(segments)}; lengths are at least 1")
    k = len(segments)
    group = np.repeat(np.arange(draws), k)
    size = np.tile(np.asarray(segments, dtype=np.int64), draws)
    tokens = np.full(draws, length)
    rng = np.random.default_rng(seed)
    return _draw_group_starts(group, tokens, size, rng, chance == "overlapping").reshape(draws, k)


def draw_random_layer(
    layer: Layer,
    lengths: Ints,
    labels: int,
    seed: int | np.random.Generator,
    chance: Chance = "nonoverlapping",
    *,
    rigid: bool = False,
) -> Layer:
    """Draw one random annotation of a layer, with a random position of every segment.

    Args:
        layer: segments to place.
        lengths: number of tokens of each document.
        labels: number of labels.
        seed: random seed, or a generator.
        chance: chance model: nonoverlapping, per-label or overlapping.
        rigid: True to move segments with overlapping hulls together, for discontinuous segments.

    Raises:
        SettingError: if the chance model is unknown.
        InputError: if the segments do not fit a document.
    """
    check_choice(chance, CHANCES, "chance")
    segment_length = layer.end - layer.start
    group_key = layer.document * labels + layer.label if chance == "per-label" else layer.document
    groups, group = np.unique(group_key, return_inverse=True)
    documents = groups // labels if chance == "per-label" else groups
    free = chance == "overlapping"
    rng = np.random.default_rng(seed)
    if not rigid:
        start = _draw_group_starts(group, lengths[documents], segment_length, rng, free)
    else:
        blocks = chain_hulls(group, layer.start, layer.end, alone=free)
        block_length = blocks.end - blocks.start
        start = _draw_group_starts(blocks.group, lengths[documents], block_length, rng, free)[
            blocks.block
        ]
        start = start + blocks.offset
    return Layer(
        layer.document, start, start + segment_length, layer.label, layer.annotated, layer.details
    )


def simulate(
    corpus: CorpusLike, *, seed: int | np.random.Generator, chance: Chance = "nonoverlapping"
) -> Corpus:
    """Draw a random corpus, with a random position of every segment, for user-defined measures.

    The number, lengths and labels of the segments of each annotator in each document are fixed, and
    so are their pieces, attributes and relations, and the documents that each annotator saw.

    Args:
        corpus: annotations.
        seed: random seed, or a generator.
        chance: chance model: nonoverlapping, per-label or overlapping.

    Raises:
        SettingError: if the chance model is unknown or the seed invalid. Under ``overlapping``, if
            two segments in a document have the same label and length: they may get the same
            position, which no corpus allows, and rejecting such draws would be another model.
        InputError: if the segments do not fit a document under the chance model.

    >>> corpus = Corpus.from_segments([9], {"ann": [[(0, 2, "PER"), (4, 5, "LOC")]]})
    >>> sorted(s.end - s.start for s in simulate(corpus, seed=1)[0].segments["ann"])
    [1, 2]
    """
    corpus = as_corpus(corpus)
    if not isinstance(seed, np.random.Generator):
        check_integer(seed, 0, "seed")
    rng = np.random.default_rng(seed)
    layers = {}
    for name, layer in corpus.layers.items():
        is_repeated = is_repeated_row(
            layer.document, layer.end - layer.start, layer.label, layer.shape
        )
        if chance == "overlapping" and is_repeated.any():
            document = corpus.id_of(int(layer.document[is_repeated.argmax()]))
            raise SettingError(
                f"chance overlapping: annotator {escape_name(name)}, document"
                f" {quote_value(document)}: two"
                " segments of one label and length may fall on the same place, which no corpus"
                " holds; nonoverlapping and per-label can be drawn"
            )
        labels = max(1, len(corpus.labels))
        layers[name] = draw_random_layer(
            layer, corpus.lengths, labels, rng, chance, rigid=corpus.has_pieces
        )
    return corpus.replace(layers=layers)


def _draw_group_starts(
    group: Ints, tokens: Ints, segment_length: Ints, rng: np.random.Generator, free: bool
) -> Ints:
    """Draw a random start for each segment; segments of the same group do not overlap.

    Positions are drawn among slots. A *slot* is a token that no segment of the group covers, or one
    whole segment of the group.

    Args:
        group: group of each segment.
        tokens: number of tokens of the document of each group.
        segment_length: length of each segment.
        rng: random generator.
        free: True to allow overlaps.
    """
    if free:
        if (segment_length > tokens[group]).any():
            raise InputError("segments do not fit: one is longer than its document")
        return rng.integers(0, tokens[group] - segment_length + 1)
    n_groups = len(tokens)
    # slots are the free tokens of a group and its segments, shrunk to one token each
    excess = np.bincount(group, segment_length - 1, n_groups).astype(np.int64)
    slots = tokens - excess
    if (slots < np.bincount(group, minlength=n_groups)).any():
        raise InputError("segments do not fit: together they are longer than their document")
    first_slot = np.cumsum(slots) - slots
    slot = first_slot[group] + _draw_distinct_slots(
        group, slots, rng
    )  # consecutive over all groups
    order = np.argsort(slot)
    excess_by_slot = (segment_length - 1)[order]
    excess_before = np.empty(len(group), np.int64)  # excess to the left, over all groups
    excess_before[order] = np.cumsum(excess_by_slot) - excess_by_slot
    return slot - first_slot[group] + excess_before - (np.cumsum(excess) - excess)[group]


def _draw_distinct_slots(group: Ints, slots: Ints, rng: np.random.Generator) -> Ints:
    """Draw a slot for each segment, distinct in its group, with all choices equally likely.

    In groups with few segments among many slots, segments draw slots until these are distinct. In
    the other, *crowded* groups, all slots are shuffled. So the cost is proportional to the number
    of segments.

    Args:
        group: group of each segment.
        slots: number of slots of each group.
        rng: random generator.
    """
    n_segments = np.bincount(group, minlength=len(slots))
    is_crowded = 2 * n_segments > slots
    slot = np.empty(len(group), np.int64)
    first_slot = np.cumsum(slots) - slots
    sparse_segments = unplaced = np.flatnonzero(~is_crowded[group])
    is_placed = np.zeros(len(group), np.bool_)
    while len(unplaced):
        slot[unplaced] = rng.integers(0, slots[group[unplaced]])
        has_unplaced = np.zeros(len(slots), np.bool_)
        has_unplaced[group[unplaced]] = True
        placed_in_same_groups = sparse_segments[
            has_unplaced[group[sparse_segments]] & is_placed[sparse_segments]
        ]
        # segments with a slot keep it, as the sort is stable
        candidates = np.concatenate((placed_in_same_groups, unplaced))
        global_slot = first_slot[group[candidates]] + slot[candidates]
        order = np.argsort(global_slot, kind="stable")
        is_placed[unplaced] = True
        unplaced = np.sort(candidates[order[1:][np.diff(global_slot[order]) == 0]])
        is_placed[unplaced] = False
    crowded_groups = np.flatnonzero(is_crowded)
    # shuffle all slots, then sort by group
    shuffled = np.argsort(rng.random(int(slots[crowded_groups].sum())))
    # small integers are sorted by radix
    crowded_index = np.arange(len(crowded_groups), dtype=np.min_scalar_type(len(crowded_groups)))
    shuffled = shuffled[
        np.argsort(np.repeat(crowded_index, slots[crowded_groups])[shuffled], kind="stable")
    ]
    first_shuffled = np.cumsum(slots[crowded_groups]) - slots[crowded_groups]
    crowded_segments = np.flatnonzero(is_crowded[group])
    crowded_segments = crowded_segments[np.argsort(group[crowded_segments], kind="stable")]
    segment_ends = np.cumsum(n_segments[crowded_groups])
    rank_in_group = np.arange(len(crowded_segments)) - np.repeat(
        segment_ends - n_segments[crowded_groups], n_segments[crowded_groups]
    )
    first_shuffled_of_group = np.repeat(first_shuffled, n_segments[crowded_groups])
    slot[crowded_segments] = (
        shuffled[first_shuffled_of_group + rank_in_group] - first_shuffled_of_group
    )
    return slot
