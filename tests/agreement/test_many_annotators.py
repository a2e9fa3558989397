"""CoNLL with many annotators: columns, files of different sentences, gaps."""

from __future__ import annotations

import pytest
from messages import refuses

import spanagree as sa

FILE = "crowd.txt"
CROWD = "a\tB-X\t?\tO\nb\tI-X\t?\tB-Y\n\nc\t?\tB-X\tO\n"


COLUMNS = {"w1": 1, "w2": 2, "w3": 3}


def test_missing(write):
    """A sentence of ? was never seen; one of O was, and nothing marked."""
    corpus = sa.read_conll(write(CROWD), columns=COLUMNS, missing="?")
    assert corpus[0].segments == {
        "w1": (sa.Segment(0, 2, "X"),),
        "w2": None,
        "w3": (sa.Segment(1, 2, "Y"),),
    }
    assert corpus[1].segments == {"w1": None, "w2": (sa.Segment(0, 1, "X"),), "w3": ()}
    with pytest.raises(sa.InputError, match=r"crowd.txt:4: unknown tag '\?'; allowed: O, or"):
        sa.read_conll(write(CROWD), columns=COLUMNS)


def test_partial(write):
    """A sentence partly ? is an error, or its tokens are left out in all layers and counted."""
    path = write("a\tB-X\tO\nb\t?\tB-Y\nc\tI-X\tI-Y\n\nd\tO\tO\n")
    ask = {"columns": {"w1": 1, "w2": 2}, "missing": "?"}
    with refuses(
        sa.InputError,
        f"{path}:2: no tag here … --partial drop-tokens (partial='drop-tokens') leaves such tokens out",
    ):
        sa.read_conll(path, **ask)
    corpus = sa.read_conll(path, **ask, partial="drop-tokens")
    assert corpus.tokens == ("a", "c", "d")
    assert corpus[0].segments == {"w1": (sa.Segment(0, 2, "X"),), "w2": (sa.Segment(1, 2, "Y"),)}
    assert corpus.notes[0] == "1 token that some annotator did not tag left out for all"
    assert "|partial:drop-tokens|" in sa.evaluate(corpus).signature
    with pytest.raises(sa.SettingError, match="unknown partial 'x'; allowed: error, drop-tokens"):
        sa.read_conll(path, **ask, partial="x")
    with pytest.raises(sa.InputError, match=":3: no tag here, but elsewhere in the document"):
        sa.read_conll(write("a\tO\n\nb\t?\n"), missing="?", unit="document")


def test_sentences_matched_by_id(write):
    """Files that hold different sentences are matched by sent_id, in any order."""
    one = write("# sent_id = x\na\tB-X\n\n# sent_id = y\nb\tO\nc\tO\n", "one")
    two = write("# sent_id = y\nb\tB-Y\nc\tI-Y\n\n# sent_id = z\nd\tB-X\n", "two")
    corpus = sa.read_conll([one, two])
    assert corpus.ids == ("x", "y", "z")
    assert corpus.tokens == ("a", "b", "c", "d")
    assert [d.segments for d in corpus] == [
        {"one": (sa.Segment(0, 1, "X"),), "two": None},
        {"one": (), "two": (sa.Segment(0, 2, "Y"),)},
        {"one": None, "two": (sa.Segment(0, 1, "X"),)},
    ]
    result = sa.evaluate(corpus, gold="two")
    assert result.systems["one"].documents == 1
    assert [name for name, _ in result.by_document("one")] == ["y"]


def test_all_or_none_have_ids(write):
    """Where ids differ, every file needs them."""
    one = write("# sent_id = x\na\tO\n", "one")
    two = write("a\tO\n", "two")
    three = write("# sent_id = y\na\tO\n", "three")
    assert len(sa.read_conll([one, two])) == 1
    with refuses(sa.InputError, "… two: no sent_id"):
        sa.read_conll([one, two, three])


def test_bad_tags_are_named_by_their_own_file(write):
    """With sentences in another order, an error still names file and line."""
    one = write("# sent_id = x\na\tO\n\n# sent_id = y\nb\tO\n", "one")
    two = write("# sent_id = y\nb\tQ\n\n# sent_id = x\na\tO\n", "two")
    with pytest.raises(sa.InputError, match=r"two:2: unknown tag 'Q'"):
        sa.read_conll([one, two])


def test_texts_of_one_id_differ(write):
    """The same id stands for the same sentence."""
    one = write("# sent_id = x\na\tO\n", "one")
    two = write("# sent_id = y\nb\tO\n\n# sent_id = x\nc\tO\n", "two")
    with refuses(sa.InputError, "… two:5: token 'c'; … one:2 has 'a' … --ignore-tokens"):
        sa.read_conll([one, two])


def test_ids_repeat(write):
    """An id is used once."""
    path = write("# sent_id = x\na\tO\n\n# sent_id = x\nb\tO\n")
    with refuses(sa.InputError, f"{path}:4: sent_id 'x' again … line 1"):
        sa.read_conll(path)
    assert sa.read_conll(write("# sent_id = x\na\tO\n\nb\tO\n")).ids is None


def test_labels_keep_their_hyphens(write):
    """creative-work stays creative-work, through every file of ours."""
    corpus = sa.read_conll(write("a\tB-creative-work\nb\tI-creative-work\n"))
    assert corpus.labels == ("creative-work",)


def test_repairs_are_known(write):
    """Tags hold nothing to repair, but an unknown repair is refused here too."""
    path = write("a\tB-X\n")
    assert sa.read_conll(path, repair=["drop-empty"]) == sa.read_conll(path)
    assert len(sa.from_tags({"a": [["B-X"]]}, repair="merge-overlaps").layers["a"]) == 1
    for call in (
        lambda: sa.read_conll(path, repair="x"),
        lambda: sa.from_tags({"a": []}, repair="x"),
    ):
        with pytest.raises(sa.SettingError, match="unknown repair 'x'; allowed: join-pieces"):
            call()
