"""Methods paragraphs: a sentence for each setting of a result, with references."""

from __future__ import annotations

import json
import os
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Any, NamedTuple

from spanagree.chance.model import NONE
from spanagree.chance.start_distributions import CHANCES
from spanagree.choices import Cited
from spanagree.comparisons.measures import OF_EQUAL, find_measure
from spanagree.comparisons.relation_places import OF_ARGUMENTS, PAIRS
from spanagree.comparisons.strings import MEANS as OF_STRINGS
from spanagree.corpus.label_table import DUPLICATES
from spanagree.corpus.repairs import REPAIRS
from spanagree.corpus.segments import UNIT_OF_TIME, is_time
from spanagree.corpus.tag_columns import PARTIAL
from spanagree.corpus.tags import SCHEMES
from spanagree.corpus.tokens import CUTS
from spanagree.errors import InputError, SettingError, check_choice, escape_name, quote_value
from spanagree.files import read_text
from spanagree.formats.conll.page import UNITS
from spanagree.labels.category_weights import CATEGORY_WEIGHTS, MEASUREMENTS
from spanagree.labels.formulas import COEFFICIENTS, CoefficientSet
from spanagree.labels.sparse_agreement import WEIGHTS
from spanagree.references.wins import SCORES
from spanagree.results.latex import escape_latex
from spanagree.results.score import FIGURES
from spanagree.settings import parse_confidence
from spanagree.signature import (
    MATCH_OF_STRINGS,
    OF_CHANCE,
    SETTINGS,
    WITHOUT_CHANCE,
    Escaped,
    format_signature,
)
from spanagree.units.dissimilarity import CATEGORICAL
from spanagree.version import __version__

_ENTRY = re.compile(r"^@(\w+)\{(\w+),\n((?:  .*\n)*)\}\n", re.M)
_FIELD = re.compile(r"^  (\w+) = \{(.*)\},\n", re.M)
_SPECIAL = re.compile(r"\\url\{([^{}]*)\}|\{\\['\x22oO]\w?\}|\{\$\\gamma\$\}|\\([&_])|--|[{}]")
_NOT_AFTER = ("author", "title", "year", "annote")  # fields that do not follow the title
_CHARACTERS = {
    r"{\'e}": "é",
    r"{\'i}": "í",
    r"{\"o}": "ö",
    r"{\o}": "ø",
    r"{\O}": "Ø",
    r"{$\gamma$}": "γ",
}
_CHARACTERS |= {"--": "–", "{": "", "}": ""}


# --- references -----------------------------------------------------------------------------------


class Reference(NamedTuple):
    """Source: its type, its fields as text in the order of the file, and its BibTeX entry.

    Uncertain fields are left out; ``annote``, which no bibliography prints, mentions them.
    """

    entry_type: str
    fields: dict[str, str]
    bibtex: str

    @property
    def authors(self) -> list[tuple[str, str]]:
        """Given and family name of each author."""
        names = (name.partition(", ") for name in self.fields["author"].split(" and "))
        return [(given_name, family_name) for family_name, _, given_name in names]

    @property
    def year(self) -> str:
        """Year, empty if it is unknown."""
        return self.fields.get("year", "")

    @property
    def short_citation(self) -> str:
        """Citation in a text.

        >>> REFERENCES["li2024"].short_citation
        'Li et al., 2024'
        """
        families = [family for _, family in self.authors]
        authors = " & ".join(families) if len(families) < 3 else f"{families[0]} et al."
        return f"{authors}, {self.year}" if self.year else authors

    @property
    def text(self) -> str:
        """Entry of a list of references.

        >>> print(REFERENCES["holm1979"].text)
        Sture Holm. 1979. A Simple Sequentially Rejective Multiple Test Procedure. Scandinavian Journal of Statistics 6(2), 65–70.
        """  # noqa: E501 — printed as one line
        names = [f"{given_name} {family_name}".strip() for given_name, family_name in self.authors]
        authors = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
        location = {key: value for key, value in self.fields.items() if key not in _NOT_AFTER}
        if "volume" in location:
            location["journal"] += f" {location.pop('volume')}"
            location["journal"] += f"({location.pop('number')})" if "number" in location else ""
        text_parts = [authors, self.year, self.fields.get("title"), ", ".join(location.values())]
        return ". ".join(text_part for text_part in text_parts if text_part) + "."


