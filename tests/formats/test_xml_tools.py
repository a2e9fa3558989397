"""XML of tools and corpora: made-up files of each, as the tool writes them, and what is refused."""

from __future__ import annotations

import zipfile

import pytest
from messages import refuses
from strategies import marked

import spanagree as sa

TEXT = "Jo Doe met Al 😀 in Rome."
# REFI-QDA, i2b2, ACE and Knowtator 2: made from their documentation, as no file was at hand

GATE = """<?xml version='1.0' encoding='UTF-8'?>
<GateDocument version="3"><GateDocumentFeatures/>
<TextWithNodes><Node id="0"/>Jo Doe<Node id="6"/> met Al 😀 in <Node id="19"/>Rome<Node id="23"/>.</TextWithNodes>
<AnnotationSet><Annotation Id="0" Type="Token" StartNode="0" EndNode="6"/></AnnotationSet>
<AnnotationSet Name="ann"><Annotation Id="1" Type="PER" StartNode="0" EndNode="6"><Feature>
<Name className="java.lang.String">sure</Name><Value className="java.lang.String">yes</Value></Feature></Annotation>
<Annotation Id="2" Type="LOC" StartNode="19" EndNode="23"/></AnnotationSet><AnnotationSet Name="bob"/></GateDocument>
"""

KNOWTATOR = """<?xml version="1.0" encoding="UTF-8"?>
<annotations textSource="a.txt">
<annotation><mention id="M1"/><annotator id="x">ann</annotator><span start="0" end="2"/><span start="11" end="13"/>
<spannedText>Jo ... Al</spannedText></annotation>
<classMention id="M1"><hasSlotMention id="S1"/><mentionClass id="PER">Jo</mentionClass></classMention>
<stringSlotMention id="S1"><mentionSlot id="sure"/><stringSlotMentionValue value="yes"/></stringSlotMention>
<annotation><mention id="M2"/><annotator id="y">bob</annotator><span start="19" end="23"/><spannedText>Rome</spannedText></annotation>
<classMention id="M2"><mentionClass id="LOC">Rome</mentionClass></classMention>
<annotation><mention id="M3"/><annotator id="z">ADJUDICATION</annotator><span start="0" end="2"/><spannedText>Jo</spannedText></annotation>
<annotation><mention id="M4"/><annotator id="y">bob</annotator><spannedText/></annotation>
<eHOST_Adjudication_Status version="1.0"/></annotations>
"""

KNOWTATOR_2 = """<?xml version="1.0" encoding="UTF-8"?>
<knowtator-project><document id="a" text-file="a.txt">
<annotation annotator="ann" id="1" type="identity"><class id="PER" label="person"/><span id="s" start="0" end="6">Jo Doe</span></annotation>
<annotation annotator="bob" id="2" type="identity"><class id="PER"/><span start="0" end="2">Jo</span></annotation>
<graph-space id="g"><triple id="t"/></graph-space></document></knowtator-project>
"""

I2B2 = f"""<?xml version="1.0" encoding="UTF-8" ?>
<deIdi2b2><TEXT><![CDATA[{TEXT}]]></TEXT><TAGS>
<NAME id="P0" start="0" end="6" text="Jo Doe" TYPE="PATIENT" comment=""/>
<LOCATION id="P1" start="19" end="23" text="Rome"/><TLINK id="T1" fromID="P0" toID="P1"/>
<EVENT id="E1" spans="7~10,16~18" text="met in"/></TAGS></deIdi2b2>
"""

ACE = """<?xml version="1.0"?><!DOCTYPE source_file SYSTEM "apf.v5.1.1.dtd">
<source_file URI="a.sgm" TYPE="text"><document DOCID="A-1">
<entity ID="E1" TYPE="PER"><entity_mention ID="E1-1" TYPE="NAM"><extent><charseq START="0" END="5">Jo Doe</charseq></extent>
<head><charseq START="3" END="5">Doe</charseq></head></entity_mention></entity>
<timex2 ID="T1"><timex2_mention ID="T1-1"><extent><charseq START="19" END="22">Rome</charseq></extent></timex2_mention></timex2>
<relation ID="R1"><relation_mention ID="R1-1"/></relation></document></source_file>
"""

TEI = """<?xml version="1.0"?><TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><name>Nobody</name></teiHeader>
<text><body><p><persName>Jo <hi>Doe</hi></persName> met <!-- them --><rs type="per">Al</rs> in <placeName>Rome</placeName>.</p></body></text></TEI>
"""

TEI_WORDS = """<?xml version="1.0"?><TEI xmlns="http://www.tei-c.org/ns/1.0"><text><body><p><s>
<rs type="per"><w>Jo</w> <w>Doe</w></rs><w join="right">met</w><pc>,</pc> <rs type="loc"><w join="right">Rome</w></rs><pc>.</pc></s></p></body></text></TEI>
"""

