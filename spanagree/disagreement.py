"""Where two annotators part: their segments in pairs, and what differs in each pair.

The pairing is one to one and depends on the segments alone, not on the order of input nor on
which annotator comes first. Same boundaries and label go together first (``match``), then same
boundaries (``label``), then the largest overlap of what is left (``boundary``, or
``boundary+label``). What finds no partner is ``missed`` by the second, or ``spurious``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import Ints, distinct, ranges
from spanagree.arrow import to_arrow
from spanagree.corpus import Corpus, Layer, Segment
from spanagree.errors import SettingError, check_choice, one_of, printable, show
from spanagree.shown import Shown
from spanagree.signature import signature
from spanagree.similarity import MATCHES, similar
from spanagree.version import __version__

KINDS = {
    "missed": "the first marked it, the second nothing that goes with it",
    "spurious": "the second marked it, the first nothing that goes with it",
    "boundary": "other boundaries, same label",
    "label": "same boundaries, other label",
    "boundary+label": "other boundaries, other label",
}
"""The kinds of disagreement."""

OUTCOMES = ("match", *KINDS)
"""What becomes of a segment; the columns ``kind`` index it."""

CONTEXT = {"tokens": 5, "characters": 40}
"""How much of the text is shown on either side of a disagreement."""

_NONE = -1  # in place of a segment that is not there


# --- the pairing --------------------------------------------------------------------------------


class Pairing(NamedTuple):
    """The segments of two layers, in pairs or alone, in the order of the text.

    ``a`` and ``b`` are numbers of segments, −1 where there is none; ``kind`` indexes
    :data:`OUTCOMES`.
    """

    a: Ints
    b: Ints
    kind: Ints


def pairing(a: Layer, b: Layer, labels: int) -> Pairing:
    """Every segment of two layers once, in a pair or alone, over the documents that both saw.

    Of equal overlaps the same label comes first, then the pair with the least that only one of
    the two covers, then the first in the text. ``labels`` is the number of labels of the corpus.

    >>> seen = np.array([True])
    >>> a, b = (Layer(*np.array([[0], [s], [e], [0]]), seen) for s, e in ((2, 5), (3, 6)))
    >>> found = pairing(a, b, labels=1)
    >>> found.a.tolist(), found.b.tolist(), OUTCOMES[found.kind[0]]
    ([0], [0], 'boundary')
    """
    both = a.annotated & b.annotated
    free_a, free_b = both[a.document], both[b.document]
    partner = np.full(len(a), _NONE)
    for number in (_label, _place_among_twins):  # of the same label; then of any
        i, j = np.flatnonzero(free_a), np.flatnonzero(free_b)
        rest_a, rest_b = a.only(free_a), b.only(free_b)
        cell_a, cell_b = (x.document * labels + number(x) for x in (rest_a, rest_b))
        p, q, _ = similar(rest_a, rest_b, cell_a, cell_b, MATCHES["exact"])
        partner[i[p]] = j[q]
        free_a[i[p]], free_b[j[q]] = False, False
    code_a, code_b = _codes(a, b)
    i, j = _overlapping(a, b, np.flatnonzero(free_a), np.flatnonzero(free_b))
    shared = np.minimum(a.end[i], b.end[j]) - np.maximum(a.start[i], b.start[j])
    order = np.lexsort(
        (
            np.maximum(code_a[i], code_b[j]),
            np.minimum(code_a[i], code_b[j]),
            (a.end - a.start)[i] + (b.end - b.start)[j] - 2 * shared,
            a.label[i] != b.label[j],
            -shared,
        )
    )
    for of_a, of_b in zip(i[order].tolist(), j[order].tolist(), strict=True):
        if free_a[of_a] and free_b[of_b]:
            partner[of_a] = of_b
            free_a[of_a] = free_b[of_b] = False
    paired = np.flatnonzero(partner != _NONE)
    missed, spurious = np.flatnonzero(free_a), np.flatnonzero(free_b)
    all_a = np.concatenate([paired, missed, np.full(len(spurious), _NONE)])
    all_b = np.concatenate([partner[paired], np.full(len(missed), _NONE), spurious])
    codes = np.array([np.append(code_a, _NONE)[all_a], np.append(code_b, _NONE)[all_b]])
    last = codes.max(0)
    order = np.lexsort((last, np.where((codes == _NONE).any(0), last, codes.min(0))))
    all_a, all_b = all_a[order], all_b[order]
    return Pairing(all_a, all_b, _kinds(a, b, all_a, all_b))


def _label(layer: Layer) -> Ints:
    return layer.label


def _place_among_twins(layer: Layer) -> Ints:
    """The place of each segment among those with the same boundaries, from 0."""
    _, which, _ = distinct(layer.document, layer.start, layer.end)
    return np.arange(len(which)) - np.searchsorted(which, which)


def _codes(a: Layer, b: Layer) -> tuple[Ints, Ints]:
    """The segments of both layers as numbers: equal if they are, in the order of the text."""
    sides = ((x.document, x.start, x.end, x.label) for x in (a, b))
    _, which, _ = distinct(*(np.concatenate(columns) for columns in zip(*sides, strict=True)))
    return which[: len(a)], which[len(a) :]


def _overlapping(a: Layer, b: Layer, i: Ints, j: Ints) -> tuple[Ints, Ints]:
    """All pairs that share a token, of some segments ``i`` of A and ``j`` of B.

    Of two that overlap one starts in the other: no other pairs are looked at, however far some
    segments reach.
    """
    # every document gets a stretch of its own on one long line
    stretch = max(int(a.end.max(initial=0)), int(b.end.max(initial=0))) + 1
    start_a, end_a = (a.document[i] * stretch + x[i] for x in (a.start, a.end))
    start_b, end_b = (b.document[j] * stretch + x[j] for x in (b.start, b.end))
    q, p = ranges(np.searchsorted(start_b, start_a), np.searchsorted(start_b, end_a))
    r, s = ranges(np.searchsorted(start_a, start_b, side="right"), np.searchsorted(start_a, end_b))
    return i[np.concatenate([p, r])], j[np.concatenate([q, s])]


def _kinds(a: Layer, b: Layer, of_a: Ints, of_b: Ints) -> Ints:
    (_, *bounds_a, label_a), (_, *bounds_b, label_b) = _columns(a, of_a), _columns(b, of_b)
    moved = (bounds_a[0] != bounds_b[0]) | (bounds_a[1] != bounds_b[1])
    renamed = label_a != label_b
    cases = {
        "missed": of_b == _NONE,
        "spurious": of_a == _NONE,
        "boundary+label": moved & renamed,
        "boundary": moved,
        "label": renamed,
    }
    return np.select(list(cases.values()), [OUTCOMES.index(kind) for kind in cases], 0)


def _columns(layer: Layer, of: Ints) -> tuple[Ints, ...]:
    """Document, start, end and label of some segments; −1 where there is none."""
    columns = (layer.document, layer.start, layer.end, layer.label)
    return tuple(np.append(column, _NONE)[of] for column in columns)


# --- the result ---------------------------------------------------------------------------------


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


@dataclass(frozen=True, eq=False)
class Disagreements(Shown):
    """The result of :func:`disagreements`; iterate over it for the rows.

    Attributes:
        counts: how many there are of each of :data:`OUTCOMES`, whatever kinds were asked for.
        documents: how many documents both saw.
        document: of each row, the document's number from 0.
        kind: of each row, which of :data:`OUTCOMES`.
        a: of each row, start, end and label of the first annotator's segment, or −1.
        b: the same of the second's.
        corpus: what the rows are from.
        with_text: whether rows have texts.
        settings: what made the rows.
        notes: what a reader repaired or passed over, and what is out of the ordinary here.
    """

    counts: Mapping[str, int]
    documents: int
    document: Ints = field(repr=False)
    kind: Ints = field(repr=False)
    a: Ints = field(repr=False)
    b: Ints = field(repr=False)
    corpus: Corpus = field(repr=False)
    with_text: bool
    settings: Mapping[str, Any]
    notes: tuple[str, ...]

    @property
    def between(self) -> tuple[str, str]:
        """The names of the two."""
        first, second = self.settings["between"]
        return first, second

    @cached_property
    def signature(self) -> str:
        """The settings that made the rows, and the version, in one line."""
        return _signature(self.settings)

    def __len__(self) -> int:
        """The number of rows."""
        return len(self.kind)

    def __iter__(self) -> Iterator[Disagreement]:
        columns = (self.document, self.kind, self.a, self.b)
        rows = zip(*(column.tolist() for column in columns), strict=True)
        for d, kind, a, b in rows:
            texts = self._texts(d, a, b) if self.with_text else ()
            sides = (self._segment(a), self._segment(b))
            yield Disagreement(self.corpus.id_of(d), OUTCOMES[kind], *sides, *texts)

    def _segment(self, of: tuple[int, int, int]) -> Segment | None:
        start, end, label = of
        return None if start == _NONE else Segment(start, end, self.corpus.labels[label])

    def _texts(
        self, d: int, a: tuple[int, int, int], b: tuple[int, int, int]
    ) -> tuple[str, str, str, str]:
        there = [of for of in (a, b) if of[0] != _NONE]
        first, last = min(of[0] for of in there), max(of[1] for of in there)
        reach, length = CONTEXT[self.corpus.offsets], int(self.corpus.lengths[d])
        return (
            text_of(self.corpus, d, a[0], a[1]),
            text_of(self.corpus, d, b[0], b[1]),
            text_of(self.corpus, d, max(first - reach, 0), first),
            text_of(self.corpus, d, last, min(last + reach, length)),
        )

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data, for JSON; a segment that is not there is ``None``."""
        return {
            "signature": self.signature,
            "settings": dict(self.settings),
            "documents": self.documents,
            "notes": list(self.notes),
            "counts": dict(self.counts),
            "disagreements": [self._entry(row) for row in self],
        }

    def _entry(self, row: Disagreement) -> dict[str, Any]:
        entry: dict[str, Any] = {"document": row.document, "kind": row.kind}
        for name, segment, text in (("a", row.a, row.a_text), ("b", row.b, row.b_text)):
            of = None if segment is None else segment._asdict()
            entry[name] = {**of, "text": text} if of is not None and self.with_text else of
        return {**entry, "before": row.before, "after": row.after} if self.with_text else entry

    def to_rows(self) -> list[dict[str, Any]]:
        """The result as flat rows, for CSV or a data frame; without texts if there are none.

        >>> corpus = Corpus.from_segments([9], {"a": [[(0, 2, "PER")]], "b": [[(0, 3, "PER")]]})
        >>> (row,) = disagreements(corpus, "a", "b").to_rows()
        >>> row["kind"], row["a_end"], row["b_end"]
        ('boundary', 2, 3)
        """
        rows = []
        for row in self:
            values: list[Any] = [row.document, row.kind]
            for segment, text in ((row.a, row.a_text), (row.b, row.b_text)):
                values += [*(segment or (None, None, None)), *([text] if self.with_text else [])]
            values += [row.before, row.after] if self.with_text else []
            rows.append(dict(zip(self.columns, [*values, self.signature], strict=True)))
        return rows

    def to_arrow(self) -> Any:
        """The rows as a ``pyarrow.Table``, see :func:`spanagree.arrow.to_arrow`."""
        return to_arrow(self.to_rows(), self.columns)

    @cached_property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of :meth:`to_rows`."""
        of_side = (*Segment._fields, *(["text"] if self.with_text else []))
        sides = [f"{side}_{name}" for side in "ab" for name in of_side]
        around = ["before", "after"] if self.with_text else []
        return ("document", "kind", *sides, *around, "signature")


def _signature(settings: Mapping[str, Any]) -> str:
    """Names and kinds in one line; a name may hold what does not print."""
    lists = {key: settings[key] for key in ("between", "kinds") if key in settings}
    return signature({**settings, **{k: ",".join(v) for k, v in lists.items()}})


def text_of(corpus: Corpus, document: int, start: int, end: int) -> str:
    """What stands between two offsets of a document; tokens are joined by spaces.

    >>> text_of(Corpus(np.array([3]), {}, (), tokens=("No", "way", "!")), 0, 1, 3)
    'way !'
    """
    if start >= end:
        return ""
    if corpus.offsets == "characters":
        return "" if corpus.texts is None else corpus.texts[document][start:end]
    if corpus.tokens is None:
        return ""
    first = int(corpus.starts[document])
    if corpus.texts is None or corpus.token_starts is None:
        return " ".join(corpus.tokens[first + start : first + end])
    last = first + end - 1
    low, high = int(corpus.token_starts[first + start]), int(corpus.token_starts[last])
    return corpus.texts[document][low : high + len(corpus.tokens[last])]


def disagreements(
    corpus: Corpus, a: str, b: str, *, kinds: Iterable[str] | None = None, text: bool = True
) -> Disagreements:
    """Where two annotators part, segment by segment, over the documents that both saw.

    Args:
        corpus: with both as layers.
        a: the first, such as the gold annotation.
        b: the second. The other way round, ``missed`` and ``spurious`` change places and nothing
            else.
        kinds: rows of these only; all of :data:`KINDS` unless given.
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
    layers = _two(corpus, a, b)
    names = _chosen(kinds)
    found = pairing(*layers, labels=len(corpus.labels))
    counts = np.bincount(found.kind, minlength=len(OUTCOMES))
    wanted = np.isin(found.kind, [OUTCOMES.index(name) for name in names])
    of_a, of_b = (
        np.stack(_columns(layer, of[wanted]), axis=1)
        for layer, of in zip(layers, found[:2], strict=True)
    )
    settings = _settings(corpus, a, b)
    if kinds is not None:
        settings = {"between": settings.pop("between"), "kinds": names, **settings}
    what = "texts" if corpus.offsets == "characters" else "tokens"
    known = getattr(corpus, what) is not None
    notes = _notes(corpus, layers, a, b)
    if text and not known:
        notes.append(f"the {what} are not known, so rows have offsets only")
    return Disagreements(
        dict(zip(OUTCOMES, counts.tolist(), strict=True)),
        int((layers[0].annotated & layers[1].annotated).sum()),
        np.maximum(of_a[:, 0], of_b[:, 0]),
        found.kind[wanted],
        of_a[:, 1:],
        of_b[:, 1:],
        corpus,
        text and known,
        settings,
        tuple(notes),
    )


