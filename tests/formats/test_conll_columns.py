"""Which columns of CoNLL files are layers: named, numbered, or seen from their tags."""

from __future__ import annotations

import tarfile
from collections import Counter
from pathlib import Path

import pytest
from messages import refuses

import spanagree as sa
from spanagree.formats.conll.columns import infer_layout
from spanagree.formats.read_files import read_raw_files

FILE = "f.txt"
S = sa.Segment


def spans(corpus, name):
    """Return the segments of a layer, document by document."""
    return [document.segments[name] for document in corpus]


# conlleval's: token, gold, prediction
THREE = "Jo B-PER B-PER\nran O O\n\nRome B-LOC O\n"
OTHER = "Jo B-PER O\nran O O\n\nRome B-LOC B-LOC\n"


def test_layout_of_conlleval(write):
    """Token, gold, prediction: two layers, gold first; a note names the columns and the option."""
    path = write(THREE, "mine.txt")
    corpus = sa.read_conll(path)
    assert corpus.annotators == ("gold", "mine.txt")
    assert spans(corpus, "gold") == [(S(0, 1, "PER"),), (S(0, 1, "LOC"),)]
    assert spans(corpus, "mine.txt") == [(S(0, 1, "PER"),), ()]
    assert corpus.notes == (
        f"{path}: columns of tags of one kind are the annotators gold (1), mine.txt (2);"
        " --columns (columns=) names others",
    )
    nothing = sa.read_conll(write("Jo NN B-PER O\nran V O O\n", "gold"), columns={"g": 2, "m": 3})
    assert spans(nothing, "m") == [()]
    for text in ("Jo B-PER O\nran O O\n", "Jo O B-PER\nran O O\n"):  # an empty column shares all
        assert sa.read_conll(write(text, "gold")).annotators == ("gold", "predicted")
    with pytest.raises(sa.InputError) as error:  # chunks and names, or gold and a prediction
        sa.read_conll(write("Jo B-NP B-LOC\nran O O\n", "gold"))
    assert str(error.value).endswith(
        "gold: which columns are annotators is not clear: 1 has 1 segment of NP; 2 has 1 segment of"
        " LOC. Name one, as in --columns 1 or --columns 2, several as in --columns gold=1,mine=2,"
        " or --columns all (columns=)"
    )


def test_many_columns_of_tags(write):
    """An error about many columns shows the looks of the first, and says how many more there are."""
    labels = [f"B-{'XYZ'[column % 3]}{column}" for column in range(60)]
    with refuses(
        sa.InputError,
        "… not clear: 1 has 1 segment of X0; … 8 has 1 segment of Y7; … (52 more). Name one …",
    ):
        sa.read_conll(write("\t".join(["Jo", *labels]) + "\n", "gold"))


# as GermEval's: outer names, and those inside them
NESTED = "1\tthe\tB-ORG\tO\n2\tBern\tI-ORG\tB-LOC\n3\tbank\tI-ORG\tO\n\n1\tRome\tB-LOC\tO\n"


@pytest.mark.parametrize("files", [["a.tsv"], ["a.tsv", "b.tsv"]])
def test_nested_columns_are_no_annotators(write, files):
    """A column whose segments lie inside those of another is no annotator, whatever its labels."""
    paths = [write(NESTED, name) for name in files]
    with refuses(
        sa.InputError,
        f"{paths[0]}: which columns … 2 has 2 segments of LOC, ORG; 3 has 1 segment of LOC … inside those of 2 … --columns 2 or --columns 3 (columns=)",
    ):
        sa.read_conll(paths)
    found = [sa.read_conll(paths[0], columns=column) for column in (2, 3)]
    assert [sum(map(len, spans(c, c.annotators[0]))) for c in found] == [2, 1]
    # a system that finds less than gold, and nothing wrong, is an annotator
    less = write("Jo B-PER B-PER\nran O O\nto O O\nRome B-LOC O\n", "less.txt")
    assert sa.read_conll(less).annotators == ("gold", "less.txt")


def test_a_tab_at_the_end_of_a_row(write):
    """A cell more that is empty is passed over, with a note, as one of GermEval's rows has it."""
    path = write(NESTED.replace("I-ORG\tO\n\n", "I-ORG\tO\t\n\n"))
    corpus = sa.read_conll(path, columns=2)
    assert spans(corpus, "2") == [(S(0, 3, "ORG"),), (S(0, 1, "LOC"),)]
    assert corpus.notes == (f"{path}: 1 empty last cell passed over",)


