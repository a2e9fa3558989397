"""Charts as SVG; positions and widths are computed here, figures are not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby, pairwise

from spanagree.arrays import Bools
from spanagree.errors import truncate
from spanagree.results.frame import format_figure
from spanagree.results.html import Html, build_element

_N_SHADES = 10  # of a heat map
_MAX_STRIP_COLUMNS = 300
_MAX_NAME = 22  # characters of a name next to a line
_MAX_SLOPE_NAME = 16  # characters of a name next to a slope, which has names on both sides


def draw_bar(value: float) -> Html:
    """Draw a thin bar for a figure from 0 to 1, to be placed below the figure."""
    width = 100 * min(max(value, 0.0), 1.0)
    return build_element(
        "svg",
        build_element("rect", class_="track", width="100", height="4"),
        build_element("rect", class_="fill", width=f"{width:.2f}", height="4"),
        class_="bar", viewBox="0 0 100 4", preserveAspectRatio="none", aria_hidden="true",
    )  # fmt: skip


def select_shade(value: float) -> str:
    """Return the CSS class of a cell of a heat map; greater values are darker."""
    return "none" if math.isnan(value) else f"h{round(_N_SHADES * min(max(value, 0.0), 1.0))}"


def draw_slope_chart(lines: Sequence[tuple[str, float, float, str]]) -> Html:
    """Draw two figures of each system, raw and corrected, with a line between them.

    ``lines`` has the name, both figures, and a text after the name on the right.
    """
    width, margin, gap, top = 580, 256, 20, 44  # a name of 16 characters fits in a wide font
    right = width - margin
    values = [value for _, *figures, _ in lines for value in figures]
    low = math.floor(min(values) * 10) / 10
    high = max(math.ceil(max(values) * 10) / 10, low + 0.1)
    height = max(240, gap * len(lines))
    bottom = top + height

    def compute_position(value: float) -> float:
        """Compute the vertical position of a value."""
        return bottom - height * (value - low) / (high - low)

    elements = [
        _draw_text("F1 as observed", margin + 20, 20, "axis", "end"),
        _draw_text("corrected F1", right - 20, 20, "axis", "start"),
        _draw_line(margin, top, margin, bottom, "axis"),
        _draw_line(right, top, right, bottom, "axis"),
    ]
    left_positions = spread_positions(
        [compute_position(raw_f1) for _, raw_f1, _, _ in lines], gap, bottom
    )
    right_positions = spread_positions(
        [compute_position(corrected_f1) for _, _, corrected_f1, _ in lines], gap, bottom
    )
    for (name, raw_f1, corrected_f1, change), raw_position, corrected_position in zip(
        lines, left_positions, right_positions, strict=True
    ):
        css_class = {"▼": "slope falls", "▲": "slope rises"}.get(change.strip(), "slope")
        short_name = build_element("tspan", truncate(name, _MAX_SLOPE_NAME), class_="name")
        left_text, right_text = (
            f"\u2002{format_figure(raw_f1)}",
            f"{format_figure(corrected_f1)}\u2002",
        )
        elements.append(
            build_element(
                "g",
                build_element(
                    "title",
                    f"{name}: {format_figure(raw_f1)}, corrected {format_figure(corrected_f1)}",
                ),
                _draw_line(margin, compute_position(raw_f1), right, compute_position(corrected_f1)),
                build_element(
                    "circle", cx=margin, cy=_format_coordinate(compute_position(raw_f1)), r=3.5
                ),
                build_element(
                    "circle", cx=right, cy=_format_coordinate(compute_position(corrected_f1)), r=3.5
                ),
                _draw_line(
                    margin - 20, raw_position, margin - 5, compute_position(raw_f1), "leader"
                ),
                _draw_line(
                    right + 20,
                    corrected_position,
                    right + 5,
                    compute_position(corrected_f1),
                    "leader",
                ),
                _draw_text(
                    Html(short_name + left_text), margin - 24, raw_position + 4, anchor="end"
                ),
                _draw_text(
                    Html(right_text + short_name + change),
                    right + 24,
                    corrected_position + 4,
                    anchor="start",
                ),
                class_=css_class,
            )
        )
    label = "F1 as observed and corrected, a line for each system; the table has the figures"
    return _build_drawing("slopes", width, bottom + 24, label, elements)


def spread_positions(
    positions: Sequence[float], gap: float, limit_below: float = math.inf
) -> list[float]:
    """Compute positions of labels: near the given ones, but at least a gap from each other."""
    order = sorted(range(len(positions)), key=lambda i: (positions[i], i))
    label_positions = list(positions)
    for previous, i in pairwise(order):
        label_positions[i] = max(label_positions[i], label_positions[previous] + gap)
    limit = limit_below
    for i in reversed(order):
        label_positions[i] = min(label_positions[i], limit)
        limit = label_positions[i] - gap
    return label_positions


def draw_histogram(counts: Sequence[int], edges: Sequence[float], borders: Sequence[float]) -> Html:
    """Draw the number of documents in each bin from 0 to 1, with the borders of levels."""
    width, height, top, left = 760, 180, 26, 20
    step, bottom = (width - 2 * left) / len(counts), top + height
    elements = []
    for i, count in enumerate(counts):
        bar_height = height * count / max(counts)
        x = left + i * step
        bar_title = build_element("title", f"{edges[i]:.2f}–{edges[i + 1]:.2f}: {count}")
        size = {"width": _format_coordinate(step - 2), "height": _format_coordinate(bar_height)}
        elements.append(
            build_element(
                "rect",
                bar_title,
                x=_format_coordinate(x + 1),
                y=_format_coordinate(bottom - bar_height),
                class_="fill",
                **size,
            )
        )
        if count:
            elements.append(_draw_text(str(count), x + step / 2, bottom - bar_height - 5))
    elements += [
        _draw_text(f"{edges[i]:.1f}", left + i * step, bottom + 18, "axis")
        for i in range(0, len(edges), 4)
    ]
    elements.append(_draw_line(left, bottom, width - left, bottom, "axis"))
    for border in borders:
        x = left + (width - 2 * left) * border
        elements.append(
            _draw_line(x, 4, x, bottom, "border", f"border of levels: {format_figure(border)}")
        )
    filled_bins = [i for i, count in enumerate(counts) if count]
    shares = "; ".join(f"{edges[i]:.2f} to {edges[i + 1]:.2f}: {counts[i]}" for i in filled_bins)
    return _build_drawing(
        "histogram", width, bottom + 26, f"Documents by difficulty. {shares}", elements
    )


def draw_ranges(
    rows: Sequence[tuple[str, Sequence[tuple[float, float, float]]]],
    series: Sequence[str],
    subject: str,
) -> Html:
    """Draw a row for each name: a dot for each series, on its interval.

    Each row has a name, and for each series the figure with both ends; ``nan`` is not drawn.
    """
    width, margin, gap, top = 760, 180, 34, 40
    right, bottom = width - 20, top + gap * len(rows)
    values = [value for _, row in rows for dot in row for value in dot if not math.isnan(value)]
    low = min(0.0, math.floor(10 * min(values, default=0.0)) / 10)

    def compute_position(value: float) -> float:
        """Compute the horizontal position of a value."""
        return margin + (right - margin) * (value - low) / (1 - low)

    elements = [_draw_line(margin, bottom, right, bottom, "axis")]
    marks = [n_fifths / 5 for n_fifths in range(math.ceil(5 * low), 6)]
    elements += [
        _draw_text(f"{mark:g}", compute_position(mark), bottom + 18, "axis") for mark in marks
    ]
    for series_index, series_name in enumerate(series):
        x = margin + 200 * series_index
        elements += [
            build_element(
                "g", build_element("circle", cx=x, cy=12, r=4.5), class_=f"range k{series_index}"
            ),
            _draw_text(series_name, x + 10, 16, anchor="start"),
        ]
    for i, (name, row) in enumerate(rows):
        row_position = top + gap * (i + 0.5)
        short_name = build_element("tspan", truncate(name, _MAX_NAME), class_="name")
        elements.append(
            build_element(
                "text",
                short_name,
                x=margin - 12,
                y=_format_coordinate(row_position + 4),
                text_anchor="end",
            )
        )
        for series_index, (value, *interval) in enumerate(row):
            if math.isnan(value):
                continue
            y = row_position + 10 * series_index - 5 * (len(row) - 1)
            description = f"{name}, {series[series_index]}: {format_figure(value)}"
            interval_line = []
            if not any(map(math.isnan, interval)):
                description += f", {format_figure(interval[0])}–{format_figure(interval[1])}"
                interval_line = [
                    _draw_line(compute_position(interval[0]), y, compute_position(interval[1]), y)
                ]
            dot = build_element(
                "circle",
                cx=_format_coordinate(compute_position(value)),
                cy=_format_coordinate(y),
                r=4.5,
            )
            elements.append(
                build_element(
                    "g",
                    build_element("title", description),
                    *interval_line,
                    dot,
                    class_=f"range k{series_index}",
                )
            )
    return _build_drawing(
        "ranges", width, bottom + 26, f"{subject}; the table has the figures", elements
    )


def draw_strip(is_seen: Bools) -> Html:
    """Draw the documents that an annotator saw as a strip, from the first to the last."""
    n_columns = min(len(is_seen), _MAX_STRIP_COLUMNS)
    bounds = [i * len(is_seen) // n_columns for i in range(n_columns + 1)]
    shades = [
        math.ceil(4 * int(is_seen[low:high].sum()) / (high - low)) for low, high in pairwise(bounds)
    ]
    rects, x = [], 0
    for level, run in groupby(shades):
        length = len(list(run))
        if level:
            rects.append(build_element("rect", x=x, width=length, height=1, class_=f"s{level}"))
        x += length
    return build_element(
        "svg", *rects, viewBox=f"0 0 {n_columns} 1", preserveAspectRatio="none",
        class_="strip", aria_hidden="true",
    )  # fmt: skip


def _build_drawing(
    css_class: str, width: float, height: float, label: str, elements: Sequence[Html]
) -> Html:
    """Build the ``svg`` element of a drawing, with a label for screen readers."""
    return build_element(
        "svg",
        *elements,
        viewBox=f"0 0 {width} {height}",
        class_=css_class,
        role="img",
        aria_label=label,
    )


def _draw_line(
    x1: float,
    y1: float,
    x2: float,
    y2: float,
    css_class: str | None = None,
    title: str | None = None,
) -> Html:
    """Draw a line, with a title that appears on hovering."""
    children = [build_element("title", title)] if title else []
    coordinates = {"x1": x1, "y1": y1, "x2": x2, "y2": y2}
    return build_element(
        "line",
        *children,
        class_=css_class,
        **{key: _format_coordinate(value) for key, value in coordinates.items()},
    )


def _draw_text(
    content: str, x: float, y: float, css_class: str | None = None, anchor: str = "middle"
) -> Html:
    """Draw a text at a position."""
    return build_element(
        "text",
        content,
        x=_format_coordinate(x),
        y=_format_coordinate(y),
        class_=css_class,
        text_anchor=anchor,
    )


def _format_coordinate(value: float) -> str:
    return f"{value:.1f}"
