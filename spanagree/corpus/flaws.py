"""What makes a layer invalid: one table of flaws, each with a way to find it.

Readers find them in the rows of a source, where a repair may help; a
:class:`~spanagree.corpus.corpus.Corpus` finds them in each of its layers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import compress
from typing import NamedTuple

import numpy as np

from spanagree.arrays import Bools, Ints, first_equal_row, is_repeated_row, unique_rows
from spanagree.corpus.details import overlapping_shapes
from spanagree.corpus.offsets import TOLERATED
from spanagree.corpus.raw import UNKNOWN, RawCorpus
from spanagree.corpus.segments import is_time, overlapping
from spanagree.corpus.times import shown
from spanagree.errors import InputError, chosen, join_names, more_like_it, pluralize, quote_value

_LOOKED_AT = 10_000  # segments of which it is asked whether they cut words
_CUT_SHARE, _FEWEST_CUT = 5, 10  # more than one in five do, and so many


class Flaw(NamedTuple):
    """Something wrong or odd in the rows of a source.

    ``which`` says of each segment (or, with ``of_annotations``, annotation, or, with ``of_quotes``,
    quote that is not in the text) whether it has it.
    With ``repairs`` None it is merely odd; else it is an error, and these repairs would help.
    ``rule`` is what holds of segments without the flaw. ``tolerated`` says of each segment whether
    an error is none there, and only told of.
    """

    means: str
    which: Callable[[RawCorpus], Bools]
    repairs: tuple[str, ...] | None = None
    rule: str = ""
    of_annotations: bool = False
    of_relations: bool = False
    of_quotes: bool = False
    tolerated: Callable[[RawCorpus], Bools] | None = None

    def refused(self, raw: RawCorpus) -> Bools:
        """Return which segments or annotations no corpus may hold."""
        which = self.which(raw)
        if self.repairs is None:
            return np.zeros(len(which), np.bool_)
        return which if self.tolerated is None else which & ~self.tolerated(raw)

    def repairs_of(self, raw: RawCorpus) -> tuple[str, ...]:
        """Return the repairs that would help these rows; points are of recordings alone."""
        repairs = self.repairs or ()
        return tuple(x for x in repairs if x != "widen-points" or is_time(raw.offsets))

    def annotations(self, raw: RawCorpus, cases: Ints) -> Ints:
        """Return the annotations of some cases, −1 where a relation has no segment at all."""
        if self.of_annotations:
            return cases
        if self.of_quotes:
            return np.zeros(0, np.int64) if raw.unplaced is None else raw.unplaced.at[cases]
        if not self.of_relations:
            return np.asarray(raw.annotation[cases], np.int64)
        segment = np.maximum(raw.links.first[cases], raw.links.second[cases])
        return np.append(raw.annotation, -1)[segment]

    def describe(self, raw: RawCorpus, index: int) -> str:
        """Return one case in words: who, where, what."""
        if self.of_relations:
            return self._describe_relation(raw, index)
        if self.of_quotes:
            return self._describe_quote(raw, index)
        annotation = index if self.of_annotations else int(raw.annotation[index])
        annotator, document = raw.place_of(annotation)
        location = f"annotator {quote_value(annotator)}, document {quote_value(document)}"
        if self.of_annotations:
            return f"{location}: {self.means}"
        label = (
            quote_value(raw.labels[raw.label[index]])
            if raw.label[index] >= 0
            else "without a label"
        )
        length = shown(int(raw.lengths[raw.document_index[annotation]]), raw.offsets)
        about = {"length": length, **_quoted(raw, index)}
        means = self.means.format(**about)
        start, end = (shown(int(x[index]), raw.offsets) for x in (raw.start, raw.end))
        return f"{location}: segment {start}–{end} {label} {means}"

    def _describe_quote(self, raw: RawCorpus, index: int) -> str:
        assert raw.unplaced is not None  # since one of its quotes has the flaw
        annotator, document = raw.place_of(int(raw.unplaced.at[index]))
        quote = quote_value(raw.unplaced.quote[index])
        return (
            f"annotator {quote_value(annotator)}, document {quote_value(document)}:"
            f" quote {quote} {self.means}"
        )

    def _describe_relation(self, raw: RawCorpus, index: int) -> str:
        links = raw.links
        location = links.location[index]
        for row in (links.first[index], links.second[index]):
            if not location and row >= 0:
                annotator, document = raw.place_of(int(raw.annotation[row]))
                location = f"annotator {quote_value(annotator)}, document {quote_value(document)}"
        return f"{location}: relation {quote_value(raw.relation_label(index))} {self.means}"


def refuse_flaws(raw: RawCorpus, *, repairable: bool) -> None:
    """Refuse rows that no corpus may hold; where they are ``repairable``, say by which repairs.

    Raises:
        InputError: with the first case, and how many there are.
    """
    for flaw in FLAWS.values():
        if flaw.of_relations and not len(raw.links):  # as in most layers, of which many are checked
            continue
        if flaw.repairs is not None and (cases := flaw.refused(raw)).any():
            rule = flaw.rule
            if repairable and (repairs := flaw.repairs_of(raw)):
                rule = f"{chosen('repair', *repairs)} would help"
                if flaw.of_annotations:
                    rule += " if both are by one person; if not, name the annotators in the rows,"
                    rule += " or give each a file (NAME=FILE)"
            asked = ends_asked(raw) if flaw is _EMPTY else ""
            refuse(flaw, raw, cases, f"{asked}; if not, {rule}" if asked else rule)


def ends_asked(raw: RawCorpus) -> str:
    """Return the question that an empty segment raises where nobody said what its end names."""
    if raw.ends is not None or is_time(raw.offsets):
        return ""
    return (
        "if ends name the last token or character, --ends inclusive (ends='inclusive') reads them"
        " so"
    )


def notes_of_tolerated(raw: RawCorpus) -> Iterator[str]:
    """Yield a note for each flaw that is tolerated: the first case, and how many there are."""
    for flaw in FLAWS.values():
        if flaw.tolerated is not None and (cases := flaw.which(raw)).any():
            number = int(cases.sum())
            yield (
                f"{pluralize(number, 'segment')} taken as {'they are' if number > 1 else 'it is'}:"
                f" {flaw.describe(raw, int(cases.argmax()))}{more_like_it(number)};"
                f" {chosen('repair', *flaw.repairs_of(raw))} would help"
            )


def notes_of_cut_words(raw: RawCorpus) -> Iterator[str]:
    """Yield a note where many segments cut words, and no quotes show whether offsets fit.

    It is only a sign of misplaced offsets, and never an error: marks of morphemes or misspellings
    cut words as well. Only letters with case count, whose scripts have spaces between words, and of
    a large file only some of the segments, evenly spread.
    """
    if raw.offsets != "characters" or raw.texts is None:
        return
    without_quote = np.arange(len(raw.start))
    if raw.quote is not None:
        without_quote = np.flatnonzero(raw.quote == UNKNOWN)
    rows = without_quote[:: len(without_quote) // _LOOKED_AT + 1]
    texts = raw.texts
    documents = raw.document_index[raw.annotation[rows]].tolist()
    begins, ends = (
        np.array(
            [
                _in_cased_word(texts[d], at)
                for d, at in zip(documents, offsets[rows].tolist(), strict=True)
            ],
            np.bool_,
        )
        for offsets in (raw.start, raw.end)
    )
    cut = begins | ends
    annotator, n = raw.annotator_index[raw.annotation[rows]], len(raw.annotators)
    regarded, names = np.ones(len(rows), np.bool_), ""
    if not _are_many(int(cut.sum()), len(cut)):  # the file of one annotator among those of others
        sizes = np.bincount(annotator, minlength=n).tolist()
        cases = np.bincount(annotator[cut], minlength=n).tolist()
        many = list(map(_are_many, cases, sizes))
        regarded = np.array(many, np.bool_)[annotator]
        names = f" of {join_names(compress(raw.annotators, many))}"
    size, odd = int(regarded.sum()), int(cut[regarded].sum())
    if not size:
        return
    advice = "the offsets may be those of another text: spanagree check shows the first"
    if raw.ends is None and (size - odd + int(begins[regarded].sum())) * TOLERATED <= size:
        advice = (
            "if ends name the last character, --ends inclusive (ends='inclusive') reads them so"
        )
    looked_at = " looked at" if len(rows) < len(without_quote) else ""
    yield (
        f"{odd} of {pluralize(size, 'segment')}{looked_at}{names} begin or end inside a word, and"
        f" the source has no text of the segments to compare; {advice}"
    )


def _are_many(cases: int, size: int) -> bool:
    """Return whether more segments cut words than marks of morphemes or misspellings explain."""
    return cases >= _FEWEST_CUT and cases * _CUT_SHARE > size


def _in_cased_word(text: str, at: int) -> bool:
    """Return whether letters with case, as Latin's, or digits stand on both sides of a place."""
    around = text[at - 1 : at + 1] if 0 < at < len(text) else " "
    return " " not in around and all(sign.isdigit() or sign != sign.swapcase() for sign in around)


