"""Spans with probabilities, as systems give them: ``{"start", "end", "prob"}`` in rows with ids."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import Bools, Floats, Ints
from spanagree.corpus.corpus import Corpus
from spanagree.errors import (
    InputError,
    escape_name,
    invalid_value,
    is_integer,
    join_names,
    pluralize,
    quote_value,
)
from spanagree.files import PathName
from spanagree.formats.hugging_face.spans import parse_cell
from spanagree.formats.json_records import yield_json_records
from spanagree.formats.usual_names import COLUMNS, find_span_keys, simplify_name

_NEEDED = "a span with start, end and a probability from 0 to 1 is needed"


class SpanProbabilities(NamedTuple):
    """Spans with probabilities in the documents of a corpus, which do not overlap.

    Attributes:
        document, start, end, probability: of each span.
        seen: which documents of the corpus there is a row for.
        notes: what was passed over.
    """

    document: Ints
    start: Ints
    end: Ints
    probability: Floats
    seen: Bools
    notes: tuple[str, ...]


def probabilities_in(
    source: PathName | Iterable[Mapping[str, Any]], corpus: Corpus, spans: str | None = None
) -> SpanProbabilities:
    """Return the spans with probabilities of the rows of a JSON file, or of mappings.

    Args:
        source: rows with a document's id, and spans that have a probability (``prob``,
            ``probability``, ``score``, ``confidence``) beside start and end.
        corpus: whose documents they are, by id.
        spans: the column of spans; the only one whose spans have probabilities unless given.

    Raises:
        InputError: for rows without such columns, a document that is there twice, offsets beyond
            it, what is not a probability, and spans that overlap; if no row's document is known.
    """
    is_path = isinstance(source, (str, bytes, os.PathLike))
    name = escape_name(os.fsdecode(source)) if is_path else "rows"  # type: ignore[arg-type]  # a path
    rows = (
        yield_json_records(source)  # type: ignore[arg-type]  # as above
        if is_path
        else ((f"row {n}", row) for n, row in enumerate(source, 1))  # type: ignore[arg-type]
    )
    placed = [(location, row) for location, row in rows if isinstance(row, Mapping)]
    id_column, column = _columns(name, placed, spans)
    number = {corpus.id_of(d): d for d in range(len(corpus))}
    seen = np.zeros(len(corpus), np.bool_)
    marked: list[tuple[int, int, int, float]] = []
    unknown = 0
    for location, row in placed:
        document = number.get(str(row.get(id_column)))
        if document is None or row.get(column) is None:
            unknown += document is None
            continue
        if seen[document]:
            raise InputError(
                f"{location}: document {quote_value(row[id_column])} a second time; one row each is"
                " needed"
            )
        seen[document] = True
        length = int(corpus.lengths[document])
        marked += ((document, *span) for span in _spans(row[column], length, location))
    if placed and not seen.any():
        raise InputError(
            f"{name}: no row has a document of the corpus, whose ids are"
            f" {join_names([*number][:3])}, …; give the rows the same ids"
        )
    notes = [f"{name}: {pluralize(unknown, 'row')} of other documents left out"] if unknown else []
    if missing := int((~seen).sum()):
        notes.append(f"{name}: {pluralize(missing, 'document')} without a row, taken as never seen")
    return _sorted(marked, seen, notes, corpus, name)


def _columns(
    name: str, rows: list[tuple[str, Mapping[str, Any]]], spans: str | None
) -> tuple[str, str]:
    """Return the columns of ids, and of spans with probabilities."""
    every = dict.fromkeys(key for _, row in rows for key in row)
    by_name = {simplify_name(key): key for key in every}
    ids = [by_name[usual] for usual in COLUMNS["document"] if usual in by_name]
    if not ids:
        raise InputError(f"{name}: no column of documents among {join_names(every)}; name one id")
    if spans is None:
        columns = [key for key in every if any(_has_probability(row.get(key)) for _, row in rows)]
    else:
        columns = [key for key in every if key == spans]
    if len(columns) != 1:
        many = (
            f"several columns: {join_names(columns)}"
            if columns
            else f"none among {join_names(every)}"
        )
        raise InputError(
            f"{name}: one column of spans with prob or score is needed; there are {many}"
        )
    return ids[0], columns[0]


def _has_probability(cell: Any) -> bool:
    spans = parse_cell(cell)
    return isinstance(spans, list) and any(
        isinstance(span, Mapping)
        and {"start", "end", "probability"} <= find_span_keys(tuple(span)).keys()
        for span in spans
    )


def _spans(cell: Any, length: int, location: str) -> list[tuple[int, int, float]]:
    """Return start, end and probability of the spans in a cell; those without a token are none."""
    spans = parse_cell(cell)
    if not isinstance(spans, list):
        raise invalid_value(f"{location}: spans", spans, "a list of spans is needed")
    rows = []
    for span in spans:
        keys = find_span_keys(tuple(span)) if isinstance(span, Mapping) else {}
        values: list[Any] = [
            span[keys[what]] if what in keys else None for what in ("start", "end", "probability")
        ]
        start, end, share = values
        is_share = isinstance(share, (int, float)) and not isinstance(share, bool)
        if not (is_integer(start) and is_integer(end) and is_share and 0 <= share <= 1):
            raise invalid_value(f"{location}: span", span, _NEEDED)
        if not 0 <= start <= end <= length:
            raise invalid_value(
                f"{location}: span", span, f"the document ends at {length}; check the offsets"
            )
        if start < end:
            rows.append((start, end, float(share)))
    return rows


def _sorted(
    spans: list[tuple[int, int, int, float]],
    seen: Bools,
    notes: list[str],
    corpus: Corpus,
    name: str,
) -> SpanProbabilities:
    """Return the spans as columns, in the order of the corpus; refuse those that overlap."""
    spans.sort()
    document, start, end = (np.array([span[k] for span in spans], dtype=np.int64) for k in range(3))
    share = np.array([span[3] for span in spans], dtype=np.float64)
    over = np.flatnonzero((document[1:] == document[:-1]) & (start[1:] < end[:-1]))
    if len(over):
        i = int(over[0])
        raise InputError(
            f"{name}: document {quote_value(corpus.id_of(int(document[i])))}: spans"
            f" {start[i]}–{end[i]}"
            f" and {start[i + 1]}–{end[i + 1]} overlap; a token has one probability"
        )
    return SpanProbabilities(document, start, end, share, seen, tuple(notes))
