"""Our calls beside those of the programs that users run today, in one run, in alternation.

Times mean nothing on shared machines; ratios of medians do. Each piece of work has a bar that the
ratio (ours / theirs) should stay under. Peers that are not installed are passed over, visibly.

    pip install '.[bench]' && python scripts/bench.py

Options: --rounds N (5), --only TEXT (work with TEXT in its name), --small (sizes for a quick look),
--wnut17 FOLDER (emerging.test.annotated and submissions/ of seven systems, public at
noisy-text.github.io/2017; without it tags of the same number are drawn), --write (into
docs/benchmarks.md and docs/benchmarks.svg).
"""

from __future__ import annotations

import argparse
import functools
import importlib.util
import math
import os
import platform
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import spanagree as sa
from spanagree.chance.simulate import redraw
from spanagree.matching.expected import place_layers, tallies

LABELS = ("PER", "LOC", "ORG", "MISC")
DOCS = Path(__file__).parent.parent / "docs"
Call = Callable[[], Any]


class Given(float):
    """What a call returns in place of the seconds it takes: bytes, or a time that is given."""


@dataclass(frozen=True)
class Work:
    """One comparison: our call and a peer's, on the same input.

    ``bar`` is the ratio to stay under, ``needs`` the package of the peer. ``memory`` says that
    the calls return peak memory in bytes, rather than that they are timed.
    """

    name: str
    peer: str
    bar: float | None
    make: Callable[[], tuple[Call, Call]]
    needs: str = "seqeval"
    memory: bool = False


# --- inputs --------------------------------------------------------------------------------------


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


def shapes(count: int, seed: int) -> tuple[list[list[str]], list[list[str]]]:
    """Sentences of 5 to 60 tokens with 0 to 8 segments, nearly all different; gold and a system."""
    rng = random.Random(seed)
    gold = []
    for _ in range(count):
        tags = ["O"] * rng.randint(5, 60)
        at = 0
        for _ in range(rng.randint(0, 8)):
            at += rng.randint(0, 6)
            length = min(1 + int(rng.expovariate(0.7)), len(tags) - at)
            if length < 1:
                break
            label = rng.choice(LABELS)
            tags[at : at + length] = [f"B-{label}", *[f"I-{label}"] * (length - 1)]
            at += length
        gold.append(tags)
    mine = [["O" if rng.random() < 0.1 else tag for tag in tags] for tags in gold]
    return gold, mine


def long_document(tokens: int, segments: int) -> sa.Corpus:
    """Two annotators of one document; segments of geometric length, 2.5 tokens in the mean."""
    layers = {}
    for seed, name in enumerate(("a", "b")):
        rng = np.random.default_rng(seed)
        size = rng.geometric(1 / 2.5, segments)
        slots = tokens - int(size.sum()) + segments
        slot = np.sort(rng.choice(slots, segments, replace=False))
        start = slot + np.concatenate(([0], np.cumsum(size - 1)[:-1]))
        nothing = np.zeros(segments, np.int64)
        layers[name] = sa.Layer(nothing, start, start + size, nothing, np.ones(1, np.bool_))
    return sa.Corpus(np.array([tokens]), layers, ("X",))


def units(count: int, annotators: int = 5, seed: int = 0) -> list[list[tuple[int, int, str]]]:
    """Annotators who mark about the same segments of one document."""
    rng = np.random.default_rng(seed)
    base = np.sort(rng.choice(40 * count, count, replace=False)).tolist()
    made = []
    for _ in range(annotators):
        segments, last = [], 0
        for at in base:
            start = max(at + int(rng.integers(-2, 3)), last)
            last = start + int(rng.integers(1, 15))
            segments.append((start, last, LABELS[int(rng.integers(3))]))
        made.append(segments)
    return made


def one_document(annotators: list[list[tuple[int, int, str]]]) -> sa.Corpus:
    """One document that all of them saw."""
    end = max(segments[-1][1] for segments in annotators)
    layers = {str(i): [segments] for i, segments in enumerate(annotators)}
    return sa.Corpus.from_segments([end], layers)


def labels(items: int) -> Any:
    """Labels of five annotators, 50 categories; (items, 5)."""
    rng = np.random.default_rng(0)
    truth = rng.integers(50, size=items)
    luck = rng.integers(50, size=(items, 5))
    return np.where(rng.random((items, 5)) < 0.6, truth[:, None], luck)


# --- work ----------------------------------------------------------------------------------------


