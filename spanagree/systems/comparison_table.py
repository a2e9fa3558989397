"""A comparison of systems as a table and a plot, with its verdict and warnings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

import numpy as np

from spanagree.errors import escape_name, pluralize
from spanagree.results.cells import Value
from spanagree.results.frame import Column, Frame
from spanagree.results.names import shorten_names
from spanagree.results.plots import Plot, plot_dots, plot_heat_map
from spanagree.results.score import convert_figures
from spanagree.results.verdict import abbreviate_names, write_chance_remarks
from spanagree.settings import document_noun
from spanagree.systems.comparison_verdict import (
    BOOTSTRAP_DOCUMENTS,
    find_few_documents,
    get_main_difference,
    has_p,
    is_significant,
    name_main_figure,
)
from spanagree.systems.comparison_verdict import write_verdict as write_verdict
from spanagree.uncertainty.permutation import build_powerless_caveat

if TYPE_CHECKING:
    from spanagree.systems.comparison import Comparison, SystemPair

_MAX_PLOTTED_PAIRS = 10  # more pairs are drawn as a heat map
_NAMED = 3  # pairs in a sentence


def list_caveats(comparison: Comparison) -> tuple[str, ...]:
    """List warnings about too few draws, and about too few documents for the bootstrap."""
    settings = comparison.settings
    if not settings.is_drawn:
        return ()
    drawn_p = [pair.observed.p for pair in comparison.pairs if not pair.exact]
    warnings = build_powerless_caveat(drawn_p, settings["resamples"], "pair")
    min_documents = find_few_documents(comparison)
    if min_documents is None:
        return warnings
    return (
        *warnings,
        f"only {pluralize(min_documents, 'document')}: with fewer than {BOOTSTRAP_DOCUMENTS} the"
        " bootstrap finds differences too often; the jackknife does not",
    )


def build_table(comparison: Comparison, by: str | None) -> Frame:
    """Build the table, with a row for each pair of systems."""
    pairs, settings = comparison.pairs, comparison.settings
    has_left_out = any(pair.left_out for pair in pairs)
    pair_columns = [
        Column("a", "a", "name", "two systems"),
        Column("b", "b", "name", "two systems"),
        Column("documents", f"{document_noun(settings)}s" if has_left_out else "", "count"),
        Column("differing", "", "count"),
        Column("exact", "", "mark"),
        Column("left_out", "", "count"),
    ]
    columns = [
        *pair_columns,
        *_build_difference_columns(comparison, "observed", "F1 a − b"),
        *_build_difference_columns(comparison, "corrected", "corrected a − b"),
    ]
    rows: list[list[Value]] = []
    remarks: dict[str, None] = {}
    if settings.is_drawn and any(pair.exact for pair in pairs):
        remarks["p of pairs that differ in few documents is exact: all exchanges counted"] = None
    for pair in pairs:
        row: list[Value] = [getattr(pair, column.key) for column in pair_columns]
        for difference in (pair.observed, pair.corrected):
            value, low, high, p, p_adjusted, reason = difference
            row += [convert_figures(difference), value, low, high, (low, high), p, p_adjusted]
            if reason:
                remarks[f"{escape_name(pair.a)}, {escape_name(pair.b)}: {reason}"] = None
        rows.append(row)
    return Frame(
        columns,
        rows,
        settings,
        caption=_write_caption(comparison),
        remarks=[
            *write_chance_remarks(settings),
            *_yield_findings(comparison),
            *remarks,
            *comparison.caveats,
        ],
    )


def _build_difference_columns(comparison: Comparison, score_key: str, title: str) -> list[Column]:
    """Build the columns of a difference: its value, interval, p and adjusted p.

    Args:
        comparison: all pairs.
        score_key: key of the figure.
        title: title of the difference.
    """
    n_pairs, is_drawn = len(comparison.pairs), comparison.settings.is_drawn
    is_unadjusted = n_pairs == 1 and not is_drawn
    adjusted_title = "Holm" if is_drawn else f"p × {n_pairs}"
    return [
        Column(score_key, kind="json"),
        Column(f"{score_key}_value", title),
        Column(f"{score_key}_low"),
        Column(f"{score_key}_high"),
        Column("", "" if is_drawn else "interval", "interval", "interval of a difference"),
        Column(
            f"{score_key}_p",
            "p" if is_unadjusted or is_drawn else "",
            "probability",
            "p of a difference",
        ),
        Column(
            f"{score_key}_p_adjusted",
            "" if is_unadjusted else adjusted_title,
            "probability",
            "adjusted p",
        ),
    ]


def _write_caption(comparison: Comparison) -> str:
    """Write the caption of the table, with the adjustment of p."""
    opening = f"differences of systems ({comparison.settings.test}); p is two-sided"
    n_pairs = len(comparison.pairs)
    if comparison.settings.is_drawn:
        return f"{opening}, Holm's for all pairs"
    if n_pairs == 1:
        return opening
    return f"{opening}, times {n_pairs} pairs, and intervals are simultaneous"


def _yield_findings(comparison: Comparison) -> Iterator[str]:
    """Yield remarks on undecided pairs, and on pairs that the correction reorders."""
    n_pairs = len(comparison.pairs)
    undecided = [
        pair
        for pair in comparison.pairs
        if has_p(comparison, pair) and not is_significant(comparison, pair)
    ]
    p_name = "Holm's p" if comparison.settings.is_drawn else f"p × {n_pairs}"
    p_name = "p" if n_pairs == 1 else p_name
    if undecided:
        yield (
            f"{len(undecided)} of {pluralize(n_pairs, 'pair')} cannot be told apart by"
            f" {name_main_figure(comparison)} ({p_name} not below {comparison.level:g}):"
            f" {_list_pair_names(undecided)}"
        )
    provisos = {
        True: "",
        False: ", but they cannot be told apart, so that is not a finding",
    }
    for wanted_certainty, proviso in provisos.items():
        reordered_pairs = [
            pair for pair, is_certain in comparison.reordered if is_certain is wanted_certainty
        ]
        if reordered_pairs:
            yield f"chance changes the order of {_list_pair_names(reordered_pairs)}{proviso}"


def _list_pair_names(pairs: Sequence[SystemPair]) -> str:
    """List the names of the first pairs, and the number of further pairs."""
    pair_names = [f"{escape_name(pair.a)} and {escape_name(pair.b)}" for pair in pairs]
    return ", ".join(abbreviate_names(pair_names, _NAMED, "more pair"))


def build_plot(comparison: Comparison, by: str | None) -> Plot:
    """Plot the differences with their intervals, or a heat map for many pairs."""
    names = list(dict.fromkeys(name for pair in comparison.pairs for name in (pair.a, pair.b)))
    if len(comparison.pairs) > _MAX_PLOTTED_PAIRS:
        return _plot_heat_map(comparison, names)
    short_by_name = dict(zip(names, shorten_names(names), strict=True))
    rows = [
        (
            f"{short_by_name[pair.a]} − {short_by_name[pair.b]}",
            [(d.value, d.low, d.high) for d in (pair.observed, pair.corrected)],
        )
        for pair in comparison.pairs
    ]
    titles, axis_title = ("F1", "corrected F1"), "difference of F1, with intervals"
    return plot_dots(rows, titles, axis_title, zero=True)


def _plot_heat_map(comparison: Comparison, names: Sequence[str]) -> Plot:
    """Plot the differences of all pairs as a heat map, systems × systems."""
    index_by_name = {name: i for i, name in enumerate(names)}
    values = np.full((len(names), len(names)), np.nan)
    is_marked = np.zeros(values.shape, bool)
    for pair in comparison.pairs:
        i, j = index_by_name[pair.a], index_by_name[pair.b]
        values[i, j] = get_main_difference(comparison, pair).value
        values[j, i] = -values[i, j]
        is_marked[i, j] = is_marked[j, i] = is_significant(comparison, pair)
    limit = max(float(np.nanmax(np.abs(values), initial=0)), 0.01)
    title = (
        f"{name_main_figure(comparison)} of the row − of the column (* p < {comparison.level:g})"
    )
    return plot_heat_map(names, names, values, title, (-limit, limit), is_marked)
