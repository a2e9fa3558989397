"""Whether an annotator agrees less with the others than these do, on the same documents.

If she is no worse than the others, what she marked in a document might as well be what any of those
who saw it marked. So p is how likely her score is as low or lower if in each of her documents it
were that of one of them, drawn at random: a permutation test by document, in which neither how hard
a document is nor how many saw it counts. A document of two says nothing, as both agree alike.

Of an annotator in a document only means over her partners there matter: of what is matched above
chance, u = 2(matched − expected), and of what could be, v = size − 2·expected. Corrected F1 of sums
is Σu / Σv. Her score is Σ(u − C·v) over her documents, C that of all who saw them: it is 0 on
average over the draws, and below 0 where she agrees less.
"""

from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from spanagree.agreement.count import Kept
from spanagree.arrays import Floats, Ints, distinct, ranges
from spanagree.comparisons.annotation_pairs import Crowd
from spanagree.corpus.segments import codes

_WAYS = 1 << 14  # in which annotators can be drawn, up to which all are gone through
_CELLS = 1 << 20  # annotations of documents that are worked on together
_STEPS = 100  # of a search, which ends when nothing changes any more
_TIE = 1e-9  # scores closer than this, for their size, are the same
_NEAR = 0.01  # standard deviations from the mean, where the approximation divides by 0


class Agreeing(NamedTuple):
    """How far each annotation agrees with the others of its document.

    Attributes:
        document, annotator: of each annotation, sorted by both.
        beyond, possible: u and v, means over the others of the document.
    """

    document: Ints
    annotator: Ints
    beyond: Floats
    possible: Floats

    @classmethod
    def of(cls, kept: Kept) -> Agreeing:
        """Return it for the annotations of a corpus that are not alone in their document."""
        crowd, saw = Crowd.of(kept.corpus), kept.coverage.number()
        wide = max(len(kept.corpus.layers), 1)
        shared = saw[crowd.document] > 1
        document, annotator = crowd.document[shared], crowd.annotator[shared]
        both = kept.sums.both_ways().by("document", "first")
        place = np.searchsorted(document * wide + annotator, both.document * wide + both.first)
        sums = np.zeros((2, len(document)))
        sums[0, place] = 2 * (both.matched - both.expected)
        sums[1, place] = both.size_first + both.size_second - 2 * both.expected
        return cls(document, annotator, *(sums / (saw[document] - 1)))

    def over(self, wholes: Ints) -> Agreeing:
        """Return it for wholes of documents; those that other annotators saw are by themselves."""
        documents, first, place = np.unique(self.document, return_index=True, return_inverse=True)
        borders = pairwise([*first.tolist(), len(self.document)])
        who, _ = codes(self.annotator[low:high].tobytes().hex() for low, high in borders)
        _, number, _ = distinct(wholes[documents], who)
        (document, annotator), which, _ = distinct(number[place], self.annotator)
        return Agreeing(
            document, annotator, *(np.bincount(which, x).astype(float) for x in self[2:])
        )


def worse(agreeing: Agreeing, annotators: int) -> Floats:
    """Return p of "no worse than the others" of each annotator; ``nan`` where nothing can tell."""
    document, who = agreeing.document, agreeing.annotator
    _, first, place, size = np.unique(
        document, return_index=True, return_inverse=True, return_counts=True
    )
    means = [(np.bincount(place, x) / size)[place] for x in agreeing[2:]]
    beyond, possible = (x - mean for x, mean in zip(agreeing[2:], means, strict=True))
    up, down = (np.bincount(who, mean, annotators) for mean in means)
    level = np.divide(up, down, out=np.zeros(annotators), where=down > _TIE)
    p = np.full(annotators, np.nan)
    own = np.argsort(who, kind="stable")
    borders = np.searchsorted(who[own], np.arange(annotators + 1))
    cells = np.concatenate([[0], np.cumsum(size[place[own]])])[borders]
    low = 0
    while low < annotators:
        high = max(low + 1, int(np.searchsorted(cells, cells[low] + _CELLS, side="right")) - 1)
        rows = own[borders[low] : borders[high]]
        cell, draw = ranges(first[place[rows]], first[place[rows]] + size[place[rows]])
        at = level[who[rows]]
        scores = beyond[cell] - at[draw] * possible[cell]
        target: Floats = np.zeros(high - low)
        target += np.bincount(who[rows] - low, beyond[rows] - at * possible[rows], high - low)
        p[low:high] = _Draws.of(scores, draw, who[rows] - low).tails(target)
        low = high
    return p


