"""Documents in groups, as clusters or joined, in every format."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from messages import refuses

import spanagree as sa
from spanagree.cli.main import main
from spanagree.report.explain import explain

NAMES = ("gold", "lexicon", "tagger", "chunker")
ASK = {"ci": sa.Jackknife()}
POSTS = {
    "ann": [[(0, 1, "X")], [], [(1, 2, "X")], None],
    "bob": [[], [(0, 2, "X")], None, None],
    "cem": [None] * 4,
}
IDS = ["t-1", "u-1", "t-2", "t-3"]


@pytest.fixture
def posts():
    texts = ["abc", "de", "fghi", "j"]
    lengths = [*map(len, texts)]
    return sa.Corpus.from_segments(lengths, POSTS, offsets="characters", ids=IDS, texts=texts)


@pytest.fixture
def file(sentences, tmp_path):
    """The sentences in our own format, whose ids and a further field tell the document of each."""
    path = tmp_path / "sentences.jsonl"
    ids = [f"a-{whole}-{s}" for s, whole in enumerate(sentences.parent_ids.tolist())]
    threads = [f"w{whole}" for whole in sentences.parent_ids.tolist()]
    named = replace(sentences, ids=ids, parent_ids=None, reading={})
    sa.write_jsonl(named, path, fields={"about": [{"thread": each} for each in threads]})
    return path


def told(result):
    """The explanations of a result, as one text."""
    return " ".join(" ".join(text for _, text in explain([result.table()])).split())


def f1_of(corpus, **ask):
    return {name: x.f1 for name, x in sa.evaluate(corpus, "gold", **ask).systems.items()}


@pytest.mark.long
@pytest.mark.parametrize("by", ["^(.*)-", "a-[0-9]+", "{}:about.thread"])
def test_as_conll(file, sentences, documents, by):
    """Ids or a column give to the digit what CoNLL's reader gives of the same texts by -DOCSTART-.

    Documents are drawn by their ids, so CoNLL's are given those of the file, and its groups.
    """
    by = by.format(file)
    sentences = replace(sentences, ids=sa.read(file).ids)
    clustered = f1_of(sentences, **{**ASK, "ci": replace(ASK["ci"], cluster_by="document")})
    assert (
        f1_of(
            sa.read(file, group_by=by), **{**ASK, "ci": replace(ASK["ci"], cluster_by="document")}
        )
        == clustered
    )
    assert (
        f1_of(sa.read(file), **{**ASK, "ci": replace(ASK["ci"], cluster_by="document")})
        != clustered
    )
    joined = sa.read(file, group_by=by, unit="document")
    assert joined.lengths.tolist() == documents.lengths.tolist()
    assert joined.tokens == documents.tokens
    assert all(joined.layers[name] == documents.layers[name] for name in NAMES)
    documents = replace(documents, ids=joined.ids)
    for ask in (ASK, {**ASK, "ci": replace(ASK["ci"], cluster_by="document")}):
        assert f1_of(joined, **ask) == f1_of(documents, **ASK)
    ours, theirs = (sa.agree(corpus, **ASK) for corpus in (joined, documents))
    assert ours.team.f1 == theirs.team.f1
    ours, theirs = (sa.difficulty(corpus) for corpus in (joined, documents))
    assert ours.values.tolist() == theirs.values.tolist()


def test_conll_by_ids(newsroom, sentences, documents):
    """CoNLL files too take groups, of sentences, in place of their own documents."""
    groups = [f"d{whole}" for whole in sentences.parent_ids.tolist()]
    joined = sentences.grouped_by(groups, joined=True)
    assert f1_of(joined) == f1_of(documents)
    assert sa.evaluate(joined).signature.count("|unit:document|joined:names|") == 1
    files = [newsroom / f"{n}.conll" for n in NAMES]
    tens = sa.read(files, group_by=r"^\d", unit="document")  # numbers, by their first figure
    assert len(tens) == 9
    assert tens.lengths.sum() == sentences.lengths.sum()


def test_chance_crosses_texts():
    """Two texts of 3 tokens joined are one of 6: by enumeration, exact chance is 1/6, not 1/3."""
    layers = {"a": [[(0, 1, "X")], []], "b": [[(1, 2, "X")], []]}
    corpus = sa.Corpus.from_segments([3, 3], layers, ids=["p-1", "p-2"])
    for one, places in ((corpus, 3), (corpus.grouped_by("(.*)-", joined=True), 6)):
        pairs = [(x, y) for x in range(places) for y in range(places)]
        by_hand = sum(x == y for x, y in pairs) / len(pairs)
        assert sa.evaluate(one).systems["b"].f1.expected == pytest.approx(by_hand, abs=1e-15)


def test_texts_and_places(posts):
    """Texts are joined by a line break, tokens by nothing; segments mark the same words as before."""
    layers = {"ann": [[(0, 2, "X")], [(0, 1, "Y")], [(2, 4, "X")]]}
    texts = ["no way", "so", "a  bc"]
    corpus = sa.Corpus.from_segments(
        [6, 2, 5], layers, offsets="characters", ids=["t-1", "u-1", "t-2"], texts=texts
    )
    joined = corpus.grouped_by("(.*)-", joined=True)
    assert joined.ids == ("t", "u")
    assert joined.texts == ("no way\na  bc", "so")
    assert joined.lengths.tolist() == [12, 2]
    assert [(s.start, s.end) for s in joined[0].segments["ann"]] == [(0, 2), (9, 11)]
    tokens = corpus.to_tokens(cut="expand").grouped_by("(.*)-", joined=True)
    assert tokens.texts == joined.texts
    assert tokens.tokens == ("no", "way", "a", "bc", "so")
    starts = tokens.token_starts.tolist()
    assert [tokens.texts[0][at] for at in starts[:4]] == ["n", "w", "a", "b"]
    assert [tuple(s) for s in tokens[0].segments["ann"]] == [(0, 1, "X"), (3, 4, "X")]
    assert len(tokens.changes) == len(corpus.to_tokens(cut="expand").changes)


def test_gaps(posts):
    """Missing does not become empty: only texts that exactly the same annotators saw are joined."""
    joined = posts.grouped_by("(.*)-", joined=True)
    assert joined.ids == ("t:t-1", "t:t-2", "t:t-3", "u")
    assert joined.parent_ids.tolist() == [0, 0, 0, 1]
    assert [joined.layers[n].annotated.tolist() for n in POSTS] == [
        [True, True, False, True], [True, False, False, True], [False] * 4,
    ]  # fmt: skip
    assert (
        "1 group in several documents, as not the same annotators saw all texts" in joined.notes[0]
    )
    for a, b in combinations(
        POSTS, 2
    ):  # each pair shares as many characters and segments as before
        for one in (posts, joined):
            both = one.layers[a].annotated & one.layers[b].annotated
            assert one.lengths[both].sum() == (5 if (a, b) == ("ann", "bob") else 0)
    assert len(sa.Corpus.from_segments([], {"a": []}).grouped_by([], joined=True)) == 0
    result = sa.agree(joined, ci=sa.Jackknife(cluster_by="document"))
    assert list(result.pairs) == [("ann", "bob")]
    assert result.pairs["ann", "bob"].f1[:3] == sa.agree(posts).pairs["ann", "bob"].f1[:3]


def test_order_changes_rounding_alone(file):
    """Texts and annotators in another order give the same figures, of sums of 103 terms at most."""
    corpus = sa.read(file)
    turned = corpus.select_annotators(NAMES[::-1]).subset(np.arange(len(corpus))[::-1])
    for joined in (True, False):
        one, other = (
            f1_of(
                c.grouped_by("(.*)-", joined=joined),
                **{**ASK, "ci": replace(ASK["ci"], cluster_by="document")},
            )
            for c in (corpus, turned)
        )
        for name, score in one.items():
            assert score[:3] == pytest.approx(other[name][:3], rel=1e-12)
            for kind in ("observed", "expected", "corrected"):
                ends = getattr(other[name].interval, kind)
                assert getattr(score.interval, kind) == pytest.approx(ends, rel=1e-9)


def test_in_no_group(posts):
    """What is in no group is by itself, or in the group that its id names; a note counts it."""
    grouped = posts.grouped_by(["t", None, "t", ""])
    assert grouped.parent_ids.tolist() == [0, 1, 0, 2]
    assert grouped.notes[-1] == "2 documents in no group, each by itself"
    assert posts.grouped_by([None, None, "t-1", None]).parent_ids.tolist() == [0, 1, 0, 2]
    assert (grouped.layers, grouped.ids, grouped.texts) == (dict(posts.layers), posts.ids, posts.texts)  # fmt: skip


def test_signature(posts):
    """Groups are named where they change figures; and stay with joined documents in a file."""
    ask = {"ci": sa.Jackknife()}
    grouped = posts.grouped_by("(.*)-")
    plain = sa.evaluate(grouped, **ask)
    assert plain.signature == sa.evaluate(posts, **ask).signature
    drawn = sa.evaluate(grouped, **{**ask, "ci": replace(ask["ci"], cluster_by="document")})
    assert "|group_by:pattern (.*)-|" in drawn.signature
    assert "from leaving out one group at a time" in told(drawn)
    assert (
        "left out, with all their sentences; where documents belong to groups, groups"
        in " ".join(sa.cite(drawn.signature).split())
    )
    joined = sa.evaluate(posts.grouped_by("(.*)-", joined=True))
    assert "may cross the border between two" in told(joined)
    assert "were joined to one document" in " ".join(sa.cite(joined.signature).split())  # fmt: skip


def test_written_and_read(posts, tmp_path):
    """A file of joined documents says that they are, in the signature of its figures."""
    joined = posts.grouped_by("(.*)-", joined=True)
    sa.write_jsonl(joined, tmp_path / "joined.jsonl")
    again = sa.read(tmp_path / "joined.jsonl")
    assert again == joined
    assert sa.evaluate(again).signature == sa.evaluate(joined).signature


def test_rows_of_a_tool(tmp_path):
    """Rows in a list, with the column that --document names, are their own table."""
    rows = [
        {"post": f"p{n}", "who": who, "thread": n // 2, "text": "Jo is", "spans": spans}
        for n in range(4)
        for who, spans in (("a", [{"start": 0, "end": 2, "label": "X"}]), ("b", []))
    ]
    path = tmp_path / "rows.json"
    path.write_text(json.dumps(rows))
    how = {"text": "text", "spans": "spans", "annotator": "who", "document": "post"}
    joined = sa.read(path, group_by=f"{path}:thread", unit="document", **how)
    assert joined.ids == ("0", "1")
    assert joined.texts == ("Jo is\nJo is",) * 2
    table = tmp_path / "threads.csv"
    table.write_text("post,group\np0,x\np1,x\np2,y\n")
    grouped = sa.read(path, group_by=str(table), **how)
    assert grouped.parent_ids.tolist() == [0, 0, 1, 2]
    assert "1 document in no group, each by itself" in grouped.notes


def test_refused(posts, tmp_path):
    """Each wrong way to name groups is an error that says what is allowed."""
    for by, says in (
        ("x(", "group_by 'x(': neither a file that is there nor a pattern"),
        ("nowhere", "group_by 'pattern nowhere': no document is in a group; a pattern, or a name"),
        (["a"], "a pattern, or a name for each document, is needed"),
        (7, "group_by 7; a pattern, or a name for each document, is needed"),
    ):
        with pytest.raises(sa.SettingError) as caught:
            posts.grouped_by(by)
        assert says in str(caught.value)
    sa.write_jsonl(posts, tmp_path / "posts.jsonl")
    table = tmp_path / "t.csv"
    for text, says in (
        ("", "no rows; a table with the group of each document is needed"),
        ("name,group\nx,1\n", "no column document or id; there are name, group"),
        ("id,thread\nt-1,1\n", "no column group; there are id, thread"),
        ("id,group\nt-1,1\nt-1,2\n", "document 't-1' has group '1', and '2' in another row; a document has one group"),
    ):  # fmt: skip
        table.write_text(text)
        with pytest.raises(sa.InputError) as caught:
            sa.read(tmp_path / "posts.jsonl", group_by=str(table))
        assert says in str(caught.value)
    with pytest.raises(sa.SettingError, match="unknown unit 'x'; allowed: sentence, document"):
        sa.read(tmp_path / "posts.jsonl", group_by="(.*)-", unit="x")
    with refuses(sa.SettingError, "… unit … conll … group-by"):
        sa.read(tmp_path / "posts.jsonl", unit="document")


@pytest.mark.long
def test_command(file, capsys):
    """The command gives what Python gives; it refuses groups without effect, and workers."""
    ask = [str(file), "--group-by", "^(.*)-"]
    for command in ("evaluate", "agree", "difficulty"):
        assert main([command, *ask, "--unit", "document", "--format", "json"]) == 0
        assert json.loads(capsys.readouterr().out)["settings"]["joined"] == "pattern ^(.*)-"
    drawn = ["--ci", "--cluster-by", "document"]
    assert main(["evaluate", *ask, *drawn, "--format", "json"]) == 0
    signature = json.loads(capsys.readouterr().out)["signature"]
    theirs = sa.evaluate(
        sa.read(file, group_by="^(.*)-"),
        **{**ASK, "ci": replace(ASK["ci"], cluster_by="document")},
    )
    assert signature == theirs.signature
    for more, says in (
        (
            [],
            "--group-by needs --cluster-by document or --unit document: groups are left out as a whole,"
            " or read as one document;",
        ),
        (
            [str(file.parent / "*"), *drawn, "--workers", "1"],
            "--group-by does not go with --workers: a group may",
        ),
    ):
        assert main(["evaluate", *ask, *more]) == 2
        assert says in capsys.readouterr().err


def test_flaws_come_first(tmp_path):
    """A segment beyond its text is refused or cut off there; it never reaches into the next text."""
    rows = [
        {"spanagree": 1, "id": f"t-{n}", "text": "abcd", "annotators": {
            "a": [{"start": 2, "end": 6 if n == 1 else 4, "label": "X"}]}}
        for n in (1, 2)
    ]  # fmt: skip
    path = tmp_path / "long.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    how = {"group_by": "(.*)-", "unit": "document"}
    with pytest.raises(sa.InputError, match="clip-beyond-text"):
        sa.read(path, **how)
    segments = sa.read(path, repair="clip-beyond-text", **how)[0].segments["a"]
    assert [(s.start, s.end) for s in segments] == [(2, 4), (7, 9)]
