"""Where offsets meet text: whether a span's own text, its quote, stands where its offsets say.

Every reader passes its spans, and their quotes where a source has any, through here
(:meth:`spanagree.corpus.collector.Collector.segment`). Offsets count code points and an end is
exclusive, unless the quotes show that a source counts UTF-16 units or bytes, or that an end names
the last token or character. What then does not stand at its offsets is *misplaced*.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Ints, groups
from spanagree.errors import check_choice, counted, listed, printable

ENDS = {
    "exclusive": "an end is that of the first token or character behind the span",
    "inclusive": "an end is that of the last token or character of the span",
}
"""What the end of a span names."""

TOLERATED = 10
"""One in so many of the spans that can be checked may be misplaced; more are an error."""

UNKNOWN, STANDS = -2, -1
"""In place of the number of a quote: none is known, or it stands where the offsets say."""

Place = str | Sequence[str]
"""What offsets count: the characters of a text, or tokens."""


def check_ends(ends: str | None) -> None:
    """Refuse an unknown choice of :data:`ENDS`."""
    if ends is not None:
        check_choice(ends, ENDS, "ends")


def flat(text: str) -> str:
    r"""Return a text without outer white space, any other being one space.

    Label Studio writes a line break as a backslash and an n in some versions.

    >>> flat(" New\nYork") == flat("New\\nYork ")
    True
    """
    return " ".join(text.replace("\\n", "\n").split())


def stands(place: Place, start: int, end: int, quote: str) -> bool:
    """Return whether a quote is what stands from start to end, but for case and white space.

    Models write the words of their vocabulary: ``covid - 19``.

    >>> stands("Jo is", 0, 2, "jo "), stands(["New", "York"], 0, 2, "New York")
    (True, True)
    """
    there = place[start:end] if 0 <= start <= end else place[:0]
    if isinstance(there, str) and there == quote:
        return True
    return _solid("".join(there)) == _solid(quote)


def _solid(text: str) -> str:
    return "".join(flat(text).split()).casefold()


def points_at(text: str) -> Ints | None:
    """Return the code point at each offset in UTF-16 units; ``None`` where both are the same.

    >>> points_at("a😀b").tolist()
    [0, 1, 1, 2, 3]
    """
    codes = _codes(text)
    if codes.max(initial=0) <= 0xFFFF:
        return None
    return np.append(np.repeat(np.arange(len(text)), 1 + (codes > 0xFFFF)), len(text))


def points_at_bytes(text: str) -> Ints | None:
    """Return the code point at each offset in bytes of UTF-8; ``None`` where both are the same.

    >>> points_at_bytes("aéb").tolist()
    [0, 1, 1, 2, 3]
    """
    codes = _codes(text)
    if codes.max(initial=0) < 0x80:
        return None
    sizes = 1 + (codes >= 0x80) + (codes >= 0x800) + (codes > 0xFFFF)
    return np.append(np.repeat(np.arange(len(text)), sizes), len(text))


def _codes(text: str) -> Ints:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")


def point(points: Ints, offset: int) -> int:
    """Return the code point at an offset, which may lie outside the text."""
    inside = min(max(offset, 0), len(points) - 1)
    return int(points[inside]) + offset - inside


def stands_in_some_unit(text: str, start: int, end: int, quote: str) -> bool:
    """Return whether a quote stands at offsets that count code points, UTF-16 units or bytes."""
    if stands(text, start, end, quote):
        return True
    tables = (table(text) for table in _UNITS.values())
    return any(
        stands(text, point(points, start), point(points, end), quote)
        for points in tables
        if points is not None
    )


_UNITS: Mapping[str, Callable[[str], Ints | None]] = {
    "UTF-16 units": points_at,
    "bytes of UTF-8": points_at_bytes,
}


class Spans(NamedTuple):
    """Segments as a source gives them: columns that are changed in place, and what was quoted.

    ``annotator`` has the number of the annotator of each segment, and ``quote`` is :data:`UNKNOWN`,
    :data:`STANDS`, or a number of ``quotes``. Behind so many segments there may be ``pieces`` of
    them, which move as the others do.
    """

    annotation: Ints
    annotator: Ints
    start: Ints
    end: Ints
    quote: Ints
    quotes: Sequence[str]
    pieces: int = 0

    @property
    def segments(self) -> int:
        """How many segments there are."""
        return len(self.start) - self.pieces


def resolve(
    spans: Spans,
    place_of: Callable[[int], Place],
    ends: str | None,
    annotators: Sequence[str],
) -> tuple[list[str], str | None]:
    """Give misplaced spans the offsets at which their quotes show them to stand, in place.

    Args:
        spans: the segments of a source.
        place_of: the text or the tokens of an annotation's document.
        ends: what an end is said to name, if it is.
        annotators: their names, by number.

    Returns:
        Notes of what was found, the unit of offsets and ends that are inclusive; what ends name,
        as far as it is said or shown.
    """
    notes = []
    if (spans.quote >= 0).any():
        rows_of = groups(spans.annotation, int(spans.annotation.max()) + 1)
        for unit, table in _UNITS.items():
            if count := _converted(spans, rows_of, place_of, table):
                notes.append(
                    f"{counted(count, 'span')} with offsets in {unit}, turned into code points"
                )
        for i in np.flatnonzero(spans.quote >= 0).tolist():
            bounds = int(spans.start[i]), int(spans.end[i])
            if stands(place_of(int(spans.annotation[i])), *bounds, spans.quotes[spans.quote[i]]):
                spans.quote[i] = STANDS  # up to the end of the text, beyond which it goes on
        inclusive, count = _made_exclusive(spans, place_of) if ends is None else ([], 0)
        if count:
            everybody = {*spans.annotator.tolist()} == {*inclusive}
            names = (
                "" if everybody else f" of {listed(printable(annotators[i]) for i in inclusive)}"
            )
            notes.append(
                f"{counted(count, 'span')}{names} whose ends name the last character or token, as"
                " the text of the spans shows, and are read as --ends inclusive reads them"
            )
            return notes, "inclusive" if everybody else None
    return notes, ends or ("exclusive" if (spans.quote == STANDS).any() else None)


def _converted(
    spans: Spans,
    rows_of: Sequence[Ints],
    place_of: Callable[[int], Place],
    table: Callable[[str], Ints | None],
) -> int:
    """Convert the spans of annotations that fit in another unit; return how many changed."""
    changed = 0
    for annotation in np.unique(spans.annotation[spans.quote >= 0]).tolist():
        text = place_of(annotation)
        points = table(text) if isinstance(text, str) else None
        if points is None:
            continue
        rows = rows_of[annotation].tolist()
        there = {i: _moved(spans, i, points) for i in rows}
        fits = {
            i: there[i][1] <= len(text) and stands(text, *there[i], spans.quotes[spans.quote[i]])
            for i in rows
            if spans.quote[i] >= 0
        }
        if not any(fits.values()):
            continue
        # where one fits in code points alone, the annotation does not count the other unit
        mixed = any(
            spans.quote[i] == STANDS
            and text[slice(*there[i])] != text[spans.start[i] : spans.end[i]]
            for i in rows
        )
        for i in rows:
            if fits.get(i, not mixed):
                changed += i < spans.segments and there[i] != (spans.start[i], spans.end[i])
                spans.start[i], spans.end[i] = there[i]
                spans.quote[i] = STANDS if i in fits else spans.quote[i]
    return changed


def _moved(spans: Spans, i: int, points: Ints) -> tuple[int, int]:
    return point(points, int(spans.start[i])), point(points, int(spans.end[i]))


def _made_exclusive(spans: Spans, place_of: Callable[[int], Place]) -> tuple[list[int], int]:
    """Add 1 to the ends of annotators whose quotes show that they are inclusive.

    Returns:
        The numbers of these annotators, and of how many segments that is.
    """
    fit = np.zeros(len(spans.quote), np.bool_)
    for i in np.flatnonzero(spans.quote >= 0).tolist():
        bounds = int(spans.start[i]), int(spans.end[i]) + 1
        fit[i] = stands(place_of(int(spans.annotation[i])), *bounds, spans.quotes[spans.quote[i]])
    checked, fitting = (
        np.bincount(spans.annotator, which) for which in (spans.quote != UNKNOWN, fit)
    )
    # the others stand as they are, or nowhere
    inclusive = (fitting > 0) & ((checked - fitting) * TOLERATED <= checked)
    moved = inclusive[spans.annotator] & (spans.quote != STANDS)
    spans.end[moved] += 1
    spans.quote[fit & moved] = STANDS
    return np.flatnonzero(inclusive).tolist(), int(moved[: spans.segments].sum())


def nearest(place: Place, start: int, quote: str) -> tuple[int, int] | None:
    """Return where a quote stands, the nearest to an offset if it does so several times.

    >>> nearest("to be or not to be", 12, "to be"), nearest(["New", "York"], 0, "York")
    ((13, 18), (1, 2))
    """
    spans = places_of(place, quote)
    return min(spans, key=lambda span: abs(span[0] - start), default=None)


def places_of(place: Place, quote: str) -> list[tuple[int, int]]:
    """Return where a quote stands; white space in it stands for any."""
    words = flat(quote).split()
    if not words:
        return []
    if isinstance(place, str):
        pattern = re.compile(r"\s+".join(map(re.escape, words)))
        return [match.span() for match in pattern.finditer(place)]
    sizes = [len("".join(token.split())) for token in place]
    number = {at: i for i, at in enumerate(np.cumsum([0, *sizes]).tolist())}
    joined, wanted = "".join("".join(token.split()) for token in place), "".join(words)
    begins = (match.start() for match in re.finditer(f"(?={re.escape(wanted)})", joined))
    return [
        (number[at], number[at + len(wanted)])
        for at in begins
        if at in number and at + len(wanted) in number
    ]
