"""Disagreements of two annotators in relations between segments."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

from spanagree.agreement.disagreements import DisagreementSettings, check_between
from spanagree.corpus.documents import Document, Relation
from spanagree.corpus.segments import Segment, is_time
from spanagree.corpus.times import convert_to_seconds, format_offset
from spanagree.errors import (
    SettingError,
    escape_name,
    format_count_of_total,
    join_names,
    quote_value,
    truncate,
)
from spanagree.formats.guessed import CorpusLike, as_corpus
from spanagree.results import verdict
from spanagree.results.cells import Value
from spanagree.results.frame import Column, Frame, hide_columns_without_rows
from spanagree.results.plots import Plot, plot_counts, prepare_names
from spanagree.results.result import Result
from spanagree.settings import document_noun

RELATION_KINDS = {
    "direction": "same label and segments, opposite direction",
    "label": "same segments, other label",
    "argument": "same label, one of the segments the same",
    "missed": "a relation of the first annotator without a partner",
    "spurious": "a relation of the second annotator without a partner",
}
"""The kinds of disagreement in relations."""

_MATCH = "match"
_LONGEST = 40


class RelationDisagreement(NamedTuple):
    """One disagreement: the relations of both annotators, ``None`` if there is none."""

    document: str
    kind: str
    a: Relation | None
    b: Relation | None


@dataclass(frozen=True, eq=False, repr=False)
class RelationDisagreements(Result):
    """Result of :func:`relation_disagreements`; iterate over it for the rows.

    Attributes:
        counts: number of disagreements of each kind, and of matches.
        rows: disagreements, document by document.
        documents: number of documents that both annotators saw.
        of_documents: number of documents of the corpus.
        settings: settings that determine the rows.
        notes: repairs and omissions of the reader.
        texts: text of each segment in a row, by document and segment, if it is known.
    """

    counts: Mapping[str, int]
    rows: tuple[RelationDisagreement, ...] = field(repr=False)
    documents: int
    of_documents: int
    settings: DisagreementSettings
    notes: tuple[str, ...]
    texts: Mapping[tuple[str, Segment], str] = field(repr=False)

    TABLES: ClassVar[Mapping[str, str | None]] = {"disagreements": None}

    def __len__(self) -> int:
        """The number of rows."""
        return len(self.rows)

    def __iter__(self) -> Iterator[RelationDisagreement]:
        return iter(self.rows)

    @property
    def verdict(self) -> str:
        """The most frequent kind of disagreement."""
        counts = {kind: self.counts[kind] for kind in RELATION_KINDS}
        if not any(counts.values()):
            return ""
        a, b = map(escape_name, self.settings.between)
        most_frequent = verdict.write_most_frequent_kinds(counts)
        return f"Disagreements of {a} and {b} about relations are most often {most_frequent}."

    SUMMARY: ClassVar[tuple[str, ...]] = ("documents", "of_documents", "counts")

    def _build_table(self, by: str | None) -> Frame:
        """Build the table with a row for each disagreement."""
        columns = [
            Column("document", document_noun(self.settings), "name"),
            Column("kind", "kind", "name"),
        ]
        bound_kind = "number" if is_time(str(self.settings.offsets)) else "count"
        for prefix, name in zip("ab", self.settings.between, strict=True):
            columns += [
                Column(f"{prefix}_label", "", "name"),
                Column("", escape_name(name), "name"),
            ]
            for position in ("first", "second"):
                columns += [
                    Column(f"{prefix}_{position}_{bound}", "", bound_kind)
                    for bound in ("start", "end")
                ]
                columns += [Column(f"{prefix}_{position}_label", "", "name")]
        rows = []
        for row in self.rows:
            cells: list[Value] = [row.document, row.kind]
            for relation in (row.a, row.b):
                cells += self._format_cells(relation)
            rows.append(cells)
        table = Frame(columns, rows, self.settings, caption=self._write_caption())
        return hide_columns_without_rows(table)

    def _format_cells(self, relation: Relation | None) -> list[Value]:
        """List the cells of a relation: label, the relation in words, and bounds and labels.

        Cells are empty for `None`.
        """
        if relation is None:
            return [None, "", *[None] * 6]
        offsets = str(self.settings.offsets)
        segments = relation.first, relation.second
        texts = (
            truncate(self.texts.get((relation.document, segment), ""), _LONGEST)
            for segment in segments
        )
        segment_texts = [
            (
                f"{text} {format_offset(segment.start, offsets)}"
                f"–{format_offset(segment.end, offsets)}"
            ).strip()
            for text, segment in zip(texts, segments, strict=True)
        ]
        arrow = "→" if relation.directed else "–"
        sentence = (
            f"{segment_texts[0]} {arrow} {escape_name(relation.label)} {arrow} {segment_texts[1]}"
        )
        bounds = [
            value
            for segment in segments
            for value in (
                convert_to_seconds(segment.start, offsets),
                convert_to_seconds(segment.end, offsets),
                segment.label,
            )
        ]
        return [relation.label, sentence, *bounds]

    def _write_caption(self) -> str:
        """Write the number of equal relations, and of disagreements by kind."""
        a, b = map(escape_name, self.settings.between)
        documents_phrase = format_count_of_total(
            self.documents, self.of_documents, document_noun(self.settings)
        )
        subject = f"relations of {a} and {b}, {documents_phrase}"
        kind_counts = [
            f"{self.counts[kind]} {kind}" for kind in RELATION_KINDS if self.counts[kind]
        ]
        return f"{subject}: {', '.join([f'{self.counts[_MATCH]} the same', *kind_counts])}"

    def _build_plot(self, by: str | None) -> Plot:
        """Plot the number of disagreements of each kind."""
        counts = {kind: self.counts[kind] for kind in RELATION_KINDS}
        title = f"relations of {' and '.join(prepare_names(self.settings.between))}"
        return plot_counts(counts, title)


def relation_disagreements(
    corpus: CorpusLike, a: str, b: str, *, undirected: Sequence[str] = ()
) -> RelationDisagreements:
    """List the relations on which two annotators disagree, in the documents that both saw.

    Relations are paired one to one: first equal relations, then relations that differ in direction,
    then relations of the same segments, then relations with one segment and the label in common.
    Other relations have no partner.

    Args:
        corpus: corpus with both annotators as layers.
        a: name of the first annotator, such as the gold annotation.
        b: name of the second annotator.
        undirected: labels of relations without a direction, in addition to the undirected labels
            that the file of the corpus declares.

    Raises:
        SettingError: if an annotator is unknown, the annotators are the same or share no document,
            the corpus has no relations, or an undirected label does not occur.

    >>> from spanagree.corpus.corpus import Corpus
    >>> spans = {name: [[(0, 2, "PER"), (4, 5, "LOC")]] for name in ("ann", "bob")}
    >>> links = {"ann": [[(0, 1, "in")]], "bob": [[(1, 0, "in")]]}
    >>> corpus = Corpus.from_segments([9], spans, relations=links)
    >>> [row.kind for row in relation_disagreements(corpus, "ann", "bob")]
    ['direction']
    """
    corpus = as_corpus(corpus)
    n_shared, notes = check_between(corpus, a, b)
    labels = {relation.label for relation in corpus.relations}
    if not labels:
        raise SettingError("no relations in the corpus; spanagree check counts what there is")
    for label in undirected:
        if label not in labels:
            raise SettingError(
                f"undirected {quote_value(label)}; the relations are called"
                f" {join_names(sorted(labels))}"
            )
    undirected_labels = {
        *undirected,
        *(relation.label for relation in corpus.relations if not relation.directed),
    }
    rows: list[RelationDisagreement] = []
    counts = Counter(dict.fromkeys((_MATCH, *RELATION_KINDS), 0))
    texts: dict[tuple[str, Segment], str] = {}
    for document in corpus:
        if document.segments[a] is None or document.segments[b] is None:
            continue
        relations_a, relations_b = (
            [relation for relation in document.relations if relation.annotator == name]
            for name in (a, b)
        )
        for kind, relation_a, relation_b in _yield_paired(
            relations_a, relations_b, undirected_labels
        ):
            counts[kind] += 1
            if kind != _MATCH:
                rows.append(RelationDisagreement(document.id, kind, relation_a, relation_b))
                for relation in (relation_a, relation_b):
                    if relation is not None:
                        texts |= {
                            (relation.document, s): _extract_text(document, s)
                            for s in (relation.first, relation.second)
                        }
    settings = DisagreementSettings(
        between=[a, b],
        offsets=corpus.offsets,
        reading={
            **corpus.reading,
            "what": "relations",
            **({"undirected": list(undirected)} if undirected else {}),
        },
    )
    return RelationDisagreements(counts, tuple(rows), n_shared, len(corpus), settings, notes, texts)


def _extract_text(document: Document, segment: Segment) -> str:
    """Extract the text of a segment from its document; pieces are joined by spaces."""
    pieces = segment.pieces or ((segment.start, segment.end),)
    if document.tokens is not None:
        return " ".join(" ".join(document.tokens[start:end]) for start, end in pieces)
    return " ".join((document.text or "")[start:end] for start, end in pieces)


_Key = Callable[[Relation], Any]


def _yield_paired(
    a: Sequence[Relation], b: Sequence[Relation], undirected_labels: Collection[str]
) -> Iterator[tuple[str, Relation | None, Relation | None]]:
    """Pair the relations of two annotators in a document, and yield each relation once.

    Args:
        a, b: relations of the first and of the second annotator.
        undirected_labels: labels of relations without a direction.

    Yields:
        The kind of the pair, and both relations, or `None` for a missing partner.
    """

    def sort_ends(relation: Relation) -> tuple[Any, Any]:
        """Return the keys of both segments, in the order of the text without a direction."""
        first, second = (
            (*relation, relation.pieces) for relation in (relation.first, relation.second)
        )
        return (
            (first, second)
            if relation.label not in undirected_labels or first <= second
            else (second, first)
        )

    def build_key_of_end(relation: Relation, position: int, other_position: int) -> Any:
        """Build the key for relations with one segment in common: label, and key of the segment.

        A segment of a directed relation has to be in the same position.
        """
        label = relation.label
        return (
            label,
            sort_ends(relation)[position],
            position != other_position and (label in undirected_labels or position),
        )

    steps: list[tuple[str, _Key, _Key]] = [
        (
            _MATCH,
            lambda relation: (relation.label, sort_ends(relation)),
            lambda relation: (relation.label, sort_ends(relation)),
        ),
        (
            "direction",
            lambda relation: (relation.label, sort_ends(relation)),
            lambda relation: (relation.label, sort_ends(relation)[::-1]),
        ),
        (
            "label",
            lambda relation: sorted(sort_ends(relation)),
            lambda relation: sorted(sort_ends(relation)),
        ),
    ]
    for i, j in ((0, 0), (1, 1), (0, 1), (1, 0)):
        key_of_a, key_of_b = (
            functools.partial(
                build_key_of_end, position=position_in_a, other_position=position_in_b
            )
            for position_in_a, position_in_b in ((i, j), (j, i))
        )
        steps.append(("argument", key_of_a, key_of_b))

    def order(relation: Relation) -> Any:
        return sort_ends(relation), relation.label

    unpaired = [sorted(a, key=order), sorted(b, key=order)]
    for kind, key_a, key_b in steps:
        candidates: dict[str, list[Relation]] = {}
        for relation in unpaired[1]:
            candidates.setdefault(repr(key_b(relation)), []).append(relation)
        without_partner = []
        for relation in unpaired[0]:
            if partners := candidates.get(repr(key_a(relation))):
                yield kind, relation, partners.pop(0)
            else:
                without_partner.append(relation)
        unpaired = [
            without_partner,
            sorted(
                (relation for partners in candidates.values() for relation in partners), key=order
            ),
        ]
    yield from (("missed", relation, None) for relation in unpaired[0])
    yield from (("spurious", None, relation) for relation in unpaired[1])
