"""Corpora larger than memory: seconds and peak memory of evaluating generated blocks.

Blocks are made by the workers, from a seed each, so only what is counted travels. Prints a line for
each size: sentences, seconds, peak memory of the largest process (Linux), and the figures, which do
not depend on blocks or workers.

Usage: python scripts/scale.py [--sentences 500000,5000000] [--block 20000] [--workers N]
       [--resamples N]: with intervals of so many resamples
"""

from __future__ import annotations

import argparse
import resource
import time
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import nullcontext
from functools import partial
from typing import Any

import numpy as np

import spanagree as sa
from spanagree.arrays import Ints

LABELS = ("LOC", "MISC", "ORG", "PER")


def block(seed: int, sentences: int) -> sa.Corpus:
    """Gold and two systems that find most of it: sentences of 5 to 35 tokens, 2 segments each."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(5, 36, sentences)
    first = np.cumsum(lengths) - lengths
    start = np.cumsum(rng.integers(3, 17, int(lengths.sum()) // 10))
    start = start[start < lengths.sum()]
    document = np.searchsorted(first, start, side="right") - 1
    begin = start - first[document]
    end = np.minimum(begin + rng.integers(1, 4, len(start)), lengths[document])
    label = rng.integers(len(LABELS), size=len(start))
    everyone = np.ones(sentences, np.bool_)

    def layer(found: float, right: float) -> sa.Layer:
        kept = np.flatnonzero(rng.random(len(start)) < found)
        given: Ints = np.where(
            rng.random(len(kept)) < right, label[kept], rng.integers(len(LABELS), size=len(kept))
        )
        return sa.Layer(document[kept], begin[kept], end[kept], given, everyone)

    layers = {"gold": layer(1, 1), "one": layer(0.8, 0.9), "two": layer(0.6, 0.95)}
    ids = tuple(f"{seed}-{i}" for i in range(sentences))
    return sa.Corpus(lengths, layers, LABELS, ids=ids)


def measure(sentences: int, size: int, resamples: int, executor: Executor | None) -> str:
    """A line of the report."""
    begin = time.perf_counter()
    blocks = (
        partial(block, seed, min(size, sentences - low))
        for seed, low in enumerate(range(0, sentences, size))
    )
    ask: dict[str, Any] = {"ci": True, "resamples": resamples} if resamples else {}
    result = sa.evaluate(blocks, gold="gold", executor=executor, **ask)
    seconds = time.perf_counter() - begin
    used = (
        resource.getrusage(who).ru_maxrss
        for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    )
    f1 = ", ".join(f"{s.name} {s.f1.corrected!r}" for s in result.systems.values())
    return f"{sentences:>9} sentences  {seconds:8.1f} s  {max(used) / 1024:6.0f} MB  {f1}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", default="500000,5000000")
    parser.add_argument("--block", type=int, default=20_000)
    parser.add_argument("--workers", type=int)
    parser.add_argument("--resamples", type=int, default=0)
    asked = parser.parse_args()
    for sentences in map(int, asked.sentences.split(",")):
        with ProcessPoolExecutor(asked.workers) if asked.workers else nullcontext() as executor:
            line = measure(sentences, asked.block, asked.resamples, executor)
            print(line, flush=True)


if __name__ == "__main__":
    main()
