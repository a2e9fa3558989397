"""The metric for Inspect. Oracle: ``evaluate`` of the same segments."""

from __future__ import annotations

import pytest

import spanagree as sa
from spanagree.errors import SettingError
from spanagree.training import inspect_metric

scorer = pytest.importorskip("inspect_ai.scorer")

GOLD = [[[0, 2, "PER"], [4, 5, "LOC"]], [[1, 3, "PER"]]]
ANSWER = [[[0, 2, "PER"]], [[0, 3, "PER"]]]


def scored(answer, **more):
    return scorer.SampleScore(score=scorer.Score(value=0, metadata={"answer": answer, **more}))


@pytest.mark.parametrize("value", ["observed", "expected", "corrected"])
@pytest.mark.parametrize("match", ["exact", "token"])
def test_figures(value, match):
    scores = [scored(a, gold=g, length=6) for a, g in zip(ANSWER, GOLD, strict=True)]
    rows = {"gold": GOLD, "answer": ANSWER}
    layers = {name: [[tuple(s) for s in each] for each in own] for name, own in rows.items()}
    f1 = sa.evaluate(sa.Corpus.from_segments([6, 6], layers), match=match).systems["answer"].f1
    assert inspect_metric(value, match=match)(scores) == getattr(f1, value)


def test_errors():
    with pytest.raises(SettingError, match="score 1: metadata lack 'gold'"):
        inspect_metric()([scored([], length=3)])
    with pytest.raises(SettingError, match="value 'f1'"):
        inspect_metric("f1")
