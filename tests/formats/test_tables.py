"""Tables in text, with tags in columns or in the text: one reader of cells, one of marks."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from messages import refuses

import spanagree as sa
from spanagree.cli.main import main
from spanagree.formats.inline_tags import MarkupToken, split_markup
from spanagree.formats.recognise import convert_to_pattern, find_format
from spanagree.formats.tagged_copies import find_tagged_spans
from spanagree.tables import SEPARATORS, find_separator, split_cells, yield_rows
from spanagree.tools.mqm import _parse_cell as without_v

SOURCE = Path(sa.__file__).parent

# --- cells ----------------------------------------------------------------------------------------

plain_cells = st.text('abc 1.,;\t"é', max_size=5)


@given(
    st.sampled_from(SEPARATORS),
    st.lists(st.lists(plain_cells, min_size=3, max_size=3), min_size=1, max_size=5),
)
def test_what_is_written_is_read(sign, rows):
    """Cells are those that were quoted, whatever is in them. Oracle: the rows themselves."""
    quoted = [sign.join('"' + cell.replace('"', '""') + '"' for cell in row) for row in rows]
    assert find_separator(quoted) == sign
    filled = [row for row in rows if any(cell.strip() for cell in row)]
    assert [row for _, row in yield_rows("t", quoted, sign)] == filled
    assert [split_cells(line, sign) for line in quoted] == rows


@pytest.mark.parametrize(
    ("lines", "sign"),
    [
        (['onset,offset,"a; b"', "1,2,3"], ","),
        (['document,group', 'd1,"x\ty"'], ","),
        (["document;group", "d1;a, b"], ";"),
        (["when;who, where", "0,5;x", "1;y"], ";"),
        (["a\tb,c,d", "1\t2,3,4"], "\t"),
        (["text"], ""),
        ([], ""),
    ],
)  # fmt: skip
def test_separators(lines, sign):
    """Signs in quotes separate nothing; of several outside, the rows decide."""
    assert find_separator(lines) == sign


def test_group_by_table_with_semicolons(tmp_path):
    """A table of groups has what separates its cells in any table. Oracle: the groups by hand."""
    corpus = tmp_path / "a.jsonl"
    sa.write_jsonl(sa.Corpus.from_segments([3, 3], {"a": [[(0, 1, "X")], []]}, ids=["1", "2"]), corpus)  # fmt: skip
    for name, text in {
        "semicolons.csv": "document;group\n1;g\n2;h\n",
        "a tab in a cell.csv": 'document,group,note\n1,g,"x\ty"\n2,h,z\n',
        "usual name.csv": "doc_id,group\n1,g\n2,h\n",
        "old mac.csv": "document,group\r1,g\r2,h\r",
    }.items():
        (tmp_path / name).write_bytes(text.encode())
        grouped = sa.read(corpus, group_by=str(tmp_path / name))
        assert grouped.parent_ids.tolist() == [0, 1]
        assert grouped.reading["group_by"] == f"table {name}"


def test_times_below_a_quoted_name(tmp_path):
    """A semicolon in the name of a column separates nothing. Oracle: the row itself."""
    (tmp_path / "t.csv").write_text('onset,offset,"a; b",label\n0.5,1.5,x,L\n')
    corpus = sa.read(tmp_path / "t.csv", resolution="100ms")
    assert [tuple(s)[:3] for s in corpus[0].segments["t.csv"]] == [(5, 15, "L")]


def test_one_reader_of_cells():
    """Nothing else in the package reads CSV, but what users write on the command line."""
    readers = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.glob("**/*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in ("reader", "DictReader", "Sniffer")
        and isinstance(node.value, ast.Name) and node.value.id == "csv"
    }  # fmt: skip
    assert readers == {"tables.py", "cli/option_values.py"}


# --- a table's head before patterns on lines ------------------------------------------------------

MARKED = "id\ttext\tmarked\tworker\n1\tAna ran home\t<PER>Ana</PER> ran home\tw1\n1\tAna ran home\tAna ran <LOC>home</LOC>\tw2\n"  # fmt: skip
ERRORS = (
    "SEG_ID\tDoc\tMT\tTagged_Target\tError Category\tSeverity\tAnnotator_ID\n"
    "1\td1\tHe go home.\tHe <tag>go</tag> home.\tGrammar\tMajor\t101\n"
    "1\td1\tHe go home.\tHe go <tag>home</tag>.\tTerminology\tMajor\t202\n"
    "2\td1\tAll is well.\t\t\t\t101\n"
    "2\td1\tAll is well.\t\t\t\t202\n"
)


@pytest.mark.parametrize("name", ["t.tsv", "t.csv", "t.txt"])
def test_tagged_text_in_a_table(tmp_path, name):
    """The head is no document, and workers are annotators. Oracle: the rows, read by eye."""
    text = MARKED if name != "t.csv" else MARKED.replace("\t", ",")
    (tmp_path / name).write_text(text)
    corpus = sa.read(tmp_path / name)
    assert corpus.texts == ("Ana ran home",)
    assert corpus[0].segments == {
        "w1": (sa.Segment(0, 3, "PER"),),
        "w2": (sa.Segment(8, 12, "LOC"),),
    }


def test_errors_by_row(tmp_path):
    """Of a tag without a meaning the label is in a column. Oracle: the rows, read by eye."""
    (tmp_path / "in.tsv").write_text(ERRORS)
    corpus = sa.read(tmp_path / "in.tsv")
    assert corpus.ids == ("1", "2")
    assert corpus[0].segments == {
        "101": (sa.Segment(3, 5, "Grammar"),),
        "202": (sa.Segment(6, 10, "Terminology"),),
    }
    assert corpus[1].segments == {"101": (), "202": ()}  # a row, and nothing marked in it


def test_errors_of_one_segment_in_several_rows(tmp_path):
    """What one annotator marks in two rows is one annotation. Oracle: the rows, read by eye."""
    (tmp_path / "in.tsv").write_text(ERRORS.replace("\t202\n", "\t101\n", 1))
    corpus = sa.read(tmp_path / "in.tsv")
    assert corpus[0].segments["101"] == (sa.Segment(3, 5, "Grammar"), sa.Segment(6, 10, "Terminology"))  # fmt: skip


def test_head_of_one_column(tmp_path):
    """A lone name above texts with tags is no text."""
    (tmp_path / "t.csv").write_text("text\n<PER>Ana</PER> ran home\n")
    corpus = sa.read(tmp_path / "t.csv")
    assert corpus.texts == ("Ana ran home",)
    assert corpus[0].segments["t.csv"] == (sa.Segment(0, 3, "PER"),)


def test_chance_of_tagged_text(tmp_path):
    """Chance counts two documents, not three. Oracle: the same tables read as rows in memory."""
    head, first = "id\ttext\tmarked\n", "1\tAna ran home\t<PER>Ana</PER> ran home\n"
    both = "2\tBob met Eve\t<PER>Bob</PER> met <PER>Eve</PER>\n"
    (tmp_path / "gold.tsv").write_text(head + first + both)
    (tmp_path / "sys.tsv").write_text(head + first + both.replace("<PER>Eve</PER>", "Eve"))
    spans = {"gold": [[(0, 3, "PER")], [(0, 3, "PER"), (8, 11, "PER")]]}
    spans["mine"] = [[(0, 3, "PER")], [(0, 3, "PER")]]
    corpus = sa.Corpus.from_segments(
        [12, 11], spans, texts=["Ana ran home", "Bob met Eve"], offsets="characters"
    )
    expected = sa.evaluate(corpus, gold="gold", match="token").systems["mine"]
    read = sa.read([tmp_path / "gold.tsv", tmp_path / "sys.tsv"])
    (system,) = sa.evaluate(read, gold=read.annotators[0], match="token").systems.values()
    assert system.f1.observed == pytest.approx(0.8)
    assert system.f1.expected == pytest.approx(expected.f1.expected)
    assert system.f1.expected == pytest.approx(0.344, abs=5e-4)


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        ("filename\tmark\tlabel\toff0\toff1\nd1\tT1\tX\t0\t4\n", "table … no texts; if off0, off1 are offsets"),
        ("filename\tlabel\nd1\tX\n", "table … no column of texts or tokens"),
    ],
)  # fmt: skip
def test_a_head_is_not_conll(tmp_path, text, needed):
    """A first line that names columns, none of tokens, is no row of CoNLL, whatever the name."""
    for name in ("t.tsv", "t.txt", "t"):
        (tmp_path / name).write_text(text)
        with refuses(sa.InputError, f"… {needed}"):
            sa.read(tmp_path / name)


@pytest.mark.parametrize(
    ("text", "needed"),
    [
        ("d1\tT1\t0\t4\thormonas\nd1\tT2\t8\t9\tx\n", "rows of 5 cells … 'd1, T1, 0, 4, hormonas' … offsets, and no texts"),
        ("foo\tbar\tnamed_entity_type\nJo\tx\tPER\nin\ty\tLOC\n", "rows of 3 cells … names of columns: none is called token or word"),
        ("Jo\ta\nran\tc\n", "rows of 2 cells … no column has tags"),
    ],
)  # fmt: skip
def test_what_a_file_without_tags_looks_like(tmp_path, text, needed):
    """The message says what there is and what is missing; not what cannot help."""
    (tmp_path / "t.tsv").write_text(text)
    with refuses(sa.InputError, f"… unknown tag … {needed}"):
        sa.read(tmp_path / "t.tsv")


# --- tags in columns ------------------------------------------------------------------------------


def test_a_column_for_each_label(tmp_path):
    """Three columns with labels of their own are refused, as two are, and not one of them read."""
    rows = "Ana B-PER O O\nran O O O\nRome O B-LOC O\nx O O B-ORG\n\n"
    (tmp_path / "b.conll").write_text(rows * 2)
    with refuses(sa.InputError, "… which columns are annotators is not clear … PER … LOC … ORG"):
        sa.read(tmp_path / "b.conll")
    (tmp_path / "c.conll").write_text("Ana NNP B-NP B-PER\nran VBD B-VP O\n")
    corpus = sa.read(tmp_path / "c.conll")  # parts of speech, chunks and names
    assert corpus[0].segments["c.conll"] == (sa.Segment(0, 1, "PER"),)


HIPE = "TOKEN\tNE-COARSE-LIT\nJo\tB-pers\nver\t{0}\n¬\t{1}\nsprach\t{1}\nin\tO\nRom\tB-loc\n"


def test_outside(tmp_path):
    """Of two names, one more is marked: F1 is 2 · 2 / (2 + 3). Oracle: counted by hand."""
    (tmp_path / "gold.tsv").write_text(HIPE.format("O", "O"))
    (tmp_path / "sys.tsv").write_text(HIPE.format("B-loc", "_"))
    files = [tmp_path / "gold.tsv", tmp_path / "sys.tsv"]
    with refuses(sa.InputError, "… sys.tsv:4: unknown tag '_' … --outside _ (outside=)"):
        sa.read(files)
    corpus = sa.read(files, outside="_")
    assert corpus.reading["read"]["outside"] == ["_"]
    assert sa.evaluate(corpus, gold="gold.tsv").systems["sys.tsv"].f1.observed == pytest.approx(0.8)
    with refuses(sa.InputError, "… unknown tag 'OTHER' … --outside OTHER"):
        sa.from_tags({"a": [["B-X", "OTHER"]]})
    with refuses(sa.SettingError, "outside 3; tags …"):
        sa.from_tags({"a": [["O"]]}, outside=3)


def test_outside_in_rows():
    """The same of lists, and of rows in which it decides what a column of tags is."""
    tags = [["B-X", "OTHER", "NONE"], ["OTHER", "OTHER", "OTHER"]]
    corpus = sa.from_tags({"a": tags}, outside=["OTHER", "NONE"])
    assert corpus[0].segments["a"] == (sa.Segment(0, 1, "X"),)
    assert corpus[1].segments["a"] == ()
    rows = [{"tokens": ["a", "b", "c"], "gold": row} for row in tags]
    corpus = sa.read(rows, outside=["OTHER", "NONE"])
    assert corpus[0].segments["gold"] == (sa.Segment(0, 1, "X"),)


@pytest.mark.parametrize("ignored", [-100, "-100"])
def test_ignored_tokens(ignored):
    """Tokens that training leaves out are left out for all. Oracle: the tags without them."""
    tags = [[ignored, "B-X", ignored, "O", ignored]]
    kept = sa.from_tags({"a": [["B-X", "O"]], "b": [["O", "B-X"]]})
    other = [["O", "O", "B-Y", "B-X", "O"]]
    corpus = sa.from_tags({"a": tags, "b": other})
    assert [corpus[0].segments[x] for x in "ab"] == [kept[0].segments[x] for x in "ab"]
    assert any("3 tokens that some annotator did not tag left out" in n for n in corpus.notes)
    rows = [{"tokens": list("vwxyz"), "a": tags[0], "b": other[0]}]
    corpus = sa.read(rows)
    assert [corpus[0].segments[x] for x in "ab"] == [kept[0].segments[x] for x in "ab"]


@pytest.mark.parametrize("name", ["t.txt", "t.csv", "t.conll"])
@pytest.mark.parametrize("sign", [",", ";"])
def test_tokens_and_tags_with_a_comma(tmp_path, name, sign):
    """No header is needed where a comma, and no blank, is before each tag. Oracle: by eye."""
    rows = [["New York", "B-LOC"], ["a; b, c", "I-LOC"], ["ran", "O"]]
    lines = [f'"{token}"{sign}{tag}' for token, tag in rows]
    (tmp_path / name).write_text("\n".join([*lines, "", f"x{sign}O", ""]))
    corpus = sa.read(tmp_path / name)
    assert corpus.tokens == ("New York", "a; b, c", "ran", "x")
    assert corpus.lengths.tolist() == [3, 1]
    assert corpus[0].segments[name] == (sa.Segment(0, 2, "LOC"),)
    numbered = "".join(f"{i}{sign}{w}{sign}O\n" for i, w in enumerate("abc", 1))
    (tmp_path / name).write_text(numbered)
    assert sa.read(tmp_path / name).tokens == ("a", "b", "c")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("t.conll", "Jo\tB-PER\nran\tO\n\nx\tO\n"),
        ("t.csv", "token,tag\nJo,B-PER\nran,O\n\nx,O\n"),
        ("t.csv", "id,text,spans\n1,Jo ran,\"[[0, 2, 'PER']]\"\n"),
        ("t.tsv", MARKED),
        ("t.txt", "0.5\t1.5\tL\n2.5\t3.0\tM\n"),
    ],
)
def test_lines_of_old_macs(tmp_path, name, text):
    """Lines that end in CR alone are lines. Oracle: the same file with LF."""
    path = tmp_path / name
    path.write_bytes(text.encode())
    expected = sa.read(path)
    path.write_bytes(text.replace("\n", "\r").encode())
    assert find_format(path) == expected.reading["format"].replace("datasets", "dataset")
    read = sa.read(path)
    assert [document.segments for document in read] == [d.segments for d in expected]
    assert (read.tokens, read.texts) == (expected.tokens, expected.texts)


def test_folders_of_conll(tmp_path, capsys):
    """Folders of texts with tags are what a pattern of their files is. Oracle: the pattern."""
    for folder, tag in (("gold", "B-PER"), ("system", "O")):
        for name in ("a", "b"):
            path = tmp_path / folder / f"{name}.txt"
            path.parent.mkdir(exist_ok=True)
            path.write_text(f"Jo {'B-PER' if name == 'a' else tag}\nruns O\n")
        (tmp_path / folder / "README.md").write_text("What this is.")
    assert convert_to_pattern(tmp_path / "gold").endswith("/gold/*.txt")
    by_pattern = {name: str(tmp_path / name / "*.txt") for name in ("gold", "system")}
    by_folder = {name: tmp_path / name for name in ("gold", "system")}
    first, second = sa.read(by_pattern), sa.read(by_folder)
    assert first.ids == second.ids
    assert [d.segments for d in first] == [d.segments for d in second]
    assert sa.evaluate(second, gold="gold").systems["system"].recall.observed == pytest.approx(0.5)
    main(["evaluate", str(tmp_path / "gold"), str(tmp_path / "system"), "--format", "csv"])
    assert "\nsystem," in capsys.readouterr().out
    (tmp_path / "gold" / "c.txt").write_text("A text.\nIn prose.\n")
    assert convert_to_pattern(tmp_path / "gold") == tmp_path / "gold"


def test_words_that_are_ok_or_bad(tmp_path):
    """A run of BAD words is a span. Oracle: by eye; nothing that is found is right."""
    (tmp_path / "gold.tags").write_text("OK BAD BAD OK\nOK OK\n\nBAD\n")
    (tmp_path / "sys.tags").write_text("OK OK OK OK\nBAD OK\n\nOK\n")
    corpus = sa.read([tmp_path / "gold.tags", tmp_path / "sys.tags"])
    assert corpus.lengths.tolist() == [4, 2, 0, 1]
    assert [d.segments["gold.tags"] for d in corpus] == [
        (sa.Segment(1, 3, "BAD"),),
        (),
        (),
        (sa.Segment(0, 1, "BAD"),),
    ]
    system = sa.evaluate(corpus, gold="gold.tags").systems["sys.tags"]
    assert {getattr(system, x).observed for x in ("precision", "recall", "f1")} == {0}
    (tmp_path / "odd").write_text("OK\nOK GOOD\n")
    with refuses(sa.InputError, "… odd:2: 'GOOD' …"):
        sa.read(tmp_path / "odd", "qe-tags")


def test_a_users_name_wins(tmp_path):
    """An annotator who is named before a file is called so, whatever its column is called."""
    (tmp_path / "g.jsonl").write_text('{"id":"1","text":"Jo runs","spans":[[0, 2, "PER"]]}\n')
    for key in ("answer", "gpt", "spans"):
        (tmp_path / "a.jsonl").write_text(
            f'{{"id":"1","text":"Jo runs","{key}":[{{"start":0,"end":2,"label":"PER"}}]}}\n'
        )
        read = sa.read({"gold": tmp_path / "g.jsonl", "llm": tmp_path / "a.jsonl"})
        assert read.annotators == ("gold", "llm")


def test_a_users_name_wins_over_one_in_the_file(tmp_path):
    """A single annotator is called as the user says, in files and patterns; several keep theirs."""
    row = '{"id":"%s","text":"Jo runs","annotators":{%s}}\n'
    for name, people in (("a1", '"u1":[]'), ("a2", '"u2":[]'), ("b1", '"u1":[],"u2":[]')):
        (tmp_path / f"{name}.jsonl").write_text(row % (name[-1], people))
    one, two, both = (tmp_path / f"{name}.jsonl" for name in ("a1", "a2", "b1"))
    assert sa.read(one).annotators == ("u1",)
    assert sa.read({"ann": one}).annotators == ("ann",)
    assert sa.read({"ann": one, "bob": two}).annotators == ("ann", "bob")
    read = sa.read({"team": both})
    assert read.annotators == ("u1", "u2")
    assert f"{both}: its annotators, u1, u2, keep the names that they have there" in read.notes
    (tmp_path / "d1.jsonl").write_text(row % ("1", '"u1":[]'))
    stars = {"ann": tmp_path / "a1*.jsonl", "dia": tmp_path / "d1*.jsonl"}
    assert sa.read(stars).annotators == ("ann", "dia")
    assert sa.read({"ann": tmp_path / "a1*"}).annotators == ("ann",)
    assert sa.read({"team": tmp_path / "a*"}).annotators == ("u1", "u2")


# --- marks in a text ------------------------------------------------------------------------------

_V = re.compile("(</?v>)")


@example(["<v>", " b", "</v>"])
@given(st.lists(st.sampled_from(["a", " b", "<v>", "</v>", "é"]), max_size=8))
def test_marks_in_any_notation(pieces):
    """Text without signs stays, and each sign is in a mark or is odd. Oracle: counts of signs."""
    marked = "".join(pieces)

    def meaning(tag, _):
        return MarkupToken("close" if tag == "</v>" else "open", "v", "v")

    for nested in (True, False):
        text, marks, odd = split_markup(marked, _V, meaning, nested=nested)
        assert text == _V.sub("", marked)
        assert 2 * len(marks) + len(odd) == len(_V.findall(marked))
        assert all(0 <= start <= end <= len(text) for start, end, _ in marks)
    text, marks, unpaired = without_v(marked)
    assert 2 * len(marks) + unpaired == len(_V.findall(marked))
    if not odd and text.strip():
        spans = find_tagged_spans(marked, text, "here")
        assert {(s["start"], s["end"]) for s in spans} >= {*marks}
