"""The tables of the page on places, in characters: teams, with chance anywhere and at words.

    python scripts/places_table.py FOLDER [NAME ...]

FOLDER holds the public data: pico_nguyen2017, toxic_spans and tools/mushroom; NAME is PICO,
toxic_spans, or a language of Mu-SHROOM such as en. Of PICO the team is 91 workers and the expert;
of toxic_spans the first 3,000 comments, with all types of toxicity as one label.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from join_toxic_spans import rows as toxic_rows

import spanagree as sa

RULES = (None, "words", "words+marks")
REPAIRS = (
    "drop-repeats", "clip-beyond-text", "drop-beyond-text", "drop-unlabelled", "drop-duplicates",
    "merge-overlaps",
)  # fmt: skip


def pico(folder: Path) -> Iterator[dict[str, Any]]:
    """A row for each abstract and annotator."""
    for name in ("crowdsourcing", "professional"):
        for line in (folder / f"PICO-annos-{name}.json").read_text("utf-8").splitlines():
            entry = json.loads(line)
            text = (folder / "docs" / f"{entry['docid']}.txt").read_bytes().decode("utf-8")
            for worker, spans in entry["Participants"].items():
                marked = [{"start": s, "end": e, "label": "Participants"} for s, e in spans]
                yield {"id": entry["docid"], "text": text, "worker": worker, "spans": marked}


def corpus_of(name: str, folder: Path) -> sa.Corpus:
    """The team's annotations of a data set."""
    ask: dict[str, Any] = {"text": "text", "spans": "spans", "annotator": "worker"}
    if name == "PICO":
        rows = [*pico(folder / "pico_nguyen2017" / "acl17-test")]
        return sa.formats.from_dataset(rows, **ask, document="id", repair="merge-overlaps")
    if name == "toxic_spans":
        rows = [*toxic_rows(folder / "toxic_spans")]
        for row in rows:
            row["spans"] = [{**span, "label": "toxic"} for span in row["spans"]]
        whole = sa.formats.from_dataset(rows, **ask, document="id", repair=REPAIRS)
        return whole.subset(range(3000))
    (file,) = (folder / "tools" / "mushroom").glob(f"mushroom.{name}-*.jsonl")
    return sa.read(file, repair="drop-empty")


def main(folder: Path, names: list[str]) -> None:
    """Print a row for each data set and rule."""
    print(f"{'':12} {'places':12} {'exact chance':>13} {'token chance':>13} {'corrected':>10}")
    for name in names or ["en", "sv", "fa", "toxic_spans", "PICO"]:
        corpus = corpus_of(name, folder)
        for rule in RULES:
            exact, token = (
                sa.agree(corpus, match=match, places=rule).team.f1 for match in ("exact", "token")
            )
            figures = f"{exact.expected:13.4f} {token.expected:13.4f} {token.corrected:10.4f}"
            print(f"{name:12} {rule or 'anywhere':12} {figures}", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
