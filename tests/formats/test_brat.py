"""brat projects: folders of annotators, text-bound annotations, and what is wrong with files."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import check_refused, refuses, says

import spanagree as sa
from spanagree.cli.main import main
from spanagree.corpus.check import check
from spanagree.files import write_text
from spanagree.formats import brat
from spanagree.formats.brat import read_raw_brat, write_brat
from spanagree.formats.write import list_lost_content, write_file

TEXT = "Jo is in\nNew York 😀 today"


@pytest.fixture
def project(tmp_path):
    def make(files):
        for name, content in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content.encode())
        return tmp_path

    return make


def test_reads(project, tmp_path):
    """Labels, offsets in code points, subfolders; empty and missing .ann; other annotations."""
    corpus = sa.read_brat(
        project(
            {
                "ann/a.txt": TEXT,
                "ann/a.ann": "T1\tPER 0 2\tJo\nT2\tLOC 9 17\tNew York\nR1\tin Arg1:T1 Arg2:T2\n#1\tNote T1\thm\n",
                "ann/sub/b.txt": "Rome",
                "ann/sub/b.ann": "",
                "bob/a.txt": TEXT,
                "bob/a.ann": "T1\tDATE 20 25\ttoday\r\nT2\tLOC 6 17\tin New York\n\n",
                "bob/sub/b.txt": "Rome",
                "annotation.conf": "[entities]\n",
            }
        )
    )
    assert corpus.ids == ("a", "sub/b")
    assert corpus.offsets == "characters"
    assert corpus[0].segments == {
        "ann": (sa.Segment(0, 2, "PER"), sa.Segment(9, 17, "LOC")),
        "bob": (sa.Segment(6, 17, "LOC"), sa.Segment(20, 25, "DATE")),
    }
    assert corpus[1].segments == {"ann": (), "bob": None}
    assert corpus.notes[0] == f"{tmp_path}: 1 note passed over"
    (relation,) = corpus.relations
    assert (relation.first.label, relation.label, relation.second.label) == ("PER", "in", "LOC")


def test_discontinuous(project):
    """Annotations of several pieces are kept, or taken in another way and counted."""
    folder = project({"ann/a.txt": TEXT, "ann/a.ann": "T1\tX 0 2\tJo\nT2\tX 0 2;6 8\tJo in\n"})
    kept = sa.read_brat(folder)[0].segments["ann"]
    assert [segment.pieces for segment in kept] == [((0, 2),), ((0, 2), (6, 8))]
    with refuses(sa.InputError, "annotator 'ann', document 'a' … 0–2; 6–8 … discontinuous error"):
        sa.read_brat(folder, discontinuous="error")
    corpus = sa.read_brat(folder, discontinuous="drop")
    assert len(corpus.layers["ann"]) == 1
    assert corpus.notes == ("1 segment of several pieces left out (discontinuous drop)",)
    hull = sa.read_brat(folder, discontinuous="hull")[0].segments["ann"]
    assert hull == (sa.Segment(0, 2, "X"), sa.Segment(0, 8, "X"))
    with pytest.raises(sa.SettingError, match="unknown discontinuous 'x'; allowed: keep, hull"):
        sa.read_brat(folder, discontinuous="x")


def test_split_pieces(project):
    """Each piece is a segment, and the relations of the whole are those of the first."""
    rows = "T1\tX 0 2;6 8\tJo in\nT2\tY 9 17\tNew York\nR1\tat Arg1:T2 Arg2:T1\nA1\tNew T1\n"
    folder = project({"ann/a.txt": TEXT, "ann/a.ann": rows})
    corpus = sa.read_brat(folder, discontinuous="split")
    first, second, _ = corpus[0].segments["ann"]
    assert ([*first], [*second]) == ([0, 2, "X"], [6, 8, "X"])
    assert first.attributes == second.attributes == {"New": "true"}
    assert corpus.relations[0].second == first


def test_written_and_read_again(project, tmp_path):
    """Pieces, attributes and relations, with and without a direction, come back as they were."""
    rows = (
        "T1\tX 0 2;6 8\tJo in\nT2\tY 9 17\tNew York\nT3\tY 20 25\ttoday\nR1\tat Arg1:T2 Arg2:T1\n"
        "*\tSame T2 T3\nA1\tNew T1\nM1\tSure T2 very\nN1\tReference T3 Wiki:12\tToday\n"
        "E1\tY:T3 Theme2:T1\nR2\tat Arg1:E1 Arg2:T2\n"
    )
    corpus = sa.read_brat(project({"ann/a.txt": TEXT, "ann/a.ann": rows}))
    assert [(x.label, x.directed) for x in corpus.relations] == [
        ("at", True), ("Same", False), ("Theme", True), ("at", True),
    ]  # fmt: skip
    write_brat(corpus, tmp_path / "out" / "ann")  # a collection is called as its folder
    assert sa.read_brat(tmp_path / "out" / "ann") == corpus
    sa.write_jsonl(corpus, tmp_path / "out.jsonl")
    assert sa.read_jsonl(tmp_path / "out.jsonl") == corpus
    with pytest.raises(sa.InputError, match="a new or an empty folder is needed"):
        write_brat(corpus, tmp_path / "out" / "ann")


def test_events_with_the_same_trigger(project, tmp_path):
    """An argument of two events of a trigger is one relation, counted; twice in one event is a flaw."""
    segments = "T1\tX 0 2\tJo\nT2\tY 9 17\tNew York\nT3\tY 20 25\ttoday\nT4\tE 3 5\tis\n"
    events = (
        "E1\tE:T4 Agent:T1 Place:T2\nE2\tE:T4 Agent:T1 Place:T3\n"
        # two events of one trigger are arguments of a third
        "T5\tZ 6 8\tin\nE3\tZ:T5 Theme:E1 Theme2:E2\n"
    )
    folder = project({"ann/a.txt": TEXT, "ann/a.ann": segments + events})
    assert check(read_raw_brat(folder)).errors == 0
    corpus = sa.read_brat(folder)
    links = [(x.first.label, x.label, x.second.start) for x in corpus.relations]
    assert links == [("E", "Agent", 0), ("E", "Place", 9), ("E", "Place", 20), ("Z", "Theme", 3)]
    balance = read_raw_brat(folder).balance["relation"]
    assert balance == {"read": 4, "argument that another event has too": 2}
    needed = f"{folder}: 2 arguments … another event … first at {folder}/ann/a.ann:6 … one relation"
    says(corpus.notes[0], needed)
    write_brat(corpus, tmp_path / "out" / "ann")
    assert sa.read_brat(tmp_path / "out" / "ann").relations == corpus.relations
    for row in ("E1\tE:T4 Agent:T1 Agent2:T1", "E1\tE:T4 Agent:T1\nR1\tAgent Arg1:T4 Arg2:T1"):
        (folder / "ann/a.ann").write_text(f"{segments}{row}\n")
        with refuses(sa.InputError, "… relation 'Agent' stands twice"):
            sa.read_brat(folder)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("R1\tat Arg1:T1 Arg2:T9", "a.ann:2: relation 'at' links a segment that is not there"),
        ("R1\tat Arg1:T1 Arg2:T1", "a.ann:2: relation 'at' links a segment with itself"),
        ("R1\tat Arg1:T1", "a.ann:2: 'R1.*brat writes R1, a tab, a label, Arg1:T1 Arg2:T2"),
        ("A1\tNegated", "a.ann:2: 'A1.*brat writes A1, a tab, a name, T1"),
        ("*\tSame T1", "a.ann:2: .*the annotations that are equivalent"),
        ("R1", "a.ann:2: 'R1'; brat writes R1, a tab, a label, Arg1:T1 Arg2:T2"),
        ("E1\t", "a.ann:2: .*brat writes E1, a tab, Label:T1"),
        ("*", "a.ann:2: .*the annotations that are equivalent"),
    ],
)
def test_bad_relations(project, row, message):
    """What is wrong is named with its line, and what is not there can be left out."""
    folder = project({"ann/a.txt": TEXT, "ann/a.ann": f"T1\tX 0 2\tJo\n{row}\n"})
    with pytest.raises(sa.InputError, match=message):
        sa.read_brat(folder)
    if "links" in message:
        corpus = sa.read_brat(folder, repair="drop-relations")
        assert corpus.relations == ()
        assert "1 relation standing twice" in corpus.notes[0]


def test_discontinuous_of_other_labels(project):
    """A discontinuous annotation of a label that --labels drops is not refused."""
    folder = project({"ann/a.txt": TEXT, "ann/a.ann": "T1\tX 0 2\tJo\nT2\tY 0 2;6 8\tJo in\n"})
    corpus = sa.read(folder, labels=["X"], discontinuous="error")
    assert corpus[0].segments == {"ann": (sa.Segment(0, 2, "X"),)}
    assert "discontinuous" not in corpus.reading
    for asked in ({"labels": ["Y"]}, {"labels": ["Z"], "map_labels": {"Y": "Z"}}, {"map_labels": {"Y": "X"}}):  # fmt: skip
        with pytest.raises(sa.InputError, match="a segment of several pieces"):
            sa.read(folder, discontinuous="error", **asked)


def test_empty_files(project):
    """An empty .ann says by choice that its annotator saw the text, or not; unless chosen, a note."""
    files = {f"{who}/{name}.txt": "Jo" for who in ("ann", "bob") for name in "ab"}
    folder = project(
        {**files, "ann/a.ann": "T1\tX 0 2\tJo", "bob/a.ann": " \n", "ann/b.ann": "#1\tnote"}
    )
    corpus = sa.read_brat(folder)
    assert corpus[0].segments["bob"] == ()
    assert corpus.notes[-1] == f"{folder}: 1 empty .ann file taken as seen, with nothing marked; --absent unseen takes such documents as never seen"  # fmt: skip
    both = sa.read([folder / who for who in ("ann", "bob")], format="brat")
    assert [note for note in both.notes if "empty .ann" in note] == [
        f"{folder / 'bob'}: 1 empty .ann file taken as seen, with nothing marked; --absent unseen takes such documents as never seen"
    ]
    seen, unseen = (sa.read_brat(folder, absent=choice) for choice in ("unmarked", "unseen"))
    assert seen == corpus
    assert seen.notes == corpus.notes[:-1]
    assert unseen.annotators == ("ann", "bob")
    assert unseen[0].segments["bob"] is None
    assert unseen[1].segments == {"ann": (), "bob": None}
    assert unseen.reading["read"] == {"absent": "unseen"}
    with pytest.raises(sa.SettingError, match="unknown absent 'x'; allowed: unseen, unmarked"):
        sa.read_brat(folder, absent="x")


def test_texts_of_spans(project):
    """They are checked as in other formats: UTF-16 is recognised, one that stands elsewhere moved.

    Oracle: Python's own places in the text.
    """
    text = "\U0001f600 Rome, a town"
    folder = project({"a/x.txt": text, "a/x.ann": "T1\tLOC 3 7\tRome"})
    corpus = sa.read_brat(folder)
    at = text.index("Rome")
    assert corpus[0].segments["a"] == (sa.Segment(at, at + 4, "LOC"),)
    assert corpus.notes == ("1 span with offsets in UTF-16 units, turned into code points",)
    folder = project({"b/x.txt": text, "b/x.ann": "T1\tLOC 4 8\ttown"})
    with refuses(sa.InputError, "… in the text, not 'town'; --repair relocate-by-text"):
        sa.read_brat(folder)


BAD = {
    "no annotations": ({"a.txt": "x"}, "{0}: .txt files … no .ann"),
    "no texts": ({"a.md": "x"}, "{0}: no .txt … .ann"),
    "no text": ({"ann/a.ann": ""}, "{0}/ann/a.ann … 'a.txt'"),
    "texts differ": ({"a/x.txt": "one two", "b/x.txt": "one too"}, "{0}/b/x.txt: document 'x' … differs … character 5: 'one too', not 'one two'"),
    "no standoff": ({"a/x.txt": "one", "a/x.ann": "T1 PER 0"}, "{0}/a/x.ann:1: 'T1 PER 0' … T1, a tab, a label, start and end, a tab, text"),
    "one offset": ({"a/x.txt": "one", "a/x.ann": "T1\tPER 0\tone"}, "{0}/a/x.ann:1: 'T1\\tPER 0\\tone' … T1, a tab, a label, start and end, a tab, text"),
    "other text": ({"a/x.txt": "one two", "a/x.ann": "T1\tPER 0 3\ttwo"}, "annotator 'a', document 'x': segment 0–3 'PER' … 'one' … not 'two' … --repair relocate-by-text … --repair drop-misplaced"),
    "beyond": ({"a/x.txt": "one", "a/x.ann": "T1\tPER 0 9\tone"}, "annotator 'a', document 'x': segment 0–9 'PER' … length 3 … --repair clip-beyond-text … --repair drop-beyond-text"),
    "long offset": ({"a/x.txt": "one", "a/x.ann": "T1\tPER 0 " + "9" * 5000}, "{0}/a/x.ann:1: offset '" + "9" * 58 + "… at most 15 digits"),
    "long name": ({"a/x.txt": "one", "a/x.ann": f"T{'1' * 5000}\tPER 0 3\ttwo"}, "annotator 'a', document 'x': segment 0–3 'PER' … 'one' … not 'two' … --repair drop-misplaced"),
    "encoding": ({"a/x.txt": "one", "a/x.ann": "T1\tPER 0 3\tone\0"}, "{0}/a/x.ann:1 … NUL … convert it to UTF-8 first, as iconv"),
}  # fmt: skip


@pytest.mark.parametrize("what", BAD)
def test_bad_projects(project, what):
    """What is no brat project is refused, naming file and line."""
    check_refused(sa.read_brat, project, *BAD[what])


@pytest.mark.parametrize(("name", "problem"), [("ann/x.ann", "x.ann"), ("ann/x.txt", "x.txt"), ("bob", "bob")])  # fmt: skip
def test_broken_links(project, name, problem):
    """A link that leads nowhere is an error, not an annotator who never saw the document."""
    folder = project({"ann/y.txt": "one", "cy/x.txt": "two"})
    (folder / name).symlink_to(folder / "nowhere")
    with refuses(sa.InputError, f"{folder}/{name}: a link … restore … delete"):
        sa.read_brat(folder)


def test_links_and_hidden_files(project, tmp_path_factory):
    """Links to folders and files are read; what is hidden is not, and that is noted."""
    hidden = {
        f"{a}/{b}": "x" for a in (".git", "ann/.ipynb_checkpoints") for b in ("x.txt", "x.ann")
    }
    folder = project({"ann/x.txt": "one", "ann/x.ann": "T1\tPER 0 3\tone\n", **hidden})
    project({"ann/._x.txt": "x", "ann/.stats_cache": "brat's own"})
    (folder / "bob").symlink_to(folder / "ann")
    other = tmp_path_factory.mktemp("other") / "y.txt"
    other.write_text("two")
    (folder / "ann/y.txt").symlink_to(other)
    corpus = sa.read_brat(folder)
    assert (corpus.annotators, corpus.ids) == (("ann", "bob"), ("x", "y"))
    assert corpus[0].segments == dict.fromkeys(("ann", "bob"), (sa.Segment(0, 3, "PER"),))
    assert corpus[1].segments == {"ann": None, "bob": None}
    assert corpus.notes == (f"{folder}: 5 hidden files or folders passed over",)


def test_a_folder_that_cannot_be_read(project, monkeypatch):
    """A folder without permission is an error, not one without files."""
    folder = project({"ann/x.txt": "one"})

    def refuse(path):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("os.scandir", refuse)
    with refuses(sa.InputError, f"{folder}: cannot be read: Permission denied"):
        sa.read_brat(folder)


def test_no_project(tmp_path):
    """Another file, or nothing at all, is none of brat's."""
    (tmp_path / "file").write_text("x")
    for name, problem in (
        ("file", "no .txt … .ann"),
        ("none", "no such folder … .txt and .ann"),
    ):  # fmt: skip
        with refuses(sa.InputError, f"{tmp_path}/{name}: {problem}"):
            sa.read_brat(tmp_path / name)


