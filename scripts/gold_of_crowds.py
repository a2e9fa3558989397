"""How near votes come to the truth: the table of docs/gold.md, from a crowd with an expert.

FOLDER is ``annotations/acl17-test`` of Nguyen et al. (2017): abstracts in which a crowd marked the
participants, and a medical student did. Marks of one worker that overlap are merged.

Usage: python scripts/gold_of_crowds.py FOLDER
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import spanagree as sa

CROWD, EXPERT = "PICO-annos-crowdsourcing.json", "PICO-annos-professional.json"
TRUTH, VOTE = "expert", "vote"
WAYS: dict[str, dict[str, Any]] = {
    "tokens": {},
    "tokens, weighted": {"weighted": True},
    "tokens, share 0.4": {"share": 0.4},
    "segments": {"vote": "segments"},
    "segments, weighted": {"vote": "segments", "weighted": True},
    "segments, share 0.3": {"vote": "segments", "share": 0.3},
}


def rows(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    """Yield a row for each abstract and annotator."""
    for line in (folder / name).read_text("utf-8").splitlines():
        entry = json.loads(line)
        text = (folder / "docs" / f"{entry['docid']}.txt").read_bytes().decode("utf-8")
        for worker, spans in entry["Participants"].items():
            marked = [{"start": s, "end": e, "label": "Participants"} for s, e in spans]
            who = TRUTH if name == EXPERT else worker
            yield {"id": entry["docid"], "text": text, "who": who, "spans": marked}


def corpus_in(folder: Path) -> sa.Corpus:
    """Return the crowd and the expert over the abstracts that the crowd saw."""
    both = [row for name in (CROWD, EXPERT) for row in rows(folder, name)]
    return sa.from_dataset(
        both, text="text", spans="spans", annotator="who", document="id", repair="merge-overlaps"
    )


def figures(corpus: sa.Corpus, name: str, match: str) -> sa.Score:
    """Return F1 of a layer against the truth."""
    return sa.evaluate(corpus.of_annotators([TRUTH, name]), TRUTH, match=match)[name].f1


def main(folder: Path) -> None:
    """Print the table."""
    corpus = corpus_in(folder)
    crowd = [name for name in corpus.annotators if name != TRUTH]
    lines = {}
    alone = [sa.evaluate(corpus, TRUTH, match=match) for match in ("exact", "token")]
    pooled = [sum((each.tally for each in one.systems.values()), sa.Tally()).f1 for one in alone]
    lines["one annotator"] = pooled
    for name, how in WAYS.items():
        made = sa.gold(corpus, annotators=crowd, name=VOTE, **how).corpus
        lines[name] = [figures(made, VOTE, match) for match in ("exact", "token")]
    print(f"{'':22}{'exact F1':>10}{'corrected':>11}{'token F1':>11}{'corrected':>11}")
    for name, (exact, token) in lines.items():
        both = f"{exact.observed:10.3f}{exact.corrected:11.3f}"
        print(f"{name:22}{both}{token.observed:11.3f}{token.corrected:11.3f}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
