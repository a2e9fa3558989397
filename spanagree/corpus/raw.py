"""What a source says, row by row, before it is checked.

A :class:`~spanagree.corpus.corpus.Corpus` is always valid. Real files are not, so every reader
first makes a :class:`RawCorpus`, which holds whatever the source says;
:func:`spanagree.corpus.repairs.valid_corpus` makes a corpus of it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from spanagree.arrays import Bools, Floats, Ints, compact, dense_ranks, group_indices
from spanagree.corpus.details import RelationTable, SegmentDetails, joined
from spanagree.corpus.segments import Content, Layer, RawLayer, Vocabulary
from spanagree.errors import check_choice

if TYPE_CHECKING:
    from spanagree.corpus.balance import Balance
    from spanagree.corpus.unplaced import UnplacedQuotes

ENDS = {
    "exclusive": "an end is that of the first token or character behind the span",
    "inclusive": "an end is that of the last token or character of the span",
}
"""What the end of a span names."""

UNKNOWN, STANDS = -2, -1
"""In place of the number of a quote: none is known, or it stands where the offsets say."""

ABSENT = {
    "unseen": "the annotator never saw the document",
    "unmarked": "the annotator saw the document, and marked nothing",
}
"""What a document without rows of an annotator means, where the source does not say."""


_NO_LINKS = RelationTable.of(())


def check_absent(absent: str | None) -> None:
    """Refuse an unknown choice of :data:`ABSENT`.

    Raises:
        SettingError: naming those that are known.
    """
    if absent is not None:
        check_choice(absent, ABSENT, "absent")


def reading_of(reading: Mapping[str, Any], names: Collection[str]) -> dict[str, Any]:
    """Return the settings of reading for some of the annotators: of quotes, theirs are counted.

    >>> reading_of({"quotes": {"a": {"read": 1, "unaligned": 0}}, "strict": False}, ["b"])
    {'strict': False}
    """
    counts = {name: count for name, count in reading.get("quotes", {}).items() if name in names}
    others = {key: value for key, value in reading.items() if key != "quotes"}
    return {**others, **({"quotes": counts} if counts else {})}


@dataclass(frozen=True, eq=False)
class RawCorpus(Content):
    """The rows of a source, unchecked.

    An *annotation* is one annotator's pass over one document; a source may wrongly have two of the
    same. ``label`` is −1 where a segment has none.

    Attributes:
        lengths: per document, its length.
        annotators: the names, in the order met.
        document_index, annotator_index: per annotation, its document and its annotator.
        annotation, start, end, label: per segment.
        labels: the names of the labels, in the order met.
        when: per annotation, its time in seconds, NaN where it is unknown; ``None`` for all.
        quote: per segment, what is known of the text that the source says to stand there: nothing,
            that it does, or the number of it in ``quotes`` if it does not
            (:mod:`spanagree.corpus.offsets`); ``None`` for all: nothing.
        quotes: the texts of segments that are misplaced.
        ends: what the end of a segment named in the source, one of
            :data:`spanagree.corpus.raw.ENDS`; ``None``: nobody said, and nothing shows it.
        details: the pieces, attributes and relations of segments; ``None`` if there are none.
        balance: the number of things in the source, and what became of each.
        unplaced: quotes that are not in the text, by annotation; ``None`` if there are none.
        offsets, ids, tokens, texts, token_starts, reading, notes: as in a corpus.
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
        """Return the rows of layers that number labels each in its own way."""
        seen = np.array([layer.annotated for layer in layers.values()], np.bool_)
        seen = seen.reshape(len(layers), len(lengths))
        number = np.cumsum(seen).reshape(seen.shape) - 1
        labels = Vocabulary()
        rows: list[tuple[Ints, ...]] = [(compact(np.zeros(0, np.int64)),) * 4]
        for numbers, layer in zip(number, layers.values(), strict=True):
            united = np.array([labels[name] for name in layer.names], np.int64)
            row = numbers[layer.document], layer.start, layer.end, united[layer.label]
            rows.append(tuple(map(compact, row)))
        annotation, start, end, label = map(np.concatenate, zip(*rows, strict=True))
        del rows
        parts = [(layer.details, len(layer.start)) for layer in layers.values()]
        content["details"] = joined(parts)
        if unplaced:
            numbers_of = dict(zip(layers, number, strict=True))
            quotes = [(part.moved(numbers_of[name]), 0) for name, part in unplaced.items()]
            content["unplaced"] = next(iter(unplaced.values())).joined(quotes)
        annotator, document = np.nonzero(seen)
        columns = (document, annotator, annotation, start, end, label)
        return cls(lengths, tuple(layers), *columns, tuple(labels), **content)

    def layers(self) -> Iterator[tuple[str, Layer]]:
        """Yield each annotator with what she marked; labels are numbered as they are sorted."""
        number = dense_ranks(self.labels)
        rows: list[Any] = [slice(None)]  # not copied
        if len(self.annotators) != 1:
            rows = group_indices(self.annotator_index[self.annotation], len(self.annotators))
        seen = group_indices(self.annotator_index, len(self.annotators))
        for name, mine, documents in zip(self.annotators, rows, seen, strict=True):
            annotated = np.zeros(len(self.lengths), np.bool_)
            annotated[self.document_index[documents]] = True
            document = self.document_index[self.annotation[mine]]
            bounds = self.start[mine], self.end[mine]
            details = self.details
            if details is not None and isinstance(mine, np.ndarray):
                details = details.taken(mine)
            yield name, Layer(document, *bounds, number[self.label[mine]], annotated, details)

    def unplaced_by_annotator(self) -> dict[str, UnplacedQuotes]:
        """Return the quotes that are not in the text, by annotator and document."""
        if self.unplaced is None:
            return {}
        annotators = self.annotator_index[self.unplaced.at]
        return {
            self.annotators[a]: self.unplaced.taken(annotators == a).moved(self.document_index)
            for a in np.unique(annotators).tolist()
        }

    @property
    def document(self) -> Ints:
        """Per segment, its document."""
        return self.document_index[self.annotation]

    @property
    def links(self) -> RelationTable:
        """The relations between segments."""
        return _NO_LINKS if self.details is None else self.details.links

    def relation_label(self, relation: int) -> str:
        """Return the label of a relation, by its number."""
        assert self.details is not None  # since it has relations
        return self.details.relation_labels[self.links.label[relation]]

    @property
    def misplaced(self) -> Bools:
        """Per segment, whether the text that the source gives it is not what stands there."""
        none = np.zeros(len(self.start), np.bool_)
        return none if self.quote is None else np.asarray(self.quote >= 0)

    def what_stands(self, segment: int) -> tuple[str | Sequence[str], int, int]:
        """Return the text or tokens of a segment's document, and its start and end in them."""
        d = int(self.document[segment])
        start, end = int(self.start[segment]), int(self.end[segment])
        if self.offsets == "tokens":
            return self.tokens_of(d), start, end
        return ("" if self.texts is None else self.texts[d]), start, end

    def segments_kept(self, kept: Bools | Ints) -> dict[str, Any]:
        """Return the columns of some of the segments, by name."""
        columns = ("annotation", "start", "end", "label", "quote")
        values = ((name, getattr(self, name)) for name in columns)
        return {name: None if value is None else value[kept] for name, value in values}

    def place_of(self, annotation: int) -> tuple[str, str]:
        """Return annotator and document of an annotation."""
        annotator = self.annotators[self.annotator_index[annotation]]
        return annotator, self.id_of(int(self.document_index[annotation]))


def check_ends(ends: str | None) -> None:
    """Refuse an unknown choice of :data:`ENDS`."""
    if ends is not None:
        check_choice(ends, ENDS, "ends")
