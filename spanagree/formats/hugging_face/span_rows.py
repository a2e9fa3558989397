"""Rows with spans: one a document or annotation, or one a span."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from spanagree.corpus.collector import document_id, text_of_whole
from spanagree.corpus.details import SCORE
from spanagree.corpus.raw import RawCorpus
from spanagree.errors import is_whole, quote_value
from spanagree.formats.hugging_face.columns import (
    cell_of,
    has,
    layer_names,
    number_in,
    rows_of,
)
from spanagree.formats.hugging_face.shape import ColumnMapping
from spanagree.formats.hugging_face.spans import SpanReader, by_annotator
from spanagree.formats.records import RawAnnotation, RawSpan, ReadLog, Record, gather
from spanagree.formats.usual_names import keys_of


def from_spans(data: Any, shape: ColumnMapping) -> RawCorpus:
    """Return the rows of columns of spans, of one column by annotator, or of the long form."""
    long = shape.annotator is not None
    is_open = not long and (isinstance(shape.spans, str) or "" in shape.layers)
    log = ReadLog(shape.file or "", align=shape.align)
    log.numbered = shape.document is None
    return gather(
        _records(data, shape, log, is_open=is_open),
        log,
        {"format": "datasets", **shape.chosen},
        offsets=_offsets(shape),
        annotators=() if long or is_open else shape.layers,
        ends=shape.ends,
        again=long,
        one_each=shape.label is not None,
        unnamed=is_open,
    )


def _records(data: Any, shape: ColumnMapping, log: ReadLog, *, is_open: bool) -> Iterator[Record]:
    features, layers = getattr(data, "features", None), shape.layers
    flat, long = getattr(data, "flat", False), shape.annotator is not None
    label_names = {c: layer_names(features, c, shape.label_names) for c in layers.values()}
    people = layer_names(features, str(shape.annotator), None)
    reader = SpanReader(log, scores=shape.scores, strings=shape.strings)

    def annotations(row: Mapping[str, Any], text: Any, location: str) -> Iterator[RawAnnotation]:
        for layer, column in layers.items():
            cell = cell_of(row, column)
            pairs = [(_person(row, shape.annotator, people) if long else layer, cell)]
            if is_open and not shape.by_label:
                users, states = (row.get(f"{column}.{key}") for key in ("users", "status"))
                pairs = by_annotator(cell, users, states) or pairs
            for name, spans in pairs:
                is_nobody = is_open and isinstance(name, str) and not name
                place = location if is_nobody else f"{location}, annotator {quote_value(name)}"
                rows = reader.rows(spans, label_names[column], text, place, name)
                if shape.label is not None:
                    rows = _labelled(rows, row.get(shape.label))
                yield RawAnnotation(name, rows, location=place)

    for number, (location, row) in enumerate(rows_of(data, shape.columns, shape.maybe), 1):
        content = shape.content(row, flat=flat)
        id_ = str(number) if shape.document is None else cell_of(row, shape.document)
        links = row.get("relations")
        log.passed["relation"] += len(links) if isinstance(links, list) else 0
        text = "" if shape.strings else content.get("text", content.get("tokens"))
        yield Record(location, id_, content, annotations(row, text, location))
    log.notes += reader.notes()


def _labelled(spans: list[RawSpan] | None, label: Any) -> list[RawSpan] | None:
    """Return the spans of a row with its label; a row with neither says that nothing is marked."""
    if spans is None:
        return [] if label is None else None
    return [span if label is None else span._replace(label=text_of_whole(label)) for span in spans]


def from_span_table(data: Any, shape: ColumnMapping) -> RawCorpus:
    """Return the rows of a table with a row for each span.

    A row without start and end says that the annotator saw the document; one without annotator too
    has but the document's text. If there is no such row, nobody said who saw what has no span.
    """
    log = ReadLog(shape.file or "")
    reading = {"format": "datasets", **shape.chosen}
    records = _of_table(data, shape, log)
    return gather(records, log, reading, offsets=_offsets(shape), ends=shape.ends, one_each=True)


def _of_table(data: Any, shape: ColumnMapping, log: ReadLog) -> Iterator[Record]:
    start, end, *label = (column.strip() for column in str(shape.spans).split(","))
    nobody = "" if shape.file is not None else "spans"
    log.labelled = bool(label)
    names: dict[str, None] = {}
    is_stated = False
    people = layer_names(getattr(data, "features", None), str(shape.annotator), None)
    for location, row in rows_of(data, shape.columns, shape.maybe):
        id_ = document_id(cell_of(row, str(shape.document)), location)
        cells = shape.content(row, flat=False).items()
        content = {key: cell for key, cell in cells if cell is not None}
        first, last = (number_in(cell_of(row, column)) for column in (start, end))
        blank = first is None and last is None
        annotator = _person(row, shape.annotator, people) if shape.annotator else nobody
        if blank and shape.annotator and not annotator:
            yield Record(location, id_, content)
            continue
        is_stated |= blank
        names[annotator] = None
        spans = []
        if not blank:
            marked = text_of_whole(cell_of(row, label[0])) if label else None
            quote = cell_of(row, shape.quote) if shape.quote and has(row, shape.quote) else None
            score = row.get(keys_of(tuple(row)).get("probability")) if shape.scores else None
            details = None if score is None else {SCORE: str(score)}
            spans = [
                RawSpan(first, last, marked, quote if isinstance(quote, str) else None, details)
            ]
        place = location if annotator == "" else f"{location}, annotator {quote_value(annotator)}"
        yield Record(location, id_, content, [RawAnnotation(annotator, spans, location=place)])
    if not is_stated:
        log.seen_unknown = names


def _offsets(shape: ColumnMapping) -> str:
    has_tokens = shape.tokens is not None and shape.text is None and not shape.strings
    return "tokens" if has_tokens else "characters"


def _person(row: Mapping[str, Any], column: str | None, names: Sequence[str] | None) -> Any:
    """Return the name in a column of annotators, which may have ids for them."""
    annotator = cell_of(row, str(column))
    if names is not None and is_whole(annotator) and 0 <= annotator < len(names):
        return names[annotator]
    return text_of_whole(annotator)
