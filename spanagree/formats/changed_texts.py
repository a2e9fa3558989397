"""Texts and quotes that a language model changed, aligned to the text that it was given.

What is compared is plain: in lower case, with one blank for white space and one kind of quotation
marks. Words are paired first, by runs of them that both texts have once, then the signs of words
that are left. It takes time in proportion to the text, however much is changed.
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

from spanagree.corpus.offsets import Place

_ALIKE = str.maketrans(dict.fromkeys("‘’‚‛′`´", "'") | dict.fromkeys("“”„‟″«»", '"'))

# where scripts put no blanks between words, each sign is a word
_ALONE = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\U00020000-\U0003ffff"
_LETTERS = re.compile(rf"[^\W{_ALONE}]+")
_WORD = re.compile(rf"[^\W{_ALONE}]+|.", re.DOTALL)
_SPACED = re.compile(rf"(?:[^\W{_ALONE}]+|.) ?", re.DOTALL)

_RUNS = (8, 4, 2, 1)  # so many words, or signs, are looked for together
_WINDOW = 200  # so many words, or signs, are compared each with each
_DEEPEST = 30  # so often what is between two runs is searched for runs again
_P_VALUES = 6  # signs: runs that are shorter two texts may share by chance
_LONG = 1000  # signs: a quote that is longer is aligned as a copy is
_ONE_IN = 5  # of so many signs of a quote one may be changed
_PLACE = 1 << 32  # more than a text has signs
_Run = tuple[int, int, int]  # where it begins in one sequence and in the other, and its length


@lru_cache(maxsize=4)
def plain(text: str) -> tuple[str, list[int]]:
    """Return a text in lower case, with one blank for white space, and where each sign was."""
    signs: list[str] = []
    places: list[int] = []
    for at, sign in enumerate(text.translate(_ALIKE)):
        lower = " " if sign.isspace() else sign.lower()
        if lower == " " and signs[-1:] == [" "]:
            continue
        signs.append(lower if len(lower) == 1 else sign)
        places.append(at)
    return "".join(signs), places


def cuts_word(text: Place, start: int, end: int) -> bool:
    """Return whether a span begins or ends inside a word, in scripts with blanks between words.

    >>> cuts_word("Also Al", 0, 2), cuts_word("Also Al", 5, 7), cuts_word(["Also", "Al"], 0, 1)
    (True, False, False)
    """
    return isinstance(text, str) and any(_in_word(text, at) for at in (start, end))


class Alignment:
    """Which signs of a changed copy are which of the text.

    >>> alignment = Alignment("Sure! Joe sings in 'Rome'", "Jo sang in “Rome”.")
    >>> alignment.carried(6, 9), alignment.carried(19, 25), alignment.carried(0, 4)
    ((0, 2), (11, 17), None)
    """

    def __init__(self, copy: str, text: str) -> None:
        self.copy, self.at_copy = plain(copy)
        self.text, self.at_text = plain(text)
        self.runs: list[_Run] = list(_shared(self.copy, self.text))
        self.begins: list[int] = [begin for begin, _, _ in self.runs]

    @property
    def share(self) -> float:
        """The share of the text that is in the copy, in runs that are too long to be chance."""
        size = len(self.text)
        return sum(n for *_, n in self.runs if n >= min(_P_VALUES, size / 4)) / max(size, 1)

    def carried(self, start: int, end: int, least: float = 0.5) -> tuple[int, int] | None:
        """Return where a span of the copy stands in the text; ``None``: it has no counterpart.

        This share of the longer of the two has to be the same.
        """
        start, end = bisect_left(self.at_copy, start), bisect_left(self.at_copy, end)
        first = max(0, bisect_right(self.begins, start) - 1)
        last = bisect_left(self.begins, end) - 1
        if first <= last and sum(self.runs[first][::2]) <= start:  # it ends before the span
            first += 1
        if first > last:
            return None
        (i, j, _), (i_last, j_last, n_last) = self.runs[first], self.runs[last]
        skipped = max(0, start - i)
        low = j + skipped
        high = j_last + min(n_last, end - i_last)
        same = sum(n for *_, n in self.runs[first : last + 1])
        same -= skipped + max(0, i_last + n_last - end)
        if not skipped:
            before = sum(self.runs[first - 1][1:]) if first else 0
            open_ = self.text[before:low][::-1]
            low -= _more(open_, i - start, _cuts(self.text, low, self.copy, start))
        if i_last + n_last <= end:
            after = self.runs[last + 1][1] if last + 1 < len(self.runs) else len(self.text)
            missing = end - i_last - n_last
            high += _more(self.text[high:after], missing, _cuts(self.text, high, self.copy, end))
        if same < least * max(end - start, high - low):
            return None
        return self.at_text[low], self.at_text[high - 1] + 1


def _more(open_: str, missing: int, cut: bool) -> int:
    """Return how many signs beside a span belong to it, as they are what the copy has changed.

    As many words as signs are ``missing``, up to a blank; and the rest of a word that is ``cut``.
    """
    words = _WORD.findall(open_.partition(" ")[0])
    return sum(map(len, words[: max(missing, cut)]))


def _cuts(text: str, at: int, copy: str, at_copy: int) -> bool:
    """Return whether a place is inside a word of the text, and none of the copy."""
    return _in_word(text, at) and not _in_word(copy, at_copy)


def _in_word(text: str, at: int) -> bool:
    """Return whether letters stand on both sides of a place, the one before it with its marks."""
    if not 0 < at < len(text):
        return False
    base = at - 1
    while base and combining(text[base]):
        base -= 1
    return _LETTERS.fullmatch(text[base] + text[at]) is not None


# --- what two texts share -----------------------------------------------------------------------


def _shared(first: str, second: str) -> Iterator[_Run]:
    """Yield the runs of signs that two texts share, in order, as long as they can be."""
    words = _SPACED.findall(first), _SPACED.findall(second)
    places = [[0, *accumulate(map(len, pieces))] for pieces in words]
    i = j = size = 0
    runs: list[_Run] = []
    for a, b, number in [*sorted(_common(*words)), (len(words[0]), len(words[1]), 0)]:
        low, high = places[0][a], places[1][b]
        left = first[i:low], second[j:high]
        shorter, longer = sorted(map(len, left))
        throughout = longer <= 3 * shorter + 3  # of others the ends alone are compared
        runs += ((i + x, j + y, n) for x, y, n in sorted(_common(*left, throughout=throughout)))
        size = places[0][a + number] - low
        runs.append((low, high, size))
        i, j = low + size, high + size
    begin, begin_other, size = 0, 0, 0
    for i, j, n in runs:
        if (i, j) != (begin + size, begin_other + size):
            if size:
                yield begin, begin_other, size
            begin, begin_other, size = i, j, 0
        size += n
    if size:
        yield begin, begin_other, size


def _common(
    first: Sequence[str], second: Sequence[str], *, throughout: bool = True
) -> Iterator[_Run]:
    """Yield runs that two sequences share, in any order; unless ``throughout``, at their ends."""
    todo = [(0, len(first), 0, len(second), 0)]
    while todo:
        low, high, start, end, depth = todo.pop()
        size = _same(first[low:high], second[start:end])
        if size:
            yield low, start, size
            low, start = low + size, start + size
        size = _same(first[low:high][::-1], second[start:end][::-1])
        if size:
            yield high - size, end - size, size
            high, end = high - size, end - size
        if low == high or start == end or not throughout:
            continue
        here, there = first[low:high], second[start:end]
        anchors = _anchors(here, there) if depth < _DEEPEST else []
        if not anchors:
            yield from ((low + i, start + j, n) for i, j, n in _in_windows(here, there))
            continue
        before = low, start
        for i, j in (*((low + i, start + j) for i, j in anchors), (high, end)):
            todo.append((before[0], i, before[1], j, depth + 1))
            if i < high:
                yield i, j, 1
            before = i + 1, j + 1


def _same(first: Sequence[str], second: Sequence[str]) -> int:
    """Return how many of the first are the same."""
    pairs = enumerate(zip(first, second, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(first), len(second)))


def _anchors(first: Sequence[str], second: Sequence[str]) -> list[tuple[int, int]]:
    """Return where long runs begin that both have once, as many as come in the same order."""
    for length in _RUNS:
        runs = [list(zip(*(s[i:] for i in range(length)), strict=False)) for s in (first, second)]
        numbers = [Counter(of_text) for of_text in runs]
        places = {run: j for j, run in enumerate(runs[1]) if numbers[1][run] == 1}
        pairs = [
            (i, places[run])
            for i, run in enumerate(runs[0])
            if numbers[0][run] == 1 and run in places
        ]
        if pairs:
            return _rising(pairs)
    return []


def _rising(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest part of pairs whose second numbers rise as the first do."""
    ends: list[int] = []  # of the best part of each length, the last number, and where it is
    location: list[int] = []
    before: list[int] = []
    for at, (_, number) in enumerate(pairs):
        length = bisect_left(ends, number)
        before.append(location[length - 1] if length else -1)
        ends[length : length + 1] = [number]
        location[length : length + 1] = [at]
    at, part = location[-1], []
    while at >= 0:
        part.append(pairs[at])
        at = before[at]
    return part[::-1]