def parse_bibtex(bibtex: str) -> Iterator[tuple[str, Reference]]:
    """Yield the entries of BibTeX by key; each field is on a line of its own, in braces."""
    for entry in _ENTRY.finditer(bibtex):
        fields = {
            name: _SPECIAL.sub(_look_up_characters, value)
            for name, value in _FIELD.findall(entry[3])
        }
        yield entry[2], Reference(entry[1], fields, entry[0])


def _look_up_characters(special: re.Match[str]) -> str:
    """Look up the characters that TeX prints for a command or a brace."""
    return _CHARACTERS.get(special[0], special[1] or special[2])


def build_package_reference(version: str) -> Reference:
    """Build the reference of this package; its authors are the authors that its licence names."""
    ((_, reference),) = parse_bibtex(
        "@misc{spanagree,\n"
        "  author = {{The spanagree authors}},\n"
        "  title = {{spanagree}},\n"
        f"  note = {{Version {version}}},\n"
        "}\n"
    )
    return reference


REFERENCES = dict(
    parse_bibtex(files("spanagree.report").joinpath("references.bib").read_text("utf-8"))
)
"""Sources by BibTeX key, in the order of references."""


_NUMBER = r"-?[0-9]{1,99}(\.[0-9]{1,99})?(e[+-][0-9]{1,3})?"
_POSITIVE = _NUMBER.removeprefix("-?")
_NUMBERS = f"{_NUMBER}(,{_NUMBER})*"
_WORD = "[a-z][a-z0-9_-]*"
_SCHEME = "[A-Za-z0-9]{1,9}"


class _Value(NamedTuple):
    """Type of values in a signature: pattern and parser."""

    pattern: str
    parse: Callable[[str], Any] = str


def _parse_numbers(text: str) -> list[float]:
    """Parse numbers that are separated by commas."""
    return [float(item) for item in text.split(",")]


_VALUES = {
    "word": _Value(_WORD),
    "counted": _Value(f"{_WORD}|{UNIT_OF_TIME.pattern}"),
    "match": _Value(rf"{_WORD}(\.[0-9]+)?"),
    "text": _Value("[^|]*", Escaped),  # text of a user
    "whole": _Value("0|[1-9][0-9]{0,99}", int),
    "yes or no": _Value("yes|no", lambda text: text == "yes"),
    "number": _Value(_NUMBER, float),
    "numbers": _Value(_NUMBERS, _parse_numbers),
    "classes": _Value(
        f"estimated|{_NUMBERS}", lambda text: text if text == "estimated" else _parse_numbers(text)
    ),
    "scheme": _Value(rf"auto\(({_SCHEME}(,{_SCHEME})*)?\)|{_SCHEME}"),
    "interval": _Value(rf"[a-z-]+{_POSITIVE}(\+[a-z-]+{_POSITIVE})*"),
    "samples": _Value(rf"{_WORD}(\+{_WORD})*"),
    "words": _Value(rf"{_WORD}(\+{_WORD})*", lambda text: text.split("+")),
    "ignored": _Value("ignored"),
    "version": _Value(r"[0-9]{1,9}(\.[0-9]{1,9}){0,3}([.+-]?[a-z]{1,9}[0-9]{0,9}){0,3}"),
}
"""Types of values in signatures, by their name in :data:`spanagree.signature.SETTINGS`."""

_NAMES = {
    setting.signature_key: name for name, setting in SETTINGS.items() if setting.signature_key
}
"""Names of settings by their key in a signature, if it differs."""


# --- parsing of signatures ------------------------------------------------------------------------