def _two(corpus: Corpus, a: str, b: str) -> tuple[Layer, Layer]:
    """The layers of two annotators.

    Raises:
        SettingError: as for :func:`disagreements`.
    """
    for name in (a, b):
        if not isinstance(name, str) or name not in corpus.layers:
            raise one_of(name, map(printable, corpus.layers), "annotator")
    if a == b:
        raise SettingError(f"between {show(a)} and itself; two annotators are needed")
    layers = corpus.layers[a], corpus.layers[b]
    if not (layers[0].annotated & layers[1].annotated).any():
        raise SettingError(
            f"between {show(a)} and {show(b)}: no document that both saw; two who share one are"
            " needed"
        )
    return layers


def _chosen(kinds: Iterable[str] | None) -> list[str]:
    """The kinds asked for, in the order of the table."""
    if kinds is None:
        return list(KINDS)
    asked = [kinds] if isinstance(kinds, str) else list(kinds)
    for kind in asked:
        check_choice(kind, KINDS, "kind")
    return [kind for kind in KINDS if kind in asked]


def _settings(corpus: Corpus, a: str, b: str) -> dict[str, Any]:
    return {"between": [a, b], "offsets": corpus.offsets, **corpus.reading, "version": __version__}


def _notes(corpus: Corpus, layers: tuple[Layer, Layer], a: str, b: str) -> list[str]:
    unshared = int((~(layers[0].annotated & layers[1].annotated)).sum())
    said = f"{unshared} of {len(corpus)} documents not shared by {printable(a)} and {printable(b)}"
    return [*corpus.notes, *([f"{said}, left out"] if unshared else [])]


