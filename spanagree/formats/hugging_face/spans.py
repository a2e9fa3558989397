"""Spans in the forms of other tools: lists, or objects with various keys, by annotator or not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeGuard

import numpy as np

from spanagree.corpus.details import SCORE
from spanagree.corpus.quoted_texts import Place
from spanagree.corpus.raw import convert_integer_to_text
from spanagree.errors import (
    InputError,
    count_entries,
    invalid_value,
    is_integer,
    is_iterable,
    pluralize,
)
from spanagree.formats.exports import parse_number_in_name
from spanagree.formats.literals import BEGINS_JSON, extract_json, parse_literal
from spanagree.formats.records import RawSpan, ReadLog
from spanagree.formats.tagged_copies import NO_ANSWER, is_copy, strip_code_fence
from spanagree.formats.usual_names import find_span_keys, simplify_name

WRAPPERS = ("spans", "entities", "ents", "annotations")  # keys of an object around a list
_BOUNDS = ("start", "end", "text")
_OCCURRENCE_KEYS = ("occurrence", "occurence", "occurrenceindex", "occurenceindex")
_NEVER = ("draft", "discarded", "pending")  # states of an answer that was never submitted
_LISTS = (list, tuple, np.ndarray)
_MAPPINGS = (dict, Mapping)  # dict first: checking the abstract class takes ten times as long
_NEEDED = "a list of {start, end, label} is needed, or null"
_NO_JSON = "not valid JSON, or with a key that comes twice; a list of spans is needed"
_NO_COPY = f"neither a list of spans in JSON nor a copy of the text with tags; {NO_ANSWER}"
_CUT_OFF = f"the JSON of an answer that is cut off, not valid, or has a key twice; {NO_ANSWER}"
_THOUGHT = "</think>"  # the answer follows it
_REFUSALS = frozenset(("error", "refusal", "message", "reason", "detail"))
_REMARKS = _REFUSALS | {
    "explanation", "reasoning", "rationale", "thought", "thoughts", "thinking", "analysis",
    "comment", "comments", "note", "notes", "summary", "justification", "confidence",
}  # fmt: skip


class UnreadAnswerError(InputError):
    """Error for an answer of a model that has no spans, such as a refusal."""


def parse_cell(cell: Any) -> Any:
    """Parse a text as JSON or a Python literal; return other cells unchanged.

    The text may be in a code fence. If an object has a list as its only entry, or under a usual
    key, as models write it, the list is returned.

    >>> parse_cell('```json\\n{"entities": [1]}\\n```')
    [1]
    """
    inner = parse_answer(cell)
    if isinstance(inner, Mapping) and (len(inner) == 1 or isinstance(cell, str)):
        lists = [
            value for key, value in inner.items() if key in WRAPPERS and isinstance(value, list)
        ]
        inner = lists[0] if len(lists) == 1 else inner
    return cell if isinstance(inner, str) else inner


def parse_answer(cell: Any) -> Any:
    """Parse a text as JSON or a Python literal, possibly in a code fence."""
    fenced = isinstance(cell, str) and cell.lstrip().startswith("```")
    return parse_literal(strip_code_fence(cell) if fenced else cell)


def split_by_annotator(
    cell: Any, users: Any = None, states: Any = None
) -> list[tuple[Any, Any]] | None:
    """Split a cell into pairs of annotator and spans; `None` unless it names annotators.

    Args:
        cell: a mapping of annotator to spans, a list of answers that name their annotators, or
            answers in the order of `users`.
        users: annotators of the answers.
        states: states of the answers; spans that were never submitted are `None`.
    """
    cell = parse_cell(cell)
    if is_sequence(users) and is_sequence(cell) and len(users) == len(cell):
        has_states = is_sequence(states) and len(states) == len(cell)
        return [
            (convert_integer_to_text(user), None if has_states and states[i] in _NEVER else cell[i])
            for i, user in enumerate(users)
        ]
    if isinstance(cell, Mapping) and "start" not in find_span_keys(tuple(cell)):
        return [(convert_integer_to_text(annotator), spans) for annotator, spans in cell.items()]
    if is_sequence(cell) and len(cell) and all(isinstance(answer, Mapping) for answer in cell):
        keys = [find_span_keys(tuple(answer)) for answer in cell]
        if all(
            "annotator" in key
            and "start" in key
            and not isinstance(span[key["annotator"]], (Mapping, *_LISTS))
            for span, key in zip(cell, keys, strict=True)
        ):  # each span names its annotator
            spans: dict[Any, list[Any]] = {}
            for span, key in zip(cell, keys, strict=True):
                spans.setdefault(convert_integer_to_text(span[key["annotator"]]), []).append(span)
            return list(spans.items())
        if all("annotator" in key and "spans" in key and "start" not in key for key in keys):
            return [
                (
                    convert_integer_to_text(answer[key["annotator"]]),
                    None if answer.get("status") in _NEVER else answer[key["spans"]],
                )
                for answer, key in zip(cell, keys, strict=True)
            ]
    return None


@lru_cache(maxsize=1000)
def _is_token_offset_name(name: object) -> bool:
    """Check whether a key names the first token of a span."""
    return simplify_name(name) in ("tokenstart", "starttoken")


class _LostQuote(NamedTuple):
    """A quote that is not in the text.

    Attributes:
        span: the span, with meaningless bounds.
        quote: text of the quote.
    """

    span: Mapping[str, Any]
    quote: str


class SpanReader:
    """Reader of the spans of rows, which records oddities for notes."""

    def __init__(self, log: ReadLog, *, scores: bool = False, strings: bool = False) -> None:
        """Initialize the reader.

        Args:
            log: log of reading.
            scores: True to read scores as attributes of spans.
            strings: True if quotes have no text.
        """
        self.log, self.scores, self.strings = log, scores, strings
        self.unlabelled = ""  # location of the first string without a label
        self.log.labelled = False
        self.in_text: bool = False
        self.probable: int = 0
        self.prefixes: set[bool] = set()  # whether labels begin with B- or I-

    def parse_spans(
        self,
        cell: Any,
        names: Sequence[str] | None,
        text: object,
        location: str,
        annotator: Any = "",
    ) -> list[RawSpan] | None:
        """Parse the spans of a cell.

        Spans without start, or with −1, are quotes; they are searched in the text or tokens.

        Args:
            cell: spans as lists, objects, a mapping of lists, or text that contains these; or
                `None`.
            names: names of label ids, or `None`.
            text: text or tokens of the document.
            location: location for errors.
            annotator: name of the annotator.

        Returns:
            The spans, or `None` for `None`.

        Raises:
            InputError: if the cell has other values.
        """
        self.in_text = isinstance(text, str)
        if isinstance(cell, str) and _THOUGHT not in str(text):
            cell = cell.rpartition(_THOUGHT)[2]
        spans = parse_cell(strip_code_fence(cell) if isinstance(cell, str) else cell)
        spans = cell if isinstance(spans, str) else spans
        spans_location = f"{location}: spans"
        if spans is None:
            return None
        annotator_name = annotator if isinstance(annotator, str) else ""
        if isinstance(spans, str):
            spans = self._parse_words(spans, text, location, annotator_name)
        if isinstance(spans, Mapping):
            if _is_refusal(spans, text):
                raise UnreadAnswerError(str(invalid_value(spans_location, spans, _NO_COPY)))
            spans = _find_spans_in_object(spans, spans_location)
        if not is_sequence(spans):
            raise invalid_value(spans_location, spans, _NEEDED)
        if isinstance(text, (str, list, tuple)):
            spans = self._place_quotes(spans, text, annotator_name, spans_location)
        return [
            row for span in spans for row in self._convert_to_rows(span, spans, names, location)
        ]

    def _parse_words(self, answer: str, text: object, location: str, annotator: str) -> Any:
        """Parse an answer that is more than JSON: the only JSON in it, or a copy with tags.

        Raises:
            UnreadAnswerError: if the answer has neither, or its JSON is damaged.
        """
        if not isinstance(text, str):
            raise invalid_value(f"{location}: spans", answer, _NO_JSON)
        is_exact = is_copy(answer, text)
        value, is_damaged = (answer, False) if is_exact else extract_json(answer)
        spans = parse_cell(value)
        if not isinstance(spans, str):
            return spans
        is_damaged &= not BEGINS_JSON.search(text)  # such a text may be copied
        is_damaged |= _begins_as_json(answer, text)
        if is_exact or (self.log.copies.align and not is_damaged):
            aligned, lost_spans = self.log.copies.read_spans(answer, text, location, annotator)
            return [*aligned, *(_LostQuote(span, span.pop("text")) for span in lost_spans)]
        problem = _CUT_OFF if is_damaged else _NO_COPY
        raise UnreadAnswerError(str(invalid_value(f"{location}: spans", answer, problem)))

    def yield_notes(self) -> Iterator[str]:
        """Yield notes on probabilities that are not used, and on labels of single tokens.

        Raises:
            InputError: if a string has no label, and others have one.
        """
        if self.unlabelled and self.log.labelled:
            raise InputError(f"{self.unlabelled}: a string without a label, which others have")
        if self.prefixes == {True}:
            yield (
                f"{self.log.prefix}all labels begin with B- or I-, as of single tokens; a pipeline"
                " of transformers joins them with aggregation_strategy='simple'"
            )
        if self.probable:
            spans = pluralize(self.probable, "span")
            yield (
                f"{self.log.prefix}{spans} with a probability, which is not used: all are taken as"
                " marked"
            )

    def _place_quotes(
        self, spans: Iterable[Any], text: Place, annotator: str, location: str
    ) -> list[Any]:
        """Replace quotes by spans with offsets in the text, or by lost quotes if it lacks them.

        Other spans stay.
        """
        quotes_and_spans = [*map(_convert_to_quote, spans)]
        if self.strings:
            return [self._convert_string(span, location) for span in quotes_and_spans]
        quotes = [self._find_quote(span, location) for span in quotes_and_spans]
        if not any(quotes):
            return quotes_and_spans
        located: list[Any] = []
        bounds = iter(self.log.quotes.place_quotes(text, [*filter(None, quotes)], annotator))
        for span, quote in zip(quotes_and_spans, quotes, strict=True):
            if quote is None:
                located.append(span)
                continue
            position = next(bounds)
            keys = find_span_keys(tuple(span))
            further_keys = {
                key: value for key, value in span.items() if key not in map(keys.get, _BOUNDS)
            }
            start, end = position or (0, 0)
            bounded = {**further_keys, "start": start, "end": end}
            located.append(bounded if position is not None else _LostQuote(bounded, quote[0]))
        return located

    def _convert_string(self, span: Any, location: str) -> _LostQuote:
        """Convert a string without a text to a lost quote.

        Raises:
            InputError: if the span has no string.
        """
        keys = find_span_keys(tuple(span)) if isinstance(span, _MAPPINGS) else {}
        quote = span.get(keys.get("text")) if keys else None
        if not isinstance(quote, str) or not quote.strip():
            raise invalid_value(location, span, "a string with its label is needed (strings)")
        if span.get(keys.get("label")) is None:
            self.unlabelled = self.unlabelled or location
        further_keys = {
            key: value for key, value in span.items() if key not in map(keys.get, _BOUNDS)
        }
        return _LostQuote({**further_keys, "start": 0, "end": 0}, quote)

    def _convert_to_rows(
        self, span: Any, spans: Any, names: Sequence[str] | None, location: str
    ) -> Iterable[RawSpan]:
        """Convert a span to rows; a lost quote has no position."""
        if not isinstance(span, _LostQuote):
            return self._build_rows(span, spans, names, location)
        rows = self._build_rows(span.span, spans, names, location)
        return [
            row._replace(start=None, end=None, quote=span.quote, is_placed=False) for row in rows
        ]

    def _find_quote(self, span: Any, location: str) -> tuple[str, int | None] | None:
        """Find the quote of a span, and the index of its occurrence (`None` if unknown).

        `None` is returned for a span with offsets.
        """
        keys = find_span_keys(tuple(span)) if isinstance(span, _MAPPINGS) else {}
        quote = span.get(keys.get("text")) if keys else None
        start = span.get(keys.get("start")) if keys else 0
        if not isinstance(quote, str) or start not in (None, -1) or start is False:
            return None
        occurrence = None
        for name, value in span.items():
            if simplify_name(name) in _OCCURRENCE_KEYS and value is not None:
                occurrence = _parse_occurrence(value, f"{location}: {name}") - (
                    "index" not in simplify_name(name)
                )
        return quote, occurrence

    def _build_rows(
        self, span: Any, spans: Any, names: Sequence[str] | None, location: str
    ) -> Iterable[RawSpan]:
        """Convert a span to rows, one for each of its labels.

        ``names`` are the names of label ids; ``spans`` are all spans of the cell, for errors.
        """
        if isinstance(span, _MAPPINGS):
            keys = find_span_keys(tuple(span))
            text = span.get(keys.get("text"))
            if "start" in keys and ("end" in keys or isinstance(text, str)):
                if self.in_text and _is_token_offset_name(keys["start"]):
                    expected = "start and end in the text are needed; --tokens C counts tokens"
                    raise invalid_value(f"{location}: spans", span, expected)
                start = span[keys["start"]]
                end = span[keys["end"]] if "end" in keys else None
                if end is None and isinstance(text, str) and is_integer(start):
                    end = start + len(text)
                if "label" in keys:
                    self.log.labelled = True
                else:
                    self.log.note_unread_fields(span, keys.values())
                self.probable += "probability" in keys and not self.scores
                score = span.get(keys.get("probability")) if self.scores else None
                details = None if score is None else {SCORE: str(score)}
                label = span.get(keys.get("label"))
                labels = label if isinstance(label, list) and label else [label]
                self.prefixes |= {
                    isinstance(one_label, str) and one_label[:2] in ("B-", "I-")
                    for one_label in labels
                }
                quote = text if isinstance(text, str) else None
                return [
                    RawSpan(start, end, get_label_name(one_label, names, location), quote, details)
                    for one_label in labels
                ]
        elif is_sequence(span) and count_entries(span) in (2, 3):
            start, end, *label = span
            self.log.labelled |= bool(label)
            return [
                RawSpan(start, end, get_label_name(label[0], names, location) if label else None)
            ]
        raise invalid_value(f"{location}: spans", spans, _NEEDED)


def _begins_as_json(answer: str, text: str) -> bool:
    """Check whether an answer begins as JSON does, and the text does not."""
    begin = strip_code_fence(answer).lstrip("` \n").removeprefix("json").lstrip()[:1]
    return begin in ("[", "{") and not text.lstrip().startswith(begin)


def _is_refusal(answer: Mapping[Any, Any], text: object) -> bool:
    """Check whether an object has a model's refusal in place of spans, in words not in the text."""
    return bool(answer) and all(
        simplify_name(key) in _REFUSALS and isinstance(words, str) and words not in str(text)
        for key, words in answer.items()
    )


