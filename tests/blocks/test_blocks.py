"""Corpora in blocks: the same digits as whole, in any order, by any executor; and what goes wrong."""

from __future__ import annotations

import functools
import json
import math
import os
import re
import subprocess
import sys
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses
from strategies import PAIRS, crowds, halves

import spanagree as sa
from spanagree.cli.main import main
from spanagree.comparisons.exact_sums import exact_sums

NUMBERS = st.floats(2**-30, 2**30, width=32) | st.just(0.0)


@given(st.lists(NUMBERS, max_size=60), st.randoms(use_true_random=False))
def test_exact_sums(values, random):
    """A sum is that of math.fsum; parts in any order add to it, and so do sums of two."""

    def exact_sum(some):
        return exact_sums(np.array(some, np.float64), np.zeros(len(some), np.int64), 1)

    whole = exact_sum(values)
    assert whole.value[0] == math.fsum(values)
    mixed = random.sample(values, len(values))
    parts = [exact_sum(mixed[i::3]) for i in range(3)]
    random.shuffle(parts)
    assert (parts[0] + parts[1] + parts[2]).value[0] == math.fsum(values)
    pairs = [exact_sum(mixed[i : i + 2]) for i in range(0, len(mixed), 2)]
    assert sum(pairs, exact_sum([])).value[0] == math.fsum(values)


def same(one, other):
    """Two evaluations with the same digits everywhere but for single documents."""
    assert one.documents == other.documents
    assert one.signature == other.signature
    for name, system in one.systems.items():
        theirs = other.systems[name]
        assert (system.documents, system.rank) == (theirs.documents, theirs.rank)
        assert system.tally == theirs.tally
        assert repr(system.macro) == repr(theirs.macro)
        assert dict(system.labels) == dict(theirs.labels)


@pytest.mark.long
@given(crowds(), st.sampled_from(PAIRS), st.randoms(use_true_random=False))
def test_blocks_are_the_whole(crowd, how, random):
    """Over blocks of any size and order, every figure has the digits of the whole corpus."""
    lengths, layers = crowd
    corpus = sa.Corpus.from_segments(lengths, layers)
    blocks = halves(corpus, random)
    ask = {"gold": "ann", "match": how[0], "chance": how[1]}
    same(sa.evaluate(corpus, **ask), sa.evaluate(blocks, **ask))


@pytest.fixture(scope="module")
def parts(newsroom):
    """The newsroom corpus, whole and in blocks of ten sentences."""
    names = ("gold", "lexicon", "tagger", "chunker")
    corpus = sa.read_conll({n: newsroom / f"{n}.conll" for n in names}, scheme="IOB2")
    blocks = [
        corpus.subset(range(low, min(low + 10, len(corpus)))) for low in range(0, len(corpus), 10)
    ]
    return corpus, blocks


def later(block):
    return block


@pytest.mark.long
@pytest.mark.parametrize("kind", [ThreadPoolExecutor, ProcessPoolExecutor])
def test_executors(parts, kind):
    """Threads and processes give the digits of the whole; functions are read by the workers."""
    corpus, blocks = parts
    whole = sa.evaluate(corpus, gold="gold")
    with kind(2) as executor:
        same(whole, sa.evaluate(blocks, gold="gold", executor=executor))
        functions = (functools.partial(later, block) for block in blocks)
        same(whole, sa.evaluate(functions, gold="gold", executor=executor))


def test_taken_as_needed(parts):
    """Blocks are taken from an iterable one by one, never all at once, and progress is told."""
    _, blocks = parts
    alive, told = [], []

    def given():
        for block in blocks:
            alive.append(block)
            yield block

    class Counting(Executor):
        def submit(self, function, *arguments):
            assert len(alive) - len(told) <= 9
            future = Future()
            future.set_result(function(*arguments))
            return future

    sa.evaluate(
        given(), gold="gold", executor=Counting(), progress=lambda done, _: told.append(done)
    )
    assert told == list(range(1, len(blocks) + 1))


def test_labels_are_united_by_name():
    """Blocks may have other labels; each has its own figures over all blocks."""
    one = sa.Corpus.from_segments([5], {"g": [[(0, 1, "X")]], "s": [[(0, 1, "X")]]})
    other = sa.Corpus.from_segments([5], {"g": [[(0, 1, "Y")]], "s": [[(1, 2, "A")]]})
    labels = sa.evaluate([one, other]).systems["s"].labels
    assert {name: tally.f1.observed for name, tally in labels.items()} == {"A": 0, "X": 1, "Y": 0}


