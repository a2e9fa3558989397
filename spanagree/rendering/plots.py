"""Results as pictures, drawn by matplotlib: for papers, in colours that all can tell apart.

Rendering only: figures come from the results. Texts of users are never read as mathematics.
"""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from spanagree.agreement.disagreements import Confusion, Disagreements
from spanagree.agreement.result import Agreement
from spanagree.arrays import Floats
from spanagree.errors import InputError, SettingError, printable
from spanagree.evaluation.compare_systems import Comparison
from spanagree.evaluation.luck_test import LuckTest
from spanagree.evaluation.result import Evaluation
from spanagree.extras import optional
from spanagree.files import PathName, check_writable, write_bytes
from spanagree.labels.summary import Coefficients
from spanagree.levels.by_level import EvaluationByLevel
from spanagree.levels.difficulty import Difficulty
from spanagree.levels.difficulty_table import bins
from spanagree.matching.pairing import KINDS
from spanagree.rendering.table import figure
from spanagree.settings import unit

FORMATS = {".png": "pixels, 200 an inch", ".svg": "lines, for the web", ".pdf": "lines, for print"}
"""The pictures that are written, by extension."""


# Okabe & Ito's colours, which colour-blind people can tell apart, from dark to light; and markers
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")


_MARKERS = "osD^vPX"


_GREY = "#666666"


_LONGEST = 28  # characters of a name


_FEW = 16  # rows and columns of a heat map with figures in it


_MANY = 60  # with names beside it


_STYLE: dict[str, Any] = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "svg.fonttype": "none",
    "svg.hashsalt": "spanagree",  # the same picture gives the same file
    "pdf.fonttype": 42,
}


def plot(result: Any, ax: Any = None) -> Any:
    """A picture of a result in some Axes, or in a new figure of pyplot.

    Raises:
        SettingError: if matplotlib is not installed, or there is no picture of such a result.
    """
    return _draw(*_picture(result), ax)


def plot_starts(
    length: int, segments: Sequence[int], start: Sequence[Floats], ax: Any = None
) -> Any:
    """A picture of start distributions: a line for each segment."""
    return _draw(partial(_starts, length=length, segments=segments, start=start), (5.2, 3.0), ax)


def _draw(draw: Callable[[Any], None], size: tuple[float, float], ax: Any) -> Any:
    mpl = optional("matplotlib", "plot", "plotting")
    with mpl.rc_context(_STYLE):
        if ax is None:
            pyplot = optional("matplotlib.pyplot", "plot", "plotting")
            _, ax = pyplot.subplots(figsize=size, layout="constrained")
        draw(ax)
    return ax


# --- files --------------------------------------------------------------------------------------


def check_plot(path: PathName) -> None:
    """Refuses, before any work, a file that a picture cannot be written to.

    Raises:
        SettingError: if matplotlib is not installed.
        InputError: for another extension, or a path that cannot be written.
    """
    optional("matplotlib", "plot", "plotting")
    if (suffix := Path(path).suffix.lower()) not in FORMATS:
        raise InputError(
            f"{printable(str(path))}: pictures are {', '.join(FORMATS)};"
            f" {printable(suffix) or 'no extension'} is none of them"
        )
    check_writable(path)


def write_plot(path: PathName, result: Any, signature: str) -> None:
    """Writes a picture of a result; the signature is in the file's metadata."""
    _write(path, *_picture(result), signature)


def write_starts(
    path: PathName, length: int, segments: Sequence[int], start: Sequence[Floats], signature: str
) -> None:
    """Writes a picture of start distributions."""
    draw = partial(_starts, length=length, segments=segments, start=start)
    _write(path, draw, (5.2, 3.0), signature)


def _write(
    path: PathName, draw: Callable[[Any], None], size: tuple[float, float], signature: str
) -> None:
    check_plot(path)
    mpl = optional("matplotlib", "plot", "plotting")
    canvas = optional("matplotlib.figure", "plot", "plotting")
    kind = Path(path).suffix.lower().removeprefix(".")
    about: dict[str, Any] = {
        "png": {"Description": signature, "Software": "spanagree"},
        "svg": {"Description": signature, "Creator": "spanagree", "Date": None},
        "pdf": {"Subject": signature, "Creator": "spanagree", "CreationDate": None},
    }
    out = io.BytesIO()
    with mpl.rc_context(_STYLE), warnings.catch_warnings():
        # a character for which there is no font here is drawn as a box
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        sheet = canvas.Figure(figsize=size, layout="constrained")
        draw(sheet.subplots())
        sheet.savefig(out, format=kind, dpi=200, metadata=about[kind])
    write_bytes(path, out.getvalue())


