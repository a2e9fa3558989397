#!/usr/bin/env python3
"""Write the names of formats where editors, --help and readers see them, from the table of formats.

scripts/name_formats.py           writes them
scripts/name_formats.py --check   exits with 1 if they are not those of the table
"""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterable, Mapping
from pathlib import Path

from spanagree.formats.registry import FORMATS, WRITABLE

ROOT = Path(__file__).parent.parent / "spanagree"
WIDTH = 100


def literal(name: str, names: Iterable[str]) -> str:
    """Return the type of a choice, as spanagree.choices has it."""
    listed = ", ".join(f'"{each}"' for each in names)
    return f"{name}: TypeAlias = Literal[\n{wrapped(f'{listed},', 4, 4)}\n] | str  # fmt: skip\n"


def documented(names: Iterable[str]) -> str:
    """Return what the docstring of read says of a format."""
    *all_but_last, last = names
    said = "format: format of all files. Default: recognised. One of "
    text = f"{said}{', '.join(all_but_last)} or {last}."
    return wrapped(text, 8, 12) + "\n"


def wrapped(text: str, first: int, others: int) -> str:
    """Return a text in lines that are indented so; names stay whole."""
    return textwrap.fill(
        text,
        WIDTH,
        break_on_hyphens=False,
        initial_indent=" " * first,
        subsequent_indent=" " * others,
    )


def replaced(text: str, pattern: str, new: str) -> str:
    """Return a text with the one passage that fits a pattern anew."""
    text, times = re.subn(pattern, lambda _: new, text, flags=re.M)
    assert times == 1, pattern
    return text


def pages() -> Mapping[Path, str]:
    """Return the text of each file that names formats, with the names of the table."""
    choices, read = ROOT / "choices.py", ROOT / "formats" / "read.py"
    text = choices.read_text("utf-8")
    for name, names in {"FormatName": FORMATS, "Writable": WRITABLE}.items():
        pattern = rf"^{name}: TypeAlias = Literal\[\n(?:    .*\n)*\] \| str  # fmt: skip\n"
        text = replaced(text, pattern, literal(name, names))
    described = replaced(
        read.read_text("utf-8"), r"^        format: .*\n(?: {12}.*\n)*", documented(FORMATS)
    )
    return {choices: text, read: described}


def main() -> int:
    stale = {path: text for path, text in pages().items() if path.read_text("utf-8") != text}
    for path, text in stale.items():
        if "--check" not in sys.argv[1:]:
            path.write_text(text, "utf-8")
        print(path)
    return int(bool(stale) and "--check" in sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
