"""What the command agree does with measures of unitizing: α_U, γ, and all side by side."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Any

import spanagree as sa
from spanagree.cli import options
from spanagree.cli.job import Job
from spanagree.cli.progress import progress

MEASURES = {
    "f1": "F1 over pairs of annotators, raw and above chance",
    "alpha-u": "Krippendorff's α_U, by label and over all",
    "alpha-u-placed": "the same with the chance model of this package",
    "gamma": "γ, γ_cat and γ_k of Mathet and others",
    "all": "corrected F1, α of tokens, α_U and γ side by side",
    "documents": "α of which documents have anything, and which have each label",
}
"""What agreement is measured by, by name."""

_GAMMA = "spanagree.units.gamma.gamma"
_OF_GAMMA = ("alpha", "beta", "delta_empty", "categorical", "order", "sampler", "precision",
    "time_limit", "steps",
)  # fmt: skip


def unitizing() -> options.Group:
    """Return the options of the measures of unitizing."""
    return options.group(
        "α_U and γ",
        *options.of("spanagree.units.alpha_u.alpha_u", "continuum"),
        *options.of(_GAMMA, *_OF_GAMMA),
    )


def measure_units(job: Job, measure: str, settings: Mapping[str, Any]) -> None:
    """Compute and show a measure of unitizing."""
    chosen = {**settings, **job.intervals}
    sampled = {**chosen, **job.seed}
    if measure == "documents":
        job.show(
            sa.project.document_agreement(job.read(), **chosen, progress=progress("comparing"))
        )
    elif measure == "all":
        job.show(_sampled(job, sa.units.side_by_side, sampled))
    elif measure == "gamma":
        job.show(_sampled(job, sa.gamma, {**sampled, "pairs": job.by == "pair"}))
    else:
        of_units = functools.partial(sa.alpha_u, measure=measure, pairs=job.by == "pair", **chosen)
        job.show(job.work("comparing", of_units, job.source()))


def _sampled(job: Job, function: Any, chosen: Mapping[str, Any]) -> Any:
    """Return what a function that samples makes of the corpus, with the workers asked for."""

    def work(corpus: sa.Corpus, on_error: str, **settings: Any) -> Any:
        return function(corpus, **settings, **chosen)

    return job.work("sampling", work, job.read())
