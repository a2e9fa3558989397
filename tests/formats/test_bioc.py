"""BioC as XML and JSON, and PubTator: the text of passages at their offsets, one annotator a file."""

from __future__ import annotations

import json
import re
from collections import Counter
from xml.sax.saxutils import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses
from strategies import rows

import spanagree as sa
from spanagree.corpus.repairs import build_valid_corpus
from spanagree.formats.bioc import read_raw_bioc
from spanagree.formats.pubtator import read_raw_pubtator
from spanagree.formats.read_files import read_raw_files
from spanagree.formats.recognise import find_format


def facts_of(real, name):
    folder = real / "data" / "tools" / "bioc-pubtator"
    return folder / name, json.loads((folder / "facts.json").read_text("utf-8"))[name]


def test_pubtator_as_it_was_counted(real):
    """tmVar: documents, mentions by type, and exact spans; every mention is what stands there."""
    path, facts = facts_of(real, "tmVar.Normalization_first60.txt")
    assert find_format(path) == "pubtator"
    raw = read_raw_pubtator(path)
    assert len(raw.lengths) == facts["documents"]
    assert Counter(label for _, _, label, _ in rows(raw)) == facts["mentions_per_type"]
    here = {(raw.id_of(d), *row) for d, row in zip(raw.document.tolist(), rows(raw), strict=True)}
    assert len(raw.start) == facts["mentions"] == facts["mentions_that_fit_each_way_of_joining"]["rstripped title+1+abstract"]  # fmt: skip
    for span in facts["exact_spans"]:
        assert tuple(span[k] for k in ("document", "start", "end", "type", "text")) in here


@pytest.mark.parametrize("kind", ["xml", "json"])
def test_bioc_as_it_was_counted(real, kind):
    """The library's file with everything: annotations of passages and sentences, what repeats one counted."""
    path, facts = facts_of(real, "bioc_everything.json")
    path = path.with_suffix(f".{kind}")
    assert find_format(path) == "bioc"
    raw = read_raw_bioc(path)
    assert len(raw.lengths) == facts["documents"]
    assert Counter(label for _, _, label, _ in rows(raw)) == {None: facts["annotations"]}
    assert [text for *_, text in rows(raw)] == ["bc", "fg", "bc", "测试"]
    assert raw.texts[1] == " " * 27 + "abcdefg测试Non-ASCII"
    assert raw.notes == (
        f"{path}: 1 repeated annotation and 3 other relations passed over",
        f"{path}: no infon type; there are annotation-infon-key (5); --feature chooses the infon that holds the labels",
    )
    labelled = read_raw_bioc(path, feature="annotation-infon-key")
    assert labelled.labels == ("annotation-infon-value",)
    assert labelled.reading["read"] == {"feature": "annotation-infon-key"}


def test_bioc_as_the_library_reads_it(real):
    """Ids, offsets and texts of all annotations equal those of the library bioc."""
    bioc = pytest.importorskip("bioc")
    path, _ = facts_of(real, "bioc_everything.json")
    collection = bioc.biocxml.load(str(path.with_suffix(".xml")))
    theirs = {
        (document.id, place.offset, place.end, each.text)
        for document in collection.documents
        for part in (*document.passages, *(s for p in document.passages for s in p.sentences))
        for each in part.annotations
        for place in each.locations
    }
    raw = read_raw_bioc(path.with_suffix(".xml"))
    ours = {(raw.id_of(d), s, e, text) for d, (s, e, _, text) in zip(raw.document.tolist(), rows(raw), strict=True)}  # fmt: skip
    assert ours == theirs


def bioc(*passages, annotations=(), id_="7"):
    """A document: passages are (offset, text, annotations)."""
    return {
        "id": id_,
        "passages": [{"offset": at, "text": text, "annotations": list(own), "sentences": [], "relations": []} for at, text, own in passages],
        "annotations": list(annotations),
    }  # fmt: skip


def note(number, *places, text=None, **infons):
    locations = [{"offset": at, "length": length} for at, length in places]
    return {"id": str(number), "infons": infons, "text": text, "locations": locations}


