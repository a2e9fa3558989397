"""The witness: whole random annotations, drawn with a seed.

It draws from the definition, by which every configuration that the model allows is equally likely,
and shares no formula with :mod:`spanagree.chance.start_distributions`. So it proves the exact
distributions right, serves the test against chance and measures of one's own, and stands in where
an exact figure is too much work: the distribution of the match in documents over the budget, and
expected one-to-one matches, beside which the standard error is stated.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from spanagree.arrays import Ints, met_before
from spanagree.chance.rigid_blocks import chain_hulls
from spanagree.chance.start_distributions import CHANCES
from spanagree.choices import Chance
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.segments import Layer
from spanagree.errors import InputError, SettingError, check_choice, check_whole, printable, show
from spanagree.formats.guessed import CorpusLike, corpus_of


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
        segments: the lengths of the segments in tokens, all of one label.
        draws: how many annotations.
        seed: a seed, or a generator to draw from.
        chance: the chance model, nonoverlapping, per-label or overlapping.

    Returns:
        The start of each segment, an array of shape (draws, segments).

    Raises:
        SettingError: for an unknown chance model.
        InputError: for segments that do not fit the document.

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
    return _draw(group, tokens, size, rng, chance == "overlapping").reshape(draws, k)


def redraw(
    layer: Layer,
    lengths: Ints,
    labels: int,
    seed: int | np.random.Generator,
    chance: Chance = "nonoverlapping",
    *,
    rigid: bool = False,
) -> Layer:
    """Draw one random annotation of a whole layer: every segment placed anew in its document.

    Args:
        layer: the annotation whose segments are placed.
        lengths: per document its number of tokens.
        labels: the number of labels.
        seed: a seed, or a generator to draw from.
        chance: the chance model, nonoverlapping, per-label or overlapping.
        rigid: segments whose hulls overlap move together, as those of several pieces do.

    Raises:
        SettingError: for an unknown chance model.
        InputError: for segments that do not fit a document.
    """
    check_choice(chance, CHANCES, "chance")
    size = layer.end - layer.start
    key = layer.document * labels + layer.label if chance == "per-label" else layer.document
    groups, group = np.unique(key, return_inverse=True)
    documents = groups // labels if chance == "per-label" else groups
    free = chance == "overlapping"
    rng = np.random.default_rng(seed)
    if not rigid:
        start = _draw(group, lengths[documents], size, rng, free)
    else:
        blocks = chain_hulls(group, layer.start, layer.end, alone=free)
        sizes = blocks.end - blocks.start
        start = _draw(blocks.group, lengths[documents], sizes, rng, free)[blocks.block]
        start = start + blocks.offset
    return Layer(layer.document, start, start + size, layer.label, layer.annotated, layer.details)


def simulate(
    corpus: CorpusLike, *, seed: int | np.random.Generator, chance: Chance = "nonoverlapping"
) -> Corpus:
    """Draw a random corpus: all segments placed anew, for a measure of one's own.

    Number, lengths and labels of the segments of each annotator in each document stay, and their
    pieces, attributes and relations; who saw what stays too.

    Args:
        corpus: the annotations.
        seed: a seed, or a generator to draw from.
        chance: the chance model, nonoverlapping, per-label or overlapping.

    Raises:
        SettingError: for an unknown chance model, or a seed that is none; under ``overlapping`` for
            two segments of one label and length in a document, which may fall on the same place:
            no corpus holds that, and to draw anew until it does not happen would be another model.
        InputError: for segments that do not fit a document under the chance model.

    >>> corpus = Corpus.from_segments([9], {"ann": [[(0, 2, "PER"), (4, 5, "LOC")]]})
    >>> sorted(s.end - s.start for s in simulate(corpus, seed=1)[0].segments["ann"])
    [1, 2]
    """
    corpus = corpus_of(corpus)
    if not isinstance(seed, np.random.Generator):
        check_whole(seed, 0, "seed")
    rng = np.random.default_rng(seed)
    layers = {}
    for name, layer in corpus.layers.items():
        alike = met_before(layer.document, layer.end - layer.start, layer.label, layer.shape)
        if chance == "overlapping" and alike.any():
            document = corpus.id_of(int(layer.document[alike.argmax()]))
            raise SettingError(
                f"chance overlapping: annotator {printable(name)}, document {show(document)}: two"
                " segments of one label and length may fall on the same place, which no corpus"
                " holds; nonoverlapping and per-label can be drawn"
            )
        labels = max(1, len(corpus.labels))
        layers[name] = redraw(layer, corpus.lengths, labels, rng, chance, rigid=corpus.has_pieces)
    return corpus.but(layers=layers)


def _draw(group: Ints, tokens: Ints, size: Ints, rng: np.random.Generator, free: bool) -> Ints:
    """Draw a start for each segment; segments of one group exclude each other unless ``free``."""
    if free:
        if (size > tokens[group]).any():
            raise InputError("segments do not fit: one is longer than its document")
        return rng.integers(0, tokens[group] - size + 1)
    groups = len(tokens)
    # shrunk to one token each, the segments of a group and its free tokens are slots
    excess = np.bincount(group, size - 1, groups).astype(np.int64)
    slots = tokens - excess
    if (slots < np.bincount(group, minlength=groups)).any():
        raise InputError("segments do not fit: together they are longer than their document")
    first = np.cumsum(slots) - slots
    slot = first[group] + _distinct_slots(group, slots, rng)  # numbered over all groups, in order
    in_order = np.argsort(slot)
    wider = (size - 1)[in_order]
    before = np.empty(len(group), np.int64)  # the excess to the left, in all groups up to here
    before[in_order] = np.cumsum(wider) - wider
    return slot - first[group] + before - (np.cumsum(excess) - excess)[group]


def _distinct_slots(group: Ints, slots: Ints, rng: np.random.Generator) -> Ints:
    """Draw a slot for each segment, distinct within its group, all choices equally likely.

    Where segments are few among their slots, each draws one until it has one that no other has;
    where they are most of them, the slots of the group are shuffled. So cost follows the segments.
    """
    count = np.bincount(group, minlength=len(slots))
    many = 2 * count > slots
    slot = np.empty(len(group), np.int64)
    before = np.cumsum(slots) - slots
    few = left = np.flatnonzero(~many[group])
    placed = np.zeros(len(group), np.bool_)
    while len(left):
        slot[left] = rng.integers(0, slots[group[left]])
        again = np.zeros(len(slots), np.bool_)
        again[group[left]] = True
        beside = few[again[group[few]] & placed[few]]
        some = np.concatenate((beside, left))  # who has a slot keeps it, as the sort is stable
        at = before[group[some]] + slot[some]
        order = np.argsort(at, kind="stable")
        placed[left] = True
        left = np.sort(some[order[1:][np.diff(at[order]) == 0]])
        placed[left] = False
    chosen = np.flatnonzero(many)
    shuffled = np.argsort(rng.random(int(slots[chosen].sum())))  # all of them, then by group
    number = np.arange(len(chosen), dtype=np.min_scalar_type(len(chosen)))  # of 16 bits: by radix
    shuffled = shuffled[np.argsort(np.repeat(number, slots[chosen])[shuffled], kind="stable")]
    first = np.cumsum(slots[chosen]) - slots[chosen]
    segments = np.flatnonzero(many[group])
    segments = segments[np.argsort(group[segments], kind="stable")]
    ends = np.cumsum(count[chosen])
    rank = np.arange(len(segments)) - np.repeat(ends - count[chosen], count[chosen])
    place = np.repeat(first, count[chosen])
    slot[segments] = shuffled[place + rank] - place
    return slot
