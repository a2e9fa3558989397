"""Calls that people guess: they work, or the error has the line that would."""

from __future__ import annotations

import typing

import numpy as np
import pytest
from messages import refuses

import spanagree as sa
from spanagree.choices import MatchName
from spanagree.comparisons.measures import MEASURES

pd, pa = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")

GOLD = [["B-PER", "I-PER", "O"], ["O", "B-LOC"]]
MINE = [["B-PER", "I-PER", "O"], ["B-LOC", "O"]]
WANTED = sa.evaluate(sa.from_tags({"gold": GOLD, "pred": MINE}))
FRAME = pd.DataFrame({"token": ["a", "b"], "gold": ["B-x", "O"], "mine": ["O", "O"]})


SMALL = sa.Corpus.from_segments([9], {"a": [[(0, 2, "X")]], "b": [[(0, 2, "X")]]})
table_of = sa.labels.LabelTable.from_array


def scores(**options):
    return sa.systems.precision_recall_fscore_support(GOLD, [["O"] * 3, ["O"] * 2], **options)


@pytest.mark.parametrize(
    "arguments",
    [
        (GOLD, MINE),
        (tuple(map(tuple, GOLD)), MINE),
        ([np.array(tags) for tags in GOLD], MINE),
        (np.array(GOLD, dtype=object), np.array(MINE, dtype=object)),
        (pd.Series(GOLD), pd.Series(MINE)),
        ({"gold": GOLD, "pred": MINE},),
        ({"gold": GOLD, "pred": MINE}, "gold"),
        ({"pred": MINE, "gold": GOLD}, "gold"),
        ({"gold": GOLD}, {"pred": MINE}),
    ],
)
def test_tags_in_other_shapes(arguments):
    """Lists, arrays, series and layers of tags are evaluated as the corpus made of them is."""
    result = sa.evaluate(*arguments)
    assert result.systems["pred"] == WANTED.systems["pred"]
    assert sa.evaluate(*arguments, match="token").settings["match"] == "token"


def test_documents_by_name():
    """Two mappings of documents to tags are put side by side by their names, in any order."""
    result = sa.evaluate(
        dict(zip("ab", GOLD, strict=True)), dict(zip("ba", MINE[::-1], strict=True))
    )
    assert result.systems["pred"] == WANTED.systems["pred"]
    assert result.document_ids == ("a", "b")


def test_the_line_of_a_data_frame():
    """What the error says of a data frame works."""
    frame = FRAME
    result = sa.evaluate([frame["gold"].tolist()], [frame["mine"].tolist()])
    assert result.systems["pred"].tally.size_a == 1


def test_a_data_frame_of_documents():
    """A data frame, dataset or Arrow table with a document in each row is read as sa.read reads it."""
    columns = {"tokens": [["a", "b", "c"], ["d", "e"]], "gold": GOLD, "pred": MINE}
    for made in (pd.DataFrame, pa.table, pytest.importorskip("datasets").Dataset.from_dict):
        result = sa.evaluate(made(columns))
        assert result.systems["pred"] == WANTED.systems["pred"]
        assert result.notes[0].startswith("columns guessed: tokens tokens; tags gold, pred")
        swapped = sa.evaluate(made(columns), gold="pred").systems["gold"]
        assert swapped.f1.observed == WANTED.systems["pred"].f1.observed


def test_columns_of_tag_lists():
    """What the error says of a data frame with lists of tags works."""
    frame = pd.DataFrame({"gold": GOLD, "mine": MINE})
    assert sa.evaluate(frame["gold"], frame["mine"]).systems["pred"] == WANTED.systems["pred"]


@pytest.mark.parametrize("call", [sa.evaluate, sa.agree, sa.difficulty])
def test_what_is_no_corpus(call):
    """A path that is not there is named; what cannot be read as rows is an error that says so."""
    with pytest.raises(sa.InputError, match=r"^nowhere.conll: no such file"):
        call("nowhere.conll")
    with pytest.raises(sa.InputError, match=r"DataFrame; a corpus, or corpora|a data frame with"):
        call(FRAME)


