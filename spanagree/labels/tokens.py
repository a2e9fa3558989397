"""The tokens of a corpus as items, of which each annotator gives a label."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from spanagree.arrays import Ints, ranges
from spanagree.blocks.counted import Counting, count_all
from spanagree.blocks.run import Block
from spanagree.choices import OnError
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.discontinuous import check_in_one_piece
from spanagree.corpus.label_table import LabelTable
from spanagree.corpus.times import is_time, shown
from spanagree.errors import InputError, SettingError, check_whole, show
from spanagree.formats.guessed import CorpusLike, source_of
from spanagree.labels.patterns import LabelTallies, tally_labels
from spanagree.limits import check_cost
from spanagree.uncertainty.bootstrap import Bootstrap, asked_resampling

if TYPE_CHECKING:
    from concurrent.futures import Executor  # takes a while to load

OUTSIDE = "O"
"""The label of a token in no segment."""


@overload
def token_labels(corpus: Corpus, *, skip_outside: bool = False) -> LabelTable: ...


@overload
def token_labels(corpus: Iterable[Block], **options: Any) -> LabelTallies: ...


def token_labels(  # type: ignore[misc]  # the options that overloads leave open are these
    corpus: CorpusLike | Iterable[Block],
    *,
    skip_outside: bool = False,
    pairs: bool = False,
    resamples: int = 0,
    seed: int = 0,
    executor: Executor | None = None,
    on_error: OnError = "raise",
    progress: Callable[[int, int], None] | None = None,
) -> LabelTable | LabelTallies:
    """Return a table whose items are tokens and whose labels are those of segments, or O outside.

    A token of a document that an annotator never saw is missing; one outside every segment is
    ``O``. In a corpus of characters the items are characters.

    Args:
        corpus: the annotators (or systems) as layers; or blocks, as for :func:`spanagree.evaluate`:
            then what comes back is :class:`LabelTallies`, of which the coefficients are
            the same, but single items are not kept.
        skip_outside: leave out the tokens that all who saw them call O, usually nearly all.
        pairs: of blocks: keep which labels stand beside which, for coefficients with
            ``measurement`` or ``category_weights``.
        resamples: of blocks: how many resamples to draw for the intervals of
            ``coefficients(…, ci=True)``, by the documents' ids; none unless asked.
        seed: of these, a whole number from 0.
        executor: of blocks: any ``concurrent.futures.Executor``.
        on_error: what to do with blocks that fail, raise or skip.
        progress: called with the number of blocks done, twice.

    Raises:
        InputError: if segments of one annotator with different labels share a token, as an item
            takes one label; if a label is called O; for blocks that fail, or do not go together.
        SettingError: for a number out of range, or what is for blocks only.

    >>> corpus = Corpus.from_segments([4], {"ann": [[(0, 2, "PER")]], "bob": [[(0, 1, "PER")]]})
    >>> token_labels(corpus).counts.given.tolist()
    [[5, 3]]
    >>> token_labels(corpus, skip_outside=True).size
    2
    >>> token_labels([corpus, corpus]).counts.given.tolist()
    [[10, 6]]
    """
    corpus = source_of(corpus)
    check_whole(resamples, 0, "resamples")
    check_whole(seed, 0, "seed")
    if isinstance(corpus, Corpus):
        for name, value in (("executor", executor), ("resamples", resamples), ("pairs", pairs)):
            if value:
                raise SettingError(f"{name}: for blocks; one corpus keeps its items")
        return label_tokens(corpus, skip_outside)
    drawing = asked_resampling(
        Bootstrap(resamples=resamples, seed=seed) if resamples else False, in_blocks=True
    )
    counting = Counting(resampling=drawing)
    of_tokens = functools.partial(count, skip_outside=skip_outside, pairs=pairs)
    return count_all(corpus, of_tokens, counting, "take labels from", executor, on_error, progress)


def count(
    corpus: Corpus, counting: Counting, *, skip_outside: bool = False, pairs: bool = False
) -> LabelTallies:
    """Count the labels of the tokens of one block; the cost follows segments, not tokens."""
    table = label_tokens(corpus, skip_outside, runs=True)
    return tally_labels(table, corpus, counting.drawing, pairs)


def _between_borders(corpus: Corpus) -> Ints:
    """Return where a segment or a document begins or ends, of the tokens of all documents."""
    ends = [corpus.starts, corpus.starts + corpus.lengths]
    for layer in corpus.layers.values():
        begin = corpus.starts[layer.document]
        ends += [begin + layer.start, begin + layer.end]
    return np.unique(np.concatenate(ends))


def label_tokens(corpus: Corpus, skip_outside: bool, runs: bool = False) -> LabelTable:
    """Return the tokens of one corpus as items.

    Args:
        corpus: the annotators as layers.
        skip_outside: leave out the tokens that all who saw them call O.
        runs: items are runs of tokens without a border inside, each of which stands for its length.

    Raises:
        InputError: for a token with two labels, or a label that is called O.
    """
    borders = _between_borders(corpus) if runs else None
    _check(corpus, int(corpus.lengths.sum()) if borders is None else len(borders))

    def item_at(tokens: Ints) -> Ints:
        return tokens if borders is None else np.searchsorted(borders, tokens)

    starts = item_at(corpus.starts)
    lengths = item_at(corpus.starts + corpus.lengths) - starts
    labels = tuple(sorted((*corpus.labels, OUTSIDE)))
    code = np.array([labels.index(label) for label in corpus.labels], np.int64)
    columns = []
    for number, (name, layer) in enumerate(corpus.layers.items()):
        seen = np.flatnonzero(layer.annotated)
        first = starts[seen]
        items, _ = ranges(first, first + lengths[seen])
        before = np.cumsum(lengths[seen]) - lengths[seen]
        # how far the items that the annotator saw lie from their places among all items
        shift = before - first
        shift = shift[np.searchsorted(seen, layer.document)] if len(layer) else layer.document
        begin = corpus.starts[layer.document]
        marked, segment = ranges(
            item_at(begin + layer.start) + shift, item_at(begin + layer.end) + shift
        )
        label = np.full(len(items), labels.index(OUTSIDE))
        label[marked] = code[layer.label[segment]]
        clash = label[marked] != code[layer.label[segment]]
        if clash.any():
            k = int(clash.argmax())
            d = int(layer.document[segment[k]])
            place = items[marked[k]]
            at = int((place if borders is None else borders[place]) - corpus.starts[d])
            both = (labels[label[marked[k]]], corpus.labels[layer.label[segment[k]]])
            offset = shown(at, corpus.offsets)
            token = f"{offset} s" if is_time(corpus.offsets) else f"{corpus.offsets[:-1]} {offset}"
            raise InputError(
                f"annotator {show(name)}, document {show(corpus.id_of(d))}: {token} is"
                f" {' and '.join(map(show, sorted(both)))}; an item takes one label, but"
                " coefficients by label (--by label) take one label at a time"
            )
        columns.append((items, np.full(len(items), number), label))
    nothing = np.zeros(0, np.int64)
    item, annotator, label = (np.concatenate([*(c[k] for c in columns), nothing]) for k in range(3))
    table = LabelTable.of_single(
        np.argsort(item, kind="stable"),
        (item, label, annotator),
        int(lengths.sum()),
        corpus.annotators,
        labels,
        documents=np.repeat(np.arange(len(corpus)), lengths),
        wholes=None if corpus.wholes is None else np.repeat(corpus.wholes, lengths),
        lengths=None if borders is None else np.diff(borders),
        reading={"items": corpus.offsets, "outside": "kept", **corpus.reading},
        notes=corpus.notes,
    )
    if not skip_outside:
        return table
    inside = np.zeros(table.size, np.bool_)
    inside[table.item[table.label != labels.index(OUTSIDE)]] = True
    return replace(
        table.subset(np.flatnonzero(inside)), reading={**table.reading, "outside": "skipped"}
    )


def _check(corpus: Corpus, size: int) -> None:
    """Refuse a corpus whose tokens cannot be items, or are so many items."""
    check_in_one_piece(corpus, "labels of tokens")
    if OUTSIDE in corpus.labels:
        raise InputError(
            f"a label of the corpus is called {OUTSIDE!r}, as tokens outside of segments are;"
            " give it another name"
        )
    if corpus.tokens is None and corpus.texts is None:  # of which nothing vouches for the lengths
        check_cost(4 * len(corpus.layers) * size, "a label for every token")
