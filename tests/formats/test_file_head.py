"""What the beginning of a file shows, whatever its name."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses

import spanagree as sa
from spanagree.corpus.collector import Collector
from spanagree.corpus.plain_lists import add_segments
from spanagree.formats import file_head as file_head_module
from spanagree.formats.file_head import close_json, compose_ignored_note, read_head
from spanagree.formats.format import Format
from spanagree.formats.hugging_face.load import guess_from_head
from spanagree.formats.recognise import find_format
from spanagree.formats.registry import FORMATS
from spanagree.formats.usual_names import may_have_spans

ROOT = Path(__file__).parent.parent.parent
TASKS = [
    {"id": i, "data": {"text": 'Jo, [is] {in} "Rome" \\'}, "annotations": []} for i in range(30)
]
ZIP = io.BytesIO()
with zipfile.ZipFile(ZIP, "w") as archive:
    archive.writestr("project.json", "{}")
    archive.writestr("annotation/a.txt/ann.tsv", "")

SHAPES = {
    "list": (json.dumps(TASKS).encode(), "json"),
    "list, indented, with a mark": (b"\xef\xbb\xbf" + json.dumps(TASKS, indent=2).encode(), "json"),
    "list, cut off": (json.dumps(TASKS).encode()[:-7], "json"),
    "empty list": (b"[]", "json"),
    "object": (json.dumps(TASKS[0], indent=1).encode(), "json"),
    "lines": (b"\n".join(json.dumps(task).encode() for task in TASKS), "jsonl"),
    "lines, Windows": (b"\r\n".join(json.dumps(task).encode() for task in TASKS), "jsonl"),
    "comma": (b'id,text\n1,"Jo, in Rome"\n2,x\n', "csv"),
    "semicolon": (b"id;text\n1;a, b\n2;x\n", "csv"),
    "tab": (b"token\tgold\nJo\tB-PER\n\nno table\n", "tsv"),
    "tokens": (b"Jo B-PER\nis O\n\nJo B-PER\n", "text"),
    "a bracket": (b"[ O\n1 O\n] O\n", "text"),
    "a reference": (b"[1] Smith\n", "text"),
    "a brace": (b"{ O\n", "text"),
    "XML": (b'<?xml version="1.0"?>\n<collection/>', "xml"),
    "vertical": (b"<s>\tO\nJo\tB\n", "tsv"),
    "zip": (ZIP.getvalue(), "zip"),
    "zip, damaged": (ZIP.getvalue()[:40], "zip"),
    "binary": (b"PAR1\0\0", "binary"),
    "nothing": (b"", "text"),
}


@pytest.mark.parametrize("case", SHAPES)
def test_shapes(tmp_path, case):
    """The shape is found in the bytes; the name says nothing."""
    data, shape = SHAPES[case]
    for name in ("a.json", "a.jsonl", "a.tsv", "a"):
        (tmp_path / name).write_bytes(data)
        if case != "object":
            assert read_head(tmp_path / name).shape == shape


def test_contents(tmp_path):
    """Up to 20 records, the lines, and the names in a zip or folder."""
    (tmp_path / "deep").mkdir()
    for name, case in (("a", "list"), ("b", "lines"), ("deep/c", "comma"), ("d", "zip")):
        (tmp_path / name).write_bytes(SHAPES[case][0])
    assert (
        list(read_head(tmp_path / "a").records) == TASKS[:20] == read_head(tmp_path / "a").objects
    )
    assert list(read_head(tmp_path / "b").records) == TASKS[:20]
    assert read_head(tmp_path / "deep" / "c").lines[:2] == ("id,text", '1,"Jo, in Rome"')
    assert read_head(tmp_path / "d").members == ("project.json", "annotation/a.txt/ann.tsv")
    assert read_head(tmp_path).members == ("a", "b", "d", "deep/c")
    (tmp_path / "e.jsonl").write_bytes(b'{"text": "Jo"}\n')
    (tmp_path / "e.json").write_bytes(b'{"text": "Jo"}\n')
    assert read_head(tmp_path / "e.jsonl")[1:3] == ("jsonl", ({"text": "Jo"},))
    assert read_head(tmp_path / "e.json")[1:3] == ("json", ({"text": "Jo"},))
    (tmp_path / "f").write_bytes(b"[1, 2]")
    assert read_head(tmp_path / "f").objects == []
    with pytest.raises(sa.InputError, match="no such file"):
        read_head(tmp_path / "none")


@given(
    st.lists(
        st.sampled_from(["Jo\tO", "Jo B-x\r", "é,O", " ", "", "{", "<a>", "#é"]), max_size=130
    ),
    st.sampled_from([0, 60, 90, 400]),
)
def test_rows_are_looked_at_from_their_beginning(tmp_path_factory, lines, few):
    """Few bytes that have all lines that are looked at show what the whole file shows."""
    path = tmp_path_factory.getbasetemp() / "rows"
    path.write_text("\n".join(lines), "utf-8")
    whole, seen, text = read_head(path), [], file_head_module.recognise_text
    with (
        patch.object(file_head_module, "_ROWS_SIZE", few),
        patch.object(
            file_head_module, "recognise_text", lambda *given: seen.append(given[1]) or text(*given)
        ),
    ):
        assert read_head(path) == whole
    begin = "\n".join(lines).encode()
    has_all = begin[:few].count(b"\n") >= 50 and begin.lstrip()[:1] not in (b"{", b"<")
    assert len(seen[0]) == (min(few, len(begin)) if has_all else len(begin))


@pytest.mark.long
def test_long_records(tmp_path):
    """A record longer than the beginning shows its keys: whole, or without what lies beyond."""
    long = {"data": "x" * 300_000, "annotations": [1]}
    (tmp_path / "a").write_text(json.dumps([long]))
    assert read_head(tmp_path / "a").records == (long,)
    (tmp_path / "b").write_text(json.dumps({"documents": [{"id": 7}] * 1_000_000, "late": 1}))
    (only,) = read_head(tmp_path / "b").records
    assert list(only) == ["documents"]
    row = {"text": "x" * 5_000_000, "spans": [1]}  # of lines, the first is looked at to its end
    (tmp_path / "c.jsonl").write_text(f"{json.dumps(row)}\n{json.dumps(row)}\n")
    assert read_head(tmp_path / "c.jsonl").records == (row,)


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=9,
)


@pytest.mark.long
@given(st.lists(values, min_size=1), st.data())
def test_closed(value, data):
    """Every beginning of JSON can be closed; the whole stays as it is."""
    text = json.dumps(value)
    assert json.loads(close_json(text)) == value
    cut = text[: data.draw(st.integers(1, len(text)))]
    begun = json.loads(close_json(cut))
    assert len(begun) <= len(value)
    assert begun[:-1] == value[: max(len(begun) - 1, 0)]


def test_passed_over():
    """What was passed over is one note, by kind; nothing is none."""
    assert compose_ignored_note("a.json", {"relation": 3, "choice": 0, "draft": 1}) == ("a.json: 3 relations and 1 draft passed over",)  # fmt: skip
    assert compose_ignored_note("a.json", {"draft": 0}) == ()


@pytest.fixture
def tool(monkeypatch):
    """A format that is known by its content, and does not know its annotator."""

    def read(path):
        collector = Collector("characters", unnamed=True)
        for number, record in enumerate(read_head(path).records, 1):
            document = collector.add_document(record["id"], str(number), text=record["note"])
            add_segments(collector, document, "", [(0, 2, "PER")], str(number))
        return collector.build_raw_corpus(
            {"format": "tool"}, compose_ignored_note(str(path), {"draft": 2})
        )

    def knows(start):
        return bool(start.objects) and all("note" in record for record in start.objects)

    form = Format("a tool", (), read, knows=knows)
    monkeypatch.setitem(FORMATS, "tool", form)


def test_recognised(tmp_path, tool):
    """What is in a file goes before its name, and the note says so; else the name decides."""
    ann, bob = tmp_path / "ann.jsonl", tmp_path / "bob.jsonl"
    ann.write_text('{"id": 7, "note": "Jo!"}\n')
    bob.write_text('{"id": 7, "note": "Jo!"}\n')
    corpus = sa.read({"ann.jsonl": ann, "b": bob})
    assert corpus.annotators == ("ann.jsonl", "b")
    assert len(corpus) == 1
    assert corpus.notes == (f"{ann}: read as tool; 2 drafts passed over", f"{bob}: read as tool; 2 drafts passed over")  # fmt: skip
    parts = sa.read({"*.jsonl": f"{tmp_path}/*.jsonl"})
    assert parts.annotators == ("ann.jsonl", "bob.jsonl")
    named = sa.read({"who": f"{tmp_path}/a*.jsonl"})
    assert named.annotators == ("who",)
    ann.write_text("Jo B-PER\n")
    assert find_format(ann) == "jsonl"
    assert find_format(tmp_path / "none.json") == "dataset"


def test_a_carriage_return_inside(tmp_path):
    """What looks like CSV but has a carriage return inside a field is no table, and no other error."""
    path = tmp_path / "a.csv"
    path.write_bytes(b"a,b\rc\nd,e\nf,g\n")
    assert find_format(path) in FORMATS


XML = '<?xml version="1.0" encoding="UTF-16"?>\n<collection><document><id>7</id><passage>' \
    "<offset>0</offset><text>Jo \U0001f600</text></passage></document></collection>"  # fmt: skip


@pytest.mark.parametrize("end", ["le", "be"])
def test_xml_in_utf_16(tmp_path, end):
    """XML that says it is in UTF-16 is recognised, and read as in UTF-8."""
    (tmp_path / "a.xml").write_bytes(f"\ufeff{XML}".encode(f"utf-16-{end}"))
    assert sa.read(tmp_path / "a.xml").texts == ("Jo \U0001f600",)


@pytest.mark.parametrize("end", ["le", "be"])
def test_json_in_utf_16(tmp_path, end):
    """JSON that begins with the mark of UTF-16, as some shells write it, is read as in UTF-8.

    Oracle: the same rows in UTF-8.
    """
    row = {"text": "Jo 😊", "_input_hash": 1, "spans": [{"start": 0, "end": 2, "label": "PER"}]}
    text = f"{json.dumps({**row, 'answer': 'accept'}, ensure_ascii=False)}\n"
    (tmp_path / "ann.jsonl").write_text(text, encoding="utf-8")
    expected = sa.read(tmp_path / "ann.jsonl")
    (tmp_path / "ann.jsonl").write_bytes(f"\ufeff{text}".encode(f"utf-16-{end}"))
    assert find_format(tmp_path / "ann.jsonl") == "prodigy"
    assert sa.read(tmp_path / "ann.jsonl") == expected


@pytest.mark.parametrize("kept", [slice(20), slice(-40, None), slice(0)])
def test_a_zip_that_is_cut_off(tmp_path, kept):
    """A part of a zip is said to be one, whatever it begins with."""
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("ann.jsonl", '{"id": 1, "text": "Jo", "label": [[0, 2, "PER"]]}\n' * 9)
    (tmp_path / "a.zip").write_bytes((tmp_path / "a.zip").read_bytes()[kept])
    with pytest.raises(sa.InputError, match=r"a.zip: cannot be unpacked.*may be cut off"):
        sa.read(tmp_path / "a.zip")


def test_tables_of_tokens_are_named(tmp_path):
    """A table that is read as CoNLL by its content is said to be, as other formats are."""
    (tmp_path / "words.csv").write_text("token,gold\nJo,B-PER\nis,O\n", encoding="utf-8")
    assert f"{tmp_path / 'words.csv'}: read as conll" in sa.read(tmp_path / "words.csv").notes


def test_a_folder_of_files(tmp_path):
    """A folder that no tool makes is not taken for brat's; the error says what is in it."""
    (tmp_path / "a.xmi").write_text("<xmi:XMI/>", encoding="utf-8")
    with refuses(sa.InputError, "… a folder of a.xmi"):
        sa.read(tmp_path)


