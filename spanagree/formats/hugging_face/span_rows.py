"""Rows with spans: one a document or annotation, or one a span."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from spanagree.corpus.collector import Collector, document_id, text_of_whole
from spanagree.corpus.raw import RawCorpus
from spanagree.errors import counted, is_whole, show
from spanagree.formats.hugging_face.columns import (
    cell_of,
    has,
    layer_names,
    number_in,
    rows_of,
)
from spanagree.formats.hugging_face.shape import Shape
from spanagree.formats.hugging_face.spans import SpanReader, by_annotator
from spanagree.formats.records import ONE_LABEL


def from_spans(data: Any, shape: Shape) -> RawCorpus:
    """Return the rows of columns of spans, of one column by annotator, or of the long form."""
    features, layers = getattr(data, "features", None), shape.layers
    flat, long = getattr(data, "flat", False), shape.annotator is not None
    is_open = not long and (isinstance(shape.spans, str) or "" in layers)
    label_names = {c: layer_names(features, c, shape.label_names) for c in layers.values()}
    people = layer_names(features, str(shape.annotator), None)
    named = () if long or is_open else layers
    collector = _collector(shape, named, unnamed=is_open)
    reader = SpanReader(align=shape.align)
    for number, (where, row) in enumerate(rows_of(data, shape.columns, shape.maybe), 1):
        content = shape.content(row, flat=flat)
        id_ = str(number) if shape.document is None else cell_of(row, shape.document)
        document = collector.document(id_, where, again=long, **content)
        for layer, column in layers.items():
            cell = cell_of(row, column)
            pairs = [(_person(row, shape.annotator, people) if long else layer, cell)]
            if is_open and not shape.by_label:
                users, states = (row.get(f"{column}.{key}") for key in ("users", "status"))
                pairs = by_annotator(cell, users, states) or pairs
            for who, spans in pairs:
                place = where if who == "" and is_open else f"{where}, annotator {show(who)}"
                names = _categories(row) or label_names[column]
                rows = reader.rows(spans, names, content.get("text"), place, who)
                if rows is None:
                    collector.annotator(who, place)
                    continue
                annotation = collector.annotation(document, who, place)
                for start, end, label, quote in rows:
                    collector.segment(annotation, start, end, label, place, quote=quote)
    return _raw(collector, reader, shape, [])


def from_span_table(data: Any, shape: Shape) -> RawCorpus:
    """Return the rows of a table with a row for each span.

    A row without start and end says that the annotator saw the document; one without annotator too
    has but the document's text. If there is no such row, nobody said who saw what has no span.
    """
    start, end, *label = (column.strip() for column in str(shape.spans).split(","))
    nobody = "" if shape.file is not None else "spans"
    collector = _collector(shape, unnamed=True)
    reader = SpanReader()
    reader.labelled = bool(label)
    annotations: dict[tuple[int, str], int] = {}
    numbers: dict[str, int] = {}
    stated = False
    people = layer_names(getattr(data, "features", None), str(shape.annotator), None)
    for where, row in rows_of(data, shape.columns, shape.maybe):
        id_ = document_id(cell_of(row, str(shape.document)), where)
        content = {
            k: cell for k, cell in shape.content(row, flat=False).items() if cell is not None
        }
        if content or id_ not in numbers:
            numbers[id_] = collector.document(id_, where, again=True, **content)
        first, last = (number_in(cell_of(row, column)) for column in (start, end))
        blank = first is None and last is None
        who = _person(row, shape.annotator, people) if shape.annotator else nobody
        if blank and shape.annotator and not who:
            continue
        stated |= blank
        place = where if who == "" else f"{where}, annotator {show(who)}"
        key = (numbers[id_], who)
        if key not in annotations:
            annotations[key] = collector.annotation(numbers[id_], who, place)
        if not blank:
            marked = text_of_whole(cell_of(row, label[0])) if label else None
            quote = cell_of(row, shape.quote) if shape.quote and has(row, shape.quote) else None
            known = quote if isinstance(quote, str) else None
            collector.segment(annotations[key], first, last, marked, place, quote=known)
    names = dict.fromkeys(who for _, who in annotations)
    unsaid = () if stated else tuple(names)
    return _raw(collector, reader, shape, []).but(unsaid=unsaid)


def _raw(collector: Collector, reader: SpanReader, shape: Shape, notes: list[str]) -> RawCorpus:
    """Return what was collected, with notes of what the reader did."""
    notes += reader.quotes.notes(_prefix(shape))
    notes += reader.copies.notes(_prefix(shape))
    if reader.probable:
        spans = counted(reader.probable, "span")
        notes.append(
            f"{_prefix(shape)}{spans} with a probability, which is not used: all are taken as"
            " marked; spanagree evaluate --match soft --probabilities reads it"
        )
    if not reader.labelled and collector.call_all(ONE_LABEL):
        notes.append(f"{_prefix(shape)}the spans have no labels; all are called {ONE_LABEL!r}")
    how = {"format": "datasets", **shape.chosen}
    how |= {"quotes": counts} if (counts := reader.unaligned()) else {}
    return collector.raw(how, notes, numbered=shape.document is None)


def _collector(shape: Shape, annotators: Iterable[str] = (), *, unnamed: bool) -> Collector:
    name = shape.file or "data"
    return Collector(_offsets(shape), annotators, unnamed=unnamed, ends=shape.ends, name=name)


def _prefix(shape: Shape) -> str:
    return "" if shape.file is None else f"{shape.file}: "


def _offsets(shape: Shape) -> str:
    return "tokens" if shape.tokens is not None and shape.text is None else "characters"


def _person(row: Mapping[str, Any], column: str | None, names: Sequence[str] | None) -> Any:
    """Return the name in a column of annotators, which may have ids for them."""
    who = cell_of(row, str(column))
    if names is not None and is_whole(who) and 0 <= who < len(names):
        return names[who]
    return text_of_whole(who)


def _categories(row: Mapping[str, Any]) -> list[str] | None:
    """Return the names that factgenie gives its labels in each row, if it does."""
    about = row.get("metadata")
    kinds = about.get("annotation_span_categories") if isinstance(about, Mapping) else None
    if not isinstance(kinds, list) or not all(isinstance(kind, Mapping) for kind in kinds):
        return None
    return [str(kind.get("name")) for kind in kinds]
