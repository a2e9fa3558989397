"""Recordings: segments of tiers, common to all readers, and formats with a line for each segment.

Each reader adds marks, from one time to another, in tiers; :class:`Marks` converts them to rows. A
tier is a line of the recording, of a person or a subject: it may be the annotator or the label.
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
from spanagree.corpus.resolution import LAST_END
from spanagree.corpus.times import TICKS, convert_to_ticks, format_offset, parse_seconds
from spanagree.errors import (
    InputError,
    SettingError,
    check_choice,
    escape_path,
    join_names,
    pluralize,
    quote_value,
)
from spanagree.files import PathName, read_text, yield_numbered_lines
from spanagree.formats.exports import check_name_source
from spanagree.formats.file_head import FileHead
from spanagree.formats.records import (
    RawAnnotation,
    RawSpan,
    ReadLog,
    Record,
    build_raw_from_records,
)
from spanagree.settings import build_reading_settings
from spanagree.tables import find_separator, split_cells

if TYPE_CHECKING:
    from typing_extensions import Unpack  # in typing from Python 3.11 on

LABEL_FROM = {
    "text": "what is written in the segment",
    "tier": "the name of the tier, as that of a speaker",
    "both": "tier: text",
}
"""Sources of the label of a segment. Default: the text of a single tier, else both."""

_NUMBER = r"[+-]?\d+(?:\.\d*)?(?:[eE][+-]?\d+)?"
_SPEECH = ("SPEAKER",)


class Tiers(TypedDict, total=False):
    """Options of reading tiers.

    Attributes:
        tier: names of the tiers to read. Default: all.
        label_from: source of the label: text, tier or both.
        annotator_from: source of the annotator: the file, or tier, if each tier is an annotator's.
    """

    tier: str | Sequence[str] | None
    label_from: LabelFrom | None
    annotator_from: str | None


class Mark(NamedTuple):
    """A segment in time, in seconds.

    Attributes:
        document, annotator, tier: names, which may be empty.
        start, end: times.
        text: text of the segment; if empty, the tier is the label.
        location: location for errors.
        attributes: further properties.
    """

    document: str
    annotator: str
    tier: str
    start: Fraction
    end: Fraction
    text: str
    location: str
    attributes: dict[str, str]

    def choose_label(self, label_from: str) -> str:
        """Choose the label from text and tier, by a name in :data:`LABEL_FROM`."""
        if label_from == "both" and self.text and self.tier:
            return f"{self.tier}: {self.text}"
        return self.text or self.tier if label_from == "text" else self.tier or self.text

    def convert_to_span(self, label_from: str) -> RawSpan:
        """Convert the mark to a span in ticks.

        Raises:
            InputError: if a time is before the recording, or times are reversed.
        """
        start, end = convert_to_ticks(self.start), convert_to_ticks(self.end)
        if start < 0 or end < start:
            problem = "before the recording" if start < 0 else "reversed"
            raise InputError(
                f"{self.location}: {format_offset(start, TICKS)}–{format_offset(end, TICKS)} s,"
                f" {problem}; a time is at least 0, and start comes first"
            )
        return RawSpan(
            start, end, self.choose_label(label_from), None, self.attributes, None, self.location
        )


class Marks:
    """Marks of a source so far.

    ``add_mark`` takes seconds as :func:`spanagree.corpus.times.parse_seconds` returns them.
    """

    def __init__(self, path: PathName, unit: str = "s") -> None:
        self.name: str = escape_path(path)
        self.unit = unit
        self.rows: list[Mark] = []
        self.lengths: dict[str, Fraction] = {}
        self.seen: dict[tuple[str, str], None] = {}
        self.tiers: dict[str, None] = {}
        self.passed: Counter[str] = Counter()
        self.notes: list[str] = []

    def parse_time(self, value: object, location: str, unit: str | None = None) -> Fraction:
        """Parse a time, exactly, in seconds."""
        return parse_seconds(value, location, unit or self.unit)

    def record_seen(
        self, document: str = "", annotator: str = "", length: Fraction | None = None
    ) -> None:
        """Record that an annotator saw a recording, and its length if it is known."""
        self.seen[document, annotator] = None
        if length is not None:
            self.lengths[document] = max(length, self.lengths.get(document, length))

    def add_mark(
        self, start: Fraction, end: Fraction, text: str, location: str, *, document: str = "",
        annotator: str = "", tier: str = "", **attributes: str,
    ) -> None:  # fmt: skip
        """Add a mark; without a text and a tier it is an error."""
        self.record_seen(document, annotator)
        text = " ".join(filter(None, (line.strip() for line in text.split("\n"))))
        if not (text or tier):
            raise InputError(f"{location}: no label; each segment needs one")
        self.tiers[tier] = None
        self.rows.append(Mark(document, annotator, tier, start, end, text, location, attributes))

    def check_named_tiers(
        self, tiers: str | Sequence[str] | None, existing: Iterable[str]
    ) -> list[str]:
        """List the tiers that the user named, and check that they exist; empty without a name.

        Raises:
            SettingError: if a named tier does not exist.
        """
        names = [tiers] if isinstance(tiers, str) else list(tiers or ())
        for name in names:
            if name not in existing:
                raise SettingError(
                    f"{self.name}: tier {quote_value(name)}; there are {join_names(existing)}"
                )
        return names

    def keep_tiers(self, tiers: str | Sequence[str] | None) -> None:
        """Keep the marks of the named tiers only.

        Raises:
            SettingError: if a tier does not exist.
        """
        if names := self.check_named_tiers(tiers, self.tiers):
            self.rows = [mark for mark in self.rows if mark.tier in names]
            self.tiers = dict.fromkeys(names)

    def build_rows(
        self, format_name: str, *, label_from: str | None = None, annotator_from: str | None = None,
        **read_settings: Any,
    ) -> RawCorpus:  # fmt: skip
        """Build the rows of all marks; ``read_settings`` are further settings of reading.

        Raises:
            InputError: if a time is before the recording, times are reversed, or there is no
                recording.
            SettingError: if a choice is unknown.
        """
        if label_from is not None:
            check_choice(label_from, LABEL_FROM, "label_from")
        if not self.seen:
            raise InputError(f"{self.name}: no recording; a line for each segment is needed")
        by_tier = annotator_from == "tier"
        has_several_tiers = len({mark.tier for mark in self.rows}) > 1 and not by_tier
        label_source = label_from or ("both" if has_several_tiers else "text")
        log = ReadLog(self.name, notes=self.notes)
        log.passed = self.passed
        if by_tier:  # an annotator with a tier saw all recordings of the file
            self.seen = {(document, name): None for document, _ in self.seen for name in self.tiers}
        spans_by_document: dict[str, dict[str, list[RawSpan]]] = {}
        for document, annotator in self.seen:
            spans_by_document.setdefault(document, {})[annotator] = []
        ends = dict.fromkeys(spans_by_document, Fraction(0))
        for mark in self.rows:
            ends[mark.document] = max(mark.end, ends[mark.document])
            annotator = mark.tier if by_tier else mark.annotator
            spans_by_document[mark.document][annotator].append(mark.convert_to_span(label_source))
        records = []
        for document, spans_by_annotator in spans_by_document.items():
            length = self.lengths.get(document, ends[document])
            annotations = [RawAnnotation(name, spans) for name, spans in spans_by_annotator.items()]
            content = {"length": max(convert_to_ticks(length), 0)}
            records.append(Record(self.name, document or "1", content, annotations))
        log.numbered = set(spans_by_document) == {""}
        if has_several_tiers and label_from is None:
            log.notes.append(
                f"{self.name}: several tiers, so labels are tier: text; --label-from text or"
                " tier (label_from=), --annotator-from tier (annotator_from=), or --tier NAME"
                " (tier=) would change that"
            )
        if seen_unknown := len(spans_by_document.keys() - self.lengths.keys()):
            log.notes.append(
                f"{self.name}: the length of {pluralize(seen_unknown, 'recording')} {LAST_END}, on"
                " which"
                " chance depends; --duration SECONDS (duration=) or --uem FILE (uem=) would say"
                " another"
            )
        settings = build_reading_settings(
            label_from=label_from, annotator_from=annotator_from, **read_settings
        )
        return build_raw_from_records(
            records, log, {"format": format_name, **settings}, offsets=TICKS, again=False
        )


# --- formats with a line for each segment -------------------------------------------------------


def looks_like_rttm(head: FileHead) -> bool:
    """Check whether a text has lines of RTTM."""
    return any(
        re.match(rf"SPEAKER \S+ \S+ {_NUMBER} {_NUMBER} ", _normalise_blanks(line))
        for line in head.lines
    )


def _normalise_blanks(line: str) -> str:
    """Replace each run of spaces and tabs by one space."""
    return re.sub(r"[ \t]+", " ", line)


def read_raw_rttm(path: PathName, *, encoding: str = "utf-8") -> RawCorpus:
    """Read the turns of speakers in RTTM; the speaker is the label.

    Raises:
        InputError: if a line has too few cells, or a time is invalid.
    """
    marks = Marks(path)
    for location, line in yield_numbered_lines(path, encoding):
        cells = line.split()
        if line.lstrip().startswith(";"):
            continue
        if cells[0] not in _SPEECH:
            marks.passed[f"{cells[0]} line"] += 1
            continue
        if len(cells) < 8:
            raise InputError(f"{location}: {pluralize(len(cells), 'cell')}; RTTM has 9 or 10")
        start, duration = marks.parse_time(cells[3], location), marks.parse_time(cells[4], location)
        if duration < 0:
            raise InputError(f"{location}: a duration of {cells[4]} s; at least 0 is allowed")
        marks.add_mark(start, start + duration, cells[7], location, document=cells[1])
    return marks.build_rows("rttm", **_build_encoding_settings(encoding))


def _build_encoding_settings(encoding: str) -> dict[str, Any]:
    """Build the setting of an encoding; empty for UTF-8."""
    return {"encoding": encoding} if encoding != "utf-8" else {}


def read_uem(path: PathName) -> dict[str, list[tuple[Fraction, Fraction]]]:
    """Read the parts of each recording in a UEM file, from start to end in seconds.

    Raises:
        InputError: if a line is invalid, or parts overlap or are empty.
    """
    parts_by_recording: dict[str, list[tuple[Fraction, Fraction]]] = {}
    lines: dict[tuple[str, Fraction, Fraction], tuple[int, str, list[str]]] = {}
    for line_number, (location, line) in enumerate(yield_numbered_lines(path, "utf-8")):
        cells = line.split()
        if line.lstrip().startswith(";"):
            continue
        if len(cells) != 4:
            raise InputError(
                f"{location}: {pluralize(len(cells), 'cell')}; file, channel, start, end"
            )
        start, end = (parse_seconds(cell, location) for cell in cells[2:])
        if not 0 <= start < end:
            raise _build_part_error(location, cells)
        parts_by_recording.setdefault(cells[0], []).append((start, end))
        lines[cells[0], start, end] = line_number, location, cells
    for name, bounds in parts_by_recording.items():
        bounds.sort()
        for previous, following in pairwise(bounds):
            if following[0] < previous[1]:
                _, location, cells = max(
                    lines[(name, *bounds_of_part)] for bounds_of_part in (previous, following)
                )
                raise _build_part_error(location, cells)
    return parts_by_recording


def _build_part_error(location: str, cells: Sequence[str]) -> InputError:
    """Build the error for parts that are empty or touch each other."""
    return InputError(f"{location}: {cells[2]}–{cells[3]}; parts are not empty, and stand apart")


_TIME = _NUMBER.replace(r"\.", "[.,]")  # with a decimal comma, if tabs separate cells
_STAMP = re.compile(rf"({_NUMBER})[\t ]+(\S.*)")
_SOUND = re.compile(r".*\.(wav|mp3|flac|ogg|aif|aiff|m4a|mp4|avi|mov|txt)", re.IGNORECASE)


def _split_cells(line: str) -> list[str]:
    """Split a line into cells: at tabs, else commas, else blanks."""
    sign = find_separator([line], "\t,")
    if sign == ",":
        return [cell.strip() for cell in split_cells(line, sign)]
    # Audacity separates by tabs; a quote is a character of the label
    return [cell.strip() for cell in line.split(sign or None)]


def _find_bounds(cells: list[str]) -> int:
    """Find the first of two consecutive cells with times; −1 without such cells."""
    for i in range(len(cells) - 1):
        if all(re.fullmatch(_TIME, cell) for cell in cells[i : i + 2]):
            return i
    return -1


def looks_like_labels(head: FileHead) -> bool:
    """Check whether lines are a start, an end and a label, as Audacity and DCASE write them."""
    lines = [line for line in head.lines if line.strip() and not line.startswith("\\")]
    rows = [row for row in map(_split_cells, lines) if len(row) > 1 or not _SOUND.fullmatch(row[0])]
    stamps = [_find_bounds(row) for row in rows]
    have_same_position = bool(rows) and {*stamps} <= {0, 1, 2} and len({*stamps}) == 1
    times = (
        [time for row in rows for time in row[stamps[0] : stamps[0] + 2]]
        if have_same_position
        else []
    )
    return any("." in time or "," in time for time in times)


def read_raw_labels(path: PathName, *, encoding: str = "utf-8", time_unit: str = "s") -> RawCorpus:
    """Read lines with start, end and label; each may begin with the recording.

    Raises:
        InputError: if a line has not two times.
    """
    marks = Marks(path, time_unit)
    are_named = False  # True if lines begin with the recording
    for location, line in yield_numbered_lines(path, encoding):
        cells = _split_cells(line)
        if line.startswith("\\"):  # the frequencies of the previous segment
            marks.passed["line of frequencies"] += 1
            continue
        time_index = _find_bounds(cells)
        if _SOUND.fullmatch(cells[0]) and not marks.rows and (time_index > 0 or len(cells) == 1):
            are_named = True
        if are_named and len(cells) == 1 and _SOUND.fullmatch(cells[0]):
            marks.record_seen(cells[0])  # a recording without events
            continue
        if time_index < 0:
            raise InputError(
                f"{location}: {quote_value(line)}; start, end and label are needed, with tabs"
            )
        label = " ".join(cells[time_index + 2 :]) or (
            cells[time_index - 1] if time_index else "segment"
        )
        start, end = (
            marks.parse_time(cell, location) for cell in cells[time_index : time_index + 2]
        )
        marks.add_mark(start, end, label, location, document=cells[0] if are_named else "")
    if not marks.seen:  # a single recording without events
        marks.record_seen()
    return marks.build_rows(
        "labels",
        **_build_encoding_settings(encoding),
        time_unit=time_unit if time_unit != "s" else None,
    )


def looks_like_sections(head: FileHead) -> bool:
    """Check whether lines are a time and the section that begins then, as in SALAMI."""
    lines = [line for line in head.lines if line.strip()]
    stamps = [_STAMP.fullmatch(line) for line in lines]
    if (
        len(lines) < 2
        or not all(stamps)
        or any(_find_bounds(_split_cells(line)) >= 0 for line in lines)
    ):
        return False
    times = [float(stamp[1]) for stamp in stamps if stamp]
    return times == sorted(times) and any("." in stamp[1] for stamp in stamps if stamp)


def read_raw_sections(path: PathName, *, encoding: str = "utf-8") -> RawCorpus:
    """Read sections, each of which ends at the next time; the last line is the end.

    Sections with the same start have the same end.

    Raises:
        InputError: if a line has no time, or its time is before that of the previous line.
    """
    marks = Marks(path)
    started_sections: list[
        tuple[Fraction, str, str]
    ] = []  # sections that began last: time, label and location
    for location, line in yield_numbered_lines(path, encoding):
        if (stamps := _STAMP.fullmatch(line.strip())) is None:
            raise InputError(f"{location}: {quote_value(line)}; a time and a label are needed")
        time = marks.parse_time(stamps[1], location)
        if started_sections and time < started_sections[0][0]:
            raise InputError(f"{location}: {stamps[1]} comes before the line above; times go on")
        if started_sections and time > started_sections[0][0]:
            for start, label, start_location in started_sections:
                marks.add_mark(start, time, label, start_location)
            started_sections = []
        started_sections.append((time, stamps[2], location))
    if not started_sections:
        raise InputError(f"{marks.name}: no line; a time and a label are needed in each")
    marks.record_seen(length=started_sections[0][0])
    for _, label, _ in started_sections:
        if label.lower() != "end":
            marks.passed[f"last line ({label}), as nothing says when it ends"] += 1
    return marks.build_rows("sections", **_build_encoding_settings(encoding))


_CUE = re.compile(r"((?:\d+:)?\d\d:\d\d[.,]\d+)\s+-->\s+((?:\d+:)?\d\d:\d\d[.,]\d+)")
_NO_CUES = (
    "WEBVTT",
    "\ufeffWEBVTT",
    "NOTE",
    "STYLE",
    "REGION",
)  # beginnings of blocks without cues
_VOICE = re.compile(r"<v(?:\.[^ <>]*)? ([^<>]+)>")


def looks_like_subtitles(head: FileHead) -> bool:
    """Check whether a text has cues of WebVTT or SRT."""
    return any(_CUE.match(line.strip()) for line in head.lines)


def read_raw_subtitles(
    path: PathName, *, encoding: str = "utf-8", **tiers: Unpack[Tiers]
) -> RawCorpus:
    """Read the cues of subtitles; a voice (``<v Name>``) is a tier.

    Raises:
        InputError: if a time is invalid.
    """
    check_name_source(tiers.get("annotator_from"), "tier", "file")
    marks = Marks(path)
    marks.record_seen()
    text = re.sub(r"\r\n?", "\n", read_text(path, encoding))
    lines = text.split("\n")
    line_index = 0
    while line_index < len(lines):
        cue, line_number, line_index = (
            _CUE.match(lines[line_index].strip()),
            line_index + 1,
            line_index + 1,
        )
        if cue is None:
            is_name = line_index < len(lines) and _CUE.match(
                lines[line_index].strip()
            )  # the name of the next cue
            if lines[line_index - 1].strip() and not is_name:
                is_other_block = lines[line_index - 1].startswith(_NO_CUES)
                while (
                    line_index < len(lines)
                    and lines[line_index].strip()
                    and not _CUE.match(lines[line_index].strip())
                ):
                    line_index += 1
                marks.passed["block of lines without times"] += not is_other_block
            continue
        location, words_of_cue = f"{marks.name}:{line_number}", []
        while line_index < len(lines) and lines[line_index].strip():
            words_of_cue.append(lines[line_index])
            line_index += 1
        words = " ".join(words_of_cue)
        voice = _VOICE.search(words)
        words = re.sub(r"<[^<>]*>", "", words).strip()
        if words or voice:
            start, end = (marks.parse_time(time, location) for time in cue.groups())
            marks.add_mark(start, end, words, location, tier=voice[1].strip() if voice else "")
        else:
            marks.passed["cue without words"] += 1
    marks.keep_tiers(tiers.get("tier"))
    return marks.build_rows("subtitles", **tiers)
