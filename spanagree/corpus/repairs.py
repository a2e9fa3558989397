"""Repairs of flaws, in one table; repairs are requested by name and counted.

The function of a repair returns the repaired rows, and the number of cases that it changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from spanagree.arrays import Bools, Ints, is_repeated_row, unique_rows
from spanagree.corpus import balance
from spanagree.corpus.absent import yield_notes_on_absent
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.cut_words import yield_notes_on_cut_words
from spanagree.corpus.details import Pieces, SegmentDetails, find_overlapping_shapes, merge_pieces
from spanagree.corpus.edge_spaces import strip_edges
from spanagree.corpus.flaws import (
    FLAWS,
    check_flaws,
    find_clippable,
    find_duplicates,
    find_first_equal_segment,
    find_flawed_relations,
    find_full_duplicates,
    find_repeats,
    find_unlabelled_quotes,
    yield_notes_on_tolerated,
    yield_relocations,
)
from spanagree.corpus.raw import STANDS, RawCorpus
from spanagree.corpus.segments import find_overlapping, is_time
from spanagree.corpus.unplaced import UNPLACED
from spanagree.errors import SettingError, check_choice, pluralize, write_number_of_further


class Repair(NamedTuple):
    """A step that a user may request: it returns the repaired rows and the number of cases."""

    says: str
    apply: Callable[[RawCorpus], tuple[RawCorpus, int]]


def _select_segments(
    raw: RawCorpus, selection: Bools | Ints, stands_for: Ints | None = None
) -> RawCorpus:
    """Select segments; ``stands_for`` is the row that replaces each segment in relations."""
    details = raw.details
    if details is not None:
        details = details.select(np.arange(len(raw.start))[selection], stands_for)
    return raw.replace(**raw.select_columns(selection), details=details)


def _build_dropper(
    find_cases: Callable[[RawCorpus], Bools],
) -> Callable[[RawCorpus], tuple[RawCorpus, int]]:
    """Build a repair that removes the segments of a mask, and counts them."""

    def apply(raw: RawCorpus) -> tuple[RawCorpus, int]:
        is_case = find_cases(raw)
        return _select_segments(raw, ~is_case), int(is_case.sum())

    return apply


def _drop_unlabelled(raw: RawCorpus) -> tuple[RawCorpus, int]:
    """Drop segments without a label, and quotes without a label that are not in the text."""
    is_unlabelled, is_unlabelled_quote = raw.label < 0, find_unlabelled_quotes(raw)
    unplaced = raw.unplaced and raw.unplaced.select(~is_unlabelled_quote)
    labelled = _select_segments(raw, ~is_unlabelled).replace(unplaced=unplaced)
    return labelled, int(is_unlabelled.sum() + is_unlabelled_quote.sum())


def _drop_repeats(raw: RawCorpus) -> tuple[RawCorpus, int]:
    return keep_annotations(raw, ~find_repeats(raw))


def _keep_latest(raw: RawCorpus) -> tuple[RawCorpus, int]:
    """Keep the latest annotation of each document and annotator; with equal times, the last."""
    times = np.zeros(len(raw.document_index)) if raw.when is None else raw.when
    order = np.lexsort((np.nan_to_num(times, nan=-np.inf), raw.document_index, raw.annotator_index))
    has_later = is_repeated_row(raw.annotator_index[order][::-1], raw.document_index[order][::-1])[
        ::-1
    ]
    is_kept = np.ones(len(order), np.bool_)
    is_kept[order[has_later]] = False
    return keep_annotations(raw, is_kept)


def keep_annotations(raw: RawCorpus, is_kept: Bools) -> tuple[RawCorpus, int]:
    """Select annotations; also return the number of those left out."""
    selected = _select_segments(raw, is_kept[raw.annotation])
    new_index = np.cumsum(is_kept) - 1
    return selected.replace(
        annotation=new_index[selected.annotation],
        document_index=raw.document_index[is_kept],
        annotator_index=raw.annotator_index[is_kept],
        when=None if raw.when is None else raw.when[is_kept],
        unplaced=raw.unplaced and raw.unplaced.reindex(np.where(is_kept, new_index, -1)),
    ), int((~is_kept).sum())


def _drop_duplicates(raw: RawCorpus) -> tuple[RawCorpus, int]:
    """Remove duplicate segments; relations then refer to the first of them."""
    is_duplicate = find_duplicates(raw)
    return _select_segments(raw, ~is_duplicate, find_first_equal_segment(raw)), int(
        is_duplicate.sum()
    )


def _drop_relations(raw: RawCorpus) -> tuple[RawCorpus, int]:
    """Remove relations with a flaw."""
    is_flawed = find_flawed_relations(raw)
    if raw.details is None or not is_flawed.any():
        return raw, 0
    return raw.replace(details=raw.details.remove_relations(is_flawed)), int(is_flawed.sum())


def _join_pieces(raw: RawCorpus) -> tuple[RawCorpus, int]:
    """Join the pieces of a segment that overlap or touch."""
    if raw.details is None:
        return raw, 0
    n_cases = int(find_overlapping_shapes(raw.details).sum())
    joined_pieces = {
        row: merge_pieces(
            [piece for piece in pieces_of_row if piece[0] < piece[1]] or pieces_of_row
        )
        for row, pieces_of_row in raw.details.compute_pieces_by_row(raw.start).items()
    }
    return _replace_pieces(raw, joined_pieces), n_cases


def _replace_pieces(raw: RawCorpus, pieces: Mapping[int, Pieces]) -> RawCorpus:
    """Replace the pieces of segments, and adapt the outer bounds of the segments."""
    start, end = np.array(raw.start, np.int64), np.array(raw.end, np.int64)
    for row, pieces_of_row in pieces.items():
        start[row], end[row] = pieces_of_row[0][0], pieces_of_row[-1][1]
    multiple_pieces = {
        row: pieces_of_row for row, pieces_of_row in pieces.items() if len(pieces_of_row) > 1
    }
    details = (raw.details or SegmentDetails.create_empty(len(start))).replace_pieces(
        multiple_pieces
    )
    return raw.replace(start=start, end=end, details=details)


def _replace_borders(raw: RawCorpus, start: Ints, end: Ints) -> RawCorpus:
    """Replace the outer bounds of segments; their pieces are cut off at the new bounds."""
    new_raw = raw.replace(start=start, end=end)
    if raw.details is None or not raw.details.shape.any():
        return new_raw
    pieces = {}
    for row, pieces_of_row in raw.details.compute_pieces_by_row(raw.start).items():
        low, high = int(start[row]), int(end[row])
        remaining_pieces = tuple(
            (max(s, low), min(e, high)) for s, e in pieces_of_row if s < high and e > low
        )
        pieces[row] = remaining_pieces or ((low, high),)
    return _replace_pieces(new_raw, pieces)


def _relocate_misplaced(raw: RawCorpus) -> tuple[RawCorpus, int]:
    """Move misplaced segments of one piece to the nearest occurrence of their quote."""
    if raw.quote is None:
        return raw, 0
    start, end, quote = (np.array(column, np.int64) for column in (raw.start, raw.end, raw.quote))
    n_moved = 0
    for i, bounds in yield_relocations(raw):
        (start[i], end[i]), quote[i] = bounds, STANDS
        n_moved += 1
    return raw.replace(start=start, end=end, quote=quote), n_moved


def _clip_to_text(raw: RawCorpus) -> tuple[RawCorpus, int]:
    """Move ends beyond the document to its end, for segments that begin inside."""
    is_clippable = find_clippable(raw)
    end = np.where(is_clippable, raw.lengths[raw.document], raw.end)
    return _replace_borders(raw, raw.start, end), int(is_clippable.sum())


def _widen_points(raw: RawCorpus) -> tuple[RawCorpus, int]:
    """Extend points of recordings to segments of one unit, backwards at the end."""
    is_point = (raw.end == raw.start) & is_time(raw.offsets)
    is_at_end = is_point & (raw.start >= raw.lengths[raw.document])
    start, end = raw.start - is_at_end, raw.end + (is_point & ~is_at_end)
    return raw.replace(start=start, end=end), int(is_point.sum())


def _strip_space(raw: RawCorpus) -> tuple[RawCorpus, int]:
    start, end = strip_edges(raw)
    n_changed = int(((start != raw.start) | (end != raw.end)).sum())
    return _replace_borders(raw, start, end), n_changed


def _merge_overlaps(raw: RawCorpus) -> tuple[RawCorpus, int]:
    """Merge segments of an annotator with the same label that share tokens.

    Returns:
        Corpus with merged segments, and the number of segments that were merged into another one.
    """
    separate_code = np.zeros(len(raw.start), np.int64)
    if raw.details is not None:  # segments with several pieces are unchanged
        separate_code = np.where(raw.details.shape > 0, np.arange(1, len(separate_code) + 1), 0)
    _, cell, _ = unique_rows(raw.annotation, raw.label, separate_code)
    later, _ = find_overlapping(cell, raw.start, raw.end)
    order = np.lexsort((-raw.end, raw.start, cell))
    first_positions = np.flatnonzero(~np.isin(order, later))
    stands_for = np.empty(len(order), np.int64)
    stands_for[order] = order[first_positions][np.cumsum(~np.isin(order, later)) - 1]
    merged = _select_segments(raw, order[first_positions], stands_for)
    if len(later):
        merged = merged.replace(end=np.maximum.reduceat(raw.end[order], first_positions))
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
        "misplaced segments moved to where the quoted text stands", _relocate_misplaced
    ),
    "drop-misplaced": Repair(
        "segments dropped whose text is not what stands at the offsets",
        _build_dropper(lambda raw: raw.is_misplaced),
    ),
    "clip-beyond-text": Repair("segments cut off at the end of the document", _clip_to_text),
    "drop-beyond-text": Repair(
        "segments ending beyond the document dropped",
        _build_dropper(FLAWS["beyond-text"].find_cases),
    ),
    "strip-space": Repair("segments freed from white space at the edges", _strip_space),
    "widen-points": Repair("empty segments of recordings widened to one unit", _widen_points),
    "drop-empty": Repair("empty segments dropped", _build_dropper(FLAWS["empty"].find_cases)),
    "drop-unlabelled": Repair("segments without a label dropped", _drop_unlabelled),
    "drop-duplicates": Repair("duplicate segments dropped", _drop_duplicates),
    "merge-overlaps": Repair("segments merged with one of the same label", _merge_overlaps),
    "drop-relations": Repair(
        "relations standing twice or not linking two segments of one annotation dropped",
        _drop_relations,
    ),
}
"""Repairs by name, in the order in which they are applied."""


REPEATS = {
    "once": "a segment that one annotator marked twice alike is read once",
    "error": "such a segment is refused",
}
"""Treatments of segments that one annotator marked twice, with the same attributes."""

REPEATS_ERROR = "repeats:error"
"""Step that raises an error for segments that one annotator marked twice."""

IGNORE_UNPLACED = "unplaced:ignore"
"""Step that leaves out quotes that are not in the text, instead of counting them as wrong."""


def build_valid_corpus(raw: RawCorpus, repair: str | Sequence[str] = ()) -> Corpus:
    """Apply repairs, and build the corpus.

    A segment that one annotator marked twice, with the same attributes, is read once, and counted
    in a note.

    Args:
        raw: rows of a source.
        repair: names of :data:`REPAIRS`; they are applied in the order of that table.

    Raises:
        SettingError: if a repair is unknown.
        InputError: if flaws are left that no corpus may have; with the first case, the number of
            cases, and the repair that helps.
    """
    raw = apply_repairs(raw, repair)
    check_flaws(raw, repairable=True)
    more_notes = (
        *yield_notes_on_tolerated(raw),
        *yield_notes_on_cut_words(raw),
        *yield_notes_on_absent(raw),
    )
    return Corpus.from_raw(raw.replace(notes=(*raw.notes, *more_notes)))


def list_steps(repair: Any, repeats: str, unplaced: str = "wrong") -> Any:
    """List the steps of a repair, with the steps that repeats and unplaced quotes require.

    Args:
        repair: names of :data:`REPAIRS`.
        repeats: name in :data:`REPEATS`; error adds a step that rejects repeated segments.
        unplaced: name in :data:`spanagree.corpus.unplaced.UNPLACED`; ignore adds a step that leaves
            out quotes that are not in the text.

    Raises:
        SettingError: if ``repeats`` or ``unplaced`` is unknown.
    """
    check_choice(repeats, REPEATS, "repeats")
    check_choice(unplaced, UNPLACED, "unplaced")
    extra_steps = [REPEATS_ERROR] * (repeats == "error") + [IGNORE_UNPLACED] * (
        unplaced == "ignore"
    )
    steps = repair.split(",") if isinstance(repair, str) else repair
    return [*steps, *extra_steps] if extra_steps else steps


def allows_repeats(repair: Sequence[str]) -> bool:
    """Check if a repair keeps one of several annotations of a document by one annotator."""
    return any(step in repair for step in FLAWS["repeated"].repairs or ())


def apply_repairs(raw: RawCorpus, repair: str | Sequence[str]) -> RawCorpus:
    """Apply repairs, and keep each segment once; notes describe the changes.

    Raises:
        SettingError: if a repair is unknown.
    """
    is_single = isinstance(repair, str) or not isinstance(repair, (Iterable, type(None)))
    requested = (
        repair.split(",") if isinstance(repair, str) else (repair,) if is_single else repair or ()
    )
    for name in requested:
        if name not in (REPEATS_ERROR, IGNORE_UNPLACED):
            check_choice(name, REPAIRS, "repair")
    steps = [name for name in REPAIRS if name in requested]
    if IGNORE_UNPLACED in requested and raw.reading.get("strings"):
        raise SettingError("unplaced ignore: strings are in no text, so all would be left out")
    if IGNORE_UNPLACED in requested and raw.unplaced is not None:
        raw = raw.replace(unplaced=None, reading={**raw.reading, "unplaced": "ignore"})
    applied = []
    for name in steps:
        n_relations = len(raw.links)
        raw, count = REPAIRS[name].apply(raw)
        n_lost = n_relations - len(raw.links)
        if n_lost and name != "drop-relations":
            note = (
                f"{pluralize(n_lost, 'relation')} of segments that were dropped left out ({name})"
            )
            raw = raw.replace(notes=(*raw.notes, note))
        if count:
            applied.append(name)
            note_text = REPAIRS[name].says
            noun = note_text.partition("s ")[0]
            text_before, _, text_after = note_text.partition(f"{noun}s")
            note = f"{pluralize(count, f'{text_before}{noun}')}{text_after} ({name})"
            raw = raw.replace(notes=(*raw.notes, note))
    if REPEATS_ERROR not in requested and (is_duplicate := find_full_duplicates(raw)).any():
        n_repeated, first_case = (
            int(is_duplicate.sum()),
            FLAWS["duplicate"].describe(raw, int(is_duplicate.argmax())),
        )
        cases = f"{first_case}{write_number_of_further(n_repeated)}"
        note = f"{pluralize(n_repeated, 'segment')} read once: {cases}"
        raw = _select_segments(raw, ~is_duplicate, find_first_equal_segment(raw))
        raw = raw.replace(
            notes=(*raw.notes, note),
            balance=balance.move_count(raw.balance, "segment", "repeated segment", n_repeated),
        )
    applied += raw.reading.get("repair", ())  # repairs of separate files
    return raw.replace(reading={**raw.reading, "repair": sorted(set(applied))}) if applied else raw
