"""Reader of tables of recordings: a row for each segment, with an onset and an offset or duration.

Columns are recognized by their names. BORIS has rows of its own, Datavyu a block of columns for
each tier, and ChildProject a table of the annotators of each part of a recording.
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
from spanagree.corpus.times import look_up_scale
from spanagree.errors import (
    InputError,
    SettingError,
    SpanAgreeError,
    escape_name,
    escape_path,
    join_names,
    pluralize,
    quote_value,
)
from spanagree.files import PathName, extract_base_name, find_file, read_lines
from spanagree.formats.exports import check_name_source
from spanagree.formats.file_head import FileHead
from spanagree.formats.json_records import yield_json_records
from spanagree.formats.usual_names import TIMES
from spanagree.limits import check_cost
from spanagree.recordings.timelines import Mark, Marks, Tiers
from spanagree.tables import find_separator, yield_rows

if TYPE_CHECKING:
    from typing_extensions import Unpack  # in typing from Python 3.11 on

_UNITS = {
    "ms": "ms", "msec": "ms", "milliseconds": "ms", "s": "s", "sec": "s", "secs": "s",
    "seconds": "s", "ssmsec": "s", "ssms": "s", "hhmmssms": "s", "hhmmss": "s", "frame": "",
    "frames": "",
}  # fmt: skip
_TIMED = re.compile(r"[+-]?\d+[.,]\d+|(\d+:)?\d{1,2}:\d{1,2}([.,]\d+)?")
_OFFSET = re.compile(r"\d+[.,]0+")  # next to a text, 13.0 is an offset written as a float
_KINDS = ("STATE", "POINT")
_BORIS = frozenset(("observations", "behaviors_conf"))
_NEEDED = "rows in JSON are needed, a list of objects or one a line"
_NOBODY = ("", "No focal subject")
_COST = 50  # cost of a part of a recording, or of a segment in it
_RANGES = ("recording_filename", "range_onset", "range_offset", "annotation_filename", "set")


class ColumnIndices(NamedTuple):
    """Indices of the columns by their use, −1 without such a column.

    Attributes:
        start, end, duration: times.
        label, document, annotator, tier, subject: names.
        unit: unit of the times; `None` if no column name has it.
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


def _split_name_and_unit(name: str) -> tuple[str, str | None]:
    """Split a column's name into lower-case letters and the unit at its end.

    >>> _split_name_and_unit("Begin Time (s)"), _split_name_and_unit("onset_ms")
    (('begintime', 's'), ('onset', 'ms'))
    >>> _split_name_and_unit("Begin Time - hh:mm:ss.ms")
    ('begintime', 's')
    """
    words = [word for word in re.split(r"[\s_()\[\]-]+", name.strip().lower()) if word]
    last_word = re.sub("[^a-z]", "", words[-1]) if words else ""
    unit = _UNITS.get(last_word) if len(words) > 1 else None
    return "".join(words if unit is None else words[:-1]), unit


def find_columns(
    header: Sequence[str], column_by_use: Mapping[str, str | None]
) -> ColumnIndices | None:
    """Find the columns of a table; `None` without an onset, or without an offset and a duration.

    Args:
        header: names of the columns.
        column_by_use: columns that the user named, by use.

    Raises:
        SettingError: if a named column is missing.
    """
    names = [_split_name_and_unit(name) for name in header]
    for use, name in column_by_use.items():
        if name is not None and name not in header:
            raise SettingError(
                f"{use} {quote_value(name)}: no such column; there are {join_names(header)}"
            )

    indices = {}
    for use, usual_names in TIMES.items():
        if (name := column_by_use.get(use)) is not None:
            indices[use] = list(header).index(name)
            continue
        matching = [
            index
            for usual in usual_names
            for index, (plain_name, _) in enumerate(names)
            if plain_name == usual
        ]
        decimal = [
            index for index in matching if not header[index].strip().lower().endswith("hh:mm:ss.ms")
        ]
        indices[use] = next(iter(decimal or matching), -1)
    if indices["start"] < 0 or (indices["end"] < 0 and indices["duration"] < 0):
        return None
    times = (indices[use] for use in ("start", "end", "duration"))
    units = (names[index][1] for index in times if index >= 0)
    return ColumnIndices(**indices, unit=next((unit for unit in units if unit is not None), None))