# --- a glance says which formats need not be asked ---------------------------------------------

TEXTS = {
    "WebAnno": "#FORMAT=WebAnno TSV 3.3\n#T_SP=NE|value\n\n#Text=Jo\n1-1\t0-2\tJo\tPER\t\n",
    "WebAnno 2": " # webanno.custom.NE | value\n#id=1\n#text=Jo\n1-1\tJo\tPER\n",
    "WebAnno 1": "#id=1\n#text=Jo\n1-1\tJo\tPER\n",
    "PubTator": "\n17|t|Jo\n17|a|in Rome\n17\t0\t2\tJo\tPER\n",
    "comments": "# newdoc id = a\n# a | b\nJo\tB-PER\n",
    "header": "token,gold\nJo,B-PER\n",
    "BioC": "<collection>\n<document><passage>\n</passage></document></collection>\n",
}


def asked_and_known(path):
    """The formats that a file is of, with a glance first; and those that know it when asked."""
    start = read_head(path)
    forms = {name: form for name, form in FORMATS.items() if form.knows}
    return [n for n in forms if forms[n].recognises(start)], [
        n for n in forms if forms[n].knows(start)
    ]


@pytest.mark.parametrize("case", [*SHAPES, *TEXTS])
def test_a_glance(tmp_path, case):
    """A format that knows a file is never passed over. Oracle: every format is asked."""
    data = SHAPES[case][0] if case in SHAPES else TEXTS[case].encode()
    for name in ("a.txt", "a.json", "a.csv"):
        (tmp_path / name).write_bytes(data)
        asked, known = asked_and_known(tmp_path / name)
        assert asked == known


