"""Mu-SHROOM's scores: against sets and scipy, the task's definitions on its data, and by hand."""

from __future__ import annotations

import ast
import json
import math
import re
import subprocess
import sys
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses, says
from scipy.stats import spearmanr

import spanagree as sa
from spanagree.comparisons import random_layers
from spanagree.corpus.segments import Layer
from tests.strategies import crowds

STUDY = Path(__file__).parents[2] / "studies" / "mushroom"
sys.path.insert(0, str(STUDY))

from scores import soft_scores  # noqa: E402 — beside the study's command
from shares import iou, shares, spearman  # noqa: E402

NEAR = 1e-12
ANSWERS = "corpora/exports/mushroom.jsonl"
REPAIR = ["drop-empty", "drop-duplicates", "merge-overlaps"]
NAMES = ("mushroom.sv-tst_first80", "mushroom.fa-tst", "mushroom.en-tst_first40")


def task_iou(a, b):
    """The task's definition: of sets of indices, 1 if both are empty."""
    return len(a & b) / len(a | b) if a | b else 1.0


def task_rho(x, y):
    """The task's definition: Spearman's ρ; if one is constant, 1 if both are, else 0."""
    if len({*x}) < 2 or len({*y}) < 2:
        return float((len({*x}) < 2) == (len({*y}) < 2))
    return spearmanr(x, y).statistic


def approx(value):
    return pytest.approx(value, abs=NEAR, nan_ok=True)


@given(
    st.lists(
        st.lists(
            st.tuples(*[st.sampled_from([0, 0.25, 1 / 3, 0.5, 1])] * 2), min_size=1, max_size=9
        ),
        max_size=5,
    )
)
def test_scores_of_documents(documents):
    """IoU and ρ of many documents at once are those of each by itself, from sets and from scipy."""
    document = np.repeat(np.arange(len(documents)), [len(x) for x in documents])
    a, b = (np.array([pair[k] for x in documents for pair in x], np.float64) for k in (0, 1))
    rho = [task_rho(*zip(*x, strict=True)) for x in documents]
    assert spearman(a, b, document, len(documents)).tolist() == approx(rho)
    marked = [[{t for t, pair in enumerate(x) if pair[k] > 0.5} for k in (0, 1)] for x in documents]
    assert iou(a > 0.5, b > 0.5, document, len(documents)).tolist() == [
        task_iou(*x) for x in marked
    ]


def share_by_hand(document, names):
    """The share of those who saw a document for each of its tokens, token by token."""
    seen = [x for name, x in document.seen.items() if name in names]
    return [
        sum(any(s <= t < e for s, e, _ in x) for x in seen) / max(len(seen), 1)
        for t in range(document.length)
    ]


@given(crowds())
def test_shares_by_hand(crowd):
    """Token by token; runs and hard layers hold the same; who marks a token twice counts once."""
    corpus = sa.Corpus.from_segments(*crowd)
    soft = shares(corpus)
    assert [soft[d].tolist() for d in range(len(corpus))] == [
        approx(share_by_hand(document, corpus.layers)) for document in corpus
    ]
    again = np.zeros(len(soft.values))
    for d, start, end, value in zip(*soft.runs(), strict=True):
        again[corpus.starts[d] + start : corpus.starts[d] + end] = value
    assert again.tolist() == soft.values.tolist()
    hard = sa.Corpus(corpus.lengths, {"hard": soft.hard()}, ("X",))
    assert shares(hard).values.tolist() == (soft.values > 0.5).tolist()
    twice = sa.Corpus.from_segments([4], {"a": [[(0, 3, "X"), (1, 4, "Y")]], "b": [[]]})
    assert shares(twice)[0].tolist() == [0.5] * 4


