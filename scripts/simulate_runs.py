"""How often an interval of the difference of two systems holds it, over other documents and runs.

A system is a distribution of runs, as of seeds: runs differ in skill, and each errs in documents of
its own beside those that are hard for all. The truth is the difference of the mean corrected F1 of
very many runs on very many documents. Pairs of samples are drawn, some runs of each system on the
same documents, and get their intervals: over documents for these runs, and over other runs too, as
the program gives it. Seeded, so that it prints the same digits every time.

Usage: python scripts/simulate_runs.py
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spanagree.results.score import compute_f1_figures
from spanagree.uncertainty.differences import DocumentInfluence, compute_p_and_half_width

PAIRS = 200
BY_CHANCE = 0.015  # expected matches, for each segment that two have marked
WAYS = ("documents", "runs too")
TAIL = 0.025


class Design(NamedTuple):
    """Spread of the skill of runs on log odds, and numbers of runs of a system and of documents."""

    spread: float
    n_runs: int
    n_documents: int


DESIGNS = tuple(
    Design(spread, n_runs, n_documents)
    for spread in (0.0, 0.15, 0.4)
    for n_runs in (3, 5, 10)
    for n_documents in (30, 100)
)
SKILLS = (1.4, 1.2)
"""Mean skill of both systems, on log odds."""


def main() -> None:
    heads = "  ".join(f"{way:>12}" for way in WAYS)
    print(f"{'spread':>6} {'runs':>5} {'documents':>9}  {heads}  {'width':>6}")
    for design in DESIGNS:
        held, width = shares_held(design)
        cells = "  ".join(f"{100 * share:10.1f} %" for share in held)
        print(
            f"{design.spread:6g} {design.n_runs:5} {design.n_documents:9}  {cells}  {width:4.2f} ×",
            flush=True,
        )
    print(f"{PAIRS} pairs each, so ± 1.5 % where 95 % is right; width: runs too, by documents")


def shares_held(design: Design, pairs: int = PAIRS) -> tuple[list[float], float]:
    """Compute the shares of pairs whose interval holds the truth, and how much wider one is."""
    rng = np.random.default_rng([round(100 * design.spread), *design[1:]])
    truth = true_difference(design.spread)
    held, widths = np.zeros(len(WAYS)), np.zeros(len(WAYS))
    for _ in range(pairs):
        ends = intervals(drawn_pair(design, rng), design.n_runs)
        held += [low <= truth <= high for low, high in ends]
        widths += [high - low for low, high in ends]
    return (held / pairs).tolist(), float(widths[1] / widths[0])


def drawn_pair(design: Design, rng: Any) -> Any:
    """Draw runs of both systems on the same documents; (documents, runs of both, 3)."""
    n_gold = 1 + rng.poisson(4, design.n_documents)
    hard = rng.normal(0, 0.6, design.n_documents)
    runs = [
        drawn_run(rng.normal(skill, design.spread), n_gold, hard, rng)
        for skill in SKILLS
        for _ in range(design.n_runs)
    ]
    return np.stack(runs, axis=1)


def drawn_run(skill: float, n_gold: Any, hard: Any, rng: Any) -> Any:
    """Draw what a run of some skill matches and marks in each document; (documents, 3)."""
    odds = skill - hard + rng.normal(0, 0.4, len(n_gold))
    matched = rng.binomial(n_gold, 1 / (1 + np.exp(-odds)))
    size = n_gold + matched + rng.poisson(0.2 * n_gold)
    return np.stack((matched, BY_CHANCE * size, size), axis=1).astype(np.float64)


def true_difference(spread: float, n_runs: int = 400, n_documents: int = 20_000) -> float:
    """Compute the difference of the means over very many runs and documents."""
    rng = np.random.default_rng(7)
    n_gold = 1 + rng.poisson(4, n_documents)
    hard = rng.normal(0, 0.6, n_documents)
    skills = rng.normal(0, spread, n_runs)
    skills -= skills.mean()  # the same for both, so that the truth varies little
    means = [
        np.mean([corrected(drawn_run(s + mean, n_gold, hard, rng)) for s in skills])
        for mean in SKILLS
    ]
    return float(means[0] - means[1])


def corrected(rows: Any) -> float:
    """Return the corrected F1 of the sums of documents."""
    return float(compute_f1_figures(rows.sum(axis=0))[2])


def intervals(rows: Any, n_runs: int) -> list[tuple[float, float]]:
    """Compute intervals of the difference of corrected F1, for these runs and over others too."""
    left_out = DocumentInfluence.from_rows(rows)
    first, second = range(n_runs), range(n_runs, 2 * n_runs)
    both = left_out.compare(first, second, TAIL, 1)
    low, high = both.ends[1].tolist()
    change = left_out.change[:, first].mean(axis=1) - left_out.change[:, second].mean(axis=1)
    square = change[:, 1:] ** 2
    _, reach = compute_p_and_half_width(
        both.value[1:], square.sum(axis=0), (square**2).sum(axis=0), len(rows), TAIL
    )
    value = float(both.value[1])
    return [(value - float(reach[0]), value + float(reach[0])), (low, high)]


if __name__ == "__main__":
    main()
