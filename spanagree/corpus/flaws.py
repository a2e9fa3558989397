"""Flaws that make a layer invalid, in one table, with what finds and what mends each.

A *case* of a flaw is a segment, an annotation or a relation that has it, or a quote that is not in
the text. Readers find cases in the rows of a source, where a repair may help; a
:class:`~spanagree.corpus.corpus.Corpus` finds them in each of its layers. A *quote* is the text of
a segment in the source; a segment with another text at its offsets is *misplaced*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Bools, Ints, first_equal_row, is_repeated_row, unique_rows
from spanagree.corpus.cases import ANNOTATION, QUOTE, RELATION, SEGMENT, CaseKind
from spanagree.corpus.cut_words import find_cut_words
from spanagree.corpus.details import Pieces, SegmentDetails, find_overlapping_shapes, merge_pieces
from spanagree.corpus.edge_spaces import find_edge_spaces, strip_edges
from spanagree.corpus.offsets import TOLERATED
from spanagree.corpus.quoted_texts import find_nearest
from spanagree.corpus.raw import STANDS, UNKNOWN, RawCorpus
from spanagree.corpus.segments import find_overlapping, is_time
from spanagree.errors import (
    InputError,
    format_setting,
    pluralize,
    write_number_of_further,
)


class Repair(NamedTuple):
    """A repair of rows, which a user may request.

    Attributes:
        says: description of what it does to the cases of a flaw, in the plural.
        apply: function that returns the repaired rows, and the number of cases that it changed.
        helps: function that checks whether it mends a case in the rows. Default: it mends all.
    """

    says: str
    apply: Callable[[RawCorpus], tuple[RawCorpus, int]]
    helps: Callable[[RawCorpus], bool] = lambda raw: True


class Flaw(NamedTuple):
    """A flaw, or an oddity, in the rows of a source.

    Attributes:
        predicate: predicate of the sentence that describes a case.
        find_cases: function that computes the mask of cases, over what has the flaw.
        repairs: repairs that mend it, by name.
        rule: property of what has no such flaw.
        of: what has the flaw.
        tolerated: function that computes a mask of cases that are reported, but no error.
        is_error: False if it is odd, but no error.
    """

    predicate: str
    find_cases: Callable[[RawCorpus], Bools]
    repairs: Mapping[str, Repair] = {}
    rule: str = ""
    of: CaseKind = SEGMENT
    tolerated: Callable[[RawCorpus], Bools] | None = None
    is_error: bool = True

    def find_errors(self, raw: RawCorpus) -> Bools:
        """Compute the mask of cases that are an error."""
        is_case = self.find_cases(raw)
        if not self.is_error:
            return np.zeros(len(is_case), np.bool_)
        return is_case if self.tolerated is None else is_case & ~self.tolerated(raw)

    def list_repairs(self, raw: RawCorpus) -> tuple[str, ...]:
        """List the repairs that mend a case in these rows; none if it is no error."""
        if not self.is_error:
            return ()
        return tuple(name for name, repair in self.repairs.items() if repair.helps(raw))

    def describe(self, raw: RawCorpus, index: int) -> str:
        """Describe a case: annotator, document and flaw; ``index`` is the row of the case."""
        return self.of.describe(raw, index, self.predicate)


def check_flaws(raw: RawCorpus, *, repairable: bool) -> None:
    """Check that no flaw of the rows is an error.

    If ``repairable`` is True, the message suggests repairs.

    Raises:
        InputError: if there is such a flaw; with the first case and the number of cases.
    """
    for flaw in FLAWS.values():
        if flaw.is_error and (cases := flaw.find_errors(raw)).any():
            rule = flaw.rule
            if repairable and (repairs := flaw.list_repairs(raw)):
                rule = f"{format_setting('repair', *repairs)} would help"
                if flaw.of is ANNOTATION:
                    rule += " if both are by one person; if not, name the annotators in the rows,"
                    rule += " or give each a file (NAME=FILE)"
            question = write_question_on_ends(raw) if flaw is _EMPTY else ""
            raise_first_case(flaw, raw, cases, f"{question}; if not, {rule}" if question else rule)


def write_question_on_ends(raw: RawCorpus) -> str:
    """Return a question about the ends of segments, if their meaning is undefined; else ``""``."""
    if raw.ends is not None or is_time(raw.offsets):
        return ""
    return (
        "if ends name the last token or character, --ends inclusive (ends='inclusive') reads them"
        " so"
    )


def yield_notes_on_tolerated(raw: RawCorpus) -> Iterator[str]:
    """Yield a note for each tolerated flaw: the first case, and the number of cases."""
    for flaw in FLAWS.values():
        if flaw.tolerated is not None and (cases := flaw.find_cases(raw)).any():
            n_cases = int(cases.sum())
            yield (
                f"{pluralize(n_cases, 'segment')} taken as"
                f" {'they are' if n_cases > 1 else 'it is'}:"
                f" {flaw.describe(raw, int(cases.argmax()))}{write_number_of_further(n_cases)};"
                f" {format_setting('repair', *flaw.list_repairs(raw))} would help"
            )


def raise_first_case(flaw: Flaw, raw: RawCorpus, is_case: Bools, rule: str) -> None:
    """Raise an error for the first case of a mask, if there is any; it ends with the rule."""
    if is_case.any():
        count_note = write_number_of_further(int(is_case.sum()))
        case = flaw.describe(raw, int(is_case.argmax())) + count_note
        raise InputError(f"{case}; {rule}" if rule else case)


# --- functions that find cases ------------------------------------------------------------------


def _find_misplaced(raw: RawCorpus) -> Bools:
    return raw.is_misplaced


def _find_beyond_text(raw: RawCorpus) -> Bools:
    return raw.end > raw.lengths[raw.document]


def _find_empty(raw: RawCorpus) -> Bools:
    return raw.end == raw.start


def find_repeats(raw: RawCorpus) -> Bools:
    """Find annotations that repeat an earlier document and annotator."""
    return is_repeated_row(raw.annotator_index, raw.document_index)


def find_duplicates(raw: RawCorpus) -> Bools:
    """Find segments that repeat an earlier segment of their annotation."""
    return is_repeated_row(*_list_identity_columns(raw))


def find_full_duplicates(raw: RawCorpus) -> Bools:
    """Find segments that repeat an earlier segment of their annotation, also in attributes."""
    attributes = () if raw.details is None else raw.details.attributes.values()
    return is_repeated_row(*_list_identity_columns(raw), *attributes)


def _list_identity_columns(raw: RawCorpus) -> tuple[Ints, ...]:
    """List the columns that are equal for duplicate segments."""
    shape = () if raw.details is None else (raw.details.shape,)
    return raw.annotation, raw.start, raw.end, raw.label, *shape


def _find_unlabelled_quotes(raw: RawCorpus) -> Bools:
    """Find quotes that are not in the text and have no label."""
    labels = () if raw.unplaced is None else raw.unplaced.label
    return np.array([not label for label in labels], np.bool_)


def find_first_equal_segment(raw: RawCorpus) -> Ints:
    """Find the first equal segment for each segment."""
    return first_equal_row(*_list_identity_columns(raw))


def _find_missing_arguments(raw: RawCorpus) -> Bools:
    return (raw.links.first < 0) | (raw.links.second < 0)


def _find_relations_across(raw: RawCorpus) -> Bools:
    """Compute a mask of relations between segments of different annotations."""
    annotation = np.append(raw.annotation, -1)
    return (annotation[raw.links.first] != annotation[raw.links.second]) & ~_find_missing_arguments(
        raw
    )


def _find_self_relations(raw: RawCorpus) -> Bools:
    return (raw.links.first == raw.links.second) & (raw.links.first >= 0)


def _find_repeated_relations(raw: RawCorpus) -> Bools:
    """Find relations that repeat an earlier relation of the same segments."""
    links = raw.links
    ends = np.stack((links.first, links.second))
    ends = np.where(links.directed, ends, np.sort(ends, axis=0))
    return is_repeated_row(
        *ends, links.label, links.directed.astype(np.int64)
    ) & ~_find_missing_arguments(raw)


def _find_empty_annotations(raw: RawCorpus) -> Bools:
    """Find annotations without a segment and without a quote outside the text, as a mask."""
    has_mark = np.zeros(len(raw.document_index), np.bool_)
    has_mark[raw.annotation] = True
    if raw.unplaced is not None:
        has_mark[raw.unplaced.at] = True
    return ~has_mark


def _find_flawed_relations(raw: RawCorpus) -> Bools:
    """Find relations with any flaw."""
    flaws = (flaw for flaw in FLAWS.values() if flaw.of is RELATION)
    return np.logical_or.reduce([flaw.find_cases(raw) for flaw in flaws])


def _find_overlapping_pieces(raw: RawCorpus) -> Bools:
    if raw.details is None:
        return np.zeros(len(raw.start), np.bool_)
    return find_overlapping_shapes(raw.details)


def find_overlaps(raw: RawCorpus, *, same_label: bool = False) -> tuple[Ints, Ints]:
    """Find the segments that share tokens with an earlier segment of their annotation.

    Duplicates are another flaw and are left out. If ``same_label`` is True, only segments with
    equal labels are compared.

    Returns:
        The rows of these segments, and for each the row of an earlier segment that it overlaps.
    """
    rows = np.flatnonzero(~find_duplicates(raw))
    cell = raw.annotation[rows]
    if same_label:
        _, cell, _ = unique_rows(cell, raw.label[rows])
    later, earlier = find_overlapping(cell, raw.start[rows], raw.end[rows])
    return rows[later], rows[earlier]


def _find_nested_or_crossing(raw: RawCorpus, *, inside: bool) -> Bools:
    """Find segments that overlap an earlier one, either inside it or not."""
    later, earlier = find_overlaps(raw)
    selected = later[(raw.end[later] <= raw.end[earlier]) == inside]
    return np.isin(np.arange(len(raw.start)), selected)


def _find_rarely_misplaced(raw: RawCorpus) -> Bools:
    """Find the segments of annotators with up to one misplaced segment in ten, as a mask."""
    if raw.quote is None:
        return np.zeros(len(raw.start), np.bool_)
    annotator, n_annotators = raw.annotator_index[raw.annotation], len(raw.annotators)
    n_checked = np.bincount(annotator[raw.quote != UNKNOWN], minlength=n_annotators)
    has_few = (
        np.bincount(annotator[raw.is_misplaced], minlength=n_annotators) * TOLERATED <= n_checked
    )
    return np.asarray(has_few[annotator])


def _yield_relocations(raw: RawCorpus) -> Iterator[tuple[int, tuple[int, int]]]:
    """Yield the row of each misplaced segment of one piece whose quote stands elsewhere.

    With each are start and end of the nearest occurrence of the quote.
    """
    if raw.quote is None:
        return
    is_movable = raw.is_misplaced
    if raw.details is not None:
        is_movable &= raw.details.shape == 0
    for row in np.flatnonzero(is_movable).tolist():
        content, start, _ = raw.find_content_of_segment(row)
        bounds = find_nearest(content, start, raw.quotes[raw.quote[row]])
        if bounds is not None:
            yield row, bounds


def _find_clippable(raw: RawCorpus) -> Bools:
    """Find segments that begin inside their document and end after it."""
    length = raw.lengths[raw.document]
    return (raw.end > length) & (raw.start < length)


# --- functions that mend cases, and count them ---------------------------------------------------


def _build_dropper(
    find_cases: Callable[[RawCorpus], Bools],
) -> Callable[[RawCorpus], tuple[RawCorpus, int]]:
    """Build a repair that removes the segments of a mask, and counts them."""

    def apply(raw: RawCorpus) -> tuple[RawCorpus, int]:
        is_case = find_cases(raw)
        return raw.select_segments(~is_case), int(is_case.sum())

    return apply


def _drop_unlabelled(raw: RawCorpus) -> tuple[RawCorpus, int]:
    """Drop segments without a label, and quotes without a label that are not in the text."""
    is_unlabelled, is_unlabelled_quote = raw.label < 0, _find_unlabelled_quotes(raw)
    unplaced = raw.unplaced and raw.unplaced.select(~is_unlabelled_quote)
    labelled = raw.select_segments(~is_unlabelled).replace(unplaced=unplaced)
    return labelled, int(is_unlabelled.sum() + is_unlabelled_quote.sum())


def _keep_annotations(raw: RawCorpus, is_kept: Bools) -> tuple[RawCorpus, int]:
    return raw.select_annotations(is_kept), int((~is_kept).sum())


def _drop_repeats(raw: RawCorpus) -> tuple[RawCorpus, int]:
    return _keep_annotations(raw, ~find_repeats(raw))


def _keep_latest(raw: RawCorpus) -> tuple[RawCorpus, int]:
    """Keep the latest annotation of each document and annotator; with equal times, the last."""
    times = np.zeros(len(raw.document_index)) if raw.when is None else raw.when
    order = np.lexsort((np.nan_to_num(times, nan=-np.inf), raw.document_index, raw.annotator_index))
    has_later = is_repeated_row(raw.annotator_index[order][::-1], raw.document_index[order][::-1])[
        ::-1
    ]
    is_kept = np.ones(len(order), np.bool_)
    is_kept[order[has_later]] = False
    return _keep_annotations(raw, is_kept)


def _drop_duplicates(raw: RawCorpus) -> tuple[RawCorpus, int]:
    """Remove duplicate segments; relations then refer to the first of them."""
    is_duplicate = find_duplicates(raw)
    return raw.select_segments(~is_duplicate, find_first_equal_segment(raw)), int(
        is_duplicate.sum()
    )


def _drop_relations(raw: RawCorpus) -> tuple[RawCorpus, int]:
    """Remove relations with a flaw."""
    is_flawed = _find_flawed_relations(raw)
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
    for i, bounds in _yield_relocations(raw):
        (start[i], end[i]), quote[i] = bounds, STANDS
        n_moved += 1
    return raw.replace(start=start, end=end, quote=quote), n_moved


def _clip_to_text(raw: RawCorpus) -> tuple[RawCorpus, int]:
    """Move ends beyond the document to its end, for segments that begin inside."""
    is_clippable = _find_clippable(raw)
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
    merged = raw.select_segments(order[first_positions], stands_for)
    if len(later):
        merged = merged.replace(end=np.maximum.reduceat(raw.end[order], first_positions))
    return merged, len(later)


# --- the table ------------------------------------------------------------------------------------

_DROP_UNLABELLED = {"drop-unlabelled": Repair("segments without a label dropped", _drop_unlabelled)}
_DROP_RELATIONS = {
    "drop-relations": Repair(
        "relations standing twice or not linking two segments of one annotation dropped",
        _drop_relations,
    )
}

_EMPTY = Flaw(
    "is empty",
    _find_empty,
    {
        "widen-points": Repair(
            "empty segments of recordings widened to one unit",
            _widen_points,
            lambda raw: is_time(raw.offsets),  # points are of recordings
        ),
        "drop-empty": Repair("empty segments dropped", _build_dropper(_find_empty)),
    },
    "a segment has at least one token",
)

FLAWS: Mapping[str, Flaw] = {
    "pieces": Flaw(
        "has pieces that overlap or are empty",
        _find_overlapping_pieces,
        {"join-pieces": Repair("segments of which pieces overlap joined", _join_pieces)},
        "pieces stand apart",
    ),
    "repeated": Flaw(
        "the same document and annotator for a second time",
        find_repeats,
        {
            "drop-repeats": Repair(
                "annotations of a document and annotator met before dropped, the first stays",
                _drop_repeats,
            ),
            "latest": Repair(
                "annotations of a document and annotator with a later one dropped", _keep_latest
            ),
        },
        of=ANNOTATION,
    ),
    "misplaced": Flaw(
        "has {there} in the text, not {quote}",
        _find_misplaced,
        {
            "relocate-by-text": Repair(
                "misplaced segments moved to where the quoted text stands",
                _relocate_misplaced,
                lambda raw: any(True for _ in _yield_relocations(raw)),
            ),
            "drop-misplaced": Repair(
                "segments dropped whose text is not what stands at the offsets",
                _build_dropper(_find_misplaced),
            ),
        },
        tolerated=_find_rarely_misplaced,
    ),
    "negative": Flaw(
        "starts before the document",
        lambda raw: raw.start < 0,
        rule="offsets count from 0",
    ),
    "reversed": Flaw(
        "ends before it starts",
        lambda raw: raw.end < raw.start,
        rule="start comes before end",
    ),
    "beyond-text": Flaw(
        "ends beyond the document of length {length}",
        _find_beyond_text,
        {
            "clip-beyond-text": Repair(
                "segments cut off at the end of the document",
                _clip_to_text,
                lambda raw: bool(_find_clippable(raw).any()),
            ),
            "drop-beyond-text": Repair(
                "segments ending beyond the document dropped", _build_dropper(_find_beyond_text)
            ),
        },
    ),
    "edge-space": Flaw(
        "has white space at an edge",
        find_edge_spaces,
        {"strip-space": Repair("segments freed from white space at the edges", _strip_space)},
        is_error=False,
    ),
    "empty": _EMPTY,
    "unlabelled": Flaw("needs one", lambda raw: raw.label < 0, _DROP_UNLABELLED),
    "unlabelled-quote": Flaw(
        "without a label needs one", _find_unlabelled_quotes, _DROP_UNLABELLED, of=QUOTE
    ),
    "duplicate": Flaw(
        "stands twice",
        find_duplicates,
        {"drop-duplicates": Repair("duplicate segments dropped", _drop_duplicates)},
        "a segment is marked once",
    ),
    "same-label-overlap": Flaw(
        "overlaps one of the same label",
        lambda raw: np.isin(np.arange(len(raw.start)), find_overlaps(raw, same_label=True)[0]),
        {"merge-overlaps": Repair("segments merged with one of the same label", _merge_overlaps)},
        is_error=False,
    ),
    "relation-missing": Flaw(
        "links a segment that is not there",
        _find_missing_arguments,
        _DROP_RELATIONS,
        "a relation links two segments",
        of=RELATION,
    ),
    "relation-across": Flaw(
        "links segments of two documents or annotators",
        _find_relations_across,
        _DROP_RELATIONS,
        "both are of one annotator in one document",
        of=RELATION,
    ),
    "relation-itself": Flaw(
        "links a segment with itself",
        _find_self_relations,
        _DROP_RELATIONS,
        "a relation links two segments",
        of=RELATION,
    ),
    "relation-twice": Flaw(
        "stands twice",
        _find_repeated_relations,
        _DROP_RELATIONS,
        "a relation is marked once",
        of=RELATION,
    ),
    "nested": Flaw(
        "lies inside another",
        lambda raw: _find_nested_or_crossing(raw, inside=True),
        is_error=False,
    ),
    "crossing": Flaw(
        "overlaps another without nesting",
        lambda raw: _find_nested_or_crossing(raw, inside=False),
        is_error=False,
    ),
    "cuts-word": Flaw("begins or ends inside a word", find_cut_words, is_error=False),
    "marked-nothing": Flaw(
        "saw the document and marked nothing",
        _find_empty_annotations,
        of=ANNOTATION,
        is_error=False,
    ),
}
"""Flaws and oddities by name, in the order in which they are mended."""

REPAIRS: Mapping[str, Repair] = {
    name: repair for flaw in FLAWS.values() for name, repair in flaw.repairs.items()
}
"""Repairs by name, in the order in which they are applied."""
