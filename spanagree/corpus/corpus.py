"""Corpora: documents with the segments of each annotator.

A corpus is columnar: for each annotator one :class:`Layer` of NumPy arrays over all documents.
Documents (:mod:`spanagree.corpus.documents`) are views for reading. A corpus is validated when it
is created, and read-only afterwards. Offsets are half-open, in tokens or in characters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType, NoneType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from spanagree.arrays import Bools, Ints, freeze_array, unique_rows
from spanagree.corpus.raw import RawCorpus, select_reading
from spanagree.corpus.segments import (
    LONGEST,
    OFFSETS,
    UNIT_OF_TIME,
    AlteredSegment,
    Content,
    Layer,
    RawLayer,
    TokenBytes,
    concatenate_segments,
    find_overlapping,
)
from spanagree.errors import (
    InputError,
    SettingError,
    check_annotator_names,
    check_choice,
    escape_name,
    invalid_value,
    pluralize,
    quote_value,
)

if TYPE_CHECKING:
    from spanagree.choices import Cut, Offsets
    from spanagree.corpus.documents import AnnotationsByDocument, Document, Relation
    from spanagree.corpus.unplaced import UnplacedQuotes
    from spanagree.files import PathName


# --- validation of a corpus -----------------------------------------------------------------------


def check_content(corpus: Content, offsets: str, labels: Sequence[str]) -> None:
    """Check lengths, ids, tokens, texts and labels.

    Raises:
        InputError: if a value is not valid; the message names the first.
    """
    if not (isinstance(offsets, str) and UNIT_OF_TIME.fullmatch(offsets)):
        check_choice(offsets, OFFSETS, "offsets")
    size = float(corpus.lengths.sum(dtype=np.float64))
    if size > LONGEST:
        raise InputError(
            f"the documents have {size:.3g} {offsets}; more than {LONGEST:.3g} are not supported"
        )
    for d in np.flatnonzero(corpus.lengths < 0)[:1].tolist():
        raise InputError(
            f"document {quote_value(corpus.id_of(d))}: length {corpus.lengths[d]}; at least 0 is"
            " allowed"
        )
    n_tokens, n_documents = int(corpus.lengths.sum()), len(corpus.lengths)
    tokens = vars(corpus)["tokens"] or ()  # not decoded
    per_document = n_documents, f"one for each of {pluralize(n_documents, 'document')} is needed"
    sizes = dict.fromkeys(("parent_ids", "text_ends", "ids", "texts"), per_document)
    sizes["tokens"] = n_tokens, f"the lengths of the documents add up to {n_tokens}"
    sizes["token_starts"] = (
        len(tokens),
        f"one for each of {pluralize(len(tokens), 'token')} is needed",
    )
    for name, (size, needed) in sizes.items():
        values = vars(corpus)[name]
        if values is not None and len(values) != size:
            raise InputError(f"{pluralize(len(values), name[:-1])}; {needed}")
    _check_names(corpus, labels)
    if corpus.texts is not None and offsets == "characters":
        from spanagree.corpus.tokens import count_characters  # few corpora count characters

        for d in np.flatnonzero(count_characters(corpus.texts) != corpus.lengths)[:1].tolist():
            raise InputError(
                f"document {quote_value(corpus.id_of(d))}:"
                f" {pluralize(len(corpus.texts[d]), 'character')};"
                f" its length is given as {corpus.lengths[d]}"
            )


def _check_names(corpus: Content, labels: Sequence[str]) -> None:
    """Check that ids and labels are non-empty strings without repetition."""
    known_ids: set[str] = set()
    for id_ in corpus.ids or ():
        if not isinstance(id_, str) or not id_ or id_ in known_ids:
            raise invalid_value(
                "document id", id_, "ids are strings that are not empty, each used once"
            )
        known_ids.add(id_)
    if len(set(labels)) < len(labels):
        raise InputError(f"labels {quote_value(labels)}; each label is named once")
    for label in labels:
        if not isinstance(label, str) or not label.strip():
            raise InputError(f"label {quote_value(label)}; a label is a string that is not blank")


def check_layers(corpus: Content, labels: tuple[str, ...], layers: Mapping[str, Layer]) -> None:
    """Check that layers fit the corpus and have valid segments.

    Raises:
        InputError: if a segment is not valid; the message names the first in the first such layer.
    """
    if _are_surely_valid(corpus.lengths, len(labels), layers):
        return
    from spanagree.corpus.layer_flaws import check_layer  # loaded on demand: most layers are valid

    for name, layer in layers.items():
        check_layer(corpus, labels, name, layer)


_TOGETHER = 1 << 12  # layers with fewer segments are checked together: copies take memory


def _are_surely_valid(lengths: Ints, n_labels: int, layers: Mapping[str, Layer]) -> bool:
    """Check quickly if all layers are valid; if False, they may still be valid."""
    if not all(
        isinstance(name, str)
        and name
        and layer.details is None
        and len(layer.annotated) == len(lengths)
        for name, layer in layers.items()
    ):
        return False
    short_layers = [layer for layer in layers.values() if len(layer) < _TOGETHER]
    tables: list[tuple[Ints, ...]] = [
        (layer.document, layer.start, layer.end, layer.label)
        for layer in layers.values()
        if len(layer) >= _TOGETHER
    ]
    if short_layers:
        tables.append(concatenate_segments(short_layers))
    return all(
        _is_surely_valid(lengths, n_labels, *table) for table in tables if len(table[0])
    ) and all(layer.annotated[layer.document].all() for layer in layers.values())


def _is_surely_valid(
    lengths: Ints, n_labels: int, document: Ints, start: Ints, end: Ints, label: Ints, *layer: Ints
) -> bool:
    """Check if segments are within their documents, labelled, and free of duplicates.

    Segments are sorted by layer, document, start, end and label, so duplicates are adjacent.
    ``layer`` is the index of the layer of each segment, if there are several.
    """
    for column, n_values in ((document, len(lengths)), (label, n_labels)):
        if column.min() < 0 or column.max() >= n_values:
            return False
    if start.min() < 0 or (start >= end).any() or (end > lengths[document]).any():
        return False
    columns = (document, start, end, label, *layer)
    equals_previous = np.logical_and.reduce([column[1:] == column[:-1] for column in columns])
    return not equals_previous.any()


# --- the corpus -----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Corpus(Content):
    """Documents with the segments of each annotator.

    Attributes:
        lengths: length of each document, in tokens or characters.
        layers: :class:`Layer` of each annotator, by name, in the order of input.
        labels: names of the labels, sorted; layers store indices into them.
        offsets: unit of the offsets, tokens or characters.
        ids: unique name of each document; without ids, documents are numbered from 1.
        tokens: tokens of all documents in one sequence; ``None`` if unknown.
        texts: text of each document; ``None`` if unknown.
        token_starts: offset of each token in the text of its document; ``None`` if unknown.
        parent_ids: index of the source document of each sentence; ``None`` for undivided documents.
        text_ends: ends of the texts that were joined into each document; ``None`` without joining.
        reading: settings with which the corpus was read; they are part of every signature.
        notes: repairs and omissions of the reader, one sentence each.
        seen_unknown: annotators with no record of whether they saw the documents in which they have
            no row (:mod:`spanagree.corpus.roles`).
        changes: segments that :meth:`to_tokens` altered or dropped.
        unplaced: quotes that are not in the text, by annotator
            (:class:`spanagree.corpus.unplaced.UnplacedQuotes`); empty for most corpora.

    Raises:
        InputError: if a segment is empty, ends before it starts, extends beyond its document,
            occurs twice, or is in a document that its annotator never saw; if the arrays do not fit
            together.

    >>> corpus = Corpus.from_segments([9, 5], {"ann": [[(0, 2, "PER")], []], "bob": [[], None]})
    >>> len(corpus), corpus.annotators, corpus.layers["bob"].annotated.tolist()
    (2, ('ann', 'bob'), [True, False])
    """

    layers: Mapping[str, Layer]
    labels: tuple[str, ...]
    offsets: Offsets = "tokens"
    changes: tuple[AlteredSegment, ...] = ()
    unplaced: Mapping[str, UnplacedQuotes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "lengths", freeze_array(self.lengths, np.int64))
        object.__setattr__(self, "layers", MappingProxyType(dict(self.layers)))
        for name in ("labels", "ids", "tokens", "texts", "text_ends"):
            if not isinstance(value := vars(self)[name], (TokenBytes, NoneType)):
                object.__setattr__(self, name, tuple(value))
        object.__setattr__(self, "reading", MappingProxyType(dict(self.reading)))
        for name in ("token_starts", "parent_ids"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, freeze_array(getattr(self, name), np.int64))
        check_content(self, self.offsets, self.labels)
        check_layers(self, self.labels, self.layers)
        if self.unplaced:
            from spanagree.corpus.unplaced import (
                check_quotes,
            )  # loaded on demand: most annotators give offsets

            annotated_by_name = {name: layer.annotated for name, layer in self.layers.items()}
            checked_quotes = check_quotes(self.unplaced, annotated_by_name, self.labels)
            object.__setattr__(self, "unplaced", MappingProxyType(checked_quotes))

    @classmethod
    def from_segments(
        cls,
        lengths: Sequence[int],
        layers: Mapping[str, Sequence[Sequence[tuple[Any, ...]] | None]],
        *,
        relations: Mapping[str, Sequence[Sequence[tuple[Any, ...]] | None]] | None = None,
        offsets: Offsets = "tokens",
        ids: Sequence[str] | None = None,
        texts: Sequence[str] | None = None,
    ) -> Corpus:
        """Build a corpus from plain lists.

        Args:
            lengths: length of each document.
            layers: segments of each annotator in each document: (start, end, label) of each
                segment, or ``None`` if the annotator never saw the document. A segment with several
                pieces is ([(start, end), …], label). Both forms may end with a mapping of
                attributes.
            relations: relations of each annotator in each document: (first, second, label), where
                first and second are positions of segments in the list, from 0. A fourth entry False
                marks an undirected relation.
            offsets: unit of lengths and offsets, tokens or characters.
            ids: unique name of each document.
            texts: text of each document.

        Raises:
            InputError: if the corpus is not valid, see :class:`Corpus`.

        >>> corpus = Corpus.from_segments([5, 4], {"ann": [[(0, 2, "PER")], []], "bob": [[], None]})
        >>> corpus[0].segments["ann"]
        (Segment(start=0, end=2, label='PER'),)
        >>> corpus[1].segments
        {'ann': (), 'bob': None}
        """
        from spanagree.corpus.plain_lists import collect_lists  # not needed for tags

        raw = collect_lists(lengths, layers, relations or {}, offsets)
        ids, texts = (None if values is None else tuple(values) for values in (ids, texts))
        return cls.from_raw(raw.replace(ids=ids, texts=texts))

    @classmethod
    def from_raw(cls, raw: RawCorpus) -> Corpus:
        """Build a corpus from the rows of a source, which have to be valid.

        Raises:
            InputError: if the rows are not valid, see :class:`Corpus`.
        """
        if raw.unplaced is not None:  # quotes may have labels that no segment has
            raw = raw.replace(labels=tuple(dict.fromkeys((*raw.labels, *raw.unplaced.label))))
        labels = tuple(sorted(raw.labels))
        unplaced = raw.group_unplaced_by_annotator()
        return cls(raw.lengths, dict(raw.yield_layers()), labels, unplaced=unplaced, **raw.content)

    def to_raw(self) -> RawCorpus:
        """Convert the corpus to rows, as a reader would return them."""
        layers = {
            name: RawLayer(
                layer.document,
                layer.start,
                layer.end,
                layer.label,
                self.labels,
                layer.annotated,
                layer.details,
            )
            for name, layer in self.layers.items()
        }
        return RawCorpus.from_layers(self.lengths, layers, self.unplaced, **self.content)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for pickle, which does not support read-only views of mappings."""
        views = ("layers", "reading", "unplaced")
        state = {**self.__dict__, **{name: dict(vars(self)[name]) for name in views}}
        state.pop("_annotations_by_document", None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(
            state,
            layers=MappingProxyType(state["layers"]),
            reading=MappingProxyType(state["reading"]),
        )

    @property
    def annotators(self) -> tuple[str, ...]:
        """Names of the layers, in the order of input."""
        return tuple(self.layers)

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.lengths)

    def __iter__(self) -> Iterator[Document]:
        return (self[i] for i in range(len(self)))

    of_relations: ClassVar[bool] = False
    """True if segments represent relations of another corpus."""

    of_rows: ClassVar[bool] = False
    """True if segments are unknown, and only the documents seen by each annotator are known."""

    def check_segments(self, purpose: str) -> None:
        """Check that the segments are known; the error names the purpose.

        Raises:
            SettingError: if they are unknown.
        """
        if self.of_rows:
            raise SettingError(
                f"{purpose}: not of rows in files, which hold no segments; compare the corpus"
            )

    @property
    def of_strings(self) -> bool:
        """True if annotators gave strings without a text."""
        return bool(self.reading.get("strings"))

    def check_placed(self) -> None:
        """Check that strings are in a text, or were compared as segments.

        Raises:
            SettingError: if they have no places.
        """
        if self.of_strings and self.unplaced:
            from spanagree.corpus.unplaced import NO_TEXT  # few corpora have strings

            raise SettingError(f"{NO_TEXT}, which this needs; evaluate and agree compare strings")

    @property
    def unplaced_count_as(self) -> str | None:
        """Treatment of quotes that are not in the text, for results; ``None`` if there are none."""
        return "wrong" if self.unplaced else None

    @cached_property
    def has_pieces(self) -> bool:
        """True if any segment has several pieces."""
        return any(bool(layer.shape.any()) for layer in self.layers.values())

    @property
    def kind(self) -> str:
        """Unit of comparison: strings, pieces if any segment has several, else segments."""
        if self.of_strings:
            return "strings"
        return "pieces" if self.has_pieces else "segments"

    @cached_property
    def has_overlaps(self) -> bool:
        """True if two segments of one annotator share a token or character."""
        rows = concatenate_segments(self.layers.values())
        _, cell, _ = unique_rows(rows.layer, rows.document)
        return len(find_overlapping(cell, rows.start, rows.end)[0]) > 0

    @cached_property
    def has_label_overlaps(self) -> bool:
        """True if two segments of one annotator with the same label share a token or character."""
        if not self.has_overlaps:
            return False
        rows = concatenate_segments(self.layers.values())
        _, cell, _ = unique_rows(rows.layer, rows.document, rows.label)
        return len(find_overlapping(cell, rows.start, rows.end)[0]) > 0

    @cached_property
    def _annotations_by_document(self) -> AnnotationsByDocument:
        from spanagree.corpus.documents import AnnotationsByDocument  # few look into documents

        return AnnotationsByDocument.from_layers(self.layers, len(self))

    def __getitem__(self, index: int) -> Document:
        """Return a document by its index, from 0; negative indices count from the end."""
        index = range(len(self))[index]
        return self._annotations_by_document.build_document(self, self.layers, self.labels, index)

    @property
    def relations(self) -> tuple[Relation, ...]:
        """All relations between segments, by annotator and document.

        >>> corpus = Corpus.from_segments(
        ...     [9],
        ...     {"ann": [[(0, 1, "Drug"), (4, 6, "Effect")]]},
        ...     relations={"ann": [[(0, 1, "causes")]]},
        ... )
        >>> [(relation.label, relation.second.label) for relation in corpus.relations]
        [('causes', 'Effect')]
        """
        from spanagree.corpus.documents import yield_relations  # few corpora have any

        return tuple(
            relation
            for name, layer in self.layers.items()
            for relation in yield_relations(self, name, layer, self.labels, 0, len(layer))
        )

    def __eq__(self, other: object) -> bool:
        """Compare documents, annotators and segments.

        Corpora are also equal if they differ in settings of reading, in unused labels, or in ids
        that equal the numbers of documents without ids.
        """
        if not isinstance(other, Corpus):
            return NotImplemented
        return (
            np.array_equal(self.lengths, other.lengths)
            and self.layers.keys() == other.layers.keys()
            and (self.offsets, self.tokens, self.texts)
            == (other.offsets, other.tokens, other.texts)
            and np.array_equal(self.token_starts, other.token_starts)  # type: ignore[arg-type]  # or None
            and all(self.id_of(i) == other.id_of(i) for i in range(len(self)))
            and all(
                self._list_comparable_columns(name) == other._list_comparable_columns(name)
                for name in self.layers
            )
            and self.unplaced == other.unplaced
        )

    def _list_comparable_columns(self, name: str) -> list[list[Any]]:
        """List the columns of a layer, with labels as text; equal for equal layers."""
        layer = self.layers[name]
        labels = np.array(self.labels, dtype=object)[layer.label]
        columns = (layer.document, layer.start, layer.end, labels, layer.annotated)
        return [*(column.tolist() for column in columns), layer._comparable_details]

    __hash__: ClassVar[None] = None  # type: ignore[assignment]  # compared by content, and arrays have no hash

    def __repr__(self) -> str:
        from spanagree.corpus.times import (
            format_length,  # loaded on demand: corpora are rarely printed
        )

        return (
            f"<Corpus of {pluralize(len(self), 'document')},"
            f" {format_length(int(self.lengths.sum()), self.offsets)};"
            f" annotators: {', '.join(f'{n} ({len(x)})' for n, x in self.layers.items())};"
            f" labels: {', '.join(self.labels) or 'none'}>"
        )

    def with_ids(self, prefix: str = "", before: int = 0) -> Corpus:
        """Add ids if the corpus has none: the positions of the documents from 1.

        For a part of a corpus, ``prefix`` is added before each position, or positions continue
        after the ``before`` documents of earlier parts.
        """
        if self.ids is not None:
            return self
        return self.replace(ids=tuple(f"{prefix}{before + i + 1}" for i in range(len(self))))

    def subset(self, documents: Sequence[int] | Ints | Bools) -> Corpus:
        """Select documents, in the order of `documents`.

        ``documents`` are indices from 0, or a mask. Without ids, documents are numbered again.

        Raises:
            InputError: if a document is repeated or does not exist.

        >>> corpus = Corpus.from_segments([5, 4], {"ann": [[(0, 2, "PER")], []]})
        >>> [len(corpus.subset([i]).layers["ann"]) for i in (0, 1)]
        [1, 0]
        """
        indices = np.asarray(documents)
        if not indices.size:
            indices = indices.astype(np.int64)
        try:
            if indices.dtype.kind not in "biu" or indices.ndim != 1:
                raise IndexError
            selected = np.arange(len(self))[indices]
        except IndexError:
            raise InputError(
                f"subset: {quote_value(documents)}; whole numbers below {len(self)}, the number of"
                " documents, or a mask of that length are needed"
            ) from None
        if len(np.unique(selected)) < len(selected):
            raise InputError("subset: a document is named twice; each can be taken once")
        new_index = np.full(len(self), -1)
        new_index[selected] = np.arange(len(selected))
        layers = {}
        for name, layer in self.layers.items():
            selected_segments = layer.only(new_index[layer.document] >= 0)
            annotated = layer.annotated[selected]
            layers[name] = replace(
                selected_segments,
                document=new_index[selected_segments.document],
                annotated=annotated,
            )
        unplaced = {name: quotes.reindex(new_index) for name, quotes in self.unplaced.items()}
        return replace(self, layers=layers, unplaced=unplaced, **self.content_of(selected))

    def of_annotators(self, names: Iterable[str], *, in_part: bool = False) -> Corpus:
        """Select annotators, under the name that :meth:`select_annotators` had before 1.0."""
        return self.select_annotators(names, in_part=in_part)

    def select_annotators(self, names: Iterable[str], *, in_part: bool = False) -> Corpus:
        """Select annotators, in the order of `names`.

        ``in_part``: ignore names that this part of a corpus does not have.

        Raises:
            SettingError: if a name is unknown or repeated.
        """
        names = check_annotator_names(names, self.layers, in_part=in_part)
        layers = {name: self.layers[name] for name in names}
        reading, notes = (
            select_reading(self.reading, names),
            self.notes_but(self.layers.keys() - names),
        )
        seen_unknown = tuple(name for name in self.seen_unknown if name in layers)
        return self.replace(layers=layers, reading=reading, notes=notes, seen_unknown=seen_unknown)

    def notes_but(self, others: Iterable[str]) -> tuple[str, ...]:
        """Select the notes that do not begin with the name of an annotator in ``others``."""
        prefixes = tuple(f"{escape_name(name)}: " for name in others)
        return tuple(note for note in self.notes if not (prefixes and note.startswith(prefixes)))

    def with_labels(
        self,
        labels: Sequence[str] | None = None,
        map_labels: Mapping[str, str] | PathName | None = None,
    ) -> Corpus:
        """Rename labels, and select the segments of some labels.

        For arguments and errors, see
        :func:`spanagree.corpus.other_labels.rename_and_select_labels`.

        >>> corpus = Corpus.from_segments([5], {"ann": [[(0, 2, "person"), (3, 4, "X")]]})
        >>> corpus.with_labels(["PER"], {"person": "PER"})[0].segments["ann"]
        (Segment(start=0, end=2, label='PER'),)
        """
        from spanagree.corpus.other_labels import (
            rename_and_select_labels,  # loaded on demand: rarely used
        )

        raw = rename_and_select_labels(self.to_raw(), labels, map_labels)
        return Corpus.from_raw(raw).replace(changes=self.changes)

    def grouped_by(self, groups: str | Sequence[str | None], *, joined: bool = False) -> Corpus:
        """Group documents into clusters, or join each group into one document.

        Arguments and errors are documented in :func:`spanagree.corpus.grouped.group_documents`.

        >>> corpus = Corpus.from_segments([5, 4], {"a": [[], [(0, 2, "X")]]}, ids=["t-1", "t-2"])
        >>> corpus.grouped_by("(.*)-", joined=True)[0].segments["a"]
        (Segment(start=5, end=7, label='X'),)
        """
        from spanagree.corpus.grouped import group_documents  # loaded on demand: rarely used

        return Corpus.from_raw(group_documents(self.to_raw(), groups, joined)).replace(
            changes=self.changes
        )

    # --- conversion between tokens and characters ---

    def to_characters(self) -> Corpus:
        """Convert the offsets to characters.

        If texts are unknown, they are built from the tokens, joined by spaces.

        Raises:
            SettingError: if tokens are unknown.

        >>> corpus = Corpus(np.array([2]), {}, (), tokens=("No", "way"))
        >>> corpus.to_characters().texts
        ('No way',)
        """
        if self.offsets == "characters":
            return self
        from spanagree.corpus.converted import (
            convert_to_characters,
        )  # loaded on demand: rarely used

        new_content = convert_to_characters(self, self.layers)
        return replace(
            self, unplaced=self._measure_unplaced(lambda quote: len(quote.strip())), **new_content
        )

    def _measure_unplaced(self, count: Callable[[str], int]) -> dict[str, UnplacedQuotes]:
        """Measure quotes that are not in the text in other units."""
        return {name: quotes.measure(count) for name, quotes in self.unplaced.items()}

    def to_tokens(
        self, tokenizer: Callable[[str], Iterable[Any]] = str.split, cut: Cut = "error"
    ) -> Corpus:
        """Convert the offsets to tokens.

        White space at the edges of a segment is ignored. Segments that cannot be converted exactly
        are counted in ``notes`` and listed in ``changes``.

        Args:
            tokenizer: function that splits a text into strings, (start, end) pairs or spaCy tokens.
            cut: treatment of a segment that begins or ends inside a token, or has no token: error,
                expand, contract or drop.

        Raises:
            SettingError: if ``cut`` is unknown, or the texts are.
            InputError: if a segment cuts a token, unless ``cut`` allows it; if tokens are not
                pieces of the text.

        >>> corpus = Corpus.from_segments(
        ...     [7], {"a": [[(3, 6, "X")]]}, offsets="characters", texts=["No way!"]
        ... )
        >>> corpus.to_tokens(cut="expand").changes[0].after
        Segment(start=1, end=2, label='X')
        """
        from spanagree.corpus.tokens import CUTS  # loaded on demand: rarely used

        check_choice(cut, CUTS, "cut")
        if self.offsets == "tokens":
            return self
        from spanagree.corpus.converted import convert_to_tokens  # loaded on demand: rarely used

        new_content, changes = convert_to_tokens(self, self.layers, self.labels, tokenizer, cut)
        unplaced = self._measure_unplaced(lambda quote: len(list(tokenizer(quote))))
        return replace(self, **new_content, unplaced=unplaced, changes=(*self.changes, *changes))


def check_corpus(value: object) -> Corpus:
    """Check that a value is a corpus, and return it.

    Raises:
        InputError: if it is not a corpus.
    """
    if isinstance(value, Corpus):
        return value
    raise InputError(
        f"{type(value).__name__}; a corpus is needed; spanagree.read gives one of files, data"
        " frames and rows, from_tags of tags, from_docs of Docs"
    )
