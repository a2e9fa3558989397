"""Corpus and caption for analyses of single segments of an evaluation."""

from __future__ import annotations

from collections.abc import Sized

from spanagree.corpus.corpus import Corpus
from spanagree.errors import SettingError, escape_name, pluralize
from spanagree.settings import Settings, document_noun
from spanagree.systems.result import Evaluation, check_evaluation


def require_corpus(evaluation: Evaluation, purpose: str) -> Corpus:
    """Return the corpus of an evaluation for an analysis of its single segments.

    Args:
        evaluation: evaluation of systems against gold.
        purpose: name of the analysis, for messages.

    Raises:
        SettingError: if it is no evaluation, or one without segments: of rows or of relations.
    """
    check_evaluation(evaluation, purpose)
    corpus = evaluation.counted.per_document.corpus
    if corpus is None or corpus.of_rows or corpus.of_relations:
        raise SettingError(
            f"{purpose} are of segments, and these are rows or relations; evaluate a corpus"
            " with its segments"
        )
    return corpus


def write_caption(subject: str, systems: Sized, n_documents: int, settings: Settings) -> str:
    """Write the caption of a table of systems."""
    n_systems, gold = pluralize(len(systems), "system"), escape_name(settings["gold"])
    return (
        f"{subject} {n_systems} against {gold}, {pluralize(n_documents, document_noun(settings))}"
    )
