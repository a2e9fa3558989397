"""What of a corpus `evaluate` and `agree` compare: relations, attributes, near borders."""

from __future__ import annotations

from typing import Any

from spanagree.cli import options
from spanagree.cli.signatures import parameters

_COMPARED = "spanagree.comparisons.compared.Compared"

NAMES = tuple(parameters(_COMPARED))
"""The attributes of what is compared; each has an option."""


def comparing_what() -> options.Group:
    """Return the options of what is compared."""
    return options.group("Relations, attributes and tolerance", *options.of(_COMPARED, *NAMES))


def chosen_what(corpus: Any, settings: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return what is compared of a corpus or of its blocks, and the other settings."""
    given = {name: settings[name] for name in NAMES if name in settings}
    if not given:
        return corpus, settings
    from spanagree.comparisons.compared import compared

    asked = settings.get("match", "exact"), settings.get("chance", "nonoverlapping")
    corpus, match, _ = compared(corpus, *asked, **given)
    others = {name: value for name, value in settings.items() if name not in NAMES}
    return corpus, {**others, "match": match}