def _split_rows(name: str, text: str) -> list[tuple[int, list[str]]]:
    """Split a text into the rows of a table that are not blank, each with its line number."""
    lines = [*io.StringIO(text, newline="")]  # U+2028 and similar characters end no row
    return [*yield_rows(name, lines, find_separator(lines))]


def looks_like_times(head: FileHead) -> bool:
    """Check whether a table has times: columns with such names, and values that are times."""
    try:
        rows = _split_rows(head.path, "\n".join(head.lines))
    except InputError:
        return False
    if not rows:
        return False
    header = rows[0][1]
    if (
        {*_RANGES} <= {*header}
        or _find_datavyu_columns(header)
        or _find_boris_columns(rows) is not None
    ):
        return True
    if (columns := find_columns(header, {})) is None:
        return False
    plain_names = {_split_name_and_unit(name)[0] for name in header}
    if not plain_names.isdisjoint({"tokens", "tags", "spans", "sentence"}):
        return False
    if columns.unit is not None or "onset" in plain_names or "segmentonset" in plain_names:
        return True
    cells = [row[columns.start].strip() for _, row in rows[1:] if len(row) > columns.start]
    times = [cell for cell in cells if _TIMED.fullmatch(cell)]
    if plain_names.isdisjoint({"text", "length"}):
        return bool(times)
    return not all(_OFFSET.fullmatch(cell) for cell in times)