def broken():
    raise sa.InputError("shard-3.conll:7: unknown tag 'x'")


def wrong():
    raise KeyError("tokens")


def dies():
    os._exit(1)


def test_blocks_that_fail(parts):
    """A block that fails ends the run, with its number; skipped ones are counted and listed."""
    corpus, blocks = parts
    for block, said in (
        (broken, "block 2: shard-3.conll:7: unknown tag 'x'"),
        (
            lambda: 3,
            "block 2: int; a corpus is needed, or a function that gives one; tag lists become one by spanagree.from_tags({'ann': …, 'bob': …})",
        ),
        (
            "x",
            "block 2: str; a corpus is needed, or a function that gives one; tag lists become one by spanagree.from_tags({'ann': …, 'bob': …})",
        ),
    ):
        with refuses(sa.InputError, said):
            sa.evaluate([blocks[0], block], gold="gold")
    for executor in (None, ThreadPoolExecutor(1)):
        found = sa.evaluate(
            [*blocks[:2], broken, *blocks[2:]], gold="gold", executor=executor, on_error="skip"
        )
        assert found.notes[-1] == "block 3 skipped: shard-3.conll:7: unknown tag 'x'"
        assert "|skipped_blocks:1|" in found.signature
        assert repr(found.systems["tagger"].f1) == repr(
            sa.evaluate(corpus, gold="gold").systems["tagger"].f1
        )
        with pytest.raises(sa.InputError, match="no block to evaluate; block 1 skipped: shard-3"):
            sa.evaluate([broken], executor=executor, on_error="skip")
    with (
        ThreadPoolExecutor(1) as executor,
        pytest.raises(sa.InputError, match="block 1: KeyError: 'tokens'"),
    ):
        sa.evaluate([wrong], executor=executor)
    with refuses(sa.InputError, "no block to evaluate … iterator … once"):
        sa.evaluate([])


def test_executor_that_dies(parts):
    """A worker that dies, or an executor that is shut, is an error, and no partial result."""
    _, blocks = parts
    with (
        ProcessPoolExecutor(1) as executor,
        pytest.raises(sa.SettingError, match="the executor died: "),
    ):
        sa.evaluate([blocks[0], dies], gold="gold", executor=executor)
    executor = ThreadPoolExecutor(1)
    executor.shutdown()
    with pytest.raises(sa.SettingError, match="the executor died: RuntimeError: cannot schedule"):
        sa.evaluate(blocks, gold="gold", executor=executor)
    with refuses(sa.SettingError, "… executor 3 … concurrent.futures.Executor"):
        sa.evaluate(blocks, gold="gold", executor=3)


def test_blocks_that_do_not_go_together(parts):
    """Other annotators or other settings are refused, naming both."""
    corpus, blocks = parts
    with refuses(sa.InputError, "… block 2: annotators gold, tagger … gold, lexicon"):
        sa.evaluate([blocks[0], blocks[1].of_annotators(["gold", "tagger"])], gold="gold")
    characters = sa.Corpus.from_segments(
        [9], {n: [[]] for n in corpus.annotators}, offsets="characters"
    )
    with refuses(sa.InputError, "… block 2: format None … 'conll'"):
        sa.evaluate([blocks[0], characters], gold="gold")
    with refuses(sa.InputError, "… 3 … a corpus, or corpora"):
        sa.evaluate(3)
    for ask, said in (
        ({"on_error": "x"}, "unknown on_error 'x'; allowed: raise, skip"),
        ({"chance": "x"}, "unknown chance 'x'; allowed"),
        ({"match": "x"}, "unknown match 'x'; allowed"),
    ):
        with pytest.raises(sa.SettingError, match=f"^{said}"):
            sa.evaluate(blocks, gold="gold", **ask)
    with refuses(sa.SettingError, "… executor … blocks"):
        sa.evaluate(corpus, executor=ThreadPoolExecutor(1))


