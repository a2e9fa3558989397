"""Check of the layers of a corpus."""

from __future__ import annotations

import numpy as np

from spanagree.corpus.flaws import Flaw, check_flaws, raise_first_case
from spanagree.corpus.raw import RawCorpus
from spanagree.corpus.segments import Content, Layer
from spanagree.errors import InputError, pluralize, quote_value

_UNSEEN = Flaw("lies in a document marked as never seen", lambda raw: raw.start < 0)


def check_layer(corpus: Content, labels: tuple[str, ...], name: str, layer: Layer) -> None:
    """Check that a layer fits the corpus and has no flaws.

    Raises:
        InputError: if it does not; names the first segment.
    """
    if not isinstance(name, str) or not name:
        raise InputError(f"annotator {quote_value(name)}; a name is a string that is not empty")
    n_documents = len(corpus.lengths)
    location = f"annotator {quote_value(name)}"
    if len(layer.annotated) != n_documents:
        n_marks = pluralize(len(layer.annotated), "document")
        raise InputError(f"{location}: marks for {n_marks}; the corpus has {n_documents}")
    for noun, column, n_values in (
        ("document", layer.document, n_documents),
        ("label", layer.label, len(labels)),
    ):
        for value in column[(column < 0) | (column >= n_values)][:1].tolist():
            raise InputError(
                f"{location}: a segment has {noun} number {value}; there are {n_values}, from 0"
            )
    raw = RawCorpus(
        corpus.lengths,
        (name,),
        np.arange(n_documents),  # one annotation per document
        np.zeros(n_documents, np.int64),
        *(layer.document, layer.start, layer.end, layer.label),
        labels,
        ids=corpus.ids,
        details=layer.details,
    )
    check_flaws(raw, repairable=False)
    unseen = ~layer.annotated[layer.document]
    raise_first_case(_UNSEEN, raw, unseen, "only documents marked as seen have segments")
