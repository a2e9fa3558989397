"""The list of who reads what next: by hand, what must hold on all projects, its files, the command."""

from __future__ import annotations

import csv
import io
import json
import time
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses
from strategies import at_most, crowds

import spanagree as sa
from spanagree.corpus.segments import Layer

SPAN = [(0, 2, "X")]


def project():
    """Four documents: two have read the first, ann the second and third, nobody the last."""
    layers = {
        "ann": [SPAN, SPAN, [], None],
        "bob": [[(0, 3, "X")], None, None, None],
        "cem": [None, None, None, None],
    }
    words = ("=1+1", "met", "<b>Bob</b>", '"and"', "left") * 4
    corpus = sa.Corpus.from_segments([5] * 4, layers, ids=["a", "b", "c", "=d"])
    return replace(corpus, tokens=words)


# --- who gets what ------------------------------------------------------------------------------


def test_by_hand():
    """The unread document comes first; nobody gets what they have seen, marked or not."""
    found = sa.project.worklist(project())
    assert [row.document for row in found] == ["=d", "=d", "b", "c"]
    assert [row.readers for row in found] == [0, 0, 1, 1]
    assert {row.annotator for row in found if row.document in "bc"} == {"bob", "cem"}
    assert "ann" in {row.annotator for row in found if row.document == "=d"}
    assert sorted(found.loads.tolist()) == [1, 1, 2]
    assert (
        found.verdict
        == "3 of 4 documents lack readers. 4 readings go to 3 annotators, 1 or 2 each."
    )
    assert found.caveats == ()


def test_the_disputed_come_first():
    """Of documents with as many readers those come first about which these disagree most.

    Oracle: 1 − F1 of the second document is 1, of the first 1/3, and nothing is in dispute in the
    third.
    """
    two = [(0, 2, "X"), (4, 6, "X")]
    layers = {
        "ann": [two, SPAN, SPAN],
        "bob": [SPAN, [(5, 7, "X")], SPAN],
        "cem": [None] * 3,
        "dia": [None] * 3,
    }
    found = sa.project.worklist(sa.Corpus.from_segments([9] * 3, layers), readers=3)
    assert [(row.document, round(row.disagreement, 3)) for row in found][:2] == [("2", 1), ("1", 0.333)]  # fmt: skip
    assert np.isnan([*found][2].disagreement)
    assert found.signature.startswith("match:exact|chance:nonoverlapping|sort:disagreement|readers:3|")  # fmt: skip


@st.composite
def lists(draw):
    """A project, and what is asked of it."""
    lengths, layers = draw(crowds())
    corpus = sa.Corpus.from_segments(lengths, layers)
    names = draw(st.sets(st.sampled_from([*layers, "new"]), min_size=1))
    asked = {
        "readers": draw(st.integers(1, 4)),
        "limit": draw(st.sampled_from([None, 1, 2])),
        "assignees": draw(st.sampled_from([None, sorted(names)])),
    }
    return corpus, asked


@at_most(100)
@given(lists())
def test_on_all_projects(drawn):
    """Nobody gets what they have seen, or a document twice; each that lacks readers is accounted for.

    Oracle: numbers of who saw what.
    """
    corpus, asked = drawn
    found = sa.project.worklist(corpus, **asked)
    saw = {name: layer.annotated.tolist() for name, layer in corpus.layers.items()}
    names = asked["assignees"] or sorted(corpus.annotators)
    rows = [(row.annotator, int(row.document) - 1) for row in found]
    assert len(set(rows)) == len(rows)
    assert found.names == tuple(names)
    assert all(name in names and not saw.get(name, [0] * len(corpus))[d] for name, d in rows)
    n_new, n_left = Counter(d for _, d in rows), 0
    for d in range(len(corpus)):
        n_lacking = max(0, asked["readers"] - sum(seen[d] for seen in saw.values()))
        possible = sum(not saw.get(name, [0] * len(corpus))[d] for name in names)
        assert found.n_left[d] == n_lacking - n_new[d]
        n_left += max(0, n_lacking - possible)
        if asked["limit"] is None:
            assert n_new[d] == min(n_lacking, possible)
    assert found.n_exhausted == n_left
    assert all(load <= (asked["limit"] or load) for load in found.loads.tolist())
    readers = [row.readers for row in found]
    assert readers == sorted(readers)
    for name in names:
        assert [row.order for row in found if row.annotator == name] == [
            *range(1, found.loads[names.index(name)] + 1)
        ]
    turned = corpus.select_annotators(corpus.annotators[::-1])
    assert [*map(repr, sa.project.worklist(turned, **asked))] == [*map(repr, found)]


