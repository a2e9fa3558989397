"""Chance-corrected SPA: when the jackknife helps, and when it does not.

The plug-in (SPA − Σp²)/(1 − Σp²) is a ratio of two figures from the same labels, so it is biased.
Two frames ask for two different targets:

- *these items, labels missing at random* (SPA's own frame): the target is the figure of the
  complete table, and only labels are removed at random.
- *items are a sample*: the target is the figure of the population from which the items are drawn.

Prints the bias and the root mean squared error of both estimators in both frames, with the standard
error of the bias. Seeded, so that it prints the same digits every time.

Usage: python scripts/simulate_spa.py
"""

from __future__ import annotations

import math

import numpy as np

import spanagree as sa
from spanagree.arrays import Bools, Floats, Ints

ITEMS, ANNOTATORS, CATEGORIES = (20, 50, 200), 5, 3
THERE = 0.6  # share of the labels that are there
ROUNDS = 2000
P = np.array([0.6, 0.3, 0.1])  # of the categories
ACCURACY = 0.7  # how often an annotator gives the item's category, else one drawn from P


def draw(rng: np.random.Generator, items: int) -> Ints:
    """A complete table from the population; (items, annotators)."""
    truth = rng.choice(CATEGORIES, size=items, p=P)
    by_chance = rng.choice(CATEGORIES, size=(items, ANNOTATORS), p=P)
    return np.where(rng.random(by_chance.shape) < ACCURACY, truth[:, None], by_chance)


def figures(labels: Ints, there: Bools) -> tuple[float, float]:
    """Plug-in and jackknife."""
    item, annotator = np.nonzero(there)
    counts = np.zeros((len(labels), CATEGORIES), np.int64)
    np.add.at(counts, (item, labels[item, annotator]), 1)
    found = sa.labels.spa(sa.labels.LabelTable.from_counts(counts.tolist(), ["a", "b", "c"]))
    return found.corrected, found.jackknife


def line(frame: str, items: int, errors: Floats) -> str:
    """Bias ± standard error and root mean squared error of plug-in and jackknife."""
    cells = [f"{frame:<34}{items:>6}"]
    for error in errors.T:
        se = error.std() / math.sqrt(len(error))
        cells.append(f"{error.mean():>+9.4f} ± {se:.4f}{math.sqrt((error**2).mean()):>8.4f}")
    return "  ".join(cells)


def main() -> None:
    head = f"{'':<34}{'items':>6}"
    print(f"{head}  {'plug-in: bias':>18}{'rmse':>8}  {'jackknife: bias':>18}{'rmse':>8}")
    everything = np.ones((max(ITEMS), ANNOTATORS), np.bool_)
    population = ACCURACY**2  # the probability that both give the item's category, above chance
    for items in ITEMS:
        rng = np.random.default_rng(items)
        labels = draw(rng, items)
        target = figures(labels, everything[:items])[0]
        own = [figures(labels, rng.random(labels.shape) < THERE) for _ in range(ROUNDS)]
        print(line("these items, labels missing", items, np.array(own) - target))
    for items in ITEMS:
        rng = np.random.default_rng(items)
        sample = [
            figures(draw(rng, items), rng.random((items, ANNOTATORS)) < THERE)
            for _ in range(ROUNDS)
        ]
        print(line("items are a sample", items, np.array(sample) - population))


if __name__ == "__main__":
    main()