def test_single_documents_are_not_kept(parts):
    """What needs single documents is refused over blocks, and says why."""
    _, blocks = parts
    result = sa.evaluate(blocks, gold="gold")
    assert result.to_dict()["tables"]["systems"][0]["system"] == "lexicon"
    assert len(result.to_rows("label")) == 3 * 6
    for call in (
        lambda: result.to_dict("document"),
        lambda: result.over([0]),
        lambda: sa.compare_systems(result),
    ):
        with pytest.raises(sa.SettingError, match="single documents are not kept over blocks"):
            call()


def test_many_notes():
    """Notes of many blocks are the first few, and how many more there are."""
    block = sa.Corpus.from_segments([5, 5], {"g": [[], []], "s": [[], None]})
    noted = replace(block, notes=("odd",))
    notes = sa.evaluate([noted] * 30).notes
    assert notes[:20] == tuple(f"block {i}: odd" for i in range(1, 21))
    assert notes[20:] == (
        "10 more notes on blocks",
        "s: 30 of 60 documents not shared with gold, left out",
    )


AGAIN = " … id of its own"


@pytest.mark.parametrize("call", [sa.evaluate, sa.agree, sa.difficulty, sa.token_labels])
def test_documents_that_come_twice(call, tmp_path):
    """A document whose id is in two blocks is refused, with names of blocks that have one."""
    block = sa.Corpus.from_segments([5, 4], {"g": [[], []], "s": [[], []]}, ids=["x", "y"])
    other = sa.Corpus.from_segments([5, 4], {"g": [[], []], "s": [[], []]}, ids=["z", "y"])
    apart = sa.Corpus.from_segments([5], {"g": [[]], "s": [[]]}, ids=["a"])
    for blocks, said in (
        (
            [block, block],
            "document 1 of block 1 and document 1 of block 2 … the same id … 1 more document",
        ),
        (
            [block, apart, broken, other],
            "document 2 of block 1 and document 2 of block 4 … the same id",
        ),
    ):
        for executor in (None, ThreadPoolExecutor(1)):
            with refuses(sa.InputError, said + AGAIN):
                call(blocks, executor=executor, on_error="skip")
    for name in ("one", "two"):
        sa.write_jsonl(block, tmp_path / f"{name}.jsonl")
    said = "document 1 of block 1 (one.jsonl) and document 1 of block 2 (two.jsonl) have the same"
    with refuses(sa.InputError, f"… {said}"):
        call(list(sa.read_shards(tmp_path / "*.jsonl")))  # without the shards' way to unite them
    said = (
        "two.jsonl: annotator 'g' has document 'x', and has it in one.jsonl too; if they are of"
        " several people, name each as NAME=FILE; if not, leave out one of the files"
    )
    with refuses(sa.InputError, said):
        call(sa.read_shards(tmp_path / "*.jsonl"))
    assert (
        call([block, apart]).documents if call is not sa.difficulty else len(call([block, apart]))
    )


def test_documents_that_come_twice_stop_a_run():
    """They are not looked for at the end alone: a run over a million blocks ends at once."""
    block = sa.Corpus.from_segments([5], {"g": [[]], "s": [[]]}, ids=["x"])
    taken = iter(range(1_000_000))
    with pytest.raises(sa.InputError, match=r"^document 1 of block 1 and document 1 of block 2 "):
        sa.evaluate(block for _ in taken)
    assert next(taken) < 5


def test_label_tallies_that_share_a_document():
    """Tallies of labels that are added by hand must not share documents either."""
    block = sa.Corpus.from_segments([5], {"g": [[]], "s": [[]]}, ids=["x"])
    tallies = sa.token_labels([block])
    with pytest.raises(sa.InputError, match=r"^document 1 of block 1 and document 1 of block 2 "):
        tallies + tallies


def test_annotators_over_blocks():
    """Who is in no block is unknown; a team is those who are in any."""
    one = sa.Corpus.from_segments([9], {"ann": [[(0, 2, "X")]], "bob": [[(0, 3, "X")]]})
    other = sa.Corpus.from_segments([8], {"ann": [[(1, 2, "X")]], "cem": [[]]})
    both = sa.Corpus.from_segments(
        [9, 8],
        {
            "ann": [[(0, 2, "X")], [(1, 2, "X")]],
            "bob": [[(0, 3, "X")], None],
            "cem": [None, []],
        },
    )
    hard, whole = sa.difficulty([one, other]), sa.difficulty(both)
    assert hard.values.tolist() == whole.values.tolist()
    assert (hard.annotators, hard.signature) == (whole.annotators, whole.signature)
    names = ["ann", "bob"]
    hard, whole = (sa.difficulty(c, annotators=names) for c in ([one, other], both))
    assert hard.values.tolist() == whole.values.tolist()
    for call in (sa.agree, sa.difficulty):
        with pytest.raises(sa.SettingError, match=r"^unknown annotator 'zed'; allowed: ann, bob, cem$"):  # fmt: skip
            call([one, other], annotators=["ann", "bob", "cem", "zed"])


