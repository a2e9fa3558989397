"""Parts of a corpus: every value is that of the whole, in any cut, order and executor."""

from __future__ import annotations

import functools
import json
import os
import re
import subprocess
import sys
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses
from strategies import PAIRS, at_most, crowds
from whole_and_parts import cut, everything, near, random_team, texts

import spanagree as sa
from spanagree.agreement.compared_annotators import ComparedAnnotators
from spanagree.choices import Test, list_names
from spanagree.references.baselines import with_baselines
from spanagree.systems.compared_systems import ComparedSystems

FEW = sa.Jackknife()


def fewer_layers(part, random, keep=()):
    """The part without the layers that saw nothing in it, the others in any order."""
    names = [n for n, x in part.layers.items() if x.annotated.any() or n in keep]
    random.shuffle(names)
    return part.select_annotators(names)


def given_back(corpus):
    return corpus


def calls(parts):
    """The same parts, each read by whoever compares it."""
    return [functools.partial(given_back, part) for part in parts]


class Late(Executor):
    """Does its work only when it is asked for a result, the last call first."""

    def __init__(self):
        self.waiting = []

    def submit(self, function, *arguments):
        future = Future()
        self.waiting.append((future, function, arguments))
        if len(self.waiting) > 3:
            self._work()
        return future

    def _work(self):
        while self.waiting:
            future, function, arguments = self.waiting.pop()
            future.set_result(function(*arguments))

    def finished(self, parts):
        yield from parts
        self._work()


# --- the whole's values ---------------------------------------------------------------------------


@at_most(50)
@given(crowds(), st.sampled_from(PAIRS), st.booleans(), st.randoms(use_true_random=False))
def test_evaluations(crowd, how, has_ids, random):
    """Oracle: the whole corpus, bit by bit: figures, labels, documents, intervals, notes."""
    corpus = sa.Corpus.from_segments(*crowd)
    corpus = corpus.with_ids() if has_ids else corpus
    ask = {"match": how[0], "chance": how[1], "ci": FEW}
    whole = everything(sa.evaluate(corpus, **ask))
    parts = cut(corpus, random)
    assert everything(sa.evaluate(parts, **ask)) == whole
    late = Late()
    assert everything(sa.evaluate(late.finished(calls(parts)), executor=late, **ask)) == whole
    turned = [fewer_layers(part, random) for part in parts]
    if corpus.annotators == tuple(dict.fromkeys(n for p in turned for n in p.annotators)):
        assert everything(sa.evaluate(turned, corpus.annotators[0], **ask)) == whole


@pytest.mark.parametrize("match", ["partial", "iou", "exact"])
def test_parts_without_gold(match):
    """What is matched is 0.0 of parts, as of the whole, where the measure is no count."""
    whole = sa.Corpus.from_segments([1, 1], {"ann": [[], None], "bob": [None, []]})
    parts = [
        whole.subset([number]).select_annotators([name])
        for number, name in enumerate(("ann", "bob"))
    ]
    for by in (None, "label", "document"):
        asked = sa.evaluate(whole, "ann", match=match).to_dict(by)
        assert json.dumps(sa.evaluate(parts, "ann", match=match).to_dict(by)) == json.dumps(asked)


@at_most(40)
@given(crowds(), st.sampled_from(PAIRS), st.randoms(use_true_random=False))
def test_agreements(crowd, how, random):
    """Oracle: the whole corpus, bit by bit, also where parts lack annotators or order them anew."""
    corpus = sa.Corpus.from_segments(*crowd)
    for over in ("documents", "annotators"):
        ci = sa.Jackknife(over=over)
        ask = {"match": how[0], "chance": how[1], "ci": ci}
        parts = cut(corpus, random)
        assert everything(sa.agree(parts, **ask)) == everything(sa.agree(corpus, **ask))
    turned = [fewer_layers(part, random) for part in parts]
    names = tuple(dict.fromkeys(n for p in turned for n in p.annotators))
    ask = {"match": how[0], "chance": how[1]}
    if len(names) > 1:
        near(sa.agree(corpus.select_annotators(names), **ask), sa.agree(turned, **ask))
    chosen = [*corpus.annotators[:2]]
    random.shuffle(chosen)
    one = sa.agree(corpus, annotators=chosen, **ask)
    assert everything(sa.agree(parts, annotators=chosen, **ask)) == everything(one)