def test_a_glance_at_the_corpora():
    """The same for all files here that people hand in, of which every format but some has one."""
    paths = [path for path in (ROOT / "corpora").rglob("*") if path.suffix not in (".md", ".py")]
    every = set()
    for path in paths:
        asked, known = asked_and_known(path)
        assert asked == known, path
        every |= {*known}
    assert {"inception", "bioc", "label-studio", "prodigy", "doccano", "dataset", "jsonl"} <= every


LISTS = "\"[{'start': 0, 'end': 2}]\""
TABLES = {
    "offsets": "id,Start_Offset,end\n1,0,2\n",
    "tokens": "id\tTokens\tgold\n1\tJo is\tB-PER O\n",
    "lists": f"text,ann\nJo,{LISTS}\n",
    "lists in fences": "text,ann\nJo,\"```\n[{'start': 0, 'end': 2}]\n```\"\n",
    "lists, the first blank": f"text,ann\nJo,\nJo,{LISTS}\n",
    "lists behind a blank": "text;ann\nJo; [{'start': 0; 'end': 2}]\nJo;\"[]\"\n".replace("; '", ", '"),
    "ours": "id,spans:ann\n1,none\n",
    "answers of users": "id,votes,votes.users\n1,none,Jo\n",
    "a sign in a name": 'id\tto,kens\tgold\n1\tJo is\tB-PER O\n',
    "a quoted name": f'text,"a\nb"\nJo,{LISTS}\n',
}  # fmt: skip


