"""Ids, names of annotators and times in the exports of annotation tools."""

from __future__ import annotations

import re
from collections.abc import Collection
from datetime import datetime, timezone
from typing import Any

from spanagree.errors import check_choice, invalid_value, join_names

OUR_ID = "spanagree_id"
"""Key of a document's id in written files, as tools renumber documents but keep other keys."""

ANSWER = "answer"
"""Key of Prodigy's rows that says whether the annotator accepted the row."""

IGNORED_ANSWERS = {"reject": "rejected row", "ignore": "ignored row"}
"""Nouns of the answers of annotators who did not accept a row, and so never saw it."""

ANNOTATOR_FROM = {
    "id": "a number: Label Studio's completed_by, Prodigy's _annotator_id, doccano's user",
    "email": "the part of an e-mail before @, in Label Studio",
    "session": "Prodigy's _session_id",
    "file": "the name of the file",
    "tier": "the name of a recording's tier",
    "participant": "the participant of ELAN's tiers",
    "annotator": "the annotator of ELAN's tiers",
}
"""Sources of annotators' names; each tool has a subset."""


def check_name_source(annotator_from: str | None, *allowed: str) -> None:
    """Check that a tool has a source of names from :data:`ANNOTATOR_FROM`."""
    if annotator_from is not None:
        check_choice(annotator_from, allowed, "annotator_from")


def compose_nameless_note(
    name: str, counted: str, key: str, annotators: Collection[str]
) -> list[str]:
    """Compose the note on annotations without an annotator, if other annotations have one."""
    if not (other_names := sorted({*annotators} - {""})):
        return []
    return [
        f"{name}: {counted} without {key}, taken as one annotator's, who is called as the file and"
        f" stands beside {join_names(other_names)}"
    ]


def parse_number_in_name(name: str, limit: int) -> int | None:
    """Parse an integer below a limit from a name; return ``None`` for any other name.

    >>> [parse_number_in_name(name, 100) for name in ("-7", "07", "107")]
    [-7, None, None]
    """
    value = int(name) if re.fullmatch("-?[0-9]{1,18}", name) else limit
    return value if str(value) == name and abs(value) < limit else None


def convert_to_seconds(value: object) -> float | None:
    """Convert a number, or an ISO date, to seconds; return ``None`` for other values.

    >>> convert_to_seconds("1970-01-01T00:01:00.500000Z"), convert_to_seconds(60)
    (60.5, 60.0)
    >>> convert_to_seconds("once") is None
    True
    """
    try:
        if isinstance(value, str):
            time = datetime.fromisoformat(value.replace("Z", "+00:00"))
            return (time if time.tzinfo else time.replace(tzinfo=timezone.utc)).timestamp()
        return float(value) if isinstance(value, (int, float)) else None
    except (ValueError, OverflowError):
        return None


def find_ignored_noun(answer: object, location: str) -> str | None:
    """Find the noun of a row that was rejected or ignored; `None` for an accepted one.

    Raises:
        InputError: if the answer is another value.
    """
    if answer == "accept":
        return None
    if isinstance(answer, str) and answer in IGNORED_ANSWERS:
        return IGNORED_ANSWERS[answer]
    raise invalid_value(f"{location}: {ANSWER}", answer, "accept, reject or ignore is needed")


def check_objects(value: object, noun: str, location: str) -> list[dict[str, Any]]:
    """Check that a value is a list of objects, or missing, and return the list.

    Raises:
        InputError: if it is anything else.
    """
    if value is None:
        return []
    if isinstance(value, list) and {dict}.issuperset(map(type, value)):
        return value
    raise invalid_value(f"{location}: {noun}", value, "a list of objects is needed")
