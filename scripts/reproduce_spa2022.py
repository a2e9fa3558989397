"""Repeat the subsampling experiments of SPA's paper (Nørregaard & Derczynski 2022) on MBIC.

Labels of a table are drawn without replacement, 3,000 times; items with fewer than two are left
out. Figure 6: the variance of SPA from items with so many labels each, and from labels drawn
anywhere. Figure 7 and Table 1: the variance by weights, less that of flat ones, and its sum over
the curve. The paper does not say where its curves have points: here, 20 numbers of labels.

Usage: python scripts/reproduce_spa2022.py mbic.csv (columns sentence_id, label_bias, label_opinion)
"""

from __future__ import annotations

import csv
import sys

import numpy as np

import spanagree as sa
from spanagree.arrays import Floats, Ints

ROUNDS, POINTS = 3000, 20
COLUMNS = {"label": "label_bias", "factual": "label_opinion"}
SCHEMES = ("edges", "flat", "annotations", "annotations_m1", "inverse_variance_class")


def read(path: str, column: str) -> tuple[Ints, Ints]:
    """The item and the label of each annotation, as codes."""
    with open(path, encoding="utf-8-sig", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row[column].strip()]
    item, label = ([row[name] for row in rows] for name in ("sentence_id", column))
    return tuple(np.unique(each, return_inverse=True)[1] for each in (item, label))  # type: ignore[return-value]  # two


def weights_of(most: int, shares: Floats) -> Floats:
    """The weight of an item by its number of labels, 0 to ``most``; (schemes, numbers)."""
    n = np.arange(most + 1, dtype=float)
    variance = [
        np.inf,
        np.inf,
        *(sa.labels.agreement_variance(k, shares) for k in range(2, most + 1)),
    ]
    made = np.stack([n * (n - 1) / 2, np.ones_like(n), n, n - 1, 1 / np.array(variance)])
    made[:, :2] = 0
    return made


def spa(items: int, item: Ints, label: Ints, categories: int, weights: Floats) -> Floats:
    """SPA by each scheme."""
    counts = np.bincount(item * categories + label, minlength=items * categories)
    counts = counts.reshape(items, categories)
    n = counts.sum(axis=1)
    pairs = (counts * (counts - 1)).sum(axis=1)
    weight = weights[:, n]
    agreement = np.divide(pairs, n * (n - 1), out=np.zeros(items), where=n > 1)
    total = weight.sum(axis=1)
    return np.divide(weight @ agreement, total, out=np.full(len(total), np.nan), where=total > 0)


def table(name: str, item: Ints, label: Ints) -> None:
    """Print Figure 6, Figure 7 and the row of Table 1 of one label."""
    rng = np.random.default_rng(2022)
    items, categories, size = item.max() + 1, label.max() + 1, len(item)
    shares = np.bincount(label) / size
    weights = weights_of(int(np.bincount(item).max()), shares)
    numbers = np.linspace(size / POINTS, size, POINTS + 1)[:-1].astype(int)
    found = np.empty((ROUNDS, POINTS, len(SCHEMES)))
    constant = np.full((ROUNDS, POINTS, 2), np.nan)
    for i in range(ROUNDS):
        order = rng.permutation(size)
        mixed = order[np.argsort(item[order], kind="stable")]
        begin = np.searchsorted(item[mixed], np.arange(items))
        rank = np.arange(size) - begin[item[mixed]]
        first = rng.permutation(items)  # of the items, in which so many labels are taken
        for j, number in enumerate(numbers):
            some = order[:number]
            found[i, j] = spa(items, item[some], label[some], categories, weights)
            for k, each in enumerate((2, 5)):
                if number // each <= items:
                    taken = np.zeros(items, bool)
                    taken[first[: number // each]] = True
                    some = mixed[(rank < each) & taken[item[mixed]]]
                    own = spa(items, item[some], label[some], categories, weights[1:2])
                    constant[i, j, k] = own[0]
    variance = np.nanvar(found, axis=0)
    print(f"{name}: {items:,} items, {size:,} labels, {categories} categories; sd of SPA, Figure 6")
    print("labels   anywhere, flat   2 an item   5 an item")
    for j in range(0, POINTS, 4):
        at = [np.sqrt(variance[j, 1]), *np.sqrt(constant[:, j].var(axis=0))]
        print(f"{numbers[j]:>6,} {at[0]:16.4f} {at[1]:11.4f} {at[2]:11.4f}")
    sums = 100 * (variance - variance[:, 1:2]).sum(axis=0)
    print("Table 1, 100 × sum of the curve less that of flat weights")
    print("  ".join(f"{scheme} {value:.4f}" for scheme, value in zip(SCHEMES, sums, strict=True)))


if __name__ == "__main__":
    for name, column in COLUMNS.items():
        table(name, *read(sys.argv[1], column))
