"""Records that readers yield, one document at a time, and the function that gathers them.

A reader is a generator of records. It reports ignored content and notes for users to its
:class:`ReadLog`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from spanagree.corpus.balance import READ, Balance
from spanagree.corpus.collector import Collector
from spanagree.corpus.details import SCORE
from spanagree.corpus.raw import RawCorpus
from spanagree.errors import join_names, quote_value
from spanagree.formats.file_head import compose_ignored_note
from spanagree.formats.quotes import Quotes
from spanagree.formats.spans_beside import Tree, yield_unread_parts
from spanagree.formats.tagged_copies import TaggedCopies
from spanagree.formats.unread import add_unread_marks, parse_cells, yield_marks

ONE_LABEL = "span"
"""Label of spans without a label."""


class RawSpan(NamedTuple):
    """Span of a source, unchecked.

    Attributes:
        start, end: offsets in the units of the source.
        label: label of the span, or ``None``.
        quote: text of the span in the source, or ``None``.
        attributes: further properties of the span.
        pieces: start and end of each fragment, in place of start and end.
        location: location for errors. Default: that of the annotation.
        is_placed: False for a quote that was searched for and is not in the text; its end is its
            length in units of the corpus, if known.
    """

    start: Any = None
    end: Any = None
    label: Any = None
    quote: str | None = None
    attributes: Mapping[str, Any] | None = None
    pieces: Sequence[Any] | None = None
    location: str = ""
    is_placed: bool = True


class RawRelation(NamedTuple):
    """Relation between two spans of an annotator in a source.

    Attributes:
        first, second: indices of the spans among the annotator's spans, from 0; ``None`` if
            missing.
        label: label of the relation.
        location: location for errors.
        directed: True if the relation leads from the first to the second.
    """

    first: int | None
    second: int | None
    label: str
    location: str
    directed: bool = True


class RawAnnotation(NamedTuple):
    """Annotation of a document by an annotator.

    Attributes:
        annotator: name of the annotator; an empty name means that the file is the annotator.
        spans: spans in the document; ``None`` if the annotator never saw it.
        when: time in seconds, if known.
        relations: relations, iterated after the spans.
        location: location for errors. Default: that of the record.
        joins: True for an answer about a part of a document, which joins other such answers by
            its annotator.
    """

    annotator: Any
    spans: Iterable[RawSpan] | None
    when: float | None = None
    relations: Iterable[RawRelation] = ()
    location: str = ""
    joins: bool = False


class Record(NamedTuple):
    """Document, or a part of its content, with annotations.

    Attributes:
        location: location for errors.
        document: id of the document.
        content: text, tokens, and other arguments of :meth:`Collector.add_document`, by name; may
            be empty for a document that an earlier record contains.
        annotations: annotations, iterated after the content.
    """

    location: str
    document: Any
    content: Mapping[str, Any]
    annotations: Iterable[RawAnnotation] = ()


OF_UNIT: Mapping[str, tuple[str, ...]] = {
    "record": (
        " row",
        " line",
        "attention test",
        "text without a question",
        "empty file",
        "element that BioC does not have",
        "block of lines without times",
    ),
    "answer": (
        *("rejected row", "ignored row", "cancelled annotation", "unfinished answer"),
        *("failed request", "other answer", "further answer"),
        "unassigned answer",
    ),
    "segment": (
        *("repeated annotation", "unlocated annotation", "annotation without a span"),
        *("annotation without a text", "other-view annotation", "unindexed annotation"),
        *(" span", "span in another text", "span of the tool itself", "region of sound"),
        *(
            "unassigned rationale",
            "omission",
            " error",
            "beyond the part that was annotated",
            "row of another view",
        ),
        *("of no known tier or kind", "cue without words"),
        *("START without a STOP", "STOP without a START", "as nothing says when it ends"),
    ),
    "relation": ("relation",),
}
"""Endings of the names of ignored content, by the unit of a balance.