@pytest.mark.parametrize("other", ["pos", "chunk_tags", "NE-FINE-LIT", "nested", "xpos"])
def test_columns_of_other_kinds_by_name(write, other):
    """What is called so is never guessed to be an annotator, though its labels are the same."""
    table = f"token\t{other}\tner\nJo\tB-PER\tB-PER\nran\tO\tO\n"
    corpus = sa.read_conll(write(table))
    assert corpus.annotators == ("f.txt",)
    assert corpus.notes[0].endswith(
        f": columns 1 ({other}), 2 (ner) have tags, and the last, ner, is read; --columns (columns=)"
        " or FILE:COLUMN names others"
    )
    turned = sa.read_conll(write(f"token\tner\t{other}\nJo\tB-PER\tO\nran\tO\tB-PER\n"))
    assert spans(turned, "f.txt") == [(S(0, 1, "PER"),)]
    assert ": tags are read from ner, not from 2 (" in turned.notes[0]


def test_columns_of_other_labels(write):
    """Chunks are not gold: the last column is read, and a note says which there are."""
    path = write("Jo NNP I-NP I-PER\nran V I-VP O\n")
    corpus = sa.read_conll(path)
    assert spans(corpus, "f.txt") == [(S(0, 1, "PER"),)]
    assert corpus.notes == (
        f"{path}: columns 2, 3 have tags, and the last, 3, is read; --columns (columns=) or"
        " FILE:COLUMN names others",
    )


def test_gold_is_never_a_prediction(write):
    """With predictions beside gold in each file, that gold is offered, and none is taken."""
    one, two = write(THREE, "one.txt"), write(OTHER, "two.txt")
    message = f"{one}: column 1 … gold … 2 … gold={one}:1 … --columns 2 (columns=)"
    for call in (
        lambda: sa.read_conll([one, two]),
        lambda: sa.read_conll({"gold": one, "mine": two}),
        lambda: read_raw_files({"a": one, "b": two}, {}),
    ):
        with refuses(sa.InputError, message):
            call()
    corpus = sa.read_conll({"gold": f"{one}:1", "one": one, "two": two})
    assert spans(corpus, "gold") == [(S(0, 1, "PER"),), (S(0, 1, "LOC"),)]
    assert spans(corpus, "two") == [(), (S(0, 1, "LOC"),)]
    assert corpus.reading["read"] == {"columns": {"gold": "1"}}
    last = sa.read_conll([one, two], columns=2)
    assert spans(last, "one.txt") == [(S(0, 1, "PER"),), ()]
    # without a gold that all share, the columns are named
    apart = write("Jo B-PER B-LOC\nran O O\n\nRome O O\n", "apart.txt")  # no label in common
    with refuses(sa.InputError, "… apart.txt: which columns"):
        sa.read_conll([apart, one])
    odd = write(OTHER.replace("B-LOC B", "O B"), "odd.txt")
    for files in ([one, odd], [one, write("Jo O\nran O\n\nRome O\n", "plain")]):
        with refuses(
            sa.InputError,
            f"{one}: columns 1, 2 … 1 has 2 segments of LOC, PER; 2 has 1 segment of PER … {one}:1 or {one}:2 (FILE:COLUMN) … --columns 1 or --columns 2 (columns=)",
        ):
            sa.read_conll(files)


def test_gold_by_itself(write):
    """A file of gold first, and predictions beside gold: the last are read, with a note."""
    gold = write("Jo B-PER\nran O\n\nRome B-LOC\n", "gold.txt")
    corpus = sa.read_conll([gold, write(OTHER, "mine.txt")])
    assert spans(corpus, "mine.txt") == [(), (S(0, 1, "LOC"),)]
    assert corpus.notes[0].endswith(
        "mine.txt: columns 1, 2 have tags, and the last, 2, is read; --columns (columns=) or"
        " FILE:COLUMN names others"
    )


