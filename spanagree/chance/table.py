"""What the chance model by itself looks like."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from spanagree.arrays import Floats
from spanagree.rendering.table import Table
from spanagree.settings import __version__, signature


def as_dict(
    length: int, segments: Sequence[int], chance: str, start: Sequence[Floats]
) -> dict[str, Any]:
    """Return P(start = x) for each segment as plain data, for JSON."""
    pairs = zip(segments, start, strict=True)
    rows = [{"length": a, "start": p.tolist()} for a, p in pairs]
    return {"signature": signature_of(chance), "length": length, "chance": chance, "segments": rows}


def as_table(length: int, segments: Sequence[int], chance: str, start: Sequence[Floats]) -> Table:
    """Return a row for each place, a column for each distinct length."""
    distinct = dict(zip(segments, start, strict=True))
    places = max((len(p) for p in distinct.values()), default=0)
    return Table(
        ("start", *(f"length {a}" for a in distinct)),
        [
            [str(x), *(float(p[x]) if x < len(p) else None for p in distinct.values())]
            for x in range(places)
        ],
        caption=f"P(start) of random segments in {length} tokens",
        signature=signature_of(chance),
    )


def signature_of(chance: str) -> str:
    """Return the model and the version."""
    return signature({"chance": chance, "version": __version__})


def as_rows(segments: Sequence[int], chance: str, start: Sequence[Floats]) -> list[dict[str, Any]]:
    """Return a row for each distinct length and place."""
    return [
        {"length": a, "start": x, "probability": value, "signature": signature_of(chance)}
        for a, p in dict(zip(segments, start, strict=True)).items()
        for x, value in enumerate(p.tolist())
    ]
