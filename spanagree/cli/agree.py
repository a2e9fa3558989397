"""Measure inter-annotator agreement on spans, raw and corrected for chance.

Each pair is compared on the documents that both annotators saw.

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
from spanagree.choices import BY, SLICES, AnnotatorSort, list_names
from spanagree.cli import options
from spanagree.cli.command import command
from spanagree.cli.comparison_options import (
    DRAWN_CHANCE,
    build_annotators_option,
    build_certainty_options,
    build_comparison_options,
    build_place_options,
    build_target_options,
    build_view_or_slices_option,
    build_workers_option,
)
from spanagree.cli.job import CommandContext
from spanagree.cli.option_rules import add_rules, exclude_terms, require_terms
from spanagree.cli.output_options import build_output_options
from spanagree.cli.reading_options import build_reading_options
from spanagree.cli.slices import FILE, build_seen_option, score_each_file, show_slices
from spanagree.cli.unitizing import (
    AGREEMENT_MEASURES,
    ALTERNATIVES,
    build_unitizing_options,
    show_unitizing_measure,
)
from spanagree.errors import SettingError

if TYPE_CHECKING:
    from spanagree.chance.model import ChanceModel  # not needed for help

_AGREE = "spanagree.agreement.agree.agree"
_SORT = "With --by annotator, sort by F1 or p, lowest first, or by another column, highest first."
_TEST = "Show p, z and the standard deviation of chance for each pair."
_MEASURE = "Measure of agreement."
_FAIL = "Exit with 1 if the team's corrected F1 is below X, or undefined."
_OF_F1 = exclude_terms("measure!=f1", term="by=annotator|document")
_OF_PAIRS = [exclude_terms("by=annotator|label|document", "the test is for pairs")]
_NOT_OF_SLICES = exclude_terms("slices")
_DRAW_OPTIONS = {"resamples": "slices", "seed": f"slices measure=gamma|all {DRAWN_CHANCE}"}


@command(
    options.FILES,
    build_comparison_options(
        options.build_option("--measure", _MEASURE, choices=AGREEMENT_MEASURES, unless="f1"),
        build_view_or_slices_option(BY["Agreement"], SLICES, rules=[_OF_F1]),
        build_seen_option(),
        options.build_option(
            "--sort",
            _SORT,
            choices=list_names(AnnotatorSort),
            unless="as in the corpus",
            rules=[require_terms("by=annotator")],
        ),
        build_annotators_option(),
        *add_rules(
            options.build_options_from_function(_AGREE, "without", "min_shared"),
            _NOT_OF_SLICES,
            names="without",
        ),
        options.build_option("--test", _TEST, choices=["chance"], rules=_OF_PAIRS),
        options.build_option(
            "--fail-under", _FAIL, type=float, metavar="X", rules=[_NOT_OF_SLICES]
        ),
        function=_AGREE,
    ),
    build_target_options(),
    build_place_options(),
    build_unitizing_options(),
    add_rules(
        add_rules(
            build_certainty_options(has_over=True, draw_options=_DRAW_OPTIONS, without="document"),
            exclude_terms("measure=alpha-u|gamma|all"),
            names="cluster_by",
        ),
        exclude_terms("measure!=f1 slices by=pair"),
        names="over",
    ),
    build_workers_option(),
    add_rules(
        build_reading_options(strings=True),
        exclude_terms("measure!=f1", "it needs segments with a place in the text"),
        names="unplaced strings",
    ),
    build_output_options(),
    alternatives=ALTERNATIVES,
)
def agree(
    job: CommandContext,
    sort: str | None = None,
    measure: str = "f1",
    test: str | None = None,
    fail_under: float | None = None,
    **settings: Any,
) -> None:
    """Compare annotators with each other, and show the result or its slices.

    Args:
        job: context of the command.
        sort: order of the rows of annotators, if one was requested.
        measure: name of the measure of agreement.
        test: "chance" to test each pair against chance.
        fail_under: smallest corrected F1 of the team for which the exit code is 0.
        settings: other arguments of :func:`spanagree.agree`.
    """
    if measure != "f1":
        show_unitizing_measure(job, measure, settings)
        return
    job.check_picture(sa.agreement.Agreement)
    if fail_under is not None and not -1 <= fail_under <= 1:
        raise SettingError(f"--fail-under {fail_under:g}: a number from -1 to 1 is needed")
    if test:
        settings["p_values"], job = True, replace(job, by="pair")
    if job.slices == FILE:

        def score_file(corpus: sa.Corpus, **chance: ChanceModel) -> sa.agreement.Agreement:
            """Compare the annotators of one file by itself."""
            of_file, other_settings = job.select_compared(corpus, settings | chance)
            return sa.agree(of_file, **other_settings, **job.seed)

        show_slices(job, score_each_file(job, score_file))
        return
    corpus, settings = job.select_compared(job.read_corpus_or_parts(), settings)
    intervals = {} if job.slices else job.intervals
    result = job.run_with_workers(
        "comparing", sa.agree, corpus, **settings, **job.seed, **intervals
    )
    if job.slices is not None:
        show_slices(job, result)
        return
    additional = {}
    if not isinstance(corpus, sa.Corpus):
        assert result.rows is not None  # ensured for a whole corpus
        corpus = result.rows.corpus
    if job.by is None and result.mostly_single:
        ci: dict[str, Any] = {}
        if job.intervals:
            ci["ci"] = replace(job.jackknife, over="documents")
        annotators = settings.get("annotators")
        additional["document_agreement"] = sa.project.document_agreement(
            corpus, annotators=annotators, **ci
        )
    job.show_result(result if sort is None else result.sorted(sort), additional=additional)
    if fail_under is not None:
        _check_f1(result.team.f1, fail_under)


def _check_f1(f1: sa.results.Score, minimum: float) -> None:
    """Raise a `ClickException` if the team's corrected F1 is undefined or below a minimum."""
    if not f1.corrected >= minimum:
        outcome = f"is undefined ({f1.reason})" if f1.reason else f"{f1.corrected:.4f} is too low"
        raise click.ClickException(
            f"the team's corrected F1 {outcome}; --fail-under {minimum:g} requires that minimum"
        )