def test_nothing_left_to_read():
    """All have enough readers: an empty list that says so, in its files too."""
    found = sa.project.worklist(project(), readers=1, assignees=["bob"], limit=3)
    assert [row.document for row in found] == ["=d"]
    done = sa.project.worklist(project().subset([0]))
    assert (len(done), done.verdict) == (0, "Of 1 document none lacks a reader.")
    assert done.to_csv() == "annotator,order,document,readers,disagreement,signature\n"
    assert "0 readings in 0 of 1 document for 3 annotators" in str(done)


def test_nobody_may_read_it():
    """Who is left has seen it all: the readings that nobody can do are counted. Oracle: by hand."""
    found = sa.project.worklist(project(), readers=3, assignees=["ann"])
    assert [(row.annotator, row.document) for row in found] == [("ann", "=d")]
    assert (found.left, found.n_exhausted) == (1 + 2 + 2 + 2, 1 + 2 + 2 + 2)
    assert "for 7 readings nobody is left who has not seen the document." in found.verdict


def test_one_annotator():
    """Nothing is shared yet, and nothing can be ranked; another reader is lacking."""
    corpus = sa.Corpus.from_segments([5, 5], {"ann": [SPAN, None]})
    found = sa.project.worklist(corpus)
    assert [(row.annotator, row.document) for row in found] == [("ann", "2")]
    assert (found.left, found.n_exhausted) == (2, 2)
    assert found.signature == f"readers:2|offsets:tokens|spec:1.0|spanagree:{sa.__version__}"
    alone = sa.project.worklist(corpus, readers=1, assignees=["zoe"])
    assert [row.document for row in alone] == ["2"]
    assert alone.notes[-1].startswith("zoe: not among the annotators ann")


def test_a_limit_leaves_the_rest():
    """The most urgent readings are done first, and the verdict says how many are for later."""
    found = sa.project.worklist(project(), limit=1)
    assert [row.document for row in found] == ["=d", "=d", "b"]
    assert found.verdict.endswith("; the limit of 1 leaves 1 reading for later.")
    assert "limit:1" in found.signature


def test_uneven_loads_are_said():
    """ann has seen all but one, so bob gets more; loads are as even as they can be."""
    layers = {"ann": [*[SPAN] * 5, None], "bob": [None] * 6}
    found = sa.project.worklist(sa.Corpus.from_segments([5] * 6, layers))
    assert found.loads.tolist() == [1, 6]
    (caveat,) = found.caveats
    assert caveat.startswith("1 to 6 documents each: whoever gets fewer has seen more")


def test_gold_is_nobody():
    """A layer that is called gold, or was voted for, reads nothing, and is no reader."""
    corpus = project()
    with_gold = corpus.replace(layers={**corpus.layers, "gold": corpus.layers["ann"]})
    found = sa.project.worklist(with_gold)
    assert found.names == ("ann", "bob", "cem")
    assert [*map(repr, found)] == [*map(repr, sa.project.worklist(corpus))]
    assert found.notes[-1] == "gold: no annotators, and no readers"
    voted = sa.make_gold(corpus, min_annotators=1, vote="tokens").corpus
    assert [*map(repr, sa.project.worklist(voted))] == [*map(repr, sa.project.worklist(corpus))]
    only = corpus.select_annotators(["ann"])
    with pytest.raises(sa.SettingError, match="no annotator who could read; assignees names some"):
        sa.project.worklist(only.replace(layers={"gold": only.layers["ann"]}))


def test_what_a_vote_leaves_open():
    """A tie that has enough readers goes to one more, and so does what too few saw. By hand."""
    layers = {
        "ann": [SPAN, SPAN, SPAN],
        "bob": [[(3, 4, "X")], SPAN, None],
        "cem": [None] * 3,
    }
    gold = sa.make_gold(sa.Corpus.from_segments([5] * 3, layers), vote="tokens")
    assert {gold.corpus.id_of(d) for d in gold.few.tolist()} == {"3"}
    found = sa.project.worklist(gold)
    assert [row.document for row in found] == ["3", "1"]
    assert {(row.annotator, row.document) for row in found} == {("bob", "3"), ("cem", "1")}
    assert "decide:yes" in found.signature
    assert [row.document for row in sa.project.worklist(gold, readers=1)] == ["3", "1"]


def chosen_voters():
    """Two vote: on a tie, on a document that nobody read, and on one that only others read."""
    layers = {
        "ann": [SPAN, None, None],
        "bob": [[(3, 4, "X")], None, None],
        "dia": [SPAN, None, SPAN],
        "llm": [None, None, SPAN],
    }
    return sa.Corpus.from_segments([5] * 3, layers)


