"""Rows of a source before validation.

A :class:`~spanagree.corpus.corpus.Corpus` is always valid, but files are not. Every reader first
builds a :class:`RawCorpus` with the unchanged content of the source;
:func:`spanagree.corpus.repairs.build_valid_corpus` converts it to a corpus.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from spanagree.arrays import (
    Bools,
    Floats,
    Ints,
    Vocabulary,
    dense_ranks,
    group_indices,
    narrow_integers,
)
from spanagree.corpus.details import RelationTable, SegmentDetails, join_details
from spanagree.corpus.segments import Content, Layer, RawLayer
from spanagree.errors import InputError, check_choice, is_integer, quote_value

if TYPE_CHECKING:
    from spanagree.corpus.balance import Balance
    from spanagree.corpus.unplaced import UnplacedQuotes

ENDS = {
    "exclusive": "an end is that of the first token or character behind the span",
    "inclusive": "an end is that of the last token or character of the span",
}
"""Meanings of the end of a span, by name."""

UNKNOWN, STANDS = -2, -1
"""Status of a quote instead of its index: unknown, or equal to the text at the offsets."""

ABSENT = {
    "unseen": "the annotator never saw the document",
    "unmarked": "the annotator saw the document, and marked nothing",
}
"""Meanings of a document without rows of an annotator, if the source does not define it."""


_NO_LINKS = RelationTable.from_rows(())


def check_absent(absent: str | None) -> None:
    """Check a choice of :data:`ABSENT`.

    Raises:
        SettingError: if it is unknown; lists the known choices.
    """
    if absent is not None:
        check_choice(absent, ABSENT, "absent")


def select_reading(reading: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    """Select the settings of reading for some annotators: counts of quotes are by annotator.

    >>> select_reading({"quotes": {"a": {"read": 1, "unaligned": 0}}, "strict": False}, ["b"])
    {'strict': False}
    """
    counts = {name: count for name, count in reading.get("quotes", {}).items() if name in names}
    other_settings = {key: value for key, value in reading.items() if key != "quotes"}
    return {**other_settings, **({"quotes": counts} if counts else {})}


@dataclass(frozen=True, eq=False)
class RawCorpus(Content):
    """Rows of a source, not validated.

    An *annotation* is a pair of annotator and document; a source may wrongly repeat one. ``label``
    is −1 for a segment without a label.

    Attributes:
        lengths: length of each document.
        annotators: names of the annotators, in the order of first use.
        document_index, annotator_index: index of the document and annotator of each annotation.
        annotation, start, end, label: columns of the segments.
        labels: names of the labels, in the order of first use.
        when: time of each annotation in seconds, NaN if unknown; ``None`` if all are unknown.
        quote: status of the quote of each segment: :data:`UNKNOWN`, :data:`STANDS` if it equals the
            text, else an index of ``quotes`` (:mod:`spanagree.corpus.offsets`); ``None`` if all are
            unknown.
        quotes: quotes of misplaced segments.
        ends: meaning of the ends in the source, a key of :data:`spanagree.corpus.raw.ENDS`;
            ``None`` if it is undefined, and quotes do not show it.
        details: pieces, attributes and relations of segments; ``None`` if there are none.
        balance: numbers of items in the source, by unit and outcome.
        unplaced: quotes that are not in the text, by annotation; ``None`` if there are none.
        offsets, ids, tokens, texts, token_starts, reading, notes: attributes of a corpus.
    """

    annotators: tuple[str, ...]
    document_index: Ints
    annotator_index: Ints
    annotation: Ints
    start: Ints
    end: Ints
    label: Ints
    labels: tuple[str, ...]
    offsets: str = "tokens"
    when: Floats | None = None
    details: SegmentDetails | None = None
    quote: Ints | None = None
    quotes: tuple[str, ...] = ()
    ends: str | None = "exclusive"
    balance: Balance = field(default_factory=dict)
    unplaced: UnplacedQuotes | None = None

    @classmethod
    def from_layers(
        cls,
        lengths: Ints,
        layers: Mapping[str, RawLayer],
        unplaced: Mapping[str, UnplacedQuotes] | None = None,
        **content: Any,
    ) -> RawCorpus:
        """Build rows from layers, each with its own codes of labels.

        ``unplaced`` are quotes that are not in the text, by annotator; ``content`` are other
        attributes.
        """
        is_seen = np.array([layer.annotated for layer in layers.values()], np.bool_)
        is_seen = is_seen.reshape(len(layers), len(lengths))
        annotation_index = np.cumsum(is_seen).reshape(is_seen.shape) - 1
        labels = Vocabulary()
        segment_columns: list[tuple[Ints, ...]] = [(narrow_integers(np.zeros(0, np.int64)),) * 4]
        for own_annotations, layer in zip(annotation_index, layers.values(), strict=True):
            common_codes = np.array([labels[name] for name in layer.names], np.int64)
            columns_of_layer = (
                own_annotations[layer.document],
                layer.start,
                layer.end,
                common_codes[layer.label],
            )
            segment_columns.append(tuple(map(narrow_integers, columns_of_layer)))
        annotation, start, end, label = map(np.concatenate, zip(*segment_columns, strict=True))
        del segment_columns
        details_and_counts = [(layer.details, len(layer.start)) for layer in layers.values()]
        content["details"] = join_details(details_and_counts)
        if unplaced:
            annotations_by_name = dict(zip(layers, annotation_index, strict=True))
            quotes = [
                (own_quotes.reindex(annotations_by_name[name]), 0)
                for name, own_quotes in unplaced.items()
            ]
            content["unplaced"] = next(iter(unplaced.values())).concatenate(quotes)
        annotator, document = np.nonzero(is_seen)
        columns = (document, annotator, annotation, start, end, label)
        return cls(lengths, tuple(layers), *columns, tuple(labels), **content)

    def yield_layers(self) -> Iterator[tuple[str, Layer]]:
        """Yield each annotator with their layer; labels are encoded in alphabetical order."""
        rank_of_label = dense_ranks(self.labels)
        rows_by_annotator: list[Any] = [slice(None)]  # a slice avoids a copy
        if len(self.annotators) != 1:
            rows_by_annotator = group_indices(
                self.annotator_index[self.annotation], len(self.annotators)
            )
        annotations_by_annotator = group_indices(self.annotator_index, len(self.annotators))
        for name, own_rows, own_annotations in zip(
            self.annotators, rows_by_annotator, annotations_by_annotator, strict=True
        ):
            annotated = np.zeros(len(self.lengths), np.bool_)
            annotated[self.document_index[own_annotations]] = True
            document = self.document_index[self.annotation[own_rows]]
            bounds = self.start[own_rows], self.end[own_rows]
            details = self.details
            if details is not None and isinstance(own_rows, np.ndarray):
                details = details.select(own_rows)
            yield (
                name,
                Layer(document, *bounds, rank_of_label[self.label[own_rows]], annotated, details),
            )

    def group_unplaced_by_annotator(self) -> dict[str, UnplacedQuotes]:
        """Group the quotes that are not in the text by annotator; each has its document."""
        if self.unplaced is None:
            return {}
        annotators = self.annotator_index[self.unplaced.at]
        return {
            self.annotators[a]: self.unplaced.select(annotators == a).reindex(self.document_index)
            for a in np.unique(annotators).tolist()
        }

    @property
    def document(self) -> Ints:
        """Index of the document of each segment."""
        return self.document_index[self.annotation]

    @property
    def links(self) -> RelationTable:
        """Relations between segments."""
        return _NO_LINKS if self.details is None else self.details.links

    def look_up_relation_label(self, relation: int) -> str:
        """Return the label of a relation, by row."""
        assert self.details is not None  # there are relations
        return self.details.relation_labels[self.links.label[relation]]

    @property
    def is_misplaced(self) -> Bools:
        """Mask of segments with a quote that differs from the text at their offsets."""
        none = np.zeros(len(self.start), np.bool_)
        return none if self.quote is None else np.asarray(self.quote >= 0)

    def find_content_of_segment(self, segment: int) -> tuple[str | Sequence[str], int, int]:
        """Find the text or tokens of a segment's document, and the start and end of the segment."""
        d = int(self.document[segment])
        start, end = int(self.start[segment]), int(self.end[segment])
        if self.offsets == "tokens":
            return self.tokens_of(d), start, end
        return ("" if self.texts is None else self.texts[d]), start, end

    def yield_bounds(self) -> Iterator[tuple[int, int, int, int]]:
        """Yield row, document, start and end of each segment."""
        columns = (column.tolist() for column in (self.document, self.start, self.end))
        return zip(range(len(self.start)), *columns, strict=True)

    def select_columns(self, rows: Bools | Ints) -> dict[str, Any]:
        """Return columns of segments, by name; ``rows`` selects segments (a mask or indices)."""
        columns = ("annotation", "start", "end", "label", "quote")
        values = ((name, getattr(self, name)) for name in columns)
        return {name: None if value is None else value[rows] for name, value in values}

    def select_segments(self, selection: Bools | Ints, stands_for: Ints | None = None) -> RawCorpus:
        """Select segments, by a mask or indices.

        ``stands_for`` is the row that replaces each segment in relations.
        """
        details = self.details
        if details is not None:
            details = details.select(np.arange(len(self.start))[selection], stands_for)
        return self.replace(**self.select_columns(selection), details=details)

    def select_annotations(self, is_kept: Bools) -> RawCorpus:
        """Select annotations, with their segments and quotes, by a mask."""
        new_index = np.cumsum(is_kept) - 1
        selected = self.select_segments(is_kept[self.annotation])
        return selected.replace(
            annotation=new_index[selected.annotation],
            document_index=self.document_index[is_kept],
            annotator_index=self.annotator_index[is_kept],
            when=None if self.when is None else self.when[is_kept],
            unplaced=self.unplaced and self.unplaced.reindex(np.where(is_kept, new_index, -1)),
        )

    def find_annotator_and_document(self, annotation: int) -> tuple[str, str]:
        """Find the names of the annotator and of the document of an annotation."""
        annotator = self.annotators[self.annotator_index[annotation]]
        return annotator, self.id_of(int(self.document_index[annotation]))


def check_ends(ends: str | None) -> None:
    """Check a choice of :data:`ENDS`."""
    if ends is not None:
        check_choice(ends, ENDS, "ends")


def convert_integer_to_text(value: object) -> object:
    """Convert an integer of up to 64 bits to text; other values are unchanged."""
    if isinstance(value, str):  # the most frequent case
        return value
    return str(value) if is_integer(value) and abs(value) < 1 << 64 else value


def convert_document_id(value: object, location: str) -> str:
    """Convert the id of a document, a string or an integer, to text.

    Raises:
        InputError: if the value is not an id.
    """
    id_ = convert_integer_to_text(value)
    if isinstance(id_, str) and id_:
        return id_
    raise InputError(f"{location}: id {quote_value(id_)}; a string that is not empty is needed")
