"""Offsets in time: read exactly, kept as whole units of a resolution, shown in seconds.

What a corpus of recordings counts is named by its unit, such as ``10ms``. Readers do not know yet
which unit all files need, so they count ticks: 100 ns, doubled, and one more for what lies between
two of these. So a time is never rounded twice, and halves are known as such.
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
from spanagree.settings import reading_settings

if TYPE_CHECKING:  # exact numbers are loaded where times are read, which most corpora have none of
    from fractions import Fraction

LAST_END = "is the last end"
"""How a note ends on a recording whose length is not known."""

TICKS = "50ns"
"""The unit of offsets that have no resolution yet."""

RESOLUTIONS = ("1s", "100ms", "10ms", "1ms")
"""The resolutions of which the first that holds every time is taken, else the last."""

_A_SECOND = {"s": 1, "ms": 1000, "us": 10**6, "ns": 10**9}
_PER_SECOND = 20_000_000
_FINEST = 10 * 2  # ticks: a microsecond
_CLOCK = re.compile(r"(?:(\d+):)?(\d{1,2}):(\d{1,2}(?:[.,]\d+)?)")
_NUMBER = re.compile(r"[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d{1,3})?")
_RATE = re.compile(r"(\d{1,4}(?:\.\d{1,6})?)fps")


def scale_of(unit: str) -> Fraction:
    """Return how many seconds one of a unit is: s, ms, us, or frames such as 25fps.

    Raises:
        SettingError: for another unit.

    >>> scale_of("25fps")
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


def seconds(value: object, location: str, unit: str = "s") -> Fraction:
    """Return a time in seconds, exactly: a number, or a clock's such as 1:02:03.5.

    Of a float its 15 digits count that hold, so that .1 + .2 is .3. A comma may stand for the
    point.

    Raises:
        InputError: for what is no time, or too long.
    """
    from decimal import Decimal, InvalidOperation
    from fractions import Fraction

    text = f"{value:.15g}" if isinstance(value, float) else str(value).strip()
    exact: Fraction | None = None
    if not isinstance(value, bool) and (clock := _CLOCK.fullmatch(text)):
        hours, minutes, rest = clock.groups()
        of_minute = Fraction(Decimal(rest.replace(",", ".")))
        if int(minutes) < 60 and of_minute < 60:  # hours of any length, which int would not read
            exact = 3600 * Fraction(Decimal(hours or 0)) + 60 * int(minutes) + of_minute
    elif not isinstance(value, bool) and _NUMBER.fullmatch(text):
        try:
            exact = Fraction(Decimal(text.replace(",", "."))) * scale_of(unit)
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


def ticks(value: object, location: str, unit: str = "s") -> int:
    """Return a time in ticks; as :func:`seconds`.

    >>> ticks("0.3", ""), ticks(0.1 + 0.2, ""), ticks("1:02:03,5", "") // 20_000_000
    (6000000, 6000000, 3723)
    """
    return in_ticks(seconds(value, location, unit))