def refuse(flaw: Flaw, raw: RawCorpus, which: Bools, rule: str) -> None:
    """Refuse the cases of a flaw, if there are any; the error ends with the rule."""
    if which.any():
        more = more_like_it(int(which.sum()))
        case = flaw.describe(raw, int(which.argmax())) + more
        raise InputError(f"{case}; {rule}" if rule else case)


# --- how each is found --------------------------------------------------------------------------


def repeats(raw: RawCorpus) -> Bools:
    """Return which annotations are of a document and annotator met before."""
    return is_repeated_row(raw.annotator_index, raw.document_index)


def duplicates(raw: RawCorpus) -> Bools:
    """Return which segments stand in their annotation for a second time."""
    return is_repeated_row(*_identity(raw))


def marked_again(raw: RawCorpus) -> Bools:
    """Return which segments stand in their annotation a second time, with the same attributes."""
    attributes = () if raw.details is None else raw.details.attributes.values()
    return is_repeated_row(*_identity(raw), *attributes)


def _identity(raw: RawCorpus) -> tuple[Ints, ...]:
    """Return the columns by which segments are the same."""
    shape = () if raw.details is None else (raw.details.shape,)
    return raw.annotation, raw.start, raw.end, raw.label, *shape


def unlabelled_quotes(raw: RawCorpus) -> Bools:
    """Return which of the quotes that are not in the text have no label."""
    labels = () if raw.unplaced is None else raw.unplaced.label
    return np.array([not label for label in labels], np.bool_)


