"""Error spans in translations: agreement by characters and by matched spans, and graded scores.

Characters: precision, recall and F1 of the characters that both mark; a translation's chance is
exact, and so are both averages, as a random annotation keeps how much it marks. Spans: MPP, whose
chance is drawn. Macro averages are means over translations; one that neither marked counts as 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import rankdata

import spanagree as sa

_KINDS = ("observed", "expected", "corrected")
_DRAWS = 20

Figures = Mapping[str, float]


def error_spans(corpus: sa.Corpus, marked: sa.Corpus, task: Mapping[str, Any]) -> Any:
    """Return a row for each measure, weights and average: its mean over pairs, and each pair.

    ``marked`` is the corpus with one label, in which no annotator's segments overlap.
    """
    if not task.get("error_spans"):
        return None
    names, gold = list(corpus.layers), task.get("gold")
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :] if gold in (None, a)]
    rows = []
    for average in ("micro", "macro"):
        made = [(pair, *_characters(marked, *pair, macro=average == "macro")) for pair in pairs]
        rows.append(_row("characters", "none", average, made))
    for weights in (None, task["weights"]) if "weights" in task else (None,):
        for average in ("micro", "macro"):
            made = [
                (pair, *_spans(corpus, *pair, weights, macro=average == "macro")) for pair in pairs
            ]
            rows.append(_row("MPP", "severity" if weights else "none", average, made))
    return rows


def _row(measure: str, weights: str, average: str, made: Sequence[Any]) -> dict[str, Any]:
    """Return the mean over pairs, in which translations weigh the same."""
    made = [one for one in made if one[1]]
    shares = [documents for _, documents, _ in made]
    keys = list(made[0][2])
    means = {key: float(np.average([x[key] for *_, x in made], weights=shares)) for key in keys}
    pairs = [{"pair": [*pair], "documents": n, **figures} for pair, n, figures in made]
    return {"measure": measure, "weights": weights, "average": average, **means, "pairs": pairs}


def _spans(
    corpus: sa.Corpus, a: str, b: str, weights: Mapping[str, float] | None, *, macro: bool
) -> tuple[int, Figures]:
    made = sa.partial_credit(corpus, a, b, label_weights=weights, macro=macro, draws=_DRAWS)
    both = {"precision": made.precision.observed, "recall": made.recall.observed}
    return made.documents, {**both, **{kind: getattr(made.f1, kind) for kind in _KINDS}}


def _characters(corpus: sa.Corpus, a: str, b: str, *, macro: bool) -> tuple[int, Figures]:
    """Return how many translations both saw, and the figures of the second against the first."""
    both = corpus.layers[a].annotated & corpus.layers[b].annotated
    documents = int(both.sum())
    if not documents:
        return 0, {}
    pair = corpus.select_annotators([a, b]).subset(both)
    made = sa.evaluate(pair, a, match="token")
    if not macro:
        one = made[b]
        both_ways = {"precision": one.precision.observed, "recall": one.recall.observed}
        return documents, {**both_ways, **{kind: getattr(one.f1, kind) for kind in _KINDS}}
    rows = [row for row in made.to_rows("document") if row["average"] != "micro"]
    neither = documents - len(rows)  # who marks nothing has the precision (recall) 1

    def mean(key: str, *, undefined: float = 1.0) -> float:
        values = (undefined if math.isnan(row[key]) else row[key] for row in rows)
        return (math.fsum(values) + neither) / documents

    observed, expected = mean("f1_observed"), mean("f1_expected")
    return documents, {
        "precision": mean("precision_observed"),
        "recall": mean("recall_observed"),
        "observed": observed,
        "expected": expected,
        "corrected": (observed - expected) / (1 - expected),
    }


# --- scores of tokens ---------------------------------------------------------------------------


def graded(folder: Path, task: Mapping[str, Any]) -> Any:
    """Return recall at the top of graded scores, of each system, and what chance gives.

    Of a translation with K tokens marked in gold, of n, recall at K is the share of these among
    the K that have the highest scores. A random order has K / n on average. AUC, whose chance is
    1/2, is beside it. Translations in which gold marks nothing, or all, have neither.
    """
    if not task.get("graded"):
        return None
    gold = list(_tags(folder / task["graded"]["gold"]))
    rows = []
    for path in sorted(folder.glob(task["graded"]["systems"])):
        scores = [np.array(line.split(), float) for line in path.read_text("utf-8").splitlines()]
        made = np.array(
            [
                _of_translation(bad, score)
                for bad, score in zip(gold, scores, strict=True)
                if 0 < bad.sum() < len(bad)
            ]
        )
        auc, recall, chance = made.mean(axis=0).tolist()
        rows.append(
            {
                "name": path.name.split(".")[0],
                "translations": len(made),
                "auc": auc,
                "recall": recall,
                "chance": chance,
                "corrected": (recall - chance) / (1 - chance),
                "error": float(np.std(made[:, 1] - made[:, 2], ddof=1) / math.sqrt(len(made))),
            }
        )
    return rows


def _tags(path: Path) -> Iterator[np.ndarray]:
    for line in path.read_text("utf-8").splitlines():
        yield np.array([tag == "BAD" for tag in line.split()])


def _of_translation(bad: np.ndarray, score: np.ndarray) -> tuple[float, float, float]:
    """Return AUC, recall at K, tokens of one score sharing the places they take, and its chance."""
    k, n = int(bad.sum()), len(bad)
    ranks = rankdata(score)
    auc = (ranks[bad].sum() - k * (k + 1) / 2) / (k * (n - k))
    least = np.sort(score)[n - k]
    above, level = score > least, score == least
    found = bad[above].sum() + bad[level].sum() * (k - above.sum()) / level.sum()
    return float(auc), float(found / k), k / n


def mcc(corpus: sa.Corpus, gold: str) -> dict[str, float]:
    """Return Matthews' correlation of marked tokens, of each system with gold."""
    marked = {name: _marked(corpus, name) for name in corpus.layers}
    truth = marked.pop(gold)
    return {name: float(np.corrcoef(truth, one)[0, 1]) for name, one in marked.items()}


def _marked(corpus: sa.Corpus, name: str) -> np.ndarray:
    """Return which tokens of all documents a layer marks."""
    begin = np.cumsum(corpus.lengths) - corpus.lengths
    made = np.zeros(int(corpus.lengths.sum()), np.bool_)
    layer = corpus.layers[name]
    for start, end in zip(
        begin[layer.document] + layer.start, begin[layer.document] + layer.end, strict=True
    ):
        made[start:end] = True
    return made
