"""Agreement in a document that is lower than chance alone would give."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from spanagree.arrays import Ints, Progress, dense_ranks
from spanagree.comparisons.annotation_pairs import AnnotationIndex, compare_pairs
from spanagree.comparisons.chance_distribution.distribution import (
    DistributionOptions,
    compute_distribution,
)
from spanagree.comparisons.counting import MatchCountOptions
from spanagree.comparisons.measures import list_measures
from spanagree.corpus.corpus import Corpus
from spanagree.errors import SettingError, format_setting

_OFTEN = 0.5  # if chance matches are rarer than this, no match is no surprise


def compute_least_likely(
    corpus: Corpus, counting: MatchCountOptions, documents: Ints, progress: Progress = None
) -> Mapping[int, tuple[float, tuple[str, str]]]:
    """Find the pair of annotators in each document whose agreement is least likely by chance.

    The probability is that of a match as low as observed or lower, with both annotations random,
    times the number of pairs (Bonferroni). It is exact. If the expected match is m, no match at all
    has a probability of 1 − m or more (Markov), and is no surprise if m is at most a half. Such
    pairs are skipped, and so are documents with no other pairs.

    Args:
        corpus: annotators as layers.
        counting: measure and chance model.
        documents: indices of the documents to regard.
        progress: callback that receives the number of compared pairs and of all.

    Returns:
        Probability and pair of annotators, by index of the document.

    Raises:
        SettingError: if matches of the measure are not integers.
    """
    match, chance, measure = counting.match, counting.chance, counting.measure
    if not measure.is_whole:
        raise SettingError(
            f"sort unexpected: matches under {match} are not whole numbers; use"
            f" {format_setting('match', *list_measures(lambda other: other.is_whole))}"
        )
    index = AnnotationIndex.from_corpus(corpus)
    is_wanted = np.zeros(len(corpus), np.bool_)
    is_wanted[documents] = True
    pairs_of_annotations = index.pair_annotations(documents=is_wanted)
    n_pairs = np.bincount(index.document[pairs_of_annotations[0]], minlength=len(corpus))
    pairs = compare_pairs(corpus, index, pairs_of_annotations, match, chance, progress).by(
        "document", "first", "second"
    )
    pairs = pairs.where(pairs.expected > _OFTEN)
    rank = dense_ranks(corpus.annotators)  # canonical order: by name
    pairs = pairs.turned(rank[pairs.first] > rank[pairs.second])
    # each pair is a document of its own, with annotators a and b
    segments, details = index.concatenate_segments(corpus), index.concatenate_details(corpus)
    layers = {
        name: index.build_layer(segments, index.find_rows(pairs.document, annotator), details)[0]
        for name, annotator in (("a", pairs.first), ("b", pairs.second))
    }
    texts = Corpus(corpus.lengths[pairs.document], layers, corpus.labels, corpus.offsets)
    distribution = compute_distribution(
        texts, ("a", "b"), None, DistributionOptions(measure, chance)
    )
    least_likely: dict[int, tuple[float, tuple[str, str]]] = {}
    names = corpus.annotators
    columns = (pairs.document, pairs.first, pairs.second, pairs.matched)
    cells = zip(*(column.tolist() for column in columns), strict=True)
    for statistics, (document, a, b, matched) in zip(distribution.documents, cells, strict=True):
        p = sum(q for m, q in statistics.pmf.items() if m < matched + 0.5)
        pair_result = min(1.0, p * int(n_pairs[document])), (names[a], names[b])
        least_likely[document] = min(least_likely.get(document, pair_result), pair_result)
    return least_likely
