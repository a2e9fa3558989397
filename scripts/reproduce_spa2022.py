"""Repeat the figures and Table 1 of SPA's paper (Nørregaard & Derczynski 2022), on MBIC.

Figures 4 and 5 need no data: the weight of an item by its number of labels. For Figures 6 and 7
and Table 1 labels are drawn without replacement, 3,000 times, and SPA is computed after each
label; items with fewer than two labels count nowhere. The paper does not say at which numbers of
labels its curves have points: here, at each.

Usage: python scripts/reproduce_spa2022.py mbic.csv (columns sentence_id, label_bias, label_opinion)
"""

from __future__ import annotations

import csv
import sys

import numpy as np

import spanagree as sa
from spanagree.arrays import Floats, Ints

ROUNDS = 3000
COLUMNS = {"label": "label_bias", "factual": "label_opinion"}
SCHEMES = ("edges", "flat", "annotations", "annotations_m1", "inverse_variance_class")
FLAT = SCHEMES.index("flat")
PER_ITEM = (2, 5, 8)
SHOWN = (100, 300, 1000, 3000, 10000)  # labels: the rows of Figures 6 and 7


def read(path: str, column: str) -> tuple[Ints, Ints]:
    """The item and the label of each annotation, as codes."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row[column].strip()]
    item, label = (
        np.unique([row[name] for row in rows], return_inverse=True)[1]
        for name in ("sentence_id", column)
    )
    return item, label


def inverse_variance(most: int, shares: Floats) -> Floats:
    """The weight of an item by its number of labels, 2 to ``most``."""
    return np.array(
        [1 / float(sa.labels.agreement_variance(n, shares)) for n in range(2, most + 1)]
    )


def weights_of(most: int, shares: Floats) -> Floats:
    """The weight of an item by its number of labels, 0 to ``most``; (schemes, numbers)."""
    n = np.arange(most + 1, dtype=float)
    by_class = np.concatenate([[0, 0], inverse_variance(most, shares)])
    made = np.stack([n * (n - 1) / 2, np.ones_like(n), n, n - 1, by_class])
    made[:, :2] = 0
    return made


def weights_by_classes() -> None:
    """Print what Figures 4 and 5 plot: weights of 2 to 10 labels, the greatest of them 1."""
    n = np.arange(2, 11)
    edges = n * (n - 1) / 90
    for_uniform = [inverse_variance(10, np.full(c, 1 / c)) for c in range(2, 8)]
    difference = max(np.abs(weight / weight[-1] - edges).max() for weight in for_uniform)
    print(f"Figure 4: weights for 2 to 7 uniform classes differ from edges by {difference:.0e}")
    rng = np.random.default_rng(2022)
    entropies, areas = [], []
    for classes in range(2, 11):
        for _ in range(250):
            shares = np.exp(rng.uniform(-2, 4, classes))
            shares /= shares.sum()
            weight = inverse_variance(10, shares)
            entropies.append(-(shares * np.log(shares)).sum())
            areas.append((weight / weight[-1]).sum())
    correlation = np.corrcoef(entropies, areas)[0, 1]
    print("Figure 5, sums of weights")
    for scheme, weight in (
        ("edges", edges),
        ("annotations", n / 10),
        ("annotations_m1", (n - 1) / 9),
    ):
        print(f"  {scheme} {weight.sum():.2f}")
    print(f"  inverse_variance_class {min(areas):.2f} to {max(areas):.2f}", end="")
    print(f", correlation with entropy {correlation:.2f}")


def occurrence(values: Ints) -> Ints:
    """How often each value came before it."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    starts = np.flatnonzero(np.r_[True, ordered[1:] != ordered[:-1]])
    lengths = np.diff(np.r_[starts, len(values)])
    earlier = np.empty(len(values), np.int64)
    earlier[order] = np.arange(len(values)) - np.repeat(starts, lengths)
    return earlier


