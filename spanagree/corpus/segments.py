"""Segments, layers, and the content of documents: the elements of a corpus."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, fields
from functools import cached_property
from itertools import pairwise
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np

from spanagree.arrays import (
    Bools,
    Ints,
    argsort_rows,
    dense_ranks,
    find_entries,
    freeze_array,
    is_sorted,
    unique_rows,
)
from spanagree.corpus.details import Pieces, SegmentDetails
from spanagree.errors import InputError, SettingError, quote_value

OFFSETS = {"tokens": "offsets count tokens", "characters": "offsets count code points"}
"""Units that the offsets of a corpus count; for recordings, units of time such as 10ms."""

UNIT_OF_TIME = re.compile(r"([1-9][0-9]{0,5})(s|ms|us|ns)")
"""Spelling of a unit of time."""

LONGEST = 2**48
"""Largest number of tokens or characters of a corpus, up to which sums stay exact."""


class Segment(NamedTuple):
    """A labelled span, from ``start`` up to but not including ``end``.

    >>> Segment(3, 5, "PER").end
    5
    """

    start: int
    end: int
    label: str

    @property
    def pieces(self) -> Pieces:
        """Start and end of each piece, from left to right; most segments have one piece."""
        return ((self.start, self.end),)

    @property
    def attributes(self) -> Mapping[str, str]:
        """Values of the attributes of the segment, by name."""
        return MappingProxyType({})


class DetailedSegment(Segment):
    """A segment with several pieces or attributes; ``start`` and ``end`` are the outermost bounds.

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
        """Create the segment; without `pieces` it has one, from `start` to `end`."""
        self = super().__new__(cls, start, end, label)
        self._details = pieces or ((start, end),), dict(attributes or {})
        return self

    @property
    def pieces(self) -> Pieces:
        """Start and end of each piece, from left to right."""
        return self._details[0]

    @property
    def attributes(self) -> Mapping[str, str]:
        """Values of the attributes of the segment, by name."""
        return MappingProxyType(self._details[1])

    def __getnewargs__(self) -> tuple[Any, ...]:
        """Return the arguments with which a copy is created."""
        return (*self, *self._details)

    def __eq__(self, other: object) -> bool:
        own_content = (tuple(self), *self._details)
        if isinstance(other, DetailedSegment):
            return own_content == (tuple(other), *other._details)
        return not isinstance(other, Segment) and tuple(self) == other

    def __ne__(self, other: object) -> bool:
        return not self == other

    __hash__ = Segment.__hash__

    def _asdict(self) -> dict[str, Any]:
        pieces, attributes = self._details
        pieces_entry = {"pieces": [list(piece) for piece in pieces]} if len(pieces) > 1 else {}
        return {
            **super()._asdict(),
            **pieces_entry,
            **({"attributes": dict(attributes)} if attributes else {}),
        }

    def __repr__(self) -> str:
        pieces, attributes = self._details
        details_text = f", pieces={pieces}" if len(pieces) > 1 else ""
        details_text += f", attributes={dict(attributes)}" if attributes else ""
        return f"{super().__repr__()[:-1].replace('DetailedSegment', 'Segment')}{details_text})"


