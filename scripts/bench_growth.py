"""How our calls grow: the slope of processor time against size, on logarithmic scales."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import bench_inputs as inputs
from bench_work import Call, tag_files

import spanagree as sa

LINEAR, SQUARE = 1.1, 2.1  # with what a fit to a few sizes may be off


@dataclass(frozen=True)
class Growth:
    """A call for each size, and the slope to stay under.

    A bar above ``LINEAR`` has its reason in docs/scale.md.
    """

    name: str
    sizes: tuple[int, ...]
    make: Callable[[int], Call]
    bar: float = LINEAR


@dataclass(frozen=True)
class Fitted:
    """Sizes, least seconds of processor time, and the slope of the largest sizes."""

    growth: Growth
    sizes: list[int]
    seconds: list[float]
    slope: float


def measure(growth: Growth, rounds: int, part: int) -> Fitted:
    """Time all sizes, round after round, so that a slow minute is not that of one size alone.

    The first size is timed once more before; small sizes show but fixed costs.
    """
    sizes = [max(size // part, 2) for size in growth.sizes]
    calls = [growth.make(size) for size in sizes]
    calls[0]()
    seconds = [math.inf] * len(sizes)
    for _ in range(rounds):
        for i, call in enumerate(calls):
            begin = time.process_time()
            call()
            seconds[i] = min(seconds[i], max(time.process_time() - begin, 1e-9))
    logs = ([math.log(x) for x in column[-3:]] for column in (sizes, seconds))
    return Fitted(growth, sizes, seconds, statistics.linear_regression(*logs).slope)


def doubled(largest: int, times: int = 4) -> tuple[int, ...]:
    return tuple(largest >> i for i in reversed(range(times)))


def _sentences(size: int) -> Call:
    gold, mine = inputs.shapes(size, 1)
    return lambda: sa.evaluate(sa.from_tags({"gold": gold, "mine": mine}))


def _from_files(size: int) -> Call:
    paths = tag_files(f"grown{size}", 1, times=size // 3000 or 1)
    return lambda: sa.evaluate(sa.formats.read_conll(paths))


def _chance(size: int) -> Call:
    gold, mine = inputs.shapes(size, 1)
    corpus = sa.from_tags({"gold": gold, "mine": mine})
    return lambda: sa.systems.chance_test(corpus, sa.evaluate(corpus))


def _segments(size: int) -> Call:
    corpus = inputs.long_document(10 * size, size)
    return lambda: sa.evaluate(corpus)


def _characters(size: int) -> Call:
    corpus = inputs.stretches(40, size, 40, shortest=size)
    return lambda: sa.evaluate(corpus)


def _documents(size: int) -> Call:
    corpus = inputs.stretches(size, 3500, 85)
    return lambda: sa.evaluate(corpus)


def _annotators(size: int) -> Call:
    corpus = inputs.crowd(size, 100)
    return lambda: sa.agree(corpus)


def _some_annotators(size: int) -> Call:
    corpus = inputs.crowd(size, 3000, seen=5)
    return lambda: sa.agree(corpus)


def _labels(size: int) -> Call:
    values = inputs.labels(40_000, size)
    return lambda: sa.coefficients(sa.labels.LabelTable.from_array(values))


def _tag_labels(size: int) -> Call:
    names = tuple(f"L{i}" for i in range(size))
    tags = {str(seed): inputs.sentences(20_000, 25, seed, names) for seed in (1, 2)}
    return lambda: sa.evaluate(sa.from_tags(tags))


def _resamples(size: int) -> Call:
    tags = {str(seed): inputs.sentences(1287, 18, seed) for seed in range(3)}
    corpus = sa.from_tags(tags)
    evaluation = sa.evaluate(corpus)
    return lambda: sa.compare_systems(evaluation, test="bootstrap", resamples=size)


def _systems(size: int) -> Call:
    tags = {str(seed): inputs.sentences(2500, 25, seed) for seed in range(size + 1)}
    return lambda: sa.evaluate(sa.from_tags(tags))


def all_growth() -> Iterator[Growth]:
    """Every slope, in the order of the report."""
    yield Growth("sentences", doubled(200_000), _sentences)
    yield Growth("sentences in files", doubled(192_000), _from_files)
    yield Growth("sentences, test against chance", doubled(20_000), _chance)
    yield Growth("segments of a document", doubled(200_000), _segments)
    yield Growth("characters of a document, the same spans", doubled(16_000), _characters)
    yield Growth("documents by characters", doubled(160), _documents)
    yield Growth("annotators who all saw everything", doubled(320), _annotators, SQUARE)
    yield Growth("annotators of whom five saw each document", doubled(800), _some_annotators)
    yield Growth("labels of a table", doubled(400), _labels)
    yield Growth("labels of segments", doubled(160), _tag_labels)
    yield Growth("resamples", doubled(80_000), _resamples)
    yield Growth("systems", doubled(64), _systems)
