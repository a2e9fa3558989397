"""Writers of recordings as TextGrid, RTTM and tables with times, in seconds."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator

import numpy as np

from spanagree.corpus.corpus import Corpus
from spanagree.corpus.segments import Segment, find_overlapping, is_time
from spanagree.corpus.times import format_offset
from spanagree.errors import SettingError, escape_path, quote_value
from spanagree.files import PathName, write_text

_HEADER = ("document", "annotator", "onset_s", "offset_s", "label")


def _check_times(corpus: Corpus, path: PathName, noun: str) -> None:
    """Check that the offsets of a corpus are times."""
    if not is_time(corpus.offsets):
        raise SettingError(
            f"{escape_path(path)}: {noun} holds times, and offsets here are"
            f" {corpus.offsets}; write another format"
        )


def write_times(corpus: Corpus, path: PathName) -> None:
    """Write a row for each segment, and a row without times for a recording without segments.

    Raises:
        SettingError: if the corpus has texts.
        InputError: if the path cannot be written.
    """
    _check_times(corpus, path, "a table of times")
    buffer = io.StringIO()
    table = csv.writer(buffer, lineterminator="\n")
    table.writerow(_HEADER)
    for document in corpus:
        for name, segments in document.seen.items():
            for start, end, label in segments:
                times = (format_offset(time, corpus.offsets) for time in (start, end))
                table.writerow((document.id, name, *times, label))
            if not segments:
                table.writerow((document.id, name, "", "", ""))
    write_text(path, buffer.getvalue())


def write_rttm(corpus: Corpus, path: PathName) -> None:
    """Write the turns of one annotator, with speakers as labels.

    Raises:
        SettingError: if the corpus has texts or several annotators, or a name has blanks.
        InputError: if the path cannot be written.
    """
    _check_times(corpus, path, "RTTM")
    if len(corpus.layers) != 1:
        raise SettingError(
            f"RTTM holds one annotator; there are {len(corpus.layers)}: choose one with annotators"
        )
    lines = []
    for document in corpus:
        for segments in document.seen.values():
            for start, end, label in segments:
                for name in (document.id, label):
                    if re.search(r"\s", name):
                        raise SettingError(
                            f"{quote_value(name)} has a blank in it, which RTTM does not hold;"
                            " rename it with map-labels, or give the recording another id"
                        )
                start_text, duration = (
                    format_offset(time, corpus.offsets) for time in (start, end - start)
                )
                lines.append(
                    f"SPEAKER {document.id} 1 {start_text} {duration} <NA> <NA> {label} <NA> <NA>\n"
                )
    write_text(path, "".join(lines))


def write_textgrid(corpus: Corpus, path: PathName) -> None:
    """Write a TextGrid with a tier for each annotator, or each of their labels if these overlap.

    Raises:
        SettingError: if the corpus has texts or several recordings, or segments of one label
            overlap.
        InputError: if the path cannot be written.
    """
    _check_times(corpus, path, "TextGrid")
    if len(corpus) != 1:
        raise SettingError(f"a TextGrid holds one recording; there are {len(corpus)}")
    document, length = corpus[0], int(corpus.lengths[0])
    tiers: dict[str, list[Segment]] = {}
    for name, segments in document.seen.items():
        fits_one_tier = not _have_overlap(segments)
        if fits_one_tier:
            tiers[name] = list(segments)
        for segment in () if fits_one_tier else segments:
            tiers.setdefault(f"{name}: {segment.label}", []).append(segment)
    for name, tier in tiers.items():
        if _have_overlap(tier):
            raise SettingError(
                f"tier {quote_value(name)}: segments of one label overlap; merge-overlaps"
            )
    head = ['File type = "ooTextFile"', 'Object class = "TextGrid"', "", "0"]
    head += [format_offset(length, corpus.offsets), "<exists>", str(len(tiers))]
    body = (
        line
        for name, tier in tiers.items()
        for line in _yield_tier_lines(name, tier, length, corpus.offsets)
    )
    write_text(path, "\n".join([*head, *body, ""]))


def _have_overlap(segments: tuple[Segment, ...] | list[Segment]) -> bool:
    """Check whether any two segments overlap."""
    start, end = (np.array([segment[i] for segment in segments], np.int64) for i in (0, 1))
    return bool(len(find_overlapping(np.zeros(len(start), np.int64), start, end)[0]))


def _yield_tier_lines(
    name: str, segments: list[Segment], length: int, offsets: str
) -> Iterator[str]:
    """Yield the lines of a tier; its intervals tile the recording, and some have no text."""
    rows: list[tuple[int, int, str]] = []
    position = 0
    for start, end, label in segments:
        rows += [(position, start, "")] if start > position else []
        rows.append((start, end, label))
        position = end
    rows += [(position, length, "")] if position < length or not rows else []
    yield from (
        '"IntervalTier"',
        _quote_text(name),
        "0",
        format_offset(length, offsets),
        str(len(rows)),
    )
    for start, end, label in rows:
        yield from (format_offset(start, offsets), format_offset(end, offsets), _quote_text(label))


def _quote_text(text: str) -> str:
    """Put a text in quotation marks, and double those inside."""
    return '"' + text.replace('"', '""') + '"'
