"""A methods paragraph filled with the settings of a result, and the references that it needs."""

from __future__ import annotations

import functools
import json
import os
import re
import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Any, NamedTuple

from spanagree.chance.start_distributions import CHANCES
from spanagree.choices import Cited
from spanagree.comparisons.compared import WHATS
from spanagree.comparisons.measures import find_match
from spanagree.comparisons.relation_places import OF_ARGUMENTS, PAIRS
from spanagree.corpus.label_table import DUPLICATES
from spanagree.corpus.repairs import REPAIRS
from spanagree.corpus.segments import UNIT_OF_TIME
from spanagree.corpus.tag_columns import PARTIAL
from spanagree.corpus.tags import SCHEMES
from spanagree.corpus.times import is_time
from spanagree.corpus.tokens import CUTS
from spanagree.errors import (
    InputError,
    SettingError,
    SpanAgreeError,
    check_choice,
    counted,
    counted_of,
    printable,
    show,
)
from spanagree.files import read_text
from spanagree.formats.conll.page import UNITS
from spanagree.labels.category_weights import CATEGORY_WEIGHTS, MEASUREMENTS, weights_of
from spanagree.labels.sparse_agreement import WEIGHTS
from spanagree.report.explain import words_of
from spanagree.results.frame import decimal
from spanagree.results.latex import escaped
from spanagree.results.score import RARE
from spanagree.settings import KEYS, SIGNED_AS, Escaped, signature, unit
from spanagree.systems.compare_systems import TESTS
from spanagree.uncertainty.bootstrap import INTERVALS, RESAMPLE_BY, SAMPLED_BY
from spanagree.units.alpha_u import CONTINUA, MEASURES
from spanagree.units.dissimilarity import CATEGORICAL
from spanagree.units.sampling import SAMPLERS
from spanagree.version import __version__

