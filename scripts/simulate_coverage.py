"""How often an interval holds the true figure: all kinds of them, in populations good and bad.

Populations of 20,000 documents (or items) are drawn once, so their figures are the truth; the last
ones are the sentences of the newsroom corpus with the output of one system. Samples are drawn from
each, and each sample gets all kinds of intervals, as the program gives them; and BCa's alone, which
shows what joining it with others is worth. The width of BCa's as the program gives it is compared
with that of the interval that one would have who drew samples without end: from the 2.5 % to the
97.5 % quantile of their figures. Seeded, so that it prints the same digits every time.

Usage: python scripts/simulate_coverage.py
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from spanagree.uncertainty.bootstrap import INTERVALS, Resampling, Sample, bootstrap

import spanagree as sa
from spanagree.labels import formulas
from spanagree.labels.intervals import units_of
from spanagree.results.score import f1_figures

NEWSROOM = Path(__file__).parent.parent / "corpora" / "newsroom"
SIZE, SAMPLES, RESAMPLES = 20_000, 400, 1000
FEW, MANY = (5, 8, 12, 30), 2000  # documents of 200 segments each, and samples of them
FRESH = 10_000  # samples for the width that would do
ALPHA = list(formulas.FORMULAS).index("α")


class Population(NamedTuple):
    """What each document (or item) of a population adds to sums, and the figure asked for.

    ``figure`` counts the figures that come in threes; the corrected one of it is simulated, in
    ``samples`` samples.
    """

    name: str
    rows: Any
    statistic: Any = f1_figures
    figure: int = 0
    samples: int = SAMPLES


def main() -> None:
    columns = ["truth", "bca alone", *INTERVALS, "bca width"]
    print(f"{'corrected F1, or α':<48} {'n':>3}  {'':2}" + "  ".join(f"{c:>10}" for c in columns))
    for population, sizes in populations():
        for size in sizes:
            truth, shares, width = coverage(population, size)
            cells = [f"{truth:10.4f}", *(f"{100 * share:8.1f} %" for share in shares)]
            cells.append(f"{width:8.2f} ×")
            print(f"{population.name:<48} {size:>3}  {'':2}" + "  ".join(cells), flush=True)
    print(f"{SAMPLES} samples each, so ± 1.1 % where 95 % is right; {MANY} of documents of 200")
    print(
        "segments, ± 0.5 %; width: mean, by that from 2.5 to 97.5 % of the figures of new samples"
    )


def populations() -> Iterator[tuple[Population, tuple[int, ...]]]:
    """Yield the populations, few large documents and bad ones first, and the sizes of samples."""
    for name, rows in (
        ("200 segments, some errors", documents(0.07, segments=200)),
        ("200 segments, many errors", documents(0.3, segments=200)),
        ("200 segments, errors in some documents", documents(0.15, segments=200, spread=2)),
        ("200 segments, errors in few documents", documents(0.07, segments=200, spread=0.3)),
        ("30 to 700 segments, some errors", documents(0.07, segments=200, uneven=0.8)),
        (
            "30 to 700 segments, errors in some documents",
            documents(0.15, segments=200, spread=2, uneven=0.8),
        ),
    ):
        yield Population(name, rows, samples=MANY), FEW
    yield (
        Population("segments in 1 of 10 documents, few errors", documents(0.013, marked=0.1)),
        (50,),
    )
    yield Population("almost no error", documents(0.003)), (50,)
    for error in (0.01, 0.03, 0.06):
        name = f"items, .93 of one category, {error:.2f} of labels wrong"
        yield Population(name, *items(0.93, error)), (50,)
    yield (
        Population("segments in 1 of 10 documents, many errors", documents(0.2, marked=0.1)),
        (50, 200),
    )
    yield (
        Population("few errors, all in few documents", documents(0.013, spread=0.3)),
        (50, 200),
    )
    yield Population("few errors, by tokens", tokens(0.012)), (50,)
    yield Population("few errors", documents(0.013)), (50,)
    yield Population("hardly a match", documents(0.985)), (50,)
    yield Population("some errors", documents(0.07)), (50,)
    yield Population("many errors", documents(0.3)), (50,)
    yield Population("sentences of newsroom, tagger", newsroom()), (20, 50, 100, 200)


def documents(
    wrong: float, marked: float = 1, segments: int = 5, spread: float = 0, uneven: float = 0
) -> Any:
    """Return documents with 1 + Poisson segments; a system misses some and adds others.

    With a spread, the share of errors differs from document to document as a gamma variable of this
    shape does; uneven is the standard deviation of the logarithm of a document's size.
    """
    rng = np.random.default_rng(5)
    sizes = segments * np.exp(rng.normal(-(uneven**2) / 2, uneven, SIZE)) if uneven else segments
    gold = np.where(rng.random(SIZE) < marked, 1 + rng.poisson(np.maximum(sizes - 1, 0), SIZE), 0)
    odds = np.full(SIZE, wrong)
    if spread:
        odds = np.clip(rng.gamma(spread, wrong / spread, SIZE), 0, 1)
    missed, spurious = rng.binomial(gold, odds), rng.binomial(gold, odds * 0.5)
    moved = rng.binomial(missed, 0.5)
    matched = gold - missed
    return np.stack((matched, 0.03 * gold, gold + matched + spurious + moved), axis=1)


def tokens(wrong: float) -> Any:
    """Return documents whose segments have some tokens each; an error costs a whole segment."""
    rng = np.random.default_rng(6)
    segments = 1 + rng.poisson(3, SIZE)
    gold = segments + rng.poisson(segments)
    lost = np.minimum(gold, rng.binomial(segments, wrong) * (1 + rng.poisson(1, SIZE)))
    spurious = rng.binomial(segments, wrong * 0.5) * (1 + rng.poisson(1, SIZE))
    return np.stack((gold - lost, 0.1 * gold, 2 * gold - lost + spurious), axis=1)


def items(frequent: float, wrong: float) -> tuple[Any, Any, int]:
    """Return items with two labels each, of which some are wrong, independently; and α of them."""
    rng = np.random.default_rng(7)
    true = rng.random(SIZE) < frequent
    first, second = ((true ^ (rng.random(SIZE) < wrong)).astype(int) for _ in range(2))
    kinds = sa.labels.LabelTable.from_array([[0, 0], [0, 1], [1, 0], [1, 1]])
    statistic = functools.partial(formulas.all_figures, categories=2, annotators=2)
    return np.asarray(units_of(kinds, np.ones(4)))[2 * first + second], statistic, ALPHA


def newsroom() -> Any:
    """Return the sentences of the newsroom corpus with the output of one system."""
    corpus = sa.formats.read_conll(
        {name: NEWSROOM / f"{name}.conll" for name in ("gold", "tagger")}
    )
    kept = sa.evaluate(corpus).counted.per_document
    tallies = kept.table("tagger", np.arange(len(corpus)))
    return np.stack((tallies[:, 0], tallies[:, 1], tallies[:, 2] + tallies[:, 3]), axis=1)


def coverage(population: Population, size: int) -> tuple[float, list[float], float]:
    """Return the true figure, which share of samples hold it, and the width of BCa's interval.

    The shares are those of BCa alone, then of each kind; the width is given by that of the figures
    of fresh samples.
    """
    _, rows, statistic, figure, samples = population
    at = 3 * figure + 2
    truth = statistic(rows.sum(axis=0)[None])[0, at]
    rng = np.random.default_rng(size)
    held, width, few = np.zeros(1 + len(INTERVALS)), 0.0, 0
    for seed in range(samples):
        sample = Sample(rows[rng.integers(0, len(rows), size)])
        drawn = bootstrap(sample, statistic, Resampling(resamples=RESAMPLES, seed=seed))
        evidence = sample.evidence(statistic)
        alone, _, _ = drawn.ends(slice(at, at + 1), Resampling())
        ends = [tuple(alone[0].tolist())]
        for name in INTERVALS:
            made = drawn.intervals(Resampling(interval=name), evidence)
            ends.append(made[figure].corrected)
        held += [low <= truth <= high for low, high in ends]
        low, high = ends[1]
        if low == low:
            width, few = width + high - low, few + 1
    fresh = [rows[rng.integers(0, len(rows), size)].sum(axis=0) for _ in range(FRESH)]
    with np.errstate(divide="ignore", invalid="ignore"):
        figures = statistic(np.array(fresh))[:, at]
    low, high = np.nanquantile(figures, (0.025, 0.975)).tolist()
    return float(truth), (held / samples).tolist(), width / few / (high - low)


if __name__ == "__main__":
    main()
