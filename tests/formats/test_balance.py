"""What a source holds, and what became of it: read, passed over, or refused."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest
from messages import refuses
from written_in import textgrid

import spanagree as sa
from spanagree.cli.main import main
from spanagree.corpus.check import check
from spanagree.formats import unread
from spanagree.formats.file_parts import read_raw_patterns
from spanagree.formats.records import OF_NO_UNIT, OF_UNIT, find_unit
from spanagree.formats.tools import TOOLS

SPANS = [{"start": 0, "end": 3, "label": "PER"}, {"start": 8, "end": 11, "label": "PER"}]
ROW = {"text": "Ana met Bob.", "_input_hash": 1, "_task_hash": 2, "spans": SPANS}


def write(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def balance(path, **options):
    return check(read_raw_patterns({path.name: path}, options, thorough=True)).contents["balance"]


def test_rows_that_do_not_count(tmp_path):
    """Three rows of two spans: one accepted, one rejected, one of another person. By hand."""
    rows = [
        {**ROW, "_annotator_id": "ann", "answer": "accept"},
        {**ROW, "_annotator_id": "bob", "answer": "reject"},
        {**ROW, "_annotator_id": "cem", "answer": "accept"},
    ]
    found = balance(write(tmp_path / "p.jsonl", rows))
    assert found["segment"] == {"read": 4, "in rejected rows": 2}
    assert found["answer"] == {"read": 2, "rejected row": 1}


def test_the_lines_of_check(tmp_path, capsys):
    rows = [{**ROW, "answer": "accept"}, {**ROW, "_input_hash": 2, "answer": "ignore"}]
    path = write(tmp_path / "p.jsonl", rows)
    assert main(["check", str(path)]) == 0
    shown = capsys.readouterr().out
    assert "4 segments in the source: 2 read, 2 in ignored rows\n" in shown
    assert "2 answers in the source: 1 read, 1 ignored row\n" in shown
    assert main(["check", str(path), "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)["summary"]["balance"]
    assert found["segment"] == {"read": 2, "in ignored rows": 2}


def test_repeated_in_another_file(tmp_path):
    """Two files with the same rows of one person: all are read once."""
    rows = [{**ROW, "_annotator_id": "ann"}, {**ROW, "_annotator_id": "bob"}]
    paths = [write(tmp_path / f"{name}.jsonl", rows) for name in "ab"]
    raw = read_raw_patterns({path.name: path for path in paths}, {})
    assert len(raw.start) == 4
    assert raw.balance["segment"] == {"read": 4, "repeated segment": 4}
    assert raw.balance["answer"] == {"read": 2, "repeated answer": 2}


def test_quotes_that_are_not_there(tmp_path):
    spans = [{"text": "Ana", "label": "PER"}, {"text": "Eve", "label": "PER"}]
    path = write(tmp_path / "q.jsonl", [{"id": "1", "text": "Ana met Bob.", "spans": spans}])
    assert balance(path)["segment"] == {"read": 1, "not found in the text": 1}


def test_tags_outside_of_segments(tmp_path):
    """Read strictly, I-X after O is in no segment."""
    path = tmp_path / "x.conll"
    path.write_text("a B-X\nb I-X\nc O\nd I-X\n")
    reason = "outside every well-formed segment"
    assert balance(path)["tag"] == {"read": 3}
    assert balance(path, strict=True, scheme="IOB2")["tag"] == {"read": 2, reason: 1}


def test_marks_under_another_key(tmp_path):
    """What a tool does not read beside what it reads is refused; where it is named, counted."""
    row = {**ROW, "_annotator_id": "ann", "gold": [SPANS[0]]}
    path = write(tmp_path / "p.jsonl", [row])
    with refuses(sa.InputError, f"{path}: as prodigy … spans under 'gold' … --from prodigy"):
        read_raw_patterns({"p": path}, {})
    raw = read_raw_patterns({"p": path}, {}, "prodigy")
    assert raw.balance["segment"] == {"read": 2, "not read": 1}
    assert any("1 mark not read, of those under 'gold[*]' (1)" in note for note in raw.notes)


BIOC = """<collection><document><id>7</id><passage><offset>0</offset><text>Ana met Bob.</text>
<annotation id="1"><infon key="type">PER</infon><location offset="0" length="3"/>
<location offset="8" length="3"/></annotation>{}</passage></document></collection>"""
KNOWTATOR = """<annotations textSource="a.txt"><annotation><mention id="M"/><annotator>ann</annotator>
<span start="0" end="3"/><span start="8" end="11"/></annotation>{}
<classMention id="M"><mentionClass id="PER"/></classMention></annotations>"""


@pytest.mark.parametrize(
    ("name", "content", "unread"),
    [
        ("a.xml", BIOC, '<note offset="4" length="3"/><note offset="4" length="3"/>'),
        ("a.txt.knowtator.xml", KNOWTATOR, '<x start="4" end="7"/><x start="4" end="6"/>'),
    ],
)
def test_pieces_in_xml_are_one_mark(tmp_path, name, content, unread):
    """A segment of two pieces is one in the source, and read; two marks elsewhere are not read."""
    (tmp_path / "a.txt").write_text("Ana met Bob.")
    path = tmp_path / name
    path.write_text(content.format(""))
    assert balance(path)["segment"] == {"read": 1}
    path.write_text(content.format(unread))
    assert balance(path)["segment"] == {"read": 1, "not read": 2}


def test_what_yields_nothing_is_refused(tmp_path):
    """Spans of GATE under a key that is not its own: F1 was 0, with 'nothing odd found'."""
    path = tmp_path / "x.json"
    sets = {"ann": {"annotations": [], "entities": [{"type": "PER", "start": 0, "end": 3}]}}
    row = {"name": "7", "text": "Ana met Bob.", "annotation_sets": sets}
    path.write_text(json.dumps(row))
    location = "annotation_sets.ann.entities[*]"
    needed = (
        f"1 mark is under '{location}' … --spans '{location}' --text text --start start --end end"
    )
    with refuses(sa.InputError, f"{path}: read as gate, nothing is marked in it, but {needed} …"):
        sa.read(path, "gate")
    paths = {"text": "text", "start": "start", "end": "end", "label": "type"}
    corpus = sa.read(path, "paths", spans=location, **paths)
    assert [*corpus[0].segments.values()] == [(sa.Segment(0, 3, "PER"),)]


def test_columns_of_tags_that_nobody_reads(tmp_path):
    """The last of three columns has no tag, and another has: it was read, and said nothing."""
    path = tmp_path / "x.conll"
    path.write_text("Jo O B-PER O\nran O O O\n")
    with refuses(sa.InputError, f"{path}: which columns are annotators is not clear: …"):
        sa.read(path)
    assert [*sa.read(path, columns=3)[0].segments.values()] == [()]


def test_what_has_nothing_marked_is_read(tmp_path):
    """Nothing is marked, or what is marked is passed over as a whole."""
    rows = [{**ROW, "_annotator_id": "ann", "spans": []}]
    assert sa.read(write(tmp_path / "a.jsonl", rows)).annotators == ("ann",)
    rows = [{**ROW, "_annotator_id": "ann", "answer": "reject"}]
    raw = read_raw_patterns({"b": write(tmp_path / "b.jsonl", rows)}, {}, thorough=True)
    assert raw.balance["segment"] == {"read": 0, "in rejected rows": 2}


def test_units_of_what_is_passed_over():
    """Each ending is of one unit or of none; what is not named at all is a segment."""
    ends = [*(end for some in OF_UNIT.values() for end in some), *OF_NO_UNIT]
    assert len(ends) == len({*ends})
    assert find_unit("thing that nobody has named") == "segment"
    assert [find_unit(x) for x in ("comment", "choice", "token relation", "1 SPKR-INFO line")] == [
        "", "", "relation", "record",
    ]  # fmt: skip


def nouns_passed():
    """Yield each noun that is a key of a counter of skipped marks, and those of the tools' table."""
    for path in Path(sa.__file__).parent.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            counters = ("passed", "skipped")
            if isinstance(node, ast.Subscript) and ast.unparse(node.value).endswith(counters):
                part = node.slice.values[-1] if isinstance(node.slice, ast.JoinedStr) else node.slice  # fmt: skip
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield part.value
    for tool in TOOLS.values():
        yield from (*tool.passed.values(), *filter(None, [tool.leaves[2]]))