def test_errors_of_whoever_gives_the_blocks():
    """A bug in a generator is the user's own, and no executor's."""

    def given():
        yield sa.Corpus.from_segments([5], {"g": [[]], "s": [[]]})
        raise RuntimeError("my own bug")

    with ThreadPoolExecutor(1) as executor, pytest.raises(RuntimeError, match=r"^my own bug$"):
        sa.evaluate(given(), executor=executor)


@pytest.mark.long
def test_scale():
    """The script that measures large corpora gives the same figures with workers and without, as at once."""
    script = Path(__file__).parents[2] / "scripts" / "scale.py"
    lines = []
    for more in (["--block", "700"], ["--block", "0", "--workers", "0"]):
        line = [sys.executable, script, "--sentences", "3000", *more]
        done = subprocess.run(line, capture_output=True, text=True, check=True)
        lines += done.stdout.splitlines()
    assert [line.split()[:3] for line in lines] == [["3000", "61050", w] for w in ("0", "2", "0")]
    (figures,) = {line.partition("MB")[2] for line in lines}
    assert figures.startswith("  one 0.8")


# --- agreement over blocks ------------------------------------------------------------------------


@pytest.mark.long
@given(crowds(), st.sampled_from(PAIRS), st.randoms(use_true_random=False))
def test_agreement_over_blocks(crowd, how, random):
    """Over blocks of any size and order, agreement has the digits of the whole, in every part."""
    lengths, layers = crowd
    corpus = sa.Corpus.from_segments(lengths, layers)
    blocks = []
    for block in halves(corpus, random):
        # annotators who saw nothing in a block need not be in it, in whatever order
        names = [n for n, layer in block.layers.items() if layer.annotated.any()]
        random.shuffle(names)
        blocks.append(block.of_annotators(names))
    match, chance = how
    one = sa.agree(corpus, match=match, chance=chance)
    other = sa.agree(blocks, match=match, chance=chance)
    saw = [n for n, layer in corpus.layers.items() if layer.annotated.any()]
    assert sorted(other.annotators) == sorted(saw)
    assert (other.team.pairs, other.team.documents) == (one.team.pairs, one.team.documents)
    assert repr(other.team.f1[:3]) == repr(one.team.f1[:3])
    assert repr(other.mean) == repr(replace(one.mean, reason=other.mean.reason))
    for name in saw:
        assert other.annotators[name].tally == one.annotators[name].tally
        theirs, ours = other.annotators[name].without, one.annotators[name].without
        assert (theirs.documents, theirs.pairs) == (ours.documents, ours.pairs)
        assert repr(theirs.f1) == repr(ours.f1)
    for names, pair in one.pairs.items():
        assert repr(other.pairs[names].f1) == repr(pair.f1)
        assert other.pairs[names].documents == pair.documents
    for label, tally in one.labels.items():
        assert repr(other.labels[label].f1) == repr(tally.f1)


def test_order_of_annotators_in_blocks():
    """A pair is one pair in whatever order blocks name the two; counted by hand."""
    one = sa.Corpus.from_segments([2], {"ann": [[(0, 1, "X")]], "bob": [[]]}, ids=["1"])
    two = sa.Corpus.from_segments([3], {"bob": [[(0, 1, "X")]], "ann": [[(0, 1, "X")]]}, ids=["2"])
    for blocks in ([one, two], [two, one]):
        (pair,) = sa.agree(blocks).pairs.values()
        assert (pair.documents, pair.tally.matched) == (2, 1)
        sizes = {pair.a: pair.tally.size_a, pair.b: pair.tally.size_b}
        assert sizes == {"ann": 2, "bob": 1}


