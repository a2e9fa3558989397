"""INCEpTION and WebAnno: TSV 3, CAS as XMI and JSON, and projects, where the states say who saw what."""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses, says
from strategies import rows

import spanagree as sa
from spanagree.corpus.repairs import build_valid_corpus
from spanagree.files import yield_lines
from spanagree.formats.inception.cas import read_json, read_xmi
from spanagree.formats.inception.project import build_file, read_project
from spanagree.formats.inception.read import read_raw_inception
from spanagree.formats.inception.webanno_tsv import read_tsv
from spanagree.formats.inception.write import write_webanno_tsv
from spanagree.formats.recognise import find_format
from spanagree.formats.write import write_file

NE = "de.tudarmstadt.ukp.dkpro.core.api.ner.type.NamedEntity"
HEAD = "#FORMAT=WebAnno TSV 3.3\n"


def seen(raw):
    """Who saw which documents."""
    return {
        name: [raw.id_of(d) for d, who in zip(raw.document_index.tolist(), raw.annotator_index.tolist(), strict=True) if who == i]
        for i, name in enumerate(raw.annotators)
    }  # fmt: skip


def tsv(tmp_path, text, name="ann.tsv"):
    path = tmp_path / name
    path.write_bytes(text.encode())
    return path


def page_of(text):
    return read_tsv(io.StringIO(text, "\n"), "x.tsv")


# --- WebAnno TSV --------------------------------------------------------------------------------


def tools(real, name):
    folder = real / "data" / "tools" / name
    return folder, json.loads((folder / "facts.json").read_text("utf-8"))


CHAINS = "webanno.custom.SimpleLink"  # facts.json counts the cells of chains, which are no spans


def test_the_tools_own_suite(real):
    """Each file of INCEpTION's tests: spans by layer, relations, exact spans, as counted independently."""
    folder, facts = tools(real, "webanno-tsv")
    files = {f"{suite}/{name}": about for suite in ("tsv3_suite", "curation_testsuite") for name, about in facts[suite].items()}  # fmt: skip
    assert len(files) == 75 + 48
    for name, about in files.items():
        page = read_tsv(yield_lines(folder / name), name)
        sizes = {layer: len(marks.start) for layer, marks in page.layers.items() if marks.start}
        expected = {k: n for k, n in about["spans_per_layer"].items() if k != CHAINS}
        assert sizes == expected, name
        assert len(page.relations) == about["relation_cells"], name
        for arc in page.relations:  # relations between tokens alone link no annotation
            layers = [mark and mark[0] for mark in (arc.first, arc.second)]
            assert None not in layers or about["spans_per_layer"].keys() <= {CHAINS}, name
        assert (page.n_skipped["chain link"] > 0) == (CHAINS in about["spans_per_layer"]), name
        for span in about.get("exact_spans", ()):
            if span["layer"] != CHAINS:
                marks = page.layers[span["layer"]]
                texts = [page.text[a:b] for a, b in zip(marks.start, marks.end, strict=True)]
                assert span["text"] in texts, name
                values = [list(row) for row in zip(*marks.values.values(), strict=True)]
                wanted = [None if value == "*" else value for value in span["values"]]
                slots = len(wanted) - len(marks.values)
                assert (
                    wanted[slots:] in values or not marks.values or "Asterisk" in name or slots
                ), name


def test_a_project_as_it_was_counted(real):
    """The time corpus: who has a record, who saw what, spans of each layer in each of 30 files."""
    folder, facts = tools(real, "webanno-tsv")
    facts = facts["airec_time"]
    project = read_project(folder / "airec_time", None, "saw", False)
    assert sorted(project.annotators) == facts["users_in_project"]
    assert project.texts.keys() == facts["documents"].keys()
    for document, files in facts["documents"].items():
        users = {file["user"]: file for file in files if file["user"] != "INITIAL_CAS"}
        assert project.pages[document].keys() == users.keys()
        for user, about in users.items():
            page = project.pages[document][user]
            sizes = {name: len(marks.start) for name, marks in page.layers.items() if marks.start}
            assert sizes == about["spans_per_layer"]
            assert len(page.relations) == about["relation_cells"]
            for span in about["exact_spans"]:
                marks = page.layers[span["layer"]]
                texts = [page.text[a:b] for a, b in zip(marks.start, marks.end, strict=True)]
                assert span["text"] in texts
            dates = Counter(filter(None, page.layers["webanno.custom.TxtDate"].values["Value"]))
            assert all(dates[k] == n for k, n in about["TxtDate_values"].items() if k != "*")
    assert project.n_missing == facts["source_documents_in_project_json"] - 10
    auto = read_project(folder / "airec_time", None, "auto", False)
    same = {(d, f["user"]) for d, files in facts["documents"].items() for f in files if f["byte_identical_to_INITIAL_CAS"]}  # fmt: skip
    unseen = {(d, user) for d, pages in project.pages.items() for user in pages.keys() - auto.pages.get(d, {}).keys()}  # fmt: skip
    assert unseen == same
    assert len(same) == 10
    raw = read_raw_inception(folder / "airec_time", layer="Event")
    *linked, note = raw.notes
    assert note.endswith("seen: 10 in progress; never seen: 10 in progress and as in INITIAL_CAS, 6 new; 165 documents without a file left out; 1 slot filler passed over")  # fmt: skip
    assert len(raw.links) + int(re.findall(r"(\d+) other", *linked)[0]) == 21


def test_annotations_exported_as_text(real):
    """A project of WebAnno 3.6: the annotator's file is plain text, the curation is TSV."""
    path = tools(real, "webanno-tsv")[0] / "inception_export_3_6_1.zip"
    assert find_format(path) == "inception"
    with refuses(sa.InputError, "… inception_export_3_6_1.zip: no annotations … (files: .tsv, .txt) … (--ground-truth) … export the project again"):  # fmt: skip
        read_raw_inception(path)
    raw = read_raw_inception(path, ground_truth=True)
    assert rows(raw) == [(0, 4, "Chunk", "This")]
    assert seen(raw) == {"admin": [], "ground_truth": ["example_sentence.txt"]}


