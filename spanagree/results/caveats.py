"""Caveats: what makes a figure shaky, a sentence each."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from spanagree.errors import join_names, pluralize
from spanagree.results.score import NO_CHANCE, RARE, Score, ScoreValues

FEW = 30  # documents or items; a figure over fewer may be quite different on others
HIGH = 0.5  # an expected figure above it leaves little that the corrected figure rests on
WIDE = 0.2  # from the low to the high end of an interval of a corrected figure


def caveats(name: str, score: Score, evidence: Iterable[int], noun: str) -> list[str]:
    """Return caveats of one score, in sentences.

    ``evidence`` is what the score rests on, as
    :func:`spanagree.uncertainty.jackknife.evidence_of` returns it.

    >>> caveats("mine", Score(0.9, 0.8, 0.5), (100, 30, 90), "document")
    ['mine: chance alone gives 0.800, so the corrected figure is unstable']
    >>> caveats("mine", Score(0.9, 0.1, 0.8), (100, 3, 99), "document")
    ['mine: only 3 of 100 documents hold any disagreement; on others the figures may differ a lot']
    """
    units, disagreeing, agreeing = evidence
    few = 0 < units < FEW
    shaky = "; on others the figures may differ a lot"
    low, high = (0, 0) if score.interval is None else score.interval.corrected
    reason = "" if score.interval is None else score.interval.reason
    if score.reason == NO_CHANCE:  # which a remark explains
        reason = "; ".join(part for part in reason.split("; ") if _OF_CHANCE not in part)
    cases = {
        f"only {pluralize(units, noun)} with anything to compare{shaky}": few,
        f"only {disagreeing} of {units} {noun}s hold any disagreement{shaky}": units >= FEW
        and disagreeing < RARE,
        f"only {agreeing} of {units} {noun}s hold any agreement{shaky}": units >= FEW
        and agreeing < RARE,
        f"chance alone gives {score.expected:.3f}, so the corrected figure is unstable": (
            score.expected > HIGH and not math.isnan(score.corrected)  # nan is not above it
        ),
        f"the interval of the corrected figure is wide: {low:.2f} to {high:.2f}": high - low > WIDE,
        f"interval: {reason.removeprefix(_ALL_FIGURES)}": reason,
    }
    return [f"{name}: {sentence}" for sentence, holds in cases.items() if holds]


def caveats_of(rows: Iterable[tuple[str, Score, Iterable[int]]], noun: str) -> tuple[str, ...]:
    """Return caveats of several scores: of each its name, the score, and its evidence."""
    return merge_caveats(sentence for row in rows for sentence in caveats(*row, noun))


def merge_caveats(caveats: Iterable[str]) -> tuple[str, ...]:
    """Return caveats of several rows: of those that differ in a number only, one names all rows.

    >>> merge_caveats(["a: chance alone gives 0.8; beware", "b: chance alone gives 0.7; beware"])
    ('a, b: chance alone gives 0.7 to 0.8; beware',)
    """
    alike: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for caveat in caveats:
        name, _, sentence = caveat.partition(": ")
        before, number, after = (*_VARIES.split(sentence, 1), "", "")[:3]
        alike.setdefault((before, after), []).append((name, number))
    merged = []
    for (before, after), rows in alike.items():
        names, numbers = zip(*rows, strict=True)
        least, most = (end(numbers, key=lambda text: float(text or 0)) for end in (min, max))
        number = least if least == most else f"{least} to {most}"
        subject = join_names(names) if len(names) > 1 else names[0]
        merged.append(f"{subject}: {before}{number}{after}")
    return tuple(merged)


_OF_CHANCE = "expected, corrected: the figure itself"
_ALL_FIGURES = f"{', '.join(ScoreValues._fields)}: "


_VARIES = re.compile(r"(?:(?<=^only )|(?<=^chance alone gives ))([\d.]+)")
