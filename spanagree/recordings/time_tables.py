"""Tables of recordings: a row for each segment, with an onset and an offset or a duration.

Columns are known by their names. BORIS has rows of its own, Datavyu a block of columns for each
tier, and ChildProject a table that says who annotated which part of a recording.
"""

from __future__ import annotations

import io
import json
import os
import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from fractions import Fraction
from itertools import pairwise
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from spanagree.corpus.raw import RawCorpus
from spanagree.corpus.times import scale_of
from spanagree.errors import (
    InputError,
    SettingError,
    SpanAgreeError,
    escape_name,
    join_names,
    pluralize,
    printable_path,
    quote_value,
)
from spanagree.files import PathName, base_name, named_file, read_lines
from spanagree.formats.exports import check_named
from spanagree.formats.file_head import FileHead
from spanagree.formats.json_records import json_records
from spanagree.formats.usual_names import TIMES
from spanagree.limits import check_cost
from spanagree.recordings.timelines import Mark, Marks, Tiers
from spanagree.tables import rows_of, separator_of

if TYPE_CHECKING:
    from typing_extensions import Unpack  # in typing from Python 3.11 on

_UNITS = {
    "ms": "ms", "msec": "ms", "milliseconds": "ms", "s": "s", "sec": "s", "secs": "s",
    "seconds": "s", "ssmsec": "s", "ssms": "s", "hhmmssms": "s", "hhmmss": "s", "frame": "",
    "frames": "",
}  # fmt: skip
_TIMED = re.compile(r"[+-]?\d+[.,]\d+|(\d+:)?\d{1,2}:\d{1,2}([.,]\d+)?")
_OFFSET = re.compile(r"\d+[.,]0+")  # beside a text, 13.0 is an offset in it, written as a float
_KINDS = ("STATE", "POINT")
_BORIS = frozenset(("observations", "behaviors_conf"))
_NEEDED = "rows in JSON are needed, a list of objects or one a line"
_NOBODY = ("", "No focal subject")
_NUMBERS = 50  # that a part of a recording, or a segment in one, takes
_RANGES = ("recording_filename", "range_onset", "range_offset", "annotation_filename", "set")


class ColumnIndices(NamedTuple):
    """Where in a row everything is, by the number of its column; −1: nowhere.

    Attributes:
        start, end, duration: the times.
        label, document, annotator, tier, subject: the names.
        unit: what the times count; ``None`` if no name says it.
    """

    start: int
    end: int
    duration: int
    label: int
    document: int
    annotator: int
    tier: int
    subject: int
    unit: str | None


def _plain(name: str) -> tuple[str, str | None]:
    """Return a column's name in small letters without signs, and the unit that it ends with.

    >>> _plain("Begin Time (s)"), _plain("Begin Time - hh:mm:ss.ms"), _plain("onset_ms")
    (('begintime', 's'), ('begintime', 's'), ('onset', 'ms'))
    """
    words = [word for word in re.split(r"[\s_()\[\]-]+", name.strip().lower()) if word]
    last = re.sub("[^a-z]", "", words[-1]) if words else ""
    unit = _UNITS.get(last) if len(words) > 1 else None
    return "".join(words if unit is None else words[:-1]), unit


def columns_of(header: Sequence[str], named: Mapping[str, str | None]) -> ColumnIndices | None:
    """Return where everything is in a table, if it has an onset, and an offset or a duration.

    ``named`` are the columns that a user names, by what they hold.

    Raises:
        SettingError: for one that is not there.
    """
    names = [_plain(name) for name in header]
    for what, name in named.items():
        if name is not None and name not in header:
            raise SettingError(
                f"{what} {quote_value(name)}: no such column; there are {join_names(header)}"
            )

    places = {}
    for what, usual_names in TIMES.items():
        if (name := named.get(what)) is not None:
            places[what] = list(header).index(name)
            continue
        there = [i for usual in usual_names for i, (plain, _) in enumerate(names) if plain == usual]
        decimal = [i for i in there if not header[i].strip().lower().endswith("hh:mm:ss.ms")]
        places[what] = next(iter(decimal or there), -1)
    if places["start"] < 0 or (places["end"] < 0 and places["duration"] < 0):
        return None
    times = (places[what] for what in ("start", "end", "duration"))
    units = (names[i][1] for i in times if i >= 0)
    return ColumnIndices(**places, unit=next((unit for unit in units if unit is not None), None))


def _rows(name: str, text: str) -> list[tuple[int, list[str]]]:
    """Return the rows of a table that are not blank, each with its line."""
    lines = [*io.StringIO(text, newline="")]  # U+2028 and its like end no row
    return [*rows_of(name, lines, separator_of(lines))]


