"""compute_metrics in the hands of transformers' Trainer, with a small model of random weights.

Oracle: seqeval's F1 of the tags that the predictions decode to, and ``evaluate`` of the same tags.
``.ci/run`` runs this in an environment of its own, with the extra ``trainer``.
"""

from __future__ import annotations

import numpy as np
import pytest

import spanagree as sa

pytestmark = pytest.mark.slow
HOW = "the extra trainer brings it: pip install '.[trainer]'"
torch = pytest.importorskip("torch", reason=f"torch is not installed; {HOW}")
transformers = pytest.importorskip("transformers", reason=f"transformers is not installed; {HOW}")
pytest.importorskip("accelerate", reason=f"accelerate is not installed; {HOW}")
f1_score = pytest.importorskip("seqeval.metrics").f1_score

NAMES = ["O", "B-PER", "I-PER", "B-LOC", "I-LOC"]
WORDS, PADDING = 20, 0


def documents(n_documents: int) -> list[dict[str, list[int]]]:
    """Documents of 3 to 9 words, whose tag follows from the word; every fourth word has a −100."""
    rng = np.random.default_rng(0)
    rows = []
    for length in rng.integers(3, 10, n_documents):
        words = rng.integers(1, WORDS, length)
        labels = np.where(words % 4 == 0, -100, words % len(NAMES))
        rows.append({"input_ids": words.tolist(), "labels": labels.tolist()})
    return rows


def collate(rows):
    """Pad a batch to its longest document, so that batches differ in width."""
    width = max(len(row["input_ids"]) for row in rows)
    fill = {"input_ids": PADDING, "labels": -100}
    batch = {
        key: torch.tensor([row[key] + [pad] * (width - len(row[key])) for row in rows])
        for key, pad in fill.items()
    }
    return batch | {"attention_mask": (batch["input_ids"] != PADDING).long()}


def trainer(folder, compute_metrics, *, hidden_states=False, **arguments):
    """Return a Trainer of a small model, which loads nothing."""
    transformers.set_seed(0)
    config = transformers.BertConfig(
        vocab_size=WORDS,
        hidden_size=16,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=16,
        max_position_embeddings=16,
        id2label=dict(enumerate(NAMES)),
        label2id={name: i for i, name in enumerate(NAMES)},
        output_hidden_states=hidden_states,
    )
    model = transformers.BertForTokenClassification(config)
    return transformers.Trainer(
        model=model,
        args=transformers.TrainingArguments(
            output_dir=str(folder),
            per_device_train_batch_size=8,
            per_device_eval_batch_size=3,
            learning_rate=0.02,
            report_to=[],
            use_cpu=True,
            disable_tqdm=True,
            dataloader_pin_memory=False,
            **arguments,
        ),
        data_collator=collate,
        train_dataset=documents(40),
        eval_dataset=documents(10),
        compute_metrics=compute_metrics(model.config.id2label),
    )


def decoded(prediction):
    """Return the tags given and predicted, without those of −100, document by document."""
    logits = prediction.predictions
    logits = logits[0] if isinstance(logits, tuple) else logits
    assert logits.ndim == 3
    gold, mine = [], []
    for row, label_ids in zip(logits, prediction.label_ids, strict=True):
        at = [i for i, label_id in enumerate(label_ids.tolist()) if label_id != -100]
        gold.append([NAMES[label_ids[i]] for i in at])
        mine.append([NAMES[int(row[i].argmax())] for i in at])
    return gold, mine


@pytest.mark.filterwarnings("ignore::seqeval.metrics.v1.UndefinedMetricWarning")
@pytest.mark.parametrize("hidden_states", [False, True])
def test_evaluate_and_train(tmp_path, hidden_states):
    """Before and after training, Trainer logs the figures of the tags that it predicted."""
    found = trainer(
        tmp_path, sa.trainer_metrics, hidden_states=hidden_states, max_steps=60, save_strategy="no"
    )
    scores = []
    for step in ("before", "after"):
        logged = found.evaluate()
        gold, mine = decoded(found.predict(found.eval_dataset))
        system = sa.evaluate(sa.from_tags({"gold": gold, "mine": mine})).systems["mine"]
        assert logged["eval_f1"] == pytest.approx(f1_score(gold, mine), nan_ok=True), step
        for key, value in (
            ("f1", system.f1.observed),
            ("chance", system.f1.expected),
            ("f1_corrected", system.f1.corrected),
            ("recall_corrected", system.recall.corrected),
        ):
            assert logged[f"eval_{key}"] == pytest.approx(value, nan_ok=True), (step, key)
        assert not any("PER" in key for key in logged)
        scores.append(logged["eval_f1_corrected"])
        if step == "before":
            found.train()
    assert scores[0] < 0.5 < scores[1]  # so that a figure is not 0 each time


def test_best_model(tmp_path):
    """Trainer keeps the checkpoint with the highest corrected F1, and logs labels on request."""
    found = trainer(
        tmp_path,
        lambda id2label: sa.trainer_metrics(id2label, scheme="IOB2", per_label=True),
        max_steps=20,
        eval_strategy="steps",
        eval_steps=10,
        save_strategy="steps",
        save_steps=10,
        metric_for_best_model="f1_corrected",
        greater_is_better=True,
        load_best_model_at_end=True,
    )
    found.train()
    logged = [row for row in found.state.log_history if "eval_f1_corrected" in row]
    assert len(logged) == 2
    assert found.state.best_metric == max(row["eval_f1_corrected"] for row in logged)
    again = found.evaluate()
    assert again["eval_f1_corrected"] == pytest.approx(found.state.best_metric)
    gold, mine = decoded(found.predict(found.eval_dataset))
    labels = sa.evaluate(sa.from_tags({"gold": gold, "mine": mine})).systems["mine"].labels
    assert again["eval_PER_f1_corrected"] == pytest.approx(labels["PER"].f1.corrected)
