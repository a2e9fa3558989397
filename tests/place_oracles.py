"""Rules of places by their definition, and all random annotations that keep them; slowly."""

from __future__ import annotations

import itertools
import re
from collections import Counter
from fractions import Fraction

import numpy as np


def kind(rule, place, label):
    """The kind of a place by the definition."""
    s, e = place
    name = rule["name"]
    if name == "by-label":
        chosen = label if label in rule["rules"] else ""
        return chosen, kind(rule["rules"].get(chosen, {"name": "anywhere"}), place, label)
    if name == "ends":
        return e - s, rule["value"][s], rule["value"][e - 1]
    if name == "site":
        return e - s, rule["ok"][s] and rule["ok"][e - 1]
    if name == "all":
        return e - s, all(rule["ok"][s:e])
    if name == "borders":
        return e - s, rule["begin"][s] and rule["end"][e]
    if name == "places":
        return e - s, [s, e] in rule["places"]
    if name == "words":
        words = [m.span() for m in re.finditer(r"[^\W_]+(?:['’][^\W_]+)*", rule["text"])]
        touched = sum(a < e and b > s for a, b in words)
        ends = (
            "edge" if any(s == a for a, _ in words) else any(a < s < b for a, b in words),
            "edge" if any(e == b for _, b in words) else any(a < e < b for a, b in words),
        )
        return (touched, *ends) if touched else (0, e - s)
    return e - s


def configurations(n, rule, segments, apart):
    """All arrangements of segments that keep the kinds of their places, as lists of places."""
    every = [(s, e) for s in range(n) for e in range(s + 1, n + 1)]
    choices = [
        [p for p in every if kind(rule, p, label) == kind(rule, (s, e), label)]
        for s, e, label in segments
    ]
    pairs = list(itertools.combinations(range(len(segments)), 2))
    return [
        chosen
        for chosen in itertools.product(*choices)
        if not any(
            apart(segments[i][2], segments[j][2])
            and chosen[i][0] < chosen[j][1]
            and chosen[j][0] < chosen[i][1]
            for i, j in pairs
        )
    ]


def shares(chosen):
    """How probable each place is for each segment, as fractions."""
    counts = [Counter(places) for places in zip(*chosen, strict=True)]
    return [{p: Fraction(x, len(chosen)) for p, x in count.items()} for count in counts]


APART = {
    "nonoverlapping": lambda a, b: True,
    "per-label": lambda a, b: a == b,
    "overlapping": lambda a, b: False,
}


def random_rule(rng, n, text):
    def bits(size):
        return (rng.random(size) < 0.5).tolist()

    every = [[s, e] for s in range(n) for e in range(s + 1, n + 1)]
    rules = [
        {"name": "site", "ok": bits(n)},
        {"name": "all", "ok": bits(n)},
        {"name": "ends", "value": rng.choice(list("xyz"), n).tolist()},
        {"name": "borders", "begin": bits(n + 1), "end": bits(n + 1)},
        {"name": "places", "places": [p for p in every if rng.random() < 0.4]},
        {"name": "words", "text": text},
        {"name": "anywhere"},
    ]
    if rng.random() < 0.2:
        some = rng.choice(len(rules), 2)
        return {"name": "by-label", "rules": {"X": rules[some[0]], "": rules[some[1]]}}
    return rules[rng.integers(len(rules))]


def random_segments(rng, n):
    """Up to four segments that do not overlap."""
    borders = np.sort(rng.choice(n + 1, 2 * min(int(rng.integers(1, 5)), (n + 1) // 2), False))
    return [(int(s), int(e), str(rng.choice(["X", "Y"]))) for s, e in borders.reshape(-1, 2)]
