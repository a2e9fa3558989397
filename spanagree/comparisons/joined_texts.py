"""The texts that documents were joined of, and what single texts add to figures of the documents.

Intervals may draw the texts, each by itself, while figures stay those of the joined documents.
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
    """Return the texts of a corpus as documents, and the number of the document that each is in.

    The line break that joins two texts belongs to the second.

    Raises:
        SettingError: if the documents were not joined of texts.
    """
    if joined is None or joined.text_ends is None:
        raise SettingError(
            "cluster_by text: the documents were not joined of texts; join them with group_by"
            " and unit document (sentences of CoNLL with unit document), or leave it out"
        )
    per = np.array([len(ends) for ends in joined.text_ends], np.int64)
    document = np.repeat(np.arange(len(per)), per)
    end = np.concatenate([np.zeros(0, np.int64), *joined.text_ends])
    first = np.cumsum(per) - per
    begin = np.concatenate((end[:0], [0], end[:-1]))[: len(end)]
    begin[first[per > 0]] = 0
    at = joined.starts[document]
    layers = {}
    for name, layer in joined.layers.items():
        place = joined.starts[layer.document] + layer.start
        text = np.searchsorted(at + end, place, side="right")
        layers[name] = replace(
            layer,
            document=text,
            start=layer.start - begin[text],
            end=layer.end - begin[text],
            annotated=layer.annotated[document],
        )
    # a quote that is not in the joined text is counted with the first of its texts
    unplaced = {name: quotes.moved(first) for name, quotes in joined.unplaced.items()}
    texts = Corpus(end - begin, layers, joined.labels, offsets=joined.offsets, unplaced=unplaced)
    return texts, document


def by_text(
    joined: Comparisons, corpus: Corpus | None, compare: Callable[[Corpus], Comparisons]
) -> tuple[Comparisons, Ints]:
    """Return comparisons of documents shared out over their texts, and the document of each text.

    What matches stands in one text. What chance expects in a document belongs to all of it, and is
    nearly a·b/n, with both sizes and the length. A text's share is how much of it would go with
    the text, to first order: a'/a + b'/b − n'/n, if a', b', n' are the text's own. So a text with
    nothing in it makes the expected match smaller; and the shares add up to 1.

    Args:
        joined: of the documents.
        corpus: the documents.
        compare: compares the same annotators in a corpus, of each text by itself.
    """
    alone, document = split_texts(corpus)
    texts = compare(alone)
    order = np.argsort(document, kind="stable")
    low, high = (np.searchsorted(document[order], joined.document, s) for s in ("left", "right"))
    place, row = expand_ranges(low, high)
    text = order[place]
    wanted = (text, *(getattr(joined, key)[row] for key in ("first", "second", "label")))
    there = (texts.document, texts.first, texts.second, texts.label)
    _, which, times = unique_rows(*map(np.concatenate, zip(wanted, there, strict=True)))
    number = np.full(len(times), -1)
    number[which[len(text) :]] = np.arange(len(texts))
    asked_row = number[which[: len(text)]]

    def filled(column: Any) -> Any:
        return (
            np.where(asked_row >= 0, column[asked_row], 0)
            if len(column)
            else np.zeros(len(asked_row), np.int64)
        )

    matched, size_first, size_second = map(
        filled, (texts.matched, texts.size_first, texts.size_second)
    )
    length = np.bincount(document, alone.lengths)
    with np.errstate(divide="ignore", invalid="ignore"):
        share = size_first / joined.size_first[row] + size_second / joined.size_second[row]
        share -= alone.lengths[text] / length[joined.document[row]]
    expected_of_all = joined.expected[row]
    expected = np.where(
        expected_of_all > 0, share * expected_of_all, 0.0
    )  # if one marked nothing, it is 0
    shared = Comparisons.of(text, wanted[3], matched, expected, (size_first, size_second))
    return shared.between(*wanted[1:3]).named(joined.annotators, joined.labels), document
