"""What can be done about flaws: one table of repairs, each asked for by name and counted."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Bools, Ints, distinct
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.flaws import FLAWS, duplicates, on_a_line, repeats, stripped
from spanagree.corpus.raw import RawCorpus
from spanagree.corpus.segments import RawLayer
from spanagree.errors import InputError, check_choice

# --- repairs -------------------------------------------------------------------------------------


class Repair(NamedTuple):
    """A step that a user may ask for: the repaired draft, and how many cases there were."""

    says: str
    apply: Callable[[RawCorpus], tuple[RawCorpus, int]]


def _keep(draft: RawCorpus, kept: Bools) -> RawCorpus:
    """The segments that are kept."""
    return replace(
        draft,
        annotation=draft.annotation[kept],
        start=draft.start[kept],
        end=draft.end[kept],
        label=draft.label[kept],
    )


def _drop(find: Callable[[RawCorpus], Ints]) -> Callable[[RawCorpus], tuple[RawCorpus, int]]:
    def apply(draft: RawCorpus) -> tuple[RawCorpus, int]:
        bad = find(draft)
        kept = np.ones(len(draft.start), np.bool_)
        kept[bad] = False
        return _keep(draft, kept), len(bad)

    return apply


def _drop_repeats(draft: RawCorpus) -> tuple[RawCorpus, int]:
    bad = repeats(draft)
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


def _clip(draft: RawCorpus) -> tuple[RawCorpus, int]:
    length = draft.lengths[draft.document]
    over = (draft.end > length) & (draft.start < length)
    return replace(draft, end=np.where(over, length, draft.end)), int(over.sum())


def _strip_space(draft: RawCorpus) -> tuple[RawCorpus, int]:
    start, end = draft.start.copy(), draft.end.copy()
    for i, (s, e) in stripped(draft):
        start[i], end[i] = s, e
    done = int(((start != draft.start) | (end != draft.end)).sum())
    return replace(draft, start=start, end=end), done


def _merge(draft: RawCorpus) -> tuple[RawCorpus, int]:
    """Segments of one label that share tokens become one."""
    order = np.lexsort((draft.end, draft.start, draft.label, draft.annotation))
    _, cell, _ = distinct(draft.annotation, draft.label)
    offsets, start, end = on_a_line(cell, draft.start, draft.end)
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
    "drop-duplicates": Repair("duplicate segments dropped", _drop(duplicates)),
    "merge-overlaps": Repair("segments merged with one of the same label", _merge),
}
"""The repairs by name, in the order in which they are applied."""


def valid_corpus(raw: RawCorpus, repair: str | Sequence[str] = ()) -> Corpus:
    """Return the corpus, after the repairs asked for.

    Args:
        raw: what a source says.
        repair: names of :data:`REPAIRS`; they are applied in the order of that table.

    Raises:
        SettingError: for an unknown repair.
        InputError: for what is left that no corpus may hold: the first case, how many there are,
            and the repair that would help.
    """
    raw = repaired(raw, repair)
    _refuse_flaws(raw)
    layers = {}
    owner = raw.of_annotator[raw.annotation]
    order = np.argsort(owner, kind="stable")
    bounds = np.searchsorted(owner[order], np.arange(len(raw.annotators) + 1))
    seen = np.argsort(raw.of_annotator, kind="stable")
    seen_bounds = np.searchsorted(raw.of_annotator[seen], np.arange(len(raw.annotators) + 1))
    for a, name in enumerate(raw.annotators):
        rows = order[bounds[a] : bounds[a + 1]]
        annotated = np.zeros(len(raw.lengths), np.bool_)
        annotated[raw.of_document[seen[seen_bounds[a] : seen_bounds[a + 1]]]] = True
        layers[name] = RawLayer(
            raw.document[rows],
            raw.start[rows],
            raw.end[rows],
            raw.label[rows],
            raw.labels,
            annotated,
        )
    return Corpus.from_raw(
        raw.lengths,
        layers,
        offsets=raw.offsets,
        ids=raw.ids,
        tokens=raw.tokens,
        texts=raw.texts,
        token_starts=raw.token_starts,
        reading=raw.reading,
        notes=raw.notes,
    )


def repaired(raw: RawCorpus, repair: str | Sequence[str]) -> RawCorpus:
    """Return the rows after the repairs asked for; what each did is in their notes.

    Raises:
        SettingError: for an unknown repair.
    """
    asked = (repair,) if isinstance(repair, str) else tuple(repair or ())
    for name in asked:
        check_choice(name, REPAIRS, "repair")
    for name, step in REPAIRS.items():
        if name in asked:
            raw, done = step.apply(raw)
            if done:
                raw = replace(raw, notes=(*raw.notes, f"{done} {step.says} ({name})"))
    if asked:
        steps = [name for name in REPAIRS if name in asked]
        raw = replace(raw, reading={**raw.reading, "repair": steps})
    return raw


def _refuse_flaws(raw: RawCorpus) -> None:
    for flaw in FLAWS.values():
        if flaw.repairs is not None and len(where := flaw.find(raw)):
            first = int(where[0])
            what = flaw.of(raw, first)
            more = f" (and {len(where) - 1} more like it)" if len(where) > 1 else ""
            help_ = f"; repair {' or '.join(flaw.repairs)} would help" if flaw.repairs else ""
            raise InputError(f"{what}{more}{help_}")