# --- labels against labels ----------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Confusion(Shown):
    """Which labels two annotators gave to segments that go together.

    Attributes:
        labels: those that either of them used, sorted.
        matrix: labels × labels, how often the first gave one (rows) and the second the other
            (columns). The last row and the last column are for nothing: what the first did not mark
            and what the second did not. They have no name, so no label can be taken for them.
        documents: how many documents both saw.
        settings: what made the numbers.
        notes: what a reader repaired or passed over, and what is out of the ordinary here.
    """

    labels: tuple[str, ...]
    matrix: Ints
    documents: int
    settings: Mapping[str, Any]
    notes: tuple[str, ...]

    @property
    def signature(self) -> str:
        """The settings that made the numbers, and the version, in one line."""
        return _signature(self.settings)

    def to_dict(self) -> dict[str, Any]:
        """The result as plain data, for JSON."""
        return {
            "signature": self.signature,
            "settings": dict(self.settings),
            "documents": self.documents,
            "notes": list(self.notes),
            "labels": list(self.labels),
            "matrix": self.matrix.tolist(),
        }

    def to_arrow(self) -> Any:
        """The rows as a ``pyarrow.Table``, see :func:`spanagree.arrow.to_arrow`."""
        return to_arrow(self.to_rows(), ("a", "b", "count", "signature"))

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each cell that is not 0; the label is ``None`` for nothing."""
        names = (*self.labels, None)
        last = {"signature": self.signature}
        return [
            {"a": names[i], "b": names[j], "count": int(self.matrix[i, j]), **last}
            for i, j in np.argwhere(self.matrix).tolist()
        ]


def confusion(corpus: Corpus, a: str, b: str) -> Confusion:
    """Labels of one annotator against labels of another, with nothing as a row and a column.

    Segments go together as in :func:`disagreements`, so the diagonal has those of the same label,
    whether their boundaries are the same or not.

    Raises:
        SettingError: as for :func:`disagreements`.

    >>> corpus = Corpus.from_segments(
    ...     [9], {"ann": [[(0, 2, "PER"), (4, 5, "LOC")]], "bob": [[(0, 3, "PER")]]}
    ... )
    >>> confusion(corpus, "ann", "bob").matrix.tolist()
    [[0, 0, 1], [0, 1, 0], [0, 0, 0]]
    """
    layers = _two(corpus, a, b)
    found = pairing(*layers, labels=len(corpus.labels))
    nothing = len(corpus.labels)
    whole = np.zeros((nothing + 1, nothing + 1), np.int64)
    sides = [np.append(x.label, nothing)[of] for x, of in zip(layers, found[:2], strict=True)]
    np.add.at(whole, tuple(sides), 1)
    used = (whole.sum(0) + whole.sum(1)) > 0
    used[nothing] = True
    return Confusion(
        tuple(name for name, there in zip(corpus.labels, used, strict=False) if there),
        whole[np.ix_(used, used)],
        int((layers[0].annotated & layers[1].annotated).sum()),
        _settings(corpus, a, b),
        tuple(_notes(corpus, layers, a, b)),
    )
