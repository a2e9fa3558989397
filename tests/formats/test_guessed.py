"""Calls that people guess: they work, or the error has the line that would."""

from __future__ import annotations

import numpy as np
import pytest

import spanagree as sa

pd, pa = pytest.importorskip("pandas"), pytest.importorskip("pyarrow")

GOLD = [["B-PER", "I-PER", "O"], ["O", "B-LOC"]]
MINE = [["B-PER", "I-PER", "O"], ["B-LOC", "O"]]
WANTED = sa.evaluate(sa.from_tags({"gold": GOLD, "pred": MINE}))
FRAME = pd.DataFrame({"token": ["a", "b"], "gold": ["B-x", "O"], "mine": ["O", "O"]})


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
def test_a_path_is_read_first(call):
    """A path, or a data frame where that is not read, is an error that names sa.read."""
    line = "a corpus, or corpora one after the other, are needed; spanagree.read gives one, of files, data frames and rows"
    with pytest.raises(sa.InputError) as error:
        call("gold.conll")
    assert str(error.value) == f"'gold.conll'; {line}"
    if call is not sa.evaluate:
        with pytest.raises(sa.InputError) as error:
            call(FRAME)
        assert str(error.value) == f"DataFrame; {line}"


SEGMENTS = "segments need the length of each document; evaluate takes spanagree.Corpus.from_segments([120, …], {'gold': [[(0, 4, 'PER'), …], …], 'mine': …})"
CORPUS = "a corpus is needed, or a function that gives one; tag lists become one by spanagree.from_tags({'ann': …, 'bob': …})"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((FRAME,), "a data frame with the columns token, gold, mine; of one with a token in each row, evaluate takes spanagree.read(frame, document='sentence_id'), which names the column of the sentences, of one with lists of tags frame['gold'], frame['mine']"),
        ((pa.table({"tokens": ["a"], "ner_tags": ["O"]}),), "a dataset with the columns tokens, ner_tags; evaluate takes spanagree.from_dataset(dataset, tokens='tokens', tags={'gold': 'ner_tags', 'mine': 'predicted'})"),
        (([[(0, 1, "x")]], [[(0, 1, "x")]]), SEGMENTS),
        (([[{"start": 0}]], [[]]), SEGMENTS),
        (({"a": [(0, 1, "x")]}, {"a": []}), SEGMENTS),
        (({"gold": [[(0, 1, "x")]], "mine": [[]]},), SEGMENTS),
        (({"a": GOLD[0]}, {"b": GOLD[0]}), "documents a, b are in one of the two only; give both the same, with None for one that was never seen"),
        ((GOLD,), "the tags of one layer; pass gold's and the system's: y_true, y_pred"),
        ((GOLD, MINE[:1]), "'pred': 1 document; 'gold' has 2, and each layer needs the same (None for one that it never saw)"),
        ((GOLD[0], MINE[0]), "'gold': ['B-PER', 'I-PER', 'O']; a list of documents, each a list of strings, is needed"),
        (([3],), f"block 1: int; {CORPUS}"),
        ((iter([GOLD]),), f"block 1: list; {CORPUS}"),
    ],
)  # fmt: skip
def test_what_would_work(arguments, message):
    """What cannot be taken gets an error with the line that takes it."""
    with pytest.raises(sa.InputError) as error:
        sa.evaluate(*arguments)
    assert str(error.value) == message


@pytest.mark.parametrize(
    ("name", "call"),
    [
        ("compare_systems", sa.compare_systems),
        ("evaluate_levels", lambda it: sa.evaluate_levels(it, sa.difficulty(it))),
        ("with_intervals", sa.with_intervals),
        ("chance_test", lambda it: sa.chance_test(it, it)),
        ("write_tallies", lambda it: sa.write_tallies(it, "x.parquet")),
    ],
)
def test_a_corpus_is_not_an_evaluation(name, call):
    """Calls that take an evaluation say what gives one."""
    corpus = sa.from_tags({"gold": [["B-X"]], "mine": [["B-X"]]})
    with pytest.raises(sa.SettingError) as error:
        call(corpus)
    assert str(error.value) == (
        f"{name}: Corpus; an evaluation is needed, as evaluate(corpus) gives"
    )


def test_a_system_shows_its_figures():
    mine = sa.evaluate(sa.from_tags({"gold": [["B-X", "O"]], "mine": [["B-X", "O"]]}))["mine"]
    assert repr(mine) == f"<System 'mine': F1 {mine.f1}>"
    assert str(mine.f1) == "1.0000 (chance 0.5000, corrected 1.0000)"
