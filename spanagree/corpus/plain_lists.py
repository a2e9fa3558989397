"""Segments and relations of annotators in plain lists, collected into raw rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from spanagree.corpus.collector import Collector
from spanagree.corpus.raw import RawCorpus
from spanagree.errors import (
    InputError,
    check_known,
    count_entries,
    invalid_value,
    is_integer,
    pluralize,
    quote_value,
)


def collect_lists(
    lengths: Sequence[int],
    layers: Mapping[str, Sequence[Sequence[tuple[Any, ...]] | None]],
    relations: Mapping[str, Sequence[Sequence[tuple[Any, ...]] | None]],
    offsets: str,
) -> RawCorpus:
    """Collect the raw rows of plain lists.

    Arguments are documented in :meth:`spanagree.Corpus.from_segments`.

    Raises:
        InputError: if a value has another form, or a segment has no label.
    """
    if not isinstance(layers, Mapping):
        raise InputError(f"layers {quote_value(layers)}; a mapping of annotators is needed")
    if not isinstance(lengths, (Sequence, np.ndarray)) or count_entries(lengths) is None:
        raise InputError(f"lengths {quote_value(lengths)}; a list of whole numbers is needed")
    collector = Collector(offsets, layers)
    for d, length in enumerate(lengths, 1):
        collector.add_document(d, f"document {d}", length=length)
    relations_by_name = dict(relations)
    check_known(relations_by_name, layers, "relations of annotator")
    for name, documents in layers.items():
        relation_lists = relations_by_name.get(name, [None] * len(lengths))
        _check_lists(documents, len(lengths), name, "segments")
        _check_lists(relation_lists, len(lengths), name, "relations")
        for d, (segments, rows) in enumerate(zip(documents, relation_lists, strict=True)):
            location = f"annotator {quote_value(name)}, document {d + 1}"
            add_segments(collector, d, name, segments, location, rows or ())
    raw = collector.build_raw_corpus({}, numbered=True)
    if (raw.label < 0).any():
        from spanagree.corpus.flaws import FLAWS, raise_first_case  # most rows are valid

        rule = "a label is a string that is not blank"
        raise_first_case(FLAWS["unlabelled"], raw, raw.label < 0, rule)
    return raw


def _check_lists(values: object, n_documents: int, name: str, noun: str) -> None:
    """Check that values are a list for each document, each of segments or relations or ``None``."""
    if (
        isinstance(values, Sequence)
        and len(values) == n_documents
        and all(value is None or isinstance(value, Sequence) for value in values)
    ):
        return
    size = pluralize(n_documents, "document")
    needed = f"a list of {size} is needed, each a list of {noun} or None"
    raise invalid_value(f"annotator {quote_value(name)}:", values, needed)


def add_segments(
    collector: Collector,
    document: int,
    annotator: object,
    rows: Iterable[Any] | None,
    location: str,
    relations: Iterable[Any] = (),
) -> None:
    """Add the segments and relations of an annotator in a document to a collector.

    Args:
        collector: rows so far.
        document: index of the document.
        annotator: name of the annotator.
        rows: (start, end, label) of each segment, or ([(start, end), …], label) with several
            pieces; a mapping of attributes may follow. ``None`` if they never saw the document.
        location: beginning of error messages.
        relations: (first, second, label) of each relation, with the positions of two segments in
            `rows`, from 0. A fourth entry is False for undirected relations.
    """
    if rows is None:
        collector.add_annotator(annotator, location)
        for relation in relations:
            raise invalid_value(f"{location}: relation", relation, "its document was never seen")
        return
    annotation = collector.add_annotation(document, annotator, location)
    segments = [_add_segment(collector, annotation, row, location) for row in rows]
    for relation in relations:
        _add_relation(collector, segments, relation, location)


def _add_segment(collector: Collector, annotation: int, row: Any, location: str) -> int:
    """Add a segment, and return its index."""
    if isinstance(row, (tuple, Sequence)) and 2 <= len(row) <= 4:
        *bounds, attributes = row if isinstance(row[-1], Mapping) else (*row, None)
        *bounds, label = bounds
        if len(bounds) == 1 and isinstance(bounds[0], (list, tuple)):
            return collector.add_segment_in_pieces(
                annotation, bounds[0], label, location, attributes
            )
        if len(bounds) == 2:
            start, end = bounds
            return collector.add_segment(annotation, start, end, label, location, attributes)
    raise invalid_value(f"{location}: segment", row, "(start, end, label) is needed")


def _add_relation(
    collector: Collector, segments: Sequence[int], relation: Any, location: str
) -> None:
    """Add a relation between two segments; ``segments`` are the indices of all in the document."""
    if not isinstance(relation, (tuple, Sequence)) or len(relation) not in (3, 4):
        raise invalid_value(f"{location}: relation", relation, "(first, second, label) is needed")
    first, second, label, directed = (*relation, True)[:4]
    ends = []
    for position in (first, second):
        if not is_integer(position):
            needed = "the place of a segment, from 0"
            raise invalid_value(f"{location}: relation to", position, needed)
        is_known = 0 <= position < len(segments)
        ends.append(segments[int(position)] if is_known else None)
    collector.details.add_relation(ends[0], ends[1], label, location, directed)