def parse_signature(line: str) -> dict[str, Any]:
    """Parse the settings in a signature; the signature can be rebuilt from them.

    Names of users stay escaped, and detected schemes are no longer assigned to layers.

    Raises:
        InputError: if it is not a signature; the message names the wrong part.

    >>> parse_signature("match:exact|strict:no|spanagree:1.0.0")
    {'match': 'exact', 'strict': False, 'version': '1.0.0'}
    """
    values: dict[str, str] = {}
    signature = line.strip().removeprefix("signature:").strip()
    signature_line = re.sub(
        r"(?<=\|)\s+|(?<=,)\r?\n {0,2}", "", signature
    )  # line breaks of copied signatures
    for entry in signature_line.split("|"):
        key, colon, value = entry.partition(":")
        if not colon:
            raise InputError(
                f"signature: {quote_value(entry)}; key:value, with | between, is needed"
            )
        key = _NAMES.get(key, key)
        if key not in SETTINGS:
            raise InputError(
                f"signature: unknown key {quote_value(key)}; a line that stands below a table is"
                " needed"
            )
        if key in values:
            raise InputError(f"signature: the key {key} comes twice; name it once")
        value_type = _VALUES[SETTINGS[key].value_type]
        if not re.fullmatch(value_type.pattern, value, re.ASCII) or not value.isprintable():
            raise InputError(
                f"signature: {key}: {quote_value(value)} is not a value that it can have; copy the"
                " line from below a table"
            )
        values[key] = value
    if "spanagree" not in values:
        raise InputError(
            "signature: no spanagree:VERSION, which ends each; copy the line to its end"
        )
    return {
        name: parsed_value
        for key, value in values.items()
        for name, parsed_value in _parse_entry(key, value).items()
    }


def _parse_entry(key: str, value: str) -> Mapping[str, Any]:
    """Parse the value of one key of a signature as settings; some keys have other names there."""
    if key == "tokens":
        return {"ignore_tokens": True}
    if key == "spanagree":
        return {"version": value}
    if key == "scheme" and value.startswith("auto("):
        names = [name for name in value[5:-1].split(",") if name]
        return {key: "auto", "schemes": {name: name for name in names}}
    settings = {key: _VALUES[SETTINGS[key].value_type].parse(value)}
    return (
        settings | {"gold_first": False} if key == "gold" else settings
    )  # signatures name gold only then


# --- sentences ------------------------------------------------------------------------------------


_OFFSETS = ("tokens", "characters")
_CHANCES = {**CHANCES, **OF_ARGUMENTS, NONE: "undefined"}
_MEANS: Mapping[str, Mapping[str, str]] = {
    "categorical": CATEGORICAL, "pairs": PAIRS, "chance": _CHANCES, "f1_chance": _CHANCES,
    "score": SCORES,
    "weights": WEIGHTS, "measurement": MEASUREMENTS, "category_weights": CATEGORY_WEIGHTS,
    "duplicates": DUPLICATES, "partial": PARTIAL, "cut": CUTS,
}  # fmt: skip
"""Meanings of values, by setting."""

# allowed values of settings with few values, as other versions may have others
_ALLOWED: Mapping[str, Sequence[str] | Mapping[str, Any]] = {
    **_MEANS,
    **{
        key: setting.sentence
        for key, setting in SETTINGS.items()
        if not isinstance(setting.sentence, str) and setting.value_type != "yes or no"
    },
    "arguments": [name for name in OF_EQUAL if name != "exact"], "expected": ("partly-drawn",),
    "average": ("micro", "macro"),
    "team": ("summed",), "credit": ("by-share",), "items": ("labels", "segments", *_OFFSETS),
    "outside": ("kept", "skipped"), "offsets": _OFFSETS, "unit": UNITS, "repair": REPAIRS,
    "scheme": ("auto", "none", "mixed", *SCHEMES),
}  # fmt: skip


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
_GENERAL = (
    f"Agreement was computed with spanagree {__version__} [[spanagree]]. Beside raw"
    f" {_LISTS['figures']} it gives the expected scores of two independent random annotations"
    " [[li2024]], which are exact, not simulated, and scores corrected for them,"
    " (observed − expected) / (1 − expected)."
)


