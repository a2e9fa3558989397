#!/usr/bin/env python3
"""Write what the commands of the documentation print into its pages; read the diff afterwards.

scripts/refresh_docs.py                      all pages
scripts/refresh_docs.py docs/evaluate.md     these

A line of … in a page is for lines left out. Such a block stays while its other lines are printed in
their order; if not, all that is printed replaces it, to be shortened again.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGES = ("README.md", "docs/**/*.md", "corpora/*/*.md")
BLOCK = re.compile(r"^```console\n(\$ spanagree .*)\n((?:.*\n)*?)```$", re.M)
LEFT_OUT = re.compile(r"^…\n", re.M)


def shows(shown: str, printed: str) -> bool:
    """Check whether a page shows output, where a line of … is for any lines left out."""
    pieces = LEFT_OUT.split(shown)
    if not "".join(pieces).strip():
        return not printed and not shown
    pattern = r"(?:.*\n)*?".join(map(re.escape, pieces))
    return re.fullmatch(pattern, printed) is not None


def refreshed(page: Path, folder: Path) -> str:
    """Return the text of a page with what its commands print now."""

    def run(block: re.Match[str]) -> str:
        line = f"{shlex.quote(sys.executable)} -m {block[1][2:]}"
        done = subprocess.run(
            line, shell=True, cwd=folder, capture_output=True, text=True, check=False
        )
        if done.returncode:
            print(
                f"{page}: {block[1]}: exit code {done.returncode}: {done.stderr}", file=sys.stderr
            )
            return block[0]
        if shows(block[2], done.stderr + done.stdout):
            return block[0]
        return f"```console\n{block[1]}\n{done.stderr}{done.stdout}```"

    return BLOCK.sub(run, page.read_text(encoding="utf-8"))


def main() -> int:
    asked = [Path(name).resolve() for name in sys.argv[1:]]
    for page in asked or [page for pattern in PAGES for page in sorted(ROOT.glob(pattern))]:
        with tempfile.TemporaryDirectory() as folder:
            shutil.copytree(ROOT / "corpora", Path(folder) / "corpora")
            text = refreshed(page, Path(folder))
        if text != page.read_text(encoding="utf-8"):
            page.write_text(text, encoding="utf-8")
            print(page)
    return 0


if __name__ == "__main__":
    sys.exit(main())
