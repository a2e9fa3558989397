"""Li et al. 2024, "Estimating Agreement by Chance for Sequence Annotation", done again.

``figure`` plots the start distributions of Figure 1 (this alone needs matplotlib); ``simulations``
sets our figures beside the printed ones; ``table`` is the paper's large table for any CoNLL files
of the same sentences: each system's raw and corrected F1 in all sentences and in an easy and a hard
half, by token, with the chance model per label. What came of it stands in docs/reproduction.md.

Usage: python scripts/reproduce_li2024.py figure [FILE]
       python scripts/reproduce_li2024.py simulations
       python scripts/reproduce_li2024.py table GOLD SYSTEM ... [--chance-at X] [--ignore-tokens]
"""

from __future__ import annotations

import argparse
import importlib
import json
import math
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

import spanagree as sa
from spanagree.arrays import Ints
from spanagree.choices import MatchName

SIMULATIONS = Path(__file__).resolve().parent.parent / "tests" / "golden" / "simulations.json"
LENGTH, SEGMENTS = 100, (1, 5, 10, 15)  # of Figure 1
MATCH: MatchName = "token"  # of the large table
CHANCE = "per-label"
ROUNDS = 3  # a time is the best of so many


def number(value: float | None, form: str = ".4f") -> str:
    """A figure as text; undefined is –."""
    return "–" if value is None or math.isnan(value) else format(value, form)


