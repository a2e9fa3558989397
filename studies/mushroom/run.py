#!/usr/bin/env python3
"""Score systems that mark hallucinations against the shares of many annotators, as Markdown.

Usage: studies/mushroom/run.py FILE [--systems NAME,...] [--probabilities NAME=FILE ...]

FILE holds annotators, and systems beside them, in any format that spanagree reads, such as a
labelled file of Mu-SHROOM (SemEval-2025 task 3). Spans without length are left out.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from scores import soft_scores

import spanagree as sa
from spanagree.choices import HALF

KINDS = ("observed", "expected", "corrected")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a row for each system and one for people."""
    asked = _asked(arguments)
    corpus = sa.read(asked.file, repair="drop-empty")
    found = soft_scores(
        corpus,
        systems=asked.systems.split(",") if asked.systems else None,
        references=asked.references.split(",") if asked.references else None,
        probabilities=dict(pair.split("=", 1) for pair in asked.probabilities) or None,
        soft_gold=asked.soft_gold,
        threshold=asked.threshold,
    )
    print("| system | documents | IoU | Spearman ρ | F1 | chance F1 | corrected F1 |")
    print("|---|---|---|---|---|---|---|")
    for row in (*found.systems.values(), found.people):
        figures = [row.iou, row.rho, *(getattr(row.f1, kind) for kind in KINDS)]
        cells = " | ".join("–" if x != x else f"{x:.4f}" for x in figures)
        print(f"| {row.name} | {row.documents} | {cells} |")
    for note in found.notes:
        print(note, file=sys.stderr)
    return 0


def _asked(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("file", help="annotators, and systems beside them")
    parser.add_argument("--systems", help="names of the systems, with commas between")
    parser.add_argument("--references", help="names of the references, with commas between")
    parser.add_argument(
        "--probabilities", action="append", default=[], metavar="NAME=FILE",
        help="spans with probabilities of a system; more than once for several",
    )  # fmt: skip
    parser.add_argument("--soft-gold", help="a file whose probabilities are the reference")
    parser.add_argument(
        "--threshold", type=float, default=HALF, help="what is above it is marked (%(default)s)"
    )
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
