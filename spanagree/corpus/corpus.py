"""The nouns: Segment, Document, Layer, Corpus.

A corpus is columnar: per annotator one :class:`Layer` of NumPy arrays over all documents.
:class:`Document` and :class:`Segment` are light views for people. Everything is checked once, when
a corpus is made, and frozen after that. Offsets are half-open, in tokens or in characters.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType, NoneType
from typing import Any

import numpy as np

from spanagree.arrays import Bools, Ints
from spanagree.choices import Cut, Offsets
from spanagree.corpus.by_document import ByDocument
from spanagree.corpus.collector import Collector
from spanagree.corpus.flaws import FLAWS, refuse
from spanagree.corpus.grouped import grouped
from spanagree.corpus.labels import with_labels
from spanagree.corpus.parts import check_content, check_layer
from spanagree.corpus.raw import RawCorpus, reading_of
from spanagree.corpus.segments import (
    Change,
    Content,
    Document,
    Layer,
    Marked,
    RawLayer,
    Relation,
    Segment,
    frozen,
)
from spanagree.corpus.tokens import CUTS, Fitted, fit_pieces, sizes_of, spaced, tokenize
from spanagree.corpus.words import Words
from spanagree.errors import (
    InputError,
    SettingError,
    check_choice,
    check_known,
    chosen,
    counted,
    length_of,
    more_like_it,
    printable,
    show,
    unfit,
)
from spanagree.files import PathName


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
        wholes: where the documents are the sentences of others, per document the number of that.
        text_ends: where documents were joined of texts, per document where each of these ends.
        reading: the settings with which the corpus was read; they are part of every signature.
        notes: what a reader repaired or passed over, a sentence each.
        unsaid: annotators of whom the source does not say whether they saw a document in which
            they have no row (:mod:`spanagree.corpus.roles`).
        changes: the segments that :meth:`to_tokens` could not take over as they are.

    Raises:
        InputError: for a segment that is empty, ends before it starts, lies beyond its document,
            stands twice, or lies in a document that its annotator never saw; for arrays that do
            not belong together.
    """

    layers: Mapping[str, Layer]
    labels: tuple[str, ...]
    offsets: Offsets = "tokens"
    changes: tuple[Change, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "lengths", frozen(self.lengths, np.int64))
        object.__setattr__(self, "layers", MappingProxyType(dict(self.layers)))
        for name in ("labels", "ids", "tokens", "texts", "text_ends"):
            if not isinstance(value := vars(self)[name], (Words, NoneType)):
                object.__setattr__(self, name, tuple(value))
        object.__setattr__(self, "reading", MappingProxyType(dict(self.reading)))
        for name in ("token_starts", "wholes"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, frozen(getattr(self, name), np.int64))
        check_content(self, self.offsets, self.labels)
        for name, layer in self.layers.items():
            check_layer(self, self.labels, name, layer)

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
        if not isinstance(layers, Mapping):
            raise InputError(f"layers {show(layers)}; a mapping of annotators is needed")
        if not isinstance(lengths, (Sequence, np.ndarray)) or length_of(lengths) is None:
            raise InputError(f"lengths {show(lengths)}; a list of whole numbers is needed")
        collector = Collector(offsets, layers)
        for d, length in enumerate(lengths, 1):
            collector.document(d, f"document {d}", length=length)
        links = dict(relations or {})
        check_known(links, layers, "relations of annotator")
        for name, documents in layers.items():
            of_name = links.get(name, [None] * len(lengths))
            for what, given in (("segments", documents), ("relations", of_name)):
                is_list = isinstance(given, Sequence) and len(given) == len(lengths)
                if not is_list or not all(x is None or isinstance(x, Sequence) for x in given):
                    size = counted(len(lengths), "document")
                    needed = f"a list of {size} is needed, each a list of {what}"
                    raise unfit(f"annotator {show(name)}:", given, f"{needed} or None")
            for d, (segments, linked) in enumerate(zip(documents, of_name, strict=True)):
                where = f"annotator {show(name)}, document {d + 1}"
                collector.annotate(d, name, segments, where, linked or ())
        raw = collector.raw({}, numbered=True)
        refuse(FLAWS["unlabelled"], raw, raw.label < 0, "a label is a string that is not blank")
        ids, texts = (None if given is None else tuple(given) for given in (ids, texts))
        return cls.from_raw(raw.but(ids=ids, texts=texts))

    @classmethod
    def from_raw(cls, raw: RawCorpus) -> Corpus:
        """Return the corpus of a source's rows, which have to be valid.

        Raises:
            InputError: as for :class:`Corpus`.
        """
        return cls(raw.lengths, dict(raw.layers()), tuple(sorted(raw.labels)), **raw.content)

    def to_raw(self) -> RawCorpus:
        """Return the rows of the corpus, as a source would give them."""
        layers = {
            name: RawLayer(x.document, x.start, x.end, x.label, self.labels, x.annotated, x.details)
            for name, x in self.layers.items()
        }
        return RawCorpus.from_layers(self.lengths, layers, **self.content)

    def __getstate__(self) -> dict[str, Any]:
        """Return the state for pickle, which does not take read-only views of mappings."""
        state = {**self.__dict__, "layers": dict(self.layers), "reading": dict(self.reading)}
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

    @cached_property
    def _by_document(self) -> ByDocument:
        return ByDocument.of(self.layers, len(self))

    def __getitem__(self, index: int) -> Document:
        """Return document number ``index``, from 0; negative numbers count from the end."""
        index = range(len(self))[index]
        seen = self._by_document
        segments = Marked(seen.seen(index, self.labels), seen.names)
        if self.has_details:
            segments = Marked(self._detailed(index, segments.seen), seen.names)
        tokens = None if self.tokens is None else self.tokens_of(index)
        text = None if self.texts is None else self.texts[index]
        relations = tuple(self._relations(index)) if self.has_details else ()
        length = int(self.lengths[index])
        return Document(self.id_of(index), length, segments, tokens, text, relations)

    @property
    def has_details(self) -> bool:
        """Whether any segment has several pieces, attributes or relations."""
        return any(layer.details is not None for layer in self.layers.values())

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
        return tuple(self._relations(None))

    def _relations(self, document: int | None) -> Iterator[Relation]:
        """Yield the relations of a document, or of all."""
        for name, layer in self.layers.items():
            if layer.details is None:
                continue
            for first, second, label, directed in layer.details.relations():
                d = int(layer.document[first])
                if document is None or d == document:
                    head, tail = (layer.segment(row, self.labels) for row in (first, second))
                    yield Relation(self.id_of(d), name, head, tail, label, directed)

    def _detailed(
        self, document: int, seen: Mapping[str, tuple[Segment, ...]]
    ) -> dict[str, tuple[Segment, ...]]:
        """Return what was marked in a document with pieces and attributes."""
        made = dict(seen)
        for name in seen:
            layer = self.layers[name]
            if layer.details is not None:
                low, high = np.searchsorted(layer.document, (document, document + 1)).tolist()
                made[name] = tuple(layer.segment(i, self.labels) for i in range(low, high))
        return made

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
        )

    def _rows(self, name: str) -> list[list[Any]]:
        layer = self.layers[name]
        labels = np.array(self.labels, dtype=object)[layer.label]
        columns = (layer.document, layer.start, layer.end, labels, layer.annotated)
        return [*(column.tolist() for column in columns), layer._details]

    __hash__ = None  # type: ignore[assignment]  # compared by content, and arrays have no hash

    def __repr__(self) -> str:
        return (
            f"<Corpus of {counted(len(self), 'document')},"
            f" {counted(int(self.lengths.sum()), self.offsets[:-1])};"
            f" annotators: {', '.join(f'{n} ({len(x)})' for n, x in self.layers.items())};"
            f" labels: {', '.join(self.labels) or 'none'}>"
        )

    def with_ids(self, prefix: str = "", before: int = 0) -> Corpus:
        """Return the same corpus with ids: those it has, or the documents' numbers from 1.

        Of a part of a corpus, ``prefix`` stands before the numbers, or they go on after as many
        documents as come ``before``.
        """
        if self.ids is not None:
            return self
        return self.but(ids=tuple(f"{prefix}{before + i + 1}" for i in range(len(self))))

    def subset(self, documents: Sequence[int] | Ints | Bools) -> Corpus:
        """Return the same annotators over some of the documents, in the order given.

        ``documents`` are their numbers from 0, or a mask. Without ids, documents are numbered anew.

        Raises:
            InputError: for a document that is named twice or is not there.

        >>> corpus = Corpus.from_segments([5, 4], {"ann": [[(0, 2, "PER")], []]})
        >>> [len(corpus.subset([i]).layers["ann"]) for i in (0, 1)]
        [1, 0]
        """
        asked = np.asarray(documents)
        if not asked.size:
            asked = asked.astype(np.int64)
        try:
            if asked.dtype.kind not in "biu" or asked.ndim != 1:
                raise IndexError
            chosen = np.arange(len(self))[asked]
        except IndexError:
            raise InputError(
                f"subset: {show(documents)}; whole numbers below {len(self)}, the number of"
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
        return replace(self, layers=layers, **self.content_of(chosen))

    def of_annotators(self, names: Iterable[str], *, in_part: bool = False) -> Corpus:
        """Return the same documents with some of the annotators, in the order given.

        ``in_part``: this is a part of a corpus, which need not have all of them.

        Raises:
            SettingError: for a name that is not there, or is named twice.
        """
        if isinstance(names, str) or not isinstance(names, Iterable):
            raise SettingError(f"annotators {show(names)}; a list of names is needed")
        names = [name for name in names if not in_part or name in self.layers]
        check_known(names, self.layers)
        for name in (name for name, times in Counter(names).items() if times > 1):
            raise SettingError(f"annotator {show(name)} is named twice; once is enough")
        layers = {name: self.layers[name] for name in names}
        reading, notes = reading_of(self.reading, names), self.notes_but(self.layers.keys() - names)
        unsaid = tuple(name for name in self.unsaid if name in layers)
        return self.but(layers=layers, reading=reading, notes=notes, unsaid=unsaid)

    def notes_but(self, others: Iterable[str]) -> tuple[str, ...]:
        """Return the notes without those that begin with the name of one of the ``others``."""
        begins = tuple(f"{printable(name)}: " for name in others)
        return tuple(note for note in self.notes if not (begins and note.startswith(begins)))

    def with_labels(
        self,
        labels: Sequence[str] | None = None,
        map_labels: Mapping[str, str] | PathName | None = None,
    ) -> Corpus:
        """Return the same with other names of labels, and of these labels only.

        Args and errors are those of :func:`spanagree.corpus.labels.with_labels`.

        >>> corpus = Corpus.from_segments([5], {"ann": [[(0, 2, "person"), (3, 4, "X")]]})
        >>> corpus.with_labels(["PER"], {"person": "PER"})[0].segments["ann"]
        (Segment(start=0, end=2, label='PER'),)
        """
        taken = Corpus.from_raw(with_labels(self.to_raw(), labels, map_labels))
        return taken.but(changes=self.changes)

    def grouped_by(self, groups: str | Sequence[str | None], *, joined: bool = False) -> Corpus:
        """Return the same with documents in groups to resample, or each group as one document.

        Args and errors are those of :func:`spanagree.corpus.grouped.grouped`.

        >>> corpus = Corpus.from_segments([5, 4], {"a": [[], [(0, 2, "X")]]}, ids=["t-1", "t-2"])
        >>> corpus.grouped_by("(.*)-", joined=True)[0].segments["a"]
        (Segment(start=5, end=7, label='X'),)
        """
        taken = Corpus.from_raw(grouped(self.to_raw(), groups, joined))
        return taken.but(changes=self.changes)

    # --- tokens and characters ---

    def to_characters(self) -> Corpus:
        """Return the same segments with offsets in characters.

        Where the texts are not known, they are the tokens with a space between them.

        Raises:
            SettingError: if the tokens are not known.

        >>> corpus = Corpus(np.array([2]), {}, (), tokens=("No", "way"))
        >>> corpus.to_characters().texts
        ('No way',)
        """
        if self.offsets == "characters":
            return self
        tokens = self.known("tokens", "to_characters()")
        texts, starts = self.texts, self.token_starts
        if texts is None or starts is None:
            texts, starts = spaced(tokens, self.lengths)
        ends = starts + sizes_of(tokens)
        layers = {}
        for name, layer in self.layers.items():
            first = self.starts[layer.document]
            bounds = {"start": starts[first + layer.start], "end": ends[first + layer.end - 1]}
            details = layer.details
            if details is not None:
                pieces = {
                    row: tuple(
                        (int(starts[first[row] + s]), int(ends[first[row] + e - 1]))
                        for s, e in some
                    )
                    for row, some in details.pieces(layer.start).items()
                }
                details = details.with_pieces(pieces)
            layers[name] = replace(layer, **bounds, details=details)
        return replace(
            self,
            lengths=sizes_of(texts),
            layers=layers,
            offsets="characters",
            tokens=None,
            texts=texts,
            token_starts=None,
            text_ends=None,
        )

    def to_tokens(
        self, tokenizer: Callable[[str], Iterable[Any]] = str.split, cut: Cut = "error"
    ) -> Corpus:
        """Return the same segments with offsets in tokens.

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
        check_choice(cut, CUTS, "cut")
        if self.offsets == "tokens":
            return self
        texts = self.known("texts", "to_tokens()")
        tokens = tokenize(texts, tokenizer, self.id_of)
        kind = type(tokenizer).__name__
        called = "space" if tokenizer is str.split else getattr(tokenizer, "__name__", kind)
        layers: dict[str, Layer] = {}
        changes: list[Change] = []
        for name, layer in self.layers.items():
            fitted, details = fit_pieces(layer, texts, tokens, cut)
            changes += self._changes(name, layer, fitted, cut)
            kept = np.flatnonzero(~(fitted.gone | fitted.again))
            layers[name] = Layer(
                layer.document[kept],
                fitted.start[kept],
                fitted.end[kept],
                layer.label[kept],
                layer.annotated,
                details and details.taken(kept, fitted.stands_for),
            )
        kinds = Counter(change.kind for change in changes)
        says = {
            cut: f"that cut a token: {CUTS[cut]} ({cut})",
            "duplicate": "that became the same as another left out",
        }
        notes = (
            f"{counted(kinds[kind], 'segment')} {what}"
            for kind, what in says.items()
            if kinds[kind]
        )
        return replace(
            self,
            lengths=tokens.lengths,
            layers=layers,
            offsets="tokens",
            tokens=tokens.words,
            token_starts=tokens.starts,
            text_ends=None,
            reading={**self.reading, "tokenizer": called, **({"cut": cut} if changes else {})},
            notes=(*self.notes, *notes),
            changes=(*self.changes, *changes),
        )

    def _changes(self, name: str, layer: Layer, fitted: Fitted, cut: str) -> Iterator[Change]:
        """Yield the segments that were not taken over as they were; refuse them as ``cut`` says."""
        if cut == "error" and fitted.cuts.any():
            i = int(fitted.cuts.argmax())
            raise InputError(
                f"annotator {show(name)}, document {show(self.id_of(int(layer.document[i])))}:"
                f" segment {layer.describe([i], self.labels)} cuts a token, or has none"
                f"{more_like_it(int(fitted.cuts.sum()))}; use {chosen('cut', *list(CUTS)[1:])}"
            )
        for i in np.flatnonzero(fitted.cuts | fitted.again).tolist():
            label = self.labels[layer.label[i]]
            before = Segment(int(layer.start[i]), int(layer.end[i]), label)
            after = Segment(int(fitted.start[i]), int(fitted.end[i]), label)
            lost = fitted.gone[i] or fitted.again[i]
            kind = "duplicate" if fitted.again[i] else cut
            document = self.id_of(int(layer.document[i]))
            yield Change(kind, document, name, before, None if lost else after)
