"""What the exports of annotation tools share: ids, names of annotators, and times."""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import datetime, timezone
from typing import Any

from spanagree.errors import check_choice, invalid_value, join_names

OUR_ID = "spanagree_id"
"""The key under which we write a document's id, as tools number documents anew and keep it."""

ANNOTATOR_FROM = {
    "id": "a number: Label Studio's completed_by, Prodigy's _annotator_id, doccano's user",
    "email": "the part of an e-mail before @, in Label Studio",
    "session": "Prodigy's _session_id",
    "file": "the name of the file",
    "tier": "the name of a recording's tier",
    "participant": "the participant of ELAN's tiers",
    "annotator": "the annotator of ELAN's tiers",
}
"""What may name an annotator; each tool has some of them."""


def check_named(annotator_from: str | None, *allowed: str) -> None:
    """Refuse a name of :data:`ANNOTATOR_FROM` that a tool does not have."""
    if annotator_from is not None:
        check_choice(annotator_from, allowed, "annotator_from")


def nameless(name: str, what: str, key: str, people: Collection[str]) -> list[str]:
    """Return a note on so many annotations that name nobody, if others do."""
    if not (named := sorted({*people} - {""})):
        return []
    return [
        f"{name}: {what} without {key}, taken as one annotator's, who is called as the file and"
        f" stands beside {join_names(named)}"
    ]


def number_in(name: str, limit: int) -> int | None:
    """Return the whole number below a limit that a name is; ``None`` for any other name.

    >>> number_in("-7", 100), number_in("07", 100), number_in("107", 100)
    (-7, None, None)
    """
    number = int(name) if re.fullmatch("-?[0-9]{1,18}", name) else limit
    return number if str(number) == name and abs(number) < limit else None


def seconds(value: object) -> float | None:
    """Return a time in seconds, of a number of them or a date as ISO writes it, if it is one.

    >>> seconds("1970-01-01T00:01:00.500000Z"), seconds(60), seconds("once")
    (60.5, 60.0, None)
    """
    try:
        if isinstance(value, str):
            time = datetime.fromisoformat(value.replace("Z", "+00:00"))
            return (time if time.tzinfo else time.replace(tzinfo=timezone.utc)).timestamp()
        return float(value) if isinstance(value, (int, float)) else None
    except (ValueError, OverflowError):
        return None


def objects_in(value: object, what: str, location: str) -> list[dict[str, Any]]:
    """Return a list of objects, which may be missing.

    Raises:
        InputError: for anything else.
    """
    if value is None:
        return []
    if isinstance(value, list) and {dict}.issuperset(map(type, value)):
        return value
    raise invalid_value(f"{location}: {what}", value, "a list of objects is needed")
