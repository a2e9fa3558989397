"""What the command agree does with measures of unitizing: α_U, γ, and all side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import spanagree as sa
from spanagree.cli import options
from spanagree.cli.job import CommandContext
from spanagree.cli.progress import progress
from spanagree.cli.together import Form, declared, needs

AGREEMENT_MEASURES = {
    "f1": "F1 over pairs of annotators, raw and corrected for chance",
    "alpha-u": "Krippendorff's α_U, by label and over all",
    "gamma": "γ, γ_cat and γ_k of Mathet and others",
    "all": "corrected F1, α of tokens, α_U and γ side by side",
    "documents": "α of which documents have anything, and which have each label",
}
"""What agreement is measured by, by name."""

_WHY = "it is for other measures"
FORMS = [
    Form("measure=alpha-u", "spanagree.units.alpha_u.alpha_u", "by", _WHY),
    Form("measure=gamma", "spanagree.units.gamma.gamma", "by", _WHY),
    Form("measure=all", "spanagree.units.all_measures.compare_measures", why=_WHY),
    Form("measure=documents", "spanagree.project.document_level.document_agreement", why=_WHY),
]
"""What agree calls for each of them but F1."""


def unitizing() -> options.Group:
    """Return the options of the measures of unitizing."""
    continuum = declared(
        options.of("spanagree.units.alpha_u.alpha_u", "continuum"), needs("measure=alpha-u")
    )
    return options.group("α_U and γ", *continuum)


def measure_units(job: CommandContext, measure: str, settings: Mapping[str, Any]) -> None:
    """Compute and show a measure of unitizing."""
    chosen = {**settings, **job.intervals}
    pairs = job.by == "pair"
    result: Any
    if measure == "documents":
        shown = progress("comparing")
        result = sa.project.document_agreement(job.read(), **chosen, progress=shown)
    elif measure == "all":
        result = job.work("sampling", sa.units.compare_measures, job.read(), **chosen, **job.seed)
    elif measure == "gamma":
        result = job.work("sampling", sa.gamma, job.read(), **chosen, **job.seed, pairs=pairs)
    else:
        corpus, chosen = job.parts(), {**chosen, "pairs": pairs}
        result = job.work("comparing", sa.alpha_u, corpus, **chosen)
    job.show(result)