def test_a_vote_is_settled_by_its_voters():
    """Who did not vote gets nothing, and is no reader. By hand: both voters saw 1, none 2 and 3.

    With what they are to read as segments, the same vote leaves nothing open but the tie.
    """
    corpus = chosen_voters()
    voters = ["ann", "bob"]
    gold = sa.make_gold(corpus, annotators=voters, vote="tokens")
    found = sa.project.worklist(gold)
    expected = {(name, document) for name in voters for document in "23"}
    assert {(row.annotator, row.document) for row in found} == expected
    assert (found.names, found.n_exhausted) == (("ann", "bob"), 1)
    assert found.verdict.endswith("for 1 reading nobody is left who has not seen the document.")
    assert {row.readers for row in found} == {0}
    layers = {name: [found.corpus[0].segments[name], SPAN, SPAN] for name in voters}
    again = sa.make_gold(sa.Corpus.from_segments([5] * 3, layers), annotators=voters, vote="tokens")
    assert [row["document"] for row in again.table("adjudicate").to_rows()] == ["1", "1"]


def test_assignees_who_do_not_vote():
    """They get what they have not read, as asked for, and a note says that the vote ignores it."""
    gold = sa.make_gold(chosen_voters(), annotators=["ann", "bob"], vote="tokens")
    found = sa.project.worklist(gold, assignees=["dia", "llm"])
    assert [(row.annotator, row.document) for row in found if row.annotator == "dia"] == [
        ("dia", "2")
    ]
    said = "dia, llm: not among the voters ann, bob, so what they read does not settle the vote"
    assert any(note.startswith(said) for note in found.notes)
    everybody = sa.make_gold(chosen_voters(), vote="tokens")
    assert not any(
        "voters" in note for note in sa.project.worklist(everybody, assignees=["zoe"]).notes
    )


def test_who_saw_nothing_marked_is_not_always_known():
    """A table does not say so: such a document may come again, and a caveat says that."""
    corpus = project().replace(seen_unknown=("ann",))
    (caveat,) = sa.project.worklist(corpus).caveats
    assert caveat.startswith("the files do not say what ann saw and marked nothing in")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"readers": 0}, "readers 0; a whole number from 1 is needed"),
        ({"limit": 0}, "limit 0; a whole number from 1 is needed"),
        ({"limit": True}, "limit True; a whole number from 1 is needed"),
        ({"assignees": "ann"}, "assignees 'ann'; a list of names is needed"),
        ({"assignees": []}, "assignees: no name; leave it out for all annotators, or name some"),
        ({"assignees": ["ann", "ann"]}, "assignee 'ann' is named twice; once is enough"),
        ({"assignees": [" "]}, "assignee ' '; a name is needed"),
        ({"sort": "chance"}, "unknown sort 'chance'; …"),
    ],
)
def test_refused(asked, said):
    with refuses(sa.SettingError, said):
        sa.project.worklist(project(), **asked)


@pytest.mark.long
def test_forty_annotators_of_twenty_thousand_documents():
    """It takes a second or two; loads differ by one at most."""
    random = np.random.default_rng(7)
    n_documents, layers = 20_000, {}
    for k in range(40):
        annotated = random.random(n_documents) < 0.05
        document = np.flatnonzero(annotated)
        start = random.integers(0, 20, len(document))
        label = np.zeros(len(document), np.int64)
        layers[f"w{k:02}"] = Layer(document, start, start + 2, label, annotated)
    corpus = sa.Corpus(np.full(n_documents, 30), layers, ("X",))
    begin = time.process_time()
    found = sa.project.worklist(corpus, readers=4)
    assert time.process_time() - begin < 10
    assert found.loads.max() - found.loads.min() <= 1
    assert found.left == 0


@pytest.mark.parametrize(("n_annotators", "n_shown"), [(100, 100), (101, 20)])
def test_annotators_in_a_terminal(n_annotators, n_shown):
    """A lead sees all of a project; of a crowd the first twenty, and how many more there are."""
    names = [f"w{i:03}" for i in range(n_annotators)]
    found = sa.project.worklist(project().subset([3]), assignees=names, readers=n_annotators)
    shown = str(found)
    assert sum(line.startswith("w") and line.split()[-1] == "1" for line in shown.splitlines()) == n_shown  # fmt: skip
    assert ("\n81 annotators more\n" in shown) == (n_shown < n_annotators)


# --- files --------------------------------------------------------------------------------------


