"""Evaluate systems against a gold annotation, or many annotators, raw and corrected for chance.

Each FILE holds the same text; `-` is standard input, NAME=FILE names an annotator. One file with
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
from spanagree.choices import BY, SLICES, Test, names_of
from spanagree.cli import options
from spanagree.cli.baselines import against_gold, baseline, check_baselines, drawing
from spanagree.cli.first_layer import say_gold, with_gold_noted, with_gold_noted_after
from spanagree.cli.job import CommandContext, command
from spanagree.cli.progress import progress
from spanagree.cli.references import FORM, against_references, references
from spanagree.cli.slices import FILE, results_by_file, seen, show_slices
from spanagree.cli.together import excludes, needs

if TYPE_CHECKING:
    from spanagree.chance.model import ChanceModel  # a help loads no work

_VIEWS = dict.fromkeys(
    [*BY["Evaluation"], "difficulty", "error", "strategy", *BY["ReferenceEvaluation"]]
)
_SWEEP = "Give each score of predictions a row, and the best one on documents held out."
_TEST = "Test all pairs of systems, or each against chance."
_OF_SEGMENTS = "what=relations|attributes"
_TOGETHER = [
    excludes(f"ci test {_OF_SEGMENTS}", "it counts errors, whatever the measure", term="by=error"),
    excludes(
        "ci test match overlap_at tolerance beta",
        "each strategy has a measure of its own",
        term="by=strategy",
    ),
    excludes(_OF_SEGMENTS, "strategies are of segments", term="by=strategy"),
    excludes(FORM.when, FORM.why, term="by=document|difficulty|error|strategy"),
    needs(FORM.when, term="by=annotator"),
]
_OWN_ROWS = [
    excludes("by slices seen test", "it has rows of its own"),
    excludes("ci", "what is held out has intervals without it"),
]
_DRAWN = {
    "resamples": "test=permutation|bootstrap|chance slices",
    "seed": f"test baseline=random {options.DRAWN} slices sweep",
}


@command(
    options.FILES,
    options.comparing(
        options.gold(),
        options.by_slices(_VIEWS, SLICES, together=_TOGETHER),
        seen(),
        options.beta(),
        options.option("--sweep", _SWEEP, choices=["score"], together=_OWN_ROWS),
        options.runs(),
        baseline(),
    ),
    options.comparing_what(),
    options.places(options.chance_of()),
    references(),
    options.certainty(
        options.option(
            "--test",
            _TEST,
            choices=[*names_of(Test), "chance"],
            together=[excludes("by=difficulty", "a test is over all documents")],
        ),
        drawn=_DRAWN,
        asked_by="ci test sweep",
        without="document",
    ),
    options.levels(),
    options.reading(strings=True),
    options.workers(),
    options.output(),
    forms=[FORM],
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
    if settings.keys() & {"references", "systems"}:
        against_references(job, baseline, settings)
        return
    if test is None and sweep is None and job.by not in ("difficulty", "error", "strategy"):
        job.check_picture(sa.systems.Evaluation)
    check_baselines(baseline)
    if job.slices == FILE:

        def score(corpus: sa.Corpus, **chance: ChanceModel) -> sa.systems.Evaluation:
            """Evaluate one file by itself."""
            named = job.layer(gold, corpus)
            of_file, given = job.compared(corpus, settings | chance)
            return sa.evaluate(of_file, named, **given, **job.seed)

        show_slices(job, results_by_file(job, score))
        return
    corpus = job.parts()
    named = job.layer(gold, corpus)
    if isinstance(corpus, sa.Corpus):
        corpus = with_gold_noted(job, corpus, named)
        if baseline:
            corpus = against_gold(corpus, named, baseline, **drawing(job, settings))
    corpus, settings = job.compared(corpus, settings)
    more = {**job.seed, **({"p_values": True} if job.by == "document" else {})}
    result = job.work(
        "evaluating",
        sa.evaluate,
        corpus,
        named,
        **settings,
        **more,
        **({} if job.slices or sweep or runs else job.intervals),
    )
    if not isinstance(corpus, sa.Corpus):
        result = with_gold_noted_after(job, result, named)
        corpus = result.rows.corpus
        settings = job.compared(corpus, settings)[1]
    say_gold(named, result)
    if job.slices is not None:
        show_slices(job, result)
    elif sweep is not None:
        job.show(sa.systems.sweep_scores(result, ci=job.jackknife, **job.seed))
    elif job.by == "difficulty":
        progress("difficulty")
        of_gold = {name: value for name, value in settings.items() if name != "beta"}
        hard = sa.difficulty(corpus, result.settings.gold, **of_gold, **job.seed)
        levels = sa.levels.evaluate_levels(result, hard, **job.levels)
        replace(job, by=None).show(levels, notes=result.notes)
    elif job.by == "error":
        replace(job, by=None).show(sa.systems.error_types(result))
    elif job.by == "strategy":
        replace(job, by=None).show(sa.systems.strategy_scores(result))
    else:
        tested = test and _tested(test, corpus, result, job, runs)
        shown: Any = result
        if runs:
            shown = sa.systems.score_runs(result, runs, **job.intervals)
        job.show(shown, test=tested)


def _tested(
    test: str, corpus: Any, result: sa.systems.Evaluation, job: CommandContext, runs: Any
) -> sa.systems.Comparison | sa.systems.ChanceTest:
    """Return the test that was asked for, of an evaluation."""
    if test != "chance":
        return sa.compare_systems(
            result,
            test=test,
            ci=job.jackknife,
            runs=runs,
            **job.drawing,
            progress=progress("testing"),
        )
    resamples = job.certainty.get("resamples")
    draws = {} if resamples is None else {"draws": resamples}
    return sa.systems.chance_test(corpus, result, progress=progress("chance"), **draws, **job.seed)
