"""A methods paragraph: a sentence for each setting of a result, and the references it needs."""

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
from spanagree.errors import (
    InputError,
    SettingError,
    check_choice,
    escape_name,
    quote_value,
)
from spanagree.files import read_text
from spanagree.formats.conll.page import UNITS
from spanagree.labels.category_weights import CATEGORY_WEIGHTS, MEASUREMENTS
from spanagree.labels.formulas import COEFFICIENTS, CoefficientSet
from spanagree.labels.sparse_agreement import WEIGHTS
from spanagree.references.alt_test import SCORES
from spanagree.results.latex import escaped
from spanagree.results.score import FIGURES
from spanagree.settings import confidence_of
from spanagree.signature import (
    MATCH_OF_STRINGS,
    OF_CHANCE,
    SETTINGS,
    WITHOUT_CHANCE,
    Escaped,
    signature,
)
from spanagree.units.dissimilarity import CATEGORICAL
from spanagree.version import __version__

_ENTRY = re.compile(r"^@(\w+)\{(\w+),\n((?:  .*\n)*)\}\n", re.M)
_FIELD = re.compile(r"^  (\w+) = \{(.*)\},\n", re.M)
_SPECIAL = re.compile(r"\\url\{([^{}]*)\}|\{\\['\x22oO]\w?\}|\{\$\\gamma\$\}|\\([&_])|--|[{}]")
_NOT_AFTER = ("author", "title", "year", "annote")  # what does not follow the title
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
    """One source: what kind it is, its fields in the order of the file as text, and its entry.

    What is not known for certain is left out, and the entry says so in ``annote``, which no
    bibliography prints.
    """

    kind: str
    fields: dict[str, str]
    bibtex: str

    @property
    def authors(self) -> list[tuple[str, str]]:
        """The given and the family name of each author."""
        names = (name.partition(", ") for name in self.fields["author"].split(" and "))
        return [(given, family) for family, _, given in names]

    @property
    def year(self) -> str:
        """The year, empty if it is not known."""
        return self.fields.get("year", "")

    @property
    def short(self) -> str:
        """The source as a text cites it.

        >>> REFERENCES["li2024"].short
        'Li et al., 2024'
        """
        families = [family for _, family in self.authors]
        authors = " & ".join(families) if len(families) < 3 else f"{families[0]} et al."
        return f"{authors}, {self.year}" if self.year else authors

    @property
    def text(self) -> str:
        """The source as a line.

        >>> print(REFERENCES["holm1979"].text)
        Sture Holm. 1979. A Simple Sequentially Rejective Multiple Test Procedure. Scandinavian Journal of Statistics 6(2), 65–70.
        """  # noqa: E501 — the line as it is printed
        names = [f"{given} {family}".strip() for given, family in self.authors]
        authors = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
        location = {k: v for k, v in self.fields.items() if k not in _NOT_AFTER}
        if "volume" in location:
            location["journal"] += f" {location.pop('volume')}"
            location["journal"] += f"({location.pop('number')})" if "number" in location else ""
        parts = [authors, self.year, self.fields.get("title"), ", ".join(location.values())]
        return ". ".join(part for part in parts if part) + "."


def entries(bibtex: str) -> Iterator[tuple[str, Reference]]:
    """Yield the entries of BibTeX by key; each field is on a line of its own, in braces."""
    for entry in _ENTRY.finditer(bibtex):
        fields = {name: _SPECIAL.sub(_plain, value) for name, value in _FIELD.findall(entry[3])}
        yield entry[2], Reference(entry[1], fields, entry[0])


def _plain(special: re.Match[str]) -> str:
    """Return the characters that TeX shows for a command or a brace."""
    return _CHARACTERS.get(special[0], special[1] or special[2])


def software(version: str) -> Reference:
    """Return the package itself, as released; its authors are those whom its licence names."""
    ((_, reference),) = entries(
        "@misc{spanagree,\n"
        "  author = {{The spanagree authors}},\n"
        "  title = {{spanagree}},\n"
        f"  note = {{Version {version}}},\n"
        "}\n"
    )
    return reference


REFERENCES = dict(entries(files("spanagree.report").joinpath("references.bib").read_text("utf-8")))
"""The sources by the keys that BibTeX knows them by, in the order in which they are listed."""


_NUMBER = r"-?[0-9]{1,99}(\.[0-9]{1,99})?(e[+-][0-9]{1,3})?"
_POSITIVE = _NUMBER.removeprefix("-?")
_NUMBERS = f"{_NUMBER}(,{_NUMBER})*"
_WORD = "[a-z][a-z0-9_-]*"
_SCHEME = "[A-Za-z0-9]{1,9}"