MINE = {
    "gold/a.txt": TEXT,
    "gold/a.ann": "T1\tPER 0 2\tJo\n",
    "gold/sub/b.txt": "Rome",
    "gold/sub/b.ann": "",
}


def test_a_collection(project, run, monkeypatch):
    """A folder with files in it is one annotator's, called as the folder or as on the command line."""
    folder = project(
        {
            **MINE,
            "gold/README.txt": "about",
            **{k.replace("gold", "mine"): v for k, v in MINE.items()},
        }
    )
    corpus = sa.read_brat(folder / "gold")
    assert (corpus.annotators, corpus.ids) == (("gold",), ("a", "sub/b"))
    assert corpus[0].segments == {"gold": (sa.Segment(0, 2, "PER"),)}
    assert corpus[1].segments == {"gold": ()}
    assert corpus.notes[0] == f"{folder / 'gold'}: 1 text without an .ann file passed over"
    monkeypatch.chdir(folder)
    code, out, _ = run("evaluate", "gold=gold", "mine", "--format", "csv")
    assert code == 0
    assert "mine" in out
    both = sa.read(["gold/a.ann", "mine/a.ann"])
    assert both.ids == ("a",)
    assert len(both.annotators) == 2
    one = sa.read_brat("gold/a.ann")
    assert (one.annotators, len(one.layers["a.ann"])) == (("a.ann",), 1)


