"""Recordings as rows: their resolution, their lengths, and their parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from spanagree.arrays import Ints
from spanagree.corpus.raw import RawCorpus
from spanagree.corpus.times import TICKS, convert_to_ticks, look_up_ticks, parse_ticks
from spanagree.errors import SettingError, join_names, pluralize, quote_value
from spanagree.settings import build_reading_settings

if TYPE_CHECKING:
    from fractions import Fraction


LAST_END = "is the last end"
"""End of a note on a recording of unknown length."""

RESOLUTIONS = ("1s", "100ms", "10ms", "1ms")
"""Resolutions, coarsest first; the first is chosen that represents every time, else the last."""

_FINEST = 10 * 2  # ticks: a microsecond


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
    kept = raw.replace(start=start, end=end).select_segments(kept_rows)
    return kept.replace(lengths=lengths, offsets=chosen_unit, notes=notes)


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
