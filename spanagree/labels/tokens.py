"""The tokens of a corpus as items of a table of labels.

A token within a segment has the label of the segment, and one outside all segments the label O.
Tables have columns of item, annotator and label, with one row for each annotator and token.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from itertools import accumulate
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from spanagree.arrays import Ints, expand_ranges
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.discontinuous import check_contiguous
from spanagree.corpus.joined import join_corpora, remove_text
from spanagree.corpus.label_table import LabelTable
from spanagree.corpus.placed import keep_placed
from spanagree.corpus.segments import is_time
from spanagree.corpus.times import format_offset
from spanagree.errors import InputError, quote_value
from spanagree.formats.guessed import CorpusLike, as_corpus_or_parts
from spanagree.limits import check_cost
from spanagree.parts.each import Part, check_executor, process_and_join_parts

if TYPE_CHECKING:
    from concurrent.futures import Executor  # takes a while to load

OUTSIDE = "O"
"""Label of a token outside all segments."""


def token_labels(
    corpus: CorpusLike | Iterable[Part],
    *,
    skip_outside: bool = False,
    executor: Executor | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> LabelTable:
    """Build a table of the labels of tokens.

    A token within a segment has its label, and a token outside all segments ``O``. Labels are
    missing for documents that the annotator did not see. In a corpus of characters the items are
    characters.

    Args:
        corpus: annotations, or parts of them (see :func:`spanagree.evaluate`).
        skip_outside: True to leave out the tokens that all annotators left unmarked, usually
            nearly all tokens.
        executor: ``concurrent.futures.Executor`` with workers that read parts.
        progress: callback with two arguments, both the number of finished parts.

    Raises:
        InputError: if segments of one annotator with different labels share a token, as an item
            takes one label; if a label is called O; if parts fail or do not belong together.
        SettingError: if there is an executor, but no parts.

    >>> corpus = Corpus.from_segments([4], {"ann": [[(0, 2, "PER")]], "bob": [[(0, 1, "PER")]]})
    >>> token_labels(corpus).counts.given.tolist()
    [[5, 3]]
    >>> token_labels(corpus, skip_outside=True).size
    2
    >>> token_labels([corpus, corpus]).counts.given.tolist()
    [[10, 6]]
    """
    source = as_corpus_or_parts(corpus)
    if isinstance(source, Corpus):
        check_executor(executor)
        return label_tokens(source, skip_outside)
    label_part = functools.partial(_label_part, skip_outside=skip_outside)
    return process_and_join_parts(source, label_part, _join_tables, executor, progress)


class _LabelledPart(NamedTuple):
    """Labels of the tokens of a part of a corpus.

    Attributes:
        corpus: documents of the part, without text and segments.
        table: labels of the tokens.
    """

    corpus: Corpus
    table: LabelTable


def _label_part(part_corpus: Corpus, skip_outside: bool) -> _LabelledPart:
    """Label the tokens of a part of a corpus; a worker that reads the part calls this."""
    part_corpus = keep_placed(part_corpus, "tokens")
    documents = remove_text(part_corpus).replace(layers={}, labels=(), changes=())
    return _LabelledPart(documents, label_tokens(part_corpus, skip_outside))


def _join_tables(parts_by_name: Mapping[str, _LabelledPart]) -> LabelTable:
    """Concatenate the tables of parts of a corpus.

    Raises:
        InputError: if the parts do not belong together.
    """
    corpus = join_corpora(
        {name: labelled_part.corpus for name, labelled_part in parts_by_name.items()}
    )
    tables = [labelled_part.table for labelled_part in parts_by_name.values()]
    corpora = [labelled_part.corpus for labelled_part in parts_by_name.values()]
    annotators = tuple(dict.fromkeys(name for table in tables for name in table.annotators))
    labels = tuple(sorted({label for table in tables for label in table.labels}))

    def find_codes(names: tuple[str, ...], all_names: tuple[str, ...]) -> Ints:
        """Find the index of each name among all names."""
        code_by_name = {name: i for i, name in enumerate(all_names)}
        return np.array([code_by_name[name] for name in names], np.int64)

    def compute_totals_before(sizes: Iterable[int]) -> list[int]:
        """Compute the sum of the sizes before each size."""
        return [*accumulate(sizes, initial=0)][:-1]

    n_items, n_documents = (
        compute_totals_before(table.size for table in tables),
        compute_totals_before(map(len, corpora)),
    )
    columns = [
        (
            table.item + n,
            find_codes(table.labels, labels)[table.label],
            find_codes(table.annotators, annotators)[table.annotator],
        )
        for table, n in zip(tables, n_items, strict=True)
    ]
    item, label, annotator = map(np.concatenate, zip(*columns, strict=True))
    document_columns = [
        table.documents + n
        for table, n in zip(tables, n_documents, strict=True)
        if table.documents is not None  # never None for tokens
    ]
    documents = np.concatenate(document_columns)
    items = positions = None
    if all(table.items is not None for table in tables):  # names are token numbers from 1
        n_tokens = compute_totals_before(
            int(labelled_part.lengths.sum()) for labelled_part in corpora
        )
        items = tuple(
            str(int(name) + n)
            for table, n in zip(tables, n_tokens, strict=True)
            for name in table.items or ()
        )
        positions = np.concatenate([table.find_positions() for table in tables])
    return LabelTable.from_single_labels(
        np.lexsort((annotator, item)),
        (item, label, annotator),
        sum(table.size for table in tables),
        annotators,
        labels,
        items=items,
        documents=documents,
        document_ids=corpus.ids,
        positions=positions,
        parent_ids=None if corpus.parent_ids is None else corpus.parent_ids[documents],
        reading={**tables[0].reading, **corpus.reading},
        notes=corpus.notes,
    )


def _find_borders(corpus: Corpus) -> Ints:
    """Find the tokens at which a segment or a document begins or ends, sorted and distinct.

    Tokens have one numbering over all documents.
    """
    ends = [corpus.starts, corpus.starts + corpus.lengths]
    for layer in corpus.layers.values():
        begin = corpus.starts[layer.document]
        ends += [begin + layer.start, begin + layer.end]
    return np.unique(np.concatenate(ends))


def label_tokens(corpus: Corpus, skip_outside: bool, runs: bool = False) -> LabelTable:
    """Build a table of the labels of the tokens of one corpus.

    Args:
        corpus: annotations.
        skip_outside: True to leave out the tokens that all annotators left unmarked.
        runs: True for items that are runs of tokens without a border inside, weighted by length.

    Raises:
        InputError: if a token has two labels, or a label is called O.
    """
    corpus = keep_placed(corpus, "tokens")
    borders = _find_borders(corpus) if runs else None
    _check_items(corpus, int(corpus.lengths.sum()) if borders is None else len(borders))

    def find_items(tokens: Ints) -> Ints:
        """Find the item of each token: the token itself, or the run that begins there."""
        return tokens if borders is None else np.searchsorted(borders, tokens)

    starts = find_items(corpus.starts)
    lengths = find_items(corpus.starts + corpus.lengths) - starts
    labels = tuple(sorted((*corpus.labels, OUTSIDE)))
    label_codes = np.array([labels.index(label) for label in corpus.labels], np.int64)
    columns = []
    for annotator_index, (name, layer) in enumerate(corpus.layers.items()):
        seen_documents = np.flatnonzero(layer.annotated)
        first_items = starts[seen_documents]
        items, _ = expand_ranges(first_items, first_items + lengths[seen_documents])
        n_items_before = np.cumsum(lengths[seen_documents]) - lengths[seen_documents]
        # difference of an item's index among the annotator's items and among all items
        shift = n_items_before - first_items
        shift = (
            shift[np.searchsorted(seen_documents, layer.document)] if len(layer) else layer.document
        )
        document_starts = corpus.starts[layer.document]
        marked_rows, segment = expand_ranges(
            find_items(document_starts + layer.start) + shift,
            find_items(document_starts + layer.end) + shift,
        )
        label = np.full(len(items), labels.index(OUTSIDE))
        label[marked_rows] = label_codes[layer.label[segment]]
        is_clash = label[marked_rows] != label_codes[layer.label[segment]]
        if is_clash.any():
            clash_row = int(is_clash.argmax())
            document_index = int(layer.document[segment[clash_row]])
            item_index = items[marked_rows[clash_row]]
            position = int(
                (item_index if borders is None else borders[item_index])
                - corpus.starts[document_index]
            )
            clashing_labels = (
                labels[label[marked_rows[clash_row]]],
                corpus.labels[layer.label[segment[clash_row]]],
            )
            offset = format_offset(position, corpus.offsets)
            token = f"{offset} s" if is_time(corpus.offsets) else f"{corpus.offsets[:-1]} {offset}"
            raise InputError(
                f"annotator {quote_value(name)}, document"
                f" {quote_value(corpus.id_of(document_index))}: {token} has two"
                f" labels, {' and '.join(map(quote_value, sorted(clashing_labels)))}; use --by"
                " label (coefficients_by_label), which regards one label at a time"
            )
        columns.append((items, np.full(len(items), annotator_index), label))
    no_rows = np.zeros(0, np.int64)
    item, annotator, label = (
        np.concatenate([*(c[clash_row] for c in columns), no_rows]) for clash_row in range(3)
    )
    table = LabelTable.from_single_labels(
        np.argsort(item, kind="stable"),
        (item, label, annotator),
        int(lengths.sum()),
        corpus.annotators,
        labels,
        documents=np.repeat(np.arange(len(corpus)), lengths),
        document_ids=corpus.ids,
        parent_ids=None if corpus.parent_ids is None else np.repeat(corpus.parent_ids, lengths),
        lengths=None if borders is None else np.diff(borders),
        reading={"items": corpus.offsets, "outside": "kept", **corpus.reading},
        notes=corpus.notes,
    )
    return select_marked_items(table) if skip_outside else table


def select_marked_items(table: LabelTable) -> LabelTable:
    """Select the tokens that one annotator or more marked."""
    is_marked = np.zeros(table.size, np.bool_)
    is_marked[table.item[table.label != table.labels.index(OUTSIDE)]] = True
    reading = {**table.reading, "outside": "skipped"}
    return replace(table.subset(np.flatnonzero(is_marked)), reading=reading)


def _check_items(corpus: Corpus, size: int) -> None:
    """Check that tokens can be items, and are not too many.

    Raises:
        InputError: if a label is called O, or a segment is discontinuous.
    """
    check_contiguous(corpus, "labels of tokens")
    if OUTSIDE in corpus.labels:
        raise InputError(
            f"a label of the corpus is called {OUTSIDE!r}, as tokens outside of segments are;"
            " give it another name"
        )
    if corpus.tokens is None and corpus.texts is None:  # then lengths are unchecked input
        check_cost(4 * len(corpus.layers) * size, "a label for every token")