@at_most(50)
@given(crowds(), st.booleans(), st.randoms(use_true_random=False))
def test_labels_of_tokens(crowd, skip_outside, random):
    """Oracle: the table of the whole corpus, item by item, and its coefficients with intervals."""
    corpus = sa.Corpus.from_segments(*crowd)
    one = sa.token_labels(corpus, skip_outside=skip_outside)
    parts = cut(corpus, random)
    other = sa.token_labels(parts, skip_outside=skip_outside)
    for name in ("item", "label", "annotator", "number", "documents"):
        assert getattr(one, name).tolist() == getattr(other, name).tolist()
    assert (one.size, one.annotators, one.items) == (other.size, other.annotators, other.items)
    if {label for part in parts for label in part.labels} == {*corpus.labels}:
        whole = sa.coefficients(one, ci=FEW)
        assert everything(sa.coefficients(other, ci=FEW)) == everything(whole)


@at_most(40)
@given(crowds(), st.sampled_from(PAIRS), st.randoms(use_true_random=False))
def test_difficulties_and_units(crowd, how, random):
    """Oracle: the whole corpus."""
    corpus, ask = sa.Corpus.from_segments(*crowd), {"match": how[0], "chance": how[1]}
    parts = cut(corpus, random)
    assert everything(sa.difficulty(parts, **ask)) == everything(sa.difficulty(corpus, **ask))
    whole = sa.alpha_u(corpus, pairs=True, ci=FEW)
    assert everything(sa.alpha_u(parts, pairs=True, ci=FEW)) == everything(whole)


@pytest.fixture(scope="module")
def newsroom_parts(newsroom):
    """The newsroom corpus, whole and in parts of 17 sentences."""
    names = ("gold", "lexicon", "tagger", "chunker")
    corpus = sa.read_conll({n: newsroom / f"{n}.conll" for n in names}, scheme="IOB2")
    plain = {key: x for key, x in corpus.reading.items() if key != "ill_formed"}  # counts of all
    corpus = corpus.replace(reading=plain)
    return corpus, [corpus.subset(range(at, min(at + 17, 103))) for at in range(0, 103, 17)]


@pytest.mark.long
def test_tests_and_p_values(newsroom_parts):
    """Oracle: the whole corpus: p values of documents, both tests, and the test against chance."""
    corpus, parts = newsroom_parts
    one, other = (sa.evaluate(source, "gold", p_values=True) for source in (corpus, parts))
    assert everything(one) == everything(other)
    for test in list_names(Test):
        ask = {"test": test, "resamples": 19, "seed": 4}
        assert everything(sa.compare_systems(one, **ask)) == everything(
            sa.compare_systems(other, **ask)
        )
    chance = [sa.systems.chance_test(corpus, result).to_dict() for result in (one, other)]
    assert chance[0] == chance[1]
    team = [everything(sa.agree(source, p_values=True)) for source in (corpus, parts)]
    assert team[0] == team[1]
    fewer = [everything(result.over(np.arange(40))) for result in (one, other)]
    assert fewer[0] == fewer[1]


