"""Comparison of offsets with the text, by the quotes of spans: their text in the source.

Every reader passes its spans, with their quotes if a source has any, through this module
(:meth:`spanagree.corpus.collector.Collector.add_segment`). Offsets count code points and ends are
exclusive, unless the quotes show that a source counts otherwise (:func:`yield_possible_units`):
UTF-16 units or bytes, a line end of two characters as one or one as two, a byte order mark, or the
characters of another normal form; or that an end names the last token or character. Spans that
still differ from their quotes are *misplaced*. Without quotes, the edges of words show whether a
source counts line ends of two characters as one, as web pages do.
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
from spanagree.corpus.normal_form import find_character_starts
from spanagree.corpus.raw import STANDS, UNKNOWN
from spanagree.errors import InputError, escape_name, join_names, pluralize, quote_value
from spanagree.files import BOM

TOLERATED = 10
"""At most one in so many of the spans with quotes may be misplaced; more are an error."""

Place = str | Sequence[str]
"""Content that offsets count: the characters of a text, or tokens."""


def normalize_space(text: str) -> str:
    r"""Normalize white space to single spaces, without any at the ends of the text.

    Some versions of Label Studio write a line break as a backslash and an n.

    >>> normalize_space(" New\nYork") == normalize_space("New\\nYork ")
    True
    """
    return " ".join(text.replace("\\n", "\n").split())


def shorten_line_ends(text: str) -> str:
    r"""Convert line ends to LF, for sources that count every line end as one character.

    >>> shorten_line_ends("a\r\nb")
    'a\nb'
    """
    return text.replace("\r\n", "\n")


def is_quote_at(content: Place, start: int, end: int, quote: str) -> bool:
    """Check if a quote equals the content at offsets, ignoring case, blanks and normal form.

    Models write the tokens of their vocabulary: ``covid - 19``.

    >>> is_quote_at("Jo is", 0, 2, "jo "), is_quote_at(["New", "York"], 0, 2, "New York")
    (True, True)
    """
    content_there = content[start:end] if 0 <= start <= end else content[:0]
    if isinstance(content_there, str) and content_there == quote:
        return True
    return _normalize_fully("".join(content_there)) == _normalize_fully(quote)


def _normalize_fully(text: str) -> str:
    return "".join(normalize_space(unicodedata.normalize("NFC", text)).split()).casefold()


# --- units that offsets may count -----------------------------------------------------------------

Unit = Literal["code points", "UTF-16 units", "bytes of UTF-8"]

_LINES = {
    "": "",
    "one": "that count line ends of two characters as one",
    "two": "that count line ends of one character as two",
}
_MARK = "that count the byte order mark"
_FORMS: tuple[Literal["NFC", "NFD"], ...] = ("NFC", "NFD")


def _list_code_points(text: str) -> Ints:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")


def _compute_unit_sizes(codes: Ints, unit: Unit) -> Ints:
    """Compute the number of units of each code point."""
    if unit == "UTF-16 units":
        return 1 + (codes > 0xFFFF)
    if unit == "bytes of UTF-8":
        return 1 + (codes >= 0x80) + (codes >= 0x800) + (codes > 0xFFFF)
    return np.ones(len(codes), np.int64)


def _build_point_table(sizes: Ints) -> Ints | None:
    """Compute the code point at each offset from sizes; ``None`` if all sizes are 1."""
    if (sizes == 1).all():
        return None
    return np.append(np.repeat(np.arange(len(sizes)), sizes), len(sizes))


def map_offsets_to_points(text: str, unit: Unit = "UTF-16 units") -> Ints | None:
    """Compute the code point at each offset in a unit; ``None`` if both are equal.

    >>> map_offsets_to_points("a😀b").tolist()
    [0, 1, 1, 2, 3]
    >>> map_offsets_to_points("aéb", "bytes of UTF-8").tolist()
    [0, 1, 1, 2, 3]
    """
    return (
        None
        if text.isascii()
        else _build_point_table(_compute_unit_sizes(_list_code_points(text), unit))
    )


def compute_offsets(text: str, unit: Unit) -> Sequence[int]:
    """Compute the offset of each character of a text, and of its end, in a unit.

    >>> list(compute_offsets("a😀b", "UTF-16 units"))
    [0, 1, 3, 4]
    """
    if text.isascii() or unit == "code points":
        return range(len(text) + 1)
    return [*accumulate(_compute_unit_sizes(_list_code_points(text), unit).tolist(), initial=0)]


def look_up_point(point_at: Ints, offset: int) -> int:
    """Find the code point at an offset, which may be outside the text."""
    inner_offset = min(max(offset, 0), len(point_at) - 1)
    return int(point_at[inner_offset]) + offset - inner_offset


def convert_to_code_points(offsets: Ints, text: str, unit: Unit) -> tuple[Ints, int | None]:
    """Convert offsets to code points; offsets outside the text stay outside.

    Returns:
        The offsets; the first offset inside a character of several units, or ``None``.
    """
    if text.isascii() or unit == "code points":
        return offsets, None
    codes = _list_code_points(text)
    wide_characters = np.flatnonzero(codes >= (0x10000 if unit == "UTF-16 units" else 0x80))
    n_extra_units = (
        _compute_unit_sizes(codes[wide_characters], unit) - 1
    )  # units of a character after its first
    extra_index = np.arange(n_extra_units.sum()) + 1
    inner_offsets = (
        np.repeat(wide_characters, n_extra_units) + extra_index
    )  # offsets at which no character begins
    n_before = np.searchsorted(inner_offsets, offsets, "right")
    split_offsets = offsets[n_before > np.searchsorted(inner_offsets, offsets)]
    return offsets - n_before, int(split_offsets[0]) if len(split_offsets) else None


class Sentences:
    """Sentences at the offsets of their words, in the first unit in which all words fit.

    The text between sentences may be unknown; it is replaced by blanks.

    Args:
        units: units that offsets may count, the likeliest first.
        source: name of the source of the sentences, for error messages.

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
        self._left = [_SentenceLayout(tuple(units))]  # one layout for units that agree
        self._misfit = ""  # error of the likeliest unit

    @property
    def unit(self) -> Unit:
        """Unit in which all words fit so far."""
        return self._left[0].units[0]

    @property
    def text(self) -> str:
        """Text of the sentences, with blanks between them."""
        lines = zip(self._left[0].gaps, self._sentences, strict=True)
        return "".join(fragment for gap, sentence in lines for fragment in (" " * gap, sentence))

    @property
    def sizes(self) -> tuple[int, int]:
        """Numbers of characters so far, without and with those between sentences."""
        return self._n_characters, self._n_characters + self._left[0].n_blanks

    def begin(self, sentence: str, offset: int, word: str, location: str) -> None:
        """Begin a sentence with its first word and the offset of this word.

        Raises:
            InputError: if it would begin before the end of the previous sentence, in all units.
        """
        self._sentences.append(sentence)
        self._n_characters += len(sentence)
        if not sentence.isascii():
            self._left = [
                layout.copy_for_unit(unit) for layout in self._left for unit in layout.units
            ]
        for layout in self._left:
            character_offsets = compute_offsets(sentence, layout.units[0])
            sentence_start = offset - character_offsets[max(sentence.find(word), 0)]
            if sentence_start < layout.end:
                self._drop(
                    layout,
                    f"{location}: the sentence begins at {sentence_start}, before {layout.end},"
                    f" where the one above it ends; offsets and {self.source} have to agree",
                )
            else:
                layout.add(sentence_start, character_offsets)

    def check(self, begin: int, end: int, word: str, location: str) -> None:
        """Check that a word is at offsets ``begin`` and ``end`` in the current sentence.

        Units in which it is not are excluded.

        Raises:
            InputError: if no unit is left.
        """
        sentence = self._sentences[-1]
        for layout in self._left:
            start, stop = begin - layout.begin, end - layout.begin
            if layout.points is not None:
                start, stop = layout.points.get(start, -1), layout.points.get(stop, -1)
            if start < 0 or stop - start != len(word) or sentence[start:stop] != word:
                text_there = sentence[max(start, 0) : max(stop, 0)]
                self._drop(
                    layout,
                    f"{location}: token {quote_value(word)} at {begin}-{end}, where {self.source}"
                    " has"
                    f" {quote_value(text_there)}; the offsets, in {layout.units[0]}, and the text"
                    " have to agree",
                )

    def _drop(self, layout: _SentenceLayout, misfit: str) -> None:
        """Exclude units; if no unit is left, raise the error of the likeliest."""
        self._misfit = misfit if self.likeliest in layout.units else self._misfit
        self._left = [remaining for remaining in self._left if remaining is not layout]
        if not self._left:
            raise InputError(self._misfit)


