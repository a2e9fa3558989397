"""How well a plan predicts: the tables of docs/plan.md, on crowds larger than a plan needs.

Each FILE is a crowd. Of each document the same number of annotators is kept, drawn at random. From
some documents a plan says how many are needed for the width that the interval over all of them has;
the truth is how many there are. And from fewer annotators of each document it says how wide the
interval would be with more of them; the truth is the width with these.

Usage: python scripts/plan_of_crowds.py FILE...
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

import spanagree as sa

TIMES, MOST = 40, 1600  # plans for each row, documents of a crowd
FIRST, LATER = 4, 6  # annotators of each document, planned from and planned for


def main(paths: list[str]) -> None:
    print(f"{'crowd':<12} {'documents':>9} {'from':>5}  {'needed / there':>22}  {'held':>5}")
    crowds = {Path(path).stem: sa.formats.read_jsonl(path) for path in paths}
    rng = np.random.default_rng(1)
    for name, crowd in crowds.items():
        whole = thinned(crowd, 3, rng)
        width = width_over(whole)
        for part in (50, 100, 200, 400):
            if part > len(whole) / 2:
                continue
            ratios, held = [], 0
            for seed in range(TIMES):
                some = whole.subset(np.sort(rng.choice(len(whole), part, replace=False)))
                made = sa.plan_sample(some, width, **how(some), seed=seed)
                needed, low, high = made.needed(3)
                ratios.append(needed / len(whole))
                held += low <= len(whole) <= high
            low, middle, high = np.quantile(ratios, (0.05, 0.5, 0.95))
            spread = f"{middle:>7.2f} ({low:.2f}–{high:.2f})     {100 * held / TIMES:>4.0f} %"
            print(f"{name:<12} {len(whole):>9} {part:>5}  {spread}", flush=True)
    print()
    print(f"{'crowd':<12} {'documents':>9}  width with {LATER} each, from {FIRST}  there")
    for name, crowd in crowds.items():
        several = crowd.subset(saw(crowd) >= LATER)
        if len(several) < 50:
            continue
        predicted, there = [], []
        for seed in range(10):
            more = thinned(several, LATER, rng)
            fewer = thinned(more, FIRST, rng)
            made = sa.plan_sample(fewer, 0.05, **how(fewer), seed=seed)
            predicted.append(made.width_of(len(fewer), LATER)[0])
            there.append(sa.plan_sample(more, 0.05, **how(more)).width)
        both = f"{np.mean(predicted):>26.4f} {np.mean(there):>6.4f}"
        print(f"{name:<12} {len(several):>9}  {both}", flush=True)


def saw(crowd: sa.Corpus) -> Any:
    """Return how many annotators saw each document."""
    return sum(layer.annotated.astype(int) for layer in crowd.layers.values())


def thinned(crowd: sa.Corpus, each: int, rng: Any) -> sa.Corpus:
    """Return documents that so many saw or more, with as many of these drawn at random."""
    crowd = crowd.subset(np.flatnonzero(saw(crowd) >= each))
    if len(crowd) > MOST:
        crowd = crowd.subset(np.sort(rng.choice(len(crowd), MOST, replace=False)))
    keys = np.stack([np.where(x.annotated, 0, 2) for x in crowd.layers.values()])
    kept = np.argsort(np.argsort(keys + rng.random(keys.shape), axis=0), axis=0) < each
    layers = {
        name: replace(layer.only(mask[layer.document]), annotated=mask)
        for (name, layer), mask in zip(crowd.layers.items(), kept, strict=True)
        if mask.any()
    }
    return sa.Corpus(crowd.lengths, layers, crowd.labels, crowd.offsets, ids=crowd.ids)


def how(crowd: sa.Corpus) -> dict[str, Any]:
    """Return the settings for a crowd: single items have no chance to correct for."""
    items = int(crowd.lengths.max()) == 1
    return {"chance": "overlapping", "figure": "observed" if items else "corrected"}


def width_over(crowd: sa.Corpus) -> float:
    """Return how wide the interval of the team's figure is."""
    ask = how(crowd)
    made = sa.agree(crowd, chance=ask["chance"], ci=True)
    low, high = getattr(made.team.f1.interval, ask["figure"])
    return float(high - low)


if __name__ == "__main__":
    main(sys.argv[1:])
