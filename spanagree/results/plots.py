"""Plots with matplotlib, for papers: dots on intervals, lines or points, and heat maps.

Results choose one of them. Colours differ for colour-blind people, and markers or line styles
differ too; texts of users are never read as mathematics.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from spanagree.arrays import Bools, Floats, Ints
from spanagree.errors import InputError, escape_name, escape_path
from spanagree.extras import import_optional
from spanagree.files import PathName, check_writable, write_bytes
from spanagree.results.cells import format_figure
from spanagree.results.names import shorten_names, truncate_names
from spanagree.results.score import UNDEFINED, Dot, get_dot

FORMATS = (".png", ".svg", ".pdf")
"""The formats of plots, by extension."""

# Okabe & Ito's colours, which colour-blind people can distinguish, from dark to light
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_LINE_STYLES = ("-", "--", "-.", ":", "-", "--", "-.")
_CYCLE = {"color": _COLOURS, "marker": list("osD^vPX"), "linestyle": _LINE_STYLES}
_GREY = "#666666"
_MAX_NAME = 40  # characters of a name
_MAX_POINTS = 2000  # points of a line; more are drawn as one bitmap
_LETTER, _LINE = 0.075, 0.17  # inches of a letter, and of a line of a legend
_CELL, _MAX_MAP = 0.4, 6.6  # inches of a cell of a heat map, and of the largest heat map
_MIN_NAME_ROOM, _MIN_FIGURE_ROOM = 0.085, 0.28  # inches of a row, or of a cell, with a text
_MAX_HEIGHT = 20.0  # inches of a plot
_STYLE: dict[str, Any] = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "spanagree",  # equal plots are equal files
    "pdf.fonttype": 42,
}
LINES: dict[str, Any] = {}
"""Style of lines with markers."""
STEPS = {"drawstyle": "steps-pre", "marker": ""}
"""Style of lines of steps; each value extends up to its position."""
POINTS = {"linestyle": "none", "alpha": 0.6, "markersize": 4, "markeredgewidth": 0}
"""Style of points without lines; overlapping points are darker."""


class Plot(NamedTuple):
    """A function that draws into some Axes, and the size of the plot in inches."""

    draw: Callable[[Any], None]
    size: tuple[float, float]


def draw_plot(picture: Plot, ax: Any = None) -> Any:
    """Draw a plot into some Axes, or into a new figure of pyplot.

    Raises:
        SettingError: if matplotlib is not installed.
    """
    mpl = import_optional("matplotlib", "plot", "plotting")
    with mpl.rc_context(_STYLE):
        if ax is None:
            pyplot = import_optional("matplotlib.pyplot", "plot", "plotting")
            _, ax = pyplot.subplots(figsize=picture.size, layout="constrained")
        ax.set_prop_cycle(**_CYCLE)
        picture.draw(ax)
    return ax


def check_plot(path: PathName) -> None:
    """Check, before any work, that a plot can be written to a file.

    Raises:
        SettingError: if matplotlib is not installed.
        InputError: if the extension is unknown, or the path cannot be written.
    """
    import_optional("matplotlib", "plot", "plotting")
    if (suffix := Path(path).suffix.lower()) not in FORMATS:
        found = escape_name(suffix) or "no extension"
        message = f"pictures are {', '.join(FORMATS)}; {found} is none of them"
        raise InputError(f"{escape_path(path)}: {message}")
    check_writable(path)


def write_plot(path: PathName, picture: Plot, signature: str) -> None:
    """Write a plot to a checked path; the signature is in the file's metadata, and no date."""
    mpl = import_optional("matplotlib", "plot", "plotting")
    canvas = import_optional("matplotlib.figure", "plot", "plotting")
    figure, buffer = canvas.Figure(figsize=picture.size, layout="constrained"), io.BytesIO()
    extension = Path(path).suffix.lower().removeprefix(".")
    words, date = ("Subject", "CreationDate") if extension == "pdf" else ("Description", "Date")
    with mpl.rc_context(_STYLE), warnings.catch_warnings():
        # a character that is not in the font is drawn as a box
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        draw_plot(picture, figure.subplots())
        figure.savefig(buffer, format=extension, dpi=200, metadata={words: signature, date: None})
    write_bytes(path, buffer.getvalue())


# --- texts --------------------------------------------------------------------------------------


def prepare_names(names: Iterable[str]) -> list[str]:
    """Shorten users' names, and escape mathematics in them."""
    texts = [escape_name(name) for name in shorten_names(list(names))]
    return [text.replace("$", r"\$") for text in truncate_names(texts, _MAX_NAME)]


