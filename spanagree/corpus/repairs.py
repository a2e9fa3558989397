"""What can be done about flaws: one table of repairs, each asked for by name and counted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import Bools, Ints, is_repeated_row, unique_rows
from spanagree.corpus import balance
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.details import Pieces, SegmentDetails, overlapping_shapes, united_pieces
from spanagree.corpus.flaws import (
    FLAWS,
    bad_relations,
    duplicates,
    first_of_each,
    marked_again,
    notes_of_cut_words,
    notes_of_tolerated,
    refuse_flaws,
    repeats,
    stripped,
    unlabelled_quotes,
)
from spanagree.corpus.offsets import nearest
from spanagree.corpus.raw import STANDS, RawCorpus
from spanagree.corpus.roles import notes_of_absent
from spanagree.corpus.segments import is_time, overlapping
from spanagree.corpus.unplaced import UNPLACED
from spanagree.errors import SettingError, check_choice, more_like_it, pluralize


class Repair(NamedTuple):
    """A step that a user may ask for: the repaired rows, and how many cases there were."""

    says: str
    apply: Callable[[RawCorpus], tuple[RawCorpus, int]]


def _keep(raw: RawCorpus, kept: Bools | Ints, stands_for: Ints | None = None) -> RawCorpus:
    """Return the rows with some of the segments; of each, which one stands for it in relations."""
    details = raw.details
    if details is not None:
        details = details.taken(np.arange(len(raw.start))[kept], stands_for)
    return raw.replace(**raw.segments_kept(kept), details=details)


def _drop(which: Callable[[RawCorpus], Bools]) -> Callable[[RawCorpus], tuple[RawCorpus, int]]:
    def apply(raw: RawCorpus) -> tuple[RawCorpus, int]:
        cases = which(raw)
        return _keep(raw, ~cases), int(cases.sum())

    return apply


def _drop_unlabelled(raw: RawCorpus) -> tuple[RawCorpus, int]:
    """Drop segments without a label, and such quotes that are not in the text."""
    has_none, quotes_without = raw.label < 0, unlabelled_quotes(raw)
    unplaced = raw.unplaced and raw.unplaced.taken(~quotes_without)
    kept = _keep(raw, ~has_none).replace(unplaced=unplaced)
    return kept, int(has_none.sum() + quotes_without.sum())


def _drop_repeats(raw: RawCorpus) -> tuple[RawCorpus, int]:
    return keep_annotations(raw, ~repeats(raw))


def _keep_latest(raw: RawCorpus) -> tuple[RawCorpus, int]:
    """Keep of annotations of one document and annotator the latest; of equal times, the last."""
    when = np.zeros(len(raw.document_index)) if raw.when is None else raw.when
    order = np.lexsort((np.nan_to_num(when, nan=-np.inf), raw.document_index, raw.annotator_index))
    again = is_repeated_row(raw.annotator_index[order][::-1], raw.document_index[order][::-1])[::-1]
    kept = np.ones(len(order), np.bool_)
    kept[order[again]] = False
    return keep_annotations(raw, kept)


def keep_annotations(raw: RawCorpus, kept: Bools) -> tuple[RawCorpus, int]:
    """Return the rows with some of the annotations, and the number of those left out."""
    fewer = _keep(raw, kept[raw.annotation])
    moved = np.cumsum(kept) - 1
    return replace(
        fewer,
        annotation=moved[fewer.annotation],
        document_index=raw.document_index[kept],
        annotator_index=raw.annotator_index[kept],
        when=None if raw.when is None else raw.when[kept],
        unplaced=raw.unplaced and raw.unplaced.moved(np.where(kept, moved, -1)),
    ), int((~kept).sum())


def _drop_duplicates(raw: RawCorpus) -> tuple[RawCorpus, int]:
    again = duplicates(raw)
    return _keep(raw, ~again, first_of_each(raw)), int(again.sum())


def _drop_relations(raw: RawCorpus) -> tuple[RawCorpus, int]:
    bad = bad_relations(raw)
    if raw.details is None or not bad.any():
        return raw, 0
    return raw.replace(details=raw.details.without_links(bad)), int(bad.sum())


def _join_pieces(raw: RawCorpus) -> tuple[RawCorpus, int]:
    if raw.details is None:
        return raw, 0
    cases = int(overlapping_shapes(raw.details).sum())
    pieces = {
        row: united_pieces([piece for piece in some if piece[0] < piece[1]] or some)
        for row, some in raw.details.pieces(raw.start).items()
    }
    return _in_pieces(raw, pieces), cases


def _in_pieces(raw: RawCorpus, pieces: Mapping[int, Pieces]) -> RawCorpus:
    """Return the rows with other pieces of some segments, which the outermost borders follow."""
    start, end = np.array(raw.start, np.int64), np.array(raw.end, np.int64)
    for row, some in pieces.items():
        start[row], end[row] = some[0][0], some[-1][1]
    several = {row: some for row, some in pieces.items() if len(some) > 1}
    details = (raw.details or SegmentDetails.none(len(start))).with_pieces(several)
    return raw.replace(start=start, end=end, details=details)


def _with_borders(raw: RawCorpus, start: Ints, end: Ints) -> RawCorpus:
    """Return the rows with other outermost borders; pieces are cut off there."""
    moved = raw.replace(start=start, end=end)
    if raw.details is None or not raw.details.shape.any():
        return moved
    pieces = {}
    for row, some in raw.details.pieces(raw.start).items():
        low, high = int(start[row]), int(end[row])
        cut = tuple((max(s, low), min(e, high)) for s, e in some if s < high and e > low)
        pieces[row] = cut or ((low, high),)
    return _in_pieces(moved, pieces)


def _relocate(raw: RawCorpus) -> tuple[RawCorpus, int]:
    """Move misplaced segments of one piece to where their text stands, the nearest of several."""
    if raw.quote is None:
        return raw, 0
    misplaced = raw.misplaced
    if raw.details is not None:
        misplaced &= raw.details.shape == 0
    start, end, quote = (np.array(x, np.int64) for x in (raw.start, raw.end, raw.quote))
    moved = 0
    for i in np.flatnonzero(misplaced).tolist():
        place, at, _ = raw.what_stands(i)
        if (bounds := nearest(place, at, raw.quotes[quote[i]])) is not None:
            (start[i], end[i]), quote[i] = bounds, STANDS
            moved += 1
    return raw.replace(start=start, end=end, quote=quote), moved


def _clip(raw: RawCorpus) -> tuple[RawCorpus, int]:
    length = raw.lengths[raw.document]
    over = (raw.end > length) & (raw.start < length)
    end = np.where(over, length, raw.end)
    return _with_borders(raw, raw.start, end), int(over.sum())


def _widen_points(raw: RawCorpus) -> tuple[RawCorpus, int]:
    """Make points of recordings segments of one unit, the last if they are at the end."""
    points = (raw.end == raw.start) & is_time(raw.offsets)
    at_end = points & (raw.start >= raw.lengths[raw.document])
    start, end = raw.start - at_end, raw.end + (points & ~at_end)
    return raw.replace(start=start, end=end), int(points.sum())


def _strip_space(raw: RawCorpus) -> tuple[RawCorpus, int]:
    start, end = stripped(raw)
    count = int(((start != raw.start) | (end != raw.end)).sum())
    return _with_borders(raw, start, end), count


def _merge(raw: RawCorpus) -> tuple[RawCorpus, int]:
    """Make segments of one label that share tokens one segment."""
    apart = np.zeros(len(raw.start), np.int64)
    if raw.details is not None:  # those of several pieces stay as they are
        apart = np.where(raw.details.shape > 0, np.arange(1, len(apart) + 1), 0)
    _, cell, _ = unique_rows(raw.annotation, raw.label, apart)
    later, _ = overlapping(cell, raw.start, raw.end)
    order = np.lexsort((-raw.end, raw.start, cell))
    first = np.flatnonzero(~np.isin(order, later))
    stands_for = np.empty(len(order), np.int64)
    stands_for[order] = order[first][np.cumsum(~np.isin(order, later)) - 1]
    merged = _keep(raw, order[first], stands_for)
    if len(later):
        merged = replace(merged, end=np.maximum.reduceat(raw.end[order], first))
    return merged, len(later)


REPAIRS: Mapping[str, Repair] = {
    "join-pieces": Repair("segments of which pieces overlap joined", _join_pieces),
    "drop-repeats": Repair(
        "annotations of a document and annotator met before dropped, the first stays", _drop_repeats
    ),
    "latest": Repair(
        "annotations of a document and annotator with a later one dropped", _keep_latest
    ),
    "relocate-by-text": Repair(
        "misplaced segments moved to where the quoted text stands", _relocate
    ),
    "drop-misplaced": Repair(
        "segments dropped whose text is not what stands at the offsets",
        _drop(lambda raw: raw.misplaced),
    ),
    "clip-beyond-text": Repair("segments cut off at the end of the document", _clip),
    "drop-beyond-text": Repair(
        "segments ending beyond the document dropped", _drop(FLAWS["beyond-text"].which)
    ),
    "strip-space": Repair("segments freed from white space at the edges", _strip_space),
    "widen-points": Repair("empty segments of recordings widened to one unit", _widen_points),
    "drop-empty": Repair("empty segments dropped", _drop(FLAWS["empty"].which)),
    "drop-unlabelled": Repair("segments without a label dropped", _drop_unlabelled),
    "drop-duplicates": Repair("duplicate segments dropped", _drop_duplicates),
    "merge-overlaps": Repair("segments merged with one of the same label", _merge),
    "drop-relations": Repair(
        "relations standing twice or not linking two segments of one annotation dropped",
        _drop_relations,
    ),
}
"""The repairs by name, in the order in which they are applied."""


REPEATS = {
    "once": "a segment that one annotator marked twice alike is read once",
    "error": "such a segment is refused",
}
"""What becomes of segments that one annotator marked twice, with the same attributes."""

REPEATS_ERROR = "repeats:error"
"""Among the steps: segments that one annotator marked twice alike are refused, not read once."""

IGNORE_UNPLACED = "unplaced:ignore"
"""Among the steps: quotes that are not in the text are left out, not counted as wrong."""


def valid_corpus(raw: RawCorpus, repair: str | Sequence[str] = ()) -> Corpus:
    """Return the corpus, after the repairs asked for.

    A segment that one annotator marked twice, with the same attributes, is read once, and counted
    in a note.

    Args:
        raw: what a source says.
        repair: names of :data:`REPAIRS`; they are applied in the order of that table.

    Raises:
        SettingError: for an unknown repair.
        InputError: for what is left that no corpus may hold: the first case, how many there are,
            and the repair that would help.
    """
    raw = repaired(raw, repair)
    refuse_flaws(raw, repairable=True)
    signs = (*notes_of_tolerated(raw), *notes_of_cut_words(raw), *notes_of_absent(raw))
    return Corpus.from_raw(raw.replace(notes=(*raw.notes, *signs)))


def steps_of(repair: Any, repeats: str, unplaced: str = "wrong") -> Any:
    """Return the steps of a repair, and those that other choices than the usual ones take.

    Args:
        repair: names of :data:`REPAIRS`.
        repeats: one of :data:`REPEATS`; error adds a step that refuses repeated segments.
        unplaced: one of :data:`spanagree.corpus.unplaced.UNPLACED`; ignore adds a step that leaves
            out quotes that are not in the text.

    Raises:
        SettingError: for another choice of ``repeats`` or ``unplaced``.
    """
    check_choice(repeats, REPEATS, "repeats")
    check_choice(unplaced, UNPLACED, "unplaced")
    more = [REPEATS_ERROR] * (repeats == "error") + [IGNORE_UNPLACED] * (unplaced == "ignore")
    steps = repair.split(",") if isinstance(repair, str) else repair
    return [*steps, *more] if more else steps


def allows_repeats(repair: Sequence[str]) -> bool:
    """Return whether a repair leaves one of an annotator's several annotations of a document."""
    return any(step in repair for step in FLAWS["repeated"].repairs or ())


