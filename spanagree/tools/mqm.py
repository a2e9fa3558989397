"""Reader of MQM ratings of translations as TSV: a row an error, marked in a copy of a text.

A segment has two *sides*, the source and the target, which is its translation.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from sys import intern
from typing import Any, NamedTuple

from spanagree.corpus.document_versions import check_same_text
from spanagree.corpus.raw import RawCorpus
from spanagree.errors import (
    InputError,
    check_choice,
    escape_path,
    format_percent,
    join_names,
    pluralize,
)
from spanagree.files import PathName, yield_lines
from spanagree.formats.changed_texts import Alignment
from spanagree.formats.file_head import FileHead
from spanagree.formats.inline_tags import MarkupToken, split_markup
from spanagree.formats.records import (
    RawAnnotation,
    RawSpan,
    ReadLog,
    Record,
    build_raw_from_records,
)
from spanagree.settings import build_reading_settings

SIDES = {"target": "the translation", "source": "what was translated"}
"""Texts in which errors are marked."""

LABELS = {"category": "the kind of error", "severity": "how bad it is"}
"""Sources of the label of an error."""

_SEGMENTS = ("seg_id", "globalSegId")  # names at WMT up to 2022, and since
_NEEDED = ("system", "doc", "rater", "source", "target", "category", "severity")
_TAG = re.compile("(</?v>)")
_NO_ERROR = "no-error"
_TEST = "hotw-test"  # an artificial error, as a test of the rater
_RULE = "all raters of a segment need the same text; --align aligns what differs"


def looks_like_mqm(start: FileHead) -> bool:
    """Check whether a file begins with the names of the columns of MQM."""
    names = start.lines[0].split("\t") if start.lines else []
    return {*_NEEDED} <= {*names} and not {*_SEGMENTS}.isdisjoint(names)


class _Rating(NamedTuple):
    """Marks of a row in one side of a segment.

    Attributes:
        line: line number.
        rater: name of the rater.
        version: text of the side in this row.
        marks: start and end of each mark.
        label: label of the error.
    """

    line: int
    rater: str
    version: str
    marks: Sequence[tuple[int, ...]]
    label: str


class _RaterCounts:
    """Counts for each rater.

    Attributes:
        read: number of errors.
        lost: number of errors without a position.
        rows: number of rows.
        changed: number of rows with another text.
    """

    def __init__(self) -> None:
        self.read: Counter[str] = Counter()
        self.lost: Counter[str] = Counter()
        self.rows: Counter[str] = Counter()
        self.changed: Counter[str] = Counter()

    def build_settings(self) -> dict[str, Any]:
        """Build the settings with the counts by rater.

        They are empty if all errors have positions and no text was aligned.
        """
        if not any([*self.lost.values(), *self.changed.values()]):
            return {}
        counters = {"read": self.read, "unaligned": self.lost, "copies": self.rows}
        counters["changed"] = self.changed
        return {
            "quotes": {
                rater: {count_name: counter[rater] for count_name, counter in counters.items()}
                for rater in self.rows
            }
        }


def read_raw_mqm(
    path: PathName,
    *,
    text: str | None = None,
    feature: str | None = None,
    align: bool = False,
    encoding: str = "utf-8",
) -> RawCorpus:
    """Read the rows of an MQM file without checks; raters are annotators.

    The translation of a segment by a system is a document. Its source is another document, with
    ``/source`` after the id, if anything is marked in it. A row ``No-error`` means no error.

    Args:
        path: path of the file.
        text: a side of :data:`SIDES`, to read errors in it alone.
        feature: a source of :data:`LABELS`. Default: category.
        align: True to align different texts of a segment to its most frequent text.
        encoding: encoding of the file.

    Raises:
        InputError: if the file is not MQM, or texts of a segment differ.
        SettingError: if a choice is unknown.
    """
    for value, allowed, option in ((text, SIDES, "text"), (feature, LABELS, "feature")):
        if value is not None:
            check_choice(value, allowed, option)
    name = escape_path(path)
    ratings: dict[tuple[str, str], list[_Rating]] = {}  # by segment and side
    counts = _RaterCounts()
    n_skipped: Counter[str] = Counter()
    for line, row in _yield_rows(name, yield_lines(path, encoding)):
        id_ = f"{row['system']}/{row['doc']}/{row['segment']}"
        rater, label = intern(row["rater"]), intern(row[feature or "category"])
        category, severity = row["category"].strip().lower(), row["severity"].strip().lower()
        is_error = _NO_ERROR not in (category, severity) and severity != _TEST
        if severity == _TEST:
            n_skipped["attention test"] += 1
        parsed_sides = {side_name: _parse_cell(row[side_name]) for side_name in SIDES}
        counts.rows[rater] += 1
        if is_error:
            n_lost = sum(unpaired for *_, unpaired in parsed_sides.values())
            n_lost = n_lost or int(not any(marks for _, marks, _ in parsed_sides.values()))
            counts.lost[rater] += n_lost
            counts.read[rater] += n_lost
        for side_name, (version, side_marks, _) in parsed_sides.items():
            marks = side_marks if is_error else ()
            if text in (None, side_name):
                rating = _Rating(line, rater, intern(version), marks, label)
                ratings.setdefault((id_, side_name), []).append(rating)
                counts.read[rater] += len(marks)
            else:
                n_skipped[f"{side_name} error"] += len(marks)
    if not ratings:
        raise InputError(f"{name}: no rows; MQM has a row for each error, or No-error")
    log = ReadLog(name)
    log.passed = n_skipped
    reading = {
        "format": "mqm",
        **build_reading_settings(encoding, text=text, feature=feature, align=align),
    }
    return build_raw_from_records(
        _yield_records(ratings, counts, log, align=align), log, reading, again=False
    )


def _yield_rows(name: str, lines: Iterator[str]) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the cells of each row by name, with its line number.

    Raises:
        InputError: if the header lacks columns of MQM, or a row has another length.
    """
    header = next(lines, "").rstrip("\r\n").split("\t")
    missing_columns = [column for column in _NEEDED if column not in header]
    segment = next((column for column in _SEGMENTS if column in header), None)
    if missing_columns or segment is None:
        raise InputError(
            f"{name}:1: columns {join_names(header)}; MQM needs {', '.join(_NEEDED)} and"
            f" {' or '.join(_SEGMENTS)}, with tabs between"
        )
    index_by_column = {column: header.index(column) for column in _NEEDED}
    index_by_column["segment"] = header.index(segment)
    for line_number, raw_line in enumerate(lines, 2):
        cells = raw_line.rstrip("\r\n").split("\t")
        if not raw_line.strip():
            continue
        if len(cells) != len(header):
            raise InputError(
                f"{name}:{line_number}: {pluralize(len(cells), 'cell')}; the header has"
                f" {len(header)},"
                " and each row needs as many, with tabs between"
            )
        row = {column: cells[index] for column, index in index_by_column.items()}
        if not row["rater"].strip():
            raise InputError(f"{name}:{line_number}: no rater; each row needs the name of one")
        yield line_number, row