MUC = 'The <ENAMEX TYPE="PERSON">Jo Doe</ENAMEX> & <NUMEX TYPE="MONEY">$ 3</NUMEX>.\n'

REFI = """<?xml version="1.0" encoding="utf-8"?><Project xmlns="urn:QDA-XML:project:1.0" name="p">
<Users><User guid="u1" name="ann"/><User guid="u2" name="bob"/></Users>
<CodeBook><Codes><Code guid="c1" name="People"><Code guid="c2" name="Doctors"/></Code></Codes></CodeBook>
<Sources><TextSource guid="t1" name="one" plainTextPath="internal://T1.txt">
<PlainTextSelection guid="s1" startPosition="0" endPosition="6" creatingUser="u1"><Coding guid="k1" creatingUser="u1"><CodeRef targetGUID="c1"/></Coding>
<Coding guid="k2" creatingUser="u2"><CodeRef targetGUID="c2"/></Coding></PlainTextSelection></TextSource></Sources></Project>
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.txt").write_text(TEXT, "utf-8")
    (tmp_path / "a.sgm").write_text(f"<DOC><TEXT>{TEXT}</TEXT></DOC>", "utf-8")
    return tmp_path


def read(folder, name, content):
    (folder / name).write_text(content, "utf-8")
    return sa.read(folder / name)


def test_gate(folder):
    """Sets are annotators, that without a name is called as the file; nodes say where."""
    corpus = read(folder, "a.xml", GATE)
    assert corpus.ids == ("a",)
    assert corpus.texts == (TEXT,)
    assert marked(corpus) == {
        "a.xml": [(0, 6, "Token")], "ann": [(0, 6, "PER"), (19, 23, "LOC")], "bob": [],
    }  # fmt: skip
    assert corpus[0].segments["ann"][0].attributes == {"sure": "yes"}


def test_knowtator_and_ehost(folder):
    """Classes, slots and pieces; the tool itself is nobody; a folder of them is a corpus."""
    corpus = read(folder, "a.txt.knowtator.xml", KNOWTATOR)
    assert marked(corpus) == {"ann": [(0, 13, "PER")], "bob": [(19, 23, "LOC")]}
    assert corpus[0].segments["ann"][0].pieces == ((0, 2), (11, 13))
    assert corpus[0].segments["ann"][0].attributes == {"sure": "yes"}
    assert corpus.notes[-1].endswith(
        "1 span of the tool itself and 1 annotation without a span passed over"
    ) or corpus.notes[-1].endswith(
        "1 annotation without a span and 1 span of the tool itself passed over"
    )
    for name in ("saved", "corpus", "config"):
        (folder / "project" / name).mkdir(parents=True)
    (folder / "project/corpus/a.txt").write_text(TEXT, "utf-8")
    (folder / "project/saved/a.txt.knowtator.xml").write_text(KNOWTATOR, "utf-8")
    again = sa.read(folder / "project")
    assert (again.ids, marked(again)) == (("a",), marked(corpus))
    (folder / "project/corpus/a.txt").unlink()
    with pytest.raises(sa.InputError, match=r"its text, 'a\.txt', is neither beside it nor in"):
        sa.read(folder / "project")


def test_knowtator_2(folder):
    """Documents, with the annotations of all."""
    corpus = read(folder, "all.xml", KNOWTATOR_2)
    assert marked(corpus) == {"ann": [(0, 6, "PER")], "bob": [(0, 2, "PER")]}


def test_i2b2(folder):
    """Tags are called as their TYPE or their element; MAE's have pieces."""
    corpus = read(folder, "110-01.xml", I2B2)
    assert corpus.ids == ("110-01",)
    assert marked(corpus) == {
        "110-01.xml": [(0, 6, "PATIENT"), (7, 18, "EVENT"), (19, 23, "LOCATION")]
    }
    assert "1 relation passed over" in " ".join(corpus.notes)


def test_ace(folder):
    """Ends name the last character; the text is the .sgm file's without its tags."""
    corpus = read(folder, "a.apf.xml", ACE)
    assert corpus.ids == ("A-1",)
    assert marked(corpus) == {"a.apf.xml": [(0, 6, "PER"), (19, 23, "timex2")]}


def test_each_text_of_a_tei_corpus(tmp_path):
    """The first text of several was read alone."""
    head, *_ = TEI.partition("<TEI")
    bodies = "".join(
        f"<TEI{id_}><text><p><persName>{name}</persName> ran.</p></text></TEI>"
        for id_, name in ((' xml:id="x"', "Jo"), ("", "Al"))
    )
    (tmp_path / "c.xml").write_text(f"{head}<teiCorpus>{bodies}</teiCorpus>", "utf-8")
    corpus = sa.read(tmp_path / "c.xml")
    assert corpus.ids == ("x", "c:2")
    assert [tuple(s) for d in corpus for s in d.segments["c.xml"]] == [(0, 2, "persName")] * 2


