"""Comparisons of the single texts that documents were joined from.

Intervals may resample the texts, while scores remain those of the joined documents.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from spanagree.arrays import Ints, expand_ranges, unique_rows
from spanagree.comparisons.table import Comparisons
from spanagree.corpus.corpus import Corpus
from spanagree.errors import SettingError


def split_texts(joined: Corpus | None) -> tuple[Corpus, Ints]:
    """Build a corpus with one document for each text that the documents were joined from.

    The line break that joins two texts belongs to the second text.

    Returns:
        Corpus of texts, and the index of the joined document of each text.

    Raises:
        SettingError: if the documents were not joined from texts.
    """
    if joined is None or joined.text_ends is None:
        raise SettingError(
            "cluster_by text: the documents were not joined of texts; join them with group_by"
            " and unit document (sentences of CoNLL with unit document), or leave it out"
        )
    n_texts = np.array([len(ends) for ends in joined.text_ends], np.int64)
    document = np.repeat(np.arange(len(n_texts)), n_texts)
    end = np.concatenate([np.zeros(0, np.int64), *joined.text_ends])
    first = np.cumsum(n_texts) - n_texts
    begin = np.concatenate((end[:0], [0], end[:-1]))[: len(end)]
    begin[first[n_texts > 0]] = 0
    document_start = joined.starts[document]
    layers = {}
    for name, layer in joined.layers.items():
        segment_start = joined.starts[layer.document] + layer.start
        text = np.searchsorted(document_start + end, segment_start, side="right")
        layers[name] = replace(
            layer,
            document=text,
            start=layer.start - begin[text],
            end=layer.end - begin[text],
            annotated=layer.annotated[document],
        )
    # a quote that is missing from the joined text counts in the first of its texts
    unplaced = {name: quotes.reindex(first) for name, quotes in joined.unplaced.items()}
    texts = Corpus(end - begin, layers, joined.labels, offsets=joined.offsets, unplaced=unplaced)
    return texts, document


def distribute_over_texts(
    joined: Comparisons, corpus: Corpus | None, compare: Callable[[Corpus], Comparisons]
) -> tuple[Comparisons, Ints]:
    """Distribute the comparisons of joined documents over their texts.

    The observed match of a text is computed from the text. The expected match belongs to the whole
    document, and is about a·b/n, with sizes a and b and length n. To first order, the share of a
    text with sizes a' and b' and length n' is

        a'/a + b'/b − n'/n.

    These shares add up to 1. A text without segments has a negative share.

    Args:
        joined: comparisons of the documents.
        corpus: documents.
        compare: function that compares the same annotators in the corpus of texts.

    Returns:
        Comparisons of the texts, and the index of the joined document of each text.
    """
    text_corpus, document = split_texts(corpus)
    texts = compare(text_corpus)
    order = np.argsort(document, kind="stable")
    low, high = (
        np.searchsorted(document[order], joined.document, bound) for bound in ("left", "right")
    )
    position, row = expand_ranges(low, high)
    text = order[position]
    requested_keys = (text, *(getattr(joined, key)[row] for key in ("first", "second", "label")))
    known_keys = (texts.document, texts.first, texts.second, texts.label)
    _, key_index, n_rows = unique_rows(
        *map(np.concatenate, zip(requested_keys, known_keys, strict=True))
    )
    row_of_key = np.full(len(n_rows), -1)
    row_of_key[key_index[len(text) :]] = np.arange(len(texts))
    known_row = row_of_key[key_index[: len(text)]]

    def fill_column(column: Any) -> Any:
        """Look up a column of the texts for the requested rows; 0 for unknown rows."""
        return (
            np.where(known_row >= 0, column[known_row], 0)
            if len(column)
            else np.zeros(len(known_row), np.int64)
        )

    matched, size_first, size_second = map(
        fill_column, (texts.matched, texts.size_first, texts.size_second)
    )
    length = np.bincount(document, text_corpus.lengths)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = size_first / joined.size_first[row] + size_second / joined.size_second[row]
        share -= text_corpus.lengths[text] / length[joined.document[row]]
    expected_of_all = joined.expected[row]
    # also 0 if an annotator marked nothing
    expected = np.where(expected_of_all > 0, share * expected_of_all, 0.0)
    rows_of_texts = Comparisons.of(
        text, requested_keys[3], matched, expected, (size_first, size_second)
    )
    return rows_of_texts.between(*requested_keys[1:3]).named(
        joined.annotators, joined.labels
    ), document
