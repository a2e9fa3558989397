"""The verdict: the order by corrected F1, and no more than a test says."""

from __future__ import annotations

import itertools
import json
import math
import re
from html import unescape

import pytest
from messages import says

import spanagree as sa
from spanagree.results import Interval, Score, verdict
from spanagree.results.caveats import write_caveats
from spanagree.results.score import build_undefined_score
from spanagree.results.verdict import join_in_two_sentences, write_score
from spanagree.systems.comparison import Comparison, ComparisonSettings, Difference, SystemPair

SCORES = {
    "a": Score(0.8, 0.1, 0.7778),
    "b": Score(0.9, 0.1, 0.8889),
    "c": build_undefined_score("no gold"),
}


def order(*arguments, **options):
    """The verdict on an order."""
    return join_in_two_sentences(*verdict.write_order(*arguments, **options))


def comparison(scores, differences):
    """The verdict on a comparison, from the difference, its interval and p of each pair."""
    pairs = tuple(
        SystemPair(*names, 9, 9, *[Difference(value, low, high, p, p)] * 2)
        for names, (value, low, high, p) in differences.items()
    )
    settings = ComparisonSettings(
        gold="gold", match="exact", chance="nonoverlapping", test="jackknife", ci="jackknife-t95"
    )
    return Comparison(pairs, settings, scores=scores).verdict


def test_without_a_test_only_the_order_is_named():
    """Nobody is said to be better; what is undefined has no place."""
    text = order(SCORES, "9 texts")
    assert text.startswith("By corrected F1 the order is b (.889), a (.778), on 9 texts.")
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
    equal = sa.evaluate(corpus.select_annotators(["gold", "z", "a"]))
    assert equal.verdict.startswith("By corrected F1 a and z are equal (1.000), on 18 documents")
    told = sa.compare_systems(evaluation, test="permutation").verdict
    assert told.startswith(
        "a and z have the highest corrected F1 (1.000), and are told apart from all others; the"
        " closest is c (difference 1."
    )
    both = sa.compare_systems(equal, test="permutation")
    assert both.verdict == "a and z have the highest corrected F1 (1.000)."
    levels = sa.levels.evaluate_levels(evaluation, sa.difficulty(corpus, "gold"), levels=1)
    assert levels.verdict == evaluation.verdict
    mixed = {**layers, "c": [*documents[:9], *[[(3, 4, "X")]] * 9]}
    corpus = sa.Corpus.from_segments([9] * 9 + [4] * 9, mixed)
    levels = sa.levels.evaluate_levels(sa.evaluate(corpus), sa.difficulty(corpus, "gold"), levels=2)
    assert levels.verdict.startswith(
        "By corrected F1 a and z are first on the easiest documents, a, c and z on the hardest"
    )


def test_what_a_test_says():
    """Those who cannot be told apart are named with the difference; the closest if all can be."""
    assert comparison(SCORES, {("b", "a"): (0.1111, -0.02, 0.24, 0.09)}) == (
        "b has the highest corrected F1 (.889), but cannot be told apart from a"
        " (difference .111, 95 % jackknife CI −.020 to .240)."
    )
    far = comparison(SCORES, {("b", "a"): (0.1111, 0.02, 0.24, 0.01)})
    assert "is told apart from all others; the closest is a" in far


@pytest.mark.parametrize(
    ("score", "text"),
    [
        (Score(1, 1, float("nan"), "chance alone gives 1"), "nothing is left to correct"),
        (build_undefined_score("nothing is marked"), "mine has no F1: nothing is marked."),
    ],
)
def test_undefined(score, text):
    """An undefined figure is said to be so, with its reason."""
    assert text in write_score("mine", score)


