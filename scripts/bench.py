"""Our calls beside those of the programs that users run today, in one run, in alternation.

Times mean nothing on shared machines; ratios of medians do. Usage: python scripts/bench.py
[--rounds 5] [--sentences 20000] [--wnut17 FOLDER]

--wnut17 names a folder with emerging.test.annotated and submissions/ of seven systems, public at
noisy-text.github.io/2017; without it tags of the same number are drawn.
"""

from __future__ import annotations

import argparse
import random
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import spanagree as sa

LABELS = ("PER", "LOC", "ORG", "MISC")


def sentences(count: int, tokens: int, seed: int) -> list[list[str]]:
    """Random IOB2 tags: about two segments a sentence, of geometric length."""
    rng = random.Random(seed)
    made = []
    for _ in range(count):
        tags = ["O"] * tokens
        at = rng.randrange(6)
        while at < tokens:
            label = rng.choice(LABELS)
            tags[at] = f"B-{label}"
            end = at + 1
            while end < tokens and rng.random() < 0.5:
                tags[end] = f"I-{label}"
                end += 1
            at = end + rng.randrange(20)
        made.append(tags)
    return made


def work(count: int) -> dict[str, tuple[Callable[[], Any], Callable[[], Any]]]:
    """By name: our call and theirs, on the same input."""
    from datasets import ClassLabel, Dataset, Features, List, Value
    from seqeval.metrics import classification_report, f1_score
    from seqeval.metrics.sequence_labeling import get_entities

    gold, mine = (sentences(count, 25, seed) for seed in (1, 2))
    systems = {str(i): sentences(count, 25, i) for i in range(3, 10)}
    names = ["O", *(f"{p}-{label}" for label in LABELS for p in "BI")]
    number = {name: i for i, name in enumerate(names)}
    column = sentences(1_000_000 // 25, 25, 1)
    ds = Dataset.from_dict(
        {
            "tokens": [["w"] * 25] * len(column),
            "tags": [[number[tag] for tag in tags] for tags in column],
        },
        features=Features({"tokens": List(Value("string")), "tags": List(ClassLabel(names=names))}),
    )

    def ours() -> object:
        return sa.evaluate(sa.from_tags({"gold": gold, "mine": mine}))

    return {
        "evaluation with chance / f1_score": (ours, lambda: f1_score(gold, mine)),
        "evaluation with chance / classification_report": (
            ours,
            lambda: classification_report(gold, mine),
        ),
        "7 systems / seven f1_score": (
            lambda: sa.evaluate(sa.from_tags({"gold": gold, **systems})),
            lambda: [f1_score(gold, system) for system in systems.values()],
        ),
        "1,000,000 tokens of a dataset / get_entities": (
            lambda: sa.from_dataset(ds, tokens="tokens", tags={"gold": "tags"}),
            lambda: get_entities(column),
        ),
    }


def resampling(folder: Path | None) -> tuple[Callable[[], Any], Callable[[], Any]]:
    """10,000 paired resamples of seven systems, raw and corrected; 100 calls of f1_score on one."""
    from seqeval.metrics import f1_score

    if folder is None:
        tags = {str(seed): sentences(1287, 18, seed) for seed in range(8)}
        corpus = sa.from_tags(tags)
        gold, mine = tags["0"], tags["1"]
    else:
        files = [folder / "emerging.test.annotated", *sorted((folder / "submissions").iterdir())]
        corpus = sa.read_conll(files, ignore_tokens=True)
        assert len(corpus.layers) == 8, "gold and seven systems are needed"
        gold, mine = (write_tags(corpus, name) for name in corpus.annotators[:2])
    evaluation = sa.evaluate(corpus)

    def ours() -> object:
        return sa.compare_systems(evaluation, resamples=10_000)

    return ours, lambda: [f1_score(gold, mine) for _ in range(100)]


def write_tags(corpus: sa.Corpus, name: str) -> list[list[str]]:
    """A layer as lists of IOB2 tags."""
    made = []
    for document in corpus:
        tags = ["O"] * document.length
        for start, end, label in document.segments[name] or ():
            tags[start:end] = [f"B-{label}", *[f"I-{label}"] * (end - start - 1)]
        made.append(tags)
    return made


def timed(call: Callable[[], Any]) -> float:
    """Seconds of one call."""
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def main() -> None:
    """Prints a row for each work: our median, theirs, and the ratio."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--sentences", type=int, default=20_000)
    parser.add_argument("--wnut17", type=Path)
    asked = parser.parse_args()
    calls = work(asked.sentences)
    calls["10,000 resamples of 7 systems / 100 f1_score"] = resampling(asked.wnut17)
    print(f"{'work':50}  ours s  theirs s  ratio")
    for name, (ours, theirs) in calls.items():
        rounds = [(timed(ours), timed(theirs)) for _ in range(asked.rounds)]
        mine, other = (statistics.median(column) for column in zip(*rounds, strict=True))
        print(f"{name:50}  {mine:6.3f}  {other:8.3f}  {mine / other:5.3f}")


if __name__ == "__main__":
    main()
