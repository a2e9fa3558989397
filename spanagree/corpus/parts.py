"""Refuse the parts of a corpus that are not valid, or do not belong together."""

from __future__ import annotations

import numpy as np

from spanagree.corpus.flaws import Flaw, refuse, refuse_flaws
from spanagree.corpus.raw import RawCorpus
from spanagree.corpus.segments import LONGEST, OFFSETS, Layer
from spanagree.corpus.tokens import sizes_of
from spanagree.errors import InputError, check_choice, show

_UNSEEN = Flaw("lies in a document marked as never seen", lambda raw: raw.start < 0)


def check_content(raw: RawCorpus) -> None:
    """Refuse lengths, ids, tokens, texts and labels that are not valid.

    Raises:
        InputError: naming the first.
    """
    check_choice(raw.offsets, OFFSETS, "offsets")
    size = float(raw.lengths.sum(dtype=np.float64))
    if size > LONGEST:
        raise InputError(
            f"the documents have {size:.3g} {raw.offsets}; more than {LONGEST:.3g} are not"
            " supported"
        )
    for d in np.flatnonzero(raw.lengths < 0)[:1].tolist():
        raise InputError(
            f"document {show(raw.id_of(d))}: length {raw.lengths[d]}; at least 0 is allowed"
        )
    for what, values in (("ids", raw.ids), ("texts", raw.texts)):
        if values is not None and len(values) != len(raw.lengths):
            raise InputError(
                f"{len(values)} {what}; one for each of the {len(raw.lengths)} documents is needed"
            )
    _check_names(raw)
    tokens = () if raw.tokens is None else raw.tokens
    if raw.tokens is not None and len(tokens) != raw.lengths.sum():
        raise InputError(
            f"{len(tokens)} tokens; the lengths of the documents add up to {raw.lengths.sum()}"
        )
    if raw.token_starts is not None and len(raw.token_starts) != len(tokens):
        raise InputError(
            f"{len(raw.token_starts)} starts for {len(tokens)} tokens; each token needs one"
        )
    if raw.texts is not None and raw.offsets == "characters":
        for d in np.flatnonzero(sizes_of(raw.texts) != raw.lengths)[:1].tolist():
            raise InputError(
                f"document {show(raw.id_of(d))}: {len(raw.texts[d])} characters; its length"
                f" is given as {raw.lengths[d]}"
            )


def _check_names(raw: RawCorpus) -> None:
    """Refuse ids and labels that are not names, or stand twice."""
    seen: set[str] = set()
    for id_ in raw.ids or ():
        if not isinstance(id_, str) or not id_ or id_ in seen:
            raise InputError(
                f"document id {show(id_)}; ids are strings that are not empty, each used once"
            )
        seen.add(id_)
    if len(set(raw.labels)) < len(raw.labels):
        raise InputError(f"labels {show(raw.labels)}; each label is named once")
    for label in raw.labels:
        if not isinstance(label, str) or not label.strip():
            raise InputError(f"label {show(label)}; a label is a string that is not blank")


def check_layer(content: RawCorpus, name: str, layer: Layer) -> None:
    """Refuse a layer that does not fit the corpus, or has a flaw.

    Raises:
        InputError: naming the first segment.
    """
    if not isinstance(name, str) or not name:
        raise InputError(f"annotator {show(name)}; a name is a string that is not empty")
    n = len(content.lengths)
    where = f"annotator {show(name)}"
    if len(layer.annotated) != n:
        raise InputError(f"{where}: marks for {len(layer.annotated)} documents; the corpus has {n}")
    if len(layer) and not 0 <= layer.document[0] <= layer.document[-1] < n:
        raise InputError(
            f"{where}: a segment lies in document number {layer.document[[0, -1]].tolist()};"
            f" 0 to {n - 1} are there"
        )
    if len(layer) and not 0 <= layer.label.min() <= layer.label.max() < len(content.labels):
        raise InputError(
            f"{where}: label number {layer.label.max()}; the corpus has"
            f" {len(content.labels)} labels"
        )
    rows = (layer.document, layer.start, layer.end, layer.label)
    whose = np.arange(n), np.zeros(n, np.int64)  # every document is an annotation
    raw = RawCorpus(content.lengths, (name,), *whose, *rows, content.labels, ids=content.ids)
    refuse_flaws(raw, repairable=False)
    unseen = ~layer.annotated[layer.document]
    refuse(_UNSEEN, raw, unseen, "only documents marked as seen have segments")
