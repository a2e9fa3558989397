"""Measures of unitizing for the command agree: α_U, γ, and all side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import spanagree as sa
from spanagree.cli import options
from spanagree.cli.job import CommandContext
from spanagree.cli.option_rules import AlternativeCall, add_rules, require_terms
from spanagree.cli.progress import start_progress

AGREEMENT_MEASURES = {
    "f1": "F1 over pairs of annotators, raw and corrected for chance",
    "alpha-u": "Krippendorff's α_U, by label and over all",
    "gamma": "γ, γ_cat and γ_k of Mathet and others",
    "all": "corrected F1, α of tokens, α_U and γ side by side",
    "documents": "α of documents with and without segments, and with and without each label",
}
"""Descriptions of the measures of agreement, by name."""

_WHY = "it is for other measures"
ALTERNATIVES = [
    AlternativeCall("measure=alpha-u", "spanagree.units.alpha_u.alpha_u", "by", _WHY),
    AlternativeCall("measure=gamma", "spanagree.units.gamma.gamma", "by", _WHY),
    AlternativeCall("measure=all", "spanagree.units.all_measures.compare_measures", reason=_WHY),
    AlternativeCall(
        "measure=documents", "spanagree.project.document_level.document_agreement", reason=_WHY
    ),
]
"""Functions that agree calls for measures other than F1."""


def build_unitizing_options() -> options.Group:
    """Build the options of the measures of unitizing."""
    continuum = add_rules(
        options.build_options_from_function("spanagree.units.alpha_u.alpha_u", "continuum"),
        require_terms("measure=alpha-u"),
    )
    return options.group_options("α_U and γ", *continuum)


def show_unitizing_measure(job: CommandContext, measure: str, settings: Mapping[str, Any]) -> None:
    """Compute a measure of unitizing, one of :data:`AGREEMENT_MEASURES` except F1, and show it.

    Unitizing is the task of finding the borders of segments as well as their labels.

    Args:
        job: context of the command.
        measure: name of the measure.
        settings: arguments of its function.
    """
    arguments = {**settings, **job.intervals}
    pairs = job.by == "pair"
    result: Any
    if measure == "documents":
        bar = start_progress("comparing")
        result = sa.project.document_agreement(job.read_corpus(), **arguments, progress=bar)
    elif measure == "all":
        result = job.run_with_workers(
            "sampling", sa.units.compare_measures, job.read_corpus(), **arguments, **job.seed
        )
    elif measure == "gamma":
        result = job.run_with_workers(
            "sampling", sa.gamma, job.read_corpus(), **arguments, **job.seed, pairs=pairs
        )
    else:
        corpus, arguments = job.read_corpus_or_parts(), {**arguments, "pairs": pairs}
        result = job.run_with_workers("comparing", sa.alpha_u, corpus, **arguments)
    job.show_result(result)