def read_raw_times(
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
    """Read the segments of a table of times.

    Args:
        path: path of the file.
        encoding: encoding of the file.
        time_unit: unit of the times, if no column's name has it: s, ms, us, or frames as 25fps.
        start, end, label, document, annotator: columns with other names than the usual.
        tiers: options of :class:`Tiers`, for tables with a column of tiers, or BORIS' subjects.

    Raises:
        InputError: if a time is invalid, or its unit is unknown.
        SettingError: if a column or tier is missing.
    """
    check_name_source(tiers.get("annotator_from"), "tier", "file")
    marks = Marks(path, time_unit or "s")
    text = read_lines(path, encoding)
    is_json = text.lstrip()[:1] in ("{", "[")
    rows = [] if is_json else _split_rows(marks.name, text)
    column_by_use = {"start": start, "end": end, "label": label, "document": document}
    column_by_use["annotator"] = annotator
    if is_json and _BORIS.issubset(re.findall(r'"(\w+)" *:', text)):
        _add_project(marks, text)
    elif is_json:
        _add_rows(marks, _convert_objects_to_rows(path, encoding), column_by_use, time_unit)
    elif (events := _find_boris_columns(rows)) is not None:
        _add_boris(marks, rows, events)
    elif rows and _find_datavyu_columns(rows[0][1]):
        _add_datavyu(marks, rows, time_unit)
    elif rows and {*_RANGES} <= {*rows[0][1]}:
        _add_ranges(marks, path, rows, encoding)
    else:
        _add_rows(marks, rows, column_by_use, time_unit)
    marks.keep_tiers(tiers.get("tier"))
    return marks.build_rows("times", **tiers, time_unit=time_unit, **column_by_use)


def _convert_objects_to_rows(path: PathName, encoding: str) -> list[tuple[int, list[str]]]:
    """Convert objects of JSON to rows; floats have 15 significant digits."""
    records = [
        (row_number, record)
        for row_number, (_, record) in enumerate(yield_json_records(path, _NEEDED, encoding), 1)
        if isinstance(record, dict)
    ]
    header = list(dict.fromkeys(key for _, record in records for key in record))
    rows = [(0, header)]
    for row_number, record in records:
        cells = (record.get(key) for key in header)
        rows.append((row_number, ["" if cell is None else _format_value(cell) for cell in cells]))
    return rows


def _format_value(value: object) -> str:
    """Format a cell as text; floats lose digits that are rounding errors."""
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def _add_rows(
    marks: Marks,
    rows: Sequence[tuple[int, list[str]]],
    column_by_use: Mapping[str, str | None],
    unit: str | None,
) -> None:
    """Add a mark for each row of a table.

    ``rows`` are line numbers and cells, with the header first; ``unit`` is the unit of the times,
    if the user named it.
    """
    header = rows[0][1] if rows else []
    columns = find_columns(header, column_by_use)
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
    look_up_scale(unit or "s")
    label, view_index = columns.label, _find_index(header, "view")
    if label < 0:
        label = _find_last_word_column(rows, columns)
    if columns.document < 0 and columns.annotator < 0:
        marks.record_seen()
    view_by_selection: dict[str, str] = {}
    for line, row in rows[1:]:
        location = f"{marks.name}:{line}"
        if len(row) < len(header):
            raise InputError(
                f"{location}: {pluralize(len(row), 'cell')}; the header has {len(header)}"
            )
        if (
            view_index >= 0
            and view_by_selection.setdefault(row[0], row[view_index]) != row[view_index]
        ):
            marks.passed["row of another view"] += 1  # Raven has a row for each view of a selection
            continue
        cells = {
            name: row[i] if i >= 0 else ""
            for name, i in columns._asdict().items()
            if name != "unit"
        }
        row_names = {name: cells[name].strip() for name in ("document", "annotator")}
        if not (
            cells["start"] + cells["end"] + cells["duration"]
        ).strip():  # a recording without segments
            marks.record_seen(row_names["document"], row_names["annotator"])
            continue
        start = marks.parse_time(cells["start"], location, unit)
        if columns.end >= 0:
            end = marks.parse_time(cells["end"], location, unit)
        else:
            end = start + marks.parse_time(cells["duration"], location, unit)
        name = cells["subject"].strip() if columns.subject >= 0 else cells["tier"].strip()
        text = row[label] if label >= 0 else "segment"
        marks.add_mark(
            start, end, text, location, tier="" if name in _NOBODY else name, **row_names
        )


def _find_index(header: Sequence[str], name: str) -> int:
    """Find the index of a column by its name, in any case; −1 if there is none."""
    return next((i for i, cell in enumerate(header) if cell.strip().lower() == name), -1)


def _find_last_word_column(rows: Sequence[tuple[int, list[str]]], columns: ColumnIndices) -> int:
    """Find the last column with words; −1 without such a column."""
    for i in reversed(range(len(rows[0][1]))):
        cells = [row[i] for _, row in rows[1:] if i < len(row)]
        numbers = all(re.fullmatch(r"[\d.,:+-]*", cell) for cell in cells)
        if i not in columns[:3] and cells and not numbers:
            return i
    return -1


# --- BORIS --------------------------------------------------------------------------------------


class _Events(NamedTuple):
    """Properties of a table of BORIS.

    Attributes:
        first: index of the first row of events.
        are_whole: True if each row is a whole event, with start and stop.
        columns: index of each column by name.
    """

    first: int
    are_whole: bool
    columns: Mapping[str, int]


def _find_boris_columns(rows: Sequence[tuple[int, list[str]]]) -> _Events | None:
    """Find the columns of an export of BORIS; `None` for other tables."""
    for row_number, (_, row) in enumerate(rows[:60], 1):
        columns = {cell.strip(): i for i, cell in enumerate(row)}
        if {"Behavior", "Behavior type", "Start (s)", "Stop (s)"} <= columns.keys():
            return _Events(row_number, True, columns)
        says_status = not columns.keys().isdisjoint(("Status", "Behavior type"))
        if {"Time", "Behavior"} <= columns.keys() and says_status:
            return _Events(row_number, False, columns)
    for i, cell in enumerate(rows[0][1] if rows else ()):  # an export without a header
        if cell not in _KINDS or i < 4:
            continue
        if all(len(row) > i + 2 and row[i] in _KINDS for _, row in rows):
            columns = {"Observation id": 0, "Subject": i - 4, "Behavior": i - 3}
            columns |= {"Modifiers": i - 1, "Behavior type": i, "Start (s)": i + 1}
            return _Events(0, True, {**columns, "Stop (s)": i + 2})
    return None


class _Behaviour(NamedTuple):
    """A behaviour of a subject in an observation."""

    document: str
    subject: str
    name: str
    modifiers: str


class _Behaviours:
    """Collector of behaviours: points, and states when they stop."""

    def __init__(self, marks: Marks) -> None:
        self.marks = marks
        self.begun: dict[_Behaviour, Fraction] = {}

    def add_behaviour(
        self, behaviour: _Behaviour, start: Fraction, end: Fraction, location: str
    ) -> None:
        """Add a behaviour from one time to another."""
        document, subject, name, modifiers = behaviour
        tier = "" if subject in _NOBODY else subject
        attributes = {"modifiers": modifiers} if modifiers.strip() else {}
        self.marks.add_mark(start, end, name, location, document=document, tier=tier, **attributes)

    def record_event(
        self, behaviour: _Behaviour, time: Fraction, status: str, location: str
    ) -> None:
        """Add a point, or a state that stops; remember the start of a state.

        ``status`` is POINT, START, STOP, or STATE for a start and a stop in turn.
        """
        if status == "POINT":
            self.add_behaviour(behaviour, time, time, location)
        elif status == "START" or (status == "STATE" and behaviour not in self.begun):
            if behaviour in self.begun:
                self.marks.passed["START without a STOP"] += 1
            self.begun[behaviour] = time
        elif behaviour in self.begun:
            self.add_behaviour(behaviour, self.begun.pop(behaviour), time, location)
        else:
            self.marks.passed["STOP without a START"] += 1

    def count_unfinished(self) -> None:
        """Count the states that never stop."""
        self.marks.passed["START without a STOP"] += len(self.begun)


def _add_boris(marks: Marks, rows: Sequence[tuple[int, list[str]]], events: _Events) -> None:
    """Add the events of a table; a state has two rows if rows are not whole events."""
    metadata = {row[0].strip(): row[1].strip() for _, row in rows[: events.first] if len(row) > 1}
    behaviours = _Behaviours(marks)
    required = ("Behavior", *(("Start (s)", "Stop (s)") if events.are_whole else ("Time",)))
    for line, row in rows[events.first :]:
        location = f"{marks.name}:{line}"
        if len(row) <= max(events.columns[name] for name in required):
            raise InputError(
                f"{location}: {pluralize(len(row), 'cell')}; each row needs those of"
                f" {', '.join(required)}"
            )
        cells = {name: row[i].strip() for name, i in events.columns.items() if i < len(row)}
        document = cells.get("Observation id") or metadata.get("Observation id", "")
        if length := cells.get("Total length") or cells.get("Media duration (s)"):
            marks.record_seen(document, length=marks.parse_time(length, location))
        subject, modifiers = cells.get("Subject", ""), cells.get("Modifiers", "")
        behaviour = _Behaviour(document, subject, cells["Behavior"], modifiers)
        if events.are_whole:
            start, stop = marks.parse_time(cells["Start (s)"], location), cells["Stop (s)"]
            end = start if stop in ("", "NA") else marks.parse_time(stop, location)
            behaviours.add_behaviour(behaviour, start, end, location)
        else:
            status = cells.get("Status") or cells.get("Behavior type", "")
            behaviours.record_event(
                behaviour, marks.parse_time(cells["Time"], location), status.upper(), location
            )
    behaviours.count_unfinished()


def _add_project(marks: Marks, text: str) -> None:
    """Add the observations of a project.

    Raises:
        InputError: if the text is not a project of BORIS.
    """
    try:
        _add_observations(marks, json.loads(text, parse_float=str))
    except SpanAgreeError:
        raise
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InputError(f"{marks.name}: not a project of BORIS ({error})") from None


def _add_observations(marks: Marks, project: Any) -> None:
    """Add the events of all observations of a project; live observations have no recording."""
    type_by_code = {
        behaviour_type["code"]: str(behaviour_type.get("type", "")).lower()
        for behaviour_type in project["behaviors_conf"].values()
    }
    behaviours = _Behaviours(marks)
    for name, observation in dict(project["observations"]).items():
        location = f"{marks.name}, observation {quote_value(name)}"
        files = (observation.get("file") or {}).get(
            "1"
        ) or ()  # of the first player, played one after the other
        length_by_file = (observation.get("media_info") or {}).get("length") or {}
        file_lengths = [
            marks.parse_time(length_by_file[file], location)
            for file in files
            if file in length_by_file
        ]
        marks.record_seen(name, length=sum(file_lengths, Fraction(0)) if file_lengths else None)
        for event_number, event in enumerate(observation.get("events") or (), 1):
            event_location = f"{location}, event {event_number}"
            if not isinstance(event, list) or len(event) < 4:
                raise InputError(
                    f"{event_location}: {quote_value(event)}; time, subject, behaviour and"
                    " modifiers"
                )
            behaviour = _Behaviour(name, *map(str, event[1:4]))
            is_point = type_by_code.get(behaviour.name, "").startswith("point")
            status = "POINT" if is_point else "STATE"
            behaviours.record_event(
                behaviour, marks.parse_time(event[0], event_location), status, event_location
            )
    behaviours.count_unfinished()


# --- Datavyu and ChildProject -------------------------------------------------------------------


def _find_datavyu_columns(header: Sequence[str]) -> list[str]:
    """Find the columns of Datavyu, each with an onset and an offset, in ms."""
    names = {*header}
    onsets = [name.removesuffix(".onset") for name in header if name.endswith(".onset")]
    return [name for name in onsets if f"{name}.offset" in names]


def _add_datavyu(marks: Marks, rows: Sequence[tuple[int, list[str]]], unit: str | None) -> None:
    """Add the cells of each tier, which has a block of columns; a short row has the first tiers.

    ``unit`` is the unit of the times, by default ms.

    Raises:
        InputError: if two columns have the same name.
    """
    header = rows[0][1]
    index_by_name = {name: i for i, name in enumerate(header)}
    if len(index_by_name) < len(header):
        name = next(name for i, name in enumerate(header) if index_by_name[name] != i)
        raise InputError(f"{marks.name}: two columns are called {quote_value(name)}; rename one")
    marks.record_seen()
    columns: dict[str, list[int]] = {tier: [] for tier in _find_datavyu_columns(header)}
    for i, name in enumerate(header):
        tier, _, code = name.rpartition(".")
        tier = tier if tier in columns else name.partition(".")[0]
        if tier in columns and code not in ("ordinal", "onset", "offset"):
            columns[tier].append(i)
    bounds = {
        tier: (index_by_name[f"{tier}.onset"], index_by_name[f"{tier}.offset"]) for tier in columns
    }
    by_reach = sorted(columns, key=lambda tier: max(bounds[tier]))
    reaches = [max(bounds[tier]) for tier in by_reach]
    cells: dict[str, list[tuple[int, list[str]]]] = {tier: [] for tier in columns}
    for line, row in rows[1:]:
        for tier in by_reach[: bisect_left(reaches, len(row))]:
            if row[bounds[tier][0]].strip():
                cells[tier].append((line, row))
    for tier, tier_cells in cells.items():
        for line, row in tier_cells:
            location = f"{marks.name}:{line}"
            text = " ".join(row[i] for i in columns[tier] if i < len(row) and row[i].strip())
            start, end = (marks.parse_time(row[i], location, unit or "ms") for i in bounds[tier])
            marks.add_mark(start, end, text, location, tier=tier)


def _add_ranges(
    marks: Marks, path: PathName, rows: Sequence[tuple[int, list[str]]], encoding: str
) -> None:
    """Add the files that ChildProject's table of annotations names; sets are annotators.

    A recording is cut at the start and end of each annotated part. Each piece is a document, seen
    by the sets that cover it.
    """
    header, ms = rows[0][1], "ms"
    ranges = []
    for line, cells in rows[1:]:
        location = f"{marks.name}:{line}"
        if len(cells) < len(header):
            raise InputError(
                f"{location}: {pluralize(len(cells), 'cell')}; the header has {len(header)}"
            )
        row = dict(zip(header, cells, strict=False))
        range_start, range_end = (
            marks.parse_time(row[name], location, ms) for name in ("range_onset", "range_offset")
        )
        if not 0 <= range_start < range_end:
            raise InputError(
                f"{location}: part {row['range_onset']}–{row['range_offset']}; it is empty"
            )
        ranges.append(
            (row["recording_filename"], row["set"], range_start, range_end, row, location)
        )
    cuts_by_recording: dict[str, set[Fraction]] = {}
    for recording, _, range_start, range_end, _, _ in ranges:
        cuts_by_recording.setdefault(recording, set()).update((range_start, range_end))
    sorted_cuts = {recording: sorted(bounds) for recording, bounds in cuts_by_recording.items()}
    files: dict[str, list[Mark]] = {}
    n_marks = 0
    for recording, set_name, range_start, range_end, row, location in ranges:
        name = _find_annotation_file(Path(path), row, location)
        if name not in files:
            files[name] = _read_sorted_rows(marks, name, encoding)
        rows_of_file, cuts, n_before = files[name], sorted_cuts[recording], n_marks
        for start, end in pairwise(
            cuts[bisect_left(cuts, range_start) : bisect_right(cuts, range_end)]
        ):
            document = f"{recording}:{float(start):g}-{float(end):g}"
            marks.record_seen(document, set_name, end - start)
            first_mark = bisect_left(rows_of_file, start, key=_start_of)
            after_last = bisect_right(rows_of_file, end, key=_start_of)
            for mark in (mark for mark in rows_of_file[first_mark:after_last] if mark.end <= end):
                new_start, new_end = mark.start - start, mark.end - start
                moved_mark = mark._replace(
                    document=document, annotator=set_name, start=new_start, end=new_end
                )
                marks.rows.append(moved_mark)
                n_marks += 1
        n_beyond = len(rows_of_file) - (n_marks - n_before)
        marks.passed["segment beyond the part that was annotated"] += max(n_beyond, 0)
        check_cost(_COST * (len(marks.seen) + n_marks), f"{marks.name}: the parts of recordings")


_start_of = attrgetter("start")


def _read_sorted_rows(marks: Marks, name: str, encoding: str) -> list[Mark]:
    """Read the segments of a file that ChildProject's table names, sorted by their starts."""
    rows = _split_rows(escape_name(name), read_lines(name, encoding))
    file_marks = Marks(name)
    if len(rows) > 1:
        _add_rows(file_marks, rows, {}, "ms")
    marks.passed.update(file_marks.passed)
    marks.tiers |= file_marks.tiers
    return sorted(file_marks.rows, key=_start_of)


def _find_annotation_file(table: Path, row: Mapping[str, str], location: str) -> str:
    """Find the file that a row names: in the folder of its set, or next to the table.

    Raises:
        InputError: if the file is in neither.
    """
    name, set_name = row["annotation_filename"], row["set"]
    folders = [table.parent]
    if {"", ".", ".."}.isdisjoint(re.split(r"[/\\]", set_name)) and not Path(set_name).drive:
        folders.insert(0, table.parent.parent / "annotations" / set_name / "converted")
    for folder in folders:
        if file := find_file(folder, name):
            return os.fspath(file)
    raise InputError(
        f"{location}: {quote_value(extract_base_name(name))} is neither in"
        f" {escape_path(folders[0])} nor beside the table"
    )