def test_three_columns_in_all_commands(write, run):
    """What Python refuses the commands refuse; what is offered works."""
    one, two = write(THREE, "one.txt"), write(OTHER, "two.txt")
    for command in ("evaluate", "agree", "check", "disagreements", "difficulty"):
        code, _, err = run(command, one, two)
        assert (code, f"pass gold={one}:1 as the first file" in err) == (1, True)
    code, out, _ = run("evaluate", f"gold={one}:1", one, two)
    assert (code, "2 systems against gold" in out) == (0, True)
    assert run("agree", one, two, "--columns", "2")[0] == 0
    code, _, err = run("convert", f"{one}:1", "-o", one)
    assert (code, "is an input too" in err) == (1, True)


FOUR = "Jo B-PER B-PER B-PER O\nran O O B-LOC O\n"


def test_many_columns(write):
    """All columns with tags, a range or a list of them; with no names, they have to be named."""
    path = write(FOUR)
    for columns, names in (
        ("all", ("1", "2", "3", "4")),
        ("2-3", ("2", "3")),
        ("4,1-2", ("4", "1", "2")),
        ([2, "3"], ("2", "3")),
        (3, ("3",)),
    ):
        assert sa.read_conll(path, columns=columns).annotators == names
    corpus = sa.read_conll(path, columns="all")
    assert spans(corpus, "3") == [(S(0, 1, "PER"), S(1, 2, "LOC"))]
    assert corpus.notes == ()
    path = write("Jo NNP B-PER B-PER\nran V O O\n")
    assert sa.read_conll(path, columns="all").notes == (
        f"{path}: columns without tags passed over: 1",
    )
    path = write("Jo B-PER B-PER B-PER\nran O O O\n")
    message = f"{path}: which columns … 1 has 1 segment of PER; 2 has 1 segment of PER; 3 has 1 segment of PER … --columns 1 or --columns 3 … --columns gold=1,mine=3 … --columns all (columns=)"
    with refuses(sa.InputError, message):
        sa.read_conll(path)
    with refuses(sa.SettingError, "columns '1-2,4' … NAME=FILE:COLUMN"):
        sa.read_conll([path, write(FOUR, "b")], columns="1-2,4")
    path = write("Jo B-PER B-PER\nran O O\n")
    with pytest.raises(sa.SettingError, match=r"^columns 2-9: the file has columns 1 to 2; name"):
        sa.read_conll(path, columns="2-9")
    with refuses(sa.SettingError, "annotator 'a': FILE:COLUMN and columns … once"):
        sa.read_conll({"a": f"{path}:1"}, columns={"a": 2})


HIPE = """TOKEN\tNE-COARSE-LIT\tNE-FINE-LIT\tNEL-LIT\tMISC
# hipe2022:document_id = one
Jo\tB-pers\tB-pers.ind\tQ1\t_
Doe\tI-pers\tI-pers.ind\tQ1\tEndOfSentence
ran\tO\tO\t_\t_

# hipe2022:document_id = two
Rome\tB-loc\tB-loc.adm\tQ2\t_
"""


def test_names_in_the_first_line(write):
    """Columns by the names in a first row, which is not a token; documents by their ids."""
    path = write(HIPE, "hipe.tsv")
    corpus = sa.read_conll(path, columns={"gold": "NE-COARSE-LIT"}, unit="document")
    assert corpus.ids == ("one", "two")
    assert corpus.tokens == ("Jo", "Doe", "ran", "Rome")
    assert spans(corpus, "gold") == [(S(0, 2, "pers"),), (S(0, 1, "loc"),)]
    assert sa.read_conll(path, columns="ne-fine-lit").annotators == ("NE-FINE-LIT",)
    other = write(HIPE.replace("B-loc\t", "O\t"), "mine.tsv")
    both = sa.read_conll([path, other], columns="NE-COARSE-LIT")
    assert spans(both, "mine.tsv") == [(S(0, 2, "pers"),), ()]
    coarse = sa.read_conll(path)
    assert spans(coarse, "hipe.tsv") == [(S(0, 2, "pers"),), (S(0, 1, "loc"),)]
    assert coarse.notes == (
        f"{path}: tags are read from NE-COARSE-LIT, not from 2 (NE-FINE-LIT); --columns (columns=)"
        " or FILE:COLUMN names others",
    )
    with refuses(
        sa.SettingError,
        f"{path}: no column 'NER' … 0 (the token) to 4 … TOKEN, NE-COARSE-LIT, NE-FINE-LIT, NEL-LIT, MISC",
    ):
        sa.read_conll(path, columns="NER")
    twice = write("token tag Tag\na B-X O\n")
    with refuses(sa.SettingError, "column 'TAG': columns 1 and 2 … number"):
        sa.read_conll(twice, columns="TAG")
    assert sa.read_conll(twice, columns="Tag").annotators == ("Tag",)
    path = write("token lemma tag\na B-X\n")
    with refuses(sa.InputError, f"{path}:2: 2 columns, but 3 names … (token, lemma, tag)"):
        sa.read_conll(path)
    with pytest.raises(sa.InputError, match="no column has tags; its columns are token, lemma"):
        sa.read_conll(write("token lemma x\na b c\n"))


