"""Evaluate systems against a gold annotation, or many annotators, raw and corrected for chance.

Each FILE holds the same text; `-` is standard input, NAME=FILE names an annotator. One file with
several annotators works too.

\b
spanagree evaluate gold.conll mine.conll yours.conll
spanagree evaluate all.conll --columns gold=1,mine=2 --by label
spanagree evaluate crowd.jsonl --systems mine,yours --match token
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import spanagree as sa
from spanagree.choices import BY, Test, names_of
from spanagree.cli import options
from spanagree.cli.baselines import against_gold, baseline, check_baselines, drawing
from spanagree.cli.first_layer import say_gold, with_gold_noted
from spanagree.cli.job import Job, command, say
from spanagree.cli.progress import progress
from spanagree.cli.references import against_references, references

_TEST = "Test all pairs of systems, or each against chance."
_MERGE = "Take the files as tallies of parts of a corpus, and give the result of one run over all."


@command(
    options.FILES,
    options.comparing(
        options.gold(),
        options.by(dict.fromkeys([*BY["Evaluation"], "difficulty", *BY["AgainstReferences"]])),
        baseline(),
    ),
    options.comparing_what(),
    options.places(options.chance_of()),
    references(),
    options.certainty(
        options.option("--test", _TEST, choices=[*names_of(Test), "chance"]),
    ),
    options.levels(),
    options.blocks(
        options.option("--tallies", "Write tallies of this part to FILE.", metavar="FILE"),
        options.flag("--from-tallies", _MERGE),
    ),
    options.reading(),
    options.output(),
)
def evaluate(
    job: Job,
    test: str | None = None,
    tallies: str | None = None,
    from_tallies: bool = False,
    gold: str | None = None,
    baseline: list[str] | None = None,
    **settings: Any,
) -> None:
    if from_tallies:
        _merge(job, test)
        return
    if settings.keys() & {"references", "systems"}:
        against_references(job, baseline, settings)
        return
    if test is None and job.by != "difficulty":
        job.check_picture(sa.systems.Evaluation)
    check_baselines(baseline)
    if tallies is not None:
        from spanagree.systems.tally_files import (
            check_tallies_can_be_written,
            check_tallies_name,
        )

        job.check(tallies=tallies)
        check_tallies_name(tallies)
        check_tallies_can_be_written(job.in_blocks)
    corpus = job.source()
    named = job.layer(gold, corpus)
    if isinstance(corpus, sa.Corpus):
        corpus = with_gold_noted(job, corpus, named)
    if baseline and isinstance(corpus, sa.Corpus):
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
        **job.intervals,
    )
    say_gold(named, result)
    if tallies is not None:
        progress("writing")
        sa.systems.write_tallies(result, tallies)
        job.wrote(tallies)
    if job.by == "difficulty":
        progress("difficulty")
        hard = sa.difficulty(corpus, result.settings.gold, **settings, **job.seed)
        levels = sa.levels.evaluate_levels(result, hard, **job.levels)
        replace(job, by=None).show(levels, notes=result.notes)
    else:
        tested = test and _tested(test, corpus, result, job)
        job.show(result, test=tested)


def _merge(job: Job, test: str | None) -> None:
    """Show the result over the tallies in the files."""
    if test is None:
        job.check_picture(sa.systems.Evaluation)
    progress("reading")
    result = sa.systems.read_tallies(job.files)
    bar = progress("resampling")
    if job.intervals:
        from spanagree.systems.evaluate import with_intervals

        result = with_intervals(result, job.bootstrap)
    tested = test and sa.compare_systems(result, test=test, bootstrap=job.bootstrap, progress=bar)
    if job.by == "document":
        note = (
            "z and p of documents need their segments, which files of tallies do not hold;"
            " evaluate the corpus itself --by document"
        )
        say([note])
    job.show(result, test=tested)


def _tested(
    test: str, corpus: Any, result: sa.systems.Evaluation, job: Job
) -> sa.systems.Comparison | sa.systems.ChanceTest:
    """Return the test that was asked for, of an evaluation."""
    if test != "chance":
        return sa.compare_systems(
            result, test=test, bootstrap=job.bootstrap, progress=progress("testing")
        )
    resamples = job.certainty.get("resamples")
    draws = {} if resamples is None else {"draws": resamples}
    return sa.systems.chance_test(corpus, result, progress=progress("chance"), **draws, **job.seed)