SEGMENTS = "segments … spanagree.Corpus.from_segments([120, …], {'gold': [[(0, 4, 'PER'), …], …], 'mine': …})"
CORPUS = "a corpus … spanagree.from_tags({'ann': …, 'bob': …})"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((FRAME,), "a data frame with the columns token, gold, mine … spanagree.read(frame, document='sentence_id') … frame['gold'], frame['mine']"),
        ((pa.table({"tokens": ["a"], "ner_tags": ["O"]}),), "a dataset with the columns tokens, ner_tags … spanagree.formats.from_dataset(dataset, tokens='tokens', tags={'gold': 'ner_tags', 'mine': 'predicted'})"),
        (([[(0, 1, "x")]], [[(0, 1, "x")]]), SEGMENTS),
        (([[{"start": 0}]], [[]]), SEGMENTS),
        (({"a": [(0, 1, "x")]}, {"a": []}), SEGMENTS),
        (({"gold": [[(0, 1, "x")]], "mine": [[]]},), SEGMENTS),
        (({"a": GOLD[0]}, {"b": GOLD[0]}), "documents a, b … one of the two only … None"),
        ((GOLD,), "the tags of one annotator … y_true, y_pred"),
        ((GOLD, MINE[:1]), "'pred': 1 document; 'gold' has 2 … None"),
        ((GOLD[0], MINE[0]), "'gold': ['B-PER', 'I-PER', 'O'] … list of documents … strings"),
        (([3],), f"part 1: int; {CORPUS}"),
        ((iter([GOLD]),), f"part 1: list; {CORPUS}"),
    ],
)  # fmt: skip
def test_what_would_work(arguments, message):
    """What cannot be taken gets an error with the line that takes it."""
    with refuses(sa.InputError, message):
        sa.evaluate(*arguments)


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("compare_systems", sa.compare_systems),
        ("evaluate_levels", lambda it: sa.evaluate_levels(it, sa.difficulty(it))),
        ("chance_test", lambda it: sa.chance_test(it, it)),
    ],
)
def test_a_corpus_is_not_an_evaluation(name, call):
    """Calls that take an evaluation say what gives one."""
    corpus = sa.from_tags({"gold": [["B-X"]], "mine": [["B-X"]]})
    with refuses(sa.SettingError, f"{name}: Corpus … evaluation … evaluate(corpus)"):
        call(corpus)


def test_a_system_shows_its_figures():
    mine = sa.evaluate(sa.from_tags({"gold": [["B-X", "O"]], "mine": [["B-X", "O"]]}))["mine"]
    assert repr(mine) == f"<System 'mine': F1 {mine.f1}>"
    assert str(mine.f1) == "1.000 (chance 0.500, corrected 1.000)"


SIMILAR = {"similarity": lambda offset, a, b: (offset == 0) & (a == b)}
TAKE = {
    **{
        name: {}
        for name in ["agree", "alpha_u", "coefficients_by_label", "confusion", "difficulty", "disputes", "evaluate", "gamma", "make_gold", "document_agreement", "compare_measures", "token_labels"]
    },
    "coefficients_by_slice": {"group_by": ["x", "y"]},
    "partial_credit": {"a": "a", "b": "b"},
    "disagreements": {"a": "a", "b": "b"},
    "evaluate_references": {"systems": ["c"]},
    "expected": {**SIMILAR, "annotators": ["a", "b"]},
    "match_distribution": {"a": "a", "b": "b"},
    "plan_sample": {"width": 0.5},
    "simulate": {"seed": 1},
    "with_baselines": {"baselines": ["nothing"]},
}  # fmt: skip
THREE = {"a": GOLD, "b": MINE, "c": [["B-PER", "O", "O"], ["O", "B-LOC"]]}


def docs_of(layers):
    spacy = pytest.importorskip("spacy")
    words = [["w"] * len(tags) for tags in GOLD]
    corpus = sa.from_tags(layers, tokens=words)
    return {name: sa.to_docs(corpus, name, spacy.blank("xx")) for name in layers}


@pytest.mark.parametrize("name", TAKE)
def test_one_converter_for_all(tmp_path, name):
    """What takes a corpus takes a path, a mapping of tags or Docs, and a data frame."""
    corpus = sa.from_tags(THREE, tokens=[["w"] * len(tags) for tags in GOLD])
    call = getattr(sa, name)
    sa.write_jsonl(corpus, path := tmp_path / "three.jsonl")
    wanted = call(sa.read(path), **TAKE[name])
    columns = {"tokens": [["w"] * len(tags) for tags in GOLD], **THREE}
    for given in (path, str(path), pd.DataFrame(columns), THREE, docs_of(THREE)):
        made = call(given, **TAKE[name])
        assert type(made) is type(wanted)
        if given is path and hasattr(made, "signature"):
            assert repr(made.to_dict()["tables"]) == repr(wanted.to_dict()["tables"])
    for wrong in (3, None, object()):
        with pytest.raises(sa.InputError, match="a corpus"):
            call(wrong, **TAKE[name])


@pytest.mark.parametrize("name", ["to_dataset", "to_docs", "write_conll", "write_docbin", "write_jsonl"])  # fmt: skip
def test_writers_say_what_they_need(tmp_path, name):
    """A writer takes a corpus; the message says how one is made."""
    more = {"to_dataset": [], "to_docs": ["a"], "write_docbin": ["a", tmp_path / "x"]}
    with pytest.raises(sa.InputError, match=r"str; a corpus is needed; spanagree.read gives one"):
        getattr(sa, name)("x.jsonl", *more.get(name, [tmp_path / "x"]))


def test_two_paths(newsroom):
    """Two files are gold and system, as on the command line."""
    gold, mine = newsroom / "gold.conll", newsroom / "tagger.conll"
    wanted = sa.evaluate(sa.read([gold, mine]), "gold.conll").systems["tagger.conll"]
    for one, other in ((gold, mine), (str(gold), str(mine))):
        assert sa.evaluate(one, other).systems["tagger.conll"] == wanted
    with pytest.raises(sa.InputError, match="no such file"):
        sa.evaluate("nowhere.conll", "nor-here.conll")