class _SentenceLayout:
    """Layout of sentences in units with equal offsets."""

    def __init__(self, units: tuple[Unit, ...]) -> None:
        self.units = units
        self.gaps: list[int] = []
        self.n_blanks = 0
        self.begin = self.end = 0  # bounds of the last sentence, as offsets
        self.points: dict[int, int] | None = (
            None  # characters by offset in the last sentence, if these differ
        )

    def copy_for_unit(self, unit: Unit) -> _SentenceLayout:
        """Copy the layout for one of its units."""
        if self.units == (unit,):
            return self
        layout = _SentenceLayout((unit,))
        layout.gaps, layout.n_blanks = [*self.gaps], self.n_blanks
        layout.begin, layout.end, layout.points = self.begin, self.end, self.points
        return layout

    def add(self, begin: int, character_offsets: Sequence[int]) -> None:
        """Add a sentence, with the offsets of its characters and of its end."""
        self.gaps.append(begin - self.end)
        self.n_blanks += self.gaps[-1]
        self.begin, self.end = begin, begin + character_offsets[-1]
        is_identity = character_offsets[-1] == len(character_offsets) - 1
        self.points = (
            None if is_identity else {offset: i for i, offset in enumerate(character_offsets)}
        )


def _find_second_of_pairs(codes: Ints) -> Bools:
    """Find code points that are the second of a line end of two."""
    is_second = codes == ord("\n")
    is_second[1:] &= codes[:-1] == ord("\r")
    is_second[:1] = False
    return is_second