def _measure_width(names: Iterable[str]) -> float:
    """Compute the width of names in inches."""
    return _LETTER * max(map(len, names), default=0)


def plot_sentence(text: str) -> Plot:
    """Plot a sentence where there is nothing to draw."""

    def draw_sentence(ax: Any) -> None:
        """Write the sentence in the middle."""
        ax.text(0.5, 0.5, text, ha="center", va="center", wrap=True, transform=ax.transAxes)
        ax.set_axis_off()

    return Plot(draw_sentence, (5.2, 3.1))


_UNDEFINED_PLOT = plot_sentence("the figure is undefined everywhere")


def _write_names(axis: Any, names: Sequence[str], room: float, **style: Any) -> None:
    """Write names along an axis, as large as their room in inches; none if they would touch."""
    names = names if room >= _MIN_NAME_ROOM else ()
    axis.set_ticks(range(len(names)), names, fontsize=min(9.0, 60 * room), **style)


def _write_titles(ax: Any, x_title: str, y_title: str, grid: Literal["x", "y"]) -> None:
    """Write the titles of both axes, and above the plot the legend of lines or several series."""
    ax.set(xlabel=x_title, ylabel=y_title, axisbelow=True)
    ax.grid(axis=grid, color="#dddddd", lw=0.6)
    names = ax.get_legend_handles_labels()[1]
    if len(names) > 1 or grid == "y":
        n_columns = max(1, int(4.4 / (_measure_width(names) + 0.7)))
        ax.legend(loc="lower left", bbox_to_anchor=(0, 1), ncols=n_columns)


# --- dots ---------------------------------------------------------------------------------------


def plot_dots(
    rows: Sequence[tuple[str, list[Dot]]], series: Sequence[str], title: str, zero: bool = False
) -> Plot:
    """Plot rows of figures with their intervals; figures of a single series are written too.

    Args:
        rows: name and a figure of each series, by row.
        series: names of the series.
        title: title of the axis of figures.
        zero: True to mark zero.
    """
    figures = np.array([dots for _, dots in rows], np.float64).reshape(-1, len(series), 3)
    if np.isnan(figures[:, :, 0]).all():
        return _UNDEFINED_PLOT
    names = prepare_names(name for name, _ in rows)
    if len(series) == 1:
        names = [f"{x}  {format_figure(row[1][0][0])}" for x, row in zip(names, rows, strict=True)]
    offsets = (np.arange(len(series)) - (len(series) - 1) / 2) * min(0.22, 0.7 / len(series))

    def draw_dots(ax: Any) -> None:
        """Draw the dots; each series has a colour and a marker."""
        for i, (value, low, high) in enumerate(figures.transpose(1, 2, 0)):
            lengths = np.abs(np.nan_to_num([value - low, high - value]))
            y = np.arange(len(rows)) + offsets[i]
            ax.errorbar(value, y, xerr=lengths, ls="none", lw=1.2, capsize=2, label=series[i])
        if zero:
            ax.axvline(0, color=_GREY, lw=0.8, zorder=0)
        _write_names(ax.yaxis, names, ax.get_window_extent().height / ax.figure.dpi / len(rows))
        ax.set_ylim(len(rows) - 0.5, -0.5)
        _write_titles(ax, title, "", "x")

    size = max(5.2, 3.2 + _measure_width(names)), min(0.34 * len(rows) + 1.4, _MAX_HEIGHT)
    return Plot(draw_dots, size)


def plot_f1_dots(scores: Iterable[tuple[str, Any]], title: str) -> Plot:
    """Plot the observed and corrected F1 of each name, with their intervals."""
    rows = [(name, [get_dot(f1, "observed"), get_dot(f1, "corrected")]) for name, f1 in scores]
    return plot_dots(rows, ("F1", "corrected F1"), title)


def plot_counts(counts: Mapping[str, int], title: str) -> Plot:
    """Plot the number of each name, with a line from zero."""
    rows: list[tuple[str, list[Dot]]] = [(name, [(n, 0, n)]) for name, n in counts.items()]
    return plot_dots(rows, ["number"], title, zero=True)


