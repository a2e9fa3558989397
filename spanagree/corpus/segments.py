"""Segments, documents and layers: the small nouns of a corpus."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np

from spanagree.arrays import Bools, Ints, dense_ranks, entries, in_order, row_order, unique_rows
from spanagree.corpus.details import Pieces, SegmentDetails
from spanagree.corpus.words import WHEN_ASKED, LazyTokens
from spanagree.errors import InputError, SettingError, quote_value

OFFSETS = {"tokens": "offsets count tokens", "characters": "offsets count code points"}
"""What the offsets of a corpus count; of recordings, units of time such as 10ms."""

UNIT_OF_TIME = re.compile(r"([1-9][0-9]{0,5})(s|ms|us|ns)")
"""How a unit of time is written."""


LONGEST = 2**48
"""The most tokens or characters that a corpus may have: sums over them stay exact."""


class Segment(NamedTuple):
    """A marked span: from ``start`` up to but not including ``end``, with a label.

    >>> Segment(3, 5, "PER").end
    5
    """

    start: int
    end: int
    label: str

    @property
    def pieces(self) -> Pieces:
        """Start and end of each piece, from left to right; most segments are one piece."""
        return ((self.start, self.end),)

    @property
    def attributes(self) -> Mapping[str, str]:
        """The values of its attributes, by name."""
        return MappingProxyType({})


class DetailedSegment(Segment):
    """A segment of several pieces, or with attributes; ``start`` and ``end`` are the outermost.

    >>> DetailedSegment(0, 6, "X", ((0, 2), (5, 6)))
    Segment(start=0, end=6, label='X', pieces=((0, 2), (5, 6)))
    """

    _details: tuple[Pieces, Mapping[str, str]]

    def __new__(
        cls,
        start: int,
        end: int,
        label: str,
        pieces: Pieces = (),
        attributes: Mapping[str, str] | None = None,
    ) -> DetailedSegment:
        """Return the segment; without pieces it is one."""
        self = super().__new__(cls, start, end, label)
        self._details = pieces or ((start, end),), dict(attributes or {})
        return self

    @property
    def pieces(self) -> Pieces:
        """Start and end of each piece, from left to right."""
        return self._details[0]

    @property
    def attributes(self) -> Mapping[str, str]:
        """The values of its attributes, by name."""
        return MappingProxyType(self._details[1])

    def __getnewargs__(self) -> tuple[Any, ...]:
        """Return what a copy is made of."""
        return (*self, *self._details)

    def __eq__(self, other: object) -> bool:
        mine = (tuple(self), *self._details)
        if isinstance(other, DetailedSegment):
            return mine == (tuple(other), *other._details)
        return not isinstance(other, Segment) and tuple(self) == other

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = Segment.__hash__

    def _asdict(self) -> dict[str, Any]:
        pieces, attributes = self._details
        more = {"pieces": [list(piece) for piece in pieces]} if len(pieces) > 1 else {}
        return {
            **super()._asdict(),
            **more,
            **({"attributes": dict(attributes)} if attributes else {}),
        }

    def __repr__(self) -> str:
        pieces, attributes = self._details
        more = f", pieces={pieces}" if len(pieces) > 1 else ""
        more += f", attributes={dict(attributes)}" if attributes else ""
        return f"{super().__repr__()[:-1].replace('DetailedSegment', 'Segment')}{more})"


class Relation(NamedTuple):
    """A link between two segments of an annotator, from the first to the second if directed."""

    document: str
    annotator: str
    first: Segment
    second: Segment
    label: str
    directed: bool = True


class AlteredSegment(NamedTuple):
    """A segment that could not be taken over as it was.

    ``kind`` is what was done (expand, contract or drop, or ``duplicate`` where
    it became the same as another); ``after`` is ``None`` where nothing is left of it.

    >>> import spanagree as sa
    >>> words = sa.Corpus.from_segments(
    ...     [7], {"ann": [[(3, 6, "X")]]}, offsets="characters", texts=["No way!"]
    ... ).to_tokens(cut="expand")
    >>> [change] = words.changes
    >>> change.kind, change.before.start, change.after.start
    ('expand', 3, 1)
    """

    kind: str
    document: str
    annotator: str
    before: Segment
    after: Segment | None


@dataclass(frozen=True)
class Document:
    """One document as people read it.

    ``segments`` has an entry for every annotator: a tuple of segments, empty if she saw the
    document and marked nothing, ``None`` if she never saw it. ``relations`` are links between
    them. Nothing in it can be changed.

    >>> import spanagree as sa
    >>> layers = {"ann": [[(0, 2, "PER"), (4, 5, "LOC")]], "bob": [[(0, 2, "PER"), (4, 6, "LOC")]]}
    >>> corpus = sa.Corpus.from_segments([9], layers)
    >>> corpus[0].length, corpus[0].segments["ann"][1].label
    (9, 'LOC')
    """

    id: str
    length: int
    segments: Mapping[str, tuple[Segment, ...] | None]
    tokens: tuple[str, ...] | None = None
    text: str | None = None
    relations: tuple[Relation, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.segments, SegmentsByAnnotator):
            seen = {name: some for name, some in self.segments.items() if some is not None}
            object.__setattr__(
                self, "segments", SegmentsByAnnotator(seen, dict.fromkeys(self.segments))
            )

    @property
    def seen(self) -> Mapping[str, tuple[Segment, ...]]:
        """The segments of those alone who saw the document, in the order of all."""
        assert isinstance(self.segments, SegmentsByAnnotator)  # since it was made
        return MappingProxyType(self.segments.seen)


class SegmentsByAnnotator(Mapping[str, "tuple[Segment, ...] | None"]):
    """What every annotator marked in a document; it cannot be changed, and it pickles.

    Only those who saw the document are kept, as of thousands few may have.
    """

    def __init__(
        self, seen: Mapping[str, tuple[Segment, ...]], names: Mapping[str, object]
    ) -> None:
        """Make it of those who saw the document, in the order of all, and the names of all."""
        self.seen: Mapping[str, tuple[Segment, ...]] = dict(seen)
        self._names = names

    def __getitem__(self, name: str) -> tuple[Segment, ...] | None:
        if name in self.seen:
            return self.seen[name]
        if name in self._names:
            return None
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __repr__(self) -> str:
        return repr(dict(self))


@dataclass(frozen=True, eq=False)
class Layer:
    """What one annotator marked, over all documents of a corpus.

    ``document``, ``start``, ``end``, ``label`` are arrays with one entry per segment, sorted in
    this order; ``label`` indexes the corpus' labels. ``annotated`` has one entry per document:
    whether the annotator saw it. Seen and empty is not the same as never seen. ``details`` say
    which segments have several pieces (``start`` and ``end`` are the outermost), attributes, and
    relations; ``None`` if none has any.

    >>> import spanagree as sa
    >>> layers = {"ann": [[(0, 2, "PER"), (4, 5, "LOC")]], "bob": [[(0, 2, "PER"), (4, 6, "LOC")]]}
    >>> corpus = sa.Corpus.from_segments([9], layers)
    >>> layer = corpus.layers["ann"]
    >>> layer.start.tolist(), layer.label.tolist(), layer.annotated.tolist()
    ([0, 4], [1, 0], [True])
    """

    document: Ints
    start: Ints
    end: Ints
    label: Ints
    annotated: Bools
    details: SegmentDetails | None = None

    def __post_init__(self) -> None:
        keys = (self.document, self.start, self.end, self.label)
        kinds = {np.asarray(column).dtype.kind for column in keys if len(column)}
        if not kinds <= set("iu") or len({len(column) for column in keys}) > 1:
            raise InputError(
                "a layer's document, start, end and label are arrays of whole numbers, of one"
                " length"
            )
        order: Any = slice(None)
        if self.details is not None:  # of equal bounds and labels the shape decides
            if len(self.details) != len(keys[0]):
                raise InputError("the details of a layer are those of each of its segments")
            order = np.lexsort((dense_ranks(self.details.shapes)[self.details.shape], *keys[::-1]))
            object.__setattr__(self, "details", self.details.taken(order))
        elif not in_order(*keys):
            order = row_order(*keys)
        for name in ("document", "start", "end", "label"):
            object.__setattr__(self, name, frozen(getattr(self, name)[order], np.int64))
        object.__setattr__(self, "annotated", frozen(self.annotated, np.bool_))

    def __len__(self) -> int:
        """Return the number of segments."""
        return len(self.document)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Layer):
            return NotImplemented
        return self._details == other._details and all(
            np.array_equal(getattr(self, name), getattr(other, name))
            for name in self.__dataclass_fields__
            if name != "details"
        )

    __hash__: ClassVar[None] = None  # type: ignore[assignment]  # compared by content, and arrays have no hash

    @property
    def _details(self) -> Any:
        """The details in a form that can be compared."""
        return None if self.details is None else self.details.content()

    @property
    def shape(self) -> Ints:
        """Of each segment 0 if it is one piece, else a number of its own for each shape."""
        return np.zeros(len(self), np.int64) if self.details is None else self.details.shape

    def segment(self, row: int, labels: Sequence[str]) -> Segment:
        """Return a segment by its row, with its pieces and attributes."""
        start, end, label = (int(x[row]) for x in (self.start, self.end, self.label))
        if self.details is None:
            return Segment(start, end, labels[label])
        shape = self.details.shapes[self.details.shape[row]]
        attributes = self.details.attributes_of(row)
        if not (shape or attributes):
            return Segment(start, end, labels[label])
        pieces = tuple((start + s, start + e) for s, e in shape)
        return DetailedSegment(start, end, labels[label], pieces, attributes)

    def segments(self, low: int, high: int, labels: Sequence[str]) -> tuple[Segment, ...]:
        """Return the segments from one row up to another."""
        if self.details is not None:
            return tuple(self.segment(row, labels) for row in range(low, high))
        columns = (column[low:high].tolist() for column in (self.start, self.end, self.label))
        return tuple(Segment(start, end, labels[i]) for start, end, i in zip(*columns, strict=True))

    def describe(self, rows: Iterable[int], labels: Sequence[str]) -> str:
        """Return some segments in words, for errors."""
        columns = (self.start, self.end, self.label)
        some = ((int(column[i]) for column in columns) for i in rows)
        return " and ".join(
            f"{start}–{end} {quote_value(labels[label])}" for start, end, label in some
        )

    def only(self, keep: Bools) -> Layer:
        """Return the segments for which ``keep`` is true; who saw what stays."""
        details = self.details and self.details.taken(np.arange(len(self))[keep])
        columns = (self.document[keep], self.start[keep], self.end[keep], self.label[keep])
        return Layer(*columns, self.annotated, details)


class SegmentColumns(NamedTuple):
    """The segments of several layers: document, start, end, label, and the number of the layer."""

    document: Ints
    start: Ints
    end: Ints
    label: Ints
    layer: Ints


def by_layer(column: Ints, layers: Sequence[Layer]) -> list[Ints]:
    """Split a column of the segments of all layers, one layer after the other, by layer."""
    return np.split(column, np.cumsum([len(layer) for layer in layers])[:-1])


def columns_of_all(layers: Iterable[Layer]) -> SegmentColumns:
    """Return the segments of all layers, one layer after the other."""
    every = list(layers)
    nothing = np.zeros(0, np.int64)
    document, start, end, label = (
        np.concatenate([nothing, *(getattr(layer, name) for layer in every)])
        for name in SegmentColumns._fields[:4]
    )
    number = np.repeat(np.arange(len(every)), [len(layer) for layer in every])
    return SegmentColumns(document, start, end, label, number)


_Content = TypeVar("_Content", bound="Content")


@dataclass(frozen=True, eq=False)
class Content:
    """What the documents are, apart from the segments in them: what sources and corpora share.

    The attributes are those of a :class:`~spanagree.corpus.corpus.Corpus`. Classes that inherit
    from this have ``offsets`` too.
    """

    lengths: Ints
    _: KW_ONLY
    ids: tuple[str, ...] | None = None
    tokens: LazyTokens = WHEN_ASKED
    texts: tuple[str, ...] | None = None
    token_starts: Ints | None = None
    parent_ids: Ints | None = None
    text_ends: tuple[Ints, ...] | None = None
    reading: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    seen_unknown: tuple[str, ...] = ()

    @property
    def content(self) -> dict[str, Any]:
        """All attributes but the lengths, by name, and ``offsets``."""
        _, *names = Content.__dataclass_fields__
        return {name: vars(self)[name] for name in ("offsets", *names)}

    def but(self: _Content, **changes: Any) -> _Content:
        """Copy with other values, under the name that :meth:`replace` had before 1.0."""
        return self.replace(**changes)

    def replace(self: _Content, **changes: Any) -> _Content:
        """Return a copy with other values of some attributes; it does not decode the tokens."""
        given = {attribute.name: vars(self)[attribute.name] for attribute in fields(self)}
        return type(self)(**{**given, **changes})

    @cached_property
    def starts(self) -> Ints:
        """Per document, how many tokens or characters come before it."""
        return np.cumsum(self.lengths) - self.lengths

    def content_of(self, documents: Ints) -> dict[str, Any]:
        """Return the content of some documents by name, in the order given."""
        known = self.tokens is not None
        tokens = entries(self.lengths, documents) if known else documents[:0]
        rows = {"ids": documents, "texts": documents, "text_ends": documents, "tokens": tokens}
        taken: dict[str, Any] = {
            name: None
            if (values := getattr(self, name)) is None
            else tuple(values[i] for i in which.tolist())
            for name, which in rows.items()
        }
        starts = None if self.token_starts is None else self.token_starts[tokens]
        taken["parent_ids"] = None if self.parent_ids is None else self.parent_ids[documents]
        return {"lengths": self.lengths[documents], "token_starts": starts, **taken}

    def known(self, what: str, purpose: str) -> tuple[str, ...]:
        """Return the tokens or texts, which a purpose needs.

        Raises:
            SettingError: if they are not known.
        """
        if getattr(self, what) is None:
            raise SettingError(
                f"the {what} are not known; {purpose} needs them: read the corpus with its {what}"
            )
        return tuple(getattr(self, what))

    def id_of(self, index: int) -> str:
        """Return the name of a document: its id, or its number from 1."""
        return str(index + 1) if self.ids is None else self.ids[index]

    def tokens_of(self, index: int) -> tuple[str, ...]:
        """Return the tokens of a document, where they are known."""
        first = int(self.starts[index])
        return (self.tokens or ())[first : first + int(self.lengths[index])]


class RawLayer(NamedTuple):
    """A layer as a reader gives it: ``label`` indexes the layer's own ``names``."""

    document: Ints
    start: Ints
    end: Ints
    label: Ints
    names: tuple[str, ...]
    annotated: Bools
    details: SegmentDetails | None = None