def _yield_sentences(settings: Mapping[str, Any]) -> Iterator[str]:
    """Yield the sentence of each setting, in the order of the signature.

    In sentences, ``[[key]]`` stands for a citation of a source by its BibTeX key.
    """
    for key, setting in SETTINGS.items():
        value = settings.get({"tokens": "ignore_tokens", "spanagree": "version"}.get(key, key))
        if value is None or (value is False and key != "strict"):
            continue
        text = (
            _escape_text(_format_value(value))
            if setting.value_type == "text"
            else _format_value(value)
        )
        if value == NONE and key in WITHOUT_CHANCE:
            yield WITHOUT_CHANCE[key]
            continue
        if text == "auto":
            text = ", ".join(settings.get("schemes", ())) or "that was recognised"
        words = {"value": text, "means": _look_up_meaning(key, value), **_LISTS}
        template = setting.sentence
        if key == "match" and settings.get("strings"):
            template = MATCH_OF_STRINGS
            words["means"] = OF_STRINGS.get(value, words["means"])
        if key == "ci":
            methods = re.findall(r"(?:^|\+)([a-z-]+)", value)
            words |= {"confidence": f"{parse_confidence(settings):g}"}
            yield template["+".join(methods)].format(**words)  # type: ignore[index]  # checked before
            if "average" not in settings and "over" not in settings:
                yield "The annotators are held fixed."
        else:
            sentence = template if isinstance(template, str) else template[words["value"]]
            for phrase in OF_CHANCE if settings.get("chance") == NONE else ():
                sentence = sentence.replace(phrase, "")
            yield sentence.format(**words)
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


def _escape_text(text: str) -> str:
    """Escape a text of a user, also the mark of sources."""
    return escape_name(text).replace("[[", "[ [")


def write_results_paragraph(result: Mapping[str, Any]) -> str:
    """Write a paragraph with the verdict of a result and its warnings.

    Args:
        result: dictionary that ``--format json`` of evaluate, agree, coefficients and others wrote.

    Raises:
        InputError: if the result has no verdict.
    """
    results = [
        single_result
        for single_result in (result.get("test"), result)
        if isinstance(single_result, Mapping)
    ]
    verdicts = [single_result.get("verdict") for single_result in results]
    sentence = next((verdict for verdict in verdicts if isinstance(verdict, str) and verdict), None)
    if sentence is None:
        raise InputError(
            "a paragraph of results needs a verdict; comparisons of annotators or systems have one"
            " if they are written with --format json"
        )
    caveats = [
        str(caveat)
        for single_result in reversed(results)
        for caveat in single_result.get("caveats") or ()
    ]
    warnings = [f"To be kept in mind: {_escape_text('; '.join(caveats))}."] if caveats else []
    return " ".join([_escape_text(sentence), *warnings])


# --- the citation -------------------------------------------------------------------------------


CITED = ("text", "latex", "bibtex")
"""Names of the formats of a citation."""

_WIDTH = 80
_MARK = re.compile(r" ?\[\[([a-z0-9,]+)\]\]")  # citation of sources
_NO_FIGURES = (
    "results: a signature has no figures; pass a result, or a file that --format json wrote"
)
_REPORT = "a report is needed, as spanagree evaluate … --format json writes one"


def cite(
    result: Any = None,
    format: Cited = "text",  # noqa: A002 — named as the option
    results: bool = False,
) -> str:
    """Write a methods paragraph that describes each setting of a result, and its references.

    Args:
        result: result, or the signature below its table. Default: write a general sentence and all
            references.
        format: ``text``; ``latex``, with ``\\citep``; ``bibtex``, only the references.
        results: True to write a paragraph of results, with the verdict and all warnings, in place
            of the methods paragraph.

    Raises:
        InputError: if it is not a signature, or contains unknown settings.
        SettingError: if the format is unknown.

    >>> print(cite("chance:nonoverlapping|spanagree:1.0.0").splitlines()[0][:60])
    Chance is that of two independent random annotations with th
    """
    line = result if isinstance(result, str) else getattr(result, "signature", None)
    if result is not None and not isinstance(line, str):
        raise InputError(
            f"{type(result).__name__}; a result with a signature, or one, is needed: evaluate,"
            " agree and others give one"
        )
    figures = None
    if results:
        if not hasattr(result, "to_dict"):
            raise InputError(_NO_FIGURES)
        figures = write_results_paragraph(result.to_dict())
    return write_citation(None if line is None else parse_signature(line), format, figures)


