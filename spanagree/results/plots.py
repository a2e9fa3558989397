"""Pictures, drawn by matplotlib: for papers, in colours that everybody can tell apart.

Figures come from the results, which choose one of the drawings here. Texts of users are never read
as mathematics.
"""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import Floats
from spanagree.errors import InputError, escape_name, printable_path
from spanagree.extras import import_optional
from spanagree.files import PathName, check_writable, write_bytes
from spanagree.results.frame import figure
from spanagree.results.names import short_names
from spanagree.results.score import ends_of

FORMATS = {".png": "pixels, 200 an inch", ".svg": "lines, for the web", ".pdf": "lines, for print"}
"""The pictures that are written, by extension."""

# Okabe & Ito's colours, which colour-blind people can tell apart, from dark to light; and markers
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_MARKERS = "osD^vPX"
_GREY = "#666666"
_GRID = "#dddddd"
_LONGEST = 40  # characters of a name
_POINTS = 2000  # above which points of a scatter are one bitmap
_FEW = 16  # rows and columns of a heat map with figures in it
_MANY = 60  # with names beside it
_LETTER, _LINE = 0.075, 0.17  # inches that a letter and a line of a name need
_CELL, _MAP = 0.4, 7.0  # inches of a cell of a heat map, and of the largest
_HIGHEST = 20.0  # inches of a picture
_SMALLEST = 5.0  # points of a letter
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


class Plot(NamedTuple):
    """A function that draws into some Axes, and the size that it needs, in inches."""

    draw: Callable[[Any], None]
    size: tuple[float, float] = WIDE


def rows_size(names: Iterable[str], sides: int = 1) -> tuple[float, float]:
    """Return the size of a picture with a row for each name, at one side of it or at both."""
    shown = shown_names(names)
    wide = 3.2 + sides * _width(shown)
    return max(5.2, wide), min(max(1.4 * sides + 0.4, 0.34 * len(shown) + 1), _HIGHEST)


def _width(names: Iterable[str]) -> float:
    """Return how many inches names need."""
    return _LETTER * max(map(len, names), default=0)


def plot(picture: Plot, ax: Any = None) -> Any:
    """Draw a picture into some Axes, or into a new figure of pyplot.

    Raises:
        SettingError: if matplotlib is not installed.
    """
    mpl = import_optional("matplotlib", "plot", "plotting")
    with mpl.rc_context(_STYLE):
        if ax is None:
            pyplot = import_optional("matplotlib.pyplot", "plot", "plotting")
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
    import_optional("matplotlib", "plot", "plotting")
    if (suffix := Path(path).suffix.lower()) not in FORMATS:
        raise InputError(
            f"{printable_path(path)}: pictures are {', '.join(FORMATS)};"
            f" {escape_name(suffix) or 'no extension'} is none of them"
        )
    check_writable(path)


def write_plot(path: PathName, picture: Plot, signature: str) -> None:
    """Write a picture; the signature is in the file's metadata."""
    check_plot(path)
    mpl = import_optional("matplotlib", "plot", "plotting")
    canvas = import_optional("matplotlib.figure", "plot", "plotting")
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
    return shown_names([text])[0]


def shown_names(names: Iterable[str]) -> list[str]:
    """Return users' names without what all have in common, cut where most of them stay apart."""
    shown = [escape_name(name) for name in short_names(list(names))]
    half = _LONGEST // 2
    ways: list[Callable[[str], str]] = [
        lambda name: f"{name[: _LONGEST - 1]}…",
        lambda name: f"{name[: half - 1]}…{name[-half:]}",
        lambda name: f"…{name[1 - _LONGEST :]}",
    ]
    cuts = [[cut(name) if len(name) > _LONGEST else name for name in shown] for cut in ways]
    return [name.replace("$", r"\$") for name in max(cuts, key=lambda cut: len(set(cut)))]


def _style(i: int) -> dict[str, Any]:
    return {"color": _COLOURS[i % len(_COLOURS)], "marker": _MARKERS[i % len(_MARKERS)]}


def sentence(ax: Any, text: str) -> None:
    """Write a sentence in place of a picture."""
    ax.text(0.5, 0.5, text, ha="center", va="center", wrap=True, transform=ax.transAxes)
    ax.set_axis_off()


def _legend(ax: Any) -> None:
    """Put the legend above the picture, where it covers nothing."""
    entries = _width(map(str, ax.get_legend_handles_labels()[1])) + 0.5
    columns = min(4, max(1, int(4.4 / entries)))
    ax.legend(fontsize=8, frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=columns)


