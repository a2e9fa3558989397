"""Records of JSON by paths: each entry of the table, its line of options, and real files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses

import spanagree as sa
from spanagree.cli.main import main
from spanagree.formats.file_parts import read_raw_patterns
from spanagree.formats.paths import find_first_value, find_keyed_values, find_values
from spanagree.formats.recognise import find_format
from spanagree.formats.records import ReadLog
from spanagree.formats.registry import TOOLS, load_registered_formats
from spanagree.formats.tools import PATHS
from spanagree.formats.write import write_file
from spanagree.tools.questions import yield_crowdtruth_rows
from spanagree.tools.translation_errors import yield_appraise_rows

ROOT = Path(__file__).parent.parent.parent
TEXT = "Jo met Al in Rome."
JO, ROME = (0, 2, "PER"), (13, 17, "LOC")


def spans(start, end, label, quote="", shift=0):
    """Both names as objects with keys of these names; ends moved by so much."""
    rows = []
    for a, b, kind in (JO, ROME):
        row = {start: a, end: b + shift, label: kind}
        rows.append({**row, quote: TEXT[a:b]} if quote else row)
    return rows


WORDS = TEXT.replace(".", " .").split()
TOKENS = [[0, 0, "PER"], [4, 4, "LOC"]]
EXAMPLES = {
    # made from the documentation of each tool, or in the shape of a published file
    "dataturks": [
        {"content": TEXT, "annotation": [{"label": ["PER"], "points": [{"start": 0, "end": 1, "text": "Jo"}]}, {"label": ["LOC"], "points": [{"start": 13, "end": 16, "text": "Rome"}]}]},
        {"content": "Nothing.", "annotation": []},
    ],
    "gliner": [{"tokenized_text": WORDS, "ner": TOKENS}, {"tokenized_text": ["No"], "ner": []}],
    "dygie": [
        {"doc_key": "a", "sentences": [WORDS[:3], WORDS[3:]], "ner": [[TOKENS[0]], [TOKENS[1]]], "relations": [[], [[0, 0, 4, 4, "IN"]]]},
        {"doc_key": "b", "sentences": [["No"]], "ner": [[]]},
    ],
    "docred": [
        {"title": "a", "sents": [WORDS[:3], WORDS[3:]], "vertexSet": [[{"name": "Jo", "sent_id": 0, "pos": [0, 1], "type": "PER"}], [{"name": "Rome", "sent_id": 1, "pos": [1, 2], "type": "LOC"}]], "labels": [{"h": 0, "t": 1, "r": "IN", "evidence": [0]}]},
        {"title": "b", "sents": [["No"]], "vertexSet": [], "labels": []},
    ],
    "spert": [
        {"tokens": WORDS, "entities": [{"type": kind, "start": a, "end": b + 1} for a, b, kind in TOKENS], "relations": [{"type": "IN", "head": 0, "tail": 1}], "orig_id": "a"},
        {"tokens": ["No"], "entities": [], "relations": [], "orig_id": "b"},
    ],
    "langextract": [
        {"document_id": "a", "text": TEXT, "extractions": [{"extraction_class": "PER", "extraction_text": "Jo", "char_interval": {"start_pos": 0, "end_pos": 2}}, {"extraction_class": "LOC", "extraction_text": "Rome", "char_interval": None}]},
        {"document_id": "b", "text": "No", "extractions": []},
    ],
    "pubannotation": [
        {"text": TEXT, "denotations": [{"id": kind, "span": {"begin": a, "end": b}, "obj": kind} for a, b, kind in (JO, ROME)], "relations": [{"id": "R1", "pred": "IN", "subj": "PER", "obj": "LOC"}]},
        {"text": "No", "denotations": []},
    ],
    "tecoholic": [{"classes": ["PER", "LOC"], "annotations": [[TEXT, {"entities": [list(JO), list(ROME)]}], ["No", {"entities": []}]]}],
    "gate": [{"name": "a", "text": TEXT, "annotation_sets": {"ann": {"name": "ann", "annotations": [{"type": "PER", "start": 0, "end": 2, "id": 0, "features": {}}]}, "bob": {"name": "bob", "annotations": []}}}],
    "lighttag": [{"examples": [{"example_id": "a", "content": TEXT, "annotations": spans("start", "end", "tag", "value")}, {"example_id": "b", "content": "No", "annotations": []}]}],
    "ubiai": [{"documentName": "a", "document": TEXT, "annotation": spans("start", "end", "label", "text")}, {"documentName": "b", "document": "No", "annotation": []}],
    "ground-truth": [
        {"source": TEXT, "names": {"annotations": {"entities": spans("startOffset", "endOffset", "label")}}, "names-metadata": {"human-annotated": "yes"}},
        {"source": "No", "names": {"annotations": {"entities": []}}},
    ],
    "spacy-pairs": [[TEXT, {"entities": [list(JO), list(ROME)]}], ["No", {"entities": []}]],
    "spacy-json": [{"text": text, "ents": [{"start": a, "end": b, "label": kind} for a, b, kind in marked], "sents": [{"start": 0, "end": len(text)}], "tokens": [{"id": 0, "start": 0, "end": 2}]} for text, marked in ((TEXT, (JO, ROME)), ("No", ()))],
    "squad": [{"version": "1.1", "data": [{"title": "t", "paragraphs": [{"context": TEXT, "qas": [
        {"id": "a", "question": "Who?", "answers": [{"text": "Jo", "answer_start": 0}]}, {"id": "b", "question": "Why?", "is_impossible": True, "answers": []}]}]}]}],
    "universalner": [
        {"id": f"{number}", "conversations": [{"from": "human", "value": f"Text: {text}"}, {"from": "gpt", "value": "I've read this text."}, {"from": "human", "value": f"What describes {kind} in the text?"}, {"from": "gpt", "value": json.dumps(some)}]}
        for number, (text, kind, some) in enumerate([(TEXT, "PER", ["Jo"]), (TEXT, "LOC", ["Rome"]), (TEXT, "ORG", []), ("No", "PER", [])])],
    "bigbio": [
        {"id": "1", "document_id": "a", "passages": [{"id": "p", "type": "title", "text": ["Jo met Al"], "offsets": [[0, 9]]}, {"id": "q", "type": "abstract", "text": ["in Rome."], "offsets": [[10, 18]]}], "entities": [{"id": f"e{a}", "type": kind, "text": [TEXT[a:b]], "offsets": [[a, b]], "normalized": []} for a, b, kind in (JO, ROME)], "events": [], "coreferences": [], "relations": [{"id": "r", "type": "IN", "arg1_id": "e0", "arg2_id": f"e{ROME[0]}"}]},
        {"id": "2", "document_id": "b", "passages": [{"id": "r", "type": "title", "text": ["No"], "offsets": [[0, 2]]}], "entities": []},
    ],
    "argilla": [
        {"id": "a", "status": "completed", "fields": {"text": TEXT}, "suggestions": {}, "responses": {"good": [{"value": "yes", "user_id": "u"}], "kinds": [{"value": ["x"], "user_id": "u"}], "ner": [{"value": spans("start", "end", "label"), "user_id": "u", "status": "submitted"}]}},
        {"id": "b", "status": "pending", "fields": {"text": "No"}, "suggestions": {}, "responses": {"ner": [{"value": [], "user_id": "u", "status": "submitted"}, {"value": [], "user_id": "v", "status": "discarded"}]}},
    ],
    "hatexplain": [{"a_gab": {"post_id": "a_gab", "post_tokens": WORDS, "annotators": [{"label": "offensive", "annotator_id": 7, "target": []}], "rationales": [[1, 0, 0, 1, 1, 0]]}, "b_gab": {"post_id": "b_gab", "post_tokens": ["No"], "annotators": [{"label": "normal", "annotator_id": 7, "target": []}], "rationales": []}}],
    "mqm-answers": [
        {"src": "s", "tgt": TEXT, "doc_id": "d", "seg_id": 1, "evaluation": {"annotation": "```json ...", "errors": [{"start": None, "end": None, "is_source_error": side, "span": said, "category": kind} for said, kind, side in (("Jo", "PER", False), ("s", "SRC", True), ("Rome", "LOC", False))]}, "human_evaluation": None},
        {"src": "s", "tgt": "No", "doc_id": "d", "seg_id": 2, "evaluation": {"errors": []}},
    ],
    "batch-output": None,  # texts stand elsewhere, see below
    "by-id": [{"a": {"text": TEXT, "entities": [["Jo", "PER"], ["Rome", "LOC"]]}, "b": {"text": "No", "entities": []}}],
}  # fmt: skip
"""What each writes in JSON."""

FILES = {
    "tagged-lines": {"x.txt": "<PER>Jo</PER> met Al in <LOC>Rome</LOC>.\n\nNo\n"},
    "toxic-spans": {"x.csv": f'spans,text\n"[0, 1, 13, 14, 15, 16]",{TEXT}\n[],No\n'},
    "kaggle": {
        "x.csv": "id,class,predictionstring\na,PER,0\na,LOC,4\na,X,0 1 3\n",
        "a.txt": TEXT.replace(".", " ."),
    },
    "crowdtruth": {
        "x.csv": f'_unit_id,_worker_id,tagged_events,original_sentence\na,ann,"[""Jo"", ""Rome""]",{TEXT}\na,bob,[NONE],{TEXT}\n'
    },
    "esa": {
        "x.csv": 'ann,w.S,1,TGT,eng,deu,0,d#S,False,"[{""start_i"":0,""end_i"":1,""severity"":""minor"",""error_type"":null},{""start_i"":""missing"",""end_i"":""missing"",""severity"":""major""}]",1,2\n'
        "ann,w.S,2,TGT,eng,deu,0,d#S,False,[],1,2\nann,w.S,3,BAD,eng,deu,0,d#S#bad1,False,[],1,2\nann,t,3,TGT,eng,deu,0,tutorial2,False,[],1,2\n",
        "texts.jsonl": "\n".join(json.dumps({"id": f"S/d/{i}", "text": t}) for i, t in ((1, TEXT), (2, "No"))),
    },
    "esa-lines": {
        "x.jsonl": "".join(
            json.dumps({"langs": "en-de", "line_id": 0, "src": "?", "tgt": TEXT, "doc_id": "d", "system": "s", "esa_spans": errors, "annotator": who}) + "\n"
            for who, errors in (("a", [{"start_i": 0, "end_i": 1, "severity": "major"}, {"start_i": "missing", "end_i": "missing", "severity": "minor"}]), ("b", []))
        ),
    },
    "seg-rating": {
        "zh-en.mqm.r1.seg.rating": 'S\t{"errors": [{"start": 0, "end": 2, "category": "PER", "severity": "minor", "is_source_error": false}, {"start": 0, "end": 1, "category": "SRC", "is_source_error": true}]}\nS\t{"errors": []}\nS\tNone\n',
        "system-outputs/zh-en/S.txt": f"{TEXT}\nNo\nNever\n",
    },
    "m2": {
        "x.m2": "S Jo met Al in Rome .\nA 0 1|||PER|||Bo|||REQUIRED|||-NONE-|||0\nA 4 5|||LOC||||||REQUIRED|||-NONE-|||0\nA -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1\n\nS No\nA -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0\n"
    },
    "ua-gec": {
        "0007.a2.ann": "{Jo=>Bo:::error_type=PER} met Al in {Rome=>:::error_type=LOC}."
    },
    "propaganda": {
        "x.labels": "111\tPER\t0\t2\n111\tLOC\t13\t17\n",
        "articles/article111.txt": TEXT,
    },
    "i2b2-con": {
        "x.con": 'c="jo" 2:0 2:0||t="PER"\nc="in rome." 2:3 2:4||t="LOC"\n',
        "txt/x.txt": f"A  line\n{TEXT}\n",
    },
    "tagtog": {
        "x.ann.json": json.dumps({"annotatable": {"parts": ["s1p1", "s1p2"]}, "anncomplete": True, "entities": [
            {"classId": "e_1", "part": "s1p2", "offsets": [{"start": 0, "text": "Jo"}], "confidence": {"who": ["user:ann"]}}]}),
        "x.txt": f"No\n\n{TEXT}\n",
    },
    "potato": {
        "ann/user_state.json": json.dumps({"user_id": "ann", "instance_id_ordering": ["a", "b", "c"], "instance_id_to_label_to_value": {"b": []}, "instance_id_to_span_to_value": {
            "a": [[{"schema": "ner", "name": "PER", "start": 0, "end": 2}, "true"]]}}),
        "texts.jsonl": "\n".join(json.dumps({"id": i, "text": t}) for i, t in (("a", TEXT), ("b", "No"), ("c", "Never"))),
    },
    "factgenie": {
        "campaign/annotations.jsonl": "\n".join(json.dumps({"dataset": "d", "split": "s", "setup_id": "M.1", "example_idx": i, "annotations": marked, "annotator_group": group, "flags": [{"label": "odd", "value": False}]}) for i, group, marked in (
            (0, 0, [{"type": 1, "text": "Jo", "start": 0}, {"type": 0, "text": "Rome", "start": -1}, {"type": 0, "text": "Paris", "start": None}]), (0, 1, []), (1, 0, []))),
        "campaign/config.yaml": "annotation_span_categories:\n- name: LOC\n  description: 'a: b'\n- name: \"PER\"\n  color: red\noptions:\n- name: X\n",
        "outputs/d/s/out.jsonl": "\n".join(json.dumps({"dataset": "d", "split": "s", "setup_id": "m-1", "example_idx": i, "output": t}) for i, t in ((0, TEXT), (1, "No"))),
    },
}  # fmt: skip
"""What each writes in other files, the first of which is read, with those of texts by id."""

MEANT = {
    "tagged-lines": {"1": {"x.txt": (JO, ROME)}, "2": {"x.txt": ()}},
    "toxic-spans": {"1": {"x.csv": ((0, 2, "span"), (13, 17, "span"))}, "2": {"x.csv": ()}},
    "kaggle": {"a": {"x.csv": ((0, 1, "PER"), (0, 4, "X"), (4, 5, "LOC"))}},
    "crowdtruth": {"a": {"ann": ((0, 2, "span"), (13, 17, "span")), "bob": ()}},
    "esa": {"S/d/1": {"ann": ((0, 2, "minor"),)}, "S/d/2": {"ann": ()}},
    "esa-lines": {"en-de/d/0/s": {"a": ((0, 2, "major"),), "b": ()}},
    "seg-rating": {
        "S/1": {"zh-en.mqm.r1.seg.rating": (JO,)},
        "S/2": {"zh-en.mqm.r1.seg.rating": ()},
        "S/3": {"zh-en.mqm.r1.seg.rating": None},
    },
    "m2": {"1": {"0": ((0, 1, "PER"), (4, 5, "LOC")), "1": ()}, "2": {"0": (), "1": None}},
    "ua-gec": {"0007": {"a2": (JO, ROME)}},
    "propaganda": {"111": {"x.labels": (JO, ROME)}},
    "i2b2-con": {"x": {"x.con": ((8, 10, "PER"), (18, 26, "LOC"))}},
    "tagtog": {"x": {"ann": ((4, 6, "e_1"),)}},
    "potato": {"a": {"ann": (JO,)}, "b": {"ann": ()}, "c": {"ann": None}},
    "factgenie": {"d/s/m-1/0": {"0": (JO, ROME), "1": ()}, "d/s/m-1/1": {"0": (), "1": None}},
}


@pytest.fixture
def write(tmp_path):
    def write(records, name="x.jsonl"):
        path = tmp_path / name
        whole = isinstance(records[0], list)
        path.write_text(json.dumps(records) if whole else "\n".join(map(json.dumps, records)))
        return path

    return write


@pytest.mark.parametrize("tool", FILES)
def test_made_up_files(tmp_path, tool):
    """Each is recognised, and read with who saw what. Oracle: as it was made."""
    for name, content in FILES[tool].items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(content, "utf-8")
    first, *others = (tmp_path / name for name in FILES[tool])
    assert find_format(first) == tool
    beside = [path for path in others if path.suffix == ".jsonl" and path.parent == tmp_path]
    corpus = sa.read([first, *beside])
    assert {document.id: document.segments for document in corpus} == MEANT[tool]


def test_the_file_as_annotator(tmp_path):
    """``--annotator @file`` makes one layer of all logins."""
    for name, content in FILES["esa"].items():
        (tmp_path / name).write_text(content, "utf-8")
    given = [tmp_path / name for name in FILES["esa"]]
    assert sa.read(given, annotator="@file").annotators == ("x.csv",)


def test_marked_texts_in_a_folder(tmp_path):
    """UA-GEC's files are no annotations of brat, which also end in .ann."""
    for who, mark in (("a1", "{Jo=>Bo:::error_type=PER}"), ("a2", "Jo")):
        (tmp_path / f"0007.{who}.ann").write_text(f"{mark} met Al in Rome.", "utf-8")
    assert find_format(tmp_path) == "ua-gec"
    assert sa.read(tmp_path)[0].segments == {"a1": (JO,), "a2": ()}