def yield_possible_units(text: str, *, has_mark: bool = False) -> Iterator[tuple[str, Ints]]:
    r"""Yield the units other than code points that offsets may count in a text.

    Each is a description, and the code point at each offset. If the file of the text begins with a
    byte order mark, offsets may count it.

    >>> [(says, table.tolist()) for says, table in yield_possible_units("a\r\nb")]
    [('that count line ends of two characters as one', [0, 1, 3, 4])]
    """
    line_rules = ["", *(["one"] if "\r\n" in text else []), *(["two"] if "\n" in text else [])]
    possible_units: list[Unit] = ["code points"]
    possible_units += [] if text.isascii() else ["UTF-16 units", "bytes of UTF-8"]
    if possible_units[1:] or line_rules[1:] or has_mark:
        codes = _list_code_points(text)
        is_second = _find_second_of_pairs(codes)
        combinations = [
            *product(line_rules, (False, True) if has_mark else (False,), possible_units)
        ]
        for line_rule, with_mark, unit in combinations:
            sizes = _compute_unit_sizes(codes, unit)
            if line_rule == "one":
                sizes = np.where(is_second, 0, sizes)
            elif line_rule == "two":
                sizes = sizes + ((codes == ord("\n")) & ~is_second)
            point_at = _build_point_table(sizes)
            if with_mark:
                mark_points = np.zeros(
                    int(_compute_unit_sizes(_list_code_points(BOM), unit)[0]), np.int64
                )
                point_at = np.append(
                    mark_points, np.arange(len(text) + 1) if point_at is None else point_at
                )
            if point_at is not None:
                phrases = [f"in {unit}"] if unit != "code points" else []
                phrases += [_LINES[line_rule]] if line_rule else []
                phrases += [_MARK] if with_mark else []
                yield (
                    " ".join([*phrases[:1], *(f"and {phrase}" for phrase in phrases[1:])]),
                    point_at,
                )
    for normal_form in _FORMS if not text.isascii() else ():
        if (point_at := _map_form_to_points(text, normal_form)) is not None:
            yield f"that count the characters of {normal_form}", point_at


def _map_form_to_points(text: str, normal_form: Literal["NFC", "NFD"]) -> Ints | None:
    """Compute the code point at each offset in a normal form; ``None`` if both are equal."""
    if unicodedata.is_normalized(normal_form, text):
        return None
    point_at: list[int] = []
    starts = find_character_starts(text)
    for start, end in zip(starts, [*starts[1:], len(text)], strict=True):
        size = len(unicodedata.normalize(normal_form, text[start:end]))
        point_at += (min(start + i, end - 1) for i in range(size))
    return np.array([*point_at, len(text)])


