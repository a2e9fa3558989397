"""A methods paragraph filled with the settings of a result, and the references that it needs."""

from __future__ import annotations

import functools
import json
import os
import re
import textwrap
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from spanagree.chance.start_distributions import CHANCES
from spanagree.choices import Cited
from spanagree.comparisons.compared import WHATS
from spanagree.comparisons.measures import find_match
from spanagree.comparisons.relation_places import OF_ARGUMENTS, PAIRS
from spanagree.corpus.label_table import DUPLICATES
from spanagree.corpus.repairs import REPAIRS
from spanagree.corpus.tag_columns import PARTIAL
from spanagree.corpus.tags import SCHEMES
from spanagree.corpus.tokens import CUTS
from spanagree.errors import InputError, SettingError, check_choice, counted, printable, show
from spanagree.files import read_text
from spanagree.formats.conll.page import UNITS
from spanagree.labels.nearness import CATEGORY_WEIGHTS, MEASUREMENTS, weights_of
from spanagree.labels.spa import WEIGHTS
from spanagree.report.explain import words_of
from spanagree.report.references import REFERENCES, software
from spanagree.report.results_paragraph import results_paragraph
from spanagree.report.signature_parser import settings_of
from spanagree.results.latex import escaped
from spanagree.results.score import RARE
from spanagree.settings import KEYS, signature
from spanagree.systems.compare_systems import TESTS
from spanagree.uncertainty.bootstrap import INTERVALS, RESAMPLE_BY, SAMPLED_BY
from spanagree.unitizing.alpha_u import CONTINUA, MEASURES
from spanagree.unitizing.dissimilarity import CATEGORICAL
from spanagree.unitizing.sampling import SAMPLERS
from spanagree.version import __version__

CITED = ("text", "latex", "bibtex")
"""The formats of a citation, by name."""

_OFFSETS = ("tokens", "characters")
_ALLOWED: Mapping[str, Sequence[str] | Mapping[str, Any]] = {
    "chance": (*CHANCES, *OF_ARGUMENTS), "what": WHATS, "pairs": PAIRS,
    "arguments": ("boundaries",), "expected": ("partly-drawn",),
    "average": ("micro",), "of": ("gold", "team"), "team": ("summed",),
    "soft": ("shares", "given"),
    "items": ("labels", "segments", *_OFFSETS), "outside": ("kept", "skipped"),
    "weights": WEIGHTS, "measurement": MEASUREMENTS, "category_weights": CATEGORY_WEIGHTS,
    "duplicates": DUPLICATES, "offsets": _OFFSETS, "unit": UNITS,
    "scheme": ("auto", "none", "mixed", *SCHEMES), "partial": PARTIAL, "cut": CUTS,
    "discontinuous": ("keep", "hull", "split", "drop"),
    "measure": (*MEASURES, "gamma", "all"), "continuum": CONTINUA, "categorical": CATEGORICAL,
    "sampler": SAMPLERS, "test": (*TESTS, "chance"), "null": ("exact", "drawn", "partly-drawn"),
    "repair": REPAIRS, "ci": (*INTERVALS, "poisson"), "resample_by": (*RESAMPLE_BY, *SAMPLED_BY),
}  # fmt: skip
_WIDTH = 100
_MARK = re.compile(r" ?\[\[([a-z0-9,]+)\]\]")  # sources cited here


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
            of evaluate, agree or coefficients.

    Raises:
        InputError: for anything but a signature, or one with settings that are not known here.
        SettingError: for an unknown format.

    >>> print(cite("match:exact|chance:nonoverlapping|spanagree:0.1.0").splitlines()[0][:60])
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


_NO_FIGURES = (
    "results: a signature has no figures; pass a result, or a file that --format json wrote"
)
_REPORT = "a report is needed, as spanagree evaluate … --format json writes one"


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
    """Return what :func:`cite` does, for settings; ``figures`` is the paragraph of results."""
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
    what = f" Intervals, in brackets, are {words['confidence']}%." if "ci" in settings else ""
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
            if value not in allowed:
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
    """Return what kind of result has these settings.

    >>> subject_of({"match": "exact", "team": "summed"})
    'agreement'
    """
    levels = any(key in settings for key in ("levels", "at", "chance_at", "quantiles"))
    subjects = {
        "batches": "agreement",
        "test": "chance_test" if settings.get("test") == "chance" else "comparison",
        "measure": "unitizing",
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
