"""Segments of several pieces: enumeration in fractions."""

import json
from pathlib import Path

import numpy as np
import pytest

from spanagree import start_distribution
from spanagree.chance.rigid_blocks import chain_hulls, count_shared_tokens_by_offset

CASES = json.loads((Path(__file__).parents[1] / "golden/discontinuous.json").read_text())["cases"]


def shape_of(pieces):
    return tuple((s - pieces[0][0], e - pieces[0][0]) for s, e in pieces)


def placed(case, side, alone):
    """Of each segment: shape, label, and the distribution of its start."""
    spans = case[side]
    start, end = (np.array([pieces[i][i] for pieces, _ in spans], np.int64) for i in (0, -1))
    blocks = chain_hulls(np.zeros(len(spans), np.int64), start, end, alone)
    if not alone:
        found = [
            [int(s), int(e), np.flatnonzero(blocks.block == i).tolist()]
            for i, (s, e) in enumerate(zip(blocks.start, blocks.end, strict=True))
        ]
        assert sorted(found) == sorted(case[f"blocks_{side}"])
    sizes = (blocks.end - blocks.start).tolist()
    chance = "overlapping" if alone else "nonoverlapping"
    starts = start_distribution(case["length"], sizes, chance)
    made = []
    for (pieces, label), block, offset in zip(spans, blocks.block, blocks.offset, strict=True):
        at = np.zeros(case["length"] + 1)
        at[offset : offset + len(starts[block])] = starts[block]
        made.append((shape_of(pieces), label, at))
    return made


def covered(starts, offset, size, length):
    """How likely each token is covered by a piece that begins so far after its segment."""
    change = np.zeros(length + 1)
    change[offset : offset + len(starts)] += starts
    change[offset + size : offset + size + len(starts)] -= starts[: length + 1 - offset - size]
    return np.cumsum(change)[:length]


@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_golden(case, alone):
    """Every measure's expectation equals the enumeration, moved in blocks or each alone."""
    n = case["length"]
    a, b = (placed(case, side, alone) for side in "ab")
    total = dict.fromkeys(("exact", "boundaries", "token", "iou"), 0.0)
    for shape_a, label_a, p in a:
        for shape_b, label_b, q in b:
            if shape_a == shape_b:
                total["boundaries"] += p @ q
                total["exact"] += p @ q * (label_a == label_b)
            if label_a != label_b:
                continue
            total["token"] += sum(
                covered(p[: n + 1 - e], s, e - s, n) @ covered(q[: n + 1 - f], r, f - r, n)
                for s, e in shape_a
                for r, f in shape_b
            )
            least, shared = count_shared_tokens_by_offset(shape_a, shape_b)
            sizes = sum(e - s for s, e in (*shape_a, *shape_b))
            for offset, common in enumerate(shared.tolist(), least):
                near = q[max(offset, 0) :][: n + 1] if offset >= 0 else q
                one = p if offset >= 0 else p[-offset:]
                m = min(len(one), len(near))
                total["iou"] += one[:m] @ near[:m] * common / (sizes - common)
    expected = case["expected"]["overlapping" if alone else "blocks"]
    assert total == pytest.approx(expected, abs=1e-12)