def _is_quote(span: Mapping[Any, Any]) -> bool:
    """Check whether a span has a text and no start."""
    keys = find_span_keys(tuple(span))
    return "start" not in keys and isinstance(span.get(keys.get("text")), str)


def _convert_to_quote(span: Any) -> Any:
    """Convert a text, or a pair of text and label, to a quote; return other spans unchanged."""
    if isinstance(span, str):
        return {"text": span}
    if is_sequence(span) and len(span) == 2 and all(isinstance(entry, str) for entry in span):
        return {"text": span[0], "label": span[1]}
    return span


def collect_quotes_by_label(cell: Any) -> list[dict[str, Any]] | None:
    """Collect the quotes of an object with lists of quotes under labels; `None` for other cells.

    Words of the model about them, such as an explanation, are no quotes.

    >>> collect_quotes_by_label({"PER": ["Jo"], "LOC": []})
    [{'text': 'Jo', 'label': 'PER'}]
    """
    if not isinstance(cell, Mapping) or find_span_keys(tuple(cell)).keys() & {"start", "end"}:
        return None
    quotes_by_label = {label: parse_cell(label_quotes) for label, label_quotes in cell.items()}
    if any(isinstance(label_quotes, list) for label_quotes in quotes_by_label.values()):
        quotes_by_label = {
            label: label_quotes
            for label, label_quotes in quotes_by_label.items()
            if not (isinstance(label_quotes, str) and simplify_name(label) in _REMARKS)
        }
    if not all(
        label_quotes is None or isinstance(label_quotes, (str, list))
        for label_quotes in quotes_by_label.values()
    ):
        return None
    quotes: list[dict[str, Any]] = []
    for label, label_quotes in quotes_by_label.items():
        for quote in filter(
            None, [label_quotes] if isinstance(label_quotes, str) else label_quotes or ()
        ):
            span = _convert_to_quote(quote)
            if not isinstance(span, Mapping) or not find_span_keys(tuple(span)).keys() <= {"text"}:
                return None
            name = convert_integer_to_text(label) if is_integer(label) else str(label)
            quotes.append({**span, "label": name})
    return quotes