def _in_windows(first: Sequence[str], second: Sequence[str]) -> Iterator[_Run]:
    """Yield runs that two sequences share, found in one window after the other."""
    i = j = 0
    while i < len(first) and j < len(second):
        parts = first[i : i + _WINDOW], second[j : j + _WINDOW]
        runs = SequenceMatcher(None, *parts, autojunk=False).get_matching_blocks()[:-1]
        if not runs:
            return
        yield from ((i + a, j + b, n) for a, b, n in runs)
        a, b, n = runs[-1]
        i, j = i + a + n, j + b + n


# --- quotes -------------------------------------------------------------------------------------


def nearest(text: str, quote: str) -> tuple[int, int] | None:
    """Return where a changed quote stands in a text; ``None``: nowhere, or at two places.

    One in five of its signs may be changed, left out or put in.

    >>> nearest("Jo Smith sang, she says.", "Jo Smyth sang"), nearest("Jo sang", "Jo sings")
    ((0, 13), None)
    """
    (there, places), (wanted, _) = plain(text), plain(quote.strip())
    most = len(wanted) // _ONE_IN
    if len(wanted) > _LONG:
        return Alignment(quote, text).carried(0, len(quote), 1 - 1 / _ONE_IN)
    costs = _costs(there, wanted, most) if most and there else None
    if costs is None:
        return None
    ends = np.flatnonzero(costs // _PLACE <= most)
    starts, changed = costs[ends] % _PLACE, costs[ends] // _PLACE
    if not len(ends):
        return None
    best = np.lexsort((ends, starts - ends, changed))[0]  # the fewest changes, then the longest
    low, high = int(starts[best]), int(ends[best])
    if ((starts >= high) | (ends <= low)).any():
        return None
    low, high = _widened(there, low, -1, most), _widened(there, high, 1, most)
    return places[low], places[high - 1] + 1


def _costs(text: str, wanted: str, most: int) -> np.ndarray | None:
    """Return the fewest changes of what ends at each place to be as wanted, with its start.

    A row of the usual table of edit distances is an array; ``None``: all are above ``most``.
    """
    codes = np.array([ord(sign) for sign in text])
    column = np.arange(len(codes) + 1)
    row = column.copy()
    for number, sign in enumerate(wanted, 1):
        replaced = row[:-1] + _PLACE * (codes != ord(sign))
        row[1:] = np.minimum(replaced, row[1:] + _PLACE)
        row[0] = number * _PLACE
        row = np.minimum.accumulate(row - _PLACE * column) + _PLACE * column
        if row.min() // _PLACE > most:
            return None
    return row


def _widened(text: str, at: int, step: int, most: int) -> int:
    """Return the nearest border of a word, if it is so near; else the place itself."""
    ways = (at + step * n for n in range(most + 1))
    return next((place for place in ways if not _in_word(text, place)), at)