def plot_distributions(
    rows: Mapping[str, tuple[Floats, Floats, float]], titles: tuple[str, str], title: str
) -> Plot:
    """Plot strokes at the values of each name, as tall as they are probable, and a figure as a dot.

    Args:
        rows: values, their probabilities, and the figure, by name.
        titles: meanings of a stroke and of the dot, for the legend.
        title: title of the axis of figures.
    """
    dots = [(name, [(figure, UNDEFINED, UNDEFINED)]) for name, (_, _, figure) in rows.items()]
    dot_plot = plot_dots(dots, titles[1:], title)

    def draw_distributions(ax: Any) -> None:
        """Draw the strokes, then the dots."""
        for i, (values, probabilities, _) in enumerate(rows.values()):
            tops, label = i - 0.8 * probabilities / probabilities.max(), None if i else titles[0]
            ax.vlines(values, i, tops, color=_GREY, lw=1.4, label=label)
        dot_plot.draw(ax)
        ax.set_ylim(top=-0.9)

    return Plot(draw_distributions, dot_plot.size)


# --- lines --------------------------------------------------------------------------------------


def plot_lines(
    rows: Mapping[str, tuple[Any, Any]],
    titles: tuple[str, str],
    style: Mapping[str, Any],
    columns: Sequence[str] = (),
    marks: Sequence[float] = (),
) -> Plot:
    """Plot values over positions: lines, steps up to each position, or points.

    Args:
        rows: arrays or sequences of positions and of values, by name.
        titles: titles of both axes.
        style: style of all lines, ``LINES``, ``STEPS`` or ``POINTS``.
        columns: names of the positions 0, 1, …; default: numbers, and zero is marked.
        marks: positions of vertical lines.
    """
    if all(np.isnan(values).all() for _, values in rows.values()):
        return _UNDEFINED_PLOT

    def draw_lines(ax: Any) -> None:
        """Draw the lines; each has a colour, and a marker or a style of its line."""
        for name, (x, y) in zip(prepare_names(rows), rows.values(), strict=True):
            # a legend leaves out a name that begins with an underscore
            ax.plot(x, y, label=f" {name}", lw=1.4, rasterized=len(x) > _MAX_POINTS, **style)
        ax.vlines(marks, 0, 1, transform=ax.get_xaxis_transform(), color=_GREY, lw=0.8, zorder=0)
        if columns:
            names = prepare_names(columns)
            ax.set_xticks(range(len(names)), names, rotation=90 if len("".join(names)) > 40 else 0)
        else:
            ax.axhline(0, color=_GREY, lw=0.8, zorder=0)
        _write_titles(ax, *titles, grid="y")

    return Plot(draw_lines, (5.2, min(3.1 + _LINE * len(rows), _MAX_HEIGHT)))


# --- heat maps ----------------------------------------------------------------------------------


def plot_heat_map(
    rows: Sequence[str],
    columns: Sequence[str],
    values: Floats | Ints,
    title: str,
    limits: tuple[float, float] = (0, 1),
    marks: Bools | None = None,
    axis_titles: tuple[str, str] = ("", ""),
) -> Plot:
    """Plot a heat map, with names and figures where there is room.

    Args:
        rows: names of the rows.
        columns: names of the columns.
        values: array of values; (rows, columns). Integers are written without decimals.
        title: title of the colour bar.
        limits: values at both ends of the colours; colours diverge from 0 if the first is negative.
        marks: mask of the cells with a star.
        axis_titles: titles of the rows and of the columns.
    """
    cell = min(_CELL, _MAX_MAP / max(*values.shape, 1))  # inches
    y_names, x_names = prepare_names(rows), prepare_names(columns)

    def draw_heat_map(ax: Any) -> None:
        """Draw the heat map."""
        extension = "min" if (values < limits[0]).any() else "neither"
        image = ax.imshow(values, "cividis" if limits[0] >= 0 else "PuOr")
        image.set(clim=limits, cmap=image.cmap.with_extremes(bad="#eeeeee"))
        ax.figure.colorbar(image, ax=ax, shrink=0.8, label=title, extend=extension)
        ax.spines[:].set_visible(False)
        _write_names(ax.yaxis, y_names, cell)
        _write_names(ax.xaxis, x_names, cell, rotation=90)
        ax.tick_params(length=0)
        ax.set(ylabel=axis_titles[0], xlabel=axis_titles[1])
        for (i, j), value in np.ndenumerate(values if cell >= _MIN_FIGURE_ROOM else []):
            text = format_figure(value.item()) + "*" * (marks is not None and bool(marks[i, j]))
            is_dark = np.dot(image.to_rgba(value)[:3], (0.3, 0.6, 0.1)) < 0.5
            style = {"color": "white" if is_dark else "black", "fontsize": min(7.0, 17.5 * cell)}
            ax.text(j, i, text, ha="center", va="center", **style)

    width = cell * len(columns) + _measure_width(y_names) + 1.3
    height = cell * len(rows) + _measure_width(x_names) + 0.6
    return Plot(draw_heat_map, (max(3.6, width), max(3.0, height)))