def knows_times(start: FileHead) -> bool:
    """Return whether a table has times: columns of that name, of which some value is a time."""
    try:
        rows = _rows(start.path, "\n".join(start.lines))
    except InputError:
        return False
    if not rows:
        return False
    header = rows[0][1]
    if {*_RANGES} <= {*header} or _datavyu(header) or _boris(rows) is not None:
        return True
    if (columns := columns_of(header, {})) is None:
        return False
    plain = {_plain(name)[0] for name in header}
    if not plain.isdisjoint({"tokens", "tags", "spans", "sentence"}):
        return False
    if columns.unit is not None or "onset" in plain or "segmentonset" in plain:
        return True
    cells = [row[columns.start].strip() for _, row in rows[1:] if len(row) > columns.start]
    times = [cell for cell in cells if _TIMED.fullmatch(cell)]
    if plain.isdisjoint({"text", "length"}):
        return bool(times)
    return not all(_OFFSET.fullmatch(cell) for cell in times)


def raw_times(
    path: PathName,
    *,
    encoding: str = "utf-8",
    time_unit: str | None = None,
    start: str | None = None,
    end: str | None = None,
    label: str | None = None,
    document: str | None = None,
    annotator: str | None = None,
    **tiers: Unpack[Tiers],
) -> RawCorpus:
    """Return the segments of a table of times.

    Args:
        path: the file.
        encoding: of it.
        time_unit: what times count, where no column's name says it: s, ms, us, or frames as 25fps.
        start, end, label, document, annotator: the columns, if they have other names.
        tiers: as :class:`Tiers`, where a column names them, or BORIS' subjects.

    Raises:
        InputError: for a time that is none, or of which the unit is not known.
        SettingError: for a column or tier that is not there.
    """
    check_named(tiers.get("annotator_from"), "tier", "file")
    marks = Marks(path, time_unit or "s")
    text = read_lines(path, encoding)
    is_json = text.lstrip()[:1] in ("{", "[")
    rows = [] if is_json else _rows(marks.name, text)
    named = {"start": start, "end": end, "label": label, "document": document}
    named["annotator"] = annotator
    if is_json and _BORIS.issubset(re.findall(r'"(\w+)" *:', text)):
        _add_project(marks, text)
    elif is_json:
        _add_rows(marks, _rows_of_objects(path, encoding), named, time_unit)
    elif (events := _boris(rows)) is not None:
        _add_boris(marks, rows, events)
    elif rows and _datavyu(rows[0][1]):
        _add_datavyu(marks, rows, time_unit)
    elif rows and {*_RANGES} <= {*rows[0][1]}:
        _add_ranges(marks, path, rows, encoding)
    else:
        _add_rows(marks, rows, named, time_unit)
    marks.choose(tiers.get("tier"))
    return marks.raw("times", **tiers, time_unit=time_unit, **named)


def _rows_of_objects(path: PathName, encoding: str) -> list[tuple[int, list[str]]]:
    """Return objects of JSON as rows; of a float, the 15 digits that hold."""
    records = [
        (number, record)
        for number, (_, record) in enumerate(json_records(path, _NEEDED, encoding), 1)
        if isinstance(record, dict)
    ]
    header = list(dict.fromkeys(key for _, record in records for key in record))
    rows = [(0, header)]
    for number, record in records:
        cells = (record.get(key) for key in header)
        rows.append((number, ["" if x is None else _as_text(x) for x in cells]))
    return rows