def first_of_each(raw: RawCorpus) -> Ints:
    """Return for each segment the first one that is the same."""
    return first_equal_row(*_identity(raw))


def _missing(raw: RawCorpus) -> Bools:
    return (raw.links.first < 0) | (raw.links.second < 0)


def _across(raw: RawCorpus) -> Bools:
    annotation = np.append(raw.annotation, -1)
    return (annotation[raw.links.first] != annotation[raw.links.second]) & ~_missing(raw)


def _to_itself(raw: RawCorpus) -> Bools:
    return (raw.links.first == raw.links.second) & (raw.links.first >= 0)


def _linked_twice(raw: RawCorpus) -> Bools:
    """Return which relations link two segments again, in the same way."""
    links = raw.links
    ends = np.stack((links.first, links.second))
    ends = np.where(links.directed, ends, np.sort(ends, axis=0))
    return is_repeated_row(*ends, links.label, links.directed.astype(np.int64)) & ~_missing(raw)


def _marked_nothing(raw: RawCorpus) -> Bools:
    """Return which annotations have neither a segment nor a quote that is not in the text."""
    marked = np.zeros(len(raw.document_index), np.bool_)
    marked[raw.annotation] = True
    if raw.unplaced is not None:
        marked[raw.unplaced.at] = True
    return ~marked


def bad_relations(raw: RawCorpus) -> Bools:
    """Return which relations have any flaw."""
    flaws = (_missing, _across, _to_itself, _linked_twice)
    return np.logical_or.reduce([which(raw) for which in flaws])


def _bad_pieces(raw: RawCorpus) -> Bools:
    if raw.details is None:
        return np.zeros(len(raw.start), np.bool_)
    return overlapping_shapes(raw.details)


def overlaps(raw: RawCorpus, *, same_label: bool = False) -> tuple[Ints, Ints]:
    """Return the segments that share tokens with an earlier one of their annotation, and that one.

    Duplicates are a flaw of their own and are left out here.
    """
    rows = np.flatnonzero(~duplicates(raw))
    cell = raw.annotation[rows]
    if same_label:
        _, cell, _ = unique_rows(cell, raw.label[rows])
    later, earlier = overlapping(cell, raw.start[rows], raw.end[rows])
    return rows[later], rows[earlier]


def _nested(raw: RawCorpus, *, inside: bool) -> Bools:
    """Return which segments overlap another and lie inside it, or do not."""
    later, earlier = overlaps(raw)
    chosen = later[(raw.end[later] <= raw.end[earlier]) == inside]
    return np.isin(np.arange(len(raw.start)), chosen)


def stripped(raw: RawCorpus) -> tuple[Ints, Ints]:
    """Return starts and ends of the segments without white space at their edges."""
    start, end = raw.start.copy(), raw.end.copy()
    tokens = raw.offsets == "tokens"
    content = raw.tokens if tokens else raw.texts
    if content is None:
        return start, end
    rows = compress(_rows(raw), _at_blank_tokens(raw)) if tokens else _rows(raw)
    for i, d, low, high in rows:
        if not 0 <= low < high:
            continue  # a flaw of its own
        if tokens:
            a, b = raw.starts[d] + np.clip((low, high), 0, raw.lengths[d])
            units = content[a:b]
            left = next((k for k, unit in enumerate(units) if unit.strip()), len(units))
            right = next((k for k, unit in enumerate(reversed(units)) if unit.strip()), len(units))
        else:
            text = content[d][low:high]
            left, right = len(text) - len(text.lstrip()), len(text) - len(text.rstrip())
        if left or right:
            start[i], end[i] = low + left, max(high - right, low + left)
    return start, end