def xml(collection):
    """A collection as XML."""

    def part(name, value):
        if isinstance(value, list):
            return "".join(part(name.removesuffix("s"), each) for each in value)
        if name == "location":
            return f'<location offset="{value["offset"]}" length="{value["length"]}"/>'
        if name == "infons":
            return "".join(f'<infon key="{k}">{escape(v)}</infon>' for k, v in value.items())
        if not isinstance(value, dict):
            return "" if value is None else f"<{name}>{escape(str(value))}</{name}>"
        attribute = f' id="{value["id"]}"' if name in ("annotation", "relation") else ""
        inner = "".join(part(k, v) for k, v in value.items() if not (attribute and k == "id"))
        return f"<{name}{attribute}>{inner}</{name}>"

    inner = "".join(part("document", each) for each in collection["documents"])
    return f'<?xml version="1.0"?><!DOCTYPE collection SYSTEM "BioC.dtd"><collection><source/>{inner}</collection>'


PASSAGES = (
    (0, "Aspirin 😀 in gout.", [note(1, (0, 7), text="Aspirin", type="Chemical")]),
    (20, "It hurts.", [note(2, (23, 5), text="hurts", type="Sign"), note(3, (20, 2), (23, 5), type="Sign"), note(4, type="Doc")]),
)  # fmt: skip


@pytest.mark.parametrize("form", ["object", "list", "lines", "named", "xml"])
def test_forms(tmp_path, form):
    """The same documents as an object, a list, one a line, in PubTator3's object, and as XML."""
    documents = [bioc(*PASSAGES), bioc(id_="8")]
    path = tmp_path / f"ann.{'xml' if form == 'xml' else 'json'}"
    text = {
        "object": json.dumps({"source": "x", "documents": documents}),
        "list": json.dumps(documents),
        "lines": "\n".join(map(json.dumps, documents)),
        "named": json.dumps({"PubTator3": documents}),
        "xml": xml({"documents": documents}),
    }[form]
    path.write_text(text, "utf-8")
    assert find_format(path) == "bioc"
    with refuses(sa.InputError, "… annotator 'ann', document '7' … several"):
        read_raw_files({"ann": path}, {"discontinuous": "error"})
    kept = read_raw_files({"ann": path}, {})
    assert (
        sum(len(some) == 2 for some in kept.details.compute_pieces_by_row(kept.start).values()) == 1
    )
    raw = read_raw_files({"ann": path}, {"discontinuous": "drop"})
    assert raw.ids == ("7", "8")
    assert raw.texts == ("Aspirin 😀 in gout.  It hurts.", "")
    assert rows(raw) == [(0, 7, "Chemical", "Aspirin"), (23, 28, "Sign", "hurts")]
    assert raw.annotators == ("ann",)
    only = read_raw_files({"ann": path}, {"labels": ["Chemical"]})
    assert rows(only) == [(0, 7, "Chemical", "Aspirin")]  # the other label alone is discontinuous
    assert any("1 unlocated annotation passed over" in n for n in raw.notes)  # fmt: skip


RELATION = """<relation id="R1"><infon key="type">assoc</infon><node refid="{}" role="Arg1"/>
<node refid="{}" role="Arg2"/></relation>"""


def test_relations_in_xml(tmp_path):
    """Nodes are read as in JSON, in their order, of a document or a passage; of nothing, refused."""
    document = bioc(*PASSAGES)
    text = xml({"documents": [document]})
    nodes = [{"refid": "2", "role": "Arg1"}, {"refid": "1", "role": "Arg2"}]
    document["relations"] = [{"id": "R1", "infons": {"type": "assoc"}, "nodes": nodes}]
    for name, content in {
        "a.json": json.dumps({"documents": [document]}),
        "a.xml": text.replace("</document>", RELATION.format(2, 1) + "</document>"),
        "b.xml": text.replace("</passage>", RELATION.format(2, 1) + "</passage>", 1),
    }.items():
        (tmp_path / name).write_text(content, "utf-8")
        assert read_raw_bioc(tmp_path / name).balance["relation"] == {"read": 1}, name
        (relation,) = sa.read(tmp_path / name).relations
        labels = (relation.label, relation.first.label, relation.second.label)
        assert labels == ("assoc", "Sign", "Chemical"), name
    path = tmp_path / "c.xml"
    path.write_text(text.replace("</document>", RELATION.format(2, 9) + "</document>"), "utf-8")
    with refuses(sa.InputError, f"{path}: document '7', relation 'R1' …"):
        sa.read(path)