def _as_text(value: object) -> str:
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def _add_rows(
    marks: Marks,
    rows: Sequence[tuple[int, list[str]]],
    named: Mapping[str, str | None],
    unit: str | None,
) -> None:
    """Add the rows of a table."""
    header = rows[0][1] if rows else []
    columns = columns_of(header, named)
    if columns is None:
        raise InputError(
            f"{marks.name}: columns {join_names(header)}; an onset and an offset or a duration are"
            " needed: name them with start and end"
        )
    unit = unit or columns.unit or ("ms" if "segment_onset" in header else None)
    times = [row[columns.start] for _, row in rows[1:] if len(row) > columns.start]
    are_whole = bool(times) and all(re.fullmatch(r"\s*\d+\s*", cell) for cell in times)
    if unit == "" or (unit is None and are_whole):
        raise InputError(
            f"{marks.name}: column {quote_value(header[columns.start])} has whole numbers, and"
            " nothing says what they count; name it with time-unit: s, ms, or frames such as 25fps"
        )
    scale_of(unit or "s")
    label, views = columns.label, _index(header, "view")
    if label < 0:
        label = _last_of_words(rows, columns)
    if columns.document < 0 and columns.annotator < 0:
        marks.saw()
    seen: dict[str, str] = {}
    for line, row in rows[1:]:
        location = f"{marks.name}:{line}"
        if len(row) < len(header):
            raise InputError(
                f"{location}: {pluralize(len(row), 'cell')}; the header has {len(header)}"
            )
        if views >= 0 and seen.setdefault(row[0], row[views]) != row[views]:
            marks.passed["row of another view"] += 1  # Raven has one for each view of a selection
            continue
        cells = {
            name: row[i] if i >= 0 else ""
            for name, i in columns._asdict().items()
            if name != "unit"
        }
        of_row = {name: cells[name].strip() for name in ("document", "annotator")}
        if not (
            cells["start"] + cells["end"] + cells["duration"]
        ).strip():  # a recording in which nothing is marked
            marks.saw(of_row["document"], of_row["annotator"])
            continue
        start = marks.time(cells["start"], location, unit)
        if columns.end >= 0:
            end = marks.time(cells["end"], location, unit)
        else:
            end = start + marks.time(cells["duration"], location, unit)
        name = cells["subject"].strip() if columns.subject >= 0 else cells["tier"].strip()
        text = row[label] if label >= 0 else "segment"
        marks.add(start, end, text, location, tier="" if name in _NOBODY else name, **of_row)


def _index(header: Sequence[str], name: str) -> int:
    return next((i for i, cell in enumerate(header) if cell.strip().lower() == name), -1)


def _last_of_words(rows: Sequence[tuple[int, list[str]]], columns: ColumnIndices) -> int:
    """Return the last column that holds words, if there is one."""
    for i in reversed(range(len(rows[0][1]))):
        cells = [row[i] for _, row in rows[1:] if i < len(row)]
        numbers = all(re.fullmatch(r"[\d.,:+-]*", cell) for cell in cells)
        if i not in columns[:3] and cells and not numbers:
            return i
    return -1


# --- BORIS --------------------------------------------------------------------------------------


class _Events(NamedTuple):
    """Where BORIS' rows begin, whether each is a whole event, and which columns are what."""

    first: int
    are_whole: bool
    columns: Mapping[str, int]


def _boris(rows: Sequence[tuple[int, list[str]]]) -> _Events | None:
    """Return what BORIS' exports have in their columns, if it is one."""
    for number, (_, row) in enumerate(rows[:60], 1):
        columns = {cell.strip(): i for i, cell in enumerate(row)}
        if {"Behavior", "Behavior type", "Start (s)", "Stop (s)"} <= columns.keys():
            return _Events(number, True, columns)
        says_status = not columns.keys().isdisjoint(("Status", "Behavior type"))
        if {"Time", "Behavior"} <= columns.keys() and says_status:
            return _Events(number, False, columns)
    for i, cell in enumerate(rows[0][1] if rows else ()):  # rows without a header
        if cell not in _KINDS or i < 4:
            continue
        if all(len(row) > i + 2 and row[i] in _KINDS for _, row in rows):
            columns = {"Observation id": 0, "Subject": i - 4, "Behavior": i - 3}
            columns |= {"Modifiers": i - 1, "Behavior type": i, "Start (s)": i + 1}
            return _Events(0, True, {**columns, "Stop (s)": i + 2})
    return None


class _Behaviour(NamedTuple):
    """Who did what in an observation."""

    document: str
    subject: str
    name: str
    modifiers: str


class _Behaviours:
    """Adds behaviours: points, and states once they stop."""

    def __init__(self, marks: Marks) -> None:
        self.marks = marks
        self.begun: dict[_Behaviour, Fraction] = {}

    def add(self, behaviour: _Behaviour, start: Fraction, end: Fraction, location: str) -> None:
        """Add a behaviour from one time to another."""
        document, subject, name, modifiers = behaviour
        tier = "" if subject in _NOBODY else subject
        more = {"modifiers": modifiers} if modifiers.strip() else {}
        self.marks.add(start, end, name, location, document=document, tier=tier, **more)

    def event(self, behaviour: _Behaviour, time: Fraction, status: str, location: str) -> None:
        """Add a point, or a state that stops; keep one that starts."""
        if status == "POINT":
            self.add(behaviour, time, time, location)
        elif status == "START" or (status == "STATE" and behaviour not in self.begun):
            if behaviour in self.begun:
                self.marks.passed["START without a STOP"] += 1
            self.begun[behaviour] = time
        elif behaviour in self.begun:
            self.add(behaviour, self.begun.pop(behaviour), time, location)
        else:
            self.marks.passed["STOP without a START"] += 1

    def finish(self) -> None:
        """Count the states that never stop."""
        self.marks.passed["START without a STOP"] += len(self.begun)


