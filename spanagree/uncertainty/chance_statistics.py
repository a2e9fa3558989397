"""Tests of the match of two annotators against chance.

With M the number of matches under chance and m the observed one,

    z = (m − E M) / sd M,   p = P(M ≥ m),

for each document and for all documents together. F1 is 2 m / n, with n the number of segments of
both annotators, so the standard deviation of the expected F1 is 2 sd M / n. The p of documents are
corrected by Benjamini and Hochberg's procedure.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from spanagree.arrays import Progress
from spanagree.comparisons.counting import MatchCountOptions
from spanagree.comparisons.tally import Tally
from spanagree.corpus.corpus import Corpus
from spanagree.errors import format_percent, pluralize
from spanagree.results.cells import Value
from spanagree.results.frame import Column
from spanagree.results.score import UNDEFINED

if TYPE_CHECKING:
    from spanagree.comparisons.chance_distribution.distribution import (
        MatchDistribution,
    )  # few commands need chance

HIGH = 0.95
"""Probability of the quantile of chance's F1 that tables show."""

LEVEL = 0.05
"""Largest p, after Benjamini and Hochberg's correction, of a document with an unexpected match."""


class ChanceStatistics(NamedTuple):
    """Test of the match of two annotators against chance, in one document or in all.

    Attributes:
        sd: standard deviation of the expected F1, with both annotations random.
        high: 95 % quantile of F1 under chance.
        z: difference of the match and its expectation, in standard deviations.
        p: probability of at least this match by chance.
        log10_p: decimal logarithm of p.
        least_p: smallest p that a match could have in this document.
        p_bh: p after Benjamini and Hochberg's correction for all documents; undefined for
            all documents together.
    """

    sd: float
    high: float
    z: float
    p: float
    log10_p: float
    least_p: float = UNDEFINED
    p_bh: float = UNDEFINED

    def list_values(self) -> list[Value]:
        """List the figures in the order of `COLUMNS`."""
        return [self.sd, self.high, self.z, self.p, self.p_bh]


COLUMNS = (
    Column("f1_expected_sd", "sd", meaning="sd of chance F1", spare=True),
    Column("f1_95", "95 %", meaning="95 % point of chance", spare=True),
    Column("z", "z", "z", "z of a document", spare=True),
    Column("p", "p", "probability", "p of a document"),
    Column("p_bh", "B-H", "probability"),
)
"""Columns of a table, filled by :meth:`ChanceStatistics.list_values`."""

WHOLE = 4
"""Number of these columns that are defined for all documents together."""


@dataclass(frozen=True)
class PairChance:
    """Distributions of the match of two annotators under chance.

    Attributes:
        tested: distribution for z and p, with gold fixed or both annotations random.
        both: distribution for the expected F1, with both annotations random.
    """

    tested: MatchDistribution
    both: MatchDistribution

    def compute_for_documents(self, tallies: dict[int, Tally]) -> dict[int, ChanceStatistics]:
        """Compute the statistics of each document, with p corrected for their number.

        Args:
            tallies: observed matches by the index of the document.
        """
        from spanagree.uncertainty.permutation import benjamini_hochberg

        statistics = {
            document_index: _compute_statistics(
                self.tested.documents[document_index], self.both.documents[document_index], tally
            )
            for document_index, tally in tallies.items()
        }
        # a document with the same match in every draw is no test
        varying_documents = [
            document_index
            for document_index in statistics
            if self.tested.documents[document_index].variance
        ]
        adjusted_p = benjamini_hochberg(
            [statistics[document_index].p for document_index in varying_documents]
        )
        return statistics | {
            document_index: statistics[document_index]._replace(p_bh=p_bh)
            for document_index, p_bh in zip(varying_documents, adjusted_p, strict=True)
        }

    def compute_for_all(self, tally: Tally) -> ChanceStatistics:
        """Compute the statistics over all documents."""
        return _compute_statistics(self.tested, self.both, tally)


def compute_chance_of_pairs(
    corpus: Corpus,
    pairs: Sequence[tuple[str, str]],
    counting: MatchCountOptions,
    gold: str | None = None,
    progress: Progress = None,
) -> list[PairChance]:
    """Compute the distributions of the match of pairs of annotators under chance.

    Args:
        corpus: segments of all annotators.
        pairs: names of the two annotators of each pair.
        counting: measure and chance model.
        gold: name of the annotator with fixed segments in z and p. Default: both are random.
        progress: callback that receives the number of finished pairs and of all pairs.
    """
    from spanagree.comparisons.chance_distribution.distribution import (
        DistributionOptions,
        compute_distribution,
    )

    counting.chance.check_defined("p_values")
    corpus.check_segments("p_values")
    report_progress = progress or (lambda n_done, total: None)
    options = DistributionOptions(counting.measure, counting.chance, seed=counting.chance.seed)
    pair_chances = []
    for n_done, pair in enumerate(pairs):
        report_progress(n_done, len(pairs))
        both_random = compute_distribution(corpus, pair, None, options)
        tested = both_random if gold is None else compute_distribution(corpus, pair, gold, options)
        pair_chances.append(PairChance(tested, both_random))
    report_progress(len(pairs), len(pairs))
    return pair_chances


def _compute_statistics(
    tested: MatchDistribution, both_random: MatchDistribution, tally: Tally
) -> ChanceStatistics:
    """Compute the statistics of one match from its two distributions under chance.

    Args:
        tested: distribution for z and p.
        both_random: distribution with both annotations random, for the expected F1.
        tally: observed match, and sizes.
    """
    n_segments = tally.size
    sd = 2 * both_random.sd / n_segments if n_segments else UNDEFINED
    if tested.probabilities is None:
        return ChanceStatistics(sd, UNDEFINED, tested.z(tally.matched), UNDEFINED, UNDEFINED)
    p = tested.tail(tally.matched)
    log10_p = tested.log10_tail(tally.matched) if p < LEVEL else math.log10(p)
    high = 2 * tested.quantile(HIGH) / n_segments if n_segments else UNDEFINED
    least_p = tested.least_p if len(tested.drawn) else float(tested.probabilities[-1])
    return ChanceStatistics(sd, high, tested.z(tally.matched), p, log10_p, least_p)


def write_chance_note(figures: list[ChanceStatistics], documents: str, correction: str) -> str:
    """Write the note on documents whose match chance alone may explain; empty without any.

    The note also counts the documents in which even the largest match would not be significant.

    Args:
        figures: statistics of each document.
        documents: noun for one document, and its owner if there are several: "document of pairs".
        correction: name of the correction for many tests.
    """
    varying = [figure for figure in figures if not math.isnan(figure.p_bh)]
    if not varying:
        return ""
    expected_by_chance = [figure for figure in varying if figure.p_bh > LEVEL]
    n_powerless = sum(figure.least_p > LEVEL for figure in expected_by_chance)
    noun, _, owner = documents.partition(" ")
    varying_phrase = (
        f"{pluralize(len(varying), noun)}{' ' * bool(owner)}{owner} in which chance can vary"
    )
    n_expected = len(expected_by_chance)
    test = f"{correction}, {format_percent(LEVEL)}"
    note = f"{n_expected} of {varying_phrase} cannot be told from chance ({test})"
    return f"{note}; {n_powerless} of these could not with any match" if n_powerless else note
