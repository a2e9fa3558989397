"""Large corpora: what evaluating many files costs, as a command.

Writes gold and two systems to CoNLL files, so many sentences each, and runs ``spanagree evaluate``
on the patterns that find them. Prints a line for each size: sentences, tokens, workers, seconds,
processor time of all processes, peak memory of the largest (Linux), and figures, which do not
depend on files or workers. Where there are more than 500,000 sentences, these are so many, over and
over.

Usage: python scripts/scale.py [--sentences 500000,5000000] [--file 20000: sentences of each]
       [--workers 0,2] [--ci]: with intervals
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

import spanagree as sa
from spanagree.arrays import Ints
from spanagree.corpus.tag_writer import write_tags

LABELS = ("LOC", "MISC", "ORG", "PER")
DISTINCT = 500_000  # sentences of files of which none is like another


def drawn(seed: int, sentences: int) -> sa.Corpus:
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

    def layer(found: float, right: float) -> sa.corpus.Layer:
        kept = np.flatnonzero(rng.random(len(start)) < found)
        given: Ints = np.where(
            rng.random(len(kept)) < right, label[kept], rng.integers(len(LABELS), size=len(kept))
        )
        return sa.corpus.Layer(document[kept], begin[kept], end[kept], given, everyone)

    layers = {"gold": layer(1, 1), "one": layer(0.8, 0.9), "two": layer(0.6, 0.95)}
    return sa.Corpus(lengths, layers, LABELS)


def pages(corpus: sa.Corpus) -> dict[str, bytes]:
    """The text of a CoNLL file for each layer."""
    of_tags = corpus.labels, corpus.lengths, "IOB2"
    ends = np.zeros(int(corpus.lengths.sum()), np.bool_)
    ends[np.cumsum(corpus.lengths) - 1] = True
    line = [f"w{i % 5003} {{}}\n" + "\n" * last for i, last in enumerate(ends.tolist())]
    return {
        name: "".join(map(str.format, line, write_tags(layer, *of_tags))).encode()
        for name, layer in corpus.layers.items()
    }


def write(folder: Path, sentences: int, size: int) -> tuple[list[str], int]:
    """Write the files, gold first; return their patterns, and how many tokens each layer has."""
    names = ("gold", "one", "two")
    known: dict[tuple[int, int], tuple[dict[str, bytes], int]] = {}
    tokens = 0
    for number, low in enumerate(range(0, sentences, size)):
        key = number % max(1, DISTINCT // size), min(size, sentences - low)
        if key not in known:
            corpus = drawn(*key)
            known[key] = pages(corpus), int(corpus.lengths.sum())
        texts, more = known[key]
        tokens += more
        for name in names:
            (folder / f"{name}-{number:06}.conll").write_bytes(texts[name])
    return [f"{name}={folder / name}-*.conll" for name in names], tokens


def measure(paths: list[str], asked: list[str]) -> str:
    """Seconds, processor time, peak memory and figures of one command."""
    command = [sys.executable, "-m", "spanagree", "evaluate", *paths, *asked, "--format", "json"]
    with tempfile.TemporaryFile() as output:
        begin = time.perf_counter()
        process = subprocess.Popen(command, stdout=output)
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        if process.returncode:
            raise SystemExit(f"'{' '.join(command)}' ended with {process.returncode}")
        systems = json.load(output)["tables"]["systems"]
    f1 = ", ".join(f"{s['system']} {s['f1']['corrected']!r}" for s in systems)
    processor = used.ru_utime + used.ru_stime
    return f"{seconds:8.1f} s  {processor:8.1f} s  {used.ru_maxrss / 1024:6.0f} MB  {f1}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", default="500000,5000000")
    parser.add_argument("--file", type=int, default=20_000)
    parser.add_argument("--workers", default="0,2")
    parser.add_argument("--ci", action="store_true")
    asked = parser.parse_args()
    how = ["--scheme", "IOB2"]
    how += ["--ci"] if asked.ci else []
    for sentences in map(int, asked.sentences.split(",")):
        with tempfile.TemporaryDirectory(prefix="spanagree-scale-") as folder:
            with ProcessPoolExecutor(1) as writer:  # what it takes is not seen in what is measured
                paths, tokens = writer.submit(write, Path(folder), sentences, asked.file).result()
            for workers in map(int, asked.workers.split(",")):
                line = measure(paths, [*how, *(["--workers", str(workers)] if workers else [])])
                print(f"{sentences:>9} {tokens:>10} {workers:>3}  {line}", flush=True)


if __name__ == "__main__":
    main()
