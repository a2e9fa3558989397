"""Attributes of segments as labels: an item is a segment that annotators marked identically."""

from __future__ import annotations

import numpy as np

from spanagree.arrays import encode_by_first_use, unique_rows
from spanagree.corpus.details import SegmentDetails, check_attribute
from spanagree.corpus.label_table import LabelTable
from spanagree.corpus.segments import concatenate_segments
from spanagree.formats.guessed import CorpusLike, as_corpus

NONE = "(none)"
"""Label of a segment without the attribute, which counts as an answer."""


def attribute_labels(corpus: CorpusLike, attribute: str) -> LabelTable:
    """Build a table of the values of an attribute, one item for each distinct segment.

    Two segments are the same item if position, label and fragments are equal. Annotators without
    the segment give the item no label, so coefficients compare segments that two annotators or more
    marked identically. Annotators with the segment but without the attribute give ``(none)``.

    Args:
        corpus: annotations.
        attribute: name of the attribute.

    Raises:
        SettingError: if no segment has the attribute.

    >>> from spanagree.corpus.corpus import Corpus
    >>> layers = {"a": [[(0, 2, "X", {"sure": "no"})]], "b": [[(0, 2, "X")]]}
    >>> table = attribute_labels(Corpus.from_segments([5], layers), "sure")
    >>> [table.labels[code] for code in table.label]
    ['no', '(none)']
    """
    corpus = as_corpus(corpus)
    details_by_layer = [
        layer.details or SegmentDetails.create_empty(len(layer)) for layer in corpus.layers.values()
    ]
    check_attribute(attribute, details_by_layer)
    document, start, end, label, layer = concatenate_segments(corpus.layers.values())
    shapes, _ = encode_by_first_use(
        str(detail.shapes[code]) for detail in details_by_layer for code in detail.shape.tolist()
    )
    values = [
        value or NONE
        for detail in details_by_layer
        for value in detail.list_attribute_values(attribute)
    ]
    distinct_values = tuple(sorted(set(values)))
    code_by_value = {name: i for i, name in enumerate(distinct_values)}
    value_code = np.array([code_by_value[value] for value in values], np.int64)
    (item_document, *_), item, _ = unique_rows(document, start, end, label, shapes)
    return LabelTable.from_single_labels(
        np.lexsort((layer, item)),
        (item, value_code, layer),
        len(item_document),
        corpus.annotators,
        distinct_values,
        documents=item_document,
        document_ids=corpus.ids,
        parent_ids=None if corpus.parent_ids is None else corpus.parent_ids[item_document],
        reading={"items": "segments", "attribute": attribute, **corpus.reading},
        notes=corpus.notes,
    )
