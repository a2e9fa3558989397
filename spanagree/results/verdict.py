"""Verdicts on results, in a sentence or two, which claim no more than a test supports.

Systems are ranked by corrected F1, or by observed F1 if chance is undefined; see
:func:`choose_ranking_score`. The leaders are the systems with the highest such figure, compared as
printed, so several may lead.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from spanagree.errors import escape_name, format_count_of_total, pluralize
from spanagree.results.cells import LEAST_P
from spanagree.results.numbers import format_decimal
from spanagree.results.score import NO_CHANCE, Score

LEVEL = 0.05  # p below which a difference is significant
_NAMED = 5  # systems in a sentence on their order


_OPENING = re.compile(
    r"(Chance (?:lets|is)|Over (?:other|\d+)|With \d+|Without|No test|The test|The limit|It marked"
    r"|People|Human agreement|One reference|By a permutation|Significant steps|There are|For"
    r"|Errors of|Not shown)[ ,]"
)
"""Openings of sentences that may follow a semicolon; other sentences begin with a name."""


def join_in_two_sentences(*sentences: str) -> str:
    """Join sentences into at most two; the third and later ones follow after semicolons.

    >>> join_in_two_sentences("a leads.", "It is over 3 pairs.", "Chance lets all overlap.")
    'a leads. It is over 3 pairs; chance lets all overlap.'
    """
    first_sentence, *other_sentences = [sentence for sentence in sentences if sentence] or [""]
    clauses = [
        f"{sentence[0].lower()}{sentence[1:]}" if _OPENING.match(sentence) else sentence
        for sentence in other_sentences[1:]
    ]
    last = "; ".join(clause.removesuffix(".") for clause in [*other_sentences[:1], *clauses])
    return f"{first_sentence} {last}." if last else first_sentence


def format_short(value: float) -> str:
    """Format a figure as in papers: three decimals, without the zero before the point.

    >>> format_short(0.5), format_short(-0.04251), format_short(1), format_short(float("nan"))
    ('.500', '−.043', '1.000', '–')
    """
    if math.isnan(value):
        return "–"
    text = f"{abs(value):.3f}"
    text = text[1:] if text.startswith("0.") else text
    return f"−{text}" if value < 0 and text != ".000" else text


def write_interval(low: float, high: float, confidence: float, test: str = "") -> str:
    """Format an interval in words, with the name of its test.

    >>> write_interval(0.1, 0.25, 95), write_interval(0.1, 0.25, 95, "jackknife")
    ('95 % CI .100 to .250', '95 % jackknife CI .100 to .250')
    """
    kind = f"{test} CI" if test else "CI"
    return f"{confidence:g} % {kind} {format_short(low)} to {format_short(high)}"


def write_score(name: str, score: Score, confidence: float | None = None, scope: str = "") -> str:
    """Write the observed, expected and corrected F1 of a system or a team in one sentence.

    Args:
        name: name of the system or team.
        score: F1 of the system or team.
        confidence: confidence of the interval in per cent, if there is one.
        scope: words after the interval on the samples that it regards.

    >>> write_score("mine", Score(0.8, 0.28, 0.7222))
    'mine: F1 .800; chance alone gives .280; corrected for chance .722.'
    """
    if math.isnan(score.observed):
        return f"{name} has no F1: {score.reason}."
    observed = f"{name}: F1 {format_short(score.observed)}"
    if math.isnan(score.expected):
        raw_interval = None if score.interval is None else score.interval.observed
        return f"{observed}{_format_in_brackets(raw_interval, confidence, scope)}."
    chance = f"chance alone gives {format_short(score.expected)}"
    if math.isnan(score.corrected):
        return f"{observed}; {chance}, so nothing is left to correct."
    interval = None if score.interval is None else score.interval.corrected
    interval_text = _format_in_brackets(interval, confidence, scope)
    corrected = format_short(score.corrected)
    return f"{observed}; {chance}; corrected for chance {corrected}{interval_text}."


def write_chance_model(settings: Mapping[str, Any]) -> str:
    """Write a sentence on a chance model that is undefined or lets segments overlap.

    The sentence is empty for the default model, in which segments never overlap.

    >>> write_chance_model({"chance": "per-label"})
    'Chance lets segments of different labels overlap (per-label).'
    >>> write_chance_model({"chance": "nonoverlapping"})
    ''
    >>> write_chance_model({"chance": "none", "chance_undefined": "there is no text"})
    'Chance is undefined, so figures are raw: there is no text.'
    """
    if reason := settings.get("chance_undefined"):
        return f"Chance is undefined, so figures are raw: {escape_name(reason)}."
    chance = settings["chance"]
    overlapping_segments = {
        "per-label": "segments of different labels",
        "overlapping": "all segments",
    }
    return (
        f"Chance lets {overlapping_segments[chance]} overlap ({chance})."
        if chance in overlapping_segments
        else ""
    )


def choose_figure(settings: Mapping[str, Any]) -> tuple[str, str]:
    """Return the key of the figure in a verdict, and the word before its name.

    >>> choose_figure({"chance": "per-label"})
    ('corrected', 'corrected ')
    >>> choose_figure({"chance_undefined": "there is no text"})
    ('observed', '')
    """
    return ("observed", "") if settings.get("chance_undefined") else ("corrected", "corrected ")


def write_chance_remarks(settings: Mapping[str, Any]) -> list[str]:
    """Write the remark of a table with undefined chance; empty if chance is defined.

    >>> write_chance_remarks({"chance": "none", "chance_undefined": "there is no text"})
    ['chance and corrected figures are undefined: there is no text']
    """
    reason = settings.get("chance_undefined")
    return [f"chance and corrected figures are undefined: {escape_name(reason)}"] if reason else []


def write_quotes_not_in_text(
    settings: Mapping[str, Any],
    names: Collection[str],
    n_lost: int,
    outcome: str = "count as wrong",
) -> str:
    """Write a sentence on quotes that are not in the text; empty if there are none.

    Args:
        settings: settings of the result: treatment of such quotes, and numbers of quotes by layer.
        names: names of the layers in the result.
        n_lost: number of such quotes in the compared documents.
        outcome: treatment of such quotes in words, unless they are ignored.

    >>> settings = {"unplaced": "wrong", "quotes": {"mine": {"read": 934, "unaligned": 98}}}
    >>> write_quotes_not_in_text(settings, ["mine"], 98)
    '98 of 934 quotes are not in the text and count as wrong.'
    >>> write_quotes_not_in_text({**settings, "unplaced": "ignore"}, ["mine"], 0)
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
    quotes_phrase = (
        format_count_of_total(n_lost, n_read, "quote")
        if n_lost == n_unaligned
        else pluralize(n_lost, "quote")
    )
    if n_lost == 1:
        return f"{quotes_phrase} is not in the text and {_SINGULAR[outcome]}."
    return f"{quotes_phrase} are not in the text and {outcome}."