def test_a_folder_that_is_not_brats(tmp_path):
    """A text among files of another kind does not make it one."""
    (tmp_path / "LICENSE.txt").write_text("MIT", "utf-8")
    (tmp_path / "x.json").write_text("[]", "utf-8")
    with pytest.raises(sa.InputError, match=r"LICENSE\.txt, x\.json, and neither brat's"):
        sa.read(tmp_path)


@pytest.mark.parametrize(
    ("config", "label"), [("metadata.json", "PER"), (None, "1"), ("config.yaml", "PER")]
)
def test_campaigns_in_folders(tmp_path, config, label):
    """One group is the folder's annotator; labels have names if the settings have them."""
    (tmp_path / "outputs").mkdir()
    row = {"dataset": "d", "split": "s", "setup_id": "m", "example_idx": 0}
    (tmp_path / "outputs" / "x.jsonl").write_text(json.dumps({**row, "output": TEXT}), "utf-8")
    for model in ("gpt", "llama"):
        folder = tmp_path / model / "files" if config == "metadata.json" else tmp_path / model
        folder.mkdir(parents=True)
        kinds = {"annotation_span_categories": [{"name": "LOC"}, {"name": "PER"}]}
        if config == "metadata.json":
            (tmp_path / model / config).write_text(json.dumps({"config": kinds}), "utf-8")
        else:
            (folder / "config.yaml").write_text(
                "annotation_span_categories:\n- name: LOC\n- name: PER\n" if config else "mode: x\n"
            )
        spans = [{"type": 1, "text": "Jo", "start": 0}]
        line = {**row, "annotations": spans, "annotator_group": 0}
        (folder / "annotations.jsonl").write_text(json.dumps(line), "utf-8")
        (tmp_path / model / "README.txt").write_text("Of whom.", "utf-8")  # no text by id
    assert sa.read(tmp_path)[0].segments == dict.fromkeys(("gpt", "llama"), ((0, 2, label),))
    two = {"a": tmp_path / "gpt", "b": tmp_path / "llama"}
    assert sa.read(two)[0].segments == dict.fromkeys("ab", ((0, 2, label),))
    (tmp_path / "outputs" / "y.jsonl").write_text(json.dumps({**row, "output": "Jo"}), "utf-8")
    with pytest.raises(sa.InputError, match="a second output of 'd/s/m/0', which differs"):
        sa.read(tmp_path)


