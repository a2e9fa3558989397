"""Columns of tags, one for each layer over the same tokens, from any source of tags."""

from __future__ import annotations

import functools
import shlex
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import compress
from types import NoneType
from typing import Any, TypeAlias

import numpy as np

from spanagree.arrays import Bools, Ints, narrow_integers
from spanagree.corpus.balance import READ, Balance, add_balances, move_count
from spanagree.corpus.details import SegmentDetails
from spanagree.corpus.raw import RawCorpus
from spanagree.corpus.segments import RawLayer, TokenBytes
from spanagree.corpus.tags import TagSegments, is_ignored, look_up_scheme, looks_outside, read_tags
from spanagree.errors import (
    InputError,
    SettingError,
    check_choice,
    escape_name,
    format_setting,
    pluralize,
    quote_value,
)

_NO_MARKS = ("O", "", "_")
_Where: TypeAlias = Callable[[int], str]  # location of a token by index

TagReader: TypeAlias = Callable[[Sequence[str], Ints, Ints, _Where], TagSegments]
"""Function that reads segments from distinct tags, the tag of each token, lengths and location."""

PARTIAL = {
    "error": "a document with tags on some of its tokens only is an error",
    "drop-tokens": "a token that one annotator did not tag is left out for all, and counted",
}
"""Treatments of documents that a layer covers in part."""


@dataclass(frozen=True)
class TagOptions:
    """Options for reading tags.

    Attributes:
        scheme: name of the tag scheme, or ``auto`` to detect it for each layer.
        strict: True to read only segments that are well-formed in the scheme.
        partial: treatment of documents that a layer covers in part, a name in :data:`PARTIAL`.
        outside: tags, one or several, that mark nothing, in addition to ``O``.

    Raises:
        SettingError: if the scheme or ``partial`` is unknown, or tags outside are not names.
    """

    scheme: str = "auto"
    strict: bool = False
    partial: str = "error"
    outside: str | Sequence[str] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "scheme", look_up_scheme(self.scheme, "auto"))
        check_choice(self.partial, PARTIAL, "partial")
        object.__setattr__(self, "outside", check_outside_tags(self.outside))

    def replace_empty_tags(self, values: Iterable[str]) -> list[str]:
        """Replace tags that mark nothing with ``O``."""
        return ["O" if value in self.outside else value for value in values]


def check_outside_tags(tags: object) -> tuple[str, ...]:
    """Check tags that mark nothing, and remove repetitions.

    Raises:
        SettingError: if they are not names of tags.

    >>> check_outside_tags("_"), check_outside_tags(["OTHER", "NONE"])
    (('_',), ('OTHER', 'NONE'))
    """
    names = (tags,) if isinstance(tags, str) else tags
    if isinstance(names, (list, tuple)) and all(isinstance(name, str) for name in names):
        return tuple(dict.fromkeys(names))
    raise SettingError(f"outside {quote_value(tags)}; tags that mean nothing marked, such as '_'")


@dataclass(frozen=True, eq=False)
class TagColumn:
    """Tags of one layer.

    Attributes:
        names: distinct tags.
        codes: index of the tag of each token in all documents, −1 without a tag.
        never: mask of documents that the annotator is known never to have seen; a document without
            any tag was not seen either.
        read_special: function that reads tags of another notation, such as brackets.
        attributes: codes of the values of tokens, −1 without a value, and the values, by name; a
            segment has the values of its first token.
    """

    names: Sequence[str]
    codes: Ints
    never: Bools | None = None
    read_special: TagReader | None = None
    attributes: Mapping[str, tuple[Ints, tuple[str, ...]]] = field(default_factory=dict)

    def read(
        self, lengths: Ints, is_kept: Bools, options: TagOptions, location: _Where
    ) -> TagSegments:
        """Read the segments of sentences from the tokens of the mask `is_kept`.

        ``lengths`` are the numbers of kept tokens of the sentences.
        """
        codes = self.codes if is_kept.all() else self.codes[is_kept]

        def locate_kept_token(token: int) -> str:
            return location(int(np.flatnonzero(is_kept)[token]))

        if self.read_special is not None:
            return self.read_special(self.names, codes, lengths, locate_kept_token)
        return read_tags(
            options.replace_empty_tags(self.names),
            codes,
            lengths,
            scheme=options.scheme,
            strict=options.strict,
            location=locate_kept_token,
        )

    def count_marks(self, options: TagOptions) -> int:
        """Count the tokens with a tag that marks something."""
        count_by_tag = np.bincount(self.codes[self.codes >= 0], minlength=len(self.names))
        tags = options.replace_empty_tags(self.names)
        return int(
            sum(
                count for count, tag in zip(count_by_tag, tags, strict=True) if tag not in _NO_MARKS
            )
        )

    def select_details(self, tokens: Ints) -> SegmentDetails | None:
        """Select the attributes of segments by their first tokens; ``None`` if none has any."""
        codes_by_name = {name: codes[tokens] for name, (codes, _) in self.attributes.items()}
        codes_by_name = {
            name: codes_of_segments
            for name, codes_of_segments in codes_by_name.items()
            if (codes_of_segments >= 0).any()
        }
        if not codes_by_name:
            return None
        values = {name: self.attributes[name][1] for name in codes_by_name}
        return replace(
            SegmentDetails.create_empty(len(tokens)), attributes=codes_by_name, values=values
        )

    @property
    def has_ignored(self) -> bool:
        """True if some tokens are ignored in training."""
        return any(map(is_ignored, self.names))

    def remove_ignored(self) -> TagColumn:
        """Remove the tags of tokens that are ignored in training."""
        if not self.has_ignored:
            return self
        ignored_codes = [i for i, name in enumerate(self.names) if is_ignored(name)]
        codes = np.where(np.isin(self.codes, ignored_codes), -1, self.codes.astype(np.int64))
        return replace(self, codes=codes)

    @classmethod
    def from_seen(cls, names: Sequence[str], codes: Ints, never: Bools, lengths: Ints) -> TagColumn:
        """Build a column from the tags of the documents that were seen.

        ``codes`` are the codes of these tags, ``never`` is the mask of unseen documents, and
        ``lengths`` are the numbers of tokens of all documents.
        """
        if never.any():
            all_codes = np.full(int(lengths.sum()), -1)
            all_codes[np.repeat(~never, lengths)] = codes
            codes = all_codes
        return cls(names, codes, never)


