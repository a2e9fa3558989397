"""A methods paragraph filled with the settings of a result, and the references that it needs."""

from __future__ import annotations

import json
import os
import re
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

from spanagree.chance.start_distributions import CHANCES
from spanagree.corpus.label_table import DUPLICATES
from spanagree.corpus.repairs import REPAIRS
from spanagree.corpus.tag_columns import PARTIAL
from spanagree.corpus.tags import SCHEMES
from spanagree.corpus.tokens import CUTS
from spanagree.errors import InputError, check_choice, counted, printable, show
from spanagree.evaluation.compare_systems import TESTS
from spanagree.files import read_text
from spanagree.formats.conll.read import UNITS
from spanagree.labels.spa import WEIGHTS
from spanagree.matching.measures import MATCHES
from spanagree.rendering.latex import escaped
from spanagree.report.references import REFERENCES, as_bibtex, as_text, software
from spanagree.settings import __version__, settings_of, signature, subject_of, unit
from spanagree.uncertainty.bootstrap import INTERVALS

CITED = ("text", "latex", "bibtex")
"""The formats of a citation, by name."""


_OFFSETS = ("tokens", "characters")


_ALLOWED: Mapping[str, Sequence[str] | Mapping[str, Any]] = {
    "match": MATCHES, "chance": CHANCES, "average": ("micro",), "of": ("gold", "team"),
    "team": ("summed",), "items": ("labels", *_OFFSETS), "outside": ("kept", "skipped"),
    "weights": WEIGHTS, "duplicates": DUPLICATES, "offsets": _OFFSETS, "unit": UNITS,
    "scheme": ("auto", "none", "mixed", *SCHEMES), "partial": PARTIAL, "cut": CUTS,
    "test": (*TESTS, "luck"),
}  # fmt: skip


_INTERVALS = (*INTERVALS, "poisson")


_WIDTH = 100


_MARK = re.compile(r" ?\[\[([a-z0-9,]+)\]\]")  # sources cited here


def cite(of: object = None, format: str = "text") -> str:  # noqa: A002 — named as the option
    """A methods paragraph on a result, filled with its settings, and the references it needs.

    Args:
        of: a result, or the signature that stands below its table; without one, a general
            sentence and all references.
        format: ``text``; ``latex``, with ``\\citep``; ``bibtex``, the references alone.

    Raises:
        InputError: for what is no signature, or one with settings that are not known here.
        SettingError: for an unknown format.

    >>> print(cite("match:exact|chance:nonoverlapping|spanagree:0.1.0").splitlines()[0][:60])
    Expected scores are exact: those of two independent random a
    """
    line = of if of is None or isinstance(of, str) else getattr(of, "signature", None)
    if of is not None and not isinstance(line, str):
        raise InputError(f"{type(of).__name__}; a result with a signature, or one, is needed")
    return cited(None if line is None else settings_of(line), format)


def settings_in(argument: str) -> dict[str, Any]:
    """The settings that a signature names, or a report in JSON; ``-`` is standard input.

    Raises:
        InputError: for a file that cannot be read or has no signature; for what is no signature.
    """
    if ":" in argument and not os.path.exists(argument):
        return settings_of(argument)
    text = read_text(argument)
    name = printable(argument)
    try:
        report = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError(f"{name}: is no JSON; a report by --format json is needed") from None
    parts = [report, report.get("test")] if isinstance(report, dict) else [report]
    lines = [part.get("signature") for part in parts if isinstance(part, dict)]
    try:
        settings: dict[str, Any] = {}
        for line in lines or [None]:  # of the figures, then of the test
            if not isinstance(line, str):
                raise InputError("no signature in it; a report by --format json is needed")
            settings |= settings_of(line)
    except InputError as error:
        raise InputError(f"{name}: {error}") from None
    return settings


