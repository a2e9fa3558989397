"""Sentences of a methods paragraph: one for each setting of a result, with citations.

In sentences, ``[[key]]`` stands for a citation of a source by its BibTeX key.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from spanagree.chance.model import NONE
from spanagree.chance.start_distributions import CHANCES
from spanagree.comparisons.measures import OF_EQUAL, find_measure
from spanagree.comparisons.relation_places import OF_ARGUMENTS, PAIRS
from spanagree.comparisons.strings import MEANS as OF_STRINGS
from spanagree.corpus.flaws import REPAIRS
from spanagree.corpus.label_columns import DUPLICATES
from spanagree.corpus.segments import is_time, write_in_units
from spanagree.corpus.tag_columns import PARTIAL
from spanagree.corpus.tags import SCHEMES
from spanagree.corpus.tokens import CUTS
from spanagree.errors import InputError, SettingError, escape_name, quote_value
from spanagree.formats.conll.page import UNITS
from spanagree.labels.category_weights import CATEGORY_WEIGHTS, MEASUREMENTS
from spanagree.labels.formulas import COEFFICIENTS, CoefficientSet
from spanagree.labels.sparse_agreement import WEIGHTS
from spanagree.references.wins import SCORES
from spanagree.results.score import FIGURES
from spanagree.settings import parse_confidence, parse_interval_methods
from spanagree.signature import MATCH_OF_STRINGS, OF_CHANCE, RESULT_KEYS, SETTINGS, WITHOUT_CHANCE
from spanagree.units.dissimilarity import CATEGORICAL
from spanagree.version import __version__

_OFFSETS = ("tokens", "characters")
_CHANCES = {**CHANCES, **OF_ARGUMENTS, NONE: "undefined"}
_MEANS: Mapping[str, Mapping[str, str]] = {
    "categorical": CATEGORICAL, "pairs": PAIRS, "chance": _CHANCES, "f1_chance": _CHANCES,
    "score": SCORES,
    "weights": WEIGHTS, "measurement": MEASUREMENTS, "category_weights": CATEGORY_WEIGHTS,
    "duplicates": DUPLICATES, "partial": PARTIAL, "cut": CUTS,
}  # fmt: skip
"""Meanings of values, by setting."""
_IN_UNITS = ("match", "chance", "f1_chance", "discontinuous")
"""Settings whose sentences and meanings speak of tokens where they mean what offsets count."""

ALLOWED_VALUES: Mapping[str, Sequence[str] | Mapping[str, Any]] = {
    **_MEANS,
    **{
        key: setting.sentence
        for key, setting in SETTINGS.items()
        if not isinstance(setting.sentence, str) and setting.value_type != "yes or no"
    },
    "arguments": [name for name in OF_EQUAL if name != "exact"], "average": ("micro", "macro"),
    "items": ("labels", "segments", *_OFFSETS), "offsets": _OFFSETS, "unit": UNITS,
    "repair": REPAIRS, "scheme": ("auto", "none", "mixed", *SCHEMES),
}  # fmt: skip
"""Values of settings with few values, by setting; other versions may have others."""


def check_values(settings: Mapping[str, Any]) -> None:
    """Check that this version has sentences for all values of settings.

    Args:
        settings: settings of a result.

    Raises:
        InputError: if a value is unknown, as a signature of another version may have it.
    """
    for key, allowed in ALLOWED_VALUES.items():
        for value in _list_values(settings, key):
            is_unit = SETTINGS[key].value_type == "counted" and is_time(value)
            if value not in allowed and not is_unit:
                raise InputError(
                    f"signature: {key}: {quote_value(value)}; allowed: {', '.join(allowed)}"
                )
    try:
        find_measure(settings.get("match", "exact"))
    except SettingError as error:
        raise InputError(f"signature: {error}") from None


def _list_values(settings: Mapping[str, Any], key: str) -> list[str]:
    """List the values of one setting; several for repairs and for schemes of several layers."""
    if key not in settings:
        return []
    if key == "repair":
        return list(settings[key])
    if key == "scheme":
        return [settings[key], *settings.get("schemes", ())]
    return [parse_interval_methods(settings) if key == "ci" else settings[key]]


def _join_with_and(names: Sequence[str]) -> str:
    """Join names with commas and a final and."""
    *first, final = names
    return f"{', '.join(first)} and {final}" if first else final


_LISTS = {
    "figures": _join_with_and([ratio.title for ratio in FIGURES.values()]),
    "coefficients": _join_with_and(
        # SPA has its own sentence, on its weights
        [f"{k.title} [[{k.cites}]]" for k in COEFFICIENTS.values() if k is not CoefficientSet.spa]
    ),
    "weighted": _join_with_and(
        [
            f"{coefficient.weighted_sign} [[{coefficient.weighted_cites}]] is in place of"
            f" {coefficient.sign}"
            for coefficient in COEFFICIENTS.values()
            if coefficient.weighted_sign
        ]
    ),
}
"""Lists of names from tables, for sentences."""
GENERAL = (
    f"Agreement was computed with spanagree {__version__} [[spanagree]]. Beside raw"
    f" {_LISTS['figures']} it gives the expected scores of two independent random annotations"
    " [[li2024]], which are exact, not simulated, and scores corrected for them,"
    " (observed − expected) / (1 − expected)."
)
"""Sentences on this package, if no result is cited."""


def yield_sentences(settings: Mapping[str, Any]) -> Iterator[str]:
    """Yield the sentence of each setting, in the order of the signature.

    Args:
        settings: settings of a result.
    """
    for key, setting in SETTINGS.items():
        value = settings.get(RESULT_KEYS.get(key, key))
        if value is None or (value is False and key != "strict"):
            continue
        if value == NONE and key in WITHOUT_CHANCE:
            yield WITHOUT_CHANCE[key]
            continue
        words = {"value": _format_value(value), "means": _look_up_meaning(key, value), **_LISTS}
        template = setting.sentence
        choice = words["value"]
        if setting.value_type == "text":
            words["value"] = escape_text(words["value"])
        elif key == "scheme" and value == "auto":
            words["value"] = ", ".join(settings.get("schemes", ())) or "that was recognised"
        elif key == "match" and settings.get("strings"):
            template = MATCH_OF_STRINGS
            words["means"] = OF_STRINGS.get(value, words["means"])
        elif key == "ci":
            choice = parse_interval_methods(settings)
            words["confidence"] = f"{parse_confidence(settings):g}"
        sentence = template if isinstance(template, str) else template[choice]
        if key in _IN_UNITS:
            sentence, words["means"] = (
                write_in_units(text, settings.get("offsets", "tokens"))
                for text in (sentence, words["means"])
            )
        if settings.get("chance") == NONE:
            for phrase in OF_CHANCE:
                sentence = sentence.replace(phrase, "")
        yield sentence.format(**words)
        if key == "ci" and "average" not in settings and "over" not in settings:
            yield "The annotators are held fixed."
        if key == "match" and (source := find_measure(value).cites):
            yield f"The measure is defined in the literature [[{source}]]."
    if (version := settings.get("version", __version__)) != __version__:
        yield (
            f"(This paragraph was worded by spanagree {__version__}; look up in the documentation"
            f" of {version} whether it holds.)"
        )


def _format_value(value: Any) -> str:
    """Format the value of a setting for a sentence."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_format_value, value))
    if isinstance(value, float):
        return f"{value:g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _look_up_meaning(key: str, value: Any) -> str:
    """Look up the meaning of a setting's value; empty if no table has one."""
    if key == "match":
        return find_measure(value).means
    if key == "repair":
        return "; ".join(REPAIRS[name].says for name in value)
    return _MEANS[key][value] if key in _MEANS else ""


def escape_text(text: str) -> str:
    """Escape a text of a user, also the mark of sources.

    Args:
        text: text that is not escaped yet.
    """
    return escape_name(text).replace("[[", "[ [")
