"""The nouns: Segment, Document, Layer, Corpus.

A corpus is columnar: per annotator one :class:`Layer` of NumPy arrays over all documents.
:class:`Document` and :class:`Segment` are light views for people. Everything is checked once, when
a corpus is made, and frozen after that. Offsets are half-open, in tokens or in characters.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any

import numpy as np

from spanagree.arrays import Bools, Ints, met_before, ranges
from spanagree.corpus.segments import (
    LONGEST,
    OFFSETS,
    Change,
    Document,
    Layer,
    RawLayer,
    Segment,
    codes,
    frozen,
)
from spanagree.corpus.tokens import CUTS, Taken, locate, takes_in
from spanagree.errors import InputError, SettingError, check_choice, one_of, printable, show


@dataclass(frozen=True, eq=False)
class Corpus:
    """Documents, and what each annotator marked in them.

    Attributes:
        lengths: per document, its length in tokens or characters.
        layers: per annotator a :class:`Layer`, in the order given.
        labels: the names of the labels, sorted; the layers index them.
        offsets: what offsets count, one of :data:`OFFSETS`.
        ids: per document a unique name; without them documents are numbered from 1.
        tokens: all tokens of all documents in a row, where known.
        texts: per document its text, where known.
        token_starts: where each of the tokens begins in its text, where both are known.
        reading: the settings with which the corpus was read; they are part of every signature.
        notes: what a reader repaired or passed over, a sentence each.
        changes: the segments that :meth:`to_tokens` could not take over as they are.

    Raises:
        InputError: for a segment that is empty, ends before it starts, lies beyond its document,
            stands twice, or lies in a document that its annotator never saw; for arrays that do
            not belong together.
    """

    lengths: Ints
    layers: Mapping[str, Layer]
    labels: tuple[str, ...]
    offsets: str = "tokens"
    ids: tuple[str, ...] | None = None
    tokens: tuple[str, ...] | None = None
    texts: tuple[str, ...] | None = None
    token_starts: Ints | None = None
    reading: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "lengths", frozen(self.lengths, np.int64))
        object.__setattr__(self, "layers", MappingProxyType(dict(self.layers)))
        for name in ("labels", "ids", "tokens", "texts"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, tuple(getattr(self, name)))
        object.__setattr__(self, "reading", MappingProxyType(dict(self.reading)))
        if self.token_starts is not None:
            object.__setattr__(self, "token_starts", frozen(self.token_starts, np.int64))
        self._validate()

    @classmethod
    def from_segments(
        cls,
        lengths: Sequence[int],
        layers: Mapping[str, Sequence[Sequence[tuple[int, int, str]] | None]],
        *,
        offsets: str = "tokens",
        ids: Sequence[str] | None = None,
        texts: Sequence[str] | None = None,
    ) -> Corpus:
        """A corpus from plain lists.

        Args:
            lengths: per document, its length.
            layers: per annotator and document, (start, end, label) of each segment, or ``None``
                if the annotator never saw the document.
            offsets: what lengths and offsets count, one of :data:`OFFSETS`.
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
        raw = {}
        for name, documents in layers.items():
            if not isinstance(documents, Sequence) or not all(
                segments is None or isinstance(segments, Sequence) for segments in documents
            ):
                raise InputError(
                    f"annotator {show(name)}: {show(documents)}; a list of documents is needed,"
                    " each a list of segments or None"
                )
            if len(documents) != len(lengths):
                raise InputError(
                    f"annotator {show(name)}: {len(documents)} documents;"
                    f" {len(lengths)} lengths are given, one for each is needed"
                )
            flat = [
                (d, *_segment(s, name, d))
                for d, segments in enumerate(documents)
                for s in segments or ()
            ]
            document, start, end, label = zip(*flat, strict=True) if flat else ((), (), (), ())
            raw[name] = RawLayer(
                np.array(document, np.int64),
                np.array(start, np.int64),
                np.array(end, np.int64),
                *codes(label),
                np.array([segments is not None for segments in documents], np.bool_),
            )
        sizes = [_length(n, d) for d, n in enumerate(lengths)]
        return cls.from_raw(
            np.array(sizes, dtype=np.int64),
            raw,
            offsets=offsets,
            ids=None if ids is None else tuple(ids),
            texts=None if texts is None else tuple(texts),
        )

    @classmethod
    def from_raw(cls, lengths: Ints, raw: Mapping[str, RawLayer], **rest: Any) -> Corpus:
        """A corpus from layers that number labels each in its own way; the labels are united."""
        labels = tuple(sorted({name for layer in raw.values() for name in layer.names}))
        number = {name: i for i, name in enumerate(labels)}
        layers = {}
        for annotator, layer in raw.items():
            united = np.array([number[name] for name in layer.names], dtype=np.int64)
            layers[annotator] = Layer(
                layer.document, layer.start, layer.end, united[layer.label], layer.annotated
            )
        return cls(lengths, layers, labels, **rest)

    def __getstate__(self) -> dict[str, Any]:
        """For pickle, which does not take read-only views of mappings."""
        return {**self.__dict__, "layers": dict(self.layers), "reading": dict(self.reading)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(
            state,
            layers=MappingProxyType(state["layers"]),
            reading=MappingProxyType(state["reading"]),
        )

    @cached_property
    def starts(self) -> Ints:
        """Per document, how many tokens or characters come before it."""
        return np.cumsum(self.lengths) - self.lengths

    @property
    def annotators(self) -> tuple[str, ...]:
        """The names of the layers, in the order given."""
        return tuple(self.layers)

    def __len__(self) -> int:
        """The number of documents."""
        return len(self.lengths)

    def __iter__(self) -> Iterator[Document]:
        return (self[i] for i in range(len(self)))

    def __getitem__(self, index: int) -> Document:
        """Document number ``index``, from 0; negative numbers count from the end."""
        index = range(len(self))[index]
        segments: dict[str, tuple[Segment, ...] | None] = {}
        for name, layer in self.layers.items():
            low, high = np.searchsorted(layer.document, (index, index + 1))
            columns = (c[low:high].tolist() for c in (layer.start, layer.end, layer.label))
            segments[name] = (
                tuple(Segment(s, e, self.labels[c]) for s, e, c in zip(*columns, strict=True))
                if layer.annotated[index]
                else None
            )
        tokens = None
        if self.tokens is not None:
            first = int(self.starts[index])
            tokens = self.tokens[first : first + int(self.lengths[index])]
        text = None if self.texts is None else self.texts[index]
        return Document(self.id_of(index), int(self.lengths[index]), segments, tokens, text)

    def __eq__(self, other: object) -> bool:
        """Equal documents, annotators and segments.

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
            and _same(self.token_starts, other.token_starts)
            and all(self.id_of(i) == other.id_of(i) for i in range(len(self)))
            and all(self._rows(name) == other._rows(name) for name in self.layers)
        )

    def _rows(self, name: str) -> tuple[list[Any], ...]:
        layer = self.layers[name]
        names = [self.labels[code] for code in layer.label.tolist()]
        return (
            *(c.tolist() for c in (layer.document, layer.start, layer.end, layer.annotated)),
            names,
        )

    __hash__ = None  # type: ignore[assignment]  # compared by content, and arrays have no hash

    def __repr__(self) -> str:
        return (
            f"<Corpus of {len(self)} documents, {int(self.lengths.sum())} {self.offsets};"
            f" annotators: {', '.join(f'{n} ({len(x)})' for n, x in self.layers.items())};"
            f" labels: {', '.join(self.labels) or 'none'}>"
        )

    def id_of(self, index: int) -> str:
        """The name of a document: its id, or its number from 1."""
        return str(index + 1) if self.ids is None else self.ids[index]

    def with_ids(self, prefix: str = "", before: int = 0) -> Corpus:
        """The same corpus with ids: those it has, or the documents' numbers from 1.

        Of a part of a corpus, ``prefix`` stands before the numbers, or they go on after as many
        documents as come ``before``.
        """
        if self.ids is not None:
            return self
        numbers = range(before + 1, before + 1 + len(self))
        return replace(self, ids=tuple(f"{prefix}{number}" for number in numbers))

    def subset(self, documents: Sequence[int] | Ints | Bools) -> Corpus:
        """The same annotators over some of the documents, in the order given.

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
            layers[name] = Layer(
                place[kept.document], kept.start, kept.end, kept.label, layer.annotated[chosen]
            )
        tokens, starts = self.tokens, self.token_starts
        if tokens is not None:
            first = self.starts[chosen]
            of, _ = ranges(first, first + self.lengths[chosen])
            tokens = tuple(tokens[i] for i in of.tolist())
            starts = None if starts is None else starts[of]
        return replace(
            self,
            lengths=self.lengths[chosen],
            layers=layers,
            ids=None if self.ids is None else tuple(self.ids[i] for i in chosen),
            tokens=tokens,
            texts=None if self.texts is None else tuple(self.texts[i] for i in chosen),
            token_starts=starts,
        )

    def of_annotators(self, names: Iterable[str]) -> Corpus:
        """The same documents with some of the annotators, in the order given.

        Raises:
            SettingError: for a name that is not there, or is named twice.
        """
        if isinstance(names, str) or not isinstance(names, Iterable):
            raise SettingError(f"annotators {show(names)}; a list of names is needed")
        names = list(names)
        for i, name in enumerate(names):
            if name not in self.layers:
                raise one_of(name, map(printable, self.layers), "annotator")
            if name in names[:i]:
                raise SettingError(f"annotator {show(name)} is named twice; once is enough")
        return replace(self, layers={name: self.layers[name] for name in names})

    # --- tokens and characters ---

    def to_characters(self) -> Corpus:
        """The same segments with offsets in characters.

        Where the texts are not known, they are the tokens with a space between them.

        Raises:
            SettingError: if the tokens are not known.

        >>> corpus = Corpus(np.array([2]), {}, (), tokens=("No", "way"))
        >>> corpus.to_characters().texts
        ('No way',)
        """
        if self.offsets == "characters":
            return self
        if self.tokens is None:
            raise SettingError("the tokens are not known, so they have no place among characters")
        sizes = np.array([len(token) for token in self.tokens], np.int64)
        first = self.starts
        texts, starts = self.texts, self.token_starts
        if texts is None or starts is None:
            bounds = zip(first.tolist(), (first + self.lengths).tolist(), strict=True)
            texts = tuple(" ".join(self.tokens[a:b]) for a, b in bounds)
            before = np.cumsum(sizes + 1) - sizes - 1
            starts = before - np.repeat(np.append(before, 0)[first], self.lengths)
        layers = {}
        for name, layer in self.layers.items():
            of = first[layer.document]
            last = of + layer.end - 1
            layers[name] = replace(
                layer, start=starts[of + layer.start], end=starts[last] + sizes[last]
            )
        return replace(
            self,
            lengths=np.array([len(text) for text in texts], np.int64),
            layers=layers,
            offsets="characters",
            tokens=None,
            texts=texts,
            token_starts=None,
        )

    def to_tokens(
        self, tokenizer: Callable[[str], Iterable[Any]] = str.split, cut: str = "error"
    ) -> Corpus:
        """The same segments with offsets in tokens.

        White space at the edge of a segment falls away. What else could not be taken over as it
        was is counted in ``notes`` and listed in ``changes``.

        Args:
            tokenizer: gives the tokens of a text: strings, (start, end) pairs or spaCy tokens.
            cut: what becomes of a segment that begins or ends inside a token, or has no token:
                one of :data:`spanagree.offsets.CUTS`.

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
        if self.texts is None:
            raise SettingError("the texts are not known, so there is nothing to cut into tokens")
        pieces = [
            locate(text, tokenizer(text), f"document {show(self.id_of(d))}")
            for d, text in enumerate(self.texts)
        ]
        tokens = tuple(word for words, _ in pieces for word in words)
        starts = np.array([start for _, of in pieces for start in of], np.int64)
        lengths = np.array([len(words) for words, _ in pieces], np.int64)
        # one long line of characters, each document on a stretch of its own
        stretch = np.cumsum(self.lengths + 1) - self.lengths - 1
        line = starts + np.repeat(stretch, lengths)
        ends = line + np.array([len(token) for token in tokens], np.int64)
        first = np.cumsum(lengths) - lengths
        layers, changes = {}, []
        for name, layer in self.layers.items():
            base = stretch[layer.document]
            taken = takes_in(base + layer.start, base + layer.end, line, ends)
            cuts = taken.cuts | self._uncovered(layer, base, taken, line, ends)
            if cut == "error" and cuts.any():
                self._refuse_cut(name, layer, cuts)
            low, high = taken[2:] if cut == "contract" else taken[:2]
            gone = (low >= high) | (cuts & (cut == "drop"))
            moved = (layer.document, low - first[layer.document], high - first[layer.document])
            apart = np.where(gone, -1 - np.arange(len(gone)), 0)  # what is gone repeats nothing
            twice = met_before(*moved, layer.label, apart)
            for i in np.flatnonzero(cuts | twice).tolist():
                label = self.labels[layer.label[i]]
                after = Segment(int(moved[1][i]), int(moved[2][i]), label)
                changes.append(
                    Change(
                        "duplicate" if twice[i] else cut,
                        self.id_of(int(layer.document[i])),
                        name,
                        Segment(int(layer.start[i]), int(layer.end[i]), label),
                        None if gone[i] or twice[i] else after,
                    )
                )
            kept = ~(gone | twice)
            layers[name] = replace(layer.only(kept), start=moved[1][kept], end=moved[2][kept])
        kinds = [change.kind for change in changes]
        notes = [
            f"{kinds.count(kind)} segments {says}"
            for kind, says in (
                (cut, f"that cut a token: {CUTS[cut]} ({cut})"),
                ("duplicate", "that became the same as another left out"),
            )
            if kind in kinds
        ]
        return replace(
            self,
            lengths=lengths,
            layers=layers,
            offsets="tokens",
            tokens=tokens,
            token_starts=starts,
            reading={**self.reading, **({"cut": cut} if changes else {})},
            notes=(*self.notes, *notes),
            changes=(*self.changes, *changes),
        )

    def _uncovered(self, layer: Layer, base: Ints, taken: Taken, line: Ints, ends: Ints) -> Bools:
        """Which segments have characters at an edge, not white space, that no token covers."""
        found = np.zeros(len(layer), np.bool_)
        whole = np.flatnonzero(~taken.cuts)
        low, high = line[taken.low[whole]] - base[whole], ends[taken.high[whole] - 1] - base[whole]
        ragged = (layer.start[whole] < low) | (high < layer.end[whole])
        for i, a, b in zip(whole[ragged], low[ragged].tolist(), high[ragged].tolist(), strict=True):
            text = (self.texts or ())[layer.document[i]]
            found[i] = bool((text[layer.start[i] : a] + text[b : layer.end[i]]).strip())
        return found

    def _refuse_cut(self, name: str, layer: Layer, cuts: Bools) -> None:
        i = int(cuts.argmax())
        d = int(layer.document[i])
        more = f" (and {cuts.sum() - 1} more like it)" if cuts.sum() > 1 else ""
        raise InputError(
            f"annotator {show(name)}, document {show(self.id_of(d))}: segment"
            f" {layer.start[i]}–{layer.end[i]} {show(self.labels[layer.label[i]])} cuts a token, or"
            f" has none{more}; cut {', '.join(list(CUTS)[1:])} would work"
        )

    # --- checks ---

    def _validate(self) -> None:
        check_choice(self.offsets, OFFSETS, "offsets")
        if float(self.lengths.sum(dtype=np.float64)) > LONGEST:
            raise InputError(
                f"the documents have {self.lengths.sum(dtype=np.float64):.3g} {self.offsets}; more"
                f" than {LONGEST:.3g} are not supported"
            )
        if len(self.lengths) and self.lengths.min() < 0:
            d = int(self.lengths.argmin())
            raise InputError(
                f"document {show(self.id_of(d))}: length {self.lengths[d]}; at least 0 is allowed"
            )
        if self.ids is not None:
            self._validate_ids(self.ids)
        if self.tokens is not None and len(self.tokens) != self.lengths.sum():
            raise InputError(
                f"{len(self.tokens)} tokens; the lengths of the documents add up to"
                f" {self.lengths.sum()}"
            )
        if self.texts is not None:
            self._validate_texts(self.texts)
        if self.token_starts is not None and len(self.token_starts) != len(self.tokens or ()):
            raise InputError(
                f"{len(self.token_starts)} starts for {len(self.tokens or ())} tokens; each token"
                " needs one"
            )
        if len(set(self.labels)) < len(self.labels):
            raise InputError(f"labels {show(self.labels)}; each label is named once")
        for label in self.labels:
            if not isinstance(label, str) or not label.strip():
                raise InputError(f"label {show(label)}; a label is a string that is not blank")
        for name, layer in self.layers.items():
            self._validate_layer(name, layer)

    def _validate_ids(self, ids: tuple[str, ...]) -> None:
        if len(ids) != len(self):
            raise InputError(f"{len(ids)} ids; one for each of the {len(self)} documents is needed")
        seen: set[str] = set()
        for id_ in ids:
            if not isinstance(id_, str) or not id_ or id_ in seen:
                raise InputError(
                    f"document id {show(id_)}; ids are strings that are not empty, each used once"
                )
            seen.add(id_)

    def _validate_texts(self, texts: tuple[str, ...]) -> None:
        if len(texts) != len(self):
            raise InputError(
                f"{len(texts)} texts; one for each of the {len(self)} documents is needed"
            )
        for d, (text, length) in enumerate(zip(texts, self.lengths.tolist(), strict=True)):
            if self.offsets == "characters" and len(text) != length:
                raise InputError(
                    f"document {show(self.id_of(d))}: {len(text)} characters; its length is given"
                    f" as {length}"
                )

    def _validate_layer(self, name: str, layer: Layer) -> None:
        if not isinstance(name, str) or not name:
            raise InputError(f"annotator {show(name)}; a name is a string that is not empty")
        if len(layer.annotated) != len(self):
            raise InputError(
                f"annotator {show(name)}: marks for {len(layer.annotated)} documents;"
                f" the corpus has {len(self)}"
            )
        if len(layer) and not 0 <= layer.document[0] <= layer.document[-1] < len(self):
            raise InputError(
                f"annotator {show(name)}: a segment lies in document number"
                f" {layer.document[[0, -1]].tolist()}; 0 to {len(self) - 1} are there"
            )
        if len(layer) and not 0 <= layer.label.min() <= layer.label.max() < len(self.labels):
            raise InputError(
                f"annotator {show(name)}: label number {layer.label.max()};"
                f" the corpus has {len(self.labels)} labels"
            )
        same = np.zeros(len(layer), np.bool_)
        same[1:] = np.logical_and.reduce(
            [np.diff(c) == 0 for c in (layer.document, layer.start, layer.end, layer.label)]
        )
        for bad, what in (
            (layer.end == layer.start, "is empty; a segment has at least one token"),
            (layer.end < layer.start, "ends before it starts"),
            (layer.start < 0, "starts before the document"),
            (layer.end > self.lengths[layer.document], "ends beyond the document of length {}"),
            (~layer.annotated[layer.document], "lies in a document marked as never seen"),
            (same, "stands twice; a segment is marked once"),
        ):
            if bad.any():
                i = int(bad.argmax())
                d = int(layer.document[i])
                more = f" (and {bad.sum() - 1} more like it)" if bad.sum() > 1 else ""
                raise InputError(
                    f"annotator {show(name)}, document {show(self.id_of(d))}: segment"
                    f" {layer.start[i]}–{layer.end[i]} {show(self.labels[layer.label[i]])}"
                    f" {what.format(self.lengths[d])}{more}"
                )


def _same(one: Ints | None, other: Ints | None) -> bool:
    return one is other or (
        one is not None and other is not None and bool(np.array_equal(one, other))
    )


def _length(n: object, document: int) -> int:
    if isinstance(n, (int, np.integer)) and not isinstance(n, bool) and 0 <= n <= LONGEST:
        return int(n)
    raise InputError(
        f"document {document + 1}: length {show(n)}; a whole number from 0 to {LONGEST:.3g} is"
        " needed"
    )


def _segment(segment: object, annotator: str, document: int) -> tuple[int, int, str]:
    match segment:
        case (bool(), _, _) | (_, bool(), _) | (_, _, ""):
            pass
        case (int() | np.integer() as start, int() | np.integer() as end, str() as label):
            begin, stop = int(start), int(end)
            if max(abs(begin), abs(stop)) <= LONGEST:
                return begin, stop, label
    raise InputError(
        f"annotator {show(annotator)}, document {document + 1}: segment {show(segment)};"
        " (start, end, label) is needed, two whole numbers and a string that is not empty"
    )