def test_each_noun_of_what_is_passed_over_is_known():
    ends = (*(end for some in OF_UNIT.values() for end in some), *OF_NO_UNIT)
    nouns = {*nouns_passed()}
    assert len(nouns) >= 40
    assert {noun for noun in nouns if not noun.endswith(ends)} == set()


def test_tags_in_columns_that_are_not_read_are_counted(tmp_path):
    """Oracle: three cells are neither O nor the token, and one stands in the last column."""
    path = tmp_path / "x.conll"
    path.write_text("a O B-X B-Y\nb O O O\n\nc O B-X O\nd O O O\n")
    raw = read_raw_patterns({"x": path}, {}, thorough=True)
    assert raw.balance["tag"] == {"read": 1, "in columns that are not read": 2}


def test_a_repeated_line_of_a_textgrid_is_refused(tmp_path):
    """Every value behind it would be another's, and the last label would be lost."""
    path = tmp_path / "x.TextGrid"
    text = textgrid([(0, 1, "one"), (2, 3, "two")])
    path.write_text(text.replace("            xmin = 2\n", "            xmin = 2\n" * 2))
    with pytest.raises(sa.InputError, match="quotation marks is due"):
        read_raw_patterns({"x": path}, {})


def test_more_segments_than_a_textgrid_counts_are_refused(tmp_path):
    path = tmp_path / "x.TextGrid"
    text = textgrid([(0, 1, "one"), (2, 3, "two")])
    path.write_text(text.replace("intervals: size = 2", "intervals: size = 1"))
    with pytest.raises(sa.InputError, match="more is in it than its 1 tier"):
        read_raw_patterns({"x": path}, {})


