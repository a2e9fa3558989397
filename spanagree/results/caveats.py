"""Warnings about unreliable figures, one sentence each."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from spanagree.errors import join_names, pluralize
from spanagree.results.score import NO_CHANCE, RARE, Score, ScoreValues

FEW = 30  # documents or items; figures over fewer may be quite different for other documents
HIGH = 0.5  # an expected figure above it leaves little room for the corrected figure
WIDE = 0.2  # from the low to the high end of an interval of a corrected figure


def write_caveats(name: str, score: Score, evidence: Iterable[int], noun: str) -> list[str]:
    """Write the warnings about one score, one sentence each.

    Args:
        name: name of the row, with which each sentence begins.
        score: score, with its interval if there is one.
        evidence: numbers of documents with any segment, with a disagreement, and with an agreement;
            see :func:`spanagree.uncertainty.jackknife.count_evidence`.
        noun: noun for a document.

    >>> write_caveats("mine", Score(0.9, 0.8, 0.5), (100, 30, 90), "document")
    ['mine: chance alone gives 0.800, so the corrected figure is unstable']
    >>> write_caveats("mine", Score(0.9, 0.1, 0.8), (100, 3, 99), "document")
    ['mine: only 3 of 100 documents hold any disagreement; on others the figures may differ a lot']
    """
    units, disagreeing, agreeing = evidence
    are_few = 0 < units < FEW
    warning = "; on others the figures may differ a lot"
    low, high = (0, 0) if score.interval is None else score.interval.corrected
    reason = "" if score.interval is None else score.interval.reason
    if score.reason == NO_CHANCE:  # explained by a remark
        reason = "; ".join(clause for clause in reason.split("; ") if _OF_CHANCE not in clause)

    def write_rare(n_with: int, content: str) -> str:
        """Write how many documents decide, which are few or none."""
        if n_with:
            return f"only {n_with} of {units} {noun}s hold any {content}{warning}"
        return f"none of {units} {noun}s holds any {content}{warning}"

    cases = {
        f"only {pluralize(units, noun)} with anything to compare{warning}": are_few,
        write_rare(disagreeing, "disagreement"): units >= FEW and disagreeing < RARE,
        write_rare(agreeing, "agreement"): units >= FEW and agreeing < RARE,
        f"chance alone gives {score.expected:.3f}, so the corrected figure is unstable": (
            score.expected > HIGH and not math.isnan(score.corrected)  # nan is not above it
        ),
        f"the interval of the corrected figure is wide: {low:.2f} to {high:.2f}": high - low > WIDE,
        f"interval: {reason.removeprefix(_ALL_FIGURES)}": reason,
    }
    return [f"{name}: {sentence}" for sentence, applies in cases.items() if applies]


def write_caveats_of_rows(
    rows: Iterable[tuple[str, Score, Iterable[int]]], noun: str
) -> tuple[str, ...]:
    """Write warnings about several scores, passed as rows of name, score and evidence."""
    return merge_caveats(sentence for row in rows for sentence in write_caveats(*row, noun))


def merge_caveats(caveats: Iterable[str]) -> tuple[str, ...]:
    """Merge warnings that differ only in the name of their row and in one number.

    A merged warning has the names of all its rows, and the range of the numbers.

    >>> merge_caveats(["a: chance alone gives 0.8; beware", "b: chance alone gives 0.7; beware"])
    ('a, b: chance alone gives 0.7 to 0.8; beware',)
    """
    rows_by_text: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for caveat in caveats:
        name, _, sentence = caveat.partition(": ")
        beginning, number, ending = (*_VARYING_NUMBER.split(sentence, 1), "", "")[:3]
        rows_by_text.setdefault((beginning, ending), []).append((name, number))
    merged = []
    for (beginning, ending), rows in rows_by_text.items():
        names, numbers = zip(*rows, strict=True)
        min_number, max_number = (
            extreme(numbers, key=lambda text: float(text or 0)) for extreme in (min, max)
        )
        number = min_number if min_number == max_number else f"{min_number} to {max_number}"
        subject = join_names(names) if len(names) > 1 else names[0]
        merged.append(f"{subject}: {beginning}{number}{ending}")
    return tuple(merged)


_OF_CHANCE = "expected, corrected: the figure itself"
_ALL_FIGURES = f"{', '.join(ScoreValues._fields)}: "


_VARYING_NUMBER = re.compile(r"(?:(?<=^only )|(?<=^chance alone gives ))([\d.]+)")
