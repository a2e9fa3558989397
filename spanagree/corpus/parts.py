"""Refuse the parts of a corpus that are not valid, or do not belong together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from spanagree.corpus.flaws import Flaw, refuse, refuse_flaws
from spanagree.corpus.raw import RawCorpus
from spanagree.corpus.segments import LONGEST, OFFSETS, Content, Layer
from spanagree.corpus.tokens import sizes_of
from spanagree.errors import InputError, check_choice, counted, show, unfit

_UNSEEN = Flaw("lies in a document marked as never seen", lambda raw: raw.start < 0)


def check_content(corpus: Content, offsets: str, labels: Sequence[str]) -> None:
    """Refuse lengths, ids, tokens, texts and labels that are not valid.

    Raises:
        InputError: naming the first.
    """
    check_choice(offsets, OFFSETS, "offsets")
    size = float(corpus.lengths.sum(dtype=np.float64))
    if size > LONGEST:
        raise InputError(
            f"the documents have {size:.3g} {offsets}; more than {LONGEST:.3g} are not supported"
        )
    for d in np.flatnonzero(corpus.lengths < 0)[:1].tolist():
        raise InputError(
            f"document {show(corpus.id_of(d))}: length {corpus.lengths[d]}; at least 0 is allowed"
        )
    total, tokens = int(corpus.lengths.sum()), vars(corpus)["tokens"] or ()
    n = len(corpus.lengths)
    of_documents = (n, f"one for each of {counted(n, 'document')} is needed")
    for what, (number, needed) in {
        "wholes": of_documents,
        "text_ends": of_documents,
        "ids": of_documents,
        "texts": of_documents,
        "tokens": (total, f"the lengths of the documents add up to {total}"),
        "token_starts": (len(tokens), f"one for each of {counted(len(tokens), 'token')} is needed"),
    }.items():
        values = vars(corpus)[what]  # tokens are not looked at
        if values is not None and len(values) != number:
            raise InputError(f"{counted(len(values), what[:-1])}; {needed}")
    _check_names(corpus, labels)
    if corpus.texts is not None and offsets == "characters":
        for d in np.flatnonzero(sizes_of(corpus.texts) != corpus.lengths)[:1].tolist():
            raise InputError(
                f"document {show(corpus.id_of(d))}: {counted(len(corpus.texts[d]), 'character')};"
                f" its length is given as {corpus.lengths[d]}"
            )


def _check_names(corpus: Content, labels: Sequence[str]) -> None:
    """Refuse ids and labels that are not names, or stand twice."""
    seen: set[str] = set()
    for id_ in corpus.ids or ():
        if not isinstance(id_, str) or not id_ or id_ in seen:
            raise unfit("document id", id_, "ids are strings that are not empty, each used once")
        seen.add(id_)
    if len(set(labels)) < len(labels):
        raise InputError(f"labels {show(labels)}; each label is named once")
    for label in labels:
        if not isinstance(label, str) or not label.strip():
            raise InputError(f"label {show(label)}; a label is a string that is not blank")


def check_layer(corpus: Content, labels: tuple[str, ...], name: str, layer: Layer) -> None:
    """Refuse a layer that does not fit the corpus, or has a flaw.

    Raises:
        InputError: naming the first segment.
    """
    if not isinstance(name, str) or not name:
        raise InputError(f"annotator {show(name)}; a name is a string that is not empty")
    n = len(corpus.lengths)
    where = f"annotator {show(name)}"
    if len(layer.annotated) != n:
        marks = counted(len(layer.annotated), "document")
        raise InputError(f"{where}: marks for {marks}; the corpus has {n}")
    columns = (("document", layer.document, n), ("label", layer.label, len(labels)))
    for what, column, number in columns:
        for i in column[(column < 0) | (column >= number)][:1].tolist():
            raise InputError(
                f"{where}: a segment has {what} number {i}; there are {number}, from 0"
            )
    rows = (layer.document, layer.start, layer.end, layer.label)
    whose = np.arange(n), np.zeros(n, np.int64)  # every document is an annotation
    raw = RawCorpus(
        corpus.lengths, (name,), *whose, *rows, labels, ids=corpus.ids, details=layer.details
    )
    refuse_flaws(raw, repairable=False)
    unseen = ~layer.annotated[layer.document]
    refuse(_UNSEEN, raw, unseen, "only documents marked as seen have segments")
