"""What the command agree does with measures of unitizing: α_U, γ, and all side by side."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

import spanagree as sa
from spanagree.choices import Categorical, Continuum, Sampler, names_of
from spanagree.cli import options
from spanagree.cli.job import Job
from spanagree.cli.progress import progress

if TYPE_CHECKING:
    from spanagree.results.result import Result

MEASURES = {
    "f1": "F1 over pairs of annotators, raw and above chance",
    "alpha-u": "Krippendorff's α_U, by label and over all",
    "alpha-u-placed": "the same with the chance model of this package",
    "gamma": "γ, γ_cat and γ_k of Mathet and others",
    "all": "corrected F1, α of tokens, α_U and γ side by side",
    "presence": "α of which documents have anything, and which have each label",
}
"""What agreement is measured by, by name."""

_TAKES = {
    "alpha-u": {"continuum"},
    "alpha-u-placed": {"chance"},
    "gamma": {
        "alpha", "beta", "delta_empty", "categorical", "order", "sampler", "precision", "chance",
    },
    "all": {"precision", "chance"},
    "presence": set(),
}  # fmt: skip
"""The options that each measure has, of those that not all have."""

UNITIZING = sorted({name for names in _TAKES.values() for name in names} - {"chance"})
"""The options that F1 does not have."""


def unitizing() -> options.Group:
    """Return the options of the measures of unitizing."""
    what = "Choose what becomes of several documents in α_U."
    categories = "Choose how categories differ in γ."
    random = "Choose where the random annotations of γ come from."
    order = "Order ordinal categories, from the lowest."
    option = options.option
    return options.group(
        "α_U and γ",
        option("--continuum", what, choices=names_of(Continuum), unless="summed"),
        _number("--alpha", "Weigh positions by X in γ."),
        _number("--beta", "Weigh categories by X in γ."),
        _number("--delta-empty", "Let a unit that is aligned with none cost X in γ."),
        option("--categorical", categories, choices=names_of(Categorical), unless="nominal"),
        option("--order", order, metavar="LABEL,...", read=options.names_in),
        option("--sampler", random, choices=names_of(Sampler), unless="chance"),
        _number("--precision", "Sample until the standard error of γ is below X.", "0.01"),
    )


def _number(name: str, purpose: str, unless: str = "1") -> options.Option:
    return options.option(name, purpose, type=float, metavar="X", unless=unless)


def measure_units(
    job: Job, measure: str, by: str | None, annotators: list[str] | None, own: Mapping[str, Any]
) -> None:
    """Compute and show a measure of unitizing; ``own`` are the options that not all have."""
    chosen = {key: value for key, value in own.items() if value is not None}
    if unfit := sorted(set(chosen) - _TAKES[measure]):
        raise click.UsageError(
            f"{options.written(unfit[0])} is not for --measure {measure}; leave it out"
        )
    kinds: Mapping[str, type[Result]] = {
        "gamma": sa.Gamma, "all": sa.SideBySide, "presence": sa.Presence
    }  # fmt: skip
    result = kinds.get(measure, sa.AlphaU)
    if by is not None and by not in result.BY:
        fitting = ", ".join(result.BY) or "none"
        raise click.UsageError(f"--by {by} is not for --measure {measure}; allowed: {fitting}")
    if measure == "presence":
        if job.in_blocks:
            raise click.UsageError(
                "--measure presence compares all documents at once; leave out blocks and workers"
            )
        asked = {"annotators": annotators, **job.drawing(), "progress": progress("comparing")}
        job.show(sa.presence(job.read(), **asked))
        return
    if job.certainty["resample_by"] is not None:
        raise click.UsageError(f"--resample-by is for --measure f1; leave it out with {measure}")
    chosen["annotators"] = annotators
    if measure in ("gamma", "all"):
        if given := options.given({"block": job.block, "on_error": job.on_error}):
            raise click.UsageError(
                f"{options.written(next(iter(given)))} is not for --measure {measure}, which places"
                " the units of all documents at once until its error is small; leave it out"
            )
        seed = job.certainty.get("seed")
        job = replace(job, certainty={**job.certainty, "seed": None})
        chosen |= job.drawing() | ({} if seed is None else {"seed": seed})
    else:
        chosen |= job.drawing()
    if measure == "all":
        if "ci" in chosen:
            raise click.UsageError("--ci is not for --measure all; ask for one measure")
        job.show(_sampled(job, sa.side_by_side, chosen), by)
        return
    chosen["pairs"] = by == "pair"
    if measure == "gamma":
        job.show(_sampled(job, sa.gamma, chosen), by)
    else:
        of_units = functools.partial(sa.alpha_u, measure=measure, **chosen)
        job.show(job.work("comparing", of_units, job.source()), by)


def _sampled(job: Job, function: Any, chosen: Mapping[str, Any]) -> Any:
    """Return what a function that samples makes of the corpus, with the workers asked for."""

    def work(corpus: sa.Corpus, on_error: str, **how: Any) -> Any:
        return function(corpus, **how, **chosen)

    return job.work("sampling", work, job.read())