def test_parts_of_a_collection(project):
    """Folders of other documents are parts, and no annotators; those of the same are annotators."""
    files = {f"{part}/{part}.{end}": "" for part in ("train", "dev") for end in ("txt", "ann")}
    files |= {
        "train/train.txt": "Jo B.",
        "train/train.ann": "T1 Name 0 5 Jo B.\n",
    }  # blanks for tabs
    folder = project(files)
    corpus = sa.read_brat(folder)
    assert (corpus.annotators, corpus.ids) == ((folder.name,), ("dev/dev", "train/train"))
    assert corpus[1].segments[folder.name] == (sa.Segment(0, 5, "Name"),)
    assert corpus.notes[0] == (
        f"{folder}: dev, train: folders of other documents, read as parts of one annotator's"
    )
    project({"dev/train.ann": "", "dev/train.txt": "Jo B."})
    assert sa.read_brat(folder).annotators == ("dev", "train")


def test_texts_beside_the_folders(project):
    """All annotators' text may stand once, above their folders or in one of its own."""
    rows = {"ann/a.ann": "T1\tPER 0 2\tJo\n", "bob/a.ann": ""}
    for text in ("a.txt", "texts/a.txt"):
        folder = project({**rows, text: TEXT})
        corpus = sa.read_brat(folder)
        assert (corpus.annotators, corpus.ids) == (("ann", "bob"), ("a",))
        assert corpus[0].segments == {"ann": (sa.Segment(0, 2, "PER"),), "bob": ()}
        (folder / text).unlink()