def cited(settings: Mapping[str, Any] | None, format: str = "text") -> str:  # noqa: A002 — as above
    """As :func:`cite`, of settings."""
    check_choice(format, CITED, "format")
    if settings is not None:
        _check(settings)
    said = _GENERAL if settings is None else " ".join(_paragraph(settings))
    keys = {key for mark in _MARK.findall(said) for key in mark.split(",")}
    if settings is None:
        keys |= REFERENCES.keys()
    version = __version__ if settings is None else settings["version"]
    sources = {key: of for key, of in REFERENCES.items() if key in keys}
    sources["spanagree"] = software(version)
    if format == "bibtex":
        return "\n".join(as_bibtex(key, of) for key, of in sources.items())
    line = "" if settings is None else signature(settings)
    if format == "latex":
        text = _MARK.sub(r"~\\citep{\1}", escaped(said))
        return "\n".join([*([f"% signature: {line}"] if line else []), _wrapped(text), ""])
    text = _MARK.sub(lambda mark: f" ({_short(mark[1])})" if mark[1] != "spanagree" else "", said)
    below = [f"Signature: {line}", ""] if line else []
    listed = [_wrapped(as_text(of), hang=2) for of in sources.values()]
    return "\n".join([_wrapped(text), "", *below, "References", "", *listed, ""])


def _short(keys: str) -> str:
    return "; ".join(REFERENCES[key].short for key in keys.split(","))


def _wrapped(text: str, hang: int = 0) -> str:
    return textwrap.fill(
        text, _WIDTH, subsequent_indent=" " * hang, break_long_words=False, break_on_hyphens=False
    )


def _check(settings: Mapping[str, Any]) -> None:
    """Refuses what a signature may look like, but this version has no words for."""
    found = [(key, settings[key], _ALLOWED[key]) for key in _ALLOWED if key in settings]
    found += [("scheme", name, _ALLOWED["scheme"]) for name in settings.get("schemes", ())]
    found += [("repair", name, REPAIRS) for name in settings.get("repair", ())]
    if "ci" in settings:
        found.append(("ci", _interval(settings)[0], _INTERVALS))
    for key, value, allowed in found:
        if value not in allowed:
            raise InputError(f"signature: {key}: {show(value)}; allowed: {', '.join(allowed)}")


def _interval(settings: Mapping[str, Any]) -> tuple[str, str]:
    """The kind of an interval and its confidence."""
    kind = re.match("[a-z]*", settings["ci"])
    name = kind[0] if kind else ""
    return name, settings["ci"].removeprefix(name)


# --- the paragraph ------------------------------------------------------------------------------

_RANDOM = (
    "two independent random annotations that keep the number, lengths and labels of the segments"
    " of either side in every {document} and place them uniformly"
)


_CORRECTED = "Corrected scores are (observed − expected) / (1 − expected)."


_GENERAL = (
    f"Agreement was computed with spanagree {__version__} [[spanagree]]. Beside raw precision,"
    f" recall and F1 it gives the expected scores of {_RANDOM.format(document='document')}"
    " [[li2024]], which are exact, not simulated, and scores corrected for them,"
    " (observed − expected) / (1 − expected)."
)


def _paragraph(settings: Mapping[str, Any]) -> list[str]:
    subject = subject_of(settings)
    document = unit(settings)
    said = [text.format(document=document, **_names(settings)) for text in _SUBJECTS[subject]]
    if "chance" in settings:
        model = f"{settings['chance']}: {CHANCES[settings['chance']]}"
        if settings.get("offsets") == "characters":
            model = model.replace("a token", "a character")
        said.append(
            f"Expected scores are exact: those of {_RANDOM.format(document=document)} (chance model"
            f" {model}) [[li2024]]."
        )
        if subject not in ("chance", "difficulty", "split"):
            said.append(_CORRECTED)
    if subject in ("levels", "difficulty", "split"):
        said += _difficulty(settings, document)
    if subject == "coefficients":
        said += _coefficients(settings)
    said += [*_reading(settings, document), *_certainty(settings, document)]
    said.append(f"All figures were computed with spanagree {settings['version']} [[spanagree]].")
    if settings["version"] != __version__:
        said.append(
            f"(This paragraph was worded by spanagree {__version__}; look up in the documentation"
            f" of {settings['version']} whether it holds.)"
        )
    return said