class Vocabulary(dict[str, int]):
    """Numbers words as they come: ``map(vocabulary.__getitem__, words)`` runs without a loop."""

    def __missing__(self, word: str) -> int:
        number = self[word] = len(self)
        return number


def codes(names: Iterable[str]) -> tuple[Ints, tuple[str, ...]]:
    """Return names as numbers, and the distinct names, in the order in which they first occur.

    >>> codes(["PER", "LOC", "PER"])
    (array([0, 1, 0]), ('PER', 'LOC'))
    """
    number = Vocabulary()
    return np.fromiter(map(number.__getitem__, names), np.int64), tuple(number)


def frozen(values: Any, dtype: type) -> Any:
    """Return a copy of the values that cannot be written to."""
    array: Any = np.array(values, dtype=dtype)
    array.setflags(write=False)
    return array


def is_time(offsets: str) -> bool:
    """Return whether offsets count units of time.

    >>> is_time("10ms"), is_time("tokens")
    (True, False)
    """
    return UNIT_OF_TIME.fullmatch(offsets) is not None


def overlapping(cell: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints]:
    """Return the segments that share tokens with an earlier one of their cell, and those earlier.

    Segments come in the order of cell and start, the longest first. Of all that are earlier in
    the cell, the one is given that reaches furthest. Cells are numbered from 0.

    >>> cell, start, end = np.array([0, 0, 0, 1]), np.array([0, 4, 2, 3]), np.array([3, 6, 3, 9])
    >>> [x.tolist() for x in overlapping(cell, start, end)]
    [[2], [0]]
    """
    count = len(start)
    if count < 2:
        return np.zeros((2, 0), np.int64)[0], np.zeros(0, np.int64)
    cell = np.asarray(cell, np.int64)  # of fewer bits in what a reader gives
    bounds = np.concatenate((start, end), dtype=np.int64)
    if (int(np.abs(bounds).max()) + 1) * (int(cell.max()) + 1) >= 2**61:
        bounds = np.unique(bounds, return_inverse=True)[1].reshape(-1)  # as ranks they fit
    bounds = bounds - bounds.min()
    order = row_order(cell, bounds[:count], -bounds[count:])
    # every cell has a stretch of its own on one long line
    line = np.tile(cell * (bounds.max() + 1), 2) + bounds
    first, last = line[:count][order], line[count:][order]
    reach = np.maximum.accumulate(last)
    later = np.flatnonzero(first[1:] < reach[:-1]) + 1
    furthest = np.maximum.accumulate(np.where(last == reach, np.arange(count), 0))
    return order[later], order[furthest[later - 1]]


def first_overlap(layer: Layer, label: Ints) -> tuple[int, int] | None:
    """Return the first two segments of a document (and label) that share a token."""
    _, cell, _ = unique_rows(layer.document, label)
    later, earlier = overlapping(cell, layer.start, layer.end)
    return (int(earlier[0]), int(later[0])) if len(later) else None


def first_twins(layer: Layer) -> tuple[int, int] | None:
    """Return the first two segments of a document with the same start and end."""
    columns = (layer.document, layer.start, layer.end, layer.shape)
    same = np.logical_and.reduce([np.diff(column) == 0 for column in columns])
    first = np.flatnonzero(same)[:1].tolist()
    return (first[0], first[0] + 1) if first else None