marked = st.lists(
    st.tuples(st.integers(0, 9), st.integers(1, 4), st.sampled_from("XY")), unique=True, max_size=4
)


@given(st.lists(marked, min_size=1, max_size=3), st.integers(1, 3))
def test_what_is_written_is_read_again(tmp_path_factory, documents, people):
    """One annotator's collection, or a folder for each of several, says what the corpus said."""
    folder = tmp_path_factory.mktemp("brat") / "ann"
    text = "Jo is in Rome 😀"
    rows = [[(start, start + size, label) for start, size, label in each] for each in documents]
    layers = {
        name: [rows[(d + shift) % len(rows)] for d in range(len(rows))]
        for shift, name in enumerate(("ann", "bob", "cem")[:people])
    }
    corpus = sa.Corpus.from_segments(
        [len(text)] * len(rows), layers, offsets="characters", texts=[text] * len(rows),
        ids=[f"d{d}" for d in range(len(rows))],
    )  # fmt: skip
    write_brat(corpus, folder)
    assert sa.read_brat(folder, absent="unmarked") == corpus


def test_line_ends_of_two_characters(tmp_path):
    """Offsets that count the end of a line once are read so, and those that count both as well."""
    for name, at in (("once", 6), ("both", 7)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "d.txt").write_bytes(b"First\r\nRome")
        (folder / "d.ann").write_text(f"T1\tLOC {at} {at + 4}\tRome\n")
        corpus = sa.read(folder)
        (segment,) = corpus[0].segments[name]
        assert corpus[0].text[segment.start : segment.end] == "Rome"
        assert bool(corpus.notes) == (name == "once")


