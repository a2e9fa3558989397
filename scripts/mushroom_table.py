#!/usr/bin/env python3
"""Print how much of the agreement on hallucinated spans is chance, as Markdown.

Usage: scripts/mushroom_table.py FILE [FILE ...]

The files are labelled test files of Mu-SHROOM (SemEval-2025 task 3), downloaded from the task, such
as mushroom.en-tst.v1.extra.jsonl: each answer has the spans of each annotator in ``annotations``.
Spans without length, which some have, are left out. Of each file there are three rows: people
with each other by exact match, the same by shared characters, and one who marks whole answers
against people by shared characters, with the mean IoU of the task of both.
"""

from __future__ import annotations

import sys
from pathlib import Path

import spanagree as sa


def main(files: list[str]) -> int:
    """Print the table."""
    print("| file | answers | annotators | who | match | F1 | by chance | corrected | IoU |")
    print("|---|---|---|---|---|---|---|---|---|")
    for file in files:
        corpus = sa.read(file, repair="drop-empty")
        soft = sa.references.soft_scores(
            corpus, references=corpus.annotators, baselines=["everything"]
        )
        people, everything = soft.people, soft.systems["everything"]
        rows = (
            ("people", "exact", sa.agree(corpus).team.f1, ""),
            ("people", "token", sa.agree(corpus, match="token").team.f1, f"{people.iou:.2f}"),
            ("everything", "token", everything.f1, f"{everything.iou:.2f}"),
        )
        size = f"{len(corpus)} | {len(corpus.annotators)}"
        for who, match, f1, iou in rows:
            figures = " | ".join(f"{value + 0:.2f}" for value in f1[:3])
            print(f"| {Path(file).name} | {size} | {who} | {match} | {figures} | {iou} |")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
