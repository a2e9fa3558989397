"""Treatment of segments with several pieces: keep, convert, drop or reject."""

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
    format_setting,
    pluralize,
    quote_value,
    write_number_of_further,
)

DISCONTINUOUS = {
    "keep": "they are kept as they are",
    "hull": "each is one piece, from its first token to its last",
    "split": "each of their pieces is a segment; relations are those of the first",
    "drop": "they are left out, and counted",
    "error": "they are an error",
}
"""Treatments of segments with several pieces."""


def apply_discontinuous(raw: RawCorpus, treatment: str | None = None) -> RawCorpus:
    """Apply a treatment of segments with several pieces to the rows.

    Args:
        raw: rows of a source.
        treatment: name in :data:`DISCONTINUOUS`. Default: keep.

    Raises:
        SettingError: if the treatment is unknown.
        InputError: if there are such segments and the treatment is error; names the first.
    """
    treatment = "keep" if treatment is None else treatment
    check_choice(treatment, DISCONTINUOUS, "discontinuous")
    details = raw.details
    if details is None or not details.shape.any():
        return raw
    if treatment == "keep":
        return raw.replace(reading={"discontinuous": "keep", **raw.reading})
    discontinuous_rows = np.flatnonzero(details.shape)
    if treatment == "error":
        row = int(discontinuous_rows[0])
        annotator, document = raw.find_annotator_and_document(int(raw.annotation[row]))
        pieces = "; ".join(f"{s}–{e}" for s, e in details.compute_pieces_by_row(raw.start)[row])
        raise InputError(
            f"annotator {quote_value(annotator)}, document {quote_value(document)}: a segment of"
            " several pieces,"
            f" {pieces}{write_number_of_further(len(discontinuous_rows))}; discontinuous error"
            " allows none"
        )
    new_details: SegmentDetails | None = details
    columns: dict[str, Any] = {}
    if treatment == "drop":
        contiguous_rows = np.flatnonzero(details.shape == 0)
        new_details = details.select(contiguous_rows)
        columns = raw.select_columns(contiguous_rows)
    elif treatment == "split":
        rows, start, end = details.list_pieces(raw.start, raw.end)
        new_details = details.repeat_rows(rows)
        columns = {**raw.select_columns(rows), "start": start, "end": end}
    new_raw = raw.replace(
        **columns, details=None if new_details is None else new_details.replace_pieces({})
    )
    treatment_text = {
        "hull": "taken from its first token to its last",
        "split": "taken as a segment for each piece",
        "drop": "left out",
    }[treatment]
    note = (
        f"{pluralize(len(discontinuous_rows), 'segment')} of several pieces {treatment_text}"
        f" (discontinuous {treatment})"
    )
    if n_lost := len(raw.links) - len(new_raw.links):
        note += f", with {pluralize(n_lost, 'relation')} of them"
    reading = {**raw.reading, "discontinuous": treatment}
    return new_raw.replace(reading=reading, notes=(*raw.notes, note))


def check_contiguous(corpus: object, what: str) -> None:
    """Check that each segment of a corpus has one piece; `what` names the method that needs it.

    Raises:
        SettingError: if a segment has several pieces; the message names the first, and options for
            reading.
    """
    layers = corpus.layers if isinstance(corpus, Corpus) else {}
    for name, layer in layers.items():
        for row in np.flatnonzero(layer.shape)[:1].tolist():
            assert isinstance(corpus, Corpus)  # only a corpus has layers here
            document = quote_value(corpus.id_of(int(layer.document[row])))
            segment = layer.segment(row, corpus.labels)
            pieces = "; ".join(f"{s}–{e}" for s, e in segment.pieces)
            raise SettingError(
                f"annotator {quote_value(name)}, document {document}: {quote_value(segment.label)}"
                " has several"
                f" pieces, {pieces}; segments of one piece are needed for {what}: read with"
                f" {format_setting('discontinuous', 'hull', 'split', 'drop')}"
            )


def encode_shapes(layers: Iterable[Layer], known: dict[Pieces, int]) -> list[Ints]:
    """Encode the shape of each segment, with the same codes in all layers; 0 for one piece.

    ``known`` has the codes of shapes so far, and is extended. The result has an array per layer.
    """
    known.setdefault((), 0)
    codes_by_layer = []
    for layer in layers:
        details = layer.details or SegmentDetails.create_empty(len(layer))
        code_by_shape = [known.setdefault(shape, len(known)) for shape in details.shapes]
        codes_by_layer.append(np.array(code_by_shape, np.int64)[details.shape])
    return codes_by_layer


def split_into_pieces(layer: Layer) -> tuple[Layer, Ints]:
    """Split each segment into pieces; also return the row of the segment of each piece."""
    if not layer.shape.any():
        return layer, np.arange(len(layer))
    details = layer.details or SegmentDetails.create_empty(len(layer))
    rows, low, high = details.list_pieces(layer.start, layer.end)
    document, label = layer.document[rows], layer.label[rows]
    order = np.lexsort((label, high, low, document))
    return (
        Layer(document[order], low[order], high[order], label[order], layer.annotated),
        rows[order],
    )
