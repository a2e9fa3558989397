"""Methods paragraphs: a sentence for each setting of a result, with references."""

from __future__ import annotations

import json
import os
import re
import textwrap
from collections.abc import Mapping
from typing import Any

from spanagree.choices import Cited
from spanagree.errors import InputError, check_choice, escape_name
from spanagree.files import read_text
from spanagree.report.read_signature import parse_signature
from spanagree.report.results_paragraph import list_parts, write_results_paragraph
from spanagree.report.sentences import GENERAL, check_values, yield_sentences
from spanagree.report.sources import REFERENCES, build_package_reference
from spanagree.results.latex import escape_latex
from spanagree.signature import SETTINGS, format_signature
from spanagree.version import __version__

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
    try:
        settings: dict[str, Any] = {}
        for part in list_parts(report) or [{}]:
            line = part.get("signature")
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
    check_values(settings or {})
    version = (settings or {}).get("version", __version__)
    if figures is not None:
        package = SETTINGS["spanagree"].sentence
        paragraph = f"{figures} {package}".replace("{value}", version)
    else:
        paragraph = GENERAL if settings is None else " ".join(yield_sentences(settings))
    keys = {key for mark in _MARK.findall(paragraph) for key in mark.split(",")}
    sources = {key: source for key, source in REFERENCES.items() if settings is None or key in keys}
    sources["spanagree"] = build_package_reference(version)
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