SAMPLE = f"""{HEAD}#T_SP={NE}|identifier|value
#T_SP=webanno.custom.Cue|
#T_SP=webanno.custom.Frame|ROLE_webanno.custom.Frame:links_webanno.custom.Link|webanno.custom.Cue|sense
#T_CH=webanno.custom.CorefLink|referenceType|referenceRelation
#T_RL=webanno.custom.Rel|kind|BT_{NE}


#Text=😀 Jo\\\\Doe met
#Text=Al\\t!
1-1\t0-2\t😀\t_\t_\t*\t_\t_\t_\tpr[1]\t*->1-1\t_\t_\t
1-2\t3-9\tJo\\Doe\t*[1]|*[2]\tPER[1]|X\\|Y\\\\[2]\t_\tA;B\t1-1;1-4[7]\trun\t_\t_\t_\t_\t
1-2.1\t3-5\tJo\t*\tGIVEN\t_\t_\t_\t_\t_\t_\t_\t_\t
1-2.2\t9-9\t\t*\tNOTHING\t_\t_\t_\t_\t_\t_\t_\t_\t
1-3\t10-13\tmet\t*[1]|*[2]\tPER[1]|X\\|Y\\\\[2]\t*\t_\t_\t_\t_\t_\tk|l\t1-2[1_2]|1-1[0_1]\t
1-4\t14-16\tAl\t_\t_\t*\t_\t_\t_\tpr[1]\t*->1-2\t_\t_\t
1-5\t17-18\t!\tQ1\t\\_\\*\\[0\\]\\->\\;\\t\t_\t_[3]\t*\tfly\t_\t_\t_\t_\t

#Sentence.id=s2
#Text=End
2-1\t21-24\tEnd\t*\tPER\t_\t_\t_\t_\t_\t_\t_\t_\t
"""


def test_all_that_the_format_has(tmp_path):
    """UTF-16 offsets, stacks, sub-tokens, nothing wide, escapes, slots, chains, relations, gaps; by the manual."""
    raw = read_raw_inception(tsv(tmp_path, SAMPLE), layer=NE, feature="value")
    assert raw.texts == ("😀 Jo\\Doe met\nAl\t!   End",)
    assert sorted(rows(raw)) == [
        (2, 4, "GIVEN", "Jo"),
        (2, 12, "PER", "Jo\\Doe met"),
        (2, 12, "X|Y\\", "Jo\\Doe met"),
        (8, 8, "NOTHING", ""),
        (16, 17, "_*[0]->;\t", "!"),
        (20, 23, "PER", "End"),
    ]
    assert raw.notes == (
        f"{tmp_path}/ann.tsv: 1 other relation passed over",
        f"{tmp_path}/ann.tsv: read as inception; layer {NE}, feature value; 2 slot fillers and 2 chain links passed over",
    )
    links = raw.details.yield_relations()
    found = [
        (rows(raw)[first][2], label, rows(raw)[second][2]) for first, second, label, _ in links
    ]
    assert found == [("PER", "k", "X|Y\\")]
    cues = read_raw_inception(tmp_path / "ann.tsv", layer="Cue")
    assert rows(cues) == [(0, 1, "Cue", "😀"), (9, 12, "Cue", "met"), (13, 15, "Cue", "Al")]
    frames = read_raw_inception(tmp_path / "ann.tsv", layer="Frame")
    assert rows(frames) == [(2, 8, "run", "Jo\\Doe"), (16, 17, "fly", "!")]
    assert find_format(tmp_path / "ann.tsv") == "inception"


def test_files_made_elsewhere(tmp_path):
    """Offsets in code points where the tokens show it, Windows line ends, no tab at the end, old escapes."""
    text = (
        SAMPLE.replace("3-9", "2-8")
        .replace("3-5", "2-4")
        .replace("9-9", "8-8")
        .replace("0-2", "0-1")
    )
    for was, now in (("10-13", "9-12"), ("14-16", "13-15"), ("17-18", "16-17"), ("21-24", "20-23")):
        text = text.replace(was, now)
    by_tool, elsewhere = (
        read_raw_inception(tsv(tmp_path, t), layer=NE, feature="value")
        for t in (SAMPLE, text.replace("\t\n", "\r\n"))
    )
    assert (elsewhere.texts, rows(elsewhere)) == (by_tool.texts, rows(by_tool))
    old = page_of(
        "#FORMAT=WebAnno TSV 3.1\n#T_SP=x.Y|v\n\n\n#Text=\\u00e4\\ud83d\\ude00\n1-1\t0-3\tä😀\tV\n"
    )
    assert (old.text, old.layers["x.Y"].end[0]) == ("ä😀", 2)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "x.tsv … empty … #FORMAT="),
        ("#FORMAT=WebAnno TSV 2.0\n", "x.tsv:1: WebAnno TSV of version 1 or 2 … export as WebAnno TSV 3"),
        (" # webanno.custom.Cue | value\n#id=1\n#text=Jo\n1-1\tJo\tX\n", "x.tsv:1: WebAnno TSV of version 1 or 2 … export as WebAnno TSV 3"),
        ("Jo B-PER\n", "x.tsv:1: 'Jo B-PER' … #FORMAT=WebAnno TSV 3.3"),
        (f"{HEAD}#T_SP=x.Y|v\n\n\n#Text=Jo\n1-1\t0-2\tJo\n", "x.tsv:6: '1-1\\t0-2\\tJo' … offsets, token and 1 column … (#Text=)"),
        (f"{HEAD}\n1-1\t0-2\tJo\t\n", "x.tsv:3: '1-1\\t0-2\\tJo\\t' … offsets, token and 0 columns … (#Text=)"),
        (f"{HEAD}#Text=Jo ran\n1-1\t0-2\tJo\t\n1-2\t3-5\tran\t\n", "x.tsv:4: token 'ran' at 3-5 … #Text= has 'ra' … UTF-16"),
        (f"{HEAD}#Text=😀 a 😀 b\n1-1\t0-2\t😀\t\n1-2\t2-3\ta\t\n", "x.tsv:4: token 'a' at 2-3 … #Text= has ' ' … UTF-16"),
        (f"{HEAD}#Text=Jo\n1-1\t0-2\tJo\t\n\n#Text=Al\n2-1\t1-3\tAl\t\n", "x.tsv:6 … begins at 1, before 2 … #Text="),
        (f"{HEAD}#Text=Jo\n1-1\t900000000-900000002\tJo\t\n", "x.tsv … 2 bytes … 50 times … 16 MiB … SPANAGREE_EXPANSION=500"),
        (f"{HEAD}#T_SP=x.Y|v\n\n\n#Text=a b\n1-1\t0-1\ta\tP[1]\t\n1-2\t2-3\tb\tQ[1]\t\n", "x.tsv:7: annotation [1] has v 'Q', and 'P' before"),
        (f"{HEAD}#T_SP=x.Y|v\n\n\n#Text=a\n1-1\t0-1\ta\tP\\\t\n", "x.tsv:6: value 'P\\\\' … backslash"),
    ],
)  # fmt: skip
def test_odd_tsv(text, message):
    """What is not of the format is refused by its line."""
    with refuses(sa.InputError, message):
        page_of(text)


