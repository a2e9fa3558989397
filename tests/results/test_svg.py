"""Charts of the report: what is drawn stands where its figure says, and in its place alone.

Places are computed by hand: a figure between two ends stands as far from their places.
"""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

from spanagree.results.svg import (
    draw_bar,
    draw_dots,
    draw_histogram,
    draw_strip,
    select_shade,
)


def parts(chart, name, kind=None):
    """The elements of a chart by their name and class; numbers are given to one decimal."""
    found = ElementTree.fromstring(chart).iter(name)
    return [each for each in found if kind is None or each.get("class") == kind]


def numbers(element, *names):
    return [float(element.get(name)) for name in names]


def texts(elements):
    return ["".join(each.itertext()) for each in elements]


def between(share, low, high):
    """Where a share stands between two places, to one decimal."""
    return pytest.approx(low + share * (high - low), abs=0.051)


def test_bars_and_shades():
    """A bar is as long as its share; a cell is darker by tenths; beyond 0 and 1 there is no more."""
    wide = [numbers(parts(draw_bar(x), "rect", "fill")[0], "x", "width") for x in (-0.5, 0.25, 1.5)]
    assert wide == [[0, 0], [0, 25], [0, 100]]
    assert [select_shade(x) for x in (-1, 0.26, 0.94, 2, float("nan"))] == ["h0", "h3", "h9", "h10", "none"]  # fmt: skip


def test_histogram():
    """Columns are as high as they have documents, in the middle of their bins, from end to end."""
    counts, borders = [1, 0, 4, 2], [0.5, 0.9]
    chart = draw_histogram(counts, [0, 0.25, 0.5, 0.75, 1], borders)
    (axis,) = parts(chart, "line", "axis")
    low, foot, high = numbers(axis, "x1", "y1", "x2")
    columns = parts(chart, "rect")
    tallest = numbers(columns[2], "height")[0]
    for i, (column, count) in enumerate(zip(columns, counts, strict=True)):
        x, y, width, height = numbers(column, "x", "y", "width", "height")
        assert height == between(count / 4, 0, tallest)
        assert y + height == pytest.approx(foot)
        assert x + width / 2 == between((i + 0.5) / 4, low, high)
        assert 0.9 < 4 * width / (high - low) < 1
    assert texts(columns) == ["0.00–0.25: 1", "0.25–0.50: 0", "0.50–0.75: 4", "0.75–1.00: 2"]
    written = [text for text in parts(chart, "text") if text.get("class") is None]
    assert texts(written) == ["1", "4", "2"]
    lines = [numbers(line, "x1", "x2") for line in parts(chart, "line", "border")]
    assert lines == [[between(b, low, high)] * 2 for b in borders]
    assert texts(parts(chart, "line", "border"))[1] == "border of levels: 0.900"


def test_ranges():
    """A dot on its interval for each figure; what is undefined is not drawn, below 0 is room."""
    nan = float("nan")
    rows = [
        ("a", [(0.5, 0.25, 0.75), (-0.15, nan, nan)]),
        ("b", [(nan, nan, nan), (1.0, 0.9, 1.0)]),
    ]
    chart = draw_dots(rows, ["F1", "corrected"], "F1")
    (axis,) = parts(chart, "line", "axis")
    low, foot, high = numbers(axis, "x1", "y1", "x2")
    drawn = [each for each in parts(chart, "g") if each.find("title") is not None]
    dots = {text: numbers(each.find("circle"), "cx", "cy") for text, each in zip(texts(drawn), drawn, strict=True)}  # fmt: skip
    figures = {"a, F1: 0.500, 0.250–0.750": 0.5, "a, corrected: -0.150": -0.15, "b, corrected: 1.000, 0.900–1.000": 1.0}  # fmt: skip
    assert dots.keys() == figures.keys()
    for about, value in figures.items():  # from −0.2 to 1
        assert dots[about][0] == between((value + 0.2) / 1.2, low, high)
        assert dots[about][1] < foot
    (first, y, last, same) = numbers(drawn[0].find("line"), "x1", "y1", "x2", "y2")
    assert (first, last) == (between(0.45 / 1.2, low, high), between(0.95 / 1.2, low, high))
    assert y == same == dots["a, F1: 0.500, 0.250–0.750"][1]
    names = {t: numbers(x, "x", "y") for t, x in zip(texts(parts(chart, "text")), parts(chart, "text"), strict=True)}  # fmt: skip
    assert names["a"][1] < names["b"][1] < foot
    assert {t: names[t][0] for t in ("-0.2", "0", "1")} == {"-0.2": low, "0": between(1 / 6, low, high), "1": high}  # fmt: skip


def test_strip():
    """Documents that somebody saw, in stretches; of more than it has columns, the share of each."""
    few = np.array([False, True, True, False, True])
    stretches = [(numbers(r, "x", "width"), r.get("class")) for r in parts(draw_strip(few), "rect")]
    assert stretches == [([1, 2], "s4"), ([4, 1], "s4")]
    many = np.arange(1200) < 602  # four documents a column; two of them in the last
    stretches = [
        (numbers(r, "x", "width"), r.get("class")) for r in parts(draw_strip(many), "rect")
    ]
    assert stretches == [([0, 150], "s4"), ([150, 1], "s2")]


def test_names_next_to_rows_fit():
    """In a font as wide as DejaVu Sans, a name of sixteen characters stands within the chart.

    Longer names are cut where they stay distinct.
    """
    font_manager, textpath = map(pytest.importorskip, ("matplotlib.font_manager", "matplotlib.textpath"))  # fmt: skip
    names = ["Greenhouse-BERTx", "one-and-the-same-start-1", "one-and-the-same-start-2"]
    chart = draw_dots([(name, [(0.5, 0.4, 0.6)]) for name in names], ["F1"], "F1")
    font, shown = font_manager.FontProperties(family="DejaVu Sans"), []
    for each in parts(chart, "text"):
        if each.get("text-anchor") == "end":
            shown.append("".join(each.itertext()))
            long = textpath.TextPath((0, 0), shown[-1], size=17, prop=font)
            assert float(each.get("x")) - long.get_extents().width > 0
    assert len(set(shown)) == len(shown) == 3
