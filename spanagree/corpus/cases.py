"""Kinds of cases of flaws: segments, annotations, relations, and quotes without a place."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import Ints
from spanagree.corpus.raw import RawCorpus
from spanagree.corpus.times import format_offset
from spanagree.errors import quote_value


class CaseKind(NamedTuple):
    """What has a flaw; its functions take rows of a source and the row of a case.

    Attributes:
        find_annotations: function that finds the annotation of each of several cases; −1 for a
            relation without any segment.
        describe: function that describes a case, with annotator, document and predicate.
        list_fields: function that lists what a case has beside annotator and document, as data.
    """

    find_annotations: Callable[[RawCorpus, Ints], Ints]
    describe: Callable[[RawCorpus, int, str], str]
    list_fields: Callable[[RawCorpus, int], dict[str, Any]]


def _locate(raw: RawCorpus, annotation: int) -> str:
    """Describe the location of an annotation: its annotator and its document."""
    annotator, document = raw.find_annotator_and_document(annotation)
    return f"annotator {quote_value(annotator)}, document {quote_value(document)}"


# --- segments -----------------------------------------------------------------------------------


def _describe_segment(raw: RawCorpus, index: int, predicate: str) -> str:
    annotation, label = int(raw.annotation[index]), _look_up_label(raw, index)
    label_text = "without a label" if label is None else quote_value(label)
    length = format_offset(int(raw.lengths[raw.document_index[annotation]]), raw.offsets)
    texts = {"length": length, **_quote_misplaced_texts(raw, index)}
    start, end = (format_offset(int(x[index]), raw.offsets) for x in (raw.start, raw.end))
    segment = f"segment {start}–{end} {label_text}"
    return f"{_locate(raw, annotation)}: {segment} {predicate.format(**texts)}"


def _look_up_label(raw: RawCorpus, index: int) -> str | None:
    return raw.labels[raw.label[index]] if raw.label[index] >= 0 else None


def _quote_misplaced_texts(raw: RawCorpus, segment: int) -> dict[str, str]:
    """Quote two texts of a misplaced segment for a message: at its offsets, and in the source.

    The result is empty if the segment is not misplaced.
    """
    if raw.quote is None or raw.quote[segment] < 0:
        return {}
    content, start, end = raw.find_content_of_segment(segment)
    text_at_segment = content[start:end] if 0 <= start <= end else ""
    if not isinstance(text_at_segment, str):
        text_at_segment = " ".join(text_at_segment)
    quote = raw.quotes[raw.quote[segment]]
    return {"there": quote_value(text_at_segment), "quote": quote_value(quote)}


def _list_fields_of_segment(raw: RawCorpus, index: int) -> dict[str, Any]:
    bounds = {"start": int(raw.start[index]), "end": int(raw.end[index])}
    return {**bounds, "label": _look_up_label(raw, index)}


SEGMENT = CaseKind(
    lambda raw, cases: np.asarray(raw.annotation[cases], np.int64),
    _describe_segment,
    _list_fields_of_segment,
)

# --- annotations --------------------------------------------------------------------------------

ANNOTATION = CaseKind(
    lambda raw, cases: cases,
    lambda raw, index, predicate: f"{_locate(raw, index)}: {predicate}",
    lambda raw, index: {},
)

# --- relations ----------------------------------------------------------------------------------


def _find_annotations_of_relations(raw: RawCorpus, cases: Ints) -> Ints:
    segment = np.maximum(raw.links.first[cases], raw.links.second[cases])
    return np.append(raw.annotation, -1)[segment]


def _describe_relation(raw: RawCorpus, index: int, predicate: str) -> str:
    links = raw.links
    location = links.location[index]
    for row in (links.first[index], links.second[index]):
        if not location and row >= 0:
            location = _locate(raw, int(raw.annotation[row]))
    return f"{location}: relation {quote_value(raw.look_up_relation_label(index))} {predicate}"


RELATION = CaseKind(
    _find_annotations_of_relations,
    _describe_relation,
    lambda raw, index: {
        "relation": raw.look_up_relation_label(index),
        "at": raw.links.location[index],
    },
)

# --- quotes that are not in the text ------------------------------------------------------------


def _find_annotations_of_quotes(raw: RawCorpus, cases: Ints) -> Ints:
    return np.zeros(0, np.int64) if raw.unplaced is None else raw.unplaced.at[cases]


def _describe_quote(raw: RawCorpus, index: int, predicate: str) -> str:
    assert raw.unplaced is not None  # one of its quotes has the flaw
    quote = quote_value(raw.unplaced.quote[index])
    return f"{_locate(raw, int(raw.unplaced.at[index]))}: quote {quote} {predicate}"


def _list_fields_of_quote(raw: RawCorpus, index: int) -> dict[str, Any]:
    assert raw.unplaced is not None  # one of its quotes has the flaw
    return {"quote": raw.unplaced.quote[index], "label": None}


QUOTE = CaseKind(_find_annotations_of_quotes, _describe_quote, _list_fields_of_quote)