def test_a_table(tmp_path):
    """Every reading is in it; a cell that a spreadsheet would take for a formula is escaped."""
    found = sa.project.worklist(project(), assignees=["@cem", "dia"])
    found.write(tmp_path / "work.csv", safe_cells=True, bom=True)
    text = (tmp_path / "work.csv").read_text("utf-8")
    assert text.startswith("\ufeffannotator,order,document,readers,disagreement")
    rows = list(csv.DictReader(io.StringIO(text[1:])))
    assert len(rows) == len(found)
    assert {row["annotator"] for row in rows} == {"'@cem", "dia"}
    assert rows[0]["document"] == "'=d"
    found.write(tmp_path / "bare.csv")
    assert (tmp_path / "bare.csv").read_text("utf-8") == found.to_csv()


def written_worklist(folder, name):
    """A worklist, the texts of its documents by id, and the file that it was written to."""
    corpus = project()
    found, path = sa.project.worklist(corpus), folder / name
    found.write(path)
    texts = corpus.to_characters().texts
    return found, dict(zip(corpus.ids, texts, strict=True)), path


def test_tasks_for_label_studio(tmp_path):
    """A task for each reading, with the text as it is, and the annotator.

    What is annotated of them is read as of the same documents.
    """
    found, texts, path = written_worklist(tmp_path, "work.json")
    tasks = json.loads(path.read_text("utf-8"))
    assert [task["data"] for task in tasks] == [
        {"text": texts[row.document], "spanagree_id": row.document, "assignee": row.annotator}
        for row in found
    ]
    for number, task in enumerate(tasks, 1):
        value = {"start": 0, "end": 4, "labels": ["X"], "text": task["data"]["text"][:4]}
        result = [{"id": "r", "from_name": "label", "to_name": "text", "type": "labels", "value": value}]  # fmt: skip
        by = {"completed_by": {"email": task["data"]["assignee"]}, "was_cancelled": False}
        task |= {"id": number, "annotations": [{**by, "result": result}]}
    path.write_text(json.dumps(tasks), "utf-8")
    again = sa.read(path)
    assert {*again.ids} == {row.document for row in found}
    saw = {(name, again.id_of(d)) for name in again.annotators for d in np.flatnonzero(again.layers[name].annotated)}  # fmt: skip
    assert saw == {(row.annotator, row.document) for row in found}


@pytest.mark.parametrize("cut", ["error", "expand"])
@pytest.mark.parametrize("first", ["project", "back"])
def test_tasks_return_to_tokens(newsroom, tmp_path, run, first, cut):
    """Figures equal those of the same segments given in tokens; the signature has the tokenizer."""
    corpus = sa.read(newsroom.parent / "crowd" / "crowd.jsonl")
    found = sa.project.worklist(corpus, readers=3, limit=3)
    found.write(tmp_path / "work.json")
    tasks = json.loads((tmp_path / "work.json").read_text("utf-8"))
    for task in tasks:
        end = task["data"]["text"].index(" ") - (cut == "expand")
        value = {"start": 0, "end": end, "labels": ["CROP"], "text": task["data"]["text"][:end]}
        result = [{"from_name": "label", "to_name": "text", "type": "labels", "value": value}]
        email = f"{task['data']['assignee']}@x.org"
        task["annotations"] = [{"completed_by": {"email": email}, "result": result}]
    (tmp_path / "back.json").write_text(json.dumps(tasks), "utf-8")
    asked = ("--annotator-from", "email", "--tokenizer", "space", "--cut", cut)
    assert run("convert", tmp_path / "back.json", "-o", tmp_path / "back.jsonl", *asked)[0] == 0
    layers = {name: [each.segments[name] for each in corpus] for name in corpus.annotators}
    for row in found:
        layers[row.annotator][corpus.ids.index(row.document)] = [(0, 1, "CROP")]
    in_tokens = sa.agree(sa.Corpus.from_segments(corpus.lengths, layers, ids=corpus.ids))
    sa.write_jsonl(corpus, tmp_path / "project.jsonl")
    paths = [tmp_path / "project.jsonl", tmp_path / "back.jsonl"]
    merged = sa.read(paths if first == "project" else paths[::-1])
    agreement = sa.agree(merged)
    assert agreement.team.f1.observed == in_tokens.team.f1.observed
    assert agreement.team.f1.expected == pytest.approx(in_tokens.team.f1.expected, abs=1e-12)
    assert "|tokenizer:space|" in agreement.signature
    assert ("|cut:expand|" in agreement.signature) == (cut == "expand")


