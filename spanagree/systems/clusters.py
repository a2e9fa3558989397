"""Clusters of documents in an evaluation; intervals and tests leave out one cluster at a time."""

from __future__ import annotations

from spanagree.comparisons.table import Comparisons
from spanagree.corpus.corpus import Corpus
from spanagree.systems.count import EvaluationSettings, SystemsByDocument
from spanagree.systems.system_rows import compare_with_gold
from spanagree.uncertainty.confidence import Jackknife


def count_clusters(
    per_document: SystemsByDocument, jackknife: Jackknife, settings: EvaluationSettings
) -> SystemsByDocument:
    """Sum the counts of the documents in each cluster.

    A cluster is a document, the parent document of sentences, or one of the texts that were joined
    into a document.

    Args:
        per_document: counts of single documents.
        jackknife: options of intervals, with the kind of clusters.
        settings: settings of the evaluation.

    Raises:
        SettingError: if parents of sentences are unknown, or texts were not joined.
    """
    if not jackknife.by_text(settings):
        return per_document._replace(
            parent_ids=jackknife.wholes_of(per_document.parent_ids, settings)
        )
    from spanagree.comparisons.joined_texts import distribute_over_texts  # texts are rarely joined

    counting, corpus = per_document.counting, per_document.corpus

    def compare(texts: Corpus) -> Comparisons:
        counting.check(texts)
        return compare_with_gold(texts, settings.gold, counting).comparisons

    joined_corpus = None if corpus is None or corpus.text_ends is None else corpus
    comparisons, document_of_text = distribute_over_texts(
        per_document.comparisons, joined_corpus, compare
    )
    shared = {
        system_index: seen_by_both[document_of_text]
        for system_index, seen_by_both in per_document.shared.items()
    }
    return SystemsByDocument(comparisons, shared, per_document.ids, counting)