def test_agreement_by_an_executor(newsroom):
    """Processes give the digits of the whole; failing blocks are skipped, and what needs documents refused."""
    corpus = sa.read_jsonl(newsroom.parent / "crowd" / "crowd.jsonl")
    blocks = [corpus.subset(range(low, min(low + 9, 63))) for low in range(0, 63, 9)]
    whole = sa.agree(corpus)
    with ProcessPoolExecutor(2) as executor:
        found = sa.agree(blocks, executor=executor)
    assert found == replace(whole, document_ids=None)
    few = sa.agree([*blocks, broken], on_error="skip", annotators=["ann", "bob"])
    assert repr(few.team.f1) == repr(whole.pairs["ann", "bob"].f1)
    assert few.notes[-1].startswith("block 8 skipped: shard-3")
    for call, said in (
        (lambda: found.to_dict("document"), "single documents are not kept over blocks"),
        (lambda: sa.agree(corpus, executor=executor), "executor … blocks"),
    ):
        with refuses(sa.SettingError, said):
            call()
    with pytest.raises(sa.InputError, match="no block to compare; block 1 skipped: shard"):
        sa.agree([broken], on_error="skip")
    with pytest.raises(sa.SettingError, match="unknown match 'x'"):
        sa.agree(blocks, match="x")


@pytest.mark.long
def test_difficulty_over_blocks(parts):
    """Difficulty over blocks is that of the documents one after the other, by an executor too."""
    corpus, blocks = parts
    for ask in ({"gold": "gold"}, {"annotators": ["gold", "tagger"], "match": "token"}):
        whole = sa.difficulty(corpus, **ask)
        for executor in (None, ThreadPoolExecutor(2)):
            found = sa.difficulty(blocks, executor=executor, **ask)
            assert repr(found.values.tolist()) == repr(whole.values.tolist())
            assert repr(found.to_rows()[0]) == repr(whole.to_rows()[0])
            assert found.signature == whole.signature
    few = sa.difficulty([*blocks, broken], gold="gold", on_error="skip")
    assert len(few) == len(corpus)
    assert few.notes[-1].startswith("block 12 skipped: shard-3")
    with pytest.raises(sa.InputError, match="no block to look at; block 1 skipped"):
        sa.difficulty([broken], on_error="skip")
    with refuses(sa.SettingError, "… executor … blocks"):
        sa.difficulty(corpus, executor=executor)


# --- readers that give blocks ---------------------------------------------------------------------


FILES = ("gold", "lexicon", "tagger", "chunker")


@pytest.mark.long
@pytest.mark.parametrize("unit", ["sentence", "document"])
@pytest.mark.parametrize("size", [1, 3, 1000])
def test_conll_blocks(newsroom, unit, size):
    """CoNLL files in blocks of any size give the digits of the whole; documents are numbered on."""
    files = {n: newsroom / f"{n}.conll" for n in FILES}
    ask = {"scheme": "IOB2", "unit": unit}
    whole = sa.read_conll(files, **ask)
    blocks = list(sa.read_conll(files, block=size, **ask))
    assert sum(map(len, blocks)) == len(whole)
    assert all(len(block) <= size for block in blocks)
    assert [id_ for block in blocks for id_ in block.ids] == [
        whole.id_of(i) for i in range(len(whole))
    ]
    assert tuple(t for block in blocks for t in block.tokens) == whole.tokens
    one, other = sa.evaluate(whole, gold="gold"), sa.evaluate(blocks, gold="gold")
    same(one, other)
    assert dict(one.settings) == dict(other.settings)  # counts of ill-formed tags too


def test_conll_blocks_of_crowds(newsroom, tmp_path):
    """A file of our own says its columns and ids once; every block has them, gaps too."""
    crowd = sa.read_jsonl(newsroom.parent / "crowd" / "crowd.jsonl")
    path = tmp_path / "crowd.conll"
    sa.write_conll(crowd, path)
    blocks = list(sa.read_conll(path, block=10, scheme="IOB2"))
    assert [id_ for block in blocks for id_ in block.ids] == list(crowd.ids)
    same(sa.evaluate(sa.read_conll(path, scheme="IOB2")), sa.evaluate(blocks))


TEN = [f"s{i}" for i in range(1, 11)]