def test_tei(folder):
    """Names in the text, not in the header; words that are elements have blanks between them."""
    corpus = read(folder, "t.xml", TEI)
    text = corpus.texts[0]
    assert "Nobody" not in text
    rows = [(text[a:b], label) for a, b, label in marked(corpus)["t.xml"]]
    assert rows == [("Jo Doe", "persName"), ("Al", "per"), ("Rome", "placeName")]
    words = read(folder, "w.xml", TEI_WORDS)
    assert words.texts == ("Jo Doe met, Rome.\n",)
    assert marked(words) == {"w.xml": [(0, 6, "per"), (12, 16, "loc")]}


def test_tags_in_a_text(folder):
    """MUC's tags in a text without a root, in which an ampersand stands by itself."""
    corpus = read(folder, "m.sgm", MUC)
    assert corpus.texts == ("The Jo Doe & $ 3.\n",)
    assert marked(corpus) == {"m.sgm": [(4, 10, "PERSON"), (13, 16, "MONEY")]}


def test_refi_qda(folder):
    """Who gave a selection which code, in a zip of the project and its texts."""
    with zipfile.ZipFile(folder / "p.qdpx", "w") as archive:
        archive.writestr("project.qde", REFI)
        archive.writestr("Sources/t1.txt", "\ufeff" + TEXT)
    corpus = sa.read(folder / "p.qdpx")
    assert (corpus.ids, corpus.texts) == (("one",), (TEXT,))
    assert marked(corpus) == {"ann": [(0, 6, "People")], "bob": [(0, 6, "Doctors")]}


def test_texts_decide_on_offsets(folder):
    """Offsets that do not fit what the tool says stands there are an error that names repairs."""
    odd = KNOWTATOR.replace('start="19" end="23"', 'start="3" end="6"')
    with refuses(sa.InputError, "… has 'Doe' … not 'Rome' … relocate-by-text"):
        read(folder, "a.txt.knowtator.xml", odd)
    corpus = sa.read(folder / "a.txt.knowtator.xml", repair="relocate-by-text")
    assert marked(corpus)["bob"] == [(19, 23, "LOC")]


ATTACKS = {
    "entity": ('<!DOCTYPE x [<!ENTITY e "ee">]>' + TEI.partition("?>")[2], "declares the entity 'e'"),
    "outside": ('<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>' + I2B2.partition("?>")[2], "declares the entity"),
    "cut": (GATE[:300], "not valid XML"),
    "deep": ("<TEI>" + "<a>" * 600 + "</a>" * 600 + "</TEI>", "more than 500 deep"),
    "no offset": (I2B2.replace('end="6" ', ""), "end is needed"),
    "no number": (I2B2.replace('end="6" ', 'end="six" '), "'six'; a whole number"),
    "no node": (GATE.replace('EndNode="6"', 'EndNode="7"'), "of nodes in the text"),
    "no pieces": (I2B2.replace("7~10", "7-10"), "start~end, with commas between"),
}  # fmt: skip


@pytest.mark.parametrize("what", ATTACKS)
def test_refused(folder, what):
    """Entities, files that are cut off or nested without end, and offsets that are none."""
    content, said = ATTACKS[what]
    with pytest.raises(sa.InputError) as error:
        read(folder, "a.xml", content)
    assert said in str(error.value)
    assert str(error.value).startswith(str(folder / "a.xml"))


@pytest.mark.long
def test_time_grows_with_the_size(folder, growth):
    """Neither marks nor words cost more the more there are."""

    def call(times, name):
        content = TEI_WORDS.replace("<s>", "<s>" + '<rs type="x"><w>Jo</w></rs>' * times)
        (folder / name).write_text(content)
        return lambda: sa.read(folder / name)

    assert growth(call(2000, "few.xml"), call(16000, "many.xml")) < 30


LATIN = "<TEI><text><p>\n<name>Jürgen</name> sang</p></text></TEI>"


@pytest.mark.parametrize(
    "content", [LATIN, LATIN.replace("TEI", "TEXT").replace("name>", "ENAMEX>")]
)
def test_bytes_of_another_encoding(folder, content):
    """They are named with their line, not called cut off; declared, or in UTF-8, they are read."""
    path = folder / "a.xml"
    path.write_bytes(content.encode("latin-1"))
    with refuses(sa.InputError, f"{path}:2 … byte 0xfc is not utf-8 … encoding='latin-1'") as error:
        sa.read(path)
    assert "cut off" not in str(error.value)
    path.write_bytes(content.encode())
    expected = sa.read(path)
    assert [s.end - s.start for s in expected[0].segments["a.xml"]] == [len("Jürgen")]
    path.write_bytes(b"<?xml version='1.0' encoding='latin-1'?>" + content.encode("latin-1"))
    assert sa.read(path)[0] == expected[0]
    path.write_bytes(content.encode()[:25])
    with refuses(sa.InputError, f"{path} … not valid XML"):
        sa.read(path)
