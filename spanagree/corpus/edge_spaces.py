"""White space at the edges of segments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import takewhile

from spanagree.arrays import Bools, Ints
from spanagree.corpus.raw import RawCorpus


def find_edge_spaces(raw: RawCorpus) -> Bools:
    """Find segments with white space at an edge, as a mask."""
    start, end = strip_edges(raw)
    return (start > raw.start) | (end < raw.end)


def strip_edges(raw: RawCorpus) -> tuple[Ints, Ints]:
    """Compute the start and end of each segment without white space at either end."""
    start, end = raw.start.copy(), raw.end.copy()
    tokens, texts = raw.tokens, raw.texts
    if (tokens if raw.offsets == "tokens" else texts) is None:
        return start, end
    if raw.offsets == "tokens" and all(token.strip() for token in set(tokens or ())):
        return start, end
    for i, d, low, high in raw.yield_bounds():
        if not 0 <= low < high:
            continue  # another flaw
        content: Sequence[str]
        if raw.offsets == "tokens":
            first = int(raw.starts[d])
            content = (tokens or ())[first + low : first + min(high, int(raw.lengths[d]))]
        else:
            content = (texts or ())[d][low:high]
        n_left, n_right = _count_blanks(content), _count_blanks(reversed(content))
        if n_left or n_right:
            start[i], end[i] = low + n_left, max(high - n_right, low + n_left)
    return start, end


def _count_blanks(units: Iterable[str]) -> int:
    """Count the tokens or characters of white space before the first other one."""
    return sum(1 for _ in takewhile(lambda unit: not unit.strip(), units))