The longest matching ending decides; :data:`OF_NO_UNIT` lists the endings without a unit.
"""

OF_NO_UNIT = (
    *("comment", "notes", " folders", " file", " files", "choice", "category", "label", "flag"),
    *("option", "slider", "field", "suggestion", "event", "class of a text", "link", "filler"),
    *("list", "review", "text", "empty node", "multiword range", "empty last cell", " result"),
    *("draft", "prediction", "selection in no text", "selection without a code"),
    *("attributes of what is no segment", "line of frequencies"),
)
"""Endings of the names of ignored content that no annotator marked or answered."""


def find_unit(noun: str) -> str:
    """Find the unit of ignored content by its name; empty for :data:`OF_NO_UNIT`.

    Unknown names are segments, so that a balance contains too much rather than too little.

    >>> find_unit("repeated annotation"), find_unit("rejected row"), find_unit("comment")
    ('segment', 'answer', '')
    """
    matches = [
        (len(ending), unit)
        for unit, endings in OF_UNIT.items()
        for ending in endings
        if noun.endswith(ending)
    ]
    matches += [(len(ending), "") for ending in OF_NO_UNIT if noun.endswith(ending)]
    return max(matches, default=(0, "segment"))[1]


class ReadLog:
    """Log of a reader: ignored content, quotes and notes.

    Attributes:
        name: name of the file, the prefix of notes; an empty name is left out.
        passed: counts of ignored content, by type.
        within: number of segments in ignored records and answers, by a reason that begins with
            "in", such as "in rejected rows".
        tree: paths in a record that are read, if marks elsewhere in it have to be counted.
        unread: number of these marks, by their path in a record.
        textless: number of records without a text in the other files.
        quotes: search for quotes without offsets.
        copies: spans in tagged copies of a text.
        notes: further notes for users.
        reading: settings of reading that are only known after reading.
        labelled: True if spans have labels; otherwise all spans get the label :data:`ONE_LABEL`.
        unread_fields: names of fields of spans without a label, which may have it.
        numbered: True if ids are only the numbers of the documents.
        seen_unknown: annotators for whom the source does not state which documents they saw.
    """

    def __init__(self, name: str, *, align: bool = False, notes: Sequence[str] = ()) -> None:
        self.name = name
        self.passed: Counter[str] = Counter()
        self.within: Counter[str] = Counter()
        self.tree: Tree = {}
        self.unread: Counter[str] = Counter()
        self.textless = 0
        self.quotes: Quotes = Quotes(align=align)
        self.copies: TaggedCopies = TaggedCopies(align=align)
        self.notes: list[str] = [*notes]
        self.reading: dict[str, Any] = {}
        self.labelled = True
        self.unread_fields: dict[str, None] = {}
        self.numbered = False
        self.seen_unknown: dict[str, None] = {}

    @property
    def prefix(self) -> str:
        """Prefix of notes."""
        return f"{self.name}: " if self.name else ""

    def note_unread_fields(self, span: Mapping[Any, Any], read: Collection[Any]) -> None:
        """Note the fields of a span without a label that have words and are not read.

        Args:
            span: values of the fields by name.
            read: names of the fields that are read.
        """
        self.unread_fields |= {
            str(name): None
            for name, value in span.items()
            if name not in read and isinstance(value, str) and any(map(str.isalpha, value))
        }

    def count_ignored_answer(self, noun: str, n_spans: int) -> None:
        """Count an answer that its annotator did not accept, and the spans in it.

        Args:
            noun: name of such an answer, such as "rejected row".
            n_spans: number of its spans.
        """
        self.passed[noun] += 1
        self.within[f"in {noun}s"] += n_spans

    def count_unread_marks(self, record: Any) -> None:
        """Count the marks in a record that no path reads."""
        for parent_path, unread_value in yield_unread_parts(record, self.tree) if self.tree else ():
            for path, count, _ in yield_marks(unread_value):
                self.unread[
                    f"{parent_path}.{path}"
                    if parent_path and path[:1] != "["
                    else f"{parent_path}{path}"
                ] += count

    def select_unread_cells(self, row: Mapping[Any, Any]) -> dict[Any, Any]:
        """Select the cells of a row that no path reads fully, by name; empty without a tree."""
        if not self.tree:
            return {}
        return {key: cell for key, cell in row.items() if self.tree.get(key, {}) is not None}

    def count_unread_cells(self, row: Mapping[str, Any]) -> None:
        """Count the marks in JSON in the cells of a table's row that no path reads."""
        if cells := self.select_unread_cells(row):
            self.count_unread_marks(parse_cells(cells.items()))

    def add_unread_marks(self, raw: RawCorpus) -> RawCorpus:
        """Add the marks that no path read to the balance of the rows, and a note."""
        n_unread = self.unread.total()
        return add_unread_marks(raw, self.unread, n_unread, self.prefix) if n_unread else raw

    def count_quotes(self) -> dict[str, dict[str, int]]:
        """Count spans without offsets, and those that are not in the text, by annotator.

        For spans in copies of the text, also count the copies and the changed copies.
        """
        counts = {
            annotator: {"read": n_quotes, "unaligned": n_missing}
            for annotator, (n_quotes, n_missing) in self.quotes.count_quotes().items()
        }
        for annotator, copies in self.copies.copies.items():
            count = counts.setdefault(annotator, {"read": 0, "unaligned": 0})
            count["read"] += self.copies.spans[annotator]
            count["unaligned"] += self.copies.lost[annotator]
            count |= {"copies": copies, "changed": self.copies.changed[annotator]}
        return counts

    def build_balance(self, n_read: Mapping[str, int]) -> Balance:
        """Build the balance of a source from the number of units that were read."""
        balance: dict[str, Counter[str]] = {
            unit: Counter({READ: n_units}) for unit, n_units in n_read.items()
        }
        for noun, n_ignored in self.passed.items():
            if n_ignored and (unit := find_unit(noun)):
                balance[unit][noun] += n_ignored
        balance["segment"].update(+self.within)
        if self.textless:
            balance["record"]["without a text in another file"] = self.textless
        if n_lost := sum(count["unaligned"] for count in self.count_quotes().values()):
            balance["segment"]["not found in the text"] += n_lost
        return {unit: dict(counts_by_reason) for unit, counts_by_reason in balance.items()}


