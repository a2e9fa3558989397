"""Where two annotators part, segment by segment."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from spanagree.arrays import Ints
from spanagree.choices import Kind
from spanagree.comparisons.pairing import KINDS, NONE, OUTCOMES, columns_of, pairing
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.placed import placed_only
from spanagree.corpus.segments import Layer, Segment, is_time
from spanagree.corpus.times import in_seconds, shown
from spanagree.errors import (
    SettingError,
    check_known,
    escape_name,
    pluralize,
    pluralize_of,
    quote_value,
    truncate,
)
from spanagree.formats.guessed import CorpusLike, as_corpus
from spanagree.results import verdict
from spanagree.results.frame import Column, Frame, Value, first_shown
from spanagree.results.plots import Plot, bars, shown_text
from spanagree.results.result import Result
from spanagree.settings import Settings, document_noun

CONTEXT = {"tokens": 5, "characters": 40}
"""How much of the text is shown on either side of a disagreement."""

LONGEST = 40
"""Characters of a segment's text that people see; the other formats have all."""


@dataclass(frozen=True, kw_only=True, eq=False)
class DisagreementSettings(Settings):
    """The settings of what lies between two annotators; kinds only if some were asked for."""

    between: list[str]
    kinds: list[str] | None = None


class Disagreement(NamedTuple):
    """One disagreement: the segments of both, ``None`` where there is none, and their texts.

    ``before`` and ``after`` are what stands next to the two; texts are empty if not known, or not
    wanted.
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
    """The result of :func:`disagreements`; iterate over it for the rows.

    Attributes:
        counts: how many there are of each of :data:`OUTCOMES`, whatever kinds were asked for.
        documents: how many documents both saw.
        document: of each row, the document's number from 0.
        kind: of each row, which of :data:`OUTCOMES`.
        a: of each row, start, end and label of the first annotator's segment, or −1.
        b: the same of the second's.
        rows: of each row, the numbers of both segments in their layers, or −1.
        corpus: what the rows are from.
        with_text: whether rows have texts.
        settings: what made the rows.
        notes: what a reader repaired or passed over, and what is out of the ordinary here.

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
        """The names of the two."""
        first, second = self.settings.between
        return first, second

    def __len__(self) -> int:
        """The number of rows."""
        return len(self.kind)

    def __iter__(self) -> Iterator[Disagreement]:
        corpus = self.corpus
        of_a, of_b = (corpus.layers[name] for name in self.between)

        def segment(layer: Layer, row: int) -> Segment | None:
            return None if row == NONE else layer.segment(row, corpus.labels)

        columns = zip(*(x.tolist() for x in self.rows), *self._columns(len(self)), strict=True)
        for a, b, d, kind, _, _, *texts in columns:
            yield Disagreement(d, kind, segment(of_a, a), segment(of_b, b), *texts)

    def _bounds(self, side: int, count: int) -> list[str]:
        """Return start and end of the pieces of each segment of a side, in words."""
        offsets, layer = self.corpus.offsets, self.corpus.layers[self.between[side]]
        known = {} if layer.details is None else layer.details.pieces(layer.start)
        bounds = []
        for row, (start, end, _) in zip(
            self.rows[side][:count].tolist(), (self.a, self.b)[side][:count].tolist(), strict=True
        ):
            pieces = () if row == NONE else known.get(row, ((start, end),))
            bounds.append("; ".join(f"{shown(s, offsets)}–{shown(e, offsets)}" for s, e in pieces))
        return bounds

    def _columns(self, count: int) -> list[Sequence[Any]]:
        """Return document, kind, both segments and, if rows have them, the texts of first rows."""
        d, a, b = self.document[:count], self.a[:count], self.b[:count]
        columns: list[Sequence[Any]] = [
            list(map(self.corpus.id_of, d.tolist())),
            [OUTCOMES[kind] for kind in self.kind[:count].tolist()],
            *(a.tolist(), b.tolist()),
        ]
        if not self.with_text:
            return columns
        first, last = np.minimum(a[:, 0], b[:, 0]), np.maximum(a[:, 1], b[:, 1])
        first = np.where(first == NONE, np.maximum(a[:, 0], b[:, 0]), first)
        ends = (a[:, 0], a[:, 1]), (b[:, 0], b[:, 1]), *around(self.corpus, d, first, last)
        return columns + [texts_of(self.corpus, d, *borders) for borders in ends]

    @property
    def verdict(self) -> str:
        """In what two annotators differ most."""
        kinds = {kind: self.counts[kind] for kind in KINDS}
        if not any(kinds.values()):
            return ""
        a, b = map(escape_name, self.between)
        return f"Disagreements of {a} and {b} are most often {verdict.most_often(kinds)}."

    TABLES: ClassVar[Mapping[str, str | None]] = {"disagreements": None}

    SUMMARY: ClassVar[tuple[str, ...]] = ("documents", "counts")

    def _table(self, by: str | None) -> Frame:
        """A row for each disagreement; if there is none, the caption says so."""
        return first_shown(self._rows_of, len(self))

    def _rows_of(self, count: int) -> Frame:
        """Return the table of the first rows."""
        document, kind, *both = self._columns(count)
        texts = both[2:]
        columns = [
            Column("document", document_noun(self.settings), "name"),
            Column("kind", "kind", "name"),
        ]
        values: list[Sequence[Value]] = [document, kind]
        names = (*self.corpus.labels, None)  # the last one is that of no segment
        offsets = self.corpus.offsets
        for i, (side, name) in enumerate(zip("ab", self.between, strict=True)):
            columns += [Column(f"{side}_{end}", "", "count") for end in ("start", "end")]
            columns += [Column(f"{side}_label", "", "name")]
            columns += [Column("", escape_name(name), "name"), Column("", "label", "name")]
            there = [start != NONE for start, _, _ in both[i]]
            for k in (0, 1):
                values += [[in_seconds(x[k], offsets) if x[k] != NONE else None for x in both[i]]]
            label = [names[x[2]] for x in both[i]]
            values += [label, self._bounds(i, count), [name or "" for name in label]]
            if self.with_text:
                columns += [Column(f"{side}_text", "", "name"), Column("", "text", "name")]
                cells = zip(texts[i], there, strict=True)
                values += [[text if yes else None for text, yes in cells], shortened(texts[i])]
        if self.with_text:
            columns += [Column("before", "", "name"), Column("after", "", "name")]
            values += texts[2:]
        if not len(self):  # people see no column
            columns = [column._replace(title="") for column in columns]
        rows = list(zip(*values, strict=True))
        return Frame(columns, rows, self.settings, caption=self._caption())

    def _caption(self) -> str:
        """Say how many there are of each kind, or why there is nothing to show."""
        a, b = map(escape_name, self.between)
        over = pluralize_of(self.documents, len(self.corpus), document_noun(self.settings))
        between = f"{a} and {b}, {over}"
        same = self.counts["match"]
        kinds = ", ".join(f"{self.counts[kind]} {kind}" for kind in KINDS if self.counts[kind])
        if len(self):
            return f"{between}: {same} the same, {kinds}"
        if kinds:
            return f"no disagreement of these kinds: {between}; there are {kinds}"
        what = f"all {pluralize(same, 'segment')} the same" if same else "neither marked anything"
        return f"no disagreement: {between}, {what}"

    def _picture(self, by: str | None) -> Plot:
        """Return how many disagreements there are of each kind."""
        counts = {kind: self.counts[kind] for kind in KINDS if kind in self.counts}
        what = f"disagreements of {' and '.join(map(shown_text, self.between))}"
        return Plot(lambda ax: bars(ax, counts, what))


