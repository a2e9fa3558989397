"""Our calls beside those of the programs that users run today, in one run, in alternation.

Times mean nothing on shared machines; ratios within a round do. Each piece of work has a bar that
the median of its ratios (ours / theirs) should stay under, and each growth one for its slope: one
that is over makes the script end with 1, and the last lines say by how much. Peers that are not
installed are passed over, visibly. bench_work.py has what is compared, bench_growth.py what grows.

    pip install '.[bench]' && python scripts/bench.py

Options: --rounds N (5), --only TEXT (work with TEXT in its name), --small (sizes for a quick look,
for which no bar holds), --wnut17 FOLDER (emerging.test.annotated and submissions/ of seven systems,
public at noisy-text.github.io/2017; without it tags of the same number are drawn), --toxic FOLDER
(comments.csv, annotations.csv and spans.csv of the toxic spans data; without it there is no such
row), --places FOLDER (the public data that places_table.py takes, PICO and Mu-SHROOM; without it
there are no such rows), --quick (two minutes: a round of each, without growth, and of peers that
take long none), --write (into docs/benchmarks.md and docs/benchmarks.svg).
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import platform
import resource
import statistics
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from bench_growth import Fitted, all_growth, measure
from bench_work import Call, Given, Work, all_work

DOCS = Path(__file__).parent.parent / "docs"
PATIENCE = 45  # seconds after which a row has no further round, from the second one
SLOW = 30  # seconds after which the first call of each is a round, as it would be a pity


@dataclass(frozen=True)
class Row:
    """What came of one work: for each round our seconds (or bytes) and theirs.

    ``processor`` is what both took of processor time, in the median.
    """

    work: Work
    rounds: list[tuple[float, float]]
    processor: tuple[float, float] | None

    @property
    def ratios(self) -> list[float]:
        """Ours / theirs of each round, ordered."""
        return sorted(ours / theirs for ours, theirs in self.rounds)

    @property
    def ratio(self) -> float:
        return statistics.median(self.ratios)

    def cells(self) -> list[str]:
        """The row of the table."""
        work = self.work
        times = []
        for column in zip(*self.rounds, strict=True):
            median, least = statistics.median(column), min(column)
            times.append(f"{shown(median, work)} ({shown(least, work)})")
        processor = " / ".join(f"{seconds:.3g} s" for seconds in self.processor or ())
        spread = f"{self.ratios[0]:.3g}–{self.ratios[-1]:.3g}"
        bar = "" if work.bar is None else f"≤ {work.bar:.3g}"
        return [work.name, work.peer, *times, processor, f"{self.ratio:.3g}", spread, bar]


HEAD = ["work", "beside", "ours", "theirs", "processor", "ratio", "spread", "bar"]
WIDTHS = (42, 27, 20, 20, 19, 8, 14, 8)
GROWTH = ["growth with", "sizes", "seconds", "slope", "bar"]


def measured(call: Call) -> tuple[float, float]:
    """Seconds and processor time of a call, with that of its processes; or the bytes it returns."""
    before, begin = spent(), time.perf_counter()
    result = call()
    seconds = time.perf_counter() - begin
    return (result, 0.0) if isinstance(result, Given) else (seconds, spent() - before)


def spent() -> float:
    """Processor time of this process and of those that have ended."""
    ended = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + ended.ru_utime + ended.ru_stime


def compared(work: Work, rounds: int, *, warm: bool = True) -> Row:
    """Warm both calls up, then time them in rounds that begin with one and the other in turn."""
    calls = work.make()
    began = time.perf_counter()
    first = paired(calls, 0)
    whole = work.unit == "bytes"  # which a process of its own gives, once is enough
    slow = time.perf_counter() - began > SLOW
    made = [first] if whole or slow or not warm else []
    for number in range(len(made), 1 if whole else rounds):
        if number > 1 and time.perf_counter() - began > PATIENCE:
            break
        made.append(paired(calls, number))
    at = 1 if work.unit == "processor" else 0
    processor = [statistics.median(pair[i][1] for pair in made) for i in (0, 1)]
    pairs = [(ours[at], theirs[at]) for ours, theirs in made]
    return Row(work, pairs, None if whole else (processor[0], processor[1]))


def paired(calls: tuple[Call, Call], number: int) -> tuple[tuple[float, float], ...]:
    """What a round gives of ours and of theirs."""
    if number % 2:
        theirs, ours = measured(calls[1]), measured(calls[0])
    else:
        ours, theirs = measured(calls[0]), measured(calls[1])
    return ours, theirs


def shown(value: float, work: Work) -> str:
    return f"{value / 2**20:.0f} MB" if work.unit == "bytes" else f"{value:.3g} s"


def growth_cells(fitted: Fitted) -> list[str]:
    """The row of the table."""
    growth = fitted.growth
    seconds = " – ".join(f"{fitted.seconds[i]:.3g}" for i in (0, -1))
    sizes = f"{fitted.sizes[0]:,} – {fitted.sizes[-1]:,}"
    return [growth.name, sizes, seconds, f"{fitted.slope:.2f}", f"≤ {growth.bar:g}"]


def machine() -> str:
    """The processor, cores, system, versions, and how busy the machine is."""
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8").splitlines()
    except OSError:
        lines = []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    name = names[0] if names else platform.processor() or platform.machine()
    load = f"{os.getloadavg()[0]:.2f}" if hasattr(os, "getloadavg") else "unknown"
    versions = f"Python {platform.python_version()}, NumPy {np.__version__}"
    location = f"{name}, {os.cpu_count()} cores, {platform.system()}"
    return f"{location}, {versions}; load at the start {load}"


def printed(cells: list[str]) -> None:
    """A line of the output."""
    columns = [cell.ljust(width) for cell, width in zip(cells, WIDTHS, strict=False)]
    print(" ".join(columns).rstrip(), flush=True)


def main(arguments: list[str] | None = None) -> int:
    """Print a row for each work and each growth; 1 if one is over its bar."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="")
    parser.add_argument("--small", action="store_true")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--wnut17", type=Path)
    parser.add_argument("--toxic", type=Path)
    parser.add_argument("--places", type=Path)
    parser.add_argument("--write", action="store_true")
    asked = parser.parse_args(arguments)
    if asked.quick:
        asked.rounds = 1
    here = machine()
    print(here)
    over: list[str] = []
    rows: list[Row] = []
    printed(HEAD)
    for work in all_work(asked.small, asked.wnut17, asked.toxic, asked.places):
        left_out = asked.quick and work.lengthy
        if left_out or asked.only not in f"{work.name} {work.peer}":
            continue
        if importlib.util.find_spec(work.needs) is None:
            print(f"{work.name:42} {work.peer:27} {work.needs} is not installed: passed over")
            continue
        row = compared(work, asked.rounds, warm=not (asked.small or asked.quick))
        rows.append(row)
        printed(row.cells())
        if work.bar is not None and row.ratio > work.bar:
            over.append(beyond(f"{work.name}, beside {work.peer}", row.ratio, work.bar))
    slopes: list[Fitted] = []
    printed(GROWTH)
    for growth in () if asked.quick else all_growth():
        if asked.only not in f"growth with {growth.name}":
            continue
        fitted = measure(growth, min(asked.rounds, 3), 20 if asked.small else 1)
        slopes.append(fitted)
        printed(growth_cells(fitted))
        if fitted.slope > growth.bar:
            over.append(beyond(f"growth with {growth.name}", fitted.slope, growth.bar))
    if asked.write:
        write(rows, slopes, here)
    if asked.small:  # what a call costs by itself decides there
        print("sizes are small: no bar is held")
        return 0
    for line in over:
        print(line)
    return 1 if over else 0


