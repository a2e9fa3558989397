"""Tables, claims and the figure of the study, from the results of its tasks."""

from __future__ import annotations

import csv
import json
import math
import statistics
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

Result = Mapping[str, Any]
_RESAMPLES = 2000
_COLOURS = {"exact": "#0072b2", "iou": "#d55e00", "overlap": "#cc79a7", "token": "#009e73"}
_SHAPES = {"exact": "circle", "iou": "square", "overlap": "diamond", "token": "triangle"}


# --- what is known of a task and a measure ------------------------------------------------------


def points(results: Sequence[Result]) -> list[dict[str, Any]]:
    """Return a row for each task and measure; of systems the median one, else the annotators."""
    rows = []
    for result in results:
        if result["study"] is None:
            continue
        about = result["study"]["about"]
        for row in result["study"]["rows"]:
            against = row["people"] is None or row["best"].get("models")
            one = row["median"] if against else row["people"]
            models = one.get("models", {})
            undecided, order = row["undecided"], row["reordered"]
            base = row["baselines"]
            rows.append(
                {
                    "task": result["task"]["name"],
                    "title": result["task"]["title"],
                    "compared": about["compared"],
                    "documents": about["documents"],
                    "words": about["words"],
                    "share_marked": about["share_marked"],
                    "words_of_segment": about["words_of_segment"],
                    "labels": about["labels"],
                    "match": row["match"],
                    "model": row["chance"],
                    "who": "systems" if against else "annotators",
                    "best": row["best"]["observed"] if against else None,
                    "best_chance": row["best"]["expected"] if against else None,
                    "observed": one["observed"],
                    "last": row["last"]["observed"] if against else None,
                    "last_chance": row["last"]["expected"] if against else None,
                    "last_corrected": row["last"]["corrected"] if against else None,
                    "chance": one["expected"],
                    "by_label": models.get("per-label"),
                    "no_by_label": row["why"].get("per-label"),
                    "at_places": models.get("places"),
                    "no_at_places": row["why"].get("places") or result["task"].get("no_places"),
                    "whole": models.get("whole"),
                    "no_whole": row["why"].get("whole") or _no_whole(result["task"]),
                    "corrected": one["corrected"],
                    "best_corrected": row["best"]["corrected"] if against else None,
                    "low": (one.get("interval") or [None, None])[0],
                    "high": (one.get("interval") or [None, None])[1],
                    "tau": row["tau"],
                    "pairs": order["of"] if order else None,
                    "reversed": order["pairs"] if order else None,
                    "supported": order["supported"] if order else None,
                    "told_apart": order["told_apart_corrected"] if order else None,
                    "undecided": undecided["systems"] if undecided else None,
                    "systems": undecided["of"] if undecided else None,
                    "everything": (base.get("everything") or {}).get("observed"),
                    "everything_chance": (base.get("everything") or {}).get("expected"),
                    "each_token": (base.get("each_token") or {}).get("observed"),
                    "random": (base.get("random") or {}).get("mean"),
                    "random_sd": (base.get("random") or {}).get("sd"),
                    "people": (row["people"] or {}).get("observed"),
                    "people_corrected": (row["people"] or {}).get("corrected"),
                    "easy_tau": ((row["halves"] or {}).get("easy") or {}).get("tau"),
                    "hard_tau": ((row["halves"] or {}).get("hard") or {}).get("tau"),
                    "easy_chance": ((row["halves"] or {}).get("easy") or {}).get("expected"),
                    "hard_chance": ((row["halves"] or {}).get("hard") or {}).get("expected"),
                }
            )
    return rows


def _no_whole(task: Mapping[str, str]) -> str:
    """Return why there is no chance over larger documents than those of a task."""
    return task.get("no_whole", f"{task['unit']}s are whole")