_ENTRY = re.compile(r"^@(\w+)\{(\w+),\n((?:  .*\n)*)\}\n", re.M)
_FIELD = re.compile(r"^  (\w+) = \{(.*)\},\n", re.M)
_SPECIAL = re.compile(r"\\url\{([^{}]*)\}|\{\\['\x22o]\w?\}|\{\$\\gamma\$\}|\\([&_])|--|[{}]")
_NOT_AFTER = ("author", "title", "year", "annote")  # what does not follow the title
_CHARACTERS = {r"{\'e}": "é", r"{\"o}": "ö", r"{\o}": "ø", r"{$\gamma$}": "γ"}
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

        >>> print(REFERENCES["efron1979"].text)
        Bradley Efron. 1979. Bootstrap Methods: Another Look at the Jackknife. The Annals of Statistics 7(1), 1–26.
        """  # noqa: E501 — the line as it is printed
        names = [f"{given} {family}".strip() for given, family in self.authors]
        authors = " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
        where = {k: v for k, v in self.fields.items() if k not in _NOT_AFTER}
        if "volume" in where:
            where["journal"] += f" {where.pop('volume')}"
            where["journal"] += f"({where.pop('number')})" if "number" in where else ""
        parts = [authors, self.year, self.fields.get("title"), ", ".join(where.values())]
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
    "interval": _Value(f"[a-z]+{_NUMBER}"),
    "words": _Value(rf"{_WORD}(\+{_WORD})*", lambda text: text.split("+")),
    "ignored": _Value("ignored"),
    "version": _Value(r"[0-9]{1,9}(\.[0-9]{1,9}){0,3}([.+-]?[a-z]{1,9}[0-9]{0,9}){0,3}"),
}
"""The values in signatures by their kinds, which are those of :data:`spanagree.settings.KEYS`."""

_NAMES = {signed: name for name, signed in SIGNED_AS.items()}
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
            raise InputError(f"signature: {show(part)}; key:value, with | between, is needed")
        key = _NAMES.get(key, key)
        if key not in KEYS:
            raise InputError(
                f"signature: unknown key {show(key)}; a line that stands below a table is needed"
            )
        if key in values:
            raise InputError(f"signature: the key {key} comes twice; name it once")
        kind = _VALUES[KEYS[key]]
        if not re.fullmatch(kind.pattern, value, re.ASCII) or not value.isprintable():
            raise InputError(
                f"signature: {key}: {show(value)} is not a value that it can have; copy the line"
                " from below a table"
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
    read = {key: _VALUES[KEYS[key]].read(value)}
    return read | {"gold_first": False} if key == "gold" else read  # the first layer is not named


# --- figures in a sentence ------------------------------------------------------------------------


_LABELS = 10  # of more than these, no figures by label
_PAIRS = 10  # of more than these, no differences
_GAPS = {
    "π": "categories' shares are means over the items with one label or more [[gwet2014]]",
    "κ": "an annotator's shares are over all items that she labelled [[gwet2014]]",
    "α": "only items with two labels or more count [[krippendorff2011]]",
    "AC1": "categories' shares are those of π [[gwet2014]]",
}
"""What a coefficient does where not everybody labelled every item."""


def results_paragraph(result: Mapping[str, Any]) -> str:
    """Return the findings in sentences, in which ``[[key]]`` cites a source.

    Args:
        result: what ``--format json`` of evaluate (also with references and tests), agree (also
            α_U and γ) or coefficients wrote.

    Raises:
        InputError: for the JSON of another command, or one that lacks figures.
    """
    settings = result.get("settings")
    kind = str(result.get("kind", ""))
    write = _KINDS.get(kind)
    if write is None or not settings or not isinstance(settings, Mapping):
        others = f", and not those of {show(kind)}" if kind else ""
        raise InputError(
            f"a paragraph of results needs figures{others};"
            " evaluate (not --match soft, nor --by difficulty), agree (not --measure all or"
            " documents) and coefficients, not over batches, write them with --format json"
        )
    try:
        test = result.get("test")
        tested = [] if test is None else _KINDS[str(test["kind"])](test)
        caveats = [*result.get("caveats", ()), *(test or {}).get("caveats", ())]
        return " ".join([*write(result), *tested, *_caveats(caveats)])
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
        by_label = (f"{_text(row['label'])} {_number(row['f1']['corrected'])}" for row in labels)
        sentences.append(f"By label it is, above chance: {', '.join(by_label)}.")
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
    values = [f"{_text(k)} {_value(entry)}" for k, entry in named.items()]
    sentences = [
        f"{counted(counts['annotators'], 'annotator')} gave {counts['labels']} labels of"
        f" {counted(counts['categories'], 'category')} to"
        f" {counted(counts['items'], item)}, of which {counts['compared']} have two or more"
        f" ({counted(counts['pairs'], 'pair')} of labels).",
        f"The coefficients are {'; '.join(values)}.",
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
        part = counted_of(seen, every, document)
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


def _against(result: Mapping[str, Any]) -> list[str]:
    """Return the sentences of systems against references, and of these among themselves."""
    document, summary = unit(result["settings"]), result["summary"]
    nearest = "the nearest of " if result["settings"].get("best_match") else ""
    references = f"{nearest}{counted(summary['references'], 'reference annotator')}"
    sentences = []
    for row in result["tables"]["systems"]:
        seen = counted_of(row["documents"], summary["documents"], document)
        if row["reference"]:
            sentences.append(
                "The references were compared with each other over"
                f" {seen} that two of them saw; {_f1(row['f1'])}."
            )
            continue
        share = row["share"]
        beside = "" if share["observed"] is None else (
            f"; that is {_with_interval(share, 'observed')} times the F1 of references among"
            f" themselves on the same {document}s"
        )  # fmt: skip
        if beside and share["corrected"] is not None:
            beside += f", and above chance {_with_interval(share, 'corrected')} times"
        sentences.append(
            f"{_text(row['system'])} was compared with {references} over {seen} that one of them"
            f" saw; {_f1(row['f1'])}{beside}."
        )
    return sentences if summary["references"] > 1 else sentences[:-1]


def _comparison(result: Mapping[str, Any]) -> list[str]:
    """Return a sentence on the differences that a test of systems found."""
    differences = []
    for row in result["tables"]["pairs"]:
        difference, pair = row["corrected"], f"{_text(row['a'])} and {_text(row['b'])}"
        if difference["value"] is None:
            differences.append(f"undefined between {pair}")
            continue
        interval = _ends((difference["low"], difference["high"]))
        differences.append(
            f"{_number(difference['value'])}{interval} between {pair} ({_p_of(difference)})"
        )
    if not differences:
        return []
    test = result["settings"]["test"]
    left = differences[_PAIRS:]
    more = [f"and {counted(len(left), 'more pair')} were tested"] if left else []
    return [
        f"By the {test} test, with Holm's correction [[holm1979]], the difference in F1 above"
        f" chance is {', '.join([*differences[:_PAIRS], *more])}."
    ]


def _chance_test(result: Mapping[str, Any]) -> list[str]:
    """Return a sentence on what a test against chance found."""
    rows = result["tables"]["systems"]
    by_system = "; ".join(f"{_p_of(row)} for {_text(row['system'])}" for row in rows)
    return [f"By the test against chance, with Holm's correction [[holm1979]], {by_system}."]


def _units(result: Mapping[str, Any]) -> list[str]:
    """Return the sentences of α_U and of γ."""
    summary, settings = result["summary"], result["settings"]
    is_gamma = result["kind"] == "Gamma"
    key, source = ("gamma", "mathet2015") if is_gamma else ("alpha_u", "krippendorff1995")
    sentences = [
        f"{counted(len(summary['annotators']), 'annotator')} were compared over"
        f" {counted(summary['documents'], unit(settings))} that two or more saw."
    ]
    for row in result["tables"]["figures"]:
        name, figures = row.get("coefficient"), row[key]
        if name is None:
            name = "α_U" if row["label"] == "all" else f"α_U of {_text(row['label'])}"
        if figures["value"] is None:
            sentences.append(f"{_text(name)} is undefined ({_text(figures['undefined'])}).")
            continue
        error = f", standard error {figures['error']:.2g}" if figures.get("error") else ""
        cite = f" [[{source}]]" if name in ("γ", "α_U") else ""
        sentences.append(
            f"{_text(name)} is {_with_interval(figures, 'value')}{cite}: the disagreement is"
            f" {decimal(float(figures['observed']), 4)}, and by chance"
            f" {decimal(float(figures['expected']), 4)}{error}."
        )
    return sentences


_KINDS = {
    "AgainstReferences": _against,
    "Agreement": _agreement,
    "AlphaU": _units,
    "ChanceTest": _chance_test,
    "Coefficients": _coefficients,
    "Comparison": _comparison,
    "Evaluation": _evaluation,
    "Gamma": _units,
}
"""The functions that write about each kind of result."""


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


def _p_of(row: Mapping[str, Any]) -> str:
    """Return p, and p after Holm's correction."""
    named = []
    for key, what in (("p", "p"), ("p_holm", "corrected p")):
        value = row[key]
        low = value is not None and value < 0.001
        named.append(f"{what} < 0.001" if low else f"{what} {_number(value)}")
    return ", ".join(named)


