"""Freeze what nervaluate 1.2.1 says of random corpora, for the tests to compare with.

The corpora are drawn from a seed, so the file has results alone. The tests need none of
nervaluate, but `drawn_corpora` and `digest`.

Needs: pip install nervaluate==1.2.1
Usage: python scripts/freeze_nervaluate.py
"""

from __future__ import annotations

import hashlib
import json
import random
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

GOLDEN = Path(__file__).parents[1] / "tests" / "golden" / "nervaluate.json"

SEED, CORPORA, IN_FULL = 53, 1000, 30

STRATEGIES = ("strict", "exact", "partial", "ent_type")
COUNTS = ("correct", "incorrect", "partial", "missed", "spurious")
FIGURES = ("precision", "recall", "f1")

Span = tuple[int, int, str]
Document = tuple[int, list[Span], list[Span]]


def drawn_corpora(seed: int = SEED, number: int = CORPORA) -> Iterator[list[Document]]:
    """Yield corpora of one to four documents: length, gold and system, in the order of the text.

    Of three corpora, one has segments that may overlap others of their layer, and one has long
    segments, of which a shared unit is less than nervaluate's one per cent.
    """
    rng = random.Random(seed)
    for which in range(number):
        n = (12, 16, 600)[which % 3]
        longest = (4, 6, 260)[which % 3]
        yield [
            (n, gold, _near(rng, n, longest, gold, apart=which % 3 != 1))
            for gold in (
                _drawn(rng, n, longest, apart=which % 3 != 1) for _ in range(rng.randint(1, 4))
            )
        ]


def _drawn(rng: random.Random, n: int, longest: int, *, apart: bool) -> list[Span]:
    """Draw the segments of a document."""
    spans: list[Span] = []
    for _ in range(rng.randint(0, 6)):
        start = rng.randrange(n)
        end = min(n, start + rng.randint(1, longest))
        _add(spans, (start, end, rng.choice("ABC")), apart=apart)
    return sorted(spans)


def _near(rng: random.Random, n: int, longest: int, gold: list[Span], *, apart: bool) -> list[Span]:
    """Draw segments that are like those of gold, and some others."""
    spans: list[Span] = []
    step = max(1, longest // 3)
    for start, end, label in gold:
        if rng.random() < 0.25:
            continue
        if rng.random() < 0.5:
            start = min(max(start + rng.randint(-step, step), 0), n - 1)
            end = min(max(end + rng.randint(-step, step), start + 1), n)
        _add(spans, (start, end, rng.choice("ABCD") if rng.random() < 0.3 else label), apart=apart)
    for span in _drawn(rng, n, longest, apart=apart)[: rng.randint(0, 3)]:
        _add(spans, span, apart=apart)
    return sorted(spans)


def _add(spans: list[Span], span: Span, *, apart: bool) -> None:
    """Add a segment that is not there yet, or, if segments keep apart, overlaps none."""
    overlaps = any(span[0] < end and start < span[1] for start, end, _ in spans)
    if span not in spans and not (apart and overlaps):
        spans.append(span)


def digest(results: Any) -> str:
    """Return a digest of counts and figures to their last bit."""
    return hashlib.sha256(json.dumps(results, sort_keys=True).encode()).hexdigest()[:12]


def evaluated(corpus: list[Document]) -> dict[str, Any]:
    """Return counts and figures of a corpus, and by label, one strategy after the other."""
    from nervaluate.evaluator import Evaluator

    layers = [gold for _, gold, _ in corpus], [system for *_, system in corpus]
    sides = [
        [[{"start": s, "end": e - 1, "label": x} for s, e, x in spans] for spans in layer]
        for layer in layers
    ]
    labels = sorted({x for layer in layers for spans in layer for *_, x in spans})
    found = Evaluator(*sides, tags=labels, loader="dict").evaluate()
    results = {"": found["overall"], **{x: found["entities"][x] for x in labels}}
    return {
        label: [
            [getattr(result[name], x) for name in STRATEGIES for x in COUNTS],
            [float(getattr(result[name], x)) for name in STRATEGIES for x in FIGURES],
        ]
        for label, result in results.items()
    }


def main() -> None:
    """Write the file: of each corpus the counts and a digest, of the first ones everything."""
    results = [evaluated(corpus) for corpus in drawn_corpora()]
    written = {
        "nervaluate": version("nervaluate"),
        "seed": SEED,
        "strategies": STRATEGIES,
        "counts": [" ".join(map(str, result[""][0])) for result in results],
        "digests": [digest(result) for result in results],
        "in_full": results[:IN_FULL],
    }
    lines = [f"{json.dumps(key)}: {json.dumps(value)}" for key, value in written.items()]
    GOLDEN.write_text("{" + ",\n".join(lines) + "}\n", "utf-8")


if __name__ == "__main__":
    main()
