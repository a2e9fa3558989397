"""What completes the table of any result: kinds of its intervals, quotes that are not aligned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from spanagree.errors import escape_name, pluralize
from spanagree.results.frame import Column, Frame, Value
from spanagree.results.score import Interval
from spanagree.settings import Settings, confidence_of, kinds_and_confidence

_MOST_SHARES = 9  # layers; of more one sentence says it for all


def completed(table: Frame, *, of_layers: bool) -> Frame:
    """Return a table with the kinds of its intervals, and with shares of quotes not aligned.

    Args:
        table: table that a result describes itself by.
        of_layers: if True, it says the shares in sentences where no row is of a layer.
    """
    return _with_kinds(with_unaligned(table, of_layers=of_layers))


def _with_kinds(table: Frame) -> Frame:
    """Let the settings of a table name the kinds of interval that are in it."""
    settings = table.settings
    if not isinstance(settings, Settings) or (confidence := confidence_of(settings)) is None:
        return table
    cells = [value for row in table.rows for value in row]
    intervals = (x if isinstance(x, Interval) else getattr(x, "interval", None) for x in cells)
    kinds = {interval.kind for interval in intervals if interval is not None}
    if not kinds:
        return table
    settings = replace(settings, ci=kinds_and_confidence(kinds, confidence))
    others = (table.in_terminal, table.in_data)
    short, data = (x and replace(x, settings=settings) for x in others)
    return replace(table, settings=settings, in_terminal=short, in_data=data)


def unaligned_of(settings: Mapping[str, Any], name: Value) -> dict[str, Any]:
    """Return the share of a layer's quotes that are not in the text; nothing if it has offsets.

    >>> unaligned_of({"quotes": {"model": {"read": 4, "unaligned": 1}}}, "model")
    {'unaligned': 0.25}
    """
    counts = settings.get("quotes", {}).get(name, {})
    return {"unaligned": counts["unaligned"] / counts["read"]} if counts.get("read") else {}


def with_unaligned(table: Frame, *, of_layers: bool = False) -> Frame:
    """Return a table with the share of quotes not aligned, if a layer in it is made of quotes.

    They are counted when the corpus is read, so the rows that have it are those of whole layers;
    a table without such rows has sentences if it is ``of_layers`` all the same.
    """
    if "quotes" not in table.settings:
        return table
    sentences = _unaligned_sentences(table.settings)
    keys = [column.key for column in table.columns]
    naming = next((keys.index(key) for key in ("system", "annotator") if key in keys), None)
    if naming is None:
        return replace(table, remarks=[*table.remarks, *sentences]) if of_layers else table
    names = [row[naming] for row in table.rows]
    is_of_layer = [len(set(names)) == len(names)] * len(names)
    if "average" in keys:  # rows of parts, and those of all of them
        is_of_layer = [row[keys.index("average")] == "micro" for row in table.rows]
    shares = [
        unaligned_of(table.settings, name).get("unaligned") if is_whole else None
        for name, is_whole in zip(names, is_of_layer, strict=True)
    ]
    if all(share is None for share in shares):
        return table
    return replace(
        table,
        columns=[*table.columns, Column("unaligned", "" if "not_found" in keys else "not aligned")],
        rows=[[*row, share] for row, share in zip(table.rows, shares, strict=True)],
        # a table that is turned has no column of a whole system
        remarks=[*table.remarks, *(sentences if table.pivot else ())],
        in_terminal=None if table.in_terminal is None else with_unaligned(table.in_terminal),
        in_data=None if table.in_data is None else with_unaligned(table.in_data),
    )


def _unaligned_sentences(settings: Mapping[str, Any]) -> list[str]:
    """Return the share of quotes not aligned of each layer; of many layers that of all."""
    counts = {name: count for name, count in settings["quotes"].items() if count["read"]}
    if len(counts) > _MOST_SHARES:
        lost, read = (sum(count[k] for count in counts.values()) for k in ("unaligned", "read"))
        share = f"{lost / read:.3f} of the quotes or tags"
        return [f"{share} of {pluralize(len(counts), 'annotator')} are not aligned"]
    return [
        f"{escape_name(name)}: {unaligned_of(settings, name)['unaligned']:.3f} of its quotes or"
        " tags are not aligned"
        for name in counts
    ]