def _number(value: float | None) -> str:
    return "undefined" if value is None else decimal(float(value), 3)


def _text(text: str) -> str:
    """Return a user's text, in which nothing is taken for the mark of a source."""
    return printable(text).replace("[[", "[ [")


def _caveats(caveats: Sequence[str]) -> list[str]:
    """Return caveats as sentences."""
    return [f"To be kept in mind: {_text('; '.join(caveats))}."] if caveats else []


# --- the citation -------------------------------------------------------------------------------


CITED = ("text", "latex", "bibtex")
"""The formats of a citation, by name."""

_OFFSETS = ("tokens", "characters")
# what settings with few values may be: another version may have had others
_ALLOWED: Mapping[str, Sequence[str] | Mapping[str, Any]] = {
    "chance": (*CHANCES, *OF_ARGUMENTS), "what": WHATS, "pairs": PAIRS,
    "arguments": ("boundaries",), "expected": ("partly-drawn",),
    "average": ("micro", "macro"), "of": ("gold", "team"), "team": ("summed",),
    "credit": ("by-share",), "soft": ("shares", "given"),
    "items": ("labels", "segments", *_OFFSETS), "outside": ("kept", "skipped"),
    "weights": WEIGHTS, "measurement": MEASUREMENTS, "category_weights": CATEGORY_WEIGHTS,
    "duplicates": DUPLICATES, "offsets": _OFFSETS, "unit": UNITS,
    "scheme": ("auto", "none", "mixed", *SCHEMES), "partial": PARTIAL, "cut": CUTS,
    "discontinuous": ("keep", "hull", "split", "drop"),
    "measure": (*MEASURES, "gamma", "all", "documents"), "continuum": CONTINUA,
    "categorical": CATEGORICAL,
    "sampler": SAMPLERS, "test": (*TESTS, "chance"), "null": ("exact", "drawn", "partly-drawn"),
    "repair": REPAIRS, "ci": INTERVALS, "resample_by": (*RESAMPLE_BY, *SAMPLED_BY),
}  # fmt: skip
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
    """Return a methods paragraph on a result, with its settings, and the references it needs.

    Args:
        result: a result, or the signature that stands below its table; without one, a general
            sentence and all references.
        format: ``text``; ``latex``, with ``\\citep``; ``bibtex``, the references alone.
        results: a paragraph of results instead, with figures, intervals and coverage: of a result
            of evaluate, also with references, agree or coefficients, or of a test of systems.

    Raises:
        InputError: for anything but a signature, or one with settings that are not known here.
        SettingError: for an unknown format.

    >>> print(cite("match:exact|chance:nonoverlapping|spanagree:1.0.0").splitlines()[0][:60])
    Expected scores are exact: those of two independent random a
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
    name = printable(argument)
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
    paragraph = _paragraph(settings) if figures is None else _with_software(figures, settings or {})
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


def _with_software(figures: str, settings: Mapping[str, Any]) -> str:
    """Return a paragraph of results with what intervals are, and what made the figures."""
    words = words_of(settings)
    what = f" Intervals, in brackets, are {words['confidence']} %." if "ci" in settings else ""
    if what and "average" not in settings and settings.get("resample_by") not in SAMPLED_BY:
        what = f"{what[:-1]}, with the annotators held fixed."
    version = settings.get("version", __version__)
    return f"{figures}{what} All figures were computed with spanagree {version} [[spanagree]]."


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
    chosen["ci"] = [words_of(settings)["interval"]] if "ci" in settings else []
    for key, allowed in _ALLOWED.items():
        for value in chosen.get(key, ()):
            if value not in allowed and not (KEYS.get(key) == "counted" and is_time(value)):
                raise InputError(f"signature: {key}: {show(value)}; allowed: {', '.join(allowed)}")
    try:
        find_match(settings.get("match", "exact"))
    except SettingError as error:
        raise InputError(f"signature: {error}") from None


def _paragraph(settings: Mapping[str, Any] | None) -> str:
    """Return the methods paragraph with marks where sources are cited; a general one of None."""
    values = {"version": __version__, **dict.fromkeys([*KEYS, "ignore_tokens"]), **(settings or {})}
    text = _template().render(
        values,
        subject="anything" if settings is None else subject_of(settings),
        **words_of(settings or {}),
        schemes=list(values.get("schemes", ())),
        repair=[REPAIRS[name].says for name in values["repair"] or ()],
        own_version=__version__,
    )
    return " ".join(text.split())


@functools.cache
def _template() -> Any:
    from jinja2 import Environment, StrictUndefined

    environment = Environment(undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.globals |= {
        "find_match": find_match,
        "CHANCES": {**CHANCES, **OF_ARGUMENTS},
        "PAIRS": PAIRS,
        "CUTS": CUTS,
        "WEIGHTS": WEIGHTS,
        "MEASUREMENTS": MEASUREMENTS,
        "CATEGORY_WEIGHTS": CATEGORY_WEIGHTS,
        "weights_of": weights_of,
        "counted": counted,
        "rare": RARE,
        "grouped": lambda number: "some" if number is None else f"{number:,}",
        "numbers": lambda values: ", ".join(f"{number:g}" for number in values),
    }
    text = files("spanagree.report").joinpath("methods.txt").read_text("utf-8")
    return environment.from_string(text)


def subject_of(settings: Mapping[str, Any]) -> str:
    """Return the kind of result that has these settings.

    >>> subject_of({"match": "exact", "team": "summed"})
    'agreement'
    """
    levels = any(key in settings for key in ("levels", "at", "chance_at", "quantiles"))
    subjects = {
        "measures": "study",
        "credit": "credit",
        "batches": "agreement",
        "test": "chance_test" if settings.get("test") == "chance" else "comparison",
        "measure": "documents" if settings.get("measure") == "documents" else "unitizing",
        "width": "plan",
        "soft": "soft",
        "references": "references",
        "candidate": "replacement",
        "average": "levels" if levels else "evaluation",
        "team": "agreement",
        "categories": "coefficients",
        "of": "split" if levels else "difficulty",
        "between": "disagreements",
        "confusion": "disagreements",
        "chance": "chance",
        "made": "gold",
    }
    return next((subject for key, subject in subjects.items() if key in settings), "reading")