def test_columns_as_attributes(write, run):
    """Linked ids of HIPE's columns: the first candidate of a segment's first token.

    By hand: pers Q1 is the same and has 2 places in its document, loc Q2 is Q9 in mine. So one of two
    matches, and 1/2 is expected; of the two segments that both marked, one has the same id.
    """
    mine = HIPE.replace("Q2", "Q9|Q2").replace("I-pers.ind\tQ1", "I-pers.ind\t_")
    files = {"gold": write(HIPE, "gold.tsv"), "mine": write(mine, "mine.tsv")}
    how = {"columns": "NE-COARSE-LIT", "unit": "document", "attributes": ["NEL-LIT"]}
    corpus = sa.read_conll(files, **how)
    ids = [[s.attributes for d in corpus for s in d.segments[name]] for name in files]
    assert ids == [[{"NEL-LIT": "Q1"}, {"NEL-LIT": x}] for x in ("Q2", "Q9")]
    f1 = sa.evaluate(corpus, attribute="NEL-LIT")["mine"].f1
    assert (f1.observed, f1.expected) == pytest.approx((1 / 2, 1 / 4))
    alike = sa.coefficients(sa.labels.attribute_labels(corpus, "NEL-LIT")).alpha
    assert alike.observed == 1 / 2
    chosen = ["--columns", "NE-COARSE-LIT", "--unit", "document", "--attribute", "NEL-LIT"]
    named = [f"{name}={path}" for name, path in files.items()]
    shown = run("evaluate", *named, *chosen)[1]
    figures = next(line for line in shown.splitlines() if line.startswith("mine  "))
    assert figures.split()[1:] == ["0.500", "0.500", "0.500", "0.250", "0.333"]
    assert "0.500" in run("coefficients", *named, *chosen)[1]
    code, _, failed = run(
        "evaluate", *named, "--columns", "NE-COARSE-LIT", "--attribute", "negated"
    )
    assert "gold.tsv: no column 'negated'; there are columns 0 (the token) to 4, called" in failed
    assert code == 1
    with refuses(sa.SettingError, "attributes 'NEL-LIT' … list of columns"):
        sa.read_conll(files, attributes="NEL-LIT")


def test_attributes_of_tokens_that_stay(write):
    """Where tokens are left out, or a file lacks sentences, segments keep their own attributes."""
    gold = "# sent_id = 1\na Q1 ?\nb Q2 B-X\n\n# sent_id = 2\nc Q3 B-X\n"
    mine = "# sent_id = 2\nc Q4 B-X\n"
    files = {"gold": write(gold, "gold.conll"), "mine": write(mine, "mine.conll")}
    corpus = sa.read_conll(files, missing="?", partial="drop-tokens", attributes=[1], columns=2)
    assert [[s.attributes for s in d.segments["gold"]] for d in corpus] == [
        [{"1": "Q2"}],
        [{"1": "Q3"}],
    ]
    assert corpus[0].segments["mine"] is None
    assert corpus[1].segments["mine"][0].attributes == {"1": "Q4"}


