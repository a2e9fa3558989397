"""The line that makes a number reproducible: the settings that made it, and the version."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_KEYS = (
    "match", "chance", "average", "of", "team", "annotators", "between", "kinds",
    "items", "outside", "categories", "weights", "classes", "complete_only", "duplicates",
    "missing", "offsets", "unit", "scheme", "strict", "partial", "cut",
    "levels", "at", "chance_at", "quantiles",
    "skipped_blocks", "ci", "test", "resamples", "draws", "seed",
)  # fmt: skip


def signature(settings: Mapping[str, Any]) -> str:
    """Settings in one line, for the record: those that change numbers, and the version.

    >>> signature({"match": "exact", "strict": False, "version": "0.1.0"})
    'match:exact|strict:no|spanagree:0.1.0'
    """
    parts = []
    for key in _KEYS:
        if key in settings:
            value = settings[key]
            if value == "auto":  # the schemes that were recognised
                value = f"auto({','.join(sorted(set(settings.get('schemes', {}).values())))})"
            if isinstance(value, list):
                value = ",".join(f"{number:g}" for number in value)
            parts.append(f"{key}:{('no', 'yes')[value] if isinstance(value, bool) else value}")
    if settings.get("repair"):
        parts.append(f"repair:{'+'.join(settings['repair'])}")
    if settings.get("ignore_tokens"):
        parts.append("tokens:ignored")
    return "|".join([*parts, f"spanagree:{settings['version']}"])
