"""Explanations of the figures of a table, with their limits.

Paragraphs are in ``explanations.md``, and in tables of this package, under headings. Columns of a
table name the heading of their paragraph. Paragraphs contain placeholders for words that depend on
settings, such as the noun for a document.
"""

from __future__ import annotations

import functools
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Any

from spanagree.chance.model import NONE
from spanagree.chance.start_distributions import CHANCES
from spanagree.comparisons.measures import find_measure
from spanagree.comparisons.relation_places import OF_ARGUMENTS
from spanagree.comparisons.strings import MEANS as OF_STRINGS
from spanagree.comparisons.tally_columns import COUNTS
from spanagree.corpus.segments import write_in_units
from spanagree.labels.category_weights import CATEGORY_WEIGHTS, MEASUREMENTS
from spanagree.labels.formulas import COEFFICIENTS, CORRECTED
from spanagree.labels.sparse_agreement import WEIGHTS
from spanagree.results.display import DisplayTable
from spanagree.results.frame import Frame
from spanagree.results.markdown import escape_markdown
from spanagree.results.score import FIGURES
from spanagree.settings import document_noun, parse_confidence, parse_interval_methods

Explained = Sequence[tuple[str, str]]
"""Names of figures, and a paragraph for each."""

_HEAD = "what the figures mean, and when not to trust them"
_WIDTH = 80
_CHANCE = "chance F1"


def explain(tables: Sequence[Frame]) -> Explained:
    """Collect the paragraphs that explain settings, columns and rows of tables, each once.

    Raises:
        LookupError: if ``explanations.md`` has no paragraph for a meaning.

    >>> from spanagree.results.frame import Column
    >>> table = Frame([Column("system", "system", "name")], [], {"match": "exact"})
    >>> [name for name, _ in explain([table])]
    ['match exact', 'system']
    """
    return list(dict.fromkeys(entry for table in tables for entry in _explain_table(table)))


def format_as_text(explained: Explained) -> str:
    """Format the paragraphs for a terminal."""
    lines = [
        textwrap.fill(f"{name}: {text}", _WIDTH, subsequent_indent="  ", break_on_hyphens=False)
        for name, text in explained
    ]
    return "\n".join([_HEAD, "", *lines, ""])


def format_as_markdown(explained: Explained) -> str:
    """Format the paragraphs as a list."""
    lines = [f"- **{escape_markdown(name)}**: {escape_markdown(text)}" for name, text in explained]
    return "\n".join([f"{_HEAD.capitalize()}:", "", *lines, ""])


EXPLAINED: Mapping[str, Callable[[Explained], str]] = {
    "text": format_as_text,
    "markdown": format_as_markdown,
}
"""Writers of explanations, by name of their format."""


@functools.cache
def read_paragraphs() -> Mapping[str, str]:
    """Read all paragraphs by heading; a heading with several names is split at " / ".

    Raises:
        LookupError: if two paragraphs have the same name.

    >>> read_paragraphs()["annotators"]
    'number of annotators who saw it.'
    """
    text = files("spanagree.report").joinpath("explanations.md").read_text("utf-8")
    by_name = {ratio.meaning: ratio.explanation for ratio in FIGURES.values()}
    for coefficient_kind in COEFFICIENTS.values():
        by_name[coefficient_kind.title] = coefficient_kind.means
        if coefficient_kind.weighted_sign:
            by_name[coefficient_kind.weighted_sign] = coefficient_kind.weighted_means
    by_name |= {count.meaning: count.means for count in COUNTS.values() if count.title}
    for heading, body in re.findall(r"^## (.*)\n((?:(?!#).*\n)*)", text, re.M):
        for name in map(str.strip, heading.split(" / ")):
            if name in by_name:  # the second paragraph would replace the first
                raise LookupError(
                    f"{name!r} has two paragraphs in report/explanations.md; join them, or give"
                    " one another heading"
                )
            by_name[name] = " ".join(body.split())
    return by_name


def _explain_table(table: Frame) -> Iterator[tuple[str, str]]:
    """Yield names and paragraphs for the settings of a table, its columns, and its other terms."""
    words = _choose_placeholder_words(table.settings)
    yield from _explain_settings(table.settings, words)
    columns = DisplayTable.from_frame(table).columns
    del columns[2 : 2 + table.across]  # names of systems, not figures
    headings_of_columns = [(column.title, column.meaning or column.title) for column in columns]
    names_by_paragraph: dict[str, dict[str, None]] = {}
    for name, heading in [*headings_of_columns, *table.meanings.items()]:
        if name.strip():
            is_undefined = heading == _CHANCE and table.settings.get("chance") == NONE
            paragraph = _join_paragraphs(f"{heading} undefined" if is_undefined else heading)
            names_by_paragraph.setdefault(paragraph, {})[name] = None
    for text, names in names_by_paragraph.items():
        yield " / ".join(names), text.format(**words)


