"""How often intervals hold the true figure, and tests of systems find what is not there.

Systems are simulated against gold: documents of few, many or unevenly many segments, F1 from .3 to
.99, errors alike in all documents or correlated within them (beta-binomial). The truth is the
figure of the population, which follows from the probabilities. Widths are compared with the
interval of an oracle who draws samples without end: 2.5 to 97.5 % of the figures of all samples.

Usage: python scripts/simulate_coverage.py [SEED]     (some minutes)
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

import spanagree as sa
from spanagree.arrays import Floats
from spanagree.labels import formulas
from spanagree.labels.intervals import build_unit_table
from spanagree.results.score import compute_f1_figures
from spanagree.uncertainty.differences import DocumentInfluence
from spanagree.uncertainty.jackknife import compute_ends, compute_moments

SEED = 52
DOCUMENTS = (5, 8, 12, 20, 30, 60, 200, 1000)
SHOWN = (5, 12, 30, 60, 200, 1000)  # numbers of documents in the table of the docs
SEGMENTS = ("few", "many", "uneven")
F1 = (0.3, 0.6, 0.9, 0.99)
CORRELATION = (0.0, 0.1, 0.5)  # of the errors in a document; 0: alike in all documents
STRONG = (0.5, 2 / 3)  # correlations at which a document is mostly right or mostly wrong
SAMPLES, OF_MANY = 2000, 800  # OF_MANY: of 1,000 documents
BY_CHANCE = 0.05  # F1 of chance
TAIL = 0.025
PAIRED = (5, 12, 30, 60, 200)  # documents of two systems
PAIRS = 500  # samples of two systems


class Cell(NamedTuple):
    """A population and the number of documents of a sample."""

    documents: int
    segments: str
    f1: float
    correlation: float


class Coverage(NamedTuple):
    """What intervals of many samples are worth.

    Attributes:
        held: share of the intervals that hold the truth.
        width: mean width, by that of the oracle's interval.
    """

    held: float
    width: float


def main(seed: int = SEED) -> None:
    cells = {cell: coverage(cell, seed) for cell in all_cells()}
    for line in (
        *weak_cells(cells), "", *of_cells(cells), "", *of_strong(seed), "", *of_items(seed), "",
        *of_pairs(seed),
    ):  # fmt: skip
        print(line)


def all_cells() -> Iterator[Cell]:
    """Yield all populations and sizes, 288."""
    for cell in itertools.product(DOCUMENTS, SEGMENTS, F1, CORRELATION):
        yield Cell(*cell)


def of_cells(cells: dict[Cell, Coverage]) -> Iterator[str]:
    """Yield the lines of the table of the docs: mean and lowest coverage, width by the oracle's."""
    yield from _head()
    rows: dict[str, Callable[[Cell], Any]] = {
        "F1 to .9": lambda cell: cell.f1 < 0.95 and not cell.correlation,
        "the same, errors in some documents": lambda cell: cell.f1 < 0.95 and cell.correlation,
        "F1 .99": lambda cell: cell.f1 > 0.95 and not cell.correlation,
        "the same, errors in few documents": lambda cell: cell.f1 > 0.95 and cell.correlation,
    }
    for name, belongs in rows.items():
        yield _row(name, {cell: x for cell, x in cells.items() if belongs(cell)})
    held = [x.held for x in cells.values()]
    below = sum(x < 0.925 for x in held)
    yield ""
    yield (
        f"{len(held)} populations and sizes: mean {100 * np.mean(held):.1f} %, lowest"
        f" {100 * min(held):.1f} %, below 92.5 %: {below}"
    )


def of_strong(seed: int) -> Iterator[str]:
    """Yield the lines of the same table for errors of stronger correlation."""
    yield from _head()
    for name, shares in (("F1 to .9", F1[:-1]), ("F1 .99", F1[-1:])):
        cells = itertools.starmap(Cell, itertools.product(SHOWN, SEGMENTS, shares, STRONG))
        yield _row(name, {cell: coverage(cell, seed) for cell in cells})


def _head() -> Iterator[str]:
    yield "| documents | " + " | ".join(map(str, SHOWN)) + " |"
    yield "|---|" + "---|" * len(SHOWN)


def _row(name: str, cells: dict[Cell, Coverage]) -> str:
    """Return a row of the table: mean and lowest coverage, and mean width, by documents."""
    shown = []
    for size in SHOWN:
        here = [x for cell, x in cells.items() if cell.documents == size]
        held = [x.held for x in here]
        width = np.mean([x.width for x in here])
        shown.append(f"{100 * np.mean(held):.0f} / {100 * min(held):.0f}, {width:.2f} ×")
    return f"| {name} | " + " | ".join(shown) + " |"


def weak_cells(cells: dict[Cell, Coverage]) -> Iterator[str]:
    """Yield the lines of the table of the weakest cells."""
    yield "| documents | segments | F1 | correlation | coverage | width |"
    yield "|---|---|---|---|---|---|"
    for cell, x in sorted(cells.items(), key=lambda item: item[1].held)[:6]:
        yield (
            f"| {cell.documents} | {cell.segments} | {cell.f1:g} | {cell.correlation:g} |"
            f" {100 * x.held:.1f} % | {x.width:.2f} × |"
        )


