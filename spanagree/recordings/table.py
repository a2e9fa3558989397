"""Formats of recordings, with their tests, readers and writers."""

from __future__ import annotations

from collections.abc import Mapping

from spanagree.formats.format import TABLES, Format
from spanagree.formats.tools import import_on_call

_TIERS = ("tier", "label_from", "annotator_from")
_TIMES = ("encoding", "resolution", "duration", "uem")

FORMATS: Mapping[str, Format] = {
    "textgrid": Format(
        "Praat's TextGrid, one annotator a file",
        (".textgrid",),
        import_on_call("spanagree.recordings.textgrid", "read_raw_textgrid"),
        (*_TIERS, *_TIMES),
        import_on_call("spanagree.recordings.write_times", "write_textgrid"),
        knows=import_on_call("spanagree.recordings.textgrid", "looks_like_textgrid"),
        shapes=("text", "binary", *TABLES),
        begin=r".*ooTextFile",
    ),
    "elan": Format(
        "ELAN's .eaf, one annotator a file",
        (".eaf",),
        import_on_call("spanagree.recordings.elan", "read_raw_elan"),
        (*_TIERS, *_TIMES[1:]),
        knows=import_on_call("spanagree.recordings.elan", "looks_like_elan"),
        shapes=("xml",),
    ),
    "rttm": Format(
        "RTTM, turns of speakers",
        (".rttm",),
        import_on_call("spanagree.recordings.timelines", "read_raw_rttm"),
        _TIMES,
        import_on_call("spanagree.recordings.write_times", "write_rttm"),
        knows=import_on_call("spanagree.recordings.timelines", "looks_like_rttm"),
        shapes=("text", *TABLES),
        begin=r";|[A-Z]+(-[A-Z]+)? +\S+ +\S+ +[\d<]",
    ),
    "labels": Format(
        "Audacity's labels and DCASE's events: start, end and label in a line",
        (),
        import_on_call("spanagree.recordings.timelines", "read_raw_labels"),
        (*_TIMES, "time_unit"),
        knows=import_on_call("spanagree.recordings.timelines", "looks_like_labels"),
        shapes=("text", *TABLES),
        begin=r"([^\t, ]+[\t, ]+){0,2}[-+]?\d[\d.e+-]*[\t, ]+[-+]?\d|\S+\.wav",
    ),
    "sections": Format(
        "sections that last until the next, as in SALAMI",
        (),
        import_on_call("spanagree.recordings.timelines", "read_raw_sections"),
        _TIMES,
        knows=import_on_call("spanagree.recordings.timelines", "looks_like_sections"),
        shapes=("text", *TABLES),
        begin=r"\d",
    ),
    "subtitles": Format(
        "WebVTT and SRT, a cue a segment",
        (".vtt", ".srt"),
        import_on_call("spanagree.recordings.timelines", "read_raw_subtitles"),
        (*_TIERS, *_TIMES),
        knows=import_on_call("spanagree.recordings.timelines", "looks_like_subtitles"),
        shapes=("text", *TABLES),
        begin=r"WEBVTT|\d+\s*$",
    ),
    "times": Format(
        "tables with times, as of BORIS, Datavyu, Raven and ChildProject",
        (".boris",),
        import_on_call("spanagree.recordings.time_tables", "read_raw_times"),
        (
            *(*_TIERS, *_TIMES, "time_unit"),
            *("start", "end", "label", "document", "annotator"),
        ),
        import_on_call("spanagree.recordings.write_times", "write_times"),
        knows=import_on_call("spanagree.recordings.time_tables", "looks_like_times"),
        shapes=("text", *TABLES),
        begin=r"(?!-DOCSTART)(?=.*[,;\t]).*"
        r"(?i:onset|start|begin|tmin|observation id|recording_filename|state|point)",
    ),
}
"""Formats by name. A reader is imported when a file may be of its format."""