def claims(results: Sequence[Result]) -> dict[str, Any]:
    """Return the figures that the page's sentences rest on, with intervals over tasks.

    Tasks are drawn with replacement, not their measures, as those of a task hang together.
    """
    rows = points(results)
    said: dict[str, Any] = {"tasks": len(results), "rows": len(rows)}
    said["compared"] = sum(
        result["study"]["about"]["compared"] for result in results if result["study"]
    )
    for match in _COLOURS:
        of = [row for row in rows if row["match"] == match and row["chance"] is not None]
        spans = [row for row in of if not row["task"].endswith("relations")]
        said[match] = {"tasks": len(of)}
        said[match]["chance"] = _interval(of, lambda x: statistics.median(r["chance"] for r in x))
        for key in ("share_marked", "words", "words_of_segment", "labels"):
            said[match][key] = _interval(spans, lambda x, key=key: _rho(x, key, "chance"))
        tested = [row for row in of if row["pairs"]]
        said[match]["pairs"] = sum(row["pairs"] for row in tested)
        said[match]["reversed"] = sum(row["reversed"] for row in tested)
        said[match]["supported"] = sum(row["supported"] for row in tested)
        said[match]["share_reversed"] = _interval(tested, _share_reversed)
        told = [row for row in of if row["systems"]]
        said[match]["tau"] = _interval(
            [row for row in tested if row["tau"] is not None], lambda x: min(r["tau"] for r in x)
        )
        halves = [row for row in of if row["easy_chance"] is not None]
        for half in ("easy", "hard"):
            said[match][half] = _interval(
                [row for row in halves if row["hard_chance"] is not None],
                lambda x, half=half: statistics.median(r[f"{half}_chance"] for r in x),
            )
        said[match]["undecided"] = sum(row["undecided"] for row in told)
        said[match]["systems"] = sum(row["systems"] for row in told)
    return said


def _share_reversed(rows: Sequence[Mapping[str, Any]]) -> float:
    return sum(row["reversed"] for row in rows) / sum(row["pairs"] for row in rows)


def _rho(rows: Sequence[Mapping[str, Any]], x: str, y: str) -> float:
    """Return Spearman's ρ."""
    from scipy.stats import rankdata

    a, b = (rankdata([row[key] for row in rows]) for key in (x, y))
    if a.std() == 0 or b.std() == 0:
        return math.nan
    return float(np.corrcoef(a, b)[0, 1])


def _interval(rows: Sequence[Any], statistic: Callable[[Sequence[Any]], float]) -> list[float]:
    """Return a statistic and its 95 % interval over tasks (percentile bootstrap, seed 0)."""
    if not rows:
        return [math.nan] * 3
    rng = np.random.default_rng(0)
    drawn = [
        statistic([rows[i] for i in rng.integers(len(rows), size=len(rows))])
        for _ in range(_RESAMPLES)
    ]
    if np.isnan(drawn).all():
        return [math.nan] * 3
    low, high = np.nanquantile(drawn, [0.025, 0.975])
    return [float(statistic(rows)), float(low), float(high)]


# --- as Markdown --------------------------------------------------------------------------------


def number(value: Any, digits: int = 2) -> str:
    """Return a figure as tables show it: without the zero before its point."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    text = f"{value + 0:.{digits}f}"
    text = "0" if float(text) == 0 else text
    return text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def main_table(results: Sequence[Result]) -> str:
    """Return the page's table: a row for each task, exact and token side by side."""
    by_task: dict[str, dict[str, dict[str, Any]]] = defaultdict(dict)
    for row in points(results):
        by_task[row["task"]][row["match"]] = row
    header = [
        "task", "compared", "words", "marked",
        "exact: F1", "chance", "above", "token: F1", "chance", "above", "order changed",
    ]  # fmt: skip
    rows = []
    for each in by_task.values():
        first = each["exact"]
        share = first["share_marked"]
        cells = [first["title"], str(first["compared"]), number(first["words"], 0), number(share)]
        for match in ("exact", "token"):
            row = each.get(match, {})
            cells += [number(row.get(key)) for key in ("observed", "chance", "corrected")]
        tested = [row for row in each.values() if row["pairs"]]
        changed = sum(row["reversed"] for row in tested)
        of, sure = (sum(row[key] for row in tested) for key in ("pairs", "supported"))
        cells.append(f"{changed} of {of}, {sure} sure" if tested else "–")
        rows.append(cells)
    return markdown(header, rows)


