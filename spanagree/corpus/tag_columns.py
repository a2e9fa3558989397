"""Columns of tags, one for each layer over the same tokens: what all sources of tags share."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from types import NoneType
from typing import Any, TypeAlias

import numpy as np

from spanagree.arrays import Bools, Ints, compact
from spanagree.corpus.balance import READ, Balance, added, moved
from spanagree.corpus.details import SegmentDetails
from spanagree.corpus.raw import RawCorpus
from spanagree.corpus.segments import RawLayer
from spanagree.corpus.tags import TagSegments, is_ignored, read_tags, scheme_named
from spanagree.corpus.words import TokenBytes
from spanagree.errors import (
    InputError,
    SettingError,
    check_choice,
    escape_name,
    pluralize,
    quote_value,
)

_NO_MARKS = ("O", "", "_")
_Where: TypeAlias = Callable[[int], str]  # where a token stands

PARTIAL = {
    "error": "a document with tags on some of its tokens only is an error",
    "drop-tokens": "a token that one annotator did not tag is left out for all, and counted",
}
"""What becomes of documents that a layer covers in part."""


@dataclass(frozen=True)
class TagOptions:
    """How tags are read.

    Attributes:
        scheme: the tag scheme, by any of its names, or ``auto``: each layer's own.
        strict: take only segments that are well-formed in the scheme.
        partial: what becomes of documents that a layer covers in part, one of :data:`PARTIAL`.
        outside: tags that mean that nothing is marked, in addition to ``O``: one or several.

    Raises:
        SettingError: for an unknown scheme or ``partial``, or tags outside that are not names.
    """

    scheme: str = "auto"
    strict: bool = False
    partial: str = "error"
    outside: str | Sequence[str] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "scheme", scheme_named(self.scheme, "auto"))
        check_choice(self.partial, PARTIAL, "partial")
        object.__setattr__(self, "outside", outside_tags(self.outside))

    def as_tags(self, values: Iterable[str]) -> list[str]:
        """Return tags with ``O`` in place of those that mean that nothing is marked."""
        return ["O" if value in self.outside else value for value in values]


def outside_tags(tags: object) -> tuple[str, ...]:
    """Return the tags that mean that nothing is marked.

    Raises:
        SettingError: for what are not names of tags.

    >>> outside_tags("_"), outside_tags(["OTHER", "NONE"])
    (('_',), ('OTHER', 'NONE'))
    """
    names = (tags,) if isinstance(tags, str) else tags
    if isinstance(names, (list, tuple)) and all(isinstance(name, str) for name in names):
        return tuple(dict.fromkeys(names))
    raise SettingError(f"outside {quote_value(tags)}; tags that mean nothing marked, such as '_'")


@dataclass(frozen=True, eq=False)
class TagColumn:
    """The tags of one layer.

    Attributes:
        names: the distinct tags.
        codes: per token of all documents the index of its tag, −1 where it has none.
        never: per document, whether this annotator is known never to have seen it; a document
            without any tag was not seen either.
        brackets: of tags that are brackets, what the parts behind one are called.
        attributes: by name, the values of tokens, −1 for none, and what these numbers stand for;
            a segment has those of its first token.
    """

    names: Sequence[str]
    codes: Ints
    never: Bools | None = None
    brackets: Sequence[str] | None = None
    attributes: Mapping[str, tuple[Ints, tuple[str, ...]]] = field(default_factory=dict)

    def read(
        self, lengths: Ints, kept: Bools, options: TagOptions, location: _Where
    ) -> TagSegments:
        """Return the segments in sentences of the tokens that are kept."""
        codes = self.codes if kept.all() else self.codes[kept]

        def place(token: int) -> str:
            return location(int(np.flatnonzero(kept)[token]))

        if self.brackets is not None:
            from spanagree.corpus.brackets import read_brackets  # few tags are brackets

            return read_brackets(self.names, codes, lengths, self.brackets, place)
        settings: dict[str, Any] = {
            "scheme": options.scheme,
            "strict": options.strict,
            "location": place,
        }
        return read_tags(options.as_tags(self.names), codes, lengths, **settings)

    def n_marks(self, options: TagOptions) -> int:
        """Return how many tokens have a tag that marks something."""
        numbers = np.bincount(self.codes[self.codes >= 0], minlength=len(self.names))
        means = options.as_tags(self.names)
        return int(sum(n for n, tag in zip(numbers, means, strict=True) if tag not in _NO_MARKS))

    def details(self, tokens: Ints) -> SegmentDetails | None:
        """Return the attributes of segments by their first tokens; ``None`` if none has any."""
        codes = {name: codes[tokens] for name, (codes, _) in self.attributes.items()}
        codes = {name: some for name, some in codes.items() if (some >= 0).any()}
        if not codes:
            return None
        values = {name: self.attributes[name][1] for name in codes}
        return replace(SegmentDetails.none(len(tokens)), attributes=codes, values=values)

    @property
    def has_ignored(self) -> bool:
        """Whether training leaves some tokens out."""
        return any(map(is_ignored, self.names))

    def without_ignored(self) -> TagColumn:
        """Return the column with no tag for the tokens that training leaves out."""
        if not self.has_ignored:
            return self
        ignored = [i for i, name in enumerate(self.names) if is_ignored(name)]
        codes = np.where(np.isin(self.codes, ignored), -1, self.codes.astype(np.int64))
        return replace(self, codes=codes)

    @classmethod
    def of_seen(cls, names: Sequence[str], codes: Ints, never: Bools, lengths: Ints) -> TagColumn:
        """Return the column of which only the tags of documents that were seen are given."""
        if never.any():
            everywhere = np.full(int(lengths.sum()), -1)
            everywhere[np.repeat(~never, lengths)] = codes
            codes = everywhere
        return cls(names, codes, never)


def read_columns(
    columns: Mapping[str, TagColumn],
    documents: Ints,
    options: TagOptions,
    reading: Mapping[str, Any],
    *,
    beside: Iterable[TagColumn],
    sentences: Ints | Mapping[str, Ints] | None = None,
    location: Callable[[str, int], str] | None = None,
    tokens: Iterable[str] | None = None,
    ids: Iterable[str] | None = None,
    notes: Iterable[str] = (),
) -> RawCorpus:
    """Return the rows of several tag columns, by layer.

    Args:
        columns: by layer.
        documents: per document its number of tokens.
        options, reading, ids, notes: how tags are read, and what else the source says.
        beside: the columns of tags that the source has and that are not read, which are counted.
        sentences: their numbers of tokens, perhaps by layer, which segments keep within.
        location: says where a token of a layer stands, for errors.
        tokens: all of them; those that are left are kept.

    Raises:
        InputError: for tags that the scheme does not have, and documents covered in part.
    """
    document = np.repeat(compact(np.arange(len(documents))), documents)
    place_of = location or _in_document(documents)
    seen, kept = _coverage(columns, documents, document, place_of, options.partial)
    if not isinstance(sentences, Mapping):
        sentences = dict.fromkeys(columns, documents if sentences is None else sentences)
    notes, partial = list(notes), {}
    if not kept.all():
        lost = pluralize(int((~kept).sum()), "token")
        notes.append(f"{lost} that some annotator did not tag left out for all")
        partial = {"partial": "drop-tokens"}
        before = np.concatenate(([0], np.cumsum(kept)))
        cut = {name: before[np.cumsum(sizes)] for name, sizes in sentences.items()}
        sentences = {name: np.diff(ends, prepend=0) for name, ends in cut.items()}
        documents = np.bincount(document[kept], minlength=len(documents))
        tokens = None if tokens is None else compress(tokens, kept.tolist())
    readings = {
        name: column.read(sentences[name], kept, options, functools.partial(place_of, name))
        for name, column in columns.items()
    }
    settings, remarks = _settings(readings, options)
    balance = _balance(readings.values(), kept, sum(c.n_marks(options) for c in beside))
    return RawCorpus.from_layers(
        documents,
        {
            name: _layer(readings.pop(name), sentences[name], documents, seen[name], column, kept)
            for name, column in columns.items()
        },  # let go
        ids=None if ids is None else tuple(ids),
        tokens=tokens if isinstance(tokens, (TokenBytes, NoneType)) else tuple(tokens),
        reading={**reading, **settings, **partial},
        notes=(*notes, *remarks),
        balance=balance,
    )


def _balance(readings: Collection[TagSegments], kept: Bools, n_beside: int) -> Balance:
    """Count the tags that mark something, and the tokens, that were read and that were not."""
    n_dropped = sum(reading.dropped for reading in readings)
    n_kept = int(np.count_nonzero(kept))
    tags: Balance = {
        "tag": {READ: sum(reading.marked for reading in readings)},
        "token": {READ: len(kept)},
    }
    if n_beside:
        tags = added([tags, {"tag": {"in columns that are not read": n_beside}}])
    tags = moved(tags, "tag", "outside every well-formed segment", n_dropped)
    return moved(tags, "token", "not tagged by every annotator", len(kept) - n_kept)


def _layer(
    reading: TagSegments,
    sentences: Ints,
    documents: Ints,
    seen: Bools,
    column: TagColumn,
    kept: Bools,
) -> RawLayer:
    """Return the segments of sentences at their places in the documents."""
    first, ends = np.cumsum(sentences) - sentences, np.cumsum(documents)
    details = None
    if column.attributes:
        details = column.details(np.flatnonzero(kept)[first[reading.sentence] + reading.start])
    document = np.minimum(np.searchsorted(ends, first, side="right"), len(documents) - 1)
    first -= (ends - documents)[document]  # where in its document each sentence begins
    base = first[reading.sentence]
    bounds = reading.start + base, reading.end + base
    return RawLayer(
        document[reading.sentence], *bounds, reading.label, reading.names, seen, details
    )


def _settings(
    readings: Mapping[str, TagSegments], options: TagOptions
) -> tuple[dict[str, Any], list[str]]:
    """Return how layers were read: as settings, and as notes."""
    notes = [note for name, reading in readings.items() for note in _notes_on(name, reading)]
    schemes = {name: reading.scheme for name, reading in readings.items()}
    if options.strict and len(set(schemes.values()) - {"none"}) > 1:
        scheme_of_each = ", ".join(
            f"{escape_name(name)} {scheme}" for name, scheme in schemes.items()
        )
        notes.append(
            f"read strictly in different schemes ({scheme_of_each}); name one to compare annotators"
        )
    ill_formed = {name: r.ill_formed for name, r in readings.items() if r.ill_formed}
    settings = {"scheme": options.scheme, "strict": options.strict, "schemes": schemes}
    return settings | ({"ill_formed": ill_formed} if ill_formed else {}), notes


def _coverage(
    columns: Mapping[str, TagColumn],
    documents: Ints,
    document: Ints,
    location: Callable[[str, int], str],
    partial: str,
) -> tuple[dict[str, Bools], Bools]:
    """Return which documents each layer saw, and which tokens have a tag in all that saw them."""
    kept = np.ones(len(document), np.bool_)
    seen = {}
    for name, column in columns.items():
        lacking = column.codes < 0
        here = np.ones(len(documents), np.bool_) if column.never is None else ~column.never
        if lacking.any():
            missing = np.bincount(document[lacking], minlength=len(documents))
            here &= (missing < documents) | (documents == 0)
            lacking &= here[document]
            if lacking.any() and partial == "error":
                raise InputError(
                    f"{location(name, int(lacking.argmax()))}: no tag here, but elsewhere in the"
                    " document; a document is seen as a whole or not at all; partial drop-tokens"
                    " leaves such tokens out"
                )
            kept &= ~lacking
        seen[name] = here
    return seen, kept


def _in_document(documents: Ints) -> Callable[[str, int], str]:
    """Return a function that names the place of a token, for sources without lines."""
    ends = np.cumsum(documents)

    def location(layer: str, token: int) -> str:
        d = int(np.searchsorted(ends, token, side="right"))
        number = token - int(ends[d] - documents[d]) + 1
        return f"{quote_value(layer)}, document {d + 1}, token {number}".removeprefix("'', ")

    return location


def _notes_on(name: str, reading: TagSegments) -> list[str]:
    """Return notes on how a layer's tags were read."""
    notes = []
    if reading.repaired:
        kind = "" if reading.scheme == "mixed" else f" ({reading.scheme})"
        tags = pluralize(reading.repaired, "ill-formed tag")
        notes.append(f"{escape_name(name)}: {tags} read as conlleval does{kind}")
    if reading.dropped:
        tags = pluralize(reading.dropped, "tag")
        notes.append(
            f"{escape_name(name)}: {tags} outside every well-formed {reading.scheme} segment not"
            " counted (strict)"
        )
    return notes