def coverage(cell: Cell, seed: int = SEED, samples: int | None = None) -> Coverage:
    """Compute how often the interval of corrected F1 holds the truth."""
    samples = samples or (OF_MANY if cell.documents >= DOCUMENTS[-1] else SAMPLES)
    kind = SEGMENTS.index(cell.segments), int(10 * cell.correlation)
    rng = np.random.default_rng([seed, cell.documents, int(1000 * cell.f1), *kind])
    rows = documents(rng, cell, samples * cell.documents)
    sample = np.repeat(np.arange(samples), cell.documents)
    sums = compute_moments(rows, compute_f1_figures, sample, samples)
    low, high = compute_ends(sums, TAIL).ends[:, 2].T
    figures = sums.value[:, 2]
    truth = (cell.f1 - BY_CHANCE) / (1 - BY_CHANCE)
    oracle = np.nanquantile(figures, (TAIL, 1 - TAIL))
    held = np.mean((low <= truth + 1e-12) & (truth - 1e-12 <= high))
    return Coverage(float(held), float(np.nanmean(high - low) / np.ptp(oracle)))


def documents(rng: np.random.Generator, cell: Cell, count: int, shared: Any = None) -> Floats:
    """Draw what documents add to matched, expected and size; (count, 3).

    ``shared`` are the numbers of segments and the probabilities of an error of a population, for a
    second system on the same documents.
    """
    gold, odds = drawn(rng, cell, count) if shared is None else shared
    matched, spurious = gold - rng.binomial(gold, odds), rng.binomial(gold, odds)
    return np.stack((matched, BY_CHANCE * gold, gold + matched + spurious), axis=1)


def drawn(rng: np.random.Generator, cell: Cell, count: int) -> tuple[Any, Any]:
    """Draw the number of segments of documents, and the probability of an error in each."""
    if cell.segments == "uneven":
        gold = np.ceil(rng.lognormal(1.5, 1.2, count)).astype(np.int64)
    else:
        gold = 1 + rng.poisson(1 if cell.segments == "few" else 39, count)
    wrong, rho = 1 - cell.f1, cell.correlation
    if not rho:
        return gold, np.full(count, wrong)
    more = 1 / rho - 1
    return gold, rng.beta(wrong * more, (1 - wrong) * more, count)


ITEMS = ((20, 0.95), (20, 0.92), (20, 0.8), (50, 0.95), (50, 0.92), (200, 0.95))
"""Numbers of items with two labels each, and the share of the more frequent of two categories."""
_ALPHA = 3 * list(formulas.COEFFICIENTS).index("alpha") + 2
_WRONG = 0.05  # of labels


def of_items(seed: int) -> Iterator[str]:
    """Yield the lines of the table of α."""
    yield "| items | more frequent category | coverage of α |"
    yield "|---|---|---|"
    for size, frequent in ITEMS:
        yield f"| {size} | {frequent:g} | {100 * alpha(size, frequent, seed):.1f} % |"


def alpha(size: int, frequent: float, seed: int = SEED, samples: int = PAIRS) -> float:
    """Compute how often the interval of α, where there is one, holds that of 200,000 items."""
    rng = np.random.default_rng([seed, size, int(1000 * frequent)])
    kinds = sa.labels.LabelTable.from_array([[0, 0], [0, 1], [1, 0], [1, 1]])
    of_kind = build_unit_table(kinds, np.ones(4)).toarray()

    def statistic(sums: Floats) -> Floats:
        return formulas.compute_all_figures(sums, n_categories=2, n_annotators=2)

    def items(count: int) -> Floats:
        true = rng.random(count) < frequent
        first, second = ((true ^ (rng.random(count) < _WRONG)).astype(int) for _ in range(2))
        return of_kind[2 * first + second]

    truth = statistic(items(200_000).sum(axis=0)[None])[0, _ALPHA]
    held = known = 0
    for _ in range(samples):
        low, high = compute_ends(compute_moments(items(size), statistic), TAIL).ends[0, _ALPHA]
        held, known = held + bool(low <= truth <= high), known + bool(low == low)
    return held / known


def of_pairs(seed: int) -> Iterator[str]:
    """Yield the lines of the table of differences of two systems, and of three."""
    yield "| documents | interval holds 0 | difference found | contradictions of three |"
    yield "|---|---|---|---|"
    for size in PAIRED:
        held, found, torn = pairs(size, seed)
        yield f"| {size} | {100 * held:.1f} % | {100 * found:.1f} % | {torn} |"


def pairs(size: int, seed: int = SEED, samples: int = PAIRS) -> tuple[float, float, int]:
    """Compare three systems, two of them equally good, on samples of documents.

    Returns:
        The share of samples whose interval of the first two holds 0, where two systems are
        compared; the share with p below .05 for these; and, where all three are compared, the
        number of samples in which an interval and p × 3 contradict each other.
    """
    cell = Cell(size, "few", 0.8, 0.1)
    rng = np.random.default_rng([seed, size])
    held = found = torn = 0
    for _ in range(samples):
        gold, odds = drawn(rng, cell, size)
        rows = [documents(rng, cell, size, (gold, odds)) for _ in range(2)]
        rows.append(documents(rng, cell, size, (gold, np.minimum(odds * 1.6, 1))))
        left_out = DocumentInfluence.from_rows(np.stack(rows, axis=1))
        alone = left_out.compare(0, 1, TAIL, 1)
        held += bool(alone.ends[1, 0] <= 0 <= alone.ends[1, 1])
        found += bool(alone.p[1] < 2 * TAIL)
        for a, b in itertools.combinations(range(3), 2):
            pair = left_out.compare(a, b, TAIL, 3)
            outside = not pair.ends[1, 0] <= 0 <= pair.ends[1, 1]
            torn += outside != (3 * pair.p[1] < 2 * TAIL)
    return held / samples, found / samples, torn


if __name__ == "__main__":
    main(*map(int, sys.argv[1:2]))