def rankings_table(results: Sequence[Result]) -> str:
    """Return the best, the median and the last system, and what chance does to their order."""
    header = [
        "task", "measure", "best: F1", "chance", "above", "median: F1", "chance", "above",
        "last: F1", "chance", "above", "τ", "order changed", "supported", "of pairs",
        "chance, easy half", "hard half", "τ, easy half", "hard half",
    ]  # fmt: skip
    keys = [
        "best", "best_chance", "best_corrected", "observed", "chance", "corrected",
        "last", "last_chance", "last_corrected", "tau",
    ]  # fmt: skip
    halves = ["easy_chance", "hard_chance", "easy_tau", "hard_tau"]
    rows = []
    for row in points(results):
        if row["who"] == "systems":
            order = [number(row[key], 0) for key in ("reversed", "supported", "pairs")]
            figures = [number(row[key], 3) for key in keys]
            parts = [number(row[key], 3) for key in halves]
            rows.append([row["title"], row["match"], *figures, *order, *parts])
    return markdown(header, rows)


def models_table(results: Sequence[Result]) -> str:
    """Return chance under each model, or why there is none."""
    header = ["task", "measure", "uniform", "by label", "at places", "whole documents"]
    rows = []
    for row in points(results):
        cells = [
            (row[f"no_{key}"] or "–") if row[key] is None else number(row[key], 3)
            for key in ("by_label", "at_places", "whole")
        ]
        rows.append([row["title"], row["match"], number(row["chance"], 3), *cells])
    return markdown(header, rows)


def baselines_table(results: Sequence[Result]) -> str:
    """Return what baselines and people reach by shared tokens."""
    header = [
        "task", "best or people", "corrected F1", "everything", "its chance",
        "each token, majority label", "random (sd)", "not told from chance",
    ]  # fmt: skip
    rows = []
    for row in points(results):
        if row["match"] == "token":
            best = row["best"] if row["best"] is not None else row["observed"]
            above = row["best_corrected"] if row["best"] is not None else row["corrected"]
            error = f"{number(row['random'], 3)} ({number(row['random_sd'], 3)})"
            told = "–" if row["systems"] is None else f"{row['undecided']} of {row['systems']}"
            figures = [best, above, row["everything"], row["everything_chance"], row["each_token"]]
            drawn = "–" if row["random"] is None else error
            rows.append([row["title"], *map(number, figures), drawn, told])
    return markdown(header, rows)


def printed_table(results: Sequence[Result]) -> str:
    """Return how many printed scores are reproduced, and the greatest difference, by task."""
    header = ["task", "measure", "runs", "printed", "equal as printed", "greatest difference"]
    rows = []
    for result in results:
        if result["printed"]:
            answered = [row for row in result["printed"]["rows"] if row["ours"] is not None]
            gaps = [abs(x["difference"]) for x in answered if x["difference"] is not None]
            worst = f"{max(gaps):.1g}" if any(gaps) else "0" if gaps else "–"
            title, measure = result["task"]["title"], result["printed"]["measure"]
            counts = (len(answered), len(gaps), sum(gap == 0 for gap in gaps))
            rows.append([title, measure, *map(str, counts), worst])
    return markdown(header, rows)


def printed_runs_table(results: Sequence[Result]) -> str:
    """Return each run's printed score, ours, and the difference as far as it was printed."""
    header = ["task", "run", "printed", "ours", "difference"]
    rows = []
    for result in results:
        for row in (result["printed"] or {"rows": []})["rows"]:
            figures = [row[key] for key in ("printed", "ours", "difference")]
            shown = ["–" if x is None else f"{x:.10g}" for x in figures]
            rows.append([result["task"]["title"], row["name"], *shown])
    return markdown(header, rows)


