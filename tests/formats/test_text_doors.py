"""Files of others that are text: what was counted in them by other means is what is read."""

from __future__ import annotations

import json
from collections import Counter

import pytest

import spanagree as sa
from spanagree.formats.read_files import read_raw_files


def counted(folder):
    return json.loads((folder / "facts.json").read_text("utf-8"))


def labels_of(corpus, annotator=None):
    """How many segments of each label an annotator has, or the only one."""
    layer = corpus.layers[annotator or corpus.annotators[0]]
    return dict(Counter(corpus.labels[code] for code in layer.label.tolist()))


def test_brat_collection(real):
    """A folder of .txt and .ann files, as brat's collections are."""
    folder = real / "data" / "relations" / "brat_keepha_medtxt"
    facts = counted(folder)["one annotator layer"]
    corpus = sa.read(folder, repair=["drop-relations"])  # two relations stand twice
    assert len(corpus) == facts["documents"]
    assert labels_of(corpus) == facts["by_label"]
    assert len(corpus.relations) == facts["lines"]["R"] - 2
    pieces = [
        len(segment.pieces) for d in corpus for each in d.segments.values() for segment in each
    ]
    assert sum(number > 1 for number in pieces) == facts["discontinuous"]
    (attributes,) = (
        Counter(f"{name} {value}" for d in corpus for each in d.segments.values() for segment in each
        for name, value in segment.attributes.items()),
    )  # fmt: skip
    assert attributes == facts["attributes"]


@pytest.mark.parametrize("annotator", ["ann1", "ann2"])
def test_brat_of_two_annotators(real, annotator):
    """Each annotator's folder by itself, and both as a project."""
    folder = real / "data" / "relations" / "brat_measeval_iaa"
    facts = counted(folder)[annotator]
    assert len(sa.read(folder)) == 127  # PROVENANCE.txt above both folders is no document
    for corpus, name in ((sa.read(folder), annotator), (sa.read(folder / annotator), annotator)):
        assert labels_of(corpus, name) == facts["by_label"]
        assert sum(d.segments[name] is not None for d in corpus) == facts["documents"]
        annotator_index = [r for r in corpus.relations if r.annotator == name]
        assert dict(Counter(r.label for r in annotator_index)) == facts["relations"]


def test_brat_parts(real):
    """Folders of documents of their own are parts; a file of no bytes says that nothing is there."""
    folder = real / "data" / "doors" / "brat_empty_ann"
    facts = counted(folder)
    corpus = sa.read(folder)
    assert len(corpus.annotators) == 1
    for document in corpus:
        (segments,) = document.segments.values()
        assert len(segments) == facts[f"{document.id}.ann"]["T_lines"]


CONLL_2012 = (
    "158_emma_brat", "32_herland_brat", "coref_coref", "structured_prediction_srl_conll_2012_subdomain_example",
    "structured_prediction_srl_conll_2012_subdomain2_example",
)  # fmt: skip


@pytest.mark.parametrize("name", CONLL_2012)
def test_conll_2012(real, name):
    """Sentences, tokens, documents, names and mentions of OntoNotes' and LitBank's files."""
    folder = real / "data" / "doors" / "conll2012"
    (path,) = [path for path in folder.iterdir() if path.stem == name]
    facts = counted(folder)[path.name]
    names = sa.read(path)
    assert (len(names), len(names.tokens)) == (facts["sentences"], facts["tokens"])
    documents = sa.read_conll(path, unit="document", columns="coref")
    assert len(documents) == facts["documents"]
    assert len(documents.layers["coref"]) == facts["coreference_mentions_opened"]
    entities = facts["named_entities_opened_in_column_11"]
    assert len(sa.read_conll(path, columns="ne").layers["ne"]) == entities


def test_germeval(real):
    """Outer and inner names, each by itself, with the row that has a cell more."""
    folder = real / "data" / "doors" / "germeval2014"
    facts = counted(folder)
    path = folder / "NER-de-test_cut.tsv"
    for column, name in ((2, "outer"), (3, "inner")):
        corpus = sa.read_conll(path, columns=column)
        assert (len(corpus), len(corpus.tokens)) == (facts["sentences"], facts["tokens"])
        assert len(corpus.layers[str(column)]) == facts[f"spans_{name}"]
        for label, number in labels_of(corpus).items():
            assert facts["labels"][f"{name}:{label}"] == number
    with pytest.raises(sa.InputError, match="all inside those of 2"):
        sa.read(path)


def test_conll_2003(real):
    """Token, part of speech, chunk and name."""
    folder = real / "data" / "doors" / "conll2003_four_columns"
    facts = counted(folder)
    corpus = sa.read(folder / "FIN3.txt")
    assert (len(corpus), len(corpus.tokens)) == (facts["sentences"], facts["tokens"])
    assert labels_of(corpus) == facts["labels"]
    assert len(sa.read_conll(folder / "FIN3.txt", unit="document")) == facts["DOCSTART"]