# --- CAS ----------------------------------------------------------------------------------------


def test_cas_as_it_was_counted(real):
    """Each CAS of the sample in which there is a text: annotations by type, labels, exact spans."""
    folder, facts = tools(real, "cas")
    compared = 0
    for name, about in facts.items():
        pairs = [(name, about)]
        if name.startswith("grascco/"):
            pairs = [(f"{name}.txt_phi.{kind}", about[kind]) for kind in ("json", "xmi")]
        for file, counts in pairs if isinstance(about, dict) else ():
            sizes = counts["annotations_per_type"]
            frame = [kind for kind in sizes if not kind.startswith(("webanno", NE))]
            for layer in [*frame, *(kind for kind in sizes if kind not in frame)]:
                try:
                    page = read(folder / file, layer)
                except sa.InputError:
                    with pytest.raises(sa.InputError, match="no text of a view _InitialView"):
                        read(folder / file)
                    assert not counts["text_length_code_points"]
                    break
                assert len(page.text) == counts.get("text_length_code_points", len(page.text))
                if layer == "webanno.custom.Multivalrel":
                    assert len(page.relations) == sizes[layer]
                    continue
                others = page.n_skipped["other-view annotation"]
                assert len(page.layers[layer].start) + others == sizes[layer], (file, layer)
                for feature, values in counts.get("values", {}).items():
                    kind, _, key = feature.partition("|")
                    if kind == layer:
                        assert Counter(filter(None, page.layers[layer].values[key])) == values
                for span in counts.get("exact_spans", ()):
                    if span["type"] == layer:
                        marks = page.layers[layer]
                        texts = [
                            page.text[a:b] for a, b in zip(marks.start, marks.end, strict=True)
                        ]
                        assert span.get("text_utf16", span.get("text")) in texts
                        compared += 1
    assert compared == 40


def read(path, layer=None):
    """The page in a CAS."""
    data = path.read_bytes()
    return build_file(path.name, data, path.name).parse_document(layer)


def test_cas_as_dkpro_cassis_reads_it(real):
    """Every annotation of every CAS, with offsets in code points and plain features, as that library has it."""
    cassis = pytest.importorskip("cassis")
    folder = tools(real, "cas")[0]
    types = cassis.load_typesystem(folder / "grascco" / "TypeSystem.xml")
    compared = 0
    for path in sorted(folder.rglob("*.*")):
        if path.suffix == ".json" and path.name != "facts.json":
            cas = cassis.load_cas_from_json(io.BytesIO(path.read_bytes()))
        elif path.parent.name == "grascco" and path.suffix == ".xmi":
            cas = cassis.load_cas_from_xmi(io.BytesIO(path.read_bytes()), typesystem=types)
        else:
            continue
        if cas.sofa_string is None:
            continue
        theirs: dict[str, list] = {}
        for each in cas.select_all_annotations():
            plain = {f.name: getattr(each, f.name) for f in each.type.all_features if f.rangeType.name == "uima.cas.String"}  # fmt: skip
            row = (each.begin, each.end, sorted((k, v) for k, v in plain.items() if v is not None))
            theirs.setdefault(each.type.name, []).append(row)
        for layer, expected in theirs.items():
            page = read(path, layer)
            assert page.text == cas.sofa_string
            marks = page.layers[layer]
            strings = {key for row in expected for key, _ in row[2]}
            ours = [
                (start, end, sorted((k, v) for k, v in zip(marks.values, row, strict=True) if v is not None and k in strings))
                for start, end, *row in zip(marks.start, marks.end, *marks.values.values(), strict=True)
            ]  # fmt: skip
            assert sorted(ours) == sorted(expected), (path, layer)
            compared += len(ours)
    assert compared > 3000