class _Draws(NamedTuple):
    """What the score of each annotator is drawn from, document by document.

    Attributes:
        score: of each who saw a document; those of one document add up to 0.
        first: where the scores of each draw begin.
        size: how many they are.
        whose: of which annotator's score each draw is a part.
    """

    score: Floats
    first: Ints
    size: Ints
    whose: Ints

    @classmethod
    def of(cls, score: Floats, draw: Ints, whose: Ints) -> _Draws:
        """Return those draws that change anything."""
        size = np.bincount(draw, minlength=len(whose))
        reach = np.maximum.reduceat(np.abs(score), np.cumsum(size) - size) if len(size) else size
        most = np.zeros(whose.max(initial=-1) + 1)
        np.maximum.at(most, whose, reach)
        varies = reach > _TIE * np.maximum(most[whose], 1)
        size = size[varies]
        return cls(score[varies[draw]], np.cumsum(size) - size, size, whose[varies])

    def tails(self, target: Floats) -> Floats:
        """Return how likely the sum of draws is at most the target, of each annotator."""
        ways = np.bincount(self.whose, np.log2(self.size), len(target))
        p = self._approximate(target)
        p[ways == 0] = np.nan
        for a in np.flatnonzero((ways > 0) & (ways <= np.log2(_WAYS))).tolist():
            sums = np.zeros(1)
            for d in np.flatnonzero(self.whose == a).tolist():
                part = self.score[self.first[d] : self.first[d] + self.size[d]]
                sums = np.add.outer(sums, part).ravel()
            p[a] = (sums <= target[a] + _TIE).mean()
        return p

    def _tilted(self, slope: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the logarithm of E exp(slope · sum) of each annotator, and two derivatives."""
        each = np.repeat(slope[self.whose], self.size) * self.score
        top = np.maximum.reduceat(each, self.first)
        weight = np.exp(each - np.repeat(top, self.size))
        total, one, two = (
            np.add.reduceat(weight * x, self.first) for x in (1, self.score, self.score**2)
        )
        mean = one / total
        parts = top + np.log(total / self.size), mean, two / total - mean**2
        log, first, second = (np.bincount(self.whose, part, len(slope)) for part in parts)
        return log.astype(float), first.astype(float), second.astype(float)

    def _approximate(self, target: Floats) -> Floats:
        """Return the probabilities by a saddlepoint approximation (Lugannani & Rice 1980)."""
        from scipy.special import ndtr  # takes a tenth of a second to import

        if not len(self.size):
            return np.full(len(target), np.nan)
        sign = np.where(target > 0, -1.0, 1.0)  # the tail of the side on which the target is
        draws = self._replace(score=self.score * np.repeat(sign[self.whose], self.size))
        target = sign * target
        least = np.minimum.reduceat(draws.score, self.first)
        lowest = np.add.reduceat(
            (draws.score <= np.repeat(least, self.size) + _TIE).astype(np.float64), self.first
        )
        floor = np.exp(np.bincount(self.whose, np.log(lowest / self.size), len(target)))
        above = target > np.bincount(self.whose, least, len(target)) + _TIE
        with np.errstate(divide="ignore", invalid="ignore"):
            z = target / np.sqrt(draws._tilted(np.zeros(len(target)))[2])
            within = above & (z < -_NEAR)
            slope = draws._slope(np.where(within, target, 0))
            log, _, second = draws._tilted(slope)
            w, u = -np.sqrt(2 * (slope * target - log)), slope * np.sqrt(second)
            p = ndtr(w) + np.exp(-(w**2) / 2) / np.sqrt(2 * np.pi) * (1 / w - 1 / u)
        p = np.where(within, p, np.where(above, ndtr(z), floor))
        p = np.clip(p, floor, 1)
        return np.asarray(np.where(sign < 0, 1 - p, p))

    def _slope(self, target: Floats) -> Floats:
        """Return the slope at which each annotator's sum has the target, at most 0, as its mean."""
        slope, low, high = (np.full(len(target), x) for x in (0.0, -np.inf, 0.0))
        for _ in range(_STEPS):
            _, first, second = self._tilted(slope)
            over = first > target
            low, high = np.where(over, low, slope), np.where(over, slope, high)
            new = slope - (first - target) / second
            middle = np.where(np.isinf(low), 2 * slope - 1, (low + high) / 2)
            new = np.where((new > low) & (new < high), new, middle)
            new = np.where(target < 0, new, 0)
            if (np.abs(new - slope) <= _TIE * np.abs(slope)).all():
                break
            slope = new
        return slope
