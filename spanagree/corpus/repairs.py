"""Repairs as they are requested: the steps, their notes, and the valid corpus of repaired rows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from spanagree.corpus import balance
from spanagree.corpus.absent import yield_notes_on_absent
from spanagree.corpus.corpus import Corpus
from spanagree.corpus.cut_words import yield_notes_on_cut_words
from spanagree.corpus.flaws import (
    FLAWS,
    REPAIRS,
    check_flaws,
    find_first_equal_segment,
    find_full_duplicates,
    yield_notes_on_tolerated,
)
from spanagree.corpus.raw import RawCorpus
from spanagree.corpus.unplaced import UNPLACED
from spanagree.errors import SettingError, check_choice, pluralize, write_number_of_further

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
    return any(step in repair for step in FLAWS["repeated"].repairs)


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
        raw = raw.select_segments(~is_duplicate, find_first_equal_segment(raw))
        raw = raw.replace(
            notes=(*raw.notes, note),
            balance=balance.move_count(raw.balance, "segment", "repeated segment", n_repeated),
        )
    applied += raw.reading.get("repair", ())  # repairs of separate files
    return raw.replace(reading={**raw.reading, "repair": sorted(set(applied))}) if applied else raw