@pytest.mark.long
@pytest.mark.parametrize("kind", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_executors(newsroom_parts, kind):
    """Threads and processes give the bits of the whole; functions are called by the workers."""
    corpus, parts = newsroom_parts
    ask = {"gold": "gold", "match": "iou", "ci": FEW}
    whole = everything(sa.evaluate(corpus, **ask))
    with kind(2) as executor:
        assert everything(sa.evaluate(parts, executor=executor, **ask)) == whole
        found = sa.agree(calls(parts), executor=executor, places="capitals")
        assert everything(found) == everything(sa.agree(corpus, places="capitals"))
        labels = sa.token_labels(calls(parts), executor=executor)
        assert labels.item.tolist() == sa.token_labels(corpus).item.tolist()


# --- what belongs to the whole --------------------------------------------------------------------


def parts_of(corpus):
    return [corpus.subset([d]) for d in range(len(corpus))]


def test_counts_of_reading_add():
    """Quotes and ill-formed tags that readers counted in single parts add, by hand."""

    def quotes(name, number, lost):
        spans = [{"text": "Al" if i < lost else "Jo", "label": "X"} for i in range(number)]
        rows = [
            {"id": f"{name}-{i}", "text": "Jo is there.", "gold": [], "mine": [span]}
            for i, span in enumerate(spans)
        ]
        return sa.read(rows)

    result = sa.evaluate([quotes("one", 4, 2), quotes("two", 3, 1), quotes("three", 2, 0)], "gold")
    assert result.settings["quotes"]["mine"] == {"read": 9, "unaligned": 3}
    assert "3 of 9 quotes are not in the text" in result.verdict
    tags = [
        sa.from_tags({"gold": [["B-X", "O", "I-X"]] * n, "mine": [["O"] * 3] * n}) for n in (2, 3)
    ]
    kinds = [part.reading["ill_formed"]["gold"] for part in tags]
    assert {*kinds[0].values()} == {2}
    found = sa.evaluate(tags, "gold").settings["ill_formed"]["gold"]
    assert found == dict.fromkeys(kinds[0], 5)


@pytest.mark.parametrize("match", ["exact", "token", "overlap"])
@pytest.mark.parametrize("places", ["capitals", "words", "X=letters", str.isupper])
def test_places(match, places):
    """A part in which no token has the property is a part; oracle: the whole."""
    strings = ["Jo met Al", "nobody came in", "to Rome"]
    layers = {
        "a": [[(0, 2, "X"), (7, 9, "X")], [(0, 6, "X")], [(3, 7, "Y")]],
        "b": [[(0, 2, "X")], [(7, 11, "X")], [(3, 7, "Y")]],
    }
    corpus = texts(strings, layers)
    ask = {"places": places, "match": match}
    for call in (sa.evaluate, sa.agree, sa.difficulty):
        whole = call(corpus, **ask)
        assert everything(call(parts_of(corpus), **ask)) == everything(whole)
    p_values = {**ask, "p_values": True}
    if match != "overlap":
        assert everything(sa.evaluate(parts_of(corpus), **p_values)) == everything(
            sa.evaluate(corpus, **p_values)
        )


def test_places_that_no_part_has():
    """Then it is refused, as of the whole; also a label that none has, and rules of documents."""
    corpus = texts(["jo", "al"], {"a": [[(0, 2, "X")], []], "b": [[], []]})
    for source in (corpus, parts_of(corpus)):
        with refuses(sa.InputError, "places capitals: no token has it"):
            sa.evaluate(source, places="capitals")
        with refuses(sa.SettingError, "places Z=letters: no segment has the label 'Z'"):
            sa.agree(source, places="Z=letters")
    rules = [{"name": "site", "ok": [1, 1]}] * 2
    with refuses(sa.SettingError, "places: a list with a rule for each document needs one corpus"):
        sa.evaluate(parts_of(corpus), places=rules)


def test_a_rule_that_would_fit():
    """The note that words would fit is about the whole: .95 of all ends, not of those of a part."""
    words = texts(
        ["one two three four five six"] * 2, {n: [[(0, 3, "X"), (4, 7, "X")]] * 2 for n in "ab"}
    )
    odd = texts(["odd"], {n: [[(1, 2, "X")]] for n in "ab"})
    for parts in ([words, odd], [odd, odd], [words, words]):
        whole = sa.Corpus.from_segments(
            [n for p in parts for n in p.lengths.tolist()],
            {n: [[tuple(s) for s in d.segments[n]] for p in parts for d in p] for n in "ab"},
            offsets="characters",
            texts=[text for p in parts for text in p.texts],
        )
        assert sa.agree(parts).notes == sa.agree(whole).notes
        assert any("edges of words" in note for note in sa.agree(parts).notes) == (odd not in parts)


def test_an_attribute_that_one_part_has():
    """Segments of the others have none, as in the whole; none at all is refused."""
    layers = {
        "a": [[(0, 2, "X", {"neg": "no"})], [(1, 3, "X")], [(0, 1, "Y")]],
        "b": [[(0, 2, "X", {"neg": "yes"})], [(1, 3, "X")], [(0, 1, "Y")]],
    }
    corpus = sa.Corpus.from_segments([5, 5, 5], layers)
    for call in (sa.evaluate, sa.agree):
        whole = everything(call(corpus, attribute="neg"))
        assert everything(call(parts_of(corpus), attribute="neg")) == whole
        with refuses(sa.SettingError, "… attribute 'zed'"):
            call(parts_of(corpus), attribute="zed")


def linked(directed=(True, True)):
    """Relations in two of three documents; the last may have no direction there."""
    layers = {n: [[(0, 1, "D"), (2, 3, "E")], [(1, 2, "D"), (3, 4, "E")], []] for n in "ab"}
    links = {
        "a": [[(0, 1, "r", directed[0])], [(0, 1, "r", directed[1])], []],
        "b": [[(1, 0, "r", directed[0])], [(1, 0, "r", directed[1])], []],
    }
    return sa.Corpus.from_segments([6, 6, 6], layers, relations=links, ids=list("xyz"))


@pytest.mark.parametrize("directed", [(True, True), (True, False), (False, True)])
@pytest.mark.parametrize("how", [{}, {"pairs": "all"}, {"untyped": True}, {"undirected": ["r"]}])
def test_relations(directed, how):
    """A part without any is a part; a label without a direction in one has none in all."""
    corpus = linked(directed)
    for call in (sa.evaluate, sa.agree):
        whole = call(corpus, what="relations", **how)
        found = call(parts_of(corpus), what="relations", **how)
        assert everything(found) == everything(whole)
    found = sa.evaluate(parts_of(corpus), what="relations", p_values=True, **how)
    whole = sa.evaluate(corpus, what="relations", p_values=True, **how)
    assert everything(found) == everything(whole)


def test_relations_that_no_part_has():
    """They are refused, as is an undirected label, as of the whole."""
    corpus = linked()
    for source in (corpus, parts_of(corpus)):
        with refuses(sa.SettingError, "undirected 'q'; the relations are called r"):
            sa.evaluate(source, what="relations", undirected=["q"])
        with refuses(sa.SettingError, "no attributes in the files"):
            sa.agree(source, what="attributes")


def test_pieces():
    """Hulls move together where some part has a segment of several pieces; oracle: the whole."""
    layers = {
        "a": [[([(0, 1), (3, 4)], "X")], [(0, 2, "X"), (1, 4, "Y")], [(2, 3, "X")]],
        "b": [[([(0, 1), (3, 4)], "X")], [(0, 2, "X")], [(1, 3, "X")]],
    }
    corpus = sa.Corpus.from_segments([7, 7, 7], layers)
    for call in (sa.evaluate, sa.agree):
        for ask in ({}, {"match": "token"}, {"chance": "overlapping"}):
            whole = everything(call(corpus, **ask))
            fitting = parts_of(corpus) if ask else [corpus.subset([0, 1]), corpus.subset([2])]
            if ask != {"match": "token"}:
                assert everything(call(fitting, **ask)) == whole
        tokens = corpus.replace(tokens=("a",) * 21)
        for source in (tokens, [tokens.subset([2]), tokens.subset([0])]):
            with refuses(sa.SettingError, "… segments of several pieces"):
                call(source, places="letters")


def recording(ends, offsets, n=40):
    layers = {"a": [[(0, end, "X")] for end in ends], "b": [[(1, end, "X")] for end in ends]}
    return sa.Corpus.from_segments([n] * len(ends), layers, offsets=offsets)


@pytest.mark.parametrize("ask", [{}, {"match": "iou"}, {"tolerance": 0.01}])
def test_recordings(ask):
    """Parts in several units of time are counted in the finest, in which the whole is read."""
    coarse, fine = recording([10, 20], "100ms"), recording([105], "10ms", 400)
    whole = sa.Corpus.from_segments(
        [400, 400, 400],
        {
            "a": [[(0, 100, "X")], [(0, 200, "X")], [(0, 105, "X")]],
            "b": [[(10, 100, "X")], [(10, 200, "X")], [(1, 105, "X")]],
        },
        offsets="10ms",
    )
    ask = {**ask, "tolerance": 0.1} if "tolerance" in ask else ask
    for call in (sa.evaluate, sa.agree):
        assert everything(call([coarse, fine], **ask)) == everything(call(whole, **ask))
    with refuses(sa.InputError, "part 2: offsets 'tokens'"):
        sa.agree([coarse, recording([3], "tokens")])


def test_joined_texts():
    """Texts that documents were joined of are resampled over parts too; oracle: the whole."""
    layers = {
        n: [[(0, 2, "X")], [(1, 3, "X")] if n == "a" else [], [(0, 1, "Y")], []] for n in "abcd"
    }
    corpus = sa.Corpus.from_segments([5, 4, 5, 4], layers, ids=["s-1", "s-2", "t-1", "t-2"])
    corpus = corpus.grouped_by("(.*)-", joined=True)
    ask = {"ci": sa.Jackknife(cluster_by="text")}
    for call in (sa.evaluate, sa.agree):
        assert everything(call(parts_of(corpus), **ask)) == everything(call(corpus, **ask))


def test_wholes():
    """Whole documents of sentences are drawn over parts, each of which numbers its own."""
    layers = {
        n: [[(0, 2, "X")], [(1, 3, "X")] if n == "a" else [], [(0, 1, "Y")], []] for n in "ab"
    }
    corpus = sa.Corpus.from_segments([5, 4, 5, 4], layers, ids=["s-1", "s-2", "t-1", "t-2"])
    corpus = corpus.grouped_by("(.*)-")
    parts = [corpus.subset([0, 1]), corpus.subset([2, 3])]
    parts[1] = parts[1].replace(parent_ids=np.array([0, 0]))  # as its file alone numbers it
    ask = {"ci": sa.Jackknife(cluster_by="document")}
    for call in (sa.evaluate, sa.agree):
        assert everything(call(parts, **ask)) == everything(call(corpus, **ask))
    one, other = (sa.coefficients(sa.token_labels(x), **ask) for x in (corpus, parts))
    assert everything(one) == everything(other)


def test_a_random_baseline():
    """Its mean over many draws is of the whole, as draws depend on all documents."""
    layers = {n: [[(0, 2, "X"), (3, 4, "Y")], [(1, 3, "X")], []] for n in ("gold", "mine")}
    corpus = sa.Corpus.from_segments([9, 8, 7], layers)
    drawn = with_baselines(corpus, ["random"], references=["gold"])
    assert everything(sa.evaluate(parts_of(drawn))) == everything(sa.evaluate(drawn))


def test_systems_that_are_said_to_have_seen():
    """Where a source does not say what a system saw, it saw what gold did, in each part."""
    layers = {"gold": [[(0, 2, "X")], [(1, 2, "X")], []], "mine": [[(0, 2, "X")], None, None]}
    corpus = sa.Corpus.from_segments([5, 5, 5], layers).replace(seen_unknown=("mine",))
    whole = sa.evaluate(corpus)
    assert whole.systems["mine"].documents == 3
    parts = [corpus.subset([0]), corpus.subset([1]).select_annotators(["gold"]), corpus.subset([2])]
    for some in (parts_of(corpus), parts):
        assert everything(sa.evaluate(some)) == everything(whole)


def test_gold_is_the_first_of_the_whole():
    """Another order in a part makes no other gold; a layer may be missing in a part."""
    one = sa.Corpus.from_segments([4], {"gold": [[(0, 1, "X")]], "sys": [[(0, 1, "X")]]}, ids=["1"])
    two = sa.Corpus.from_segments([4], {"sys": [[(0, 1, "X")]], "gold": [[]]}, ids=["2"])
    three = sa.Corpus.from_segments([4], {"sys": [[]]}, ids=["3"])
    for gold in (None, "gold"):
        result = sa.evaluate([one, two, three], gold)
        assert result.settings["gold"] == "gold"
        tally = result.systems["sys"].tally
        assert (tally.matched, tally.size_a, tally.size_b, result.documents) == (1, 1, 2, 3)
    with refuses(sa.SettingError, "unknown gold 'x'; allowed: gold, sys"):
        sa.evaluate([one, two], "x")
    with refuses(sa.SettingError, "1 annotator in the corpus"):
        sa.evaluate([three, three.replace(ids=("4",))])
    with refuses(sa.SettingError, "unknown annotator 'x'; allowed: gold, sys"):
        sa.agree([one, two], annotators=["gold", "x"])


def test_labels_are_joined_by_name():
    """Parts may have other labels; each has its own figures over all parts; counted by hand."""
    one = sa.Corpus.from_segments([5], {"g": [[(0, 1, "X")]], "s": [[(0, 1, "X")]]})
    other = sa.Corpus.from_segments([5], {"g": [[(0, 1, "Y")]], "s": [[(1, 2, "A")]]})
    labels = sa.evaluate([one, other]).systems["s"].labels
    assert {name: tally.f1.observed for name, tally in labels.items()} == {"A": 0, "X": 1, "Y": 0}


def test_a_pair_is_one_pair():
    """In whatever order parts name the two; counted by hand."""
    one = sa.Corpus.from_segments([2], {"ann": [[(0, 1, "X")]], "bob": [[]]}, ids=["1"])
    two = sa.Corpus.from_segments([3], {"bob": [[(0, 1, "X")]], "ann": [[(0, 1, "X")]]}, ids=["2"])
    for parts in ([one, two], [two, one]):
        (pair,) = sa.agree(parts).pairs.values()
        assert (pair.documents, pair.tally.matched) == (2, 1)
        sizes = {pair.a: pair.tally.size_a, pair.b: pair.tally.size_b}
        assert sizes == {"ann": 2, "bob": 1}


@pytest.mark.long
@pytest.mark.parametrize("match", ["exact", "token", "iou"])
def test_crowds(match):
    """Sums of crowded documents are joined; oracle: the whole corpus, to the last bits of sums."""
    corpus = random_team(3, 20, 14)
    parts = [corpus.subset(range(at, at + 4)) for at in range(0, 20, 4)]
    parts[2] = parts[2].select_annotators(corpus.annotators[:8])  # which is no crowd
    corpus = sa.Corpus.from_segments(
        corpus.lengths.tolist(),
        {
            n: [
                None if s is None or (8 <= d < 12 and int(n[1:]) >= 8) else [tuple(x) for x in s]
                for d, s in enumerate(document.segments[n] for document in corpus)
            ]
            for n in corpus.annotators
        },
        ids=corpus.ids,
    )
    for over in ("documents", "annotators"):
        ask = {"match": match, "ci": sa.Jackknife(over=over)}
        near(sa.agree(corpus, **ask), sa.agree(parts, **ask))


# --- what goes wrong ------------------------------------------------------------------------------


def broken():
    raise sa.InputError("shard-3.conll:7: unknown tag 'x'")


def wrong():
    raise KeyError("tokens")


def dies():
    os._exit(1)


NO_CORPUS = (
    "a corpus is needed, or a function that returns one; tag lists become one by"
    " spanagree.from_tags({'ann': …, 'bob': …})"
)


def test_a_part_that_fails(newsroom_parts):
    """It is named, whatever a worker raises in it; nothing is left out."""
    _, parts = newsroom_parts
    for part, said in (
        (broken, "part 2: shard-3.conll:7: unknown tag 'x'"),
        (lambda: 3, f"part 2: int; {NO_CORPUS}"),
        ("x", f"part 2: str; {NO_CORPUS}"),
    ):
        for call in (sa.evaluate, sa.agree, sa.token_labels, sa.difficulty, sa.alpha_u):
            with refuses(sa.InputError, said):
                call([parts[0], part])
    with ThreadPoolExecutor(1) as executor, refuses(sa.InputError, "part 1: KeyError: 'tokens'"):
        sa.evaluate([wrong], executor=executor)
    with refuses(sa.InputError, "no part of a corpus … iterator … once"):
        sa.evaluate([])
    overlapping = sa.Corpus.from_segments([9], {"a": [[(0, 3, "X"), (1, 4, "X")]], "b": [[]]})
    with refuses(sa.SettingError, "part 2: annotator 'a', document '1': segments"):
        sa.evaluate([overlapping.select_annotators(["b"]), overlapping], chance="nonoverlapping")


def test_an_executor_that_dies(newsroom_parts):
    """A worker that dies, or an executor that is shut, is an error, and no partial result."""
    corpus, parts = newsroom_parts
    with (
        ProcessPoolExecutor(1) as executor,
        pytest.raises(sa.SettingError, match="the executor died: "),
    ):
        sa.evaluate([parts[0], dies], gold="gold", executor=executor)
    executor = ThreadPoolExecutor(1)
    executor.shutdown()
    with pytest.raises(sa.SettingError, match="the executor died: RuntimeError: cannot schedule"):
        sa.evaluate(parts, gold="gold", executor=executor)
    with refuses(sa.SettingError, "… executor 3 … concurrent.futures.Executor"):
        sa.evaluate(parts, gold="gold", executor=3)
    for call in (sa.evaluate, sa.agree, sa.token_labels, sa.difficulty, sa.alpha_u):
        with refuses(sa.SettingError, "executor: for parts of a corpus"):
            call(corpus, executor=executor)


def test_parts_that_do_not_belong_together(newsroom_parts):
    """Other settings are refused, naming both; unknown choices before any part is read."""
    corpus, parts = newsroom_parts
    characters = sa.Corpus.from_segments(
        [9], {n: [[]] for n in corpus.annotators}, offsets="characters"
    )
    with refuses(sa.InputError, "part 2: format None … 'conll'"):
        sa.evaluate([parts[0], characters], gold="gold")
    with refuses(sa.InputError, "… 3; a corpus, or parts of one"):
        sa.evaluate(3)
    with refuses(sa.InputError, "part 1 has ids of documents, part 2 has none"):
        sa.agree([parts[0].with_ids(), parts[1]])
    for call in (sa.evaluate, sa.agree):
        for ask, said in (
            ({"chance": "x"}, "unknown chance 'x'; allowed"),
            ({"match": "x"}, "unknown match 'x'; allowed"),
            ({"what": "x"}, "unknown what 'x'; allowed"),
            ({"pairs": "all"}, "pairs is for what relations"),
        ):
            with pytest.raises(sa.SettingError, match=f"^{said}"):
                call([broken], **ask)


CALLS = [sa.evaluate, sa.agree, sa.difficulty, sa.token_labels, sa.alpha_u]


@pytest.mark.parametrize("call", CALLS)
def test_documents_that_come_twice(call):
    """A document whose id is in two parts is refused, with the names of parts that have one."""
    part = sa.Corpus.from_segments([5, 4], {"g": [[], []], "s": [[], []]}, ids=["x", "y"])
    other = sa.Corpus.from_segments([5, 4], {"g": [[], []], "s": [[], []]}, ids=["z", "y"])
    apart = sa.Corpus.from_segments([5], {"g": [[]], "s": [[]]}, ids=["a"])
    for parts, said in (
        ([part, part], "document 1 of part 1 and document 1 of part 2 … the same id … 1 more"),
        ([part, apart, other], "document 2 of part 1 and document 2 of part 3 … the same id"),
    ):
        for executor in (None, ThreadPoolExecutor(1)):
            with refuses(sa.InputError, said + " … id of its own"):
                call(parts, executor=executor)


def test_taken_as_needed(newsroom_parts):
    """Parts are taken from an iterable one by one, and progress is told; a bug in it is the user's."""
    _, parts = newsroom_parts
    alive, told = [], []

    def source():
        for part in parts * 3:
            alive.append(part)
            assert len(alive) - len(told) <= 9
            yield part.replace(ids=tuple(f"{len(alive)}-{d}" for d in range(len(part))))

    class Counting(Executor):
        def submit(self, function, *arguments):
            future = Future()
            future.set_result(function(*arguments))
            return future

    ask = {"executor": Counting(), "progress": lambda done, _: told.append(done)}
    sa.evaluate(source(), gold="gold", **ask)
    assert told == list(range(1, 3 * len(parts) + 1))

    def failing():
        yield parts[0]
        raise RuntimeError("my own bug")

    with ThreadPoolExecutor(1) as executor, pytest.raises(RuntimeError, match=r"^my own bug$"):
        sa.evaluate(failing(), executor=executor)


def test_notes_are_said_once():
    """Notes of parts that are equal are one; those of files begin with the file's name."""
    part = sa.Corpus.from_segments([5, 5], {"g": [[], []], "s": [[], None]})
    noted = part.replace(notes=("odd",))
    notes = sa.evaluate([noted] * 30).notes
    assert notes == ("odd", "s: 30 of 60 documents not shared with gold, left out")


def test_rows_hold_no_text(newsroom_parts):
    """The rows of a result have no text and no token, and are those that its figures sum."""
    corpus, parts = newsroom_parts
    for source in (corpus, parts):
        rows = sa.evaluate(source, "gold").rows
        assert isinstance(rows, ComparedSystems)
        assert rows.rows.comparisons.total().matched == sum(
            system.tally.matched for system in sa.evaluate(corpus, "gold").systems.values()
        )
        assert isinstance(sa.agree(source).rows, ComparedAnnotators)
    assert sa.evaluate(parts, "gold").rows.corpus.tokens is None
    assert re.search(
        "rows are kept of a whole", str(_refusal(lambda: sa.evaluate(corpus).over([0]).rows))
    )


def _refusal(call):
    with pytest.raises(sa.SettingError) as error:
        call()
    return error.value


# --- cases from outside ---------------------------------------------------------------------------


def test_cases(real, monkeypatch):
    """Parts without a capital, without the attribute, with annotators in another order: the whole."""
    folder = Path(real) / "cases" / "reliability"
    monkeypatch.chdir(folder)
    files = {name: f"block/{name}.conll" for name in ("a", "b")}
    corpus = sa.read(files)
    parts = parts_of(corpus)
    assert everything(sa.evaluate(parts, places="capitals")) == everything(
        sa.evaluate(corpus, places="capitals")
    )
    for case, call in (
        ("shards", lambda source: sa.agree(source, attribute="neg")),
        ("order", lambda source: sa.evaluate(source, "gold")),
    ):
        reading = {"attributes": ["neg"]} if case == "shards" else {}
        pattern = f"{case}/s*.jsonl"
        whole = call(sa.read({pattern: pattern}, **reading))
        assert everything(call(sa.formats.read_parts(pattern, **reading))) == everything(whole)


@pytest.mark.long
def test_scale():
    """The script that measures large corpora gives the same figures with workers and without."""
    script = Path(__file__).parents[2] / "scripts" / "scale.py"
    lines = []
    for size in ("700", "3000"):
        line = [sys.executable, script, "--sentences", "3000", "--file", size, "--workers", "0,2"]
        done = subprocess.run(line, capture_output=True, text=True, check=True)
        lines.append(done.stdout.splitlines())
    assert [line.split()[2] for line in lines[0]] == ["0", "2"]
    for some in lines:  # other files have other sentences
        (figures,) = {line.partition("MB")[2] for line in some}
        assert figures.startswith("  one 0.8")