_SINGULAR = {
    "count as wrong": "counts as wrong",
    "are left out": "is left out",
    "match nothing": "matches nothing",
    "match nothing in F1": "matches nothing in F1",
    "match nothing, and are left out of all else": "matches nothing, and is left out of all else",
}


def write_names_without_segments(names: Sequence[str]) -> str:
    """Write a sentence on annotators or systems without a segment; empty without names.

    >>> write_names_without_segments(["mine", "yours"]), write_names_without_segments([])
    ('mine and yours marked nothing.', '')
    """
    return f"{join_in_words(names)} marked nothing." if names else ""


def write_coefficient(
    name: str,
    value: float,
    interval: tuple[float, float] | None = None,
    confidence: float | None = None,
    reason: str = "",
) -> str:
    """Write the value of a coefficient, between chance and full agreement.

    Args:
        name: name of the coefficient.
        value: value of the coefficient.
        interval: ends of its interval, if there is one.
        confidence: confidence of the interval in per cent.
        reason: reason for an undefined value.

    >>> write_coefficient("α", 0.512, (0.4, 0.6), 95)
    'α is .512 (95 % CI .400 to .600), where 0 is chance and 1 is full agreement.'
    """
    if math.isnan(value):
        return f"{name} is undefined: {reason}."
    interval_text = _format_in_brackets(interval, confidence)
    value_text = f"{format_short(value)}{interval_text}"
    return f"{name} is {value_text}, where 0 is chance and 1 is full agreement."


