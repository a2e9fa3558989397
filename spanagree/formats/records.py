"""What readers yield, one document at a time, and the one place that gathers it.

A reader is a generator of records. What it passes over, and what else a user should know, it tells
its :class:`ReadLog`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from spanagree.corpus.balance import READ, Balance
from spanagree.corpus.collector import Collector
from spanagree.corpus.details import SCORE
from spanagree.corpus.raw import RawCorpus
from spanagree.formats.file_head import passed_over
from spanagree.formats.quotes import Quotes
from spanagree.formats.spans_beside import Tree, parts_beside
from spanagree.formats.tagged_copies import TaggedCopies
from spanagree.formats.unread import counting_unread, held_in_cells, marks_at

ONE_LABEL = "span"
"""What spans are called that have no labels."""


class RawSpan(NamedTuple):
    """A span as a source has it; its offsets are checked where it is gathered.

    Attributes:
        start, end: what the source counts.
        label: its label, if it has one.
        quote: the text that the source says to stand there, if it says one.
        attributes: what else is said of it.
        pieces: start and end of each piece, in place of start and end.
        location: its place for errors, if it has one of its own.
        is_placed: False for a quote that was looked for and is not in the text; its end is its
            length in units of the corpus, if that is known.
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
    """A relation between two of an annotator's spans, as a source has it.

    Attributes:
        first, second: the places of the spans among hers, from 0; ``None``: it is not there.
        label: of the relation.
        location: its place for errors.
        directed: whether it leads from the first to the second.
    """

    first: int | None
    second: int | None
    label: str
    location: str
    directed: bool = True


class RawAnnotation(NamedTuple):
    """What an annotator marked in a document.

    Attributes:
        annotator: the name; an empty one is that of the file.
        spans: what was marked; ``None``: the annotator never saw the document.
        when: the time in seconds, if known.
        relations: gone through after the spans.
        location: its place for errors, if it has one of its own.
    """

    annotator: Any
    spans: Iterable[RawSpan] | None
    when: float | None = None
    relations: Iterable[RawRelation] = ()
    location: str = ""


class Record(NamedTuple):
    """A document, or a part of what is known of one, with what was marked in it.

    Attributes:
        location: its place for errors.
        document: the id.
        content: the text, or tokens, or what else :meth:`Collector.document` takes, by name; of a
            document that came before it may be left out.
        annotations: what was marked; gone through after the document is known.
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
"""By unit of a balance, how the names of things end that readers pass over.

Of two that fit, the longer one says the unit; see :data:`OF_NO_UNIT` for those that have none.
"""

OF_NO_UNIT = (
    *("comment", "notes", " folders", " file", " files", "choice", "category", "label", "flag"),
    *("option", "slider", "field", "suggestion", "event", "class of a text", "link", "filler"),
    *("list", "review", "text", "empty node", "multiword range", "empty last cell", " result"),
    *("draft", "prediction", "selection in no text", "selection without a code"),
    *("attributes of what is no segment", "line of frequencies"),
)
"""How the names of things end that are neither marked nor looked at by anybody."""


def unit_of(noun: str) -> str:
    """Return the unit of a kind of thing that a reader passes over; empty for :data:`OF_NO_UNIT`.

    What is not named is a segment: a balance holds too much rather than too little.

    >>> unit_of("repeated annotation"), unit_of("rejected row"), unit_of("comment")
    ('segment', 'answer', '')
    """
    fitting = [
        (len(end), unit) for unit, ends in OF_UNIT.items() for end in ends if noun.endswith(end)
    ]
    fitting += [(len(end), "") for end in OF_NO_UNIT if noun.endswith(end)]
    return max(fitting, default=(0, "segment"))[1]


class ReadLog:
    """What a reader passes over, looks for and notices.

    Attributes:
        name: the file, which stands before notes; an empty one is left out.
        passed: what is passed over, by kind.
        within: number of segments in what is passed over as a whole, by a reason that begins with
            "in", such as "in rejected rows".
        tree: the paths in a record that are read, if marks elsewhere in it are to be counted.
        unread: number of these marks, by their path in a record.
        textless: number of records left out, as the file that has the texts lacks theirs.
        quotes: where quotes stand that have no offsets.
        copies: spans in copies of a text with tags in them.
        notes: whatever else a user should know.
        reading: settings of reading that only show while it is read.
        labelled: whether spans have labels; if not, all are called :data:`ONE_LABEL`.
        numbered: whether ids are but the numbers of the documents.
        seen_unknown: of whom the source does not say which documents they saw.
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
        self.numbered = False
        self.seen_unknown: dict[str, None] = {}

    @property
    def before(self) -> str:
        """What stands before a note."""
        return f"{self.name}: " if self.name else ""

    def look_beside(self, record: Any) -> None:
        """Count the marks in a record to which no path leads that is read."""
        for at, part in parts_beside(record, self.tree) if self.tree else ():
            for path, number, _ in marks_at(part):
                self.unread[f"{at}.{path}" if at and path[:1] != "[" else f"{at}{path}"] += number

    def unread_cells(self, row: Mapping[Any, Any]) -> dict[Any, Any]:
        """Return the cells of a row that no path reads whole, by name; none if none are counted."""
        if not self.tree:
            return {}
        return {key: cell for key, cell in row.items() if self.tree.get(key, {}) is not None}

    def look_in_cells(self, row: Mapping[str, Any]) -> None:
        """Count the marks in JSON in the cells of a row of a table that no path reads."""
        if cells := self.unread_cells(row):
            self.look_beside(held_in_cells(cells.items()))

    def with_unread(self, raw: RawCorpus) -> RawCorpus:
        """Return rows with the marks that no path read in their balance and in a note."""
        n_unread = self.unread.total()
        return counting_unread(raw, self.unread, n_unread, self.before) if n_unread else raw

    def counts(self) -> dict[str, dict[str, int]]:
        """Return for each annotator without offsets the spans read, and those not in the text.

        If they were in copies of the text, also how many, and how many the annotator changed.
        """
        counts = {
            annotator: {"read": read, "unaligned": lost}
            for annotator, (read, lost) in self.quotes.counts().items()
        }
        for annotator, copies in self.copies.copies.items():
            count = counts.setdefault(annotator, {"read": 0, "unaligned": 0})
            count["read"] += self.copies.spans[annotator]
            count["unaligned"] += self.copies.lost[annotator]
            count |= {"copies": copies, "changed": self.copies.changed[annotator]}
        return counts

    def balance(self, n_read: Mapping[str, int]) -> Balance:
        """Return the balance of a source, of which so many things of each unit were read."""
        balance: dict[str, Counter[str]] = {unit: Counter({READ: n}) for unit, n in n_read.items()}
        for noun, number in self.passed.items():
            if number and (unit := unit_of(noun)):
                balance[unit][noun] += number
        balance["segment"].update(+self.within)
        if self.textless:
            balance["record"]["without a text in another file"] = self.textless
        if n_lost := sum(count["unaligned"] for count in self.counts().values()):
            balance["segment"]["not found in the text"] += n_lost
        return {unit: dict(numbers) for unit, numbers in balance.items()}