def repaired(raw: RawCorpus, repair: str | Sequence[str]) -> RawCorpus:
    """Return the rows after the repairs asked for, each segment once; notes say what was done.

    Raises:
        SettingError: for an unknown repair.
    """
    is_one = isinstance(repair, str) or not isinstance(repair, (Iterable, type(None)))
    asked = repair.split(",") if isinstance(repair, str) else (repair,) if is_one else repair or ()
    for name in asked:
        if name not in (REPEATS_ERROR, IGNORE_UNPLACED):
            check_choice(name, REPAIRS, "repair")
    steps = [name for name in REPAIRS if name in asked]
    if IGNORE_UNPLACED in asked and raw.reading.get("strings"):
        raise SettingError("unplaced ignore: strings are in no text, so all would be left out")
    if IGNORE_UNPLACED in asked and raw.unplaced is not None:
        raw = raw.replace(unplaced=None, reading={**raw.reading, "unplaced": "ignore"})
    done = []
    for name in steps:
        relations = len(raw.links)
        raw, count = REPAIRS[name].apply(raw)
        lost = relations - len(raw.links)
        if lost and name != "drop-relations":
            note = f"{pluralize(lost, 'relation')} of segments that were dropped left out ({name})"
            raw = raw.replace(notes=(*raw.notes, note))
        if count:
            done.append(name)
            says = REPAIRS[name].says
            noun = says.partition("s ")[0]
            before, _, after = says.partition(f"{noun}s")
            note = f"{pluralize(count, f'{before}{noun}')}{after} ({name})"
            raw = raw.replace(notes=(*raw.notes, note))
    if REPEATS_ERROR not in asked and (again := marked_again(raw)).any():
        number, first = int(again.sum()), FLAWS["duplicate"].describe(raw, int(again.argmax()))
        note = f"{pluralize(number, 'segment')} read once: {first}{more_like_it(number)}"
        raw = _keep(raw, ~again, first_of_each(raw))
        raw = raw.replace(
            notes=(*raw.notes, note),
            balance=balance.moved(raw.balance, "segment", "repeated segment", number),
        )
    done += raw.reading.get("repair", ())  # of parts in files, each by itself
    return raw.replace(reading={**raw.reading, "repair": sorted(set(done))}) if done else raw