def test_documents_left_out():
    """How many documents were compared is said where these are not all."""
    documents = [[(0, 1, "X")], [(1, 2, "X")], [(0, 1, "X")]]
    layers = {"g": documents, "s": [documents[0], None, []]}
    found = sa.evaluate(sa.Corpus.from_segments([3] * 3, layers), gold="g")
    assert found.verdict.endswith(
        "on 2 documents with anything marked; 2 of 3 documents were compared."
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
    assert "It was measured on 3 documents that a person saw too; people" in found.verdict
    assert found.verdict.endswith(", on 4 documents.")
    single = sa.evaluate_references(corpus, ["ann"], systems=["mine"], match="token")
    assert single.verdict.endswith("; one reference alone gives no human agreement.")
    apart = sa.Corpus.from_segments(
        [3] * 2, {"ann": [*seen, None], "bob": [None, *seen], "m": seen * 2}
    )
    found = sa.evaluate_references(apart, systems=["m"])
    assert found.verdict.endswith(
        "; human agreement has no corrected F1: no document that two references saw."
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
        "slices": sa.slices.score_slices(sa.agree(crowd), "([0-3])$"),
        "lengths": sa.slices.score_slices(scored, "length"),
        "coefficients by slice": sa.slices.coefficients_by_slice(crowd, "([0-3])$"),
        "disputes": sa.disputes(crowd),
        "disagreements": sa.disagreements(crowd, "ann", "bob"),
        "confusion": sa.confusion(crowd),
        "document_agreement": sa.document_agreement(crowd),
        "gold": sa.make_gold(crowd),
        "plan": sa.plan_sample(crowd, 0.05),
        "chance": sa.chance_test(corpus, scored),
    }


def sentences(text):
    """Number of sentences of a verdict whose names have no full stop."""
    return len(re.findall(r"[\w)]\.(?= [A-Z\d]|$)", text))


def test_two_sentences_where_much_is_to_be_said():
    """Layers that overlap, miss documents or mark nothing add clauses, not sentences."""
    both, nothing = [(0, 2, "X"), (1, 3, "Y")], []
    layers = {
        "gold": [both] * 9,
        "a": [both] * 8 + [None],
        "b": [[(0, 2, "X")]] * 9,
        "c": [nothing] * 9,
    }
    corpus = sa.Corpus.from_segments([9] * 9, layers)
    evaluation = sa.evaluate(corpus)
    runs = {"r": ["a", "b"]}
    found = {
        "evaluate": evaluation,
        "agree": sa.agree(corpus, ci=sa.Jackknife(over="annotators")),
        "without": sa.agree(corpus, without=["c"]),
        "references": sa.evaluate_references(corpus, systems=["b", "c"]),
        "runs": sa.systems.score_runs(evaluation, runs),
        "compared": sa.compare_systems(evaluation),
        "permuted": sa.compare_systems(evaluation, test="permutation", resamples=99),
        "errors": sa.systems.error_types(evaluation),
        "strategies": sa.systems.strategy_scores(evaluation),
        "worklist": sa.project.worklist(corpus, readers=9, limit=1),
    }
    for name, result in found.items():
        assert 0 < sentences(result.verdict) <= 2, f"{name}: {result.verdict}"
    assert "; chance lets segments of different labels overlap" in evaluation.verdict
    assert " permutation p " in found["permuted"].verdict


@pytest.mark.long
def test_every_result_that_compares_has_a_verdict(newsroom):
    """The same sentence stands in JSON, in the notebook's table and above the text."""
    for name, result in results(newsroom).items():
        text = result.verdict
        assert text.endswith("."), name
        assert sentences(text) <= 2, f"{name}: {text}"
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
    of_plan = {"plan"}  # which has no figures of a run
    for name, result in results(newsroom).items():
        if name in of_plan:
            continue
        flat = result.metrics()
        assert all(type(x) is float and math.isfinite(x) for x in flat.values()), name
    scored = results(newsroom)["chance"]
    assert scored.metrics()["tagger.conll/p"] == scored.systems["tagger.conll"].p


def test_command(run, newsroom):
    """The verdict is the first line, of a test if there is one; --quiet leaves it out."""
    files = [newsroom / f"{name}.conll" for name in ("gold", "lexicon", "tagger")]
    _, out, _ = run("evaluate", *files)
    assert out.startswith("By corrected F1 the order is tagger.conll (.614), lexicon.conll (.593)")
    _, quiet, _ = run("evaluate", *files, "--quiet")
    assert out.endswith("\n\n" + quiet)
    _, tested, _ = run("evaluate", *files, "--test", "permutation", "--resamples", 200)
    assert tested.startswith("tagger.conll has the highest corrected F1 (.614), but cannot be")
    assert "By corrected F1 the order" not in tested
    _, data, _ = run("evaluate", *files, "--format", "json")
    assert json.loads(data)["verdict"] == " ".join(out[: out.index("\n\n")].split())


def test_thirty_documents_are_not_few():
    """With fewer than 30 their number is said; from 30 on, how few of them decide."""
    score = Score(0.5, 0.1, 0.4444)
    few, enough = (write_caveats("a", score, (n, 4, 3), "document") for n in (29, 30))
    assert [each.split(";")[0] for each in few] == ["a: only 29 documents with anything to compare"]
    assert [each.split(";")[0] for each in enough] == [
        "a: only 4 of 30 documents hold any disagreement",
        "a: only 3 of 30 documents hold any agreement",
    ]
    assert write_caveats("a", score, (0, 0, 0), "document") == []
    none = write_caveats("a", score, (60, 60, 0), "sentence")
    assert [each.split(";")[0] for each in none] == ["a: none of 60 sentences holds any agreement"]


def test_equals_are_named_together():
    """Nobody is first, and no kind most frequent, where another is equal."""
    two = [[(0, 1, "X"), (3, 4, "X")], [(0, 2, "X")]]
    layers = {"gold": two, "a": [[(0, 1, "X")], []], "b": [[(3, 4, "X")], []]}
    corpus = sa.Corpus.from_segments([9, 4], layers)
    found = sa.evaluate_levels(
        sa.evaluate(corpus, gold="gold"), sa.difficulty(corpus, "gold"), levels=2
    )
    says(found.verdict, "By corrected F1 a and b are first …")
    differ = {"a": [[(0, 1, "X"), (3, 4, "X")]], "b": [[(0, 1, "Y"), (6, 7, "X")]]}
    found = sa.disagreements(sa.Corpus.from_segments([9], differ), "a", "b")
    counts = found.counts
    assert (counts["label"], counts["missed"], counts["spurious"]) == (1, 1, 1)
    says(found.verdict, "… most often of the kinds …, … and … (1 of 3 each).")


# --- one form, and no more than is shown ------------------------------------------------------------


def test_one_form():
    """F1, chance and the corrected F1 stand beside each other; the last is no difference of the two."""
    score = Score(0.538, 0.054, 0.5116, interval=Interval((0, 1), (0, 1), (0.457, 0.565)))
    assert write_score("The team", score, 95) == (
        "The team: F1 .538; chance alone gives .054; corrected for chance .512"
        " (95 % CI .457 to .565)."
    )


ONE, NONE = [[(0, 1, "X")], [(1, 2, "X")]], [[], []]


def test_nothing_marked():
    """Of who marked nothing the verdict says that, whatever is compared; of others it does not."""
    layers = {"gold": ONE, "empty": NONE, "mine": ONE}
    corpus = sa.Corpus.from_segments([5, 5], layers)
    alone = sa.evaluate(corpus.select_annotators(["gold", "empty"]), p_values=True)
    assert alone.verdict == "empty marked nothing, on 2 documents with anything marked."
    both = sa.evaluate(corpus)
    for found in (both, sa.compare_systems(both), sa.chance_test(corpus, both), sa.agree(corpus)):
        assert found.verdict.endswith(" empty marked nothing."), found.verdict
    assert "mine marked nothing" not in both.verdict
    people = corpus.select_annotators(["gold", "mine", "empty"])
    found = sa.evaluate_references(people, systems=["empty"])
    assert found.verdict.startswith("empty marked nothing, on 2 documents that a person saw too.")
    backwards = sa.evaluate(corpus, gold="empty").verdict
    assert backwards.endswith(" empty marked nothing.")
    assert sa.evaluate(corpus.select_annotators(["gold", "mine"])).verdict.count("nothing") == 0


def test_the_commands_of_nothing_marked(run, tmp_path):
    """The test against chance, and the paragraph of a paper, say that nothing was marked."""
    gold, empty = tmp_path / "gold.conll", tmp_path / "empty.conll"
    gold.write_text("a\tB-X\nb\tO\n\na\tO\nb\tB-X\n", "utf-8")
    empty.write_text("a\tO\nb\tO\n\na\tO\nb\tO\n", "utf-8")
    _, out, _ = run("evaluate", gold, empty, "--test", "chance")
    assert "empty.conll marked nothing." in " ".join(out.split())
    path = tmp_path / "result.json"
    run("evaluate", gold, empty, "--format", "json", "-o", path)
    _, out, _ = run("cite", path, "--results")
    assert out.startswith("empty.conll marked nothing,")


def several(newsroom):
    """Three systems of the corpus."""
    names = ("gold", "lexicon", "tagger", "chunker")
    return sa.evaluate(sa.read([newsroom / f"{name}.conll" for name in names]))


def test_several_systems(newsroom):
    """The decision is adjusted for all pairs, so p is, too; pairs that differ are named."""
    found = sa.compare_systems(several(newsroom), test="permutation", resamples=2000)
    p = {(x.a, x.b): verdict.write_p(x.corrected.p_adjusted) for x in found.pairs}
    lexicon, tagger, chunker = (f"{name}.conll" for name in ("lexicon", "tagger", "chunker"))
    assert p[lexicon, tagger] != verdict.write_p(found[lexicon, chunker].corrected.p)
    assert found.verdict == (
        f"{tagger} has the highest corrected F1 (.614), but cannot be told apart from {lexicon}"
        f" (difference .021, permutation p {p[lexicon, tagger]}). {tagger} is better than {chunker},"
        f" p {p[tagger, chunker]}; {lexicon} is better than {chunker}, p {p[lexicon, chunker]}"
        " (each p adjusted for 3 pairs, Holm)."
    )


def test_pairs_behind_the_first():
    """Where the first is told apart from all others, pairs of these are named; of many the first."""
    names = [f"s{i}" for i in range(6)]
    scores = {name: Score(0.9 - i / 10, 0, 0.9 - i / 10) for i, name in enumerate(names)}
    differences = {
        (names[i], names[j]): (0.1 * (j - i), math.nan, math.nan, 0.0312 if i else 0.0004)
        for i, j in itertools.combinations(range(6), 2)
    }
    assert comparison(scores, differences) == (
        "s0 has the highest corrected F1 (.900), and is told apart from all others; the closest is"
        " s1 (difference .100, jackknife p < .001). s1 is better than s2, p .031; s1 is better than s3, p .031;"
        " s1 is better than s4, p .031; s1 is better than s5, p .031; s2 is better than s3, p .031;"
        " and 5 more pairs differ (each p multiplied by 15 pairs)."
    )


def test_the_interval_of_two_systems():
    """Of two systems the verdict gives the interval of their difference, and no p."""
    found = sa.compare_systems(
        sa.evaluate(sa.Corpus.from_segments([9] * 40, {
            "gold": [[(0, 1, "X")]] * 40,
            "a": [[(0, 1, "X")]] * 40,
            "b": [[(0, 1, "X")]] * 20 + [[(2, 3, "X")]] * 20,
        })),
    )  # fmt: skip
    (pair,) = found.pairs
    ends = verdict.write_interval(pair.corrected.low, pair.corrected.high, 95, "jackknife")
    assert found.verdict.endswith(
        f"(difference {verdict.format_short(pair.corrected.value)}, {ends})."
    )


def test_not_above_chance():
    """A system that is no better than chance is named with its p, and not with that of a rule."""
    layers = {"gold": ONE, "good": ONE, "worse": [[(2, 3, "X")], [(3, 4, "X")]]}
    corpus = sa.Corpus.from_segments([40, 40], layers)
    found = sa.chance_test(corpus, sa.evaluate(corpus))
    assert found.systems["worse"].p_holm == 1
    assert found.systems["good"].p_holm == pytest.approx(2 / 40**2)
    assert found.verdict == (
        "Above chance: good (p .001). Not shown to be above chance: worse (p 1.000)"
        " (each p adjusted for 2 systems, Holm)."
    )
    two = corpus.select_annotators(["gold", "worse"])
    alone = sa.chance_test(two, sa.evaluate(two))
    assert alone.verdict == "worse is not shown to be above chance, p 1.000."


def test_a_plan_has_a_range(crowd):
    """The number of documents needed stands beside the range that its degrees of freedom give."""
    plan = sa.plan_sample(crowd, 0.05)
    enough, low, high = plan.needed(2)
    assert low < enough < high
    assert f"needs {enough} documents ({low} to {high}) with 2 annotators each" in plan.verdict


def test_highest_and_lowest():
    """The highest and the lowest label have their intervals; without these, --ci is named."""
    values, ends = {"PER": 0.8, "LOC": 0.5}, {"PER": (0.7, 0.9), "LOC": (0.25, 0.75)}
    assert verdict.write_extremes(values, "label", "it", ends, 95) == (
        "By label it is highest for PER (.800, 95 % CI .700 to .900) and lowest for LOC"
        " (.500, 95 % CI .250 to .750); no test was made."
    )
    assert verdict.write_extremes(values, "label").endswith(" (.500); no test was made: add --ci.")


@pytest.mark.parametrize("measure", [sa.alpha_u, sa.labels.coefficients_by_label])
def test_labels_with_intervals(crowd, measure):
    """With intervals, those of the labels stand in the verdict; the figures are the result's own."""
    found = measure(crowd, ci=sa.Jackknife())
    labels = found.labels if measure is sa.alpha_u else {k: x.alpha for k, x in found.items()}
    values = {label: x.value for label, x in labels.items()}
    for label in (max(values, key=values.get), min(values, key=values.get)):
        low, high = map(verdict.format_short, labels[label].interval.corrected)
        shown = f"{label} ({verdict.format_short(values[label])}, 95 % CI {low} to {high})"
        assert shown in found.verdict


def test_nothing_to_correct_is_not_unstable():
    """Where chance gives all, nothing is corrected, so nothing corrected is unstable."""
    full = sa.Corpus.from_segments([1] * 40, dict.fromkeys(("gold", "mine"), [[(0, 1, "X")]] * 40))
    found = sa.evaluate(full)
    assert math.isnan(found.systems["mine"].f1.corrected)
    assert not any("unstable" in caveat for caveat in found.caveats)
    half = Score(0.9, 0.8, 0.5)
    assert any("unstable" in x for x in write_caveats("a", half, (100, 30, 90), "document"))


def test_gold_is_no_annotator(newsroom, crowd):
    """The layer that is called gold is named, and not counted among annotators."""
    files = [newsroom / f"{name}.conll" for name in ("gold", "lexicon", "tagger")]
    found = sa.project.disputes(sa.read(files))
    assert found.verdict.endswith(" of all disagreements of annotators with gold.conll.")
    assert found.table().caption.startswith("gold.conll and 2 annotators: ")
    assert sa.project.disputes(crowd).table().caption.startswith("5 annotators: ")
    row = found.to_rows("document")[0]
    assert row["annotators"] == 3  # the key and the number stay: all who saw it
