"""Readers of rows with spans: a row for each document, annotation or span."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from spanagree.corpus.details import SCORE
from spanagree.corpus.raw import RawCorpus, convert_document_id, convert_integer_to_text
from spanagree.errors import InputError, is_integer, pluralize, quote_value, write_number_of_further
from spanagree.formats.exports import convert_to_seconds, find_ignored_noun
from spanagree.formats.hugging_face.columns import (
    find_label_names,
    get_cell,
    has_column,
    parse_integer,
    yield_required_rows,
)
from spanagree.formats.hugging_face.shape import SUBMITTED, ColumnMapping
from spanagree.formats.hugging_face.spans import (
    SpanReader,
    UnreadAnswerError,
    get_label_name,
    is_sequence,
    parse_cell,
    split_by_annotator,
)
from spanagree.formats.records import (
    RawAnnotation,
    RawSpan,
    ReadLog,
    Record,
    build_raw_from_records,
)
from spanagree.formats.usual_names import find_span_keys


def read_spans(data: Any, shape: ColumnMapping) -> RawCorpus:
    """Read rows with spans: a column for each annotator, one column for all, or a row for each."""
    has_row_per_annotator = shape.annotator is not None
    is_open = not has_row_per_annotator and (isinstance(shape.spans, str) or "" in shape.layers)
    log = ReadLog(shape.file or "", align=shape.align)
    log.numbered = shape.document is None
    return build_raw_from_records(
        _yield_records(data, shape, log, is_open=is_open),
        log,
        {"format": "datasets", **shape.reading_settings},
        offsets=_choose_offset_unit(shape),
        annotators=() if has_row_per_annotator or is_open else shape.layers,
        ends=shape.ends,
        again=has_row_per_annotator,
        one_each=shape.label is not None,
        unnamed=is_open,
    )


def _yield_records(
    data: Any, shape: ColumnMapping, log: ReadLog, *, is_open: bool
) -> Iterator[Record]:
    """Yield a record for each row, with the annotations in its columns of spans.

    ``is_open`` is True if annotators are unknown before reading, as a cell may have the spans of
    several.
    """
    features, layers = getattr(data, "features", None), shape.layers
    labels_by_column = shape.labels or {}
    is_text, has_row_per_annotator = getattr(data, "flat", False), shape.annotator is not None
    label_names = {
        column: find_label_names(features, column, shape.label_names)
        for column in (*layers.values(), *labels_by_column.values())
    }
    annotator_names = find_label_names(features, str(shape.annotator), None)
    reader = SpanReader(log, scores=shape.scores, strings=shape.strings)
    n_submitted_without_spans = 0
    unread_answers: list[UnreadAnswerError] = []

    def yield_annotations(
        row: Mapping[str, Any], text: Any, location: str
    ) -> Iterator[RawAnnotation]:
        """Yield the annotation of each annotator in a row; one not accepted has no spans."""
        nonlocal n_submitted_without_spans
        is_ignored = _count_if_ignored(row, shape, log, location)
        when = None if shape.when is None else convert_to_seconds(row.get(shape.when))
        for layer, column in layers.items():
            cell = None if is_ignored else get_cell(row, column)
            if cell is None and not is_ignored and has_row_per_annotator and _is_submitted(row):
                n_submitted_without_spans += 1
                cell = []
            pairs = [
                (
                    _get_annotator_name(row, shape.annotator, annotator_names)
                    if has_row_per_annotator
                    else layer,
                    cell,
                )
            ]
            if is_open and not shape.by_label:
                users, states = (row.get(f"{column}.{key}") for key in ("users", "status"))
                pairs = split_by_annotator(cell, users, states) or pairs
                marks = parse_cell(cell) if shape.by_span else None
                if is_sequence(marks) and not len(marks):
                    continue  # nobody is named, so nobody is known to have seen it
            for name, spans in pairs:
                is_nobody = is_open and isinstance(name, str) and not name
                annotator_location = (
                    location if is_nobody else f"{location}, annotator {quote_value(name)}"
                )
                try:
                    rows = reader.parse_spans(
                        spans, label_names[column], text, annotator_location, name
                    )
                except UnreadAnswerError as error:  # the others are counted
                    unread_answers.append(error)
                    continue
                if shape.label is not None:
                    rows = _assign_label(rows, row.get(shape.label))
                if column in labels_by_column:
                    log.labelled = True
                    labels = labels_by_column[column]
                    rows = _assign_labels(
                        rows, row.get(labels), label_names[labels], annotator_location
                    )
                yield RawAnnotation(name, rows, when=when, location=annotator_location)

    for row_number, (location, row) in enumerate(
        yield_required_rows(data, shape.columns, shape.optional_columns), 1
    ):
        content = shape.get_content(row, flat=is_text)
        id_ = str(row_number) if shape.document is None else get_cell(row, shape.document)
        relations = row.get("relations")
        log.passed["relation"] += len(relations) if isinstance(relations, list) else 0
        text = "" if shape.strings else content.get("text", content.get("tokens"))
        yield Record(location, id_, content, yield_annotations(row, text, location))
    if unread_answers:
        raise InputError(f"{unread_answers[0]}{write_number_of_further(len(unread_answers))}")
    log.notes += reader.yield_notes()
    if n_submitted_without_spans:
        log.notes.append(
            f"{log.prefix}{pluralize(n_submitted_without_spans, 'row')} of Label Studio with an"
            f" annotation_id and nothing under {shape.spans}: seen, and nothing marked"
        )


def _is_submitted(row: Mapping[str, Any]) -> bool:
    """Check whether a row is an annotation that Label Studio exported, thus a submitted one.

    Its CSV has an empty cell, and its JSON-MIN no key, for an annotation without spans.
    """
    return row.get(SUBMITTED[0]) is not None and all(column in row for column in SUBMITTED)


def _count_if_ignored(
    row: Mapping[str, Any], shape: ColumnMapping, log: ReadLog, location: str
) -> bool:
    """Check whether the annotator of a row rejected or ignored it, and count it.

    Raises:
        InputError: if the answer is unknown.
    """
    answer = None if shape.answer is None else row.get(shape.answer)
    noun = None if answer is None else find_ignored_noun(answer, location)
    if noun is None:
        return False
    cells = [parse_cell(row.get(column)) for column in shape.layers.values()]
    log.count_ignored_answer(noun, sum(len(cell) for cell in cells if is_sequence(cell)))
    return True


def _assign_label(spans: list[RawSpan] | None, label: Any) -> list[RawSpan] | None:
    """Assign the label of a row to its spans; a row without spans and label has nothing marked."""
    if spans is None:
        return [] if label is None else None
    return [
        span if label is None else span._replace(label=convert_integer_to_text(label))
        for span in spans
    ]


def _assign_labels(
    spans: list[RawSpan] | None, cell: Any, names: Sequence[str] | None, location: str
) -> list[RawSpan] | None:
    """Assign the labels in a list to the spans of the list beside it.

    Args:
        spans: the spans; `None` if the annotator never saw the document.
        cell: the labels, or label ids.
        names: names of label ids, or `None`.
        location: location for errors.

    Raises:
        InputError: if there are more or fewer labels than spans.
    """
    if spans is None:
        return None
    labels = parse_cell(cell)
    labels = labels if is_sequence(labels) else [] if labels is None else [labels]
    if len(labels) != len(spans):
        raise InputError(
            f"{location}: {pluralize(len(labels), 'label')} for {pluralize(len(spans), 'span')};"
            " each span needs one"
        )
    return [
        span._replace(label=get_label_name(label, names, location) or None)
        for span, label in zip(spans, labels, strict=True)
    ]


def read_span_table(data: Any, shape: ColumnMapping) -> RawCorpus:
    """Read a table with a row for each span.

    A row without start and end means that the annotator saw the document; a row without an
    annotator too contains the text of the document only. Without any such row, it is unknown who
    saw the documents in which they have no span.
    """
    log = ReadLog(shape.file or "")
    reading = {"format": "datasets", **shape.reading_settings}
    records = _yield_table_records(data, shape, log)
    return build_raw_from_records(
        records, log, reading, offsets=_choose_offset_unit(shape), ends=shape.ends, one_each=True
    )


def _yield_table_records(data: Any, shape: ColumnMapping, log: ReadLog) -> Iterator[Record]:
    """Yield a record for each row of a table, which has one span or none."""
    start_column, end_column, *label_column = (
        column.strip() for column in str(shape.spans).split(",")
    )
    default_annotator = "" if shape.file is not None else "spans"
    log.labelled = bool(label_column)
    names: dict[str, None] = {}
    is_stated = False
    annotator_names = find_label_names(getattr(data, "features", None), str(shape.annotator), None)
    for location, row in yield_required_rows(data, shape.columns, shape.optional_columns):
        id_ = convert_document_id(get_cell(row, str(shape.document)), location)
        cells = shape.get_content(row, flat=False).items()
        content = {key: cell for key, cell in cells if cell is not None}
        start_offset, end_offset = (
            parse_integer(get_cell(row, column)) for column in (start_column, end_column)
        )
        is_blank = start_offset is None and end_offset is None
        annotator = (
            _get_annotator_name(row, shape.annotator, annotator_names)
            if shape.annotator
            else default_annotator
        )
        if is_blank and shape.annotator and not annotator:
            yield Record(location, id_, content)
            continue
        is_stated |= is_blank
        names[annotator] = None
        spans = []
        if not label_column:
            log.note_unread_fields(row, (*shape.columns, *shape.optional_columns))
        if not is_blank:
            label_text = (
                convert_integer_to_text(get_cell(row, label_column[0])) if label_column else None
            )
            quote = (
                get_cell(row, shape.quote) if shape.quote and has_column(row, shape.quote) else None
            )
            score = row.get(find_span_keys(tuple(row)).get("probability")) if shape.scores else None
            details = None if score is None else {SCORE: str(score)}
            spans = [
                RawSpan(
                    start_offset,
                    end_offset,
                    label_text,
                    quote if isinstance(quote, str) else None,
                    details,
                )
            ]
        annotator_location = (
            location if annotator == "" else f"{location}, annotator {quote_value(annotator)}"
        )
        yield Record(
            location, id_, content, [RawAnnotation(annotator, spans, location=annotator_location)]
        )
    if not is_stated:
        log.seen_unknown = names


def _choose_offset_unit(shape: ColumnMapping) -> str:
    """Choose the unit of offsets: tokens if rows have tokens and no text."""
    has_tokens = shape.tokens is not None and shape.text is None and not shape.strings
    return "tokens" if has_tokens else "characters"


def _get_annotator_name(
    row: Mapping[str, Any], column: str | None, names: Sequence[str] | None
) -> Any:
    """Return the annotator of a row; the column may have ids of annotators."""
    annotator = get_cell(row, str(column))
    if names is not None and is_integer(annotator) and 0 <= annotator < len(names):
        return names[annotator]
    return convert_integer_to_text(annotator)
