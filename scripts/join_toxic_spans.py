"""Join the three files of the toxic spans data into one row for each comment and worker.

Usage: python scripts/join_toxic_spans.py FOLDER > toxic.jsonl   (a row a line, for from_dataset)
"""

import csv
import json
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any


def rows(folder: Path) -> Iterator[dict[str, Any]]:
    """A row for each annotation, those without a span included: the worker saw the comment."""

    def read(name: str) -> Iterator[dict[str, str]]:
        with (folder / name).open(encoding="utf-8", newline="") as file:
            yield from csv.DictReader(file)

    texts = {row["comment_id"]: row["comment_text"] for row in read("comments.csv")}
    spans = defaultdict(list)
    for row in read("spans.csv"):
        span = {"start": int(row["start"]), "end": int(row["end"]), "label": row["type"]}
        spans[row["annotation"]].append(span)
    for row in read("annotations.csv"):
        comment = {"id": row["comment_id"], "text": texts[row["comment_id"]]}
        yield {**comment, "worker": row["worker"], "spans": spans[row["annotation"]]}


if __name__ == "__main__":
    for annotation in rows(Path(sys.argv[1])):
        print(json.dumps(annotation))