def figure(asked: argparse.Namespace) -> None:
    """Figure 1: where four random segments start, in a text of 100 tokens."""
    try:
        canvas: Any = importlib.import_module("matplotlib.figure")
    except ModuleNotFoundError:
        sys.exit("the figure needs matplotlib: pip install matplotlib")
    begin = time.perf_counter()
    starts = sa.start_distribution(LENGTH, SEGMENTS)
    seconds = time.perf_counter() - begin
    plot = canvas.Figure(figsize=(7, 2.6), layout="constrained")  # as wide as a page's text
    panels = plot.subplots(1, len(SEGMENTS), sharey=True)
    for axes, length, start in zip(panels, SEGMENTS, starts, strict=True):
        # told apart by shape and lightness, whatever the eye or the printer
        axes.plot(
            start, ".-", color="#0072B2", markersize=3, linewidth=0.7, label="with the others"
        )
        alone = 1 / len(start)
        axes.plot([0, len(start) - 1], [alone, alone], "--", color="black", lw=0.9, label="alone")
        axes.set_title(f"length {length}", fontsize=9)
        axes.set_xlim(-4, LENGTH + 3)
        axes.set_xticks([0, LENGTH // 2, LENGTH])
        axes.tick_params(labelsize=8)
        axes.grid(axis="y", color="#DDDDDD", linewidth=0.5)
        axes.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("probability", fontsize=9)
    panels[0].legend(fontsize=8, frameon=False, loc="upper center")
    plot.supxlabel(f"first token of the segment, from 0, in a text of {LENGTH} tokens", fontsize=9)
    try:
        plot.savefig(asked.file, dpi=300)
    except (OSError, ValueError) as error:  # no such folder, no such format
        sys.exit(f"{asked.file}: {error}")
    print(f"{len(starts)} start distributions in {seconds:.4f} seconds, plotted to {asked.file}")


def simulations(_: argparse.Namespace) -> None:
    """The simulations: ours beside what the paper prints."""
    figures = {"observed": "observed_f1", "expected": "chance_f1", "corrected": "corrected_f1"}
    heads = "".join(f"{head:>17}" for head in ("raw F1", "chance F1", "corrected F1"))
    print(f"{'':20}{heads}\n{'':20}{'     ours   print' * len(figures)}")
    alike = []
    for case in json.loads(SIMULATIONS.read_text("utf-8")):
        sides = [case["annotator1"], case["annotator2"]]  # a run of 1 is a segment, 0 is outside
        marks = {"0": "O", "1": "I-X"}
        tags = {str(i): [[marks[mark] for mark in side]] for i, side in enumerate(sides)}
        corpus = sa.from_tags(tags, scheme="IO")
        f1 = sa.evaluate(corpus, match=case["match"]).systems["1"].f1
        pairs = [(number(getattr(f1, of)), number(case[key])) for of, key in figures.items()]
        alike += [ours == theirs for ours, theirs in pairs]
        print(f"{case['name']:20}" + "".join(f"{ours:>9}{theirs:>8}" for ours, theirs in pairs))
    print(f"\n{sum(alike)} of {len(alike)} figures agree in the four digits printed")


def seconds_of(corpus: sa.Corpus, gold: str, system: str) -> float:
    """How long gold and one system take, their random annotations and the raw scores."""
    both = corpus.select_annotators([gold, system])
    times = []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        sa.evaluate(both, gold, match=MATCH, chance=CHANCE)
        times.append(time.perf_counter() - begin)
    return min(times)


def sizes(name: str, difficulty: sa.levels.Difficulty, documents: Ints) -> str:
    """What a part is called, how many sentences it has, and what chance gives there."""
    chance, expected, size = (
        column[documents] for column in (difficulty.chance, difficulty.expected, difficulty.size)
    )
    told = f"{name}: {len(documents):,} sentence{'s' * (len(documents) != 1)}"
    if np.isnan(chance).all():
        return told
    low, high, pooled = np.nanmin(chance), np.nanmax(chance), expected.sum() / size.sum()
    return f"{told}, chance level {low:.4f} to {high:.4f}, pooled {pooled:.4f}"


def show(
    levels: sa.levels.EvaluationByLevel, of: sa.systems.Evaluation, corpus: sa.Corpus, gold: str
) -> None:
    """A row for each system, the range of F1, and τ."""
    width = max(map(len, ["system", *of.systems]))
    heads = ("raw F1", "rank", "chance F1", "corrected F1", "rank", "seconds")
    form = f"{{:{width}}}{{:>8}}{{:>6}}{{:>11}}{{:>14}}{{:>6}}{{:>9}}"
    print(form.format("system", *heads))
    for name, system in of.systems.items():
        f1, rank = system.f1, system.rank
        raw = (number(f1.observed), number(rank.observed, "d"), number(f1.expected))
        corrected = (number(f1.corrected), number(rank.corrected, "d"))
        print(form.format(name, *raw, *corrected, number(seconds_of(corpus, gold, name))))
    figures = np.array([[s.f1.observed, s.f1.corrected] for s in of.systems.values()])
    # of the systems in which both are defined, as everywhere below
    known = figures[~np.isnan(figures).any(axis=1)]
    ends = np.ptp(known, axis=0).tolist() if len(known) else [math.nan] * 2
    print(form.format("range", number(ends[0]), "", "", number(ends[1]), "", "").rstrip())
    print(f"Kendall's τ of raw and corrected F1: {number(levels.raw_and_corrected(of))}")


def table(asked: argparse.Namespace) -> None:
    """The large table: all sentences, the easy half, the hard half; those without gold apart."""
    corpus = sa.formats.read_conll([asked.gold, *asked.system], ignore_tokens=asked.ignore_tokens)
    gold = corpus.annotators[0]
    whole = sa.evaluate(corpus, gold, match=MATCH, chance=CHANCE)
    difficulty = sa.difficulty(corpus, gold, match=MATCH, chance=CHANCE)
    border = None if asked.chance_at is None else [asked.chance_at]
    levels = sa.levels.evaluate_levels(whole, difficulty, chance_at=border)
    parts = sa.split(corpus, difficulty, chance_at=border)
    print(sizes("all", difficulty, np.arange(len(corpus))))
    show(levels, whole, corpus, gold)
    names = ("easy half", "hard half") if len(parts) == 2 else ("one level",)
    for name, evaluation, part in zip(names, levels.evaluations, parts.parts, strict=False):
        print(f"\n{sizes(name, difficulty, part.level.documents)}")
        if len(part.corpus):
            show(levels, evaluation, part.corpus, gold)
    if len(parts) == 2:
        taus = levels.between("observed") + levels.between("corrected")
        raw, corrected = (number(tau) for _, _, tau in taus)
        print(f"\nKendall's τ of the two halves: raw F1 {raw}, corrected F1 {corrected}")
    if len(documents := parts.undefined.level.documents):
        print(f"\n{sizes('without gold segment', difficulty, documents)}; in all, in no half")
        marked = levels.evaluations[-1].systems.items()
        print("tokens marked: " + ", ".join(f"{name} {of.tally.size_b:,}" for name, of in marked))
    print("".join(f"\nnote: {note}" for note in (*whole.notes, *levels.notes)))
    print(f"signature: {whole.signature}")


def main(arguments: list[str] | None = None) -> None:
    """Runs the part asked for."""
    parser = argparse.ArgumentParser(description="Li et al. 2024, done again.")
    parts = parser.add_subparsers(required=True, metavar="PART")
    one = parts.add_parser("figure", help="Figure 1: four start distributions as a plot")
    one.add_argument("file", nargs="?", default="figure1.png", help="PNG, PDF or SVG; figure1.png")
    one.set_defaults(run=figure)
    two = parts.add_parser("simulations", help="the simulations, ours beside print")
    two.set_defaults(run=simulations)
    three = parts.add_parser("table", help="raw and corrected F1 and ranks: all, easy, hard")
    three.add_argument("gold", help="the gold annotation, CoNLL")
    three.add_argument("system", nargs="+", help="outputs of systems on the same sentences, CoNLL")
    three.add_argument(
        "--chance-at",
        type=float,
        metavar="X",
        help="the easy half: chance level X or more (0.175 in the paper); default: equal halves",
    )
    three.add_argument("--ignore-tokens", action="store_true", help="align by position")
    three.set_defaults(run=table)
    asked = parser.parse_args(arguments)
    try:
        asked.run(asked)
    except sa.SpanAgreeError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