def write_extremes(
    values: Mapping[str, float],
    noun: str,
    subject: str = "it",
    intervals: Mapping[str, tuple[float, float]] | None = None,
    confidence: float | None = None,
) -> str:
    """Write which names have the highest and the lowest value; empty for fewer than two values.

    Args:
        values: value of each name.
        noun: noun for one of the names.
        subject: name of the figure.
        intervals: interval of each figure, if intervals were requested.
        confidence: confidence of the intervals in per cent.

    >>> write_extremes({"PER": 0.8, "LOC": 0.5}, "label")
    'By label it is highest for PER (.800) and lowest for LOC (.500); no test was made: add --ci.'
    >>> write_extremes({"PER": 1.0, "LOC": 1.0}, "label", "γ_k")
    'γ_k is the same for each label (1.000).'
    """
    defined = {name: value for name, value in values.items() if not math.isnan(value)}
    if len(defined) < 2:
        return ""
    high, low = (
        list_highest(defined),
        list_highest({name: -value for name, value in defined.items()}),
    )
    if high == low:
        sentence_subject = "It" if subject == "it" else subject
        return f"{sentence_subject} is the same for each {noun} ({format_short(defined[high[0]])})."
    interval_by_name = intervals or {}

    def add_figure(names: Sequence[str]) -> str:
        """Write names that share a figure with this figure; a single name has its interval too."""
        interval_text = ""
        if (
            len(names) == 1
            and confidence
            and not math.isnan(interval_by_name.get(names[0], (math.nan,))[0])
        ):
            interval_text = f", {write_interval(*interval_by_name[names[0]], confidence)}"
        return f"{join_in_words(names)} ({format_short(defined[names[0]])}{interval_text})"

    advice = "" if confidence else ": add --ci"
    return (
        f"By {noun} {subject} is highest for {add_figure(high)} and lowest for {add_figure(low)};"
        f" no test was made{advice}."
    )


def write_first_and_last(values: Mapping[str, float]) -> str:
    """Write the first and the last defined value of a series; empty for fewer than two.

    >>> write_first_and_last({"1": 0.5, "2": 0.7, "3": float("nan")})
    'from .500 (1) to .700 (2, the last that is defined)'
    """
    defined = [name for name, value in values.items() if not math.isnan(value)]
    if len(defined) < 2:
        return ""
    names, ends_in_words = list(values), []
    for position, ordinal in ((0, "first"), (-1, "last")):
        name = defined[position]
        remark = "" if name == names[position] else f", the {ordinal} that is defined"
        ends_in_words.append(f"{format_short(values[name])} ({escape_name(name)}{remark})")
    return f"from {ends_in_words[0]} to {ends_in_words[1]}"


def list_highest(values: Mapping[str, float]) -> list[str]:
    """List the names with the highest defined value.

    >>> list_highest({"a": 2, "b": 3, "c": 3, "d": float("nan")}), list_highest({})
    (['b', 'c'], [])
    """
    maximum = max((value for value in values.values() if not math.isnan(value)), default=math.nan)
    return [name for name, value in values.items() if value == maximum]


def write_most_frequent_kinds(counts: Mapping[str, int]) -> str:
    """Write the most frequent kinds of error, with their count and the total.

    >>> write_most_frequent_kinds({"boundary": 1, "missing": 3})
    'of the kind missing (3 of 4)'
    >>> write_most_frequent_kinds({"missing": 3, "spurious": 3})
    'of the kinds missing and spurious (3 of 6 each)'
    """
    kinds = list_highest(counts)
    share = f"{counts[kinds[0]]} of {sum(counts.values())}"
    if len(kinds) == 1:
        return f"of the kind {kinds[0]} ({share})"
    return f"of the kinds {join_in_words(kinds)} ({share} each)"


def write_order(
    scores: Mapping[str, Score],
    documents_phrase: str,
    confidence: float | None = None,
    advice: str = "",
    unmarked: Sequence[str] = (),
) -> list[str]:
    """Write sentences on the order of systems by corrected F1, without a test.

    Args:
        scores: F1 of each system.
        documents_phrase: words on the number of documents.
        confidence: confidence of the scores' intervals in per cent, if they have any.
        advice: option for a test, if there is one.
        unmarked: names of systems, or gold, without a segment.

    >>> write_order({"a": Score(0.8, 0.1, 0.7778), "b": Score(0.9, 0.1, 0.8889)}, "9 texts")
    ['By corrected F1 the order is b (.889), a (.778), on 9 texts.', 'No test was made.']
    """
    if len(scores) == 1:
        ((name, score),) = scores.items()
        if unmarked:
            return [f"{join_in_words(unmarked)} marked nothing, on {documents_phrase}."]
        score_text = write_score(escape_name(name), score, confidence)
        return [score_text, f"It was measured on {documents_phrase}."]
    ranked, score_key = rank_names(scores), choose_ranking_score(scores)
    if not ranked:
        sentence = f"No system has a defined {FIGURE_NAMES[score_key]}, on {documents_phrase}."
        return [sentence, *_write_unmarked(unmarked)]
    omission_phrases = [pluralize(len(ranked) - _NAMED, "other")] if len(ranked) > _NAMED else []
    groups = _group_ranked_names(scores, ranked[:_NAMED])
    groups_in_words = [
        f"{join_in_words(names)} ({format_short(getattr(scores[names[0]], score_key))})"
        for names in groups
    ]
    ranking = f"the order is {', '.join([*groups_in_words, *omission_phrases])}"
    if len(ranked) > 1 and len(_group_ranked_names(scores, ranked)) == 1:
        value = format_short(getattr(scores[ranked[0]], score_key))
        ranking = f"{join_in_words(sorted(ranked))} are equal ({value})"
    advice_phrase = f": add {advice}" if advice else ""
    sentence = f"By {FIGURE_NAMES[score_key]} {ranking}, on {documents_phrase}."
    return [sentence, f"No test was made{advice_phrase}.", *_write_unmarked(unmarked)]


