"""How often an interval of a team holds the figure of all annotators, of whom the team is a sample.

A population of 400 annotators and 2,500 documents is drawn once, so its corrected F1 is the truth.
Annotators differ in skill and documents in how hard they are. Teams are drawn from it, with some
of the documents, and get their intervals as the program gives them: over documents, over
annotators, and over both; and by drawing annotators and documents with replacement, with the draws
of both annotators and of the document multiplied, which the program does not offer. Seeded, so
that it prints the same digits every time.

Usage: python scripts/simulate_annotators.py
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from spanagree.uncertainty.bootstrap import Resampling, intervals_of

from spanagree.agreement.other_annotators import OtherAnnotators, widened
from spanagree.comparisons.table import NO_LABEL, Comparisons
from spanagree.results.score import f1_figures

ANNOTATORS, DOCUMENTS, SAMPLES, RESAMPLES = 400, 2500, 400, 200
by_chance = 0.015  # expected matches, for each segment that two have marked
WAYS = ("documents", "multiplied", "annotators", "both")


class Team(NamedTuple):
    """How many annotators, how many of them see each document, and how many documents.

    ``busy`` annotators are drawn ten times as often for a document as the others.
    """

    annotators: int
    each: int
    documents: int
    busy: int = 0


TEAMS = (
    *(Team(n, n, 100) for n in (4, 5, 8, 20)),
    *(Team(20, 3, 200), Team(40, 3, 300), Team(40, 3, 300, busy=4), Team(100, 5, 100)),
)
POPULATIONS = (
    ("very different", 0.6, 0.0, TEAMS),
    ("much alike", 0.15, 0.0, TEAMS),
    ("much alike, but one in four marks little that is there", 0.15, 0.25, TEAMS[:3]),
    ("much alike, but one in ten does", 0.15, 0.1, TEAMS[:3]),
)
"""What annotators are like: how their skill spreads, and how many are poor; and their teams."""


def main() -> None:
    for says, spread, poor, teams in POPULATIONS:
        marks, sizes, first = population(spread, poor)
        truth = true_figure(marks, sizes)
        print(f"annotators {says} (truth {truth:.4f})")
        heads = "  ".join(f"{way:>10}" for way in WAYS)
        print(f"{'annotators':>10} {'of each':>8} {'documents':>9}  {heads}")
        for team in teams:
            rng = np.random.default_rng(sum(team))
            held = np.zeros(len(WAYS))
            for _ in range(SAMPLES):
                ends = intervals(drawn_team(marks, sizes, first, team, rng), rng)
                held += [low <= truth <= high for low, high in ends]
            name = f"{team.annotators}{'*' * bool(team.busy)}"
            cells = [f"{100 * share:8.1f} %" for share in held / SAMPLES]
            print(f"{name:>10} {team.each:>8} {team.documents:>9}  {'  '.join(cells)}", flush=True)
    print("* 4 of them are drawn ten times as often")
    print(f"{SAMPLES} teams each, so ± 1.1 % where 95 % is right")


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
    return float(f1_figures(np.array([matched, by_chance * size, size]))[2])


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


def intervals(rows: Comparisons, rng: Any) -> list[tuple[float, float]]:
    """Return the intervals of corrected F1, in each way."""
    sums = np.stack((rows.matched, rows.expected, rows.size_first + rows.size_second), axis=1)
    table = np.stack([np.bincount(rows.document, column) for column in sums.T], axis=1)
    figures = f1_figures(sums.sum(axis=0))
    seed = int(rng.integers(1 << 30))
    over = intervals_of(table, f1_figures, Resampling(resamples=RESAMPLES, seed=seed))[0]
    ends = [over.corrected, multiplied(rows, sums, rng)]
    for by, kind in (("annotators", "jackknife"), ("both", "bca")):
        resampling = Resampling(interval=kind, resample_by=by)
        error = OtherAnnotators(rows, by == "both").of_team()
        ends.append(widened(over, figures.tolist(), error, resampling).corrected)
    return ends


def multiplied(rows: Comparisons, sums: Any, rng: Any) -> tuple[float, float]:
    """Return the interval of draws that are multiplied; a pair of the same annotator is none."""
    members = np.stack((rows.first, rows.second))
    annotators, documents = int(members.max()) + 1, int(rows.document.max()) + 1
    who = rng.multinomial(annotators, np.full(annotators, 1 / annotators), RESAMPLES)
    which = rng.multinomial(documents, np.full(documents, 1 / documents), RESAMPLES)
    drawn = np.float64(who[:, members[0]] * who[:, members[1]] * which[:, rows.document])
    with np.errstate(divide="ignore", invalid="ignore"):
        low, high = np.nanquantile(f1_figures(drawn @ sums)[:, 2], (0.025, 0.975)).tolist()
    return low, high


if __name__ == "__main__":
    main()
