"""Charts as SVG; positions and widths are computed here, figures are not."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby, pairwise
from typing import Any

from spanagree.arrays import Bools
from spanagree.results.cells import format_figure
from spanagree.results.html import Html, build_element
from spanagree.results.names import truncate_names
from spanagree.results.score import Dot

_N_SHADES = 10  # of a heat map
_MAX_STRIP_COLUMNS = 300
_MAX_NAME = 16  # characters of a name next to its row
_WIDTH = 520  # of a chart, in units that the page scales


def select_shade(value: float) -> str:
    """Return the CSS class of a cell of a heat map; greater values are darker."""
    return "none" if math.isnan(value) else f"h{round(_N_SHADES * min(max(value, 0.0), 1.0))}"


def draw_bar(value: float) -> Html:
    """Draw a thin bar for a figure from 0 to 1, to be placed below the figure."""
    return _build_strip("bar", 100, [("fill", 0.0, 100 * min(max(value, 0.0), 1.0))])


def draw_strip(is_seen: Bools) -> Html:
    """Draw the documents that an annotator saw as a strip, from the first to the last."""
    n_columns = min(len(is_seen), _MAX_STRIP_COLUMNS)
    bounds = [i * len(is_seen) // n_columns for i in range(n_columns + 1)]
    shades = [math.ceil(4 * is_seen[low:high].mean()) for low, high in pairwise(bounds)]
    runs = [list(run) for _, run in groupby(enumerate(shades), key=lambda column: column[1])]
    parts = [(f"s{run[0][1]}", run[0][0], len(run)) for run in runs if run[0][1]]
    return _build_strip("strip", n_columns, parts)


def draw_histogram(counts: Sequence[int], edges: Sequence[float], borders: Sequence[float]) -> Html:
    """Draw the number of documents in each bin from 0 to 1, with the borders of levels."""
    bottom, texts = 206.0, []
    place, elements = _build_axis(20, bottom, range(6))
    for count, (low, high) in zip(counts, pairwise(edges), strict=True):
        x, width, height = place(low), place(high) - place(low), 180 * count / max(counts)
        size = {"x": x + 1, "y": bottom - height, "width": width - 2, "height": height}
        text = f"{low:.2f}–{high:.2f}: {count}"
        elements.append(_draw("rect", title=text, class_="fill", **size))
        if count:
            texts.append(text)
            elements.append(_write(str(count), x + width / 2, bottom - height - 5))
    for border in borders:
        ends = {"x1": place(border), "y1": 4, "x2": place(border), "y2": bottom}
        text = f"border of levels: {format_figure(border)}"
        elements.append(_draw("line", title=text, class_="border", **ends))
    label = f"Documents by difficulty. {'; '.join(texts)}"
    return _build_chart("histogram", bottom, label, elements)


def draw_dots(rows: Sequence[tuple[str, Sequence[Dot]]], series: Sequence[str], label: str) -> Html:
    """Draw a row for each name: a dot for each series, on its interval.

    Each row has a name, and for each series the figure with both ends; ``nan`` is not drawn.
    """
    left, top, gap = 180, 40, 34
    values = [value for _, dots in rows for dot in dots for value in dot if not math.isnan(value)]
    lowest, highest = math.floor(5 * min(values, default=0)), math.ceil(5 * max(values, default=1))
    fifths, bottom = range(lowest, max(highest, lowest + 1) + 1), top + gap * len(rows)
    place, elements = _build_axis(left, bottom, fifths)
    for k, series_name in enumerate(series):
        x = left + 165 * k
        elements.append(_draw("circle", cx=x, cy=12, r=4.5, class_=f"range k{k}"))
        elements.append(_write(series_name, x + 10, 16, "start"))
    short_names = truncate_names([name for name, _ in rows], _MAX_NAME)
    for i, (name, dots) in enumerate(rows):
        middle = top + gap * (i + 0.5)
        elements.append(_write(short_names[i], left - 12, middle + 4, "end", class_="name"))
        for k, (value, low, high) in enumerate(dots):
            if math.isnan(value):
                continue
            y = middle + 10 * k - 5 * (len(dots) - 1)
            marks = [_draw("circle", cx=place(value), cy=y, r=4.5)]
            text = f"{name}, {series[k]}: {format_figure(value)}"
            if not math.isnan(low + high):
                marks.insert(0, _draw("line", x1=place(low), y1=y, x2=place(high), y2=y))
                text += f", {format_figure((low, high))}"
            elements.append(_draw("g", *marks, title=text, class_=f"range k{k}"))
    return _build_chart("ranges", bottom, f"{label}; the table has the figures", elements)


def _build_axis(
    left: float, bottom: float, fifths: range
) -> tuple[Callable[[float], float], list[Html]]:
    """Build an axis that is marked at each fifth, and a function that computes positions on it."""
    unit = (_WIDTH - 20 - left) / (len(fifths) - 1)

    def place(value: float) -> float:
        """Compute the horizontal position of a value."""
        return left + unit * (5 * value - fifths[0])

    ends: dict[str, Any] = {"x1": left, "y1": bottom, "x2": _WIDTH - 20, "y2": bottom}
    marks = [(f"{number / 5:g}", place(number / 5)) for number in fifths]
    numbers = [_write(text, x, bottom + 18, class_="axis") for text, x in marks]
    return place, [_draw("line", class_="axis", **ends), *numbers]


def _write(text: str, x: float, y: float, anchor: str = "middle", **attributes: Any) -> Html:
    """Write a text at a position."""
    return _draw("text", text, x=x, y=y, text_anchor=anchor, **attributes)


def _draw(name: str, *children: str, title: str = "", **attributes: Any) -> Html:
    """Build an element with rounded coordinates, and a title that appears on hovering."""
    for key, value in attributes.items():
        attributes[key] = f"{value:.1f}" if isinstance(value, float) else value
    titles = [build_element("title", title)] if title else []
    return build_element(name, *titles, *children, **attributes)


def _build_chart(css_class: str, bottom: float, label: str, elements: Sequence[Html]) -> Html:
    """Build the ``svg`` element of a chart, with a label for screen readers."""
    view = f"0 0 {_WIDTH} {bottom + 26:g}"
    return build_element(
        "svg", *elements, viewBox=view, class_=css_class, role="img", aria_label=label
    )


def _build_strip(css_class: str, width: int, parts: Iterable[tuple[str, float, float]]) -> Html:
    """Build a strip of parts with a class, a position and a width; a text nearby has the figure."""
    rects = [_draw("rect", x=x, width=size, height=1, class_=part) for part, x, size in parts]
    style = {"preserveAspectRatio": "none", "class_": css_class, "aria_hidden": "true"}
    return build_element("svg", *rects, viewBox=f"0 0 {width} 1", **style)