def test_a_type_that_a_campaign_does_not_have(tmp_path):
    kinds = [{"name": "PER"}]
    row = {"dataset": "d", "split": "s", "setup_id": "m", "example_idx": 0, "output": TEXT}
    row |= {"metadata": {"annotator_id": "ik", "annotation_span_categories": kinds}}
    row |= {"annotations": [{"type": 1, "text": "Jo", "start": 0}]}
    (tmp_path / "x.jsonl").write_text(json.dumps(row), "utf-8")
    with pytest.raises(sa.InputError, match="type 1; the campaign has the labels 0 to 0"):
        sa.read(tmp_path / "x.jsonl")


def test_all_are_made_up():
    """No tool is without an example."""
    assert {name for name, tool in TOOLS.items() if not tool.read} == {*EXAMPLES, *FILES}
    assert FILES.keys() == MEANT.keys()


@pytest.mark.parametrize("tool", [tool for tool, records in EXAMPLES.items() if records])
def test_made_up(write, tool):
    """Each is recognised, and read as it was made: two names, or one of a GATE set; and nothing."""
    path = write(EXAMPLES[tool])
    assert find_format(path) == tool
    corpus = sa.read(path)
    segments = [some for some in corpus[0].segments.values() if some is not None]
    expected = [(0, 1, "PER"), (4, 5, "LOC")] if corpus.offsets == "tokens" else [JO, ROME]
    if tool == "gate":
        assert corpus.annotators == ("ann", "bob")
        assert segments == [(JO,), ()]
        return
    if tool == "squad":
        expected = [(0, 2, "answer")]
    if tool == "hatexplain":
        expected = [(0, 1, "offensive"), (3, 5, "offensive")]
    assert [tuple(map(tuple, some)) for some in segments] == [tuple(expected)]
    assert [len(some) for some in corpus[1].seen.values()] == [0]


@pytest.mark.parametrize("tool", ["bigbio", "docred", "dygie", "pubannotation", "spert"])
def test_relations(write, tool):
    """They link what they name, by id, number, entity or place; one to nothing is refused."""
    corpus = sa.read(write(EXAMPLES[tool]))
    (relation,) = corpus.relations
    assert (relation.first.label, relation.label, relation.second.label) == ("PER", "IN", "LOC")
    records = json.loads(json.dumps(EXAMPLES[tool]))
    for key in ("entities", "denotations", "ner", "vertexSet"):
        if key in records[0]:
            del records[0][key][1:]
    with refuses(sa.InputError, "… relation 1: relation 'IN' links a segment"):
        sa.read(write(records))


OF_PATHS = {"dataturks", "gliner", "langextract", "tecoholic", "gate"}
OF_PATHS |= {"ubiai", "ground-truth"}  # an empty list marks nothing, null is unseen
PLAIN = [name for name, tool in TOOLS.items() if EXAMPLES.get(name) and not tool.is_deep]


@pytest.mark.parametrize("name", PLAIN)
def test_its_line_of_options(write, name):
    """The options on the page read the same. Oracle: the entry itself."""
    path = write(EXAMPLES[name])
    given = {key: getattr(TOOLS[name], key) for key in (*PATHS, "ends")}
    given = {key: value for key, value in given.items() if value}
    line = " ".join(f"--{key} '{value}'" for key, value in given.items())
    page = ROOT / "docs" / "tools" / "records.md"
    assert f"`{line}`".replace("|", "\\|") in page.read_text("utf-8")
    assert sa.read(path, "paths", **given) == sa.read(path)


GUESSED = {
    # a file, and what is guessed of it
    "-DOCSTART- -X- O O\n\nJo NNP B-NP B-PER\nran VBD B-VP O\n": {"from": "conll", "columns": {"x.txt": 3}, "scheme": "IOB2"},
    "Jo I-PER\nDoe I-PER\nAl B-PER\n": {"from": "conll", "columns": {"x.txt": 1}, "scheme": "IOB1"},
    "sentence_id,token,gold,pred\n1,Jo,B-X,B-X\n1,ran,O,O\n2,Al,B-X,O\n": {"from": "conll", "columns": {"gold": 2, "pred": 3}, "scheme": "IOB2"},
    "document;text;annotator;start;end;label\n1;Jo met;ann;0;2;X\n": {"from": "dataset", "text": "text", "spans": "start,end,label", "annotator": "annotator", "document": "document"},
    '{"id": 1, "text": "Jo met", "gold": [[0, 2, "X"]], "pred": []}': {"from": "dataset", "text": "text", "spans": {"gold": "gold", "pred": "pred"}, "document": "id"},
    '{"id": 1, "tokens": ["Jo", "met"], "tags": ["B-X", "O"]}': {"from": "dataset", "tokens": "tokens", "tags": {"tags": "tags"}, "document": "id"},
}  # fmt: skip


