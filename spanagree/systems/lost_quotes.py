"""Quotes of systems that are not in the text, and a sentence on them."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from spanagree.arrays import Ints
from spanagree.comparisons.unplaced_rows import find_quotes
from spanagree.results import verdict

if TYPE_CHECKING:
    from spanagree.systems.count import SystemsByDocument
    from spanagree.systems.result import Evaluation


def find_lost_quotes(per_document: SystemsByDocument, system: str) -> dict[str, Ints]:
    """Look up the quotes of a system that are not in the text, in the documents that it shares.

    Args:
        per_document: documents of an evaluation.
        system: name of the system.

    Returns:
        Index of the document and of the label of each quote.
    """
    return find_quotes(per_document.corpus, system, per_document.find_shared_documents(system))


def write_lost_quotes_sentence(
    evaluation: Evaluation, systems: Collection[str] | None = None
) -> str:
    """Write the sentence on quotes of systems that are not in the text; empty without any.

    Args:
        evaluation: evaluation of systems against gold.
        systems: names of the systems in a result. Default: all.

    >>> import spanagree as sa
    >>> row = {"text": "Jo is", "gold": [{"text": "Jo", "label": "X"}]}
    >>> row["mine"] = [{"text": "Jo", "label": "X"}, {"text": "Al", "label": "X"}]
    >>> write_lost_quotes_sentence(sa.evaluate(sa.read([row])))
    '1 of 2 quotes is not in the text and counts as wrong.'
    """
    names = [*evaluation.systems] if systems is None else systems
    n_lost = sum(evaluation[name].not_found for name in names)
    return verdict.write_quotes_not_in_text(evaluation.settings, names, n_lost)
