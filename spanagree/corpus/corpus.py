"""The corpus: documents, and what each annotator marked in them.

A corpus is columnar: per annotator one :class:`Layer` of NumPy arrays over all documents.
:class:`Document` and :class:`Segment` are light views for people. Everything is checked once, when
a corpus is made, and frozen after that. Offsets are half-open, in tokens or in characters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType, NoneType
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from spanagree.arrays import Bools, Ints, unique_rows
from spanagree.corpus.raw import RawCorpus, reading_of
from spanagree.corpus.segments import (
    LONGEST,
    OFFSETS,
    UNIT_OF_TIME,
    AlteredSegment,
    Content,
    Document,
    Layer,
    RawLayer,
    Relation,
    Segment,
    SegmentsByAnnotator,
    columns_of_all,
    frozen,
    overlapping,
)
from spanagree.corpus.words import TokenBytes
from spanagree.errors import (
    InputError,
    SettingError,
    check_annotator_names,
    check_choice,
    check_known,
    escape_name,
    invalid_value,
    length_of,
    pluralize,
    quote_value,
)

if TYPE_CHECKING:
    from spanagree.choices import Cut, Offsets
    from spanagree.corpus.by_document import AnnotationsByDocument
    from spanagree.corpus.unplaced import UnplacedQuotes
    from spanagree.files import PathName


# --- what a corpus must hold ----------------------------------------------------------------------


def check_content(corpus: Content, offsets: str, labels: Sequence[str]) -> None:
    """Refuse lengths, ids, tokens, texts and labels that are not valid.

    Raises:
        InputError: naming the first.
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
    total, n = int(corpus.lengths.sum()), len(corpus.lengths)
    tokens = vars(corpus)["tokens"] or ()  # so they are not decoded
    per_document = n, f"one for each of {pluralize(n, 'document')} is needed"
    sizes = dict.fromkeys(("parent_ids", "text_ends", "ids", "texts"), per_document)
    sizes["tokens"] = total, f"the lengths of the documents add up to {total}"
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
        from spanagree.corpus.tokens import sizes_of  # few corpora count characters

        for d in np.flatnonzero(sizes_of(corpus.texts) != corpus.lengths)[:1].tolist():
            raise InputError(
                f"document {quote_value(corpus.id_of(d))}:"
                f" {pluralize(len(corpus.texts[d]), 'character')};"
                f" its length is given as {corpus.lengths[d]}"
            )


def _check_names(corpus: Content, labels: Sequence[str]) -> None:
    """Refuse ids and labels that are not names, or stand twice."""
    seen: set[str] = set()
    for id_ in corpus.ids or ():
        if not isinstance(id_, str) or not id_ or id_ in seen:
            raise invalid_value(
                "document id", id_, "ids are strings that are not empty, each used once"
            )
        seen.add(id_)
    if len(set(labels)) < len(labels):
        raise InputError(f"labels {quote_value(labels)}; each label is named once")
    for label in labels:
        if not isinstance(label, str) or not label.strip():
            raise InputError(f"label {quote_value(label)}; a label is a string that is not blank")


def check_layers(corpus: Content, labels: tuple[str, ...], layers: Mapping[str, Layer]) -> None:
    """Refuse layers that do not fit the corpus, or have a flaw.

    Raises:
        InputError: naming the first segment of the first such layer.
    """
    if _are_plainly_sound(corpus.lengths, len(labels), layers):
        return
    from spanagree.corpus.layer_flaws import refuse_layer  # most layers have no flaw

    for name, layer in layers.items():
        refuse_layer(corpus, labels, name, layer)


_TOGETHER = 1 << 12  # segments; layers of fewer are looked at together, as they may be many


