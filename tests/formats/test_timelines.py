"""Recordings: times read exactly, and the files that hold them.

Oracles: ``facts.json`` beside the published files, which another program counted; files written
here in the shape that each format's documentation has.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses

import spanagree as sa
from spanagree.corpus.times import convert_to_seconds, format_offset, look_up_ticks, parse_ticks
from spanagree.errors import InputError, SettingError
from spanagree.formats.read_files import read_raw_files
from spanagree.formats.write import write_file


@pytest.fixture
def published(real: Path) -> Path:
    """The folder of published recordings."""
    return real / "data" / "timelines"


def written(folder: Path, name: str, text: str, encoding: str = "utf-8") -> Path:
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path


def rows(corpus: sa.Corpus, document: int = 0) -> list[tuple[float, float, str]]:
    (segments,) = corpus[document].segments.values()
    return [
        (*convert_to_seconds([s.start, s.end], corpus.offsets), s.label) for s in segments or ()
    ]


# --- times --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "exact"),
    [
        ("0.3", "0.3"), (0.1 + 0.2, "0.3"), ("-0", "0"), ("1e-3", "0.001"), (7, "7"),
        ("1:02:03.5", "3723.5"), ("02:03,25", "123.25"), ("1,5", "1.5"), (".5", "0.5"),
    ],
)  # fmt: skip
def test_times_are_read_exactly(value: object, exact: str) -> None:
    """Oracle: fractions."""
    assert parse_ticks(value, "here") == Fraction(exact) * 20_000_000


@pytest.mark.parametrize(
    "value", ["nan", "inf", "", "1:2:3:4", "0:61:00", "1.2.3", None, True, "1 000", "9" * 30, "a"]
)
def test_what_is_no_time_is_refused(value: object) -> None:
    with pytest.raises(InputError, match="here: time"):
        parse_ticks(value, "here")


@given(st.decimals(0, 10**5, places=9))
def test_rounding_once_is_rounding_half_to_even(value: object) -> None:
    """Oracle: ``round`` of a fraction, which rounds half to even."""
    from spanagree.corpus.resolution import _round_half_even

    for unit in ("1s", "100ms", "10ms", "1ms", "1us"):
        per = look_up_ticks(unit)
        got = int(_round_half_even(np.array([parse_ticks(str(value), "")]), per)[0])
        assert got == round(Fraction(str(value)) * 20_000_000 / per)


@pytest.mark.parametrize(
    ("cells", "unit"),
    [
        (("1", "2"), "1s"), (("1.5", "2"), "100ms"), (("1.5", "2.25"), "10ms"),
        (("1.5", "2.125"), "1ms"), (("1.5", "2.1255"), "1ms"),
    ],
)  # fmt: skip
def test_the_coarsest_unit_that_holds_every_time(
    tmp_path: Path, cells: tuple[str, str], unit: str
) -> None:
    path = written(tmp_path, "a.csv", "onset,offset,label\n{},{},x\n".format(*cells))
    corpus = sa.read(path, time_unit="s")
    assert corpus.offsets == unit
    assert any("rounded" in note for note in corpus.notes) == (cells[1] == "2.1255")
    result = sa.agree(sa.read({"a": path, "b": path}, time_unit="s"))
    assert f"offsets:{unit}" in result.signature


def test_what_became_empty_is_counted(tmp_path: Path) -> None:
    path = written(tmp_path, "a.csv", "onset,offset,label\n0.0001,0.0002,x\n1,2.5,y\n")
    corpus = sa.read(path)
    assert rows(corpus) == [(1.0, 2.5, "y")]
    assert any("2 times rounded to 1ms; 1 segment became empty" in x for x in corpus.notes)
    assert rows(sa.read(path, resolution="100us"))[0] == (0.0001, 0.0002, "x")


@pytest.mark.parametrize("resolution", ["0ms", "1", "10 ms", "100ns", "ms"])
def test_an_odd_resolution_is_refused(tmp_path: Path, resolution: str) -> None:
    path = written(tmp_path, "a.csv", "onset,offset,label\n0.5,1,x\n")
    with pytest.raises(SettingError, match="resolution"):
        sa.read(path, resolution=resolution)


@pytest.mark.parametrize(
    ("row", "problem"),
    [
        ("-0.5,1", r"a\.csv:3: -0\.5–1 s, before the recording"),
        ("2.5,1", r"a\.csv:3: 2\.5–1 s, reversed"), ("nan,1", "time 'nan'"), ("0.5,x", "time 'x'"),
    ],
)  # fmt: skip
def test_bad_times_are_refused_in_seconds(tmp_path: Path, row: str, problem: str) -> None:
    """The message names the line and gives seconds."""
    path = written(tmp_path, "a.csv", f"onset,offset,label\n0,1,x\n{row},x\n")
    with pytest.raises(InputError, match=problem):
        sa.read(path)


def test_a_segment_beyond_the_recording_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "a.csv", "onset,offset,label\n0.5,3.5,x\n")
    with refuses(InputError, "… 0.5–3.5 'x' ends beyond … length 3"):
        sa.read(path, duration="3")
    assert sa.read(path, duration="4.5").lengths.tolist() == [45]
    (note,) = [note for note in sa.read(path).notes if "last end" in note]
    assert note.endswith("--duration SECONDS (duration=) or --uem FILE (uem=) would say another")


def test_shown() -> None:
    assert [format_offset(x, "10ms") for x in (0, 30, 12345)] == ["0", "0.3", "123.45"]


# --- TextGrid -----------------------------------------------------------------------------------

SHORT = """File type = "ooTextFile"
Object class = "TextGrid"

