"""What analyses of single segments of an evaluation share: its corpus, and their caption."""

from __future__ import annotations

from collections.abc import Sized

from spanagree.corpus.corpus import Corpus
from spanagree.errors import SettingError, escape_name, pluralize
from spanagree.settings import Settings, document_noun
from spanagree.systems.result import Evaluation, check_evaluation


def corpus_of_segments(evaluation: Evaluation, what: str) -> Corpus:
    """Return the corpus of an evaluation, whose segments are looked at one by one.

    Raises:
        SettingError: for what is no evaluation, and for one of rows that were read, or of
            relations, which have no segments; ``what`` is what needs them.
    """
    check_evaluation(evaluation, what)
    corpus = evaluation.counted.per_document.corpus
    if corpus is None or corpus.of_rows or corpus.of_relations:
        raise SettingError(
            f"{what} are of segments, and these are rows or relations; evaluate a corpus with its"
            " segments"
        )
    return corpus


def against_gold(what: str, systems: Sized, n_documents: int, settings: Settings) -> str:
    """Compose the caption of a table of systems."""
    n_systems, gold = pluralize(len(systems), "system"), escape_name(settings["gold"])
    return f"{what} {n_systems} against {gold}, {pluralize(n_documents, document_noun(settings))}"