def map_between_line_ends(text: str, other_text: str) -> Ints | None:
    r"""Map each offset of a text to the offset in another version with other line ends.

    ``None`` is returned if the texts differ in more than line ends.

    >>> map_between_line_ends("a\nb", "a\r\nb").tolist(), map_between_line_ends("a", "b")
    ([0, 1, 3, 4], None)
    """
    if shorten_line_ends(text) != shorten_line_ends(other_text):
        return None
    is_kept, is_kept_in_other = (
        ~_find_second_of_pairs(_list_code_points(version)) for version in (text, other_text)
    )
    kept_index = np.cumsum(np.append(0, is_kept))
    return np.append(np.flatnonzero(is_kept_in_other), len(other_text))[kept_index]


def count_matching_quotes(text: str, spans: Iterable[tuple[int, int, str]]) -> int:
    """Count the quotes that equal the text in any unit of :func:`yield_possible_units`.

    ``spans`` are start, end and quote of each.

    >>> count_matching_quotes("😀 Jo", [(2, 4, "Jo"), (3, 5, "Jo"), (3, 4, "Jo")])
    2
    """
    spans = [*spans]
    inexact = [span for span in spans if text[span[0] : span[1]] != span[2]]  # usually empty
    misplaced = [span for span in inexact if not is_quote_at(text, *span)]
    fits = {
        i
        for _, points in (yield_possible_units(text) if misplaced else ())
        for i, (start, end, quote) in enumerate(misplaced)
        if is_quote_at(text, look_up_point(points, start), look_up_point(points, end), quote)
    }
    return len(spans) - len(misplaced) + len(fits)


# --- evidence of quotes ---------------------------------------------------------------------------