def xmi(*elements, text="😀 Jo Doe&#10;met Al", sofa='sofaID="_InitialView"', members="1 2 3 4"):
    """A CAS as XMI whose sofa and view stand behind what uses them."""
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<xmi:XMI xmlns:xmi="http://www.omg.org/XMI" xmlns:cas="http:///uima/cas.ecore" xmlns:ner="http:///de/tudarmstadt/ukp/dkpro/core/api/ner/type.ecore" xmlns:seg="http:///de/tudarmstadt/ukp/dkpro/core/api/segmentation/type.ecore" xmlns:custom="http:///webanno/custom.ecore" xmi:version="2.0">
<cas:NULL xmi:id="0"/>{"".join(elements)}
<cas:Sofa xmi:id="9" sofaNum="1" {sofa} sofaString="{text}"/><cas:View sofa="9" members="{members}"/></xmi:XMI>"""


def named(number, begin, end, value=None, kind="ner:NamedEntity", sofa=9, more=""):
    label = "" if value is None else f'value="{value}" '
    return f'<{kind} xmi:id="{number}" sofa="{sofa}" begin="{begin}" end="{end}" {label}{more}/>'


def cas_json(form=list, sofa=None, **more):
    """The same as JSON, with the structures in a list or by their numbers."""
    view = {"%SOFA": 9, "%MEMBERS": [1, 2, 3, 4]}
    structures = [
        {"%ID": 1, "%TYPE": NE, "@sofa": 9, "begin": 3, "end": 9, "value": "PER", "@other": 2},
        {"%ID": 2, "%TYPE": NE, "@sofa": 9, "begin": 14, "end": 16, "value": True},
        {"%ID": 5, "%TYPE": NE, "@sofa": 9, "begin": 0, "end": 1, "value": "GONE"},
        {"%ID": 3, "%TYPE": "webanno.custom.Rel", "@sofa": 9, "begin": 3, "end": 16, "@Governor": 1, "@Dependent": 2},
        {"%ID": 4, "%TYPE": "webanno.custom.CorefLink", "@sofa": 9, "begin": 3, "end": 5},
        {"%ID": 6, "%TYPE": "webanno.custom.CorefChain", "@first": 4},
        {"%ID": 7, "%TYPE": "webanno.custom.Link", "role": "A", "@target": 1},
        {"%ID": 8, "%TYPE": "uima.cas.StringArray", "%ELEMENTS": ["a"]},
        {"%ID": 9, "%TYPE": "uima.cas.Sofa", "sofaID": "_InitialView", "sofaString": "😀 Jo Doe\nmet Al", **(sofa or {})},
    ]  # fmt: skip
    whole = {
        "%TYPES": {"x.Y": {"%NAME": "x.Y", "%SUPER_TYPE": "uima.tcas.Annotation"}},
        "%FEATURE_STRUCTURES": structures,
        "%VIEWS": {"_InitialView": view},
    }
    if form is dict:
        whole["%FEATURE_STRUCTURES"] = {str(s.pop("%ID")): s for s in structures}
    return json.dumps({**whole, **more})


def test_cas_forms(tmp_path):
    """XMI, JSON as a list and as a map: the same page, a sofa behind its users, the rest counted."""
    link = named(4, 3, 5, kind="custom:CorefLink") + '<custom:CorefChain xmi:id="6" first="4"/>'
    pages = [
        read_xmi(io.BytesIO(xmi(
            named(1, 3, 9, "PER"), named(2, 14, 16, "true"), named(5, 0, 1, "GONE"),
            named(3, 3, 16, kind="custom:Rel", more='Governor="1" Dependent="2"'), link,
            '<custom:Link xmi:id="7" role="A" target="1"/><cas:StringArray xmi:id="8" elements="a"/>',
        ).encode()), "x.xmi"),
        read_json(cas_json().encode(), "x.json"),
        read_json(cas_json(dict).encode(), "x.json"),
    ]  # fmt: skip
    for page in pages:
        assert page.text == "😀 Jo Doe\nmet Al"
        assert [list(c) for c in (page.layers[NE].start, page.layers[NE].end)] == [[2, 13], [8, 15]]
        assert page.layers[NE].values["value"] == ["PER", "true"]
        assert page.relations == (((NE, 0), (NE, 1), "Rel"),)
        assert page.n_skipped == {
            "chain link": 1, "slot filler": 1, "string list": 1, "unindexed annotation": 1,
        }  # fmt: skip
    assert "x.Y" in pages[1].layers
    (tmp_path / "a.xmi").write_text(xmi(named(1, 3, 9, "PER")), "utf-8")
    (tmp_path / "b.json").write_text(cas_json(), "utf-8")
    (tmp_path / "c.tsv").write_text(
        SAMPLE.replace("\\\\", " ").replace("Jo\\Doe", "Jo Doe"), "utf-8"
    )
    assert {find_format(p) for p in tmp_path.iterdir()} == {"inception"}
    both = read_raw_inception([tmp_path / "a.xmi", tmp_path / "b.json"])
    assert rows(both, "a.xmi") == [(2, 8, "PER", "Jo Doe")]
    assert rows(both, "b.json") == [(2, 8, "PER", "Jo Doe"), (13, 15, "true", "Al")]
    with refuses(sa.InputError, "… annotator 'c.tsv' … differs … character"):  # fmt: skip
        read_raw_inception([tmp_path / "a.xmi", tmp_path / "c.tsv"], layer=NE, feature="value")


def test_views():
    """The initial view is read; annotations of others are counted, and a choice between others is refused."""
    second = (
        '<cas:Sofa xmi:id="8" sofaID="Second" sofaString="Other"/><cas:View sofa="8" members="7"/>'
    )
    source = xmi(named(1, 3, 9, "PER"), named(7, 0, 2, "X", sofa=8), second)
    page = read_xmi(io.BytesIO(source.encode()), "x.xmi")
    assert page.layers[NE].values["value"] == ["PER"]
    assert page.n_skipped == {"other-view annotation": 1}
    only = read_xmi(io.BytesIO(xmi(sofa='sofaID="Only"').encode()), "x.xmi")
    assert only.text == "😀 Jo Doe\nmet Al"


AGAIN = "export the document again, as UIMA CAS JSON 0.4 or XMI"


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (xmi(sofa='sofaID="A"', text="a").replace("<cas:View", '<cas:Sofa xmi:id="8" sofaID="B" sofaString="b"/><cas:View'), f"x: no text … (views: A, B); {AGAIN}, with its text"),
        ("<a><b/></a>", f"x: no text … (views: none); {AGAIN}, with its text"),
        (xmi(named(1, 1, 9, "PER")), f"x: NamedEntity … at 1 … UTF-16 … {AGAIN}"),
        (xmi(named(1, "x", 9, "PER")), f"x: offset or number 'x' … whole number … {AGAIN}"),
        (xmi(named(1, "9" * 20, 9, "PER")), "x: number '99999999999999999999' … at most 15 digits"),
        (xmi(named(1, 3, 9, "PER"))[:-9], "x: not valid XML (… line 4, column 127) … export it again"),
        (xmi(text="&jo;").replace("<xmi:XMI", '<!DOCTYPE x [<!ENTITY jo "Jo">]><xmi:XMI'), "x: declares the entity 'jo' … delete <!ENTITY"),
        ("<a>" * 600, "x: elements … more than 500 deep … export the file again"),
        ("{", f"x: not valid JSON … {AGAIN}"),
        ("[1]", f"x: JSON, not CAS JSON; {AGAIN}"),
        ('{"_context": {}, "_views": {}}', f"x: UIMA JSON … 0.4 … {AGAIN}"),
        (cas_json(sofa={"sofaString": None}), f"x: no text … (views: _InitialView); {AGAIN}, with its text"),
        (cas_json(dict).replace('"4": {', '"four": {'), f"x: offset or number 'four' … whole number … {AGAIN}"),
        (cas_json().replace("[1, 2, 3, 4]", "7"), f"x: %MEMBERS 7 … list of numbers … {AGAIN}"),
        (xmi().replace("UTF-8", "UTF-80"), "x: not valid XML (… UTF-80) … export it again"),
        (cas_json().replace('"begin": 14', '"begin": 1.5'), f"x: offset or number 1.5 … whole number … {AGAIN}"),
    ],
)  # fmt: skip
def test_odd_cas(source, message):
    """What is not a CAS with a text is refused, and so are entities."""
    data = source.encode()
    with refuses(sa.InputError, message):
        read_xmi(io.BytesIO(data), "x") if data[:1] == b"<" else read_json(data, "x")


# --- projects -----------------------------------------------------------------------------------

TSV = f"{HEAD}#T_SP={NE}|value\n\n\n#Text=Jo met Al\n1-1\t0-2\tJo\t{{}}\t\n1-2\t3-6\tmet\t_\t\n1-3\t7-9\tAl\t{{}}\t\n"
IMPORTED, CHANGED = TSV.format("PER", "_"), TSV.format("PER", "LOC")


def project(states, files, layers=(), **sources):
    """A project's files: its description, and what else is in it."""
    about = {
        "name": "p",
        "source_documents": [{"name": name, "state": state} for name, state in sources.items()],
        "annotation_documents": [
            {"name": d, "user": user, "state": state, "annotatorState": None}
            for d, users in states.items()
            for user, state in users.items()
        ],
        "layers": list(layers),
    }
    return {"exportedproject7.json": json.dumps(about), **files}