def in_ticks(exact: Fraction) -> int:
    """Return exact seconds in ticks."""
    scaled = exact * (_PER_SECOND // 2)
    return 2 * (scaled.numerator // scaled.denominator) + (scaled.denominator != 1)


def ticks_of(offsets: str) -> int:
    """Return how many ticks a unit of time has; 0 for what is none.

    >>> ticks_of("10ms"), ticks_of("tokens")
    (200000, 0)
    """
    match = UNIT_OF_TIME.fullmatch(offsets)
    return 0 if match is None else int(match[1]) * _PER_SECOND // _A_SECOND[match[2]]


def shown(at: int, offsets: str) -> str:
    """Return an offset as people read it: of time, in seconds.

    >>> shown(123, "10ms"), shown(123, "tokens"), shown(2, "1s")
    ('1.23', '123', '2')
    """
    return f"{at}" if not (unit := ticks_of(offsets)) else _in_decimals(int(at) * unit)


def sized(size: int, offsets: str) -> str:
    """Return a length with what it counts.

    >>> sized(1, "tokens"), sized(150, "10ms")
    ('1 token', '1.5 s')
    """
    return f"{shown(size, offsets)} s" if is_time(offsets) else pluralize(size, offsets[:-1])


def in_seconds(at: Any, offsets: str) -> Any:
    """Return offsets for data: of time as floats, the nearest to the exact seconds.

    >>> in_seconds(30, "10ms"), in_seconds(30, "tokens")
    (0.3, 30)
    """
    if not (unit := ticks_of(offsets)):
        return at
    if isinstance(at, (int, float, np.integer)):
        return at * unit / _PER_SECOND
    return [in_seconds(moment, offsets) for moment in at]


def with_seconds(table: Frame, *names: str) -> Frame:
    """Return a table of shared time whose sizes are seconds, as all its times are.

    Args:
        table: the table of a result.
        names: the columns that hold sizes, by key, or by title where they have no key.
    """
    match, offsets = (getattr(table.settings, name, "") for name in ("match", "offsets"))
    if match != "token" or not is_time(offsets):
        return table
    sizes = [(column.key or column.title) in names for column in table.columns]
    columns = [
        column._replace(kind="number") if is_size else column
        for column, is_size in zip(table.columns, sizes, strict=True)
    ]
    rows = [
        [
            in_seconds(value, offsets) if is_size and value is not None else value
            for value, is_size in zip(row, sizes, strict=True)
        ]
        for row in table.rows
    ]
    titles = [c.title for c, is_size in zip(columns, sizes, strict=True) if is_size and c.title]
    remarks = [*table.remarks, *([f"{join_names(titles)}: in seconds"] if titles else ())]
    return replace(table, columns=columns, rows=rows, remarks=remarks)


def _in_decimals(ticks: int) -> str:
    """Return ticks as seconds, with all decimals that they have.

    >>> _in_decimals(24_600_000), _in_decimals(-1), _in_decimals(40_000_000)
    ('1.23', '-0.00000005', '2')
    """
    full_seconds, rest = divmod(abs(ticks), _PER_SECOND)
    sign = "-" if ticks < 0 else ""
    return f"{sign}{full_seconds}.{rest * (10**8 // _PER_SECOND):08d}".rstrip("0").rstrip(".")


def with_resolution(
    raw: RawCorpus, resolution: str | None = None, duration: object = None
) -> RawCorpus:
    """Return rows that count ticks as such that count units of a resolution.

    Times between two units are rounded half to even; what is empty then, and was not before, is
    left out. Both are counted in a note.

    Args:
        raw: the rows; of other than ticks nothing is done.
        resolution: such as 10ms; the first of :data:`RESOLUTIONS` that holds every time unless
            given.
        duration: of every recording, in seconds; else that which its source gives, or its last end.

    Raises:
        SettingError: for what is no resolution, or finer than a microsecond.
    """
    if raw.offsets != TICKS:
        for name, given in (("resolution", resolution), ("duration", duration)):
            if given is not None:
                raise SettingError(f"{name} is for files with times; leave it out")
        return raw
    lengths = np.asarray(raw.lengths, np.int64)
    if duration is not None:
        lengths = np.full(len(lengths), ticks(duration, "duration"))
        raw = _of_known_length(raw, duration=str(duration))
    times = [np.asarray(x, np.int64) for x in (raw.start, raw.end, lengths)]
    units = {name: ticks_of(name) for name in RESOLUTIONS}
    chosen = resolution or next(
        (name for name, unit in units.items() if not any((x % unit).any() for x in times)),
        RESOLUTIONS[-1],
    )
    unit = ticks_of(chosen) if isinstance(chosen, str) else 0
    if unit < _FINEST:
        needed = "a unit such as 1s, 10ms or 100us is needed, of 1us or more"
        raise SettingError(f"resolution {quote_value(resolution)}; {needed}")
    start, end, lengths = (_rounded(x, unit) for x in times)
    emptied = (start == end) & (times[0] < times[1])
    odd = sum(int((x % unit != 0).sum()) for x in times[:2])
    notes = raw.notes
    if odd:
        note = f"{pluralize(odd, 'time')} rounded to {chosen}"
        gone = int(emptied.sum())
        note += f"; {pluralize(gone, 'segment')} became empty and left out" if gone else ""
        notes = (*notes, note)
    if (times[0] < 0).any() or (times[1] < 0).any():
        lengths = np.maximum(lengths, 0)
    kept = np.flatnonzero(~emptied)
    details = None if raw.details is None else raw.details.taken(kept)
    rows = raw.replace(start=start, end=end).segments_kept(kept)
    return raw.replace(**rows, details=details, lengths=lengths, offsets=chosen, notes=notes)


def _of_known_length(raw: RawCorpus, **read: str) -> RawCorpus:
    """Return the rows with the setting that gives the lengths, and no note that none is known."""
    reading = {**raw.reading, **reading_settings(**{**raw.reading.get("read", {}), **read})}
    notes = tuple(note for note in raw.notes if LAST_END not in note)
    return raw.replace(reading=reading, notes=notes)


def _rounded(times: Ints, unit: int) -> Ints:
    """Return times in units, those halfway to the even one."""
    units, rest = np.divmod(times, unit)
    up = (2 * rest > unit) | ((2 * rest == unit) & (units % 2 == 1))
    return np.asarray(units + up, np.int64)


def of_one_length(parts: Mapping[str, RawCorpus]) -> Mapping[str, RawCorpus]:
    """Return sources of recordings with one length of each, the longest that one of them has.

    A source of which the recording's length is not known ends with its last segment.
    """
    raws = list(parts.values())
    if len(raws) < 2 or any(raw.offsets != TICKS for raw in raws):
        return parts
    by_id = all(raw.ids is not None for raw in raws)
    keys: list[Sequence[Any]] = [
        raw.ids or () if by_id else range(len(raw.lengths)) for raw in raws
    ]
    longest: dict[Any, int] = {}
    for key, raw in zip(keys, raws, strict=True):
        for id_, size in zip(key, raw.lengths.tolist(), strict=True):
            longest[id_] = max(size, longest.get(id_, 0))
    made: dict[str, RawCorpus] = {}
    for name, key, raw in zip(parts, keys, raws, strict=True):
        lengths = np.array([longest[id_] for id_ in key], np.int64)
        longer = int((lengths > raw.lengths).sum())
        says = (
            f"{name}: {pluralize(longer, 'recording')} longer in another file, whose length counts"
        )
        is_noted = not longer or any(LAST_END in note for note in raw.notes)
        made[name] = raw.replace(
            lengths=lengths, notes=raw.notes if is_noted else (*raw.notes, says)
        )
    return made


def within_parts(
    raw: RawCorpus, parts: Mapping[str, Sequence[tuple[Fraction, Fraction]]], source: str
) -> RawCorpus:
    """Return the rows in some parts of recordings, each a document; segments are cut at its ends.

    Args:
        raw: rows that count ticks.
        parts: of each recording, start and end in seconds; what is not named is left out.
        source: the name of the file that says so.

    Raises:
        SettingError: for rows without times, or if none of the recordings is there.
    """
    if raw.offsets != TICKS:
        raise SettingError("uem is for files with times; leave it out")
    raw = _of_known_length(raw, uem=source)
    place = {raw.id_of(d): d for d in range(len(raw.lengths))}
    named = [(place[id_], *part) for id_, some in parts.items() if id_ in place for part in some]
    if not named:
        known = f"of {join_names(parts)}, and the recordings are {join_names(place)}"
        raise SettingError(f"uem has parts {known}; give the same recordings the same names")
    several = len(named) > len({d for d, *_ in named})
    rows: list[list[Ints]] = []
    seen: list[list[Ints]] = []
    ids, lengths, made = [], [], 0
    for number, (d, begin, stop) in enumerate(named):
        low, high = np.int64(in_ticks(begin)), np.int64(in_ticks(stop))  # not as int32
        size = f":{float(begin):g}-{float(stop):g}" if several else ""
        ids.append(f"{raw.id_of(d)}{size}")
        lengths.append(high - low)
        annotations = np.flatnonzero(raw.document_index == d)
        number_of = np.full(len(raw.document_index), -1)
        number_of[annotations] = made + np.arange(len(annotations))
        seen.append([np.full(len(annotations), number), raw.annotator_index[annotations]])
        made += len(annotations)
        kept = np.flatnonzero((raw.document == d) & (raw.end > low) & (raw.start < high))
        start, end = (np.clip(x[kept], low, high) - low for x in (raw.start, raw.end))
        rows.append([number_of[raw.annotation[kept]], start, end, raw.label[kept], kept])
    annotation, start, end, label, kept = map(np.concatenate, zip(*rows, strict=True))
    document_index, annotator_index = map(np.concatenate, zip(*seen, strict=True))
    before = int((raw.start < raw.end).sum())
    cut = pluralize(len(named), "part")
    return raw.replace(
        lengths=np.array(lengths, np.int64), ids=tuple(ids), annotation=annotation, start=start,
        end=end, label=label, document_index=document_index, annotator_index=annotator_index,
        when=None, quote=None, details=None,
        notes=(*raw.notes, f"uem: {pluralize(len(kept), 'segment')} of {before} in {cut}"),
    )  # fmt: skip