class _Value(NamedTuple):
    """A kind of value in a signature: how it looks, and how it is read."""

    pattern: str
    read: Callable[[str], Any] = str


def _numbers_in(text: str) -> list[float]:
    return [float(number) for number in text.split(",")]


_VALUES = {
    "word": _Value(_WORD),
    "counted": _Value(f"{_WORD}|{UNIT_OF_TIME.pattern}"),
    "match": _Value(rf"{_WORD}(\.[0-9]+)?"),
    "text": _Value("[^|]*", Escaped),  # a user's
    "whole": _Value("0|[1-9][0-9]{0,99}", int),
    "yes or no": _Value("yes|no", lambda text: text == "yes"),
    "number": _Value(_NUMBER, float),
    "numbers": _Value(_NUMBERS, _numbers_in),
    "classes": _Value(
        f"estimated|{_NUMBERS}", lambda text: text if text == "estimated" else _numbers_in(text)
    ),
    "scheme": _Value(rf"auto\(({_SCHEME}(,{_SCHEME})*)?\)|{_SCHEME}"),
    "interval": _Value(rf"[a-z-]+{_POSITIVE}(\+[a-z-]+{_POSITIVE})*"),
    "samples": _Value(rf"{_WORD}(\+{_WORD})*"),
    "words": _Value(rf"{_WORD}(\+{_WORD})*", lambda text: text.split("+")),
    "ignored": _Value("ignored"),
    "version": _Value(r"[0-9]{1,9}(\.[0-9]{1,9}){0,3}([.+-]?[a-z]{1,9}[0-9]{0,9}){0,3}"),
}
"""The values in signatures, by the kinds of :data:`spanagree.signature.SETTINGS`."""

_NAMES = {
    setting.signature_key: name for name, setting in SETTINGS.items() if setting.signature_key
}
"""The settings that have another name in a signature."""


# --- what a signature says ------------------------------------------------------------------------


def settings_of(line: str) -> dict[str, Any]:
    """Return the settings that a signature names, of which it can be made again.

    What a user called things stays escaped, and it is not known any more to which layers the
    schemes belong that were recognised.

    Raises:
        InputError: for anything but a signature, naming the part.

    >>> settings_of("match:exact|strict:no|spanagree:1.0.0")
    {'match': 'exact', 'strict': False, 'version': '1.0.0'}
    """
    values: dict[str, str] = {}
    bare = line.strip().removeprefix("signature:").strip()
    unbroken = re.sub(r"(?<=\|)\s+|(?<=,)\r?\n {0,2}", "", bare)  # as pages break it
    for part in unbroken.split("|"):
        key, colon, value = part.partition(":")
        if not colon:
            raise InputError(
                f"signature: {quote_value(part)}; key:value, with | between, is needed"
            )
        key = _NAMES.get(key, key)
        if key not in SETTINGS:
            raise InputError(
                f"signature: unknown key {quote_value(key)}; a line that stands below a table is"
                " needed"
            )
        if key in values:
            raise InputError(f"signature: the key {key} comes twice; name it once")
        kind = _VALUES[SETTINGS[key].value_type]
        if not re.fullmatch(kind.pattern, value, re.ASCII) or not value.isprintable():
            raise InputError(
                f"signature: {key}: {quote_value(value)} is not a value that it can have; copy the"
                " line from below a table"
            )
        values[key] = value
    if "spanagree" not in values:
        raise InputError(
            "signature: no spanagree:VERSION, which ends each; copy the line to its end"
        )
    return {name: v for key, value in values.items() for name, v in _settings(key, value).items()}


def _settings(key: str, value: str) -> Mapping[str, Any]:
    """Return the settings that one part of a signature stands for."""
    if key == "tokens":
        return {"ignore_tokens": True}
    if key == "spanagree":
        return {"version": value}
    if key == "scheme" and value.startswith("auto("):
        names = [name for name in value[5:-1].split(",") if name]
        return {key: "auto", "schemes": {name: name for name in names}}
    read = {key: _VALUES[SETTINGS[key].value_type].read(value)}
    return read | {"gold_first": False} if key == "gold" else read  # the first layer is not named


# --- sentences ------------------------------------------------------------------------------------


_OFFSETS = ("tokens", "characters")
_CHANCES = {**CHANCES, **OF_ARGUMENTS, NONE: "undefined"}
_MEANS: Mapping[str, Mapping[str, str]] = {
    "categorical": CATEGORICAL, "pairs": PAIRS, "chance": _CHANCES, "f1_chance": _CHANCES,
    "score": SCORES,
    "weights": WEIGHTS, "measurement": MEASUREMENTS, "category_weights": CATEGORY_WEIGHTS,
    "duplicates": DUPLICATES, "partial": PARTIAL, "cut": CUTS,
}  # fmt: skip
"""What values of settings mean, where a table says so."""