# --- what is drawn ------------------------------------------------------------------------------


def _picture(result: Any) -> tuple[Callable[[Any], None], tuple[float, float]]:
    """What draws the result, and the size that it needs, in inches."""
    for kind, (draw, size) in _PICTURES.items():
        if isinstance(result, kind):
            return partial(draw, result), size(result)
    raise SettingError(f"{type(result).__name__}: there is no picture of it")


def _wide(result: Any) -> tuple[float, float]:
    return 5.2, 3.1


def _rows(count: Callable[[Any], Any]) -> Callable[[Any], tuple[float, float]]:
    return lambda result: (5.2, min(max(1.8, 0.34 * len(count(result)) + 1), 20))


def _square(count: Callable[[Any], Any]) -> Callable[[Any], tuple[float, float]]:
    def size(result: Any) -> tuple[float, float]:
        side = min(max(3.0, 0.4 * len(count(result)) + 1.6), 8)
        return side + 0.6, side

    return size


def _text(text: str) -> str:
    """A user's text, cut, in which nothing is read as mathematics."""
    shown = printable(text)
    cut = shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…"
    return cut.replace("$", r"\$")


def _style(i: int) -> dict[str, Any]:
    return {"color": _COLOURS[i % len(_COLOURS)], "marker": _MARKERS[i % len(_MARKERS)]}


def _said(ax: Any, text: str) -> None:
    """A sentence in place of a picture."""
    ax.text(0.5, 0.5, text, ha="center", va="center", wrap=True, transform=ax.transAxes)
    ax.set_axis_off()


def _legend(ax: Any) -> None:
    """Above the picture, where it covers nothing."""
    ax.legend(fontsize=8, frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=4)


def _systems(result: Evaluation, ax: Any) -> None:
    (_intervals if "ci" in result.settings else _ranks)(result, ax)


def _ranks(result: Evaluation, ax: Any) -> None:
    """F1 as observed and beyond luck, a line for each system."""
    lines = {s.name: (s.f1.observed, s.f1.corrected) for s in result.systems.values()}
    lines = {name: ends for name, ends in lines.items() if not any(map(math.isnan, ends))}
    if not lines:
        _said(ax, "no system with a defined F1")
        return
    for i, both in enumerate(lines.values()):
        ax.plot([0, 1], both, markersize=5, **_style(i))
    for side, align in ((0, "right"), (1, "left")):
        ends = [both[side] for both in lines.values()]
        for name, end, y in zip(lines, ends, _apart(ends), strict=True):
            shown = (_text(name), figure(end)) if side == 0 else (figure(end), _text(name))
            named = ax.annotate(
                "  ".join(shown), (side, end), (side + (-0.07, 0.07)[side], y), ha=align,
                va="center", fontsize=8,
                arrowprops={"arrowstyle": "-", "color": _GREY, "lw": 0.5},
            )  # fmt: skip
            named.set_in_layout(False)  # there is room for it on the axes
    ax.set_xlim(-1.1, 2.1)
    ax.set_xticks([0, 1], ["F1", "corrected F1"])
    ax.set_yticks([])
    ax.spines[["left", "bottom"]].set_visible(False)
    for x in (0, 1):
        ax.axvline(x, color=_GREY, lw=0.5, zorder=0)


def _apart(values: Sequence[float]) -> list[float]:
    """Heights for labels of these values that do not cover each other."""
    low, high = min(values), max(values)
    gap = max((high - low), 0.1) / max(len(values), 8)
    order = sorted(range(len(values)), key=values.__getitem__)
    placed: dict[int, float] = {}
    last = -math.inf
    for i in order:
        last = max(values[i], last + gap)
        placed[i] = last
    return [placed[i] for i in range(len(values))]


_Row = tuple[str, list[tuple[float, float, float]]]