_MATCHED = "Segments match under the measure {match}."


_MICRO = (
    "Outputs of systems were compared with a gold annotation.",
    _MATCHED,
    "Precision, recall and F1 are micro-averaged: they are taken of sums over all {document}s.",
)


_SUBJECTS: Mapping[str, Sequence[str]] = {
    "evaluation": _MICRO,
    "levels": _MICRO,
    "comparison": _MICRO,
    "luck": _MICRO,
    "agreement": (
        "The {annotators} were compared in pairs, each over the {document}s that both saw.",
        _MATCHED,
        "The team's F1 is that of the tallies summed over all pairs and {document}s; the mean over"
        " pairs is that of the pairs' own figures.",
    ),
    "difficulty": (_MATCHED,),
    "split": (_MATCHED,),
    "disagreements": (
        "Two annotators were compared segment by segment over the {document}s that both saw.",
        "Each segment is in one pair at most: first with one of the same boundaries and label,"
        " then with one of the same boundaries, then with the one that it overlaps most.",
    ),
    "coefficients": (),
    "chance": (),
    "reading": (),
}


def _names(settings: Mapping[str, Any]) -> dict[str, str]:
    match = settings.get("match")
    return {
        "match": f"{match} ({MATCHES[match].means})" if match else "",
        "annotators": counted(settings.get("annotators", 0), "annotator"),
    }


def _difficulty(settings: Mapping[str, Any], document: str) -> list[str]:
    whose = "the gold annotation against itself"
    if settings.get("of") == "team":
        whose = (
            f"the annotators who saw it ({settings.get('annotators', 'all')} in all), as a mean"
            " over all ordered pairs of them, each with herself included"
        )
    said = [
        f"The difficulty of a {document} is 1 − its chance level, the F1 that luck alone would give"
        f" {whose} [[li2024]]."
    ]
    divided = f"By difficulty the {document}s were divided"
    ways = {
        "at": "at the difficulties {} (one at a border is in the harder level).",
        "chance_at": "at the chance levels {} (one at a border is in the easier level).",
        "quantiles": "at the quantiles {} of difficulty, as nearly as ties allow.",
    }
    for way, text in ways.items():
        if way in settings:
            numbers = ", ".join(f"{number:g}" for number in settings[way])
            said.append(f"{divided} {text.format(numbers)}")
    if "levels" in settings:
        levels = counted(settings["levels"], "level")
        said.append(f"{divided} into {levels} of as nearly equal size as ties allow.")
    return said


def _coefficients(settings: Mapping[str, Any]) -> list[str]:
    items = settings.get("items", "labels")
    said = []
    if items != "labels":
        one = items.removesuffix("s")
        left = {"kept": "were kept", "skipped": "were left out"}[settings.get("outside", "kept")]
        said.append(
            f"Every {one} is an item, its label that of the segment in which it lies, or O; those"
            f" that all who saw them call O {left}."
        )
    of = "π [[scott1955,fleiss1971]], κ [[cohen1960,conger1980]], α for nominal labels"
    of += " [[krippendorff2011]], AC1 [[gwet2008]] and bias B [[artstein2005]]"
    if "weights" in settings:
        of = f"SPA [[norregaard2022]], {of}"
    categories = settings["categories"]
    said.append(
        f"For {categories} categor{'y' if categories == 1 else 'ies'} the coefficients are {of}."
    )
    if "weights" in settings:
        made = WEIGHTS[settings["weights"]]
        if "classes" in settings:
            estimated = settings["classes"] == "estimated"
            made += f", which was {'estimated from the labels' if estimated else 'given'}"
        said.append(
            f"SPA's weights are {settings['weights']}: {made} (n is the number of an item's"
            " labels, Pᵢ the share of their pairs that agree)."
        )
    said.append(
        "Corrected coefficients are (observed − expected) / (1 − expected). Agreement by category"
        " is the share of the pairs of labels with the category in which both have it"
        " [[uebersax,siegel2018]]."
    )
    if settings.get("complete_only"):
        said.append("Only items that all annotators labelled count.")
    if settings.get("duplicates") == "first":
        said.append("Of two labels of one item by one annotator the first counts.")
    if "missing" in settings:
        said.append("One label stood for missing ones, and was left out.")
    return said