# what settings with few values may be: another version may have had others
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


def _all_named(names: Sequence[str]) -> str:
    """Return all names as a sentence has them, with commas between and an and."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


_LISTS = {
    "figures": _all_named([ratio.title for ratio in FIGURES.values()]),
    "coefficients": _all_named(
        # that of SPA has a sentence of its own, on its weights
        [f"{k.title} [[{k.cites}]]" for k in COEFFICIENTS.values() if k is not CoefficientSet.spa]
    ),
    "weighted": _all_named(
        [
            f"{kind.weighted_sign} [[{kind.weighted_cites}]] is in place of {kind.sign}"
            for kind in COEFFICIENTS.values()
            if kind.weighted_sign
        ]
    ),
}
"""What sentences list of tables."""
_GENERAL = (
    f"Agreement was computed with spanagree {__version__} [[spanagree]]. Beside raw"
    f" {_LISTS['figures']} it gives the expected scores of two independent random annotations"
    " [[li2024]], which are exact, not simulated, and scores corrected for them,"
    " (observed − expected) / (1 − expected)."
)


def _sentences(settings: Mapping[str, Any]) -> Iterator[str]:
    """Yield the sentence of each setting, in the order of the signature; ``[[key]]`` cites."""
    for key, setting in SETTINGS.items():
        value = settings.get({"tokens": "ignore_tokens", "spanagree": "version"}.get(key, key))
        if value is None or (value is False and key != "strict"):
            continue
        shown = _text(_shown(value)) if setting.value_type == "text" else _shown(value)
        if value == NONE and key in WITHOUT_CHANCE:
            yield WITHOUT_CHANCE[key]
            continue
        if shown == "auto":
            shown = ", ".join(settings.get("schemes", ())) or "that was recognised"
        words = {"value": shown, "means": _means(key, value), **_LISTS}
        says = setting.sentence
        if key == "match" and settings.get("strings"):
            says = MATCH_OF_STRINGS
            words["means"] = OF_STRINGS.get(value, words["means"])
        if key == "ci":
            kinds = re.findall(r"(?:^|\+)([a-z-]+)", value)
            words |= {"confidence": f"{confidence_of(settings):g}"}
            yield says["+".join(kinds)].format(**words)  # type: ignore[index]  # checked before
            if "average" not in settings and "over" not in settings:
                yield "The annotators are held fixed."
        else:
            sentence = says if isinstance(says, str) else says[words["value"]]
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


def _shown(value: Any) -> str:
    """Return a value as a sentence has it."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, (list, tuple)):
        return ", ".join(map(_shown, value))
    if isinstance(value, float):
        return f"{value:g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _means(key: str, value: Any) -> str:
    """Return what the value of a setting means; empty where no table says so."""
    if key == "match":
        return find_measure(value).means
    if key == "repair":
        return "; ".join(REPAIRS[name].says for name in value)
    return _MEANS[key][value] if key in _MEANS else ""


def _text(text: str) -> str:
    """Return a user's text, in which nothing is taken for the mark of a source."""
    return escape_name(text).replace("[[", "[ [")


def results_paragraph(result: Mapping[str, Any]) -> str:
    """Return the verdict of a result, and where it is shaky, in sentences.

    Args:
        result: what ``--format json`` of evaluate, agree, coefficients and others wrote.

    Raises:
        InputError: for a result without a verdict.
    """
    parts = [part for part in (result.get("test"), result) if isinstance(part, Mapping)]
    verdicts = [part.get("verdict") for part in parts]
    sentence = next((verdict for verdict in verdicts if isinstance(verdict, str) and verdict), None)
    if sentence is None:
        raise InputError(
            "a paragraph of results needs a verdict, which what compares annotators or systems has;"
            " write such a result with --format json"
        )
    caveats = [str(caveat) for part in reversed(parts) for caveat in part.get("caveats") or ()]
    kept = [f"To be kept in mind: {_text('; '.join(caveats))}."] if caveats else []
    return " ".join([_text(sentence), *kept])


# --- the citation -------------------------------------------------------------------------------


CITED = ("text", "latex", "bibtex")
"""The formats of a citation, by name."""

_WIDTH = 100
_MARK = re.compile(r" ?\[\[([a-z0-9,]+)\]\]")  # sources cited here
_NO_FIGURES = (
    "results: a signature has no figures; pass a result, or a file that --format json wrote"
)
_REPORT = "a report is needed, as spanagree evaluate … --format json writes one"