def _dots(ax: Any, rows: Sequence[_Row], kinds: Sequence[str], what: str) -> None:
    """Figures with their intervals, a row each; the kinds differ in colour and marker."""
    shown = [row for row in rows if any(not math.isnan(value) for value, _, _ in row[1])]
    if not shown:
        _said(ax, "nothing of which the figure is defined")
        return
    for k, kind in enumerate(kinds):
        shift = 0.22 * (k - (len(kinds) - 1) / 2)
        points = [(of[k], i + shift) for i, (_, of) in enumerate(shown)]
        values = [value for (value, _, _), _ in points]
        ends = [
            [value - low if low == low else 0 for (value, low, _), _ in points],
            [high - value if high == high else 0 for (value, _, high), _ in points],
        ]
        ax.errorbar(
            values, [y for _, y in points], xerr=np.abs(np.nan_to_num(ends)), linestyle="none",
            capsize=2, markersize=5, lw=1.2, label=kind, **_style(k),
        )  # fmt: skip
    ax.set_yticks(range(len(shown)), [_text(name) for name, _ in shown])
    ax.set_ylim(len(shown) - 0.5, -0.5)
    ax.set_xlabel(what)
    ax.grid(axis="x", color="#dddddd", lw=0.6)
    if len(kinds) > 1:
        _legend(ax)


def _with_ends(score: Any, kind: str) -> tuple[float, float, float]:
    low, high = (math.nan, math.nan) if score.interval is None else getattr(score.interval, kind)
    return getattr(score, kind), low, high


def _intervals(result: Evaluation, ax: Any) -> None:
    kinds = {"observed": "F1", "corrected": "corrected F1"}
    rows = [(s.name, [_with_ends(s.f1, kind) for kind in kinds]) for s in result.systems.values()]
    _dots(ax, rows, list(kinds.values()), "F1, with intervals")


def _coefficients(result: Coefficients, ax: Any) -> None:
    rows: list[_Row] = []
    for of in (result.spa, result.pi, result.kappa, result.alpha, result.ac1):
        kind = "observed" if of is result.spa else "corrected"
        low, high = (math.nan, math.nan) if of.interval is None else getattr(of.interval, kind)
        rows.append((of.name, [(of.value, low, high)]))
    _dots(ax, rows, ["value"], "agreement beyond luck (SPA: as observed)")


def _differences(result: Comparison, ax: Any) -> None:
    rows = [
        (f"{p.a} − {p.b}", [(d.value, d.low, d.high) for d in (p.observed, p.corrected)])
        for p in result.pairs
    ]
    _dots(ax, rows, ["F1", "corrected F1"], "difference of F1, with intervals")
    if ax.axison:
        ax.axvline(0, color=_GREY, lw=0.8, zorder=0)


def _luck(result: LuckTest, ax: Any) -> None:
    """The F1 of random annotations, and that of the system."""
    systems = [of for of in result.systems.values() if len(of.null)]
    if not systems:
        _said(ax, "no system that marked anything")
        return
    for i, of in enumerate(systems):
        ax.plot(
            of.null, np.full(len(of.null), i), linestyle="none", marker="|", markersize=12,
            alpha=0.15, color=_COLOURS[0], label=None if i else "random annotations",
        )  # fmt: skip
    ax.plot(
        [of.f1 for of in systems], range(len(systems)), linestyle="none", markersize=6,
        label="the system", **_style(1),
    )  # fmt: skip
    ax.set_yticks(range(len(systems)), [_text(of.name) for of in systems])
    ax.set_ylim(len(systems) - 0.5, -0.5)
    ax.set_xlabel("F1")
    _legend(ax)


def _histogram(result: Difficulty, ax: Any) -> None:
    found = bins(result)
    if found is None:
        _said(ax, "no document has a difficulty")
        return
    counts, edges = found
    ax.stairs(counts, edges, fill=True, color=_COLOURS[0])
    ax.set_xlabel("difficulty: 1 − what luck alone gives")
    ax.set_ylabel(f"{unit(result.settings)}s")