def grown(item: Ints, label: Ints, weights: Floats) -> tuple[Floats, Ints]:
    """SPA after each label, by scheme, and how many labels stand in items with two or more."""
    before = occurrence(item)
    equal_before = occurrence(item * (label.max() + 1) + label)
    order = np.argsort(item, kind="stable")
    equal = np.cumsum(equal_before[order])
    first = np.flatnonzero(before[order] == 0)
    offset = np.r_[0, equal[first[1:] - 1]]
    pairs = np.empty(len(item))
    pairs[order] = equal - np.repeat(offset, np.diff(np.r_[first, len(item)]))
    possible = before * (before + 1) / 2
    now = np.divide(pairs, possible, out=np.zeros(len(item)), where=before > 0)
    possible = before * (before - 1) / 2
    then = np.divide(pairs - equal_before, possible, out=np.zeros(len(item)), where=before > 1)
    agreement = np.cumsum(weights[:, before + 1] * now - weights[:, before] * then, axis=1)
    total = np.cumsum(weights[:, before + 1] - weights[:, before], axis=1)
    used = np.cumsum(np.where(before == 1, 2, before > 1))
    return np.divide(agreement, total, out=np.full_like(total, np.nan), where=used > 0), used


def equally_many(item: Ints, label: Ints, each: int, rng: np.random.Generator) -> Floats:
    """SPA after each item, all with the same number of labels."""
    taken = occurrence(item) < each
    items, categories = item.max() + 1, label.max() + 1
    counts = np.bincount(item[taken] * categories + label[taken], minlength=items * categories)
    counts = counts.reshape(items, categories)
    counts = rng.permutation(counts[counts.sum(axis=1) == each])
    agreement = (counts * (counts - 1)).sum(axis=1) / (each * (each - 1))
    return np.cumsum(agreement) / np.arange(1, len(counts) + 1)


class Variance:
    """The variance of many curves at each point, of those that have one there."""

    def __init__(self) -> None:
        self.number: Floats | float = 0.0
        self.mean: Floats | float = 0.0
        self.squares: Floats | float = 0.0

    def add(self, curve: Floats) -> None:
        there = ~np.isnan(curve)
        self.number = self.number + there
        distance = np.where(there, curve - self.mean, 0)
        self.mean = self.mean + distance / np.maximum(self.number, 1)
        self.squares = self.squares + np.where(there, distance * (curve - self.mean), 0)

    @property
    def value(self) -> Floats:
        return np.asarray(self.squares / np.maximum(self.number, 1))


def curves(name: str, item: Ints, label: Ints) -> None:
    """Print Figure 6, Figure 7 and the row of Table 1 for one label of the data."""
    rng = np.random.default_rng(2022)
    weights = weights_of(int(np.bincount(item).max()), np.bincount(label) / len(label))
    anywhere = Variance()
    constant = {each: Variance() for each in PER_ITEM}
    used = np.zeros(len(item))
    for _ in range(ROUNDS):
        order = rng.permutation(len(item))
        spa, used_now = grown(item[order], label[order], weights)
        anywhere.add(spa)
        used += used_now / ROUNDS
        for each, variance in constant.items():
            variance.add(equally_many(item[order], label[order], each, rng))
    print(f"{name}: {item.max() + 1:,} items, {len(item):,} labels, {label.max() + 1} categories")
    rows = [int(np.searchsorted(used, number)) for number in SHOWN]
    print("Figure 6, standard deviation of SPA")
    print("labels  anywhere" + "".join(f"{each:>4} an item" for each in PER_ITEM))
    for number, row in zip(SHOWN, rows, strict=True):
        cells = [f"{np.sqrt(anywhere.value[FLAT, row]):.4f}"]
        for each, variance in constant.items():
            known = number // each <= len(variance.value)
            cells.append(f"{np.sqrt(variance.value[number // each - 1]):.4f}" if known else "–")
        print(f"{number:>6,}{cells[0]:>10}" + "".join(f"{cell:>12}" for cell in cells[1:]))
    less = anywhere.value - anywhere.value[FLAT]
    shown = [scheme for scheme in range(len(SCHEMES)) if scheme != FLAT]
    print("Figure 7, variance less that of flat weights, × 100,000; Table 1, its sum")
    print("labels" + "".join(f"{SCHEMES[scheme]:>24}" for scheme in shown))
    for number, row in zip(SHOWN, rows, strict=True):
        print(f"{number:>6,}" + "".join(f"{1e5 * less[scheme, row]:24.3f}" for scheme in shown))
    print("   sum" + "".join(f"{less[scheme].sum():24.4f}" for scheme in shown))


if __name__ == "__main__":
    weights_by_classes()
    for name, column in COLUMNS.items():
        curves(name, *read(sys.argv[1], column))