def gather(
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
    """Return the rows that a reader yields, unchecked.

    Args:
        records: what it yields.
        log: what it tells, read after the last record.
        reading: the settings of reading.
        offsets: what they count, tokens or characters.
        annotators: who are known before.
        ends: as in :class:`~spanagree.corpus.collector.Collector`.
        again: whether a document may come several times, with the same content.
        one_each: whether annotations of one document by the same annotator are one.
        unnamed: whether the file's annotator may have no name.
    """
    collector = Collector(offsets, annotators, unnamed=unnamed, ends=ends, name=log.name)
    segment, in_pieces = collector.segment, collector.in_pieces
    known: dict[tuple[int, Any], int] = {}
    n_read = {"record": 0, "answer": 0, "segment": 0, "relation": 0}
    for record in records:
        n_read["record"] += 1
        document = None if record.content else collector.number_of(record.document)
        if document is None:
            content = record.content
            document = collector.document(record.document, record.location, again=again, **content)
        for annotator, spans, when, relations, own_place in record.annotations:
            place = own_place or record.location
            if spans is None:
                collector.annotator(annotator, place)
                continue
            n_read["answer"] += 1
            number = known.get((document, annotator)) if one_each else None
            if number is None:
                number = collector.annotation(document, annotator, place, when)
                if one_each:
                    known[document, annotator] = number
            segments = []
            for start, end, label, quote, attributes, pieces, location, is_placed in spans:
                at = location or place
                if not is_placed:
                    score = (attributes or {}).get(SCORE)
                    collector.unplaced(number, label, quote or "", at, end, score)
                    n_read["segment"] += bool(reading.get("strings"))
                elif pieces is None:
                    segments.append(segment(number, start, end, label, at, attributes, quote))
                else:
                    segments.append(in_pieces(number, pieces, label, at, attributes, quote))
            n_read["segment"] += len(segments)
            for first, second, label, at, directed in relations:
                n_read["relation"] += 1
                head, tail = (
                    None if i is None or not 0 <= i < len(segments) else segments[i]
                    for i in (first, second)
                )
                collector.relation(head, tail, label, at, directed)
    notes = [*passed_over(log.name, log.passed)]
    notes += [*log.quotes.notes(log.before), *log.copies.notes(log.before)]
    if not log.labelled and collector.label_all(ONE_LABEL):
        notes.append(f"{log.before}the spans have no labels; all are called {ONE_LABEL!r}")
    counts = {"quotes": quotes} if (quotes := log.counts()) else {}
    reading = {**reading, **log.reading, **counts}
    raw = collector.raw(reading, [*notes, *log.notes], numbered=log.numbered)
    return log.with_unread(
        raw.replace(seen_unknown=tuple(log.seen_unknown), balance=log.balance(n_read))
    )