def around(
    corpus: Corpus, document: Ints, first: Ints, last: Ints
) -> tuple[tuple[Ints, Ints], tuple[Ints, Ints]]:
    """Return from where to where the context before and after some stretches reaches."""
    reach = CONTEXT.get(corpus.offsets, 0)
    after = np.minimum(last + reach, corpus.lengths[document])
    return (np.maximum(first - reach, 0), first), (last, after)


def no_texts(corpus: Corpus) -> tuple[str, ...]:
    """Return a note if nobody knows what the segments of a corpus say."""
    if is_time(corpus.offsets):
        return ("recordings have no text, so rows have times only, in seconds",)
    what = "texts" if corpus.offsets == "characters" else "tokens"
    if getattr(corpus, what) is not None:
        return ()
    return (f"the {what} are not known, so rows have offsets only",)


def shortened(texts: Sequence[str]) -> list[str]:
    """Return texts as people see them, cut after forty characters."""
    return [truncate(text, LONGEST) for text in texts]


def texts_of(corpus: Corpus, document: Ints, start: Ints, end: Ints) -> list[str]:
    """Return what stands between two offsets of each document; tokens are joined by spaces.

    What is not known is empty, and so is what ends where it starts.

    >>> corpus = Corpus(np.array([3]), {}, (), tokens=("No", "way", "!"))
    >>> texts_of(corpus, *np.array([[0, 0], [1, 2], [3, 2]]))
    ['way !', '']
    """
    if corpus.offsets == "tokens":
        if corpus.tokens is None:
            return [""] * len(document)
        first = corpus.starts[document]
        if corpus.texts is None or corpus.token_starts is None:
            words = corpus.tokens
            bounds = zip((first + start).tolist(), (first + end).tolist(), strict=True)
            return [" ".join(words[low:high]) for low, high in bounds]
        some = start < end
        last = np.where(some, first + end - 1, 0)
        width = np.array([len(corpus.tokens[i]) for i in last.tolist()], np.int64)
        start = np.where(some, corpus.token_starts[np.where(some, first + start, 0)], 0)
        end = np.where(some, corpus.token_starts[last] + width, 0)
    if corpus.texts is None:
        return [""] * len(document)
    texts, rows = corpus.texts, (document.tolist(), start.tolist(), end.tolist())
    return [texts[d][low:high] for d, low, high in zip(*rows, strict=True)]


