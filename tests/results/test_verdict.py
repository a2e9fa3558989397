"""The verdict: the order above chance, and no more than a test says."""

from __future__ import annotations

import json
import math
from html import unescape

import pytest
from messages import says

import spanagree as sa
from spanagree.results import Score, verdict
from spanagree.results.result import caveats
from spanagree.results.score import undefined
from spanagree.results.verdict import Lead, one_score, order

SCORES = {"a": Score(0.8, 0.1, 0.7778), "b": Score(0.9, 0.1, 0.8889), "c": undefined("no gold")}


def test_without_a_test_only_the_order_is_named():
    """Nobody is said to be better; what is undefined has no place."""
    text = order(SCORES, "9 texts")
    assert text.startswith("By F1 above chance the order is b (.889), a (.778), on 9 texts.")
    assert text.endswith("No test was made.")
    assert order(SCORES, "9 texts", advice="--ci").endswith("No test was made: add --ci.")
    assert "better" not in text
    assert "defined" in order({"c": SCORES["c"], "d": SCORES["c"]}, "9 texts")


def test_systems_that_are_equal():
    """Figures that print alike share a place in the table, so no name comes before the other; a
    test of two that are equal leaves the rest to be told apart."""
    documents = [[(0, 2, "X")], [(1, 3, "X")]] * 9
    layers = {"gold": documents, "z": documents, "a": documents, "c": [[(3, 4, "X")]] * 18}
    corpus = sa.Corpus.from_segments([5] * 18, layers)
    evaluation = sa.evaluate(corpus)
    assert [x.rank.corrected for x in evaluation.systems.values()] == [1, 1, 3]
    assert "the order is a and z (1.000), c (" in evaluation.verdict
    equal = sa.evaluate(corpus.of_annotators(["gold", "z", "a"]))
    assert equal.verdict.startswith("By F1 above chance a and z are equal (1.000), on 18 documents")
    told = sa.compare_systems(evaluation, test="permutation").verdict
    assert told.startswith(
        "a and z have the highest F1 above chance (1.000), and are told apart from all others; the"
        " closest is c (difference 1."
    )
    both = sa.compare_systems(equal, test="permutation")
    assert both.verdict == "a and z have the highest F1 above chance (1.000)."
    levels = sa.levels.evaluate_levels(evaluation, sa.difficulty(corpus, "gold"), levels=1)
    assert levels.verdict == evaluation.verdict
    mixed = {**layers, "c": [*documents[:9], *[[(3, 4, "X")]] * 9]}
    corpus = sa.Corpus.from_segments([9] * 9 + [4] * 9, mixed)
    levels = sa.levels.evaluate_levels(sa.evaluate(corpus), sa.difficulty(corpus, "gold"), levels=2)
    assert levels.verdict.startswith(
        "Above chance a and z are first on the easiest documents, a, c and z on the hardest"
    )


def test_what_a_test_says():
    """Those who cannot be told apart are named with the difference; the closest if all can be."""
    close = Lead("a", 0.1111, -0.02, 0.24, 0.09, apart=False)
    assert verdict.tested(SCORES, [close], 95) == (
        "b has the highest F1 above chance (.889), but cannot be told apart from a"
        " (difference .111, 95 % CI −.020 to .240)."
    )
    far = [Lead("a", 0.1111, 0.02, 0.24, 0.01, apart=True)]
    assert "is told apart from all others; the closest is a" in verdict.tested(SCORES, far, 95)


@pytest.mark.parametrize(
    ("score", "text"),
    [
        (Score(1, 1, float("nan"), "chance alone gives 1"), "nothing is left to correct"),
        (undefined("nothing is marked"), "mine has no F1: nothing is marked."),
    ],
)
def test_undefined(score, text):
    """An undefined figure is said to be so, with its reason."""
    assert text in one_score("mine", score)


def test_documents_left_out():
    """How many documents were compared is said where these are not all."""
    documents = [[(0, 1, "X")], [(1, 2, "X")], [(0, 1, "X")]]
    layers = {"g": documents, "s": [documents[0], None, []]}
    found = sa.evaluate(sa.Corpus.from_segments([3] * 3, layers), gold="g")
    assert found.verdict.endswith(
        "on 2 documents with anything marked. 2 of 3 documents were compared."
    )
    layers["t"] = [[], [], []]  # saw all three, in which gold has something
    found = sa.evaluate(sa.Corpus.from_segments([3] * 3, layers), gold="g")
    assert "on 2 to 3 documents with anything marked." in found.verdict
    assert found.verdict.endswith("2 to 3 of 3 documents were compared.")


def test_documents_of_systems_and_of_people():
    """A system stands on what it and a person saw, people on what two of them saw."""
    seen = [[(0, 1, "X")]]
    layers = {"ann": seen * 4, "bob": [*seen * 3, None], "mine": [None, *seen * 3]}
    corpus = sa.Corpus.from_segments([3] * 4, layers | {"cem": [None, None, None, *seen]})
    found = sa.evaluate_references(corpus, systems=["mine"], match="token")
    assert "It was measured on 3 documents that a person saw too." in found.verdict
    assert found.verdict.endswith(", on 4 documents.")
    single = sa.evaluate_references(corpus, ["ann"], systems=["mine"], match="token")
    assert single.verdict.endswith(" One reference alone gives no human agreement.")
    apart = sa.Corpus.from_segments(
        [3] * 2, {"ann": [*seen, None], "bob": [None, *seen], "m": seen * 2}
    )
    found = sa.evaluate_references(apart, systems=["m"])
    assert found.verdict.endswith(
        " Human agreement has no figure above chance: no document that two references saw."
    )