def _join_paragraphs(*headings: str) -> str:
    """Join the paragraphs with these headings; an empty heading has none."""
    for heading in headings:
        if heading and heading not in read_paragraphs():  # never with the tables of this package
            raise LookupError(
                f"{heading!r} is not explained; write a paragraph with this heading into"
                " report/explanations.md"
            )
    return " ".join(read_paragraphs()[heading] for heading in headings if heading)


def choose_words(settings: Mapping[str, Any]) -> dict[str, str]:
    """Choose the words for a document, for a unit of resampling, and for intervals.

    Returns:
        Words by placeholder: ``document``, ``drawn`` (the unit that intervals draw or leave out),
        ``interval`` (methods, joined by "+") and ``confidence`` (in per cent).
    """
    has_items = settings.get("items", "labels" if "categories" in settings else "") == "labels"
    cluster_by = settings.get("cluster_by")
    cluster = cluster_by if cluster_by in ("document", "text") else ""
    if cluster_by == "sentence" and settings.get("unit") == "document":
        cluster = "text"
    if cluster == "document" and settings.keys() & {"group_by", "joined"}:
        cluster = "group"
    confidence = parse_confidence(settings) or float(settings.get("confidence", 95))
    return {
        "document": document_noun(settings),
        "drawn": "item" if has_items else cluster or document_noun(settings),
        "interval": parse_interval_methods(settings),
        "confidence": f"{confidence:g}",
    }


def _choose_placeholder_words(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Choose the words for all placeholders in the paragraphs, by placeholder."""
    measure = settings.get("match", "exact")
    match, of_strings = find_measure(measure), settings.get("strings", False)
    offsets = settings.get("offsets", "tokens")
    units = write_in_units("tokens", offsets)
    words = {
        **choose_words(settings),
        "sizes": "strings" if of_strings else units if match.in_tokens else "segments",
        "means": OF_STRINGS[measure] if of_strings else write_in_units(match.means, offsets),
        "remark": write_in_units(match.remark, offsets),
        "model": write_in_units(
            (CHANCES | OF_ARGUMENTS).get(settings.get("chance", ""), ""), offsets
        ),
        "weights": WEIGHTS.get(settings.get("weights", "")),
        "measurement": MEASUREMENTS.get(settings.get("measurement", "")),
        "category_weights": CATEGORY_WEIGHTS.get(settings.get("category_weights", "")),
        "near": _join_paragraphs("weighted pairs"),
        "corrected": ", ".join(kind.sign for kind in CORRECTED),
        "resamples": settings.get("resamples", "some"),
        "p": "",
    }
    if "ci" in settings:
        words["interval"] = _join_paragraphs(*_yield_headings(settings, words)).format(**words)
    if settings.get("test", "chance") != "chance":
        words["p"] = _join_paragraphs(f"p by {settings['test']}").format(**words)
    return words


def _yield_headings(settings: Mapping[str, Any], words: Mapping[str, Any]) -> Iterator[str]:
    """Yield the headings of the paragraphs on intervals that fit the settings.

    ``words`` are those of :func:`choose_words`.
    """
    if "test" in settings:
        yield "intervals of differences"
    else:
        for n_before, method in enumerate(words["interval"].split("+")):
            if n_before:
                yield "intervals by several"
            yield f"intervals by {method}"
    if words["drawn"] == "sentence":
        yield "intervals over sentences"
    if words["drawn"] == "text":
        yield "intervals over texts"
    if "average" not in settings and "over" not in settings:
        yield "intervals over these annotators"
        if "team" in settings and "slices" not in settings:
            yield "intervals over others"
    yield "intervals over few"


def _explain_settings(
    settings: Mapping[str, Any], words: Mapping[str, Any]
) -> Iterator[tuple[str, str]]:
    """Yield names and paragraphs for match, chance, items, weights and distances of categories.

    ``words`` replace the placeholders of the paragraphs.
    """
    if "what" in settings:
        chance = ["chance of pairs"]
    elif settings.get("chance") == NONE:
        chance = ["no chance"]
    else:
        chance = ["chance"]
        if settings.get("unit") == "sentence":
            chance.append("chance by sentences")
        if "joined" in settings:
            chance.append("chance by groups")
        if settings.get("offsets") == "characters":
            chance.append("chance by characters")
    of_segments = settings.get("items") == "segments"
    items = ["items", f"items, O {settings.get('outside', 'kept')}"]
    target = "strings" if settings.get("strings") else settings.get("what", "segments")
    headings_by_setting: dict[str, list[str]] = {
        "match": [f"match {target}"],
        "chance": chance,
        "items": ["items of segments"] if of_segments else items,
        "weights": ["weights"],
        "measurement": ["measurement"],
        "category_weights": ["category weights"],
    }
    for key, headings in headings_by_setting.items():
        if settings.get(key, "labels") != "labels":
            name = key.replace("_", " ")
            yield f"{name} {settings[key]}", _join_paragraphs(*headings).format(**words)