def packed(tmp_path, files, name="export.zip"):
    """The same as a zip; with a folder's name, as a folder."""
    path = tmp_path / name
    if not name.endswith(".zip"):
        for member, text in files.items():
            (path / member).parent.mkdir(parents=True, exist_ok=True)
            (path / member).write_bytes(text if isinstance(text, bytes) else text.encode())
        return path
    with zipfile.ZipFile(path, "w") as archive:
        for member, text in files.items():
            archive.writestr(member, text)
    return path


STATES = {
    "a.txt": {
        "ann": "FINISHED",
        "bo": "IN_PROGRESS",
        "cy": "INPROGRESS",
        "di": "NEW",
        "ed": "IGNORE",
    },
    "b.txt": {"ann": "FINISHED", "bo": "IN_PROGRESS", "INITIAL_CAS": "FINISHED"},
    "c.txt": {"ann": "FINISHED"},
}
FILES = {
    "annotation/a.txt/INITIAL_CAS.tsv": IMPORTED,
    "annotation/a.txt/ann.tsv": IMPORTED,
    "annotation/a.txt/bo_123456789.tsv": IMPORTED,
    "annotation/a.txt/cy.tsv": CHANGED,
    "annotation/a.txt/di.tsv": CHANGED,
    "annotation/a.txt/ed.tsv": CHANGED,
    "annotation/a.txt/someone.tsv": CHANGED,
    "annotation/b.txt/ann.tsv": TSV.format("_", "_"),
    "annotation/b.txt/bo.tsv": TSV.format("_", "_"),
    "annotation/b.txt/readme.txt": "no annotation",
    "annotation_ser/a.txt/ann.ser": "binary",
    "curation/a.txt/CURATION_USER.tsv": CHANGED,
}  # fmt: skip


@pytest.mark.parametrize("name", ["export.zip", "folder"])
def test_who_saw_what(tmp_path, name):
    """The states decide: finished is seen, new and ignored never, begun if it differs from the import."""
    files = project(STATES, FILES, **{"a.txt": "CURATION_FINISHED", "b.txt": "NEW", "c.txt": "NEW"})
    path = packed(tmp_path, {f"export/{member}": text for member, text in files.items()}, name)
    assert find_format(path) == "inception"
    raw = read_raw_inception(path)
    assert seen(raw) == {"ann": ["a.txt", "b.txt"], "bo": [], "cy": ["a.txt"], "di": [], "ed": []}
    assert rows(raw, "ann") == [(0, 2, "PER", "Jo")]
    assert rows(raw, "cy") == [(0, 2, "PER", "Jo"), (7, 9, "LOC", "Al")]
    assert raw.notes == (
        f"{path}: read as inception; layer {NE}, feature value; seen: 1 finished and as in INITIAL_CAS, 1 in progress, 1 finished;"
        " never seen: 1 in progress and as in INITIAL_CAS, 1 new, 1 ignored, 1 without a record, 1 in progress and"
        " empty; 1 document without a file left out; 1 curation file and 1 .txt file passed over",
    )  # fmt: skip
    assert raw.reading == {"read": {"layer": NE, "feature": "value"}}
    assert seen(read_raw_inception(path, in_progress="saw"))["bo"] == ["a.txt", "b.txt"]
    unseen = read_raw_inception(path, in_progress="unseen", ground_truth=True)
    assert seen(unseen) == {"ann": ["a.txt", "b.txt"], "bo": [], "cy": [], "di": [], "ed": [], "ground_truth": ["a.txt"]}  # fmt: skip
    assert unseen.reading["read"]["in_progress"] == "unseen"
    with refuses(sa.SettingError, "… unknown in-progress 'x'; allowed: auto"):
        read_raw_inception(path, in_progress="x")


def test_the_same_annotations_in_another_file(tmp_path):
    """XMI names its annotator and numbers anew: that it is as imported is seen in the annotations."""
    files = {
        "annotation/a.txt/INITIAL_CAS.xmi": xmi(named(1, 3, 9, "PER"), named(2, 14, 16, "LOC")),
        "annotation/a.txt/ann.xmi": xmi(named(3, 14, 16, "LOC"), named(4, 3, 9, "PER")),
        "annotation/a.txt/bob.xmi": xmi(named(3, 14, 16, "LOC"), named(4, 3, 9, "ORG")),
        "annotation/a.txt/cem.xmi": xmi(named(3, 14, 16, "LOC"), named(4, 3, 9, "PER"), named(2, 3, 9, kind="custom:Rel", more='Governor="1" Dependent="2"')),
    }  # fmt: skip
    states = {"a.txt": dict.fromkeys(("ann", "bob", "cem"), "IN_PROGRESS")}
    raw = read_raw_inception(packed(tmp_path, project(states, files)))
    assert seen(raw) == {"ann": [], "bob": ["a.txt"], "cem": ["a.txt"]}