def error_span_table(results: Sequence[Result]) -> str:
    """Return the agreement on error spans, by characters and by share of matched spans."""
    header = ["task", "pairs", "measure", "average", "P", "R", "F1", "chance", "corrected F1"]
    rows = []
    for result in results:
        for row in result.get("error_spans") or []:
            title, pairs = result["task"]["title"], str(len(row["pairs"]))
            measure = row["measure"] + ", weighted" * (row["weights"] == "severity")
            keys = ("precision", "recall", "observed", "expected", "corrected")
            figures = [number(row[key], 3) for key in keys]
            rows.append([title, pairs, measure, row["average"], *figures])
    return markdown(header, rows)


def graded_table(results: Sequence[Result]) -> str:
    """Return what graded scores of tokens are worth."""
    header = ["system", "translations", "AUC", "recall at K", "chance", "corrected", "error"]
    rows = []
    for result in results:
        for row in result.get("graded") or []:
            keys = ("auc", "recall", "chance", "corrected", "error")
            figures = [number(row[key], 3) for key in keys]
            rows.append([row["name"].replace("_", " "), str(row["translations"]), *figures])
    return markdown(header, rows)


def claims_table(results: Sequence[Result], said: Mapping[str, Any] | None = None) -> str:
    """Return what holds over tasks, by measure, with intervals; ``said`` are these claims."""
    said = said or claims(results)

    def between(match: str, key: str) -> str:
        value, low, high = said[match][key]
        return "–" if math.isnan(value) else f"{number(value)} ({number(low)} to {number(high)})"

    header = ["over tasks", *_COLOURS]
    rows = [["tasks", *(str(said[match]["tasks"]) for match in _COLOURS)]]
    for key, name in (
        ("chance", "chance F1, median"),
        ("share_marked", "ρ of chance and share marked"),
        ("words", "ρ of chance and words of a document"),
        ("words_of_segment", "ρ of chance and words of a segment"),
        ("labels", "ρ of chance and number of labels"),
        ("easy", "chance F1 of the easy half, median"),
        ("hard", "chance F1 of the hard half, median"),
        ("tau", "τ of raw and corrected, the lowest"),
    ):
        rows.append([name, *(between(match, key) for match in _COLOURS)])
    for name, key, of in (
        ("pairs of systems whose order changes", "reversed", "pairs"),
        ("of these supported by a test", "supported", "reversed"),
        ("systems not told from chance", "undecided", "systems"),
    ):
        rows.append([name, *(f"{said[m][key]} of {said[m][of]}" for m in _COLOURS)])
    rows.append(["share of pairs that change", *(between(m, "share_reversed") for m in _COLOURS)])
    return markdown(header, rows)


BLOCKS = {
    "claims": claims_table,
    "main": main_table,
    "rankings": rankings_table,
    "models": models_table,
    "baselines": baselines_table,
    "printed": printed_table,
    "printed-runs": printed_runs_table,
    "error-spans": error_span_table,
    "graded": graded_table,
}
"""The tables of the page by name."""


def with_blocks(page: str, results: Sequence[Result]) -> str:
    """Return a page whose tables, between their comments, are made anew."""
    for name, make in BLOCKS.items():
        begin, end = f"<!-- {name} -->\n", f"<!-- /{name} -->"
        if begin in page:
            before, _, rest = page.partition(begin)
            page = f"{before}{begin}{make(results)}{end}{rest.partition(end)[2]}"
    return page


# --- the figure ---------------------------------------------------------------------------------