def _name_rows(ax: Any, names: Iterable[str]) -> None:
    """Write a name beside each row, as large as there is room; none if they would touch."""
    shown = shown_names(names)
    size = min(9.0, 60 * _height(ax) / max(len(shown), 1))
    ax.set_yticks(range(len(shown)), shown if size >= _SMALLEST else [""] * len(shown))
    ax.tick_params(axis="y", labelsize=max(size, _SMALLEST))
    ax.set_ylim(len(shown) - 0.5, -0.5)


def _height(ax: Any) -> float:
    """Return how many inches high some Axes are."""
    return float(ax.get_window_extent().height / ax.figure.dpi)


def _name_ends(ax: Any, x: float, names: Sequence[str], ends: Sequence[float]) -> None:
    """Write names beside where lines end, apart from each other; none if there is no room."""
    from spanagree.results.svg import apart

    low, high = ax.get_ylim()
    gap = (high - low) * _LINE / _height(ax)
    if gap * len(names) > high - low:
        return
    side = 1 if x else -1
    for name, end, y in zip(names, ends, apart(ends, gap, high), strict=True):
        ax.annotate(
            name, (x, end), (x + 0.07 * side, y), va="center", fontsize=8,
            ha="left" if x else "right",
            arrowprops={"arrowstyle": "-", "color": _GREY, "lw": 0.5, "relpos": (not x, 0.5)},
        )  # fmt: skip


def _fit(ax: Any, values: Iterable[float]) -> None:
    """Let the vertical axis reach a little further than all values do."""
    low, high = min(values), max(values)
    rim = max(0.05 * (high - low), 0.01)
    ax.set_ylim(low - rim, high + rim)


def slopes(ax: Any, lines: Mapping[str, tuple[float, float]], titles: Sequence[str]) -> None:
    """Draw two figures of each name with a line between them."""
    names = shown_names(lines)
    for i, both in enumerate(lines.values()):
        ax.plot([0, 1], both, markersize=5, **_style(i))
    _fit(ax, [end for both in lines.values() for end in both])
    for side in (0, 1):
        ends = [both[side] for both in lines.values()]
        shown = [[name, figure(end)] for name, end in zip(names, ends, strict=True)]
        _name_ends(ax, side, ["  ".join(parts[:: -1 if side else 1]) for parts in shown], ends)
        ax.axvline(side, color=_GREY, lw=0.5, zorder=0)
    ax.set_xlim(-0.1, 1.1)
    ax.set_xticks([0, 1], titles)
    ax.set_yticks([])
    ax.spines[["left", "bottom"]].set_visible(False)


Dot = tuple[float, float, float]
"""A figure with the low and the high end of its interval, ``nan`` where there is none."""


def dot_of(score: Any, kind: str) -> Dot:
    """Return one figure of a score with its interval."""
    return (getattr(score, kind), *ends_of(score.interval, kind))


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
        shift = min(0.22, 0.7 / len(kinds)) * (k - (len(kinds) - 1) / 2)
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


def dots_of(
    rows: Sequence[tuple[str, list[Dot]]], kinds: Sequence[str], what: str, zero: bool = False
) -> Plot:
    """Return a picture of figures with their intervals, a row each."""
    size = rows_size(name for name, _ in rows)
    return Plot(lambda ax: dots(ax, rows, kinds, what, zero), size)


def f1_dots(scores: Iterable[tuple[str, Any]], what: str) -> Plot:
    """Return a picture of the F1 of each name, observed and corrected, with their intervals."""
    kinds = ("observed", "corrected")
    rows = [(name, [dot_of(score, kind) for kind in kinds]) for name, score in scores]
    return dots_of(rows, ("F1", "corrected F1"), what)


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
        [value for _, value in rows.values()], range(len(rows)), linestyle="none", markersize=6,
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
        [value for _, _, value in rows.values()], range(len(rows)), linestyle="none", markersize=6,
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


def scatter(ax: Any, x: Floats, y: Floats, of_x: str, of_y: str) -> None:
    """Draw a point for each pair of values, darker where there are several."""
    ax.plot(
        x, y, linestyle="none", marker="o", markersize=4, markeredgewidth=0, alpha=0.6,
        color=_COLOURS[0], rasterized=len(x) > _POINTS,
    )  # fmt: skip
    ax.set_xlim(0, max(1.05 * float(np.max(x)), 0.05))
    ax.set_ylim(0, max(1.05 * float(np.max(y)), 0.05))
    ax.set_xlabel(of_x)
    ax.set_ylabel(of_y)


