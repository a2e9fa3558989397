"""What a verdict says of systems' quotes that are not in the text."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from spanagree.results import verdict

if TYPE_CHECKING:
    from spanagree.systems.result import Evaluation


def not_in_text(evaluation: Evaluation, systems: Collection[str] | None = None) -> str:
    """Compose a sentence on the quotes of systems that are not in the text; empty without any.

    Args:
        evaluation: systems against gold.
        systems: names of the systems that a result is of. Default: all.

    >>> import spanagree as sa
    >>> row = {"text": "Jo is", "gold": [{"text": "Jo", "label": "X"}]}
    >>> row["mine"] = [{"text": "Jo", "label": "X"}, {"text": "Al", "label": "X"}]
    >>> not_in_text(sa.evaluate(sa.read([row])))
    '1 of 2 quotes is not in the text and counts as wrong.'
    """
    names = [*evaluation.systems] if systems is None else systems
    n_lost = sum(evaluation[name].not_found for name in names)
    return verdict.not_in_text(evaluation.settings, names, n_lost)
