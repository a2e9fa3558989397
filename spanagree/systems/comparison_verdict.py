"""The verdict on a comparison of systems, which claims no more than its test supports.

The leaders are the systems with the highest corrected F1, compared as printed; if chance is
undefined, F1 decides.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from spanagree.errors import escape_name, pluralize
from spanagree.results.verdict import (
    FIGURE_NAMES,
    abbreviate_names,
    add_p_adjustment,
    choose_figure,
    choose_ranking_score,
    format_short,
    join_in_two_sentences,
    join_in_words,
    list_leaders,
    rank_names,
    write_chance_model,
    write_interval,
    write_names_without_segments,
    write_p,
)
from spanagree.settings import document_noun, parse_confidence
from spanagree.uncertainty.confidence import LEAST_UNITS

if TYPE_CHECKING:
    from spanagree.systems.comparison import Comparison, Difference, SystemPair

BOOTSTRAP_DOCUMENTS = 30
"""Number of documents below which the bootstrap's p is too small."""

_NAMED = 5  # systems or pairs in a sentence
_NAMED_WITH_FIXED_RUNS = 3  # systems


def write_verdict(comparison: Comparison) -> str:
    """Write which system has the highest corrected F1, and which pairs differ significantly."""
    title = name_main_figure(comparison)
    ranked = rank_names(comparison.scores)
    if len(ranked) < 2:
        return f"Fewer than two systems have a defined {title}."
    leaders = list_leaders(comparison.scores)
    leads = [_find_lead(comparison, leaders, name) for name in ranked if name != leaders[0]]
    sentences = [_write_leaders(comparison, leaders, leads)]
    n_pairs = len(comparison.pairs)
    pairs_in_words = [
        f"{escape_name(pair.a)} is better than {escape_name(pair.b)},"
        f" p {write_p(get_main_difference(comparison, pair).p_adjusted)}"
        for pair in _list_other_pairs(comparison, ranked, leaders, leads)
    ]
    if pairs_in_words:
        n_left = len(pairs_in_words) - _NAMED
        omission_phrases = (
            [f"and {pluralize(n_left, 'more pair')} differ{'s' * (n_left == 1)}"]
            if n_left > 0
            else []
        )
        sentences.append(f"{'; '.join([*pairs_in_words[:_NAMED], *omission_phrases])}.")
    if n_pairs > 1 and comparison.settings.is_drawn:
        sentences[-1] = add_p_adjustment(sentences[-1], f"adjusted for {n_pairs} pairs, Holm")
    elif n_pairs > 1 and pairs_in_words:
        sentences[-1] = add_p_adjustment(sentences[-1], f"multiplied by {n_pairs} pairs")
    return join_in_two_sentences(
        *sentences,
        write_names_without_segments(comparison.unmarked),
        _write_sentence_on_bootstrap(comparison),
        _write_sentence_on_runs(comparison),
        write_chance_model(comparison.settings) if title == "F1" else "",
        comparison.not_in_text,
    )


def name_main_figure(comparison: Comparison) -> str:
    """Return the name of the figure that decides: corrected F1, or F1 if chance is undefined."""
    return f"{choose_figure(comparison.settings)[1]}F1"


def get_main_difference(comparison: Comparison, pair: SystemPair) -> Difference:
    """Return the difference of a pair in the figure that decides."""
    difference: Difference = getattr(pair, choose_figure(comparison.settings)[0])
    return difference


def is_significant(comparison: Comparison, pair: SystemPair) -> bool:
    """Return whether a pair differs significantly in the figure that decides."""
    return get_main_difference(comparison, pair).p_adjusted < comparison.level


def has_p(comparison: Comparison, pair: SystemPair) -> bool:
    """Return whether the test of a pair has a p in the figure that decides."""
    return not math.isnan(get_main_difference(comparison, pair).p_adjusted)


def _find_lead(comparison: Comparison, leaders: Sequence[str], name: str) -> SystemPair:
    """Find the pair of a leader and another system; of several leaders, that with the largest p.

    A pair without a p comes before all others.
    """
    pairs = [comparison[leader, name] for leader in leaders if leader != name]
    return max(
        pairs,
        key=lambda pair: (
            not has_p(comparison, pair),
            get_main_difference(comparison, pair).p_adjusted,
        ),
    )


def _is_behind(comparison: Comparison, lead: SystemPair) -> bool:
    """Return whether a leader is significantly behind, on the documents that both systems saw."""
    value = get_main_difference(comparison, lead).value
    return is_significant(comparison, lead) and value < 0