def disagreements(
    corpus: CorpusLike, a: str, b: str, *, kinds: Iterable[Kind] | None = None, text: bool = True
) -> Disagreements:
    """Return where two annotators disagree, by segment, over the documents that both saw.

    Args:
        corpus: with both as layers.
        a: the first, such as the gold annotation.
        b: the second. The other way round, ``missed`` and ``spurious`` change places and nothing
            else.
        kinds: rows of these only, of missed, spurious, boundary, label and boundary+label.
        text: whether rows have the texts; without, they have offsets and labels only.

    Raises:
        SettingError: for an unknown annotator or kind, twice the same annotator, or two who saw no
            document in common.

    >>> corpus = Corpus.from_segments(
    ...     [9], {"ann": [[(0, 2, "PER"), (4, 5, "LOC")]], "bob": [[(0, 3, "PER")]]}
    ... )
    >>> [(row.kind, row.a, row.b) for row in disagreements(corpus, "ann", "bob")][1]
    ('missed', Segment(start=4, end=5, label='LOC'), None)
    """
    corpus = placed_only(as_corpus(corpus), "lists")
    asked = KINDS if kinds is None else [kinds] if isinstance(kinds, str) else list(kinds)
    check_known(asked, KINDS, "kind")
    names = [kind for kind in KINDS if kind in asked]
    both, notes = check_between(corpus, a, b)
    layers = corpus.layers[a], corpus.layers[b]
    pairs = pairing(*layers, labels=len(corpus.labels))
    wanted = np.isin(pairs.kind, [OUTCOMES.index(name) for name in names])
    side_a, side_b = (
        np.stack(columns_of(layer, side[wanted]), axis=1)
        for layer, side in zip(layers, pairs[:2], strict=True)
    )
    unknown = no_texts(corpus)
    return Disagreements(
        counts=pairs.counts,
        document=np.maximum(side_a[:, 0], side_b[:, 0]),
        kind=pairs.kind[wanted],
        a=side_a[:, 1:],
        b=side_b[:, 1:],
        rows=(pairs.a[wanted], pairs.b[wanted]),
        corpus=corpus,
        with_text=text and not unknown,
        documents=both,
        settings=DisagreementSettings(
            between=[a, b],
            kinds=None if kinds is None else names,
            offsets=corpus.offsets,
            reading=corpus.reading,
        ),
        notes=(*notes, *unknown) if text else notes,
    )


def check_between(corpus: Corpus, a: str, b: str) -> tuple[int, tuple[str, ...]]:
    """Return how many documents two annotators both saw, and notes.

    Raises:
        SettingError: as for :func:`disagreements`.
    """
    check_known((a, b), corpus.layers)
    if a == b:
        raise SettingError(f"between {quote_value(a)} and itself; two annotators are needed")
    layers = corpus.layers[a], corpus.layers[b]
    both = int((layers[0].annotated & layers[1].annotated).sum())
    if not both:
        raise SettingError(
            f"between {quote_value(a)} and {quote_value(b)}: no document that both saw; two who"
            " share one are needed; spanagree check says who saw what"
        )
    notes = corpus.notes_but(name for name in corpus.layers if name not in (a, b))
    if unshared := len(corpus) - both:
        pair = f"{escape_name(a)} and {escape_name(b)}"
        notes += (
            f"{unshared} of {pluralize(len(corpus), 'document')} not shared by {pair}, left out",
        )
    return both, notes
