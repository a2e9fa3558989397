"""A paragraph of results with figures, intervals and coverage, from what JSON of a result has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from spanagree.comparisons.measures import find_match
from spanagree.errors import InputError, SpanAgreeError, counted, printable
from spanagree.results.table import decimal
from spanagree.settings import unit

_LABELS = 10  # of more than these, no figures by label
_GAPS = {
    "π": "categories' shares are means over the items with one label or more [[gwet2014]]",
    "κ": "an annotator's shares are over all items that she labelled [[gwet2014]]",
    "α": "only items with two labels or more count [[krippendorff2011]]",
    "AC1": "categories' shares are those of π [[gwet2014]]",
}
"""What a coefficient does where not everybody labelled every item."""


def results_paragraph(result: Mapping[str, Any]) -> str:
    """Return what was found, in sentences in which ``[[key]]`` cites a source.

    Args:
        result: what ``--format json`` of evaluate, agree or coefficients wrote.

    Raises:
        InputError: for the JSON of another command, or one that lacks figures.
    """
    settings = result.get("settings")
    settings = settings if isinstance(settings, Mapping) else {}
    write = _KINDS.get(str(result.get("kind")))
    if write is None or not settings:
        raise InputError(
            "a paragraph of results needs the figures of evaluate, agree or coefficients; pass what"
            " one of them writes with --format json"
        )
    try:
        return " ".join([*write(result), *_caveats(result.get("caveats", ()))])
    except (LookupError, TypeError, ValueError, AttributeError, SpanAgreeError) as error:
        raise InputError(
            f"figures are missing or are not numbers ({printable(str(error))}); write the result"
            " again with --format json"
        ) from None


def _agreement(result: Mapping[str, Any]) -> list[str]:
    document, summary = unit(result["settings"]), result["summary"]
    rows = {row["of"]: row for row in result["tables"]["team"]}
    team, mean = rows["team"], rows["mean over pairs"]
    saw, every = sorted(summary["saw"].values()), summary["documents"]
    gaps = any(documents < every for documents in saw)
    span = f"{saw[0]} to {saw[-1]} each" if gaps else "each of them all"
    sentences = [
        f"{counted(len(saw), 'annotator')} worked on {counted(every, document)} ({span}), of"
        f" which {summary['shared']} were seen by two or more; {counted(team['pairs'], 'pair')} of"
        f" annotators share a {document}.",
        f"Over all pairs {_f1(team['f1'])}.",
    ]
    if mean["f1"]["corrected"] is not None:
        spread = rows["sd over pairs"]["f1"]["corrected"]
        sentences.append(
            f"The mean over {counted(mean['pairs_corrected'], 'pair')} is"
            f" {_number(mean['f1']['observed'])} and above chance"
            f" {_with_interval(mean['f1'], 'corrected')}, with a standard deviation of"
            f" {_number(spread)}."
        )
    labels = result["tables"]["labels"]
    if 1 < len(labels) <= _LABELS:
        each = (f"{_text(row['label'])} {_number(row['f1']['corrected'])}" for row in labels)
        sentences.append(f"By label it is, above chance: {', '.join(each)}.")
    if gaps:
        sentences.append(
            f"As not everybody saw every {document}, each two annotators were compared over what"
            " both saw: matched and expected segments and sizes were summed over pairs and"
            f" {document}s, and F1 taken of the sums, so that {document}s that many saw weigh more."
        )
    return sentences


def _coefficients(result: Mapping[str, Any]) -> list[str]:
    counts, settings = result["summary"], result["settings"]
    items = settings.get("items")
    item = items[:-1] if items in ("tokens", "characters") else "item"
    gaps = counts["labels"] < counts["items"] * counts["annotators"]
    rows = result["tables"]["coefficients"]
    named = {row["coefficient"]: row for row in rows if row["coefficient"] != "B"}
    each = [f"{_text(k)} {_value(entry)}" for k, entry in named.items()]
    sentences = [
        f"{counted(counts['annotators'], 'annotator')} gave {counts['labels']} labels of"
        f" {counted(counts['categories'], 'category')} to"
        f" {counted(counts['items'], item)}, of which {counts['compared']} have two or more"
        f" ({counted(counts['pairs'], 'pair')} of labels).",
        f"The coefficients are {'; '.join(each)}.",
    ]
    if gaps:
        rules = "; ".join(f"of {k} {_GAPS[k]}" for k in named if k in _GAPS)
        sentences.append(
            f"As not everybody labelled every {item}, observed agreement is the mean over those"
            f" with two labels or more, and {rules}."
        )
    return sentences


def _evaluation(result: Mapping[str, Any]) -> list[str]:
    document, every = unit(result["settings"]), result["summary"]["documents"]
    systems = result["tables"]["systems"]
    sentences = []
    for system in systems:
        seen = system["documents"]
        part = f"{seen} of {counted(every, document)}" if seen < every else f"{seen} {document}s"
        size = "token" if find_match(result["settings"]["match"]).in_tokens else "segment"
        of_raw = [
            f"{k} {_number(system[k]['observed'])}"
            for k in ("precision", "recall")
            if system[k]["observed"] is not None
        ]
        sentences.append(
            f"Over {part} with {counted(system['size_gold'], size)} in gold,"
            f" {_text(system['system'])} marked {system['size_system']}; {_f1(system['f1'])}"
            f" ({', '.join(of_raw) or 'no precision nor recall'})."
        )
    if any(system["documents"] < every for system in systems):
        sentences.append(f"Each system was compared with gold over the {document}s that both saw.")
    return sentences


_KINDS = {"Agreement": _agreement, "Coefficients": _coefficients, "Evaluation": _evaluation}
"""What writes of each kind of result."""


# --- parts of sentences -------------------------------------------------------------------------


def _f1(figures: Mapping[str, Any]) -> str:
    if figures["observed"] is None:
        return f"F1 is undefined ({_text(figures.get('undefined', 'nothing is marked'))})"
    observed, by_chance = _with_interval(figures, "observed"), _with_interval(figures, "expected")
    both = f"F1 is {observed}, of which chance alone would give {by_chance} [[li2024]]"
    if figures["corrected"] is None:
        return f"{both}; above chance it is undefined"
    return f"{both}; above chance it is {_with_interval(figures, 'corrected')}"


def _value(entry: Mapping[str, Any]) -> str:
    if entry["value"] is None:
        return "undefined"
    kind = "observed" if entry["coefficient"] == "SPA" else "corrected"
    ends = (entry.get("interval") or {}).get(kind)
    parts = f"observed {_number(entry['observed'])}, by chance {_number(entry['expected'])}"
    return f"{_number(entry['value'])}{_ends(ends)} ({parts})"


def _with_interval(figures: Mapping[str, Any], kind: str) -> str:
    return _number(figures[kind]) + _ends((figures.get("interval") or {}).get(kind))


def _ends(ends: Sequence[float | None] | None) -> str:
    if not ends or None in ends:
        return ""
    low, high = (_number(end) for end in ends)
    return f" [{low}, {high}]"


def _number(value: float | None) -> str:
    return "undefined" if value is None else decimal(float(value), 3)


def _text(text: str) -> str:
    """Return a user's text, in which nothing is taken for the mark of a source."""
    return printable(text).replace("[[", "[ [")


def _caveats(caveats: Sequence[str]) -> list[str]:
    """Return what is to be kept in mind, as sentences."""
    return [f"To be kept in mind: {_text('; '.join(caveats))}."] if caveats else []