@pytest.mark.long
@given(crowds(), st.integers(0, 5))
def test_soft_scores_by_hand(crowd, seed):
    """Each figure, document by document: IoU, ρ, F1 with each reference, and people among themselves."""
    corpus = sa.Corpus.from_segments(*crowd)
    references = list(corpus.layers)[1:]
    system = corpus.annotators[0]
    with patch.object(random_layers, "REDRAWN", 2):
        result = soft_scores(corpus, systems=[system], seed=seed)
        whole = sa.with_baselines(
            corpus,
            [name for name in result.systems if name != system],
            references=references,
            seed=seed,
        )
        drawn = [in_order(layer) for layer in random_layers.yield_redrawn_layers(whole)]
    for name in result.systems:
        layers = drawn if name == "random" and result[name].documents else [whole.layers[name]]
        found = []
        for layer in layers:
            # of one draw, not of the mean of many
            made = whole.replace(layers={**whole.layers, name: layer}, reading={})
            rows = [d for d in made if any(r in d.seen for r in references) and name in d.seen]
            own = [[float(x) for x in share_by_hand(d, [name])] for d in rows]
            soft = [share_by_hand(d, references) for d in rows]
            sets = [
                [{t for t, x in enumerate(v) if x > 0.5} for v in pair]
                for pair in zip(own, soft, strict=True)
            ]
            mean = lambda values: math.fsum(values) / len(values) if values else math.nan  # noqa: E731
            ious = mean([task_iou(*pair) for pair in sets])
            rhos = mean([task_rho(*pair) for pair in zip(own, soft, strict=True)])
            assert result[name].documents == len(rows)
            sums = np.zeros(4)
            for reference in references:
                pair = sa.evaluate(made.select_annotators([reference, name]), match="token")
                for d, tallies in enumerate(sa_rows(pair, name, len(corpus))):
                    many = sum(r in made[d].seen for r in references)
                    sums += np.array(tallies) / max(many, 1)
            found.append([ious, rhos, *sums])
        ious, rhos, *sums = np.mean(found, axis=0)
        assert result[name].iou == approx(ious)
        assert result[name].rho == approx(rhos)
        f1 = result[name].f1
        size = sums[2] + sums[3]
        assert f1.observed == approx(2 * sums[0] / size if size else math.nan)
        assert f1.expected == approx(2 * sums[1] / size if size else math.nan)
    ious, rhos = [], []
    for document in corpus:
        among = [name for name in references if name in document.seen]
        for name in among if len(among) > 1 else ():
            own = share_by_hand(document, [name])
            rest = share_by_hand(document, [x for x in among if x != name])
            ious.append(task_iou(*({t for t, x in enumerate(v) if x > 0.5} for v in (own, rest))))
            rhos.append(task_rho(own, rest))
    assert result.people.iou == approx(math.fsum(ious) / len(ious) if ious else math.nan)
    assert result.people.rho == approx(math.fsum(rhos) / len(rhos) if rhos else math.nan)


def in_order(layer):
    """A layer with its segments in the order of a corpus."""
    order = np.lexsort((layer.label, layer.end, layer.start, layer.document))
    columns = (column[order] for column in (layer.document, layer.start, layer.end, layer.label))
    return Layer(*columns, layer.annotated)


def sa_rows(evaluation, name, size):
    """What each document adds to matched, expected and both sizes."""
    return evaluation.counted.per_document.table(name, np.arange(size)).tolist()


# --- the data of the task -----------------------------------------------------------------------


def of_task(real, name):
    """The published rows: id, length, soft labels per character, hard labels as a set, annotations."""
    lists = lambda x: ast.literal_eval(x) if isinstance(x, str) else x  # noqa: E731
    path = real / "data" / "tools" / "mushroom" / f"{name}.jsonl"
    for row in map(json.loads, path.read_text("utf-8").splitlines()):
        soft = [0.0] * len(row["model_output_text"])
        for span in lists(row["soft_labels"]):
            soft[span["start"] : span["end"]] = [span["prob"]] * (span["end"] - span["start"])
        hard = {t for start, end in lists(row["hard_labels"]) for t in range(start, end)}
        yield row["id"], soft, hard, lists(row["annotations"])


