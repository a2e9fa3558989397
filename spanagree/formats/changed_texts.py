"""Alignment of texts and quotes that a language model changed with the original text.

Texts are compared in lower case, with one blank for white space and one kind of quotation marks.
The *copy* is the changed text. A *run* is a passage that both texts share: its start in the first
text, its start in the second, and its length. First words are paired, by runs of words that occur
once in both texts; then the characters of words without a counterpart. Runtime is proportional to
the length of the text, even if much changed.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import accumulate
from unicodedata import combining

import numpy as np

from spanagree.corpus.quoted_texts import Place

_QUOTATION_MARKS = str.maketrans(dict.fromkeys("‘’‚‛′`´", "'") | dict.fromkeys("“”„‟″«»", '"'))

# each character is a word in scripts without blanks between words
_SINGLE_CHARACTERS = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff"
)
_LETTERS = re.compile(rf"[^\W{_SINGLE_CHARACTERS}]+")
_WORD = re.compile(rf"[^\W{_SINGLE_CHARACTERS}]+|.", re.DOTALL)
_SPACED = re.compile(rf"(?:[^\W{_SINGLE_CHARACTERS}]+|.) ?", re.DOTALL)

_RUN_LENGTHS = (8, 4, 2, 1)  # lengths of the runs of words or characters to look for
_WINDOW = 200  # number of words or characters that are compared each with each
_MAX_DEPTH = 30  # largest depth of recursion between two runs
_MIN_RUN = 6  # characters: two texts may share shorter runs by chance
_MAX_QUOTE = 1000  # characters: longer quotes are aligned like copies
_CHARACTERS_PER_CHANGE = 5  # number of characters of a quote per change
_CHANGE_UNIT = 1 << 32  # larger than any length of a text
_Run = tuple[int, int, int]  # start in each of two sequences, length


@lru_cache(maxsize=4)
def fold_text(text: str) -> tuple[str, list[int]]:
    """Convert a text to lower case, with one blank for white space.

    The result also has the original position of each character.
    """
    characters: list[str] = []
    positions: list[int] = []
    for position, character in enumerate(text.translate(_QUOTATION_MARKS)):
        lower = " " if character.isspace() else character.lower()
        if lower == " " and characters[-1:] == [" "]:
            continue
        characters.append(lower if len(lower) == 1 else character)
        positions.append(position)
    return "".join(characters), positions


def cuts_word(text: Place, start: int, end: int) -> bool:
    """Check whether a span begins or ends inside a word, in scripts with blanks between words.

    >>> cuts_word("Also Al", 0, 2), cuts_word("Also Al", 5, 7), cuts_word(["Also", "Al"], 0, 1)
    (True, False, False)
    """
    return isinstance(text, str) and any(_is_in_word(text, position) for position in (start, end))


class Alignment:
    """Alignment of a changed copy with the text.

    >>> alignment = Alignment("Sure! Joe sings in 'Rome'", "Jo sang in “Rome”.")
    >>> alignment.find_span(6, 9), alignment.find_span(19, 25), alignment.find_span(0, 4)
    ((0, 2), (11, 17), None)
    """

    def __init__(self, copy: str, text: str) -> None:
        self.copy, self.copy_positions = fold_text(copy)
        self.text, self.text_positions = fold_text(text)
        self.runs: list[_Run] = list(_yield_shared_runs(self.copy, self.text))
        self.run_starts: list[int] = [start for start, _, _ in self.runs]

    @property
    def share(self) -> float:
        """Share of the text that is in the copy, in runs that are too long for chance."""
        size = len(self.text)
        return sum(length for *_, length in self.runs if length >= min(_MIN_RUN, size / 4)) / max(
            size, 1
        )

    def find_span(self, start: int, end: int, min_share: float = 0.5) -> tuple[int, int] | None:
        """Find the span of the text that corresponds to a span of the copy.

        Args:
            start: start in the copy.
            end: end in the copy.
            min_share: smallest share of equal characters in the longer of the two spans.

        Returns:
            Start and end in the text; ``None`` without a counterpart.
        """
        start, end = bisect_left(self.copy_positions, start), bisect_left(self.copy_positions, end)
        first_run = max(0, bisect_right(self.run_starts, start) - 1)
        last_run = bisect_left(self.run_starts, end) - 1
        if first_run <= last_run and sum(self.runs[first_run][::2]) <= start:
            first_run += 1  # the run ends before the span
        if first_run > last_run:
            return None
        (copy_start, text_start, _), (last_copy_start, last_text_start, last_length) = (
            self.runs[first_run],
            self.runs[last_run],
        )
        n_skipped = max(0, start - copy_start)
        text_low = text_start + n_skipped
        text_high = last_text_start + min(last_length, end - last_copy_start)
        n_equal = sum(run_length for *_, run_length in self.runs[first_run : last_run + 1])
        n_equal -= n_skipped + max(0, last_copy_start + last_length - end)
        if not n_skipped:
            gap_start = sum(self.runs[first_run - 1][1:]) if first_run else 0
            gap = self.text[gap_start:text_low][::-1]
            text_low -= _count_extension(
                gap,
                copy_start - start,
                _is_inside_word_of_text_only(self.text, text_low, self.copy, start),
            )
        if last_copy_start + last_length <= end:
            gap_end = (
                self.runs[last_run + 1][1] if last_run + 1 < len(self.runs) else len(self.text)
            )
            n_missing = end - last_copy_start - last_length
            text_high += _count_extension(
                self.text[text_high:gap_end],
                n_missing,
                _is_inside_word_of_text_only(self.text, text_high, self.copy, end),
            )
        if n_equal < min_share * max(end - start, text_high - text_low):
            return None
        return self.text_positions[text_low], self.text_positions[text_high - 1] + 1


def _count_extension(gap: str, n_missing: int, splits_word: bool) -> int:
    """Count the characters next to a span that belong to it, as changes of the copy.

    Args:
        gap: text next to the span, without a counterpart.
        n_missing: number of characters of the copy without a counterpart; as many words are added,
            up to a blank.
        splits_word: True to add at least the rest of the word.
    """
    words = _WORD.findall(gap.partition(" ")[0])
    return sum(map(len, words[: max(n_missing, splits_word)]))


def _is_inside_word_of_text_only(text: str, position: int, copy: str, copy_position: int) -> bool:
    """Check whether a position is inside a word of the text, but not of the copy."""
    return _is_in_word(text, position) and not _is_in_word(copy, copy_position)


def _is_in_word(text: str, position: int) -> bool:
    """Check whether letters are before and after a position; accents before it are skipped."""
    if not 0 < position < len(text):
        return False
    letter = position - 1
    while letter and combining(text[letter]):
        letter -= 1
    return _LETTERS.fullmatch(text[letter] + text[position]) is not None


# --- runs that two texts share -------------------------------------------------------------------


def _yield_shared_runs(first: str, second: str) -> Iterator[_Run]:
    """Yield the runs of characters that two texts share, in order and as long as possible."""
    word_lists = _SPACED.findall(first), _SPACED.findall(second)
    word_starts = [[0, *accumulate(map(len, words))] for words in word_lists]
    first_end = second_end = length = 0
    runs: list[_Run] = []
    for first_word, second_word, n_words in [
        *sorted(_yield_common_runs(*word_lists)),
        (len(word_lists[0]), len(word_lists[1]), 0),
    ]:
        first_start, second_low = word_starts[0][first_word], word_starts[1][second_word]
        gaps = first[first_end:first_start], second[second_end:second_low]
        shorter, longer = sorted(map(len, gaps))
        is_similar = longer <= 3 * shorter + 3  # of dissimilar gaps only the ends are compared
        runs += (
            (first_end + gap_i, second_end + gap_j, n_equal)
            for gap_i, gap_j, n_equal in sorted(_yield_common_runs(*gaps, is_similar=is_similar))
        )
        length = word_starts[0][first_word + n_words] - first_start
        runs.append((first_start, second_low, length))
        first_end, second_end = first_start + length, second_low + length
    start, second_start, length = 0, 0, 0
    for first_end, second_end, n_equal in runs:
        if (first_end, second_end) != (start + length, second_start + length):
            if length:
                yield start, second_start, length
            start, second_start, length = first_end, second_end, 0
        length += n_equal
    if length:
        yield start, second_start, length


def _yield_common_runs(
    first: Sequence[str], second: Sequence[str], *, is_similar: bool = True
) -> Iterator[_Run]:
    """Yield runs that two sequences share, in any order.

    Args:
        first: words or characters of one text.
        second: words or characters of the other text.
        is_similar: False to compare only the ends.
    """
    stack = [(0, len(first), 0, len(second), 0)]
    while stack:
        first_start, first_end, second_start, second_end, depth = stack.pop()
        length = _count_common_prefix(first[first_start:first_end], second[second_start:second_end])
        if length:
            yield first_start, second_start, length
            first_start, second_start = first_start + length, second_start + length
        length = _count_common_prefix(
            first[first_start:first_end][::-1], second[second_start:second_end][::-1]
        )
        if length:
            yield first_end - length, second_end - length, length
            first_end, second_end = first_end - length, second_end - length
        if first_start == first_end or second_start == second_end or not is_similar:
            continue
        first_gap, second_gap = first[first_start:first_end], second[second_start:second_end]
        anchors = _find_unique_run_starts(first_gap, second_gap) if depth < _MAX_DEPTH else []
        if not anchors:
            yield from (
                (first_start + i, second_start + j, n_equal)
                for i, j, n_equal in _yield_runs_by_window(first_gap, second_gap)
            )
            continue
        previous = first_start, second_start
        for i, j in (
            *((first_start + i, second_start + j) for i, j in anchors),
            (first_end, second_end),
        ):
            stack.append((previous[0], i, previous[1], j, depth + 1))
            if i < first_end:
                yield i, j, 1
            previous = i + 1, j + 1


def _count_common_prefix(first: Sequence[str], second: Sequence[str]) -> int:
    """Count the equal elements at the start of two sequences."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(first), len(second)))


