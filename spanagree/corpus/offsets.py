"""Where offsets meet text: whether a span's own text, its quote, stands where its offsets say.

Every reader passes its spans, and their quotes where a source has any, through here
(:meth:`spanagree.corpus.collector.Collector.segment`). Offsets count code points and an end is
exclusive, unless the quotes show that a source counts otherwise (:func:`counts`): UTF-16 units or
bytes, a line end of two characters as one or one as two, a byte order mark, or the characters of
another normal form; or that an end names the last token or character. What then does not stand at
its offsets is *misplaced*. Where a source has no quotes, the edges of words show whether it counts
line ends of two characters as one, as web pages do.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate, product
from typing import Literal, NamedTuple

import numpy as np

from spanagree.arrays import Bools, Ints, group_indices
from spanagree.corpus.normal_form import character_starts
from spanagree.corpus.raw import STANDS, UNKNOWN
from spanagree.errors import InputError, escape_name, join_names, pluralize, quote_value
from spanagree.files import BOM

TOLERATED = 10
"""One in so many of the spans that can be checked may be misplaced; more are an error."""

Place = str | Sequence[str]
"""What offsets count: the characters of a text, or tokens."""


def flat(text: str) -> str:
    r"""Return a text without outer white space, any other being one space.

    Label Studio writes a line break as a backslash and an n in some versions.

    >>> flat(" New\nYork") == flat("New\\nYork ")
    True
    """
    return " ".join(text.replace("\\n", "\n").split())


def with_short_ends(text: str) -> str:
    r"""Return a text whose lines end in LF, for sources that count every line end as one.

    >>> with_short_ends("a\r\nb")
    'a\nb'
    """
    return text.replace("\r\n", "\n")


def stands(place: Place, start: int, end: int, quote: str) -> bool:
    """Return whether a quote is what stands from start to end, but for case, blanks and form.

    Models write the words of their vocabulary: ``covid - 19``.

    >>> stands("Jo is", 0, 2, "jo "), stands(["New", "York"], 0, 2, "New York")
    (True, True)
    """
    there = place[start:end] if 0 <= start <= end else place[:0]
    if isinstance(there, str) and there == quote:
        return True
    return _solid("".join(there)) == _solid(quote)


def _solid(text: str) -> str:
    return "".join(flat(unicodedata.normalize("NFC", text)).split()).casefold()


# --- what offsets may count -----------------------------------------------------------------------

Unit = Literal["code points", "UTF-16 units", "bytes of UTF-8"]

_LINES = {
    "": "",
    "one": "that count line ends of two characters as one",
    "two": "that count line ends of one character as two",
}
_MARK = "that count the byte order mark"
_FORMS: tuple[Literal["NFC", "NFD"], ...] = ("NFC", "NFD")


def _codes(text: str) -> Ints:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")


def _sizes(codes: Ints, unit: Unit) -> Ints:
    """Return how many units each code point has."""
    if unit == "UTF-16 units":
        return 1 + (codes > 0xFFFF)
    if unit == "bytes of UTF-8":
        return 1 + (codes >= 0x80) + (codes >= 0x800) + (codes > 0xFFFF)
    return np.ones(len(codes), np.int64)


def _table(sizes: Ints) -> Ints | None:
    """Return the code point at each offset, given the size of each; ``None``: all are 1."""
    if (sizes == 1).all():
        return None
    return np.append(np.repeat(np.arange(len(sizes)), sizes), len(sizes))


def points_at(text: str, unit: Unit = "UTF-16 units") -> Ints | None:
    """Return the code point at each offset in a unit; ``None`` where it is the same.

    >>> points_at("a😀b").tolist(), points_at("aéb", "bytes of UTF-8").tolist()
    ([0, 1, 1, 2, 3], [0, 1, 1, 2, 3])
    """
    return None if text.isascii() else _table(_sizes(_codes(text), unit))


def offsets_in(text: str, unit: Unit) -> Sequence[int]:
    """Return the offset in a unit of each character of a text, and of its end.

    >>> list(offsets_in("a😀b", "UTF-16 units"))
    [0, 1, 3, 4]
    """
    if text.isascii() or unit == "code points":
        return range(len(text) + 1)
    return [*accumulate(_sizes(_codes(text), unit).tolist(), initial=0)]


def point(points: Ints, offset: int) -> int:
    """Return the code point at an offset, which may lie outside the text."""
    inside = min(max(offset, 0), len(points) - 1)
    return int(points[inside]) + offset - inside


def in_code_points(offsets: Ints, text: str, unit: Unit) -> tuple[Ints, int | None]:
    """Return offsets in code points; those outside the text stay outside.

    Returns:
        The offsets; the first of them inside a character of several units, if there is one.
    """
    if text.isascii() or unit == "code points":
        return offsets, None
    codes = _codes(text)
    wide = np.flatnonzero(codes >= (0x10000 if unit == "UTF-16 units" else 0x80))
    n_further = _sizes(codes[wide], unit) - 1  # units of a character behind its first
    within = np.arange(n_further.sum()) + 1
    further = np.repeat(wide, n_further) + within  # offsets at which no character begins
    n_before = np.searchsorted(further, offsets, "right")
    halves = offsets[n_before > np.searchsorted(further, offsets)]
    return offsets - n_before, int(halves[0]) if len(halves) else None


class Sentences:
    """Sentences at the offsets of their words, in the first of some units in which these stand.

    Between sentences there may be text that a source does not have; blanks stand for it.

    Args:
        units: what offsets may count, the likeliest first.
        source: what has the sentences, for errors.

    >>> sentences = Sentences(("UTF-16 units", "code points"), "#Text=")
    >>> sentences.begin("😀 Jo", 4, "😀", "line 1")
    >>> sentences.check(4, 6, "😀", "line 1")
    >>> sentences.check(7, 9, "Jo", "line 2")
    >>> sentences.text, sentences.unit
    ('    😀 Jo', 'UTF-16 units')
    """

    def __init__(self, units: Sequence[Unit], source: str) -> None:
        self.source, self.likeliest = source, units[0]
        self._sentences: list[str] = []
        self._n_characters = 0
        self._left = [_SentenceLayout(tuple(units))]  # apart where units differ
        self._misfit = ""  # the first, in the likeliest unit

    @property
    def unit(self) -> Unit:
        """The unit in which all words stand so far."""
        return self._left[0].units[0]

    @property
    def text(self) -> str:
        """The sentences, with blanks for what is between them."""
        lines = zip(self._left[0].gaps, self._sentences, strict=True)
        return "".join(part for gap, sentence in lines for part in (" " * gap, sentence))

    @property
    def sizes(self) -> tuple[int, int]:
        """The number of characters up to now, without those between sentences and with them."""
        return self._n_characters, self._n_characters + self._left[0].n_blanks

    def begin(self, sentence: str, offset: int, word: str, location: str) -> None:
        """Begin a sentence, given its first word and the offset of that.

        Raises:
            InputError: where it would begin before the one above it ends, in all units.
        """
        self._sentences.append(sentence)
        self._n_characters += len(sentence)
        if not sentence.isascii():
            self._left = [laid.of(unit) for laid in self._left for unit in laid.units]
        for laid in self._left:
            places = offsets_in(sentence, laid.units[0])
            begin = offset - places[max(sentence.find(word), 0)]
            if begin < laid.end:
                self._drop(
                    laid,
                    f"{location}: the sentence begins at {begin}, before {laid.end}, where the one"
                    f" above it ends; offsets and {self.source} have to agree",
                )
            else:
                laid.add(begin, places)

    def check(self, begin: int, end: int, word: str, location: str) -> None:
        """Check that a word stands in the sentence where its offsets say.

        Raises:
            InputError: where it does not, in all units.
        """
        sentence = self._sentences[-1]
        for laid in self._left:
            start, stop = begin - laid.begin, end - laid.begin
            if laid.points is not None:
                start, stop = laid.points.get(start, -1), laid.points.get(stop, -1)
            if start < 0 or stop - start != len(word) or sentence[start:stop] != word:
                there = sentence[max(start, 0) : max(stop, 0)]
                self._drop(
                    laid,
                    f"{location}: token {quote_value(word)} at {begin}-{end}, where {self.source}"
                    " has"
                    f" {quote_value(there)}; the offsets, in {laid.units[0]}, and the text have to"
                    " agree",
                )

    def _drop(self, laid: _SentenceLayout, misfit: str) -> None:
        """Leave units out; if none is left, raise what was wrong with the likeliest."""
        self._misfit = misfit if self.likeliest in laid.units else self._misfit
        self._left = [other for other in self._left if other is not laid]
        if not self._left:
            raise InputError(self._misfit)


class _SentenceLayout:
    """Sentences as they lie in some units, in which they lie alike."""

    def __init__(self, units: tuple[Unit, ...]) -> None:
        self.units = units
        self.gaps: list[int] = []
        self.n_blanks = 0
        self.begin = self.end = 0  # of the last sentence, as offsets count
        self.points: dict[int, int] | None = None  # by offset in it, where they differ

    def of(self, unit: Unit) -> _SentenceLayout:
        """Return the same in one of the units."""
        if self.units == (unit,):
            return self
        alone = _SentenceLayout((unit,))
        alone.gaps, alone.n_blanks = [*self.gaps], self.n_blanks
        alone.begin, alone.end, alone.points = self.begin, self.end, self.points
        return alone

    def add(self, begin: int, places: Sequence[int]) -> None:
        """Add a sentence, of which ``places`` has the offset of each character, and of its end."""
        self.gaps.append(begin - self.end)
        self.n_blanks += self.gaps[-1]
        self.begin, self.end = begin, begin + places[-1]
        is_same = places[-1] == len(places) - 1
        self.points = None if is_same else {offset: i for i, offset in enumerate(places)}


def _second_of_pairs(codes: Ints) -> Bools:
    """Return which code points are the second of a line end of two."""
    second = codes == ord("\n")
    second[1:] &= codes[:-1] == ord("\r")
    second[:1] = False
    return second


def counts(text: str, *, has_mark: bool = False) -> Iterator[tuple[str, Ints]]:
    r"""Yield what offsets may count in a text in place of its code points.

    Each is what is said of the offsets, and the code point at each of them. Those of a text whose
    file begins with a byte order mark may count that.

    >>> [(says, table.tolist()) for says, table in counts("a\r\nb")]
    [('that count line ends of two characters as one', [0, 1, 3, 4])]
    """
    lines = ["", *(["one"] if "\r\n" in text else []), *(["two"] if "\n" in text else [])]
    units: list[Unit] = ["code points"]
    units += [] if text.isascii() else ["UTF-16 units", "bytes of UTF-8"]
    if units[1:] or lines[1:] or has_mark:
        codes = _codes(text)
        second = _second_of_pairs(codes)
        several = [*product(lines, (False, True) if has_mark else (False,), units)]
        for ends, mark, unit in several:
            sizes = _sizes(codes, unit)
            if ends == "one":
                sizes = np.where(second, 0, sizes)
            elif ends == "two":
                sizes = sizes + ((codes == ord("\n")) & ~second)
            table = _table(sizes)
            if mark:
                first = np.zeros(int(_sizes(_codes(BOM), unit)[0]), np.int64)
                table = np.append(first, np.arange(len(text) + 1) if table is None else table)
            if table is not None:
                says = [f"in {unit}"] if unit != "code points" else []
                says += [_LINES[ends]] if ends else []
                says += [_MARK] if mark else []
                yield " ".join([*says[:1], *(f"and {more}" for more in says[1:])]), table
    for form in _FORMS if not text.isascii() else ():
        if (table := _points_of_form(text, form)) is not None:
            yield f"that count the characters of {form}", table


def _points_of_form(text: str, form: Literal["NFC", "NFD"]) -> Ints | None:
    """Return the code point at each offset in a normal form; ``None`` where it is the same."""
    if unicodedata.is_normalized(form, text):
        return None
    table: list[int] = []
    starts = character_starts(text)
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        size = len(unicodedata.normalize(form, text[start:end]))
        table += (min(start + i, end - 1) for i in range(size))
    return np.array([*table, len(text)])


def points_between(text: str, other: str) -> Ints | None:
    r"""Return the code point of another text at each offset, where but line ends differ.

    >>> points_between("a\nb", "a\r\nb").tolist(), points_between("a", "b")
    ([0, 1, 3, 4], None)
    """
    if with_short_ends(text) != with_short_ends(other):
        return None
    kept, kept_there = (~_second_of_pairs(_codes(version)) for version in (text, other))
    number = np.cumsum(np.append(0, kept))
    return np.append(np.flatnonzero(kept_there), len(other))[number]


def number_standing(text: str, spans: Iterable[tuple[int, int, str]]) -> int:
    """Return how many quotes stand at their offsets, whatever of :func:`counts` these count.

    >>> number_standing("😀 Jo", [(2, 4, "Jo"), (3, 5, "Jo"), (3, 4, "Jo")])
    2
    """
    spans = [*spans]
    other = [span for span in spans if text[span[0] : span[1]] != span[2]]  # mostly none
    wrong = [span for span in other if not stands(text, *span)]
    fits = {
        i
        for _, points in (counts(text) if wrong else ())
        for i, (start, end, quote) in enumerate(wrong)
        if stands(text, point(points, start), point(points, end), quote)
    }
    return len(spans) - len(wrong) + len(fits)


# --- what the quotes of spans show ----------------------------------------------------------------


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


class SourceDocument(NamedTuple):
    """What the offsets of an annotation count: its document as the source has it there.

    Attributes:
        place: the text or the tokens.
        has_mark: whether a byte order mark stands before the text.
    """

    place: Place
    has_mark: bool = False


def resolve(
    spans: Spans,
    version_of: Callable[[int], SourceDocument],
    ends: str | None,
    annotators: Sequence[str],
) -> tuple[list[str], str | None]:
    """Give misplaced spans the offsets at which their quotes show them to stand, in place.

    Args:
        spans: the segments of a source.
        version_of: what the offsets of an annotation count.
        ends: what an end is said to name, if it is.
        annotators: their names, by number.

    Returns:
        Notes of what was found, what offsets count and ends that are inclusive; what ends name,
        as far as it is said or shown.
    """

    def place_of(annotation: int) -> Place:
        return version_of(annotation).place

    notes = []
    rows_of = group_indices(spans.annotation, int(spans.annotation.max(initial=-1)) + 1)
    if (spans.quote >= 0).any():
        found: Counter[str] = Counter()
        for annotation in np.unique(spans.annotation[spans.quote >= 0]).tolist():
            found.update(_converted(spans, rows_of[annotation].tolist(), version_of(annotation)))
        notes += [_turned(count, says) for says, count in found.items()]
        for i in np.flatnonzero(spans.quote >= 0).tolist():
            bounds = int(spans.start[i]), int(spans.end[i])
            if stands(place_of(int(spans.annotation[i])), *bounds, spans.quotes[spans.quote[i]]):
                spans.quote[i] = STANDS  # up to the end of the text, beyond which it goes on
        inclusive, count = _made_exclusive(spans, place_of) if ends is None else ([], 0)
        if count:
            everybody = {*spans.annotator.tolist()} == {*inclusive}
            names = (
                ""
                if everybody
                else f" of {join_names(escape_name(annotators[i]) for i in inclusive)}"
            )
            notes.append(
                f"{pluralize(count, 'span')}{names} whose ends name the last character or token, as"
                " the text of the spans shows, and are read as --ends inclusive reads them"
            )
            return notes, "inclusive" if everybody else None
    if ends is None and (count := _by_edges(spans, rows_of, place_of)):
        notes.append(f"{_turned(count, _LINES['one'])}, as the edges of words show")
    return notes, ends or ("exclusive" if (spans.quote == STANDS).any() else None)


def _turned(count: int, says: str) -> str:
    return f"{pluralize(count, 'span')} with offsets {says}, turned into code points"


def _converted(spans: Spans, rows: Sequence[int], as_read: SourceDocument) -> Iterator[str]:
    """Convert the spans of an annotation that fit if they count something else.

    Of what they may count that goes first in which most of them fit.

    Yields:
        For each segment that moves, what its offsets count.
    """
    text = as_read.place
    if not isinstance(text, str):
        return
    left, is_first = rows, True
    while wrong := [i for i in rows if spans.quote[i] >= 0]:
        says, points, fits = _best_count(spans, wrong, text, has_mark=as_read.has_mark)
        there = {i: _moved(spans, i, points) for i in left} if fits else {}
        # where one fits in code points alone, the annotation does not count the other unit
        alone = [
            i
            for i in there
            if spans.quote[i] == STANDS
            and text[slice(*there[i])] != text[spans.start[i] : spans.end[i]]
        ]
        if not fits or (says not in _UNITS and len(fits) <= len(alone)):
            return
        for i in left:
            if i in fits or (i not in wrong and not alone and is_first):
                if i < spans.segments and there[i] != (spans.start[i], spans.end[i]):
                    yield says
                spans.start[i], spans.end[i] = there[i]
                spans.quote[i] = STANDS if i in fits else spans.quote[i]
        left, is_first = [i for i in wrong if i not in fits], False


_UNITS = ("in UTF-16 units", "in bytes of UTF-8")


def _best_count(
    spans: Spans, wrong: Sequence[int], text: str, *, has_mark: bool
) -> tuple[str, Ints, set[int]]:
    """Return what most of some misplaced spans may count, and those that then stand."""
    best: tuple[str, Ints, set[int]] = "", np.zeros(1, np.int64), set()
    for says, points in counts(text, has_mark=has_mark):
        fits = set()
        for i in wrong:
            start, end = _moved(spans, i, points)
            if end <= len(text) and stands(text, start, end, spans.quotes[spans.quote[i]]):
                fits.add(i)
        if len(fits) > len(best[2]):
            best = says, points, fits
        if len(fits) == len(wrong):
            break
    return best


def _by_edges(spans: Spans, rows_of: Sequence[Ints], place_of: Callable[[int], Place]) -> int:
    """Convert spans without quotes that begin and end at words if line ends count as one.

    An annotator's are, where more than one in ten cut a word or have white space at an edge as they
    stand, and no more than that do if they are moved.

    Returns:
        How many segments are moved.
    """
    moves: dict[int, dict[int, tuple[int, int]]] = {}
    odd: Counter[tuple[int, bool]] = Counter()
    for annotation, own_rows in enumerate(rows_of):
        text, rows = place_of(annotation), own_rows.tolist()
        if not rows or not isinstance(text, str) or "\r\n" not in text:
            continue
        if any(spans.quote[i] != UNKNOWN for i in rows):
            continue
        points = next(table for says, table in counts(text) if says == _LINES["one"])
        for i in rows:
            there, bounds = _moved(spans, i, points), (int(spans.start[i]), int(spans.end[i]))
            if there != bounds:
                annotator = int(spans.annotator[i])
                moves.setdefault(annotator, {})[i] = there
                odd[annotator, False] += _is_odd(text, *bounds)
                odd[annotator, True] += _is_odd(text, *there)
    count = 0
    for annotator, rows_moved in moves.items():
        few = len(rows_moved) / TOLERATED
        if odd[annotator, True] <= few < odd[annotator, False]:
            for i, there in rows_moved.items():
                spans.start[i], spans.end[i] = there
                count += i < spans.segments
    return count


def _is_odd(text: str, start: int, end: int) -> bool:
    """Return whether a span cuts a word, has white space at an edge, or is not in the text."""
    if not 0 <= start < end <= len(text):
        return True
    cuts = any(0 < at < len(text) and text[at - 1 : at + 1].isalnum() for at in (start, end))
    return cuts or text[start].isspace() or text[end - 1].isspace()


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