@pytest.mark.parametrize("name", NAMES)
def test_the_scores_of_the_task(real, name):
    """On the published data IoU and ρ are the task's, to the digit, of probabilities and baselines."""
    path = real / "data" / "tools" / "mushroom" / f"{name}.jsonl"
    corpus = sa.read(path, repair=REPAIR)
    rows = list(of_task(real, name))
    shares_now = shares(corpus)
    runs = zip(*(x.tolist() for x in shares_now.runs()), strict=True)
    mine = {id_: [] for id_ in corpus.ids}
    for d, start, end, prob in runs:
        mine[corpus.id_of(d)].append({"start": start, "end": end, "prob": prob})
    predictions = [{"id": id_, "soft_labels": spans} for id_, spans in mine.items()]
    result = soft_scores(corpus, probabilities={"mine": predictions}, soft_gold=path)
    ious, rhos, every, nothing = [], [], [], []
    for d, (_, soft, hard, marked) in enumerate(rows):
        sets = [{t for s, e in spans for t in range(s, e)} for spans in marked.values()]
        own = [sum(t in x for x in sets) / len(sets) for t in range(len(soft))]
        assert shares_now[d].tolist() == approx(own)
        ious.append(task_iou({t for t, x in enumerate(own) if x > 0.5}, hard))
        rhos.append(task_rho(own, soft))
        every.append((task_iou({*range(len(soft))}, hard), task_rho([1.0] * len(soft), soft)))
        nothing.append((task_iou(set(), hard), task_rho([0.0] * len(soft), soft)))
    assert (result["mine"].iou, result["mine"].rho) == approx((np.mean(ious), np.mean(rhos)))
    for name_, figures in (("everything", every), ("nothing", nothing)):
        assert (result[name_].iou, result[name_].rho) == approx(tuple(np.mean(figures, axis=0)))
    assert result["everything"].f1.corrected == approx(0)


# --- probabilities ------------------------------------------------------------------------------


def two():
    """Two short texts that two people marked."""
    layers = {"a": [[(0, 3, "X")], []], "b": [[(1, 4, "X")], [(0, 1, "X")]]}
    return sa.Corpus.from_segments([6, 4], layers, offsets="characters", ids=["p", "q"])


def spans(*rows):
    return [dict(zip(("start", "end", "prob"), row, strict=True)) for row in rows]


def test_probabilities_are_read_and_not_thresholded():
    """ρ is of the probabilities; what is marked follows a threshold."""
    rows = [
        {"id": "p", "soft": spans((0, 1, 0.4), (1, 3, 0.9), (4, 4, 1))},
        {"id": "q", "soft": []},
    ]
    for threshold, marked in ((0.5, {1, 2}), (0.3, {0, 1, 2})):
        result = soft_scores(two(), probabilities={"m": rows}, threshold=threshold)
        soft = [[0.5, 1, 1, 0.5, 0, 0], [0.5, 0, 0, 0]]
        own = [[0.4, 0.9, 0.9, 0, 0, 0], [0] * 4]
        assert result["m"].rho == approx(
            np.mean([task_rho(a, b) for a, b in zip(own, soft, strict=True)])
        )
        assert result["m"].iou == approx((task_iou(marked, {1, 2}) + 1) / 2)
    as_layer = soft_scores(two(), systems=["b"], probabilities={"b": rows})
    assert as_layer["b"].rho == approx(np.mean([task_rho(own[0], [1, 1, 1, 0, 0, 0]), 1]))
    assert as_layer["b"].iou == approx((task_iou({0, 1, 2}, {1, 2, 3}) + 0) / 2)


