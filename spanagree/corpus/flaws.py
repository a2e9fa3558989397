"""What makes a layer invalid: one table of flaws, each with a way to find it.

Readers find them in the rows of a source, where a repair may help; a
:class:`~spanagree.corpus.corpus.Corpus` finds them in each of its layers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Ints, distinct, met_before
from spanagree.corpus.overlaps import overlapping
from spanagree.corpus.raw import RawCorpus
from spanagree.errors import InputError, more_like_it, show


class Flaw(NamedTuple):
    """Something wrong or odd in the rows of a source.

    ``find`` gives the indices of the segments (or, with ``of_annotations``, annotations) that have
    it. With ``repairs`` None it is merely odd; else it is an error, and these repairs would help.
    ``rule`` is what holds of segments without the flaw.
    """

    means: str
    find: Callable[[RawCorpus], Ints]
    repairs: tuple[str, ...] | None = None
    rule: str = ""
    of_annotations: bool = False

    def describe(self, raw: RawCorpus, index: int) -> str:
        """Return one case in words: who, where, what."""
        annotation = index if self.of_annotations else int(raw.annotation[index])
        annotator, document = raw.place_of(annotation)
        where = f"annotator {show(annotator)}, document {show(document)}"
        if self.of_annotations:
            return f"{where}: {self.means}"
        label = show(raw.labels[raw.label[index]]) if raw.label[index] >= 0 else "without a label"
        means = self.means.format(length=raw.lengths[raw.of_document[annotation]])
        return f"{where}: segment {raw.start[index]}–{raw.end[index]} {label} {means}"


def refuse_flaws(raw: RawCorpus, *, repairable: bool) -> None:
    """Refuse rows that no corpus may hold; where they are ``repairable``, say by which repairs.

    Raises:
        InputError: with the first case, and how many there are.
    """
    for flaw in FLAWS.values():
        if flaw.repairs is not None:
            rule = flaw.rule
            if repairable and flaw.repairs:
                rule = f"repair {' or '.join(flaw.repairs)} would help"
            refuse(flaw, raw, flaw.find(raw), rule)


def refuse(flaw: Flaw, raw: RawCorpus, cases: Ints, rule: str) -> None:
    """Refuse these cases of a flaw, if there are any; the error ends with the rule."""
    if len(cases):
        case = flaw.describe(raw, int(cases[0])) + more_like_it(len(cases))
        raise InputError(f"{case}; {rule}" if rule else case)


# --- how each is found --------------------------------------------------------------------------


def repeats(raw: RawCorpus) -> Ints:
    """Return the annotations of a document and annotator met before."""
    return np.flatnonzero(met_before(raw.of_document, raw.of_annotator))


def duplicates(raw: RawCorpus) -> Ints:
    """Return the segments that stand in their annotation for a second time."""
    return np.flatnonzero(met_before(raw.annotation, raw.start, raw.end, raw.label))


def overlaps(raw: RawCorpus, *, same_label: bool = False) -> tuple[Ints, Ints]:
    """Return the segments that share tokens with an earlier one of their annotation, and that one.

    Duplicates are a flaw of their own and are left out here.
    """
    single = np.ones(len(raw.start), np.bool_)
    single[duplicates(raw)] = False
    rows = np.flatnonzero(single)
    cell = raw.annotation[rows]
    if same_label:
        _, cell, _ = distinct(cell, raw.label[rows])
    later, earlier = overlapping(cell, raw.start[rows], raw.end[rows])
    return rows[later], rows[earlier]


def _nested(raw: RawCorpus, *, inside: bool) -> Ints:
    """Return the segments that overlap another and lie inside it, or do not."""
    later, earlier = overlaps(raw)
    return np.sort(later[(raw.end[later] <= raw.end[earlier]) == inside])


def stripped(raw: RawCorpus) -> tuple[Ints, Ints]:
    """Return starts and ends of the segments without white space at their edges."""
    start, end = raw.start.copy(), raw.end.copy()
    tokens = raw.offsets == "tokens"
    content = raw.tokens if tokens else raw.texts
    if content is None:
        return start, end
    for i, d, low, high in _rows(raw):
        if not 0 <= low < high:
            continue  # a flaw of its own
        units: Sequence[str]
        if tokens:
            a, b = raw.starts[d] + np.clip((low, high), 0, raw.lengths[d])
            units = content[a:b]
        else:
            units = content[d][low:high]
        left = next((k for k, unit in enumerate(units) if unit.strip()), len(units))
        right = next((k for k, unit in enumerate(reversed(units)) if unit.strip()), len(units))
        start[i], end[i] = low + left, max(high - right, low + left)
    return start, end


def _edge_space(raw: RawCorpus) -> Ints:
    start, end = stripped(raw)
    return np.flatnonzero((start > raw.start) | (end < raw.end))


def _cuts_word(raw: RawCorpus) -> Ints:
    """Return the segments that begin or end inside a word."""
    texts = raw.texts if raw.offsets == "characters" else None
    return np.array(
        [
            i
            for i, d, *bounds in (_rows(raw) if texts else ())
            if any(0 < at < len(texts[d]) and texts[d][at - 1 : at + 1].isalnum() for at in bounds)  # type: ignore[index]  # there are rows only with texts
        ],
        np.int64,
    )


def _rows(raw: RawCorpus) -> Iterator[tuple[int, int, int, int]]:
    """Yield number, document, start and end of each segment."""
    columns = (column.tolist() for column in (raw.document, raw.start, raw.end))
    return zip(range(len(raw.start)), *columns, strict=True)


FLAWS: Mapping[str, Flaw] = {
    "repeated": Flaw(
        "the same document and annotator for a second time",
        repeats,
        ("drop-repeats",),
        of_annotations=True,
    ),
    "negative": Flaw(
        "starts before the document",
        lambda raw: np.flatnonzero(raw.start < 0),
        (),
        "offsets count from 0",
    ),
    "reversed": Flaw(
        "ends before it starts",
        lambda raw: np.flatnonzero(raw.end < raw.start),
        (),
        "start comes before end",
    ),
    "beyond-text": Flaw(
        "ends beyond the document of length {length}",
        lambda raw: np.flatnonzero(raw.end > raw.lengths[raw.document]),
        ("clip-beyond-text", "drop-beyond-text"),
    ),
    "empty": Flaw(
        "is empty",
        lambda raw: np.flatnonzero(raw.end == raw.start),
        ("drop-empty",),
        "a segment has at least one token",
    ),
    "unlabelled": Flaw(
        "needs one", lambda raw: np.flatnonzero(raw.label < 0), ("drop-unlabelled",)
    ),
    "duplicate": Flaw("stands twice", duplicates, ("drop-duplicates",), "a segment is marked once"),
    "same-label-overlap": Flaw(
        "shares tokens with one of the same label",
        lambda raw: np.sort(overlaps(raw, same_label=True)[0]),
    ),
    "nested": Flaw("lies inside another", lambda raw: _nested(raw, inside=True)),
    "crossing": Flaw("overlaps another without nesting", lambda raw: _nested(raw, inside=False)),
    "edge-space": Flaw("has white space at an edge", _edge_space),
    "cuts-word": Flaw("begins or ends inside a word", _cuts_word),
    "marked-nothing": Flaw(
        "saw the document and marked nothing",
        lambda raw: np.setdiff1d(np.arange(len(raw.of_document)), raw.annotation),
        of_annotations=True,
    ),
}
"""What may be wrong or odd in the rows of a source, by name; the errors come first."""