@given(st.lists(st.tuples(st.text("ab 😀\n", min_size=1, max_size=5), st.integers(0, 3)), min_size=1, max_size=4))  # fmt: skip
def test_passages_are_padded(tmp_path_factory, parts):
    """Each passage stands at its offset, whatever comes between, and a segment on it covers its text."""
    at, passages = 0, []
    for text, gap in parts:
        at += gap
        passages.append((at, text, [note(at, (at, len(text)), text=text, type="X")]))
        at += len(text)
    path = tmp_path_factory.mktemp("bioc") / "x.json"
    path.write_text(json.dumps({"documents": [bioc(*reversed(passages))]}), "utf-8")
    raw = read_raw_bioc(path)
    assert sorted(text for *_, text in rows(raw)) == sorted(text for text, _ in parts)
    assert raw.lengths[0] == at


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (bioc((0, "No way", []), (3, "Go", [])), "document '7': the passage at 3 'Go'; it begins before 6, where the one before it ends; offsets count characters, and passages do not overlap"),
        (bioc((0, "No", []), (10**8, "way", [])), "document '7': its 5 bytes expand to more than 50 times as many, which only files up to 16 MiB may; if you trust it, set SPANAGREE_EXPANSION=500"),
        (bioc((0.5, "No", [])), "document '7': offset or length 0.5; a whole number is needed: BioC has passages with offset and text, and annotations with locations"),
        (bioc((0, "No", []), id_=None), "document {'id': None, 'passages': [{'offset': 0, 'text': 'No', 'anno…; an id is needed: BioC has passages with offset and text, and annotations with locations"),
        (bioc((0, "No", [note(1, (0, 2), text=["No"])])), "document '7', annotation '1': text or infons ['No']; a string and a mapping: BioC has passages with offset and text, and annotations with locations"),
        (bioc((0, "No", [{**note(1, (0, 2)), "infons": ["X"]}])), "document '7', annotation '1': text or infons ['X']; a string and a mapping: BioC has passages with offset and text, and annotations with locations"),
        (bioc((0, "No", [note(1, (0, 2), type=["X"])])), "document '7', annotation '1': type ['X']; a string is needed"),
        ({"id": "7", "passages": 3}, "document '7': passages 3; a list of objects is needed"),
    ],
)  # fmt: skip
def test_odd_bioc(tmp_path, document, message):
    """What does not fit is refused by document and annotation."""
    path = tmp_path / "x.json"
    path.write_text(json.dumps({"documents": [document]}), "utf-8")
    with pytest.raises(sa.InputError) as error:
        read_raw_bioc(path)
    assert str(error.value).removeprefix(f"{path}: ") == message


def test_odd_files(tmp_path):
    """XML with entities, or cut off; the same id twice; a choice that there is not; offsets beyond the text."""
    path = tmp_path / "x.xml"
    path.write_text('<!DOCTYPE c [<!ENTITY e SYSTEM "file:///etc/passwd">]><collection><document><passage>&e;</passage></document></collection>', "utf-8")  # fmt: skip
    with refuses(sa.InputError, "… x.xml: declares the entity 'e'"):  # fmt: skip
        read_raw_bioc(path)
    path.write_text(xml({"documents": [bioc(*PASSAGES[:1])]})[:-20], "utf-8")
    with pytest.raises(sa.InputError, match=r"x.xml: not valid XML \(unclosed token"):
        read_raw_bioc(path)
    path.write_text(xml({"documents": [bioc(), bioc()]}), "utf-8")
    with pytest.raises(sa.InputError, match="id '7' comes twice; ids are used once"):
        read_raw_bioc(path)
    path.write_text(xml({"documents": [bioc((0, "No", [note(1, (0, 9), text="No", type="X")]))]}), "utf-8")  # fmt: skip
    with refuses(sa.InputError, "… ends beyond … length 2 … --repair clip-beyond-text"):  # fmt: skip
        build_valid_corpus(read_raw_bioc(path))


# --- PubTator -----------------------------------------------------------------------------------

TITLE = "7|t|Aspirin in gout.{}\n7|a|It hurts | a\tlot.\n7\t0\t7\tAspirin\tChemical\tD001241\n7\t{}\t{}\thurts\tSign\n7\tCID\tD001241\tD006073\n\n8|t|Nothing\n8|a|\n"


