"""Where two annotators part in the relations between segments."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

from spanagree.agreement.disagreements import DisagreementSettings, check_between
from spanagree.corpus.segments import Document, Relation, Segment, is_time
from spanagree.corpus.times import in_seconds, shown
from spanagree.errors import (
    SettingError,
    escape_name,
    join_names,
    pluralize_of,
    quote_value,
    truncate,
)
from spanagree.formats.guessed import CorpusLike, as_corpus
from spanagree.results import verdict
from spanagree.results.frame import Column, Frame, Value
from spanagree.results.plots import Plot, bars, shown_text
from spanagree.results.result import Result
from spanagree.settings import document_noun

RELATION_KINDS = {
    "direction": "same label and segments, the other way round",
    "label": "same segments, other label",
    "argument": "same label, one of the segments the same",
    "missed": "the first linked two segments, the second nothing that goes with it",
    "spurious": "the second linked two segments, the first nothing that goes with it",
}
"""The kinds of disagreement about relations."""

_MATCH = "match"
_LONGEST = 40


class RelationDisagreement(NamedTuple):
    """One disagreement: the relations of both, ``None`` where there is none."""

    document: str
    kind: str
    a: Relation | None
    b: Relation | None


@dataclass(frozen=True, eq=False, repr=False)
class RelationDisagreements(Result):
    """The result of :func:`relation_disagreements`; iterate over it for the rows.

    Attributes:
        counts: how many there are of each kind, and of those that are the same.
        rows: the disagreements, document by document.
        documents: how many documents both saw.
        of_documents: how many the corpus has.
        settings: what made the rows.
        notes: what a reader repaired or passed over.
        texts: of each segment in a row, by document, what stands there, if it is known.
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
        """In what two annotators differ most."""
        kinds = {kind: self.counts[kind] for kind in RELATION_KINDS}
        if not any(kinds.values()):
            return ""
        a, b = map(escape_name, self.settings.between)
        most = verdict.most_often(kinds)
        return f"Disagreements of {a} and {b} about relations are most often {most}."

    SUMMARY: ClassVar[tuple[str, ...]] = ("documents", "of_documents", "counts")

    def _table(self, by: str | None) -> Frame:
        """A row for each disagreement."""
        columns = [
            Column("document", document_noun(self.settings), "name"),
            Column("kind", "kind", "name"),
        ]
        at = "number" if is_time(str(self.settings.offsets)) else "count"
        for side, name in zip("ab", self.settings.between, strict=True):
            columns += [Column(f"{side}_label", "", "name"), Column("", escape_name(name), "name")]
            for end in ("first", "second"):
                columns += [Column(f"{side}_{end}_{bound}", "", at) for bound in ("start", "end")]
                columns += [Column(f"{side}_{end}_label", "", "name")]
        rows = []
        for row in self.rows:
            cells: list[Value] = [row.document, row.kind]
            for relation in (row.a, row.b):
                cells += self._cells(relation)
            rows.append(cells)
        if not rows:
            columns = [column._replace(title="") for column in columns]
        return Frame(columns, rows, self.settings, caption=self._caption())

    def _cells(self, relation: Relation | None) -> list[Value]:
        """Return label, the relation in words, and both segments."""
        if relation is None:
            return [None, "", *[None] * 6]
        offsets = str(self.settings.offsets)
        both = relation.first, relation.second
        texts = (truncate(self.texts.get((relation.document, x), ""), _LONGEST) for x in both)
        ends = [
            f"{text} {shown(x.start, offsets)}–{shown(x.end, offsets)}".strip()
            for text, x in zip(texts, both, strict=True)
        ]
        arrow = "→" if relation.directed else "–"
        sentence = f"{ends[0]} {arrow} {escape_name(relation.label)} {arrow} {ends[1]}"
        bounds = [
            y
            for x in both
            for y in (in_seconds(x.start, offsets), in_seconds(x.end, offsets), x.label)
        ]
        return [relation.label, sentence, *bounds]

    def _caption(self) -> str:
        a, b = map(escape_name, self.settings.between)
        over = pluralize_of(self.documents, self.of_documents, document_noun(self.settings))
        between = f"relations of {a} and {b}, {over}"
        kinds = [f"{self.counts[kind]} {kind}" for kind in RELATION_KINDS if self.counts[kind]]
        return f"{between}: {', '.join([f'{self.counts[_MATCH]} the same', *kinds])}"

    def _picture(self, by: str | None) -> Plot:
        """Return how many disagreements there are of each kind."""
        counts = {kind: self.counts[kind] for kind in RELATION_KINDS}
        what = f"relations of {' and '.join(map(shown_text, self.settings.between))}"
        return Plot(lambda ax: bars(ax, counts, what))