@pytest.mark.long
@pytest.mark.parametrize(
    ("one", "two", "block", "said"),
    [
        (TEN, [*TEN[:2], *TEN[3:]], 3, "b.conll:8: sent_id 's4'; at the same place, a.conll:8: sent_id 's3'. "),
        (TEN, TEN[:-1], 5, "b.conll: no further sentence; at the same place, a.conll:29: sent_id 's10'. "),
        (TEN[:-1], TEN, 5, "b.conll:29: sent_id 's10'; at the same place, a.conll: no further sentence. "),
        (TEN, ["s2", "s1", *TEN[2:]], 3, "b.conll:2: sent_id 's2'; at the same place, a.conll:2: sent_id 's1'. "),
    ],
    ids=["one is missing", "the last is missing", "one more", "another order"],
)  # fmt: skip
def test_conll_blocks_of_other_sentences(tmp_path, monkeypatch, capsys, one, two, block, said):
    """Sentences are matched by id within a block, so blocks whose ids do not meet are refused."""
    monkeypatch.chdir(tmp_path)
    for name, ids in (("a", one), ("b", two)):
        lines = (f"# sent_id = {id_}\n{id_} B-X\n\n" for id_ in ids)
        (tmp_path / f"{name}.conll").write_text("".join(lines), "utf-8")
    shared = len({*one} & {*two})
    whole = sa.evaluate(sa.read_conll(["a.conll", "b.conll"]))
    assert whole.systems["b.conll"].documents == shared
    for call in ("evaluate", "agree", "difficulty"):
        ask = [call, "a.conll", "b.conll", "--scheme", "IOB2", "--block", str(block)]
        for more in ([], ["--workers", "2"]):
            assert main([*ask, *more]) == 1
            error = capsys.readouterr().err
            assert error.startswith("spanagree: error: block ")
            assert error.endswith(
                f": {said}In blocks all files need the same sentences in the same order; leave out"
                " --block and --workers (block), and sentences are matched by id\n"
            )
    alike = sa.read_conll({"g": "a.conll", "s": "a.conll"}, block=block, scheme="IOB2")
    assert sa.evaluate(alike).documents == len(one)


def test_lines_are_those_of_the_file(tmp_path):
    """An error in a block names the line of the file, and the block."""
    path = tmp_path / "a.conll"
    path.write_text("\ufeffa B-X O\r\n\r\n\r\nb O O\r\n\r\nc Q O\r\n")
    ask = {"columns": {"g": 1, "s": 2}, "scheme": "IOB2"}
    blocks = sa.read_conll(path, block=1, **ask)
    assert next(blocks).tokens == ("a",)
    with refuses(sa.InputError, f"block 3: {path}:6: unknown tag 'Q'"):
        sa.evaluate(sa.read_conll(path, block=1, **ask))


def test_conll_blocks_refused(tmp_path):
    """A block below 1, no scheme, files of unequal length, empty, absent or binary files."""
    one, two = tmp_path / "one", tmp_path / "two"
    one.write_text("a O\n\nb O\n")
    two.write_text("a O\n")
    ask = {"scheme": "IOB2"}
    for source, options, said in (
        (one, {"block": 0, **ask}, "block 0; a whole number from 1 is needed"),
        (
            one,
            {"block": 1},
            "scheme auto: a scheme is recognised from a whole file, not from blocks; name one of IO, ",
        ),
        (
            [one, two],
            {"block": 1, **ask},
            f"{two}: ends after 1 sentences, the others do not; all files hold the same text",
        ),
        (tmp_path / "no", {"block": 1, **ask}, f"{tmp_path / 'no'}: no such file"),
        (one, {"block": 1, "encoding": "x", **ask}, "unknown encoding 'x'"),
    ):
        with pytest.raises(sa.SpanAgreeError) as error:
            list(sa.read_conll(source, **options))
        assert str(error.value).startswith(said)
    for content, said in (
        (b"\n\n", "no token rows"),
        (b"a\0 O\n", ":1: a NUL character"),
        (b"a \xff\n", "byte 0xff is not utf-8"),
    ):
        one.write_bytes(content)
        with pytest.raises(sa.InputError, match=said):
            list(sa.read_conll(one, block=1, columns={"g": 1}, **ask))


