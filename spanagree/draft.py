"""What a source says, row by row, before it is checked; and the repairs that may be asked for.

A :class:`~spanagree.corpus.Corpus` is always valid. Real files are not: so every reader makes a
:class:`Draft` first, which holds whatever the source says. ``Draft.corpus()`` refuses dirt, naming
the first case, how many there are and the repair that would help; asked to, it repairs, and says
what it did.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import Bools, Ints, distinct, met_before
from spanagree.corpus import Corpus, RawLayer
from spanagree.errors import InputError, check_choice, show


@dataclass(frozen=True)
class Draft:
    """The rows of a source, unchecked.

    An *annotation* is one annotator's pass over one document; a source may wrongly have two of the
    same. ``label`` is −1 where a segment has none.

    Attributes:
        lengths: per document, its length.
        annotators: the names, in the order met.
        of_document, of_annotator: per annotation, its document and its annotator.
        annotation, start, end, label: per segment.
        labels: the names of the labels, in the order met.
        offsets, ids, tokens, texts, token_starts, reading, notes: as in a corpus.
    """

    lengths: Ints
    annotators: tuple[str, ...]
    of_document: Ints
    of_annotator: Ints
    annotation: Ints
    start: Ints
    end: Ints
    label: Ints
    labels: tuple[str, ...]
    offsets: str = "tokens"
    ids: tuple[str, ...] | None = None
    tokens: tuple[str, ...] | None = None
    texts: tuple[str, ...] | None = None
    token_starts: Ints | None = None
    reading: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, corpus: Corpus) -> Draft:
        """A corpus taken apart again."""
        seen = [np.flatnonzero(layer.annotated) for layer in corpus.layers.values()]
        before = np.cumsum([0, *(len(documents) for documents in seen)])
        annotations = [
            start + np.searchsorted(documents, layer.document)
            for start, documents, layer in zip(before, seen, corpus.layers.values(), strict=False)
        ]
        nothing = [np.zeros(0, np.int64)]
        layers = corpus.layers.values()
        return cls(
            corpus.lengths,
            corpus.annotators,
            np.concatenate([*seen, *nothing]),
            np.repeat(np.arange(len(seen)), [len(documents) for documents in seen]),
            np.concatenate([*annotations, *nothing]),
            np.concatenate([*(layer.start for layer in layers), *nothing]),
            np.concatenate([*(layer.end for layer in layers), *nothing]),
            np.concatenate([*(layer.label for layer in layers), *nothing]),
            corpus.labels,
            corpus.offsets,
            corpus.ids,
            corpus.tokens,
            corpus.texts,
            corpus.token_starts,
            corpus.reading,
            corpus.notes,
        )

    @property
    def document(self) -> Ints:
        """Per segment, its document."""
        return self.of_document[self.annotation]

    def corpus(self, repair: str | Sequence[str] = ()) -> Corpus:
        """The corpus, after the repairs asked for.

        Args:
            repair: names of :data:`REPAIRS`; they are applied in the order of that table.

        Raises:
            SettingError: for an unknown repair.
            InputError: for what is left that no corpus may hold.
        """
        draft = self.repaired(repair)
        draft._refuse()
        layers = {}
        owner = draft.of_annotator[draft.annotation]
        order = np.argsort(owner, kind="stable")
        bounds = np.searchsorted(owner[order], np.arange(len(draft.annotators) + 1))
        seen = np.argsort(draft.of_annotator, kind="stable")
        seen_bounds = np.searchsorted(
            draft.of_annotator[seen], np.arange(len(draft.annotators) + 1)
        )
        for a, name in enumerate(draft.annotators):
            rows = order[bounds[a] : bounds[a + 1]]
            annotated = np.zeros(len(draft.lengths), np.bool_)
            annotated[draft.of_document[seen[seen_bounds[a] : seen_bounds[a + 1]]]] = True
            layers[name] = RawLayer(
                draft.document[rows],
                draft.start[rows],
                draft.end[rows],
                draft.label[rows],
                draft.labels,
                annotated,
            )
        return Corpus.from_raw(
            draft.lengths,
            layers,
            offsets=draft.offsets,
            ids=draft.ids,
            tokens=draft.tokens,
            texts=draft.texts,
            token_starts=draft.token_starts,
            reading=draft.reading,
            notes=draft.notes,
        )

    def repaired(self, repair: str | Sequence[str]) -> Draft:
        """The draft after the repairs asked for; what each did is in its notes.

        Raises:
            SettingError: for an unknown repair.
        """
        asked = (repair,) if isinstance(repair, str) else tuple(repair or ())
        for name in asked:
            check_choice(name, REPAIRS, "repair")
        draft: Draft = self
        for name, step in REPAIRS.items():
            if name in asked:
                draft, done = step.apply(draft)
                if done:
                    draft = replace(draft, notes=(*draft.notes, f"{done} {step.says} ({name})"))
        if asked:
            steps = [name for name in REPAIRS if name in asked]
            draft = replace(draft, reading={**draft.reading, "repair": steps})
        return draft

    def _refuse(self) -> None:
        for flaw in FLAWS.values():
            if flaw.repairs is not None and len(where := flaw.find(self)):
                first = int(where[0])
                what = flaw.of(self, first)
                more = f" (and {len(where) - 1} more like it)" if len(where) > 1 else ""
                help_ = f"; repair {' or '.join(flaw.repairs)} would help" if flaw.repairs else ""
                raise InputError(f"{what}{more}{help_}")


# --- flaws: what no corpus may hold, and what is odd ---------------------------------------------


class Flaw(NamedTuple):
    """Something wrong or odd in a draft.

    ``find`` gives the indices of the segments (or, with ``of_annotations``, annotations) that have
    it. With ``repairs`` None it is merely odd; else it is an error, and these repairs would help.
    """

    means: str
    find: Callable[[Draft], Ints]
    repairs: tuple[str, ...] | None = None
    of_annotations: bool = False

    def of(self, draft: Draft, index: int) -> str:
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


def _place(draft: Draft, annotation: int) -> str:
    d = draft.of_document[annotation]
    id_ = str(d + 1) if draft.ids is None else draft.ids[d]
    return (
        f"annotator {show(draft.annotators[draft.of_annotator[annotation]])}, document {show(id_)}"
    )


def _repeats(draft: Draft) -> Ints:
    """Annotations of a document and annotator met before."""
    return np.flatnonzero(met_before(draft.of_document, draft.of_annotator))


def _duplicates(draft: Draft) -> Ints:
    """Segments that stand in their annotation for a second time."""
    return np.flatnonzero(met_before(draft.annotation, draft.start, draft.end, draft.label))


def _where(condition: Callable[[Draft], Bools]) -> Callable[[Draft], Ints]:
    return lambda draft: np.flatnonzero(condition(draft))


def _beyond(draft: Draft) -> Bools:
    return draft.end > draft.lengths[draft.document]


def overlapping(draft: Draft, *, same_label: bool) -> tuple[Ints, Ints]:
    """Segments that share tokens with an earlier one of their annotation, and that earlier one.

    The earlier one is that which reaches furthest. Duplicates are a flaw of their own and are left
    out here.
    """
    single = np.ones(len(draft.start), np.bool_)
    single[_duplicates(draft)] = False
    index = np.flatnonzero(single)
    annotation, start, end = draft.annotation[index], draft.start[index], draft.end[index]
    label = draft.label[index] if same_label else np.zeros_like(index)
    order = np.lexsort((-end, start, label, annotation))
    _, cell, _ = distinct(annotation, label)
    _, start, end = _on_a_line(cell, start, end)
    start, end = start[order], end[order]
    reach = np.maximum.accumulate(end)
    later = np.flatnonzero(start[1:] < reach[:-1]) + 1
    # which segment set the reach: the last place at which it grew
    grew = np.maximum.accumulate(np.where(end == reach, np.arange(len(end)), 0))
    return index[order[later]], index[order[grew[later - 1]]]


def _on_a_line(cell: Ints, start: Ints, end: Ints) -> tuple[Ints, Ints, Ints]:
    """Offsets in order of size, and starts and ends as places on one line, cell after cell.

    A place is the rank of an offset, so that no offset, however wrong, is too large for it.
    """
    offsets, rank = np.unique(np.concatenate((start, end)), return_inverse=True)
    place = np.tile(cell * max(len(offsets), 1), 2) + rank
    return offsets, place[: len(start)], place[len(start) :]


def _nested(draft: Draft) -> Ints:
    later, earlier = overlapping(draft, same_label=False)
    return later[(draft.end[later] <= draft.end[earlier])]


def _crossing(draft: Draft) -> Ints:
    later, earlier = overlapping(draft, same_label=False)
    return later[draft.end[later] > draft.end[earlier]]


def _spaces(draft: Draft) -> Ints:
    """Segments with white space at an edge."""
    return np.array(
        [i for i, (s, e) in _stripped(draft) if s > draft.start[i] or e < draft.end[i]], np.int64
    )


def _stripped(draft: Draft) -> Iterator[tuple[int, tuple[int, int]]]:
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


def _cutting(draft: Draft) -> Ints:
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


def _silent(draft: Draft) -> Ints:
    """Annotations without a segment."""
    return np.flatnonzero(np.bincount(draft.annotation, minlength=len(draft.of_document)) == 0)


FLAWS: Mapping[str, Flaw] = {
    "repeated": Flaw(
        "the same document and annotator for a second time", _repeats, ("drop-repeats",), True
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
    "duplicate": Flaw("stands twice", _duplicates, ("drop-duplicates",)),
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


# --- repairs -------------------------------------------------------------------------------------


class Repair(NamedTuple):
    """A step that a user may ask for: the repaired draft, and how many cases there were."""

    says: str
    apply: Callable[[Draft], tuple[Draft, int]]


def _keep(draft: Draft, kept: Bools) -> Draft:
    """The segments that are kept."""
    return replace(
        draft,
        annotation=draft.annotation[kept],
        start=draft.start[kept],
        end=draft.end[kept],
        label=draft.label[kept],
    )


def _drop(find: Callable[[Draft], Ints]) -> Callable[[Draft], tuple[Draft, int]]:
    def apply(draft: Draft) -> tuple[Draft, int]:
        bad = find(draft)
        kept = np.ones(len(draft.start), np.bool_)
        kept[bad] = False
        return _keep(draft, kept), len(bad)

    return apply


def _drop_repeats(draft: Draft) -> tuple[Draft, int]:
    bad = _repeats(draft)
    kept = np.ones(len(draft.of_document), np.bool_)
    kept[bad] = False
    moved = np.cumsum(kept) - 1
    fewer = _keep(draft, kept[draft.annotation])
    return replace(
        fewer,
        annotation=moved[fewer.annotation],
        of_document=draft.of_document[kept],
        of_annotator=draft.of_annotator[kept],
    ), len(bad)


def _clip(draft: Draft) -> tuple[Draft, int]:
    length = draft.lengths[draft.document]
    over = (draft.end > length) & (draft.start < length)
    return replace(draft, end=np.where(over, length, draft.end)), int(over.sum())


def _strip_space(draft: Draft) -> tuple[Draft, int]:
    start, end = draft.start.copy(), draft.end.copy()
    for i, (s, e) in _stripped(draft):
        start[i], end[i] = s, e
    done = int(((start != draft.start) | (end != draft.end)).sum())
    return replace(draft, start=start, end=end), done


def _merge(draft: Draft) -> tuple[Draft, int]:
    """Segments of one label that share tokens become one."""
    order = np.lexsort((draft.end, draft.start, draft.label, draft.annotation))
    _, cell, _ = distinct(draft.annotation, draft.label)
    offsets, start, end = _on_a_line(cell, draft.start, draft.end)
    start, end = start[order], end[order]
    reach = np.maximum.accumulate(end)
    first = np.ones(len(order), np.bool_)
    first[1:] = start[1:] >= reach[:-1]
    last = np.append(np.flatnonzero(first)[1:], len(order)) - 1
    chosen = order[first]
    merged = replace(
        draft,
        annotation=draft.annotation[chosen],
        start=draft.start[chosen],
        end=offsets[reach[last] - cell[chosen] * len(offsets)] if len(order) else draft.end,
        label=draft.label[chosen],
    )
    return merged, len(order) - len(chosen)


REPAIRS: Mapping[str, Repair] = {
    "drop-repeats": Repair(
        "annotations of a document and annotator met before dropped, the first stays", _drop_repeats
    ),
    "clip-beyond-text": Repair("segments cut off at the end of their document", _clip),
    "drop-beyond-text": Repair(
        "segments that end beyond their document dropped", _drop(FLAWS["beyond-text"].find)
    ),
    "strip-space": Repair("segments freed from white space at their edges", _strip_space),
    "drop-empty": Repair("empty segments dropped", _drop(FLAWS["empty"].find)),
    "drop-unlabelled": Repair("segments without a label dropped", _drop(FLAWS["unlabelled"].find)),
    "drop-duplicates": Repair("duplicate segments dropped", _drop(_duplicates)),
    "merge-overlaps": Repair("segments merged with one of the same label", _merge),
}
"""The repairs by name, in the order in which they are applied."""
