"""What becomes of segments of several pieces, where they are not kept as they are."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from spanagree.arrays import Ints
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.details import Pieces, SegmentDetails
from spanagree.corpus.raw import RawCorpus
from spanagree.corpus.segments import Layer
from spanagree.errors import (
    InputError,
    SettingError,
    check_choice,
    chosen,
    more_like_it,
    pluralize,
    quote_value,
)

DISCONTINUOUS = {
    "keep": "they are kept as they are",
    "hull": "each is one piece, from its first token to its last",
    "split": "each of their pieces is a segment; relations are those of the first",
    "drop": "they are left out, and counted",
    "error": "they are an error",
}
"""What becomes of segments of several pieces."""


def with_discontinuous(raw: RawCorpus, treatment: str | None = None) -> RawCorpus:
    """Return the rows with segments of several pieces kept, or as is chosen.

    Args:
        raw: what a source says.
        treatment: one of :data:`DISCONTINUOUS`; they are kept unless given.

    Raises:
        SettingError: for an unknown choice.
        InputError: for the first of them, if they are an error.
    """
    treatment = "keep" if treatment is None else treatment
    check_choice(treatment, DISCONTINUOUS, "discontinuous")
    details = raw.details
    if details is None or not details.shape.any():
        return raw
    if treatment == "keep":
        return raw.replace(reading={"discontinuous": "keep", **raw.reading})
    several = np.flatnonzero(details.shape)
    if treatment == "error":
        row = int(several[0])
        annotator, document = raw.place_of(int(raw.annotation[row]))
        pieces = "; ".join(f"{s}–{e}" for s, e in details.pieces(raw.start)[row])
        raise InputError(
            f"annotator {quote_value(annotator)}, document {quote_value(document)}: a segment of"
            " several pieces,"
            f" {pieces}{more_like_it(len(several))}; discontinuous error allows none"
        )
    left: SegmentDetails | None = details
    columns: dict[str, Any] = {}
    if treatment == "drop":
        kept = np.flatnonzero(details.shape == 0)
        left = details.taken(kept)
        columns = raw.segments_kept(kept)
    elif treatment == "split":
        rows, start, end = details.each_piece(raw.start, raw.end)
        left = details.repeated(rows)
        columns = {**raw.segments_kept(rows), "start": start, "end": end}
    changed = raw.replace(**columns, details=None if left is None else left.with_pieces({}))
    says = {
        "hull": "taken from its first token to its last",
        "split": "taken as a segment for each piece",
        "drop": "left out",
    }[treatment]
    note = (
        f"{pluralize(len(several), 'segment')} of several pieces {says} (discontinuous {treatment})"
    )
    if lost := len(raw.links) - len(changed.links):
        note += f", with {pluralize(lost, 'relation')} of them"
    reading = {**raw.reading, "discontinuous": treatment}
    return changed.replace(reading=reading, notes=(*raw.notes, note))


def check_contiguous(corpus: object, what: str) -> None:
    """Refuse a corpus with segments of several pieces for what takes segments of one.

    Raises:
        SettingError: naming the first, and how they can be read.
    """
    layers = corpus.layers if isinstance(corpus, Corpus) else {}
    for name, layer in layers.items():
        for row in np.flatnonzero(layer.shape)[:1].tolist():
            assert isinstance(corpus, Corpus)  # since it has layers
            document = quote_value(corpus.id_of(int(layer.document[row])))
            segment = layer.segment(row, corpus.labels)
            pieces = "; ".join(f"{s}–{e}" for s, e in segment.pieces)
            raise SettingError(
                f"annotator {quote_value(name)}, document {document}: {quote_value(segment.label)}"
                " has several"
                f" pieces, {pieces}; segments of one piece are needed for {what}: read with"
                f" {chosen('discontinuous', 'hull', 'split', 'drop')}"
            )


def shape_codes(layers: Iterable[Layer], known: dict[Pieces, int]) -> list[Ints]:
    """Return the number of each segment's shape, the same for all layers; 0 for one piece."""
    known.setdefault((), 0)
    codes = []
    for layer in layers:
        details = layer.details or SegmentDetails.none(len(layer))
        numbers = [known.setdefault(shape, len(known)) for shape in details.shapes]
        codes.append(np.array(numbers, np.int64)[details.shape])
    return codes


def in_pieces(layer: Layer) -> tuple[Layer, Ints]:
    """Return a layer with a segment for each piece, and which segment each is a piece of."""
    if not layer.shape.any():
        return layer, np.arange(len(layer))
    details = layer.details or SegmentDetails.none(len(layer))
    rows, low, high = details.each_piece(layer.start, layer.end)
    document, label = layer.document[rows], layer.label[rows]
    order = np.lexsort((label, high, low, document))
    return (
        Layer(document[order], low[order], high[order], label[order], layer.annotated),
        rows[order],
    )
