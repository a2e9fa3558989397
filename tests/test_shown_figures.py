"""Figures that prose repeats from what commands print: each is held against the block above it.

A page marks them by a comment that no reader sees, at the end of the text that repeats them:

    F1 is .54, where chance would give .05. <!-- shown -->

All decimal figures, percentages and signatures before it in its paragraph or row of a table (or
after the mark before it) have to be printed by the block above, as they are or rounded. A mark
begins no line, where it would end the paragraph. It may name the rows of the block that print them,
`shown: team; mean`, and the section with the blocks, `shown under Agree: team`.
"""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    page for at in ("README.md", "docs/**/*.md", "corpora/*/*.md") for page in ROOT.glob(at)
)
MARK = re.compile(r"<!-- shown(?: under (?P<section>[^:]+?))?(?:: (?P<rows>.+?))? -->")
FENCED = re.compile(r"^```(?P<language>\w*)\n(?P<body>.*?)^```$", re.M | re.S)
FIGURE = re.compile(
    r"(?<![\w.])(?P<sign>[-−]?)(?P<digits>(?:\d[\d,]*)?\.\d+(?:e[-+]?\d+)?)(?!\.?\w)(?P<percent> %)?"
    r"|(?<![\w.])(?P<whole>\d+) %"
)
SIGNATURE = re.compile(r"\w[\w-]*:[^\s`]*\|spanagree:[\d.]*\d")
FEW_DIGITS = 2  # of decimals: a figure with fewer may be anything, such as a level or a share


class Block(NamedTuple):
    """What a command or an example prints, in which section of the page, and where it ends."""

    section: str
    text: str
    end: int
    is_console: bool


class Figure(NamedTuple):
    """A decimal figure, with the number of its decimals, or a percentage."""

    shown: str
    value: Decimal
    decimals: int
    is_negative: bool
    is_percentage: bool


def blocks(text):
    """The blocks that tests run, each with the heading above it."""
    for fenced in FENCED.finditer(text):
        if fenced["language"] in ("console", "python"):
            outside = FENCED.sub("", text[: fenced.start()])
            headings = re.findall(r"^#+ (.*)$", outside, re.M) or [""]
            console = fenced["language"] == "console"
            yield Block(headings[-1], fenced["body"], fenced.end(), console)


def figures(text):
    """The decimal figures and percentages of some text; none of code, addresses and comments."""
    prose = re.sub(r"`[^`]*`|\]\([^)]*\)|<!--.*?-->|https?:\S+", " ", text, flags=re.S)
    for found in FIGURE.finditer(prose):
        digits = (found["digits"] or found["whole"]).replace(",", "")
        decimals = len(digits.partition("e")[0].partition(".")[2])
        percentage = bool(found["percent"] or found["whole"])
        yield Figure(found[0], Decimal(digits), decimals, bool(found["sign"]), percentage)


def printed_figures(text):
    """The same of what blocks print."""
    return [*figures(text.replace("`", " "))]


def is_printed(figure, printed):
    """Whether a figure is one of those printed, or one of them rounded to its decimals."""
    for other in printed:
        if figure.is_negative and not other.is_negative:
            continue
        value, decimals = other.value, other.decimals
        if figure.is_percentage and not other.is_percentage:
            value, decimals = 100 * value, max(decimals - 2, 0)
        elif other.is_percentage and not figure.is_percentage:
            continue
        scientific = "E" in f"{figure.value}{value}".upper()
        if scientific and figure.value == value:
            return True
        half = Decimal(5).scaleb(-figure.decimals - 1)
        if not scientific and decimals >= figure.decimals and abs(value - figure.value) <= half:
            return True
    return False


def rows_of(text, rows):
    """The lines that begin with one of some names, of tables that go on below too."""
    lines = [" ".join(line.split()) for line in text.splitlines()]
    name = re.compile("|".join(rf"{re.escape(row)}(?![\w.])" for row in rows))
    return "\n".join(filter(name.match, lines))


