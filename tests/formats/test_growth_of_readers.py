"""Time to read a file grows with the file, for every entry of the table of formats.

Each format is written in the shape of :mod:`written_in`, with more documents, more marks in one, or
more annotators. Other cases are shapes of which a small file took long: elements and references
inside each other, equal names, parts that meet, one long token. Of eight times the file, eight
times the time is the growth of what follows the file, and 64 times that of its square.
"""

from __future__ import annotations

import gc
import io
import json
import time
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from written_in import SHAPES, in_lines, project

import spanagree as sa
from spanagree.formats import read_files
from spanagree.formats.reading import describe_readers, find_reading_options
from spanagree.formats.registry import FORMATS
from spanagree.formats.xml_elements import parse_tree

MORE = 8
MOST = 30  # times as long, as others may use the same processor
LEAST = 0.05  # seconds of the larger, below which there is nothing to compare


def spent(call):
    """Return the least processor time of two calls; what other tests left is not searched."""
    gc.collect()
    gc.freeze()
    times = []
    for _ in range(2):
        begin = time.process_time()
        with suppress(sa.SpanAgreeError):
            call()
        times.append(time.process_time() - begin)
    gc.unfreeze()
    return min(times)


def check_growth(read: Callable[[Path], object], write: Callable[[Path, int], Path], folder, n):
    """Fail if eight times the size takes as long as the square of it."""
    paths = []
    for size in (n, MORE * n):
        (folder / str(size)).mkdir()
        paths.append(write(folder / str(size), size))
    few, many = (spent(lambda path=path: read(path)) for path in paths)
    assert many < max(MOST * few, LEAST), (few, many)


def in_shape(name, documents):
    """The path of a file or folder of a format, and its text."""
    file, write, *_ = SHAPES[name]
    content = write(documents)
    if isinstance(content, (dict, list)) and name != "brat":
        is_lines = file.endswith(".jsonl") and isinstance(content, list)
        content = in_lines(content) if is_lines else json.dumps(content)
    return file, content


DIRECTIONS = {
    "documents": lambda n: [[[(0, 2)], [(1, 2)]]] * n,
    "marks": lambda n: [[[(i % 5, 2) for i in range(n)]]],
    "annotators": lambda n: [[[(0, 2)]] * n],
}
"""Places by annotator in each document, of a size."""


@pytest.mark.long
@pytest.mark.parametrize("direction", DIRECTIONS)
@pytest.mark.parametrize("name", SHAPES)
def test_each_format(tmp_path, name, direction):
    def write(folder, n):
        file, content = in_shape(name, project(DIRECTIONS[direction](n)))
        for part, text in (content if isinstance(content, dict) else {file: content}).items():
            (folder / part).write_text(text, "utf-8")
        return folder if isinstance(content, dict) else folder / file

    check_growth(lambda path: sa.read(path, name.partition(" ")[0]), write, tmp_path, 100)


def test_every_format_grows():
    """The table has no entry that is neither here nor in :data:`OTHERS`."""
    names = {name.partition(" ")[0] for name in (*SHAPES, *OTHERS)}
    assert names >= {*FORMATS} - {"hub", "spacy"}


# --- what is written in no shape, and what took long ----------------------------------------------


def as_file(name):
    """Return what writes the text that a function gives for a size."""

    def decorate(text):
        def write(folder, n):
            content = text(n)
            (folder / name).write_text(content, "utf-8")
            return folder / name

        return write

    return decorate


def rows(name, row, head=""):
    """Return what writes a row for each number, behind a head."""
    return as_file(name)(lambda n: head + "".join(row(i) for i in range(n)))


def beside(name, row, text):
    """Return what writes a file, and a text beside it by whatever name."""

    def write(folder, n):
        (folder / name).write_text("".join(row(i) for i in range(n)), "utf-8")
        (folder / text[0]).parent.mkdir(parents=True, exist_ok=True)
        (folder / text[0]).write_text(text[1](n), "utf-8")
        return folder / name

    return write


def potato(folder, n):
    spans = {f"i{i}": [[{"name": "X", "start": 0, "end": 2}, "true"]] for i in range(n)}
    state = {"user_id": "ann", "instance_id_ordering": [*spans]}
    state["instance_id_to_span_to_value"] = spans
    (folder / "user_state.json").write_text(json.dumps(state), "utf-8")
    return folder / "user_state.json"