def lines(ax: Any, columns: Sequence[str], rows: Mapping[str, Sequence[float]], what: str) -> None:
    """Draw a line for each name over the columns, with the name at its end."""
    shown = {name: row for name, row in rows.items() if not np.isnan(row).all()}
    if not shown:
        sentence(ax, "the figure is undefined everywhere")
        return
    for i, values in enumerate(shown.values()):
        ax.plot(range(len(values)), values, markersize=5, **_style(i))
    _fit(ax, [value for row in shown.values() for value in row if not math.isnan(value)])
    last = len(columns) - 1
    ends = [[value for value in row if not math.isnan(value)][-1] for row in shown.values()]
    ax.set_xlim(-0.2, last + 0.05)
    _name_ends(ax, last, shown_names(shown), ends)
    ax.set_xticks(range(len(columns)), columns, rotation=0 if last < 6 else 90)
    ax.set_ylabel(what)
    ax.grid(axis="y", color=_GRID, lw=0.6)


def steps(
    ax: Any,
    rows: Mapping[str, tuple[Floats, Floats]],
    titles: tuple[str, str],
    marks: Sequence[float] = (),
) -> None:
    """Draw a line of steps for each name, each value up to its place.

    Args:
        ax: the Axes.
        rows: places, ascending, and values, by name.
        titles: of both axes.
        marks: places of vertical lines.
    """
    names = shown_names(rows)
    for i, (name, (places, values)) in enumerate(zip(names, rows.values(), strict=True)):
        style = {**_style(i), "linestyle": ("-", "--", "-.", ":")[i % 4], "marker": ""}
        ax.step(places, values, where="pre", lw=1.4, label=name, **style)
    for mark in marks:
        ax.axvline(mark, color=_GREY, lw=0.8, zorder=0)
    ax.set_xlabel(titles[0])
    ax.set_ylabel(titles[1])
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
    rows: Sequence[str],
    columns: Sequence[str],
    values: Floats,
    what: str,
    limits: tuple[float, float] = (0, 1),
    marks: Floats | None = None,
    sides: tuple[str, str] = ("", ""),
) -> Plot:
    """Return a heat map, with figures in it if they are few; whole numbers as such.

    Args:
        rows: the names beside it.
        columns: the names below it.
        values: rows × columns.
        what: the values are.
        limits: where colours begin and end; around 0 they have two sides.
        marks: which cells have a star.
        sides: what the rows are, and the columns.
    """
    low, high = limits
    colours = "cividis" if low >= 0 else "PuOr"
    beyond = "min" if (values < low).any() else "neither"
    known = values[~np.isnan(values)]
    digits = 0 if len(known) and (known == np.floor(known)).all() and high > 1 else 2
    most = max(values.shape)

    def draw(ax: Any) -> None:
        image = ax.imshow(values, cmap=colours, aspect="equal", vmin=low, vmax=high)
        ax.set_facecolor("#eeeeee")  # where a figure is undefined
        ax.figure.colorbar(image, ax=ax, shrink=0.8, label=what, extend=beyond)
        ax.spines[:].set_visible(False)
        for axis, names in ((ax.yaxis, rows), (ax.xaxis, columns)):
            few = len(names) <= _MANY
            axis.set_ticks(range(len(names)) if few else [], shown_names(names) if few else [])
        ax.tick_params(length=0, labelsize=min(9.0, 50 * _MAP / max(most, 1)))
        ax.tick_params(axis="x", rotation=90)
        ax.set_ylabel(sides[0])
        ax.set_xlabel(sides[1])
        if most > _FEW:
            return
        for (i, j), value in np.ndenumerate(values):
            shown = "–" if math.isnan(value) else f"{value + 0:.{digits}f}".replace("-0.00", "0.00")
            star = "*" if marks is not None and marks[i, j] else ""
            red, green, blue, _ = image.cmap(image.norm(value)) if shown != "–" else (1, 1, 1, 1)
            dark = 0.3 * red + 0.6 * green + 0.1 * blue < 0.5
            colour = "white" if dark else "black"
            ax.text(j, i, shown + star, ha="center", va="center", fontsize=7, color=colour)

    cell = min(_CELL, _MAP / max(len(rows), len(columns), 1))
    beside, below = (_width(shown_names(n)) if len(n) <= _MANY else 0 for n in (rows, columns))
    width, height = cell * len(columns) + beside + 1.3, cell * len(rows) + below + 0.6
    return Plot(draw, (max(3.6, width), max(3, height)))
