"""Segments that cut words, a sign of misplaced offsets."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import compress
from typing import Any

import numpy as np

from spanagree.arrays import Bools
from spanagree.corpus.offsets import TOLERATED, cuts_word
from spanagree.corpus.raw import UNKNOWN, RawCorpus
from spanagree.errors import join_names, pluralize

_LOOKED_AT = 10_000  # number of segments that are checked
_CUT_SHARE, _FEWEST_CUT = 5, 10  # more than one segment in five, and at least ten


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
    texts = [raw.texts[d] for d in raw.document[sampled_rows].tolist()]
    begins_inside, ends_inside = (
        np.array(list(map(_is_in_cased_word, texts, offsets[sampled_rows].tolist())), np.bool_)
        for offsets in (raw.start, raw.end)
    )
    is_cut = begins_inside | ends_inside
    is_counted, names = np.ones(len(sampled_rows), np.bool_), ""
    if not _is_suspicious(int(is_cut.sum()), len(is_cut)):
        # perhaps only files of some annotators are misplaced
        annotator = raw.annotator_index[raw.annotation[sampled_rows]]
        n_by_annotator = np.bincount(annotator, minlength=len(raw.annotators))
        n_cut_by_annotator = np.bincount(annotator[is_cut], minlength=len(raw.annotators))
        has_many = _is_suspicious(n_cut_by_annotator, n_by_annotator)
        is_counted = has_many[annotator]
        names = f" of {join_names(compress(raw.annotators, has_many.tolist()))}"
    n_counted, n_cut = int(is_counted.sum()), int(is_cut[is_counted].sum())
    if not n_counted:
        return
    advice = "the offsets may be those of another text: spanagree check shows the first"
    n_with_cut_begin = int(begins_inside[is_counted].sum())
    if raw.ends is None and (n_counted - n_cut + n_with_cut_begin) * TOLERATED <= n_counted:
        advice = (
            "if ends name the last character, --ends inclusive (ends='inclusive') reads them so"
        )
    sample_note = " looked at" if len(sampled_rows) < len(without_quote) else ""
    yield (
        f"{n_cut} of {pluralize(n_counted, 'segment')}{sample_note}{names} begin or end inside a"
        f" word, and the source has no text of the segments to compare; {advice}"
    )


def _is_suspicious(n_cut: Any, n_segments: Any) -> Any:
    """Check if the share of segments that cut words is too large for morphemes or misspellings.

    Both are numbers, or arrays with a number for each annotator.
    """
    return (n_cut >= _FEWEST_CUT) & (n_cut * _CUT_SHARE > n_segments)


def _is_in_cased_word(text: str, at: int) -> bool:
    """Check if the characters on both sides of an offset are letters with case, or digits."""
    neighbours = text[at - 1 : at + 1] if 0 < at < len(text) else " "
    return " " not in neighbours and all(
        sign.isdigit() or sign != sign.swapcase() for sign in neighbours
    )


def find_cut_words(raw: RawCorpus) -> Bools:
    """Find segments that begin or end inside a word, as a mask."""
    if raw.offsets != "characters" or raw.texts is None:
        return np.zeros(len(raw.start), np.bool_)
    texts = raw.texts
    is_cut = [cuts_word(texts[d], start, end) for _, d, start, end in raw.yield_bounds()]
    return np.array(is_cut, np.bool_)
