"""Charts as SVG. Positions and widths are computed here, figures are not."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import groupby, pairwise

from spanagree.arrays import Bools
from spanagree.errors import truncate
from spanagree.results.frame import figure
from spanagree.results.html import Html, el

_STEPS = 10  # shades of a heat map
_STRIPS = 300  # columns of a strip, at most
_SHORT = 22  # characters of a name beside a line
_BESIDE = 16  # beside a slope, which has names on both sides


def bar(value: float) -> Html:
    """Return a thin bar for under a figure from 0 to 1; the figure stands beside it."""
    width = 100 * min(max(value, 0.0), 1.0)
    return el(
        "svg",
        el("rect", class_="track", width="100", height="4"),
        el("rect", class_="fill", width=f"{width:.2f}", height="4"),
        class_="bar", viewBox="0 0 100 4", preserveAspectRatio="none", aria_hidden="true",
    )  # fmt: skip


def shade(value: float) -> str:
    """Return the class of a cell of a heat map: the darker, the greater."""
    return "none" if math.isnan(value) else f"h{round(_STEPS * min(max(value, 0.0), 1.0))}"


def slopes(lines: Sequence[tuple[str, float, float, str]]) -> Html:
    """Return a chart of two figures of each system, before and after, with a line between them.

    ``lines`` has name, both figures, and what is written behind the name on the right.
    """
    width, side, gap, top = 660, 256, 20, 44  # a name of 16 characters fits in a wide font
    right = width - side
    values = [value for _, *both, _ in lines for value in both]
    low = math.floor(min(values) * 10) / 10
    high = max(math.ceil(max(values) * 10) / 10, low + 0.1)
    height = max(240, gap * len(lines))
    foot = top + height

    def place(value: float) -> float:
        return foot - height * (value - low) / (high - low)

    parts = [
        _text("F1 as observed", side, 20, "axis"),
        _text("corrected F1", right, 20, "axis"),
        _line(side, top, side, foot, "axis"),
        _line(right, top, right, foot, "axis"),
    ]
    lefts = apart([place(before) for _, before, _, _ in lines], gap, foot)
    rights = apart([place(after) for _, _, after, _ in lines], gap, foot)
    for (name, before, after, change), y, z in zip(lines, lefts, rights, strict=True):
        kind = {"▼": "slope falls", "▲": "slope rises"}.get(change.strip(), "slope")
        short = el("tspan", truncate(name, _BESIDE), class_="name")
        at_left, at_right = f"\u2002{figure(before)}", f"{figure(after)}\u2002"
        parts.append(
            el(
                "g",
                el("title", f"{name}: {figure(before)}, corrected {figure(after)}"),
                _line(side, place(before), right, place(after)),
                el("circle", cx=side, cy=_digits(place(before)), r=3.5),
                el("circle", cx=right, cy=_digits(place(after)), r=3.5),
                _line(side - 20, y, side - 5, place(before), "leader"),
                _line(right + 20, z, right + 5, place(after), "leader"),
                _text(Html(short + at_left), side - 24, y + 4, anchor="end"),
                _text(Html(at_right + short + change), right + 24, z + 4, anchor="start"),
                class_=kind,
            )
        )
    label = "F1 as observed and corrected, a line for each system; the table has the figures"
    return _drawing("slopes", width, foot + 24, label, parts)


def apart(places: Sequence[float], gap: float, foot: float = math.inf) -> list[float]:
    """Return where labels stand: at their places, but never closer to each other than a gap."""
    order = sorted(range(len(places)), key=lambda i: (places[i], i))
    moved = list(places)
    for before, i in pairwise(order):
        moved[i] = max(moved[i], moved[before] + gap)
    limit = foot
    for i in reversed(order):
        moved[i] = min(moved[i], limit)
        limit = moved[i] - gap
    return moved


def histogram(counts: Sequence[int], edges: Sequence[float], borders: Sequence[float]) -> Html:
    """Return a chart of how many documents lie in each bin from 0 to 1, with borders of levels."""
    width, height, top, left = 760, 180, 26, 20
    step, foot = (width - 2 * left) / len(counts), top + height
    parts = []
    for i, count in enumerate(counts):
        tall = height * count / max(counts)
        x = left + i * step
        column = el("title", f"{edges[i]:.2f}–{edges[i + 1]:.2f}: {count}")
        size = {"width": _digits(step - 2), "height": _digits(tall)}
        parts.append(
            el("rect", column, x=_digits(x + 1), y=_digits(foot - tall), class_="fill", **size)
        )
        if count:
            parts.append(_text(str(count), x + step / 2, foot - tall - 5))
    parts += [
        _text(f"{edges[i]:.1f}", left + i * step, foot + 18, "axis")
        for i in range(0, len(edges), 4)
    ]
    parts.append(_line(left, foot, width - left, foot, "axis"))
    for border in borders:
        x = left + (width - 2 * left) * border
        parts.append(_line(x, 4, x, foot, "border", f"border of levels: {figure(border)}"))
    filled = [i for i, count in enumerate(counts) if count]
    shares = "; ".join(f"{edges[i]:.2f} to {edges[i + 1]:.2f}: {counts[i]}" for i in filled)
    return _drawing("histogram", width, foot + 26, f"Documents by difficulty. {shares}", parts)


def ranges(
    rows: Sequence[tuple[str, Sequence[tuple[float, float, float]]]],
    kinds: Sequence[str],
    what: str,
) -> Html:
    """Return a chart with a row for each name: a dot for each kind of figure, on its interval.

    Each row has a name, and of each kind the figure with both ends; what is nan is not drawn.
    """
    width, side, gap, top = 760, 180, 34, 40
    right, foot = width - 20, top + gap * len(rows)
    drawn = [value for _, row in rows for dot in row for value in dot if not math.isnan(value)]
    low = min(0.0, math.floor(10 * min(drawn, default=0.0)) / 10)

    def place(value: float) -> float:
        return side + (right - side) * (value - low) / (1 - low)

    parts = [_line(side, foot, right, foot, "axis")]
    marks = [m / 5 for m in range(math.ceil(5 * low), 6)]
    parts += [_text(f"{mark:g}", place(mark), foot + 18, "axis") for mark in marks]
    for k, kind in enumerate(kinds):
        x = side + 200 * k
        parts += [
            el("g", el("circle", cx=x, cy=12, r=4.5), class_=f"range k{k}"),
            _text(kind, x + 10, 16, anchor="start"),
        ]
    for i, (name, row) in enumerate(rows):
        middle = top + gap * (i + 0.5)
        short = el("tspan", truncate(name, _SHORT), class_="name")
        parts.append(el("text", short, x=side - 12, y=_digits(middle + 4), text_anchor="end"))
        for k, (value, *ends) in enumerate(row):
            if math.isnan(value):
                continue
            y = middle + 10 * k - 5 * (len(row) - 1)
            about = f"{name}, {kinds[k]}: {figure(value)}"
            line = []
            if not any(map(math.isnan, ends)):
                about += f", {figure(ends[0])}–{figure(ends[1])}"
                line = [_line(place(ends[0]), y, place(ends[1]), y)]
            dot = el("circle", cx=_digits(place(value)), cy=_digits(y), r=4.5)
            parts.append(el("g", el("title", about), *line, dot, class_=f"range k{k}"))
    return _drawing("ranges", width, foot + 26, f"{what}; the table has the figures", parts)


def strip(seen: Bools) -> Html:
    """Return a strip of which documents an annotator saw, from the first to the last."""
    columns = min(len(seen), _STRIPS)
    bounds = [i * len(seen) // columns for i in range(columns + 1)]
    shades = [math.ceil(4 * int(seen[a:b].sum()) / (b - a)) for a, b in pairwise(bounds)]
    rects, x = [], 0
    for level, run in groupby(shades):
        length = len(list(run))
        if level:
            rects.append(el("rect", x=x, width=length, height=1, class_=f"s{level}"))
        x += length
    return el(
        "svg", *rects, viewBox=f"0 0 {columns} 1", preserveAspectRatio="none",
        class_="strip", aria_hidden="true",
    )  # fmt: skip


def _drawing(kind: str, width: float, height: float, label: str, parts: Sequence[Html]) -> Html:
    return el(
        "svg", *parts, viewBox=f"0 0 {width} {height}", class_=kind, role="img", aria_label=label
    )


def _line(
    x1: float, y1: float, x2: float, y2: float, kind: str | None = None, title: str | None = None
) -> Html:
    children = [el("title", title)] if title else []
    ends = {"x1": x1, "y1": y1, "x2": x2, "y2": y2}
    return el(
        "line", *children, class_=kind, **{key: _digits(value) for key, value in ends.items()}
    )


def _text(
    content: str, x: float, y: float, kind: str | None = None, anchor: str = "middle"
) -> Html:
    return el("text", content, x=_digits(x), y=_digits(y), class_=kind, text_anchor=anchor)


def _digits(value: float) -> str:
    return f"{value:.1f}"
