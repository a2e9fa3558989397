"""Plots with matplotlib, for papers, in colours that colour-blind people can distinguish.

Figures come from results, which choose one of the plots here. Texts of users are never read as
mathematics.
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
from spanagree.errors import InputError, escape_name, escape_path
from spanagree.extras import import_optional
from spanagree.files import PathName, check_writable, write_bytes
from spanagree.results.frame import format_figure
from spanagree.results.names import shorten_names
from spanagree.results.score import get_ends

FORMATS = {".png": "pixels, 200 an inch", ".svg": "lines, for the web", ".pdf": "lines, for print"}
"""The formats of plots, by extension."""

# Okabe & Ito's colours, which colour-blind people can distinguish, from dark to light; and markers
_COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
_MARKERS = "osD^vPX"
_GREY = "#666666"
_GRID = "#dddddd"
_MAX_NAME = 40  # characters of a name
_MAX_POINTS = 2000  # points of a scatter plot; more are drawn as one bitmap
_MAX_WITH_FIGURES = 16  # rows and columns of a heat map with figures in its cells
_MAX_WITH_NAMES = 60  # rows or columns of a heat map with their names
_LETTER, _LINE = 0.075, 0.17  # inches of a letter and of a line of a name
_CELL, _MAP = 0.4, 7.0  # inches of a cell of a heat map, and of the largest heat map
_MAX_HEIGHT = 20.0  # inches of a plot
_MIN_LETTER = 5.0  # points of a letter
_STYLE: dict[str, Any] = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "svg.fonttype": "none",
    "svg.hashsalt": "spanagree",  # equal plots are equal files
    "pdf.fonttype": 42,
}
WIDE = (5.2, 3.1)
"""Size of a landscape plot, in inches."""


class Plot(NamedTuple):
    """A function that draws into some Axes, and the size of the plot in inches."""

    draw: Callable[[Any], None]
    size: tuple[float, float] = WIDE


def compute_plot_size(names: Iterable[str], n_sides: int = 1) -> tuple[float, float]:
    """Compute the size of a plot with a row for each name, with names on one side or both."""
    texts = prepare_names(names)
    width = 3.2 + n_sides * _measure_width(texts)
    return max(5.2, width), min(max(1.4 * n_sides + 0.4, 0.34 * len(texts) + 1), _MAX_HEIGHT)


def _measure_width(names: Iterable[str]) -> float:
    """Compute the width of names in inches."""
    return _LETTER * max(map(len, names), default=0)


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
        picture.draw(ax)
    return ax


# --- files --------------------------------------------------------------------------------------


def check_plot(path: PathName) -> None:
    """Check, before any work, that a plot can be written to a file.

    Raises:
        SettingError: if matplotlib is not installed.
        InputError: if the extension is unknown, or the path cannot be written.
    """
    import_optional("matplotlib", "plot", "plotting")
    if (suffix := Path(path).suffix.lower()) not in FORMATS:
        raise InputError(
            f"{escape_path(path)}: pictures are {', '.join(FORMATS)};"
            f" {escape_name(suffix) or 'no extension'} is none of them"
        )
    check_writable(path)


def write_plot(path: PathName, picture: Plot, signature: str) -> None:
    """Write a plot; the signature is in the file's metadata."""
    check_plot(path)
    mpl = import_optional("matplotlib", "plot", "plotting")
    canvas = import_optional("matplotlib.figure", "plot", "plotting")
    extension = Path(path).suffix.lower().removeprefix(".")
    metadata: dict[str, Any] = {
        "png": {"Description": signature, "Software": "spanagree"},
        "svg": {"Description": signature, "Creator": "spanagree", "Date": None},
        "pdf": {"Subject": signature, "Creator": "spanagree", "CreationDate": None},
    }
    buffer = io.BytesIO()
    with mpl.rc_context(_STYLE), warnings.catch_warnings():
        # a character that is not in the font is drawn as a box
        warnings.filterwarnings("ignore", message="Glyph .* missing from")
        plot_figure = canvas.Figure(figsize=picture.size, layout="constrained")
        picture.draw(plot_figure.subplots())
        plot_figure.savefig(buffer, format=extension, dpi=200, metadata=metadata[extension])
    write_bytes(path, buffer.getvalue())