@pytest.mark.long
@pytest.mark.parametrize(
    "more", [["--block", "7"], ["--workers", "2"], ["--block", "40", "--workers", "2"]]
)
def test_command(newsroom, capsys, more):
    """--block and --workers print what one run prints, less the advice of a test without blocks."""
    files = [str(newsroom / f"{n}.conll") for n in FILES]
    ask = ["evaluate", *files, "--scheme", "IOB2", "--by", "label"]
    for form in ("text", "csv", "latex"):
        assert main([*ask, "--format", form]) == 0
        whole = capsys.readouterr().out
        assert main([*ask, "--format", form, *more]) == 0
        less = re.sub(r"made:\sadd --test bootstrap\.", "made.", whole)
        assert capsys.readouterr().out == less
    assert main([*ask, "--format", "json", *more]) == 0
    assert json.loads(capsys.readouterr().out)["summary"]["documents"] == 103


@pytest.mark.parametrize(
    ("more", "code", "said"),
    [
        (["--block", "0"], 1, "block 0; a whole number from 1 is needed"),
        (["--workers", "0"], 1, "workers 0; a whole number from 1 is needed"),
        (
            ["--block", "5", "--test", "bootstrap"],
            2,
            "--test does not go with blocks (--block, --workers, a pattern of files): single documents are not kept; see 'spanagree evaluate --help'",
        ),
        (
            ["--block", "5", "--from", "jsonl"],
            2,
            "--block and --workers are for CoNLL files with their options; these are jsonl; see 'spanagree evaluate --help'",
        ),
    ],
)
def test_command_refuses(newsroom, capsys, more, code, said):
    """What blocks cannot do is refused in one line, before any work."""
    files = [str(newsroom / f"{n}.conll") for n in FILES[:2]]
    assert main(["evaluate", *files, "--scheme", "IOB2", *more]) == code
    out, err = capsys.readouterr()
    assert (out, err) == ("", f"spanagree: error: {said}\n")


@pytest.mark.long
def test_jsonl_blocks(newsroom, tmp_path):
    """Our own files in blocks: every document once, all annotators in each, the digits of the whole."""
    path = newsroom.parent / "crowd" / "crowd.jsonl"
    whole = sa.read_jsonl(path)
    for size in (1, 10, 1000):
        blocks = list(sa.read_jsonl(path, block=size))
        assert [id_ for block in blocks for id_ in block.ids] == list(whole.ids)
        assert blocks[-1].annotators == whole.annotators
        assert all(whole.annotators[: len(b.annotators)] == b.annotators for b in blocks)
        assert sa.agree(blocks) == replace(sa.agree(whole), document_ids=None)
    with pytest.raises(sa.SettingError, match="block 0; a whole number from 1 is needed"):
        sa.read_jsonl(path, block=0)
    bad = tmp_path / "bad.jsonl"
    lines = path.read_text("utf-8").splitlines()
    bad.write_text("\n".join([*lines[:3], "{", *lines[3:]]), "utf-8")
    with refuses(sa.InputError, f"block 2: {bad}:4: not valid JSON"):
        sa.agree(sa.read_jsonl(bad, block=2))
    bad.write_text("", "utf-8")
    with pytest.raises(sa.InputError, match="no documents; a line for each is needed"):
        list(sa.read_jsonl(bad, block=2))


def test_blocks_with_the_same_documents_and_other_settings():
    """That documents come twice is said first, as it may be why the blocks do not go together."""
    one = sa.Corpus.from_segments([9], {"a": [[(0, 2, "X")]], "b": [[(0, 2, "X")]]}, ids=["d1"])
    other = sa.Corpus.from_segments([9], {"a": [[(0, 2, "X")]], "c": [[(0, 2, "X")]]}, ids=["d1"])
    with pytest.raises(sa.InputError, match="document 1 of block 1 and document 1 of block 2"):
        sa.evaluate([one, other], "a")


def test_a_choice_is_refused_before_any_block():
    """A measure that is unknown is no reason to skip all blocks."""
    block = sa.Corpus.from_segments([9], {"a": [[(0, 2, "X")]], "b": [[(0, 2, "X")]]})
    with pytest.raises(sa.SettingError, match="unknown match"):
        sa.agree([block], match="nonsense", on_error="skip")


def test_one_note_more_than_are_shown():
    """Of 21 notes the last is counted, as one."""

    def block(number):
        corpus = sa.Corpus.from_segments([9], {"a": [[(0, 2, "X")]], "b": [[(0, 2, "X")]]})
        return corpus.but(notes=(f"odd {number}",))

    notes = sa.evaluate([block(n) for n in range(21)], "a").notes
    assert len(notes) == 21
    assert notes[-1] == "1 more note on blocks"