def tagtog(folder, n):
    part = {"start": 0, "text": "Jo"}
    entities = [{"classId": "e", "part": f"s{i}p1", "offsets": [part]} for i in range(n)]
    about = {"annotatable": {"parts": [f"s{i}p1" for i in range(n)]}, "entities": entities}
    (folder / "x.ann.json").write_text(json.dumps(about), "utf-8")
    (folder / "x.txt").write_text("Jo met\n\n" * n, "utf-8")
    return folder / "x.ann.json"


TEXT = "Jo met Al"
SQUAD = {"id": "", "context": TEXT, "answers": {"text": ["Jo"], "answer_start": [0]}}
ANSWER = [{"from": "human", "value": f"Text: {TEXT}"}, {"from": "gpt", "value": "ok"}, {"from": "human", "value": "What describes X in the text?"}, {"from": "gpt", "value": '["Jo"]'}]  # fmt: skip
RATIONALE = {"post_tokens": ["Jo", "met"], "annotators": [{"annotator_id": 1, "label": "hate"}], "rationales": [[1, 0]]}  # fmt: skip
OUTPUT = {"response": {"body": {"choices": [{"message": {"content": '[{"text": "Jo", "label": "X"}]'}}]}}}  # fmt: skip
ESA = 'ann,w.S,{0},TGT,eng,deu,0,d#S,False,"[{{""start_i"":0,""end_i"":1,""severity"":""minor""}}]",1,2\n'  # fmt: skip
RATING = '{"errors": [{"start": 0, "end": 2, "category": "X"}]}'


def record(value, key):
    return lambda i: json.dumps({**value, key: f"i{i}"}) + "\n"


SLOTS = "".join(f'<TIME_SLOT TIME_SLOT_ID="t{i}" TIME_VALUE="{i}"/>' for i in range(2))


def eaf(inner):
    return f"<ANNOTATION_DOCUMENT><TIME_ORDER>{SLOTS}</TIME_ORDER>{inner}</ANNOTATION_DOCUMENT>"


def aligned(i, end="</ANNOTATION_VALUE></ALIGNABLE_ANNOTATION></ANNOTATION>"):
    return (
        f'<ANNOTATION><ALIGNABLE_ANNOTATION ANNOTATION_ID="a{i}" TIME_SLOT_REF1="t0"'
        f' TIME_SLOT_REF2="t1"><ANNOTATION_VALUE>x{end}'
    )


def referring(i, other):
    return (
        f'<ANNOTATION><REF_ANNOTATION ANNOTATION_ID="a{i}" ANNOTATION_REF="a{other}">'
        "<ANNOTATION_VALUE>x</ANNOTATION_VALUE></REF_ANNOTATION></ANNOTATION>"
    )


@as_file("x.eaf")
def nested_tiers(n):
    tiers = "".join(f'<TIER TIER_ID="T{i}">{aligned(i) * 8}' for i in range(n))
    return eaf(tiers + "</TIER>" * n)


def chain(order):
    @as_file("x.eaf")
    def write(n):
        refs = [referring(i, i - 1) for i in range(1, n)]
        return eaf(f'<TIER TIER_ID="T">{aligned(0)}{"".join(order(refs))}</TIER>')

    return write


@as_file("x.eaf")
def circles(n):
    """References that lead into a circle, of which none has a time."""
    refs = "".join(referring(i, (i + 1) % n) for i in range(n))
    return eaf(f'<TIER TIER_ID="T">{refs}</TIER>')


@as_file("x.TextGrid")
def equal_names(n):
    head = 'File type = "ooTextFile"\nObject class = "TextGrid"\n\n0\n9\n<exists>\n'
    return f"{head}{n}\n" + '"IntervalTier"\n"T"\n0\n9\n1\n0\n9\n"x"\n' * n


def datavyu(rows, cells):
    @as_file("x.csv")
    def write(n):
        header = ",".join(f"t{i}.ordinal,t{i}.onset,t{i}.offset,t{i}.code" for i in range(n))
        row = ",".join(["1,0,5,x"] * (cells or n))
        return header + "\n" + f"{row}\n" * (rows or n)

    return write