def relation_disagreements(
    corpus: CorpusLike, a: str, b: str, *, undirected: Sequence[str] = ()
) -> RelationDisagreements:
    """Return where two annotators part in relations, over the documents that both saw.

    Relations go together one to one: the same; the same the other way round; those of the same
    segments; those of the same label that share a segment in its place; the rest goes with nothing.

    Args:
        corpus: with both as layers.
        a: the first, such as the gold annotation.
        b: the second.
        undirected: labels of relations without a direction, beside those read as such.

    Raises:
        SettingError: for an unknown annotator, twice the same, two who saw no document in common,
            a corpus without relations, or an undirected label that is not there.

    >>> from spanagree.corpus.corpus import Corpus
    >>> spans = {name: [[(0, 2, "PER"), (4, 5, "LOC")]] for name in ("ann", "bob")}
    >>> links = {"ann": [[(0, 1, "in")]], "bob": [[(1, 0, "in")]]}
    >>> corpus = Corpus.from_segments([9], spans, relations=links)
    >>> [row.kind for row in relation_disagreements(corpus, "ann", "bob")]
    ['direction']
    """
    corpus = as_corpus(corpus)
    both, notes = check_between(corpus, a, b)
    labels = {relation.label for relation in corpus.relations}
    if not labels:
        raise SettingError("no relations in the corpus; spanagree check counts what there is")
    for label in undirected:
        if label not in labels:
            raise SettingError(
                f"undirected {quote_value(label)}; the relations are called"
                f" {join_names(sorted(labels))}"
            )
    free = {*undirected, *(x.label for x in corpus.relations if not x.directed)}
    rows: list[RelationDisagreement] = []
    counts = Counter(dict.fromkeys((_MATCH, *RELATION_KINDS), 0))
    texts: dict[tuple[str, Segment], str] = {}
    for document in corpus:
        if document.segments[a] is None or document.segments[b] is None:
            continue
        of_a, of_b = ([x for x in document.relations if x.annotator == name] for name in (a, b))
        for kind, first, second in _paired(of_a, of_b, free):
            counts[kind] += 1
            if kind != _MATCH:
                rows.append(RelationDisagreement(document.id, kind, first, second))
                for x in (first, second):
                    if x is not None:
                        texts |= {(x.document, s): _text(document, s) for s in (x.first, x.second)}
    settings = DisagreementSettings(
        between=[a, b],
        offsets=corpus.offsets,
        reading={
            **corpus.reading,
            "what": "relations",
            **({"undirected": list(undirected)} if undirected else {}),
        },
    )
    return RelationDisagreements(counts, tuple(rows), both, len(corpus), settings, notes, texts)


def _text(document: Document, segment: Segment) -> str:
    """Return what stands at a segment."""
    pieces = segment.pieces or ((segment.start, segment.end),)
    if document.tokens is not None:
        return " ".join(" ".join(document.tokens[s:e]) for s, e in pieces)
    return " ".join((document.text or "")[s:e] for s, e in pieces)


_Key = Callable[[Relation], Any]


def _paired(
    a: Sequence[Relation], b: Sequence[Relation], free: Collection[str]
) -> Iterator[tuple[str, Relation | None, Relation | None]]:
    """Yield every relation once, with that of the other which goes with it, if one does."""

    def ends(relation: Relation) -> tuple[Any, Any]:
        first, second = ((*x, x.pieces) for x in (relation.first, relation.second))
        return (first, second) if relation.label not in free or first <= second else (second, first)

    def shares(relation: Relation, mine: int, its: int) -> Any:
        """Return label and a segment, which without a direction may stand in either place."""
        label = relation.label
        return label, ends(relation)[mine], mine != its and (label in free or mine)

    steps: list[tuple[str, _Key, _Key]] = [
        (_MATCH, lambda x: (x.label, ends(x)), lambda x: (x.label, ends(x))),
        ("direction", lambda x: (x.label, ends(x)), lambda x: (x.label, ends(x)[::-1])),
        ("label", lambda x: sorted(ends(x)), lambda x: sorted(ends(x))),
    ]
    for i, j in ((0, 0), (1, 1), (0, 1), (1, 0)):
        of_a, of_b = (functools.partial(shares, mine=x, its=y) for x, y in ((i, j), (j, i)))
        steps.append(("argument", of_a, of_b))

    def order(relation: Relation) -> Any:
        return ends(relation), relation.label

    left = [sorted(a, key=order), sorted(b, key=order)]
    for kind, key_a, key_b in steps:
        waiting: dict[str, list[Relation]] = {}
        for relation in left[1]:
            waiting.setdefault(repr(key_b(relation)), []).append(relation)
        alone = []
        for relation in left[0]:
            if some := waiting.get(repr(key_a(relation))):
                yield kind, relation, some.pop(0)
            else:
                alone.append(relation)
        left = [alone, sorted((x for some in waiting.values() for x in some), key=order)]
    yield from (("missed", relation, None) for relation in left[0])
    yield from (("spurious", None, relation) for relation in left[1])