def _are_plainly_sound(lengths: Ints, n_labels: int, layers: Mapping[str, Layer]) -> bool:
    """Return whether layers without details have no flaw; where False, one may have one."""
    if not all(
        isinstance(name, str)
        and name
        and layer.details is None
        and len(layer.annotated) == len(lengths)
        for name, layer in layers.items()
    ):
        return False
    short = [layer for layer in layers.values() if len(layer) < _TOGETHER]
    tables: list[tuple[Ints, ...]] = [
        (layer.document, layer.start, layer.end, layer.label)
        for layer in layers.values()
        if len(layer) >= _TOGETHER
    ]
    if short:
        tables.append(columns_of_all(short))
    return all(
        _is_plainly_sound(lengths, n_labels, *table) for table in tables if len(table[0])
    ) and all(layer.annotated[layer.document].all() for layer in layers.values())


def _is_plainly_sound(
    lengths: Ints, n_labels: int, document: Ints, start: Ints, end: Ints, label: Ints, *layer: Ints
) -> bool:
    """Return whether segments are in their documents, have a label, and stand there once.

    Those of a layer are sorted by document, start, end and label, so equal ones are neighbours.
    """
    for column, count in ((document, len(lengths)), (label, n_labels)):
        if column.min() < 0 or column.max() >= count:
            return False
    if start.min() < 0 or (start >= end).any() or (end > lengths[document]).any():
        return False
    columns = (document, start, end, label, *layer)
    twice = np.logical_and.reduce([column[1:] == column[:-1] for column in columns])
    return not twice.any()