def test_rows_that_are_missing():
    """A document without a row was never seen, which a note says, and other documents are left out."""
    rows = [{"id": "p", "soft": spans((0, 1, 0.4))}, {"id": "z", "soft": []}]
    result = soft_scores(two(), probabilities={"m": rows})
    assert result["m"].documents == 1
    assert result.notes[:-1] == (
        "rows: 1 row of other documents left out",
        "rows: 1 document without a row, taken as never seen",
    )


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"x": "p", "s": spans((0, 1, 0.4))}], "rows: no column of documents among x, s … id"),
        ([{"id": "p", "s": [[0, 1]]}], "rows: one column of spans with prob or score … none among id, s"),
        ([{"id": "p", "s": spans((0, 1, 0.4)), "t": spans((0, 1, 0.4))}], "rows: one column of spans with prob or score … several columns: s, t"),
        ([{"id": "p", "s": spans((0, 1, 1.4))}], "row 1: span {'start': 0, 'end': 1, 'prob': 1.4} … probability from 0 to 1"),
        ([{"id": "p", "s": spans((0, 1, 0.4), (5, 7, 0.1))}], "row 1: span {'start': 5, 'end': 7, 'prob': 0.1} … ends at 6 … offsets"),
        ([{"id": "p", "s": spans((0, 3, 0.4), (2, 4, 0.1))}], "rows: document 'p': spans 0–3 and 2–4 overlap"),
        ([{"id": "z", "s": spans((0, 1, 0.4))}], "rows: no row … ids are p, q … the same ids"),
        ([{"id": "p", "s": spans((0, 1, 0.4))}] * 2, "row 2: document 'p' … second time"),
        ([{"id": "q", "s": spans((0, 1, 0.4))}, {"id": "p", "s": 7}], "row 2: spans 7 … list of spans"),
    ],
)  # fmt: skip
def test_errors_of_probabilities(rows, message):
    """What cannot be taken as probabilities is said in a line."""
    with refuses(sa.InputError, message):
        soft_scores(two(), probabilities={"m": rows})


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"threshold": 1}, "threshold 1 … from 0 … below 1"),
        ({"systems": ["x"]}, "unknown annotator 'x'; allowed: a, b"),
        ({"systems": ["a"], "references": ["a"]}, "a: both system and reference"),
        ({"systems": ["a", "b"]}, "no reference … fewer systems"),
        ({"references": ["a", "b"], "baselines": []}, "no system … name systems, probabilities or baselines"),
        ({"probabilities": {"random": [{"id": "p", "s": spans((0, 1, 0.4))}]}}, "probabilities of random … otherwise"),
    ],
)  # fmt: skip
def test_errors(asked, message):
    """What cannot be compared is said in a line."""
    with refuses(sa.SettingError, message):
        soft_scores(two(), **asked)


def test_overlapping_layers():
    """A layer that overlaps itself is named with what would work, before anything is drawn or counted."""
    layers = {"a": [[(0, 3, "X"), (2, 4, "Y")]], "b": [[(0, 3, "X")]]}
    corpus = sa.Corpus.from_segments([4], layers)
    message = (
        "annotator 'a', document '1': segments .* overlap, which chance nonoverlapping does not"
    )
    for function in (
        soft_scores,
        lambda x: sa.with_baselines(x, ["random"], chance="nonoverlapping"),
    ):
        with pytest.raises(sa.SettingError, match=message):
            function(corpus)
    with refuses(sa.SettingError, "annotator 'a', document '1'"):  # as the file calls the system
        soft_scores(corpus, systems=["a"])
    assert soft_scores(corpus, chance="per-label")["everything"].f1.corrected == approx(0)
    twice = sa.Corpus.from_segments([4], {"a": [[(0, 3, "X"), (2, 4, "X")]], "b": [[]]})
    with refuses(
        sa.SettingError,
        "annotator 'a', document '1': segments 0–3 'X' and 2–4 'X' overlap … match token … repair merge-overlaps",
    ):
        soft_scores(twice, chance="overlapping")