def are_spans_by_label(cell: Any) -> bool:
    """Check whether an object has a list of spans without a label under each of several names.

    >>> are_spans_by_label({"PER": [[0, 2]], "LOC": []}), are_spans_by_label({"start": [0, 9]})
    (True, False)
    """
    if not isinstance(cell, Mapping) or "start" in find_span_keys(tuple(cell)):
        return False
    lists = [spans for spans in cell.values() if spans is not None]
    return all(map(is_sequence, lists)) and all(
        has_no_label(span) for spans in lists for span in spans
    )


def has_no_label(span: Any) -> bool:
    """Check whether a span consists of offsets, or of a text, alone."""
    if isinstance(span, Mapping):
        keys = find_span_keys(tuple(span)).keys()
        return "label" not in keys and bool(keys & {"start", "text"})
    return isinstance(span, str) or (is_sequence(span) and len(span) == 2)


def _convert_to_bounds(span: Any) -> Mapping[str, Any]:
    """Convert a pair of start and end to an object; return an object unchanged."""
    return span if isinstance(span, Mapping) else dict(zip(("start", "end"), span, strict=True))


def collect_quotes(cell: Any) -> list[str] | None:
    """Collect the strings of a list of quotes, perhaps with labels; `None` for other cells.

    Labels are second in a pair, or the keys of an object.

    >>> [collect_quotes(cell) for cell in (["Jo", ["Rome", "LOC"]], {"PER": ["Jo"]}, [3])]
    [['Jo', 'Rome'], ['Jo'], None]
    """
    cell = parse_cell(cell)
    spans = collect_quotes_by_label(cell) if isinstance(cell, Mapping) else cell
    if not is_sequence(spans):
        return None
    quotes = [_convert_to_quote(span) for span in spans]
    return [str(quote["text"]) for quote in quotes] if all(map(_is_plain_quote, quotes)) else None


