"""The engine that reads records of JSON by an entry of :data:`spanagree.formats.tools.TOOLS`."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from spanagree.arrays import Ints
from spanagree.corpus.collector import Collector, text_of_whole
from spanagree.corpus.offsets import point, points_at
from spanagree.corpus.raw import RawCorpus
from spanagree.errors import InputError, SettingError, is_whole, listed, printable, show, unfit
from spanagree.files import PathName
from spanagree.formats.hugging_face.spans import ONE_LABEL
from spanagree.formats.json_records import json_records
from spanagree.formats.paths import Found, at_path, first_at, steps_of
from spanagree.formats.peek import passed_over
from spanagree.formats.quotes import Quotes
from spanagree.formats.tools import KEY, PATHS, TOOLS, Tool
from spanagree.settings import as_read

_NEEDED = "records in JSON are needed, a list of them or one a line"


def raw_tool(name: str, path: PathName, **options: Any) -> RawCorpus:
    """Return the rows of a file by an entry of the table, of which options may name other paths."""
    return raw_records(TOOLS[name], path, **options)


def raw_by_paths(path: PathName, **options: Any) -> RawCorpus:
    """Return the rows of records whose parts all paths name.

    Raises:
        SettingError: if spans, or a text or tokens, are not named.
    """
    for name, given in {"spans": options.get("spans"), "start or quote": _start(options)}.items():
        if not given:
            raise SettingError(
                f"paths name no {name}; --spans leads to the spans of a record, and --start and"
                " --end, or --quote, to what is in them"
            )
    if not (options.get("text") or options.get("tokens")):
        raise SettingError("paths name neither text nor tokens, which offsets count; name --text")
    return raw_records(Tool("paths", ""), path, **options)


def _start(options: dict[str, Any]) -> Any:
    return options.get("start") or options.get("quote")


def raw_records(
    tool: Tool, path: PathName, *, encoding: str = "utf-8", **options: Any
) -> RawCorpus:
    """Return the rows of records, unchecked.

    Args:
        tool: how they are read.
        path: the file.
        encoding: of the file.
        options: other paths, and ``ends``; ``absent`` is settled by the caller.

    Raises:
        InputError: for a file that cannot be read, and for what is not where a path leads.
        SettingError: for what is not a path, or one that leads nowhere in the whole file.
    """
    options.pop("absent", None)
    for what in PATHS:
        if options.get(what) is not None:
            if not isinstance(options[what], str):
                raise SettingError(f"{what} {show(options[what])}; one path is needed")
            steps_of(options[what])
    own = {name: value for name, value in options.items() if value is not None}
    reader = _Records(printable(os.fspath(path)), replace(tool, **own))
    for where, record in json_records(path, _NEEDED, encoding):
        reader.add(record, where)
    how = as_read(encoding, **own)
    return reader.raw({"format": tool.name, **how}, own)


def _each(value: Any) -> list[Any]:
    """Return the spans of a list of them to which a path leads; else what it leads to, if any."""
    if isinstance(value, list) and all(isinstance(each, (dict, list)) for each in value):
        return value
    return [] if value is None else [value]


class _Records:
    """Gathers records, and counts what is passed over."""

    def __init__(self, name: str, tool: Tool) -> None:
        self.name, self.tool = name, tool
        offsets = "tokens" if tool.tokens else "characters"
        self.collector = Collector(offsets, unnamed=True, ends=tool.ends, name=name)
        self.passed: Counter[str] = Counter()
        self.led: Counter[str] = Counter()  # how often a path led somewhere
        self.quotes = Quotes()
        self.points: Ints | None = None  # of offsets in UTF-16 units
        self.numbered = True
        self.unsaid: dict[str, None] = {}

    def add(self, value: Any, where: str) -> None:
        """Add a record, or those that lie in it."""
        tool = self.tool
        if not tool.records:
            self._record(value, where)
            return
        for number, each in enumerate(at_path(value, tool.records), 1):
            self._record(each.value, f"{where}, {number}")

    def _record(self, record: Any, where: str) -> None:
        tool = self.tool
        if not isinstance(record, (dict, list)):
            raise unfit(f"{where}:", record, _NEEDED)
        id_ = self._at(record, "document")
        self.numbered &= id_ is None
        id_ = len(self.collector.ids) + 1 if id_ is None else id_
        where = f"{where}, document {show(id_)}" if tool.document else where
        text: Any = None
        if tool.tokens:
            words = [each.value for each in at_path(record, tool.tokens)]
            words = words[0] if len(words) == 1 and isinstance(words[0], list) else words
            document = self.collector.document(id_, where, tokens=words, again=bool(tool.annotator))
        else:
            text = self._at(record, "text")
            if not isinstance(text, str):
                keys = listed(record) if isinstance(record, dict) else "no keys"
                raise InputError(
                    f"{where}: no text at {show(tool.text)}; there are {keys}: --text names one"
                )
            document = self.collector.document(id_, where, text=text, again=bool(tool.annotator))
        path, says = tool.utf16
        in_utf16 = isinstance(text, str) and bool(path) and first_at(record, path) == says
        self.points = points_at(text) if in_utf16 else None
        for path, noun in tool.passed.items():
            self.passed[noun] += len(at_path(record, path))
        parts = at_path(record, tool.marked) if tool.marked else [Found(record)]
        for part in parts:
            self._annotation(part, document, text, where)

    def _at(self, value: Any, what: str) -> Any:
        there = first_at(value, getattr(self.tool, what))
        self.led[what] += there is not None
        return there

    def _annotation(self, part: Found, document: int, text: str | None, where: str) -> None:
        """Add what an annotator marked in a document, if she saw it."""
        tool = self.tool
        who: Any = ""
        if tool.annotator == KEY:
            who = part.key or ""
        elif tool.annotator:
            who = text_of_whole(self._at(part.value, "annotator"))
        place = where if who == "" else f"{where}, annotator {show(who)}"
        if any(first_at(part.value, path) in some for path, some in tool.unseen.items()):
            self.collector.annotator(who, place)
            return
        spans = [span for each in at_path(part.value, tool.spans) for span in _each(each.value)]
        self.led["spans"] += bool(spans)
        if not spans and not tool.marked and not self._is_answered(part.value):
            self.collector.annotator(who, place)
            self.unsaid[who] = None
            return
        annotation = self.collector.annotation(document, who, place)
        times: Counter[str] = Counter()
        for span in spans:
            for start, end, label, quote in self._segments(span, place):
                bounds: tuple[Any, Any] | None = (start, end)
                if start is None and quote is not None and text is not None:
                    bounds = self.quotes.place(text, quote, times[quote], who)
                    times[quote] += 1
                    quote = None  # it was looked for, perhaps in other letters
                if bounds is not None:
                    if self.points is not None and all(map(is_whole, bounds)):
                        bounds = point(self.points, bounds[0]), point(self.points, bounds[1])
                    first, last = bounds
                    self.collector.segment(annotation, first, last, label, place, quote=quote)

    def _is_answered(self, part: Any) -> bool:
        """Return whether the list of spans is there, if empty."""
        outer = self.tool.spans.rpartition("[*]")[0] or self.tool.spans
        return any(isinstance(each.value, (list, dict)) for each in at_path(part, outer))

    def _segments(self, span: Any, where: str) -> Iterator[tuple[Any, Any, Any, str | None]]:
        """Yield start, end, label and text of each segment of a span."""
        tool = self.tool
        if not isinstance(span, (dict, list)):
            if isinstance(span, str) and not tool.start:
                yield None, None, None, span
                return
            raise unfit(f"{where}: span", span, "an object or a list is needed")
        starts, ends, quotes = (
            [each.value for each in at_path(span, path)] or [None]
            for path in (tool.start, tool.end, tool.quote)
        )
        labels = [each.value for each in at_path(span, tool.label)] or [None]
        labels = labels[0] if isinstance(labels[0], list) and labels[0] else labels
        self.led["label"] += labels != [None]
        self.led["start"] += starts != [None]
        ends = [None] * len(starts) if ends == [None] else ends
        quotes = [None] * len(starts) if quotes == [None] else quotes
        if not len(starts) == len(ends) == len(quotes):
            raise unfit(f"{where}: span", span, "as many starts as ends, and texts, are needed")
        for start, end, quote in zip(starts, ends, quotes, strict=True):
            covered = quote if isinstance(quote, str) else None
            if end is None and is_whole(start) and covered is not None:
                end = start + len(covered) - (tool.ends == "inclusive")
            if start is None and covered is None:
                raise unfit(f"{where}: span", span, f"nothing stands at {tool.start or 'quote'}")
            for label in labels:
                yield start, end, text_of_whole(label), covered

    def raw(self, reading: dict[str, Any], own: dict[str, Any]) -> RawCorpus:
        """Return all of it, with notes of what was done."""
        if not self.collector.ids:
            raise InputError(f"{self.name}: no records; {_NEEDED}")
        for what in ("spans", "start", "label", "annotator", "document"):
            if what in own and not self.led[what]:
                raise SettingError(
                    f"{self.name}: {what} {show(own[what])} leads nowhere in any record; see what"
                    " is in the file, or leave the option out"
                )
        notes = [*passed_over(self.name, self.passed), *self.quotes.notes(f"{self.name}: ")]
        if not self.led["label"] and self.collector.call_all(ONE_LABEL):
            notes.append(f"{self.name}: the spans have no labels; all are called {ONE_LABEL!r}")
        counts = {
            who: {"read": read, "unaligned": lost}
            for who, (read, lost) in self.quotes.counts().items()
        }
        reading = {**reading, **({"quotes": counts} if counts else {})}
        raw = self.collector.raw(reading, notes, numbered=self.numbered)
        return raw.but(unsaid=tuple(self.unsaid))