def zipped(**files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, text in files.items():
            archive.writestr(name.replace("_", "."), text)
    return out.getvalue()


def test_formats_side_by_side(tmp_path):
    """One document as TSV, which lacks a line break, as JSON, and as XMI in zips with their type systems."""
    text = "Jo met\nAl"
    tsv_ = (
        TSV.format("PER", "_")
        .replace("#Text=Jo met Al", "#Text=Jo met")
        .replace("1-3\t", "\n#Text=Al\n2-1\t")
    )
    files = {
        "annotation/a.txt/ann.tsv": tsv_,
        "annotation/a.txt/bob.json": cas_json(sofa={"sofaString": text}).replace("14", "7").replace("16", "9"),
        "annotation/a.txt/webanno77export.zip": zipped(cem_xmi=xmi(named(1, 7, 9, "LOC"), text="Jo met&#10;Al"), TypeSystem_xml="<a/>"),
        "annotation/a.txt/dan.zip": zipped(a_xmi=xmi(text="Jo met&#10;Al"), TypeSystem_xml="<a/>"),
    }  # fmt: skip
    states = {"a.txt": dict.fromkeys(("ann", "bob", "cem", "dan"), "FINISHED")}
    raw = read_raw_inception(packed(tmp_path, project(states, files)))
    assert raw.texts == (text,)
    assert seen(raw) == {name: ["a.txt"] for name in ("ann", "bob", "cem", "dan")}
    assert (rows(raw, "ann"), rows(raw, "cem"), rows(raw, "dan")) == ([(0, 2, "PER", "Jo")], [(7, 9, "LOC", "Al")], [])  # fmt: skip
    single = tmp_path / "dan.zip"
    single.write_bytes(files["annotation/a.txt/dan.zip"])
    assert read_raw_inception(single).texts == (text,)


def test_without_a_description(tmp_path):
    """Without the project's JSON, who has a file saw the document; any folder of DOCUMENT/ANNOTATOR.tsv is read."""
    files = {
        "a/ann.tsv": IMPORTED,
        "a/bob.tsv": CHANGED,
        "a/CURATION_USER.tsv": CHANGED,
        "b/ann.tsv": CHANGED,
    }
    raw = read_raw_inception(packed(tmp_path, files, "plain"))
    assert seen(raw) == {"ann": ["a", "b"], "bob": ["a"]}
    assert "seen: 3 of unknown state; " in raw.notes[0]
    with_initial = {
        f"annotation/{k}": v for k, v in FILES.items() if "bo_" not in k and "INITIAL" not in k
    }
    path = packed(tmp_path, with_initial, "folder")
    assert find_format(path) == "inception"


def test_unknown_states_are_said(tmp_path):
    """Without the record nothing is called finished, and a note says that all files count."""
    states = {"a.txt": {"ann": "FINISHED", "bo": "IGNORE"}, "b.txt": {"ann": "NEW"}}
    files = {
        "annotation/a.txt/INITIAL_CAS.tsv": IMPORTED,
        "annotation/a.txt/ann.tsv": CHANGED,
        "annotation/a.txt/bo.tsv": IMPORTED,
        "annotation/b.txt/ann.tsv": CHANGED,
    }
    raw = read_raw_inception(packed(tmp_path, project(states, files), "whole"))
    assert seen(raw) == {"ann": ["a.txt"], "bo": []}
    assert not any("exportedproject" in note for note in raw.notes)
    path = packed(tmp_path, files, "folder")
    assert find_format(path) == "inception"
    pattern = str(path / "annotation/*/*.tsv")
    for source in (path, pattern):
        raw = read_raw_inception(source)
        assert seen(raw) == {"ann": ["a.txt", "b.txt"], "bo": ["a.txt"]}
        counts = "seen: 2 of unknown state, 1 of unknown state and as in INITIAL_CAS"
        says(raw.notes[0], f"{source}: … {counts}")
        says(raw.notes[1], f"{source}: … exportedproject.json … 3 annotations … seen … ignored")


LAYERS = [
    {"name": "webanno.custom.Cue", "type": "span", "features": []},
    {"name": "webanno.custom.Dep", "type": "relation", "features": []},
    {"name": "webanno.custom.Role", "type": "span", "features": [{"name": "v", "link_mode": "NONE"}, {"name": "s", "link_mode": "WITH_ROLE"}]},
]  # fmt: skip


def words(*tokens, layer="Cue"):
    """A WebAnno TSV of one sentence; of a layer, the tokens with a capital are marked."""
    lines, at = [], 0
    for number, token in enumerate(tokens, 1):
        cell = ("X" if token[0].isupper() else "_") + "\t" if layer else ""
        lines.append(f"1-{number}\t{at}-{at + len(token)}\t{token}\t{cell}\n")
        at += len(token) + 1
    head = HEAD + (f"#T_SP=custom.{layer}|value\n" if layer else "")
    return f"{head}\n\n#Text={' '.join(tokens)}\n{''.join(lines)}"


JO, AL = ("Jo", "sings"), ("Al", "is", "in", "Rome")
LOOSE = {
    "annotation/d1.txt/ann.tsv": words(*JO),
    "annotation/d1.txt/bob.tsv": words(*JO),
    "annotation/d1.txt/INITIAL_CAS.tsv": words(*JO, layer=""),
    "annotation/d2.txt/ann.tsv": words(*AL),
    "annotation/d2.txt/bob.tsv": words(*AL, layer=""),
}


@pytest.fixture
def loose(tmp_path, monkeypatch):
    """The files of a project, and a folder with its documents by one annotator."""
    monkeypatch.chdir(tmp_path)
    for name, text in {**LOOSE, "flat/d1.tsv": words(*JO), "flat/d2.tsv": words(*AL)}.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    return tmp_path


def test_patterns_over_files(loose):
    """The folder of a file is the document and the file the annotator, as in a zip of the same."""
    zip_ = loose / "all.zip"
    with zipfile.ZipFile(zip_, "w") as archive:
        for name, text in LOOSE.items():
            archive.writestr(name, text)
    for pattern in ("annotation/*/*.tsv", "*/d*.txt/*.tsv", "annotation/**/*.tsv"):
        corpus = sa.read(pattern)
        assert corpus.ids in (("d1.txt", "d2.txt"), ("annotation/d1.txt", "annotation/d2.txt"))
        assert sa.agree(corpus).to_dict() == sa.agree(sa.read_parts(pattern)).to_dict() | {
            "notes": sa.agree(corpus).to_dict()["notes"]
        }
    corpus = sa.read("annotation/*/*.tsv")
    assert corpus == sa.read(zip_)
    assert corpus[1].segments == {
        "ann": (sa.Segment(0, 2, "X"), sa.Segment(9, 13, "X")),
        "bob": (),
    }
    named = sa.read({"ann": "annotation/*/ann.tsv", "bob": "annotation/*/bob.tsv"})
    assert named == corpus


def test_patterns_in_one_folder(loose):
    """In one folder, files of one text are annotators of a document; of several, documents."""
    one = sa.read("annotation/d1.txt/*.tsv")
    assert (one.ids, one.annotators) == (("d1.txt",), ("ann", "bob"))
    several = sa.read("flat/*.tsv")
    assert (several.ids, several.annotators) == (("d1", "d2"), ("*.tsv",))
    assert sa.read({"ann": "flat/*.tsv"}).annotators == ("ann",)


def test_layers_of_patterns(loose):
    """A file without the layer is seen and empty; the layer is refused if no file has it."""
    assert sa.read("annotation/*/*.tsv", layer="Cue")[1].segments["bob"] == ()
    with refuses(sa.InputError, "annotation/*/*.tsv: no layer 'Cuz' … Cue (4) … --layer"):
        sa.read("annotation/*/*.tsv", layer="Cuz")
    (loose / "annotation/d2.txt/ann.xmi").write_text("", "utf-8")
    with pytest.raises(sa.InputError, match="annotator ann, who has another; name the files in"):
        sa.read("annotation/*/ann.*")


def test_layer_and_feature(tmp_path):
    """The only layer and feature in use are taken; else those that there are are named, with their counts."""
    path = packed(
        tmp_path, project({"a": {"ann": "FINISHED"}}, {"annotation/a/ann.tsv": CHANGED}, LAYERS)
    )
    assert rows(read_raw_inception(path)) == [(0, 2, "PER", "Jo"), (7, 9, "LOC", "Al")]
    assert rows(read_raw_inception(path, layer="Cue")) == []
    assert read_raw_inception(path, layer="Role", feature="v").reading["read"]["feature"] == "v"
    (tmp_path / "x.tsv").write_text(SAMPLE, "utf-8")
    (tmp_path / "y.tsv").write_text(
        f"{HEAD}#T_SP=a.Cue|\n#T_SP=b.Cue|u|v\n\n\n#Text=a\n1-1\t0-1\ta\t*\tU\tV\t\n", "utf-8"
    )
    for source, ask, message in (
        (path, {"layer": "Nope"}, f"{path}: no layer 'Nope' … NamedEntity (2) … --layer"),
        (path, {"layer": "Dep"}, f"{path}: no layer 'Dep' … NamedEntity (2) … --layer"),
        (path, {"layer": "Role", "feature": "s"}, f"{path}: layer Role: no feature 's' … v (0) … --feature"),
        (path, {"layer": "Cue", "feature": "s"}, f"{path}: layer Cue: no feature 's' … none … leave --feature out"),
        ("x.tsv", {}, f"{tmp_path}/x.tsv: 3 layers … NamedEntity (6), Cue (3), Frame (2) … --layer … commas"),
        ("x.tsv", {"layer": NE}, f"{tmp_path}/x.tsv: layer NamedEntity: 2 features … identifier (1), value (6) … --feature … commas"),
        ("y.tsv", {"layer": "Cue"}, f"{tmp_path}/y.tsv: several layers 'Cue' … a.Cue (1), b.Cue (1) … --layer"),
    ):  # fmt: skip
        with refuses(sa.InputError, message):
            read_raw_inception(tmp_path / source, **ask)
    assert rows(read_raw_inception(tmp_path / "y.tsv", layer="a.Cue")) == [(0, 1, "Cue", "a")]


def test_spans_without_a_value(tmp_path):
    """Where some have a value, those without lack a label, which is a flaw with a repair."""
    path = tsv(tmp_path, TSV.format("PER", "*"))
    with refuses(sa.InputError, "… segment 7–9 without a label … --repair drop-unlabelled"):  # fmt: skip
        build_valid_corpus(read_raw_inception(path))
    assert rows(read_raw_inception(tsv(tmp_path, TSV.format("*", "*"))))[0][2] == "NamedEntity"


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (project({"a": {"ann": "LOCKED"}}, {"annotation/a/ann.tsv": CHANGED}), "document 'a', annotator 'ann': state 'LOCKED' … FINISHED, INPROGRESS, NEW, IGNORE … export the project again … WebAnno TSV 3, CAS XMI or CAS JSON"),
        (project({"a": {"ann": 7}}, {"annotation/a/ann.tsv": CHANGED}), "annotation_documents {'name': 'a', 'user': 'ann', 'state': 7 … name, state, user … export the project again"),
        (project({"a": {"ann": "FINISHED"}}, {"annotation/a/ann.tsv": CHANGED, "annotation/a/ann.xmi": xmi()}), "/annotation/a/ann.xmi … annotator ann … name the files in {}"),
        (project({"a": {"ann": "FINISHED", "ann1": "FINISHED"}}, {"annotation/a/ann12345.tsv": CHANGED}), "/annotation/a/ann12345.tsv … annotator ann, ann1 … name the files in {}"),
        (project({}, {"annotation/a/ann.conll": "Jo B-PER"}), "no annotations … (files: .conll) … export the project again … WebAnno TSV 3, CAS XMI or CAS JSON"),
        (project({"a": {"ann": "FINISHED"}}, {"annotation/a/ann.zip": zipped(a_xmi=xmi(), b_xmi=xmi())}), "/annotation/a/ann.zip … a.xmi, b.xmi … one .xmi … export the project again"),
        (project({"a": {"ann": "FINISHED", "bob": "FINISHED"}}, {"annotation/a/ann.xmi": xmi(), "annotation/a/bob.xmi": xmi(text="Other")}), "document 'a', annotator 'bob' … differs … character 0: 'Other', not '😀 Jo Doe\\nm' … same text … pattern in quotes"),
        ({**FILES, "exportedproject.json": "{"}, "/exportedproject.json: not valid JSON … export the project again"),
        ({"annotation/a/ann.tsv": "#FORMAT=WebAnno TSV 2.0\n"}, "/annotation/a/ann.tsv:1: WebAnno TSV of version 1 or 2 … export as WebAnno TSV 3"),
    ],
)  # fmt: skip
def test_odd_projects(tmp_path, files, message):
    """What does not fit its description, or cannot be read, is refused by the file's name."""
    path = packed(tmp_path, files)
    with pytest.raises(sa.InputError) as error:
        read_raw_inception(path)
    join = "" if message.startswith("/") else ": "
    says(error.value, f"{path}{join}{message}".replace("{}", str(path)))