@pytest.mark.parametrize(
    ("end", "start", "way"),
    [("", 20, ""), (" ", 20, ""), (" ", 21, "by a blank after that at the end of the title"), ("", 19, "without a blank")],
)  # fmt: skip
def test_title_and_abstract(tmp_path, end, start, way):
    """They are joined by a blank, whatever the mentions count, which is said.

    So files of the same texts are of the same texts, one with mentions and one without.
    """
    path = tmp_path / "ann.txt"
    path.write_text(TITLE.format(end, start, start + 5), "utf-8")
    assert find_format(path) == "pubtator"
    raw = read_raw_pubtator(path)
    assert rows(raw) == [(0, 7, "Chemical", "Aspirin"), (20, 25, "Sign", "hurts")]
    assert raw.texts == ("Aspirin in gout. It hurts | a\tlot.", "Nothing ")
    assert raw.ids == ("7", "8")
    notes = [f"{path}: 1 relation passed over"]
    notes += [f"{path}: offsets count titles and abstracts joined {way}, as mentions show"] if way else []  # fmt: skip
    assert list(raw.notes) == notes


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("7|t|A\n8\t0\t1\tA\tX\n", ":2: '8\\t0\\t1\\tA\\tX' … ID|t|TITLE … ID|a|ABSTRACT"),
        ("7|t|A\n7\t0\t1\tA\n", ":2: '7\\t0\\t1\\tA' … id, start, end, text … type … tabs"),
        ("7|t|A\n7|a|B\n7\t0\t1\tA\tX\n7|t|A\n", ":4: document '7' … second time"),
        ("\n", ": no documents … ID|t|TITLE … ID|a|ABSTRACT"),
        ("7|t|A\n7\t0\t9999999999999999\tA\tX\n", ":2: offset '9999999999999999' … at most 15 digits"),
    ],
)  # fmt: skip
def test_odd_pubtator(tmp_path, text, message):
    """What is not PubTator is refused by its line."""
    path = tmp_path / "x.txt"
    path.write_text(text, "utf-8")
    with refuses(sa.InputError, f"{path}{message}"):
        read_raw_pubtator(path)


def test_text_that_stands_elsewhere(tmp_path):
    """Refused with the repairs that help, in both formats; relocated to where it stands."""
    (tmp_path / "x.json").write_text(
        json.dumps({"documents": [bioc((0, "No way", [note(1, (0, 2), text="way", type="X")]))]}),
        "utf-8",
    )
    (tmp_path / "x.txt").write_text(TITLE.format("", 24, 29), "utf-8")
    for name, there, said in (("x.json", "'No'", "'way'"), ("x.txt", "'s | a'", "'hurts'")):
        with pytest.raises(sa.InputError, match=rf"has {re.escape(there)} in the text, not {said}"):
            sa.read(tmp_path / name)
        corpus = sa.read(tmp_path / name, repair="relocate-by-text")
        (segments,) = corpus[0].segments.values()
        assert said[1:-1] in [corpus[0].text[start:end] for start, end, _ in segments]


def test_pubtator_central(tmp_path):
    """Titles that end with a blank, mentions of the full text beyond: the repairs are named."""
    title, abstract = "Aspirin in gout. ", "It hurts."
    rows = [
        "7|t|" + title,
        "7|a|" + abstract,
        "7\t0\t7\tAspirin\tChemical\tD1",
        "7\t11\t15\tgout\tDisease\tD2",
    ]
    rows += ["7\t20\t25\thurts\tDisease\tD3"]  # of a title without its blank: 17 + 3
    rows += [f"7\t{n}\t{n + 4}\tgout\tDisease\tD2" for n in range(300, 340, 5)]
    path = tmp_path / "ptc.pubtator"
    path.write_text("\n".join(rows) + "\n")
    with pytest.raises(sa.InputError) as error:
        sa.read(path)
    assert "--repair" in str(error.value)
    corpus = sa.read(path, repair=["drop-misplaced", "drop-beyond-text"])
    (segments,) = corpus[0].segments.values()
    assert [corpus.texts[0][s.start : s.end] for s in segments] == ["Aspirin", "gout", "hurts"]
