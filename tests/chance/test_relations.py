"""Relations in common by chance: enumeration in fractions."""

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from spanagree.chance.relations import compute_relation_matches

CASES = json.loads((Path(__file__).parents[1] / "golden/relations.json").read_text())["cases"]


def kind_of(pair, spans, symmetric):
    """The types of a pair of segments, in order where the relation has a direction."""
    types = tuple(spans[i][2] for i in pair)
    return tuple(sorted(types)) if symmetric else types


def pairs_of(spans, symmetric):
    """All pairs of segments that a relation could link, by kind."""
    kinds = Counter()
    for i in range(len(spans)):
        for j in range(len(spans)):
            if i != j and (i < j or not symmetric):
                kinds[kind_of((i, j), spans, symmetric)] += 1
    return kinds


def cells_of(case, common):
    """Of each label and kind: how many relations of a and b, and the pairs of a, b and both."""
    both = [span for span in case["spans_a"] if span in case["spans_b"]]
    cells = {}
    for side in "ab":
        spans = case[f"spans_{side}"]
        for first, second, label in case[f"relations_{side}"]:
            if common and not {tuple(spans[first]), tuple(spans[second])} <= set(map(tuple, both)):
                continue
            symmetric = label in case["symmetric"]
            kind = kind_of((first, second), spans, symmetric)
            cell = cells.setdefault((label, kind), Counter())
            cell[side] += 1
            cell["pairs_a"] = pairs_of(both if common else case["spans_a"], symmetric)[kind]
            cell["pairs_b"] = pairs_of(both if common else case["spans_b"], symmetric)[kind]
            cell["common"] = pairs_of(both, symmetric)[kind]
    names = ("a", "b", "pairs_a", "pairs_b", "common")
    return {key: tuple(cell[name] for name in names) for key, cell in cells.items()}


@pytest.mark.parametrize("common", [False, True])
@pytest.mark.parametrize("case", CASES)
def test_golden(case, common):
    """Mean and distribution equal the enumeration of every choice of pairs.

    Where a pair has one label at most, labels are not independent, and only the mean is theirs.
    """
    wanted = case["given_common"] if common else case
    p = np.ones(1)
    for cell in cells_of(case, common).values():
        p = np.convolve(p, compute_relation_matches(*cell))
    assert p @ np.arange(len(p)) == pytest.approx(wanted["expected"], abs=1e-12)
    if case["exclusive"]:
        return
    expected = np.zeros(max(len(p), 1 + max((m for m, _ in wanted["distribution"]), default=0)))
    for m, share in wanted["distribution"]:
        expected[m] = share
    np.testing.assert_allclose(np.pad(p, (0, len(expected) - len(p))), expected, 0, 1e-12)
