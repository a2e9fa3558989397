"""Additions to the table of any result: kinds of its intervals, and shares of unaligned quotes.

Some layers consist of quotes, texts without offsets, or of tags; a quote that is not found in its
document is unaligned. The kind of an interval is its method, such as jackknife-t or exact.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from spanagree.errors import escape_name, pluralize
from spanagree.results.cells import Value
from spanagree.results.frame import Column, Frame
from spanagree.results.score import Interval
from spanagree.settings import Settings, format_kinds_and_confidence, parse_confidence

_MOST_SHARES = 9  # layers; if there are more, one sentence covers all


def complete_table(table: Frame, *, of_layers: bool) -> Frame:
    """Add the kinds of intervals, and the shares of unaligned quotes, to a table.

    Args:
        table: table of a result.
        of_layers: True to write the shares as sentences if no row describes a layer.
    """
    return _record_interval_kinds(add_unaligned_shares(table, of_layers=of_layers))


def _record_interval_kinds(table: Frame) -> Frame:
    """Record the kinds of the intervals in the cells of a table in its settings."""
    settings = table.settings
    if not isinstance(settings, Settings) or (confidence := parse_confidence(settings)) is None:
        return table
    cells = (value for row in table.rows for value in row)
    interval_kinds = {interval.kind for cell in cells for interval in _list_intervals(cell)}
    if not interval_kinds:
        return table
    settings = replace(settings, ci=format_kinds_and_confidence(interval_kinds, confidence))
    variants = (table.in_terminal, table.in_data)
    terminal_table, data_table = (cell and replace(cell, settings=settings) for cell in variants)
    return replace(table, settings=settings, in_terminal=terminal_table, in_data=data_table)


def _list_intervals(cell: Value) -> list[Interval]:
    """List the intervals in a cell: its own, that of its score, or those of several figures."""
    if isinstance(cell, Mapping):
        return [value for value in cell.values() if isinstance(value, Interval)]
    interval = cell if isinstance(cell, Interval) else getattr(cell, "interval", None)
    return [] if interval is None else [interval]


def get_unaligned_share(settings: Mapping[str, Any], name: Value) -> dict[str, Any]:
    """Return the share of a layer's quotes that are not in the text; empty for offsets.

    >>> get_unaligned_share({"quotes": {"model": {"read": 4, "unaligned": 1}}}, "model")
    {'unaligned': 0.25}
    """
    counts = settings.get("quotes", {}).get(name, {})
    return {"unaligned": counts["unaligned"] / counts["read"]} if counts.get("read") else {}


def add_unaligned_shares(table: Frame, *, of_layers: bool = False) -> Frame:
    """Add a column with the share of unaligned quotes to a table with layers of quotes.

    Quotes are counted when the corpus is read, so only rows about a whole layer have a share. A
    table without such rows is unchanged, or has sentences if ``of_layers`` is true.
    """
    if "quotes" not in table.settings:
        return table
    sentences = _write_unaligned_sentences(table.settings)
    keys = [column.key for column in table.columns]
    name_index = next((keys.index(key) for key in ("system", "annotator") if key in keys), None)
    if name_index is None:
        return replace(table, remarks=[*table.remarks, *sentences]) if of_layers else table
    names = [row[name_index] for row in table.rows]
    is_of_layer = [len(set(names)) == len(names)] * len(names)
    if "average" in keys:  # only averages are rows of whole layers
        is_of_layer = [row[keys.index("average")] == "micro" for row in table.rows]
    shares = [
        get_unaligned_share(table.settings, name).get("unaligned") if is_of_whole_layer else None
        for name, is_of_whole_layer in zip(names, is_of_layer, strict=True)
    ]
    if all(share is None for share in shares):
        return table
    return replace(
        table,
        columns=[*table.columns, Column("unaligned", "" if "not_found" in keys else "not aligned")],
        rows=[[*row, share] for row, share in zip(table.rows, shares, strict=True)],
        # a pivoted table has no column of a whole system
        remarks=[*table.remarks, *(sentences if table.pivot else ())],
        in_terminal=None if table.in_terminal is None else add_unaligned_shares(table.in_terminal),
        in_data=None if table.in_data is None else add_unaligned_shares(table.in_data),
    )


def _write_unaligned_sentences(settings: Mapping[str, Any]) -> list[str]:
    """Write the share of unaligned quotes of each layer, or of all if there are many."""
    counts = {name: count for name, count in settings["quotes"].items() if count["read"]}
    if len(counts) > _MOST_SHARES:
        n_unaligned, n_read = (
            sum(count[key] for count in counts.values()) for key in ("unaligned", "read")
        )
        share = f"{n_unaligned / n_read:.3f} of the quotes or tags"
        return [f"{share} of {pluralize(len(counts), 'annotator')} are not aligned"]
    return [
        f"{escape_name(name)}: {get_unaligned_share(settings, name)['unaligned']:.3f} of its"
        " quotes or tags are not aligned"
        for name in counts
    ]
