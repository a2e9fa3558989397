"""Reader of JSON records by the paths of an entry of :data:`spanagree.formats.tools.TOOLS`.

A *record* is a document. A *part* of it has the spans of one annotator; if a record has one
annotator, it is its only part.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from spanagree.arrays import Ints
from spanagree.corpus.offset_units import look_up_point, map_offsets_to_points
from spanagree.corpus.quoted_texts import Place
from spanagree.corpus.raw import RawCorpus, convert_integer_to_text
from spanagree.errors import (
    InputError,
    SettingError,
    SpanAgreeError,
    count_entries,
    escape_path,
    find_reason,
    invalid_value,
    is_integer,
    join_names,
    pluralize,
    quote_value,
)
from spanagree.files import PathName
from spanagree.formats.hugging_face.spans import SpanReader, parse_cell
from spanagree.formats.joined_texts import TextLookup
from spanagree.formats.json_records import yield_json_records
from spanagree.formats.paths import (
    SELF,
    find_checked_values,
    find_first_value,
    find_keyed_values,
    find_misshapen,
    find_values,
    leads_to_several,
    parse_steps,
    yield_inner_records,
)
from spanagree.formats.records import (
    RawAnnotation,
    RawRelation,
    RawSpan,
    ReadLog,
    Record,
    build_raw_from_records,
)
from spanagree.formats.tools import FILE, KEY, NUMBER, PATHS, Tool
from spanagree.settings import build_reading_settings

_LAST_STEP = re.compile(r"\[\*\](?=\||\Z)")
_REQUIREMENT = "records in JSON are needed, a list of them or one a line"


def read_raw_by_paths(path: PathName, **options: Any) -> RawCorpus:
    """Read records with all their parts named by paths.

    Raises:
        SettingError: if spans, or a text or tokens, have no path.
    """
    if not options.get("spans"):
        raise SettingError(
            "paths name no spans; --spans leads to the spans of a record, and --start and --end, or"
            " --quote, to what is in them"
        )
    if not (options.get("text") or options.get("tokens") or options.get("texts")):
        raise SettingError("paths name neither text nor tokens, which offsets count; name --text")
    return read_raw_records(Tool("paths", ""), path, **options)


def read_raw_records(
    tool: Tool,
    path: PathName,
    *,
    encoding: str = "utf-8",
    align: bool = False,
    texts: TextLookup | None = None,
    **options: Any,
) -> RawCorpus:
    """Read a file of a tool, unchecked.

    Args:
        tool: tool with its paths.
        path: path of the file.
        encoding: encoding of the file.
        align: True to align tagged copies and quotes that a language model changed.
        texts: texts of other files of the command, by id.
        options: options of the tool; for tools that are read by paths, other paths and ``ends``;
            the caller applies ``absent``.

    Raises:
        InputError: if the file cannot be read, or a value does not have the shape that a path
            needs.
        SettingError: if an option is no path, or its path leads to no value in the whole file.
    """
    log = ReadLog(escape_path(path), align=align)
    if not options.get("spans"):  # a path to spans excludes all others
        log.tree = tool.tree
    if tool.read:
        reading = {"format": tool.name, **build_reading_settings(encoding, **options)}
        ends = options.pop("ends", None)
        return build_raw_from_records(tool.read(path, log, **options), log, reading, ends=ends)
    options.pop("absent", None)
    set_options = {name: value for name, value in options.items() if value is not None}
    for name in (name for name in PATHS if name in set_options):
        if not isinstance(set_options[name], str):
            raise SettingError(f"{name} {quote_value(set_options[name])}; one path is needed")
        parse_steps(set_options[name])  # raises if it is no path
    own_first_steps = (
        [steps[:1] for steps in parse_steps(set_options["spans"])] if "spans" in set_options else []
    )
    ignored = {
        path: noun
        for path, noun in tool.passed.items()
        if parse_steps(path)[0][:1] not in own_first_steps
    }
    tool = replace(tool, **set_options, passed=ignored)
    reader = _RecordReader(tool, log, set_options, texts)
    rows = (
        _yield_records(tool, path, encoding, log)
        if tool.rows
        else yield_json_records(path, _REQUIREMENT, encoding)
    )
    return build_raw_from_records(
        reader.yield_records(rows),
        log,
        {"format": tool.name, **build_reading_settings(encoding, **set_options, align=align)},
        offsets="tokens" if tool.tokens or reader.in_tokens else "characters",
        ends=tool.ends,
        again=bool(tool.annotator),
        one_each=(bool(tool.marked) and tool.annotator != KEY) or reader.by_annotator,
    )


def _yield_records(
    tool: Tool, path: PathName, encoding: str, log: ReadLog
) -> Iterator[tuple[str, Any]]:
    """Yield the records that a tool builds from the rows of a file.

    Raises:
        InputError: if the file does not have the tool's layout.
    """
    location = escape_path(path)
    arguments = (path, encoding, log) if tool.reads else (path, encoding)
    try:
        for location, record in tool.rows(*arguments) if tool.rows else ():
            yield location, record
    except SpanAgreeError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise InputError(
            f"{location}: what comes next is not {tool.means} ({find_reason(error)}); mend it, or"
            " name another format with --from"
        ) from None


def _find_quote(span: RawSpan) -> str | None:
    """Find the quote of a span without offsets, or ``None``."""
    return span.quote if span.start is None and span.pieces is None else None


def _is_member(value: Any, values: frozenset[Any]) -> bool:
    """Check whether a value is in a set; lists and objects never are."""
    return not isinstance(value, (list, dict)) and value in values


def _wrap_in_list(value: Any) -> list[Any]:
    """Wrap a value in a list; a list of spans stays, and null becomes an empty list."""
    if isinstance(value, list) and all(isinstance(item, (dict, list)) for item in value):
        return value
    return [] if value is None else [value]


def _join_answers(fragments: Sequence[Any]) -> Any:
    """Join an answer in several fragments: their spans, or the fragments of a text.

    >>> _join_answers(['{"text": "Jo"}', "[]", None, '[{"text": "Al"}]'])
    [{'text': 'Jo'}, {'text': 'Al'}]
    """
    present_fragments = [fragment for fragment in fragments if fragment is not None]
    if len(present_fragments) < 2:
        return present_fragments[0] if present_fragments else None
    parsed_fragments = [parse_cell(fragment) for fragment in present_fragments]
    if any(isinstance(fragment, str) for fragment in parsed_fragments):
        return "".join(map(str, present_fragments))
    return [
        span
        for fragment in parsed_fragments
        for span in (fragment if isinstance(fragment, list) else [fragment])
    ]


def _build_span_name(value: Any, paths: str, index: int = 0) -> tuple[str, ...]:
    """Build the name of a span from the values of paths with commas between."""
    if paths == NUMBER:
        return (str(index),)
    return tuple(str(find_first_value(value, path)) for path in paths.split(","))


class _RecordReader:
    """Reader of records by the paths of a tool."""

    def __init__(
        self, tool: Tool, log: ReadLog, set_options: Mapping[str, Any], texts: TextLookup | None
    ) -> None:
        self.tool, self.log, self.set_options, self.texts = tool, log, set_options, texts
        self.answers = SpanReader(log)
        self.n_found: Counter[str] = Counter()  # number of records with a value, by option
        self.questions: dict[str, None] = {}  # keys of annotators' parts with spans
        self.n_records = 0
        annotator_path = tool.annotator
        self.by_annotator: bool = (
            not tool.marked and annotator_path != FILE and leads_to_several(annotator_path or SELF)
        )
        are_quotes = texts is not None and not (tool.start or tool.text or tool.tokens)
        self.in_tokens = are_quotes and texts is not None and texts.are_tokens

    def yield_records(self, values: Iterable[tuple[str, Any]]) -> Iterator[Record]:
        """Yield the records in the values of a file.

        Raises:
            InputError: if the file has no records, or a value does not have the shape that a path
                needs.
            SettingError: if a path of the caller leads to no value.
        """
        for location, value in values:
            if not self.tool.records:
                yield from self._split_records(value, location)
                continue
            find_checked_values(value, self.tool.records, location)
            for index, (key, record) in enumerate(find_keyed_values(value, self.tool.records), 1):
                yield from self._yield_record(record, f"{location}, {index}", key)
        name, set_options = self.log.name, self.set_options
        if not self.n_records:
            raise InputError(f"{name}: no records; {_REQUIREMENT}")
        for option in ("spans", "start", "label", "quote", "annotator", "document"):
            if set_options.get(option) not in (None, FILE) and not self.n_found[option]:
                raise SettingError(
                    f"{name}: {option} {quote_value(set_options[option])} leads nowhere in any"
                    " record; see what is in the file, or leave the option out"
                )
        self.log.labelled |= bool(self.n_found["label"])
        if self.texts is not None:
            self.log.notes += self.texts.yield_notes(f"{name}: ")
        if len(self.questions) > 1:
            questions = join_names(self.questions)
            self.log.notes.append(f"{name}: spans under {questions} are read as one annotation")
        self.log.numbered = not self.n_found["document"]

    def _split_records(self, value: Any, location: str) -> Iterator[Record]:
        """Yield the records in a value; several if the path to the text leads to several."""
        tool, set_options = self.tool, self.set_options
        ids = tool.document.split(",") if tool.document not in ("", KEY) else []
        id_path = next((path for path in ids if leads_to_several(path)), *ids[:1]) if ids else ""
        content = set_options.get("tokens") or set_options.get("text") or ""
        if not content and self.texts is not None and "document" in set_options:
            content, id_path = id_path, ""
        if not content:
            yield from self._yield_record(value, location)
            return
        required_paths = [path for path in (tool.marked or tool.spans, id_path) if path]
        shared_paths = [*ids, *([tool.annotator] if tool.annotator not in ("", FILE, KEY) else [])]
        spans = (tool.spans,) if tool.start or tool.quote else ()
        split_values = yield_inner_records(
            value,
            content,
            required_paths,
            shared_paths,
            location,
            in_lists=bool(tool.tokens),
            list_paths=spans,
        )
        records = list(split_values)
        for index, (key, record) in enumerate(records, 1):
            record_location = location if len(records) == 1 else f"{location}, {index}"
            yield from self._yield_record(record, record_location, key)

    def _yield_record(self, record: Any, location: str, key: str = "") -> Iterator[Record]:
        """Yield a record, unless no other file has the text of its document."""
        tool = self.tool
        if not isinstance(record, (dict, list)) and not key:
            raise invalid_value(f"{location}:", record, _REQUIREMENT)
        self.n_records += 1
        id_ = self._find_id(record, key)
        location = f"{location}, document {quote_value(id_)}" if tool.document else location
        content = (self._find_tokens if tool.tokens else self._find_text)(record, id_, location)
        if content is None:
            self._count_textless(record, location)
            return
        if isinstance(record, dict) and not tool.rows:  # readers with rows check these records
            self.log.count_unread_marks(record)
        text = None if tool.tokens else content.get("text", content.get("tokens"))
        for path, noun in tool.passed.items():
            present_values = [value for value in find_values(record, path) if value is not None]
            misshapen_value = None if present_values else find_misshapen(record, path)
            self.log.passed[noun] += (
                len(present_values)
                if misshapen_value is None
                else max(1, count_entries(misshapen_value[1]) or 0)
            )
        yield Record(location, id_, content, self._yield_annotations(record, text, location))

    def _count_textless(self, record: Any, location: str) -> None:
        """Count a record without a text in other files, and its spans."""
        tool, self.log.textless = self.tool, self.log.textless + 1
        annotator_parts = (
            find_checked_values(record, tool.marked, location) if tool.marked else [record]
        )
        lists = (
            value
            for annotator_part in annotator_parts
            for value in find_checked_values(annotator_part, tool.spans, location)
        )
        spans = [span for value in lists for span in _wrap_in_list(value)]
        if tool.start or tool.quote:
            self.log.within["in documents that no other file has"] += len(spans)

    def _find_id(self, record: Any, key: str) -> Any:
        """Find the id of a record: the value of a path, or the values of several."""
        paths = self.tool.document.split(",")
        id_parts = [key] if paths == [KEY] else [find_first_value(record, path) for path in paths]
        for path in paths if "document" in self.set_options and paths != [KEY] else ():
            if len(values := find_values(record, path)) > 1:
                raise InputError(
                    f"{self.log.name}: document {quote_value(path)} leads to"
                    f" {pluralize(len(values), 'id')} of one text; one is needed"
                )
        if None in id_parts or not self.tool.document or id_parts == [""]:
            return self.n_records
        self.n_found["document"] += 1
        return id_parts[0] if len(id_parts) == 1 else "/".join(map(str, id_parts))

    def _find_tokens(self, record: Any, id_: Any, location: str) -> dict[str, Any]:
        """Find the tokens of a record, or of its document in other files."""
        words = find_values(record, self.tool.tokens)
        if not words and self.texts is not None and (text := self.texts.find_text(id_, location)):
            words = text.split() if isinstance(text, str) else list(text)
        if not words:
            raise InputError(
                f"{location}: no tokens at {self.tool.tokens}; --tokens names them, or name the"
                " file that has the texts by id beside this one"
            )
        return {"tokens": words[0] if len(words) == 1 and isinstance(words[0], list) else words}

    def _find_text(self, record: Any, id_: Any, location: str) -> dict[str, Any] | None:
        """Find the text of a record, or of its document in other files; ``None`` without a text."""
        text = self._find_option_value(record, "text")
        later_texts = find_values(record, self.tool.text)[1:]
        self.log.passed["other text"] += sum(
            isinstance(later_text, str) for later_text in later_texts
        )
        if text is None and self.texts is not None:
            text = self.texts.find_text(id_, location)
            if text is None:
                return None
        if isinstance(text, str):
            return {"text": text}
        if self.in_tokens:
            return {"tokens": list(text)}
        path_text = f" at {quote_value(self.tool.text)}" if self.tool.text else ""
        keys = join_names(record) if isinstance(record, dict) else "no keys"
        raise InputError(
            f"{location}: no text{path_text}; there are {keys}: --text names one, or name the file"
            " that has the texts by id beside this one"
        )

    def _find_option_value(self, value: Any, option: str) -> Any:
        """Find the value at the path of an option, and count it if it is present."""
        value_at_path = find_first_value(value, getattr(self.tool, option))
        self.n_found[option] += value_at_path is not None
        return value_at_path

    def _yield_annotations(
        self, record: Any, text: Place | None, location: str
    ) -> Iterator[RawAnnotation]:
        """Yield the annotations of a document by each annotator."""
        tool = self.tool
        path, utf16_value = tool.utf16
        in_utf16 = text is not None and bool(path) and find_first_value(record, path) == utf16_value
        points = map_offsets_to_points(text) if in_utf16 and isinstance(text, str) else None
        for key, annotator_part in self._list_annotator_parts(record, location):
            annotator = self._get_annotator_name(annotator_part, key, location)
            annotator_location = (
                location if annotator == "" else f"{location}, annotator {quote_value(annotator)}"
            )
            if annotator_part is None:  # unknown whether they saw it
                self.log.seen_unknown[annotator] = None
                yield RawAnnotation(annotator, None, location=annotator_location)
            elif tool.start or tool.quote:
                yield from self._yield_spans_of_part(
                    annotator_part, key, text, points, annotator, annotator_location
                )
            else:
                spans = self._read_answer(annotator_part, text, annotator, annotator_location)
                yield RawAnnotation(annotator, spans, location=annotator_location)

    def _list_annotator_parts(self, record: Any, location: str) -> list[tuple[str, Any]]:
        """List each annotator's part of a record, with the key of the part, which may be empty."""
        tool = self.tool
        if tool.marked:
            find_checked_values(record, tool.marked, location)
            return find_keyed_values(record, tool.marked)
        if not self.by_annotator:
            return [("", record)]
        spans = (tool.spans,) if tool.start or tool.quote else ()
        return list(
            yield_inner_records(
                record, tool.annotator, [tool.spans], [], location, list_paths=spans
            )
        )

    def _get_annotator_name(self, annotator_part: Any, key: str, location: str) -> Any:
        """Find the name of the annotator of a part; an empty name means the file.

        Raises:
            InputError: if the caller's path leads to no value, or to no name.
        """
        path = self.tool.annotator
        if path == KEY:
            return key
        annotator = (
            ""
            if path in ("", FILE)
            else convert_integer_to_text(self._find_option_value(annotator_part, "annotator"))
        )
        if annotator is None and self.set_options.get("annotator"):
            raise InputError(
                f"{location}: nothing stands at the annotator's path {quote_value(path)};"
                " see what is in the file, or leave it out"
            )
        if isinstance(annotator, (dict, list)):
            raise invalid_value(f"{location}: annotator", annotator, "a name is needed")
        return annotator

    def _is_seen(self, annotator_part: Any) -> bool:
        """Check whether an annotator saw a document: no path has a value that denies it."""
        return not any(
            _is_member(find_first_value(annotator_part, path), unseen_values)
            for path, unseen_values in self.tool.unseen.items()
        )

    def _yield_spans_of_part(
        self, annotator_part: Any, key: str, text: Place | None, points: Ints | None,
        annotator: Any, location: str,
    ) -> Iterator[RawAnnotation]:  # fmt: skip
        """Yield the annotation in an annotator's part of a record; ratings and choices are counted.

        ``points`` are the code points at offsets in UTF-16 units, or ``None`` for other offsets.
        """
        tool, is_seen = self.tool, self._is_seen(annotator_part)
        lists: list[tuple[str | None, Any]]
        if tool.label == KEY:
            lists = [*find_keyed_values(annotator_part, tool.spans)]
        else:
            lists = [(None, value) for value in find_values(annotator_part, tool.spans)]
        spans = [(label, span) for label, value in lists for span in _wrap_in_list(value)]
        self.n_found["spans"] += is_seen and bool(spans)
        if (
            tool.marked
            and tool.annotator != KEY
            and self._is_rating_or_choice(annotator_part, spans)
        ):
            self.log.passed["other answer"] += 1
            return
        if not spans:
            find_checked_values(annotator_part, tool.spans, location)
        if tool.marked and tool.annotator != KEY and spans:
            self.questions[key] = None
        is_answered = bool(spans) or bool(tool.marked) or self._is_answered(annotator_part)
        if tool.seen_unknown or (is_seen and not is_answered):
            self.log.seen_unknown[annotator] = None
        if spans and not is_seen:
            self.log.passed["unfinished answer"] += 1
            self.log.within["in unfinished answers"] += len(spans)
        if not (is_seen and is_answered):
            yield RawAnnotation(annotator, None, location=location)
            return
        span_by_name: dict[tuple[str, ...], int] = {}
        rows = self._yield_spans(spans, text, points, annotator, location, span_by_name)
        relations = self._yield_relations(annotator_part, span_by_name, location)
        yield RawAnnotation(annotator, rows, relations=relations, location=location)

    def _is_rating_or_choice(
        self, annotator_part: Any, spans: list[tuple[str | None, Any]]
    ) -> bool:
        """Check whether an annotator's part is a rating or a choice instead of a list of spans."""
        outer = self.tool.spans.rpartition("[*]")[0]
        values = [
            value
            for value in find_values(annotator_part, outer)
            if not isinstance(value, (list, dict, type(None)))
        ]
        return bool(values) or (bool(spans) and all(isinstance(span, str) for _, span in spans))

    def _read_answer(
        self, annotator_part: Any, text: Place | None, annotator: Any, location: str
    ) -> list[RawSpan] | None:
        """Read an annotator's spans in the layouts of language models; null is no answer."""
        path = _LAST_STEP.sub("", self.tool.spans) or SELF  # path to the list, without its elements
        answer = (
            _join_answers(find_checked_values(annotator_part, path, location))
            if self._is_seen(annotator_part)
            else None
        )
        self.n_found["spans"] += answer is not None
        return self.answers.parse_spans(answer, None, text, location, annotator)

    def _is_answered(self, annotator_part: Any) -> bool:
        """Check whether the list of spans is present, even if it is empty."""
        outer = self.tool.spans.rpartition("[*]")[0] or self.tool.spans
        return any(isinstance(item, (list, dict)) for item in find_values(annotator_part, outer))

    def _yield_spans(
        self,
        spans: Iterable[tuple[str | None, Any]],
        text: Place | None,
        points: Ints | None,
        annotator: Any,
        location: str,
        span_by_name: dict[tuple[str, ...], int],
    ) -> Iterator[RawSpan]:
        """Yield the spans of an annotator, and search for quotes without offsets in the text.

        ``spans`` are pairs of a label, if it is a key, and the span. The index of each span is
        stored in ``span_by_name``, for relations.
        """
        path, values, noun = self.tool.leaves
        segments: list[tuple[int, Any, RawSpan]] = []
        for index, (key, item) in enumerate(spans):
            if path and _is_member(find_first_value(item, path), values):
                self.log.passed[noun] += 1
                continue
            segments += [(index, item, span) for span in self._yield_segments(item, location, key)]
        quotes = [_find_quote(span) if text is not None else None for _, _, span in segments]
        quotes_to_find = [(quote, None) for quote in quotes if quote is not None]
        bounds = iter(
            self.log.quotes.place_quotes(text, quotes_to_find, annotator)
            if text is not None
            else ()
        )
        count = 0
        for (index, item, span), quote in zip(segments, quotes, strict=True):
            if quote is not None:
                bounds_of_quote = next(bounds)
                if bounds_of_quote is None:
                    yield span._replace(is_placed=False)
                    continue
                # without its quote, as the text there may differ in case
                span = RawSpan(*bounds_of_quote, span.label)
            elif points is not None and is_integer(span.start) and is_integer(span.end):
                start, end = look_up_point(points, span.start), look_up_point(points, span.end)
                span = span._replace(start=start, end=end)
            if self.tool.links:
                span_by_name.setdefault(_build_span_name(item, self.tool.links.span, index), count)
            count += 1
            yield span

    def _yield_relations(
        self, annotator_part: Any, span_by_name: Mapping[tuple[str, ...], int], location: str
    ) -> Iterator[RawRelation]:
        """Yield the relations of an annotator, after the spans."""
        links = self.tool.links
        if links is None:
            return
        for index, link in enumerate(
            find_checked_values(annotator_part, links.relations, location), 1
        ):
            relation_location = f"{location}, relation {index}"
            label = convert_integer_to_text(find_first_value(link, links.label))
            if not isinstance(label, str):
                raise invalid_value(f"{relation_location}: label", label, "a string is needed")
            first_index, second_index = (
                span_by_name.get(_build_span_name(link, path))
                for path in (links.first, links.second)
            )
            yield RawRelation(first_index, second_index, label, relation_location)

    def _yield_segments(
        self, span: Any, location: str, key: str | None = None
    ) -> Iterator[RawSpan]:
        """Yield each segment of a span, once for each of its labels."""
        tool = self.tool
        if not isinstance(span, (dict, list)):
            if isinstance(span, str) and not tool.start:
                yield RawSpan(None, None, None, span)
                return
            raise invalid_value(f"{location}: span", span, "an object or a list is needed")
        starts = find_values(span, tool.start) or [None]
        ends = find_values(span, tool.end) or [None]
        quotes = find_values(span, tool.quote) or [None]
        labels = [key] if key is not None else find_values(span, tool.label) or [None]
        if list in map(type, labels):
            lists = (label if isinstance(label, list) else [label] for label in labels)
            labels = [label for names in lists for label in names] or [None]
        self.n_found["label"] += labels != [None]
        self.n_found["start"] += starts != [None]
        self.n_found["quote"] += quotes != [None]
        ends = [None] * len(starts) if ends == [None] else ends
        quotes = [None] * len(starts) if quotes == [None] else quotes
        if len(quotes) == 1 < len(starts) and tool.in_pieces:
            quotes = [None] * len(starts)
        if not len(starts) == len(ends) == len(quotes):
            raise invalid_value(
                f"{location}: span", span, "as many starts as ends, and texts, are needed"
            )
        if tool.in_pieces and len(starts) > 1:
            quote = " ".join(map(str, quotes)) if None not in quotes else None
            pieces = list(zip(starts, ends, strict=True))
            for label in labels:
                yield RawSpan(label=convert_integer_to_text(label), quote=quote, pieces=pieces)
            return
        for start, end, quote in zip(starts, ends, quotes, strict=True):
            quoted_text = quote if isinstance(quote, str) else None
            if end is None and is_integer(start) and quoted_text is not None:
                end = start + len(quoted_text) - (tool.ends == "inclusive")
            path = tool.start if start is None else tool.end
            if None in (start, end) and quoted_text is None:
                raise invalid_value(
                    f"{location}: span", span, f"nothing stands at {path or 'quote'}"
                )
            for label in labels:
                yield RawSpan(start, end, convert_integer_to_text(label), quoted_text)
