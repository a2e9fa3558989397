"""Say how far annotators agree with each other, raw and above chance.

Every pair is compared over the documents that both saw.

\b
spanagree agree crowd.jsonl --by annotator
spanagree agree ann.conll bob.conll --match token
spanagree agree crowd.jsonl --measure gamma
"""

from __future__ import annotations

from typing import Any

import click
from click.core import ParameterSource

import spanagree as sa
from spanagree.choices import BY, MIN_SHARED, AnnotatorSort, SampledBy, names_of
from spanagree.cli import options
from spanagree.cli.batches import batches_option, show_batches
from spanagree.cli.job import Job, command
from spanagree.cli.unitizing import MEASURES, UNITIZING, measure_units, unitizing
from spanagree.errors import SettingError

_SORT = (
    "With --by annotator, show first the lowest F1, corrected or observed, the highest rise, the"
)
_SORT += (
    " lowest p, the most documents or segments, or those who stand apart and then who saw most."
)
_P_VALUES = (
    "Give p, z and standard deviation of chance for each pair, in JSON for its documents too."
)
_MEASURED = "Choose what agreement is measured by."
_FAIL = "Exit with 1 if the team's corrected F1 is below X, or undefined."
_SHARED = "Mark pairs that share fewer than N documents."


@command(
    options.FILES,
    options.comparing(
        options.option("--measure", _MEASURED, choices=MEASURES, default="f1"),
        options.by(BY["Agreement"]),
        options.option("--sort", _SORT, choices=names_of(AnnotatorSort), unless="as in the corpus"),
        options.annotators(),
        options.number("--min-shared", _SHARED, default=MIN_SHARED),
        options.option("--test", _P_VALUES, choices=["chance"]),
        options.option("--fail-under", _FAIL, type=float, metavar="X"),
        batches_option(),
    ),
    unitizing(),
    options.certainty(team=True),
    options.blocks(),
    options.reading(),
    options.output(),
    first="--measure --match --by --annotators --ci --sort --batches --fail-under --from --columns"
    " --format --output --plot",
)
def agree(
    job: Job,
    measure: str,
    by: str | None,
    sort: str | None,
    fail_under: float | None,
    batches: str | None,
    **settings: Any,
) -> None:
    units = {name: settings.pop(name) for name in UNITIZING}
    source = click.get_current_context().get_parameter_source
    if batches is not None:
        others = {**units, "by": by, "sort": sort, "fail_under": fail_under}
        others |= {"test": settings["test"], "measure": None if measure == "f1" else measure}
        if unfit := options.given(others):
            raise click.UsageError(
                f"{options.written(next(iter(unfit)))} is not for --batches; leave one of them out"
            )
        show_batches(job, batches, settings)
        return
    if measure != "f1":
        given = {
            name
            for name in (*settings, "overlap_at", "fail_under", "sort")
            if source(name) is not ParameterSource.DEFAULT
        }
        for name in ("match", "overlap_at", "min_shared", "test", "fail_under", "sort"):
            if name in given:
                raise click.UsageError(f"{options.written(name)} is for --measure f1; leave it out")
        units["chance"] = settings["chance"] if "chance" in given else None
        measure_units(job, measure, by, settings["annotators"], units)
        return
    if unfit := options.given(units):
        name = options.written(next(iter(unfit)))
        raise click.UsageError(f"{name} is for other measures than F1; give --measure too")
    if sort is not None and by != "annotator":
        raise click.UsageError("--sort is for --by annotator; give both, or leave it out")
    job.check_picture(sa.Agreement, by)
    drawing = job.drawing(by=by)
    if job.in_blocks and by == "document":
        raise click.UsageError("blocks keep no single documents, which --by document needs")
    if job.in_blocks and settings["test"]:
        raise click.UsageError("blocks keep no single documents, which --test chance needs")
    settings["p_values"] = settings.pop("test") is not None
    if fail_under is not None and not -1 <= fail_under <= 1:
        raise SettingError(f"--fail-under {fail_under:g}: a number from -1 to 1 is needed")
    corpus = job.source()
    result = job.work("comparing", sa.agree, corpus, **settings, **drawing)
    beside = {}
    if by is None and result.mostly_single and isinstance(corpus, sa.Corpus):
        by_documents = drawing.get("resample_by", "unit") not in names_of(SampledBy)
        drawn = drawing if by_documents else {}
        beside["presence"] = sa.presence(corpus, annotators=settings["annotators"], **drawn)
    job.show(result if sort is None else result.sorted(sort), by, beside=beside)
    if fail_under is not None:
        _check_f1(result.team.f1, fail_under)


def _check_f1(f1: sa.Score, least: float) -> None:
    """Refuse a team whose corrected F1 is too low, or undefined."""
    if not f1.corrected >= least:
        outcome = f"is undefined ({f1.reason})" if f1.reason else f"{f1.corrected:.4f} is too low"
        raise click.ClickException(
            f"the team's corrected F1 {outcome}; --fail-under {least:g} asks for that much at least"
        )
