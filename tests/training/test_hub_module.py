"""The module that Hugging Face's evaluate loads by its path, without a network."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import spanagree as sa

seqeval = pytest.importorskip("seqeval")
pytest.importorskip("seqeval.metrics")

ROOT = Path(__file__).parents[2]
GOLD = [["B-PER", "I-PER", "O"], ["B-LOC", "O", "O"], ["B-PER", "O", "B-LOC"]]
MINE = [["B-PER", "I-PER", "O"], ["O", "B-LOC", "O"], ["B-PER", "I-PER", "B-LOC"]]
CODE = """
import sys, json, socket
def refuse(*arguments): raise OSError("no network")
socket.socket.connect = refuse
import evaluate
metric = evaluate.load(sys.argv[1])
metric.add_batch(predictions=json.loads(sys.argv[2])[:2], references=json.loads(sys.argv[3])[:2])
metric.add(prediction=json.loads(sys.argv[2])[2], reference=json.loads(sys.argv[3])[2])
print(json.dumps([metric.compute(), metric.compute(
    predictions=json.loads(sys.argv[2]), references=json.loads(sys.argv[3]), mode="strict", scheme="IOB2")]))
"""


@pytest.mark.slow
def test_evaluate_loads_it(tmp_path):
    """Its figures are seqeval's by the names of the metric `seqeval`, and ours beside them."""
    pytest.importorskip("evaluate")
    command = [sys.executable, "-c", CODE, ROOT / "hub" / "spanagree", json.dumps(MINE), json.dumps(GOLD)]  # fmt: skip
    environment = {**os.environ, "HF_HOME": str(tmp_path), "PYTHONPATH": str(ROOT), "HF_HUB_OFFLINE": "1"}  # fmt: skip
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    lenient, strict = json.loads(done.stdout)
    assert strict == lenient  # all tags are well-formed
    report = seqeval.metrics.classification_report(GOLD, MINE, output_dict=True)
    for label in ("PER", "LOC"):
        row = lenient[label]
        assert [row["precision"], row["recall"], row["f1"], row["number"]] == list(report[label].values())  # fmt: skip
    assert lenient["overall_accuracy"] == seqeval.metrics.accuracy_score(GOLD, MINE)
    for name in ("precision", "recall", "f1"):
        ours = getattr(sa, f"{name}_score")(GOLD, MINE)
        assert lenient[f"overall_{name}"] == ours
        assert lenient[f"overall_corrected_{name}"] == ours.corrected
    assert lenient["overall_chance_f1"] == sa.f1_score(GOLD, MINE).expected