0
2.5
<exists>
2
"IntervalTier"
"words"
0
2.5
3
0
0.5
""
0.5
1.25
"a ""quoted"" [3]"
1.25
2.5
"b"
"TextTier"
"clicks"
0
2.5
1
0.75
"c"
"""


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_short_textgrids(tmp_path: Path, encoding: str) -> None:
    path = written(tmp_path, "a.TextGrid", SHORT, encoding)
    corpus = sa.read(path)
    assert rows(corpus) == [(0.5, 1.25, 'a "quoted" [3]'), (1.25, 2.5, "b")]
    assert convert_to_seconds(int(corpus.lengths[0]), corpus.offsets) == 2.5
    assert any("1 point passed over, which tier clicks would read" in x for x in corpus.notes)


def test_points_are_refused_or_widened(tmp_path: Path) -> None:
    path = written(tmp_path, "a.TextGrid", SHORT)
    with pytest.raises(InputError, match="widen-points"):
        sa.read(path, tier=["clicks"])
    wide = sa.read(path, tier=["clicks"], repair="widen-points")
    assert rows(wide) == [(0.75, 0.76, "c")]
    only = SHORT.replace("IntervalTier", "TextTier").replace("\n2.5\n3\n", "\n2.5\n0\n", 1)
    head, _, tail = only.partition('"a ')
    points = head.rpartition("0\n0.5")[0] + '"TextTier"' + tail.partition('"TextTier"')[2]
    with pytest.raises(SettingError, match="points only"):
        sa.read(written(tmp_path, "b.TextGrid", points))


def test_binary_textgrids_are_refused_by_name(tmp_path: Path) -> None:
    path = tmp_path / "a.TextGrid"
    path.write_bytes(b"ooBinaryFile\x08TextGrid\0\0\0")
    with pytest.raises(InputError, match="binary TextGrid; in Praat"):
        sa.read(path)


def test_tiers_of_one_name(tmp_path: Path) -> None:
    """The second and the third get numbers."""
    tier = '"IntervalTier"\n"ann"\n0\n2.5\n1\n0\n2.5\n"b"\n'
    text = SHORT.replace("<exists>\n2\n", "<exists>\n3\n").partition('"Interval')[0] + 3 * tier
    corpus = sa.read(written(tmp_path, "a.TextGrid", text), annotator_from="tier")
    assert corpus.annotators == ("ann", "ann (2)", "ann (3)")


def test_tiers_as_annotators_and_labels(tmp_path: Path) -> None:
    text = SHORT.replace('"TextTier"\n"clicks"\n0\n2.5\n1\n0.75\n"c"', (
        '"IntervalTier"\n"bob"\n0\n2.5\n1\n0\n2.5\n"b"'
    ))  # fmt: skip
    path = written(tmp_path, "a.TextGrid", text)
    by_tier = sa.read(path, annotator_from="tier")
    assert by_tier.annotators == ("words", "bob")
    assert {label for *_, label in rows(sa.read(path))} == {
        'words: a "quoted" [3]', "words: b", "bob: b"
    }  # fmt: skip
    assert sa.read(path, label_from="tier").labels == ("bob", "words")
    with pytest.raises(SettingError, match="there are words, bob"):
        sa.read(path, tier="ann")


def test_published_textgrids(published: Path) -> None:
    facts = json.loads((published / "textgrid" / "facts.json").read_text())
    for name, about in facts.items():
        tiers = [each for each in about["tiers"] if each["class"] == "IntervalTier"]
        raw = read_raw_files({"a": str(published / "textgrid" / name)}, {"annotator_from": "tier"})
        counts = np.bincount(raw.annotator_index[raw.annotation], minlength=len(tiers))
        assert counts.tolist() == [each["items_with_text"] for each in tiers], name


# --- ELAN ---------------------------------------------------------------------------------------

EAF = """<?xml version="1.0" encoding="UTF-8"?>
<ANNOTATION_DOCUMENT><HEADER TIME_UNITS="milliseconds"/><TIME_ORDER>
<TIME_SLOT TIME_SLOT_ID="t1" TIME_VALUE="100"/><TIME_SLOT TIME_SLOT_ID="t2"/>
<TIME_SLOT TIME_SLOT_ID="t3" TIME_VALUE="300"/></TIME_ORDER>
<TIER TIER_ID="say" PARTICIPANT="Jo" ANNOTATOR="ann">
<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a1" TIME_SLOT_REF1="t1" TIME_SLOT_REF2="t2">
<ANNOTATION_VALUE>yes</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>
<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a2" TIME_SLOT_REF1="t2" TIME_SLOT_REF2="t3">
<ANNOTATION_VALUE>no</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION></TIER>
<TIER TIER_ID="kind" PARENT_REF="say" PARTICIPANT="Jo" ANNOTATOR="bob"><ANNOTATION>
<REF_ANNOTATION ANNOTATION_ID="a3" ANNOTATION_REF="a2" CVE_REF="c1"><ANNOTATION_VALUE/>
</REF_ANNOTATION></ANNOTATION></TIER>
<CONTROLLED_VOCABULARY CV_ID="v"><CV_ENTRY_ML CVE_ID="c1"><CVE_VALUE>denial</CVE_VALUE>
</CV_ENTRY_ML></CONTROLLED_VOCABULARY></ANNOTATION_DOCUMENT>"""


def test_elan(tmp_path: Path) -> None:
    path = written(tmp_path, "a.eaf", EAF)
    assert rows(sa.read(path, tier="say")) == [(0.1, 0.2, "yes"), (0.2, 0.3, "no")]
    assert rows(sa.read(path, tier="kind")) == [(0.2, 0.3, "denial")]
    assert sa.read(path, annotator_from="annotator").annotators == ("ann", "bob")
    refers = '<REF_ANNOTATION ANNOTATION_ID="a4" ANNOTATION_REF="a3"><ANNOTATION_VALUE>so</ANNOTATION_VALUE>'
    tier = f'<TIER TIER_ID="why"><ANNOTATION>{refers}</REF_ANNOTATION></ANNOTATION></TIER>'
    chain = EAF.replace(
        '<TIER TIER_ID="kind"', f'{tier}<TIER TIER_ID="kind"'
    )  # before what it refers to
    assert rows(sa.read(written(tmp_path, "b.eaf", chain), tier="why")) == [(0.2, 0.3, "so")]
    assert sa.read(path, annotator_from="participant").annotators == ("Jo",)
    assert sa.read(path, annotator_from="tier").annotators == ("say", "kind")
    odd = EAF.replace('TIME_SLOT_ID="t1" TIME_VALUE="100"', 'TIME_SLOT_ID="t1"')
    with pytest.raises(InputError, match="slot 't1' has no time"):
        sa.read(written(tmp_path, "b.eaf", odd))


def test_published_elan(published: Path) -> None:
    facts = json.loads((published / "elan" / "facts.json").read_text())
    raw = read_raw_files(
        {"a": str(published / "elan" / "example_solis.eaf")},
        {"annotator_from": "tier", "label_from": "tier", "resolution": "1ms"},
    )
    for number, tier in enumerate(facts["tiers"]):
        rows = np.flatnonzero(raw.annotator_index[raw.annotation] == number)
        assert raw.annotators[number] == tier["id"]
        assert len(rows) == tier["alignable"] + tier["ref"]
        if tier["alignable"]:
            assert int((raw.end[rows] - raw.start[rows]).sum()) == tier["ms"]


# --- lines --------------------------------------------------------------------------------------


def test_published_rttm(published: Path) -> None:
    facts = json.loads((published / "rttm_ami" / "facts.json").read_text())
    for layer, about in facts["layers"].items():
        raw = read_raw_files(
            {"a": str(published / "rttm_ami" / f"{layer}.rttm")}, {"resolution": "1ms"}
        )
        for d, (name, counts) in enumerate(sorted(about["recordings"].items())):
            d = (raw.ids or ()).index(name)
            rows = np.flatnonzero(raw.document == d)
            assert len(rows) + 0 == counts["segments"]
            assert len(np.unique(raw.label[rows])) == counts["speakers"]
            seconds = int((raw.end[rows] - raw.start[rows]).sum()) / 1000
            assert seconds == pytest.approx(counts["speech_seconds_sum"], abs=1e-6)
            assert raw.start[rows].min() / 1000 == pytest.approx(counts["first"])
            assert raw.end[rows].max() / 1000 == pytest.approx(counts["last"])


def test_uem_cuts_recordings(published: Path) -> None:
    folder = published / "rttm_small"
    corpus = sa.read(folder / "ref.rttm", uem=folder / "test_load.uem")
    assert [convert_to_seconds(int(x), corpus.offsets) for x in corpus.lengths] == [15.0, 5.4]
    assert corpus.ids == ("FILE1:0-15", "FILE1:25-30.4")
    assert all(segment.end <= 5400 for segment in corpus[1].segments["ref.rttm"] or ())


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("SPEAKER f 1 0.5", "4 cells"), ("SPEAKER f 1 0.5 -1 <NA> <NA> A <NA> <NA>", "duration"),
        ("SPEAKER f 1 x 1 <NA> <NA> A <NA> <NA>", "time 'x'"),
    ],
)  # fmt: skip
def test_odd_rttm(tmp_path: Path, line: str, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        sa.read(written(tmp_path, "a.rttm", f"{line}\n"))


def test_published_labels(published: Path) -> None:
    facts = json.loads((published / "sound_events" / "facts.json").read_text())
    for name, about in facts.items():
        if not about["labels"] or "file_list" in name:
            continue
        raw = read_raw_files({"a": str(published / "sound_events" / name)}, {}, "labels")
        found = {label: int((raw.label == i).sum()) for i, label in enumerate(raw.labels)}
        about["labels"].pop("", None)  # a recording without events
        assert found == about["labels"], name
    birds = json.loads((published / "birdsong" / "facts.json").read_text())
    for kind, form in (("audacity", "labels"), ("csv", "times"), ("raven", "times")):
        for name, about in birds[kind].items():
            raw = read_raw_files(
                {"a": str(published / "birdsong" / kind / name)}, {"resolution": "1us"}
            )
            assert raw.reading["format"] == form
            assert len(raw.start) == about["lines"] - (kind != "audacity"), name


def test_published_sections(published: Path) -> None:
    facts = json.loads((published / "salami" / "facts.json").read_text())
    for song, layers in facts["by_song"].items():
        for layer, about in layers.items():
            number, level = layer.split("_")
            path = published / "salami" / song / "parsed" / f"textfile{number}_{level}.txt"
            raw = read_raw_files({"a": str(path)}, {"resolution": "1us"})
            last = convert_to_seconds(int(raw.lengths[0]), raw.offsets)
            assert last == pytest.approx(about["last"], abs=1e-6)
            times = [line.split("\t")[0] for line in path.read_text().splitlines() if line.strip()]
            assert len(raw.start) == len(times) - times.count(times[-1])
            assert (np.unique(raw.start)[1:] == np.unique(raw.end)[:-1]).all()  # they touch


def test_sections_that_begin_together(tmp_path: Path) -> None:
    """Both last until the next time; of four segments each, three are the same."""
    text = "0.0\tVerse\n10.0\t{}\n10.0\tSolo\n20.0\tOutro\n30.0\tEnd\n"
    paths = {name: str(written(tmp_path, f"{name}.txt", text.format(name))) for name in ("a", "b")}
    corpus = sa.read(paths)
    assert rows(sa.read(paths["a"])) == [
        (0.0, 10.0, "Verse"), (10.0, 20.0, "Solo"), (10.0, 20.0, "a"), (20.0, 30.0, "Outro"),
    ]  # fmt: skip
    assert sa.evaluate(corpus, gold="a", chance="per-label")["b"].f1.observed == 0.75


def test_what_begins_at_the_end_is_counted(tmp_path: Path) -> None:
    """Nothing says when a section ends that begins with the last line, whichever comes first."""
    for last in ("20.0\tOutro\n20.0\tEnd\n", "20.0\tEnd\n20.0\tOutro\n"):
        corpus = sa.read(written(tmp_path, "a.txt", f"0.0\tVerse\n{last}"))
        assert rows(corpus) == [(0.0, 20.0, "Verse")]
        assert any("last line (Outro), as nothing says" in note for note in corpus.notes)


def test_subtitles(tmp_path: Path) -> None:
    vtt = "WEBVTT\n\n1\n00:01.000 --> 00:02.500\n<v Jo>Hi <b>there</b>\nyou\n\n"
    corpus = sa.read(written(tmp_path, "a.vtt", vtt))
    assert rows(corpus) == [(1.0, 2.5, "Hi there you")]
    srt = "1\r\n00:00:01,000 --> 00:00:02,500\r\nHi\r\n\r\n2\r\n01:00:00,000 --> 01:00:01,000\r\nyo\r\n"
    assert rows(sa.read(written(tmp_path, "a.srt", srt)))[1] == (3600.0, 3601.0, "yo")
    assert sa.read(tmp_path / "a.vtt", label_from="tier").labels == ("Jo",)


# --- tables -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "onset,offset,label\n0.5,2,x\n",
        "onset;duration;label\n0,5;1,5;x\n",
        "start_time,end_time,event\n0.5,2.0,x\n",
        "Begin Time (s)\tEnd Time (s)\tSpecies\n0.5\t2\tx\n",
        "Begin Time - hh:mm:ss.ms\tEnd Time - hh:mm:ss.ms\tlabel\n00:00:00.500\t00:00:02.000\tx\n",
        "start_ms,end_ms,label\n500,2000,x\n",
        "filename\tonset\toffset\tevent_label\n1\t0.5\t2.0\tx\n",
        "a.onset,a.offset,a.ordinal,a.code\n500,2000,1,x\n",
        "segment_onset,segment_offset,speaker_type\n500,2000,x\n",
    ],
)
def test_tables_of_times(tmp_path: Path, text: str) -> None:
    corpus = sa.read(written(tmp_path, "a.tsv" if "\t" in text else "a.csv", text))
    assert rows(corpus) == [(0.5, 2.0, "x")]


def test_whole_numbers_need_a_unit(tmp_path: Path) -> None:
    path = written(tmp_path, "a.csv", "onset,offset,label\n25,50,x\n")
    with pytest.raises(InputError, match="time-unit: s, ms, or frames"):
        sa.read(path)
    assert rows(sa.read(path, time_unit="25fps")) == [(1.0, 2.0, "x")]
    assert rows(sa.read(path, time_unit="ms")) == [(0.025, 0.05, "x")]


@pytest.mark.parametrize("names", ["onset,offset", "start,end", "start_time,end_time"])
def test_whole_decimals_are_seconds(tmp_path: Path, names: str) -> None:
    """1.0 is a time; beside a text it is an offset, as data frames write one."""
    path = written(tmp_path, "a.csv", f"{names},label\n1.0,2.0,x\n3.0,4.0,y\n")
    assert rows(sa.read(path)) == [(1.0, 2.0, "x"), (3.0, 4.0, "y")]
    path = written(tmp_path, "b.csv", "id,start,end,label,text\n1,1.0,2.0,x,word\n")
    assert sa.read(path).offsets == "characters"


FOLDER = Path(__file__).parents[2] / "corpora" / "recording"
RECORDING = [str(FOLDER / f"{name}.TextGrid") for name in ("ann", "bob")]


@pytest.mark.parametrize("command", ["check", "gold --by adjudicate"])
def test_programs_read_seconds_whatever_the_unit(
    command: str, run: Callable[..., tuple[int, str, str]]
) -> None:
    """Oracle: the same recording in other units, of which the file has times in 50 ms."""

    def said(unit: str) -> object:
        asked = [*command.split(), *RECORDING, "--resolution", unit, "--format", "json"]
        found = json.loads(run(*asked)[1])
        lengths = found["summary"].get("segment_length"), found["summary"].get("document_length")
        return lengths, [[x["start"], x["end"]] for x in found["tables"].get("adjudicate", ())]

    assert said("10ms") == said("1ms")
    assert said("1ms") != ((None, None), [])


@pytest.mark.long
@pytest.mark.parametrize("by", ["label", "document", "pair"])
def test_sizes_of_shared_time_are_seconds(
    by: str, run: Callable[..., tuple[int, str, str]]
) -> None:
    """Oracle: the lengths added up by hand: ann marked 38.5 s, bob 33.4, both 71.9."""
    text = run("agree", *RECORDING, "--match", "token", "--by", by, "--all")[1]
    assert ("38.500    33.400" if by == "pair" else "71.900") in text
    assert "in seconds" in text
    asked = ["agree", *RECORDING, "--match", "token", "--by", by]
    row = json.loads(run(*asked, "--format", "json")[1])["tables"]["team"][0]
    assert [row[name] for name in ("matched", "size_a", "size_b")] == [29.8, 38.5, 33.4]
    header, *lines = run(*asked, "--format", "csv")[1].splitlines()
    columns = [header.split(",").index(name) for name in ("size_a", "size_b")]
    sums = [sum(float(line.split(",")[at]) for line in lines) for at in columns]
    assert sums == pytest.approx([38.5, 33.4], abs=1e-12)


def test_published_boris(published: Path) -> None:
    folder = published / "boris"
    events = sa.read(folder / "test_export_events_tabular.tsv")
    assert rows(events)[0] == (3.3, 7.75, "subject1: s")
    assert convert_to_seconds(int(events.lengths[0]), events.offsets) == 359.96
    facts = json.loads((folder / "facts.json").read_text())["test.boris"]
    raw = read_raw_files({"a": str(folder / "test.boris")}, {})
    for d, (name, about) in enumerate(facts["observations"].items()):
        assert raw.id_of(d) == name
        rows_of = np.flatnonzero(raw.document == d)
        points = sum(
            number for code, number in about["behaviours"].items()
            if facts["behaviours"][code] == "Point event"
        )  # fmt: skip
        assert int((raw.start[rows_of] == raw.end[rows_of]).sum()) == points
        assert len(rows_of) - points == (about["events"] - points) // 2
    for name in ("test_export_aggregated_events_test_full_1.tsv",
                 "test_export_aggregated_events_test_full_3.tsv"):  # fmt: skip
        corpus = sa.read(folder / name, repair="drop-empty")
        assert (1.8, 8.125, "s") in rows(corpus)


def test_labels_with_decimal_commas(tmp_path: Path) -> None:
    """As Audacity writes them where a comma is the decimal sign. Oracle: as it was made."""
    path = written(tmp_path, "a.txt", "0,0\t1,5\tA, B\n2,25\t3\tC\n")
    corpus = sa.read(path, duration=10)
    assert rows(corpus) == [(0, 1.5, "A, B"), (2.25, 3, "C")]


def test_a_recording_named_late_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("0.5\t1.0\tsong\nx.wav\n")
    with refuses(InputError, "…a.txt:2: 'x.wav'; start, end and label are needed, with tabs"):
        read_raw_files({"a": str(path)}, {}, "labels")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "Behavior\tBehavior type\tStart (s)\tStop (s)\na\tSTATE\t1.0\n",
            "a:2: 3 cells; each row needs those of Behavior, Start (s), Stop (s)",
        ),
        (
            "Time\tSubject\tBehavior\tStatus\n1.5\tx\n",
            "a:2: 2 cells; each row needs those of Behavior, Time",
        ),
        ('{"behaviors_conf": {}, "observations": {"o": 7}}', "a: not a project of BORIS (…)"),
    ],
)
def test_odd_boris(tmp_path: Path, text: str, problem: str) -> None:
    path = tmp_path / "a"
    path.write_text(text)
    with refuses(InputError, f"…{problem}"):
        read_raw_files({"a": str(path)}, {}, "times")


def test_published_childproject(published: Path) -> None:
    folder = published / "childproject"
    corpus = sa.read(folder / "annotations.csv")
    assert corpus.ids == ("sound2.wav:0-4", "sound.wav:0-4")
    assert corpus.annotators == ("vtc_present",)
    facts = json.loads((folder / "facts.json").read_text())
    rttm = sa.read(folder / "example.rttm")
    counts = {
        id_: len(rttm[d].segments["example.rttm"] or ()) for d, id_ in enumerate(rttm.ids or ())
    }
    assert counts == facts["example.rttm"]


def test_childproject_says_who_saw_what(tmp_path: Path) -> None:
    """Oracle: the ranges, cut where another begins or ends."""
    head = "set,recording_filename,range_onset,range_offset,annotation_filename\n"
    table = f"{head}ann,a.wav,0,4000,x.csv\nbob,a.wav,2000,6000,y.csv\n"
    for name, row in (("x", "2500,3000,CHI"), ("y", "4500,5000,FEM")):
        text = f"segment_onset,segment_offset,speaker_type\n{row}\n"
        written(tmp_path, f"{name}.csv", text)
    corpus = sa.read(written(tmp_path, "annotations.csv", table))
    seen = {name: layer.annotated.tolist() for name, layer in corpus.layers.items()}
    order = dict(zip(corpus.ids or (), range(3), strict=True))
    assert set(order) == {"a.wav:0-2", "a.wav:2-4", "a.wav:4-6"}
    assert [seen["ann"][order[f"a.wav:{x}"]] for x in ("0-2", "2-4", "4-6")] == [True, True, False]
    assert [seen["bob"][order[f"a.wav:{x}"]] for x in ("0-2", "2-4", "4-6")] == [False, True, True]
    (segment,) = corpus[order["a.wav:2-4"]].segments["ann"] or ()
    assert convert_to_seconds([segment.start, segment.end], corpus.offsets) == [0.5, 1.0]


def test_files_of_two_annotators_have_one_length(tmp_path: Path) -> None:
    a = written(tmp_path, "a.csv", "onset,offset,label\n0.5,2.25,x\n")
    b = written(tmp_path, "b.csv", "onset,offset,label\n0.5,3.0,x\n")
    corpus = sa.read({"a": a, "b": b})
    assert (corpus.offsets, corpus.lengths.tolist()) == ("10ms", [300])
    long = written(tmp_path, "c.TextGrid", SHORT.replace("2.5", "3.5"))
    both = sa.read({"short": written(tmp_path, "d.TextGrid", SHORT), "long": long})
    assert both.lengths.tolist() == [350]
    assert "short: 1 recording longer in another file, whose length counts" in both.notes


# --- comparing ----------------------------------------------------------------------------------


@pytest.mark.long
def test_tolerance_is_in_seconds(tmp_path: Path) -> None:
    """Oracle: the same segments by hand, five units apart."""
    a = written(tmp_path, "a.csv", "onset,offset,label\n0.50,2.25,x\n3,4,x\n")
    b = written(tmp_path, "b.csv", "onset,offset,label\n0.55,2.20,x\n3.06,4,x\n")
    corpus = sa.read({"a": a, "b": b}, resolution="10ms")
    matched = {t: sa.agree(corpus, tolerance=t).team.f1.observed for t in (0, 0.05, 0.06, 1)}
    assert matched == {0: 0.0, 0.05: 0.5, 0.06: 1.0, 1: 1.0}
    assert "match:exact-within-5" in sa.agree(corpus, tolerance=0.05).signature
    for tolerance in (0.055, 11, -0.01):
        with pytest.raises(SettingError, match=r"a multiple of 10ms, of up to 9\.99 s"):
            sa.agree(corpus, tolerance=tolerance)
    with pytest.raises(SettingError, match="whole number"):
        sa.agree(sa.Corpus.from_segments([5], {"a": [[]], "b": [[]]}), tolerance=0.5)


def test_shared_time(tmp_path: Path) -> None:
    """Oracle: 1.5 s shared of 2 s and 2 s."""
    a = written(tmp_path, "a.csv", "onset,offset,label\n1.0,3.0,x\n")
    b = written(tmp_path, "b.csv", "onset,offset,label\n1.5,3.5,x\n")
    corpus = sa.read({"a": a, "b": b})
    assert sa.agree(corpus, match="token").team.f1.observed == 0.75
    assert sa.agree(corpus, match="iou").team.f1.observed == pytest.approx(1.5 / 2.5)
    rows_of = sa.disagreements(corpus, "a", "b").to_dict()["tables"]["disagreements"]
    assert (rows_of[0]["a_start"], rows_of[0]["b_end"]) == (1.0, 3.5)


def test_two_speakers_at_once_are_two_labels(tmp_path: Path) -> None:
    line = "SPEAKER f 1 {} {} <NA> <NA> {} <NA> <NA>\n"
    text = line.format("0.5", "2.0", "A") + line.format("1.0", "2.0", "B")
    path = written(tmp_path, "a.rttm", text + line.format("2.5", "1.0", "A"))
    corpus = sa.read({"a": path, "b": path})
    with pytest.raises(SettingError, match="per-label"):
        sa.agree(corpus, match="token", chance="nonoverlapping")
    agreement = sa.agree(corpus, match="token")
    assert (agreement.settings.chance, agreement.team.f1.observed) == ("per-label", 1)


# --- writing ------------------------------------------------------------------------------------


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    a = written(tmp_path, "a.csv", 'onset,offset,label\n0.5,2,"x ""y"""\n2,3.25,z\n')
    b = written(tmp_path, "b.csv", "onset_s,offset_s,label\n1,2,z\n")
    corpus = sa.read({"a": a, "b": b})
    for name, how in (("o.TextGrid", {"annotator_from": "tier"}), ("o.csv", {})):
        write_file(corpus, tmp_path / name, "times" if name == "o.csv" else None)
        again = sa.read(tmp_path / name, **how)
        assert again.annotators == ("a", "b")
        assert [again[0].segments[x] for x in "ab"] == [corpus[0].segments[x] for x in "ab"]
    write_file(corpus.select_annotators(["b"]), tmp_path / "o.rttm")
    assert rows(sa.read(tmp_path / "o.rttm", time_unit=None)) == [(1.0, 2.0, "z")]
    with pytest.raises(SettingError, match="one annotator"):
        write_file(corpus, tmp_path / "o.rttm")
    with pytest.raises(SettingError, match="has a blank in it"):
        write_file(corpus.select_annotators(["a"]), tmp_path / "o.rttm")
    text = sa.Corpus.from_segments([5], {"a": [[]]})
    with pytest.raises(SettingError, match="holds times, and offsets here are tokens"):
        write_file(text, tmp_path / "p.TextGrid")