def _list_other_pairs(
    comparison: Comparison,
    ranked: Sequence[str],
    leaders: Sequence[str],
    leads: Sequence[SystemPair],
) -> list[SystemPair]:
    """List the significant pairs that the sentence on the leaders does not name.

    Args:
        comparison: all pairs.
        ranked: names of the systems in ranked order.
        leaders: names of the leading systems.
        leads: pairs of a leader and another system.

    Returns:
        Pairs with the better system first, in the order of the ranks.
    """
    rank_by_name = {name: rank for rank, name in enumerate(ranked)}
    named_systems = {lead.b for lead in leads if _is_behind(comparison, lead)}
    if not named_systems and all(is_significant(comparison, lead) for lead in leads):
        named_systems = {*ranked}  # the sentence says that all are told apart
    other_pairs = []
    for pair in comparison.pairs:
        is_named = (pair.a in leaders and pair.b in named_systems) or (
            pair.b in leaders and pair.a in named_systems
        )
        if is_significant(comparison, pair) and not is_named:
            is_turned = get_main_difference(comparison, pair).value < 0
            other_pairs.append(comparison[pair.b, pair.a] if is_turned else pair)
    return sorted(other_pairs, key=lambda pair: (rank_by_name[pair.a], rank_by_name[pair.b]))


def _write_leaders(
    comparison: Comparison, leaders: Sequence[str], leads: Sequence[SystemPair]
) -> str:
    """Write the sentence on the leading systems and their tests against other systems.

    Args:
        comparison: all pairs.
        leaders: names of the leading systems.
        leads: pairs of a leader and another system, in ranked order.
    """
    equal_leaders = {*leaders[1:]}
    leads = [
        lead
        for lead in leads
        if is_significant(comparison, lead) or lead.left_out or lead.b not in equal_leaders
    ]
    verb, copula = ("have", "are") if equal_leaders else ("has", "is")
    score_key = choose_ranking_score(comparison.scores)
    value = format_short(getattr(comparison.scores[leaders[0]], score_key))
    main_clause = f"{join_in_words(leaders)} {verb} the highest {FIGURE_NAMES[score_key]} ({value})"
    if not leads:
        return f"{main_clause}."
    leads_by_predicate = {
        f"{copula} behind": [lead for lead in leads if _is_behind(comparison, lead)],
        "cannot be told apart from": [
            lead
            for lead in leads
            if has_p(comparison, lead) and not is_significant(comparison, lead)
        ],
        "cannot be tested against": [lead for lead in leads if not has_p(comparison, lead)],
    }
    clauses = []
    for predicate, named_leads in leads_by_predicate.items():
        if named_leads:
            leads_in_words = [_write_lead(comparison, lead) for lead in named_leads]
            names = ", ".join(abbreviate_names(leads_in_words, _NAMED, "other"))
            clauses.append(f"{predicate} {names}")
    if clauses:
        return f"{main_clause}, but {' and '.join(clauses)}."
    nearest = min(leads, key=lambda lead: get_main_difference(comparison, lead).value)
    return (
        f"{main_clause}, and {copula} told apart from all others; the closest is"
        f" {_write_lead(comparison, nearest)}."
    )


def _write_lead(comparison: Comparison, lead: SystemPair) -> str:
    """Write the name of the other system, with the difference and its interval or else its p."""
    settings, n_pairs = comparison.settings, len(comparison.pairs)
    value, low, high, _, p, _ = get_main_difference(comparison, lead)
    documents_phrase = f" on {document_noun(settings)}s that both saw" if lead.left_out else ""
    confidence = parse_confidence(settings)
    difference = f"difference {format_short(value)}{documents_phrase}"
    if math.isnan(p):
        return f"{escape_name(lead.b)} ({difference}, {settings.test} p undefined)"
    if confidence is None or not low < high:
        evidence = f"{settings.test} p {write_p(p)}"
    else:
        evidence = write_interval(low, high, confidence, settings.test)
        if n_pairs > 1:
            evidence = f"simultaneous {evidence}, {n_pairs} pairs"
    return f"{escape_name(lead.b)} ({difference}, {evidence})"


def find_few_documents(comparison: Comparison) -> int | None:
    """Find the smallest number of documents of a pair, if it is too small for the bootstrap."""
    min_documents = min(pair.documents for pair in comparison.pairs)
    is_few = comparison.settings.test == "bootstrap" and min_documents < BOOTSTRAP_DOCUMENTS
    return min_documents if is_few else None


def _write_sentence_on_bootstrap(comparison: Comparison) -> str:
    """Write that the bootstrap finds too much in few documents; empty if it does not apply."""
    min_documents = find_few_documents(comparison)
    if min_documents is None:
        return ""
    n_documents = pluralize(min_documents, document_noun(comparison.settings))
    return f"With {n_documents} the bootstrap finds differences too often."


def _write_sentence_on_runs(comparison: Comparison) -> str:
    """Write whether the test regards other runs; empty if no system has several."""
    n_runs = comparison.settings.get("runs", {})
    names_with_fixed_runs = [
        name for name in comparison.scores if n_runs.get(name, 1) < LEAST_UNITS
    ]
    if not n_runs:
        return ""
    if not names_with_fixed_runs:
        return "The test regards other documents and other runs."
    if len(names_with_fixed_runs) == len(comparison.scores):
        return (
            "The test regards other documents, and these runs: for others it needs"
            f" {LEAST_UNITS} of a system."
        )
    names = abbreviate_names(
        [*map(escape_name, names_with_fixed_runs)], _NAMED_WITH_FIXED_RUNS, "more system"
    )
    return (
        "The test regards other documents and other runs, but not other runs of"
        f" {', '.join(names)}."
    )