HOW = {
    # a file, what is given with it, and what it is read with
    "length": ('{"id": 1, "length": 6, "spans": [[0, 2, "X"]]}', [], {"from": "dataset", "spans": "spans", "document": "id"}),
    "flags": ("Jo B-X I-X\nran I-X O\n", ["--strict", "--columns", "a=1,b=2"], {"strict": True, "columns": {"a": 1, "b": 2}}),
    "deep": (json.dumps(EXAMPLES["argilla"]), ["--annotator", "@file", "--encoding", "latin-1"], {"from": "argilla", "annotator": "@file"}),
    "nowhere": ('[{"document_id": "a", "text": "Jo met", "extractions": [{"extraction_class": "X", "extraction_text": "Jo", "char_interval": null}]}]', [], {"from": "langextract"}),
    "lists": ('text,spans\nJo met,"[[0, 2, ""X""]]"\nNo,[]\n', ["--labels", "X,Y"], {"from": "dataset", "labels": ["X", "Y"], "text": "text", "spans": "spans"}),
}  # fmt: skip


def reading(path, *given, capsys):
    """What the JSON of check says of how a file is read."""
    assert main(["check", str(path), *given, "--format", "json"]) in (None, 0)
    return json.loads(capsys.readouterr().out)["reading"][str(path)]


def corpus_of(path, reading):
    """The corpus that is read so."""
    options = {name: value for name, value in reading.items() if name != "from"}
    return sa.read(path, reading["from"], **options)


@pytest.mark.parametrize("case", HOW)
def test_the_reading_with_options(tmp_path, case, capsys):
    """It has what was given, and reads the same. Oracle: the file so."""
    content, given, has = HOW[case]
    path = tmp_path / {"lists": "x.csv", "flags": "x.conll"}.get(case, "x.json")
    path.write_text(content, "utf-8")
    how = reading(path, *given, capsys=capsys)
    assert how.items() >= has.items()
    out = tmp_path / "out.jsonl"
    assert main(["convert", str(path), *given, "-o", str(out)]) in (None, 0)
    again = tmp_path / "again.jsonl"
    sa.write_jsonl(corpus_of(path, how), again)
    assert sa.read(out) == sa.read(again)


@pytest.mark.parametrize("content", GUESSED)
def test_the_reading_of_a_guess(tmp_path, content, capsys):
    """It stands for the guess: read with it, all is the same. Oracle: the file without options."""
    path = tmp_path / ("x.jsonl" if content.startswith("{") else "x.txt")
    path.write_text(content, "utf-8")
    how = reading(path, capsys=capsys)
    assert how == GUESSED[content]
    assert corpus_of(path, how) == sa.read(path)


def test_the_page_says_who_saw_what():
    """A row for each entry that is more than paths."""
    page = (ROOT / "docs" / "tools" / "records.md").read_text("utf-8")
    rows = [line.split("|")[1] for line in page.splitlines() if line.startswith("| `")][1:]
    named = [name.strip(" `") for row in rows for name in row.split(",")]
    assert sorted(named) == named
    assert {*named} == {*FILES, *EXAMPLES} - OF_PATHS


def test_a_tool_that_nobody_knows(write):
    """Paths alone open it, without a format."""
    rows = [{"nr": 7, "body": {"raw": TEXT}, "votes": [{"by": {"nick": "ann"}, "marks": spans("from", "upto", "kind", shift=-1)}]}]  # fmt: skip
    given = {"text": "body.raw", "spans": "votes[*].marks[*]", "start": "from", "end": "upto"}
    given |= {"document": "nr", "label": "kind", "annotator": "votes[0].by.nick"}
    corpus = sa.read(write(rows), **given, ends="inclusive")
    assert corpus[0].id == "7"
    assert corpus[0].segments == {"ann": (JO, ROME)}
    assert corpus.reading["read"]["start"] == "from"


