"""What of a corpus `evaluate` and `agree` compare: relations, attributes, near borders."""

from __future__ import annotations

from typing import Any

from spanagree.cli import options
from spanagree.cli.signatures import parameters

_COMPARED = "spanagree.comparisons.compared.Compared"  # which has an option for each attribute


def names_of_comparing() -> tuple[str, ...]:
    """Return the names of what is compared."""
    return tuple(parameters(_COMPARED))


def comparing_what() -> options.Group:
    """Return the options of what is compared."""
    members = options.of(_COMPARED, *names_of_comparing())
    return options.group("Relations, attributes and tolerance", *members)


def chosen_what(corpus: Any, settings: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return what is compared of a corpus or of its blocks, and the other settings."""
    names = names_of_comparing()
    given = {name: settings[name] for name in names if name in settings}
    if not given:
        return corpus, settings
    from spanagree.comparisons.compared import compared

    asked = settings.get("match", "exact"), settings.get("chance", "nonoverlapping")
    corpus, match, _ = compared(corpus, *asked, **given)
    others = {name: value for name, value in settings.items() if name not in names}
    return corpus, {**others, "match": match}
