"""What a source says, row by row, before it is checked.

A :class:`~spanagree.corpus.corpus.Corpus` is always valid. Real files are not, so every reader
first makes a :class:`RawCorpus`, which holds whatever the source says;
:func:`spanagree.corpus.repairs.valid_corpus` makes a corpus of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from spanagree.arrays import Ints
from spanagree.corpus.corpus import Corpus


@dataclass(frozen=True)
class RawCorpus:
    """The rows of a source, unchecked.

    An *annotation* is one annotator's pass over one document; a source may wrongly have two of the
    same. ``label`` is −1 where a segment has none.

    Attributes:
        lengths: per document, its length.
        annotators: the names, in the order met.
        of_document, of_annotator: per annotation, its document and its annotator.
        annotation, start, end, label: per segment.
        labels: the names of the labels, in the order met.
        offsets, ids, tokens, texts, token_starts, reading, notes: as in a corpus.
    """

    lengths: Ints
    annotators: tuple[str, ...]
    of_document: Ints
    of_annotator: Ints
    annotation: Ints
    start: Ints
    end: Ints
    label: Ints
    labels: tuple[str, ...]
    offsets: str = "tokens"
    ids: tuple[str, ...] | None = None
    tokens: tuple[str, ...] | None = None
    texts: tuple[str, ...] | None = None
    token_starts: Ints | None = None
    reading: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, corpus: Corpus) -> RawCorpus:
        """A corpus taken apart again."""
        seen = [np.flatnonzero(layer.annotated) for layer in corpus.layers.values()]
        before = np.cumsum([0, *(len(documents) for documents in seen)])
        annotations = [
            start + np.searchsorted(documents, layer.document)
            for start, documents, layer in zip(before, seen, corpus.layers.values(), strict=False)
        ]
        nothing = [np.zeros(0, np.int64)]
        layers = corpus.layers.values()
        return cls(
            corpus.lengths,
            corpus.annotators,
            np.concatenate([*seen, *nothing]),
            np.repeat(np.arange(len(seen)), [len(documents) for documents in seen]),
            np.concatenate([*annotations, *nothing]),
            np.concatenate([*(layer.start for layer in layers), *nothing]),
            np.concatenate([*(layer.end for layer in layers), *nothing]),
            np.concatenate([*(layer.label for layer in layers), *nothing]),
            corpus.labels,
            corpus.offsets,
            corpus.ids,
            corpus.tokens,
            corpus.texts,
            corpus.token_starts,
            corpus.reading,
            corpus.notes,
        )

    @property
    def document(self) -> Ints:
        """Per segment, its document."""
        return self.of_document[self.annotation]