def stale_figures(text):
    """Figures that a mark covers and no block prints, and signatures, each with its place."""
    every = [*blocks(text)]
    outside = FENCED.sub(lambda fenced: re.sub(r"[^\n]", "`", fenced[0]), text)
    for mark in MARK.finditer(outside):
        above = [block for block in every if block.end <= mark.start()]
        if mark["section"]:
            above = [block for block in above if block.section == mark["section"]]
        else:
            above = above[-1:]
        shown = "\n".join(block.text for block in above)
        printed = printed_figures(shown)
        rows = mark["rows"].split("; ") if mark["rows"] else []
        in_rows = printed_figures(rows_of(shown, rows)) if rows else printed
        before = outside[: mark.start()]
        begin = max(before.rfind("\n\n"), before.rfind("-->"), before.rfind("```"))
        row = before.rfind("\n|")  # a row of a table is by itself
        begin = max(begin, row if row == before.rfind("\n") else -1, 0)
        covered = re.sub(r"\n> ?", "\n", before[begin:]).removeprefix("-->")
        found, signatures = [*figures(covered)], SIGNATURE.findall(covered)
        stale = [
            figure.shown.strip()
            for figure in found
            # a percentage, as of an interval, is in no row
            if not is_printed(figure, printed if figure.is_percentage else in_rows)
        ]
        unbroken = re.sub(r"\n\s+", "", shown)
        stale += [signature for signature in signatures if signature not in unbroken]
        if not found and not signatures:
            stale = ["no figure before the mark"]
        stale += [f"no row {row}" for row in rows if not rows_of(shown, [row])]
        if outside[outside.rfind("\n", 0, mark.start()) : mark.start()].strip("\n >") == "":
            stale.append("a mark begins the line, which ends the paragraph")
        location = f"line {text.count(chr(10), 0, mark.start()) + 1}"
        yield from (f"{location}: {each}" for each in stale)


def unmarked_figures(text):
    """Figures right below what a command prints, in the same section, that repeat it unmarked."""
    for block in blocks(text):
        if not block.is_console:
            continue
        below = re.split(r"^(?:```|#)", text[block.end :], maxsplit=1, flags=re.M)[0]
        printed = printed_figures(block.text)
        for paragraph in re.split(r"\n\s*\n", below):
            if paragraph.lstrip().startswith("|"):  # tables have figures of many sources
                continue
            for figure in figures(MARK.split(paragraph)[-1]):
                if figure.decimals >= FEW_DIGITS and is_printed(figure, printed):
                    yield figure.shown, " ".join(paragraph.split())[:60]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_prose_repeats_what_is_printed(page):
    """What a mark covers is printed by its block, which another test holds against the command."""
    assert [*stale_figures(page.read_text("utf-8"))] == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_repeated_figures_are_marked(page):
    """A figure right below a block that prints it has a mark, so that it cannot go stale."""
    assert [*unmarked_figures(page.read_text("utf-8"))] == []


PAGE = """# Team

```console
$ spanagree agree crowd.jsonl --ci
team is .457 (95 % CI .4575 to -.021).

team     0.7203  0.4570
dia      0.7165  1.9e-08

signature: match:exact|team:summed|
  ci:bca95|spanagree:1.0.0
```

"""


@pytest.mark.parametrize(
    ("prose", "stale"),
    [
        ("It is .46. <!-- shown -->", []),
        ("It is .46 and .72 (.7203), 95 % and 72 %. <!-- shown: team -->", []),
        ("It is 0.457 to .46, −.02, 1.9e-08. <!-- shown under Team -->", []),
        ("It is .73. <!-- shown -->", [".73"]),
        ("It is .717. <!-- shown: team -->", [".717"]),
        ("It is .7165. <!-- shown: team; dia -->", []),
        ("It is .45700. <!-- shown -->", [".45700"]),  # nobody printed so many digits
        ("It is .45. <!-- shown -->", [".45"]),
        ("It is −.46. <!-- shown -->", ["−.46"]),
        ("It is 2.0e-08. <!-- shown -->", ["2.0e-08"]),
        ("It is 73 %. <!-- shown -->", ["73 %"]),
        ("Elsewhere .9.\n\nIt is .46. <!-- shown --> Elsewhere .99.", []),
        ("Version 1.0.0, `.99` and [.46](x/.98). <!-- shown -->", []),
        ("It is. <!-- shown -->", ["no figure before the mark"]),
        ("It is .46. <!-- shown under Else -->", [".46"]),
        ("It is .46. <!-- shown: bob -->", [".46", "no row bob"]),
        ("| .99 | x |\n| It | .46 <!-- shown --> |", []),
        ("| It | .99 <!-- shown --> |", [".99"]),
        ("It is .46.\n<!-- shown -->", ["a mark begins the line, which ends the paragraph"]),
        ("> match:exact|team:summed|ci:bca95|spanagree:1.0.0 <!-- shown -->", []),
        ("match:token|spanagree:1.0.0 <!-- shown -->", ["match:token|spanagree:1.0.0"]),
    ],
)
def test_stale_figures_are_found(prose, stale):
    """Rounded as written or not at all, in the rows named; the oracle is each case by hand."""
    found = [each.partition(": ")[2] for each in stale_figures(f"{PAGE}{prose}\n")]
    assert [re.sub(" is not printed$", "", each) for each in found] == stale


def test_unmarked_figures_are_found():
    """Of a section that a command's block begins; figures of one decimal may be anything."""
    text = f"{PAGE}It is .46 and .7 and .99.\n\n| .46 |\n\n# More\n\n.46\n"
    assert [*unmarked_figures(text)] == [(".46", "It is .46 and .7 and .99.")]
    assert [*unmarked_figures(text.replace(".99.", ".99. <!-- shown -->"))] == []
