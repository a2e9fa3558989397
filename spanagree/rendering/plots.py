"""Pictures, drawn by matplotlib: for papers, in colours that everybody can tell apart.

Figures come from the results, which choose one of the drawings here. Texts of users are never read
as mathematics.
"""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import Floats
from spanagree.errors import InputError, printable
from spanagree.extras import optional
from spanagree.files import PathName, check_writable, write_bytes
from spanagree.rendering.svg import apart
from spanagree.rendering.table import figure

FORMATS = {".png": "pixels, 200 an inch", ".svg": "lines, for the web", ".pdf": "lines, for print"}
"""The pictures that are written, by extension."""

# Okabe & Ito's colours, which colour-blind people can tell apart, from dark to light; and markers
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_MARKERS = "osD^vPX"
_GREY = "#666666"
_GRID = "#dddddd"
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
WIDE = (5.2, 3.1)
"""The size of a picture that is wider than high, in inches."""


class Picture(NamedTuple):
    """What draws into some Axes, and the size that it needs, in inches."""

    draw: Callable[[Any], None]
    size: tuple[float, float] = WIDE


def rows_size(count: int) -> tuple[float, float]:
    """Return the size of a picture with so many rows."""
    return 5.2, min(max(1.8, 0.34 * count + 1), 20)


def square_size(count: int) -> tuple[float, float]:
    """Return the size of a heat map with so many rows."""
    side = min(max(3.0, 0.4 * count + 1.6), 8)
    return side + 0.6, side


def plot(picture: Picture, ax: Any = None) -> Any:
    """Draw a picture into some Axes, or into a new figure of pyplot.

    Raises:
        SettingError: if matplotlib is not installed.
    """
    mpl = optional("matplotlib", "plot", "plotting")
    with mpl.rc_context(_STYLE):
        if ax is None:
            pyplot = optional("matplotlib.pyplot", "plot", "plotting")
            _, ax = pyplot.subplots(figsize=picture.size, layout="constrained")
        picture.draw(ax)
    return ax


# --- files --------------------------------------------------------------------------------------


def check_plot(path: PathName) -> None:
    """Refuse, before any work, a file that a picture cannot be written to.

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


def write_plot(path: PathName, picture: Picture, signature: str) -> None:
    """Write a picture; the signature is in the file's metadata."""
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
        sheet = canvas.Figure(figsize=picture.size, layout="constrained")
        picture.draw(sheet.subplots())
        sheet.savefig(out, format=kind, dpi=200, metadata=about[kind])
    write_bytes(path, out.getvalue())


# --- drawings -----------------------------------------------------------------------------------


def shown_text(text: str) -> str:
    """Return a user's text, cut, in which nothing is read as mathematics."""
    shown = printable(text)
    cut = shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…"
    return cut.replace("$", r"\$")


def _style(i: int) -> dict[str, Any]:
    return {"color": _COLOURS[i % len(_COLOURS)], "marker": _MARKERS[i % len(_MARKERS)]}


def sentence(ax: Any, text: str) -> None:
    """Write a sentence in place of a picture."""
    ax.text(0.5, 0.5, text, ha="center", va="center", wrap=True, transform=ax.transAxes)
    ax.set_axis_off()


def _legend(ax: Any) -> None:
    """Put the legend above the picture, where it covers nothing."""
    ax.legend(fontsize=8, frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=4)


def _name_rows(ax: Any, names: Sequence[str]) -> None:
    ax.set_yticks(range(len(names)), [shown_text(name) for name in names])
    ax.set_ylim(len(names) - 0.5, -0.5)


def slopes(ax: Any, lines: Mapping[str, tuple[float, float]], titles: Sequence[str]) -> None:
    """Draw two figures of each name with a line between them."""
    for i, both in enumerate(lines.values()):
        ax.plot([0, 1], both, markersize=5, **_style(i))
    for side, align in ((0, "right"), (1, "left")):
        ends = [both[side] for both in lines.values()]
        gap = max(max(ends) - min(ends), 0.1) / max(len(ends), 8)
        for name, end, y in zip(lines, ends, apart(ends, gap), strict=True):
            shown = [shown_text(name), figure(end)]
            named = ax.annotate(
                "  ".join(shown if side == 0 else shown[::-1]), (side, end),
                (side + (-0.07, 0.07)[side], y), ha=align, va="center", fontsize=8,
                arrowprops={"arrowstyle": "-", "color": _GREY, "lw": 0.5},
            )  # fmt: skip
            named.set_in_layout(False)  # there is room for it on the axes
    ax.set_xlim(-1.1, 2.1)
    ax.set_xticks([0, 1], titles)
    ax.set_yticks([])
    ax.spines[["left", "bottom"]].set_visible(False)
    for x in (0, 1):
        ax.axvline(x, color=_GREY, lw=0.5, zorder=0)


Dot = tuple[float, float, float]
"""A figure with the low and the high end of its interval, ``nan`` where there is none."""


def dot_of(score: Any, kind: str) -> Dot:
    """Return one figure of a score with its interval."""
    low, high = (math.nan, math.nan) if score.interval is None else getattr(score.interval, kind)
    return getattr(score, kind), low, high