def read_columns(
    columns: Mapping[str, TagColumn],
    documents: Ints,
    options: TagOptions,
    reading: Mapping[str, Any],
    *,
    unread: Iterable[TagColumn],
    sentences: Ints | Mapping[str, Ints] | None = None,
    location: Callable[[str, int], str] | None = None,
    tokens: Iterable[str] | None = None,
    ids: Iterable[str] | None = None,
    notes: Iterable[str] = (),
) -> RawCorpus:
    """Read the rows of several tag columns.

    Args:
        columns: columns by layer.
        documents: number of tokens of each document.
        options, reading, ids, notes: options for tags, and other content of the source.
        unread: columns of tags of the source that are not read, but counted.
        sentences: numbers of tokens of sentences, perhaps by layer; segments do not cross them.
        location: function that describes the location of a token of a layer, for error messages.
        tokens: all tokens; those that are read are stored.

    Raises:
        InputError: if a tag is not in the scheme, or a document is covered in part.
    """
    document_of_token = np.repeat(narrow_integers(np.arange(len(documents))), documents)
    locate_token = location or _build_locator(documents)
    seen_by_layer, is_kept = _compute_coverage(
        columns, documents, document_of_token, locate_token, options.partial
    )
    if not isinstance(sentences, Mapping):
        sentences = dict.fromkeys(columns, documents if sentences is None else sentences)
    notes, partial_setting = list(notes), {}
    if not is_kept.all():
        n_lost = pluralize(int((~is_kept).sum()), "token")
        notes.append(f"{n_lost} that some annotator did not tag left out for all")
        partial_setting = {"partial": "drop-tokens"}
        n_kept_before = np.concatenate(([0], np.cumsum(is_kept)))
        ends_by_layer = {name: n_kept_before[np.cumsum(sizes)] for name, sizes in sentences.items()}
        sentences = {name: np.diff(ends, prepend=0) for name, ends in ends_by_layer.items()}
        documents = np.bincount(document_of_token[is_kept], minlength=len(documents))
        tokens = None if tokens is None else compress(tokens, is_kept.tolist())
    segments_by_layer = {
        name: column.read(sentences[name], is_kept, options, functools.partial(locate_token, name))
        for name, column in columns.items()
    }
    settings, remarks = _describe_readings(segments_by_layer, options)
    balance = _count_tags(
        segments_by_layer.values(), is_kept, sum(c.count_marks(options) for c in unread)
    )
    return RawCorpus.from_layers(
        documents,
        {
            name: _build_raw_layer(
                segments_by_layer.pop(name),
                sentences[name],
                documents,
                seen_by_layer[name],
                column,
                is_kept,
            )
            for name, column in columns.items()
        },  # popped to free memory
        ids=None if ids is None else tuple(ids),
        tokens=tokens if isinstance(tokens, (TokenBytes, NoneType)) else tuple(tokens),
        reading={**reading, **settings, **partial_setting},
        notes=(*notes, *remarks),
        balance=balance,
    )