def test_linked_ids_of_hipe(real, tmp_path):
    """A run of CLEF-HIPE-2020: joint F1 and α of linked ids, counted with plain Python beside it.

    α is Krippendorff's formula for two annotators without missing values.
    """
    with tarfile.open(real / "data" / "tasks" / "hipe2020_en" / "hipe2020_en.tar.gz") as tar:
        tar.extractall(tmp_path, filter="data")
    files = {
        "gold": tmp_path / "gold" / "HIPE-data-v1.3-test-en.tsv",
        "mine": tmp_path / "systems" / "team10_bundle1_en_1.tsv",
    }
    spans = {name: linked(path.read_text("utf-8")) for name, path in files.items()}
    both = [
        (spans["gold"][x], spans["mine"][x]) for x in spans["gold"].keys() & spans["mine"].keys()
    ]
    same = sum(a == b for a, b in both)
    corpus = sa.read_conll(
        files, columns="NE-COARSE-LIT", unit="document", ignore_tokens=True, attributes=["NEL-LIT"]
    )
    f1 = sa.evaluate(corpus, attribute="NEL-LIT")["mine"].f1
    assert f1.observed == pytest.approx(2 * same / sum(map(len, spans.values())), abs=1e-12)
    assert 0 < f1.expected < 0.01
    made = sa.coefficients(sa.labels.attribute_labels(corpus, "NEL-LIT"), ci=True).alpha
    n, values = 2 * len(both), Counter(value for pair in both for value in pair)
    expected = sum(x * (x - 1) for x in values.values()) / (n * (n - 1))
    assert made.value == pytest.approx((same / len(both) - expected) / (1 - expected), abs=1e-12)
    low, high = made.interval.corrected
    assert low < made.value < high


def linked(text):
    """Return the first id of each name in a file of HIPE, by its place and label."""
    rows = [line.split("\t") for line in text.splitlines()[1:] if line and line[0] != "#"]
    found, begin = {}, None
    for at, row in enumerate([*rows, ["", "O"]]):
        if begin is not None and not row[1].startswith("I-"):
            found[begin, at, rows[begin][1][2:]] = rows[begin][7].partition("|")[0]
            begin = None
        if row[1].startswith("B-"):
            begin = at
    return found


@pytest.mark.parametrize("sign", [",", ";", "\t", " "])
def test_rows_below_names(write, sign):
    """CSV and TSV with a header, a token a row: the columns of tags are layers, gold first."""
    text = "token,pred,gold\nJo,B-PER,B-PER\n\nRome,O,B-LOC\n".replace(",", sign)
    path = write(text, "rows.csv")
    for corpus in (sa.read_conll(path), sa.Corpus.from_raw(read_raw_files({"f": path}, {}))):
        assert corpus.annotators == ("gold", "pred")
        assert spans(corpus, "gold") == [(S(0, 1, "PER"),), (S(0, 1, "LOC"),)]
        assert spans(corpus, "pred") == [(S(0, 1, "PER"),), ()]


def test_csv(write):
    """Fields in quotes, sentences and documents by a column."""
    text = 'doc_id,Sentence #,Word,Tag\na,1,"x,y",B-X\na,1,"""",O\na,2,z,O\nb,,w,B-X\n'
    path = write(text)
    corpus = sa.read_conll(path)
    assert corpus.tokens == ("x,y", '"', "z", "w")
    assert corpus.lengths.tolist() == [2, 1, 1]
    assert corpus.parent_ids.tolist() == [0, 0, 1]
    assert sa.read_conll(path, unit="document").lengths.tolist() == [3, 1]
    with pytest.raises(sa.InputError, match="3 lines have 2 rows, as a quoted field goes over"):
        sa.read_conll(write('token,tag\na,"B-X\nb",O\n'))
    for text in ("token,ta\rg\nJo,O\n", "token,tag\nJo,B-\rX\n"):
        odd = write(text)
        Path(odd).write_bytes(text.encode())
        with pytest.raises(sa.InputError, match=r":[12]: a carriage return inside the line"):
            sa.read_conll(odd)
    assert len(sa.read_conll(write("token,tag\n" + "a" * 200_000 + ",O\n")).tokens[0]) == 200_000


def test_what_is_not_a_header():
    """A first row with a tag is a token; so is one without a word for tokens."""
    assert not infer_layout("token O\nJo B-X\n").header
    assert not infer_layout("form B-X\n").header
    assert not infer_layout("gold pred\n").header
    assert infer_layout("# by us\ntoken A B\nJo O O\n").names == ("token", "A", "B")


CONLLU = """# newdoc id = d1
# sent_id = s1
1\tJo\tjo\tPROPN\t_\t_\t2\tnsubj\t_\tNER=B-PER|SpaceAfter=No
2\tran\trun\tVERB\t_\t_\t0\troot\t_\tNER=O
3-4\tdu\t_\t_\t_\t_\t_\t_\t_\t_
3\tde\tde\tADP\t_\t_\t2\tcase\t_\t_
4\tle\tle\tDET\t_\t_\t2\tdet\t_\tNER=B-LOC
4.1\tx\t_\t_\t_\t_\t_\t_\t_\t_

# newdoc id = d2
# sent_id = s2
1\tRome\tRome\tPROPN\t_\t_\t0\troot\t_\tNER=B-LOC
"""