# --- drawings -----------------------------------------------------------------------------------


def prepare_text(text: str) -> str:
    """Truncate a user's text, and escape mathematics in it."""
    return prepare_names([text])[0]


def prepare_names(names: Iterable[str]) -> list[str]:
    """Shorten users' names: drop common parts, and truncate them so that most stay distinct."""
    texts = [escape_name(name) for name in shorten_names(list(names))]
    half_length = _MAX_NAME // 2
    truncations: list[Callable[[str], str]] = [
        lambda name: f"{name[: _MAX_NAME - 1]}…",
        lambda name: f"{name[: half_length - 1]}…{name[-half_length:]}",
        lambda name: f"…{name[1 - _MAX_NAME :]}",
    ]
    candidates = [
        [shorten(name) if len(name) > _MAX_NAME else name for name in texts]
        for shorten in truncations
    ]
    return [
        name.replace("$", r"\$") for name in max(candidates, key=lambda shorten: len(set(shorten)))
    ]


def _select_style(series_index: int) -> dict[str, Any]:
    """Select the colour and the marker of a series."""
    return {
        "color": _COLOURS[series_index % len(_COLOURS)],
        "marker": _MARKERS[series_index % len(_MARKERS)],
    }


def write_sentence(ax: Any, text: str) -> None:
    """Write a sentence in place of a plot."""
    ax.text(0.5, 0.5, text, ha="center", va="center", wrap=True, transform=ax.transAxes)
    ax.set_axis_off()


def _draw_legend(ax: Any) -> None:
    """Put the legend above the plot, where it covers nothing."""
    entry_width = _measure_width(map(str, ax.get_legend_handles_labels()[1])) + 0.5
    n_columns = min(4, max(1, int(4.4 / entry_width)))
    ax.legend(fontsize=8, frameon=False, loc="lower left", bbox_to_anchor=(0, 1), ncols=n_columns)


def _write_row_names(ax: Any, names: Iterable[str]) -> None:
    """Write a name next to each row, as large as possible; omit all names if they would touch."""
    texts = prepare_names(names)
    size = min(9.0, 60 * _measure_height(ax) / max(len(texts), 1))
    ax.set_yticks(range(len(texts)), texts if size >= _MIN_LETTER else [""] * len(texts))
    ax.tick_params(axis="y", labelsize=max(size, _MIN_LETTER))
    ax.set_ylim(len(texts) - 0.5, -0.5)


def _measure_height(ax: Any) -> float:
    """Return the height of some Axes in inches."""
    return float(ax.get_window_extent().height / ax.figure.dpi)


def _write_line_names(ax: Any, x: float, names: Sequence[str], values: Sequence[float]) -> None:
    """Write names next to the ends of lines, with gaps; omit all names if there is no room."""
    from spanagree.results.svg import spread_positions

    low, high = ax.get_ylim()
    gap = (high - low) * _LINE / _measure_height(ax)
    if gap * len(names) > high - low:
        return
    direction = 1 if x else -1
    for name, value, label_position in zip(
        names, values, spread_positions(values, gap, high), strict=True
    ):
        ax.annotate(
            name, (x, value), (x + 0.07 * direction, label_position), va="center", fontsize=8,
            ha="left" if x else "right",
            arrowprops={"arrowstyle": "-", "color": _GREY, "lw": 0.5, "relpos": (not x, 0.5)},
        )  # fmt: skip


def _extend_axis(ax: Any, values: Iterable[float]) -> None:
    """Extend the vertical axis a little beyond all values."""
    low, high = min(values), max(values)
    rim = max(0.05 * (high - low), 0.01)
    ax.set_ylim(low - rim, high + rim)