def _count_tags(readings: Collection[TagSegments], is_kept: Bools, n_unread: int) -> Balance:
    """Count the tags that mark something, and the tokens, that were read and left out.

    ``readings`` are the segments read from each layer, ``is_kept`` is the mask of tokens that were
    read, and ``n_unread`` the number of tags in columns that are not read.
    """
    n_dropped = sum(reading.dropped for reading in readings)
    n_kept = int(np.count_nonzero(is_kept))
    tags: Balance = {
        "tag": {READ: sum(reading.marked for reading in readings)},
        "token": {READ: len(is_kept)},
    }
    if n_unread:
        tags = add_balances([tags, {"tag": {"in columns that are not read": n_unread}}])
    tags = move_count(tags, "tag", "outside every well-formed segment", n_dropped)
    return move_count(tags, "token", "not tagged by every annotator", len(is_kept) - n_kept)


def _build_raw_layer(
    reading: TagSegments,
    sentences: Ints,
    documents: Ints,
    is_seen: Bools,
    column: TagColumn,
    is_kept: Bools,
) -> RawLayer:
    """Build a layer from segments of sentences, with offsets within documents.

    ``sentences`` and ``documents`` are numbers of kept tokens, ``is_seen`` is the mask of documents
    that the annotator saw, and ``is_kept`` the mask of kept tokens.
    """
    sentence_start, document_ends = np.cumsum(sentences) - sentences, np.cumsum(documents)
    details = None
    if column.attributes:
        details = column.select_details(
            np.flatnonzero(is_kept)[sentence_start[reading.sentence] + reading.start]
        )
    document = np.minimum(
        np.searchsorted(document_ends, sentence_start, side="right"), len(documents) - 1
    )
    sentence_start -= (document_ends - documents)[document]  # relative to the document
    shift = sentence_start[reading.sentence]
    bounds = reading.start + shift, reading.end + shift
    return RawLayer(
        document[reading.sentence], *bounds, reading.label, reading.names, is_seen, details
    )


def _describe_readings(
    readings: Mapping[str, TagSegments], options: TagOptions
) -> tuple[dict[str, Any], list[str]]:
    """Describe how layers were read, as settings and as notes."""
    notes = [
        note for name, reading in readings.items() for note in _write_notes_on_layer(name, reading)
    ]
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


def _compute_coverage(
    columns: Mapping[str, TagColumn],
    documents: Ints,
    document_of_token: Ints,
    location: Callable[[str, int], str],
    partial: str,
) -> tuple[dict[str, Bools], Bools]:
    """Compute masks of documents that each layer covers, and of tokens tagged in all layers.

    ``documents`` are numbers of tokens; ``document_of_token`` is the index of the document of each
    token. A layer covers a document if it has a tag there, unless the annotator is known not to
    have seen it.
    """
    is_kept = np.ones(len(document_of_token), np.bool_)
    seen_by_layer = {}
    for name, column in columns.items():
        is_untagged = column.codes < 0
        is_seen = np.ones(len(documents), np.bool_) if column.never is None else ~column.never
        if is_untagged.any():
            n_untagged = np.bincount(document_of_token[is_untagged], minlength=len(documents))
            is_seen &= (n_untagged < documents) | (documents == 0)
            is_untagged &= is_seen[document_of_token]
            if is_untagged.any() and partial == "error":
                raise InputError(
                    f"{location(name, int(is_untagged.argmax()))}: no tag here, but elsewhere in"
                    " the document; a document is seen as a whole or not at all;"
                    f" {format_setting('partial', 'drop-tokens')} leaves such tokens out"
                )
            is_kept &= ~is_untagged
        seen_by_layer[name] = is_seen
    return seen_by_layer, is_kept


def _build_locator(documents: Ints) -> Callable[[str, int], str]:
    """Build a function that describes the location of a token, for sources without lines."""
    ends = np.cumsum(documents)

    def locate_token(layer: str, token: int) -> str:
        document_index = int(np.searchsorted(ends, token, side="right"))
        token_number = token - int(ends[document_index] - documents[document_index]) + 1
        described = f"{quote_value(layer)}, document {document_index + 1}, token {token_number}"
        return described.removeprefix("'', ")

    return locate_token


def _write_notes_on_layer(name: str, reading: TagSegments) -> list[str]:
    """Write notes on how the tags of a layer were read."""
    notes = []
    if reading.repaired:
        scheme_text = "" if reading.scheme == "mixed" else f" ({reading.scheme})"
        n_tags = pluralize(reading.repaired, "ill-formed tag")
        notes.append(f"{escape_name(name)}: {n_tags} read as conlleval does{scheme_text}")
    if reading.dropped:
        n_tags = pluralize(reading.dropped, "tag")
        notes.append(
            f"{escape_name(name)}: {n_tags} outside every well-formed {reading.scheme} segment not"
            " counted (strict)"
        )
    notes += [
        f"{escape_name(name)}: the tag {quote_value(label)} is a label; if it means that nothing is"
        f" marked, --outside {shlex.quote(label)} (outside=) reads it so"
        for label in (filter(looks_outside, reading.names) if reading.scheme == "IO" else ())
    ]
    return notes