# --- the corpus -----------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Corpus(Content):
    """Documents, and what each annotator marked in them.

    Attributes:
        lengths: per document, its length in tokens or characters.
        layers: per annotator a :class:`Layer`, in the order given.
        labels: the names of the labels, sorted; the layers index them.
        offsets: what offsets count, tokens or characters.
        ids: per document a unique name; without them documents are numbered from 1.
        tokens: all tokens of all documents in a row, where known.
        texts: per document its text, where known.
        token_starts: where each of the tokens begins in its text, where both are known.
        parent_ids: number of the document that each sentence is from; `None` for whole documents.
        text_ends: where documents were joined of texts, per document where each of these ends.
        reading: the settings with which the corpus was read; they are part of every signature.
        notes: what a reader repaired or passed over, a sentence each.
        seen_unknown: annotators without a record of whether they saw the documents in which they
            have no row (:mod:`spanagree.corpus.roles`).
        changes: the segments that :meth:`to_tokens` could not take over as they are.
        unplaced: by annotator, quotes that are not in the text
            (:class:`spanagree.corpus.unplaced.UnplacedQuotes`); of most annotators there are none.

    Raises:
        InputError: for a segment that is empty, ends before it starts, lies beyond its document,
            stands twice, or lies in a document that its annotator never saw; for arrays that do
            not belong together.

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
        object.__setattr__(self, "lengths", frozen(self.lengths, np.int64))
        object.__setattr__(self, "layers", MappingProxyType(dict(self.layers)))
        for name in ("labels", "ids", "tokens", "texts", "text_ends"):
            if not isinstance(value := vars(self)[name], (TokenBytes, NoneType)):
                object.__setattr__(self, name, tuple(value))
        object.__setattr__(self, "reading", MappingProxyType(dict(self.reading)))
        for name in ("token_starts", "parent_ids"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, frozen(getattr(self, name), np.int64))
        check_content(self, self.offsets, self.labels)
        check_layers(self, self.labels, self.layers)
        if self.unplaced:
            from spanagree.corpus.unplaced import checked  # most annotators give offsets

            seen = {name: layer.annotated for name, layer in self.layers.items()}
            kept = checked(self.unplaced, seen, self.labels)
            object.__setattr__(self, "unplaced", MappingProxyType(kept))

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
        """Return a corpus of plain lists.

        Args:
            lengths: per document, its length.
            layers: per annotator and document, (start, end, label) of each segment, or ``None``
                if the annotator never saw the document. A segment of several pieces is
                ([(start, end), …], label); either may end with a mapping of attributes.
            relations: per annotator and document, (first, second, label) of each relation: the
                places of two segments in the list of these, from 0. A fourth entry False says that
                it has no direction.
            offsets: what lengths and offsets count, tokens or characters.
            ids: per document a unique name.
            texts: per document its text.

        Raises:
            InputError: as for :class:`Corpus`.

        >>> corpus = Corpus.from_segments([5, 4], {"ann": [[(0, 2, "PER")], []], "bob": [[], None]})
        >>> corpus[0].segments["ann"]
        (Segment(start=0, end=2, label='PER'),)
        >>> corpus[1].segments
        {'ann': (), 'bob': None}
        """
        from spanagree.corpus.collector import Collector  # readers of tags collect nothing

        if not isinstance(layers, Mapping):
            raise InputError(f"layers {quote_value(layers)}; a mapping of annotators is needed")
        if not isinstance(lengths, (Sequence, np.ndarray)) or length_of(lengths) is None:
            raise InputError(f"lengths {quote_value(lengths)}; a list of whole numbers is needed")
        collector = Collector(offsets, layers)
        for d, length in enumerate(lengths, 1):
            collector.document(d, f"document {d}", length=length)
        links = dict(relations or {})
        check_known(links, layers, "relations of annotator")
        for name, documents in layers.items():
            of_name = links.get(name, [None] * len(lengths))
            for noun, given in (("segments", documents), ("relations", of_name)):
                is_list = isinstance(given, Sequence) and len(given) == len(lengths)
                if not is_list or not all(x is None or isinstance(x, Sequence) for x in given):
                    size = pluralize(len(lengths), "document")
                    needed = f"a list of {size} is needed, each a list of {noun}"
                    raise invalid_value(
                        f"annotator {quote_value(name)}:", given, f"{needed} or None"
                    )
            for d, (segments, linked) in enumerate(zip(documents, of_name, strict=True)):
                location = f"annotator {quote_value(name)}, document {d + 1}"
                collector.annotate(d, name, segments, location, linked or ())
        raw = collector.raw({}, numbered=True)
        if (raw.label < 0).any():
            from spanagree.corpus.flaws import FLAWS, refuse  # most rows have no flaw

            refuse(FLAWS["unlabelled"], raw, raw.label < 0, "a label is a string that is not blank")
        ids, texts = (None if given is None else tuple(given) for given in (ids, texts))
        return cls.from_raw(raw.replace(ids=ids, texts=texts))

    @classmethod
    def from_raw(cls, raw: RawCorpus) -> Corpus:
        """Return the corpus of a source's rows, which have to be valid.

        Raises:
            InputError: as for :class:`Corpus`.
        """
        if raw.unplaced is not None:  # which may have labels that no segment has
            raw = raw.replace(labels=tuple(dict.fromkeys((*raw.labels, *raw.unplaced.label))))
        labels = tuple(sorted(raw.labels))
        unplaced = raw.unplaced_by_annotator()
        return cls(raw.lengths, dict(raw.layers()), labels, unplaced=unplaced, **raw.content)

    def to_raw(self) -> RawCorpus:
        """Return the rows of the corpus, as a source would give them."""
        layers = {
            name: RawLayer(x.document, x.start, x.end, x.label, self.labels, x.annotated, x.details)
            for name, x in self.layers.items()
        }
        return RawCorpus.from_layers(self.lengths, layers, self.unplaced, **self.content)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for pickle, which does not take read-only views of mappings."""
        views = ("layers", "reading", "unplaced")
        state = {**self.__dict__, **{name: dict(vars(self)[name]) for name in views}}
        state.pop("_by_document", None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(
            state,
            layers=MappingProxyType(state["layers"]),
            reading=MappingProxyType(state["reading"]),
        )

    @property
    def annotators(self) -> tuple[str, ...]:
        """The names of the layers, in the order given."""
        return tuple(self.layers)

    def __len__(self) -> int:
        """Return the number of documents."""
        return len(self.lengths)

    def __iter__(self) -> Iterator[Document]:
        return (self[i] for i in range(len(self)))

    of_relations: ClassVar[bool] = False
    """Whether segments stand for relations of another corpus."""

    of_rows: ClassVar[bool] = False
    """Whether its segments are not known, only who saw which document."""

    def check_segments(self, purpose: str) -> None:
        """Raise if the segments are not known, which the purpose needs.

        Raises:
            SettingError: naming the purpose.
        """
        if self.of_rows:
            raise SettingError(
                f"{purpose}: not of rows in files, which hold no segments; compare the corpus"
            )

    @property
    def of_strings(self) -> bool:
        """Whether annotators gave strings, of which no text is known."""
        return bool(self.reading.get("strings"))

    @property
    def unplaced_count_as(self) -> str | None:
        """What quotes that are not in the text count as in results; ``None`` if there are none."""
        return "wrong" if self.unplaced else None

    @cached_property
    def has_pieces(self) -> bool:
        """Whether any segment has several pieces."""
        return any(bool(layer.shape.any()) for layer in self.layers.values())

    @property
    def kind(self) -> str:
        """How its segments are compared: segments, pieces if some have several, or relations."""
        return "pieces" if self.has_pieces else "segments"

    @cached_property
    def has_overlaps(self) -> bool:
        """Whether two segments of one annotator share a token or character."""
        rows = columns_of_all(self.layers.values())
        _, cell, _ = unique_rows(rows.layer, rows.document)
        return len(overlapping(cell, rows.start, rows.end)[0]) > 0

    @cached_property
    def has_label_overlaps(self) -> bool:
        """Whether two segments of one annotator with the same label do."""
        if not self.has_overlaps:
            return False
        rows = columns_of_all(self.layers.values())
        _, cell, _ = unique_rows(rows.layer, rows.document, rows.label)
        return len(overlapping(cell, rows.start, rows.end)[0]) > 0

    @cached_property
    def _by_document(self) -> AnnotationsByDocument:
        from spanagree.corpus.by_document import AnnotationsByDocument  # few look into documents

        return AnnotationsByDocument.of(self.layers, len(self))

    def __getitem__(self, index: int) -> Document:
        """Return document number ``index``, from 0; negative numbers count from the end."""
        index = range(len(self))[index]
        seen: dict[str, tuple[Segment, ...]] = {}
        relations: list[Relation] = []
        for name, low, high in self._by_document.in_document(index):
            seen[name] = self.layers[name].segments(low, high, self.labels)
            relations += self._relations(name, low, high)
        segments = SegmentsByAnnotator(seen, self._by_document.names)
        tokens = None if self.tokens is None else self.tokens_of(index)
        text = None if self.texts is None else self.texts[index]
        length = int(self.lengths[index])
        return Document(self.id_of(index), length, segments, tokens, text, tuple(relations))

    @property
    def relations(self) -> tuple[Relation, ...]:
        """All links between segments, by annotator and document.

        >>> corpus = Corpus.from_segments(
        ...     [9],
        ...     {"ann": [[(0, 1, "Drug"), (4, 6, "Effect")]]},
        ...     relations={"ann": [[(0, 1, "causes")]]},
        ... )
        >>> [(relation.label, relation.second.label) for relation in corpus.relations]
        [('causes', 'Effect')]
        """
        return tuple(
            relation
            for name, layer in self.layers.items()
            for relation in self._relations(name, 0, len(layer))
        )

    def _relations(self, name: str, low: int, high: int) -> Iterator[Relation]:
        """Yield an annotator's relations that lead from a segment of these rows of the layer."""
        layer = self.layers[name]
        if layer.details is None:
            return
        for first, second, label, directed in layer.details.relations_from(low, high):
            document = self.id_of(int(layer.document[first]))
            head, tail = (layer.segment(row, self.labels) for row in (first, second))
            yield Relation(document, name, head, tail, label, directed)

    def __eq__(self, other: object) -> bool:
        """Return whether documents, annotators and segments are equal.

        How they were read, labels that no segment has, and whether documents are numbered or
        have these numbers for ids does not matter.
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
            and all(self._rows(name) == other._rows(name) for name in self.layers)
            and self.unplaced == other.unplaced
        )

    def _rows(self, name: str) -> list[list[Any]]:
        layer = self.layers[name]
        labels = np.array(self.labels, dtype=object)[layer.label]
        columns = (layer.document, layer.start, layer.end, labels, layer.annotated)
        return [*(column.tolist() for column in columns), layer._details]

    __hash__: ClassVar[None] = None  # type: ignore[assignment]  # compared by content, and arrays have no hash

    def __repr__(self) -> str:
        from spanagree.corpus.times import sized  # few print a corpus

        return (
            f"<Corpus of {pluralize(len(self), 'document')},"
            f" {sized(int(self.lengths.sum()), self.offsets)};"
            f" annotators: {', '.join(f'{n} ({len(x)})' for n, x in self.layers.items())};"
            f" labels: {', '.join(self.labels) or 'none'}>"
        )

    def with_ids(self, prefix: str = "", before: int = 0) -> Corpus:
        """Return the corpus with ids: those it has, or the documents' numbers from 1.

        Of a part of a corpus, ``prefix`` stands before the numbers, or they go on after as many
        documents as come ``before``.
        """
        if self.ids is not None:
            return self
        return self.replace(ids=tuple(f"{prefix}{before + i + 1}" for i in range(len(self))))

    def subset(self, documents: Sequence[int] | Ints | Bools) -> Corpus:
        """Return the corpus of some of the documents, in the order given.

        ``documents`` are their numbers from 0, or a mask. Without ids, documents are numbered anew.

        Raises:
            InputError: for a document that is named twice or is not there.

        >>> corpus = Corpus.from_segments([5, 4], {"ann": [[(0, 2, "PER")], []]})
        >>> [len(corpus.subset([i]).layers["ann"]) for i in (0, 1)]
        [1, 0]
        """
        numbers = np.asarray(documents)
        if not numbers.size:
            numbers = numbers.astype(np.int64)
        try:
            if numbers.dtype.kind not in "biu" or numbers.ndim != 1:
                raise IndexError
            chosen = np.arange(len(self))[numbers]
        except IndexError:
            raise InputError(
                f"subset: {quote_value(documents)}; whole numbers below {len(self)}, the number of"
                " documents, or a mask of that length are needed"
            ) from None
        if len(np.unique(chosen)) < len(chosen):
            raise InputError("subset: a document is named twice; each can be taken once")
        place = np.full(len(self), -1)
        place[chosen] = np.arange(len(chosen))
        layers = {}
        for name, layer in self.layers.items():
            kept = layer.only(place[layer.document] >= 0)
            annotated = layer.annotated[chosen]
            layers[name] = replace(kept, document=place[kept.document], annotated=annotated)
        unplaced = {name: quotes.moved(place) for name, quotes in self.unplaced.items()}
        return replace(self, layers=layers, unplaced=unplaced, **self.content_of(chosen))

    def of_annotators(self, names: Iterable[str], *, in_part: bool = False) -> Corpus:
        """Select annotators, under the name that :meth:`select_annotators` had before 1.0."""
        return self.select_annotators(names, in_part=in_part)

    def select_annotators(self, names: Iterable[str], *, in_part: bool = False) -> Corpus:
        """Return the corpus of some of the annotators, in the order given.

        ``in_part``: this is a part of a corpus, which need not have all of them.

        Raises:
            SettingError: for a name that is not there, or is named twice.
        """
        names = check_annotator_names(names, self.layers, in_part=in_part)
        layers = {name: self.layers[name] for name in names}
        reading, notes = reading_of(self.reading, names), self.notes_but(self.layers.keys() - names)
        seen_unknown = tuple(name for name in self.seen_unknown if name in layers)
        return self.replace(layers=layers, reading=reading, notes=notes, seen_unknown=seen_unknown)

    def notes_but(self, others: Iterable[str]) -> tuple[str, ...]:
        """Return the notes without those that begin with the name of one of the ``others``."""
        begins = tuple(f"{escape_name(name)}: " for name in others)
        return tuple(note for note in self.notes if not (begins and note.startswith(begins)))

    def with_labels(
        self,
        labels: Sequence[str] | None = None,
        map_labels: Mapping[str, str] | PathName | None = None,
    ) -> Corpus:
        """Return the corpus with labels renamed, and segments of some labels only.

        Args and errors are those of :func:`spanagree.corpus.other_labels.with_labels`.

        >>> corpus = Corpus.from_segments([5], {"ann": [[(0, 2, "person"), (3, 4, "X")]]})
        >>> corpus.with_labels(["PER"], {"person": "PER"})[0].segments["ann"]
        (Segment(start=0, end=2, label='PER'),)
        """
        from spanagree.corpus.other_labels import with_labels  # few name labels

        raw = with_labels(self.to_raw(), labels, map_labels)
        return Corpus.from_raw(raw).replace(changes=self.changes)

    def grouped_by(self, groups: str | Sequence[str | None], *, joined: bool = False) -> Corpus:
        """Return the corpus with documents in groups, as clusters, or each group as one document.

        Args and errors are those of :func:`spanagree.corpus.grouped.grouped`.

        >>> corpus = Corpus.from_segments([5, 4], {"a": [[], [(0, 2, "X")]]}, ids=["t-1", "t-2"])
        >>> corpus.grouped_by("(.*)-", joined=True)[0].segments["a"]
        (Segment(start=5, end=7, label='X'),)
        """
        from spanagree.corpus.grouped import grouped  # few have groups

        return Corpus.from_raw(grouped(self.to_raw(), groups, joined)).replace(changes=self.changes)

    # --- tokens and characters ---

    def to_characters(self) -> Corpus:
        """Return the corpus with offsets in characters.

        Where the texts are not known, they are the tokens with a space between them.

        Raises:
            SettingError: if the tokens are not known.

        >>> corpus = Corpus(np.array([2]), {}, (), tokens=("No", "way"))
        >>> corpus.to_characters().texts
        ('No way',)
        """
        if self.offsets == "characters":
            return self
        from spanagree.corpus.converted import in_characters  # few convert

        changed = in_characters(self, self.layers)
        return replace(self, unplaced=self._measured(lambda quote: len(quote.strip())), **changed)

    def _measured(self, count: Callable[[str], int]) -> dict[str, UnplacedQuotes]:
        """Measure quotes that are not in the text in other units."""
        return {name: quotes.measured(count) for name, quotes in self.unplaced.items()}

    def to_tokens(
        self, tokenizer: Callable[[str], Iterable[Any]] = str.split, cut: Cut = "error"
    ) -> Corpus:
        """Return the corpus with offsets in tokens.

        White space at the edge of a segment falls away. What else could not be taken over as it
        was is counted in ``notes`` and listed in ``changes``.

        Args:
            tokenizer: gives the tokens of a text: strings, (start, end) pairs or spaCy tokens.
            cut: what becomes of a segment that begins or ends inside a token, or has no token:
                error, expand, contract or drop.

        Raises:
            SettingError: for an unknown ``cut``; if the texts are not known.
            InputError: for a segment that cuts a token, unless ``cut`` allows it; for tokens that
                are not pieces of the text.

        >>> corpus = Corpus.from_segments(
        ...     [7], {"a": [[(3, 6, "X")]]}, offsets="characters", texts=["No way!"]
        ... )
        >>> corpus.to_tokens(cut="expand").changes[0].after
        Segment(start=1, end=2, label='X')
        """
        from spanagree.corpus.tokens import CUTS  # few convert

        check_choice(cut, CUTS, "cut")
        if self.offsets == "tokens":
            return self
        from spanagree.corpus.converted import in_tokens  # few convert

        changed, changes = in_tokens(self, self.layers, self.labels, tokenizer, cut)
        unplaced = self._measured(lambda quote: len(list(tokenizer(quote))))
        return replace(self, **changed, unplaced=unplaced, changes=(*self.changes, *changes))


def check_corpus(given: object) -> Corpus:
    """Return a corpus as it is.

    Raises:
        InputError: for anything else.
    """
    if isinstance(given, Corpus):
        return given
    raise InputError(
        f"{type(given).__name__}; a corpus is needed; spanagree.read gives one of files, data"
        " frames and rows, from_tags of tags, from_docs of Docs"
    )