def _find_unique_run_starts(first: Sequence[str], second: Sequence[str]) -> list[tuple[int, int]]:
    """Find the starts of long runs that occur once in each text, and in the same order.

    Starts are pairs of indices in both texts.
    """
    for length in _RUN_LENGTHS:
        runs = [
            list(zip(*(sequence[i:] for i in range(length)), strict=False))
            for sequence in (first, second)
        ]
        counts = [Counter(text_runs) for text_runs in runs]
        second_by_run = {run: j for j, run in enumerate(runs[1]) if counts[1][run] == 1}
        pairs = [
            (i, second_by_run[run])
            for i, run in enumerate(runs[0])
            if counts[0][run] == 1 and run in second_by_run
        ]
        if pairs:
            return _find_longest_increasing(pairs)
    return []


def _find_longest_increasing(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Find the longest subsequence of pairs with increasing second elements."""
    ends: list[int] = []  # last element of the best subsequence per length
    last_index: list[int] = []
    previous: list[int] = []
    for index, (_, second) in enumerate(pairs):
        length = bisect_left(ends, second)
        previous.append(last_index[length - 1] if length else -1)
        ends[length : length + 1] = [second]
        last_index[length : length + 1] = [index]
    index, increasing = last_index[-1], []
    while index >= 0:
        increasing.append(pairs[index])
        index = previous[index]
    return increasing[::-1]


def _yield_runs_by_window(first: Sequence[str], second: Sequence[str]) -> Iterator[_Run]:
    """Yield runs that two sequences share, found in one window after the other."""
    i = j = 0
    while i < len(first) and j < len(second):
        windows = first[i : i + _WINDOW], second[j : j + _WINDOW]
        runs = SequenceMatcher(None, *windows, autojunk=False).get_matching_blocks()[:-1]
        if not runs:
            return
        yield from ((i + a, j + b, length) for a, b, length in runs)
        a, b, length = runs[-1]
        i, j = i + a + length, j + b + length


# --- quotes -------------------------------------------------------------------------------------


def find_changed_quote(text: str, quote: str) -> tuple[int, int] | None:
    """Find a changed quote in a text; ``None`` if it is missing, or occurs at two positions.

    One of five characters may be changed, left out or inserted.

    >>> find_changed_quote("Jo Smith sang, she says.", "Jo Smyth sang")
    (0, 13)
    >>> find_changed_quote("Jo sang", "Jo sings") is None
    True
    """
    (plain_text, positions), (plain_quote, _) = fold_text(text), fold_text(quote.strip())
    max_changes = len(plain_quote) // _CHARACTERS_PER_CHANGE
    if len(plain_quote) > _MAX_QUOTE:
        return Alignment(quote, text).find_span(0, len(quote), 1 - 1 / _CHARACTERS_PER_CHANGE)
    costs = (
        _compute_edit_costs(plain_text, plain_quote, max_changes)
        if max_changes and plain_text
        else None
    )
    if costs is None:
        return None
    ends = np.flatnonzero(costs // _CHANGE_UNIT <= max_changes)
    starts, n_changes = costs[ends] % _CHANGE_UNIT, costs[ends] // _CHANGE_UNIT
    if not len(ends):
        return None
    best = np.lexsort((ends, starts - ends, n_changes))[0]  # fewest changes, then longest span
    start, end = int(starts[best]), int(ends[best])
    if ((starts >= end) | (ends <= start)).any():
        return None
    start, end = (
        _find_word_border(plain_text, start, -1, max_changes),
        _find_word_border(plain_text, end, 1, max_changes),
    )
    return positions[start], positions[end - 1] + 1


def _compute_edit_costs(text: str, quote: str, max_changes: int) -> np.ndarray | None:
    """Compute the lowest cost of an approximate match of a quote, by end position of the match.

    A cost is the number of changed characters times ``_CHANGE_UNIT``, plus the start position of
    the match.

    Returns:
        Costs, (characters of the text + 1,); ``None`` if every match needs more changes than
        ``max_changes``.
    """
    code_points = np.array([ord(character) for character in text])
    positions = np.arange(len(code_points) + 1)
    costs = positions.copy()
    for n_quoted, character in enumerate(quote, 1):
        replaced = costs[:-1] + _CHANGE_UNIT * (code_points != ord(character))
        costs[1:] = np.minimum(replaced, costs[1:] + _CHANGE_UNIT)
        costs[0] = n_quoted * _CHANGE_UNIT
        costs = np.minimum.accumulate(costs - _CHANGE_UNIT * positions) + _CHANGE_UNIT * positions
        if costs.min() // _CHANGE_UNIT > max_changes:
            return None
    return costs


def _find_word_border(text: str, position: int, step: int, max_distance: int) -> int:
    """Find the nearest word border within a distance; otherwise return the position itself."""
    candidates = (position + step * distance for distance in range(max_distance + 1))
    return next(
        (candidate for candidate in candidates if not _is_in_word(text, candidate)), position
    )