def test_conllu(write):
    """Words by their FORM, tags of a key in MISC, sent_id and newdoc id."""
    path = write(CONLLU, "a.conllu")
    corpus = sa.read_conll(path)
    assert corpus.ids == ("s1", "s2")
    assert corpus.parent_ids.tolist() == [0, 1]
    assert corpus.tokens == ("Jo", "ran", "de", "le", "Rome")
    assert spans(corpus, "a.conllu") == [(S(0, 1, "PER"), S(3, 4, "LOC")), (S(0, 1, "LOC"),)]
    assert corpus.notes == (
        f"{path}: 1 multiword range and 1 empty node passed over",
        f"{path}: tags are read from NER, as no other column has any; --columns (columns=) or"
        " FILE:COLUMN names others",
    )
    documents = sa.read_conll({"a": f"{path}:NER"}, unit="document")
    assert documents.ids == ("d1", "d2")
    assert documents.lengths.tolist() == [4, 1]
    for text, message in (
        (CONLLU.replace("4\tle", "5\tle"), "unknown tag 'NER=B-PER|SpaceAfter=No'"),
        (CONLLU.replace("d2", "d1"), ":10: document id 'd1' again, it is that of line 1 too"),
    ):
        with pytest.raises(sa.InputError) as error:
            sa.read_conll(write(text, "odd"), unit="document")
        assert message in str(error.value)
    with pytest.raises(sa.SettingError, match=r"and in MISC NER, SpaceAfter$"):
        sa.read_conll(path, columns="LOC")
    two = CONLLU.replace("NER=O", "NER=O|NE=B-PER")
    with pytest.raises(sa.InputError, match=r"clear: NER has tags; NE has tags\. Name one"):
        sa.read_conll(write(two, "two"))


def test_names_of_conllu_plus(write):
    """The first line of CoNLL-U Plus names the columns; tokens that are numbered need no names."""
    path = write("# global.columns = ID FORM NE\n1\tJo\tB-PER\n2\tran\tO\n")
    assert sa.read_conll(path, columns="NE").tokens == ("Jo", "ran")
    bare = sa.read_conll(write("1\tJo\tB-PER\tann\n2\tran\tO\tann\n"))
    assert bare.tokens == ("Jo", "ran")
    assert spans(bare, "f.txt") == [(S(0, 1, "PER"),)]
    assert sa.read_conll(write("1 CD O\n5 CD B-X\n")).tokens == ("1", "5")


def test_other_sentence_breaks(write):
    """With whole documents each layer has its own sentences, or all have those of one."""
    a = write("x B-X\n\ny I-X\nz O\n", "a")
    b = write("x B-X\ny I-X\n\nz O\n", "b")
    corpus = sa.read_conll([a, b], unit="document")
    assert spans(corpus, "a") == [(S(0, 1, "X"), S(1, 2, "X"))]
    assert spans(corpus, "b") == [(S(0, 2, "X"),)]
    assert corpus.notes[1] == (
        f"{b}: sentences begin elsewhere than in {a}, and each annotator is read in its own; --sentences-from"
        " NAME (sentences_from=) takes those of one"
    )
    same = sa.read_conll([a, b], unit="document", sentences_from="b")
    assert spans(same, "a") == spans(same, "b") == [(S(0, 2, "X"),)]
    assert same.reading["read"] == {"sentences_from": "b"}
    assert not any("elsewhere" in note for note in same.notes)
    dropped = sa.read_conll(
        [a, write("x ?\ny I-X\n\nz O\n", "b")], unit="document", missing="?", partial="drop-tokens"
    )
    assert spans(dropped, "a") == spans(dropped, "b") == [(S(0, 1, "X"),)]