def test_overlaps_are_tiers_of_labels(tmp_path: Path) -> None:
    text = "onset,offset,label\n0.5,2,x\n1,3,y\n"
    corpus = sa.read({"a": written(tmp_path, "a.csv", text)})
    write_file(corpus, tmp_path / "o.TextGrid")
    again = sa.read(tmp_path / "o.TextGrid", label_from="text")
    assert rows(again) == [(0.5, 2.0, "x"), (1.0, 3.0, "y")]


def test_nothing_marked_is_written(tmp_path: Path) -> None:
    text = "document,annotator,onset_s,offset_s,label\nr,ann,,,\nr,bob,1,2,x\n"
    corpus = sa.read(written(tmp_path, "a.csv", text))
    write_file(corpus, tmp_path / "o.csv", "times")
    assert (tmp_path / "o.csv").read_text() == text


# --- names of speakers --------------------------------------------------------------------------


@pytest.mark.long
@given(st.permutations(range(4)), st.integers(0, 99))
def test_best_names_undo_a_permutation(order: list[int], seed: int) -> None:
    """Oracle: the same annotation under other names agrees wholly."""
    rng = np.random.default_rng(seed)
    at = np.cumsum(rng.integers(1, 9, 16))
    rows_of = [(int(x), int(y), f"s{i % 4}") for i, (x, y) in enumerate(pairwise(at))]
    other = [(x, y, f"p{order[int(label[1])]}") for x, y, label in rows_of]
    corpus = sa.Corpus.from_segments([200], {"a": [rows_of], "b": [other]}, offsets="100ms")
    best = corpus.with_labels(map_labels="best")
    assert sa.agree(best, match="token").team.f1.observed == 1
    assert "chance does not choose" in best.notes[-1]
    assert "map_labels:*=best" in sa.agree(best).signature