def test_what_is_undefined_has_a_reason():
    """Who marked nothing, or shares no document with a reference, has no figure; a note says so."""
    one, two = [[(0, 2, "X")]] * 2, [None] * 2
    layers = {"a": [*one, None], "b": [*one, None], "full": [*one, None], "half": [*one[:1], *two],
              "more": [*one, []], "other": [*two, []]}  # fmt: skip
    corpus = sa.Corpus.from_segments([6, 6, 6], layers)
    result = soft_scores(corpus, references=["a", "b"])
    assert [x.documents for x in result.systems.values()][:4] == [2, 1, 2, 0]
    assert math.isnan(result["other"].iou)
    assert "no document shared" in result["other"].f1.reason
    assert result.notes[:-1] == tuple(
        f"{name}: {n} of 3 documents not shared with a reference, left out"
        for name, n in {"full": 1, "half": 2, "more": 1, "other": 3}.items()
    )  # the last says what random is the mean of
    given = [{"id": id_, "spans": [{"start": 0, "end": 2, "prob": 1.0}]} for id_ in "12"]
    soft = soft_scores(corpus, systems=["other"], soft_gold=given)
    assert soft.notes[-2] == "other: 3 of 3 documents not shared with soft gold, left out"
    nobody = {"a": [[(0, 1, "X")], None], "b": [None, []], "m": [None, []]}
    alone = soft_scores(sa.Corpus.from_segments([4, 4], nobody), systems=["m"], baselines=[])
    assert alone["m"].f1.reason == "neither marked anything"
    assert math.isnan(alone.people.iou)


@pytest.mark.parametrize("names", ["ann", ["ann", "ann"]])
def test_names_that_are_none(names):
    """A lone name is no list of its letters, and nobody is named twice."""
    corpus = sa.Corpus.from_segments([5], {name: [[(0, 2, "X")]] for name in ("ann", "bob", "m")})
    for call in (
        lambda: soft_scores(corpus, systems=names),
        lambda: soft_scores(corpus, references=names),
        lambda: shares(corpus, names),
    ):
        with pytest.raises(sa.SettingError):
            call()


@given(crowds(), st.sampled_from(["nonoverlapping", "per-label"]))
def test_everything_is_never_above_chance(crowd, chance):
    """Who marks whole documents has by chance alone what it has."""
    corpus = sa.Corpus.from_segments(*crowd)
    f1 = soft_scores(corpus, references=corpus.annotators, chance=chance, baselines=["everything"])[
        "everything"
    ].f1
    assert f1.reason or f1.corrected == approx(0)


def test_the_first_is_the_reference():
    """If nobody is named, the first is compared with all others, as `evaluate` does; probabilities
    are systems, so all others are references then."""
    corpus, rows = two(), [{"id": "p", "s": spans((0, 1, 0.9))}]
    unnamed = soft_scores(corpus, baselines=[])
    named = soft_scores(corpus, references=["a"], baselines=[])
    assert (unnamed.systems, unnamed.people.name) == (named.systems, named.people.name)
    assert list(unnamed.systems) == ["b"]
    assert list(soft_scores(corpus, probabilities={"m": rows}, baselines=[]).systems) == ["m"]


def test_labels():
    """Probabilities have no labels, so beside several labels they have no F1, and the reason says so."""
    layers = {"a": [[(0, 3, "X")], []], "b": [[(1, 4, "Y")], [(0, 1, "X")]]}
    corpus = sa.Corpus.from_segments([6, 4], layers, ids=["p", "q"])
    result = soft_scores(corpus, probabilities={"m": [{"id": "p", "s": spans((0, 1, 0.9))}]})
    assert result["m"].f1.reason == "probabilities have no labels, the references do"
    assert result["m"].iou == 0
    one = sa.Corpus.from_segments([6], {"a": [[(0, 3, "X")]]}, ids=["p"])
    alone = soft_scores(one, probabilities={"m": [{"id": "p", "s": spans((0, 1, 0.9))}]})
    assert alone["m"].f1.observed == approx(
        2 * 1 / (1 + 3)
    )  # by hand: one token of one, and of three


def test_nothing_at_all():
    """No documents, one reference, nobody who saw a document: undefined, and no error."""
    empty = soft_scores(sa.Corpus.from_segments([], {"a": [], "b": []}))
    assert math.isnan(empty["everything"].iou)
    assert math.isnan(empty.people.rho)
    alone = soft_scores(sa.Corpus.from_segments([3, 3], {"a": [[(0, 1, "X")], None]}))
    assert list(alone.systems) == ["everything", "nothing", "random"]
    assert alone["everything"].documents == 1
    assert alone.people.documents == 0