def test_tasks_for_prodigy(tmp_path):
    """A row for each reading, with tokens; two rows of one text are different tasks.

    What is annotated of them is read as of the same documents.
    """
    found, texts, path = written_worklist(tmp_path, "work.jsonl")
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    assert [(row["text"], row["meta"]) for row in rows] == [
        (texts[row.document], {"document": row.document, "assignee": row.annotator})
        for row in found
    ]
    assert [token["text"] for token in rows[0]["tokens"]] == list(project().tokens[:5])
    assert len({row["_task_hash"] for row in rows}) == len(rows)
    assert len({row["_input_hash"] for row in rows}) == 3
    spans = [{"start": 0, "end": 4, "label": "X"}]
    done = [{**row, "spans": spans, "answer": "accept", "_annotator_id": row["meta"]["assignee"]} for row in rows]  # fmt: skip
    path.write_text("".join(json.dumps(row) + "\n" for row in done), "utf-8")
    again = sa.read(path)
    saw = {(name, again.id_of(d)) for name in again.annotators for d in np.flatnonzero(again.layers[name].annotated)}  # fmt: skip
    assert saw == {(row.annotator, row.document) for row in found}


def test_files_that_are_not_written(tmp_path):
    """Nothing is there afterwards: another ending, no texts, options of tables."""
    found = sa.project.worklist(project())
    bare = sa.project.worklist(replace(project(), tokens=None))
    with refuses(sa.SettingError, "… no worklist is written to files ending in '.txt'; …"):
        found.write(tmp_path / "work.txt")
    for ending in ("json", "jsonl"):
        with refuses(sa.SettingError, "the tokens are not known; to_characters() needs them…"):
            bare.write(tmp_path / f"work.{ending}")
        with refuses(sa.SettingError, "bom is for tables, and …"):
            found.write(tmp_path / f"work.{ending}", bom=True)
    with pytest.raises(sa.InputError):
        found.write(tmp_path / "nowhere" / "work.csv")
    assert [*tmp_path.iterdir()] == []


# --- the command --------------------------------------------------------------------------------


def test_commands(run, newsroom, tmp_path):
    """The file is that of Python; disagreements shows who gets how many, gold both tables."""
    crowd = newsroom.parent / "crowd" / "crowd.jsonl"
    path = tmp_path / "work.csv"
    asked = ("--readers", "4", "--limit", "5", "--assignees", "bob,cem,zoe")
    code, out, err = run("disagreements", crowd, "--worklist", path, *asked)
    found = sa.project.worklist(sa.read(crowd), readers=4, limit=5, assignees=["bob", "cem", "zoe"])
    assert code == 0
    assert path.read_text("utf-8") == found.to_csv()
    assert "15 readings go to 3 annotators, 5 each; the limit" in " ".join(out.split())
    assert ["zoe", "0", "5"] in [line.split() for line in out.splitlines()]
    assert "note: zoe: not among the annotators" in err
    code, out, err = run("gold", crowd, "--worklist", tmp_path / "work.jsonl", "-o", tmp_path / "gold.jsonl")  # fmt: skip
    found = sa.project.worklist(sa.make_gold(sa.read(crowd)))
    assert code == 0
    assert len((tmp_path / "work.jsonl").read_text("utf-8").splitlines()) == len(found) == 2
    assert "dawid-skene: 137 segments" in out
    assert "2 readings in 2 of 63 documents for 5 annotators" in out
    assert f"note: {found.verdict}" in err
    assert (tmp_path / "gold.jsonl").exists()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("--readers 3", "--readers needs --worklist"),
        ("--worklist {}/w.csv --between ann bob", "--between does not go with --worklist"),
        ("--worklist {}/w.csv --by document", "--by does not go with --worklist"),
        ("--worklist {}/w.csv --no-text", "--no-text does not go with --worklist"),
        ("--worklist {}/w.xlsx", "…/w.xlsx: no worklist is written to files ending in '.xlsx'"),
        ("--worklist {}/w.json --bom", "--bom is for tables, and …/w.json is for label-studio"),
        ("--worklist {0}/w.csv -o {0}/w.csv", "…/w.csv: is given to -o and to --worklist"),
        ("--worklist {}/w.csv --readers 0", "readers 0; a whole number from 1 is needed"),
    ],
)
def test_commands_that_are_refused(run, newsroom, tmp_path, arguments, said):
    """In one line, and nothing is written."""
    crowd = newsroom.parent / "crowd" / "crowd.jsonl"
    code, out, err = run("disagreements", crowd, *arguments.format(tmp_path).split())
    assert (code != 0, out) == (True, "")
    assert said.replace("…", str(tmp_path)) in err
    assert [*tmp_path.iterdir()] == []