# --- writing ------------------------------------------------------------------------------------

signs = st.sampled_from("ab_|[]*\\;->\t\n\r\f\b\x01\x0b\x1c \u00a0\u2028😀日")


@st.composite
def marked(draw):
    """Texts with all kinds of signs, and segments that begin and end anywhere but in white space."""
    documents = draw(st.lists(st.text(signs, max_size=12), min_size=1, max_size=3))
    texts = [text for text in documents if text.strip() or not text] or ["a"]
    layers = {}
    for name in ("ann", "b.c", "d"):
        layers[name] = [draw(st.none() | segments_in(text)) for text in texts]
    ids = draw(st.sampled_from([None, [f"folder/{d} 日" for d in range(len(texts))]]))
    lengths = [len(text) for text in texts]
    return sa.Corpus.from_segments(lengths, layers, offsets="characters", ids=ids, texts=texts)


def segments_in(text):
    """Segments of a text, which may overlap, with labels that want escapes."""
    places = [
        (a, b)
        for b in range(1, len(text) + 1)
        for a in range(b)
        if text[a].strip() and text[b - 1].strip()
    ]
    labels = st.sampled_from(["PER", "*", "_", "a[1]", "x|y\\", "->;", "1\t2\n3"])
    segments = st.tuples(st.sampled_from(places), labels).map(lambda p: (*p[0], p[1]))
    return st.lists(segments, max_size=4, unique=True) if places else st.just([])