# --- the command --------------------------------------------------------------------------------


def printed(*arguments):
    """The rows that the study's command prints, by name."""
    command = [sys.executable, str(STUDY / "run.py"), *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", check=True)
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")] for line in done.stdout.splitlines()
    ]
    return {name: cells for name, *cells in rows[2:]}


def test_the_command(tmp_path):
    """The figures are those of Python; files of probabilities are read."""
    rows = [{"id": f"q-{i}", "soft_labels": spans((1, 4, 0.7))} for i in range(1, 9)]
    path = tmp_path / "m.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    found = printed(ANSWERS, "--systems", "a1", "--probabilities", f"m={path}", "--threshold", 0.6)
    result = soft_scores(sa.read(ANSWERS), systems=["a1"], probabilities={"m": path}, threshold=0.6)
    everybody = {**result.systems, "people": result.people}
    assert {name: cells[:3] for name, cells in found.items()} == {
        name: [str(x.documents), f"{x.iou:.4f}", f"{x.rho:.4f}"] for name, x in everybody.items()
    }


@pytest.mark.parametrize("name", NAMES)
def test_the_task_from_end_to_end(real, name):
    """The task's own files by the command: its soft labels against themselves are 1 and 1."""
    path = real / "data" / "tools" / "mushroom" / f"{name}.jsonl"
    task = printed(path, "--probabilities", f"task={path}", "--soft-gold", path)["task"]
    assert task[1:3] == ["1.0000", "1.0000"]


def test_random_is_a_mean_of_draws():
    """40 documents in which the only reference has one of four tokens: its mean IoU and F1 are 1/4
    by theory, rho 0 on the mean, within four of the standard errors that the note gives, which are
    those of 100 draws of 40 coins; one draw would be off by .07."""
    rng = np.random.default_rng(5)
    spans = [[(int(x), int(x) + 1, "X")] for x in rng.integers(0, 4, 40)]
    ids = [f"d{d}" for d in range(40)]
    corpus = sa.Corpus.from_segments([4] * 40, {"ann": spans}, ids=ids)

    def scored(corpus):
        return soft_scores(corpus, references=["ann"], baselines=["random"])

    result = scored(corpus)
    mean = result["random"]
    (note,) = [note for note in result.notes if note.startswith("random: ")]
    says(
        note, "random: means of 100 draws, the standard errors of IoU, ρ and F1 are …; only this …"
    )
    errors = [float(x) for x in re.findall(r"0\.\d+", note)]
    coin = (1 / 4 * 3 / 4 / 40 / 100) ** 0.5  # of a mean of 40 coins over 100 draws
    assert errors == pytest.approx([coin, coin * 4 / 3, coin], rel=0.3)  # rho is 1 or −1/3
    found = mean.iou, mean.rho, mean.f1.observed
    for value, theory, error in zip(found, (1 / 4, 0, 1 / 4), errors, strict=True):
        assert abs(value - theory) < 4 * error
    assert mean.f1.expected == pytest.approx(1 / 4, abs=1e-12)
    turned = scored(corpus.subset(range(39, -1, -1)))["random"]
    assert (turned.iou, turned.rho, *turned.f1[:3]) == pytest.approx((*found[:2], *mean.f1[:3]))
    whole = sa.Corpus.from_segments([4] * 3, {"ann": [[(0, 4, "X")]] * 3})
    certain = scored(whole)["random"]  # it has no other place
    assert (certain.iou, certain.f1.observed) == (1, 1)


def test_a_majority_is_among_its_voters():
    """What more than half marked is the vote itself, so IoU is 1 by definition."""
    crowd = {"a": [[(0, 2, "X")]], "b": [[(0, 2, "X")]], "c": [[(1, 4, "X")]], "m": [[(0, 3, "X")]]}
    corpus = sa.Corpus.from_segments([6], crowd)
    made = soft_scores(corpus, systems=["m"], baselines=["majority"])
    assert made["majority"].iou == 1
