"""How near votes come to the truth: the tables of docs/gold.md, over crowds whose truth is known.

The crowds are our corpus Crowd with the careful reading that its annotators are derived from,
simulated crowds (see ``simulated``), and, if FOLDER is given, that of Nguyen et al. (2017):
abstracts in which a crowd marked the participants, and a medical student did. FOLDER is their
``annotations/acl17-test``; marks of one worker that overlap are merged.

Every other document chooses the default, by the mean of exact and token F1 over all crowds, and the
documents between them show what the choice is worth. Each half has a gold of its own.

Usage: python scripts/gold_of_crowds.py [FOLDER]
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from make_crowd import ANNOTATORS, notes

import spanagree as sa
from spanagree.choices import MatchName

CROWD, EXPERT = "PICO-annos-crowdsourcing.json", "PICO-annos-professional.json"
TRUTH, VOTE = "expert", "vote"
WAYS: dict[str, dict[str, Any]] = {
    "tokens": {"vote": "tokens"},
    "tokens, weighted": {"vote": "tokens", "weighted": True},
    "tokens, share 0.4": {"vote": "tokens", "share": 0.4},
    "segments": {"vote": "segments"},
    "segments, weighted": {"vote": "segments", "weighted": True},
    "segments, share 0.3": {"vote": "segments", "share": 0.3},
    "dawid-skene": {"vote": "dawid-skene"},
}
LEAST, MOST = 2, 7  # annotators of a simulated document
DOCUMENTS, TOKENS, LABELS = 400, 30, ("X", "Y", "Z")


class Kind(NamedTuple):
    """How an annotator errs: the probabilities that she leaves a document empty, misses a segment,
    moves a boundary, takes another label, and how many segments she invents in a document."""

    empty: float
    misses: float
    moves: float
    mislabels: float
    invents: float


GOOD, POOR = Kind(0, 0.1, 0.15, 0.03, 0.1), Kind(0, 0.4, 0.4, 0.15, 0.6)
LAZY = GOOD._replace(empty=0.6)
CROWDS: dict[str, tuple[tuple[Kind, ...], int]] = {
    f"{size} {name}": (kinds, size)
    for name, kinds in (
        ("good", (GOOD,)),
        ("mixed", (GOOD, POOR, LAZY)),
        ("poor", (GOOD, POOR, POOR, POOR, POOR)),
        ("lazy", (GOOD, LAZY)),
    )
    for size in (5, 10, 40)
}
"""Simulated crowds by name: the kinds of annotators, in turn, and how many there are."""

Marks = list[tuple[int, int, str]]


def simulated(kinds: tuple[Kind, ...], size: int, seed: int, documents: int) -> sa.Corpus:
    """Return documents with a truth, each seen by two to seven annotators of a crowd."""
    rng = np.random.default_rng([seed, size, len(kinds)])
    layers: dict[str, list[Marks | None]] = {f"a{i:02}": [] for i in range(size)}
    truth: list[Marks] = []
    for _ in range(documents):
        true = apart(drawn(rng, int(rng.poisson(3))))
        truth.append(true)
        saw = int(rng.integers(LEAST, min(MOST, size) + 1))
        who = set(rng.permutation(size)[:saw].tolist())
        for i, layer in enumerate(layers.values()):
            layer.append(marked(rng, true, kinds[i % len(kinds)]) if i in who else None)
    return sa.Corpus.from_segments([TOKENS] * documents, {TRUTH: truth, **layers})


def drawn(rng: np.random.Generator, number: int) -> Marks:
    """Return segments of one to four tokens anywhere."""
    start = rng.integers(0, TOKENS - 4, number)
    end = start + np.minimum(rng.geometric(0.5, number), 4)
    label = rng.integers(0, len(LABELS), number)
    return [(s, e, LABELS[c]) for s, e, c in zip(start.tolist(), end.tolist(), label, strict=True)]


def marked(rng: np.random.Generator, true: Marks, kind: Kind) -> Marks:
    """Return what an annotator of a kind marks."""
    if rng.random() < kind.empty:
        return []
    own: Marks = []
    for s, e, c in true:
        if rng.random() < kind.misses:
            continue
        s, e = (x + int(rng.choice([-1, 1])) * (rng.random() < kind.moves) for x in (s, e))
        label = str(rng.choice(LABELS)) if rng.random() < kind.mislabels else c
        own.append((max(s, 0), min(max(e, s + 1, 1), TOKENS), label))
    return apart(own + drawn(rng, int(rng.poisson(kind.invents))))


def apart(segments: Marks) -> Marks:
    """Return segments without those that overlap an earlier one."""
    kept: Marks = []
    for s, e, c in segments:
        if all(e <= low or high <= s for low, high, _ in kept):
            kept.append((s, e, c))
    return sorted(kept)


def garden() -> sa.Corpus:
    """Return our corpus Crowd, with the careful reading."""
    crowd = sa.read(Path(__file__).parent.parent / "corpora" / "crowd" / "crowd.jsonl")
    truth = [list(note.segments) for note in notes()]
    layers = {name: [d.segments[name] for d in crowd] for name in ANNOTATORS}
    return sa.Corpus.from_segments(crowd.lengths.tolist(), {TRUTH: truth, **layers})


def rows(folder: Path, name: str) -> Iterator[dict[str, Any]]:
    """Yield a row for each abstract and annotator."""
    for line in (folder / name).read_text("utf-8").splitlines():
        entry = json.loads(line)
        text = (folder / "docs" / f"{entry['docid']}.txt").read_bytes().decode("utf-8")
        for worker, spans in entry["Participants"].items():
            marks = [{"start": s, "end": e, "label": "Participants"} for s, e in spans]
            who = TRUTH if name == EXPERT else worker
            yield {"id": entry["docid"], "text": text, "who": who, "spans": marks}


def abstracts(folder: Path) -> sa.Corpus:
    """Return the crowd and the expert over the abstracts that the crowd saw."""
    both = [row for name in (CROWD, EXPERT) for row in rows(folder, name)]
    return sa.formats.from_dataset(
        both, text="text", spans="spans", annotator="who", document="id", repair="merge-overlaps"
    )


def figures(corpus: sa.Corpus, name: str, match: MatchName) -> sa.results.Score:
    """Return F1 of a layer against the truth."""
    return sa.evaluate(corpus.select_annotators([TRUTH, name]), TRUTH, match=match)[name].f1


def of_way(corpus: sa.Corpus, how: dict[str, Any]) -> tuple[sa.results.Score, sa.results.Score]:
    """Return exact and token F1 of a vote."""
    crowd = [name for name in corpus.annotators if name != TRUTH]
    made = sa.make_gold(corpus, annotators=crowd, name=VOTE, **how).corpus
    return figures(made, VOTE, "exact"), figures(made, VOTE, "token")


def of_one(corpus: sa.Corpus) -> tuple[sa.results.Score, sa.results.Score]:
    """Return exact and token F1 of the annotators, summed."""
    alone = [sa.evaluate(corpus, TRUTH, match=match) for match in ("exact", "token")]
    exact, token = (
        sum((each.tally for each in one.systems.values()), sa.comparisons.Tally()).f1
        for one in alone
    )
    return exact, token


def halves(corpus: sa.Corpus) -> tuple[sa.Corpus, sa.Corpus]:
    """Return every other document, and those between them."""
    chosen = np.arange(len(corpus)) % 2 == 0
    return corpus.subset(chosen), corpus.subset(~chosen)


def by_halves(crowds: dict[str, sa.Corpus]) -> dict[str, dict[str, np.ndarray]]:
    """Return of each crowd and way F1: (half, exact or token)."""
    return {
        crowd: {
            way: np.array(
                [[score.observed for score in of_way(half, how)] for half in halves(corpus)]
            )
            for way, how in WAYS.items()
        }
        for crowd, corpus in crowds.items()
    }


def best_of(table: dict[str, dict[str, np.ndarray]], half: int) -> str:
    """Return the way with the greatest mean of exact and token F1 over all crowds."""
    means = {way: np.mean([table[crowd][way][half] for crowd in table]) for way in WAYS}
    return max(means, key=lambda way: means[way])


def main(folder: Path | None) -> None:
    """Print the tables."""
    crowds = {"Crowd": garden()}
    if folder is not None:
        pico = crowds["PICO"] = abstracts(folder)
        print(f"{'':22}{'exact F1':>10}{'corrected':>11}{'token F1':>11}{'corrected':>11}")
        lines = {"one annotator": of_one(pico)}
        lines |= {way: of_way(pico, how) for way, how in WAYS.items()}
        for name, (exact, token) in lines.items():
            both = f"{exact.observed:10.3f}{exact.corrected:11.3f}"
            print(f"{name:22}{both}{token.observed:11.3f}{token.corrected:11.3f}")
        print()
    for name, (kinds, size) in CROWDS.items():
        crowds[name] = simulated(kinds, size, 29, DOCUMENTS)
    table = by_halves(crowds)
    for half, title in enumerate(("the half that chooses", "the half that shows")):
        print(f"{title} (best: {best_of(table, half)})")
        print(f"{'':12}" + "".join(f"{way.replace(', ', ' '):>20}" for way in WAYS))
        for crowd, ways in table.items():
            pairs = (f"{ways[way][half][0]:.3f} {ways[way][half][1]:.3f}" for way in WAYS)
            print(f"{crowd:12}" + "".join(f"{pair:>20}" for pair in pairs))
        means = (np.mean([ways[way][half] for ways in table.values()], axis=0) for way in WAYS)
        print(
            f"{'mean':12}" + "".join(f"{f'{exact:.3f} {token:.3f}':>20}" for exact, token in means)
        )
        print()


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