def _at_blank_tokens(raw: RawCorpus) -> Bools:
    """Return which segments have a token of nothing but white space at an edge."""
    tokens = raw.tokens or ()
    blanks = {token for token in set(tokens) if not token.strip()}
    if not blanks:
        return np.zeros(len(raw.start), np.bool_)
    blank = np.fromiter(map(blanks.__contains__, tokens), np.bool_, len(tokens))
    first, end = (
        raw.starts[raw.document] + np.clip(at, 0, raw.lengths[raw.document])
        for at in (raw.start, raw.end)
    )
    return (first < end) & (blank.take(first, mode="clip") | blank[end - 1])


def _edge_space(raw: RawCorpus) -> Bools:
    start, end = stripped(raw)
    return (start > raw.start) | (end < raw.end)


def _cuts_word(raw: RawCorpus) -> Bools:
    """Return which segments begin or end inside a word."""
    if raw.offsets != "characters" or raw.texts is None:
        return np.zeros(len(raw.start), np.bool_)

    def inside(text: str, at: int) -> bool:
        return 0 < at < len(text) and text[at - 1 : at + 1].isalnum()

    texts = raw.texts
    cut = [inside(texts[d], low) or inside(texts[d], high) for _, d, low, high in _rows(raw)]
    return np.array(cut, np.bool_)


def _quoted(raw: RawCorpus, segment: int) -> dict[str, str]:
    """Return the text at a segment, and the one that its source gives it, for a message."""
    if raw.quote is None or raw.quote[segment] < 0:
        return {}
    place, start, end = raw.what_stands(segment)
    there = place[start:end] if 0 <= start <= end else ""
    there = there if isinstance(there, str) else " ".join(there)
    return {"there": quote_value(there), "quote": quote_value(raw.quotes[raw.quote[segment]])}


def _misplaced_now_and_then(raw: RawCorpus) -> Bools:
    """Return the segments of annotators of whom at most one in ten is misplaced."""
    if raw.quote is None:
        return np.zeros(len(raw.start), np.bool_)
    annotator, n = raw.annotator_index[raw.annotation], len(raw.annotators)
    checked = np.bincount(annotator[raw.quote != UNKNOWN], minlength=n)
    few = np.bincount(annotator[raw.misplaced], minlength=n) * TOLERATED <= checked
    return np.asarray(few[annotator])


def _rows(raw: RawCorpus) -> Iterator[tuple[int, int, int, int]]:
    """Yield number, document, start and end of each segment."""
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
        repeats,
        ("drop-repeats", "latest"),
        of_annotations=True,
    ),
    "misplaced": Flaw(
        "has {there} in the text, not {quote}",
        lambda raw: raw.misplaced,
        ("relocate-by-text", "drop-misplaced"),
        tolerated=_misplaced_now_and_then,
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
        "without a label needs one", unlabelled_quotes, ("drop-unlabelled",), of_quotes=True
    ),
    "pieces": Flaw(
        "has pieces that overlap or are empty",
        _bad_pieces,
        ("join-pieces",),
        "pieces stand apart",
    ),
    "relation-missing": Flaw(
        "links a segment that is not there",
        _missing,
        ("drop-relations",),
        "a relation links two segments",
        of_relations=True,
    ),
    "relation-across": Flaw(
        "links segments of two documents or annotators",
        _across,
        ("drop-relations",),
        "both are of one annotator in one document",
        of_relations=True,
    ),
    "relation-itself": Flaw(
        "links a segment with itself",
        _to_itself,
        ("drop-relations",),
        "a relation links two segments",
        of_relations=True,
    ),
    "relation-twice": Flaw(
        "stands twice",
        _linked_twice,
        ("drop-relations",),
        "a relation is marked once",
        of_relations=True,
    ),
    "duplicate": Flaw("stands twice", duplicates, ("drop-duplicates",), "a segment is marked once"),
    "same-label-overlap": Flaw(
        "overlaps one of the same label",
        lambda raw: np.isin(np.arange(len(raw.start)), overlaps(raw, same_label=True)[0]),
    ),
    "nested": Flaw("lies inside another", lambda raw: _nested(raw, inside=True)),
    "crossing": Flaw("overlaps another without nesting", lambda raw: _nested(raw, inside=False)),
    "edge-space": Flaw("has white space at an edge", _edge_space),
    "cuts-word": Flaw("begins or ends inside a word", _cuts_word),
    "marked-nothing": Flaw(
        "saw the document and marked nothing",
        _marked_nothing,
        of_annotations=True,
    ),
}
"""What may be wrong or odd in the rows of a source, by name; the errors come first."""