def _write_unmarked(names: Sequence[str]) -> list[str]:
    """Write the sentence on layers without a segment, if there are any."""
    return [write_names_without_segments(names)] if names else []


def add_p_adjustment(sentence: str, adjustment: str) -> str:
    """Add the adjustment of its p to the end of a sentence.

    >>> add_p_adjustment("a is better than b, p .031.", "multiplied by 3 pairs")
    'a is better than b, p .031 (each p multiplied by 3 pairs).'
    """
    return f"{sentence.removesuffix('.')} (each p {adjustment})."


FIGURE_NAMES = {"observed": "F1", "corrected": "corrected F1"}
"""Names of the figures that may rank systems, by key."""


def choose_ranking_score(scores: Mapping[str, Score]) -> str:
    """Return the key of the figure that ranks systems: observed if any score has no chance.

    >>> choose_ranking_score({"a": Score(0.8, 0.1, 0.7778)})
    'corrected'
    >>> choose_ranking_score({"a": Score(0.8, math.nan, math.nan, NO_CHANCE)})
    'observed'
    """
    return (
        "observed" if any(score.reason == NO_CHANCE for score in scores.values()) else "corrected"
    )


def rank_names(scores: Mapping[str, Score]) -> list[str]:
    """List the names in descending order of the ranking figure, without undefined ones."""
    score_key = choose_ranking_score(scores)
    values = {name: getattr(score, score_key) for name, score in scores.items()}
    defined = [name for name, value in values.items() if not math.isnan(value)]
    return sorted(defined, key=lambda name: (-values[name], name))


def write_range(numbers: Sequence[int], noun: str) -> str:
    """Write the smallest and the largest of some numbers, with their noun.

    >>> write_range([42, 7, 9], "document"), write_range([1, 1], "document")
    ('7 to 42 documents', '1 document')
    """
    min_number, max_number = min(numbers), max(numbers)
    return (
        f"{min_number} to {pluralize(max_number, noun)}"
        if min_number < max_number
        else pluralize(max_number, noun)
    )


def list_leaders(scores: Mapping[str, Score]) -> list[str]:
    """List the names whose ranking figure is the highest, as printed.

    >>> list_leaders({"b": Score(0.8, 0.1, 0.77781), "a": Score(0.8, 0.1, 0.77784)})
    ['a', 'b']
    """
    groups = _group_ranked_names(scores, rank_names(scores))
    return groups[0] if groups else []


def _group_ranked_names(scores: Mapping[str, Score], ranked: Sequence[str]) -> list[list[str]]:
    """Group ranked names with equal printed figures, in the order of the figures."""
    score_key = choose_ranking_score(scores)
    by_figure: dict[str, list[str]] = {}
    for name in ranked:
        by_figure.setdefault(format_decimal(getattr(scores[name], score_key)), []).append(name)
    return [sorted(names) for names in by_figure.values()]


def join_in_words(names: Sequence[str]) -> str:
    """Join names for a sentence; if there are many, the first names and the number of others.

    >>> join_in_words(["a", "b", "c"]), join_in_words("abcdefgh")
    ('a, b and c', 'a, b, c, d, e and 3 others')
    """
    *first_names, last_name = abbreviate_names([*map(escape_name, names)], _NAMED, "other")
    return f"{', '.join(first_names)} and {last_name}" if first_names else last_name


def abbreviate_names(names: Sequence[str], max_names: int, noun: str) -> list[str]:
    """Return the first names, and the number of further names, if there are any.

    >>> abbreviate_names(["a and b", "a and c", "b and c"], 1, "more pair")
    ['a and b', '2 more pairs']
    """
    n_left = len(names) - max_names
    return [*names[:max_names], pluralize(n_left, noun)] if n_left > 0 else [*names]


def write_p(p: float) -> str:
    """Format a p value as in papers.

    >>> write_p(0.0312), write_p(0.0001)
    ('.031', '< .001')
    """
    return f"< {format_short(LEAST_P)}" if p < LEAST_P else format_short(p)


def _format_in_brackets(
    interval: tuple[float, float] | None, confidence: float | None, scope: str = ""
) -> str:
    """Format an interval in brackets, if it is defined."""
    if interval is None or confidence is None or math.isnan(interval[0]):
        return ""
    return f" ({write_interval(*interval, confidence)}{scope})"
