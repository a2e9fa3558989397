"""Evaluate systems against a gold annotation, or many annotators, raw and corrected for chance.

Each FILE has the same text; `-` is standard input, NAME=FILE names an annotator. One file with
several annotators works too.

\b
spanagree evaluate gold.conll mine.conll yours.conll
spanagree evaluate all.conll --columns gold=1,mine=2 --by label
spanagree evaluate gold.conll mine.conll --by error
spanagree evaluate crowd.jsonl --systems mine,yours --match token
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import spanagree as sa
from spanagree.choices import BY, SLICES, Test, list_names
from spanagree.cli import options
from spanagree.cli.baselines import (
    add_gold_baselines,
    build_baseline_option,
    check_baselines,
    select_draw_settings,
)
from spanagree.cli.command import command
from spanagree.cli.comparison_options import (
    DRAWN_CHANCE,
    build_beta_option,
    build_certainty_options,
    build_comparison_options,
    build_gold_option,
    build_level_options,
    build_place_options,
    build_random_side_option,
    build_runs_option,
    build_target_options,
    build_view_or_slices_option,
    build_workers_option,
)
from spanagree.cli.first_layer import (
    add_first_layer_note,
    add_first_layer_note_of_parts,
    warn_of_gold,
)
from spanagree.cli.job import CommandContext
from spanagree.cli.option_rules import exclude_terms, require_terms
from spanagree.cli.output_options import build_output_options
from spanagree.cli.progress import start_progress
from spanagree.cli.reading_options import build_reading_options
from spanagree.cli.references import ALTERNATIVE, build_reference_options, compare_with_references
from spanagree.cli.slices import FILE, build_seen_option, score_each_file, show_slices

if TYPE_CHECKING:
    from spanagree.chance.model import ChanceModel  # not needed for help

_VIEWS = dict.fromkeys(
    [*BY["Evaluation"], "difficulty", "error", "strategy", *BY["ReferenceEvaluation"]]
)
_SWEEP = "Show a row for each score of predictions, and the best threshold on held-out documents."
_TEST = "Test of all pairs of systems, or of each against chance."
_OF_SEGMENTS = "what=relations|attributes"
_VIEW_RULES = [
    exclude_terms(
        f"ci test {_OF_SEGMENTS}",
        "errors are counted independently of the measure",
        term="by=error",
    ),
    exclude_terms(
        "ci test match overlap_at tolerance beta",
        "each strategy has a measure of its own",
        term="by=strategy",
    ),
    exclude_terms(_OF_SEGMENTS, "strategies are for segments", term="by=strategy"),
    exclude_terms(
        ALTERNATIVE.terms, ALTERNATIVE.reason, term="by=document|difficulty|error|strategy"
    ),
    require_terms(ALTERNATIVE.terms, term="by=annotator"),
]
_SWEEP_RULES = [
    exclude_terms("by slices seen test", "it has rows of its own"),
    exclude_terms("ci", "held-out documents have intervals without it"),
]
_DRAW_OPTIONS = {
    "resamples": "test=permutation|bootstrap|chance slices",
    "seed": f"test baseline=random {DRAWN_CHANCE} slices sweep",
}


@command(
    options.FILES,
    build_comparison_options(
        build_gold_option(),
        build_view_or_slices_option(_VIEWS, SLICES, rules=_VIEW_RULES),
        build_seen_option(),
        build_beta_option(),
        options.build_option("--sweep", _SWEEP, choices=["score"], rules=_SWEEP_RULES),
        build_runs_option(),
        build_baseline_option(),
    ),
    build_target_options(),
    build_place_options(build_random_side_option()),
    build_reference_options(),
    build_certainty_options(
        options.build_option(
            "--test",
            _TEST,
            choices=[*list_names(Test), "chance"],
            rules=[exclude_terms("by=difficulty", "a test is over all documents")],
        ),
        draw_options=_DRAW_OPTIONS,
        requested_by="ci test sweep",
        without="document",
    ),
    build_level_options(),
    build_reading_options(strings=True),
    build_workers_option(),
    build_output_options(),
    alternatives=[ALTERNATIVE],
)
def evaluate(
    job: CommandContext,
    test: str | None = None,
    gold: str | None = None,
    baseline: list[str] | None = None,
    sweep: str | None = None,
    runs: dict[str, list[str]] | None = None,
    **settings: Any,
) -> None:
    """Evaluate systems against gold or references, and show the requested view.

    Args:
        job: context of the command.
        test: name of a test of systems, if one was requested.
        gold: name of the gold layer. Default: the first.
        baseline: names of baselines to add as systems.
        sweep: "score" to show a row for each score of predictions.
        runs: names of the runs of each system.
        settings: other arguments of :func:`spanagree.evaluate`.
    """
    if settings.keys() & {"references", "systems"}:
        compare_with_references(job, baseline, settings)
        return
    if test is None and sweep is None and job.by not in ("difficulty", "error", "strategy"):
        job.check_picture(sa.systems.Evaluation)
    check_baselines(baseline)
    if job.slices == FILE:

        def score_file(corpus: sa.Corpus, **chance: ChanceModel) -> sa.systems.Evaluation:
            """Evaluate one file by itself."""
            gold_name = job.resolve_layer(gold, corpus)
            of_file, other_settings = job.select_compared(corpus, settings | chance)
            return sa.evaluate(of_file, gold_name, **other_settings, **job.seed)

        show_slices(job, score_each_file(job, score_file))
        return
    corpus = job.read_corpus_or_parts()
    gold_name = job.resolve_layer(gold, corpus)
    if isinstance(corpus, sa.Corpus):
        corpus = add_first_layer_note(job, corpus, gold_name)
        if baseline:
            corpus = add_gold_baselines(
                corpus, gold_name, baseline, **select_draw_settings(job, settings)
            )
    corpus, settings = job.select_compared(corpus, settings)
    arguments = {**job.seed, **({"p_values": True} if job.by == "document" else {})}
    result = job.run_with_workers(
        "evaluating",
        sa.evaluate,
        corpus,
        gold_name,
        **settings,
        **arguments,
        **({} if job.slices or sweep or runs else job.intervals),
    )
    if not isinstance(corpus, sa.Corpus):
        result = add_first_layer_note_of_parts(job, result, gold_name)
        corpus = result.rows.corpus
        settings = job.select_compared(corpus, settings)[1]
    warn_of_gold(gold_name, result)
    if job.slices is not None:
        show_slices(job, result)
    elif sweep is not None:
        job.show_result(sa.systems.sweep_scores(result, ci=job.jackknife, **job.seed))
    elif job.by == "difficulty":
        start_progress("difficulty")
        settings_of_difficulty = {name: value for name, value in settings.items() if name != "beta"}
        difficulties = sa.difficulty(
            corpus, result.settings.gold, **settings_of_difficulty, **job.seed
        )
        levels = sa.levels.evaluate_levels(result, difficulties, **job.levels)
        replace(job, by=None).show_result(levels, notes=result.notes)
    elif job.by == "error":
        replace(job, by=None).show_result(sa.systems.error_types(result))
    elif job.by == "strategy":
        replace(job, by=None).show_result(sa.systems.strategy_scores(result))
    else:
        test_result = test and _run_test(test, corpus, result, job, runs)
        shown_result: Any = result
        if runs:
            shown_result = sa.systems.score_runs(result, runs, **job.intervals)
        job.show_result(shown_result, test=test_result)


def _run_test(
    test: str, corpus: Any, result: sa.systems.Evaluation, job: CommandContext, runs: Any
) -> sa.systems.Comparison | sa.systems.ChanceTest:
    """Run a test of an evaluation.

    Args:
        test: name of the test of pairs of systems, or "chance" to test each against chance.
        corpus: corpus of the evaluation, or its parts.
        result: evaluation to test.
        job: context of the command.
        runs: names of the runs of each system, if systems have several runs.
    """
    if test != "chance":
        return sa.compare_systems(
            result,
            test=test,
            ci=job.jackknife,
            runs=runs,
            **job.drawing,
            progress=start_progress("testing"),
        )
    resamples = job.certainty.get("resamples")
    draws = {} if resamples is None else {"draws": resamples}
    return sa.systems.chance_test(
        corpus, result, progress=start_progress("chance"), **draws, **job.seed
    )
