"""Flaws that make a layer invalid, in one table with a function that finds each.

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
from spanagree.corpus.details import find_overlapping_shapes
from spanagree.corpus.edge_spaces import find_edge_spaces
from spanagree.corpus.offsets import TOLERATED
from spanagree.corpus.quoted_texts import find_nearest
from spanagree.corpus.raw import UNKNOWN, RawCorpus
from spanagree.corpus.segments import find_overlapping, is_time
from spanagree.errors import (
    InputError,
    format_setting,
    pluralize,
    write_number_of_further,
)


class Flaw(NamedTuple):
    """A flaw, or an oddity, in the rows of a source.

    Attributes:
        predicate: predicate of the sentence that describes a case.
        find_cases: function that computes the mask of cases, over what has the flaw.
        repairs: names of repairs that help; ``None`` if it is odd, but no error.
        rule: property of what has no such flaw.
        of: what has the flaw.
        tolerated: function that computes a mask of cases that are reported, but no error.
    """

    predicate: str
    find_cases: Callable[[RawCorpus], Bools]
    repairs: tuple[str, ...] | None = None
    rule: str = ""
    of: CaseKind = SEGMENT
    tolerated: Callable[[RawCorpus], Bools] | None = None

    def find_errors(self, raw: RawCorpus) -> Bools:
        """Compute the mask of cases that are an error."""
        is_case = self.find_cases(raw)
        if self.repairs is None:
            return np.zeros(len(is_case), np.bool_)
        return is_case if self.tolerated is None else is_case & ~self.tolerated(raw)

    def list_repairs(self, raw: RawCorpus) -> tuple[str, ...]:
        """List the repairs that mend a case in these rows."""
        return tuple(
            repair for repair in self.repairs or () if repair not in _HELPS or _HELPS[repair](raw)
        )

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
        if flaw.repairs is not None and (cases := flaw.find_errors(raw)).any():
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


# --- functions that find flaws ------------------------------------------------------------------


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


def find_unlabelled_quotes(raw: RawCorpus) -> Bools:
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


def find_flawed_relations(raw: RawCorpus) -> Bools:
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


def yield_relocations(raw: RawCorpus) -> Iterator[tuple[int, tuple[int, int]]]:
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


def find_clippable(raw: RawCorpus) -> Bools:
    """Find segments that begin inside their document and end after it."""
    length = raw.lengths[raw.document]
    return (raw.end > length) & (raw.start < length)


_HELPS: Mapping[str, Callable[[RawCorpus], bool]] = {
    "relocate-by-text": lambda raw: any(True for _ in yield_relocations(raw)),
    "clip-beyond-text": lambda raw: bool(find_clippable(raw).any()),
    "widen-points": lambda raw: is_time(raw.offsets),  # points are of recordings
}
"""Checks whether rows have a case that a repair mends, for repairs that may mend none."""

_EMPTY = Flaw(
    "is empty",
    lambda raw: raw.end == raw.start,
    ("widen-points", "drop-empty"),
    "a segment has at least one token",
)

FLAWS: Mapping[str, Flaw] = {
    "repeated": Flaw(
        "the same document and annotator for a second time",
        find_repeats,
        ("drop-repeats", "latest"),
        of=ANNOTATION,
    ),
    "misplaced": Flaw(
        "has {there} in the text, not {quote}",
        lambda raw: raw.is_misplaced,
        ("relocate-by-text", "drop-misplaced"),
        tolerated=_find_rarely_misplaced,
    ),
    "negative": Flaw(
        "starts before the document",
        lambda raw: raw.start < 0,
        (),
        "offsets count from 0",
    ),
    "reversed": Flaw(
        "ends before it starts",
        lambda raw: raw.end < raw.start,
        (),
        "start comes before end",
    ),
    "beyond-text": Flaw(
        "ends beyond the document of length {length}",
        lambda raw: raw.end > raw.lengths[raw.document],
        ("clip-beyond-text", "drop-beyond-text"),
    ),
    "empty": _EMPTY,
    "unlabelled": Flaw("needs one", lambda raw: raw.label < 0, ("drop-unlabelled",)),
    "unlabelled-quote": Flaw(
        "without a label needs one", find_unlabelled_quotes, ("drop-unlabelled",), of=QUOTE
    ),
    "pieces": Flaw(
        "has pieces that overlap or are empty",
        _find_overlapping_pieces,
        ("join-pieces",),
        "pieces stand apart",
    ),
    "relation-missing": Flaw(
        "links a segment that is not there",
        _find_missing_arguments,
        ("drop-relations",),
        "a relation links two segments",
        of=RELATION,
    ),
    "relation-across": Flaw(
        "links segments of two documents or annotators",
        _find_relations_across,
        ("drop-relations",),
        "both are of one annotator in one document",
        of=RELATION,
    ),
    "relation-itself": Flaw(
        "links a segment with itself",
        _find_self_relations,
        ("drop-relations",),
        "a relation links two segments",
        of=RELATION,
    ),
    "relation-twice": Flaw(
        "stands twice",
        _find_repeated_relations,
        ("drop-relations",),
        "a relation is marked once",
        of=RELATION,
    ),
    "duplicate": Flaw(
        "stands twice", find_duplicates, ("drop-duplicates",), "a segment is marked once"
    ),
    "same-label-overlap": Flaw(
        "overlaps one of the same label",
        lambda raw: np.isin(np.arange(len(raw.start)), find_overlaps(raw, same_label=True)[0]),
    ),
    "nested": Flaw("lies inside another", lambda raw: _find_nested_or_crossing(raw, inside=True)),
    "crossing": Flaw(
        "overlaps another without nesting", lambda raw: _find_nested_or_crossing(raw, inside=False)
    ),
    "edge-space": Flaw("has white space at an edge", find_edge_spaces),
    "cuts-word": Flaw("begins or ends inside a word", find_cut_words),
    "marked-nothing": Flaw(
        "saw the document and marked nothing",
        _find_empty_annotations,
        of=ANNOTATION,
    ),
}
"""Flaws and oddities by name, errors first."""