class AlteredSegment(NamedTuple):
    """A segment that was changed or dropped when the corpus was converted.

    ``kind`` is the change: expand, contract or drop, or ``duplicate`` if the segment became equal
    to another. ``after`` is ``None`` if the segment was dropped.

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


@dataclass(frozen=True, eq=False)
class Layer:
    """Segments of one annotator in all documents of a corpus.

    ``document``, ``start``, ``end`` and ``label`` are arrays with one entry per segment, sorted in
    this order; ``label`` is an index into the labels of the corpus. ``annotated`` is a mask of the
    documents that the annotator saw; to see a document and mark nothing differs from never seeing
    it. ``details`` stores several pieces per segment (``start`` and ``end`` are the outermost
    bounds), attributes and relations; ``None`` if no segment has any.

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
        columns = (self.document, self.start, self.end, self.label)
        dtype_kinds = {np.asarray(column).dtype.kind for column in columns if len(column)}
        if not dtype_kinds <= set("iu") or len({len(column) for column in columns}) > 1:
            raise InputError(
                "a layer's document, start, end and label are arrays of whole numbers, of one"
                " length"
            )
        order: Any = slice(None)
        if self.details is not None:  # shapes order segments with equal bounds and labels
            if len(self.details) != len(columns[0]):
                raise InputError("the details of a layer are those of each of its segments")
            order = np.lexsort(
                (dense_ranks(self.details.shapes)[self.details.shape], *columns[::-1])
            )
            object.__setattr__(self, "details", self.details.select(order))
        elif not is_sorted(*columns):
            order = argsort_rows(*columns)
        for name in ("document", "start", "end", "label"):
            object.__setattr__(self, name, freeze_array(getattr(self, name)[order], np.int64))
        object.__setattr__(self, "annotated", freeze_array(self.annotated, np.bool_))

    def __len__(self) -> int:
        """Return the number of segments."""
        return len(self.document)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Layer):
            return NotImplemented
        return self._comparable_details == other._comparable_details and all(
            np.array_equal(getattr(self, name), getattr(other, name))
            for name in self.__dataclass_fields__
            if name != "details"
        )

    __hash__: ClassVar[None] = None  # type: ignore[assignment]  # compared by content, and arrays have no hash

    @property
    def _comparable_details(self) -> Any:
        """Details in a form that can be compared."""
        return None if self.details is None else self.details.build_comparable_content()

    @property
    def shape(self) -> Ints:
        """Code of the shape of each segment: 0 for one piece, else equal codes for equal shapes."""
        return np.zeros(len(self), np.int64) if self.details is None else self.details.shape

    def segment(self, row: int, labels: Sequence[str]) -> Segment:
        """Build the segment in a row, with its pieces and attributes."""
        start, end, label = (int(column[row]) for column in (self.start, self.end, self.label))
        if self.details is None:
            return Segment(start, end, labels[label])
        shape = self.details.shapes[self.details.shape[row]]
        attributes = self.details.collect_attributes(row)
        if not (shape or attributes):
            return Segment(start, end, labels[label])
        pieces = tuple((start + s, start + e) for s, e in shape)
        return DetailedSegment(start, end, labels[label], pieces, attributes)

    def segments(self, low: int, high: int, labels: Sequence[str]) -> tuple[Segment, ...]:
        """Build the segments in the rows from ``low`` up to ``high``."""
        if self.details is not None:
            return tuple(self.segment(row, labels) for row in range(low, high))
        columns = (column[low:high].tolist() for column in (self.start, self.end, self.label))
        return tuple(Segment(start, end, labels[i]) for start, end, i in zip(*columns, strict=True))

    def describe(self, rows: Iterable[int], labels: Sequence[str]) -> str:
        """Describe segments in an error message."""
        columns = (self.start, self.end, self.label)
        bounds_and_labels = ((int(column[i]) for column in columns) for i in rows)
        return " and ".join(
            f"{start}–{end} {quote_value(labels[label])}" for start, end, label in bounds_and_labels
        )

    def only(self, keep: Bools) -> Layer:
        """Select the segments for which ``keep`` is True; the documents that were seen stay."""
        details = self.details and self.details.select(np.arange(len(self))[keep])
        columns = (self.document[keep], self.start[keep], self.end[keep], self.label[keep])
        return Layer(*columns, self.annotated, details)


class SegmentColumns(NamedTuple):
    """Columns of the segments of several layers; ``layer`` is the index of the layer."""

    document: Ints
    start: Ints
    end: Ints
    label: Ints
    layer: Ints


def split_by_layer(column: Ints, layers: Sequence[Layer]) -> list[Ints]:
    """Split a column of the segments of all layers, concatenated by layer, into a list by layer."""
    return np.split(column, np.cumsum([len(layer) for layer in layers])[:-1])


