"""The team, the mean over pairs and each annotator, from the tallies of the pairs."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from spanagree.agreement.result import Agreement, Member, Pair, Pairs, Team
from spanagree.errors import counted
from spanagree.matching.score import UNDEFINED, Figures, Mean, Score
from spanagree.matching.tally import Tally, total


def agreement_of(
    names: Sequence[str],
    saw: Mapping[str, int],
    found: Mapping[tuple[int, int], tuple[int, Tally]],
    labels: Mapping[str, Tally],
    documents: int,
    seen: int,
    seen_without: Sequence[int],
    settings: Mapping[str, Any],
    notes: Sequence[str],
) -> Agreement:
    """The result, without single documents; ``found`` has documents and tally of each pair."""
    least = settings["min_shared"]
    members = list(found)
    pairs = [
        Pair(names[i], names[j], shared, tally, shared < least)
        for (i, j), (shared, tally) in found.items()
    ]
    reason = "" if pairs else _nobody(len(names))
    tallied = [pair.tally for pair in pairs]
    team = Team(len(pairs), seen, total(tallied), reason)
    return Agreement(
        team,
        _mean([p.f1 for p in pairs], reason),
        Pairs(names, members, pairs),
        _members(names, saw, team, members, tallied, seen_without),
        labels,
        documents,
        None,
        settings,
        tuple(notes),
        None,
        None,
    )


def _nobody(annotators: int) -> str:
    if annotators < 2:
        return f"{counted(annotators, 'annotator')}; agreement needs two"
    return "no document was seen by two annotators"


# --- team, mean, members ------------------------------------------------------------------------


def _mean(scores: Sequence[Score], reason: str) -> Mean:
    figures = [
        [value for score in scores if not math.isnan(value := getattr(score, kind))]
        for kind in Figures._fields
    ]
    means = [math.fsum(values) / len(values) if values else math.nan for values in figures]
    spread = [
        math.sqrt(math.fsum((x - mean) ** 2 for x in values) / len(values)) if values else math.nan
        for values, mean in zip(figures, means, strict=True)
    ]
    if not reason and not figures[0]:
        reason = "no pair for which it is defined"
    if not reason and not figures[2]:
        reason = "corrected: luck alone gives 1 for every pair"
    observed, expected, corrected = means
    counts = Figures(*map(len, figures))
    return Mean(observed, expected, corrected, Figures(*spread), counts, reason)


def _members(
    names: Sequence[str],
    saw: Mapping[str, int],
    team: Team,
    members: Sequence[tuple[int, int]],
    tallied: Sequence[Tally],
    seen_without: Sequence[int],
) -> dict[str, Member]:
    """Each annotator against the others; the team without is the team less these pairs."""
    of: list[list[Tally]] = [[] for _ in names]  # as in the team's sum
    own: list[list[Tally]] = [[] for _ in names]  # the annotator's side first
    for (i, j), tally in zip(members, tallied, strict=True):
        turned = Tally(tally.matched, tally.expected, tally.size_b, tally.size_a)
        for one, as_a in ((i, tally), (j, turned)):
            of[one].append(tally)
            own[one].append(as_a)
    taken_from = _Sums.of(tallied)
    result = {}
    for i, name in enumerate(names):
        left = len(tallied) - len(of[i])
        rest = Team(
            left, seen_without[i], taken_from.less(of[i]), "" if left else "no pair is left"
        )
        rise = Figures(*map(_rise, team.f1[:3], rest.f1[:3]))
        result[name] = Member(name, saw[name], len(of[i]), total(own[i]), rest, rise)
    return result


def _rise(before: float, after: float) -> float:
    return UNDEFINED if math.isnan(rise := after - before) else rise  # one nan equals itself


class _Sums(NamedTuple):
    """Columns of tallies and their sums, from which single tallies can be taken off exactly."""

    matched: list[float]
    expected: list[float]
    all: Tally

    @classmethod
    def of(cls, tallies: Sequence[Tally]) -> _Sums:
        return cls(
            _expansion([t.matched for t in tallies]),
            _expansion([t.expected for t in tallies]),
            total(tallies),
        )

    def less(self, taken: Sequence[Tally]) -> Tally:
        """The sum of the tallies that are not taken; the same as adding them up."""
        matched = math.fsum([*self.matched, *(-t.matched for t in taken)])
        expected = math.fsum([*self.expected, *(-t.expected for t in taken)])
        return Tally(
            int(matched) if isinstance(self.all.matched, int) else matched,
            expected,
            self.all.size_a - sum(t.size_a for t in taken),
            self.all.size_b - sum(t.size_b for t in taken),
        )


def _expansion(values: Sequence[float]) -> list[float]:
    """A sum as three numbers, exact to 150 bits: what is taken off later leaves no trace."""
    parts: list[float] = []
    for _ in range(3):
        parts.append(math.fsum([*values, *(-part for part in parts)]))
    return parts