def test_a_speaker_too_many_keeps_a_name_of_its_own() -> None:
    """Oracle: by hand; of two that overlap one speaker the longer is that one."""
    a, b = [(0, 10, "A")], [(0, 7, "x"), (7, 10, "y")]
    corpus = sa.Corpus.from_segments([20], {"a": [a], "b": [b]}, offsets="1s")
    best = corpus.with_labels(map_labels="best")
    assert [segment.label for segment in best[0].segments["b"] or ()] == ["A", "y (b)"]
    with pytest.raises(SettingError, match="two annotators"):
        corpus.select_annotators(["a"]).with_labels(map_labels="best")


def test_an_end_without_a_start_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path, "a.csv", "onset,offset,label\n,2.5,x\n")
    with pytest.raises(InputError, match=r"a\.csv:2: time ''"):
        sa.read(path)


def test_seconds_in_json(tmp_path: Path) -> None:
    """.1 + .2 is .3, whatever the float is."""
    objects = [
        {"start": 0.1, "end": 0.1 + 0.2, "label": "x"}, {"start": 0.3, "end": 1, "label": "y"}
    ]  # fmt: skip
    path = written(tmp_path, "a.json", json.dumps(objects))
    corpus = sa.read(path, format="times")
    assert corpus.offsets == "100ms"
    assert rows(corpus) == [(0.1, 0.3, "x"), (0.3, 1.0, "y")]
    lines = "".join(f"{json.dumps(each)}\n" for each in objects)
    assert rows(sa.read(written(tmp_path, "a.jsonl", lines), format="times")) == rows(corpus)
    bad = written(tmp_path, "b.json", '[{"start": NaN, "end": 1.5, "label": "x"}]')
    with pytest.raises(InputError, match=r"nan|NaN"):
        sa.read(bad, format="times")