def concatenate_segments(layers: Iterable[Layer]) -> SegmentColumns:
    """Concatenate the segments of all layers, one layer after the other."""
    all_layers = list(layers)
    empty = np.zeros(0, np.int64)
    document, start, end, label = (
        np.concatenate([empty, *(getattr(layer, name) for layer in all_layers)])
        for name in SegmentColumns._fields[:4]
    )
    layer_index = np.repeat(np.arange(len(all_layers)), [len(layer) for layer in all_layers])
    return SegmentColumns(document, start, end, label, layer_index)


# --- content of documents -------------------------------------------------------------------------

_END = ord("\n")

_PORTION = 1 << 20  # number of bytes that are split together


class TokenBytes(Sequence[str]):
    """Tokens as bytes, equal to any other sequence with the same strings.

    >>> words = TokenBytes(b"Jo\\nsings\\n", 2)
    >>> words == ("Jo", "sings"), words[1], len(words)
    (True, 'sings', 2)
    """

    def __init__(self, joined: bytes, count: int) -> None:
        """Store tokens that are each followed by a newline, and contain none."""
        self._joined, self._count = joined, count

    def __len__(self) -> int:
        return self._count

    def __getitem__(self, index: Any) -> Any:
        return self._words[index]

    def __iter__(self) -> Iterator[str]:
        return iter(self._words)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, TokenBytes):
            return self._joined == other._joined
        return self._words == other

    __hash__: ClassVar[None] = None  # type: ignore[assignment]  # compared by content

    def find_differences(self, other: TokenBytes) -> list[int]:
        """Find the indices at which two token sequences differ, up to the end of the shorter.

        >>> longer = TokenBytes(b"Jo\\nsings\\nme\\nso\\n", 4)
        >>> TokenBytes(b"Jo\\nsang\\nto\\n", 3).find_differences(longer)
        [1, 2]
        """
        n_compared = min(len(self), len(other))
        byte_arrays = [np.frombuffer(words._joined, np.uint8) for words in (self, other)]
        ends = [np.flatnonzero(text == _END)[:n_compared] for text in byte_arrays]
        sizes = [np.diff(end, prepend=-1) for end in ends]
        is_different = sizes[0] != sizes[1]
        comparable = [
            text[: size.sum()][np.repeat(~is_different, size)]
            for text, size in zip(byte_arrays, sizes, strict=True)
        ]
        size = sizes[0][~is_different]  # no token is empty, with its newline
        if len(size):
            other_bytes = np.logical_or.reduceat(
                comparable[0] != comparable[1], np.cumsum(size) - size
            )
            is_different[~is_different] = other_bytes
        return np.flatnonzero(is_different).tolist()

    @classmethod
    def concatenate(cls, parts: Sequence[TokenBytes]) -> TokenBytes:
        """Concatenate token sequences.

        >>> TokenBytes.concatenate([TokenBytes(b"Jo\\n", 1), TokenBytes(b"sings\\n", 1)])[:]
        ('Jo', 'sings')
        """
        return cls(b"".join(part._joined for part in parts), sum(map(len, parts)))

    def join_documents(self, lengths: Ints) -> list[str]:
        """Join the tokens of each document with newlines.

        >>> TokenBytes(b"Jo\\nsings\\nmore\\n", 3).join_documents(np.array([2, 0, 1]))
        ['Jo\\nsings', '', 'more']
        """
        ends = np.flatnonzero(np.frombuffer(self._joined, np.uint8) == _END)
        bounds = np.append(0, ends + 1)[np.append(0, np.cumsum(lengths))].tolist()
        return [
            self._joined[start : max(start, end - 1)].decode(errors="surrogatepass")
            for start, end in pairwise(bounds)
        ]

    @cached_property
    def _words(self) -> tuple[str, ...]:
        """Tokens as strings; equal tokens share one string."""
        interned: dict[str, str] = {}
        words: list[str] = []
        position = 0
        while position < len(self._joined):
            end = self._joined.find(b"\n", position + _PORTION) + 1 or len(self._joined)
            new_words = self._joined[position:end].decode(errors="surrogatepass").split("\n")[:-1]
            words += map(interned.setdefault, new_words, new_words)
            position = end
        return tuple(words)