class Spans(NamedTuple):
    """Segments of a source, in columns that are modified in place, with their quotes.

    ``annotator`` is the index of the annotator of each segment, and ``quote`` is :data:`UNKNOWN`,
    :data:`STANDS`, or an index of ``quotes``. The last ``pieces`` rows are pieces of segments,
    which are moved like segments.
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
        """Number of segments, without the rows of pieces."""
        return len(self.start) - self.pieces


class SourceDocument(NamedTuple):
    """Version of a document that the offsets of an annotation count.

    Attributes:
        place: text or tokens.
        has_mark: True if the text follows a byte order mark.
    """

    place: Place
    has_mark: bool = False


def relocate_misplaced(
    spans: Spans,
    look_up_version: Callable[[int], SourceDocument],
    ends: str | None,
    annotators: Sequence[str],
) -> tuple[list[str], str | None]:
    """Move misplaced spans to the offsets of their quotes, in place.

    Args:
        spans: segments of a source.
        look_up_version: function that returns the version of the document of an annotation.
        ends: meaning of ends, if it is defined.
        annotators: names of the annotators.

    Returns:
        Notes on units of offsets and inclusive ends that were found; the meaning of ends, ``None``
        if it is neither defined nor found.
    """

    def find_place(annotation: int) -> Place:
        return look_up_version(annotation).place

    notes = []
    rows_by_annotation = group_indices(spans.annotation, int(spans.annotation.max(initial=-1)) + 1)
    if (spans.quote >= 0).any():
        n_by_unit: Counter[str] = Counter()
        for annotation in np.unique(spans.annotation[spans.quote >= 0]).tolist():
            n_by_unit.update(
                _convert_annotation(
                    spans, rows_by_annotation[annotation].tolist(), look_up_version(annotation)
                )
            )
        notes += [
            _write_note_on_unit(n_moved, unit_text) for unit_text, n_moved in n_by_unit.items()
        ]
        for i in np.flatnonzero(spans.quote >= 0).tolist():
            bounds = int(spans.start[i]), int(spans.end[i])
            if is_quote_at(
                find_place(int(spans.annotation[i])), *bounds, spans.quotes[spans.quote[i]]
            ):
                spans.quote[i] = (
                    STANDS  # equals the text up to the end, beyond which the quote continues
                )
        inclusive, n_moved = _convert_inclusive_ends(spans, find_place) if ends is None else ([], 0)
        if n_moved:
            is_everybody = {*spans.annotator.tolist()} == {*inclusive}
            names = (
                ""
                if is_everybody
                else f" of {join_names(escape_name(annotators[i]) for i in inclusive)}"
            )
            notes.append(
                f"{pluralize(n_moved, 'span')}{names} whose ends name the last character or token,"
                " as the text of the spans shows, and are read as --ends inclusive reads them"
            )
            return notes, "inclusive" if is_everybody else None
    if ends is None and (n_moved := _convert_by_word_edges(spans, rows_by_annotation, find_place)):
        notes.append(f"{_write_note_on_unit(n_moved, _LINES['one'])}, as the edges of words show")
    return notes, ends or ("exclusive" if (spans.quote == STANDS).any() else None)


def _write_note_on_unit(count: int, says: str) -> str:
    return f"{pluralize(count, 'span')} with offsets {says}, turned into code points"


def _convert_annotation(
    spans: Spans, rows: Sequence[int], source_document: SourceDocument
) -> Iterator[str]:
    """Convert the spans of an annotation that fit their quotes in another unit, in place.

    ``rows`` are the rows of these spans. The unit in which most spans fit is tried first.

    Yields:
        The description of the unit, for each segment that is moved.
    """
    text = source_document.place
    if not isinstance(text, str):
        return
    candidates, is_first_unit = rows, True
    while misplaced := [i for i in rows if spans.quote[i] >= 0]:
        unit_text, point_at, fitting = _find_best_unit(
            spans, misplaced, text, has_mark=source_document.has_mark
        )
        bounds_by_row = {i: _move_bounds(spans, i, point_at) for i in candidates} if fitting else {}
        # spans that fit only in code points show that the annotation does not count the other unit
        only_in_code_points = [
            i
            for i in bounds_by_row
            if spans.quote[i] == STANDS
            and text[slice(*bounds_by_row[i])] != text[spans.start[i] : spans.end[i]]
        ]
        if not fitting or (unit_text not in _UNITS and len(fitting) <= len(only_in_code_points)):
            return
        for i in candidates:
            if i in fitting or (i not in misplaced and not only_in_code_points and is_first_unit):
                if i < spans.segments and bounds_by_row[i] != (spans.start[i], spans.end[i]):
                    yield unit_text
                spans.start[i], spans.end[i] = bounds_by_row[i]
                spans.quote[i] = STANDS if i in fitting else spans.quote[i]
        candidates, is_first_unit = [i for i in misplaced if i not in fitting], False


_UNITS = ("in UTF-16 units", "in bytes of UTF-8")


def _find_best_unit(
    spans: Spans, misplaced: Sequence[int], text: str, *, has_mark: bool
) -> tuple[str, Ints, set[int]]:
    """Find the unit in which most misplaced spans fit their quotes.

    Returns:
        Description of the unit; code point at each offset; rows of the spans that fit.
    """
    best_unit: tuple[str, Ints, set[int]] = "", np.zeros(1, np.int64), set()
    for unit_text, point_at in yield_possible_units(text, has_mark=has_mark):
        fitting = set()
        for i in misplaced:
            start, end = _move_bounds(spans, i, point_at)
            if end <= len(text) and is_quote_at(text, start, end, spans.quotes[spans.quote[i]]):
                fitting.add(i)
        if len(fitting) > len(best_unit[2]):
            best_unit = unit_text, point_at, fitting
        if len(fitting) == len(misplaced):
            break
    return best_unit


def _convert_by_word_edges(
    spans: Spans, rows_by_annotation: Sequence[Ints], find_place: Callable[[int], Place]
) -> int:
    """Convert spans without quotes that fit the edges of words if line ends count as one character.

    ``rows_by_annotation`` are the rows of spans of each annotation; ``find_place`` returns its text
    or tokens. The spans of an annotator are converted if more than one in ten cut a word or have
    white space at an edge before, and at most one in ten after.

    Returns:
        Number of segments that are moved.
    """
    bounds_by_annotator: dict[int, dict[int, tuple[int, int]]] = {}
    n_odd: Counter[tuple[int, bool]] = Counter()
    for annotation, rows_of_annotation in enumerate(rows_by_annotation):
        text, row_list = find_place(annotation), rows_of_annotation.tolist()
        if not row_list or not isinstance(text, str) or "\r\n" not in text:
            continue
        if any(spans.quote[i] != UNKNOWN for i in row_list):
            continue
        point_at = next(
            table for unit_text, table in yield_possible_units(text) if unit_text == _LINES["one"]
        )
        for i in row_list:
            new_bounds, old_bounds = (
                _move_bounds(spans, i, point_at),
                (int(spans.start[i]), int(spans.end[i])),
            )
            if new_bounds != old_bounds:
                annotator = int(spans.annotator[i])
                bounds_by_annotator.setdefault(annotator, {})[i] = new_bounds
                n_odd[annotator, False] += _is_unlikely_span(text, *old_bounds)
                n_odd[annotator, True] += _is_unlikely_span(text, *new_bounds)
    count = 0
    for annotator, rows_moved in bounds_by_annotator.items():
        limit = len(rows_moved) / TOLERATED
        if n_odd[annotator, True] <= limit < n_odd[annotator, False]:
            for i, new_bounds in rows_moved.items():
                spans.start[i], spans.end[i] = new_bounds
                count += i < spans.segments
    return count


def _is_unlikely_span(text: str, start: int, end: int) -> bool:
    """Check if a span cuts a word, has white space at an edge, or is outside the text."""
    if not 0 <= start < end <= len(text):
        return True
    cuts_word = any(
        0 < offset < len(text) and text[offset - 1 : offset + 1].isalnum()
        for offset in (start, end)
    )
    return cuts_word or text[start].isspace() or text[end - 1].isspace()


def _move_bounds(spans: Spans, i: int, point_at: Ints) -> tuple[int, int]:
    return look_up_point(point_at, int(spans.start[i])), look_up_point(point_at, int(spans.end[i]))


def _convert_inclusive_ends(
    spans: Spans, find_place: Callable[[int], Place]
) -> tuple[list[int], int]:
    """Add 1 to the ends of annotators whose quotes show that ends are inclusive.

    ``find_place`` returns the text or tokens of an annotation.

    Returns:
        Indices of these annotators; number of segments that are moved.
    """
    is_fitting = np.zeros(len(spans.quote), np.bool_)
    for i in np.flatnonzero(spans.quote >= 0).tolist():
        bounds = int(spans.start[i]), int(spans.end[i]) + 1
        is_fitting[i] = is_quote_at(
            find_place(int(spans.annotation[i])), *bounds, spans.quotes[spans.quote[i]]
        )
    n_checked, n_fitting = (
        np.bincount(spans.annotator, mask) for mask in (spans.quote != UNKNOWN, is_fitting)
    )
    # other quotes fit unchanged, or not at all
    is_inclusive = (n_fitting > 0) & ((n_checked - n_fitting) * TOLERATED <= n_checked)
    is_moved = is_inclusive[spans.annotator] & (spans.quote != STANDS)
    spans.end[is_moved] += 1
    spans.quote[is_fitting & is_moved] = STANDS
    return np.flatnonzero(is_inclusive).tolist(), int(is_moved[: spans.segments].sum())


def find_nearest(content: Place, start: int, quote: str) -> tuple[int, int] | None:
    """Find a quote in the content, the occurrence nearest to an offset; ``None`` if missing.

    >>> find_nearest("to be or not to be", 12, "to be"), find_nearest(["New", "York"], 0, "York")
    ((13, 18), (1, 2))
    """
    spans = find_occurrences(content, quote)
    return min(spans, key=lambda span: abs(span[0] - start), default=None)


def find_occurrences(content: Place, quote: str) -> list[tuple[int, int]]:
    """Find start and end of all occurrences of a quote in a text or tokens.

    White space in the quote matches any white space.
    """
    words = normalize_space(quote).split()
    if not words:
        return []
    if isinstance(content, str):
        pattern = re.compile(r"\s+".join(map(re.escape, words)))
        return [match.span() for match in pattern.finditer(content)]
    token_sizes = [len("".join(token.split())) for token in content]
    token_at = {offset: i for i, offset in enumerate(np.cumsum([0, *token_sizes]).tolist())}
    joined_tokens, joined_quote = (
        "".join("".join(token.split()) for token in content),
        "".join(words),
    )
    match_starts = (
        match.start() for match in re.finditer(f"(?={re.escape(joined_quote)})", joined_tokens)
    )
    return [
        (token_at[offset], token_at[offset + len(joined_quote)])
        for offset in match_starts
        if offset in token_at and offset + len(joined_quote) in token_at
    ]
