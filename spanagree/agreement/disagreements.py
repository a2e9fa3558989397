"""Where two annotators part, segment by segment; and labels of one against labels of the other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import Ints
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.segments import Layer, Segment
from spanagree.errors import SettingError, check_choice, one_of, printable, show
from spanagree.matching.pairing import KINDS, NONE, OUTCOMES, columns_of, pairing
from spanagree.rendering.data import to_arrow
from spanagree.results import Shown
from spanagree.settings import __version__, signature

CONTEXT = {"tokens": 5, "characters": 40}
"""How much of the text is shown on either side of a disagreement."""


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
        return None if start == NONE else Segment(start, end, self.corpus.labels[label])

    def _texts(
        self, d: int, a: tuple[int, int, int], b: tuple[int, int, int]
    ) -> tuple[str, str, str, str]:
        there = [of for of in (a, b) if of[0] != NONE]
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
        np.stack(columns_of(layer, of[wanted]), axis=1)
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