def draw_slopes(ax: Any, lines: Mapping[str, tuple[float, float]], titles: Sequence[str]) -> None:
    """Draw two figures for each name, with a line between them."""
    names = prepare_names(lines)
    for i, figures in enumerate(lines.values()):
        ax.plot([0, 1], figures, markersize=5, **_select_style(i))
    _extend_axis(ax, [value for figures in lines.values() for value in figures])
    for end_index in (0, 1):
        values = [figures[end_index] for figures in lines.values()]
        labels = [[name, format_figure(value)] for name, value in zip(names, values, strict=True)]
        _write_line_names(
            ax, end_index, ["  ".join(words[:: -1 if end_index else 1]) for words in labels], values
        )
        ax.axvline(end_index, color=_GREY, lw=0.5, zorder=0)
    ax.set_xlim(-0.1, 1.1)
    ax.set_xticks([0, 1], titles)
    ax.set_yticks([])
    ax.spines[["left", "bottom"]].set_visible(False)


Dot = tuple[float, float, float]
"""A figure with the low and the high end of its interval, ``nan`` without an interval."""


def get_dot(score: Any, score_key: str) -> Dot:
    """Return one figure of a score with its interval."""
    return (getattr(score, score_key), *get_ends(score.interval, score_key))


def draw_dots(
    ax: Any,
    rows: Sequence[tuple[str, list[Dot]]],
    series: Sequence[str],
    axis_label: str,
    zero: bool = False,
) -> None:
    """Draw rows of figures with their intervals; each series has a colour and a marker."""
    drawn_rows = [row for row in rows if any(not math.isnan(value) for value, _, _ in row[1])]
    if not drawn_rows:
        write_sentence(ax, "the figure is undefined everywhere")
        return
    for series_index, series_name in enumerate(series):
        offset = min(0.22, 0.7 / len(series)) * (series_index - (len(series) - 1) / 2)
        value, low, high = np.array([figures[series_index] for _, figures in drawn_rows]).T
        lengths = np.abs(np.nan_to_num([value - low, high - value]))
        ax.errorbar(
            value, np.arange(len(drawn_rows)) + offset, xerr=lengths, linestyle="none", capsize=2,
            markersize=5, lw=1.2, label=series_name, **_select_style(series_index),
        )  # fmt: skip
    _write_row_names(ax, [name for name, _ in drawn_rows])
    ax.set_xlabel(axis_label)
    ax.grid(axis="x", color=_GRID, lw=0.6)
    if len(series) > 1:
        _draw_legend(ax)
    if zero:
        ax.axvline(0, color=_GREY, lw=0.8, zorder=0)


def plot_dots(
    rows: Sequence[tuple[str, list[Dot]]],
    series: Sequence[str],
    axis_label: str,
    zero: bool = False,
) -> Plot:
    """Plot rows of figures with their intervals."""
    size = compute_plot_size(name for name, _ in rows)
    return Plot(lambda ax: draw_dots(ax, rows, series, axis_label, zero), size)


def plot_f1_dots(scores: Iterable[tuple[str, Any]], axis_label: str) -> Plot:
    """Plot the observed and corrected F1 of each name, with their intervals."""
    score_keys = ("observed", "corrected")
    rows = [
        (name, [get_dot(score, score_key) for score_key in score_keys]) for name, score in scores
    ]
    return plot_dots(rows, ("F1", "corrected F1"), axis_label)


def draw_clouds(
    ax: Any, rows: Mapping[str, tuple[Floats, float]], titles: Sequence[str], axis_label: str
) -> None:
    """Draw many values of each name as strokes, and one value as a dot."""
    for i, (values, _) in enumerate(rows.values()):
        ax.plot(
            values, np.full(len(values), i), linestyle="none", marker="|", markersize=12,
            alpha=0.15, color=_COLOURS[0], label=None if i else titles[0],
        )  # fmt: skip
    ax.plot(
        [value for _, value in rows.values()], range(len(rows)), linestyle="none", markersize=6,
        label=titles[1], **_select_style(1),
    )  # fmt: skip
    _write_row_names(ax, list(rows))
    ax.set_xlabel(axis_label)
    _draw_legend(ax)