@as_file("x.csv")
def same_columns(n):
    return ",".join(["t.onset,t.offset,t.code"] * n) + "\n" + ",".join(["0,5,x"] * n) + "\n"


def uem(folder, n):
    (folder / "x.rttm").write_text("SPEAKER a 1 0.5 1 <NA> <NA> s <NA> <NA>\n", "utf-8")
    lines = (f"a 1 {i}.0 {i}.5\n" for i in range(n))
    (folder / "x.uem").write_text("".join(lines), "utf-8")
    return folder / "x.rttm"


HEAD = "set,recording_filename,range_onset,range_offset,annotation_filename\n"


def clips(folder, n):
    """A day of recording that is cut in clips, all of which one file has."""
    rows = (f"ann,a.wav,{i * 10},{i * 10 + 10},x.csv\n" for i in range(n))
    (folder / "annotations.csv").write_text(HEAD + "".join(rows), "utf-8")
    marks = (f"{i * 10 + 1},{i * 10 + 5},CHI\n" for i in range(n))
    head = "segment_onset,segment_offset,speaker_type\n"
    (folder / "x.csv").write_text(head + "".join(marks), "utf-8")
    return folder / "annotations.csv"


def sources(folder, n):
    texts = "".join(
        f'<TextSource guid="s{i}" name="s{i}" plainTextPath="internal://s{i}.txt">'
        f'<PlainTextSelection guid="p{i}" startPosition="0" endPosition="2"><Coding guid="c{i}"'
        ' creatingUser="u"><CodeRef targetGUID="k"/></Coding></PlainTextSelection></TextSource>'
        for i in range(n)
    )
    project_ = (
        '<Project xmlns="urn:QDA-XML:project:1.0"><Users><User guid="u" name="ann"/></Users>'
        f'<CodeBook><Codes><Code guid="k" name="X"/></Codes></CodeBook><Sources>{texts}</Sources>'
        "</Project>"
    )
    with zipfile.ZipFile(folder / "x.qdpx", "w") as archive:
        archive.writestr("project.qde", project_)
        for i in range(n):
            archive.writestr(f"sources/s{i}.txt", "Jo met Al")
    return folder / "x.qdpx"


def nested(begin, inner, end, around):
    @as_file("x.xml")
    def write(n):
        return around.format((begin + inner) * n + end * n)

    return write


def kaggle(folder, n):
    """Texts beside a table, in a folder of as many files."""
    rows = (f"i{i},PER,0\n" for i in range(n))
    (folder / "x.csv").write_text("id,class,predictionstring\n" + "".join(rows), "utf-8")
    for i in range(n):
        (folder / f"other{i}.md").touch()
    return folder / "x.csv"


@as_file("x.conll")
def conll(n):
    return "Jo\tB-X\nran\tO\n\n" * n


