"""Recordings: what all files of speech, gesture and behaviour share, and those with lines.

Each reader adds marks, from one time to another, of tiers; :class:`Marks` makes rows of them. A
tier is somebody's or something's line of the recording: it may name the annotator or the label.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypedDict

from spanagree.choices import LabelFrom
from spanagree.corpus.raw import RawCorpus
from spanagree.corpus.times import LAST_END, TICKS, in_ticks, seconds, shown
from spanagree.errors import (
    InputError,
    SettingError,
    check_choice,
    join_names,
    pluralize,
    printable_path,
    quote_value,
)
from spanagree.files import PathName, numbered_lines, read_text
from spanagree.formats.exports import check_named
from spanagree.formats.file_head import FileHead
from spanagree.formats.records import RawAnnotation, RawSpan, ReadLog, Record, gather
from spanagree.settings import reading_settings
from spanagree.tables import cells_of, separator_of

if TYPE_CHECKING:
    from typing_extensions import Unpack  # in typing from Python 3.11 on

LABEL_FROM = {
    "text": "what is written in the segment",
    "tier": "the name of the tier, as that of a speaker",
    "both": "tier: text",
}
"""What the label of a segment is; the text of a single tier, else both, unless chosen."""

_NUMBER = r"[+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?"
_SPEECH = ("SPEAKER",)


class Tiers(TypedDict, total=False):
    """What is read of tiers, and what they say.

    Attributes:
        tier: the tiers that are read, by name; all unless given.
        label_from: what the label is: text, tier or both.
        annotator_from: what names annotators: the file, or tier, if each is an annotator's.
    """

    tier: str | Sequence[str] | None
    label_from: LabelFrom | None
    annotator_from: str | None


class Mark(NamedTuple):
    """What is marked from one time to another, in seconds.

    Attributes:
        document, annotator, tier: the names, which may be empty.
        start, end: the times.
        text: what is written there; without one, the tier says what it is.
        location: its place for errors.
        attributes: what else is said of it.
    """

    document: str
    annotator: str
    tier: str
    start: Fraction
    end: Fraction
    text: str
    location: str
    attributes: dict[str, str]

    def label(self, label_from: str) -> str:
        """Return the label, by a choice of :data:`LABEL_FROM`."""
        if label_from == "both" and self.text and self.tier:
            return f"{self.tier}: {self.text}"
        return self.text or self.tier if label_from == "text" else self.tier or self.text

    def span(self, label_from: str) -> RawSpan:
        """Return the span in ticks.

        Raises:
            InputError: for times before the recording, or reversed.
        """
        start, end = in_ticks(self.start), in_ticks(self.end)
        if start < 0 or end < start:
            problem = "before the recording" if start < 0 else "reversed"
            raise InputError(
                f"{self.location}: {shown(start, TICKS)}–{shown(end, TICKS)} s, {problem}; a time"
                " is at least 0, and start comes first"
            )
        return RawSpan(
            start, end, self.label(label_from), None, self.attributes, None, self.location
        )


class Marks:
    """The marks of a source so far.

    ``add`` takes times in seconds as :func:`spanagree.corpus.times.seconds` gives them.
    """

    def __init__(self, path: PathName, unit: str = "s") -> None:
        self.name: str = printable_path(path)
        self.unit = unit
        self.rows: list[Mark] = []
        self.lengths: dict[str, Fraction] = {}
        self.seen: dict[tuple[str, str], None] = {}
        self.tiers: dict[str, None] = {}
        self.passed: Counter[str] = Counter()
        self.notes: list[str] = []

    def time(self, value: object, location: str, unit: str | None = None) -> Fraction:
        """Return a time in seconds, exactly."""
        return seconds(value, location, unit or self.unit)

    def saw(self, document: str = "", annotator: str = "", length: Fraction | None = None) -> None:
        """Add that somebody saw a recording, and how long it is, if that is known."""
        self.seen[document, annotator] = None
        if length is not None:
            self.lengths[document] = max(length, self.lengths.get(document, length))

    def add(
        self, start: Fraction, end: Fraction, text: str, location: str, *, document: str = "",
        annotator: str = "", tier: str = "", **attributes: str,
    ) -> None:  # fmt: skip
        """Add a mark; one without a text is none."""
        self.saw(document, annotator)
        text = " ".join(filter(None, (line.strip() for line in text.split("\n"))))
        if not (text or tier):
            raise InputError(f"{location}: no label; each segment needs one")
        self.tiers[tier] = None
        self.rows.append(Mark(document, annotator, tier, start, end, text, location, attributes))

    def named(self, tiers: str | Sequence[str] | None, known: Iterable[str]) -> list[str]:
        """Return the names of the tiers that are asked for; none if nobody asks.

        Raises:
            SettingError: for one that is not among those that are known.
        """
        names = [tiers] if isinstance(tiers, str) else list(tiers or ())
        for name in names:
            if name not in known:
                raise SettingError(
                    f"{self.name}: tier {quote_value(name)}; there are {join_names(known)}"
                )
        return names

    def choose(self, tiers: str | Sequence[str] | None) -> None:
        """Keep the marks of some tiers only.

        Raises:
            SettingError: for one that is not there.
        """
        if names := self.named(tiers, self.tiers):
            self.rows = [mark for mark in self.rows if mark.tier in names]
            self.tiers = dict.fromkeys(names)

    def raw(
        self, form: str, *, label_from: str | None = None, annotator_from: str | None = None,
        **read: Any,
    ) -> RawCorpus:  # fmt: skip
        """Return the rows of all marks.

        Raises:
            InputError: for times before the recording, or reversed; for no recording at all.
            SettingError: for an unknown choice.
        """
        if label_from is not None:
            check_choice(label_from, LABEL_FROM, "label_from")
        if not self.seen:
            raise InputError(f"{self.name}: no recording; a line for each segment is needed")
        by_tier = annotator_from == "tier"
        several = len({mark.tier for mark in self.rows}) > 1 and not by_tier
        label_of = label_from or ("both" if several else "text")
        log = ReadLog(self.name, notes=self.notes)
        log.passed = self.passed
        if by_tier:  # who has a tier in the file had all recordings
            self.seen = {(d, name): None for d, _ in self.seen for name in self.tiers}
        marked: dict[str, dict[str, list[RawSpan]]] = {}
        for document, annotator in self.seen:
            marked.setdefault(document, {})[annotator] = []
        ends = dict.fromkeys(marked, Fraction(0))
        for mark in self.rows:
            ends[mark.document] = max(mark.end, ends[mark.document])
            annotator = mark.tier if by_tier else mark.annotator
            marked[mark.document][annotator].append(mark.span(label_of))
        records = []
        for document, by in marked.items():
            length = self.lengths.get(document, ends[document])
            annotations = [RawAnnotation(name, spans) for name, spans in by.items()]
            content = {"length": max(in_ticks(length), 0)}
            records.append(Record(self.name, document or "1", content, annotations))
        log.numbered = set(marked) == {""}
        if several and label_from is None:
            log.notes.append(
                f"{self.name}: several tiers, so labels are tier: text; --label-from text or"
                " tier (label_from=), --annotator-from tier (annotator_from=), or --tier NAME"
                " (tier=) would change that"
            )
        if seen_unknown := len(marked.keys() - self.lengths.keys()):
            log.notes.append(
                f"{self.name}: the length of {pluralize(seen_unknown, 'recording')} {LAST_END}, on"
                " which"
                " chance depends; --duration SECONDS (duration=) or --uem FILE (uem=) would say"
                " another"
            )
        settings = reading_settings(label_from=label_from, annotator_from=annotator_from, **read)
        return gather(records, log, {"format": form, **settings}, offsets=TICKS, again=False)


# --- formats with a line for each segment -------------------------------------------------------


def knows_rttm(start: FileHead) -> bool:
    """Return whether a text has lines of RTTM."""
    return any(re.match(rf"SPEAKER \S+ \S+ {_NUMBER} {_NUMBER} ", _spaced(x)) for x in start.lines)


def _spaced(line: str) -> str:
    return re.sub(r"[ \t]+", " ", line)


def raw_rttm(path: PathName, *, encoding: str = "utf-8") -> RawCorpus:
    """Return the turns of speakers in RTTM; the speaker is the label.

    Raises:
        InputError: for a line with too few cells, or a time that is none.
    """
    marks = Marks(path)
    for location, line in numbered_lines(path, encoding):
        cells = line.split()
        if line.lstrip().startswith(";"):
            continue
        if cells[0] not in _SPEECH:
            marks.passed[f"{cells[0]} line"] += 1
            continue
        if len(cells) < 8:
            raise InputError(f"{location}: {pluralize(len(cells), 'cell')}; RTTM has 9 or 10")
        start, duration = marks.time(cells[3], location), marks.time(cells[4], location)
        if duration < 0:
            raise InputError(f"{location}: a duration of {cells[4]} s; at least 0 is allowed")
        marks.add(start, start + duration, cells[7], location, document=cells[1])
    return marks.raw("rttm", **_encoded(encoding))


def _encoded(encoding: str) -> dict[str, Any]:
    return {"encoding": encoding} if encoding != "utf-8" else {}


def read_uem(path: PathName) -> dict[str, list[tuple[Fraction, Fraction]]]:
    """Return the parts of each recording that a UEM file names, from start to end in seconds.

    Raises:
        InputError: for a line that is none, or parts that overlap or are empty.
    """
    parts: dict[str, list[tuple[Fraction, Fraction]]] = {}
    lines: dict[tuple[str, Fraction, Fraction], tuple[int, str, list[str]]] = {}
    for number, (location, line) in enumerate(numbered_lines(path, "utf-8")):
        cells = line.split()
        if line.lstrip().startswith(";"):
            continue
        if len(cells) != 4:
            raise InputError(
                f"{location}: {pluralize(len(cells), 'cell')}; file, channel, start, end"
            )
        start, end = (seconds(cell, location) for cell in cells[2:])
        if not 0 <= start < end:
            raise _odd_part(location, cells)
        parts.setdefault(cells[0], []).append((start, end))
        lines[cells[0], start, end] = number, location, cells
    for name, bounds in parts.items():
        bounds.sort()
        for before, after in pairwise(bounds):
            if after[0] < before[1]:
                _, location, cells = max(lines[(name, *part)] for part in (before, after))
                raise _odd_part(location, cells)
    return parts


def _odd_part(location: str, cells: Sequence[str]) -> InputError:
    return InputError(f"{location}: {cells[2]}–{cells[3]}; parts are not empty, and stand apart")


_TIME = _NUMBER.replace(r"\.", "[.,]")  # with a comma where tabs stand between cells
_STAMP = re.compile(rf"({_NUMBER})[\t ]+(\S.*)")
_SOUND = re.compile(r".*\.(wav|mp3|flac|ogg|aif|aiff|m4a|mp4|avi|mov|txt)", re.IGNORECASE)


def _cells(line: str) -> list[str]:
    """Return the cells of a line: between tabs, else commas, else blanks."""
    sign = separator_of([line], "\t,")
    if sign == ",":
        return [cell.strip() for cell in cells_of(line, sign)]
    # between tabs, as Audacity writes them, a quote is a character of the label
    return [cell.strip() for cell in line.split(sign or None)]


def _bounds_at(cells: list[str]) -> int:
    """Return the first cell of two times beside each other; −1 if there are none."""
    for i in range(len(cells) - 1):
        if all(re.fullmatch(_TIME, cell) for cell in cells[i : i + 2]):
            return i
    return -1


def knows_labels(start: FileHead) -> bool:
    """Return whether lines are a start, an end and a label, as Audacity and DCASE write them."""
    lines = [line for line in start.lines if line.strip() and not line.startswith("\\")]
    rows = [row for row in map(_cells, lines) if len(row) > 1 or not _SOUND.fullmatch(row[0])]
    stamps = [_bounds_at(row) for row in rows]
    same = bool(rows) and {*stamps} <= {0, 1, 2} and len({*stamps}) == 1
    times = [time for row in rows for time in row[stamps[0] : stamps[0] + 2]] if same else []
    return any("." in time or "," in time for time in times)


def raw_labels(path: PathName, *, encoding: str = "utf-8", time_unit: str = "s") -> RawCorpus:
    """Return the segments of lines with start, end and label, after the recording if it is named.

    Raises:
        InputError: for a line without two times.
    """
    marks = Marks(path, time_unit)
    are_named = False  # whether lines begin with the recording
    for location, line in numbered_lines(path, encoding):
        cells = _cells(line)
        if line.startswith("\\"):  # the frequencies of the segment above
            marks.passed["line of frequencies"] += 1
            continue
        at = _bounds_at(cells)
        if _SOUND.fullmatch(cells[0]) and not marks.rows and (at > 0 or len(cells) == 1):
            are_named = True
        if are_named and len(cells) == 1 and _SOUND.fullmatch(cells[0]):
            marks.saw(cells[0])  # a recording without events
            continue
        if at < 0:
            raise InputError(
                f"{location}: {quote_value(line)}; start, end and label are needed, with tabs"
            )
        label = " ".join(cells[at + 2 :]) or (cells[at - 1] if at else "segment")
        start, end = (marks.time(cell, location) for cell in cells[at : at + 2])
        marks.add(start, end, label, location, document=cells[0] if are_named else "")
    if not marks.seen:  # one recording without events
        marks.saw()
    return marks.raw(
        "labels", **_encoded(encoding), time_unit=time_unit if time_unit != "s" else None
    )


def knows_sections(start: FileHead) -> bool:
    """Return whether lines are a time and what begins then, as in SALAMI."""
    lines = [line for line in start.lines if line.strip()]
    stamps = [_STAMP.fullmatch(line) for line in lines]
    if len(lines) < 2 or not all(stamps) or any(_bounds_at(_cells(line)) >= 0 for line in lines):
        return False
    times = [float(stamp[1]) for stamp in stamps if stamp]
    return times == sorted(times) and any("." in stamp[1] for stamp in stamps if stamp)


def raw_sections(path: PathName, *, encoding: str = "utf-8") -> RawCorpus:
    """Return sections, each of which lasts until the next time; what begins last is the end.

    Sections that begin at the same time last equally long.

    Raises:
        InputError: for a line without a time, or a time before the last.
    """
    marks = Marks(path)
    begun: list[tuple[Fraction, str, str]] = []  # what began last: when, its label and place
    for location, line in numbered_lines(path, encoding):
        if (stamps := _STAMP.fullmatch(line.strip())) is None:
            raise InputError(f"{location}: {quote_value(line)}; a time and a label are needed")
        at = marks.time(stamps[1], location)
        if begun and at < begun[0][0]:
            raise InputError(f"{location}: {stamps[1]} comes before the line above; times go on")
        if begun and at > begun[0][0]:
            for start, label, place in begun:
                marks.add(start, at, label, place)
            begun = []
        begun.append((at, stamps[2], location))
    if not begun:
        raise InputError(f"{marks.name}: no line; a time and a label are needed in each")
    marks.saw(length=begun[0][0])
    for _, label, _ in begun:
        if label.lower() != "end":
            marks.passed[f"last line ({label}), as nothing says when it ends"] += 1
    return marks.raw("sections", **_encoded(encoding))


_CUE = re.compile(r"((?:\d+:)?\d\d:\d\d[.,]\d+)\s+-->\s+((?:\d+:)?\d\d:\d\d[.,]\d+)")
_NO_CUES = ("WEBVTT", "\ufeffWEBVTT", "NOTE", "STYLE", "REGION")  # how blocks of other things begin
_VOICE = re.compile(r"<v(?:\.[^ <>]*)? ([^<>]+)>")


def knows_subtitles(start: FileHead) -> bool:
    """Return whether a text has cues of WebVTT or SRT."""
    return any(_CUE.match(line.strip()) for line in start.lines)


def raw_subtitles(path: PathName, *, encoding: str = "utf-8", **tiers: Unpack[Tiers]) -> RawCorpus:
    """Return the cues of subtitles; a voice (``<v Name>``) is a tier.

    Raises:
        InputError: for a time that is none.
    """
    check_named(tiers.get("annotator_from"), "tier", "file")
    marks = Marks(path)
    marks.saw()
    text = re.sub(r"\r\n?", "\n", read_text(path, encoding))
    lines = text.split("\n")
    at = 0
    while at < len(lines):
        cue, number, at = _CUE.match(lines[at].strip()), at + 1, at + 1
        if cue is None:
            is_name = at < len(lines) and _CUE.match(lines[at].strip())  # of the cue below it
            if lines[at - 1].strip() and not is_name:
                is_about = lines[at - 1].startswith(_NO_CUES)
                while at < len(lines) and lines[at].strip() and not _CUE.match(lines[at].strip()):
                    at += 1
                marks.passed["block of lines without times"] += not is_about
            continue
        location, words_of_cue = f"{marks.name}:{number}", []
        while at < len(lines) and lines[at].strip():
            words_of_cue.append(lines[at])
            at += 1
        words = " ".join(words_of_cue)
        voice = _VOICE.search(words)
        words = re.sub(r"<[^<>]*>", "", words).strip()
        if words or voice:
            start, end = (marks.time(time, location) for time in cue.groups())
            marks.add(start, end, words, location, tier=voice[1].strip() if voice else "")
        else:
            marks.passed["cue without words"] += 1
    marks.choose(tiers.get("tier"))
    return marks.raw("subtitles", **tiers)