def _add_boris(marks: Marks, rows: Sequence[tuple[int, list[str]]], events: _Events) -> None:
    """Add the events of a table, of which states have two rows if these are not whole events."""
    before = {row[0].strip(): row[1].strip() for _, row in rows[: events.first] if len(row) > 1}
    behaviours = _Behaviours(marks)
    needed = ("Behavior", *(("Start (s)", "Stop (s)") if events.are_whole else ("Time",)))
    for line, row in rows[events.first :]:
        location = f"{marks.name}:{line}"
        if len(row) <= max(events.columns[name] for name in needed):
            raise InputError(
                f"{location}: {pluralize(len(row), 'cell')}; each row needs those of"
                f" {', '.join(needed)}"
            )
        cells = {name: row[i].strip() for name, i in events.columns.items() if i < len(row)}
        document = cells.get("Observation id") or before.get("Observation id", "")
        if length := cells.get("Total length") or cells.get("Media duration (s)"):
            marks.saw(document, length=marks.time(length, location))
        subject, modifiers = cells.get("Subject", ""), cells.get("Modifiers", "")
        behaviour = _Behaviour(document, subject, cells["Behavior"], modifiers)
        if events.are_whole:
            start, stop = marks.time(cells["Start (s)"], location), cells["Stop (s)"]
            end = start if stop in ("", "NA") else marks.time(stop, location)
            behaviours.add(behaviour, start, end, location)
        else:
            status = cells.get("Status") or cells.get("Behavior type", "")
            behaviours.event(
                behaviour, marks.time(cells["Time"], location), status.upper(), location
            )
    behaviours.finish()


def _add_project(marks: Marks, text: str) -> None:
    """Add what a project has, as :func:`_add_observations`.

    Raises:
        InputError: for what is not such a project.
    """
    try:
        _add_observations(marks, json.loads(text, parse_float=str))
    except SpanAgreeError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(f"{marks.name}: not a project of BORIS ({error})") from None


def _add_observations(marks: Marks, project: Any) -> None:
    """Add the events of all observations of a project; a live one has no recording."""
    kinds = {
        kind["code"]: str(kind.get("type", "")).lower()
        for kind in project["behaviors_conf"].values()
    }
    behaviours = _Behaviours(marks)
    for name, observation in dict(project["observations"]).items():
        location = f"{marks.name}, observation {quote_value(name)}"
        files = (observation.get("file") or {}).get("1") or ()  # of the first player, in a row
        sizes = (observation.get("media_info") or {}).get("length") or {}
        known = [marks.time(sizes[file], location) for file in files if file in sizes]
        marks.saw(name, length=sum(known, Fraction(0)) if known else None)
        for number, event in enumerate(observation.get("events") or (), 1):
            at = f"{location}, event {number}"
            if not isinstance(event, list) or len(event) < 4:
                raise InputError(
                    f"{at}: {quote_value(event)}; time, subject, behaviour and modifiers"
                )
            behaviour = _Behaviour(name, *map(str, event[1:4]))
            is_point = kinds.get(behaviour.name, "").startswith("point")
            status = "POINT" if is_point else "STATE"
            behaviours.event(behaviour, marks.time(event[0], at), status, at)
    behaviours.finish()


# --- Datavyu and ChildProject -------------------------------------------------------------------


def _datavyu(header: Sequence[str]) -> list[str]:
    """Return the columns of Datavyu, each of which has an onset and an offset, in ms."""
    names = {*header}
    onsets = [name.removesuffix(".onset") for name in header if name.endswith(".onset")]
    return [name for name in onsets if f"{name}.offset" in names]


