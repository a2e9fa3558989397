"""Paragraphs of results: the verdict of a result, and its warnings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from spanagree.errors import InputError
from spanagree.report.sentences import escape_text


def list_parts(report: Any) -> list[Mapping[str, Any]]:
    """List the parts of a report that have a signature: its figures, then their test, if any.

    Args:
        report: what ``--format json`` of evaluate, agree, coefficients and others wrote; the list
            is empty for anything that they do not write.
    """
    parts = (report, report.get("test")) if isinstance(report, Mapping) else ()
    return [part for part in parts if isinstance(part, Mapping)]


def write_results_paragraph(report: Mapping[str, Any]) -> str:
    """Write a paragraph with the verdict of a result and its warnings.

    Args:
        report: dictionary that ``--format json`` of evaluate, agree, coefficients and others wrote.

    Raises:
        InputError: if the result has no verdict.
    """
    parts = list_parts(report)
    verdicts = [part.get("verdict") for part in reversed(parts)]  # that of a test comes first
    sentence = next((verdict for verdict in verdicts if isinstance(verdict, str) and verdict), None)
    if sentence is None:
        raise InputError(
            "a paragraph of results needs a verdict; comparisons of annotators or systems have one"
            " if they are written with --format json"
        )
    caveats = [str(caveat) for part in parts for caveat in part.get("caveats") or ()]
    warnings = [f"To be kept in mind: {escape_text('; '.join(caveats))}."] if caveats else []
    return " ".join([escape_text(sentence), *warnings])