def _levels(result: EvaluationByLevel, ax: Any) -> None:
    """Corrected F1 of each system in each level."""
    levels = [level for level in result.levels if not math.isnan(level.low)]
    for i, name in enumerate(result.whole.systems):
        of_each = zip(levels, result.evaluations, strict=False)  # those without a difficulty last
        values = [of.systems[name].f1.corrected for _, of in of_each]
        ax.plot(range(len(values)), values, markersize=5, label=_text(name), **_style(i))
    ax.set_xticks(range(len(levels)), [level.name for level in levels])
    ax.set_ylabel("corrected F1")
    ax.grid(axis="y", color="#dddddd", lw=0.6)
    _legend(ax)


def _map(ax: Any, names: tuple[Sequence[str], Sequence[str]], values: Floats, what: str) -> None:
    """A heat map with figures in it, if they are few."""
    image = ax.imshow(values, cmap="cividis", aspect="equal")
    ax.set_facecolor("#eeeeee")  # where a figure is undefined
    ax.figure.colorbar(image, ax=ax, shrink=0.8, label=what)
    ax.spines[:].set_visible(False)
    for axis, of in zip((ax.yaxis, ax.xaxis), names, strict=True):
        few = len(of) <= _MANY
        axis.set_ticks(range(len(of)) if few else [], [_text(name) for name in of] if few else [])
    ax.tick_params(axis="x", rotation=90, length=0)
    ax.tick_params(axis="y", length=0)
    if max(values.shape) > _FEW:
        return
    middle = (np.nanmin(values) + np.nanmax(values)) / 2 if not np.isnan(values).all() else 0
    for (i, j), value in np.ndenumerate(values):
        shown = (
            "–" if math.isnan(value) else f"{value:.2f}" if what != "segments" else f"{value:.0f}"
        )
        colour = "black" if math.isnan(value) or value > middle else "white"
        ax.text(j, i, shown, ha="center", va="center", fontsize=7, color=colour)


def _pairs(result: Agreement, ax: Any) -> None:
    names = list(result.annotators)
    if not names:
        _said(ax, "no annotator")
        return
    _map(ax, (names, names), result.matrix(), "corrected F1")


def _confusion(result: Confusion, ax: Any) -> None:
    names = [*result.labels, "(nothing)"]
    _map(ax, (names, names), result.matrix.astype(np.float64), "segments")
    ax.set_ylabel(_text(result.settings["between"][0]))
    ax.set_xlabel(_text(result.settings["between"][1]))


def _kinds(result: Disagreements, ax: Any) -> None:
    """How many disagreements there are of each kind."""
    kinds = [kind for kind in KINDS if kind in result.counts]
    ax.barh(range(len(kinds)), [result.counts[kind] for kind in kinds], color=_COLOURS[0])
    for i, kind in enumerate(kinds):
        ax.annotate(f" {result.counts[kind]}", (result.counts[kind], i), va="center", fontsize=8)
    ax.set_yticks(range(len(kinds)), kinds)
    ax.set_ylim(len(kinds) - 0.5, -0.5)
    ax.set_xlabel(f"disagreements of {' and '.join(map(_text, result.between))}")


def _starts(ax: Any, length: int, segments: Sequence[int], start: Sequence[Floats]) -> None:
    distinct = dict(sorted(zip(segments, start, strict=True)))
    for i, (size, p) in enumerate(distinct.items()):
        style = {**_style(i), "linestyle": ("-", "--", "-.", ":")[i % 4], "marker": ""}
        ax.plot(range(len(p)), p, lw=1.4, label=f"length {size}", **style)
    ax.set_xlabel(f"start, in a document of {length} tokens")
    ax.set_ylabel("probability")
    ax.set_ylim(0, 1.08 * max((p.max() for p in distinct.values() if len(p)), default=1))
    _legend(ax)


_PICTURES: Mapping[type, tuple[Callable[..., None], Callable[[Any], tuple[float, float]]]] = {
    Evaluation: (_systems, _rows(lambda of: range(len(of.systems) + 4))),
    EvaluationByLevel: (_levels, _wide),
    Agreement: (_pairs, _square(lambda of: of.annotators)),
    Coefficients: (_coefficients, _rows(lambda of: of.all)),
    Difficulty: (_histogram, _wide),
    Comparison: (_differences, _rows(lambda of: of.pairs)),
    LuckTest: (_luck, _rows(lambda of: of.systems)),
    Disagreements: (_kinds, _wide),
    Confusion: (_confusion, _square(lambda of: of.labels)),
}
