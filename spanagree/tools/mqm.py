"""MQM ratings of translations as TSV: an error a row, marked in a copy of source or target."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from sys import intern
from typing import Any, NamedTuple

from spanagree.corpus.collector import same_text
from spanagree.corpus.raw import RawCorpus
from spanagree.errors import (
    InputError,
    check_choice,
    join_names,
    percent,
    pluralize,
    printable_path,
)
from spanagree.files import PathName, lines_of
from spanagree.formats.changed_texts import Alignment
from spanagree.formats.file_head import FileHead
from spanagree.formats.inline_tags import MarkupToken, split_markup
from spanagree.formats.records import RawAnnotation, RawSpan, ReadLog, Record, gather
from spanagree.settings import reading_settings

SIDES = {"target": "the translation", "source": "what was translated"}
"""What errors are marked in."""

LABELS = {"category": "the kind of error", "severity": "how bad it is"}
"""What may be the label of an error."""

_SEGMENTS = ("seg_id", "globalSegId")  # as WMT has called it up to 2022, and since
_NEEDED = ("system", "doc", "rater", "source", "target", "category", "severity")
_TAG = re.compile("(</?v>)")
_NO_ERROR = "no-error"
_TEST = "hotw-test"  # an error that was put in to see whether the rater finds it
_RULE = "all raters of a segment need the same text; --align aligns what differs"


def knows_mqm(start: FileHead) -> bool:
    """Return whether a file begins with the names of the columns of MQM."""
    names = start.lines[0].split("\t") if start.lines else []
    return {*_NEEDED} <= {*names} and not {*_SEGMENTS}.isdisjoint(names)


class _Rating(NamedTuple):
    """What a row marks in one side of a segment, in the version of the text that it has."""

    line: int
    rater: str
    version: str
    marks: Sequence[tuple[int, ...]]
    label: str


class _RaterCounts:
    """What is counted for each rater: errors, those without a place, rows, texts that differ."""

    def __init__(self) -> None:
        self.read: Counter[str] = Counter()
        self.lost: Counter[str] = Counter()
        self.rows: Counter[str] = Counter()
        self.changed: Counter[str] = Counter()

    def settings(self) -> dict[str, Any]:
        """Return the counts as a corpus keeps them, if anything has no place or was aligned."""
        if not any([*self.lost.values(), *self.changed.values()]):
            return {}
        kinds = {"read": self.read, "unaligned": self.lost, "copies": self.rows}
        kinds["changed"] = self.changed
        return {"quotes": {rater: {k: n[rater] for k, n in kinds.items()} for rater in self.rows}}


def raw_mqm(
    path: PathName,
    *,
    text: str | None = None,
    feature: str | None = None,
    align: bool = False,
    encoding: str = "utf-8",
) -> RawCorpus:
    """Return the rows of an MQM file, unchecked: raters are annotators.

    The translation of a segment by a system is a document; its source is one too, with ``/source``
    behind the id, if anything is marked in it. A row ``No-error`` says that nothing is.

    Args:
        path: the file.
        text: one of :data:`SIDES`, to read errors in it alone.
        feature: one of :data:`LABELS`, category unless given.
        align: whether texts of a segment that differ are aligned to the one that most rows have.
        encoding: of the file.

    Raises:
        InputError: for what is not MQM; texts of a segment that differ.
        SettingError: for an unknown choice.
    """
    for value, allowed, what in ((text, SIDES, "text"), (feature, LABELS, "feature")):
        if value is not None:
            check_choice(value, allowed, what)
    name = printable_path(path)
    ratings: dict[tuple[str, str], list[_Rating]] = {}  # by segment and side
    counts = _RaterCounts()
    passed: Counter[str] = Counter()
    for line, row in _rows(name, lines_of(path, encoding)):
        id_ = f"{row['system']}/{row['doc']}/{row['segment']}"
        rater, label = intern(row["rater"]), intern(row[feature or "category"])
        kind, severity = row["category"].strip().lower(), row["severity"].strip().lower()
        is_error = _NO_ERROR not in (kind, severity) and severity != _TEST
        if severity == _TEST:
            passed["attention test"] += 1
        sides = {side: _taken_apart(row[side]) for side in SIDES}
        counts.rows[rater] += 1
        if is_error:
            lost = sum(unpaired for *_, unpaired in sides.values())
            lost = lost or int(not any(marks for _, marks, _ in sides.values()))
            counts.lost[rater] += lost
            counts.read[rater] += lost
        for side, (version, there, _) in sides.items():
            marks = there if is_error else ()
            if text in (None, side):
                rating = _Rating(line, rater, intern(version), marks, label)
                ratings.setdefault((id_, side), []).append(rating)
                counts.read[rater] += len(marks)
            else:
                passed[f"{side} error"] += len(marks)
    if not ratings:
        raise InputError(f"{name}: no rows; MQM has a row for each error, or No-error")
    log = ReadLog(name)
    log.passed = passed
    reading = {
        "format": "mqm",
        **reading_settings(encoding, text=text, feature=feature, align=align),
    }
    return gather(_records(ratings, counts, log, align=align), log, reading, again=False)


def _rows(name: str, lines: Iterator[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the cells of each row by name, with its line.

    Raises:
        InputError: for a header without the columns of MQM, and rows of another length.
    """
    header = next(lines, "").rstrip("\r\n").split("\t")
    lacking = [column for column in _NEEDED if column not in header]
    segment = next((column for column in _SEGMENTS if column in header), None)
    if lacking or segment is None:
        raise InputError(
            f"{name}:1: columns {join_names(header)}; MQM needs {', '.join(_NEEDED)} and"
            f" {' or '.join(_SEGMENTS)}, with tabs between"
        )
    places = {column: header.index(column) for column in _NEEDED}
    places["segment"] = header.index(segment)
    for number, ended in enumerate(lines, 2):
        cells = ended.rstrip("\r\n").split("\t")
        if not ended.strip():
            continue
        if len(cells) != len(header):
            raise InputError(
                f"{name}:{number}: {pluralize(len(cells), 'cell')}; the header has {len(header)},"
                " and each row needs as many, with tabs between"
            )
        row = {column: cells[place] for column, place in places.items()}
        if not row["rater"].strip():
            raise InputError(f"{name}:{number}: no rater; each row needs the name of one")
        yield number, row


