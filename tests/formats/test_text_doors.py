"""Files of others that are text: what was counted in them by other means is what is read."""

from __future__ import annotations

import json
from collections import Counter

import pytest

import spanagree as sa


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
    for corpus, name in ((sa.read(folder), annotator), (sa.read(folder / annotator), annotator)):
        assert labels_of(corpus, name) == facts["by_label"]
        assert sum(d.segments[name] is not None for d in corpus) == facts["documents"]
        of_annotator = [r for r in corpus.relations if r.annotator == name]
        assert dict(Counter(r.label for r in of_annotator)) == facts["relations"]


def test_brat_parts(real):
    """Folders of documents of their own are parts; a file of no bytes says that nothing is there."""
    folder = real / "data" / "doors" / "brat_empty_ann"
    facts = counted(folder)
    corpus = sa.read(folder)
    assert len(corpus.annotators) == 1
    for document in corpus:
        (segments,) = document.segments.values()
        assert len(segments) == facts[f"{document.id}.ann"]["T_lines"]