def dots(
    ax: Any,
    rows: Sequence[tuple[str, list[Dot]]],
    kinds: Sequence[str],
    what: str,
    zero: bool = False,
) -> None:
    """Draw figures with their intervals, a row each; the kinds differ in colour and marker."""
    shown = [row for row in rows if any(not math.isnan(value) for value, _, _ in row[1])]
    if not shown:
        sentence(ax, "the figure is undefined everywhere")
        return
    for k, kind in enumerate(kinds):
        shift = 0.22 * (k - (len(kinds) - 1) / 2)
        value, low, high = np.array([figures[k] for _, figures in shown]).T
        ends = np.abs(np.nan_to_num([value - low, high - value]))
        ax.errorbar(
            value, np.arange(len(shown)) + shift, xerr=ends, linestyle="none", capsize=2,
            markersize=5, lw=1.2, label=kind, **_style(k),
        )  # fmt: skip
    _name_rows(ax, [name for name, _ in shown])
    ax.set_xlabel(what)
    ax.grid(axis="x", color=_GRID, lw=0.6)
    if len(kinds) > 1:
        _legend(ax)
    if zero:
        ax.axvline(0, color=_GREY, lw=0.8, zorder=0)


def clouds(
    ax: Any, rows: Mapping[str, tuple[Floats, float]], titles: Sequence[str], what: str
) -> None:
    """Draw many values of each name as strokes, and one as a dot."""
    for i, (values, _) in enumerate(rows.values()):
        ax.plot(
            values, np.full(len(values), i), linestyle="none", marker="|", markersize=12,
            alpha=0.15, color=_COLOURS[0], label=None if i else titles[0],
        )  # fmt: skip
    ax.plot(
        [one for _, one in rows.values()], range(len(rows)), linestyle="none", markersize=6,
        label=titles[1], **_style(1),
    )  # fmt: skip
    _name_rows(ax, list(rows))
    ax.set_xlabel(what)
    _legend(ax)


def heights(
    ax: Any,
    rows: Mapping[str, tuple[Floats, Floats, float]],
    titles: Sequence[str],
    what: str,
) -> None:
    """Draw a distribution of each name, values with their probabilities, and one value as a dot."""
    for i, (values, probabilities, _) in enumerate(rows.values()):
        tops = i - 0.8 * probabilities / probabilities.max()
        ax.vlines(values, i, tops, color=_COLOURS[0], lw=1.4, label=None if i else titles[0])
    ax.plot(
        [one for _, _, one in rows.values()], range(len(rows)), linestyle="none", markersize=6,
        label=titles[1], **_style(1),
    )  # fmt: skip
    _name_rows(ax, list(rows))
    ax.set_ylim(len(rows) - 0.5, -0.9)
    ax.set_xlabel(what)
    _legend(ax)


def histogram(ax: Any, counts: Sequence[int], edges: Sequence[float], what: str, noun: str) -> None:
    """Draw how many there are in each bin."""
    ax.stairs(counts, edges, fill=True, color=_COLOURS[0])
    ax.set_xlabel(what)
    ax.set_ylabel(f"{noun}s")


def lines(ax: Any, columns: Sequence[str], rows: Mapping[str, Sequence[float]], what: str) -> None:
    """Draw a line for each name over the columns."""
    for i, (name, values) in enumerate(rows.items()):
        ax.plot(range(len(values)), values, markersize=5, label=shown_text(name), **_style(i))
    ax.set_xticks(range(len(columns)), columns)
    ax.set_ylabel(what)
    ax.grid(axis="y", color=_GRID, lw=0.6)
    _legend(ax)


def curves(ax: Any, rows: Mapping[str, Floats], what: str) -> None:
    """Draw a curve of probabilities for each name."""
    for i, (name, values) in enumerate(rows.items()):
        style = {**_style(i), "linestyle": ("-", "--", "-.", ":")[i % 4], "marker": ""}
        ax.plot(range(len(values)), values, lw=1.4, label=name, **style)
    ax.set_xlabel(what)
    ax.set_ylabel("probability")
    ax.set_ylim(0, 1.08 * max((values.max() for values in rows.values() if len(values)), default=1))
    _legend(ax)


def bars(ax: Any, counts: Mapping[str, int], what: str) -> None:
    """Draw a bar with its number for each name."""
    ax.barh(range(len(counts)), list(counts.values()), color=_COLOURS[0])
    for i, count in enumerate(counts.values()):
        ax.annotate(f" {count}", (count, i), va="center", fontsize=8)
    _name_rows(ax, list(counts))
    ax.set_xlabel(what)


def heat_map(
    ax: Any, rows: Sequence[str], columns: Sequence[str], values: Floats, what: str
) -> None:
    """Draw a heat map, with figures in it if they are few; whole numbers as such."""
    image = ax.imshow(values, cmap="cividis", aspect="equal")
    ax.set_facecolor("#eeeeee")  # where a figure is undefined
    ax.figure.colorbar(image, ax=ax, shrink=0.8, label=what)
    ax.spines[:].set_visible(False)
    for axis, names in ((ax.yaxis, rows), (ax.xaxis, columns)):
        few = len(names) <= _MANY
        axis.set_ticks(
            range(len(names)) if few else [], [shown_text(n) for n in names] if few else []
        )
    ax.tick_params(axis="x", rotation=90, length=0)
    ax.tick_params(axis="y", length=0)
    if max(values.shape) > _FEW:
        return
    nothing = bool(np.isnan(values).all())
    whole = not nothing and bool((values == np.floor(values)).all())
    middle = 0 if nothing else (np.nanmin(values) + np.nanmax(values)) / 2
    for (i, j), value in np.ndenumerate(values):
        shown = "–" if math.isnan(value) else f"{value:.0f}" if whole else f"{value:.2f}"
        colour = "black" if math.isnan(value) or value > middle else "white"
        ax.text(j, i, shown, ha="center", va="center", fontsize=7, color=colour)
