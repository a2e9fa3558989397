"""Verdicts: what a result says, in a sentence or two, and never more than a test supports."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

from spanagree.errors import escape_name, pluralize, pluralize_of
from spanagree.results.frame import LEAST_P
from spanagree.results.numbers import decimal
from spanagree.results.score import NO_CHANCE, Score

LEVEL = 0.05  # p below which a test finds something
_NAMED = 5  # systems whose order a sentence gives


def short(value: float) -> str:
    """Return a figure as papers print it: three decimals, without the zero before the point.

    >>> short(0.5), short(-0.04251), short(1), short(float("nan"))
    ('.500', '−.043', '1.000', '–')
    """
    if math.isnan(value):
        return "–"
    text = f"{abs(value):.3f}"
    text = text[1:] if text.startswith("0.") else text
    return f"−{text}" if value < 0 and text != ".000" else text


def ends(low: float, high: float, confidence: float) -> str:
    """Return an interval in words.

    >>> ends(0.1, 0.25, 95)
    '95 % CI .100 to .250'
    """
    return f"{confidence:g} % CI {short(low)} to {short(high)}"


class PairwiseTest(NamedTuple):
    """What a test says of two systems: how far the first is ahead in corrected F1.

    Attributes:
        other: the system that the best one is compared with.
        difference: of the corrected F1.
        low, high: its interval, ``nan`` of a test without intervals.
        p: of the test, adjusted for all pairs.
        apart: whether the two can be told apart.
        where: on which documents, if these are not all that either saw.
    """

    other: str
    difference: float
    low: float
    high: float
    p: float
    apart: bool
    where: str = ""


class SignificantPair(NamedTuple):
    """Two systems that a test tells apart.

    Attributes:
        first: the system with the higher corrected F1.
        second: the other system.
        p: of the test, adjusted for all pairs.
    """

    first: str
    second: str
    p: float


def one_score(name: str, score: Score, confidence: float | None = None, over: str = "") -> str:
    """Return how well one system, or a team, did: observed, by chance, and corrected for chance.

    Args:
        name: of the system or team.
        score: its F1.
        confidence: of the interval, in per cent, if there is one.
        over: words behind the interval on the samples that it regards.

    >>> one_score("mine", Score(0.8, 0.28, 0.7222))
    'mine: F1 .800; chance alone gives .280; corrected for chance .722.'
    """
    if math.isnan(score.observed):
        return f"{name} has no F1: {score.reason}."
    observed = f"{name}: F1 {short(score.observed)}"
    if math.isnan(score.expected):
        of_raw = None if score.interval is None else score.interval.observed
        return f"{observed}{_in_brackets(of_raw, confidence, over)}."
    chance = f"chance alone gives {short(score.expected)}"
    if math.isnan(score.corrected):
        return f"{observed}; {chance}, so nothing is left to correct."
    interval = None if score.interval is None else score.interval.corrected
    sure = _in_brackets(interval, confidence, over)
    return f"{observed}; {chance}; corrected for chance {short(score.corrected)}{sure}."


def chance_model(settings: Mapping[str, Any]) -> str:
    """Return a sentence on a chance model under which segments may overlap, or that there is none.

    It is empty for the usual model.

    >>> chance_model({"chance": "per-label"}), chance_model({"chance": "nonoverlapping"})
    ('Chance lets segments of different labels overlap (per-label).', '')
    >>> chance_model({"chance": "none", "chance_undefined": "there is no text"})
    'Chance is undefined, so figures are raw: there is no text.'
    """
    if reason := settings.get("chance_undefined"):
        return f"Chance is undefined, so figures are raw: {escape_name(reason)}."
    chance = settings["chance"]
    allowed = {"per-label": "segments of different labels", "overlapping": "all segments"}
    return f"Chance lets {allowed[chance]} overlap ({chance})." if chance in allowed else ""


def figure_of(settings: Mapping[str, Any]) -> tuple[str, str]:
    """Return the figure that decides, and what stands before the name of a score of that kind.

    >>> figure_of({"chance": "per-label"}), figure_of({"chance_undefined": "there is no text"})
    (('corrected', 'corrected '), ('observed', ''))
    """
    return ("observed", "") if settings.get("chance_undefined") else ("corrected", "corrected ")


def remarks_without_chance(settings: Mapping[str, Any]) -> list[str]:
    """Return the remark of a table in which chance is undefined; none if there is chance.

    >>> remarks_without_chance({"chance": "none", "chance_undefined": "there is no text"})
    ['chance and corrected figures are undefined: there is no text']
    """
    reason = settings.get("chance_undefined")
    return [f"chance and corrected figures are undefined: {escape_name(reason)}"] if reason else []


def not_in_text(
    settings: Mapping[str, Any],
    names: Collection[str],
    n_lost: int,
    outcome: str = "count as wrong",
) -> str:
    """Return a sentence on the quotes that are not in the text; empty if there are none.

    Args:
        settings: of the result: what becomes of such quotes, and how many were read of each layer.
        names: layers that the result is of.
        n_lost: number of such quotes in what was compared.
        outcome: what such quotes do, unless they are ignored.

    >>> settings = {"unplaced": "wrong", "quotes": {"mine": {"read": 934, "unaligned": 98}}}
    >>> not_in_text(settings, ["mine"], 98)
    '98 of 934 quotes are not in the text and count as wrong.'
    >>> not_in_text({**settings, "unplaced": "ignore"}, ["mine"], 0)
    '98 of 934 quotes are not in the text and are left out.'
    """
    if settings.get("unplaced") is None:
        return ""
    counts = [count for name, count in settings.get("quotes", {}).items() if name in names]
    n_read, n_unaligned = (sum(count[key] for count in counts) for key in ("read", "unaligned"))
    if settings["unplaced"] == "ignore":
        n_lost, outcome = n_unaligned, "are left out"
    if not n_lost:
        return ""
    of_all = (
        pluralize_of(n_lost, n_read, "quote")
        if n_lost == n_unaligned
        else pluralize(n_lost, "quote")
    )
    if n_lost == 1:
        return f"{of_all} is not in the text and {_SINGULAR[outcome]}."
    return f"{of_all} are not in the text and {outcome}."


_SINGULAR = {
    "count as wrong": "counts as wrong",
    "are left out": "is left out",
    "match nothing": "matches nothing",
    "match nothing in F1": "matches nothing in F1",
    "match nothing, and are left out of all else": "matches nothing, and is left out of all else",
}


def marked_nothing(names: Sequence[str]) -> str:
    """Return a sentence on the annotators or systems without a segment; empty without names.

    >>> marked_nothing(["mine", "yours"]), marked_nothing([])
    ('mine and yours marked nothing.', '')
    """
    return f"{in_words(names)} marked nothing." if names else ""


def coefficient(
    name: str,
    value: float,
    interval: tuple[float, float] | None = None,
    confidence: float | None = None,
    reason: str = "",
) -> str:
    """Return how high a coefficient is, between chance and full agreement.

    Args:
        name: what it is called.
        value: of the coefficient.
        interval: its ends, if there are any.
        confidence: of these, in per cent.
        reason: why it is undefined.

    >>> coefficient("α", 0.512, (0.4, 0.6), 95)
    'α is .512 (95 % CI .400 to .600), where 0 is chance and 1 is full agreement.'
    """
    if math.isnan(value):
        return f"{name} is undefined: {reason}."
    sure = _in_brackets(interval, confidence)
    return f"{name} is {short(value)}{sure}, where 0 is chance and 1 is full agreement."


def extremes(
    values: Mapping[str, float],
    what: str,
    subject: str = "it",
    intervals: Mapping[str, tuple[float, float]] | None = None,
    confidence: float | None = None,
) -> str:
    """Return for which of several a subject is highest and lowest; nothing of fewer than two.

    Args:
        values: the figure of each.
        what: the noun for one of them.
        subject: name of the figure.
        intervals: the interval of each figure, if intervals were requested.
        confidence: of these, in per cent.

    >>> extremes({"PER": 0.8, "LOC": 0.5}, "label")
    'By label it is highest for PER (.800) and lowest for LOC (.500). No test was made: add --ci.'
    >>> extremes({"PER": 1.0, "LOC": 1.0}, "label", "γ_k")
    'γ_k is the same for each label (1.000).'
    """
    defined = {name: value for name, value in values.items() if not math.isnan(value)}
    if len(defined) < 2:
        return ""
    high, low = highest(defined), highest({name: -value for name, value in defined.items()})
    if high == low:
        whose = "It" if subject == "it" else subject
        return f"{whose} is the same for each {what} ({short(defined[high[0]])})."
    ranges = intervals or {}

    def shown(names: Sequence[str]) -> str:
        """Return names with their figure, and the interval of one name."""
        sure = ""
        if len(names) == 1 and confidence and not math.isnan(ranges.get(names[0], (math.nan,))[0]):
            sure = f", {ends(*ranges[names[0]], confidence)}"
        return f"{in_words(names)} ({short(defined[names[0]])}{sure})"

    advice = "" if confidence else ": add --ci"
    return (
        f"By {what} {subject} is highest for {shown(high)} and lowest for {shown(low)}."
        f" No test was made{advice}."
    )


def from_first_to_last(values: Mapping[str, float]) -> str:
    """Return the first and the last defined value of several in order; nothing of fewer than two.

    >>> from_first_to_last({"1": 0.5, "2": 0.7, "3": float("nan")})
    'from .500 (1) to .700 (2, the last that is defined)'
    """
    defined = [name for name, value in values.items() if not math.isnan(value)]
    if len(defined) < 2:
        return ""
    names, shown = list(values), []
    for at, where in ((0, "first"), (-1, "last")):
        name = defined[at]
        more = "" if name == names[at] else f", the {where} that is defined"
        shown.append(f"{short(values[name])} ({escape_name(name)}{more})")
    return f"from {shown[0]} to {shown[1]}"


def highest(values: Mapping[str, float]) -> list[str]:
    """Return the names with the highest of the defined values; several where they are equal.

    >>> highest({"a": 2, "b": 3, "c": 3, "d": float("nan")}), highest({})
    (['b', 'c'], [])
    """
    most = max((value for value in values.values() if not math.isnan(value)), default=math.nan)
    return [name for name, value in values.items() if value == most]


def most_often(times: Mapping[str, int]) -> str:
    """Return the most frequent kinds, with their number and that of all.

    >>> most_often({"boundary": 1, "missing": 3}), most_often({"missing": 3, "spurious": 3})
    ('of the kind missing (3 of 4)', 'of the kinds missing and spurious (3 of 6 each)')
    """
    kinds = highest(times)
    share = f"{times[kinds[0]]} of {sum(times.values())}"
    if len(kinds) == 1:
        return f"of the kind {kinds[0]} ({share})"
    return f"of the kinds {in_words(kinds)} ({share} each)"


def order(
    scores: Mapping[str, Score],
    where: str,
    confidence: float | None = None,
    advice: str = "",
    unmarked: Sequence[str] = (),
) -> str:
    """Return the order of systems by corrected F1, without a test.

    Args:
        scores: the F1 of each system.
        where: on how many documents, and how many of them decide.
        confidence: of the scores' intervals, in per cent, if they have any.
        advice: the option that would say more, if there is one.
        unmarked: names of systems, or gold, without a segment.

    >>> order({"a": Score(0.8, 0.1, 0.7778), "b": Score(0.9, 0.1, 0.8889)}, "9 texts")
    'By corrected F1 the order is b (.889), a (.778), on 9 texts. No test was made.'
    """
    if len(scores) == 1:
        ((name, score),) = scores.items()
        if unmarked:
            return f"{in_words(unmarked)} marked nothing, on {where}."
        return f"{one_score(escape_name(name), score, confidence)} It was measured on {where}."
    ranked, kind = ranked_by_chance(scores), decisive(scores)
    if not ranked:
        sentence = f"No system has a defined {_NAME_OF[kind]}, on {where}."
        return f"{sentence} {marked_nothing(unmarked)}".rstrip()
    more = [pluralize(len(ranked) - _NAMED, "other")] if len(ranked) > _NAMED else []
    groups = _groups(scores, ranked[:_NAMED])
    named = [f"{in_words(names)} ({short(getattr(scores[names[0]], kind))})" for names in groups]
    ranking = f"the order is {', '.join([*named, *more])}"
    if len(ranked) > 1 and len(_groups(scores, ranked)) == 1:
        value = short(getattr(scores[ranked[0]], kind))
        ranking = f"{in_words(sorted(ranked))} are equal ({value})"
    more_to_do = f": add {advice}" if advice else ""
    sentence = f"By {_NAME_OF[kind]} {ranking}, on {where}. No test was made{more_to_do}."
    return f"{sentence} {marked_nothing(unmarked)}".rstrip()


def comparison(
    scores: Mapping[str, Score],
    leads: Sequence[PairwiseTest],
    confidence: float,
    better: Sequence[SignificantPair] = (),
    n_pairs: int = 1,
    unmarked: Sequence[str] = (),
    correction: str = "",
) -> str:
    """Return which system has the highest corrected F1, and which pairs can be told apart.

    Args:
        scores: the F1 of each system.
        leads: of the best one before each of the others, the closest first.
        confidence: of the intervals, in per cent.
        better: pairs that can be told apart, in the order of the systems.
        n_pairs: number of pairs that p and intervals are adjusted for.
        unmarked: names of systems, or gold, without a segment.
        correction: name of the correction of p; without one it is multiplied by the pairs.

    >>> scores = {"flair": Score(0.93, 0.1, 0.918), "bert": Score(0.92, 0.1, 0.912)}
    >>> text = comparison(scores, [PairwiseTest("bert", 0.006, -0.001, 0.013, 0.2, False)], 95)
    >>> text.partition(", but ")[2]
    'cannot be told apart from bert (difference .006, 95 % CI −.001 to .013).'
    """
    firsts = first_by_chance(scores)
    sentences = [_first_tested(scores, firsts, leads, (confidence, n_pairs))]
    named = {lead.other for lead in leads if lead.apart and lead.difference < 0}
    if all(lead.apart and lead.difference > 0 for lead in leads):  # the first sentence has them
        named = set(scores)
    others = [
        pair
        for pair in better
        if not (pair.first in firsts and pair.second in named)
        and not (pair.second in firsts and pair.first in named)
    ]
    pairs = [f"{escape_name(a)} is better than {escape_name(b)}, p {p_of(p)}" for a, b, p in others]
    if pairs:
        left = len(pairs) - _NAMED
        more = [f"and {pluralize(left, 'more pair')} differ{'s' * (left == 1)}"] if left > 0 else []
        sentences.append(f"{'; '.join([*pairs[:_NAMED], *more])}.")
    if n_pairs > 1 and (correction or pairs):
        adjusted = f"adjusted for {n_pairs} pairs ({correction})" if correction else ""
        sentences.append(f"Each p is {adjusted or f'multiplied by {n_pairs} pairs'}.")
    return " ".join([*sentences, marked_nothing(unmarked)]).rstrip()


def _first_tested(
    scores: Mapping[str, Score], firsts: Sequence[str], leads: Sequence[PairwiseTest], level: _Level
) -> str:
    """Return which systems come first, and from which others the test tells them apart."""
    best, same = firsts[0], set(firsts[1:])
    leads = [lead for lead in leads if lead.apart or lead.where or lead.other not in same]
    have, are = ("have", "are") if same else ("has", "is")
    kind = decisive(scores)
    first = short(getattr(scores[best], kind))
    head = f"{in_words(firsts)} {have} the highest {_NAME_OF[kind]} ({first})"
    if not leads:
        return f"{head}."
    but = {
        f"{are} behind": [lead for lead in leads if lead.apart and lead.difference < 0],
        "cannot be told apart from": [lead for lead in leads if not lead.apart],
    }
    says = [f"{verb} {_named(others, level)}" for verb, others in but.items() if others]
    if says:
        return f"{head}, but {' and '.join(says)}."
    nearest = min(leads, key=lambda lead: lead.difference)
    return (
        f"{head}, and {are} told apart from all others; the closest is"
        f" {escape_name(nearest.other)} ({_of(nearest, level)})."
    )


_NAME_OF = {"observed": "F1", "corrected": "corrected F1"}


def decisive(scores: Mapping[str, Score]) -> str:
    """Return the figure by which scores are ranked: corrected, or observed without chance.

    >>> decisive({"a": Score(0.8, 0.1, 0.7778)})
    'corrected'
    >>> decisive({"a": Score(0.8, math.nan, math.nan, NO_CHANCE)})
    'observed'
    """
    return (
        "observed" if any(score.reason == NO_CHANCE for score in scores.values()) else "corrected"
    )


def ranked_by_chance(scores: Mapping[str, Score]) -> list[str]:
    """Return the names with a defined corrected F1 (F1 without chance), the highest first."""
    kind = decisive(scores)
    values = {name: getattr(score, kind) for name, score in scores.items()}
    defined = [name for name, value in values.items() if not math.isnan(value)]
    return sorted(defined, key=lambda name: (-values[name], name))


def counted_from(numbers: Sequence[int], noun: str) -> str:
    """Return the least and the greatest of some numbers, and what they count.

    >>> counted_from([42, 7, 9], "document"), counted_from([1, 1], "document")
    ('7 to 42 documents', '1 document')
    """
    least, most = min(numbers), max(numbers)
    return f"{least} to {pluralize(most, noun)}" if least < most else pluralize(most, noun)


def first_by_chance(scores: Mapping[str, Score]) -> list[str]:
    """Return the names with the highest corrected F1, all whose figures print alike.

    >>> first_by_chance({"b": Score(0.8, 0.1, 0.77781), "a": Score(0.8, 0.1, 0.77784)})
    ['a', 'b']
    """
    groups = _groups(scores, ranked_by_chance(scores))
    return groups[0] if groups else []


def _groups(scores: Mapping[str, Score], ranked: Sequence[str]) -> list[list[str]]:
    """Return ranked names in groups of the same place, as their figures print alike."""
    kind = decisive(scores)
    return grouped({name: getattr(scores[name], kind) for name in ranked})


def grouped(values: Mapping[str, float]) -> list[list[str]]:
    """Return names in the order of their figures, in groups of those whose figures print alike.

    >>> grouped({"b": 0.5, "a": 0.50000001, "c": 0.4})
    [['a', 'b'], ['c']]
    """
    by_figure: dict[str, list[str]] = {}
    for name, value in values.items():
        by_figure.setdefault(decimal(value), []).append(name)
    return [sorted(names) for names in by_figure.values()]


def in_words(names: Sequence[str]) -> str:
    """Return names for a sentence; of many the first, and how many more there are.

    >>> in_words(["a", "b", "c"]), in_words("abcdefgh")
    ('a, b and c', 'a, b, c, d, e and 3 others')
    """
    *some, last = first_of([*map(escape_name, names)], _NAMED, "other")
    return f"{', '.join(some)} and {last}" if some else last


def first_of(names: Sequence[str], most: int, noun: str) -> list[str]:
    """Return the first of some names, and how many more there are, if there are more.

    >>> first_of(["a and b", "a and c", "b and c"], 1, "more pair")
    ['a and b', '2 more pairs']
    """
    left = len(names) - most
    return [*names[:most], pluralize(left, noun)] if left > 0 else [*names]


def compared(shared: Sequence[int], documents: int, noun: str) -> str:
    """Return how many of the documents figures rest on, where these are not all.

    >>> compared([2], 3, "document"), compared([3, 2], 3, "document"), compared([3], 3, "document")
    ('2 of 3 documents were compared.', '2 to 3 of 3 documents were compared.', '')
    """
    least, most = min(shared), max(shared)
    if least == documents:
        return ""
    some = f"{least} to {most}" if least < most else f"{most}"
    return f"{some} of {pluralize(documents, noun)} were compared."


_Level: TypeAlias = tuple[float, int]
"""The confidence of intervals, in per cent, and the number of pairs that they hold for at once."""


def _named(leads: Sequence[PairwiseTest], level: _Level) -> str:
    """Return the names of the first of some systems, each with its difference."""
    named = [f"{escape_name(lead.other)} ({_of(lead, level)})" for lead in leads]
    return ", ".join(first_of(named, _NAMED, "other"))


def _of(lead: PairwiseTest, level: _Level) -> str:
    """Return how far a system is ahead, with the interval of that, or with p."""
    varies, (confidence, n_pairs) = lead.low < lead.high, level
    interval = f", {ends(lead.low, lead.high, confidence)}" if varies else ""
    if varies and n_pairs > 1:
        interval = f", simultaneous {interval[2:]}, {n_pairs} pairs"
    p = f", p {p_of(lead.p)}" if not interval else ""
    where = f" {lead.where}" if lead.where else ""
    return f"difference {short(lead.difference)}{where}{interval}{p}"


def p_of(p: float) -> str:
    """Return a p value as papers print it.

    >>> p_of(0.0312), p_of(0.0001)
    ('.031', '< .001')
    """
    return f"< {short(LEAST_P)}" if p < LEAST_P else short(p)


def _in_brackets(
    interval: tuple[float, float] | None, confidence: float | None, over: str = ""
) -> str:
    """Return an interval in words, if there is one that is defined."""
    if interval is None or confidence is None or math.isnan(interval[0]):
        return ""
    return f" ({ends(*interval, confidence)}{over})"


def other_annotators(interval: tuple[float, float], n_annotators: int, few: int) -> str:
    """Return the interval over other annotators in words.

    Args:
        interval: its ends.
        n_annotators: number of annotators that it was estimated from.
        few: number of annotators below which they tell little of others.

    >>> other_annotators((0.094, 0.884), 5, 10)
    'Over other annotators too: .094 to .884; 5 tell little of others.'
    """
    if math.isnan(interval[0]):
        return ""
    little = f"; {n_annotators} tell little of others" if n_annotators < few else ""
    return f"Over other annotators too: {short(interval[0])} to {short(interval[1])}{little}."
