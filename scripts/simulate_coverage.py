"""How often an interval holds the true figure: all kinds of them, few documents and many.

The sentences of the newsroom corpus with the output of one system stand for a population, so its
corrected F1 is the truth. Samples of n sentences are drawn from it, and each gets all kinds of
intervals. Seeded, so that it prints the same digits every time.

Usage: python scripts/simulate_coverage.py
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np

import spanagree as sa
from spanagree.matching.score import f1_figures
from spanagree.uncertainty.bootstrap import INTERVALS, Resampling, Sample, bootstrap

NEWSROOM = Path(__file__).parent.parent / "corpora" / "newsroom"
DOCUMENTS, SAMPLES, RESAMPLES = (20, 50, 100, 200), 1000, 1000
CORRECTED = 2  # the third figure


def main() -> None:
    corpus = sa.read_conll({name: NEWSROOM / f"{name}.conll" for name in ("gold", "tagger")})
    kept = sa.evaluate(corpus).counted.documents_kept()
    tallies = kept.tallies["tagger"].table(np.arange(len(corpus)))
    rows = np.stack((tallies[:, 0], tallies[:, 1], tallies[:, 2] + tallies[:, 3]), axis=1)
    truth = f1_figures(rows.sum(axis=0))[CORRECTED]
    print(f"corrected F1 of the population: {truth:.4f}; {SAMPLES} samples of each size")
    print(f"{'documents':>9}  " + "  ".join(f"{name:>22}" for name in INTERVALS))
    for documents in DOCUMENTS:
        rng = np.random.default_rng(documents)
        held = dict.fromkeys(INTERVALS, 0)
        for seed in range(SAMPLES):
            sample = Sample(rows[rng.integers(0, len(rows), documents)])
            drawn = bootstrap(sample, f1_figures, Resampling(resamples=RESAMPLES, seed=seed))
            for name in INTERVALS:
                low, high, _ = drawn.interval(CORRECTED, Resampling(interval=name))
                held[name] += bool(low <= truth <= high)
        cells = []
        for name in INTERVALS:
            share = held[name] / SAMPLES
            error = math.sqrt(share * (1 - share) / SAMPLES)
            cells.append(f"holds it in {100 * share:.1f} ± {100 * error:.1f} %")
        print(f"{documents:>9}  " + "  ".join(f"{cell:>22}" for cell in cells))


if __name__ == "__main__":
    main()