def _is_plain_quote(span: Any) -> bool:
    """Check whether a span consists of a text, and at most a label."""
    if not isinstance(span, Mapping) or not span.keys() <= {"text", "label"}:
        return False
    return isinstance(span.get("text"), (str, int, float))  # reading a number raises an error


def _find_spans_in_object(spans: Mapping[Any, Any], location: str) -> Any:
    """Find the spans in an object: a span, or spans in a list, by label, or in columns."""
    if _is_quote(spans):
        return [spans]
    inner = [
        spans[key] for key in spans if key in WRAPPERS and isinstance(spans[key], (list, dict))
    ]
    if len(inner) == 1 and not find_span_keys(tuple(spans)).keys() & {"start", "end"}:
        return _find_spans_in_object(inner[0], location) if isinstance(inner[0], dict) else inner[0]
    quotes = collect_quotes_by_label(spans)
    if quotes is not None:
        return quotes
    if are_spans_by_label(spans):
        return [
            {**_convert_to_bounds(span), "label": label}
            for label, spans_of_label in spans.items()
            for span in spans_of_label or ()
        ]
    return _convert_lists_to_spans(spans, location)


def _parse_occurrence(value: object, location: str) -> int:
    """Parse the number of an occurrence of a quote, which a model may write as text."""
    integer = parse_number_in_name(value.strip(), 1 << 48) if isinstance(value, str) else value
    if not is_integer(integer):
        raise invalid_value(location, value, "a whole number is needed, or null")
    return int(integer)


