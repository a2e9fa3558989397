"""Attributes of segments as items with labels: those segments that annotators marked alike."""

from __future__ import annotations

import numpy as np

from spanagree.arrays import distinct
from spanagree.corpus.details import Details, check_attribute
from spanagree.corpus.label_table import LabelTable
from spanagree.corpus.segments import codes, columns_of_all
from spanagree.formats.guessed import CorpusLike, corpus_of

NONE = "(none)"
"""The label of a segment without the attribute, which is an answer too."""


def attribute_labels(corpus: CorpusLike, attribute: str) -> LabelTable:
    """Return the values that annotators gave an attribute, of each segment that one marked.

    An item is a segment: its place, its label and its pieces. Annotators who did not mark it give
    it no label, so coefficients rest on the segments that two or more marked alike; those who did
    and left the attribute out give it ``(none)``.

    Args:
        corpus: the annotations.
        attribute: its name.

    Raises:
        SettingError: if no segment has the attribute.

    >>> from spanagree.corpus.corpus import Corpus
    >>> layers = {"a": [[(0, 2, "X", {"sure": "no"})]], "b": [[(0, 2, "X")]]}
    >>> table = attribute_labels(Corpus.from_segments([5], layers), "sure")
    >>> [table.labels[code] for code in table.label]
    ['no', '(none)']
    """
    corpus = corpus_of(corpus)
    details = [x.details or Details.none(len(x)) for x in corpus.layers.values()]
    check_attribute(attribute, details)
    document, start, end, label, layer = columns_of_all(corpus.layers.values())
    shapes, _ = codes(
        str(detail.shapes[code]) for detail in details for code in detail.shape.tolist()
    )
    values = [value or NONE for detail in details for value in detail.attribute(attribute)]
    names = tuple(sorted(set(values)))
    number = {name: i for i, name in enumerate(names)}
    given = np.array([number[value] for value in values], np.int64)
    (of_document, *_), item, _ = distinct(document, start, end, label, shapes)
    return LabelTable.of_single(
        np.lexsort((layer, item)),
        (item, given, layer),
        len(of_document),
        corpus.annotators,
        names,
        documents=of_document,
        wholes=None if corpus.wholes is None else corpus.wholes[of_document],
        reading={"items": "segments", "attribute": attribute, **corpus.reading},
        notes=corpus.notes,
    )