def test_texts_of_the_same_bytes(tmp_path):
    """One annotator marked nothing, the other counts line ends once: both are in the same text."""
    text, short = b"Ana ran.\r\nBob sat in Rome.\r\n", b"Ana ran.\nBob sat in Rome.\n"
    lines = "T1\tPER 0 3\tAna\r\nT2\tPER 9 12\tBob\r\nT3\tLOC 20 24\tRome\r\n"
    for name, content, marked in (("a", text, ""), ("b", text, lines), ("c", short, lines)):
        (tmp_path / name).mkdir()
        (tmp_path / name / "d.txt").write_bytes(content)
        (tmp_path / name / "d.ann").write_bytes(marked.encode())
    for names in (("a", "b"), ("b", "a"), ("a", "b", "c"), ("c", "b", "a")):
        corpus = sa.read([tmp_path / name for name in names])
        assert corpus.texts == ((short if names[0] == "c" else text).decode(),)
        for name in names:
            found = [corpus.texts[0][s.start : s.end] for s in corpus[0].segments[name]]
            assert found == ([] if name == "a" else ["Ana", "Bob", "Rome"])
    corpus = sa.read([tmp_path / "a", tmp_path / "b"])
    assert sa.evaluate(corpus, gold="b")["a"].f1.observed == 0  # no segment beside three
    assert len(sa.read(tmp_path)) == 1  # as one project
    (tmp_path / "c" / "d.txt").write_bytes(short + b".")
    with refuses(sa.InputError, "… the text differs"):
        sa.read([tmp_path / "a", tmp_path / "c"])