@lru_cache(maxsize=64)  # the errors of a segment repeat one of its two texts
def _parse_cell(cell: str) -> tuple[str, Sequence[tuple[int, ...]], int]:
    """Split a cell into its text, the spans between pairs of tags, and the number of unpaired tags.

    If the text is quoted as in CSV, the quotes are removed.
    """
    text, spans, unpaired = split_markup(cell, _TAG, _convert_tag_to_token, nested=False)
    marks: list[tuple[int, ...]] = [(start, end) for start, end, _ in spans]
    inner = text[1:-1]
    if len(text) > 1 and text[0] == text[-1] == '"' and '"' not in inner.replace('""', ""):
        pairs = [match.start() + 1 for match in re.finditer('""', inner)]
        text = inner.replace('""', '"')
        marks = [
            tuple(
                min(max(position - 1 - bisect_left(pairs, position - 1), 0), len(text))
                for position in mark
            )
            for mark in marks
        ]
    return text, marks, len(unpaired)


_SIGNS = {"<v>": MarkupToken("open", "v"), "</v>": MarkupToken("close", "v")}


def _convert_tag_to_token(tag: str, _: int) -> MarkupToken:
    """Look up the token of a tag that opens or closes a span."""
    return _SIGNS[tag]


def _yield_records(
    ratings: Mapping[tuple[str, str], Sequence[_Rating]],
    counts: _RaterCounts,
    log: ReadLog,
    *,
    align: bool,
) -> Iterator[Record]:
    """Yield the documents, each with its most frequent text, and the marks in it.

    ``ratings`` are by document and side. If ``align`` is True, marks in other texts are aligned.

    Raises:
        InputError: if a text differs and is not to be aligned.
    """
    are_both_read = len({side_name for _, side_name in ratings}) > 1
    for (id_, side_name), rows in ratings.items():
        if side_name == "source" and are_both_read and not any(row.marks for row in rows):
            continue
        text = Counter(row.version for row in rows).most_common(1)[0][0]
        spans: dict[str, list[RawSpan]] = {row.rater: [] for row in rows}
        alignments: dict[str, Alignment] = {}
        for line, rater, version, marks, label in rows:
            location = f"{log.name}:{line}"
            is_same = version.rstrip() == text.rstrip()  # copies may end with a blank
            if not is_same and not align:
                check_same_text(version, text, location, _RULE)
            if not is_same:
                counts.changed[rater] += 1
                if version not in alignments:
                    alignments[version] = Alignment(version, text)
            for start, end in marks:
                bounds: tuple[int, int] | None = min(start, len(text)), min(end, len(text))
                if not is_same:
                    bounds = alignments[version].find_span(start, end)
                if bounds is None:
                    counts.lost[rater] += 1
                else:
                    spans[rater].append(RawSpan(*bounds, label, location=location))
        document = f"{id_}/source" if side_name == "source" else id_
        annotations = [RawAnnotation(rater, rater_spans) for rater, rater_spans in spans.items()]
        yield Record(log.name, document, {"text": text}, annotations)
    log.notes += _yield_notes(log.name, counts)
    log.reading |= counts.build_settings()


def _yield_notes(name: str, counts: _RaterCounts) -> Iterator[str]:
    """Yield the numbers of errors without a position in the text, and of aligned texts."""
    n_lost, n_read, n_changed = (
        sum(counter.values()) for counter in (counts.lost, counts.read, counts.changed)
    )
    if n_changed:
        yield f"{name}: {pluralize(n_changed, 'row')} with another text of the segment aligned"
    if n_lost:
        yield (
            f"{name}: {n_lost} of {pluralize(n_read, 'error')}"
            f" ({format_percent(n_lost / n_read, 1)}) not aligned"
            " and left out, as nothing of the text is between <v> and </v>"
        )
