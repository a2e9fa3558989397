"""Formats of recordings, with their tests, readers and writers."""

from __future__ import annotations

from collections.abc import Mapping

from spanagree.formats.format import TABLES, Format
from spanagree.formats.tools import lazy

_TIERS = ("tier", "label_from", "annotator_from")
_TIMES = ("encoding", "resolution", "duration", "uem")

FORMATS: Mapping[str, Format] = {
    "textgrid": Format(
        "Praat's TextGrid, one annotator a file",
        (".textgrid",),
        lazy("spanagree.recordings.textgrid", "raw_textgrid"),
        (*_TIERS, *_TIMES),
        lazy("spanagree.recordings.write_times", "write_textgrid"),
        knows=lazy("spanagree.recordings.textgrid", "knows_textgrid"),
        shapes=("text", "binary", *TABLES),
        begin=r".*ooTextFile",
    ),
    "elan": Format(
        "ELAN's .eaf, one annotator a file",
        (".eaf",),
        lazy("spanagree.recordings.elan", "raw_elan"),
        (*_TIERS, *_TIMES[1:]),
        knows=lazy("spanagree.recordings.elan", "knows_elan"),
        shapes=("xml",),
    ),
    "rttm": Format(
        "RTTM, turns of speakers",
        (".rttm",),
        lazy("spanagree.recordings.timelines", "raw_rttm"),
        _TIMES,
        lazy("spanagree.recordings.write_times", "write_rttm"),
        knows=lazy("spanagree.recordings.timelines", "knows_rttm"),
        shapes=("text", *TABLES),
        begin=r";|[A-Z]+(-[A-Z]+)? +\S+ +\S+ +[\d<]",
    ),
    "labels": Format(
        "Audacity's labels and DCASE's events: start, end and label in a line",
        (),
        lazy("spanagree.recordings.timelines", "raw_labels"),
        (*_TIMES, "time_unit"),
        knows=lazy("spanagree.recordings.timelines", "knows_labels"),
        shapes=("text", *TABLES),
        begin=r"([^\t, ]+[\t, ]+){0,2}[-+]?\d[\d.e+-]*[\t, ]+[-+]?\d|\S+\.wav",
    ),
    "sections": Format(
        "sections that last until the next, as in SALAMI",
        (),
        lazy("spanagree.recordings.timelines", "raw_sections"),
        _TIMES,
        knows=lazy("spanagree.recordings.timelines", "knows_sections"),
        shapes=("text", *TABLES),
        begin=r"\d",
    ),
    "subtitles": Format(
        "WebVTT and SRT, a cue a segment",
        (".vtt", ".srt"),
        lazy("spanagree.recordings.timelines", "raw_subtitles"),
        (*_TIERS, *_TIMES),
        knows=lazy("spanagree.recordings.timelines", "knows_subtitles"),
        shapes=("text", *TABLES),
        begin=r"WEBVTT|\d+\s*$",
    ),
    "times": Format(
        "tables with times, as of BORIS, Datavyu, Raven and ChildProject",
        (".boris",),
        lazy("spanagree.recordings.time_tables", "raw_times"),
        (
            *(*_TIERS, *_TIMES, "time_unit"),
            *("start", "end", "label", "document", "annotator"),
        ),
        lazy("spanagree.recordings.write_times", "write_times"),
        knows=lazy("spanagree.recordings.time_tables", "knows_times"),
        shapes=("text", *TABLES),
        begin=r"(?!-DOCSTART)(?=.*[,;\t]).*"
        r"(?i:onset|start|begin|tmin|observation id|recording_filename|state|point)",
    ),
}
"""Formats by name. A reader is imported when a file may be of its format."""
