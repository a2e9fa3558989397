"""What makes a layer invalid: one table of flaws, each with a way to find it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Bools, Ints, distinct, met_before
from spanagree.corpus.raw import RawCorpus
from spanagree.errors import show

# --- flaws: what no corpus may hold, and what is odd ---------------------------------------------


class Flaw(NamedTuple):
    """Something wrong or odd in a draft.

    ``find`` gives the indices of the segments (or, with ``of_annotations``, annotations) that have
    it. With ``repairs`` None it is merely odd; else it is an error, and these repairs would help.
    """

    means: str
    find: Callable[[RawCorpus], Ints]
    repairs: tuple[str, ...] | None = None
    of_annotations: bool = False

    def of(self, draft: RawCorpus, index: int) -> str:
        """The flaw at one place: who, where, what."""
        if self.of_annotations:
            return f"{_place(draft, index)}: {self.means}"
        label = draft.label[index]
        name = show(draft.labels[label]) if label >= 0 else "without a label"
        length = draft.lengths[draft.document[index]]
        return (
            f"{_place(draft, int(draft.annotation[index]))}: segment"
            f" {draft.start[index]}–{draft.end[index]} {name} {self.means.format(length=length)}"
        )


def _place(draft: RawCorpus, annotation: int) -> str:
    d = draft.of_document[annotation]
    id_ = str(d + 1) if draft.ids is None else draft.ids[d]
    return (
        f"annotator {show(draft.annotators[draft.of_annotator[annotation]])}, document {show(id_)}"
    )


def repeats(draft: RawCorpus) -> Ints:
    """Annotations of a document and annotator met before."""
    return np.flatnonzero(met_before(draft.of_document, draft.of_annotator))


def duplicates(draft: RawCorpus) -> Ints:
    """Segments that stand in their annotation for a second time."""
    return np.flatnonzero(met_before(draft.annotation, draft.start, draft.end, draft.label))


def _where(condition: Callable[[RawCorpus], Bools]) -> Callable[[RawCorpus], Ints]:
    return lambda draft: np.flatnonzero(condition(draft))


def _beyond(draft: RawCorpus) -> Bools:
    return draft.end > draft.lengths[draft.document]


def overlapping(draft: RawCorpus, *, same_label: bool) -> tuple[Ints, Ints]:
    """Segments that share tokens with an earlier one of their annotation, and that earlier one.

    The earlier one is that which reaches furthest. Duplicates are a flaw of their own and are left
    out here.
    """
    single = np.ones(len(draft.start), np.bool_)
    single[duplicates(draft)] = False
    index = np.flatnonzero(single)
    annotation, start, end = draft.annotation[index], draft.start[index], draft.end[index]
    label = draft.label[index] if same_label else np.zeros_like(index)
    order = np.lexsort((-end, start, label, annotation))
    _, cell, _ = distinct(annotation, label)
    _, start, end = on_a_line(cell, start, end)
    start, end = start[order], end[order]
    reach = np.maximum.accumulate(end)
    later = np.flatnonzero(start[1:] < reach[:-1]) + 1
    # which segment set the reach: the last place at which it grew
    grew = np.maximum.accumulate(np.where(end == reach, np.arange(len(end)), 0))
    return index[order[later]], index[order[grew[later - 1]]]


def on_a_line(cell: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints, Ints]:
    """Offsets in order of size, and starts and ends as places on one line, cell after cell.

    A place is the rank of an offset, so that no offset, however wrong, is too large for it.
    """
    offsets, rank = np.unique(np.concatenate((start, end)), return_inverse=True)
    place = np.tile(cell * max(len(offsets), 1), 2) + rank
    return offsets, place[: len(start)], place[len(start) :]


def _nested(draft: RawCorpus) -> Ints:
    later, earlier = overlapping(draft, same_label=False)
    return later[(draft.end[later] <= draft.end[earlier])]


def _crossing(draft: RawCorpus) -> Ints:
    later, earlier = overlapping(draft, same_label=False)
    return later[draft.end[later] > draft.end[earlier]]


def _spaces(draft: RawCorpus) -> Ints:
    """Segments with white space at an edge."""
    return np.array(
        [i for i, (s, e) in stripped(draft) if s > draft.start[i] or e < draft.end[i]], np.int64
    )


def stripped(draft: RawCorpus) -> Iterator[tuple[int, tuple[int, int]]]:
    """Each segment with text, and its offsets without white space at the edges."""
    first = np.cumsum(draft.lengths) - draft.lengths
    columns = (draft.document.tolist(), draft.start.tolist(), draft.end.tolist())
    for i, (d, start, end) in enumerate(zip(*columns, strict=True)):
        if not 0 <= start < end:
            continue  # a flaw of its own
        units: Sequence[str]
        if draft.offsets == "characters" and draft.texts is not None:
            units = draft.texts[d][start:end]
        elif draft.offsets == "tokens" and draft.tokens is not None:
            low, high = first[d] + np.clip((start, end), 0, draft.lengths[d])
            units = draft.tokens[low:high]
        else:
            return
        left = next((k for k, unit in enumerate(units) if unit.strip()), len(units))
        right = next((k for k, unit in enumerate(reversed(units)) if unit.strip()), len(units))
        yield i, (start + left, max(end - right, start + left))


def _cutting(draft: RawCorpus) -> Ints:
    """Segments that begin or end inside a word."""
    if draft.offsets != "characters" or draft.texts is None:
        return np.zeros(0, np.int64)
    found = []
    columns = (draft.document.tolist(), draft.start.tolist(), draft.end.tolist())
    for i, (d, start, end) in enumerate(zip(*columns, strict=True)):
        text = draft.texts[d]
        if any(0 < at < len(text) and text[at - 1 : at + 1].isalnum() for at in (start, end)):
            found.append(i)
    return np.array(found, np.int64)


def _silent(draft: RawCorpus) -> Ints:
    """Annotations without a segment."""
    return np.flatnonzero(np.bincount(draft.annotation, minlength=len(draft.of_document)) == 0)


FLAWS: Mapping[str, Flaw] = {
    "repeated": Flaw(
        "the same document and annotator for a second time", repeats, ("drop-repeats",), True
    ),
    "negative": Flaw(
        "starts before the document; offsets count from 0", _where(lambda d: d.start < 0), ()
    ),
    "reversed": Flaw("ends before it starts", _where(lambda d: d.end < d.start), ()),
    "beyond-text": Flaw(
        "ends beyond the document of length {length}",
        _where(_beyond),
        ("clip-beyond-text", "drop-beyond-text"),
    ),
    "empty": Flaw("is empty", _where(lambda d: d.end == d.start), ("drop-empty",)),
    "unlabelled": Flaw("needs one", _where(lambda d: d.label < 0), ("drop-unlabelled",)),
    "duplicate": Flaw("stands twice", duplicates, ("drop-duplicates",)),
    "same-label-overlap": Flaw(
        "shares tokens with one of the same label",
        lambda d: np.sort(overlapping(d, same_label=True)[0]),
    ),
    "nested": Flaw("lies inside another", lambda d: np.sort(_nested(d))),
    "crossing": Flaw("overlaps another without nesting", lambda d: np.sort(_crossing(d))),
    "edge-space": Flaw("has white space at an edge", _spaces),
    "cuts-word": Flaw("begins or ends inside a word", _cutting),
    "marked-nothing": Flaw("saw the document and marked nothing", _silent, None, True),
}
"""What may be wrong or odd in a draft, by name; the errors come first."""
