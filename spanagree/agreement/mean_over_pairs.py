"""The interval of the mean over pairs: all pairs on the same resampled documents.

A document adds to the few pairs that saw it, and most pairs of a large crowd share one document
or two. So a leave-one-out recomputes the pairs of that document alone, and a pair that has marked
something in one document only has the same figures however often it is drawn.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from spanagree.arrays import Floats, Ints, unique
from spanagree.results.score import Interval, f1_figures
from spanagree.uncertainty.bootstrap import ResampledFigures, Resampling, Sample
from spanagree.uncertainty.evidence import evidence_of

_TIMES = 64  # numbers that are worked on at a time, for each sum in a resample


def interval_of_mean(sample: Sample, resampling: Resampling, wide: int) -> Interval:
    """Return the interval of the mean of F1 over pairs.

    Args:
        sample: documents, and what each adds to matched, expected and size of each pair, three
            columns after the other; or four, with the expected size.
        resampling: how.
        wide: how many columns each pair has.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        mean = _Mean.of(sample, wide)
        drawn = [] if resampling.interval == "jackknife" else mean.resampled(resampling)
        figures = np.concatenate([np.empty((0, 3)), *drawn])
        made = ResampledFigures(mean.estimate, figures, mean.left_out(), sample.times)
        return made.intervals(resampling, mean.evidence())[0]


def _defined(figures: Floats) -> Floats:
    """Return figures with 0 for those that are undefined, and which are not; (…, 3) to (…, 6)."""
    known = ~np.isnan(figures)
    return np.concatenate((np.where(known, figures, 0), known), axis=-1)


def _mean(sums: Floats) -> Floats:
    """Return means from sums of what :func:`_defined` gives; (…, 6) to (…, 3)."""
    means: Floats = sums[..., :3] / sums[..., 3:]
    return means


@dataclass(frozen=True)
class _Mean:
    """What is there of a sample: an entry for each document and pair that has marked something.

    Attributes:
        sample: the documents.
        row: the number of the document, of each entry.
        pair: the number of the pair, of each entry.
        sums: what it adds to matched, expected and size; (entries, 3).
        total: of each pair; (pairs, 3).
    """

    sample: Sample
    row: Ints
    pair: Ints
    sums: Floats
    total: Floats

    @classmethod
    def of(cls, sample: Sample, wide: int) -> _Mean:
        """Return the entries of a sample; every one has a size."""
        rows = sample.rows
        row, column = rows[:, 2::wide].nonzero()
        columns = [np.asarray(rows[row, wide * column + k]).ravel() for k in range(wide)]
        return cls(sample, row, column, np.stack(columns, 1), sample.total.reshape(-1, wide))

    @property
    def estimate(self) -> Floats:
        """The figures themselves; (3,)."""
        return _mean(_defined(f1_figures(self.total)).sum(axis=0))

    def _by_row(self, values: Floats) -> Floats:
        """Return the sums over the entries of each document; (documents, 6)."""
        count = len(self.sample.times)
        sums = [np.bincount(self.row, column, count) for column in values.T]
        return np.stack(sums, axis=1).astype(np.float64)  # of nothing, NumPy makes whole numbers

    def left_out(self) -> Floats:
        """Return the figures without a document; (documents, 3)."""
        before = self.total[self.pair]
        change = _defined(f1_figures(before - self.sums)) - _defined(f1_figures(before))
        return _mean(_defined(f1_figures(self.total)).sum(axis=0) + self._by_row(change))

    def evidence(self) -> Ints:
        """Return what the mean rests on; (1, 3)."""
        table = self._by_row(_defined(f1_figures(self.sums)))
        return evidence_of(table, _mean, self.sample.times)

    def resampled(self, resampling: Resampling) -> Iterator[Floats]:
        """Yield the figures in some resamples; (some, 3)."""
        alone = np.bincount(self.pair, minlength=len(self.total)) == 1
        once = _defined(f1_figures(self.sums)) * alone[self.pair, None]
        single = self._by_row(once)
        wide = self.total.shape[1]
        several = unique(self.pair[~alone[self.pair]])
        table = self.sample.rows[:, (wide * several[:, None] + np.arange(wide)).ravel()]
        for drawn in self.sample.weights(resampling, _TIMES * max(table.shape)):
            sums = np.asarray(drawn @ table).reshape(len(drawn), -1, wide)
            figures = _defined(f1_figures(sums)).sum(axis=1)
            yield _mean((drawn > 0) @ single + figures)
