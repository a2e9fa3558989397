"""Flaws that make a layer invalid, in one table with a function that finds each.

A *case* of a flaw is a segment, an annotation or a relation that has it, or a quote that is not in
the text. Readers find cases in the rows of a source, where a repair may help; a
:class:`~spanagree.corpus.corpus.Corpus` finds them in each of its layers. A *quote* is the text of
a segment in the source; a segment with another text at its offsets is *misplaced*.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import compress
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Bools, Ints, first_equal_row, is_repeated_row, unique_rows
from spanagree.corpus.details import find_overlapping_shapes
from spanagree.corpus.offsets import TOLERATED
from spanagree.corpus.raw import UNKNOWN, RawCorpus
from spanagree.corpus.segments import find_overlapping, is_time
from spanagree.corpus.times import format_offset
from spanagree.errors import (
    InputError,
    format_setting,
    join_names,
    pluralize,
    quote_value,
    write_number_of_further,
)

_LOOKED_AT = 10_000  # number of segments that are checked for cut words
_CUT_SHARE, _FEWEST_CUT = 5, 10  # more than one segment in five, and at least ten


class Flaw(NamedTuple):
    """A flaw, or an oddity, in the rows of a source.

    Attributes:
        predicate: predicate of the sentence that describes a case.
        find_cases: function that computes the mask of cases, over segments (with ``of_annotations``
            over annotations, with ``of_relations`` over relations, with ``of_quotes`` over quotes
            that are not in the text).
        repairs: names of repairs that help; ``None`` if it is odd, but no error.
        rule: property of segments without the flaw.
        tolerated: function that computes a mask of segments where the flaw is reported, but no
            error.
    """

    predicate: str
    find_cases: Callable[[RawCorpus], Bools]
    repairs: tuple[str, ...] | None = None
    rule: str = ""
    of_annotations: bool = False
    of_relations: bool = False
    of_quotes: bool = False
    tolerated: Callable[[RawCorpus], Bools] | None = None

    def find_errors(self, raw: RawCorpus) -> Bools:
        """Compute the mask of cases that are an error."""
        is_case = self.find_cases(raw)
        if self.repairs is None:
            return np.zeros(len(is_case), np.bool_)
        return is_case if self.tolerated is None else is_case & ~self.tolerated(raw)

    def list_repairs(self, raw: RawCorpus) -> tuple[str, ...]:
        """List the repairs that help these rows; `widen-points` is for recordings."""
        repairs = self.repairs or ()
        return tuple(
            repair for repair in repairs if repair != "widen-points" or is_time(raw.offsets)
        )

    def find_annotations(self, raw: RawCorpus, cases: Ints) -> Ints:
        """Find the annotation of each case; −1 for a relation without any segment."""
        if self.of_annotations:
            return cases
        if self.of_quotes:
            return np.zeros(0, np.int64) if raw.unplaced is None else raw.unplaced.at[cases]
        if not self.of_relations:
            return np.asarray(raw.annotation[cases], np.int64)
        segment = np.maximum(raw.links.first[cases], raw.links.second[cases])
        return np.append(raw.annotation, -1)[segment]

    def describe(self, raw: RawCorpus, index: int) -> str:
        """Describe a case: annotator, document and flaw; ``index`` is the row of the case."""
        if self.of_relations:
            return self._describe_relation(raw, index)
        if self.of_quotes:
            return self._describe_quote(raw, index)
        annotation = index if self.of_annotations else int(raw.annotation[index])
        annotator, document = raw.find_annotator_and_document(annotation)
        location = f"annotator {quote_value(annotator)}, document {quote_value(document)}"
        if self.of_annotations:
            return f"{location}: {self.predicate}"
        label = (
            quote_value(raw.labels[raw.label[index]])
            if raw.label[index] >= 0
            else "without a label"
        )
        length = format_offset(int(raw.lengths[raw.document_index[annotation]]), raw.offsets)
        details = {"length": length, **_quote_misplaced_texts(raw, index)}
        predicate = self.predicate.format(**details)
        start, end = (format_offset(int(x[index]), raw.offsets) for x in (raw.start, raw.end))
        return f"{location}: segment {start}–{end} {label} {predicate}"

    def _describe_quote(self, raw: RawCorpus, index: int) -> str:
        """Describe a flaw of a quote, by its index, with annotator and document."""
        assert raw.unplaced is not None  # one of its quotes has the flaw
        annotator, document = raw.find_annotator_and_document(int(raw.unplaced.at[index]))
        quote = quote_value(raw.unplaced.quote[index])
        return (
            f"annotator {quote_value(annotator)}, document {quote_value(document)}:"
            f" quote {quote} {self.predicate}"
        )

    def _describe_relation(self, raw: RawCorpus, index: int) -> str:
        """Describe a case of a flaw of relations: location, or annotator and document, and flaw."""
        links = raw.links
        location = links.location[index]
        for row in (links.first[index], links.second[index]):
            if not location and row >= 0:
                annotator, document = raw.find_annotator_and_document(int(raw.annotation[row]))
                location = f"annotator {quote_value(annotator)}, document {quote_value(document)}"
        label = quote_value(raw.look_up_relation_label(index))
        return f"{location}: relation {label} {self.predicate}"


def check_flaws(raw: RawCorpus, *, repairable: bool) -> None:
    """Check that no flaw of the rows is an error.

    If ``repairable`` is True, the message suggests repairs.

    Raises:
        InputError: if there is such a flaw; with the first case and the number of cases.
    """
    for flaw in FLAWS.values():
        if flaw.of_relations and not len(
            raw.links
        ):  # saves time: many layers without relations are checked
            continue
        if flaw.repairs is not None and (cases := flaw.find_errors(raw)).any():
            rule = flaw.rule
            if repairable and (repairs := flaw.list_repairs(raw)):
                rule = f"{format_setting('repair', *repairs)} would help"
                if flaw.of_annotations:
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


def yield_notes_on_cut_words(raw: RawCorpus) -> Iterator[str]:
    """Yield a note if many segments cut words, and no quotes show if offsets are right.

    Cut words are a sign of misplaced offsets, but no error: annotations of morphemes or
    misspellings also cut words. Only letters with case count, since their scripts separate words by
    spaces. In large files, a sample of evenly spaced segments is checked.
    """
    if raw.offsets != "characters" or raw.texts is None:
        return
    without_quote = np.arange(len(raw.start))
    if raw.quote is not None:
        without_quote = np.flatnonzero(raw.quote == UNKNOWN)
    sampled_rows = without_quote[:: len(without_quote) // _LOOKED_AT + 1]
    texts = raw.texts
    documents = raw.document_index[raw.annotation[sampled_rows]].tolist()
    begins_inside, ends_inside = (
        np.array(
            [
                _is_in_cased_word(texts[d], offset)
                for d, offset in zip(documents, offsets[sampled_rows].tolist(), strict=True)
            ],
            np.bool_,
        )
        for offsets in (raw.start, raw.end)
    )
    cuts_word = begins_inside | ends_inside
    annotator, n_annotators = raw.annotator_index[raw.annotation[sampled_rows]], len(raw.annotators)
    is_counted, names = np.ones(len(sampled_rows), np.bool_), ""
    if not _is_suspicious(
        int(cuts_word.sum()), len(cuts_word)
    ):  # perhaps only files of some annotators are misplaced
        n_by_annotator = np.bincount(annotator, minlength=n_annotators).tolist()
        n_cut_by_annotator = np.bincount(annotator[cuts_word], minlength=n_annotators).tolist()
        has_many = list(map(_is_suspicious, n_cut_by_annotator, n_by_annotator))
        is_counted = np.array(has_many, np.bool_)[annotator]
        names = f" of {join_names(compress(raw.annotators, has_many))}"
    n_counted, n_cut = int(is_counted.sum()), int(cuts_word[is_counted].sum())
    if not n_counted:
        return
    advice = "the offsets may be those of another text: spanagree check shows the first"
    if (
        raw.ends is None
        and (n_counted - n_cut + int(begins_inside[is_counted].sum())) * TOLERATED <= n_counted
    ):
        advice = (
            "if ends name the last character, --ends inclusive (ends='inclusive') reads them so"
        )
    sample_note = " looked at" if len(sampled_rows) < len(without_quote) else ""
    yield (
        f"{n_cut} of {pluralize(n_counted, 'segment')}{sample_note}{names} begin or end inside a"
        f" word, and the source has no text of the segments to compare; {advice}"
    )


def _is_suspicious(cases: int, size: int) -> bool:
    """Check if the share of segments that cut words is too large for morphemes or misspellings."""
    return cases >= _FEWEST_CUT and cases * _CUT_SHARE > size


def _is_in_cased_word(text: str, at: int) -> bool:
    """Check if the characters on both sides of an offset are letters with case, or digits."""
    neighbours = text[at - 1 : at + 1] if 0 < at < len(text) else " "
    return " " not in neighbours and all(
        sign.isdigit() or sign != sign.swapcase() for sign in neighbours
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
    flaw_functions = (
        _find_missing_arguments,
        _find_relations_across,
        _find_self_relations,
        _find_repeated_relations,
    )
    return np.logical_or.reduce([find_cases(raw) for find_cases in flaw_functions])


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


def strip_edges(raw: RawCorpus) -> tuple[Ints, Ints]:
    """Compute the start and end of each segment without white space at either end."""
    start, end = raw.start.copy(), raw.end.copy()
    is_tokens = raw.offsets == "tokens"
    content = raw.tokens if is_tokens else raw.texts
    if content is None:
        return start, end
    rows = (
        compress(_yield_segments(raw), _find_blank_edges(raw))
        if is_tokens
        else _yield_segments(raw)
    )
    for i, d, low, high in rows:
        if not 0 <= low < high:
            continue  # another flaw
        if is_tokens:
            first_token, last_token = raw.starts[d] + np.clip((low, high), 0, raw.lengths[d])
            tokens_of_segment = content[first_token:last_token]
            n_left = next(
                (k for k, unit in enumerate(tokens_of_segment) if unit.strip()),
                len(tokens_of_segment),
            )
            n_right = next(
                (k for k, unit in enumerate(reversed(tokens_of_segment)) if unit.strip()),
                len(tokens_of_segment),
            )
        else:
            text = content[d][low:high]
            n_left, n_right = len(text) - len(text.lstrip()), len(text) - len(text.rstrip())
        if n_left or n_right:
            start[i], end[i] = low + n_left, max(high - n_right, low + n_left)
    return start, end


def _find_blank_edges(raw: RawCorpus) -> Bools:
    """Find segments that begin or end with a token of white space, as a mask."""
    tokens = raw.tokens or ()
    blank_tokens = {token for token in set(tokens) if not token.strip()}
    if not blank_tokens:
        return np.zeros(len(raw.start), np.bool_)
    is_blank = np.fromiter(map(blank_tokens.__contains__, tokens), np.bool_, len(tokens))
    first_token, end_token = (
        raw.starts[raw.document] + np.clip(offset, 0, raw.lengths[raw.document])
        for offset in (raw.start, raw.end)
    )
    return (first_token < end_token) & (
        is_blank.take(first_token, mode="clip") | is_blank[end_token - 1]
    )


def _find_edge_spaces(raw: RawCorpus) -> Bools:
    start, end = strip_edges(raw)
    return (start > raw.start) | (end < raw.end)


def _find_cut_words(raw: RawCorpus) -> Bools:
    """Find segments that begin or end inside a word, as a mask."""
    if raw.offsets != "characters" or raw.texts is None:
        return np.zeros(len(raw.start), np.bool_)

    def is_inside_word(text: str, offset: int) -> bool:
        return 0 < offset < len(text) and text[offset - 1 : offset + 1].isalnum()

    texts = raw.texts
    cuts_word = [
        is_inside_word(texts[d], low) or is_inside_word(texts[d], high)
        for _, d, low, high in _yield_segments(raw)
    ]
    return np.array(cuts_word, np.bool_)


def _quote_misplaced_texts(raw: RawCorpus, segment: int) -> dict[str, str]:
    """Quote two texts of a misplaced segment for a message: at its offsets, and in the source.

    The result is empty if the segment is not misplaced.
    """
    if raw.quote is None or raw.quote[segment] < 0:
        return {}
    content, start, end = raw.find_content_of_segment(segment)
    text_at_segment = content[start:end] if 0 <= start <= end else ""
    text_at_segment = (
        text_at_segment if isinstance(text_at_segment, str) else " ".join(text_at_segment)
    )
    return {
        "there": quote_value(text_at_segment),
        "quote": quote_value(raw.quotes[raw.quote[segment]]),
    }


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


def _yield_segments(raw: RawCorpus) -> Iterator[tuple[int, int, int, int]]:
    """Yield row, document, start and end of each segment."""
    columns = (column.tolist() for column in (raw.document, raw.start, raw.end))
    return zip(range(len(raw.start)), *columns, strict=True)


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
        of_annotations=True,
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
        "without a label needs one", find_unlabelled_quotes, ("drop-unlabelled",), of_quotes=True
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
        of_relations=True,
    ),
    "relation-across": Flaw(
        "links segments of two documents or annotators",
        _find_relations_across,
        ("drop-relations",),
        "both are of one annotator in one document",
        of_relations=True,
    ),
    "relation-itself": Flaw(
        "links a segment with itself",
        _find_self_relations,
        ("drop-relations",),
        "a relation links two segments",
        of_relations=True,
    ),
    "relation-twice": Flaw(
        "stands twice",
        _find_repeated_relations,
        ("drop-relations",),
        "a relation is marked once",
        of_relations=True,
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
    "edge-space": Flaw("has white space at an edge", _find_edge_spaces),
    "cuts-word": Flaw("begins or ends inside a word", _find_cut_words),
    "marked-nothing": Flaw(
        "saw the document and marked nothing",
        _find_empty_annotations,
        of_annotations=True,
    ),
}
"""Flaws and oddities by name, errors first."""
