"""compute_metrics for Trainer: arrays of the shapes that Trainer hands over, and all others."""

from __future__ import annotations

import json
import math
import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import refuses, says
from strategies import at_most

import spanagree as sa

seqeval = pytest.importorskip("seqeval")
pytest.importorskip("seqeval.metrics")
pytest.importorskip("seqeval.scheme")

NAMES = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
LENGTHS = st.lists(st.integers(0, 7), max_size=5)


@st.composite
def tagged(draw):
    """Documents of different lengths: ids predicted, ids given, and where −100 stands."""
    documents = []
    for length in draw(LENGTHS):
        ids = st.lists(st.integers(0, len(NAMES) - 1), min_size=length, max_size=length)
        left_out = st.lists(st.booleans(), min_size=length, max_size=length)
        predicted, label_ids, out = (np.array(draw(of), np.int64) for of in (ids, ids, left_out))
        documents.append((predicted, np.where(out, -100, label_ids)))
    return documents


def padded(rows, fill=-100, width=0):
    """Batches put together: padded to the longest."""
    width = max([width, *map(len, rows)])
    array = np.full((len(rows), width, *rows[0].shape[1:]), fill, rows[0].dtype)
    for row, target in zip(rows, array, strict=True):
        target[: len(row)] = row
    return array


def logits(ids, dtype=np.float16):
    """Logits of which these ids are the best; where ids are −100, padding."""
    scores = np.random.default_rng(len(ids)).random((len(ids), len(NAMES))) * 0.5
    scores[np.arange(len(ids)), ids] += 1
    return scores.astype(dtype)


def objects(rows):
    array = np.empty(len(rows), dtype=object)
    array[:] = rows
    return array


def tags(documents, side):
    """The tags of the tokens that count."""
    return [[NAMES[i] for i in of[side][of[1] != -100]] for of in documents]


SHAPES = {
    "logits": lambda p, g: (padded([logits(x) for x in p]), padded(g)),
    "logits in float32": lambda p, g: (padded([logits(x, dtype=np.float32) for x in p]), padded(g)),
    "logits and hidden states": lambda p, g: ((padded([logits(x) for x in p]), "more"), padded(g)),
    "ids": lambda p, g: (padded(p), padded(g)),
    "ids in int32, a wider batch": lambda p, g: (padded(p, width=9).astype(np.int32), padded(g, width=9)),
    "ids of a padding label": lambda p, g: (padded(p, fill=0), padded(g)),
    "objects": lambda p, g: (objects([logits(x) for x in p]), objects(g)),
    "objects of objects": lambda p, g: (objects([x.astype(object) for x in p]), objects(g)),
    "lists": lambda p, g: ([x.tolist() for x in p], [x.tolist() for x in g]),
}  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
@given(tagged())
@at_most(30)
def test_every_shape(shape, documents):
    """Raw figures are seqeval's, corrected ones sa.evaluate's of the same tags."""
    if not documents:
        return
    prediction = SHAPES[shape](*zip(*documents, strict=True))
    metrics = sa.trainer_metrics(NAMES, per_label=True)(prediction)
    overall = sa.trainer_metrics(NAMES)(prediction)
    prediction = SimpleNamespace(predictions=prediction[0], label_ids=prediction[1])
    assert repr(sa.trainer_metrics(NAMES, per_label=True)(prediction)) == repr(metrics)
    gold, mine = tags(documents, 1), tags(documents, 0)
    system = sa.evaluate(sa.from_tags({"gold": gold, "mine": mine})).systems["mine"]
    expected = {
        "precision": system.precision.observed,
        "recall": system.recall.observed,
        "f1": system.f1.observed,
        "chance": system.f1.expected,
        "precision_corrected": system.precision.corrected,
        "recall_corrected": system.recall.corrected,
        "f1_corrected": system.f1.corrected,
    }
    assert repr(overall) == repr(expected)  # of labels on request alone
    for label in ("PER", "LOC"):
        f1 = system.labels[label].f1 if label in system.labels else sa.Tally().f1
        expected |= {
            f"{label}_f1": f1.observed,
            f"{label}_chance": f1.expected,
            f"{label}_f1_corrected": f1.corrected,
        }
    assert list(metrics) == list(expected)
    assert repr(metrics) == repr(expected)  # to the last digit, nan for nan
    assert {type(value) for value in metrics.values()} == {float}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # seqeval warns where it puts 0 for undefined
        theirs = seqeval.metrics.f1_score(gold, mine) if any(gold) else 0
    assert (0 if math.isnan(metrics["f1"]) else metrics["f1"]) == pytest.approx(theirs)


