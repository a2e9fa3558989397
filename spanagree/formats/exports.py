"""What the exports of annotation tools share: ids, and the text that stands beside a span."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime, timezone
from typing import Any

import numpy as np

from spanagree.arrays import Ints
from spanagree.errors import check_choice, counted, listed, show, unfit

OUR_ID = "spanagree_id"
"""The key under which we write a document's id, as tools number documents anew and keep it."""

ANNOTATOR_FROM = {
    "id": "a number: Label Studio's completed_by, Prodigy's _annotator_id, doccano's user",
    "email": "the part of an e-mail before @, in Label Studio",
    "session": "Prodigy's _session_id",
    "file": "the name of the file",
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
        f" stands beside {listed(named)}"
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


def objects_in(value: object, what: str, where: str) -> list[dict[str, Any]]:
    """Return a list of objects, which may be missing.

    Raises:
        InputError: for anything else.
    """
    if value is None:
        return []
    if isinstance(value, list) and all(isinstance(each, dict) for each in value):
        return value
    raise unfit(f"{where}: {what}", value, "a list of objects is needed")


def flat(text: str) -> str:
    r"""Return a text without outer white space, any other being one space.

    Label Studio writes a line break as a backslash and an n in some versions.

    >>> flat(" New\nYork") == flat("New\\nYork ")
    True
    """
    return " ".join(text.replace("\\n", "\n").split())


def points_at(text: str) -> Ints | None:
    """Return the code point at each offset in UTF-16 units; ``None`` where both are the same.

    >>> points_at("a😀b").tolist()
    [0, 1, 1, 2, 3]
    """
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
    if codes.max(initial=0) <= 0xFFFF:
        return None
    return np.append(np.repeat(np.arange(len(text)), 1 + (codes > 0xFFFF)), len(text))


class Surfaces:
    """Turns offsets into code points where they fit only so, and counts those that fit nowhere."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.converted = self.unfit = 0
        self.first = ""

    def offsets(
        self, text: str, spans: Sequence[tuple[int, int, str | None]], where: str
    ) -> list[tuple[int, int]]:
        """Return start and end, in code points, of the spans of one annotation.

        Args:
            text: of the document.
            spans: start, end and text of each, ``None`` where it is not known.
            where: names the annotation.
        """
        here = [(start, end) for start, end, _ in spans]
        fits = [_fits(text, *span) for span in spans]
        points = None if all(fits) else points_at(text)
        if points is not None:
            there = [(_point(points, start), _point(points, end)) for start, end in here]
            pairs = zip(there, spans, strict=True)
            fit_there = [_fits(text, *bounds, surface) for bounds, (_, _, surface) in pairs]
            # if none fits in code points alone, the whole annotation counts UTF-16 units
            mixed = any(a and not b for a, b in zip(fits, fit_there, strict=True))
            for i, fit in enumerate(fit_there):
                if fit and not (mixed and fits[i]):
                    self.converted += there[i] != here[i]
                    here[i], fits[i] = there[i], True
        for bounds, fit, (_, _, surface) in zip(here, fits, spans, strict=True):
            if not fit:
                self.unfit += 1
                there_is = show(text[slice(*bounds)])
                self.first = self.first or f"{where}: {there_is}, not {show(surface)}"
        return here

    def notes(self) -> Iterator[str]:
        """Yield what was converted, and what fits nowhere."""
        if self.converted:
            spans = counted(self.converted, "span")
            yield f"{self.name}: {spans} with offsets in UTF-16 units, turned into code points"
        if self.unfit:
            spans = counted(self.unfit, "span")
            yield (
                f"{self.name}: {spans} whose text in the export is not the text at their offsets,"
                f" which are taken as they are; the first is of {self.first}"
            )


def stands_at(text: str, start: int, end: int, surface: str) -> bool:
    """Return whether a span has the text that is said to be there, in either unit."""
    if _fits(text, start, end, surface):
        return True
    points = points_at(text)
    return points is not None and _fits(text, _point(points, start), _point(points, end), surface)


def _fits(text: str, start: int, end: int, surface: str | None) -> bool:
    """Return whether a span has the text that is said to be there; one that is not known fits."""
    if surface is None:
        return True
    there = text[start:end] if start >= 0 else ""
    return there == surface or flat(there) == flat(surface)


def _point(points: Ints, offset: int) -> int:
    """Return the code point at an offset in UTF-16 units, which may be beyond the text."""
    inside = min(max(offset, 0), len(points) - 1)
    return int(points[inside]) + offset - inside