class LazyTokens:
    """Descriptor of the tokens of a corpus; :class:`TokenBytes` become a tuple at first access."""

    def __get__(self, content: object, owner: object = None) -> tuple[str, ...] | None:
        if content is None:
            return None  # default of the field
        words: tuple[str, ...] | TokenBytes | None = vars(content)["tokens"]
        if isinstance(words, TokenBytes):
            words = vars(content)["tokens"] = tuple(words)
        return words

    def __set__(self, content: object, words: Sequence[str] | None) -> None:
        vars(content)["tokens"] = words


WHEN_ASKED = LazyTokens()

_Content = TypeVar("_Content", bound="Content")


@dataclass(frozen=True, eq=False)
class Content:
    """Content of documents without the segments; the base of raw corpora and corpora.

    The attributes are those of :class:`~spanagree.corpus.corpus.Corpus`. Subclasses define
    ``offsets``.
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
        """All attributes except ``lengths``, by name, and ``offsets``."""
        _, *names = Content.__dataclass_fields__
        return {name: vars(self)[name] for name in ("offsets", *names)}

    def but(self: _Content, **changes: Any) -> _Content:
        """Copy with other values, under the name that :meth:`replace` had before 1.0."""
        return self.replace(**changes)

    def replace(self: _Content, **changes: Any) -> _Content:
        """Copy with new values of some attributes; tokens are not decoded."""
        values = {attribute.name: vars(self)[attribute.name] for attribute in fields(self)}
        return type(self)(**{**values, **changes})

    @cached_property
    def starts(self) -> Ints:
        """Number of tokens or characters before each document."""
        return np.cumsum(self.lengths) - self.lengths

    def content_of(self, documents: Ints) -> dict[str, Any]:
        """Select the content of documents, by name, in the order of `documents`.

        If all documents are selected in their order, tokens are not decoded.
        """
        names = ("lengths", "token_starts", "ids", "texts", "text_ends", "tokens", "parent_ids")
        if np.array_equal(documents, np.arange(len(self.lengths))):
            return {name: vars(self)[name] for name in names}
        has_tokens = self.tokens is not None
        tokens = find_entries(self.lengths, documents) if has_tokens else documents[:0]
        rows = {"ids": documents, "texts": documents, "text_ends": documents, "tokens": tokens}
        selected_content: dict[str, Any] = {
            name: None
            if (values := getattr(self, name)) is None
            else tuple(values[i] for i in indices.tolist())
            for name, indices in rows.items()
        }
        starts = None if self.token_starts is None else self.token_starts[tokens]
        selected_content["parent_ids"] = (
            None if self.parent_ids is None else self.parent_ids[documents]
        )
        return {"lengths": self.lengths[documents], "token_starts": starts, **selected_content}

    def join_tokens(self) -> list[str] | None:
        """Join the tokens of each document with newlines; ``None`` if tokens are unknown."""
        tokens = vars(self)["tokens"]
        if tokens is None:
            return None
        if isinstance(tokens, TokenBytes):
            return tokens.join_documents(self.lengths)
        return ["\n".join(self.tokens_of(d)) for d in range(len(self.lengths))]

    def known(self, what: str, purpose: str) -> tuple[str, ...]:
        """Return tokens or texts, or raise an error that names the purpose.

        Raises:
            SettingError: if they are unknown.
        """
        if getattr(self, what) is None:
            raise SettingError(
                f"the {what} are not known; {purpose} needs them: read the corpus with its {what}"
            )
        return tuple(getattr(self, what))

    def id_of(self, index: int) -> str:
        """Return the name of a document: its id, or its position from 1."""
        return str(index + 1) if self.ids is None else self.ids[index]

    def tokens_of(self, index: int) -> tuple[str, ...]:
        """Return the tokens of a document; empty if tokens are unknown."""
        first = int(self.starts[index])
        return (self.tokens or ())[first : first + int(self.lengths[index])]


class RawLayer(NamedTuple):
    """A layer from a reader; ``label`` is an index into the layer's own ``names``."""

    document: Ints
    start: Ints
    end: Ints
    label: Ints
    names: tuple[str, ...]
    annotated: Bools
    details: SegmentDetails | None = None