@lru_cache(maxsize=64)  # the errors of a segment repeat one of its two texts
def _taken_apart(cell: str) -> tuple[str, Sequence[tuple[int, ...]], int]:
    """Return a text without tags, what is between pairs of them, and how many tags have no partner.

    If the text is quoted as in CSV, it is what was quoted.
    """
    text, spans, unpaired = split_markup(cell, _TAG, _meaning, nested=False)
    marks: list[tuple[int, ...]] = [(start, end) for start, end, _ in spans]
    inner = text[1:-1]
    if len(text) > 1 and text[0] == text[-1] == '"' and '"' not in inner.replace('""', ""):
        pairs = [match.start() + 1 for match in re.finditer('""', inner)]
        text = inner.replace('""', '"')
        marks = [
            tuple(min(max(p - 1 - bisect_left(pairs, p - 1), 0), len(text)) for p in mark)
            for mark in marks
        ]
    return text, marks, len(unpaired)


_SIGNS = {"<v>": MarkupToken("open", "v"), "</v>": MarkupToken("close", "v")}


def _meaning(tag: str, _: int) -> MarkupToken:
    return _SIGNS[tag]


def _records(
    ratings: Mapping[tuple[str, str], Sequence[_Rating]],
    counts: _RaterCounts,
    log: ReadLog,
    *,
    align: bool,
) -> Iterator[Record]:
    """Yield the documents, each with the text that most rows have, and what is marked in them.

    Raises:
        InputError: for a text that differs, unless it is to be aligned.
    """
    are_both_read = len({side for _, side in ratings}) > 1
    for (id_, side), rows in ratings.items():
        if side == "source" and are_both_read and not any(row.marks for row in rows):
            continue
        text = Counter(row.version for row in rows).most_common(1)[0][0]
        spans: dict[str, list[RawSpan]] = {row.rater: [] for row in rows}
        alignments: dict[str, Alignment] = {}
        for line, rater, version, marks, label in rows:
            location = f"{log.name}:{line}"
            same = version.rstrip() == text.rstrip()  # copies may end with a blank
            if not same and not align:
                same_text(version, text, location, _RULE)
            if not same:
                counts.changed[rater] += 1
                if version not in alignments:
                    alignments[version] = Alignment(version, text)
            for start, end in marks:
                place: tuple[int, int] | None = min(start, len(text)), min(end, len(text))
                if not same:
                    place = alignments[version].carried(start, end)
                if place is None:
                    counts.lost[rater] += 1
                else:
                    spans[rater].append(RawSpan(*place, label, location=location))
        document = f"{id_}/source" if side == "source" else id_
        annotations = [RawAnnotation(rater, marked) for rater, marked in spans.items()]
        yield Record(log.name, document, {"text": text}, annotations)
    log.notes += _notes(log.name, counts)
    log.reading |= counts.settings()


def _notes(name: str, counts: _RaterCounts) -> Iterator[str]:
    """Yield how many errors have no place in the text, and how many texts were aligned."""
    lost, read, changed = (sum(c.values()) for c in (counts.lost, counts.read, counts.changed))
    if changed:
        yield f"{name}: {pluralize(changed, 'row')} with another text of the segment aligned"
    if lost:
        yield (
            f"{name}: {lost} of {pluralize(read, 'error')} ({percent(lost / read, 1)}) not aligned"
            " and left out, as nothing of the text is between <v> and </v>"
        )
