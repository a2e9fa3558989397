"""Disagreements of two annotators, segment by segment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from spanagree.arrays import Ints
from spanagree.choices import Kind
from spanagree.comparisons.pairing import KINDS, NONE, OUTCOMES, look_up_columns, pair_layers
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.placed import keep_placed
from spanagree.corpus.segments import Layer, Segment, is_time
from spanagree.corpus.times import convert_to_seconds, format_offset
from spanagree.errors import (
    SettingError,
    check_known,
    escape_name,
    format_count_of_total,
    pluralize,
    quote_value,
    truncate,
)
from spanagree.formats.guessed import CorpusLike, as_corpus
from spanagree.results import verdict
from spanagree.results.cells import Value
from spanagree.results.frame import Column, Frame, build_shortened_table, hide_columns_without_rows
from spanagree.results.plots import Plot, plot_counts, prepare_names
from spanagree.results.result import Result
from spanagree.settings import Settings, document_noun

CONTEXT = {"tokens": 5, "characters": 40}
"""Length of the text shown on either side of a disagreement."""

LONGEST = 40
"""Largest number of characters of a segment in text output; other formats have all."""


@dataclass(frozen=True, kw_only=True, eq=False)
class DisagreementSettings(Settings):
    """Settings of disagreements; ``kinds`` is set only if kinds were selected."""

    between: list[str]
    kinds: list[str] | None = None


class Disagreement(NamedTuple):
    """One disagreement: the segments of both annotators, ``None`` if there is none, with texts.

    ``before`` and ``after`` are the texts next to the segments. Texts are empty if they are unknown
    or not requested.
    """

    document: str
    kind: str
    a: Segment | None
    b: Segment | None
    a_text: str = ""
    b_text: str = ""
    before: str = ""
    after: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class Disagreements(Result):
    """Result of :func:`disagreements`; iterate over it for the rows.

    Attributes:
        counts: number of disagreements by :data:`OUTCOMES`, for all kinds.
        documents: number of documents that both annotators saw.
        document: index of the document of each row.
        kind: index of the kind of each row in :data:`OUTCOMES`.
        a: start, end and label of the first annotator's segment in each row, or −1.
        b: start, end and label of the second annotator's segment in each row, or −1.
        rows: indices of both segments of each row in their layers, or −1.
        corpus: corpus of the rows.
        with_text: True if rows have texts.
        settings: settings that determine the rows.
        notes: repairs and omissions of the reader, and anything unusual here.

    >>> import spanagree as sa
    >>> layers = {"ann": [[(0, 2, "PER"), (4, 5, "LOC")]], "bob": [[(0, 2, "PER"), (4, 6, "LOC")]]}
    >>> corpus = sa.Corpus.from_segments([9], layers)
    >>> found = sa.disagreements(corpus, "ann", "bob")
    >>> found.counts["match"], [(row.kind, row.a.start, row.b.end) for row in found]
    (1, [('boundary', 4, 6)])
    """

    counts: Mapping[str, int]
    documents: int
    document: Ints = field(repr=False)
    kind: Ints = field(repr=False)
    a: Ints = field(repr=False)
    b: Ints = field(repr=False)
    rows: tuple[Ints, Ints] = field(repr=False)
    corpus: Corpus = field(repr=False)
    with_text: bool
    settings: DisagreementSettings
    notes: tuple[str, ...]

    @property
    def between(self) -> tuple[str, str]:
        """The names of the two annotators."""
        first, second = self.settings.between
        return first, second

    def __len__(self) -> int:
        """The number of rows."""
        return len(self.kind)

    def __iter__(self) -> Iterator[Disagreement]:
        corpus = self.corpus
        layer_a, layer_b = (corpus.layers[name] for name in self.between)

        def build_segment(layer: Layer, row: int) -> Segment | None:
            return None if row == NONE else layer.segment(row, corpus.labels)

        columns = zip(
            *(rows.tolist() for rows in self.rows),
            *self._list_column_values(len(self)),
            strict=True,
        )
        for a, b, document, kind, _, _, *texts in columns:
            yield Disagreement(
                document, kind, build_segment(layer_a, a), build_segment(layer_b, b), *texts
            )

    def _format_bounds(self, layer_index: int, n_rows: int) -> list[str]:
        """Format start and end of the segments of one annotator in the first rows.

        A discontinuous segment has the bounds of each of its pieces.

        Args:
            layer_index: 0 for the first annotator, 1 for the second.
            n_rows: number of rows.
        """
        offsets, layer = self.corpus.offsets, self.corpus.layers[self.between[layer_index]]
        pieces_by_row = (
            {} if layer.details is None else layer.details.compute_pieces_by_row(layer.start)
        )
        bounds = []
        for row, (start, end, _) in zip(
            self.rows[layer_index][:n_rows].tolist(),
            (self.a, self.b)[layer_index][:n_rows].tolist(),
            strict=True,
        ):
            pieces = () if row == NONE else pieces_by_row.get(row, ((start, end),))
            bounds.append(
                "; ".join(
                    f"{format_offset(start, offsets)}–{format_offset(end, offsets)}"
                    for start, end in pieces
                )
            )
        return bounds

    def _list_column_values(self, n_rows: int) -> list[Sequence[Any]]:
        """List the columns of the first rows: document, kind, both segments, and texts.

        A segment is a list of start, end and label index, or of −1. The texts, if requested, are
        those of both segments, and those before and after them.
        """
        document, a, b = self.document[:n_rows], self.a[:n_rows], self.b[:n_rows]
        columns: list[Sequence[Any]] = [
            list(map(self.corpus.id_of, document.tolist())),
            [OUTCOMES[kind] for kind in self.kind[:n_rows].tolist()],
            *(a.tolist(), b.tolist()),
        ]
        if not self.with_text:
            return columns
        first_offset, last_offset = np.minimum(a[:, 0], b[:, 0]), np.maximum(a[:, 1], b[:, 1])
        first_offset = np.where(first_offset == NONE, np.maximum(a[:, 0], b[:, 0]), first_offset)
        text_bounds = (
            (a[:, 0], a[:, 1]),
            (b[:, 0], b[:, 1]),
            *compute_contexts(self.corpus, document, first_offset, last_offset),
        )
        return columns + [extract_texts(self.corpus, document, *borders) for borders in text_bounds]

    @property
    def verdict(self) -> str:
        """The most frequent kind of disagreement."""
        counts = {kind: self.counts[kind] for kind in KINDS}
        if not any(counts.values()):
            return ""
        a, b = map(escape_name, self.between)
        return (
            f"Disagreements of {a} and {b} are most often"
            f" {verdict.write_most_frequent_kinds(counts)}."
        )

    TABLES: ClassVar[Mapping[str, str | None]] = {"disagreements": None}

    SUMMARY: ClassVar[tuple[str, ...]] = ("documents", "counts")

    def _build_table(self, by: str | None) -> Frame:
        """Build a row for each disagreement; without any the caption says so."""
        return build_shortened_table(self._tabulate_rows, len(self))

    def _tabulate_rows(self, n_rows: int) -> Frame:
        """Build the table of the first ``n_rows`` disagreements, with the segments of both."""
        document, kind, *segments_and_texts = self._list_column_values(n_rows)
        texts = segments_and_texts[2:]
        columns = [
            Column("document", document_noun(self.settings), "name"),
            Column("kind", "kind", "name"),
        ]
        values: list[Sequence[Value]] = [document, kind]
        names = (*self.corpus.labels, None)  # the last one is for no segment
        offsets = self.corpus.offsets
        for i, (prefix, name) in enumerate(zip("ab", self.between, strict=True)):
            columns += [Column(f"{prefix}_{end}", "", "count") for end in ("start", "end")]
            columns += [Column(f"{prefix}_label", "", "name")]
            columns += [Column("", escape_name(name), "name"), Column("", "label", "name")]
            has_segment = [start != NONE for start, _, _ in segments_and_texts[i]]
            for k in (0, 1):
                values += [
                    [
                        convert_to_seconds(segment[k], offsets) if segment[k] != NONE else None
                        for segment in segments_and_texts[i]
                    ]
                ]
            label = [names[segment[2]] for segment in segments_and_texts[i]]
            values += [label, self._format_bounds(i, n_rows), [name or "" for name in label]]
            if self.with_text:
                columns += [Column(f"{prefix}_text", "", "name"), Column("", "text", "name")]
                cells = zip(texts[i], has_segment, strict=True)
                values += [
                    [text if exists else None for text, exists in cells],
                    shorten_texts(texts[i]),
                ]
        if self.with_text:
            columns += [Column("before", "", "name"), Column("after", "", "name")]
            values += texts[2:]
        rows = list(zip(*values, strict=True))
        table = Frame(columns, rows, self.settings, caption=self._write_caption())
        return hide_columns_without_rows(table)

    def _write_caption(self) -> str:
        """Write the number of disagreements of each kind, or the reason for an empty list."""
        a, b = map(escape_name, self.between)
        documents_phrase = format_count_of_total(
            self.documents, len(self.corpus), document_noun(self.settings)
        )
        subject = f"{a} and {b}, {documents_phrase}"
        n_matches = self.counts["match"]
        kinds_phrase = ", ".join(
            f"{self.counts[kind]} {kind}" for kind in KINDS if self.counts[kind]
        )
        if len(self):
            return f"{subject}: {n_matches} the same, {kinds_phrase}"
        if kinds_phrase:
            return f"no disagreement of these kinds: {subject}; there are {kinds_phrase}"
        explanation = (
            f"all {pluralize(n_matches, 'segment')} the same"
            if n_matches
            else "neither marked anything"
        )
        return f"no disagreement: {subject}, {explanation}"

    def _build_plot(self, by: str | None) -> Plot:
        """Plot the number of disagreements of each kind."""
        counts = {kind: self.counts[kind] for kind in KINDS if kind in self.counts}
        title = f"disagreements of {' and '.join(prepare_names(self.between))}"
        return plot_counts(counts, title)


def compute_contexts(
    corpus: Corpus, document: Ints, start: Ints, end: Ints
) -> tuple[tuple[Ints, Ints], tuple[Ints, Ints]]:
    """Compute the bounds of the texts shown before and after stretches of text.

    Args:
        corpus: corpus of the documents.
        document, start, end: document index, start and end of each stretch.

    Returns:
        Starts and ends of the texts before the stretches, then of the texts after them.
    """
    width = CONTEXT.get(corpus.offsets, 0)
    context_end = np.minimum(end + width, corpus.lengths[document])
    return (np.maximum(start - width, 0), start), (end, context_end)


def write_note_on_texts(corpus: Corpus) -> tuple[str, ...]:
    """Write a note if the texts of segments are unknown, so that rows have offsets only."""
    if is_time(corpus.offsets):
        return ("recordings have no text, so rows have times only, in seconds",)
    noun = "texts" if corpus.offsets == "characters" else "tokens"
    if getattr(corpus, noun) is not None:
        return ()
    return (f"the {noun} are not known, so rows have offsets only",)


def shorten_texts(texts: Sequence[str]) -> list[str]:
    """Truncate texts to forty characters, for text output."""
    return [truncate(text, LONGEST) for text in texts]


def extract_texts(corpus: Corpus, document: Ints, start: Ints, end: Ints) -> list[str]:
    """Extract the text between two offsets in each of several documents.

    Without the original text, tokens are joined by spaces. Unknown texts and texts of length 0 are
    empty.

    >>> corpus = Corpus(np.array([3]), {}, (), tokens=("No", "way", "!"))
    >>> extract_texts(corpus, *np.array([[0, 0], [1, 2], [3, 2]]))
    ['way !', '']
    """
    if corpus.offsets == "tokens":
        if corpus.tokens is None:
            return [""] * len(document)
        first_token = corpus.starts[document]
        if corpus.texts is None or corpus.token_starts is None:
            words = corpus.tokens
            bounds = zip((first_token + start).tolist(), (first_token + end).tolist(), strict=True)
            return [" ".join(words[low:high]) for low, high in bounds]
        is_nonempty = start < end
        last_token = np.where(is_nonempty, first_token + end - 1, 0)
        width = np.array([len(corpus.tokens[i]) for i in last_token.tolist()], np.int64)
        start = np.where(
            is_nonempty, corpus.token_starts[np.where(is_nonempty, first_token + start, 0)], 0
        )
        end = np.where(is_nonempty, corpus.token_starts[last_token] + width, 0)
    if corpus.texts is None:
        return [""] * len(document)
    texts, rows = corpus.texts, (document.tolist(), start.tolist(), end.tolist())
    return [texts[index][low:high] for index, low, high in zip(*rows, strict=True)]


def disagreements(
    corpus: CorpusLike, a: str, b: str, *, kinds: Iterable[Kind] | None = None, text: bool = True
) -> Disagreements:
    """Find the disagreements of two annotators by segment, over the documents that both saw.

    Args:
        corpus: corpus with both annotators as layers.
        a: name of the first annotator, such as the gold annotation.
        b: name of the second annotator. If the two are swapped, ``missed`` and ``spurious`` change
            places and nothing else.
        kinds: kinds of the rows: missed, spurious, boundary, label and boundary+label. Default:
            all.
        text: True for rows with texts, False for offsets and labels only.

    Raises:
        SettingError: if an annotator or a kind is unknown, the annotators are the same, or they
            share no document.

    >>> corpus = Corpus.from_segments(
    ...     [9], {"ann": [[(0, 2, "PER"), (4, 5, "LOC")]], "bob": [[(0, 3, "PER")]]}
    ... )
    >>> [(row.kind, row.a, row.b) for row in disagreements(corpus, "ann", "bob")][1]
    ('missed', Segment(start=4, end=5, label='LOC'), None)
    """
    corpus = keep_placed(as_corpus(corpus), "lists")
    requested_kinds = KINDS if kinds is None else [kinds] if isinstance(kinds, str) else list(kinds)
    check_known(requested_kinds, KINDS, "kind")
    names = [kind for kind in KINDS if kind in requested_kinds]
    n_shared, notes = check_between(corpus, a, b)
    layers = corpus.layers[a], corpus.layers[b]
    pairs = pair_layers(*layers, n_labels=len(corpus.labels))
    is_requested = np.isin(pairs.kind, [OUTCOMES.index(name) for name in names])
    columns_a, columns_b = (
        np.stack(look_up_columns(layer, rows[is_requested]), axis=1)
        for layer, rows in zip(layers, pairs[:2], strict=True)
    )
    text_notes = write_note_on_texts(corpus)
    return Disagreements(
        counts=pairs.counts,
        document=np.maximum(columns_a[:, 0], columns_b[:, 0]),
        kind=pairs.kind[is_requested],
        a=columns_a[:, 1:],
        b=columns_b[:, 1:],
        rows=(pairs.a[is_requested], pairs.b[is_requested]),
        corpus=corpus,
        with_text=text and not text_notes,
        documents=n_shared,
        settings=DisagreementSettings(
            between=[a, b],
            kinds=None if kinds is None else names,
            offsets=corpus.offsets,
            reading=corpus.reading,
        ),
        notes=(*notes, *text_notes) if text else notes,
    )


def check_between(corpus: Corpus, a: str, b: str) -> tuple[int, tuple[str, ...]]:
    """Check that two annotators can be compared.

    Returns:
        The number of documents that both saw, and the notes of the corpus on these annotators, with
        a note on documents that are left out.

    Raises:
        SettingError: if the annotators are unknown, the same, or share no document.
    """
    check_known((a, b), corpus.layers)
    if a == b:
        raise SettingError(f"between {quote_value(a)} and itself; two annotators are needed")
    layers = corpus.layers[a], corpus.layers[b]
    n_shared = int((layers[0].annotated & layers[1].annotated).sum())
    if not n_shared:
        raise SettingError(
            f"between {quote_value(a)} and {quote_value(b)}: no document that both saw; two who"
            " share one are needed; spanagree check says who saw what"
        )
    notes = corpus.notes_but(name for name in corpus.layers if name not in (a, b))
    if n_unshared := len(corpus) - n_shared:
        pair = f"{escape_name(a)} and {escape_name(b)}"
        notes += (
            f"{n_unshared} of {pluralize(len(corpus), 'document')} not shared by {pair}, left out",
        )
    return n_shared, notes