def _add_datavyu(marks: Marks, rows: Sequence[tuple[int, list[str]]], unit: str | None) -> None:
    """Add the cells of each tier, which have a block of columns; a short row has the first tiers.

    Raises:
        InputError: for two columns of the same name.
    """
    header = rows[0][1]
    place = {name: i for i, name in enumerate(header)}
    if len(place) < len(header):
        name = next(name for i, name in enumerate(header) if place[name] != i)
        raise InputError(f"{marks.name}: two columns are called {quote_value(name)}; rename one")
    marks.saw()
    columns: dict[str, list[int]] = {tier: [] for tier in _datavyu(header)}
    for i, name in enumerate(header):
        tier, _, code = name.rpartition(".")
        tier = tier if tier in columns else name.partition(".")[0]
        if tier in columns and code not in ("ordinal", "onset", "offset"):
            columns[tier].append(i)
    bounds = {tier: (place[f"{tier}.onset"], place[f"{tier}.offset"]) for tier in columns}
    by_reach = sorted(columns, key=lambda tier: max(bounds[tier]))
    reaches = [max(bounds[tier]) for tier in by_reach]
    cells: dict[str, list[tuple[int, list[str]]]] = {tier: [] for tier in columns}
    for line, row in rows[1:]:
        for tier in by_reach[: bisect_left(reaches, len(row))]:
            if row[bounds[tier][0]].strip():
                cells[tier].append((line, row))
    for tier, of_tier in cells.items():
        for line, row in of_tier:
            location = f"{marks.name}:{line}"
            text = " ".join(row[i] for i in columns[tier] if i < len(row) and row[i].strip())
            begins, ends = (marks.time(row[i], location, unit or "ms") for i in bounds[tier])
            marks.add(begins, ends, text, location, tier=tier)


def _add_ranges(
    marks: Marks, path: PathName, rows: Sequence[tuple[int, list[str]]], encoding: str
) -> None:
    """Add the files that ChildProject's table of annotations names; sets are annotators.

    A recording is cut where a part that was annotated begins or ends, and each piece that a set
    has is a document, so that who saw what is as the table says.
    """
    header, ms = rows[0][1], "ms"
    parts = []
    for line, cells in rows[1:]:
        location = f"{marks.name}:{line}"
        if len(cells) < len(header):
            raise InputError(
                f"{location}: {pluralize(len(cells), 'cell')}; the header has {len(header)}"
            )
        row = dict(zip(header, cells, strict=False))
        low, high = (
            marks.time(row[name], location, ms) for name in ("range_onset", "range_offset")
        )
        if not 0 <= low < high:
            raise InputError(
                f"{location}: part {row['range_onset']}–{row['range_offset']}; it is empty"
            )
        parts.append((row["recording_filename"], row["set"], low, high, row, location))
    borders: dict[str, set[Fraction]] = {}
    for recording, _, low, high, _, _ in parts:
        borders.setdefault(recording, set()).update((low, high))
    of_recording = {recording: sorted(bounds) for recording, bounds in borders.items()}
    files: dict[str, list[Mark]] = {}
    n_marks = 0
    for recording, by, low, high, row, location in parts:
        name = _annotation_file(Path(path), row, location)
        if name not in files:
            files[name] = _rows_by_start(marks, name, encoding)
        rows_of_file, at, n_before = files[name], of_recording[recording], n_marks
        for start, end in pairwise(at[bisect_left(at, low) : bisect_right(at, high)]):
            document = f"{recording}:{float(start):g}-{float(end):g}"
            marks.saw(document, by, end - start)
            first = bisect_left(rows_of_file, start, key=_start_of)
            last = bisect_right(rows_of_file, end, key=_start_of)
            for mark in (mark for mark in rows_of_file[first:last] if mark.end <= end):
                begins, ends = mark.start - start, mark.end - start
                moved = mark._replace(document=document, annotator=by, start=begins, end=ends)
                marks.rows.append(moved)
                n_marks += 1
        n_beyond = len(rows_of_file) - (n_marks - n_before)
        marks.passed["segment beyond the part that was annotated"] += max(n_beyond, 0)
        check_cost(_NUMBERS * (len(marks.seen) + n_marks), f"{marks.name}: the parts of recordings")


_start_of = attrgetter("start")


def _rows_by_start(marks: Marks, name: str, encoding: str) -> list[Mark]:
    """Return the segments of a file that ChildProject's table names, sorted by their starts."""
    rows = _rows(escape_name(name), read_lines(name, encoding))
    of_file = Marks(name)
    if len(rows) > 1:
        _add_rows(of_file, rows, {}, "ms")
    marks.passed.update(of_file.passed)
    marks.tiers |= of_file.tiers
    return sorted(of_file.rows, key=_start_of)


def _annotation_file(table: Path, row: Mapping[str, str], location: str) -> str:
    """Return the file that a row names: in the folder of its set, or beside the table.

    Raises:
        InputError: for a file that is in neither.
    """
    name, of_set = row["annotation_filename"], row["set"]
    folders = [table.parent]
    if {"", ".", ".."}.isdisjoint(re.split(r"[/\\]", of_set)) and not Path(of_set).drive:
        folders.insert(0, table.parent.parent / "annotations" / of_set / "converted")
    for folder in folders:
        if file := named_file(folder, name):
            return os.fspath(file)
    raise InputError(
        f"{location}: {quote_value(base_name(name))} is neither in {printable_path(folders[0])} nor"
        " beside the table"
    )
