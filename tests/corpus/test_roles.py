"""Who saw what, where a table of spans does not say: by the role of a layer."""

from __future__ import annotations

import json

import pytest
from messages import refuses

import spanagree as sa
from spanagree.corpus.roles import choose_annotators

GOLD = [("d1", [(0, 4)]), ("d2", [(0, 3), (12, 17)]), ("d3", [(0, 3)])]
TEXT = "Rome and Bonn are far."


@pytest.fixture
def files(tmp_path):
    """Gold of three documents in our own format; a system's table with rows for two of them."""
    rows = [
        {"spanagree": 1, "id": id_, "text": TEXT, "annotators": {"gold": [{"start": a, "end": b, "label": "X"} for a, b in spans]}}
        for id_, spans in GOLD
    ]  # fmt: skip
    (tmp_path / "gold.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    table = "document,start,end,label,length\nd1,0,4,X,22\nd3,0,3,X,22\n"
    (tmp_path / "s.csv").write_text(table, "utf-8")
    return [tmp_path / "gold.jsonl", tmp_path / "s.csv"]


def test_a_system_saw_what_gold_saw(files):
    """Two of four gold spans are found and none is wrong: F1 2/3. It was 1.0000 over two documents."""
    corpus = sa.read(files)
    result = sa.evaluate(corpus, "gold")
    assert result["s.csv"].f1.observed == pytest.approx(2 / 3, abs=1e-15)
    assert result["s.csv"].documents == 3
    assert (
        "s.csv: no row in 1 document that gold or references saw, taken as seen and nothing marked"
        in result.notes
    )

    assert corpus[1].segments["s.csv"] is None
    assert corpus.seen_unknown == ("s.csv",)


@pytest.mark.parametrize(("absent", "f1", "documents"), [("unseen", 1, 2), ("unmarked", 2 / 3, 3)])
def test_what_is_not_said_can_be_said(files, absent, f1, documents):
    """The option decides, and is part of the signature."""
    result = sa.evaluate(sa.read(files, absent=absent), "gold")
    assert result["s.csv"].f1.observed == pytest.approx(f1, abs=1e-15)
    assert result["s.csv"].documents == documents
    assert f"absent={absent}" in result.signature


def test_annotators_never_saw_it(files):
    """Of annotators the table cannot say: those documents are not shared."""
    rows = sa.agree(sa.read(files)).to_rows("pair")
    assert [row["documents"] for row in rows] == [2]


def test_the_header_says_what_pairs_share(files):
    """By hand: gold has d1, d2 and d3, s d1 and d3, t d2 alone; so pairs share two, one and none."""
    (files[0].parent / "t.csv").write_text(
        "document,start,end,label,length\nd2,0,3,X,22\n", "utf-8"
    )
    corpus = sa.read([*files, files[0].parent / "t.csv"])
    header = "3 annotators, 2 pairs with 1 to 2 shared documents, 3 documents"
    assert header in " ".join(str(sa.agree(corpus)).split())
    said = sa.read([*files, files[0].parent / "t.csv"], absent="unmarked")
    assert "3 pairs with a shared document, 3 documents" in " ".join(str(sa.agree(said)).split())


def test_references(files):
    """A system saw what any reference did."""
    corpus = sa.read(files)
    result = sa.evaluate_references(corpus, systems=["s.csv"])
    assert result["s.csv"].f1.observed == pytest.approx(2 / 3, abs=1e-15)


def test_a_file_that_says_who_saw_what_is_believed(files):
    """A row without start and end, or a format that says it."""
    table = files[1].read_text() + "d4,,,,22\n"
    files[1].write_text(table, "utf-8")
    corpus = sa.read(files)
    assert corpus.seen_unknown == ()
    assert sa.evaluate(corpus, "gold")["s.csv"].f1.observed == 1


def test_it_survives_what_is_done_to_a_corpus(files):
    """Subsets, other annotators and labels keep what is not said."""
    corpus = sa.read(files)
    assert corpus.subset([0, 1]).seen_unknown == ("s.csv",)
    assert corpus.select_annotators(["gold"]).seen_unknown == ()
    assert corpus.with_labels(["X"]).seen_unknown == ("s.csv",)
    again = sa.evaluate(corpus.subset([2, 1, 0]), "gold")
    assert again["s.csv"].f1.observed == pytest.approx(2 / 3, abs=1e-15)


@pytest.mark.parametrize(
    ("names", "annotators", "chosen"),
    [
        (None, ("ann", "bob", "cem"), None),
        (["cem", "bob", "ann"], ("cem", "bob", "ann"), None),
        (["cem", "ann"], ("cem", "ann"), ["cem", "ann"]),
        (iter(["cem", "ann"]), ("cem", "ann"), ["cem", "ann"]),
        ({"bob": 1}, ("bob",), ["bob"]),
        ([], (), []),
    ],
)
def test_chosen_annotators(names, annotators, chosen):
    """They are in the order named; settings name them if not all are chosen."""
    corpus = sa.Corpus.from_segments([5], {name: [[]] for name in ("ann", "bob", "cem")})
    team, asked = choose_annotators(corpus, names)
    assert (team.annotators, asked) == (annotators, chosen)


def test_chosen_annotators_of_a_part():
    """Settings name those too whom a part lacks; without these it has all of its own."""
    part = sa.Corpus.from_segments([5], {"ann": [[]], "bob": [[]]})
    team, asked = choose_annotators(part, ["dia", "bob"], in_part=True)
    assert (team.annotators, asked) == (("bob",), ["dia", "bob"])
    assert choose_annotators(part, ["dia", "bob", "ann"], in_part=True)[1] is None
    for names in (["dia"], ["ann", "ann"], "ann"):
        with pytest.raises(sa.SettingError):
            choose_annotators(part, names)


@pytest.mark.parametrize(
    ("names", "said"),
    [
        ("m", "annotators 'm'; a list of names is needed"),
        (3, "annotators 3; a list of names is needed"),
        (["m", "m"], "annotator 'm' is named twice; once is enough"),
        (["eve"], "unknown annotator 'eve'"),
    ],
)
def test_names_that_are_none(names, said):
    """A lone name is no list of its letters, wherever annotators, systems or references are named."""
    corpus = sa.Corpus.from_segments([5], {name: [[(0, 2, "X")]] for name in ("ann", "bob", "m")})
    for call in (
        lambda: sa.agree(corpus, annotators=names, ci=True),
        lambda: sa.alpha_u(corpus, annotators=names),
        lambda: sa.evaluate_references(corpus, systems=names),
        lambda: sa.references.with_baselines(corpus, ["nothing"], references=names),
    ):
        with refuses(sa.SettingError, said):
            call()
    table = sa.LabelTable.from_rows([(1, "ann", "x"), (1, "bob", "x"), (1, "m", "x")])
    with refuses(sa.SettingError, said):
        table.select_annotators(names)
    with refuses(sa.SettingError, said):
        sa.alt_test(corpus, "ann", epsilon=0.1, annotators=names)
