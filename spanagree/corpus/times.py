"""Offsets in time: read exactly, stored as integers of a resolution, shown in seconds.

Offsets of recordings are named by their unit, such as ``10ms``. While files are read, the common
unit is unknown, so readers count ticks of 50 ns: an even number is an exact multiple of 100 ns, and
an odd number is a time between two multiples. So no time is rounded twice, and halves stay exact.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from spanagree.arrays import Ints
from spanagree.corpus.raw import RawCorpus
from spanagree.corpus.segments import LONGEST, UNIT_OF_TIME, is_time
from spanagree.errors import SettingError, invalid_value, join_names, pluralize, quote_value
from spanagree.results.frame import Frame
from spanagree.settings import build_reading_settings

if TYPE_CHECKING:  # loaded on demand: most corpora have no times
    from fractions import Fraction

LAST_END = "is the last end"
"""End of a note on a recording of unknown length."""

TICKS = "50ns"
"""Unit of offsets before a resolution is chosen."""

RESOLUTIONS = ("1s", "100ms", "10ms", "1ms")
"""Resolutions, coarsest first; the first is chosen that represents every time, else the last."""

_A_SECOND = {"s": 1, "ms": 1000, "us": 10**6, "ns": 10**9}
_PER_SECOND = 20_000_000
_FINEST = 10 * 2  # ticks: a microsecond
_CLOCK = re.compile(r"(?:(\d+):)?(\d{1,2}):(\d{1,2}(?:[.,]\d+)?)")
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d{1,3})?")
_RATE = re.compile(r"(\d{1,4}(?:\.\d{1,6})?)fps")


def look_up_scale(unit: str) -> Fraction:
    """Return the length of a unit in seconds: s, ms, us, or frames such as 25fps.

    Raises:
        SettingError: if the unit is unknown.

    >>> look_up_scale("25fps")
    Fraction(1, 25)
    """
    from fractions import Fraction

    if unit in ("s", "ms", "us"):
        return Fraction(1, _A_SECOND[unit])
    rate = _RATE.fullmatch(unit) if isinstance(unit, str) else None
    if rate is None or not Fraction(rate[1]):
        raise SettingError(
            f"time-unit {quote_value(unit)}; s, ms, us or frames such as 25fps are known"
        )
    return 1 / Fraction(rate[1])


def parse_seconds(value: object, location: str, unit: str = "s") -> Fraction:
    """Parse a time into exact seconds: a number, or a clock time such as 1:02:03.5.

    A float is rounded to 15 digits, so that .1 + .2 is .3. The decimal sign may be a comma.

    Raises:
        InputError: if the value is not a time, or too long.
    """
    from decimal import Decimal, InvalidOperation
    from fractions import Fraction

    text = f"{value:.15g}" if isinstance(value, float) else str(value).strip()
    exact: Fraction | None = None
    if not isinstance(value, bool) and (clock := _CLOCK.fullmatch(text)):
        hours, minutes, second_text = clock.groups()
        exact_second = Fraction(Decimal(second_text.replace(",", ".")))
        if (
            int(minutes) < 60 and exact_second < 60
        ):  # not int(): hours may have any number of digits
            exact = 3600 * Fraction(Decimal(hours or 0)) + 60 * int(minutes) + exact_second
    elif not isinstance(value, bool) and _NUMBER.fullmatch(text):
        try:
            exact = Fraction(Decimal(text.replace(",", "."))) * look_up_scale(unit)
        except (InvalidOperation, OverflowError):
            exact = None
    if exact is None:
        raise invalid_value(
            f"{location}: time", value, "a number such as 12.5, or 0:00:12.5, is needed"
        )
    if abs(exact) * _PER_SECOND > LONGEST:
        raise invalid_value(
            f"{location}: time", value, f"up to {LONGEST // _PER_SECOND} s are allowed"
        )
    return exact


def parse_ticks(value: object, location: str, unit: str = "s") -> int:
    """Parse a time into ticks; see :func:`parse_seconds`.

    >>> parse_ticks("0.3", ""), parse_ticks(0.1 + 0.2, "")
    (6000000, 6000000)
    >>> parse_ticks("1:02:03,5", "") // 20_000_000
    3723
    """
    return convert_to_ticks(parse_seconds(value, location, unit))


def convert_to_ticks(exact: Fraction) -> int:
    """Convert exact seconds to ticks."""
    scaled = exact * (_PER_SECOND // 2)
    return 2 * (scaled.numerator // scaled.denominator) + (scaled.denominator != 1)


def look_up_ticks(offsets: str) -> int:
    """Return the number of ticks of a unit of time; 0 if it is not one.

    >>> look_up_ticks("10ms"), look_up_ticks("tokens")
    (200000, 0)
    """
    match = UNIT_OF_TIME.fullmatch(offsets)
    return 0 if match is None else int(match[1]) * _PER_SECOND // _A_SECOND[match[2]]


def format_offset(offset: int, offsets: str) -> str:
    """Format an offset; times in seconds.

    >>> format_offset(123, "10ms"), format_offset(123, "tokens"), format_offset(2, "1s")
    ('1.23', '123', '2')
    """
    return (
        f"{offset}" if not (unit := look_up_ticks(offsets)) else _format_seconds(int(offset) * unit)
    )


def format_length(size: int, offsets: str) -> str:
    """Format a length with its unit.

    >>> format_length(1, "tokens"), format_length(150, "10ms")
    ('1 token', '1.5 s')
    """
    return (
        f"{format_offset(size, offsets)} s" if is_time(offsets) else pluralize(size, offsets[:-1])
    )


def convert_to_seconds(offset: Any, offsets: str) -> Any:
    """Convert offsets for data; times become the nearest float in seconds.

    >>> convert_to_seconds(30, "10ms"), convert_to_seconds(30, "tokens")
    (0.3, 30)
    """
    if not (unit := look_up_ticks(offsets)):
        return offset
    if isinstance(offset, (int, float, np.integer)):
        return offset * unit / _PER_SECOND
    return [convert_to_seconds(moment, offsets) for moment in offset]


def convert_table_to_seconds(table: Frame, *names: str) -> Frame:
    """Convert columns with sizes of segments to seconds, if the table compares shared time.

    Args:
        table: table of a result.
        names: keys of the columns with sizes, or titles of columns without a key.
    """
    match, offsets = (getattr(table.settings, name, "") for name in ("match", "offsets"))
    if match != "token" or not is_time(offsets):
        return table
    is_size_column = [(column.key or column.title) in names for column in table.columns]
    columns = [
        column._replace(kind="number") if is_size else column
        for column, is_size in zip(table.columns, is_size_column, strict=True)
    ]
    rows = [
        [
            convert_to_seconds(value, offsets) if is_size and value is not None else value
            for value, is_size in zip(row, is_size_column, strict=True)
        ]
        for row in table.rows
    ]
    titles = [
        c.title for c, is_size in zip(columns, is_size_column, strict=True) if is_size and c.title
    ]
    remarks = [*table.remarks, *([f"{join_names(titles)}: in seconds"] if titles else ())]
    return replace(table, columns=columns, rows=rows, remarks=remarks)


def _format_seconds(ticks: int) -> str:
    """Format ticks as seconds, with all decimals.

    >>> _format_seconds(24_600_000), _format_seconds(-1), _format_seconds(40_000_000)
    ('1.23', '-0.00000005', '2')
    """
    full_seconds, rest_ticks = divmod(abs(ticks), _PER_SECOND)
    sign = "-" if ticks < 0 else ""
    return f"{sign}{full_seconds}.{rest_ticks * (10**8 // _PER_SECOND):08d}".rstrip("0").rstrip(".")


def apply_resolution(
    raw: RawCorpus, resolution: str | None = None, duration: object = None
) -> RawCorpus:
    """Convert offsets in ticks to units of a resolution.

    Times between two units are rounded half to even; segments that become empty are left out. Both
    are counted in a note.

    Args:
        raw: rows; without offsets in ticks, they are unchanged.
        resolution: unit such as 10ms. Default: the first of :data:`RESOLUTIONS` that represents
            every time.
        duration: length of every recording, in seconds. Default: the length in the source, or else
            the last end.

    Raises:
        SettingError: if the resolution is not a unit, or finer than a microsecond.
    """
    if raw.offsets != TICKS:
        for name, value in (("resolution", resolution), ("duration", duration)):
            if value is not None:
                raise SettingError(f"{name} is for files with times; leave it out")
        return raw
    lengths = np.asarray(raw.lengths, np.int64)
    if duration is not None:
        lengths = np.full(len(lengths), parse_ticks(duration, "duration"))
        raw = _record_length(raw, duration=str(duration))
    times = [np.asarray(column, np.int64) for column in (raw.start, raw.end, lengths)]
    ticks_by_unit = {name: look_up_ticks(name) for name in RESOLUTIONS}
    chosen_unit = resolution or next(
        (
            name
            for name, unit_ticks in ticks_by_unit.items()
            if not any((column % unit_ticks).any() for column in times)
        ),
        RESOLUTIONS[-1],
    )
    unit_ticks = look_up_ticks(chosen_unit) if isinstance(chosen_unit, str) else 0
    if unit_ticks < _FINEST:
        requirement = "a unit such as 1s, 10ms or 100us is needed, of 1us or more"
        raise SettingError(f"resolution {quote_value(resolution)}; {requirement}")
    start, end, lengths = (_round_half_even(column, unit_ticks) for column in times)
    is_emptied = (start == end) & (times[0] < times[1])
    n_rounded = sum(int((column % unit_ticks != 0).sum()) for column in times[:2])
    notes = raw.notes
    if n_rounded:
        note = f"{pluralize(n_rounded, 'time')} rounded to {chosen_unit}"
        n_emptied = int(is_emptied.sum())
        note += (
            f"; {pluralize(n_emptied, 'segment')} became empty and left out" if n_emptied else ""
        )
        notes = (*notes, note)
    if (times[0] < 0).any() or (times[1] < 0).any():
        lengths = np.maximum(lengths, 0)
    kept_rows = np.flatnonzero(~is_emptied)
    details = None if raw.details is None else raw.details.select(kept_rows)
    rows = raw.replace(start=start, end=end).select_columns(kept_rows)
    return raw.replace(**rows, details=details, lengths=lengths, offsets=chosen_unit, notes=notes)


def _record_length(raw: RawCorpus, **read: str) -> RawCorpus:
    """Record the setting that defines the lengths, and remove the note on unknown lengths."""
    reading = {**raw.reading, **build_reading_settings(**{**raw.reading.get("read", {}), **read})}
    notes = tuple(note for note in raw.notes if LAST_END not in note)
    return raw.replace(reading=reading, notes=notes)


def _round_half_even(times: Ints, unit: int) -> Ints:
    """Round times to units, halves to even."""
    units, remainder = np.divmod(times, unit)
    is_rounded_up = (2 * remainder > unit) | ((2 * remainder == unit) & (units % 2 == 1))
    return np.asarray(units + is_rounded_up, np.int64)


def equalize_lengths(raw_by_name: Mapping[str, RawCorpus]) -> Mapping[str, RawCorpus]:
    """Set the length of each recording to the longest in any source.

    If a source does not record the length, its last segment ends the recording.
    """
    raws = list(raw_by_name.values())
    if len(raws) < 2 or any(raw.offsets != TICKS for raw in raws):
        return raw_by_name
    by_id = all(raw.ids is not None for raw in raws)
    keys_by_source: list[Sequence[Any]] = [
        raw.ids or () if by_id else range(len(raw.lengths)) for raw in raws
    ]
    longest: dict[Any, int] = {}
    for source_keys, raw in zip(keys_by_source, raws, strict=True):
        for id_, size in zip(source_keys, raw.lengths.tolist(), strict=True):
            longest[id_] = max(size, longest.get(id_, 0))
    result: dict[str, RawCorpus] = {}
    for name, source_keys, raw in zip(raw_by_name, keys_by_source, raws, strict=True):
        lengths = np.array([longest[id_] for id_ in source_keys], np.int64)
        n_longer = int((lengths > raw.lengths).sum())
        length_note = (
            f"{name}: {pluralize(n_longer, 'recording')} longer in another file, whose length"
            " counts"
        )
        is_noted = not n_longer or any(LAST_END in note for note in raw.notes)
        result[name] = raw.replace(
            lengths=lengths, notes=raw.notes if is_noted else (*raw.notes, length_note)
        )
    return result


def cut_into_parts(
    raw: RawCorpus, parts: Mapping[str, Sequence[tuple[Fraction, Fraction]]], source: str
) -> RawCorpus:
    """Cut recordings into parts, each a document; segments are cut at the ends.

    Args:
        raw: rows with offsets in ticks.
        parts: start and end of parts in seconds, by name of the recording; others are left out.
        source: name of the file with the parts.

    Raises:
        SettingError: if rows have no times, or no recording is among the parts.
    """
    if raw.offsets != TICKS:
        raise SettingError("uem is for files with times; leave it out")
    raw = _record_length(raw, uem=source)
    index_by_id = {raw.id_of(d): d for d in range(len(raw.lengths))}
    located_parts = [
        (index_by_id[id_], *bounds)
        for id_, parts_of_recording in parts.items()
        if id_ in index_by_id
        for bounds in parts_of_recording
    ]
    if not located_parts:
        known_names = f"of {join_names(parts)}, and the recordings are {join_names(index_by_id)}"
        raise SettingError(f"uem has parts {known_names}; give the same recordings the same names")
    has_several = len(located_parts) > len({d for d, *_ in located_parts})
    segment_columns: list[list[Ints]] = []
    annotation_columns: list[list[Ints]] = []
    ids, lengths, n_annotations = [], [], 0
    for part_index, (d, begin_time, stop_time) in enumerate(located_parts):
        part_start, part_end = (
            np.int64(convert_to_ticks(begin_time)),
            np.int64(convert_to_ticks(stop_time)),
        )  # int64 even if rows are int32
        suffix = f":{float(begin_time):g}-{float(stop_time):g}" if has_several else ""
        ids.append(f"{raw.id_of(d)}{suffix}")
        lengths.append(part_end - part_start)
        annotations = np.flatnonzero(raw.document_index == d)
        new_annotation = np.full(len(raw.document_index), -1)
        new_annotation[annotations] = n_annotations + np.arange(len(annotations))
        annotation_columns.append(
            [np.full(len(annotations), part_index), raw.annotator_index[annotations]]
        )
        n_annotations += len(annotations)
        kept_rows = np.flatnonzero(
            (raw.document == d) & (raw.end > part_start) & (raw.start < part_end)
        )
        start, end = (
            np.clip(column[kept_rows], part_start, part_end) - part_start
            for column in (raw.start, raw.end)
        )
        segment_columns.append(
            [new_annotation[raw.annotation[kept_rows]], start, end, raw.label[kept_rows], kept_rows]
        )
    annotation, start, end, label, kept_rows = map(
        np.concatenate, zip(*segment_columns, strict=True)
    )
    document_index, annotator_index = map(np.concatenate, zip(*annotation_columns, strict=True))
    n_segments = int((raw.start < raw.end).sum())
    n_parts = pluralize(len(located_parts), "part")
    return raw.replace(
        lengths=np.array(lengths, np.int64), ids=tuple(ids), annotation=annotation, start=start,
        end=end, label=label, document_index=document_index, annotator_index=annotator_index,
        when=None, quote=None, details=None,
        notes=(
            *raw.notes,
            f"uem: {pluralize(len(kept_rows), 'segment')} of {n_segments} in {n_parts}",
        ),
    )  # fmt: skip
