"""The engine that reads records of JSON by an entry of :data:`spanagree.formats.tools.TOOLS`."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from spanagree.arrays import Ints
from spanagree.corpus.collector import text_of_whole
from spanagree.corpus.offsets import Place, point, points_at
from spanagree.corpus.raw import RawCorpus
from spanagree.errors import (
    InputError,
    SettingError,
    SpanAgreeError,
    invalid_value,
    is_whole,
    join_names,
    length_of,
    pluralize,
    printable_path,
    quote_value,
    reason,
)
from spanagree.files import PathName
from spanagree.formats.hugging_face.spans import SpanReader, parsed
from spanagree.formats.joined_texts import TextLookup
from spanagree.formats.json_records import json_records
from spanagree.formats.paths import (
    SELF,
    first_at,
    found_at,
    is_several,
    keyed_at,
    misshapen,
    records_at,
    steps_of,
    values_at,
)
from spanagree.formats.records import RawAnnotation, RawRelation, RawSpan, ReadLog, Record, gather
from spanagree.formats.tools import FILE, KEY, NUMBER, PATHS, Tool
from spanagree.settings import reading_settings

_LAST_STEP = re.compile(r"\[\*\](?=\||\Z)")
_NEEDED = "records in JSON are needed, a list of them or one a line"


def raw_by_paths(path: PathName, **options: Any) -> RawCorpus:
    """Return the rows of records whose parts all paths name.

    Raises:
        SettingError: if spans, or a text or tokens, are not named.
    """
    if not options.get("spans"):
        raise SettingError(
            "paths name no spans; --spans leads to the spans of a record, and --start and --end, or"
            " --quote, to what is in them"
        )
    if not (options.get("text") or options.get("tokens") or options.get("texts")):
        raise SettingError("paths name neither text nor tokens, which offsets count; name --text")
    return raw_records(Tool("paths", ""), path, **options)


def raw_records(
    tool: Tool,
    path: PathName,
    *,
    encoding: str = "utf-8",
    align: bool = False,
    texts: TextLookup | None = None,
    **options: Any,
) -> RawCorpus:
    """Return the rows of a file of a tool, unchecked.

    Args:
        tool: how it is read.
        path: the file.
        encoding: of the file.
        align: whether copies with tags and quotes are aligned that a language model changed.
        texts: of other files of the command, by id.
        options: of the tool; those of one that is read by paths are other paths, and ``ends``;
            ``absent`` is settled by the caller.

    Raises:
        InputError: for a file that cannot be read, and for what is not where a path leads.
        SettingError: for what is not a path, or one that leads nowhere in the whole file.
    """
    log = ReadLog(printable_path(path), align=align)
    if not options.get("spans"):  # who names spans means no others
        log.tree = tool.tree
    if tool.read:
        reading = {"format": tool.name, **reading_settings(encoding, **options)}
        ends = options.pop("ends", None)
        return gather(tool.read(path, log, **options), log, reading, ends=ends)
    options.pop("absent", None)
    given = {name: value for name, value in options.items() if value is not None}
    for name in (name for name in PATHS if name in given):
        if not isinstance(given[name], str):
            raise SettingError(f"{name} {quote_value(given[name])}; one path is needed")
        steps_of(given[name])  # refuses what is no path
    read = [steps[:1] for steps in steps_of(given["spans"])] if "spans" in given else []
    passed = {path: noun for path, noun in tool.passed.items() if steps_of(path)[0][:1] not in read}
    tool = replace(tool, **given, passed=passed)
    reader = _ByPaths(tool, log, given, texts)
    rows = _rows(tool, path, encoding, log) if tool.rows else json_records(path, _NEEDED, encoding)
    return gather(
        reader.records(rows),
        log,
        {"format": tool.name, **reading_settings(encoding, **given, align=align)},
        offsets="tokens" if tool.tokens or reader.in_tokens else "characters",
        ends=tool.ends,
        again=bool(tool.annotator),
        one_each=(bool(tool.marked) and tool.annotator != KEY) or reader.by_annotator,
    )


def _rows(tool: Tool, path: PathName, encoding: str, log: ReadLog) -> Iterator[tuple[str, Any]]:
    """Yield the records that a tool's rows make.

    Raises:
        InputError: for a file that is not written so.
    """
    location = printable_path(path)
    arguments = (path, encoding, log) if tool.reads else (path, encoding)
    try:
        for location, record in tool.rows(*arguments) if tool.rows else ():
            yield location, record
    except SpanAgreeError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise InputError(
            f"{location}: what comes next is not {tool.means} ({reason(error)}); mend it, or name"
            " another format with --from"
        ) from None


def _quote_of(span: RawSpan) -> str | None:
    """Return the quote that a span has in place of offsets, if it has."""
    return span.quote if span.start is None and span.pieces is None else None


def _is_one_of(value: Any, values: frozenset[Any]) -> bool:
    """Return whether a value is among some; a list or an object never is."""
    return not isinstance(value, (list, dict)) and value in values


def _each(value: Any) -> list[Any]:
    """Return the spans of a list of them to which a path leads; else what it leads to, if any."""
    if isinstance(value, list) and all(isinstance(item, (dict, list)) for item in value):
        return value
    return [] if value is None else [value]


def _joined(parts: Sequence[Any]) -> Any:
    """Return the answer that comes in parts: the spans of all of them, or the pieces of a text.

    >>> _joined(['{"text": "Jo"}', "[]", None, '[{"text": "Al"}]'])
    [{'text': 'Jo'}, {'text': 'Al'}]
    """
    given = [part for part in parts if part is not None]
    if len(given) < 2:
        return given[0] if given else None
    read = [parsed(part) for part in given]
    if any(isinstance(part, str) for part in read):
        return "".join(map(str, given))
    return [span for part in read for span in (part if isinstance(part, list) else [part])]


def _name_at(value: Any, paths: str, number: int = 0) -> tuple[str, ...]:
    """Return what paths with commas between lead to, by which a span is known."""
    if paths == NUMBER:
        return (str(number),)
    return tuple(str(first_at(value, path)) for path in paths.split(","))


class _ByPaths:
    """Reads records by the paths of a tool."""

    def __init__(
        self, tool: Tool, log: ReadLog, given: Mapping[str, Any], texts: TextLookup | None
    ) -> None:
        self.tool, self.log, self.given, self.texts = tool, log, given, texts
        self.answers = SpanReader(log)
        self.led: Counter[str] = Counter()  # how often a path led somewhere
        self.questions: dict[str, None] = {}  # of which each has spans of an annotator
        self.number = 0
        named = tool.annotator
        self.by_annotator: bool = not tool.marked and named != FILE and is_several(named or SELF)
        quotes = texts is not None and not (tool.start or tool.text or tool.tokens)
        self.in_tokens = quotes and texts is not None and texts.are_tokens

    def records(self, values: Iterable[tuple[str, Any]]) -> Iterator[Record]:
        """Yield the records in what a file holds.

        Raises:
            InputError: for a file without records, or what is not where a path leads.
            SettingError: for a path of the caller's that leads nowhere.
        """
        for location, value in values:
            if not self.tool.records:
                yield from self._each_record(value, location)
                continue
            found_at(value, self.tool.records, location)
            for number, (key, record) in enumerate(keyed_at(value, self.tool.records), 1):
                yield from self._record(record, f"{location}, {number}", key)
        name, given = self.log.name, self.given
        if not self.number:
            raise InputError(f"{name}: no records; {_NEEDED}")
        for option in ("spans", "start", "label", "quote", "annotator", "document"):
            if given.get(option) not in (None, FILE) and not self.led[option]:
                raise SettingError(
                    f"{name}: {option} {quote_value(given[option])} leads nowhere in any record;"
                    " see what is in the file, or leave the option out"
                )
        self.log.labelled |= bool(self.led["label"])
        if self.texts is not None:
            self.log.notes += self.texts.notes(f"{name}: ")
        if len(self.questions) > 1:
            asked = join_names(self.questions)
            self.log.notes.append(f"{name}: spans under {asked} are read as one annotation")
        self.log.numbered = not self.led["document"]

    def _each_record(self, value: Any, location: str) -> Iterator[Record]:
        """Yield the records that a value holds: several, where the path to a text leads to some."""
        tool, given = self.tool, self.given
        ids = tool.document.split(",") if tool.document not in ("", KEY) else []
        per_record = next((path for path in ids if is_several(path)), *ids[:1]) if ids else ""
        content = given.get("tokens") or given.get("text") or ""
        if not content and self.texts is not None and "document" in given:
            content, per_record = per_record, ""
        if not content:
            yield from self._record(value, location)
            return
        of_each = [path for path in (tool.marked or tool.spans, per_record) if path]
        others = [*ids, *([tool.annotator] if tool.annotator not in ("", FILE, KEY) else [])]
        spans = (tool.spans,) if tool.start or tool.quote else ()
        cut = records_at(
            value, content, of_each, others, location, in_lists=bool(tool.tokens), of_lists=spans
        )
        records = list(cut)
        for number, (key, record) in enumerate(records, 1):
            place = location if len(records) == 1 else f"{location}, {number}"
            yield from self._record(record, place, key)

    def _record(self, record: Any, location: str, key: str = "") -> Iterator[Record]:
        """Yield a record, unless its document is in no other file, which has the texts."""
        tool = self.tool
        if not isinstance(record, (dict, list)) and not key:
            raise invalid_value(f"{location}:", record, _NEEDED)
        self.number += 1
        id_ = self._id_of(record, key)
        location = f"{location}, document {quote_value(id_)}" if tool.document else location
        content = (self._tokens if tool.tokens else self._text)(record, id_, location)
        if content is None:
            self._leave(record, location)
            return
        if isinstance(record, dict) and not tool.rows:  # of what they are made that is looked at
            self.log.look_beside(record)
        place = None if tool.tokens else content.get("text", content.get("tokens"))
        for path, noun in tool.passed.items():
            there = [value for value in values_at(record, path) if value is not None]
            odd = None if there else misshapen(record, path)
            self.log.passed[noun] += len(there) if odd is None else max(1, length_of(odd[1]) or 0)
        yield Record(location, id_, content, self._annotations(record, place, location))

    def _leave(self, record: Any, location: str) -> None:
        """Count a record whose text no other file has, and the spans in it."""
        tool, self.log.textless = self.tool, self.log.textless + 1
        parts = found_at(record, tool.marked, location) if tool.marked else [record]
        lists = (value for part in parts for value in found_at(part, tool.spans, location))
        spans = [span for value in lists for span in _each(value)]
        if tool.start or tool.quote:
            self.log.within["in documents that no other file has"] += len(spans)

    def _id_of(self, record: Any, key: str) -> Any:
        """Return the id of a record: what a path leads to, or what several do."""
        paths = self.tool.document.split(",")
        parts = [key] if paths == [KEY] else [first_at(record, path) for path in paths]
        for path in paths if "document" in self.given and paths != [KEY] else ():
            if len(several := values_at(record, path)) > 1:
                raise InputError(
                    f"{self.log.name}: document {quote_value(path)} leads to"
                    f" {pluralize(len(several), 'id')} of one text; one is needed"
                )
        if None in parts or not self.tool.document or parts == [""]:
            return self.number
        self.led["document"] += 1
        return parts[0] if len(parts) == 1 else "/".join(map(str, parts))

    def _tokens(self, record: Any, id_: Any, location: str) -> dict[str, Any]:
        """Return the tokens of a record, or those of the other files."""
        words = values_at(record, self.tool.tokens)
        if not words and self.texts is not None and (text := self.texts.of(id_, location)):
            words = text.split() if isinstance(text, str) else list(text)
        if not words:
            raise InputError(
                f"{location}: no tokens at {self.tool.tokens}; --tokens names them, or name the"
                " file that has the texts by id beside this one"
            )
        return {"tokens": words[0] if len(words) == 1 and isinstance(words[0], list) else words}

    def _text(self, record: Any, id_: Any, location: str) -> dict[str, Any] | None:
        """Return the text of a record, or that of the other files; ``None``: they have none."""
        text = self._at(record, "text")
        others = values_at(record, self.tool.text)[1:]
        self.log.passed["other text"] += sum(isinstance(other, str) for other in others)
        if text is None and self.texts is not None:
            text = self.texts.of(id_, location)
            if text is None:
                return None
        if isinstance(text, str):
            return {"text": text}
        if self.in_tokens:
            return {"tokens": list(text)}
        at = f" at {quote_value(self.tool.text)}" if self.tool.text else ""
        keys = join_names(record) if isinstance(record, dict) else "no keys"
        raise InputError(
            f"{location}: no text{at}; there are {keys}: --text names one, or name the file"
            " that has the texts by id beside this one"
        )

    def _at(self, value: Any, option: str) -> Any:
        """Return what the path of an option leads to, and remember whether it does."""
        there = first_at(value, getattr(self.tool, option))
        self.led[option] += there is not None
        return there

    def _annotations(
        self, record: Any, text: Place | None, location: str
    ) -> Iterator[RawAnnotation]:
        """Yield what each annotator marked in a document, if she saw it."""
        tool = self.tool
        path, says = tool.utf16
        in_utf16 = text is not None and bool(path) and first_at(record, path) == says
        points = points_at(text) if in_utf16 and isinstance(text, str) else None
        for key, part in self._parts(record, location):
            annotator = self._annotator(part, key, location)
            place = (
                location if annotator == "" else f"{location}, annotator {quote_value(annotator)}"
            )
            if part is None:  # of whom it is not said
                self.log.seen_unknown[annotator] = None
                yield RawAnnotation(annotator, None, location=place)
            elif tool.start or tool.quote:
                yield from self._marked(part, key, text, points, annotator, place)
            else:
                spans = self._answer(part, text, annotator, place)
                yield RawAnnotation(annotator, spans, location=place)

    def _parts(self, record: Any, location: str) -> list[tuple[str, Any]]:
        """Return each annotator's part of a record, with its key; the record itself may be one."""
        tool = self.tool
        if tool.marked:
            found_at(record, tool.marked, location)
            return keyed_at(record, tool.marked)
        if not self.by_annotator:
            return [("", record)]
        spans = (tool.spans,) if tool.start or tool.quote else ()
        return list(records_at(record, tool.annotator, [tool.spans], [], location, of_lists=spans))

    def _annotator(self, part: Any, key: str, location: str) -> Any:
        """Return the name of an annotator, which the caller's path has to lead to."""
        path = self.tool.annotator
        if path == KEY:
            return key
        annotator = "" if path in ("", FILE) else text_of_whole(self._at(part, "annotator"))
        if annotator is None and self.given.get("annotator"):
            raise InputError(
                f"{location}: nothing stands at the annotator's path {quote_value(path)};"
                " see what is in the file, or leave it out"
            )
        if isinstance(annotator, (dict, list)):
            raise invalid_value(f"{location}: annotator", annotator, "a name is needed")
        return annotator

    def _is_seen(self, part: Any) -> bool:
        return not any(_is_one_of(first_at(part, p), some) for p, some in self.tool.unseen.items())

    def _marked(
        self, part: Any, key: str, text: Place | None, points: Ints | None, annotator: Any,
        location: str,
    ) -> Iterator[RawAnnotation]:  # fmt: skip
        """Yield the spans in an annotator's part of a record, unless it holds something else."""
        tool, seen = self.tool, self._is_seen(part)
        lists: list[tuple[str | None, Any]]
        if tool.label == KEY:
            lists = [*keyed_at(part, tool.spans)]
        else:
            lists = [(None, value) for value in values_at(part, tool.spans)]
        spans = [(label, span) for label, value in lists for span in _each(value)]
        self.led["spans"] += seen and bool(spans)
        if tool.marked and tool.annotator != KEY and self._is_of_another_kind(part, spans):
            self.log.passed["other answer"] += 1
            return
        if not spans:
            found_at(part, tool.spans, location)
        if tool.marked and tool.annotator != KEY and spans:
            self.questions[key] = None
        is_answered = bool(spans) or bool(tool.marked) or self._is_answered(part)
        if tool.seen_unknown or (seen and not is_answered):
            self.log.seen_unknown[annotator] = None
        if spans and not seen:
            self.log.passed["unfinished answer"] += 1
            self.log.within["in unfinished answers"] += len(spans)
        if not (seen and is_answered):
            yield RawAnnotation(annotator, None, location=location)
            return
        known: dict[tuple[str, ...], int] = {}
        rows = self._spans(spans, text, points, annotator, location, known)
        links = self._relations(part, known, location)
        yield RawAnnotation(annotator, rows, relations=links, location=location)

    def _is_of_another_kind(self, part: Any, spans: list[tuple[str | None, Any]]) -> bool:
        """Return whether an annotator's part is no list of spans, but a rating or a choice."""
        outer = self.tool.spans.rpartition("[*]")[0]
        other = [v for v in values_at(part, outer) if not isinstance(v, (list, dict, type(None)))]
        return bool(other) or (bool(spans) and all(isinstance(s, str) for _, s in spans))

    def _answer(
        self, part: Any, text: Place | None, annotator: Any, place: str
    ) -> list[RawSpan] | None:
        """Return what an annotator marked as a language model says it; null is no answer."""
        path = _LAST_STEP.sub("", self.tool.spans) or SELF  # the list, not its elements
        answer = _joined(found_at(part, path, place)) if self._is_seen(part) else None
        self.led["spans"] += answer is not None
        return self.answers.rows(answer, None, text, place, annotator)

    def _is_answered(self, part: Any) -> bool:
        """Return whether the list of spans is there, if empty."""
        outer = self.tool.spans.rpartition("[*]")[0] or self.tool.spans
        return any(isinstance(item, (list, dict)) for item in values_at(part, outer))

    def _spans(
        self,
        spans: Iterable[tuple[str | None, Any]],
        text: Place | None,
        points: Ints | None,
        annotator: Any,
        location: str,
        known: dict[tuple[str, ...], int],
    ) -> Iterator[RawSpan]:
        """Yield the spans of an annotator, quotes without offsets where they stand in a text.

        Under its name it becomes ``known`` which of them each is, for relations.
        """
        path, values, noun = self.tool.leaves
        segments: list[tuple[int, Any, RawSpan]] = []
        for number, (key, item) in enumerate(spans):
            if path and _is_one_of(first_at(item, path), values):
                self.log.passed[noun] += 1
                continue
            segments += [(number, item, span) for span in self._segments(item, location, key)]
        quotes = [_quote_of(span) if text is not None else None for _, _, span in segments]
        wanted = [(quote, None) for quote in quotes if quote is not None]
        bounds = iter(self.log.quotes.place(text, wanted, annotator) if text is not None else ())
        count = 0
        for (number, item, span), quote in zip(segments, quotes, strict=True):
            if quote is not None:
                at = next(bounds)
                if at is None:
                    yield span._replace(is_placed=False)
                    continue
                span = RawSpan(*at, span.label)  # it may stand there in other letters
            elif points is not None and is_whole(span.start) and is_whole(span.end):
                start, end = point(points, span.start), point(points, span.end)
                span = span._replace(start=start, end=end)
            if self.tool.links:
                known.setdefault(_name_at(item, self.tool.links.span, number), count)
            count += 1
            yield span

    def _relations(
        self, part: Any, known: Mapping[tuple[str, ...], int], location: str
    ) -> Iterator[RawRelation]:
        """Yield the relations of an annotator, once her spans are known."""
        links = self.tool.links
        if links is None:
            return
        for number, link in enumerate(found_at(part, links.relations, location), 1):
            place, label = (
                f"{location}, relation {number}",
                text_of_whole(first_at(link, links.label)),
            )
            if not isinstance(label, str):
                raise invalid_value(f"{place}: label", label, "a string is needed")
            first, second = (known.get(_name_at(link, p)) for p in (links.first, links.second))
            yield RawRelation(first, second, label, place)

    def _segments(self, span: Any, location: str, key: str | None = None) -> Iterator[RawSpan]:
        """Yield each segment of a span, once for each of its labels."""
        tool = self.tool
        if not isinstance(span, (dict, list)):
            if isinstance(span, str) and not tool.start:
                yield RawSpan(None, None, None, span)
                return
            raise invalid_value(f"{location}: span", span, "an object or a list is needed")
        starts = values_at(span, tool.start) or [None]
        ends = values_at(span, tool.end) or [None]
        quotes = values_at(span, tool.quote) or [None]
        labels = [key] if key is not None else values_at(span, tool.label) or [None]
        if list in map(type, labels):
            lists = (label if isinstance(label, list) else [label] for label in labels)
            labels = [label for names in lists for label in names] or [None]
        self.led["label"] += labels != [None]
        self.led["start"] += starts != [None]
        self.led["quote"] += quotes != [None]
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
                yield RawSpan(label=text_of_whole(label), quote=quote, pieces=pieces)
            return
        for start, end, quote in zip(starts, ends, quotes, strict=True):
            covered = quote if isinstance(quote, str) else None
            if end is None and is_whole(start) and covered is not None:
                end = start + len(covered) - (tool.ends == "inclusive")
            path = tool.start if start is None else tool.end
            if None in (start, end) and covered is None:
                raise invalid_value(
                    f"{location}: span", span, f"nothing stands at {path or 'quote'}"
                )
            for label in labels:
                yield RawSpan(start, end, text_of_whole(label), covered)