def test_cells_that_no_layer_of_webanno_declares_are_refused(tmp_path):
    path = tmp_path / "x.tsv"
    path.write_text("#FORMAT=WebAnno TSV 3.3\n\n\n#Text=ana ran\n1-1\t0-3\tana\tPER[1]\t\n")
    with pytest.raises(sa.InputError, match="declares 0 columns"):
        read_raw_patterns({"x": path}, {})


def test_a_column_of_o_makes_no_tags_of_a_table_of_spans(tmp_path):
    """Oracle: the two rows, which are two spans; as CoNLL they would be tokens without marks."""
    path = tmp_path / "x.csv"
    path.write_text("document,annotator,start,end,label,text,O\nd,a,0,3,PER,ana ran,O\nd,b,4,7,ACT,ana ran,O\n")  # fmt: skip
    raw = read_raw_patterns({"x": path}, {}, thorough=True)
    assert raw.annotators == ("a", "b")
    assert raw.balance["segment"] == {"read": 2}


def test_marks_under_another_key_are_counted_with_their_pairs_in_a_list(tmp_path):
    """Oracle: one entity under ``entities``, and a copy of it under ``note``."""
    entity = {"id": "0", "type": "PER", "text": ["ana"], "offsets": [[0, 3]], "normalized": []}
    row = {"id": "d", "document_id": "d", "passages": [{"id": "p", "type": "t", "text": ["ana ran"], "offsets": [[0, 7]]}],
           "entities": [entity], "events": [], "coreferences": [], "relations": [], "note": [entity]}  # fmt: skip
    path = tmp_path / "x.jsonl"
    path.write_text(json.dumps(row) + "\n")
    assert read_raw_patterns({"x": path}, {}).balance["segment"] == {"read": 1, "not read": 1}


FOUND_BY_DRAWING = {
    "pubtator": ("x.txt", "d|t|Ana ran\nd|a|\nd\t0_\t3\tAna\tPER\n", "x.txt:3: 'd\\t0_… a mention has"),
    "squad": ("x.json", json.dumps({"data": [{"paragraphs": [{"context": "Ana ran", "qas": [{"id": "d", "answers_": [{"text": "Ana", "answer_start": 0}]}]}]}]}), "x.json… a question without answers, which has id, answers_"),
    "squad without questions": ("x.json", json.dumps({"data": [{"paragraphs": [{"context": "a", "qas": []}, {"value": {"context": "Ana ran"}}]}]}), "x.json… a paragraph without qas"),
    "hatexplain": ("x.json", json.dumps([{"post_id": "d", "post_tokens": ["Ana"], "rationales": [[1]], "people": []}]), "x.json… 1 rationale and no annotators"),
    "doccano": ("x.jsonl", json.dumps({"id": 1, "text": "Ana ran", "label": [[0, 3, "PER"]], "Comments": [], "more": [[0, 3, "PER"]]}) + "\n", "x.jsonl: as doccano writes it, but for spans under 'more' … --from doccano"),
}  # fmt: skip
"""Files in which something is marked that was read as nothing, or passed over as something else."""


@pytest.mark.parametrize(
    ("file", "text", "says"), FOUND_BY_DRAWING.values(), ids=[*FOUND_BY_DRAWING]
)
def test_what_drawing_found_is_refused(file, text, says, tmp_path):
    (tmp_path / file).write_text(text)
    with refuses(sa.InputError, f"… {says} …"):
        read_raw_patterns({"x": tmp_path / file}, {})


LANGEXTRACT = {"extraction_class": "PER", "extraction_text": "Ana", "char_interval": {"start_pos": 0, "end_pos": 3}}  # fmt: skip


def test_marks_that_paths_of_a_tool_do_not_lead_to_are_counted_in_large_files(
    tmp_path, monkeypatch
):
    """Behind the beginning, by which a file is known, and in no second pass. By hand."""
    monkeypatch.setattr(unread, "_MAX_SIZE", 0)
    row = {"text": "Ana met Bob.", "extractions": [LANGEXTRACT]}
    rows = [{**row, "document_id": f"{i}"} for i in range(30)]
    rows += [{**row, "document_id": f"{i}", "gold": SPANS, "meta": {"old": SPANS[:1]}} for i in (30, 31)]  # fmt: skip
    raw = read_raw_patterns({"x": write(tmp_path / "x.jsonl", rows)}, {})
    assert raw.balance["segment"] == {"read": 32, "not read": 6}
    says = "6 marks not read, of those under 'gold[*]' (4), 'meta.old[*]' (2)"
    assert any(says in note for note in raw.notes)


