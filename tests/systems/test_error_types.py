"""Errors by type: counts of each system's pairs with gold."""

from __future__ import annotations

import json

from hypothesis import given
from messages import refuses
from strategies import at_most, crowds

import spanagree as sa
from spanagree.choices import Kind, list_names
from spanagree.cli.main import main

FILES = [f"corpora/newsroom/{name}.conll" for name in ("gold", "lexicon", "tagger")]


@given(crowds())
@at_most(60)
def test_sums(drawn):
    """Each segment of either side is counted once; counts are those of the list of disagreements.

    Oracle: sizes of both sides over the documents that both saw.
    """
    corpus = sa.Corpus.from_segments(*drawn)
    evaluation = sa.evaluate(corpus)
    found = sa.systems.error_types(evaluation)
    for name, system in evaluation.systems.items():
        counts = found.counts[name]
        both = sum(counts[kind] for kind in ("match", "boundary", "label", "boundary+label"))
        assert both + counts["missed"] == system.tally.size_a
        assert both + counts["spurious"] == system.tally.size_b
        if system.documents:
            between = sa.disagreements(corpus, evaluation.settings.gold, name, text=False)
            assert between.counts == counts


def test_by_hand():
    """One error of each type, and shares of all five."""
    gold = [(0, 2, "X"), (3, 5, "X"), (6, 8, "X"), (9, 11, "X"), (12, 14, "X")]
    mine = [(0, 2, "X"), (3, 6, "X"), (6, 8, "Y"), (10, 12, "Y"), (16, 17, "X")]
    corpus = sa.Corpus.from_segments([20], {"gold": [gold], "mine": [mine], "none": [[]]})
    found = sa.systems.error_types(sa.evaluate(corpus))
    ones = dict.fromkeys(list_names(Kind), 1)
    assert found.errors("mine") == ones
    assert found.counts["mine"]["match"] == 1
    rows = {(row["system"], row["error"]): row for row in found.to_rows()}
    assert rows["mine", "label"]["share"] == 0.2
    assert rows["none", "missed"]["count"] == 5
    assert "Errors of none are most often of the kind missed (5 of 5)." in found.verdict
    perfect = sa.systems.error_types(
        sa.evaluate(corpus.select_annotators(["gold", "mine"]), "mine")
    )
    assert perfect.settings.gold == "mine"


def test_no_error():
    """A system that is as gold has no error, and no share."""
    corpus = sa.Corpus.from_segments([5], {name: [[(0, 2, "X")]] for name in ("gold", "mine")})
    found = sa.systems.error_types(sa.evaluate(corpus))
    assert found.verdict == "mine: no error."
    assert {row["share"] for row in found.to_rows()} == {None}


def test_the_command(capsys):
    """The table has a row for each type and system; parts say the same; options that count nothing here are refused."""
    assert main(["evaluate", *FILES, "--by", "error", "--format", "json"]) == 0
    output = json.loads(capsys.readouterr().out)
    expected = sa.systems.error_types(sa.evaluate(sa.read(FILES)))
    assert output["summary"]["counts"] == {
        name: dict(counts) for name, counts in expected.counts.items()
    }
    assert "match:" not in output["signature"]
    assert main(["evaluate", *FILES, "--by", "error", "--ci"]) == 2
    assert "errors are counted independently of the measure" in capsys.readouterr().err


def test_refused():
    """Rows that were read have no segments."""
    corpus = sa.Corpus.from_segments([5], {name: [[(0, 2, "X")]] for name in ("gold", "mine")})
    with refuses(sa.SettingError, "errors by type: AssertionError; an evaluation is needed …"):
        sa.systems.error_types(AssertionError())
    parts = sa.evaluate([corpus, corpus])
    assert sa.systems.error_types(parts).counts["mine"]["match"] == 2
