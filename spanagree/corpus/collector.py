"""Rows as they come, one document, annotation and segment at a time, into raw rows."""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, islice, zip_longest
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from spanagree.arrays import Ints
from spanagree.corpus.details import NOWHERE, Pieces, SegmentDetails, tidy_pieces
from spanagree.corpus.raw import STANDS, UNKNOWN, RawCorpus, check_ends
from spanagree.corpus.segments import LONGEST
from spanagree.errors import InputError, invalid_value, is_whole, pluralize, quote_value

if TYPE_CHECKING:
    from spanagree.corpus.offsets import Place, SourceDocument, Spans
    from spanagree.corpus.unplaced import UnplacedQuotes

# What finds quotes, and turns offsets of other units, is loaded where a source has texts and quotes

_Content = TypeVar("_Content")


class Collector:
    """Gathers the rows of a source, and checks that each is of the right type.

    Whether they make a valid annotation is checked later. All methods take ``location``, with which
    an error begins: the file and line, or what the source calls its rows.

    Args:
        offsets: what offsets count.
        annotators: the names of some that may have no row.
        unnamed: whether an annotator may be called ``""``, by a reader that leaves the name to
            that of the file.
        ends: what the end of a segment names, one of :data:`spanagree.corpus.raw.ENDS`;
            ``None`` where neither the format nor the user says it, so that the quotes do.
        name: the name of the source, for notes.
    """

    def __init__(
        self,
        offsets: str,
        annotators: Iterable[object] = (),
        *,
        unnamed: bool = False,
        ends: str | None = "exclusive",
        name: str = "",
    ) -> None:
        check_ends(ends)
        self.offsets = offsets
        self.unnamed = unnamed
        self.ends = ends
        self._beyond = int(ends == "inclusive")  # how far an end lies behind the one that is named
        self.name = name
        self.ids: list[str] = []
        self.lengths: list[int] = []
        self.tokens: list[Sequence[str] | None] = []
        self.texts: list[str | None] = []
        self.token_starts: list[Sequence[int] | None] = []
        self._documents: dict[str, int] = {}
        self._annotators: dict[str, int] = {}
        # of a document as it came last, and of annotations what their offsets count if that is not
        # the document as it came first
        self._latest: dict[int, SourceDocument] = {}
        self._versions: dict[int, SourceDocument] = {}
        self._of_document: list[int] = []
        self._of_annotator: list[int] = []
        self._when: list[float] = []
        self._labels: dict[str, int] = {}
        self._rows = array("i")  # until a number is too large for it
        self._pieces: dict[int, Pieces] = {}
        self._attributes: dict[int, dict[str, str]] = {}
        self._relations: list[tuple[int, int, str, bool, str]] = []
        self._quote = array("i")  # per segment, up to the last with one, what is known of its text
        self._quotes: list[str] = []
        self._unplaced: list[tuple[int, str, str, int | None, float]] = []
        for annotator in annotators:
            self.annotator(annotator, f"annotator {quote_value(annotator)}")

    def document(
        self,
        id_: object,
        location: str,
        *,
        text: object = None,
        tokens: object = None,
        token_starts: object = None,
        length: object = None,
        has_mark: bool = False,
        again: bool = False,
    ) -> int:
        """Add a document and return its number.

        ``again``: a document of this id may have come before, with the same content; if but line
        ends differ, offsets of the annotations that follow become those of the first. Some count a
        byte order mark, where the text ``has_mark`` before it in its file.
        """
        id_ = document_id(id_, location)
        if text is not None and not isinstance(text, str):
            raise InputError(f"{location}: text {quote_value(text)}; a string is needed")
        words = None if tokens is None else _list_of(str, tokens, "tokens", location)
        starts = None
        if words is not None and text is not None:
            starts = _starts(words, text, token_starts, location)
        size = self._size(text, words, length, location)
        if id_ in self._documents:
            if not again:
                raise InputError(
                    f"{location}: id {quote_value(id_)} comes twice; ids are used once"
                )
            d = self._documents[id_]
            before = self.texts[d], self.tokens[d], self.lengths[d]
            if not self._differs_in_line_ends(text, d):
                same_document(
                    (text, words, size), before, f"{location}: document {quote_value(id_)}"
                )
                text = before[0] if before[0] is not None else text
            self._latest.pop(d, None)
            if text is not None and (has_mark or text is not before[0]):
                from spanagree.corpus.offsets import SourceDocument

                self._latest[d] = SourceDocument(text, has_mark)
            return d
        if text is not None and has_mark:
            from spanagree.corpus.offsets import SourceDocument

            self._latest[len(self.ids)] = SourceDocument(text, has_mark)
        number = self._documents[id_] = len(self.ids)
        self.ids.append(id_)
        self.lengths.append(size)
        self.texts.append(text)
        self.tokens.append(words)
        self.token_starts.append(starts)
        return number

    def _differs_in_line_ends(self, text: str | None, document: int) -> bool:
        """Return whether a text is that of a document but for its line ends."""
        from spanagree.corpus.offsets import points_between

        before = self.texts[document]
        is_other = text is not None and before is not None and text != before
        return (
            is_other
            and self.offsets == "characters"
            and points_between(text or "", before or "") is not None
        )

    def number_of(self, id_: str) -> int | None:
        """Return the number of a document, ``None`` if it has not come before."""
        return self._documents.get(id_)

    def _size(
        self, text: str | None, words: Sequence[str] | None, length: object, location: str
    ) -> int:
        """Return the length of a document; one that is given has to fit its content."""
        content, needs = (words, "tokens") if self.offsets == "tokens" else (text, "text")
        if length is not None and not (is_whole(length) and 0 <= length <= LONGEST):
            needed = f"a whole number from 0 to {LONGEST:.3g} is needed"
            raise invalid_value(f"{location}: length", length, needed)
        if content is None:
            if length is not None:
                return int(length)
            raise InputError(f"{location}: neither {needs} nor length; one of them is needed")
        if length is not None and length != len(content):
            raise InputError(
                f"{location}: length {length}, but the document has"
                f" {pluralize(len(content), self.offsets[:-1])}; leave the length out"
            )
        return len(content)

    def annotator(self, name: object, location: str) -> int:
        """Return the number of an annotator, who has seen nothing unless an annotation is added."""
        if not isinstance(name, str) or not (name or self.unnamed):
            place = location.removesuffix(f", annotator {quote_value(name)}")
            if place != location and (name is None or isinstance(name, str)):
                raise InputError(f"{place}: no annotator is named; give each row one")
            raise invalid_value(f"{location}: name", name, "a string that is not empty is needed")
        return self._annotators.setdefault(name, len(self._annotators))

    def annotation(
        self, document: int, annotator: object, location: str, when: float | None = None
    ) -> int:
        """Add that an annotator saw a document, and return the number of the annotation."""
        if document in self._latest:
            self._versions[len(self._of_document)] = self._latest[document]
        self._of_annotator.append(self.annotator(annotator, location))
        self._of_document.append(document)
        self._when.append(np.nan if when is None else when)
        return len(self._of_document) - 1

    def annotate(
        self,
        document: int,
        annotator: object,
        rows: Iterable[Any] | None,
        location: str,
        relations: Iterable[Any] = (),
    ) -> None:
        """Add the segments and relations of an annotator in a document.

        Args:
            document: its number.
            annotator: their name.
            rows: (start, end, label) of each segment; ([(start, end), …], label) of one of several
                pieces; a mapping of attributes may come last. ``None``: they never saw it.
            location: begins errors.
            relations: (first, second, label) of each: the places of two segments among the rows,
                from 0. A fourth entry says whether it is directed.
        """
        if rows is None:
            self.annotator(annotator, location)
            for relation in relations:
                raise invalid_value(
                    f"{location}: relation", relation, "its document was never seen"
                )
            return
        annotation = self.annotation(document, annotator, location)
        numbers = []
        for row in rows:
            if not isinstance(row, (tuple, Sequence)) or not 2 <= len(row) <= 4:
                raise invalid_value(f"{location}: segment", row, "(start, end, label) is needed")
            *bounds, last = row
            attributes = last if isinstance(last, Mapping) else None
            *bounds, label = bounds if attributes is not None else row
            if len(bounds) == 1 and isinstance(bounds[0], (list, tuple)):
                number = self.in_pieces(annotation, bounds[0], label, location, attributes)
            elif len(bounds) == 2:
                start, end = bounds
                number = self.segment(annotation, start, end, label, location, attributes)
            else:
                raise invalid_value(f"{location}: segment", row, "(start, end, label) is needed")
            numbers.append(number)
        for relation in relations:
            if not isinstance(relation, (tuple, Sequence)) or len(relation) not in (3, 4):
                raise invalid_value(
                    f"{location}: relation", relation, "(first, second, label) is needed"
                )
            first, second, label, directed = (*relation, True)[:4]
            ends = []
            for place in (first, second):
                if not is_whole(place):
                    raise invalid_value(
                        f"{location}: relation to", place, "the place of a segment, from 0"
                    )
                ends.append(numbers[int(place)] if 0 <= place < len(numbers) else None)
            self.relation(ends[0], ends[1], label, location, directed)

    def in_pieces(
        self,
        annotation: int,
        pieces: Iterable[Any],
        label: object,
        location: str,
        attributes: Mapping[Any, Any] | None = None,
        quote: str | None = None,
    ) -> int:
        """Add a segment of several pieces, start and end of each, and return its number.

        Pieces that touch are one. A ``quote`` has blanks, or dots, between them.
        """
        given, beyond = [], self._beyond
        for piece in pieces:
            if not isinstance(piece, (list, tuple)) or len(piece) != 2:
                raise invalid_value(f"{location}: piece", piece, "a start and an end are needed")
            self._check_offsets(piece[0], piece[1], location)
            given.append((int(piece[0]), int(piece[1]) + beyond))
        if not given:
            raise InputError(f"{location}: a segment without pieces; one is needed at least")
        tidy = tidy_pieces(given)
        bounds = min(start for start, _ in tidy), max(end for _, end in tidy) - beyond
        if len(tidy) == 1:
            return self.segment(annotation, *bounds, label, location, attributes, quote)
        is_there = None if quote is None else self._have_words(annotation, given, quote)
        number = self.segment(annotation, *bounds, label, location, attributes, quote, is_there)
        self._pieces[number] = tidy
        return number

    def _have_words(self, annotation: int, pieces: Sequence[tuple[int, int]], quote: str) -> bool:
        """Return whether pieces have the words of a quote, whatever it has between them."""
        place = self._place_of(annotation) or ""
        there = " ".join("".join(place[start:end]) for start, end in pieces)
        words = ["".join(re.findall(r"\w+", text)) for text in (there, quote)]
        return words[0] == words[1] if words[1] else there.split() == quote.split()

    def relation(
        self, first: int | None, second: int | None, label: object, location: str, directed: object
    ) -> None:
        """Add a relation between two segments, by their numbers; ``None``: one is not there."""
        if not isinstance(label, str) or not label.strip():
            raise invalid_value(
                f"{location}: label of a relation", label, "a string that is not blank"
            )
        if not isinstance(directed, bool):
            raise invalid_value(f"{location}: directed", directed, "true or false is needed")
        head, tail = (NOWHERE if end is None else end for end in (first, second))
        self._relations.append((head, tail, label, directed, location))

    def attribute(self, segment: int, name: object, value: object, location: str) -> None:
        """Add the value of an attribute of a segment, by its number; several are joined."""
        for what, given in (("name", name), ("value", value)):
            if not isinstance(given, str) or not given.strip():
                raise invalid_value(
                    f"{location}: {what} of an attribute", given, "a string that is not blank"
                )
        known = self._attributes.setdefault(segment, {})
        before = known.get(str(name), "").split(";")
        more = [part for part in str(value).split(";") if part not in before]
        known[str(name)] = ";".join([*filter(None, before), *more])

    def _check_offsets(self, start: object, end: object, location: str) -> None:
        for name, value in (("start", start), ("end", end)):
            if not is_whole(value) or abs(value) > LONGEST:
                raise InputError(
                    f"{location}: {name} {quote_value(value)}; a whole number is needed"
                )

    def segment(
        self,
        annotation: int,
        start: Any,
        end: Any,
        label: object,
        location: str,
        attributes: Mapping[Any, Any] | None = None,
        quote: str | None = None,
        is_there: bool | None = None,
    ) -> int:
        """Add a segment of an annotation and return its number.

        ``None`` and blank labels are none, and so are attributes that are ``None``. ``quote`` is
        the text that the source says to stand there, if it says one; whether it ``is_there`` is
        looked up unless given.
        """
        if not (type(start) is type(end) is int and 0 <= start <= end <= LONGEST):  # mostly it is
            self._check_offsets(start, end, location)
            start, end = int(start), int(end)
        code = -1
        if isinstance(label, str):
            code = self._labels.get(label, -1)
            if code < 0 and label.strip():
                code = self._labels[label] = len(self._labels)
        elif label is not None:
            raise InputError(f"{location}: label {quote_value(label)}; a string is needed")
        end += self._beyond
        number = len(self._rows) // 4
        if quote is not None:
            self._quote.extend([UNKNOWN] * (number - len(self._quote)))
            self._quote.append(self._check_quote(annotation, start, end, quote, is_there))
        row = annotation, start, end, code
        try:
            self._rows.extend(row)
        except OverflowError:  # what came before the number is there already
            self._rows = array("q", self._rows[: 4 * number])
            self._rows.extend(row)
        if attributes:
            self._attribute_all(number, attributes, location)
        return number

    def unplaced(
        self, annotation: int, label: object, quote: str, location: str, size: Any, score: object
    ) -> None:
        """Add a quote of an annotation that is not in its text, with its size and score if known.

        Raises:
            InputError: for a label that is not a string, or a score that is no finite number.
        """
        if label is not None and not isinstance(label, str):
            raise InputError(f"{location}: label {quote_value(label)}; a string is needed")
        name = label if label is not None and label.strip() else ""
        self._unplaced.append((annotation, name, quote, size, _score(score, location)))

    def _attribute_all(self, segment: int, values: Mapping[Any, Any], location: str) -> None:
        """Add the attributes of a segment that are there."""
        for name, value in values.items():
            if value is not None:
                as_text = str(value).lower() if isinstance(value, bool) else text_of_whole(value)
                self.attribute(segment, name, as_text, location)

    def _check_quote(
        self, annotation: int, start: int, end: int, quote: str, is_there: bool | None
    ) -> int:
        """Return whether a quote stands where it should, or its number if it does not."""
        place = self._place_of(annotation)
        if place is None:
            return UNKNOWN
        if is_there is None:  # one that ends beyond may count another unit
            is_there = 0 <= start <= end <= len(place) and place[start:end] == quote  # mostly it is
            if not is_there and end <= len(place):
                from spanagree.corpus.offsets import stands

                is_there = stands(place, start, end, quote)
        if is_there:
            return STANDS
        self._quotes.append(quote)
        return len(self._quotes) - 1

    def _version_of(self, annotation: int) -> SourceDocument:
        """Return what the offsets of an annotation count."""
        from spanagree.corpus.offsets import SourceDocument

        return self._versions.get(annotation) or SourceDocument(self._place_of(annotation) or "")

    def _place_of(self, annotation: int) -> Place | None:
        """Return the text or tokens of an annotation's document, if they are known."""
        if annotation in self._versions:
            return self._versions[annotation].place
        content = self.tokens if self.offsets == "tokens" else self.texts
        return content[self._of_document[annotation]]

    def label_all(self, label: str) -> bool:
        """Give a label to all segments, of which none has one; return whether there are any."""
        if self._unplaced:
            self._unplaced = [
                (at, label, quote, size, score) for at, _, quote, size, score in self._unplaced
            ]
        self._labels = {label: 0} if self._rows else {}
        self._rows[3::4] = array(self._rows.typecode, [0]) * (len(self._rows) // 4)
        return bool(self._rows or self._unplaced)

    def raw(
        self, reading: Mapping[str, Any], notes: Sequence[str] = (), *, numbered: bool = False
    ) -> RawCorpus:
        """Return the rows as a corpus; ``numbered``: ids are only the numbers of the documents."""
        annotation, start, end, label = np.asarray(self._rows).reshape(-1, 4).T  # not copied
        quote, ends, notes = None, self.ends, [*notes]
        if self._quote or self._versions or self._may_count_line_ends_once:
            from spanagree.corpus.offsets import Spans, resolve

            self._quote.extend([UNKNOWN] * (len(start) - len(self._quote)))
            quote = np.asarray(self._quote)
            before = f"{self.name}: " if self.name else ""
            annotator = np.array(self._of_annotator, np.int64)[annotation]
            spans = Spans(annotation, annotator, start, end, quote, self._quotes)
            spans = self._with_pieces(spans)
            remarks, ends = resolve(spans, self._version_of, self.ends, tuple(self._annotators))
            self._move_to_first(spans)
            notes = [*(f"{before}{note}" for note in remarks), *notes]
            self._take_pieces(spans, quote)
            start, end, quote = (
                column[: len(start)] for column in (spans.start, spans.end, spans.quote)
            )
            quote = quote if self._quotes or (quote != UNKNOWN).any() else None
        tokens, starts = self._all(self.tokens, "tokens"), self._all(self.token_starts)
        texts = self._all(self.texts, "text")
        when = np.array(self._when, np.float64)
        return RawCorpus(
            np.array(self.lengths, np.int64),
            tuple(self._annotators),
            np.array(self._of_document, np.int64),
            np.array(self._of_annotator, np.int64),
            *(annotation, start, end, label),
            tuple(self._labels),
            self.offsets,
            None if np.isnan(when).all() else when,
            SegmentDetails.of_rows(len(start), self._pieces, self._attributes, self._relations),
            ids=None if numbered else tuple(self.ids),
            tokens=None if tokens is None else tuple(chain.from_iterable(tokens)),
            texts=None if texts is None else tuple(texts),
            token_starts=None if starts is None else np.fromiter(chain.from_iterable(starts), int),
            quote=quote,
            quotes=tuple(self._quotes),
            ends=ends,
            reading=reading,
            notes=tuple(notes),
            unplaced=self._unplaced_quotes(),
        )

    def _unplaced_quotes(self) -> UnplacedQuotes | None:
        """Build the columns of the quotes that are not in the text, ``None`` if there are none."""
        if not self._unplaced:
            return None
        from spanagree.corpus.unplaced import UnplacedQuotes  # few sources have quotes

        at, labels, quotes, sizes, scores = zip(*self._unplaced, strict=True)
        return UnplacedQuotes.of(at, labels, quotes, self.offsets, sizes, scores)

    @property
    def _may_count_line_ends_once(self) -> bool:
        """Whether texts have line ends of two characters, and nobody says what offsets count."""
        return (
            self.ends is None
            and self.offsets == "characters"
            and any(text is not None and "\r\n" in text for text in self.texts)
        )

    def _move_to_first(self, spans: Spans) -> None:
        """Give spans of texts that came again with other line ends the offsets of the first."""
        from spanagree.corpus.offsets import point, points_between

        for annotation, (text, _) in self._versions.items():
            first = self.texts[self._of_document[annotation]]
            if isinstance(text, str) and first is not None and text != first:
                points = points_between(text, first)
                assert points is not None  # since the texts differ in line ends alone
                for i in np.flatnonzero(spans.annotation == annotation).tolist():
                    spans.start[i] = point(points, int(spans.start[i]))
                    spans.end[i] = point(points, int(spans.end[i]))

    def _with_pieces(self, spans: Spans) -> Spans:
        """Return spans, and behind them the pieces of those that have several.

        The quotes of these stand in pieces, and so say nothing about where the spans stand.
        """
        if not self._pieces:
            return spans
        from spanagree.corpus.offsets import Spans

        rows = [row for row, pieces in self._pieces.items() for _ in pieces]
        bounds = np.array([piece for pieces in self._pieces.values() for piece in pieces])
        quote = np.concatenate([spans.quote, np.full(len(rows), UNKNOWN)])
        quote[[*self._pieces]] = UNKNOWN
        return Spans(
            np.concatenate([spans.annotation, spans.annotation[rows]]),
            np.concatenate([spans.annotator, spans.annotator[rows]]),
            np.concatenate([spans.start, bounds[:, 0]]),
            np.concatenate([spans.end, bounds[:, 1]]),
            quote,
            spans.quotes,
            len(rows),
        )

    def _take_pieces(self, spans: Spans, quote: Ints) -> None:
        """Take pieces from behind the spans, and check which of their quotes stand there now."""
        starts, ends = (column[spans.segments :].tolist() for column in (spans.start, spans.end))
        moved = zip(starts, ends, strict=True)
        taken = {row: tidy_pieces([*islice(moved, len(p))]) for row, p in self._pieces.items()}
        self._pieces = {row: pieces for row, pieces in taken.items() if len(pieces) > 1}
        for row, pieces in taken.items():
            annotation, number = int(spans.annotation[row]), int(quote[row])
            hull = [(int(spans.start[row]), int(spans.end[row]))]  # some tools quote it so
            is_there = number >= 0 and any(
                self._have_words(annotation, bounds, spans.quotes[number])
                for bounds in (pieces, hull)
            )
            spans.quote[row] = STANDS if is_there else number

    def _all(self, contents: Sequence[_Content | None], what: str = "") -> list[_Content] | None:
        """Return the content of all documents, ``None`` if one lacks it.

        Content that has a name, ``what``, has to be that of all documents or of none.
        """
        lacking = [d for d, content in enumerate(contents) if content is None]
        if what and 0 < len(lacking) < len(contents):
            raise InputError(
                f"document {quote_value(self.ids[lacking[0]])} has no {what}, others have; all"
                " documents of a corpus have the same kind of content"
            )
        return [content for content in contents if content is not None] if not lacking else None


def text_of_whole(value: object) -> object:
    """Return a whole number of up to 64 bits as text, any other value as it is."""
    if isinstance(value, str):  # mostly it is
        return value
    return str(value) if is_whole(value) and abs(value) < 1 << 64 else value


def document_id(value: object, location: str) -> str:
    """Return the id of a document, which may be a whole number, as text.

    Raises:
        InputError: for what is not an id.
    """
    id_ = text_of_whole(value)
    if isinstance(id_, str) and id_:
        return id_
    raise InputError(f"{location}: id {quote_value(id_)}; a string that is not empty is needed")


Version: TypeAlias = tuple[str | None, Sequence[str] | None, int]


_ONE_TEXT = (
    "all annotators need the same text (parts of one corpus are named by one pattern in quotes)"
)


def same_document(here: Version, before: Version, location: str, rule: str = _ONE_TEXT) -> None:
    """Refuse two versions of a document, each its text, its tokens and its length.

    The error ends with the rule.
    """
    (text, words, size), (text_before, words_before, size_before) = here, before
    if text is not None and text_before is not None:
        same_text(text, text_before, location, rule)
    if words is not None and words_before is not None and list(words) != list(words_before):
        same_text(" ".join(words), " ".join(words_before), location, rule)
    if size != size_before:
        raise InputError(f"{location}: length {size}, {size_before} before; {rule}")


def same_text(text: str, other: str, location: str, rule: str = _ONE_TEXT) -> None:
    """Refuse two versions of a text, showing the first difference."""
    if text == other:
        return
    at = next(i for i, (a, b) in enumerate(zip_longest(text, other)) if a != b)
    near = slice(max(at - 10, 0), at + 10)
    raise InputError(
        f"{location}: the text differs from the one before, first at character {at}:"
        f" {quote_value(text[near])}, not {quote_value(other[near])}; {rule}"
    )


def _starts(words: Sequence[str], text: str, given: object, location: str) -> list[int]:
    """Return where words begin in a text: as given, if they do, or where they are found."""
    pieces: Sequence[Any] = words
    if given is not None:
        starts = _list_of(int, given, "token_starts", location)
        if len(starts) != len(words):
            raise InputError(
                f"{location}: {pluralize(len(starts), 'token_start')} for"
                f" {pluralize(len(words), 'token')}; each needs one"
            )
        pieces = [(at, at + len(word)) for at, word in zip(starts, words, strict=True)]
    from spanagree.corpus.tokens import locate  # few sources have both, a text and tokens

    there, places = locate(text, pieces, location)
    if there != list(words):
        raise InputError(
            f"{location}: at token_starts the text has {quote_value(there)}; the tokens have to"
            " stand there"
        )
    return places


def _list_of(kind: type[_Content], values: object, what: str, location: str) -> Sequence[_Content]:
    if isinstance(values, (list, tuple)) and all(isinstance(value, kind) for value in values):
        return values
    needed = {str: "strings", int: "whole numbers"}[kind]
    raise InputError(f"{location}: {what} {quote_value(values)}; a list of {needed} is needed")


def _score(value: object, location: str) -> float:
    """Return a score as a number; ``nan`` if there is none."""
    if value is None:
        return math.nan
    try:
        score = float(value)  # type: ignore[arg-type]  # what is no number is refused
    except (TypeError, ValueError):
        score = math.nan
    if not math.isfinite(score):
        raise invalid_value(f"{location}: score", value, "a number is needed")
    return score