def results(newsroom):
    """A result of each kind that compares, small."""
    crowd = sa.read(newsroom.parent / "crowd" / "crowd.jsonl")
    corpus = sa.read([newsroom / f"{name}.conll" for name in ("gold", "lexicon", "tagger")])
    scored = sa.evaluate(corpus, p_values=True)
    table = sa.token_labels(crowd)
    return {
        "agree": sa.agree(crowd),
        "coefficients": sa.coefficients(table),
        "by label": sa.coefficients_by_label(crowd),
        "alpha_u": sa.alpha_u(crowd),
        "difficulty": sa.difficulty(crowd),
        "levels": sa.evaluate_levels(scored, sa.difficulty(corpus, "gold.conll"), levels=2),
        "batches": sa.batches(crowd, 3),
        "disputes": sa.disputes(crowd),
        "disagreements": sa.disagreements(crowd, "ann", "bob"),
        "confusion": sa.confusion(crowd),
        "document_agreement": sa.document_agreement(crowd),
        "gold": sa.make_gold(crowd),
        "plan": sa.plan_sample(crowd),
        "soft": sa.soft_scores(crowd, systems=["ann"]),
        "chance": sa.chance_test(corpus, scored),
    }


@pytest.mark.long
def test_every_result_that_compares_has_a_verdict(newsroom):
    """The same sentence stands in JSON, in the notebook's table and above the text."""
    for name, result in results(newsroom).items():
        text = result.verdict
        assert text.endswith("."), name
        assert "nan" not in text, name
        assert result.to_dict()["verdict"] == text, name
        assert text in unescape(result._repr_html_()), name
        assert " ".join(str(result).split()).startswith(" ".join(text.split())), name


@pytest.mark.parametrize(
    ("length", "says"),
    [
        (1, "In 2 of 2 documents chance alone gives an F1 of .500 or more, so agreement there"),
        (
            9,
            "In none of 2 documents does chance alone give an F1 of .500 or more; the median difficulty is .889.",
        ),
    ],
)
def test_difficulty(length, says):
    """By hand: one place gives an F1 of 1 by chance, nine give 1/9, in either document."""
    corpus = sa.Corpus.from_segments([length] * 2, {name: [[(0, 1, "X")]] * 2 for name in "ab"})
    assert sa.difficulty(corpus).verdict.startswith(says)


@pytest.mark.long
def test_metrics(newsroom):
    """Flat, finite floats, the same as in the rows; nothing that is undefined."""
    for name, result in results(newsroom).items():
        flat = result.metrics()
        assert all(type(x) is float and math.isfinite(x) for x in flat.values()), name
    scored = results(newsroom)["chance"]
    assert scored.metrics()["tagger.conll/p"] == scored.systems["tagger.conll"].p


def test_command(run, newsroom):
    """The verdict is the first line, of a test if there is one; --quiet leaves it out."""
    files = [newsroom / f"{name}.conll" for name in ("gold", "lexicon", "tagger")]
    _, out, _ = run("evaluate", *files)
    assert out.startswith(
        "By F1 above chance the order is tagger.conll (.614), lexicon.conll (.593)"
    )
    _, quiet, _ = run("evaluate", *files, "--quiet")
    assert out.endswith("\n\n" + quiet)
    _, tested, _ = run("evaluate", *files, "--test", "permutation", "--resamples", 200)
    assert tested.startswith("tagger.conll has the highest F1 above chance (.614), but cannot be")
    assert "By F1 above chance the order" not in tested
    _, data, _ = run("evaluate", *files, "--format", "json")
    assert json.loads(data)["verdict"] == " ".join(out[: out.index("\n\n")].split())


def test_thirty_documents_are_not_few():
    """With fewer than 30 their number is said; from 30 on, how few of them decide."""
    score = Score(0.5, 0.1, 0.4444)
    few, enough = (caveats("a", score, (n, 4, 3), "document") for n in (29, 30))
    assert [each.split(";")[0] for each in few] == ["a: only 29 documents with anything to compare"]
    assert [each.split(";")[0] for each in enough] == [
        "a: only 4 of 30 documents hold any disagreement",
        "a: only 3 of 30 documents hold any agreement",
    ]
    assert caveats("a", score, (0, 0, 0), "document") == []


def test_equals_are_named_together():
    """Nobody is first, and no kind most frequent, where another is equal."""
    two = [[(0, 1, "X"), (3, 4, "X")], [(0, 2, "X")]]
    layers = {"gold": two, "a": [[(0, 1, "X")], []], "b": [[(3, 4, "X")], []]}
    corpus = sa.Corpus.from_segments([9, 4], layers)
    found = sa.evaluate_levels(
        sa.evaluate(corpus, gold="gold"), sa.difficulty(corpus, "gold"), levels=2
    )
    says(found.verdict, "Above chance a and b are first …")
    differ = {"a": [[(0, 1, "X"), (3, 4, "X")]], "b": [[(0, 1, "Y"), (6, 7, "X")]]}
    found = sa.disagreements(sa.Corpus.from_segments([9], differ), "a", "b")
    counts = found.counts
    assert (counts["label"], counts["missed"], counts["spurious"]) == (1, 1, 1)
    says(found.verdict, "… most often of the kinds …, … and … (1 of 3 each).")
