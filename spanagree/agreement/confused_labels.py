"""Which labels are confused more than chance would.

Where two segments go together and their labels differ, chance is that both labels are drawn by how
often each is used in such pairs of segments: how often they differ at all is not its business. A
pair of labels is confused more than that if documents say so: what each adds to the difference
between the number and what chance gives is one observation of a t-test. So what one document
repeats, or many annotators of one, is no more than one observation.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from spanagree.agreement.paired import Paired
from spanagree.arrays import Floats, Ints, distinct
from spanagree.errors import printable
from spanagree.results.table import Column
from spanagree.uncertainty.permutation import holm

_LEVEL = 0.05


class Cells(NamedTuple):
    """How often two labels stand beside each other in each document; the last one is nothing."""

    document: Ints
    first: Ints
    second: Ints
    often: Ints

    @classmethod
    def of(cls, parts: Iterable[Paired], labels: int, both_ways: bool) -> Cells:
        """Return the cells of segments in pairs, those of a team both ways round."""
        columns = [np.zeros((3, 0), np.int64)]
        for part in parts:
            sides = [np.where(x < 0, labels, x) for x in (part.label_a, part.label_b)]
            columns.append(np.stack((part.document, *sides)))
            if both_ways:
                columns.append(np.stack((part.document, *sides[::-1])))
        (document, first, second), _, count = distinct(*np.concatenate(columns, axis=1))
        return cls(document, first, second, count)


class Confused(NamedTuple):
    """Two labels that were confused.

    Attributes:
        a, b: the label that the first gave, and that of the second; of a team either way round.
        times: how often.
        by_chance: how often chance would, with as many pairs of segments whose labels differ.
        ratio: how many times as often as by chance.
        p: of being confused no more often than by chance; ``nan`` where nothing can tell.
        p_holm: p after Holm's correction for all pairs of labels.
    """

    a: str
    b: str
    times: int
    by_chance: float
    ratio: float
    p: float
    p_holm: float


def confused(labels: Sequence[str], matrix: Ints, cells: Cells, team: bool) -> list[Confused]:
    """Return the pairs of labels that were confused, those first that chance explains least.

    Args:
        labels: by number.
        matrix: how often each two stand beside each other; the last row and column are for nothing.
        cells: what each document adds to it.
        team: whether each pair of segments is there both ways round.
    """
    together = matrix[:-1, :-1]
    by_chance = np.outer(together.sum(axis=1), together.sum(axis=0)).astype(np.float64)
    pairs = (
        np.triu(np.ones(by_chance.shape, bool), 1) if team else ~np.eye(len(by_chance), dtype=bool)
    )
    differing = int(together[pairs].sum())
    i, j = np.nonzero(pairs & (by_chance > 0))
    share = by_chance[i, j] / max(by_chance[i, j].sum(), 1)
    here = (cells.first < len(labels)) & (cells.second < len(labels))
    here[here] = pairs[cells.first[here], cells.second[here]]
    document, first, second, often = (column[here] for column in cells)
    _, place = np.unique(document, return_inverse=True)
    of_document = np.bincount(place, often)
    counts, squares, crossed = np.zeros((3, *by_chance.shape))
    np.add.at(counts, (first, second), often)
    np.add.at(squares, (first, second), often**2)
    np.add.at(crossed, (first, second), often * of_document[place])
    expected = share * differing
    p = _p(
        counts[i, j] - expected,
        squares[i, j] - 2 * share * crossed[i, j] + share**2 * (of_document**2).sum(),
        len(of_document),
    )
    p[share > 1 - 1e-12] = math.nan  # two labels can be confused with each other only
    rows = zip(i.tolist(), j.tolist(), expected.tolist(), p.tolist(), holm(p.tolist()), strict=True)
    confusions = [
        Confused(labels[a], labels[b], times, by_chance, times / by_chance, p, p_holm)
        for a, b, by_chance, p, p_holm in rows
        if (times := int(together[a, b]))
    ]
    return sorted(confusions, key=lambda each: (each.p if each.p == each.p else 2, -each.ratio))


def _p(total: Floats, squares: Floats, documents: int) -> Floats:
    """Return p of t-tests, that a mean is not above 0, from sums of values and of squares."""
    from scipy.special import stdtr  # takes a tenth of a second to import

    if documents < 2:
        return np.full(len(total), math.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = np.maximum(squares - total**2 / documents, 0) / (documents - 1)
        t = np.where(variance > 0, total / np.sqrt(variance * documents), np.nan)
    return np.asarray(stdtr(documents - 1, -t))


def columns_of(a: str, b: str) -> list[Column]:
    """Return the columns of a table of these; ``a`` and ``b`` are whose labels they are."""
    return [
        Column("a", f"label of {a}", "name"),
        Column("b", f"label of {b}" if a != b else "and", "name"),
        Column("times", "times", "count"),
        Column("by_chance", "by chance", "number"),
        Column("ratio", "ratio", "number"),
        Column("p", "p", "probability"),
        Column("p_holm", "Holm", "probability"),
    ]


def sentence_on(pairs: Sequence[Confused]) -> list[str]:
    """Say which labels are confused more than chance would, in a list of one sentence at most."""
    more = [each for each in pairs if each.p_holm < _LEVEL]
    names = ", ".join(f"{printable(each.a)} with {printable(each.b)}" for each in more)
    if not pairs:
        return ["no two labels were confused"]
    return [
        f"confused more than chance would (p below {_LEVEL:g} after Holm's correction):"
        f" {names or 'none'}"
    ]