def read_settings(argument: str, results: bool = False) -> tuple[dict[str, Any], str | None]:
    """Read the settings of a result from its signature, or from a file of ``--format json``.

    Args:
        argument: signature, or path of a file; ``-`` is standard input.
        results: True to write the paragraph of results too.

    Returns:
        Settings by name, and the paragraph of results or `None`.

    Raises:
        InputError: if the file cannot be read or has no signature, or the text is no signature.
    """
    if ":" in argument and not os.path.exists(argument):
        if results:
            raise InputError(_NO_FIGURES)
        return parse_signature(argument), None
    text = read_text(argument)
    name = escape_name(argument)
    try:
        report = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError(f"{name}: not valid JSON; {_REPORT}") from None
    results_with_signature = [report, report.get("test")] if isinstance(report, dict) else [report]
    lines = [
        single_result.get("signature")
        for single_result in results_with_signature
        if isinstance(single_result, dict)
    ]
    try:
        settings: dict[str, Any] = {}
        for line in lines or [None]:  # first the figures, then the test
            if not isinstance(line, str):
                raise InputError(f"no signature in it; {_REPORT}")
            settings |= parse_signature(line)
        return settings, write_results_paragraph(report) if results else None
    except InputError as error:
        raise InputError(f"{name}: {error}") from None


def write_citation(
    settings: Mapping[str, Any] | None,
    format: Cited = "text",  # noqa: A002 — as above
    figures: str | None = None,
) -> str:
    """Write a methods paragraph, or a paragraph of results, and its references.

    Args:
        settings: settings of a result. Default: write a general sentence and all references.
        format: format of the text; see :func:`cite`.
        figures: paragraph of results, which replaces the methods paragraph.
    """
    check_choice(format, CITED, "format")
    _check_values(settings or {})
    known_settings = settings or {}
    if figures is not None:
        paragraph = f"{figures} {SETTINGS['spanagree'].sentence}".replace(
            "{value}", known_settings.get("version", __version__)
        )
    else:
        paragraph = _GENERAL if settings is None else " ".join(_yield_sentences(known_settings))
    keys = {key for mark in _MARK.findall(paragraph) for key in mark.split(",")}
    sources = {key: source for key, source in REFERENCES.items() if settings is None or key in keys}
    sources["spanagree"] = build_package_reference((settings or {}).get("version", __version__))
    if format == "bibtex":
        return "\n".join(source.bibtex for source in sources.values())
    line = "" if settings is None else format_signature(settings)
    if format == "latex":
        text = _MARK.sub(r"~\\citep{\1}", escape_latex(paragraph))
        return "\n".join([*([f"% signature: {line}"] if line else []), _wrap_text(text), ""])
    signature_lines = [f"Signature: {line}", ""] if line else []
    reference_texts = [_wrap_text(source.text, hang=2) for source in sources.values()]
    text = _MARK.sub(_format_short_citation, paragraph)
    return "\n".join(
        [_wrap_text(text), "", *signature_lines, "References", "", *reference_texts, ""]
    )


def _format_short_citation(mark: re.Match[str]) -> str:
    """Format cited sources for a text; the package itself is left out."""
    citations = [REFERENCES[key].short_citation for key in mark[1].split(",") if key in REFERENCES]
    return f" ({'; '.join(citations)})" if citations else ""


def _wrap_text(text: str, hang: int = 0) -> str:
    """Wrap a paragraph; all lines but the first are indented by ``hang``."""
    return textwrap.fill(
        text, _WIDTH, subsequent_indent=" " * hang, break_long_words=False, break_on_hyphens=False
    )


def _check_values(settings: Mapping[str, Any]) -> None:
    """Check that this version has sentences for all values of settings.

    Raises:
        InputError: if a value is unknown, as a signature of another version may have it.
    """
    values_by_key = {key: [settings[key]] for key in _ALLOWED if key in settings}
    values_by_key["scheme"] = [*values_by_key.get("scheme", ()), *settings.get("schemes", ())]
    values_by_key["repair"] = settings.get("repair", [])
    methods = re.findall(r"(?:^|\+)([a-z-]+)", settings.get("ci", ""))
    values_by_key["ci"] = ["+".join(methods)] if methods else []
    for key, allowed in _ALLOWED.items():
        for value in values_by_key.get(key, ()):
            if value not in allowed and not (
                SETTINGS[key].value_type == "counted" and is_time(value)
            ):
                raise InputError(
                    f"signature: {key}: {quote_value(value)}; allowed: {', '.join(allowed)}"
                )
    try:
        find_measure(settings.get("match", "exact"))
    except SettingError as error:
        raise InputError(f"signature: {error}") from None
