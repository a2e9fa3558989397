"""Quotes that are not in the text, as what annotators mark and nobody else does."""

from __future__ import annotations

import math

import numpy as np

from spanagree.arrays import Bools, Ints, expand_ranges, unique_rows
from spanagree.comparisons.measures import Measure
from spanagree.comparisons.table import NO_LABEL, Comparisons
from spanagree.corpus.corpus import Corpus


def with_unplaced(
    rows: Comparisons,
    corpus: Corpus,
    measure: Measure,
    pairs: tuple[Ints, Ints, Ints],
    order: tuple[str, ...] = ("document", "first", "second", "label"),
    *,
    is_undefined: bool = False,
) -> Comparisons:
    """Add the quotes of a corpus that are not in the text to the sizes of rows.

    They match nothing, observed or expected; without chance the expected match is undefined. Where
    a size counts tokens, each adds its length.

    Args:
        rows: what pairs of annotators have in common.
        corpus: the annotators.
        measure: measure that the rows were compared by.
        pairs: document, first and second annotator of all that was compared, by number.
        order: columns that the rows are sorted by; the four keys of a row.
        is_undefined: whether there is no chance.
    """
    if not corpus.unplaced:
        return rows
    expected = math.nan if is_undefined else 0.0
    parts = [_rows_of_side(corpus, measure, pairs, side, expected) for side in (0, 1)]
    if not any(map(len, parts)):
        return rows
    parts = [part.named(corpus.annotators, corpus.labels) for part in parts]
    return Comparisons.joined([rows, *parts]).by(*order)


def quotes_in(corpus: Corpus | None, name: str, documents: Bools) -> dict[str, Ints]:
    """Return the quotes of an annotator that are not in the text, in some documents.

    Args:
        corpus: the annotators; ``None`` if they are not known.
        name: name of one.
        documents: mask of the documents.

    Returns:
        Document and label of each quote, by number.
    """
    quotes = None if corpus is None else corpus.unplaced.get(name)
    if corpus is None or quotes is None:
        return {"document": np.zeros(0, np.int64), "label": np.zeros(0, np.int64)}
    is_chosen = documents[quotes.at]
    code = {label: i for i, label in enumerate(corpus.labels)}
    label = np.array([code[label] for label in quotes.label], np.int64)
    return {"document": quotes.at[is_chosen], "label": label[is_chosen]}


def rows_of_quotes(corpus: Corpus, measure: Measure, pairs: tuple[Ints, Ints, Ints]) -> Comparisons:
    """Return rows of the quotes that are not in the text, of pairs that have nothing else there.

    Args:
        corpus: the annotators.
        measure: measure of the comparison.
        pairs: document, first and second annotator, by number.
    """
    document, a, b = pairs
    wanted = np.unique(_quotes_of(corpus)[0])
    number = document * len(corpus.layers)
    quoted = np.isin(number + a, wanted) | np.isin(number + b, wanted)
    none = Comparisons.none(is_whole=measure.is_whole).named(corpus.annotators, corpus.labels)
    return with_unplaced(none, corpus, measure, (document[quoted], a[quoted], b[quoted]))


def _quotes_of(corpus: Corpus) -> tuple[Ints, Ints, Ints]:
    """Return annotation, label and length of each quote, sorted by annotation.

    An annotation is numbered by its document, times the layers, and its layer.
    """
    layer_of = {name: i for i, name in enumerate(corpus.layers)}
    label_of = {name: i for i, name in enumerate(corpus.labels)}
    nothing = np.zeros(0, np.int64)
    quotes = corpus.unplaced.items()
    annotation = np.concatenate(
        [nothing, *(part.at * len(layer_of) + layer_of[name] for name, part in quotes)]
    )
    label = np.array([label_of[name] for _, part in quotes for name in part.label], np.int64)
    size = np.concatenate([nothing, *(part.size for _, part in quotes)])
    order = np.argsort(annotation, kind="stable")
    return annotation[order], label[order], size[order]


def _rows_of_side(
    corpus: Corpus, measure: Measure, pairs: tuple[Ints, Ints, Ints], side: int, expected: float
) -> Comparisons:
    """Return a row for each pair and label, of the quotes of one of the two annotators."""
    annotation, label, length = _quotes_of(corpus)
    if not measure.of_label:
        label = np.full(len(label), NO_LABEL)
    document, *annotators = (np.asarray(column, np.int64) for column in pairs)
    wanted = document * len(corpus.layers) + annotators[side]
    low, high = (np.searchsorted(annotation, wanted, end) for end in ("left", "right"))
    quote, pair = expand_ranges(low, high)
    (pair, label), which, n_quotes = unique_rows(pair, label[quote])
    size = np.bincount(which, length[quote], len(pair)) if measure.in_tokens else n_quotes
    sizes = [np.zeros(len(pair), np.int64), np.zeros(len(pair), np.int64)]
    sizes[side] = size.astype(np.int64)
    rows = Comparisons.of(
        document[pair], label, np.zeros(len(pair), np.int64), np.full(len(pair), expected), sizes
    )
    return rows.between(annotators[0][pair], annotators[1][pair])