def build_raw_from_records(
    records: Iterable[Record],
    log: ReadLog,
    reading: Mapping[str, Any],
    *,
    offsets: str = "characters",
    annotators: Iterable[str] = (),
    ends: str | None = "exclusive",
    again: bool = True,
    one_each: bool = False,
    unnamed: bool = True,
) -> RawCorpus:
    """Build a raw corpus from the records that a reader yields, without checks.

    Args:
        records: records of the reader.
        log: log of the reader, complete after the last record.
        reading: settings of reading.
        offsets: units of the offsets, tokens or characters.
        annotators: annotators who are known in advance.
        ends: see :class:`~spanagree.corpus.collector.Collector`.
        again: True if a document may occur several times, with the same content.
        one_each: True to merge annotations of a document by the same annotator.
        unnamed: True if the annotator may have no name.
    """
    collector = Collector(offsets, annotators, unnamed=unnamed, ends=ends, name=log.name)
    segment, in_pieces = collector.add_segment, collector.add_segment_in_pieces
    annotation_index: dict[tuple[int, Any], int] = {}
    n_read = {"record": 0, "answer": 0, "segment": 0, "relation": 0}
    for record in records:
        n_read["record"] += 1
        document = None if record.content else collector.find_document_index(record.document)
        if document is None:
            content = record.content
            document = collector.add_document(
                record.document, record.location, again=again, **content
            )
        for annotator, spans, when, relations, own_location, joins in record.annotations:
            annotation_location = own_location or record.location
            if spans is None:
                collector.add_annotator(annotator, annotation_location)
                continue
            n_read["answer"] += 1
            joins = joins or one_each
            annotation = annotation_index.get((document, annotator)) if joins else None
            if annotation is None:
                annotation = collector.add_annotation(
                    document, annotator, annotation_location, when
                )
                if joins:
                    annotation_index[document, annotator] = annotation
            segments = []
            for start, end, label, quote, attributes, pieces, location, is_placed in spans:
                span_location = location or annotation_location
                if not is_placed:
                    score = (attributes or {}).get(SCORE)
                    collector.quotes.add_unplaced(
                        annotation, label, quote or "", span_location, end, score
                    )
                    n_read["segment"] += bool(reading.get("strings"))
                elif pieces is None:
                    segments.append(
                        segment(annotation, start, end, label, span_location, attributes, quote)
                    )
                else:
                    segments.append(
                        in_pieces(annotation, pieces, label, span_location, attributes, quote)
                    )
            n_read["segment"] += len(segments)
            for first, second, label, span_location, directed in relations:
                n_read["relation"] += 1
                head, tail = (
                    None if i is None or not 0 <= i < len(segments) else segments[i]
                    for i in (first, second)
                )
                collector.details.add_relation(head, tail, label, span_location, directed)
    notes = [*compose_ignored_note(log.name, log.passed)]
    notes += [*log.quotes.yield_notes(log.prefix), *log.copies.yield_notes(log.prefix)]
    if not log.labelled and collector.set_label_of_all(ONE_LABEL):
        note = f"{log.prefix}the spans have no labels; all are called {ONE_LABEL!r}"
        fields = join_names(map(quote_value, log.unread_fields))
        notes.append(f"{note}; not read as a label: {fields}" if fields else note)
    counts = {"quotes": quotes} if (quotes := log.count_quotes()) else {}
    reading = {**reading, **log.reading, **counts}
    raw = collector.build_raw_corpus(reading, [*notes, *log.notes], numbered=log.numbered)
    return log.add_unread_marks(
        raw.replace(seen_unknown=tuple(log.seen_unknown), balance=log.build_balance(n_read))
    )
