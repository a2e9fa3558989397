"""Clusters of documents in an evaluation, which intervals and tests leave out one at a time."""

from __future__ import annotations

from spanagree.comparisons.table import Comparisons
from spanagree.corpus.corpus import Corpus
from spanagree.systems.count import EvaluationSettings, SystemsByDocument
from spanagree.systems.system_rows import compare_with_gold
from spanagree.uncertainty.confidence import Jackknife


def clustered(
    per_document: SystemsByDocument, jackknife: Jackknife, settings: EvaluationSettings
) -> SystemsByDocument:
    """Return the clusters: documents, wholes of them, or texts they were joined of.

    Raises:
        SettingError: if it is not known what sentences belong to, or texts were not joined.
    """
    if not jackknife.by_text(settings):
        return per_document._replace(
            parent_ids=jackknife.wholes_of(per_document.parent_ids, settings)
        )
    from spanagree.comparisons.joined_texts import by_text  # few texts are joined

    counting, corpus = per_document.counting, per_document.corpus

    def compare(texts: Corpus) -> Comparisons:
        counting.check(texts)
        return compare_with_gold(texts, settings.gold, counting).comparisons

    joined = None if corpus is None or corpus.text_ends is None else corpus
    comparisons, document = by_text(per_document.comparisons, joined, compare)
    shared = {number: both[document] for number, both in per_document.shared.items()}
    return SystemsByDocument(comparisons, shared, per_document.ids, counting)