def _convert_lists_to_spans(spans: Mapping[Any, Any], location: str) -> list[dict[Any, Any]]:
    """Convert a mapping with a list for each field, such as start, to a list of spans."""
    keys = find_span_keys(tuple(spans))
    column_keys = [keys[key] for key in ("start", "end", "label", "text") if key in keys]
    columns = [spans[key] for key in column_keys]
    are_lists = all(map(is_sequence, columns))
    if not {"start", "end"} <= keys.keys() or not are_lists or len(set(map(len, columns))) > 1:
        expected = "lists of equal length under start, end and label are needed"
        raise invalid_value(location, spans, expected)
    return [dict(zip(column_keys, row, strict=True)) for row in zip(*columns, strict=True)]


def get_label_name(label: Any, names: Sequence[str] | None, location: str) -> Any:
    """Return a label as text, or the name of a label id."""
    if names is None or not is_integer(label):
        return convert_integer_to_text(label)
    if 0 <= label < len(names):
        return names[label]
    raise InputError(f"{location}: label id {label}; 0 to {len(names) - 1} are allowed")


def is_sequence(cell: object) -> TypeGuard[Any]:
    """Check whether a cell is a list, or an array with a length.

    >>> is_sequence(["Jo"]), is_sequence(np.array(["Jo"])), is_sequence(np.array("Jo"))
    (True, True, False)
    """
    return isinstance(cell, _LISTS) and is_iterable(cell)