@pytest.mark.parametrize("name", ["01_two_annotators_simple", "05_larger_two_annotators"])
def test_observed_disorder_is_that_of_pygamma(published: Path, tmp_path: Path, name: str) -> None:
    """Oracle: pygamma-agreement 0.5.9, frozen by DKPro Statistics."""
    data = json.loads((published.parent / "gamma" / f"fixture_{name}.json").read_text())
    head = "document,annotator,onset_s,offset_s,label\n"
    lines = [
        f"r,{x['annotator']},{x['start']},{x['end']},{x['category']}" for x in data["continuum"]
    ]
    for resolution in ("1s", "1ms"):
        corpus = sa.read(written(tmp_path, "a.csv", head + "\n".join(lines)), resolution=resolution)
        gamma = sa.gamma(corpus, time_limit=None).gamma
        disorder = data["tier1"]["bestAlignmentDisorder"]
        assert gamma.observed == pytest.approx(disorder, abs=1e-6)  # theirs are single floats


def test_jsonl_keeps_the_unit(tmp_path: Path) -> None:
    corpus = sa.Corpus.from_segments([250], {"a": [[(1, 30, "X")]]}, offsets="10ms")
    write_file(corpus, tmp_path / "a.jsonl")
    assert sa.read(tmp_path / "a.jsonl") == corpus
    assert repr(corpus).startswith("<Corpus of 1 document, 2.5 s;")


