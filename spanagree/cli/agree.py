"""Measure inter-annotator agreement on spans, raw and corrected for chance.

Every pair is compared over the documents that both saw.

\b
spanagree agree crowd.jsonl --by annotator
spanagree agree crowd.jsonl --without dia,cem
spanagree agree ann.conll bob.conll --match token
spanagree agree crowd.jsonl --measure gamma
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

import spanagree as sa
from spanagree.choices import BY, SLICES, AnnotatorSort, names_of
from spanagree.cli import options
from spanagree.cli.job import CommandContext, command
from spanagree.cli.slices import FILE, results_by_file, seen, show_slices
from spanagree.cli.together import declared, excludes, needs
from spanagree.cli.unitizing import AGREEMENT_MEASURES, FORMS, measure_units, unitizing
from spanagree.errors import SettingError

if TYPE_CHECKING:
    from spanagree.chance.model import ChanceModel  # a help loads no work

_AGREE = "spanagree.agreement.agree.agree"
_SORT = "With --by annotator, show first the lowest F1 or p, or the most of another column."
_TEST = "Give p, z and standard deviation of chance for each pair."
_MEASURED = "Choose what agreement is measured by."
_FAIL = "Exit with 1 if the team's corrected F1 is below X, or undefined."
_OF_F1 = excludes("measure!=f1", term="by=annotator|document")
_OF_PAIRS = [excludes("by=annotator|label|document", "it is of pairs")]
_NOT_OF_SLICES = excludes("slices")
_DRAWN = {"resamples": "slices", "seed": f"slices measure=gamma|all {options.DRAWN}"}


@command(
    options.FILES,
    options.comparing(
        options.option("--measure", _MEASURED, choices=AGREEMENT_MEASURES, unless="f1"),
        options.by_slices(BY["Agreement"], SLICES, together=[_OF_F1]),
        seen(),
        options.option(
            "--sort",
            _SORT,
            choices=names_of(AnnotatorSort),
            unless="as in the corpus",
            together=[needs("by=annotator")],
        ),
        options.annotators(),
        *declared(options.of(_AGREE, "without", "min_shared"), _NOT_OF_SLICES, names="without"),
        options.option("--test", _TEST, choices=["chance"], together=_OF_PAIRS),
        options.option("--fail-under", _FAIL, type=float, metavar="X", together=[_NOT_OF_SLICES]),
        function=_AGREE,
    ),
    options.comparing_what(),
    options.places(),
    unitizing(),
    declared(
        declared(
            options.certainty(over=True, drawn=_DRAWN, without="document"),
            excludes("measure=alpha-u|gamma|all"),
            names="cluster_by",
        ),
        excludes("measure!=f1 slices by=pair"),
        names="over",
    ),
    options.workers(),
    declared(
        options.reading(strings=True),
        excludes("measure!=f1", "it takes segments that have a place"),
        names="unplaced strings",
    ),
    options.output(),
    forms=FORMS,
)
def agree(
    job: CommandContext,
    sort: str | None = None,
    measure: str = "f1",
    test: str | None = None,
    fail_under: float | None = None,
    **settings: Any,
) -> None:
    if measure != "f1":
        measure_units(job, measure, settings)
        return
    job.check_picture(sa.agreement.Agreement)
    if fail_under is not None and not -1 <= fail_under <= 1:
        raise SettingError(f"--fail-under {fail_under:g}: a number from -1 to 1 is needed")
    if test:
        settings["p_values"], job = True, replace(job, by="pair")
    if job.slices == FILE:

        def score(corpus: sa.Corpus, **chance: ChanceModel) -> sa.agreement.Agreement:
            """Compare the annotators of one file by itself."""
            of_file, given = job.compared(corpus, settings | chance)
            return sa.agree(of_file, **given, **job.seed)

        show_slices(job, results_by_file(job, score))
        return
    corpus, settings = job.compared(job.parts(), settings)
    intervals = {} if job.slices else job.intervals
    result = job.work("comparing", sa.agree, corpus, **settings, **job.seed, **intervals)
    if job.slices is not None:
        show_slices(job, result)
        return
    beside = {}
    if not isinstance(corpus, sa.Corpus):
        assert result.rows is not None  # as it is of a whole corpus
        corpus = result.rows.corpus
    if job.by is None and result.mostly_single:
        ci: dict[str, Any] = {}
        if job.intervals:
            ci["ci"] = replace(job.jackknife, over="documents")
        annotators = settings.get("annotators")
        beside["document_agreement"] = sa.project.document_agreement(
            corpus, annotators=annotators, **ci
        )
    job.show(result if sort is None else result.sorted(sort), beside=beside)
    if fail_under is not None:
        _check_f1(result.team.f1, fail_under)


def _check_f1(f1: sa.results.Score, least: float) -> None:
    """Refuse a team whose corrected F1 is too low, or undefined."""
    if not f1.corrected >= least:
        outcome = f"is undefined ({f1.reason})" if f1.reason else f"{f1.corrected:.4f} is too low"
        raise click.ClickException(
            f"the team's corrected F1 {outcome}; --fail-under {least:g} asks for that much at least"
        )