@pytest.mark.parametrize(
    "call",
    [
        lambda: sa.compare_measures(THREE, chance="exact"),
        lambda: sa.compare_measures(THREE, precision=-1),
        lambda: sa.compare_measures(THREE, time_limit=-1),
        lambda: sa.compare_measures(THREE, seed=0.5),
        lambda: sa.f1_score(GOLD, MINE, scheme="nonsense"),
        lambda: sa.evaluate(GOLD, MINE, executor="nonsense"),
        lambda: sa.agree(THREE, executor="nonsense"),
    ],
)
def test_values_without_effect_are_refused(call):
    """A value that cannot be is refused also where nothing asks for it."""
    with pytest.raises(sa.SettingError):
        call()


def test_suffix_of_prefixed_tags():
    """The warning says what would work; it spoke of X-B, which nobody had written."""
    with pytest.warns(UserWarning, match=r"B-X: suffix=True, but .*; leave suffix out"):
        sa.f1_score([["B-X", "O"]], [["B-X", "O"]], suffix=True)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: sa.f1_score([["O"], ["O"]], [["O"]]),
            "y_pred: 1 sentence; y_true has 2 sentences",
        ),
        (
            lambda: sa.f1_score(pd.DataFrame([["O"]]), GOLD),
            "y_true: … a list of tag lists is needed",
        ),
        (lambda: sa.systems.accuracy_score({"a": ["O"]}, {"a": ["O"]}), "y_true: … a list of tag"),
        (lambda: scores(beta="1"), "beta '1'; a number from 0 is needed"),
        (lambda: scores(beta=None), "beta None; a number from 0 is needed"),
        (lambda: scores(warn_for=None), "warn_for None; a list of figures is needed"),
        (lambda: sa.classification_report(GOLD, GOLD, digits=-1), "digits -1; a whole number"),
        (lambda: sa.classification_report(GOLD, GOLD, digits=2.0), "digits 2.0; a whole number"),
        (lambda: sa.gamma(SMALL, delta_empty=10**30), "delta_empty … to 1,000,000,000 is needed"),
        (lambda: sa.gamma(SMALL, alpha=10**30), "alpha … a number from 0 to 1,000,000,000 is"),
        (lambda: table_of([[0, 1], [1]]), "… a matrix of numbers, items × annotators, is needed"),
    ],
)
def test_odd_arguments_are_refused(call, message):
    """In one sentence of ours, and no traceback of another package."""
    with refuses(sa.SpanAgreeError, message):
        call()


def test_whole_numbers_of_pandas_with_gaps():
    """They are the same table as floats with nan are."""
    values = {"a": [1, None, 2], "b": [1, 2, 2]}
    whole, floats = table_of(pd.DataFrame(values, dtype="Int64")), table_of(pd.DataFrame(values))
    assert whole.counts.agreeing.tolist() == floats.counts.agreeing.tolist()
    assert (whole.labels, len(whole)) == (floats.labels, len(floats)) == (("1", "2"), 5)


def test_an_unknown_measure_does_not_pass_type_checking():
    """The type of `match` is its names alone: with `str` among them, "tokn" was one too."""
    assert set(typing.get_args(MatchName)) == set(MEASURES)


def test_read_takes_tags_and_docs():
    """Tags or Docs by annotator are read as from_tags and from_docs read them; a number is refused."""
    tags, words = {"gold": GOLD, "mine": MINE}, [["x"] * len(tags) for tags in GOLD]
    for given in ({}, {"tokens": words}):
        read, made = sa.read(tags, **given), sa.from_tags(tags, **given)
        assert [read[d].segments for d in range(len(read))] == [
            made[d].segments for d in range(len(made))
        ]
        assert read.tokens == made.tokens
    with refuses(sa.SettingError, "a mapping of gold … split= … path … lists or of Docs"):  # fmt: skip
        sa.read({"gold": 3})
    spacy = pytest.importorskip("spacy")
    doc = spacy.blank("en")("Jo sings")
    doc.ents = [spacy.tokens.Span(doc, 0, 1, "PER")]
    assert sa.read({"ann": [doc], "bob": [doc]}).annotators == ("ann", "bob")


def test_an_annotator_called_as_a_file(tmp_path, monkeypatch):
    """The annotator of the first file is gold. Oracle: the same corpus without the other file."""
    monkeypatch.chdir(tmp_path)
    line = '{"spanagree": 1, "id": "1", "offsets": "tokens", "tokens": ["Jo"], "annotators": {"p1": [], "p2": [{"start": 0, "end": 1, "label": "X"}]}}'  # fmt: skip
    (tmp_path / "corpus.jsonl").write_text(line, "utf-8")
    wanted = sa.evaluate(sa.read("corpus.jsonl"), "p1").systems
    (tmp_path / "p1").write_text("Jo B-X\n", "utf-8")
    assert sa.evaluate("corpus.jsonl", gold="p1").systems == wanted