def beyond(name: str, value: float, bar: float) -> str:
    """What is over its bar, and by how much."""
    more = 100 * value / bar - 100
    return f"over its bar: {name}: {value:.3g} for ≤ {bar:.3g}, {more:.0f} % over"


def write(rows: list[Row], slopes: list[Fitted], here: str) -> None:
    """The tables into docs/benchmarks.md, between its marks; the plot into docs/benchmarks.svg."""
    both = [
        [HEAD, ["---"] * len(HEAD), *(row.cells() for row in rows)],
        [GROWTH, ["---"] * len(GROWTH), *map(growth_cells, slopes)],
    ]
    tables = ("\n".join(f"| {' | '.join(cells)} |" for cells in lines) for lines in both)
    rounds = max((len(row.rounds) for row in rows), default=0)
    made = [f"Measured on {here}; up to {rounds} rounds.", *tables]
    page = DOCS / "benchmarks.md"
    head, mark, rest = page.read_text("utf-8").partition("<!-- measured -->\n")
    _, end, tail = rest.partition("<!-- end -->\n")
    page.write_text(head + mark + "\n\n".join(made) + "\n" + end + tail, "utf-8")
    if slopes:
        plot(slopes)


def plot(slopes: list[Fitted]) -> None:
    """Processor time against size, log-log, each in units of its smallest."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "spanagree"
    from matplotlib import pyplot as plt

    figure, axes = plt.subplots(figsize=(6.5, 4), layout="constrained")
    for fitted in slopes:
        sizes: list[Any] = [size / fitted.sizes[0] for size in fitted.sizes]
        seconds = [value / fitted.seconds[0] for value in fitted.seconds]
        axes.loglog(
            sizes, seconds, "o-", markersize=3, label=f"{fitted.growth.name}: {fitted.slope:.2f}"
        )
    axes.loglog([1, 8], [1, 8], ":", color="#555555", label="linear")
    axes.set_xlabel("size, in units of the smallest")
    axes.set_ylabel("processor time, the same")
    axes.grid(visible=True, which="both", linewidth=0.3)
    axes.legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))
    figure.savefig(DOCS / "benchmarks.svg", metadata={"Date": None})


if __name__ == "__main__":
    sys.exit(main())
