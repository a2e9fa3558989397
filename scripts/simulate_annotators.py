"""How often an interval of a team holds the figure of all annotators, of whom the team is a sample.

A population of 400 annotators and 2,500 documents is drawn once, so its corrected F1 is the truth.
Annotators differ in skill and documents in how hard they are. Teams are drawn from it, with some
of the documents, and get their intervals as the program gives them: over documents, and over other
annotators too. Seeded, so that it prints the same digits every time.

Usage: python scripts/simulate_annotators.py
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from spanagree.agreement.count import stack_columns
from spanagree.agreement.other_annotators import add_annotator_intervals, compute_team_variance
from spanagree.comparisons.table import NO_LABEL, Comparisons
from spanagree.results.score import compute_f1_figures
from spanagree.uncertainty.confidence import USUAL
from spanagree.uncertainty.jackknife import build_intervals, compute_moments

ANNOTATORS, DOCUMENTS, SAMPLES = 400, 2500, 400
by_chance = 0.015  # expected matches, for each segment that two have marked
WAYS = ("documents", "annotators too")


class Team(NamedTuple):
    """How many annotators, how many of them see each document, and how many documents.

    ``busy`` annotators are drawn ten times as often for a document as the others.
    """

    annotators: int
    each: int
    documents: int
    busy: int = 0


TEAMS = (
    *(Team(n, n, 100) for n in (3, 4, 5, 8, 20)),
    *(Team(20, 3, 200), Team(40, 3, 300), Team(40, 3, 300, busy=4), Team(100, 5, 100)),
)
POPULATIONS = (
    ("very different", 0.6, 0.0, TEAMS),
    ("much alike", 0.15, 0.0, TEAMS),
    ("much alike, but one in four marks little that is there", 0.15, 0.25, TEAMS[:4]),
    ("much alike, but one in ten does", 0.15, 0.1, TEAMS[:4]),
)
"""What annotators are like: how their skill spreads, and how many are poor; and their teams."""


def main() -> None:
    for says, spread, poor, teams in POPULATIONS:
        marks, sizes, first = population(spread, poor)
        truth = true_figure(marks, sizes)
        print(f"annotators {says} (truth {truth:.4f})")
        heads = "  ".join(f"{way:>14}" for way in WAYS)
        print(f"{'annotators':>10} {'of each':>8} {'documents':>9}  {heads}")
        for team in teams:
            held = shares_held(team, (marks, sizes, first), truth)
            name = f"{team.annotators}{'*' * bool(team.busy)}"
            cells = [f"{100 * share:12.1f} %" for share in held]
            print(f"{name:>10} {team.each:>8} {team.documents:>9}  {'  '.join(cells)}", flush=True)
    print("* 4 of them are drawn ten times as often")
    print(f"{SAMPLES} teams each, so ± 1.1 % where 95 % is right")


def shares_held(team: Team, everybody: Any, truth: float, samples: int = SAMPLES) -> list[float]:
    """Return the share of teams whose interval holds the truth, of either interval."""
    rng = np.random.default_rng(sum(team))
    held = np.zeros(len(WAYS))
    for _ in range(samples):
        marks, sizes, first = everybody
        ends = intervals(drawn_team(marks, sizes, first, team, rng))
        held += [low <= truth <= high for low, high in ends]
    return list((held / samples).tolist())


def population(spread: float, poor: float) -> tuple[Any, Any, Any]:
    """Return who marks which segment, how many each marks in a document, and where those start."""
    rng = np.random.default_rng(1)
    count = 1 + rng.poisson(3, DOCUMENTS)
    document = np.repeat(np.arange(DOCUMENTS), count)
    skill = rng.normal(1.2, spread, ANNOTATORS)[:, None]
    skill[: round(poor * ANNOTATORS)] -= 2
    hard = rng.normal(0, 0.5, DOCUMENTS)[document] + rng.normal(0, 0.7, len(document))
    marks = rng.random((ANNOTATORS, len(document))) < 1 / (1 + np.exp(hard - skill))
    spurious = rng.poisson(np.exp(-0.5 - 0.6 * skill), (ANNOTATORS, DOCUMENTS))
    first = np.concatenate([[0], np.cumsum(count)])
    return marks, np.add.reduceat(marks, first[:-1], axis=1) + spurious, first


def true_figure(marks: Any, sizes: Any) -> float:
    """Return the corrected F1 of all pairs of the population."""
    both = marks.sum(axis=0, dtype=np.float64)
    matched = (both * (both - 1)).sum() / 2
    size = float(sizes.sum()) * (ANNOTATORS - 1)
    return float(compute_f1_figures(np.array([matched, by_chance * size, size]))[2])


def drawn_team(marks: Any, sizes: Any, first: Any, team: Team, rng: Any) -> Comparisons:
    """Return the rows of a team drawn from the population."""
    who = rng.choice(ANNOTATORS, team.annotators, replace=False)
    often = np.ones(team.annotators)
    often[: team.busy] = 10
    columns = []
    for row, d in enumerate(rng.choice(DOCUMENTS, team.documents, replace=False).tolist()):
        saw = rng.choice(team.annotators, team.each, replace=False, p=often / often.sum())
        here = marks[who[saw], first[d] : first[d + 1]].astype(np.int64)
        size = sizes[who[saw], d]
        i, j = np.triu_indices(team.each, 1)
        matched = (here @ here.T)[i, j]
        columns.append((saw[i], saw[j], 0 * i + row, matched, size[i], size[j]))
    i, j, document, matched, *sizes = map(np.concatenate, zip(*columns, strict=True))
    label, expected = np.full(len(i), NO_LABEL), by_chance * sum(sizes)
    return Comparisons.of(document, label, matched, expected, sizes).between(
        np.minimum(i, j), np.maximum(i, j)
    )


def intervals(rows: Comparisons) -> list[tuple[float, float]]:
    """Return the intervals of corrected F1, over documents and over annotators too."""
    sums = compute_moments(stack_columns(rows.by("document")), compute_f1_figures)
    (over,) = build_intervals(sums, USUAL)
    (wide,) = add_annotator_intervals(over, sums, compute_team_variance(rows), USUAL.tail)
    assert wide.over_annotators is not None  # as it was asked for
    return [wide.corrected, wide.over_annotators.corrected]


if __name__ == "__main__":
    main()