def _reading(settings: Mapping[str, Any], document: str) -> list[str]:
    """How files were read."""
    said = []
    if "scheme" in settings:
        names = ", ".join(name for name in settings.get("schemes", ()) if name != "none")
        scheme = settings["scheme"]
        if scheme == "auto":
            scheme = f"{names}, as recognised" if names else "recognised automatically"
        read = (
            "strictly: only segments that are well-formed in the scheme count."
            if settings.get("strict")
            else "leniently, as conlleval does [[tjongkimsang2003]]."
        )
        said.append(f"Tags ({scheme}) were read {read}")
    if "offsets" in settings and "categories" not in settings:
        where = f"; random segments stay in their {document}" if "chance" in settings else ""
        said.append(f"Offsets count {settings['offsets']}{where}.")
    if settings.get("partial") == "drop-tokens":
        said.append("Tokens without a tag in one layer were left out in all.")
    if "cut" in settings:
        said.append(f"Where a segment cuts a token, {CUTS[settings['cut']]}.")
    if settings.get("ignore_tokens"):
        said.append("Files were aligned by position, though their tokens differ.")
    if settings.get("repair"):
        steps = "; ".join(REPAIRS[name].says for name in settings["repair"])
        said.append(f"Annotations were repaired: {steps}.")
    if skipped := settings.get("skipped_blocks"):
        said.append(f"Left out: {counted(skipped, 'block')} of the corpus that could not be used.")
    return said


def _certainty(settings: Mapping[str, Any], document: str) -> list[str]:
    said = []
    of_items = settings.get("items") == "labels" or (
        "categories" in settings and "items" not in settings
    )
    drawn = "item" if of_items else document
    seed = f", seed {settings['seed']}" if "seed" in settings else ""
    times = f"{settings['resamples']:,}" if "resamples" in settings else "some"
    if "ci" in settings:
        kind, confidence = _interval(settings)
        how = {
            "bca": "bias-corrected and accelerated (BCa) bootstrap intervals [[efron1987]]",
            "percentile": "percentile bootstrap intervals [[efron1979]]",
            "poisson": "percentile intervals of a Poisson bootstrap [[chamandy2012]]",
            "jackknife": "jackknife intervals, the figure ± z standard errors,",
        }[kind]
        made = f"over {drawn}s ({times} resamples{seed})"
        if kind == "jackknife":
            made = f"from leaving out one {drawn} at a time"
        said.append(f"Intervals are {confidence}% {how} {made}.")
    holm = "p is two-sided, with Holm's correction [[holm1979]] for all pairs of systems."
    match settings.get("test"):
        case "bootstrap":
            said.append(
                f"Differences of systems were tested by the bootstrap [[efron1979]] over {drawn}s"
                f" ({times} resamples{seed}); {holm}"
            )
        case "permutation":
            said.append(
                "Differences of systems were tested by permutation, exchanging the two systems'"
                f" tallies {drawn} by {drawn} ({times} random exchanges{seed}; all of them where"
                f" there are no more than that); {holm}"
            )
        case "luck":
            draws = f"{settings['draws']:,}" if "draws" in settings else "some"
            said.append(
                f"Each system was tested against luck: {draws} random annotations of it{seed} with"
                " gold as it is; p is (1 + those that reach its F1) / (1 + all)."
            )
    return said