def all_work(small: bool, wnut17: Path | None) -> Iterator[Work]:
    """Every comparison, in the order of the report."""
    part = 20 if small else 1
    count = 20_000 // part

    def one() -> tuple[Call, Call]:
        from seqeval.metrics import f1_score

        gold, mine = (sentences(count, 25, seed) for seed in (1, 2))
        return (
            lambda: sa.evaluate(sa.from_tags({"gold": gold, "mine": mine})),
            lambda: f1_score(gold, mine),
        )

    def report() -> tuple[Call, Call]:
        from seqeval.metrics import classification_report

        gold, mine = (sentences(count, 25, seed) for seed in (1, 2))
        return (
            lambda: sa.evaluate(sa.from_tags({"gold": gold, "mine": mine})),
            lambda: classification_report(gold, mine),
        )

    def seven() -> tuple[Call, Call]:
        from seqeval.metrics import f1_score

        gold, *systems = (sentences(count, 25, seed) for seed in range(8))
        named = {str(i): system for i, system in enumerate(systems)}
        return (
            lambda: sa.evaluate(sa.from_tags({"gold": gold, **named})),
            lambda: [f1_score(gold, system) for system in systems],
        )

    def nervaluate() -> tuple[Call, Call]:
        from nervaluate.evaluator import Evaluator

        gold, mine = (sentences(count // 4, 25, seed) for seed in (1, 2))
        return (
            lambda: sa.evaluate(sa.from_tags({"gold": gold, "mine": mine})),
            lambda: Evaluator(gold, mine, tags=list(LABELS), loader="list").evaluate(),
        )

    def many_shapes() -> tuple[Call, Call]:
        from seqeval.metrics import f1_score

        gold, mine = shapes(200_000 // part, 1)
        return (
            lambda: sa.evaluate(sa.from_tags({"gold": gold, "mine": mine})),
            lambda: f1_score(gold, mine),
        )

    def long() -> tuple[Call, Call]:
        corpus = long_document(1_000_000 // part, 100_000 // part)

        def ours() -> object:
            profiles, placed = place_layers(corpus, ("a", "b"), "nonoverlapping")
            return tallies(placed["a"], placed["b"], profiles, "exact", 1)

        def draws() -> None:
            for seed in range(30):
                redraw(corpus.layers["a"], corpus.lengths, 1, seed)

        return ours, draws

    def gamma(*, aligned: int = 0, fast: bool = True) -> tuple[Call, Call]:
        import logging

        from pyannote.core import Segment
        from pygamma_agreement import CombinedCategoricalDissimilarity, Continuum

        logging.disable(logging.WARNING)  # one line a solver that is not there
        annotators = units((100 if aligned else 500) // part, aligned or 5)
        corpus = one_document(annotators)
        continuum = Continuum()
        for i, segments in enumerate(annotators):
            for start, stop, label in segments:
                continuum.add(str(i), Segment(float(start), float(stop)), label)
        measure = CombinedCategoricalDissimilarity()

        def theirs() -> None:
            with silenced():
                continuum.compute_gamma(measure, fast=fast)

        # 30 draws of pygamma have an error of γ of about .003 there
        precise = functools.partial(sa.gamma, corpus, precision=0.003)
        return precise if aligned else lambda: sa.agree(corpus), theirs

    def aligned_alone(count: int, precision: float, seconds: float) -> tuple[Call, Call]:
        corpus = one_document(units(count // part))
        # small documents would need more draws
        ours = functools.partial(sa.gamma, corpus, precision=precision * part)
        return ours, lambda: Given(seconds)

    def crowd() -> tuple[Call, Call]:
        layers = {
            str(i): [units(10, annotators=1, seed=400 * i + d)[0] for d in range(400 // part)]
            for i in range(40)
        }
        corpus = sa.Corpus.from_segments([450] * (400 // part), layers)
        return lambda: sa.alpha_u(corpus), lambda: Given(1)

    def alpha() -> tuple[Call, Call]:
        import krippendorff

        values = labels(40_000 // part)

        def ours() -> object:
            table = sa.LabelTable.from_array(values)
            return sa.alpha(table), sa.pi(table), sa.spa(table)

        theirs = values.T.astype(float)
        return ours, lambda: krippendorff.alpha(theirs, level_of_measurement="nominal")

    def alpha_memory() -> tuple[Call, Call]:
        ours = "t = sa.LabelTable.from_array(v); sa.alpha(t), sa.pi(t), sa.spa(t)"
        theirs = "krippendorff.alpha(v.T.astype(float), level_of_measurement='nominal')"
        before = "import numpy as np, krippendorff, spanagree as sa"
        items = 40_000 // part
        return lambda: peak(before, ours, items), lambda: peak(before, theirs, items)

    def nltk() -> tuple[Call, Call]:
        from nltk.metrics.agreement import AnnotationTask

        values = labels(1000 // part)
        rows = [(str(a), str(i), str(c)) for (i, a), c in np.ndenumerate(values)]
        return (
            lambda: sa.kappa(sa.LabelTable.from_array(values)),
            lambda: AnnotationTask(data=rows).multi_kappa(),
        )

    def datasets() -> tuple[Call, Call]:
        from datasets import ClassLabel, Dataset, Features, List, Value
        from seqeval.metrics.sequence_labeling import get_entities

        names = ["O", *(f"{p}-{label}" for label in LABELS for p in "BI")]
        number = {name: i for i, name in enumerate(names)}
        column = sentences(40_000 // part, 25, 1)
        ds = Dataset.from_dict(
            {
                "tokens": [["w"] * 25] * len(column),
                "tags": [[number[tag] for tag in tags] for tags in column],
            },
            features=Features(
                {"tokens": List(Value("string")), "tags": List(ClassLabel(names=names))}
            ),
        )
        return (
            lambda: sa.from_dataset(ds, tokens="tokens", tags={"gold": "tags"}),
            lambda: get_entities(column),
        )

    yield Work("evaluation with chance, 20,000 sentences", "f1_score", 0.3, one)
    yield Work("evaluation with chance, 20,000 sentences", "classification_report", 0.1, report)
    yield Work("evaluation of 7 systems", "seven f1_score", 0.2, seven)
    yield Work("evaluation, 5,000 sentences", "nervaluate", None, nervaluate, "nervaluate")
    yield Work("many shapes, 200,000 sentences", "f1_score", 1.0, many_shapes)
    yield Work(
        "command line, 8 files, as a process", "script with f1_score", 0.5, lambda: files(part)
    )
    yield Work(
        "long document, distributions and totals", "30 draws of our simulator", 0.05, long, "numpy"
    )
    yield Work(
        "agreement, 5 annotators × 500 segments", "pygamma fast", 0.001, gamma, "pygamma_agreement"
    )
    aligned = functools.partial(gamma, aligned=3, fast=False)
    yield Work("γ, 3 annotators × 100 units", "pygamma", 0.1, aligned, "pygamma_agreement")
    # pygamma-agreement 0.5.9 was stopped after nine minutes, on the machine of docs/benchmarks.md
    five = functools.partial(aligned_alone, 100, 0.003, 540)
    yield Work("γ, 5 annotators × 100 units", "pygamma, stopped", 0.1, five, "numpy")
    dense = functools.partial(aligned_alone, 500, 0.01, 60)
    yield Work("γ, 5 annotators × 500 units", "a minute", 1.0, dense, "numpy")
    yield Work("α_U, 40 annotators × 400 documents", "a second", 1.0, crowd, "numpy")
    yield Work("α, π, SPA of 40,000 × 5, 50 labels", "krippendorff", 0.05, alpha, "krippendorff")
    yield Work(
        "the same, peak memory", "krippendorff", 0.1, alpha_memory, "krippendorff", memory=True
    )
    yield Work("κ of 1,000 × 5, 50 labels", "nltk multi_kappa", None, nltk, "nltk")
    yield Work("1,000,000 tokens of a dataset", "get_entities", 0.2, datasets, "datasets")
    yield Work(
        "10,000 resamples of 7 systems", "100 f1_score", 1.0, lambda: resampling(wnut17, part)
    )
    yield Work(
        "exact test against luck, 7 systems",
        "1,000 random annotations",
        1 / 3,
        lambda: luck(wnut17, part),
        "numpy",
    )
    yield Work(
        "long document against luck", "10 draws of our simulator", None, lambda: long_luck(part),
        "numpy",
    )  # fmt: skip
    yield Work("spanagree evaluate --help", "import numpy", 1.6, helping, "numpy")


def luck(folder: Path | None, part: int) -> tuple[Call, Call]:
    """The exact distribution of luck of seven systems; 1,000 random annotations of each."""
    corpus = eight_layers(folder)
    evaluation = sa.evaluate(corpus)
    draws = 1000 // part
    return (
        lambda: sa.luck_test(corpus, evaluation),
        lambda: sa.luck_test(corpus, evaluation, simulate=True, draws=draws),
    )


def long_luck(part: int) -> tuple[Call, Call]:
    """A document far too large for the exact distribution: it is drawn, a few times."""
    corpus = long_document(1_000_000 // part, 100_000 // part)
    evaluation = sa.evaluate(corpus)
    return (
        lambda: sa.luck_test(corpus, evaluation),
        lambda: [redraw(corpus.layers["b"], corpus.lengths, 1, seed) for seed in range(10)],
    )


def eight_layers(folder: Path | None) -> sa.Corpus:
    """Gold and seven systems of WNUT-17, or tags of the same number."""
    if folder is None:
        return sa.from_tags({str(seed): sentences(1287, 18, seed) for seed in range(8)})
    given = [folder / "emerging.test.annotated", *sorted((folder / "submissions").iterdir())]
    return sa.read_conll(given, ignore_tokens=True)


def resampling(folder: Path | None, part: int) -> tuple[Call, Call]:
    """10,000 paired resamples of seven systems, raw and corrected; 100 calls of f1_score on one."""
    from seqeval.metrics import f1_score

    corpus = eight_layers(folder)
    gold, mine = (as_tags(corpus, name) for name in corpus.annotators[:2])
    evaluation = sa.evaluate(corpus)
    calls = 100 // part

    def ours() -> object:
        return sa.compare_systems(evaluation, resamples=10_000 // part)

    return ours, lambda: [f1_score(gold, mine) for _ in range(calls)]


def as_tags(corpus: sa.Corpus, name: str) -> list[list[str]]:
    """A layer as lists of IOB2 tags."""
    made = []
    for document in corpus:
        tags = ["O"] * document.length
        for start, end, label in document.segments[name] or ():
            tags[start:end] = [f"B-{label}", *[f"I-{label}"] * (end - start - 1)]
        made.append(tags)
    return made


PEER = """
import sys
from seqeval.metrics import f1_score
def read(path):
    made, tags = [], []
    for line in open(path, encoding="utf-8"):
        if line.strip():
            tags.append(line.split()[-1])
        elif tags:
            made.append(tags); tags = []
    return made
gold, *systems = map(read, sys.argv[1:])
for system in systems:
    print(f1_score(gold, system))
"""


def files(part: int) -> tuple[Call, Call]:
    """Gold and seven systems of 3,000 sentences in files, each read by a process of its own."""
    folder = Path(tempfile.mkdtemp(prefix="spanagree-bench-"))
    paths = []
    for seed in range(8):
        path = folder / f"{seed}.conll"
        rows = (
            "\n".join(f"w{i} {tag}" for i, tag in enumerate(tags))
            for tags in sentences(3000 // part, 18, seed)
        )
        path.write_text("\n\n".join(rows) + "\n", "utf-8")
        paths.append(str(path))
    ours = [sys.executable, "-m", "spanagree", "evaluate", *paths]
    theirs = [sys.executable, "-c", PEER, *paths]
    return lambda: run(ours), lambda: run(theirs)


def helping() -> tuple[Call, Call]:
    """Starting up."""
    ours = [sys.executable, "-m", "spanagree", "evaluate", "--help"]
    return lambda: run(ours), lambda: run([sys.executable, "-c", "import numpy"])


@contextmanager
def silenced() -> Iterator[None]:
    """What a solver written in C prints goes nowhere."""
    sys.stdout.flush()
    kept, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    try:
        yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)


def run(command: list[str]) -> None:
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def peak(before: str, call: str, items: int) -> Given:
    """The peak memory that a call adds to a process of its own, in bytes (Linux)."""
    scripts = str(Path(__file__).parent)
    code = "; ".join(
        [
            f"import re, sys; sys.path.insert(0, {scripts!r})",
            f"{before}; from bench import labels; v = labels({items})",
            'status = lambda: open("/proc/self/status").read()',
            'used = lambda: int(re.search("VmHWM:\\s+(\\d+)", status())[1])',
            "a = used()",
            f"{call}; print(used() - a)",
        ]
    )
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return Given(1024 * max(int(done.stdout), 1))


# --- running and writing -------------------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """What came of one work: medians of seconds (or bytes), and the ratio."""

    work: Work
    ours: float
    theirs: float

    @property
    def ratio(self) -> float:
        return self.ours / self.theirs


def measured(call: Call) -> float:
    """Seconds of one call, or what is given."""
    begin = time.perf_counter()
    result = call()
    return result if isinstance(result, Given) else time.perf_counter() - begin


def slope(small: bool, against_luck: bool = False) -> tuple[list[int], list[float], float]:
    """Sizes, seconds, and the fitted slope of evaluating (or testing) many shapes, log-log."""
    part = (20 if small else 1) * (10 if against_luck else 1)
    sizes = [n // part for n in (12_500, 25_000, 50_000, 100_000, 200_000)]
    seconds = []
    for size in sizes:
        gold, mine = shapes(size, 1)
        corpus = sa.from_tags({"gold": gold, "mine": mine})
        call: Call = functools.partial(sa.evaluate, corpus)
        if against_luck:
            call = functools.partial(sa.luck_test, corpus, sa.evaluate(corpus))
        seconds.append(statistics.median(measured(call) for _ in range(1 if against_luck else 5)))
    logs = [[math.log(x) for x in column] for column in (sizes, seconds)]
    return sizes, seconds, statistics.linear_regression(*logs).slope


def shown(value: float, memory: bool) -> str:
    return f"{value / 2**20:.0f} MB" if memory else f"{value:.4g} s"


def main() -> None:
    """Prints a row for each work: our median, theirs, the ratio and its bar."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--wnut17", type=Path)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args()
    rows: list[Row] = []
    print(f"{'work':44} {'beside':26} {'ours':>9} {'theirs':>9} {'ratio':>8}   bar")
    for work in all_work(asked.small, asked.wnut17):
        if asked.only not in f"{work.name} {work.peer}":
            continue
        if importlib.util.find_spec(work.needs) is None:
            print(f"{work.name:44} {work.peer:26} {work.needs} is not installed: passed over")
            continue
        ours, theirs = work.make()
        rounds = [(measured(ours), measured(theirs)) for _ in range(asked.rounds)]
        row = Row(work, *(statistics.median(column) for column in zip(*rounds, strict=True)))
        rows.append(row)
        bar = (
            "" if work.bar is None else f"≤ {work.bar:g}{'' if row.ratio <= work.bar else '  OVER'}"
        )
        times = [f"{shown(value, work.memory):>9}" for value in (row.ours, row.theirs)]
        said = [f"{work.name:44}", f"{work.peer:26}", *times, f"{row.ratio:8.4f}", f"  {bar}"]
        print(" ".join(said), flush=True)
    if "luck" in asked.only or not asked.only:
        *_, of_luck = slope(asked.small, against_luck=True)
        print(f"slope of the exact test against luck: {of_luck:.3f}   ≤ 1.05")
    if "shapes" in asked.only or not asked.only:
        sizes, seconds, fitted = slope(asked.small)
        print(f"slope of cost against sentences, log-log: {fitted:.3f}   ≤ 1.05")
    if asked.write:
        write(rows, sizes, seconds, (fitted, of_luck), asked.rounds)


def write(
    rows: list[Row],
    sizes: list[int],
    seconds: list[float],
    slopes: tuple[float, float],
    rounds: int,
) -> None:
    """The table into docs/benchmarks.md, between its marks; the plot into docs/benchmarks.svg."""
    lines = ["| work | beside | ours | theirs | ratio | bar |", "|---|---|---|---|---|---|"]
    for row in rows:
        work = row.work
        bar = "" if work.bar is None else f"≤ {work.bar:g}"
        times = (shown(value, work.memory) for value in (row.ours, row.theirs))
        lines.append(
            f"| {work.name} | {work.peer} | {' | '.join(times)} | {row.ratio:.4f} | {bar} |"
        )
    lines.append("")
    lines.append(
        f"Medians of {rounds} rounds in alternation; Python {platform.python_version()}, NumPy"
        f" {np.__version__}, {platform.machine()}. Cost against the number of sentences (many"
        f" shapes): slope {slopes[0]:.3f}; of the exact test against luck, slope {slopes[1]:.3f}."
    )
    page = DOCS / "benchmarks.md"
    head, mark, rest = page.read_text("utf-8").partition("<!-- measured -->\n")
    _, end, tail = rest.partition("<!-- end -->\n")
    page.write_text(head + mark + "\n".join(lines) + "\n" + end + tail, "utf-8")
    plot(sizes, seconds, slopes[0])


def plot(sizes: list[int], seconds: list[float], fitted: float) -> None:
    """Cost against size, log-log."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "spanagree"
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(5, 3.2), layout="constrained")
    axes.loglog(sizes, seconds, "o-", color="#0072b2", label=f"measured, slope {fitted:.2f}")
    first = seconds[0] / sizes[0]
    axes.loglog(sizes, [first * n for n in sizes], ":", color="#555555", label="linear")
    axes.set_xlabel("sentences of 5 to 60 tokens, 0 to 8 segments")
    axes.set_ylabel("seconds")
    axes.set_title("sa.evaluate, all shapes different")
    axes.grid(visible=True, which="both", linewidth=0.3)
    axes.legend()
    figure.savefig(DOCS / "benchmarks.svg", metadata={"Date": None})


if __name__ == "__main__":
    main()