def test_parts_that_are_read_one_by_one_have_one_unit(tmp_path: Path) -> None:
    for name, cells in (("1", "0.5,2"), ("2", "0.25,2")):
        for who in "ab":
            written(tmp_path, f"{who}-{name}.csv", f"onset,offset,label\n{cells},x\n")
    patterns = {who: str(tmp_path / f"{who}-*.csv") for who in "ab"}
    assert sa.read(patterns).offsets == "10ms"
    parts = sa.formats.read_parts(patterns)
    assert [part().offsets for part in parts] == ["100ms", "10ms"]
    found = sa.agree(parts, match="token")
    assert (found.team.f1.observed, found.settings["offsets"]) == (1, "10ms")


def test_rows_end_where_lines_of_tables_do(tmp_path):
    """A label may hold any sign, those too at which Python splits lines; a row ends at CR, LF or both."""
    for end in ("\n", "\r\n", "\r"):
        for name in "ab":
            rows = ("onset,offset,label", "1.5,2,x\u2028\x85y", '3,4.5,"z"')
            (tmp_path / f"{name}.csv").write_bytes(end.join(rows).encode())
        corpus = sa.read([tmp_path / "a.csv", tmp_path / "b.csv"])
        assert set(corpus.labels) == {"x\u2028\x85y", "z"}