@given(tagged())
@at_most(30)
def test_strict(documents):
    """Strict reading is seqeval's strict mode."""
    if not any((label_ids != -100).any() for _, label_ids in documents):
        return
    compute = sa.trainer_metrics(NAMES, scheme="IOB2", strict=True)
    metrics = compute(SHAPES["logits"](*zip(*documents, strict=True)))
    gold, mine = tags(documents, 1), tags(documents, 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs = seqeval.metrics.f1_score(gold, mine, mode="strict", scheme=seqeval.scheme.IOB2)
    assert (0 if math.isnan(metrics["f1"]) else metrics["f1"]) == pytest.approx(theirs)


@pytest.mark.parametrize("match", ["token", "iou", "boundaries"])
@pytest.mark.parametrize("chance", ["per-label", "overlapping"])
def test_settings(match, chance):
    """Measure and chance model are those of sa.evaluate."""
    rng = np.random.default_rng(0)
    predicted, label_ids = rng.integers(0, 5, (2, 20, 12))
    of_label = match != "boundaries"
    compute = sa.trainer_metrics(NAMES, match=match, chance=chance, per_label=of_label)
    metrics = compute((predicted, label_ids))
    layers = {"gold": np.array(NAMES)[label_ids].tolist(), "mine": np.array(NAMES)[predicted].tolist()}  # fmt: skip
    system = sa.evaluate(sa.from_tags(layers), match=match, chance=chance).systems["mine"]
    assert metrics["f1_corrected"] == system.f1.corrected
    assert ("PER_f1" in metrics) == of_label


def test_names():
    """A list, id2label, id2label from JSON, ids with gaps, bare labels in IO."""
    arrays = (np.array([[1, 2, 0, 0]]), np.array([[1, 2, 0, 1]]))
    metrics = sa.trainer_metrics(NAMES, per_label=True)(arrays)
    by_id = dict(enumerate(NAMES))
    assert repr(sa.trainer_metrics(by_id, per_label=True)(arrays)) == repr(metrics)
    from_json = json.loads(json.dumps(by_id))
    assert repr(sa.trainer_metrics(from_json, per_label=True)(arrays)) == repr(metrics)
    gaps = {10: "B-PER", 0: "O", 7: "I-PER"}
    moved = tuple(np.array([0, 10, 7])[of] for of in arrays)
    assert repr(sa.trainer_metrics(gaps, per_label=True)(moved)) == repr({k: v for k, v in metrics.items() if "LOC" not in k})  # fmt: skip
    bare = sa.trainer_metrics(["O", "PER", "LOC"], scheme="IO", per_label=True)(
        (np.array([[1, 1, 0, 2]]),) * 2
    )
    assert (bare["f1"], bare["PER_f1"], bare["LOC_f1"]) == (1, 1, 1)


def test_undefined():
    """No documents, no tokens that count, nothing marked: nan throughout, and always all keys."""
    compute = sa.trainer_metrics(NAMES, per_label=True)
    keys = list(compute((np.array([[1]]), np.array([[1]]))))
    none = np.zeros((0, 4), np.int64)
    for arrays in (
        (none, none),
        (np.zeros((0, 4, 5)), none),
        ([], []),
        (np.zeros((2, 3, 5)), np.full((2, 3), -100)),
        (np.zeros((2, 0), np.int64), np.zeros((2, 0), np.int64)),
        (np.zeros((2, 3), np.int64), np.zeros((2, 3), np.int64)),
    ):
        metrics = compute(arrays)
        assert list(metrics) == keys
        assert all(math.isnan(value) for value in metrics.values())
    one_side = compute((np.array([[0, 0]]), np.array([[1, 0]])))
    assert (one_side["f1"], one_side["f1_corrected"], one_side["recall"]) == (0, 0, 0)
    assert math.isnan(one_side["precision"])
    assert math.isnan(one_side["LOC_f1"])


IDS = np.array([[0, 1]])


@pytest.mark.parametrize(
    ("names", "chosen", "message"),
    [
        ("O B", {}, "label_names 'O B' … list of tags … config.id2label"),
        ([], {}, "label_names [] … list of tags … config.id2label"),
        (None, {}, "label_names None … list of tags … config.id2label"),
        ({"O": 0}, {}, "label_names {'O': 0} … list of tags … config.id2label"),
        ({-1: "O", 0: "B-X"}, {}, "label_names {-1: 'O', 0: 'B-X'} … list of tags … config.id2label"),
        (["O", "LABEL_1"], {"scheme": "IOB2"}, "label_names, id 1: unknown tag 'LABEL_1'; allowed: O … B- I-"),
        (NAMES, {"match": "x"}, "unknown match 'x'; allowed: exact, …"),
        (NAMES, {"chance": "x"}, "unknown chance 'x'; allowed: auto"),
        (NAMES, {"scheme": "x"}, "unknown scheme 'x'; allowed: auto, IO, IOB1, IOB2, IOE1, IOE2, IOBES, BILOU"),
        (NAMES, {"strict": True}, "strict … name the scheme"),
        (NAMES, {"per_label": True, "match": "boundaries"}, "per_label: match boundaries disregards labels … leave it out"),
    ],
)  # fmt: skip
def test_errors_of_settings(names, chosen, message):
    """A slip is found before the training begins."""
    with refuses(sa.SpanAgreeError, message):
        sa.trainer_metrics(names, **chosen)


@pytest.mark.parametrize(
    ("prediction", "message"),
    [
        (None, "None … an EvalPrediction … pair"),
        ((IDS, IDS, IDS), None),
        ((IDS, None), "label ids None … whole numbers of shape (tokens,)"),
        ((IDS, np.zeros((1, 2, 3))), "label ids, document 1: shape (2, 3) of float64 … whole numbers of shape (tokens,)"),
        ((np.array([[0.0, 1.0]]), IDS), "predictions, document 1: shape (2,) of float64 … (tokens,) or logits of shape (tokens, labels)"),
        ((np.array([0, 1]), IDS), "predictions, document 1: shape () of int64 … (tokens,) or logits of shape (tokens, labels)"),
        (([[[0.1], [0.2, 0.3]]], IDS), None),
        ((np.zeros((1, 2, 0)), IDS), None),
        ((IDS[:0], IDS), "documents: 0 of predictions, 1 of label ids"),
        ((IDS[:, :1], IDS), "document 1: 1 predictions, 2 label ids"),
        ((np.array([[0, 9]]), IDS), "predictions, document 1: id 9 … label_names has 5, from 0 to 4"),
        (([[0], [0]], [[0], [-1]]), "label ids, document 2: id -1 … label_names has 5, from 0 to 4"),
    ],
)  # fmt: skip
def test_errors_of_predictions(prediction, message):
    """What does not fit is named, with its document."""
    with pytest.raises(sa.InputError) as error:
        sa.trainer_metrics(NAMES)(prediction)
    if message is not None:
        says(error.value, message)
    assert "needed" in str(error.value) or "need" in str(error.value) or "name" in str(error.value)
    assert "\n" not in str(error.value)


def test_a_prediction_that_does_not_count():
    """−100 predicted for a token with a label would take gold out of recall, and is refused."""
    compute_metrics = sa.trainer_metrics(NAMES)
    with refuses(sa.InputError, "predictions, document 1: id -100 has no name"):
        compute_metrics((np.array([[1, -100, 2]]), np.array([[1, 3, 2]])))
    padded_only = compute_metrics((np.array([[1, -100]]), np.array([[1, -100]])))
    assert padded_only["f1"] == 1


def test_metrics_are_plain():
    """Trainer writes its history as JSON, and compares floats."""
    metrics = sa.trainer_metrics(NAMES)((np.zeros((1, 3, 5), np.float16), np.array([[1, 2, 0]])))
    assert json.loads(json.dumps(metrics))["recall"] == 0
    assert not np.greater(math.nan, 0.5)  # an undefined figure is never the best