def test_a_byte_order_mark(tmp_path):
    """brat counts it as a character, other tools do not; what the files say of texts decides."""
    for name, shift in (("brat", 1), ("other", 0)):
        folder = tmp_path / name
        folder.mkdir()
        (folder / "d.txt").write_bytes(b"\xef\xbb\xbfJo met Al")
        (folder / "d.ann").write_text(
            f"T1\tPER {shift} {2 + shift}\tJo\nT2\tX {shift} {2 + shift};{7 + shift} {9 + shift}\tJo Al\n",
            "utf-8",
        )
        corpus = sa.read(folder)
        assert corpus.texts == ("Jo met Al",)
        pieces = [segment.pieces for segment in corpus[0].segments[name]]
        assert sorted(pieces) == [((0, 2),), ((0, 2), (7, 9))]
        assert any("byte order mark" in note for note in corpus.notes) == bool(shift)


def test_what_brat_cannot_hold(tmp_path):
    """White space in labels, line breaks in segments: a note; of line breaks alone an error."""
    marked = {"ann": [[(0, 5, "a b"), (4, 5, "X")]]}
    corpus = sa.Corpus.from_segments([5], marked, texts=["Jo\nAl"], offsets="characters")
    assert list_lost_content(corpus, "brat") == [
        "written with _ for white space, which brat does not hold: a b",
        "1 segment cut at line breaks, which brat's do not hold",
    ]
    write_file(corpus, tmp_path / "out", "brat")
    assert {(s.label, s.pieces) for s in sa.read(tmp_path / "out")[0].segments["out"]} == {
        ("a_b", ((0, 2), (3, 5))),
        ("X", ((4, 5),)),
    }
    marked = {"ann": [[(2, 3, "X")]]}
    corpus = sa.Corpus.from_segments([5], marked, texts=["Jo\nAl"], offsets="characters")
    with refuses(sa.InputError, "… 2–3 'X' … line breaks … brat"):
        write_file(corpus, tmp_path / "none", "brat")
    marked = {"ann": [[(0, 2, "X"), (0, 3, "X")]]}
    corpus = sa.Corpus.from_segments([5], marked, texts=["Jo\nAl"], offsets="characters")
    with refuses(sa.InputError, "… 0–2 and 0–3 'X' … line breaks … brat"):
        write_file(corpus, tmp_path / "none", "brat")


