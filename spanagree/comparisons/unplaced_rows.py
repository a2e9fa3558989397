"""Quotes that are missing from the text, counted as segments that nothing matches."""

from __future__ import annotations

import math

import numpy as np

from spanagree.arrays import Bools, Ints, expand_ranges, unique_rows
from spanagree.comparisons.measures import Measure
from spanagree.comparisons.table import NO_LABEL, Comparisons
from spanagree.corpus.corpus import Corpus


def add_unplaced_quotes(
    rows: Comparisons,
    corpus: Corpus,
    measure: Measure,
    pairs: tuple[Ints, Ints, Ints],
    order: tuple[str, ...] = ("document", "first", "second", "label"),
    *,
    is_undefined: bool = False,
) -> Comparisons:
    """Add the quotes of a corpus that are missing from the text to the sizes of rows.

    They match nothing, neither observed nor expected; without chance the expected match is
    undefined. If sizes count tokens, each quote adds its length.

    Args:
        rows: comparisons of pairs of annotators.
        corpus: annotations.
        measure: measure that the rows were compared by.
        pairs: document, first and second annotator of all comparisons, by index.
        order: columns that the rows are sorted by; all four keys of a row.
        is_undefined: True if there is no chance model.
    """
    if not corpus.unplaced:
        return rows
    expected = math.nan if is_undefined else 0.0
    quote_rows = [
        _build_rows_of_annotator(corpus, measure, pairs, index, expected) for index in (0, 1)
    ]
    if not any(map(len, quote_rows)):
        return rows
    quote_rows = [rows_of_one.named(corpus.annotators, corpus.labels) for rows_of_one in quote_rows]
    return Comparisons.joined([rows, *quote_rows]).by(*order)


def find_quotes(corpus: Corpus | None, name: str, documents: Bools) -> dict[str, Ints]:
    """Find the quotes of an annotator that are missing from the text, in some documents.

    Args:
        corpus: annotations; ``None`` if they are unknown.
        name: name of the annotator.
        documents: mask of the documents.

    Returns:
        Document and label of each quote, by index.
    """
    quotes = None if corpus is None else corpus.unplaced.get(name)
    if corpus is None or quotes is None:
        return {"document": np.zeros(0, np.int64), "label": np.zeros(0, np.int64)}
    is_chosen = documents[quotes.at]
    code = {label: i for i, label in enumerate(corpus.labels)}
    label = np.array([code[label] for label in quotes.label], np.int64)
    return {"document": quotes.at[is_chosen], "label": label[is_chosen]}


def build_rows_of_quotes(
    corpus: Corpus, measure: Measure, pairs: tuple[Ints, Ints, Ints]
) -> Comparisons:
    """Build rows of the quotes that are missing from the text, as if there were no other segments.

    Args:
        corpus: annotations.
        measure: measure of the comparison.
        pairs: document, first and second annotator, by index.
    """
    document, a, b = pairs
    quoted_ids = np.unique(_collect_quotes(corpus)[0])
    first_id = document * len(corpus.layers)
    is_quoted = np.isin(first_id + a, quoted_ids) | np.isin(first_id + b, quoted_ids)
    no_rows = Comparisons.none(is_whole=measure.is_whole).named(corpus.annotators, corpus.labels)
    return add_unplaced_quotes(
        no_rows, corpus, measure, (document[is_quoted], a[is_quoted], b[is_quoted])
    )


def _collect_quotes(corpus: Corpus) -> tuple[Ints, Ints, Ints]:
    """Collect the quotes of all annotators that are missing from the text.

    The id of an annotation is (index of the document) · (number of layers) + index of the layer.

    Returns:
        Id of the annotation, label and length of each quote, sorted by annotation.
    """
    layer_index = {name: i for i, name in enumerate(corpus.layers)}
    label_index = {name: i for i, name in enumerate(corpus.labels)}
    empty = np.zeros(0, np.int64)
    quotes = corpus.unplaced.items()
    annotation = np.concatenate(
        [
            empty,
            *(
                quotes_of_layer.at * len(layer_index) + layer_index[name]
                for name, quotes_of_layer in quotes
            ),
        ]
    )
    label = np.array(
        [label_index[name] for _, quotes_of_layer in quotes for name in quotes_of_layer.label],
        np.int64,
    )
    size = np.concatenate([empty, *(quotes_of_layer.size for _, quotes_of_layer in quotes)])
    order = np.argsort(annotation, kind="stable")
    return annotation[order], label[order], size[order]


def _build_rows_of_annotator(
    corpus: Corpus, measure: Measure, pairs: tuple[Ints, Ints, Ints], index: int, expected: float
) -> Comparisons:
    """Build a row for each pair and label from the quotes of one of the two annotators.

    Args:
        corpus: annotations.
        measure: measure of the comparison.
        pairs: document, first and second annotator of all comparisons, by index.
        index: 0 for the quotes of the first annotator, 1 for the second.
        expected: expected match of each row.
    """
    annotation, label, length = _collect_quotes(corpus)
    if not measure.of_label:
        label = np.full(len(label), NO_LABEL)
    document, *annotators = (np.asarray(column, np.int64) for column in pairs)
    annotation_id = document * len(corpus.layers) + annotators[index]
    low, high = (np.searchsorted(annotation, annotation_id, bound) for bound in ("left", "right"))
    quote, pair = expand_ranges(low, high)
    (pair, label), row_index, n_quotes = unique_rows(pair, label[quote])
    size = np.bincount(row_index, length[quote], len(pair)) if measure.in_tokens else n_quotes
    sizes = [np.zeros(len(pair), np.int64), np.zeros(len(pair), np.int64)]
    sizes[index] = size.astype(np.int64)
    rows = Comparisons.of(
        document[pair], label, np.zeros(len(pair), np.int64), np.full(len(pair), expected), sizes
    )
    return rows.between(annotators[0][pair], annotators[1][pair])
