"""Collection of documents, annotations and segments into raw rows, during reading."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from spanagree.corpus.details import join_adjacent
from spanagree.corpus.raw import UNKNOWN, RawCorpus, check_ends, convert_document_id
from spanagree.corpus.segments import LONGEST
from spanagree.errors import InputError, invalid_value, is_integer, pluralize, quote_value

if TYPE_CHECKING:
    from spanagree.corpus.collected_details import CollectedDetails
    from spanagree.corpus.collected_quotes import CollectedQuotes
    from spanagree.corpus.offsets import SourceDocument
    from spanagree.corpus.quoted_texts import Place

# modules for details, quotes and other units of offsets are loaded for sources that have them

_Content = TypeVar("_Content")


class Collector:
    """Rows of a source, collected one by one, with their types checked.

    Flaws of the annotation are found later. All methods take ``location``, the beginning of error
    messages: file and line, or the source's name of its rows.

    Args:
        offsets: unit of the offsets.
        annotators: names of annotators who may have no row.
        unnamed: True to allow ``""`` as an annotator, for readers that name annotators by file.
        ends: meaning of the end of a segment, a key of :data:`spanagree.corpus.raw.ENDS`; ``None``
            if neither format nor user define it, so that it is inferred from quotes.
        name: name of the source, for notes.
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
        self._beyond = int(ends == "inclusive")  # added to ends to make them exclusive
        self.name = name
        self.ids: list[str] = []
        self.lengths: list[int] = []
        self.tokens: list[Sequence[str] | None] = []
        self.texts: list[str | None] = []
        self.token_starts: list[Sequence[int] | None] = []
        self._documents: dict[str, int] = {}
        self._annotators: dict[str, int] = {}
        # latest version of each document, and by annotation the version that its offsets count, if
        # it differs from the first
        self._latest: dict[int, SourceDocument] = {}
        self._versions: dict[int, SourceDocument] = {}
        self._of_document: list[int] = []
        self._of_annotator: list[int] = []
        self._when: list[float] = []
        self._labels: dict[str, int] = {}
        self._rows = array("i")  # "q" once a value is too large
        self._details: CollectedDetails | None = None
        self._quotes: CollectedQuotes | None = None
        for annotator in annotators:
            self.add_annotator(annotator, f"annotator {quote_value(annotator)}")

    def add_document(
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
        """Add a document and return its index.

        Without tokens or text, as counted by the offsets, ``length`` is needed. If ``again`` is
        True, a document of this id may exist already, with the same content; if only line ends
        differ, offsets of subsequent annotations are converted to the first version. ``has_mark``
        is True if a byte order mark precedes the text in its file, since some sources count it.
        """
        id_ = convert_document_id(id_, location)
        if text is not None and not isinstance(text, str):
            raise InputError(f"{location}: text {quote_value(text)}; a string is needed")
        token_list = None if tokens is None else _check_list(str, tokens, "tokens", location)
        start_list = None
        if token_list is not None and text is not None:
            from spanagree.corpus.tokens import find_token_starts  # few have texts and tokens

            if token_starts is not None:
                start_list = _check_list(int, token_starts, "token_starts", location)
            start_list = find_token_starts(token_list, text, start_list, location)
        size = self._determine_length(text, token_list, length, location)
        document = self._documents.get(id_)
        if document is None:
            document = self._documents[id_] = len(self.ids)
            self.ids.append(id_)
            self.lengths.append(size)
            self.texts.append(text)
            self.tokens.append(token_list)
            self.token_starts.append(start_list)
            known_text = text
        elif not again:
            raise InputError(f"{location}: id {quote_value(id_)} comes twice; ids are used once")
        else:
            known_text = self.texts[document]
            if not self._differs_in_line_ends(text, known_text):
                from spanagree.corpus.document_versions import check_same_document

                check_same_document(
                    (text, token_list, size),
                    (known_text, self.tokens[document], self.lengths[document]),
                    f"{location}: document {quote_value(id_)}",
                )
                text = text if known_text is None else known_text
        self._latest.pop(document, None)
        is_other = has_mark or text is not known_text
        if is_other and text is not None and self.offsets == "characters":
            from spanagree.corpus.offsets import SourceDocument

            self._latest[document] = SourceDocument(text, has_mark)
        return document

    def _differs_in_line_ends(self, text: str | None, known_text: str | None) -> bool:
        """Check if a text differs from the known one only in line ends."""
        if text is None or known_text is None or text == known_text:
            return False
        from spanagree.corpus.offset_units import map_between_line_ends

        has_points = map_between_line_ends(text, known_text) is not None
        return has_points and self.offsets == "characters"

    def find_document_index(self, id_: str) -> int | None:
        """Find the index of a document, or ``None`` if it is unknown."""
        return self._documents.get(id_)

    def _determine_length(
        self, text: str | None, words: Sequence[str] | None, length: object, location: str
    ) -> int:
        """Determine the length of a document in tokens or characters, as counted by the offsets.

        It is the length of the content if this is known, and ``length`` otherwise; they have to
        agree.
        """
        content, content_name = (words, "tokens") if self.offsets == "tokens" else (text, "text")
        if length is not None and not (is_integer(length) and 0 <= length <= LONGEST):
            requirement = f"a whole number from 0 to {LONGEST:.3g} is needed"
            raise invalid_value(f"{location}: length", length, requirement)
        if content is None:
            if length is not None:
                return int(length)
            raise InputError(
                f"{location}: neither {content_name} nor length; one of them is needed"
            )
        if length is not None and length != len(content):
            raise InputError(
                f"{location}: length {length}, but the document has"
                f" {pluralize(len(content), self.offsets[:-1])}; leave the length out"
            )
        return len(content)

    def add_annotator(self, name: object, location: str) -> int:
        """Add an annotator if unknown, without any annotation, and return their index."""
        if not isinstance(name, str) or not (name or self.unnamed):
            location_before = location.removesuffix(f", annotator {quote_value(name)}")
            if location_before != location and (name is None or isinstance(name, str)):
                raise InputError(f"{location_before}: no annotator is named; give each row one")
            raise invalid_value(f"{location}: name", name, "a string that is not empty is needed")
        return self._annotators.setdefault(name, len(self._annotators))

    def add_annotation(
        self, document: int, annotator: object, location: str, when: float | None = None
    ) -> int:
        """Record that an annotator saw a document, and return the index of the annotation."""
        if document in self._latest:
            self._versions[len(self._of_document)] = self._latest[document]
        self._of_annotator.append(self.add_annotator(annotator, location))
        self._of_document.append(document)
        self._when.append(np.nan if when is None else when)
        return len(self._of_document) - 1

    def add_segment_in_pieces(
        self,
        annotation: int,
        pieces: Iterable[Any],
        label: object,
        location: str,
        attributes: Mapping[Any, Any] | None = None,
        quote: str | None = None,
    ) -> int:
        """Add a segment with several pieces, and return its index.

        ``pieces`` are pairs of start and end; adjacent pieces are joined. ``quote`` is the text of
        the segment in the source, with blanks or dots between the pieces.
        """
        bounds_of_pieces, end_shift = [], self._beyond
        for piece in pieces:
            if not isinstance(piece, (list, tuple)) or len(piece) != 2:
                raise invalid_value(f"{location}: piece", piece, "a start and an end are needed")
            self._check_offsets(piece[0], piece[1], location)
            bounds_of_pieces.append((int(piece[0]), int(piece[1]) + end_shift))
        if not bounds_of_pieces:
            raise InputError(f"{location}: a segment without pieces; one is needed at least")
        joined_pieces = join_adjacent(bounds_of_pieces)
        bounds = (
            min(start for start, _ in joined_pieces),
            max(end for _, end in joined_pieces) - end_shift,
        )
        if len(joined_pieces) == 1:
            return self.add_segment(annotation, *bounds, label, location, attributes, quote)
        segment_index = self.add_segment(annotation, *bounds, label, location, attributes)
        self.details.pieces[segment_index] = joined_pieces
        if quote is not None:
            content = self._look_up_content(annotation)
            self.quotes.add(segment_index, content, bounds_of_pieces, quote)
        return segment_index

    @property
    def details(self) -> CollectedDetails:
        """Pieces, attributes and relations of segments so far."""
        if self._details is None:
            from spanagree.corpus.collected_details import CollectedDetails

            self._details = CollectedDetails()
        return self._details

    @property
    def quotes(self) -> CollectedQuotes:
        """Quotes of segments, and quotes without a place, so far."""
        if self._quotes is None:
            from spanagree.corpus.collected_quotes import CollectedQuotes

            self._quotes = CollectedQuotes()
        return self._quotes

    def _check_offsets(self, start: object, end: object, location: str) -> None:
        """Check that a start and an end are integers of an allowed size."""
        for name, value in (("start", start), ("end", end)):
            if not is_integer(value) or abs(value) > LONGEST:
                raise InputError(
                    f"{location}: {name} {quote_value(value)}; a whole number is needed"
                )

    def add_segment(
        self,
        annotation: int,
        start: Any,
        end: Any,
        label: object,
        location: str,
        attributes: Mapping[Any, Any] | None = None,
        quote: str | None = None,
    ) -> int:
        """Add a segment of an annotation and return its index.

        ``None`` and blank labels count as no label; attributes with value ``None`` are skipped.
        ``quote`` is the text of the segment in the source.
        """
        if not (
            type(start) is type(end) is int and 0 <= start <= end <= LONGEST
        ):  # the most frequent case
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
        segment_index = len(self._rows) // 4
        if quote is not None:
            content = self._look_up_content(annotation)
            self.quotes.add(segment_index, content, ((start, end),), quote)
        row = annotation, start, end, code
        try:
            self._rows.extend(row)
        except OverflowError:  # values before the large one were added
            self._rows = array("q", self._rows[: 4 * segment_index])
            self._rows.extend(row)
        if attributes:
            self.details.add_attributes(segment_index, attributes, location)
        return segment_index

    def _look_up_version(self, annotation: int) -> SourceDocument:
        """Return the version of the document that the offsets of an annotation count."""
        from spanagree.corpus.offsets import SourceDocument

        return self._versions.get(annotation) or SourceDocument(
            self._look_up_content(annotation) or ""
        )

    def _look_up_content(self, annotation: int) -> Place | None:
        """Return the text or tokens of an annotation's document, ``None`` if unknown."""
        if annotation in self._versions:
            return self._versions[annotation].place
        content = self.tokens if self.offsets == "tokens" else self.texts
        return content[self._of_document[annotation]]

    def set_label_of_all(self, label: str) -> bool:
        """Set the label of all segments and quotes, which have none; True if there are any."""
        has_unplaced = self._quotes is not None and self._quotes.set_label_of_unplaced(label)
        self._labels = {label: 0} if self._rows else {}
        self._rows[3::4] = array(self._rows.typecode, [0]) * (len(self._rows) // 4)
        return bool(self._rows) or has_unplaced

    def build_raw_corpus(
        self, reading: Mapping[str, Any], notes: Sequence[str] = (), *, numbered: bool = False
    ) -> RawCorpus:
        """Build the raw corpus from all rows.

        ``reading`` are the settings of the reader, and ``notes`` its notes. If ``numbered`` is
        True, ids only number the documents and are not stored.
        """
        annotation, start, end, label = np.asarray(self._rows).reshape(-1, 4).T  # not copied
        quote, quotes, ends, notes = None, self._quotes, self.ends, [*notes]
        if (quotes and quotes.status) or self._versions or self._may_count_line_ends_once:
            from spanagree.corpus.collected_offsets import correct_offsets
            from spanagree.corpus.offsets import Spans

            quotes = self.quotes
            quotes.fill(len(start))
            annotator = np.array(self._of_annotator, np.int64)[annotation]
            quote = np.asarray(quotes.status)
            spans = Spans(annotation, annotator, start, end, quote, quotes.texts)
            versions = {
                annotation_index: (version, self.texts[self._of_document[annotation_index]])
                for annotation_index, version in self._versions.items()
            }
            (start, end, quote), pieces, offset_notes, ends = correct_offsets(
                spans,
                self._details.pieces if self._details else {},
                versions,
                self._look_up_version,
                self.ends,
                tuple(self._annotators),
            )
            if self._details:
                self._details.pieces = pieces
            note_prefix = f"{self.name}: " if self.name else ""
            notes = [*(f"{note_prefix}{note}" for note in offset_notes), *notes]
            quote = quote if quotes.texts or (quote != UNKNOWN).any() else None
        token_lists, token_starts = (
            self._collect_content(self.tokens, "tokens"),
            self._collect_content(self.token_starts),
        )
        texts = self._collect_content(self.texts, "text")
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
            None if self._details is None else self._details.build(len(start)),
            ids=None if numbered else tuple(self.ids),
            tokens=None if token_lists is None else tuple(chain.from_iterable(token_lists)),
            texts=None if texts is None else tuple(texts),
            token_starts=None
            if token_starts is None
            else np.fromiter(chain.from_iterable(token_starts), int),
            quote=quote,
            quotes=() if quotes is None else tuple(quotes.texts),
            ends=ends,
            reading=reading,
            notes=tuple(notes),
            unplaced=None if quotes is None else quotes.build_unplaced(self.offsets),
        )

    @property
    def _may_count_line_ends_once(self) -> bool:
        """True if texts have line ends of two characters and the unit of offsets is undefined."""
        return (
            self.ends is None
            and self.offsets == "characters"
            and any(text is not None and "\r\n" in text for text in self.texts)
        )

    def _collect_content(
        self, content_by_document: Sequence[_Content | None], content_name: str = ""
    ) -> list[_Content] | None:
        """Collect the content of all documents; ``None`` if it is missing for any.

        Content with a ``content_name`` is an error if only some documents have it.
        """
        missing = [d for d, content in enumerate(content_by_document) if content is None]
        if content_name and 0 < len(missing) < len(content_by_document):
            raise InputError(
                f"document {quote_value(self.ids[missing[0]])} has no {content_name}, others have;"
                " all documents of a corpus have the same kind of content"
            )
        return (
            [content for content in content_by_document if content is not None]
            if not missing
            else None
        )


def _check_list(
    entry_type: type[_Content], values: object, content_name: str, location: str
) -> Sequence[_Content]:
    """Check that the tokens or their starts are a list of strings or integers."""
    if isinstance(values, (list, tuple)) and all(isinstance(value, entry_type) for value in values):
        return values
    noun = {str: "strings", int: "whole numbers"}[entry_type]
    raise InputError(
        f"{location}: {content_name} {quote_value(values)}; a list of {noun} is needed"
    )