def draw_distributions(
    ax: Any,
    rows: Mapping[str, tuple[Floats, Floats, float]],
    titles: Sequence[str],
    axis_label: str,
) -> None:
    """Draw a distribution of values and probabilities for each name, and one value as a dot."""
    for i, (values, probabilities, _) in enumerate(rows.values()):
        curve = i - 0.8 * probabilities / probabilities.max()
        ax.vlines(values, i, curve, color=_COLOURS[0], lw=1.4, label=None if i else titles[0])
    ax.plot(
        [value for _, _, value in rows.values()], range(len(rows)), linestyle="none", markersize=6,
        label=titles[1], **_select_style(1),
    )  # fmt: skip
    _write_row_names(ax, list(rows))
    ax.set_ylim(len(rows) - 0.5, -0.9)
    ax.set_xlabel(axis_label)
    _draw_legend(ax)


def draw_histogram(
    ax: Any, counts: Sequence[int], edges: Sequence[float], axis_label: str, noun: str
) -> None:
    """Draw the number in each bin."""
    ax.stairs(counts, edges, fill=True, color=_COLOURS[0])
    ax.set_xlabel(axis_label)
    ax.set_ylabel(f"{noun}s")


def draw_scatter(ax: Any, x: Floats, y: Floats, x_label: str, y_label: str) -> None:
    """Draw a point for each pair of values; overlapping points are darker."""
    ax.plot(
        x, y, linestyle="none", marker="o", markersize=4, markeredgewidth=0, alpha=0.6,
        color=_COLOURS[0], rasterized=len(x) > _MAX_POINTS,
    )  # fmt: skip
    ax.set_xlim(0, max(1.05 * float(np.max(x)), 0.05))
    ax.set_ylim(0, max(1.05 * float(np.max(y)), 0.05))
    ax.set_xlabel(x_label)
    ax.set_ylabel(y_label)


def draw_lines(
    ax: Any, columns: Sequence[str], rows: Mapping[str, Sequence[float]], axis_label: str
) -> None:
    """Draw a line for each name over the columns, with the name at its end."""
    drawn_rows = {name: row for name, row in rows.items() if not np.isnan(row).all()}
    if not drawn_rows:
        write_sentence(ax, "the figure is undefined everywhere")
        return
    for i, values in enumerate(drawn_rows.values()):
        ax.plot(range(len(values)), values, markersize=5, **_select_style(i))
    _extend_axis(
        ax, [value for row in drawn_rows.values() for value in row if not math.isnan(value)]
    )
    last_index = len(columns) - 1
    last_values = [
        [value for value in row if not math.isnan(value)][-1] for row in drawn_rows.values()
    ]
    ax.set_xlim(-0.2, last_index + 0.05)
    _write_line_names(ax, last_index, prepare_names(drawn_rows), last_values)
    ax.set_xticks(range(len(columns)), columns, rotation=0 if last_index < 6 else 90)
    ax.set_ylabel(axis_label)
    ax.grid(axis="y", color=_GRID, lw=0.6)


def draw_steps(
    ax: Any,
    rows: Mapping[str, tuple[Floats, Floats]],
    titles: tuple[str, str],
    marks: Sequence[float] = (),
) -> None:
    """Draw a line of steps for each name; each value extends up to its position.

    Args:
        ax: Axes to draw into.
        rows: positions, ascending, and values, by name.
        titles: titles of both axes.
        marks: positions of vertical lines.
    """
    names = prepare_names(rows)
    for i, (name, (positions, values)) in enumerate(zip(names, rows.values(), strict=True)):
        style = {**_select_style(i), "linestyle": ("-", "--", "-.", ":")[i % 4], "marker": ""}
        ax.step(positions, values, where="pre", lw=1.4, label=name, **style)
    for mark in marks:
        ax.axvline(mark, color=_GREY, lw=0.8, zorder=0)
    ax.set_xlabel(titles[0])
    ax.set_ylabel(titles[1])
    ax.grid(axis="y", color=_GRID, lw=0.6)
    _draw_legend(ax)