ONTONOTES = """#begin document (bc/one); part 000
bc/one 0 0 Jo NNP (TOP* - - - Ann (PERSON* * (1|(2
bc/one 0 1 Doe NNP * - - - Ann *) * 1)
bc/one 0 2 ran VBD *) run 01 - Ann * (V*) 2)

bc/one 0 0 Rome NNP (TOP*) - - - Ann (GPE) -

#end document
#begin document (bc/one); part 001
bc/one 1 0 1999 CD (TOP*) - - - Ann (DATE) -
"""


def test_conll_2012(write):
    """Names in brackets, in rows that are as wide as their sentence has predicates; mentions too."""
    path = write(ONTONOTES, "a.gold_conll")
    corpus = sa.read_conll(path)
    assert corpus.tokens == ("Jo", "Doe", "ran", "Rome", "1999")
    assert spans(corpus, "a.gold_conll") == [
        (S(0, 2, "PERSON"),),
        (S(0, 1, "GPE"),),
        (S(0, 1, "DATE"),),
    ]
    assert corpus.notes == (
        f"{path}: tags are read from ne, not from 2 (coref); --columns (columns=) or FILE:COLUMN"
        " names others",
    )
    whole = sa.read_conll(path, unit="document", columns="coref")
    assert whole.ids == ("bc/one; part 000", "bc/one; part 001")
    assert spans(whole, "coref") == [(S(0, 2, "mention"), S(0, 3, "mention")), ()]
    # of a system that found no name, the names are read all the same
    nothing = write(ONTONOTES.replace("(PERSON*", "*").replace("*) * 1)", "* * 1)").replace("(GPE)", "*").replace("(DATE)", "*"), "s")  # fmt: skip
    assert spans(sa.read_conll([path, nothing]), "s") == [(), (), ()]
    for odd, said in (("(GPE*", ":6: 'GPE' is opened, and not closed"), ("*)", "is closed, and nothing")):  # fmt: skip
        with pytest.raises(sa.InputError, match=said):
            sa.read_conll(write(ONTONOTES.replace("(GPE)", odd)))


def test_tokens_in_csv(write):
    """Sentences are told apart by a column, on each row or the first; without one, a note says so."""
    for name in ("Sentence #", "Sentence#", "sentence_id"):
        for numbers in (("1", "1", "2"), ("Sentence: 1", "", "Sentence: 2")):
            rows = zip(numbers, ("Jo", "Doe", "Rome"), ("NNP",) * 3, ("B-per", "I-per", "B-geo"), strict=True)  # fmt: skip
            path = write("\r\n".join([f"{name},Word,POS,Tag", *map(",".join, rows)]), "f.csv")
            corpus = sa.read(path)
            assert spans(corpus, "f.csv") == [(S(0, 2, "per"),), (S(0, 1, "geo"),)]
    path = write("Word,Tag\n" + "Jo,B-per\n" * 501, "f.csv")
    assert sa.read(path).notes[-1] == (
        f"{path}: no line is blank and no column says where sentences begin, so its 501 tokens are"
        " one sentence"
    )


def test_tokens_of_quotes_below_a_header(write):
    """A token that is a quote opens no cell of several lines; such cells are read as before."""
    rows = 'token\ttag\nJo\tB-PER\n"\tO\nx\tO\n"\tO\nAl\tB-PER\n'
    path = write(rows, "f.tsv")
    corpus = sa.read(path)
    assert corpus.tokens == ("Jo", '"', "x", '"', "Al")
    assert spans(corpus, "f.tsv") == [(S(0, 1, "PER"), S(4, 5, "PER"))]
    assert sa.read(write(f"{rows}\n{rows.partition(chr(10))[2]}", "f.tsv")).lengths.tolist() == [
        5,
        5,
    ]
    cells = 'tokens\ttags\n"Jo x\nAl"\t"B-PER O\nB-PER"\n'
    corpus = sa.read(write(cells, "g.tsv"))
    assert corpus.tokens == ("Jo", "x", "Al")


def test_bare_labels(write):
    """Labels without a prefix, as Few-NERD has them, are read with the scheme that the error names."""
    path = write("Jo\tperson-actor\nDoe\tperson-actor\nran\tO\n\nRome\tlocation-GPE\n")
    with pytest.raises(sa.InputError, match=r"unknown tag 'person-actor'.*--scheme IO"):
        sa.read_conll(path)
    corpus = sa.read_conll(path, scheme="IO")
    assert spans(corpus, "f.txt") == [(S(0, 2, "person-actor"),), (S(0, 1, "location-GPE"),)]
