"""One number's way from corpus to score, as docs/architecture.md lists it."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import spanagree as sa

PACKAGE = str(Path(sa.__file__).parent)
PAGE = Path(__file__).parents[2] / "docs" / "architecture.md"

MOST_FUNCTIONS = 144
"""All functions of the package that are called for the number, at most: a ceiling that only falls."""


def list_called_functions():
    """List the functions of the package that compute one corrected F1, in order of first call."""
    layer = [[(0, 1, "X")]]
    corpus = sa.Corpus.from_segments([1], {"gold": layer, "mine": layer})

    def compute_number():
        return sa.evaluate(corpus, gold="gold")["mine"].f1.corrected

    compute_number()  # modules are loaded on demand
    names = {}

    def add_name(frame, event, argument):
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(PACKAGE) and code.co_name[0] != "<":
            names.setdefault((code.co_filename, code.co_firstlineno), code)

    sys.setprofile(add_name)
    try:
        compute_number()
    finally:
        sys.setprofile(None)
    return [code.co_name for code in names.values()]


def test_the_page_lists_the_functions_that_a_number_passes():
    """Each function of the page is called, in the order of the page, and there are at most 60."""
    section = PAGE.read_text("utf-8").split("## One number's way")[1].split("\n## ")[0]
    rows = [line.split("|")[2] for line in section.splitlines() if line.startswith("|")][2:]
    listed = [name.split(".")[-1] for row in rows for name in re.findall("`([^`]+)`", row)]
    assert f"passes {len(listed)} functions" in section
    assert len(listed) <= 60
    called = iter(list_called_functions())
    missing = [name for name in listed if name not in called]  # consumes the iterator
    assert not missing


def test_a_number_calls_no_more_functions_than_it_did():
    """Checks, settings and notes of a number cost no more functions than they did."""
    n_called = len(list_called_functions())
    assert n_called <= MOST_FUNCTIONS
    assert n_called >= MOST_FUNCTIONS - 5, f"{n_called} functions: let the ceiling fall to that"