def draw_curves(ax: Any, rows: Mapping[str, Floats], axis_label: str) -> None:
    """Draw a curve of probabilities for each name."""
    for i, (name, values) in enumerate(rows.items()):
        style = {**_select_style(i), "linestyle": ("-", "--", "-.", ":")[i % 4], "marker": ""}
        ax.plot(range(len(values)), values, lw=1.4, label=name, **style)
    ax.set_xlabel(axis_label)
    ax.set_ylabel("probability")
    ax.set_ylim(0, 1.08 * max((values.max() for values in rows.values() if len(values)), default=1))
    _draw_legend(ax)


def draw_bars(ax: Any, counts: Mapping[str, int], axis_label: str) -> None:
    """Draw a bar with its number for each name."""
    ax.barh(range(len(counts)), list(counts.values()), color=_COLOURS[0])
    for i, count in enumerate(counts.values()):
        ax.annotate(f" {count}", (count, i), va="center", fontsize=8)
    _write_row_names(ax, list(counts))
    ax.set_xlabel(axis_label)


def plot_heat_map(
    rows: Sequence[str],
    columns: Sequence[str],
    values: Floats,
    colour_label: str,
    limits: tuple[float, float] = (0, 1),
    marks: Floats | None = None,
    axis_titles: tuple[str, str] = ("", ""),
) -> Plot:
    """Plot a heat map, with figures in the cells if they are few; integers without decimals.

    Args:
        rows: names of the rows.
        columns: names of the columns.
        values: array of values; (rows, columns).
        colour_label: title of the colour bar.
        limits: values at both ends of the colours; colours diverge from 0 if the first is negative.
        marks: mask of the cells with a star.
        axis_titles: titles of the rows and of the columns.
    """
    low, high = limits
    colours = "cividis" if low >= 0 else "PuOr"
    extension = "min" if (values < low).any() else "neither"
    defined = values[~np.isnan(values)]
    digits = 0 if len(defined) and (defined == np.floor(defined)).all() and high > 1 else 2
    n_longest = max(values.shape)

    def draw_heat_map(ax: Any) -> None:
        """Draw the heat map into Axes."""
        image = ax.imshow(values, cmap=colours, aspect="equal", vmin=low, vmax=high)
        ax.set_facecolor("#eeeeee")  # of undefined figures
        ax.figure.colorbar(image, ax=ax, shrink=0.8, label=colour_label, extend=extension)
        ax.spines[:].set_visible(False)
        for axis, names in ((ax.yaxis, rows), (ax.xaxis, columns)):
            has_names = len(names) <= _MAX_WITH_NAMES
            axis.set_ticks(
                range(len(names)) if has_names else [], prepare_names(names) if has_names else []
            )
        ax.tick_params(length=0, labelsize=min(9.0, 50 * _MAP / max(n_longest, 1)))
        ax.tick_params(axis="x", rotation=90)
        ax.set_ylabel(axis_titles[0])
        ax.set_xlabel(axis_titles[1])
        if n_longest > _MAX_WITH_FIGURES:
            return
        for (i, j), value in np.ndenumerate(values):
            text = "–" if math.isnan(value) else f"{value + 0:.{digits}f}".replace("-0.00", "0.00")
            star = "*" if marks is not None and marks[i, j] else ""
            red, green, blue, _ = image.cmap(image.norm(value)) if text != "–" else (1, 1, 1, 1)
            is_dark = 0.3 * red + 0.6 * green + 0.1 * blue < 0.5
            colour = "white" if is_dark else "black"
            ax.text(j, i, text + star, ha="center", va="center", fontsize=7, color=colour)

    cell = min(_CELL, _MAP / max(len(rows), len(columns), 1))
    left_margin, bottom_margin = (
        _measure_width(prepare_names(names)) if len(names) <= _MAX_WITH_NAMES else 0
        for names in (rows, columns)
    )
    width, height = cell * len(columns) + left_margin + 1.3, cell * len(rows) + bottom_margin + 0.6
    return Plot(draw_heat_map, (max(3.6, width), max(3, height)))