def test_tokens_in_csv(real, tmp_path):
    """Tables of tokens with and without sentences; a tag that is none is refused with its line."""
    folder = real / "data" / "doors" / "bio_csv"
    facts = counted(folder)
    path = folder / "sentence_word_pos_tag_cut.csv"
    with pytest.raises(sa.InputError, match=r"csv:425: unknown tag 'I\+D446-DISEASE'"):
        sa.read(path)
    mended = tmp_path / path.name
    mended.write_text(path.read_text("utf-8").replace("I+D446-DISEASE", "I-DISEASE"), "utf-8")
    corpus = sa.read(mended)
    of_file = facts[path.name]
    assert (len(corpus), len(corpus.tokens)) == (
        of_file["distinct_sentence_cells"],
        of_file["rows"],
    )
    path = folder / "gmb_word_tag.csv"
    with pytest.raises(sa.InputError, match="--encoding"):
        sa.read(path)
    corpus = sa.read(path, encoding="cp1252")
    assert len(corpus.tokens) == facts[path.name]["rows"]
    begun = {tag[2:]: n for tag, n in facts[path.name]["tags"].items() if tag.startswith("B-")}
    assert labels_of(corpus).items() >= begun.items()


def test_gate(real):
    """Sets of annotations, and nodes."""
    folder = real / "data" / "doors" / "gate"
    facts = counted(folder)["testdoc1.xml"]
    raw = read_raw_files({"x": folder / "testdoc1.xml"}, {})
    sets = Counter(raw.annotators[raw.annotator_index[a]] for a in raw.annotation.tolist())
    assert sets == {"x": facts["sets"]["null"], "Set2": facts["sets"]["Set2"]}


EHOST = ("ehost_test_corpus", "ehost_test_corpus2", "ehost_test_problem_data")
TOOL = "Extensible_Human_Oracle_Suite_of_Tools"


@pytest.mark.parametrize("name", EHOST)
def test_ehost(real, name):
    """Each project: labels of each document, without those that the tool itself made."""
    folder = real / "data" / "doors" / "ehost"
    facts = {key: each for key, each in counted(folder).items() if key.startswith(f"{name}/")}
    raw = read_raw_files({name: folder / name}, {})
    assert len(raw.lengths) == len(facts)
    assert TOOL not in raw.annotators
    assert {*raw.annotators} == {
        who for each in facts.values() for _, who in each["annotators"] if who != TOOL
    }
    made = sum(
        int(note.split(" span")[0].split()[-1]) for note in raw.notes if "tool itself" in note
    )
    assert len(raw.start) + made == sum(each["annotations"] for each in facts.values())
    labels = sum((Counter(each["labels"]) for each in facts.values()), Counter())
    mine = Counter(raw.labels[code] for code in raw.label.tolist())
    assert sum((labels - mine).values()) == made
    known = () if raw.details is None else raw.details.attributes.values()
    slots = sum(int((values >= 0).sum()) for values in known)
    assert slots + made == sum(each["slots"] for each in facts.values())


def test_knowtator(real):
    """Two annotators of four articles, whose offsets do not fit: read, and refused without a repair."""
    folder = real / "data" / "relations" / "knowtator_iaa"
    facts = counted(folder)
    raw = read_raw_files({"x": folder}, {})
    rows = zip(raw.annotation.tolist(), raw.start.tolist(), raw.end.tolist(), raw.label.tolist(), strict=True)  # fmt: skip
    by: dict = {}
    for annotation, *row in rows:
        who, d = raw.annotators[raw.annotator_index[annotation]], raw.document_index[annotation]
        by.setdefault((raw.ids[d], who), []).append(tuple(row))
    for key, each in facts.items():
        if key.endswith("_pair"):
            one, two = (by[key.removesuffix("_pair"), who] for who in ("ann1", "ann2"))
            assert abs(len(one) - each["ann1"]) <= 1  # one has no span
            assert len(two) == each["ann2"]
            assert len({*one} & {*two}) == each["common_exact_with_class"]
    with pytest.raises(sa.InputError, match="relocate-by-text"):
        sa.read(folder)


def test_tei(real):
    """Names around words."""
    folder = real / "data" / "doors" / "tei_inline_names"
    facts = counted(folder)
    (path,) = folder.glob("*.xml")
    corpus = sa.read(path)
    assert labels_of(corpus) == facts["rs_by_type"]
    (segments,) = corpus[0].segments.values()
    text = corpus.texts[0]
    assert [text[s.start : s.end] for s in segments[:5]] == facts["first_rs"]
    words = [" " in text[s.start : s.end] for s in segments]
    assert sum(words) == facts["rs_with_several_words"]
    assert text.count("\n") == facts["sentences"] or text.count("\n") >= facts["paragraphs"]