def test_marks_in_other_keys_of_large_exports_are_counted(tmp_path, monkeypatch):
    """Of tools with readers of their own: a span, or two, is behind the beginning. By hand."""
    monkeypatch.setattr(unread, "_MAX_SIZE", 0)
    rows = [{**ROW, "_input_hash": i, "_annotator_id": "ann"} for i in range(30)]
    path = write(tmp_path / "p.jsonl", [*rows, {**rows[0], "_input_hash": 31, "gold": SPANS}])
    assert read_raw_patterns({"p": path}, {}).balance["segment"] == {"read": 62, "not read": 2}
    result = [{"type": "labels", "to_name": "text", "value": {"start": 0, "end": 3, "labels": ["PER"]}}]  # fmt: skip
    task = {"data": {"text": "Ana met Bob."}, "annotations": [{"completed_by": 1, "result": result}]}  # fmt: skip
    tasks = [{"id": i, **task} for i in range(30)]
    path = tmp_path / "l.json"
    path.write_text(json.dumps([*tasks, {"id": 31, **task, "gold": SPANS[:1]}]))
    assert read_raw_patterns({"l": path}, {}).balance["segment"] == {"read": 31, "not read": 1}


@pytest.mark.parametrize("kind", ["rows", "iterator", "frame", "arrow", "dataset"])
def test_unread_columns_of_data_in_memory_are_counted(kind):
    """Of each row, one span in an object and a tag are in columns that are not read. By hand."""
    rows = [{"id": f"{i}", "text": "Ana met Bob.", "spans": SPANS, "about": {"gold": SPANS[:1], "who": 1}} for i in range(3)]  # fmt: skip
    rows = [{**row, "iob": ["B-X", "O", "O"]} for row in rows]
    data = rows
    if kind == "iterator":
        data = iter(rows)
    elif kind == "frame":
        data = pytest.importorskip("pandas").DataFrame(rows)
    elif kind == "arrow":
        data = pytest.importorskip("pyarrow").Table.from_pylist(rows)
    elif kind == "dataset":
        data = pytest.importorskip("datasets").Dataset.from_list(rows)
    corpus = sa.read(data)
    says = "6 marks not read, of those under 'about.gold[*]' (3), 'iob' (3)"
    assert corpus.notes[-1] == says
    assert [len(document.segments[corpus.annotators[0]]) for document in corpus] == [2, 2, 2]
    named = sa.read(rows, text="text", spans="spans")
    assert not any("not read" in note for note in named.notes)


def test_tags_by_number_in_columns_that_are_not_read_are_counted():
    """One tag is not O, by the names of its numbers, in a column of another kind. By hand."""
    datasets = pytest.importorskip("datasets")

    def of(*names):
        return datasets.Sequence(datasets.ClassLabel(names=[*names]))

    features = {"tokens": datasets.Sequence(datasets.Value("string")), "ner_tags": of("O", "B-X"), "chunk_tags": of("O", "B-NP"), "pos_tags": of("NN", "VB")}  # fmt: skip
    columns = {"tokens": [["a", "b"]], "ner_tags": [[0, 1]], "chunk_tags": [[1, 0]], "pos_tags": [[0, 1]]}  # fmt: skip
    data = datasets.Dataset.from_dict(columns, features=datasets.Features(features))
    assert sa.read(data).notes[-1] == "1 mark not read, of those under 'chunk_tags' (1)"


def test_data_in_memory_that_yield_nothing_are_refused():
    """The column that is read has no tag, and another has."""
    rows = [{"tokens": ["a", "b"], "ner_tags": ["O", "O"], "chunk_tags": ["B-NP", "O"]}]
    with refuses(sa.InputError, "nothing is marked … 1 mark under 'chunk_tags'; name … tags="):
        sa.read(rows)


def test_marks_whose_end_is_that_of_their_text_are_counted(tmp_path):
    """Found by drawing: entities of tagtog once more, below another key."""
    entity = {"classId": "PER", "part": "s1p1", "offsets": [{"start": 0, "text": "Ana"}], "fields": {}}  # fmt: skip
    document = {"annotatable": {"parts": ["s1p1"]}, "anncomplete": True, "sources": [], "metas": {}, "entities": [entity], "relations": []}  # fmt: skip
    (tmp_path / "d.txt").write_text("Ana met Bob.")
    path = tmp_path / "d.ann.json"
    path.write_text(json.dumps({**document, "note": {"entities": [entity]}}))
    assert read_raw_patterns({"d": path}, {}).balance["segment"] == {"read": 1, "not read": 1}