def cite(
    result: Any = None,
    format: Cited = "text",  # noqa: A002 — named as the option
    results: bool = False,
) -> str:
    """Return a methods paragraph on a result, a sentence for each setting, and its references.

    Args:
        result: a result, or the signature that stands below its table; without one, a general
            sentence and all references.
        format: ``text``; ``latex``, with ``\\citep``; ``bibtex``, the references alone.
        results: a paragraph of results instead: the verdict, and where it is shaky.

    Raises:
        InputError: for anything but a signature, or one with settings that are not known here.
        SettingError: for an unknown format.

    >>> print(cite("chance:nonoverlapping|spanagree:1.0.0").splitlines()[0][:60])
    Chance is that of two independent random annotations that ke
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
        figures = results_paragraph(result.to_dict())
    return cited(None if line is None else settings_of(line), format, figures)


def settings_in(argument: str, results: bool = False) -> tuple[dict[str, Any], str | None]:
    """Return the settings that a signature names, or a report in JSON; ``-`` is standard input.

    ``results`` asks for the paragraph of results of a report, too.

    Raises:
        InputError: for a file that cannot be read or has no signature, or anything but a signature.
    """
    if ":" in argument and not os.path.exists(argument):
        if results:
            raise InputError(_NO_FIGURES)
        return settings_of(argument), None
    text = read_text(argument)
    name = escape_name(argument)
    try:
        report = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError(f"{name}: not valid JSON; {_REPORT}") from None
    parts = [report, report.get("test")] if isinstance(report, dict) else [report]
    lines = [part.get("signature") for part in parts if isinstance(part, dict)]
    try:
        settings: dict[str, Any] = {}
        for line in lines or [None]:  # of the figures, then of the test
            if not isinstance(line, str):
                raise InputError(f"no signature in it; {_REPORT}")
            settings |= settings_of(line)
        return settings, results_paragraph(report) if results else None
    except InputError as error:
        raise InputError(f"{name}: {error}") from None


def cited(
    settings: Mapping[str, Any] | None,
    format: Cited = "text",  # noqa: A002 — as above
    figures: str | None = None,
) -> str:
    """Return a citation by settings, as :func:`cite`; ``figures`` is the paragraph of results."""
    check_choice(format, CITED, "format")
    _check(settings or {})
    about = settings or {}
    if figures is not None:
        paragraph = f"{figures} {SETTINGS['spanagree'].sentence}".replace(
            "{value}", about.get("version", __version__)
        )
    else:
        paragraph = _GENERAL if settings is None else " ".join(_sentences(about))
    keys = {key for mark in _MARK.findall(paragraph) for key in mark.split(",")}
    sources = {k: source for k, source in REFERENCES.items() if settings is None or k in keys}
    sources["spanagree"] = software((settings or {}).get("version", __version__))
    if format == "bibtex":
        return "\n".join(source.bibtex for source in sources.values())
    line = "" if settings is None else signature(settings)
    if format == "latex":
        text = _MARK.sub(r"~\\citep{\1}", escaped(paragraph))
        return "\n".join([*([f"% signature: {line}"] if line else []), _wrapped(text), ""])
    below = [f"Signature: {line}", ""] if line else []
    listed = [_wrapped(source.text, hang=2) for source in sources.values()]
    text = _MARK.sub(_short, paragraph)
    return "\n".join([_wrapped(text), "", *below, "References", "", *listed, ""])


def _short(mark: re.Match[str]) -> str:
    """Return sources as they are cited in a text; the package is not."""
    shorts = [REFERENCES[key].short for key in mark[1].split(",") if key in REFERENCES]
    return f" ({'; '.join(shorts)})" if shorts else ""


def _wrapped(text: str, hang: int = 0) -> str:
    return textwrap.fill(
        text, _WIDTH, subsequent_indent=" " * hang, break_long_words=False, break_on_hyphens=False
    )


def _check(settings: Mapping[str, Any]) -> None:
    """Refuse what a signature may look like, but this version has no words for."""
    chosen = {key: [settings[key]] for key in _ALLOWED if key in settings}
    chosen["scheme"] = [*chosen.get("scheme", ()), *settings.get("schemes", ())]
    chosen["repair"] = settings.get("repair", [])
    kinds = re.findall(r"(?:^|\+)([a-z-]+)", settings.get("ci", ""))
    chosen["ci"] = ["+".join(kinds)] if kinds else []
    for key, allowed in _ALLOWED.items():
        for value in chosen.get(key, ()):
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
