"""Flaws of the layers of a corpus: a segment of no document, with a flaw, or never seen."""

from __future__ import annotations

import numpy as np

from spanagree.corpus.flaws import Flaw, refuse, refuse_flaws
from spanagree.corpus.raw import RawCorpus
from spanagree.corpus.segments import Content, Layer
from spanagree.errors import InputError, pluralize, quote_value

_UNSEEN = Flaw("lies in a document marked as never seen", lambda raw: raw.start < 0)


def refuse_layer(corpus: Content, labels: tuple[str, ...], name: str, layer: Layer) -> None:
    """Raise if a layer does not fit the corpus, or has a flaw.

    Raises:
        InputError: naming the first segment.
    """
    if not isinstance(name, str) or not name:
        raise InputError(f"annotator {quote_value(name)}; a name is a string that is not empty")
    n = len(corpus.lengths)
    location = f"annotator {quote_value(name)}"
    if len(layer.annotated) != n:
        marks = pluralize(len(layer.annotated), "document")
        raise InputError(f"{location}: marks for {marks}; the corpus has {n}")
    for noun, column, count in (
        ("document", layer.document, n),
        ("label", layer.label, len(labels)),
    ):
        for i in column[(column < 0) | (column >= count)][:1].tolist():
            raise InputError(
                f"{location}: a segment has {noun} number {i}; there are {count}, from 0"
            )
    raw = RawCorpus(
        corpus.lengths,
        (name,),
        np.arange(n),  # every document is an annotation
        np.zeros(n, np.int64),
        *(layer.document, layer.start, layer.end, layer.label),
        labels,
        ids=corpus.ids,
        details=layer.details,
    )
    refuse_flaws(raw, repairable=False)
    unseen = ~layer.annotated[layer.document]
    refuse(_UNSEEN, raw, unseen, "only documents marked as seen have segments")