CHILD = '<annotation><span start="0" end="2"/></annotation>'
OTHERS = {
    # by the format and the case: what writes a file, its size, and options
    "squad": (rows("x.jsonl", record(SQUAD, "id")), 200, {}),
    "universalner": (rows("x.jsonl", record({"conversations": ANSWER}, "id")), 200, {}),
    "batch-output": (rows("x.jsonl", record(OUTPUT, "custom_id")), 200, {}),
    "hatexplain": (as_file("x.json")(lambda n: json.dumps({f"i{i}": {**RATIONALE, "post_id": f"i{i}"} for i in range(n)})), 200, {}),
    "toxic-spans": (rows("x.csv", lambda i: f'"[0, 1]",{TEXT}\n', "spans,text\n"), 200, {}),
    "toxic-spans many": (as_file("x.csv")(lambda n: f'spans,text\n"{list(range(n))}",{"x" * n}\n'), 2000, {}),
    "crowdtruth": (rows("x.csv", lambda i: f'i{i % 50},w{i},"[""Jo""]",{TEXT}\n', "_unit_id,_worker_id,tagged_events,original_sentence\n"), 200, {}),
    "qe-tags": (rows("x.tags", lambda i: "OK BAD BAD OK\n"), 500, {}),
    "qe-tags long": (as_file("x.tags")(lambda n: "OK BAD " * n + "\n"), 2000, {}),
    "esa": (rows("x.csv", lambda i: ESA.format(i)), 200, {}),
    "seg-rating": (beside("a-b.seg.rating", lambda i: f"S\t{RATING}\n", ("system-outputs/a-b/S.txt", lambda n: f"{TEXT}\n" * n)), 200, {}),
    "propaganda": (beside("x.labels", lambda i: f"1\tX\t{i}\t{i + 1}\n", ("article1.txt", lambda n: "x" * (n + 1))), 500, {}),
    "i2b2-con": (beside("x.con", lambda i: f'c="jo" {i + 1}:0 {i + 1}:0||t="X"\n', ("x.txt", lambda n: "Jo met\n" * n)), 500, {}),
    "tagtog": (tagtog, 500, {}),
    "potato": (potato, 500, {}),
    "kaggle": (beside("x.csv", lambda i: f"a,PER,{i}\n" if i else "id,class,predictionstring\n", ("a.txt", lambda n: "Jo " * n)), 500, {}),
    "ua-gec": (as_file("x.ann")(lambda n: "{Jo=>Bo:::error_type=X} met " * n), 500, {}),
    "xml": (sources, 100, {}),
    "elan nested tiers": (nested_tiers, 50, {}),
    "elan chain": (chain(list), 2000, {}),
    "elan chain, last first": (chain(reversed), 2000, {}),
    "elan circles": (circles, 2000, {}),
    "textgrid equal names": (equal_names, 500, {}),
    "times datavyu, many tiers": (datavyu(1, 0), 500, {}),
    "times datavyu, short rows": (datavyu(0, 1), 500, {}),
    "times datavyu, equal names": (same_columns, 500, {}),
    "times clips": (clips, 200, {}),
    "rttm uem": (uem, 1000, {"uem": "x.uem"}),
    "kaggle texts beside": (kaggle, 100, {}),
    "xml nested TEI": (nested("<TEI><text><p>Jo <name>Al</name></p></text>", "", "</TEI>", "{}"), 50, {}),
    "xml nested annotations": (
        nested(f"<annotation>{CHILD}", "", "</annotation>", '<annotations textSource="a.txt">{}</annotations>'),
        50, {},
    ),
    "xml nested documents": (
        nested('<document id="a"><annotation/>', "", "</document>", "<knowtator-project>{}</knowtator-project>"),
        50, {},
    ),
    "conll": (conll, 1000, {}),
}  # fmt: skip


@pytest.mark.long
@pytest.mark.parametrize("case", OTHERS)
def test_others(tmp_path, case):
    write, n, options = OTHERS[case]
    form = case.partition(" ")[0]

    def read(path):
        paths = {key: path.parent / value for key, value in options.items()}
        return sa.read(path, form, **paths)

    check_growth(read, write, tmp_path, n)


@pytest.mark.long
@pytest.mark.parametrize("begin", ['<a b="', "<a>", "<!--", "<a><![CDATA[", "<?x ", "<"])
def test_one_long_token_of_xml(tmp_path, begin):
    """A value of an attribute, a text or a comment of megabytes is gone through a few times only."""

    def write(folder, n):
        (folder / "x.xml").write_bytes(begin.encode() + b"x" * (n << 10))
        return folder / "x.xml"

    def read(path):
        parse_tree(io.BytesIO(path.read_bytes()), "x.xml")

    check_growth(read, write, tmp_path, 500)


@pytest.mark.parametrize("describe", [describe_readers, find_reading_options])
def test_many_files_are_looked_at_once(tmp_path, monkeypatch, describe):
    """What read each of 30 files is found with one look at each; pairs of them would be 900."""
    paths = {f"a{i}": tmp_path / f"a{i}.conll" for i in range(30)}
    for path in paths.values():
        path.write_text("Jo B-PER\n\n", "utf-8")
    looked_at, select_options = [], read_files.select_options_of_file
    from_path = read_files.SniffedFile.from_path

    def note_options(set_options, layer, files):
        looked_at.append(layer)
        return select_options(set_options, layer, files)

    def note_path(path):
        looked_at.append(path)
        return from_path(path)

    monkeypatch.setattr(read_files, "select_options_of_file", note_options)
    monkeypatch.setattr(read_files.SniffedFile, "from_path", note_path)
    describe(paths, {})
    # each file, and its layer; to find its scheme each is also read by itself
    assert len(looked_at) <= (2 if describe is describe_readers else 4) * len(paths)
    assert {*paths, *paths.values()} <= {*looked_at}
