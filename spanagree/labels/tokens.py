"""The tokens of a corpus as items, of which each annotator gives a label."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spanagree.arrays import Ints, ranges
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.discontinuous import check_in_one_piece
from spanagree.corpus.joined import joined, without_text
from spanagree.corpus.label_table import LabelTable
from spanagree.corpus.placed import placed_only
from spanagree.corpus.segments import is_time
from spanagree.corpus.times import shown
from spanagree.errors import InputError, show
from spanagree.formats.guessed import CorpusLike, source_of
from spanagree.limits import check_cost
from spanagree.parts.each import Part, check_executor, joined_parts

if TYPE_CHECKING:
    from concurrent.futures import Executor  # takes a while to load

OUTSIDE = "O"
"""The label of a token in no segment."""


def token_labels(
    corpus: CorpusLike | Iterable[Part],
    *,
    skip_outside: bool = False,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> LabelTable:
    """Return a table whose items are tokens and whose labels are those of segments, or O outside.

    A token of a document that an annotator never saw is missing; one outside every segment is
    ``O``. In a corpus of characters the items are characters.

    Args:
        corpus: the annotators (or systems) as layers; or parts of a corpus, as for
            :func:`spanagree.evaluate`, whose tokens are those of the whole.
        skip_outside: leave out the tokens that all who saw them call O, usually nearly all.
        executor: of parts: any ``concurrent.futures.Executor``, whose workers read them.
        progress: called with the number of parts done, twice.

    Raises:
        InputError: if segments of one annotator with different labels share a token, as an item
            takes one label; if a label is called O; for parts that fail, or do not belong together.
        SettingError: for an executor and one corpus.

    >>> corpus = Corpus.from_segments([4], {"ann": [[(0, 2, "PER")]], "bob": [[(0, 1, "PER")]]})
    >>> token_labels(corpus).counts.given.tolist()
    [[5, 3]]
    >>> token_labels(corpus, skip_outside=True).size
    2
    >>> token_labels([corpus, corpus]).counts.given.tolist()
    [[10, 6]]
    """
    source = source_of(corpus)
    if isinstance(source, Corpus):
        check_executor(executor)
        return label_tokens(source, skip_outside)
    work = functools.partial(_label_part, skip_outside=skip_outside)
    return joined_parts(source, work, _joined_tables, executor, progress)


class _LabelledPart(NamedTuple):
    """Labels of the tokens of a part of a corpus.

    Attributes:
        corpus: its documents, without what is in them.
        table: labels of its tokens.
    """

    corpus: Corpus
    table: LabelTable


def _label_part(part: Corpus, skip_outside: bool) -> _LabelledPart:
    """Label the tokens of a part of a corpus, where it is read."""
    part = placed_only(part, "tokens")
    documents = without_text(part).but(layers={}, labels=(), changes=())
    return _LabelledPart(documents, label_tokens(part, skip_outside))


def _joined_tables(parts: Mapping[str, _LabelledPart]) -> LabelTable:
    """Join the tables of parts of a corpus, as if it had been one.

    Raises:
        InputError: for parts that do not belong together.
    """
    corpus = joined({name: part.corpus for name, part in parts.items()})
    tables = [part.table for part in parts.values()]
    corpora = [part.corpus for part in parts.values()]
    annotators = tuple(dict.fromkeys(name for table in tables for name in table.annotators))
    labels = tuple(sorted({label for table in tables for label in table.labels}))

    def numbers(names: tuple[str, ...], known: tuple[str, ...]) -> Ints:
        code = {name: i for i, name in enumerate(known)}
        return np.array([code[name] for name in names], np.int64)

    def before(sizes: Iterable[int]) -> list[int]:
        return [*accumulate(sizes, initial=0)][:-1]

    n_items, n_documents = before(table.size for table in tables), before(map(len, corpora))
    columns = [
        (
            table.item + n,
            numbers(table.labels, labels)[table.label],
            numbers(table.annotators, annotators)[table.annotator],
        )
        for table, n in zip(tables, n_items, strict=True)
    ]
    item, label, annotator = map(np.concatenate, zip(*columns, strict=True))
    numbered = [
        table.documents + n
        for table, n in zip(tables, n_documents, strict=True)
        if table.documents is not None  # tokens are in documents
    ]
    documents = np.concatenate(numbered)
    items = None
    if all(table.items is not None for table in tables):  # numbers of tokens, from 1
        n_tokens = before(int(part.lengths.sum()) for part in corpora)
        items = tuple(
            str(int(name) + n)
            for table, n in zip(tables, n_tokens, strict=True)
            for name in table.items or ()
        )
    return LabelTable.of_single(
        np.lexsort((annotator, item)),
        (item, label, annotator),
        sum(table.size for table in tables),
        annotators,
        labels,
        items=items,
        documents=documents,
        wholes=None if corpus.wholes is None else corpus.wholes[documents],
        reading={**tables[0].reading, **corpus.reading},
        notes=corpus.notes,
    )


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
    corpus = placed_only(corpus, "tokens")
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
    return marked_items(table) if skip_outside else table


def marked_items(table: LabelTable) -> LabelTable:
    """Return the tokens of a table that one annotator or more marked."""
    is_marked = np.zeros(table.size, np.bool_)
    is_marked[table.item[table.label != table.labels.index(OUTSIDE)]] = True
    reading = {**table.reading, "outside": "skipped"}
    return replace(table.subset(np.flatnonzero(is_marked)), reading=reading)


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