@pytest.mark.long
@given(marked())
def test_round_trip(tmp_path_factory, corpus):
    """What is written comes back, with blanks for white space that a text begins with; twice the same bytes."""
    path = tmp_path_factory.mktemp("tsv") / "out.zip"
    write_file(corpus, path, "inception")
    back = build_valid_corpus(read_raw_inception(path))
    texts = tuple(" " * (len(text) - len(text.lstrip())) + text.lstrip() for text in corpus.texts)
    assert back == replace(corpus, texts=texts)
    before = path.read_bytes()
    write_webanno_tsv(back, path)
    if texts == corpus.texts:
        assert path.read_bytes() == before


def test_written_as_the_tool_writes(tmp_path):
    """A file like those of the tool's own suite: numbers on what is stacked or goes on, UTF-16 offsets, escapes."""
    corpus = sa.Corpus.from_segments(
        [20],
        {"ann": [[(0, 4, "a_b"), (3, 4, "X"), (3, 7, "PER"), (9, 11, "LOC"), (9, 11, "ORG"), (13, 20, "Z")]]},
        offsets="characters",
        texts=["Is 😀 met Al\n\nand Bo\\"],
    )  # fmt: skip
    path = tmp_path / "out.tsv"
    write_webanno_tsv(corpus, path)
    assert (
        path.read_text("utf-8")
        == f"""#FORMAT=WebAnno TSV 3.3
#T_SP={NE}|value


#Text=Is 😀 met Al
#Text=
#Text=
1-1\t0-2\tIs\ta\\_b[1]\t
1-2\t3-5\t😀\ta\\_b[1]|X[2]|PER[3]\t
1-3\t6-9\tmet\t_\t
1-3.1\t6-8\tme\tPER[3]\t
1-4\t10-12\tAl\tLOC[4]|ORG[5]\t

#Text=and Bo\\\\
2-1\t14-17\tand\tZ[6]\t
2-2\t18-21\tBo\\\tZ[6]\t
"""
    )


def test_what_is_not_written(tmp_path):
    """White space at an edge, texts without a token, several of what a file holds one of, names of files."""

    def corpus(text="No way", segments=(), ids=None, names=("ann",)):
        layers = {name: [list(segments)] for name in names}
        return sa.Corpus.from_segments([len(text)], layers, offsets="characters", ids=ids, texts=[text])  # fmt: skip

    out = tmp_path / "out"
    for kind, odd, message in (
        ("tsv", corpus(segments=[(0, 3, "X")]), "document '1': segment 0–3 'X' … white space … --repair strip-space"),
        ("tsv", corpus(" \n"), "document '1' … white space … no token … leave it out"),
        ("tsv", corpus("\ud800"), "document '1' … surrogate … UTF-8 … correct it"),
        ("tsv", corpus(names=("ann", "bob")), "a WebAnno TSV file … 1 document and 2 annotators … .zip"),
        ("zip", corpus(ids=["../a"]), "'..' … name of a file … .zip … another"),
        ("zip", corpus(names=["a/b"]), "'a/b' … name of a file … .zip … another"),
        ("zip", corpus(names=["INITIAL_CAS"]), "'INITIAL_CAS' … name of a file … .zip … another"),
        ("tsv", sa.Corpus.from_segments([3], {"ann": [[]]}, offsets="characters"), "the texts are not known; WebAnno TSV … with its texts"),
    ):  # fmt: skip
        with refuses((sa.InputError, sa.SettingError), message):
            write_webanno_tsv(odd, out.with_suffix(f".{kind}"))


TWO_LAYERS = """#FORMAT=WebAnno TSV 3.3
#T_SP=x.NE|identifier|value
#T_SP=webanno.custom.Cue|


#Text=Jo Doe met Al
1-1\t0-2\tJo\t_\tPER\t_\t
1-2\t3-6\tDoe\tQ1\tPER\t*\t
1-3\t7-10\tmet\t_\t_\t*\t
1-4\t11-13\tAl\t_\t_\t_\t
"""


def test_several_layers_and_features(tmp_path):
    """Labels begin with the layer's name, or the feature's; a layer without one has its name."""
    path = tmp_path / "a.tsv"
    path.write_text(TWO_LAYERS)

    def marked(**options):
        (segments,) = sa.read(path, **options)[0].segments.values()
        return [tuple(segment)[:3] for segment in segments]

    assert marked(layer="Cue") == [(3, 6, "Cue"), (7, 10, "Cue")]
    both = marked(layer="NE, Cue", feature="value")
    assert both == [(0, 2, "NE:PER"), (3, 6, "Cue"), (3, 6, "NE:PER"), (7, 10, "Cue")]
    assert marked(layer="NE", feature="value,identifier") == [
        (0, 2, "value:PER"), (3, 6, "identifier:Q1"), (3, 6, "value:PER"),
    ]  # fmt: skip
    corpus = sa.read(path, layer="NE,Cue", feature="value")
    assert corpus.reading["read"] == {"layer": "x.NE,webanno.custom.Cue", "feature": "value"}
    assert corpus.notes[0].endswith(
        "layer x.NE, feature value and layer webanno.custom.Cue, whose name is the label"
    )
    with pytest.raises(sa.InputError, match="no feature 'colour' in any of the layers"):
        sa.read(path, layer="NE,Cue", feature="value,colour")
    with pytest.raises(sa.InputError, match="no layer 'Cu'"):
        sa.read(path, layer="NE,Cu", feature="value")