@pytest.mark.parametrize("case", TABLES)
def test_tables_of_spans(tmp_path, case):
    """A table in which spans or tags are guessed is never passed over. Oracle: the guess itself."""
    (tmp_path / "a").write_text(TABLES[case], encoding="utf-8")
    start = read_head(tmp_path / "a")
    assert guess_from_head(start)
    assert may_have_spans(start)


def test_tables_of_tokens_are_passed_over(tmp_path):
    """Rows of a token each are not a table of spans, which is seen at a glance."""
    for text in ("-DOCSTART-\tO\n\nJo\tB-PER\nis\tO\n", "gt\tO\n;\tO\n"):
        (tmp_path / "a").write_text(text, encoding="utf-8")
        assert not may_have_spans(read_head(tmp_path / "a"))


LOOKS = {
    "a.folia.xml": ('<?xml version="1.0"?><FoLiA xmlns="x"><text/></FoLiA>', "FoLiA"),
    "a.paula.xml": ('<?xml version="1.0"?><paula version="1.1"><header/></paula>', "PAULA"),
    "t.xml": ('<corpus id="c"><head/><body><s id="s1"/></body></corpus>', "TIGER-XML"),
    "a.exb": ("<?xml version='1.0'?><basic-transcription><head/></basic-transcription>", "EXMARaLDA's transcription"),
    "a.html": ("<!DOCTYPE html><html><body><p>Jo</p></body></html>", "a web page"),
    "a.nxml": ("<article><front><a/></front><body/></article>", "an article in JATS"),
    "a.ttl": ("@prefix nif: <http://x#> .\n", "RDF, as NIF has it"),
    "a.json": ('{"images": [], "annotations": [{"bbox": [1, 2, 3, 4], "category_id": 1}]}', "COCO, boxes in images"),
    "a.bdocym": ("annotation_sets:\n  ann:\n    annotations: []\ntext: Jo\n", "GATE's bdoc in YAML"),
    "v2.json": (json.dumps([{"id": 0, "paragraphs": [{"raw": "Jo", "sentences": [{"tokens": [{"orth": "Jo", "ner": "O"}]}]}]}]), "training data of spaCy 2"),
    "a.iob": ("Jo|NNP|B-PER is|VBZ|O\nAl|NNP|B-PER\n", "tags behind words, a sentence a line"),
    "a.rtf": ("{\\\\rtf1 Jo O}".replace("\\\\", "\\"), "rich text"),
}  # fmt: skip


@pytest.mark.parametrize("name", LOOKS)
def test_what_a_file_looks_like(tmp_path, name):
    """Files of known kinds that are not read are called by their names, with what to do."""
    content, looks = LOOKS[name]
    (tmp_path / name).write_text(content, "utf-8")
    with pytest.raises(sa.InputError) as error:
        sa.read(tmp_path / name)
    assert f"{name}: this looks like {looks}, which is not read; " in str(error.value)
