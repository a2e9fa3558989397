"""The texts that documents were joined of, each as a document again."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Ints
from spanagree.corpus.corpus import Corpus
from spanagree.errors import SettingError


class JoinedTexts(NamedTuple):
    """The texts of a corpus whose documents were joined of them.

    Attributes:
        corpus: the same segments, with a document for each text; the line break that joins two
            texts belongs to the second.
        document: per text, the number of the document that it is in.
    """

    corpus: Corpus
    document: Ints

    @classmethod
    def of(cls, joined: Corpus | None) -> JoinedTexts:
        """Return the texts of a corpus.

        Raises:
            SettingError: if its documents were not joined of texts.
        """
        if joined is None or joined.text_ends is None:
            raise SettingError(
                "resample_by text: the documents were not joined of texts; join them with group_by"
                " and unit document (sentences of CoNLL with unit document), or resample by unit"
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
        return cls(Corpus(end - begin, layers, joined.labels, offsets=joined.offsets), document)