def figure(results: Sequence[Result]) -> str:
    """Return chance F1 against the share marked, a point for each task and measure, as SVG."""
    rows = [row for row in points(results) if not row["task"].endswith("relations")]
    width, height, left, top, foot, right = 720, 430, 60, 20, 370, 690
    low, high = -2.5, 0.0  # powers of ten of the share marked

    def place(row: Mapping[str, Any]) -> tuple[float, float]:
        x = (math.log10(max(row["share_marked"], 10**low)) - low) / (high - low)
        return left + x * (right - left), foot - row["chance"] * (foot - top)

    parts = []
    for power in (-2.0, -1.0, 0.0):
        for times in (1, 2, 5):
            share = times * 10**power
            if share <= 1:
                x = left + (math.log10(share) - low) / (high - low) * (right - left)
                parts.append(
                    f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{top}" y2="{foot}"/>'
                )
                parts.append(
                    f'<text x="{x:.1f}" y="{foot + 18}" text-anchor="middle">{share:g}</text>'
                )
    for tenth in range(0, 11, 2):
        y = foot - tenth / 10 * (foot - top)
        parts.append(f'<line class="grid" x1="{left}" x2="{right}" y1="{y:.1f}" y2="{y:.1f}"/>')
        parts.append(
            f'<text x="{left - 8}" y="{y + 4:.1f}" text-anchor="end">{tenth / 10:g}</text>'
        )
    for row in sorted(rows, key=lambda row: (list(_COLOURS).index(row["match"]), row["task"])):
        x, y = place(row)
        title = f"{row['title']}, {row['match']}: chance F1 {row['chance']:.3f}"
        parts.append(f"<g>{_mark(row['match'], x, y)}<title>{_escaped(title)}</title></g>")
    for number_, match in enumerate(_COLOURS):
        y = top + 14 + 18 * number_
        parts.append(_mark(match, left + 16, y - 4))
        parts.append(f'<text x="{left + 28}" y="{y}">{match}</text>')
    middle = (left + right) / 2
    about = {"share of the text that is marked": f'x="{middle}" y="{foot + 42}"'}
    about["F1 expected by chance"] = f'transform="translate(16 {(top + foot) / 2}) rotate(-90)"'
    parts += [
        f'<text {location} text-anchor="middle">{what}</text>' for what, location in about.items()
    ]
    style = (
        "text{font:12px system-ui,sans-serif;fill:#333}.grid{stroke:#ddd}"
        + "".join(f".{name}{{fill:{colour}}}" for name, colour in _COLOURS.items())
        + "@media(prefers-color-scheme:dark){text{fill:#ddd}.grid{stroke:#444}}"
    )
    body = "\n".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img"'
        f' aria-label="F1 expected by chance against the share marked">\n<style>{style}</style>\n'
        f"{body}\n</svg>\n"
    )


def _mark(match: str, x: float, y: float) -> str:
    if _SHAPES[match] == "circle":
        return f'<circle class="{match}" cx="{x:.1f}" cy="{y:.1f}" r="4.5"/>'
    if _SHAPES[match] == "square":
        return f'<rect class="{match}" x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8"/>'
    ends = [(0, -5), (-5, 4), (5, 4)]
    if _SHAPES[match] == "diamond":
        ends = [(0, -5.5), (-5.5, 0), (0, 5.5), (5.5, 0)]
    corners = " ".join(f"{x + right:.1f},{y + down:.1f}" for right, down in ends)
    return f'<polygon class="{match}" points="{corners}"/>'


def _escaped(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


# --- all of it ----------------------------------------------------------------------------------


def write(results: Sequence[Result], out: Path) -> None:
    """Write the table of all tasks and measures, the page's tables, the claims and the figure."""
    rows = points(results)
    with (out / "all.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]) if rows else ["task"])
        writer.writeheader()
        writer.writerows(rows)
    said = claims(results)
    for name, make in BLOCKS.items():
        text = claims_table(results, said) if make is claims_table else make(results)
        (out / f"{name}.md").write_text(text, "utf-8")
    if rows:
        text = json.dumps(said, indent=1, ensure_ascii=False)
        (out / "claims.json").write_text(f"{text}\n", "utf-8")
        (out / "figure.svg").write_text(figure(results), "utf-8")