def is_time(offsets: str) -> bool:
    """Check if offsets count units of time.

    >>> is_time("10ms"), is_time("tokens")
    (True, False)
    """
    return UNIT_OF_TIME.fullmatch(offsets) is not None


def write_in_units(text: str, offsets: str) -> str:
    """Write a text on tokens with the unit that offsets count in their place.

    >>> write_in_units("shared tokens; share a token", "characters")
    'shared characters; share a character'
    >>> write_in_units("shared tokens; share a token", "10ms")
    'shared units of 10ms; share a unit of 10ms'
    """
    units = f"units of {offsets}" if is_time(offsets) else offsets
    unit = f"unit of {offsets}" if is_time(offsets) else offsets.removesuffix("s")
    return text.replace("tokens", units).replace("token", unit)


def find_overlapping(cell: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints]:
    """Find the segments that share tokens with an earlier segment of the same cell.

    ``cell`` numbers the groups within which segments are compared, such as documents, from 0.
    Within a cell, segments are ordered by start, the longest first.

    Returns:
        The rows of these segments, and for each the row of an earlier segment that it overlaps: if
        there are several, of the segment that ends last.

    >>> cell, start, end = np.array([0, 0, 0, 1]), np.array([0, 4, 2, 3]), np.array([3, 6, 3, 9])
    >>> [x.tolist() for x in find_overlapping(cell, start, end)]
    [[2], [0]]
    """
    n_segments = len(start)
    if n_segments < 2:
        return np.zeros((2, 0), np.int64)[0], np.zeros(0, np.int64)
    cell = np.asarray(cell, np.int64)  # readers use smaller integers
    bounds = np.concatenate((start, end), dtype=np.int64)
    if (int(np.abs(bounds).max()) + 1) * (int(cell.max()) + 1) >= 2**61:
        bounds = np.unique(bounds, return_inverse=True)[1].reshape(
            -1
        )  # ranks are small enough to be shifted
    bounds = bounds - bounds.min()
    order = argsort_rows(cell, bounds[:n_segments], -bounds[n_segments:])
    # bounds of each cell are shifted to a range of its own, so that one pass handles all cells
    shifted_bounds = np.tile(cell * (bounds.max() + 1), 2) + bounds
    ordered_start, ordered_end = (
        shifted_bounds[:n_segments][order],
        shifted_bounds[n_segments:][order],
    )
    reach = np.maximum.accumulate(ordered_end)
    later = np.flatnonzero(ordered_start[1:] < reach[:-1]) + 1
    furthest = np.maximum.accumulate(np.where(ordered_end == reach, np.arange(n_segments), 0))
    return order[later], order[furthest[later - 1]]


def find_first_overlap(layer: Layer, label: Ints) -> tuple[int, int] | None:
    """Find the first two segments with a shared token within a document (and label)."""
    _, cell, _ = unique_rows(layer.document, label)
    later, earlier = find_overlapping(cell, layer.start, layer.end)
    return (int(earlier[0]), int(later[0])) if len(later) else None


def find_first_twins(layer: Layer) -> tuple[int, int] | None:
    """Find the first two segments of a document with the same start, end and pieces."""
    columns = (layer.document, layer.start, layer.end, layer.shape)
    equals_next = np.logical_and.reduce([np.diff(column) == 0 for column in columns])
    first_row = np.flatnonzero(equals_next)[:1].tolist()
    return (first_row[0], first_row[0] + 1) if first_row else None