def test_notes_are_of_those_who_are_written(tmp_path, capsys):
    """Attributes and labels that only others have are neither left out nor rewritten."""
    marked = {"ann": [[(0, 2, "a b", {"cert": "low"})]], "bob": [[(0, 2, "X", {"neg": "true"})]]}
    corpus = sa.Corpus.from_segments([9], marked, texts=["Jo met Al"], offsets="characters")
    sa.write_jsonl(corpus, tmp_path / "x.jsonl")
    for to, annotators, needed in (
        ("prodigy", "ann,bob", "attributes cert, neg"),
        ("prodigy", "bob", "attributes neg"),
        ("brat", "ann,bob", "does not hold: a b"),
        ("brat", "bob", ""),
    ):
        out = str(tmp_path / f"{to}-{len(annotators)}")
        ask = ["convert", str(tmp_path / "x.jsonl"), "--annotators", annotators]
        assert main([*ask, "--to", to, "-o", out]) == 0
        noted = capsys.readouterr().err
        assert needed in noted
        assert needed or "does not hold" not in noted


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ((0, 2, "a b"), (0, 2, "a_b"), "label 'a b' and 'a_b' … would be 'a_b' … --map-labels"),
        ((0, 2, "X", {"c d": "1"}), (0, 2, "X", {"c_d": "1"}), "attribute 'c d' and 'c_d' … 'c_d'"),
    ],
)
def test_names_that_would_be_one_in_brat(tmp_path, first, second, message):
    """Two labels, or attributes, that differ in white space are refused, not made one."""
    layers = {"ann": [[first]], "bob": [[second]]}
    corpus = sa.Corpus.from_segments([2], layers, texts=["Jo"], offsets="characters")
    with refuses(sa.SettingError, message):
        write_brat(corpus, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    write_brat(corpus.select_annotators(["bob"]), tmp_path / "out")


def test_annotators_who_would_be_folders_in_folders(tmp_path):
    """One called a/b would be read again as a, with documents b/…; alone she has no folder."""
    layers = {"a/b": [[(0, 2, "X")]], "bob": [[]]}
    corpus = sa.Corpus.from_segments([2], layers, texts=["Jo"], offsets="characters", ids=["d"])
    with refuses(sa.SettingError, "annotator 'a/b' … folder … give it another"):
        write_brat(corpus, tmp_path / "out")
    write_brat(corpus.select_annotators(["a/b"]), tmp_path / "out")
    assert sa.read(tmp_path / "out")[0].segments == {"out": ((0, 2, "X"),)}


def test_annotators_of_different_documents(tmp_path):
    """They share no .ann, and are people all the same, as each has all texts."""
    marked = {"ann": [[(0, 2, "X")], None, None], "bob": [None, [], None]}
    texts = ["Jo", "Al", "Em"]
    corpus = sa.Corpus.from_segments([2, 2, 2], marked, texts=texts, offsets="characters", ids=texts)  # fmt: skip
    write_file(corpus, tmp_path / "out", "brat")
    back = sa.read(tmp_path / "out")
    assert {d.id: d.segments for d in back} == {d.id: d.segments for d in corpus}
    assert list_lost_content(corpus, "brat") == []


# --- written whole or not at all ------------------------------------------------------------------


def many():
    """Four documents by two annotators: twelve files."""
    marked = [[(0, 2, "PER")]] * 4
    return sa.Corpus.from_segments(
        [6] * 4, {"ann": marked, "bob": marked}, texts=["Jo met"] * 4, offsets="characters"
    )


@pytest.mark.parametrize("is_there", [False, True])
@pytest.mark.parametrize("n_files", [1, 5, 12])
def test_an_interrupt_leaves_nothing(tmp_path, monkeypatch, n_files, is_there):
    """A folder is there with all files or as it was, and nothing stays beside it or in it."""
    folder, written = tmp_path / "out", []
    if is_there:
        folder.mkdir()

    def stopped(path, text):
        written.append(path)
        if len(written) == n_files:
            raise KeyboardInterrupt
        write_text(path, text)

    monkeypatch.setattr(brat, "write_text", stopped)
    with pytest.raises(KeyboardInterrupt):
        brat.write_brat(many(), folder)
    assert len(written) == n_files
    assert [*tmp_path.iterdir()] == [folder] * is_there
    assert not is_there or not [*folder.iterdir()]
    monkeypatch.undo()
    brat.write_brat(many(), folder)
    assert [*tmp_path.iterdir()] == [folder]
    assert len([*folder.rglob("*.*")]) == 16  # texts and marks
    assert sa.read(folder).annotators == ("ann", "bob")


def test_a_folder_that_cannot_be_replaced(tmp_path, monkeypatch):
    """It takes the files, as a mount point; an interrupt among them takes them out again."""
    folder, renamed = tmp_path / "out", []
    folder.mkdir()
    rename = Path.rename

    def of_mount_point(path, target):
        if target == folder:
            raise OSError(16, "Device or resource busy")
        renamed.append(target)
        if len(renamed) == 2:
            raise KeyboardInterrupt
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", of_mount_point)
    with pytest.raises(KeyboardInterrupt):
        brat.write_brat(many(), folder)
    assert not [*folder.iterdir()]
    renamed[:] = [folder] * 2  # nobody stops it
    brat.write_brat(many(), folder)
    assert {path.name for path in folder.iterdir()} == {"ann", "bob"}


def test_a_folder_without_permission(tmp_path, monkeypatch):
    """The message names the folder that was asked for, not the hidden one."""

    def refused(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "mkdir", refused)
    with refuses(sa.InputError, f"{tmp_path / 'out'}: cannot be written: Permission denied"):
        brat.write_brat(many(), tmp_path / "out")


@pytest.mark.parametrize(
    ("ids", "names", "message"),
    [
        (["A", "a"], ["x"], "document 'A' and 'a': one file or folder on systems that ignore case"),
        (["x/1", "X/2"], ["x"], "document 'x' and 'X': one file or folder"),
        (["a", "b"], ["Ann", "ann"], "annotator 'Ann' and 'ann': one file or folder"),
        (["\u00e9", "e\u0301"], ["x"], "… one file or folder on systems that ignore case"),
    ],
)
def test_names_that_differ_in_case_alone(tmp_path, ids, names, message):
    """Where case does not count, the second would replace the first."""
    marked = dict.fromkeys(names, [[(0, 2, "PER")]] * 2)
    corpus = sa.Corpus.from_segments(
        [6] * 2, marked, ids=ids, texts=["Jo met"] * 2, offsets="characters"
    )
    with refuses(sa.SettingError, message):
        brat.write_brat(corpus, tmp_path / "out")
    assert not (tmp_path / "out").exists()
