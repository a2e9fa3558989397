"""A queue for whoever decides: documents by how far annotators disagree in them, and about what."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, NamedTuple

import numpy as np

from spanagree.agreement.count import Kept
from spanagree.agreement.disagreements import (
    around,
    no_texts,
    shortened,
    texts_of,
)
from spanagree.arrays import Floats, Ints, Progress, step_of
from spanagree.choices import Chance, DisputeSort, MatchName
from spanagree.comparisons.expected import expected_how
from spanagree.comparisons.overlaps import check_layer, check_names
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.discontinuous import check_in_one_piece
from spanagree.errors import SettingError, check_choice, counted
from spanagree.project.disputed import Disputed, disputed, least_likely
from spanagree.results.plots import Picture, bars, rows_size, shown_text
from spanagree.results.result import Result
from spanagree.results.score import UNDEFINED, f1_figures
from spanagree.results.table import Column, Table, Value, first_shown, probability
from spanagree.settings import Settings, unit

SORTS = {
    "disagreement": "1 − F1 of a document, over all pairs; of equal ones, the most disputed first",
    "segments": "how many segments of a document are disputed",
    "surprise": "how seldom chance alone would agree so little in a pair",
}
"""By what documents are ranked, by name."""

ALONE = 30
"""Of so many annotators each has a column; of more, one column lists who marked a segment."""

_DRAWN = 30  # documents in a picture
_WORDS = {
    "disagreement": "disagreement: 1 − F1 of those who saw the document, over all pairs: what they"
    " did",
    "difficulty": "difficulty: 1 − the F1 that chance alone would give there, whatever they did:"
    " how"
    " hard it is to agree by chance",
    "p": "p: how likely chance would agree so little in any pair; –: at least every second time",
}


@dataclass(frozen=True, kw_only=True, eq=False)
class DisputeSettings(Settings):
    """The settings of a queue."""

    match: str
    chance: str
    expected: str | None = None
    sort: str = "disagreement"


class Queued(NamedTuple):
    """One document of a queue.

    Attributes:
        document: its name.
        annotators: how many saw it.
        segments: how many different segments they marked.
        disputed: how many of these not all of them marked.
        disagreement: 1 − F1 of the document, over all pairs.
        difficulty: 1 − the F1 that chance alone would give there.
        p: how likely chance would agree so little in any one pair (Bonferroni); ``nan`` where
        chance
            would every second time, or if that was not asked for.
        pair: the two of whom that is least likely.
    """

    document: str
    annotators: int
    segments: int
    disputed: int
    disagreement: float
    difficulty: float
    p: float = UNDEFINED
    pair: tuple[str, str] | None = None


class Dispute(NamedTuple):
    """A segment that some, and not all, of those who saw its document marked.

    ``marked_by`` names them; ``annotators`` is how many saw the document. Texts are empty if not
    known, or not wanted.
    """

    document: str
    start: int
    end: int
    label: str
    marked_by: tuple[str, ...]
    annotators: int
    text: str = ""
    before: str = ""
    after: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class Disputes(Result):
    """The result of :func:`disputes`; iterate over it for the disputed segments.

    Attributes:
        documents: those with a disputed segment, by rank.
        shared: how many documents two annotators or more saw.
        number: of each document of the queue, its number in the corpus.
        contested: the disputed segments, in the order of the documents.
        corpus: what they are from.
        with_text: whether rows have texts.
        settings: what made the queue.
        notes: what a reader repaired or passed over, and what is out of the ordinary here.
    """

    documents: tuple[Queued, ...]
    shared: int
    number: Ints = field(repr=False)
    contested: Disputed = field(repr=False)
    corpus: Corpus = field(repr=False)
    with_text: bool
    settings: DisputeSettings
    notes: tuple[str, ...]

    BY: ClassVar[Mapping[str, str]] = {
        "document": "a row for each document instead of each disputed segment"
    }

    def __len__(self) -> int:
        """The number of disputed segments."""
        return len(self.contested.document)

    def __iter__(self) -> Iterator[Dispute]:
        contested, names = self.contested, self.corpus.annotators
        labels = [self.corpus.labels[label] for label in contested.label.tolist()]
        place = self._place.tolist()
        texts = self._texts(len(self)) if self.with_text else [[""] * len(self)] * 3
        columns = zip(place, contested.start.tolist(), contested.end.tolist(), labels, strict=True)
        for i, (p, start, end, label) in enumerate(columns):
            document = self.documents[p]
            who = tuple(names[k] for k in contested.marked_by(i))
            more = (text[i] for text in texts)
            yield Dispute(document.document, start, end, label, who, document.annotators, *more)

    @cached_property
    def _place(self) -> Ints:
        """The place of the document of each disputed segment in the queue."""
        place = np.full(len(self.corpus), -1)
        place[self.number] = np.arange(len(self.number))
        return place[self.contested.document]

    def _texts(self, count: int) -> list[list[str]]:
        """Return the texts of the first segments, and what stands before and after them."""
        contested = self.contested
        d, start, end = (x[:count] for x in (contested.document, contested.start, contested.end))
        ends = (start, end), *around(self.corpus, d, start, end)
        return [texts_of(self.corpus, d, *each) for each in ends]

    TABLES: ClassVar[Mapping[str, str | None]] = {"segments": None, "documents": "document"}

    def _summary(self) -> dict[str, Any]:
        return {"shared": self.shared}

    def _table(self, by: str | None) -> Table:
        """A row for each disputed segment, or each document; people see the first ones."""
        rows_of, size = self._rows_of, len(self)
        if by is not None:
            rows_of, size = self._documents_of, len(self.documents)
        return first_shown(rows_of, size)

    def _documents_of(self, count: int) -> Table:
        """Return the table of the first documents."""
        columns = [
            Column("document", unit(self.settings), "name"),
            Column("annotators", "annotators", "count"),
            Column("segments", "segments", "count"),
            Column("disputed", "disputed", "count"),
            Column("disagreement", "disagreement"),
            Column("difficulty", "difficulty"),
        ]
        surprise = self.settings.sort == "surprise"
        if surprise:
            columns += [Column("p", "", "probability"), Column("", "p", "place")]
            columns += [Column("pair", "between", "name")]
        rows: list[list[Value]] = []
        for each in self.documents[:count]:
            row: list[Value] = list(each[:6])
            pair = None if each.pair is None else ", ".join(each.pair)
            rows.append([*row, each.p, probability(each.p), pair] if surprise else row)
        return self._shown(columns, rows)

    def _rows_of(self, count: int) -> Table:
        """Return the table of the first disputed segments."""
        contested, names = self.contested.first(count), self.corpus.annotators
        documents = [self.documents[p] for p in self._place[:count].tolist()]
        labels = [self.corpus.labels[label] for label in contested.label.tolist()]
        start, end = contested.start.tolist(), contested.end.tolist()
        marked = contested.marked.tolist()
        columns = [
            Column("rank", kind="count"),
            Column("document", unit(self.settings), "name"),
            Column("disagreement", "disagreement"),
            Column("difficulty"),
            *(Column(end, kind="count") for end in ("start", "end")),
            Column("", "segment", "name"),
            Column("label", "label", "name"),
        ]
        values: list[Sequence[Value]] = [
            [p + 1 for p in self._place[:count].tolist()],
            [each.document for each in documents],
            [each.disagreement for each in documents],
            [each.difficulty for each in documents],
            *(start, end),
            [f"{s}–{e}" for s, e in zip(start, end, strict=True)],
            labels,
        ]
        if self.with_text:
            texts = self._texts(count)
            columns += [Column("text", kind="name"), Column("", "text", "name")]
            columns += [Column(key, kind="name") for key in ("before", "after")]
            values += [texts[0], shortened(texts[0]), *texts[1:]]
        columns += [Column("marked", kind="count"), Column("saw", kind="count")]
        values += [marked, [each.annotators for each in documents]]
        by = [
            ", ".join(names[k] for k in contested.marked_by(i)) for i in range(len(contested.start))
        ]
        if len(names) > ALONE:
            columns += [Column("", "marked", "place"), Column("by", "by", "name")]
            shares = zip(marked, documents, strict=True)
            values += [[f"{m} of {each.annotators}" for m, each in shares], by]
        else:
            cells = contested.cells(self.corpus)
            columns += [Column("", "marked by", "name"), Column("", "others", "name")]
            values += [by, [_others(names, row) for row in cells]]
            columns += [Column(f"by_{name}", kind="name") for name in names]
            values += [[row[k] for row in cells] for k in range(len(names))]
        return self._shown(columns, list(zip(*values, strict=True)))

    def _shown(self, columns: Sequence[Column], rows: Sequence[Sequence[Value]]) -> Table:
        noun = unit(self.settings)
        caption = (
            f"{counted(len(self.corpus.layers), 'annotator')}: {counted(len(self), 'segment')} in"
            f" dispute, in {len(self.documents)} of {counted(self.shared, noun)} that two or more"
            " saw"
        )
        if not rows:  # people see no column
            columns = [column._replace(title="") for column in columns]
        titles = {column.title for column in columns}
        remarks = [words for name, words in _WORDS.items() if name in titles]
        return Table(columns, rows, self.settings, caption=caption, remarks=remarks)

    def _picture(self, by: str | None) -> Picture:
        """Return how many segments are disputed in each of the first documents."""
        first = self.documents[:_DRAWN]
        counts = {shown_text(each.document): each.disputed for each in first}
        what = f"disputed segments of the first {counted(len(first), unit(self.settings))}"
        return Picture(lambda ax: bars(ax, counts, what), rows_size(counts))


def _others(names: Sequence[str], cells: Sequence[str | None]) -> str:
    """Return what those did who did not mark a segment, those who did the same together."""
    did: dict[str, list[str]] = {}
    for name, cell in zip(names, cells, strict=True):
        if cell is not None and cell != "marked":
            did.setdefault(cell, []).append(name)
    return "; ".join(f"{', '.join(who)}: {cell}" for cell, who in did.items())


def disputes(
    corpus: Corpus,
    *,
    sort: DisputeSort = "disagreement",
    match: MatchName = "exact",
    chance: Chance = "nonoverlapping",
    text: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> Disputes:
    """Return what annotators disagree about, the documents ranked by how far they disagree.

    A segment is disputed if some, and not all, of those who saw its document marked it: the same
    start, end and label, whatever the measure.

    Args:
        corpus: two annotators or more as layers.
        sort: what ranks documents, disagreement, segments or surprise.
        match: the measure of disagreement, exact, boundaries, token, iou or overlap.
        chance: the chance model, nonoverlapping, per-label or overlapping.
        text: whether rows have the texts.
        progress: called with the number of pairs compared, and of all.

    Raises:
        SettingError: for an unknown name; if no two annotators saw the same document; for surprise
            with ``iou``, whose matches are not whole numbers; for a layer that overlaps itself
            where the measure or the chance model does not allow it.

    >>> corpus = Corpus.from_segments(
    ...     [9], {"ann": [[(0, 2, "PER")]], "bob": [[(0, 2, "PER"), (4, 5, "LOC")]], "cy": [[]]}
    ... )
    >>> [(row.start, row.label, row.marked_by) for row in disputes(corpus)]
    [(0, 'PER', ('ann', 'bob')), (4, 'LOC', ('bob',))]
    """
    check_in_one_piece(corpus, "disputes")
    check_choice(sort, SORTS, "sort")
    contested = _contested(corpus, match, chance)
    comparisons = Kept.of(corpus, match, chance, progress).sums
    sums = comparisons.by("document").symmetric_table(np.arange(len(corpus)))
    read: dict[str, Any] = {"offsets": corpus.offsets, "reading": corpus.reading}
    how = expected_how(comparisons.how)
    how = expected_how(comparisons.how)
    settings = DisputeSettings(match=match, chance=chance, expected=how, sort=sort, **read)
    ranked = _ranked(corpus, contested, sums, settings, step_of(progress, "chance"))
    number = np.array([d for d, _ in ranked], np.int64)
    unknown = no_texts(corpus)
    return Disputes(
        tuple(each for _, each in ranked),
        int((contested.saw > 1).sum()),
        number,
        contested.by_documents(number),
        corpus,
        text and not unknown,
        settings,
        (*corpus.notes, *(unknown if text else ())),
    )


def _contested(corpus: Corpus, match: str, chance: str) -> Disputed:
    """Return the disputed segments of a corpus that the measure and the chance model allow."""
    check_names(match, chance)
    for name in corpus.layers:
        check_layer(corpus, name, match, chance)
    contested = disputed(corpus)
    if not (contested.saw > 1).any():
        raise SettingError(
            "no document that two annotators saw; two who share one are needed; spanagree check"
            " says who saw what"
        )
    return contested


def _ranked(
    corpus: Corpus, contested: Disputed, sums: Floats, settings: DisputeSettings, progress: Progress
) -> list[tuple[int, Queued]]:
    """Return the documents with a dispute by rank, each with its number."""
    with np.errstate(divide="ignore", invalid="ignore"):
        figures = f1_figures(sums)
    there = np.unique(contested.document)
    many = np.bincount(contested.document, minlength=len(corpus))
    unlikely: Mapping[int, tuple[float, tuple[str, str]]] = {}
    if settings.sort == "surprise":
        unlikely = least_likely(corpus, settings.match, settings.chance, there, progress)
    queued = {}
    for d in there.tolist():
        counts = int(contested.saw[d]), int(contested.segments[d]), int(many[d])
        observed, expected = figures[d, :2].tolist()
        p = unlikely.get(d, (UNDEFINED, None))
        queued[d] = Queued(corpus.id_of(d), *counts, 1 - observed, 1 - expected, *p)

    def rank(d: int) -> tuple[Any, ...]:
        each = queued[d]
        first: dict[str, tuple[float, ...]] = {
            "disagreement": (-each.disagreement, -each.disputed),
            "segments": (-each.disputed, -each.disagreement),
            "surprise": (each.p if each.p == each.p else 1, -each.disagreement, -each.disputed),
        }
        return (*first[settings.sort], each.document)

    return [(d, queued[d]) for d in sorted(queued, key=rank)]