REFUSED = {
    "no spans": ({"start": "from", "text": "t"}, "paths name no spans; --spans leads to the spans"),
    "no text": ({"start": "from", "spans": "s[*]"}, "paths name neither text nor tokens"),
    "no path": (
        {"start": "from", "spans": "s[", "text": "t"},
        r"path 's\['; keys with dots between",
    ),
    "nowhere": (
        {"start": "a", "spans": "x[*]", "text": "t"},
        r"spans 'x\[\*\]' leads nowhere in any",
    ),
    "no quote": (
        {"start": "from", "end": "to", "quote": "q", "spans": "s[*]", "text": "t"},
        "quote 'q' leads nowhere in any",
    ),
    "no end": ({"start": "from", "end": "b", "spans": "s[*]", "text": "t"}, "nothing stands at b"),
    "no start": ({"start": "a", "spans": "s[*]", "text": "t"}, "nothing stands at a"),
    "nobody": (
        {"start": "from", "end": "to", "spans": "s[*]", "text": "t", "annotator": "who"},
        "x.jsonl:1: nothing stands at the annotator's path 'who'",
    ),
    "no such text": (
        {"start": "a", "spans": "s[*]", "text": "x"},
        "no text at 'x'; there are t, s",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(write, case):
    """One line each: a path that fits nothing, and start without spans."""
    given, message = REFUSED[case]
    with pytest.raises(sa.SpanAgreeError, match=message) as error:
        sa.read(write([{"t": TEXT, "s": [{"from": 0, "to": 2}]}]), **given)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("path", ["s", "s[*]", "x[*]|s[*]"])
def test_spans_by_their_usual_names(write, path):
    """A path to a list or to its elements, without those in them. Oracle: as they were made."""
    rows = [{"t": TEXT, "s": spans("from", "to", "type")}, {"t": "No", "s": []}]
    read = sa.read(write(rows), "paths", text="t", spans=path)
    assert [document.segments for document in read] == [{"x.jsonl": (JO, ROME)}, {"x.jsonl": ()}]


@pytest.mark.parametrize("shift", [0, 1, -1])
def test_quotes_decide_what_ends_name(write, shift):
    """Inclusive ends are seen by the spans' texts; ends that fit nothing are misplaced."""
    rows = [{"documentName": "a", "document": TEXT, "annotation": spans("start", "end", "label", "text", shift=shift)}]  # fmt: skip
    path = write(rows)
    if shift == 1:
        with pytest.raises(sa.InputError, match="relocate-by-text"):
            sa.read(path, ends="exclusive")
        return
    assert sa.read(path)[0].segments == {"x.jsonl": (JO, ROME)}


@pytest.mark.long
@given(st.recursive(st.none() | st.integers(), lambda x: st.lists(x) | st.dictionaries(st.text("ab", min_size=1), x)))  # fmt: skip
def test_paths_lead_somewhere_or_nowhere(value):
    """No record is too odd for a path; ``[*]`` gives as many as there are."""
    for path in ("a", "a.b", "a[*].b", "[0]", "*", "[*][*]|a"):
        assert [each for _, each in find_keyed_values(value, path)] == find_values(value, path)
    if isinstance(value, list):
        assert find_values(value, "[*]") == value
    assert find_first_value({"x": value}, "x") == value


def test_a_pair_a_line(tmp_path):
    """spaCy's pairs in JSON lines, which are lists. Oracle: as it was made."""
    pairs = [[TEXT, {"entities": [list(JO), list(ROME)]}], ["No", {"entities": []}]]
    path = tmp_path / "pairs.jsonl"
    path.write_text("".join(f"{json.dumps(pair)}\n" for pair in pairs), "utf-8")
    corpus = sa.read(path)
    assert [document.segments["pairs.jsonl"] for document in corpus] == [(JO, ROME), ()]


def test_docs_that_nobody_marked(write):
    """What to_json gives without entities has no ents; sentences are none."""
    doc = {"text": "No", "sents": [{"start": 0, "end": 2}], "tokens": [{"start": 0, "end": 2}]}
    path = write([doc])
    assert find_format(path) == "spacy-json"
    assert sa.read(path)[0].segments == {"x.jsonl": None}


def test_groups_of_spans_by_their_path(write):
    """They are passed over, with a note, unless they are asked for. Oracle: as it was made."""
    (doc, _) = EXAMPLES["spacy-json"]
    path = write([{**doc, "spans": {"sc": doc["ents"][:1]}}])
    assert any("1 grouped span passed over" in note for note in sa.read(path).notes)
    asked = sa.read(path, spans="spans.sc[*]")
    assert asked[0].segments == {"x.jsonl": (JO,)}
    assert not any("passed over" in note for note in asked.notes)


def test_denotations_in_pieces(write):
    """A denotation with a list of spans is in pieces. Oracle: as it was made."""
    span = [{"begin": 0, "end": 2}, {"begin": 13, "end": 17}]
    row = {"text": TEXT, "denotations": [{"id": "T1", "span": span, "obj": "X"}]}
    (segment,) = sa.read(write([row]), discontinuous="split")[0].segments.values()
    assert segment == ((0, 2, "X"), (13, 17, "X"))


@pytest.mark.parametrize("said", [["met", "Rome"], ["met Rome"], ["met", "Bonn"]])
def test_entities_in_pieces(write, said):
    """BigBIO has the text of each piece, or one of all; what stands elsewhere is misplaced."""
    row = {"id": "1", "passages": [{"text": [TEXT], "offsets": [[0, len(TEXT)]]}]}
    row["entities"] = [{"id": "e1", "type": "X", "text": said, "offsets": [[3, 6], [13, 17]]}]
    row["entities"].append({"id": "e2", "type": "PER", "text": ["Jo"], "offsets": [[0, 2]]})
    row["relations"] = [{"id": "r", "type": "in", "arg1_id": "e2", "arg2_id": "e1"}]
    if "Bonn" in said:
        with refuses(sa.InputError, "… document '1' … not 'met Bonn'"):
            sa.read(write([row]))
        return
    ((first, second),) = sa.read(write([row]))[0].segments.values()
    assert (first, second.pieces) == (JO, ((3, 6), (13, 17)))
    (relation,) = sa.read(write([row]))[0].relations
    assert (relation.first, relation.second, relation.label) == (first, second, "in")


@pytest.mark.parametrize("tag", ["<PER>Jo</PER>", '<x type="PER">Jo</x>', "<PER id='1'>Jo</PER>"])
def test_tags_in_lines(tmp_path, tag):
    """With attributes too, and lines without a tag. Oracle: as it was made."""
    path = tmp_path / "answers.txt"
    path.write_text(f"{tag} met Al in Rome.\nNo\n", "utf-8")
    corpus = sa.read(path)
    assert corpus.texts == (TEXT, "No")
    assert [document.segments["answers.txt"] for document in corpus] == [(JO,), ()]


def test_who_saw_examples_of_lighttag(write):
    """As seen_by and annotated_by say, which the tool writes; others are counted. Oracle: as made."""
    ann, bob, cy = ({"annotator_id": i, "annotator": name} for i, name in enumerate(["ann", "bob", "cy"]))  # fmt: skip
    jo, rome = spans("start", "end", "tag", "value")
    examples = [
        {"example_id": "a", "content": TEXT, "seen_by": [ann, bob, cy], "annotations": [{**jo, "annotated_by": [ann, bob]}, {**rome, "annotated_by": [bob]}]},
        {"example_id": "b", "content": "No", "seen_by": [cy], "annotations": [], "classifications": [{"classname": "x"}]},
        {"example_id": "c", "content": "Not", "seen_by": [], "annotations": []},
    ]  # fmt: skip
    corpus = sa.read(write([{"examples": examples, "relations": [{}, {}]}]))
    assert [{**document.seen} for document in corpus] == [{"ann": (JO,), "bob": (JO, ROME), "cy": ()}, {"cy": ()}, {}]  # fmt: skip
    assert any("2 relations and 1 class of a text passed over" in note for note in corpus.notes)
    for example in examples:
        del example["seen_by"]
    corpus = sa.read(write([{"examples": examples}]))
    assert [{**document.seen} for document in corpus] == [{"ann": (JO,), "bob": (JO, ROME)}, {}, {}]
    assert any("nobody says whether annotators saw documents" in note for note in corpus.notes)


def test_two_questions_of_argilla(write):
    """Spans that answer two questions are one annotation of a document, and a note says so."""

    def answer(*marked):
        values = [{"start": a, "end": b, "label": kind} for a, b, kind in marked]
        return [{"user_id": "u", "status": "submitted", "value": values}]

    rows = [{"id": "a", "fields": {"text": TEXT}, "responses": {"ner": answer(JO), "cues": answer(ROME)}}]  # fmt: skip
    rows.append({"id": "b", "fields": {"text": "No"}, "responses": {"ner": answer(), "cues": []}})
    corpus = sa.read(write(rows))
    assert [{**document.seen} for document in corpus] == [{"u": (JO, ROME)}, {"u": ()}]
    assert any("spans under ner, cues are read as one annotation" in x for x in corpus.notes)
    rows[0]["responses"].pop("cues")
    assert not any("one annotation" in note for note in sa.read(write(rows)).notes)


def test_odd_values_leave_nothing_out(write):
    """A list where a tool has a word or a truth value is none of those that leave something out."""
    answer = [{"user_id": "u", "status": ["draft"], "value": spans("start", "end", "label")}]
    row = {"id": "a", "fields": {"text": TEXT}, "responses": {"ner": answer}}
    assert sa.read(write([row]))[0].seen == {"u": (JO, ROME)}
    error = {"start": 0, "end": 2, "span": "Jo", "category": "PER", "is_source_error": {}}
    row = {"src": "s", "tgt": TEXT, "doc_id": "d", "seg_id": 1, "evaluation": {"errors": [error]}}
    assert [*sa.read(write([row]))[0].seen.values()] == [(JO,)]


def test_documents_and_spans_without_names(write):
    """GATE writes no name as an empty one; an empty list of labels is no label."""
    record = {"name": "", "text": TEXT, "annotation_sets": {"ann": {"annotations": []}}}
    assert sa.read(write([record]))[0].id == "1"
    marked = [{"label": ["X"], "points": [{"start": 3, "end": 5, "text": "met"}]}]
    marked += [{"label": [], "points": [{"start": 0, "end": 1, "text": "Jo"}]}]
    with refuses(sa.InputError, "… without a label … --repair drop-unlabelled"):
        sa.read(write([{"content": TEXT, "annotation": marked}]))


def test_utf_16_units_of_gate(write):
    """A bdoc that says so counts UTF-16 units."""
    record = {"name": "a", "text": "😀 Jo", "annotation_sets": {"ann": {"annotations": [{"type": "X", "start": 3, "end": 5}]}}}  # fmt: skip
    for unit, expected in (("j", (2, 4, "X")), ("p", (3, 5, "X"))):
        path = write([{**record, "offset_type": unit}])
        if unit == "p":
            with pytest.raises(sa.InputError, match="ends beyond the document"):
                sa.read(path)
        else:
            assert sa.read(path)[0].segments == {"ann": (expected,)}


def test_an_entry_explains_all_that_looks_like_annotations(write):
    """Rows as Prodigy writes them, without hashes, are no Doc of spaCy: spans are in them."""
    tokens = [{"text": "Jo", "start": 0, "end": 2, "id": 0, "ws": True}]
    row = {"text": TEXT, "spans": spans("start", "end", "label"), "tokens": tokens}
    path = write([row])
    assert find_format(path) == "dataset"
    assert [*sa.read(path)[0].seen.values()] == [(JO, ROME)]
    hashed = {**row, "spans": [], "_input_hash": 1, "_task_hash": 2}  # nothing that could be left
    assert find_format(write([hashed])) == "prodigy"
    doc = {"text": TEXT, "ents": row["spans"], "tokens": tokens, "sents": [{"start": 0, "end": 18}]}
    doc["spans"] = {"sc": [{"start": 0, "end": 2, "label": "X"}]}
    assert find_format(write([doc])) == "spacy-json"
    gold, mine = write([row], "gold.jsonl"), write([{**row, "spans": row["spans"][:1]}], "m.jsonl")
    result = sa.evaluate(sa.read({"gold": gold, "mine": mine}), gold="gold")["mine"]
    assert result.f1.observed == pytest.approx(2 / 3)  # one of two: 2·1/(2+1)


def test_two_entries_that_know_a_file(write):
    """If both read the same, it is the first's; if not, both are named."""
    both = {"document": TEXT, "annotation": spans("start", "end", "label"), "content": TEXT}
    both["annotation"] = [{**span, "points": [{"start": span["start"], "end": span["end"] - 1}]} for span in both["annotation"]]  # fmt: skip
    path = write([both])
    assert find_format(path) == "dataturks"
    both["annotation"][0]["points"][0]["start"] = 1
    with refuses(
        sa.InputError, "… dataturks and ubiai both know it … --from dataturks or --from ubiai"
    ):
        sa.read(write([both]))
    assert len(sa.read(path, "ubiai").layers[path.name]) == 2


@pytest.mark.parametrize("annotations", [{"1": {"start": 0}}, "none", 7])
def test_a_wrong_shape_is_not_marked_nothing(write, annotations):
    """An object in place of GATE's list gave F1 0 without a word."""
    record = {"name": "a", "text": TEXT, "annotation_sets": {"ann": {"annotations": annotations}}}
    with refuses(sa.InputError, "… annotator 'ann': annotations … annotations[*] leads to nothing"):
        sa.read(write([record]))
    record["annotation_sets"]["ann"]["annotations"] = {}  # as some write an empty list
    assert sa.read(write([record]))[0].segments == {"ann": ()}


WRONG = {
    # by tool a record whose spans stand in an object
    "dataturks": {"content": TEXT, "annotation": {"1": {"label": ["PER"], "points": []}}},
    "gate": {"text": TEXT, "annotation_sets": [{"name": "ann", "annotations": []}]},
    "dygie": {"doc_key": "a", "sentences": [WORDS], "ner": {"0": [[0, 0, "PER"]]}},
    "spert": {"tokens": WORDS, "entities": {"0": {"type": "X", "start": 0, "end": 1}}},
    "gliner": {"tokenized_text": WORDS, "ner": {"0": [0, 0, "PER"]}},
    "langextract": {"text": TEXT, "extractions": {"0": {"extraction_text": "Jo"}}},
    "pubannotation": {"text": TEXT, "denotations": {"T1": {"span": {"begin": 0, "end": 2}}}},
    "ubiai": {"document": TEXT, "annotation": {"0": {"start": 0, "end": 2, "label": "X"}}},
    "spacy-json": {"text": TEXT, "ents": {"0": {"start": 0, "end": 2, "label": "X"}}},
    "esa-lines": {"tgt": TEXT, "langs": "a", "esa_spans": {"0": {"start_i": 0, "end_i": 2}}},
    "mqm-answers": {"src": "", "tgt": TEXT, "evaluation": {"errors": {"0": {"span": "Jo"}}}},
    "squad": {"data": [{"paragraphs": [{"context": TEXT, "qas": {"0": {}}}]}]},
    "bigbio": {"passages": [{"text": [TEXT], "offsets": [[0, 18]]}], "entities": {"0": {}}},
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_no_tool_takes_an_object_for_an_empty_list(write, name):
    with refuses(sa.InputError, "… leads to nothing in it"):
        sa.read(write([WRONG[name]]), name)


def test_relations_and_labels_in_another_shape(write):
    """Relations in an object are refused; of several lists of labels all are read."""
    row = {**EXAMPLES["spert"][0], "relations": {"0": {"type": "IN", "head": 0, "tail": 1}}}
    with refuses(sa.InputError, "… relations … relations[*] leads to nothing in it"):
        sa.read(write([row]), "spert")
    span = {"start": 0, "end": 2, "kinds": [{"names": ["A"]}, {"names": ["B", "C"]}]}
    paths = {"text": "text", "spans": "s[*]", "start": "start", "end": "end"}
    corpus = sa.read(write([{"text": TEXT, "s": [span]}]), label="kinds[*].names", **paths)
    assert corpus.labels == ("A", "B", "C")


# --- real files ---------------------------------------------------------------------------------


@pytest.fixture
def door(real):
    folder = real / "data" / "doors"

    def open_door(name, file):
        facts = json.loads((folder / name / "facts.json").read_text("utf-8"))
        return folder / name / file, facts

    return open_door


def labels_of(raw):
    names, counts = raw.labels, {}
    for code in raw.label.tolist():
        counts[names[code]] = counts.get(names[code], 0) + 1
    return counts


def test_dataturks(door):
    path, facts = door("dataturks", "ner_dataset.json")
    raw = read_raw_patterns({"x": path}, {})
    silent = len(raw.document_index) - len({*raw.annotation.tolist()})
    assert (len(raw.lengths), len(raw.start)) == (facts["documents"], facts["spans"])
    assert labels_of(raw) == facts["labels"]
    assert silent == facts["without_annotation"]
    assert int((raw.quote == -1).sum()) == facts["inclusive_fits"]


def test_gliner(door):
    path, facts = door("llm_gliner", "sample_data.json")
    raw = read_raw_patterns({"x": path}, {})
    assert (len(raw.lengths), len(raw.start)) == (facts["items"], facts["spans"])
    assert len(raw.labels) == facts["labels"]
    assert int((raw.end - raw.start == 1).sum()) == facts["one_token_spans"]
    assert sa.read(path) is not None  # without a repair


@pytest.mark.parametrize(
    ("folder", "file", "documents", "spans"),
    [
        ("pubannotation", "PMC-7646410_cut.json", "divisions", "denotations"),
        ("pubannotation", "PMC-7646410_2.json", "divisions", "denotations"),
        ("spacy_v2_tuples", "annotations_v1.0.json", "texts", "spans"),
    ],
)
def test_documents_and_spans_of(door, folder, file, documents, spans):
    path, facts = door(folder, file)
    raw = read_raw_patterns({"x": path}, {})
    own = facts[file.replace("annotations_", "annotations ")]
    assert (len(raw.lengths), len(raw.start)) == (own[documents], own[spans])
    assert labels_of(raw) == own["labels"]


def test_langextract(door):
    path, facts = door("llm_langextract", "medical_small.jsonl")
    own = facts["medical_small.jsonl"]
    raw = read_raw_patterns({"x": path}, {})
    assert len(raw.start) == own["extractions"]
    assert int((raw.quote == -1).sum()) == own["slice_equals_text"]
    assert labels_of(raw) == own["classes"]
    path, facts = door("llm_langextract", "contract_ja.jsonl")
    own = facts["contract_ja.jsonl"]
    raw = read_raw_patterns({"x": path}, {})
    quotes = raw.reading["quotes"]["x"]
    assert quotes["read"] == own["char_interval_null"]
    assert int(raw.is_misplaced.sum()) == own["slice_differs"]
    with refuses(sa.InputError, "… in the text, not … --repair drop-misplaced"):
        sa.read(path)


def test_gate(door):
    path, facts = door("gate", "testdoc1.bdocjs")
    own = facts["testdoc1.bdocjs"]
    raw = read_raw_patterns({"x": path}, {})
    counts = [int((raw.annotator_index[raw.annotation] == a).sum()) for a in range(2)]
    assert dict(zip(raw.annotators, counts, strict=True)) == {"x": 2, "Set2": own["sets"]["Set2"]}
    assert int(raw.lengths[0]) == own["text_codepoints"]


# --- readers of other packages ------------------------------------------------------------------

MODULE = r"""
from pathlib import Path

from spanagree.formats.tools import Tool

TOOL = Tool("nicks", "a tool", knows=("body", "nicks"), text="body", spans="nicks[*]", start="a", end="b")
OTHER = 3
BY = Tool(
    "nicks", "marks with names", knows=("body", "marks"), text="body", spans="marks[*]", start="a",
    end="b", annotator="marks[*].by",
)


def rows(path, encoding):
    for line in Path(path).read_text(encoding).splitlines():
        body, start, end = line.removeprefix("%NICK ").rstrip().rsplit(" ", 2)
        yield "a line", {"body": body, "nicks": [{"a": int(start), "b": int(end)}]}


def write(corpus, path):
    lines = [f"%NICK {d.text} {s.start} {s.end}" for d in corpus for s in d.segments["x.nick"]]
    Path(path).write_text("\n".join(lines), "utf-8")


LINES = Tool(
    "nicks", "lines", begins="%NICK ", rows=rows, text="body", spans="nicks[*]", start="a", end="b",
    write=write,
)
"""


@pytest.fixture
def install(tmp_path, monkeypatch):
    """Installs a package with an entry point of this name, in a folder of its own."""

    def install(name, value):
        folder = tmp_path / "site"
        info = folder / "nicks-1.dist-info"
        info.mkdir(parents=True)
        (folder / "nicks_of.py").write_text(MODULE, "utf-8")
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: nicks\nVersion: 1\n")
        (info / "entry_points.txt").write_text(f"[spanagree.readers]\n{name} = {value}\n")
        monkeypatch.syspath_prepend(folder)
        load_registered_formats.cache_clear()

    yield install
    load_registered_formats.cache_clear()


def test_a_registered_reader(install, write, capsys):
    """It is recognised, can be named, and reads as the built-in ones do."""
    path = write([{"body": TEXT, "nicks": [{"a": 0, "b": 2}]}])
    install("nicks", "nicks_of:TOOL")
    assert sa.read(path)[0].segments == {"x.jsonl": ((0, 2, "span"),)}
    assert sa.read(path, "nicks") == sa.read(path)
    assert main(["check", "--from", "nicks", str(path)]) in (None, 0)
    assert "1 segment" in capsys.readouterr().out
    assert main(["check", "--from", "nope", str(path)]) == 2
    assert "'hub', 'nicks'; see 'spanagree check --help'" in capsys.readouterr().err


def test_a_file_of_tags_asks_no_registered_reader(install, tmp_path):
    """A file of tokens and tags alone is CoNLL, also if its name says nothing."""
    install("nicks", "not_installed:TOOL")
    tagged, other = tmp_path / "answers", tmp_path / "words"
    tagged.write_text("Jo B-PER\nsings O\n\nme O\n")
    other.write_text("Jo PER\nsings O\n\nme O\n")
    assert sa.read(tagged)[0].segments == {"answers": ((0, 1, "PER"),)}
    with refuses(sa.InputError, "the reader 'nicks' … cannot be loaded"):
        sa.read(other)


def test_a_registered_reader_has_an_annotator_in_each_mark(install, write):
    """Each mark is of the annotator whom it names, as by paths of a user."""
    marks = [{"a": 0, "b": 2, "by": "ann"}, {"a": 3, "b": 6, "by": "bob"}]
    path = write([{"body": TEXT, "marks": marks}])
    install("nicks", "nicks_of:BY")
    corpus = sa.read(path)
    assert corpus[0].segments == {"ann": ((0, 2, "span"),), "bob": ((3, 6, "span"),)}
    paths = {"text": "body", "spans": "marks[*]", "start": "a", "end": "b"}
    by_paths = sa.read(path, "paths", annotator="marks[*].by", **paths)
    assert by_paths[0].segments == corpus[0].segments


def test_a_registered_reader_is_asked_like_a_built_in_one(install, tmp_path, capsys):
    """It knows texts by their first lines, and writes what it reads."""
    path, written = tmp_path / "x.nick", tmp_path / "y.nick"
    path.write_text(f"%NICK {TEXT} 0 2", "utf-8")
    install("nicks", "nicks_of:LINES")
    assert sa.read(path)[0].segments == {"x.nick": ((0, 2, "span"),)}
    assert main(["convert", "--to", "nicks", str(path), "-o", str(written)]) in (None, 0)
    assert written.read_text("utf-8") == path.read_text("utf-8")
    assert main(["convert", "--to", "nope", str(path), "-o", str(written)]) == 2
    assert "'dataset', 'nicks'" in capsys.readouterr().err


def test_a_registered_reader_that_writes_nothing(install, tmp_path, write, capsys):
    """It is no format to write."""
    path = write([{"body": TEXT, "nicks": [{"a": 0, "b": 2}]}])
    install("nicks", "nicks_of:TOOL")
    assert main(["convert", "--to", "nicks", str(path), "-o", str(tmp_path / "y")]) == 2
    assert "'nicks' is not one of" in capsys.readouterr().err
    with pytest.raises(sa.SettingError, match="format to write 'nicks'"):
        write_file(sa.read(path), tmp_path / "y", "nicks")


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        ("nicks = nicks_of:NONE", "cannot be loaded"),
        ("nicks = no_such_module:X", "cannot be loaded"),
        ("nicks = nicks_of:OTHER", "is 3; a spanagree.formats.tools.Tool is needed"),
        ("conll = nicks_of:TOOL", "has the name of a built-in format; it needs another"),
    ],
)
def test_a_registered_reader_that_fails(install, write, entry, message):
    """One line that names it."""
    install(*entry.split(" = "))
    with pytest.raises(sa.InputError, match=message) as error:
        sa.read(write([{"body": TEXT, "nicks": []}]))
    assert "\n" not in str(error.value)


def test_parts_in_html(tmp_path):
    """tagtog's parts are elements with ids; references to characters are characters."""
    entity = {"classId": "e_1", "part": "s2p1", "offsets": [{"start": 4, "text": "Jo"}]}
    about = {"annotatable": {"parts": ["s1h1", "s2p1"]}, "anncomplete": True, "entities": [entity]}
    (tmp_path / "x.ann.json").write_text(json.dumps(about), "utf-8")
    html = '<html><body><h2 id="s1h1">No</h2>\n<p class="a" id="s2p1">A &amp; Jo</p></body></html>'
    (tmp_path / "x.plain.html").write_text(html, "utf-8")
    corpus = sa.read(tmp_path / "x.ann.json")
    assert corpus.texts == ("No\nA & Jo\n",)
    assert corpus[0].segments == {"x.ann.json": ((7, 9, "e_1"),)}


def test_what_is_not_as_it_should_be(write):
    """One line that says where, whatever is inside."""
    path = write([{"data": [{"paragraphs": [{"qas": [{"id": 1}]}]}]}])
    with pytest.raises(sa.InputError, match="a question without answers, which has id") as error:
        sa.read(path)
    assert "\n" not in str(error.value)


# --- real files of the entries that make records ---------------------------------------------------


@pytest.fixture
def task_folder(real):
    return real / "data" / "tasks"


def quotes_of(raw):
    counts = raw.reading["quotes"].values()
    return tuple(sum(each[key] for each in counts) for key in ("read", "unaligned"))


def test_universalner(door):
    path, facts = door("llm_lists_universalner", "CrossNER_AI_cut.json")
    own = facts["CrossNER_AI"]
    raw = read_raw_patterns({"x": path}, {})
    assert len(raw.lengths) == own["texts"]
    assert quotes_of(raw) == (own["strings"], 0)
    assert labels_of(raw) == own["by_type"]
    sa.read(path)


@pytest.mark.parametrize("name", ["global.anthropic.claude-haiku-4-5-20251001-v1_0", "openai.gpt-oss-120b-1_0"])  # fmt: skip
def test_mqm_answers(door, name):
    path, facts = door("llm_mqm_cache", f"{name}.jsonl")
    own = facts[f"{name}.jsonl"]
    raw = read_raw_patterns({"x": path}, {})
    silent = len(raw.lengths) - len({*raw.document.tolist()})
    assert (len(raw.lengths), silent) == (own["segments"], own["without_errors"])
    assert quotes_of(raw) == (own["errors"], 0)
    by_severity = read_raw_patterns({"x": path}, {"label": "severity"})
    assert labels_of(by_severity) == own["severity"]
    sa.read(path)


def test_crowdtruth(door):
    """A cell [NONE], which is no JSON, is a judgment that marks nothing."""
    path, facts = door("crowdtruth_highlight", "event-text-highlight.csv")
    raw = read_raw_patterns({"x": path}, {})
    assert (len(raw.lengths), len(raw.annotators)) == (facts["sentences"], facts["workers"])
    assert len(raw.document_index) == facts["rows"]
    read, lost = quotes_of(raw)
    assert (read, len(raw.start)) == (facts["strings"], read - lost)
    rows = list(yield_crowdtruth_rows(path, "utf-8", ReadLog("x")))
    once = [{(row["id"], s["text"].lower()) for s in row["spans"]} for _, row in rows]
    assert lost <= facts["in_processed_0"] + read - sum(map(len, once))  # some but for blanks
    none = sum(not row["spans"] for _, row in rows)
    assert none == facts["tagged_events_not_json"]
    corpus = sa.read(path)
    seen = [sum(layer is not None for layer in doc.segments.values()) for doc in corpus]
    assert seen == [20] * facts["workers_per_sentence"]["20"]


@pytest.mark.parametrize("annotator", ["a1", "a2"])
def test_ua_gec(door, annotator):
    path, facts = door("inline_marked_uagec", f"*.{annotator}.ann")
    raw = read_raw_patterns({str(path): path}, {})
    assert raw.annotators == (annotator,)
    assert (len(raw.lengths), len(raw.start)) == (
        facts[f"{annotator}_documents"],
        facts[f"{annotator}_marks"],
    )
    assert int((raw.start == raw.end).sum()) == facts[f"{annotator}_zero_length"]


def test_ua_gec_of_both(door):
    """The two say the same of the text before; an edit of nothing needs the repair named."""
    path, facts = door("inline_marked_uagec", "*.ann")
    raw = read_raw_patterns({"x": path}, {})
    assert len(raw.lengths) == facts["documents"]
    assert facts["source_text_of_the_two_annotators"] == {"equal": len(raw.lengths)}
    with pytest.raises(sa.InputError, match="drop-empty"):
        sa.read(str(path))
    assert set(sa.read(str(path), repair="drop-empty").annotators) == {"a1", "a2"}


@pytest.mark.parametrize("name", ["gec-fluency", "gec-only"])
def test_m2(door, name):
    path, facts = door("inline_marked_uagec", f"{name}.test_first200.m2")
    own = facts[f"{name}.test.m2"]
    raw = read_raw_patterns({"x": path}, {})
    assert len(raw.lengths) == own["sentences"]
    assert len(raw.start) == own["edits"] - own["noop"]
    assert int((raw.start == raw.end).sum()) == own["zero_length"] - own["noop"]
    silent = len(raw.document_index) - len({*raw.annotation.tolist()})
    assert silent == own["noop"]
    assert raw.annotators == tuple(own["by_annotator"])


def test_tagtog(door):
    """The second start counts in its paragraph, not in the whole text."""
    path, facts = door("tagtog", "formatted.ann.json")
    raw = read_raw_patterns({str(path): path}, {})
    text = facts["formatted.txt"]
    assert raw.texts == (text,)
    pairs = zip(raw.start.tolist(), raw.end.tolist(), strict=True)
    assert [text[a:b] for a, b in pairs] == [each["text"] for each in facts["entities"]]
    assert raw.annotators == ("ann1",)
    path, _ = door("tagtog", "article.ann.json")
    with pytest.raises(sa.InputError, match=r"its text, 'article\.txt', is neither"):
        sa.read(path)


@pytest.mark.parametrize("name", ["alice", "bob"])
def test_potato(door, name):
    """A project without spans is refused, with how many items it has."""
    path, facts = door("potato_user_state", f"{name}/user_state.json")
    assert facts[name]["with_spans"] == 0
    with pytest.raises(sa.InputError, match=f"{facts[name]['ordering']} items of Potato with lab"):
        sa.read(path)


def test_langextract_without_text(door, tmp_path):
    """Its text is joined by id; which quotes do not stand at their offsets is as counted."""
    path, facts = door("llm_langextract", "arqio_run1.json")
    with refuses(sa.InputError, "… name the file … texts by id"):
        sa.read(path)
    own, against = facts["arqio_run1.json"], facts["arqio_run1.json against arqio_run1_input.md"]
    record = json.loads(path.read_text("utf-8"))
    record = record[0] if isinstance(record, list) else record
    text = (path.parent / "arqio_run1_input.md").read_text("utf-8")
    texts = tmp_path / "texts.jsonl"
    texts.write_text(json.dumps({"id": record["document_id"], "text": text}), "utf-8")
    raw = read_raw_patterns({"x": path, "texts": texts}, {})
    assert quotes_of(raw)[0] == against["null"] == own["char_interval_null"]
    placed = raw.quote != -2
    assert int(placed.sum()) == own["no_text_in_file"]


@pytest.mark.parametrize("rater", range(1, 9))
def test_seg_rating(task_folder, rater):
    folder = task_folder / "mqm_mtme_zhen_raters"
    own = json.loads((folder / "facts.json").read_text("utf-8"))[f"rater{rater}"]
    raw = read_raw_patterns({"x": folder / f"zh-en.mqm.rater{rater}.seg.rating"}, {})
    assert (len(raw.lengths), len(raw.document_index)) == (own["lines"], own["rated"])
    assert len(raw.start) == own["errors"] - own["source_errors"]
    assert f"{own['source_errors']} source error" in "".join(raw.notes)
    beyond = raw.end > raw.lengths[raw.document]
    assert int(beyond.sum()) == own["out_of_range"]


def test_seg_rating_of_all(task_folder):
    """Eight files, each of a rater, are one corpus."""
    folder = task_folder / "mqm_mtme_zhen_raters"
    facts = json.loads((folder / "facts.json").read_text("utf-8"))
    corpus = sa.read([folder / f"zh-en.mqm.rater{r}.seg.rating" for r in range(1, 9)])
    everybody = [d for d in corpus if all(some is not None for some in d.segments.values())]
    systems = len(facts["systems_in_order"]) - len(facts["systems_without_any_rating"])
    assert len(everybody) == systems * len(facts["segments_rated_by_all_eight"])


def test_mqm_side_by_side(task_folder):
    folder = task_folder / "mqm_sxs23_ende"
    own = json.loads((folder / "facts.json").read_text("utf-8"))
    path = folder / "sxs_mqm_generalMT2023_ende.3ratingsPerSegment_cut.tsv"
    corpus = sa.read(path, text="target")
    assert sorted(corpus.annotators) == own["raters"]
    seen = [sum(some is not None for some in document.segments.values()) for document in corpus]
    assert seen == [3] * own["raters_per_segment"]["3"]
    assert f"{own['severity']['HOTW-test']} attention tests" in "".join(corpus.notes)


@pytest.mark.parametrize("name", ["240521rc6MQM", "240521rc6GEMBA"])
def test_appraise(task_folder, tmp_path, name):
    """Texts are joined by id; the rows and spans are as counted, ends inclusive."""
    folder = task_folder / "esa_campaign_ende"
    path = folder / f"{name}.scores.csv"
    own = json.loads((folder / "facts.json").read_text("utf-8"))[f"{name}.scores.csv"]
    with refuses(sa.InputError, "… name the file … texts by id"):
        sa.read(path)
    rows = [row for _, row in yield_appraise_rows(path, "utf-8")]
    assert len(rows) == own["marked_none"]
    ends = {row["id"]: [] for row in rows}
    for row in rows:
        ends[row["id"]] += (s["end_i"] for s in row["spans"] if s["end_i"] != "missing")
    texts = tmp_path / "texts.jsonl"
    filled = ({"id": id_, "text": "x" * (max(some, default=0) + 1)} for id_, some in ends.items())
    texts.write_text("\n".join(map(json.dumps, filled)), "utf-8")
    raw = read_raw_patterns({"x": path, "texts": texts}, {})
    assert len(raw.document_index) == own["marked_none"]
    given = sum(len(row["spans"]) for row in rows)
    lost = sum(s["start_i"] == "missing" for row in rows for s in row["spans"])
    assert len(raw.start) == given - lost
    assert (given, lost) <= (own["spans"], own["missing"])
    dropped = own["cells_12"] - own["marked_none"]
    assert f"{dropped} test or exercise rows and {lost} omissions passed over" in str(raw.notes)


def test_an_empty_file_of_a_campaign(tmp_path):
    """It is counted, as nothing says whose it is. Oracle: what was written."""
    (tmp_path / "files").mkdir()
    (tmp_path / "metadata.json").write_text("{}")
    row = {"dataset": "d", "split": "s", "setup_id": "m", "example_idx": 0, "output": "Jo is"}
    row |= {"annotations": [], "metadata": {"annotator_id": "ann"}}
    (tmp_path / "files" / "ann.jsonl").write_text(f"{json.dumps(row)}\n")
    assert not any("passed over" in note for note in sa.read(tmp_path).notes)
    (tmp_path / "files" / "bob.jsonl").write_text("")
    corpus = sa.read(tmp_path)
    assert corpus.annotators == ("ann",)
    assert corpus.notes[0].endswith("read as factgenie; 1 empty file passed over")


def test_passages_beyond_any_text(tmp_path):
    """A passage at a place that no text has is refused, and no blanks are laid out for it."""
    passage = {"text": [TEXT], "offsets": [[10**30, 10**30 + 18]]}
    path = tmp_path / "a.json"
    path.write_text(json.dumps([{"id": "1", "passages": [passage], "entities": []}]))
    with refuses(sa.InputError, "… expand to more than 50 times as many …"):
        sa.read(path, format="bigbio")
