"""MQM ratings of translations as TSV: an error a row, marked in a copy of source or target."""

from __future__ import annotations

import os
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from sys import intern
from typing import Any

from spanagree.corpus.collector import same_text
from spanagree.corpus.raw import RawCorpus
from spanagree.errors import (
    InputError,
    check_choice,
    counted,
    listed,
    percent,
    printable,
)
from spanagree.files import PathName, lines_of
from spanagree.formats.changed_texts import Alignment
from spanagree.formats.file_head import FileHead
from spanagree.formats.records import Annotation, ReadLog, Record, Span, gather
from spanagree.settings import as_read

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


@dataclass
class _Text:
    """One side of a segment: its versions, who rated it, and of each row what was marked where."""

    versions: Counter[str] = field(default_factory=Counter)
    raters: dict[str, None] = field(default_factory=dict)
    rows: list[tuple[int, str, str, Sequence[tuple[int, ...]], str]] = field(default_factory=list)


class _Counts:
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
    name = printable(os.fspath(path))
    texts: dict[tuple[str, str], _Text] = {}
    counts = _Counts()
    passed: Counter[str] = Counter()
    for line, row in _rows(name, lines_of(path, encoding)):
        id_ = f"{row['system']}/{row['doc']}/{row['segment']}"
        rater, label = intern(row["rater"]), intern(row[feature or "category"])
        is_error = _NO_ERROR not in (
            row["category"].strip().lower(),
            row["severity"].strip().lower(),
        )
        if row["severity"].strip().lower() == _TEST:
            passed["attention test"] += 1
            is_error = False
        taken = {side: _taken_apart(row[side]) for side in SIDES}
        marked = sum(len(marks) for _, marks, _ in taken.values())
        odd = sum(odd for *_, odd in taken.values()) or not marked
        counts.rows[rater] += 1
        counts.lost[rater] += is_error * odd
        counts.read[rater] += is_error * odd
        for side, (version, marks, _) in taken.items():
            if text in (None, side):
                rated = texts.setdefault((id_, side), _Text())
                rated.versions[version] += 1
                rated.raters[rater] = None
                rated.rows.append((line, rater, intern(version), marks if is_error else (), label))
                counts.read[rater] += len(marks) * is_error
            else:
                passed[f"{side} error"] += len(marks) * is_error
    if not texts:
        raise InputError(f"{name}: no rows; MQM has a row for each error, or No-error")
    log = ReadLog(name)
    log.passed = passed
    reading = {"format": "mqm", **as_read(encoding, text=text, feature=feature, align=align)}
    return gather(_records(texts, counts, log, align=align), log, reading, again=False)


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
            f"{name}:1: columns {listed(header)}; MQM needs {', '.join(_NEEDED)} and"
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
                f"{name}:{number}: {counted(len(cells), 'cell')}; the header has {len(header)}, and"
                " each row needs as many, with tabs between"
            )
        row = {column: cells[place] for column, place in places.items()}
        if not row["rater"].strip():
            raise InputError(f"{name}:{number}: no rater; each row needs the name of one")
        yield number, row


def _taken_apart(cell: str) -> tuple[str, list[tuple[int, ...]], int]:
    """Return a text without tags, what is between pairs of them, and how many tags have no partner.

    If the text is quoted as in CSV, it is what was quoted.
    """
    text, at, odd = "", -1, 0
    marks: list[tuple[int, ...]] = []
    for piece in _TAG.split(cell):
        if piece == "<v>":
            odd += at >= 0
            at = len(text)
        elif piece == "</v>":
            odd += at < 0
            marks += [(at, len(text))] if at >= 0 else []
            at = -1
        else:
            text += piece
    odd += at >= 0
    inner = text[1:-1]
    if len(text) > 1 and text[0] == text[-1] == '"' and '"' not in inner.replace('""', ""):
        pairs = [match.start() + 1 for match in re.finditer('""', inner)]
        text = inner.replace('""', '"')
        marks = [
            tuple(min(max(p - 1 - bisect_left(pairs, p - 1), 0), len(text)) for p in mark)
            for mark in marks
        ]
    return text, marks, odd


def _records(
    texts: Mapping[tuple[str, str], _Text], counts: _Counts, log: ReadLog, *, align: bool
) -> Iterator[Record]:
    """Yield the documents, each with the text that most rows have, and what is marked in them.

    Raises:
        InputError: for a text that differs, unless it is to be aligned.
    """
    asked = {side for _, side in texts}
    for (id_, side), rated in texts.items():
        if side == "source" and len(asked) > 1 and not any(marks for *_, marks, _ in rated.rows):
            continue
        text = rated.versions.most_common(1)[0][0]
        marked: dict[str, list[Span]] = {rater: [] for rater in rated.raters}
        alignments: dict[str, Alignment] = {}
        for line, rater, version, marks, label in rated.rows:
            where = f"{log.name}:{line}"
            same = version.rstrip() == text.rstrip()  # copies may end with a blank
            if not same and not align:
                same_text(version, text, where, _RULE)
            if not same:
                counts.changed[rater] += 1
                if version not in alignments:
                    alignments[version] = Alignment(version, text)
            for mark in marks:
                inside = tuple(min(offset, len(text)) for offset in mark)
                place = inside if same else alignments[version].carried(mark[0], mark[1])
                if place is None:
                    counts.lost[rater] += 1
                else:
                    marked[rater].append(Span(place[0], place[1], label, where=where))
        document = f"{id_}/source" if side == "source" else id_
        annotations = [Annotation(rater, spans) for rater, spans in marked.items()]
        yield Record(log.name, document, {"text": text}, annotations)
    log.notes += _notes(log.name, counts)
    log.reading |= counts.settings()


def _notes(name: str, counts: _Counts) -> Iterator[str]:
    """Yield how many errors have no place in the text, and how many texts were aligned."""
    lost, read, changed = (sum(c.values()) for c in (counts.lost, counts.read, counts.changed))
    if changed:
        yield f"{name}: {counted(changed, 'row')} with another text of the segment aligned"
    if lost:
        yield (
            f"{name}: {lost} of {counted(read, 'error')} ({percent(lost / read, 1)}) not aligned"
            " and left out, as nothing of the text is between <v> and </v>"
        )
